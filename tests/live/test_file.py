"""A store of live tables over time: its rights, its versions, clocks that jump, damage; what is logged."""

import os
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from tests.conftest import RedisServer
from tests.live.test_store import DATABASE, LONG, Ears, bodies, nobody, wait_for
from tutor.live.log import (
    Damaged,
    Full,
    Log,
    Newer,
    NoTable,
    Taken,
    Unavailable,
    mend,
    open_log,
    schema,
    sqlite,
)
from tutor.live.log.base import SCHEMA
from tutor.live.log.sqlite import SqliteLog
from tutor.live.log.streams import RedisLog
from tutor.search import trouble

pytestmark = pytest.mark.patient

DAY = 86_400.0

# As 0.5.1 has written it.
FIRST = """
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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "live.db"


@pytest.fixture
def opened() -> Iterator[Callable[..., SqliteLog]]:
    """Opens logs in files, and closes them in the end."""
    logs: list[SqliteLog] = []

    def open_one(*args: Any) -> SqliteLog:
        logs.append(SqliteLog(*args) if len(args) > 1 else SqliteLog(args[0], DAY))
        return logs[-1]

    yield open_one
    for log in logs:
        log.close()


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is over is told at once."""
    monkeypatch.setattr(trouble, "CALM", 0.0)


def first_version(path: Path, touched: float, *codes: str) -> None:
    """A file of 0.5.1, with these tables."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma journal_mode = wal")
        db.executescript(FIRST)
        for code in codes:
            db.execute("insert into tables values (?, ?)", (code, touched))
            for version in (1, 2):
                row = (code, "stage", version, f'{{"n":{version}}}')
                db.execute("insert into events (code, channel, version, body) values (?, ?, ?, ?)", row)
        db.commit()
    path.chmod(0o644)


def lines(caplog: pytest.LogCaptureFixture, place: object) -> list[str]:
    """What was logged about the store at that place."""
    return [record.getMessage() for record in caplog.records if str(place) in record.getMessage()]


# Rights


def rights(path: Path) -> dict[str, int]:
    return {each.name: stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()}


def test_only_its_owner_may_read_it(path: Path, opened: Callable[..., SqliteLog]) -> None:
    before = os.umask(0)
    try:
        opened(path).create("a", {})
    finally:
        os.umask(before)
    assert rights(path) == {"live.db": 0o600, "live.db-wal": 0o600, "live.db-shm": 0o600}


def test_a_file_that_others_could_read_is_made_private_and_that_is_told_once(
    path: Path, opened: Callable[..., SqliteLog], caplog: pytest.LogCaptureFixture
) -> None:
    first_version(path, time.time(), "a")
    with closing(sqlite3.connect(path)) as other:
        other.execute("select * from tables").fetchall()  # keeps the files beside it there, with its rights
        for _ in range(3):
            opened(path).append("a", "floor", {})
        assert rights(path) == {"live.db": 0o600, "live.db-wal": 0o600, "live.db-shm": 0o600}
    assert lines(caplog, path) == [f"{path} could be read by others: now only its owner may read it"]


def test_what_is_no_file_keeps_its_rights(path: Path, opened: Callable[..., SqliteLog]) -> None:
    path.mkdir(0o755)
    with pytest.raises(Unavailable):
        opened(path).create("a", {})
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


# Versions


def test_a_file_of_the_first_version_is_taken_over_with_its_tables(
    path: Path, opened: Callable[..., SqliteLog]
) -> None:
    first_version(path, time.time() - 3600, "a", "b")
    log = opened(path)
    assert (log.codes(), log.schema()) == (["a", "b"], SCHEMA)
    assert log.append("a", "stage", {"n": 3}, after=2) == 3
    assert bodies(log, "a", "stage") == [{"n": 1}, {"n": 2}, {"n": 3}]
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("pragma user_version").fetchone() == (SCHEMA,)


def test_the_first_version_goes_on_beside_ours(path: Path, opened: Callable[..., SqliteLog]) -> None:
    """Its statements still work on the file, and what it writes is read."""
    first_version(path, time.time(), "a")
    log = opened(path)
    ears = Ears(log)
    ears.hear("a", "stage", 2)
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        old.executescript(FIRST)
        old.execute("begin immediate")
        old.execute("insert into tables values (?, ?)", ("b", time.time()))
        for code, version in (("a", 3), ("b", 1)):
            old.execute(
                "insert into events (code, channel, version, body) values (?, 'stage', ?, '{}')",
                (code, version),
            )
        old.execute("update tables set touched = ? where code = 'a'", (time.time(),))
        old.execute("commit")
    ears.hear("a", "stage", 3)
    ears.hear("b", "stage", 1)
    assert log.append("b", "floor", {}) == 1


def test_a_step_that_fails_leaves_the_file_as_it_was(
    path: Path, opened: Callable[..., SqliteLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    first_version(path, time.time(), "a")
    steps = [*schema.MIGRATIONS[0], "create nonsense"]
    monkeypatch.setattr(schema, "MIGRATIONS", (tuple(steps),))
    with pytest.raises(Unavailable):
        opened(path).count()
    monkeypatch.undo()
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("pragma user_version").fetchone() == (0,)
        assert db.execute("select name from sqlite_master where name = 'clock'").fetchall() == []
    assert bodies(opened(path), "a", "stage") == [{"n": 1}, {"n": 2}]


@pytest.fixture(params=["sqlite", "redis"])
def newer(request: pytest.FixtureRequest, path: Path) -> tuple[str, Callable[[int], object]]:
    """The place of a store with a table, and what gives the store another version."""
    if request.param == "sqlite":

        def mark(version: int) -> None:
            with closing(sqlite3.connect(path)) as db:
                db.execute(f"pragma user_version = {version}")

        return str(path), mark
    address = f"{request.getfixturevalue('redis_url')}/{DATABASE}"
    client = Redis.from_url(address)
    client.flushdb()
    return address, lambda version: client.set("tutor:schema", version)


def test_a_store_of_a_newer_version_is_left_alone(
    newer: tuple[str, Callable[[int], object]], caplog: pytest.LogCaptureFixture
) -> None:
    where, mark = newer
    with closing(open_log(where)) as log:
        log.create("a", {"n": 1})
        assert log.schema() == SCHEMA
    mark(SCHEMA + 1)
    with closing(open_log(where)) as log:
        ears = Ears(log)
        for use in (
            lambda: log.create("b", {}),
            lambda: log.append("a", "stage", {}),
            lambda: log.read("a", "stage"),
            lambda: log.put("a", [{}], [], replace=True),
            log.clean,
            log.count,
        ):
            with pytest.raises(Newer):
                use()
        wait_for(lambda: ears.down == [True])
    [line] = lines(caplog, where)
    assert "newer version" in line
    mark(SCHEMA)
    with closing(open_log(where)) as log:
        assert log.codes() == ["a"]
        assert bodies(log, "a", "stage") == [{"n": 1}]


def test_nothing_is_written_to_a_file_that_became_newer_meanwhile(
    path: Path, opened: Callable[..., SqliteLog]
) -> None:
    log = opened(path)
    log.create("a", {})
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"pragma user_version = {SCHEMA + 1}")
        for use in (lambda: log.append("a", "stage", {}), lambda: log.read("a", "stage")):
            with pytest.raises(Newer):
                use()
        assert db.execute("select count(*) from events").fetchone() == (1,)


# Clocks


class Clock:
    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("jump", [3 * DAY, 3000 * DAY, -3 * DAY, -3000 * DAY])
def test_a_clock_that_jumps_loses_no_table(path: Path, opened: Callable[..., SqliteLog], jump: float) -> None:
    clock = Clock()
    log = opened(path, DAY, clock)
    for code in "ab":
        log.create(code, {})
    for _ in range(2):  # there, and back again
        clock.now += jump
        assert bodies(log, "b", "stage") == [{}]
        assert log.count() == 2
        assert log.append("a", "floor", {})
        assert (log.clean(), log.codes()) == (0, ["a", "b"])
        log = opened(path, DAY, clock)
        jump = -jump
    cleaned = []
    for _ in range(26):  # of a day somebody sees each hour; of the jump forward one counted, too
        clock.now += 3590
        cleaned.append(log.clean())
    assert cleaned[:22] == [0] * 22
    assert sum(cleaned) == 2


def test_time_that_nobody_sees_is_an_hour_of_silence_at_most(
    path: Path, opened: Callable[..., SqliteLog]
) -> None:
    clock = Clock()
    opened(path, DAY, clock).create("a", {})
    cleaned = []
    for _ in range(25):
        clock.now += 10 * DAY
        cleaned.append(opened(path, DAY, clock).clean())
    assert cleaned == [0] * 23 + [1, 0]


def test_a_file_of_the_first_version_that_lay_for_days_keeps_its_tables(
    path: Path, opened: Callable[..., SqliteLog]
) -> None:
    first_version(path, time.time() - 9 * DAY, "a")
    log = opened(path)
    assert log.count() == 1
    assert log.append("a", "stage", {}) == 3
    assert (log.clean(), log.count()) == (0, 1)


def test_whoever_listens_keeps_the_clock_and_cleans(
    path: Path, opened: Callable[..., SqliteLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "TICK_SECONDS", 0.05)
    clock = Clock()
    log = opened(path, DAY, clock)
    log.create("a", {})
    Ears(log).hear("a", "stage", 1)
    with closing(sqlite3.connect(path)) as db:
        for _ in range(25):
            clock.now += 3600
            wait_for(lambda: db.execute("select seen from clock").fetchone() == (clock.now,))
        wait_for(lambda: db.execute("select count(*) from events").fetchone() == (0,))


def test_a_long_table_is_cleaned_in_parts(
    path: Path, opened: Callable[..., SqliteLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "ROWS_AT_ONCE", 10)
    clock = Clock()
    log = opened(path, 60, clock)
    log.put("a", [{}], [{"n": n} for n in range(95)], replace=False)
    clock.now += 61
    turns: list[int] = []
    here, sleep = threading.get_ident(), time.sleep

    def turn(seconds: float) -> None:
        if threading.get_ident() != here:  # the watch of another test's log
            return sleep(seconds)
        with closing(sqlite3.connect(path)) as db:
            return turns.append(db.execute("select count(*) from events").fetchone()[0])

    monkeypatch.setattr(time, "sleep", turn)
    assert log.clean() == 1
    monkeypatch.undo()
    assert turns == [86, 76, 66, 56, 46, 36, 26, 16, 6, 0]


# Damage


def damage(path: Path, text: bytes = b"\xaa" * 64) -> None:
    """The rows of one table can no longer be read, as when a sector of the disk is gone."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma wal_checkpoint(truncate)")
        size = db.execute("pragma page_size").fetchone()[0]
    bytes_of = bytearray(path.read_bytes())
    pages = {at // size for at in range(0, len(bytes_of), 16) if b'"bad"' in bytes_of[at : at + 16 + 4]}
    assert pages
    for page in pages:
        bytes_of[page * size : page * size + len(text)] = text
    with path.open("r+b") as opened:  # in its place: connections go on with the same file
        opened.write(bytes_of)


def test_a_damaged_file_is_moved_aside_and_what_can_be_read_goes_on(
    path: Path, opened: Callable[..., SqliteLog], caplog: pytest.LogCaptureFixture, at_once: None
) -> None:
    log = opened(path)
    log.put("good", [{"n": 1}], [{"n": n} for n in range(200)], replace=False)
    log.put("lost", [{"n": 1}], [{"bad": "x" * 3000} for _ in range(20)], replace=False)
    ears = Ears(log)
    ears.hear("lost", "floor", 20)
    damage(path)
    other = opened(path)
    with pytest.raises(Damaged):
        other.read("lost", "floor")
    wait_for(lambda: bool([*path.parent.glob("live.db.broken-*")]) and path.exists())
    wait_for(lambda: ears.down == [True, False])
    for one in (log, other):
        assert one.codes() == ["good"]
        assert len(bodies(one, "good", "floor")) == 200
    assert log.append("good", "stage", {"n": 2}) == 2
    ears.hear("good", "stage", 2)
    other.create("new", {})
    ears.hear("new", "stage", 1)
    told = lines(caplog, path)
    assert sum("is damaged" in line for line in told) <= 2, "once for each log"
    assert sum("tables saved: 1, lost: 1" in line for line in told) == 1
    assert told[-1].endswith("all is well again")
    assert set(rights(path).values()) == {0o600}
    assert not [*path.parent.glob("*.new"), *path.parent.glob("*.mending")]


@pytest.mark.parametrize("content", [b"\0" * 20_000, b"SQLite format 3\0" + b"\xff" * 20_000])
def test_a_file_without_anything_legible_is_begun_anew(
    path: Path, opened: Callable[..., SqliteLog], content: bytes
) -> None:
    path.write_bytes(content)
    log = opened(path)
    with pytest.raises(Damaged):
        log.create("a", {})
    wait_for(lambda: bool([*path.parent.glob("live.db.broken-*")]))
    wait_for(path.exists)
    log.create("a", {})
    [aside] = path.parent.glob("live.db.broken-*")
    assert aside.read_bytes() == content


def test_a_file_that_was_never_ours_is_not_touched(
    path: Path, opened: Callable[..., SqliteLog], caplog: pytest.LogCaptureFixture
) -> None:
    path.write_text("a letter to somebody " * 500)
    log = opened(path)
    for _ in range(3):
        with pytest.raises(Unavailable):
            log.create("a", {})
    wait_for(lambda: any("left as it is" in line for line in lines(caplog, path)))
    assert path.read_text() == "a letter to somebody " * 500
    assert [each.name for each in path.parent.iterdir()] == ["live.db"]


def test_ours_is_mended_even_when_it_was_overwritten(path: Path, opened: Callable[..., SqliteLog]) -> None:
    log = opened(path)
    log.create("a", {})
    log._idle.pop().db.close()
    with path.open("r+b") as opened_file:
        opened_file.write(b"nonsense" * 4096)
    with pytest.raises(Unavailable):
        log.read("a", "stage")
    wait_for(lambda: bool([*path.parent.glob("live.db.broken-*")]))
    wait_for(path.exists)
    log.create("a", {})


def test_a_sound_file_is_left_where_it_is(path: Path, opened: Callable[..., SqliteLog]) -> None:
    log = opened(path)
    log.create("a", {})
    before = path.stat().st_ino
    mend.mend(path, ())
    assert path.stat().st_ino == before
    assert log.codes() == ["a"]


def test_no_event_is_lost_that_is_written_while_a_file_is_replaced(
    path: Path, opened: Callable[..., SqliteLog]
) -> None:
    """Whoever waited for its turn meanwhile writes to the new file."""
    log = opened(path)
    log.create("a", {})
    stop = threading.Event()

    def write() -> int:
        count = 0
        while not stop.is_set():
            count = log.append("a", "floor", {"n": count})
        return count

    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(write)
        for _ in range(10):
            time.sleep(0.02)
            mend._replace(path)
            for aside in path.parent.glob("live.db.broken-*"):
                aside.unlink()
        stop.set()
        written = writer.result()
    assert [body["n"] for body in bodies(log)] == [*range(written)]


# What is logged


def test_a_full_disk_is_told_once_and_so_is_its_end(
    path: Path, opened: Callable[..., SqliteLog], caplog: pytest.LogCaptureFixture, at_once: None
) -> None:
    log = opened(path)
    log.create("a", {})
    for _ in range(5):
        [connection] = log._idle
        connection.db.execute("pragma max_page_count = 1")
        with pytest.raises(Full):
            log.append("a", "floor", {"text": "x" * 100_000})
        assert log.read("a", "floor") == []
    [begin] = lines(caplog, path)
    assert str(path) in begin
    assert "room" in begin
    log.append("a", "floor", {})
    assert lines(caplog, path)[1:] == [f"live tables in {path}: all is well again"]


def test_a_fault_that_comes_and_goes_is_told_once(
    path: Path, opened: Callable[..., SqliteLog], caplog: pytest.LogCaptureFixture
) -> None:
    log = opened(path)
    for _ in range(5):
        path.unlink(missing_ok=True)
        path.mkdir()
        with pytest.raises(Unavailable):
            log.count()
        path.rmdir()
        assert log.count() == 0
    assert len(lines(caplog, path)) == 1


def test_what_may_not_be_written_is_told_with_what_to_do(caplog: pytest.LogCaptureFixture) -> None:
    with nobody() as folder, closing(open_log(str(folder / "live.db"))) as log:
        folder.chmod(0o555)
        for _ in range(3):
            with pytest.raises(Full):
                log.create("a", {})
        folder.chmod(0o755)
        log.create("a", {})
    [line] = lines(caplog, folder)
    assert "may write the file and its folder" in line


def test_a_redis_that_is_gone_is_told_once_and_without_its_password(
    redis_server: Callable[..., RedisServer], caplog: pytest.LogCaptureFixture, at_once: None
) -> None:
    server = redis_server("--save", "", "--user", "tutor", "on", ">secret-word", "~*", "&*", "+@all")
    where = server.url.replace("redis://", "redis://tutor:secret-word@")
    with closing(open_log(where)) as log:
        log.create("a", {})
        ears = Ears(log)
        ears.hear("a", "stage", 1)
        server.stop()
        for _ in range(3):
            with pytest.raises(Unavailable):
                log.count()
        wait_for(lambda: ears.down == [True])
        assert len(lines(caplog, server.url)) == 1
        server.start()
        wait_for(lambda: ears.down == [True, False])
        wait_for(lambda: len(lines(caplog, server.url)) == 2)
    begin, end = lines(caplog, server.url)
    assert begin.startswith(f"live tables in {server.url}: ")
    assert "TUTOR_LIVE" in begin
    assert end == f"live tables in {server.url}: all is well again"
    assert "secret-word" not in caplog.text


# Others go on meanwhile


def test_whoever_waits_to_write_lets_others_go_on(
    path: Path, opened: Callable[..., SqliteLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = opened(path)
    log.create("a", {})
    naps: list[float] = []
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("begin immediate")

        awake, me = time.sleep, threading.get_ident()

        def nap(seconds: float) -> None:
            if threading.get_ident() != me:
                return awake(seconds)
            naps.append(seconds)
            if len(naps) == 3:
                other.execute("rollback")
            return None

        monkeypatch.setattr(time, "sleep", nap)
        assert log.append("a", "floor", {}) == 1
        monkeypatch.undo()
    assert len(naps) == 3


# Parts, and whole tables


@pytest.fixture(params=["sqlite", "redis"])
def log(request: pytest.FixtureRequest, path: Path) -> Iterator[Log]:
    where = str(path)
    if request.param == "redis":
        where = f"{request.getfixturevalue('redis_url')}/{DATABASE}"
        with Redis.from_url(where) as client:
            client.flushdb()
    with closing(open_log(where)) as made:
        yield made


def test_a_log_is_read_in_parts(log: Log) -> None:
    log.put("a", [{}], [{"n": n} for n in range(10)], replace=False)
    parts = [[event.version for event in log.read("a", "floor", after, 4)] for after in (0, 4, 8, 10)]
    assert parts == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10], []]


def test_a_whole_table_is_put_in_its_place(log: Log) -> None:
    ears = Ears(log)
    log.put("a", [{"n": 1}, {"n": 2}], [{"m": 1}], replace=False)
    ears.hear("a", "stage", 2)
    ears.hear("a", "floor", 1)
    with pytest.raises(Taken):
        log.put("a", [{}], [], replace=False)
    assert log.append("a", "stage", {"n": 3}, after=2) == 3
    log.put("a", [{"new": True}], [], replace=True)
    ears.hear("a", "stage", 1)
    assert bodies(log, "a", "stage") == [{"new": True}]
    assert bodies(log, "a", "floor") == []
    assert log.append("a", "floor", {}) == 1
    log.put("b", [{}], [], replace=True)
    assert (log.codes(), log.count()) == (["a", "b"], 2)
    log.delete("a")
    assert log.codes() == ["b"]
    with pytest.raises(NoTable):
        log.read("a", "stage")


def test_an_event_that_is_no_longer_legible_says_nothing(log: Log, path: Path) -> None:
    log.put("a", [{"n": 1}, {"n": 2}], [], replace=False)
    for version, text in ((1, "{"), (2, '"text"')):
        if isinstance(log, SqliteLog):
            with closing(sqlite3.connect(path)) as db:
                db.execute("update events set body = ? where version = ?", (text, version))
                db.commit()
        else:
            assert isinstance(log, RedisLog)
            log.delete("b")
            log._redis.xadd("tutor:{b}:stage", {"body": text}, id="0-1")
            assert log.read("b", "stage")[0].body == {}
    if isinstance(log, SqliteLog):
        assert bodies(log, "a", "stage") == [{}, {}]


def test_many_tables_are_rung_for_in_parts(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{type(log).__module__}.ROWS_AT_ONCE", 7)
    codes = [f"t{n}" for n in range(30)]
    for code in codes:
        log.create(code, {})
    ears = Ears(log)
    wait_for(lambda: {code for code, _ in ears.heard} == {*codes}, LONG)
