"""Positions and moves of The Border, and the words for their parts."""

from dataclasses import dataclass

DICE = 5
ALL_DICE = (1 << DICE) - 1
MOST_ROLLS = 3
AREAS_TO_END = 6
IN_THE_AIR = "?"

START, ROLL, FACES, FIRST, SECOND, OVER = "start", "roll", "faces", "first", "second", "over"
PHASES = (START, ROLL, FACES, FIRST, SECOND, OVER)


@dataclass(frozen=True, slots=True)
class State:
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
    done: int
    """The seats that have finished their second action."""
