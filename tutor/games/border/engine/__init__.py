"""The Border: dice, and boards whose borders are crossed off."""

from tutor.games.border.engine.game import Border

__all__ = ["Border"]
