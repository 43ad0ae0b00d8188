"""Where printed editions differ, and which of them a reader says is on the table."""

from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from markupsafe import Markup

from tutor.book.texts import Entry
from tutor.lookup.editions import boxes, changes, notes
from tutor.search.opening import Rebuilding
from tutor.search.quotes import mark_quotations
from tutor.web.http import i18n
from tutor.web.http.cache import keep_page_by
from tutor.web.http.cookies import box_cookie, read_box, with_choices
from tutor.web.http.shelf import shelf

bp = Blueprint("editions", __name__)

PAGES = ("editions.page", "rules.page")
"""Where the question is asked, and where its answer leads back to."""


@bp.get("/<lang:lang>/<game>/editions")
def page(lang: str, game: str) -> Any:
    return _page(lang=lang, game=game, box=read_box(shelf().course(game, "editions")))


@bp.post("/<lang:lang>/<game>/editions")
def choose(lang: str, game: str) -> Any:
    """Keeps the box that is on the table; an empty one takes it back."""
    box, back = request.form.get("box", ""), request.form.get("back", PAGES[0])
    if box not in ("", *boxes(shelf().course(game))) or back not in PAGES:
        abort(400)
    answer = redirect(url_for(back, game=game), 303)
    return with_choices(answer, **{box_cookie(game): box})


@bp.app_template_filter()
def quoting(paragraph: str, entry: Entry) -> Markup:
    """A paragraph of a note, with the language of what it quotes."""
    try:
        told = mark_quotations(str(paragraph), i18n.current(), entry.printings, shelf().search.reader)
    except Rebuilding:  # the words of all languages are not to be had for a moment
        told = str(paragraph)
    return Markup(told)  # nosec B704  # the rulebook's own HTML


@keep_page_by(vary="Cookie")
def _page(lang: str, game: str, box: str) -> str:
    course = shelf().course(game)
    return render_template(
        "site/editions/page.html",
        game=game,
        texts=course.texts[lang],
        box=box,
        boxes=boxes(course),
        notes=notes(course, lang),
        changes=[(one, course.tell(one.scenario, one.step, lang)) for one in changes(course)],
        words=course.book.words[lang],
    )
