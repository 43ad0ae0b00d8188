"""Matches between bots: whole games in pairs, in which the seats are changed and chance is the same."""

import math
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tutor.play.bots import BOTS, Brain, look
from tutor.rules.base import CHANCE, Game, Outcome

MOST_MOVES_IN_A_GAME = 5_000
CONFIDENCE_Z = 1.96
"""Standard deviations to either side: 95 of 100 intervals hold the true share."""


class Endless(RuntimeError):
    """A game between bots that does not end."""


@dataclass
class Contest:
    """What came of games between bots. A win that several share is shared."""

    games: int = 0
    wins: dict[str, float] = field(default_factory=dict)
    ended: Counter[str] = field(default_factory=Counter)
    """How often each rule has ended or decided a game."""
    moves: int = 0
    seconds: list[float] = field(default_factory=list)
    """That a choice among several moves has taken."""

    def report(self) -> dict[str, Any]:
        return {
            "games": self.games,
            "wins": {name: round(won, 2) for name, won in self.wins.items()},
            "share": {name: round(won / self.games, 4) for name, won in self.wins.items()},
            "interval": {name: interval(won, self.games) for name, won in self.wins.items()},
            "ended": dict(self.ended.most_common()),
            "moves": self.moves,
            "p99_ms": round(1000 * percentile(self.seconds, 99), 2),
        }


def fight(
    game: Game,
    brain: Brain,
    bots: Sequence[str],
    games: int,
    seed: int,
    options: Mapping[str, Any] | None = None,
) -> Contest:
    """Plays games between bots. Their seats go round, and every seating is tried with the same chance."""
    options = {"players": len(bots)} | dict(options or {})
    names = [name if bots.count(name) == 1 else f"{name} {i}" for i, name in enumerate(bots, 1)]
    contest = Contest(wins=dict.fromkeys(names, 0.0))
    for number in range(games):
        turned = number % len(bots)
        seats = [*range(turned, len(bots)), *range(turned)]
        outcome = _play(
            game, brain, [bots[i] for i in seats], f"{seed}/{number // len(bots)}", options, contest
        )
        contest.games += 1
        contest.ended[outcome.reason] += 1
        for seat in outcome.winners:
            contest.wins[names[seats[seat - 1]]] += 1 / len(outcome.winners)
    return contest


def _play(
    game: Game, brain: Brain, bots: Sequence[str], seed: str, options: Mapping[str, Any], contest: Contest
) -> Outcome:
    chance = random.Random(f"{seed}/chance")  # nosec B311
    dice = [random.Random(f"{seed}/{seat}") for seat in range(len(bots))]  # nosec B311
    state = game.setup(options)
    for _ in range(MOST_MOVES_IN_A_GAME):
        turn = game.turn(state)
        if not turn:
            outcome = game.outcome(state)
            assert outcome
            return outcome
        if CHANCE in turn:
            move = game.chance(state, chance)
        else:
            sight = look(game, state, turn[0])
            move = sight.moves[0]
            if len(sight.moves) > 1:
                begun = time.perf_counter()
                move = BOTS[bots[turn[0] - 1]](brain, sight, dice[turn[0] - 1])
                contest.seconds.append(time.perf_counter() - begun)
        state = game.play(state, move)
        contest.moves += 1
    raise Endless(f"{game.id}: more than {MOST_MOVES_IN_A_GAME} moves, seed {seed}")


def interval(won: float, games: int) -> tuple[float, float]:
    """Between which shares the true one lies (Wilson, 95 %)."""
    if not games:
        return 0.0, 1.0
    share, z = won / games, CONFIDENCE_Z
    middle = share + z * z / (2 * games)
    half = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    least, most = ((middle + side) / (1 + z * z / games) for side in (-half, half))
    return round(max(0.0, least), 4), round(min(1.0, most), 4)


def percentile(values: Sequence[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] if ordered else 0.0
