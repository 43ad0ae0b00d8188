"""The box of Confini: the board and the numbers of board.toml, with all cards and characters.

Nothing in it changes. What can be worked out once for all positions is worked out here.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tutor.games.confini.engine.cards import (
    CENTRE,
    CUT,
    EQUIPMENT,
    EVENT,
    LEVELS,
    LIMIT,
    NO_CARD,
    Card,
    Character,
    bits,
    read_cards,
    read_characters,
)
from tutor.games.confini.engine.effects import Effect
from tutor.rules.errors import InvalidData

_MOMENTS = ("turn_start", "challenge_start", "on_win", "on_loss")
"""The moments at which effects of Abilities and active Equipment happen."""
GEARS = 4096
"""Sets of Equipment that are remembered with what they give."""


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
    looks: int
    """How many Limits of the own arc may be looked at before the choice."""
    ignores: frozenset[str]
    steady: str
    """The id of what can stop a Turn Change; empty without."""
    steady_once: bool
    """Whether it can do so only once in a turn."""
    effects: Mapping[str, tuple[tuple[int, Effect], ...]]
    """By moment: the effects with the Equipment that has them (NO_CARD for the Ability)."""


class Box:
    """All components."""

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
        self.arcs_of = {"": ("",) * (LEVELS + 2)} | {
            name: ("", *(f"{one.quadrant}{level}" for level in range(1, LEVELS + 1)), "")
            for name, one in characters.items()
        }
        """The arc that a character's pawn stands on, by level; empty for the eliminated and at the centre."""
        self.homes = tuple(_mask(c.home == home for c in cards) for home in range(LEVELS + 1))
        self.limits = _mask(card.kind == LIMIT for card in cards)
        self.equipment = _mask(card.kind == EQUIPMENT for card in cards)
        self.in_hand = _mask(card.in_hand for card in cards)
        self.can_hide = self.in_hand | self.limits
        """The cards that can lie unseen outside their deck or pile: in a hand, or on an arc."""
        self.slot_gains = tuple(
            sum(one.number(1) for one in card.effects.get("static", ()) if one.args[0] == "slots")
            for card in cards
        )
        self.kept = _mask(card.kept for card in cards)
        self.playable = {
            trigger: _mask(trigger in card.effects for card in cards)
            for trigger in ("play_explore", "play_combat")
        }
        self.aims = {trigger: tuple(card.aims(trigger) for card in cards) for trigger in self.playable}
        written = [card.effects for card in cards] + [one.effects for one in characters.values()]
        self.effects = {
            effect.text: effect for moments in written for effects in moments.values() for effect in effects
        }
        """All effects that are written on something, by their text."""
        limits = [card for card in cards if card.kind == LIMIT]
        others: list[Card | Character] = [card for card in cards if card.kind != LIMIT]
        others += characters.values()
        fought = max(map(_cards_brought, limits), default=0)
        self.cards_a_turn = numbers.draws + fought + sum(map(_cards_brought, others))
        """How many cards one turn, with one Limit fought, can bring into one hand at most."""
        won = 1 + max(map(_spago_brought, limits), default=0)
        self.spago_a_turn = won + sum(map(_spago_brought, others))
        """How many Spago one turn can bring at most."""
        self.gear = lru_cache(GEARS)(self._gear)

    def _gear(self, character: str, equip: int) -> Gear:
        sources: list[tuple[int, str, Mapping[str, tuple[Effect, ...]]]] = []
        if character:
            sources.append((NO_CARD, character, self.characters[character].effects))
        sources += [(i, self.cards[i].id, self.cards[i].effects) for i in bits(equip)]
        stats = {name: getattr(self.numbers, name) for name in ("eco_max", "slots", "hand_limit")}
        ignores: set[str] = set()
        steady, once = "", False
        effects: dict[str, tuple[tuple[int, Effect], ...]] = dict.fromkeys(_MOMENTS, ())
        for card, name, triggers in sources:
            for effect in triggers.get("static", ()):
                if effect.name == "stat":
                    stats[effect.who(0)] += effect.number(1)
                elif effect.who(0) == "turn_change":
                    steady, once = name, effect.once
                else:
                    ignores.add(effect.who(0))
            for trigger in _MOMENTS:
                effects[trigger] += tuple((card, effect) for effect in triggers.get(trigger, ()))
        bonus = sum(self.cards[i].bonus for i in bits(equip))
        starting = [effect for _, effect in effects["challenge_start"]]
        looks = sum(one.number(1) for one in starting if one.name == "peek" and one.args[0] == "own_arc")
        return Gear(
            bonus,
            **stats,
            looks=looks,
            ignores=frozenset(ignores),
            steady=steady,
            steady_once=once,
            effects=effects,
        )


def _cards_brought(thing: Card | Character) -> int:
    """How many cards all effects of a card bring into hands. An Event is one less itself: it leaves the hand,
    or was drawn in place of another."""
    found = 0
    for effect in _effects(thing):
        if effect.name in ("draw", "move_card"):
            found += effect.number(1 if effect.name == "draw" else 2)
        elif effect.name == "move_equip":
            found += effect.args[1] != "discard"
    itself = isinstance(thing, Card) and thing.kind in (EVENT, CUT) and not thing.kept
    return max(0, found - itself)


def _spago_brought(thing: Card | Character) -> int:
    """How many Spago all effects of a card bring from the supply."""
    return sum(max(0, effect.number(1)) for effect in _effects(thing) if effect.name == "spago")


def _effects(thing: Card | Character) -> list[Effect]:
    return [effect for effects in thing.effects.values() for effect in effects]


def _mask(flags: Iterable[bool]) -> int:
    return sum(1 << i for i, flag in enumerate(flags) if flag)


CENTRE_OF_BOARD, OFF_BOARD = "centre", "off-board"
"""The name of a place that is not an arc."""


def place_called(box: "Box", name: str) -> str:
    """The arc of that name, or what a player means who names none."""
    if name in box.flaw_of:
        return name
    inner = any(name == f"{arc[:-1]}{CENTRE}" for arc in box.arcs)
    return CENTRE_OF_BOARD if inner else OFF_BOARD


def design(box: Box, name: str) -> str:
    """What a card is called by: its design. An Ability is used like a card and goes by its own id."""
    if name in box.characters:
        return box.characters[name].ability
    return box.cards[box.index[name]].design if name in box.index else name


def read_box(cards_text: str, board_text: str) -> Box:
    board = tomllib.loads(board_text)
    quadrants = _quadrants(board["quadrants"])
    numbers = board["numbers"]
    if len(numbers["advance"]) != LEVELS - 1 or set(numbers) != set(Numbers.__slots__):
        raise InvalidData("numbers", names=tuple(numbers))
    return Box(
        read_cards(cards_text),
        read_characters(cards_text, quadrants),
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
