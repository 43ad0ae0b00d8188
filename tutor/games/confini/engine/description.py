"""Confini told to another program: options, cards, board and notation, as plain data."""

from typing import Any

from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.effects import CONDITIONS, SHAPES, TRIGGERS
from tutor.games.confini.engine.state import PHASES


def describe(box: Box) -> dict[str, Any]:
    numbers = box.numbers
    return {
        "characters": {
            name: {"flaw": one.flaw, "ability": one.ability, "quadrant": one.quadrant, "effects": _texts(one)}
            for name, one in box.characters.items()
        },
        "arcs": box.flaw_of,
        "numbers": {name: getattr(numbers, name) for name in type(numbers).__slots__},
        "cards": {card.id: _card(box, i) for i, card in enumerate(box.cards)},
        "effects": {
            "primitives": {name: [list(kinds) for kinds in shape] for name, shape in SHAPES.items()},
            "moments": list(TRIGGERS),
            "conditions": list(CONDITIONS),
        },
        "notation": {"moves": MOVES, "position": POSITION},
    }


def _card(box: Box, i: int) -> dict[str, Any]:
    card = box.cards[i]
    found: dict[str, Any] = {
        "design": card.design,
        "kind": card.kind,
        "home": card.home,
        "effects": _texts(card),
    }
    if card.bonus:
        found["bonus"] = card.bonus
    if card.flaw:
        found |= {"flaw": card.flaw, "value": card.value}
    if card.kept:
        found["kept"] = True
    return found


def _texts(thing: Any) -> dict[str, list[str]]:
    return {trigger: [effect.text for effect in effects] for trigger, effects in thing.effects.items()}


MOVES = {
    "dice 3 5": "chance: the die of each player who rolls, in seat order",
    "p1 pick vasco": "seat 1 chooses a character",
    "p1 explore 2": "seat 1 declares two Explorer cards",
    "draw EV01#2": "chance: the card that comes from the deck or pile a card is due from",
    "take EQ5#1": "chance: the random card that leaves a hand",
    "p1 play EV06#1 p2": "seat 1 plays a card, at a player where the card needs one",
    "p1 play EV07#1 p2 EQ5#1": "... at an Equipment of that player",
    "p1 equip EQ5#1 for EQ1#1": "activates Equipment, in the place of another if `for` is there",
    "p1 done": "ends the Exploration",
    "p1 look 3": "looks at the face-down Limit with the public number 3",
    "p1 fight 3": "turns it up and fights it",
    "p1 spend 3": "declares Eco for the fight",
    "p1 pass": "plays no card, or declines what is offered",
    "p1 use EV09#1": "uses what is offered: a kept card, an Equipment, or an Ability by the character's id",
    "p1 give EV02#1": "gives or discards the card that an effect asks for",
    "p1 drop EQ1#1": "discards an active Equipment",
    "p1 move 3 NE4": "moves a Limit that was looked at",
    "p1 place SE2": "places the drawn Limit",
    "p1 advance": "pays and goes up a level",
    "p1 stay": "does not",
    "p1 discard EV02#1": "discards down to the hand limit",
    "p1 smoke": "challenges the Smoke",
    "reveal L2-CUP-A": "chance: a card that a rival reveals for the Smoke; in a view also the face of a "
    "Limit that was turned up without naming it",
    "draw ?": "in a view: a card that is drawn (`take ?`, `p1 give ?`: taken, given) unseen",
    "p1 fight 3 3:L2-CUP-A": "any move may end with faces that it turns up: of a Limit by its number ...",
    "p2 pass p2:EV02#1": "... or of a card of a hand by its player; in a whole position they must be true",
}
POSITION = {
    "example": "equip active=p1 round=3 p1=andrea p1.level=4 p1.eco=4 p1.equip=EQ1#1 p2=vasco p2.spago=2 "
    "limits=NW4:p2:L4-PRE-B#1 discard=CT#1",
    "phases": list(PHASES),
    "defaults": "what is not named is at its start; unnamed cards lie in their decks; beside deck=... or "
    "pile2=... (none for an empty one) the rest of it is discarded",
    "cards": "EV02#1.3 are two copies; a card without its number is the first copy that is free",
    "limit": "number:arc:placer:card:other seats that know it; without a number it has the next one",
    "hidden": "?3 are three cards whose faces are hidden, L2-? a Limit out of pile 2; then decks and piles "
    "are given by their number of cards (deck=?70), or left out and have the rest",
    "last": "the last fight: challenger, Limit, Eco, bonus and effects of the Will; arc, Flaw and effects of "
    "the value. Against the Smoke: Flaw, effects, Limits, sum of the rivals' Eco, rivals",
}
