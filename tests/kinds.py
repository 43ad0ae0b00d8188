"""An address of every kind of page that the site has, for every game, found in its routes and lessons."""

from collections.abc import Iterator
from urllib.parse import urlencode

from tutor.book.load import load
from tutor.book.scenario import Frame
from tutor.paths import CONTENT
from tutor.teach.course import Course, courses

PICKED = [
    "/{lang}/border/learn/sarah-grey.three?pick=G1+G2",
    "/{lang}/blockers/learn/sarah-captures.join?pick=5+groups",
]
"""What can be picked before a move is made is known to the drawings alone."""


def kinds_of_page() -> list[str]:
    """With `{lang}` in the place of the language."""
    pages = ["/{lang}/", *PICKED]
    for name, course in courses(load(CONTENT)).items():
        told = next(block.id for section in course.book.outline for block in section.blocks if block.lines)
        pages += [f"{name}/", f"{name}/rules", f"{name}/examples/{told}/", *_steps(name, course)]
    return [page if page.startswith("/") else f"/{{lang}}/{page}" for page in pages]


def _steps(name: str, course: Course) -> Iterator[str]:
    """The first step of each kind with all that a learner can do there, and the last position of all."""
    first = {step.kind: step for step in reversed(course.lesson.steps)}
    pictured = [step for step in course.lesson.steps if step.kind == "watch"]
    for step in dict.fromkeys([*first.values(), *pictured[-1:]]):
        address = f"{name}/learn/{step.id}"
        yield f"{address}?path=full"
        if step.scenario and step.kind != "read":
            for query in _asked(course, course.runs[step.scenario].frames[step.frame]):
                yield f"{address}?{urlencode(query)}"


def _asked(course: Course, frame: Frame) -> Iterator[dict[str, str]]:
    """What an address can say beside the step: moves made or refused, help, an answer."""
    game = course.book.game
    if frame.kind == "do":
        yield {"moves": ";".join(frame.step.play)}
        yield {"help": "3"}
        thought = game.thinkable(frame.before, frame.seat)
        wrong = [move for move in thought if not game.judge(frame.before, move).ok]
        yield from ({"moves": game.format_move(move)} for move in wrong[:1])
    elif frame.kind == "refuse":
        yield {"moves": frame.step.refuse}
    elif frame.kind in ("choose", "ask"):
        yield {"check": "1", "choice": "0"}
