"""Why a placement in Blockers! is good: what can be seen of it on the board and on one's own rack.

Each pattern is a plain statement about the position that the seat sees, and is true of every move it matches.
"""

from collections.abc import Callable, Mapping

from tutor.games.blockers.engine.board import (
    ALL_CELLS,
    CELLS,
    FACES,
    FITS,
    JOKER_BIT,
    JOKER_FACE,
    beside,
    faces_in,
    groups,
)
from tutor.games.blockers.engine.state import UPTOWN, State, captured, due, in_hand, playable, seat_of, unseen
from tutor.games.blockers.table.outlook import look_around, turns_after


class Placement:
    """A tile on a cell, before it lies there. Sets are bits, as in a `State`."""

    def __init__(self, state: State, face: int, cell: str) -> None:
        self.state, self.face = state, face
        self.colour = due(state)
        self.bit = CELLS[cell]
        self.own = state.masks[self.colour]
        self.touched = sum(bool(group & beside(self.bit)) for group in groups(self.own))
        """How many own groups the tile lies beside."""
        self.lying = state.tiles[self.bit.bit_length() - 1]
        """What it captures, as the state writes it; 0 on an empty cell."""
        self.free = ALL_CELLS & ~sum(state.masks)
        self.hand = in_hand(state, self.colour)

    def joins_by_capture(self) -> bool:
        return self.lying > 0 and self.touched > 1

    def joins(self) -> bool:
        return not self.lying and self.touched > 1

    def blocks(self) -> bool:
        """Whether an opponent may have a tile that would join two of its groups on this empty cell."""
        state = self.state
        turns = turns_after(state)
        return not self.lying and any(
            turns[c]
            and look_around(mask)[2] & self.bit
            and any(FITS[face] & self.bit for face in faces_in(playable(state, c)))
            for c, mask in enumerate(state.masks)
            if seat_of(state, c) != seat_of(state, self.colour)
        )

    def prepares(self) -> bool:
        """Whether an empty cell lies beside two own groups because of this tile, and there is another to fit
        there, in hand or in the supply, and a turn for it."""
        if not turns_after(self.state)[self.colour]:
            return False
        now, before = look_around(self.own | self.bit)[2], look_around(self.own)[2]
        opened = now & ~before & self.free & ~self.bit
        left = (self.hand | unseen(self.state, self.colour)) & ~(1 << self.face)
        return any(FITS[face] & opened for face in faces_in(left))

    def is_only_place(self) -> bool:
        """Whether the tile fits on no other empty cell beside own tiles."""
        return self.face != JOKER_FACE and FITS[self.face] & beside(self.own) & self.free == self.bit

    def extends_by_free_capture(self) -> bool:
        """Whether the capture adds no point as the pile lies now."""
        if not self.extends_by_capture():
            return False
        pile = captured(self.state, seat_of(self.state, self.colour))
        return self.state.table.edition == UPTOWN or pile[(self.lying - 1) // FACES] < max(pile)

    def extends_by_capture(self) -> bool:
        return self.lying > 0 and self.touched > 0

    def extends(self) -> bool:
        return not self.lying and self.touched > 0

    def begins_with_room(self) -> bool:
        """Whether it is the first tile of its colour, with empty cells on three sides or more."""
        return not self.state.played[self.colour] and (beside(self.bit) & self.free).bit_count() > 2

    def cannot_extend(self) -> bool:
        """Whether it opens a group, and so would the rest of the hand on any empty cell, but for a joker."""
        there = beside(self.own) & self.free
        known = faces_in(self.hand & ~JOKER_BIT)
        return self.own > 0 and not self.touched and not any(FITS[face] & there for face in known)


PATTERNS: Mapping[str, Callable[[Placement], bool]] = {
    "join-by-capture": Placement.joins_by_capture,
    "join": Placement.joins,
    "block": Placement.blocks,
    "prepare": Placement.prepares,
    "only-place": Placement.is_only_place,
    "free-capture": Placement.extends_by_free_capture,
    "extend-by-capture": Placement.extends_by_capture,
    "extend": Placement.extends,
    "begin": Placement.begins_with_room,
    "unavoidable": Placement.cannot_extend,
}
"""By name, the most telling first."""
