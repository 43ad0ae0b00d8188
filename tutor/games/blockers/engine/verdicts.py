"""Judges moves of Blockers!: the checks in the order of the rulebook, each with its rule and its values."""

from tutor.games.blockers.engine import scoring
from tutor.games.blockers.engine.board import (
    CELLS,
    FACES,
    FITS,
    JOKER_FACE,
    NAMES,
    Box,
    beside,
    cells,
    faces_in,
    parts,
    splits,
)
from tutor.games.blockers.engine.moves import may_be_stuck, open_cells
from tutor.games.blockers.engine.notation import tile_id
from tutor.games.blockers.engine.state import (
    DEAL,
    DRAW,
    HIDDEN,
    OVER,
    PLACE,
    RACK,
    START,
    State,
    due,
    in_hand,
    on_rack,
    playable,
    seat_of,
    supply,
    unseen,
)
from tutor.rules.base import Move, Verdict, allow, refuse, send

# Verdicts on legal moves do not depend on the position, so they are made once. What players may doubt comes
# first in them: a capture before an open joker, that before the fit of a tile.
_FIRST_PLAYER = allow("blockers.setup.first-player")
_DEAL = allow("blockers.setup.rack")
_DRAW = allow("blockers.turn.draw")
_FORCED_PASS = allow("blockers.turn.forced-pass")
_KINDS = ("blockers.place.column", "blockers.place.row", "blockers.place.area", "blockers.place.joker")
_CAPTURES = {
    "empty": (),
    "lone": ("blockers.capture.lone", "blockers.capture.opponent"),
    "group": ("blockers.capture.split", "blockers.capture.opponent"),
}
_PLACED = {
    (kind, how, joker, is_open): allow(
        *(["blockers.capture.joker"] if joker and rules else []),
        *rules,
        *(["blockers.joker.any-turn", "blockers.joker.no-draw"] if is_open else []),
        rule,
        *([] if rules else ["blockers.place.empty"]),
    )
    for kind, rule in enumerate(_KINDS)
    for how, rules in _CAPTURES.items()
    for joker in (False, True)
    for is_open in (False, True)
}
"""By the kind of tile, by what it is placed on, by whether a joker captures or is captured, and by whether
it is the open joker."""


def judge(box: Box, state: State, move: Move) -> Verdict:
    players = state.table.players
    if state.phase == OVER:
        end = scoring.outcome(state, state.table.edition)
        return refuse("blockers.end.over", winners=tuple(f"p{seat}" for seat in end.winners) if end else ())
    if move.act == "first" and state.phase != START:
        return refuse("blockers.setup.first-player")
    named = int(move.what[0]) if move.act == "first" else move.seat
    if named > players:
        return refuse("blockers.setup.players", player=f"p{named}", players=players)
    if move.act == "first":
        return _FIRST_PLAYER
    if state.phase == START:
        return refuse("blockers.setup.first-player")
    if move.act == "draw":
        return _judge_draw(box, state, move)
    if state.phase == DEAL:
        return refuse("blockers.setup.rack")
    colour = due(state)
    seat = seat_of(state, colour)
    if state.phase == DRAW:
        second = move.seat == seat and move.act == "place"
        if second:
            return refuse("blockers.turn.one", player=f"p{seat}")
        due_now = state.table.colours[colour]
        return refuse("blockers.turn.draw", when="first", colour=due_now, drawn=due_now)
    if move.seat != seat:
        return refuse("blockers.turn.order", player=f"p{seat}")
    if move.act == "pass":
        return _judge_pass(box, state, colour)
    return _judge_place(box, state, move, colour)


def _judge_draw(box: Box, state: State, move: Move) -> Verdict:
    """No rule fixes whose rack is filled first. Nobody need see what is drawn: `?` is any tile left."""
    name, *tiles = move.what
    colours = state.table.colours
    if state.phase == DEAL:
        if name not in colours or on_rack(state, colours.index(name)) + len(tiles) > RACK:
            return refuse("blockers.setup.rack")
    elif state.phase == PLACE:
        when = "early" if supply(state, due(state)) else "empty"
        return refuse("blockers.turn.draw", when=when, colour=colours[due(state)], drawn=name)
    elif name != colours[due(state)] or len(tiles) > 1:
        when = "one" if name == colours[due(state)] else "other"
        return refuse("blockers.turn.draw", when=when, colour=colours[due(state)], drawn=name)
    left = unseen(state, colours.index(name))
    for tile in tiles:
        if tile != HIDDEN:
            bit = 1 << box.face[tile]
            if not left & bit:
                return refuse("blockers.setup.faces", tile=tile_id(tile), colour=name)
            left ^= bit
    return _DEAL if state.phase == DEAL else _DRAW


def _judge_pass(box: Box, state: State, colour: int) -> Verdict:
    there = open_cells(state, colour)
    if may_be_stuck(state, colour, there):
        return _FORCED_PASS
    ways = sum((FITS[face] & there).bit_count() for face in faces_in(playable(state, colour)))
    # The only one is no example: whoever looks for it shall find it. Nor is a tile that nobody sees.
    known = [face for face in faces_in(in_hand(state, colour)) if FITS[face] & there]
    if ways == 1 or not known:
        return refuse("blockers.turn.must-place", tile="", cell="", ways=ways, example=False)
    tile, cell = tile_id(box.faces[known[0]]), cells(FITS[known[0]] & there)[0]
    return send("blockers.turn.must-place", cell, tile=tile, cell=cell, ways=ways, example=True)


def _judge_place(box: Box, state: State, move: Move, colour: int) -> Verdict:
    name, tile, cell = move.what
    table = state.table
    own = table.colours[move.seat - 1 :: table.players]
    if name not in own:
        return refuse("blockers.setup.colours", player=f"p{move.seat}", colour=name, own=own)
    if name != table.colours[colour]:
        return refuse(
            "blockers.two.alternate", player=f"p{move.seat}", colour=name, due=table.colours[colour]
        )
    face = box.face[tile]
    is_open = face == JOKER_FACE and table.open_joker
    if not playable(state, colour) >> face & 1:
        at = _where(state, colour, face)
        if is_open:
            return refuse("blockers.joker.once", *at, colour=name)
        return refuse("blockers.turn.rack", *at, tile=tile_id(tile), colour=name)
    bit = CELLS.get(cell, 0)
    if not bit:
        return refuse("blockers.setup.cells", cell, cell=cell)
    if not FITS[face] & bit:
        return _misfit(box, face, tile, cell)
    here = state.tiles[bit.bit_length() - 1]
    if not here:
        return _PLACED[face // 9, "empty", False, is_open]
    taken, under = divmod(here - 1, FACES)
    if taken == colour:
        return refuse("blockers.capture.own", cell, cell=cell, colour=name)
    if (taken - colour) % table.players == 0:
        return refuse("blockers.two.own", cell, cell=cell, colour=table.colours[taken])
    mask = state.masks[taken]
    if splits(mask, bit):
        return _would_split(state, taken, bit)
    how = "group" if mask & beside(bit) else "lone"
    return _PLACED[face // 9, how, JOKER_FACE in (face, under), is_open]


def _misfit(box: Box, face: int, tile: str, cell: str) -> Verdict:
    if face < 9:
        return refuse("blockers.place.column", cell, tile=tile, cell=cell, column=int(cell[1]))
    if face < 18:
        return refuse("blockers.place.row", cell, tile=tile, cell=cell, row=cell[0])
    return refuse("blockers.place.area", cell, tile=tile, cell=cell, symbol=box.symbol(cell))


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
        pieces=tuple(cells(part & beside(bit))[0] for part in left),
    )


def _where(state: State, colour: int, face: int) -> tuple[str, ...]:
    """Where a tile lies on the board, if it does."""
    at = state.tiles.find(1 + colour * FACES + face)
    return (NAMES[1 << at],) if at >= 0 else ()


def guessed(box: Box, state: State, move: Move) -> bool:
    """Whether a verdict depends on the hidden tiles: on a pass, or on a tile that may be among them."""
    if state.phase != PLACE or move.seat != seat_of(state, due(state)) or not state.hidden[due(state)]:
        return False
    if move.act == "pass":
        return True
    known = in_hand(state, due(state)) >> box.face[move.what[1]] & 1
    return not known and judge(box, state, move).ok
