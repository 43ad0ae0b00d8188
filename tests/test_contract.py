"""What every game promises, whatever its rules: one set of tests over all of them."""

from typing import Any

import pytest

from tests.conftest import positions
from tutor.book.load import Library, load
from tutor.paths import CONTENT
from tutor.rules import GAMES
from tutor.rules.base import CHANCE, IllegalMove, InvalidMove, InvalidPosition

VARIANTS: dict[str, list[dict[str, Any]]] = {"blockers": [{"open_joker": True}, {"edition": "uptown"}]}
BOOKS = load(CONTENT).games
TABLES = [
    (name, {"players": players} | variant)
    for name in GAMES
    for players in range(BOOKS[name].file.players[0], BOOKS[name].file.players[1] + 1)
    for variant in [{}, *VARIANTS.get(name, [])]
]


def label(table: tuple[str, dict[str, Any]]) -> str:
    return "-".join(map(str, [table[0], *table[1].values()]))


@pytest.fixture(params=TABLES, ids=label)
def table(request: pytest.FixtureRequest, library: Library) -> tuple[Any, dict[str, Any]]:
    name, options = request.param
    return library.games[name].game, options


def test_every_listed_move_is_accepted_with_a_declared_rule(table: tuple[Any, dict[str, Any]]) -> None:
    game, options = table
    for state, _ in list(positions(game, options, 1))[::7]:
        for move in list(game.moves(state))[:200]:
            verdict = game.judge(state, move)
            assert verdict.ok
            assert verdict.reasons
            assert {reason.rule for reason in verdict.reasons} <= game.rules.keys()


def test_a_refused_move_cites_a_declared_rule_with_its_values_and_changes_nothing(
    table: tuple[Any, dict[str, Any]],
) -> None:
    """Moves of one position are tried in another, where many of them are illegal."""
    game, options = table
    history = list(positions(game, options, 2))
    moves = [move for _, move in history if move is not None]
    refused = 0
    for i, (state, _) in enumerate(history[::11]):
        before = game.format_position(state)
        for move in moves[i % 13 :: 13]:
            verdict = game.judge(state, move)
            if verdict.ok:
                assert game.apply(state, move) != state
                continue
            refused += 1
            for reason in verdict.reasons:
                declared = game.rules[reason.rule].refuses
                assert declared is not None
                assert set(reason.args) == set(declared), reason.rule
            with pytest.raises(IllegalMove) as caught:
                game.apply(state, move)
            assert caught.value.verdict == verdict
            assert game.format_position(state) == before
    assert refused > 100


def test_moves_and_positions_survive_a_round_trip(table: tuple[Any, dict[str, Any]]) -> None:
    game, options = table
    for state, move in positions(game, options, 3):
        assert game.parse_position(game.format_position(state)) == state
        assert hash(game.parse_position(game.format_position(state))) == hash(state)
        if move is not None:
            assert game.parse_move(game.format_move(move)) == move


def test_random_games_end_with_winners_and_a_rule(table: tuple[Any, dict[str, Any]]) -> None:
    game, options = table
    for seed in range(10):
        *middle, (last, _) = positions(game, options, seed)
        assert all(game.outcome(state) is None for state, _ in middle)
        outcome = game.outcome(last)
        assert outcome is not None
        assert outcome.winners
        assert len(outcome.scores) == options["players"]
        assert outcome.reason in game.rules
        assert game.moves(last) == ()


def test_only_seats_that_are_to_act_have_legal_moves(table: tuple[Any, dict[str, Any]]) -> None:
    game, options = table
    for state, _ in list(positions(game, options, 4))[::5]:
        assert {game.seat_of(move) for move in game.moves(state)} == set(game.turn(state))


def test_a_view_hides_nothing_from_the_rules_of_the_viewer(table: tuple[Any, dict[str, Any]]) -> None:
    """What a seat sees of its own choices is the truth: its legal moves are the same in its view."""
    game, options = table
    for state, _ in list(positions(game, options, 5))[::9]:
        for seat in game.turn(state):
            if seat == CHANCE:
                continue
            seen = game.view(state, seat)
            own = [move for move in game.moves(state) if game.seat_of(move) == seat]
            assert [move for move in game.moves(seen) if game.seat_of(move) == seat] == own


def test_facts_and_deeds_are_plain_values(table: tuple[Any, dict[str, Any]]) -> None:
    game, options = table
    for state, move in list(positions(game, options, 6))[::5]:
        for value in game.facts(state).values():
            assert isinstance(value, bool | int | str | tuple)
        if move is not None:
            deed = game.tell(state, move)
            assert set(deed.args) == set(game.deeds[deed.kind])


@pytest.mark.parametrize(
    "text", ["", " ", "p1", "p1 fly", "p0 done", "\0", "p1 cross \u202e", "p1 " + "x" * 9999, "ⅷ"]
)
def test_a_text_that_is_no_move_is_said_to_be_none(table: tuple[Any, dict[str, Any]], text: str) -> None:
    game, _ = table
    with pytest.raises(InvalidMove) as caught:
        game.parse_move(text)
    assert caught.value.code in game.errors
    assert set(caught.value.values) == set(game.errors[caught.value.code])


@pytest.mark.parametrize(
    "text", ["", "over", "nonsense", "first p1=", "\0", "x" * 99999, "first active=p9 p1=1 p2=2"]
)
def test_a_text_that_is_no_position_is_said_to_be_none(table: tuple[Any, dict[str, Any]], text: str) -> None:
    game, _ = table
    with pytest.raises(InvalidPosition) as caught:
        game.parse_position(text)
    assert caught.value.code in game.errors
    assert set(caught.value.values) == set(game.errors[caught.value.code])
