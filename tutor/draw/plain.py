"""The drawing of a game that has none of its own yet: the facts of the position, and a button per move.

A fact goes by the phrase `fact-<name>` of its game, if there is one: `heap.1` by `fact-heap` and the number.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from tutor.draw.drawing import Button, Spot
from tutor.lessons.scene import Option, Scene
from tutor.rules.base import Game


class PlainDrawing:
    template: ClassVar[str] = "draw/plain.html"
    piece: ClassVar[str] = ""
    ghost: ClassVar[str] = ""
    pictures: ClassVar[tuple[str, ...]] = ()
    phrases: ClassVar[tuple[str, ...]] = ()

    def __init__(self, game: Game) -> None:
        self.game = game

    def table(self, scene: Scene) -> dict[str, Any]:
        facts = {} if scene.compact else self.game.facts(scene.state)
        return {
            "position": self.game.format_position(scene.state),
            "facts": {
                self._name(scene, name): self._say(scene, value)
                for name, value in facts.items()
                if value is not False and value not in ("", ())
            },
            "buttons": self._buttons(scene),
        }

    def _name(self, scene: Scene, name: str) -> str:
        first, *rest = name.split(".")
        if f"fact-{first}" not in scene.words.phrases:
            return name
        return " ".join([scene.words.phrase(f"fact-{first}"), *map(scene.words.word, rest)])

    def _say(self, scene: Scene, value: object) -> str:
        if value is True:
            return "✓"
        parts = value if isinstance(value, tuple) else (value,)
        return ", ".join(scene.words.word(part) if isinstance(part, str) else str(part) for part in parts)

    def _buttons(self, scene: Scene) -> list[Button]:
        moves = self.game.thinkable(scene.state, scene.seat) if scene.link else ()
        return [
            Button.of(
                scene,
                f"do-{i}",
                scene.words.say_deed(self.game.tell(scene.state, move)),
                Option(move),
                "quiet",
            )
            for i, move in enumerate(moves, 1)
        ]

    def spots(self, scene: Scene) -> Sequence[Spot]:
        return ()

    def picture(self, name: str) -> str:
        raise KeyError(name)
