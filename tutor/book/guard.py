"""Conditions under which another sentence is said: `have>=need`, `count=0`, `own=1&tile=joker`."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tutor.rules.base import Value

_COMPARISON = re.compile(r"([a-z][a-z0-9_.-]*)(>=|<|=)([a-zA-Z0-9][a-zA-Z0-9_.-]*)")


@dataclass(frozen=True)
class _Comparison:
    """Compares a value with another value, a number or an id."""

    left: str
    sign: str
    right: str

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
        found = [] if self.left in names else [self.left]
        known = self.right.isdecimal() or self.right in names or self.right in ids.get(self.left, ())
        return found if known else [*found, self.right]


@dataclass(frozen=True)
class Guard:
    """One comparison, or several of which all must hold."""

    comparisons: tuple[_Comparison, ...]

    @classmethod
    def parse(cls, text: str) -> "Guard":
        """Raises ValueError for a malformed guard."""
        found = [_COMPARISON.fullmatch(part) for part in text.split("&")]
        comparisons = tuple(_Comparison(*match.groups()) for match in found if match)
        if len(comparisons) < len(found) or any(c.sign != "=" and c.left == c.right for c in comparisons):
            raise ValueError(text)
        return cls(comparisons)

    def __str__(self) -> str:
        return "&".join(f"{one.left}{one.sign}{one.right}" for one in self.comparisons)

    def holds(self, values: Mapping[str, Value]) -> bool:
        return all(one.holds(values) for one in self.comparisons)

    def unknown(self, names: Collection[str], ids: Mapping[str, Sequence[Value]]) -> list[str]:
        """What it names that nobody gives: `names` are the values of the sentence, `ids` what they can be."""
        return [odd for one in self.comparisons for odd in one.unknown(names, ids)]
