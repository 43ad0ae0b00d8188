"""Reads positions strictly; `notation` explains the text, `checks` refuses what no game can reach."""

import re
from dataclasses import replace

from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import (
    CENTRE,
    EXPLORER,
    LEVELS,
    LIMIT,
    NO_CARD,
    UNKNOWN,
    face_down,
    known_in,
)
from tutor.games.confini.engine.checks import check
from tutor.games.confini.engine.declarations import TEXT
from tutor.games.confini.engine.faces import lacking
from tutor.games.confini.engine.scoring import needed
from tutor.games.confini.engine.state import (
    CLOSE,
    DOWN,
    EXACT,
    PHASES,
    ROLL,
    SMOKE,
    STEADY,
    Fight,
    Limit,
    Play,
    Score,
    State,
    Task,
    is_view,
    seat_names,
)
from tutor.games.confini.engine.table import Table, replace_at
from tutor.rules.errors import InvalidPosition, quote_input
from tutor.rules.text import Parts

LONGEST_POSITION = 8000

_COPIES = re.compile(r"([A-Z][A-Z0-9-]*)#([0-9]+(?:\.[0-9]+)*)")
_HIDDEN_CARDS = re.compile(r"\?([0-9]{1,2})")
_HIDDEN_LIMIT = re.compile(rf"L([1-{LEVELS}])-\?")
_TASK = re.compile(
    r"([a-z]+)(?:/(p[1-9]))?(?:/>(p[1-9]))?(?:/([A-Z][A-Z0-9#-]*))?"
    r"(?:/@([1-9][0-9]?(?:\+[1-9][0-9]?)*))?(?:/x([1-9]))?(?:/=(\S+))?"
)


def parse_position(box: Box, text: str) -> State:
    """The state that a text describes; raises InvalidPosition that names the fault."""
    parts = Parts(text, PHASES, LONGEST_POSITION)
    state = _read(box, text, parts)
    check(box, state, parts)
    return state


def draft(box: Box, text: str) -> State:
    """The state that a text describes, whether or not a game can reach it."""
    return _read(box, text, Parts(text, PHASES, LONGEST_POSITION))


def _read(box: Box, text: str, parts: Parts) -> State:
    named = {f"{name}#{n}" for name, numbers in _COPIES.findall(text) for n in numbers.split(".")}
    state = _Reader(box, parts, named & box.index.keys()).position().freeze()
    parts.end()
    return state


class _Reader:
    """Takes the parts of a position one after the other, and keeps account of the cards."""

    def __init__(self, box: Box, parts: Parts, reserved: set[str]) -> None:
        self.box = box
        self.parts = parts
        self.reserved = reserved  # named with their number: no card without one is taken for them
        self.placed = 0
        self.players = parts.players(len(box.characters))
        self.seats = range(1, self.players + 1)

    def position(self) -> Table:
        phase, numbers, seats = self.parts.phase, self.box.numbers, self.seats
        characters = self._characters()
        level = tuple(self._number(f"p{seat}.level", 1, 0, CENTRE) for seat in seats)
        start = [numbers.eco if reached else 0 for reached in level]
        spago = tuple(self._number(f"p{seat}.spago", 0, 0, numbers.spago) for seat in seats)
        owned = {
            where: tuple(self._cards(f"p{seat}.{where}", allowed) for seat in seats)
            for where, allowed in (
                ("hand", self.box.in_hand), ("equip", self.box.equipment), ("kept", self.box.kept),
            )
        }  # fmt: skip
        rounding = self.parts.take("rounding", EXACT)
        if rounding not in (EXACT, DOWN):
            self.parts.refuse("position", "rounding")
        table = Table(
            phase=phase,
            active=self._seat("active", "" if phase == ROLL else "p1"),
            first=self._seat("first", "" if phase == ROLL else "p1"),
            round=self._number("round", 1, 1, 999),
            rolling=self._rolling(),
            characters=characters,
            level=level,
            eco=tuple(self._number(f"p{seat}.eco", start[seat - 1], 0, 99) for seat in seats),
            spago=spago,
            **owned,
            supply=numbers.spago - sum(spago),
            deck=0,
            discard=self._cards("discard", self.box.homes[EXPLORER]),
            piles=(0,) * LEVELS,
            filed=tuple(self._cards(f"discard{n}", self.box.homes[n]) for n in range(1, LEVELS + 1)),
            limits=self._limits(),
            draws=self._number("draws", 0, 0, numbers.draws),
            steadied=self._flag("steadied"),
            looks=self._number("looks", 0, 0, 99),
            held=self._read_held(),
            fight=self._fight(),
            ending=self._flag("ending"),
            queue=self._queue(),
            last=self._score(rounding),
            guard=self._number("guard", numbers.guard, 0, 999),
            rounding=rounding,
        )
        table.box = self.box
        self._decks(table)
        return table

    # Parts

    def _characters(self) -> tuple[str, ...]:
        names: list[str] = []
        for seat in self.seats:
            name = self.parts.need(f"p{seat}")
            if name != "?" and (name not in self.box.characters or name in names):
                self.parts.refuse("position.player", f"p{seat}", part=TEXT, player=f"p{seat}")
            names.append(name)
        return tuple("" if name == "?" else name for name in names)

    def _rolling(self) -> tuple[int, ...]:
        everybody = seat_names(self.seats)
        words = self._words("rolling", everybody if self.parts.phase == ROLL else "")
        seats = tuple(self._seat_of("rolling", word) for word in words)
        if list(seats) != sorted(set(seats)):
            self.parts.refuse("position", "rolling")
        return seats

    def _limits(self) -> tuple[Limit, ...]:
        limits: list[Limit] = []
        for part in self._words("limits"):
            last = limits[-1].handle if limits else 0
            limit = self._limit(part, last)
            if not last < limit.handle <= self.box.limits.bit_count():
                raise InvalidPosition("position.limit", value=quote_input(part))
            limits.append(limit)
        return tuple(limits)

    def _limit(self, part: str, last: int) -> Limit:
        """[number:]arc:placer:card[:seats that know it]"""
        words = part.split(":")
        handle = int(words.pop(0)) if re.fullmatch("[1-9][0-9]?", words[0]) else last + 1
        if (
            "" in words
            or len(words) not in (3, 4)
            or (len(words) == 4 and not re.fullmatch("[1-9]+", words[3]))
        ):
            raise InvalidPosition("position.limit", value=quote_input(part))
        arc, placed_by, name, *known = words
        if arc not in self.box.flaw_of:
            raise InvalidPosition("position.arc", arc=quote_input(arc))
        placer = self._seat_of("limits", placed_by)
        seen = 1 << placer
        for digit in "".join(known):
            seen |= 1 << self._seat_of("limits", f"p{digit}")
        if name == "?":
            return Limit(handle, arc, placer, UNKNOWN, seen, 0)
        if hidden := _HIDDEN_LIMIT.fullmatch(name):
            return Limit(handle, arc, placer, UNKNOWN, seen, int(hidden[1]))
        card = self._card("limits", name, self.box.limits)
        return Limit(handle, arc, placer, card, seen, self.box.cards[card].home)

    def _read_held(self) -> int:
        name = self.parts.take("held")
        if name in ("", "?"):
            return UNKNOWN if name else NO_CARD
        return self._card("held", name, self.box.limits)

    def _fight(self) -> Fight | None:
        text = self.parts.take("fight")
        if not text:
            return None
        fight = Fight(SMOKE)
        if text != SMOKE:
            name, _, arc = text.partition("@")
            if arc not in self.box.flaw_of:
                raise InvalidPosition("position.arc", arc=quote_input(arc or text))
            card = self._card("fight", name, self.box.limits)
            fight = Fight(LIMIT, card, arc, self._seat("fight.placer", ""))
        smoke_cards = sum(self.box.homes[1:])
        return fight._replace(
            eco=self._number("fight.eco", 0, 0, 99),
            will=self._number("fight.will", 0, -99, 99),
            value=self._number("fight.value", 0, -99, 99),
            silent=self._flag("fight.silent"),
            ignored=frozenset(self._words("fight.ignored")),
            stack=tuple(self._play(play) for play in self._words("fight.stack")),
            turn=self._seat("fight.turn", ""),
            eco_sum=self._number("fight.eco-sum", 0, 0, 99),
            revealed=tuple(
                self._card("fight.revealed", name, smoke_cards) for name in self._words("fight.revealed")
            ),
        )

    def _play(self, text: str) -> Play:
        words = text.split(":")
        if len(words) not in (2, 3):
            raise InvalidPosition("position.fight", value=quote_input(text), part=TEXT)
        target = self._seat_of("fight.stack", words[2]) if len(words) == 3 else 0
        card = self._card("fight.stack", words[1], self.box.playable["play_combat"])
        return Play(self._seat_of("fight.stack", words[0]), card, target)

    def _queue(self) -> tuple[Task, ...]:
        text = self.parts.take("todo")
        return tuple(self._task(part) for part in text.split(";")) if text else ()

    def _task(self, text: str) -> Task:
        """Its parts in the order in which they are written, each at most once."""
        found = _TASK.fullmatch(text)
        if not found:
            raise InvalidPosition("position.todo", value=quote_input(text))
        kind, seat, to, card, handles, left, effect = found.groups()
        if (effect and effect not in self.box.effects) or (card and card not in self.box.index):
            raise InvalidPosition("position.todo", value=quote_input(text))
        if kind in (CLOSE, STEADY) and not card:
            raise InvalidPosition("position.todo", value=quote_input(text))
        index = self.box.index[card] if card else NO_CARD
        if kind in (CLOSE, STEADY):
            index = self._card("todo", card, self.box.homes[EXPLORER])
        return Task(
            kind,
            self._seat_of("todo", seat) if seat else 0,
            self._seat_of("todo", to) if to else 0,
            index,
            self.box.effects[effect] if effect else None,
            tuple(map(int, handles.split("+"))) if handles else (),
            int(left or 0),
        )

    def _score(self, rounding: str) -> Score | None:
        words = self._words("last")
        if not words:
            return None
        who, name, *numbers = [*words, ""] if len(words) == 1 else words
        smoke = name == SMOKE
        values = [int(number) for number in numbers if re.fullmatch("-?[0-9]{1,2}", number)]
        if len(values) != len(numbers) or len(values) != (8 if smoke else 6):
            self.parts.refuse("position.fight", "last", part=TEXT)
        seat = self._seat_of("last", who)
        if smoke:
            eco, bonus, will, flaw, effects, limits, eco_sum, rivals = values
            score = Score(
                SMOKE, seat, UNKNOWN, eco, bonus, will, rivals, 0, flaw, effects, limits, eco_sum, rivals
            )
        else:
            if name not in self.box.index or not self.box.limits >> self.box.index[name] & 1:
                raise InvalidPosition("position.card", value=quote_input(name))
            card = self.box.index[name]
            eco, bonus, will, arc, flaw, effects = values
            base = self.box.cards[card].value
            score = Score(LIMIT, seat, card, eco, bonus, will, base, arc, flaw, effects)
        parts = (score.eco, score.bonus, score.limits, score.eco_sum, score.arc, score.flaw)
        if min(parts) < 0 or max(score.arc, score.flaw) > 1 or (smoke and score.rivals < 1):
            self.parts.refuse("position.fight", "last", part=TEXT)
        return score._replace(won=score.will >= needed(score, rounding))

    # Cards

    def _cards(self, name: str, allowed: int) -> int:
        return self._set(name, self._words(name), allowed)

    def _set(self, name: str, words: list[str], allowed: int) -> int:
        """Cards with or without their number, several copies of one, and a count of hidden ones."""
        cards = 0
        for word in words:
            hidden = _HIDDEN_CARDS.fullmatch(word)
            if hidden and int(hidden[1]) and known_in(cards) == cards:
                cards |= face_down(int(hidden[1]))
                continue
            copies = _COPIES.fullmatch(word)
            for one in [f"{copies[1]}#{n}" for n in copies[2].split(".")] if copies else [word]:
                cards |= 1 << self._card(name, one, allowed)
        return cards

    def _card(self, place: str, word: str, allowed: int) -> int:
        """One card, which must be of a kind that may lie there and lie nowhere else."""
        if not word:
            self.parts.refuse("position", place)
        card = self.box.index[word] if word in self.box.index else self._free_copy(word)
        if not allowed >> card & 1:
            raise InvalidPosition("position.place", card=quote_input(word), place=quote_input(place))
        if self.placed >> card & 1:
            raise InvalidPosition("position.twice", card=quote_input(word))
        self.placed |= 1 << card
        return card

    def _free_copy(self, word: str) -> int:
        copies = [i for name, i in self.box.index.items() if name.rpartition("#")[0] == word]
        if not copies:
            raise InvalidPosition("position.card", value=quote_input(word))
        for i in copies:
            if not self.placed >> i & 1 and self.box.cards[i].id not in self.reserved:
                return i
        raise InvalidPosition("position.twice", card=quote_input(word))

    def _decks(self, t: Table) -> None:
        """What is left of the deck and of each pile; see `notation`. In a view only numbers are known."""
        names = ["deck", *(f"pile{n}" for n in range(1, LEVELS + 1))]
        named = {name: self._words(name) for name in names}
        if is_view(t) or any(words and words[0].startswith("?") for words in named.values()):
            self._fill_decks(t, named)
            return
        for home, (name, words) in enumerate(named.items()):
            rest = deck = self.box.homes[home] & ~self.placed
            if words:
                deck = 0 if words == ["none"] else self._set(name, words, self.box.homes[home])
            if home:
                t.piles = replace_at(t.piles, home, deck)
                t.filed = replace_at(t.filed, home, t.filed[home - 1] | rest & ~deck)
            else:
                t.deck, t.discard = deck, t.discard | rest & ~deck

    def _fill_decks(self, t: Table, named: dict[str, list[str]]) -> None:
        left = lacking(self.box, t)
        for home, (name, words) in enumerate(named.items()):
            hidden = _HIDDEN_CARDS.fullmatch(",".join(words))
            if words and not hidden:
                self.parts.refuse("position.hidden", name)
            deck = face_down(int(hidden[1]) if hidden else max(0, left[home]))
            if home:
                t.piles = replace_at(t.piles, home, deck)
            else:
                t.deck = deck
        if any(not limit.pile for limit in t.limits):
            self._find_piles(t)

    def _find_piles(self, t: Table) -> None:
        """A hidden Limit without its pile: there must be no doubt which it came from."""
        short = [n for n, count in enumerate(lacking(self.box, t)) if count > 0]
        if len(short) != 1 or short == [EXPLORER]:
            self.parts.refuse("position.limit", "limits")
        t.limits = tuple(limit if limit.pile else replace(limit, pile=short[0]) for limit in t.limits)

    # Single values

    def _words(self, name: str, default: str = "") -> list[str]:
        text = self.parts.take(name, default)
        words = text.split(",") if text else []
        if "" in words:
            self.parts.refuse("position", name)
        return words

    def _number(self, name: str, default: int, least: int, most: int) -> int:
        text = self.parts.take(name, str(default))
        if not re.fullmatch("0|-?[1-9][0-9]{0,2}", text) or not least <= int(text) <= most:
            self.parts.refuse("position.number", name, least=least, most=most)
        return int(text)

    def _flag(self, name: str) -> bool:
        text = self.parts.take(name, "no")
        if text not in ("yes", "no"):
            self.parts.refuse("position", name)
        return text == "yes"

    def _seat(self, name: str, default: str) -> int:
        text = self.parts.take(name, default)
        return self._seat_of(name, text) if text else 0

    def _seat_of(self, name: str, text: str) -> int:
        if not re.fullmatch("p[1-9]", text) or int(text[1:]) > self.players:
            raise InvalidPosition("position.active", value=quote_input(f"{name}={text}"), part=TEXT)
        return int(text[1:])
