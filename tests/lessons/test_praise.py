"""A task says nothing untrue, however it ends: all endings that it accepts are played."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from tutor.book.load import Library
from tutor.book.scenario import PlayedStep
from tutor.lessons.course import Course
from tutor.lessons.input import Input
from tutor.lessons.practice import attempt
from tutor.lessons.praise import check_praise, endings, find_untrue
from tutor.lessons.screen_views import Task, show


def step_of(library: Library, game: str, scenario: str, step: str, **changed: Any) -> PlayedStep:
    played = library.runs[game][scenario].steps[step]
    return replace(played, file=msgspec.structs.replace(played.file, **changed))


def test_every_sentence_of_every_task_is_true_of_all_that_the_task_accepts(library: Library) -> None:
    assert [str(problem) for problem in check_praise(library)] == []


@pytest.mark.parametrize(
    ("game", "scenario", "step", "changed", "fault"),
    [
        ("confini", "several-limits", "look", {"exactly": False}, "says 2, but p1 look 1 will do as well"),
        ("confini", "equipment", "replace", {"exactly": False}, "says EQ1, but p1 equip EQ5#1 for EQ2#1"),
        ("confini", "expedition-pack", "pack", {"exactly": False}, "says EQ7, but p1 equip EQ5#1 for EQ1#1"),
        ("border", "linus-three", "yellow-five", {"exactly": False}, "says five, but the task can end in"),
        ("blockers", "corner-and-square", "square", {"goal": {"captured.p1": 1}}, "says joker, but p1 red 7"),
    ],
)
def test_a_task_that_accepts_too_much_is_found(
    game: str, scenario: str, step: str, changed: dict[str, Any], fault: str, library: Library
) -> None:
    played = step_of(library, game, scenario, step, **changed)
    found = [one.text for one in find_untrue(library.games[game], library.runs[game][scenario], played)]
    assert any(fault in text for text in found), found


def test_a_task_asks_for_the_same_in_all_languages(library: Library) -> None:
    step = step_of(library, "confini", "equipment", "replace")
    book, run = library.games["confini"], library.runs["confini"]["equipment"]
    block = book.rulebooks["pl"].blocks["equipment"]
    assert block.lines
    vague = block.lines["full"]
    lines = {**block.lines, "replace": type(vague)("Zrób miejsce dla Karabinu i aktywuj go.")}
    book.rulebooks["pl"].blocks["equipment"] = replace(block, lines=lines)
    try:
        found = [one.text for one in find_untrue(book, run, step)]
    finally:
        book.rulebooks["pl"].blocks["equipment"] = block
    assert found == ["replace: the task names EQ1 in other languages, not in pl"]


def test_endings_are_reached_in_any_order_and_with_more_than_was_needed(library: Library) -> None:
    game = library.games["border"].game
    ends, _ = endings(game, step_of(library, "border", "emma-well", "emma"))
    own = {frozenset(one.played) for one in ends}
    assert {frozenset({"p2 cross C9 C10"}), frozenset({"p2 cross C1", "p2 cross C9 C10"})} <= own


@pytest.mark.parametrize(
    ("game", "screen", "moves"),
    [
        ("confini", "lantern", "p1 look 1"),
        ("confini", "replace", "p1 equip EQ5#1 for EQ2#1"),
        ("blockers", "last-turn", "p1 red A A8"),
        ("blockers", "last-turn", "p1 red 7 A7"),
    ],
)
def test_another_legal_move_is_not_praised_but_answered(
    game: str, screen: str, moves: str, all_courses: dict[str, Course]
) -> None:
    course = all_courses[game]
    for lang in course.texts:
        view = show(course, course.lessons.screens[screen], lang, Input(moves=(moves,)))
        assert isinstance(view, Task)
        assert (view.won, view.attempt.off, bool(view.but)) == ("", True, True), lang


def test_the_solution_itself_reaches_every_goal(all_courses: dict[str, Course]) -> None:
    for course in all_courses.values():
        for run in course.runs.values():
            for step in run.steps.values():
                if step.kind == "do":
                    assert attempt(course.book.game, step, step.file.play).met, step.file.id
