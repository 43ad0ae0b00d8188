"""What every log of live tables promises, wherever it is kept.

A log is language-free: an event says which step is shown or which answer was chosen, never in which words.
What the bodies mean is the business of whoever writes and reads them.
"""

import json
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Channel = Literal["stage", "floor"]
"""The stage is what the presenter does, the floor what followers say: votes, signals, names."""
CHANNELS: tuple[Channel, ...] = ("stage", "floor")

Body = dict[str, Any]
Ring = Callable[[str, Channel, int], None]
Down = Callable[[bool], None]
News = list[tuple[str, Channel, int]]

SCHEMA = 1
"""The form in which this version keeps tables, in a file, in Redis and in a backup; 0 is that of 0.5.1."""
LATEST_VERSION = 2**53
"""No version is higher. A reader may ask for any, and stores differ in the numbers they can hold."""
SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.05, 0.5
"""Seconds between two looks at a store that does not answer."""


@dataclass(frozen=True, slots=True)
class Event:
    """The versions of a channel are 1, 2, 3 and so on, without a gap."""

    version: int
    body: Body


class Stale(Exception):
    """Something was appended since; `version` is the channel's last one."""

    def __init__(self, code: str, channel: Channel, version: int) -> None:
        super().__init__(f"{code}: the last version of its {channel} is {version}")
        self.version = version


class NoTable(LookupError):
    """There is no such table, or no longer."""


class Taken(Exception):
    """There is a table of that code."""


class Unavailable(Exception):
    """The store does not answer. Whether it has written what it was given is not known."""


class Full(Unavailable):
    """The store cannot be written: no room, or no permission. It has written nothing."""


class Newer(Unavailable):
    """The tables are kept in a form that this version does not know. It writes nothing there."""


class Damaged(Unavailable):
    """What is in the store cannot be read. It is being mended, as far as that is possible."""


class Log(Protocol):
    """Threads and greenlets may share one; a process makes its own, after the fork.

    Making one opens nothing, so that a site can start without its store. Each method but `close` may raise
    Unavailable or Full, at the latest after a few seconds. The beginning and the end of it are logged.
    """

    place: str
    """Where it is kept, for people: without any password."""

    def create(self, code: str, body: Body) -> None:
        """Makes a table with its first event, version 1 of the stage, or raises Taken."""

    def append(self, code: str, channel: Channel, body: Body, after: int | None = None) -> int:
        """The version of the new event; the table has not been silent. Raises NoTable.

        With `after`: only if that is the channel's last version, else it raises Stale. Without, any number
        may append at once, and all of them succeed.
        """

    def read(self, code: str, channel: Channel, after: int = 0, most: int | None = None) -> list[Event]:
        """The events with higher versions than `after`, in order, or the first of them. Raises NoTable."""

    def put(self, code: str, stage: Sequence[Body], floor: Sequence[Body], replace: bool) -> None:
        """Makes a table with all its events at once. If there is one, it is replaced, or Taken is raised."""

    def delete(self, code: str) -> None:
        """Forgets a table, if there is one."""

    def codes(self) -> list[str]:
        """Of all tables there are."""

    def count(self) -> int:
        """How many tables there are."""

    def schema(self) -> int:
        """The version of the form in which the tables are kept."""

    def clean(self) -> int:
        """Gives back the room of tables that were silent for too long; how many there were.

        Until then they already count as gone.
        """

    def listen(self, ring: Ring, down: Down) -> None:
        """Calls `ring` soon after any process appended something, until the log is closed.

        It needs a thread or greenlet of its own. At first, and whenever the store is back, it rings for every
        table there is; afterwards once for several events that came together, with the version of the last.
        So a version may be rung that is known already, but after each append of a table that still exists
        comes a ring with its version or a higher one.

        Calls `down(True)` when the store stops answering, `down(False)` when it is back.
        """

    def close(self) -> None:
        """Ends `listen`, within a second. All other methods then raise Unavailable."""


def dump(body: Body) -> str:
    """In ASCII, so that half of a surrogate pair does not trouble a store."""
    return json.dumps(body, separators=(",", ":"), allow_nan=False)


def load(version: int, text: str) -> Event:
    """An event that cannot be decoded becomes an empty one."""
    try:
        body = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        body = None
    return Event(version, body if isinstance(body, dict) else {})


def refuse_newer(found: int) -> None:
    """Raises Newer if a store has a form that this version does not know."""
    if found > SCHEMA:
        told = f"they are kept by a newer version of this program (form {found}, ours is {SCHEMA})"
        raise Newer(f"{told}: nothing is written there; serve with that version, or name another place")


def keep_listening(
    follow: Callable[[], Generator[News]], ring: Ring, down: Down, closed: Callable[[], bool]
) -> None:
    """`listen` for any store: `follow` connects and tells what is there, then what is new, again and again.

    It raises Unavailable when the store stops answering, and is then called anew.
    """
    silent, pause = False, SHORTEST_PAUSE_SECONDS
    while not closed():
        try:
            with closing(follow()) as news:
                for several in news:
                    if silent:
                        silent, pause = False, SHORTEST_PAUSE_SECONDS
                        down(False)
                    for code, channel, version in several:
                        ring(code, channel, version)
        except Unavailable:
            if not silent and not closed():
                silent = True
                down(True)
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
