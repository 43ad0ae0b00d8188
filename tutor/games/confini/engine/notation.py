"""Texts of Confini, with an exact round trip: moves, both ways, and the writing of positions.

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

Limits that lie face down go by public numbers, which do not tell their faces. In a view a card that is drawn,
taken or given unseen is `?`, and every move may end with faces that it turns up: `p1 fight 3 3:L2-CUP-A`,
`p2 pass p2:EV02#1`.

    equip active=p1 round=3
    p1=andrea p1.level=4 p1.eco=4 p1.equip=EQ1#1 p1.hand=EV02,EV02
    p2=vasco p2.spago=2
    limits=1:NW4:p2:L4-PRE-B#1 discard=CT#1.2

A position begins with its phase; the rest are `name=value` in any order. What is not named is at its start:
level 1, 3 Eco, no Spago, no cards; every card that is not named lies in its deck or pile. With `deck=EV02#1`
or `pile2=none` these are all that is left of it and the rest is discarded. `#1.3` are two copies of a card; a
card without its `#` number is the first copy that is free. A Limit is number:arc:placer:card, and the seats
that know its face when others than the placer do; without a number it has the next one. In a view `?3` are
three hidden cards, and `L2-?` is a Limit out of pile 2 whose face is hidden.
"""

import re

from tutor.games.confini.engine.answers import HIDDEN_CARD
from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import NO_CARD, UNKNOWN, bits, hidden_in
from tutor.games.confini.engine.faces import bare
from tutor.games.confini.engine.state import (
    EXACT,
    ROLL,
    SMOKE,
    Fight,
    Limit,
    Play,
    Score,
    State,
    Task,
    is_view,
    seat_names,
    seats_of,
)
from tutor.rules.base import CHANCE, Move
from tutor.rules.errors import InvalidMove, quote_input
from tutor.rules.text import tidy_move

LONGEST_MOVE = 2000
"""Enough for a move that turns up a whole hand and all Limits of a quadrant."""

# Moves

_CARD, _HIDABLE, _SEAT, _NUMBER, _ARC, _NAME = "card", "hidable", "seat", "number", "arc", "name"
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
    "give": ((_HIDABLE,),),
    "drop": ((_CARD,),),
    "discard": ((_CARD,),),
    "move": ((_NUMBER, _ARC),),
    "place": ((_ARC,),),
    "advance": ((),),
    "stay": ((),),
}
_CHANCE_FORMS = {"draw": _HIDABLE, "take": _HIDABLE, "reveal": _CARD}
_DICE = re.compile(r"dice((?: [1-6]){2,4})")
_PLAYER_MOVE = re.compile(r"p([1-9]) ([a-z]+)((?: \S+)*)")
_FACE = re.compile(r"([1-9][0-9]?|p[1-9]):(\S+)")
_PATTERNS = {
    _SEAT: re.compile(r"p[1-9]"),
    _NUMBER: re.compile(r"0|[1-9][0-9]?"),
    _ARC: re.compile(r"[A-Z]{1,3}[0-9]"),
    _NAME: re.compile(r"[a-z][a-z-]*"),
}


def parse_move(box: Box, text: str) -> Move:
    words = tidy_move(text, LONGEST_MOVE).split(" ")
    faces: list[str] = []
    while len(words) > 1 and (face := _FACE.fullmatch(words[-1])):
        faces.insert(0, f"{face[1]}:{_card(box, face[2])}")
        words.pop()
    move = _parse_bare(box, " ".join(words), text)
    return move._replace(what=(*move.what, *faces))


def _parse_bare(box: Box, tidy: str, text: str) -> Move:
    dice = _DICE.fullmatch(tidy)
    if dice:
        return Move(CHANCE, "dice", tuple(dice[1].split()))
    act, _, card = tidy.partition(" ")
    if act in _CHANCE_FORMS and card and " " not in card:
        return Move(CHANCE, act, (_word(box, card, _CHANCE_FORMS[act], text),))
    found = _PLAYER_MOVE.fullmatch(tidy)
    if not found or found[2] not in _FORMS:
        raise InvalidMove("move", value=quote_input(text))
    seat, act, rest = found.groups()
    words = rest.split()
    if act == "equip" and len(words) == 3 and words[1] == "for":
        del words[1]
    elif act == "equip" and len(words) != 1:
        raise InvalidMove("move", value=quote_input(text))
    form = next((form for form in _FORMS[act] if len(form) == len(words)), None)
    if form is None:
        raise InvalidMove("move", value=quote_input(text))
    if act == "use" and words[0] not in box.characters:
        form = (_CARD,)
    what = tuple(_word(box, word, kind, text) for word, kind in zip(words, form, strict=True))
    return Move(int(seat), act, what)


def _word(box: Box, word: str, kind: str, text: str) -> str:
    if kind == _HIDABLE and word == HIDDEN_CARD:
        return word
    if kind in (_CARD, _HIDABLE):
        return _card(box, word)
    tidy = word.upper() if kind == _ARC else word
    if not _PATTERNS[kind].fullmatch(tidy):
        raise InvalidMove("move", value=quote_input(text))
    return tidy


def _card(box: Box, word: str) -> str:
    if word.upper() not in box.index:
        raise InvalidMove("move.card", card=quote_input(word))
    return word.upper()


def format_move(move: Move) -> str:
    words = move.what
    if move.act == "equip" and len(bare(move).what) > 1:
        words = (words[0], "for", *words[1:])
    return " ".join((move.act, *words) if move.seat == CHANCE else (f"p{move.seat}", move.act, *words))


# Positions


def format_position(box: Box, state: State) -> str:
    parts = [state.phase]
    if state.active and state.phase != ROLL:
        parts.append(f"active=p{state.active}")
    parts += _write_unless("first", f"p{state.first}", "p1" if state.phase != ROLL else "p0")
    parts += _write_unless("round", state.round, 1)
    parts += _write_unless("guard", state.guard, box.numbers.guard)
    parts += _write_unless("rounding", state.rounding, EXACT)
    if state.rolling:
        parts += _write_unless(
            "rolling", seat_names(state.rolling), seat_names(range(1, len(state.level) + 1))
        )
    for seat in range(1, len(state.level) + 1):
        parts += _player(box, state, seat)
    parts += _write_unless("limits", _limits(box, state.limits), "")
    parts += _decks(box, state)
    parts += _write_unless("draws", state.draws, 0)
    parts += _write_unless("steadied", "yes" if state.steadied else "", "")
    parts += _write_unless("looks", state.looks, 0)
    if state.held != NO_CARD:
        parts.append(f"held={_name(box, state.held)}")
    if state.fight:
        parts += _fight(box, state.fight)
    parts += _write_unless("ending", "yes" if state.ending else "", "")
    if state.queue:
        parts.append("todo=" + ";".join(_task(box, task) for task in state.queue))
    if state.last:
        parts.append("last=" + _score(box, state.last))
    return " ".join(parts)


def _write_unless(name: str, value: int | str, default: int | str) -> list[str]:
    return [] if value == default else [f"{name}={value}"]


def _name(box: Box, card: int) -> str:
    return box.cards[card].id if card >= 0 else HIDDEN_CARD


def _cards(box: Box, cards: int) -> str:
    """The cards of a set, copies of one card together."""
    copies: dict[str, list[str]] = {}
    for i in bits(cards):
        name, _, number = box.cards[i].id.partition("#")
        copies.setdefault(name, []).append(number)
    words = [f"{name}#{'.'.join(numbers)}" if numbers[0] else name for name, numbers in copies.items()]
    hidden = hidden_in(cards)
    return ",".join([*words, f"?{hidden}"] if hidden else words)


def _player(box: Box, state: State, seat: int) -> list[str]:
    i, player = seat - 1, f"p{seat}"
    return [
        f"{player}={state.characters[i] or '?'}",
        *_write_unless(f"{player}.level", state.level[i], 1),
        *_write_unless(f"{player}.eco", state.eco[i], box.numbers.eco if state.level[i] else 0),
        *_write_unless(f"{player}.spago", state.spago[i], 0),
        *_write_unless(f"{player}.hand", _cards(box, state.hand[i]), ""),
        *_write_unless(f"{player}.equip", _cards(box, state.equip[i]), ""),
        *_write_unless(f"{player}.kept", _cards(box, state.kept[i]), ""),
    ]


def _limits(box: Box, limits: tuple[Limit, ...]) -> str:
    words, expected = [], 1
    for limit in limits:
        known = seats_of(limit.seen & ~(1 << limit.placer))
        card = box.cards[limit.card].id if limit.card != UNKNOWN else f"L{limit.pile}-?"
        parts = [] if limit.handle == expected else [str(limit.handle)]
        parts += [limit.arc, f"p{limit.placer}", card]
        parts += ["".join(map(str, known))] if known else []
        words.append(":".join(parts))
        expected = limit.handle + 1
    return ",".join(words)


def _decks(box: Box, state: State) -> list[str]:
    """What is discarded or what is left of each deck, whichever is shorter. A view has only the numbers."""
    found = []
    view = is_view(state)
    for home in range(len(state.piles) + 1):
        deck = state.piles[home - 1] if home else state.deck
        discard = state.filed[home - 1] if home else state.discard
        deck_name, discard_name = (f"pile{home}", f"discard{home}") if home else ("deck", "discard")
        discarded = _write_unless(discard_name, _cards(box, discard), "")
        if view:
            found += [*discarded, f"{deck_name}=?{deck.bit_count()}"]
            continue
        left = [f"{deck_name}={_cards(box, deck) or 'none'}"]
        found += min(discarded, left, key=lambda words: sum(map(len, words)))
    return found


def _fight(box: Box, fight: Fight) -> list[str]:
    return [
        "fight=smoke" if fight.smoke else f"fight={_name(box, fight.card)}@{fight.arc}",
        *_write_unless("fight.placer", f"p{fight.placer}", "p0"),
        *_write_unless("fight.eco", fight.eco, 0),
        *_write_unless("fight.will", fight.will, 0),
        *_write_unless("fight.value", fight.value, 0),
        *_write_unless("fight.silent", "yes" if fight.silent else "", ""),
        *_write_unless("fight.ignored", ",".join(sorted(fight.ignored)), ""),
        *_write_unless("fight.stack", ",".join(_play(box, play) for play in fight.stack), ""),
        *_write_unless("fight.turn", f"p{fight.turn}", "p0"),
        *_write_unless("fight.eco-sum", fight.eco_sum, 0),
        *_write_unless("fight.revealed", ",".join(_name(box, card) for card in fight.revealed), ""),
    ]


def _play(box: Box, play: Play) -> str:
    return f"p{play.seat}:{_name(box, play.card)}" + (f":p{play.target}" if play.target else "")


def _task(box: Box, task: Task) -> str:
    parts = [task.kind]
    parts += [f"p{task.seat}"] if task.seat else []
    parts += [f">p{task.to}"] if task.to else []
    parts += [_name(box, task.card)] if task.card != NO_CARD else []
    parts += ["@" + "+".join(map(str, task.handles))] if task.handles else []
    parts += [f"x{task.left}"] if task.left else []
    parts += [f"={task.effect.text}"] if task.effect else []
    return "/".join(parts)


def _score(box: Box, score: Score) -> str:
    """What the position does not say otherwise: the base and who won follow from it."""
    numbers = [score.eco, score.bonus, score.will_effects]
    if score.kind == SMOKE:
        numbers += [score.flaw, score.effects, score.limits, score.eco_sum, score.rivals]
    else:
        numbers += [score.arc, score.flaw, score.effects]
    card = SMOKE if score.kind == SMOKE else _name(box, score.card)
    return ",".join([f"p{score.challenger}", card, *map(str, numbers)])
