"""Home, the page of a game, its fixed pictures, permalinks, and what crawlers are asked to leave alone."""

from flask import Blueprint, Response, abort, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from tutor.lessons.scene import Scene
from tutor.web.http import address, files, i18n
from tutor.web.http.cache import keep_page_by
from tutor.web.http.cookies import place_cookie
from tutor.web.http.links import redirect_by_language, ruling_address
from tutor.web.http.played import Continued, find_continued
from tutor.web.http.shelf import shelf

bp = Blueprint("pages", __name__)

ROBOTS = "User-agent: *\n" + "".join(f"Disallow: /*?*{name}=\n" for name in address.TRIED)


@bp.get("/")
def root() -> AnyResponse:
    return redirect_by_language(url_for("pages.home", lang=i18n.preferred_language()))


@bp.get("/robots.txt")
def robots() -> Response:
    return Response(ROBOTS, mimetype="text/plain")


@bp.get("/<lang:lang>/")
def home(lang: str) -> AnyResponse:
    return _home(lang=lang, playing=tuple(find_continued()))


@keep_page_by(vary="Cookie")
def _home(lang: str, playing: tuple[Continued, ...]) -> str:
    """`playing` are the matches that this reader can go on with."""
    games = [_card(name, lang) for name in shelf().library.games]
    return render_template("site/pages/home.html", games=games, playing=playing)


@bp.get("/<lang:lang>/<game>/")
def game(lang: str, game: str) -> AnyResponse:
    resume = request.cookies.get(place_cookie(game), "")
    known = resume in shelf().course(game).lessons.screens
    playing = tuple(one for one in find_continued() if one.game == game)
    return _game(lang=lang, game=game, resume=resume if known else "", playing=playing)


@keep_page_by(vary="Cookie")
def _game(lang: str, game: str, resume: str, playing: tuple[Continued, ...]) -> str:
    """`resume` is the screen that this reader saw last, `playing` are the matches to go on with."""
    course = shelf().course(game)
    return render_template(
        "site/pages/game.html",
        **_card(game, lang),
        resume=course.lessons.screens.get(resume),
        lessons=course.lessons.all,
        words=course.book.words[lang],
        playing=playing,
    )


@bp.app_template_global()
def offers(game: str) -> frozenset[str]:
    """What a game has to look up beside its rules; pages do not mention the rest."""
    return shelf().offers[game]


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
    """A fixed picture of a game, for good if the address carries its hash."""
    body = files.picture(game, name)
    if body is None:
        abort(404)
    return body.answer(files.FOR_GOOD if request.args.get("v") == body.hash else files.FOR_NOW)


@bp.get("/r/<entry>")
def permalink(entry: str) -> AnyResponse:
    """A rule, ruling, edition note or piece by its id, in the reader's language."""
    courses = shelf().courses.items()
    # An address is kept for ever, so a rule that is no longer shown still leads to its rulebook.
    technical = (name for name, course in courses if entry in course.book.facts.rules)
    game = shelf().store.game_of(entry) or next(technical, None)
    lang = i18n.preferred_language()
    if game is None:
        game = shelf().pieces.get(entry)
        if game is None:
            abort(404)
        where = url_for("pieces.page", lang=lang, game=game, _anchor=entry)
    elif entry in shelf().courses[game].book.facts.rulings:
        where = ruling_address(game, entry, lang)
    else:
        where = url_for("rules.page", lang=lang, game=game, _anchor=entry)
    return redirect_by_language(where)
