"""Makes the lesson of a game out of its rulebook. There are no hand-written lessons.

Each rule becomes a step to read, each line of an example a step to watch, do, see refused or choose from,
and each section ends with a recap. The short path leaves out details.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from tutor.book.model import GameBook, Section
from tutor.book.scenario import Frame, Played, Run

Kind = Literal["read", "recap"] | Played


@dataclass(frozen=True)
class Step:
    """One screen of a lesson. `scenario` and `frame` name the position that it shows."""

    id: str
    kind: Kind
    section: str
    short: bool
    rule: str = ""
    scenario: str = ""
    frame: str = ""


@dataclass(frozen=True)
class Lesson:
    steps: tuple[Step, ...]

    @cached_property
    def short(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.short)

    @cached_property
    def by_id(self) -> dict[str, Step]:
        return {step.id: step for step in self.steps}

    def path(self, short: bool) -> tuple[Step, ...]:
        return self.short if short else self.steps

    def place(self, step: Step, short: bool) -> "Place":
        """Where a step stands on a path. A step off the short path stands where it would come in."""
        path = self.path(short)
        if step in path:
            i = path.index(step)
            before, after = path[:i], path[i + 1 :]
            number = i + 1
        else:
            order = self.steps.index(step)
            before = tuple(s for s in path if self.steps.index(s) < order)
            after = path[len(before) :]
            number = len(before)
        return Place(before[-1] if before else None, after[0] if after else None, number, len(path))


@dataclass(frozen=True)
class Place:
    back: Step | None
    next: Step | None
    number: int
    count: int


def pictures(book: GameBook, runs: Mapping[str, Run]) -> dict[str, tuple[str, str]]:
    """The scenario step that pictures each rule: the one named in rules.toml, or the first that shows it."""
    found: dict[str, tuple[str, str]] = {}
    for name, facts in book.facts.rules.items():
        if facts.picture:
            scenario, _, step = facts.picture.partition("/")
            found[name] = (scenario, step)
    told = [block.id for section in book.outline for block in section.blocks if block.kind == "example"]
    untold = [name for name in runs if name not in told]
    for scenario in [*told, *untold]:
        for frame in runs[scenario].frames.values():
            for rule in _shown_by(frame):
                found.setdefault(rule, (scenario, frame.step.id))
    return found


def _shown_by(frame: Frame) -> tuple[str, ...]:
    refused = tuple(reason.rule for reason in frame.reasons if frame.kind == "refuse")
    return (*frame.step.shows, *sorted(frame.cited), *refused)


def make(book: GameBook, runs: Mapping[str, Run]) -> Lesson:
    shown = pictures(book, runs)
    steps: list[Step] = []
    for section in book.outline:
        own = list(_section(book, section, runs, shown))
        if own:
            short = sum(step.short and step.kind == "read" for step in own) > 2
            steps += [*own, Step(f"{section.id}.recap", "recap", section.id, short)]
    return Lesson(tuple(steps))


def _section(
    book: GameBook, section: Section, runs: Mapping[str, Run], shown: Mapping[str, tuple[str, str]]
) -> list[Step]:
    steps: list[Step] = []
    for block in section.blocks:
        if block.kind == "rule":
            name = block.id.removeprefix(f"{book.id}.")
            scenario, frame = shown.get(block.id, ("", ""))
            detail = book.facts.rules[block.id].detail
            steps.append(Step(name, "read", section.id, not detail, block.id, scenario, frame))
        elif block.kind == "example":
            one = runs[block.id]
            for line in block.lines or ():
                if line.endswith("!"):
                    continue
                short = line in one.scenario.file.short
                kind = one.frames[line].kind
                steps.append(Step(f"{block.id}.{line}", kind, section.id, short, "", block.id, line))
    return steps
