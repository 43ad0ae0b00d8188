"""The one place that turns exceptions into pages, or JSON for programs, in the reader's language."""

import json
import logging
import sqlite3
from http import HTTPStatus
from typing import NoReturn

from flask import Flask, Response, g, render_template, request
from werkzeug.exceptions import HTTPException

from tutor.book.words import LANGUAGES
from tutor.lessons.practice import MOST_MOVES_ON_A_SCREEN, TooLong
from tutor.live.log import NoTable, Unavailable
from tutor.live.tables import Crowded, Removed, TooManyTables
from tutor.referee import programs
from tutor.rules.errors import RulesError
from tutor.search.opening import Rebuilding
from tutor.web.http import address, cache, i18n, meter, request_id
from tutor.web.http.shelf import shelf

log = logging.getLogger(__name__)

CODES = {
    404: "not-found",
    405: "method",
    413: "too-long",
    414: "too-long",
    429: "too-many",
    500: "internal",
    503: "unavailable",
}
"""Error codes for programs, where neither a move nor a parameter is at fault."""
REBUILD_SECONDS = "10"
"""Roughly how long it takes to rebuild the index of the rules."""
LONGEST_CODE_CHARS = 12
"""As many as the input for a code takes."""


class NotThere(RulesError):
    """A game, rule or term by a name that nothing has."""


def init(app: Flask) -> None:
    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> Response:
        # A form whose end does not come looks to werkzeug as if somebody had hung up.
        late = isinstance(error.__context__, TimeoutError)
        answer = page(408 if late else error.code or 500)
        answer.headers.extend([pair for pair in error.get_headers() if pair[0] != "Content-Type"])  # Allow
        return answer

    @app.errorhandler(RulesError)
    @app.errorhandler(TooLong)
    def bad_text(error: RulesError | TooLong) -> Response:
        """A move or position in the address that means nothing."""
        return page(404 if isinstance(error, NotThere) else 400, error)

    @app.errorhandler(NoTable)
    @app.errorhandler(Unavailable)
    @app.errorhandler(TooManyTables)
    @app.errorhandler(Crowded)
    def no_table(error: Exception) -> Response:
        """A live table that is not there, or cannot be reached."""
        if isinstance(error, Unavailable):
            meter.current.count_failure("live")
        return page(404 if isinstance(error, NoTable) else 503, error)

    @app.errorhandler(Rebuilding)
    def rebuilding(error: Rebuilding) -> Response:
        """A page that needs the index of the rules while it is being rebuilt."""
        meter.current.count_failure("rulebook")
        answer = page(503, error)
        answer.headers["Retry-After"] = REBUILD_SECONDS
        return answer

    @app.errorhandler(Removed)
    def show_removed(error: Removed) -> Response:
        """A live table that shows something this version does not have."""
        return page(410, error)

    @app.errorhandler(Exception)
    def bug(error: Exception) -> Response:
        if isinstance(error, sqlite3.Error):
            meter.current.count_failure("rulebook")
        log.exception("unhandled %s at %s", type(error).__name__, address.mask_path(request.path))
        return page(500)


def raise_bugs(app: Flask) -> None:
    """From now on what goes wrong is raised to whoever asks for a page, and no error page is made of it."""

    def fail(error: Exception) -> NoReturn:
        raise error

    app.config["PROPAGATE_EXCEPTIONS"] = True
    app.register_error_handler(Exception, fail)


def page(status: int, error: Exception | None = None) -> Response:
    """An error page. Whatever is wrong, it does not fail itself: at worst it is very plain."""
    try:
        return _json(status, error) if address.is_for_programs() else _page(status, error)
    except Exception:
        log.exception("no page for error %s at %s", status, address.mask_path(request.path))
        phrase = HTTPStatus(status).phrase
        if address.is_for_programs():
            fault = {"error": {"code": CODES.get(status, "request"), "message": phrase}}
            return Response(json.dumps(fault), status, mimetype="application/json")
        title, number = f"<title>{status}</title>", f"<p>{request_id.current()}</p>" if status == 500 else ""
        return Response(f'<!doctype html><html lang="en">{title}<h1>{status} {phrase}</h1>{number}', status)


def _json(status: int, error: Exception | None) -> Response:
    g.lang = i18n.language_for_programs()
    if isinstance(error, programs.Unreadable) and error.lang:
        g.lang = error.lang
    if isinstance(error, RulesError):
        made = programs.fault(shelf().library, error, g.lang)
    else:
        message = _message(error) if isinstance(error, Rebuilding) else ""
        message = message or render_template("http/_error.html", status=status).strip()
        made = programs.Answer(error=programs.Fault(CODES.get(status, "request"), message))
    return cache.json(made, g.lang).answer(("Cache-Control", "no-store"), status=status)


def _page(status: int, error: Exception | None) -> Response:
    """The language is that of the address, even where nothing else in it fits."""
    first = request.path.split("/")[1]
    if "lang" not in g and first in LANGUAGES:
        g.lang = first
    games = [(name, course.texts[i18n.current()].title) for name, course in shelf().courses.items()]
    message = _message(error) if error else ""
    if message or status == 500:  # these tell of this one request
        values = {
            "message": message,
            "games": games,
            "no_table": isinstance(error, NoTable),
            **_known_of_request(),
        }
        values["removed"] = error if isinstance(error, Removed) else None
        html = render_template("http/error.html", status=status, number=request_id.current(), **values)
        return cache.page(html, level=1).answer(status=status)
    key = ("error", status, i18n.current())
    found = cache.pages_for().get(key)
    if found is None:
        html = render_template(
            "http/error.html",
            status=status,
            message="",
            games=games,
            no_table=False,
            removed=None,
            same_page=address.home_page,
        )
        found = cache.page(html, vary="Accept-Language, Cookie")
        cache.pages_for().put(key, found)
    return found.answer(status=status)


def _known_of_request() -> dict[str, str]:
    """What a page that names the fault keeps of the request: the game, or the code that was typed."""
    given = request.view_args or {}
    if (game := given.get("game", "")) in shelf().courses:
        return {"game": game}
    return {"typed": (request.args.get("code") or given.get("code", ""))[:LONGEST_CODE_CHARS]}


def _message(error: Exception) -> str:
    """What is wrong with a table, or with the moves in the words of their game."""
    if isinstance(error, Rebuilding):
        return render_template("http/_repair.html").strip()
    if not isinstance(error, RulesError | TooLong):
        return render_template("live/_fault.html", fault=type(error).__name__).strip()
    book = shelf().library.games.get((request.view_args or {}).get("game", ""))
    if book is None:
        return ""
    words = book.words[i18n.current()]
    if isinstance(error, TooLong):
        return words.errors["too-long"].text(words, {"most": MOST_MOVES_ON_A_SCREEN})
    return words.errors[error.code].text(words, error.values)
