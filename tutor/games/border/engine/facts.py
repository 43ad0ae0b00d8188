"""What can be said of a position, and what a move does: values for sentences and goals."""

from tutor.games.border.engine.board import COLOURS, Box
from tutor.games.border.engine.scoring import circled, outcome
from tutor.games.border.engine.state import FIRST, NUMBERS, SECOND, State, offered
from tutor.rules.base import Deed, Move, Value


def facts(box: Box, state: State) -> dict[str, Value]:
    ended = outcome(box, state)
    at_hand = offered(state) if state.phase in (FIRST, SECOND) else ""
    found: dict[str, Value] = {
        "phase": state.phase,
        "active": f"p{state.active}" if state.active else "",
        "rolls": state.rolls,
        "dice": tuple(COLOURS[die] for die in sorted(state.dice) if die in COLOURS),
        "left": tuple(COLOURS[die] for die in sorted(at_hand)),
        "used": state.spent[state.active - 1].bit_count() if state.active else 0,
        "winners": tuple(f"p{seat}" for seat in ended.winners) if ended else (),
    }
    for area in box.geometry.areas:
        found[f"value.{area.id}.high"] = area.high
        found[f"value.{area.id}.low"] = area.low
    for seat in range(1, len(state.boards) + 1):
        found |= _of_player(box, state, seat)
    return found


def _of_player(box: Box, state: State, seat: int) -> dict[str, Value]:
    player = f"p{seat}"
    values = circled(box, state, seat)
    crosses = state.crosses[seat - 1]
    board = box.boards[state.boards[seat - 1] - 1]
    return {
        f"score.{player}": sum(values.values()),
        f"areas.{player}": len(values),
        f"high.{player}": state.high[seat - 1].bit_count(),
        f"low.{player}": state.low[seat - 1].bit_count(),
        f"best.{player}": max(values.values(), default=0),
        f"crosses.{player}": (crosses & ~box.geometry.white).bit_count(),
        f"segments.{player}": sum(not segment & ~crosses for segment in board.segments),
        f"used.{player}": state.spent[seat - 1].bit_count(),
        **{f"circled.{player}.{area}": value for area, value in values.items()},
    }


def tell(state: State, move: Move) -> Deed:
    player = f"p{move.seat}"
    if move.act == "first":
        return Deed("first", (), {"player": f"p{move.what[0]}"})
    if move.act == "faces":
        return Deed("faces", (), {"dice": tuple(COLOURS[die] for die in sorted(move.what))})
    if move.act == "cross":
        return _tell_cross(state, move)
    if move.act == "reroll" and state.rolls:
        return _tell_reroll(state, move)
    if move.act == "reroll":
        return Deed("roll-some", (), {"player": player, "count": len(move.what)})
    if move.act == "done":
        kind = "done-second" if state.phase == SECOND else "done-first"
        return Deed(kind, (), {"player": player})
    return Deed("roll", (), {"player": player})


def _tell_cross(state: State, move: Move) -> Deed:
    """In the second action the order of the spaces may decide whether the move is legal, so it is told."""
    spaces = tuple(dict.fromkeys(move.what))
    ordered = state.phase == SECOND and len(spaces) > 1
    args: dict[str, Value] = {"player": f"p{move.seat}", "spaces": spaces, "count": len(spaces)}
    return Deed("cross", move.what, args | {"ordered": ordered})


def _tell_reroll(state: State, move: Move) -> Deed:
    """The dice are told by their colours, unless one of those named is not there or still in the air."""
    lying = {number: COLOURS[die] for number, die in zip(NUMBERS, state.dice, strict=True) if die in COLOURS}
    there = len(set(move.what) & lying.keys()) == len(move.what)
    dice = tuple(lying[number] for number in sorted(move.what)) if there else ()
    args: dict[str, Value] = {"player": f"p{move.seat}", "count": len(move.what)}
    return Deed("reroll", (), args | {"dice": dice, "there": there})
