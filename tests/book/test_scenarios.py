"""Every step of every scenario is a test case of its own."""

import pytest

from tests.books import LIBRARY
from tutor.book.check import play

STEPS = [
    (game, scenario.id, step.id)
    for game, book in LIBRARY.games.items()
    for scenario in book.scenarios.values()
    for step in scenario.file.step
]
PROBLEMS = [problem for book in LIBRARY.games.values() for problem in play(book)[1]]


@pytest.mark.parametrize(("game", "scenario", "step"), STEPS, ids=lambda part: part)
def test_a_scenario_step_goes_as_it_says(game: str, scenario: str, step: str) -> None:
    path = LIBRARY.games[game].scenarios[scenario].path
    about = (f"{step}:", "start:", "setup:")
    wrong = [p.text for p in PROBLEMS if p.file == path and p.text.startswith(about)]
    assert step in LIBRARY.runs[game][scenario].frames, wrong
    assert not wrong
