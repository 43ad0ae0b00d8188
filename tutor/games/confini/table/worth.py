"""What things are worth to a player of Confini, in Spago: the way made, Eco, Equipment, cards, effects.

Written by hand and tuned in matches. The whole way to the Smoke is eleven Spago; the game is as good as that.
"""

from collections.abc import Iterable

from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import EQUIPMENT, bits, hidden_in
from tutor.games.confini.engine.effects import Effect
from tutor.games.confini.engine.state import Position, gear, living
from tutor.rules.base import Move

GAME = 12.0
"""A won game; a lost one is worth as much less than none."""
READY, MAY_CHALLENGE = 0.4, 1.5
"""Enough Spago to advance, and enough for the Smoke: what that is worth beside the Spago."""
SURPLUS = 0.1
"""A Spago beyond what is needed now: it is lost on advancing, but somebody may cut one."""
ECO = (0.0, 0.35, 0.65, 0.9, 1.1, 1.25, 1.4)
BONUS = (0.0, 1.1, 2.1, 2.9, 3.6, 4.2, 4.7, 5.1)
"""By how much there is of it."""
GEAR_EXTRAS = {"EQ2": 0.1, "EQ3": 0.35, "EQ4": 0.4, "EQ6": -0.2, "EQ7": 0.5, "EQ8": 0.2, "EQ9": -1.0}
"""What Equipment is worth beside its bonus; the Idol costs its owner the Eco of every turn."""
IN_HAND = {
    "EV01": 0.6, "EV02": 0.55, "EV03": 0.5, "EV04": 0.35, "EV05": 0.3, "EV06": 0.4, "EV07": 0.8,
    "EV08": 0.25, "CUT": 0.8,
}  # fmt: skip
ANY_CARD = 0.4
"""A card whose face is not known."""
WORN, TURN_REST = 1.0, 0.5
"""An active Equipment that is lost; the end phase of a turn."""
LOST_CARDS = {"EV10": -0.4, "EV11": -0.3, "EV12": -0.3, "EV13": 0.4, "EV14": -0.9, "EV09": 0.3}
"""Cards that work, or are laid out, as they are drawn."""


def way_made(box: Box, at: Position, seat: int) -> float:
    """The Spago that a player has earned on the way, as far as they still count: 11 are enough."""
    level, spago = at.level[seat - 1], at.spago[seat - 1]
    costs = (*box.numbers.advance, box.numbers.smoke)
    if not level:
        return 0.0
    if level > len(costs):
        return float(sum(costs) - len(costs) + 1)
    before = sum(costs[: level - 1]) - max(0, level - 2)
    return before + min(spago, costs[level - 1]) - (level > 1)


def standing(box: Box, at: Position, seat: int, spago: int = 0, level: int = 0) -> float:
    """What a player's place on the way is worth, with so many Spago and levels more."""
    level += at.level[seat - 1]
    if not at.level[seat - 1]:
        return 0.0
    spago = 1 if level > at.level[seat - 1] else max(0, spago + at.spago[seat - 1])
    costs = (*box.numbers.advance, box.numbers.smoke)
    if level > len(costs):
        return GAME
    cost = costs[level - 1]
    made = sum(costs[: level - 1]) - max(0, level - 2) + min(spago, cost) - (level > 1)
    worth = made + READY * (level - 1) + SURPLUS * min(2, max(0, spago - cost))
    if spago >= cost:
        worth += MAY_CHALLENGE if level == len(costs) else READY / 4
    return worth


def eco_worth(eco: int) -> float:
    return ECO[min(eco, len(ECO) - 1)]


def gear_worth(box: Box, character: str, equip: int) -> float:
    worn = box.gear(character, equip)
    worth = BONUS[min(worn.bonus, len(BONUS) - 1)]
    return worth + sum(GEAR_EXTRAS.get(box.cards[i].design, 0.0) for i in bits(equip))


def outfit_after(box: Box, equip: int, move: Move) -> int:
    """The active Equipment after a move that activates one, perhaps in place of another."""
    after = equip | 1 << box.index[move.what[0]]
    return after & ~(1 << box.index[move.what[1]]) if len(move.what) > 1 else after


def best_outfit(box: Box, at: Position, seat: int, card: int) -> tuple[float, int]:
    """How much better the best outfit with this Equipment is than the one that is worn, and what it replaces
    (-1 if there is a free slot)."""
    character, equip = at.characters[seat - 1], at.equip[seat - 1]
    now = gear_worth(box, character, equip)
    found = []
    slots = gear(box, at, seat).slots + box.slot_gains[card]
    if equip.bit_count() < slots:
        found.append((gear_worth(box, character, equip | 1 << card) - now, -1))
    for old in bits(equip):
        after = equip & ~(1 << old) | 1 << card
        if after.bit_count() <= box.gear(character, after).slots:
            found.append((gear_worth(box, character, after) - now, old))
    return max(found, default=(0.0, -1))


def card_worth(box: Box, at: Position, seat: int, card: int) -> float:
    """What a card in hand is worth to its owner."""
    one = box.cards[card]
    if one.kind == EQUIPMENT:
        return 0.15 + 0.7 * max(0.0, best_outfit(box, at, seat, card)[0])
    return IN_HAND.get(one.design, 0.2)


def hand_worth(box: Box, at: Position, seat: int) -> float:
    hand = at.hand[seat - 1]
    return ANY_CARD * hidden_in(hand) + sum(card_worth(box, at, seat, i) for i in bits(hand))


def rival_weight(box: Box, at: Position, seat: int, rival: int) -> float:
    """How much what a rival gains costs the seat: all of it between two, and the leader's more among more."""
    rivals = [other for other in living(at) if other != seat]
    if len(rivals) < 2:
        return 1.0
    made = {other: 2.0 + way_made(box, at, other) for other in rivals}
    return min(1.0, 1.3 * made[rival] / sum(made.values()))


def effects_worth(box: Box, at: Position, effects: Iterable[Effect], seat: int, placer: int) -> float:
    """What the effects of a Limit are worth to its challenger."""
    worth = 0.0
    for effect in effects:
        match effect.name:
            case "eco" if effect.who(0) == "challenger":
                worth += 0.4 * effect.number(1)
            case "eco" if placer:
                worth -= 0.3 * effect.number(1)
            case "spago":
                worth += standing(box, at, seat, effect.number(1)) - standing(box, at, seat)
            case "discard":
                worth -= ANY_CARD * min(effect.number(1), at.hand[seat - 1].bit_count())
            case "move_card" if effect.who(0) == "challenger" and (placer or effect.who(1) == "next"):
                worth -= 1.5 * ANY_CARD * min(effect.number(2), at.hand[seat - 1].bit_count())
            case "move_card" if placer and effect.who(0) == "placer":
                worth += 1.5 * ANY_CARD * min(effect.number(2), at.hand[placer - 1].bit_count())
            case "move_equip":
                worth -= WORN * bool(at.equip[seat - 1])
            case "end_turn":
                worth -= TURN_REST
    return worth
