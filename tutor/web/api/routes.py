"""The addresses of the API: each operation as a view."""

import re
from typing import Any

from flask import Blueprint, Flask, Response, current_app, g, request

from tutor.referee import programs
from tutor.rules.errors import InvalidOption, RulesError, quote_input
from tutor.rules.options import Whole
from tutor.web.api.operations import BASE, FOR_A_WHILE, OPERATIONS, Operation, Parameters, parameters
from tutor.web.http import address, cache, i18n

bp = Blueprint("api", __name__)

NEVER_KEPT = ("Cache-Control", "no-store")
CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, HEAD, POST, OPTIONS",
    "Access-Control-Allow-Headers": "Content-Type, If-None-Match",
    "Access-Control-Expose-Headers": "ETag, Retry-After",
    "Access-Control-Max-Age": "86400",
}
"""Any page may ask: there is nothing here that only its reader may see."""
_WHOLE = re.compile("[0-9]{1,6}")


def _route(of: Operation) -> None:
    def view(**parts: str) -> Response:
        g.lang = i18n.language_for_programs()
        params = Parameters(**{**read(of), "lang": g.lang})
        sent = [programs.read(request.get_data())] if of.body else []
        return _answer(current_app.extensions["aside"](lambda: of.run(params, *sent, **parts)), of)

    bp.add_url_rule(BASE + of.path, of.name, view, methods=[of.method], strict_slashes=False)


for one in OPERATIONS.values():
    _route(one)


def read(of: Operation) -> dict[str, Any]:
    """The parameters as they were given. Raises InvalidOption for one that means nothing."""
    table, values = parameters(), {}
    for name, given in request.args.lists():
        if name not in of.parameters:
            raise InvalidOption("option", option=quote_input(name))
        if len(given) > 1:
            raise RulesError("request", value=quote_input("&".join(f"{name}={value}" for value in given)))
        text = given[0]
        number = isinstance(table[name], Whole) and _WHOLE.fullmatch(text)
        values[name] = table[name].read(name, int(text) if number else text, 0)
    return values


def _answer(made: Any, of: Operation) -> Response:
    status = 200
    if isinstance(made, programs.Answer) and made.error:
        status = 500 if made.error.code == "internal" else 422
    kept = NEVER_KEPT if of.body else FOR_A_WHILE
    return cache.json(made, g.lang).answer(kept, status=status)


def init(app: Flask) -> None:
    app.extensions["pieces"] = {}

    @app.after_request
    def open_to_all(response: Response) -> Response:
        if address.is_for_programs():
            response.headers.update(CORS)
        return response
