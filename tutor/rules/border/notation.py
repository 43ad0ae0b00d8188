"""Moves and positions of The Border as short text, with an exact round trip.

    p1 roll              the active player throws all five dice
    p1 reroll 2 5        ... throws the second and the fifth die again
    dice GGGYB           chance: how the thrown dice fell
    p1 cross C3 C4 C5    crosses spaces on the own board
    p1 done              ends the own action
    first p2             chance: who is the first active player

    first active=p1 rolls=3 dice=GGGYB p1=2:A2,A3:villa+,well-:12 p2=1 p3=3 p4=4

A position begins with its phase. A player is board, crosses, circled areas (+ high, - low), dice used by
their places, and `done`, with colons between; empty parts at the end are left out. `fresh` lists the areas
that were completed in the action under way: their high value is still to be had in it.
"""

import re

from tutor.rules.base import CHANCE, Move
from tutor.rules.border.board import COLOURS, Geometry
from tutor.rules.border.state import (
    ALL_DICE,
    AREAS_TO_END,
    DICE,
    FACES,
    FIRST,
    IN_THE_AIR,
    MOST_ROLLS,
    OVER,
    PHASES,
    ROLL,
    SECOND,
    START,
    State,
)
from tutor.rules.errors import InvalidMove, InvalidPosition

LONGEST_MOVE = 400
LONGEST_POSITION = 4000

FAULTS: dict[str, tuple[str, ...]] = {
    "position.active": ("value",),
    "position.dice": ("value",),
    "position.player": ("value",),
    "position.board": ("player",),
    "position.space": ("space", "player"),
    "position.area": ("area", "player"),
    "position.circled": ("area", "player"),
    "position.nobody-first": ("area",),
    "position.spent": ("player",),
    "position.done": ("player",),
    "position.end": (),
}

_PLAYER_MOVE = re.compile(r"p([1-9]) (roll|reroll|cross|done)((?: [^ ]+)*)")
_CHANCE_MOVE = re.compile(r"dice ([GYBRON]{1,5})|first p([1-9])")
_SPACE = re.compile(r"[A-Z][0-9]{1,2}")


def parse_move(text: str) -> Move:
    if len(text) > LONGEST_MOVE:
        raise InvalidMove("move", value=text[:40] + "…")
    tidy = " ".join(text.split())
    chance = _CHANCE_MOVE.fullmatch(tidy)
    if chance:
        dice, seat = chance.groups()
        return Move(CHANCE, "faces", tuple(dice)) if dice else Move(CHANCE, "first", (seat,))
    found = _PLAYER_MOVE.fullmatch(tidy)
    if not found:
        raise InvalidMove("move", value=text)
    seat, act, rest = found.groups()
    what = tuple(rest.split())
    if act == "cross":
        what = tuple(name.upper() for name in what)
        if not what or not all(map(_SPACE.fullmatch, what)):
            raise InvalidMove("move", value=text)
    elif act == "reroll":
        if not all(die.isdecimal() and die.isascii() for die in what):
            raise InvalidMove("move", value=text)
    elif what:
        raise InvalidMove("move", value=text)
    return Move(int(seat), act, what)


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
    circled = 0
    for mask in state.high + state.low:
        circled |= mask
    if circled & ~state.taken:
        parts.append("fresh=" + ",".join(_areas(geometry, circled & ~state.taken)))
    for seat, board in enumerate(state.boards, 1):
        areas = [
            area.id + ("+" if state.high[seat - 1] >> i & 1 else "-")
            for i, area in enumerate(geometry.areas)
            if (state.high[seat - 1] | state.low[seat - 1]) >> i & 1
        ]
        player = [
            str(board),
            ",".join(geometry.spaces(state.crosses[seat - 1] & ~geometry.white)),
            ",".join(areas),
            "".join(str(i + 1) for i in range(DICE) if state.spent[seat - 1] >> i & 1),
            "done" if state.done >> seat & 1 and seat != state.active else "",
        ]
        parts.append(f"p{seat}=" + ":".join(player).rstrip(":"))
    return " ".join(parts)


def _areas(geometry: Geometry, mask: int) -> list[str]:
    return [area.id for i, area in enumerate(geometry.areas) if mask >> i & 1]


def parse_position(geometry: Geometry, text: str) -> State:
    """The state that a text describes; raises InvalidPosition that names the fault."""
    if len(text) > LONGEST_POSITION:
        raise InvalidPosition("position", value=text[:40] + "…")
    phase, *parts = text.split() or [""]
    if phase not in PHASES:
        raise InvalidPosition("position.phase", value=phase)
    fields: dict[str, str] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals or key in fields:
            raise InvalidPosition("position", value=part)
        fields[key] = value
    seats = [key for key in fields if re.fullmatch(r"p[1-9]", key)]
    if seats != [f"p{n}" for n in range(1, len(seats) + 1)] or not 2 <= len(seats) <= 4:
        raise InvalidPosition("position.player", value=",".join(seats))
    players = [_player(geometry, seat, fields.pop(seat)) for seat in seats]
    active = _active(phase, fields.pop("active", ""), len(players))
    rolls, dice = _dice(phase, fields.pop("rolls", "0"), fields.pop("dice", ""))
    fresh = _area_mask(geometry, fields.pop("fresh", ""))
    if fields:
        raise InvalidPosition("position", value=next(iter(fields)))
    boards, crosses, high, low, spent, dones = zip(*players, strict=True)
    if len(set(boards)) != len(boards):
        raise InvalidPosition("position.board", player=seats[-1])
    circled = 0
    for mask in high + low:
        circled |= mask
    done = sum(1 << seat for seat, is_done in enumerate(dones, 1) if is_done)
    if phase == SECOND:
        done |= 1 << active
    state = State(boards, phase, active, rolls, dice, crosses, high, low, circled & ~fresh, spent, done)
    _check_areas(geometry, state, fresh)
    _check_round(state)
    return state


def _player(geometry: Geometry, seat: str, text: str) -> tuple[int, int, int, int, int, bool]:
    parts = text.split(":")
    if len(parts) > 5:
        raise InvalidPosition("position.player", value=text[:40])
    board, crosses, areas, dice, done = parts + [""] * (5 - len(parts))
    if board not in ("1", "2", "3", "4"):
        raise InvalidPosition("position.board", player=seat)
    mask = geometry.white
    for space in filter(None, crosses.split(",")):
        bit = 1 << geometry.index[space] if space in geometry.index else 0
        if not bit or mask & bit:
            raise InvalidPosition("position.space", space=space, player=seat)
        mask |= bit
    high = low = 0
    for area in filter(None, areas.split(",")):
        bit = _area_mask(geometry, area[:-1])
        if area[-1] not in "+-" or (high | low) & bit:
            raise InvalidPosition("position.area", area=area, player=seat)
        if area[-1] == "+":
            high |= bit
        else:
            low |= bit
    if not set(dice) <= set("12345") or len(set(dice)) != len(dice) or done not in ("", "done"):
        raise InvalidPosition("position.spent", player=seat)
    return int(board), mask, high, low, sum(1 << int(die) - 1 for die in dice), bool(done)


def _area_mask(geometry: Geometry, text: str) -> int:
    mask = 0
    for name in filter(None, text.split(",")):
        found = [i for i, area in enumerate(geometry.areas) if area.id == name]
        if not found:
            raise InvalidPosition("position", value=name)
        mask |= 1 << found[0]
    return mask


def _active(phase: str, text: str, players: int) -> int:
    seats = {f"p{n}": n for n in range(1, players + 1)}
    if phase == START and not text:
        return 0
    if text not in seats or phase == START:
        raise InvalidPosition("position.active", value=text)
    return seats[text]


def _dice(phase: str, rolls: str, dice: str) -> tuple[int, str]:
    if rolls not in ("0", "1", "2", "3"):
        raise InvalidPosition("position.dice", value=rolls)
    count = int(rolls)
    if phase in (START, ROLL, OVER):
        fits = not count and not dice
    elif phase == FACES:
        all_up = dice == IN_THE_AIR * DICE
        fits = IN_THE_AIR in dice and count < MOST_ROLLS and (count > 0 or all_up)
    else:
        fits = count > 0 and IN_THE_AIR not in dice
    known = set(dice) <= {*COLOURS, IN_THE_AIR} and len(dice) in (0, DICE)
    if not fits or not known or (phase in (FACES, FIRST, SECOND) and not dice):
        raise InvalidPosition("position.dice", value=dice or rolls)
    return count, dice


def _check_areas(geometry: Geometry, state: State, fresh: int) -> None:
    """Exactly the completed areas are circled, and each of them by somebody with its high value."""
    ever_high = 0
    for mask in state.high:
        ever_high |= mask
    for seat, crosses in enumerate(state.crosses, 1):
        for i, area in enumerate(geometry.areas):
            complete = not geometry.rings[i] & ~crosses
            bit = 1 << i
            if complete != bool((state.high[seat - 1] | state.low[seat - 1]) & bit):
                raise InvalidPosition("position.circled", area=area.id, player=f"p{seat}")
            if state.low[seat - 1] & bit and (fresh & bit or not ever_high & bit):
                raise InvalidPosition("position.nobody-first", area=area.id)
    possible = ever_high if state.phase in (FIRST, SECOND) else 0
    if fresh & ~possible:
        raise InvalidPosition("position.nobody-first", area=_areas(geometry, fresh & ~possible)[0])


def _check_round(state: State) -> None:
    """Used dice, finished players and the sixth area fit the phase."""
    by_active = state.spent[state.active - 1] if state.active else 0
    for seat, spent in enumerate(state.spent, 1):
        if not spent:
            continue
        if state.phase not in (FIRST, SECOND) or (state.phase == FIRST and seat != state.active):
            raise InvalidPosition("position.spent", player=f"p{seat}")
        if seat != state.active and (spent.bit_count() > 1 if by_active == ALL_DICE else spent & by_active):
            raise InvalidPosition("position.spent", player=f"p{seat}")
    finished = state.done.bit_count()
    if (finished and state.phase != SECOND) or finished == len(state.boards):
        raise InvalidPosition("position.done", player=f"p{state.done.bit_length() - 1}")
    ended = [
        seat
        for seat, (high, low) in enumerate(zip(state.high, state.low, strict=True), 1)
        if (high | low).bit_count() >= AREAS_TO_END
    ]
    if state.phase == OVER:
        fits = bool(ended)
    elif state.phase == SECOND:
        fits = True
    else:
        fits = ended in ([], [state.active] if state.phase == FIRST else [])
    if not fits:
        raise InvalidPosition("position.end")
