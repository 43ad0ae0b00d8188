"""What a legal move of Blockers! does to the position."""

from tutor.games.blockers.engine.board import CELLS, FACES, JOKER_FACE, MOST_COLOURS, Box
from tutor.games.blockers.engine.moves import missing
from tutor.games.blockers.engine.state import DEAL, DRAW, HIDDEN, OVER, PLACE, TURNS, State, supply
from tutor.rules.base import Move

_TILES = tuple(bytes((1 + tile,)) for tile in range(MOST_COLOURS * FACES))
"""Each tile as `State.tiles` writes it."""
_new = tuple.__new__
"""What making a `State` comes to. Called by name it takes twice as long, and bots make thousands."""


def play(box: Box, state: State, move: Move) -> State:
    if move.act == "place":
        return _place(box, state, move)
    if move.act == "draw":
        return _draw(box, state, move)
    if move.act == "first":
        return state._replace(phase=DEAL, first=int(move.what[0]))
    turns = state.turns + 1
    return state._replace(phase=_next_phase(state, turns), turns=turns)


def _place(box: Box, state: State, move: Move) -> State:
    name, tile, cell = move.what
    table, _, first, turns, tiles, masks, racks, hidden, played, piles = state
    colour, face, bit = table.colours.index(name), box.face[tile], CELLS[cell]
    at = bit.bit_length() - 1
    here = tiles[at]
    held, laid = list(masks), list(played)
    held[colour] |= bit
    laid[colour] |= 1 << face
    if here:
        held[(here - 1) // FACES] ^= bit
        piles = _put(piles, move.seat - 1, piles[move.seat - 1] | 1 << here - 1)
    if face == JOKER_FACE and table.open_joker:
        draws = False
    else:
        draws = supply(state, colour) > 0
        if racks[colour] >> face & 1:
            racks = _put(racks, colour, racks[colour] ^ 1 << face)
        else:
            hidden = _put(hidden, colour, hidden[colour] - 1)
    turns += 1
    phase = DRAW if draws else _next_phase(state, turns)
    tiles = tiles[:at] + _TILES[colour * FACES + face] + tiles[at + 1 :]
    return _new(State, (table, phase, first, turns, tiles, tuple(held), racks, hidden, tuple(laid), piles))


def _draw(box: Box, state: State, move: Move) -> State:
    name, *drawn = move.what
    table, phase, first, turns, tiles, masks, racks, hidden, played, piles = state
    colour = table.colours.index(name)
    for tile in drawn:
        if tile == HIDDEN:
            hidden = _put(hidden, colour, hidden[colour] + 1)
        else:
            racks = _put(racks, colour, racks[colour] | 1 << box.face[tile])
    if phase != DEAL or not missing(racks, hidden):
        phase = _next_phase(state, turns)
    return _new(State, (table, phase, first, turns, tiles, masks, racks, hidden, played, piles))


def _next_phase(state: State, turns: int) -> str:
    return OVER if turns == TURNS * len(state.table.colours) else PLACE


def _put(row: tuple[int, ...], i: int, value: int) -> tuple[int, ...]:
    changed = list(row)
    changed[i] = value
    return tuple(changed)
