"""Runs a scenario through the real engine, step by step.

A step plays moves, has one move refused, lists moves to choose from, or asks for a fact; every expectation
that fails is a problem. What is shown to a reader (position, marked places, values) comes from the
played steps made here.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from tutor.book.model import Scenario, StepFile
from tutor.book.source import Problem
from tutor.rules.base import CHANCE, Deed, Game, Move, Reason, State, Value, Verdict
from tutor.rules.errors import RulesError

START = "start"
"""What `after` calls the position that the scenario begins with."""
_ID = re.compile("[a-z0-9-]+")

Played = Literal["watch", "do", "refuse", "choose", "ask"]


@dataclass(frozen=True)
class PlayedStep:
    """One step as it came out: the position before and after it, what was done, and why."""

    file: StepFile
    seat: int
    """Who looks on: what this seat must not see is neither told nor shown."""
    before: State
    after: State
    deeds: tuple[Deed, ...] = ()
    verdict: Verdict | None = None
    cited: frozenset[str] = frozenset()
    """The rules that allowed what was played."""
    choices: tuple[tuple[str, Verdict], ...] = ()
    facts: Mapping[str, Value] = field(default_factory=dict)

    @property
    def kind(self) -> Played:
        if self.file.choose:
            return "choose"
        if self.file.refuse:
            return "refuse"
        if self.file.ask:
            return "ask"
        return "do" if self.file.goal else "watch"

    @property
    def moves(self) -> tuple[str, ...]:
        """What is done in the step, or tried in vain."""
        return (*self.file.play, *filter(None, [self.file.refuse]))

    @property
    def marks(self) -> tuple[str, ...]:
        """The places that the picture marks."""
        if self.file.at:
            return self.file.at
        if self.verdict and not self.verdict.ok:
            return self.verdict.at
        return tuple(dict.fromkeys(place for deed in self.deeds for place in deed.at))

    @property
    def reasons(self) -> tuple[Reason, ...]:
        return self.verdict.reasons if self.verdict else ()


@dataclass(frozen=True)
class Run:
    """A scenario as played: its steps in order."""

    scenario: Scenario
    start: State
    steps: Mapping[str, PlayedStep]


def line_of_play(run: Run, since: str, step: str) -> tuple[str, ...]:
    """The steps from one to another that goes on from it, without what is only tried on the way."""
    names = list(run.steps)
    found = [step]
    while found[0] != since:
        at = names.index(found[0])
        before = run.steps[found[0]].file.after or (names[at - 1] if at else START)
        if before == START or run.steps[found[0]].file.start:
            return ()
        found.insert(0, before)
    return (*(name for name in found[:-1] if run.steps[name].file.play), step)


class Failed(Exception):
    """A step that did not go as its scenario says."""


def start_of(game: Game, scenario: Scenario) -> State:
    file = scenario.file
    return game.parse_position(file.start) if file.start else game.setup(file.setup)


def run(game: Game, scenario: Scenario) -> tuple[Run, list[Problem]]:
    """Plays every step; a step that fails is a problem and is not in the run."""
    problems: list[Problem] = []
    steps: dict[str, PlayedStep] = {}
    try:
        start = start_of(game, scenario)
    except RulesError as error:
        key = "start" if scenario.file.start else "setup"
        return Run(scenario, None, {}), [scenario.source.problem(f"{key}: {error}", key)]
    state = start
    for step in scenario.file.step:
        try:
            if step.id in steps or step.id == START or not _ID.fullmatch(step.id):
                raise Failed("needs an id of its own (a-z, 0-9, hyphens; not `start`)")
            before = _before(game, step, state, start, steps)
            played = _play(game, step, before)
            for text in _expectations(game, played):
                problems.append(Problem(scenario.path, scenario.line(step.id), f"{step.id}: {text}"))
        except (Failed, RulesError) as error:
            problems.append(Problem(scenario.path, scenario.line(step.id), f"{step.id}: {error}"))
            continue
        steps[step.id] = played
        state = played.after
    named = {*game.facts(start), *(name for played in steps.values() for name in played.facts)}
    for played in steps.values():
        for name in sorted({*played.file.facts, *played.file.goal} - named):
            # A fact that is not there counts as 0, so a misspelt one would meet any such expectation.
            text = f"{played.file.id}: no position of this scenario has a fact {name}"
            problems.append(Problem(scenario.path, scenario.line(played.file.id), text))
    return Run(scenario, start, steps), problems


def _before(game: Game, step: StepFile, state: State, start: State, steps: Mapping[str, PlayedStep]) -> State:
    if step.start and step.after:
        raise Failed("has a start of its own or comes after a step: one of them")
    if step.start:
        return game.parse_position(step.start)
    if not step.after:
        return state
    if step.after == START:
        return start
    if step.after not in steps:
        raise Failed(f"there is no step {step.after} before it")
    return steps[step.after].after


def _play(game: Game, step: StepFile, before: State) -> PlayedStep:
    if not 0 <= step.seat <= game.seats(before):
        raise Failed(f"there is no seat {step.seat}")
    if any(isinstance(v, str) and v.startswith(">=") and not v[2:].isdecimal() for v in step.goal.values()):
        raise Failed("a goal is a value, or >= and a whole number")
    if bool(step.play) + bool(step.refuse) + bool(step.choose) > 1:
        raise Failed("plays, refuses or chooses: one of them")
    if step.ask and (step.refuse or step.choose or step.goal):
        raise Failed("asks for a fact, or for a move: one of them")
    moves = {text: game.parse_move(text) for text in (*step.play, step.refuse, *step.choose) if text}
    seat = step.seat or _onlooker(game, before, moves.values())
    if step.refuse:
        move = moves[step.refuse]
        judged = game.judge(before, move)
        return PlayedStep(
            step, seat, before, before, (game.tell(before, move),), judged, facts=game.facts(before)
        )
    if step.choose:
        choices = tuple((text, game.judge(before, moves[text])) for text in step.choose)
        return PlayedStep(step, seat, before, before, choices=choices, facts=game.facts(before))
    state, deeds, cited = before, [], set()
    for text in step.play:
        move = moves[text]
        verdict = game.judge(state, move)
        if not verdict.ok:
            raise Failed(f"{text} is refused by {', '.join(reason.rule for reason in verdict.reasons)}")
        cited |= {reason.rule for reason in verdict.reasons}
        deeds.append(game.tell(state, game.seen_by(state, move, seat)))
        state = game.play(state, move)
    return PlayedStep(
        step, seat, before, state, tuple(deeds), cited=frozenset(cited), facts=game.facts(state)
    )


def _onlooker(game: Game, before: State, moves: Iterable[Move]) -> int:
    """The first player who acts, or else the one who is to act."""
    seats = [move.seat for move in moves if CHANCE < move.seat <= game.seats(before)]
    return next(iter([*seats, *(seat for seat in game.turn(before) if seat != CHANCE)]), 1)


def _expectations(game: Game, played: PlayedStep) -> list[str]:
    step = played.file
    wrong = []
    if step.refuse and played.verdict:
        rules = [reason.rule for reason in played.verdict.reasons]
        if played.verdict.ok:
            wrong.append(f"{step.refuse} is legal")
        elif rules[0] != step.rule:
            wrong.append(f"{step.refuse} is refused by {', '.join(rules)}, not by {step.rule or 'nothing'}")
    if step.choose and len({verdict.ok for _, verdict in played.choices}) < 2:
        wrong.append("the choices are all legal or all refused")
    if step.ask and step.ask not in played.facts:
        wrong.append(f"there is no fact {step.ask} to ask for")
    for name, expected in step.facts.items():
        if played.facts.get(name, 0) != expected:
            wrong.append(f"{name} is {played.facts.get(name, 'not there')!r}, not {expected!r}")
    if step.goal:
        if not meets(played.facts, step.goal):
            wrong.append("its own moves do not reach the goal")
        if meets(game.facts(played.before), step.goal):
            wrong.append("the goal is reached before a move is made")
    return wrong


def meets(facts: Mapping[str, Value], goal: Mapping[str, Value]) -> bool:
    """Whether the facts reach a goal: equal values, or `>=2` for at least two."""
    return all(_reaches(facts.get(name, 0), wanted) for name, wanted in goal.items())


def _reaches(value: Value, wanted: Value) -> bool:
    if isinstance(wanted, str) and wanted.startswith(">="):
        return isinstance(value, int) and value >= int(wanted[2:])
    return value == wanted


def values_of(step: PlayedStep, players: int) -> dict[str, Value]:
    """What an example's sentence may name: the facts after the step, its refusal's values, the players."""
    values: dict[str, Value] = dict(step.facts)
    if step.reasons:
        values |= step.reasons[0].args
    return values | {f"p{seat}": f"p{seat}" for seat in range(1, players + 1)}
