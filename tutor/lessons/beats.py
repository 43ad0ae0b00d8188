"""A lesson as a performance: beats, one after the other. A beat is a screen before or after its answer.

Like everything a learner does, a beat is language-free: a screen, and what was done on it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from random import Random

from tutor.book.texts import Texts
from tutor.book.words import TEMPLATE_LANGUAGE
from tutor.lessons.course import Course
from tutor.lessons.input import NO, NO_INPUT, YES, Input, Replies
from tutor.lessons.lesson import END, Lesson, Screen, changes_position
from tutor.lessons.practice import attempt, find_due_move
from tutor.lessons.screen_views import Prediction, Question, ScreenView, Task, Watching, show

WORDS_A_MINUTE = 110
"""Spoken slowly, to people who are looking at a board."""
THINKING_MINUTES = 0.25
"""For looking, guessing and asking, at each answer."""
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class Beat:
    screen: str
    given: Input = NO_INPUT


def plan_of(course: Course, wished: Sequence[str]) -> tuple[str, ...]:
    """The screens to present, in the order wished for; by default those of the first lesson."""
    screens = course.lessons.screens
    known = [name for name in dict.fromkeys(wished) if name in screens and screens[name].kind != END]
    return tuple(known) or screens_of(course.lessons.first)


def screens_of(lesson: Lesson) -> tuple[str, ...]:
    return tuple(screen.id for screen in lesson.screens if screen.kind != END)


def essential_screens(lesson: Lesson) -> tuple[str, ...]:
    """The screens of a lesson that are shown when time is short."""
    return tuple(screen.id for screen in lesson.screens if screen.kind != END and not screen.extra)


@lru_cache(64)
def beats(course: Course, plan: tuple[str, ...]) -> tuple[Beat, ...]:
    """Everything that is shown: each screen, then its answer; the end with what was learned."""
    return tuple(beat for name in (*plan, END) for beat in _beats_of(course, course.lessons.screens[name]))


def _beats_of(course: Course, screen: Screen) -> list[Beat]:
    return [Beat(screen.id, given) for given in (NO_INPUT, *_answers(course, screen))]


def _answers(course: Course, screen: Screen) -> list[Input]:
    if screen.recap:
        replies, found = Replies(), []
        for number, quiz in enumerate(screen.quizzes):
            if number:
                found.append(Input(replies=replies))
            right = YES if quiz.verdict.ok else NO
            found.append(Input(replies=replies.answer(right)))
            replies = replies.read(right)
        return found
    if not screen.scenario:
        return []
    step = course.runs[screen.scenario].steps[screen.step]
    match screen.kind:
        case "do":
            return [Input(moves=step.file.play)]
        case "predict":
            return [Input(replies=Replies(NO if step.verdict else YES))]
        case "watch":
            found = [Input(replies=Replies().go_on())]
            while show(course, screen, TEMPLATE_LANGUAGE, found[-1]).open:
                found.append(Input(replies=found[-1].replies.go_on()))
            return found
        case "choose" | "ask":
            return [Input(choices=_right_choices(course, screen), checked=True)]
    return []


def _right_choices(course: Course, screen: Screen) -> frozenset[str]:
    view = show(course, screen, TEMPLATE_LANGUAGE, NO_INPUT)
    assert isinstance(view, Question)
    return frozenset(answer.value for answer in view.answers if answer.right)


def normalize(course: Course, screen: Screen, given: Input) -> Input:
    """The part of the input that matters on this screen, always written the same way. Raises RulesError
    for moves that mean nothing."""
    if screen.kind == "do":
        game, step = course.book.game, course.runs[screen.scenario].steps[screen.step]
        done = attempt(game, step, given.moves)
        refused = (game.format_move(done.refused),) if done.refused else ()
        return Input(moves=(*done.played, *refused))
    if screen.kind in ("choose", "ask"):
        view = show(course, screen, TEMPLATE_LANGUAGE, NO_INPUT)
        assert isinstance(view, Question)
        chosen = given.choices & {answer.value for answer in view.answers}
        return Input(choices=chosen, checked=bool(chosen))
    return Input(replies=given.replies) if screen.kind in ("predict", "recap", "watch") else NO_INPUT


def settle(course: Course, screen: Screen, given: Input, dice: Random) -> Input:
    """The input, and what chance and the other players do right after it."""
    if screen.kind != "do":
        return given
    game, step = course.book.game, course.runs[screen.scenario].steps[screen.step]
    while follows := find_due_move(game, step, done := attempt(game, step, given.moves), dice):
        given = replace(given, moves=(*done.played, follows))
    return given


def find_neighbours(
    course: Course, plan: tuple[str, ...], screen: str, given: Input, *, unanswered: bool
) -> tuple[Beat | None, Beat | None]:
    """The beats before and after what is shown.

    The presenter may have done something else on this screen: then the way back leads to its question, and as
    long as that is unanswered its answer is next.
    """
    all_beats = beats(course, plan)
    here = [i for i, beat in enumerate(all_beats) if beat.screen == screen]
    if not here:  # a screen that is not in the plan was asked for
        return None, all_beats[0]
    before, after = here[0], here[-1] + 1
    for i in here:
        if all_beats[i].given == given:
            before, after = i - 1, i + 1
            break
    else:
        if unanswered and len(here) > 1:
            after = here[1]
    return all_beats[before] if before >= 0 else None, all_beats[after] if after < len(all_beats) else None


@lru_cache(1024)
def hide_answer(beat: Beat) -> Beat:
    """The question whose answer is shown; in a recap, the latest one."""
    return Beat(beat.screen, Input(replies=beat.given.replies.before))


def is_jump(course: Course, plan: tuple[str, ...], screen: str) -> bool:
    """Whether a screen shows another position than the one before it in a plan, which may leave some out."""
    screens = course.lessons.screens
    before = [screens[name] for name in plan[: plan.index(screen)]] if screen in plan else []
    last = next((one for one in reversed(before) if one.scenario), None)
    here = screens[screen]
    if last is None or not here.scenario:
        return False
    return changes_position(
        course.book.game, course.runs, (last.scenario, last.step), (here.scenario, here.step)
    )


def sections(course: Course, plan: Sequence[str]) -> tuple[str, ...]:
    """Where a new part begins: at the start, and after each recap."""
    screens = course.lessons.screens
    return tuple(
        name
        for i, name in enumerate(plan)
        if not screens[name].recap and (not i or screens[plan[i - 1]].recap)
    )


def title(course: Course, lang: str, screen: str) -> str:
    """The title of a screen before anything is done on it."""
    return show(course, course.lessons.screens[screen], lang, NO_INPUT).title


def list_learned(course: Course, lang: str, plan: Sequence[str]) -> list[str]:
    """The titles of the rules that a plan introduces."""
    entries, screens = course.texts[lang].entries, course.lessons.screens
    return [entries[rule].title for name in plan for rule in screens[name].rules]


@lru_cache(1024)
def minutes(course: Course, lang: str, screen: str) -> float:
    """Roughly how long it takes to present a screen and talk about it."""
    one = course.lessons.screens[screen]
    shown = _beats_of(course, one)
    texts = course.texts[lang]
    told = [part for beat in shown for part in notes(show(course, one, lang, beat.given), texts)]
    words = sum(len(strip_tags(text).split()) for text in told)
    return words / WORDS_A_MINUTE + THINKING_MINUTES * (len(shown) - 1)


def headlines(view: ScreenView, texts: Texts) -> tuple[str, ...]:
    """HTML: the little that stands on the shared screen beside the board. Of a rule that is its core, the
    first paragraph, which says the same in all languages: how much is in one sentence differs."""
    if _asks(view):
        question = escape(view.deed) if isinstance(view, Prediction) else view.task
        return (*(rule.paragraphs[0] for rule in view.rules), *([question] if question else []))
    return tuple(_explain(view, texts))


def notes(view: ScreenView, texts: Texts) -> tuple[str, ...]:
    """HTML: what to say."""
    if _asks(view):
        told = [paragraph for rule in view.rules for paragraph in rule.paragraphs]
        return (*told, *([view.task] if view.task else []))
    return tuple(_explain(view, texts))


def answer(course: Course, screen: Screen, lang: str) -> tuple[str, ...]:
    """HTML: the answer to a screen, so that the presenter knows it beforehand."""
    answers = _answers(course, screen)
    if screen.recap or not answers:
        return ()
    view = show(course, screen, lang, answers[-1])
    words = _explain(view, course.texts[lang])
    if isinstance(view, Task):
        return (*map(escape, view.deeds), *words)
    if isinstance(view, Question):
        return (*(escape(one.label) for one in view.answers if one.right), *words)
    return tuple(words)


def _asks(view: ScreenView) -> bool:
    """Whether something is said or asked, rather than answered: a move that missed is answered too."""
    begun = (isinstance(view, Task) and view.attempt.missed) or (isinstance(view, Watching) and view.beat)
    return view.kind == "read" or (view.open and not begun)


def _explain(view: ScreenView, texts: Texts) -> list[str]:
    """HTML: what the answer is, and why."""
    match view:
        case Task():
            return (
                [text for text in (view.won, view.but) if text]
                or [why.html for why in view.whys]
                or [*map(escape, view.deeds)]
            )
        case Prediction() if not view.allowed:
            return [why.html for why in view.whys]
        case Prediction():
            return [
                texts.entries[why.rule].paragraphs[0] for why in view.whys[:1] if why.rule in texts.entries
            ]
        case Question():
            return [view.explained] if view.explained else []
        case Watching():
            return [view.task] if view.task else [*map(escape, view.deeds[-2:])]
    return []


def strip_tags(html: str) -> str:
    return _TAG.sub("", html)
