"""Teaching without a web: what each screen shows, what an onlooker may see, one voice for every verdict."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tutor.book.load import Library
from tutor.book.scenario import PlayedStep
from tutor.book.words import LANGUAGES
from tutor.games import GAMES
from tutor.lessons import practice, screen_views
from tutor.lessons.course import Course
from tutor.lessons.input import NO_INPUT, Input, Replies
from tutor.lessons.lesson import Screen
from tutor.lessons.screen_views import End, Prediction, Question, ScreenView, Task, Watching, show
from tutor.lookup.examples import example, steps_of
from tutor.referee import programs
from tutor.rules.base import CHANCE

KINDS = {
    "read": ScreenView, "watch": Watching, "do": Task, "predict": Prediction, "recap": Prediction,
    "choose": Question, "ask": Question, "end": End,
}  # fmt: skip

each_game = pytest.mark.parametrize("name", GAMES)


def tasks(course: Course) -> Iterator[tuple[Screen, PlayedStep]]:
    """The screens on which something is to be done on the board."""
    for screen in course.lessons.screens.values():
        if screen.kind == "do":
            yield screen, course.runs[screen.scenario].steps[screen.step]


def test_teaching_needs_no_web_framework() -> None:
    modules = "tutor.lessons.screen_views, tutor.lookup.examples, tutor.referee.programs"
    code = f"import sys, {modules}; print('flask' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@each_game
def test_each_kind_of_screen_has_its_own_view(all_courses: dict[str, Course], name: str) -> None:
    course = all_courses[name]
    for screen in course.lessons.screens.values():
        for lang in LANGUAGES:
            view = show(course, screen, lang, NO_INPUT)
            assert type(view) is KINDS[screen.kind]
            assert view.kind == screen.kind
            assert bool(view.title) == (screen.kind not in ("recap", "end"))
            assert not view.announced, "nothing has happened yet"
            assert not view.helped
            assert view.open == (screen.kind not in ("read", "end"))


@each_game
def test_a_screen_introduces_its_rules_and_the_end_names_them_all(
    all_courses: dict[str, Course], name: str
) -> None:
    course = all_courses[name]
    for lesson in course.lessons.all:
        *screens, end = lesson.screens
        for screen in screens:
            answered = Input(replies=Replies("y"), checked=True, choices=frozenset("0"))
            after = show(course, screen, "it", answered if screen.act_first else NO_INPUT)
            assert tuple(rule.id for rule in after.rules) == screen.rules
            assert not (screen.act_first and show(course, screen, "it", NO_INPUT).rules)
        learned = [rule.id for rule in show(course, end, "it", NO_INPUT).rules]
        assert learned == [rule for screen in screens for rule in screen.rules]
        told = show(course, end, "it", NO_INPUT)
        assert isinstance(told, End)
        has_any = any(rule.startswith(f"{name}.setup.") for rule in course.book.facts.rules)
        assert bool(told.setup) == (lesson is course.lessons.first and has_any)
        assert all(rule.id.startswith(f"{name}.setup.") for rule in told.setup)


@each_game
def test_a_solution_wins_and_closes_the_task(all_courses: dict[str, Course], name: str) -> None:
    course = all_courses[name]
    for screen, step in tasks(course):
        view = show(course, screen, "pl", Input(moves=step.file.play))
        assert isinstance(view, Task)
        assert not view.open
        assert view.won == view.announced != ""
        assert not view.solution


@each_game
def test_what_the_onlooker_must_not_see_is_not_in_the_scene(
    all_courses: dict[str, Course], name: str
) -> None:
    course = all_courses[name]
    game = course.book.game
    for screen in course.lessons.screens.values():
        for said in ("", "y"):
            scene = show(course, screen, "it", Input(replies=Replies(said))).scene
            if scene is not None:
                assert game.view(scene.state, scene.seat) == scene.state
    for scenario in course.runs:
        for step in course.runs[scenario].steps:
            scene = example(course, "en", scenario, step).scene
            assert game.view(scene.state, scene.seat) == scene.state


@each_game
def test_what_the_onlooker_must_not_see_is_not_told(all_courses: dict[str, Course], name: str) -> None:
    """The deeds of a step are those of the moves as its onlooker sees them."""
    course = all_courses[name]
    game = course.book.game
    for run in course.runs.values():
        for step in run.steps.values():
            state = step.before
            for deed, text in zip(step.deeds, step.file.play, strict=False):
                move = game.parse_move(text)
                assert deed == game.tell(state, game.seen_by(state, move, step.seat))
                state = game.play(state, move)


@each_game
def test_no_card_that_the_learner_must_not_see_stands_in_an_address(
    all_courses: dict[str, Course], name: str
) -> None:
    """Chance moves are recorded in the address of a task, so they must be such as the learner sees."""
    course = all_courses[name]
    game = course.book.game
    for screen, step in tasks(course):
        state = step.before
        for text in step.file.play:
            move = game.parse_move(text)
            if move.seat == CHANCE:
                assert game.seen_by(state, move, step.seat) == move, screen.id
            state = game.play(state, move)


@each_game
def test_a_request_plays_the_learner_s_moves_once(
    all_courses: dict[str, Course], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = all_courses[name]
    screen, _ = next(tasks(course))
    calls: list[Any] = []

    def counted(*args: Any) -> practice.Attempt:
        calls.append(args)
        return practice.attempt(*args)

    monkeypatch.setattr(screen_views, "attempt", counted)
    show(course, screen, "en", Input(help=2))
    assert len(calls) == 1


@each_game
@pytest.mark.parametrize("lang", LANGUAGES)
def test_lesson_and_referee_refuse_a_move_in_the_same_words(
    library: Library, all_courses: dict[str, Course], name: str, lang: str
) -> None:
    course = all_courses[name]
    game = course.book.game
    words = course.book.words[lang]
    for run in course.runs.values():
        for step in run.steps.values():
            if step.verdict is None:
                continue
            request = programs.Request(
                name, game.format_position(step.before), try_=step.file.refuse, lang=lang
            )
            verdict = programs.answer(library, request).verdict
            assert isinstance(verdict, programs.Judged)
            told = course.texts[lang].explain(step.verdict, words)
            assert [why.text for why in verdict.reasons] == [why.text for why in told]


def test_the_right_number_is_not_always_in_the_same_place(all_courses: dict[str, Course]) -> None:
    places = set()
    for course in all_courses.values():
        for screen in course.lessons.screens.values():
            view = show(course, screen, "en", NO_INPUT)
            if isinstance(view, Question) and view.single:
                right = [answer.right for answer in view.answers]
                assert right.count(True) == 1
                places.add(right.index(True))
    assert len(places) > 2


@each_game
def test_the_steps_of_an_example_lead_to_each_other(all_courses: dict[str, Course], name: str) -> None:
    course = all_courses[name]
    for scenario in course.runs:
        steps = steps_of(course, scenario)
        shown = [example(course, "es", scenario, step) for step in steps]
        assert [one.next for one in shown] == [*steps[1:], ""]
        assert [one.back for one in shown] == ["", *steps[:-1]]
        assert [one.number for one in shown] == list(range(1, len(steps) + 1))
        assert {bool(one.html) for one in shown} == {scenario in course.texts["es"].entries}


def test_a_jump_in_the_story_is_announced(all_courses: dict[str, Course]) -> None:
    """Where a position follows from the one before, by one move or in one scenario, nothing is said."""
    screens = all_courses["border"].lessons.screens
    assert not any(screens[name].jumps for name in ("villa", "reroll", "grey", "leftovers", "shared"))
    assert all(screens[name].jumps for name in ("white", "well", "together", "late-pair"))


def test_a_story_that_goes_back_says_so(all_courses: dict[str, Course]) -> None:
    """What was played on the screen before is not on the board any more."""
    for game, name in (("blockers", "column"), ("blockers", "pass"), ("confini", "lost")):
        assert all_courses[game].lessons.screens[name].jumps, name
