"""Blockers!: coloured tiles on a board of 81 cells, where few groups win."""

from tutor.games.blockers.engine.game import Blockers

__all__ = ["Blockers"]
