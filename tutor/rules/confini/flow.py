"""The turn: its phases one after the other, and the queue of things that must happen in between.

`run` goes on until somebody must act: a player, or chance. Nothing here asks whether a move is legal.
"""

from dataclasses import replace

from tutor.rules.confini import combat, deal
from tutor.rules.confini.cards import CHANGE, LEVELS, Box
from tutor.rules.confini.state import (
    ADVANCE,
    CLOSE,
    DO,
    DROP,
    EQUIP,
    EXPLORE,
    FIT,
    HAND,
    NO_CARD,
    OFFER,
    OVER,
    PICK,
    PILE,
    PLACE,
    RECOVER,
    REVEAL,
    START,
    STEADY,
    Limit,
    Position,
    Table,
    Task,
    clockwise,
    gear,
)

# Going on


def run(t: Table) -> None:
    """Everything that happens by itself, until a player or chance must act."""
    while True:
        if t.queue:
            if waits(t, t.queue[0]):
                return
            _step(t, t.queue.pop(0))
        elif t.phase == EXPLORE:
            if not t.draws or not t.eco[t.active - 1] or not deal.deck_gives(t):
                t.draws = 0
                t.phase = EQUIP
            return
        elif t.phase == PILE:
            if deal.pile_gives(t, t.level[t.active - 1]):
                return
            t.phase = ADVANCE
        elif t.phase == ADVANCE:
            if can_advance(t.box, t, t.active):
                return
            t.phase = HAND
        elif t.phase == HAND:
            if too_many(t.box, t, t.active):
                return
            _next_turn(t)
        elif t.phase == REVEAL:
            fight = t.fight
            if fight is None or (len(fight.revealed) < fight.rivals and any(t.piles)):
                return
            combat.open_window(t, fight)
        else:
            return


def waits(t: Table, task: Task) -> bool:
    """Whether a task needs somebody's choice or a draw, and there is something to choose or draw."""
    match task.kind:
        case "draw":
            return deal.deck_gives(t)
        case "take" | "give":
            return bool(t.hand[task.seat - 1])
        case "drop":
            return bool(t.equip[task.seat - 1])
        case "fit":
            return t.equip[task.seat - 1].bit_count() > gear(t.box, t, task.seat).slots
        case "offer":
            return bool(t.equip[task.seat - 1] >> task.card & 1)
        case "charm":
            return bool(t.kept[task.seat - 1]) and bool(combat.charms(t.box, t, task.seat))
        case "look":
            return any(limit.handle not in task.handles for limit in t.limits)
        case "shift":
            return any(limit.handle in task.handles for limit in t.limits)
        case "steady":
            return True
    return False


def _step(t: Table, task: Task) -> None:
    fight = t.fight
    match task.kind:
        case "do":
            deal.perform(t, task)
        case "close":
            deal.discard(t, task.card)
        case "recover":
            _recover(t, task.seat)
    if fight is None:
        return
    match task.kind:
        case "stack":
            combat.resolve(t, fight)
        case "negative":
            combat.negative(t, fight)
        case "award":
            combat.award(t)
        case "file":
            combat.file(t, fight)


# From turn to turn


def begin(t: Table, seat: int) -> None:
    t.active = seat
    t.phase = START
    t.steadied = False
    effects = gear(t.box, t, seat).effects.get("turn_start", ())
    for card, effect in effects:
        t.queue.append(Task(OFFER if effect.may else DO, seat, card=card, effect=effect))
    if effects:
        t.queue.append(Task(RECOVER, seat))
    else:
        _recover(t, seat)


def _recover(t: Table, seat: int) -> None:
    """One Eco, but not on the first turn, and not with what prevents it."""
    if t.round > 1 and "recovery" not in gear(t.box, t, seat).ignores:
        deal.gain_eco(t, seat, +1)


def _next_turn(t: Table) -> None:
    seat = clockwise(t, t.active)[0]
    steps = (seat - t.active) % len(t.level)
    if (t.first - t.active - 1) % len(t.level) < steps:
        if t.round == t.guard:
            t.phase = OVER
            return
        t.round += 1
    begin(t, seat)


# Preparing the game


def rolled(t: Table, faces: tuple[int, ...]) -> None:
    """The highest die chooses first and has the first turn; those who tie for it roll again."""
    best = tuple(seat for seat, face in zip(t.rolling, faces, strict=True) if face == max(faces))
    if len(best) > 1:
        t.rolling = best
        return
    t.rolling = ()
    t.first = t.active = best[0]
    t.phase = PICK
    _after_pick(t)


def pick(t: Table, seat: int, character: str) -> None:
    t.characters[seat - 1] = character
    t.active = seat % len(t.characters) + 1
    _after_pick(t)


def _after_pick(t: Table) -> None:
    if all(t.characters):
        begin(t, t.first)


# Phases


def explore(t: Table, count: int) -> None:
    t.draws = count
    t.phase = EXPLORE


def buy(t: Table, card: int) -> None:
    """Each Eco is paid as its card is drawn."""
    t.eco[t.active - 1] -= 1
    t.draws -= 1
    deal.draw(t, t.active, card)


def equip(t: Table, card: int, instead: int | None) -> None:
    seat = t.active
    t.hand[seat - 1] &= ~(1 << card)
    t.equip[seat - 1] |= 1 << card
    if instead is not None:
        deal.take_off(t, instead, seat, deal.NOBODY)
        t.queue.append(Task(FIT, seat))


def play(t: Table, card: int, target: int, named: int) -> None:
    """A card outside a fight: it works at once and nobody can answer."""
    seat = t.active
    t.hand[seat - 1] &= ~(1 << card)
    effects = t.box.cards[card].effects["play_explore"]
    deal.first(t, *deal.do(effects, seat, target, named), Task(CLOSE, card=card))


def from_pile(t: Table, card: int) -> None:
    """The end phase: a Limit is to be placed, a Turn Change ends the turn."""
    drawn = t.box.cards[card]
    t.piles[drawn.home - 1] &= ~(1 << card)
    if drawn.kind == CHANGE:
        deal.discard(t, card)
        deal.end_turn(t)
    else:
        t.held = card
        t.phase = PLACE


def place(t: Table, arc: str) -> None:
    """Face down, under the lowest free number; its placer may always look at it."""
    taken = {limit.handle for limit in t.limits}
    handle = next(n for n in range(1, len(taken) + 2) if n not in taken)
    limit = Limit(handle, arc, t.active, t.held, 1 << t.active)
    t.limits = tuple(sorted((*t.limits, limit), key=lambda one: one.handle))
    t.held = NO_CARD
    t.phase = ADVANCE


def shift(t: Table, handle: int, arc: str) -> None:
    t.limits = tuple(replace(one, arc=arc) if one.handle == handle else one for one in t.limits)


def advance(t: Table) -> None:
    """All Spago but one go back, and the Eco is full again."""
    seat = t.active
    t.level[seat - 1] += 1
    deal.gain_spago(t, seat, 1 - t.spago[seat - 1])
    t.eco[seat - 1] = gear(t.box, t, seat).eco_max
    t.phase = HAND


def can_advance(box: Box, at: Position, seat: int) -> bool:
    level = at.level[seat - 1]
    return level < LEVELS and at.spago[seat - 1] >= box.numbers.advance[level - 1]


def too_many(box: Box, at: Position, seat: int) -> int:
    """How many cards of the hand are over the limit; nobody checks an eliminated player's."""
    if not at.level[seat - 1]:
        return 0
    return max(0, at.hand[seat - 1].bit_count() - gear(box, at, seat).hand_limit)


# Answers to what waits in the queue


def use(t: Table, what: str) -> None:
    """The offered effect is used: a Turn Change stopped, a kept card or an Equipment spent."""
    task = t.queue.pop(0)
    if task.kind == STEADY:
        t.steadied = True
        deal.discard(t, task.card)
    elif task.kind == OFFER and task.effect:
        deal.first(t, *deal.do([task.effect], task.seat, card=task.card))
    else:
        card = t.box.index[what]
        t.kept[task.seat - 1] &= ~(1 << card)
        deal.discard(t, card)
        deal.first(t, *deal.do(t.box.cards[card].effects["on_loss"], task.seat))


def decline(t: Table) -> None:
    task = t.queue.pop(0)
    if task.kind == STEADY:
        deal.discard(t, task.card)
        deal.end_turn(t)


def hand_over(t: Table, card: int) -> None:
    """A card leaves a hand, by its owner's choice or by chance."""
    task = t.queue.pop(0)
    deal.pass_card(t, card, task.seat, task.to)


def drop(t: Table, card: int) -> None:
    task = t.queue[0]
    if task.kind == DROP:
        t.queue.pop(0)
    deal.take_off(t, card, task.seat, task.to)


def free_draw(t: Table, card: int) -> None:
    task = t.queue.pop(0)
    deal.draw(t, task.seat, card)
