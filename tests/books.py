"""The content of all games, loaded once for all tests of a process. Nobody changes it."""

from tutor.book.load import load
from tutor.draw.plain import PlainDrawing
from tutor.games.tables import drawing_of, list_offers, setup_of
from tutor.lessons.course import courses
from tutor.paths import CONTENT

LIBRARY = load(CONTENT)
COURSES = courses(LIBRARY)
FULL = ("border", "blockers", "confini")
"""The games that have all that a game may have: there, a test that looks for something finds it. Another game
may be as small as it likes."""


def having(what: str) -> list[str]:
    """The games with rulings, pieces or editions to look up, with a drawing, or with a set-up."""
    return [name for name, course in COURSES.items() if what in _parts(name) | set(list_offers(course))]


def _parts(name: str) -> set[str]:
    game = LIBRARY.games[name].game
    drawn = not isinstance(drawing_of(game), PlainDrawing)
    return {part for part, there in (("drawing", drawn), ("setup", setup_of(game).rows_known)) if there}
