"""What a legal move does: dice thrown, spaces crossed, areas circled, actions and rounds ended."""

from tutor.games.border.engine.board import Box
from tutor.games.border.engine.state import (
    AREAS_TO_END,
    DICE,
    FACES,
    FIRST,
    IN_THE_AIR,
    NUMBERS,
    OVER,
    ROLL,
    SECOND,
    State,
    circled,
    closed,
    die_of,
)
from tutor.rules.base import Move

_AFTER_DICE = State._fields.index("dice") + 1


def play(box: Box, state: State, move: Move) -> State:
    if move.act == "cross":
        return _cross(box, state, move)
    if move.act == "done":
        return _end_first(state) if state.phase == FIRST else _end_second(state, move.seat)
    if move.act == "faces":
        fallen = iter(move.what)
        dice = "".join([next(fallen) if die == IN_THE_AIR else die for die in state.dice])
        return _lay(state, FIRST, state.rolls + 1, dice)
    if move.act == "first":
        return state._replace(phase=ROLL, active=int(move.what[0]))
    return _throw(state, move.what if move.act == "reroll" else NUMBERS)


def _lay(state: State, phase: str, rolls: int, dice: str) -> State:
    """The position with other dice. Not by `_replace`, which takes longer than the rest of the move."""
    return State._make((state.boards, phase, state.active, rolls, dice, *state[_AFTER_DICE:]))


def _throw(state: State, numbers: tuple[str, ...]) -> State:
    dice = list(state.dice or IN_THE_AIR * DICE)
    for number in numbers:
        dice[int(number) - 1] = IN_THE_AIR
    return _lay(state, FACES, state.rolls, "".join(dice))


def _cross(box: Box, state: State, move: Move) -> State:
    seat = move.seat - 1
    geometry = box.geometry
    colours = box.boards[state.boards[seat] - 1].colours
    used, own = closed(state, move.seat), state.spent[seat]
    crosses, high, low = state.crosses[seat], state.high[seat], state.low[seat]
    for name in move.what:
        i = geometry.index[name]
        die = die_of(state.dice, colours[i], used)
        used |= die
        own |= die
        crosses |= 1 << i
        for area in geometry.areas_at[i]:
            if not geometry.rings[area] & ~crosses:
                if state.taken >> area & 1:
                    low |= 1 << area
                else:
                    high |= 1 << area
    recent = state.recent
    if state.phase == SECOND:
        recent = _put(recent, seat, recent[seat] | crosses ^ state.crosses[seat])
    return State(
        state.boards,
        state.phase,
        state.active,
        state.rolls,
        state.dice,
        _put(state.crosses, seat, crosses),
        _put(state.high, seat, high),
        _put(state.low, seat, low),
        state.taken,
        _put(state.spent, seat, own),
        recent,
        state.done,
    )


def _put(row: tuple[int, ...], i: int, value: int) -> tuple[int, ...]:
    return row if row[i] == value else (*row[:i], value, *row[i + 1 :])


def _end_first(state: State) -> State:
    return state._replace(phase=SECOND, taken=circled(state), done=1 << state.active)


def _end_second(state: State, seat: int) -> State:
    """The last of the inactive players ends the round, and with six areas the game."""
    players = len(state.boards)
    nothing = (0,) * players
    done = state.done | 1 << seat
    if done.bit_count() < players:
        return State._make((*state[:-1], done))
    areas = [high | low for high, low in zip(state.high, state.low, strict=True)]
    over = any(mask.bit_count() >= AREAS_TO_END for mask in areas)
    return State(
        boards=state.boards,
        phase=OVER if over else ROLL,
        active=state.active if over else state.active % players + 1,
        rolls=0,
        dice="",
        crosses=state.crosses,
        high=state.high,
        low=state.low,
        taken=circled(state),
        spent=nothing,
        recent=nothing,
        done=0,
    )
