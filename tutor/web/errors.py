"""The one place that turns exceptions into pages, in the reader's language."""

import logging

from flask import Flask, g, render_template, request
from werkzeug.exceptions import HTTPException, InternalServerError

from tutor.book.words import LANGUAGES
from tutor.rules.errors import RulesError
from tutor.teach.practice import TooLong
from tutor.web.shelf import shelf

log = logging.getLogger(__name__)


def init(app: Flask) -> None:
    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> tuple[str, int]:
        return page(error.code or 500), error.code or 500

    @app.errorhandler(RulesError)
    def bad_text(error: RulesError) -> tuple[str, int]:
        """A move or position in the address that means nothing."""
        game = (request.view_args or {}).get("game", "")
        lang = g.get("lang", "en")
        book = shelf().library.games.get(game)
        message = book.words[lang].errors[error.code].text(book.words[lang], error.values) if book else ""
        return page(400, message), 400

    @app.errorhandler(TooLong)
    def too_long(error: TooLong) -> tuple[str, int]:
        return page(400), 400

    @app.errorhandler(Exception)
    def bug(error: Exception) -> tuple[str, int]:
        log.exception("unhandled %s at %s", type(error).__name__, request.path)
        return page(InternalServerError.code), InternalServerError.code


def page(status: int, message: str = "") -> str:
    """An error page. The language is that of the address, even where nothing else in it fits."""
    first = request.path.split("/")[1] if "/" in request.path else ""
    if "lang" not in g and first in LANGUAGES:
        g.lang = first
    return render_template("pages/error.html", status=status, message=message)
