"""The Border: dice, and boards whose borders are crossed off."""

from tutor.rules.border.game import Border

__all__ = ["Border"]
