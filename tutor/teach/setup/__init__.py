"""Setting a position up by hand, one touch at a time. One module per game knows what can be changed there."""

from collections.abc import Callable
from typing import Any

from tutor.rules.base import Game
from tutor.teach.setup.blockers import BlockersSetup
from tutor.teach.setup.border import BorderSetup
from tutor.teach.setup.confini import ConfiniSetup
from tutor.teach.setup.tools import Setup

SETUPS: dict[str, Callable[[Any], Setup]] = {
    "border": BorderSetup,
    "blockers": BlockersSetup,
    "confini": ConfiniSetup,
}


def setup_of(game: Game) -> Setup:
    """How positions of a game are set up; where nobody has said it, they can only be played."""
    return SETUPS.get(game.id, Setup)(game)
