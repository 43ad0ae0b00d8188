"""Reads the content folder into a library: every game with its rulebooks, words and scenarios.

Reading never stops at a file that is missing or broken. What is wrong is a problem of the library, and the
rest is read on, so that an author gets the whole list at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from inspect import getfile, getsourcelines, isabstract
from pathlib import Path
from typing import TypeVar

from tutor.book import glossary, markdown, particulars, source
from tutor.book.guard import Guard
from tutor.book.model import (
    GameBook,
    GameFile,
    LessonsFile,
    Rulebook,
    RulesFile,
    Scenario,
    ScenarioFile,
    Term,
)
from tutor.book.scenario import Run, run
from tutor.book.source import Problem, Source
from tutor.book.texts import Texts
from tutor.book.words import LANGUAGES, MissingWord, Words, WordsFile, fields
from tutor.games import GAMES
from tutor.rules.base import Game
from tutor.rules.errors import InvalidData

T = TypeVar("T")

OWN_FILES = ("game.toml", "rules.toml", "lesson.toml", "asked.toml", "scenarios")
PER_LANGUAGE = ("rulebook.{}.md", "words.{}.toml")
SHARED = ("words.{}.toml", "language.{}.toml")


@dataclass(frozen=True)
class Library:
    """All games, and what was wrong with their files.

    Where there are problems, a game may be missing, or a language of it: such a library is only good for
    finding more problems.
    """

    path: Path
    games: Mapping[str, GameBook]
    problems: tuple[Problem, ...]
    terms: Mapping[str, Term] = field(default_factory=dict)
    """The glossary."""
    shared_terms: frozenset[str] = frozenset()
    """Those that games have, too, which were left out."""

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


def load(path: Path, games: Mapping[str, type[Game]] = GAMES) -> Library:
    """The content of some games. Folders of others that are registered are left alone."""
    desk = Desk()
    desk.problems += particulars.check(path, LANGUAGES)
    known = {"terms.toml", *(name.format(lang) for name in SHARED for lang in LANGUAGES)}
    for file in sorted(path.glob("*.*")):
        if file.is_file() and file.name not in known and not file.name.startswith("."):
            desk.problem(file, "nobody reads this: no language of ours")
    shared = {lang: desk.words(path / f"words.{lang}.toml") for lang in LANGUAGES}
    books = {name: _game(desk, path / name, engine, shared) for name, engine in games.items()}
    if path.is_dir():
        for folder in sorted(path.iterdir()):
            if folder.is_dir() and folder.name not in games and folder.name not in GAMES:
                desk.problem(folder, f"no game of this name is in GAMES: {', '.join(games)}")
    terms = desk.toml(path / "terms.toml", dict[str, Term]) or {}
    left_out = GAMES.keys() - games.keys()
    common = frozenset(name for name, term in terms.items() if not left_out.isdisjoint(term.rules))
    alone = [name for name in common if terms[name].rules.keys() <= left_out]
    terms = {name: term.without(left_out) for name, term in terms.items() if name not in alone}
    found = {name: book for name, book in books.items() if book}
    for name, term in terms.items():
        desk.problems += glossary.check_missing(name, term, desk.sources[path / "terms.toml"])
        for text, *keys in glossary.find_faults(term, tuple(games), found):
            problem = desk.sources[path / "terms.toml"].problem(f"{name}: {text}", name, *keys)
            desk.problems.append(problem)
    return Library(path, found, tuple(desk.problems), terms, common)


class Desk:
    """Where files are read one after the other; it keeps their texts and their problems."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.sources: dict[Path, Source] = {}

    def problem(self, path: Path, text: str, line: int = 1) -> None:
        self.problems.append(Problem(path, line, text))

    def text(self, path: Path) -> Source | None:
        found = source.read(path)
        if isinstance(found, Problem):
            self.problems.append(found)
            return None
        self.sources[path] = found
        return found

    def toml(self, path: Path, kind: type[T]) -> T | None:
        text = self.text(path)
        if text is None:
            return None
        data = source.toml(text)
        if isinstance(data, Problem):
            self.problems.append(data)
            return None
        found = source.model(text, data, kind)
        if isinstance(found, list):
            self.problems += found
            return None
        return found

    def words(self, path: Path) -> WordsFile | None:
        """A words file; one with a placeholder that cannot be read is as good as none."""
        file = self.toml(path, WordsFile)
        if file is None:
            return None
        before = len(self.problems)
        for table in ("deeds", "errors", "phrases"):
            for key, text in getattr(file, table).items():
                name, guarded, guard = key.partition(" ")
                wrong = ""
                try:
                    fields(text)
                    if guarded:
                        Guard.parse(guard)
                except MissingWord as error:
                    wrong = f"cannot read the placeholder {{{error}}}"
                except ValueError:
                    wrong = f"cannot read the guard {guard}"
                if guarded and name not in getattr(file, table):
                    wrong = f"there is no {name} without a guard"
                if wrong:
                    self.problems.append(self.sources[path].problem(f"{table}.{key}: {wrong}", table, key))
        return file if len(self.problems) == before else None


def _game(
    desk: Desk, path: Path, engine: type[Game], shared: Mapping[str, WordsFile | None]
) -> GameBook | None:
    """One game without the languages whose files are broken; None if a file for all languages is."""
    if engine.id != path.name:
        desk.problem(path, f"the engine in GAMES has the id {engine.id}, not {path.name}")
    file = desk.toml(path / "game.toml", GameFile)
    facts = desk.toml(path / "rules.toml", RulesFile)
    rulebooks: dict[str, Rulebook] = {}
    words: dict[str, Words] = {}
    for lang in LANGUAGES:
        text = desk.text(path / f"rulebook.{lang}.md")
        own, common = desk.words(path / f"words.{lang}.toml"), shared[lang]
        if text is not None and own is not None and common is not None:
            rulebooks[lang], found = markdown.read(text.path, lang, text.text)
            desk.problems += found
            words[lang] = Words(lang, common, own)
    scenarios = _scenarios(desk, path / "scenarios")
    lessons = desk.toml(path / "lesson.toml", LessonsFile)
    asked = path / "asked.toml"  # a game can do without
    known = desk.toml(asked, dict[str, dict[str, str]]) if asked.exists() else None
    _strangers(desk, path, file)
    game = _engine(desk, path, engine, file) if file else None
    if game is None or file is None or facts is None or lessons is None or not rulebooks:
        return None
    sources = {
        f"shared/{at.name}" if at.parent != path else at.name: text
        for at, text in desk.sources.items()
        if at.suffix == ".toml" and at.parent in (path, path.parent)
    }
    return GameBook(
        path.name, path, game, file, facts, rulebooks, words, scenarios, lessons.lesson, sources, known or {}
    )


def _engine(desk: Desk, path: Path, engine: type[Game], file: GameFile) -> Game | None:
    """The engine over its data files, if they are all there and right."""
    if isabstract(engine):
        lacking = ", ".join(sorted(engine.__abstractmethods__))
        desk.problem(Path(getfile(engine)), f"{engine.__name__} lacks: {lacking}", getsourcelines(engine)[1])
        return None
    texts = {name: desk.text(path / name) for name in file.data}
    broken = [source.toml(text) for name, text in texts.items() if text and name.endswith(".toml")]
    wrong = [found for found in broken if isinstance(found, Problem)]
    desk.problems += wrong
    if wrong or None in texts.values():
        return None
    try:
        return engine.from_files({name: text.text for name, text in texts.items() if text})
    except Exception as error:  # whatever the engine makes of a file that its author got wrong
        told = error.values if isinstance(error, InvalidData) else {}
        cause = str(error) if isinstance(error, InvalidData) else f"{type(error).__name__}: {error}"
        named = told.get("file", file.data[0] if len(file.data) == 1 else "")
        if named in texts:
            line = told.get("line")
            desk.problem(path / str(named), f"the engine: {cause}", line if isinstance(line, int) else 1)
        else:
            text = f"the engine cannot read its data files: {cause}"
            desk.problems.append(desk.sources[path / "game.toml"].problem(text, "data"))
    return None


def _scenarios(desk: Desk, folder: Path) -> dict[str, Scenario]:
    scenarios: dict[str, Scenario] = {}
    for path in sorted(folder.glob("*.toml")):
        file = desk.toml(path, ScenarioFile)
        if file is not None:
            scenarios[path.stem] = Scenario(path.stem, file, desk.sources[path])
    if not any(folder.glob("*.toml")):
        desk.problem(folder, "there is no scenario here (*.toml)")
    return scenarios


def _strangers(desk: Desk, path: Path, file: GameFile | None) -> None:
    """Files that nobody reads: of a language that is not there, or with a misspelt name."""
    known = {*OWN_FILES, *(name.format(lang) for name in PER_LANGUAGE for lang in LANGUAGES)}
    if file is None or not path.is_dir():
        return
    for found in sorted(path.iterdir()):
        if found.name not in known and found.name not in file.data and not found.name.startswith("."):
            desk.problem(found, "nobody reads this: no language of ours, and not in game.toml's data")
