"""The file of live tables: how it is made, opened, kept private and told apart from others at its place."""

import errno
import fcntl
import logging
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tutor.live.log.base import Damaged, Full, Unavailable, refuse_newer
from tutor.live.log.schema import bring_up, version_of

log = logging.getLogger(__name__)

BUSY_SECONDS = 3.0
"""How long to wait for other writers."""
SQLITE_BUSY_SECONDS = 0.02
"""How long SQLite itself waits for them; meanwhile this process serves nobody."""
BESIDE = ("", "-wal", "-shm")
"""The file, and those that SQLite keeps beside it."""
PRIVATE_MODE = 0o600
"""The tokens of all tables are signed with what is in the file."""

FULL = ("SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", errno.ENOSPC, errno.EDQUOT)
READ_ONLY = ("SQLITE_READONLY", "SQLITE_IOERR_SHMOPEN", errno.EACCES, errno.EPERM, errno.EROFS)
DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
HELD = ("SQLITE_BUSY", "SQLITE_LOCKED")


@contextmanager
def answering() -> Iterator[None]:
    """Says in the words of the log what is wrong with the file, and what can be done."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")  # Python's own errors have none
        raise _fault(name, f"{error} ({name})") from error
    except OSError as error:
        raise _fault(error.errno, str(error)) from error


def _fault(name: str | int | None, told: str) -> Unavailable:
    def among(names: tuple[str | int, ...]) -> bool:
        return any(name == one or (isinstance(name, str) and name.startswith(str(one))) for one in names)

    if among(FULL):
        return Full(f"{told}: nothing new is kept until there is room on its disk")
    if among(READ_ONLY):
        return Full(f"{told}: nothing new is kept until this user may write the file and its folder")
    if among(DAMAGED):
        return Damaged(f"{told}: the file is damaged, and is being mended")
    if among(HELD):
        return Unavailable(f"{told}: another program has held the file for too long; end that one")
    return Unavailable(f"{told}: see what is at that place")


@dataclass(frozen=True, slots=True)
class Connection:
    db: sqlite3.Connection
    file: tuple[int, ...]

    def is_to(self, path: Path) -> bool:
        """False if the file was deleted, replaced, or given to others: a connection does not notice."""
        try:
            return self.file == identity(path)
        except OSError:
            return False


def identity(path: Path) -> tuple[int, ...]:
    found = path.stat()
    return found.st_dev, found.st_ino, found.st_uid, found.st_gid, found.st_mode


def connect(path: Path) -> Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    with alone_in(path.parent):
        if not path.exists():
            # Left by a file that was deleted; SQLite would take them for the new one's.
            for beside in BESIDE[1:]:
                Path(f"{path}{beside}").unlink(missing_ok=True)
            path.touch(PRIVATE_MODE, exist_ok=False)  # SQLite would not tell why it cannot
        _narrow(path)
        file = identity(path)
        # Transactions are begun and ended by hand.
        db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            refuse_newer(version_of(db))
            db.execute("pragma journal_mode = wal")
            db.execute("pragma synchronous = normal")
            bring_up(db)
            db.execute(f"pragma busy_timeout = {round(SQLITE_BUSY_SECONDS * 1000)}")
        except (sqlite3.Error, Unavailable):
            db.close()
            raise
    return Connection(db, file)


def _narrow(path: Path) -> None:
    """Takes from a file of ours what rights others have. SQLite gives new ones beside it the same rights."""
    wide = False
    for each in (Path(f"{path}{beside}") for beside in BESIDE):
        with suppress(FileNotFoundError):
            found = each.stat()
            ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
            if ours and found.st_mode & 0o777 & ~PRIVATE_MODE:
                each.chmod(found.st_mode & PRIVATE_MODE)
                wide = True
    if wide:
        log.warning("%s could be read by others: now only its owner may read it", path)


def wait_for_writers(work: Callable[[], object]) -> None:
    """Does the work once other writers are done, and lets the rest of the process go on meanwhile."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            work()
            return
        except sqlite3.OperationalError as error:
            held = getattr(error, "sqlite_errorname", "").startswith(HELD)
            if not held or time.monotonic() > until:
                raise
        time.sleep(SQLITE_BUSY_SECONDS / 4)


def _lock(handle: int, folder: Path) -> None:
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise Unavailable(f"somebody holds a lock on {folder}") from None
            time.sleep(0.01)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """One at a time makes the file and opens it: SQLite does not wait for others in every step of that.

    Others may hold the lock for ever, on purpose: nobody waits for them longer than for SQLite itself.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        _lock(handle, folder)
        yield
    finally:
        fcntl.flock(handle, fcntl.LOCK_UN)  # gevent closes later, and others would wait for that
        os.close(handle)
