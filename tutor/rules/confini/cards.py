"""The box of Confini: cards, characters, board and numbers, read from their TOML files and checked.

A set of cards is a bit mask: bit i is the card with index i. The Explorer deck comes first, then the four
Smoke piles. Bits above all cards stand for cards whose face is not known; only views have them.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tutor.rules.confini.effects import Effect, read_triggers
from tutor.rules.errors import InvalidData

LEVELS = 4
CENTRE = LEVELS + 1
EXPLORER = 0
"""The home of Explorer cards; Smoke cards have their pile, 1 to 4."""
HIDDEN = 256
"""The first bit of cards whose face is not known."""
UNKNOWN = -1
"""The index of a single card whose face is not known."""

EVENT, EQUIPMENT, CUT, CHANGE, LIMIT = "event", "equipment", "cut", "change", "limit"


@dataclass(frozen=True, slots=True)
class Card:
    """One card. `design` is the same for all its copies; words are found by it."""

    id: str
    design: str
    kind: str
    home: int
    bonus: int = 0
    flaw: str = ""
    value: int = 0
    kept: bool = False
    effects: Mapping[str, tuple[Effect, ...]] = field(default_factory=dict, hash=False)

    @property
    def in_hand(self) -> bool:
        """Whether the card goes to the hand when it is drawn."""
        return self.kind in (EQUIPMENT, CUT) or (
            self.kind == EVENT and not self.kept and "on_draw" not in self.effects
        )

    def aims(self, trigger: str) -> frozenset[str]:
        """What must be named when the card is played: an opponent, an Equipment, Limits."""
        needed = set()
        for effect in self.effects.get(trigger, ()):
            if "chosen" in effect.args:
                needed.add("opponent")
            if "named" in effect.args:
                needed.add("equipment")
            if effect.name == "peek":
                needed.add("limits")
        return frozenset(needed)


@dataclass(frozen=True, slots=True)
class Character:
    id: str
    flaw: str
    ability: str
    quadrant: str
    effects: Mapping[str, tuple[Effect, ...]] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of board.toml, by their names there."""

    advance: tuple[int, ...]
    smoke: int
    spago: int
    eco: int
    eco_max: int
    draws: int
    slots: int
    hand_limit: int
    guard: int


@dataclass(frozen=True, slots=True)
class Gear:
    """What a character and active Equipment give together."""

    bonus: int
    eco_max: int
    slots: int
    hand_limit: int
    ignores: frozenset[str]
    steady: str
    """The id of what can stop a Turn Change; empty without."""
    effects: Mapping[str, tuple[tuple[int, Effect], ...]]
    """By moment: the effects with the Equipment they stand on (UNKNOWN for the Ability)."""


class Box:
    """All components. Nothing in it changes; what Equipment gives together is worked out once and kept."""

    def __init__(
        self,
        cards: tuple[Card, ...],
        characters: Mapping[str, Character],
        quadrants: Mapping[str, tuple[str, ...]],
        numbers: Numbers,
    ) -> None:
        self.cards = cards
        self.characters = characters
        self.quadrants = quadrants
        self.numbers = numbers
        self.index = {card.id: i for i, card in enumerate(cards)}
        self.arcs = tuple(f"{name}{level}" for name in quadrants for level in range(1, LEVELS + 1))
        self.flaw_of = {
            f"{name}{i}": flaw for name, row in quadrants.items() for i, flaw in enumerate(row, 1)
        }
        self.homes = tuple(self.mask(c.home == home for c in cards) for home in range(LEVELS + 1))
        self.limits = self.mask(card.kind == LIMIT for card in cards)
        self.equipment = self.mask(card.kind == EQUIPMENT for card in cards)
        self.in_hand = self.mask(card.in_hand for card in cards)
        self.kept = self.mask(card.kept for card in cards)
        self.explore = self.mask("play_explore" in card.effects for card in cards)
        self.combat = self.mask("play_combat" in card.effects for card in cards)
        self.aims = {
            trigger: tuple(card.aims(trigger) for card in cards)
            for trigger in ("play_explore", "play_combat")
        }
        self._gear: dict[tuple[str, int], Gear] = {}

    @staticmethod
    def mask(flags: Iterator[bool] | Any) -> int:
        return sum(1 << i for i, flag in enumerate(flags) if flag)

    def gear(self, character: str, equip: int) -> Gear:
        found = self._gear.get((character, equip))
        if found is None:
            found = self._gear[character, equip] = self._worn(character, equip)
        return found

    def _worn(self, character: str, equip: int) -> Gear:
        sources: list[tuple[int, str, Mapping[str, tuple[Effect, ...]]]] = []
        if character:
            sources.append((UNKNOWN, character, self.characters[character].effects))
        sources += [(i, self.cards[i].id, self.cards[i].effects) for i in bits(equip)]
        stats = {name: getattr(self.numbers, name) for name in ("eco_max", "slots", "hand_limit")}
        ignores: set[str] = set()
        steady = ""
        effects: dict[str, tuple[tuple[int, Effect], ...]] = {}
        for card, name, triggers in sources:
            for effect in triggers.get("static", ()):
                if effect.name == "stat":
                    stats[effect.who(0)] += effect.number(1)
                elif effect.who(0) == "turn_change":
                    steady = name
                else:
                    ignores.add(effect.who(0))
            for trigger in ("turn_start", "challenge_start", "on_win", "on_loss"):
                mine = tuple((card, effect) for effect in triggers.get(trigger, ()))
                effects[trigger] = effects.get(trigger, ()) + mine
        bonus = sum(self.cards[i].bonus for i in bits(equip))
        return Gear(bonus, **stats, ignores=frozenset(ignores), steady=steady, effects=effects)


def bits(mask: int) -> Iterator[int]:
    """The indexes of the cards in a set, the lowest first; unknown ones are left out."""
    while mask:
        low = mask & -mask
        i = low.bit_length() - 1
        if i >= HIDDEN:
            return
        yield i
        mask ^= low


def design(box: Box, name: str) -> str:
    """What a card is called by: its design. An Ability is used like a card and goes by its own id."""
    if name in box.characters:
        return box.characters[name].ability
    return box.cards[box.index[name]].design if name in box.index else name


def face_down(count: int) -> int:
    """A set of that many cards whose faces are not known."""
    return ((1 << count) - 1) << HIDDEN


def read_box(cards_text: str, board_text: str) -> Box:
    table, board = tomllib.loads(cards_text), tomllib.loads(board_text)
    quadrants = _quadrants(board["quadrants"])
    numbers = board["numbers"]
    if len(numbers["advance"]) != LEVELS - 1 or set(numbers) != set(Numbers.__slots__):
        raise InvalidData("numbers", names=tuple(numbers))
    cards = (*_explorer(table), *_piles(table))
    if len(cards) > HIDDEN:
        raise InvalidData("card-count", count=len(cards))
    return Box(
        cards,
        _characters(table["characters"], quadrants),
        quadrants,
        Numbers(**(numbers | {"advance": tuple(numbers["advance"])})),
    )


def _quadrants(table: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Every quadrant and every level has each Flaw once."""
    rows = {name: tuple(row) for name, row in table.items()}
    flaws = set(next(iter(rows.values()), ()))
    for line in (*rows.values(), *zip(*rows.values(), strict=True)):
        if set(line) != flaws or len(line) != LEVELS or len(rows) != LEVELS:
            raise InvalidData("quadrants", flaws=tuple(line))
    return rows


def _characters(table: Mapping[str, Any], quadrants: Mapping[str, tuple[str, ...]]) -> dict[str, Character]:
    found: dict[str, Character] = {}
    for name, row in table.items():
        start = [quadrant for quadrant, flaws in quadrants.items() if flaws[0] == row["flaw"]]
        if not start or any(other.quadrant == start[0] for other in found.values()):
            raise InvalidData("character", character=name)
        effects = read_triggers(row, name, "flaw", "ability")
        for trigger in effects.keys() - {"static"}:
            if any(effect.may and effect.name != "peek" for effect in effects[trigger]):
                raise InvalidData("effect-moment", card=name, effect=trigger)  # only cards can be offered
        found[name] = Character(name, row["flaw"], row["ability"], start[0], effects)
    return found


def _explorer(table: Mapping[str, Any]) -> Iterator[Card]:
    for key, kind in (("events", EVENT), ("equipment", EQUIPMENT), ("cut", CUT)):
        for design, row in table[key].items():
            effects = read_triggers(row, design, "copies", "bonus", "kept")
            extra = {"bonus": row.get("bonus", 0), "kept": row.get("kept", False)}
            windows = effects.keys() & {"on_draw", "play_explore", "play_combat"}
            if kind != EQUIPMENT and not windows and not extra["kept"]:
                raise InvalidData("no-window", card=design)
            for name in _copies(design, row["copies"]):
                yield Card(name, design, kind, EXPLORER, **extra, effects=effects)
    for name in _copies("CT", table["changes"]["explorer"]):
        yield Card(name, "CT", CHANGE, EXPLORER)


def _piles(table: Mapping[str, Any]) -> Iterator[Card]:
    copies, heavy_from = table["limits"]["copies"], table["limits"]["heavy_from"]
    for level in range(1, LEVELS + 1):
        for design, row in table["limits"]["designs"].items():
            if row.keys() - {"flaw", "on_reveal", "light", "heavy", "on_win", "on_win_from"}:
                raise InvalidData("unknown-key", card=design, key=",".join(row))
            effects = {
                "on_reveal": row.get("on_reveal", ()),
                "on_loss": row["heavy" if level >= heavy_from else "light"],
                "on_win": row.get("on_win", ()) if level >= row.get("on_win_from", 1) else (),
            }
            read = read_triggers(effects, design)
            for name in _copies(f"L{level}-{design}", copies[level - 1]):
                yield Card(name, design, LIMIT, level, 0, row["flaw"], level, effects=read)
        for name in _copies(f"CT{level}", table["changes"]["piles"][level - 1]):
            yield Card(name, "CT", CHANGE, level)


def _copies(name: str, count: int) -> list[str]:
    """Copies of a card are numbered; a card that is there once is not."""
    return [f"{name}#{n}" for n in range(1, count + 1)] if count > 1 else [name][:count]
