"""Cards in a fight: how it would end as the stack lies, and what one more card is worth."""

from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import NO_CARD, bits
from tutor.games.confini.engine.scoring import needed, score
from tutor.games.confini.engine.state import Fight, Play, State
from tutor.games.confini.engine.table import Table, replace_at
from tutor.games.confini.table.prospects import stakes_of
from tutor.games.confini.table.worth import GAME, IN_HAND, rival_weight, standing
from tutor.rules.base import Move

HOPE = 0.15
"""Of what is at stake, how much a card is worth that does not turn the fight by itself."""


def margin(box: Box, at: State, fight: Fight, *more: Play) -> int:
    """By how much the challenger's Will is over the value if nobody plays any more; below 0 it is lost."""
    will = value = lost = 0
    stack = [*fight.stack, *more]
    while stack:
        for effect in box.cards[stack.pop().card].effects["play_combat"]:
            match effect.name:
                case "will":
                    will += effect.number(0)
                case "challenge":
                    value += effect.number(0)
                case "eco":
                    lost -= effect.number(1)
                case "cancel" if stack:
                    stack.pop()
    eco = max(0, at.eco[at.active - 1] - lost)
    table = Table.of(box, at).having(eco=replace_at(at.eco, at.active, eco))
    result = score(box, table, fight)
    return result.will + will - value - needed(result, at.rounding)


def rate(box: Box, at: State, seat: int, move: Move) -> float:
    """What a card, or none, is worth to somebody who may play one."""
    fight = at.fight
    assert fight
    sign = 1 if seat == at.active else -1
    now = _for(sign, margin(box, at, fight))
    if move.act == "pass":
        return 0.0
    card = box.index[move.what[0]]
    rival = int(move.what[1][1:]) if len(move.what) > 1 else 0
    spent = -IN_HAND.get(box.cards[card].design, 0.2)
    if rival:
        own = standing(box, at, seat, 1) - standing(box, at, seat)
        theirs = standing(box, at, rival) - standing(box, at, rival, -1)
        return own + rival_weight(box, at, seat, rival) * theirs + spent - 0.3
    play = Play(seat, card)
    after = _for(sign, margin(box, at, fight, play))
    stake = at_stake(box, at, seat, fight)
    if now >= 0 or after <= now:
        return spent - 0.1
    if after >= 0:
        return stake + spent
    if after + _reserve(box, at, seat, card, sign, fight) >= 0:
        return stake + 2 * spent
    return HOPE * stake + spent if fight.smoke else spent


def _for(sign: int, margin: int) -> int:
    """The margin of one's own side: 0 is won by the challenger."""
    return margin if sign > 0 else -margin - 1


def _reserve(box: Box, at: State, seat: int, card: int, sign: int, fight: Fight) -> int:
    """How much the rest of the hand can add."""
    if fight.smoke and sign < 0:
        return 0
    name = "will" if sign > 0 else "challenge"
    return sum(
        effect.number(0)
        for i in bits(at.hand[seat - 1] & ~(1 << card))
        for effect in box.cards[i].effects.get("play_combat", ())
        if effect.name == name
    )


def at_stake(box: Box, at: State, seat: int, fight: Fight) -> float:
    """What the difference between a won and a lost fight is worth to somebody in it."""
    challenger = at.active
    if fight.smoke:
        return 2 * GAME
    stakes = stakes_of(box, at, challenger, fight.card, fight.placer)
    if seat == challenger:
        return stakes.won - stakes.lost + stakes.placer
    gain = standing(box, at, seat, 1) - standing(box, at, seat) if fight.placer == seat else 0.0
    return gain + rival_weight(box, at, seat, challenger) * (stakes.won - stakes.lost)


def goes_well(box: Box, at: State, seat: int, card: int = NO_CARD) -> bool:
    """Whether the fight goes the player's way if nothing follows but perhaps this card."""
    assert at.fight
    more = () if card == NO_CARD else (Play(seat, card),)
    return (margin(box, at, at.fight, *more) >= 0) == (seat == at.active)
