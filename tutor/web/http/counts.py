"""Counts that all workers of a server share, for limits on what somebody may ask: a storage of `limits`.

They lie in memory that is made before the workers are forked. Its size is fixed, so whoever invents addresses
pushes out other counts, oldest first, but never fills anything. Where live tables are kept in a Redis, the
counts are there, too: see `open_counts`.
"""

import fcntl
import hashlib
import mmap
import struct
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from limits.storage import RedisStorage, Storage

SLOTS, WAYS = 1 << 16, 8
"""Counts that are kept, and places among which each has its own."""
SLOT = struct.Struct("=QdQ")
"""The key's hash, when the count ends, the count."""
PATIENCE = 0.25
"""Seconds for which a Redis is waited for. Counting is not worth more."""


def open_counts(address: str) -> Storage:
    """The counts in the Redis of that address, shared by all machines that use it."""
    return RedisStorage(
        address.replace("unix://", "redis+unix://", 1),
        key_prefix="tutor:limits",
        socket_timeout=PATIENCE,
        socket_connect_timeout=PATIENCE,
    )


class SharedCounts(Storage):
    """Counts in windows of time, each from its first event on. What is not kept any more counts as none."""

    STORAGE_SCHEME = None  # found by nobody but us

    def __init__(self) -> None:
        super().__init__()
        self._memory = mmap.mmap(-1, SLOTS * SLOT.size)
        # Processes lock a few bytes of a file that has no name; their threads share such locks.
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  # for as long as the counts
        self._lock = Lock()

    @property
    def base_exceptions(self) -> type[Exception]:
        return OSError

    def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        digest = _digest(key)
        with self._alone(digest):
            at, ends, count = self._find(digest)
            if not count:
                ends = time.monotonic() + expiry
            SLOT.pack_into(self._memory, at, digest, ends, count + amount)
        return count + amount

    def get(self, key: str) -> int:
        digest = _digest(key)
        with self._alone(digest):
            return self._find(digest)[2]

    def get_expiry(self, key: str) -> float:
        """By the clock of the wall, as `limits` wants it."""
        digest = _digest(key)
        with self._alone(digest):
            _, ends, count = self._find(digest)
        return time.time() + (max(0.0, ends - time.monotonic()) if count else 0.0)

    def check(self) -> bool:
        return True

    def reset(self) -> int:
        self._memory[:] = bytes(len(self._memory))
        return SLOTS

    def clear(self, key: str) -> None:
        digest = _digest(key)
        with self._alone(digest):
            at, _, count = self._find(digest)
            if count:
                SLOT.pack_into(self._memory, at, 0, 0.0, 0)

    def _find(self, digest: int) -> tuple[int, float, int]:
        """The place of a count, its end and what it is now; of a new one, the place that is free first."""
        first = _set_of(digest) * WAYS * SLOT.size
        places = range(first, first + WAYS * SLOT.size, SLOT.size)
        now, free, soonest = time.monotonic(), first, float("inf")
        for at in places:
            known, ends, count = SLOT.unpack_from(self._memory, at)
            if known == digest and ends > now:
                return at, ends, count
            if ends < soonest:
                free, soonest = at, ends
        return free, 0.0, 0

    @contextmanager
    def _alone(self, digest: int) -> Iterator[None]:
        """Nobody else reads or writes this set of places meanwhile; a worker that dies holds nothing up."""
        with self._lock:
            fcntl.lockf(self._file, fcntl.LOCK_EX, 1, _set_of(digest))
            try:
                yield
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _set_of(digest))


def _digest(key: str) -> int:
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest())


def _set_of(digest: int) -> int:
    return digest % (SLOTS // WAYS)
