"""Positions and moves of Confini, the words for their parts, and the working copy that a move changes."""

from dataclasses import dataclass
from typing import NamedTuple

from tutor.rules.confini.cards import CENTRE, UNKNOWN, Box, Gear
from tutor.rules.confini.effects import Effect

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

DRAW, TAKE, GIVE, DROP, FIT, STEADY, OFFER, CHARM, LOOK, SHIFT = (
    "draw", "take", "give", "drop", "fit", "steady", "offer", "charm", "look", "shift",
)  # fmt: skip
DO, CLOSE, RECOVER, STACK, NEGATIVE, AWARD, FILE = (
    "do", "close", "recover", "stack", "negative", "award", "file",
)  # fmt: skip
BY_CHANCE = (DRAW, TAKE)
ANSWERS = {
    GIVE: ("give",), DROP: ("drop",), FIT: ("drop",), STEADY: ("use", "pass"), OFFER: ("use", "pass"),
    CHARM: ("use", "pass"), LOOK: ("look", "pass"), SHIFT: ("move", "pass"),
}  # fmt: skip
"""The choices that a player can be asked for, with the moves that answer them."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A Limit face down on an arc. `handle` is its public name; `seen` are the seats that know its face."""

    handle: int
    arc: str
    placer: int
    card: int
    seen: int


@dataclass(frozen=True, slots=True)
class Play:
    """A card on the stack of a fight."""

    seat: int
    card: int
    target: int = 0


class Fight(NamedTuple):
    """The fight under way. Against the Smoke `card` is UNKNOWN, `arc` empty and nobody the placer."""

    card: int
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
    turn: int = 0
    """Who may play a card or pass."""
    passes: int = 0
    used: int = 0
    """The seats that have played their one card for the Smoke."""
    rivals: int = 0
    eco_sum: int = 0
    revealed: tuple[int, ...] = ()

    @property
    def smoke(self) -> bool:
        return self.card == UNKNOWN


@dataclass(frozen=True, slots=True)
class Score:
    """The two sides of a fight, in their parts. The share of Eco of the Smoke is `eco_sum` / `rivals`."""

    challenger: int
    card: int
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

    @property
    def will(self) -> int:
        return self.eco + self.bonus + self.will_effects

    @property
    def whole(self) -> int:
        """The value without the share of Eco."""
        return self.base + self.arc + self.flaw + self.effects + self.limits


@dataclass(frozen=True, slots=True)
class Task:
    """Something that is still to happen: a draw, a choice, the rest of a card's effects."""

    kind: str
    seat: int = 0
    to: int = 0
    card: int = UNKNOWN
    effect: Effect | None = None
    handles: tuple[int, ...] = ()
    """The Limits that were looked at."""
    left: int = 0
    """How many more may be looked at."""

    @property
    def answers(self) -> tuple[str, ...]:
        """The moves that answer it; who plays a card to look at Limits looks at one at least."""
        return ("look",) if self.kind == LOOK and not self.handles else ANSWERS[self.kind]


class State(NamedTuple):
    """A position. Tuples are by seat, seat 1 first; sets of cards are bit masks.

    Draw decks have no order: which card comes is decided when it is drawn, by a chance move. It is a named
    tuple, as is Fight, because every move makes one, and that takes a quarter of a frozen dataclass's time.
    """

    phase: str
    active: int
    first: int
    round: int
    rolling: tuple[int, ...]
    """The seats that roll the die at the start."""
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
    limits: tuple[Limit, ...]
    draws: int
    """Explorer cards declared and not yet drawn."""
    steadied: bool
    """Whether the once-per-turn Ability was used in this turn."""
    looks: int
    held: int
    """The Limit that is drawn and not yet placed."""
    fight: Fight | None
    ending: bool
    """Whether the turn ends after this fight."""
    queue: tuple[Task, ...]
    last: Score | None
    """The last fight's result."""
    guard: int
    rounding: str


NO_CARD = -2
"""`held` while no Limit is to be placed; UNKNOWN is one that somebody else holds."""


class Table:
    """The working copy of a position while one move changes it. Never leaves `apply`."""

    __slots__ = (
        "active", "box", "characters", "deck", "discard", "draws", "eco", "ending", "equip", "fight", "filed",
        "first", "guard", "hand", "held", "kept", "last", "level", "limits", "looks", "phase", "piles",
        "queue", "rolling", "round", "rounding", "spago", "steadied", "supply",
    )  # fmt: skip

    def __init__(self, box: Box, state: State) -> None:
        self.box = box
        self.phase = state.phase
        self.active = state.active
        self.first = state.first
        self.round = state.round
        self.rolling = state.rolling
        self.characters = list(state.characters)
        self.level = list(state.level)
        self.eco = list(state.eco)
        self.spago = list(state.spago)
        self.hand = list(state.hand)
        self.equip = list(state.equip)
        self.kept = list(state.kept)
        self.supply = state.supply
        self.deck = state.deck
        self.discard = state.discard
        self.piles = list(state.piles)
        self.filed = list(state.filed)
        self.limits = state.limits
        self.draws = state.draws
        self.steadied = state.steadied
        self.looks = state.looks
        self.held = state.held
        self.fight = state.fight
        self.ending = state.ending
        self.queue = list(state.queue)
        self.last = state.last
        self.guard = state.guard
        self.rounding = state.rounding

    def freeze(self) -> State:
        return State(
            self.phase,
            self.active,
            self.first,
            self.round,
            self.rolling,
            tuple(self.characters),
            tuple(self.level),
            tuple(self.eco),
            tuple(self.spago),
            tuple(self.hand),
            tuple(self.equip),
            tuple(self.kept),
            self.supply,
            self.deck,
            self.discard,
            tuple(self.piles),
            tuple(self.filed),
            self.limits,
            self.draws,
            self.steadied,
            self.looks,
            self.held,
            self.fight,
            self.ending,
            tuple(self.queue),
            self.last,
            self.guard,
            self.rounding,
        )


Position = State | Table
"""Whatever can be looked at: a position, or one that is being changed."""


def gear(box: Box, at: Position, seat: int) -> Gear:
    return box.gear(at.characters[seat - 1], at.equip[seat - 1])


def living(at: Position) -> list[int]:
    return [seat for seat, level in enumerate(at.level, 1) if level]


def clockwise(at: Position, seat: int) -> list[int]:
    """The other living players, from the seat's left on."""
    return [other for other in _AROUND[len(at.level), seat] if at.level[other - 1]]


_AROUND = {
    (count, seat): tuple((seat + i - 1) % count + 1 for i in range(1, count))
    for count in range(2, 10)
    for seat in range(1, count + 1)
}


def own_arc(box: Box, at: Position, seat: int) -> str:
    """The arc that a pawn stands on; empty at the centre and for an eliminated player."""
    level = at.level[seat - 1]
    if not 0 < level < CENTRE or not at.characters[seat - 1]:
        return ""
    return f"{box.characters[at.characters[seat - 1]].quadrant}{level}"


def limits_on(at: Position, arc: str) -> list[Limit]:
    return [limit for limit in at.limits if limit.arc == arc]


def live_arcs(box: Box, at: Position) -> set[str]:
    """The arcs that some pawn stands on or can still reach; the others are dead."""
    arcs = set()
    for name, level in zip(at.characters, at.level, strict=True):
        if name and level:
            quadrant = box.characters[name].quadrant
            arcs |= {f"{quadrant}{n}" for n in range(level, CENTRE)}
    return arcs


def placer_of(at: Position) -> int:
    """The living opponent who placed the Limit of this fight; 0 for an own or ownerless one."""
    fight = at.fight
    if fight and fight.placer and fight.placer != at.active and at.level[fight.placer - 1]:
        return fight.placer
    return 0


def combatants(at: Position) -> list[int]:
    """Who may play cards in this fight, in the order of their rights."""
    fight = at.fight
    if fight is None:
        return []
    if fight.smoke:
        return [at.active, *clockwise(at, at.active)]
    if fight.placer == at.active:
        return [*clockwise(at, at.active), at.active]
    placer = placer_of(at)
    return [placer, at.active] if placer else [at.active]


def seat_names(seats: tuple[int, ...] | range) -> str:
    return ",".join(f"p{seat}" for seat in seats)


def seats_of(mask: int) -> tuple[int, ...]:
    return tuple(seat for seat in range(1, 10) if mask >> seat & 1)


def masks(at: Position) -> tuple[int, ...]:
    """All sets of cards: decks, discards, hands, Equipment and kept cards."""
    return (at.deck, at.discard, *at.piles, *at.filed, *at.hand, *at.equip, *at.kept)


def loose(at: Position) -> list[int]:
    """The cards that lie singly: on the board, in a fight, held, or being resolved."""
    cards = [limit.card for limit in at.limits]
    cards += [task.card for task in at.queue if task.kind in (CLOSE, STEADY)]
    if at.held != NO_CARD:
        cards.append(at.held)
    if at.fight:
        cards += [play.card for play in at.fight.stack]
        cards += at.fight.revealed
        if not at.fight.smoke:
            cards.append(at.fight.card)
    return cards
