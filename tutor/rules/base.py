"""What every game gives: moves, verdicts with their reasons, outcomes, and the Game that they belong to.

Nothing here knows a particular game, and no sentence for a reader is written here: a reason names a
rule, places and values, and the rulebook in the reader's language says it.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

from tutor.rules.errors import TEXT_ERRORS
from tutor.rules.options import OPTION_ERRORS, Option, read_options

CHANCE = 0
"""The seat of dice and shuffles. Players have the seats 1, 2, ..."""

Value = bool | int | str | tuple[str, ...]
"""A value of a sentence: a number, an id (colour, area, card ...), several ids, or what somebody typed."""

State = Any
"""A position. Each game has its own type, frozen and hashable; only the game looks inside."""


class Move(NamedTuple):
    """Who acts (CHANCE too), what they do, and with what: spaces, dice, a card, a number ... as words."""

    seat: int
    act: str
    what: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """One rule that decided, where on the board, and the values of its sentence."""

    rule: str
    at: tuple[str, ...] = ()
    args: Mapping[str, Value] = field(default_factory=dict, hash=False)
    instead: bool = field(default=False, compare=False)
    """Whether the places are where one may act instead, and not what forbids the move."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to a move. Never without a reason: legal moves cite the rule that allows them."""

    ok: bool
    reasons: tuple[Reason, ...]

    @property
    def at(self) -> tuple[str, ...]:
        """The places that its reasons name."""
        return tuple(dict.fromkeys(place for reason in self.reasons for place in reason.at))

    @property
    def instead(self) -> bool:
        """Whether these are places where one may act: nothing is wrong there."""
        return bool(self.at) and all(reason.instead for reason in self.reasons if reason.at)


@dataclass(frozen=True, slots=True)
class Deed:
    """What a move does, for the sentence that tells it: a kind, places and values."""

    kind: str
    at: tuple[str, ...] = ()
    args: Mapping[str, Value] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Effect:
    """What comes of a move beside what it does itself, and the rule that says so, if there is one."""

    deed: Deed
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended, by seat, seat 1 first. `reason` is the rule that decided.

    `ranks` are 1 for the winners, 2 for the next ...; those who tie share a rank, and the ranks after them
    are left out. Scores are what players count, so a low one may be good.
    """

    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str

    @property
    def winners(self) -> tuple[int, ...]:
        return tuple(seat for seat, rank in enumerate(self.ranks, 1) if rank == 1)


def rank(keys: Sequence[Any]) -> tuple[int, ...]:
    """The rank of each seat by its key, the largest first: (7, 9, 7) -> (2, 1, 2)."""
    return tuple(1 + sum(other > key for other in keys) for key in keys)


@dataclass(frozen=True, slots=True)
class Rule:
    """What the engine declares of a rule that it can cite.

    `refuses` names the values of each refusal's sentence; None when no move can break the rule.
    """

    refuses: tuple[str, ...] | None = None


class IllegalMove(Exception):
    """A move that `judge` refuses; carries the verdict."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        super().__init__(", ".join(reason.rule for reason in verdict.reasons))


class Game(ABC):
    """The rules of one game. States are frozen and hashable; nothing here has a side effect.

    What a game of open information without options needs no word about has a default here.
    """

    id: ClassVar[str]
    rules: ClassVar[Mapping[str, Rule]]
    """Every rule that a verdict, an effect or an outcome can cite."""
    deeds: ClassVar[Mapping[str, tuple[str, ...]]]
    """Every kind of deed, with the names of its values."""
    faults: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """The codes of its own InvalidMove and InvalidPosition, with the names of their values."""

    @classmethod
    def errors(cls) -> dict[str, tuple[str, ...]]:
        """Every code of a RulesError that a player can meet, with the names of its values."""
        return {**TEXT_ERRORS, **OPTION_ERRORS, **cls.faults}

    @classmethod
    @abstractmethod
    def from_files(cls, files: Mapping[str, str]) -> Self:
        """The game over its data files (name -> text), which the caller has read."""

    @property
    def vocabulary(self) -> Mapping[str, Sequence[Value]]:
        """The ids that values of sentences can be, by the value's name; what is not here is a number."""
        return {}

    # Set-up and turn

    @property
    @abstractmethod
    def options(self) -> Mapping[str, Option]:
        """What a table agrees on before a game; `players` always."""

    def setup(self, options: Mapping[str, Any]) -> State:
        """A new game. Raises InvalidOption for what the game does not offer."""
        return self.begin(**read_options(self.options, options))

    @abstractmethod
    def begin(self, **options: Any) -> State:
        """A new game with a valid value for every option."""

    def agreed(self, state: State) -> dict[str, Any]:
        """The options that a position carries; no move changes them."""
        return {"players": self.seats(state)}

    @abstractmethod
    def seats(self, state: State) -> int: ...

    @abstractmethod
    def turn(self, state: State) -> tuple[int, ...]:
        """The seats that may act, CHANCE among them; () when the game is over."""

    # Moves

    @abstractmethod
    def moves(self, state: State) -> Sequence[Move]:
        """The legal moves in their canonical forms."""

    @abstractmethod
    def judge(self, state: State, move: Move) -> Verdict: ...

    @abstractmethod
    def play(self, state: State, move: Move) -> State:
        """The state after a move that is known to be legal. It is not judged again: any other move may raise
        or lead nowhere."""

    def apply(self, state: State, move: Move) -> State:
        """The state after a move; raises IllegalMove exactly when `judge` refuses."""
        verdict = self.judge(state, move)
        if not verdict.ok:
            raise IllegalMove(verdict)
        return self.play(state, move)

    def canonical(self, state: State, move: Move) -> Sequence[Move]:
        """The listed moves that a legal move stands for, to be played one after the other.

        That is the move itself, unless the notation lets a player say several at once.
        """
        return (move,)

    def chance(self, state: State, dice: random.Random) -> Move:
        """What chance does where it is to act, with the odds of the real game."""
        return dice.choice(self.moves(state))

    def thinkable(self, state: State, seat: int) -> Sequence[Move]:
        """What a player may want to do now: the legal moves, and others that come to mind but are refused."""
        return [move for move in self.moves(state) if move.seat == seat]

    # What a seat sees

    def view(self, state: State, seat: int) -> State:
        """The state with what that seat must not see removed; seat CHANCE is a spectator."""
        return state

    def seen_by(self, state: State, move: Move, seat: int) -> Move:
        """The move as that seat sees it: what is hidden is `?`.

        It can be told, and judged in that seat's view, where a move that was really made is never refused.
        """
        return move

    def redeal(self, state: State, seat: int, dice: random.Random) -> State:
        """A whole position that the seat cannot tell from the true one: what it does not see is dealt anew.

        Works on a view as well, which knows no more.
        """
        return state

    # Telling

    @abstractmethod
    def outcome(self, state: State) -> Outcome | None: ...

    @abstractmethod
    def facts(self, state: State) -> dict[str, Value]:
        """Named values that goals and texts may use."""

    def effects(self, before: State, after: State) -> Sequence[Effect]:
        """What is scored between two positions, and how a game that is over now is counted."""
        return ()

    @abstractmethod
    def tell(self, state: State, move: Move) -> Deed:
        """What the move does, for its sentence. The move need not be legal."""

    def guessed(self, state: State, move: Move) -> bool:
        """Whether a verdict on the move depends on what lies face down: yes means that it may be so, no that
        it cannot."""
        return False

    # Text

    @abstractmethod
    def parse_move(self, text: str) -> Move: ...

    @abstractmethod
    def format_move(self, move: Move) -> str: ...

    @abstractmethod
    def parse_position(self, text: str) -> State:
        """The position that a text describes. Raises InvalidPosition for one that no game can reach."""

    def draft(self, text: str) -> State:
        """What a text describes, even if no game can reach it: to be shown and mended, not to be played.
        Raises InvalidPosition only for what cannot be read."""
        return self.parse_position(text)

    @abstractmethod
    def format_position(self, state: State) -> str: ...

    def describe(self) -> dict[str, Any]:
        """Everything another program needs: options, spaces, colours, notation with examples."""
        return {"options": {name: option.schema() for name, option in self.options.items()}}


def refuse(rule: str, *at: str, **args: Value) -> Verdict:
    return Verdict(False, (Reason(rule, at, args),))


def send(rule: str, *at: str, **args: Value) -> Verdict:
    """Refuses a move because one has to act elsewhere, and names a place for it."""
    return Verdict(False, (Reason(rule, at, args, instead=True),))


def allow(*rules: str) -> Verdict:
    return Verdict(True, tuple(Reason(rule) for rule in rules))
