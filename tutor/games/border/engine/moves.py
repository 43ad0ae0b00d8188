"""Whose turn it is, and what may be done: the legal moves, and those that come to mind.

Moves are made once and shared, since listing them is what playing costs most.
"""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations, product

from tutor.games.border.engine.board import BYTES, COLOURS, SPACES, Board, Box, parts
from tutor.games.border.engine.state import (
    DICE,
    FACES,
    FIRST,
    IN_THE_AIR,
    MOST_ROLLS,
    NUMBERS,
    OVER,
    ROLL,
    SECOND,
    START,
    State,
    closed,
    left,
)
from tutor.rules.base import CHANCE, Move


def turn(state: State) -> tuple[int, ...]:
    if state.phase == SECOND:
        return _others(len(state.boards), state.done)
    if state.phase in (START, FACES):
        return (CHANCE,)
    return () if state.phase == OVER else (state.active,)


def may_reroll(state: State) -> bool:
    """Whether the active player may still roll dice again."""
    return state.phase == FIRST and state.rolls < MOST_ROLLS and not state.spent[state.active - 1]


class Moves:
    """The legal moves over one set of boards."""

    def __init__(self, box: Box) -> None:
        self._box = box
        seats = range(1, len(box.boards) + 1)
        self._single = {seat: self._single_crosses(seat) for seat in seats}
        self._whole = {seat: self._completions(seat) for seat in seats}
        # While one player acts, the others' lists stay as they are.
        self._beside = lru_cache(maxsize=256)(self._list_beside)

    def _single_crosses(self, seat: int) -> tuple[tuple[tuple[Move, ...], ...], ...]:
        """For each eight spaces, the moves that cross one space of every set of them."""
        tables = []
        for start in range(0, SPACES, 8):
            table: list[tuple[Move, ...]] = [()]
            for name in self._box.geometry.names[start : start + 8]:
                table += [(*moves, Move(seat, "cross", (name,))) for moves in table]
            tables.append(tuple(table))
        return tuple(tables)

    def _completions(self, seat: int) -> dict[int, Move]:
        """The moves that complete a segment, by the spaces that it still lacks."""
        segments = {segment for board in self._box.boards for segment in board.segments}
        return {
            rest: Move(seat, "cross", self._box.geometry.spaces(rest))
            for segment in segments
            for rest in parts(segment)
        }

    def legal(self, state: State) -> Sequence[Move]:
        if state.phase == SECOND:
            found: list[Move] = []
            for seat in turn(state):
                found += self._second(state, seat)
            return found
        if state.phase == FIRST:
            return self._first(state)
        if state.phase == FACES:
            return _throws(state.dice.count(IN_THE_AIR))
        if state.phase == ROLL:
            return (_roll(state.active),)
        return _draws(len(state.boards)) if state.phase == START else ()

    def _first(self, state: State) -> list[Move]:
        seat = state.active
        found = list(_rerolls(seat)) if may_reroll(state) else []
        board = self._board(state, seat)
        at_hand = left(state.dice, state.spent[seat - 1])
        opened = ~state.crosses[seat - 1]
        whole = self._whole[seat]
        for letter in dict.fromkeys(at_hand):
            count = at_hand.count(letter)
            for segment in board.segments_of[letter]:
                rest = segment & opened
                if rest and rest.bit_count() <= count:
                    found.append(whole[rest])
        found.append(_done(seat))
        return found

    def _second(self, state: State, seat: int) -> Sequence[Move]:
        dice = left(state.dice, closed(state, seat))
        if not dice:
            return (_done(seat),)
        return self._beside(seat, state.boards[seat - 1], state.crosses[seat - 1], dice)

    def _list_beside(self, seat: int, board: int, crosses: int, dice: str) -> Sequence[Move]:
        """What a player can do in the second action with some dice."""
        may = 0
        for letter in dice:
            may |= self._box.boards[board - 1].by_colour[letter]
        may &= self._box.geometry.beside(crosses) & ~crosses
        found: list[Move] = []
        for table, byte in zip(self._single[seat], may.to_bytes(BYTES, "little"), strict=True):
            if byte:
                found += table[byte]
        found.append(_done(seat))
        return found

    def _board(self, state: State, seat: int) -> Board:
        return self._box.boards[state.boards[seat - 1] - 1]

    # Other forms of legal moves

    def canonical(self, state: State, move: Move) -> Sequence[Move]:
        """A legal move as listed ones: spaces of several segments or of a chain one after the other."""
        if move.act == "cross":
            if state.phase == SECOND:
                return [Move(move.seat, "cross", (name,)) for name in move.what]
            geometry = self._box.geometry
            wanted = geometry.mask(move.what)
            segment_of = self._board(state, move.seat).segment_of
            segments = dict.fromkeys(segment_of[geometry.index[name]] for name in move.what)
            return [self._whole[move.seat][segment & wanted] for segment in segments]
        if move.act == "reroll" and state.phase == FIRST:
            return (Move(move.seat, "reroll", tuple(sorted(move.what))),)
        if move.act in ("roll", "reroll"):
            return (_roll(move.seat) if state.phase == ROLL else Move(move.seat, "reroll", NUMBERS),)
        return (move,)

    # What comes to mind

    def thinkable(self, state: State, seat: int) -> list[Move]:
        """The seat's legal moves, and near misses: of each kind of mistake one or two."""
        own = [move for move in self.legal(state) if move.seat == seat]
        tempting = [Move(seat, "roll"), Move(seat, "done")]
        tempting += [Move(seat, "reroll", dice) for dice in ((), NUMBERS[:3], ("2", "2"), ("6",))]
        tempting += [
            Move(seat, "cross", self._box.geometry.spaces(spaces))
            for spaces in self._spaces(state, seat)
            if spaces
        ]
        return list(dict.fromkeys([*own, *tempting]))

    def _spaces(self, state: State, seat: int) -> Iterator[int]:
        """Spaces that a player may want to cross, most of them against some rule; 0 where there are none."""
        geometry, board = self._box.geometry, self._board(state, seat)
        crosses = state.crosses[seat - 1]
        opened, beside = ~crosses & (1 << SPACES) - 1, geometry.beside(crosses)
        dice = "".join(die for die in left(state.dice, closed(state, seat)) if die in COLOURS)
        matching = sum(board.by_colour[letter] for letter in set(dice)) & opened
        yield _lowest(geometry.white)
        yield _lowest(crosses & ~geometry.white)
        for some in (matching & beside, matching & ~beside, opened & beside & ~matching, opened & ~matching):
            yield _lowest(some)
            yield _highest(some)
        # A die used for two spaces, a chain, the first spaces of a segment, and all of it.
        for letter in dict.fromkeys(dice):
            for segment in board.segments_of[letter]:
                rest = segment & opened
                if rest.bit_count() > dice.count(letter):
                    yield _lowest(rest & beside) | _lowest(rest & geometry.beside(rest & beside))
                    yield rest
                    break


def _lowest(mask: int) -> int:
    return mask & -mask


def _highest(mask: int) -> int:
    return 1 << mask.bit_length() - 1 if mask else 0


@cache
def _others(players: int, done: int) -> tuple[int, ...]:
    return tuple(seat for seat in range(1, players + 1) if not done >> seat & 1)


@cache
def _roll(seat: int) -> Move:
    return Move(seat, "roll")


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
    return tuple(
        Move(seat, "reroll", dice) for count in range(1, DICE + 1) for dice in combinations(NUMBERS, count)
    )
