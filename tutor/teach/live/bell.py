"""Wakes those of one server who wait for news of a table. What the news is stands in the log."""

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from tutor.store.live import Channel, Log

Name = tuple[str, Channel]


class Bell:
    def __init__(self, log: Log) -> None:
        self.down = False
        """Whether the store does not answer."""
        self._log = log
        self._waiting: defaultdict[Name, set[threading.Event]] = defaultdict(set)

    def start(self) -> None:
        threading.Thread(target=self._log.listen, args=(self.ring, self._turn), daemon=True).start()

    @contextmanager
    def waiting(self, code: str, *channels: Channel) -> Iterator[threading.Event]:
        """An event that is set whenever there may be news. Whoever clears it before looking misses none."""
        news = threading.Event()
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
        for news in tuple(self._waiting.get((code, channel), ())):
            news.set()

    def _turn(self, down: bool) -> None:
        """The store is gone, or back: everybody looks."""
        self.down = down
        for waiting in tuple(self._waiting.values()):
            for news in tuple(waiting):
                news.set()
