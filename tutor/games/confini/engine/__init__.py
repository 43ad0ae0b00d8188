"""Confini: cards, four quadrants of arcs, and the Smoke in the centre."""

from tutor.games.confini.engine.game import Confini

__all__ = ["Confini"]
