"""The real content, checked as its writers check it: every file, every ending of a task, every page."""

import pytest

from tutor.cli import main


@pytest.mark.slow
def test_tutor_check_finds_no_problem(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 0, capsys.readouterr().out
    assert capsys.readouterr().err == "no problems\n"
