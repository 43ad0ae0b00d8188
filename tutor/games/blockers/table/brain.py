"""A bot's brain for Blockers!: what each placement does to the points that every colour may end with.

It needs no guess at hidden racks: a colour's outlook counts all faces that it may still have.
"""

import random
from collections.abc import Sequence
from typing import ClassVar

from tutor.games.blockers.engine.board import ALL_CELLS, CELLS, FACES, cuts
from tutor.games.blockers.engine.scoring import scores
from tutor.games.blockers.engine.state import UPTOWN, State, captured, due, in_hand, unseen
from tutor.games.blockers.table.hints import PATTERNS, Placement
from tutor.games.blockers.table.outlook import expect_groups, turns_after
from tutor.play.bots import Brain, Sight
from tutor.rules.base import Move

TIE_BREAK = 0.05
"""Points that a capture costs which only breaks ties."""
OTHERS = 0.8
"""What a point of the others is worth beside an own one: they have a say in whether it comes true."""
LATER = 0.3
"""Points that a capture costs in a colour that is not captured most, for it may become so."""


class BlockersBrain(Brain):
    patterns: ClassVar[tuple[str, ...]] = tuple(PATTERNS)
    mistake: ClassVar[float] = 0.6
    easy_share: ClassVar[float] = 0.22

    def count(self, state: State, seat: int) -> float:
        """By how many points the seat is ahead of the best of the others; low scores are good."""
        points = list(scores(state, state.table.edition))
        own = points.pop(seat - 1)
        return float(min(points) - own)

    def rate(self, sight: Sight, moves: Sequence[Move], dice: random.Random) -> list[float]:
        """By how many points fewer than the others, on average, the seat may end with after each move."""
        prospect = Prospect(sight.state, sight.seat)
        worths = []
        for move in moves:
            if move.act == "place":
                _, tile, cell = move.what
                worths.append(prospect.worth(CELLS[cell], 1 << self.game.box.face[tile]))
            else:
                worths.append(prospect.worth(0, 0))
        return worths

    def match_patterns(self, sight: Sight, move: Move) -> tuple[str, ...]:
        if move.act != "place":
            return ()
        _, tile, cell = move.what
        placement = Placement(sight.state, self.game.box.face[tile], cell)
        return tuple(name for name, is_true in PATTERNS.items() if is_true(placement))


class Prospect:
    """What a placement of the colour that is due leads to. All values by colour, as in a `State`."""

    def __init__(self, state: State, seat: int) -> None:
        self.state, self.seat = state, seat
        self.colour = due(state)
        self.turns = turns_after(state)
        self.left = [unseen(state, c) | in_hand(state, c) for c in range(len(state.masks))]
        """The faces that each colour has not placed."""
        self.loose = [mask & ~cuts(mask) for mask in state.masks]
        """The tiles of each colour that may be captured."""
        self.captured = captured(state, seat)
        self._after: dict[int, tuple[list[float], int, int, int]] = {}

    def worth(self, cell: int, face: int) -> float:
        """What a tile on a cell is worth, both as bits; zeros for a pass."""
        if cell not in self._after:
            self._after[cell] = self._place(cell)
        points, mask, free, takable = self._after[cell]
        own = expect_groups(mask, free, takable, self.left[self.colour] & ~face, self.turns[self.colour])
        others = sum(points) - points[self.seat - 1]
        return OTHERS * others / (len(points) - 1) - points[self.seat - 1] - own - self.cost(cell)

    def cost(self, cell: int) -> float:
        """What a capture on this cell costs; nothing if no tile lies there."""
        lying = self.state.tiles[cell.bit_length() - 1] if cell else 0
        if not lying:
            return 0.0
        if self.state.table.edition == UPTOWN:
            return TIE_BREAK
        most = max(self.captured)
        return 1.0 + TIE_BREAK if self.captured[(lying - 1) // FACES] == most else LATER

    def _place(self, cell: int) -> tuple[list[float], int, int, int]:
        """By seat the points of all colours but the one that places; and that one's cells, the free ones and
        those where it may capture."""
        masks, loose = [mask & ~cell for mask in self.state.masks], list(self.loose)
        masks[self.colour] |= cell
        for c, mask in enumerate(masks):
            if mask != self.state.masks[c]:
                loose[c] = mask & ~cuts(mask)
        free = ALL_CELLS & ~sum(masks)
        players = self.state.table.players
        points = [0.0] * players
        own = 0, 0, 0
        for c, mask in enumerate(masks):
            takable = 0
            for other, tiles in enumerate(loose):
                if (other - c) % players:
                    takable |= tiles
            around = (free | takable, 0) if self.state.table.edition == UPTOWN else (free, takable)
            if c == self.colour:
                own = mask, *around
            else:
                points[c % players] += expect_groups(mask, *around, self.left[c], self.turns[c])
        return points, *own
