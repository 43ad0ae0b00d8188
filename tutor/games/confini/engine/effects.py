"""The vocabulary of card texts: sixteen primitives, the moments they happen at, and how they are written.

    eco(self, +2)                           what happens
    equip>=2: challenge(+1)                 ... under a condition, checked when it would happen
    may: peek(own_arc, 1)                   ... if the player likes
    once_per_turn: may: ignore(turn_change) ... and only once in a turn

Only the words are here; `tasks` carries them out. What would mean nothing on a card is refused, so that no
author of cards is ignored.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tutor.rules.errors import InvalidData

WHO = ("self", "challenger", "placer", "chosen", "next")
SHAPES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "eco": (WHO, ("±",)),
    "stat": (("eco_max", "slots", "hand_limit"), ("±",)),
    "will": (("±",),),
    "challenge": (("±",),),
    "draw": (WHO, ("n",)),
    "discard": (WHO, ("n",), ("random", "choice")),
    "move_card": (WHO, WHO, ("n",), ("random", "choice")),
    "move_equip": (WHO, (*WHO, "discard"), ("choice", "named", "this")),
    "spago": (WHO, ("±",)),
    "cut": (WHO, WHO),
    "peek": (("own_arc", "any"), ("n", "all")),
    "move_limit": (("any",),),
    "end_turn": (),
    "cancel": (),
    "ignore": (("arc_bonus", "negative", "cut", "turn_change", "recovery"),),
    "no_cards": (),
}
"""The primitives with the words that each of their places takes; `n` is a count, `±` a change."""

COUNTED = ("equip", "spago")
"""Conditions that need a number, as in `equip>=2`."""
CONDITIONS = (*COUNTED, "eco=max", "sole_leader", "someone_richer")
TRIGGERS = (
    "on_draw", "play_explore", "play_combat", "static", "turn_start",
    "challenge_start", "on_reveal", "on_win", "on_loss",
)  # fmt: skip
ONLY_AT: Mapping[str, tuple[str, ...]] = {
    "stat": ("static",),
    "cancel": ("play_combat",),
    "peek": ("play_explore", "challenge_start"),
    "move_limit": ("play_explore",),
    "no_cards": ("on_reveal",),
    "will": ("play_combat", "on_reveal"),
    "challenge": ("play_combat", "on_reveal"),
    "ignore": ("play_combat", "on_reveal", "on_win", "on_loss"),
}
"""Primitives that mean something at these moments only; `_holds_always` knows what may be static."""
IN_A_FIGHT = ("arc_bonus", "negative")
"""What can be ignored for one fight; the rest holds only while the card is active."""
MAY_AT = ("turn_start", "challenge_start", "on_loss")
"""Moments at which an effect can be offered; `move_limit` and the stop of a Turn Change always are."""

_EFFECT = re.compile(r"((?:[a-z_=>0-9]+:)*)([a-z_]+)\(([a-z0-9_,+-]*)\)")
_AT_LEAST = re.compile(rf"({'|'.join(COUNTED)})>=([1-9])")


@dataclass(frozen=True, slots=True)
class Effect:
    """One primitive with its values. `text` is its short form, which `read_effect` reads again."""

    text: str
    name: str
    args: tuple[str | int, ...]
    condition: str = ""
    least: int = 0
    may: bool = False
    once: bool = False

    def who(self, place: int) -> str:
        return str(self.args[place])

    def number(self, place: int) -> int:
        value = self.args[place]
        return value if isinstance(value, int) else 0


def read_effect(source: str) -> Effect:
    text = source.replace(" ", "")
    found = _EFFECT.fullmatch(text)
    if not found:
        raise InvalidData("effect", effect=source)
    prefixes, name, inner = found.groups()
    if name not in SHAPES:
        raise InvalidData("effect-name", effect=source)
    words = inner.split(",") if inner else []
    shape = SHAPES[name]
    if len(words) != len(shape):
        raise InvalidData("effect-values", effect=source)
    args = tuple(_value(word, kinds, source) for word, kinds in zip(words, shape, strict=True))
    condition, least, may, once = "", 0, False, False
    for prefix in prefixes.split(":")[:-1]:
        counted = _AT_LEAST.fullmatch(prefix)
        if prefix == "may":
            may = True
        elif prefix == "once_per_turn":
            once = True
        elif counted:
            condition, least = counted[1], int(counted[2])
        elif prefix in CONDITIONS and prefix not in COUNTED:
            condition = prefix
        else:
            raise InvalidData("effect-condition", effect=source)
    return Effect(text, name, args, condition, least, may, once)


def _value(word: str, kinds: tuple[str, ...], source: str) -> str | int:
    if "±" in kinds and re.fullmatch(r"[+-][1-9]", word):
        return int(word)
    if "n" in kinds and re.fullmatch(r"[1-9]", word):
        return int(word)
    if word in kinds and word not in ("n", "±"):
        return word
    raise InvalidData("effect-values", effect=source)


def read_triggers(row: Mapping[str, Any], card: str, *others: str) -> dict[str, tuple[Effect, ...]]:
    """The effects of a card by the moment at which they happen; each must make sense there.

    `others` are the keys that a card may have beside its effects.
    """
    for key in row.keys() - {*TRIGGERS, *others}:
        raise InvalidData("unknown-key", card=card, key=key)
    found = {}
    for trigger in TRIGGERS:
        effects = tuple(read_effect(text) for text in row.get(trigger, ()))
        for effect in effects:
            if not (_holds_always(effect) if trigger == "static" else _happens(effect, trigger)):
                raise InvalidData("effect-moment", card=card, effect=effect.text)
        if effects:
            found[trigger] = effects
    return found


def _holds_always(effect: Effect) -> bool:
    """Whether an effect makes sense as one that holds while the card is active."""
    if effect.name not in ("stat", "ignore") or effect.condition:
        return False
    stops_a_change = effect.args[0] == "turn_change"
    return effect.may == stops_a_change and (stops_a_change or not effect.once)


def _happens(effect: Effect, trigger: str) -> bool:
    """Whether an effect makes sense at a moment."""
    if effect.once or trigger not in ONLY_AT.get(effect.name, TRIGGERS):
        return False
    if effect.name == "ignore" and effect.args[0] not in IN_A_FIGHT:
        return False
    return not effect.may or trigger in MAY_AT or effect.name == "move_limit"
