"""What comes of a move beside what it does itself: decks that are filled again, fights that are decided."""

from collections.abc import Iterator

from tutor.rules.base import Deed, Effect, Value
from tutor.rules.confini.piles import source
from tutor.rules.confini.scoring import needed, value_text
from tutor.rules.confini.state import DOWN, PILE, REVEAL, SMOKE, Score, State, is_decided


def effects(before: State, after: State) -> Iterator[Effect]:
    """In the order in which they happen: the stack may draw, and the pile is drawn from after the fight."""
    if before.discard & ~after.discard:  # the only way out of the discards
        yield Effect(Deed("shuffle"), "confini.deck.shuffle")
    was_fought = before.fight is not None and not is_decided(before)
    if after.last and was_fought and (after.fight is None or is_decided(after)):
        yield _compared(after.last, after.rounding)
    yield from _piles(before, after)


def _compared(result: Score, rounding: str) -> Effect:
    value = needed(result, rounding) if rounding == DOWN else value_text(result)
    args: dict[str, Value] = {"player": f"p{result.challenger}", "will": result.will, "value": value}
    smoke = result.kind == SMOKE
    if result.won:
        return Effect(Deed("won", (), args), "confini.smoke.win" if smoke else "confini.fight.won")
    return Effect(Deed("lost", (), args), "confini.smoke.out" if smoke else "confini.fight.lost")


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
