"""How likely things are in Confini: cards in hidden hands, the next Explorer card, and the Smoke, exactly."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from math import ceil, comb, prod
from typing import NamedTuple

from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import EXPLORER, bits, hidden_in, join, known_in
from tutor.games.confini.engine.faces import unseen
from tutor.games.confini.engine.state import DOWN, Position, clockwise, gear

REMEMBERED = 4096
"""So many odds are kept."""
FOG, WIND, SEED, CHANT = "EV03", "EV02", "EV05", "EV04"


def count_of(box: Box, cards: int, design: str) -> int:
    return sum(box.cards[i].design == design for i in bits(cards))


def hidden_pool(box: Box, at: Position) -> int:
    """The cards that may be in hands which are not seen."""
    return unseen(box, at, EXPLORER) & box.in_hand


def copies_held(box: Box, at: Position, seat: int, design: str) -> list[float]:
    """How likely a player holds none, one, two ... of a card's copies."""
    hand, pool = at.hand[seat - 1], hidden_pool(box, at)
    sure, hidden = count_of(box, known_in(hand), design), hidden_in(hand)
    copies, count = count_of(box, pool, design), pool.bit_count()
    if not hidden:
        return [0.0] * sure + [1.0]
    chances = [
        comb(copies, k) * comb(count - copies, hidden - k) / comb(count, hidden)
        for k in range(min(copies, hidden) + 1)
        if hidden - k <= count - copies
    ]
    return [0.0] * sure + chances


# The Smoke


def smoke_odds(
    box: Box, at: Position, seat: int, eco: int | None = None, rivals_eco: int | None = None
) -> float:
    """How likely the challenger beats the Smoke if everybody plays the cards that help: exact as long as the
    challenger's own hand is known. Another Eco of the challenger, or of the rivals together, may be tried.
    """
    rivals = clockwise(at, seat)
    own = at.eco[seat - 1] if eco is None else eco
    total = sum(at.eco[other - 1] for other in rivals) if rivals_eco is None else rivals_eco
    share = total // len(rivals) if at.rounding == DOWN else ceil(total / len(rivals))
    will = own + gear(box, at, seat).bonus
    helped = copies_held(box, at, seat, WIND)
    chants = count_of(box, known_in(at.hand[seat - 1]), CHANT)
    against = boosts(box, at, rivals)
    won = 0.0
    for extra, chance in _reveals(box, at, seat, len(rivals)).items():
        for cards, likely in against.items():
            left = sorted(cards)[: max(0, len(cards) - chants)]
            lacking = len(rivals) + share + extra + sum(left) - will
            enough = max(0, ceil(lacking / 2))
            won += chance * likely * sum(helped[enough:])
    return won


class _Hand(NamedTuple):
    fog: bool
    seed: bool
    """Whether such a card is known to be in it."""
    hidden: int


def boosts(box: Box, at: Position, rivals: tuple[int, ...]) -> Mapping[tuple[int, ...], float]:
    """What the rivals add to the Smoke with one card each, and how likely: 2 by Fog, 1 by a Seed of Doubt."""
    pool = hidden_pool(box, at)
    hands = []
    for rival in rivals:
        hand = at.hand[rival - 1]
        fog, seed = (count_of(box, known_in(hand), design) > 0 for design in (FOG, SEED))
        hands.append(_Hand(fog, seed, hidden_in(hand)))
    return _boosts(tuple(hands), pool.bit_count(), count_of(box, pool, FOG), count_of(box, pool, SEED))


@lru_cache(REMEMBERED)
def _boosts(hands: tuple[_Hand, ...], pool: int, fogs: int, seeds: int) -> Mapping[tuple[int, ...], float]:
    """By inclusion and exclusion: a hand has a Fog, or none but a Seed, or neither."""
    found: dict[tuple[int, ...], float] = {}
    for kinds in product(_LESS, repeat=len(hands)):
        chance = 0.0
        for parts in product(*(_LESS[kind] for kind in kinds)):
            lack = _lack(hands, tuple(group for _, group in parts), pool, fogs, seeds)
            chance += prod(sign for sign, _ in parts) * lack
        adds = tuple(sorted(2 if kind == "fog" else 1 for kind in kinds if kind != "neither"))
        found[adds] = found.get(adds, 0.0) + max(0.0, chance)
    return found


_LESS: Mapping[str, tuple[tuple[int, str], ...]] = {
    "fog": ((1, "any"), (-1, "fogless")),
    "seed": ((1, "fogless"), (-1, "bare")),
    "neither": ((1, "bare"),),
}
"""What a hand has, told by what it lacks: with a Fog are all but the fogless."""


def _lack(hands: tuple[_Hand, ...], groups: tuple[str, ...], pool: int, fogs: int, seeds: int) -> float:
    """How likely all hands lack what their groups lack."""
    bare = fogless = 0
    for hand, group in zip(hands, groups, strict=True):
        if (hand.fog and group != "any") or (hand.seed and group == "bare"):
            return 0.0
        bare += hand.hidden * (group == "bare")
        fogless += hand.hidden * (group == "fogless")
    chance = comb(pool - fogs - seeds, bare) / comb(pool, bare)
    return chance and chance * comb(pool - bare - fogs, fogless) / comb(pool - bare, fogless)


class _Pile(NamedTuple):
    """A pile by what may be in it: Limits of the challenger's Flaw, others, Turn Changes; some of the Limits
    may lie face down elsewhere, so there may be fewer cards."""

    same: int
    other: int
    changes: int
    cards: int


def _reveals(box: Box, at: Position, seat: int, count: int) -> Mapping[int, float]:
    """What the cards that are turned up for the Smoke add to its value, and how likely."""
    flaw = box.characters[at.characters[seat - 1]].flaw
    few = sum(pile.bit_count() for pile in at.piles) < count
    piles = []
    for n, (pile, filed) in enumerate(zip(at.piles, at.filed, strict=True), 1):
        deck = join(pile, filed) if few else pile
        cards = known_in(deck) | (unseen(box, at, n) if hidden_in(deck) else 0)
        limits = [box.cards[i].flaw for i in bits(cards & box.limits)]
        same = limits.count(flaw)
        piles.append(_Pile(same, len(limits) - same, (cards & ~box.limits).bit_count(), deck.bit_count()))
    return _turn_up(tuple(piles), count)


@lru_cache(REMEMBERED)
def _turn_up(piles: tuple[_Pile, ...], count: int, alike: bool = False) -> Mapping[int, float]:
    """One card after the other. Which Limits lie elsewhere is unknown, so each is as likely to come."""
    total = sum(pile.cards for pile in piles)
    if not count or not total:
        return {int(alike): 1.0}
    found: dict[int, float] = {}
    for n, pile in enumerate(piles):
        limits = (pile.cards - pile.changes) / max(1, pile.same + pile.other)
        for kind, weight in enumerate((limits * pile.same, limits * pile.other, pile.changes)):
            if weight <= 0:
                continue
            left = _Pile(*(many - (i in (kind, 3)) for i, many in enumerate(pile)))
            rest = (*piles[:n], left, *piles[n + 1 :])
            for adds, chance in _turn_up(rest, count - 1, alike or kind == 0).items():
                adds += kind < 2
                found[adds] = found.get(adds, 0.0) + chance * weight / total
    return found
