"""The one place that reads htmx's headers. Answers that depend on them say so by Vary (see cache)."""

from flask import Flask
from htmx_flask import Htmx
from htmx_flask import request as hx_request


def init(app: Flask) -> None:
    Htmx(app)


def wants_fragment() -> bool:
    """Whether htmx asks for a part of a page rather than a page (a boosted link asks for the page)."""
    return bool(hx_request.htmx) and not bool(hx_request.htmx.boosted)
