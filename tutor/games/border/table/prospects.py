"""What a board of The Border promises: points that are circled, and areas that may still be completed.

How likely an area is to be completed is an estimate out of many games between bots. Worths are in points.
"""

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

from tutor.games.border.engine.board import Box
from tutor.games.border.engine.state import AREAS_TO_END, State

# An area is as hard to complete as what is open around it. Of a segment, all that is open takes one throw of
# dice, which hardly comes for four or five; but others leave dice, each for one space.
HARD_BY_PART = (0.0, 0.1, 0.3, 0.7, 1.3, 2.2)
"""By each segment of the ring, by the number of its open spaces."""
HARD_BY_SPACE = 0.25
"""By each open space of the ring."""
SURE_WHEN_NEAR = 1.8
"""The logarithm of the odds to complete what is hardly hard at all."""
HURRY = (2.8, 2.0, 1.4, 1.0, 0.75, 0.5, 0.3)
"""How much hardness counts, by the areas that the leader lacks until the game ends."""
LEAD = 1.0
"""How much it counts for being first that an area is harder for the others."""


def chance(log_odds: float) -> float:
    return 1 / (1 + exp(-log_odds))


class Shape:
    """What matters of one board: the segments of every ring."""

    def __init__(self, box: Box, number: int) -> None:
        segments = box.boards[number - 1].segments
        self.rings = box.geometry.rings
        self._segments = tuple(tuple(each for each in segments if each & ring) for ring in self.rings)
        self.near = tuple(map(sum, self._segments))
        """By area: the spaces on which it depends how hard it is."""

    def hardness(self, area: int, crosses: int) -> float:
        """How hard an area is to complete."""
        ring, hard = self.rings[area], 0.0
        for segment in self._segments[area]:
            rest = segment & ~crosses
            if rest & ring:
                hard += HARD_BY_PART[rest.bit_count()] + HARD_BY_SPACE * (rest & ring).bit_count()
        return hard


class Standing(NamedTuple):
    """How a board stands with some crosses on it."""

    worth: float
    """Points, and what is promised."""
    points: int
    ends: bool
    """Whether the game ends with it."""


class Prospect:
    """How one seat's board stands, with more and more crosses on it in the action under way."""

    def __init__(self, box: Box, shape: Shape, state: State, seat: int, rivals: Sequence[float]) -> None:
        """`rivals` says how hard each area is for the one of the others who is nearest to it."""
        self.crosses = state.crosses[seat - 1]
        self.denied = [0.0] * len(rivals)
        """What the others lose when each area is completed first by this seat."""
        self._shape, self._areas, self._rivals = shape, box.geometry.areas, rivals
        self._taken = state.taken
        high, done = state.high[seat - 1], state.high[seat - 1] | state.low[seat - 1]
        self._open = [i for i in range(len(self._areas)) if not done >> i & 1]
        self._done = done.bit_count()
        self._points = sum(
            area.high if high >> i & 1 else area.low for i, area in enumerate(self._areas) if done >> i & 1
        )
        circled = [(one | two).bit_count() for one, two in zip(state.high, state.low, strict=True)]
        self._hurry = HURRY[max(0, AREAS_TO_END - max(circled))]
        self._worths: dict[int, float] = {}
        self._area_worths: list[dict[int, float]] = [{} for _ in self._areas]

    def worth(self, crosses: int) -> float:
        """Points, and what is promised. It is asked for thousands of times, so that parts are remembered."""
        worth = self._worths.get(crosses)
        if worth is None:
            worth = float(self._points)
            near = self._shape.near
            for i in self._open:
                known, lying = self._area_worths[i], crosses & near[i]
                one = known.get(lying)
                if one is None:
                    one = known[lying] = self._area_worth(i, crosses)
                worth += one
            self._worths[crosses] = worth
        return worth

    def _area_worth(self, i: int, crosses: int) -> float:
        if not self._shape.rings[i] & ~crosses:
            area = self._areas[i]
            return float(area.low) if self._taken >> i & 1 else area.high + self.denied[i]
        likely, bonus = self._expect(i, crosses)
        return likely * (self._areas[i].low + bonus)

    def _expect(self, i: int, crosses: int) -> tuple[float, float]:
        """How likely an area is to be completed, and what being first adds to its low value on average."""
        hard = self._shape.hardness(i, crosses)
        likely = chance(SURE_WHEN_NEAR - self._hurry * hard)
        if self._taken >> i & 1:
            return likely, 0.0
        area = self._areas[i]
        return likely, (area.high - area.low) * chance(LEAD * (self._rivals[i] - hard))

    def bonus(self, i: int) -> float:
        """What this seat loses if somebody else completes an area first."""
        if i not in self._open:
            return 0.0
        likely, bonus = self._expect(i, self.crosses)
        return likely * bonus

    def standing(self, crosses: int) -> Standing:
        points, done = self._points, self._done
        if crosses != self.crosses:
            for i in self._open:
                if not self._shape.rings[i] & ~crosses:
                    points += self._areas[i].low if self._taken >> i & 1 else self._areas[i].high
                    done += 1
        return Standing(self.worth(crosses), points, done >= AREAS_TO_END)
