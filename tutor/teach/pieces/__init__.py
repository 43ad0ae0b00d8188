"""The pieces of a game, one by one: what is printed on each, how many there are, and where they matter.

Each game lists its own. Which rules, rulings and examples touch a piece is not typed anywhere: it is found in
the texts that name it and in the scenarios in which it is used.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from tutor.book.words import Words
from tutor.store.rulebook import row
from tutor.teach.course import Course
from tutor.teach.pieces import blockers, border, confini
from tutor.teach.pieces.piece import Piece
from tutor.teach.pieces.uses import Uses

LISTS: dict[str, Callable[[Any, Words], Iterator[Piece]]] = {
    "border": border.pieces,
    "blockers": blockers.pieces,
    "confini": confini.pieces,
}
"""The list of each game, made from its engine; a game may have none."""


def listed_of(course: Course, lang: str) -> tuple[Piece, ...]:
    """All pieces in the order of their kinds."""
    book = course.book
    return tuple(LISTS[book.id](book.game, book.words[lang])) if book.id in LISTS else ()


def rows_of(courses: Mapping[str, Course]) -> list[dict[str, Any]]:
    """All pieces of all games, as the store keeps what can be looked up."""
    return [
        row(game, lang, "piece", piece.id, piece.name, piece.text)
        for game, course in courses.items()
        for lang in course.texts
        for piece in listed_of(course, lang)
    ]


def pieces(course: Course, lang: str) -> tuple[Piece, ...]:
    """All pieces in the order of their kinds, with what touches them."""
    listed = listed_of(course, lang)
    uses = Uses(course, listed)
    entries = course.texts[lang].entries

    def titled(ids: list[str]) -> tuple[tuple[str, str], ...]:
        return tuple((name, entries[name].title) for name in ids)

    return tuple(
        replace(
            piece,
            rules=titled(uses.rules(piece)),
            rulings=titled(uses.rulings(piece)),
            examples=tuple(
                (f"{scenario}/{step}", course.tell(scenario, step, lang).title)
                for scenario, step in uses.examples(piece)
            ),
        )
        for piece in listed
    )


__all__ = ["LISTS", "Piece", "pieces", "rows_of"]
