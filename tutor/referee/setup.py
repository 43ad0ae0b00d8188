"""What setting up a position offers: rows of tools, each of which makes one change.

A change is a short text (`cross p1 C3`), so that an address can carry it. The position may be impossible in
between; whoever plays it is told what is wrong.
"""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NamedTuple, TypeVar

from tutor.book.words import Words
from tutor.rules.base import CHANCE, State
from tutor.rules.errors import InvalidMove, quote_input

LONGEST_CHANGE_CHARS = 60
"""No tool writes a longer change."""

T = TypeVar("T")


class Tool(NamedTuple):
    """Something to touch: a change, or what is picked for the next one."""

    label: str
    do: str = ""
    picks: tuple[str, ...] = ()
    on: bool = False
    """Whether it is so already."""
    used: bool = False
    """Whether the piece lies somewhere already."""


def choose(change: str, values: Iterable[T], now: T, name: Callable[[T], str]) -> tuple[Tool, ...]:
    """A tool for each value that something may have."""
    return tuple(Tool(name(value), f"{change} {value}", on=value == now) for value in values)


class Row(NamedTuple):
    """Tools for one thing; its label is the phrase `set-<id>`."""

    id: str
    tools: tuple[Tool, ...]
    menu: bool = False
    """Too many to show side by side: chosen from a list."""


class Chances(NamedTuple):
    """What chance may do now: an act, and for each of its parts what it may be."""

    act: str
    parts: tuple[tuple[str, ...], ...]


class Setup:
    """What can be changed in a position of one game; nothing, unless a game says more.

    A change is a method: `cross p1 C3` is `do_cross(state, "p1", "C3")`. It raises LookupError or ValueError
    for words that name nothing here."""

    rows_known: ClassVar[tuple[str, ...]] = ()
    """The ids of all rows that it may offer."""

    def __init__(self, game: Any) -> None:
        self.game = game

    def rows(self, state: State, seat: int, picks: tuple[str, ...], words: Words) -> list[Row]:
        """The tools for the position; those of a player are for this seat."""
        return []

    def still(self, state: State, picks: tuple[str, ...]) -> tuple[str, ...]:
        """What of the picks there still is to be had."""
        return picks

    def do(self, state: State, change: str) -> State:
        """The position after a change. Raises InvalidMove for a text that means none."""
        name, *rest = change.split() or [""]
        known = getattr(self, f"do_{name}", None)
        if known is None or len(change) > LONGEST_CHANGE_CHARS:
            raise InvalidMove("move", value=quote_input(change))
        try:
            changed: State = known(state, *rest)
        except (LookupError, TypeError, ValueError):
            # Words that name nothing here, or too many or too few of them.
            raise InvalidMove("move", value=quote_input(change)) from None
        return changed

    def players(self, state: State) -> list[str]:
        return [f"p{seat}" for seat in range(1, self.game.seats(state) + 1)]

    def seat(self, state: State, name: str) -> int:
        """The number of a seat by its name. Raises ValueError if there is none."""
        return self.players(state).index(name) + 1

    def chances(self, state: State) -> Chances:
        moves = [move for move in self.game.moves(state) if move.seat == CHANCE]
        parts = zip(*(move.what for move in moves), strict=False)
        return Chances(moves[0].act, tuple(tuple(dict.fromkeys(values)) for values in parts))

    def name(self, act: str, value: str, words: Words) -> str:
        """What a part of a chance move is called."""
        return words.word(f"p{value}" if act == "first" else value)
