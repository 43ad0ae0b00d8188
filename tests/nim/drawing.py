"""The smallest drawing: heaps of matches as one SVG, with the classes that every stage knows and no rule of
its own in the style sheet."""

from collections.abc import Sequence
from typing import Any, ClassVar

from tests.nim.engine import Nim, State
from tutor.draw.drawing import Button, Spot
from tutor.lessons.scene import Option, Scene
from tutor.rules.base import Move

WIDE, HIGH = 100, 120


class NimDrawing:
    template: ClassVar[str] = "games/nim/_table.html"
    piece: ClassVar[str] = ""
    ghost: ClassVar[str] = ""
    pictures: ClassVar[tuple[str, ...]] = ()
    phrases: ClassVar[tuple[str, ...]] = ()

    def __init__(self, game: Nim) -> None:
        self.game = game

    def table(self, scene: Scene) -> dict[str, Any]:
        state: State = scene.state
        return {
            "width": WIDE * len(state.heaps),
            "height": HIGH,
            "description": self.game.format_position(state),
            "heaps": [self._heap(scene, heap) for heap in range(1, len(state.heaps) + 1)],
            "tone": scene.tone,
            "players": [] if scene.compact else [scene.words.word(f"p{seat}") for seat in (1, 2)],
            "active": state.seat,
            "buttons": self._buttons(scene),
        }

    def _heap(self, scene: Scene, heap: int) -> dict[str, Any]:
        left = WIDE * (heap - 1)
        count = scene.state.heaps[heap - 1]
        link = scene.link
        return {
            "name": heap,
            "x": left + 5,
            "matches": [left + 18 + 9 * i for i in range(count)],
            "marked": str(heap) in scene.marks,
            "href": link(Option(picks=(str(heap),))) if link else "",
        }

    def _buttons(self, scene: Scene) -> list[Button]:
        """Who has touched a heap takes so many from it."""
        picked = scene.picks[:1]
        if scene.link is None or not picked or scene.compact:
            return []
        moves = [m for m in self.game.thinkable(scene.state, scene.seat) if m.what[:1] == picked]
        return [self._button(scene, i, move) for i, move in enumerate(moves, 1)]

    def _button(self, scene: Scene, number: int, move: Move) -> Button:
        label = scene.words.say_deed(self.game.tell(scene.state, move))
        return Button.of(scene, f"do-{number}", label, Option(move), "quiet")

    def spots(self, scene: Scene) -> Sequence[Spot]:
        heaps = range(1, len(scene.state.heaps) + 1)
        return [Spot(str(heap), WIDE * (heap - 0.5), HIGH / 2, 40, str(heap)) for heap in heaps]

    def picture(self, name: str) -> str:
        raise KeyError(name)
