"""What a game lays on a screen beside its rules: a position that is set up by hand, a list of its pieces, a
drawing, a brain for its bots. A game may have none of them; what it has is found in `table`, beside its
engine."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from tutor.book.check import check, run_proof
from tutor.book.load import Library, load
from tutor.book.model import GameBook
from tutor.book.source import Problem
from tutor.book.stems import stems
from tutor.book.words import Words
from tutor.draw.drawing import Drawing
from tutor.draw.plain import PlainDrawing
from tutor.games import GAMES
from tutor.lessons import proof as lessons
from tutor.lessons.course import Course
from tutor.lookup.editions import OPTION as EDITION
from tutor.lookup.piece import Piece
from tutor.lookup.uses import spellings, with_uses
from tutor.play.bots import Brain
from tutor.referee.setup import Setup
from tutor.rules.base import Game
from tutor.rules.options import OneOf, Several
from tutor.search.rulebook import row


class Table(NamedTuple):
    """What `TABLE` in the `table` of a game's room says; each part is made over the engine."""

    setup: Callable[[Any], Setup] = Setup
    """Without one of its own, positions can only be played."""
    pieces: Callable[[Any, Words], Iterator[Piece]] | None = None
    drawing: Callable[[Any], Drawing] = PlainDrawing
    brain: Callable[[Any], Brain] = Brain
    """Without one of its own, bots see a win in one move, and nothing else."""


def table_of(game: Game) -> Table:
    return _table(type(game))


@cache
def _table(engine: type[Game]) -> Table:
    for one in engine.__mro__:
        room, beside, _ = one.__module__.partition(".engine")
        if beside and find_spec(f"{room}.table"):
            found: Table = import_module(f"{room}.table").TABLE
            return found
    return Table()


def setup_of(game: Game) -> Setup:
    return table_of(game).setup(game)


def brain_of(game: Game) -> Brain:
    return table_of(game).brain(game)


def drawing_of(game: Game) -> Drawing:
    return table_of(game).drawing(game)


def list_pieces(course: Course, lang: str) -> tuple[Piece, ...]:
    """All pieces in the order of their kinds."""
    book = course.book
    pieces = table_of(book.game).pieces
    return tuple(pieces(book.game, book.words[lang])) if pieces else ()


def pieces_of(course: Course, lang: str) -> tuple[Piece, ...]:
    """All pieces in the order of their kinds, with what touches them."""
    return with_uses(course, lang, list_pieces(course, lang))


def list_offers(course: Course) -> Iterator[str]:
    """What a game has to look up beside its rules; the site speaks of nothing else."""
    book = course.book
    if book.facts.rulings:
        yield "rulings"
    if list_pieces(course, next(iter(course.texts))):
        yield "pieces"
    if book.facts.editions or EDITION in book.game.options:
        yield "editions"


def check_all(content: Path, translations: Path, games: Mapping[str, type[Game]] = GAMES) -> list[Problem]:
    """What is wrong with the content, the lessons and the tables. No page is tried."""
    problems = check(content, translations, games=games)
    if problems:
        return problems
    library = load(content, games)
    books = library.games.values()
    return [*phrases(library), *run_proof(books, lambda: lessons.prove(library))]


def phrases(library: Library) -> Iterator[Problem]:
    """Every language has the phrases that the site says of a game's table: its drawing, its set-up, the kinds
    of its pieces, and what there is to agree on."""
    for book in library.games.values():
        for lang, words in book.words.items():
            for key, who in _phrases_of_table(book, words):
                if key not in words.phrases:
                    text = f"phrases.{key} is missing: {who} says it"
                    yield book.problem(f"words.{lang}.toml", text, "phrases")


def _phrases_of_table(book: GameBook, words: Words) -> Iterator[tuple[str, str]]:
    """The phrases of a table, each with what says it."""
    game, table = book.game, table_of(book.game)
    for key in table.drawing(game).phrases:
        yield key, "the drawing"
    for pattern in table.brain(game).patterns:
        yield f"hint-{pattern}", "a hint"
    for key in table.brain(game).wish_phrases:
        yield key, "a wish"
    for tools in table.setup(game).rows_known:
        yield f"set-{tools}", "the set-up"
    for piece in table.pieces(game, words) if table.pieces else ():
        yield f"pieces-{piece.kind}", "the list of pieces"
    for name, option in game.options.items():
        if not isinstance(option, Several):  # that is changed on the table
            yield f"option-{name}", "the referee’s form"
        for one in option.choices if isinstance(option, OneOf) else ():
            if one not in words.ids:
                yield f"option-{name}-{one}", "the referee’s form"


def rows_of(courses: Mapping[str, Course]) -> list[dict[str, Any]]:
    """All pieces of all games, as the store keeps what can be looked up."""
    return [
        row(
            game,
            lang,
            "piece",
            piece.id,
            piece.name,
            piece.text,
            _other_forms(piece, course.book.words[lang]),
        )
        for game, course in courses.items()
        for lang in course.texts
        for piece in list_pieces(course, lang)
    ]


def _other_forms(piece: Piece, words: Words) -> str:
    """The forms of its name that have another stem, for whoever asks about it in a sentence."""
    called = stems(piece.name, words.lang)
    forms = {name: stems(name, words.lang) for name in spellings(piece, words)}
    return ", ".join(sorted(name for name, form in forms.items() if _inflects(form, called)))


def _inflects(form: list[str], name: list[str]) -> bool:
    """Whether it is another form of a name, and not the name with an article."""
    begins = [[stem[:2] for stem in one] for one in (form, name)]
    return form != name and begins[0] == begins[1]
