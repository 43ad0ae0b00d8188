"""Confini: the rules, for 2 to 4 players.

After the Italian rulebook of a contest in 2017, whose pictures and card list are lost. Where it is silent or
contradicts itself, the rulings in content/confini say what is played; cards and board are this project's own.
Draws are recorded chance moves that name the card, so nothing hidden is decided ahead.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

from tutor.rules.base import Deed, Game, Move, Outcome, Rule, Value, Verdict, refuse
from tutor.rules.confini import combat, deal, flow, judging, listing, notation, position, telling
from tutor.rules.confini.cards import UNKNOWN, Box, read_box
from tutor.rules.confini.declared import DEEDS, RULES
from tutor.rules.confini.description import describe
from tutor.rules.confini.state import (
    ANSWERS,
    DOWN,
    EXACT,
    EXPLORE,
    HAND,
    LOOK,
    NO_CARD,
    OVER,
    PHASES,
    PICK,
    ROLL,
    Play,
    State,
    Table,
)
from tutor.rules.options import OneOf, Option, Seat, Several, Whole


class Confini(Game):
    """Confini over its box of cards."""

    id: ClassVar[str] = "confini"
    rules: ClassVar[Mapping[str, Rule]] = RULES
    deeds: ClassVar[Mapping[str, tuple[str, ...]]] = DEEDS
    faults: ClassVar[Mapping[str, tuple[str, ...]]] = position.FAULTS

    def __init__(self, box: Box) -> None:
        self.box = box

    @classmethod
    def from_files(cls, files: Mapping[str, str]) -> Self:
        return cls(read_box(files["cards.toml"], files["board.toml"]))

    @property
    def vocabulary(self) -> Mapping[str, Sequence[Value]]:
        designs = tuple(dict.fromkeys(card.design for card in self.box.cards))
        equipment = tuple(d for d in designs if d.startswith("EQ"))
        abilities = tuple(one.ability for one in self.box.characters.values())
        return {
            **dict.fromkeys(("player", "active", "target", "challenger"), ("p1", "p2")),
            "placer": ("p2", "nobody"),
            "players": (("p1", "p2"),),
            "winners": (("p1",), ("p1", "p2")),
            "character": tuple(self.box.characters),
            "card": (*designs, *abilities),
            "old": equipment,
            "equipment": equipment,
            "dice": ("4, 6",),
            "arc": self.box.arcs,
            "phase": PHASES,
            "window": ("window-combat", "window-explore", "window-equip"),
            "choice": tuple(f"choice-{kind}" for kind in ANSWERS),
            "flaw": tuple(self.box.flaw_of.values()),
            "place": ("hand",),
        }

    # Set-up and turn

    @cached_property
    def options(self) -> Mapping[str, Option]:
        characters = tuple(self.box.characters)
        most = len(characters)
        return {
            "players": Whole(2, most, most),
            "characters": Several(
                characters, "the character of each seat; without it they are picked", optional=True
            ),
            "first": Seat(most, "the seat that picks first and begins; 0, the default, rolls for it"),
            "rounding": OneOf((EXACT, DOWN), "the value of the Smoke"),
            "guard": Whole(
                0,
                999,
                self.box.numbers.guard,
                "rounds after which the living are ranked; 0 for no guard",
                tries=(3,),
            ),
        }

    def begin(self, **options: Any) -> State:
        first, guard, rounding = options["first"], options["guard"], options["rounding"]
        characters = options["characters"] or ("",) * options["players"]
        table = Table(self.box, self._fresh(characters, first, rounding, guard))
        if first and all(characters):
            flow.begin(table, first)
        return table.freeze()

    def agreed(self, state: State) -> dict[str, Any]:
        return {"players": len(state.level), "rounding": state.rounding, "guard": state.guard}

    def _fresh(self, characters: tuple[str, ...], first: int, rounding: str, guard: int) -> State:
        players, numbers = len(characters), self.box.numbers
        none = (0,) * players
        return State(
            phase=PICK if first else ROLL,
            active=first,
            first=first,
            round=1,
            rolling=() if first else tuple(range(1, players + 1)),
            characters=characters,
            level=(1,) * players,
            eco=(numbers.eco,) * players,
            spago=none,
            hand=none,
            equip=none,
            kept=none,
            supply=numbers.spago,
            deck=self.box.homes[0],
            discard=0,
            piles=self.box.homes[1:],
            filed=(0,) * (len(self.box.homes) - 1),
            limits=(),
            draws=0,
            steadied=False,
            looks=0,
            held=NO_CARD,
            fight=None,
            ending=False,
            queue=(),
            last=None,
            guard=guard,
            rounding=rounding,
        )

    def seats(self, state: State) -> int:
        return len(state.level)

    def turn(self, state: State) -> tuple[int, ...]:
        return listing.turn(state)

    def view(self, state: State, seat: int) -> State:
        return telling.view(state, seat)

    def seen_by(self, state: State, move: Move, seat: int) -> Move:
        """The move as that seat sees it: a hidden card is `?`. Such a move can be told, not played."""
        return telling.seen_by(self.box, state, move, seat)

    # Moves

    def moves(self, state: State) -> Sequence[Move]:
        return listing.moves(self.box, state)

    def judge(self, state: State, move: Move) -> Verdict:
        if state.phase == OVER:
            ended = self.outcome(state)
            winners = ended.winners if ended else ()
            return refuse("confini.end.over", winners=tuple(f"p{seat}" for seat in winners))
        return judging.judge(self.box, state, move)

    def play(self, state: State, move: Move) -> State:
        table = Table(self.box, state)
        _APPLY[move.act](table, move)
        flow.run(table)
        return table.freeze()

    # Telling

    def outcome(self, state: State) -> Outcome | None:
        return telling.outcome(self.box, state)

    def facts(self, state: State) -> dict[str, Value]:
        return telling.facts(self.box, state)

    def tell(self, state: State, move: Move) -> Deed:
        return telling.tell(self.box, state, move)

    # Text

    def parse_move(self, text: str) -> Move:
        return notation.parse_move(self.box, text)

    def format_move(self, move: Move) -> str:
        return notation.format_move(move)

    def parse_position(self, text: str) -> State:
        return position.parse_position(self.box, text)

    def format_position(self, state: State) -> str:
        return position.format_position(self.box, state)

    def describe(self) -> dict[str, Any]:
        return super().describe() | describe(self.box)


# What each move does to the table. The moves are legal here.


def _card(t: Table, move: Move) -> int:
    return t.box.index[move.what[0]]


def _draw(t: Table, move: Move) -> None:
    card = _card(t, move)
    if t.queue:
        flow.free_draw(t, card)
    elif t.phase == EXPLORE:
        flow.buy(t, card)
    else:
        flow.from_pile(t, card)


def _play(t: Table, move: Move) -> None:
    target = int(move.what[1][1:]) if len(move.what) > 1 else 0
    if t.fight:
        combat.put(t, t.fight, Play(move.seat, _card(t, move), target))
    else:
        named = t.box.index[move.what[2]] if len(move.what) > 2 else UNKNOWN
        flow.play(t, _card(t, move), target, named)


def _equip(t: Table, move: Move) -> None:
    flow.equip(t, _card(t, move), t.box.index[move.what[1]] if len(move.what) > 1 else None)


def _look(t: Table, move: Move) -> None:
    if t.queue and t.queue[0].kind == LOOK:
        deal.look(t, int(move.what[0]))
    else:
        t.looks -= 1
        deal.show(t, move.seat, [int(move.what[0])])


def _spend(t: Table, move: Move) -> None:
    if t.fight:
        combat.declare(t, t.fight, int(move.what[0]))


def _pass(t: Table, move: Move) -> None:
    if t.queue:
        flow.decline(t)
    elif t.fight:
        combat.let_pass(t, t.fight)


def _move_limit(t: Table, move: Move) -> None:
    t.queue.pop(0)
    flow.shift(t, int(move.what[0]), move.what[1])


def _reveal(t: Table, move: Move) -> None:
    if t.fight:
        combat.uncover(t, t.fight, _card(t, move))


def _stay(t: Table, move: Move) -> None:
    t.phase = HAND


_APPLY: Mapping[str, Callable[[Table, Move], None]] = {
    "dice": lambda t, move: flow.rolled(t, tuple(map(int, move.what))),
    "draw": _draw,
    "take": lambda t, move: flow.hand_over(t, _card(t, move)),
    "reveal": _reveal,
    "pick": lambda t, move: flow.pick(t, move.seat, move.what[0]),
    "smoke": lambda t, move: combat.defy(t),
    "explore": lambda t, move: flow.explore(t, int(move.what[0])),
    "play": _play,
    "equip": _equip,
    "done": lambda t, move: combat.enter(t),
    "look": _look,
    "fight": lambda t, move: combat.reveal(t, int(move.what[0])),
    "spend": _spend,
    "pass": _pass,
    "use": lambda t, move: flow.use(t, move.what[0]),
    "give": lambda t, move: flow.hand_over(t, _card(t, move)),
    "drop": lambda t, move: flow.drop(t, _card(t, move)),
    "discard": lambda t, move: deal.pass_card(t, _card(t, move), move.seat, deal.NOBODY),
    "move": _move_limit,
    "place": lambda t, move: flow.place(t, move.what[0]),
    "advance": lambda t, move: flow.advance(t),
    "stay": _stay,
}
