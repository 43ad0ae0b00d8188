"""Scores of Blockers! and of its first edition Uptown, and who wins with them. Low scores are good."""

from collections.abc import Iterator

from tutor.games.blockers.engine.board import groups
from tutor.games.blockers.engine.state import OVER, UPTOWN, State, captured
from tutor.rules.base import Deed, Effect, Outcome, Value, rank

REASONS = {
    "blockers": ("blockers.end.lowest", "blockers.end.tie", "blockers.end.shared"),
    "uptown": ("blockers.uptown.fewest", "blockers.uptown.tie", "blockers.end.shared"),
}
"""The rules that decide: alone at the bottom, by fewer captures, or not at all."""


def group_counts(state: State) -> tuple[int, ...]:
    """The groups of each colour."""
    return tuple(len(groups(mask)) for mask in state.masks)


def scores(state: State, edition: str) -> tuple[int, ...]:
    """By seat: the groups of the own colours and, in Blockers!, the captured tiles of one colour."""
    players = state.table.players
    counts = group_counts(state)
    own = [sum(counts[seat::players]) for seat in range(players)]
    if edition == UPTOWN:
        return tuple(own)
    return tuple(count + max(captured(state, seat)) for seat, count in enumerate(own, 1))


def outcome(state: State, edition: str) -> Outcome | None:
    """Who has won by the scoring of an edition; None while the game goes on."""
    if state.phase != OVER:
        return None
    alone, by_captures, shared = REASONS[edition]
    points = scores(state, edition)
    keys = [(-score, -pile.bit_count()) for score, pile in zip(points, state.piles, strict=True)]
    ranks = rank(keys)
    if points.count(min(points)) == 1:
        return Outcome(ranks, points, alone)
    return Outcome(ranks, points, by_captures if ranks.count(1) == 1 else shared)


def effects(state: State) -> Iterator[Effect]:
    """How a game that is over is counted: groups, and in Blockers! the captured tiles of one colour."""
    ended = outcome(state, state.table.edition)
    for seat, score in enumerate(ended.scores if ended else (), 1):
        player, pile = f"p{seat}", captured(state, seat)
        if state.table.edition == UPTOWN:
            deed = Deed("counted-uptown", (), {"player": player, "groups": score, "captured": sum(pile)})
        else:
            most = max(pile)
            values: dict[str, Value] = {"player": player, "groups": score - most, "captured": most}
            deed = Deed("counted", (), values | {"score": score})
        yield Effect(deed)
