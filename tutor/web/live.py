"""Following a table: joining by its code, what is shown in the guest's language, votes and silent signals."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
import segno
from flask import Blueprint, Flask, abort, current_app, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from tutor.store.live import NoTable, Unavailable
from tutor.teach import beats
from tutor.teach.course import Course
from tutor.teach.lesson import END
from tutor.teach.live.bell import News
from tutor.teach.live.events import SIGNALS, Place
from tutor.teach.live.poll import JOIN, Choice, Poll
from tutor.teach.live.stage import Stage
from tutor.teach.live.tables import LONGEST_NAME, LONGEST_VOTE, TooLate, code_of
from tutor.teach.steps import Asked, Task, show
from tutor.web import address, hx, i18n
from tutor.web.cookies import with_choices
from tutor.web.learn import Here, asked_for
from tutor.web.shelf import shelf
from tutor.web.stream import LONGEST, QUIET, STILL_HERE, Message, event
from tutor.web.tables import (
    aside,
    codes_of_cookies,
    following,
    fresh,
    joined,
    not_too_often,
    refuse_embedding,
    stage_of,
    tables,
    who_asks,
    with_token,
)

bp = Blueprint("live", __name__)
bp.before_request(refuse_embedding)

MOST_OWN = 5
NOTED = ("late", "empty", "named", "left", *SIGNALS)
"""What there is to say to a guest who did something, by its names in the template."""
MOST_KEPT = 512
"""Beats that are kept, each in one language, for all guests of all tables."""

T = TypeVar("T")


def init(app: Flask) -> None:
    app.extensions["shown"] = Kept()


# Joining


@bp.get("/t/")
def join_any() -> AnyResponse:
    return redirect(url_for("live.join", lang=i18n.preferred()))


@bp.get("/t/<code>", strict_slashes=False)
def shared(code: str) -> AnyResponse:
    """The address that is given away: it leads on in the guest's own language."""
    answer = redirect(url_for("live.follow", lang=i18n.preferred(), code=code_of(code) or code))
    answer.headers["Cache-Control"] = "no-store"
    return answer


@bp.get("/<lang:lang>/t/")
def join(lang: str) -> AnyResponse:
    typed = request.args.get("code", "")
    if typed:
        code, _ = stage_of(typed)
        return redirect(url_for("live.follow", code=code))
    return with_choices(fresh(render_template("live/join.html", own=list(_own(lang)))), lang=lang)


def _own(lang: str) -> Iterator[tuple[str, str, bool]]:
    """The tables at which this browser is already: code, game, and whether it presents there."""
    for code in codes_of_cookies()[:MOST_OWN]:
        with suppress(NoTable):
            stage = tables().stage(code)
            if not stage.ended and (who := who_asks(code, stage)):
                yield code, tables().course(stage).texts[lang].title, who in stage.chair


@bp.get("/t/<code>/code.svg")
def picture(code: str) -> AnyResponse:
    """The address of the table as a picture that phones can read."""
    found, _ = stage_of(code)
    leads_to = address.site() + url_for("live.shared", code=found)
    answer = fresh(aside(lambda: _qr(leads_to)))
    answer.headers["Content-Type"] = "image/svg+xml"
    return answer


@lru_cache(MOST_KEPT)
def _qr(text: str) -> str:
    made = segno.make(text, error="m")
    svg = made.svg_inline(border=2, dark="#000", light="#fff", omitsize=True, svgclass="", lineclass="")
    return svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)


# What a guest sees


@bp.get("/<lang:lang>/t/<code>", strict_slashes=False)
def follow(lang: str, code: str) -> AnyResponse:
    code, stage = stage_of(code)
    asked, vote = asked_for(), _given(code, stage, who_asks(code, stage))
    if stage.ended:
        texts = tables().course(stage).texts[lang]
        return fresh(render_template("live/over.html", game=stage.game, texts=texts))
    if hx.wants_fragment() and not vote and asked == Asked():
        return with_choices(fresh(_shared(lang, stage).html), lang=lang)
    chair = who_asks(code, stage) in stage.chair
    noted = request.args.get("noted", "")
    of_page = {"code": code, "stage": stage, "chair": chair, "noted": noted if noted in NOTED else ""}

    def make() -> str:
        values = _values(stage, lang, asked, vote)
        if hx.wants_fragment():
            return render_template("live/_step.html", **values)
        return render_template("live/follow.html", **values, **of_page)

    return with_choices(fresh(aside(make)), lang=lang)


def _given(code: str, stage: Stage, who: str) -> str:
    """The answer that a guest has given to what is asked."""
    return tables().floor(code).vote(stage.round, who) if who and stage.round else ""


def _values(stage: Stage, lang: str, asked: Asked, vote: str) -> dict[str, Any]:
    """What the templates of a guest are given. `asked` is what the guest has picked on the board, and `vote`
    the answer that was given already; without both it is the same for all guests of a language."""
    course = tables().course(stage)
    screen = course.lessons.screens[stage.beat.screen]
    poll = Poll.at(course, stage.beat, lang) if stage.asks else None
    view = show(course, screen, lang, stage.beat.asked)
    scene, tried = view.scene, None
    if isinstance(view, Task) and stage.open and scene and poll:
        tried = poll.choice(asked.moves[-1]) if asked.moves else None
        picks = asked.picks or (_parts(course, tried.value) if tried else ())
        # Relative addresses: they are the same at every table.
        scene = replace(scene, picks=picks, link=Here("").link(course.book.game, view))
    if scene and stage.point:
        scene = replace(scene, pointed=stage.point)
    return {
        "game": stage.game,
        "texts": course.texts[lang],
        "screen": screen,
        "view": view,
        "headlines": beats.headlines(view, course.texts[lang]),
        "picture": shelf().picture(stage.game, scene) if scene else None,
        "begun": bool(stage.number),
        "cited": course.texts[lang].entries.get(stage.cited),
        "open": stage.open,
        "poll": poll,
        "tried": tried,
        "mine": _mine(stage, lang, vote),
        "chosen": vote.split(JOIN) if vote else [],
        "learned": [
            course.texts[lang].entries[rule].title
            for name in stage.plan
            for rule in course.lessons.screens[name].rules
        ],
    }


def _parts(course: Course, move: str) -> tuple[str, ...]:
    return course.book.game.parse_move(move).what


def _mine(stage: Stage, lang: str, vote: str) -> dict[str, Any] | None:
    """What a guest has answered, and what there is to say of it; None if nothing was."""
    if not (vote and stage.asks):
        return None
    poll = Poll.at(tables().course(stage), stage.beat, lang)
    chosen: tuple[Choice, ...] = poll.chosen(vote)
    return {"chosen": chosen, "right": poll.is_right(vote), "open": stage.open}


# What a guest does


@bp.post("/<lang:lang>/t/<code>")
def act(lang: str, code: str) -> AnyResponse:
    code, stage = stage_of(code)
    who, given = joined(code, stage)
    not_too_often("guest", who)
    noted = _noted(lang, code, stage, who)
    if not hx.wants_fragment():
        there = Here(url_for("live.follow", code=code), noted=noted)
        return with_token(redirect(there(), 303), code, given)
    stage = tables().stage(code)
    vote = _given(code, stage, who)
    if hx.wants_step():  # a move on the board, which stays to be seen there
        tried = Asked(moves=tuple(request.form.getlist("vote")))
        html = render_template("live/_step.html", **_values(stage, lang, tried, vote))
    else:
        html = render_template("live/_noted.html", noted=noted, mine=_mine(stage, lang, vote))
    return with_token(fresh(html), code, given)


def _noted(lang: str, code: str, stage: Stage, who: str) -> str:
    """Takes note of what a guest does; what there is to say to that: see NOTED."""
    form = request.form
    signal = form.get("signal")
    if "vote" in form:
        return "" if _voted(code, stage, who, lang) else "late"
    if signal in SIGNALS:
        tables().signal(code, who, signal)
        return signal
    if "name" in form:
        tables().name(code, who, form["name"][: 4 * LONGEST_NAME])
        return "named"
    return "empty" if "round" in form else ""


def _voted(code: str, stage: Stage, who: str, lang: str) -> bool:
    """Counts the vote of a form; False if it makes no sense at what is shown now."""
    said = JOIN.join(request.form.getlist("vote"))[:LONGEST_VOTE]
    vote = Poll.at(tables().course(stage), stage.beat, lang).valid(said) if stage.asks else ""
    if not vote:
        return False
    try:
        tables().vote(code, who, address.number(request.form.get("round", "")), vote)
    except TooLate:
        return False
    return True


# What arrives by itself


@bp.get("/<lang:lang>/t/<code>/events")
def events(lang: str, code: str) -> AnyResponse:
    """Every beat, in the guest's language. Whoever listens is at the table."""
    code, stage = stage_of(code)
    if request.method == "HEAD":
        return fresh("")
    who, given = joined(code, stage)
    seen = address.number(request.headers.get("Last-Event-ID") or request.args.get("after", ""))
    answer = following(who, lambda news: _beats(lang, code, who, seen, news), code, "stage")
    return with_token(answer, code, given)


def _beats(lang: str, code: str, who: str, seen: int, news: News) -> Iterator[Message]:
    until = time.monotonic() + LONGEST
    down = False
    while time.monotonic() < until and not news.over:
        news.clear()
        try:
            stage, floor = tables().remembered(code) if news.seen else tables().look(code)
            if down:
                yield event("up", 1)
            down = False
            if stage.version > seen:
                yield _beat(lang, stage, who, floor.vote(stage.round, who))
                seen = stage.version
        except NoTable:
            yield event("gone", 1)
            return
        except Unavailable:
            if not down:
                yield event("down", 1)
            down = True
        if not news.wait(QUIET):
            yield STILL_HERE


def _beat(lang: str, stage: Stage, who: str, vote: str) -> Message:
    """One event of two lines: what is this guest's own, and what all guests of a language share."""
    own = {
        "version": stage.version,
        "round": stage.round,
        "number": stage.number,
        "chair": who in stage.chair,
        "ended": stage.ended,
        "chosen": vote.split(JOIN) if vote else [],
        "mine": _answered(lang, stage, vote) if vote else "",
    }
    said = f"event: beat\nid: {stage.version}\ndata: {msgspec.json.encode(own).decode()}\n"
    return _packed(said) + _shared(lang, stage).message


_packed = lru_cache(MOST_KEPT)(Message.of)
"""For what is a guest's own, and yet the same for many: most have not voted, or as others did."""


@dataclass(frozen=True)
class Shown:
    """A beat in one language."""

    html: str
    message: Message


def _shared(lang: str, stage: Stage) -> Shown:
    def make() -> Shown:
        html = render_template("live/_step.html", **_values(stage, lang, Asked(), ""))
        return Shown(html, Message.of(f"data: {msgspec.json.encode(html).decode()}\n\n"))

    return _once(make, lang, stage, "beat", stage.point, stage.cited)


def _answered(lang: str, stage: Stage, vote: str) -> str:
    """What there is to say of an answer, to all who gave it."""

    def make() -> str:
        return render_template("live/_mine.html", mine=_mine(stage, lang, vote))

    return _once(make, lang, stage, "vote", vote)


def _once(make: Callable[[], T], lang: str, stage: Stage, *more: str) -> T:
    """Makes what is the same at this beat of all tables, or finds it made."""
    kept: Kept = current_app.extensions["shown"]
    summed_up = stage.plan if stage.beat.screen == END else ()  # the end tells what was learned
    key = (stage.game, lang, Place.of(stage.beat), bool(stage.number), stage.open, summed_up, *more)
    return kept.get(key, lambda: aside(make))


class Kept:
    """What was made of beats. Many ask for the same at the same time: one of them makes it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[object, Any] = OrderedDict()
        self._making: dict[object, threading.Event] = {}

    def get(self, key: object, make: Callable[[], T]) -> T:
        while key not in self._kept:
            if key in self._making:
                self._making[key].wait()
                continue
            done = self._making[key] = threading.Event()
            try:
                self._kept[key] = make()
            finally:
                del self._making[key]
                done.set()
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        found: T = self._kept[key]
        return found


@bp.get("/<lang:lang>/t/<code>/behind")
def behind(lang: str, code: str) -> AnyResponse:
    """For a guest who has wandered off: how far the table has gone on since."""
    code, stage = stage_of(code)
    if stage.ended:
        abort(404)
    count = max(0, stage.number - address.number(request.args.get("seen", "")))
    return fresh(render_template("live/_behind.html", code=code, count=count))
