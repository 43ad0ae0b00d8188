"""Sets up The Border: crosses, dice, rolls, whose turn, and how areas are circled."""

from typing import ClassVar

from tutor.book.words import Words
from tutor.games.border.engine import Border
from tutor.games.border.engine.board import COLOURS
from tutor.games.border.engine.state import (
    DICE,
    FACES,
    FIRST,
    IN_THE_AIR,
    MOST_ROLLS,
    NUMBERS,
    PHASES,
    ROLL,
    SECOND,
    START,
    State,
    circled,
)
from tutor.referee.setup import Chances, Row, Setup, Tool, choose

LETTERS = "".join(COLOURS)
AT_REST = (FIRST, SECOND)
"""The phases in which the dice lie on the table."""


class BorderSetup(Setup):
    rows_known: ClassVar[tuple[str, ...]] = (
        "phase", "turn", "rolls", "used", "done", "areas", "fresh", "board", "clear",
    )  # fmt: skip

    def __init__(self, game: Border) -> None:
        super().__init__(game)
        self.geometry = game.geometry

    # Changes

    def do(self, state: State, change: str) -> State:
        """Whoever sets a position up does not say which crosses are the latest."""
        changed: State = super().do(state, change)
        return changed._replace(recent=(0,) * len(changed.boards))

    def do_phase(self, state: State, phase: str) -> State:
        """What belongs to another phase goes; what this one needs is there."""
        if phase not in PHASES:
            raise LookupError(phase)
        nothing = (0,) * len(state.boards)
        rolls, dice, spent, taken = 0, "", nothing, circled(state)
        if phase in AT_REST:
            at_rest = state.dice and IN_THE_AIR not in state.dice
            rolls, dice = state.rolls or 1, state.dice if at_rest else LETTERS[:DICE]
            if state.phase in AT_REST:
                spent, taken = state.spent, state.taken
        elif phase == FACES:
            dice = IN_THE_AIR * DICE
        active = 0 if phase == START else state.active or 1
        done = 1 << active if phase == SECOND else 0
        return state._replace(
            phase=phase, active=active, rolls=rolls, dice=dice, spent=spent, taken=taken, done=done
        )

    def do_turn(self, state: State, player: str) -> State:
        active = self.seat(state, player)
        if state.phase == START:
            state = self.do_phase(state, ROLL)
        done = 1 << active if state.phase == SECOND else 0
        return state._replace(active=active, done=done, spent=(0,) * len(state.boards), taken=circled(state))

    def do_rolls(self, state: State, count: str) -> State:
        return state._replace(rolls={str(n): n for n in _roll_counts(state)}[count])

    def do_die(self, state: State, number: str) -> State:
        """Turns a die to its next colour."""
        i = NUMBERS.index(number)
        letter = LETTERS[(LETTERS.index(state.dice[i]) + 1) % len(LETTERS)]
        return state._replace(dice=state.dice[:i] + letter + state.dice[i + 1 :])

    def do_use(self, state: State, player: str, number: str) -> State:
        if state.phase not in AT_REST:
            raise LookupError(number)
        return state._replace(spent=self._toggle(state, state.spent, player, NUMBERS.index(number)))

    def do_done(self, state: State, player: str) -> State:
        seat = self.seat(state, player)
        if state.phase != SECOND or seat == state.active:
            raise LookupError(player)
        return state._replace(done=state.done ^ 1 << seat)

    def do_cross(self, state: State, player: str, space: str) -> State:
        i = self.geometry.index[space]
        if self.geometry.white >> i & 1:
            return state  # crossed off for good
        return self._circle_areas(
            state._replace(crosses=self._toggle(state, state.crosses, player, i)), player
        )

    def do_clear(self, state: State, player: str) -> State:
        crosses = _replace_at(state.crosses, self.seat(state, player), self.geometry.white)
        return self._circle_areas(state._replace(crosses=crosses), player)

    def _circle_areas(self, state: State, player: str) -> State:
        """Completed areas are circled, high for who is first there."""
        seat = self.seat(state, player)
        complete = self.geometry.completed(state.crosses[seat - 1])
        high, low = state.high[seat - 1] & complete, state.low[seat - 1] & complete
        others = circled(
            state._replace(high=_replace_at(state.high, seat, 0), low=_replace_at(state.low, seat, 0))
        )
        new = complete & ~(high | low)
        state = state._replace(
            high=_replace_at(state.high, seat, high | new & ~others),
            low=_replace_at(state.low, seat, low | new & others),
        )
        return state._replace(taken=(state.taken | new) & circled(state))

    def do_circle(self, state: State, player: str, area: str) -> State:
        """From high to low and back."""
        seat, bit = self.seat(state, player), 1 << self._areas.index(area)
        high, low = state.high[seat - 1], state.low[seat - 1]
        if not (high | low) & bit:
            raise LookupError(area)
        return state._replace(
            high=_replace_at(state.high, seat, high ^ bit), low=_replace_at(state.low, seat, low ^ bit)
        )

    def do_fresh(self, state: State, area: str) -> State:
        bit = 1 << self._areas.index(area)
        if state.phase not in AT_REST or not circled(state) & bit:
            raise LookupError(area)
        return state._replace(taken=state.taken ^ bit)

    def do_board(self, state: State, player: str, number: str) -> State:
        """Another board; who had it gets this one."""
        seat, wanted = self.seat(state, player), int(number)
        if wanted not in [board.number for board in self.game.boards]:
            raise LookupError(number)
        own = state.boards[seat - 1]
        boards = tuple(own if board == wanted else board for board in state.boards)
        return state._replace(boards=_replace_at(boards, seat, wanted))

    def _toggle(self, state: State, masks: tuple[int, ...], player: str, bit: int) -> tuple[int, ...]:
        seat = self.seat(state, player)
        return _replace_at(masks, seat, masks[seat - 1] ^ 1 << bit)

    @property
    def _areas(self) -> list[str]:
        return [area.id for area in self.geometry.areas]

    # Tools

    def rows(self, state: State, seat: int, picks: tuple[str, ...], words: Words) -> list[Row]:
        player, at_rest = f"p{seat}", state.phase in AT_REST
        acts = state.phase == SECOND or seat == state.active
        found = [
            Row("phase", choose("phase", PHASES, state.phase, lambda one: words.phrase(f"phase-{one}"))),
            Row("turn", choose("turn", self.players(state), f"p{state.active}", words.word)),
            Row("rolls", choose("rolls", _roll_counts(state), state.rolls, str)),
            Row("used", tuple(self._dice(state, seat, words)) if at_rest and acts else ()),
            Row("areas", tuple(self._circles(state, seat, words))),
            Row("fresh", tuple(self._fresh_tools(state, words)) if at_rest else ()),
        ]
        if state.phase == SECOND and seat != state.active:
            over = bool(state.done >> seat & 1)
            found.append(Row("done", (Tool(words.phrase("do-done"), f"done {player}", on=over),)))
        boards = [board.number for board in self.game.boards]
        found.append(Row("board", choose(f"board {player}", boards, state.boards[seat - 1], str)))
        found.append(Row("clear", (Tool(words.phrase("do-wipe"), f"clear {player}"),)))
        return [row for row in found if row.tools]

    def _dice(self, state: State, seat: int, words: Words) -> list[Tool]:
        spent = state.spent[seat - 1]
        return [
            Tool(f"{number} {_face(letter, words)}", f"use p{seat} {number}", on=bool(spent >> i & 1))
            for i, (number, letter) in enumerate(zip(NUMBERS, state.dice, strict=True))
        ]

    def _circles(self, state: State, seat: int, words: Words) -> list[Tool]:
        high, either = state.high[seat - 1], state.high[seat - 1] | state.low[seat - 1]
        return [
            Tool(
                f"{_title(area.id, words)} {area.high if high >> i & 1 else area.low}",
                f"circle p{seat} {area.id}",
                on=bool(high >> i & 1),
            )
            for i, area in enumerate(self.geometry.areas)
            if either >> i & 1
        ]

    def _fresh_tools(self, state: State, words: Words) -> list[Tool]:
        return [
            Tool(_title(area.id, words), f"fresh {area.id}", on=not state.taken >> i & 1)
            for i, area in enumerate(self.geometry.areas)
            if circled(state) >> i & 1
        ]

    # Chance

    def chances(self, state: State) -> Chances:
        """Each die that is in the air, by itself: the moves are far too many to go through."""
        if state.phase != FACES:
            return super().chances(state)
        return Chances("faces", (tuple(LETTERS),) * state.dice.count(IN_THE_AIR))

    def name(self, act: str, value: str, words: Words) -> str:
        return _face(value, words) if value in COLOURS else super().name(act, value, words)


def _roll_counts(state: State) -> tuple[int, ...]:
    """How many rolls may have been made: one at least once the dice lie, and none of three in the air."""
    if state.phase in AT_REST:
        return tuple(range(1, MOST_ROLLS + 1))
    return tuple(range(MOST_ROLLS)) if state.phase == FACES else ()


def _face(letter: str, words: Words) -> str:
    """The colour of a die."""
    return words.phrase("die-face", colour=COLOURS[letter])


def _title(area: str, words: Words) -> str:
    word = words.word(area)
    return word[:1].upper() + word[1:]


def _replace_at(values: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    return (*values[: seat - 1], value, *values[seat:])
