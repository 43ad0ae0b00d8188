"""Points: what each player has circled, the score row, and who wins."""

from collections.abc import Iterator
from typing import NamedTuple

from tutor.games.border.engine.board import Area, Box
from tutor.games.border.engine.state import OVER, State
from tutor.rules.base import Deed, Effect, Outcome, rank


class Entry(NamedTuple):
    """One area in a player's score row."""

    area: Area
    points: int
    """What the player has circled; 0 if nothing."""
    high: bool
    """Whether that is the high value."""
    gone: bool
    """Whether the high value is no longer to be had by this player."""
    missing: int
    """How many spaces of the ring are still open."""


def score_row(box: Box, state: State, seat: int) -> tuple[Entry, ...]:
    high, low, crosses = state.high[seat - 1], state.low[seat - 1], state.crosses[seat - 1]
    row = []
    for i, (area, ring) in enumerate(zip(box.geometry.areas, box.geometry.rings, strict=True)):
        is_high = bool(high >> i & 1)
        points = area.high if is_high else area.low if low >> i & 1 else 0
        gone = bool(state.taken >> i & 1) and not is_high
        row.append(Entry(area, points, is_high, gone, (ring & ~crosses).bit_count()))
    return tuple(row)


def circled(box: Box, state: State, seat: int) -> dict[str, int]:
    """The values that a player has circled, by area."""
    high, low = state.high[seat - 1], state.low[seat - 1]
    return {
        area.id: area.high if high >> i & 1 else area.low
        for i, area in enumerate(box.geometry.areas)
        if (high | low) >> i & 1
    }


def scores(box: Box, state: State) -> tuple[int, ...]:
    return tuple(sum(circled(box, state, seat).values()) for seat in range(1, len(state.boards) + 1))


def outcome(box: Box, state: State) -> Outcome | None:
    """Most points, then the highest single number; those who still tie share the victory."""
    if state.phase != OVER:
        return None
    points = scores(box, state)
    single = [max(circled(box, state, seat).values(), default=0) for seat in range(1, len(state.boards) + 1)]
    ranks = rank(list(zip(points, single, strict=True)))
    if points.count(max(points)) == 1:
        return Outcome(ranks, points, "border.end.most")
    return Outcome(ranks, points, "border.end.tie" if ranks.count(1) == 1 else "border.end.shared")


def effects(box: Box, before: State, after: State) -> Iterator[Effect]:
    """The areas that players complete, with the rule for their value; at the end all the points."""
    for seat, (high, low) in enumerate(zip(after.high, after.low, strict=True), 1):
        new = (high | low) & ~(before.high[seat - 1] | before.low[seat - 1])
        for i, area in enumerate(box.geometry.areas):
            if new >> i & 1:
                is_first = bool(high >> i & 1)
                shared = is_first and any(mask >> i & 1 for mask in before.high)
                rule = "together" if shared else "first" if is_first else "later"
                points = area.high if is_first else area.low
                deed = Deed("scored", (), {"player": f"p{seat}", "area": area.id, "points": points})
                yield Effect(deed, f"border.score.{rule}")
    if ended := outcome(box, after):
        for seat, score in enumerate(ended.scores, 1):
            best = max(circled(box, after, seat).values(), default=0)
            yield Effect(Deed("counted", (), {"player": f"p{seat}", "score": score, "best": best}))
