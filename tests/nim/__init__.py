"""A small complete game beside the real ones, for the tests only: an engine and its content."""

import shutil
import tempfile
from pathlib import Path

from tests import ROOT
from tests.nim.engine import Nim
from tutor.book.load import load
from tutor.book.model import GameBook

__all__ = ["FOLDER", "GAMES", "Nim", "book", "content"]

GAMES = {"nim": Nim}
FOLDER = Path(__file__).parent / "content"


def content(folder: Path) -> Path:
    """A content folder with Nim and the words that all games share."""
    shutil.copytree(FOLDER, folder)
    for path in (ROOT / "content").glob("words.*.toml"):
        shutil.copy(path, folder)
    return folder


def book() -> GameBook:
    with tempfile.TemporaryDirectory() as folder:
        return load(content(Path(folder) / "content"), GAMES).games["nim"]
