"""Presenting to a table: the shared screen and the notes, driven by commands that all presenters see."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from flask import Blueprint, abort, redirect, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response as AnyResponse

from tutor.book.words import LANGUAGES
from tutor.lessons import beats
from tutor.lessons.beats import Beat
from tutor.lessons.lesson import END
from tutor.lessons.scene import Scene
from tutor.lessons.screen_views import show
from tutor.live.bell import News
from tutor.live.floor import Report
from tutor.live.log import NoTable, Stale, Unavailable
from tutor.live.poll import Choice, Poll, Tally
from tutor.live.stage import Stage
from tutor.live.tables import MOST_CHAIRS, NotPresenting, Removed
from tutor.web.http import address, hx, limit
from tutor.web.http.address import LOCAL
from tutor.web.http.cache import answer_fresh, aside
from tutor.web.http.render import render
from tutor.web.http.screens import Here, dice, read_input
from tutor.web.http.shelf import shelf
from tutor.web.live.chart import LINE_LETTERS, chart_votes
from tutor.web.live.shared import SharedScreen
from tutor.web.live.stream import LONGEST_STREAM_SECONDS, Message, event, until_news
from tutor.web.live.tables import (
    refuse_embedding,
    stage_of,
    stream_news,
    tables,
    who_asks,
    with_token,
)

bp = Blueprint("chair", __name__)
bp.before_request(refuse_embedding)

SETTLE_SECONDS = 0.5
"""Seconds for which votes are gathered before the presenter's screen counts them again."""
NOWHERE = "-"
"""Where nobody has to look: no place has that name."""
SCREENS = {"screen": "chair.present", "notes": "chair.notes"}


@bp.post("/<lang:lang>/t/")
def open_table(lang: str) -> AnyResponse:
    """A new table for a game, at the beat that is shown or at the first of its plan."""
    course = shelf().course(request.form.get("game", ""))
    limit.take("open")
    limit.take("open-near", limit.region(request.remote_addr or ""))
    plan = beats.plan_of(course, request.form.get("plan", "").split("."))
    name = request.form.get("screen", "")
    if name in course.lessons.screens:
        beat = Beat(name, beats.normalize(course, course.lessons.screens[name], read_input(request.form)))
    else:
        beat = Beat(plan[0])
    code, new_token = tables().open(course.book.id, plan, beat, lang)
    also = request.form.get("also", "")
    screen = Here(url_for("chair.present", code=code), also=also if also in LANGUAGES else "")
    return with_token(redirect(screen(), 303), code, new_token)


@bp.route("/<lang:lang>/t/<code>/present", methods=["GET", "POST"])
def present(lang: str, code: str) -> AnyResponse:
    """The shared screen of a table."""
    return _answer("screen", lang, code)


@bp.route("/<lang:lang>/t/<code>/notes", methods=["GET", "POST"])
def notes(lang: str, code: str) -> AnyResponse:
    """For the presenter's eyes, and a remote control: what to say, who votes and asks, what comes next."""
    return _answer("notes", lang, code)


def _answer(name: str, lang: str, code: str) -> AnyResponse:
    code, stage = stage_of(code, removed=True)
    who = who_asks(code, stage)
    stale = False
    if request.method == "POST" and who in stage.chair:
        limit.take("chair")
        try:
            stage = _command(lang, code, stage, who)
        except Stale:  # somebody else was quicker: nothing is done, and the table is shown as it is
            stage, stale = tables().stage(code), True
        except NotPresenting:
            pass
    if stage.removed and not stage.ended:
        raise Removed(code, stage, who)
    if not who or who not in stage.chair or stage.ended:
        return _send_elsewhere(Here(url_for("live.follow", code=code), noted="left" if who else "")())
    if stage.left and request.form.get("do") == "leave":
        return _send_elsewhere(url_for("teach.plan", game=stage.game))
    if request.method == "POST" and not hx.wants_fragment():
        return redirect(Here(url_for(SCREENS[name], code=code), **_local())(), 303)
    return _show(name, lang, code, stage, stale)


def _send_elsewhere(address: str) -> AnyResponse:
    """Redirects. htmx is told by a header, because it would put the target of a redirect into the page."""
    if hx.wants_fragment():
        answer = answer_fresh("")
        answer.headers["HX-Redirect"] = address
        return answer
    return redirect(address, 303)


def _command(lang: str, code: str, stage: Stage, who: str) -> Stage:
    """Does what the presenter wants. A command names the version that its presenter has seen."""
    form = request.form
    after = address.number(form.get("version", ""))
    # Where what is shown was removed, a presenter can go on with another screen, or close the table.
    do = form.get("do", "")
    goes_on = do == "end" or (do == "show" and stage.onward and form.get("screen"))
    if stage.removed and not goes_on:
        raise Removed(code, stage, who)
    match do:
        case "show":
            return tables().show(code, who, _read_beat(stage), after)
        case "again":
            return tables().vote_again(code, who, after)
        case "point":
            return tables().point(code, who, _place(lang, stage, form.get("point", "")), after)
        case "cite":
            return tables().cite(code, who, form.get("entry", "")[:80], after)
        case "share" | "pass" as how:
            return tables().hand_over(code, who, form.get("to", ""), share=how == "share")
        case "withdraw":
            return tables().withdraw(code, who, form.get("to", ""))
        case "hear":
            tables().hear(code, who, address.number(form.get("floor", "")))
            return stage
        case "leave":
            return tables().leave(code, who)
        case "end":
            return tables().end(code, who)
    return abort(400)


def _place(lang: str, stage: Stage, name: str) -> str:
    """The place of the board that is shown by that name, if there is one."""
    course = tables().course(stage)
    scene = show(course, course.lessons.screens[stage.beat.screen], lang, stage.beat.given).scene
    spots = shelf().drawings[stage.game].spots(scene) if scene else ()
    return name if any(spot.name == name for spot in spots) else ""


def _sent_values() -> MultiDict[str, str]:
    """The values to read: a command says all in its form, regardless of the page's address."""
    return request.form if request.method == "POST" else request.args


def _local() -> dict[str, str]:
    """What only this screen shows. A form may say it; else it stays as it is."""
    return {key: request.form.get(key, request.args.get(key, "")) for key in LOCAL}


def _read_beat(stage: Stage) -> Beat:
    """The beat that is asked for; the one that is shown if none is."""
    name = _sent_values().get("screen", "")
    if not name:
        return stage.beat
    course = tables().course(stage)
    screen = course.lessons.screens.get(name)
    if screen is None or (screen.kind == END and name != END):
        abort(404)
    given = beats.normalize(course, screen, read_input(_sent_values()))
    return Beat(name, beats.settle(course, screen, given, dice))


@dataclass(frozen=True)
class Live:
    """What a presenter's templates know of the table, as `live`."""

    code: str
    stage: Stage
    report: Report
    tally: Tally
    local: dict[str, str]
    """What only this screen shows: see LOCAL."""
    toggle: dict[str, str]
    """The addresses of this screen as it is, with one of these turned on or off, and asking to leave."""
    beat: Beat
    """What this screen shows."""
    stale: bool
    """Whether the presenter's command came too late."""
    shared: str
    only_here: bool
    owns: bool
    """Whether this presenter owns the table, and so may hand it over or close it."""
    room: bool
    """Whether there may be one more remote control."""
    leaving: bool
    """Whether the presenter is about to leave, and is asked first."""
    chart: tuple[Choice, ...] = ()
    """The votes as far as the shared screen has room for them."""

    @property
    def charted(self) -> bool:
        """Whether the shared screen shows the votes."""
        shown = self.local["votes"] or not self.stage.open
        return bool(shown and self.tally.answered and self.tally.choices and not self.preview)

    @property
    def preview(self) -> bool:
        """Without script a link leads to a beat that the presenter sees alone until it is shown to all."""
        return self.beat != self.stage.beat


def _show(name: str, lang: str, code: str, stage: Stage, stale: bool) -> AnyResponse:
    course = tables().course(stage)
    local = _local()
    if local["also"] not in LANGUAGES or local["also"] == lang:
        local["also"] = ""
    also = local["also"]
    screen = url_for(SCREENS[name], code=code)
    beat = _read_beat(stage) if request.method == "GET" else stage.beat
    report = tables().floor(code).report(stage)
    # Votes are shown for one vote only: the next one is not to be swayed by them.
    if local["votes"] != str(stage.round):
        local["votes"] = ""
    own = {key: value for key, value in local.items() if key != "also"}
    picks = read_input(_sent_values()).picks

    def here(**changed: str) -> str:
        return Here(screen, **{**local, **changed})()

    def way(screen: str, also: str) -> Here:
        return Here(url_for("chair.present", code=code), screen=screen, also=also, **own)

    def make() -> str:
        live = Live(
            code,
            stage,
            report,
            Poll.of(course, stage.beat, lang).tally(report.votes, report.former) if stage.asks else Tally(),
            local,
            {
                "none": here(),
                "leaving": here(leaving="1"),
                "votes": here(votes="" if local["votes"] else str(stage.round)),
                "pointing": here(pointing="" if local["pointing"] else "1"),
            },
            beat,
            stale,
            address.site() + url_for("live.shared", code=code),
            address.is_only_here(),
            who_asks(code, stage) == stage.owner,
            len(stage.chair) < MOST_CHAIRS,
            "leaving" in request.args and request.method == "GET",
        )
        picked = Beat(beat.screen, replace(beat.given, picks=picks))
        shown = SharedScreen.of(course, lang, stage.plan, picked, also, way)
        if stage.cited:  # which is named below
            shown = replace(shown, letters=shown.letters + LINE_LETTERS)
        if live.charted:
            shown, chart = chart_votes(shown, live.tally, stage.open)
            live = replace(live, chart=chart)
        if shown.scene and not live.preview:
            shown = replace(shown, scene=_mark(shown.scene, live, here))
        seconds = [(c, here(also="" if c == also else c)) for c in LANGUAGES if c != lang]
        return render(
            f"live/teach/_{name}.html" if hx.wants_fragment() else f"live/{name}.html",
            replace(shown, seconds=seconds),
            live=live,
            notes_address=url_for("chair.notes", code=code),
            plan_address=url_for("teach.plan", game=stage.game),
            ask_address=url_for("teach.answers", game=stage.game),
        )

    answer = answer_fresh(aside(make))
    if request.method == "POST":  # a command is over once it is done: it does not stay in the address
        answer.headers["HX-Replace-Url"] = here()
    return answer


def _mark(scene: Scene, live: Live, here: Callable[..., str]) -> Scene:
    """The board with what the presenter points at, and the votes or the places to point at."""
    pointed = live.stage.point
    if live.local["pointing"]:

        def to(place: str) -> str:
            return here(point=NOWHERE if place == pointed else place)

        scene = replace(scene, link=None, point=to)
    elif live.local["votes"]:
        scene = replace(scene, heat=live.tally.heat)
    return replace(scene, pointed=pointed)


@bp.get("/<lang:lang>/t/<code>/rings")
def rings(lang: str, code: str) -> AnyResponse:
    """Tells a presenter's screens that the table has moved, or that guests have said something."""
    code, stage = stage_of(code)
    who = who_asks(code, stage)
    if not who or who not in stage.chair:
        abort(403)
    return stream_news(who, lambda news: _rings(code, who, news), code, "stage", "floor")


def _rings(code: str, who: str, news: News) -> Iterator[Message]:
    until = time.monotonic() + LONGEST_STREAM_SECONDS
    told: object = None
    while time.monotonic() < until and not news.over:
        news.clear()
        try:
            stage, floor = tables().stage(code), tables().floor(code)
            now: Any = {"version": stage.version, "floor": floor.version, "chair": who in stage.chair}
        except NoTable:
            yield event("gone", 1)
            return
        except Unavailable:
            now = {"down": True}
        if now != told:
            yield event("ring", now)
            told = now
            time.sleep(SETTLE_SECONDS if now.get("floor") else 0)
        yield from until_news(news)
