"""The one place that reads htmx's headers."""

from flask import Flask, Response
from htmx_flask import Htmx
from htmx_flask import request as hx_request


def init(app: Flask) -> None:
    Htmx(app)

    @app.after_request
    def vary(response: Response) -> Response:
        # A fragment and a whole page share an address; caches must tell them apart.
        response.vary.add("HX-Request")
        return response


def wants_fragment() -> bool:
    """Whether htmx asks for a part of a page rather than a page (a boosted link asks for the page)."""
    return bool(hx_request.htmx) and not bool(hx_request.htmx.boosted)
