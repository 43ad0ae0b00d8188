"""Positions of Confini as text, with an exact round trip.

    equip active=p1 round=3
    p1=andrea p1.level=4 p1.eco=4 p1.equip=EQ1#1 p1.hand=EV02,EV02
    p2=vasco p2.spago=2
    limits=1:NW4:p2:L4-PRE-B#1 discard=CT#1

A position begins with its phase; the rest are `name=value` in any order. What is not named is at its start:
level 1, 3 Eco, no Spago, no cards; every card that is not named lies in its deck or pile. A card without its
`#` number is the first copy that is free. A Limit is number:arc:placer:card, and the seats that know its face
when others than the placer do. Hidden cards of a view are `?3`.
"""

import re
from dataclasses import fields

from tutor.rules.base import InvalidPosition
from tutor.rules.confini.cards import CENTRE, LEVELS, UNKNOWN, Box, bits, face_down
from tutor.rules.confini.checks import check
from tutor.rules.confini.effects import read_effect
from tutor.rules.confini.state import (
    EXACT,
    NO_CARD,
    PHASES,
    ROLL,
    SMOKE,
    Fight,
    Limit,
    Play,
    Score,
    State,
    Task,
)

LONGEST_POSITION = 8000

ERRORS: dict[str, tuple[str, ...]] = {
    "move": ("value",),
    "move.card": ("card",),
    "option": ("option",),
    "players": ("value", "most"),
    "characters": ("value",),
    "first": ("value",),
    "rounding": ("value",),
    "guard": ("value",),
    "position": ("value",),
    "position.phase": ("value",),
    "position.player": ("value",),
    "position.active": ("value",),
    "position.number": ("value",),
    "position.card": ("value",),
    "position.twice": ("card",),
    "position.place": ("card", "place"),
    "position.arc": ("arc",),
    "position.limit": ("value",),
    "position.eco": ("player",),
    "position.spago": ("most",),
    "position.equip": ("player",),
    "position.fight": ("value",),
    "position.todo": ("value",),
    "position.misfit": ("value", "phase"),
}

_CARD = re.compile(r"[A-Z][A-Z0-9-]*#[0-9]+")
_HIDDEN = re.compile(r"\?([0-9]{1,2})")

# Writing


def format_position(box: Box, state: State) -> str:
    parts = [state.phase]
    if state.active and state.phase != ROLL:
        parts.append(f"active=p{state.active}")
    parts += _named("first", f"p{state.first}", "p1" if state.phase != ROLL else "p0")
    parts += _named("round", state.round, 1)
    parts += _named("guard", state.guard, box.numbers.guard)
    parts += _named("rounding", state.rounding, EXACT)
    if state.rolling:
        parts += _named("rolling", _seats(state.rolling), _seats(range(1, len(state.level) + 1)))
    for seat in range(1, len(state.level) + 1):
        parts += _player(box, state, seat)
    for limit in state.limits:
        if limit is state.limits[0]:
            parts.append("limits=" + ",".join(_limit(box, one) for one in state.limits))
    parts += _cards(box, "discard", state.discard)
    for n, filed in enumerate(state.filed, 1):
        parts += _cards(box, f"discard{n}", filed)
    if state.deck != (state.deck & box.homes[0]):
        parts += _cards(box, "deck", state.deck)
        for n, pile in enumerate(state.piles, 1):
            parts += _cards(box, f"pile{n}", pile)
    parts += _named("draws", state.draws, 0)
    parts += _named("steadied", "yes" if state.steadied else "", "")
    parts += _named("looks", state.looks, 0)
    if state.held != NO_CARD:
        parts.append(f"held={_name(box, state.held)}")
    if state.fight:
        parts += _fight(box, state.fight)
    parts += _named("ending", "yes" if state.ending else "", "")
    if state.queue:
        parts.append("todo=" + ";".join(_task(box, task) for task in state.queue))
    if state.last:
        parts.append("last=" + _score(box, state.last))
    return " ".join(parts)


def _named(name: str, value: int | str, default: int | str) -> list[str]:
    return [] if value == default else [f"{name}={value}"]


def _seats(seats: tuple[int, ...] | range) -> str:
    return ",".join(f"p{seat}" for seat in seats)


def _mask_seats(mask: int) -> tuple[int, ...]:
    return tuple(seat for seat in range(1, 10) if mask >> seat & 1)


def _name(box: Box, card: int) -> str:
    return box.cards[card].id if card >= 0 else "?"


def _cards(box: Box, name: str, mask: int) -> list[str]:
    names = [box.cards[i].id for i in bits(mask)]
    unknown = mask.bit_count() - len(names)
    names += [f"?{unknown}"] if unknown else []
    return [f"{name}={','.join(names)}"] if names else []


def _player(box: Box, state: State, seat: int) -> list[str]:
    i, player = seat - 1, f"p{seat}"
    return [
        f"{player}={state.characters[i] or '?'}",
        *_named(f"{player}.level", state.level[i], 1),
        *_named(f"{player}.eco", state.eco[i], box.numbers.eco),
        *_named(f"{player}.spago", state.spago[i], 0),
        *_cards(box, f"{player}.hand", state.hand[i]),
        *_cards(box, f"{player}.equip", state.equip[i]),
        *_cards(box, f"{player}.kept", state.kept[i]),
    ]


def _limit(box: Box, limit: Limit) -> str:
    known = _mask_seats(limit.seen & ~(1 << limit.placer))
    text = f"{limit.handle}:{limit.arc}:p{limit.placer}:{_name(box, limit.card)}"
    return text + (":" + "".join(map(str, known)) if known else "")


def _fight(box: Box, fight: Fight) -> list[str]:
    return [
        "fight=smoke" if fight.smoke else f"fight={_name(box, fight.card)}@{fight.arc}",
        *_named("fight.placer", f"p{fight.placer}", "p0"),
        *_named("fight.eco", fight.eco, 0),
        *_named("fight.will", fight.will, 0),
        *_named("fight.value", fight.value, 0),
        *_named("fight.silent", "yes" if fight.silent else "", ""),
        *_named("fight.ignored", ",".join(sorted(fight.ignored)), ""),
        *_named("fight.stack", ",".join(_play(box, play) for play in fight.stack), ""),
        *_named("fight.turn", f"p{fight.turn}", "p0"),
        *_named("fight.passes", fight.passes, 0),
        *_named("fight.used", _seats(_mask_seats(fight.used)), ""),
        *_named("fight.rivals", fight.rivals, 0),
        *_named("fight.eco-sum", fight.eco_sum, 0),
        *_named("fight.revealed", ",".join(_name(box, card) for card in fight.revealed), ""),
    ]


def _play(box: Box, play: Play) -> str:
    return f"p{play.seat}:{_name(box, play.card)}" + (f":p{play.target}" if play.target else "")


def _task(box: Box, task: Task) -> str:
    parts = [task.kind]
    parts += [f"p{task.seat}"] if task.seat else []
    parts += [f">p{task.to}"] if task.to else []
    parts += [_name(box, task.card)] if task.card != UNKNOWN else []
    parts += ["@" + "+".join(map(str, task.handles))] if task.handles else []
    parts += [f"x{task.left}"] if task.left else []
    parts += [f"={task.effect.text}"] if task.effect else []
    return "/".join(parts)


def _score(box: Box, score: Score) -> str:
    values = [getattr(score, field.name) for field in fields(score)]
    card = SMOKE if score.card == UNKNOWN else _name(box, score.card)
    return ",".join([f"p{score.challenger}", card, *map(str, values[2:-1]), "won" if score.won else "lost"])


# Reading


def parse_position(box: Box, text: str) -> State:
    """The state that a text describes; raises InvalidPosition that names the fault."""
    if len(text) > LONGEST_POSITION:
        raise InvalidPosition("position", value=text[:40] + "…")
    phase, *parts = text.split() or [""]
    if phase not in PHASES:
        raise InvalidPosition("position.phase", value=phase)
    found: dict[str, str] = {}
    for part in parts:
        name, equals, value = part.partition("=")
        if not equals or not value or name in found:
            raise InvalidPosition("position", value=part[:40])
        found[name] = value
    reader = _Reader(box, found, {name for name in _CARD.findall(text) if name in box.index})
    state = reader.state(phase)
    if found:
        raise InvalidPosition("position", value=next(iter(found)))
    check(box, state)
    return state


class _Reader:
    """Takes the named values of a position one after the other, and keeps account of the cards."""

    def __init__(self, box: Box, found: dict[str, str], reserved: set[str]) -> None:
        self.box = box
        self.found = found
        self.reserved = reserved
        self.placed: set[int] = set()
        self.players = sum(bool(re.fullmatch(r"p[1-9]", name)) for name in found)

    def state(self, phase: str) -> State:
        characters = self._characters(phase)
        seats = range(1, self.players + 1)
        level = tuple(self._number(f"p{seat}.level", 1, CENTRE) for seat in seats)
        eco = tuple(self._number(f"p{seat}.eco", self.box.numbers.eco, 99) for seat in seats)
        spago = tuple(self._number(f"p{seat}.spago", 0, 99) for seat in seats)
        hand, equip, kept = (
            tuple(self._set(f"p{seat}.{where}", mask) for seat in seats)
            for where, mask in (
                ("hand", self.box.in_hand), ("equip", self.box.equipment), ("kept", self.box.kept),
            )
        )  # fmt: skip
        limits = self._limits()
        homes = self.box.homes
        discard = self._set("discard", homes[0])
        filed = tuple(self._set(f"discard{n}", homes[n]) for n in range(1, LEVELS + 1))
        draws = self._number("draws", 0, 99)
        looks = self._number("looks", 0, 99)
        held = self._card("held", self.found.pop("held"), self.box.limits) if "held" in self.found else NO_CARD
        fight = self._fight()
        queue = self._queue()
        return State(
            phase=phase,
            active=self._seat("active", "" if phase == ROLL else "p1"),
            first=self._seat("first", "" if phase == ROLL else "p1"),
            round=self._number("round", 1, 999),
            rolling=self._rolling(phase),
            characters=characters,
            level=level,
            eco=eco,
            spago=spago,
            hand=hand,
            equip=equip,
            kept=kept,
            supply=self.box.numbers.spago - sum(spago),
            deck=self._rest("deck", homes[0]),
            discard=discard,
            piles=tuple(self._rest(f"pile{n}", homes[n]) for n in range(1, LEVELS + 1)),
            filed=filed,
            limits=limits,
            draws=draws,
            steadied=self._flag("steadied"),
            looks=looks,
            held=held,
            fight=fight,
            ending=self._flag("ending"),
            queue=queue,
            last=self._score(),
            guard=self._number("guard", self.box.numbers.guard, 999),
            rounding=self.found.pop("rounding", EXACT),
        )

    # Parts

    def _characters(self, phase: str) -> tuple[str, ...]:
        most = len(self.box.characters)
        names = [self.found.pop(f"p{seat}", "") for seat in range(1, self.players + 1)]
        if not 2 <= self.players <= most or not all(names):
            raise InvalidPosition("position.player", value=",".join(names))
        chosen = [name for name in names if name != "?"]
        if len(set(chosen)) != len(chosen) or not set(chosen) <= set(self.box.characters):
            raise InvalidPosition("position.player", value=",".join(names))
        return tuple("" if name == "?" else name for name in names)

    def _limits(self) -> tuple[Limit, ...]:
        text = self.found.pop("limits", "")
        limits = []
        for part in filter(None, text.split(",")):
            words = part.split(":")
            if len(words) not in (4, 5) or not re.fullmatch(r"[1-9][0-9]?", words[0]):
                raise InvalidPosition("position.limit", value=part)
            if words[1] not in self.box.flaw_of:
                raise InvalidPosition("position.arc", arc=words[1])
            placer = self._seat_of("limits", words[2])
            known = self._seats("limits", ["p" + digit for digit in words[4]] if len(words) == 5 else [])
            card = UNKNOWN if words[3] == "?" else self._card("limits", words[3], self.box.limits)
            limits.append(Limit(int(words[0]), words[1], placer, card, 1 << placer | known))
        handles = [limit.handle for limit in limits]
        if handles != sorted(set(handles)):
            raise InvalidPosition("position.limit", value=text[:40])
        return tuple(limits)

    def _fight(self) -> Fight | None:
        text = self.found.pop("fight", "")
        if not text:
            return None
        card, arc, placer = UNKNOWN, "", 0
        if text != SMOKE:
            name, _, arc = text.partition("@")
            card = self._card("fight", name, self.box.limits)
            placer = self._seat("fight.placer", "p0")
            if arc not in self.box.flaw_of:
                raise InvalidPosition("position.arc", arc=arc)
        plays = filter(None, self.found.pop("fight.stack", "").split(","))
        revealed = filter(None, self.found.pop("fight.revealed", "").split(","))
        smoke_cards = sum(self.box.homes[1:])
        return Fight(
            card=card,
            arc=arc,
            placer=placer,
            eco=self._number("fight.eco", 0, 99),
            will=self._signed("fight.will"),
            value=self._signed("fight.value"),
            silent=self._flag("fight.silent"),
            ignored=frozenset(filter(None, self.found.pop("fight.ignored", "").split(","))),
            stack=tuple(self._play(play) for play in plays),
            turn=self._seat("fight.turn", ""),
            passes=self._number("fight.passes", 0, 9),
            used=self._seats("fight.used", [*filter(None, self.found.pop("fight.used", "").split(","))]),
            rivals=self._number("fight.rivals", 0, 9),
            eco_sum=self._number("fight.eco-sum", 0, 99),
            revealed=tuple(self._card("fight", name, smoke_cards) for name in revealed),
        )

    def _play(self, text: str) -> Play:
        words = text.split(":")
        if len(words) not in (2, 3):
            raise InvalidPosition("position.fight", value=text)
        target = self._seat_of("fight.stack", words[2]) if len(words) == 3 else 0
        return Play(self._seat_of("fight.stack", words[0]), self._card("fight", words[1], self.box.combat), target)

    def _queue(self) -> tuple[Task, ...]:
        text = self.found.pop("todo", "")
        return tuple(self._task(part) for part in filter(None, text.split(";")))

    def _task(self, text: str) -> Task:
        head, _, effect_text = text.partition("/=")
        kind, *words = head.split("/")
        seat = to = left = 0
        card, handles = UNKNOWN, ()
        for word in words:
            if re.fullmatch(r"p[1-9]", word):
                seat = self._seat_of("todo", word)
            elif re.fullmatch(r">p[1-9]", word):
                to = self._seat_of("todo", word[1:])
            elif re.fullmatch(r"@[0-9+]+", word):
                handles = tuple(int(n) for n in word[1:].split("+") if n)
            elif re.fullmatch(r"x[1-9]", word):
                left = int(word[1:])
            elif word in self.box.index:
                card = self.box.index[word]
            else:
                raise InvalidPosition("position.todo", value=text[:40])
        if kind in ("close", "steady"):
            card = self._card("todo", self.box.cards[card].id if card >= 0 else "", self.box.homes[0])
        try:
            effect = read_effect(effect_text) if effect_text else None
        except ValueError:
            raise InvalidPosition("position.todo", value=text[:40]) from None
        return Task(kind, seat, to, card, effect, handles, left)

    def _score(self) -> Score | None:
        text = self.found.pop("last", "")
        if not text:
            return None
        words = text.split(",")
        numbers = words[2:-1]
        known = len(words) == len(fields(Score)) and words[-1] in ("won", "lost")
        if not known or not all(re.fullmatch(r"-?[0-9]{1,2}", number) for number in numbers):
            raise InvalidPosition("position.fight", value=text[:40])
        if words[1] != SMOKE and words[1] not in self.box.index:
            raise InvalidPosition("position.card", value=words[1])
        card = UNKNOWN if words[1] == SMOKE else self.box.index[words[1]]
        return Score(self._seat_of("last", words[0]), card, *map(int, numbers), won=words[-1] == "won")

    def _rolling(self, phase: str) -> tuple[int, ...]:
        everybody = _seats(range(1, self.players + 1))
        names = self.found.pop("rolling", everybody if phase == ROLL else "")
        return _mask_seats(self._seats("rolling", [*filter(None, names.split(","))]))

    # Cards

    def _set(self, name: str, allowed: int) -> int:
        mask = 0
        for word in filter(None, self.found.pop(name, "").split(",")):
            hidden = _HIDDEN.fullmatch(word)
            mask |= face_down(int(hidden[1])) if hidden else 1 << self._card(name, word, allowed)
        return mask

    def _card(self, place: str, word: str, allowed: int) -> int:
        """One card, which must be of a kind that may lie there and lie nowhere else."""
        if word == "?" and place == "held":
            return UNKNOWN
        card = self.box.index.get(word, UNKNOWN)
        if card == UNKNOWN:
            card = self._free_copy(word)
        if not allowed >> card & 1:
            raise InvalidPosition("position.place", card=self.box.cards[card].id, place=place)
        if card in self.placed:
            raise InvalidPosition("position.twice", card=word)
        self.placed.add(card)
        return card

    def _free_copy(self, word: str) -> int:
        copies = [i for name, i in self.box.index.items() if name.rpartition("#")[0] == word]
        if not copies:
            raise InvalidPosition("position.card", value=word[:40])
        for i in copies:
            if i not in self.placed and self.box.cards[i].id not in self.reserved:
                return i
        raise InvalidPosition("position.twice", card=word)

    def _rest(self, name: str, home: int) -> int:
        """The cards of a deck that lie nowhere else; in a view, how many they are."""
        if name in self.found:
            return self._set(name, 0)
        return home & ~sum(1 << card for card in self.placed)

    # Single values

    def _number(self, name: str, default: int, most: int) -> int:
        text = self.found.pop(name, str(default))
        if not re.fullmatch(r"[0-9]{1,3}", text) or int(text) > most:
            raise InvalidPosition("position.number", value=f"{name}={text}"[:40])
        return int(text)

    def _signed(self, name: str) -> int:
        text = self.found.pop(name, "0")
        if not re.fullmatch(r"[+-]?[0-9]{1,2}", text):
            raise InvalidPosition("position.number", value=f"{name}={text}"[:40])
        return int(text)

    def _flag(self, name: str) -> bool:
        text = self.found.pop(name, "no")
        if text not in ("yes", "no"):
            raise InvalidPosition("position", value=f"{name}={text}"[:40])
        return text == "yes"

    def _seat(self, name: str, default: str) -> int:
        text = self.found.pop(name, default)
        return self._seat_of(name, text) if text else 0

    def _seat_of(self, name: str, text: str) -> int:
        if not re.fullmatch(r"p[1-9]", text) or int(text[1:]) > self.players:
            raise InvalidPosition("position.active", value=f"{name}={text}"[:40])
        return int(text[1:])

    def _seats(self, name: str, words: list[str]) -> int:
        return sum(1 << seat for seat in {self._seat_of(name, word) for word in words})
