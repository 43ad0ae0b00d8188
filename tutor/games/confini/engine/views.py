"""What a seat sees: a position without what is hidden from it, a move as it looks to it, and other deals.

Public are Eco, Spago, Equipment, kept cards, discards, the number of cards in hands and piles, and of each
face-down Limit its placer and the pile that it came from.
"""

from dataclasses import replace
from random import Random

from tutor.games.confini.engine.answers import HIDDEN_CARD
from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import (
    EXPLORER,
    LIMIT,
    NO_CARD,
    UNKNOWN,
    bits,
    face_down,
    hidden_in,
    known_in,
)
from tutor.games.confini.engine.faces import missing_pile, shown_cards, unseen
from tutor.games.confini.engine.state import State, Task
from tutor.games.confini.engine.table import Table
from tutor.games.confini.engine.turns import play
from tutor.games.confini.engine.verdicts import judge
from tutor.rules.base import Move


def view(box: Box, state: State, seat: int) -> State:
    """Other hands, the contents of decks, and unseen faces of Limits are left out."""
    hands = enumerate(state.hand, 1)
    table = Table.of(box, state)
    table.hand = tuple(hand if other == seat else face_down(hand.bit_count()) for other, hand in hands)
    table.deck = face_down(state.deck.bit_count())
    table.piles = tuple(face_down(pile.bit_count()) for pile in state.piles)
    table.limits = tuple(
        limit if limit.seen >> seat & 1 else replace(limit, card=UNKNOWN) for limit in state.limits
    )
    if state.held != NO_CARD and seat != state.active:
        table.held = UNKNOWN
    return table.freeze()


def seen_by(box: Box, state: State, move: Move, seat: int) -> Move:
    """A card that the seat must not see is `?`; faces that a legal move turns up are named at its end."""
    what = move.what
    if move.act in ("draw", "take", "give") and _is_hidden(box, state, move, seat):
        what = (HIDDEN_CARD, *what[1:])
    if not judge(box, state, move).ok:
        return move._replace(what=what)
    after = view(box, play(box, state, move), seat)
    new = shown_cards(after) & ~shown_cards(view(box, state, seat))
    told = [f"{one.handle}:{box.cards[one.card].id}" for one in state.limits if _in(new, one.card)]
    for other, hand in enumerate(state.hand, 1):
        if other != seat:
            names = [box.cards[card].id for card in bits(hand & new)]
            told += [f"p{other}:{name}" for name in names if name not in what]
    return move._replace(what=(*what, *told))


def _in(cards: int, card: int) -> bool:
    return card >= 0 and bool(cards >> card & 1)


def _is_hidden(box: Box, state: State, move: Move, seat: int) -> bool:
    """Whether a card that is drawn, taken or given is none of the seat's business."""
    if move.what[0] == HIDDEN_CARD:
        return True
    task = state.queue[0] if state.queue else Task("", state.active)
    if seat and seat in (task.seat, task.to):  # no receiver is 0, and so is a spectator
        return False
    card = box.cards[box.index[move.what[0]]]
    return card.in_hand or card.kind == LIMIT if move.act == "draw" else bool(task.to)


def redeal(box: Box, state: State, seat: int, dice: Random) -> State:
    return deal(box, view(box, state, seat), dice)


def deal(box: Box, state: State, dice: Random) -> State:
    """A whole position out of a view: every hidden card becomes one of those that are nowhere to be seen."""
    table = Table.of(box, state)
    explorers = _Dealer(box, state, EXPLORER, dice)
    table.hand = tuple(explorers.fill(hand) for hand in state.hand)
    table.discard = explorers.fill(state.discard)
    table.deck = explorers.rest(state.deck)
    dealers = [_Dealer(box, state, n, dice) for n in range(1, len(state.piles) + 1)]
    table.limits = tuple(
        replace(limit, card=dealers[limit.pile - 1].card()) if limit.card == UNKNOWN else limit
        for limit in state.limits
    )
    if state.held == UNKNOWN:
        table.held = dealers[missing_pile(box, state) - 1].card()
    table.filed = tuple(dealer.fill(filed) for dealer, filed in zip(dealers, state.filed, strict=True))
    table.piles = tuple(dealer.rest(pile) for dealer, pile in zip(dealers, state.piles, strict=True))
    return table.freeze()


class _Dealer:
    """Deals the unseen cards of one deck or pile, first those that lie elsewhere; the rest stays in it."""

    def __init__(self, box: Box, state: State, home: int, dice: Random) -> None:
        self.left = unseen(box, state, home)
        self.cards = [*bits(self.left & box.can_hide)]
        dice.shuffle(self.cards)

    def card(self) -> int:
        card = self.cards.pop()
        self.left &= ~(1 << card)
        return card

    def fill(self, cards: int) -> int:
        return known_in(cards) | sum(1 << self.card() for _ in range(hidden_in(cards)))

    def rest(self, deck: int) -> int:
        return deck if not hidden_in(deck) else self.left
