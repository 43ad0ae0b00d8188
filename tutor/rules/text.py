"""Texts from outside, taken apart strictly: nothing is dropped, renumbered or read twice.

A position is its phase and then `name=value` parts. A fault quotes what was typed.
"""

import re
from collections.abc import Sequence
from typing import NoReturn

from tutor.rules.errors import InvalidMove, InvalidPosition, Typed, quote_input


def tidy_move(text: str, longest: int) -> str:
    """The words of a move with single spaces between them."""
    if len(text) > longest:
        raise InvalidMove("move.long", length=len(text), most=longest)
    tidy = " ".join(text.split())
    if not tidy:
        raise InvalidMove("move.missing")
    return tidy


class Parts:
    """The named parts of a position, which are taken one after the other until none is left."""

    def __init__(self, text: str, phases: Sequence[str], longest: int) -> None:
        if len(text) > longest:
            raise InvalidPosition("position.long", length=len(text), most=longest)
        words = text.split()
        if not words:
            raise InvalidPosition("position.missing", name=Typed("/".join(phases)))
        self.phase, *parts = words
        if self.phase not in phases:
            raise InvalidPosition("position.phase", value=quote_input(self.phase))
        self._typed: dict[str, str] = {}
        for part in parts:
            name, equals, value = part.partition("=")
            if not equals or not name or not value:
                raise InvalidPosition("position", value=quote_input(part))
            if name in self._typed:
                raise InvalidPosition("position.again", name=quote_input(name))
            self._typed[name] = value
        self._left = dict(self._typed)

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def names(self) -> list[str]:
        """What is left, in the order of the text."""
        return list(self._left)

    def take(self, name: str, default: str = "") -> str:
        return self._left.pop(name, default)

    def need(self, name: str) -> str:
        """A part without which the position cannot be."""
        if name not in self._left:
            raise InvalidPosition("position.missing", name=Typed(name))
        return self.take(name)

    def echo(self, name: str) -> Typed:
        """The part as it was typed, for a message; its bare name if it was left out."""
        return quote_input(f"{name}={self._typed[name]}" if name in self._typed else name)

    def players(self, most: int) -> int:
        """How many seats are named: p1, p2 ... without a gap, two at least."""
        seats = sorted(name for name in self._left if re.fullmatch("p[0-9]+", name))
        for number, seat in enumerate(seats, 1):
            if seat != f"p{number}" or number > most:
                raise InvalidPosition("position.seats", value=self.echo(seat), most=most)
        if len(seats) < 2:
            raise InvalidPosition("position.missing", name=Typed(f"p{len(seats) + 1}"))
        return len(seats)

    def end(self) -> None:
        """Nothing may be left over."""
        for name in self._left:
            raise InvalidPosition("position", value=self.echo(name))

    def refuse(self, code: str, name: str, **values: bool | int | str) -> NoReturn:
        raise InvalidPosition(code, value=self.echo(name), **values)
