"""What a table agrees on before a game. One table of options per game is read here, described to other
programs, and varied by the tests, so that nothing about an option is said twice.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tutor.rules.errors import InvalidOption, quote_input

PLAYERS = "players"

OPTION_ERRORS: dict[str, tuple[str, ...]] = {
    "option": ("option",),
    "option.number": ("option", "value", "least", "most"),
    "option.flag": ("option", "value"),
    "option.one": ("option", "value", "choices"),
    "option.several": ("option", "value", "need", "choices"),
}
"""The faults of an option, with the values of their sentences."""


class Option(Protocol):
    """One thing to agree on. `players` is the number of players, which some options depend on."""

    def read(self, name: str, value: Any, players: int) -> Any:
        """The value, if it is one of this option; else raises InvalidOption."""
        ...

    def usual(self, players: int) -> Any:
        """The value when nobody says anything."""
        ...

    def others(self, players: int) -> Iterator[Any]:
        """Some other values that are worth a try."""
        ...

    def schema(self) -> dict[str, Any]:
        """As JSON Schema, with a description."""
        ...


@dataclass(frozen=True)
class Whole:
    """A whole number. JSON's true is not 1."""

    least: int
    most: int
    default: int
    note: str = ""
    tries: tuple[int, ...] | None = None

    def read(self, name: str, value: Any, players: int) -> int:
        if type(value) is not int or not self.least <= value <= self.most:
            raise InvalidOption(
                "option.number",
                option=quote_input(name),
                value=quote_input(value),
                least=self.least,
                most=self.most,
            )
        return value

    def usual(self, players: int) -> int:
        return self.default

    def others(self, players: int) -> Iterator[int]:
        for value in range(self.least, self.most + 1) if self.tries is None else self.tries:
            if value != self.default:
                yield value

    def schema(self) -> dict[str, Any]:
        limits = {"type": "integer", "minimum": self.least, "maximum": self.most, "default": self.default}
        return limits | ({"description": self.note} if self.note else {})


@dataclass(frozen=True)
class Seat:
    """One of the seats; 0 leaves it to chance."""

    most: int
    note: str

    def read(self, name: str, value: Any, players: int) -> int:
        return Whole(0, players, 0).read(name, value, players)

    def usual(self, players: int) -> int:
        return 0

    def others(self, players: int) -> Iterator[int]:
        yield players

    def schema(self) -> dict[str, Any]:
        return Whole(0, self.most, 0, self.note).schema()


@dataclass(frozen=True)
class Flag:
    """Yes or no."""

    default: bool
    note: str

    def read(self, name: str, value: Any, players: int) -> bool:
        if not isinstance(value, bool):
            raise InvalidOption("option.flag", option=quote_input(name), value=quote_input(value))
        return value

    def usual(self, players: int) -> bool:
        return self.default

    def others(self, players: int) -> Iterator[bool]:
        yield not self.default

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean", "default": self.default, "description": self.note}


@dataclass(frozen=True)
class OneOf:
    """One of a few words, the first by default."""

    choices: tuple[str, ...]
    note: str

    def read(self, name: str, value: Any, players: int) -> str:
        if not isinstance(value, str) or value not in self.choices:
            choices = tuple(map(quote_input, self.choices))
            raise InvalidOption(
                "option.one", option=quote_input(name), value=quote_input(value), choices=choices
            )
        return value

    def usual(self, players: int) -> str:
        return self.choices[0]

    def others(self, players: int) -> Iterator[str]:
        yield from self.choices[1:]

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.choices), "default": self.choices[0], "description": self.note}


def one_each(players: int) -> int:
    return players


@dataclass(frozen=True)
class Several:
    """Different things out of some, as many as `need` says; by default the first, or none if `optional`."""

    among: tuple[int, ...] | tuple[str, ...]
    note: str
    need: Callable[[int], int] = one_each
    optional: bool = False

    def read(self, name: str, value: Any, players: int) -> tuple[Any, ...]:
        need = self.need(players)
        kind = type(self.among[0])
        fits = isinstance(value, list | tuple) and all(
            type(one) is kind and one in self.among for one in value
        )
        if fits and self.optional and not value:
            return ()
        if not fits or len(value) != need or len(set(value)) != need:
            choices = tuple(quote_input(one) for one in self.among)
            raise InvalidOption(
                "option.several",
                option=quote_input(name),
                value=quote_input(value),
                need=need,
                choices=choices,
            )
        return tuple(value)

    def usual(self, players: int) -> tuple[Any, ...]:
        return () if self.optional else self.among[: self.need(players)]

    def others(self, players: int) -> Iterator[tuple[Any, ...]]:
        yield tuple(reversed(self.among))[: self.need(players)]

    def schema(self) -> dict[str, Any]:
        items = {"enum": list(self.among)}
        return {"type": "array", "items": items, "uniqueItems": True, "description": self.note}


def read_options(table: Mapping[str, Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """A value for every option of the table. Raises InvalidOption that names the fault."""
    for name in given:
        if name not in table:
            raise InvalidOption("option", option=quote_input(name))
    players: int = table[PLAYERS].usual(0)
    if PLAYERS in given:
        players = table[PLAYERS].read(PLAYERS, given[PLAYERS], 0)
    return {
        name: option.read(name, given[name], players) if name in given else option.usual(players)
        for name, option in table.items()
    } | {PLAYERS: players}


def variants(table: Mapping[str, Option]) -> Iterator[dict[str, Any]]:
    """Tables worth trying: every number of players; with fewest and most, each option changed once."""
    counts = sorted([table[PLAYERS].usual(0), *table[PLAYERS].others(0)])
    for players in counts:
        yield {PLAYERS: players}
    for players in (counts[0], counts[-1]):
        for name, option in table.items():
            if name != PLAYERS:
                for value in option.others(players):
                    yield {PLAYERS: players, name: list(value) if isinstance(value, tuple) else value}
