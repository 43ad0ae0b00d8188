"""An example of the rulebook, step by step, judged by the engine as it is shown."""

from collections.abc import Iterator
from dataclasses import dataclass

from tutor.book.texts import Why
from tutor.lessons.course import Course, ToldStep
from tutor.lessons.scene import Scene
from tutor.rules.base import CHANCE

END = "done"
"""How the moves of all games say that somebody has finished."""


@dataclass(frozen=True)
class Judged:
    """A move with the engine's verdict: why it is refused, or the rules that allow it."""

    deed: str
    ok: bool
    whys: tuple[Why, ...]
    chosen: bool = True
    """Whether somebody might ask if it is allowed: not what chance does, nor the end of a turn."""


@dataclass(frozen=True)
class Example:
    """One step of an example, with the steps before and after it."""

    id: str
    step: str
    title: str
    number: int
    count: int
    back: str
    next: str
    html: str
    moves: tuple[Judged, ...]
    scene: Scene


def steps_of(course: Course, name: str) -> list[str]:
    """The steps that the rulebook tells, in its order; all of them if it tells none."""
    block = next(iter(course.book.rulebooks.values())).blocks.get(name)
    told = [line for line in (block.lines if block else None) or () if not line.endswith(("!", "?"))]
    return told or list(course.runs[name].steps)


def example(course: Course, lang: str, name: str, step: str = "") -> Example:
    steps = steps_of(course, name)
    step = step or steps[0]
    if step not in steps:  # it only proves something
        steps = list(course.runs[name].steps)
    told = course.tell(name, step, lang)
    i = steps.index(step)
    return Example(
        name,
        step,
        told.title,
        i + 1,
        len(steps),
        steps[i - 1] if i else "",
        steps[i + 1] if i < len(steps) - 1 else "",
        told.story(),
        tuple(_judge_moves(told)),
        told.still(),
    )


def _judge_moves(told: ToldStep) -> Iterator[Judged]:
    """The moves of a step as its onlooker sees them, each judged here and now where it is made."""
    game, step = told.course.book.game, told.step
    state = step.before
    for text in (*step.moves, *step.file.choose):
        move = game.parse_move(text)
        verdict = game.judge(state, move)
        seen = game.seen_by(state, move, step.seat) if step.file.play else move
        deed = told.words.say_deed(game.tell(state, seen))
        chosen = move.seat != CHANCE and move.act != END
        yield Judged(deed, verdict.ok, told.texts.explain(verdict, told.words), chosen)
        if step.file.play:
            state = game.play(state, move)
