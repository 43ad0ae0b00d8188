"""Moves of Confini as short text, with an exact round trip.

    p1 pick vasco            chooses a character            dice 3 5          chance: one die per player
    p1 explore 2             declares two Explorer cards    draw EV01#2       chance: the card that is drawn
    p1 equip EQ1#1           activates Equipment            take EQ5#1        chance: a random card of a hand
    p1 equip EQ5#1 for EQ1#1 ... in another's place         reveal L2-CUP-A   chance: a card for the Smoke
    p1 play EV06#1 p2        plays a card at a player
    p1 play EV07#1 p2 EQ5#1  ... at an Equipment of theirs
    p1 done                  ends the Exploration           p1 place SE2      places the drawn Limit
    p1 look 3                looks at face-down Limit 3     p1 advance        p1 stay
    p1 fight 3               turns it up and fights it      p1 discard EV02#1
    p1 spend 3               declares Eco                   p1 smoke          challenges the Smoke
    p1 pass                  plays no card, declines        p1 use EV09#1     uses what is offered
    p1 give EV02#1           gives a card away              p1 drop EQ1#1     discards an Equipment
    p1 move 3 NE4            moves a Limit looked at

Limits that lie face down go by public numbers, which do not tell their faces. A card that a reader must not
see is `?`; such a move can be told, but not played.
"""

import re

from tutor.rules.base import CHANCE, Move
from tutor.rules.confini.cards import Box
from tutor.rules.errors import InvalidMove

LONGEST_MOVE = 80

_CARD, _SEAT, _NUMBER, _ARC, _NAME = "card", "seat", "number", "arc", "name"
_FORMS: dict[str, tuple[tuple[str, ...], ...]] = {
    "pick": ((_NAME,),),
    "smoke": ((),),
    "explore": ((_NUMBER,),),
    "play": ((_CARD,), (_CARD, _SEAT), (_CARD, _SEAT, _CARD)),
    "equip": ((_CARD,), (_CARD, _CARD)),
    "done": ((),),
    "look": ((_NUMBER,),),
    "fight": ((_NUMBER,),),
    "spend": ((_NUMBER,),),
    "pass": ((),),
    "use": ((_NAME,),),  # or a card
    "give": ((_CARD,),),
    "drop": ((_CARD,),),
    "discard": ((_CARD,),),
    "move": ((_NUMBER, _ARC),),
    "place": ((_ARC,),),
    "advance": ((),),
    "stay": ((),),
}
_DICE = re.compile(r"dice((?: [1-6]){2,4})")
_CHANCE_MOVE = re.compile(r"(draw|take|reveal) (\S+)")
_PLAYER_MOVE = re.compile(r"p([1-9]) ([a-z]+)((?: \S+)*)")
_PATTERNS = {
    _SEAT: re.compile(r"p[1-9]"),
    _NUMBER: re.compile(r"0|[1-9][0-9]?"),
    _ARC: re.compile(r"[A-Z]{1,3}[0-9]"),
    _NAME: re.compile(r"[a-z][a-z-]*"),
}


def parse_move(box: Box, text: str) -> Move:
    if len(text) > LONGEST_MOVE:
        raise InvalidMove("move", value=text[:40] + "…")
    tidy = " ".join(text.split())
    dice = _DICE.fullmatch(tidy)
    if dice:
        return Move(CHANCE, "dice", tuple(dice[1].split()))
    chance = _CHANCE_MOVE.fullmatch(tidy)
    if chance:
        return Move(CHANCE, chance[1], (_card(box, chance[2]),))
    found = _PLAYER_MOVE.fullmatch(tidy)
    if not found or found[2] not in _FORMS:
        raise InvalidMove("move", value=text)
    seat, act, rest = found.groups()
    words = rest.split()
    if act == "equip" and len(words) == 3 and words[1] == "for":
        del words[1]
    elif act == "equip" and len(words) != 1:
        raise InvalidMove("move", value=text)
    form = next((form for form in _FORMS[act] if len(form) == len(words)), None)
    if form is None:
        raise InvalidMove("move", value=text)
    if act == "use" and not words[0].islower():
        form = (_CARD,)
    what = tuple(_word(box, word, kind, text) for word, kind in zip(words, form, strict=True))
    return Move(int(seat), act, what)


def _word(box: Box, word: str, kind: str, text: str) -> str:
    if kind == _CARD:
        return _card(box, word)
    tidy = word.upper() if kind == _ARC else word
    if not _PATTERNS[kind].fullmatch(tidy):
        raise InvalidMove("move", value=text)
    return tidy


def _card(box: Box, word: str) -> str:
    """A card by its id; `?` is one that the reader must not see."""
    if word != "?" and word.upper() not in box.index:
        raise InvalidMove("move.card", card=word)
    return word.upper()


def format_move(move: Move) -> str:
    if move.seat == CHANCE:
        return " ".join((move.act, *move.what))
    what = (move.what[0], "for", move.what[1]) if move.act == "equip" and len(move.what) > 1 else move.what
    return " ".join((f"p{move.seat}", move.act, *what))
