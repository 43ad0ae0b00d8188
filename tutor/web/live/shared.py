"""What a shared screen shows, and the notes beside it: a beat in one language, perhaps two."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tutor.book.texts import Texts
from tutor.book.words import LANGUAGES, Words
from tutor.lessons import beats
from tutor.lessons.beats import Beat
from tutor.lessons.course import Course
from tutor.lessons.input import Replies
from tutor.lessons.lesson import END, Screen
from tutor.lessons.scene import Scene
from tutor.lessons.screen_views import Prediction, Question, ScreenView, Task, show
from tutor.lookup.rulings import questions
from tutor.web.http.screens import Here, put_back
from tutor.web.http.shelf import shelf

MOST_SECTIONS = 9
"""As many as there are digits to jump by."""


@dataclass(frozen=True)
class SharedScreen:
    """What the templates of a shared screen and of its notes are given."""

    game: str
    course: Course
    texts: Texts
    words: Words
    screen: Screen
    jumps: bool
    """Whether another position is shown than before."""
    view: ScreenView
    scene: Scene | None
    here: Here
    restored: list[str]
    replies: Replies
    headlines: tuple[str, ...]
    letters: int
    """How much there is to read beside the board."""
    also: str
    """The second language."""
    second: ScreenView | None
    second_lines: tuple[str, ...]
    notes: tuple[str, ...]
    learned: list[str]
    number: int
    count: int
    minutes: int
    back: str
    next: str
    coming: tuple[str, str]
    sections: list[tuple[str, str]]
    bare: str
    seconds: list[tuple[str, str]]
    """Each other language, and the address of the screen with it beside."""
    touching: tuple[tuple[str, str], ...]
    answer: tuple[str, ...]

    @property
    def size(self) -> int:
        """How large the letters can be, 1 to 5: they share a screen with the board, and may not scroll."""
        return 1 + sum(self.letters < most for most in (500, 360, 215, 130))

    @property
    def picture(self) -> tuple[str, dict[str, Any]] | None:
        return shelf().picture(self.game, self.scene) if self.scene else None

    @classmethod
    def of(
        cls,
        course: Course,
        lang: str,
        plan: tuple[str, ...],
        beat: Beat,
        also: str,
        way: Callable[[str, str], Here],
    ) -> "SharedScreen":
        """`way` makes the addresses of a screen with a second language."""
        screen, given, texts = course.lessons.screens[beat.screen], beat.given, course.texts[lang]
        here = way(screen.id, also)
        view = show(course, screen, lang, given)
        scene = view.scene
        if isinstance(view, Task) and view.open and scene and not view.attempt.off:  # first it is taken back
            scene = replace(scene, link=here.link(course.book.game, view))
        second = show(course, screen, also, given) if also else None
        headlines = beats.headlines(view, texts)
        second_lines = beats.headlines(second, course.texts[also]) if second else ()
        before, after = beats.find_neighbours(course, plan, screen.id, given, unanswered=view.open)
        place = plan.index(screen.id) if screen.id in plan else 0
        rest = plan[place:] if screen.id != END else ()

        def to(beat: Beat | None, also: str = also) -> str:
            if beat is None:
                return ""
            done = beat.given
            return way(beat.screen, also)(
                moves=done.moves, replies=done.replies, choices=sorted(done.choices)
            )

        return cls(
            game=course.book.id,
            course=course,
            texts=texts,
            words=course.book.words[lang],
            screen=screen,
            jumps=beats.is_jump(course, plan, screen.id),
            view=view,
            scene=scene,
            here=here,
            restored=put_back(course.book.id, view),
            replies=given.replies,
            headlines=headlines,
            letters=_letters(
                view, [view.title, *headlines, *([second.title] if second else []), *second_lines]
            ),
            also=also,
            second=second,
            second_lines=second_lines,
            notes=beats.notes(view, texts),
            learned=beats.list_learned(course, lang, plan),
            number=place + 1 if screen.id != END else len(plan),
            count=len(plan),
            minutes=round(sum(beats.minutes(course, lang, name) for name in rest)),
            back=to(before),
            next=to(after),
            coming=_tell_next(course, lang, screen.id, after),
            sections=[
                (beats.title(course, lang, name), to(Beat(name)))
                for name in beats.sections(course, plan)[:MOST_SECTIONS]
            ],
            bare=here(),
            seconds=[(code, to(beat, "" if code == also else code)) for code in LANGUAGES if code != lang],
            touching=questions(course, lang, screen.rules, screen.scenario, screen.step),
            answer=beats.answer(course, screen, lang) if view.open else (),
        )


def _letters(view: ScreenView, lines: list[str]) -> int:
    """How much there is to read beside the board."""
    if isinstance(view, Question):
        lines = [*lines, *(answer.label for answer in view.answers)]
    if isinstance(view, Prediction):
        lines = [*lines, view.deed, view.deed]  # with a verdict of its own beside it
    return sum(len(beats.strip_tags(line)) for line in lines)


def _tell_next(course: Course, lang: str, screen: str, after: Beat | None) -> tuple[str, str]:
    """For the presenter: whether the answer, the end or another screen comes next, and that one's title."""
    if after is None or after.screen == END:
        return "end", ""
    if after.screen == screen:
        return "answer", ""
    return "screen", beats.title(course, lang, after.screen)
