"""What is wrong with a store is told in the log twice: when it begins, and when it is over.

Each process tells what it sees. Work that mends a store holds nobody up.
"""

import logging
import time
from collections.abc import Callable, Collection

log = logging.getLogger(__name__)

CALM = 5.0
"""Seconds without the fault after which it is over: one that comes and goes is told once."""


class Trouble:
    def __init__(self, store: str) -> None:
        """`store` is what the log calls it."""
        self._store = store
        self._last: dict[str, float] = {}

    def begins(self, kind: str, told: str) -> None:
        """Something of this kind is wrong: what it is, and what can be done."""
        if kind not in self._last:
            log.warning("%s: %s", self._store, " ".join(told.split()))
        self._last[kind] = time.monotonic()

    def ends(self, but: Collection[str] = ()) -> None:
        """The store has answered, which proves that all is well, `but` perhaps for faults of these kinds."""
        for kind, last in tuple(self._last.items()):
            if kind not in but and time.monotonic() - last > CALM:
                self._last.pop(kind, None)
                if not self._last:
                    log.warning("%s: all is well again", self._store)


def away(work: Callable[[], None]) -> None:
    """Does what takes long in a thread of its own, where the server has a loop that must go on."""
    from gevent.monkey import get_original  # as late as possible: most programs never need it

    def run() -> None:
        try:
            work()
        except Exception:
            log.exception("a store could not be mended")

    get_original("_thread", "start_new_thread")(run, ())
