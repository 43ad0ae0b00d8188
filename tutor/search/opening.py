"""Opening rulebook.db: a file for each fingerprint, so that two versions do not build each other's away.

It is checked when it is opened, and built where it is missing or damaged, also while it is being read: then
in a thread of its own, once for all processes, which notice that their file was replaced.
"""

import atexit
import logging
import os
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from tutor.book.load import Library
from tutor.search.index import Index
from tutor.search.rulebook import build, fingerprint, is_sound
from tutor.search.trouble import Trouble, away

log = logging.getLogger(__name__)

Make = Callable[[Path], None]
WEEK = 7 * 86_400
"""Seconds after which a file of another version is removed that nobody opens."""
AGAIN = 60.0
"""Seconds between two attempts to build a damaged file anew."""


class NoPlace(Exception):
    """There is no place at which the database could be built."""


class Rebuilding(Exception):
    """The database is damaged, and is being built anew."""


def open_store(library: Library, path: Path, more: Sequence[dict[str, Any]] = ()) -> "Store":
    """The store of a library, beside `path`; built first if it is not there. Raises NoPlace."""
    place = place_of(path, fingerprint(library, more))
    store = Store(place, lambda target: build(library, target, more))
    store.get_ready()
    _tidy(path, place)
    return store


def place_of(path: Path, mark: str) -> Path:
    """Where the database of a fingerprint is kept."""
    return path.with_name(f"{path.stem}-{mark}{path.suffix}")


def _tidy(path: Path, ours: Path) -> None:
    """Removes what other versions have left, and builders who were stopped."""
    left = re.compile(rf"{re.escape(path.stem)}-[0-9a-f]{{16}}{re.escape(path.suffix)}(\.\w+\.part)?")
    with suppress(OSError):
        for other in path.parent.iterdir():
            if other != ours and left.fullmatch(other.name) and time.time() - other.stat().st_mtime > WEEK:
                other.unlink()


def _build(place: Path, make: Make) -> Path:
    """Where the database was built: in its place, or in a folder of our own where that cannot be written."""
    try:
        make(place)
        return place
    except (OSError, sqlite3.Error) as error:
        why = f"{place} cannot be written: {error}"
    try:
        folder = Path(tempfile.mkdtemp(prefix="rules-tutor-"))
        atexit.register(_remove, folder, os.getpid())
        make(folder / place.name)
    except (OSError, sqlite3.Error) as error:
        raise NoPlace(f"{why}; nor can a temporary folder: {error}") from error
    log.warning("%s; for as long as this server runs it is in %s", why, folder)
    return folder / place.name


def _remove(folder: Path, process: int) -> None:
    """Workers end before the process that they were forked from."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


class Store:
    """Reads a built rulebook.db, which `make` can build anew."""

    def __init__(self, path: Path, make: Make | None = None) -> None:
        self.path = path
        self._make = make
        self._db: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._trouble = Trouble(f"the rulebook in {path}")
        self._mending = False
        self._tried = -AGAIN
        if make is None:
            self._open()

    def get_ready(self) -> None:
        """Builds the database unless it is there and sound. Raises NoPlace."""
        if self._make and not is_sound(self.path):
            self.path = _build(self.path, self._make)
        self._open()

    def in_this_process(self) -> "Store":
        """The same for a worker: SQLite's connections do not survive a fork. It comes without a database if
        there is none and none can be built; the site has much else to show."""
        made = Store(self.path, self._make)
        try:
            made.get_ready()
        except NoPlace as error:
            made._trouble.begins("damaged", str(error))
        return made

    def _open(self) -> None:
        # Every query is a short read of an immutable file, so one connection serves all threads.
        address = f"{self.path.absolute().as_uri()}?mode=ro&immutable=1"
        self._file = _identity(self.path)
        self._db = sqlite3.connect(address, uri=True, check_same_thread=False)
        with suppress(OSError):
            os.utime(self.path)  # somebody has opened it

    def execute(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows. Raises Rebuilding if the file is damaged."""
        try:
            if self._file != (now := _identity(self.path)) and now:
                self._open()
            if self._db is None:
                raise sqlite3.DatabaseError("there is no such file")
            found = self._db.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            if self._make is None or (is_sound(self.path) and self._file == _identity(self.path)):
                raise  # a mistake of ours
            self._trouble.begins("damaged", f"{error}; it is being built anew")
            self._mend()
            raise Rebuilding from error
        if not self._mending:
            self._trouble.ends()
        return found

    def _mend(self) -> None:
        if not self._mending and time.monotonic() - self._tried > AGAIN:
            self._mending, self._tried = True, time.monotonic()
            away(self._build_anew)

    def _build_anew(self) -> None:
        try:
            self.get_ready()
        except NoPlace as error:
            log.warning("%s", error)
        finally:
            self._mending = False

    @cached_property
    def index(self) -> Index:
        return Index(self)

    @property
    def fingerprint(self) -> str:
        [[found]] = self.execute("select value from meta where key = 'fingerprint'")
        return str(found)

    def game_of(self, entry: str) -> str | None:
        """The game of a rule, ruling or edition note. Examples have names that several games may use."""
        query = "select game from entries where id = ? and kind not in ('example', 'term', 'piece') limit 1"
        return next((str(game) for [game] in self.execute(query, (entry,))), None)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
