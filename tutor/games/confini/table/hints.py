"""Why a move of Confini is good: patterns that a hint can name, each found in the position itself."""

from collections.abc import Callable, Mapping

from tutor.games.confini.engine.cards import UNKNOWN
from tutor.games.confini.engine.state import (
    CARDS,
    CHARM,
    EQUIP,
    OFFER,
    STEADY,
    Limit,
    find_limit,
    gear,
    limits_on,
)
from tutor.games.confini.table.mind import Mind
from tutor.games.confini.table.prospects import meet
from tutor.games.confini.table.windows import goes_well
from tutor.games.confini.table.worth import outfit_after
from tutor.rules.base import Move

_TAKES = ("cut", "move_card", "move_equip")


def _likely_win(mind: Mind, move: Move) -> bool:
    """The Smoke is beaten more often than not."""
    return move.act == "smoke" and mind.challenge_odds > 0.5


def _next_level(mind: Mind, move: Move) -> bool:
    """The pawn goes up, and the Eco is full again."""
    return move.act == "advance"


def _robs(mind: Mind, move: Move) -> bool:
    """A rival loses a Spago, a card or an Equipment to the player."""
    if move.act != "play" or len(move.what) < 2:
        return False
    card = mind.box.cards[mind.box.index[move.what[0]]]
    return any(effect.name in _TAKES for effects in card.effects.values() for effect in effects)


def _more_eco(mind: Mind, move: Move) -> bool:
    """A card gives the player Eco that is not over the maximum."""
    if move.act != "play" or mind.at.phase != EQUIP:
        return False
    effects = mind.box.cards[mind.box.index[move.what[0]]].effects["play_explore"]
    room = mind.eco < gear(mind.box, mind.at, mind.seat).eco_max
    return room and any(effect.name == "eco" and effect.number(1) > 0 for effect in effects)


def _better_outfit(mind: Mind, move: Move) -> bool:
    """The bonus grows; or it stays, and an effect comes that is worth more than one that goes."""
    if move.act != "equip":
        return False
    character, equip = mind.at.characters[mind.seat - 1], mind.at.equip[mind.seat - 1]
    after = mind.box.gear(character, outfit_after(mind.box, equip, move)).bonus
    before = mind.box.gear(character, equip).bonus
    return after > before or (after == before and mind.rate(move) > 0)


def _turns_fight(mind: Mind, move: Move) -> bool:
    """As the cards lie the fight goes wrong without this one, and well with it."""
    if move.act != "play" or mind.at.phase != CARDS or len(move.what) > 1:
        return False
    card = mind.box.index[move.what[0]]
    return goes_well(mind.box, mind.at, mind.seat, card) and not goes_well(mind.box, mind.at, mind.seat)


def _enough_will(mind: Mind, move: Move) -> bool:
    """The Eco that is spent, or that there is, makes enough Will for the Limit if no card is played."""
    if move.act == "spend":
        return mind.bout.lacking <= int(move.what[0])
    limit = find_limit(mind.at, int(move.what[0])) if move.act == "fight" else None
    return limit is not None and limit.card != UNKNOWN and _lacking(mind, limit) <= mind.eco


def _keeps_eco(mind: Mind, move: Move) -> bool:
    """No Eco is spent, and none is worth spending."""
    return move.act in ("spend", "explore") and move.what[0] == "0" and mind.is_best(move)


def _too_strong(mind: Mind, move: Move) -> bool:
    """A rival who meets the Limit there has not enough Eco and bonus for it."""
    return any(_beats(mind, move, rival) is False for rival in mind.rivals)


def _own_prey(mind: Mind, move: Move) -> bool:
    """On this arc of the player's own way, Eco and bonus will be enough for the Limit."""
    return bool(_beats(mind, move, mind.seat))


def _out_of_reach(mind: Mind, move: Move) -> bool:
    """No rival ever meets the Limit there."""
    return move.act in ("place", "move") and all(_beats(mind, move, rival) is None for rival in mind.rivals)


def _beats(mind: Mind, move: Move, seat: int) -> bool | None:
    """Whether a player's Eco and bonus will be enough for a Limit where a move lays it: with the next Eco on
    the arc of the pawn, with full Eco further on. None if the player never meets it."""
    if move.act == "place":
        card, placer = mind.at.held, mind.seat
    else:
        limit = find_limit(mind.at, int(move.what[0])) if move.act == "move" else None
        card, placer = (limit.card, limit.placer) if limit else (UNKNOWN, 0)
    arc, level = move.what[-1] if move.what else "", mind.at.level[seat - 1]
    way = mind.box.arcs_of[mind.at.characters[seat - 1]][level:-1]
    if card < 0 or arc not in way:
        return None
    most = gear(mind.box, mind.at, seat).eco_max
    eco = min(most, mind.at.eco[seat - 1] + 1) if arc == way[0] else most
    return meet(mind.box, mind.at, seat, card, arc, placer).lacking <= eco


def _spare_eco(mind: Mind, move: Move) -> bool:
    """The Eco for the cards is not needed in this turn's fight: there is none, enough is left to win one, or
    there is not enough anyway."""
    if move.act != "explore" or move.what[0] == "0":
        return False
    lacking = [_lacking(mind, limit) for limit in limits_on(mind.at, mind.arc)]
    return not lacking or min(lacking) <= mind.eco - int(move.what[0]) or min(lacking) > mind.eco


def _lacking(mind: Mind, limit: Limit) -> float:
    """The Eco that a Limit takes at least if no card is played; of an unknown one the value is known."""
    if limit.card != UNKNOWN:
        return meet(mind.box, mind.at, mind.seat, limit.card, limit.arc, limit.placer).lacking
    return limit.pile - gear(mind.box, mind.at, mind.seat).bonus


def _no_risk(mind: Mind, move: Move) -> bool:
    """A card that is drawn can be a Turn Change, which nothing stops."""
    calm = gear(mind.box, mind.at, mind.seat).steady
    return move == Move(mind.seat, "explore", ("0",)) and mind.change_odds > 0 and not calm


def _spares(mind: Mind, move: Move) -> bool:
    """A Turn Change, or the negative effect of a Limit, does nothing."""
    return move.act == "use" and mind.at.queue[0].kind in (STEADY, CHARM)


def _finds_out(mind: Mind, move: Move) -> bool:
    """The player sees the face of a Limit that was hidden."""
    if move.act == "look":
        limit = find_limit(mind.at, int(move.what[0]))
        return limit is not None and limit.card == UNKNOWN
    if move.act != "play" or mind.at.phase != EQUIP:
        return False
    looks = "limits" in mind.box.cards[mind.box.index[move.what[0]]].aims("play_explore")
    return looks and any(limit.card == UNKNOWN for limit in mind.at.limits)


def _nothing_better(mind: Mind, move: Move) -> bool:
    """Every card that could be played, activated or used now is worth more later."""
    cards = not mind.at.queue or mind.at.queue[0].kind in (CHARM, OFFER)
    return move.act in ("pass", "done") and cards and mind.is_best(move)


def _least_useful(mind: Mind, move: Move) -> bool:
    """Of the cards to part with, none is worth less."""
    return move.act in ("discard", "give", "drop") and mind.is_best(move)


PATTERNS: Mapping[str, Callable[[Mind, Move], bool]] = {
    "likely-win": _likely_win,
    "next-level": _next_level,
    "turns-fight": _turns_fight,
    "robs": _robs,
    "more-eco": _more_eco,
    "better-outfit": _better_outfit,
    "enough-will": _enough_will,
    "too-strong": _too_strong,
    "own-prey": _own_prey,
    "out-of-reach": _out_of_reach,
    "spare-eco": _spare_eco,
    "no-risk": _no_risk,
    "keeps-eco": _keeps_eco,
    "spares": _spares,
    "finds-out": _finds_out,
    "nothing-better": _nothing_better,
    "least-useful": _least_useful,
}
"""The most telling first."""
