"""What lies over the board in focus while it is shown to others: the place to look at, their votes, and the
places to point at. No game is named here."""

from dataclasses import replace
from math import ceil, sqrt
from typing import Any

from tutor.teach.scene import Scene
from tutor.web.draw.drawing import Drawing, Spot

TINTS = 4
LEAST = 0.72
"""The radius of the smallest disc as a share of its spot's."""


def without_moves(scene: Scene) -> Scene:
    """A scene as it is drawn: while places are pointed at, a touch is no move."""
    return replace(scene, link=None, edit=None) if scene.point else scene


def over(drawing: Drawing, scene: Scene) -> dict[str, Any] | None:
    """The values of `draw/_over.html`; None where nothing lies over the board, as in every lesson."""
    if not (scene.pointed or scene.heat or scene.point):
        return None
    spots = drawing.spots(scene)
    most = max(scene.heat.values(), default=0)
    found = {
        "links": [(spot, scene.point(spot.name)) for spot in spots] if scene.point else [],
        "heat": [_disc(spot, votes, most) for spot in spots if (votes := scene.heat.get(spot.name, 0)) > 0],
        "pointed": next((spot for spot in spots if spot.name == scene.pointed), None),
    }
    return found if any(found.values()) else None


def _disc(spot: Spot, votes: int, most: int) -> dict[str, Any]:
    """A disc whose area and tint grow with the votes; the number in it is as large as it can be."""
    share = votes / most
    r = spot.r * sqrt(LEAST**2 + (1 - LEAST**2) * share)
    size = r * min(1.25, 2.7 / len(str(votes)))
    return {
        "spot": spot,
        "votes": votes,
        "tint": ceil(share * TINTS),
        "r": round(r, 1),
        "size": round(size, 1),
        "y": round(spot.y + size * 0.36, 1),
    }
