"""A damaged file of live tables: it is moved aside, and what can be read of it goes on in a new one.

Tables last for a day, and somebody presents at each of them, so that waiting for help is worse than to lose
those that cannot be read. Nothing is deleted, and nothing is touched that was never a file of ours.
"""

import fcntl
import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from tutor.live.log.base import CHANNELS, Unavailable
from tutor.live.log.file import BESIDE, PRIVATE_MODE, alone_in, answering, identity
from tutor.live.log.schema import bring_up

log = logging.getLogger(__name__)

HEAD = b"SQLite format 3\0"


def mend(path: Path, known: tuple[int, ...]) -> None:
    """`known` is the file that this process has used before: that one is ours, whatever is in it now."""
    try:
        with answering(), suppress(BlockingIOError), _only_one(path):
            if identity(path)[:2] != known[:2] and not _begins_like_one(path):
                log.warning(
                    "%s is not a database: it is left as it is; name another place in TUTOR_LIVE", path
                )
            elif not _is_sound(path):  # or somebody was quicker
                _replace(path)
    except Unavailable as error:
        log.warning("%s could not be mended: %s", path, " ".join(str(error).split()))


@contextmanager
def _only_one(path: Path) -> Iterator[None]:
    """One process at a time does it; in the others this raises BlockingIOError."""
    place = Path(f"{path}.mending")
    handle = os.open(place, os.O_RDWR | os.O_CREAT, PRIVATE_MODE)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            yield
        finally:
            place.unlink(missing_ok=True)
    finally:
        os.close(handle)


def _begins_like_one(path: Path) -> bool:
    """Only for a file that SQLite does not use in this process: to close it would undo SQLite's locks."""
    with path.open("rb") as file:
        return file.read(len(HEAD)) in (HEAD, bytes(len(HEAD)))  # zeros are left when the power fails


def _is_sound(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(path)) as db:
            return bool(db.execute("pragma integrity_check(1)").fetchone() == ("ok",))
    except sqlite3.Error:
        return False


def _replace(path: Path) -> None:
    made = Path(f"{path}.new")
    made.unlink(missing_ok=True)
    made.touch(PRIVATE_MODE)
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as old,
        closing(sqlite3.connect(made, isolation_level=None)) as new,
    ):
        with suppress(sqlite3.Error):
            old.execute("begin immediate")  # whoever writes waits, and then finds the new file
        new.execute("pragma journal_mode = wal")  # now: later it would fail while anybody reads
        bring_up(new)
        saved, lost = _save(old, new)
        new.close()
        aside = f"{path}.broken-{time.strftime('%Y%m%d-%H%M%S')}"
        with alone_in(path.parent):
            for beside in BESIDE:
                with suppress(FileNotFoundError):
                    Path(f"{path}{beside}").rename(f"{aside}{beside}")
            made.rename(path)
    unread = "an unknown number" if lost is None else lost
    told = "%s was damaged: it lies in %s now, and a new one has been begun; tables saved: %s, lost: %s"
    log.warning(told, path, aside, saved, unread)


def _save(old: sqlite3.Connection, new: sqlite3.Connection) -> tuple[int, int | None]:
    """Copies the tables that are whole; how many these are, and how many are not."""
    try:
        tables = old.execute("select code, touched from tables").fetchall()
    except sqlite3.Error:
        return 0, None
    saved = 0
    new.execute("begin")
    for code, touched in tables:
        events = _events(old, code)
        if events and isinstance(touched, float):
            new.executemany("insert into events (code, channel, version, body) values (?, ?, ?, ?)", events)
            new.execute("insert into tables values (?, ?)", (code, touched))
            saved += 1
    new.execute("update clock set seen = (select coalesce(max(touched), 0) from tables)")
    new.execute("commit")
    return saved, len(tables) - saved


def _events(db: sqlite3.Connection, code: str) -> list[tuple[str, str, int, str]]:
    """All of a table, or none if some cannot be read."""
    query = "select code, channel, version, body from events where code = ? order by channel, version"
    try:
        rows = db.execute(query, (code,)).fetchall()
    except sqlite3.Error:
        return []
    by_channel = [[version for _, channel, version, _ in rows if channel == name] for name in CHANNELS]
    whole = all(found == [*range(1, len(found) + 1)] for found in by_channel)
    return rows if whole and by_channel[0] else []
