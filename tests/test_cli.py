"""The other commands: play, build, and the ways to call them wrong."""

import json
import sqlite3
from pathlib import Path

import pytest

from tutor.book.words import LANGUAGES
from tutor.cli import main


@pytest.mark.patient
def test_play_shows_a_whole_random_game_and_repeats_it_by_its_seed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["play", "border", "--players", "3", "--seed", "1", "--lang", "pl"]) == 0
    first = capsys.readouterr().out
    assert "Gracz 1" in first
    assert "border.end." in first.splitlines()[-1]
    assert main(["play", "border", "--players", "3", "--seed", "1", "--lang", "pl"]) == 0
    assert capsys.readouterr().out == first


def test_play_says_how_many_players_there_can_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "border", "--players", "7", "--lang", "it"]) == 2
    assert "7" in capsys.readouterr().err


@pytest.mark.patient
def test_lesson_prints_the_storyline(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lesson", "border", "--lang", "pl"]) == 0
    plain = capsys.readouterr().out
    assert main(["lesson", "border", "--lang", "pl", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) > 30
    assert not [row for row in rows if row["problems"]]
    assert all(row["screen"] in plain and row["title"] in plain for row in rows)


@pytest.mark.patient
def test_build_writes_a_database_that_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "rulebook.db"
    assert main(["build", str(path)]) == 0
    assert main(["build", str(path)]) == 0
    assert [file.name for file in path.parent.iterdir()] == ["rulebook.db"]
    rows = sqlite3.connect(path).execute("select lang, count(*) from entries group by lang").fetchall()
    assert {lang for lang, _ in rows} == set(LANGUAGES)
    assert len({count for _, count in rows}) == 1
