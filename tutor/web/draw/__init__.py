"""Pictures of positions. One module per game draws its table; the rest of `web` is the same for all."""

from collections.abc import Callable
from typing import Any

from tutor.web.draw.blockers import BlockersDrawing
from tutor.web.draw.border import BorderDrawing
from tutor.web.draw.confini import ConfiniDrawing
from tutor.web.draw.scene import Drawing, Option, Scene

Maker = Callable[[Any], Drawing]

DRAWINGS: dict[str, Maker] = {
    "border": BorderDrawing,
    "blockers": BlockersDrawing,
    "confini": ConfiniDrawing,
}
"""The drawing of each game, made over its engine."""

__all__ = ["DRAWINGS", "Drawing", "Maker", "Option", "Scene"]
