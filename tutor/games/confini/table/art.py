"""The fixed pictures of Confini, our own: the board of sixteen arcs, and the signs of pieces and Flaws.

Level 1 is the outer ring, level 4 the inner one, the Smoke the centre.
"""

from itertools import pairwise
from math import cos, pi, sin

from tutor.draw.palette import INKS
from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import LEVELS

SIZE = 440
HALF = SIZE / 2
HUB = 38
RING = 43
GAP = 0.018
SIGN_AT, PAWN_AT, LIMITS_FROM = 16, 40, 57
"""Where things lie along an arc, from its beginning."""
HUB_PATH = f"M{HALF} {HALF - HUB}a{HUB} {HUB} 0 1 1 0 {2 * HUB}a{HUB} {HUB} 0 1 1 0 {-2 * HUB}Z"
"""The outline of the centre."""
ROOM = 46
"""So far apart are two pieces that do not touch what lies between them."""
STARTS = {"NE": -pi / 2, "SE": 0.0, "SW": pi / 2, "NW": pi}
"""The angle at which each quadrant begins, clockwise."""

FLAWS: dict[str, tuple[str, str]] = {
    "greed": (
        INKS["yellow"][0],
        "M0 -6A6 6 0 1 1 0 6A6 6 0 1 1 0 -6ZM0 -2.5A2.5 2.5 0 1 0 0 2.5A2.5 2.5 0 1 0 0 -2.5Z",
    ),
    "envy": (INKS["green"][0], "M-8 0Q0 -8 8 0Q0 8 -8 0ZM0 -2.5A2.5 2.5 0 1 0 0 2.5A2.5 2.5 0 1 0 0 -2.5Z"),
    "prejudice": (INKS["blue"][0], "M-7 -6L-1 0L-7 6ZM7 -6L1 0L7 6Z"),
    "pride": (INKS["violet"][0], "M-7 5V-5L-3 0L0 -6L3 0L7 -5V5Z"),
}
"""The fill of each Flaw's arcs, and its sign."""


def _radii(level: int) -> tuple[float, float]:
    inner = HUB + (LEVELS - level) * RING
    return inner + 2, inner + RING - 1


def _spot(radius: float, angle: float) -> tuple[float, float]:
    return HALF + radius * cos(angle), HALF + radius * sin(angle)


def arc_path(arc: str) -> str:
    """The outline of an arc, such as NE1."""
    middle = sum(_radii(int(arc[-1]))) / 2
    return _outline(arc, GAP * middle, (pi / 2 - GAP) * middle)


def _outline(arc: str, begin: float, end: float) -> str:
    """Of an arc, or of a stretch of it, between two distances from where it begins."""
    inner, outer = _radii(int(arc[-1]))
    begin, end = (STARTS[arc[:-1]] + distance * 2 / (inner + outer) for distance in (begin, end))
    (ax, ay), (bx, by) = _spot(outer, begin), _spot(outer, end)
    (cx, cy), (dx, dy) = _spot(inner, end), _spot(inner, begin)
    return (
        f"M{ax:.1f} {ay:.1f}A{outer:.1f} {outer:.1f} 0 0 1 {bx:.1f} {by:.1f}"
        f"L{cx:.1f} {cy:.1f}A{inner:.1f} {inner:.1f} 0 0 0 {dx:.1f} {dy:.1f}Z"
    )


def along(arc: str, distance: float) -> tuple[float, float]:
    """A spot on the middle line of an arc, at a distance from where it begins."""
    inner, outer = _radii(int(arc[-1]))
    radius = (inner + outer) / 2
    x, y = _spot(radius, STARTS[arc[:-1]] + distance / radius)
    return round(x, 1), round(y, 1)


def _length(arc: str) -> float:
    return sum(_radii(int(arc[-1]))) / 2 * pi / 2


def _distances(arc: str, count: int) -> list[float]:
    """Where several Limits lie along one arc, after the sign of the Flaw and the pawn."""
    step = _step(arc, count)
    return [LIMITS_FROM + step * (i + 0.5) for i in range(count)]


def _step(arc: str, count: int) -> float:
    return min(34, (_length(arc) - LIMITS_FROM - 6) / max(count, 1))


def size(arc: str, count: int) -> float:
    """The scale of the Limits on an arc: smaller where they lie close, so that each can be touched."""
    return round(max(0.7, min(1, _step(arc, count) / 20)), 2)


def spread(arc: str, count: int) -> list[tuple[float, float]]:
    """Spots for several Limits on one arc."""
    return [along(arc, distance) for distance in _distances(arc, count)]


def reaches(arc: str, count: int) -> list[str]:
    """The outlines of what a thumb may touch for each of them: the stretch of the arc around it that is
    nearer to no other Limit, and not the pawn."""
    at = _distances(arc, count)
    between = [(one + other) / 2 for one, other in pairwise(at)]
    ends = [PAWN_AT + 13, *between, min(at[-1] + 27, _length(arc))]
    return [_outline(arc, begin, end) for begin, end in pairwise(ends)]


def clear(arc: str, count: int) -> tuple[float, float]:
    """The middle of the longest stretch of an arc with so many Limits; over the sign where they lie close."""
    room, middle = max(
        (end - begin, (begin + end) / 2)
        for begin, end in pairwise([PAWN_AT, *_distances(arc, count), _length(arc)])
    )
    return along(arc, middle if room >= ROOM else SIGN_AT)


def board_picture(box: Box) -> str:
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}">']
    parts.append(f'<rect width="{SIZE}" height="{SIZE}" rx="14" fill="#fffdf8"/>')
    for arc in box.arcs:
        fill, sign = FLAWS[box.flaw_of[arc]]
        x, y = along(arc, SIGN_AT)
        parts.append(f'<path d="{arc_path(arc)}" fill="{fill}" stroke="#5c574d" fill-opacity=".75"/>')
        parts.append(f'<path transform="translate({x} {y})" d="{sign}" fill="#23211d" fill-rule="evenodd"/>')
    parts.append(f'<circle cx="{HALF}" cy="{HALF}" r="{HUB - 1}" fill="#3b3f45"/>')
    smoke = "M-14 8q-6 -8 2 -12q-2 -8 7 -9q6 -7 12 0q9 0 7 9q7 5 0 12z"
    parts.append(f'<path transform="translate({HALF} {HALF})" d="{smoke}" fill="#c9ccd1"/>')
    return "".join(parts) + "</svg>"


def pieces_picture() -> str:
    """The signs of the Flaws, drawn in the text's own colour."""
    signs = [
        f'<path id="{name}" d="{sign}" fill="currentColor" fill-rule="evenodd"/>'
        for name, (_, sign) in FLAWS.items()
    ]
    return f'<svg xmlns="http://www.w3.org/2000/svg"><defs>{"".join(signs)}</defs></svg>'
