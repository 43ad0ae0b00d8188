"""Which faces a position shows, which cards may lie where none is shown, and faces that a move tells.

In a view many cards are hidden. A move that turns some up may name them at its end, a Limit by its number
and a card of a hand by its player: `p1 fight 3 3:L2-CUP-A`, `p2 pass p2:EV02#1`. With these the rules need
not guess. In a whole position they must be true.
"""

from dataclasses import replace

from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import EXPLORER, UNKNOWN, hidden_in, known_in, put_in, take_out
from tutor.games.confini.engine.state import Position, State, card_sets, find_limit, single_cards
from tutor.games.confini.engine.table import Table, replace_at
from tutor.rules.base import Move

# What can be seen


def shown_cards(at: Position) -> int:
    """All cards whose place is known."""
    found = 0
    for cards in card_sets(at):
        found |= cards
    for card in single_cards(at):
        if card != UNKNOWN:
            found |= 1 << card
    return known_in(found)


def unseen(box: Box, at: Position, home: int) -> int:
    """The cards of a deck or pile that may be any of those whose face is hidden."""
    return box.homes[home] & ~shown_cards(at)


def may_come(box: Box, at: Position, home: int) -> int:
    """The cards that may be drawn from a deck or pile.

    A card that cannot lie hidden anywhere else must be in it, and may fill it.
    """
    deck = at.piles[home - 1] if home else at.deck
    if not hidden_in(deck):
        return deck
    cards = unseen(box, at, home)
    only_here = cards & ~box.can_hide
    return cards if deck.bit_count() > only_here.bit_count() else only_here


def may_hold(box: Box, at: Position, seat: int) -> int:
    """The cards that may be in a player's hand."""
    hand = at.hand[seat - 1]
    return known_in(hand) | unseen(box, at, EXPLORER) & box.in_hand if hidden_in(hand) else hand


def lacking(box: Box, at: Position) -> tuple[int, ...]:
    """How many cards of the deck and of each pile lie nowhere; a held Limit that is hidden is one of them."""
    seen = shown_cards(at)
    hidden = [hidden_in(at.deck) + hidden_in(at.discard) + sum(map(hidden_in, at.hand))]
    for n, (pile, filed) in enumerate(zip(at.piles, at.filed, strict=True), 1):
        face_down_on_arcs = sum(limit.card == UNKNOWN and limit.pile == n for limit in at.limits)
        hidden.append(hidden_in(pile) + hidden_in(filed) + face_down_on_arcs)
    return tuple((home & ~seen).bit_count() - count for home, count in zip(box.homes, hidden, strict=True))


def missing_pile(box: Box, at: Position) -> int:
    """The pile that the hidden Limit somebody holds came from."""
    return next((n for n, count in enumerate(lacking(box, at)) if count), 1)


# Faces that a move tells


def bare(move: Move) -> Move:
    """The move without the faces at its end."""
    return move._replace(what=tuple(word for word in move.what if ":" not in word))


def faces_of(move: Move) -> list[tuple[str, str]]:
    """The faces at the end of a move: (number of a Limit or player, card)."""
    found = []
    for word in move.what:
        where, colon, card = word.partition(":")
        if colon:
            found.append((where, card))
    return found


def learn(box: Box, state: State, move: Move) -> tuple[State, str]:
    """The position with the faces that the move tells, and the first that cannot be; "" if all can."""
    for where, name in faces_of(move):
        learned = _learn_one(box, state, where, box.index[name])
        if learned is None:
            return state, name
        state = learned
    return state, ""


def _learn_one(box: Box, state: State, where: str, card: int) -> State | None:
    if where.startswith("p"):
        return _learn_hand(box, state, int(where[1:]), card)
    limit = find_limit(state, int(where))
    if limit is None or (limit.card != UNKNOWN and limit.card != card):
        return None
    if limit.card == card:
        return state
    if not unseen(box, state, limit.pile) & box.limits & 1 << card:
        return None
    known = replace(limit, card=card)
    return _with(box, state, limits=tuple(known if one is limit else one for one in state.limits))


def _learn_hand(box: Box, state: State, seat: int, card: int) -> State | None:
    if seat > len(state.hand) or not may_hold(box, state, seat) >> card & 1:
        return None
    hand = state.hand[seat - 1]
    if hand >> card & 1:
        return state
    return _with(box, state, hand=replace_at(state.hand, seat, put_in(take_out(hand, card), card)))


def _with(box: Box, state: State, **changes: object) -> State:
    return Table.of(box, state).having(**changes).freeze()
