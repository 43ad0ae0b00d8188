"""What the server writes: faults always, on stderr; with TUTOR_LOG=plain or TUTOR_LOG=json also a line for
each request, on stdout.

A record is one line, or in the plain form one line and others that begin with a space: nothing that a visitor
sends looks like a record of ours. The codes of live tables are left out, as they let in, and so are queries.
Nobody is named: who asked is a number that means the same network until the server is started anew, and that
nobody can turn back into an address.
"""

import hashlib
import json
import logging
import os
import re
import secrets
import threading
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from gunicorn import glogging

from tutor.live.tables import CODE_LENGTH, CODE_LETTERS
from tutor.web.http import address, limit, meter, request_id

FORMS = ("plain", "json")
HEALTH = "health"
NOTHING = "-"

_KEY = secrets.token_bytes(16)
"""Made once, before the workers are forked, and never written down."""
_CODE = re.compile(rf"(?<!\w)[{CODE_LETTERS}]{{{CODE_LENGTH}}}(?!\w)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Wanted(NamedTuple):
    """What TUTOR_LOG asks for."""

    json: bool = False
    requests: bool = False
    health: bool = False
    """Also those that ask how the server is."""

    @classmethod
    def parse(cls, text: str) -> "Wanted":
        """Raises ValueError for an unknown form."""
        words = [word.strip() for word in text.split(",") if word.strip()]
        form, *more = words or [""]
        if form not in (*FORMS, "") or more not in ([], [HEALTH]):
            raise ValueError(f"TUTOR_LOG is plain or json, with ,health for health checks too, not {text!r}")
        return cls(form == "json", bool(form), bool(more))


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def who(remote: str) -> str:
    """A number for the visitor, counted the way the limits count."""
    return hashlib.blake2b(limit.network(remote).encode(), key=_KEY, digest_size=4).hexdigest()


def _without_codes(text: str) -> str:
    return _CODE.sub("*", text)


class Plain(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        about = (now(), request_id.current() or NOTHING, record.levelname.lower(), record.name)
        lines = [_visible(record.getMessage()), *(f"    {_visible(line)}" for line in self.trace(record))]
        return _without_codes(" ".join((*about, "\n".join(lines))))

    def trace(self, record: logging.LogRecord) -> list[str]:
        return self.formatException(record.exc_info).split("\n") if record.exc_info else []


def _visible(text: str) -> str:
    """What would begin a line of its own, or act on a terminal, is spelt out."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class Json(Plain):
    def format(self, record: logging.LogRecord) -> str:
        said = {
            "time": now(),
            "id": request_id.current() or None,
            "level": record.levelname.lower(),
            "from": record.name,
            "process": record.process,
            "message": _without_codes(record.getMessage()),
        }
        if trace := self.trace(record):
            said["trace"] = _without_codes("\n".join(trace))
        return json.dumps(said)


class Logger(glogging.Logger):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's, which tells it of each request when it is over; a stream is over when it ends."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        self.wanted = Wanted.parse(os.environ.get("TUTOR_LOG", ""))
        form = Json() if self.wanted.json else Plain()
        for logger in (self.error_log, logging.getLogger()):
            self._set_handler(logger, "-", form)
        threading.excepthook = log_fallen_thread

    def access(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> None:
        if meter.current.on:
            endpoint = environ.get(request_id.ENDPOINT) or ""
            meter.current.count_answer(endpoint, _status(resp), request_time.total_seconds())
        path = environ.get("PATH_INFO", "")
        if self.wanted.requests and (self.wanted.health or path not in address.HEALTH):
            self.access_log.info("%s", self.line(resp, environ, path, request_time))

    def line(self, answer: Any, environ: dict[str, Any], path: str, took: timedelta) -> str:
        said = {
            "time": now(),
            "id": request_id.current() or NOTHING,
            "method": environ.get("REQUEST_METHOD", NOTHING),
            "path": address.mask_path(path.encode("latin-1", "replace").decode("utf-8", "replace")),
            "status": _status(answer),
            "bytes": answer.sent,
            "ms": round(took / timedelta(milliseconds=1), 1),
            "who": who(environ.get("REMOTE_ADDR", "")),
        }
        return json.dumps(said) if self.wanted.json else " ".join(map(str, said.values()))


def _status(answer: Any) -> int:
    return int((answer.status or "0").split()[0])


def log_fallen_thread(thread: threading.ExceptHookArgs) -> None:
    """Logs a fault that ends a thread like any other fault."""
    found = thread.exc_value or thread.exc_type()
    logging.getLogger(__name__).error("a thread has ended", exc_info=found)
