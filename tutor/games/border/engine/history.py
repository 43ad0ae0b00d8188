"""Refuses positions that no game can reach, as far as the position itself tells.

Every board is asked for a past. Crosses grow from white spaces and from segments that were completed in a
first action. The dice used in the action under way were used for as many of the crosses, in their colours
and by the rules of that action, and the areas that are fresh were completed by them.
"""

from collections.abc import Iterator

from tutor.games.border.engine.board import Board, Box, Geometry, indices, parts
from tutor.games.border.engine.state import ALL_DICE, AREAS_TO_END, FIRST, OVER, SECOND, START, State
from tutor.rules.errors import InvalidPosition

MOST_TRIES = 500
"""How many pasts of an action are tried. A position that needs more is believed: reading must stay cheap."""


def check_history(box: Box, state: State, fresh: int) -> None:
    """Raises InvalidPosition that names the fault. `done` has the seats that the text calls done."""
    geometry = box.geometry
    if state.phase == START:
        _check_start(geometry, state)
    _check_circled(geometry, state)
    _check_values(geometry, state)
    _check_fresh(geometry, state, fresh)
    _check_dice(state)
    _check_done(state)
    _check_end(state)
    for seat, number in enumerate(state.boards, 1):
        board = box.boards[number - 1]
        stray = _stray(geometry, board, state.crosses[seat - 1])
        if stray:
            raise InvalidPosition("position.stray", space=geometry.spaces(stray)[0], player=f"p{seat}")
        if not _action_fits(geometry, board, state, seat, fresh):
            raise InvalidPosition("position.action", player=f"p{seat}")


def _check_start(geometry: Geometry, state: State) -> None:
    for seat, crosses in enumerate(state.crosses, 1):
        if crosses != geometry.white:
            raise InvalidPosition("position.begun", player=f"p{seat}")


def _check_circled(geometry: Geometry, state: State) -> None:
    """Exactly the completed areas are circled."""
    for seat, crosses in enumerate(state.crosses, 1):
        wrong = geometry.completed(crosses) ^ (state.high[seat - 1] | state.low[seat - 1])
        for i in indices(wrong):
            raise InvalidPosition("position.circled", area=geometry.areas[i].id, player=f"p{seat}")


def _check_values(geometry: Geometry, state: State) -> None:
    """Somebody was first at every completed area, but not everybody: the active player acts apart."""
    for i, area in enumerate(geometry.areas):
        high = sum(mask >> i & 1 for mask in state.high)
        low = sum(mask >> i & 1 for mask in state.low)
        if low and not high:
            raise InvalidPosition("position.nobody-first", area=area.id)
        if high == len(state.boards):
            raise InvalidPosition("position.all-first", area=area.id)


def _check_fresh(geometry: Geometry, state: State, fresh: int) -> None:
    """An area that is fresh was completed by somebody who acts now and by nobody before."""
    for i in indices(fresh):
        owners = {seat for seat, mask in enumerate(state.high, 1) if mask >> i & 1}
        late = any(mask >> i & 1 for mask in state.low)
        fits = owners == {state.active} if state.phase == FIRST else owners and state.active not in owners
        if late or not fits:
            raise InvalidPosition("position.fresh", area=geometry.areas[i].id)


def _check_dice(state: State) -> None:
    """Only who acts uses dice, and in the second action only such as the active player left."""
    by_active = state.spent[state.active - 1] if state.active else 0
    for seat, spent in enumerate(state.spent, 1):
        if not spent:
            continue
        fits = state.phase == SECOND or (state.phase == FIRST and seat == state.active)
        if seat != state.active:
            fits = fits and (spent.bit_count() == 1 if by_active == ALL_DICE else not spent & by_active)
        if not fits:
            raise InvalidPosition("position.spent", player=f"p{seat}")


def _check_done(state: State) -> None:
    """Inactive players are done one after the other; the last of them ends the round."""
    for seat in indices(state.done):
        if state.phase != SECOND or seat == state.active:
            raise InvalidPosition("position.done", player=f"p{seat}")
    if state.done.bit_count() == len(state.boards) - 1:
        raise InvalidPosition("position.all-done")


def _check_end(state: State) -> None:
    """A sixth area ends the game with the round: before the end only who has used dice can have it."""
    has_six = [
        (high | low).bit_count() >= AREAS_TO_END for high, low in zip(state.high, state.low, strict=True)
    ]
    if state.phase == OVER:
        fits = any(has_six)
    else:
        fits = all(spent for six, spent in zip(has_six, state.spent, strict=True) if six)
    if not fits:
        raise InvalidPosition("position.end")


def _stray(geometry: Geometry, board: Board, crosses: int) -> int:
    """The crosses that have grown from nothing."""
    whole = geometry.white
    for segment in board.segments:
        if not segment & ~crosses:
            whole |= segment
    return crosses & ~geometry.spread(whole, crosses)


def _action_fits(geometry: Geometry, board: Board, state: State, seat: int, fresh: int) -> bool:
    """Whether the dice that a player has used in this round can have led to the crosses and areas."""
    spent, recent = state.spent[seat - 1], state.recent[seat - 1]
    if recent and (state.phase != SECOND or seat == state.active):
        return False
    if not spent:
        return not fresh & state.high[seat - 1] and not recent
    dice = "".join(die for i, die in enumerate(state.dice) if spent >> i & 1)
    action = Action(
        geometry,
        board,
        first=seat == state.active,
        fixed=_rings(geometry, _older(state, seat, fresh)) | geometry.white,
        fresh=fresh & state.high[seat - 1],
        recent=recent,
    )
    return action.can_end(state.crosses[seat - 1], dice)


def _rings(geometry: Geometry, areas: int) -> int:
    spaces = 0
    for i in indices(areas):
        spaces |= geometry.rings[i]
    return spaces


class Action:
    """One player's part of an action, played backwards to find out whether it can have been."""

    def __init__(
        self, geometry: Geometry, board: Board, first: bool, fixed: int, fresh: int, recent: int
    ) -> None:
        self.geometry = geometry
        self.board = board
        self.first = first
        self.fixed = fixed
        """Spaces that were crossed before."""
        self.fresh = fresh
        """Areas that were not complete before."""
        self.recent = recent
        """Spaces that were not crossed before."""
        self.wanted = _rings(geometry, fresh)
        self.seen: set[int] = set()

    def can_end(self, crosses: int, dice: str) -> bool:
        """Whether these dice can have led to these crosses. Every set of crosses is looked at once."""
        if not dice:
            areas = self.geometry.completed(crosses)
            return not (areas & self.fresh or crosses & self.recent) and areas.bit_count() < AREAS_TO_END
        for part in self._last(crosses, dice):
            before = crosses & ~part
            if before in self.seen:
                continue
            if len(self.seen) == MOST_TRIES:
                return True
            self.seen.add(before)
            letter = self.board.colours[part.bit_length() - 1]
            if not _stray(self.geometry, self.board, before) and self.can_end(
                before, dice.replace(letter, "", part.bit_count())
            ):
                return True
        return False

    def _last(self, crosses: int, dice: str) -> Iterator[int]:
        """What may have been crossed last in this action; what can have made an area fresh comes first."""
        free = crosses & ~self.fixed
        recent = crosses & self.recent
        if recent.bit_count() >= len(dice):
            free &= recent
        for some in (free & self.wanted, free & ~self.wanted):
            for letter in dict.fromkeys(dice):
                if not self.first:
                    for i in indices(some & self.board.by_colour[letter]):
                        if self.geometry.neighbours[i] & crosses:
                            yield 1 << i
                    continue
                for segment in self.board.segments_of[letter]:
                    if some & segment and not segment & ~crosses:
                        yield from (
                            part
                            for part in parts(segment & free)
                            if part & some and part.bit_count() <= dice.count(letter)
                        )


def _older(state: State, seat: int, fresh: int) -> int:
    """The areas that a player must have completed before the action under way."""
    if state.phase == FIRST or seat != state.active:
        return state.high[seat - 1] & ~fresh
    # The active player's first action is over. Who else was first at an area was so in an earlier round,
    # and so was who comes second without having used a die in this one.
    others = 0
    for other, (high, low) in enumerate(zip(state.high, state.low, strict=True), 1):
        if other != seat:
            others |= high if state.spent[other - 1] else high | low
    return state.high[seat - 1] & others
