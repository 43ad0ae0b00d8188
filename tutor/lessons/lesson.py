"""The lessons of a game, made out of its storyline: screens in the order of teaching.

A screen shows a step of a scenario with the rules that it introduces. What happens on it follows from the
step: moves to a goal are done by the learner, a refused move is predicted, choices and facts are asked for,
anything else is watched. Questions of a recap are made by the engine (see `quiz`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from tutor.book.model import GameBook, LessonFile, ScreenFile
from tutor.book.scenario import Run
from tutor.lessons.quiz import Quiz, Subject, make_quizzes
from tutor.rules.base import Game

Kind = Literal["read", "watch", "do", "predict", "choose", "ask", "recap", "end"]
ACTS = ("do", "predict", "choose", "ask", "recap")
"""The kinds of screens on which the learner acts."""
QUESTIONS = ("predict", "choose", "ask")
END = "end"
AGAIN = "again"
"""Where the questions that were missed come back, before the end."""


@dataclass(frozen=True)
class Screen:
    id: str
    kind: Kind
    lesson: str
    rules: tuple[str, ...] = ()
    title: str = ""
    """The rule whose title it takes, if not that of its own first rule or of its example."""
    known: frozenset[str] = frozenset()
    """All rules introduced so far, including these."""
    scenario: str = ""
    step: str = ""
    ask: str = ""
    """The fact to ask for, where the step itself does not ask for one."""
    jumps: bool = False
    """Whether the story continues from another position here, and says so. A later step of the same scenario
    is not a jump."""
    act_first: bool = False
    extra: bool = False
    """Whether a presentation that is short of time leaves it out."""
    alone: bool = False
    recap: "Recap | None" = None
    repeated: tuple[Quiz, ...] = ()
    """Questions of earlier recaps, asked once more."""

    @cached_property
    def quizzes(self) -> tuple[Quiz, ...]:
        """The questions of a recap, made when they are first asked for."""
        return self.recap.make(self) if self.recap else self.repeated


@dataclass(frozen=True)
class Recap:
    """What the questions of a recap are made of."""

    game: Game
    setup: Mapping[str, Any]
    subject: Subject
    count: int

    def make(self, screen: Screen) -> tuple[Quiz, ...]:
        return make_quizzes(self.game, self.setup, self.subject, self.count, f"{self.game.id}/{screen.id}")


@dataclass(frozen=True)
class Lesson:
    id: str
    screens: tuple[Screen, ...]
    players: tuple[str, ...]
    """Who sits at the table of its recaps."""

    @cached_property
    def rules(self) -> tuple[str, ...]:
        return tuple(rule for screen in self.screens for rule in screen.rules)

    @cached_property
    def index(self) -> dict[str, int]:
        return {screen.id: i for i, screen in enumerate(self.screens)}

    @cached_property
    def questions(self) -> dict[str, tuple[Screen, int]]:
        """Every question of its recaps: the screen, and its place there from 0."""
        return {
            f"{screen.id}~{number}": (screen, number)
            for screen in self.screens
            if screen.recap
            for number in range(screen.recap.count)
        }

    def repeat(self, missed: Sequence[str]) -> Screen | None:
        """The questions that were missed, as a screen before the end; None if there are none."""
        repeated = [self.questions[name] for name in missed if name in self.questions]
        quizzes = tuple(screen.quizzes[number] for screen, number in repeated if number < len(screen.quizzes))
        return Screen(AGAIN, "recap", self.id, repeated=quizzes) if quizzes else None

    def screen_before(self, screen: Screen) -> str:
        """The screen before this one, if there is one."""
        if screen.id == AGAIN:
            return self.screens[-2].id
        i = self.index[screen.id]
        return self.screens[i - 1].id if i else ""

    def screen_after(self, screen: Screen) -> str:
        """The screen after this one, if there is one. What was missed comes back before the end."""
        if screen.id == AGAIN:
            return self.screens[-1].id
        i = self.index[screen.id] + 1
        if i == len(self.screens) - 1 and self.questions:
            return AGAIN
        return self.screens[i].id if i < len(self.screens) else ""


@dataclass(frozen=True)
class Lessons:
    """All lessons of a game; the first one teaches the game."""

    all: tuple[Lesson, ...]

    @property
    def first(self) -> Lesson:
        return self.all[0]

    @cached_property
    def screens(self) -> dict[str, Screen]:
        return {screen.id: screen for lesson in self.all for screen in lesson.screens}

    @cached_property
    def by_id(self) -> dict[str, Lesson]:
        return {lesson.id: lesson for lesson in self.all}

    @cached_property
    def helpable(self) -> tuple[str, ...]:
        """Where a reader may need help, in order: tasks, and questions of the first lesson's recaps."""
        tasks = [
            name for name, one in self.screens.items() if one.kind in ACTS and not (one.alone or one.recap)
        ]
        return (*tasks, *self.first.questions)

    def lesson_of(self, screen: Screen) -> Lesson:
        return self.by_id[screen.lesson]


def make_lessons(book: GameBook, runs: Mapping[str, Run]) -> Lessons:
    known: set[str] = set()
    made: list[Lesson] = []
    for file in book.lessons:
        made.append(_make_lesson(book, file, runs, known if not made else set(made[0].rules)))
    return Lessons(tuple(made))


def _make_lesson(book: GameBook, file: LessonFile, runs: Mapping[str, Run], known: set[str]) -> Lesson:
    screens = []
    recent: list[str] = []
    deeds: set[str] = set()
    seen: tuple[str, str] | None = None
    """The scenario and the step of the last screen that showed a position."""
    details = frozenset(rule for rule, facts in book.facts.rules.items() if facts.detail)
    for screen in file.screen:
        known |= set(screen.rules)
        recent += screen.rules
        recap = None
        if screen.recap:
            subject = Subject(
                frozenset(recent) - set(screen.without), frozenset(known), details, frozenset(deeds)
            )
            recap = Recap(book.game, file.setup, subject, screen.recap)
            recent = []
        scenario, _, step = screen.show.partition("/")
        jumps = False
        if screen.show:
            shown = runs[scenario].steps[step]
            deeds |= {deed.kind for deed in shown.deeds}
            jumps = seen is not None and changes_position(book.game, runs, seen, (scenario, step))
            seen = (scenario, step)
        screens.append(
            Screen(
                screen.id,
                _kind_of(screen, runs, scenario, step),
                file.id,
                screen.rules,
                screen.title,
                frozenset(known),
                scenario,
                step,
                screen.ask,
                jumps,
                screen.act_first,
                screen.extra,
                screen.alone,
                recap,
            )
        )
    last = END if file is book.lessons[0] else f"{file.id}-{END}"
    return Lesson(file.id, (*screens, Screen(last, "end", file.id, known=frozenset(known))), file.players)


def changes_position(
    game: Game, runs: Mapping[str, Run], last: tuple[str, str], here: tuple[str, str]
) -> bool:
    """Whether a step shows another position than the one in which the last ended: not the same, nor one move
    later, nor further on in the same story."""
    story, begins = runs[last[0]].steps, runs[here[0]].steps[here[1]].before
    names = list(story)
    place, ended = names.index(last[1]), story[last[1]].after
    if last[0] == here[0]:
        return begins != ended and begins in [story[name].before for name in names[: place + 1]]
    if begins in [story[name].after for name in names[place:]]:
        return False
    return all(game.play(ended, move) != begins for move in game.moves(ended))


def _kind_of(screen: ScreenFile, runs: Mapping[str, Run], scenario: str, step: str) -> Kind:
    if screen.recap:
        return "recap"
    if screen.read or not screen.show:
        return "read"
    if screen.ask:
        return "ask"
    kind = runs[scenario].steps[step].kind
    return "predict" if screen.predict or kind == "refuse" else kind
