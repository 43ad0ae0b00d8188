"""Whether what is still to happen can be waiting in a position: every task has its values and its cause."""

from collections.abc import Iterator, Sequence

from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import LIMIT, NO_CARD, UNKNOWN
from tutor.games.confini.engine.effects import Effect
from tutor.games.confini.engine.state import (
    AWARD,
    CHALLENGE,
    CHARM,
    CLOSE,
    DO,
    DRAW,
    DROP,
    ECO,
    EQUIP,
    EXPLORE,
    FILE,
    FIT,
    GIVE,
    LOOK,
    NEGATIVE,
    OFFER,
    RECOVER,
    RESULT,
    SHIFT,
    STACK,
    START,
    STEADY,
    TAKE,
    UNCOVER,
    State,
    Task,
    find_limit,
    gear,
    own_arc,
    placer_of,
)
from tutor.games.confini.engine.tasks import waits

ASKING = (START, EXPLORE, EQUIP, CHALLENGE, ECO, RESULT)
"""Phases in which something can be in the queue."""
_BY_ITSELF = (DO, CLOSE, RECOVER, STACK, NEGATIVE, AWARD, FILE)
_ONLY_IN = {RECOVER: START, FIT: EQUIP, **dict.fromkeys((STACK, NEGATIVE, AWARD, FILE, CHARM), RESULT)}
_FIELDS: dict[str, tuple[set[str], set[str]]] = {
    DRAW: ({"seat"}, set()),
    TAKE: ({"seat"}, {"to"}),
    GIVE: ({"seat"}, {"to"}),
    DROP: ({"seat"}, {"to"}),
    FIT: ({"seat"}, set()),
    STEADY: ({"seat", "card"}, set()),
    OFFER: ({"seat", "card", "effect"}, set()),
    CHARM: ({"seat"}, set()),
    LOOK: ({"seat", "left"}, {"handles"}),
    SHIFT: ({"seat", "handles"}, set()),
    UNCOVER: ({"seat", "handles"}, set()),
    DO: ({"seat", "effect"}, {"to", "card", "handles"}),
    CLOSE: ({"card"}, set()),
    RECOVER: ({"seat"}, set()),
    STACK: (set(), set()),
    NEGATIVE: ({"seat"}, set()),
    AWARD: (set(), set()),
    FILE: (set(), set()),
}
"""Of each kind of task the values that it must have, and those that it may have."""


def wrong_tasks(box: Box, state: State) -> Iterator[Task]:
    """The first task waits for somebody; the others are such as the engine makes."""
    queue = state.queue
    if not queue:
        return
    first = queue[0]
    for i, task in enumerate(queue):
        if not _is_sound(box, state, task) or not _has_cause(box, state, task, queue[i:]):
            yield task
    if first.kind in _BY_ITSELF or not waits(box, state, first):
        yield first
    if first.kind == DRAW and not state.deck:
        yield first
    if not _ends_well(box, state):
        yield first


def _ends_well(box: Box, state: State) -> bool:
    """Whether what follows last is what the phase is about: a card to be put away, the end of a fight."""
    kinds, last = [task.kind for task in state.queue], state.queue[-1]
    if UNCOVER in kinds or FIT in kinds:
        return len(kinds) == 1
    match state.phase:
        case "start":
            return last.kind == RECOVER
        case "explore":
            return kinds == [STEADY] or (last.kind == CLOSE and "on_draw" in box.cards[last.card].effects)
        case "equip":
            return last.kind == CLOSE and "play_explore" in box.cards[last.card].effects
        case "result":
            smoke = state.fight is not None and state.fight.smoke
            return STACK in kinds or (FILE in kinds and not smoke)
    return True


# Single tasks


def _is_sound(box: Box, state: State, task: Task) -> bool:
    if task.kind not in _FIELDS:
        return False
    must, may = _FIELDS[task.kind]
    values = task._replace(card=task.card - NO_CARD)._asdict()
    given = {name for name, value in values.items() if value and name != "kind"}
    if not must <= given <= must | may:
        return False
    if _ONLY_IN.get(task.kind, state.phase) != state.phase:
        return False
    if any(seat and not state.level[seat - 1] for seat in (task.seat, task.to)):
        return False
    if any(find_limit(state, handle) is None for handle in task.handles):
        return False
    if task.kind == STEADY:
        worn = gear(box, state, state.active)
        used = worn.steady_once and state.steadied
        return task.seat == state.active and bool(worn.steady) and not used
    return task.kind != UNCOVER or _is_turned_up(box, state, task)


def _is_turned_up(box: Box, state: State, task: Task) -> bool:
    limit = find_limit(state, task.handles[0])
    own = task.seat == state.active and len(task.handles) == 1 and state.phase == CHALLENGE
    hidden = limit is not None and limit.card == UNKNOWN and limit.arc == own_arc(box, state, state.active)
    return own and hidden and not state.looks


# Causes

_MADE = (DRAW, TAKE, GIVE, DROP, LOOK, SHIFT, OFFER, DO)
"""Tasks that an effect makes."""
_MOMENTS = {
    START: ("turn_start",),
    CHALLENGE: ("challenge_start",),
    ECO: ("on_reveal",),
    RESULT: ("on_win", "on_loss"),
}
"""When the effects of Abilities, Equipment, kept cards and the fought Limit happen."""


def _has_cause(box: Box, state: State, task: Task, rest: Sequence[Task]) -> bool:
    """Whether an effect that is at work now makes this task. A drawn or played card is put away right after
    its tasks, so it is the next one to be; without such a card it is an effect of this phase."""
    if task.kind not in _MADE:
        return True
    closing = next((box.cards[later.card] for later in rest if later.kind == CLOSE), None)
    if closing:
        moments: tuple[str, ...] = ("on_draw", "play_explore", "play_combat")
        sources = [closing.effects]
    else:
        moments = _MOMENTS.get(state.phase, ())
        fought = state.fight.card if state.fight else NO_CARD
        sources = [one.effects for one in box.characters.values()]
        sources += [card.effects for i, card in enumerate(box.cards) if card.kind != LIMIT or i == fought]
    return any(
        _makes(state, effect, task)
        for effects in sources
        for moment in moments
        for effect in effects.get(moment, ())
    )


def _makes(state: State, effect: Effect, task: Task) -> bool:
    if task.kind in (DO, OFFER):
        return task.effect == effect and (effect.may or task.kind == DO)
    moved = TAKE if effect.args[-1:] == ("random",) else GIVE
    to = ""
    match effect.name:
        case "draw":
            kind = DRAW
        case "discard":
            kind = moved
        case "move_card":
            kind, to = moved, effect.who(1)
        case "move_equip" if effect.args[2] == "choice":
            kind, to = DROP, effect.who(1).replace("discard", "")
        case "peek" | "move_limit":
            return task.kind == (LOOK if effect.name == "peek" else SHIFT)
        case _:
            return False
    seats = task.seat != task.to and bool(task.to) == bool(to)
    return (
        task.kind == kind
        and seats
        and _may_be(state, effect.who(0), task.seat)
        and _may_be(state, to, task.to)
    )


def _may_be(state: State, word: str, seat: int) -> bool:
    """Whether a card that says `word` can mean this seat; who drew or played it is not known any more."""
    if word == "challenger":
        return seat == state.active
    return word != "placer" or seat == placer_of(state)
