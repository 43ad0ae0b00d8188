"""Every step of every scenario is a test case of its own."""

from functools import cache

import pytest

from tests.books import LIBRARY
from tutor.book.scenario import Run, run
from tutor.book.source import Problem

STEPS = [
    (game, scenario.id, step.id)
    for game, book in LIBRARY.games.items()
    for scenario in book.scenarios.values()
    for step in scenario.file.step
]


@cache
def played(game: str, scenario: str) -> tuple[Run, list[Problem]]:
    """When a test asks for it, so that it is played by the engine as it is then; see tests/mutants.py."""
    book = LIBRARY.games[game]
    return run(book.game, book.scenarios[scenario])


@pytest.mark.parametrize(("game", "scenario", "step"), STEPS, ids=lambda part: part)
def test_a_scenario_step_goes_as_it_says(game: str, scenario: str, step: str) -> None:
    ran, problems = played(game, scenario)
    about = (f"{step}:", "start:", "setup:")
    wrong = [problem.text for problem in problems if problem.text.startswith(about)]
    assert step in ran.steps, wrong
    assert not wrong
