"""The API: what the pages say, as JSON for other programs. It reads and judges; nothing can be changed by it.

Each operation is a function from its parameters to a typed answer. Addresses (see `routes`), parameters, the
OpenAPI document (see `openapi`) and the page about it (see `page`) all follow from these functions.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, get_type_hints

import msgspec
from flask import current_app, url_for

from tutor.book.texts import Entry
from tutor.book.words import LANGUAGES
from tutor.games.tables import pieces_of
from tutor.lessons.course import Course
from tutor.lookup import records
from tutor.lookup.piece import Piece
from tutor.lookup.records import EntryFound, GameFound, Listed, PieceFound, TermFound
from tutor.referee import programs
from tutor.rules.errors import quote_input
from tutor.rules.options import OneOf, Whole
from tutor.search.query import MOST_WORDS
from tutor.search.ranking import Hit
from tutor.web.http import address
from tutor.web.http.errors import NotThere
from tutor.web.http.links import hit_address
from tutor.web.http.shelf import shelf

BASE = f"{address.API}v1"
FOR_A_WHILE = ("Cache-Control", "public, max-age=300")

T = TypeVar("T")


class Parameter(Protocol):
    """Read and described as the options of a game are (see `rules.options`), so that a refusal is a sentence
    in the language of whoever asks, with all that may be said instead."""

    def read(self, name: str, value: Any, players: int) -> Any: ...

    def schema(self) -> dict[str, Any]: ...


class Maybe(OneOf):
    """One of a few words, or none."""

    def read(self, name: str, value: Any, players: int) -> str:
        return super().read(name, value, players) if value else ""

    def schema(self) -> dict[str, Any]:
        return super().schema() | {"type": "string", "enum": ["", *self.choices], "default": ""}


class Typed:
    """Any text."""

    def read(self, name: str, value: Any, players: int) -> str:
        return str(value)

    def schema(self) -> dict[str, Any]:
        about = f"What a player would type, in any of the languages; the first {MOST_WORDS} words are read."
        return {"type": "string", "default": "", "description": about}


def parameters() -> Mapping[str, Parameter]:
    """All there are; an operation knows some of them."""
    return {
        "q": Typed(),
        "lang": Maybe(LANGUAGES, "Language of the answer; by default the first that Accept-Language names."),
        "game": Maybe(tuple(shelf().courses), "Only what belongs to this game."),
        "offset": Whole(0, 100_000, 0, "How many results to leave out."),
        "limit": Whole(1, 100, 20, "How many results to give at most."),
    }


@dataclass(frozen=True)
class Parameters:
    """The parameters of a request."""

    lang: str
    game: str = ""
    q: str = ""
    offset: int = 0
    limit: int = 20

    @property
    def courses(self) -> list[Course]:
        return [course for name, course in shelf().courses.items() if self.game in ("", name)]

    def part(self, found: list[T]) -> list[T]:
        return found[self.offset : self.offset + self.limit]


@dataclass(frozen=True)
class Operation:
    """One thing to ask for. `answer` and `body` are types; the docstring of `run` tells other programmers."""

    name: str
    path: str
    parameters: tuple[str, ...]
    run: Callable[..., Any]
    answer: Any
    body: type[msgspec.Struct] | None = None

    @property
    def method(self) -> str:
        return "POST" if self.body else "GET"


OPERATIONS: dict[str, Operation] = {}


def operation(
    path: str, *names: str, body: type[msgspec.Struct] | None = None
) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """A function from `Parameters`, body and parts of the path to an answer, as an address of the API."""

    def decorate(run: Callable[..., T]) -> Callable[..., T]:
        OPERATIONS[run.__name__] = Operation(
            run.__name__, path, names, run, get_type_hints(run)["return"], body
        )
        return run

    return decorate


def where(kind: str, game: str, name: str) -> str:
    """The address of the page on which something is read."""
    if kind == "game":
        return url_for("pages.game", game=game)
    if kind == "screen":
        return url_for("learn.screen", game=game, name=name)
    if kind == "step":
        example, step = name.split("/")
        return url_for("rules.one_example", game=game, name=example, step=step)
    return hit_address(Hit(game, kind, name, "", "", (), ()))


# The operations


class Index(msgspec.Struct, frozen=True):
    """Where to read on."""

    openapi: str
    documentation: str
    operations: list[str]


class Result(msgspec.Struct, frozen=True):
    """A rule, ruling, example, edition note, piece or term that was found; the snippet is plain text."""

    id: str
    kind: str
    game: str
    title: str
    url: str
    snippet: str


class Results(msgspec.Struct, frozen=True):
    """What was found, best first. `instead` is the query as it was understood, if a word was mended; if
    `near`, nothing has the words, and these are the rules whose titles come nearest."""

    results: list[Result]
    instead: str
    near: bool


@operation("/")
def index(params: Parameters) -> Index:
    """Where to begin."""
    listed = [f"{BASE}{one.path}" for one in OPERATIONS.values() if "<" not in one.path]
    return Index(url_for("api_page.document"), url_for("api_page.page", lang=params.lang), listed)


@operation("/search", "q", "lang", "game", "limit")
def search(params: Parameters) -> Results:
    """Search rules, rulings, examples, edition notes, pieces and terms as a player would ask."""
    found = shelf().search.find(params.q, params.lang, params.game, most=params.limit)
    results = [
        Result(
            hit.id, hit.kind, hit.game, hit.title, hit_address(hit), "".join(text for text, _ in hit.snippet)
        )
        for hit in found.hits
    ]
    return Results(results, found.instead, bool(results) and found.near)


@operation("/games", "lang", "offset", "limit")
def games(params: Parameters) -> Listed[GameFound]:
    """All games."""
    found = list(shelf().courses.values())
    return Listed([records.game(course, params.lang, where) for course in params.part(found)], len(found))


@operation("/games/<game>", "lang")
def game(params: Parameters, game: str) -> dict[str, Any]:
    """All that a program needs to play a game: options, notation of moves and positions, boards, rules."""
    if game not in shelf().courses:
        raise NotThere("game", value=quote_input(game))
    return programs.describe(shelf().courses[game].book)


def _kind(kind: str, all_of_them: str, one: str) -> None:
    """The two operations of a kind of entry: the list, and one by its id."""

    def list_all(params: Parameters) -> Listed[EntryFound]:
        found = records.entries(params.courses, kind, params.lang)
        results = [records.entry(course, entry, params.lang, where) for course, entry in params.part(found)]
        return Listed(results, len(found))

    def by_id(params: Parameters, entry: str) -> EntryFound:
        return find(entry, params.lang, kind)

    for run, name, about in ((list_all, f"{kind}s", all_of_them), (by_id, kind, one)):
        run.__name__, run.__doc__ = name, about
    operation(f"/{kind}s", "lang", "game", "offset", "limit")(list_all)
    operation(f"/{kind}s/<entry>", "lang")(by_id)


_kind("rule", "The rules, in the order of the rulebooks.", "A rule by its id, which never changes.")
_kind("ruling", "Questions that players ask, with answers that a scenario proves.", "A ruling by its id.")
_kind("edition", "Notes on what printed editions say differently.", "An edition note by its id.")


@operation("/terms", "lang", "game", "offset", "limit")
def terms(params: Parameters) -> Listed[TermFound]:
    """The glossary, each term in all languages."""
    library = shelf().library
    found = [name for name, term in library.terms.items() if not params.game or params.game in term.games]
    return Listed([records.term(library, name, where) for name in params.part(found)], len(found))


@operation("/terms/<term>", "lang")
def term(params: Parameters, term: str) -> TermFound:
    """A term by its id, in all languages."""
    if term not in shelf().library.terms:
        raise NotThere("id", value=quote_input(term))
    return records.term(shelf().library, term, where)


@operation("/pieces", "lang", "game", "offset", "limit")
def pieces(params: Parameters) -> Listed[PieceFound]:
    """Cards, tiles, areas: what is printed on each, how many there are, and where it matters."""
    found = [(course, one) for course in params.courses for one in _pieces(course, params.lang)]
    part = [records.piece(course, one, params.lang, where) for course, one in params.part(found)]
    return Listed(part, len(found))


@operation("/judge", "lang", body=programs.Request)
def judge(params: Parameters, sent: programs.Request) -> programs.Answer:
    """Whether a move is allowed, and why: the same request and answer as a line of `tutor referee`."""
    return programs.answer(shelf().library, sent, params.lang)


@operation("/moves", "lang", body=programs.Request)
def moves(params: Parameters, sent: programs.Request) -> programs.Answer:
    """The legal moves of the players in a position, at most 1000 of `count`, and in how many ways chance may
    come out: as `judge`, with `list` set."""
    return programs.answer(shelf().library, msgspec.structs.replace(sent, list_=True), params.lang)


def _pieces(course: Course, lang: str) -> tuple[Piece, ...]:
    """Found once: it takes long to look through all texts and scenarios for each piece."""
    kept: dict[tuple[str, str], tuple[Piece, ...]] = current_app.extensions["pieces"]
    key = course.book.id, lang
    if key not in kept:
        kept[key] = pieces_of(course, lang)
    return kept[key]


def find(name: str, lang: str, *kinds: str) -> EntryFound:
    """A rule, ruling or note by its id. Raises NotThere."""
    for course in shelf().courses.values():
        entry: Entry | None = course.texts[lang].entries.get(name)
        if entry and entry.kind in kinds:
            return records.entry(course, entry, lang, where)
    raise NotThere("id", value=quote_input(name))
