"""The log of live tables in a SQLite file, for the processes of one machine.

An event that was acknowledged survives the end of the process. When the machine loses its power, the last
few may be lost, but never the file.
"""

import errno
import fcntl
import os
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tutor.store.live.base import (
    LATEST,
    Channel,
    Down,
    Event,
    Full,
    News,
    NoTable,
    Ring,
    Stale,
    Taken,
    Unavailable,
    dumped,
    keep_listening,
    loaded,
)

BUSY = 3.0
"""Seconds to wait for others who write."""
POLL = 0.025
"""Seconds between two looks for news."""

READ, WRITE = "begin", "begin immediate"  # to read first and lock later would fail if others wrote in between

# The number tells the order of all events of the file, and is never used again.
SCHEMA = """
create table if not exists tables (code text primary key, touched real not null) without rowid;
create table if not exists events (
    number integer primary key autoincrement,
    code text not null,
    channel text not null,
    version integer not null,
    body text not null,
    unique (code, channel, version)
);
"""

# The plus signs keep SQLite from walking through the index of all events to have the groups in order.
NEWS = """
select code, channel, max(version), max(number) from events where number > ? group by +code, +channel
"""

UNWRITABLE = (
    "SQLITE_FULL", "SQLITE_READONLY", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_SHMOPEN",
)  # fmt: skip
UNWRITABLE_PLACE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT)


class SqliteLog:
    """See `Log`. The clock is the wall's, so that silence lasts over a restart."""

    def __init__(self, path: Path, silence: float, clock: Callable[[], float] = time.time) -> None:
        self._path = Path(os.path.realpath(path))
        self._silence = silence
        self._clock = clock
        self._closed = False
        # Whoever calls takes one or makes one. A lock around a single connection would have to hold back both
        # threads and greenlets; taking from a deque needs none, and greenlets never need a second connection.
        self._idle: deque[_Connection] = deque()

    def create(self, code: str, body: dict[str, Any]) -> None:
        text = dumped(body)
        with self._transaction(WRITE) as db:
            if self._exists(db, code):
                raise Taken(code)
            _forget(db, code)
            db.execute("insert into tables values (?, ?)", (code, self._clock()))
            _add(db, code, "stage", 1, text)

    def append(self, code: str, channel: Channel, body: dict[str, Any], after: int | None = None) -> int:
        text = dumped(body)
        with self._transaction(WRITE) as db:
            if not self._exists(db, code):
                raise NoTable(code)
            last = _last(db, code, channel)
            if after is not None and after != last:
                raise Stale(code, channel, last)
            _add(db, code, channel, last + 1, text)
            db.execute("update tables set touched = ? where code = ?", (self._clock(), code))
        return last + 1

    def read(self, code: str, channel: Channel, after: int = 0) -> list[Event]:
        query = "select version, body from events where code = ? and channel = ? and version > ? order by 1"
        with self._transaction(READ) as db:
            if not self._exists(db, code):
                raise NoTable(code)
            rows = db.execute(query, (code, channel, min(max(after, 0), LATEST))).fetchall()
        return [loaded(*row) for row in rows]

    def delete(self, code: str) -> None:
        with self._transaction(WRITE) as db:
            _forget(db, code)

    def count(self) -> int:
        with self._transaction(READ) as db:
            [[count]] = db.execute("select count(*) from tables where touched > ?", (self._since(),))
        return int(count)

    def clean(self) -> int:
        with self._transaction(WRITE) as db:
            query = "select code from tables where touched <= ?"
            silent = [code for [code] in db.execute(query, (self._since(),))]
            for code in silent:
                _forget(db, code)
        return len(silent)

    def listen(self, ring: Ring, down: Down) -> None:
        keep_listening(self._follow, ring, down, lambda: self._closed)

    def close(self) -> None:
        self._closed = True
        while self._idle:
            self._idle.pop().db.close()

    def _since(self) -> float:
        """Tables that nothing was added to since then are none any more."""
        return self._clock() - self._silence

    def _exists(self, db: sqlite3.Connection, code: str) -> bool:
        query = "select 1 from tables where code = ? and touched > ?"
        return db.execute(query, (code, self._since())).fetchone() is not None

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with _answering():
            connection = self._connection()
            try:
                connection.db.execute(begin)
                yield connection.db
                connection.db.execute("commit")
            except sqlite3.Error:
                connection.db.close()  # a new one may fare better: the file may have been replaced or mended
                raise
            except Exception:
                connection.db.rollback()
                self._idle.append(connection)
                raise
            self._idle.append(connection)

    def _connection(self) -> "_Connection":
        if self._closed:
            raise Unavailable("the log is closed")
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return _connect(self._path)
            if connection.is_to(self._path):
                return connection
            connection.db.close()

    def _follow(self) -> Generator[News]:
        with _answering():
            connection = _connect(self._path)
        with closing(connection.db) as db:
            seen = 0
            while not self._closed:
                with _answering():
                    rows = db.execute(NEWS, (seen,)).fetchall()
                    if not connection.is_to(self._path):
                        raise Unavailable(f"{self._path} was replaced")
                seen = max([seen, *(number for *_, number in rows)])
                yield [(code, channel, version) for code, channel, version, _ in rows]
                time.sleep(POLL)


@dataclass(frozen=True, slots=True)
class _Connection:
    db: sqlite3.Connection
    file: tuple[int, ...]

    def is_to(self, path: Path) -> bool:
        """False if the file was deleted, replaced, or given to others: a connection does not notice."""
        try:
            return self.file == _identity(path)
        except OSError:
            return False


def _identity(path: Path) -> tuple[int, ...]:
    found = path.stat()
    return found.st_dev, found.st_ino, found.st_uid, found.st_gid, found.st_mode


def _connect(path: Path) -> _Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone_in(path.parent):
        if not path.exists():
            # Left by a file that was deleted; SQLite would take them for the new one's.
            for beside in ("-wal", "-shm"):
                Path(f"{path}{beside}").unlink(missing_ok=True)
            path.touch(exist_ok=False)  # SQLite would not tell why it cannot
        file = _identity(path)
        # Transactions are begun and ended by hand.
        db = sqlite3.connect(path, timeout=BUSY, isolation_level=None, check_same_thread=False)
        try:
            db.execute("pragma journal_mode = wal")
            db.execute("pragma synchronous = normal")
            db.executescript(SCHEMA)
        except sqlite3.Error:
            db.close()
            raise
    return _Connection(db, file)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """One at a time makes the file and opens it: SQLite does not wait for others in every step of that."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        fcntl.flock(handle, fcntl.LOCK_UN)  # gevent closes later, and others would wait for that
        os.close(handle)


def _last(db: sqlite3.Connection, code: str, channel: Channel) -> int:
    query = "select coalesce(max(version), 0) from events where code = ? and channel = ?"
    return int(db.execute(query, (code, channel)).fetchone()[0])


def _add(db: sqlite3.Connection, code: str, channel: Channel, version: int, text: str) -> None:
    query = "insert into events (code, channel, version, body) values (?, ?, ?, ?)"
    db.execute(query, (code, channel, version, text))


def _forget(db: sqlite3.Connection, code: str) -> None:
    db.execute("delete from events where code = ?", (code,))
    db.execute("delete from tables where code = ?", (code,))


@contextmanager
def _answering() -> Iterator[None]:
    """Says in the words of the log what is wrong with the file."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")  # Python's own errors have none
        raise (Full if name.startswith(UNWRITABLE) else Unavailable)(f"{name}: {error}") from error
    except OSError as error:
        raise (Full if error.errno in UNWRITABLE_PLACE else Unavailable)(str(error)) from error
