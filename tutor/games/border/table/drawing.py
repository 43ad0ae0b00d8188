"""Draws The Border: a board of hexes with its crosses, the dice, the score row and the other boards.

The colours of a board never change, so they are one picture (`board-1.svg`) that browsers keep; a page adds
crosses, marks and one labelled link per space.
"""

from collections.abc import Sequence
from functools import cached_property
from html import escape, unescape
from math import sqrt
from typing import Any, ClassVar

from markupsafe import Markup

from tutor.book.words import Words
from tutor.draw.drawing import Button, Spot
from tutor.draw.palette import GLYPHS, INKS
from tutor.games.border.engine import Border
from tutor.games.border.engine.board import COLOURS, Board
from tutor.games.border.engine.scoring import Entry
from tutor.games.border.engine.state import ALL_DICE, FIRST, IN_THE_AIR, ROLL, SECOND, State
from tutor.games.border.table.art import ICONS, TINTS
from tutor.lessons.scene import Option, Scene
from tutor.rules.base import Move

PICKED = 2
"""The place of that label, after the open and the crossed one."""
SIDE = 20.0
WIDTH = SIDE * sqrt(3)
MARGIN = 6.0
ARM = 8
SPOT = 17
"""The radius of a circle inside a hexagon."""
WINDOW = 300
"""How far apart two spaces can be, in the units of the drawing, to be seen together on a small phone."""
CORNERS = [  # of a hexagon around 0
    (0, -1),
    (sqrt(3) / 2, -0.5),
    (sqrt(3) / 2, 0.5),
    (0, 1),
    (-sqrt(3) / 2, 0.5),
    (-sqrt(3) / 2, -0.5),
]
STYLE = (
    "<style>.n{font:600 10px system-ui,sans-serif;text-anchor:middle}"
    ".v{font:700 12px system-ui,sans-serif;text-anchor:middle;fill:#3d3a34}"
    ".i{fill:none;stroke:#3d3a34;stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}"
    "</style>"
)
"""Of the fixed picture. The names of spaces can be read on a phone too, where a space is 32 pixels wide."""


HEXAGON = " ".join(f"{dx * SIDE:.1f},{dy * SIDE:.1f}" for dx, dy in CORNERS)


def _centre(row: int, half: int) -> tuple[float, float]:
    return MARGIN + (half + 1) * WIDTH / 2, MARGIN + SIDE + row * 1.5 * SIDE


def _hexagon(row: int, half: int, size: float) -> str:
    x, y = _centre(row, half)
    return " ".join(f"{x + dx * size:.1f},{y + dy * size:.1f}" for dx, dy in CORNERS)


class BorderDrawing:
    """The drawing of one set of boards."""

    template: ClassVar[str] = "games/border/_table.html"
    piece: ClassVar[str] = "games/border/_piece.html"
    ghost: ClassVar[str] = "games/border/_ghost.html"
    pictures: ClassVar[tuple[str, ...]] = ("glyphs", "board-1", "board-2", "board-3", "board-4")
    phrases: ClassVar[tuple[str, ...]] = (
        "area-circled", "area-open", "beside", "board", "crossed", "die", "die-picked", "die-thrown",
        "die-used", "do-clear", "do-cross", "do-done", "do-reroll", "do-roll", "marked", "phase-faces",
        "phase-first", "phase-over",
        "phase-roll", "phase-second", "phase-start", "pick-hint-first", "pick-hint-last", "pick-hint-second",
        "roll-count", "score", "space-crossed", "space-open", "space-picked", "space-where", "space-white",
        "summary",
    )  # fmt: skip

    def __init__(self, game: Border) -> None:
        self.game = game
        geometry = game.geometry
        rows = max(row for row, _ in geometry.at) + 1
        halves = max(half for _, half in geometry.at) + 2
        self.width = round(2 * MARGIN + halves * WIDTH / 2)
        self.height = round(2 * MARGIN + (1.5 * rows + 0.5) * SIDE)
        self.polygons = [_hexagon(row, half, SIDE) for row, half in geometry.at]
        self.centres = [_centre(row, half) for row, half in geometry.at]
        self.cross_strokes = [self._cross(i) for i in range(len(geometry.at))]
        self._labelled: dict[tuple[str, int], list[tuple[str, ...]]] = {}
        self.targets = [f'<use href="#hex" x="{x:.1f}" y="{y:.1f}"/></a>' for x, y in self.centres]

    def _cross(self, i: int) -> str:
        x, y = self.centres[i]
        return f"M{x - ARM:.0f} {y - ARM:.0f}l{2 * ARM} {2 * ARM}m0-{2 * ARM}l-{2 * ARM} {2 * ARM}"

    # The values of the template

    def table(self, scene: Scene) -> dict[str, Any]:
        state: State = scene.state
        values: dict[str, Any] = {
            "width": self.width,
            "height": self.height,
            "board": self._board(scene, scene.seat),
            "look": self._look(scene),
            "marked": [name for name in self.game.geometry.names if name in scene.marks],
            "description": self._description(scene),
        }
        if scene.compact:
            return values
        touched = scene.link or scene.edit or scene.point
        others = [seat for seat in range(1, len(state.boards) + 1) if seat != scene.seat]
        values |= {
            "colours": [] if touched else self._segments(scene.words, state.boards[scene.seat - 1]),
            "row": self._score_row(scene, scene.seat),
            "dice": self._dice(scene),
            "rolls": self._dice_label(scene),
            "phase": scene.words.phrase(f"phase-{state.phase}"),
            "others": [self._board(scene, seat) for seat in others],
            "buttons": self._buttons(scene),
            "hint": self._hint(scene),
        }
        values["marked"] += [one["name"] for one in values["dice"] if one["hint"]]
        values["marked"] += [one.label for one in values["buttons"] if one.hint]
        return values

    def _look(self, scene: Scene) -> str:
        """The middle of what matters, in shares of width and height: where a phone begins to show it. Nothing
        where that does not fit a window: then the whole board is shown."""
        index = self.game.geometry.index
        matters = [name for name in (*scene.marks, *scene.tried, *scene.look) if name in index]
        places = [scene.pointed] if scene.pointed in index else matters
        if not places:
            return ""
        xs, ys = zip(*(self.centres[index[name]] for name in places), strict=True)
        if max(xs) - min(xs) > WINDOW:
            return ""
        return f"{(min(xs) + max(xs)) / 2 / self.width:.2f} {(min(ys) + max(ys)) / 2 / self.height:.2f}"

    def spots(self, scene: Scene) -> Sequence[Spot]:
        state: State = scene.state
        labels = self._labels(scene)
        crosses = state.crosses[scene.seat - 1]
        found = []
        for i, name in enumerate(self.game.geometry.names):
            x, y = self.centres[i]
            label = unescape(labels[i][crosses >> i & 1])
            found.append(Spot(name, round(x, 1), round(y, 1), SPOT, label, f"M{self.polygons[i]}Z"))
        return found

    def _board(self, scene: Scene, seat: int) -> dict[str, Any]:
        state: State = scene.state
        crosses = state.crosses[seat - 1]
        focus = seat == scene.seat
        geometry = self.game.geometry
        score = sum(self.game.circled(state, seat).values())
        marks = [i for i, name in enumerate(geometry.names) if focus and name in scene.marks]
        tried = [name for name in scene.tried if focus and name in geometry.index]
        fresh = [i for i in marks if crosses >> i & 1] if scene.tone == "changed" else []
        return {
            "number": state.boards[seat - 1],
            "player": scene.words.word(f"p{seat}"),
            "title": scene.words.phrase("board", player=f"p{seat}"),
            "summary": self._summary(scene, seat),
            "score_label": "" if scene.quiet else scene.words.phrase("score", score=score),
            "active": seat == state.active,
            "crosses": self._strokes(crosses & ~sum(1 << i for i in fresh)),
            "fresh": "".join(self.cross_strokes[i] for i in fresh),
            "marks": [self.polygons[i] for i in marks],
            "names": self._names([i for i in marks if not crosses >> i & 1]) if scene.tone == "asked" else (),
            "tried": "".join(self.cross_strokes[geometry.index[name]] for name in tried),
            "tone": scene.tone,
            "spaces": self._spaces(scene) if focus and (scene.link or scene.edit) else "",
        }

    def _names(self, spaces: list[int]) -> list[tuple[str, str, str]]:
        """A question names its spaces, over the small printed names: they can be read on a phone too."""
        names = self.game.geometry.names
        return [(f"{x:.0f}", f"{y + 12:.0f}", names[i]) for i in spaces for x, y in [self.centres[i]]]

    def _find_picked(self, scene: Scene) -> tuple[str, ...]:
        """Open spaces gathered for the first action; in the second each space is a move of its own."""
        state: State = scene.state
        if state.phase != FIRST or scene.seat != state.active:
            return ()
        index, crosses = self.game.geometry.index, state.crosses[scene.seat - 1]
        return tuple(p for p in scene.picks if p in index and not crosses >> index[p] & 1)

    def _strokes(self, crosses: int) -> str:
        return "".join(d for i, d in enumerate(self.cross_strokes) if crosses >> i & 1)

    def _spaces(self, scene: Scene) -> Markup:
        """A labelled link per space. There are 86 at every click, so they are put together by hand."""
        state: State = scene.state
        geometry = self.game.geometry
        labels = self._labels(scene)
        crosses = state.crosses[scene.seat - 1]
        picks = self._find_picked(scene)
        link = scene.link or (lambda option: "")
        gathers = state.phase == FIRST and scene.seat == state.active
        found = [f'<defs><polygon id="hex" points="{HEXAGON}"/></defs>']
        for i, name in enumerate(geometry.names):
            crossed = bool(crosses >> i & 1)
            picked = name in picks
            # In the first action spaces are gathered, then crossed together; in the second each is a move. A
            # space that is crossed already is tried at once: the refusal need not wait for the others.
            if scene.edit:
                href = scene.edit(f"cross p{scene.seat} {name}")
            elif gathers and not crossed:
                left = tuple(pick for pick in picks if pick != name) if picked else (*picks, name)
                href = link(Option(picks=left))
            else:
                href = link(Option(Move(scene.seat, "cross", (name,))))
            found.append(
                f'<a id="space-{name}" class="{"space picked" if picked else "space"}" href="{escape(href)}" '
                f'aria-label="{labels[i][PICKED if picked else crossed]}">{self.targets[i]}'
            )
        return Markup("".join(found))  # nosec B704

    def _labels(self, scene: Scene) -> list[tuple[str, ...]]:
        """What the spaces of the board in focus are called while open, crossed or picked; of those that are
        marked it is said."""
        found = self._label_spaces(scene.words, scene.state.boards[scene.seat - 1])
        marked = escape(scene.words.phrase("marked"))
        index = self.game.geometry.index
        marks = {index[name] for name in scene.marks if name in index}
        return [
            tuple(f"{said}, {marked}{where}" if i in marks else said + where for said in labels)
            for i, (*labels, where) in enumerate(found)
        ]

    def _label_spaces(self, words: Words, number: int) -> list[tuple[str, ...]]:
        """The labels of a board, and last where its spaces lie: the same for every reader of a language, so
        said once."""
        if (words.lang, number) not in self._labelled:
            board, geometry = self.game.boards[number - 1], self.game.geometry
            self._labelled[words.lang, number] = [
                (
                    *(
                        escape(
                            words.phrase("space-white", space=name)
                            if geometry.white >> i & 1
                            else words.phrase(
                                key,
                                space=name,
                                colour=COLOURS[board.colours[i]],
                                size=board.segment_of[i].bit_count(),
                            )
                        )
                        for key in ("space-open", "space-crossed", "space-picked")
                    ),
                    escape(f"; {self._where(words, i)}"),
                )
                for i, name in enumerate(geometry.names)
            ]
        return self._labelled[words.lang, number]

    def _where(self, words: Words, space: int) -> str:
        """What a space lies around and beside, for those who do not see it."""
        geometry = self.game.geometry
        areas = ", ".join(words.word(geometry.areas[area].id) for area in geometry.areas_at[space])
        beside = ", ".join(geometry.spaces(geometry.neighbours[space]))
        return words.phrase("space-where", areas=areas, spaces=beside)

    def _dice(self, scene: Scene) -> list[dict[str, Any]]:
        state: State = scene.state
        picked = {pick for pick in scene.picks if pick.isdecimal()}
        can_pick = scene.link is not None and scene.seat == state.active and self.game.may_reroll(state)
        by_active = state.spent[state.active - 1] if state.active else 0
        found = []
        for i, letter in enumerate(state.dice):
            number = str(i + 1)
            # When all five were used, each of the others may still use one of them.
            shared = state.phase == SECOND and by_active == ALL_DICE
            gone = (0 if shared else by_active) | state.spent[scene.seat - 1]
            used = state.phase in (FIRST, SECOND) and bool(gone >> i & 1)
            if letter == IN_THE_AIR:
                name = label = scene.words.phrase("die-thrown", number=i + 1)
            else:
                key = "die-picked" if number in picked else "die-used" if used else "die"
                name = scene.words.phrase("die", number=i + 1, colour=COLOURS[letter])
                label = scene.words.phrase(key, number=i + 1, colour=COLOURS[letter])
            others = picked - {number} if number in picked else picked | {number}
            href = scene.link(Option(picks=tuple(sorted(others)))) if scene.link and can_pick else ""
            if scene.edit and letter != IN_THE_AIR:
                href = scene.edit(f"die {number}")
            found.append(
                {
                    "number": number,
                    "colour": COLOURS.get(letter, ""),
                    "name": name,
                    "label": label,
                    "used": used,
                    "picked": number in picked,
                    "hint": bool(scene.hint and scene.hint.act == "reroll" and number in scene.hint.what),
                    "href": href,
                }
            )
        return found

    def _dice_label(self, scene: Scene) -> str:
        """How many rolls were made, or what is left of the dice for the others."""
        state: State = scene.state
        if state.phase != SECOND:
            told = state.rolls and scene.knows("border.roll.three", "border.roll.all-five")
            return scene.words.phrase("roll-count", rolls=state.rolls) if told else ""
        by_active = state.spent[state.active - 1]
        if by_active == ALL_DICE:
            return scene.words.phrase("dice-all-used")
        gone = by_active | state.spent[scene.seat - 1]
        return scene.words.phrase("dice-left", count=len(state.dice) - gone.bit_count())

    def _buttons(self, scene: Scene) -> list[Button]:
        if not scene.link:
            return []
        state: State = scene.state
        seat, words = scene.seat, scene.words
        spaces = self._find_picked(scene)
        dice = [pick for pick in scene.picks if pick.isdecimal()]
        found = []

        def offer(act: str, tone: str, *what: str) -> None:
            label = words.phrase(f"do-{act}", count=len(what))
            found.append(Button.of(scene, f"do-{act}", label, Option(Move(seat, act, what)), tone))

        if state.phase == ROLL and seat == state.active:
            offer("roll", "main")
        if spaces:
            offer("cross", "main", *spaces)
        if dice:
            offer("reroll", "main", *dice)
        if spaces or dice:
            found.append(Button.of(scene, "unpick", words.phrase("do-clear"), Option()))
        elif state.phase in (FIRST, SECOND):
            offer("done", "plain")
        return found

    def _hint(self, scene: Scene) -> str:
        if not scene.link or scene.picks:
            return ""
        state: State = scene.state
        if state.phase == FIRST and scene.seat == state.active:
            return scene.words.phrase("pick-hint-first" if self.game.may_reroll(state) else "pick-hint-last")
        if state.phase == SECOND and scene.seat != state.active:
            return scene.words.phrase("pick-hint-second")
        return ""

    def _score_row(self, scene: Scene, seat: int) -> list[dict[str, Any]]:
        row = []
        for entry in self.game.score_row(scene.state, seat):
            if scene.asked == f"circled.p{seat}.{entry.area.id}":
                entry = entry._replace(points=0, gone=False)
            row.append(
                {
                    "id": entry.area.id,
                    "high": entry.area.high,
                    "low": entry.area.low,
                    "circled": ("high" if entry.high else "low") if entry.points else "",
                    "gone": entry.gone,
                    "label": self._area_label(scene, seat, entry),
                }
            )
        return row

    def _area_label(self, scene: Scene, seat: int, entry: Entry) -> str:
        area = entry.area
        if entry.points:
            return scene.words.phrase("area-circled", area=area.id, points=entry.points)
        geometry = self.game.geometry
        ring = geometry.rings[geometry.areas.index(area)]
        still = ", ".join(geometry.spaces(ring & ~scene.state.crosses[seat - 1]))
        told = scene.words.phrase("area-open", area=area.id, open=entry.missing, high=area.high, low=area.low)
        return f"{told} ({still})" if still else told

    def _summary(self, scene: Scene, seat: int) -> str:
        """Crosses, areas and score in words; nothing while a question may ask for them."""
        if scene.quiet:
            return ""
        state: State = scene.state
        crosses = (state.crosses[seat - 1] & ~self.game.geometry.white).bit_count()
        circled = self.game.circled(state, seat)
        return scene.words.phrase(
            "summary",
            player=f"p{seat}",
            crosses=crosses,
            areas=len(circled),
            score=sum(circled.values()),
        )

    def _description(self, scene: Scene) -> str:
        """The position in words, for those who do not see the picture."""
        state: State = scene.state
        parts = [self._summary(scene, seat) for seat in range(1, len(state.boards) + 1)]
        crossed = state.crosses[scene.seat - 1] & ~self.game.geometry.white
        if crossed:
            spaces = self.game.geometry.spaces(crossed)
            parts.append(scene.words.phrase("crossed", player=f"p{scene.seat}", spaces=spaces))
        if not scene.link:  # where spaces have labels, these name their neighbours
            geometry, all_crosses = self.game.geometry, state.crosses[scene.seat - 1]
            beside = geometry.spaces(geometry.beside(all_crosses) & ~all_crosses)
            if beside:
                parts.append(scene.words.phrase("beside", spaces=beside))
        return " ".join(parts)

    def _segments(self, words: Words, number: int) -> list[str]:
        """The spaces of each colour, segment by segment: what a picture shows, where no space has a label."""
        board, spaces = self.game.boards[number - 1], self.game.geometry.spaces
        told = []
        for letter, colour in COLOURS.items():
            name = words.word(colour)
            segments = "; ".join(", ".join(spaces(segment)) for segment in board.segments_of[letter])
            told.append(f"{name[:1].upper()}{name[1:]}: {segments}")
        return told

    # The fixed pictures

    def picture(self, name: str) -> str:
        if name == "glyphs":
            return self._glyphs()
        return self._colours(self.game.boards[int(name.removeprefix("board-")) - 1])

    def _glyphs(self) -> str:
        """The signs of the colours and areas, for dice and score row; drawn in the text's own colour."""
        signs = [f'<path id="{name}" d="{d}" fill="currentColor"/>' for name, d in GLYPHS.items()]
        lines = 'fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"'
        signs += [f'<path id="{name}" d="{d}" {lines} stroke-linejoin="round"/>' for name, d in ICONS.items()]
        return f'<svg xmlns="http://www.w3.org/2000/svg"><defs>{"".join(signs)}</defs></svg>'

    def _colours(self, board: Board) -> str:
        geometry = self.game.geometry
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}">',
            STYLE,
            f'<rect width="{self.width}" height="{self.height}" rx="14" fill="#fffdf8"/>',
        ]
        for area, hexes, (x, y) in zip(geometry.areas, geometry.hexes, self._middles, strict=True):
            tint = TINTS[area.id]
            for row, half in hexes:
                parts.append(
                    f'<polygon points="{_hexagon(row, half, SIDE + 0.4)}" fill="{tint}" stroke="{tint}"/>'
                )
            place = f"translate({x - 14:.1f} {y - 18:.1f}) scale(1.15)"
            parts.append(f'<path class="i" transform="{place}" d="{ICONS[area.id]}"/>')
            parts.append(f'<text class="v" x="{x:.1f}" y="{y + 22:.1f}">{area.high} · {area.low}</text>')
        for i, (letter, (row, half)) in enumerate(zip(board.colours, geometry.at, strict=True)):
            x, y = self.centres[i]
            name = COLOURS.get(letter, "white")
            fill, ink = INKS[name]
            parts.append(
                f'<polygon points="{_hexagon(row, half, SIDE * 0.9)}" fill="{fill}" stroke="{ink}"'
                f' stroke-width=".8"/>'
            )
            if name in GLYPHS:
                parts.append(
                    f'<path transform="translate({x:.1f} {y - 6:.1f}) scale(.8)" d="{GLYPHS[name]}"'
                    f' fill="{ink}"/>'
                )
            parts.append(
                f'<text class="n" x="{x:.1f}" y="{y + 10.5:.1f}" fill="{ink}">{geometry.names[i]}</text>'
            )
        parts.append("</svg>")
        return "".join(parts)

    @cached_property
    def _middles(self) -> list[tuple[float, float]]:
        return [self._middle(hexes) for hexes in self.game.geometry.hexes]

    def _middle(self, hexes: tuple[tuple[int, int], ...]) -> tuple[float, float]:
        """Where an area has most room for its icon, with its values below: far from the spaces around it."""
        points = [_centre(row, half) for row, half in hexes]
        xs, ys = [x for x, _ in points], [y for _, y in points]
        near = 3 * SIDE
        around = [
            (x, y)
            for x, y in self.centres
            if min(xs) - near < x < max(xs) + near and min(ys) - near < y < max(ys) + near
        ]
        step = SIDE / 4
        spots = [
            (min(xs) + step * i, min(ys) + step * j)
            for i in range(int((max(xs) - min(xs)) / step) + 1)
            for j in range(int((max(ys) - min(ys)) / step) + 1)
        ]

        def room(spot: tuple[float, float]) -> float:
            x, y = spot
            need = [(x - 10, y - 10), (x + 10, y - 10), (x - 14, y + 18), (x + 14, y + 18)]
            return min((u - a) ** 2 + (v - b) ** 2 for u, v in need for a, b in around)

        return max(spots, key=room)
