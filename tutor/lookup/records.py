"""What is known of a game, a rule, a ruling, an edition note or a term, as other programs get it.

Nothing here knows an address: whoever asks says `where` things are read.
"""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import msgspec

from tutor.book.load import Library
from tutor.book.texts import Entry
from tutor.book.words import LANGUAGES
from tutor.lessons.course import Course
from tutor.lookup.piece import Piece
from tutor.lookup.terms import meanings

MOST_USES_LISTED = 10
"""A rule that every other step cites is shown by this many."""

T = TypeVar("T")
Where = Callable[[str, str, str], str]
"""The address of something by kind, game and id."""


class Listed(msgspec.Struct, Generic[T], frozen=True):
    """A part of a list; `total` is the length of the whole."""

    results: list[T]
    total: int


class GameFound(msgspec.Struct, frozen=True):
    """A game: for how many players, from which age on, how many minutes."""

    id: str
    title: str
    summary: str
    players: tuple[int, int]
    age: int
    minutes: int
    ours: list[str]
    """What in this game is this project's own invention."""
    url: str


class Link(msgspec.Struct, frozen=True):
    """Something to read on: a rule, a ruling, an edition note, a step of an example, a screen of a lesson."""

    kind: str
    id: str
    title: str
    url: str


class EntryFound(msgspec.Struct, frozen=True):
    """A rule, a ruling (the title asks, the text answers) or a note on printed editions.

    `why` is what somebody is told who breaks the rule, in the first checked scenario where that happens;
    `basis` says whether a rule is printed, derived or ours; `editions` which printings a note speaks of.
    `related` are the rulings and notes of a rule, or the rule of a ruling or note; `shown` the steps and
    screens where it can be seen at work.
    """

    id: str
    kind: str
    game: str
    lang: str
    section: str
    title: str
    text: str
    why: str
    basis: str
    editions: list[str]
    related: list[Link]
    shown: list[Link]
    url: str


class WordFound(msgspec.Struct, frozen=True):
    """A term in one language: our word, what else players say; by game what it means and what a box says."""

    word: str
    also: list[str]
    means: dict[str, str]
    box: dict[str, str]


class TermFound(msgspec.Struct, frozen=True):
    """A term of the glossary in all languages; `rules` names the rule that explains it in each game."""

    id: str
    rules: dict[str, str]
    words: dict[str, WordFound]
    url: str


class PieceFound(msgspec.Struct, frozen=True):
    """A card, a tile, an area ...: `count` of them are in the box, 0 if it is printed on something else.

    `related` are the rules and rulings that touch it, `shown` the steps in which it is used.
    """

    id: str
    kind: str
    game: str
    lang: str
    name: str
    text: str
    count: int
    ours: bool
    related: list[Link]
    shown: list[Link]
    url: str


def game(course: Course, lang: str, where: Where) -> GameFound:
    texts, file = course.texts[lang], course.book.file
    return GameFound(
        course.book.id,
        texts.title,
        texts.summary,
        file.players,
        file.age,
        file.minutes,
        list(texts.ours),
        where("game", course.book.id, ""),
    )


def term(library: Library, name: str, where: Where) -> TermFound:
    found = library.terms[name]
    words = {}
    for lang in LANGUAGES:
        word = found.words[lang]
        means = {one.game: one.text for one in meanings(library, name, lang)}
        words[lang] = WordFound(word.word, list(word.also), means, word.box)
    return TermFound(name, found.rules, words, where("term", found.games[0], name))


def entry(course: Course, found: Entry, lang: str, where: Where) -> EntryFound:
    texts, book = course.texts[lang], course.book
    return EntryFound(
        found.id,
        found.kind,
        book.id,
        lang,
        texts.part_of[found.section].title,
        found.title or texts.part_of[found.section].title,  # a note has none of its own
        found.plain,
        _why(course, found.id, lang),
        found.basis,
        list(found.printings),
        [_link(course, name, lang, where) for name in _find_related(course, found)],
        [*_find_uses(course, found, lang, where)][:MOST_USES_LISTED],
        where(found.kind, book.id, found.id),
    )


def piece(course: Course, found: Piece, lang: str, where: Where) -> PieceFound:
    game = course.book.id
    return PieceFound(
        found.id,
        found.kind,
        game,
        lang,
        found.name,
        found.text,
        found.count,
        found.ours,
        [_link(course, name, lang, where) for name, _ in (*found.rules, *found.rulings)],
        [
            Link("step", name, title, where("step", game, name))
            for name, title in found.examples[:MOST_USES_LISTED]
        ],
        where("piece", game, found.id),
    )


def _link(course: Course, name: str, lang: str, where: Where) -> Link:
    texts = course.texts[lang]
    found = texts.entries[name]
    title = found.title or texts.part_of[found.section].title
    return Link(found.kind, name, title, where(found.kind, course.book.id, name))


def _find_related(course: Course, found: Entry) -> Iterator[str]:
    facts = course.book.facts
    yield from (name for name, _ in found.related)
    yield from (name for name, note in facts.editions.items() if note.rule == found.id)


def _why(course: Course, rule: str, lang: str) -> str:
    """The sentence of the first refusal by the rule; none for a rule that no move can break."""
    for name, run in course.runs.items():
        for step, played in run.steps.items():
            if played.verdict and not played.verdict.ok and any(r.rule == rule for r in played.reasons):
                whys = course.tell(name, step, lang).whys(played.verdict)
                return next(why.text for why in whys if why.rule == rule)
    return ""


def _find_uses(course: Course, found: Entry, lang: str, where: Where) -> Iterator[Link]:
    """The screens that introduce it, the step that proves it, and the first step of each scenario with it."""
    book = course.book
    for lesson in course.lessons.all:
        for screen in lesson.screens:
            if found.id in screen.rules:
                title = book.words[lang].phrase(f"lesson-{lesson.id}")
                yield Link("screen", screen.id, title, where("screen", book.id, screen.id))
    for name, run in course.runs.items():
        for step, played in run.steps.items():
            cited = {*played.cited, *played.file.shows, *(reason.rule for reason in played.reasons)}
            if found.id in cited or found.proof == f"{name}/{step}":
                title = course.tell(name, step, lang).title
                yield Link("step", f"{name}/{step}", title, where("step", book.id, f"{name}/{step}"))
                break


def entries(courses: list[Course], kind: str, lang: str) -> list[tuple[Course, Entry]]:
    """All rules, rulings or notes of some games, in the order of their rulebooks."""
    return [
        (course, found)
        for course in courses
        for found in course.texts[lang].entries.values()
        if found.kind == kind
    ]


def ids(library: Library) -> list[str]:
    """Of every rule, ruling and note."""
    return [
        found.id
        for by_lang in library.texts.values()
        for found in next(iter(by_lang.values())).entries.values()
        if found.kind != "example"
    ]
