"""Conditions under which another sentence is said: `have>=need`, `count=0`, `placer=nobody`."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tutor.rules.base import Value

_GUARD = re.compile(r"([a-z][a-z0-9_.-]*)(>=|<|=)([a-zA-Z0-9][a-zA-Z0-9_.-]*)")


@dataclass(frozen=True)
class Guard:
    """Compares a value with another value, a number or an id."""

    left: str
    sign: str
    right: str

    @classmethod
    def parse(cls, text: str) -> "Guard":
        """Raises ValueError for what is no guard."""
        found = _GUARD.fullmatch(text)
        if not found or (found[2] != "=" and found[3] == found[1]):
            raise ValueError(text)
        return cls(*found.groups())

    def __str__(self) -> str:
        return f"{self.left}{self.sign}{self.right}"

    def holds(self, values: Mapping[str, Value]) -> bool:
        if self.left not in values:
            return False
        left = values[self.left]
        right = int(self.right) if self.right.isdecimal() else values.get(self.right, self.right)
        if self.sign == "=":
            return left == right
        if not isinstance(left, int) or not isinstance(right, int):
            return False
        return left >= right if self.sign == ">=" else left < right

    def unknown(self, names: Collection[str], ids: Mapping[str, Sequence[Value]]) -> list[str]:
        """What it names that nobody gives: `names` are the values of the sentence, `ids` what they can be."""
        found = [] if self.left in names else [self.left]
        known = self.right.isdecimal() or self.right in names or self.right in ids.get(self.left, ())
        return found if known else [*found, self.right]
