"""The one place that reads htmx's headers. Answers that depend on them say so by Vary (see cache)."""

from flask import Flask
from htmx_flask import Htmx
from htmx_flask import request as hx_request

SCREEN = "screen"
"""The id of the part that a screen's answers replace."""
VARY = "HX-Request, HX-Boosted, HX-Target, HX-History-Restore-Request"


def init(app: Flask) -> None:
    Htmx(app)


def wants_screen() -> bool:
    """Whether the answer will take the place of the screen of a lesson."""
    return bool(hx_request.htmx) and hx_request.htmx.target == SCREEN


def wants_fragment() -> bool:
    """Whether htmx asks for a part of a page rather than a page.

    A boosted link asks for a page, unless it names the screen of a lesson as the place for the answer. Going
    back in the history always needs the page.
    """
    asked = hx_request.htmx
    if not asked or asked.history_restore_request:
        return False
    return not asked.boosted or asked.target == SCREEN
