"""What was made of beats, for all guests of all tables."""

import threading
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any, TypeVar

BEATS_KEPT = 512
"""Beats that are kept, each in one language."""

T = TypeVar("T")


class Kept:
    """What was made of beats. Many ask for the same at the same time: one of them makes it.

    Somebody may go from beat to beat at a table of their own as fast as they can. So the table for which most
    is kept makes room, which no cache of a library knows of."""

    def __init__(self) -> None:
        self._kept: dict[object, Any] = {}
        self._by_table: defaultdict[str, deque[object]] = defaultdict(deque)
        """What was made for each table, oldest first."""
        self._making: dict[object, threading.Event] = {}

    def get(self, key: object, make: Callable[[], T], table: str) -> T:
        while key not in self._kept:
            if key in self._making:
                self._making[key].wait()
                continue
            done = self._making[key] = threading.Event()
            try:
                made = make()
                self._make_room(table)
                self._kept[key] = made
                self._by_table[table].append(key)
            finally:
                del self._making[key]
                done.set()
        found: T = self._kept[key]
        return found

    def _make_room(self, table: str) -> None:
        """For one more of a table."""
        while len(self._kept) >= BEATS_KEPT:
            largest = max(self._by_table, key=lambda one: len(self._by_table[one]) + (one == table))
            del self._kept[self._by_table[largest].popleft()]
            if not self._by_table[largest]:
                del self._by_table[largest]
