"""The pieces of a game, one by one: what is printed on each, how many there are, and where they matter.

Each game lists its own. Which rules, rulings and examples touch a piece is not typed anywhere: it is found in
the texts that name it and in the scenarios in which it is used.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tutor.book.words import Words
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


def pieces(course: Course, lang: str) -> tuple[Piece, ...]:
    """All pieces in the order of their kinds, with what touches them."""
    book = course.book
    if book.id not in LISTS:
        return ()
    listed = tuple(LISTS[book.id](book.game, book.words[lang]))
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


__all__ = ["LISTS", "Piece", "pieces"]
