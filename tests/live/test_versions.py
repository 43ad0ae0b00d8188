"""Logs of live tables that another version wrote to, that lost their end, or that are very long."""

import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis import Redis

from tests.conftest import SOAK
from tests.live.test_store import DATABASE
from tests.pages import check
from tests.web.live.test_server import translated
from tests.web.live.test_tables import ORIGIN, Site, beat_of, events_of, open_one
from tutor.book.words import LANGUAGES
from tutor.lessons.beats import Beat
from tutor.lessons.course import Course
from tutor.lessons.input import NO, YES
from tutor.live import tables as live_tables
from tutor.live.log import Event, Log, Newer, Stale, open_log
from tutor.live.stage import Stage
from tutor.live.tables import Tables, guest

PLACES = ("", "/present", "/notes")
NEWER = (
    "The live tables belong to a newer version of this site than the one you have reached."
    " Lessons, rules and the referee still work; please try again in a moment."
)
REMOVED = (
    "This table has reached a part of the lesson that this version of the site doesn’t have."
    " Whoever is presenting can go on with another screen."
)


@pytest.fixture
def site(app: Flask) -> Site:
    return Site(app)


@pytest.fixture
def tables(tmp_path: Path, all_courses: dict[str, Course]) -> Iterator[Tables]:
    with closing(open_log(str(tmp_path / "live.db"))) as log:
        yield Tables(log, all_courses)


def plain(answer: Any) -> str:
    return unescape(answer.text).replace("\N{NO-BREAK SPACE}", " ")


def test_nobody_loses_the_chair_by_an_upgrade(tables: Tables) -> None:
    """Tokens that were handed out earlier are still those of the same guests."""
    stage = replace(tables.stage(open_one(tables)[0]), key="an-old-key")
    assert guest(stage, "a-guest.W84DAtf6JF7t-Uy9b6Magyap") == "a-guest"


# What another version has written

HARMLESS: list[dict[str, Any]] = [
    {},
    {"kind": "applause", "who": "x"},
    {"kind": "pointed", "place": ["E5"]},
    {"kind": "seated"},
    {"kind": "cited", "entry": 5},
    {"kind": ["shown"]},
    {"kind": None, "must": False},
]
UNKNOWN: list[dict[str, Any]] = [
    {"kind": "film", "must": True},
    {"kind": "shown"},
    {"kind": "shown", "place": "white"},
    {"kind": "shown", "place": {"screen": "white", "moves": "p1 roll"}},
]
SAID: list[dict[str, Any]] = [
    {},
    {"kind": "applause", "who": "x"},
    {"kind": "joined"},
    {"kind": "voted", "who": "x", "round": "2", "value": "y"},
    {"kind": "signalled", "who": "x", "what": "slow", "beat": 1},
    {"kind": "heard", "version": None},
    {"kind": "named", "who": "nobody", "name": "x", "colour": "red"},
]


@pytest.mark.parametrize("body", HARMLESS, ids=str)
def test_an_event_that_we_do_not_know_is_left_out(tables: Tables, body: dict[str, Any]) -> None:
    code, who = open_one(tables)
    before = tables.stage(code)
    tables.log.append(code, "stage", body)
    for one in (tables, Tables(tables.log, tables.courses)):
        assert one.stage(code) == replace(before, version=3)
    assert tables.point(code, who, "E5", 3).point == "E5"


def test_fields_that_we_do_not_know_are_left_out(tables: Tables) -> None:
    code, _ = open_one(tables)
    shown = {
        "kind": "shown",
        "place": {"screen": "grey", "zoom": 2},
        "asks": "grey",
        "open": True,
        "mood": "!",
    }
    tables.log.append(code, "stage", shown)
    stage = tables.stage(code)
    assert (stage.beat, stage.asks, stage.open) == (Beat("grey"), "grey", True)


@pytest.mark.parametrize("body", SAID, ids=str)
def test_what_guests_said_in_another_version_is_left_out(tables: Tables, body: dict[str, Any]) -> None:
    code, _ = open_one(tables)
    one, _ = tables.join(code)
    tables.log.append(code, "floor", body)
    tables.signal(code, one, "question")
    floor = tables.floor(code)
    assert floor.version == 3
    assert [*floor.guests] == [one]
    assert len(floor.wishes()) == 1


@pytest.mark.parametrize("body", UNKNOWN, ids=str)
def test_what_is_shown_by_a_newer_version_is_said_so_until_we_know_it_again(
    site: Site, body: dict[str, Any]
) -> None:
    code = site.open("it")
    phone = site.friend()
    phone.post(f"/pl/t/{code}", signal="fast")
    log = site.tables.log
    version = log.append(code, "stage", body)
    for lang in LANGUAGES:
        for path in (*PLACES, "/events", "/rings", "/behind"):
            answer = site.get(f"/{lang}/t/{code}{path}", 503)
            check(f"/{lang}/", answer.text)
            assert translated(NEWER, lang) in plain(answer)
    phone.post(f"/pl/t/{code}", 503, vote="y", round=2)
    site.post(f"/it/t/{code}/present", 503, do="show", screen="white", version=version)
    assert f"{code[:4]} {code[4:]}" in plain(phone.get("/pl/t/"))
    assert translated("This table can’t be shown here", "pl") in plain(phone.get("/pl/t/"))
    log.append(code, "stage", {"kind": "shown", "place": {"screen": "white"}})
    site.get(f"/it/t/{code}/present")
    phone.get(f"/pl/t/{code}")


@pytest.mark.parametrize("opened", [{}, {"kind": "opened"}, {"kind": "opened", "game": "border", "plan": []}])
def test_a_table_that_a_newer_version_has_opened(site: Site, opened: dict[str, Any]) -> None:
    log, code = site.tables.log, "CDFH7777"
    log.delete(code)
    log.create(code, opened)
    log.append(code, "stage", {"kind": "shown", "place": {"screen": "white"}})
    for lang in LANGUAGES:
        for path in (*PLACES, "/events"):
            assert translated(NEWER, lang) in plain(site.get(f"/{lang}/t/{code}{path}", 503))


# What this version no longer has


def put(site: Site, code: str, **changed: Any) -> None:
    """Another beginning for a table, as if another version had opened it."""
    log = site.tables.log
    first, *rest = [{**event.body, "once": secrets.token_hex(3)} for event in log.read(code, "stage")]
    floor = [event.body for event in log.read(code, "floor")]
    log.put(code, [{**first, **changed}, *rest], floor, replace=True)


def test_a_plan_loses_the_screens_that_are_gone(site: Site) -> None:
    code = site.open("it", plan="white.grey")
    put(site, code, plan=["gone-first", "white", "gone", "grey", "gone-last"])
    assert site.tables.stage(code).plan == ("white", "grey")
    for lang in LANGUAGES:
        for path in PLACES:
            site.get(f"/{lang}/t/{code}{path}")
    site.show(code, screen="end")
    for path in PLACES:
        site.get(f"/it/t/{code}{path}")
    put(site, code, plan=["gone"])
    assert len(site.tables.stage(code).plan) > 2, "then it is the usual one"
    site.get(f"/it/t/{code}/present")


GONE: list[dict[str, Any]] = [
    {"screen": "gone"},
    {"screen": "grey", "moves": ["p1 fly A1"]},
    {"screen": "grey", "moves": ["nonsense"]},
    {"screen": "grey", "moves": ["p1 cross A6"] * 200},
]


@pytest.mark.parametrize("place", GONE, ids=range(len(GONE)))
def test_a_table_that_shows_what_is_gone_says_so_and_can_go_on(site: Site, place: dict[str, Any]) -> None:
    code = site.open("it", plan="white.grey.villa")
    put(site, code, plan=["white", place["screen"], "grey", "villa"])
    phone = site.friend()
    phone.post(f"/pl/t/{code}", signal="fast")
    version = site.tables.log.append(
        code, "stage", {"kind": "shown", "place": place, "asks": "x", "open": True}
    )
    for lang in LANGUAGES:
        for path in (*PLACES, "/rings", "/behind"):
            answer = site.get(f"/{lang}/t/{code}{path}", 410)
            check(f"/{lang}/", answer.text)
            assert translated(REMOVED, lang) in plain(answer)
            assert f'href="/{lang}/border/rules"' in answer.text
        [(name, _, [told])] = events_of(site.client.get(f"/{lang}/t/{code}/events"), 1)
        assert (name, told.replace("\u00a0", " ")) == ("fault", translated(REMOVED, lang))
    assert translated("This table can’t be shown here", "pl") in plain(phone.get("/pl/t/"))
    for form in ({"vote": "y", "round": version}, {"signal": "question"}, {"name": "Ola"}):
        phone.post(f"/pl/t/{code}", 410, **form)
    assert 'name="do"' not in phone.client.get(f"/pl/t/{code}").text
    for form in (
        {"do": "point", "point": "E5"},
        {"do": "again"},
        {"do": "show"},
        {"do": "show", "screen": ""},
    ):
        site.post(f"/it/t/{code}/present", 410, version=version, **form)
    page = site.client.get(f"/it/t/{code}/present").text
    assert 'name="screen" value="grey"' in page
    assert f'name="version" value="{version}"' in page
    site.post(f"/it/t/{code}/present", do="show", screen="grey", version=version)
    assert site.tables.stage(code).beat == Beat("grey")
    for one, path in (
        (site, f"/it/t/{code}/present"),
        (site, f"/it/t/{code}/notes"),
        (phone, f"/pl/t/{code}"),
    ):
        one.get(path)


def test_a_table_at_what_is_gone_can_be_closed(site: Site) -> None:
    code = site.open("it")
    log = site.tables.log
    log.append(code, "stage", {"kind": "shown", "place": {"screen": "gone"}})
    site.post(f"/it/t/{code}/present", do="end")
    assert "Ten stół został zamknięty" in site.friend().get(f"/pl/t/{code}").text
    assert site.get(f"/it/t/{code}/present", 303).headers["Location"].startswith(f"/it/t/{code}")
    [(name, _, _)] = events_of(site.friend().client.get(f"/pl/t/{code}/events"), 1)
    assert name == "gone"
    for headers in (
        ORIGIN,
        {**ORIGIN, "HX-Request": "true"},
        {**ORIGIN, "HX-Request": "true", "HX-Target": "screen"},
    ):
        site.friend().post(f"/pl/t/{code}", 410, headers, vote="y", round=3)


def test_a_table_of_a_game_that_is_gone(site: Site) -> None:
    code = site.open("it")
    put(site, code, game="chess")
    for lang in LANGUAGES:
        for path in PLACES:
            answer = site.get(f"/{lang}/t/{code}{path}", 410)
            check(f"/{lang}/", answer.text)
    assert 'value="show"' not in answer.text
    site.post(f"/it/t/{code}/present", 410, do="show", screen="white", version=2)
    assert translated("This table can’t be shown here", "it") in plain(site.get("/it/t/"))
    site.post(f"/it/t/{code}/notes", do="end")


def test_small_things_that_are_gone_are_left_out(site: Site) -> None:
    """A cited rule, a place that is pointed at, answers and a question that this version has no more."""
    code = site.open("it")
    log = site.tables.log
    phone = site.friend()
    phone.post(f"/pl/t/{code}", signal="fast")
    [who] = site.tables.floor(code).guests
    course = site.app.extensions["shelf"].courses["border"]

    def all_are_well() -> None:
        for path in PLACES:
            site.get(f"/it/t/{code}{path}")
        site.get(f"/it/t/{code}/present?votes={site.tables.stage(code).round}")
        phone.get(f"/pl/t/{code}")
        [(name, _, _)] = events_of(phone.client.get(f"/pl/t/{code}/events"), 1)
        assert name == "beat"

    for kind in ("predict", "choose", "do", "ask", "watch", "recap"):
        screen = beat_of(course, kind).screen
        shown = {"kind": "shown", "place": {"screen": screen}, "asks": screen, "open": True}
        version = log.append(code, "stage", shown)
        log.append(code, "stage", {"kind": "cited", "entry": "border.gone"})
        log.append(code, "stage", {"kind": "pointed", "place": "Z99"})
        for value in ("p7 fly Z99", "gone.gone", ""):
            log.append(code, "floor", {"kind": "voted", "who": who, "round": version, "value": value})
            all_are_well()
        shown["place"] = {"screen": screen, "choices": ["gone"], "said": "zzz"}
        log.append(code, "stage", {**shown, "open": False})
        all_are_well()


BODY = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from(
            ["opened", "shown", "again", "pointed", "cited", "seated", "ended", "joined", "named", "voted",
             "signalled", "heard", "film"]
        ),
        "place": st.sampled_from(
            [{"screen": "white"}, {"screen": "gone"}, "E5", "", {"screen": "grey", "moves": ["p1 roll"]},
             {"screen": "end"}, {"screen": "first-recap", "said": "y-n-y-n-"}, {"screen": 3}, None]
        ),
        "asks": st.sampled_from(["white", "grey", "gone", "first-recap~0", "", 1]),
        "open": st.sampled_from([True, False, 1]),
        "chair": st.sampled_from([["x"], [], "x"]),
        "entry": st.sampled_from(["border.first.open", "gone"]),
        "game": st.sampled_from(["border", "confini", "gone"]),
        "plan": st.sampled_from([["white"], ["gone"], []]),
        "key": st.just("k"),
        "who": st.sampled_from(["x", ""]),
        "round": st.integers(-1, 9),
        "value": st.sampled_from(["y", "n.y", "p1 roll", "zzz"]),
        "what": st.sampled_from(["fast", "question", "slow"]),
        "beat": st.integers(-1, 3),
        "version": st.integers(-1, 9),
        "must": st.booleans(),
    },
)  # fmt: skip


@settings(max_examples=60 * SOAK, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stage=st.lists(BODY, max_size=5), floor=st.lists(BODY, max_size=5))
@pytest.mark.patient
def test_no_event_of_another_version_breaks_a_page(
    app: Flask, stage: list[dict[str, Any]], floor: list[dict[str, Any]]
) -> None:
    site = Site(app)
    code = site.open()
    log = site.tables.log
    for body in stage:
        log.append(code, "stage", body)
    for body in floor:
        log.append(code, "floor", body)
    for lang, path in (("it", "/present"), ("pl", "/notes"), ("es", ""), ("en", "/behind")):
        answer = site.client.get(f"/{lang}/t/{code}{path}")
        assert answer.status_code in (200, 303, 404, 410, 503), (answer.status_code, path)
    stream = site.friend().client.get(f"/pl/t/{code}/events")
    if stream.status_code == 200:
        [(name, _, _)] = events_of(stream, 1)
        assert name in ("beat", "gone", "fault", "down")
    form = {"do": "show", "screen": "white", "version": len(stage) + 2}
    answer = site.client.post(f"/it/t/{code}/present", data=form, headers=ORIGIN)
    assert answer.status_code in (303, 404, 410, 503)


# A log that has lost its end


@pytest.fixture(params=["sqlite", "redis"])
def cut(
    request: pytest.FixtureRequest, tmp_path: Path, all_courses: dict[str, Course]
) -> Iterator[tuple[Tables, Callable[[str, str, int], None]]]:
    """Tables, and what takes the end off one of their logs, as a store does that has lost its last second."""
    where = str(tmp_path / "live.db")
    if request.param == "redis":
        where = f"{request.getfixturevalue('redis_url')}/{DATABASE}"

    def cut_file(code: str, channel: str, last: int) -> None:
        with closing(sqlite3.connect(where)) as db:
            query = "delete from events where code = ? and channel = ? and version > ?"
            db.execute(query, (code, channel, last))
            db.commit()

    def cut_stream(code: str, channel: str, last: int) -> None:
        with Redis.from_url(where, decode_responses=True) as client:
            key = f"tutor:{{{code}}}:{channel}"
            kept = client.xrange(key)[:last]
            client.delete(key)
            for name, entry in kept:
                client.xadd(key, entry, id=name)

    if request.param == "redis":
        with Redis.from_url(where) as client:
            client.flushdb()
    with closing(open_log(where)) as log:
        yield Tables(log, all_courses), cut_stream if request.param == "redis" else cut_file


Cut = tuple[Tables, Callable[[str, str, int], None]]


def test_a_presenter_goes_on_at_a_table_that_has_lost_its_end(cut: Cut) -> None:
    tables, cut_off = cut
    code, who = open_one(tables)
    plan = tables.stage(code).plan
    for name in plan[1:5]:
        tables.show(code, who, Beat(name), tables.stage(code).version)
    assert tables.stage(code).version == 6
    cut_off(code, "stage", 3)
    with pytest.raises(Stale):
        tables.show(code, who, Beat(plan[5]), 6)
    assert tables.stage(code) == Tables(tables.log, tables.courses).stage(code)
    assert tables.stage(code).beat == Beat(plan[1])
    assert tables.show(code, who, Beat(plan[2]), 3).version == 4


@pytest.mark.parametrize("grown", [2, 3, 5])
def test_so_it_does_when_the_log_has_grown_again(cut: Cut, grown: int) -> None:
    tables, cut_off = cut
    code, who = open_one(tables)
    plan = tables.stage(code).plan
    for name in plan[1:4]:
        tables.show(code, who, Beat(name), tables.stage(code).version)
    tables.stage(code)
    cut_off(code, "stage", 2)
    other = Tables(tables.log, tables.courses)
    for name in plan[5 : 5 + grown]:
        other.show(code, who, Beat(name), other.stage(code).version)
    assert tables.stage(code) == other.stage(code)
    assert tables.look(code) == other.look(code)


def test_even_if_its_last_event_says_the_same(cut: Cut) -> None:
    tables, cut_off = cut
    code, who = open_one(tables)
    predict, ask = (beat_of(tables.courses["border"], kind) for kind in ("predict", "ask"))
    tables.show(code, who, predict, 2)
    tables.vote_again(code, who, 3)
    cut_off(code, "stage", 2)
    other = Tables(tables.log, tables.courses)
    other.show(code, who, ask, 2)
    other.vote_again(code, who, 3)
    assert tables.stage(code).beat == ask


def test_guests_who_were_lost_join_again(cut: Cut) -> None:
    tables, cut_off = cut
    code, who = open_one(tables)
    guests = [tables.join(code) for _ in range(4)]
    stage = tables.show(code, who, beat_of(tables.courses["border"], "predict"), 2)
    for one, _ in guests:
        tables.vote(code, one, stage.round, YES)
    assert tables.floor(code).counts(stage.round)[YES] == 4
    cut_off(code, "floor", 3)
    assert [*tables.floor(code).guests] == [one for one, _ in guests[:3]]
    for one, token in guests:
        assert tables.join(code, token) == (one, token)
        tables.vote(code, one, stage.round, NO)
    assert tables.floor(code).counts(stage.round) == {NO: 4}
    assert tables.floor(code) == Tables(tables.log, tables.courses).floor(code)


def test_a_table_of_the_same_code_is_another_table(cut: Cut) -> None:
    tables, _ = cut
    code, _ = open_one(tables)
    tables.join(code)
    tables.look(code)
    opened = tables.log.read(code, "stage")[0].body
    tables.log.delete(code)
    tables.log.create(code, {**opened, "key": "another", "once": "x"})
    tables.log.append(code, "stage", {"kind": "pointed"})
    tables.log.append(code, "stage", {"kind": "pointed"})
    stage, floor = tables.look(code)
    assert (stage.key, stage.version, floor.version) == ("another", 3, 0)


def test_guests_are_shown_what_is_left(site: Site) -> None:
    """The stream sends a beat of a lower version than the one that this guest has seen."""
    code = site.open("it")
    plan = site.tables.stage(code).plan
    for step in plan[1:4]:
        site.show(code, screen=step)
    phone = site.friend()
    [(_, version, _)] = events_of(phone.client.get(f"/pl/t/{code}/events"), 1)
    assert version == 5
    with closing(sqlite3.connect(site.app.config["LIVE"])) as db:
        db.execute("delete from events where code = ? and channel = 'stage' and version > 3", (code,))
        db.commit()
    late = phone.client.get(f"/pl/t/{code}/events", headers={"Last-Event-ID": "5"})
    [(name, version, [own, html])] = events_of(late, 1)
    assert (name, version, own["version"]) == ("beat", 3, 3)
    assert f'data-screen="{plan[1]}"' in html


# Others run meanwhile


class Interrupted:
    """A log at which something else happens whenever somebody waits for it."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.meanwhile: Callable[[], object] = lambda: None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.log, name)

    def read(self, *args: Any) -> list[Event]:
        found = self.log.read(*args)
        meanwhile, self.meanwhile = self.meanwhile, lambda: None
        meanwhile()
        return found


def test_a_table_may_be_forgotten_while_somebody_looks(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_tables, "TABLES_KEPT", 1)
    log = Interrupted(tables.log)
    many = Tables(log, tables.courses)
    (one, who), (other, _) = open_one(many), open_one(many)
    many.join(one)
    for use in (many.stage, many.floor, many.look, many.recall):
        many.stage(one)
        log.meanwhile = lambda: many.look(other)
        use(one)
    log.meanwhile = lambda: many.look(other)
    assert many.point(one, who, "E5", 2).point == "E5"
    assert many.look(one) == Tables(tables.log, tables.courses).look(one)


def test_who_reads_late_does_not_bring_back_what_was_lost(tables: Tables) -> None:
    log = Interrupted(tables.log)
    slow = Tables(log, tables.courses)
    code, who = open_one(slow)
    slow.point(code, who, "E5", 2)
    stage = [event.body for event in tables.log.read(code, "stage")]

    def cut() -> None:
        tables.log.put(code, stage[:2], [], replace=True)
        assert slow.stage(code).version == 2

    log.meanwhile = cut
    slow.stage(code)
    assert slow.stage(code).version == 2
    assert slow.recall(code)[0].version == 2


def test_a_long_log_is_read_in_parts_that_let_others_run(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _ = open_one(tables)
    count = 10 * live_tables.EVENTS_AT_ONCE
    stage = [event.body for event in tables.log.read(code, "stage")]
    pointed = [{"kind": "pointed", "place": f"E{n}"} for n in range(count)]
    floor = [{"kind": "joined", "who": f"g{n % 50}"} for n in range(count)]
    tables.log.put(code, [*stage, *pointed], floor, replace=True)
    turns: list[float] = []
    late = Tables(tables.log, tables.courses)
    seen: list[Stage] = []

    def turn(seconds: float) -> None:
        if seconds:
            return  # of somebody who listens
        turns.append(seconds)
        monkeypatch.undo()
        seen.append(late.recall(code)[0])  # nobody is told half of it
        assert len(late.recall(code)[1].guests) == 50
        monkeypatch.setattr(time, "sleep", turn)

    monkeypatch.setattr(time, "sleep", turn)
    assert late.stage(code).version == count + 2
    assert len(turns) >= 10
    turns.clear()
    late = Tables(tables.log, tables.courses)
    monkeypatch.setattr(time, "sleep", lambda seconds: None if seconds else turns.append(seconds))
    assert late.floor(code).version == count
    monkeypatch.undo()
    assert len(turns) >= 20, "the stage, too"
    assert {one.version for one in seen} == {count + 2}
    assert late.look(code) == tables.look(code)


def test_the_first_who_asks_for_what_is_newer_is_told_so(tables: Tables) -> None:
    code, who = open_one(tables)
    tables.log.append(code, "stage", {"kind": "film", "must": True})
    for look in (tables.stage, tables.look, tables.recall, Tables(tables.log, tables.courses).floor):
        if look != tables.recall:
            with pytest.raises(Newer):
                look(code)
    tables.log.append(code, "stage", {"kind": "shown", "place": {"screen": "white"}})
    assert tables.point(code, who, "E5", 4).point == "E5"
