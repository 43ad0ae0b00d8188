"""What a worker does with connections that only hold it up, and whose turn it is to have a page made."""

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from types import SimpleNamespace

import gevent
import pytest
from flask import Flask

from tests import ROOT
from tests.conftest import free_port, seeded
from tutor.book.words import LANGUAGES
from tutor.web.http import proxy
from tutor.web.http.security import HEADERS
from tutor.web.worker import Aside, Turns, Worker

pytestmark = [pytest.mark.patient, pytest.mark.slow]

OF_NETWORK = 12
SERVE = f"""
import sys
from pathlib import Path
import tests
from tutor.web import serve, worker
worker.SLOWEST_BODY_SECONDS, worker.MOST_CONNECTIONS_OF_NETWORK = 2, {OF_NETWORK}
path = Path(sys.argv[1])
serve.serve(serve.prepare(path), path, "127.0.0.1", int(sys.argv[2]), 1)
"""
ORIGIN = "Origin: http://localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A server of one worker that waits two seconds for a form and takes a dozen connections of a network."""
    found, database = free_port(), seeded(tmp_path_factory.mktemp("worker") / "rulebook.db")
    with subprocess.Popen([sys.executable, "-c", SERVE, str(database), str(found)]) as server:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", found)).close()
                break
            except OSError:
                time.sleep(0.1)
        yield found
        server.terminate()


def connect(port: int, near: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=60, source_address=(near, 0))


def answer(connection: socket.socket) -> str:
    """All that comes until the connection is closed."""
    found = b""
    try:
        while data := connection.recv(1 << 16):
            found += data
    except ConnectionError:
        pass
    return found.decode("latin-1")


def ask(port: int, request: str, near: str = "127.0.0.1") -> str:
    with connect(port, near) as connection:
        connection.sendall(request.encode("latin-1"))
        return answer(connection)


def test_only_the_oldest_http_has_no_host(port: int) -> None:
    assert ask(port, "GET /en/ HTTP/1.1\r\nConnection: close\r\n\r\n").startswith("HTTP/1.1 400 ")
    assert " 200 " in ask(port, "GET /en/ HTTP/1.0\r\n\r\n").partition("\r\n")[0]


# Bodies and connections


def test_a_body_that_comes_byte_by_byte_is_not_waited_for(port: int) -> None:
    with connect(port) as connection:
        head = f"POST /en/t/ HTTP/1.1\r\nHost: localhost\r\n{ORIGIN}Content-Length: 1000\r\n\r\n"
        connection.sendall(head.encode())
        begin = time.monotonic()
        connection.settimeout(0.3)
        found = b""
        while not found and time.monotonic() - begin < 30:
            connection.sendall(b"x")  # each comes in time
            with suppress(TimeoutError):
                found = connection.recv(1 << 16)
        assert found.startswith(b"HTTP/1.1 408 ")


def test_a_connection_may_rest_between_two_forms(port: int) -> None:
    """The time is that of one body, not of the connection."""
    form = "game=border"
    request = f"POST /en/t/ HTTP/1.1\r\nHost: localhost\r\n{ORIGIN}Content-Length: {len(form)}\r\n\r\n{form}"
    with connect(port) as connection:
        for _ in range(3):
            connection.sendall(request.encode())
            found = b""
            while b"If not, click the link" not in found:
                found += connection.recv(1 << 16)
            assert b" 303 " in found.partition(b"\r\n")[0]
            time.sleep(1)


def test_one_network_leaves_connections_for_others(port: int) -> None:
    page = "GET /robots.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    slow = f"POST /en/t/ HTTP/1.1\r\nHost: localhost\r\n{ORIGIN}Content-Length: 9\r\n\r\n"

    def refused() -> bool:
        """Whether a network with many slow forms is; as those are given up soon, it may be missed."""
        with ExitStack() as held:
            for _ in range(OF_NETWORK):
                with suppress(ConnectionError):  # of those before, some may still be counted
                    held.enter_context(connect(port, "127.0.0.7")).sendall(slow.encode())
            time.sleep(0.05)  # the last of them may not have been accepted yet
            own, other = (ask(port, page, f"127.0.0.{number}") for number in (7, 8))
        assert " 200 " in other
        return own == ""

    assert any(refused() for _ in range(10))
    for _ in range(100):
        if " 200 " in ask(port, page, "127.0.0.7"):
            break
        time.sleep(0.1)
    else:
        pytest.fail("a connection that has ended is still counted")


@pytest.mark.parametrize(
    ("request_text", "status"),
    [
        ("GET / HTTP/9.9\r\n\r\n", 400),
        ("G<T / HTTP/1.1\r\n\r\n", 400),
        (f"GET /{'x' * 9000} HTTP/1.1\r\n\r\n", 414),
        (f"GET / HTTP/1.1\r\nCookie: {'x' * 9000}\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\n" + "".join(f"X-{i}: 1\r\n" for i in range(60)) + "\r\n", 431),
        ("POST /en/t/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nX y: z\r\n\r\n", 400),
    ],
)
def test_what_cannot_be_read_is_answered_with_our_headers(port: int, request_text: str, status: int) -> None:
    head, _, body = ask(port, request_text).partition("\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ")
    for name, value in HEADERS.items():
        assert f"\r\n{name}: {value}" in head
    assert "Connection: close" in head
    assert "xxx" not in body, "nothing of the request comes back"
    assert [*re.findall('<p lang="(..)">[^<]{9}', body)] == [*LANGUAGES]
    assert ("delete the ones for this site" in body) == (status == 431), "what is to be done about it"


@pytest.mark.parametrize(
    "body",
    [
        "5;\x01=x\r\nhello\r\n0\r\n\r\n",
        "0\r\nbad trailer\r\n\r\n",
        "5\nhello\n0\n\n",
        "x\r\n",
        "5\r\nhelloXX",
    ],
)
def test_a_malformed_body_is_the_senders_fault(port: int, body: str) -> None:
    head = f"POST /en/t/ HTTP/1.1\r\nHost: localhost\r\n{ORIGIN}Transfer-Encoding: chunked\r\n\r\n"
    with connect(port) as connection:
        connection.sendall((head + body).encode("latin-1"))
        connection.shutdown(socket.SHUT_WR)
        assert re.match(r"HTTP/1.1 400 ", answer(connection))


# Turns


def test_networks_take_turns(app: Flask) -> None:
    """One asks for twenty pages, then another for two: these come second and fourth, not last."""
    aside, done = Aside(), list[str]()

    def work(near: str) -> None:
        time.sleep(0.01)
        done.append(near)

    def asks(near: str) -> None:
        with app.test_request_context(environ_base={"REMOTE_ADDR": near}):
            aside(partial(work, near))

    asked = [gevent.spawn(asks, "192.0.2.1") for _ in range(20)]
    gevent.sleep(0)
    asked += [gevent.spawn(asks, "192.0.2.2") for _ in range(2)]
    gevent.joinall(asked, timeout=60)
    assert len(done) == 22
    assert {i for i, near in enumerate(done) if near == "192.0.2.2"} <= {1, 2, 3, 4}
    assert len(aside.turns) == 0


def test_whoever_comes_again_and_again_stands_behind_those_who_wait() -> None:
    """As one who sends a thousand requests at once on each connection does."""
    line, done = Turns(), list[str]()

    def comes(near: str, times: int) -> None:
        for _ in range(times):
            with line.turn(near):
                gevent.sleep(0)
            done.append(near)

    greedy = [gevent.spawn(comes, "192.0.2.1", 500) for _ in range(20)]
    gevent.sleep(0)
    gevent.joinall([gevent.spawn(comes, "192.0.2.2", 1)], timeout=60)
    assert "192.0.2.2" in done[:10]
    gevent.joinall(greedy, timeout=60)
    assert len(done) == 10_001


def test_what_a_table_waits_for_stands_in_its_own_line(app: Flask) -> None:
    """Whoever asks for it first may have asked for much else."""
    aside, made = Aside(), list[str]()

    def work(name: str) -> None:
        time.sleep(0.005)
        made.append(name)

    def asks(name: str, line: str = "") -> None:
        with app.test_request_context(environ_base={"REMOTE_ADDR": "192.0.2.1"}):
            aside(partial(work, name), line)

    asked = [gevent.spawn(asks, "own") for _ in range(20)]
    gevent.sleep(0.002)
    asked.append(gevent.spawn(asks, "beat", "CDFH2345"))
    gevent.joinall(asked, timeout=60)
    assert made.index("beat") < 4


@pytest.mark.parametrize(
    ("peer", "claimed", "line"),
    [
        (("10.0.0.9", 1), "198.51.100.1, 192.0.2.7", "192.0.2.7"),
        (("10.0.0.8", 1), "192.0.2.7", "10.0.0.8"),
        ("", "192.0.2.7", ""),
    ],
)
def test_behind_a_proxy_everybody_has_a_line(peer: object, claimed: str, line: str) -> None:
    stood = list[str]()

    class Line(Turns):
        @contextmanager
        def turn(self, near: str) -> Iterator[None]:
            stood.append(near)
            yield

    worker = Worker.__new__(Worker)
    worker.line = Line()
    worker.app = SimpleNamespace(
        site=SimpleNamespace(extensions={"proxies": proxy.Proxies.parse("10.0.0.9")})
    )
    worker.stand_in_line(SimpleNamespace(peer_addr=peer, headers=[("X-FORWARDED-FOR", claimed)]))
    assert stood == [line]


def test_whoever_gives_up_or_fails_keeps_nobody_waiting(app: Flask) -> None:
    aside, done = Aside(), list[int]()

    def work(number: int) -> None:
        def make() -> None:
            time.sleep(0.01)
            if number == 1:
                raise ValueError(number)
            done.append(number)

        with app.test_request_context():
            aside(make)

    asked = [gevent.spawn(work, number) for number in range(5)]
    gevent.sleep(0.005)
    asked[3].kill()
    gevent.joinall(asked, timeout=60)
    assert done == [0, 2, 4]
    assert isinstance(asked[1].exception, ValueError)
    with app.test_request_context():
        assert aside(lambda: "again") == "again"


def test_the_program_that_draws_imports_nothing_of_the_site() -> None:
    program = ROOT / "tutor" / "web" / "site" / "png.py"
    assert "tutor" not in [
        line.split()[1].partition(".")[0]
        for line in program.read_text().splitlines()
        if line.startswith(("import ", "from "))
    ]
