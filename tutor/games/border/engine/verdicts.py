"""Whether a move is legal, and why. The checks stand in the order of the rulebook, one `if` each; whether it
is the time, whose turn it is and how many there may be come before what else is wrong."""

from collections import Counter
from itertools import product

from tutor.games.border.engine.board import COLOURS, Board, Box, Geometry
from tutor.games.border.engine.scoring import outcome
from tutor.games.border.engine.state import (
    ALL_DICE,
    FACES,
    FIRST,
    IN_THE_AIR,
    MOST_ROLLS,
    NUMBERS,
    OVER,
    ROLL,
    SECOND,
    START,
    State,
    closed,
    left,
    offered,
)
from tutor.rules.base import Move, Reason, Value, Verdict, allow, refuse

# Verdicts on legal moves do not depend on the position, so they are made once. What players may doubt comes
# first in them.
_FIRST_PLAYER = allow("border.setup.first-player")
_ROLL = allow("border.roll.all-five")
_REROLL = allow("border.roll.three", "border.roll.some")
_FACES = allow("border.roll.keep")
_STOP_FIRST = allow("border.first.free")
_STOP_SECOND = allow("border.second.pass")
_END_FIRST = allow("border.second.one-of-five")
_END_SECOND = allow("border.round.next")
_CROSS_BESIDE = allow("border.second.beside", "border.second.free")
_CROSS_CHAIN = allow("border.second.chain", "border.second.beside", "border.second.free")
_COMPLETE = {
    (partial, several, apart): allow(
        *(["border.first.partial"] if partial else []),
        *(["border.first.several"] if several else []),
        *(["border.first.anywhere"] if apart else []),
        "border.first.complete",
    )
    for partial, several, apart in product((False, True), repeat=3)
}


def judge(box: Box, state: State, move: Move) -> Verdict:
    if state.phase == OVER:
        ended = outcome(box, state)
        winners = ended.winners if ended else ()
        return refuse("border.end.over", winners=tuple(f"p{seat}" for seat in winners))
    if move.act == "first" and state.phase != START:
        return refuse("border.setup.first-player")
    player = int(move.what[0]) if move.act == "first" else move.seat
    if player > len(state.boards):
        return refuse("border.setup.players", player=f"p{player}", players=len(state.boards))
    if move.act == "first":
        return _FIRST_PLAYER
    if state.phase == START:
        return refuse("border.setup.first-player")
    if move.act == "faces":
        return _judge_faces(state, move)
    if state.phase == FACES:
        return refuse("border.roll.final")
    if move.act in ("roll", "reroll"):
        return _judge_roll(state, move)
    if refused := _judge_seat(state, move.seat):
        return refused
    if move.act == "done":
        return _judge_done(state, move.seat)
    return _judge_cross(box, state, move)


def _judge_faces(state: State, move: Move) -> Verdict:
    if state.phase == ROLL:
        return refuse("border.roll.all-five")
    thrown = state.dice.count(IN_THE_AIR)
    if len(move.what) > thrown:
        return refuse("border.roll.keep")
    if len(move.what) < thrown:
        return refuse("border.roll.final")
    return _FACES


def _judge_roll(state: State, move: Move) -> Verdict:
    if move.seat != state.active:
        return refuse("border.roll.active", active=f"p{state.active}")
    if state.phase == SECOND:
        return refuse("border.second.inactive", active=f"p{state.active}")
    named = NUMBERS if move.act == "roll" else move.what
    if state.phase == ROLL and not set(NUMBERS) <= set(named):
        return refuse("border.roll.all-five")
    if state.rolls == MOST_ROLLS:
        return refuse("border.roll.three")
    if state.spent[state.active - 1]:
        return refuse("border.roll.stop")
    if not named:
        return refuse("border.roll.some")
    absent = tuple(die for i, die in enumerate(named) if die not in NUMBERS or die in named[:i])
    if absent:
        return refuse("border.roll.there", dice=absent)
    return _ROLL if state.phase == ROLL else _REROLL


def _judge_seat(state: State, seat: int) -> Verdict | None:
    if state.phase == SECOND:
        if seat == state.active:
            return refuse("border.second.inactive", active=f"p{seat}")
        if state.done >> seat & 1:
            return refuse("border.second.done", player=f"p{seat}")
        return None
    if seat != state.active:
        return refuse("border.first.active", active=f"p{state.active}")
    if state.phase == ROLL:
        return refuse("border.roll.all-five")
    return None


def _judge_done(state: State, seat: int) -> Verdict:
    """Whoever has used all dice does not use fewer: the rule says what follows from that."""
    stops = left(state.dice, closed(state, seat))
    if state.phase == FIRST:
        return _STOP_FIRST if stops else _END_FIRST
    return _STOP_SECOND if stops else _END_SECOND


def _judge_cross(box: Box, state: State, move: Move) -> Verdict:
    geometry = box.geometry
    if state.phase == SECOND and (more := _more_than_one(state, move)):
        return refuse("border.second.one-of-five", *more)
    unknown = tuple(dict.fromkeys(name for name in move.what if name not in geometry.index))
    if unknown:
        return refuse("border.setup.spaces", *unknown, spaces=unknown)
    crosses = state.crosses[move.seat - 1]
    for i, name in enumerate(move.what):
        bit = 1 << geometry.index[name]
        if bit & geometry.white:
            return refuse("border.setup.white", name, spaces=(name,))
        if bit & crosses or name in move.what[:i]:
            return refuse("border.cross.once", name, spaces=(name,), crossed=bool(bit & crosses))
    board = box.boards[state.boards[move.seat - 1] - 1]
    if state.phase == FIRST:
        return _judge_first(box, board, state, move)
    return _judge_second(box, board, state, move)


def _more_than_one(state: State, move: Move) -> tuple[str, ...]:
    """When all five dice were used, the spaces beyond the one that each of the others may cross."""
    if state.spent[state.active - 1] != ALL_DICE:
        return ()
    spaces = tuple(dict.fromkeys(move.what))
    return spaces if state.spent[move.seat - 1] else spaces[1:]


def _judge_first(box: Box, board: Board, state: State, move: Move) -> Verdict:
    geometry = box.geometry
    crosses, spent = state.crosses[move.seat - 1], state.spent[move.seat - 1]
    at_hand = left(state.dice, spent)
    wanted = geometry.mask(move.what)
    colours = [board.colours[geometry.index[name]] for name in move.what]
    short = [letter for letter in dict.fromkeys(colours) if colours.count(letter) > at_hand.count(letter)]
    short.sort(key=at_hand.count)
    segments = {board.segment_of[geometry.index[name]] for name in move.what}
    reasons = _incomplete(geometry, board, crosses, wanted, at_hand, sorted(segments))
    # An open segment is what a table argues about, and its reason names the dice too. That there is no die
    # of a colour at all comes first.
    if reasons and (not short or short[0] in at_hand):
        return Verdict(False, tuple(reasons))
    if short:
        at = tuple(name for name, c in zip(move.what, colours, strict=True) if c == short[0])
        need, have = colours.count(short[0]), at_hand.count(short[0])
        return refuse("border.cross.die", *at, colour=COLOURS[short[0]], need=need, have=have)
    return _COMPLETE[
        any(segment & crosses for segment in segments),
        bool(spent) or len(segments) > 1,
        not geometry.beside(wanted) & crosses,
    ]


def _incomplete(
    geometry: Geometry, board: Board, crosses: int, wanted: int, at_hand: str, segments: list[int]
) -> list[Reason]:
    """The segments that the move would leave open, each with the dice that the others leave for it: whoever
    follows the advice for all of them must not run out of dice."""
    budget = Counter(at_hand)
    for segment in segments:
        if not segment & ~crosses & ~wanted:
            budget[board.colours[segment.bit_length() - 1]] -= (segment & wanted).bit_count()
    reasons = []
    for segment in segments:
        missing = geometry.spaces(segment & ~crosses & ~wanted)
        if not missing:
            continue
        letter = board.colours[segment.bit_length() - 1]
        need, have = (segment & ~crosses).bit_count(), max(0, budget[letter])
        if have >= need:
            budget[letter] -= need
        args: dict[str, Value] = {
            "colour": COLOURS[letter],
            "size": segment.bit_count(),
            "missing": missing,
            "need": need,
            "have": have,
        }
        rule = "border.first.extend" if segment & crosses else "border.first.open"
        reasons.append(Reason(rule, missing, args))
    return reasons


def _judge_second(box: Box, board: Board, state: State, move: Move) -> Verdict:
    """Several spaces in one move are judged one after the other, in the order given; but first of all there
    must be dice for them."""
    geometry, crosses = box.geometry, state.crosses[move.seat - 1]
    if refused := _judge_dice(geometry, board, state, move):
        return refused
    recent, chained = state.recent[move.seat - 1], False
    for name in move.what:
        i = geometry.index[name]
        near = geometry.neighbours[i] & crosses
        if not near:
            order = _order_that_works(geometry, state.crosses[move.seat - 1], move.what)
            colour = COLOURS[board.colours[i]]
            return refuse(
                "border.second.beside", name, space=name, colour=colour, works=bool(order), order=order
            )
        chained |= not near & ~recent
        crosses |= 1 << i
        recent |= 1 << i
    return _CROSS_CHAIN if chained else _CROSS_BESIDE


def _judge_dice(geometry: Geometry, board: Board, state: State, move: Move) -> Verdict | None:
    """Refuses spaces of the second action for want of dice: there is none of the colour, or too few."""
    spent, dice = state.spent[move.seat - 1], offered(state)
    wanted: dict[str, list[str]] = {}
    for name in move.what:
        wanted.setdefault(board.colours[geometry.index[name]], []).append(name)
    for letter, names in wanted.items():
        colour = COLOURS[letter]
        if letter not in dice and state.spent[state.active - 1] == ALL_DICE:
            return refuse("border.cross.die", *names, colour=colour, need=1, have=0)
        if letter not in dice:
            at_hand = tuple(COLOURS[each] for each in sorted(dice))
            return refuse("border.second.unused", *names, colour=colour, left=at_hand)
    for letter, names in wanted.items():
        used = sum(spent >> i & 1 for i, die in enumerate(state.dice) if die == letter)
        need, have = used + len(names), dice.count(letter)
        if need > have:
            return refuse(
                "border.cross.die", *names[have - used :], colour=COLOURS[letter], need=need, have=have
            )
    return None


def _order_that_works(geometry: Geometry, crosses: int, spaces: tuple[str, ...]) -> tuple[str, ...]:
    """The spaces in an order in which each lies beside a cross; none if there is no such order."""
    order: list[str] = []
    rest = list(spaces)
    while near := [name for name in rest if geometry.neighbours[geometry.index[name]] & crosses]:
        order.append(near[0])
        rest.remove(near[0])
        crosses |= 1 << geometry.index[near[0]]
    return () if rest else tuple(order)
