"""What the children of `tutor dev` make out of the files as they are now."""

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from flask import Flask

from tutor.book.load import Library
from tutor.games.tables import check_all
from tutor.paths import CONTENT, TRANSLATIONS
from tutor.search.opening import Store, place_of
from tutor.search.rulebook import build, fingerprint
from tutor.web import create_app
from tutor.web.dev.page import Problem
from tutor.web.http.errors import raise_bugs


class Late(Store):
    """Is built when somebody searches, for that takes longer than all the rest."""

    def __init__(self, library: Library, path: Path, more: Sequence[dict[str, Any]]) -> None:
        self._lock = Lock()
        place = place_of(path, fingerprint(library, more))
        super().__init__(place, lambda target: build(library, target, more))

    def execute(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock:
            if self._db is None:
                self.get_ready()
        return super().execute(query, values)


def make(database: Path) -> Flask:
    """The site, without limits. Raises ValueError for content that cannot be read."""
    site = create_app(database, open_store=Late)
    site.config.update(HOSTS=["localhost", "127.0.0.1"], API_RATE=0, LIMITS=0)
    raise_bugs(site)
    return site


def problems() -> list[Problem]:
    """Those that `tutor check --quick` finds."""
    found = check_all(CONTENT, TRANSLATIONS)
    return [Problem(str(one.file), one.line, one.text) for one in found]
