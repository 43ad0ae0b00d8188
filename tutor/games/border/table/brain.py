"""How good the moves of The Border are, and what can be said for them."""

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar

from tutor.games.border.engine.odds import chances, rolls_left
from tutor.games.border.engine.state import FACES, FIRST, IN_THE_AIR, SECOND, State, left
from tutor.games.border.table.outlook import Outlook
from tutor.games.border.table.patterns import PATTERNS, find_patterns
from tutor.games.border.table.prospects import Shape
from tutor.play.bots import Brain, Sight, Wish
from tutor.rules.base import Move

IN_THE_AIR_COUNTS = 0.1
"""Points that a beginner hopes for from each die that is thrown again."""


class BorderBrain(Brain):
    """Weighs boards by what they promise, and dice by the exact odds of what they can still become."""

    mistake: ClassVar[float] = 1.5
    # Most of the moves roll dice again: of these it sees two or three. Of all others it sees two.
    easy_share: ClassVar[float] = 0.07
    patterns: ClassVar[tuple[str, ...]] = PATTERNS
    wish_phrases: ClassVar[tuple[str, ...]] = ("odds-area", "odds-segment")

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self._shapes = [Shape(game.box, board.number) for board in game.boards]
        # Whoever rolls again has the same outlook as before.
        self._outlook = lru_cache(maxsize=8)(self._look_out)

    def list_wishes(self, sight: Sight) -> Sequence[Wish]:
        """The segments and areas that this action may still complete."""
        state: State = sight.state
        if sight.seat != state.active:
            return ()
        return [
            Wish("odds-area", {"area": one.area, "spaces": one.spaces}, one.odds, one.spaces)
            if one.area
            else Wish("odds-segment", {"spaces": one.spaces}, one.odds, one.spaces)
            for one in chances(self.game.box, state)
        ]

    # Worth

    def rate(self, sight: Sight, moves: Sequence[Move], dice: random.Random) -> list[float]:
        state: State = sight.state
        if state.phase == SECOND:
            return self._look_out(state, sight.seat).rate_second(moves)
        if state.phase != FIRST:
            return [0.0] * len(moves)
        used = state.spent[sight.seat - 1]
        # What hands are worth depends on neither the dice nor the rolls.
        outlook = self._outlook(state._replace(dice="", rolls=0), sight.seat)
        return outlook.rate_first(state.dice, used, rolls_left(state), moves)

    def _look_out(self, state: State, seat: int) -> Outlook:
        return Outlook(self.game.box, self._shapes, state, seat)

    def count(self, state: State, seat: int) -> float:
        """The points that a seat is ahead, with a share for areas that are begun and for dice that fit."""
        shares = [self._count_own(state, each) for each in range(1, len(state.boards) + 1)]
        return shares.pop(seat - 1) - max(shares)

    def _count_own(self, state: State, seat: int) -> float:
        counted = self.game.scores(state)[seat - 1] + self._count_begun(state, seat, state.crosses[seat - 1])
        if seat == state.active and state.phase in (FACES, FIRST):
            counted += self._count_dice(state, seat)
        return float(counted)

    def _count_dice(self, state: State, seat: int) -> float:
        """Of each colour, what the segment that it fits best would add, or the part that dice are there
        for."""
        crosses = state.crosses[seat - 1]
        begun = self._count_begun(state, seat, crosses)
        segments_of = self.game.boards[state.boards[seat - 1] - 1].segments_of
        dice = left(state.dice, state.spent[seat - 1])
        counted = IN_THE_AIR_COUNTS * dice.count(IN_THE_AIR)
        for letter in dict.fromkeys(dice.replace(IN_THE_AIR, "")):
            best = 0.0
            for segment in segments_of[letter]:
                if rest := segment & ~crosses:
                    share = min(1.0, dice.count(letter) / rest.bit_count())
                    best = max(best, share**3 * (self._count_begun(state, seat, crosses | rest) - begun))
            counted += best
        return counted

    def _count_begun(self, state: State, seat: int, crosses: int) -> float:
        """Half the value of an area whose ring is nearly crossed, less where less of it is; all of it when
        it is complete."""
        geometry, done = self.game.geometry, state.high[seat - 1] | state.low[seat - 1]
        counted = 0.0
        for i, (area, ring) in enumerate(zip(geometry.areas, geometry.rings, strict=True)):
            if not done >> i & 1:
                value = area.low if state.taken >> i & 1 else area.high
                share = (ring & crosses).bit_count() / ring.bit_count()
                counted += value if share == 1 else value * share**2 / 2
        return counted

    # Reasons

    def match_patterns(self, sight: Sight, move: Move) -> tuple[str, ...]:
        return find_patterns(self.game.box, sight.state, move)
