"""Whole games told move by move, for a person to read: what is played, the verdict with all its values, what
comes of it, what changes, and on the way moves that are refused. Everything is drawn from a fixed seed.

`<game>-asked.txt` has positions with moves that somebody thought of, each with its answer; whoever adds one
writes the position or the indented move alone.

`make golden` writes the files; a change of them is a change of the rules, to be read before it is committed.
"""

import random
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import nim
from tests.books import LIBRARY
from tutor.rules.base import CHANCE, Game, Move, Reason, State, Value, Verdict
from tutor.rules.errors import InvalidMove, InvalidPosition

FOLDER = Path(__file__).parent
ASKED = {path.stem.removesuffix("-asked"): path for path in sorted(FOLDER.glob("*-asked.txt"))}
GAMES: dict[str, Game] = {name: book.game for name, book in LIBRARY.games.items()} | {"nim": nim.book().game}


@dataclass(frozen=True)
class Telling:
    """A game to be told: how it begins, and how its players choose."""

    options: Mapping[str, Any] = field(default_factory=dict)
    start: str = ""
    """A position to begin with instead of a new game."""
    seed: int = 1
    eager: tuple[str, ...] = ()
    """Acts that players prefer, the larger the better."""
    skip: int = 0
    """How many moves are made before the story begins."""
    odd: tuple[str, ...] = ()
    """Moves to try everywhere, beside those of the game and those that come to a player's mind."""


TOLD: dict[str, tuple[Telling, ...]] = {
    "nim": (Telling(seed=2), Telling({"misere": True}, seed=3)),
    "border": (
        Telling(
            {"players": 2},
            seed=8,
            eager=("cross",),
            odd=("p9 done", "p1 cross Z9", "p2 cross A1", "p1 reroll 1 1", "p2 reroll 7", "first p3"),
        ),
        Telling({"players": 3, "boards": [4, 3, 2], "first": 2}, seed=4, eager=("cross",), skip=330),
    ),
    "blockers": (
        Telling({"players": 3, "open_joker": True}, seed=4, odd=("p9 pass", "p1 red 5 Z9", "draw red 5 E")),
        Telling({"players": 2, "edition": "uptown", "first": 2}, seed=17, skip=150),
    ),
    "confini": (
        Telling({"players": 3, "guard": 8}, seed=5, odd=("p9 done", "p1 place Z9", "draw ?", "take EV02#1")),
        Telling(
            {"players": 2, "guard": 2, "rounding": "down", "characters": ["andrea", "ottilia"], "first": 2}
        ),
        Telling(
            start="start active=p1 round=18 p1=andrea p1.level=4 p1.eco=4 p1.spago=5 p1.hand=EV02#1.2.3 "
            "p2=vasco p2.eco=2 p2.hand=EV03#1.2 p3=ottilia p3.eco=1 p3.hand=EV05#1",
            eager=("smoke", "play"),
            odd=("p9 done", "p2 play EV03#2", "reveal EV02#4", "reveal L1-PRE-B"),
        ),
    ),
}
RARE: dict[str, tuple[str, ...]] = {
    "border": ("tie", "tie-shared"),
    "blockers": ("no-placement", "tie", "tie-shared", "uptown-tie"),
    "confini": (
        "deck-runs-out", "events", "expedition-pack", "guard", "last-player", "several-limits", "smoke-lost",
        "steady-course", "to-the-centre", "wall-of-voices",
    ),
}  # fmt: skip
"""Scenarios that meet the rules which a random game hardly meets."""
HEAD = """\
# {name}, told move by move. `make golden` writes this file.
# Each move stands with the rules that allow it. `so`: what comes of it; `->`: the parts of the position that
# are new, and `without` those that are gone or as usual again. `no`: a move that is refused there."""
WIDTH = 110
ALIKE = 2
"""So often is a refusal by the same rules with the same kinds of values told in a game, and so many of a
position."""


def story(name: str) -> str:
    """The file of a game."""
    game, lines = GAMES[name], [HEAD.format(name=name)]
    cited: set[str] = set()
    for telling in TOLD[name]:
        lines += ["", *tell(game, telling, cited)]
    for scenario in RARE.get(name, ()):
        lines += ["", *tell_scenario(name, scenario, cited)]
    lines += ["", *wrapped("rules not met:", sorted(game.rules.keys() - cited) or ["none"])]
    return "\n".join(lines) + "\n"


def answered(name: str, text: str) -> str:
    """The text of a file of questions, with the answers of today."""
    game, state, lines = GAMES[name], None, []
    for line in text.splitlines():
        question = line.strip().split(": ")[0]
        try:
            if not line or line.startswith("#"):
                lines.append(line)
            elif not line.startswith(" "):
                lines.append(line)
                state = None  # no move is made in a position that cannot be
                state = game.parse_position(line)
            elif not question.startswith("!"):
                lines.append(f"    {question}: {answer(game, state, game.parse_move(question))}")
        except InvalidPosition as error:
            lines.append(f"    ! {error.code} {' '.join(values(error.values))}")
        except InvalidMove as error:
            lines.append(f"    {question}: ! {error.code}")
    return "\n".join(lines) + "\n"


def answer(game: Game, state: State, move: Move) -> str:
    verdict = game.judge(state, move)
    guess = " (a guess)" if game.guessed(state, move) else ""
    return f"{'yes' if verdict.ok else 'no'} {reasons(verdict, set())}{guess}"


def tell(game: Game, telling: Telling, cited: set[str]) -> Iterator[str]:
    """One game; the rules that it meets are added to those cited."""
    history = played(game, telling)
    pool = sorted({move for _, move in history} | {game.parse_move(text) for text in telling.odd})
    state = history[telling.skip][0]
    yield from wrapped(f"== seed {telling.seed}, move {telling.skip + 1}:", values(game.agreed(state)))
    yield game.format_position(state)
    seen: Counter[object] = Counter()
    for number, (state, move) in enumerate(history[telling.skip :], telling.skip + 1):
        for refused, verdict in refusals(game, state, pool, seen, random.Random(number)):
            yield f"     no {game.format_move(refused)}: {reasons(verdict, cited)}"
        yield from tell_move(game, f"{number:4}", state, move, cited)
    last = game.play(state, move)
    yield game.format_position(last)
    yield from wrapped("facts:", values(game.facts(last)))
    yield from tell_end(game, last, cited)
    yield f"now {game.format_move(move)}: {reasons(game.judge(last, move), cited)}"


def tell_scenario(name: str, scenario: str, cited: set[str]) -> Iterator[str]:
    """The moves of a scenario, those that it has refused among them."""
    game, run = GAMES[name], LIBRARY.runs[name][scenario]
    yield f"== scenario {scenario}"
    state = None
    for step in run.steps.values():
        if step.before != state:
            yield game.format_position(step.before)
        state = step.before
        for move in map(game.parse_move, step.moves):
            verdict = game.judge(state, move)
            if not verdict.ok:
                yield f"     no {game.format_move(move)}: {reasons(verdict, cited)}"
                continue
            yield from tell_move(game, "    ", state, move, cited)
            state = game.play(state, move)
        yield from tell_end(game, state, cited)


def tell_move(game: Game, label: str, state: State, move: Move, cited: set[str]) -> Iterator[str]:
    after = game.play(state, move)
    line = f"{label} {game.format_move(move)}: {reasons(game.judge(state, move), cited)}"
    changed = f"-> {difference(game.format_position(state), game.format_position(after))}"
    fits = len(line) + len(changed) < WIDTH
    yield f"{line} {changed}" if fits else line
    for effect in game.effects(state, after):
        cited.add(effect.rule)
        told = Reason(effect.deed.kind, effect.deed.at, effect.deed.args)
        yield f"        so {reason_text(told)}{effect.rule and f' by {effect.rule}'}"
    if not fits:
        yield f"        {changed}"


def tell_end(game: Game, state: State, cited: set[str]) -> Iterator[str]:
    if outcome := game.outcome(state):
        cited.add(outcome.reason)
        yield f"outcome: ranks {said(outcome.ranks)}, scores {said(outcome.scores)} by {outcome.reason}"


def played(game: Game, telling: Telling) -> list[tuple[State, Move]]:
    chosen = random.Random(telling.seed)
    state = game.parse_position(telling.start) if telling.start else game.setup(telling.options)
    history = []
    while game.turn(state):
        move = choose(game, state, telling, chosen)
        history.append((state, move))
        state = game.play(state, move)
    return history


def choose(game: Game, state: State, telling: Telling, chosen: random.Random) -> Move:
    """An act first, so that rare ones are not lost among many, then one of its moves."""
    if CHANCE in game.turn(state):
        return game.chance(state, chosen)
    acts: dict[str, list[Move]] = {}
    for move in game.moves(state):
        acts.setdefault(move.act, []).append(move)
    for act in telling.eager:
        if act in acts and chosen.random() < 0.95:
            most = max(len(move.what) for move in acts[act])
            return chosen.choice([move for move in acts[act] if len(move.what) == most])
    return chosen.choice(acts[chosen.choice(sorted(acts))])


def refusals(
    game: Game, state: State, pool: list[Move], seen: Counter[object], chosen: random.Random
) -> Iterator[tuple[Move, Verdict]]:
    """A few moves that are refused here, by rules or for values that were not told often yet."""
    thought = [move for seat in range(1, game.seats(state) + 1) for move in game.thinkable(state, seat)]
    tried = [*chosen.sample(pool, min(40, len(pool))), *chosen.sample(thought, min(60, len(thought)))]
    told = 0
    for move in tried:
        verdict = game.judge(state, move)
        kind = tuple((one.rule, len(one.at), *map(bool, one.args.values())) for one in verdict.reasons)
        if verdict.ok or seen[kind] == ALIKE or told == ALIKE:
            continue
        seen[kind] += 1
        told += 1
        yield move, verdict


def difference(before: str, after: str) -> str:
    """The parts of a position that are new, and the names of those that are gone."""
    old, new = before.split(), after.split()
    names = {part.partition("=")[0] for part in new}
    gone = [name for part in old if (name := part.partition("=")[0]) not in names and "=" in part]
    fresh = [part for part in new if part not in old]
    return " ".join(fresh + ([f"without {', '.join(gone)}"] if gone else []))


def reasons(verdict: Verdict, cited: set[str]) -> str:
    cited |= {reason.rule for reason in verdict.reasons}
    return "; ".join(map(reason_text, verdict.reasons))


def reason_text(reason: Reason) -> str:
    at = [("instead " if reason.instead else "") + "at " + ",".join(reason.at)] if reason.at else []
    return " ".join([reason.rule, *at, *values(reason.args)])


def values(named: Mapping[str, Value]) -> list[str]:
    return [f"{name}={said(value)}" for name, value in named.items()]


def said(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def wrapped(title: str, words: list[str]) -> list[str]:
    return textwrap.wrap(" ".join([title, *words]), WIDTH, subsequent_indent="  ", break_on_hyphens=False)
