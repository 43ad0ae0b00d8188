"""Live tables: an append-only log of events per table, in a file or, for many machines, in Redis."""

from pathlib import Path

from tutor.store.live.base import Channel, Event, Full, Log, NoTable, Stale, Taken, Unavailable
from tutor.store.live.sqlite import SqliteLog

__all__ = ["Channel", "Event", "Full", "Log", "NoTable", "Stale", "Taken", "Unavailable", "open_log"]

SILENCE = 86_400
"""Seconds after which a table is forgotten to which nothing is added."""


def open_log(where: str, silence: float = SILENCE) -> Log:
    """The log in a Redis, by its address, or in a file. It need not be there yet."""
    if where.startswith(("redis://", "rediss://", "unix://")):
        # Its client takes longer to import than all the rest of the log, and most sites have a file.
        from tutor.store.live.streams import RedisLog

        return RedisLog(where, silence)
    return SqliteLog(Path(where), silence)
