"""Where the package's data lies, in a checkout and in an installed wheel alike. Nothing is read here."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CARRIED = _PACKAGE / "_data"  # in a wheel only; a checkout has the folders at its top level
_DATA = _CARRIED if _CARRIED.is_dir() else _PACKAGE.parent

TEMPLATES = _DATA / "templates"
TRANSLATIONS = _DATA / "translations"
CONTENT = _DATA / "content"
STATIC = _PACKAGE / "web" / "static"
GAMES = _PACKAGE / "games"
