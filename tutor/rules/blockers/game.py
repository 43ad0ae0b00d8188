"""Blockers!: the rules, for 2 to 5 players, with the open joker as a variant.

After the Italian text of the Amigo edition; where it is silent, the rulings in content/blockers say what is
played. Every tile that is drawn is a recorded chance move, so the order of a supply is never decided ahead.
The scoring of Uptown, the first edition of the game, is an option.
"""

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any, ClassVar, Self

from tutor.rules.base import CHANCE, Deed, Game, Move, Outcome, Rule, Value, Verdict, allow, refuse
from tutor.rules.blockers import notation, position, scoring
from tutor.rules.blockers.board import (
    BOARD_SIZE,
    CELLS,
    FACES,
    FITS,
    JOKER_FACE,
    NAMES,
    Box,
    beside,
    bits,
    cells,
    parts,
    read_box,
    splits,
)
from tutor.rules.blockers.description import describe
from tutor.rules.blockers.facts import facts
from tutor.rules.blockers.notation import tile_id
from tutor.rules.blockers.state import (
    DEAL,
    DRAW,
    EDITIONS,
    HIDDEN,
    OVER,
    PLACE,
    RACK,
    START,
    TURNS,
    State,
    Table,
    due,
    open_joker,
    playable,
    seat_of_colour,
    supply,
    unseen,
)
from tutor.rules.options import Flag, OneOf, Option, Seat, Several, Whole

RULES: dict[str, Rule] = {
    "blockers.setup.players": Rule(refuses=("player", "players")),
    "blockers.setup.cells": Rule(refuses=("cell",)),
    "blockers.setup.faces": Rule(refuses=("tile", "colour")),
    "blockers.setup.colours": Rule(refuses=("player", "colour", "own")),
    "blockers.setup.rack": Rule(refuses=()),
    "blockers.setup.first-player": Rule(refuses=()),
    "blockers.turn.order": Rule(refuses=("player",)),
    "blockers.turn.one": Rule(refuses=("player",)),
    "blockers.turn.rack": Rule(refuses=("tile", "colour")),
    "blockers.turn.draw": Rule(refuses=()),
    "blockers.turn.must-place": Rule(refuses=("tile", "cell")),
    "blockers.turn.forced-pass": Rule(),
    "blockers.place.column": Rule(refuses=("tile", "cell", "column")),
    "blockers.place.row": Rule(refuses=("tile", "cell", "row")),
    "blockers.place.area": Rule(refuses=("tile", "cell", "symbol")),
    "blockers.place.joker": Rule(),
    "blockers.place.empty": Rule(),
    "blockers.capture.opponent": Rule(),
    "blockers.capture.own": Rule(refuses=("cell", "colour")),
    "blockers.capture.split": Rule(refuses=("cell", "colour", "size", "parts", "pieces")),
    "blockers.capture.lone": Rule(),
    "blockers.capture.joker": Rule(),
    "blockers.joker.any-turn": Rule(),
    "blockers.joker.no-draw": Rule(),
    "blockers.joker.once": Rule(refuses=("colour",)),
    "blockers.two.alternate": Rule(refuses=("player", "colour", "due")),
    "blockers.two.own": Rule(refuses=("cell", "colour")),
    "blockers.end.over": Rule(refuses=("winners",)),
    "blockers.end.lowest": Rule(),
    "blockers.end.tie": Rule(),
    "blockers.end.shared": Rule(),
    "blockers.uptown.fewest": Rule(),
    "blockers.uptown.tie": Rule(),
}

DEEDS: dict[str, tuple[str, ...]] = {
    "first": ("player",),
    "deal": ("player", "colour", "count"),
    "draw": ("player", "colour"),
    "place": ("player", "colour", "tile", "cell"),
    "capture": ("player", "colour", "tile", "cell", "taken"),
    "pass": ("player",),
}


class Blockers(Game):
    """Blockers! with the tiles of one box."""

    id: ClassVar[str] = "blockers"
    rules: ClassVar[Mapping[str, Rule]] = RULES
    deeds: ClassVar[Mapping[str, tuple[str, ...]]] = DEEDS
    faults: ClassVar[Mapping[str, tuple[str, ...]]] = notation.FAULTS

    def __init__(self, box: Box) -> None:
        self.box = box
        self._placements: dict[tuple[int, str], list[dict[int, Move]]] = {}

    @classmethod
    def from_files(cls, files: Mapping[str, str]) -> Self:
        return cls(read_box(files["board.toml"]))

    @property
    def vocabulary(self) -> Mapping[str, Sequence[Value]]:
        colours, tiles = self.box.colours, tuple(map(tile_id, self.box.faces))
        return {
            "player": ("p1", "p2"),
            "winners": (("p1",), ("p1", "p2")),
            "colour": colours,
            "own": (colours[:1], colours[:2]),
            "due": colours,
            "taken": colours,
            "tile": tiles,
            "symbol": tuple(self.box.symbol(cell) for cell in CELLS),
            "cell": ("E5",),
            "row": ("E",),
            "pieces": (("E4", "E6+F6"),),
            "cells": (("E4",), ("E4", "E5")),
            "pile": (("violet", "violet", "red"),),
            "colours": (("red", "violet"),),
            "edition": EDITIONS,
        }

    # Set-up and turn

    @cached_property
    def options(self) -> Mapping[str, Option]:
        most = len(self.box.colours)
        return {
            "players": Whole(2, most, 4),
            "colours": Several(
                self.box.colours,
                "the colour of each seat, all different; with two players four, in the order"
                " of play when seat 1 begins: first colours of seats 1 and 2, then their second ones",
                need=colours_of,
            ),
            "first": Seat(most, "the seat that begins; 0, the default, leaves it to chance"),
            "open_joker": Flag(False, "the variant in which each joker lies open beside its rack"),
            "edition": OneOf(EDITIONS, "whose scoring is used; uptown counts groups only"),
        }

    def begin(self, **options: Any) -> State:
        players, colours, first = options["players"], options["colours"], options["first"]
        nothing = (0,) * len(colours)
        table = Table(players, colours, options["open_joker"], options["edition"])
        phase = DEAL if first else START
        return State(
            table, phase, first, 0, bytes(BOARD_SIZE), nothing, nothing, nothing, nothing, (0,) * players
        )

    def agreed(self, state: State) -> dict[str, Any]:
        table = state.table
        return {
            "players": table.players,
            "colours": list(table.colours),
            "open_joker": table.open_joker,
            "edition": table.edition,
        }

    def seats(self, state: State) -> int:
        return state.table.players

    def turn(self, state: State) -> tuple[int, ...]:
        if state.phase == OVER:
            return ()
        return (seat_of_colour(state, due(state)),) if state.phase == PLACE else (CHANCE,)

    def view(self, state: State, seat: int) -> State:
        """The racks of the others are hidden; how many tiles stand on them is not."""
        players = state.table.players
        racks, hidden = list(state.racks), list(state.hidden)
        for colour, rack in enumerate(racks):
            if colour % players + 1 != seat:
                racks[colour] = 0
                hidden[colour] += rack.bit_count()
        return State(
            state.table,
            state.phase,
            state.first,
            state.turns,
            state.tiles,
            state.masks,
            tuple(racks),
            tuple(hidden),
            state.played,
            state.piles,
        )

    # Listing

    def moves(self, state: State) -> Sequence[Move]:
        if state.phase == PLACE:
            colour = due(state)
            return self._places(state, colour) or (_pass(seat_of_colour(state, colour)),)
        if state.phase in (DEAL, DRAW):
            colour = due(state)
            faces = self.box.tiles(unseen(state, colour))
            return tuple(_draw(state.table.colours[colour], tile) for tile in faces)
        if state.phase == START:
            return tuple(Move(CHANCE, "first", (str(n),)) for n in range(1, state.table.players + 1))
        return ()

    def _places(self, state: State, colour: int) -> list[Move]:
        faces = playable(state, colour)
        wanted = 0
        for face in _numbers(faces):
            wanted |= FITS[face]
        legal = _open_to(state, colour, wanted)
        known = self._known_placements(seat_of_colour(state, colour), state.table.colours[colour])
        found = []
        for face in _numbers(faces):
            its_moves = known[face]
            targets = FITS[face] & legal
            while targets:
                bit = targets & -targets
                found.append(its_moves[bit])
                targets ^= bit
        return found

    def _known_placements(self, seat: int, colour: str) -> list[dict[int, Move]]:
        """The move of each face on each cell that it fits, made once."""
        key = seat, colour
        if key not in self._placements:
            self._placements[key] = [
                {bit: Move(seat, "place", (colour, tile, NAMES[bit])) for bit in bits(FITS[face])}
                for face, tile in enumerate(self.box.faces)
            ]
        return self._placements[key]

    # Judging

    def judge(self, state: State, move: Move) -> Verdict:
        if state.phase == OVER:
            end = self.outcome(state)
            winners = end.winners if end else ()
            return refuse("blockers.end.over", winners=tuple(f"p{seat}" for seat in winners))
        if move.seat > state.table.players:
            players = state.table.players
            return refuse("blockers.setup.players", player=f"p{move.seat}", players=players)
        if move.act == "first":
            if state.phase != START or not 1 <= int(move.what[0]) <= state.table.players:
                return refuse("blockers.setup.first-player")
            return _FIRST_PLAYER
        if state.phase == START:
            return refuse("blockers.setup.first-player")
        if move.act == "draw":
            return self._judge_draw(state, move)
        if state.phase == DEAL:
            return refuse("blockers.setup.rack")
        colour = due(state)
        seat = seat_of_colour(state, colour)
        if state.phase == DRAW:
            one = move.seat == seat and move.act == "place"
            return refuse("blockers.turn.one", player=f"p{seat}") if one else refuse("blockers.turn.draw")
        if move.seat != seat:
            return refuse("blockers.turn.order", player=f"p{seat}")
        if move.act == "pass":
            return self._judge_pass(state, colour)
        return self._judge_place(state, move, colour)

    def _judge_draw(self, state: State, move: Move) -> Verdict:
        """Nobody need see what is drawn: `?` stands for any tile of the supply."""
        colour_id, *tiles = move.what
        rule = "blockers.setup.rack" if state.phase == DEAL else "blockers.turn.draw"
        if state.phase == PLACE:
            return refuse(rule)
        colour = due(state)
        missing = RACK - state.racks[colour].bit_count() - state.hidden[colour] if state.phase == DEAL else 1
        if colour_id != state.table.colours[colour] or len(tiles) > missing:
            return refuse(rule)
        there = unseen(state, colour)
        for tile in tiles:
            if tile != HIDDEN:
                bit = 1 << self.box.face[tile]
                if not there & bit:
                    return refuse("blockers.setup.faces", tile=tile_id(tile), colour=colour_id)
                there ^= bit
        return _DEAL if state.phase == DEAL else _DRAW

    def _judge_pass(self, state: State, colour: int) -> Verdict:
        found = self._places(state, colour)
        if found:
            _, tile, cell = found[0].what
            return refuse("blockers.turn.must-place", cell, tile=tile_id(tile), cell=cell)
        return _FORCED_PASS

    def _judge_place(self, state: State, move: Move, colour: int) -> Verdict:
        colour_id, tile, cell = move.what
        own = state.table.colours[move.seat - 1 :: state.table.players]
        if colour_id not in own:
            return refuse("blockers.setup.colours", player=f"p{move.seat}", colour=colour_id, own=own)
        if colour_id != state.table.colours[colour]:
            due_id = state.table.colours[colour]
            return refuse("blockers.two.alternate", player=f"p{move.seat}", colour=colour_id, due=due_id)
        face = self.box.face[tile]
        if not playable(state, colour) >> face & 1:
            at = _where(state, colour, face)
            if face == JOKER_FACE and state.table.open_joker:
                return refuse("blockers.joker.once", *at, colour=colour_id)
            return refuse("blockers.turn.rack", *at, tile=tile_id(tile), colour=colour_id)
        bit = CELLS.get(cell, 0)
        if not bit:
            return refuse("blockers.setup.cells", cell, cell=cell)
        if not FITS[face] & bit:
            return self._misfit(face, tile, cell)
        here = state.tiles[bit.bit_length() - 1]
        is_open = face == JOKER_FACE and state.table.open_joker
        if not here:
            return _PLACED[face // 9, "empty", is_open]
        taken = (here - 1) // FACES
        if taken == colour:
            return refuse("blockers.capture.own", cell, cell=cell, colour=colour_id)
        if (taken - colour) % state.table.players == 0:
            return refuse("blockers.two.own", cell, cell=cell, colour=state.table.colours[taken])
        mask = state.masks[taken]
        if splits(mask, bit):
            return _would_split(state, taken, bit)
        return _PLACED[face // 9, "group" if mask & beside(bit) else "lone", is_open]

    def _misfit(self, face: int, tile: str, cell: str) -> Verdict:
        if face < 9:
            return refuse("blockers.place.column", cell, tile=tile, cell=cell, column=int(cell[1]))
        if face < 18:
            return refuse("blockers.place.row", cell, tile=tile, cell=cell, row=cell[0])
        return refuse("blockers.place.area", cell, tile=tile, cell=cell, symbol=self.box.symbol(cell))

    # Playing

    def play(self, state: State, move: Move) -> State:
        if move.act == "place":
            return self._placed(state, move)
        if move.act == "draw":
            return self._drawn(state, move)
        if move.act == "first":
            return _with(state, DEAL, int(move.what[0]), 0, state.racks, state.hidden)
        turns = state.turns + 1
        return _with(state, _after(state, turns), state.first, turns, state.racks, state.hidden)

    def _placed(self, state: State, move: Move) -> State:
        _, tile, cell = move.what
        colour, face, bit = due(state), self.box.face[tile], CELLS[cell]
        at = bit.bit_length() - 1
        masks, racks, hidden, piles = list(state.masks), state.racks, state.hidden, state.piles
        here = state.tiles[at]
        if here:
            masks[(here - 1) // FACES] ^= bit
            piles = _put(piles, move.seat - 1, piles[move.seat - 1] | 1 << here - 1)
        masks[colour] |= bit
        draws = not open_joker(state, colour) >> face & 1
        if racks[colour] >> face & 1:
            racks = _put(racks, colour, racks[colour] ^ 1 << face)
        elif draws:
            hidden = _put(hidden, colour, hidden[colour] - 1)
        turns = state.turns + 1
        return State(
            state.table,
            DRAW if draws and supply(state, colour) else _after(state, turns),
            state.first,
            turns,
            state.tiles[:at] + bytes((1 + colour * FACES + face,)) + state.tiles[at + 1 :],
            tuple(masks),
            racks,
            hidden,
            _put(state.played, colour, state.played[colour] | 1 << face),
            piles,
        )

    def _drawn(self, state: State, move: Move) -> State:
        colour = due(state)
        rack, hidden = state.racks[colour], state.hidden[colour]
        for tile in move.what[1:]:
            if tile == HIDDEN:
                hidden += 1
            else:
                rack |= 1 << self.box.face[tile]
        racks, all_hidden = _put(state.racks, colour, rack), _put(state.hidden, colour, hidden)
        if state.phase == DRAW:
            phase = _after(state, state.turns)
        else:
            last = colour == len(racks) - 1 and rack.bit_count() + hidden == RACK
            phase = PLACE if last else DEAL
        return _with(state, phase, state.first, state.turns, racks, all_hidden)

    # Telling

    def outcome(self, state: State) -> Outcome | None:
        return scoring.outcome(state, state.table.edition)

    def facts(self, state: State) -> dict[str, Value]:
        found = facts(state)
        if state.phase == PLACE:
            legal = self._places(state, due(state))
            found["legal"] = len(legal)
            found["captures"] = sum(state.tiles[CELLS[m.what[2]].bit_length() - 1] > 0 for m in legal)
        return found

    def tell(self, state: State, move: Move) -> Deed:
        """A drawn tile is not named, since the others do not see it."""
        player = f"p{move.seat}"
        if move.act == "first":
            return Deed("first", (), {"player": f"p{move.what[0]}"})
        if move.act == "draw":
            return _tell_draw(state, move)
        if move.act == "pass":
            return Deed("pass", (), {"player": player})
        colour, tile, cell = move.what
        args: dict[str, Value] = {"player": player, "colour": colour, "tile": tile_id(tile), "cell": cell}
        here = state.tiles[CELLS[cell].bit_length() - 1] if cell in CELLS else 0
        if here:
            return Deed("capture", (cell,), args | {"taken": state.table.colours[(here - 1) // FACES]})
        return Deed("place", (cell,), args)

    # Text

    def parse_move(self, text: str) -> Move:
        return notation.parse_move(self.box, text)

    def format_move(self, move: Move) -> str:
        return notation.format_move(move)

    def parse_position(self, text: str) -> State:
        return position.parse_position(self.box, text)

    def format_position(self, state: State) -> str:
        return notation.format_position(self.box, state)

    def describe(self) -> dict[str, Any]:
        return super().describe() | describe(self.box)


# Verdicts on legal moves do not depend on the position, so they are made once.
_FIRST_PLAYER = allow("blockers.setup.first-player")
_DEAL = allow("blockers.setup.rack")
_DRAW = allow("blockers.turn.draw")
_FORCED_PASS = allow("blockers.turn.forced-pass")
_KINDS = ("blockers.place.column", "blockers.place.row", "blockers.place.area", "blockers.place.joker")
_HOW = {
    "empty": ("blockers.place.empty",),
    "lone": ("blockers.capture.opponent", "blockers.capture.lone"),
    "group": ("blockers.capture.opponent", "blockers.capture.split"),
}
_PLACED = {
    (kind, how, is_open): allow(
        rule,
        *rules,
        *(["blockers.capture.joker"] if kind == 3 and how != "empty" else []),
        *(["blockers.joker.any-turn", "blockers.joker.no-draw"] if is_open else []),
    )
    for kind, rule in enumerate(_KINDS)
    for how, rules in _HOW.items()
    for is_open in (False, True)
}


def colours_of(players: int) -> int:
    """Two players have two colours each."""
    return 4 if players == 2 else players


def _open_to(state: State, colour: int, wanted: int) -> int:
    """The wanted cells where the colour may place: not on own tiles, and splitting no group."""
    players = state.table.players
    for other, mask in enumerate(state.masks):
        here = mask & wanted
        if (other - colour) % players == 0:
            wanted &= ~here
            continue
        while here:
            bit = here & -here
            if splits(mask, bit):
                wanted ^= bit
            here ^= bit
    return wanted


def _would_split(state: State, taken: int, bit: int) -> Verdict:
    """The refusal of a capture that splits a group, with the parts that would fall apart."""
    left = parts(state.masks[taken], bit)
    cell = NAMES[bit]
    at = (cell, *(name for part in left for name in cells(part)))
    return refuse(
        "blockers.capture.split",
        *at,
        cell=cell,
        colour=state.table.colours[taken],
        size=len(at),
        parts=len(left),
        pieces=tuple("+".join(cells(part)) for part in left),
    )


def _where(state: State, colour: int, face: int) -> tuple[str, ...]:
    """Where a tile lies on the board, if it does."""
    at = state.tiles.find(1 + colour * FACES + face)
    return (NAMES[1 << at],) if at >= 0 else ()


def _tell_draw(state: State, move: Move) -> Deed:
    colour_id, *tiles = move.what
    colours = state.table.colours
    colour = colours.index(colour_id) if colour_id in colours else due(state)
    args: dict[str, Value] = {"player": f"p{seat_of_colour(state, colour)}", "colour": colour_id}
    if state.phase == DEAL:
        return Deed("deal", (), args | {"count": len(tiles)})
    return Deed("draw", (), args)


def _after(state: State, turns: int) -> str:
    return OVER if turns == TURNS * len(state.table.colours) else PLACE


def _with(
    state: State, phase: str, first: int, turns: int, racks: tuple[int, ...], hidden: tuple[int, ...]
) -> State:
    """The same board with another phase. Faster than `replace`."""
    return State(
        state.table,
        phase,
        first,
        turns,
        state.tiles,
        state.masks,
        racks,
        hidden,
        state.played,
        state.piles,
    )


def _put(row: tuple[int, ...], i: int, value: int) -> tuple[int, ...]:
    return (*row[:i], value, *row[i + 1 :])


def _numbers(faces: int) -> list[int]:
    found = []
    while faces:
        bit = faces & -faces
        found.append(bit.bit_length() - 1)
        faces ^= bit
    return found


@cache
def _pass(seat: int) -> Move:
    return Move(seat, "pass")


@cache
def _draw(colour: str, tile: str) -> Move:
    return Move(CHANCE, "draw", (colour, tile))
