"""Writes a new game into a checkout: a copy of the small one of the tests, under its own name.

It is complete: it passes every check, can be played and is taught. Its author changes it until nothing of the
copy is left, and `left` tells what still is.
"""

import keyword
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from tutor.book.source import Problem
from tutor.rules.base import Game

MODEL = Path("tests", "nim")
NAME = "nim"
TAKEN = ("api", "glossary", "healthz", "picture", "r", "readyz", "referee", "search", "static", "t")
"""Names that addresses have for something else."""
LEAST_WORDS_COPIED = 4
"""A line with fewer words may be the same by chance."""


class NotNow(Exception):
    """Why no game can be written, in a sentence."""


def write(root: Path, name: str, games: Mapping[str, type[Game]]) -> list[Path]:
    """Writes the game into the checkout and registers it; the files that were written or changed."""
    if not (root / MODEL).is_dir():
        raise NotNow(f"games are written into a checkout, and {root} is none")
    if not re.fullmatch("[a-z][a-z0-9]*", name) or keyword.iskeyword(name):
        raise NotNow(f"the id of a game is a word of small letters and digits, not {name}")
    room = root / "tutor" / "games" / name
    if name in games or name in (*TAKEN, NAME) or room.exists() or (root / "content" / name).exists():
        raise NotNow(f"{name} is taken")
    files = {root / path: text for path, text in _files(root, name).items()}
    files |= {path: _with_word(path, name.capitalize()) for path in _spelling(root)}
    register = root / "tutor" / "games" / "__init__.py"
    files[register] = add_to_list(register.read_text("utf-8"), name)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return sorted(files)


def add_to_list(text: str, name: str) -> str:
    """The list of games with one more at its end, and its import in order."""
    line = f"from tutor.games.{name}.engine import {name.capitalize()}\n"
    imports = re.findall(r"^from tutor\.games\..*\n", text, re.MULTILINE)
    text = text.replace("".join(imports), "".join(sorted([*imports, line])))
    return re.sub(r"(GAMES: [^}]*)\}", rf'\1    "{name}": {name.capitalize()},\n}}', text)


def list_left(root: Path, content: Path, games: Mapping[str, type[Game]]) -> Iterator[Problem]:
    """What of each game's words is still the copy: the first such line of each file, and how many."""
    if not (root / MODEL).is_dir():
        return
    for name in games.keys() - {NAME}:
        for path, text in sorted(_files(root, name).items()):
            here = content.joinpath(*path.parts[1:])
            if not path.name.startswith(("rulebook.", "words.")) or not here.is_file():
                continue
            copied = set(filter(_tells, text.splitlines()))
            lines = enumerate(here.read_text("utf-8").splitlines(), 1)
            same = [number for number, line in lines if line in copied]
            if same:
                text = f"as `tutor new game` wrote it; such lines in this file: {len(same)}"
                yield Problem(here, same[0], text)


def _tells(line: str) -> bool:
    """Whether a line has words enough, beside what the engine fills in."""
    return len(re.findall(r"[^\W\d_]{2,}", re.sub(r"\{[^{}]*\}", "", line))) >= LEAST_WORDS_COPIED


def _files(root: Path, name: str) -> dict[Path, str]:
    """Every file of a new game, by its path in the checkout."""
    model, room, title = root / MODEL, Path("tutor", "games", name), name.capitalize()
    engine = f'from tutor.games.{name}.engine.game import {title}\n\n__all__ = ["{title}"]\n'
    found = {
        room / "__init__.py": "",
        room / "engine" / "__init__.py": f'"""{title}: what its rules are."""\n\n{engine}',
        room / "engine" / "game.py": _rename((model / "engine.py").read_text("utf-8"), name),
    }
    folder = model / "content" / NAME
    for path in folder.rglob("*.*"):
        written = _rename(path.read_text("utf-8"), name)
        found[Path("content", name) / path.relative_to(folder)] = written
    return found


def _rename(text: str, name: str) -> str:
    return re.sub(rf"\b{NAME.capitalize()}\b", name.capitalize(), re.sub(rf"\b{NAME}\b", name, text))


def _spelling(root: Path) -> list[Path]:
    return sorted((root / "tests" / "book" / "spelling").glob("*.txt"))


def _with_word(path: Path, word: str) -> str:
    """A sorted list of words that no dictionary knows, with one more."""
    return "".join(f"{one}\n" for one in sorted({*path.read_text("utf-8").split(), word}))
