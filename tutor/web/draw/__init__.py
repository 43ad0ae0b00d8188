"""Pictures of positions. One module per game draws its table; the rest of `web` is the same for all."""

from collections.abc import Callable
from typing import Any

from tutor.rules.base import Game
from tutor.teach.scene import Scene
from tutor.web.draw.blockers import BlockersDrawing
from tutor.web.draw.border import BorderDrawing
from tutor.web.draw.confini import ConfiniDrawing
from tutor.web.draw.drawing import Drawing
from tutor.web.draw.over import over, without_moves
from tutor.web.draw.plain import PlainDrawing

DRAWINGS: dict[str, Callable[[Any], Drawing]] = {
    "border": BorderDrawing,
    "blockers": BlockersDrawing,
    "confini": ConfiniDrawing,
}
"""The drawing of each game, made over its engine."""


def drawing_of(game: Game) -> Drawing:
    """The drawing of a game; a game without one is shown plainly."""
    return DRAWINGS.get(game.id, PlainDrawing)(game)


def drawn(drawing: Drawing, scene: Scene) -> dict[str, Any]:
    """The values of a drawing's template, with what lies over its board."""
    return drawing.table(without_moves(scene)) | {"over": over(drawing, scene)}


__all__ = ["DRAWINGS", "Drawing", "drawing_of", "drawn"]
