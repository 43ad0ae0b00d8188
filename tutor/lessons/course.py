"""A game compiled for teaching: its book, its scenarios as played, its texts and its lesson."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from tutor.book.load import Library
from tutor.book.model import GameBook
from tutor.book.scenario import PlayedStep, Run, values_of
from tutor.book.texts import Texts, Why
from tutor.book.words import MissingWord, Words
from tutor.lessons.lesson import Lessons, make_lessons
from tutor.lessons.scene import Scene, tone_of
from tutor.rules.base import State, Value, Verdict

PEOPLE = ("sarah", "emma", "linus", "tim", "anna")
"""Who sits at a table about which nothing else is known; each language has its own names for them."""

NAMED_KEPT = 64
"""Courses that are remembered, each with the names of one language."""


@dataclass(frozen=True, eq=False)  # itself only: what is worked out from it can be kept
class Course:
    book: GameBook
    runs: Mapping[str, Run]
    texts: Mapping[str, Texts]
    lessons: Lessons
    former: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """In each language, the players' usual names that this course does not use."""

    def with_names_of(self, lang: str) -> "Course":
        """The same course, in which the players have one language's names in all languages."""
        return _rename_players(self, lang) if lang in self.book.words else self

    def tell(self, scenario: str, step: str, lang: str) -> "ToldStep":
        run = self.runs[scenario]
        cast = self.book.words[lang].with_cast(run.scenario.file.players)
        return ToldStep(self, run, run.steps[step], cast)

    def words_at(self, lang: str, state: State, players: tuple[str, ...] = ()) -> Words:
        """The words for a position, in which all players have names of one kind: those given, unless they
        play other characters, or of those characters, or else those of the language's examples. Some
        scenarios give no names; their seats have none here either."""
        words, seats = self.book.words[lang], self.book.game.seats(state)
        try:
            facts = self.book.game.facts(state)
        except (ArithmeticError, LookupError):
            facts = {}  # of a draft that makes no sense yet
        played = [str(facts.get(f"character.p{seat}", "")) for seat in range(1, seats + 1)]
        known = all(name in words.players for name in played)
        given = players[:seats] if len(players) >= seats else ()
        if known and any(name and name != own for name, own in zip(given, played, strict=False)):
            given = ()
        for names in (given, played, PEOPLE[:seats]):
            if len(names) == seats and (names is given or all(name in words.players for name in names)):
                return words.with_cast(tuple(names))
        return words


def name_seats(words: Words, seats: int) -> Words:
    """The words, with a name for every possible seat."""
    people = PEOPLE[:seats]
    return words.with_cast(people) if len(people) == seats and words.players.keys() >= set(people) else words


@lru_cache(NAMED_KEPT)
def _rename_players(course: Course, lang: str) -> Course:
    book = course.book
    words = {code: one.with_names_of(book.words[lang]) for code, one in book.words.items()}
    former = {code: _names(one) - _names(words[code]) for code, one in book.words.items()}
    return replace(course, book=replace(book, words=words), former=former)


def _names(words: Words) -> frozenset[str]:
    """All players' names, in all their forms."""
    held = words.players.values()
    return frozenset(
        name for forms in held for name in (forms.values() if isinstance(forms, dict) else [forms])
    )


def courses(library: Library) -> dict[str, Course]:
    return {
        name: Course(book, library.runs[name], library.texts[name], make_lessons(book, library.runs[name]))
        for name, book in library.games.items()
    }


@dataclass(frozen=True)
class ToldStep:
    """A step of a scenario, told in one language."""

    course: Course
    run: Run
    step: PlayedStep
    words: Words

    @property
    def texts(self) -> Texts:
        return self.course.texts[self.words.lang]

    @property
    def title(self) -> str:
        """The example's title; a scenario without an example goes by the rule that it shows. One that calls a
        player by a name which they do not have now goes by its part of the rulebook."""
        entries = self.texts.entries
        if self.run.scenario.id in entries:
            example = entries[self.run.scenario.id]
            former = self.course.former.get(self.words.lang, frozenset())
            misnames = not former.isdisjoint(re.findall(r"\w+", example.title))
            return self.texts.part_of[example.section].title if misnames else example.title
        shown = [reason.rule for reason in self.step.reasons]
        shown += [*self.step.file.shows, *sorted(self.step.cited), *self.course.book.facts.rules]
        return next(entries[rule].title for rule in shown if rule in entries)

    @property
    def deeds(self) -> tuple[str, ...]:
        return tuple(self.words.say_deed(deed) for deed in self.step.deeds)

    def line(self, suffix: str = "", facts: Mapping[str, Value] | None = None) -> str:
        """The rulebook's sentence for the step, with its values or those of a learner's own moves."""
        block = self.course.book.rulebooks[self.words.lang].blocks.get(self.run.scenario.id)
        sentence = (block.lines or {}).get(self.step.file.id + suffix) if block else None
        if sentence is None:
            return ""
        values = values_of(self.step, len(self.run.scenario.file.players))
        try:
            return sentence.html(self.words, values | dict(facts or {}))
        except MissingWord:
            return sentence.html(self.words, values)

    def story(self) -> str:
        """What the step tells a reader of the rulebook: what happened rather than the task."""
        return self.line("!") or self.line()

    def whys(self, verdict: Verdict | None) -> tuple[Why, ...]:
        """The sentences of a refusal, each with its rule; none for a legal move."""
        if verdict is None or verdict.ok:
            return ()
        return self.texts.explain(verdict, self.words)

    def scene(self, state: State, **values: Any) -> Scene:
        """A position of the step as its onlooker sees it: what is hidden from that seat is not in it."""
        seat = self.step.seat
        return Scene(state=self.course.book.game.view(state, seat), words=self.words, seat=seat, **values)

    def still(self) -> Scene:
        """The step as a picture: what changed is marked, or what a refused move wanted and lacked."""
        step = self.step
        if step.kind == "refuse" and step.verdict:
            tone = tone_of(step.verdict)
            return self.scene(step.before, marks=step.marks, tone=tone, tried=step.deeds[0].at)
        return self.scene(step.after, marks=step.marks)
