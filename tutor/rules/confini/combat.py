"""Fights against Limits and against the Smoke: values, the window for cards, the stack, and what follows."""

from dataclasses import replace
from math import ceil

from tutor.rules.confini.cards import CENTRE, LIMIT, UNKNOWN, Box, bits
from tutor.rules.confini.deal import collect, discard, do, first, gain_eco, gain_spago
from tutor.rules.confini.state import (
    AWARD,
    CARDS,
    CHALLENGE,
    CHARM,
    CLOSE,
    DO,
    DOWN,
    ECO,
    FILE,
    HAND,
    NEGATIVE,
    OFFER,
    OVER,
    PILE,
    RESULT,
    REVEAL,
    STACK,
    Fight,
    Play,
    Position,
    Score,
    Table,
    Task,
    clockwise,
    combatants,
    gear,
    limits_on,
    living,
    own_arc,
    placer_of,
)

# Values


def score(box: Box, at: Position, fight: Fight) -> Score:
    """Both sides as they stand now. Eco that is no longer there does not count."""
    seat = at.active
    worn = gear(box, at, seat)
    flaw = box.characters[at.characters[seat - 1]].flaw
    eco = at.eco[seat - 1] if fight.smoke else min(fight.eco, at.eco[seat - 1])
    if fight.smoke:
        shown = [box.cards[card] for card in fight.revealed if box.cards[card].kind == LIMIT]
        same = any(card.flaw == flaw for card in shown)
        return Score(
            seat, UNKNOWN, eco, worn.bonus, fight.will, fight.rivals, 0, int(same), fight.value,
            len(shown), fight.eco_sum, fight.rivals,
        )  # fmt: skip
    limit = box.cards[fight.card]
    on_own_arc = box.flaw_of[fight.arc] == limit.flaw
    arc = on_own_arc and "arc_bonus" not in worn.ignores | fight.ignored
    return Score(
        seat, fight.card, eco, worn.bonus, fight.will,
        limit.value, int(arc), int(limit.flaw == flaw), fight.value,
    )  # fmt: skip


def needed(result: Score, rounding: str) -> int:
    """The least Will that is enough."""
    if not result.eco_sum:
        return result.whole
    if rounding == DOWN:
        return result.whole + result.eco_sum // result.rivals
    return result.whole + ceil(result.eco_sum / result.rivals)


# Limits


def enter(t: Table) -> None:
    """The Challenge phase: forced if a Limit lies on the own arc, else there is none."""
    if not limits_on(t, own_arc(t.box, t, t.active)):
        t.phase = PILE
        return
    t.phase = CHALLENGE
    for card, effect in gear(t.box, t, t.active).effects.get("challenge_start", ()):
        asked = effect.may and effect.name != "peek"  # looks are taken, or not, by moves of their own
        t.queue.append(Task(OFFER if asked else DO, t.active, card=card, effect=effect))


def reveal(t: Table, handle: int) -> None:
    """The chosen Limit is turned up; its immediate effect is checked now and never again."""
    limit = next(limit for limit in t.limits if limit.handle == handle)
    t.limits = tuple(other for other in t.limits if other.handle != handle)
    t.looks = 0
    t.fight = Fight(limit.card, limit.arc, limit.placer)
    t.phase = ECO
    first(t, *do(t.box.cards[limit.card].effects.get("on_reveal", ()), t.active))


def declare(t: Table, fight: Fight, eco: int) -> None:
    t.fight = fight._replace(eco=eco)
    if fight.silent:
        close(t)
    else:
        open_window(t, t.fight)


# The window


def open_window(t: Table, fight: Fight) -> None:
    t.phase = CARDS
    t.fight = fight._replace(turn=combatants(t)[0], passes=0)


def put(t: Table, fight: Fight, play: Play) -> None:
    """A card goes on the stack; everybody else is asked again."""
    t.hand[play.seat - 1] &= ~(1 << play.card)
    used = fight.used | 1 << play.seat if fight.smoke and play.seat != t.active else fight.used
    _ask_next(t, fight._replace(stack=(*fight.stack, play), used=used), 0)


def let_pass(t: Table, fight: Fight) -> None:
    _ask_next(t, fight, fight.passes + 1)


def _ask_next(t: Table, fight: Fight, passes: int) -> None:
    """The next one's right; a player who has played the one card for the Smoke counts as passing."""
    order = combatants(t)
    i = order.index(fight.turn)
    while passes < len(order):
        i = (i + 1) % len(order)
        if not fight.used >> order[i] & 1:
            t.fight = fight._replace(turn=order[i], passes=passes)
            return
        passes += 1
    t.fight = fight
    close(t)


def close(t: Table) -> None:
    if t.fight:
        t.fight = t.fight._replace(turn=0, passes=0)
    t.phase = RESULT
    t.queue.append(Task(STACK))


def resolve(t: Table, fight: Fight) -> None:
    """The card played last comes first; when none is left the fight is decided."""
    if fight.stack:
        top = fight.stack[-1]
        t.fight = fight._replace(stack=fight.stack[:-1])
        effects = t.box.cards[top.card].effects["play_combat"]
        first(t, *do(effects, top.seat, top.target), Task(CLOSE, card=top.card), Task(STACK))
        return
    result = score(t.box, t, fight)
    won = result.will >= needed(result, t.rounding)
    t.last = replace(result, won=won)
    if fight.smoke:
        _smoke_decided(t, fight, won)
    elif won:
        _won(t, result)
    else:
        _lost(t, result)


def _won(t: Table, result: Score) -> None:
    seat = t.active
    gain_eco(t, seat, -result.eco)
    gain_spago(t, seat, +1)
    t.queue += do(t.box.cards[result.card].effects.get("on_win", ()), seat)
    for card, effect in gear(t.box, t, seat).effects.get("on_win", ()):
        t.queue += do([effect], seat, card=card)
    t.queue.append(Task(FILE))


def _lost(t: Table, result: Score) -> None:
    seat = t.active
    gain_eco(t, seat, -result.eco)
    t.queue += [Task(CHARM, seat), Task(NEGATIVE, seat)]
    for card, effect in gear(t.box, t, seat).effects.get("on_loss", ()):
        t.queue.append(Task(OFFER if effect.may else DO, seat, card=card, effect=effect))
    t.queue += [Task(AWARD), Task(FILE)]


def charms(box: Box, at: Position, seat: int) -> list[int]:
    """The kept cards that may be used after a loss."""
    return [i for i in bits(at.kept[seat - 1]) if "on_loss" in box.cards[i].effects]


def negative(t: Table, fight: Fight) -> None:
    if "negative" not in fight.ignored | gear(t.box, t, t.active).ignores:
        first(t, *do(t.box.cards[fight.card].effects.get("on_loss", ()), t.active))


def award(t: Table) -> None:
    placer = placer_of(t)
    if placer:
        gain_spago(t, placer, +1)


def file(t: Table, fight: Fight) -> None:
    """The fought Limit leaves the game for its discards, and the turn goes on or ends."""
    discard(t, fight.card)
    t.fight = None
    t.phase = HAND if t.ending else PILE
    t.ending = False


# The Smoke


def defy(t: Table) -> None:
    """The challenger pays all Spago, enters the centre, and the rivals become the Smoke."""
    seat = t.active
    gain_spago(t, seat, -t.spago[seat - 1])
    t.level[seat - 1] = CENTRE
    rivals = clockwise(t, seat)
    t.fight = Fight(UNKNOWN, rivals=len(rivals), eco_sum=sum(t.eco[other - 1] for other in rivals))
    if sum(pile.bit_count() for pile in t.piles) < len(rivals):
        t.piles = [pile | filed for pile, filed in zip(t.piles, t.filed, strict=True)]
        t.filed = [0] * len(t.piles)
    t.phase = REVEAL


def uncover(t: Table, fight: Fight, card: int) -> None:
    t.piles[t.box.cards[card].home - 1] &= ~(1 << card)
    t.fight = fight._replace(revealed=(*fight.revealed, card))


def _smoke_decided(t: Table, fight: Fight, won: bool) -> None:
    for card in fight.revealed:
        discard(t, card)
    t.fight = None
    t.ending = False
    if won:
        t.phase = OVER
        return
    _eliminate(t, t.active)
    t.phase = OVER if len(living(t)) == 1 else HAND


def _eliminate(t: Table, seat: int) -> None:
    """What the player leaves goes back; Limits placed elsewhere stay and belong to nobody."""
    t.discard |= t.hand[seat - 1] | t.equip[seat - 1] | t.kept[seat - 1]
    t.hand[seat - 1] = t.equip[seat - 1] = t.kept[seat - 1] = 0
    t.eco[seat - 1] = 0
    gain_spago(t, seat, -t.spago[seat - 1])
    t.level[seat - 1] = 0
    quadrant = t.box.characters[t.characters[seat - 1]].quadrant
    collect(t, [limit.handle for limit in t.limits if limit.arc.startswith(quadrant)])
