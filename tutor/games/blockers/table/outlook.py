"""How a colour of Blockers! is going to fare: the groups it may end with, from where its tiles lie and which
are left to it.

Nobody can split a colour's groups, so what it has can only be joined, and what it still places either joins
on or opens a new group. Both depend on the cells beside its tiles: whether they are free, whether a tile that
lies there may be captured, and which of the faces that are left fit there.
"""

from functools import lru_cache
from operator import mul
from typing import NamedTuple

from tutor.games.blockers.engine.board import FITS, JOKER_BIT, STRIDE, faces_in, groups
from tutor.games.blockers.engine.state import TURNS, State, order


class Weights(NamedTuple):
    """What each thing that is counted adds to the points that a colour ends with."""

    group: float
    join: float
    """A group that one tile would join to another."""
    two_tiles: float
    """... that two tiles would."""
    three_tiles: float
    join_by_capture: float
    wide: float
    """A face that goes beside own tiles in three cells or more."""
    narrow: float
    """... in two."""
    single: float
    """... in one."""
    near: float
    """... in none yet, but in one with another tile between."""
    far: float
    """... with two tiles between."""
    by_capture: float
    """... only where a tile of an opponent lies."""
    nowhere: float
    always: float
    joker: float
    """The joker is still to come."""


WEIGHTS = (
    (3, Weights(0.94, -0.50, -0.10, 0.00, -0.40, 0.07, 0.14, 0.18, 0.22, 0.27, 0.39, 0.67, 0.4, -0.3)),
    (8, Weights(0.90, -0.70, -0.20, 0.00, -0.35, 0.10, 0.17, 0.22, 0.31, 0.34, 0.37, 0.48, 1.4, -0.3)),
    (15, Weights(0.95, -0.60, -0.30, -0.10, -0.15, 0.06, 0.09, 0.13, 0.18, 0.23, 0.25, 0.26, 3.0, -0.3)),
    (24, Weights(0.90, -0.40, -0.20, -0.05, -0.15, 0.03, 0.07, 0.12, 0.15, 0.17, 0.24, 0.26, 4.0, -0.3)),
)
"""For as many turns left as are named first, and fewer. Fitted to games between bots, then smoothed."""
UNBEGUN = 3.0
"""The points that a colour without a tile on the board may end with."""


def turns_after(state: State) -> list[int]:
    """The turns that each colour has after the one that is being taken."""
    count = len(state.masks)
    line = order(state.table.players, count, state.first)
    rounds, begun = divmod(state.turns + 1, count)
    return [TURNS - rounds - (line.index(c) < begun) for c in range(count)]


def expect_groups(mask: int, free: int, takable: int, left: int, turns: int) -> float:
    """The groups that a colour may end with, in points; what captures will cost it is among them.

    `mask` are its cells, `free` the empty ones, `takable` those where it may capture, `left` the faces that
    it has not placed, and `turns` the turns that it still has.
    """
    if turns <= 0:
        return len(groups(mask))
    if not mask:
        return UNBEGUN
    weights = next(weights for until, weights in WEIGHTS if turns <= until)
    return float(sum(map(mul, weights, survey(mask, free, takable, left, turns))))


def survey(mask: int, free: int, takable: int, left: int, turns: int) -> tuple[int, ...]:
    """How often each thing is there that has a weight."""
    count, beside_one, beside_two = look_around(mask)
    fits = cells_of(left)
    free_fits = free & fits
    ring = beside_one & free_fits
    wider = _widen(ring, free_fits)
    by_one = by_two = by_three = by_capture = count
    if count > 1:
        joining = beside_two & free_fits
        by_one = _count_groups(mask | joining) if joining else count
        by_two = _count_groups(mask | ring) if by_one > 1 else by_one
        by_three = _count_groups(mask | wider) if by_two > 1 else by_two
        capturing = beside_two & takable & fits
        by_capture = _count_groups(mask | joining | capturing) if capturing and by_one > 1 else by_one
    kinds = _sort_faces(left, beside_one & free, wider, _widen(wider, free_fits), beside_one & takable)
    _drop(kinds, sum(kinds) - turns)
    joins = (count - by_one, by_one - by_two, by_two - by_three, by_one - by_capture)
    return (count, *joins, *kinds, 1, left & JOKER_BIT > 0)


@lru_cache(maxsize=1 << 12)
def look_around(mask: int) -> tuple[int, int, int]:
    """How many groups there are, the cells beside one of them or more, and the cells beside two or more. Own
    cells and bits off the board may be among them."""
    found = groups(mask)
    one = two = 0
    for group in found:
        near = group << 1 | group >> 1 | group << STRIDE | group >> STRIDE
        two |= one & near
        one |= near
    return len(found), one, two


@lru_cache(maxsize=1 << 12)
def cells_of(faces: int) -> int:
    """The cells where one of these faces fits, the joker aside: it would fit everywhere."""
    cells = 0
    for face in faces_in(faces & ~JOKER_BIT):
        cells |= FITS[face]
    return cells


@lru_cache(maxsize=1 << 12)
def _count_groups(mask: int) -> int:
    """Kept, since most placements change nothing around most colours."""
    return len(groups(mask))


def _widen(cells: int, within: int) -> int:
    return (cells | cells << 1 | cells >> 1 | cells << STRIDE | cells >> STRIDE) & within


def _sort_faces(left: int, beside: int, wider: int, widest: int, takable: int) -> list[int]:
    """How many of the faces, the joker aside, are of each kind from `wide` to `nowhere`."""
    wide = narrow = single = near = far = by_capture = nowhere = 0
    for face in faces_in(left & ~JOKER_BIT):
        fits = FITS[face]
        cells = fits & beside
        if cells:
            cells &= cells - 1
            if not cells:
                single += 1
            elif cells & (cells - 1):
                wide += 1
            else:
                narrow += 1
        elif fits & wider:
            near += 1
        elif fits & widest:
            far += 1
        elif fits & takable:
            by_capture += 1
        else:
            nowhere += 1
    return [wide, narrow, single, near, far, by_capture, nowhere]


def _drop(kinds: list[int], surplus: int) -> None:
    """The faces that are never placed are those that fit worst: a rack has room for them until the end."""
    kind = len(kinds)
    while surplus > 0:
        kind -= 1
        dropped = min(surplus, kinds[kind])
        kinds[kind] -= dropped
        surplus -= dropped
