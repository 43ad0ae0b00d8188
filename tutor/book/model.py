"""What a game's content is made of, once read: rulebooks, scenarios and the facts about rules.

Nothing here reads files; `load` fills these types and `check` compares them.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from tutor.book.source import Problem, Source, Todo
from tutor.book.words import Sentence, Words
from tutor.rules.base import Game, Value

T = TypeVar("T")
Basis = Literal["printed", "derived", "ours"]
Kind = Literal["rule", "example", "ruling", "edition"]


class RuleFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is said of a rule once for all languages.

    `covers` numbers the single statements that the rule stands for. The first lesson introduces every
    rule that is not a detail. A technical one is not of the game but of these pages (dice have numbers
    here): it refuses moves with its sentence and is shown nowhere.
    """

    basis: Basis | Literal[""] = ""
    covers: tuple[int, ...] = ()
    detail: bool = False
    technical: bool = False

    @property
    def core(self) -> bool:
        return not self.detail and not self.technical


class RulingFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question that players ask: its rule, the step that proves the answer, and where that is from."""

    rule: str
    proof: str
    since: str = ""
    """An earlier step of that scenario: what was done since then is shown too, as it is the reason."""
    basis: Basis = "ours"


class EditionFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A printed edition that differs: which ones, and at which rule."""

    rule: str
    editions: tuple[str, ...]


class RulesFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """rules.toml"""

    rules: dict[str, RuleFacts]
    rulings: dict[str, RulingFacts] = {}
    editions: dict[str, EditionFacts] = {}


class GameFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """game.toml"""

    players: tuple[int, int]
    age: int
    minutes: int
    statements: int = 0
    """How many single statements of a printed text the rules stand for, so that none is lost."""
    data: tuple[str, ...] = ()
    """The data files that the engine reads."""
    ours: tuple[str, ...] = ()
    """What in this game is this project's own invention; phrases by these keys say so."""


class StepFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One step of a scenario: moves played, a move refused, moves to choose from, or a fact to be told."""

    id: str
    after: str = ""
    start: str = ""
    """A position of its own to begin with; by default the step goes on from the one before, or `after`."""
    play: tuple[str, ...] = ()
    refuse: str = ""
    rule: str = ""
    choose: tuple[str, ...] = ()
    ask: str = ""
    """A fact whose value the learner is asked for: how many groups, which score, who wins."""
    goal: dict[str, Value] = {}
    exactly: bool = False
    """Only the scripted moves of the learner will do, though others would reach the goal too."""
    facts: dict[str, Value] = {}
    shows: tuple[str, ...] = ()
    at: tuple[str, ...] = ()
    seat: int = 0
    """Whose board is looked at; by default that of the first player who moves."""


class ScenarioFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """scenarios/<id>.toml"""

    players: tuple[str, ...]
    step: tuple[StepFile, ...]
    start: str = ""
    setup: dict[str, Any] = {}


class TermWord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A term in one language."""

    word: str
    """What our rulebook calls it."""
    begins: tuple[str, ...] = ()
    """The beginnings by which its forms are found in our texts; see `glossary.pattern`. A term without any is
    found by those who ask for it, and never linked."""
    also: tuple[str, ...] = ()
    """What else players call it and type: synonyms, slang, the verb to a noun."""
    asked: tuple[str, ...] = ()
    """What is only typed and never shown: forms, spoken phrases; `clos*` for all that begins so."""
    box: dict[str, str] = {}
    """By game, the word printed in this language's edition."""


class Term(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of terms.toml, the glossary of all games."""

    rules: dict[str, str]
    """By game, the rule that explains it there."""
    words: dict[str, TermWord]
    means: dict[str, dict[str, str]] = {}
    """By game and language what it is, where the beginning of that rule does not tell."""
    not_in: tuple[str, ...] = ()
    """The rules, rulings and notes in which its words mean something else: they are not linked there."""
    taught: bool = False
    """The first lesson of a game does not use it before the screen that introduces its rule."""

    @property
    def games(self) -> tuple[str, ...]:
        return tuple(self.rules)

    def without(self, games: Set[str]) -> "Term":
        """The same term without these games."""

        def kept(by_game: dict[str, T]) -> dict[str, T]:
            return {game: value for game, value in by_game.items() if game not in games}

        words = {lang: replace(word, box=kept(word.box)) for lang, word in self.words.items()}
        return replace(self, rules=kept(self.rules), means=kept(self.means), words=words)


class ScreenFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One screen of a lesson: a step of a scenario with the rules that it introduces, or a recap."""

    id: str
    show: str = ""
    """scenario/step: the position and what is done there."""
    rules: tuple[str, ...] = ()
    """The rules introduced here, two at most."""
    title: str = ""
    """The rule by whose title the screen goes, rather than by the first of its own or by its example."""
    read: bool = False
    """Only the position of the step is shown, and nothing is asked."""
    predict: bool = False
    """The one move of the step is not watched: will it be allowed?"""
    ask: str = ""
    """A fact of the step that is asked for before it is told: circled.p4.well by the phrase ask-circled."""
    act_first: bool = False
    """The rules are read after the learner has acted: a guess is good enough, and not given away."""
    extra: bool = False
    """A presentation in a hurry does without it."""
    alone: bool = False
    """A turn without help."""
    recap: int = 0
    """How many quick questions the engine makes on the rules since the last recap."""
    without: tuple[str, ...] = ()
    """Rules that make no good question."""


class LessonFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A lesson: its screens in the order of teaching. Phrases by `lesson-<id>` name it."""

    id: str
    screen: tuple[ScreenFile, ...]
    most: int = 12
    """How many screens it may have."""
    setup: dict[str, Any] = {}
    """The options of the games that a recap's questions come from."""
    players: tuple[str, ...] = ()
    """Who sits at the table of the recap."""


class LessonsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """lesson.toml: the first lesson teaches the game, the others a subject each."""

    lesson: tuple[LessonFile, ...]


@dataclass(frozen=True)
class Block:
    """A block of a rulebook: a rule, an example, a ruling or an edition note."""

    kind: Kind
    id: str
    title: str
    body: tuple[Sentence, ...]
    line: int
    why: Sentence | None = None
    lines: Mapping[str, Sentence] | None = None
    """The sentences of an example, by step."""


@dataclass(frozen=True)
class Section:
    id: str
    title: str
    lead: tuple[Sentence, ...]
    blocks: tuple[Block, ...]
    line: int


@dataclass(frozen=True)
class Rulebook:
    """The rules in one language."""

    lang: str
    title: str
    lead: tuple[Sentence, ...]
    sections: tuple[Section, ...]
    path: Path

    @cached_property
    def blocks(self) -> dict[str, Block]:
        return {block.id: block for section in self.sections for block in section.blocks}

    @cached_property
    def section_of(self) -> dict[str, Section]:
        return {block.id: section for section in self.sections for block in section.blocks}


@dataclass(frozen=True)
class Scenario:
    id: str
    file: ScenarioFile
    source: Source

    @property
    def path(self) -> Path:
        return self.source.path

    def line(self, step: str) -> int:
        """The line of a step, for messages."""
        ids = [one.id for one in self.file.step]
        return self.source.line("step", ids.index(step), "id") if step in ids else 1


@dataclass(frozen=True)
class GameBook:
    """Everything about one game."""

    id: str
    path: Path
    game: Game
    file: GameFile
    facts: RulesFile
    rulebooks: Mapping[str, Rulebook]
    words: Mapping[str, Words]
    scenarios: Mapping[str, Scenario]
    lessons: tuple[LessonFile, ...]
    sources: Mapping[str, Source]
    """The TOML files by name, for the lines of what is wrong in them; `shared/` before those of all games."""
    asked: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """asked.toml: by rule or ruling and language, what players type who mean it. It is never shown."""

    def problem(self, file: str, text: str, *keys: str | int, todo: Todo = "mend", lang: str = "") -> Problem:
        """A problem at a key of one of the TOML files."""
        return self.sources[file].problem(text, *keys, todo=todo, lang=lang)

    @property
    def outline(self) -> tuple[Section, ...]:
        """Sections and blocks in order. They are the same in every language, as `check` proves."""
        return next(iter(self.rulebooks.values())).sections
