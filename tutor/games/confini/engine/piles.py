"""The Explorer deck and the Smoke piles: what a card can be drawn from, and how they are filled again."""

from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import face_down, hidden_in, join
from tutor.games.confini.engine.state import Position, is_view, live_arcs, living, own_arc
from tutor.games.confini.engine.table import Table, replace_at

# The Explorer deck


def shuffle_discards(t: Table) -> None:
    """When the deck is empty its discards become the deck."""
    if not t.deck:
        t.deck, t.discard = _shuffle(t, t.discard), 0


def _shuffle(t: Table, cards: int) -> int:
    """In a view nobody knows which of the cards are where from now on."""
    return face_down(cards.bit_count()) if is_view(t) else cards


# The Smoke piles


def source(at: Position, level: int) -> int:
    """The index of the pile that a player on this level draws from: the first one up that has a card."""
    if at.piles[level - 1]:
        return level - 1
    return next((n for n in _upwards(at, level) if at.piles[n]), level - 1)


def fill_piles(t: Table, level: int) -> None:
    """Sees to it that a card can be drawn for this level, if any can be: the chain that fills empty piles.

    An empty pile gets its discards and the Limits of its value from dead arcs, if there is a Limit among
    them; else the next pile up serves. If none can give a Limit, those on arcs without a pawn are collected.
    """
    if t.piles[level - 1]:
        return
    for _ in range(2):
        for n in _upwards(t, level):
            if t.piles[n]:
                return
            dead = _dead(t.box, t, n)
            if dead or _has_limit(t.box, t.filed[n]):
                t.collect(dead)
                t.piles = replace_at(t.piles, n + 1, _shuffle(t, t.filed[n]))
                t.filed = replace_at(t.filed, n + 1, 0)
                return
        pawns = {own_arc(t.box, t, seat) for seat in living(t)}
        t.collect([limit.handle for limit in t.limits if limit.arc not in pawns])


def is_filled(box: Box, at: Position, level: int) -> bool:
    """Whether the chain has been gone through: a card is there, in the first pile that can give one."""
    for n in _upwards(at, level):
        if at.piles[n]:
            return True
        if _has_limit(box, at.filed[n]) or _dead(box, at, n):
            return False
    return False


def _upwards(at: Position, level: int) -> list[int]:
    count = len(at.piles)
    return [(level - 1 + i) % count for i in range(count)]


def _has_limit(box: Box, filed: int) -> bool:
    """Whether a Limit is among these discards; only Limits are discarded unseen."""
    return bool(filed & box.limits or hidden_in(filed))


def _dead(box: Box, at: Position, n: int) -> list[int]:
    """The Limits of that pile on dead arcs."""
    alive = live_arcs(box, at)
    return [limit.handle for limit in at.limits if limit.pile == n + 1 and limit.arc not in alive]


def add_discards(t: Table) -> None:
    """All discards of the Smoke piles go back under their piles."""
    t.piles = tuple(_shuffle(t, join(pile, filed)) for pile, filed in zip(t.piles, t.filed, strict=True))
    t.filed = (0,) * len(t.piles)
