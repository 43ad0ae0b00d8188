"""Positions of Confini as text, with an exact round trip.

    equip active=p1 round=3
    p1=andrea p1.level=4 p1.eco=4 p1.equip=EQ1#1 p1.hand=EV02,EV02
    p2=vasco p2.spago=2
    limits=1:NW4:p2:L4-PRE-B#1 discard=CT#1

A position begins with its phase; the rest are `name=value` in any order. What is not named is at its start:
level 1, 3 Eco, no Spago, no cards; every card that is not named lies in its deck or pile. With `deck=EV02#1`
or `pile2=none` these are all that is left of it and the rest is discarded. A card without its `#` number is
the first copy that is free. A Limit is number:arc:placer:card, and the seats that know its face when others
than the placer do. Hidden cards of a view are `?3`.
"""

import re
from dataclasses import fields

from tutor.rules.confini.cards import HIDDEN, UNKNOWN, Box, bits
from tutor.rules.confini.checks import check
from tutor.rules.confini.reader import Reader
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
    seat_names,
    seats_of,
)
from tutor.rules.errors import InvalidPosition

LONGEST_POSITION = 8000

FAULTS: dict[str, tuple[str, ...]] = {
    "move.card": ("card",),
    "position.player": ("value",),
    "position.active": ("value",),
    "position.number": ("value",),
    "position.card": ("value",),
    "position.twice": ("card",),
    "position.count": ("count",),
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
        parts += _named("rolling", seat_names(state.rolling), seat_names(range(1, len(state.level) + 1)))
    for seat in range(1, len(state.level) + 1):
        parts += _player(box, state, seat)
    parts += _named("limits", ",".join(_limit(box, limit) for limit in state.limits), "")
    parts += _cards(box, "discard", state.discard)
    for n, filed in enumerate(state.filed, 1):
        parts += _cards(box, f"discard{n}", filed)
    if any(deck >= 1 << HIDDEN for deck in (state.deck, *state.piles)):
        parts.append(f"deck=?{state.deck.bit_count()}")
        parts += [f"pile{n}=?{pile.bit_count()}" for n, pile in enumerate(state.piles, 1)]
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
        *_named(f"{player}.eco", state.eco[i], box.numbers.eco if state.level[i] else 0),
        *_named(f"{player}.spago", state.spago[i], 0),
        *_cards(box, f"{player}.hand", state.hand[i]),
        *_cards(box, f"{player}.equip", state.equip[i]),
        *_cards(box, f"{player}.kept", state.kept[i]),
    ]


def _limit(box: Box, limit: Limit) -> str:
    known = seats_of(limit.seen & ~(1 << limit.placer))
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
        *_named("fight.used", seat_names(seats_of(fight.used)), ""),
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
    reader = Reader(box, found, {name for name in _CARD.findall(text) if name in box.index})
    state = reader.state(phase)
    if found:
        raise InvalidPosition("position", value=next(iter(found)))
    check(box, state)
    return state
