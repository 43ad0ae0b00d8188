"""Reads positions of Blockers! from text, and names the fault of one that cannot be.

The notation is told in `notation`. A position is possible when every tile has one place that it fits, the
racks are as full as they must be, and nobody has placed more tiles than turns or captured more than placed.
"""

from collections.abc import Iterator

from tutor.rules.blockers.board import BOARD_SIZE, CELLS, FACES, FITS, JOKER, JOKER_BIT, Box
from tutor.rules.blockers.notation import tile_id
from tutor.rules.blockers.state import (
    BLOCKERS,
    DEAL,
    DRAW,
    EDITIONS,
    HIDDEN,
    OVER,
    PHASES,
    RACK,
    START,
    TURNS,
    State,
    Table,
    order,
)
from tutor.rules.errors import InvalidPosition

LONGEST_POSITION = 4000
_SHOWN = 40
"""So much of a text is repeated in a message."""


def parse_position(box: Box, text: str) -> State:
    """The state that a text describes; raises InvalidPosition that names the fault."""
    if len(text) > LONGEST_POSITION:
        raise InvalidPosition("position", value=text[:_SHOWN] + "…")
    phase, *rest = text.split() or [""]
    if phase not in PHASES:
        raise InvalidPosition("position.phase", value=phase[:_SHOWN])
    fields = _fields(rest)
    seats = [fields.pop(f"p{n}").partition(":") for n in range(1, 6) if f"p{n}" in fields]
    table = _table(box, [own for own, _, _ in seats], fields)
    first = _first(phase, fields.pop("first", ""), table)
    reading = _Reading(box, table)
    for seat, (_, _, pile) in enumerate(seats, 1):
        reading.read_pile(seat, pile)
    for c, colour in enumerate(table.colours):
        rack, _, board = fields.pop(colour, "").partition(":")
        reading.read_colour(c, rack, board)
    next_colour, round_text = fields.pop("next", ""), fields.pop("round", "")
    if fields:
        raise InvalidPosition("position", value=next(iter(fields))[:_SHOWN])
    turns = _turns(phase, first, next_colour, round_text, reading)
    reading.check_piles()
    reading.check_racks(phase, next_colour if phase == DRAW else "")
    return reading.state(phase, first, turns)


def _fields(parts: list[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals or key in fields:
            raise InvalidPosition("position", value=part[:_SHOWN])
        fields[key] = value
    return fields


def _table(box: Box, owners: list[str], fields: dict[str, str]) -> Table:
    edition, joker = fields.pop("edition", BLOCKERS), fields.pop("joker", "")
    if edition not in EDITIONS:
        raise InvalidPosition("position", value=edition[:_SHOWN])
    if joker not in ("", "open"):
        raise InvalidPosition("position", value=joker[:_SHOWN])
    own = [text.split("+") for text in owners]
    each = 2 if len(own) == 2 else 1
    if not 2 <= len(own) <= len(box.colours) or any(len(colours) != each for colours in own):
        raise InvalidPosition("position.player", value=" ".join(owners)[:_SHOWN])
    colours = tuple(pair[row] for row in range(each) for pair in own)
    for c, colour in enumerate(colours):
        if colour not in box.colours or colour in colours[:c]:
            raise InvalidPosition("position.colour", value=colour[:_SHOWN])
    return Table(len(own), colours, joker == "open", edition)


def _first(phase: str, text: str, table: Table) -> int:
    seats = {f"p{n}": n for n in range(1, table.players + 1)}
    if phase == START:
        if text:
            raise InvalidPosition("position.begun", value=text[:_SHOWN])
        return 0
    if text and text not in seats:
        raise InvalidPosition("position.player", value=text[:_SHOWN])
    return seats.get(text, 1)


def _turns(phase: str, first: int, next_colour: str, round_text: str, reading: "_Reading") -> int:
    """The turns taken so far. No colour has placed more tiles than it has had turns."""
    colours = reading.table.colours
    placed = [faces.bit_count() for faces in reading.played]
    if phase in (START, DEAL):
        if any(placed) or next_colour or round_text:
            raise InvalidPosition("position.begun", value=next_colour or round_text or phase)
        return 0
    if phase == OVER:
        if next_colour or round_text:
            raise InvalidPosition("position.next", value=(next_colour or round_text)[:_SHOWN])
        numbers, turn = range(TURNS, TURNS + 1), len(colours)
    else:
        if next_colour not in colours:
            raise InvalidPosition("position.next", value=next_colour[:_SHOWN])
        if round_text and round_text not in map(str, range(1, TURNS + 1)):
            raise InvalidPosition("position.round", value=round_text[:_SHOWN])
        numbers = range(int(round_text), int(round_text) + 1) if round_text else range(1, TURNS + 1)
        line = order(reading.table.players, len(colours), first)
        turn = line.index(colours.index(next_colour)) + (phase == DRAW)
    possible = [(number - 1) * len(colours) + turn for number in numbers]
    turns = next((t for t in possible if not _excess(reading.table, first, t, placed)), possible[-1])
    excess = _excess(reading.table, first, turns, placed)
    if excess:
        c, had = excess
        raise InvalidPosition("position.turns", colour=colours[c], placed=placed[c], turns=had)
    return turns


def _excess(table: Table, first: int, turns: int, placed: list[int]) -> tuple[int, int] | None:
    """The first colour that has placed more tiles than it has had turns, with its turns."""
    count = len(table.colours)
    for i, c in enumerate(order(table.players, count, first)):
        had = (turns + count - 1 - i) // count
        if placed[c] > had:
            return c, had
    return None


class _Reading:
    """The tiles of a position while it is read."""

    def __init__(self, box: Box, table: Table) -> None:
        count = len(table.colours)
        self.box = box
        self.table = table
        self.tiles = bytearray(BOARD_SIZE)
        self.masks = [0] * count
        self.racks = [0] * count
        self.hidden = [0] * count
        self.played = [0] * count
        self.piles = [0] * table.players

    def state(self, phase: str, first: int, turns: int) -> State:
        return State(
            self.table,
            phase,
            first,
            turns,
            bytes(self.tiles),
            tuple(self.masks),
            tuple(self.racks),
            tuple(self.hidden),
            tuple(self.played),
            tuple(self.piles),
        )

    def read_pile(self, seat: int, text: str) -> None:
        for part in _items(text):
            colour, _, tile = part.partition("-")
            if colour not in self.table.colours:
                raise InvalidPosition("position.colour", value=colour[:_SHOWN])
            c = self.table.colours.index(colour)
            if c % self.table.players == seat - 1:
                raise InvalidPosition("position.own", colour=colour, player=f"p{seat}")
            face = self._take(c, tile)
            self.played[c] |= 1 << face
            self.piles[seat - 1] |= 1 << c * FACES + face

    def read_colour(self, c: int, rack: str, board: str) -> None:
        colour = self.table.colours[c]
        count = self.played[c].bit_count() + len(list(_items(board)))
        count += sum(len(tile) if set(tile) == {HIDDEN} else 1 for tile in _items(rack))
        if count > FACES:
            raise InvalidPosition("position.count", colour=colour, count=count, most=FACES)
        for part in _items(board):
            tile, _, cell = part.partition("@")
            self._lay(c, self._take(c, tile), cell)
        for tile in _items(rack):
            if set(tile) == {HIDDEN}:
                self.hidden[c] += len(tile)
            else:
                self.racks[c] |= 1 << self._take(c, tile)

    def _take(self, c: int, tile: str) -> int:
        """The face of that name, if it lies nowhere yet."""
        colour = self.table.colours[c]
        if tile not in self.box.face:
            raise InvalidPosition("position.tile", value=tile[:_SHOWN], colour=colour)
        face = self.box.face[tile]
        if (self.played[c] | self.racks[c]) >> face & 1:
            raise InvalidPosition("position.twice", tile=tile_id(tile), colour=colour)
        return face

    def _lay(self, c: int, face: int, cell: str) -> None:
        colour = self.table.colours[c]
        bit = CELLS.get(cell, 0)
        if not bit:
            raise InvalidPosition("position.cell", value=cell[:_SHOWN], colour=colour)
        if not FITS[face] & bit:
            tile = tile_id(self.box.faces[face])
            raise InvalidPosition("position.fit", tile=tile, colour=colour, cell=cell)
        if self.tiles[bit.bit_length() - 1]:
            raise InvalidPosition("position.taken", cell=cell)
        self.tiles[bit.bit_length() - 1] = 1 + c * FACES + face
        self.masks[c] |= bit
        self.played[c] |= 1 << face

    def check_piles(self) -> None:
        """Nobody has captured more tiles than they have placed."""
        for seat, pile in enumerate(self.piles, 1):
            placed = sum(faces.bit_count() for faces in self.played[seat - 1 :: self.table.players])
            count = pile.bit_count()
            if count > placed:
                raise InvalidPosition("position.pile", player=f"p{seat}", captured=count, placed=placed)

    def check_racks(self, phase: str, drawing: str) -> None:
        """Every rack has the tiles that it must have; one that was left out is hidden."""
        filling = phase == DEAL
        for c, colour in enumerate(self.table.colours):
            have = self.racks[c].bit_count() + self.hidden[c]
            if self.table.open_joker and self.racks[c] & JOKER_BIT:
                raise InvalidPosition("position.twice", tile=tile_id(JOKER), colour=colour)
            if phase in (START, DEAL):
                # The racks are filled one after the other, from the first colour on.
                need = min(have, RACK) if filling else 0
                filling = filling and have == RACK
            else:
                need = self._rack(c, colour == drawing)
                if not have:
                    have = self.hidden[c] = need
            if have != need:
                raise InvalidPosition("position.rack", colour=colour, need=need, have=have)
        if filling:
            raise InvalidPosition("position.begun", value=phase)

    def _rack(self, c: int, drawing: bool) -> int:
        """The tiles on a rack: five while the supply lasts, one fewer just before drawing."""
        dealt, placed = FACES, self.played[c]
        if self.table.open_joker:
            dealt, placed = dealt - 1, placed & ~JOKER_BIT
        left = dealt - placed.bit_count()
        if drawing and (not placed or left < RACK):
            raise InvalidPosition("position.next", value=self.table.colours[c])
        return min(RACK, left) - drawing


def _items(text: str) -> Iterator[str]:
    return filter(None, text.split(","))
