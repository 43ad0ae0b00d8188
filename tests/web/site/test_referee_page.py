"""The referee's page: addresses that are positions, verdicts on moves that are touched, positions set up."""

import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus, urlencode, urljoin

import pytest
from flask import Flask
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import Route, expect

from tests import nim
from tests.books import COURSES, FULL, LIBRARY, having
from tests.conftest import CHROMIUM, Open
from tests.pages import PageClient
from tutor.book.load import Library
from tutor.book.scenario import PlayedStep
from tutor.book.words import LANGUAGES
from tutor.games import GAMES
from tutor.games.blockers.engine import Blockers
from tutor.games.blockers.engine.board import CELLS, FACES
from tutor.games.blockers.table import setup as blockers_setup
from tutor.games.border.engine import Border
from tutor.games.border.engine.board import indices
from tutor.games.border.engine.state import SECOND
from tutor.games.confini.engine import Confini
from tutor.games.confini.engine.cards import bits
from tutor.games.confini.engine.faces import shown_cards
from tutor.games.confini.engine.state import Fight, is_view
from tutor.games.confini.table import setup as confini_setup
from tutor.games.confini.table.drawing import ConfiniDrawing
from tutor.games.tables import setup_of
from tutor.lessons.course import PEOPLE
from tutor.lessons.scene import Scene
from tutor.lookup.rulings import slug
from tutor.referee.asking import Referee, difference
from tutor.referee.packed import LONGEST_PACKED_CHARS, LONGEST_TEXT_CHARS, PACKED, PLAIN, escape, pack, unpack
from tutor.rules.base import CHANCE, Game, Move, State
from tutor.rules.errors import InvalidMove, InvalidPosition
from tutor.web.http.security import LONGEST_ADDRESS_CHARS
from tutor.web.site import preview

each_game = pytest.mark.parametrize("game", GAMES)
each_set_up = pytest.mark.parametrize("game", having("setup"))
each_language = pytest.mark.parametrize("lang", LANGUAGES)


def steps(game: str) -> Iterator[tuple[str, PlayedStep]]:
    for name, run in LIBRARY.runs[game].items():
        for step, played in run.steps.items():
            yield f"{name}/{step}", played


def positions(game: str) -> Iterator[State]:
    for _, step in steps(game):
        yield from {step.before, step.after}


def address(game: Game, state: State, lang: str = "en", **more: str) -> str:
    query = {"at": pack(game.format_position(state))} | more
    return f"/{lang}/{game.id}/referee?{urlencode(query)}"


def links(html: str) -> list[str]:
    return [unescape(link) for link in re.findall(r'href="([^"]*/referee\?[^"]*)"', html)]


def referee(game: str, lang: str = "en") -> Referee:
    book = LIBRARY.games[game]
    return Referee(book.game, LIBRARY.texts[game][lang], book.words[lang])


# Addresses


def travels(game: Game, state: State) -> None:
    text = game.format_position(state)
    value = pack(text)
    assert unpack(value) == text
    assert game.parse_position(unpack(value)) == state
    assert len(f"/en/{game.id}/referee?at={escape(value)}") < LONGEST_ADDRESS_CHARS
    plain, packed = len(escape(PLAIN + text)), len(escape(value))
    assert packed <= plain


@each_game
def test_every_position_of_every_scenario_travels_in_an_address(game: str) -> None:
    for state in positions(game):
        travels(LIBRARY.games[game].game, state)


@settings(max_examples=20)
@given(name=st.sampled_from(list(GAMES)), seed=st.integers(0, 10_000), moves=st.integers(0, 400))
def test_so_does_every_position_of_any_game(name: str, seed: int, moves: int) -> None:
    game, dice = LIBRARY.games[name].game, random.Random(seed)
    state = game.setup({})
    for _ in range(moves):
        turn = game.turn(state)
        if not turn:
            break
        chance = turn == (CHANCE,)
        state = game.play(state, game.chance(state, dice) if chance else dice.choice(game.moves(state)))
    travels(game, state)


def test_a_short_position_can_be_read_in_its_address_and_a_long_one_is_packed() -> None:
    assert escape(pack("roll active=p1 p1=1 p2=2")) == "1.roll+active=p1+p1=1+p2=2"
    longest = max((LIBRARY.games["border"].game.format_position(s) for s in positions("border")), key=len)
    assert pack(longest).startswith(PACKED)
    assert len(pack(longest)) < len(longest) * 0.7


def test_no_address_ends_with_what_a_chat_would_leave_out_of_a_link() -> None:
    for game in GAMES:
        for state in positions(game):
            assert escape(pack(LIBRARY.games[game].game.format_position(state)))[-1].isalnum()
    assert escape("1.x=?????") == "1.x=%3F%3F%3F%3F%3F"


def test_what_no_address_can_hold_is_said_so() -> None:
    noise = random.Random(1)
    with pytest.raises(InvalidPosition) as caught:
        pack("".join(chr(noise.randrange(33, 127)) for _ in range(4000)))
    assert (caught.value.code, caught.value.values["most"]) == ("position.long", LONGEST_PACKED_CHARS)


@each_language
@pytest.mark.parametrize(
    ("at", "code"),
    [
        ("nonsense", "link.damaged"),
        ("1zAAAA", "link.damaged"),
        ("1z!!!!", "link.damaged"),
        ("1z", "link.damaged"),
        ("é", "link.damaged"),
        ("7.roll active=p1", "link.version"),
        ("2zabc", "link.version"),
        ("1.", "position.missing"),
        ("1.nowhere p1=1 p2=2", "position.phase"),
        ("1.roll active=p9 p1=1 p2=2", "position.active"),
    ],
)
@pytest.mark.patient
def test_a_damaged_or_foreign_address_is_answered_in_the_readers_language(
    client: PageClient, lang: str, at: str, code: str
) -> None:
    words = LIBRARY.games["border"].words[lang]
    answer = client.get(f"/{lang}/border/referee?{urlencode({'at': at})}", 400)
    told = words.errors[code].source.partition("{")[0].strip(" “«„")
    assert told in unescape(answer.text)


def test_an_address_without_a_position_offers_a_new_table(client: PageClient) -> None:
    page = client.get("/it/border/referee?at=").text
    assert page.replace("referee?at=", "referee") == client.get("/it/border/referee").text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_damaged_address_leads_on_to_a_new_table_of_its_game(client: PageClient, lang: str) -> None:
    text = client.get(f"/{lang}/border/referee?at=xx", 400).text
    trail = text.partition('class="trail"')[2].partition("</nav>")[0]
    assert f'href="/{lang}/border/"' in trail
    main = text.partition("<main")[2]
    assert f'class="button main" href="/{lang}/border/referee"' in main
    # The fault itself is named, and nothing vaguer below it.
    assert main.partition("</h1>")[2].partition('class="actions"')[0].count("<p>") == 1


def test_an_address_that_was_cut_is_never_taken_for_another_position(client: PageClient) -> None:
    game = LIBRARY.games["border"].game
    value = pack(max((game.format_position(state) for state in positions("border")), key=len))
    for end in range(len(PACKED), len(value) - 1):
        with pytest.raises(InvalidPosition):
            unpack(value[:end])


def test_what_unpacks_to_a_book_is_no_position() -> None:
    with pytest.raises(InvalidPosition):
        unpack(pack("x" * 3 * LONGEST_TEXT_CHARS))


def test_a_position_in_no_language_opens_in_the_readers(app: Flask) -> None:
    client, query = app.test_client(), "at=1.roll+active=p1+p1=1+p2=2"
    answer = client.get(f"/referee/border?{query}&x=1", headers={"Accept-Language": "pl"})
    assert answer.headers["Location"] == f"/pl/border/referee?{query}"
    assert {"Accept-Language", "Cookie"} <= set(answer.vary)
    client.set_cookie("lang", "es")
    answer = client.get(f"/referee/border?{query}", headers={"Accept-Language": "pl"})
    assert answer.headers["Location"] == f"/es/border/referee?{query}"
    assert client.get("/referee/chess?at=1.x").status_code == 404


@each_game
@pytest.mark.patient
def test_a_preview_tells_and_shows_the_position(client: PageClient, game: str) -> None:
    state = next(step.before for _, step in steps(game) if step.file.refuse)
    engine = LIBRARY.games[game].game
    html = client.get(address(engine, state, "it")).text
    words = COURSES[game].words_at("it", state)
    standing = Referee(engine, LIBRARY.texts[game]["it"], words).standing(state)
    line = re.search(r'og:description" content="([^"]*)"', html)
    assert line
    assert unescape(line[1]).startswith(standing.phase)
    assert all(name in unescape(line[1]) for name in standing.players)
    shown = re.search(r'og:image" content="([^"]*)"', html)
    assert shown
    picture = client.get(unescape(shown[1]))
    assert picture.mimetype == "image/png"
    assert picture.data.startswith(b"\x89PNG")
    assert picture.headers["Cache-Control"].startswith("public")
    assert picture.headers["Vary"] == "Accept-Encoding"  # it is packed for who takes that
    begun = client.get(unescape(shown[1]).partition("?")[0]).data
    assert (begun != picture.data) == (game in having("drawing"))


def test_a_preview_is_drawn_once(client: PageClient, monkeypatch: pytest.MonkeyPatch) -> None:
    path = "/referee/blockers/position.png?at=1.over+p1=red+p2=blue+p3=green"
    first = client.get(path).data

    def fail(*_: object) -> bytes:
        raise AssertionError("drawn again")

    monkeypatch.setattr("tutor.web.site.preview.png", fail)
    assert client.get(path).data == first


def test_a_preview_that_cannot_be_drawn_is_a_page_and_no_fault(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "png.py"
    broken.write_text("raise SystemExit(1)")
    monkeypatch.setattr(preview, "PROGRAM", broken)
    at = "1.over+p1=red+p2=blue+p3=green+p4=yellow"
    answer = app.test_client().get(f"/referee/blockers/position.png?at={at}")
    assert (answer.status_code, answer.mimetype) == (503, "text/html")


def test_a_preview_is_drawn_where_a_service_may_not_step_back() -> None:
    asked = json.dumps({"svg_string": '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'})
    program = (
        "import os, runpy; os.nice = lambda _: os.open('/', os.O_WRONLY);"  # raises an OSError
        f"runpy.run_path({str(preview.PROGRAM)!r}, run_name='__main__')"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], input=asked.encode(), capture_output=True, check=True
    )
    assert run.stdout[1:4] == b"PNG"


def test_a_preview_has_its_letters_on_a_server_without_any_font(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are drawn with the font that is carried along, and with no other."""
    assert preview.FONT.exists(), "python hatch_build.py copies it"
    drawing = app.extensions["shelf"].drawings["blockers"]
    html = '<svg class="board" viewBox="0 0 9 9"><text y="9">B</text></svg>'
    with app.app_context():
        with_letter = preview.png(preview.picture(drawing, html))
        monkeypatch.setattr(preview, "FONT", preview.FONT.with_name("none.otf"))
        assert preview.png(preview.picture(drawing, html)) != with_letter


# Names


@pytest.mark.parametrize(
    ("game", "position", "names"),
    [
        ("border", "roll active=p1 p1=1 p2=2 p3=3", ["Sara", "Emilia", "Łukasz"]),
        (
            "blockers",
            "over p1=red p2=blue p3=green p4=yellow p5=violet",
            ["Sara", "Emilia", "Łukasz", "Tomek"],
        ),
        ("confini", "start active=p1 round=2 p1=ottilia p2=vasco", ["Ottilia", "Vasco"]),
    ],
)
def test_players_are_called_as_the_position_says_or_as_in_examples(
    client: PageClient, game: str, position: str, names: list[str]
) -> None:
    html = client.get(f"/pl/{game}/referee?{urlencode({'at': f'1.{position}'})}").text
    seats = re.findall(r'id="seat-\d"[^>]*>([^<]*)<', html)
    assert seats[: len(names)] == names
    assert "Gracz " not in html


def test_names_are_never_mixed() -> None:
    """While characters are chosen nobody goes by one; with too few names nobody has one."""
    course = COURSES["confini"]
    step = course.runs["new-game"].steps["picks"]
    assert len(set(course.words_at("en", step.after).cast.values()) & set(PEOPLE)) == 4
    done = course.runs["new-game"].steps["ready"].after
    assert not set(course.words_at("en", done).cast.values()) & set(PEOPLE)
    assert course.words_at("en", done, PEOPLE).cast == course.words_at("en", done).cast
    border = COURSES["border"]
    state = border.book.game.setup({"players": 4})
    assert border.words_at("en", state, ("tim",)).cast["p1"] == "sarah"
    assert border.words_at("en", state, ("tim", "sarah", "emma", "linus")).cast["p1"] == "tim"


SEAT = re.compile(r'id="seat-\d"[^>]*>([^<]*)<')


@each_game
@pytest.mark.patient
@pytest.mark.slow
def test_a_seat_has_one_name_from_the_list_of_examples_to_the_table(client: PageClient, game: str) -> None:
    """Whatever is done there, and for whoever is given the address, in another language too."""
    course = COURSES[game]
    for name, run in course.runs.items():
        step, played = next(iter(run.steps.items()))
        told = course.tell(name, step, "pl").words
        names = [told.word(f"p{seat}") for seat in range(1, course.book.game.seats(played.before) + 1)]
        found = client.client.get(f"/pl/{game}/referee?from={name}/{step}")
        table = client.get(found.headers["Location"]).text
        assert SEAT.findall(unescape(table)) == names, name
        edit = re.search(r'id="edit"[^>]* href="([^"]*)"', table)
        if edit:
            assert SEAT.findall(unescape(client.get(unescape(edit[1])).text)) == names, name
        shared = re.search(r'id="share"[^>]* href="([^"]*)"', table)
        assert shared
        led = client.client.get(unescape(shared[1]), headers={"Accept-Language": "pl"})
        assert led.headers["Location"].endswith(f"&cast={name}")
        assert SEAT.findall(unescape(client.get(led.headers["Location"]).text)) == names, name


@each_game
@pytest.mark.patient
def test_a_seat_has_one_name_on_the_page_of_a_ruling(client: PageClient, game: str) -> None:
    course = COURSES[game]
    for name, facts in course.book.facts.rulings.items():
        scenario, _, step = facts.proof.partition("/")
        told = course.tell(scenario, step, "it").words
        page = unescape(client.get(f"/it/{game}/rulings/{slug(game, name)}").text)
        seats = SEAT.findall(page)
        assert seats == [told.word(f"p{seat}") for seat in range(1, len(seats) + 1)], name


@each_game
def test_who_may_go_first_is_called_as_at_the_table(client: PageClient, game: str) -> None:
    for lang in LANGUAGES:
        form = client.get(f"/{lang}/{game}/referee").text
        offered = re.search(r'id="option-first".*?</select>', form, re.DOTALL)
        if not offered:
            continue
        names = re.findall(r"<option[^>]*>([^<]*)<", offered[0])[1:]
        most = len(names)
        found = client.client.get(f"/{lang}/{game}/referee?players={most}&new=1")
        assert SEAT.findall(client.get(found.headers["Location"]).text) == names


# Verdicts


@each_game
@pytest.mark.patient
@pytest.mark.slow
def test_a_step_of_a_scenario_opens_with_its_verdict(client: PageClient, game: str) -> None:
    """Every move that a scenario refuses or begins with is judged on the page as the scenario says."""
    engine = LIBRARY.games[game].game
    seen = {True: 0, False: 0}
    for number, (name, step) in enumerate(steps(game)):
        lang = LANGUAGES[number % len(LANGUAGES)]
        texts = [step.file.refuse] if step.file.refuse else [*step.file.play[:1], *step.file.choose]
        for text in texts:
            verdict = engine.judge(step.before, engine.parse_move(text))
            html = client.get(address(engine, step.before, lang, **{"try": text})).text
            assert ("verdict-yes" in html, "verdict-no" in html) == (verdict.ok, not verdict.ok), name
            for why in LIBRARY.texts[game][lang].explain(verdict, COURSES[game].words_at(lang, step.before)):
                assert why.technical or f"#{why.rule}" in html, name
                assert verdict.ok or why.html in html, name
            assert ('id="play"' in html) == verdict.ok
            seen[verdict.ok] += 1
    assert min(seen.values()) > (10 if game in FULL else 0)


@each_game
@pytest.mark.patient
@pytest.mark.slow
def test_a_link_from_an_example_leads_to_its_position_and_move(app: Flask, game: str) -> None:
    client = app.test_client()
    for name, step in steps(game):
        answer = client.get(f"/en/{game}/referee?from={name}")
        assert answer.status_code == 302
        at = re.search(r"at=([^&]*)", answer.headers["Location"])
        assert at
        asked = step.file.refuse or (step.file.play[-1] if step.file.play else "")
        tried = re.search(r"&try=([^&]*)", answer.headers["Location"])
        assert (unquote_plus(tried[1]) if tried else "") == asked, name
        if step.file.play:  # what the step tells is what the referee says of it
            assert "verdict-yes" in client.get(answer.headers["Location"]).text, name
    assert client.get(f"/en/{game}/referee?from=no-such/step").status_code == 404
    assert client.get(f"/en/{game}/referee?from=").status_code == 404


@each_game
def test_a_refused_move_is_followed_by_legal_ones_that_differ_least(game: str) -> None:
    engine, asked = LIBRARY.games[game].game, referee(game)
    for name, step in steps(game):
        if not step.file.refuse:
            continue
        move = engine.parse_move(step.file.refuse)
        answer = asked.ask(step.before, move)
        own = [other for other in engine.moves(step.before) if other.seat == move.seat != CHANCE]
        assert bool(answer.nearest) == bool(own), name
        for told in answer.nearest:
            assert engine.judge(step.before, told.move).ok, name
            assert told.move.seat == move.seat
        alike = [other for other in own if other.act == move.act] or own
        if alike:
            assert difference(move, answer.nearest[0].move) == min(difference(move, o) for o in alike)


def test_the_places_of_a_verdict_are_marked(client: PageClient) -> None:
    at = "/en/border/referee?at=1.first+active=p1+rolls=3+dice=GGGYB+p1=2+p2=3"
    refused = client.get(f"{at}&try=p1+cross+G1+G2").text
    assert 'class="marks refused"><polygon' in refused
    assert refused.count("<polygon points=") == 1  # H1, which is missing
    assert client.get(f"{at}&try=p1+cross+G1+G2+H1").text.count("<polygon points=") == 3


def test_the_nearest_of_three_spaces_is_the_one_beside() -> None:
    wanted = Move(1, "place", ("red", "5", "E5"))
    other = [Move(1, "place", ("red", "5", cell)) for cell in ("A1", "E6", "I9")]
    assert min(other, key=lambda move: difference(wanted, move)).what[2] == "E6"
    assert difference(wanted, wanted) == (0, 0)


def test_a_legal_move_tells_who_would_score_what() -> None:
    game = LIBRARY.games["border"].game
    for _, step in steps("border"):
        before = step.before
        for text in step.file.play:
            move = game.parse_move(text)
            answer, after = referee("border").ask(before, move), game.play(before, move)
            was, now = game.facts(before), game.facts(after)
            told = [change.text for change in answer.changes]
            gains = [n for n in now if re.fullmatch(r"score\.p\d", n) and now[n] != was[n]]
            for fact in gains:
                assert any(str(was[fact]) in line and str(now[fact]) in line for line in told)
            # Every area that is completed is named, with its value and the rule for it.
            completed = [n for n in now if n.startswith("circled.") and n not in was]
            scored = [change for change in answer.changes if change.rule]
            assert len(scored) == len(completed)
            for fact, change in zip(completed, scored, strict=True):
                assert str(now[fact]) in change.text
            before = after


@pytest.mark.parametrize(
    ("step", "rules"),
    [
        ("emma-well/tim", ["later"]),
        ("three-rings/three-at-once", ["first", "first", "first"]),
        ("seven-areas/two-at-once", ["first", "later"]),
        ("together/both", ["first", "together"]),
    ],
)
def test_the_rule_for_each_value_is_named(step: str, rules: list[str]) -> None:
    played = dict(steps("border"))[step]
    game, state, found = LIBRARY.games["border"].game, played.before, list[str]()
    for move in map(game.parse_move, played.file.play):
        changes = referee("border").ask(state, move).changes
        found += [change.rule.id for change in changes if change.rule]
        state = game.play(state, move)
    assert found == [f"border.score.{rule}" for rule in rules]


@pytest.mark.parametrize(
    ("game", "step", "rule", "told"),
    [
        ("border", "tie/who", "border.end.tie", "Player 2: 30\xa0points; highest number: 10."),
        (
            "blockers",
            "tie/over",
            "blockers.end.tie",
            "Player 2: 1 group + 3 tiles captured in one colour = 4\xa0points.",
        ),
        ("blockers", "uptown-tie/over", "blockers.uptown.tie", "Player 2: 2 groups; captured: 0."),
    ],
)
def test_how_a_game_is_counted_and_decided_is_told(
    client: PageClient, game: str, step: str, rule: str, told: str
) -> None:
    state = dict(steps(game))[step].after
    standing = referee(game).standing(state)
    assert standing.decided
    assert standing.decided.id == rule
    assert told in standing.counted
    html = client.get(address(LIBRARY.games[game].game, state)).text
    assert f'rules#{rule}"' in html


@each_game
@pytest.mark.patient
@pytest.mark.slow
def test_what_is_not_allowed_can_be_asked_about(client: PageClient, game: str) -> None:
    """Of whoever looks on, too: not every wrong move can be touched on the board."""
    engine = LIBRARY.games[game].game
    for state in list(dict.fromkeys(positions(game)))[:12]:
        for seat in range(1, engine.seats(state) + 1):
            html = client.get(address(engine, state, list="1", seat=str(seat))).text
            legal, others = referee(game).legal(state), referee(game).list_refused(state, seat)
            begin = html.index('class="legal"')
            tried = links(html[begin : html.index("</div>", begin)])
            assert len(tried) == len(legal) + len(others)
            for link in tried[len(legal) :][:3]:
                assert "verdict-no" in client.get(link).text


DISPUTES = [
    # One Twine is left to cut; the third Equipment; a card for fights only; whose turn it is not.
    ("equip active=p1 p1=andrea p1.hand=CUT p2=vasco p2.spago=1", 1, "card-CUT-1", "confini.cut.last"),
    ("equip active=p1 p1=andrea p1.hand=EV02 p2=vasco", 1, "card-EV02-1", "confini.cards.window"),
    ("start active=p1 p1=andrea p1.hand=EQ1 p2=vasco", 1, "card-EQ1-1", "confini.equip.when"),
    ("start active=p1 p1=andrea p2=vasco p2.hand=CUT", 2, "card-CUT-1", "confini.turn.active"),
    ("start active=p1 p1=andrea p1.level=4 p1.spago=4 p2=vasco", 1, "do-smoke", "confini.smoke.spago"),
    ("equip active=p1 p1=andrea p1.level=4 p1.spago=5 p2=vasco", 1, "do-smoke", "confini.smoke.declare"),
    ("equip active=p1 p1=andrea p1.spago=1 p2=vasco", 1, "do-advance", "confini.turn.phases"),
    ("place p1=andrea p1.spago=1 p2=vasco held=L1-CUP-A", 1, "do-advance", "confini.advance.cost"),
    (
        "challenge active=p1 p1=andrea p2=vasco limits=1:NW1:p2:L1-CUP-A",
        1,
        "do-pass",
        "confini.challenge.must",
    ),
]


@pytest.mark.parametrize(("at", "seat", "touched", "rule"), DISPUTES)
def test_what_nobody_may_do_now_can_be_touched_and_is_refused_with_its_rule(
    client: PageClient, at: str, seat: int, touched: str, rule: str
) -> None:
    html = client.get(f"/en/confini/referee?{urlencode({'at': f'1.{at}', 'seat': seat})}").text
    link = re.search(rf'id="{touched}"[^>]* href="([^"]+)"', html)
    assert link is not None, touched
    answer = client.get(unescape(link[1])).text
    assert "verdict-no" in answer
    assert f"#{rule}" in answer


def test_with_all_slots_full_one_more_equipment_can_be_tried(client: PageClient) -> None:
    at = "1.equip active=p1 p1=andrea p1.hand=EQ1 p1.equip=EQ2,EQ3 p2=vasco"
    html = client.get(f"/en/confini/referee?{urlencode({'at': at, 'pick': 'EQ1#1'})}").text
    tried = [unquote_plus(one) for one in re.findall(r'id="do-\d"[^>]*try=([^"]+)"', html)]
    assert sorted(tried) == ["p1 equip EQ1#1", "p1 equip EQ1#1 for EQ2#1", "p1 equip EQ1#1 for EQ3#1"]


def test_every_card_in_hand_can_be_asked_about() -> None:
    """The kinds of cards are all met, in every phase after the start."""
    game, dice = LIBRARY.games["confini"].game, random.Random(31)
    assert isinstance(game, Confini)
    drawing, words = ConfiniDrawing(game), LIBRARY.games["confini"].words["en"]
    state, met = game.setup({"players": 3}), set()
    for _ in range(900):
        turn = game.turn(state)
        if not turn:
            break
        for seat in (1, 2, 3) if dice.random() < 0.3 and state.phase not in ("roll", "pick") else ():
            scene = Scene(state=state, words=words, seat=seat, link=lambda option: "#", disputes=True)
            cards = drawing.table(scene)["hand"]
            met |= {card["kind"] for card in cards}
            assert all(card["href"] for card in cards), game.format_position(state)
        chance = turn == (CHANCE,)
        state = game.play(state, game.chance(state, dice) if chance else dice.choice(game.moves(state)))
    assert met == {"event", "equipment", "cut"}


HAPPENED = [
    (
        "confini",
        "start active=p1 round=2 p1=vasco p2=andrea",
        ["p1 explore 1", "draw EV10#1"],
        ["Vasco draws Leeches.", "Vasco, Echo: 3 → 1"],
        "confini.explore.reveal",
    ),
    (
        "confini",
        "start active=p1 round=2 p1=vasco p2=andrea deck=none",
        ["p1 explore 2", "draw CUT#1", "draw EQ1#1"],
        [
            "Vasco draws a Cut! card.", "Vasco, Echo: 3 → 2", "Vasco, cards in hand: 0 → 1",
            "Vasco draws a Machete.", "Vasco, Echo: 2 → 1", "Vasco, cards in hand: 1 → 2",
        ],
        "confini.explore.hidden",
    ),
    (
        "border",
        "roll active=p1 p1=1 p2=2",
        ["p1 roll", "dice GGGYB"],
        ["The result: three grey dice, one blue and one yellow."],
        "border.roll.keep",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("game", "at", "moves", "told", "rule"), HAPPENED)
def test_what_chance_has_just_done_is_told_with_what_came_of_it(
    client: PageClient, game: str, at: str, moves: list[str], told: list[str], rule: str
) -> None:
    def happened(**values: str) -> str:
        query = urlencode({"at": f"1.{at}"} | values)
        html = unescape(client.get(f"/en/{game}/referee?{query}").text).replace("\u00a0", " ")
        return "".join(re.findall(r'<ul class="deeds happened".*?</ul>', html, re.DOTALL))

    block = happened(moves=";".join(moves))
    assert [text.strip() for text in re.findall(r"<li>([^<]+)", block)] == told
    assert f"#{rule}" in block
    for count, move in enumerate(moves):
        if move.startswith("p"):
            assert not happened(moves=";".join(moves[: count + 1]))
    assert not happened()


def test_a_card_that_a_seat_must_not_see_is_not_named_to_it(client: PageClient) -> None:
    at, moves = "1.start active=p1 round=2 p1=vasco p2=andrea", "p1 explore 1;draw EQ1#1"
    for seat, named in ("1", True), ("2", False):
        query = urlencode({"at": at, "moves": moves, "see": "own", "seat": seat})
        html = client.get(f"/en/confini/referee?{query}").text
        told = "".join(re.findall(r'<ul class="deeds happened".*?</ul>', html, re.DOTALL))
        assert "Vasco draws" in told
        assert ("Machete" in told) == named


@each_game
@pytest.mark.patient
def test_all_that_chance_does_can_be_told_in_every_language(game: str) -> None:
    """To everybody and to each seat, along a random game."""
    rules, dice = LIBRARY.games[game].game, random.Random(41)
    state, moves = rules.setup({}), list[str]()
    start = state
    for _ in range(150):
        turn = rules.turn(state)
        if not turn:
            break
        chance = turn == (CHANCE,)
        move = rules.chance(state, dice) if chance else dice.choice(rules.moves(state))
        if not chance:
            start, moves = state, []
        state, moves = rules.play(state, move), [*moves, rules.format_move(move)]
        course = COURSES[game]
        for lang in LANGUAGES if chance else ():
            referee = Referee(rules, course.texts[lang], course.words_at(lang, state, ()))
            played = referee.replay(start, moves)
            for seat in range(rules.seats(state) + 1):
                assert all(change.text for change in referee.tell_chance(played, seat))


def test_how_a_fight_ends_is_told_before_it_is_played(client: PageClient) -> None:
    at = (
        "1.cards active=p1 p1=andrea p1.level=4 p1.eco=4 p1.equip=EQ1 p2=vasco"
        " fight=L4-PRE-B@NW4 fight.placer=p2 fight.eco=3 fight.turn=p1"
    )
    html = unescape(client.get(f"/en/confini/referee?{urlencode({'at': at, 'try': 'p1 pass'})}").text)
    told = [text.strip() for text in re.findall(r"<li>([^<]+)", html.partition("What happens then")[2])]
    assert told[:3] == [
        "Will 4 against Challenge Value 4: Andrea wins the fight.",
        "Andrea, Echo: 4 → 1",
        "Andrea, Twine: 0 → 1",
    ]
    assert "#confini.fight.won" in html


def test_a_face_down_tile_can_be_any_that_may_be_there(client: PageClient) -> None:
    game = LIBRARY.games["blockers"].game
    state = game.parse_position("place next=red p1=red p2=yellow p3=blue red=????? yellow=????? blue=?????")
    html = client.get(address(game, state)).text
    (hidden,) = {link for link in links(html) if link.endswith("pick=any")}
    faces = [
        link for link in links(client.get(hidden).text) if re.search(r"^/en/.*pick=(?!groups|any)", link)
    ]
    assert len(faces) == 28
    page = client.get(next(link for link in faces if link.endswith("pick=5"))).text
    answer = client.get(next(link for link in links(page) if "5%20E5" in link or "5+E5" in link)).text
    assert "verdict-yes" in answer
    assert "This depends on what lies face down" in answer
    passed = client.get(address(game, state, **{"try": "p1 pass"})).text
    assert "Whatever lies face down, it is not allowed." in passed


def test_a_link_to_give_away_keeps_the_move(client: PageClient) -> None:
    game = LIBRARY.games["border"].game
    state = game.parse_position("first active=p1 rolls=3 dice=GGGYB p1=2 p2=3 p3=4 p4=1")
    html = client.get(address(game, state, **{"try": "p1 cross G1 G2"})).text
    (shared,) = re.findall(r'id="share" class="[^"]*" href="([^"]*)"', html)
    opened = client.get(client.get(unescape(shared), 302).headers["Location"]).text
    assert "verdict-no" in opened


@each_game
def test_all_legal_moves_are_counted_and_lead_to_a_yes(client: PageClient, game: str) -> None:
    engine = LIBRARY.games[game].game
    state = max(
        (step.before for _, step in steps(game) if CHANCE not in engine.turn(step.before)),
        key=lambda state: len(engine.moves(state)),
    )
    html = client.get(address(engine, state, list="1")).text
    listed = referee(game).legal(state)
    assert f"{len(listed)} legal move" in html
    tried = [link for link in links(html[html.index('class="legal"') :]) if "try=" in link][: len(listed)]
    for link in tried[:8]:
        assert "verdict-yes" in client.get(link).text


# Playing on


def test_a_game_is_played_asked_undone_and_begun_again(client: PageClient) -> None:
    start = "/en/border/referee?at=1.roll+active=p1+p1=1+p2=2"
    html = client.get(f"{start}&try=p1+roll").text
    play = re.search(r'id="play"[^>]*href="([^"]*)"', html)
    assert play
    html = client.get(unescape(play[1])).text
    assert "Dice rolling" in html
    roll = re.search(r'id="roll"[^>]*href="([^"]*)"', html)
    undo = re.search(r'id="undo"[^>]*href="([^"]*)"', html)
    assert roll
    assert undo
    rolled = client.get(unescape(roll[1]), 302).headers["Location"]
    assert re.search(r"moves=p1\+roll;dice\+[GYBRON]{5}$", rolled)
    assert "First action" in client.get(rolled).text
    chosen = client.get(unescape(roll[1]).replace("chance=roll", "chance=choose&part=G" + "&part=R" * 4), 302)
    assert chosen.headers["Location"].endswith("dice+GRRRR")
    assert unescape(undo[1]) == start
    assert 'id="undo"' not in client.get(start).text


@each_game
@pytest.mark.slow
def test_a_random_game_by_links_alone(client: PageClient, monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    """Whatever the page offers is answered, and its address never grows beyond what is let in."""
    chosen = random.Random(5)
    monkeypatch.setattr("tutor.web.site.table._dice", chosen)
    engine = LIBRARY.games[game].game
    players = min(3, engine.options["players"].schema()["maximum"])
    here = client.get(f"/it/{game}/referee?new=1&players={players}", 302).headers["Location"]
    kinds: set[str] = set()
    for _ in range(120):
        assert len(here) < LONGEST_ADDRESS_CHARS
        answer = client.client.get(here)
        if answer.status_code == 302:
            here = urljoin(here, answer.headers["Location"])
            continue
        html = client.get(here).text
        found = {
            name: unescape(link)
            for name, link in re.findall(r'<a id="([\w-]+)"[^>]*? href="([^"]*/referee\?[^"]*)"', html)
        }
        leads_on = [found[name] for name in ("play", "roll") if name in found]
        away = ("other", "reset", "undo", "edit", "lang-it", "lang-pl", "lang-es", "lang-en")
        others = [link for name, link in found.items() if name not in away]
        others += 50 * [found["list"]] if "list" in found else []
        others += 50 * links(html[html.index('class="legal"') :])[:5] if 'class="legal"' in html else []
        if not others and not leads_on:
            break
        here = chosen.choice(leads_on) if leads_on and chosen.random() < 0.9 else chosen.choice(others)
        kinds |= found.keys()
    assert {"play", "undo", "list", "seat-1"} <= kinds
    assert ("edit" in kinds) == (game in having("setup"))
    hidden = any(engine.view(state, seat) != state for state in positions(game) for seat in (1, 2))
    assert ("see" in kinds) == hidden


def test_a_long_history_becomes_the_beginning(client: PageClient) -> None:
    game = LIBRARY.games["border"].game
    dice, state = random.Random(3), game.setup({"players": 2, "first": 1})
    start, moves = state, list[str]()
    while len(moves) < 45:
        move = game.chance(state, dice) if game.turn(state) == (CHANCE,) else dice.choice(game.moves(state))
        state = game.play(state, move)
        moves.append(game.format_move(move))
    html = client.get(address(game, start, moves=";".join(moves))).text
    expected = escape(pack(game.format_position(state)))
    table = html[html.index('id="screen"') :]
    assert len(links(table)) > 5
    assert all(f"at={expected}" in link and "moves=" not in link for link in links(table))
    too_many = ";".join(["p1 done"] * 61)
    assert "60" in client.get(address(game, start, moves=too_many), 400).text


@each_game
def test_a_new_table_takes_the_options_of_its_game(client: PageClient, game: str) -> None:
    engine = LIBRARY.games[game].game
    page = client.get(f"/en/{game}/referee").text
    assert 'name="players"' in page
    where = client.get(f"/en/{game}/referee?new=1&players=2", 302).headers["Location"]
    at = re.search(r"at=([^&]*)", where)
    assert at
    client.get(where)
    assert "whole number" in client.get(f"/en/{game}/referee?new=1&players=99", 400).text
    assert "whole number" in client.get(f"/en/{game}/referee?new=1&players=x", 400).text
    assert engine.options


def test_uptown_and_the_open_joker_can_be_agreed(client: PageClient) -> None:
    where = client.get("/en/blockers/referee?new=1&players=3&edition=uptown&open_joker=1", 302)
    assert "edition=uptown" in where.headers["Location"]
    assert "joker=open" in where.headers["Location"]


def test_a_seat_sees_no_more_than_its_own(client: PageClient) -> None:
    at = "1.place next=red p1=red p2=blue p3=green red=1,2,3,4,5 blue=6,7,8,9,A green=B,C,D,E,F"
    everything = client.get(f"/en/blockers/referee?{urlencode({'at': at})}").text
    own = client.get(f"/en/blockers/referee?{urlencode({'at': at, 'see': 'own', 'seat': '2'})}").text
    assert 'aria-label="Red 1"' in everything
    assert 'aria-label="Blue 6"' in everything
    assert 'aria-label="Red 1"' not in own
    assert 'aria-label="Blue 6"' in own


def test_any_seat_may_try_and_is_told_whose_turn_it_is(client: PageClient) -> None:
    html = client.get("/en/border/referee?at=1.roll+active=p1+p1=1+p2=2&seat=2").text
    assert 'id="seat-2" class="chip" href' in html
    refused = client.get("/en/border/referee?at=1.roll+active=p1+p1=1+p2=2&seat=2&try=p2+roll").text
    assert "#border.roll.active" in refused


# Setting up


def border_changes(game: Border, goal: State) -> Iterator[str]:
    geometry = game.geometry
    for seat, number in enumerate(goal.boards, 1):
        yield f"board p{seat} {number}"
    for seat, crosses in enumerate(goal.crosses, 1):
        yield from (f"cross p{seat} {space}" for space in geometry.spaces(crosses & ~geometry.white))
    yield f"turn p{goal.active}" if goal.active else "phase start"
    yield f"phase {goal.phase}"
    if goal.rolls:
        yield f"rolls {goal.rolls}"
    for i, letter in enumerate(goal.dice.replace("?", "")):
        yield from [f"die {i + 1}"] * (("GYBRON".index(letter) - i) % 6)
    for seat in range(1, len(goal.boards) + 1):
        yield from (f"use p{seat} {i + 1}" for i in indices(goal.spent[seat - 1]))
        if goal.phase == SECOND and goal.done >> seat & 1 and seat != goal.active:
            yield f"done p{seat}"


def border_repairs(game: Border, now: State, goal: State) -> Iterator[str]:
    """What cannot be known from the crosses: who was first at an area, and whether that was just now."""
    areas = [area.id for area in game.geometry.areas]
    for seat, (high, wanted) in enumerate(zip(now.high, goal.high, strict=True), 1):
        yield from (f"circle p{seat} {areas[i]}" for i in indices(high ^ wanted))
    if goal.phase in ("first", "second"):
        yield from (f"fresh {areas[i]}" for i in indices(now.taken ^ goal.taken))


def blockers_changes(game: Blockers, goal: State) -> Iterator[str]:
    colours = goal.table.colours
    for cell, bit in CELLS.items():
        here = goal.tiles[bit.bit_length() - 1]
        if here:
            yield f"put {colours[(here - 1) // FACES]} {game.box.faces[(here - 1) % FACES]} {cell}"
    for seat, pile in enumerate(goal.piles, 1):
        for c, colour in enumerate(colours):
            for tile in game.box.tiles(pile >> c * FACES & (1 << FACES) - 1):
                yield f"pile p{seat} {colour} {tile}"
    for c, colour in enumerate(colours):
        yield from (f"rack {colour} {tile}" for tile in game.box.tiles(goal.racks[c]))
    yield f"first p{goal.first}"
    yield f"phase {goal.phase}"
    if goal.phase != "over":
        facts = game.facts(goal)
        yield f"next {facts['colour']}"
        yield f"round {facts['round']}"


def confini_changes(game: Confini, goal: State) -> Iterator[str]:
    for seat, name in enumerate(goal.characters, 1):
        yield f"character p{seat} {name}"
    for limit in goal.limits:
        yield f"lay {named(game, limit.card)} {limit.arc} p{limit.placer}"
    for seat in range(1, len(goal.level) + 1):
        i, player = seat - 1, f"p{seat}"
        yield f"level {player} {min(goal.level[i], 4)}"
        for place in ("equip", "kept"):
            yield from (
                f"give {player} {place} {named(game, card)}" for card in bits(getattr(goal, place)[i])
            )
        if goal.level[i]:
            yield from [f"eco {player} {'+' if goal.eco[i] > 3 else '-'}"] * abs(goal.eco[i] - 3)
        yield from [f"spago {player} +"] * goal.spago[i]
    yield f"turn p{goal.active}"
    yield from ["round +"] * (goal.round - 1)
    yield from fight_changes(game, goal, goal.fight) if goal.fight else (f"phase {goal.phase}",)
    if goal.draws:
        yield f"draws {goal.draws}"
    if goal.held >= 0:
        yield f"hold {named(game, goal.held)}"
    for seat, hand in enumerate(goal.hand, 1):
        yield from (f"give p{seat} hand {named(game, card)}" for card in bits(hand))


def fight_changes(game: Confini, goal: State, fight: Fight) -> Iterator[str]:
    yield "fight smoke" if fight.smoke else f"fight {named(game, fight.card)}"
    if not fight.smoke:
        yield f"placer p{fight.placer}"
        yield f"phase {goal.phase}"
    yield from (f"reveal {named(game, card)}" for card in fight.revealed)
    yield from ["declare +"] * fight.eco
    for play in fight.stack:
        yield f"stack p{play.seat} {named(game, play.card)}" + (f" p{play.target}" if play.target else "")
    if fight.turn:
        yield f"answer p{fight.turn}"


def named(game: Confini, card: int) -> str:
    """A card without the number of its copy."""
    return game.box.cards[card].id.partition("#")[0]


def apart_from_copies(text: str) -> str:
    """Copies of a card are one as good as the other, and what was discarded cannot be set up."""
    text = re.sub(r" (discard|pile|last|first|guard|rounding|steadied|looks)\d?=\S+", "", text)
    text = re.sub(r" deck=\S+", "", text)
    text = re.sub(r"#[\d.]+", lambda found: "#" + str(found[0].count(".") + 1), text)
    return re.sub(r"(limits=\S+)", lambda found: re.sub(r"(?<=[=,])\d+:|:\d+(?=,|$)", "", found[1]), text)


def set_up(game: Game, changes: Iterator[str], state: State) -> State:
    """Every position in between travels in an address, as on the page."""
    made = setup_of(game)
    for change in changes:
        state = game.draft(unpack(pack(game.format_position(made.do(state, change)))))
    return state


@pytest.mark.patient
@pytest.mark.slow
def test_every_position_of_the_border_can_be_set_up_from_an_empty_table() -> None:
    game = LIBRARY.games["border"].game
    assert isinstance(game, Border)
    tried = 0
    for goal in positions("border"):
        if "?" in goal.dice and goal.dice != "?????":
            continue  # some dice in the air, others not: that is played
        state = set_up(game, border_changes(game, goal), game.setup({"players": len(goal.boards)}))
        state = set_up(game, border_repairs(game, state, goal), state)
        # Which crosses are the latest is seen in play; whoever sets a position up is not asked for it.
        assert game.format_position(state) == game.format_position(goal._replace(recent=state.recent))
        tried += 1
    assert tried > 250


@pytest.mark.patient
def test_every_position_of_blockers_can_be_set_up_from_an_empty_table() -> None:
    game = LIBRARY.games["blockers"].game
    assert isinstance(game, Blockers)
    tried = 0
    for goal in positions("blockers"):
        if goal.phase not in blockers_setup.PHASES:
            continue
        start = game.setup({**game.agreed(goal), "first": 1})
        state = set_up(game, blockers_changes(game, goal), start)
        assert game.format_position(state) == game.format_position(goal)
        assert game.parse_position(game.format_position(state)) == goal
        tried += 1
    assert tried > 300


@pytest.mark.patient
def test_every_position_of_confini_can_be_set_up_from_an_empty_table() -> None:
    """But for the choices that a card asks for in the middle of its effects: those are played."""
    game = LIBRARY.games["confini"].game
    assert isinstance(game, Confini)
    tried: Counter[str] = Counter()
    for goal in positions("confini"):
        won = goal.phase == "over" and 5 in goal.level
        if goal.phase in ("roll", "pick", "result") or goal.queue or is_view(goal) or goal.round > 99 or won:
            continue
        start = game.setup({**game.agreed(goal), "first": 1})
        state = set_up(game, confini_changes(game, goal), start)
        assert apart_from_copies(game.format_position(state)) == apart_from_copies(game.format_position(goal))
        tried[f"{goal.phase} {goal.fight.kind}" if goal.fight else "turn"] += 1
    assert tried["turn"] > 150
    assert min(tried[f] for f in ("eco limit", "cards limit", "cards smoke", "reveal smoke")) > 5, tried


FIGHT_ROWS = {*confini_setup.ConfiniSetup.fight_rows, "phase"}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.patient
def test_every_tool_of_a_fight_leads_to_a_position_that_a_game_can_reach(seed: int) -> None:
    """From any turn of a scenario, a random hand sets up fights; the referee can judge each of them."""
    game = LIBRARY.games["confini"].game
    assert isinstance(game, Confini)
    made, chosen, words = setup_of(game), random.Random(seed), LIBRARY.games["confini"].words["en"]
    starts = [
        at for at in positions("confini") if at.phase == "challenge" and not is_view(at) and not at.queue
    ]
    seen: Counter[str] = Counter()
    for start in starts[:12]:
        state = start
        for _ in range(40):
            rows = made.rows(state, chosen.choice(range(1, len(state.level) + 1)), (), words)
            fight = [row for row in rows if row.id in FIGHT_ROWS]
            if state.fight:  # stay there most of the time, and leave it by its own tool
                fight = [row for row in fight if row.id not in ("fight", "phase") or chosen.random() < 0.3]
            tools = [(row.id, tool.do) for row in fight for tool in row.tools if tool.do]
            tools = [(row, do) for row, do in tools if row != "phase" or do in ("phase eco", "phase cards")]
            if not tools:
                continue
            row = chosen.choice(sorted({row for row, _ in tools}))
            offered = [do for name, do in tools if name == row]
            smoke = "fight smoke" in offered and chosen.random() < 0.4  # one among many Limits
            do = "fight smoke" if smoke else chosen.choice(offered)
            state = made.do(state, do)
            text = game.format_position(state)
            assert game.parse_position(text) == state, (do, text)
            assert game.turn(state)
            seen[row] += 1
    assert set(seen) == FIGHT_ROWS
    assert min(seen.values()) > 5, seen


def test_a_fight_that_is_called_off_leaves_the_table_as_it_was() -> None:
    game = LIBRARY.games["confini"].game
    assert isinstance(game, Confini)
    made = setup_of(game)
    text = "challenge active=p1 round=2 p1=andrea p2=vasco p1.hand=EV02 p2.hand=EV03 limits=NW1:p2:L1-PRE-B"
    before = game.parse_position(text)
    state = before
    for change in (
        "fight L1-PRE-B",
        "phase cards",
        "stack p2 EV03",
        "stack p1 EV02",
        "declare +",
        "fight none",
    ):
        state = made.do(state, change)
    assert game.format_position(state) == game.format_position(before)
    smoke = made.do(made.do(before, "level p1 4"), "fight smoke")
    assert smoke.level == (5, 1)
    assert made.do(smoke, "fight none").level == (4, 1)
    assert made.do(smoke, "phase hand").level == (4, 1)


@pytest.mark.parametrize(
    ("last", "change"),
    [
        ("p1,L1-INV-B,1,0,0,1,1,0", "character p1 ottilia"),
        ("p1,L1-INV-B,1,0,0,1,1,0", "level p1 0"),
        ("p2,L1-PRE-B,99,99,99,1,1,99", "round +"),
        ("p1,smoke,4,2,0,0,0,0,2,2", "round +"),
    ],
)
def test_a_last_fight_that_cannot_have_been_is_forgotten_at_the_set_up(last: str, change: str) -> None:
    game = LIBRARY.games["confini"].game
    table = "start active=p2 round=3 p1=andrea p2=vasco p3=van-ross last="
    assert setup_of(game).do(game.draft(table + last), change).last is None
    right = game.parse_position(f"{table}p1,L1-INV-B,1,0,0,1,1,0")
    assert setup_of(game).do(right, "round +").last == right.last


@each_language
def test_what_cannot_be_in_a_fight_is_told(client: PageClient, lang: str) -> None:
    """A card on the stack whose target has lost its Twine since."""
    game = LIBRARY.games["confini"].game
    state = game.parse_position(
        "challenge active=p1 round=2 p1=andrea p2=vasco p2.spago=2 limits=NW1:p2:L1-PRE-B"
    )
    for change in ("fight L1-PRE-B", "phase cards", "stack p1 CUT p2", "spago p2 -"):
        state = setup_of(game).do(state, change)
    with pytest.raises(InvalidPosition) as caught:
        game.parse_position(game.format_position(state))
    assert caught.value.code == "position.fight"
    words = COURSES["confini"].words_at(lang, state)
    html = unescape(client.get(address(game, state, lang)).text)
    assert words.errors["position.fight"].text(words, caught.value.values) in html
    assert 'class="tools"' in html


def test_no_card_of_confini_is_lost_while_a_table_is_set_up() -> None:
    game = LIBRARY.games["confini"].game
    assert isinstance(game, Confini)
    made, chosen = setup_of(game), random.Random(4)
    state, every = game.setup({"players": 3}), sum(game.box.homes)
    words, dropped = LIBRARY.games["confini"].words["en"], 0
    for _ in range(400):
        rows = made.rows(state, chosen.randint(1, 3), (), words)
        changes = [tool.do for row in rows for tool in row.tools if tool.do]
        changes += [f"lift {limit.handle}" for limit in state.limits]
        free = [tool.picks[0] for row in rows for tool in row.tools if tool.picks]
        changes += [f"lay {limit} {chosen.choice(game.box.arcs)} p1" for limit in free[:3]]
        change = chosen.choice(changes)
        dropped += change.startswith(("drop", "lift"))
        state = made.do(state, change)
        assert shown_cards(state) == every, change
    assert dropped > 5


@pytest.mark.parametrize("home", confini_setup.HOMES)
def test_a_deck_that_has_run_out_is_set_up_and_filled_again(home: str) -> None:
    game = LIBRARY.games["confini"].game
    assert isinstance(game, Confini)
    made, words = setup_of(game), LIBRARY.games["confini"].words["en"]
    before = game.parse_position("equip active=p1 p1=andrea p2=vasco p1.level=2")
    empty = made.do(before, f"empty {home}")
    assert f"{home}=none" in game.format_position(empty)
    (left,) = (row for row in made.rows(empty, 1, (), words) if row.id == "left")
    assert [tool.do for tool in left.tools if tool.on] == [f"empty {home}"]
    assert [tool.label for tool in left.tools if ": 0" in tool.label] == [
        tool.label for tool in left.tools if tool.on
    ]
    assert made.do(empty, f"empty {home}") == before
    # The pile of the active player's level is refilled as soon as a card of it is due.
    after = game.play(empty, next(move for move in game.moves(empty) if move.act == "done"))
    assert after.piles[1].bit_count() == before.piles[1].bit_count()


def test_the_referee_shows_whoever_acts_and_marks_only_their_board(client: PageClient) -> None:
    game = LIBRARY.games["border"].game
    state = game.parse_position("second active=p1 rolls=1 dice=GGGYB p1=1 p2=3")
    edited = client.get(address(game, state, edit="1", seat="1")).text
    (judge,) = re.findall(r'id="judge"[^>]*href="([^"]*)"', edited)
    table = client.get(unescape(judge)).text
    assert re.search(r'id="seat-2"[^>]*aria-current="true"', table)
    assert 'id="see"' not in table, "nothing is hidden in The Border"
    asked = {"try": "p2 cross E6"}
    assert 'class="tried"' in client.get(address(game, state, **asked)).text
    assert 'class="tried"' not in client.get(address(game, state, seat="1", **asked)).text
    new = client.get("/en/blockers/referee?new=1&players=3", 302).headers["Location"]
    assert 'id="see"' in client.get(new).text
    assert client.get("/en/blockers/referee?new=1&players=2&first=5", 302), "chance decides"
    start = client.get("/en/blockers/referee").text
    assert re.findall(r'<option value="(\d)" (selected)?', start)[:4] == [
        ("2", ""), ("3", ""), ("4", "selected"), ("5", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("players", "told"),
    [
        ("p1=red p2=yellow p3=blue", ["Sarah: 0 → 1 group"]),
        ("p1=red+blue p2=yellow+green", ["Red: 0 → 1 group", "Sarah: 1 → 2 groups"]),
    ],
)
def test_what_changes_for_an_only_colour_is_told_of_its_player(players: str, told: list[str]) -> None:
    course = COURSES["blockers"]
    game = course.book.game
    state = game.parse_position(f"place round=2 next=red {players} red=5,8,B,H,star blue=?????:7@G7")
    referee = Referee(game, course.texts["en"], course.words_at("en", state, ()))
    changes = referee.ask(state, game.parse_move("p1 red B B4")).changes
    assert [change.text.replace("\u00a0", " ") for change in changes] == told


@each_set_up
def test_a_change_that_means_nothing_is_told_so(client: PageClient, game: str) -> None:
    engine = LIBRARY.games[game].game
    state = next(positions(game))
    for change in ("fly", "phase", "phase nowhere", "phase place place place", "turn p9", "x" * 99, "é ü"):
        with pytest.raises(InvalidMove):
            setup_of(engine).do(state, change)
        answer = client.get(address(engine, state, edit="1", do=change), 400)
        assert unescape(answer.text).count("is not a move in this game") == 1


def openings(game: str) -> list[State]:
    """Positions of the scenarios that show player 1 every row of tools between them."""
    found, shown = list[State](), set[str]()
    for _, step in steps(game):
        rows = setup_of(LIBRARY.games[game].game).rows(step.after, 1, (), LIBRARY.games[game].words["pl"])
        if not {row.id for row in rows} <= shown:
            found.append(step.after)
            shown |= {row.id for row in rows}
    return found


@each_set_up
@pytest.mark.slow
def test_setting_up_by_links_and_forms_alone_never_breaks(client: PageClient, game: str) -> None:
    """A random hand touches every tool; the draft is asked about again and again, and is never lost."""
    chosen = random.Random(11)
    engine = LIBRARY.games[game].game
    here = client.get(f"/pl/{game}/referee?players=2&edit=1", 302).headers["Location"]
    fresh = engine.draft(unpack(unquote_plus(here.partition("at=")[2].partition("&")[0])))
    assert engine.turn(fresh) == engine.turn(engine.setup({}))
    starts = [here, *(address(engine, state, "pl", edit="1", seat="1") for state in openings(game))]
    rows, faults = set(), 0
    for number in range(140):
        if number % 14 == 0:
            here = starts[number // 14 % len(starts)]
        html = client.get(here).text
        at = re.search(r'name="at" value="([^"]*)"|at=([^&"]*)', html)
        assert at
        rows |= set(re.findall(r'class="tools-([\w-]+)"', html))
        judged = re.search(r'id="judge"[^>]*href="([^"]*)"', html)
        assert judged
        answer = client.get(unescape(judged[1])).text
        if 'id="judge"' in answer:  # impossible: the fault is named, and the position is still there
            assert "verdict-no" in answer
            faults += 1
        found = [link for link in links(html) if "edit=1" in link and link.startswith("/pl/")]
        found += menus(html, here)
        here = chosen.choice(found)
    assert rows == set(setup_of(engine).rows_known)
    assert faults


def menus(html: str, here: str) -> list[str]:
    """What the forms of a page would send."""
    found = []
    for form in re.findall(r"<form.*?</form>", html, re.DOTALL):
        fields = [(n, unescape(v)) for n, v in re.findall(r'name="(\w+)" value="([^"]*)"', form)]
        name = re.search(r'<select[^>]*name="(\w+)"', form)
        for value in re.findall(r'<option value="([^"]*)"', form):
            if name and value:
                found.append(f"{here.partition('?')[0]}?{urlencode([*fields, (name[1], unescape(value))])}")
    return found


@each_language
def test_an_impossible_position_is_refused_with_its_fault_and_stays_editable(
    client: PageClient, lang: str
) -> None:
    at = "1.first active=p1 rolls=1 dice=GGGYB p1=1:G1 p2=2"
    html = client.get(f"/{lang}/border/referee?{urlencode({'at': at})}").text
    with pytest.raises(InvalidPosition) as caught:
        LIBRARY.games["border"].game.parse_position(unpack(at))
    words = COURSES["border"].words_at(lang, LIBRARY.games["border"].game.draft(unpack(at)))
    assert words.errors[caught.value.code].text(words, caught.value.values) in unescape(html)
    assert escape(at) in html
    assert 'class="tools"' in html


def impossible(game: Game, seed: int) -> Iterator[tuple[State, InvalidPosition]]:
    """Positions that somebody sets up by touching tools at random, and what is wrong with them."""
    made, dice, words = setup_of(game), random.Random(seed), LIBRARY.games[game.id].words["en"]
    state = game.setup({})
    for _ in range(1200):
        seat = dice.randint(1, game.seats(state))
        tools = [tool.do for row in made.rows(state, seat, (), words) for tool in row.tools if tool.do]
        state = made.do(state, dice.choice(tools))
        try:
            game.parse_position(game.format_position(state))
        except InvalidPosition as fault:
            yield state, fault
        if dice.random() < 0.03:
            state = game.setup({})


@each_set_up
@pytest.mark.patient
def test_what_is_wrong_with_a_position_is_told_in_words_of_the_table(game: str) -> None:
    engine, told = LIBRARY.games[game].game, set()
    for state, fault in impossible(engine, 7):
        for lang in LANGUAGES:
            words = COURSES[game].words_at(lang, state)
            said = words.errors[fault.code].text(words, fault.values)
            assert not re.search(r"=|\bp[1-9]\b|\w\.\w|fresh", said), (fault, said)
            assert lang == "en" or not re.search(r"\b(red|green|yellow|violet)\b", said), (fault, said)
            told.add(said)
    assert len(told) >= len(LANGUAGES)


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "Andrea has too little Twine to advance, so the turn goes straight on to the hand check."),
        ("it", "Andrea ha troppo poco Spago per avanzare: si passa subito al controllo della mano."),
        ("pl", "Andrea ma za mało Sznurków, żeby awansować, więc od razu sprawdza się limit kart na ręce."),
        (
            "es",
            "Andrea no tiene Cordeles suficientes para avanzar: se pasa directamente al control de la mano.",
        ),
    ],
)
def test_a_phase_with_nothing_to_do_says_what_comes_instead(client: PageClient, lang: str, said: str) -> None:
    at = "1.advance active=p1 round=5 p1=andrea p1.spago=1 p2=vasco"
    html = unescape(client.get(f"/{lang}/confini/referee?{urlencode({'at': at})}").text)
    assert said in html.replace("\u00a0", " ")


def test_every_row_and_every_change_that_is_told_has_its_phrase(library: Library) -> None:
    for game, book in library.games.items():
        for words in book.words.values():
            for row in setup_of(book.game).rows_known:
                assert f"set-{row}" in words.phrases, (game, words.lang, row)
                assert words.phrase(f"set-{row}", player="p1")


@each_language
def test_a_limit_is_chosen_by_name_value_and_flaw(client: PageClient, lang: str) -> None:
    html = client.get(
        f"/{lang}/confini/referee?{urlencode({'at': '1.start p1=andrea p2=vasco', 'edit': '1'})}"
    )
    menu = unescape(re.findall(r'<select id="menu-limit".*?</select>', html.text, re.DOTALL)[0])
    flaws = [LIBRARY.games["confini"].words[lang].word(f) for f in ("greed", "envy", "prejudice", "pride")]
    nothing, *offered = re.findall(r">([^<>]+)</option>", menu)
    assert nothing.endswith("…")
    assert len(offered) == len(set(offered)) == 48
    assert Counter(one.rpartition("(")[2].rstrip(")") for one in offered) == dict.fromkeys(flaws, 12)


@each_language
def test_a_limit_shows_who_placed_it_and_its_row_whose_it_will_be(client: PageClient, lang: str) -> None:
    at = "1.start active=p1 p1=andrea p2=vasco p3=van-ross"
    lay = {"at": at, "edit": "1", "seat": "3", "do": "lay L1-CUP-A NW1 p3"}
    html = unescape(client.get(f"/{lang}/confini/referee?{urlencode(lay)}").text)
    # The colour is that of the character, whatever the seat.
    placers = re.findall(r'class="limit-placer seat-(\d)".*?class="limit-initial"[^>]*>([^<]+)<', html)
    assert placers == [("1", "VR")]
    label = re.search(r'<dt id="set-limit">([^<]+)</dt>', html)
    assert label is not None
    assert "Van Ross" in label[1].replace("\u00a0", " ")


def test_dice_have_the_gender_of_dice(library: Library) -> None:
    book = library.games["border"]
    state = book.game.parse_position("first active=p1 rolls=1 dice=GGGYB p1=1 p2=2")
    made = setup_of(book.game)
    (used,) = (row for row in made.rows(state, 1, (), book.words["pl"]) if row.id == "used")
    assert [tool.label for tool in used.tools] == ["1 szara", "2 szara", "3 szara", "4 żółta", "5 niebieska"]
    assert made.name("faces", "G", book.words["pl"]) == "szara"


def test_a_game_without_tools_is_judged_all_the_same() -> None:
    made: Any = setup_of(nim.book().game)
    assert made.rows(None, 1, (), None) == []
    with pytest.raises(InvalidMove):
        made.do(None, "cross p1 C3")


# In a browser


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium")
@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_a_table_from_the_first_touch_to_the_next_player(
    open_page: Open, size: tuple[int, int], script: bool
) -> None:
    """A move is touched, answered and made; dice are rolled; the position is changed and shared."""
    page = open_page(viewport={"width": size[0], "height": size[1]}, java_script_enabled=script)
    page.goto("/en/border/referee?at=1.first+active=p1+rolls=3+dice=GGGYB+p1=2+p2=3")
    for space in ("G1", "G2"):
        page.locator(f"#space-{space}").click()
        expect(page.locator(f"#space-{space}")).to_have_class("space picked")
    page.locator("#do-cross").click()
    expect(page.locator(".verdict-no")).to_contain_text("H1")
    if script:
        expect(page.locator("#say")).to_contain_text("Not allowed.")
    page.locator(".nearest a").first.click()
    expect(page.locator(".verdict-yes")).to_be_visible()
    page.locator("#play").click()
    expect(page).to_have_url(re.compile(r"moves=p1\+cross\+G1\+G2\+H1"))
    page.locator("#do-done").click()
    page.locator("#play").click()
    expect(page.locator("h1")).to_contain_text("Emma")
    page.locator("#undo").click()
    expect(page.locator("h1")).to_contain_text("Sarah")
    page.locator("#edit").click()
    expect(page.locator(".tools")).to_be_visible()
    page.locator("#die-1").click()
    expect(page.locator("#die-1")).to_have_attribute("aria-label", re.compile("yellow"))
    page.locator("#judge").click()
    expect(page.locator(".verdict-no")).to_contain_text("Sarah")  # a grey die was used for these crosses
    page.goto("/en/border/referee?at=1.roll+active=p1+p1=2+p2=3&moves=p1+roll")
    page.locator("#part-1").select_option("R")
    page.locator("#choose").click()
    expect(page).to_have_url(re.compile(r"moves=p1\+roll;dice\+RGGGG"))
    page.locator("#undo").click()
    page.locator("#roll").click()
    expect(page).to_have_url(re.compile(r"moves=p1\+roll;dice\+[GYBRON]{5}"))


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium")
@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 720}, {"width": 360, "height": 640}])
def test_dice_are_rolled_by_one_key(open_page: Open, viewport: dict[str, int]) -> None:
    """From the button to the next decision: each press of Enter finds the focus at what comes next."""
    page = open_page(viewport=viewport)
    page.goto("/pl/border/referee?at=1.roll+active=p1+p1=1+p2=2+p3=3+p4=4")
    page.locator("#do-roll").focus()
    for there in ("#play", "#roll", "h1"):
        page.keyboard.press("Enter")
        expect(page.locator(f"#screen {there}")).to_be_focused()
    expect(page.locator("#die-1")).to_be_visible()
    # So is what comes of them.
    page.locator("#die-1").press("Enter")
    expect(page.locator("#die-1.picked")).to_be_visible()
    page.locator("#do-reroll").press("Enter")
    expect(page.locator("#play")).to_be_focused()
    # Whoever leaves it is not sent there again.
    page.locator("#leave").press("Enter")
    expect(page.locator(".verdict")).to_have_count(0)
    expect(page.locator("#screen h1")).to_be_focused()


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium")
def test_whoever_is_faster_than_the_answers_loses_nothing(open_page: Open) -> None:
    """What is touched before the first is answered is touched on the new board; twice the same is once."""
    page = open_page(viewport={"width": 390, "height": 844})
    page.goto("/en/border/referee?edit=1&at=1.first+active=p1+rolls=3+dice=GGGYB+p1=2+p2=3")
    held: list[Route] = []
    page.route("**/referee?**", lambda route: held.append(route), times=1)
    for name in ("B1", "C1", "C1", "D1"):
        page.locator(f"#space-{name}").click()
    page.locator(".tools-rolls .chip").first.click()
    assert len(held) == 1
    held[0].continue_()
    expect(page.locator(".tools-rolls .chip").first).to_have_attribute("aria-current", "true")
    expect(page.locator("#judge")).to_have_attribute("href", re.compile("p1=2:B1,C1,D1"))


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium")
def test_a_card_that_is_chosen_is_there_once(open_page: Open) -> None:
    """Also the first of the menu, and no button beside it makes a second."""
    page = open_page(viewport={"width": 390, "height": 844})
    page.goto("/en/confini/referee?edit=1&at=1.start+active=p1+p1=andrea+p2=vasco")
    for number in (1, 2):
        page.locator("#menu-add-hand").select_option(index=1)
        expect(page.locator(".tools-hand .chip")).to_have_count(number)
    expect(page.locator("#menu-add-hand")).to_have_value("")
    expect(page.locator("[data-tools] form button:visible")).to_have_count(0)


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium")
def test_a_choice_that_is_changed_before_it_is_answered_is_the_last(open_page: Open) -> None:
    page = open_page(viewport={"width": 390, "height": 844})
    page.goto("/en/confini/referee?edit=1&at=1.start+active=p1+round=2+p1=andrea+p2=vasco")
    held: list[Route] = []
    page.route("**/referee?**", lambda route: held.append(route))

    def asked(count: int) -> Route:
        while len(held) < count:
            page.wait_for_timeout(20)
        return held[count - 1]

    page.locator("#menu-phase").select_option("phase hand")
    first = asked(1)
    page.locator("#menu-phase").select_option("phase advance")
    first.continue_()
    asked(2).continue_()  # made on the new table, as soon as that is there
    expect(page.locator("#menu-phase option[selected]")).to_have_attribute("value", "phase advance")


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium")
def test_tools_stay_under_the_thumb(open_page: Open) -> None:
    page = open_page(viewport={"width": 390, "height": 844})
    page.goto("/en/border/referee?edit=1&at=1.first+active=p1+rolls=3+dice=GGGYB+p1=2+p2=3")
    wanted = page.locator(".tools-board .chip", has_text="4")
    wanted.scroll_into_view_if_needed()
    before = page.evaluate("document.querySelector('[data-tools]').scrollTop")
    assert before > 0
    wanted.click()
    expect(wanted).to_have_attribute("aria-current", "true")
    # It is put back when the new tools have settled, a moment after they are there.
    there = "before => Math.abs(document.querySelector('[data-tools]').scrollTop - before) < 2"
    page.wait_for_function(there, arg=before)


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium")
@pytest.mark.parametrize("script", [True, False])
def test_a_fight_is_set_up_with_one_hand_and_judged(open_page: Open, script: bool) -> None:
    """A Limit is chosen, Echo declared and a card played against it; then the answer is asked for."""
    page = open_page(viewport={"width": 390, "height": 844}, java_script_enabled=script)
    page.goto("/en/confini/referee?edit=1&at=1.start+active=p1+round=2+p1=andrea+p2=vasco+p2.spago=2")

    def take(row: str, change: str) -> None:
        page.locator(f"#menu-{row}").select_option(change)
        if script:
            expect(page.locator(f"#take-{row}")).to_be_hidden()
        else:
            page.locator(f"#take-{row}").click()

    take("fight", "fight L2-CUP-A")
    expect(page.locator(".fight")).to_contain_text("Golden Hands")
    expect(page.locator("#menu-phase")).to_have_value("phase eco")
    take("phase", "phase cards")
    page.locator(".tools-declare .chip").last.click()
    expect(page.locator(".tools-declare .chip-count")).to_have_text("1")
    page.locator("#seat-2").click()
    take("add-stack", "stack p2 EV03")
    expect(page.locator(".fight .stack")).to_contain_text("Thick Fog (Vasco)")
    expect(page.locator(".tools-answer [aria-current]")).to_have_text("Andrea")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.locator("#judge").click()
    expect(page.locator("h1")).to_contain_text("Andrea")
    page.locator("#seat-1").click()
    page.locator("#do-pass").click()
    expect(page.locator(".verdict-yes")).to_be_visible()
    page.locator("#leave").click()
    page.locator("#edit").click()
    take("fight", "fight none")
    expect(page.locator("#menu-phase")).to_have_value("phase challenge")
    expect(page.locator(".fight")).to_have_count(0)


@pytest.mark.parametrize(
    ("lang", "said"), [("en", " (red)"), ("it", " (rosso)"), ("pl", " (czerwony)"), ("es", " (rojo)")]
)
def test_with_two_players_the_colour_to_move_is_said(lang: str, said: str) -> None:
    """Each of them has two; with more players everybody has one."""
    course = COURSES["blockers"]
    for scenario, named in (("two-players-stuck", True), ("there-and-back", False)):
        run = course.runs[scenario]
        words = course.words_at(lang, run.start, run.scenario.file.players)
        [acting] = Referee(course.book.game, course.texts[lang], words).standing(run.start).players
        assert acting.endswith(said) is named


@each_language
def test_the_smoke_has_a_value_and_no_challenge_value(lang: str) -> None:
    course = COURSES["confini"]
    game, words = course.book.game, course.book.words[lang]
    limits = course.texts[lang].entries["confini.fight.value"].title
    for scenario, step in (("smoke-challenge", "win"), ("smoke-lost", "out")):
        played = course.runs[scenario].steps[step]
        state = played.before
        for text in played.file.play[:-1]:
            state = game.play(state, game.parse_move(text))
        [told, *_] = [words.say_deed(one.deed) for one in game.effects(state, played.after)]
        assert limits not in told
        assert words.word("smoke").split()[-1][:3] in told
