"""A match on its pages: begun, played to its end, taken back, watched, gone on with elsewhere."""

import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from tests.conftest import seeded
from tests.pages import check
from tutor.book.words import LANGUAGES
from tutor.games import GAMES
from tutor.live.matches import Matches
from tutor.play.match import Match
from tutor.referee import programs
from tutor.web import create_app

pytestmark = pytest.mark.patient

ORIGIN = {"Origin": "http://localhost"}


class Seat:
    """Somebody with a browser who plays."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.client = app.test_client()
        self.url = ""

    def begin(self, game: str, lang: str = "en", **form: Any) -> None:
        answer = self.client.post(f"/{lang}/{game}/play", data=form, headers=ORIGIN)
        assert answer.status_code == 303, answer.text
        self.url = answer.headers["Location"]

    def get(self, **query: str) -> str:
        answer = self.client.get(self.url, query_string=query)
        assert answer.status_code == 200
        check(self.url, answer.text)
        return answer.text

    def do(self, do: str, status: int = 303, **form: Any) -> str:
        form = {"version": self.match.version, "do": do} | form
        answer = self.client.post(self.url, data=form, headers=ORIGIN)
        assert answer.status_code == status, answer.text
        return answer.headers.get("Location", "")

    @property
    def matches(self) -> Matches:
        self.client.get(self.url)  # the first who asks opens the store
        found: Matches = self.app.extensions["matches"]
        return found

    @property
    def match(self) -> Match:
        return self.matches.look(self.url.rpartition("/")[2])

    def best(self) -> str:
        """The move of a hint."""
        found = re.search(r'name="move" value="([^"]+)"', self.get(show="hint"))
        assert found
        return found[1]

    def play(self, turns: int = 10_000) -> None:
        """Makes moves at random, which the rules allow, until the game is over or for some time."""
        dice = random.Random(7)
        while turns and not (match := self.match).over:
            turns -= 1
            if match.goes_on:
                self.do("go", all="1")
            else:
                moves = [move for move in match.game.moves(match.state) if move.seat == match.to_act]
                self.do("move", move=match.game.format_move(dice.choice(moves)), seat=match.to_act)


@pytest.fixture
def seat(app: Flask) -> Seat:
    return Seat(app)


@pytest.mark.patient
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_played_to_its_end_and_told(seat: Seat, game: str) -> None:
    lang = LANGUAGES[list(GAMES).index(game) % len(LANGUAGES)]
    seat.begin(game, lang)
    seat.play()
    match = seat.match
    page = seat.get()
    outcome = match.game.outcome(match.state)
    assert outcome
    assert f"#{outcome.reason}" in page
    assert 'id="again"' in page
    assert "?show=hint" not in page


@pytest.mark.patient
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.slow
def test_its_moves_are_replayed_by_the_referee(seat: Seat, game: str) -> None:
    seat.begin(game)
    assert seat.client.get(f"{seat.url}/moves.txt").status_code == 404  # it would tell what is hidden
    seat.play()
    text = seat.client.get(f"{seat.url}/moves.txt").text
    told = programs.answer(seat.app.extensions["shelf"].library, programs.read(text))
    assert told.position == seat.match.game.format_position(seat.match.state)


@pytest.mark.parametrize("game", GAMES)
def test_every_view_of_a_turn_is_a_page(seat: Seat, game: str) -> None:
    seat.begin(game, "pl")
    seat.play(1)
    while seat.match.goes_on:
        seat.do("go")
    for show in ("", "legal", "hint", "log", "nonsense"):
        seat.get(show=show)
    match = seat.match
    for move in match.game.thinkable(match.state, match.to_act)[:40]:
        page = seat.get(**{"try": match.game.format_move(move)})
        ok = match.game.judge(match.game.view(match.state, move.seat), move).ok
        assert ('value="move"' in page) == ok
        assert ("verdict-no" in page) != ok
    assert seat.client.get(seat.url, query_string={"try": "x" * 300}).status_code == 400


def test_a_hint_names_a_legal_move_and_does_not_change(seat: Seat) -> None:
    seat.begin("blockers")
    while seat.match.goes_on:
        seat.do("go")
    match, best = seat.match, seat.best()
    assert match.game.judge(match.state, match.game.parse_move(best)).ok
    assert best == seat.best()


def test_a_move_that_is_not_allowed_changes_nothing_and_is_told(seat: Seat) -> None:
    seat.begin("nim")
    while seat.match.goes_on:
        seat.do("go")
    before = seat.match
    assert "noted=refused" in seat.do("move", move="p1 take 1 9")
    assert seat.match == before


def test_what_comes_too_late_does_nothing(seat: Seat) -> None:
    seat.begin("blockers")
    seat.play(3)
    before = seat.match
    assert "noted=late" in seat.do("go", version=1)
    assert seat.match == before


def test_only_its_owner_can_move_and_others_watch(app: Flask, seat: Seat) -> None:
    seat.begin("blockers")
    seat.play(4)
    other = Seat(app)
    other.url = seat.url
    page = other.get()
    assert 'method="post"' not in page
    before = seat.match
    assert "noted=guest" in other.do("go")
    assert seat.match == before


def test_another_device_goes_on_by_the_address_that_only_its_owner_sees(app: Flask, seat: Seat) -> None:
    seat.begin("blockers")
    page = seat.client.get(f"{seat.url}/device").text
    found = re.search(r'href="http://localhost([^"]+\?key=[^"]+)"', page)
    assert found
    other = Seat(app)
    other.url = seat.url
    assert other.client.get(f"{seat.url}/device").status_code == 404
    assert other.client.get(found[1]).headers["Location"] == seat.url
    assert 'method="post"' in other.get()
    stranger = Seat(app)
    stranger.url = seat.url
    stranger.client.get(f"{seat.url}?key=nobody.nothing")
    assert 'method="post"' not in stranger.get()


def test_it_is_there_again_after_a_restart(tmp_path: Path) -> None:
    """The store is all that is left of a server that was killed."""
    database = seeded(tmp_path / "rulebook.db")
    first = create_app(database)
    first.config.update(LIMITS=0)
    seat = Seat(first)
    seat.begin("border")
    seat.play(5)
    cookie = seat.client.get_cookie("playing")
    assert cookie
    second = create_app(database)
    second.config.update(LIMITS=0)
    again = Seat(second)
    again.url = seat.url
    again.client.set_cookie("playing", cookie.value)
    assert again.match.state == seat.match.state
    assert again.get() == seat.get()


@pytest.mark.parametrize("game", GAMES)
def test_nothing_that_a_seat_cannot_see_is_in_its_page(
    seat: Seat, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where what is hidden is dealt anew, no page changes by a letter."""
    seat.begin(game)
    seat.play(8)
    matches, true = seat.matches, seat.match
    me = true.people[0]
    dealt = replace(true, state=true.game.redeal(true.state, me, random.Random(3)))
    for query in ({}, {"show": "log"}, {"show": "legal"}):
        monkeypatch.setattr(matches, "look", lambda name: true)
        honest = seat.get(**query)
        monkeypatch.setattr(matches, "look", lambda name: dealt)
        assert seat.get(**query) == honest
    monkeypatch.undo()


def test_the_screen_is_behind_a_curtain_before_every_change_of_seat(seat: Seat) -> None:
    seat.begin("blockers", people="2", bots="0")
    page = seat.get()
    assert "screen-curtain" in page
    assert 'class="rack"' not in page
    acting = seat.match.to_act
    mine = seat.get(seat=str(acting))
    assert "screen-match" in mine
    assert "screen-curtain" in seat.get(seat=str(3 - acting))
    match = seat.match
    move = next(move for move in match.game.moves(match.state) if move.seat == acting)
    where = seat.do("move", move=match.game.format_move(move), seat=acting)
    assert "screen-curtain" in seat.client.get(where).text


def test_no_curtain_where_nothing_is_hidden(seat: Seat) -> None:
    seat.begin("border", people="2", bots="0")
    assert "screen-curtain" not in seat.get()


def _to_own_turn(seat: Seat) -> Match:
    while seat.match.goes_on:
        seat.do("go")
    return seat.match


def test_a_decision_is_taken_back_until_chance_has_answered_it(seat: Seat) -> None:
    """In The Border a roll is answered by dice; a cross is not."""
    seat.begin("border")
    match = _to_own_turn(seat)
    assert "noted=nothing" in seat.do("back", seat=1)
    tried = 0
    while tried < 30 and not match.over:
        before = match
        moves = [move for move in match.game.moves(match.state) if move.seat == 1]
        crossing = [move for move in moves if move.act == "cross"]
        chosen = (crossing or moves)[0]
        seat.do("move", move=match.game.format_move(chosen), seat=1)
        if crossing and len(moves) > 1 and seat.match.to_act == 1:
            seat.do("back", seat=1)
            assert seat.match.state == before.state
            return
        if chosen.act == "roll":
            told = seat.do("back", seat=1)
            assert "noted=chance" in told or "noted=nothing" in told
        match = _to_own_turn(seat)
        tried += 1
    pytest.fail("nobody has crossed anything")


def test_in_a_practice_game_chance_is_taken_back_too(seat: Seat) -> None:
    seat.begin("blockers", practice="1")
    before = _to_own_turn(seat)
    seat.do("move", move=seat.best(), seat=1)
    assert any(turn.move.seat == 0 for turn in seat.match.turns[len(before.turns) :])
    seat.do("back", seat=1)
    assert seat.match.state == before.state


def test_without_practice_a_drawn_tile_is_not_put_back(seat: Seat) -> None:
    seat.begin("blockers")
    _to_own_turn(seat)
    seat.do("move", move=seat.best(), seat=1)
    after = seat.match.state
    assert "noted=chance" in seat.do("back", seat=1)
    assert seat.match.state == after


def _new_rules(page: str) -> set[str]:
    found = re.findall(r'class="badge">New in this game</p>\s*<p><strong><a href="([^"]+)"', page)
    return set(found)


def test_new_rules_are_told_once_and_can_be_switched_off(seat: Seat) -> None:
    """Whoever moves first brings them up, a person or a bot."""
    seat.begin("blockers")
    _to_own_turn(seat)
    earlier = _new_rules(seat.get())
    told = list[str]()
    for _ in range(4):
        seat.do("move", move=seat.best(), seat=1)
        told += _new_rules(seat.get())
        _to_own_turn(seat)
    assert earlier or told
    assert len(told) == len(set(told))
    assert earlier.isdisjoint(told)
    seat.do("cards", cards="off")
    assert "rule-card" not in seat.get()
    seat.do("cards", cards="on")
    assert seat.client.get_cookie("cards").value == "on"  # type: ignore[union-attr]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_game_is_begun_by_one_touch_and_gone_on_with(seat: Seat, lang: str) -> None:
    end = seat.client.get(f"/{lang}/blockers/learn/end").text
    for page in (seat.client.get(f"/{lang}/").text, seat.client.get(f"/{lang}/blockers/").text, end):
        assert f'action="/{lang}/blockers/play"' in page
    seat.begin("blockers", lang)
    for page in (f"/{lang}/", f"/{lang}/blockers/", f"/{lang}/blockers/play"):
        assert f'href="{seat.url}"' in seat.client.get(page).text


@pytest.mark.parametrize(
    "form", [{"people": "0"}, {"people": "9", "bots": "9"}, {"bots": "77"}, {"people": "x", "bots": "-1"}]
)
def test_a_table_that_the_game_does_not_seat_is_refused_in_words(seat: Seat, form: dict[str, str]) -> None:
    answer = seat.client.post("/it/blockers/play", data=form, headers=ORIGIN)
    assert answer.status_code == 400
    check("/it/blockers/play", answer.text)


def test_what_is_no_match_is_not_found(seat: Seat) -> None:
    for name in ("nothing", "C" * 16, "../../etc"):
        assert seat.client.get(f"/en/border/play/{name}").status_code == 404
    seat.begin("border")
    name = seat.url.rpartition("/")[2]
    assert seat.client.get(f"/en/blockers/play/{name}").status_code == 404


def test_options_of_the_game_are_kept(seat: Seat) -> None:
    seat.begin("blockers", people="1", bots="2")
    assert seat.match.game.seats(seat.match.state) == 3


@pytest.mark.parametrize(
    "cookie", ["", "~", "border:short:x", "no:CCCCCCCCCCCCCCCC:x", f"border:{'C' * 16}:{'y' * 500}"]
)
def test_a_cookie_may_say_anything(seat: Seat, cookie: str) -> None:
    seat.client.set_cookie("playing", cookie)
    assert seat.client.get("/en/").status_code == 200
    assert seat.client.get("/en/border/play").status_code == 200
