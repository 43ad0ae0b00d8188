"""The one place that reads htmx's headers. Answers that depend on them say so by Vary (see cache)."""

from flask import Flask
from htmx_flask import Htmx
from htmx_flask import request as hx_request

VARY = "HX-Request, HX-Boosted, HX-History-Restore-Request"


def init(app: Flask) -> None:
    Htmx(app)


def wants_fragment() -> bool:
    """Whether htmx asks for a part of a page; a boosted link and a step back in history ask for all of it."""
    htmx = hx_request.htmx
    return bool(htmx) and not htmx.boosted and not htmx.history_restore_request
