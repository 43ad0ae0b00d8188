"""Everything the views need, compiled once when the site starts."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from flask import abort, current_app

from tutor.book.load import Library, load
from tutor.book.model import GameBook
from tutor.book.scenario import Run
from tutor.rules import GAMES
from tutor.rules.base import Game
from tutor.store.rulebook import Store, open_store
from tutor.teach.lesson import Lesson, make
from tutor.web.draw import DRAWINGS, Drawing, Maker


@dataclass(frozen=True)
class Shelf:
    """The games of a library with their lessons and drawings, and the store of their rulebooks."""

    library: Library
    store: Store
    runs: Mapping[str, Mapping[str, Run]]
    lessons: Mapping[str, Lesson]
    drawings: Mapping[str, Drawing]
    version: str

    @classmethod
    def load(
        cls,
        content: Path,
        database: Path,
        games: Mapping[str, type[Game]] = GAMES,
        drawings: Mapping[str, Maker] = DRAWINGS,
    ) -> "Shelf":
        library = load(content, games)
        if library.problems:
            raise ValueError("\n".join(map(str, library.problems)))
        store = open_store(library, database)
        return cls(
            library,
            store,
            library.runs,
            {name: make(book, library.runs[name]) for name, book in library.games.items()},
            {name: drawings[name](book.game) for name, book in library.games.items()},
            store.fingerprint,
        )

    def book(self, game: str) -> GameBook:
        """The book of a game, or the 404 page."""
        if game not in self.library.games:
            abort(404)
        return self.library.games[game]


def shelf() -> Shelf:
    found: Shelf = current_app.extensions["shelf"]
    return found
