"""Both stores of live tables keep the same promises: in a file and in Redis."""

import errno
import json
import os
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis import Redis

from tests import ROOT
from tests.conftest import SOAK, RedisServer
from tutor.live.log import (
    SCHEMA,
    Channel,
    Event,
    Full,
    Log,
    Newer,
    NoTable,
    Stale,
    Taken,
    Unavailable,
    base,
    file,
    open_log,
    sqlite,
    streams,
)
from tutor.live.log.sqlite import SqliteLog

pytestmark = pytest.mark.patient

DATABASE = 9
"""Of the Redis that all tests share."""
LONG = 10.0
"""Seconds to wait for what comes at once, unless the machine is busy."""


@pytest.fixture(params=["sqlite", "redis"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The place of an empty store."""
    if request.param == "sqlite":
        return str(tmp_path / "new" / "live.db")
    address = f"{request.getfixturevalue('redis_url')}/{DATABASE}"
    with Redis.from_url(address) as client:
        client.flushdb()
    return address


@pytest.fixture
def opened() -> Iterator[Callable[..., Log]]:
    """Opens logs, and closes them in the end."""
    logs: list[Log] = []

    def open_one(*where: Any) -> Log:
        logs.append(open_log(*where))
        return logs[-1]

    yield open_one
    for log in logs:
        log.close()


@pytest.fixture
def log(where: str, opened: Callable[..., Log]) -> Log:
    return opened(where)


def wait_for(what: Callable[[], bool], seconds: float = LONG) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until
        time.sleep(0.002)


def bodies(log: Log, code: str = "a", channel: Channel = "floor") -> list[dict[str, Any]]:
    """All of a channel, whose versions have no gap."""
    events = log.read(code, channel)
    assert [event.version for event in events] == list(range(1, len(events) + 1))
    return [event.body for event in events]


# One writer


def test_versions_are_counted_by_channel(log: Log) -> None:
    log.create("a", {"n": 1})
    assert [log.append("a", "stage", {"n": n}) for n in (2, 3)] == [2, 3]
    assert [log.append("a", "floor", {"m": m}, after=m - 1) for m in (1, 2)] == [1, 2]
    assert bodies(log, "a", "stage") == [{"n": 1}, {"n": 2}, {"n": 3}]
    assert bodies(log, "a", "floor") == [{"m": 1}, {"m": 2}]


def test_a_code_is_given_once(log: Log) -> None:
    log.create("a", {"first": True})
    with pytest.raises(Taken):
        log.create("a", {})
    assert bodies(log, "a", "stage") == [{"first": True}]


def test_nothing_is_added_to_what_is_not_there(log: Log) -> None:
    log.create("b", {})
    for channel in base.CHANNELS:
        for after in (None, 0, 1):
            with pytest.raises(NoTable):
                log.append("a", channel, {}, after)
        with pytest.raises(NoTable):
            log.read("a", channel)
    log.delete("a")
    assert log.count() == 1
    log.create("a", {})
    assert log.read("a", "floor") == []


def test_who_comes_too_late_is_told_the_last_version(log: Log) -> None:
    log.create("a", {})
    log.append("a", "stage", {}, after=1)
    for wrong in (1, 0, -1, 3, 2**70):
        with pytest.raises(Stale) as told:
            log.append("a", "stage", {"wrong": wrong}, after=wrong)
        assert told.value.version == 2
    with pytest.raises(Stale) as told:
        log.append("a", "floor", {}, after=1)
    assert told.value.version == 0
    assert log.append("a", "stage", {}, after=2) == 3


def test_only_what_is_new_is_read(log: Log) -> None:
    log.create("a", {"n": 1})
    for n in range(2, 13):
        log.append("a", "stage", {"n": n})
    assert log.read("a", "stage", 9) == [Event(n, {"n": n}) for n in (10, 11, 12)]
    assert len(log.read("a", "stage", -5)) == 12
    for beyond in (12, 13, 2**53, 2**64, 10**30):
        assert log.read("a", "stage", beyond) == []


def test_a_deleted_table_leaves_nothing_to_the_next(log: Log) -> None:
    log.create("a", {"old": True})
    log.append("a", "floor", {"old": True})
    log.delete("a")
    assert log.count() == 0
    with pytest.raises(NoTable):
        log.read("a", "stage")
    log.create("a", {})
    assert log.append("a", "floor", {}) == 1
    assert bodies(log, "a", "stage") == bodies(log, "a", "floor") == [{}]


def test_it_is_there_for_whoever_opens_it_next(where: str, opened: Callable[..., Log]) -> None:
    first = opened(where)
    first.create("a", {"n": 1})
    first.close()
    assert bodies(opened(where), "a", "stage") == [{"n": 1}]
    for use in (first.count, first.clean, lambda: first.create("b", {}), lambda: first.read("a", "stage")):
        with pytest.raises(Unavailable):
            use()


NASTY: list[dict[str, Any]] = [
    {},
    {"": "", "\0": "\0", "\n\r\t": "'; drop table events; --", '"}{"': "\\u0000"},
    {"emoji": "👩‍👩‍👧", "zażółć": "gęślą jaźń", "rtl": "\u202eabc", "half": "\ud83d", "line": "\u2028\ufeff"},
    {"deep": [[[[{"a": [None, True, False, 0, -1, 2**70, 1.5e-300, -0.0]}]]]]},
    {"body": "body", "code": "b", "long": "ß" * 200_000},
]


@pytest.mark.parametrize("body", NASTY, ids=range(len(NASTY)))
def test_what_is_said_is_kept_as_it_is(log: Log, body: dict[str, Any]) -> None:
    log.create("a", body)
    log.append("a", "floor", body)
    for channel in base.CHANNELS:
        assert repr(bodies(log, "a", channel)) == repr([body])


def test_what_no_browser_could_read_is_refused(log: Log) -> None:
    log.create("a", {})
    with pytest.raises(ValueError, match="JSON"):
        log.append("a", "stage", {"x": float("nan")})
    assert len(bodies(log, "a", "stage")) == 1


def test_codes_are_not_mixed_up(log: Log) -> None:
    codes = ["", "a", "A", "a ", "{a}", "a}:floor", "%", "_", "ä", "a\0", "*", "tutor:bell", "bell", "0"]
    for code in codes:
        log.create(code, {"code": code})
        log.append(code, "floor", {"code": code})
    assert log.count() == len(codes)
    log.delete("a")
    for code in codes:
        if code != "a":
            assert bodies(log, code, "stage") == bodies(log, code, "floor") == [{"code": code}]


# Any sequence of operations


class Model:
    """What a log should answer."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, list[dict[str, Any]]]] = {}

    def create(self, code: str, body: dict[str, Any]) -> None:
        if code in self.tables:
            raise Taken
        self.tables[code] = {"stage": [body], "floor": []}

    def append(self, code: str, channel: str, body: dict[str, Any], after: int | None = None) -> int:
        said = self.of(code)[channel]
        if after not in (None, len(said)):
            raise Stale(code, "stage", len(said))
        said.append(body)
        return len(said)

    def read(self, code: str, channel: str, after: int = 0) -> list[Event]:
        events = [Event(version, body) for version, body in enumerate(self.of(code)[channel], 1)]
        return events[max(after, 0) :]

    def of(self, code: str) -> dict[str, list[dict[str, Any]]]:
        if code not in self.tables:
            raise NoTable
        return self.tables[code]

    def delete(self, code: str) -> None:
        self.tables.pop(code, None)

    def count(self) -> int:
        return len(self.tables)

    def clean(self) -> int:
        return 0


def answer(log: Any, name: str, *arguments: Any) -> Any:
    try:
        return getattr(log, name)(*arguments)
    except Stale as stale:
        return Stale, stale.version
    except (Taken, NoTable) as error:
        return type(error)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
CODE, BODY = st.sampled_from("ab"), st.dictionaries(st.text(), JSON, max_size=3)
CHANNEL, VERSION = st.sampled_from(base.CHANNELS), st.integers(-1, 5)
OPERATION = st.one_of(
    st.tuples(st.just("create"), CODE, BODY),
    st.tuples(st.just("append"), CODE, CHANNEL, BODY),
    st.tuples(st.just("append"), CODE, CHANNEL, BODY, st.none() | VERSION),
    st.tuples(st.just("read"), CODE, CHANNEL, VERSION),
    st.tuples(st.just("delete"), CODE),
    st.tuples(st.just("count")),
    st.tuples(st.just("clean")),
)


@settings(max_examples=40 * SOAK, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(operations=st.lists(OPERATION, max_size=30))
def test_it_answers_as_lists_in_memory_would(log: Log, operations: list[tuple[Any, ...]]) -> None:
    for code in "ab":
        log.delete(code)
    model = Model()
    for operation in [*operations, *(("read", code, channel) for code in "ab" for channel in base.CHANNELS)]:
        assert answer(log, *operation) == answer(model, *operation), operation


# Many writers

RACE = """
import json, sys
from tutor.live.log import Stale, open_log
log, me, goal = open_log(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
log.count()
print("ready", flush=True)
sys.stdin.readline()
last, won = 0, []
while last < goal:
    try:
        last = log.append("a", "floor", {"by": me, "after": last}, after=last)
        won.append(last)
    except Stale as stale:
        assert stale.version > last
        last = stale.version
print(json.dumps(won))
"""
APPEND = """
import sys
from tutor.live.log import open_log
log, me, many = open_log(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
log.count()
print("ready", flush=True)
sys.stdin.readline()
for n in range(many):
    print(log.append("a", "floor", {"by": me, "n": n}), flush=True)
"""


@contextmanager
def processes(script: str, *arguments: tuple[object, ...]) -> Iterator[list[subprocess.Popen[str]]]:
    """One process for each list of arguments, all of them ready and waiting for a line."""
    with ExitStack() as stack:
        started = []
        for each in arguments:
            process = subprocess.Popen(
                [sys.executable, "-c", script, *map(str, each)],
                cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            stack.enter_context(process)
            stack.callback(process.kill)
            started.append(process)
        for process in started:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        yield started


def go(started: list[subprocess.Popen[str]], line: str = "") -> list[str]:
    """Lets all begin at once; what each of them said."""
    for process in started:
        assert process.stdin is not None
        process.stdin.write(f"{line}\n")
        process.stdin.flush()
    said = [process.communicate(timeout=60)[0] for process in started]
    assert [process.returncode for process in started] == [0] * len(started)
    return said


def test_of_several_processes_one_wins_each_version(log: Log, where: str) -> None:
    log.create("a", {})
    with processes(RACE, *((where, me, 150) for me in range(3))) as started:
        won = [json.loads(said) for said in go(started)]
    owners = {version: me for me, versions in enumerate(won) for version in versions}
    assert sorted(version for versions in won for version in versions) == sorted(owners)
    assert bodies(log) == [{"by": owners[version], "after": version - 1} for version in sorted(owners)]
    assert len(owners) >= 150


def test_of_several_threads_one_wins_each_version(log: Log) -> None:
    log.create("a", {})

    def race(me: int) -> list[int]:
        last, won = 0, []
        while last < 100:
            try:
                last = log.append("a", "floor", {"by": me}, after=last)
                won.append(last)
            except Stale as stale:
                last = stale.version
        return won

    with ThreadPoolExecutor(4) as pool:
        won = list(pool.map(race, range(4)))
    owners = {version: me for me, versions in enumerate(won) for version in versions}
    assert sum(map(len, won)) == len(owners)
    assert bodies(log) == [{"by": owners[version]} for version in sorted(owners)]


def test_processes_that_only_add_all_succeed(log: Log, where: str) -> None:
    log.create("a", {})
    with processes(APPEND, *((where, me, 100) for me in range(3))) as started:
        versions = [list(map(int, said.split())) for said in go(started)]
    expected = {version: {"by": me, "n": n} for me in range(3) for n, version in enumerate(versions[me])}
    assert bodies(log) == [expected[version] for version in range(1, 301)]


def test_a_thousand_votes_at_once_are_all_counted(log: Log) -> None:
    log.create("a", {})
    with ThreadPoolExecutor(8) as pool:
        versions = list(pool.map(lambda n: log.append("a", "floor", {"n": n}), range(1000)))
    assert sorted(versions) == list(range(1, 1001))
    numbers = dict(zip(versions, range(1000), strict=True))
    assert bodies(log) == [{"n": numbers[version]} for version in range(1, 1001)]


OPEN = """
import sys, time
from tutor.live.log import Taken, file, open_log
file.BUSY_SECONDS = 60  # a hundred files in one folder, on a machine that may be busy
print("ready", flush=True)
begin = float(sys.stdin.readline())
for n in range(100):
    while time.time() < begin + n / 250:
        pass
    try:
        open_log(f"{sys.argv[1]}{n}").create("a", {})
        print(n)
    except Taken:
        pass
"""


def test_a_code_is_given_once_to_many_who_want_it(where: str, opened: Callable[..., Log]) -> None:
    logs = [opened(where) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda log: answer(log, "create", "a", {}), logs))
    assert outcomes.count(None) == 1
    assert outcomes.count(Taken) == 7


def test_processes_that_begin_a_file_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    with processes(OPEN, *[(tmp_path / "live.db",)] * 4) as started:
        made = [n for said in go(started, f"{time.time() + 0.05}") for n in said.split()]
    assert sorted(map(int, made)) == list(range(100))


@pytest.mark.parametrize("where", ["sqlite"], indirect=True)
def test_a_process_that_is_killed_loses_nothing_that_it_was_told(log: Log, where: str) -> None:
    log.create("a", {})
    with processes(APPEND, (where, 0, 1_000_000)) as [process]:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n")
        process.stdin.flush()
        for _ in range(100):
            process.stdout.readline()
        process.kill()
        told = 100 + len(process.stdout.readlines())  # the last one may be cut
    kept = bodies(log)
    assert kept == [{"by": 0, "n": n} for n in range(len(kept))]
    assert len(kept) >= told - 1
    assert log.append("a", "floor", {}) == len(kept) + 1


# Listening


class Ears:
    """Hears a log in a thread of its own."""

    def __init__(self, log: Log, ring: Callable[[], object] = lambda: None) -> None:
        self.heard: dict[tuple[str, str], int] = {}
        self.down: list[bool] = []
        self.also = ring
        self.thread = threading.Thread(target=log.listen, args=(self.ring, self.down.append), daemon=True)
        self.thread.start()

    def ring(self, code: str, channel: str, version: int) -> None:
        self.also()
        self.heard[code, channel] = version

    def hear(self, code: str, channel: str, version: int, seconds: float = LONG) -> None:
        wait_for(lambda: self.heard.get((code, channel)) == version, seconds)


def test_it_rings_for_what_others_append(log: Log, where: str) -> None:
    log.create("a", {})
    ears = Ears(log)
    ears.hear("a", "stage", 1)
    with processes(APPEND, *((where, me, 40) for me in range(2))) as started:
        go(started)
    ears.hear("a", "floor", 80)
    log.append("a", "stage", {})
    ears.hear("a", "stage", 2)
    log.create("b", {})
    ears.hear("b", "stage", 1)
    log.delete("b")
    ears.heard.clear()
    log.create("b", {})
    ears.hear("b", "stage", 1)
    assert ears.down == []


def test_it_rings_at_first_for_what_is_there(log: Log) -> None:
    for code in "abc":
        log.create(code, {})
        log.append(code, "floor", {})
    log.append("b", "floor", {})
    ears = Ears(log)
    ears.hear("c", "floor", 1)
    assert ears.heard == {(c, n): 2 if (c, n) == ("b", "floor") else 1 for c in "abc" for n in base.CHANNELS}


def test_it_rings_soon(log: Log) -> None:
    log.create("a", {})
    ears = Ears(log)
    ears.hear("a", "stage", 1)
    taken = []
    for version in range(1, 16):
        begin = time.perf_counter()
        log.append("a", "floor", {})
        ears.hear("a", "floor", version)
        taken.append(time.perf_counter() - begin)
    assert sorted(taken)[3] < 0.1  # a busy machine may hold up the others


def test_it_listens_until_it_is_closed(log: Log, where: str) -> None:
    log.create("a", {})
    ears = Ears(log)
    ears.hear("a", "stage", 1)
    log.close()
    ears.thread.join(2)
    assert not ears.thread.is_alive()
    assert ears.down == []
    if where.startswith("redis"):
        with Redis.from_url(where) as client:
            wait_for(lambda: [one["db"] for one in client.client_list()].count(str(DATABASE)) == 1)


def test_what_a_listener_raises_is_not_hidden(log: Log) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError

    log.create("a", {})
    with pytest.raises(ZeroDivisionError):
        log.listen(broken, lambda _: None)


@pytest.mark.parametrize("where", ["redis"], indirect=True)
def test_a_listener_far_behind_misses_no_table(log: Log, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MOST_RINGS", 200)
    monkeypatch.setattr(streams, "RINGS_AT_ONCE", 100)
    go_on = threading.Event()
    log.create("early", {})
    ears = Ears(log, lambda: go_on.wait(LONG))
    time.sleep(0.05)
    log.append("early", "stage", {})
    log.create("busy", {})
    for _ in range(600):
        log.append("busy", "floor", {})
    with Redis.from_url(where) as client:
        assert client.xlen(streams.Names("tutor").bell) < 400
    go_on.set()
    ears.hear("early", "stage", 2)
    ears.hear("busy", "floor", 600)


@pytest.mark.parametrize("where", ["sqlite"], indirect=True)
def test_a_look_for_news_costs_little_however_long_the_log(log: Log, where: str) -> None:
    log.create("a", {})
    with closing(sqlite3.connect(where)) as db:
        plan = db.execute(f"explain query plan {sqlite.NEWS}", (0,)).fetchall()
    assert "SEARCH events USING INTEGER PRIMARY KEY" in plan[0][3]


# When the store stops


@pytest.mark.parametrize("lasting", [True, False])
def test_it_goes_on_when_redis_is_back(
    redis_server: Callable[..., RedisServer], opened: Callable[..., Log], lasting: bool
) -> None:
    server = redis_server("--save", "", "--appendonly", "yes" if lasting else "no", "--appendfsync", "always")
    log = opened(server.url)
    log.create("a", {})
    log.append("a", "floor", {})
    ears = Ears(log)
    ears.hear("a", "floor", 1)
    server.stop()
    begin = time.monotonic()
    for use in (log.count, lambda: log.append("a", "floor", {}), lambda: log.read("a", "stage")):
        with pytest.raises(Unavailable):
            use()
    assert time.monotonic() - begin < 3 * streams.ANSWER_SECONDS, "nobody is waited for who is not there"
    wait_for(lambda: ears.down == [True])
    ears.heard.clear()
    server.start()
    if lasting:
        assert log.append("a", "floor", {}) == 2
        ears.hear("a", "floor", 2)
        ears.hear("a", "stage", 1)  # rung again: who was away does not know what happened meanwhile
    else:
        with pytest.raises(NoTable):
            log.append("a", "floor", {})
        log.create("a", {})
        ears.hear("a", "stage", 1)
    assert ears.down == [True, False]
    log.append("a", "stage", {})
    ears.hear("a", "stage", 2)


def test_nobody_waits_long_for_a_redis_that_hangs(
    redis_server: Callable[..., RedisServer], opened: Callable[..., Log], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "ANSWER_SECONDS", 0.2)
    server = redis_server("--save", "")
    log = opened(server.url)
    log.create("a", {})
    ears = Ears(log)
    ears.hear("a", "stage", 1)
    server.process.send_signal(signal.SIGSTOP)
    try:
        begin = time.monotonic()
        with pytest.raises(Unavailable):
            log.append("a", "stage", {"twice": False})
        assert time.monotonic() - begin < 2
        wait_for(lambda: ears.down == [True])
    finally:
        server.process.send_signal(signal.SIGCONT)
    wait_for(lambda: ears.down == [True, False])
    assert bodies(log, "a", "stage").count({"twice": False}) <= 1


def test_nothing_is_sent_twice(opened: Callable[..., Log]) -> None:
    sent = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            with suppress(TimeoutError):
                while True:
                    connection, _ = server.accept()
                    with connection:
                        while b"EVALSHA" not in (command := connection.recv(65536)):
                            connection.sendall(b"+OK\r\n" * command.count(b"SETINFO"))
                            connection.sendall(b"$-1\r\n" * command.count(b"GET"))
                        sent.append(command)

        server.settimeout(0.3)
        thread = threading.Thread(target=hang_up)
        thread.start()
        log = opened(f"redis://127.0.0.1:{server.getsockname()[1]}")
        with pytest.raises(Unavailable):
            log.append("a", "floor", {})
        thread.join()
    assert len(sent) == 1


def test_it_can_be_opened_before_its_store_is_there(opened: Callable[..., Log], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    (tmp_path / "text.db").write_text("not a database, but long enough to be one " * 50)
    for where in (
        "redis://127.0.0.1:1", "rediss://127.0.0.1:1", f"unix://{tmp_path}/none.sock",
        str(tmp_path), str(tmp_path / "file" / "live.db"), str(tmp_path / "text.db"),
    ):  # fmt: skip
        log = opened(where)
        ears = Ears(log)
        for _ in range(2):
            with pytest.raises(Unavailable):
                log.create("a", {})
        wait_for(lambda ears=ears: ears.down == [True])  # type: ignore[misc]


@pytest.mark.parametrize(
    ("where", "said"),
    [("redis://127.0.0.1:many", "Port"), ("reddis://127.0.0.1", "reddis://127.0.0.1: .* at redis://")],
)
def test_a_malformed_address_is_refused_at_once(where: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        open_log(where)


def test_a_unix_socket_will_do(redis_server: Callable[..., RedisServer], opened: Callable[..., Log]) -> None:
    with tempfile.TemporaryDirectory() as folder:  # a short path: sockets have no room for a long one
        redis_server("--save", "", "--unixsocket", f"{folder}/s")
        log = opened(f"unix://{folder}/s")
        log.create("a", {})
        assert log.count() == 1


def test_a_file_that_is_locked_for_too_long_does_not_answer(
    tmp_path: Path, opened: Callable[..., Log], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "BUSY_SECONDS", 0.1)
    log = opened(str(tmp_path / "live.db"))
    log.create("a", {})
    with closing(sqlite3.connect(tmp_path / "live.db", isolation_level=None)) as other:
        other.execute("begin immediate")
        with pytest.raises(Unavailable):
            log.append("a", "floor", {})
        assert log.read("a", "floor") == []
        other.execute("rollback")
    assert log.append("a", "floor", {}) == 1


@pytest.mark.parametrize("leftovers", [True, False])
def test_a_new_file_is_begun_when_somebody_deletes_it(
    tmp_path: Path, opened: Callable[..., Log], leftovers: bool
) -> None:
    path = tmp_path / "live.db"
    log = opened(str(path))
    log.create("old", {})
    ears = Ears(log)
    ears.hear("old", "stage", 1)
    log.create("a", {})
    with processes(APPEND, (path, 0, 50)) as [process]:
        assert process.stdin is not None
        for each in tmp_path.iterdir():
            if not leftovers or each == path:
                each.unlink()
        log.create("a", {"new": True})
        go([process])
    assert bodies(log) == [{"by": 0, "n": n} for n in range(50)]
    ears.hear("a", "floor", 50)
    assert bodies(log, "a", "stage") == [{"new": True}]
    with pytest.raises(NoTable):
        log.read("old", "stage")
    assert ears.down == [True, False]
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("pragma integrity_check").fetchall() == [("ok",)]


# When there is no room


@contextmanager
def nobody() -> Iterator[Path]:
    """A folder of an ordinary user, who may not write everywhere."""
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() != 0:
            yield Path(folder)
            return
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
        try:
            yield Path(folder)
        finally:
            os.seteuid(0)


def test_what_may_not_be_written_is_full() -> None:
    with nobody() as folder:
        path = folder / "live.db"
        with closing(open_log(str(path))) as log:
            log.create("a", {})
            path.chmod(0o444)
        with closing(open_log(str(path))) as log:
            with pytest.raises(Full):
                log.append("a", "floor", {})
            assert len(bodies(log, "a", "stage")) == 1
            for each in folder.iterdir():  # SQLite's files beside it are as it was when they were made
                each.chmod(0o644)
            assert log.append("a", "floor", {}) == 1
        folder.chmod(0o555)
        try:
            for name in ("live.db", "other.db", "deeper/live.db"):
                with closing(open_log(str(folder / name))) as log, pytest.raises(Full):
                    log.append("a", "floor", {})
        finally:
            folder.chmod(0o755)


def fill(log: Log) -> int:
    """Appends until there is no room; how many there was room for."""
    for kept in range(1000):
        try:
            log.append("a", "floor", {"text": "x" * 10_000})
        except Full:
            assert kept > 3
            return kept
    raise AssertionError("there was room for all")


def test_a_full_disk_is_full(tmp_path: Path, opened: Callable[..., Log]) -> None:
    log = opened(str(tmp_path / "live.db"))
    assert isinstance(log, SqliteLog)
    log.create("a", {})
    [connection] = log._idle
    connection.db.execute("pragma max_page_count = 50")
    kept = fill(log)
    assert len(bodies(log)) == kept
    assert log.append("a", "floor", {}) == kept + 1


def test_so_is_one_that_refuses_to_grow(tmp_path: Path, opened: Callable[..., Log]) -> None:
    log = opened(str(tmp_path / "live.db"))
    log.create("a", {})
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = (tmp_path / "live.db-wal").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 200_000, usual[1]))
    try:
        kept = fill(log)
        assert len(bodies(log)) == kept
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert log.append("a", "floor", {}) == kept + 1


def test_so_is_redis_without_memory(
    redis_server: Callable[..., RedisServer], opened: Callable[..., Log]
) -> None:
    server = redis_server("--save", "", "--maxmemory", "3mb", "--maxmemory-policy", "noeviction")
    log = opened(server.url)
    log.create("a", {})
    log.create("z", {})
    kept = fill(log)
    with Redis.from_url(server.url) as client:
        client.config_set("maxmemory", "1mb")  # until now there may be room for a short event
    for use in (lambda: log.create("b", {}), lambda: log.append("a", "stage", {}, after=1)):
        with pytest.raises(Full):
            use()
    assert log.count() == 2
    assert len(bodies(log)) == kept
    Ears(log).hear("a", "floor", kept)
    log.delete("z")
    assert log.count() == 1
    with Redis.from_url(server.url) as client:
        client.config_set("maxmemory", 0)
    assert log.append("a", "floor", {}) == kept + 1


def test_so_is_redis_that_only_follows_another_or_cannot_save(
    redis_server: Callable[..., RedisServer], opened: Callable[..., Log]
) -> None:
    server = redis_server("--save", "", "--dbfilename", "live.rdb")
    log = opened(server.url)
    log.create("a", {})
    with Redis.from_url(server.url) as client:
        client.replicaof("127.0.0.1", "1")
        with pytest.raises(Full):
            log.append("a", "stage", {})
        assert len(bodies(log, "a", "stage")) == 1
        client.replicaof("NO", "ONE")
        assert log.append("a", "stage", {}) == 2
        client.config_set("min-replicas-to-write", 1)
        with pytest.raises(Full):
            log.append("a", "stage", {})
        client.config_set("min-replicas-to-write", 0)
        folder = Path(client.config_get("dir")["dir"])
        (folder / "live.rdb").mkdir()
        client.config_set("save", "3600 1000000")  # as long as it is to save, it minds that it could not
        client.bgsave()
        wait_for(lambda: client.info("persistence")["rdb_last_bgsave_status"] == "err")
        for use in (lambda: log.append("a", "stage", {}), lambda: log.delete("a")):
            with pytest.raises(Full):
                use()
        (folder / "live.rdb").rmdir()
        client.config_set("save", "")
    assert log.append("a", "stage", {}) == 3


@pytest.mark.parametrize("where", ["redis"], indirect=True)
def test_a_table_that_redis_has_dropped_in_part_is_none(log: Log, where: str) -> None:
    log.create("a", {})
    log.append("a", "floor", {"old": True})
    with Redis.from_url(where) as client:
        client.delete("tutor:{a}:stage")  # as it does when it may evict
    with pytest.raises(NoTable):
        log.read("a", "floor")
    log.create("a", {})
    assert log.read("a", "floor") == []


# Silence


def test_silent_tables_are_forgotten(tmp_path: Path) -> None:
    now = 1000.0
    with closing(SqliteLog(tmp_path / "live.db", 60, lambda: now)) as log:
        for code in "abc":
            log.create(code, {})
            log.append(code, "floor", {})
        now += 59
        log.append("a", "floor", {})
        assert (log.clean(), log.count()) == (0, 3)
        now += 1
        assert log.count() == 1
        for use in (lambda: log.read("b", "stage"), lambda: log.append("b", "stage", {})):
            with pytest.raises(NoTable):
                use()
        log.create("c", {"new": True})
        assert bodies(log, "c", "stage") == [{"new": True}]
        assert bodies(log, "c", "floor") == []
        assert (log.clean(), log.clean(), log.count()) == (1, 0, 2)
        assert len(bodies(log, "a", "floor")) == 2
    with closing(sqlite3.connect(tmp_path / "live.db")) as db:
        assert db.execute("select distinct code from events order by 1").fetchall() == [("a",), ("c",)]


def test_redis_refuses_what_an_upgrade_has_taken_over(redis_url: str, opened: Callable[..., Log]) -> None:
    """A connection may be older than the upgrade."""
    where = f"{redis_url}/{DATABASE}"
    with Redis.from_url(where) as client:
        client.flushdb()
        log = opened(where)
        log.create("one", {"n": 1})
        client.set("tutor:schema", SCHEMA + 1)
        with pytest.raises(Newer):
            log.append("one", "floor", {"n": 2})
        assert not client.exists("tutor:{one}:floor")
        client.set("tutor:schema", SCHEMA)
        assert log.append("one", "floor", {"n": 2}) == 1


def test_so_does_redis_by_itself(redis_url: str, opened: Callable[..., Log]) -> None:
    where = f"{redis_url}/{DATABASE}"
    with Redis.from_url(where) as client:
        client.flushdb()
        log, lasting = opened(where, 1), opened(where, 60)
        lasting.create("a", {})
        log.create("c", {})
        log.append("c", "floor", {})
        lasting.append("c", "stage", {})
        log.create("b", {})
        log.append("b", "floor", {})
        assert log.count() == 3
        wait_for(lambda: log.count() == 2)
        for use in (lambda: log.read("b", "stage"), lambda: log.append("b", "floor", {})):
            with pytest.raises(NoTable):
                use()
        kept = {b"tutor:{a}:stage", b"tutor:{c}:stage", b"tutor:{c}:floor"}
        assert set(client.keys("*{*")) == kept
        assert (log.clean(), log.clean(), log.count()) == (1, 0, 2)
        log.create("b", {})
        assert log.read("b", "floor") == []


# In the server, where greenlets and a thread share a log

GREENLETS = """
import sys
import redis, tutor.live.log.streams  # as the server does: loaded first, patched in the worker
from gevent import monkey
monkey.patch_all()
import gevent
from gevent.threadpool import ThreadPool
from tutor.live.log import open_log
log, heard, beats = open_log(sys.argv[1]), {}, []
gevent.spawn(log.listen, lambda code, channel, version: heard.update({channel: version}), print)
def beat():
    while True:
        beats.append(1)
        gevent.sleep(0.01)
gevent.spawn(beat)
def come(what):
    return any(what() or gevent.sleep(0.1) for _ in range(300))
def beats_on():  # on a busy machine perhaps not at once; a loop that is held never does
    before = len(beats)
    gevent.sleep(0.3)
    return len(beats) > before + 10
log.create("a", {})
assert come(beats_on), beats
assert come(lambda: heard == {"stage": 1}), heard
pool = ThreadPool(2)
votes = [gevent.spawn(log.append, "a", "floor", {"n": n}) for n in range(300)]
pages = [pool.spawn(lambda: [log.append("a", "floor", {}) for _ in range(50)]) for _ in range(2)]
gevent.joinall([*votes, *pages], timeout=30, raise_error=True)
versions = [vote.value for vote in votes] + [version for page in pages for version in page.get()]
assert sorted(versions) == list(range(1, 401)), versions
assert come(lambda: heard == {"stage": 1, "floor": 400}), heard
log.close()
print("well")
"""


def test_greenlets_and_threads_share_it(where: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", GREENLETS, where],
        cwd=ROOT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.stdout, done.returncode) == ("well\n", 0), done.stderr


def test_errors_of_the_place_have_a_cause() -> None:
    for number, kind in ((errno.EROFS, Full), (errno.ENOSPC, Full), (errno.EIO, Unavailable)):
        with pytest.raises(Unavailable) as told, file.answering():
            raise OSError(number, os.strerror(number))
        assert type(told.value) is kind
