"""What the drawing of a game promises. No game is named here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from tutor.lessons.scene import Option, Scene

RING_WIDTH = 6
"""How far the ring around a place reaches beyond its circle."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a place lies on the board in focus, in the units of its `viewBox`. A circle of radius `r` around
    its middle, with `RING_WIDTH` around that, is on the board."""

    name: str
    """As the engine calls it in `at`; a piece that has no name there goes by one of the drawing's."""
    x: float
    y: float
    r: float
    label: str
    outline: str = ""
    """All of the place as a path, to be touched; the circle if there is none."""
    taken: bool = False
    """Whether a piece lies there, which is to be seen below one that would take its place."""


@dataclass(frozen=True, slots=True)
class Button:
    """A move, or a part of one, that is offered beside the pieces: see `draw/_buttons.html`."""

    id: str
    label: str
    href: str
    tone: str
    hint: bool
    told: str
    """What is said once it was pressed, if nothing else tells."""

    @classmethod
    def of(
        cls, scene: Scene, name: str, label: str, option: Option, tone: str = "plain", told: str = ""
    ) -> "Button":
        """In a scene that has links."""
        assert scene.link
        return cls(name, label, scene.link(option), tone, scene.hints_at(option.move), told)


class Drawing(Protocol):
    """Draws the table of one game."""

    template: ClassVar[str]
    piece: ClassVar[str]
    """The template of one `piece` in the list of pieces; "" if a game has no such list."""
    ghost: ClassVar[str]
    """The template of a move that somebody would make, `one`, at a `spot` of its places; "" if none is
    to be seen."""
    pictures: ClassVar[tuple[str, ...]]
    """The names of its fixed pictures."""
    phrases: ClassVar[tuple[str, ...]]
    """The phrases that the words of its game must have in every language."""

    def table(self, scene: Scene) -> dict[str, Any]:
        """The values of the template, which knows them as `table`."""
        ...

    def spots(self, scene: Scene) -> Sequence[Spot]:
        """The places that can be seen on the board in focus; what lies on another comes after it."""
        ...

    def picture(self, name: str) -> str:
        """A fixed picture (SVG) that the template refers to."""
        ...
