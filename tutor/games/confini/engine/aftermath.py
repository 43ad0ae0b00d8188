"""What comes of a move beside what it does itself: decks that are filled again, fights that are decided."""

from collections.abc import Iterator

from tutor.games.confini.engine.piles import source
from tutor.games.confini.engine.scoring import needed, value_text
from tutor.games.confini.engine.state import DOWN, PILE, REVEAL, SMOKE, Score, State, is_decided
from tutor.rules.base import Deed, Effect, Value


def effects(before: State, after: State) -> Iterator[Effect]:
    """In the order in which they happen: the stack may draw, and the pile is drawn from after the fight."""
    if before.discard & ~after.discard:  # the only way out of the discards
        yield Effect(Deed("shuffle"), "confini.deck.shuffle")
    was_fought = before.fight is not None and not is_decided(before)
    if after.last and was_fought and (after.fight is None or is_decided(after)):
        yield _compare(after.last, after.rounding)
    yield from _piles(before, after)


def _compare(result: Score, rounding: str) -> Effect:
    value = needed(result, rounding) if rounding == DOWN else value_text(result)
    args: dict[str, Value] = {"player": f"p{result.challenger}", "will": result.will, "value": value}
    smoke = result.kind == SMOKE
    if result.won:
        won = ("smoke-won", "confini.smoke.win") if smoke else ("won", "confini.fight.won")
        return Effect(Deed(won[0], (), args), won[1])
    lost = ("smoke-lost", "confini.smoke.out") if smoke else ("lost", "confini.fight.lost")
    return Effect(Deed(lost[0], (), args), lost[1])


def _piles(before: State, after: State) -> Iterator[Effect]:
    """Piles grow only when they are filled again, with Limits of the board if need be."""
    pairs = zip(before.piles, after.piles, strict=True)
    filled = [n for n, (old, new) in enumerate(pairs, 1) if new.bit_count() > old.bit_count()]
    if filled and after.phase == REVEAL:
        yield Effect(Deed("refill-smoke"), "confini.smoke.reveal")
        return
    gone = len(before.limits) - len(after.limits)
    if filled and gone > 0:
        yield Effect(Deed("collect", (), {"count": gone}), "confini.pile.refill")
    for pile in filled:
        yield Effect(Deed("refill", (), {"pile": pile}), "confini.pile.refill")
    if after.phase == PILE != before.phase:
        level = after.level[after.active - 1]
        pile = source(after, level) + 1
        if pile != level:
            yield Effect(Deed("next-pile", (), {"pile": pile}), "confini.pile.refill")
