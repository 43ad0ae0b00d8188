"""Quick questions for a recap, made by the engine: would the referee allow this move here?

Positions come from games played at random, with a seed of their own, so that every reader is asked the same.
"""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from tutor.rules.base import CHANCE, Game, Move, State, Verdict

MOST_THOUGHTS_TRIED = 3000
"""How many candidate moves are examined for the questions of one recap."""
MOST_DECISIONS_A_GAME = 14
"""After these a random game is dropped: positions near its beginning are easier to take in."""


@dataclass(frozen=True)
class Quiz:
    state: State
    move: Move
    verdict: Verdict

    @property
    def seat(self) -> int:
        return self.move.seat


@dataclass(frozen=True)
class Subject:
    """What the questions of a recap may be about."""

    recent: frozenset[str]
    """The rules since the last recap: each answer cites one of them."""
    known: frozenset[str]
    """All rules introduced by then: no answer needs any other."""
    details: frozenset[str]
    """Rules that a lesson may leave out: a move is allowed all the same, and they are not cited."""
    deeds: frozenset[str]
    """The kinds of deeds that the learner has met: no question is about another."""

    def rules_in(self, quiz: Quiz) -> frozenset[str]:
        return self.recent & {reason.rule for reason in quiz.verdict.reasons}

    def limit_to_known(self, quiz: Quiz) -> Quiz | None:
        """The question with the rules that the learner has met in its answer; None if it cannot be asked."""
        rules = {reason.rule for reason in quiz.verdict.reasons}
        if not quiz.verdict.ok and quiz.verdict.reasons[0].rule not in self.recent:
            return None  # what is told first is what the recap is about
        left_out = rules - self.known
        if not rules & self.recent or (left_out and not (quiz.verdict.ok and left_out <= self.details)):
            return None
        reasons = [reason for reason in quiz.verdict.reasons if reason.rule in self.known]
        if quiz.verdict.ok:  # the newest rule first: only that one is read out
            reasons.sort(key=lambda reason: reason.rule not in self.recent)
        return replace(quiz, verdict=replace(quiz.verdict, reasons=tuple(reasons)))


def make_quizzes(
    game: Game, setup: Mapping[str, Any], subject: Subject, count: int, seed: str
) -> tuple[Quiz, ...]:
    """Questions on the subject, no and yes in turn, each on rules that were not asked for before, if there
    are such."""
    found: list[Quiz] = []
    spare: list[Quiz] = []
    covered: set[str] = set()
    for thought in islice(_thoughts(game, setup, random.Random(seed)), MOST_THOUGHTS_TRIED):  # nosec B311
        quiz = subject.limit_to_known(thought) if is_plain(game, thought) else None
        met = game.tell(thought.state, thought.move).kind in subject.deeds
        if quiz is None or not met or quiz in found or quiz in spare:
            continue
        if quiz.verdict.ok == _wants_allowed(found) and not subject.rules_in(quiz) <= covered:
            found.append(quiz)
            covered |= subject.rules_in(quiz)
            if len(found) == count:
                break
        elif sum(one.verdict.ok == quiz.verdict.ok for one in spare) < count:
            spare.append(quiz)
    while len(found) < count and spare:
        best = min(
            spare, key=lambda one: (one.verdict.ok != _wants_allowed(found), subject.rules_in(one) <= covered)
        )
        spare.remove(best)
        found.append(best)
        covered |= subject.rules_in(best)
    return tuple(found)


def is_plain(game: Game, quiz: Quiz) -> bool:
    """Whether an answer has one cause. A refused move with parts has one if another of its kind is legal that
    differs in a single part: then it is not also the wrong time for it, or wrong in several ways at once."""
    move = quiz.move
    if quiz.verdict.ok or not move.what:
        return True
    alike = (Counter(other.what) for other in game.moves(quiz.state) if other[:2] == (move.seat, move.act))
    parts = Counter(move.what)
    return any(max((parts - other).total(), (other - parts).total()) == 1 for other in alike)


def _wants_allowed(found: Sequence[Quiz]) -> bool:
    """Whether the next question is on a move that is allowed."""
    return len(found) % 2 == 1


def _thoughts(game: Game, setup: Mapping[str, Any], chosen: random.Random) -> Iterator[Quiz]:
    """Now and then a thought of one player, along random games, and beside it a move that is legal."""
    while True:
        state = game.setup(setup)
        decisions = 0
        while decisions < MOST_DECISIONS_A_GAME and (seats := game.turn(state)):
            if CHANCE in seats:
                state = game.play(state, game.chance(state, chosen))
                continue
            moves = game.moves(state)
            decisions += 1
            if chosen.random() < 0.3:
                seat = chosen.choice(seats)
                seen = game.view(state, seat)
                own = [move for move in moves if move.seat == seat]
                for move in (chosen.choice(list(game.thinkable(seen, seat))), chosen.choice(own)):
                    yield Quiz(seen, move, game.judge(seen, move))
            state = game.play(state, chosen.choice(moves))
