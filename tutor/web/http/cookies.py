"""The small choices of a reader, kept for a year: language, screen of a lesson, printed edition."""

from flask import Flask, g, request
from werkzeug.wrappers import Response

from tutor.lessons.course import Course
from tutor.lookup.editions import boxes

YEAR_SECONDS = 365 * 24 * 3600


def init(app: Flask) -> None:
    @app.after_request
    def keep_language(answer: Response) -> Response:
        """Whoever reads a page in a language gets the next one in it, too."""
        named = (request.view_args or {}).get("lang")
        if named and g.get("lang") == named and answer.status_code == 200 and answer.mimetype == "text/html":
            with_choices(answer, lang=named)
        return answer


def with_choices(answer: Response, **kept: str) -> Response:
    """The answer with a cookie for each choice that the browser does not have yet."""
    for name, value in kept.items():
        if request.cookies.get(name) != value:
            answer.set_cookie(
                name, value, max_age=YEAR_SECONDS, samesite="Lax", httponly=True, secure=request.is_secure
            )
    return answer


def place_cookie(game: str) -> str:
    """Of the screen that a learner saw last. Browsers have had it by this name since 0.1."""
    return f"step-{game}"


def box_cookie(game: str) -> str:
    return f"box-{game}"


def read_box(course: Course) -> str:
    """The printed edition that this reader says is on the table, if it is one of this game."""
    box = request.cookies.get(box_cookie(course.book.id), "")
    return box if box in boxes(course) else ""
