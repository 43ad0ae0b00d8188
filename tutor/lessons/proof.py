"""What `tutor check` proves of the lessons: that they introduce and practise the rules, in an order that can
be followed, without giving answers away, and short enough to be read.
"""

import random
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from tutor.book.glossary import pattern
from tutor.book.load import Library
from tutor.book.model import LessonFile
from tutor.book.scenario import PlayedStep
from tutor.book.source import Problem
from tutor.book.words import LANGUAGES
from tutor.lessons.course import Course, courses
from tutor.lessons.input import NO_INPUT
from tutor.lessons.lesson import ACTS, Lesson, Screen
from tutor.lessons.practice import attempt, find_due_move
from tutor.lessons.praise import check_praise
from tutor.lessons.screen_views import show
from tutor.rules.base import Move, Reason

MOST_WORDS_BEFORE_ACTING = 60
"""On a screen, in any language."""
LEAST_SHARE_OF_ACTS = 0.6
"""The share of screens in the first lesson on which the learner acts."""


def prove(library: Library) -> Iterator[Problem]:
    """Every problem of every lesson of content that passed `check`."""
    for course in courses(library).values():
        for lesson, file in zip(course.lessons.all, course.book.lessons, strict=True):
            for check in CHECKS:
                for screen, text in check(course, lesson, file):
                    yield course.book.problem("lesson.toml", f"{screen}: {text}", *_place(course, screen))
    yield from check_terms(library)
    yield from check_praise(library)


def storyline(library: Library, game: str, lang: str) -> Iterator[dict[str, Any]]:
    """Every screen as its author wants to see it: kind, rules, words in each language, and what is wrong."""
    course = courses(library)[game]
    for lesson, file in zip(course.lessons.all, course.book.lessons, strict=True):
        found = [pair for check in CHECKS for pair in check(course, lesson, file)]
        for number, screen in enumerate(lesson.screens[:-1], 1):
            yield {
                "lesson": lesson.id,
                "number": number,
                "screen": screen.id,
                "kind": screen.kind,
                "title": "" if screen.kind == "recap" else show(course, screen, lang, NO_INPUT).title,
                "rules": list(screen.rules),
                "words": {code: word_count(course, screen, code) for code in LANGUAGES},
                "problems": [text for name, text in found if name == screen.id]
                + ([text for name, text in found if name == lesson.id] if number == 1 else []),
            }


def _place(course: Course, name: str) -> tuple[str | int, ...]:
    """Where in lesson.toml a lesson or a screen is."""
    for i, file in enumerate(course.book.lessons):
        if name == file.id:
            return "lesson", i
    counted = [screen.id for file in course.book.lessons for screen in file.screen]
    return ("lesson", "screen", counted.index(name)) if name in counted else ()


Found = Iterator[tuple[str, str]]
"""Screens (or a lesson) with what is wrong."""


def check_size(course: Course, lesson: Lesson, file: LessonFile) -> Found:
    """A lesson is short, and the first one is mostly acting."""
    screens = lesson.screens[:-1]
    if len(screens) > file.most:
        yield lesson.id, f"has {len(screens)} screens; {file.most} at most"
    acts = sum(screen.kind in ACTS for screen in screens)
    if lesson is course.lessons.first and acts < LEAST_SHARE_OF_ACTS * len(screens):
        yield lesson.id, f"the learner acts on {acts} of {len(screens)} screens only"


def check_words(course: Course, lesson: Lesson, file: LessonFile) -> Found:
    """In every language a screen can be read before one loses patience."""
    for screen in lesson.screens[:-1]:
        for lang in LANGUAGES:
            count = word_count(course, screen, lang)
            if count > MOST_WORDS_BEFORE_ACTING:
                yield (
                    screen.id,
                    f"{count} words in {lang} before the learner acts; {MOST_WORDS_BEFORE_ACTING} at most",
                )


def word_count(course: Course, screen: Screen, lang: str) -> int:
    if screen.kind == "recap":
        return 0  # a question is one sentence
    return sum(len(text.split()) for text in _texts_before(course, screen, lang))


def _texts_before(course: Course, screen: Screen, lang: str) -> list[str]:
    """The texts of a screen before the learner acts."""
    view = show(course, screen, lang, NO_INPUT)
    texts = [view.task, *(rule.paragraphs[0] for rule in view.rules)]
    return [re.sub("<[^>]+>", "", text) for text in texts]


def check_core(course: Course, lesson: Lesson, file: LessonFile) -> Found:
    """The first lesson introduces every core rule, and an act's verdict cites it where the engine can."""
    if lesson is not course.lessons.first:
        return
    book = course.book
    practised = {rule for screen in lesson.screens for rule in _rules_practised(course, screen)}
    for rule, facts in book.facts.rules.items():
        if not facts.core:
            continue
        if rule not in lesson.rules:
            yield lesson.id, f"the core rule {rule} is not introduced"
        elif rule in book.game.rules and rule not in practised:
            yield lesson.id, f"the core rule {rule} is not practised"


def _rules_practised(course: Course, screen: Screen) -> set[str]:
    """The rules that verdicts on a screen cite, or that its step says it shows."""
    if screen.kind == "recap":
        return {reason.rule for quiz in screen.quizzes for reason in quiz.verdict.reasons}
    step = _step_of(course, screen)
    if step is None:
        return set()
    return {reason.rule for reason in _reasons(step)} | step.cited | set(step.file.shows)


def _reasons(step: PlayedStep) -> Iterator[Reason]:
    yield from step.reasons
    for _, verdict in step.choices:
        yield from verdict.reasons


def _step_of(course: Course, screen: Screen) -> PlayedStep | None:
    return course.runs[screen.scenario].steps[screen.step] if screen.scenario else None


def check_order(course: Course, lesson: Lesson, file: LessonFile) -> Found:
    """What refuses a move that a learner may well try at a task has been introduced by then."""
    for screen in lesson.screens:
        step = _step_of(course, screen)
        if step is None or screen.kind not in ("do", "predict", "choose"):
            continue
        cited = {reason.rule for reason in _reasons(step)}
        if screen.kind == "do":
            game = course.book.game
            for move in near_misses(course, step):
                verdict = game.judge(step.before, move)
                if not verdict.ok:
                    cited |= {reason.rule for reason in verdict.reasons}
        for rule in sorted(cited - screen.known):
            facts = course.book.facts.rules[rule]
            if facts.core or (lesson is not course.lessons.first and not facts.technical):
                yield screen.id, f"a move is refused by {rule}, which is not introduced yet"


def near_misses(course: Course, step: PlayedStep) -> list[Move]:
    """What a learner may try instead of the solution: the same but for the last piece or place."""
    game = course.book.game
    right = [move for move in map(game.parse_move, step.file.play) if move.seat == step.seat]
    near = {(move.act, move.what[:-1]) for move in right}
    return [move for move in game.thinkable(step.before, step.seat) if (move.act, move.what[:-1]) in near]


def check_spoilers(course: Course, lesson: Lesson, file: LessonFile) -> Found:
    """No screen shows how a later task ends."""
    shown: dict[object, str] = {}
    for screen in lesson.screens:
        step = _step_of(course, screen)
        if step is None:
            continue
        if screen.kind == "do" and step.after in shown:
            yield screen.id, f"its solution was seen on {shown[step.after]}"
        for state in (step.before, step.after):
            shown.setdefault(state, screen.id)


def check_answers(course: Course, lesson: Lesson, file: LessonFile) -> Found:
    """Every legal move at a task leads on, or is answered: nobody is left in somebody else's turn."""
    game = course.book.game
    for screen in lesson.screens:
        step = _step_of(course, screen)
        if step is None or screen.kind != "do":
            continue
        for move in game.moves(step.before):
            if move.seat != step.seat:
                continue
            text = game.format_move(move)
            tried = attempt(game, step, (text,))
            if tried.met or tried.off:
                continue
            waits = step.seat in game.turn(tried.state)
            if not waits and find_due_move(game, step, tried, random.Random(0)) is None:  # nosec B311
                yield screen.id, f"after {text} nobody goes on"


def check_recaps(course: Course, lesson: Lesson, file: LessonFile) -> Found:
    """The engine finds as many questions as a recap wants, and their answers are not all the same."""
    for wanted, screen in zip(file.screen, lesson.screens, strict=False):
        if len(screen.quizzes) < wanted.recap:
            yield screen.id, f"only {len(screen.quizzes)} questions were found for {wanted.recap}"
        elif len(screen.quizzes) > 1 and len({quiz.verdict.ok for quiz in screen.quizzes}) == 1:
            yield screen.id, "all questions have the same answer"
    for one, other in pairwise(lesson.screens):
        if one.kind == other.kind == "recap":
            yield other.id, "two recaps in a row"


def check_titles(course: Course, lesson: Lesson, file: LessonFile) -> Found:
    """Whoever goes on sees by the title that it is another screen."""
    for one, other in pairwise(lesson.screens[:-1]):
        if "recap" in (one.kind, other.kind):
            continue
        for lang in LANGUAGES:
            title = show(course, other, lang, NO_INPUT).title
            if title == show(course, one, lang, NO_INPUT).title:
                yield other.id, f"has the title of {one.id} in {lang}: {title}"
                break


CHECKS = (
    check_size,
    check_words,
    check_core,
    check_order,
    check_spoilers,
    check_answers,
    check_recaps,
    check_titles,
)


def check_terms(library: Library) -> Iterator[Problem]:
    """No term that a lesson teaches is used before the screen that introduces it."""
    for course in courses(library).values():
        lesson, game = course.lessons.first, course.book.id
        taught = [term for term in library.terms.values() if term.taught and game in term.rules]
        for screen in lesson.screens[:-1]:
            if screen.kind == "recap":
                continue
            for lang in LANGUAGES:
                said = " ".join(_texts_before(course, screen, lang))
                for term in taught:
                    rule, word = term.rules[game], term.words[lang]
                    early = rule in lesson.rules and rule not in screen.known
                    if early and pattern(word.begins).search(said):
                        text = f"{screen.id}: says “{word.word}” in {lang} too early: {rule}"
                        yield course.book.problem("lesson.toml", text, *_place(course, screen.id))
