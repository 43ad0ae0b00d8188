"""What costs is counted: for whom, by all workers together, and nobody pays for others. The API lists no more
than anybody can use."""

import json
import multiprocessing
import time
from collections.abc import Callable

import pytest
from flask import Flask, g
from limits import RateLimitItemPerSecond

from tests import ROOT
from tests.conftest import RedisServer
from tutor.book.words import LANGUAGES
from tutor.referee import programs
from tutor.web import number as setting
from tutor.web import worker
from tutor.web.api import operations
from tutor.web.http import counts, limit
from tutor.web.http.counts import SLOTS, WAYS, SharedCounts, open_counts
from tutor.web.http.limit import API_WINDOW_SECONDS, LIMITS, Counts, Limit, network

BURST = API_WINDOW_SECONDS
"""At one request a second."""


@pytest.fixture
def limited(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Flask:
    """One request a second to the API, and usual limits for all else."""
    monkeypatch.setitem(app.config, "API_RATE", 1)
    monkeypatch.setitem(app.config, "LIMITS", 1)
    monkeypatch.setitem(app.extensions, "counts", Counts())
    return app


@pytest.mark.parametrize("lang", LANGUAGES)
def test_who_asks_too_often_is_told_when_to_come_back(
    limited: Flask, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    http = limited.test_client()
    path = f"{operations.BASE}/games?lang={lang}"
    assert [http.get(path).status_code for _ in range(BURST + 1)] == [200] * BURST + [429]
    refused = http.get(path)
    assert 1 <= int(refused.headers["Retry-After"]) <= API_WINDOW_SECONDS
    assert refused.headers["Cache-Control"] == "no-store"
    assert refused.headers["Access-Control-Allow-Origin"] == "*"
    assert refused.headers["Content-Language"] == lang
    assert json.loads(refused.text)["error"]["code"] == "too-many"
    others = http.get(path, environ_base={"REMOTE_ADDR": "192.0.2.7"})
    assert others.status_code == 200
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + API_WINDOW_SECONDS)
    assert http.get(path).status_code == 200


def test_the_message_is_in_the_language_asked_for(limited: Flask) -> None:
    http = limited.test_client()
    said = set()
    for lang in LANGUAGES:
        for _ in range(BURST + 1):
            answer = http.get(f"{operations.BASE}/?lang={lang}", environ_base={"REMOTE_ADDR": f"::{lang}"})
        said.add(json.loads(answer.text)["error"]["message"])
    assert len(said) == len(LANGUAGES)


def test_pages_and_questions_of_browsers_are_not_counted(limited: Flask) -> None:
    http = limited.test_client()
    assert {http.get("/en/api").status_code for _ in range(BURST + 5)} == {200}
    assert {http.options(f"{operations.BASE}/judge").status_code for _ in range(BURST + 5)} == {200}
    assert http.get(f"{operations.BASE}/games").status_code == 200


def test_it_can_be_switched_off(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(app.config, "API_RATE", 0)
    http = app.test_client()
    assert {http.get(f"{operations.BASE}/").status_code for _ in range(BURST + 5)} == {200}
    assert setting("TUTOR_NONE", "0.5") == 0.5
    for wrong in ("-1", "nan", "inf", "often"):
        with pytest.raises(ValueError, match="TUTOR_NONE is a number"):
            setting("TUTOR_NONE", wrong)


# What is counted, and where


def _hits(storage: SharedCounts, key: str, times: int, done: "multiprocessing.Queue[int]") -> None:
    done.put(sum(storage.incr(key, 60) <= 500 for _ in range(times)))


def test_all_workers_count_together() -> None:
    """Four processes that were forked from one: together they get what one of them would."""
    storage, fork = SharedCounts(), multiprocessing.get_context("fork")
    done = fork.Queue()
    workers = [fork.Process(target=_hits, args=(storage, "a", 400, done)) for _ in range(4)]
    for process in workers:
        process.start()
    allowed = [done.get(timeout=60) for _ in workers]
    for process in workers:
        process.join()
    assert sum(allowed) == 500
    assert storage.get("a") == 1600


def test_a_window_ends_and_the_next_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    storage, begin = SharedCounts(), time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: begin)
    assert [storage.incr("a", 10) for _ in range(3)] == [1, 2, 3]
    assert storage.get_expiry("a") == pytest.approx(time.time() + 10, abs=1)
    monkeypatch.setattr(time, "monotonic", lambda: begin + 9.9)
    assert storage.incr("a", 10) == 4
    monkeypatch.setattr(time, "monotonic", lambda: begin + 10.1)
    assert storage.get("a") == 0
    assert storage.incr("a", 10) == 1
    storage.clear("a")
    assert storage.get("a") == 0


def test_whoever_invents_addresses_fills_nothing_and_few_others_are_forgotten() -> None:
    storage = SharedCounts()
    known = [f"known {i}" for i in range(100)]
    for key in known:
        storage.incr(key, 86_400, 7)
    for number in range(2 * SLOTS):
        storage.incr(str(number), 10)
    assert len(storage._memory) == SLOTS * counts.SLOT.size
    assert sum(storage.get(key) == 7 for key in known) >= 95, "what lasts a day outlives what lasts seconds"
    assert WAYS > 1


def test_two_servers_count_together_in_redis_and_alone_without(
    redis_server: Callable[..., RedisServer], caplog: pytest.LogCaptureFixture
) -> None:
    redis = redis_server("--save", "")
    one, two, item = Counts(), Counts(), RateLimitItemPerSecond(5, 60, "test")
    waits = [each.wait(redis.url, item, "who") for _ in range(3) for each in (one, two)]
    assert [bool(wait) for wait in waits] == [False] * 5 + [True]
    assert 1 <= waits[-1] <= 60
    redis.stop()
    assert [bool(one.wait(redis.url, item, "who")) for _ in range(6)] == [False] * 5 + [True]
    assert len(caplog.records) == 1, "one line when it begins, not one a request"


def test_a_redis_that_hangs_is_not_waited_for_twice(redis_server: Callable[..., RedisServer]) -> None:
    redis = redis_server("--save", "")
    here, item = Counts(), RateLimitItemPerSecond(5, 60, "test")
    assert not here.wait(redis.url, item, "who")
    redis.process.send_signal(19)  # it is there, and does not answer
    try:
        begin = time.monotonic()
        for _ in range(4):
            here.wait(redis.url, item, "who")
        assert time.monotonic() - begin < 4 * counts.REDIS_TIMEOUT_SECONDS + 2
    finally:
        redis.process.send_signal(18)


@pytest.mark.patient
def test_counts_in_redis_end_by_themselves(redis_server: Callable[..., RedisServer]) -> None:
    redis = redis_server("--save", "")
    storage = open_counts(redis.url)
    assert storage.incr("a", 1) == 1
    time.sleep(1.2)
    assert storage.get("a") == 0


# For whom


def test_who_asks_is_the_network_until_a_token_is_right(limited: Flask) -> None:
    with limited.test_request_context("/", environ_base={"REMOTE_ADDR": "192.0.2.9"}):
        assert limit.asker() == "192.0.2.9"
        g.asker = "CODE guest"
        assert limit.asker() == "CODE guest"
        assert limit.network_of_request() == "192.0.2.9"


@pytest.mark.parametrize(
    ("what", "path"),
    [
        ("search", "/en/search?q=w{}"),
        ("search", "/en/search?q=w{0}&first=w{0}"),
        ("search", "/it/border/teach/answers?q=w{}"),
        ("page", "/en/border/learn/grey?moves=p1+cross+{}"),
        ("page", "/en/border/referee?at=1.x{}"),
        ("page", "/en/border/referee?new=1&players=2&x={}"),
        ("preview", "/referee/confini/position.png?at=1.hand+active=p1+round={}+p1=andrea+p2=vasco"),
    ],
)
def test_what_costs_is_counted_for_each_network(
    limited: Flask, monkeypatch: pytest.MonkeyPatch, what: str, path: str
) -> None:
    monkeypatch.setattr(limit, "LIMITS", {**LIMITS, what: (Limit(2, 60),)})
    http = limited.test_client()
    found = [http.get(path.format(i)).status_code for i in range(2, 7)]
    assert [status == 429 for status in found] == [False] * 2 + [True] * 3
    assert http.get(path.format(9), environ_base={"REMOTE_ADDR": "192.0.2.7"}).status_code != 429
    assert http.get("/en/").status_code == 200, "what is kept costs nothing"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_reader_who_asks_too_often_gets_a_page_that_says_so(
    limited: Flask, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    monkeypatch.setattr(limit, "LIMITS", {**LIMITS, "search": (Limit(1, 60),)})
    http = limited.test_client()
    first, second = (http.get(f"/{lang}/search?q=too+often+{i}") for i in (1, 2))
    assert (first.status_code, second.status_code) == (200, 429)
    assert f'lang="{lang}"' in second.text
    assert int(second.headers["Retry-After"]) > 0


def test_a_page_made_for_all_is_not_counted_twice(limited: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limit, "LIMITS", {**LIMITS, "search": (Limit(1, 60),)})
    http = limited.test_client()
    assert {http.get("/en/search?q=the+same").status_code for _ in range(5)} == {200}


def test_a_network_of_ipv6_is_one_address() -> None:
    assert network("2001:db8::1") == network("2001:db8::ffff:2") != network("2001:db8:0:100::1")
    assert network("192.0.2.1") != network("192.0.2.2")
    assert network("::ffff:192.0.2.1") == network("192.0.2.1")
    assert network("192.0.2.1:50000") == network("192.0.2.1")
    assert network("[2001:db8::1]:50000") == network("2001:db8::1")
    assert network("") == ""


# What is listed


def test_chance_is_one_entry_with_its_count(app: Flask) -> None:
    sent = {"game": "border", "start": "roll active=p1 p1=1 p2=2", "moves": ["p1 roll"]}
    answer = app.test_client().post(f"{operations.BASE}/moves", data=json.dumps(sent))
    told = json.loads(answer.text)
    assert (told["turn"], told["legal"], told["count"]) == (["chance"], [], 0)
    [entry] = told["chance"]
    assert (entry["act"], entry["count"]) == ("dice", 7776)
    assert len(answer.data) < 10_000
    sent["moves"] = ["p1 roll", entry["example"]]
    after = app.test_client().post(f"{operations.BASE}/moves", data=json.dumps(sent))
    told = json.loads(after.text)
    assert told["chance"] == []
    assert "p1 done" in told["legal"]
    assert told["count"] == len(told["legal"])


def test_a_list_has_an_end(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MOST_MOVES_LISTED", 2)
    sent = {"game": "border", "start": "first active=p1 rolls=3 dice=GGGYB p1=2 p2=3"}
    answer = app.test_client().post(f"{operations.BASE}/moves", data=json.dumps(sent))
    told = json.loads(answer.text)
    assert (len(told["legal"]), told["count"]) == (2, 3)


def test_the_limit_is_documented(app: Flask) -> None:
    told = json.loads(app.test_client().get(f"{operations.BASE}/openapi.json").text)
    for path in told["paths"].values():
        for one in path.values():
            assert "Retry-After" in one["responses"]["429"]["headers"]
    assert set(told["components"]["schemas"]["Chance"]["properties"]) == {"act", "count", "example"}


def test_the_guide_for_operators_names_every_limit() -> None:
    """What a row says of how often is what the code counts."""
    guide = (ROOT / "docs" / "operating.md").read_text("utf-8")
    table = guide.partition("## Limits")[2]
    for what, limits in LIMITS.items():
        for one in limits:
            told = (f"{one.most:,} in {one.seconds} s", f"{one.most} a day", f"{one.most:,} a day")
            named = f"{one.most} {what}s in {one.seconds} s"
            assert any(text in table for text in (*told, named)), f"{what}: {one}"
    assert f"{worker.MOST_CONNECTIONS_OF_NETWORK:,} of the {worker.MOST_CONNECTIONS:,}" in table
    assert f"within {worker.SLOWEST_BODY_SECONDS} s" in table
