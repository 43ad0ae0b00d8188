"""The small choices of a reader, kept for a year: language, screen of a lesson, where help was needed."""

from flask import request
from werkzeug.wrappers import Response

YEAR = 365 * 24 * 3600


def with_choices(answer: Response, **kept: str) -> Response:
    """The answer with a cookie for each choice that the browser does not have yet."""
    for name, value in kept.items():
        if request.cookies.get(name) != value:
            answer.set_cookie(
                name, value, max_age=YEAR, samesite="Lax", httponly=True, secure=request.is_secure
            )
    return answer
