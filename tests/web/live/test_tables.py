"""Live tables: what is shown, who may do what, votes and what the engine says of them, pages, streams."""

import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from html import unescape
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import given, settings
from hypothesis import strategies as st
from werkzeug.exceptions import ServiceUnavailable
from werkzeug.test import TestResponse

from tests.books import FULL
from tests.pages import check
from tutor.book.words import LANGUAGES
from tutor.games import GAMES
from tutor.lessons import beats, screen_views
from tutor.lessons.beats import Beat
from tutor.lessons.course import Course
from tutor.lessons.input import NO, NO_INPUT, YES, Input, Replies
from tutor.lessons.lesson import ACTS, Screen
from tutor.lessons.screen_views import ScreenView, show
from tutor.live import floor as live_floor
from tutor.live import poll
from tutor.live import tables as live_tables
from tutor.live.bell import News
from tutor.live.events import Voted
from tutor.live.log import Full, NoTable, Stale, Unavailable, open_log
from tutor.live.log.base import Channel
from tutor.live.names import plain_name
from tutor.live.poll import JOIN, Poll
from tutor.live.stage import question
from tutor.live.tables import (
    CODE_LENGTH,
    CODE_LETTERS,
    SAID_A_BEAT,
    SAID_AT_FIRST,
    Crowded,
    Enough,
    NotPresenting,
    Tables,
    TooLate,
    TooManyTables,
    code_of,
    guest,
)
from tutor.web.http import limit
from tutor.web.http.limit import LIMITS, Counts, Limit
from tutor.web.live import kept
from tutor.web.live.stream import GZIP_HEAD, MOST_STREAMS_OF_GUEST, STILL_HERE, Message, Streams, until_news
from tutor.web.live.tables import MOST_COOKIES
from tutor.web.live.tables import tables as site_tables

ALL = [*GAMES]
ORIGIN = {"Origin": "http://localhost"}


@pytest.fixture
def tables(tmp_path: Path, all_courses: dict[str, Course]) -> Tables:
    return Tables(open_log(str(tmp_path / "live.db")), all_courses)


@pytest.fixture
def opened(tables: Tables) -> tuple[str, str]:
    """A table of The Border: its code, and who presents."""
    return open_one(tables)


def open_one(tables: Tables, game: str = "border") -> tuple[str, str]:
    plan = beats.plan_of(tables.courses[game], ())
    code, token = tables.open(game, plan, Beat(plan[0]))
    who = guest(tables.stage(code), token)
    tables.show(code, who, Beat(plan[0]), 1)
    return code, who


def beat_of(course: Course, kind: str) -> Beat:
    """The first question of a kind."""
    return next(Beat(name) for name, one in course.lessons.screens.items() if one.kind == kind)


# What is shown, and who may change it


def test_a_table_begins_with_the_first_beat_of_its_plan(tables: Tables, opened: tuple[str, str]) -> None:
    stage = tables.stage(opened[0])
    assert (stage.game, stage.beat, stage.number) == ("border", Beat(stage.plan[0]), 1)
    assert stage.chair == (opened[1],)


def test_two_servers_on_one_log_show_the_same(tables: Tables, opened: tuple[str, str]) -> None:
    code, who = opened
    other = Tables(tables.log, tables.courses)
    for beat in beats.beats(tables.courses["border"], tables.stage(code).plan)[:6]:
        shown = tables.show(code, who, beat, tables.stage(code).version)
        assert other.stage(code) == shown
        assert shown.beat == beat


def test_a_command_that_comes_too_late_does_nothing(tables: Tables, opened: tuple[str, str]) -> None:
    code, who = opened
    first, second, third = beats.beats(tables.courses["border"], tables.stage(code).plan)[:3]
    seen = tables.stage(code).version
    tables.show(code, who, second, seen)
    with pytest.raises(Stale):
        tables.show(code, who, third, seen)
    assert tables.stage(code).beat == second != first


def test_only_the_chair_presents(tables: Tables, opened: tuple[str, str]) -> None:
    code, _ = opened
    other, _ = tables.join(code)
    before = tables.stage(code)
    for nobody in (other, "", "x"):
        with pytest.raises(NotPresenting):
            tables.show(code, nobody, before.beat, before.version)
        with pytest.raises(NotPresenting):
            tables.hand_over(code, nobody, nobody)
        with pytest.raises(NotPresenting):
            tables.end(code, nobody)
    assert tables.stage(code) == before


def test_the_chair_is_handed_over_and_the_old_one_cannot_drive(
    tables: Tables, opened: tuple[str, str]
) -> None:
    code, who = opened
    other, _ = tables.join(code)
    stage = tables.hand_over(code, who, other)
    assert stage.chair == (other,)
    with pytest.raises(NotPresenting):
        tables.point(code, who, "E5", stage.version)
    assert tables.point(code, other, "E5", stage.version).point == "E5"


def test_a_shared_chair_has_room_for_a_remote_control(tables: Tables, opened: tuple[str, str]) -> None:
    code, who = opened
    phone, _ = tables.join(code)
    stage = tables.hand_over(code, who, phone, share=True)
    assert stage.chair == (who, phone)
    assert tables.point(code, phone, "E5", stage.version).point == "E5"


def test_a_remote_control_is_withdrawn_by_whoever_owns_the_table(
    tables: Tables, opened: tuple[str, str]
) -> None:
    code, owner = opened
    one, other = tables.join(code)[0], tables.join(code)[0]
    for phone in (one, other):
        stage = tables.hand_over(code, owner, phone, share=True)
    with pytest.raises(NotPresenting):
        tables.withdraw(code, one, other)
    for nobody in (owner, "nobody"):
        assert tables.withdraw(code, owner, nobody) == stage
    assert tables.withdraw(code, owner, one).chair == (owner, other)
    with pytest.raises(NotPresenting):
        tables.point(code, one, "E5", stage.version)


def test_a_wish_that_was_fulfilled_is_over(tables: Tables, opened: tuple[str, str]) -> None:
    """It does not come back when the chair does, and can be uttered anew."""
    code, owner = opened
    tables.join(code, "")
    phone, other = tables.join(code)[0], tables.join(code)[0]
    for who in (phone, other):
        tables.signal(code, who, "chair")
    tables.hand_over(code, owner, phone, share=True)
    stage = tables.withdraw(code, owner, phone)
    assert [wish.who for wish in tables.floor(code).report(stage).wishes] == [other]
    tables.signal(code, phone, "chair")
    assert [wish.who for wish in tables.floor(code).report(stage).wishes] == [phone, other]


def test_the_chair_goes_to_guests_only(tables: Tables, opened: tuple[str, str]) -> None:
    code, who = opened
    assert tables.hand_over(code, who, "nobody").chair == (who,)


def test_a_pointer_is_gone_with_the_next_beat(tables: Tables, opened: tuple[str, str]) -> None:
    code, who = opened
    stage = tables.point(code, who, "E5", tables.stage(code).version)
    assert stage.point == "E5"
    assert tables.show(code, who, Beat(stage.plan[1]), stage.version).point == ""


def test_before_it_begins_guests_wait_and_see_nothing(site: "Site") -> None:
    answer = site.post("/it/t/", game="border")
    code = answer.headers["Location"].split("/")[3]
    assert 'id="begin"' in site.get(f"/it/t/{code}/present").text
    phone = site.friend()
    page = phone.get(f"/pl/t/{code}").text
    assert "Jesteś przy stole" in page
    assert "Twoje imię" in page.partition('id="screen"')[2].partition("</article>")[0], "at once, in no menu"
    assert 'class="stage"' not in page
    site.post(f"/it/t/{code}/present", do="show", version=1)
    assert 'class="stage"' in phone.get(f"/pl/t/{code}").text
    assert site.tables.stage(code).number == 1


def test_an_ended_table_says_goodbye_and_takes_no_command(site: "Site") -> None:
    code = site.open("it")
    phone = site.friend()
    phone.post(f"/pl/t/{code}", signal="fast")
    site.post(f"/it/t/{code}/notes", do="end")
    before = site.tables.stage(code)
    site.post(f"/it/t/{code}/present", do="show", screen=before.plan[1], version=before.version)
    phone.post(f"/pl/t/{code}", signal="question")
    assert site.tables.stage(code) == before
    assert not site.tables.floor(code).wishes()
    assert "Ten stół został zamknięty" in phone.get(f"/pl/t/{code}").text
    assert site.get(f"/it/t/{code}/present", 303).headers["Location"].startswith(f"/it/t/{code}")
    phone.get(f"/pl/t/{code}/behind", 404)


def test_a_rule_that_was_asked_for_is_read_by_all_in_their_language(site: "Site") -> None:
    code = site.open("it")
    site.post(f"/it/t/{code}/present", do="cite", entry="border.first.open", version=site.version(code))
    for lang in LANGUAGES:
        title = site.app.extensions["shelf"].courses["border"].texts[lang].entries["border.first.open"].title
        assert title in unescape(site.friend().get(f"/{lang}/t/{code}").text)
    site.show(code, screen=site.tables.stage(code).plan[3])
    assert site.tables.stage(code).cited == ""
    site.post(f"/it/t/{code}/present", do="cite", entry="nothing", version=site.version(code))
    assert site.tables.stage(code).cited == ""


# Guests


def test_a_token_belongs_to_its_table_and_cannot_be_made_up(tables: Tables, opened: tuple[str, str]) -> None:
    code, _ = opened
    other, _ = open_one(tables)
    who, token = tables.join(code)
    assert guest(tables.stage(code), token) == who
    assert guest(tables.stage(other), token) == ""
    changed = token[:-1] + ("A" if token[-1] != "A" else "B")
    forged = [f"{who}.", f"{who}.{token[::-1]}", who, "", ".", token[:-1], f"x{token}", "ę.ą", changed]
    assert {guest(tables.stage(code), one) for one in forged} == {""}


def test_a_guest_who_comes_back_is_the_same_guest(tables: Tables, opened: tuple[str, str]) -> None:
    code, _ = opened
    who, token = tables.join(code)
    assert tables.join(code, token) == (who, token)
    assert len(tables.floor(code).guests) == 1
    tables.join(code, "nonsense")
    assert [one.number for one in tables.floor(code).guests.values()] == [1, 2]


def test_whoever_presents_is_no_guest(tables: Tables) -> None:
    plan = beats.plan_of(tables.courses["border"], ())
    code, token = tables.open("border", plan, Beat(plan[0]))
    tables.join(code, token)
    assert not tables.floor(code).guests


def test_a_table_and_a_site_can_be_full(
    tables: Tables, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _ = opened
    monkeypatch.setattr(live_tables, "MOST_FLOOR_EVENTS", 2)
    monkeypatch.setattr(live_tables, "MOST_TABLES", 1)
    _, token = tables.join(code)
    tables.join(code)
    with pytest.raises(Crowded):
        tables.join(code)
    tables.join(code, token)  # who is in stays in
    with pytest.raises(TooManyTables):
        open_one(tables)


def test_of_very_many_guests_the_silent_ones_are_forgotten_and_may_come_back(
    tables: Tables, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _ = opened
    monkeypatch.setattr(live_floor, "MOST_GUESTS", 3)
    (first, token), (second, silent) = tables.join(code), tables.join(code)
    tables.name(code, first, "Ada")
    tables.signal(code, second, "question")
    _, other = tables.join(code)
    tables.join(code)

    def known() -> list[int]:
        return [one.number for one in tables.floor(code).guests.values()]

    assert known() == [2, 3, 4]
    assert not tables.floor(code).spoken[first]
    assert tables.join(code, token) == (first, token)
    assert known() == [3, 4, 5]
    monkeypatch.setattr(live_tables, "MOST_FLOOR_EVENTS", 1)
    assert tables.join(code, silent) == (second, silent)
    assert known() == [4, 5, 6]
    monkeypatch.setattr(live_tables, "MOST_RETURNS", 1)
    with pytest.raises(Crowded):
        tables.join(code, other)


def test_rounds_long_ago_are_kept_as_counts_only(tables: Tables, opened: tuple[str, str]) -> None:
    code, _ = opened
    guests = [tables.join(code)[0] for _ in range(3)]
    rounds = [*range(10, 10 * (live_floor.ROUNDS_KEPT + 4), 10)]
    for round in rounds:
        for one in guests:
            tables._say(code, Voted(one, round, "a" if one != guests[0] else "b"))
    floor = tables.floor(code)
    assert [*floor.votes] == rounds[-live_floor.ROUNDS_KEPT :]
    assert all(floor.counts(round) == {"a": 2, "b": 1} for round in rounds)
    assert floor.vote(rounds[-2], guests[0]) == "b", "whoever comes back to a question finds the answer there"
    tables._say(code, Voted(guests[0], rounds[0], "c"))
    assert tables.floor(code).counts(rounds[0]) == {"c": 1}


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Ania", "Ania"),
        ("  Ana   María ", "Ana María"),
        ("<script>alert(1)</script>", "scriptalert(1)script"),
        ("\u202egnirts\u202c", "gnirts"),
        ("łódź & co.", "łódź & co."),
        ("🎲", ""),
        ("x" * 500, "x" * 24),
        ("a\0b\nc", "ab c"),
        ("\u3164\u115f\uffa0", ""),
        ("A\u3164B", "AB"),
        ("...", ""),
        ("निशा", "निशा"),
        ("สุดา", "สุดา"),
        ("נעמה", "נעמה"),
        ("x" + "\u0301\u0302" * 40, "x" + "\u0301\u0302" + "\u0301"),
        ("\u0301Ania", "Ania"),
        ("\U000e0041Ania\ufe0f", "Ania"),
        ("ख़" * 30, "ख़" * 24),
    ],
)
def test_names_are_plain(typed: str, shown: str) -> None:
    assert plain_name(typed) == shown


def test_codes_are_read_as_people_write_them() -> None:
    code = "CDFH2345"
    assert [code_of(text) for text in (code, "cdfh 2345", "CDFH-2345", " cdfh2345 ")] == [code] * 4
    assert [code_of(text) for text in ("", "CDFH234", "CDFH23456", "ODFH2345", "ćdfh2345", "x" * 9999)] == [
        ""
    ] * 6
    assert code_of(f"{code}{' ' * 40}") == "", "it would be kept in addresses"
    assert len(CODE_LETTERS) ** CODE_LENGTH > 10**11


def test_nobody_hides_the_wishes_of_others(tables: Tables, opened: tuple[str, str]) -> None:
    """Neither by asking again and again, nor by coming again and again."""
    code, who = opened
    loud, calm = tables.join(code)[0], tables.join(code)[0]
    for _ in range(live_floor.MANY_WISHES):
        tables.signal(code, loud, "question")
        tables.hear(code, who, tables.floor(code).version)
    new = tables.join(code)[0]
    for one in (new, loud, calm):
        tables.signal(code, one, "question")
    assert [wish.who for wish in tables.floor(code).wishes()] == [calm, new, loud]


def test_an_owner_withdraws_a_remote_that_never_rests(
    tables: Tables, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, owner = opened
    remotes = [tables.join(code)[0] for _ in range(2)]
    for one in remotes:
        tables.hand_over(code, owner, one, share=True)
    append, meanwhile = tables.log.append, [1, 2, 3]

    def late(code: str, channel: Channel, body: Any, after: int | None = None) -> int:
        if meanwhile:  # the remote was faster
            meanwhile.pop()
            append(code, "stage", {"kind": "pointed", "place": "E5"})
        return append(code, channel, body, after)

    monkeypatch.setattr(tables.log, "append", late)
    assert tables.withdraw(code, owner, remotes[0]).chair == (owner, remotes[1])
    assert not meanwhile


def test_a_remote_that_was_forgotten_can_be_withdrawn(
    tables: Tables, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, owner = opened
    remote = tables.join(code)[0]
    tables.hand_over(code, owner, remote, share=True)
    monkeypatch.setattr(live_floor, "MOST_GUESTS", 1)
    tables.join(code)
    floor, stage = tables.floor(code), tables.stage(code)
    assert remote not in floor.guests
    assert [one.who for one in floor.report(stage).remotes] == [remote]
    assert tables.withdraw(code, owner, remote).chair == (owner,)


def test_signals_count_once_until_they_are_heard(tables: Tables, opened: tuple[str, str]) -> None:
    code, who = opened
    one, _ = tables.join(code)
    for _ in range(3):
        tables.signal(code, one, "question")
        tables.signal(code, one, "fast")
    floor = tables.floor(code)
    assert [(wish.who, wish.what, wish.number) for wish in floor.wishes()] == [(one, "question", 1)]
    assert floor.count_too_fast(tables.stage(code).number) == 1
    assert floor.version == 3  # joined, and said both once
    tables.hear(code, who, tables.floor(code).version)
    assert not tables.floor(code).wishes()
    tables.signal(code, one, "question")
    assert len(tables.floor(code).wishes()) == 1


# Votes


def test_the_last_vote_counts_and_each_guest_has_one(tables: Tables, opened: tuple[str, str]) -> None:
    code, who = opened
    stage = tables.show(code, who, beat_of(tables.courses["border"], "predict"), tables.stage(code).version)
    guests = [tables.join(code)[0] for _ in range(3)]
    for one in guests:
        tables.vote(code, one, stage.round, YES)
    tables.vote(code, guests[0], stage.round, NO)
    assert tables.floor(code).counts(stage.round) == Counter({YES: 2, NO: 1})


def test_a_vote_is_over_with_the_answer_and_with_the_next_vote(
    tables: Tables, opened: tuple[str, str]
) -> None:
    code, who = opened
    beat = beat_of(tables.courses["border"], "predict")
    stage = tables.show(code, who, beat, tables.stage(code).version)
    one, _ = tables.join(code)
    tables.vote(code, one, stage.round, YES)
    again = tables.vote_again(code, who, stage.version)
    with pytest.raises(TooLate):
        tables.vote(code, one, stage.round, NO)
    tables.vote(code, one, again.round, NO)
    assert tables.floor(code).counts(stage.round) == Counter({YES: 1})
    assert again.former == {stage.asks: stage.round}
    answered = tables.show(code, who, Beat(beat.screen, Input(replies=Replies(YES))), again.version)
    assert answered.round == again.round
    with pytest.raises(TooLate):
        tables.vote(code, one, answered.round, YES)
    back = tables.show(code, who, beat, answered.version)
    assert (back.round, back.open) == (again.round, True)  # coming back loses no votes


@pytest.mark.parametrize("kind", ["predict", "do", "choose", "ask", "recap"])
def test_to_vote_again_on_what_is_answered_brings_the_question_back(tables: Tables, kind: str) -> None:
    course = tables.courses["border"]
    code, who = open_one(tables)
    plan = beats.plan_of(course, ())
    walk = [one for one in beats.beats(course, plan) if course.lessons.screens[one.screen].kind == kind]
    asked, answered = next(
        (one, other)
        for one, other in pairwise(walk)
        if question(course, one)[1] and not question(course, other)[1] and one.screen == other.screen
    )
    tables.show(code, who, asked, tables.stage(code).version)
    shown = tables.show(code, who, answered, tables.stage(code).version)
    assert not shown.open
    again = tables.vote_again(code, who, shown.version)
    assert (again.beat, again.open, again.asks) == (asked, True, shown.asks)
    assert again.round > shown.round


@pytest.mark.parametrize("game", ALL)
def test_every_question_of_a_lesson_can_be_answered_rightly_and_wrongly(
    game: str, all_courses: dict[str, Course]
) -> None:
    course = all_courses[game]
    asked = 0
    for lesson in course.lessons.all:
        for beat in beats.beats(course, beats.screens_of(lesson)):
            key, is_open = question(course, beat)
            assert bool(key) == (course.lessons.screens[beat.screen].kind in ACTS)
            if not (key and is_open):
                continue
            asked += 1
            poll = Poll.of(course, beat, "en")
            right, wrong = answers(course, poll)
            assert poll.normalize(right) == right
            assert poll.is_right(right), (beat, right)
            assert not poll.is_right(wrong), (beat, wrong)
            for lang in LANGUAGES:
                said = Poll.of(course, beat, lang)
                for choice in (*said.offered, *said.choices_in(wrong)):
                    assert choice.label or choice.value in (YES, NO)
                if poll.on_board:  # nobody is left without a reason
                    assert all(choice.whys or choice.off for choice in said.choices_in(wrong))
    assert asked > (15 if game in FULL else 0)


def answers(course: Course, poll: Poll) -> tuple[str, str]:
    """A right and a wrong vote."""
    if not poll.on_board:
        right = [one.value for one in poll.offered if one.right]
        return JOIN.join(right), next(one.value for one in poll.offered if [one.value] != right)
    game, step = course.book.game, course.runs[poll.screen.scenario].steps[poll.screen.step]
    right_move = next(text for text in step.file.play if game.parse_move(text).seat == step.seat)
    thought = map(game.format_move, game.thinkable(step.before, step.seat))
    return right_move, next(text for text in thought if poll.normalize(text) and not poll.is_right(text))


def test_a_tally_counts_choices_and_places(all_courses: dict[str, Course]) -> None:
    course = all_courses["border"]
    poll = Poll.of(course, beat_of(course, "do"), "en")
    right, wrong = answers(course, poll)
    tally = poll.tally(Counter({right: 3, wrong: 1}))
    assert [(one.count, one.share, one.right) for one in tally.choices] == [(3, 75, True), (1, 25, False)]
    assert tally.answered == 4
    assert sum(tally.heat.values()) == sum(one.count * len(one.places) for one in tally.choices) > 0
    several = Poll.of(course, beat_of(course, "choose"), "en")
    both = [one.value for one in several.offered[:2]]
    counted = several.tally(Counter({JOIN.join(both): 2, both[0]: 1}))
    assert [one.count for one in counted.choices[:2]] == [3, 2]
    assert counted.answered == 3


@pytest.mark.parametrize("vote", ["", "z", "y.n", "p9 cross A1", "roll", "🎲", "y" * 200, "p1 cross", "\0"])
def test_what_is_no_answer_is_no_vote(vote: str, all_courses: dict[str, Course]) -> None:
    for course in all_courses.values():
        kinds = {screen.kind for screen in course.lessons.screens.values()}
        for kind in kinds & {"do", "predict", "ask", "choose"}:
            assert Poll.of(course, beat_of(course, kind), "en").normalize(vote) == ""


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 30)), max_size=25))
def test_any_row_of_commands_is_told_alike_by_a_server_that_starts_later(
    tmp_path_factory: pytest.TempPathFactory, all_courses: dict[str, Course], row: list[tuple[int, int]]
) -> None:
    tables = Tables(open_log(str(tmp_path_factory.mktemp("live") / "live.db")), all_courses)
    code, who = open_one(tables)
    all_beats = beats.beats(all_courses["border"], tables.stage(code).plan)
    guests = [tables.join(code)[0] for _ in range(2)]
    for what, number in row:
        stage = tables.stage(code)
        match what:
            case 0:
                tables.show(code, who, all_beats[number % len(all_beats)], stage.version)
            case 1:
                tables.vote_again(code, who, stage.version)
            case 2:
                tables.point(code, who, f"E{number}", stage.version)
            case 3 if stage.open:
                tables.vote(code, guests[number % 2], stage.round, YES)
            case _:
                tables.signal(code, guests[number % 2], "question")
    late = Tables(tables.log, all_courses)
    assert late.stage(code) == tables.stage(code)
    assert late.floor(code) == tables.floor(code)
    tables.log.close()


# Pages


@pytest.fixture
def site(app: Flask) -> "Site":
    return Site(app)


class Site:
    """A browser without script: forms, cookies, redirects; every page is checked."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.client = app.test_client()

    @property
    def tables(self) -> Tables:
        with self.app.app_context():
            return site_tables()

    def get(self, path: str, status: int = 200, **kwargs: Any) -> TestResponse:
        answer = self.client.get(path, **kwargs)
        assert answer.status_code == status, f"{path}: {answer.status_code}"
        if answer.mimetype == "text/html" and status < 300 and "HX-Request" not in kwargs.get("headers", {}):
            check(path, answer.text)
        return answer

    def post(self, path: str, status: int = 303, headers: Any = ORIGIN, **form: Any) -> TestResponse:
        answer = self.client.post(path, data=form, headers=headers)
        assert answer.status_code == status, f"{path}: {answer.status_code}"
        return answer

    def open(self, lang: str = "it", game: str = "border", **form: Any) -> str:
        """Opens a table; its code."""
        answer = self.post(f"/{lang}/t/", game=game, **form)
        found = re.fullmatch(rf"/{lang}/t/(\w+)/present(\?.*)?", answer.headers["Location"])
        assert found
        self.post(f"/{lang}/t/{found[1]}/present", do="show", version=1)
        return found[1]

    def version(self, code: str, lang: str = "it") -> int:
        found = re.search(r'data-version="(\d+)"', self.get(f"/{lang}/t/{code}/present").text)
        assert found
        return int(found[1])

    def show(self, code: str, lang: str = "it", **form: Any) -> None:
        self.post(f"/{lang}/t/{code}/present", do="show", version=self.version(code, lang), **form)

    def friend(self) -> "Site":
        return Site(self.app)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("game", ALL)
@pytest.mark.patient
def test_every_beat_is_followed_in_every_language(site: Site, lang: str, game: str) -> None:
    code = site.open(lang, game)
    course = site.app.extensions["shelf"].courses[game]
    phone = site.friend()
    for screen in course.lessons.first.screens[::3]:
        for beat in beats.beats(course, (screen.id,) if screen.kind != "end" else ())[:2]:
            given = beat.given
            form: dict[str, Any] = {
                "screen": beat.screen, "moves": ";".join(given.moves), "said": given.replies.text,
            }  # fmt: skip
            if given.choices:
                form |= {"choice": sorted(given.choices), "check": "1"}
            site.show(code, lang, **form)
            page = phone.get(f"/{lang}/t/{code}").text
            assert f'data-screen="{beat.screen}"' in page
            site.get(f"/{lang}/t/{code}/notes")
            assert site.tables.stage(code).beat == beat


def test_a_table_goes_on_in_the_language_of_each_guest(site: Site) -> None:
    code = site.open("it")
    for lang in LANGUAGES:
        friend = site.friend()
        headers = {"Accept-Language": lang}
        assert (
            friend.get(f"/t/{code.lower()}", 302, headers=headers).headers["Location"] == f"/{lang}/t/{code}"
        )
        friend.get(f"/{lang}/t/{code}")


def test_a_guest_votes_without_script_and_sees_what_came_of_it(site: Site) -> None:
    code = site.open("it")
    course = site.app.extensions["shelf"].courses["border"]
    beat = beat_of(course, "predict")
    site.show(code, screen=beat.screen)
    phone = site.friend()
    page = phone.get(f"/pl/t/{code}").text
    found = re.search(r'name="round" value="(\d+)"', page)
    assert found
    phone.post(f"/pl/t/{code}", round=found[1], vote=NO)
    assert 'aria-pressed="true"' in phone.get(f"/pl/t/{code}").text
    assert "1 risposta" in unescape(site.get(f"/it/t/{code}/notes").text)
    site.show(code, screen=beat.screen, said=YES)
    shown = phone.get(f"/pl/t/{code}").text
    right = Poll.of(course, beat, "pl").is_right(NO)
    assert ("Dobra odpowiedź!" if right else "Tym razem nie.") in shown


def test_without_script_a_guest_is_told_what_came_of_it(site: Site) -> None:
    code = site.open("it")
    course = site.app.extensions["shelf"].courses["border"]
    site.show(code, screen=beat_of(course, "predict").screen)
    phone = site.friend()
    round = site.tables.stage(code).round

    def told(**form: Any) -> str:
        answer = phone.post(f"/pl/t/{code}", **form)
        return unescape(phone.get(answer.headers["Location"]).text)

    assert "Najpierw wybierz odpowiedź." in told(round=round)
    assert "Za późno: prezentacja poszła już dalej." in told(round=round - 1, vote=NO)
    assert "Daliśmy znać: za szybko." in told(signal="fast")
    assert "Zapisano." in told(name="Ola")
    assert 'id="noted" class="link-state quiet" role="status" hidden' in told(round=round, vote=NO)
    assert 'role="status" hidden' in phone.get(f"/pl/t/{code}?noted=<b>").text


def test_a_guest_chooses_a_move_on_the_board_and_nothing_is_given_away(site: Site) -> None:
    code = site.open("it")
    course = site.app.extensions["shelf"].courses["border"]
    beat = beat_of(course, "do")
    site.show(code, screen=beat.screen)
    phone = site.friend()
    course = course.with_names_of("it")  # the players have the names of the presenter's language
    poll = Poll.of(course, beat, "es")
    right, wrong = answers(course, poll)
    for move in (right, wrong):
        page = phone.get(f"/es/t/{code}", query_string={"moves": move}).text
        choice = poll.choice(move)
        assert choice
        assert choice.label in unescape(page)
        assert all(why.html not in page for why in choice.whys)
        assert f'value="{move}"' in page
    round = site.tables.stage(code).round
    phone.post(f"/es/t/{code}", round=round, vote=wrong)
    notes = site.get(f"/it/t/{code}/notes").text
    judged = Poll.of(course, beat, "it").choice(wrong)
    assert judged
    assert judged.label in unescape(notes)
    assert all(why.html in notes for why in judged.whys[:1])
    assert judged.label not in unescape(site.get(f"/it/t/{code}/present").text)
    assert judged.label in unescape(site.get(f"/it/t/{code}/present?votes={round}").text)


def test_the_presenter_moves_on_without_script(site: Site) -> None:
    code = site.open("it")
    page = site.get(f"/it/t/{code}/present").text
    following = re.search(r'id="next"[^>]* href="([^"]+)"', page)
    assert following
    preview = site.get(unescape(following[1])).text
    assert "Questo lo vedi solo tu." in preview
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', preview)
    form: dict[str, Any] = {name: unescape(value) for name, value in fields}
    assert site.tables.stage(code).number == 1
    site.post(f"/it/t/{code}/present", do="show", **form)
    stage = site.tables.stage(code)
    assert stage.number == 2
    assert stage.beat == beats.beats(site.app.extensions["shelf"].courses["border"], stage.plan)[1]


def test_a_command_is_what_its_form_says(site: Site) -> None:
    code = site.open("it", "blockers")
    first, second = site.tables.stage(code).plan[:2]
    path = f"/it/t/{code}/present"
    form: dict[str, Any] = {"do": "show", "screen": second, "version": site.version(code)}
    there = site.post(f"{path}?step={first}&moves=p1+pass&pick=3&also=pl", **form).headers["Location"]
    assert site.tables.stage(code).beat == Beat(second)
    assert there == f"{path}?also=pl"
    # The beat that is shown, if the form names none.
    site.post(f"{path}?step={first}", do="show", version=site.version(code))
    assert site.tables.stage(code).beat == Beat(second)
    asks = ORIGIN | {"HX-Request": "true", "HX-Target": "screen"}
    form |= {"screen": first, "version": site.version(code)}
    answer = site.post(f"{path}?step={second}&pick=3", 200, asks, **form)
    assert f'data-screen="{first}"' in answer.text
    assert 'value="show"' not in answer.text
    assert answer.headers["HX-Replace-Url"] == path


def test_a_wrong_move_of_the_presenter_is_refused_before_everybody(site: Site) -> None:
    code = site.open("it")
    course = site.app.extensions["shelf"].courses["border"]
    beat = beat_of(course, "do")
    game, played = course.book.game, course.runs[course.lessons.screens[beat.screen].scenario].steps
    step = played[course.lessons.screens[beat.screen].step]
    wrong = next(
        move for move in game.thinkable(step.before, step.seat) if not game.judge(step.before, move).ok
    )
    site.show(code, screen=beat.screen, moves=game.format_move(wrong))
    choice = Poll.of(course, beat, "en").choice(game.format_move(wrong))
    assert choice
    assert choice.whys[0].html in site.friend().get(f"/en/t/{code}").text


def test_a_wrong_move_of_the_presenter_leaves_the_vote_open(tables: Tables) -> None:
    code, who = open_one(tables, "blockers")
    beat = beat_of(tables.courses["blockers"], "do")
    stage = tables.show(code, who, beat, tables.stage(code).version)
    tried = tables.show(code, who, replace(beat, given=Input(moves=("p1 pass",))), stage.version)
    assert (tried.open, tried.round) == (True, stage.round)
    answer = beats.beats(tables.courses["blockers"], (beat.screen,))[1]
    assert not tables.show(code, who, answer, tried.version).open


def test_a_late_vote_is_told_wherever_the_page_is_by_now(site: Site) -> None:
    code = site.open("it", plan="white.segments")
    phone = site.friend()
    headers = ORIGIN | {"HX-Request": "true", "HX-Target": "mine"}
    round = site.tables.stage(code).round
    site.show(code, screen="white", said="n")
    for form in ({"vote": "n"}, {"vote": "y"}):
        late = phone.post(f"/pl/t/{code}", 200, headers, round=round, **form)
        assert late.headers["HX-Retarget"] == "#noted"
        assert "za późno" in late.text.lower()
    assert not site.tables.floor(code).votes


def test_a_vote_that_is_sent_again_counts_once_and_is_not_late(site: Site) -> None:
    """Whoever has lost our answer sends it again, perhaps when the table is elsewhere."""
    code = site.open("it", plan="segments.white")
    phone = site.friend()
    headers = ORIGIN | {"HX-Request": "true", "HX-Target": "mine"}
    round = site.tables.stage(code).round
    phone.post(f"/pl/t/{code}", 200, headers, round=round, vote=["0", "2"])
    for step, choice in (("segments", "0"), ("white", "")):
        site.show(code, screen=step, choice=choice, check="1")
        for vote, late in ((["2", "0"], False), (["0"], True)):
            answer = phone.post(f"/pl/t/{code}", 200, headers, round=round, vote=vote)
            assert ("HX-Retarget" in answer.headers) == late
    assert site.tables.floor(code).counts(round).total() == 1


def test_a_stream_says_that_it_is_there_and_looks_less_often() -> None:
    class Silence(News):
        def wait(self, seconds: float) -> bool:
            waited.append(seconds)
            return False

    waited: list[float] = []
    assert [*until_news(Silence())] == [STILL_HERE] * 3
    assert waited == [5, 5, 5]


def test_leaving_is_asked_first_and_told_to_the_guests(site: Site) -> None:
    code = site.open("it")
    phone = site.friend()
    path = f"/it/t/{code}/present"
    assert 'value="leave"' not in site.get(path).text
    assert f'href="{path}?leaving=1"' in site.get(path).text
    assert 'value="leave"' in site.get(f"{path}?leaving=1").text
    left = site.post(path, do="leave", version=site.version(code))
    assert left.headers["Location"] == "/it/border/teach/"
    assert "Osoba prowadząca odeszła" in phone.get(f"/pl/t/{code}").text
    assert code in site.get("/it/t/").text
    site.show(code, screen=site.tables.stage(code).plan[1])
    assert "Osoba prowadząca odeszła" not in phone.get(f"/pl/t/{code}").text


def test_players_have_the_names_of_the_presenters_language_on_all_screens(site: Site) -> None:
    plan = "segments.leftovers.choice"
    for lang, own, others in (("es", "Tomás", ("Tomek", "Tim ")), ("pl", "Tome?k", ("Tomás", "Tim "))):
        code = site.open(lang, plan=plan)
        site.show(code, lang, screen="choice")
        pages = [site.friend().get(f"/{one}/t/{code}").text for one in LANGUAGES]
        pages.append(site.get(f"/{lang}/t/{code}/present?also=en").text)
        for page in pages:
            assert re.search(own, page)
            assert not [name for name in others if name in page]


@pytest.mark.parametrize("game", ALL)
@pytest.mark.parametrize("names", LANGUAGES)
def test_every_beat_can_be_said_with_the_names_of_every_language(
    game: str, names: str, all_courses: dict[str, Course]
) -> None:
    course = all_courses[game].with_names_of(names)
    mine = {_plain(forms) for forms in course.book.words[names].players.values()}
    for lang in LANGUAGES:
        words = course.book.words[lang]
        assert {_plain(forms) for key, forms in words.players.items() if key != "player"} <= mine
        plan = beats.plan_of(course, ())
        for beat in beats.beats(course, plan):
            view = show(course, course.lessons.screens[beat.screen], lang, beat.given)
            assert beats.headlines(view, course.texts[lang]) is not None


@pytest.mark.parametrize("game", ALL)
def test_a_title_with_a_name_of_another_language_gives_nothing_away(
    game: str, all_courses: dict[str, Course]
) -> None:
    """A question would be answered by the title of its rule."""
    course, changed = all_courses[game], 0
    for names, lang in product(LANGUAGES, LANGUAGES):
        texts = course.texts[lang]
        for screen in course.lessons.screens.values():
            usual, now = (
                show(one, screen, lang, NO_INPUT).title for one in (course, course.with_names_of(names))
            )
            changed += usual != now
            assert now == usual or now in [part.title for part in texts.parts], screen.id
    # The players of Confini are called by their characters.
    assert changed or game not in FULL or game == "confini"


def _plain(forms: str | dict[str, str]) -> str:
    return forms if isinstance(forms, str) else next(iter(forms.values()))


def test_a_jump_is_announced_by_what_the_plan_has(site: Site, all_courses: dict[str, Course]) -> None:
    course = all_courses["border"]
    assert beats.is_jump(course, ("segments", "grey", "well"), "well")
    assert not beats.is_jump(course, ("segments", "grey", "well"), "grey")
    assert not beats.is_jump(course, ("well",), "well")
    code = site.open("it", plan="grey.well")
    assert "Un’altra posizione" not in site.get(f"/it/t/{code}/present").text
    site.show(code, screen="well")
    for page in (site.get(f"/it/t/{code}/present"), site.friend().get(f"/it/t/{code}")):
        assert "ltra posizione" in page.text


def test_a_stale_command_is_answered_with_the_table_as_it_is(site: Site) -> None:
    code = site.open("it")
    version = site.version(code)
    plan = site.tables.stage(code).plan
    site.show(code, screen=plan[2])
    headers = {**ORIGIN, "HX-Request": "true"}
    late = site.post(f"/it/t/{code}/present", 200, headers, do="show", screen=plan[1], version=version)
    assert f'data-screen="{plan[2]}"' in late.text
    assert "più veloce" in late.text


def test_whoever_lost_the_chair_becomes_a_guest(site: Site) -> None:
    code = site.open("it")
    phone = site.friend()
    phone.post(f"/pl/t/{code}", signal="chair")
    notes = site.get(f"/it/t/{code}/notes").text
    found = re.search(r'name="to" value="([^"]+)"', notes)
    assert found
    site.post(f"/it/t/{code}/notes", do="pass", to=found[1], version=site.version(code))
    assert site.get(f"/it/t/{code}/present", 303).headers["Location"] == f"/it/t/{code}?noted=left"
    assert "Ora presenta qualcun altro" in site.get(f"/it/t/{code}?noted=left").text
    phone.get(f"/pl/t/{code}/present")
    before = site.tables.stage(code)
    site.post(f"/it/t/{code}/present", do="show", screen=before.plan[3], version=before.version)
    assert site.tables.stage(code) == before
    site.get(f"/it/t/{code}/rings", 403)
    # Whoever presents now sees who asks for it back, by what the others know of them.
    site.post(f"/it/t/{code}", signal="chair")
    wishes = unescape(phone.get(f"/en/t/{code}/notes").text).partition('class="wishes"')[2]
    assert "Whoever opened the table would like to present" in wishes
    assert "Guest" not in wishes.partition("</ul>")[0]
    site.post(f"/it/t/{code}", name="Ada")
    assert "<bdi>Ada</bdi> (gospodarz stołu)" in phone.get(f"/pl/t/{code}/notes").text


def test_a_remote_control_is_listed_until_it_is_withdrawn_which_is_asked_first(site: Site) -> None:
    code = site.open("en")
    phone = site.friend()
    phone.post(f"/pl/t/{code}", name="Ola")
    phone.post(f"/pl/t/{code}", signal="chair")
    assert "Withdraw" not in site.get(f"/en/t/{code}/notes").text
    who = next(iter(site.tables.floor(code).guests))
    site.post(f"/en/t/{code}/notes", do="share", to=who, version=site.version(code))
    notes = site.get(f"/en/t/{code}/notes").text
    asked = notes.partition("<summary>Take back the remote control</summary>")[2].partition("</details>")[0]
    assert "<bdi>Ola</bdi> (1) will no longer" in asked
    assert 'value="withdraw"' in asked
    assert "Odbierz" not in phone.get(f"/pl/t/{code}/notes").text, "only the owner may"
    site.post(f"/en/t/{code}/notes", do="withdraw", to=who, version=site.version(code))
    assert phone.get(f"/pl/t/{code}/notes", 303).headers["Location"] == f"/pl/t/{code}?noted=left"


def test_the_code_leads_whoever_presents_back_to_presenting(site: Site) -> None:
    code = site.open("en")
    phone = site.friend()
    for asked in (f"/t/{code}", f"/en/t/?code={code}"):
        assert site.get(asked, 302).headers["Location"].endswith(f"/t/{code}/present")
        assert phone.get(asked, 302).headers["Location"].endswith(f"/t/{code}")
    phone.post(f"/pl/t/{code}", signal="chair")
    who = next(iter(site.tables.floor(code).guests))
    site.post(f"/en/t/{code}/notes", do="share", to=who, version=site.version(code))
    assert phone.get(f"/t/{code}", 302).headers["Location"].endswith(f"/t/{code}/notes")
    site.post(f"/en/t/{code}/notes", do="end")
    assert site.get(f"/t/{code}", 302).headers["Location"].endswith(f"/t/{code}")


def test_a_table_opens_where_the_presentation_is(site: Site) -> None:
    plan = beats.plan_of(site.app.extensions["shelf"].courses["blockers"], ())
    code = site.open("es", "blockers", plan=".".join(plan[3:6]), screen=plan[4], also="pl")
    stage = site.tables.stage(code)
    assert (stage.plan, stage.beat.screen) == (plan[3:6], plan[4])


def test_guests_who_wander_off_are_told_how_far_the_table_has_gone(site: Site) -> None:
    code = site.open("it")
    plan = site.tables.stage(code).plan
    for step in plan[1:4]:
        site.show(code, screen=step)
    phone = site.friend()
    late, there = (phone.client.get(f"/pl/t/{code}/behind?seen={seen}").text for seen in (1, 4))
    assert "3 kroki za resztą" in late.replace("\u00a0", " ")
    assert "za resztą" not in there
    assert "za resztą" not in site.client.get(f"/pl/t/{code}/behind?seen=1").text, "whoever presents leads"


def test_whoever_closed_the_page_finds_the_way_back(site: Site) -> None:
    code = site.open("it")
    assert f"/it/t/{code}/present" in site.get("/it/t/").text
    phone = site.friend()
    assert code not in phone.get("/pl/t/").text
    phone.post(f"/pl/t/{code}", signal="fast")
    assert f'href="/pl/t/{code}"' in phone.get("/pl/t/").text
    site.post(f"/it/t/{code}/notes", do="end")
    assert code not in site.get("/it/t/").text


def test_tables_know_nothing_of_each_other(site: Site) -> None:
    one, other = site.open("it"), site.friend()
    two = other.open("it")
    other.get(f"/it/t/{one}/present", 303)
    site.get(f"/it/t/{two}/notes", 303)
    phone = site.friend()
    phone.post(f"/pl/t/{one}", signal="question")
    phone.post(f"/pl/t/{one}", name="Ania")
    assert "Ania" in site.get(f"/it/t/{one}/notes").text
    assert "Ania" not in other.get(f"/it/t/{two}/notes").text


def test_the_token_is_a_cookie_that_no_script_and_no_address_shows(site: Site) -> None:
    answer = site.post("/it/t/", game="border")
    [cookie] = answer.headers.getlist("Set-Cookie")
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert f"Max-Age={30 * 24 * 3600};" in cookie, "a table that goes on for days loses nobody"
    token = cookie.partition("=")[2].partition(";")[0]
    code = answer.headers["Location"].split("/")[3]
    for page in ("present", "notes", ""):
        assert token.partition(".")[2] not in site.get(f"/it/t/{code}/{page}".rstrip("/")).text
    secure = site.client.post(
        "/it/t/",
        base_url="https://localhost",
        data={"game": "border"},
        headers={"Origin": "https://localhost"},
    )
    assert "Secure" in secure.headers["Set-Cookie"]


# Faults


@pytest.mark.parametrize(
    "headers",
    [{}, {"Origin": "http://evil.host"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
     {"Origin": "http://["}, {"Origin": "http://localhost:81"}, {"Referer": "http://localhost/"},
     {"Origin": "http://evil.host", "Sec-Fetch-Site": "same-origin"}, {"Origin": "https://localhost"},
     {"Origin": "http://localhost", "Sec-Fetch-Site": "same-site"}],
)  # fmt: skip
def test_forms_of_other_sites_do_nothing(site: Site, headers: dict[str, str]) -> None:
    site.post("/it/t/", 403, headers, game="border")
    code = site.open()
    before = site.tables.stage(code)
    for path in ("", "/present", "/notes"):
        site.post(f"/it/t/{code}{path}", 403, headers, do="end", signal="question")
    assert site.tables.stage(code) == before
    assert not site.tables.floor(code).wishes()


def test_behind_a_proxy_that_nobody_named_a_browser_knows_its_own_site(site: Site) -> None:
    """There the page was read by https, and we are asked by http."""
    site.post("/it/t/", 303, {"Origin": "https://localhost", "Sec-Fetch-Site": "same-origin"}, game="border")


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("code", ["CDFH2345", "x", "%00", "🎲", "a" * 300, "<zq>"])
def test_an_unknown_code_gets_a_page_that_helps(site: Site, lang: str, code: str) -> None:
    for path in (f"/{lang}/t/{code}", f"/{lang}/t/{code}/present", f"/{lang}/t/{code}/events"):
        answer = site.get(path, 404)
        check(path, answer.text)
        assert 'name="code"' in answer.text
        assert "<zq>" not in answer.text


@pytest.mark.parametrize("path", ["/pl/t/?code=qqqq+1111", "/pl/t/qqqq+1111"])
def test_a_wrong_code_can_be_mended_where_it_was_typed(site: Site, path: str) -> None:
    typed = "qqqq 1111" if "?" in path else "qqqq+1111"
    assert f'value="{typed}"' in site.get(path, 404).text
    assert 'name="code" class="code-input" value=""' in site.get("/pl/t/").text


@pytest.fixture
def counted(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """Limits as usual, from now on."""
    monkeypatch.setitem(site.app.config, "LIMITS", 1)
    monkeypatch.setitem(site.app.extensions, "counts", Counts())
    return site


def test_wrong_codes_are_slowed_down_and_right_ones_always_let_in(counted: Site) -> None:
    code, phone = counted.open(), counted.friend()
    [most] = LIMITS["wrong"]
    tried = [
        phone.client.get(f"/it/t/{CODE_LETTERS[i] * CODE_LENGTH}").status_code for i in range(most.most + 2)
    ]
    assert tried == [404] * most.most + [429] * 2
    assert int(phone.client.get("/it/t/CDFH2345").headers["Retry-After"]) >= 1
    phone.get(f"/it/t/{code}")  # a class sits behind the same address
    counted.get(f"/it/t/{code}/present")
    other = {"REMOTE_ADDR": "10.1.2.3"}
    assert (
        phone.client.get(f"/it/t/{CODE_LETTERS[0] * CODE_LENGTH}", environ_overrides=other).status_code == 404
    )


def test_codes_cannot_be_tried_out_by_the_thousand(counted: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor right ones found: a stranger's looks are counted whatever they find, a guest's are not."""
    monkeypatch.setattr(limit, "LIMITS", {**LIMITS, "knock": (Limit(5, 60),)})
    code, phone, guest = counted.open(), counted.friend(), counted.friend()
    guest.post(f"/it/t/{code}", signal="fast")
    found = [phone.client.get(f"/it/t/{code}").status_code for _ in range(6)]
    assert found[-1] == 429
    guest.get(f"/it/t/{code}")
    counted.get(f"/it/t/{code}/present")
    other = {"REMOTE_ADDR": "10.1.2.3"}
    assert phone.client.get(f"/it/t/{code}", environ_overrides=other).status_code == 200


def test_nor_by_one_who_rents_many_networks(counted: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limit, "LIMITS", {**LIMITS, "knock-near": (Limit(3, 60),)})
    code, phone = counted.open(), counted.friend()

    def finds(address: str) -> int:
        near = {"REMOTE_ADDR": address}
        return phone.client.get(f"/it/t/{code}", environ_overrides=near).status_code

    assert [finds(f"2001:db8:1:{number}00::1") for number in range(1, 5)] == [200, 200, 200, 429]
    assert finds("2001:db8:2:100::1") == 200


def test_a_stranger_cannot_stop_the_presenter(counted: Site) -> None:
    """Whoever only knows the code is not counted as who presents, nor is a guest."""
    code, stranger, guest = counted.open(), counted.friend(), counted.friend()
    guest.post(f"/it/t/{code}", signal="fast")
    for _ in range(LIMITS["chair"][0].most + 20):
        stranger.client.post(f"/it/t/{code}/present", data={"do": "show"}, headers=ORIGIN)
        guest.client.post(f"/it/t/{code}/present", data={"do": "show"}, headers=ORIGIN)
    form = {"do": "again", "version": "2"}
    assert counted.client.post(f"/it/t/{code}/present", data=form, headers=ORIGIN).status_code == 303


def test_a_school_behind_one_address_joins_and_votes(counted: Site) -> None:
    """Two hundred phones within a moment."""
    code = counted.open()
    phones = [counted.friend() for _ in range(200)]
    joined = Counter(
        phone.client.post(f"/it/t/{code}", data={"signal": "fast"}, headers=ORIGIN).status_code
        for phone in phones
    )
    assert joined == {303: 200}


def test_guests_and_presenters_cannot_flood_a_table(counted: Site) -> None:
    code, phone, other = counted.open(), counted.friend(), counted.friend()
    for one in (phone, other):
        one.post(f"/it/t/{code}", signal="fast")

    def said(**form: str) -> int:
        return phone.client.post(f"/it/t/{code}", data=form, headers=ORIGIN).status_code

    names = [said(name=f"n{i}") for i in range(10)]
    assert names.count(303) == LIMITS["name"][0].most
    signals = [said(signal="fast") for _ in range(50)]
    assert signals.count(429) >= 10
    other.post(f"/it/t/{code}", name="Ania")  # another guest of the same address
    opened = [
        counted.client.post("/it/t/", data={"game": "border"}, headers=ORIGIN).status_code for _ in range(12)
    ]
    assert opened.count(303) == LIMITS["open"][0].most - 1


def test_guests_of_one_address_have_pages_of_their_own(
    counted: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limit, "LIMITS", {**LIMITS, "page": (Limit(2, 60),)})
    code, phones = counted.open(), [counted.friend() for _ in range(3)]
    for phone in phones:
        phone.client.post(f"/it/t/{code}", data={"signal": "fast"}, headers=ORIGIN)
    for phone in phones:
        found = [phone.client.get(f"/it/t/{code}?noted=fast").status_code for _ in range(3)]
        assert found == [200, 200, 429]


def test_one_network_leaves_seats_for_others(counted: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limit, "LIMITS", {**LIMITS, "seats": (Limit(3, 60),)})
    code, elsewhere = counted.open(), counted.open()

    def joins(code: str, address: str = "127.0.0.1") -> int:
        near = {"REMOTE_ADDR": address}
        client = counted.friend().client
        return client.post(
            f"/it/t/{code}", data={"signal": "fast"}, headers=ORIGIN, environ_overrides=near
        ).status_code

    assert [joins(code) for _ in range(4)] == [303, 303, 303, 429]
    assert joins(elsewhere) == 303
    assert joins(code, "10.1.2.3") == 303
    assert LIMITS["seats"][0].most < live_floor.MOST_GUESTS


def test_coming_back_is_counted_like_coming(counted: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more guests than a table knows each has a token, and would be written down again and again."""
    monkeypatch.setattr(limit, "LIMITS", {**LIMITS, "seats": (Limit(6, 60),)})
    monkeypatch.setattr(live_floor, "MOST_GUESTS", 2)
    code, phones = counted.open(), [counted.friend() for _ in range(3)]

    def comes(phone: Site) -> int:
        return phone.client.post(f"/it/t/{code}", data={"signal": "fast"}, headers=ORIGIN).status_code

    assert [comes(phone) for _ in range(3) for phone in phones] == [303] * 6 + [429] + [303] * 2


def test_a_region_leaves_seats_for_others(counted: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limit, "LIMITS", {**LIMITS, "seats-near": (Limit(3, 60),)})
    code, form = counted.open(), {"signal": "fast"}

    def joins(address: str) -> int:
        near = {"REMOTE_ADDR": address}
        client = counted.friend().client
        return client.post(f"/it/t/{code}", data=form, headers=ORIGIN, environ_overrides=near).status_code

    assert [joins(f"2001:db8:1:{number}00::1") for number in range(1, 5)] == [303, 303, 303, 429]
    assert joins("2001:db8:2:100::1") == 303


def test_one_guest_does_not_use_up_what_all_may_do(counted: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limit, "LIMITS", {**LIMITS, "acts": (Limit(6, 60),), "guest": (Limit(3, 60),)})
    code, loud, other = counted.open(), counted.friend(), counted.friend()

    def says(phone: Site) -> int:
        return phone.client.post(f"/it/t/{code}", data={"signal": "fast"}, headers=ORIGIN).status_code

    assert [says(loud) for _ in range(20)].count(303) == 3
    assert says(other) == 303


def test_loud_neighbours_do_not_silence_a_guest(counted: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limit, "LIMITS", {**LIMITS, "acts": (Limit(4, 60),), "calm": (Limit(2, 60),)})
    code = counted.open()

    def says(phone: Site) -> int:
        return phone.client.post(f"/it/t/{code}", data={"signal": "fast"}, headers=ORIGIN).status_code

    loud = [counted.friend() for _ in range(3)]
    assert [says(phone) for phone in loud for _ in range(4)].count(429) == 3 * 4 - 3 * 2 - 4
    assert [says(counted.friend()) for _ in range(3)] == [303] * 3


def test_a_table_that_makes_much_pushes_out_its_own(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "BEATS_KEPT", 4)
    all_kept, made = kept.Kept(), list[object]()

    def get(key: object, table: str) -> None:
        all_kept.get(key, lambda: made.append(key), table)

    for key in ("calm-1", "calm-2", *range(20)):
        get(key, "calm" if isinstance(key, str) else "loud")
    made.clear()
    get("calm-1", "other")
    get("calm-2", "other")
    get(19, "loud")
    assert made == []
    get(0, "loud")
    assert made == [0]


def test_whoever_only_looks_at_a_table_costs_nothing(counted: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limit, "LIMITS", {**LIMITS, "page": (Limit(2, 60),)})
    code = counted.open()
    pages = [counted.friend().client.get(f"/it/t/{code}") for _ in range(5)]
    assert {page.status_code for page in pages} == {200}
    assert len({page.data for page in pages}) == 1


def test_how_somebody_spells_a_code_is_kept_for_nobody_else(site: Site) -> None:
    code = site.open()
    odd = f"{code[:4]}-.-{code[4:].lower()}"
    assert odd in site.friend().get(f"/it/t/{odd}").text
    assert odd not in site.friend().get(f"/it/t/{code}").text


def test_a_vote_is_cut_before_anything_keeps_it(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """However it comes: on the board, as a form without script, or in an address."""
    code, phone, kept = site.open(screen="grey"), site.friend(), list[int]()
    whole = poll._parse_move

    def known(poll: Poll, text: str) -> object:
        kept.append(len(text))
        return whole(poll, text)

    monkeypatch.setattr(poll, "_parse_move", known)
    form: dict[str, Any] = {"vote": "p1 cross A1 " + "x" * 50_000, "round": "1"}
    for headers, status in (
        ({}, 303),
        ({"HX-Request": "true"}, 200),
        ({"HX-Request": "true", "HX-Target": "screen"}, 200),
    ):
        phone.post(f"/it/t/{code}", status, {**ORIGIN, **headers}, **form)
    phone.get(f"/it/t/{code}?moves=p1+cross+{'A' * 500}")
    assert kept
    assert max(kept) <= poll.LONGEST_VOTE_CHARS


@pytest.mark.parametrize(
    ("error", "said"), [(Unavailable("x"), "raggiungibili"), (Full("x"), "salvare"), (NoTable("x"), "codice")]
)
def test_a_store_that_fails_is_told_and_the_lessons_go_on(
    site: Site, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    code = site.open()
    tables = site.tables

    def fails(*args: Any, **kwargs: Any) -> Any:
        raise error

    monkeypatch.setattr(tables.log, "read", fails)
    answer = site.get(f"/it/t/{code}", 404 if isinstance(error, NoTable) else 503)
    assert said in answer.text
    check("/it/", answer.text)
    site.get("/it/border/learn/", 302)


NASTY = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        ["show", "again", "point", "pass", "share", "hear", "end", "y", "n", "0", "-1", "9" * 30,
         "p1 cross G1", "E5", "🎲", "\0", "villa", "1.2.3", "١"]
    ),
)  # fmt: skip


@settings(max_examples=60)
@given(
    st.dictionaries(
        st.sampled_from(
            ["do", "version", "screen", "moves", "said", "choice", "check", "point", "to", "vote", "round",
             "signal", "name", "also", "votes", "pointing", "plan", "game"]
        ),
        NASTY,
        max_size=6,
    ),
    st.sampled_from(["", "/present", "/notes"]),
    st.booleans(),
)  # fmt: skip
@pytest.mark.patient
def test_no_form_breaks_a_table(app: Flask, form: dict[str, str], path: str, presents: bool) -> None:
    site = Site(app)
    code = site.open()
    sender = site if presents else site.friend()
    answer = sender.client.post(f"/pl/t/{code}{path}", data=form, headers=ORIGIN)
    assert answer.status_code in (200, 303, 400, 404), answer.text
    again = sender.client.get(f"/pl/t/{code}{path}", query_string=form)
    assert again.status_code in (200, 303, 400, 404), again.text
    assert site.friend().get(f"/es/t/{code}").status_code == 200


def test_only_what_matters_is_kept_of_a_command(site: Site) -> None:
    """A log is not a place to store things."""
    code = site.open()
    course = site.app.extensions["shelf"].courses["border"]
    long = "Z" * 15_000
    for kind in ("do", "watch", "predict", "choose", "ask"):
        site.show(code, screen=beat_of(course, kind).screen, choice=long, check="1", point=long, to=long)
    site.post(f"/it/t/{code}/present", do="point", point=long, version=site.version(code))
    site.show(code, screen=beat_of(course, "do").screen, moves="p1   cross  A6   A7 A8 ")
    events = site.tables.log.read(code, "stage")
    assert max(len(json.dumps(event.body)) for event in events) < 1000
    assert site.tables.stage(code).beat.given.moves == ("p1 cross A6 A7 A8",)


def test_a_log_has_an_end(tables: Tables, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    code, who = opened
    monkeypatch.setattr(live_tables, "MOST_STAGE_EVENTS", 4)
    tables.point(code, who, "E5", 2)
    tables.point(code, who, "E6", 3)
    with pytest.raises(Crowded):
        tables.point(code, who, "E7", 4)
    monkeypatch.setattr(live_tables, "OWNERS_STAGE_EVENTS", 1)
    tables.leave(code, who)
    with pytest.raises(Crowded):
        tables.leave(code, who)
    assert tables.end(code, who).ended, "whoever owns it can always close it"


def test_nobody_can_fill_a_table_with_names(tables: Tables, opened: tuple[str, str]) -> None:
    """A guest who has said too much waits for the next beat; others go on talking."""
    code, who = opened
    loud, quiet = tables.join(code)[0], tables.join(code)[0]
    for number in range(SAID_AT_FIRST + SAID_A_BEAT * tables.stage(code).number):
        tables.name(code, loud, f"n{number}")
    with pytest.raises(Enough):
        tables.name(code, loud, "one too many")
    tables.name(code, quiet, "Ania")
    tables.signal(code, quiet, "question")
    stage = tables.stage(code)
    tables.show(code, who, stage.beat, stage.version)
    tables.name(code, loud, "once more")
    seats = LIMITS["seats"][0].most
    assert seats * live_tables.MOST_SAID < 1_000_000, "what one network can say at one table"


def test_to_hear_nothing_writes_nothing(tables: Tables, opened: tuple[str, str]) -> None:
    code, who = opened
    for _ in range(3):
        tables.hear(code, who, tables.floor(code).version)
    assert tables.floor(code).version == 0


def test_a_chair_is_shared_by_a_few(tables: Tables, opened: tuple[str, str]) -> None:
    """However many remote controls there are, whoever owns the table drives it."""
    code, owner = opened
    for _ in range(20):
        stage = tables.stage(code)
        tables.hand_over(code, owner, tables.join(code)[0], share=True)
    stage = tables.stage(code)
    assert len(stage.chair) == live_tables.MOST_CHAIRS
    assert stage.owner == owner


def test_a_remote_control_drives_but_neither_takes_the_chair_nor_ends_the_table(
    tables: Tables, opened: tuple[str, str]
) -> None:
    code, owner = opened
    remote, friend = tables.join(code)[0], tables.join(code)[0]
    stage = tables.hand_over(code, owner, remote, share=True)
    stage = tables.show(code, remote, stage.beat, stage.version)
    acts: tuple[Callable[[], object], ...] = (
        lambda: tables.hand_over(code, remote, remote),
        lambda: tables.hand_over(code, remote, friend, share=True),
        lambda: tables.withdraw(code, remote, owner),
        lambda: tables.end(code, remote),
    )
    for act in acts:
        with pytest.raises(NotPresenting):
            act()
    assert tables.stage(code) == stage
    tables.hand_over(code, owner, friend)
    assert tables.stage(code).chair == (friend,)


@pytest.mark.parametrize("path", ["", "/events", "/code.svg"])
def test_a_picture_on_a_foreign_page_neither_joins_nor_guesses(site: Site, path: str) -> None:
    code = site.open()
    stranger = site.friend().client
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image"}
    where = f"/t/{code}{path}" if path == "/code.svg" else f"/it/t/{code}{path}"
    assert stranger.get(where, headers=headers).status_code == 403
    assert stranger.head(f"/it/t/{code}/events").status_code == 200
    assert not site.tables.floor(code).guests
    assert stranger.get(where, headers=headers | {"Sec-Fetch-Site": "same-site"}).status_code == 403
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}
    assert stranger.get(f"/it/t/{code}", headers=link).status_code == 200
    assert stranger.get(f"/it/t/{code}/events", headers=link).status_code == 403, "it would join"


def test_a_browser_keeps_the_tables_of_late(site: Site) -> None:
    for _ in range(14):
        site.open()
    kept = [name for name in site.client._cookies or {} if name[2].startswith("table-")]
    assert len(kept) == MOST_COOKIES


def test_only_what_was_seen_is_marked_as_read(site: Site) -> None:
    code, phones = site.open(), [site.friend(), site.friend()]
    phones[0].client.post(f"/it/t/{code}", data={"signal": "question"}, headers=ORIGIN)
    notes = site.get(f"/it/t/{code}/notes").text
    seen = re.findall(r'name="floor" value="(\d+)"', notes)
    phones[1].client.post(f"/it/t/{code}", data={"signal": "question"}, headers=ORIGIN)
    site.client.post(
        f"/it/t/{code}/notes", data={"do": "hear", "version": "2", "floor": seen[0]}, headers=ORIGIN
    )
    assert [wish.number for wish in site.tables.floor(code).wishes()] == [2]


def test_whoever_presents_may_join_as_many_tables_as_they_like(site: Site) -> None:
    own, others = site.open(), [site.friend().open() for _ in range(MOST_COOKIES + 3)]
    for code in others:
        site.client.post(f"/it/t/{code}", data={"signal": "fast"}, headers=ORIGIN)
    kept = [name[2].removeprefix("table-") for name in site.client._cookies or {} if "table-" in name[2]]
    assert len(kept) == MOST_COOKIES
    assert own in kept
    assert kept[-1] == others[-1]


# Streams


def test_a_guest_has_a_few_streams_and_a_worker_room_for_pages(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    streams, all_news = Streams(), [News() for _ in range(MOST_STREAMS_OF_GUEST + 2)]
    with ExitStack() as stack:
        for news in all_news:
            stack.enter_context(streams.open("CDFH2345 ania", "192.0.2.1", news))
        assert [news.over for news in all_news] == [True] * 2 + [False] * MOST_STREAMS_OF_GUEST
        streams.ask("192.0.2.1")
        monkeypatch.setattr("tutor.web.live.stream.MOST_STREAMS_OF_NETWORK", streams.count)
        streams.ask("192.0.2.2")
        with pytest.raises(ServiceUnavailable):
            streams.ask("192.0.2.1")
    assert streams.count == 0
    code = site.open()
    monkeypatch.setattr("tutor.web.live.stream.MOST_STREAMS", 0)
    assert site.friend().client.get(f"/pl/t/{code}/events").status_code == 503
    site.friend().get(f"/pl/t/{code}")


def test_whoever_has_most_streams_makes_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutor.web.live.stream.MOST_STREAMS", 6)
    streams, all_news = Streams(), [News() for _ in range(6)]
    with ExitStack() as stack:
        for number, news in enumerate(all_news):
            near = "192.0.2.1" if number < 4 else "192.0.2.2"
            stack.enter_context(streams.open(f"CDFH2345 {number}", near, news))
        streams.ask("192.0.2.3")
        assert [news.over for news in all_news] == [True] + [False] * 5
        streams.ask("192.0.2.3")
        assert [news.over for news in all_news] == [True] * 2 + [False] * 4
        with pytest.raises(ServiceUnavailable):
            streams.ask("192.0.2.1")
    assert streams.count == 0
    assert not streams.guests
    assert not streams._networks


def events_of(answer: TestResponse, count: int) -> list[tuple[str, int, list[Any]]]:
    """The first events of a stream: name, number, lines of data."""
    found: list[tuple[str, int, list[Any]]] = []
    text = b""
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 16) if answer.headers.get("Content-Encoding") else None
    parts: Iterator[bytes] = iter(answer.response)  # type: ignore[arg-type]
    while len(found) < count:
        part = next(parts)
        text += unpack.decompress(part) if unpack else part
        *whole, text = text.split(b"\n\n")
        for one in whole:
            lines = [line.partition(": ") for line in one.decode().split("\n")]
            named = {name: value for name, _, value in lines}
            if "event" in named:
                data = [json.loads(value) for name, _, value in lines if name == "data"]
                found.append((named["event"], int(named.get("id", 0)), data))
    answer.close()
    return found


@pytest.mark.parametrize("packed", [False, True])
def test_a_stream_brings_each_beat_in_its_language(site: Site, packed: bool) -> None:
    code = site.open("it")
    headers = {"Accept-Encoding": "gzip"} if packed else {}
    phone = site.friend()
    answer = phone.client.get(f"/pl/t/{code}/events", headers=headers)
    assert answer.mimetype == "text/event-stream"
    [(name, version, [own, html])] = events_of(answer, 1)
    assert (name, version, own["version"]) == ("beat", 2, 2)
    assert html == phone.client.get(f"/pl/t/{code}", headers={"HX-Request": "true"}).text


def test_a_stream_goes_on_where_it_broke_off(site: Site) -> None:
    code = site.open("it")
    phone = site.friend()
    plan = site.tables.stage(code).plan
    [(_, seen, _)] = events_of(phone.client.get(f"/pl/t/{code}/events"), 1)
    for step in plan[1:3]:
        site.show(code, screen=step)
    answer = phone.client.get(f"/pl/t/{code}/events", headers={"Last-Event-ID": str(seen)})
    [(_, version, [own, html])] = events_of(answer, 1)
    assert version == seen + 2  # one event, the last: a phone that slept wants no replay
    assert f'data-screen="{plan[2]}"' in html
    assert own["number"] == 3
    assert len(site.tables.floor(code).guests) == 1


def test_each_guest_hears_what_came_of_the_own_vote(site: Site) -> None:
    code = site.open("it")
    beat = beat_of(site.app.extensions["shelf"].courses["border"], "predict")
    site.show(code, screen=beat.screen)
    round = site.tables.stage(code).round
    phones = [site.friend(), site.friend()]
    for phone, vote in zip(phones, (YES, NO), strict=True):
        phone.post(f"/pl/t/{code}", round=round, vote=vote)
    site.show(code, screen=beat.screen, said=YES)
    heard = [events_of(phone.client.get(f"/pl/t/{code}/events"), 1)[0][2] for phone in phones]
    assert [own["chosen"] for own, _ in heard] == [[YES], [NO]]
    assert heard[0][0]["mine"] != heard[1][0]["mine"]
    assert heard[0][1] == heard[1][1]


def test_packed_messages_can_follow_each_other_in_any_order() -> None:
    texts = ["data: zażółć\n\n", "event: beat\n" * 500, "", ":\n\n"]
    stream = GZIP_HEAD + b"".join(Message.of(text).packed for text in texts)
    assert zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(stream).decode() == "".join(texts)
    with pytest.raises(EOFError):
        gzip.decompress(stream)  # a stream has no end


def test_the_picture_of_the_code_leads_to_the_table(site: Site) -> None:
    code = site.open("it")
    answer = site.get(f"/t/{code}/code.svg")
    assert answer.mimetype == "image/svg+xml"
    assert "<path" in answer.text


def test_the_end_tells_what_this_table_has_learned(site: Site) -> None:
    """Tables share what they show, but not what they have planned."""
    course = site.app.extensions["shelf"].courses["border"]
    plan = beats.plan_of(course, ())
    shown = []
    for chosen in (plan[:2], plan[2:5]):
        table = site.friend()
        code = table.open("it", plan=".".join(chosen))
        table.show(code, screen="end")
        [(_, _, [_, html])] = events_of(site.friend().client.get(f"/it/t/{code}/events"), 1)
        shown.append(html)
    assert shown[0] != shown[1]


def test_a_press_of_next_reads_the_log_twice_and_shows_the_beat_once(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stage before it and the floor; what was appended is not read back."""
    presenter = app.test_client()
    address = presenter.post("/en/t/", data={"game": "border"}, headers=ORIGIN).location
    code = code_of(address.split("/")[-2])

    def press(screen: str, version: int) -> TestResponse:
        form = {"do": "show", "screen": screen, "version": str(version)}
        return presenter.post(address, data=form, headers=ORIGIN | {"HX-Request": "true"})

    with app.app_context():
        log, plan = site_tables().log, site_tables().stage(code).plan
    assert press(plan[1], 1).status_code == 200
    reads: list[str] = []
    real_read, real_show = log.read, screen_views._show

    def count_read(code: str, channel: Any, *more: Any) -> Any:
        reads.append(channel)
        return real_read(code, channel, *more)

    shown: Counter[tuple[str, str, Input]] = Counter()

    def count_show(course: Course, screen: Screen, lang: str, given: Input) -> ScreenView:
        shown[screen.id, lang, given] += 1
        return real_show(course, screen, lang, given)

    monkeypatch.setattr(log, "read", count_read)
    monkeypatch.setattr(screen_views, "_show", count_show)
    answer = press(plan[2], 2)
    assert f'data-screen="{plan[2]}"' in answer.text
    assert sorted(reads) == ["floor", "stage"]
    assert shown[plan[2], "en", NO_INPUT] == 1
    assert max(shown.values()) == 1
