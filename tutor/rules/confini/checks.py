"""Whether a position that was read can stand in a game: each fault is named."""

from collections.abc import Iterator

from tutor.rules.confini.cards import CENTRE, LIMIT, UNKNOWN, Box
from tutor.rules.confini.flow import can_advance, too_many, waits
from tutor.rules.confini.state import (
    ADVANCE,
    ANSWERS,
    AWARD,
    BY_CHANCE,
    CARDS,
    CHALLENGE,
    CHARM,
    CLOSE,
    DO,
    DOWN,
    ECO,
    EQUIP,
    EXACT,
    EXPLORE,
    FIGHTING,
    FILE,
    HAND,
    LOOK,
    NEGATIVE,
    NO_CARD,
    OFFER,
    OVER,
    PICK,
    PILE,
    PLACE,
    RECOVER,
    RESULT,
    REVEAL,
    ROLL,
    STACK,
    START,
    STEADY,
    Fight,
    Score,
    State,
    Table,
    Task,
    clockwise,
    combatants,
    gear,
    limits_on,
    living,
    loose,
    masks,
    own_arc,
)
from tutor.rules.errors import InvalidPosition


def check(box: Box, state: State) -> None:
    """Raises InvalidPosition for the first fault."""
    if state.rounding not in (EXACT, DOWN):
        raise InvalidPosition("position", value=f"rounding={state.rounding}")
    if sum(state.spago) > box.numbers.spago:
        raise InvalidPosition("position.spago", most=box.numbers.spago)
    if sum(mask.bit_count() for mask in masks(state)) + len(loose(state)) != len(box.cards):
        raise InvalidPosition("position.count", count=len(box.cards))
    _players(box, state)
    if state.last:
        _last(box, state.last)
    for value in _misfits(box, state):
        raise InvalidPosition("position.misfit", value=value, phase=state.phase)
    if state.fight:
        _fight(box, state, state.fight)
    _queue(box, state)


def _players(box: Box, state: State) -> None:
    for seat, level in enumerate(state.level, 1):
        player, i = f"p{seat}", seat - 1
        if state.eco[i] > gear(box, state, seat).eco_max:
            raise InvalidPosition("position.eco", player=player)
        if state.equip[i].bit_count() > box.gear("", box.equipment).slots:
            raise InvalidPosition("position.equip", player=player)
        if not level and (state.eco[i] or state.spago[i] or state.hand[i] or state.equip[i] or state.kept[i]):
            raise InvalidPosition("position.player", value=player)
    if state.phase in (ROLL, PICK):
        return
    if not all(state.characters):
        raise InvalidPosition("position.player", value="?")
    if not living(state) or (state.phase != OVER and not state.level[state.active - 1]):
        raise InvalidPosition("position.active", value=f"p{state.active}")


def _misfits(box: Box, state: State) -> Iterator[str]:
    """The parts that do not go with the phase."""
    seat = state.active
    phase = state.phase
    if bool(state.rolling) != (phase == ROLL) or (phase == ROLL and (len(state.rolling) < 2 or state.first)):
        yield "rolling"
    if phase in (ROLL, PICK):
        yield from _not_begun(state)
        return
    if (state.fight is not None) != (phase in FIGHTING):
        yield "fight"
    if (state.held != NO_CARD) != (phase == PLACE):
        yield "held"
    smoke = state.fight is not None and state.fight.smoke
    for other, level in enumerate(state.level, 1):
        if level == CENTRE and (other != seat or not (smoke or phase == OVER)):
            yield "level"
    if smoke and state.level[seat - 1] != CENTRE:
        yield "level"
    if state.draws > box.numbers.draws or (state.draws and phase != EXPLORE):
        yield "draws"
    if phase == EXPLORE and not state.queue and not (state.draws and state.eco[seat - 1] and state.deck):
        yield "draws"
    if state.looks and phase != CHALLENGE:
        yield "looks"
    if state.ending and phase not in FIGHTING:
        yield "ending"
    if state.guard and state.round > state.guard:
        yield "round"
    if phase != OVER and len(living(state)) < 2:
        yield "level"
    yield from _due(box, state)


def _not_begun(state: State) -> Iterator[str]:
    for name in ("fight", "limits", "queue", "draws", "looks", "ending", "steadied", "discard", "last"):
        if getattr(state, name):
            yield name
    if any(state.filed) or any(state.hand) or any(state.equip) or any(state.kept) or state.held != NO_CARD:
        yield "cards"
    if set(state.level) != {1} or any(state.spago) or state.round != 1:
        yield "level"
    if state.phase == PICK and (all(state.characters) or not state.active or not state.first):
        yield "active"
    if state.phase == PICK and state.active and _pickers(state) != state.active:
        yield "active"
    if state.phase == ROLL and state.active:
        yield "active"


def _pickers(state: State) -> int:
    """Who picks next: clockwise from the first player; 0 if somebody picked out of order."""
    count = len(state.characters)
    order = [(state.first + i - 1) % count + 1 for i in range(count)]
    chosen = [bool(state.characters[seat - 1]) for seat in order]
    if chosen != sorted(chosen, reverse=True) or all(chosen):
        return 0
    return order[chosen.index(False)]


def _due(box: Box, state: State) -> Iterator[str]:
    """In some phases there must be something to do."""
    seat = state.active
    if state.phase == CHALLENGE and not limits_on(state, own_arc(box, state, seat)):
        yield "limits"
    if state.phase == PILE and not any(state.piles):
        yield "pile"
    if state.phase == ADVANCE and not can_advance(box, state, seat):
        yield "spago"
    if state.phase == HAND and not too_many(box, state, seat):
        yield "hand"
    if state.queue and state.phase not in _ASKING:
        yield "todo"
    if state.phase == RESULT and not state.queue:
        yield "todo"


def _fight(box: Box, state: State, fight: Fight) -> None:
    order = combatants(state)
    rivals = clockwise(state, state.active)
    if fight.smoke:
        wrong = (
            fight.rivals != len(rivals)
            or len(fight.revealed) > fight.rivals
            or state.phase == ECO
            or (state.phase == REVEAL and not state.queue and len(fight.revealed) == fight.rivals)
            or (state.phase == REVEAL and not state.queue and not any(state.piles))
        )
    else:
        wrong = (
            state.phase == REVEAL
            or not fight.placer
            or fight.arc != own_arc(box, state, state.active)
            or bool(fight.rivals or fight.eco_sum or fight.revealed or fight.used)
        )
    if wrong:
        raise InvalidPosition("position.fight", value="smoke" if fight.smoke else fight.arc)
    if fight.eco > state.eco[state.active - 1] and not fight.stack and state.phase == CARDS:
        raise InvalidPosition("position.fight", value=f"eco={fight.eco}")
    if (state.phase == CARDS) != (fight.turn in order and fight.passes < len(order)):
        raise InvalidPosition("position.fight", value=f"turn=p{fight.turn}")
    if (fight.stack or fight.used) and state.phase in (ECO, REVEAL):
        raise InvalidPosition("position.fight", value="stack")
    if fight.used and (fight.used >> fight.turn & 1 or fight.used >> state.active & 1):
        raise InvalidPosition("position.fight", value="used")
    if fight.silent and state.phase == CARDS:
        raise InvalidPosition("position.fight", value="silent")


def _last(box: Box, last: Score) -> None:
    smoke = last.card == UNKNOWN
    if not smoke and box.cards[last.card].kind != LIMIT:
        raise InvalidPosition("position.fight", value=box.cards[last.card].id)
    if bool(last.rivals) != smoke or (not smoke and (last.eco_sum or last.limits)):
        raise InvalidPosition("position.fight", value="last")


_ASKING = (START, EXPLORE, EQUIP, CHALLENGE, ECO, RESULT)
"""Phases in which something can be in the queue."""
_BY_ITSELF = (DO, CLOSE, RECOVER, STACK, NEGATIVE, AWARD, FILE)
_IN_FIGHT = (STACK, NEGATIVE, AWARD, FILE, CHARM)


def _queue(box: Box, state: State) -> None:
    """The first task waits for somebody; the others are such as the engine makes."""
    for i, task in enumerate(state.queue):
        if not _sound(box, state, task) or (i == 0 and task.kind in _BY_ITSELF):
            raise InvalidPosition("position.todo", value=task.kind)
    if state.queue and not waits(Table(box, state), state.queue[0]):
        raise InvalidPosition("position.todo", value=state.queue[0].kind)
    if state.phase == RESULT and not any(task.kind in (STACK, FILE) for task in state.queue):
        raise InvalidPosition("position.todo", value=RESULT)


def _sound(box: Box, state: State, task: Task) -> bool:
    if task.kind not in (*BY_CHANCE, *ANSWERS, *_BY_ITSELF):
        return False
    if task.kind in _IN_FIGHT and state.phase != RESULT:
        return False
    if task.kind == FILE and state.fight and state.fight.smoke:
        return False
    if (task.kind == DO) != bool(task.effect) and task.kind != OFFER:
        return False
    if task.kind == OFFER and not (task.effect and task.card != UNKNOWN):
        return False
    if task.kind == STEADY and (task.seat != state.active or state.steadied):
        return False
    if task.kind == STEADY and not gear(box, state, task.seat).steady:
        return False
    if task.kind == LOOK and not task.left:
        return False
    needs_seat = task.kind not in (CLOSE, STACK, AWARD, FILE)
    if needs_seat and not (task.seat and state.level[task.seat - 1]):
        return False
    return not task.to or bool(state.level[task.to - 1])
