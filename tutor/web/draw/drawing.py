"""What the drawing of a game promises. No game is named here."""

from typing import Any, ClassVar, Protocol

from tutor.teach.scene import Scene


class Drawing(Protocol):
    """Draws the table of one game."""

    template: ClassVar[str]
    piece: ClassVar[str]
    """The template of one `piece` in the list of pieces; "" if a game has no such list."""
    pictures: ClassVar[tuple[str, ...]]
    """The names of its fixed pictures."""
    phrases: ClassVar[tuple[str, ...]]
    """The phrases that the words of its game must have in every language."""

    def table(self, scene: Scene) -> dict[str, Any]:
        """The values of the template, which knows them as `table`."""
        ...

    def picture(self, name: str) -> str:
        """A fixed picture (SVG) that the template refers to."""
        ...
