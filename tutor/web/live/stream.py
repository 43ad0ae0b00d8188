"""Server-sent events: an answer that goes on for as long as somebody listens.

A stream may be packed although its messages are shared: each is packed by itself, once, and a stream is any
row of them. A reader cannot tell it from one that was packed whole.
"""

import zlib
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import msgspec
from flask import Response, request, stream_with_context
from werkzeug.exceptions import ServiceUnavailable

from tutor.live.bell import News
from tutor.web.http import meter
from tutor.web.http.cache import takes_gzip

GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
HEARTBEAT_SECONDS = 5
"""Seconds after which something is sent, so that both ends soon notice when the other is gone. It is a few
bytes and no look at the store: of a thousand streams, two hundred a second."""
LOOK_AGAIN_SECONDS = 15
"""After this long a stream looks at the table even if nobody has rung."""
LONGEST_STREAM_SECONDS = 3600
"""Seconds; then a reader comes back, perhaps to a server that has less to do."""
RETRY_MILLISECONDS = 1000
"""Milliseconds after which a browser comes back."""


MOST_STREAMS = 1500
"""Streams of a worker. It has more connections than that, so there is always room for pages."""
MOST_STREAMS_OF_NETWORK = 1000
MOST_STREAMS_OF_GUEST = 3
"""A phone, a laptop, a second tab. A fourth stream ends the first, which may be one that nobody reads."""


class Streams:
    """The open streams of a worker."""

    def __init__(self) -> None:
        self.count = 0
        self._networks: defaultdict[str, deque[News]] = defaultdict(deque)
        self._guests: defaultdict[str, deque[News]] = defaultdict(deque)

    @property
    def guests(self) -> int:
        return len(self._guests)

    def ask(self, network: str) -> None:
        """Makes room for one more, if need be by ending the oldest of the network that has most; raises
        ServiceUnavailable if that is the one that asks."""
        if self.count < MOST_STREAMS and len(self._networks.get(network, ())) < MOST_STREAMS_OF_NETWORK:
            return
        largest = max(self._networks.values(), key=len, default=deque[News]())
        if len(largest) > len(self._networks.get(network, ())) + 1:
            largest.popleft().end()
            return
        meter.current.count_refusal("streams")
        raise ServiceUnavailable(retry_after=LOOK_AGAIN_SECONDS)

    @contextmanager
    def open(self, guest: str, network: str, news: News) -> Iterator[None]:
        of_guest, near = self._guests[guest], self._networks[network]
        self.count += 1
        near.append(news)
        of_guest.append(news)
        if len(of_guest) > MOST_STREAMS_OF_GUEST:
            of_guest.popleft().end()
        try:
            yield
        finally:
            self.count -= 1
            for all_of, key, own in ((self._guests, guest, of_guest), (self._networks, network, near)):
                if news in own:
                    own.remove(news)
                if not own:
                    all_of.pop(key, None)


@dataclass(frozen=True, slots=True)
class Message:
    """A part of a stream, plain and packed."""

    plain: bytes
    packed: bytes

    @classmethod
    def of(cls, text: str) -> "Message":
        plain = text.encode()
        packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
        return cls(plain, packer.compress(plain) + packer.flush(zlib.Z_SYNC_FLUSH))

    def __add__(self, other: "Message") -> "Message":
        """Both as one: what is sent at once arrives at once."""
        return Message(self.plain + other.plain, self.packed + other.packed)


def event(name: str, value: object, number: int = 0) -> Message:
    """An event with one line of JSON."""
    numbered = f"id: {number}\n" if number else ""
    return Message.of(f"event: {name}\n{numbered}data: {msgspec.json.encode(value).decode()}\n\n")


HELLO = Message.of(f"retry: {RETRY_MILLISECONDS}\n\n")
STILL_HERE = event("here", 1)
"""An event, not a comment: a page that hears nothing for long knows that its stream is dead."""


def until_news(news: News) -> Iterator[Message]:
    """Waits for news, but not for ever: meanwhile a heartbeat tells the listener that there are none."""
    for _ in range(LOOK_AGAIN_SECONDS // HEARTBEAT_SECONDS):
        if news.wait(HEARTBEAT_SECONDS):
            return
        yield STILL_HERE


def stream(messages: Iterator[Message]) -> Response:
    packed = takes_gzip(request.headers.get("Accept-Encoding", ""))

    def parts() -> Iterator[bytes]:
        if packed:
            yield GZIP_HEAD + HELLO.packed
        else:
            yield HELLO.plain
        for message in messages:
            yield message.packed if packed else message.plain

    # X-Accel-Buffering: nginx must not gather what is to arrive now.
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Vary": "Accept-Encoding"}
    if packed:
        headers["Content-Encoding"] = "gzip"
    return Response(stream_with_context(parts()), mimetype="text/event-stream", headers=headers)
