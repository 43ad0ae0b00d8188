"""The cards of Confini, read from cards.toml and checked, and sets of them.

A set of cards is a bit mask: bit i is the card with index i. The Explorer deck comes first, then the four
Smoke piles. Bits above all cards stand for cards whose face is not known; only views have them.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tutor.games.confini.engine.effects import Effect, read_triggers
from tutor.rules.errors import InvalidData

LEVELS = 4
CENTRE = LEVELS + 1
EXPLORER = 0
"""The home of Explorer cards; Smoke cards have their pile, 1 to 4."""
HIDDEN = 256
"""The first bit of cards whose face is not known."""
UNKNOWN, NO_CARD = -1, -2
"""In place of a card's index: one whose face is not known, and none at all."""

_KNOWN = (1 << HIDDEN) - 1

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
        """Whether the card goes to the hand when it is drawn; all others are shown."""
        return self.kind in (EQUIPMENT, CUT) or (
            self.kind == EVENT and not self.kept and "on_draw" not in self.effects
        )

    def aims(self, trigger: str) -> frozenset[str]:
        """What the card needs when it is played: an opponent, an opponent's Equipment, hand or Spago to name,
        and Limits on the board or a card on the stack to be there.
        """
        needed = set()
        for effect in self.effects.get(trigger, ()):
            if "chosen" in effect.args:
                needed.add("opponent")
            if "chosen" in effect.args[:1] and effect.name in ("cut", "move_card"):
                needed.add("spago" if effect.name == "cut" else "hand")
            if "named" in effect.args:
                needed.add("equipment")
            if effect.name == "peek":
                needed.add("limits")
            if effect.name == "cancel":
                needed.add("stack")
        return frozenset(needed)


@dataclass(frozen=True, slots=True)
class Character:
    id: str
    flaw: str
    ability: str
    quadrant: str
    effects: Mapping[str, tuple[Effect, ...]] = field(hash=False)


# Sets of cards


def bits(mask: int) -> Iterator[int]:
    """The indexes of the cards in a set, the lowest first; unknown ones are left out."""
    while mask:
        low = mask & -mask
        i = low.bit_length() - 1
        if i >= HIDDEN:
            return
        yield i
        mask ^= low


def face_down(count: int) -> int:
    """A set of that many cards whose faces are not known."""
    return ((1 << count) - 1) << HIDDEN


def hidden_in(mask: int) -> int:
    """How many cards of a set have an unknown face."""
    return (mask >> HIDDEN).bit_count()


def known_in(mask: int) -> int:
    """The cards of a set whose faces are known."""
    return mask & _KNOWN


def put_in(mask: int, card: int) -> int:
    return mask | 1 << card if card >= 0 else join(mask, face_down(1))


def take_out(mask: int, card: int) -> int:
    """The set without a card. If nobody saw which one went, no face is sure any more."""
    if card < 0:
        return face_down(mask.bit_count() - 1)
    if mask >> card & 1:
        return mask ^ 1 << card
    return mask & _KNOWN | face_down(hidden_in(mask) - 1)


def join(one: int, other: int) -> int:
    """Two sets put together; unknown cards add up."""
    return (one | other) & _KNOWN | face_down(hidden_in(one) + hidden_in(other))


# Reading


def read_characters(text: str, quadrants: Mapping[str, tuple[str, ...]]) -> dict[str, Character]:
    """Each starts in the quadrant whose outermost arc has the character's Flaw, all in different ones."""
    table = tomllib.loads(text)["characters"]
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


def read_cards(text: str) -> tuple[Card, ...]:
    table = tomllib.loads(text)
    cards = (*_explorer(table), *_piles(table))
    if len(cards) > HIDDEN:
        raise InvalidData("card-count", count=len(cards))
    return cards


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
