"""Everything the views need, compiled once when the site starts."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import abort, current_app, redirect, url_for

from tutor.book.load import Library, load
from tutor.draw.drawing import Drawing
from tutor.draw.over import draw
from tutor.games import GAMES
from tutor.games.tables import drawing_of, list_offers, rows_of
from tutor.lessons.course import Course, courses
from tutor.lessons.scene import Scene
from tutor.rules.base import Game
from tutor.search.opening import Store, open_store
from tutor.search.ranking import Search

OpenStore = Callable[[Library, Path, Sequence[dict[str, Any]]], Store]


@dataclass(frozen=True)
class Shelf:
    """The games as courses with their drawings, and the store of their rulebooks."""

    library: Library
    store: Store
    courses: Mapping[str, Course]
    search: Search
    drawings: Mapping[str, Drawing]
    pieces: Mapping[str, str]
    """The game of each piece, by its id; where games share an id, the first."""
    offers: Mapping[str, frozenset[str]]
    """What each game has to look up beside its rules: any of rulings, pieces and editions."""

    @classmethod
    def load(
        cls,
        content: Path,
        database: Path,
        games: Mapping[str, type[Game]] = GAMES,
        open_store: OpenStore = open_store,
    ) -> "Shelf":
        library = load(content, games)
        if library.problems:
            raise ValueError("\n".join(map(str, library.problems)))
        compiled = courses(library)
        rows = rows_of(compiled)
        pieces = {row["id"]: row["game"] for row in reversed(rows)}
        store = open_store(library, database, rows)
        drawings = {name: drawing_of(book.game) for name, book in library.games.items()}
        offers = {name: frozenset(list_offers(course)) for name, course in compiled.items()}
        return cls(library, store, compiled, Search(library, store.index), drawings, pieces, offers)

    def course(self, game: str, subject: str = "") -> Course:
        """The course of a game, or the 404 page. Whoever asks by its address for a subject of which the game
        has nothing gets to the game's own page."""
        if game not in self.courses:
            abort(404)
        if subject and subject not in self.offers[game]:
            abort(redirect(url_for("pages.game", game=game)))
        return self.courses[game]

    def picture(self, game: str, scene: Scene) -> tuple[str, dict[str, Any]]:
        """A scene as a template draws it: the template's name and its `table`."""
        drawing = self.drawings[game]
        return drawing.template, draw(drawing, scene)

    def list_lying(self, game: str, scene: Scene, places: Collection[str]) -> list[str]:
        """What lies at some places of the board, in few words."""
        spots = self.drawings[game].spots(scene) if places else ()
        return [spot.label.partition(";")[0] for spot in spots if spot.name in places]


def shelf() -> Shelf:
    found: Shelf = current_app.extensions["shelf"]
    return found
