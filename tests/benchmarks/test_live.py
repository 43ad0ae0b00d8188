"""The benchmark of live tables: a small run of everything, and that it reads streams as a browser does."""

import json
import shutil
import zlib
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.__main__ import main
from benchmarks.guests import Arrived, Follower, Stream, Table
from tutor.web.live.stream import GZIP_HEAD, HELLO, STILL_HERE, Message

pytestmark = pytest.mark.slow

FIELDS = {
    "followers", "tables", "store", "beats", "pause_s", "beats_per_second", "lost", "doubled", "p50_ms",
    "p99_ms", "worst_ms", "joined_s", "joins_refused", "presses_refused", "polling_presses_refused",
    "polling_refused", "connections", "connections_of_fullest_worker", "memory_mb", "memory_idle_mb",
    "memory_per_stream_kb", "votes", "votes_refused", "votes_lost", "votes_p50_ms", "votes_p99_ms",
    "votes_worst_ms", "polling_beats_per_second", "polling_lost", "polling_p50_ms", "polling_p99_ms",
    "polling_worst_ms", "polling_requests", "polling_requests_per_second",
}  # fmt: skip


@pytest.mark.parametrize("store", ["sqlite", "redis"])
def test_nothing_is_lost_or_doubled(
    store: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if store == "redis" and not shutil.which("redis-server"):
        pytest.skip("no redis-server: apt-get install redis-server")
    for pause in ("PAUSE", "VOTING", "POLLING"):  # seconds that only make the figures fair
        monkeypatch.setattr(import_module("benchmarks.live"), pause, 0.5)
    run = ["--followers", "20", "--tables", "2", "--beats", "3", "--store", store, "--json"]
    assert main(["live", *run]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == FIELDS
    assert (found["followers"], found["tables"], found["store"], found["beats"]) == (20, 2, store, 6)
    assert (found["lost"], found["doubled"]) == (0, 0)
    assert (found["votes"], found["votes_refused"], found["votes_lost"]) == (20, 0, 0)
    assert 0 < found["p50_ms"] <= found["p99_ms"] <= found["worst_ms"]
    assert 0 < found["polling_p50_ms"] <= found["polling_p99_ms"] <= found["polling_worst_ms"]
    assert 0 <= found["polling_lost"] < 20 * 3
    assert found["polling_requests"] >= 20
    assert found["connections"] >= 20


def test_without_redis_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SystemExit, match="redis-server"):
        main(["live", "--store", "redis"])


def beat(version: int) -> Message:
    own, shared = f'data: {{"version":{version}}}\n', 'data: "<article id=\\"screen\\">"\n\n'
    return Message.of(f"event: beat\nid: {version}\n{own}") + Message.of(shared)


def answer(*messages: Message) -> bytes:
    """As it goes over the wire."""
    chunks = [GZIP_HEAD + HELLO.packed, *(message.packed for message in messages)]
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"".join(b"%X\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)


@given(st.sets(st.integers(0, 400)))
def test_a_stream_may_arrive_in_any_pieces(cuts: set[int]) -> None:
    sent = answer(beat(2), STILL_HERE, beat(3), beat(3))
    ends = [0, *sorted(cut for cut in cuts if cut < len(sent)), len(sent)]
    stream = Stream()
    found = [one for i, end in enumerate(ends[1:]) for one in stream.beats(sent[ends[i] : end])]
    assert found == [(2, {"version": 2}), (3, {"version": 3}), (3, {"version": 3})]


def test_a_beat_has_arrived_with_its_last_byte() -> None:
    sent = answer(beat(2))
    stream = Stream()
    assert list(stream.beats(sent[:-3])) == []
    assert [version for version, _ in stream.beats(sent[-3:])] == [2]


def test_what_is_damaged_is_not_taken_for_a_beat() -> None:
    broken = Message(b"", zlib.compress(b"event: beat"))
    with pytest.raises(zlib.error):
        list(Stream().beats(answer(broken, beat(2))))


def test_missing_and_doubled_beats_are_counted() -> None:
    table = Table(0, "CODE", "", version=5, pressed=[10.0, 20.0, 30.0])
    follower = Follower(table, "en")
    follower.arrived = [Arrived(version, at, {}) for version, at in ((2, 9), (3, 10.5), (5, 31), (5, 32))]
    assert follower.waited() == [0.5, 1]
    assert follower.doubled() == 1
