"""Those at a live table, as bare sockets in one process. They share the machine with the server, and cost
little: what a stream brings is noted with its time, and read when nothing is measured.
"""

import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import gevent
import gevent.socket
import msgspec

from benchmarks.pages import CLICK
from benchmarks.server import Connection
from tutor.lessons.beats import Beat

LONGEST_WAIT = 60.0
"""Seconds for a stream to begin."""
PATIENCE = 3.0
"""Seconds after which a follower who was refused comes again, as the page does."""
AGAIN = 0.5
"""Seconds after which a presenter who was refused presses again."""


class Talk(Connection):
    """A connection that lets others go on while it waits."""

    connect = staticmethod(gevent.socket.create_connection)


@dataclass
class Table:
    """A table, and whoever presents at it."""

    port: int
    code: str
    cookie: str
    version: int = 1
    """Of its stage; a new table's is 1."""
    pressed: list[float] = field(default_factory=list)
    """When the presenter showed each beat."""
    refused: int = 0

    @classmethod
    def open(cls, port: int, game: str) -> "Table":
        head, _ = _posted(port, "/en/t/", {"game": game})
        code = head.partition(b"/en/t/")[2].partition(b"/")[0].decode()
        return cls(port, code, _cookie(head))

    def show(self, beat: Beat) -> None:
        """Presses the key for a beat, and waits for the presenter's own screen."""
        self.pressed.append(time.perf_counter())
        given = beat.given
        form = {"do": "show", "version": self.version, "screen": beat.screen, "said": given.replies.text}
        form |= {"moves": ";".join(given.moves), "choice": sorted(given.choices)}
        form |= {"check": "1"} if given.checked else {}
        headers = f"{self.cookie}{CLICK}"
        with gevent.Timeout(LONGEST_WAIT):
            while not _is_fine(_posted(self.port, f"/en/t/{self.code}/present", form, headers)[0]):
                self.refused += 1
                gevent.sleep(AGAIN)
        self.version += 1


@dataclass(frozen=True)
class Arrived:
    """A beat with both of its lines, at the time of its last byte."""

    version: int
    at: float
    own: dict[str, Any]


class Follower:
    def __init__(self, table: Table, lang: str) -> None:
        self.table = table
        self.lang = lang
        self.cookie = ""
        self.refused = 0
        self.arrived: list[Arrived] = []
        self._pieces: list[tuple[float, bytes]] = []
        self._stream = Stream()

    @property
    def who(self) -> str:
        return self.cookie.partition("=")[2].partition(".")[0]

    def join(self) -> None:
        """Opens the stream; returns when the first beat is there."""
        with gevent.Timeout(LONGEST_WAIT):
            while not self._opened():
                self.refused += 1
                gevent.sleep(PATIENCE)
        self.cookie = _cookie(self._stream.head)
        gevent.spawn(self._listen)

    def _opened(self) -> bool:
        """Whether the server has let us in."""
        self._pieces, self._stream = [], Stream()
        self._socket = gevent.socket.create_connection(("127.0.0.1", self.table.port))
        request = f"GET /{self.lang}/t/{self.table.code}/events HTTP/1.1\r\n"
        headers = f"Host: 127.0.0.1:{self.table.port}\r\nAccept-Encoding: gzip\r\n"
        self._socket.sendall(f"{request}{headers}\r\n".encode())
        try:
            while not self.arrived and self._hear():
                self.read()
        except Refused:
            self._socket.close()
        return bool(self.arrived)

    def _listen(self) -> None:
        while self._hear():
            pass

    def _hear(self) -> bool:
        try:
            data = self._socket.recv(1 << 16)
        except OSError:
            return False
        self._pieces.append((time.perf_counter(), data))
        return bool(data)

    def read(self) -> None:
        """What has come until now."""
        pieces, self._pieces = self._pieces, []
        for at, data in pieces:
            self.arrived += [Arrived(version, at, own) for version, own in self._stream.beats(data)]

    def behind(self) -> bool:
        """Whether what the table shows has not arrived yet."""
        self.read()
        return self.arrived[-1].version < self.table.version

    def waited(self) -> list[float]:
        """Seconds from the presenter's key to the beat, for each that has arrived."""
        at = {one.version: one.at for one in reversed(self.arrived)}
        first = self.table.version - len(self.table.pressed) + 1
        shown = enumerate(self.table.pressed, first)
        return [at[version] - pressed for version, pressed in shown if version in at]

    def doubled(self) -> int:
        return len(self.arrived) - len({one.version for one in self.arrived})

    def leave(self) -> None:
        self._socket.close()

    def vote(self, round: int, value: str) -> tuple[bool, float]:
        """Whether a vote on what is shown was accepted, and how many seconds that took."""
        begin = time.perf_counter()
        form = {"vote": value, "round": round}
        headers = f"{self.cookie}HX-Request: true\r\nHX-Target: mine\r\n"
        head, _ = _posted(self.table.port, f"/{self.lang}/t/{self.table.code}", form, headers)
        return _is_fine(head), time.perf_counter() - begin


class Refused(Exception):
    """The server answers, but not with a stream."""


class Stream:
    """Reads a packed stream of events as a browser does."""

    def __init__(self) -> None:
        self.head = b""
        self._chunks = b""
        self._unpack = zlib.decompressobj(16 + zlib.MAX_WBITS)
        self._text = b""

    def beats(self, data: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
        """The versions and own lines of the beats that end within this piece."""
        self._text += self._unpack.decompress(self._body(data))
        *events, self._text = self._text.split(b"\n\n")
        for event in events:
            if event.startswith(b"event: beat\n"):
                _, number, own, shared = event.split(b"\n")
                assert b'id="screen"' in msgspec.json.decode(shared.removeprefix(b"data: ")).encode()
                yield int(number.removeprefix(b"id: ")), msgspec.json.decode(own.removeprefix(b"data: "))

    def _body(self, data: bytes) -> bytes:
        if not self.head.endswith(b"\r\n\r\n"):
            head, end, data = (self.head + data).partition(b"\r\n\r\n")
            self.head = head + end
            if end and not _is_fine(head):
                raise Refused(head.decode())
        self._chunks += data
        parts = []
        while b"\r\n" in self._chunks:
            length, _, rest = self._chunks.partition(b"\r\n")
            size = int(length, 16)
            if len(rest) < size + 2:
                break
            parts.append(rest[:size])
            self._chunks = rest[size + 2 :]
        return b"".join(parts)


class Poller:
    """Looks again and again, without a stream, for as long as it is let."""

    def __init__(self, table: Table, lang: str) -> None:
        self.table = table
        self.lang = lang
        self.refused = 0
        self.looks: list[tuple[float, bytes]] = []

    def look(self, connection: Connection) -> bytes:
        """What is shown now, packed; nothing if the server refuses to tell."""
        head, body = connection.get(f"/{self.lang}/t/{self.table.code}", CLICK)
        return body if _is_fine(head) else b""

    def poll(self, begin: float, pause: float) -> None:
        gevent.sleep(begin)
        connection = Talk(self.table.port)
        while True:
            begin = time.perf_counter()
            if body := self.look(connection):
                self.looks.append((time.perf_counter(), body))
            else:
                self.refused += 1
            gevent.sleep(max(0.0, begin + pause - time.perf_counter()))


def _posted(port: int, path: str, form: dict[str, Any], headers: str = "") -> tuple[bytes, bytes]:
    """Over a new connection, as of a browser that has sent nothing for some seconds."""
    connection = Talk(port)
    try:
        return connection.post(path, urlencode(form, doseq=True), headers)
    finally:
        connection.close()


def _is_fine(head: bytes) -> bool:
    return head.startswith(b"HTTP/1.1 200 ")


def _cookie(head: bytes) -> str:
    """The header that gives back what an answer's head has set."""
    return f"Cookie: {head.partition(b'Set-Cookie: ')[2].partition(b';')[0].decode()}\r\n"
