"""What every game promises, whatever its rules: one set of tests over all of them, at every table."""

import random
from itertools import pairwise
from typing import Any

import pytest

from tests import nim
from tests.books import FULL, LIBRARY
from tests.conftest import SOAK, damaged, positions, some
from tutor.rules.base import CHANCE, Game, IllegalMove, Move, State
from tutor.rules.errors import InvalidMove, InvalidOption, InvalidPosition, RulesError
from tutor.rules.options import Seat, variants

BOOKS = {**LIBRARY.games, "nim": nim.book()}
TABLES = [(name, options) for name in BOOKS for options in variants(BOOKS[name].game.options)]

Table = tuple[Game, dict[str, Any]]


def label(table: tuple[str, dict[str, Any]]) -> str:
    name, options = table
    return "-".join([name, *(f"{key}={value}" for key, value in options.items())]).replace(" ", "")


@pytest.fixture(params=TABLES, ids=label)
def table(request: pytest.FixtureRequest) -> Table:
    name, options = request.param
    return BOOKS[name].game, options


@pytest.fixture(params=BOOKS)
def game(request: pytest.FixtureRequest) -> Game:
    return BOOKS[request.param].game


def check_error(game: Game, error: RulesError) -> None:
    assert set(error.values) == set(game.errors()[error.code]), error


def choices_of(game: Game, history: list[tuple[State, Move | None]]) -> list[tuple[State, int]]:
    """The positions, each with the players who are to act in it."""
    return [(state, seat) for state, _ in history for seat in game.turn(state) if seat != CHANCE]


# Moves


def test_every_listed_move_is_accepted_with_a_declared_rule(table: Table) -> None:
    game, options = table
    for state, _ in some(game, options, 1, 40):
        for move in list(game.moves(state))[:200]:
            verdict = game.judge(state, move)
            assert verdict.ok
            assert verdict.reasons
            assert {reason.rule for reason in verdict.reasons} <= game.rules.keys()


def test_a_move_is_legal_exactly_when_it_is_listed(table: Table) -> None:
    """Moves of other positions, and such as come to a player's mind; a move for several is taken apart."""
    game, options = table
    history = list(positions(game, options, 2))
    pool = list(dict.fromkeys(move for _, move in history if move is not None))
    chosen = random.Random(3)
    tried = refused = 0
    for state, _ in some(game, options, 2, 30):
        seats = range(1, game.seats(state) + 1)
        thought = [move for seat in seats for move in game.thinkable(state, seat)]
        for move in [
            *chosen.sample(pool, min(40, len(pool))),
            *chosen.sample(thought, min(40, len(thought))),
        ]:
            tried += 1
            if game.judge(state, move).ok:
                after = state
                for part in game.canonical(state, move):
                    assert part in game.moves(after), (game.format_position(state), move)
                    after = game.play(after, part)
                assert after == game.play(state, move)
            else:
                refused += 1
                assert move not in game.moves(state), (game.format_position(state), move)
    assert 0 < refused < tried


@pytest.mark.patient
def test_a_refusal_cites_a_declared_rule_with_its_values_and_changes_nothing(table: Table) -> None:
    game, options = table
    moves = [move for _, move in positions(game, options, 4) if move is not None]
    for i, (state, _) in enumerate(some(game, options, 4, 25)):
        before = game.format_position(state)
        for move in moves[i % 17 :: 17]:
            verdict = game.judge(state, move)
            if verdict.ok:
                assert game.apply(state, move) == game.play(state, move) != state
                continue
            for reason in verdict.reasons:
                declared = game.rules[reason.rule].refuses
                assert declared is not None
                assert set(reason.args) == set(declared), reason.rule
            with pytest.raises(IllegalMove) as caught:
                game.apply(state, move)
            assert caught.value.verdict == verdict
            assert game.format_position(state) == before


def test_only_seats_that_are_to_act_have_legal_moves(table: Table) -> None:
    game, options = table
    for state, _ in some(game, options, 5, 60):
        assert {move.seat for move in game.moves(state)} == set(game.turn(state))


def test_chance_does_what_is_listed(table: Table) -> None:
    game, options = table
    dice = random.Random(6)
    by_chance = [state for state, move in some(game, options, 6, 80) if move and move.seat == CHANCE]
    assert by_chance or game.id not in FULL
    for state in by_chance:
        assert game.turn(state) == (CHANCE,)
        assert game.chance(state, dice) in game.moves(state)


def test_what_comes_to_mind_has_all_legal_moves_of_the_seat(table: Table) -> None:
    game, options = table
    choices = choices_of(game, some(game, options, 7, 30))
    assert choices
    for state, seat in choices:
        own = {move for move in game.moves(state) if move.seat == seat}
        assert own <= set(game.thinkable(state, seat))
        assert {move.seat for move in game.thinkable(state, seat)} == {seat}


def test_random_games_end_with_ranks_and_a_rule(table: Table) -> None:
    game, options = table
    for seed in range(2 * SOAK):
        *middle, (last, _) = positions(game, options, seed)
        assert all(game.outcome(state) is None for state, _ in middle)
        outcome = game.outcome(last)
        assert outcome is not None
        assert len(outcome.ranks) == len(outcome.scores) == options["players"]
        assert outcome.winners == tuple(s for s, rank in enumerate(outcome.ranks, 1) if rank == 1) != ()
        assert all(rank == 1 + sum(r < rank for r in outcome.ranks) for rank in outcome.ranks)
        assert outcome.reason in game.rules
        assert not game.moves(last)


def test_facts_and_deeds_are_plain_values(table: Table) -> None:
    game, options = table
    for state, move in some(game, options, 8, 60):
        for value in game.facts(state).values():
            assert isinstance(value, bool | int | str | tuple)
        if move is not None:
            deed = game.tell(state, move)
            assert set(deed.args) == set(game.deeds[deed.kind])


def test_effects_are_deeds_of_the_game_by_its_rules(table: Table) -> None:
    game, options = table
    effects = [
        effect
        for (before, _), (after, _) in pairwise(positions(game, options, 8))
        for effect in game.effects(before, after)
    ]
    assert effects or game.id not in FULL or "guard" in options  # three rounds may pass without a fight
    for effect in effects:
        assert set(effect.deed.args) == set(game.deeds[effect.deed.kind])
        assert not effect.rule or effect.rule in game.rules


def test_nothing_is_guessed_where_all_is_seen(table: Table) -> None:
    game, options = table
    for state, move in some(game, options, 8, 60):
        assert move is None or not game.guessed(state, move)


# Texts


def test_moves_and_positions_survive_a_round_trip(table: Table) -> None:
    game, options = table
    for state, move in some(game, options, 9, 60):
        again = game.parse_position(game.format_position(state))
        assert again == state
        assert hash(again) == hash(state)
        if move is not None:
            assert game.parse_move(game.format_move(move)) == move


NO_MOVES = [
    "",
    " ",
    "p1",
    "p1 fly",
    "p0 done",
    "\0",
    "p1 cross \u202e",
    "p1 " + "x" * 9999,
    "ⅷ",
    "p1\u0660 done",
]


@pytest.mark.parametrize("text", NO_MOVES)
def test_a_text_that_is_no_move_is_refused(game: Game, text: str) -> None:
    with pytest.raises(InvalidMove) as caught:
        game.parse_move(text)
    check_error(game, caught.value)


NO_POSITIONS = [
    "",
    "over",
    "nonsense",
    "first p1=",
    "\0",
    "x" * 99999,
    "first active=p9 p1=1 p2=2",
    "start p1=1 p3=2",
]


@pytest.mark.parametrize("text", NO_POSITIONS)
def test_a_text_that_is_no_position_is_refused(game: Game, text: str) -> None:
    with pytest.raises(InvalidPosition) as caught:
        game.parse_position(text)
    check_error(game, caught.value)


@pytest.mark.patient
def test_a_damaged_position_is_refused_with_its_fault_or_can_be_played(table: Table) -> None:
    """Views too. What is accepted has one text, and the game goes on from it as from any position."""
    game, options = table
    chosen = random.Random(10)
    states = [state for state, _ in positions(game, options, 10)]
    views = [game.view(state, chosen.randrange(game.seats(state) + 1)) for state in states]
    texts = [game.format_position(state) for state in (*states, *views)]
    refused = 0
    for _ in range(40 * SOAK):
        text = damaged(chosen.choice(texts), texts, chosen)
        try:
            state = game.parse_position(text)
        except InvalidPosition as error:
            check_error(game, error)
            refused += 1
            continue
        assert game.parse_position(game.format_position(state)) == state, text
        wander(game, state, chosen, 12)
    assert refused


def wander(game: Game, state: State, chosen: random.Random, steps: int) -> State:
    """Plays on at random; every position on the way can be told and written."""
    for _ in range(steps):
        game.facts(state)
        moves = game.moves(state)
        if not moves:
            assert not game.turn(state), game.format_position(state)
            assert game.outcome(state)
            return state
        move = chosen.choice(moves)
        game.tell(state, move)
        state = game.apply(state, move)
        assert game.parse_position(game.format_position(state)) == state
    return state


# Options


WRONG_OPTIONS: list[Any] = [True, False, None, -1, 1.0, 10**9, "", "1", [], [1, True], {}, [[]], ["x"] * 99]


def test_an_option_that_the_game_does_not_offer_is_refused(game: Game) -> None:
    with pytest.raises(InvalidOption) as caught:
        game.setup({"hats": 1})
    check_error(game, caught.value)
    for name, option in game.options.items():
        offered = [option.usual(2), *option.others(2)]
        for value in WRONG_OPTIONS:
            if any(type(value) is type(good) and value == good for good in offered):
                continue
            try:
                state = game.setup({name: value})
            except InvalidOption as error:
                check_error(game, error)
            else:
                game.parse_position(game.format_position(state))
                assert game.agreed(state).get(name, value) == value
                assert not isinstance(value, bool) or isinstance(option.usual(2), bool)


def test_options_survive_every_move_and_every_text(table: Table) -> None:
    game, options = table
    # Who begins is forgotten, and what may be left open at first; all else that was agreed is told back.
    lasting = {
        name
        for name, option in game.options.items()
        if not isinstance(option, Seat) and not getattr(option, "optional", False)
    }
    for state, _ in some(game, options, 11, 40):
        agreed = game.agreed(state)
        assert lasting <= set(agreed)
        for name, value in options.items():
            assert agreed.get(name, value) == value
        assert game.agreed(game.parse_position(game.format_position(state))) == agreed
        assert game.agreed(game.view(state, 1)) == agreed
        assert game.agreed(game.setup(agreed)) == agreed


def test_a_description_names_options_and_shows_readable_examples(game: Game) -> None:
    told = game.describe()
    assert set(told["options"]) == set(game.options)
    for move in told["notation"]["moves"]:
        assert game.format_move(game.parse_move(move)) == move
    game.parse_position(told["notation"]["position"]["example"])


# What a seat sees


def test_a_view_hides_nothing_from_the_rules_of_the_viewer(table: Table) -> None:
    """What a seat sees of its own choices is the truth: its legal moves are the same in its view."""
    game, options = table
    choices = choices_of(game, some(game, options, 12, 20))
    assert choices
    for state, seat in choices:
        seen = game.view(state, seat)
        assert game.view(seen, seat) == seen
        assert game.parse_position(game.format_position(seen)) == seen
        own = [move for move in game.moves(state) if move.seat == seat]
        assert [move for move in game.moves(seen) if move.seat == seat] == own


def test_what_really_happens_is_never_refused_in_anybody_s_view(table: Table) -> None:
    game, options = table
    for state, move in some(game, options, 13, 40):
        for seat in range(game.seats(state) + 1):
            if move is None:
                continue
            seen = game.view(state, seat)
            shown = game.seen_by(state, move, seat)
            verdict = game.judge(seen, shown)
            assert verdict.ok, (game.format_position(seen), game.format_move(shown), verdict)
            game.play(seen, shown)
            game.tell(seen, shown)


@pytest.mark.patient
def test_one_can_play_on_in_a_view(table: Table) -> None:
    game, options = table
    chosen = random.Random(14)
    for state, _ in some(game, options, 14, 12):
        for seat in range(game.seats(state) + 1):
            wander(game, game.view(state, seat), chosen, 6)


@pytest.mark.patient
def test_a_redeal_is_a_whole_position_that_looks_the_same(table: Table) -> None:
    game, options = table
    chosen = random.Random(15)
    for state, _ in some(game, options, 15, 8):
        for seat in range(game.seats(state) + 1):
            seen = game.view(state, seat)
            for source in (state, seen):
                dealt = game.redeal(source, seat, chosen)
                assert game.view(dealt, seat) == seen
                assert (dealt == seen) == (state == seen)  # what is hidden was dealt, if anything is
                wander(game, dealt, chosen, 4)


def test_a_move_is_a_plain_tuple_and_hashable() -> None:
    assert Move(1, "done") == Move(1, "done", ())
    assert len({Move(1, "done"), Move(1, "done", ())}) == 1
