"""Everything the views need, compiled once when the site starts."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import abort, current_app

from tutor.book.load import Library, load
from tutor.rules import GAMES
from tutor.rules.base import Game
from tutor.store.rulebook import Store, open_store
from tutor.teach import pieces
from tutor.teach.course import Course, courses
from tutor.teach.scene import Scene
from tutor.teach.search import Search
from tutor.web.draw import Drawing, drawing_of, drawn


@dataclass(frozen=True)
class Shelf:
    """The games as courses with their drawings, and the store of their rulebooks."""

    library: Library
    store: Store
    courses: Mapping[str, Course]
    search: Search
    drawings: Mapping[str, Drawing]

    @classmethod
    def load(
        cls,
        content: Path,
        database: Path,
        games: Mapping[str, type[Game]] = GAMES,
    ) -> "Shelf":
        library = load(content, games)
        if library.problems:
            raise ValueError("\n".join(map(str, library.problems)))
        compiled = courses(library)
        store = open_store(library, database, pieces.rows_of(compiled))
        drawings = {name: drawing_of(book.game) for name, book in library.games.items()}
        return cls(library, store, compiled, Search(library, store.index), drawings)

    def course(self, game: str) -> Course:
        """The course of a game, or the 404 page."""
        if game not in self.courses:
            abort(404)
        return self.courses[game]

    def picture(self, game: str, scene: Scene) -> tuple[str, dict[str, Any]]:
        """A scene as a template draws it: the template's name and its `table`."""
        drawing = self.drawings[game]
        return drawing.template, drawn(drawing, scene)


def shelf() -> Shelf:
    found: Shelf = current_app.extensions["shelf"]
    return found
