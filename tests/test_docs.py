"""The documents: what can be run in them is run, what they list is what there is.

A block that nobody here knows how to try fails: it needs a kind, or a place among those that cannot be run.
"""

import argparse
import io
import json
import re
import shlex
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask

from benchmarks.__main__ import _parser as benchmarks_parser
from tests import ROOT
from tests.books import LIBRARY
from tests.test_layers import ROOMS
from tutor.book import markdown, source
from tutor.book.model import LessonsFile, ScenarioFile
from tutor.cli import _parser, main
from tutor.web.api.operations import BASE, OPERATIONS

pytestmark = pytest.mark.patient

DOCUMENTS = ["README.md", "CONTRIBUTING.md", *sorted(f"docs/{path.name}" for path in ROOT.glob("docs/*.md"))]
REFERENCE = (ROOT / "docs" / "reference.md").read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
PROGRAMS = ("tutor", "make", "pytest", "python")
SHELL = (*PROGRAMS, "$", "python3", "kill")
"""How a block of commands begins."""


def blocks(document: str) -> list[str]:
    """The indented blocks of a document, without their indentation; those of a list are its text."""
    text = (ROOT / document).read_text("utf-8")
    found = re.findall(r"(?m)(?<=\n\n)((?:^(?:    .*)?\n)+)", f"{text}\n")
    return [re.sub(r"(?m)^    ", "", one).strip("\n") for one in found if one.strip()]


def inline(document: str) -> Iterator[str]:
    """The commands in the text, with the values that stand for any."""
    text = re.sub(r"\s+", " ", re.sub(r"(?m)^    .*$", "", (ROOT / document).read_text("utf-8")))
    for one in re.findall(r"`([^`]+)`", text):
        if one.split()[0] in PROGRAMS and " " in one:
            yield one


# What they list


def options(parser: argparse.ArgumentParser) -> set[str]:
    return {name for action in parser._actions for name in action.option_strings} - {"-h", "--help"}


def commands(parser: argparse.ArgumentParser, name: str) -> Iterator[tuple[str, set[str]]]:
    """Every command with its options; a command that has others below it is none."""
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not below or options(parser):
        yield name, options(parser)
    for action in below:
        for word, one in action.choices.items():
            yield from commands(one, f"{name} {word}")


def name_of(typed: str) -> str:
    """The command of what is typed: `tutor live backup FILE` is `tutor live backup`."""
    known = [name for name, _ in commands(_parser(), "tutor") if f"{typed} ".startswith(f"{name} ")]
    return max(known, key=len)


def test_every_command_and_option_is_in_the_reference() -> None:
    known = dict(commands(_parser(), "tutor"))
    shown: dict[str, set[str]] = {}
    for row in re.findall(r"(?m)^\| (`tutor.*?) \|", REFERENCE):
        for synopsis in re.findall(r"`([^`]+)`", row):
            shown.setdefault(name_of(synopsis), set()).update(re.findall(r"--[a-z]+", synopsis))
    assert shown == known


def test_every_option_of_the_benchmarks_is_in_the_reference() -> None:
    rows = " ".join(re.findall(r"(?m)^\| `(python -m benchmarks.*?)` \|", REFERENCE))
    assert set(re.findall(r"--[a-z]+", rows)) == options(benchmarks_parser())


def test_every_make_target_is_in_the_reference() -> None:
    targets = re.findall(r"(?m)^([a-z-]+):.*## ", MAKEFILE)
    shown = re.findall(r"(?m)^\| `make ([a-z-]+)` \|", REFERENCE)
    assert sorted(shown) == sorted(targets)
    for name in re.findall(r"`([A-Z_]+)=", "".join(re.findall(r"(?m)^\| `make .*$", REFERENCE))):
        assert name in MAKEFILE


def test_every_operation_is_in_the_reference() -> None:
    shown = re.findall(r"`((?:GET|POST) /api/[^`]*)`", REFERENCE)
    assert sorted(shown) == sorted(f"{one.method} {BASE}{one.path}" for one in OPERATIONS.values())


def test_every_decision_names_the_tests_that_hold_it() -> None:
    """They are there, and hold something."""
    decisions = [
        part
        for part in (ROOT / "docs/decisions.md").read_text("utf-8").split("\n\n")
        if part.startswith("**")
    ]
    assert decisions
    for one in decisions:
        named = re.findall(r"`(tests/[^`]+)`", one)
        assert named, one
        for path in named:
            file, _, name = path.partition("::")
            assert f"def {name or 'test_'}" in (ROOT / file).read_text("utf-8"), path


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_file_that_is_named_is_there(document: str) -> None:
    text = (ROOT / document).read_text("utf-8")
    for name in re.findall(r"`((?:tutor|tests|docs|deploy|content|templates|translations)/[\w./-]+)`", text):
        found = (ROOT / name).exists() or "/t/" in name
        assert found, name


# What can be run

NOT_RUN = {
    "tutor serve": "a server, which many tests start",
    "tutor dev": "a server, see tests/web/test_dev.py",
    "tutor health": "needs a server, see tests/web/test_health.py",
    "tutor build": "takes long, see tests/test_cli.py",
    "tutor new game": "writes into the checkout, see tests/test_new.py",
    "tutor check": "takes long, see tests/book/test_check.py",
    "tutor live restore": "needs a backup, see tests/live",
    "tutor live backup": "needs tables, see tests/live",
    "tutor live status": "needs tables, see tests/live",
}
"""Commands that are only read by the parser."""
INSTEAD = {
    "<game>": "border",
    "kubb": "border",
    "FILE": "file",
    "URL": "http://127.0.0.1:8000",
    "FOLDER": "folder",
}


def whole(command: str) -> list[str]:
    """The words of a command with all that is optional in it, and something for what stands for anything."""
    words = shlex.split(re.sub(r"[\[\]]", " ", command).replace("…", ""), comments=True)
    return [INSTEAD.get(word, word) for word in words]


def kind_of(block: str) -> str:
    first = block.splitlines()[0]
    if first.split()[0] in SHELL or first.startswith("TUTOR_"):
        return "shell"
    if first.startswith("# "):
        return "rulebook"
    if first.lstrip().startswith('{"'):
        return "log"
    if first == "tutor/":
        return "tree"
    if "-->" in first:
        return "picture"
    return "lesson" if first == "[[lesson]]" else "scenario" if " = " in first else ""


def commands_of(document: str) -> Iterator[str]:
    yield from inline(document)
    for block in blocks(document):
        if kind_of(block) == "shell":
            yield from (line for line in block.splitlines() if not line.startswith("{"))


COMMANDS = sorted({(document, command) for document in DOCUMENTS for command in commands_of(document)})


@pytest.mark.parametrize(("document", "command"), COMMANDS, ids=[f"{one}: {two}" for one, two in COMMANDS])
def test_every_command_can_be_given(
    document: str,
    command: str,
    app: Flask,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    # All commands share one library and one site: that these can be made is tested elsewhere, and takes long.
    monkeypatch.setattr("tutor.cli.load", lambda content: LIBRARY)
    monkeypatch.setattr("tutor.web.create_app", lambda database: app)
    typed, _, piped = command.removeprefix("$ ").partition(" | ")
    said = shlex.split(typed)[1].encode() if piped else b""
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(said)))
    words = whole(piped or typed)
    while "=" in words[0]:
        words.pop(0)  # a setting, see test_deploy
    TRIED[words[0]](words, capsys)


def try_tutor(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    known = dict(commands(_parser(), "tutor"))
    name = name_of(" ".join(words))
    rest = words[len(name.split()) :]
    named = [word for word in rest if word.startswith("--")]
    assert set(named) <= known[name]
    if rest == ["--version"]:
        with pytest.raises(SystemExit, match="0"):
            main(rest)
    elif name in NOT_RUN:
        if rest != named:  # or it only names the options
            _parser().parse_args(words[1:])
    elif rest or name == "tutor referee":  # or it only names the command
        assert main(words[1:]) == 0
        assert capsys.readouterr().out or name == "tutor referee"


def try_make(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """What make would do, without doing it."""
    done = subprocess.run([*words, "--dry-run"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def try_python(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    if words[1:3] == ["-m", "benchmarks"]:
        benchmarks_parser().parse_args(words[3:])
    elif words[1:3] != ["-m", "venv"]:
        assert (ROOT / words[1]).is_file()


def try_pytest(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert all((ROOT / word).exists() for word in words if word.startswith("tests/"))


def try_copy(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert (ROOT / words[1]).is_file()


def need_a_machine(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Root, a wheel or a server that is up: see test_wheel, test_deploy and web/test_upgrade."""


TRIED: dict[str, Callable[[list[str], pytest.CaptureFixture[str]], None]] = {
    "tutor": try_tutor,
    "make": try_make,
    "python": try_python,
    "python3": try_python,
    "pytest": try_pytest,
    "cp": try_copy,
    "kill": need_a_machine,
    "/opt/tutor/bin/pip": need_a_machine,
}


def test_the_example_of_the_referee_is_answered_as_shown(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    [block] = [block for block in blocks("docs/reference.md") if block.startswith("$ echo")]
    asked, shown = block.splitlines()
    line = shlex.split(asked.removeprefix("$ "))[1].encode()
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(line)))
    assert main(["referee"]) == 0
    wanted = re.escape(shown).replace(r"\.\.\.", ".*")
    assert re.fullmatch(wanted, capfdbinary.readouterr().out.decode().strip())


# Blocks that are no commands


BLOCKS = [(document, block) for document in DOCUMENTS for block in blocks(document)]


@pytest.mark.parametrize(
    ("document", "block"), BLOCKS, ids=[f"{one}: {two.splitlines()[0][:40]}" for one, two in BLOCKS]
)
def test_every_block_is_right(document: str, block: str) -> None:
    TESTED[kind_of(block)](block)


def fits(kind: type[Any]) -> Callable[[str], None]:
    def test(block: str) -> None:
        found = source.model(source.Source(Path("block.toml"), block), tomllib.loads(block), kind)
        assert not isinstance(found, list), found

    return test


def is_rulebook(block: str) -> None:
    assert not markdown.read(Path("rulebook.en.md"), "en", block)[1]


def is_log(block: str) -> None:
    for line in map(str.strip, block.splitlines()):
        if line.startswith("{"):
            assert {"time", "id"} <= json.loads(line).keys()
        else:
            assert len(line.split()) == 8


def is_tree(block: str) -> None:
    """The rooms of test_layers, in their order."""
    names = [line.split()[0].removesuffix("/").removesuffix(".py") for line in block.splitlines()[1:]]
    assert [name.removesuffix("/__init__") for name in names] == ROOMS


TESTED: dict[str, Callable[[str], None]] = {
    "shell": lambda block: None,  # line by line, see above
    "picture": lambda block: None,
    "rulebook": is_rulebook,
    "log": is_log,
    "tree": is_tree,
    "scenario": fits(ScenarioFile),
    "lesson": fits(LessonsFile),
}
