"""Who is stronger in a fight, and who has won the game."""

from math import ceil

from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import CENTRE, LIMIT, UNKNOWN
from tutor.games.confini.engine.state import (
    DOWN,
    OVER,
    SMOKE,
    Fight,
    Position,
    Score,
    State,
    clockwise,
    gear,
    living,
)
from tutor.rules.base import Outcome, Value, rank

# Fights


def score(box: Box, at: Position, fight: Fight) -> Score:
    """Both sides as they stand now. Eco that is no longer there does not count."""
    seat = at.active
    worn = gear(box, at, seat)
    flaw = box.characters[at.characters[seat - 1]].flaw
    if fight.smoke:
        shown = [box.cards[card] for card in fight.revealed if box.cards[card].kind == LIMIT]
        same = any(card.flaw == flaw for card in shown)
        rivals = len(clockwise(at, seat))
        return Score(
            SMOKE, seat, UNKNOWN, at.eco[seat - 1], worn.bonus, fight.will, rivals, 0, int(same), fight.value,
            len(shown), fight.eco_sum, rivals,
        )  # fmt: skip
    limit = box.cards[fight.card]
    on_own_arc = box.flaw_of[fight.arc] == limit.flaw
    arc = on_own_arc and "arc_bonus" not in worn.ignores and "arc_bonus" not in fight.ignored
    return Score(
        LIMIT, seat, fight.card, min(fight.eco, at.eco[seat - 1]), worn.bonus, fight.will,
        limit.value, int(arc), int(limit.flaw == flaw), fight.value,
    )  # fmt: skip


def needed(result: Score, rounding: str) -> int:
    """The least Will that is enough."""
    if not result.eco_sum:
        return result.whole
    if rounding == DOWN:
        return result.whole + result.eco_sum // result.rivals
    return result.whole + ceil(result.eco_sum / result.rivals)


def value_text(result: Score) -> Value:
    """The Challenge Value: a whole number, or the exact fraction as text."""
    if not result.eco_sum or result.eco_sum % result.rivals == 0:
        return result.whole + (result.eco_sum // result.rivals if result.eco_sum else 0)
    return write_fraction(result.whole * result.rivals + result.eco_sum, result.rivals)


_PARTS = {(1, 2): "½", (1, 3): "⅓", (2, 3): "⅔"}


def write_fraction(number: int, by: int) -> str:
    """22, 3 -> `7⅓`; by at most three, the most rivals that there can be."""
    whole, rest = divmod(number, by) if by else (0, 0)
    if not rest:
        return str(whole)
    return f"{whole or ''}{_PARTS[rest, by]}"


# The game


def outcome(box: Box, state: State) -> Outcome | None:
    """The Smoke is defeated, one player is left, or the guard ranks the living."""
    if state.phase != OVER:
        return None
    alive = living(state)
    ranks = rank([_standing(box, state, seat) for seat in range(1, len(state.level) + 1)])
    if any(state.level[seat - 1] == CENTRE for seat in alive):
        return Outcome(ranks, state.level, "confini.smoke.win")
    if len(alive) == 1:
        return Outcome(ranks, state.level, "confini.end.last")
    return Outcome(ranks, state.level, "confini.end.guard" if ranks.count(1) == 1 else "confini.end.draw")


def _standing(box: Box, state: State, seat: int) -> tuple[int, ...]:
    """Level, then Spago, Eco and bonus. The eliminated, who have nothing of it, share the last place."""
    i = seat - 1
    return state.level[i], state.spago[i], state.eco[i], gear(box, state, seat).bonus
