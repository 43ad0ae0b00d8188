"""Whether a position that was read can come up in a game: each fault is named, with the part that has it."""

from collections.abc import Iterator

from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import CENTRE, EXPLORER, LEVELS, NO_CARD, UNKNOWN, hidden_in
from tutor.games.confini.engine.declarations import NAMELESS, OUT, TEXT
from tutor.games.confini.engine.faces import lacking, missing_pile, unseen
from tutor.games.confini.engine.history import can_have_ended, too_full, too_rich
from tutor.games.confini.engine.piles import is_filled
from tutor.games.confini.engine.state import (
    ADVANCE,
    CARDS,
    CHALLENGE,
    ECO,
    EXPLORE,
    FIGHTING,
    FIT,
    HAND,
    OVER,
    PICK,
    PILE,
    PLACE,
    RESULT,
    REVEAL,
    ROLL,
    Fight,
    State,
    can_advance,
    clockwise,
    combatants,
    gear,
    has_had_a_card,
    is_decided,
    limits_on,
    living,
    own_arc,
    too_many,
)
from tutor.games.confini.engine.table import Table
from tutor.games.confini.engine.tasks import holds
from tutor.games.confini.engine.turns import round_ends
from tutor.games.confini.engine.verdicts import target_fault
from tutor.games.confini.engine.waiting import ASKING, wrong_tasks
from tutor.rules.errors import InvalidPosition, quote_input
from tutor.rules.text import Parts

Faults = Iterator[tuple[str, str]]
"""The parts of a text that are wrong, each with what is wrong about it; see `declarations`."""


def check(box: Box, state: State, parts: Parts) -> None:
    """Raises InvalidPosition for the first fault."""
    if sum(state.spago) > box.numbers.spago:
        raise InvalidPosition("position.spago", most=box.numbers.spago)
    if not _adds_up(box, state):
        raise InvalidPosition("position.count", count=len(box.cards))
    _check_players(box, state, parts)
    for name, part in _misfits(box, state):
        player = name.partition(".")[0] if "." in name else f"p{state.active or 1}"
        parts.refuse("position.misfit", name, part=part, player=player, phase=state.phase)
    if state.fight:
        for name, part in _wrong_in_fight(box, state, state.fight):
            parts.refuse("position.fight", name, part=part)
    if state.last and not can_have_ended(box, state, state.last):
        parts.refuse("position.fight", "last", part="last")
    for task in wrong_tasks(box, state):
        raise InvalidPosition("position.todo", value=quote_input(task.kind))


# Cards


def _adds_up(box: Box, state: State) -> bool:
    """Whether every card is somewhere, and the hidden ones can be dealt so that they fit their places."""
    gaps = lacking(box, state)
    if min(gaps) < 0 or gaps[EXPLORER] or sum(gaps) != (state.held == UNKNOWN):
        return False
    for home, deck in enumerate((state.deck, *state.piles)):
        only_in_deck = unseen(box, state, home) & ~box.can_hide
        if hidden_in(deck) < only_in_deck.bit_count():
            return False
    return True


# Players


def _check_players(box: Box, state: State, parts: Parts) -> None:
    for seat, level in enumerate(state.level, 1):
        player, i, worn = f"p{seat}", seat - 1, gear(box, state, seat)
        if state.eco[i] > worn.eco_max:
            raise InvalidPosition("position.eco", player=player)
        fitting = any(task.kind == FIT and task.seat == seat for task in state.queue)
        if state.equip[i].bit_count() > worn.slots + fitting:
            raise InvalidPosition("position.equip", player=player)
        for name in ("eco", "spago", "hand", "equip", "kept"):
            if not level and getattr(state, name)[i]:
                parts.refuse("position.player", f"{player}.{name}", part=OUT, player=player)
        if not state.characters[i] and state.phase not in (ROLL, PICK):
            parts.refuse("position.player", player, part=NAMELESS, player=player)
    if state.phase not in (ROLL, PICK, OVER) and not state.level[state.active - 1]:
        parts.refuse("position.active", "active", part=OUT)


# Phases


def _misfits(box: Box, state: State) -> Faults:
    """The parts that do not go with the phase."""
    seat, phase = state.active, state.phase
    if bool(state.rolling) != (phase == ROLL) or (phase == ROLL and len(state.rolling) < 2):
        yield "rolling", TEXT
    if phase in (ROLL, PICK):
        yield from _not_begun(state)
        return
    if (state.fight is not None) != (phase in FIGHTING):
        yield "fight", "fight" if state.fight else "no-fight"
    if (state.held != NO_CARD) != (phase == PLACE):
        yield "held", "held" if phase == PLACE else "held-early"
    elif phase == PLACE and not _could_draw_held(box, state):
        yield "held", "held-wrong"
    smoke = state.fight is not None and state.fight.smoke
    for other, level in enumerate(state.level, 1):
        if (level == CENTRE) != (other == seat and smoke) and not (level == CENTRE and phase == OVER):
            yield f"p{other}.level", "centre"
    if state.looks > (gear(box, state, seat).looks if phase == CHALLENGE else 0):
        yield "looks", "looks"
    if state.ending and phase not in FIGHTING:
        yield "ending", TEXT
    if state.guard and state.round > state.guard:
        yield "round", "rounds"
    if state.draws and phase != EXPLORE:
        yield "draws", "draws-late"
    if state.steadied and not _can_be_steady(box, state):
        yield "steadied", TEXT
    if state.queue and phase not in ASKING:
        yield "todo", TEXT
    yield from _check_end(state) if phase == OVER else _due(box, state)
    for other in living(state):
        if too_full(box, state, other):
            yield f"p{other}.hand", "hand-full"
    if rich := too_rich(box, state):
        yield f"p{rich}.spago", "spago-won"


def _not_begun(state: State) -> Faults:
    """Before the first turn everything is at its start."""
    for name in ("fight", "limits", "queue", "draws", "looks", "ending", "steadied", "discard", "last"):
        if getattr(state, name):
            yield "todo" if name == "queue" else name, "begun"
    if state.held != NO_CARD:
        yield "held", "begun"
    if state.round != 1:
        yield "round", "begun"
    for n, filed in enumerate(state.filed, 1):
        if filed:
            yield f"discard{n}", "begun"
    for name in ("hand", "equip", "kept", "spago", "level"):
        for seat, value in enumerate(getattr(state, name), 1):
            if value != (name == "level"):
                yield f"p{seat}.{name}", "begun"
    if state.phase == ROLL:
        yield from ((name, TEXT) for name in ("active", "first") if getattr(state, name))
        if any(state.characters) and not all(state.characters):  # they are picked after the roll, or given
            yield f"p{state.characters.index('') + 1}", TEXT
    elif state.active != _next_to_pick(state):
        yield "active", "picker"


def _next_to_pick(state: State) -> int:
    """Clockwise from the first player; 0 if somebody picked out of order."""
    count = len(state.characters)
    order = [(state.first + i - 1) % count + 1 for i in range(count)]
    chosen = [bool(state.characters[seat - 1]) for seat in order]
    if chosen != sorted(chosen, reverse=True) or all(chosen):
        return 0
    return order[chosen.index(False)]


def _could_draw_held(box: Box, state: State) -> bool:
    """The Limit came from the first pile up that had a card, so those before are empty."""
    pile = box.cards[state.held].home if state.held >= 0 else missing_pile(box, state)
    level = state.level[state.active - 1]
    if not 0 < level < CENTRE:
        return False
    count = len(state.piles)
    between = range((pile - level) % count)
    return not any(state.piles[(level - 1 + i) % count] for i in between)


def _can_be_steady(box: Box, state: State) -> bool:
    """Whether something that stops a Turn Change may have been used; Equipment may be gone since."""
    return bool(gear(box, state, state.active).steady or box.gear("", box.equipment).steady)


def _check_end(state: State) -> Faults:
    """The Smoke was defeated, or one player is left, or the guard ended the last round."""
    level = state.level[state.active - 1]
    alive = living(state)
    centre = [seat for seat in alive if state.level[seat - 1] == CENTRE]
    if centre:
        if centre != [state.active] or len(alive) < 2:
            yield "active", "ended"
    elif len(alive) < 2:
        if level or not alive:
            yield "active", "ended"
    elif state.round != state.guard:
        yield "round", "ended"
    elif not round_ends(state.active, clockwise(state, state.active)[0], state.first, len(state.level)):
        yield "active", "ended"


def _due(box: Box, state: State) -> Faults:
    """In some phases there must be something to do."""
    seat = state.active
    if len(living(state)) < 2:
        yield next(f"p{other}.level" for other, level in enumerate(state.level, 1) if not level), "alone"
    if state.phase == EXPLORE and not state.queue:
        if not state.draws:
            yield "draws", "draws"
        if not state.eco[seat - 1]:
            yield f"p{seat}.eco", "eco"
        if not state.deck:
            yield "deck", "deck"
    if state.phase == CHALLENGE and not limits_on(state, own_arc(box, state, seat)):
        yield "limits", "limits"
    if state.phase == PILE and not is_filled(box, state, state.level[seat - 1]):
        yield f"pile{state.level[seat - 1]}", "pile"
    if state.phase == ADVANCE and not can_advance(box, state, seat):
        yield f"p{seat}.spago", "top" if state.level[seat - 1] == LEVELS else "spago"
    if state.phase == HAND and not too_many(box, state, seat):
        yield f"p{seat}.hand", "hand"
    if state.phase == RESULT and not state.queue:
        yield "todo", TEXT


# Fights


def _wrong_in_fight(box: Box, state: State, fight: Fight) -> Faults:
    """The parts of a fight that cannot be."""
    yield from _wrong_smoke(state, fight) if fight.smoke else _wrong_limit(box, state, fight)
    own_eco = state.eco[state.active - 1]
    most = {ECO: 0, REVEAL: 0, CARDS: own_eco}.get(state.phase, box.gear("", box.equipment).eco_max)
    if fight.eco > (0 if fight.smoke else most):
        yield "fight.eco", "eco"
    order = combatants(state, fight)
    if (state.phase == CARDS) != (fight.turn in order) or has_had_a_card(state, fight, fight.turn):
        yield "fight.turn", "turn"
    if fight.stack and (state.phase in (ECO, REVEAL) or fight.silent):
        yield "fight.stack", "stack"
    if any(play.seat not in order for play in fight.stack) or not _could_be_played(box, state, fight):
        yield "fight.stack", "stack"
    if fight.silent and state.phase == CARDS:
        yield "fight.silent", "silent"
    yield from _wrong_effects(box, state, fight)
    last = state.last
    if is_decided(state) and (last is None or (last.challenger, last.card) != (state.active, fight.card)):
        yield "last", "last"


def _wrong_smoke(state: State, fight: Fight) -> Faults:
    rivals = clockwise(state, state.active)
    if state.phase == ECO:
        yield "fight", "place"
    more = len(fight.revealed) < len(rivals) and any(state.piles)
    if len(fight.revealed) > len(rivals) or more != (state.phase == REVEAL):
        yield "fight.revealed", "revealed"
    now = sum(state.eco[other - 1] for other in rivals)
    if state.phase != RESULT and fight.eco_sum != now:
        yield "fight.eco-sum", "rivals"


def _wrong_limit(box: Box, state: State, fight: Fight) -> Faults:
    if state.phase == REVEAL or fight.arc != own_arc(box, state, state.active):
        yield "fight", "place"
    if not fight.placer:
        yield "fight.placer", "placer"
    if fight.eco_sum:
        yield "fight.eco-sum", TEXT
    if fight.revealed:
        yield "fight.revealed", TEXT


def _could_be_played(box: Box, state: State, fight: Fight) -> bool:
    """Nothing has happened yet while cards are played, so each of them was legal as things are now."""
    if state.phase != CARDS:
        return True
    for i, play in enumerate(fight.stack):
        then = Table.of(box, state).having(fight=fight._replace(stack=fight.stack[:i]))
        words = (f"p{play.target}",) if play.target else ()
        if target_fault(box, then, play.seat, play.card, "play_combat", words):
            return False
    rivals = [play.seat for play in fight.stack if play.seat != state.active]
    return not fight.smoke or len(set(rivals)) == len(rivals)


def _wrong_effects(box: Box, state: State, fight: Fight) -> Faults:
    """What effects have changed: before cards resolve only the immediate effect of the Limit can have."""
    immediate = () if fight.smoke else box.cards[fight.card].effects.get("on_reveal", ())
    simple = all(effect.name in ("will", "challenge", "no_cards") for effect in immediate)
    at_work = [effect for effect in immediate if holds(box, state, effect, state.active)]
    if state.phase != RESULT and simple:
        expected = {"will": 0, "challenge": 0}
        for effect in at_work:
            if effect.name in expected:
                expected[effect.name] += effect.number(0)
        silent = any(effect.name == "no_cards" for effect in at_work)
        if fight.will != expected["will"]:
            yield "fight.will", "immediate"
        if fight.value != expected["challenge"]:
            yield "fight.value", "immediate"
        if fight.silent != silent:
            yield "fight.silent", "silent"
    if not fight.ignored <= _can_ignore(box, state.phase):
        yield "fight.ignored", TEXT


def _can_ignore(box: Box, phase: str) -> set[str]:
    """What cards of this box can make a player ignore in a fight, as far as it has come."""
    moments = ("on_reveal", "play_combat", "on_win", "on_loss") if phase == RESULT else ("on_reveal",)
    return {
        effect.who(0)
        for card in box.cards
        for moment in moments
        for effect in card.effects.get(moment, ())
        if effect.name == "ignore"
    }
