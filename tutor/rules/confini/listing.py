"""Who may act, and the legal moves in their canonical forms."""

from collections.abc import Sequence
from functools import cache
from itertools import product

from tutor.rules.base import CHANCE, Move
from tutor.rules.confini import combat, deal
from tutor.rules.confini.cards import EXPLORER, Box, bits
from tutor.rules.confini.flow import can_advance
from tutor.rules.confini.judging import target_fault
from tutor.rules.confini.state import (
    BY_CHANCE,
    CARDS,
    CHARM,
    DRAW,
    EXPLORE,
    GIVE,
    LOOK,
    OFFER,
    OVER,
    PILE,
    REVEAL,
    ROLL,
    SHIFT,
    STEADY,
    Fight,
    State,
    Task,
    clockwise,
    gear,
    limits_on,
    own_arc,
)

move = cache(Move)
"""Moves are few and asked for often: each is made once."""


def turn(state: State) -> tuple[int, ...]:
    if state.phase == OVER:
        return ()
    if state.queue:
        task = state.queue[0]
        return (CHANCE,) if task.kind in BY_CHANCE else (task.seat,)
    if state.phase in (ROLL, EXPLORE, PILE, REVEAL):
        return (CHANCE,)
    if state.phase == CARDS and state.fight:
        return (state.fight.turn,)
    return (state.active,)


def moves(box: Box, state: State) -> Sequence[Move]:
    if state.queue:
        return _answers(box, state, state.queue[0])
    seat = state.active
    match state.phase:
        case "explore":
            return _drawn(box, EXPLORER, state.deck)
        case "pile":
            n = deal.source(state, state.level[seat - 1])
            return _drawn(box, n + 1, state.piles[n])
        case "start":
            return _start(box, state)
        case "equip":
            return _equip(box, state)
        case "challenge":
            handles = [(str(limit.handle),) for limit in limits_on(state, own_arc(box, state, seat))]
            looks = [move(seat, "look", handle) for handle in handles] if state.looks else []
            return looks + [move(seat, "fight", handle) for handle in handles]
        case "eco":
            return [move(seat, "spend", (str(n),)) for n in range(state.eco[seat - 1] + 1)]
        case "cards":
            return _cards(box, state, state.fight) if state.fight else ()
        case "place":
            return [move(seat, "place", (arc,)) for arc in box.arcs]
        case "advance":
            return (move(seat, "advance"), move(seat, "stay")) if can_advance(box, state, seat) else ()
        case "hand":
            return [move(seat, "discard", (box.cards[i].id,)) for i in bits(state.hand[seat - 1])]
        case "reveal":
            return [one for n, pile in enumerate(state.piles, 1) for one in _drawn(box, n, pile, "reveal")]
        case "pick":
            return [move(seat, "pick", (name,)) for name in box.characters if name not in state.characters]
        case "roll":
            return _throws(len(state.rolling))
    return ()


@cache
def _throws(count: int) -> tuple[Move, ...]:
    return tuple(Move(CHANCE, "dice", faces) for faces in product("123456", repeat=count))


@cache
def _draws(box: Box, home: int, act: str) -> tuple[tuple[int, Move], ...]:
    """The cards of a deck as bits, each with the chance move that brings it."""
    return tuple((1 << i, move(CHANCE, act, (box.cards[i].id,))) for i in bits(box.homes[home]))


def _drawn(box: Box, home: int, deck: int, act: str = "draw") -> list[Move]:
    return [drawn for bit, drawn in _draws(box, home, act) if deck & bit]


def _start(box: Box, state: State) -> list[Move]:
    seat = state.active
    most = min(box.numbers.draws, state.eco[seat - 1])
    found = [move(seat, "explore", (str(n),)) for n in range(most + 1)]
    if state.level[seat - 1] == len(state.piles) and state.spago[seat - 1] >= box.numbers.smoke:
        found.append(move(seat, "smoke"))
    return found


def _equip(box: Box, state: State) -> list[Move]:
    seat = state.active
    hand, worn = state.hand[seat - 1], state.equip[seat - 1]
    found = [move(seat, "done")]
    for i in bits(hand & box.explore):
        found += _plays(box, state, seat, i, "play_explore")
    for i in bits(hand & box.equipment):
        name = box.cards[i].id
        if worn.bit_count() < box.gear(state.characters[seat - 1], worn | 1 << i).slots:
            found.append(move(seat, "equip", (name,)))
        found += [move(seat, "equip", (name, box.cards[old].id)) for old in bits(worn)]
    return found


def _cards(box: Box, state: State, fight: Fight) -> list[Move]:
    seat = fight.turn
    found = [move(seat, "pass")]
    for i in bits(state.hand[seat - 1] & box.combat):
        found += _plays(box, state, seat, i, "play_combat")
    return found


def _plays(box: Box, state: State, seat: int, card: int, trigger: str) -> list[Move]:
    """A card with each of its legal targets."""
    name = box.cards[card].id
    aims = box.aims[trigger][card]
    words: list[tuple[str, ...]] = [(name,)]
    if "opponent" in aims:
        words = [(name, f"p{other}") for other in clockwise(state, seat)]
    if "equipment" in aims:
        words = [
            (name, f"p{other}", box.cards[i].id)
            for other in clockwise(state, seat)
            for i in bits(state.equip[other - 1])
        ]
    return [
        move(seat, "play", what)
        for what in words
        if target_fault(box, state, seat, card, trigger, what[1:]) is None
    ]


def _answers(box: Box, state: State, task: Task) -> list[Move]:
    seat = task.seat
    found: list[Move] = []
    if task.kind == DRAW:
        return _drawn(box, EXPLORER, state.deck)
    if task.kind in BY_CHANCE:
        return [move(CHANCE, "take", (box.cards[i].id,)) for i in bits(state.hand[seat - 1])]
    if task.kind == GIVE:
        return [move(seat, "give", (box.cards[i].id,)) for i in bits(state.hand[seat - 1])]
    if task.kind == STEADY:
        found.append(move(seat, "use", (gear(box, state, seat).steady,)))
    elif task.kind == OFFER:
        found.append(move(seat, "use", (box.cards[task.card].id,)))
    elif task.kind == CHARM:
        found += [move(seat, "use", (box.cards[i].id,)) for i in combat.charms(box, state, seat)]
    elif task.kind == LOOK:
        unseen = [limit for limit in state.limits if limit.handle not in task.handles]
        found += [move(seat, "look", (str(limit.handle),)) for limit in unseen]
    elif task.kind == SHIFT:
        for limit in state.limits:
            if limit.handle in task.handles:
                arcs = [arc for arc in box.arcs if arc != limit.arc]
                found += [move(seat, "move", (str(limit.handle), arc)) for arc in arcs]
    else:
        found += [move(seat, "drop", (box.cards[i].id,)) for i in bits(state.equip[seat - 1])]
    return [*found, move(seat, "pass")] if "pass" in task.answers else found
