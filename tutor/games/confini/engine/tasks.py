"""What card effects do, and what waits in the queue: draws, choices, and effects that are still to happen.

An effect that needs a draw or somebody's choice puts a task before the others. Impossible parts of an effect
are skipped.
"""

from collections.abc import Callable, Iterable, Mapping

from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import CHANGE, NO_CARD, bits, take_out
from tutor.games.confini.engine.effects import Effect
from tutor.games.confini.engine.state import (
    CLOSE,
    DO,
    DRAW,
    DROP,
    GIVE,
    HAND,
    LOOK,
    OFFER,
    SHIFT,
    STEADY,
    TAKE,
    Position,
    Task,
    cannot_cut,
    clockwise,
    gear,
    limits_on,
    living,
    own_arc,
    placer_of,
)
from tutor.games.confini.engine.table import NOBODY, Table, replace_at

# Waiting


def waits(box: Box, at: Position, task: Task) -> bool:
    """Whether a task needs somebody's choice or a draw, and there is something to choose or draw."""
    seat = task.seat - 1
    match task.kind:
        case "draw":
            return bool(at.deck or at.discard)
        case "take" | "give":
            return bool(at.hand[seat])
        case "drop":
            return bool(at.equip[seat])
        case "fit":
            return at.equip[seat].bit_count() > gear(box, at, task.seat).slots
        case "offer":
            return bool(at.equip[seat] >> task.card & 1)
        case "charm":
            return bool(charms(box, at, task.seat))
        case "look":
            return any(limit.handle not in task.handles for limit in at.limits)
        case "shift":
            return any(limit.handle in task.handles for limit in at.limits)
        case "steady" | "uncover":
            return True
    return False


def charms(box: Box, at: Position, seat: int) -> list[int]:
    """The kept cards that may be used after a loss."""
    kept = at.kept[seat - 1]
    return [i for i in bits(kept) if "on_loss" in box.cards[i].effects] if kept else []


def use(t: Table, what: str) -> None:
    """The offered effect is used: a Turn Change stopped, a kept card or an Equipment spent."""
    task = t.finish_task()
    if task.kind == STEADY:
        t.steadied = True
        t.discard_card(task.card)
    elif task.kind == OFFER and task.effect:
        t.ask_first(*to_do([task.effect], task.seat, card=task.card))
    else:
        card = t.box.index[what]
        t.kept = replace_at(t.kept, task.seat, take_out(t.kept[task.seat - 1], card))
        t.discard_card(card)
        t.ask_first(*to_do(t.box.cards[card].effects["on_loss"], task.seat))


def decline(t: Table) -> None:
    task = t.finish_task()
    if task.kind == STEADY:
        t.discard_card(task.card)
        end_turn(t)


def look(t: Table, handle: int) -> None:
    """One of the looks that a played card gives; `move_limit` may then move what was looked at."""
    task = t.finish_task()
    t.show(task.seat, [handle])
    seen = (*task.handles, handle)
    if t.queue and t.queue[0].effect and t.queue[0].effect.name == "move_limit":
        t.ask_first(t.finish_task()._replace(handles=seen))
    if task.left > 1:
        t.ask_first(task._replace(handles=seen, left=task.left - 1))


# Drawing


def draw(t: Table, seat: int, card: int) -> None:
    """A card from the Explorer deck: revealed and resolved, laid face up, or taken to the hand."""
    t.deck = take_out(t.deck, card)
    if card < 0:
        t.to_hand(card, seat)
        return
    drawn = t.box.cards[card]
    if drawn.kind == CHANGE:
        _turn_change(t, seat, card)
    elif drawn.kept:
        t.kept = replace_at(t.kept, seat, t.kept[seat - 1] | 1 << card)
    elif "on_draw" in drawn.effects:
        t.ask_first(*to_do(drawn.effects["on_draw"], seat), Task(CLOSE, card=card))
    else:
        t.to_hand(card, seat)


def _turn_change(t: Table, seat: int, card: int) -> None:
    worn = gear(t.box, t, seat)
    if seat == t.active and worn.steady and not (worn.steady_once and t.steadied):
        t.ask_first(Task(STEADY, seat, card=card))
        return
    t.discard_card(card)
    if seat == t.active:
        end_turn(t)


def end_turn(t: Table) -> None:
    """Only the hand check is left; a fight under way is finished before."""
    if t.fight:
        t.ending = True
        return
    for task in t.queue:
        if task.kind in (CLOSE, STEADY):
            t.discard_card(task.card)
    t.queue = ()
    t.draws = t.looks = 0
    t.phase = HAND


# Effects


def to_do(effects: Iterable[Effect], seat: int, to: int = 0, card: int = NO_CARD) -> list[Task]:
    """The tasks of a card's effects. `to` is the chosen opponent, `card` the card that they speak of."""
    return [Task(DO, seat, to, card, effect) for effect in effects]


def holds(box: Box, at: Position, effect: Effect, seat: int) -> bool:
    """Whether the condition of an effect is met for a player."""
    others = [other for other in living(at) if other != seat]
    match effect.condition:
        case "equip":
            return at.equip[seat - 1].bit_count() >= effect.least
        case "spago":
            return at.spago[seat - 1] >= effect.least
        case "eco=max":
            return at.eco[seat - 1] == gear(box, at, seat).eco_max
        case "sole_leader":
            return all(at.level[other - 1] < at.level[seat - 1] for other in others)
        case "someone_richer":
            return any(at.spago[other - 1] > at.spago[seat - 1] for other in others)
    return True


def perform(t: Table, task: Task) -> None:
    effect = task.effect
    if effect and (not effect.condition or holds(t.box, t, effect, task.seat)):
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
        t.gain_eco(who, effect.number(1))


def _will(t: Table, task: Task, effect: Effect) -> None:
    if t.fight:
        t.fight = t.fight._replace(will=t.fight.will + effect.number(0))


def _challenge(t: Table, task: Task, effect: Effect) -> None:
    if t.fight:
        t.fight = t.fight._replace(value=t.fight.value + effect.number(0))


def _draw(t: Table, task: Task, effect: Effect) -> None:
    who = _who(t, effect.who(0), task)
    if who:
        t.ask_first(*[Task(DRAW, who)] * effect.number(1))


def _discard(t: Table, task: Task, effect: Effect) -> None:
    who = _who(t, effect.who(0), task)
    if who:
        t.ask_first(*[Task(TAKE if effect.args[2] == "random" else GIVE, who)] * effect.number(1))


def _move_card(t: Table, task: Task, effect: Effect) -> None:
    who, to = _who(t, effect.who(0), task), _who(t, effect.who(1), task)
    if who and to and who != to:
        kind = TAKE if effect.args[3] == "random" else GIVE
        t.ask_first(*[Task(kind, who, to)] * effect.number(2))


def _move_equip(t: Table, task: Task, effect: Effect) -> None:
    who = _who(t, effect.who(0), task)
    to = NOBODY if effect.args[1] == "discard" else _who(t, effect.who(1), task)
    if not who or (to == NOBODY and effect.args[1] != "discard"):
        return
    if effect.args[2] == "choice":
        t.ask_first(Task(DROP, who, to))
    elif task.card >= 0 and t.equip[who - 1] >> task.card & 1:
        t.take_off(task.card, who, to)


def _spago(t: Table, task: Task, effect: Effect) -> None:
    who = _who(t, effect.who(0), task)
    if who:
        t.gain_spago(who, effect.number(1))


def _cut(t: Table, task: Task, effect: Effect) -> None:
    victim, to = _who(t, effect.who(0), task), _who(t, effect.who(1), task)
    if victim and to and not cannot_cut(t.box, t, victim):
        t.spago = replace_at(t.spago, victim, t.spago[victim - 1] - 1)
        t.spago = replace_at(t.spago, to, t.spago[to - 1] + 1)


def _peek(t: Table, task: Task, effect: Effect) -> None:
    if effect.args[0] == "any":
        t.ask_first(Task(LOOK, task.seat, left=effect.number(1)))
    elif effect.args[1] == "all":
        t.show(task.seat, [limit.handle for limit in limits_on(t, own_arc(t.box, t, task.seat))])
    else:
        t.looks += effect.number(1)


def _move_limit(t: Table, task: Task, effect: Effect) -> None:
    t.ask_first(Task(SHIFT, task.seat, handles=task.handles))


def _end_turn(t: Table, task: Task, effect: Effect) -> None:
    if task.seat == t.active:
        end_turn(t)


def _cancel(t: Table, task: Task, effect: Effect) -> None:
    if t.fight and t.fight.stack:
        t.discard_card(t.fight.stack[-1].card)
        t.fight = t.fight.stacking(t.fight.stack[:-1])


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
