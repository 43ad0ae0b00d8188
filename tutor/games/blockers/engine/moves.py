"""Whose turn it is in Blockers! and what may be done: the legal moves, those of chance, and those that come
to a player's mind."""

import random
from collections.abc import Iterator, Sequence

from tutor.games.blockers.engine.board import (
    ALL_CELLS,
    ALL_FACES,
    FITS,
    MOST_COLOURS,
    NAMES,
    Box,
    beside,
    bits,
    cuts,
    faces_in,
)
from tutor.games.blockers.engine.state import (
    DEAL,
    DRAW,
    OVER,
    PLACE,
    RACK,
    START,
    State,
    due,
    in_hand,
    playable,
    seat_of,
    unseen,
)
from tutor.rules.base import CHANCE, Move

_NOBODY: tuple[int, ...] = ()
_CHANCE = (CHANCE,)
_ALONE = tuple((seat,) for seat in range(1, MOST_COLOURS + 1))


def turn(state: State) -> tuple[int, ...]:
    if state.phase == PLACE:
        return _ALONE[due(state) % state.table.players]
    return _NOBODY if state.phase == OVER else _CHANCE


def open_cells(state: State, colour: int) -> int:
    """The cells where the colour may place what fits there: not on own tiles, and splitting no group."""
    masks, players = state.masks, state.table.players
    closed = 0
    for mask in masks:
        closed |= cuts(mask)
    for mask in masks[colour % players :: players]:
        closed |= mask
    return ALL_CELLS ^ closed


def may_be_stuck(state: State, colour: int, cells: int) -> bool:
    """Whether the colour has nothing to place on these cells, as far as its tiles are seen.

    A hidden tile can be any unseen face, so enough of those must be left that fit nowhere.
    """
    if any(FITS[face] & cells for face in faces_in(in_hand(state, colour))):
        return False
    return sum(not FITS[face] & cells for face in faces_in(unseen(state, colour))) >= state.hidden[colour]


def missing(racks: tuple[int, ...], hidden: tuple[int, ...]) -> list[int]:
    """The colours whose racks are still to be filled."""
    return [c for c, rack in enumerate(racks) if rack.bit_count() + hidden[c] < RACK]


_CHUNK = 5
"""The cells whose open ones are looked up together: few enough for a table of all their sets."""
_Chunk = tuple[int, dict[int, tuple[Move, ...]]]
"""Some cells that a face fits, and its placements by which of them are open."""


def _chunks(seat: int, colour: str, tile: str, fits: int) -> list[_Chunk]:
    """The placements of a tile, in the order of the cells."""
    cells, found = list(bits(fits)), []
    for start in range(0, len(cells), _CHUNK):
        chunk = cells[start : start + _CHUNK]
        table: dict[int, tuple[Move, ...]] = {0: ()}
        for bit in chunk:
            move = Move(seat, "place", (colour, tile, NAMES[bit]))
            table |= {opened | bit: (*moves, move) for opened, moves in table.items()}
        found.append((sum(chunk), table))
    return found


class Moves:
    """The moves of one box. Each is made once, since making them takes longer than finding the legal ones."""

    def __init__(self, box: Box) -> None:
        seats = range(1, len(box.colours) + 1)
        self._faces = box.faces
        self._passes = {seat: Move(seat, "pass") for seat in seats}
        self._firsts = tuple(Move(CHANCE, "first", (str(seat),)) for seat in seats)
        self._draws = {
            colour: [Move(CHANCE, "draw", (colour, tile)) for tile in box.faces] for colour in box.colours
        }
        self._places: dict[tuple[int, str], list[list[_Chunk]]] = {}

    def legal(self, state: State) -> Sequence[Move]:
        phase = state.phase
        if phase == PLACE:
            return self._turn(state)
        if phase == DRAW:
            return self._draw_moves(state, due(state))
        if phase == DEAL:
            lacking = missing(state.racks, state.hidden)
            return [move for colour in lacking for move in self._draw_moves(state, colour)]
        return self._firsts[: state.table.players] if phase == START else ()

    def _turn(self, state: State) -> list[Move]:
        """The placements; with a hidden rack also a pass, if there may be none."""
        colour = due(state)
        seat = seat_of(state, colour)
        cells = open_cells(state, colour)
        name = state.table.colours[colour]
        places = self._places.get((seat, name)) or self._make_places(seat, name)
        found: list[Move] = []
        for face in faces_in(playable(state, colour)):
            for chunk, moves in places[face]:
                found += moves[cells & chunk]
        if not found or (state.hidden[colour] and may_be_stuck(state, colour, cells)):
            found.append(self._passes[seat])
        return found

    def _make_places(self, seat: int, colour: str) -> list[list[_Chunk]]:
        """The placements of a colour by face; made when it first plays in that seat."""
        found = [_chunks(seat, colour, tile, fits) for tile, fits in zip(self._faces, FITS, strict=True)]
        self._places[seat, colour] = found
        return found

    def _draw_moves(self, state: State, colour: int) -> list[Move]:
        draws = self._draws[state.table.colours[colour]]
        return [draws[face] for face in faces_in(unseen(state, colour))]

    def chance(self, state: State, dice: random.Random) -> Move:
        """Every tile of the supply is as likely as another; racks are filled one by one, in any order."""
        if state.phase == START:
            return self._firsts[int(dice.random() * state.table.players)]
        colour = due(state) if state.phase == DRAW else missing(state.racks, state.hidden)[0]
        faces = faces_in(unseen(state, colour))
        return self._draws[state.table.colours[colour]][faces[int(dice.random() * len(faces))]]

    def thinkable(self, state: State, seat: int) -> list[Move]:
        legal = [move for move in self.legal(state) if move.seat == seat]
        return list(dict.fromkeys([*legal, *self._tempting(state, seat)]))

    def _tempting(self, state: State, seat: int) -> Iterator[Move]:
        """What a learner may try: to pass, each own tile where it just does not fit, on an own tile, where it
        splits a group or before its turn, a tile that is not there, and a tile of another colour."""
        colours, players = state.table.colours, state.table.players
        own = range(seat - 1, len(colours), players)
        colour = due(state) if due(state) in own else own[0]
        yield self._passes[seat]
        held = sum(state.masks[c] for c in own)
        others = [mask for c, mask in enumerate(state.masks) if c not in own]
        splitting = sum(map(cuts, others))
        free = ALL_CELLS & ~sum(state.masks)
        for face in faces_in(in_hand(state, colour)):
            fits = FITS[face]
            for cells in (fits & free, ALL_CELLS & beside(fits) & ~fits, fits & held, fits & splitting):
                if cells:
                    yield self._place(seat, colours[colour], face, cells)
        absent = ALL_FACES & ~playable(state, colour)
        if absent:
            yield self._place(seat, colours[colour], faces_in(absent)[0], free)
        face = faces_in(in_hand(state, colour) or ALL_FACES)[0]
        for other in (*own, seat % len(colours)):
            if other != colour:
                yield self._place(seat, colours[other], face, free)

    def _place(self, seat: int, colour: str, face: int, cells: int) -> Move:
        """The tile on the first of these cells that it fits, or else on the first of them."""
        at = FITS[face] & cells or cells or FITS[face]
        return Move(seat, "place", (colour, self._faces[face], NAMES[at & -at]))
