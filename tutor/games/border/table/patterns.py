"""What can truly be said for a move of The Border: each pattern is looked for in the position."""

from collections.abc import Iterator

from tutor.games.border.engine.board import Box, indices
from tutor.games.border.engine.scoring import scores
from tutor.games.border.engine.state import AREAS_TO_END, DICE, FIRST, NUMBERS, SECOND, State, left
from tutor.games.border.engine.turns import play
from tutor.rules.base import Move

PATTERNS = (
    "ends-ahead",
    "high-value",
    "low-value",
    "near-area",
    "two-areas",
    "fewer-dice",
    "die-less",
    "sure-dice",
    "fitting-dice",
    "harmless-dice",
)
"""What is most telling comes first."""
FEW_SPACES = 2
"""So many open spaces of a ring are few."""


def find_patterns(box: Box, state: State, move: Move) -> tuple[str, ...]:
    """Which of PATTERNS are true of a legal move, in their order."""
    found: set[str] = set()
    if move.act == "reroll":
        found.update(_of_reroll(box, state, move))
    elif move.act == "cross":
        after = play(box, state, move)
        found.update(_of_areas(box, state, after, move.seat))
        found.update(_of_spaces(box, state, after, move.seat))
    elif state.phase == FIRST and _are_harmless(
        box, state, move.seat, left(state.dice, state.spent[move.seat - 1])
    ):
        found.add("harmless-dice")
    return tuple(pattern for pattern in PATTERNS if pattern in found)


def _of_reroll(box: Box, state: State, move: Move) -> Iterator[str]:
    kept = "".join(die for number, die in zip(NUMBERS, state.dice, strict=True) if number not in move.what)
    rests = _rests(box, state, move.seat)
    if any(kept.count(rest[0]) >= len(rest) for rest in rests):
        yield "sure-dice"
    # All of them could still be used together, each colour for one segment.
    needs = [
        min((len(rest) for rest in rests if rest.count(letter) >= kept.count(letter)), default=DICE + 1)
        for letter in set(kept)
    ]
    if kept and sum(needs) <= DICE:
        yield "fitting-dice"
    if _are_harmless(box, state, move.seat, kept):
        yield "harmless-dice"


def _are_harmless(box: Box, state: State, seat: int, dice: str) -> bool:
    """Whether none of the others has an open space of these colours beside a cross."""
    for other, (number, crosses) in enumerate(zip(state.boards, state.crosses, strict=True), 1):
        near = box.geometry.beside(crosses) & ~crosses
        by_colour = box.boards[number - 1].by_colour
        if other != seat and any(by_colour[die] & near for die in dice):
            return False
    return bool(dice)


def _rests(box: Box, state: State, seat: int) -> list[str]:
    """The dice that would complete each open segment."""
    board, opened = box.boards[state.boards[seat - 1] - 1], ~state.crosses[seat - 1]
    return [
        letter * (segment & opened).bit_count()
        for letter, segments in board.segments_of.items()
        for segment in segments
        if segment & opened
    ]


def _of_areas(box: Box, before: State, after: State, seat: int) -> Iterator[str]:
    """What the move circles."""
    high, low = after.high[seat - 1], after.low[seat - 1]
    if high != before.high[seat - 1]:
        yield "high-value"
    if low != before.low[seat - 1]:
        yield "low-value"
    new = (high | low) != before.high[seat - 1] | before.low[seat - 1]
    points = list(scores(box, after))
    if new and (high | low).bit_count() >= AREAS_TO_END and points.pop(seat - 1) > max(points):
        yield "ends-ahead"


def _of_spaces(box: Box, before: State, after: State, seat: int) -> Iterator[str]:
    """What the move crosses off, and what it leaves."""
    geometry = box.geometry
    crosses, done = after.crosses[seat - 1], before.high[seat - 1] | before.low[seat - 1]
    new = indices(crosses & ~before.crosses[seat - 1])
    advanced = [[area for area in geometry.areas_at[i] if not done >> area & 1] for i in new]
    missing = [(ring & ~crosses).bit_count() for ring in geometry.rings]
    if any(0 < missing[area] <= FEW_SPACES for areas in advanced for area in areas):
        yield "near-area"
    if any(len(areas) > 1 for areas in advanced):
        yield "two-areas"
    if before.phase == SECOND:
        yield "die-less"
    elif left(after.dice, after.spent[seat - 1]):
        yield "fewer-dice"
