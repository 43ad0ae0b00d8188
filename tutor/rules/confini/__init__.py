"""Confini: cards, four quadrants of arcs, and the Smoke in the centre."""

from tutor.rules.confini.game import Confini

__all__ = ["Confini"]
