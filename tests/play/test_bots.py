"""Bots choose by what their seat knows, and by nothing else; matches between them are fair and repeatable."""

import random
from typing import Any

import pytest

from tests.books import LIBRARY
from tests.conftest import positions
from tutor.games.tables import brain_of
from tutor.play.arena import fight, interval
from tutor.play.bots import BOTS, Brain, best_of, look
from tutor.rules.base import CHANCE, Move

GAMES = {name: book.game for name, book in LIBRARY.games.items()}


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize("name", GAMES)
def test_a_bot_plays_a_legal_move_of_its_seat_and_the_same_one_for_the_same_dice(name: str, bot: str) -> None:
    game, brain = GAMES[name], brain_of(GAMES[name])
    played = list(positions(game, {}, 3))
    tried = 0
    for state, _ in played[:: max(1, len(played) // 12)]:
        for seat in game.turn(state):
            if seat == CHANCE:
                continue
            sight = look(game, state, seat)
            chosen = BOTS[bot](brain, sight, random.Random(5))
            assert chosen in sight.moves
            assert chosen == BOTS[bot](brain_of(game), sight, random.Random(5))
            tried += 1
    assert tried


@pytest.mark.parametrize("name", GAMES)
def test_a_bot_knows_nothing_that_its_seat_cannot_see(name: str) -> None:
    """In two positions that the seat cannot tell apart it is given the same, and does the same."""
    game, brain = GAMES[name], brain_of(GAMES[name])
    played = list(positions(game, {}, 4))
    for number, (state, _) in enumerate(played[:: max(1, len(played) // 12)]):
        for seat in game.turn(state):
            if seat == CHANCE:
                continue
            other = game.redeal(state, seat, random.Random(number))
            sight, twin = look(game, state, seat), look(game, other, seat)
            assert sight == twin
            for bot in BOTS.values():
                assert bot(brain, sight, random.Random(6)) == bot(brain, twin, random.Random(6))


def test_a_match_is_repeatable_and_counts_every_game() -> None:
    game, brain = GAMES["nim"], brain_of(GAMES["nim"])
    first, again = (fight(game, brain, ("sound", "random"), 20, 7) for _ in range(2))
    assert first.wins == again.wins
    assert first.games == 20
    assert sum(first.wins.values()) == pytest.approx(20)
    assert sum(first.ended.values()) == 20


def test_two_of_a_kind_are_told_apart_in_a_match() -> None:
    game = GAMES["nim"]
    assert set(fight(game, brain_of(game), ("random", "random"), 4, 1).wins) == {"random 1", "random 2"}


def test_of_equal_moves_each_may_be_chosen() -> None:
    moves = [Move(1, "a"), Move(1, "b"), Move(1, "c")]
    chosen = {best_of(moves, [1.0, 1.0, 0.0], random.Random(seed)).act for seed in range(20)}
    assert chosen == {"a", "b"}


def test_an_easy_bot_that_always_slips_thinks_no_more_than_a_random_one() -> None:
    class Slipping(Brain):
        easy_slips = 1.0

        def rate(self, *_: Any) -> list[float]:
            raise AssertionError

    game = GAMES["nim"]
    sight = look(game, game.setup({}), 1)
    assert {BOTS["easy"](Slipping(game), sight, random.Random(seed)) for seed in range(50)} == set(
        sight.moves
    )


def test_an_interval_holds_the_share_and_narrows_with_more_games() -> None:
    few, many = interval(5, 10), interval(500, 1000)
    assert few[0] < many[0] < 0.5 < many[1] < few[1]
    assert interval(10, 10)[1] == 1.0
