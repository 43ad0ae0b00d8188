"""Draws Blockers!: the board with its nine areas, tiles, racks and captured piles.

A tile has its colour, the colour's glyph in a corner and its face. The board and the pieces are fixed
pictures; a page places them. In a lesson a tile is picked from the rack, then a cell.
"""

from collections.abc import Sequence
from html import escape
from typing import Any, ClassVar

from markupsafe import Markup

from tutor.draw.drawing import Button, Spot
from tutor.games.blockers.engine import Blockers
from tutor.games.blockers.engine.board import CELLS, FACES, JOKER, NAMES, bits, groups
from tutor.games.blockers.engine.notation import tile_id
from tutor.games.blockers.engine.scoring import scores
from tutor.games.blockers.engine.state import OVER, PLACE, State, captured, due, open_joker, playable, supply
from tutor.games.blockers.table.art import CELL, SIZE, board_picture, corner, pieces_picture
from tutor.lessons.scene import Option, Scene
from tutor.rules.base import Move

SHOW_GROUPS = "groups"
"""Picks the outlines of all groups; also the fact that counts those of a player."""
GROUPS = "blockers.group.edges"
"""The rule from which on groups are counted."""
CAPTURES = ("blockers.capture.opponent", "blockers.capture.pile")
UNKNOWN = "any"
"""Picks a face-down tile."""
SPOT = 18
"""The radius of a circle inside a cell."""


class BlockersDrawing:
    template: ClassVar[str] = "games/blockers/_table.html"
    piece: ClassVar[str] = "games/blockers/_piece.html"
    ghost: ClassVar[str] = "games/blockers/_ghost.html"
    pictures: ClassVar[tuple[str, ...]] = ("board", "pieces")
    phrases: ClassVar[tuple[str, ...]] = (
        "board", "board-empty", "cell-empty", "cell-tile", "do-clear", "do-hide-groups", "do-pass",
        "do-show-groups", "group", "group-count", "groups-hidden", "hint-cell", "hint-tile", "marked",
        "on-board", "on-board-quiet", "phase-deal", "phase-draw", "phase-over", "phase-place", "phase-start",
        "pile", "pile-colour", "rack", "score", "supply", "tile", "tile-hidden", "tile-picked",
    )  # fmt: skip

    def __init__(self, game: Blockers) -> None:
        self.game = game

    def table(self, scene: Scene) -> dict[str, Any]:
        state: State = scene.state
        values: dict[str, Any] = {
            "size": SIZE,
            "title": scene.words.phrase("board"),
            "tiles": self._tiles(scene),
            "marks": self._marks(scene),
            "marked": [cell for cell in scene.marks if cell in CELLS],
            "tone": scene.tone,
            "tried": [corner(cell) for cell in scene.tried if cell in CELLS],
            "groups": self._outlines(scene),
            "cells": self._cells(scene) if scene.link or scene.edit else "",
            "clickable": bool(scene.edit or (scene.link and self._find_picked(scene))),
            "description": self._description(scene),
        }
        if scene.compact:
            return values
        seats = range(1, state.table.players + 1)
        order = [scene.seat, *(seat for seat in seats if seat != scene.seat)]
        values |= {
            "phase": scene.words.phrase(f"phase-{state.phase}"),
            "players": [self._player(scene, seat) for seat in order],
            "buttons": self._buttons(scene),
            "hint": self._hint(scene),
        }
        tiles = [tile for rack in values["players"][0]["racks"] for tile in rack["tiles"]]
        values["marked"] += [one["name"] for one in tiles if one["hint"]]
        values["marked"] += [one.label for one in values["buttons"] if one.hint]
        return values

    # The board

    def spots(self, scene: Scene) -> Sequence[Spot]:
        found = []
        for cell in CELLS:
            x, y = corner(cell)
            square = f"M{x} {y}h{CELL}v{CELL}h-{CELL}Z"
            label = self._cell_label(scene, cell)
            taken = self._lying(scene.state, cell) is not None
            found.append(Spot(cell, x + CELL / 2, y + CELL / 2, SPOT, label, square, taken))
        return found

    def _lying(self, state: State, cell: str) -> tuple[str, str] | None:
        """The colour and face of the tile on a cell."""
        here = state.tiles[CELLS[cell].bit_length() - 1]
        if not here:
            return None
        return state.table.colours[(here - 1) // FACES], self.game.box.faces[(here - 1) % FACES]

    def _tiles(self, scene: Scene) -> list[dict[str, Any]]:
        state: State = scene.state
        fresh = scene.marks if scene.tone == "changed" else ()
        found = []
        for cell in CELLS:
            tile = self._lying(state, cell)
            if tile:
                x, y = corner(cell)
                colour, face = tile
                new = cell in fresh
                found.append({"x": x, "y": y, "colour": colour, "face": tile_id(face), "fresh": new})
        return found

    def _marks(self, scene: Scene) -> list[dict[str, Any]]:
        """The marked cells; where a capture would split a group, each part that falls off has its number."""
        cells = [cell for cell in scene.marks if cell in CELLS]
        mask = sum(CELLS[cell] for cell in cells if cell not in scene.tried)
        parts = list(groups(mask)) if scene.tone == "refused" and mask else []
        found = []
        for cell in cells:
            x, y = corner(cell)
            part = next((str(i) for i, one in enumerate(parts, 1) if one & CELLS[cell]), "")
            found.append({"x": x, "y": y, "part": part if len(parts) > 1 else ""})
        return found

    def _outlines(self, scene: Scene) -> list[dict[str, Any]]:
        """Each group of each colour with its number, outlined on demand; those of one player once it is told
        how many there are."""
        state: State = scene.state
        asked, _, player = scene.told.partition(".")
        if SHOW_GROUPS not in scene.picks and asked != SHOW_GROUPS:
            return []
        found = []
        for c, colour in enumerate(state.table.colours):
            if SHOW_GROUPS not in scene.picks and player != f"p{c % state.table.players + 1}":
                continue
            for number, group in enumerate(groups(state.masks[c]), 1):
                cells = [NAMES[bit] for bit in bits(group)]
                x, y = corner(cells[0])
                label = scene.words.phrase("group", colour=colour, number=number, cells=tuple(cells))
                found.append({"path": _outline(cells), "x": x, "y": y, "number": number, "label": label})
        return found

    def _cells(self, scene: Scene) -> Markup:
        """One labelled place per cell, a link once a tile is picked; put together by hand, for speed."""
        tile = self._find_picked(scene)
        colour = self._colour(scene)
        found = []
        for cell in CELLS:
            x, y = corner(cell)
            label = escape(self._cell_label(scene, cell))
            href = ""
            if scene.edit:
                href = self._change(scene, tile, cell)
            elif scene.link and tile:
                href = scene.link(Option(Move(scene.seat, "place", (colour, tile, cell))))
            if href:
                found.append(
                    f'<a id="cell-{cell}" class="space" href="{escape(href)}" aria-label="{label}">'
                    f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}"/></a>'
                )
            else:
                found.append(
                    f'<g role="img" aria-label="{label}">'
                    f'<rect class="still" x="{x}" y="{y}" width="{CELL}" height="{CELL}"/></g>'
                )
        return Markup("".join(found))  # nosec B704

    def _change(self, scene: Scene, tile: str, cell: str) -> str:
        """While a position is set up: the picked tile is put down; without one, what lies there goes."""
        assert scene.edit
        if tile:
            colours = scene.state.table.colours
            colour = next((pick for pick in scene.picks if pick in colours), colours[0])
            return scene.edit(f"put {colour} {tile} {cell}")
        return scene.edit(f"take {cell}") if self._lying(scene.state, cell) else ""

    def _cell_label(self, scene: Scene, cell: str) -> str:
        tile = self._lying(scene.state, cell)
        symbol = self.game.box.symbol(cell)
        if tile is None:
            label = scene.words.phrase("cell-empty", cell=cell, symbol=symbol)
        else:
            label = scene.words.phrase(
                "cell-tile", cell=cell, symbol=symbol, colour=tile[0], tile=tile_id(tile[1])
            )
        return f"{label}, {scene.words.phrase('marked')}" if cell in scene.marks else label

    # Players

    def _colour(self, scene: Scene) -> str:
        """The colour that the viewer plays now."""
        state: State = scene.state
        own = state.table.colours[scene.seat - 1 :: state.table.players]
        colour = state.table.colours[due(state)] if state.phase == PLACE else own[0]
        return colour if colour in own else own[0]

    def _find_picked(self, scene: Scene) -> str:
        """The tile picked from the rack, if it is one of this game."""
        return next((pick for pick in scene.picks if pick in self.game.box.face), "")

    def _player(self, scene: Scene, seat: int) -> dict[str, Any]:
        state: State = scene.state
        words = scene.words
        counts = captured(state, seat)
        pile = [
            {
                "colour": colour,
                "count": count,
                "label": words.phrase("pile-colour", colour=colour, count=count),
            }
            for colour, count in zip(state.table.colours, counts, strict=True)
            if count
        ]
        counts_captures = any(counts) or scene.knows(*CAPTURES)
        score = scores(state, state.table.edition)[seat - 1]
        return {
            "name": words.word(f"p{seat}"),
            "turn": state.phase == PLACE and due(state) % state.table.players == seat - 1,
            "racks": [
                self._rack(scene, seat, c)
                for c in range(seat - 1, len(state.table.colours), state.table.players)
            ],
            "pile": pile,
            "pile_label": words.phrase("pile", count=sum(counts)) if counts_captures else "",
            "score": words.phrase("score", score=score) if state.phase == OVER and not scene.quiet else "",
        }

    def _rack(self, scene: Scene, seat: int, c: int) -> dict[str, Any]:
        state: State = scene.state
        words = scene.words
        colour = state.table.colours[c]
        faces = [*self.game.box.tiles(state.racks[c]), *([JOKER] if open_joker(state, c) else [])]
        count = len(faces) + state.hidden[c]
        mine = scene.link is not None and seat == scene.seat and colour == self._colour(scene)
        picked = self._find_picked(scene)
        hidden = state.hidden[c]
        if mine and UNKNOWN in scene.picks:  # a face-down tile that is touched can be any that may be there
            faces, hidden = list(self.game.box.tiles(playable(state, c))), 0
        elif mine and hidden and picked and picked not in faces:
            faces, hidden = [*faces, picked], hidden - 1
        tiles = []
        for face in faces:
            this = mine and face == picked
            name = words.phrase("tile", colour=colour, tile=tile_id(face))
            label = words.phrase("tile-picked", colour=colour, tile=tile_id(face)) if this else name
            href = scene.link(Option(picks=() if this else (face,))) if mine and scene.link else ""
            hint = mine and scene.hint is not None and face in scene.hint.what
            tiles.append(
                {
                    "face": tile_id(face),
                    "name": name,
                    "label": label,
                    "href": href,
                    "picked": this,
                    "hint": hint,
                }
            )
        return {
            "colour": colour,
            "label": words.phrase("rack", colour=colour, count=count),
            "tiles": tiles,
            "hidden": hidden,
            "reveal": scene.link(Option(picks=(UNKNOWN,))) if mine and scene.link else "",
            "hidden_label": words.phrase("tile-hidden", colour=colour),
            "supply": words.phrase("supply", count=supply(state, c)),
            "groups": ""
            if scene.quiet or not scene.knows(GROUPS)
            else words.phrase("group-count", colour=colour, count=len(list(groups(state.masks[c])))),
        }

    def _buttons(self, scene: Scene) -> list[Button]:
        if not scene.link:
            return []
        found = []

        def offer(name: str, phrase: str, option: Option, told: str = "") -> None:
            found.append(Button.of(scene, name, scene.words.phrase(phrase), option, "quiet", told))

        if scene.state.phase == PLACE:
            offer("do-pass", "do-pass", Option(Move(scene.seat, "pass")))
        shown = SHOW_GROUPS in scene.picks
        tile = self._find_picked(scene)
        kept = (tile,) if tile else ()
        if shown:
            offer("groups", "do-hide-groups", Option(picks=kept), scene.words.phrase("groups-hidden"))
        elif scene.knows(GROUPS):
            told = "" if any(scene.state.masks) else scene.words.phrase("board-empty")
            offer("groups", "do-show-groups", Option(picks=(*kept, SHOW_GROUPS)), told)
        if tile:
            offer("unpick", "do-clear", Option(picks=(SHOW_GROUPS,) if shown else ()))
        return found

    def _hint(self, scene: Scene) -> str:
        if not scene.link or scene.state.phase != PLACE:
            return ""
        return scene.words.phrase("hint-cell" if self._find_picked(scene) else "hint-tile")

    def _description(self, scene: Scene) -> str:
        """The position in words, for those who do not see the picture."""
        state: State = scene.state
        parts = []
        for c, colour in enumerate(state.table.colours):
            cells = tuple(name for name, bit in CELLS.items() if state.masks[c] & bit)
            if cells:
                count = len(list(groups(state.masks[c])))
                key = "on-board-quiet" if scene.quiet or not scene.knows(GROUPS) else "on-board"
                parts.append(scene.words.phrase(key, colour=colour, cells=cells, count=count))
        return " ".join(parts) or scene.words.phrase("board-empty")

    # The fixed pictures

    def picture(self, name: str) -> str:
        return board_picture(self.game.box) if name == "board" else pieces_picture(self.game.box)


def _outline(cells: list[str]) -> str:
    """The outline of a set of cells: every side that no other of them shares."""
    corners = {corner(cell) for cell in cells}
    sides = []
    for x, y in corners:
        if (x, y - CELL) not in corners:
            sides.append(f"M{x} {y}h{CELL}")
        if (x, y + CELL) not in corners:
            sides.append(f"M{x} {y + CELL}h{CELL}")
        if (x - CELL, y) not in corners:
            sides.append(f"M{x} {y}v{CELL}")
        if (x + CELL, y) not in corners:
            sides.append(f"M{x + CELL} {y}v{CELL}")
    return "".join(sorted(sides))
