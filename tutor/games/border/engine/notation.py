"""Moves and positions of The Border as short text, with an exact round trip. `position` reads positions.

    p1 roll              the active player throws all five dice
    p1 reroll 2 5        ... throws the second and the fifth die again
    dice GGGYB           chance: how the thrown dice fell
    p1 cross C3 C4 C5    crosses spaces on the own board
    p1 done              ends the own action
    first p2             chance: who is the first active player

    first active=p1 rolls=3 dice=GGGYB p1=2:A2,A3:villa+,well-:12 p2=1 p3=3 p4=4
    second active=p1 rolls=3 dice=GGGYB p1=2:G1,G2,H1::123 p2=3:A2,A3/B1::4

A position begins with its phase. A player is board, crosses, circled areas (+ high, - low), dice used by
their places, and `done`, with colons between; empty parts at the end are left out. Crosses after a slash were
made in the second action under way; to set a position up quickly, leave the slash out. `fresh` lists the
areas that were completed in the action under way: their high value is still to be had in it.
"""

import re

from tutor.games.border.engine.board import Geometry, indices
from tutor.games.border.engine.state import NUMBERS, State, circled
from tutor.rules.base import CHANCE, Move
from tutor.rules.errors import InvalidMove, quote_input
from tutor.rules.text import tidy_move

LONGEST_MOVE = 400
DONE = "done"
RECENT = "/"
"""Stands before the crosses of the second action under way."""

_CHANCE_MOVE = re.compile(r"dice ([GYBRON]{1,5})|first p([1-9])")
_PLAYER_MOVE = re.compile(
    r"p([1-9]) (?:(roll|done)|(reroll)((?: [0-9]+)*)|(cross)((?: [A-Za-z][0-9]{1,2})+))"
)


def parse_move(text: str) -> Move:
    tidy = tidy_move(text, LONGEST_MOVE)
    if found := _CHANCE_MOVE.fullmatch(tidy):
        dice, seat = found.groups()
        return Move(CHANCE, "faces", tuple(dice)) if dice else Move(CHANCE, "first", (seat,))
    if found := _PLAYER_MOVE.fullmatch(tidy):
        seat, plain, reroll, dice, cross, spaces = found.groups()
        what = (dice or spaces or "").upper().split()
        return Move(int(seat), plain or reroll or cross, tuple(what))
    raise InvalidMove("move", value=quote_input(tidy or '""'))


def format_move(move: Move) -> str:
    if move.act == "faces":
        return "dice " + "".join(move.what)
    if move.act == "first":
        return f"first p{move.what[0]}"
    return " ".join((f"p{move.seat}", move.act, *move.what))


def format_position(geometry: Geometry, state: State) -> str:
    parts = [state.phase]
    if state.active:
        parts.append(f"active=p{state.active}")
    if state.rolls:
        parts.append(f"rolls={state.rolls}")
    if state.dice:
        parts.append(f"dice={state.dice}")
    fresh = circled(state) & ~state.taken
    if fresh:
        parts.append("fresh=" + ",".join(geometry.areas[i].id for i in indices(fresh)))
    parts += [f"p{seat}={_player(geometry, state, seat)}" for seat in range(1, len(state.boards) + 1)]
    return " ".join(parts)


def _player(geometry: Geometry, state: State, seat: int) -> str:
    high, low = state.high[seat - 1], state.low[seat - 1]
    parts = (
        str(state.boards[seat - 1]),
        _crosses(geometry, state.crosses[seat - 1], state.recent[seat - 1]),
        ",".join(geometry.areas[i].id + ("+" if high >> i & 1 else "-") for i in indices(high | low)),
        "".join(NUMBERS[i] for i in indices(state.spent[seat - 1])),
        DONE if state.done >> seat & 1 and seat != state.active else "",
    )
    return ":".join(parts).rstrip(":")


def _crosses(geometry: Geometry, crosses: int, recent: int) -> str:
    earlier = ",".join(geometry.spaces(crosses & ~geometry.white & ~recent))
    return f"{earlier}{RECENT}{','.join(geometry.spaces(recent))}" if recent else earlier
