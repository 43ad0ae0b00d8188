"""What one worker of the server is: gevent's, with walls against connections that only hold it up, and a
thread beside the loop that makes pages, for one network after the other.
"""

import logging
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any, TypeVar

import gevent
from flask import Flask, g, has_request_context, render_template
from gevent.event import Event
from gevent.threadpool import ThreadPool
from gunicorn.http.errors import LimitRequestHeaders, LimitRequestLine, ParseException
from gunicorn.workers.ggevent import GeventWorker

from tutor.book.words import LANGUAGES
from tutor.web.http import limit
from tutor.web.http.security import HEADERS

log = logging.getLogger(__name__)

MOST_CONNECTIONS = 2000
"""Of a worker: more than the streams and readers that one machine can have."""
MOST_CONNECTIONS_OF_NETWORK = 1500
"""Connections that one network may have of them: a large school, and there is still room for others."""
SLOWEST_BODY_SECONDS = 10
"""Seconds within which a form has to be here, however slowly it comes."""

T = TypeVar("T")


class Worker(GeventWorker):  # type: ignore[misc]  # gunicorn has no types
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.connected: Counter[str] = Counter()

    def init_process(self) -> None:
        self.line = Turns()
        super().init_process()

    def stand_in_line(self, request: Any) -> None:
        """One at a time of those who write, or who have asked for more already; between two of them everybody
        else has a turn. So nobody who reads waits for a whole table that votes."""
        peer = request.peer_addr
        remote = peer[0] if isinstance(peer, tuple) else ""
        if remote in self.app.site.extensions["proxies"]:
            claims = [value for name, value in request.headers if name == "X-FORWARDED-FOR"]
            remote = ",".join(claims).rpartition(",")[2].strip()
        with self.line.turn(limit.network(remote)):
            gevent.sleep(0)

    def handle(self, listener: Any, client: Any, addr: Any) -> None:
        """A connection, from its beginning to its end."""
        remote = addr[0] if addr else ""
        near = limit.network(remote)
        # Through a proxy everybody comes.
        if (
            self.connected[near] >= MOST_CONNECTIONS_OF_NETWORK
            and remote not in self.app.site.extensions["proxies"]
        ):
            client.close()
            return
        self.connected[near] += 1
        try:
            super().handle(listener, client, addr)
        finally:
            self.connected -= Counter([near])

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """What cannot be read at all never reaches the site; it is answered here, with the same headers."""
        if isinstance(exc, LimitRequestLine):
            status = HTTPStatus.REQUEST_URI_TOO_LONG
        elif isinstance(exc, LimitRequestHeaders):
            status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
        elif isinstance(exc, ParseException):
            status = HTTPStatus.BAD_REQUEST
        else:
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            log.error("a connection failed", exc_info=exc)
        with suppress(OSError):  # whoever asked has gone
            client.sendall(plainest_answer(self.app.site, status))


@cache
def plainest_answer(site: Flask, status: HTTPStatus) -> bytes:
    """An answer to somebody of whom nothing is known, not even the language: it is in all of them."""
    page = f'<!doctype html><html lang="en"><title>{status}</title><h1>{status} {status.phrase}</h1>'
    for lang in LANGUAGES:
        with site.app_context():
            g.lang = lang
            page += f'<p lang="{lang}">{render_template("http/_error.html", status=status).strip()}</p>'
    body = page.encode()
    headers = HEADERS | {
        "Connection": "close",
        "Content-Type": "text/html; charset=utf-8",
        "Content-Length": str(len(body)),
        "Cache-Control": "no-store",
    }
    head = [f"HTTP/1.1 {status} {status.phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*head, "", ""]).encode() + body


class Until:
    """A connection from which a request's body has to come within a time, and not each part of it."""

    def __init__(self, connection: Any, seconds: float) -> None:
        self.connection = connection
        self._until = time.monotonic() + seconds

    def recv(self, size: int) -> bytes:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the body does not come to its end")
        before = self.connection.gettimeout()
        self.connection.settimeout(left)
        try:
            data: bytes = self.connection.recv(size)
        finally:
            self.connection.settimeout(before)
        return data


def hurry(request: Any) -> None:
    """The body of this request has to be here soon. An answer that nobody takes is not waited for either."""
    if hasattr(request.unreader, "sock"):
        request.unreader.sock.settimeout(SLOWEST_BODY_SECONDS)
        request.unreader.sock = Until(request.unreader.sock, SLOWEST_BODY_SECONDS)


def rest(request: Any) -> None:
    """The next request of the same connection has its own time."""
    if isinstance(getattr(request.unreader, "sock", None), Until):
        request.unreader.sock = request.unreader.sock.connection


@dataclass(frozen=True)
class Failed:
    """What a piece of work raised, on its way to whoever asked for it."""

    error: Exception


class Turns:
    """One at a time, and networks one after the other, so that nobody waits behind all that somebody else has
    asked for."""

    def __init__(self) -> None:
        self._busy = False
        self._waiting: OrderedDict[str, deque[Event]] = OrderedDict()

    def __len__(self) -> int:
        """How many wait."""
        return sum(map(len, self._waiting.values()))

    @contextmanager
    def turn(self, near: str) -> Iterator[None]:
        self._wait(near)
        try:
            yield
        finally:
            self._next()

    def _wait(self, near: str) -> None:
        if not self._busy:
            self._busy = True
            return
        turn = Event()
        self._waiting.setdefault(near, deque()).append(turn)
        try:
            turn.wait()
        except BaseException:  # the worker ends
            if turn.is_set():
                self._next()
            elif near in self._waiting:
                self._waiting[near].remove(turn)
            raise

    def _next(self) -> None:
        """To the network whose turn was longest ago. It is handed over: whoever comes again waits."""
        while self._waiting:
            near, turns = self._waiting.popitem(last=False)
            if turns:
                turn = turns.popleft()
                self._waiting[near] = turns
                turn.set()
                return
        self._busy = False


class Aside:
    """Does work in a thread of its own while the loop goes on; the caller waits for its turn."""

    def __init__(self) -> None:
        self.turns = Turns()
        self._pool = ThreadPool(1)

    def __call__(self, work: Callable[[], T], line: str = "") -> T:
        """In the line of that name, or of the network that asks."""
        with self.turns.turn(line or (limit.network_of_request() if has_request_context() else "")):
            made: T | Failed = self._pool.apply(copy_context().run, (_outcome, work))
        if isinstance(made, Failed):
            raise made.error
        return made


def _outcome(work: Callable[[], T]) -> T | Failed:
    try:
        return work()
    except Exception as error:  # gevent would print it
        return Failed(error)
