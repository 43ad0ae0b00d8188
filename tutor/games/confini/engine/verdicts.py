"""Whether a move is legal, and the rule that says so. The checks are in order, one `if` each."""

from collections.abc import Collection, Mapping

from tutor.games.confini.engine.answers import CHANCE_ACTS, Judge, answer, not_in_hand, not_there, pick
from tutor.games.confini.engine.board import Box, design, place_called
from tutor.games.confini.engine.cards import CENTRE, CUT, EQUIPMENT, EXPLORER, LEVELS
from tutor.games.confini.engine.faces import bare, learn, unseen
from tutor.games.confini.engine.scoring import outcome
from tutor.games.confini.engine.state import (
    ADVANCE,
    CHALLENGE,
    ECO,
    EQUIP,
    EXPLORE,
    HAND,
    PICK,
    PILE,
    PLACE,
    REVEAL,
    ROLL,
    START,
    Fight,
    Position,
    State,
    cannot_cut,
    clockwise,
    combatants,
    find_limit,
    gear,
    has_had_a_card,
    limits_on,
    own_arc,
    placer_of,
    slots_with,
    too_many,
)
from tutor.rules.base import CHANCE, Move, Verdict, allow, refuse, send


def judge(box: Box, state: State, move: Move) -> Verdict:
    ended = outcome(box, state)
    if ended:
        return refuse("confini.end.over", winners=tuple(f"p{seat}" for seat in ended.winners))
    state, false = learn(box, state, move)
    if false:
        return not_there(box, false)
    return _judge(box, state, bare(move))


def guessed(box: Box, state: State, move: Move) -> bool:
    """Whether a verdict takes a card to be among those in hand that are not known."""
    if move.act not in ("play", "equip", "discard") or move.what[0] not in box.index:
        return False
    return bool(unseen(box, state, EXPLORER) >> box.index[move.what[0]] & 1) and judge(box, state, move).ok


def _judge(box: Box, state: State, move: Move) -> Verdict:
    if move.seat == CHANCE:
        return CHANCE_ACTS[move.act](box, state, move)
    if state.phase == ROLL:
        return refuse("confini.setup.roll")
    if move.seat > len(state.level):
        return refuse("confini.turn.active", active=f"p{state.active}")
    if state.phase == PICK:
        return pick(box, state, move)
    if not state.level[move.seat - 1]:
        return refuse("confini.smoke.out", player=f"p{move.seat}")
    if state.queue:
        return answer(box, state, move, state.queue[0])
    if state.phase in (EXPLORE, PILE, REVEAL):
        return refuse("confini.deck.due")
    if move.act == "play" and state.fight and state.fight.silent:
        return refuse("confini.fight.silence")
    if state.fight and move.act in ("play", "pass"):
        return _window(box, state, move, state.fight)
    if move.seat != state.active:
        return refuse("confini.turn.active", active=f"p{state.active}")
    return _ACTS[move.act](box, state, move)


# Cards


def _window(box: Box, state: State, move: Move, fight: Fight) -> Verdict:
    """In a fight: whose right it is, then the card. Before that the Eco is declared."""
    no_part = _no_part(state, move, fight)
    if no_part:
        return no_part
    if state.phase == ECO:
        return _play(box, state, move) if move.act == "play" else refuse("confini.fight.declare")
    if has_had_a_card(state, fight, move.seat):
        return refuse("confini.smoke.one-card", player=f"p{move.seat}")
    if move.seat != fight.turn:
        rule = "confini.smoke.order" if fight.smoke else "confini.fight.order"
        return refuse(rule, player=f"p{fight.turn}")
    if move.act == "pass":
        return _PASSED[_kind_of(state, fight)]
    missing = not_in_hand(box, state, move)
    if missing:
        return missing
    card = box.index[move.what[0]]
    return (
        _wrong_window(box, card, "play_combat")
        or _wrong_target(box, state, move, "play_combat")
        or (_CUT_FIGHT if box.cards[card].kind == CUT else _PLAYED[_kind_of(state, fight)])
    )


def _no_part(state: State, move: Move, fight: Fight) -> Verdict | None:
    """Why a player has no say in a fight; None if they do."""
    if move.seat in combatants(state, fight):
        return None
    placer = placer_of(state)
    return refuse(
        "confini.fight.who", challenger=f"p{state.active}", placer=f"p{placer}" if placer else "nobody"
    )


def _play(box: Box, state: State, move: Move) -> Verdict:
    """While no cards are played in a fight: in the own turn, when the drawing is over."""
    missing = not_in_hand(box, state, move)
    if missing:
        return missing
    card = box.index[move.what[0]]
    if state.phase == ECO and "play_combat" in box.cards[card].effects:
        return refuse("confini.fight.declare")
    if state.phase != EQUIP:
        return _another_time(box, card)
    return (
        _wrong_window(box, card, "play_explore")
        or _wrong_target(box, state, move, "play_explore")
        or (_CUT if box.cards[card].kind == CUT else _EVENT)
    )


def _wrong_window(box: Box, card: int, trigger: str) -> Verdict | None:
    return None if trigger in box.cards[card].effects else _another_time(box, card)


def _another_time(box: Box, card: int) -> Verdict:
    """When a card can be played that cannot be played now."""
    played = box.cards[card]
    windows = [name for trigger, name in _WINDOWS.items() if trigger in played.effects]
    if played.kind == EQUIPMENT:
        window = "window-equip"
    else:
        window = windows[0] if len(windows) == 1 else "window-both"
    return refuse("confini.cards.window", card=played.design, window=window)


_WINDOWS = {"play_explore": "window-explore", "play_combat": "window-combat"}


def _wrong_target(box: Box, state: State, move: Move, trigger: str) -> Verdict | None:
    card, target = move.what[0], move.what[1] if len(move.what) > 1 else ""
    rule = target_fault(box, state, move.seat, box.index[card], trigger, move.what[1:])
    if not rule:
        return None
    if rule == "confini.cut.last":
        return refuse(rule, player=target, spago=state.spago[int(target[1:]) - 1])
    if rule in ("confini.cut.rope", "confini.smoke.out"):
        return refuse(rule, player=target)
    if rule == "confini.cards.target":
        aims = box.aims[trigger][box.index[card]]
        needed = _targets(aims) or "limits" in aims
        return refuse(rule, card=design(box, card), aims=int(needed), given=len(move.what) - 1)
    return refuse(rule, card=design(box, card))


def _targets(aims: Collection[str]) -> int:
    """How many words name the target of a card."""
    return ("opponent" in aims) + ("equipment" in aims)


def target_fault(
    box: Box, state: Position, seat: int, card: int, trigger: str, words: tuple[str, ...]
) -> str:
    """The rule that the target of a played card breaks; empty if it is right."""
    aims = box.aims[trigger][card]
    if not aims:
        return "confini.cards.target" if words else ""
    if "stack" in aims and not (state.fight and state.fight.stack):
        return "confini.fight.cancel"
    if len(words) != _targets(aims):
        return "confini.cards.target"
    target = int(words[0][1:]) if words else 0
    if words and target not in clockwise(state, seat):
        gone = target <= len(state.level) and not state.level[target - 1]
        return "confini.smoke.out" if gone else "confini.cards.target"
    if "spago" in aims and (rule := cannot_cut(box, state, target)):
        return rule
    if "hand" in aims and not state.hand[target - 1]:
        return "confini.cards.target"
    if "equipment" in aims and not state.equip[target - 1] >> box.index[words[1]] & 1:
        return "confini.cards.target"
    if "limits" in aims and not state.limits:
        return "confini.cards.target"
    return ""


def _kind_of(state: State, fight: Fight) -> str:
    """What decides who may play cards in this fight, and in which order."""
    if fight.smoke:
        return "smoke"
    if fight.placer == state.active:
        return "own"
    return "usual" if placer_of(state) else "ownerless"


# The phases of a turn


_LEFT_OUT: Mapping[str, tuple[str, ...]] = {
    CHALLENGE: ("spend", "place", "advance", "stay", "discard", "pass"),
    ECO: ("place", "advance", "stay", "discard"),
    PLACE: ("advance", "stay", "discard", "pass"),
    HAND: ("explore", "stay", "pass"),
}
"""Acts of a later phase, or of the next turn: they would leave out what must be done in this one. All others
are simply too early or too late, and nothing that is done first makes them possible."""


def _wrong_phase(box: Box, state: State, move: Move) -> Verdict:
    """The move belongs to another phase."""
    if move.act not in _LEFT_OUT.get(state.phase, ()):
        return refuse("confini.turn.phases", phase=state.phase)
    if state.phase == CHALLENGE:
        arc = own_arc(box, state, state.active)
        return send("confini.challenge.must", arc, limits=len(limits_on(state, arc)))
    if state.phase == ECO:
        return refuse("confini.fight.declare")
    if state.phase == PLACE:
        return refuse("confini.place.must")
    over = too_many(box, state, state.active)
    return refuse("confini.hand.limit", limit=gear(box, state, state.active).hand_limit, over=over)


def _explore(box: Box, state: State, move: Move) -> Verdict:
    count, eco = int(move.what[0]), state.eco[move.seat - 1]
    if count > box.numbers.draws:
        return refuse("confini.explore.three", count=count, most=box.numbers.draws)
    if state.phase != START:
        return _wrong_phase(box, state, move)
    if count > eco:
        return refuse("confini.explore.eco", count=count, eco=eco)
    return _EXPLORE


def _smoke(box: Box, state: State, move: Move) -> Verdict:
    level, spago = state.level[move.seat - 1], state.spago[move.seat - 1]
    if level == CENTRE:
        return _wrong_phase(box, state, move)
    if level != LEVELS:
        return refuse("confini.smoke.level", level=level)
    if spago < box.numbers.smoke:
        return refuse("confini.smoke.spago", need=box.numbers.smoke, have=spago)
    if state.phase != START:
        return refuse("confini.smoke.declare")
    return _SMOKE


def _equip(box: Box, state: State, move: Move) -> Verdict:
    missing = not_in_hand(box, state, move)
    if missing:
        return missing
    card = box.index[move.what[0]]
    if box.cards[card].kind != EQUIPMENT:
        return refuse("confini.equip.kind", card=box.cards[card].design)
    if state.phase != EQUIP:
        return refuse("confini.equip.when")
    worn = state.equip[move.seat - 1]
    if len(move.what) > 1:
        old = box.index[move.what[1]]
        if not worn >> old & 1:
            return refuse("confini.equip.replace", card=box.cards[old].design)
        return _REPLACE
    slots = slots_with(box, state, move.seat, card)
    if worn.bit_count() >= slots:
        return refuse("confini.equip.slots", slots=slots)
    return _EQUIP


def _done(box: Box, state: State, move: Move) -> Verdict:
    return _DONE if state.phase == EQUIP else _wrong_phase(box, state, move)


def _not_on(box: Box, state: State, move: Move) -> Verdict | None:
    """Why the Limit of that number is none to look at or fight from the player's arc."""
    arc, handle = own_arc(box, state, move.seat), int(move.what[0])
    limit = find_limit(state, handle)
    if limit is None and limits_on(state, arc):
        return refuse("confini.challenge.there", limit=handle)
    if limit is not None and limit.arc == arc:
        return None
    if move.act == "look":
        return _no_look(box, state, move)
    if limit is None:
        return refuse("confini.challenge.skip", arc)
    return refuse("confini.challenge.arc", limit.arc, arc, limit=handle, arc=arc)


def _no_look(box: Box, state: State, move: Move) -> Verdict:
    arc, handle = own_arc(box, state, move.seat), int(move.what[0])
    limit = find_limit(state, handle)
    elsewhere = (limit.arc,) if limit and limit.arc != arc else ()
    return refuse(
        "confini.challenge.look",
        *elsewhere,
        arc,
        limit=handle,
        arc=arc,
        elsewhere=bool(elsewhere),
        here=len(limits_on(state, arc)),
        had=gear(box, state, move.seat).looks,
    )


def _look(box: Box, state: State, move: Move) -> Verdict:
    elsewhere = _not_on(box, state, move) if state.phase in (EQUIP, CHALLENGE) else None
    if elsewhere:
        return elsewhere
    if state.phase != CHALLENGE:
        return _wrong_phase(box, state, move)
    return _LOOK if state.looks else _no_look(box, state, move)


def _fight(box: Box, state: State, move: Move) -> Verdict:
    """Which Limits there are to fight matters when a fight comes next, and when one is due."""
    elsewhere = _not_on(box, state, move) if state.phase in (EQUIP, CHALLENGE) else None
    if elsewhere:
        return elsewhere
    if _has_fought(box, state):
        return refuse("confini.challenge.one", own_arc(box, state, move.seat))
    return _FIGHT if state.phase == CHALLENGE else _wrong_phase(box, state, move)


def _has_fought(box: Box, state: State) -> bool:
    """Whether there surely was a fight in this turn: Limits that lay on the own arc before are still there,
    beside one at most that was placed since. In the hand check nobody can tell: a Turn Change may have
    spared the fight, and the pawn may have advanced.
    """
    here = limits_on(state, own_arc(box, state, state.active))
    if state.phase == ADVANCE:
        return len(here) > 1 or any(limit.placer != state.active for limit in here)
    return state.phase == PLACE and bool(here)


def _spend(box: Box, state: State, move: Move) -> Verdict:
    if state.phase != ECO:
        return _wrong_phase(box, state, move)
    count, eco = int(move.what[0]), state.eco[move.seat - 1]
    if count > eco:
        return refuse("confini.fight.eco", count=count, eco=eco)
    return _SPEND


def _place(box: Box, state: State, move: Move) -> Verdict:
    if state.phase != PLACE:
        return _wrong_phase(box, state, move)
    if move.what[0] not in box.flaw_of:
        return refuse("confini.setup.board", arc=place_called(box, move.what[0]))
    return _PLACE


def _advance(box: Box, state: State, move: Move) -> Verdict:
    level, spago = state.level[move.seat - 1], state.spago[move.seat - 1]
    if level == LEVELS:
        return refuse("confini.advance.centre", own_arc(box, state, move.seat))
    if state.phase in (PLACE, ADVANCE, HAND) and spago < box.numbers.advance[level - 1]:
        return refuse("confini.advance.cost", need=box.numbers.advance[level - 1], have=spago)
    return _ADVANCE if state.phase == ADVANCE else _wrong_phase(box, state, move)


def _stay(box: Box, state: State, move: Move) -> Verdict:
    return _ADVANCE if state.phase == ADVANCE else _wrong_phase(box, state, move)


def _discard(box: Box, state: State, move: Move) -> Verdict:
    if state.phase != HAND:
        return _wrong_phase(box, state, move)
    return not_in_hand(box, state, move) or _DISCARD


def _not_asked(box: Box, state: State, move: Move) -> Verdict:
    """An answer that nobody asked for."""
    return _wrong_phase(box, state, move)


_ACTS: Mapping[str, Judge] = {
    "explore": _explore,
    "smoke": _smoke,
    "play": _play,
    "equip": _equip,
    "done": _done,
    "look": _look,
    "fight": _fight,
    "spend": _spend,
    "place": _place,
    "advance": _advance,
    "stay": _stay,
    "discard": _discard,
    **dict.fromkeys(("pick", "pass", "use", "give", "drop", "move"), _not_asked),
}

# Verdicts on legal moves do not depend on the position, so they are made once.
_ORDERS = {
    "usual": "confini.fight.order",
    "own": "confini.fight.own",
    "ownerless": "confini.fight.who",
    "smoke": "confini.smoke.order",
}
"""The rule on the order of cards in each kind of fight; against an ownerless Limit nobody answers."""
_PASSED = {kind: allow(rule) for kind, rule in _ORDERS.items()}
_PLAYED = {kind: allow(rule, "confini.fight.stack") for kind, rule in _ORDERS.items()}
_CUT_FIGHT = allow("confini.cut.take", "confini.fight.stack")
_CUT = allow("confini.cut.take")
_EVENT = allow("confini.cards.event")
_EXPLORE = allow("confini.explore.buy")
_SMOKE = allow("confini.smoke.declare", "confini.smoke.spago", "confini.smoke.value")
_EQUIP = allow("confini.equip.when", "confini.equip.slots")
_REPLACE = allow("confini.equip.replace")
_DONE = allow("confini.turn.phases")
_LOOK = allow("confini.challenge.look")
_FIGHT = allow("confini.challenge.must", "confini.challenge.arc")
_SPEND = allow("confini.fight.declare", "confini.fight.eco")
_PLACE = allow("confini.place.anywhere", "confini.place.must")
_ADVANCE = allow("confini.advance.may")
_DISCARD = allow("confini.hand.limit")
