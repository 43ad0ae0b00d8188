"""`tutor referee`: one JSON object in, one out, whatever comes in."""

import io
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.books import LIBRARY
from tests.conftest import damaged, positions
from tutor.book.load import Library
from tutor.book.words import LANGUAGES
from tutor.cli import main
from tutor.games import GAMES
from tutor.referee import programs
from tutor.rules.options import variants

SOAK = int(os.environ.get("TUTOR_SOAK", "1"))
"""How many times more is tried when somebody has the time."""
SARAH = "first active=p1 rolls=3 dice=GGGYB p1=2 p2=3 p3=4 p4=1"


def ask(**request: Any) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(
        programs.answer_line(LIBRARY, json.dumps({"game": "border"} | request))
    )
    return answer


def test_it_replays_moves_and_tells_the_position() -> None:
    answer = ask(start={"players": 2, "first": 1}, moves=["p1 roll", "dice GGGYB"])
    assert answer["position"] == "first active=p1 rolls=1 dice=GGGYB p1=1 p2=2"
    assert answer["turn"] == ["p1"]
    assert answer["facts"]["phase"] == "first"
    assert "legal" not in answer
    assert "verdict" not in answer


def test_it_judges_a_move_with_rule_places_values_and_a_sentence_in_the_language() -> None:
    verdict = ask(start=SARAH, **{"try": "p1 cross G1 G2"}, lang="it")["verdict"]
    assert verdict["ok"] is False
    (reason,) = verdict["reasons"]
    assert reason["rule"] == "border.first.open"
    assert reason["at"] == ["H1"]
    assert reason["args"]["need"] == 3
    assert "H1" in reason["text"]
    assert reason["url"] == "/it/border/rules#border.first.open"


def test_a_legal_move_cites_the_rule_that_allows_it() -> None:
    verdict = ask(start=SARAH, **{"try": "p1 cross G1 G2 H1"})["verdict"]
    assert verdict["ok"] is True
    assert [reason["rule"] for reason in verdict["reasons"]] == [
        "border.first.anywhere",
        "border.first.complete",
    ]


def test_it_lists_every_legal_move() -> None:
    legal = ask(start=SARAH, list=True)["legal"]
    assert sorted(legal) == ["p1 cross D11 D12", "p1 cross G1 G2 H1", "p1 done"]


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"game": "chess"}, "game"),
        ({"start": "nonsense"}, "position.phase"),
        ({"start": {"players": 9}}, "option.number"),
        ({"start": {"hats": 9}}, "option"),
        ({"moves": ["p1 fly"]}, "move"),
        ({"moves": ["p1 roll"]}, "illegal"),
        ({"moves": "p1 roll"}, "request"),
        ({"moves": ["x"] * 9999}, "too-long"),
        ({"lang": "xx"}, "request"),
        ({"hats": 1}, "request"),
        ({"try": 7}, "request"),
    ],
)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_mistake_is_an_answer_with_code_and_message(request_: dict[str, Any], code: str, lang: str) -> None:
    answer = ask(**({"lang": lang} | request_))
    assert answer["error"]["code"] == code
    assert answer["error"]["message"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ('"game": "confini"', "game"),
        ('"start": {"players": 2, "players": 3}', "players"),
        ('"start": {"players": [{"a": 1, "a": 1}]}', "a"),
        ('"moves": [], "moves": 7', "moves"),
        ('"try": null, "tr\\u0079": "p1 roll"', "try"),
        ('"list": true, "list": true', "list"),
    ],
)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_name_that_stands_twice_is_told_in_the_language_of_the_line(
    line: str, name: str, lang: str
) -> None:
    """Nobody can say which of the two was meant."""
    asked = f'{{"game": "border", "lang": "{lang}", {line}}}'
    words = LIBRARY.games["border"].words[lang]
    for sent in (asked, asked.encode()):
        error = json.loads(programs.answer_line(LIBRARY, sent))["error"]
        assert error["code"] == "request.again"
        assert error["message"] == words.errors["request.again"].text(words, {"name": name})
        assert name in error["message"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('{"game": "border", "hats": 1, "lang": "it"}', "request"),
        ('{"lang": "it"}', "request"),
        ('{"game": "border", "game": "border", "lang": "xx"}', "request.again"),
        ('{"game": "border", "game": "border", "lang": {}}', "request.again"),
        ('[{"game": "border", "game": "border"}]', "request.again"),
        ('{"game": "border", "game": "border"', "json"),
        ('{"\\ud800": 1, "\\ud800": 2}', "json"),
        ('{"game": "border", "start": {"players": ' + "9" * 300 + "}}", "option.number"),
    ],
)
def test_what_cannot_be_read_is_told_apart_and_in_the_language_that_it_asks_for(line: str, code: str) -> None:
    error = json.loads(programs.answer_line(LIBRARY, line))["error"]
    assert error["code"] == code
    if code == "request":
        assert error["message"].startswith("La richiesta")


def test_a_refused_move_in_the_history_comes_with_its_verdict() -> None:
    error = ask(start=SARAH, moves=["p1 cross G1"])["error"]
    assert error["code"] == "illegal"
    assert error["verdict"]["reasons"][0]["rule"] == "border.first.open"


@settings(max_examples=200)
@given(
    st.one_of(
        st.text(),
        st.binary(),
        st.recursive(
            st.none() | st.integers() | st.text(max_size=5),
            lambda x: st.lists(x) | st.dictionaries(st.text(), x),
        ).map(json.dumps),
        st.fixed_dictionaries(
            {
                "game": st.just("border"),
                "start": st.text(max_size=40),
                "moves": st.lists(st.text(max_size=12), max_size=3),
            }
        ).map(json.dumps),
    )
)
def test_it_never_dies_on_bad_input(line: str | bytes) -> None:
    answer = json.loads(programs.answer_line(LIBRARY, line))
    assert answer.keys() & {"error", "position"}


@cache
def vocabulary(name: str) -> list[str]:
    """Words of a game's notation, from its description and a random game, and some that are none."""
    game = LIBRARY.games[name].game
    notation = game.describe()["notation"]
    texts = [*notation["moves"], notation["position"]["example"], "p9 Z9 x 99 p1=x active=p9 *=* \u0660"]
    for state, move in positions(game, {}, 1):
        texts += [game.format_position(state), *([game.format_move(move)] if move else ())]
    return sorted({word for text in texts for word in text.split()})


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=150)
@given(data=st.data())
@pytest.mark.slow
def test_half_sense_is_answered_in_every_language(name: str, data: st.DataObject) -> None:
    """Words of the notation put together at random: faults of many kinds, each with a sentence."""
    words = st.lists(st.sampled_from(vocabulary(name)), max_size=9).map(" ".join)
    for lang in LANGUAGES:
        request = {"game": name, "lang": lang, "start": data.draw(words), "moves": [data.draw(words)]}
        for asked in (request, {**request, "start": {}}):
            answer = json.loads(programs.answer_line(LIBRARY, json.dumps(asked)))
            assert answer["error"]["message"] if "error" in answer else answer["position"]


def written(name: str, chosen: random.Random) -> Iterator[str]:
    """Positions that this product writes: along random games as each seat sees them, and in all scenarios."""
    game = LIBRARY.games[name].game
    for options in variants(game.options):
        states = [state for state, _ in positions(game, options, 21)]
        for state in chosen.sample(states, min(3, len(states))):
            yield game.format_position(state)
            yield game.format_position(game.view(state, chosen.randrange(game.seats(state) + 1)))
    for run in LIBRARY.runs[name].values():
        for state in (run.start, *(step.after for step in run.steps.values())):
            yield game.format_position(state)


@pytest.mark.parametrize("name", GAMES)
def test_whatever_the_product_writes_is_answered_in_every_language_and_so_is_what_was_damaged(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    game, chosen = LIBRARY.games[name].game, random.Random(20)
    texts = list(dict.fromkeys(written(name, chosen)))
    pool = [move for _, move in positions(game, {}, 20) if move is not None]
    starts = chosen.sample(texts, min(60, len(texts)))
    for start in [*starts, *(damaged(chosen.choice(texts), texts, chosen) for _ in range(90 * SOAK))]:
        for lang in LANGUAGES:
            tried = game.format_move(chosen.choice(pool))
            request = {"game": name, "start": start, "list": True, "try": tried, "lang": lang}
            answer = json.loads(programs.answer_line(LIBRARY, json.dumps(request)))
            if "error" in answer:
                assert start not in texts, (start, answer)
                assert answer["error"]["code"] != "internal", request
                assert answer["error"]["message"]
            else:
                assert all(reason["text"] for reason in answer["verdict"]["reasons"])
                assert isinstance(answer["legal"], list)
    assert not caplog.records


@pytest.mark.parametrize("name", GAMES)
def test_what_comes_to_mind_is_judged_with_a_sentence(name: str) -> None:
    game, chosen = LIBRARY.games[name].game, random.Random(22)
    states = [state for state, _ in positions(game, {}, 22)]
    for state in chosen.sample(states, min(25, len(states))):
        thought = [move for seat in range(1, game.seats(state) + 1) for move in game.thinkable(state, seat)]
        for move in chosen.sample(thought, min(8, len(thought))):
            start, tried = game.format_position(state), game.format_move(move)
            request = {"game": name, "start": start, "try": tried, "lang": chosen.choice(LANGUAGES)}
            verdict = json.loads(programs.answer_line(LIBRARY, json.dumps(request)))["verdict"]
            assert verdict["ok"] == game.judge(state, move).ok
            assert all(reason["text"] for reason in verdict["reasons"])


@pytest.mark.parametrize("name", GAMES)
def test_a_move_with_a_word_that_nobody_knows_is_answered(name: str) -> None:
    game, chosen = LIBRARY.games[name].game, random.Random(24)
    played = [(state, game.format_move(move)) for state, move in positions(game, {}, 24) if move is not None]
    for state, move in (*played[:20], *chosen.sample(played, min(60 * SOAK, len(played)))):
        words = move.split()
        for i in range(len(words)):
            tried = " ".join([*words[:i], "bob", *words[i + 1 :]])
            request = {"game": name, "start": game.format_position(state), "try": tried}
            answer = json.loads(programs.answer_line(LIBRARY, json.dumps(request)))
            if "error" in answer:
                assert answer["error"]["code"].startswith("move"), answer
            else:
                assert not answer["verdict"]["ok"], tried
                assert all(reason["text"] for reason in answer["verdict"]["reasons"])


HUGE = ["9" * 30, "9" * 5000, "-" + "9" * 30, "1e400", "1" + "0" * 400 + ".5", "0.1", "1e-999"]
DEEP = ["[" * 993 + "]" * 993, '{"a":' * 993 + "1" + "}" * 993]


@pytest.mark.parametrize("value", HUGE + DEEP, ids=lambda value: value[:8])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_huge_numbers_and_deep_nests_are_answered(value: str, lang: str) -> None:
    for line in (
        value,
        f'{{"game": "border", "lang": "{lang}", "start": {{"players": {value}}}}}',
        f'{{"game": "border", "lang": "{lang}", "start": {value}}}',
        f'{{"game": "border", "lang": "{lang}", "moves": [{value}]}}',
        f'{{"game": "border", "lang": "{lang}", "hats": {value}}}',
    ):
        error = json.loads(programs.answer_line(LIBRARY, line))["error"]
        assert error["code"] in ("json", "request", "option", "option.number"), line[:80]
        assert error["message"]


@pytest.mark.patient
def test_the_command_answers_line_by_line() -> None:
    lines = ["nonsense", "", json.dumps({"game": "border", "list": True}), "[" * 100000]
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from tutor.cli import main; sys.exit(main())", "referee"],
        input="\n".join(lines).encode(),
        capture_output=True,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [next(iter(answer)) for answer in answers] == ["error", "position", "error"]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.patient
def test_a_description_holds_rules_notation_and_schema(
    name: str, library: Library, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["referee", "--describe", name]) == 0
    told = json.load(io.StringIO(capsys.readouterr().out))
    book = library.games[name]
    assert set(told["rules"]) == set(book.facts.rules)
    assert {"request", "answer"} == set(told["schema"])
    assert told["options"]["players"]["minimum"] == book.file.players[0]
    for move in told["notation"]["moves"]:
        assert book.game.format_move(book.game.parse_move(move)) == move
    book.game.parse_position(told["notation"]["position"]["example"])


def test_the_description_of_the_border_is_enough_to_play(library: Library) -> None:
    told = programs.describe(library.games["border"])
    assert len(told["spaces"]) == 86
    assert sum(space["white"] for space in told["spaces"].values()) == 2
    for name, space in told["spaces"].items():
        assert all(name in told["spaces"][other]["neighbours"] for other in space["neighbours"])
    assert told["areas"]["villa"]["high"] == 9
    assert len(told["boards"]) == 4
    assert all(len(board["segments"]) == 24 for board in told["boards"].values())


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.patient
def test_a_program_can_play_a_whole_game_through_the_referee(name: str) -> None:
    """It has dice of its own; else it takes one of the legal moves until nobody is to act."""
    game = LIBRARY.games[name].game
    moves: list[str] = []
    chosen = random.Random(1)
    position: Any = {}  # options at first, then a text
    for _ in range(3000):
        line = json.dumps({"game": name, "start": position, "moves": moves, "list": True})
        answer = json.loads(programs.answer_line(LIBRARY, line))
        assert "error" not in answer, answer
        if not answer["turn"]:
            assert answer["facts"]["winners"]
            return
        position, moves = answer["position"], [chosen.choice(answer["legal"] or ["chance"])]
        if moves == ["chance"]:
            assert answer["chance"]
            moves = [game.format_move(game.chance(game.parse_position(position), chosen))]
    pytest.fail("the game does not end")


def test_a_lone_surrogate_is_answered() -> None:
    answer = json.loads(programs.answer_line(LIBRARY, '{"game":"\ud800"}'))
    assert answer["error"]["code"] == "json"
