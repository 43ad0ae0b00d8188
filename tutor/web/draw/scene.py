"""What a drawing is given, and what it offers to click. No game is named here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from tutor.book.words import Words

Tone = Literal["changed", "refused", "hint"]


@dataclass(frozen=True)
class Option:
    """Something to click: a move to try, or the parts picked so far on the way to one."""

    move: str = ""
    picks: tuple[str, ...] = ()


Link = Callable[[Option], str]


@dataclass(frozen=True)
class Scene:
    """A position as one reader sees it. Without `link` nothing can be clicked."""

    state: Any
    words: Words
    seat: int
    marks: tuple[str, ...] = ()
    tone: Tone = "changed"
    tried: tuple[str, ...] = ()
    """Where a refused move wanted to act."""
    picks: tuple[str, ...] = ()
    link: Link | None = None
    compact: bool = False
    """Only the board itself: no dice, no score row, no other players."""


class Drawing(Protocol):
    """Draws the table of one game."""

    template: str

    def table(self, scene: Scene) -> dict[str, Any]:
        """The values of the template."""
        ...

    def picture(self, name: str) -> str | None:
        """A fixed picture (SVG) that the template refers to."""
        ...
