"""The games, one room each: `engine` knows the rules, `table` what is laid on a screen.

A game is registered by its line here, and by nothing else. Its table is found beside its engine, and it may
have none. `tutor new game` writes a room, its content and the line."""

from tutor.games.blockers.engine import Blockers
from tutor.games.border.engine import Border
from tutor.games.confini.engine import Confini
from tutor.rules.base import Game

GAMES: dict[str, type[Game]] = {
    "border": Border,
    "blockers": Blockers,
    "confini": Confini,
}

__all__ = ["GAMES"]
