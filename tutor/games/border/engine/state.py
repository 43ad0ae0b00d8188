"""Positions of The Border, and the words for their parts."""

from functools import lru_cache
from typing import NamedTuple

DICE = 5
ALL_DICE = (1 << DICE) - 1
NUMBERS = tuple(str(number) for number in range(1, DICE + 1))
"""The names of the dice, from left to right."""
MOST_ROLLS = 3
AREAS_TO_END = 6
IN_THE_AIR = "?"

START, ROLL, FACES, FIRST, SECOND, OVER = "start", "roll", "faces", "first", "second", "over"
PHASES = (START, ROLL, FACES, FIRST, SECOND, OVER)


class State(NamedTuple):
    """A position. Tuples are by seat, seat 1 first; dice and areas in sets are bits."""

    boards: tuple[int, ...]
    phase: str
    active: int
    rolls: int
    dice: str
    """Five colour letters, `?` for a die in the air; empty before the first roll."""
    crosses: tuple[int, ...]
    high: tuple[int, ...]
    low: tuple[int, ...]
    taken: int
    """Areas that somebody completed in an earlier action: only their low value is left."""
    spent: tuple[int, ...]
    """The dice that each player has used in this round."""
    recent: tuple[int, ...]
    """The crosses that each player is known to have made in this second action. All of them, unless the
    position was set up without a word about it."""
    done: int
    """The seats that have finished their second action, the active one too; bit 1 is seat 1."""


def circled(state: State) -> int:
    """The areas that anybody has completed."""
    areas = 0
    for mask in state.high + state.low:
        areas |= mask
    return areas


@lru_cache(maxsize=1024)
def left(dice: str, used: int) -> str:
    """The dice without those that are used."""
    return "".join([die for i, die in enumerate(dice) if not used >> i & 1])


def offered(state: State) -> str:
    """The dice of the second action: those that the active player did not use, or one of all five."""
    return left(state.dice, state.spent[state.active - 1]) or state.dice


def closed(state: State, seat: int) -> int:
    """The dice that a player can no longer use in the action under way."""
    own, by_active = state.spent[seat - 1], state.spent[state.active - 1]
    if by_active == ALL_DICE and seat != state.active:
        return ALL_DICE if own else 0
    return by_active | own


def die_of(dice: str, letter: str, used: int) -> int:
    """The first die of that colour that is not used, as a bit; 0 if there is none."""
    for i, die in enumerate(dice):
        if die == letter and not used >> i & 1:
            return 1 << i
    return 0
