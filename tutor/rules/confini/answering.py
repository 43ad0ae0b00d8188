"""Verdicts on draws and dice, and on the answers of a player who is asked to choose."""

from collections.abc import Callable, Mapping

from tutor.rules.base import Move, Verdict, allow, refuse
from tutor.rules.confini import combat, deal
from tutor.rules.confini.cards import CHANGE, Box, design
from tutor.rules.confini.state import (
    BY_CHANCE,
    CHARM,
    DRAW,
    EXPLORE,
    FIT,
    OFFER,
    PICK,
    PILE,
    REVEAL,
    ROLL,
    SHIFT,
    STEADY,
    TAKE,
    Limit,
    State,
    Task,
    gear,
)

Judge = Callable[[Box, State, Move], Verdict]

# Chance


def _dice(box: Box, state: State, move: Move) -> Verdict:
    if state.phase != ROLL or len(move.what) != len(state.rolling):
        return refuse("confini.setup.roll")
    return _ROLL


def _draw(box: Box, state: State, move: Move) -> Verdict:
    """From the deck or pile that a card is due from."""
    card = box.index[move.what[0]]
    verdict = _BOUGHT
    if state.queue:
        there = state.deck if state.queue[0].kind == DRAW else 0
        verdict = _DRAWN
    elif state.phase == EXPLORE:
        there = state.deck
    elif state.phase == PILE:
        there = state.piles[deal.source(state, state.level[state.active - 1])]
        verdict = _FROM_PILE
    else:
        there = 0
    if not there >> card & 1:
        return refuse("confini.deck.there", card=box.cards[card].design)
    return verdict[_kind(box, card)]


def _kind(box: Box, card: int) -> str:
    if box.cards[card].kind == CHANGE:
        return "change"
    if box.cards[card].kept:
        return "keep"
    return "reveal" if "on_draw" in box.cards[card].effects else "hidden"


def _take(box: Box, state: State, move: Move) -> Verdict:
    card = box.index[move.what[0]]
    task = state.queue[0] if state.queue else None
    if task is None or task.kind != TAKE or not state.hand[task.seat - 1] >> card & 1:
        return refuse("confini.deck.there", card=box.cards[card].design)
    return _RANDOM


def _reveal(box: Box, state: State, move: Move) -> Verdict:
    card = box.index[move.what[0]]
    home = box.cards[card].home
    if state.phase != REVEAL or not home or not state.piles[home - 1] >> card & 1:
        return refuse("confini.deck.there", card=box.cards[card].design)
    return _REVEALED


CHANCE_ACTS: Mapping[str, Judge] = {"dice": _dice, "draw": _draw, "take": _take, "reveal": _reveal}


# What somebody is asked for


def pick(box: Box, state: State, move: Move) -> Verdict:
    if state.phase != PICK:
        return refuse("confini.turn.phases", phase=state.phase)
    if move.seat != state.active or move.act != "pick":
        return refuse("confini.setup.pick", player=f"p{state.active}")
    name = move.what[0]
    if name not in box.characters or name in state.characters:
        return refuse("confini.setup.free", character=name)
    return _PICK


def answer(box: Box, state: State, move: Move, task: Task) -> Verdict:
    """A draw or a choice is due: nothing else happens before."""
    if task.kind in BY_CHANCE:
        return refuse("confini.deck.due")
    if move.seat != task.seat or move.act not in task.answers:
        return refuse("confini.turn.choice", player=f"p{task.seat}", choice=f"choice-{task.kind}")
    if move.act == "pass":
        return _DECLINED
    if move.act == "use":
        return _use(box, state, move, task)
    if move.act == "give":
        return in_hand(box, state, move) or _GIVEN
    if move.act == "drop":
        card = box.index[move.what[0]]
        if not state.equip[task.seat - 1] >> card & 1:
            return refuse("confini.equip.replace", card=box.cards[card].design)
        return _FITTED if task.kind == FIT else _DROPPED
    limit = find_limit(state, move.what[0])
    if limit is None or (limit.handle in task.handles) != (task.kind == SHIFT):
        return refuse("confini.challenge.there", limit=int(move.what[0]))
    if task.kind != SHIFT:
        return _PEEKED
    if move.what[1] not in box.flaw_of or move.what[1] == limit.arc:
        return refuse("confini.setup.board", arc=move.what[1])
    return _MOVED


def _use(box: Box, state: State, move: Move, task: Task) -> Verdict:
    name = move.what[0]
    if task.kind == STEADY:
        offered = {gear(box, state, task.seat).steady}
    elif task.kind == OFFER:
        offered = {box.cards[task.card].id}
    else:
        offered = {box.cards[i].id for i in combat.charms(box, state, task.seat)}
    if name not in offered:
        return refuse("confini.cards.hand", card=design(box, name))
    return _CHARM if task.kind == CHARM else _ABILITY if task.kind == STEADY else _OFFERED


def find_limit(state: State, handle: str) -> Limit | None:
    return next((limit for limit in state.limits if str(limit.handle) == handle), None)


def in_hand(box: Box, state: State, move: Move) -> Verdict | None:
    card = box.index[move.what[0]]
    if not state.hand[move.seat - 1] >> card & 1:
        return refuse("confini.cards.hand", card=box.cards[card].design)
    return None


# Verdicts on legal moves do not depend on the position, so they are made once.
_ROLL = allow("confini.setup.roll")
_PICK = allow("confini.setup.pick", "confini.setup.start-arc")
_KINDS = ("change", "keep", "reveal", "hidden")
_DRAWN = {kind: allow(f"confini.explore.{kind}") for kind in _KINDS}
_BOUGHT = {kind: allow("confini.explore.pay", f"confini.explore.{kind}") for kind in _KINDS}
_FROM_PILE = {
    "change": allow("confini.pile.draw", "confini.pile.change"),
    "hidden": allow("confini.pile.draw"),
}
_RANDOM = allow("confini.cards.random")
_REVEALED = allow("confini.smoke.reveal")
_DECLINED = allow("confini.turn.choice")
_GIVEN = allow("confini.turn.choice")
_DROPPED = allow("confini.turn.choice")
_FITTED = allow("confini.equip.fit")
_PEEKED = allow("confini.cards.event")
_MOVED = allow("confini.cards.event", "confini.setup.board")
_CHARM = allow("confini.fight.charm")
_ABILITY = allow("confini.cards.ability")
_OFFERED = allow("confini.turn.choice")
