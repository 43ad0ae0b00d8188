"""What a file of live tables looks like inside, and how one of an older version becomes one of ours.

A file that says 0 is new, or was written by 0.5.1, which did not count. Older programs may still have a file
open that was brought up to date, so what they know of it stays as they know it.
"""

import sqlite3

from tutor.live.log.base import SCHEMA, refuse_newer

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "create table if not exists tables (code text primary key, touched real not null) without rowid",
        # The number tells the order of all events of the file, and is never used again.
        """create table if not exists events (
            number integer primary key autoincrement,
            code text not null,
            channel text not null,
            version integer not null,
            body text not null,
            unique (code, channel, version)
        )""",
        # When the file was last seen in use: time that passes while nobody sees it does not count as silence.
        "create table clock (seen real not null)",
        "insert into clock select coalesce(max(touched), 0) from tables",
    ),
)
"""What makes a file of each version one of the next."""
assert len(MIGRATIONS) == SCHEMA


def version_of(db: sqlite3.Connection) -> int:
    return int(db.execute("pragma user_version").fetchone()[0])


def bring_up(db: sqlite3.Connection) -> None:
    """Makes a file of any older version one of ours, in one step. Nobody else opens it meanwhile."""
    found = version_of(db)
    refuse_newer(found)
    if found == SCHEMA:
        return
    db.execute("begin immediate")
    try:
        for step in (step for steps in MIGRATIONS[found:] for step in steps):
            db.execute(step)
        db.execute(f"pragma user_version = {SCHEMA}")
        db.execute("commit")
    except sqlite3.Error:
        db.rollback()
        raise
