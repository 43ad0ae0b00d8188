"""The mistakes of callers: texts, options and data files that mean nothing. Each has a code and values."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

MOST_ECHOED_CHARS = 60
"""Of what somebody typed, in a message to them."""


class Typed(str):
    """What somebody typed. It is said as it is and never taken for the id of a word."""

    __slots__ = ()


def quote_input(value: object) -> Typed:
    """A value from outside for a message: text as it is, anything else as JSON writes it, cut if long."""
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return Typed(text if len(text) <= MOST_ECHOED_CHARS else text[:MOST_ECHOED_CHARS] + "…")


class RulesError(ValueError):
    """A caller's mistake: a text or an option that means nothing. `code` and `values` make the message."""

    def __init__(self, code: str, **values: bool | int | str | tuple[str, ...]) -> None:
        self.code = code
        self.values = values
        super().__init__(f"{code} {values}" if values else code)


class InvalidMove(RulesError):
    """A text that is not a move of this game at all."""


class InvalidPosition(RulesError):
    """A text that is not a position of this game, or a position that no game can reach."""


class InvalidOption(RulesError):
    """A set-up that the game does not offer."""


class InvalidData(RulesError):
    """A data file of the game (boards, cards) that breaks its own rules; only its author sees this.

    The values `file` (see `reading`) and `line`, where an engine gives them, say where.
    """


@contextmanager
def reading(file: str) -> Iterator[None]:
    """Names the data file in what goes wrong inside, be it InvalidData or a value of the wrong shape."""
    try:
        yield
    except InvalidData as error:
        raise InvalidData(error.code, **{"file": file, **error.values}) from error
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InvalidData("shape", file=file, error=f"{type(error).__name__}: {error}") from error


TEXT_ERRORS: dict[str, tuple[str, ...]] = {
    "move": ("value",),
    "move.long": ("length", "most"),
    "move.missing": (),
    "position": ("value",),
    "position.long": ("length", "most"),
    "position.phase": ("value",),
    "position.missing": ("name",),
    "position.again": ("name",),
    "position.seats": ("value", "most"),
}
"""Faults of a text that every game can meet; see `text`."""
