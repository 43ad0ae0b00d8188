"""How the server is, for programs that watch over it: no page, no cookie, no limit, under any name."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from shutil import disk_usage

from flask import Blueprint, Response, current_app
from gevent import Timeout

from tutor.live.log import Full, Unavailable
from tutor.search.opening import Rebuilding
from tutor.web.http import address
from tutor.web.http.shelf import shelf
from tutor.web.live.tables import tables

STORE_TIMEOUT_SECONDS = 1.5
"""How long to wait for a store, so that the answer comes within two seconds."""
LEAST_FREE_BYTES = 4 * 1024 * 1024
"""Bytes; SQLite writes a log beside its file before it writes to the file."""
OK, DOWN, SLOW = "ok", "down", "slow"

bp = Blueprint("health", __name__)
ALIVE, READY = address.HEALTH


@bp.get(ALIVE)
def alive() -> Response:
    """The worker's loop goes round, or nobody would read this."""
    return _report({"server": OK})


@bp.get(READY)
def ready() -> Response:
    """Whether the stores answer, and the live tables' can grow."""
    return _report({"live": _ask(_live), "rulebook": _ask(_fingerprint)})


def _live() -> None:
    tables().log.count()
    where = current_app.config["LIVE"]
    if "://" not in where and disk_usage(Path(where).parent).free < LEAST_FREE_BYTES:
        raise Full("there is no room left on the disk of the live tables")


def _fingerprint() -> str:
    return shelf().store.fingerprint


def _ask(store: Callable[[], object]) -> str:
    try:
        with Timeout(STORE_TIMEOUT_SECONDS):
            store()
    except Timeout:
        return SLOW
    except (Unavailable, Rebuilding, sqlite3.Error):
        return DOWN
    return OK


def _report(found: dict[str, str]) -> Response:
    text = "".join(f"{name} {word}\n" for name, word in found.items())
    status = 200 if set(found.values()) == {OK} else 503
    return Response(text, status, mimetype="text/plain", headers={"Cache-Control": "no-store"})
