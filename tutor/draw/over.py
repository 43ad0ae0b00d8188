"""What lies over the board in focus: the place to look at, moves that somebody would make, votes, and the
places to point at. No game is named here."""

from dataclasses import replace
from math import ceil, sqrt
from typing import Any

from tutor.draw.drawing import Drawing, Spot
from tutor.lessons.scene import Scene

TINTS = 4
LEAST_DISC_RADIUS = 0.72
"""The radius of the smallest disc as a share of its spot's."""


def draw(drawing: Drawing, scene: Scene) -> dict[str, Any]:
    """The values of a drawing's template, with what lies over its board."""
    return drawing.table(without_moves(scene)) | {"over": draw_over(drawing, scene)}


def without_moves(scene: Scene) -> Scene:
    """A scene as it is drawn: while places are pointed at, a touch is not a move."""
    return replace(scene, link=None, edit=None) if scene.point else scene


def draw_over(drawing: Drawing, scene: Scene) -> dict[str, Any] | None:
    """The values of `draw/_over.html`; None where nothing lies over the board."""
    if not (scene.pointed or scene.heat or scene.point or scene.ghosts):
        return None
    spots = drawing.spots(scene)
    most = max(scene.heat.values(), default=0)
    found = {
        "ghosts": ghosts(drawing, scene),
        "links": [(spot, scene.point(spot.name)) for spot in spots] if scene.point else [],
        "heat": [_disc(spot, votes, most) for spot in spots if (votes := scene.heat.get(spot.name, 0)) > 0],
        "pointed": next((spot for spot in spots if spot.name == scene.pointed), None),
    }
    return found if any(found.values()) else None


def ghosts(drawing: Drawing, scene: Scene) -> list[dict[str, Any]]:
    """The values of `draw/_ghosts.html`."""
    spots = {spot.name: spot for spot in drawing.spots(scene)} if scene.ghosts and drawing.ghost else {}
    return [
        {"template": drawing.ghost, "move": one.move, "verdict": one.verdict, "spots": at}
        for one in scene.ghosts
        if (at := [spots[place] for place in dict.fromkeys(one.at) if place in spots])
    ]


def _disc(spot: Spot, votes: int, most: int) -> dict[str, Any]:
    """A disc whose area and tint grow with the votes; the number in it is as large as it can be."""
    share = votes / most
    r = spot.r * sqrt(LEAST_DISC_RADIUS**2 + (1 - LEAST_DISC_RADIUS**2) * share)
    size = r * min(1.25, 2.7 / len(str(votes)))
    return {
        "spot": spot,
        "votes": votes,
        "tint": ceil(share * TINTS),
        "r": round(r, 1),
        "size": round(size, 1),
        "y": round(spot.y + size * 0.36, 1),
    }
