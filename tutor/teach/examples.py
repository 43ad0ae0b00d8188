"""An example of the rulebook, frame by frame."""

from dataclasses import dataclass

from tutor.book.texts import Why
from tutor.teach.course import Course
from tutor.teach.scene import Scene


@dataclass(frozen=True)
class Example:
    """One frame of an example, with the frames before and after it."""

    id: str
    frame: str
    title: str
    number: int
    """Its place among the frames that are told; 0 for one that only proves something."""
    count: int
    back: str
    next: str
    html: str
    deeds: tuple[str, ...]
    whys: tuple[Why, ...]
    scene: Scene


def frames_of(course: Course, name: str) -> list[str]:
    """The frames that the rulebook tells, in its order; all of them if it tells none."""
    block = next(iter(course.book.rulebooks.values())).blocks.get(name)
    told = [line for line in (block.lines if block else None) or () if not line.endswith(("!", "?"))]
    return told or list(course.runs[name].frames)


def example(course: Course, lang: str, name: str, frame: str = "") -> Example:
    frames = frames_of(course, name)
    frame = frame or frames[0]
    told = course.tell(name, frame, lang)
    i = frames.index(frame) if frame in frames else -1
    return Example(
        name,
        frame,
        told.title,
        i + 1,
        len(frames),
        frames[i - 1] if i > 0 else "",
        frames[i + 1] if 0 <= i < len(frames) - 1 else "",
        told.story(),
        told.deeds,
        told.whys(told.frame.verdict),
        told.still(),
    )
