"""Verdicts on draws and dice, and on the answers of a player who is asked to choose."""

from collections.abc import Callable, Mapping

from tutor.games.confini.engine.board import Box, design, place_called
from tutor.games.confini.engine.cards import CHANGE, EXPLORER, LIMIT
from tutor.games.confini.engine.faces import may_come, may_hold, unseen
from tutor.games.confini.engine.piles import source
from tutor.games.confini.engine.state import (
    BY_CHANCE,
    CHARM,
    DRAW,
    EXPLORE,
    FIT,
    OFFER,
    PILE,
    REVEAL,
    ROLL,
    SHIFT,
    STEADY,
    TAKE,
    UNCOVER,
    State,
    Task,
    find_limit,
    gear,
    is_view,
)
from tutor.games.confini.engine.tasks import charms
from tutor.rules.base import Move, Verdict, allow, refuse
from tutor.rules.errors import quote_input

Judge = Callable[[Box, State, Move], Verdict]
HIDDEN_CARD = "?"

# Chance


def _dice(box: Box, state: State, move: Move) -> Verdict:
    if state.phase != ROLL or len(move.what) != len(state.rolling):
        return refuse("confini.setup.roll")
    return _ROLL


def draw_source(state: State) -> int | None:
    """The home of the deck or pile that a card is due from; None if none is."""
    if state.queue:
        return EXPLORER if state.queue[0].kind == DRAW else None
    if state.phase == EXPLORE:
        return EXPLORER
    return source(state, state.level[state.active - 1]) + 1 if state.phase == PILE else None


def _draw(box: Box, state: State, move: Move) -> Verdict:
    name = move.what[0]
    home = draw_source(state)
    if home is None:
        return _not_due(state)
    there = may_come(box, state, home)
    rules = _rules_of_draw(state, home)
    if name == HIDDEN_CARD:
        return rules["hidden"] if there & box.can_hide and is_view(state) else not_there(box, name)
    card = box.index[name]
    return rules[_kind(box, card)] if there >> card & 1 else _refuse_foreign_card(box, state, home, card)


def _rules_of_draw(state: State, home: int) -> Mapping[str, Verdict]:
    """The verdicts on cards by how they come: paid for, given by an effect, from a pile."""
    if not home:
        return _DRAWN if state.queue else _BOUGHT
    return _FROM_PILE if home == state.level[state.active - 1] else _FROM_NEXT_PILE


def _refuse_foreign_card(box: Box, state: State, home: int, card: int) -> Verdict:
    """This copy belongs to another deck or pile, or has left its own; another copy may well come."""
    drawn = box.cards[card]
    if not home:
        return refuse("confini.setup.explorer", card=drawn.design, home=drawn.home)
    rule = "confini.pile.draw" if home == state.level[state.active - 1] else "confini.pile.refill"
    return refuse(rule, card=drawn.design, pile=home, home=drawn.home)


def _kind(box: Box, card: int) -> str:
    drawn = box.cards[card]
    if drawn.kind == CHANGE:
        return "change"
    if drawn.kept:
        return "keep"
    return "hidden" if drawn.in_hand or drawn.kind == LIMIT else "reveal"


def _take(box: Box, state: State, move: Move) -> Verdict:
    task = state.queue[0] if state.queue else None
    name = move.what[0]
    if task is None or task.kind != TAKE:
        return _not_due(state)
    if leaves_hand(box, state, task, name):
        return _TAKEN
    if name == HIDDEN_CARD:
        return not_there(box, name)
    return refuse("confini.cards.random", card=design(box, name), player=f"p{task.seat}")


def leaves_hand(box: Box, state: State, task: Task, name: str) -> bool:
    """Whether this can be the card that leaves a hand. Only one that is discarded is seen by all."""
    if name == HIDDEN_CARD:
        return bool(task.to) and is_view(state)
    return bool(may_hold(box, state, task.seat) >> box.index[name] & 1)


def _reveal(box: Box, state: State, move: Move) -> Verdict:
    """For the Smoke; or, in a view, the face of a Limit that is turned up."""
    name = move.what[0]
    card = box.index[name]
    if state.queue and state.queue[0].kind == UNCOVER:
        limit = find_limit(state, state.queue[0].handles[0])
        fits = limit is not None and unseen(box, state, limit.pile) & box.limits & 1 << card
        return _UNCOVERED if fits else not_there(box, name)
    if state.phase != REVEAL:
        return _not_due(state)
    home = box.cards[card].home
    if not home or not may_come(box, state, home) >> card & 1:
        return refuse("confini.smoke.reveal", card=design(box, name), home=home)
    return _REVEALED


def _not_due(state: State) -> Verdict:
    """No card comes this way now: what is to be done instead."""
    if state.queue:
        return _choose_first(state.queue[0])
    if state.phase in (EXPLORE, PILE, REVEAL):
        return refuse("confini.deck.due")
    return refuse("confini.turn.phases", phase=state.phase)


def _choose_first(task: Task) -> Verdict:
    if task.kind in BY_CHANCE:
        return refuse("confini.deck.due")
    return refuse("confini.turn.choice", player=f"p{task.seat}", choice=f"choice-{task.kind}")


def not_there(box: Box, name: str) -> Verdict:
    """A face that a hidden card cannot have, or a hidden card where it must be named."""
    card = "hidden" if name == HIDDEN_CARD else design(box, name)
    return refuse("confini.deck.there", card=card)


CHANCE_ACTS: Mapping[str, Judge] = {"dice": _dice, "draw": _draw, "take": _take, "reveal": _reveal}


# What somebody is asked for


def pick(box: Box, state: State, move: Move) -> Verdict:
    if move.seat != state.active or move.act != "pick":
        return refuse("confini.setup.pick", player=f"p{state.active}")
    name = move.what[0]
    if name not in box.characters:
        return refuse("confini.setup.free", character=quote_input(name), taken=0)
    if name in state.characters:
        return refuse("confini.setup.free", character=name, taken=1)
    return _PICK


def answer(box: Box, state: State, move: Move, task: Task) -> Verdict:
    """A draw or a choice is due: nothing else happens before."""
    if task.kind in BY_CHANCE or move.seat != task.seat or move.act not in task.answers:
        return _choose_first(task)
    if move.act == "pass":
        return _DECLINED
    if move.act == "use":
        return _use(box, state, move, task)
    if move.act == "give":
        return _give(box, state, move, task)
    if move.act == "drop":
        card = box.index[move.what[0]]
        if not state.equip[task.seat - 1] >> card & 1:
            return refuse("confini.equip.replace", card=box.cards[card].design)
        return _FITTED if task.kind == FIT else _DROPPED
    limit = find_limit(state, int(move.what[0]))
    if limit is None or (limit.handle in task.handles) != (task.kind == SHIFT):
        return refuse("confini.challenge.there", limit=int(move.what[0]))
    if task.kind != SHIFT:
        return _PEEKED
    if move.what[1] not in box.flaw_of:
        return refuse("confini.setup.board", arc=place_called(box, move.what[1]))
    if move.what[1] == limit.arc:
        return refuse("confini.setup.board", arc=limit.arc)
    return _MOVED


def _use(box: Box, state: State, move: Move, task: Task) -> Verdict:
    name = move.what[0]
    if name not in offers(box, state, task):
        return _choose_first(task) if _is_own(box, state, move) else _not_own(box, state, move)
    return _CHARM if task.kind == CHARM else _ABILITY if task.kind == STEADY else _OFFERED


def offers(box: Box, state: State, task: Task) -> list[str]:
    """The ids of what may be used now."""
    if task.kind == STEADY:
        return [gear(box, state, task.seat).steady]
    if task.kind == OFFER:
        return [box.cards[task.card].id]
    return [box.cards[i].id for i in charms(box, state, task.seat)]


def _give(box: Box, state: State, move: Move, task: Task) -> Verdict:
    if leaves_hand(box, state, task, move.what[0]):
        return _GIVEN
    return not_there(box, HIDDEN_CARD) if move.what[0] == HIDDEN_CARD else _not_own(box, state, move)


def not_in_hand(box: Box, state: State, move: Move) -> Verdict | None:
    """Why the card of a move cannot come out of the player's hand; None if it can."""
    in_hand = may_hold(box, state, move.seat) >> box.index[move.what[0]] & 1
    return None if in_hand else _not_own(box, state, move)


def _not_own(box: Box, state: State, move: Move) -> Verdict:
    """The card is somebody else's or nobody's, or the player's own but not in hand any more."""
    own = int(_is_laid_out(box, state, move.seat, move.what[0]))
    return refuse("confini.cards.hand", card=design(box, move.what[0]), own=own)


def _is_laid_out(box: Box, state: State, seat: int, name: str) -> bool:
    """Whether it is a card of the player's that lies face up: active, kept, or played in this fight."""
    if name not in box.index:
        return False
    card, fight = box.index[name], state.fight
    played = fight is not None and any(play.card == card and play.seat == seat for play in fight.stack)
    return played or bool((state.equip[seat - 1] | state.kept[seat - 1]) >> card & 1)


def _is_own(box: Box, state: State, move: Move) -> bool:
    """Whether the player has what the move names: a card, wherever it lies, or the Ability."""
    seat, name = move.seat, move.what[0]
    if name not in box.index:
        return name == state.characters[seat - 1]
    in_hand = bool(may_hold(box, state, seat) >> box.index[name] & 1)
    return in_hand or _is_laid_out(box, state, seat, name)


# Verdicts on legal moves do not depend on the position, so they are made once.
_ROLL = allow("confini.setup.roll")
_PICK = allow("confini.setup.pick", "confini.setup.start-arc")
_KINDS = ("change", "keep", "reveal", "hidden")
_DRAWN = {kind: allow(f"confini.explore.{kind}") for kind in _KINDS}
_BOUGHT = {kind: allow(f"confini.explore.{kind}", "confini.explore.pay") for kind in _KINDS}
_FROM_PILE = {
    "change": allow("confini.pile.change", "confini.pile.draw"),
    "hidden": allow("confini.pile.draw"),
}
_FROM_NEXT_PILE = {
    "change": allow("confini.pile.refill", "confini.pile.change"),
    "hidden": allow("confini.pile.refill", "confini.pile.draw"),
}
_TAKEN = allow("confini.cards.random")
_REVEALED = allow("confini.smoke.reveal")
_UNCOVERED = allow("confini.challenge.must")
_DECLINED = allow("confini.turn.choice")
_GIVEN = allow("confini.turn.choice")
_DROPPED = allow("confini.turn.choice")
_FITTED = allow("confini.equip.fit")
_PEEKED = allow("confini.cards.event")
_MOVED = allow("confini.cards.event", "confini.setup.board")
_CHARM = allow("confini.fight.charm")
_ABILITY = allow("confini.cards.ability")
_OFFERED = allow("confini.turn.choice")
