"""Moves and positions of Blockers! as short text, with an exact round trip.

    p1 red 5 E5          seat 1 places the red 5 on E5; likewise p1 red E E5, p1 red circle E5, p1 red * E5
    p1 pass              there is nothing to place
    draw red 5           chance: red draws its 5; several tiles when the racks are filled: draw red 5 E moon
    draw red ?           ... a tile that we cannot see
    first p2             chance: who begins

    place round=3 next=red p1=red:yellow-5 p2=yellow p3=blue red=1,C,*,star,9:4@E4,5@E5 yellow=?????:6@E6 ...

A tile is a number, a letter, a symbol or `*`, the joker; in a move also `joker`, and letters may be small. A
position begins with its phase. `next` is the colour that places or, in the phase `draw`, draws after its turn
in that round. A player is the own colour (with two players both, red+blue, in their order) and the captured
tiles; a colour is its rack and its tiles on the board. `?` stands for a tile that we cannot see. `first`,
`edition` and `joker=open` are left out where they are p1, blockers and not open, and so is a colour with
nothing on rack and board. To set a position up quickly, leave out racks (they are then hidden) and the round
(then the first in which so many tiles can lie there). `position` reads them.
"""

import re

from tutor.games.blockers.engine.board import ALL_FACES, FACES, JOKER, NAMES, Box, bits
from tutor.games.blockers.engine.state import BLOCKERS, DRAW, HIDDEN, PLACE, State, due
from tutor.rules.base import CHANCE, Move
from tutor.rules.errors import InvalidMove, quote_input
from tutor.rules.text import tidy_move

LONGEST_MOVE = 200

_MOVE = re.compile(r"p([1-9]) (?:(pass)|([^ ]+) ([^ ]+) ([A-Za-z][0-9]{1,2}))")
_DRAW = re.compile(r"draw ([^ ]+)((?: [^ ]+)+)")
_FIRST = re.compile(r"first p([1-9])")


def parse_move(box: Box, text: str) -> Move:
    tidy = tidy_move(text, LONGEST_MOVE)
    if found := _FIRST.fullmatch(tidy):
        return Move(CHANCE, "first", (found[1],))
    if found := _DRAW.fullmatch(tidy):
        colour, tiles = found.groups()
        known = (tile if tile == HIDDEN else _tile(box, tile) for tile in tiles.split())
        return Move(CHANCE, "draw", (_colour(box, colour), *known))
    found = _MOVE.fullmatch(tidy)
    if not found:
        raise InvalidMove("move", value=quote_input(text))
    seat, passes, colour, tile, cell = found.groups()
    if passes:
        return Move(int(seat), "pass")
    return Move(int(seat), "place", (_colour(box, colour), _tile(box, tile), cell.upper()))


def _colour(box: Box, text: str) -> str:
    if text not in box.colours:
        raise InvalidMove("move.colour", value=quote_input(text))
    return text


def _tile(box: Box, text: str) -> str:
    if text == "joker":
        return JOKER
    # Letters of other scripts may have a capital among ours: the Turkish ı is not our I.
    name = text.upper() if len(text) == 1 and text.isascii() else text
    if name not in box.face:
        raise InvalidMove("move.tile", value=quote_input(text))
    return name


def format_move(move: Move) -> str:
    if move.act == "first":
        return f"first p{move.what[0]}"
    if move.act == "draw":
        return " ".join(("draw", *move.what))
    if move.act == "pass":
        return f"p{move.seat} pass"
    return " ".join((f"p{move.seat}", *move.what))


def tile_id(tile: str) -> str:
    """The id by which sentences call a tile: the joker has a word of its own."""
    return "joker" if tile == JOKER else tile


def format_position(box: Box, state: State) -> str:
    table = state.table
    parts = [state.phase]
    if state.phase in (PLACE, DRAW):
        round_before = (state.turns - (state.phase == DRAW)) // len(table.colours)
        parts += [f"round={round_before + 1}", f"next={table.colours[due(state)]}"]
    if state.first > 1:
        parts.append(f"first=p{state.first}")
    if table.edition != BLOCKERS:
        parts.append(f"edition={table.edition}")
    if table.open_joker:
        parts.append("joker=open")
    for seat in range(1, table.players + 1):
        pile = [
            f"{colour}-{tile}"
            for c, colour in enumerate(table.colours)
            for tile in box.tiles(state.piles[seat - 1] >> c * FACES & ALL_FACES)
        ]
        own = "+".join(table.colours[seat - 1 :: table.players])
        parts.append(f"p{seat}={own}" + (":" + ",".join(pile) if pile else ""))
    for c, colour in enumerate(table.colours):
        rack = [*box.tiles(state.racks[c]), *([HIDDEN * state.hidden[c]] if state.hidden[c] else [])]
        board = [f"{box.faces[_face_at(state, bit)]}@{NAMES[bit]}" for bit in bits(state.masks[c])]
        if rack or board:
            parts.append(f"{colour}=" + ",".join(rack) + (":" + ",".join(board) if board else ""))
    return " ".join(parts)


def _face_at(state: State, bit: int) -> int:
    return (state.tiles[bit.bit_length() - 1] - 1) % FACES
