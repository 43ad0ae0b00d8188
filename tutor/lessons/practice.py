"""A learner's attempt at a position: moves tried one after the other through the real engine.

The result is a function of the position and the list of moves alone, so an address can carry it. Dice are
the exception: `find_due_move` says what chance or another player does next, and the address then records it.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tutor.book.scenario import PlayedStep, meets
from tutor.rules.base import CHANCE, Deed, Game, Move, State, Value, Verdict

MOST_MOVES_ON_A_SCREEN = 60
"""On the screen of a lesson, or at a table of the referee: more than anybody plays from one position."""


@dataclass(frozen=True)
class Attempt:
    """What came of the moves: those that were legal, and the first refused one, if any."""

    state: State
    played: tuple[str, ...] = ()
    deeds: tuple[Deed, ...] = ()
    refused: Move | None = None
    verdict: Verdict | None = None
    facts: Mapping[str, Value] = field(default_factory=dict)
    met: bool = False
    off: bool = False
    """Whether the moves were legal but do not lead to the goal."""
    wanted: tuple[str, ...] = ()
    """Where the refused move wanted to act."""
    taken_back: tuple[str, ...] = ()
    """The moves without the learner's last one and what others or the dice did after it."""
    restored: State | None = None
    """The position after those."""

    @property
    def still_picked(self) -> tuple[str, ...]:
        """The parts of the refused move, so that a learner can mend it instead of starting over."""
        return self.refused.what if self.refused else ()

    @property
    def tried(self) -> bool:
        return bool(self.played or self.refused)

    @property
    def missed(self) -> bool:
        return bool(self.refused or self.off)

    @property
    def marks(self) -> tuple[str, ...]:
        """The places of the last thing that happened."""
        if self.refused and self.verdict:
            return self.verdict.at
        return tuple(place for deed in self.deeds for place in deed.at)


class TooLong(ValueError):
    """More moves than a lesson can need."""


def attempt(game: Game, step: PlayedStep, moves: Sequence[str]) -> Attempt:
    """Plays the moves from the position before a step; stops at the first that is refused."""
    if len(moves) > MOST_MOVES_ON_A_SCREEN:
        raise TooLong(len(moves))
    state = step.before
    played: list[Move] = []
    deeds: list[Deed] = []
    restored = None
    for text in moves:
        move = game.parse_move(text)
        verdict = game.judge(state, move)
        if not verdict.ok:
            wanted = game.tell(state, move).at
            texts = tuple(map(game.format_move, played))
            return Attempt(state, texts, tuple(deeds), move, verdict, wanted=wanted)
        deeds.append(game.tell(state, game.seen_by(state, move, step.seat)))
        if move.seat == step.seat:
            restored = state
        state = game.play(state, move)
        played.append(move)
    facts = game.facts(state)
    met = bool(moves) and is_reached(game, step, played, facts)
    off = bool(moves) and not met and not _leads_on(game, step, state, played)
    texts = tuple(map(game.format_move, played))
    own = [i for i, move in enumerate(played) if move.seat == step.seat]
    back = texts[: own[-1]] if own else ()
    return Attempt(
        state, texts, tuple(deeds), facts=facts, met=met, off=off, taken_back=back, restored=restored
    )


def is_reached(game: Game, step: PlayedStep, played: Sequence[Move], facts: Mapping[str, Value]) -> bool:
    """Whether moves that led to these facts do what the task asks for."""
    if not step.file.goal or not meets(facts, step.file.goal):
        return False
    if not step.file.exactly:
        return True
    return [m for m in played if m.seat == step.seat] == [
        m for m in map(game.parse_move, step.file.play) if m.seat == step.seat
    ]


def _leads_on(game: Game, step: PlayedStep, state: State, played: Sequence[Move]) -> bool:
    """Whether the rest of the solution still reaches the goal from here, or else one more move does: what
    the solution does at once may also be done in parts."""
    end, done = state, list(played)
    for move in map(game.parse_move, step.file.play):
        if move not in played and game.judge(end, move).ok:
            end = game.play(end, move)
            done.append(move)
    if is_reached(game, step, done, game.facts(end)):
        return True
    own = [move for move in game.moves(state) if move.seat == step.seat]
    return any(is_reached(game, step, [*played, move], game.facts(game.play(state, move))) for move in own)


def find_due_move(game: Game, step: PlayedStep, done: Attempt, dice: random.Random) -> str | None:
    """What happens before the learner acts again: another player's scripted move, chance, or nothing.

    The scenario's own dice come first, in their order.
    """
    turn = game.turn(done.state)
    if done.refused or not turn or step.seat in turn:
        return None
    script = [move for move in map(game.parse_move, step.file.play) if move.seat != step.seat]
    before = sum(game.parse_move(text).seat != step.seat for text in done.played)
    if before < len(script) and game.judge(done.state, script[before]).ok:
        return game.format_move(script[before])
    return game.format_move(game.chance(done.state, dice)) if CHANCE in turn and not done.met else None
