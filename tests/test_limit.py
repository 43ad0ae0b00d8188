"""The API lists no more than anybody can use and answers no address more often than is fair."""

import json

import pytest
from flask import Flask

from tutor.book.words import LANGUAGES
from tutor.teach import referee
from tutor.web import api, limit, rate
from tutor.web.limit import BURST, MOST_KNOWN, Buckets, network


@pytest.fixture
def limited(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Flask:
    """One request a second, and a clock that stands still."""
    monkeypatch.setitem(app.config, "API_RATE", 1)
    monkeypatch.setitem(app.extensions, "buckets", Buckets())
    monkeypatch.setattr(limit.time, "monotonic", lambda: 100.0)
    return app


@pytest.mark.parametrize("lang", LANGUAGES)
def test_who_asks_too_often_is_told_when_to_come_back(
    limited: Flask, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    http = limited.test_client()
    path = f"{api.BASE}/games?lang={lang}"
    assert [http.get(path).status_code for _ in range(BURST + 1)] == [200] * BURST + [429]
    refused = http.get(path)
    assert refused.headers["Retry-After"] == "1"
    assert refused.headers["Cache-Control"] == "no-store"
    assert refused.headers["Access-Control-Allow-Origin"] == "*"
    assert refused.headers["Content-Language"] == lang
    assert refused.json["error"]["code"] == "too-many"
    others = http.get(path, environ_base={"REMOTE_ADDR": "192.0.2.7"})
    assert others.status_code == 200
    monkeypatch.setattr(limit.time, "monotonic", lambda: 101.0)
    assert [http.get(path).status_code for _ in range(2)] == [200, 429]


def test_the_message_is_in_the_language_asked_for(limited: Flask) -> None:
    http = limited.test_client()
    said = set()
    for lang in LANGUAGES:
        for _ in range(BURST + 1):
            answer = http.get(f"{api.BASE}/?lang={lang}", environ_base={"REMOTE_ADDR": f"::{lang}"})
        said.add(answer.json["error"]["message"])
    assert len(said) == len(LANGUAGES)


def test_pages_and_questions_of_browsers_are_not_counted(limited: Flask) -> None:
    http = limited.test_client()
    assert {http.get("/en/api").status_code for _ in range(BURST + 5)} == {200}
    assert {http.options(f"{api.BASE}/judge").status_code for _ in range(BURST + 5)} == {200}
    assert http.get(f"{api.BASE}/games").status_code == 200


def test_it_can_be_switched_off(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(app.config, "API_RATE", 0)
    http = app.test_client()
    assert {http.get(f"{api.BASE}/").status_code for _ in range(BURST + 5)} == {200}
    assert rate("0.5") == 0.5
    for wrong in ("-1", "nan", "inf", "often"):
        with pytest.raises(ValueError, match=r"number|float"):
            rate(wrong)


def test_a_bucket_fills_up_again_and_never_overflows() -> None:
    buckets = Buckets()
    assert all(not buckets.wait("a", 2, 0.0) for _ in range(2 * BURST))
    assert buckets.wait("a", 2, 0.0) == pytest.approx(0.5)
    assert not buckets.wait("a", 2, 0.5)
    assert buckets.wait("a", 2, 0.5) > 0
    assert sum(not buckets.wait("a", 2, 9999.0) for _ in range(4 * BURST)) == 2 * BURST


def test_only_so_many_addresses_are_remembered() -> None:
    buckets = Buckets()
    for number in range(MOST_KNOWN + 50):
        buckets.wait(str(number), 1, float(number))
    assert len(buckets._left) == MOST_KNOWN


def test_a_network_of_ipv6_is_one_address() -> None:
    assert network("2001:db8::1") == network("2001:db8::ffff:2") != network("2001:db8:0:100::1")
    assert network("192.0.2.1") != network("192.0.2.2")
    assert network("::ffff:192.0.2.1") == network("192.0.2.1")
    assert network("") == ""


# What is listed


def test_chance_is_one_entry_with_its_count(app: Flask) -> None:
    sent = {"game": "border", "start": "roll active=p1 p1=1 p2=2", "moves": ["p1 roll"]}
    answer = app.test_client().post(f"{api.BASE}/moves", data=json.dumps(sent))
    assert answer.json["turn"] == ["chance"]
    assert answer.json["legal"] == []
    assert answer.json["count"] == 0
    [entry] = answer.json["chance"]
    assert (entry["act"], entry["count"]) == ("dice", 7776)
    assert len(answer.data) < 10_000
    sent["moves"] = ["p1 roll", entry["example"]]
    after = app.test_client().post(f"{api.BASE}/moves", data=json.dumps(sent))
    assert after.json["chance"] == []
    assert "p1 done" in after.json["legal"]
    assert after.json["count"] == len(after.json["legal"])


def test_a_list_has_an_end(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee, "MOST_LISTED", 2)
    sent = {"game": "border", "start": "first active=p1 rolls=3 dice=GGGYB p1=2 p2=3"}
    answer = app.test_client().post(f"{api.BASE}/moves", data=json.dumps(sent))
    assert len(answer.json["legal"]) == 2
    assert answer.json["count"] == 3


def test_the_limit_is_documented(app: Flask) -> None:
    told = app.test_client().get(f"{api.BASE}/openapi.json").json
    for path in told["paths"].values():
        for one in path.values():
            assert "Retry-After" in one["responses"]["429"]["headers"]
    assert set(told["components"]["schemas"]["Chance"]["properties"]) == {"act", "count", "example"}
