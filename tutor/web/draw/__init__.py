"""Pictures of positions. One module per game draws its table; the rest of `web` is the same for all."""

from collections.abc import Callable
from typing import Any

from tutor.rules.base import Game
from tutor.web.draw.blockers import BlockersDrawing
from tutor.web.draw.border import BorderDrawing
from tutor.web.draw.confini import ConfiniDrawing
from tutor.web.draw.drawing import Drawing
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


__all__ = ["DRAWINGS", "Drawing", "drawing_of"]
