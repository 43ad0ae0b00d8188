"""Positions of Confini: the fields of a position, the words for their values, and what can be read off it."""

from bisect import bisect_left
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple, NoReturn

from tutor.games.confini.engine.board import Box, Gear
from tutor.games.confini.engine.cards import CENTRE, HIDDEN, NO_CARD, UNKNOWN
from tutor.games.confini.engine.effects import Effect

ROLL, PICK = "roll", "pick"
START, EXPLORE, EQUIP = "start", "explore", "equip"
CHALLENGE, ECO, CARDS, RESULT = "challenge", "eco", "cards", "result"
PILE, PLACE, ADVANCE, HAND = "pile", "place", "advance", "hand"
REVEAL, OVER = "reveal", "over"
PHASES = (
    ROLL, PICK, START, EXPLORE, EQUIP, CHALLENGE, ECO, CARDS, RESULT,
    PILE, PLACE, ADVANCE, HAND, REVEAL, OVER,
)  # fmt: skip
FIGHTING = (ECO, CARDS, RESULT, REVEAL)

EXACT, DOWN = "exact", "down"
SMOKE = "smoke"
"""The kind of a fight against the Smoke; against a Limit it is LIMIT."""

DRAW, TAKE, UNCOVER = "draw", "take", "uncover"
GIVE, DROP, FIT, STEADY, OFFER, CHARM, LOOK, SHIFT = (
    "give", "drop", "fit", "steady", "offer", "charm", "look", "shift",
)  # fmt: skip
DO, CLOSE, RECOVER, STACK, NEGATIVE, AWARD, FILE = (
    "do", "close", "recover", "stack", "negative", "award", "file",
)  # fmt: skip
BY_CHANCE = (DRAW, TAKE, UNCOVER)
ANSWERS = {
    GIVE: ("give",), DROP: ("drop",), FIT: ("drop",), STEADY: ("use", "pass"), OFFER: ("use", "pass"),
    CHARM: ("use", "pass"), LOOK: ("look", "pass"), SHIFT: ("move", "pass"),
}  # fmt: skip
"""The choices that a player can be asked for, with the moves that answer them."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A Limit face down on an arc.

    `handle` is its public number, `seen` the seats that know its face. The pile that it came from, and so
    its value, is public too: everybody saw it being drawn.
    """

    handle: int
    arc: str
    placer: int
    card: int
    seen: int
    pile: int


class Play(NamedTuple):
    """A card on the stack of a fight."""

    seat: int
    card: int
    target: int = 0


class Fight(NamedTuple):
    """The fight under way: against a Limit, which has a card, an arc and a placer, or against the Smoke."""

    kind: str
    card: int = NO_CARD
    arc: str = ""
    placer: int = 0
    eco: int = 0
    """The Eco declared; removed at the end."""
    will: int = 0
    value: int = 0
    """What effects have changed so far."""
    silent: bool = False
    ignored: frozenset[str] = frozenset()
    stack: tuple[Play, ...] = ()
    eco_sum: int = 0
    """The Eco of the rivals when the Smoke was challenged."""
    revealed: tuple[int, ...] = ()
    turn: int = 0
    """Who may play a card or pass."""

    @property
    def smoke(self) -> bool:
        return self.kind == SMOKE

    # Much quicker than `_replace`, whose work this is:

    def asking(self, seat: int) -> "Fight":
        """The same fight with another to play a card or pass."""
        return tuple.__new__(Fight, (*self[:-1], seat))

    def declaring(self, eco: int) -> "Fight":
        return tuple.__new__(Fight, (*self[:4], eco, *self[5:]))

    def stacking(self, stack: tuple[Play, ...]) -> "Fight":
        return tuple.__new__(Fight, (*self[:9], stack, *self[10:]))


class Score(NamedTuple):
    """The two sides of a fight, in their parts. The share of Eco of the Smoke is `eco_sum` / `rivals`."""

    kind: str
    challenger: int
    card: int
    """UNKNOWN against the Smoke, which has none."""
    eco: int
    bonus: int
    will_effects: int
    base: int
    arc: int
    flaw: int
    effects: int
    limits: int = 0
    eco_sum: int = 0
    rivals: int = 0
    won: bool = False

    def decided(self, won: bool) -> "Score":
        return tuple.__new__(Score, (*self[:-1], won))

    @property
    def will(self) -> int:
        return self.eco + self.bonus + self.will_effects

    @property
    def whole(self) -> int:
        """The value without the share of Eco."""
        return self.base + self.arc + self.flaw + self.effects + self.limits


class Task(NamedTuple):
    """Something that is still to happen: a draw, a choice, the rest of a card's effects."""

    kind: str
    seat: int = 0
    to: int = 0
    card: int = NO_CARD
    effect: Effect | None = None
    handles: tuple[int, ...] = ()
    """The Limits that were looked at, or the one that is turned up."""
    left: int = 0
    """How many more may be looked at."""

    @property
    def answers(self) -> tuple[str, ...]:
        """The moves that answer it; who plays a card to look at Limits looks at one at least."""
        return ("look",) if self.kind == LOOK and not self.handles else ANSWERS[self.kind]


@dataclass(eq=False)
class Position:
    """Whatever can be looked at: a position, or a working copy. Tuples are by seat, seat 1 first.

    Sets of cards are bit masks. Draw decks have no order: which card comes is decided when it is drawn, by a
    chance move.
    """

    phase: str
    active: int
    first: int
    characters: tuple[str, ...]
    level: tuple[int, ...]
    """1 to 4, 5 for the centre, 0 for an eliminated player."""
    eco: tuple[int, ...]
    spago: tuple[int, ...]
    hand: tuple[int, ...]
    equip: tuple[int, ...]
    kept: tuple[int, ...]
    supply: int
    """Spago in the supply."""
    deck: int
    discard: int
    piles: tuple[int, ...]
    filed: tuple[int, ...]
    """The discards of the Smoke piles."""
    guard: int
    rounding: str
    round: int = 1
    rolling: tuple[int, ...] = ()
    """The seats that roll the die at the start."""
    limits: tuple[Limit, ...] = ()
    draws: int = 0
    """Explorer cards declared and not yet drawn."""
    steadied: bool = False
    """Whether the once-per-turn Ability was used in this turn."""
    looks: int = 0
    held: int = NO_CARD
    """The Limit that is drawn and not yet placed; UNKNOWN if somebody else holds it."""
    fight: Fight | None = None
    ending: bool = False
    """Whether the turn ends after this fight."""
    queue: tuple[Task, ...] = ()
    last: Score | None = None
    """The last fight's result."""


class State(Position):
    """A position that nothing can change. It is made by `Table.freeze`."""

    __slots__ = ("box",)  # laid out like a Table, which becomes one

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"{name} of a position cannot be changed")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))


def gear(box: Box, at: Position, seat: int) -> Gear:
    return box.gear(at.characters[seat - 1], at.equip[seat - 1])


# Players


def living(at: Position) -> list[int]:
    return [seat for seat, level in enumerate(at.level, 1) if level]


def clockwise(at: Position, seat: int) -> tuple[int, ...]:
    """The other living players, from the seat's left on."""
    around = _AROUND[len(at.level), seat]
    if 0 not in at.level:
        return around
    return tuple(other for other in around if at.level[other - 1])


_AROUND = {
    (count, seat): tuple((seat + i - 1) % count + 1 for i in range(1, count))
    for count in range(2, 10)
    for seat in range(1, count + 1)
}


def seat_names(seats: tuple[int, ...] | range) -> str:
    return ",".join(f"p{seat}" for seat in seats)


def seats_of(mask: int) -> tuple[int, ...]:
    return tuple(seat for seat in range(1, 10) if mask >> seat & 1)


def can_advance(box: Box, at: Position, seat: int) -> bool:
    level = at.level[seat - 1]
    return level < len(at.piles) and at.spago[seat - 1] >= box.numbers.advance[level - 1]


def too_many(box: Box, at: Position, seat: int) -> int:
    """How many cards of the hand are over the limit; nobody checks an eliminated player's."""
    hand = at.hand[seat - 1]
    if not hand or not at.level[seat - 1]:
        return 0
    return max(0, hand.bit_count() - gear(box, at, seat).hand_limit)


def slots_with(box: Box, at: Position, seat: int, card: int) -> int:
    """How many Equipment cards may be active once this one is, too."""
    return gear(box, at, seat).slots + box.slot_gains[card]


def cannot_cut(box: Box, at: Position, victim: int) -> str:
    """The rule that keeps a player's Spago from being cut; empty if nothing does."""
    if at.spago[victim - 1] < 2:
        return "confini.cut.last"
    return "confini.cut.rope" if "cut" in gear(box, at, victim).ignores else ""


# The board


def own_arc(box: Box, at: Position, seat: int) -> str:
    """The arc that a pawn stands on; empty at the centre and for an eliminated player."""
    return box.arcs_of[at.characters[seat - 1]][at.level[seat - 1]]


def limits_on(at: Position, arc: str) -> list[Limit]:
    return [limit for limit in at.limits if limit.arc == arc]


def find_place(at: Position, handle: int) -> int:
    """The index of a Limit that is there; they lie in the order of their handles."""
    return bisect_left(at.limits, handle, key=attrgetter("handle"))


def find_limit(at: Position, handle: int) -> Limit | None:
    return next((limit for limit in at.limits if limit.handle == handle), None)


def live_arcs(box: Box, at: Position) -> set[str]:
    """The arcs that some pawn stands on or can still reach; the others are dead."""
    return {
        arc
        for name, level in zip(at.characters, at.level, strict=True)
        if name and level
        for arc in box.arcs_of[name][level:CENTRE]
    }


# Fights


def placer_of(at: Position) -> int:
    """The living opponent who placed the Limit of this fight; 0 for an own or ownerless one."""
    fight = at.fight
    if fight and fight.placer and fight.placer != at.active and at.level[fight.placer - 1]:
        return fight.placer
    return 0


def combatants(at: Position, fight: Fight) -> tuple[int, ...]:
    """Who may play cards in this fight, in the order of their rights."""
    active, placer = at.active, fight.placer
    if fight.kind == SMOKE:
        return (active, *clockwise(at, active))
    if placer == active:
        return (*clockwise(at, active), active)
    return (placer, active) if at.level[placer - 1] else (active,)


def is_decided(at: Position) -> bool:
    """Whether the fight under way has been compared: what is left is what follows from it."""
    return at.phase == RESULT and all(task.kind != STACK for task in at.queue)


def has_had_a_card(at: Position, fight: Fight, seat: int) -> bool:
    """Whether a rival has played the one card for the Smoke."""
    return fight.kind == SMOKE and seat != at.active and any(play.seat == seat for play in fight.stack)


# Where cards lie


def card_sets(at: Position) -> tuple[int, ...]:
    """All sets of cards: decks, discards, hands, Equipment and kept cards."""
    return (at.deck, at.discard, *at.piles, *at.filed, *at.hand, *at.equip, *at.kept)


def single_cards(at: Position) -> list[int]:
    """The cards that lie singly: on the board, in a fight, held, or being resolved."""
    cards = [limit.card for limit in at.limits]
    cards += [task.card for task in at.queue if task.kind in (CLOSE, STEADY)]
    if at.held != NO_CARD:
        cards.append(at.held)
    if at.fight:
        cards += [play.card for play in at.fight.stack]
        cards += at.fight.revealed
        if at.fight.card != NO_CARD:
            cards.append(at.fight.card)
    return cards


def is_view(at: Position) -> bool:
    """Whether the face of some card is not known. Then no card of a deck or pile is, either."""
    return max(card_sets(at)) >= 1 << HIDDEN or UNKNOWN in single_cards(at)
