"""Live tables: an append-only log of events per table, in a file or, for many machines, in Redis."""

import os
from pathlib import Path

from tutor.live.log.base import (
    SCHEMA,
    Channel,
    Damaged,
    Event,
    Full,
    Log,
    Newer,
    NoTable,
    Stale,
    Taken,
    Unavailable,
)
from tutor.live.log.sqlite import SqliteLog

__all__ = [
    "SCHEMA",
    "Channel",
    "Damaged",
    "Event",
    "Full",
    "Log",
    "Newer",
    "NoTable",
    "Stale",
    "Taken",
    "Unavailable",
    "open_log",
    "open_matches",
    "place_of",
]

SILENCE_SECONDS = 86_400
"""After this long without a new event a table is forgotten."""

MATCH_SILENCE_SECONDS = 30 * 86_400
"""After which a played game is forgotten to which nothing is added."""


def place_of(database: Path) -> str:
    """Where live tables are kept: as TUTOR_LIVE says, or beside the database of the rulebooks."""
    return os.environ.get("TUTOR_LIVE", "") or str(database.with_name("live.db"))


def open_matches(where: str) -> Log:
    """The log of played games, beside that of the live tables."""
    if "://" in where:
        return open_log(where, MATCH_SILENCE_SECONDS, "tutor-play")
    return open_log(str(Path(where).with_name("matches.db")), MATCH_SILENCE_SECONDS)


def open_log(where: str, silence: float = SILENCE_SECONDS, space: str = "tutor") -> Log:
    """The log in a Redis, by its address, or in a file. It need not be there yet. In a Redis there may be
    several, each in a space of its own. Raises ValueError for an address that is none."""
    if where.startswith(("redis://", "rediss://", "unix://")):
        # Its client takes longer to import than all the rest of the log, and most sites have a file.
        from tutor.live.log.streams import RedisLog

        return RedisLog(where, silence, space)
    if "://" in where:
        raise ValueError(f"{where}: live tables are kept in a file, or at redis://, rediss:// or unix://")
    return SqliteLog(Path(where), silence)
