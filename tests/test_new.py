"""A new game as `tutor new game` writes it: complete, registered, and with a list of what is left to do."""

import importlib.util
import re
import shutil
from pathlib import Path

import pytest

from tests import ROOT
from tutor import new
from tutor.book.check import check
from tutor.book.load import load
from tutor.cli import main
from tutor.games import GAMES
from tutor.lessons import proof
from tutor.paths import TRANSLATIONS
from tutor.rules.base import Game

pytestmark = pytest.mark.patient

SPELLING = Path("tests", "book", "spelling")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for folder in (new.MODEL, SPELLING):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    register = Path("tutor", "games", "__init__.py")
    (tmp_path / register.parent).mkdir(parents=True)
    shutil.copy(ROOT / register, tmp_path / register)
    (tmp_path / "content").mkdir()
    for path in (ROOT / "content").glob("*.toml"):
        shutil.copy(path, tmp_path / "content")
    return tmp_path


def engine(checkout: Path, name: str) -> type[Game]:
    path = checkout / "tutor" / "games" / name / "engine" / "game.py"
    spec = importlib.util.spec_from_file_location(f"written_{name}", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: type[Game] = getattr(module, name.capitalize())
    return found


def test_it_has_no_problem_at_once_and_is_registered(checkout: Path) -> None:
    written = new.write(checkout, "kubb", GAMES)
    assert all(path.is_file() for path in written)
    games = {"kubb": engine(checkout, "kubb")}
    assert check(checkout / "content", TRANSLATIONS, games=games) == []
    assert list(proof.prove(load(checkout / "content", games))) == []
    register = (checkout / "tutor" / "games" / "__init__.py").read_text("utf-8")
    assert "from tutor.games.kubb.engine import Kubb\nfrom tutor.rules" in register
    assert '    "confini": Confini,\n    "kubb": Kubb,\n}' in register
    for path in (checkout / SPELLING).glob("*.txt"):
        words = path.read_text("utf-8").split()
        assert "Kubb" in words
        assert words == sorted(words)
    own = [path for path in written if "kubb" in path.parts]
    assert not [path for path in own if re.search(r"\bnim\b", path.read_text("utf-8"), re.IGNORECASE)]


def test_what_is_still_the_copy_is_told_until_it_is_changed(checkout: Path) -> None:
    new.write(checkout, "kubb", GAMES)
    content, games = checkout / "content", {"kubb": engine(checkout, "kubb")}
    told = {note.file.name: note for note in new.list_left(checkout, content, games)}
    assert len(told) == 8
    assert told["rulebook.en.md"].line == 3
    path = content / "kubb" / "rulebook.en.md"
    path.write_text("\n".join(line[::-1] for line in path.read_text("utf-8").splitlines()), "utf-8")
    assert "rulebook.en.md" not in {note.file.name for note in new.list_left(checkout, content, games)}


def test_nothing_of_the_games_there_are_is_called_a_copy() -> None:
    assert list(new.list_left(ROOT, ROOT / "content", GAMES)) == []


@pytest.mark.parametrize("name", ["border", "nim", "Kubb", "class", "search", "t", "mu-torere", "1kubb", ""])
def test_a_name_that_will_not_do_is_refused_and_nothing_is_written(checkout: Path, name: str) -> None:
    before = sorted(checkout.rglob("*"))
    with pytest.raises(new.NotNow):
        new.write(checkout, name, GAMES)
    assert sorted(checkout.rglob("*")) == before


def test_a_game_is_written_once_and_into_a_checkout_only(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tutor.cli.ROOT", checkout)
    assert main(["new", "game", "kubb"]) == 0
    assert "content/kubb/rulebook.pl.md" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="kubb is taken"):
        main(["new", "game", "kubb"])
    monkeypatch.setattr("tutor.cli.ROOT", tmp_path / "elsewhere")
    with pytest.raises(SystemExit, match="a checkout"):
        main(["new", "game", "dice"])
