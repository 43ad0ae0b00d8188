"""What every game gives: verdicts with their reasons, outcomes, and the Game protocol.

Nothing here knows a particular game, and no sentence for a reader is written here: a reason names a
rule, places and values, and the rulebook in the reader's language says it.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, Self, TypeVar

CHANCE = 0
"""The seat of dice and shuffles. Players have the seats 1, 2, ..."""

Value = bool | int | str | tuple[str, ...]
"""A value of a sentence: a number, an id (colour, area, card ...), or several ids."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One rule that decided, where on the board, and the values of its sentence."""

    rule: str
    at: tuple[str, ...] = ()
    args: Mapping[str, Value] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to a move. Never without a reason: legal moves cite the rule that allows them."""

    ok: bool
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Deed:
    """What a move does, for the sentence that tells it: a kind, places and values."""

    kind: str
    at: tuple[str, ...] = ()
    args: Mapping[str, Value] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended. `scores` is by seat, seat 1 first; `reason` is the rule that decided."""

    winners: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Rule:
    """What the engine declares of a rule that it can cite.

    `refuses` names the values of each refusal's sentence; None when no move can break the rule.
    """

    refuses: tuple[str, ...] | None = None


class RulesError(ValueError):
    """A caller's mistake: a text or an option that means nothing. `code` and `args` make the message."""

    def __init__(self, code: str, **args: Value) -> None:
        self.code = code
        self.values = args
        super().__init__(f"{code} {args}" if args else code)


class InvalidMove(RulesError):
    """A text that is no move of this game at all."""


class InvalidPosition(RulesError):
    """A text that is no position of this game, or one that no game can reach."""


class InvalidOption(RulesError):
    """A set-up that the game does not offer."""


class InvalidData(RulesError):
    """A data file of the game (boards, cards) that breaks its own rules; only its author sees this."""


class IllegalMove(Exception):
    """A move that `judge` refuses; carries the verdict."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        super().__init__(", ".join(reason.rule for reason in verdict.reasons))


S = TypeVar("S", bound=Hashable)
M = TypeVar("M", bound=Hashable)


class Game(Protocol[S, M]):
    """The rules of one game. States and moves are frozen and hashable; nothing here has a side effect."""

    id: ClassVar[str]
    rules: ClassVar[Mapping[str, Rule]]
    """Every rule that a verdict or an outcome can cite."""
    deeds: ClassVar[Mapping[str, tuple[str, ...]]]
    """Every kind of deed, with the names of its values."""
    errors: ClassVar[Mapping[str, tuple[str, ...]]]
    """Every code of an InvalidMove, InvalidPosition or InvalidOption, with the names of its values."""

    @classmethod
    def from_files(cls, files: Mapping[str, str]) -> Self:
        """The game over its data files (name -> text), which the caller has read."""
        ...

    def setup(self, options: Mapping[str, Any]) -> S: ...

    def turn(self, state: S) -> tuple[int, ...]:
        """The seats that may act, CHANCE among them; () when the game is over."""
        ...

    def moves(self, state: S) -> Sequence[M]:
        """The legal moves in their canonical forms."""
        ...

    def judge(self, state: S, move: M) -> Verdict: ...

    def apply(self, state: S, move: M) -> S:
        """The state after a legal move; raises IllegalMove exactly when `judge` refuses."""
        ...

    def outcome(self, state: S) -> Outcome | None: ...

    def facts(self, state: S) -> dict[str, Value]:
        """Named values that goals and texts may use."""
        ...

    def view(self, state: S, seat: int) -> S:
        """The state with what that seat must not see removed."""
        ...

    def tell(self, state: S, move: M) -> Deed:
        """What the move does, for its sentence. The move need not be legal."""
        ...

    def seats(self, state: S) -> int: ...

    def seat_of(self, move: M) -> int: ...

    def parse_move(self, text: str) -> M: ...

    def format_move(self, move: M) -> str: ...

    def parse_position(self, text: str) -> S: ...

    def format_position(self, state: S) -> str: ...

    def sample(self, name: str, count: int) -> Value:
        """A value such as the named one of a sentence may have, to try the sentence with."""
        ...

    def describe(self) -> dict[str, Any]:
        """Everything another program needs: options, spaces, colours, notation with examples."""
        ...


def refuse(rule: str, *at: str, **args: Value) -> Verdict:
    return Verdict(False, (Reason(rule, at, args),))


def allow(*rules: str) -> Verdict:
    return Verdict(True, tuple(Reason(rule) for rule in rules))
