"""Confini: the rules, for 2 to 4 players.

After the Italian rulebook of a contest in 2017, whose pictures and card list are lost. Where it is silent or
contradicts itself, the rulings in content/confini say what is played; cards and board are this project's own.
Draws are recorded chance moves that name the card, so nothing hidden is decided ahead.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any, ClassVar, Self

from tutor.games.confini.engine import (
    aftermath,
    faces,
    facts,
    moves,
    notation,
    position,
    scoring,
    turns,
    verdicts,
    views,
)
from tutor.games.confini.engine.board import CENTRE_OF_BOARD, OFF_BOARD, Box, read_box
from tutor.games.confini.engine.declarations import DEEDS, FAULTS, PARTS, RULES
from tutor.games.confini.engine.description import describe
from tutor.games.confini.engine.state import ANSWERS, DOWN, EXACT, PHASES, PICK, ROLL, State
from tutor.games.confini.engine.table import Table
from tutor.rules.base import Deed, Effect, Game, Move, Outcome, Rule, Value, Verdict
from tutor.rules.options import OneOf, Option, Seat, Several, Whole


class Confini(Game):
    """Confini over its box of cards."""

    id: ClassVar[str] = "confini"
    rules: ClassVar[Mapping[str, Rule]] = RULES
    deeds: ClassVar[Mapping[str, tuple[str, ...]]] = DEEDS
    faults: ClassVar[Mapping[str, tuple[str, ...]]] = FAULTS

    def __init__(self, box: Box) -> None:
        self.box = box
        self._moves = moves.Moves(box)

    @classmethod
    def from_files(cls, files: Mapping[str, str]) -> Self:
        return cls(read_box(files["cards.toml"], files["board.toml"]))

    @property
    def vocabulary(self) -> Mapping[str, Sequence[Value]]:
        designs = tuple(dict.fromkeys(card.design for card in self.box.cards))
        equipment = tuple(dict.fromkeys(card.design for card in self.box.cards if card.kind == "equipment"))
        abilities = tuple(one.ability for one in self.box.characters.values())
        return {
            **dict.fromkeys(("player", "active", "target", "challenger"), ("p1", "p2")),
            "placer": ("p2", "nobody"),
            "players": (("p1", "p2"),),
            "winners": (("p1",), ("p1", "p2")),
            "character": tuple(self.box.characters),
            "card": (*designs, *abilities, facts.HIDDEN),
            "old": equipment,
            "equipment": equipment,
            "dice": ("4, 6",),
            "arc": (*self.box.arcs, CENTRE_OF_BOARD, OFF_BOARD),
            "phase": PHASES,
            "window": ("window-combat", "window-explore", "window-both", "window-equip"),
            "choice": tuple(f"choice-{kind}" for kind in ANSWERS),
            "flaw": tuple(self.box.flaw_of.values()),
            "place": ("hand",),
            "part": PARTS,
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
        players, first, numbers = options["players"], options["first"], self.box.numbers
        characters = options["characters"] or ("",) * players
        nothing = (0,) * players
        table = Table(
            phase=PICK if first else ROLL,
            active=first,
            first=first,
            rolling=() if first else tuple(range(1, players + 1)),
            characters=characters,
            level=(1,) * players,
            eco=(numbers.eco,) * players,
            spago=nothing,
            hand=nothing,
            equip=nothing,
            kept=nothing,
            supply=numbers.spago,
            deck=self.box.homes[0],
            discard=0,
            piles=self.box.homes[1:],
            filed=(0,) * (len(self.box.homes) - 1),
            guard=options["guard"],
            rounding=options["rounding"],
        )
        table.box = self.box
        if first and all(characters):
            turns.begin_turn(table, first)
        return table.freeze()

    def agreed(self, state: State) -> dict[str, Any]:
        return {"players": len(state.level), "rounding": state.rounding, "guard": state.guard}

    def seats(self, state: State) -> int:
        return len(state.level)

    turn = staticmethod(moves.turn)

    # Moves

    def moves(self, state: State) -> Sequence[Move]:
        return self._moves.legal(state)

    def judge(self, state: State, move: Move) -> Verdict:
        return verdicts.judge(self.box, state, move)

    def play(self, state: State, move: Move) -> State:
        return turns.play(self.box, state, move)

    def canonical(self, state: State, move: Move) -> Sequence[Move]:
        """The move without the faces that it names."""
        return (faces.bare(move),)

    def chance(self, state: State, dice: Random) -> Move:
        return self._moves.chance(state, dice)

    def thinkable(self, state: State, seat: int) -> Sequence[Move]:
        return self._moves.thinkable(state, seat)

    # What a seat sees

    def view(self, state: State, seat: int) -> State:
        return views.view(self.box, state, seat)

    def seen_by(self, state: State, move: Move, seat: int) -> Move:
        return views.seen_by(self.box, state, move, seat)

    def redeal(self, state: State, seat: int, dice: Random) -> State:
        return views.redeal(self.box, state, seat, dice)

    # Telling

    def outcome(self, state: State) -> Outcome | None:
        return scoring.outcome(self.box, state)

    def facts(self, state: State) -> dict[str, Value]:
        return facts.facts(self.box, state)

    def effects(self, before: State, after: State) -> Sequence[Effect]:
        return tuple(aftermath.effects(before, after))

    def tell(self, state: State, move: Move) -> Deed:
        return facts.tell(self.box, state, move)

    def guessed(self, state: State, move: Move) -> bool:
        return verdicts.guessed(self.box, state, move)

    # Text

    def parse_move(self, text: str) -> Move:
        return notation.parse_move(self.box, text)

    def format_move(self, move: Move) -> str:
        return notation.format_move(move)

    def parse_position(self, text: str) -> State:
        return position.parse_position(self.box, text)

    def draft(self, text: str) -> State:
        return position.draft(self.box, text)

    def format_position(self, state: State) -> str:
        return notation.format_position(self.box, state)

    def describe(self) -> dict[str, Any]:
        return super().describe() | describe(self.box)
