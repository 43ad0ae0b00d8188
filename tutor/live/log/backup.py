"""A backup of live tables and played games: a portable file, the same for every store; made and put back
while others go on.

A line of JSON for each table or game, after one that says what the file is and before one with a sum over all
of it, so that half a file is not taken for a whole one.
"""

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from tutor.live.log.base import SCHEMA, Log, NoTable, Taken, dump
from tutor.live.matches import id_of

KIND = "live tables of the rules tutor"
MOST_CODES_NAMED = 5
"""A message names this many codes at most."""


_CODE = re.compile(r"\w{1,40}", re.ASCII)


class BadBackup(ValueError):
    """A file that cannot be put back."""


def backup(tables: Log, games: Log, target: Path) -> int:
    """Writes all tables and played games into a file that only its owner can read; how many there were."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    made, count = Path(name), 0
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            digest = hashlib.sha256()
            for line in _lines(tables, games):
                file.write(line)
                digest.update(line.encode())
                count += 1
            file.write(f"{dump({'tables': count - 1, 'sum': digest.hexdigest()})}\n")
            file.flush()
            os.fsync(file.fileno())
        made.replace(target)
    finally:
        made.unlink(missing_ok=True)
    return count - 1


def _lines(*logs: Log) -> Iterator[str]:
    yield f"{dump({'kind': KIND, 'schema': SCHEMA})}\n"
    for log, code in ((one, code) for one in logs for code in one.codes()):
        with suppress(NoTable):  # it has ended meanwhile
            stage, floor = (
                [event.body for event in log.read(code, channel)] for channel in ("stage", "floor")
            )
            yield f"{dump({'code': code, 'stage': stage, 'floor': floor})}\n"


def restore(tables: Log, games: Log, source: Path, replace: bool = False) -> int:
    """Puts all tables and played games of a backup back; how many there are. Raises BadBackup, and Taken,
    before anything is written, if there are some of these codes that are not to be replaced."""
    codes = [table["code"] for table in _tables(source)]
    there = sorted(set(codes) & {*tables.codes(), *games.codes()})
    if there and not replace:
        named = ", ".join(there[:MOST_CODES_NAMED]) + (" ..." if there[MOST_CODES_NAMED:] else "")
        raise Taken(f"tables that are there already: {len(there)} ({named})")
    for table in _tables(source):
        log = games if id_of(table["code"]) else tables  # the id of a game is longer than any code
        log.put(table["code"], table["stage"], table["floor"], replace)
    return len(codes)


def _tables(source: Path) -> Iterator[dict[str, Any]]:
    """What the file says of each table. Only its end shows whether it is complete."""
    digest, count = hashlib.sha256(), 0
    with source.open("rb") as file:
        first = next(file, b"")
        head = _read(first)
        if head.get("kind") != KIND:
            raise BadBackup(f"{source} is not a backup of live tables")
        if not isinstance(head.get("schema"), int) or head["schema"] > SCHEMA:
            raise BadBackup(f"{source} was made by a newer version of this program")
        digest.update(first)
        for line in file:
            table = _read(line)
            if "sum" in table:
                if table != {"tables": count, "sum": digest.hexdigest()}:
                    break
                return
            if not _is_table(table):
                break
            digest.update(line)
            count += 1
            yield table
    raise BadBackup(f"{source} is damaged, or not whole")


def _read(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line, parse_constant=_refuse)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {}


def _refuse(constant: str) -> None:
    """JSON has no NaN; no store would take it."""
    raise ValueError(constant)


def _is_table(told: dict[str, Any]) -> bool:
    def are_events(found: object) -> bool:
        return isinstance(found, list) and all(isinstance(body, dict) for body in found)

    return (
        _CODE.fullmatch(str(told.get("code"))) is not None
        and bool(told.get("stage"))
        and are_events(told["stage"])
        and are_events(told.get("floor"))
    )
