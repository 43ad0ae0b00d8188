"""What one player of Confini thinks of the moves in one position, phase by phase. It sees a view only."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import exp

from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import CENTRE, CHANGE, EQUIPMENT, EXPLORER, NO_CARD, UNKNOWN, bits
from tutor.games.confini.engine.faces import unseen
from tutor.games.confini.engine.state import (
    CARDS,
    CHALLENGE,
    Limit,
    State,
    can_advance,
    clockwise,
    find_limit,
    gear,
    limits_on,
    own_arc,
)
from tutor.games.confini.table import windows
from tutor.games.confini.table.odds import smoke_odds
from tutor.games.confini.table.prospects import (
    Bout,
    best_prospect,
    bout_of,
    facing,
    least_useful,
    meet,
    plain_eco,
    prospect,
)
from tutor.games.confini.table.worth import (
    ANY_CARD,
    GAME,
    IN_HAND,
    LOST_CARDS,
    TURN_REST,
    WORN,
    best_outfit,
    card_worth,
    eco_worth,
    gear_worth,
    outfit_after,
    rival_weight,
    standing,
    way_made,
)
from tutor.rules.base import Move

CHARACTERS = {"vasco": 0.4, "ottilia": 0.4, "andrea": 0.1}
SPAGO_A_TURN = 0.6
"""What a player earns on average."""
LATER, AHEAD, SPARE = 0.85, 0.7, 0.1
"""What is left of a Limit's worth for each that comes before it, for each level it waits on, and if none is
needed."""
CROWDED = 0.45
"""How likely a rival fights a Limit beside another one."""


class Mind:
    """Thoughts on one position; what several moves need is thought once."""

    def __init__(self, box: Box, at: State, seat: int, moves: Sequence[Move] = ()) -> None:
        self.box, self.at, self.seat, self.moves = box, at, seat, moves
        self.rivals = clockwise(at, seat)
        self.eco = at.eco[seat - 1]
        self.arc = own_arc(box, at, seat)

    def rate(self, move: Move) -> float:
        if self.at.phase == CARDS and not self.at.queue:
            return windows.rate(self.box, self.at, self.seat, move)
        return _RATES[move.act](self, move)

    def is_best(self, move: Move) -> bool:
        """Whether no other legal move is worth more."""
        return self.rate(move) >= max(map(self.rate, self.moves))

    def weigh(self, rival: int) -> float:
        return rival_weight(self.box, self.at, self.seat, rival)

    def step(self, seat: int, spago: int) -> float:
        """What so many Spago more are worth to a player."""
        return standing(self.box, self.at, seat, spago) - standing(self.box, self.at, seat)

    # Eco

    @cached_property
    def kept(self) -> list[float]:
        """What Eco is worth to the seat, by its amount: it also makes the Smoke stronger against a rival who
        may challenge it."""
        most = max(self.eco + 3, gear(self.box, self.at, self.seat).eco_max)
        return [eco_worth(n) - self.threat(n) for n in range(most + 1)]

    def threat(self, eco: int) -> float:
        """What rivals who may challenge the Smoke in their next turn cost, with so much Eco of the seat."""
        cost = 0.0
        for rival in self.rivals:
            if self.may_challenge(rival):
                total = eco + sum(self.at.eco[other - 1] for other in self.rivals if other != rival)
                fresh = min(gear(self.box, self.at, rival).eco_max, self.at.eco[rival - 1] + 1)
                cost += GAME * smoke_odds(self.box, self.at, rival, fresh, total)
        return cost

    def may_challenge(self, seat: int) -> bool:
        return self.at.level[seat - 1] == CENTRE - 1 and self.at.spago[seat - 1] >= self.box.numbers.smoke

    # The start of a turn

    def pick(self, move: Move) -> float:
        return CHARACTERS.get(move.what[0], 0.0)

    def smoke(self, move: Move) -> float:
        """The odds are exact; what waiting is worth is a guess."""
        return self.waiting + GAME * 2 * (self.challenge_odds - self.waiting_odds)

    @cached_property
    def challenge_odds(self) -> float:
        return smoke_odds(self.box, self.at, self.seat)

    @cached_property
    def waiting_odds(self) -> float:
        """How likely the seat wins if it does not challenge the Smoke now: later it will be a little better
        prepared, unless a rival comes first or cuts the Filato."""
        later = max(0.85, min(1.0, self.challenge_odds + 0.1))
        nearest = min(self.turns_left(rival) for rival in self.rivals)
        danger = 0.04 + 0.5 * exp(-nearest / 3)
        rounds = self.at.guard - self.at.round if self.at.guard else 99
        return later * (1 - danger) * (1.0 if rounds > 3 else 0.5)

    def turns_left(self, seat: int) -> float:
        costs = (*self.box.numbers.advance, self.box.numbers.smoke)
        whole = sum(costs) - len(costs) + 1
        return (whole - way_made(self.box, self.at, seat)) / SPAGO_A_TURN

    @cached_property
    def waiting(self) -> float:
        return max(self.draw(n, self.eco) for n in range(self.box.numbers.draws + 1))

    def explore(self, move: Move) -> float:
        return self.draw(int(move.what[0]), self.eco)

    def draw(self, count: int, eco: int, steadied: bool = False) -> float:
        """What so many draws promise: each costs an Eco, and a Turn Change the rest of the turn."""
        if not count or not eco:
            return self.rest(eco)
        change = self.change_odds
        calm = bool(gear(self.box, self.at, self.seat).steady) and not steadied
        ended = self.draw(count - 1, eco - 1, True) if calm else self.kept[eco - 1]
        return change * ended + (1 - change) * (self.next_card + self.draw(count - 1, eco - 1, steadied))

    @cached_property
    def change_odds(self) -> float:
        cards = unseen(self.box, self.at, EXPLORER)
        changes = sum(self.box.cards[i].kind == CHANGE for i in bits(cards))
        return changes / max(1, self.at.deck.bit_count()) if self.at.deck else 0.13

    @cached_property
    def next_card(self) -> float:
        """What a card that is no Turn Change is worth on average."""
        box, at, seat = self.box, self.at, self.seat
        cards = unseen(box, at, EXPLORER) or at.discard
        full = at.hand[seat - 1].bit_count() >= gear(box, at, seat).hand_limit
        least = least_useful(box, at, seat) if full else 0.0
        found = []
        for i in bits(cards):
            card = box.cards[i]
            if card.kind == EQUIPMENT:
                found.append(max(0.1 - least, best_outfit(box, at, seat, i)[0]))
            elif card.kind != CHANGE:
                found.append(LOST_CARDS.get(card.design, max(0.0, card_worth(box, at, seat, i) - least)))
        return sum(found) / len(found) if found else 0.0

    def rest(self, eco: int) -> float:
        """The rest of the turn after the draws: the fight, and the end phase."""
        here = limits_on(self.at, self.arc)
        if not here:
            return self.kept[eco] + TURN_REST
        return max(self.face(limit, eco) for limit in here) + TURN_REST

    def face(self, limit: Limit, eco: int) -> float:
        if eco not in self._faced.setdefault(limit.handle, {}):
            found = facing(self.box, self.at, self.seat, limit, eco, self.kept)
            self._faced[limit.handle][eco] = found
        return self._faced[limit.handle][eco]

    @cached_property
    def _faced(self) -> dict[int, dict[int, float]]:
        return {}

    # The end of the Exploration

    def done(self, move: Move) -> float:
        return 0.0

    def equip(self, move: Move) -> float:
        box, at, seat = self.box, self.at, self.seat
        character, equip = at.characters[seat - 1], at.equip[seat - 1]
        after = outfit_after(box, equip, move)
        if after.bit_count() > box.gear(character, after).slots:
            return -1.0
        return gear_worth(box, character, after) - gear_worth(box, character, equip)

    def play(self, move: Move) -> float:
        """An Event or Cut! at the end of the Exploration."""
        box, at = self.box, self.at
        card = box.cards[box.index[move.what[0]]]
        rival = int(move.what[1][1:]) if len(move.what) > 1 else 0
        worth = -IN_HAND.get(card.design, 0.2)
        for effect in card.effects["play_explore"]:
            match effect.name:
                case "eco":
                    more = min(gear(box, at, self.seat).eco_max, self.eco + effect.number(1))
                    worth += self.rest(max(self.eco, more)) - self.rest(self.eco)
                case "cut":
                    worth += self.step(self.seat, 1) - self.weigh(rival) * self.step(rival, -1)
                case "move_card":
                    worth += ANY_CARD * (1 + self.weigh(rival))
                case "move_equip":
                    worn = box.index[move.what[2]]
                    there = gear_worth(box, at.characters[rival - 1], at.equip[rival - 1])
                    left = gear_worth(box, at.characters[rival - 1], at.equip[rival - 1] & ~(1 << worn))
                    worth += max(0.1, best_outfit(box, at, self.seat, worn)[0])
                    worth += self.weigh(rival) * (there - left)
                case "move_limit":
                    worth += 0.3
        return worth

    # The fight

    def look(self, move: Move) -> float:
        limit = find_limit(self.at, int(move.what[0]))
        news = limit is not None and limit.card == UNKNOWN
        if self.at.phase == CHALLENGE and not self.at.queue:
            here = limits_on(self.at, self.arc)
            return max(self.face(one, self.eco) for one in here) + (0.05 if news and len(here) > 1 else -0.05)
        return (0.1 if news else 0.0) + (0.1 if limit and limit.arc == self.arc else 0.0)

    def fight(self, move: Move) -> float:
        limit = find_limit(self.at, int(move.what[0]))
        return self.face(limit, self.eco) if limit else 0.0

    def spend(self, move: Move) -> float:
        return prospect(self.bout, int(move.what[0]), self.kept[: self.eco + 1]).worth

    @cached_property
    def bout(self) -> Bout:
        assert self.at.fight
        return bout_of(self.box, self.at, self.at.fight)

    # The end of the turn

    def place(self, move: Move) -> float:
        return self.lay(self.at.held, move.what[0], self.seat)

    def lay(self, card: int, arc: str, placer: int) -> float:
        """What it is worth that a Limit of this placer lies on an arc."""
        for seat in (self.seat, *self.rivals):
            arcs = self.box.arcs_of[self.at.characters[seat - 1]]
            level = arcs.index(arc) if arc in arcs else 0
            if level:
                lay = self.lay_own if seat == self.seat else self.lay_for
                return lay(seat, card, arc, level, placer)
        return 0.0

    def lay_own(self, seat: int, card: int, arc: str, level: int, placer: int) -> float:
        box, at = self.box, self.at
        advances = can_advance(box, at, seat) and at.active == seat
        now = at.level[seat - 1] + advances
        if level < now:
            return 0.0
        most = gear(box, at, seat).eco_max
        eco = most if advances or level > now else min(most, self.eco + 1)
        bout = meet(box, at, seat, card, arc, placer)
        gain = 1.0 - bout.stakes.won if advances or level > now else 0.0
        worth = best_prospect(bout, eco, plain_eco(eco)).worth - eco_worth(eco) + gain
        waiting = len(limits_on(at, arc))
        need = self.needed(level) - waiting
        if worth <= 0:
            return worth * (0.2 if waiting else 1.0) * AHEAD ** (level - now)
        return worth * (LATER**waiting * AHEAD ** (level - now) if need > 0 else SPARE)

    def needed(self, level: int) -> int:
        """How many Spago the seat still has to win on a level."""
        costs = (*self.box.numbers.advance, self.box.numbers.smoke)
        here = level == self.at.level[self.seat - 1]
        return costs[level - 1] - (self.at.spago[self.seat - 1] if here else 1)

    def lay_for(self, rival: int, card: int, arc: str, level: int, placer: int) -> float:
        """A Limit on a rival's arc: a Spago for its challenger, or for its placer."""
        box, at = self.box, self.at
        now = at.level[rival - 1]
        if level < now:
            return 0.0
        most = gear(box, at, rival).eco_max
        eco = min(most, at.eco[rival - 1] + 1) if level == now else most
        bout = meet(box, at, rival, card, arc, placer)
        best = best_prospect(bout, eco, plain_eco(eco))
        gain = best.worth - eco_worth(eco) + (1 - best.chance) * bout.stakes.placer
        own = self.step(self.seat, 1) if placer == self.seat else 0.0
        worth = (1 - best.chance) * own - self.weigh(rival) * gain
        waiting = len(limits_on(at, arc))
        return worth * CROWDED**waiting * (0.4 if level > now else 1.0)

    def advance(self, move: Move) -> float:
        box, at, seat = self.box, self.at, self.seat
        most = gear(box, at, seat).eco_max
        return (
            standing(box, at, seat, level=1) - standing(box, at, seat) + self.kept[most] - self.kept[self.eco]
        )

    def stay(self, move: Move) -> float:
        return 0.0

    # Answers

    def part_with(self, move: Move) -> float:
        """A card that leaves the hand."""
        card = self.box.index.get(move.what[0], UNKNOWN)
        return -card_worth(self.box, self.at, self.seat, card) if card >= 0 else -ANY_CARD

    def drop(self, move: Move) -> float:
        box, at, seat = self.box, self.at, self.seat
        left = at.equip[seat - 1] & ~(1 << box.index[move.what[0]])
        return gear_worth(box, at.characters[seat - 1], left)

    def use(self, move: Move) -> float:
        """An offer is taken: a Turn Change stopped, a Charm spent, the Idol put away."""
        task = self.at.queue[0]
        if task.kind == "steady":
            return self.draw(self.at.draws, self.eco, True) - self.kept[self.eco]
        if task.kind == "charm" and self.at.fight:
            stakes = self.bout.stakes
            return -2 * stakes.lost - 0.3
        return -WORN if self.eco or not task.card else 0.5

    def decline(self, move: Move) -> float:
        return 0.0

    def shift(self, move: Move) -> float:
        limit = find_limit(self.at, int(move.what[0]))
        if limit is None or limit.card in (UNKNOWN, NO_CARD):
            return 0.0
        return self.lay(limit.card, move.what[1], limit.placer) - self.lay(
            limit.card, limit.arc, limit.placer
        )


_RATES: Mapping[str, Callable[[Mind, Move], float]] = {
    "pick": Mind.pick,
    "smoke": Mind.smoke,
    "explore": Mind.explore,
    "done": Mind.done,
    "equip": Mind.equip,
    "play": Mind.play,
    "look": Mind.look,
    "fight": Mind.fight,
    "spend": Mind.spend,
    "place": Mind.place,
    "advance": Mind.advance,
    "stay": Mind.stay,
    "discard": Mind.part_with,
    "give": Mind.part_with,
    "drop": Mind.drop,
    "use": Mind.use,
    "pass": Mind.decline,
    "move": Mind.shift,
}
