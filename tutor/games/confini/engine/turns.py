"""What a legal move does, and everything that then happens by itself until somebody must act again."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import replace

from tutor.games.confini.engine import fights, tasks
from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import CHANGE, NO_CARD, UNKNOWN, take_out
from tutor.games.confini.engine.faces import bare, learn, missing_pile
from tutor.games.confini.engine.piles import fill_piles, shuffle_discards, source
from tutor.games.confini.engine.state import (
    ADVANCE,
    CLOSE,
    DO,
    DRAW,
    DROP,
    EQUIP,
    EXPLORE,
    FIT,
    HAND,
    LOOK,
    OFFER,
    OVER,
    PICK,
    PILE,
    PLACE,
    RECOVER,
    REVEAL,
    START,
    Limit,
    Play,
    State,
    Task,
    can_advance,
    clockwise,
    gear,
    too_many,
)
from tutor.games.confini.engine.table import NOBODY, Table, replace_at
from tutor.rules.base import Move


def play(box: Box, state: State, move: Move) -> State:
    """The state after a legal move."""
    if move.what and ":" in move.what[-1]:
        state, _ = learn(box, state, move)
        move = bare(move)
    table = Table.of(box, state)
    _ACTS[move.act](table, move)
    _go_on(table)
    return table.freeze()


# What happens by itself


def _go_on(t: Table) -> None:
    while True:
        if not t.queue:
            step = _PHASES.get(t.phase)
            if step is None or not step(t):
                return
            continue
        task = t.queue[0]
        happen = _HAPPENS.get(task.kind)
        if happen is None and tasks.waits(t.box, t, task):
            if task.kind == DRAW:
                shuffle_discards(t)
            return
        t.queue = t.queue[1:]
        if happen:  # else there is nothing to choose or draw
            happen(t, task)


_HAPPENS: Mapping[str, Callable[[Table, Task], None]] = {
    DO: tasks.perform,
    CLOSE: lambda t, task: t.discard_card(task.card),
    RECOVER: lambda t, task: _recover(t, task.seat),
    "stack": lambda t, task: fights.resolve_stack(t, t.fight) if t.fight else None,
    "negative": lambda t, task: fights.suffer_negative(t, t.fight) if t.fight else None,
    "award": lambda t, task: fights.award_placer(t),
    "file": lambda t, task: fights.discard_limit(t, t.fight) if t.fight else None,
}
"""What the tasks do that need nobody."""


def _after_explore(t: Table) -> bool:
    """Drawing is over when no draw is left, or no Eco to pay it, or no card."""
    if t.draws and t.eco[t.active - 1]:
        shuffle_discards(t)
        if t.deck:
            return False
    t.draws = 0
    t.phase = EQUIP
    return False


def _after_pile(t: Table) -> bool:
    level = t.level[t.active - 1]
    if t.piles[level - 1]:
        return False
    fill_piles(t, level)
    if any(t.piles):
        return False
    t.phase = ADVANCE
    return True


def _after_advance(t: Table) -> bool:
    if can_advance(t.box, t, t.active):
        return False
    t.phase = HAND
    return True


def _after_hand(t: Table) -> bool:
    if too_many(t.box, t, t.active):
        return False
    _next_turn(t)
    return True


def _after_reveal(t: Table) -> bool:
    if t.fight is None or fights.reveals_more(t, t.fight):
        return False
    fights.open_window(t, t.fight)
    return False


_PHASES: Mapping[str, Callable[[Table], bool]] = {
    EXPLORE: _after_explore,
    PILE: _after_pile,
    ADVANCE: _after_advance,
    HAND: _after_hand,
    REVEAL: _after_reveal,
}
"""The phases that may be over without a move. Each tells whether something more happens by itself."""


# From turn to turn


def begin_turn(t: Table, seat: int) -> None:
    t.active = seat
    t.phase = START
    t.steadied = False
    effects = gear(t.box, t, seat).effects["turn_start"]
    for card, effect in effects:
        t.ask_last(Task(OFFER if effect.may else DO, seat, card=card, effect=effect))
    if effects:
        t.ask_last(Task(RECOVER, seat))
    else:
        _recover(t, seat)


def _recover(t: Table, seat: int) -> None:
    """One Eco, but not on the first turn, and not with what prevents it."""
    if t.round > 1:
        worn, eco = gear(t.box, t, seat), t.eco[seat - 1]
        if eco < worn.eco_max and "recovery" not in worn.ignores:
            t.eco = replace_at(t.eco, seat, eco + 1)


def _next_turn(t: Table) -> None:
    seat = clockwise(t, t.active)[0]
    if round_ends(t.active, seat, t.first, len(t.level)):
        if t.round == t.guard:
            t.phase = OVER
            return
        t.round += 1
    begin_turn(t, seat)


def round_ends(seat: int, following: int, first: int, players: int) -> bool:
    """Whether the turn reaches or passes the first player's seat on its way to the following player."""
    return (first - seat - 1) % players < (following - seat) % players


# Preparing the game


def _roll(t: Table, move: Move) -> None:
    """The highest die chooses first and has the first turn; those who tie for it roll again."""
    best = tuple(seat for seat, face in zip(t.rolling, move.what, strict=True) if face == max(move.what))
    if len(best) > 1:
        t.rolling = best
        return
    t.rolling = ()
    t.first = t.active = best[0]
    t.phase = PICK
    _begin_when_picked(t)


def _pick(t: Table, move: Move) -> None:
    t.characters = replace_at(t.characters, move.seat, move.what[0])
    t.active = move.seat % len(t.characters) + 1
    _begin_when_picked(t)


def _begin_when_picked(t: Table) -> None:
    if all(t.characters):
        begin_turn(t, t.first)


# The phases of a turn


def _card(t: Table, move: Move) -> int:
    return t.box.index.get(move.what[0], UNKNOWN)


def _draw(t: Table, move: Move) -> None:
    card = _card(t, move)
    if t.queue:
        tasks.draw(t, t.finish_task().seat, card)
    elif t.phase == EXPLORE:
        t.eco = replace_at(t.eco, t.active, t.eco[t.active - 1] - 1)  # each Eco is paid as its card is drawn
        t.draws -= 1
        tasks.draw(t, t.active, card)
    else:
        _draw_from_pile(t, card)


def _draw_from_pile(t: Table, card: int) -> None:
    """The end phase: a Limit is to be placed, a Turn Change ends the turn."""
    home = t.box.cards[card].home if card >= 0 else source(t, t.level[t.active - 1]) + 1
    t.piles = replace_at(t.piles, home, take_out(t.piles[home - 1], card))
    if card >= 0 and t.box.cards[card].kind == CHANGE:
        t.discard_card(card)
        tasks.end_turn(t)
    else:
        t.held = card
        t.phase = PLACE


def _explore(t: Table, move: Move) -> None:
    t.draws = int(move.what[0])
    t.phase = EXPLORE


def _equip(t: Table, move: Move) -> None:
    seat, card = t.active, _card(t, move)
    t.play_from_hand(card, seat)
    t.equip = replace_at(t.equip, seat, t.equip[seat - 1] | 1 << card)
    if len(move.what) > 1:
        t.take_off(t.box.index[move.what[1]], seat, NOBODY)
        t.ask_last(Task(FIT, seat))


def _play(t: Table, move: Move) -> None:
    """In a fight a card waits on the stack; outside it works at once and nobody can answer."""
    seat, card = move.seat, _card(t, move)
    target = int(move.what[1][1:]) if len(move.what) > 1 else 0
    if t.fight:
        fights.put_on_stack(t, t.fight, Play(seat, card, target))
        return
    named = t.box.index[move.what[2]] if len(move.what) > 2 else NO_CARD
    t.play_from_hand(card, seat)
    effects = t.box.cards[card].effects["play_explore"]
    t.ask_first(*tasks.to_do(effects, seat, target, named), Task(CLOSE, card=card))


def _look(t: Table, move: Move) -> None:
    if t.queue and t.queue[0].kind == LOOK:
        tasks.look(t, int(move.what[0]))
    else:
        t.looks -= 1
        t.show(move.seat, [int(move.what[0])])


def _spend(t: Table, move: Move) -> None:
    if t.fight:
        fights.declare(t, t.fight, int(move.what[0]))


def _pass(t: Table, move: Move) -> None:
    if t.queue:
        tasks.decline(t)
    elif t.fight:
        fights.let_pass(t, t.fight)


def _reveal(t: Table, move: Move) -> None:
    """A card for the Smoke; in a view also the face of a Limit that was turned up."""
    if t.fight:
        fights.reveal_for_smoke(t, t.fight, _card(t, move))
        return
    handle = t.finish_task().handles[0]
    t.limits = tuple(
        replace(limit, card=_card(t, move)) if limit.handle == handle else limit for limit in t.limits
    )
    fights.turn_up(t, handle)


def _hand_over(t: Table, move: Move) -> None:
    """A card leaves a hand, by its owner's choice or by chance."""
    task = t.finish_task()
    t.pass_card(_card(t, move), task.seat, task.to)


def _drop(t: Table, move: Move) -> None:
    task = t.queue[0]
    if task.kind == DROP:
        t.finish_task()
    t.take_off(_card(t, move), task.seat, task.to)


def _move_limit(t: Table, move: Move) -> None:
    t.finish_task()
    handle, arc = int(move.what[0]), move.what[1]
    t.limits = tuple(replace(one, arc=arc) if one.handle == handle else one for one in t.limits)


def _place(t: Table, move: Move) -> None:
    """Face down, under the lowest free number; its placer may always look at it."""
    pile = t.box.cards[t.held].home if t.held >= 0 else missing_pile(t.box, t)
    before = bisect_left(range(len(t.limits)), 1, key=lambda i: t.limits[i].handle - 1 - i)
    limit = Limit(before + 1, move.what[0], t.active, t.held, 1 << t.active, pile)
    t.limits = (*t.limits[:before], limit, *t.limits[before:])
    t.held = NO_CARD
    t.phase = ADVANCE


def _advance(t: Table, move: Move) -> None:
    """All Spago but one go back, and the Eco is full again."""
    seat = t.active
    t.level = replace_at(t.level, seat, t.level[seat - 1] + 1)
    t.gain_spago(seat, 1 - t.spago[seat - 1])
    t.eco = replace_at(t.eco, seat, gear(t.box, t, seat).eco_max)
    t.phase = HAND


def _stay(t: Table, move: Move) -> None:
    t.phase = HAND


_ACTS: Mapping[str, Callable[[Table, Move], None]] = {
    "dice": _roll,
    "draw": _draw,
    "take": _hand_over,
    "reveal": _reveal,
    "pick": _pick,
    "smoke": lambda t, move: fights.challenge_smoke(t),
    "explore": _explore,
    "play": _play,
    "equip": _equip,
    "done": lambda t, move: fights.enter_challenge(t),
    "look": _look,
    "fight": lambda t, move: fights.turn_up(t, int(move.what[0])),
    "spend": _spend,
    "pass": _pass,
    "use": lambda t, move: tasks.use(t, move.what[0]),
    "give": _hand_over,
    "drop": _drop,
    "discard": lambda t, move: t.pass_card(_card(t, move), move.seat, NOBODY),
    "move": _move_limit,
    "place": _place,
    "advance": _advance,
    "stay": _stay,
}
