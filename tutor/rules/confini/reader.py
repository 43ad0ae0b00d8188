"""Reads the named values of a position, one after the other; `position` explains the text."""

import re
from dataclasses import fields

from tutor.rules.confini.cards import CENTRE, LEVELS, UNKNOWN, Box, face_down
from tutor.rules.confini.effects import read_effect
from tutor.rules.confini.state import (
    EXACT,
    NO_CARD,
    ROLL,
    SMOKE,
    Fight,
    Limit,
    Play,
    Score,
    State,
    Task,
    seat_names,
    seats_of,
)
from tutor.rules.errors import InvalidPosition

_HIDDEN = re.compile(r"\?([0-9]{1,2})")


class Reader:
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
        start = [self.box.numbers.eco if reached else 0 for reached in level]
        eco = tuple(self._number(f"p{seat}.eco", start[seat - 1], 99) for seat in seats)
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
        held = NO_CARD
        if "held" in self.found:
            held = self._card("held", self.found.pop("held"), self.box.limits)
        fight = self._fight()
        queue = self._queue()
        deck, discard = self._home("deck", homes[0], discard)
        piled = [self._home(f"pile{n}", homes[n], filed[n - 1]) for n in range(1, LEVELS + 1)]
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
            deck=deck,
            discard=discard,
            piles=tuple(pile for pile, _ in piled),
            filed=tuple(rest for _, rest in piled),
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
            card = self._card("limits", words[3], self.box.limits)
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
        card = self._card("fight", words[1], self.box.combat)
        return Play(self._seat_of("fight.stack", words[0]), card, target)

    def _queue(self) -> tuple[Task, ...]:
        text = self.found.pop("todo", "")
        return tuple(self._task(part) for part in filter(None, text.split(";")))

    def _task(self, text: str) -> Task:
        head, _, effect_text = text.partition("/=")
        kind, *words = head.split("/")
        seat = to = left = 0
        card = UNKNOWN
        handles: tuple[int, ...] = ()
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
        eco, bonus, *rest = map(int, numbers)
        will, base, arc, flaw, effects, limits, eco_sum, rivals = rest
        challenger, won = self._seat_of("last", words[0]), words[-1] == "won"
        return Score(
            challenger, card, eco, bonus, will, base, arc, flaw, effects, limits, eco_sum, rivals, won
        )

    def _rolling(self, phase: str) -> tuple[int, ...]:
        everybody = seat_names(range(1, self.players + 1))
        names = self.found.pop("rolling", everybody if phase == ROLL else "")
        return seats_of(self._seats("rolling", [*filter(None, names.split(","))]))

    # Cards

    def _set(self, name: str, allowed: int) -> int:
        mask = 0
        for word in filter(None, self.found.pop(name, "").split(",")):
            hidden = _HIDDEN.fullmatch(word)
            mask |= face_down(int(hidden[1])) if hidden else 1 << self._card(name, word, allowed)
        return mask

    def _card(self, place: str, word: str, allowed: int) -> int:
        """One card, which must be of a kind that may lie there and lie nowhere else."""
        if word == "?" and place in ("held", "limits"):
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

    def _home(self, name: str, home: int, discard: int) -> tuple[int, int]:
        """A deck and its discards. An unnamed deck has all the rest; beside a named one that is discarded."""
        text = self.found.get(name, "")
        if text.startswith("?"):
            return self._set(name, 0), discard
        if text == "none":
            del self.found[name]
        deck = self._set(name, home)
        rest = home & ~sum(1 << card for card in self.placed)
        return (deck, discard | rest) if text else (rest, discard)

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
