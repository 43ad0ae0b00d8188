"""Nim: three heaps; in turn, players take as much as they like from one heap, and the last to take wins.

The smallest complete engine: the tests use it as a game that anybody can take in at a glance.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

from tutor.rules.base import Deed, Game, Move, Outcome, Rule, Value, Verdict, allow, rank, refuse
from tutor.rules.errors import InvalidData, InvalidMove, quote_input
from tutor.rules.options import Flag, Option, Whole
from tutor.rules.text import Parts, tidy_move

RULES = {
    "nim.turn": Rule(("player", "active")),
    "nim.heap": Rule(("heap",)),
    "nim.count": Rule(("count", "left")),
    "nim.last": Rule(),
    "nim.misere": Rule(),
}
DEEDS = {"take": ("player", "count", "heap")}
FAULTS = {"position.heaps": ("value",)}
WORDS: dict[str, Sequence[Value]] = {
    "player": ("p1", "p2"),
    "active": ("p1", "p2"),
    "winners": (("p1",), ("p2",)),
}
OPTIONS: dict[str, Option] = {
    "players": Whole(2, 2, 2),
    "misere": Flag(False, "whether the last to take loses"),
}


class State(NamedTuple):
    seat: int
    heaps: tuple[int, ...]
    misere: bool


class Nim(Game):
    id = "nim"
    rules, deeds, faults, vocabulary, options = RULES, DEEDS, FAULTS, WORDS, OPTIONS

    def __init__(self, heaps: tuple[int, ...]) -> None:
        self.heaps = heaps

    @classmethod
    def from_files(cls, files: Mapping[str, str]) -> Self:
        heaps = files["heaps.txt"].split()
        if not heaps or not all(heap.isdecimal() and 0 < int(heap) < 10 for heap in heaps):
            raise InvalidData("heaps", heaps=tuple(heaps))
        return cls(tuple(map(int, heaps)))

    def begin(self, **options: Any) -> State:
        return State(1, self.heaps, options["misere"])

    def agreed(self, state: State) -> dict[str, Any]:
        return {"players": 2, "misere": state.misere}

    def seats(self, state: State) -> int:
        return 2

    def turn(self, state: State) -> tuple[int, ...]:
        return (state.seat,) if any(state.heaps) else ()

    def moves(self, state: State) -> Sequence[Move]:
        return [
            Move(state.seat, "take", (str(heap), str(count)))
            for heap, left in enumerate(state.heaps, 1)
            for count in range(1, left + 1)
        ]

    def thinkable(self, state: State, seat: int) -> Sequence[Move]:
        """From any heap, up to one more than the fullest heap has at first."""
        return [
            Move(seat, "take", (str(heap), str(count)))
            for heap in range(1, len(state.heaps) + 1)
            for count in range(1, max(self.heaps) + 2)
        ]

    def judge(self, state: State, move: Move) -> Verdict:
        heap, count = map(int, move.what)
        if move.seat != state.seat:
            return refuse("nim.turn", player=f"p{move.seat}", active=f"p{state.seat}")
        if heap > len(state.heaps) or not state.heaps[heap - 1]:
            return refuse("nim.heap", str(heap), heap=heap)
        if not 1 <= count <= state.heaps[heap - 1]:
            return refuse("nim.count", str(heap), count=count, left=state.heaps[heap - 1])
        return allow("nim.turn", "nim.heap", "nim.count")

    def play(self, state: State, move: Move) -> State:
        heap, count = map(int, move.what)
        heaps = [left - count if i == heap else left for i, left in enumerate(state.heaps, 1)]
        return State(3 - state.seat, tuple(heaps), state.misere)

    def outcome(self, state: State) -> Outcome | None:
        if any(state.heaps):
            return None
        winner = state.seat if state.misere else 3 - state.seat
        scores = tuple(int(seat == winner) for seat in (1, 2))
        return Outcome(rank(scores), scores, "nim.misere" if state.misere else "nim.last")

    def facts(self, state: State) -> dict[str, Value]:
        outcome = self.outcome(state)
        return {
            "active": f"p{state.seat}",
            "left": sum(state.heaps),
            "misere": state.misere,
            "winners": tuple(f"p{seat}" for seat in outcome.winners) if outcome else (),
            **{f"heap.{heap}": left for heap, left in enumerate(state.heaps, 1)},
        }

    def tell(self, state: State, move: Move) -> Deed:
        heap, count = map(int, move.what)
        return Deed("take", (str(heap),), {"player": f"p{move.seat}", "count": count, "heap": heap})

    def parse_move(self, text: str) -> Move:
        match tidy_move(text, 20).split(" "):
            case [("p1" | "p2") as player, "take", heap, count] if is_number(heap) and is_number(count):
                return Move(int(player[1]), "take", (heap, count))
        raise InvalidMove("move", value=quote_input(text))

    def format_move(self, move: Move) -> str:
        return f"p{move.seat} take {' '.join(move.what)}"

    def parse_position(self, text: str) -> State:
        parts = Parts(text, ("take", "misere"), 60)
        active, heaps = parts.need("active"), parts.need("heaps").split(",")
        if active not in ("p1", "p2"):
            parts.refuse("position", "active")
        full = zip(heaps, self.heaps, strict=False)
        if len(heaps) != len(self.heaps) or not all(is_number(h) and int(h) <= most for h, most in full):
            parts.refuse("position.heaps", "heaps")
        parts.end()
        return State(int(active[1]), tuple(map(int, heaps)), parts.phase == "misere")

    def format_position(self, state: State) -> str:
        heaps = ",".join(map(str, state.heaps))
        return f"{'misere' if state.misere else 'take'} active=p{state.seat} heaps={heaps}"

    def describe(self) -> dict[str, Any]:
        moves = {"p1 take 2 3": "seat 1 takes three from the second heap"}
        position = {"example": self.format_position(self.setup({})), "phases": ["take", "misere"]}
        return super().describe() | {"notation": {"moves": moves, "position": position}}


def is_number(text: str) -> bool:
    """One digit, so that every number has one text."""
    return len(text) == 1 and text in "0123456789"
