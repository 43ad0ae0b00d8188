"""Counts of all lines of play from fixed positions, as chess programs do: a changed rule changes a number.

`perft/<game>.toml` holds positions with the number of move sequences of length 1, 2, 3 ... Chance counts like
a player: every roll and every draw is a move.
"""

import tomllib
from pathlib import Path

import pytest

from tests.books import LIBRARY
from tutor.games import GAMES
from tutor.rules.base import Game, State

BOOKS = LIBRARY.games
FILES = {name: Path(__file__).parent / "perft" / f"{name}.toml" for name in GAMES}
COUNTS = {name: tomllib.loads(path.read_text("utf-8")) for name, path in FILES.items() if path.exists()}


def perft(game: Game, state: State, depth: int) -> int:
    moves = game.moves(state)
    if depth == 1:
        return len(moves)
    return sum(perft(game, game.play(state, move), depth - 1) for move in moves)


@pytest.mark.parametrize(("name", "line"), [(name, line) for name in COUNTS for line in COUNTS[name]])
def test_the_number_of_lines_of_play_is_as_counted(name: str, line: str) -> None:
    game, entry = BOOKS[name].game, COUNTS[name][line]
    state = game.parse_position(entry["position"])
    counted = [perft(game, state, depth) for depth in range(1, len(entry["counts"]) + 1)]
    assert counted == entry["counts"]
