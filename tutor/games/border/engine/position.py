"""Reads a position of The Border. A text that says too little, too much or nonsense is refused with its
fault named; `history` then refuses what no game can reach.
"""

import re
from typing import NamedTuple

from tutor.games.border.engine.board import COLOURS, Box, Geometry
from tutor.games.border.engine.history import check_history
from tutor.games.border.engine.notation import DONE, RECENT
from tutor.games.border.engine.state import (
    DICE,
    FACES,
    FIRST,
    IN_THE_AIR,
    MOST_ROLLS,
    NUMBERS,
    OVER,
    PHASES,
    ROLL,
    SECOND,
    START,
    State,
)
from tutor.rules.errors import InvalidPosition, quote_input
from tutor.rules.text import Parts

LONGEST_POSITION = 4000

_BY_PHASE = {
    START: (),
    ROLL: ("active",),
    FACES: ("active", "rolls", "dice"),
    FIRST: ("active", "rolls", "dice", "fresh"),
    SECOND: ("active", "rolls", "dice", "fresh"),
    OVER: ("active",),
}
"""What a text says of a position besides its players."""


class Player(NamedTuple):
    """What a text says of one player."""

    board: int
    crosses: int
    high: int
    low: int
    spent: int
    recent: int
    done: bool


def parse_position(box: Box, text: str) -> State:
    """The state that a text describes; raises InvalidPosition that names the fault."""
    state, fresh = _read(box, text)
    check_history(box, state, fresh)
    return _with_active_done(state)


def draft(box: Box, text: str) -> State:
    """The state that a text describes, whether or not a game can reach it."""
    return _with_active_done(_read(box, text)[0])


def _with_active_done(state: State) -> State:
    return state._replace(done=state.done | 1 << state.active) if state.phase == SECOND else state


def _read(box: Box, text: str) -> tuple[State, int]:
    """What the text says, and the areas that it calls fresh."""
    parts = Parts(text, PHASES, LONGEST_POSITION)
    seats = range(1, parts.players(len(box.boards)) + 1)
    for name in ("active", "rolls", "dice", "fresh"):
        if name in parts and name not in _BY_PHASE[parts.phase]:
            parts.refuse("position.not-now", name, phase=quote_input(parts.phase))
    active = 0 if parts.phase == START else _active(parts, len(seats))
    rolls, dice = _dice(parts) if "dice" in _BY_PHASE[parts.phase] else (0, "")
    fresh = 0
    for area in _split_list(parts, "fresh", parts.take("fresh")):
        bit = _area(box.geometry, area)
        if not bit or fresh & bit:
            raise InvalidPosition("position", value=quote_input(area))
        fresh |= bit
    players = [_player(box, parts, seat) for seat in seats]
    parts.end()
    boards, crosses, high, low, spent, recent, dones = zip(*players, strict=True)
    for i, board in enumerate(boards):
        if board in boards[:i]:
            raise InvalidPosition("position.board", player=f"p{i + 1}")
    done = sum(1 << seat for seat, is_done in zip(seats, dones, strict=True) if is_done)
    taken = 0
    for mask in (*high, *low):
        taken |= mask & ~fresh
    state = State(boards, parts.phase, active, rolls, dice, crosses, high, low, taken, spent, recent, done)
    return state, fresh


def _active(parts: Parts, players: int) -> int:
    text = parts.need("active")
    if text not in [f"p{seat}" for seat in range(1, players + 1)]:
        parts.refuse("position.active", "active")
    return int(text[1:])


def _dice(parts: Parts) -> tuple[int, str]:
    """The number of rolls and the dice: in the air in `faces`, at rest otherwise."""
    thrown = parts.phase == FACES
    rolls = parts.take("rolls", "0") if thrown else parts.need("rolls")
    if rolls not in map(str, range(MOST_ROLLS) if thrown else range(1, MOST_ROLLS + 1)):
        parts.refuse("position.rolls", "rolls")
    dice = parts.need("dice")
    letters = set(dice) - {IN_THE_AIR} if thrown else set(dice)
    in_the_air = dice.count(IN_THE_AIR)
    fits = in_the_air > 0 and (rolls != "0" or in_the_air == DICE) if thrown else True
    if len(dice) != DICE or not letters <= set(COLOURS) or not fits:
        parts.refuse("position.dice", "dice")
    return int(rolls), dice


def _player(box: Box, parts: Parts, seat: int) -> Player:
    name = f"p{seat}"
    pieces = parts.take(name).split(":")
    if len(pieces) > 5:
        parts.refuse("position.player", name)
    board, crosses, areas, dice, done = pieces + [""] * (5 - len(pieces))
    if board not in [str(each.number) for each in box.boards]:
        raise InvalidPosition("position.board", player=name)
    high, low = _read_circles(box.geometry, parts, name, areas)
    if not re.fullmatch("[1-5]*", dice) or len(set(dice)) != len(dice):
        raise InvalidPosition("position.used", value=quote_input(dice), player=name)
    if done not in ("", DONE):
        raise InvalidPosition("position.player", value=quote_input(done))
    spent = sum(1 << NUMBERS.index(die) for die in dice)
    earlier, slash, latest = crosses.partition(RECENT)
    if slash and not latest:
        parts.refuse("position.player", name)
    before = _crosses(box.geometry, parts, name, earlier, box.geometry.white)
    after = _crosses(box.geometry, parts, name, latest, before)
    return Player(int(board), after, high, low, spent, after & ~before, bool(done))


def _crosses(geometry: Geometry, parts: Parts, name: str, text: str, mask: int) -> int:
    """The crosses there are, with those that the text lists: all of them new."""
    for space in _split_list(parts, name, text):
        bit = 1 << geometry.index[space] if space in geometry.index else 0
        if not bit or mask & bit:
            raise InvalidPosition("position.space", value=quote_input(space), player=name)
        mask |= bit
    return mask


def _read_circles(geometry: Geometry, parts: Parts, name: str, text: str) -> tuple[int, int]:
    high = low = 0
    for entry in _split_list(parts, name, text):
        bit = _area(geometry, entry[:-1])
        if not bit or entry[-1] not in "+-" or (high | low) & bit:
            raise InvalidPosition("position.area", value=quote_input(entry), player=name)
        if entry[-1] == "+":
            high |= bit
        else:
            low |= bit
    return high, low


def _area(geometry: Geometry, name: str) -> int:
    """An area as a bit; 0 if there is none of that name."""
    return sum(1 << i for i, area in enumerate(geometry.areas) if area.id == name)


def _split_list(parts: Parts, name: str, text: str) -> list[str]:
    """What stands between commas, and nothing else."""
    entries = text.split(",") if text else []
    if "" in entries:
        parts.refuse("position.comma", name)
    return entries
