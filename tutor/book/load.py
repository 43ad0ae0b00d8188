"""Reads the content folder into a library: every game with its rulebooks, words and scenarios."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import msgspec

from tutor.book import markdown
from tutor.book.model import GameBook, GameFile, Problem, Rulebook, RulesFile, Scenario, ScenarioFile
from tutor.book.scenario import Run, run
from tutor.book.texts import Texts
from tutor.book.words import LANGUAGES, MissingWord, Words, WordsFile
from tutor.rules import GAMES
from tutor.rules.errors import RulesError

T = TypeVar("T")


@dataclass(frozen=True)
class Library:
    """All games, and what was wrong with their files."""

    path: Path
    games: Mapping[str, GameBook]
    problems: tuple[Problem, ...]

    @cached_property
    def runs(self) -> dict[str, dict[str, Run]]:
        """Every scenario of every game, played."""
        return {
            book.id: {name: run(book.game, scenario)[0] for name, scenario in book.scenarios.items()}
            for book in self.games.values()
        }

    @cached_property
    def texts(self) -> dict[str, dict[str, Texts]]:
        """Every rulebook in every language, with its values filled in."""
        return {book.id: {lang: Texts(book, lang) for lang in book.rulebooks} for book in self.games.values()}


class Broken(Exception):
    """A file without which the rest of its game cannot be read."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(str(problem))


def load(path: Path) -> Library:
    games: dict[str, GameBook] = {}
    problems: list[Problem] = []
    for name in GAMES:
        try:
            games[name] = _game(path, name, problems)
        except Broken as error:
            problems.append(error.problem)
    return Library(path, games, tuple(problems))


def _game(content: Path, name: str, problems: list[Problem]) -> GameBook:
    path = content / name
    file = _toml(path / "game.toml", GameFile)
    facts = _toml(path / "rules.toml", RulesFile)
    data = {data_file: _text(path / data_file) for data_file in file.data}
    try:
        game = GAMES[name].from_files(data)
    except RulesError as error:
        raise Broken(Problem(path / file.data[0], 1, str(error))) from error
    rulebooks: dict[str, Rulebook] = {}
    words: dict[str, Words] = {}
    for lang in LANGUAGES:
        source = path / f"rulebook.{lang}.md"
        rulebooks[lang], found = markdown.read(source, lang, _text(source))
        problems.extend(found)
        own = path / f"words.{lang}.toml"
        try:
            words[lang] = Words(lang, _toml(content / f"words.{lang}.toml", WordsFile), _toml(own, WordsFile))
        except MissingWord as error:
            raise Broken(Problem(own, 1, f"cannot read the placeholder {{{error}}}")) from error
    scenarios: dict[str, Scenario] = {}
    for source in sorted((path / "scenarios").glob("*.toml")):
        try:
            scenario_file = _toml(source, ScenarioFile)
        except Broken as error:
            problems.append(error.problem)
            continue
        scenarios[source.stem] = Scenario(source.stem, scenario_file, source, _text(source))
    return GameBook(name, path, game, file, facts, rulebooks, words, scenarios)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Broken(Problem(path, 1, f"cannot be read: {error}")) from error


def _toml(path: Path, model: type[T]) -> T:
    source = _text(path)
    try:
        return msgspec.convert(tomllib.loads(source), model)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise Broken(Problem(path, _line_of(source, str(error)), str(error))) from error


def _line_of(source: str, error: str) -> int:
    """The line that a TOML or model error speaks of, as far as its words tell."""
    told = re.search(r"line (\d+)", error)
    if told:
        return int(told[1])
    for word in reversed(error.split("`")[1::2]):
        name = word.removeprefix("$").split(".")[-1].split("[")[0]
        for number, line in enumerate(source.splitlines(), 1):
            if name and line.lstrip().startswith((f"{name} =", f"[{name}", f'"{name}"')):
                return number
    return 1
