"""The referee: a table (see `table`) of its own page, where it comes from, and how it is set up.

Some names of an address lead on at once: `from` an example, `new` table with its options, `chance` rolled or
chosen.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from flask import Blueprint, abort, current_app, redirect, render_template, request, url_for
from markupsafe import escape
from werkzeug.wrappers import Response

from tutor.book.words import TEMPLATE_LANGUAGE
from tutor.games.tables import setup_of
from tutor.lessons.course import Course
from tutor.lessons.scene import Scene
from tutor.lookup.examples import steps_of
from tutor.referee.packed import pack, unpack
from tutor.referee.setup import Row
from tutor.rules.base import State
from tutor.rules.errors import InvalidPosition
from tutor.web.http import address, hx, i18n
from tutor.web.http.cache import Body, Pages, aside, keep_page
from tutor.web.http.links import redirect_by_language
from tutor.web.http.options import Field, list_fields, read_form
from tutor.web.http.render import render
from tutor.web.http.shelf import shelf
from tutor.web.site import preview
from tutor.web.site.table import Table, TablePage, actor, judge_table, lead_on_by_chance

bp = Blueprint("referee", __name__)


@bp.get("/referee/<game>")
def shared(game: str) -> Response:
    """A position in no language: it opens in the reader's."""
    shelf().course(game)
    query = address.query()
    where = url_for("referee.page", lang=i18n.preferred_language(), game=game)
    return redirect_by_language(f"{where}?{query}" if query else where)


@bp.get("/referee/<game>/position.png")
def picture(game: str) -> Response:
    """A position as a picture, for the preview of a link. It is drawn by day and without language."""
    course = shelf().course(game)
    at = request.args.get("at", "")
    state = course.book.game.draft(unpack(at)) if at else course.book.game.setup({})
    key = ("position.png", game, course.book.game.format_position(state))

    def make() -> str:
        scene = Scene(
            state=state, words=course.book.words[TEMPLATE_LANGUAGE], seat=actor(course, state), compact=True
        )
        template, table = shelf().picture(game, scene)
        return preview.picture(shelf().drawings[game], render_template(template, table=table))

    pictures: Pages = current_app.extensions["drawn"]
    found = pictures.get(key)
    if found is None:
        found = Body.of(preview.png(aside(make, "preview")), preview.HEADERS)
        pictures.put(key, found)
    answer: Response = found.answer(preview.FOR_A_DAY)
    return answer


@bp.get("/<lang:lang>/<game>/referee")
def page(lang: str, game: str) -> Any:
    shelf().course(game)
    leads_on = {"from": _from_example, "new": _new_table, "chance": lead_on_by_chance}
    # Without a position there is nothing to change yet: a new table is set up.
    asked = "new" if "edit" in request.args and "at" not in request.args else ""
    for name, leads in leads_on.items():
        if name in request.args or name == asked:
            return redirect(aside(partial(leads, Table(lang, game))))
    return _page(lang=lang, game=game, site=Table(lang, game).site)


@keep_page
def _page(lang: str, game: str, site: str) -> Any:
    """`site` is where this reader has found us: the page names it, so it is kept for that place only."""
    course = shelf().course(game)
    here = Table(lang, game)
    if not here.at:
        return _start(course, here)
    try:
        if here.edit:
            return _edit(course, here)
        return _render(judge_table(here))
    except InvalidPosition as fault:
        # What can be read but not played is mended where it is.
        state = course.book.game.draft(unpack(here.at))
        return _edit(course, here, state, fault)


# Where a table comes from


def _from_example(here: Table) -> str:
    """The position of a step of a scenario, with the move that the step is about: it comes last."""
    course = here.course
    scenario, _, step = request.args["from"].partition("/")
    run = course.runs.get(scenario)
    if run is None or (step and step not in run.steps):
        abort(404)
    played = run.steps[step or steps_of(course, scenario)[0]]
    *before, last = played.file.play or [played.file.refuse or ""]
    here.cast = scenario
    return here.table(played.before, before, last)


def _new_table(here: Table) -> str:
    """A new game by the options of the form, as far as chance can bring it; or empty, to be set up."""
    game = here.course.book.game
    options = read_form(game, request.args)
    # The form offers every seat there can be. Who is not at this table cannot go first: chance decides.
    first, players = options.get("first"), options.get("players")
    if isinstance(first, int) and isinstance(players, int) and first > players:
        del options["first"]
    state = game.setup(options)
    if here.edit:
        return here.table(state, edit=True)
    for text in here.throw(state):
        state = game.play(state, game.parse_move(text))
    return here.table(state)


@dataclass(frozen=True, kw_only=True)
class StartPage(TablePage):
    """Before there is a table."""

    examples: list[tuple[str, list[tuple[str, str]], str]]
    """Title, steps with what each tells, and id."""
    fields: list[Field]
    can_edit: bool


@dataclass(frozen=True, kw_only=True)
class EditPage(TablePage):
    """A position while it is set up."""

    rows: Sequence[Row]
    fault: str
    """Why it cannot be played as it is."""
    picks: tuple[str, ...]
    shared: str = ""


def _start(course: Course, here: Table) -> str:
    """The ways to a table."""
    game, texts = course.book.game, course.texts[here.lang]
    state = game.setup({})
    examples = [
        (
            entry.title,
            [(step, _line(course, here.lang, entry.id, step)) for step in steps_of(course, entry.id)],
            entry.id,
        )
        for entry in texts.entries.values()
        if entry.kind == "example"
    ]
    scene = Scene(state=state, words=here.words(state), seat=1)
    can_edit = bool(setup_of(game).rows_known)
    fields = list_fields(course, scene.words)
    start = StartPage(
        view="start", here=here, scene=scene, examples=examples, fields=fields, can_edit=can_edit
    )
    return _render(start)


def _line(course: Course, lang: str, scenario: str, step: str) -> str:
    """What an example tells, without links. Its hard spaces stay, which `striptags` would make soft."""
    told = course.tell(scenario, step, lang)
    return re.sub("<[^>]*>", "", told.story()) or escape(" ".join(told.deeds))


# The table


def _edit(
    course: Course, here: Table, state: State | None = None, fault: InvalidPosition | None = None
) -> str:
    """The position while it is set up; `fault` says why it cannot be played as it is."""
    game = course.book.game
    made = setup_of(game)
    if not made.rows_known:
        raise fault or InvalidPosition("link.damaged")
    if state is None:
        state = game.draft(unpack(here.at))
        if here.do:
            state = made.do(state, here.do)
    here, words = here.move_to(pack(game.format_position(state))), here.words(state)
    seat = min(here.seat or actor(course, state), game.seats(state))
    picks = made.still(state, here.picks)
    scene = Scene(state=state, words=words, seat=seat, picks=picks, edit=lambda do: here.change(do, picks))
    message = words.errors[fault.code].text(words, fault.values) if fault else ""
    rows = made.rows(state, seat, picks, words)
    return _render(EditPage(view="edit", here=here, scene=scene, rows=rows, fault=message, picks=picks))


def _render(shown: TablePage) -> str:
    if hx.wants_fragment():
        return render("site/referee/fragment.html", shown, fragment=True)
    return render("site/referee/page.html", shown)
