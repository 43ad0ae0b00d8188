"""Wakes those of one server who wait for news of a table. What the news is stands in the log."""

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tutor.live.log import Channel, Log, NoTable, Unavailable

log = logging.getLogger(__name__)

Name = tuple[str, Channel]


class News:
    """Somebody who waits. Whoever clears it before looking misses nothing."""

    def __init__(self) -> None:
        self.seen = False
        """Whether the server has looked already, so that what it remembers is new enough."""
        self.over = False
        """Whether there is nothing more to wait for."""
        self._event = threading.Event()

    def clear(self) -> None:
        self._event.clear()

    def wait(self, seconds: float) -> bool:
        """Whether any arrive within that time."""
        came = self._event.wait(seconds)
        self.seen = self.seen and came
        return came

    def come(self, seen: bool) -> None:
        self.seen = seen
        self._event.set()

    def end(self) -> None:
        self.over = True
        self._event.set()


class Bell:
    def __init__(self, log: Log, look: Callable[[str], object]) -> None:
        """`look` reads what is new at a table: once, for all who wait, and not by each of them."""
        self.down = False
        """Whether the store does not answer."""
        self._log = log
        self._look = look
        self._waiting: defaultdict[Name, set[News]] = defaultdict(set)

    def start(self) -> None:
        threading.Thread(target=self._log.listen, args=(self.ring, self._turn), daemon=True).start()

    @contextmanager
    def waiting(self, code: str, *channels: Channel) -> Iterator[News]:
        """Comes whenever there may be news."""
        news = News()
        names: list[Name] = [(code, channel) for channel in channels]
        for name in names:
            self._waiting[name].add(news)
        try:
            yield news
        finally:
            for name in names:
                self._waiting[name].discard(news)
                if not self._waiting[name]:
                    del self._waiting[name]

    def ring(self, code: str, channel: Channel, version: int) -> None:
        waiting = tuple(self._waiting.get((code, channel), ()))
        seen = bool(waiting) and self._look_again(code)
        for news in waiting:
            news.come(seen)

    def _look_again(self, code: str) -> bool:
        try:
            self._look(code)
        except (NoTable, Unavailable):
            return False
        except Exception:  # one table must not stop the bell of all others
            log.exception("no look at a table")
            return False
        return True

    def _turn(self, down: bool) -> None:
        """The store is gone, or back: everybody looks."""
        self.down = down
        for waiting in tuple(self._waiting.values()):
            for news in tuple(waiting):
                news.come(seen=False)
