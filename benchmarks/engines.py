"""The engines beside python-chess, as decisions and plies per second."""

import random
from collections.abc import Callable

from benchmarks.alternate import alternate
from tutor.rules.base import CHANCE, Game


def engines(name: str, game: Game, seconds: float) -> dict[str, float]:
    """Whole random games, legal lists included, beside plies of python-chess.

    Only decisions count: neither chance nor a move that is the only one. Their time counts all the same.
    """
    ours, theirs = f"{name}: decisions per second", f"{name}: plies of python-chess in the same run"
    sides: dict[str, Callable[[int], int]] = {ours: lambda seed: random_game(game, seed)}
    if chess_game := _chess():
        sides[theirs] = chess_game
    rates = alternate(sides, seconds)
    if theirs in rates:
        rates[f"{name}: ratio to python-chess"] = rates[ours] / rates[theirs]
    return rates


def random_game(game: Game, seed: int) -> int:
    """Plays a game at random and counts its decisions."""
    chosen = random.Random(seed)  # nosec B311
    state = game.setup({})
    decisions = 0
    while seats := game.turn(state):
        if CHANCE in seats:
            state = game.play(state, game.chance(state, chosen))
            continue
        moves = game.moves(state)
        decisions += len(moves) > 1
        state = game.play(state, moves[int(chosen.random() * len(moves))])
    return decisions


def _chess() -> Callable[[int], int] | None:
    """Random legal play of python-chess, where it is installed: to the last legal move, or 300 plies."""
    try:
        import chess
    except ImportError:
        return None

    def game(seed: int) -> int:
        chosen = random.Random(seed)  # nosec B311
        board = chess.Board()
        moves = list(board.legal_moves)
        while moves and board.ply() < 300:
            board.push(moves[int(chosen.random() * len(moves))])
            moves = list(board.legal_moves)
        return board.ply()

    return game
