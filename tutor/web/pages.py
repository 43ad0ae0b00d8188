"""Home, the page of a game, its fixed pictures, and permalinks."""

from base64 import b64encode
from hashlib import sha256

from flask import Blueprint, Response, abort, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from tutor.teach.scene import Scene
from tutor.web import i18n
from tutor.web.shelf import shelf

bp = Blueprint("pages", __name__)

YEAR = 365 * 24 * 3600


@bp.get("/")
def root() -> AnyResponse:
    answer = redirect(url_for("pages.home", lang=i18n.preferred()))
    answer.vary.update(("Accept-Language", "Cookie"))
    return answer


@bp.get("/<lang:lang>/")
def home(lang: str) -> AnyResponse:
    games = [_card(name, lang) for name in shelf().library.games]
    return remember(make_response(render_template("pages/home.html", games=games)), lang=lang)


@bp.get("/<lang:lang>/<game>/")
def game(lang: str, game: str) -> AnyResponse:
    course = shelf().course(game)
    kept = request.cookies.get(f"step-{game}", "")
    step, _, path = kept.partition("|")
    page = render_template(
        "pages/game.html",
        **_card(game, lang),
        resume=course.lesson.by_id.get(step),
        resume_path=path if path == "full" else "",
        lesson=course.lesson,
    )
    return remember(make_response(page), lang=lang)


def _card(game: str, lang: str) -> dict[str, object]:
    course = shelf().course(game)
    scene = Scene(state=course.book.game.setup({}), words=course.book.words[lang], seat=1, compact=True)
    return {
        "game": game,
        "texts": course.texts[lang],
        "file": course.book.file,
        "picture": shelf().picture(game, scene),
    }


@bp.get("/picture/<game>/<name>.svg")
def picture(game: str, name: str) -> Response:
    """A fixed picture of a game. Its address carries the content's version, so it can be kept."""
    drawing = shelf().drawings.get(game)
    if drawing is None or name not in drawing.pictures:
        abort(404)
    svg = drawing.picture(name)
    answer = Response(svg, mimetype="image/svg+xml")
    answer.cache_control.public = True
    answer.cache_control.max_age = YEAR if request.args.get("v") == shelf().version else 300
    style = svg.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    answer.headers["Content-Security-Policy"] = f"default-src 'none'; style-src 'sha256-{digest}'"
    return answer


@bp.get("/r/<entry>")
def permalink(entry: str) -> AnyResponse:
    """A rule, ruling or edition note by its id, in the reader's language."""
    game = shelf().store.game_of(entry)
    if game is None:
        abort(404)
    answer = redirect(url_for("rules.page", lang=i18n.preferred(), game=game, _anchor=entry))
    answer.vary.update(("Accept-Language", "Cookie"))
    return answer


def same_page(lang: str) -> str:
    """The address of this page in another language: same step, same moves."""
    if not request.endpoint or "lang" not in (request.view_args or {}):
        return url_for("pages.home", lang=lang)
    values = {**(request.view_args or {}), **request.args.to_dict(), "lang": lang}
    return url_for(request.endpoint, **values)


def remember(answer: AnyResponse, **kept: str) -> AnyResponse:
    """Keeps small choices of the reader (language, step of a lesson) in cookies, for a year."""
    for name, value in kept.items():
        if request.cookies.get(name) != value:
            answer.set_cookie(
                name, value, max_age=YEAR, samesite="Lax", httponly=True, secure=request.is_secure
            )
    return answer
