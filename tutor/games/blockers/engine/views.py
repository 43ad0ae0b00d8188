"""What a seat sees of Blockers!: its own racks and everything that lies open, and what the rest may be."""

import random

from tutor.games.blockers.engine.board import faces_in
from tutor.games.blockers.engine.state import HIDDEN, State, on_rack, seat_of, unseen
from tutor.rules.base import Move


def view(state: State, seat: int) -> State:
    """The racks of the others are hidden; how many tiles stand on them is not."""
    racks, hidden = list(state.racks), list(state.hidden)
    for colour in range(len(racks)):
        if seat_of(state, colour) != seat:
            hidden[colour] = on_rack(state, colour)
            racks[colour] = 0
    return state._replace(racks=tuple(racks), hidden=tuple(hidden))


def seen_by(state: State, move: Move, seat: int) -> Move:
    """Only the owner of a colour sees which of its tiles are drawn."""
    if move.act != "draw":
        return move
    name, *drawn = move.what
    colours = state.table.colours
    if name in colours and seat_of(state, colours.index(name)) == seat:
        return move
    return move._replace(what=(name, *(HIDDEN for _ in drawn)))


def redeal(state: State, seat: int, dice: random.Random) -> State:
    """Every hidden tile is any unseen face, one as likely as another."""
    seen = view(state, seat)
    racks = list(seen.racks)
    for colour, count in enumerate(seen.hidden):
        dealt = dice.sample(faces_in(unseen(seen, colour)), count)
        racks[colour] |= sum(1 << face for face in dealt)
    return seen._replace(racks=tuple(racks), hidden=(0,) * len(racks))
