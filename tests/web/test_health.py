"""How a server says that it is alive and ready, and the command that asks it."""

import os
import shutil
import signal
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from tests.conftest import RedisServer, free_port
from tests.servers import Server, Visitor
from tutor.cli import main
from tutor.live.log import open_log
from tutor.web import health
from tutor.web.http.address import HEALTH
from tutor.web.http.security import HEADERS

pytestmark = [pytest.mark.patient, pytest.mark.slow]

PATIENT = 2.0
"""Seconds within which it is told that a store does not answer."""


def get(app: Flask, path: str, **headers: str) -> TestResponse:
    return app.test_client().get(path, headers=headers)


@pytest.mark.parametrize(
    ("path", "told"), [("/healthz", "server ok\n"), ("/readyz", "live ok\nrulebook ok\n")]
)
def test_it_is_well(app: Flask, path: str, told: str) -> None:
    answer = get(app, path, Cookie="lang=pl")
    assert (answer.status_code, answer.text) == (200, told)
    assert answer.mimetype == "text/plain"
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in answer.headers
    assert all(name in answer.headers for name in HEADERS)
    assert app.test_client().head(path).status_code == 200
    assert app.test_client().post(path).status_code == 405


@pytest.mark.parametrize("path", HEALTH)
@pytest.mark.parametrize("host", ["10.0.0.11:8000", "localhost", "a_b", "", "..", "ä"])
def test_it_is_told_under_any_name(app: Flask, monkeypatch: pytest.MonkeyPatch, path: str, host: str) -> None:
    monkeypatch.setitem(app.config, "HOSTS", ["rules.example.org"])
    assert get(app, path, Host=host).status_code == 200
    assert get(app, "/it/", Host=host).status_code == 400


def test_it_is_not_ready_for_tables_on_a_full_disk(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "LEAST_FREE_BYTES", shutil.disk_usage(tempfile.gettempdir()).total)
    answer = get(app, "/readyz")
    assert (answer.status_code, answer.text) == (503, "live down\nrulebook ok\n")


def test_robots_are_told_nothing_of_it(app: Flask) -> None:
    assert "health" not in get(app, "/robots.txt").text


def test_alive_touches_no_store(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(app.extensions, "shelf")
    monkeypatch.setitem(app.extensions, "live", None)
    monkeypatch.setitem(app.config, "LIVE", "/dev/null/none")
    assert get(app, "/healthz").status_code == 200
    assert app.extensions["live"] is None


def test_a_live_log_that_cannot_be_opened(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = open_log("/dev/null/none")
    monkeypatch.setitem(app.extensions, "live", (type("Tables", (), {"log": broken}), None))
    answer = get(app, "/readyz")
    assert (answer.status_code, answer.text) == (503, "live down\nrulebook ok\n")
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_rulebook_that_cannot_be_read(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    store = app.extensions["shelf"].store
    closed = sqlite3.connect(":memory:")
    closed.close()
    monkeypatch.setattr(store, "_db", closed)
    answer = get(app, "/readyz")
    assert (answer.status_code, answer.text) == (503, "live ok\nrulebook down\n")


# A server whose Redis hangs, or is gone


@pytest.fixture(scope="module")
def redis(redis_server: Callable[..., RedisServer]) -> RedisServer:
    return redis_server("--save", "")


@pytest.fixture(scope="module")
def server(redis: RedisServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("health") / "rulebook.db", TUTOR_LIVE=redis.url)
    yield made
    made.kill()


def test_a_redis_that_hangs_is_told_of_soon(redis: RedisServer, server: Server) -> None:
    visitor = Visitor(server.url)
    assert visitor.ask("/readyz") == (200, "live ok\nrulebook ok\n")
    os.kill(redis.process.pid, signal.SIGSTOP)
    try:
        ready, alive = list[float](), list[float]()
        for _ in range(3):
            begun = time.monotonic()
            assert visitor.ask("/readyz") == (503, "live slow\nrulebook ok\n")
            ready.append(time.monotonic() - begun)
            begun = time.monotonic()
            assert visitor.ask("/healthz")[0] == 200
            alive.append(time.monotonic() - begun)
        # The best of three: a busy machine may hold up any of them, but hardly all.
        assert min(ready) < PATIENT + 1
        assert min(alive) < 1
    finally:
        os.kill(redis.process.pid, signal.SIGCONT)
    assert visitor.ask("/readyz")[0] == 200


def test_a_redis_that_is_gone_and_comes_back(redis: RedisServer, server: Server) -> None:
    redis.stop()
    try:
        assert Visitor(server.url).ask("/readyz") == (503, "live down\nrulebook ok\n")
        assert main(["health", f"{server.url}/readyz"]) == 1
        assert main(["health", server.url]) == 0
    finally:
        redis.start()
    assert main(["health", f"{server.url}/readyz"]) == 0


# The command


def test_the_command_says_what_it_was_told(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["health", f"{server.url}/"]) == 0
    assert capsys.readouterr().out == "server ok\n"
    assert main(["health", f"{server.url}/readyz"]) == 0
    assert capsys.readouterr().out == "live ok, rulebook ok\n"
    assert main(["health", f"{server.url}/it/border/none"]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == f"{server.url}/it/border/none: 404 NOT FOUND\n"


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:{port}", "http://[", "ftp://localhost/", "nonsense", "http://"]
)
def test_the_command_fails_without_a_stack_trace(capsys: pytest.CaptureFixture[str], url: str) -> None:
    assert main(["health", url.format(port=free_port())]) == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert len(told) > 10
