"""Imports go only to the left, and the engines stay pure. The source is parsed, nothing is imported."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tutor").rglob("*.py"))
RULES_FILES = [name for name in FILES if name.startswith("tutor/rules/")]

LAYERS = ("rules", "book", "store", "teach", "web", "bench", "cli")
# Modules beside the layers, and what of the package each may import.
BESIDE = {"__init__": (), "paths": (), "__main__": ("cli",)}

# The engines know no clock, no files, no machine: a position and a move decide everything.
IMPURE = {
    "asyncio", "builtins", "datetime", "getpass", "glob", "importlib", "io", "locale", "logging", "os",
    "pathlib", "platform", "secrets", "shutil", "socket", "sqlite3", "subprocess", "sys", "tempfile",
    "threading", "time", "uuid",
}  # fmt: skip
IMPURE_CALLS = {"__import__", "breakpoint", "eval", "exec", "input", "open", "print"}


def layer_of(file: str) -> str:
    """`tutor/rules/base.py` -> `rules`, `tutor/bench.py` -> `cli`."""
    return Path(file).with_suffix("").parts[1]


def allowed(layer: str) -> set[str]:
    """The parts of the package that a layer may import."""
    if layer in BESIDE:
        return set(BESIDE[layer])
    assert layer in LAYERS, f"tutor/{layer} is in no layer: name its place in LAYERS or BESIDE"
    place = LAYERS.index(layer)
    return set(LAYERS[: place + 1]) | ({"__init__", "paths"} if place else set())


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


def wrong_imports(source: str, file: str) -> list[str]:
    """Imports of the package's own parts that do not go to the left."""
    may = allowed(layer_of(file))
    problems = []
    for line, name in imports(ast.parse(source), file):
        top, *rest = name.split(".")
        if top != "tutor":
            continue
        known = {*LAYERS, *BESIDE} | {path.stem for path in (ROOT / "tutor").iterdir()}
        part = rest[0] if rest and rest[0] in known else "__init__"
        if part not in may:
            problems.append(f"{file}:{line}: imports {name}")
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


@pytest.mark.parametrize("file", FILES)
def test_imports_go_only_to_the_left(file: str) -> None:
    assert wrong_imports((ROOT / file).read_text(encoding="utf-8"), file) == []


@pytest.mark.parametrize("file", RULES_FILES)
def test_the_engines_use_nothing_but_what_is_passed_in(file: str) -> None:
    assert impurities((ROOT / file).read_text(encoding="utf-8"), file) == []


@pytest.mark.parametrize("file", FILES)
def test_chess_is_imported_only_inside_a_function_of_the_benchmark(file: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    if layer_of(file) == "bench":
        # A function's import runs when it is called, so the program starts without the GPL package.
        tree.body = [node for node in tree.body if not isinstance(node, ast.FunctionDef)]
    assert [name for _, name in imports(tree, file) if name.partition(".")[0] == "chess"] == []


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("tutor/rules/base.py", "from tutor import book"),
        ("tutor/rules/base.py", "from tutor import paths"),
        ("tutor/rules/base.py", "from tutor import __version__"),
        ("tutor/rules/border/board.py", "from ...book import load"),
        ("tutor/rules/border/__init__.py", "from ... import store"),
        ("tutor/book/load.py", "def late():\n    import tutor.store.build"),
        (
            "tutor/teach/lesson.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import tutor.web",
        ),
        ("tutor/web/app.py", "from tutor.cli import main"),
        ("tutor/paths.py", "import tutor.rules"),
    ],
)
def test_it_notices_an_import_to_the_right(file: str, source: str) -> None:
    assert len(wrong_imports(source, file)) == 1


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("tutor/rules/border/board.py", "from ..base import Reason"),
        ("tutor/rules/__init__.py", "from .base import Game"),
        ("tutor/book/load.py", "from tutor.paths import CONTENT\nfrom tutor.rules import GAMES"),
        ("tutor/web/app.py", "from tutor import __version__, book, paths"),
        ("tutor/bench.py", "import tutor.web.app\nfrom tutor.store import build"),
    ],
)
def test_it_accepts_an_import_to_the_left(file: str, source: str) -> None:
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
