"""Who may act, the legal moves in their canonical forms, what chance does, what comes to a player's mind."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import product
from random import Random

from tutor.games.confini.engine.answers import HIDDEN_CARD, draw_source, offers
from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import EQUIPMENT, EXPLORER, NO_CARD, bits, hidden_in, known_in
from tutor.games.confini.engine.faces import may_come, may_hold, unseen
from tutor.games.confini.engine.state import (
    ADVANCE,
    BY_CHANCE,
    CARDS,
    CHALLENGE,
    CHARM,
    DRAW,
    ECO,
    EQUIP,
    EXPLORE,
    GIVE,
    HAND,
    LOOK,
    OFFER,
    OVER,
    PICK,
    PILE,
    PLACE,
    REVEAL,
    ROLL,
    SHIFT,
    START,
    STEADY,
    TAKE,
    UNCOVER,
    State,
    Task,
    can_advance,
    cannot_cut,
    clockwise,
    find_limit,
    gear,
    limits_on,
    own_arc,
)
from tutor.games.confini.engine.views import deal
from tutor.rules.base import CHANCE, Move

OUTFITS = 4096
"""So many ways to equip are remembered."""
THINKABLE = 60
"""About so many moves come to mind."""


def turn(state: State) -> tuple[int, ...]:
    if state.queue:
        task = state.queue[0]
        return _SEATS[CHANCE] if task.kind in BY_CHANCE else _SEATS[task.seat]
    if state.phase in _CHANCE_PHASES:
        return _SEATS[CHANCE]
    if state.phase == CARDS and state.fight:
        return _SEATS[state.fight.turn]
    return () if state.phase == OVER else _SEATS[state.active]


_SEATS = tuple((seat,) for seat in range(10))
_CHANCE_PHASES = (EXPLORE, PILE, REVEAL, ROLL)
_NAMES = tuple(f"p{seat}" for seat in range(10))

move = cache(Move)
"""Moves are few and asked for often: each is made once."""


class Moves:
    """The legal moves of every position. Moves with one card or number are made ahead, by seat."""

    def __init__(self, box: Box) -> None:
        self.box = box
        ids = [card.id for card in box.cards]
        seats = range(len(box.characters) + 1)
        self._with_card = {
            (seat, act): tuple(Move(seat, act, (name,)) for name in ids)
            for seat in seats
            for act in (_CHANCE_CARDS if seat == CHANCE else _PLAYER_CARDS)
        }
        self._explore = [_number_moves(seat, "explore", box.numbers.draws) for seat in seats]
        self._spend = [_number_moves(seat, "spend", _MOST_ECO) for seat in seats]
        handles = box.limits.bit_count()
        self._look = [_number_moves(seat, "look", handles) for seat in seats]
        self._fight = [_number_moves(seat, "fight", handles) for seat in seats]
        self._place = [tuple(Move(seat, "place", (arc,)) for arc in box.arcs) for seat in seats]
        self._homes = [tuple(bits(home)) for home in box.homes]
        self._outfits = lru_cache(OUTFITS)(self._list_outfits)
        self._smoke_cards = tuple(bits(sum(box.homes[1:])))

    def legal(self, state: State) -> Sequence[Move]:
        if state.queue:
            return self._answers(state, state.queue[0])
        found = _PHASES.get(state.phase)
        return found(self, state) if found else ()

    # By phase

    def _roll(self, state: State) -> Sequence[Move]:
        return _throws(len(state.rolling))

    def _pick(self, state: State) -> Sequence[Move]:
        free = [name for name in self.box.characters if name not in state.characters]
        return [move(state.active, "pick", (name,)) for name in free]

    def _start(self, state: State) -> Sequence[Move]:
        seat = state.active
        found = self._explore[seat][: state.eco[seat - 1] + 1]
        if state.level[seat - 1] == len(state.piles) and state.spago[seat - 1] >= self.box.numbers.smoke:
            return (*found, move(seat, "smoke"))
        return found

    def _equip(self, state: State) -> Sequence[Move]:
        box, seat = self.box, state.active
        hand, worn = may_hold(box, state, seat), state.equip[seat - 1]
        found = [move(seat, "done")]
        if plays := hand & box.playable["play_explore"]:
            found += self._plays(state, seat, plays, "play_explore")
        if equipment := hand & box.equipment:
            found += self._outfits(seat, equipment, worn, gear(box, state, seat).slots)
        return found

    def _list_outfits(self, seat: int, equipment: int, worn: int, slots: int) -> list[Move]:
        """Each Equipment of the hand in a free slot, and in place of each that is active."""
        box, found = self.box, []
        for i in bits(equipment):
            equip = self._with_card[seat, "equip"][i]
            if worn.bit_count() < slots + box.slot_gains[i]:
                found.append(equip)
            for old in bits(worn):
                found.append(move(seat, "equip", (equip.what[0], box.cards[old].id)))
        return found

    def _challenge(self, state: State) -> Sequence[Move]:
        seat = state.active
        here = limits_on(state, own_arc(self.box, state, seat))
        looks = [self._look[seat][limit.handle] for limit in here] if state.looks else []
        return looks + [self._fight[seat][limit.handle] for limit in here]

    def _eco(self, state: State) -> Sequence[Move]:
        return self._spend[state.active][: state.eco[state.active - 1] + 1]

    def _cards(self, state: State) -> Sequence[Move]:
        seat = state.fight.turn if state.fight else 0
        found = [move(seat, "pass")]
        if plays := may_hold(self.box, state, seat) & self.box.playable["play_combat"]:
            found += self._plays(state, seat, plays, "play_combat")
        return found

    def _plays(self, state: State, seat: int, cards: int, trigger: str) -> list[Move]:
        """The cards that may be played, with each of their legal targets."""
        aims_of, names = self.box.aims[trigger], self._with_card[seat, "play"]
        found: list[Move] = []
        for i in bits(cards):
            aims = aims_of[i]
            if not aims:
                found.append(names[i])
            elif ("stack" in aims and not (state.fight and state.fight.stack)) or (
                "limits" in aims and not state.limits
            ):
                continue
            elif "opponent" in aims:
                what = names[i].what
                found += [move(seat, "play", what + words) for words in self._targets(state, seat, aims)]
            else:
                found.append(names[i])
        return found

    def _targets(self, state: State, seat: int, aims: frozenset[str]) -> list[tuple[str, ...]]:
        """The opponents that a card may be played against, and the Equipment that it may take from them."""
        box, others = self.box, clockwise(state, seat)
        if "spago" in aims:
            others = tuple(other for other in others if not cannot_cut(box, state, other))
        if "hand" in aims:
            others = tuple(other for other in others if state.hand[other - 1])
        if "equipment" not in aims:
            return [(_NAMES[other],) for other in others]
        return [
            (_NAMES[other], box.cards[worn].id) for other in others for worn in bits(state.equip[other - 1])
        ]

    def _placing(self, state: State) -> Sequence[Move]:
        return self._place[state.active]

    def _advance(self, state: State) -> Sequence[Move]:
        seat = state.active
        return (move(seat, "advance"), move(seat, "stay")) if can_advance(self.box, state, seat) else ()

    def _hand(self, state: State) -> Sequence[Move]:
        return self._some(state.active, "discard", may_hold(self.box, state, state.active))

    def _draw(self, state: State) -> Sequence[Move]:
        home = draw_source(state)
        return () if home is None else self._draws(state, home)

    def _draws(self, state: State, home: int) -> Sequence[Move]:
        there = may_come(self.box, state, home)
        found = self._some(CHANCE, "draw", there)
        deck = state.piles[home - 1] if home else state.deck
        if hidden_in(deck) and there & self.box.can_hide:
            found.append(move(CHANCE, "draw", (HIDDEN_CARD,)))
        return found

    def _reveal(self, state: State) -> Sequence[Move]:
        there = 0
        for home in range(1, len(state.piles) + 1):
            there |= may_come(self.box, state, home)
        return self._some(CHANCE, "reveal", there)

    def _some(self, seat: int, act: str, cards: int) -> list[Move]:
        with_card = self._with_card[seat, act]
        return [with_card[i] for i in bits(cards)]

    # What somebody is asked for

    def _answers(self, state: State, task: Task) -> Sequence[Move]:
        seat = task.seat
        if task.kind == DRAW:
            return self._draws(state, EXPLORER)
        if task.kind == UNCOVER:
            limit = find_limit(state, task.handles[0])
            cards = unseen(self.box, state, limit.pile) & self.box.limits if limit else 0
            return self._some(CHANCE, "reveal", cards)
        if task.kind in (TAKE, GIVE):
            giver, act = (CHANCE, "take") if task.kind == TAKE else (seat, "give")
            found = self._some(giver, act, may_hold(self.box, state, seat))
            unknown = task.to and hidden_in(state.hand[seat - 1])
            return [*found, move(giver, act, (HIDDEN_CARD,))] if unknown else found
        found = self._choices(state, task)
        return [*found, move(seat, "pass")] if "pass" in task.answers else found

    def _choices(self, state: State, task: Task) -> list[Move]:
        seat = task.seat
        if task.kind in (STEADY, OFFER, CHARM):
            return [move(seat, "use", (name,)) for name in offers(self.box, state, task)]
        if task.kind == LOOK:
            looks = self._look[seat]
            return [looks[limit.handle] for limit in state.limits if limit.handle not in task.handles]
        if task.kind == SHIFT:
            return [
                one
                for limit in state.limits
                if limit.handle in task.handles
                for one in _shifts(seat, limit.handle, self.box.arcs)
                if one.what[1] != limit.arc
            ]
        return self._some(seat, "drop", state.equip[seat - 1])

    # Chance

    def chance(self, state: State, dice: Random) -> Move:
        """Every card of a deck, pile or hand is as likely as any other."""
        home = draw_source(state)
        if home is not None:
            act, deck, cards = "draw", state.piles[home - 1] if home else state.deck, self._homes[home]
        elif state.phase == REVEAL:
            act, deck, cards = "reveal", sum(state.piles), self._smoke_cards
        elif state.queue and state.queue[0].kind == TAKE:
            act, deck, cards = "take", state.hand[state.queue[0].seat - 1], self._homes[EXPLORER]
        else:
            return dice.choice(self.legal(state))
        if hidden_in(deck):
            return self.chance(deal(self.box, state, dice), dice)
        return self._with_card[CHANCE, act][_any_of(deck, cards, dice)]

    # What comes to mind

    def thinkable(self, state: State, seat: int) -> Sequence[Move]:
        """The legal moves, then others until there are enough: of each kind, right or wrong."""
        if state.phase == ROLL:
            return [move(seat, "pick", (name,)) for name in self.box.characters]
        found = dict.fromkeys(one for one in self.legal(state) if one.seat == seat)
        for one in self._ideas(state, seat):
            if len(found) >= THINKABLE:
                break
            found.setdefault(one)
        return list(found)

    def _ideas(self, state: State, seat: int) -> Iterator[Move]:
        box, eco = self.box, state.eco[seat - 1]
        for name in box.characters:
            if state.phase == PICK or name == state.characters[seat - 1]:
                yield move(seat, "pick", (name,))
                yield move(seat, "use", (name,))
        for act in ("smoke", "done", "pass", "advance", "stay"):
            yield move(seat, act)
        for i in bits(known_in(state.hand[seat - 1])):
            yield from self._uses_of_card(state, seat, i)
        for n in range(box.numbers.draws + 2):
            yield move(seat, "explore", (str(n),))
        for n in (eco, eco + 1):
            yield move(seat, "spend", (str(n),))
        yield move(seat, "place", (own_arc(box, state, seat) or box.arcs[0],))
        yield from self._ideas_with_limits(state, seat)
        yield from self._ideas_with_cards(state, seat)

    def _uses_of_card(self, state: State, seat: int, i: int) -> Iterator[Move]:
        """What a card in hand is for: to be activated, or played, against whom it may be."""
        card = self.box.cards[i]
        if card.kind == EQUIPMENT:
            yield move(seat, "equip", (card.id,))
        elif any("opponent" in aims[i] for aims in self.box.aims.values()):
            for other in clockwise(state, seat):
                yield move(seat, "play", (card.id, _NAMES[other]))
        else:
            yield move(seat, "play", (card.id,))

    def _ideas_with_limits(self, state: State, seat: int) -> Iterator[Move]:
        """One Limit of the own arc, one elsewhere, and one that is not there."""
        arc = own_arc(self.box, state, seat)
        here = [limit.handle for limit in state.limits if limit.arc == arc][:1]
        elsewhere = [limit.handle for limit in state.limits if limit.arc != arc][:1]
        for handle in (*here, *elsewhere, len(state.limits) + 1):
            yield move(seat, "fight", (str(handle),))
            yield move(seat, "look", (str(handle),))
            yield move(seat, "move", (str(handle), arc or self.box.arcs[0]))

    def _ideas_with_cards(self, state: State, seat: int) -> Iterator[Move]:
        """Each card of the hand in every way, and one that is not in the hand."""
        cards, others = self.box.cards, clockwise(state, seat)
        hand, worn, kept = ([*bits(owned[seat - 1])] for owned in (state.hand, state.equip, state.kept))
        foreign = next((i for i in range(len(cards)) if i not in hand), NO_CARD)
        for i in (*hand, foreign):
            name = cards[i].id
            yield move(seat, "play", (name,))
            for other in others:
                yield move(seat, "play", (name, _NAMES[other]))
            for act in ("equip", "discard", "give"):
                yield move(seat, act, (name,))
            for old in worn[:1]:
                yield move(seat, "equip", (name, cards[old].id))
        for i in (*worn, *kept):
            yield move(seat, "drop", (cards[i].id,))
            yield move(seat, "use", (cards[i].id,))


_CHANCE_CARDS = ("draw", "take", "reveal")
_PLAYER_CARDS = ("play", "equip", "discard", "give", "drop")
_MOST_ECO = 60


def _number_moves(seat: int, act: str, most: int) -> tuple[Move, ...]:
    return tuple(Move(seat, act, (str(n),)) for n in range(most + 1))


@cache
def _shifts(seat: int, handle: int, arcs: tuple[str, ...]) -> tuple[Move, ...]:
    return tuple(Move(seat, "move", (str(handle), arc)) for arc in arcs)


@cache
def _throws(count: int) -> tuple[Move, ...]:
    return tuple(Move(CHANCE, "dice", faces) for faces in product("123456", repeat=count))


def _any_of(cards: int, home: Sequence[int], dice: Random) -> int:
    """A card of the set at random. Trying is quick while the set has a good part of its home."""
    count = len(home)
    for _ in range(8):
        card = home[int(dice.random() * count)]
        if cards >> card & 1:
            return card
    return dice.choice([*bits(cards)])


_PHASES: Mapping[str, Callable[[Moves, State], Sequence[Move]]] = {
    ROLL: Moves._roll,
    PICK: Moves._pick,
    START: Moves._start,
    EXPLORE: Moves._draw,
    EQUIP: Moves._equip,
    CHALLENGE: Moves._challenge,
    ECO: Moves._eco,
    CARDS: Moves._cards,
    PILE: Moves._draw,
    PLACE: Moves._placing,
    ADVANCE: Moves._advance,
    HAND: Moves._hand,
    REVEAL: Moves._reveal,
}
