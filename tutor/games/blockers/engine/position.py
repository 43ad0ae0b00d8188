"""Reads positions of Blockers! from text, and names the fault of one that cannot be.

The notation is told in `notation`. Every tile has one place, which it fits; racks are as full as they must
be; nobody has placed more tiles than turns or captured more than placed; and what was captured lies under
another tile, so one of its cells is taken. Fewer tiles than turns are let through, although games with a
forced pass are rare: so a table can set up just the part of the board that it asks about.
"""

from collections.abc import Iterator

from tutor.games.blockers.engine.board import (
    ALL_FACES,
    BOARD_SIZE,
    CELLS,
    FACES,
    FITS,
    JOKER_BIT,
    Box,
    faces_in,
)
from tutor.games.blockers.engine.notation import tile_id
from tutor.games.blockers.engine.state import (
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
from tutor.rules.errors import InvalidPosition, quote_input
from tutor.rules.text import Parts

LONGEST_POSITION = 4000


def parse_position(box: Box, text: str) -> State:
    """The state that a text describes; raises InvalidPosition that names the fault."""
    parts = Parts(text, PHASES, LONGEST_POSITION)
    reading = _read(box, parts)
    table = reading.table
    reading.check_fits()
    _check_phase(parts, reading)
    first = _first(parts, table)
    turns = reading.check_turns(first, _turns(parts, first, reading))
    parts.end()
    reading.check_piles()
    if parts.phase == DEAL:
        reading.check_deal()
    elif parts.phase != START:
        line = order(table.players, len(table.colours), first)
        reading.check_racks(drawing=line[(turns - 1) % len(line)] if parts.phase == DRAW else None)
    return reading.state(parts.phase, first, turns)


def draft(box: Box, text: str) -> State:
    """The state that a text describes, whether or not a game can reach it."""
    parts = Parts(text, PHASES, LONGEST_POSITION)
    reading = _read(box, parts)
    first = _first(parts, reading.table)
    turns = _turns(parts, first, reading)[0]
    parts.end()
    return reading.state(parts.phase, first, turns)


def _read(box: Box, parts: Parts) -> "_Reading":
    seats = [_split(parts, f"p{n}") for n in range(1, parts.players(len(box.colours)) + 1)]
    reading = _Reading(box, _table(box, parts, [own.split("+") for own, _ in seats]))
    for seat, (_, pile) in enumerate(seats, 1):
        reading.read_pile(seat, pile)
    for c, colour in enumerate(reading.table.colours):
        if colour in parts:
            reading.read_colour(c, *_split(parts, colour))
    return reading


def _split(parts: Parts, name: str) -> tuple[str, str]:
    """A part before and after its colon, which is not there for nothing."""
    before, colon, after = parts.take(name).partition(":")
    if colon and not after:
        parts.refuse("position", name)
    return before, after


def _items(text: str) -> Iterator[str]:
    """The items of a list; an empty one among others is a fault."""
    for item in text.split(",") if text else ():
        if not item:
            raise InvalidPosition("position", value=quote_input(text))
        yield item


def _pair(item: str, between: str) -> tuple[str, str]:
    before, _, after = item.partition(between)
    if not before or not after:
        raise InvalidPosition("position", value=quote_input(item))
    return before, after


def _table(box: Box, parts: Parts, own: list[list[str]]) -> Table:
    edition, joker = parts.take("edition", BLOCKERS), parts.take("joker")
    if edition not in EDITIONS:
        parts.refuse("position", "edition")
    if joker not in ("", "open"):
        parts.refuse("position", "joker")
    each = 2 if len(own) == 2 else 1
    for seat, colours in enumerate(own, 1):
        if len(colours) != each or not all(colours):
            parts.refuse("position.player", f"p{seat}")
    line = tuple(colours[row] for row in range(each) for colours in own)
    for i, colour in enumerate(line):
        if colour not in box.colours:
            raise InvalidPosition("position.colour", value=quote_input(colour))
        if colour in line[:i]:
            raise InvalidPosition("position.again", name=quote_input(colour))
    return Table(len(own), line, joker == "open", edition)


def _check_phase(parts: Parts, reading: "_Reading") -> None:
    """Before the first turn and after the last there is no round; before it nothing has been placed."""
    odd = [(name, "text") for name in ("next", "round") if name in parts]
    if odd and parts.phase == OVER:
        parts.refuse("position.ended", odd[0][0])
    if parts.phase in (START, DEAL):
        odd += [(f"p{seat}", "placed") for seat, pile in enumerate(reading.piles, 1) if pile]
        odd += [(colour, "placed") for c, colour in enumerate(reading.table.colours) if reading.masks[c]]
    if parts.phase == START:
        odd += [(colour, "racks") for c, colour in enumerate(reading.table.colours) if reading.on_rack(c)]
        odd += [("first", "text")] if "first" in parts else []
    if odd and parts.phase in (START, DEAL):
        name, part = odd[0]
        parts.refuse("position.begun", name, part=part)


def _first(parts: Parts, table: Table) -> int:
    if parts.phase == START:
        return 0
    seats = {f"p{n}": n for n in range(1, table.players + 1)}
    text = parts.take("first", "p1")
    if text not in seats:
        parts.refuse("position.seats", "first", most=table.players)
    return seats[text]


def _turns(parts: Parts, first: int, reading: "_Reading") -> list[int]:
    """How many turns may have been taken so far, the fewest first."""
    if parts.phase in (START, DEAL):
        return [0]
    colours = reading.table.colours
    if parts.phase == OVER:
        return [TURNS * len(colours)]
    name, number = parts.need("next"), parts.take("round")
    if name not in colours:
        raise InvalidPosition("position.next", value=quote_input(name))
    rounds = [str(n) for n in range(1, TURNS + 1)]
    if number and number not in rounds:
        raise InvalidPosition("position.round", value=quote_input(number))
    line = order(reading.table.players, len(colours), first)
    turn = line.index(colours.index(name)) + (parts.phase == DRAW)
    before = [int(number) - 1] if number else range(TURNS)
    return [n * len(colours) + turn for n in before]


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

    def on_rack(self, c: int) -> int:
        return self.racks[c].bit_count() + self.hidden[c]

    def read_pile(self, seat: int, text: str) -> None:
        for item in _items(text):
            colour, tile = _pair(item, "-")
            if colour not in self.table.colours:
                raise InvalidPosition("position.colour", value=quote_input(colour))
            c = self.table.colours.index(colour)
            if c % self.table.players == seat - 1:
                raise InvalidPosition("position.own", colour=colour, player=f"p{seat}")
            face = self._take(c, tile)
            self.played[c] |= 1 << face
            self.piles[seat - 1] |= 1 << c * FACES + face

    def read_colour(self, c: int, rack: str, board: str) -> None:
        for item in _items(board):
            tile, cell = _pair(item, "@")
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
            raise InvalidPosition("position.tile", value=quote_input(tile), colour=colour)
        face = self.box.face[tile]
        if (self.played[c] | self.racks[c]) >> face & 1:
            raise InvalidPosition("position.twice", tile=tile_id(tile), colour=colour)
        return face

    def _lay(self, c: int, face: int, cell: str) -> None:
        colour = self.table.colours[c]
        bit = CELLS.get(cell, 0)
        if not bit:
            raise InvalidPosition("position.cell", value=quote_input(cell), colour=colour)
        if self.tiles[bit.bit_length() - 1]:
            raise InvalidPosition("position.taken", cell=cell)
        self.tiles[bit.bit_length() - 1] = 1 + c * FACES + face
        self.masks[c] |= bit
        self.played[c] |= 1 << face

    def check_fits(self) -> None:
        """Every tile lies in its own row, column or area."""
        for cell, bit in CELLS.items():
            here = self.tiles[bit.bit_length() - 1]
            c, face = divmod(here - 1, FACES)
            if here and not FITS[face] & bit:
                tile, colour = tile_id(self.box.faces[face]), self.table.colours[c]
                raise InvalidPosition("position.fit", tile=tile, colour=colour, cell=cell)

    def check_turns(self, first: int, possible: list[int]) -> int:
        """The fewest of the possible turns in which so many tiles can have been placed: no colour has placed
        more than it has had turns."""
        count = len(self.table.colours)
        line = order(self.table.players, count, first)
        for turns in possible:
            had = {c: (turns + count - 1 - i) // count for i, c in enumerate(line)}
            excess = [c for c in line if self.played[c].bit_count() > had[c]]
            if not excess:
                return turns
        c = excess[0]
        raise InvalidPosition(
            "position.turns", colour=self.table.colours[c], placed=self.played[c].bit_count(), turns=had[c]
        )

    def check_piles(self) -> None:
        """Nobody has captured more than placed, and a captured tile lies under another one."""
        taken = sum(self.masks)
        for seat, pile in enumerate(self.piles, 1):
            placed = sum(faces.bit_count() for faces in self.played[seat - 1 :: self.table.players])
            count = pile.bit_count()
            if count > placed:
                raise InvalidPosition("position.pile", player=f"p{seat}", captured=count, placed=placed)
            for c, colour in enumerate(self.table.colours):
                for face in faces_in(pile >> c * FACES & ALL_FACES):
                    if not FITS[face] & taken:
                        raise InvalidPosition(
                            "position.under", tile=tile_id(self.box.faces[face]), colour=colour
                        )

    def check_deal(self) -> None:
        """No rack is too full, and one at least is not full."""
        for c in range(len(self.racks)):
            self._check_rack(c, min(self.on_rack(c), RACK))
        if all(self.on_rack(c) == RACK for c in range(len(self.racks))):
            raise InvalidPosition("position.dealt")

    def check_racks(self, drawing: int | None) -> None:
        """Every rack has five tiles while the supply lasts; one that was left out is hidden.

        The colour that is to draw has one fewer, and the tile that it has just placed lies on the board.
        """
        for c, colour in enumerate(self.table.colours):
            dealt, placed = FACES, self.played[c]
            if self.table.open_joker:
                dealt, placed = dealt - 1, placed & ~JOKER_BIT
            left = dealt - placed.bit_count()
            need = min(RACK, left) - (c == drawing)
            if c == drawing and (left < RACK or not self._lying(c)):
                raise InvalidPosition("position.drawing", colour=colour)
            if not self.on_rack(c):
                self.hidden[c] = need
            self._check_rack(c, need)

    def _lying(self, c: int) -> int:
        """The faces of a colour on the board after which a tile is drawn, so not the open joker."""
        captured = sum(pile >> c * FACES & ALL_FACES for pile in self.piles)
        return self.played[c] & ~captured & ~(JOKER_BIT if self.table.open_joker else 0)

    def _check_rack(self, c: int, need: int) -> None:
        colour, have = self.table.colours[c], self.on_rack(c)
        if self.table.open_joker and self.racks[c] & JOKER_BIT:
            raise InvalidPosition("position.joker", colour=colour)
        if have != need:
            raise InvalidPosition("position.rack", colour=colour, need=need, have=have)
