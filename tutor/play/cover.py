"""How often each rule comes up when a game is played: what a first game shows, and what only a lesson can."""

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tutor.play.arena import MOST_MOVES_IN_A_GAME, Endless
from tutor.play.bots import BOTS, EASY, Brain, look
from tutor.rules.base import CHANCE, Game

WISHES_A_TURN = 6
"""Of the moves that come to a player's mind, so many are judged at each turn, drawn at random."""


@dataclass
class Coverage:
    """How often each rule allowed, refused or decided something, in so many games."""

    games: int = 0
    allowed: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    decided: Counter[str] = field(default_factory=Counter)
    """What came of a move, and what ended a game."""
    met_in: Counter[str] = field(default_factory=Counter)
    """In how many games a rule came up at all."""

    def report(self, rules: Mapping[str, Any]) -> dict[str, Any]:
        rows = {
            rule: {
                "allowed": self.allowed[rule],
                "refused": self.refused[rule],
                "decided": self.decided[rule],
                "games": self.met_in[rule],
            }
            for rule in rules
        }
        never = [rule for rule in rules if not self.met_in[rule]]
        return {"games": self.games, "rules": rows, "never": never}


def cover(game: Game, brain: Brain, games: int, seed: int, bots: tuple[str, ...] = (EASY, EASY)) -> Coverage:
    """Plays games between bots and counts what their moves, and others that come to mind, are judged by."""
    found = Coverage()
    for number in range(games):
        before = found.allowed + found.refused + found.decided
        _play(game, brain, bots, random.Random(f"{seed}/{number}"), found)  # nosec B311
        found.games += 1
        after = found.allowed + found.refused + found.decided
        found.met_in.update(rule for rule in after if after[rule] > before[rule])
    return found


def _play(game: Game, brain: Brain, bots: tuple[str, ...], dice: random.Random, found: Coverage) -> None:
    state = game.setup({"players": len(bots)})
    for _ in range(MOST_MOVES_IN_A_GAME):
        turn = game.turn(state)
        if not turn:
            outcome = game.outcome(state)
            assert outcome
            found.decided[outcome.reason] += 1
            return
        if CHANCE in turn:
            move = game.chance(state, dice)
        else:
            sight = look(game, state, turn[0])
            move = sight.moves[0] if len(sight.moves) == 1 else BOTS[bots[turn[0] - 1]](brain, sight, dice)
            wishes = game.thinkable(state, turn[0])
            for wish in dice.sample(wishes, min(len(wishes), WISHES_A_TURN)):
                verdict = game.judge(state, wish)
                if not verdict.ok:
                    found.refused.update(reason.rule for reason in verdict.reasons)
        found.allowed.update(reason.rule for reason in game.judge(state, move).reasons)
        after = game.play(state, move)
        found.decided.update(effect.rule for effect in game.effects(state, after) if effect.rule)
        state = after
    raise Endless(f"{game.id}: more than {MOST_MOVES_IN_A_GAME} moves")
