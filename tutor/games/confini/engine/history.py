"""Whether what a position tells of earlier turns can have been: the last fight, cards in hand and Spago won.

These are bounds that no game breaks, not a record of it: the round is often left out of a position that is
typed or set up, so nothing here asks how soon somebody can be on a level.
"""

from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import CENTRE, bits
from tutor.games.confini.engine.state import OVER, SMOKE, Position, Score, living

# The last fight


def can_have_ended(box: Box, at: Position, last: Score) -> bool:
    """Whether the last fight can have ended like this, with the players as they are now."""
    everything = box.gear("", box.equipment)
    bonuses = sorted((box.cards[i].bonus for i in bits(box.equipment)), reverse=True)
    will, value = (_changes(box, name, last.card) for name in ("will", "challenge"))
    if last.eco > everything.eco_max or last.bonus > sum(bonuses[: everything.slots]):
        return False
    if last.will_effects not in will or last.effects not in value:
        return False
    return _smoke_can_have(box, at, last) if last.kind == SMOKE else _limit_can_have(box, at, last)


def _changes(box: Box, name: str, limit: int) -> range:
    """What effects can have changed: each card that can be played in a fight once, and the Limit's own."""
    written = [card.effects.get("play_combat", ()) for card in box.cards]
    written += [box.cards[limit].effects.get("on_reveal", ())] if limit >= 0 else []
    numbers = [effect.number(0) for effects in written for effect in effects if effect.name == name]
    return range(sum(n for n in numbers if n < 0), sum(n for n in numbers if n > 0) + 1)


def _limit_can_have(box: Box, at: Position, last: Score) -> bool:
    """The challenger plays on, and has been on an arc of the Limit's Flaw if that has counted."""
    name, level = at.characters[last.challenger - 1], at.level[last.challenger - 1]
    if not name or not level:
        return False
    flaw = box.cards[last.card].flaw
    met = any(box.flaw_of[arc] == flaw for arc in box.arcs_of[name][1 : level + 1] if arc)
    by_smoke = at.phase == OVER and (CENTRE in at.level or len(living(at)) == 1)
    return last.flaw == (box.characters[name].flaw == flaw) and (met or not last.arc) and not by_smoke


def _smoke_can_have(box: Box, at: Position, last: Score) -> bool:
    """Whoever has lost is out and whoever has won ends the game; nobody has left it since."""
    alive = living(at)
    won = at.phase == OVER and at.active == last.challenger and at.level[last.challenger - 1] == CENTRE
    ended = won if last.won else last.challenger not in alive
    numbers, everything = box.numbers, box.gear("", box.equipment)
    most = last.rivals * numbers.eco_max + everything.eco_max - numbers.eco_max
    return (
        ended
        and last.rivals == len(alive) - last.won
        and last.flaw <= last.limits <= last.rivals
        and last.eco_sum <= most
    )


# Hands and Spago


def too_full(box: Box, at: Position, seat: int) -> bool:
    """Whether more cards are in a hand than can have come since its last check, a turn of each ago."""
    kept = box.gear(at.characters[seat - 1], box.equipment).hand_limit
    return at.hand[seat - 1].bit_count() > kept + len(at.level) * box.cards_a_turn


def too_rich(box: Box, at: Position) -> int:
    """Who has the most Spago, if that is more than all turns can have brought; 0 if it is not.

    As much as the Smoke costs is never asked about: it is what a position is set up with.
    """
    players = len(at.level)
    turns = (at.round - 1) * players + (at.active - at.first) % players + 1
    surplus = [max(0, spago - box.numbers.smoke) for spago in at.spago]
    return surplus.index(max(surplus)) + 1 if sum(surplus) > turns * box.spago_a_turn else 0
