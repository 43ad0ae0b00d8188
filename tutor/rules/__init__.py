"""The rules engines. Standard library only: no files, no clock, no randomness of their own, no prose."""

from tutor.rules.base import Game
from tutor.rules.blockers import Blockers
from tutor.rules.border import Border
from tutor.rules.confini import Confini

GAMES: dict[str, type[Game]] = {"border": Border, "blockers": Blockers, "confini": Confini}

__all__ = ["GAMES"]
