"""The Border: the rules, for 2 to 4 players.

After the printed Italian, Polish and Spanish rulebooks; where they are silent or differ, the rulings in
content/border say what is played. Rolls are recorded chance moves. In the second action the inactive
players act in any order; the result does not depend on it, since an area counts as taken only from the end
of the action in which somebody completed it.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

from tutor.games.border.engine import facts, moves, notation, scoring
from tutor.games.border.engine.board import COLOURS, Box, read_box
from tutor.games.border.engine.declarations import DEEDS, FAULTS, RULES
from tutor.games.border.engine.description import describe
from tutor.games.border.engine.position import draft, parse_position
from tutor.games.border.engine.state import PHASES, ROLL, START, State
from tutor.games.border.engine.turns import play
from tutor.games.border.engine.verdicts import judge
from tutor.rules.base import Deed, Effect, Game, Move, Outcome, Rule, Value, Verdict
from tutor.rules.errors import Typed
from tutor.rules.options import Option, Seat, Several, Whole


class Border(Game):
    """The Border over four boards."""

    id: ClassVar[str] = "border"
    rules: ClassVar[Mapping[str, Rule]] = RULES
    deeds: ClassVar[Mapping[str, tuple[str, ...]]] = DEEDS
    faults: ClassVar[Mapping[str, tuple[str, ...]]] = FAULTS

    def __init__(self, box: Box) -> None:
        self.box = box
        self.geometry = box.geometry
        self.boards = box.boards
        self._moves = moves.Moves(box)

    @classmethod
    def from_files(cls, files: Mapping[str, str]) -> Self:
        return cls(read_box(files))

    @property
    def vocabulary(self) -> Mapping[str, Sequence[Value]]:
        colours = tuple(COLOURS.values())
        return {
            "player": ("p1", "p2"),
            "active": ("p2",),
            "winners": (("p1",), ("p1", "p2")),
            "colour": colours,
            "left": (("blue", "yellow", "yellow"), *((colour,) for colour in colours)),
            "dice": (("grey", "grey", "red"), *((colour,) for colour in colours)),
            "space": ("C3",),
            "spaces": (("C3",), ("C3", "C4")),
            "missing": (("C3",), ("C3", "C4")),
            "order": (("C4", "C3"),),
            "area": tuple(area.id for area in self.geometry.areas),
            "phase": tuple(map(Typed, PHASES)),
        }

    # Set-up and turn

    @cached_property
    def options(self) -> Mapping[str, Option]:
        numbers = tuple(board.number for board in self.boards)
        return {
            "players": Whole(2, len(numbers), len(numbers)),
            "boards": Several(
                numbers, "the board of each seat, all different; by default seat n has board n"
            ),
            "first": Seat(len(numbers), "the first active seat; 0, the default, leaves it to chance"),
        }

    def begin(self, **options: Any) -> State:
        players, first = options["players"], options["first"]
        nothing = (0,) * players
        return State(
            boards=options["boards"],
            phase=ROLL if first else START,
            active=first,
            rolls=0,
            dice="",
            crosses=(self.geometry.white,) * players,
            high=nothing,
            low=nothing,
            taken=0,
            spent=nothing,
            recent=nothing,
            done=0,
        )

    def agreed(self, state: State) -> dict[str, Any]:
        return {"players": len(state.boards), "boards": list(state.boards)}

    def seats(self, state: State) -> int:
        return len(state.boards)

    def turn(self, state: State) -> tuple[int, ...]:
        return moves.turn(state)

    # Moves

    def moves(self, state: State) -> Sequence[Move]:
        return self._moves.legal(state)

    def judge(self, state: State, move: Move) -> Verdict:
        return judge(self.box, state, move)

    def play(self, state: State, move: Move) -> State:
        return play(self.box, state, move)

    def canonical(self, state: State, move: Move) -> Sequence[Move]:
        return self._moves.canonical(state, move)

    def thinkable(self, state: State, seat: int) -> Sequence[Move]:
        return self._moves.thinkable(state, seat)

    def may_reroll(self, state: State) -> bool:
        """Whether the active player may still roll dice again."""
        return moves.may_reroll(state)

    # Telling

    def scores(self, state: State) -> tuple[int, ...]:
        return scoring.scores(self.box, state)

    def circled(self, state: State, seat: int) -> dict[str, int]:
        """The values that a player has circled, by area."""
        return scoring.circled(self.box, state, seat)

    def score_row(self, state: State, seat: int) -> tuple[scoring.Entry, ...]:
        """What a player's score row shows, area by area."""
        return scoring.score_row(self.box, state, seat)

    def outcome(self, state: State) -> Outcome | None:
        return scoring.outcome(self.box, state)

    def facts(self, state: State) -> dict[str, Value]:
        return facts.facts(self.box, state)

    def effects(self, before: State, after: State) -> Sequence[Effect]:
        return tuple(scoring.effects(self.box, before, after))

    def tell(self, state: State, move: Move) -> Deed:
        return facts.tell(state, move)

    # Text

    def parse_move(self, text: str) -> Move:
        return notation.parse_move(text)

    def format_move(self, move: Move) -> str:
        return notation.format_move(move)

    def parse_position(self, text: str) -> State:
        return parse_position(self.box, text)

    def draft(self, text: str) -> State:
        return draft(self.box, text)

    def format_position(self, state: State) -> str:
        return notation.format_position(self.geometry, state)

    def describe(self) -> dict[str, Any]:
        return super().describe() | describe(self.box)
