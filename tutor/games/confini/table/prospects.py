"""What a fight against a Limit promises its challenger: what is at stake, and how much Eco to spend."""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import UNKNOWN, bits
from tutor.games.confini.engine.faces import unseen
from tutor.games.confini.engine.scoring import needed, score
from tutor.games.confini.engine.state import Fight, Limit, Position, gear, living
from tutor.games.confini.engine.tasks import holds
from tutor.games.confini.table.odds import FOG, WIND, copies_held, count_of
from tutor.games.confini.table.worth import (
    ANY_CARD,
    IN_HAND,
    card_worth,
    eco_worth,
    effects_worth,
    rival_weight,
    standing,
)


class Stakes(NamedTuple):
    """What a fight is about, to the challenger."""

    won: float
    lost: float
    """Less than nothing: the negative effect."""
    placer: float
    """What the placer's Spago costs the challenger, if one is lost."""


class Bout(NamedTuple):
    """A Limit as its challenger meets it."""

    lacking: int
    """Its Challenge Value less the Will without Eco."""
    stakes: Stakes
    fogs: Sequence[float]
    """How likely none, one, two ... cards are played for the Limit that add 2 each."""
    winds: int
    """How many cards the challenger has that add 2 each."""


class Prospect(NamedTuple):
    """What one amount of Eco promises."""

    worth: float
    """With what the Eco that is left is worth."""
    chance: float
    eco: int


def stakes_of(box: Box, at: Position, seat: int, card: int, placer: int) -> Stakes:
    limit = box.cards[card]
    rival = placer if placer and placer != seat and at.level[placer - 1] else 0
    won = standing(box, at, seat, 1) - standing(box, at, seat)
    won += effects_worth(box, at, limit.effects.get("on_win", ()), seat, rival)
    worn = gear(box, at, seat)
    if rival and at.hand[rival - 1]:
        won += 1.5 * ANY_CARD * sum(effect.name == "move_card" for _, effect in worn.effects["on_win"])
    lost = effects_worth(box, at, limit.effects.get("on_loss", ()), seat, rival)
    if any("on_loss" in box.cards[i].effects for i in bits(at.kept[seat - 1])):
        lost *= 0.5
    lost -= 1.5 * sum(effect.name == "move_equip" for _, effect in worn.effects["on_loss"])
    if not rival:
        return Stakes(won, lost, 0.0)
    paid = standing(box, at, rival, 1) - standing(box, at, rival)
    return Stakes(won, lost, rival_weight(box, at, seat, rival) * paid)


def meet(box: Box, at: Position, seat: int, card: int, arc: str, placer: int) -> Bout:
    """The bout with a Limit that is still face down."""
    limit, worn = box.cards[card], gear(box, at, seat)
    value = limit.value + (limit.flaw == box.characters[at.characters[seat - 1]].flaw)
    value += box.flaw_of[arc] == limit.flaw and "arc_bonus" not in worn.ignores
    will, silent = worn.bonus, False
    for effect in limit.effects.get("on_reveal", ()):
        if not effect.condition or holds(box, at, effect, seat):
            value += effect.number(0) if effect.name == "challenge" else 0
            will += effect.number(0) if effect.name == "will" else 0
            silent = silent or effect.name == "no_cards"
    return _bout(box, at, seat, value - will, stakes_of(box, at, seat, card, placer), placer, silent)


def bout_of(box: Box, at: Position, fight: Fight) -> Bout:
    """The bout that is under way, before Eco is declared."""
    result = score(box, at, fight._replace(eco=0))
    lacking = needed(result, at.rounding) - result.will
    stakes = stakes_of(box, at, at.active, fight.card, fight.placer)
    return _bout(box, at, at.active, lacking, stakes, fight.placer, fight.silent)


def _bout(box: Box, at: Position, seat: int, lacking: int, stakes: Stakes, placer: int, silent: bool) -> Bout:
    if silent:
        return Bout(lacking, stakes, (1.0,), 0)
    against = [placer] if placer != seat else [other for other in living(at) if other != seat]
    fogs: Sequence[float] = (1.0,)
    for other in against:
        if at.level[other - 1]:
            fogs = _convolve(fogs, copies_held(box, at, other, FOG))
    return Bout(lacking, stakes, fogs, count_of(box, at.hand[seat - 1], WIND))


def _convolve(one: Sequence[float], other: Sequence[float]) -> list[float]:
    found = [0.0] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            found[i + j] += a * b
    return found


def prospect(bout: Bout, eco: int, kept: Sequence[float]) -> Prospect:
    """What it promises to spend that much; `kept` is what Eco that is left is worth, by its amount."""
    chance = worth = 0.0
    for fogs, likely in enumerate(bout.fogs):
        if not likely:
            continue
        winds = max(0, ceil((bout.lacking + 2 * fogs - eco) / 2))
        if winds <= bout.winds:
            chance += likely
            worth += likely * (bout.stakes.won - winds * IN_HAND[WIND])
        else:
            worth += likely * (bout.stakes.lost - bout.stakes.placer)
    return Prospect(worth + kept[-1 - eco], chance, eco)


def best_prospect(bout: Bout, eco: int, kept: Sequence[float]) -> Prospect:
    """`kept` has a worth for every amount from none to `eco`."""
    return max(prospect(bout, n, kept[: eco + 1]) for n in range(eco + 1))


def faces(box: Box, at: Position, limit: Limit) -> list[int]:
    """The cards that a Limit may be."""
    if limit.card != UNKNOWN:
        return [limit.card]
    return [*bits(unseen(box, at, limit.pile) & box.limits)]


def facing(box: Box, at: Position, seat: int, limit: Limit, eco: int, kept: Sequence[float]) -> float:
    """What it is worth to a player to fight this Limit with so much Eco; of an unknown one, on average."""
    cards = faces(box, at, limit)
    if not cards:
        return kept[eco]
    bouts = (meet(box, at, seat, card, limit.arc, limit.placer) for card in cards)
    return sum(best_prospect(bout, eco, kept).worth for bout in bouts) / len(cards)


def plain_eco(most: int) -> list[float]:
    return [eco_worth(n) for n in range(most + 1)]


def least_useful(box: Box, at: Position, seat: int) -> float:
    """What the worst card of a hand is worth."""
    return min((card_worth(box, at, seat, i) for i in bits(at.hand[seat - 1])), default=0.0)
