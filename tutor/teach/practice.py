"""A learner's attempt at a position: moves tried one after the other through the real engine.

The result is a function of the position and the list of moves alone, so an address can carry it. Dice are
the exception: `roll` says which chance move comes next, and the address then records it.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tutor.book.scenario import Frame, meets
from tutor.rules.base import CHANCE, Deed, Game, State, Value, Verdict

MOST_MOVES = 60


@dataclass(frozen=True)
class Attempt:
    """What came of the moves: those that were legal, and the first refused one, if any."""

    state: State
    played: tuple[str, ...] = ()
    deeds: tuple[Deed, ...] = ()
    refused: str = ""
    verdict: Verdict | None = None
    facts: Mapping[str, Value] = field(default_factory=dict)
    met: bool = False
    wanted: tuple[str, ...] = ()
    """Where the refused move wanted to act."""

    @property
    def tried(self) -> bool:
        return bool(self.played or self.refused)

    @property
    def marks(self) -> tuple[str, ...]:
        """The places of the last thing that happened."""
        if self.refused and self.verdict:
            return tuple(place for reason in self.verdict.reasons for place in reason.at)
        return tuple(place for deed in self.deeds for place in deed.at)


class TooLong(ValueError):
    """More moves than a lesson can need."""


def attempt(game: Game, frame: Frame, moves: Sequence[str]) -> Attempt:
    """Plays the moves from the position before a frame; stops at the first that is refused."""
    if len(moves) > MOST_MOVES:
        raise TooLong(len(moves))
    state = frame.before
    played: list[str] = []
    deeds: list[Deed] = []
    for text in moves:
        move = game.parse_move(text)
        verdict = game.judge(state, move)
        if not verdict.ok:
            text = game.format_move(move)
            wanted = game.tell(state, move).at
            return Attempt(state, tuple(played), tuple(deeds), text, verdict, wanted=wanted)
        deeds.append(game.tell(state, game.seen_by(state, move, frame.seat)))
        state = game.play(state, move)
        played.append(game.format_move(move))
    facts = game.facts(state)
    met = bool(moves) and bool(frame.step.goal) and meets(facts, frame.step.goal)
    return Attempt(state, tuple(played), tuple(deeds), facts=facts, met=met)


def roll(game: Game, frame: Frame, done: Attempt, dice: random.Random) -> str | None:
    """The chance move that is due, or None. The scenario's own dice come first, in their order."""
    if done.met or done.refused or CHANCE not in game.turn(done.state):
        return None
    scripted = [text for text in frame.step.play if game.parse_move(text).seat == CHANCE]
    before = sum(game.parse_move(text).seat == CHANCE for text in done.played)
    if before < len(scripted) and game.judge(done.state, game.parse_move(scripted[before])).ok:
        return scripted[before]
    return game.format_move(game.chance(done.state, dice))
