"""Servers of the tests' own, as `tutor serve` starts them, to be ended in any way and started again."""

import http.client
import os
import re
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from tests.conftest import free_port, seeded


class Server:
    def __init__(
        self,
        database: Path,
        port: int = 0,
        host: str = "127.0.0.1",
        options: Sequence[str] = (),
        **settings: str,
    ) -> None:
        self.database = seeded(database)
        self.port = port or free_port()
        self.host = host
        self.options = options
        self.settings = {"TUTOR_DB": str(database), **settings}
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        where = ("--host", self.host, "--port", str(self.port), "--workers", "1")
        command = [sys.executable, "-m", "tests.serve", "serve", *where, *self.options]
        # A group of its own: a kill has to reach the workers too.
        self.process = subprocess.Popen(command, env=os.environ | self.settings, start_new_session=True)
        for _ in range(600):
            assert self.process.poll() is None, "the server ended at once"
            try:
                self.connect().close()
                return
            except OSError:
                time.sleep(0.1)
        raise TimeoutError("the server does not answer")

    def connect(self) -> socket.socket:
        """A connection to it, which it takes even before it has the time to answer."""
        if not self.host.startswith("unix:"):
            return socket.create_connection((self.host, self.port), timeout=20)
        made = socket.socket(socket.AF_UNIX)
        made.settimeout(20)
        made.connect(self.host.removeprefix("unix:"))
        return made

    def kill(self) -> None:
        """As when the machine fails."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, 9)
            self.process.wait(10)

    def end(self, within: float) -> None:
        """As it is told to; raises TimeoutExpired if that takes too long."""
        self.process.terminate()
        self.process.wait(within)


class Visitor:
    """Somebody with a browser without script: cookies, forms, and no redirect is followed."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.cookies: dict[str, str] = {}

    def ask(self, path: str, form: dict[str, str] | None = None, **headers: str) -> tuple[int, str]:
        """The status, and the page or the address of a redirect."""
        connection = self.connect(20)
        sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()), **headers}
        if form is not None:
            sent |= {"Origin": self.url, "Content-Type": "application/x-www-form-urlencoded"}
        connection.request("GET" if form is None else "POST", path, urlencode(form or {}), sent)
        answer = connection.getresponse()
        text = answer.read().decode()
        self.keep(answer)
        connection.close()
        return answer.status, answer.headers.get("Location") or text

    def connect(self, timeout: float) -> http.client.HTTPConnection:
        url = urlsplit(self.url)
        if url.scheme == "https":  # a certificate that a test has made is nobody's
            unknown = ssl._create_unverified_context()
            return http.client.HTTPSConnection(url.netloc, timeout=timeout, context=unknown)
        return http.client.HTTPConnection(url.netloc, timeout=timeout)

    def keep(self, answer: http.client.HTTPResponse) -> None:
        for line in answer.headers.get_all("Set-Cookie", []):
            self.cookies |= {name: one.value for name, one in SimpleCookie(line).items()}


class Presenter(Visitor):
    """Opens a table, and moves on from beat to beat."""

    def __init__(self, url: str, lang: str = "it", game: str = "border") -> None:
        super().__init__(url)
        status, place = self.ask(f"/{lang}/t/", {"game": game})
        assert status == 303, place
        self.screen = place
        self.code = place.split("/")[3]
        assert self.ask(self.screen, {"do": "show", "version": "1"})[0] == 303

    def move_on(self) -> int:
        """The version of the table after the next beat."""
        status, page = self.ask(self.screen)
        assert status == 200
        version = re.search(r'data-version="(\d+)"', page)
        link = re.search(r'id="next"[^>]* href="[^"?]+\?([^"]+)"', page)
        assert version
        assert link
        form = dict(part.split("=") for part in link[1].replace("&amp;", "&").split("&"))
        form = {name: value.replace("+", " ").replace("%3B", ";") for name, value in form.items()}
        status, _ = self.ask(self.screen, {"do": "show", "version": version[1], **form})
        assert status == 303
        return int(version[1]) + 1


class Follower(Visitor):
    """A guest's stream, read in a thread as a browser would. It comes back until it is told to leave."""

    def __init__(self, url: str, code: str, lang: str = "pl") -> None:
        super().__init__(url)
        self.path = f"/{lang}/t/{code}/events"
        self.events: list[tuple[str, int, str, float]] = []
        """Name, id, data, and when it came."""
        self.last = 0
        self.connections = 0
        self.leaving = False
        self._news = threading.Condition()
        self._socket: socket.socket | None = None
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    @property
    def versions(self) -> list[int]:
        return [number for name, number, _, _ in self.events if name == "beat"]

    def names(self) -> list[str]:
        return [name for name, _, _, _ in self.events]

    def wait(self, come: Callable[[], bool], within: float = 30) -> None:
        with self._news:
            assert self._news.wait_for(come, within), self.names()

    def sees(self, version: int, within: float = 30) -> None:
        self.wait(lambda: version in self.versions, within)

    def drop(self) -> None:
        """The connection breaks."""
        if self._socket:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def leave(self) -> None:
        self.leaving = True
        self.drop()
        self._thread.join(10)

    def _listen(self) -> None:
        while not self.leaving:
            try:
                self._read()
            except (OSError, http.client.HTTPException, ValueError):
                time.sleep(0.05)

    def _read(self) -> None:
        connection = self.connect(40)
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection.request("GET", self.path, headers={"Cookie": cookie, "Last-Event-ID": str(self.last)})
        self._socket = connection.sock
        answer = connection.getresponse()
        if answer.status != 200:
            raise OSError(answer.status)
        self.keep(answer)
        self.connections += 1
        said: dict[str, str] = {}
        for line in answer:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name:
                said[name] = f"{said[name]}\n{value}" if name in said else value
                continue
            if "event" in said:
                with self._news:
                    number = int(said.get("id", 0))
                    self.last = number or self.last
                    self.events.append((said["event"], number, said["data"], time.monotonic()))
                    self._news.notify_all()
            said = {}
        connection.close()
