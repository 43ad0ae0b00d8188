"""The dice in exact numbers: what can still be wished for with the rolls that are left, and how likely it is.

Nothing here guesses: `chances` gives fractions, and `look_ahead` says what dice are worth if the best is made
of them. Sets of dice are colour letters in the order of COLOURS.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple, TypeVar

from tutor.games.border.engine.board import COLOURS, Box
from tutor.games.border.engine.moves import may_reroll
from tutor.games.border.engine.state import DICE, FIRST, MOST_ROLLS, NUMBERS, ROLL, State, left

FACES_OF_A_DIE = len(COLOURS)

SETS = tuple(
    "".join(dice) for size in range(DICE, -1, -1) for dice in combinations_with_replacement(COLOURS, size)
)
"""Every set of up to five dice, the larger ones first."""
PLACE = {dice: i for i, dice in enumerate(SETS)}
HANDS = tuple(dice for dice in SETS if len(dice) == DICE)
"""All that five dice can show."""


def in_order(dice: str) -> str:
    """The dice as a set."""
    return "".join([letter * dice.count(letter) for letter in COLOURS])


def _sets_within(hand: str) -> tuple[int, ...]:
    sets = {"".join(dice) for size in range(DICE + 1) for dice in combinations(hand, size)}
    return tuple(sorted(PLACE[dice] for dice in sets))


WITHIN = tuple(map(_sets_within, HANDS))
"""By hand: the places of the sets that can be kept of it, itself first."""
_WITH_ONE_MORE = tuple(
    tuple(PLACE[in_order(dice + letter)] for letter in COLOURS) for dice in SETS if len(dice) < DICE
)
"""By smaller set: what it becomes with one more die."""

Worth = TypeVar("Worth", float, Fraction)


def look_ahead(worths: Sequence[Worth], rolls: int) -> list[Worth]:
    """What it is worth to keep each of SETS, throw the others and go on as well as can be, with so many rolls
    left, this one among them. `worths` are those of HANDS once the dice lie."""
    kept = _throw_others(worths)
    for _ in range(rolls - 1):
        kept = _throw_others([max([kept[i] for i in within]) for within in WITHIN])
    return kept


def _throw_others(worths: Sequence[Worth]) -> list[Worth]:
    """What each of SETS is worth on average when dice are thrown to make it five."""
    kept = list(worths)
    # The larger sets come first, so what one more die leads to is known already.
    for more in _WITH_ONE_MORE:
        kept.append(sum([kept[i] for i in more[1:]], kept[more[0]]) / FACES_OF_A_DIE)
    return kept


# Wishes


class Chance(NamedTuple):
    """Something that the active player could complete in this action, and how likely it is."""

    area: str
    """The area that would be completed; empty for a segment."""
    spaces: tuple[str, ...]
    """What would have to be crossed off."""
    dice: str
    """The dice that this takes."""
    odds: Fraction
    """How likely they are to come, if everything is done for it with the rolls that are left."""
    keep: tuple[str, ...]
    """The dice, by number, that should be kept for it; all others should be rolled again, if any may be."""


def chances(box: Box, state: State) -> tuple[Chance, ...]:
    """Every segment and area that five dice could complete on the active player's board, likeliest first.
    There are none unless the active player is to roll or to use dice."""
    if state.phase not in (ROLL, FIRST):
        return ()
    rolls, used = rolls_left(state), state.spent[state.active - 1]
    found = []
    for area, rest, wish in _wishes(box, state):
        odds, kept = weigh_wish(wish, left(state.dice, used), rolls)
        found.append(Chance(area, box.geometry.spaces(rest), wish, odds, _numbers(kept, state.dice, used)))
    return tuple(sorted(found, key=lambda chance: -chance.odds))


def rolls_left(state: State) -> int:
    """How often the active player may still throw dice."""
    return MOST_ROLLS - state.rolls if state.phase == ROLL or may_reroll(state) else 0


def weigh_wish(wish: str, dice: str, rolls: int) -> tuple[Fraction, str]:
    """How likely one is to have all the dice of a wish in the end, and what is to be kept for it now. `dice`
    are those that can be used; there are none before the first roll."""
    if not rolls:
        return (Fraction(1), wish) if _holds(dice, wish) else (Fraction(0), "")
    # Which colours are wished for does not matter, so that there are few different wishes.
    letters = sorted(COLOURS, key=lambda letter: -wish.count(letter))
    renamed = str.maketrans("".join(letters), "".join(COLOURS))
    kept = _weigh_sets(in_order(wish.translate(renamed)), rolls)
    if not dice:
        return kept[PLACE[""]], ""
    within = WITHIN[PLACE[in_order(dice.translate(renamed))]]
    best = max(within, key=lambda i: (kept[i], i))  # of equally good ones the smallest set
    return kept[best], SETS[best].translate(str.maketrans("".join(COLOURS), "".join(letters)))


@cache
def _weigh_sets(wish: str, rolls: int) -> Sequence[Fraction]:
    """How likely a wish is to come true with each of SETS kept. To keep whatever fits is not always best: of
    four greys and a yellow, a lone yellow is better thrown while there is another roll."""
    return look_ahead([Fraction(_holds(hand, wish)) for hand in HANDS], rolls)


def _holds(dice: str, wish: str) -> bool:
    return all(dice.count(letter) >= wish.count(letter) for letter in set(wish))


def _wishes(box: Box, state: State) -> Iterator[tuple[str, int, str]]:
    """What could be completed with five dice: an area or none, the spaces that it takes, and the dice."""
    board = box.boards[state.boards[state.active - 1] - 1]
    opened = ~state.crosses[state.active - 1]
    rests = [rest for segment in board.segments if (rest := segment & opened)]
    for rest in rests:
        yield "", rest, board.colours[rest.bit_length() - 1] * rest.bit_count()
    for area, ring in zip(box.geometry.areas, box.geometry.rings, strict=True):
        needed = sum(rest for rest in rests if rest & ring)
        if 0 < needed.bit_count() <= DICE:
            wish = [letter * (needed & spaces).bit_count() for letter, spaces in board.by_colour.items()]
            yield area.id, needed, "".join(wish)


def _numbers(kept: str, dice: str, used: int) -> tuple[str, ...]:
    """The numbers of dice of these colours, the leftmost of a colour first."""
    found = []
    for i, die in enumerate(dice):
        if die in kept and not used >> i & 1:
            kept = kept.replace(die, "", 1)
            found.append(NUMBERS[i])
    return tuple(found)
