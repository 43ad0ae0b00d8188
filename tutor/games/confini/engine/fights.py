"""Fights against Limits and against the Smoke: the window for cards, the stack, and what follows."""

from tutor.games.confini.engine.cards import CENTRE, LIMIT, UNKNOWN, join, take_out
from tutor.games.confini.engine.piles import add_discards
from tutor.games.confini.engine.scoring import needed, score
from tutor.games.confini.engine.state import (
    AWARD,
    CARDS,
    CHALLENGE,
    CHARM,
    CLOSE,
    DO,
    ECO,
    FILE,
    HAND,
    NEGATIVE,
    OFFER,
    OVER,
    PILE,
    RESULT,
    REVEAL,
    SMOKE,
    STACK,
    UNCOVER,
    Fight,
    Play,
    Score,
    Task,
    clockwise,
    combatants,
    find_place,
    gear,
    has_had_a_card,
    limits_on,
    living,
    own_arc,
    placer_of,
)
from tutor.games.confini.engine.table import Table, replace_at
from tutor.games.confini.engine.tasks import to_do

_STACK, _AWARD, _FILE = Task(STACK), Task(AWARD), Task(FILE)

# Limits


def enter_challenge(t: Table) -> None:
    """The Challenge phase: forced if a Limit lies on the own arc, else there is none."""
    if not limits_on(t, own_arc(t.box, t, t.active)):
        t.phase = PILE
        return
    t.phase = CHALLENGE
    for card, effect in gear(t.box, t, t.active).effects["challenge_start"]:
        asked = effect.may and effect.name != "peek"  # looks are taken, or not, by moves of their own
        t.ask_last(Task(OFFER if asked else DO, t.active, card=card, effect=effect))


def turn_up(t: Table, handle: int) -> None:
    """The chosen Limit is turned up; its immediate effect is checked now and never again."""
    place = find_place(t, handle)
    limit = t.limits[place]
    t.looks = 0
    if limit.card == UNKNOWN:  # in a view: chance has to say which card it is
        t.ask_first(Task(UNCOVER, t.active, handles=(handle,)))
        return
    t.limits = (*t.limits[:place], *t.limits[place + 1 :])
    t.fight = Fight(LIMIT, limit.card, limit.arc, limit.placer)
    t.phase = ECO
    t.ask_first(*to_do(t.box.cards[limit.card].effects.get("on_reveal", ()), t.active))


def declare(t: Table, fight: Fight, eco: int) -> None:
    t.fight = fight.declaring(eco)
    if fight.silent:
        _close_window(t, t.fight)
    else:
        open_window(t, t.fight)


# The window


def open_window(t: Table, fight: Fight) -> None:
    t.phase = CARDS
    t.fight = fight.asking(combatants(t, fight)[0])


def put_on_stack(t: Table, fight: Fight, play: Play) -> None:
    """A card goes on the stack; everybody is asked again, its player last."""
    t.play_from_hand(play.card, play.seat)
    order = combatants(t, fight)
    _ask_next(t, fight.stacking((*fight.stack, play)), order, order.index(play.seat), len(order))


def let_pass(t: Table, fight: Fight) -> None:
    """The window closes when everybody has passed since the last card, its player too."""
    order = combatants(t, fight)
    now = order.index(fight.turn)
    last = order.index(fight.stack[-1].seat) if fight.stack else len(order) - 1
    _ask_next(t, fight, order, now, (last - now) % len(order))


def _ask_next(t: Table, fight: Fight, order: tuple[int, ...], now: int, left: int) -> None:
    """The next one's right, of those that are left to ask. Who had the one card for the Smoke passes."""
    for i in range(1, left + 1):
        seat = order[(now + i) % len(order)]
        if not has_had_a_card(t, fight, seat):
            t.fight = fight.asking(seat)
            return
    _close_window(t, fight)


def _close_window(t: Table, fight: Fight) -> None:
    t.fight = fight.asking(0)
    t.phase = RESULT
    t.ask_last(_STACK)


def resolve_stack(t: Table, fight: Fight) -> None:
    """The card played last comes first; when none is left the fight is decided."""
    if fight.stack:
        top = fight.stack[-1]
        t.fight = fight.stacking(fight.stack[:-1])
        effects = t.box.cards[top.card].effects["play_combat"]
        t.ask_first(*to_do(effects, top.seat, top.target), Task(CLOSE, card=top.card), _STACK)
        return
    result = score(t.box, t, fight)
    won = result.will >= needed(result, t.rounding)
    t.last = result.decided(won)
    if fight.smoke:
        _decide_smoke(t, fight, won)
    elif won:
        _win(t, result)
    else:
        _lose(t, result)


def _win(t: Table, result: Score) -> None:
    seat = t.active
    t.gain_eco(seat, -result.eco)
    t.gain_spago(seat, +1)
    positive = to_do(t.box.cards[result.card].effects.get("on_win", ()), seat)
    worn = [Task(DO, seat, card=card, effect=one) for card, one in gear(t.box, t, seat).effects["on_win"]]
    t.ask_last(*positive, *worn, _FILE)


def _lose(t: Table, result: Score) -> None:
    seat = t.active
    t.gain_eco(seat, -result.eco)
    worn = [
        Task(OFFER if effect.may else DO, seat, card=card, effect=effect)
        for card, effect in gear(t.box, t, seat).effects["on_loss"]
    ]
    t.ask_last(Task(CHARM, seat), Task(NEGATIVE, seat), *worn, _AWARD, _FILE)


def suffer_negative(t: Table, fight: Fight) -> None:
    if "negative" not in fight.ignored and "negative" not in gear(t.box, t, t.active).ignores:
        t.ask_first(*to_do(t.box.cards[fight.card].effects.get("on_loss", ()), t.active))


def award_placer(t: Table) -> None:
    placer = placer_of(t)
    if placer:
        t.gain_spago(placer, +1)


def discard_limit(t: Table, fight: Fight) -> None:
    """The fought Limit goes to its discards, and the turn goes on or ends."""
    t.discard_card(fight.card)
    t.fight = None
    t.phase = HAND if t.ending else PILE
    t.ending = False


# The Smoke


def challenge_smoke(t: Table) -> None:
    """The challenger pays all Spago, enters the centre, and the rivals become the Smoke."""
    seat = t.active
    t.gain_spago(seat, -t.spago[seat - 1])
    t.level = replace_at(t.level, seat, CENTRE)
    rivals = clockwise(t, seat)
    t.fight = Fight(SMOKE, eco_sum=sum(t.eco[other - 1] for other in rivals))
    if sum(pile.bit_count() for pile in t.piles) < len(rivals):
        add_discards(t)
    t.phase = REVEAL


def reveals_more(t: Table, fight: Fight) -> bool:
    """Whether a rival still has to reveal a card, and there is one."""
    return len(fight.revealed) < len(clockwise(t, t.active)) and any(t.piles)


def reveal_for_smoke(t: Table, fight: Fight, card: int) -> None:
    home = t.box.cards[card].home
    t.piles = replace_at(t.piles, home, take_out(t.piles[home - 1], card))
    t.fight = fight._replace(revealed=(*fight.revealed, card))


def _decide_smoke(t: Table, fight: Fight, won: bool) -> None:
    for card in fight.revealed:
        t.discard_card(card)
    t.fight = None
    t.ending = False
    if won:
        t.phase = OVER
        return
    _eliminate(t, t.active)
    t.phase = OVER if len(living(t)) == 1 else HAND


def _eliminate(t: Table, seat: int) -> None:
    """What the player leaves goes back; Limits placed elsewhere stay and belong to nobody."""
    for owned in (t.hand, t.equip, t.kept):
        t.discard = join(t.discard, owned[seat - 1])
    t.hand, t.equip, t.kept = (replace_at(owned, seat, 0) for owned in (t.hand, t.equip, t.kept))
    t.eco = replace_at(t.eco, seat, 0)
    t.gain_spago(seat, -t.spago[seat - 1])
    t.level = replace_at(t.level, seat, 0)
    quadrant = t.box.characters[t.characters[seat - 1]].quadrant
    t.collect([limit.handle for limit in t.limits if limit.arc.startswith(quadrant)])
