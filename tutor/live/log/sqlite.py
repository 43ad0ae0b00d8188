"""The log of live tables in a SQLite file, for the processes of one machine.

An event that was acknowledged survives the end of the process. When the machine loses its power, the last
few may be lost, but never the file.
"""

import os
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path

from tutor.live.log.base import (
    CHANNELS,
    LATEST_VERSION,
    Body,
    Channel,
    Damaged,
    Down,
    Event,
    Full,
    News,
    NoTable,
    Ring,
    Stale,
    Taken,
    Unavailable,
    dump,
    keep_listening,
    load,
    refuse_newer,
)
from tutor.live.log.file import Connection, answering, connect, wait_for_writers
from tutor.live.log.mend import mend
from tutor.live.log.schema import version_of
from tutor.search.trouble import Trouble, away

POLL_SECONDS = 0.025
"""Seconds between two looks for news."""
TICK_SECONDS = 60.0
"""Seconds after which the clock of the file is looked at again."""
UNSEEN_SECONDS = 3600.0
"""Seconds at most that count as silence although nobody has seen the file in use: a machine that was off, or
whose clock was set forward by years, forgets no table for that."""
ROWS_AT_ONCE = 500
"""Events to delete, or tables to look at, before others get their turn."""
MENDING_SECONDS = 60.0
"""Seconds between two attempts to mend a damaged file."""

READ, WRITE = "begin", "begin immediate"  # to read first and lock later would fail if others wrote in between

# The plus signs keep SQLite from walking through the index of all events to have the groups in order.
NEWS = """
select code, channel, max(version), max(number) from events where number > ? group by +code, +channel
"""


class SqliteLog:
    """See `Log`. The clock is the wall's, so that silence lasts over a restart."""

    def __init__(self, path: Path, silence: float, clock: Callable[[], float] = time.time) -> None:
        self._path = Path(os.path.realpath(path))
        self._silence = silence
        self._clock = clock
        self._closed = False
        # Whoever calls takes one or makes one. A lock around a single connection would have to hold back both
        # threads and greenlets; taking from a deque needs none, and greenlets never need a second connection.
        self._idle: deque[Connection] = deque()
        self.place = str(self._path)
        self._trouble = Trouble(f"live tables in {self.place}")
        self._known: tuple[int, ...] = ()
        """The file that was opened last."""
        self._damaged: tuple[int, ...] = ()
        self._mended = -MENDING_SECONDS

    def create(self, code: str, body: Body) -> None:
        self.put(code, [body], [], replace=False)

    def put(self, code: str, stage: Sequence[Body], floor: Sequence[Body], replace: bool) -> None:
        texts = {"stage": [*map(dump, stage)], "floor": [*map(dump, floor)]}
        with self._transaction(WRITE) as db:
            now = self._tick(db)
            if not replace and self._exists(db, code, now):
                raise Taken(code)
            _forget(db, code)
            db.execute("insert into tables values (?, ?)", (code, now))
            for channel in CHANNELS:
                for version, text in enumerate(texts[channel], 1):
                    _add(db, code, channel, version, text)

    def append(self, code: str, channel: Channel, body: Body, after: int | None = None) -> int:
        text = dump(body)
        with self._transaction(WRITE) as db:
            now = self._tick(db)
            if not self._exists(db, code, now):
                raise NoTable(code)
            last = _last(db, code, channel)
            if after is not None and after != last:
                raise Stale(code, channel, last)
            _add(db, code, channel, last + 1, text)
            db.execute("update tables set touched = ? where code = ?", (now, code))
        return last + 1

    def read(self, code: str, channel: Channel, after: int = 0, most: int | None = None) -> list[Event]:
        query = (
            "select version, body from events where code = ? and channel = ? and version > ?"
            " order by version limit ?"
        )
        with self._transaction(READ) as db:
            if not self._exists(db, code, self._now(db)):
                raise NoTable(code)
            limits = min(max(after, 0), LATEST_VERSION), -1 if most is None else most
            rows = db.execute(query, (code, channel, *limits)).fetchall()
        return [load(*row) for row in rows]

    def delete(self, code: str) -> None:
        with self._transaction(WRITE) as db:
            _forget(db, code)

    def codes(self) -> list[str]:
        with self._transaction(READ) as db:
            query = "select code from tables where touched > ? order by code"
            return [code for [code] in db.execute(query, (self._now(db) - self._silence,))]

    def count(self) -> int:
        with self._transaction(READ) as db:
            query = "select count(*) from tables where touched > ?"
            return int(db.execute(query, (self._now(db) - self._silence,)).fetchone()[0])

    def clean(self) -> int:
        cleaned = 0
        while True:
            with self._transaction(WRITE) as db:
                query = "select code from tables where touched <= ? limit 1"
                silent = db.execute(query, (self._tick(db) - self._silence,)).fetchone()
                if silent is None:
                    return cleaned
                cleaned += _forget(db, silent[0], ROWS_AT_ONCE)
            time.sleep(0)  # others first

    def schema(self) -> int:
        with self._transaction(READ) as db:
            return version_of(db)

    def listen(self, ring: Ring, down: Down) -> None:
        keep_listening(self._follow, ring, down, lambda: self._closed)

    def close(self) -> None:
        self._closed = True
        while self._idle:
            self._idle.pop().db.close()

    # Time

    def _now(self, db: sqlite3.Connection) -> float:
        """For whoever reads: as if nothing had been seen since the last hour that counts."""
        return min(self._clock(), _last_seen(db) + UNSEEN_SECONDS)

    def _tick(self, db: sqlite3.Connection) -> float:
        """For whoever writes. Where the clock has jumped, all tables go along: they have been silent for no
        longer than the file was seen in use. So times in the file are always those of the wall."""
        now = self._clock()
        passed = now - _last_seen(db)
        jumped = passed - min(max(passed, 0), UNSEEN_SECONDS)
        if jumped:
            db.execute("update tables set touched = touched + ?", (jumped,))
        if jumped or passed > TICK_SECONDS:
            db.execute("delete from clock")
            db.execute("insert into clock values (?)", (now,))
        return now

    def _exists(self, db: sqlite3.Connection, code: str, now: float) -> bool:
        query = "select 1 from tables where code = ? and touched > ?"
        return db.execute(query, (code, now - self._silence)).fetchone() is not None

    # The file

    @contextmanager
    def _reporting(self, *, wrote: bool = False) -> Iterator[None]:
        """What is wrong with the file is logged, and mended if that can be done here."""
        try:
            with answering():
                yield
        except Unavailable as error:
            if not self._closed:
                self._trouble.begins(type(error).__name__, str(error))
            if isinstance(error, Damaged):
                self._mend()
            raise
        # To read proves nothing of room, nor does one part of a damaged file prove anything of the others.
        unproven = [] if wrote else [Full.__name__]
        if self._damaged and self._damaged == self._known:
            unproven.append(Damaged.__name__)
        self._trouble.ends(but=unproven)

    def _mend(self) -> None:
        self._damaged = self._known
        if time.monotonic() - self._mended > MENDING_SECONDS:
            self._mended = time.monotonic()
            away(lambda: mend(self._path, self._known))

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._reporting(wrote=begin == WRITE):
            connection = self._begin(begin)
            try:
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

    def _begin(self, begin: str) -> Connection:
        """A connection with a transaction, to the file that is at its place now."""
        while True:
            connection = self._connection()
            try:
                wait_for_writers(partial(connection.db.execute, begin))
                refuse_newer(version_of(connection.db))
            except (sqlite3.Error, Unavailable):
                connection.db.close()
                if connection.is_to(self._path):
                    raise
                continue
            if connection.is_to(self._path):
                return connection
            connection.db.close()

    def _connection(self) -> Connection:
        if self._closed:
            raise Unavailable("the log is closed")
        try:
            return self._idle.pop()
        except IndexError:
            made = connect(self._path)
        self._known = made.file
        return made

    # News

    def _follow(self) -> Generator[News]:
        with self._reporting():
            connection = connect(self._path)
        with closing(connection.db) as db:
            with self._reporting():
                [[seen]] = db.execute("select coalesce(max(number), 0) from events")
                codes = [code for [code] in db.execute("select code from tables")]
            yield from self._everything(db, codes)
            ticked = -TICK_SECONDS
            while not self._closed:
                if time.monotonic() - ticked > TICK_SECONDS:
                    ticked = time.monotonic()
                    with suppress(Unavailable):  # it may be readable all the same
                        self.clean()
                with self._reporting():
                    rows = db.execute(NEWS, (seen,)).fetchall()
                    if not connection.is_to(self._path):
                        raise Unavailable(
                            "the file was replaced or deleted: the one that is there now is used"
                        )
                seen = max([seen, *(number for *_, number in rows)])
                yield [(code, channel, version) for code, channel, version, _ in rows]
                time.sleep(POLL_SECONDS)

    def _everything(self, db: sqlite3.Connection, codes: list[str]) -> Generator[News]:
        """The last versions of all tables, in parts: there may be many."""
        yield []
        for start in range(0, len(codes), ROWS_AT_ONCE):
            part = [(code, channel) for code in codes[start : start + ROWS_AT_ONCE] for channel in CHANNELS]
            with self._reporting():
                found = [(*place, last) for place in part if (last := _last(db, *place))]
            yield found
            time.sleep(0)  # others first


def _last_seen(db: sqlite3.Connection) -> float:
    return float(db.execute("select coalesce(max(seen), 0) from clock").fetchone()[0])


def _last(db: sqlite3.Connection, code: str, channel: Channel) -> int:
    query = "select coalesce(max(version), 0) from events where code = ? and channel = ?"
    return int(db.execute(query, (code, channel)).fetchone()[0])


def _add(db: sqlite3.Connection, code: str, channel: Channel, version: int, text: str) -> None:
    query = "insert into events (code, channel, version, body) values (?, ?, ?, ?)"
    db.execute(query, (code, channel, version, text))


def _forget(db: sqlite3.Connection, code: str, most: int = -1) -> bool:
    """Deletes a table, or only the first of its events if it has very many; whether it is gone."""
    some = "select number from events where code = ? limit ?"
    done = db.execute(f"delete from events where number in ({some})", (code, most)).rowcount  # nosec B608
    if done == most:
        return False
    db.execute("delete from tables where code = ?", (code,))
    return True
