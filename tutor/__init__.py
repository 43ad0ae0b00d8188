"""A multilingual rules reference and tutor for tabletop games. Only the version is here."""

__version__ = "0.6.0"
