"""An example of the rulebook, frame by frame, judged by the engine as it is shown."""

from collections.abc import Iterator
from dataclasses import dataclass

from tutor.book.texts import Why
from tutor.lessons.course import Course, Telling
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
    """One frame of an example, with the frames before and after it."""

    id: str
    frame: str
    title: str
    number: int
    count: int
    back: str
    next: str
    html: str
    moves: tuple[Judged, ...]
    scene: Scene


def frames_of(course: Course, name: str) -> list[str]:
    """The frames that the rulebook tells, in its order; all of them if it tells none."""
    block = next(iter(course.book.rulebooks.values())).blocks.get(name)
    told = [line for line in (block.lines if block else None) or () if not line.endswith(("!", "?"))]
    return told or list(course.runs[name].frames)


def example(course: Course, lang: str, name: str, frame: str = "") -> Example:
    frames = frames_of(course, name)
    frame = frame or frames[0]
    if frame not in frames:  # it only proves something
        frames = list(course.runs[name].frames)
    told = course.tell(name, frame, lang)
    i = frames.index(frame)
    return Example(
        name,
        frame,
        told.title,
        i + 1,
        len(frames),
        frames[i - 1] if i else "",
        frames[i + 1] if i < len(frames) - 1 else "",
        told.story(),
        tuple(_judge_moves(told)),
        told.still(),
    )


def _judge_moves(told: Telling) -> Iterator[Judged]:
    """The moves of a frame as its onlooker sees them, each judged here and now where it is made."""
    game, frame = told.course.book.game, told.frame
    state = frame.before
    for text in (*frame.moves, *frame.step.choose):
        move = game.parse_move(text)
        verdict = game.judge(state, move)
        seen = game.seen_by(state, move, frame.seat) if frame.step.play else move
        deed = told.words.say_deed(game.tell(state, seen))
        chosen = move.seat != CHANCE and move.act != END
        yield Judged(deed, verdict.ok, told.texts.explain(verdict, told.words), chosen)
        if frame.step.play:
            state = game.play(state, move)
