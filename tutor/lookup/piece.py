"""What a list of pieces tells of each: the type that every game fills."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Link = tuple[str, str]
"""An id and its title."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A card, an area, a tile ... in one language."""

    id: str
    """For good: its anchor on the page."""
    words: tuple[str, ...]
    """What the engine calls it, and a part of it that has a name of its own."""
    kind: str
    """The phrase `pieces-<kind>` names it in the plural."""
    name: str
    text: str
    """All that is printed on it or to be known of it, without HTML."""
    count: int = 0
    """How many there are in the box; 0 for what is printed on other pieces."""
    ours: bool = False
    """Whether what is told here is this project's invention, not printed."""
    marks: tuple[str, ...] = ()
    """Its places on the board."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """What only the picture of it needs."""
    rules: tuple[Link, ...] = ()
    rulings: tuple[Link, ...] = ()
    examples: tuple[Link, ...] = ()
    """Steps of scenarios in which it is used: scenario/step."""


def capital(text: str) -> str:
    """As the name of something that stands alone."""
    return text[:1].upper() + text[1:]
