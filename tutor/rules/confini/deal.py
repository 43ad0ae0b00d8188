"""What card effects do to the table: Eco, Spago, cards in hands and Equipment, looks, and the end of a turn.

An effect that needs a draw or somebody's choice puts a task before the others in the queue; `flow` goes
through it. Impossible parts of an effect are skipped.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from tutor.rules.confini.cards import CHANGE, UNKNOWN
from tutor.rules.confini.effects import Effect
from tutor.rules.confini.state import (
    CLOSE,
    DO,
    DRAW,
    DROP,
    GIVE,
    HAND,
    LOOK,
    SHIFT,
    STEADY,
    TAKE,
    Position,
    Table,
    Task,
    clockwise,
    gear,
    limits_on,
    live_arcs,
    living,
    own_arc,
    placer_of,
)

NOBODY = 0
"""As a receiver: the discard pile."""

# Tokens and cards


def gain_eco(t: Table, seat: int, change: int) -> None:
    """Gains over the maximum are lost, losses stop at none."""
    most = gear(t.box, t, seat).eco_max
    t.eco[seat - 1] = max(0, min(most, t.eco[seat - 1] + change))


def gain_spago(t: Table, seat: int, change: int) -> None:
    """From the supply as far as there is any, or back to it as far as the player has any."""
    moved = min(change, t.supply) if change > 0 else -min(-change, t.spago[seat - 1])
    t.spago[seat - 1] += moved
    t.supply -= moved


def discard(t: Table, card: int) -> None:
    """To the discards of the deck or pile that the card belongs to."""
    home = t.box.cards[card].home
    if home:
        t.filed[home - 1] |= 1 << card
    else:
        t.discard |= 1 << card


def pass_card(t: Table, card: int, seat: int, to: int) -> None:
    """From one hand to another, or to the discards."""
    t.hand[seat - 1] &= ~(1 << card)
    if to == NOBODY:
        discard(t, card)
    else:
        t.hand[to - 1] |= 1 << card


def take_off(t: Table, card: int, seat: int, to: int) -> None:
    """An active Equipment goes to a hand or to the discards; what it allowed is gone with it."""
    t.equip[seat - 1] &= ~(1 << card)
    if to == NOBODY:
        discard(t, card)
    else:
        t.hand[to - 1] |= 1 << card
    gain_eco(t, seat, 0)


def deck_gives(t: Table) -> bool:
    """Whether an Explorer card can be drawn; the discards are shuffled when the deck is empty."""
    if not t.deck:
        t.deck, t.discard = t.discard, 0
    return bool(t.deck)


def draw(t: Table, seat: int, card: int) -> None:
    """A card from the Explorer deck: revealed and resolved, laid face up, or taken to the hand."""
    t.deck &= ~(1 << card)
    drawn = t.box.cards[card]
    if drawn.kind == CHANGE:
        _turn_change(t, seat, card)
    elif drawn.kept:
        t.kept[seat - 1] |= 1 << card
    elif "on_draw" in drawn.effects:
        first(t, *do(drawn.effects["on_draw"], seat), Task(CLOSE, card=card))
    else:
        t.hand[seat - 1] |= 1 << card


def _turn_change(t: Table, seat: int, card: int) -> None:
    if seat == t.active and gear(t.box, t, seat).steady and not t.steadied:
        first(t, Task(STEADY, seat, card=card))
        return
    discard(t, card)
    if seat == t.active:
        end_turn(t)


def end_turn(t: Table) -> None:
    """Only the hand check is left; a fight under way is finished before."""
    if t.fight:
        t.ending = True
        return
    for task in t.queue:
        if task.kind in (CLOSE, STEADY):
            discard(t, task.card)
    t.queue.clear()
    t.draws = t.looks = 0
    t.phase = HAND


# Effects


def first(t: Table, *tasks: Task) -> None:
    t.queue[:0] = tasks


def do(effects: Iterable[Effect], seat: int, to: int = 0, card: int = UNKNOWN) -> list[Task]:
    """The tasks of a card's effects. `to` is the chosen opponent, `card` the card that they speak of."""
    return [Task(DO, seat, to, card, effect) for effect in effects]


def holds(t: Position, effect: Effect, seat: int, most: int) -> bool:
    """Whether the condition of an effect is met for a player, who may hold `most` Eco."""
    others = [other for other in living(t) if other != seat]
    match effect.condition:
        case "equip":
            return t.equip[seat - 1].bit_count() >= effect.least
        case "spago":
            return t.spago[seat - 1] >= effect.least
        case "eco=max":
            return t.eco[seat - 1] == most
        case "sole_leader":
            return all(t.level[other - 1] < t.level[seat - 1] for other in others)
        case "someone_richer":
            return any(t.spago[other - 1] > t.spago[seat - 1] for other in others)
    return True


def perform(t: Table, task: Task) -> None:
    effect = task.effect
    if effect and (not effect.condition or holds(t, effect, task.seat, gear(t.box, t, task.seat).eco_max)):
        _PERFORM[effect.name](t, task, effect)


def _who(t: Table, word: str, task: Task) -> int:
    match word:
        case "self":
            return task.seat
        case "challenger":
            return t.active
        case "placer":
            return placer_of(t)
        case "chosen":
            return task.to
    return clockwise(t, task.seat)[0]


def _eco(t: Table, task: Task, effect: Effect) -> None:
    who = _who(t, effect.who(0), task)
    if who:
        gain_eco(t, who, effect.number(1))


def _will(t: Table, task: Task, effect: Effect) -> None:
    if t.fight:
        t.fight = t.fight._replace(will=t.fight.will + effect.number(0))


def _challenge(t: Table, task: Task, effect: Effect) -> None:
    if t.fight:
        t.fight = t.fight._replace(value=t.fight.value + effect.number(0))


def _draw(t: Table, task: Task, effect: Effect) -> None:
    who = _who(t, effect.who(0), task)
    if who:
        first(t, *[Task(DRAW, who)] * effect.number(1))


def _discard(t: Table, task: Task, effect: Effect) -> None:
    who = _who(t, effect.who(0), task)
    if who:
        first(t, *[Task(TAKE if effect.args[2] == "random" else GIVE, who)] * effect.number(1))


def _move_card(t: Table, task: Task, effect: Effect) -> None:
    who, to = _who(t, effect.who(0), task), _who(t, effect.who(1), task)
    if who and to and who != to:
        kind = TAKE if effect.args[3] == "random" else GIVE
        first(t, *[Task(kind, who, to)] * effect.number(2))


def _move_equip(t: Table, task: Task, effect: Effect) -> None:
    who = _who(t, effect.who(0), task)
    to = NOBODY if effect.args[1] == "discard" else _who(t, effect.who(1), task)
    if not who or (to == NOBODY and effect.args[1] != "discard"):
        return
    if effect.args[2] == "choice":
        first(t, Task(DROP, who, to))
    elif task.card >= 0 and t.equip[who - 1] >> task.card & 1:
        take_off(t, task.card, who, to)


def _spago(t: Table, task: Task, effect: Effect) -> None:
    who = _who(t, effect.who(0), task)
    if who:
        gain_spago(t, who, effect.number(1))


def _cut(t: Table, task: Task, effect: Effect) -> None:
    victim, to = _who(t, effect.who(0), task), _who(t, effect.who(1), task)
    if victim and to and can_cut(t, victim):
        t.spago[victim - 1] -= 1
        t.spago[to - 1] += 1


def can_cut(at: Table, victim: int) -> bool:
    return at.spago[victim - 1] >= 2 and "cut" not in gear(at.box, at, victim).ignores


def _peek(t: Table, task: Task, effect: Effect) -> None:
    if effect.args[0] == "any":
        first(t, Task(LOOK, task.seat, left=effect.number(1)))
    elif effect.args[1] == "all":
        show(t, task.seat, [limit.handle for limit in limits_on(t, own_arc(t.box, t, task.seat))])
    else:
        t.looks += effect.number(1)


def show(t: Table, seat: int, handles: Iterable[int]) -> None:
    """A player looks at face-down Limits and knows them from now on."""
    wanted, bit = set(handles), 1 << seat
    t.limits = tuple(
        replace(limit, seen=limit.seen | bit) if limit.handle in wanted else limit for limit in t.limits
    )


def look(t: Table, handle: int) -> None:
    """One of the looks that a played card gives; `move_limit` may then move what was looked at."""
    task = t.queue.pop(0)
    show(t, task.seat, [handle])
    seen = (*task.handles, handle)
    if t.queue and t.queue[0].effect and t.queue[0].effect.name == "move_limit":
        t.queue[0] = replace(t.queue[0], handles=seen)
    if task.left > 1:
        first(t, replace(task, handles=seen, left=task.left - 1))


def _move_limit(t: Table, task: Task, effect: Effect) -> None:
    first(t, Task(SHIFT, task.seat, handles=task.handles))


def _end_turn(t: Table, task: Task, effect: Effect) -> None:
    if task.seat == t.active:
        end_turn(t)


def _cancel(t: Table, task: Task, effect: Effect) -> None:
    if t.fight and t.fight.stack:
        discard(t, t.fight.stack[-1].card)
        t.fight = t.fight._replace(stack=t.fight.stack[:-1])


def _ignore(t: Table, task: Task, effect: Effect) -> None:
    if t.fight:
        t.fight = t.fight._replace(ignored=t.fight.ignored | {effect.who(0)})


def _no_cards(t: Table, task: Task, effect: Effect) -> None:
    if t.fight:
        t.fight = t.fight._replace(silent=True)


_PERFORM: Mapping[str, Callable[[Table, Task, Effect], None]] = {
    "eco": _eco,
    "will": _will,
    "challenge": _challenge,
    "draw": _draw,
    "discard": _discard,
    "move_card": _move_card,
    "move_equip": _move_equip,
    "spago": _spago,
    "cut": _cut,
    "peek": _peek,
    "move_limit": _move_limit,
    "end_turn": _end_turn,
    "cancel": _cancel,
    "ignore": _ignore,
    "no_cards": _no_cards,
}
"""`stat` is not here: `Box.gear` counts it in."""


# The Smoke piles


def pile_gives(t: Table, level: int) -> bool:
    """Whether a card can be drawn for this level. Runs the chain that fills empty piles.

    An empty pile gets its discards and the Limits of its value from dead arcs, if there is a Limit among
    them; else the next pile up serves. If none can give a Limit, those on arcs without a pawn are collected.
    """
    for _ in range(2):
        for n in pile_order(t, level):
            if t.piles[n]:
                return True
            if _refill(t, n):
                return True
        pawns = {own_arc(t.box, t, seat) for seat in living(t)}
        collect(t, [limit.handle for limit in t.limits if limit.arc not in pawns])
    return False


def pile_order(at: Position, level: int) -> list[int]:
    count = len(at.piles)
    return [(level - 1 + i) % count for i in range(count)]


def source(at: Position, level: int) -> int:
    """The pile that a player on this level draws from: the first one up that has a card."""
    n = level - 1
    if at.piles[n]:
        return n
    return next((n for n in pile_order(at, level) if at.piles[n]), n)


def _refill(t: Table, n: int) -> bool:
    alive = live_arcs(t.box, t)
    own = t.box.homes[n + 1]
    dead = [limit for limit in t.limits if limit.arc not in alive and own >> limit.card & 1]
    if not dead and not t.filed[n] & t.box.limits:
        return False
    collect(t, [limit.handle for limit in dead])
    t.piles[n], t.filed[n] = t.filed[n], 0
    return True


def collect(t: Table, handles: Iterable[int]) -> None:
    """Limits leave the board for the discards of their values."""
    gone = set(handles)
    for limit in t.limits:
        if limit.handle in gone:
            discard(t, limit.card)
    t.limits = tuple(limit for limit in t.limits if limit.handle not in gone)
