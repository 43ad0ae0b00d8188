"""Imports go only upwards in the tree of rooms, and the engines stay pure. The source is parsed, nothing is
imported."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import ROOT

FILES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tutor").rglob("*.py"))

TREE = """\
rules               what a game is: contract, options, notation, errors; standard library only
games/*/engine      the rules of each game; standard library only
games               the list of games
book                the content: load, model, words and their grammar, scenarios, texts, checks
lessons             storyline, screens and what they show, attempts, beats, what check proves of them
lookup              rulings, editions, examples, terms, pieces
search              the index, what a question means, one ranking
referee             judging a move with reasons, positions in an address, setting up by hand
play                bots and matches between them, what a played game has taught
draw                what a drawing is, what lies over every board, the plain one
games/tables        set-up, pieces, drawing and brain of a game, each optional
games/*/table       the same of each game
live                the log (SQLite, Redis), events, what is shown, votes, tables
web/http            addresses, languages, headers, limits, caches, errors
web/site            pages that anybody reads alone, one blueprint a subject
web/live            presenter, guests, streams
web/play            matches: begun, played, told in the end
web/api             for programs
web                 the app, the server, how it is, what it counts
new                 what a new game begins with
cli                 the commands
"""
"""Imports go only upwards in it."""
ROOMS = [line.split()[0] for line in TREE.splitlines()]
PURE = ("rules", "games/*/engine")
# Modules beside the rooms, and what of the package each may import.
BESIDE = {"__init__": (), "paths": (), "__main__": ("cli",)}

# The engines know no clock, no files, no machine: a position and a move decide everything.
IMPURE = {
    "asyncio", "builtins", "datetime", "getpass", "glob", "importlib", "io", "locale", "logging", "os",
    "pathlib", "platform", "secrets", "shutil", "socket", "sqlite3", "subprocess", "sys", "tempfile",
    "threading", "time", "uuid",
}  # fmt: skip
IMPURE_CALLS = {"__import__", "breakpoint", "eval", "exec", "input", "open", "print"}


def room_of(module: str) -> str:
    """`tutor.games.border.engine.board` -> `games/*/engine`, `tutor.cli` -> `cli`."""
    parts = module.split(".")[1:] or ["__init__"]
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    if parts[0] == "games" and len(parts) > 2:
        parts[1] = "*"
    for length in range(min(len(parts), 3), 0, -1):
        if (found := "/".join(parts[:length])) in (*ROOMS, *BESIDE):
            return found
    raise AssertionError(f"{module} is in no room: name its place in TREE\n{TREE}")


def module_of(file: str) -> str:
    return ".".join(Path(file).with_suffix("").parts)


def allowed(room: str) -> set[str]:
    """The rooms that a room may import from."""
    if room in BESIDE:
        return set(BESIDE[room])
    place = ROOMS.index(room)
    return set(ROOMS[: place + 1]) | (set() if room in PURE else {"__init__", "paths"})


def imports(tree: ast.AST, file: str) -> Iterator[tuple[int, str]]:
    """Every imported name with its line, absolute, wherever in the file the import is."""
    package = Path(file).parent.parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{module}.{alias.name}"


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or path.is_dir()


def wrong_imports(source: str, file: str) -> list[str]:
    """Imports of the package's own parts that do not go upwards."""
    may = allowed(room_of(module_of(file)))
    problems = []
    for line, name in imports(ast.parse(source), file):
        if name.partition(".")[0] == "tutor":
            module = name if is_module(name) else name.rpartition(".")[0]
            if room_of(module) not in may:
                problems.append(f"{file}:{line}: imports {name}\n{TREE}")
    return problems


def impurities(source: str, file: str) -> list[str]:
    """What an engine must not use: other packages, the machine, randomness that nobody passed in."""
    tree = ast.parse(source)
    problems = []
    for line, name in imports(tree, file):
        top = name.partition(".")[0]
        foreign = top != "tutor" and top not in sys.stdlib_module_names
        global_random = top == "random" and name not in ("random", "random.Random")
        if foreign or global_random or top in IMPURE:
            problems.append(f"{file}:{line}: imports {name}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS:
            problems.append(f"{file}:{node.lineno}: calls {node.func.id}()")
    problems += [f"{file}:{line}: uses {what}" for line, what in global_randomness(tree)]
    return problems


def global_randomness(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Uses of the random module other than `random.Random`, and generators made without a seed."""
    modules = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == "random"
    }
    classes = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "random"
        for alias in node.names
    }

    def is_random_class(node: ast.AST) -> bool:
        if isinstance(node, ast.Attribute):
            return isinstance(node.value, ast.Name) and node.value.id in modules and node.attr == "Random"
        return isinstance(node, ast.Name) and node.id in classes

    fine = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute) and is_random_class(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in modules and id(node) not in fine:
            yield node.lineno, "the random module's global generator"
        if isinstance(node, ast.Call) and is_random_class(node.func) and not (node.args or node.keywords):
            yield node.lineno, "Random() without a seed"


def test_the_tree_is_in_the_documents() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    for line in TREE.splitlines():
        room, _, about = line.partition(" ")
        assert about.strip() in text, f"docs/architecture.md has another line for {room}"


@pytest.mark.parametrize("file", FILES)
def test_imports_go_only_upwards(file: str) -> None:
    assert wrong_imports((ROOT / file).read_text(encoding="utf-8"), file) == []


VAGUE = {
    "said",
    "told",
    "asked",
    "shown",
    "found",
    "around",
    "again",
    "also",
    "once",
    "over",
    "learned",
    "unanswered",
}
"""They say nothing of what a function does: see docs/words.md. A property may be called so."""


@pytest.mark.parametrize("file", FILES)
def test_functions_are_called_by_what_they_do(file: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    named = [one for one in functions if one.name.strip("_") in VAGUE]
    plain = [one for one in named if "property" not in " ".join(map(ast.unparse, one.decorator_list))]
    assert [one.name for one in plain] == []


GAMES = sorted(room.parent.name for room in (ROOT / "tutor" / "games").glob("*/engine"))
ALL_FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for top in ("tutor", "templates")
    for path in (ROOT / top).rglob("*")
    if path.suffix in (".py", ".html", ".js", ".css") and "vendor" not in path.parts
)
MAY_STAND = {
    "tutor/games/__init__.py": "[^\\n]+",  # the list of games
    "tutor/cli.py": "such as border.first.open",  # a real example says most
    "tutor/book/markdown.py": "::: rule border.first.open",
    "tutor/search/query.py": '"confini" are borders',  # a word of Italian
    "tutor/web/http/qr.py": "border=2",  # around a QR code
}
"""What looks like the name of a game, or names one with good reason."""


def games_named(source: str, file: str) -> list[str]:
    """The games that a file knows by name, unless it is theirs. In a style sheet only selectors count."""
    text = re.sub(MAY_STAND.get(file, r"\Z"), "", source)
    if file.endswith(".css"):
        text = re.sub(r"/\*.*?\*/|\{[^{}]*\}", "", text, flags=re.DOTALL)
    own = re.match(r"(?:tutor|templates)/games/(\w+)/", file)
    others = [name for name in GAMES if not own or own[1] != name]
    return [name for name in others if re.search(rf"(?<![A-Za-z]){name}(?![A-Za-z])", text)]


@pytest.mark.parametrize("file", ALL_FILES)
def test_a_game_is_known_in_its_own_room_only(file: str) -> None:
    """Its templates and its line in the list of games are all it has elsewhere in the program."""
    assert games_named((ROOT / file).read_text(encoding="utf-8"), file) == []


@pytest.mark.parametrize(
    ("file", "source", "named"),
    [
        ("tutor/web/static/motion.js", 'document.querySelector(".blockers-table")', ["blockers"]),
        ("tutor/web/static/style.css", ".lesson.border .screen { margin: 0; }", ["border"]),
        ("tutor/web/static/style.css", ".screen { border: 0; border-color: red; }", []),
        ("tutor/games/border/table/style.css", ".border-table, .confini { margin: 0; }", ["confini"]),
        ("tutor/lessons/course.py", 'if game.id == "confini":', ["confini"]),
        ("templates/site/learn/_do.html", "{% if game == 'border' %}", ["border"]),
    ],
)
def test_it_notices_a_game_elsewhere(file: str, source: str, named: list[str]) -> None:
    assert games_named(source, file) == named


def is_view(file: str) -> bool:
    return "Blueprint(" in (ROOT / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("file", [file for file in FILES if is_view(file)])
def test_views_do_not_import_views(file: str) -> None:
    """What two of them need lies further up; the app alone knows them all."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    views = {module_of(other) for other in FILES if is_view(other)}
    found = {name if is_module(name) else name.rpartition(".")[0] for _, name in imports(tree, file)}
    assert found & views == set()


@pytest.mark.parametrize("file", [file for file in FILES if room_of(module_of(file)) in PURE])
def test_the_engines_use_nothing_but_what_is_passed_in(file: str) -> None:
    assert impurities((ROOT / file).read_text(encoding="utf-8"), file) == []


@pytest.mark.parametrize("file", FILES)
@pytest.mark.patient
def test_the_program_knows_neither_the_benchmarks_nor_their_opponent(file: str) -> None:
    """python-chess is GPL; it and `benchmarks/` stay out of the wheel."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert not {name.partition(".")[0] for _, name in imports(tree, file)} & {"chess", "benchmarks"}


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("tutor/rules/base.py", "from tutor import book"),
        ("tutor/rules/base.py", "from tutor import paths"),
        ("tutor/rules/base.py", "from tutor import __version__"),
        ("tutor/games/border/engine/board.py", "from ....book import load"),
        ("tutor/games/border/engine/__init__.py", "from .... import search"),
        ("tutor/games/border/engine/__init__.py", "from tutor.games.border import table"),
        ("tutor/book/load.py", "def late():\n    import tutor.search.index"),
        (
            "tutor/lessons/lesson.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import tutor.web",
        ),
        ("tutor/web/http/cache.py", "from tutor.web.site import learn"),
        ("tutor/web/serve.py", "from tutor.cli import main"),
        ("tutor/paths.py", "import tutor.rules"),
    ],
)
def test_it_notices_an_import_downwards(file: str, source: str) -> None:
    assert len(wrong_imports(source, file)) == 1


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("tutor/games/border/engine/board.py", "from tutor.rules.base import Reason"),
        ("tutor/games/border/table/setup.py", "from ..engine import Border"),
        ("tutor/book/load.py", "from tutor.paths import CONTENT\nfrom tutor.games import GAMES"),
        ("tutor/web/serve.py", "from tutor import __version__, book, paths"),
        ("tutor/cli.py", "import tutor.web.serve\nfrom tutor.search import index"),
    ],
)
def test_it_accepts_an_import_upwards(file: str, source: str) -> None:
    assert wrong_imports(source, file) == []


@pytest.mark.parametrize(
    "source",
    [
        "import os",
        "import os.path",
        "from pathlib import Path",
        "from datetime import date",
        "def f():\n    import time",
        "import msgspec",
        "from random import choice",
        "from random import SystemRandom",
        "import random\nrandom.shuffle([])",
        "import random as r\nr.random()",
        "import random\nrng = random",
        "import random\nrng = random.Random()",
        "from random import Random\nrng = Random()",
        "print(1)",
    ],
)
def test_it_notices_an_impure_engine(source: str) -> None:
    assert impurities(source, "tutor/rules/x.py")


@pytest.mark.parametrize(
    "source",
    [
        "import random\ndef f(rng: random.Random) -> int:\n    return rng.randrange(6)",
        "from random import Random\nrng = Random(7)",
        "from dataclasses import dataclass\nfrom tutor.rules.base import Reason",
    ],
)
def test_it_accepts_a_pure_engine(source: str) -> None:
    assert impurities(source, "tutor/rules/x.py") == []
