"""The other commands: play, build, and the ways to call them wrong."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tests.books import LIBRARY
from tutor.book.words import LANGUAGES
from tutor.cli import main
from tutor.games import GAMES
from tutor.live.log import open_log
from tutor.web import create_app

pytestmark = pytest.mark.patient


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


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_every_game_can_be_watched_in_every_language(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, game: str, lang: str
) -> None:
    monkeypatch.setattr("tutor.cli.load", lambda content: LIBRARY)
    assert main(["play", game, "--players", "2", "--seed", "1", "--lang", lang]) == 0
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == f"# {LIBRARY.games[game].rulebooks[lang].title}, --players 2 --seed 1"
    assert f"({game}." in last, "the rule that decided"


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
@pytest.mark.slow
def test_build_writes_a_database_that_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "rulebook.db"
    assert main(["build", str(path)]) == 0
    assert main(["build", str(path)]) == 0
    assert [file.name for file in path.parent.iterdir()] == ["rulebook.db"]
    rows = sqlite3.connect(path).execute("select lang, count(*) from entries group by lang").fetchall()
    assert {lang for lang, _ in rows} == set(LANGUAGES)
    assert len({count for _, count in rows}) == 1


# Called wrongly


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "the following arguments are required: command"),
        ("fly", "argument command: invalid choice: 'fly'"),
        ("new", "the following arguments are required: what"),
        ("live", "the following arguments are required: what"),
        ("live restore", "the following arguments are required: file"),
        ("search", "the following arguments are required: query"),
        ("rule", "the following arguments are required: id"),
        ("play chess", "argument game: invalid choice: 'chess'"),
        ("lesson chess", "argument game: invalid choice: 'chess'"),
        ("check --game chess", "argument --game: invalid choice: 'chess'"),
        ("search die --game chess", "argument --game: invalid choice: 'chess'"),
        ("referee --describe chess", "argument --describe: invalid choice: 'chess'"),
        ("play border --lang de", "argument --lang: invalid choice: 'de'"),
        ("lesson border --lang de", "argument --lang: invalid choice: 'de'"),
        ("check --lang de", "argument --lang: invalid choice: 'de'"),
        ("search die --lang de", "argument --lang: invalid choice: 'de'"),
        ("rule border.first.open --lang de", "argument --lang: invalid choice: 'de'"),
        ("play border --players two", "argument --players: invalid int value: 'two'"),
        ("play border --seed one", "argument --seed: invalid int value: 'one'"),
        ("serve --port http", "argument --port: http is not a whole number from 1 to 65535"),
        ("serve --port 65536", "argument --port: 65536 is not a whole number from 1 to 65535"),
        ("serve --port=-1", "argument --port: -1 is not a whole number from 1 to 65535"),
        ("serve --workers 0", "argument --workers: 0 is not a whole number from 1 to 1000"),
        ("dev --port 65536", "argument --port: 65536 is not a whole number from 1 to 65535"),
    ],
)
def test_a_command_that_is_called_wrongly_says_what_is_wrong(
    capsys: pytest.CaptureFixture[str], typed: str, said: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(typed.split())
    assert ended.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines()[-1].partition("error: ")[2].startswith(said)


@pytest.mark.parametrize(
    "typed", ["play border", "lesson border", "build", "referee", "search die", "rule x"]
)
def test_without_content_a_command_lists_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str
) -> None:
    monkeypatch.setenv("TUTOR_DB", str(tmp_path / "rulebook.db"))
    monkeypatch.setattr("tutor.cli.CONTENT", tmp_path)
    monkeypatch.setattr("tutor.web.create_app", partial(create_app, content=tmp_path))
    with pytest.raises(SystemExit) as ended:
        main(typed.split())
    missing = str(ended.value).splitlines()
    assert f"{tmp_path}/border/game.toml:1: there is no such file" in missing
    assert f"{tmp_path}/terms.toml:1: there is no such file" in missing
    assert capsys.readouterr().out == ""
    assert [*tmp_path.iterdir()] == []


def test_a_server_without_content_does_not_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutor.web.serve.create_app", partial(create_app, content=tmp_path))
    with pytest.raises(SystemExit, match=r"border/game\.toml:1: there is no such file"):
        main(["serve"])


def test_an_interrupt_ends_a_command_without_a_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(content: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tutor.cli.load", interrupt)
    assert main(["play", "border"]) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("typed", ["lesson border", "live status"])
def test_whoever_has_read_enough_may_close_the_pipe(tmp_path: Path, typed: str) -> None:
    """What is short is written when the program ends."""
    place = str(tmp_path / "live.db")
    with closing(open_log(place)) as log:
        log.create("a", {})
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command, pipe = [sys.executable, "-m", "tutor", *typed.split()], subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, env=env | {"TUTOR_LIVE": place}) as program:
        assert program.stdout
        assert program.stderr
        program.stdout.close()
        assert program.stderr.read() == b""
    assert program.returncode == 0


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["arena", "border", "--games", "0"], "not a whole number from 1"),
        (["arena", "border", "--bots", "clever,random"], "there is no bot 'clever'"),
        (["cover", "border", "--games", "x"], "not a whole number"),
    ],
)
def test_bots_that_there_are_not_and_games_that_are_none_are_refused_in_words(
    capsys: pytest.CaptureFixture[str], given: list[str], told: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(given)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_too_few_bots_for_a_game_are_refused_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arena", "border", "--bots", "sound", "--games", "1"]) == 2
    assert "players" in capsys.readouterr().err


def test_arena_and_cover_tell_what_was_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arena", "blockers", "--bots", "greedy,random", "--games", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["games"] == 2
    assert sum(told["wins"].values()) == 2
    assert {"ended", "p99_ms", "interval"} <= told.keys()
    assert main(["cover", "nim", "--games", "3", "--json"]) == 0
    covered = json.loads(capsys.readouterr().out)
    assert covered["games"] == 3
    assert any(row["allowed"] for row in covered["rules"].values())
