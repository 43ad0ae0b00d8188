"""A match: one whole game that people and bots play, folded out of its log of events.

The log has no word of any language and nothing that a position could tell. What is hidden in the game is in
the log, too, so a page never shows the log but what a seat sees of it.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import msgspec

from tutor.play.bots import BOTS, Brain, Sight, best_of, look
from tutor.rules.base import CHANCE, Game, Move, State

PERSON = ""
"""Who plays a seat, if it is no bot."""
WORLDS_TRIED = 4
"""Of those that a seat cannot tell from the true one. What is impossible in one of them tells something."""


class Begun(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="begun"):
    """The first event: what is played, and by whom."""

    game: str
    options: dict[str, Any]
    seats: tuple[str, ...]
    """For each seat PERSON or the name of a bot."""
    key: str
    """With which the tokens of its people are signed."""
    owner: str
    """Who has the seats of all people."""
    seed: str
    """Of the bots and of chance."""
    practice: bool = False
    """Whether one may take back what chance or others have answered."""


class Made(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="made"):
    """A move."""

    move: str
    lost: float = 0.0
    """How much less a person's move was worth than the best, by the measure of the game's brain."""
    missed: str = ""
    """What was good about the best, if that was much."""


class TakenBack(msgspec.Struct, frozen=True, tag_field="kind", tag="taken-back"):
    kept: int
    """How many moves are left."""


MatchEvent = Begun | Made | TakenBack


class Unreadable(Exception):
    """A match that this version cannot read: another has written it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A move that was made."""

    move: Move
    before: State
    rules: tuple[str, ...]
    """What allowed it, and what came of it."""
    version: int
    lost: float = 0.0
    missed: str = ""


Kept = Literal["", "nothing", "chance", "reveal"]
"""Why one cannot take back: nothing was done, or chance or another's move has told something since."""


@dataclass(frozen=True)
class Match:
    game: Game
    begun: Begun
    state: State
    version: int
    turns: tuple[Turn, ...] = ()
    met: Mapping[str, int] = field(default_factory=dict)
    """The rules that have decided something, each with the version in which it first did."""

    @classmethod
    def begin(cls, game: Game, begun: Begun) -> "Match":
        return cls(game, begun, game.setup(begun.options), 1)

    @property
    def over(self) -> bool:
        return not self.game.turn(self.state)

    @property
    def people(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(seat for seat, who in enumerate(self.begun.seats, 1) if who == PERSON)

    @property
    def to_act(self) -> int:
        """The seat that acts next: people before bots where several may. CHANCE is one, too, and also what is
        left when the match is over."""
        turn = self.game.turn(self.state)
        if not turn or CHANCE in turn:
            return CHANCE
        return next((seat for seat in turn if seat in self.people), turn[0])

    @property
    def goes_on(self) -> bool:
        """Whether something happens before a person acts."""
        return not self.over and self.to_act not in self.people

    @cached_property
    def hides(self) -> bool:
        """Whether a seat may not see all that another sees."""
        return any(self.game.view(self.state, seat) != self.state for seat in self.people)

    def after(self, event: MatchEvent, version: int) -> "Match":
        """The match after one more event. What the log says was legal when it was written."""
        match event:
            case Made():
                return self._after_move(event, version)
            case TakenBack(kept=kept) if 0 <= kept < len(self.turns):
                return replace(self, state=self.turns[kept].before, turns=self.turns[:kept], version=version)
        return replace(self, version=version)

    def _after_move(self, made: Made, version: int) -> "Match":
        game, before = self.game, self.state
        move = game.parse_move(made.move)
        verdict = game.judge(before, move)
        if not verdict.ok:
            raise Unreadable(made.move)
        state = game.play(before, move)
        effects = game.effects(before, state)
        cited = [reason.rule for reason in verdict.reasons] + [one.rule for one in effects if one.rule]
        if ended := game.outcome(state):
            cited.append(ended.reason)
        rules = tuple(dict.fromkeys(cited))
        news = {rule: version for rule in rules if rule not in self.met}
        turn = Turn(move, before, rules, version, made.lost, made.missed)
        met = {**self.met, **news} if news else self.met
        return replace(self, state=state, turns=(*self.turns, turn), met=met, version=version)

    # What may be done

    def find_way_back(self, seat: int) -> tuple[int, Kept]:
        """How many moves are left if a seat takes its last decision back; or why it cannot."""
        own = [i for i, turn in enumerate(self.turns) if turn.move.seat == seat and self._decided(turn)]
        if not own:
            return 0, "nothing"
        if not self.begun.practice:
            for turn in self.turns[own[-1] :]:
                if turn.move.seat == CHANCE:
                    return 0, "chance"
                if turn.move.seat != seat and self._tells(turn, seat):
                    return 0, "reveal"
        return own[-1], ""

    def _decided(self, turn: Turn) -> bool:
        return len([move for move in self.game.moves(turn.before) if move.seat == turn.move.seat]) > 1

    def _tells(self, turn: Turn, seat: int) -> bool:
        """Whether a move of somebody else has told a seat what it could not see."""
        if self.game.view(turn.before, seat) == turn.before:
            return False
        dice = random.Random(0)  # nosec B311
        worlds = (self.game.redeal(turn.before, seat, dice) for _ in range(WORLDS_TRIED))
        return not all(self.game.judge(world, turn.move).ok for world in worlds)

    def act(self, brain: Brain) -> Made:
        """What happens next without a person: chance, or the move of a bot. The same in every worker."""
        dice = random.Random(f"{self.begun.seed}/{self.version}")  # nosec B311
        if self.to_act == CHANCE:
            return Made(self.game.format_move(self.game.chance(self.state, dice)))
        sight = look(self.game, self.state, self.to_act)
        bot = BOTS[self.begun.seats[self.to_act - 1]]
        move = sight.moves[0] if len(sight.moves) == 1 else bot(brain, sight, dice)
        return Made(self.game.format_move(move))

    def grade(self, brain: Brain, move: Move) -> Made:
        """A person's move, with what it gave away."""
        sight = look(self.game, self.state, move.seat)
        plain = self.game.format_move(move)
        listed = self.game.canonical(self.state, move)
        if len(sight.moves) < 2 or tuple(listed) != (move,) or move not in sight.moves:
            return Made(plain)
        best, worths = rate_all(brain, sight, self.dice_for_hints)
        lost = max(worths.values()) - worths[move]
        if lost < brain.mistake:
            return Made(plain)
        patterns = [
            one for one in brain.match_patterns(sight, best) if one not in brain.match_patterns(sight, move)
        ]
        return Made(plain, round(lost, 2), next(iter(patterns), ""))

    @property
    def dice_for_hints(self) -> random.Random:
        """A hint does not change when one asks again."""
        return random.Random(f"{self.begun.seed}/{self.version}/hint")  # nosec B311


def rate_all(brain: Brain, sight: Sight, dice: random.Random) -> tuple[Move, dict[Move, float]]:
    """The best move of a seat, and what each is worth."""
    worths = brain.rate(sight, sight.moves, dice)
    return best_of(sight.moves, worths, dice), dict(zip(sight.moves, worths, strict=True))


def fold(game: Game, begun: Begun, events: Sequence[tuple[int, MatchEvent]]) -> Match:
    match = Match.begin(game, begun)
    for version, event in events:
        match = match.after(event, version)
    return match
