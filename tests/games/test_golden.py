"""The engines still play the games that the golden files tell."""

import difflib

import pytest

from tests.games.golden import ASKED, FOLDER, TOLD, answered, story


def compare(old: str, new: str) -> None:
    changes = list(
        difflib.unified_diff(old.splitlines(), new.splitlines(), "told", "played", n=1, lineterm="")
    )
    advice = "If this is meant: `make golden` (python -m tests.games.golden), and read the difference."
    assert not changes, "\n".join([*changes[:40], advice])


@pytest.mark.parametrize("name", TOLD)
def test_a_game_goes_as_it_is_told(name: str) -> None:
    compare((FOLDER / f"{name}.txt").read_text("utf-8"), story(name))


@pytest.mark.parametrize("name", ASKED)
def test_every_question_has_the_answer_of_its_file(name: str) -> None:
    text = ASKED[name].read_text("utf-8")
    compare(text, answered(name, text))


@pytest.mark.parametrize("name", TOLD)
def test_every_rule_that_can_be_cited_is_met_and_several_tables_are_told(name: str) -> None:
    text = (FOLDER / f"{name}.txt").read_text("utf-8")
    assert text.endswith("rules not met: none\n")
    assert len({str(telling.options) for telling in TOLD[name]}) > 1
