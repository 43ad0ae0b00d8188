"""The site as `tutor serve` runs it, with two more beside it: a bare Flask page under /bare, and under /fresh
a site that forgets its pages before each request, so that every page is asked for the first time.
"""

import gzip
import multiprocessing
import re
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

from flask import Flask
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from tutor.web import create_app
from tutor.web.http.cache import Pages
from tutor.web.serve import Server, prepare, settings

WORKERS = 2


class Benched(Server):
    def load(self) -> Any:
        site = super().load()
        fresh = create_app(self.database)

        def forgetful(environ: dict[str, Any], start_response: Any) -> Any:
            fresh.extensions["pages"] = fresh.extensions["tried"] = Pages()
            return fresh(environ, start_response)

        return DispatcherMiddleware(site, {"/bare": _bare(), "/fresh": forgetful})


def _bare() -> Flask:
    bare = Flask("bare")

    @bare.get("/")
    def page() -> str:
        return "<!doctype html><title>bare</title><p>bare"

    return bare


class Connection:
    """One kept connection. It works with bare bytes, so that the client costs little."""

    connect: Callable[..., Any] = staticmethod(socket.create_connection)

    def __init__(self, port: int) -> None:
        self.port = port
        self._socket: Any = None

    def get(self, path: str, headers: str = "") -> tuple[bytes, bytes]:
        """The head and body of an answer, over a new connection if the server has closed this one."""
        return self._asked(f"GET {path}", headers)

    def post(self, path: str, form: str, headers: str = "") -> tuple[bytes, bytes]:
        """The same for a form of this site."""
        own = f"Origin: http://127.0.0.1:{self.port}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        return self._asked(f"POST {path}", f"{own}Content-Length: {len(form)}\r\n{headers}", form)

    def _asked(self, what: str, headers: str, body: str = "") -> tuple[bytes, bytes]:
        common = f"Host: 127.0.0.1:{self.port}\r\nAccept-Encoding: gzip\r\n"
        try:
            head, answer = self._answer(f"{what} HTTP/1.1\r\n{common}{headers}\r\n{body}".encode())
        except ConnectionError:
            self.close()
            return self._asked(what, headers, body)
        if b"connection: close" in head.lower():
            self.close()
        return head, answer

    def _answer(self, request: bytes) -> tuple[bytes, bytes]:
        if self._socket is None:
            self._socket = self.connect(("127.0.0.1", self.port))
        self._socket.sendall(request)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self._received()
        head, _, body = answer.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        parts, left = [body], length - len(body)
        while left > 0:
            parts.append(self._received())
            left -= len(parts[-1])
        return head, b"".join(parts)

    def _received(self) -> bytes:
        assert self._socket
        data: bytes = self._socket.recv(1 << 18)
        if not data:
            raise ConnectionResetError
        return data

    def close(self) -> None:
        if self._socket:
            self._socket.close()
        self._socket = None


@dataclass(frozen=True)
class Site:
    """A server that runs, and where on it things are."""

    port: int
    process: int
    """Of which the workers are children."""

    def text(self, path: str) -> str:
        """A page, after redirects."""
        connection = Connection(self.port)
        head, body = connection.get(path)
        connection.close()
        if moved := re.search(rb"(?i)\r\nlocation: (\S+)", head):
            return self.text(moved[1].decode())
        return gzip.decompress(body).decode()

    def task(self, game: str) -> tuple[str, str]:
        """The first screen on which there is something to do, and its address after one click."""
        page = self.text(f"/pl/{game}/learn/")
        while "screen-do" not in page:
            page = self.text(_link(page, r'id="next"[^>]* href="([^"]*/learn/[^"]+)"'))
        path = _link(page, r'id="lang-pl" href="([^"]*)"')
        return path, _link(page, r' href="([^"]*\?(?:[^"]*&amp;)?(?:moves|pick)=[^"]+)"')

    def picture(self, game: str) -> str:
        return _link(self.text(f"/pl/{game}/"), r' href="(/picture/[^"#]*)')


def _link(page: str, pattern: str) -> str:
    found = re.search(pattern, page, re.DOTALL)
    assert found, pattern
    return unescape(found[1])


@contextmanager
def serving(server: type[Server] = Benched, **config: Any) -> Iterator[Site]:
    """Runs a server, whose site is configured like this, for a while."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        # A new process: gevent and threads of its own.
        run = multiprocessing.get_context("spawn").Process(
            target=_run, args=(server, Path(folder) / "rulebook.db", port, config)
        )
        run.start()
        try:
            _wait(port)
            assert run.pid
            yield Site(port, run.pid)
        finally:
            run.terminate()
            run.join()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _run(server: type[Server], database: Path, port: int, config: dict[str, Any]) -> None:
    site = prepare(database)
    site.config.update(config)
    server(site, database, settings("127.0.0.1", port, WORKERS)).run()


def _wait(port: int) -> None:
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(port)
