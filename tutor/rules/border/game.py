"""The Border: the rules, for 2 to 4 players.

After the printed Italian, Polish and Spanish rulebooks; where they are silent or differ, the rulings in
content/border say what is played. Rolls are recorded chance moves. In the second action the inactive
players act in any order; the result does not depend on it, since an area counts as taken only from the end
of the action in which somebody completed it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import combinations, product
from typing import Any, ClassVar, Self

from tutor.rules.base import (
    CHANCE,
    Deed,
    Game,
    Move,
    Outcome,
    Reason,
    Rule,
    Value,
    Verdict,
    allow,
    ranked,
    refuse,
)
from tutor.rules.border import notation
from tutor.rules.border.board import COLOURS, Board, Geometry, read_areas, read_boards
from tutor.rules.border.description import describe
from tutor.rules.border.state import (
    ALL_DICE,
    AREAS_TO_END,
    DICE,
    FACES,
    FIRST,
    IN_THE_AIR,
    MOST_ROLLS,
    OVER,
    ROLL,
    SECOND,
    START,
    State,
)
from tutor.rules.options import Option, Seat, Several, Whole

RULES: dict[str, Rule] = {
    "border.setup.players": Rule(refuses=("player", "players")),
    "border.setup.first-player": Rule(refuses=()),
    "border.setup.spaces": Rule(refuses=("spaces",)),
    "border.setup.white": Rule(refuses=("spaces",)),
    "border.roll.all-five": Rule(refuses=()),
    "border.roll.active": Rule(refuses=("active",)),
    "border.roll.three": Rule(refuses=()),
    "border.roll.stop": Rule(refuses=()),
    "border.roll.some": Rule(refuses=()),
    "border.roll.there": Rule(refuses=("dice",)),
    "border.roll.keep": Rule(refuses=()),
    "border.roll.final": Rule(refuses=()),
    "border.first.active": Rule(refuses=("active",)),
    "border.cross.once": Rule(refuses=("spaces",)),
    "border.cross.die": Rule(refuses=("colour", "need", "have")),
    "border.first.open": Rule(refuses=("colour", "size", "missing", "need", "have")),
    "border.first.extend": Rule(refuses=("colour", "size", "missing", "need", "have")),
    "border.first.complete": Rule(),
    "border.first.anywhere": Rule(),
    "border.first.partial": Rule(),
    "border.first.several": Rule(),
    "border.first.free": Rule(),
    "border.second.inactive": Rule(refuses=("active",)),
    "border.second.done": Rule(refuses=("player",)),
    "border.second.unused": Rule(refuses=("colour", "left")),
    "border.second.one-of-five": Rule(refuses=()),
    "border.second.beside": Rule(refuses=("space", "colour")),
    "border.second.free": Rule(),
    "border.second.pass": Rule(),
    "border.end.over": Rule(refuses=("winners",)),
    "border.end.most": Rule(),
    "border.end.tie": Rule(),
    "border.end.shared": Rule(),
}

DEEDS: dict[str, tuple[str, ...]] = {
    "first": ("player",),
    "roll": ("player",),
    "roll-some": ("player", "count"),
    "reroll": ("player", "count"),
    "faces": ("dice",),
    "cross": ("player", "spaces", "count"),
    "done-first": ("player",),
    "done-second": ("player",),
}


class Border(Game):
    """The Border over four boards."""

    id: ClassVar[str] = "border"
    rules: ClassVar[Mapping[str, Rule]] = RULES
    deeds: ClassVar[Mapping[str, tuple[str, ...]]] = DEEDS
    faults: ClassVar[Mapping[str, tuple[str, ...]]] = notation.FAULTS

    def __init__(self, geometry: Geometry, boards: tuple[Board, ...]) -> None:
        self.geometry = geometry
        self.boards = boards
        self._cross = {
            (seat, i): Move(seat, "cross", (name,))
            for seat in range(1, len(boards) + 1)
            for i, name in enumerate(geometry.names)
        }

    @classmethod
    def from_files(cls, files: Mapping[str, str]) -> Self:
        maps = tuple(text for name, text in sorted(files.items()) if name.startswith("board-"))
        return cls(*read_boards(maps, read_areas(files["areas.toml"])))

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
            "area": tuple(area.id for area in self.geometry.areas),
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
        crosses = (self.geometry.white,) * players
        phase = ROLL if first else START
        return State(options["boards"], phase, first, 0, "", crosses, nothing, nothing, 0, nothing, 0)

    def agreed(self, state: State) -> dict[str, Any]:
        return {"players": len(state.boards), "boards": list(state.boards)}

    def seats(self, state: State) -> int:
        return len(state.boards)

    def turn(self, state: State) -> tuple[int, ...]:
        if state.phase == OVER:
            return ()
        if state.phase in (START, FACES):
            return (CHANCE,)
        if state.phase == SECOND:
            return tuple(s for s in range(1, len(state.boards) + 1) if not state.done >> s & 1)
        return (state.active,)

    # Listing

    def moves(self, state: State) -> Sequence[Move]:
        if state.phase == ROLL:
            return (Move(state.active, "roll"),)
        if state.phase == FACES:
            return _throws(state.dice.count(IN_THE_AIR))
        if state.phase == FIRST:
            return self._first_moves(state)
        if state.phase == SECOND:
            return self._second_moves(state)
        if state.phase == START:
            return _draws(len(state.boards))
        return ()

    def _first_moves(self, state: State) -> list[Move]:
        seat = state.active
        spent = state.spent[seat - 1]
        found = list(_rerolls(seat)) if state.rolls < MOST_ROLLS and not spent else []
        board = self.boards[state.boards[seat - 1] - 1]
        left = _left(state.dice, spent)
        crosses = state.crosses[seat - 1]
        for letter in set(left):
            at_hand = left.count(letter)
            mine = board.by_colour[letter]
            for segment in board.segments:
                rest = segment & ~crosses
                if rest and segment & mine and rest.bit_count() <= at_hand:
                    found.append(self._complete(seat, rest))
        found.append(_done(seat))
        return found

    def _complete(self, seat: int, rest: int) -> Move:
        return Move(seat, "cross", self.geometry.spaces(rest))

    def _second_moves(self, state: State) -> list[Move]:
        found: list[Move] = []
        for seat in self.turn(state):
            crosses = state.crosses[seat - 1]
            board = self.boards[state.boards[seat - 1] - 1]
            wanted = 0
            for letter in set(_left(state.dice, self._unavailable(state, seat))):
                wanted |= board.by_colour[letter]
            wanted &= ~crosses
            while wanted:
                bit = wanted & -wanted
                i = bit.bit_length() - 1
                if self.geometry.neighbours[i] & crosses:
                    found.append(self._cross[seat, i])
                wanted ^= bit
            found.append(_done(seat))
        return found

    def _unavailable(self, state: State, seat: int) -> int:
        """The dice that an inactive player cannot use any more in this second action."""
        by_active, own = state.spent[state.active - 1], state.spent[seat - 1]
        if by_active == ALL_DICE:
            return ALL_DICE if own else 0
        return by_active | own

    # Judging

    def judge(self, state: State, move: Move) -> Verdict:
        if state.phase == OVER:
            outcome = self.outcome(state)
            winners = outcome.winners if outcome else ()
            return refuse("border.end.over", winners=tuple(f"p{seat}" for seat in winners))
        if move.seat > len(state.boards):
            return refuse("border.setup.players", player=f"p{move.seat}", players=len(state.boards))
        if move.act == "first":
            if state.phase != START or not 1 <= int(move.what[0]) <= len(state.boards):
                return refuse("border.setup.first-player")
            return _FIRST_PLAYER
        if state.phase == START:
            return refuse("border.setup.first-player")
        if move.act == "faces":
            if len(move.what) != state.dice.count(IN_THE_AIR) or state.phase != FACES:
                return refuse("border.roll.keep")
            return _FACES
        if state.phase == FACES:
            return refuse("border.roll.final")
        if move.act in ("roll", "reroll"):
            return self._judge_roll(state, move)
        refused = self._judge_seat(state, move.seat)
        if refused:
            return refused
        if move.act == "done":
            return _STOP_FIRST if state.phase == FIRST else _STOP_SECOND
        return self._judge_cross(state, move)

    def _judge_roll(self, state: State, move: Move) -> Verdict:
        if move.seat != state.active:
            return refuse("border.roll.active", active=f"p{state.active}")
        if state.phase == SECOND:
            return refuse("border.second.inactive", active=f"p{state.active}")
        every_die = move.act == "roll" or sorted(move.what) == list("12345")
        if state.phase == ROLL:
            return _ROLL if every_die else refuse("border.roll.all-five")
        if state.rolls == MOST_ROLLS:
            return refuse("border.roll.three")
        if state.spent[state.active - 1]:
            return refuse("border.roll.stop")
        if move.act == "reroll" and not move.what:
            return refuse("border.roll.some")
        absent = tuple(die for i, die in enumerate(move.what) if die not in "12345" or die in move.what[:i])
        if absent:
            return refuse("border.roll.there", dice=absent)
        return _REROLL

    def _judge_seat(self, state: State, seat: int) -> Verdict | None:
        if state.phase == SECOND:
            if seat == state.active:
                return refuse("border.second.inactive", active=f"p{seat}")
            if state.done >> seat & 1:
                return refuse("border.second.done", player=f"p{seat}")
            return None
        if seat != state.active:
            return refuse("border.first.active", active=f"p{state.active}")
        if state.phase == ROLL:
            return refuse("border.roll.all-five")
        return None

    def _judge_cross(self, state: State, move: Move) -> Verdict:
        index = self.geometry.index
        unknown = tuple(name for name in move.what if name not in index)
        if unknown:
            return refuse("border.setup.spaces", *unknown, spaces=unknown)
        crosses = state.crosses[move.seat - 1]
        for i, name in enumerate(move.what):
            bit = 1 << index[name]
            if bit & self.geometry.white:
                return refuse("border.setup.white", name, spaces=(name,))
            if bit & crosses or name in move.what[:i]:
                return refuse("border.cross.once", name, spaces=(name,))
        if state.phase == FIRST:
            return self._judge_first(state, move, crosses)
        return self._judge_second(state, move, crosses)

    def _judge_first(self, state: State, move: Move, crosses: int) -> Verdict:
        board = self.boards[state.boards[move.seat - 1] - 1]
        spent = state.spent[move.seat - 1]
        left = _left(state.dice, spent)
        wanted = self.geometry.mask(move.what)
        colours = [board.colours[self.geometry.index[name]] for name in move.what]
        for letter in dict.fromkeys(colours):
            need, have = colours.count(letter), left.count(letter)
            if need > have:
                at = tuple(n for n, c in zip(move.what, colours, strict=True) if c == letter)
                return refuse("border.cross.die", *at, colour=COLOURS[letter], need=need, have=have)
        reasons = []
        segments = {board.segment_of[self.geometry.index[name]] for name in move.what}
        for segment in sorted(segments):
            missing = segment & ~crosses & ~wanted
            if missing:
                letter = board.colours[segment.bit_length() - 1]
                args: dict[str, Value] = {
                    "colour": COLOURS[letter],
                    "size": segment.bit_count(),
                    "missing": self.geometry.spaces(missing),
                    "need": (segment & ~crosses).bit_count(),
                    "have": left.count(letter),
                }
                rule = "border.first.extend" if segment & crosses else "border.first.open"
                reasons.append(Reason(rule, self.geometry.spaces(missing), args))
        if reasons:
            return Verdict(False, tuple(reasons))
        return _COMPLETE[
            any(segment & crosses for segment in segments),
            bool(spent) or len(segments) > 1,
            not self._touches(wanted, crosses),
        ]

    def _touches(self, wanted: int, crosses: int) -> bool:
        return any(wanted >> i & 1 and beside & crosses for i, beside in enumerate(self.geometry.neighbours))

    def _judge_second(self, state: State, move: Move, crosses: int) -> Verdict:
        """Several spaces in one move are judged one after the other, in the order given."""
        board = self.boards[state.boards[move.seat - 1] - 1]
        by_active, own = state.spent[state.active - 1], state.spent[move.seat - 1]
        offered = state.dice if by_active == ALL_DICE else _left(state.dice, by_active)
        for name in move.what:
            i = self.geometry.index[name]
            letter = board.colours[i]
            if by_active == ALL_DICE and own:
                return refuse("border.second.one-of-five", name)
            if letter not in offered:
                left = tuple(COLOURS[each] for each in sorted(offered))
                return refuse("border.second.unused", name, colour=COLOURS[letter], left=left)
            die = _die(state.dice, letter, own if by_active == ALL_DICE else by_active | own)
            if not die:
                have = offered.count(letter)
                return refuse("border.cross.die", name, colour=COLOURS[letter], need=have + 1, have=have)
            if not self.geometry.neighbours[i] & crosses:
                return refuse("border.second.beside", name, space=name, colour=COLOURS[letter])
            own |= die
            crosses |= 1 << i
        return _CROSS_BESIDE

    # Playing

    def play(self, state: State, move: Move) -> State:
        if move.act == "cross":
            return self._crossed(state, move)
        if move.act == "done":
            return self._first_over(state) if state.phase == FIRST else self._one_done(state, move.seat)
        if move.act == "faces":
            fallen = iter(move.what)
            dice = "".join(next(fallen) if die == IN_THE_AIR else die for die in state.dice)
            return replace(state, phase=FIRST, rolls=state.rolls + 1, dice=dice)
        if move.act == "first":
            return replace(state, phase=ROLL, active=int(move.what[0]))
        thrown = move.what if move.act == "reroll" else "12345"
        dice = "".join(
            IN_THE_AIR if str(i) in thrown else die for i, die in enumerate(state.dice or "?????", 1)
        )
        return replace(state, phase=FACES, dice=dice)

    def _crossed(self, state: State, move: Move) -> State:
        seat = move.seat - 1
        board = self.boards[state.boards[seat] - 1]
        by_active, own = state.spent[state.active - 1], state.spent[seat]
        crosses = state.crosses[seat]
        for name in move.what:
            i = self.geometry.index[name]
            closed = own if state.phase == FIRST or by_active == ALL_DICE else by_active | own
            own |= _die(state.dice, board.colours[i], closed)
            crosses |= 1 << i
        high, low = state.high[seat], state.low[seat]
        for i, ring in enumerate(self.geometry.rings):
            area = 1 << i
            if ring & ~crosses == 0 and not (high | low) & area:
                if state.taken & area:
                    low |= area
                else:
                    high |= area
        return State(
            state.boards,
            state.phase,
            state.active,
            state.rolls,
            state.dice,
            _put(state.crosses, seat, crosses),
            _put(state.high, seat, high),
            _put(state.low, seat, low),
            state.taken,
            _put(state.spent, seat, own),
            state.done,
        )

    def _first_over(self, state: State) -> State:
        return replace(state, phase=SECOND, taken=_completed(state), done=1 << state.active)

    def _one_done(self, state: State, seat: int) -> State:
        done = state.done | 1 << seat
        players = len(state.boards)
        if done.bit_count() < players:
            return replace(state, done=done)
        areas = [high | low for high, low in zip(state.high, state.low, strict=True)]
        over = any(mask.bit_count() >= AREAS_TO_END for mask in areas)
        return State(
            state.boards,
            OVER if over else ROLL,
            state.active if over else state.active % players + 1,
            0,
            "",
            state.crosses,
            state.high,
            state.low,
            _completed(state),
            (0,) * players,
            0,
        )

    # Telling

    def scores(self, state: State) -> tuple[int, ...]:
        return tuple(sum(self.circled(state, seat).values()) for seat in range(1, len(state.boards) + 1))

    def circled(self, state: State, seat: int) -> dict[str, int]:
        """The values that a player has circled, by area."""
        high, low = state.high[seat - 1], state.low[seat - 1]
        return {
            area.id: area.high if high >> i & 1 else area.low
            for i, area in enumerate(self.geometry.areas)
            if (high | low) >> i & 1
        }

    def outcome(self, state: State) -> Outcome | None:
        if state.phase != OVER:
            return None
        scores = self.scores(state)
        seats = range(1, len(scores) + 1)
        single = [max(self.circled(state, seat).values(), default=0) for seat in seats]
        ranks = ranked(list(zip(scores, single, strict=True)))
        if scores.count(max(scores)) == 1:
            return Outcome(ranks, scores, "border.end.most")
        return Outcome(ranks, scores, "border.end.tie" if ranks.count(1) == 1 else "border.end.shared")

    def facts(self, state: State) -> dict[str, Value]:
        outcome = self.outcome(state)
        offered = ""
        if state.phase in (FIRST, SECOND):
            offered = _left(state.dice, state.spent[state.active - 1]) or state.dice
        facts: dict[str, Value] = {
            "phase": state.phase,
            "active": f"p{state.active}" if state.active else "",
            "rolls": state.rolls,
            "dice": tuple(COLOURS[die] for die in sorted(state.dice) if die in COLOURS),
            "left": tuple(COLOURS[die] for die in sorted(offered)),
            "used": state.spent[state.active - 1].bit_count() if state.active else 0,
            "winners": tuple(f"p{seat}" for seat in outcome.winners) if outcome else (),
        }
        for area in self.geometry.areas:
            facts[f"value.{area.id}.high"] = area.high
            facts[f"value.{area.id}.low"] = area.low
        for seat, score in enumerate(self.scores(state), 1):
            player = f"p{seat}"
            circled = self.circled(state, seat)
            crosses = state.crosses[seat - 1]
            board = self.boards[state.boards[seat - 1] - 1]
            facts[f"score.{player}"] = score
            facts[f"areas.{player}"] = len(circled)
            facts[f"high.{player}"] = state.high[seat - 1].bit_count()
            facts[f"low.{player}"] = state.low[seat - 1].bit_count()
            facts[f"best.{player}"] = max(circled.values(), default=0)
            facts[f"crosses.{player}"] = (crosses & ~self.geometry.white).bit_count()
            facts[f"segments.{player}"] = sum(not segment & ~crosses for segment in board.segments)
            facts[f"used.{player}"] = state.spent[seat - 1].bit_count()
            facts |= {f"circled.{player}.{area}": value for area, value in circled.items()}
        return facts

    def tell(self, state: State, move: Move) -> Deed:
        player = f"p{move.seat}"
        if move.act == "first":
            return Deed("first", (), {"player": f"p{move.what[0]}"})
        if move.act == "faces":
            return Deed("faces", (), {"dice": tuple(COLOURS[die] for die in sorted(move.what))})
        if move.act == "cross":
            return Deed("cross", move.what, {"player": player, "spaces": move.what, "count": len(move.what)})
        if move.act == "reroll":
            kind = "reroll" if state.rolls else "roll-some"
            return Deed(kind, (), {"player": player, "count": len(move.what)})
        if move.act == "done":
            kind = "done-second" if state.phase == SECOND else "done-first"
            return Deed(kind, (), {"player": player})
        return Deed("roll", (), {"player": player})

    # Text

    def parse_move(self, text: str) -> Move:
        return notation.parse_move(text)

    def format_move(self, move: Move) -> str:
        return notation.format_move(move)

    def parse_position(self, text: str) -> State:
        return notation.parse_position(self.geometry, text)

    def format_position(self, state: State) -> str:
        return notation.format_position(self.geometry, state)

    def describe(self) -> dict[str, Any]:
        return super().describe() | describe(self.geometry, self.boards)


# Verdicts on legal moves do not depend on the position, so they are made once.
_FIRST_PLAYER = allow("border.setup.first-player")
_ROLL = allow("border.roll.all-five")
_REROLL = allow("border.roll.three", "border.roll.some")
_FACES = allow("border.roll.keep")
_STOP_FIRST = allow("border.first.free")
_STOP_SECOND = allow("border.second.pass")
_CROSS_BESIDE = allow("border.second.beside", "border.second.free")
_COMPLETE = {
    (partial, several, apart): allow(
        "border.first.complete",
        *(["border.first.partial"] if partial else []),
        *(["border.first.several"] if several else []),
        *(["border.first.anywhere"] if apart else []),
    )
    for partial, several, apart in product((False, True), repeat=3)
}


def _left(dice: str, spent: int) -> str:
    if not spent:
        return dice
    return "".join(die for i, die in enumerate(dice) if not spent >> i & 1)


def _die(dice: str, letter: str, closed: int) -> int:
    """The first die of that colour that is not closed, as a bit; 0 if there is none."""
    for i, die in enumerate(dice):
        if die == letter and not closed >> i & 1:
            return 1 << i
    return 0


def _completed(state: State) -> int:
    areas = 0
    for mask in state.high + state.low:
        areas |= mask
    return areas


def _put(row: tuple[int, ...], i: int, value: int) -> tuple[int, ...]:
    return (*row[:i], value, *row[i + 1 :])


@cache
def _done(seat: int) -> Move:
    return Move(seat, "done")


@cache
def _draws(players: int) -> tuple[Move, ...]:
    return tuple(Move(CHANCE, "first", (str(seat),)) for seat in range(1, players + 1))


@cache
def _throws(count: int) -> tuple[Move, ...]:
    return tuple(Move(CHANCE, "faces", faces) for faces in product(COLOURS, repeat=count))


@cache
def _rerolls(seat: int) -> tuple[Move, ...]:
    numbers = "12345"
    return tuple(
        Move(seat, "reroll", dice) for count in range(1, DICE + 1) for dice in combinations(numbers, count)
    )
