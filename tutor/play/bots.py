"""Bots: how well a seat's moves do, and players who choose by that.

A bot gets a `Sight` and nothing else: what is hidden from its seat cannot be reached from there. Each
game may have a `Brain` of its own in its room; one brain serves play, hints and grading.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, Protocol

from tutor.rules.base import Game, Move, State, Value

CLOSE = 1e-9
"""Moves whose worth differs by no more are equally good."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What one seat knows when it is to act."""

    game: Game
    state: State
    """The seat's own view of the position."""
    seat: int
    moves: tuple[Move, ...]
    """What it may do."""


def look(game: Game, state: State, seat: int) -> Sight:
    """The sight of a seat that is to act."""
    moves = tuple(move for move in game.moves(state) if move.seat == seat)
    return Sight(game, game.view(state, seat), seat, moves)


class Wish(NamedTuple):
    """Something that chance may still bring, how likely it is, and where it would lie."""

    phrase: str
    """The phrase of the game's words that names it."""
    args: Mapping[str, Value]
    odds: Fraction
    at: tuple[str, ...]


class Brain:
    """How good positions and moves are in one game. This one knows any game: it sees a win in one move."""

    wish_phrases: ClassVar[tuple[str, ...]] = ()
    """The phrases of all wishes that there can be."""
    patterns: ClassVar[tuple[str, ...]] = ()
    """What a hint can say of a move, most telling first; each is a phrase `hint-<pattern>` of the game."""
    mistake: ClassVar[float] = 0.5
    """By how much a move is worth less than the best one if it is called a mistake."""
    easy_share: ClassVar[float] = 0.3
    """Of its legal moves, how many the easy bot sees."""
    easy_slips: ClassVar[float] = 0.0
    """How often it sees only one of them. For games in which most choices are between two."""

    def __init__(self, game: Any) -> None:
        self.game = game

    def count(self, state: State, seat: int) -> float:
        """What a beginner counts: how far ahead a seat is as things lie. The greedy player knows no more."""
        ended = self.game.outcome(state)
        return 1 / len(ended.winners) if ended and seat in ended.winners else 0.0

    def rate(self, sight: Sight, moves: Sequence[Move], dice: random.Random) -> list[float]:
        """The worth of each of these moves for the seat, in points of the game where it has points."""
        world = self.game.redeal(sight.state, sight.seat, dice)
        return [self.count(self.game.play(world, move), sight.seat) for move in moves]

    def list_wishes(self, sight: Sight) -> Sequence[Wish]:
        """What the seat can still hope for, likeliest first, in exact numbers; nothing without dice."""
        return ()

    def match_patterns(self, sight: Sight, move: Move) -> tuple[str, ...]:
        """Which of `patterns` are true of a move that the seat may make."""
        return ()


class Player(Protocol):
    """Chooses a move. The same dice lead to the same choice."""

    def __call__(self, brain: Brain, sight: Sight, dice: random.Random) -> Move: ...


def play_soundly(brain: Brain, sight: Sight, dice: random.Random) -> Move:
    """Takes the best of all its moves."""
    return best_of(sight.moves, brain.rate(sight, sight.moves, dice), dice)


def play_easily(brain: Brain, sight: Sight, dice: random.Random) -> Move:
    """Takes the best of the moves that it happens to see: two at least, unless it slips."""
    if brain.easy_slips and dice.random() < brain.easy_slips:
        return dice.choice(sight.moves)
    seen = min(len(sight.moves), max(2, round(brain.easy_share * len(sight.moves))))
    moves = dice.sample(sight.moves, seen)
    return best_of(moves, brain.rate(sight, moves, dice), dice)


def play_greedily(brain: Brain, sight: Sight, dice: random.Random) -> Move:
    """Takes what counts most at once, and thinks no further."""
    world = brain.game.redeal(sight.state, sight.seat, dice)
    counts = [brain.count(brain.game.play(world, move), sight.seat) for move in sight.moves]
    return best_of(sight.moves, counts, dice)


def play_at_random(brain: Brain, sight: Sight, dice: random.Random) -> Move:
    return dice.choice(sight.moves)


def best_of(moves: Sequence[Move], worths: Sequence[float], dice: random.Random) -> Move:
    """One of the moves that are worth most."""
    most = max(worths) - CLOSE
    return dice.choice([move for move, worth in zip(moves, worths, strict=True) if worth >= most])


EASY, SOUND = "easy", "sound"
BOTS: dict[str, Player] = {
    EASY: play_easily,
    SOUND: play_soundly,
    "greedy": play_greedily,
    "random": play_at_random,
}
