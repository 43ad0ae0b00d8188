"""Positions of Blockers!, the words for their parts, and what can be read off one."""

from functools import cache
from typing import NamedTuple

from tutor.games.blockers.engine.board import ALL_FACES, FACES, JOKER_BIT

RACK = 5
TURNS = 24
"""The turns of each colour."""
FACES_LEFT = FACES - TURNS
"""The tiles of each colour that stay unplayed."""
HIDDEN = "?"

START, DEAL, PLACE, DRAW, OVER = "start", "deal", "place", "draw", "over"
PHASES = (START, DEAL, PLACE, DRAW, OVER)

BLOCKERS, UPTOWN = "blockers", "uptown"
EDITIONS = (BLOCKERS, UPTOWN)
"""Whose scoring is used."""


class Table(NamedTuple):
    """What is agreed before a game.

    `colours` are in the order of play when seat 1 begins, so the colour i belongs to seat i % players + 1;
    with two players there are four of them.
    """

    players: int
    colours: tuple[str, ...]
    open_joker: bool
    edition: str


class State(NamedTuple):
    """A position. Tuples are by colour, in the order of the table, but `piles` are by seat.

    The supply has no order and is not stored: it is what is neither played nor on the rack, so nothing is
    decided before it is drawn.
    """

    table: Table
    phase: str
    first: int
    """The seat that begins; 0 before it is drawn."""
    turns: int
    """The turns taken so far by all colours together."""
    tiles: bytes
    """What lies on each cell, by the number of its bit: 0, or 1 + colour * 28 + face."""
    masks: tuple[int, ...]
    """The cells that each colour holds."""
    racks: tuple[int, ...]
    """The known faces on each rack."""
    hidden: tuple[int, ...]
    """How many more tiles are there that the viewer cannot see; each may be any face not seen elsewhere."""
    played: tuple[int, ...]
    """The faces that have been placed, whether they still lie there or were captured."""
    piles: tuple[int, ...]
    """The tiles that each player has captured: a bit for each colour * 28 + face."""


@cache
def order(players: int, colours: int, first: int) -> tuple[int, ...]:
    """The colours in the order of their turns. Of two players, both play one colour, then both the other."""
    seats = [(first - 1 + i) % players for i in range(players)]
    return tuple(row * players + seat for row in range(colours // players) for seat in seats)


def due(state: State) -> int:
    """The colour that places now or, in the phase `draw`, has just placed."""
    table = state.table
    line = order(table.players, len(table.colours), state.first)
    return line[(state.turns - 1 if state.phase == DRAW else state.turns) % len(line)]


def seat_of(state: State, colour: int) -> int:
    return colour % state.table.players + 1


def on_rack(state: State, colour: int) -> int:
    """How many tiles are on the rack."""
    return state.racks[colour].bit_count() + state.hidden[colour]


def unseen(state: State, colour: int) -> int:
    """The faces that are not known to lie anywhere: those of the supply and the hidden ones on the rack."""
    dealt = ALL_FACES ^ JOKER_BIT if state.table.open_joker else ALL_FACES
    return dealt & ~(state.racks[colour] | state.played[colour])


def supply(state: State, colour: int) -> int:
    """How many tiles are left to draw."""
    return unseen(state, colour).bit_count() - state.hidden[colour]


def open_joker(state: State, colour: int) -> int:
    """The joker beside the rack, in the variant, until it is played."""
    return JOKER_BIT & ~state.played[colour] if state.table.open_joker else 0


def in_hand(state: State, colour: int) -> int:
    """The faces that the colour is known to have: on its rack, or the open joker."""
    rack = state.racks[colour]
    return rack | open_joker(state, colour) if state.table.open_joker else rack


def playable(state: State, colour: int) -> int:
    """The faces that the colour may have: those in hand, and what a hidden tile could be."""
    faces = in_hand(state, colour)
    return faces | unseen(state, colour) if state.hidden[colour] else faces


def captured(state: State, seat: int) -> tuple[int, ...]:
    """How many tiles of each colour a player has captured."""
    pile = state.piles[seat - 1]
    return tuple((pile >> c * FACES & ALL_FACES).bit_count() for c in range(len(state.table.colours)))
