"""What is told of a position and of a move: facts for goals and texts, and deeds."""

from tutor.games.confini.engine.answers import HIDDEN_CARD
from tutor.games.confini.engine.board import Box, design, place_called
from tutor.games.confini.engine.cards import CENTRE
from tutor.games.confini.engine.faces import bare
from tutor.games.confini.engine.scoring import needed, outcome, score, value_text, write_fraction
from tutor.games.confini.engine.state import (
    CARDS,
    CHARM,
    OFFER,
    PILE,
    SMOKE,
    UNCOVER,
    State,
    Task,
    find_limit,
    gear,
    is_decided,
    limits_on,
    live_arcs,
    living,
    own_arc,
    placer_of,
    too_many,
)
from tutor.games.confini.engine.tasks import charms
from tutor.rules.base import Deed, Move, Value
from tutor.rules.errors import quote_input

HIDDEN = "hidden"
"""What a card is called that nobody may see."""

# Facts


def facts(box: Box, state: State) -> dict[str, Value]:
    ended = outcome(box, state)
    held = state.held
    found: dict[str, Value] = {
        "phase": state.phase,
        "choice": f"choice-{state.queue[0].kind}" if state.queue else "",
        "active": f"p{state.active}" if state.active else "",
        "first": f"p{state.first}" if state.first else "",
        "round": state.round,
        "players": len(living(state)),
        "winners": tuple(f"p{seat}" for seat in ended.winners) if ended else (),
        "eliminated": tuple(f"p{seat}" for seat, level in enumerate(state.level, 1) if not level),
        "supply": state.supply,
        "deck": state.deck.bit_count(),
        "discard": state.discard.bit_count(),
        "draws": state.draws,
        "looks": state.looks,
        "held": box.cards[held].design if held >= 0 else "",
        "limits": len(state.limits),
        "dead": sum(limit.arc not in live_arcs(box, state) for limit in state.limits),
    }
    for n, (pile, filed) in enumerate(zip(state.piles, state.filed, strict=True), 1):
        found[f"pile.{n}"] = pile.bit_count()
        found[f"discard.{n}"] = filed.bit_count()
    for arc in dict.fromkeys(limit.arc for limit in state.limits):
        found[f"on.{arc}"] = len(limits_on(state, arc))
    for seat in range(1, len(state.level) + 1):
        found |= _player(box, state, seat)
    return found | _fight(box, state)


def _player(box: Box, state: State, seat: int) -> dict[str, Value]:
    i, player = seat - 1, f"p{seat}"
    worn = gear(box, state, seat)
    level = state.level[i]
    cost = box.numbers.advance[level - 1] if 0 < level < len(state.piles) else box.numbers.smoke
    return {
        f"character.{player}": state.characters[i],
        f"arc.{player}": own_arc(box, state, seat),
        f"level.{player}": level,
        f"eco.{player}": state.eco[i],
        f"max.{player}": worn.eco_max,
        f"spago.{player}": state.spago[i],
        f"cost.{player}": cost,
        f"hand.{player}": state.hand[i].bit_count(),
        f"over.{player}": too_many(box, state, seat),
        f"equip.{player}": state.equip[i].bit_count(),
        f"bonus.{player}": worn.bonus,
        f"slots.{player}": worn.slots,
        f"kept.{player}": state.kept[i].bit_count(),
        f"known.{player}": sum(limit.seen >> seat & 1 for limit in state.limits),
    }


def _fight(box: Box, state: State) -> dict[str, Value]:
    """The fight under way, or else the last one."""
    fight = state.fight
    result = score(box, state, fight) if fight and not is_decided(state) else state.last
    if result is None:
        return {}
    smoke = result.kind == SMOKE
    found: dict[str, Value] = {
        "challenger": f"p{result.challenger}",
        "enemy": SMOKE if smoke else box.cards[result.card].design,
        "will": result.will,
        "will.eco": result.eco,
        "will.bonus": result.bonus,
        "will.effects": result.will_effects,
        "value": value_text(result),
        "value.base": result.base,
        "value.arc": result.arc,
        "value.flaw": result.flaw,
        "value.effects": result.effects,
        "needed": needed(result, state.rounding),
        "won": result.won,
    }
    if smoke:
        found |= {
            "value.limits": result.limits,
            "rivals": result.rivals,
            "eco-sum": result.eco_sum,
            "share": write_fraction(result.eco_sum, result.rivals),
        }
    if fight:
        placer = placer_of(state)
        found |= {
            "placer": f"p{placer}" if placer else "nobody",
            "stack": len(fight.stack),
            "top": box.cards[fight.stack[-1].card].design if fight.stack else "",
            "silent": fight.silent,
            "to-play": f"p{fight.turn}" if state.phase == CARDS else "",
            "revealed": len(fight.revealed),
        }
    return found


# Deeds


def tell(box: Box, state: State, move: Move) -> Deed:
    move = bare(move)
    player = f"p{move.seat}"
    what = move.what
    match move.act:
        case "dice":
            seats = state.rolling or range(1, len(what) + 1)  # a roll that is not due is told of anybody
            players = tuple(f"p{seat}" for seat in seats)
            return Deed("dice", (), {"players": players, "dice": ", ".join(what)})
        case "draw" | "take" | "reveal":
            return _chance(box, state, move.act, _design_or_hidden(box, what[0]))
        case "pick":
            known = what[0] in box.characters
            arc = box.arcs_of[what[0]][1] if known else ""
            character = what[0] if known else quote_input(what[0])
            return Deed("pick", (arc,), {"player": player, "character": character, "arc": arc})
        case "explore" if what[0] == "0":
            return Deed("explore-none", (), {"player": player})
        case "explore" | "spend":
            return Deed(move.act, (), {"player": player, "count": int(what[0])})
        case "look" | "fight":
            limit = find_limit(state, int(what[0]))
            here = own_arc(box, state, move.seat) if move.seat <= len(state.level) else ""
            arc = limit.arc if limit else here
            return Deed(move.act, (arc,), {"player": player, "limit": int(what[0]), "arc": arc})
        case "move":
            arc = place_called(box, what[1])
            return Deed("move", (arc,), {"player": player, "limit": int(what[0]), "arc": arc})
        case "place":
            arc = place_called(box, what[0])
            return Deed("place", (arc,), {"player": player, "arc": arc})
        case "advance":
            level = state.level[move.seat - 1] if move.seat <= len(state.level) else 0
            level = min(level + 1, CENTRE) if level else 0
            return Deed("advance", (), {"player": player, "level": level})
        case "play" | "equip" | "use" | "give" | "drop" | "discard":
            return _card_deed(box, state, move)
        case "pass" if kept := _kept(box, state, move.seat):
            return Deed("keep", (), {"player": player, "card": kept})
    return Deed(move.act, (), {"player": player})


def _kept(box: Box, state: State, seat: int) -> str:
    """What a player who passes does not discard, if that is what the player is asked."""
    task = state.queue[0] if state.queue else Task("")
    if task.seat != seat or task.kind not in (OFFER, CHARM):
        return ""
    card = task.card if task.kind == OFFER else charms(box, state, seat)[0]
    return box.cards[card].design


def _design_or_hidden(box: Box, card: str) -> str:
    return HIDDEN if card == HIDDEN_CARD else design(box, card)


def _chance(box: Box, state: State, act: str, card: str) -> Deed:
    task = state.queue[0] if state.queue else Task("")
    player = f"p{task.seat or state.active}"
    if act == "reveal":
        return Deed("uncover" if task.kind == UNCOVER else "reveal", (), {"card": card})
    if act == "draw":
        kind = "draw-smoke" if state.phase == PILE and not state.queue else "draw"
        return Deed(*_hide(kind, {"player": player, "card": card}))
    if task.to:
        return Deed(*_hide("take", {"player": f"p{task.to}", "target": player, "card": card}))
    return Deed("lose", (), {"player": player, "card": card})


def _hide(kind: str, args: dict[str, Value]) -> tuple[str, tuple[str, ...], dict[str, Value]]:
    """A deed whose card must not be seen is told without it."""
    if args["card"] != HIDDEN:
        return kind, (), args
    return f"{kind}-hidden", (), {name: value for name, value in args.items() if name != "card"}


def _card_deed(box: Box, state: State, move: Move) -> Deed:
    args: dict[str, Value] = {"player": f"p{move.seat}", "card": _design_or_hidden(box, move.what[0])}
    if move.act == "equip" and len(move.what) > 1:
        return Deed("replace", (), args | {"old": design(box, move.what[1])})
    if move.act == "play" and len(move.what) == 3:
        return Deed("plunder", (), args | {"target": move.what[1], "equipment": design(box, move.what[2])})
    if move.act == "play" and len(move.what) == 2:
        return Deed("play-at", (), args | {"target": move.what[1]})
    if move.act == "give":
        to = state.queue[0].to if state.queue else 0
        return Deed(*_hide("give", args | {"target": f"p{to}"})) if to else Deed("discard", (), args)
    return Deed(move.act, (), args)
