"""Each request has a name: the one that a believed proxy gave it, or one of our own. It goes back with the
answer, into the lines of the log, and onto the page of an error of ours, so that a person can quote it.
"""

import re
import secrets
from contextvars import ContextVar

from flask import Flask, Response, request

HEADER = "X-Request-ID"
ENDPOINT = "tutor.endpoint"
WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{1,64}")

_current: ContextVar[str] = ContextVar("request_id", default="")
"""Not a part of Flask's request, which is over when the server finds that a stream has failed."""


def current() -> str:
    """The name of the request that is being answered; empty outside of any."""
    return _current.get()


def forget() -> None:
    """What follows does not belong to any request."""
    _current.set("")


def init(app: Flask) -> None:
    @app.before_request
    def name() -> None:
        given = request.headers.get(HEADER, "")  # of a proxy: see `proxy`
        _current.set(given if WELL_FORMED.fullmatch(given) else secrets.token_hex(8))
        request.environ[ENDPOINT] = request.endpoint  # for the server, when Flask is done with the request

    @app.after_request
    def tell(response: Response) -> Response:
        response.headers[HEADER] = current()
        return response
