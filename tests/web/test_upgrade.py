"""A server that is upgraded, reloaded and stopped while people use it: nobody notices."""

import http.client
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.conftest import free_port
from tests.servers import Follower, Presenter, Server, Visitor
from tutor.cli import main

pytestmark = pytest.mark.slow

PATIENCE = 120
"""Seconds: a busy machine takes long to load the site, and nobody waits for that."""
PATHS = (
    "/it/",
    "/pl/border/rules",
    "/es/blockers/learn/",
    "/healthz",
    "/en/t/",
    "/api/v1/games",
    "/it/none/",
)


class Upgraded(Server):
    """A server with a file that says which process it is."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.file = folder / "pid"
        options = ("--pid", str(self.file))
        super().__init__(folder / "rulebook.db", options=options, TUTOR_API_RATE="0", **settings)

    def pid(self, suffix: str = "") -> int:
        try:
            return int(Path(f"{self.file}{suffix}").read_text())
        except (OSError, ValueError):
            return 0

    def upgrade(self) -> int:
        """As docs/operating.md says; the number of the new process."""
        old = self.pid()
        os.kill(old, signal.SIGUSR2)
        wait(lambda: bool(self.pid(".2")))
        os.kill(old, signal.SIGTERM)
        wait(lambda: self.pid() not in (0, old))
        return self.pid()


def wait(come: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not come():
        assert time.monotonic() < until
        time.sleep(0.05)


class Crowd:
    """People who ask, each by a connection of their own, until they are told to stop."""

    def __init__(self, server: Server, table: str) -> None:
        self.server = server
        self.form = f"/en/t/{table}"
        self.answers = 0
        self.faults: list[str] = []
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(number,)) for number in range(4)]
        for thread in self._threads:
            thread.start()

    def _ask(self, number: int) -> None:
        turn = number
        while not self._over.is_set():
            turn += 1
            post = turn % 5 == 0
            path = self.form if post else PATHS[turn % len(PATHS)]
            try:
                status = self._status(path, {"signal": "fast"} if post else None)
            except (OSError, http.client.HTTPException) as error:
                self.faults.append(f"{path}: {error!r}")
            else:
                self.answers += 1
                if status >= 500 or status == 400:
                    self.faults.append(f"{path}: {status}")

    def _status(self, path: str, form: dict[str, str] | None) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        headers = {"Connection": "close"}
        if form:
            headers |= {"Origin": self.server.url, "Content-Type": "application/x-www-form-urlencoded"}
        connection.request("POST" if form else "GET", path, urlencode(form or {}), headers)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    def leave(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(PATIENCE)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Upgraded]:
    made = Upgraded(tmp_path)
    yield made
    with suppress(ProcessLookupError):
        os.killpg(made.process.pid, signal.SIGKILL)  # the new ones are of the same group


@pytest.mark.parametrize("how", ["upgrade", "reload"])
def test_nobody_notices_an_upgrade_or_a_reload(server: Upgraded, how: str) -> None:
    presenter = Presenter(server.url)
    followers = [Follower(server.url, presenter.code, lang) for lang in ("it", "pl", "es", "en")]
    for follower in followers:
        follower.sees(2)
    crowd = Crowd(server, presenter.code)
    first = server.pid()
    for _ in range(2 if how == "upgrade" else 1):
        if how == "upgrade":
            old = server.pid()
            new = server.upgrade()
            assert new != old
        else:
            connections = [follower.connections for follower in followers]
            os.kill(server.pid(), signal.SIGHUP)
            wait(
                lambda before=connections: all(  # type: ignore[misc]
                    follower.connections > one for follower, one in zip(followers, before, strict=True)
                )
            )
            new = first
        before = crowd.answers
        version = presenter.move_on()
        for follower in followers:
            follower.sees(version, PATIENCE)
        wait(lambda before=before: crowd.answers > before + 20)  # type: ignore[misc]
    crowd.leave()
    assert crowd.faults == []
    assert server.pid() == new
    for follower in followers:
        assert follower.versions == sorted(set(follower.versions)), "no beat twice"
        follower.leave()
    begun = time.monotonic()
    os.kill(new, signal.SIGTERM)
    wait(lambda: not server.pid())
    assert time.monotonic() - begun < 25


def test_a_new_version_that_does_not_start_changes_nothing(server: Upgraded, tmp_path: Path) -> None:
    """Its number cannot be written, say; the old server goes on, and can be upgraded later."""
    old = server.pid()
    held = tmp_path / "pid.2"
    held.mkdir()

    def children() -> int:
        return len(subprocess.run(["pgrep", "-P", str(old)], capture_output=True).stdout.split())

    wait(lambda: children() == 1)
    os.kill(old, signal.SIGUSR2)
    wait(lambda: children() == 2)
    wait(lambda: children() == 1)
    assert Visitor(server.url).ask("/healthz")[0] == 200
    assert server.pid() == old
    held.rmdir()
    assert server.upgrade() != old


def test_the_numbers_move_to_the_new_server(tmp_path: Path) -> None:
    numbers = free_port()
    server = Upgraded(tmp_path, TUTOR_METRICS=f"127.0.0.1:{numbers}")

    def told() -> str:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", numbers, timeout=5)
            connection.request("GET", "/")
            return connection.getresponse().read().decode()
        except (OSError, http.client.HTTPException):
            return ""

    try:
        wait(lambda: "tutor_memory_bytes{" in told())
        Visitor(server.url).ask("/it/border/rules")
        assert 'endpoint="rules.page"' in told()
        server.upgrade()
        wait(lambda: "tutor_memory_bytes{" in told())
        assert 'endpoint="rules.page"' not in told(), "these are the new server's"
    finally:
        os.kill(server.pid(), signal.SIGTERM)
        wait(lambda: not server.pid())


def test_systemd_is_told_which_process_it_has_to_watch(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(PATIENCE)
        server = Upgraded(tmp_path, NOTIFY_SOCKET=str(tmp_path / "notify"))

        def told() -> list[str]:
            return [systemd.recv(1000).decode().partition("\n")[0] for _ in range(2)]

        try:
            assert told() == ["READY=1", f"MAINPID={server.pid()}"]
            new = server.upgrade()
            assert told() == ["READY=1", f"MAINPID={new}"]
        finally:
            os.kill(server.pid(), signal.SIGTERM)
            wait(lambda: not server.pid())


def test_a_file_that_cannot_be_written_is_an_error_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"^--pid: nothing can be written in .*/none$"):
        main(["serve", "--pid", str(tmp_path / "none" / "pid")])
