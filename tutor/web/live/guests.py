"""Following a table: joining by its code, what is shown in the guest's language, votes and silent signals."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, TypeVar

import msgspec
from flask import Blueprint, Flask, abort, current_app, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from tutor.book.texts import Entry, Texts
from tutor.draw.over import ghosts
from tutor.lessons import beats
from tutor.lessons.course import Course
from tutor.lessons.input import NO_INPUT, Input
from tutor.lessons.lesson import END, Screen
from tutor.lessons.scene import Ghost, Scene
from tutor.lessons.screen_views import ScreenView, Task, show
from tutor.live.bell import News
from tutor.live.events import SIGNALS
from tutor.live.log import Newer, NoTable, Unavailable
from tutor.live.poll import JOIN, LONGEST_VOTE_CHARS, Choice, Poll
from tutor.live.stage import Stage
from tutor.live.tables import Enough, Removed, TooLate, code_of
from tutor.web.http import address, hx, i18n, limit
from tutor.web.http.cache import answer_fresh, aside
from tutor.web.http.qr import draw_qr
from tutor.web.http.render import render
from tutor.web.http.screens import Here, read_input
from tutor.web.http.shelf import shelf
from tutor.web.live.kept import BEATS_KEPT, Kept
from tutor.web.live.stream import LONGEST_STREAM_SECONDS, Message, event, until_news
from tutor.web.live.tables import (
    codes_of_cookies,
    join_table,
    refuse_embedding,
    stage_of,
    stream_news,
    tables,
    token,
    who_asks,
    with_token,
)

bp = Blueprint("live", __name__)
bp.before_request(refuse_embedding)

MOST_OWN_TABLES = 5
LATE = "late"
NOTED = (LATE, "empty", "named", "left", "enough", *SIGNALS)
"""What there is to say to a guest who did something, by its names in the template."""
T = TypeVar("T")


def init(app: Flask) -> None:
    app.extensions["shown"] = Kept()


# Joining


@bp.get("/t/")
def join_any() -> AnyResponse:
    return redirect(url_for("live.join", lang=i18n.preferred_language()))


@bp.get("/t/<code>", strict_slashes=False)
def shared(code: str) -> AnyResponse:
    """The address that is given away: it leads on in the guest's own language."""
    found = code_of(code)
    answer = redirect(url_for(_endpoint_of(found), lang=i18n.preferred_language(), code=found or code[:40]))
    answer.headers["Cache-Control"] = "no-store"
    return answer


@bp.get("/<lang:lang>/t/")
def join(lang: str) -> AnyResponse:
    typed = request.args.get("code", "")
    if typed:
        code, _ = stage_of(typed)
        return redirect(url_for(_endpoint_of(code), code=code))
    return answer_fresh(render_template("live/join.html", own=list(_list_own(lang))))


def _endpoint_of(code: str) -> str:
    """Where a code leads: guests to the table that they follow, presenters back to their screen."""
    if code and token(code):
        with suppress(NoTable, Newer, Unavailable):
            stage = tables().stage(code)
            who = who_asks(code, stage)
            if who in stage.chair and not stage.ended:
                return "chair.present" if who == stage.owner else "chair.notes"
    return "live.follow"


@dataclass(frozen=True)
class Own:
    """A table at which this browser is already."""

    code: str
    title: str = ""
    presents: bool = False
    shown: bool = False
    """Whether this version has what it shows."""


def _list_own(lang: str) -> Iterator[Own]:
    for code in codes_of_cookies()[: -MOST_OWN_TABLES - 1 : -1]:  # the newest first
        with suppress(NoTable):
            try:
                stage = tables().stage(code)
            except Newer:
                yield Own(code)
                continue
            course = shelf().courses.get(stage.game)
            if not stage.ended and (who := who_asks(code, stage)):
                title = course.texts[lang].title if course else ""
                yield Own(code, title, who in stage.chair, not stage.removed)


@bp.get("/t/<code>/code.svg")
def picture(code: str) -> AnyResponse:
    """The address of the table as a picture that phones can read."""
    found, _ = stage_of(code)
    leads_to = address.site() + url_for("live.shared", code=found)
    answer = answer_fresh(aside(lambda: draw_qr(leads_to)))
    answer.headers["Content-Type"] = "image/svg+xml"
    return answer


# What a guest sees


@bp.get("/<lang:lang>/t/<code>", strict_slashes=False)
def follow(lang: str, code: str) -> AnyResponse:
    code, stage = stage_of(code, removed=True)
    if stage.ended and stage.game in shelf().courses:
        texts = tables().course(stage).texts[lang]
        return answer_fresh(aside(lambda: render_template("live/over.html", game=stage.game, texts=texts)))
    if stage.removed:
        raise Removed(code, stage, who_asks(code, stage))
    given, vote = read_input(), _vote_of(code, stage, who_asks(code, stage))
    if hx.wants_fragment() and not vote and given == NO_INPUT:
        return answer_fresh(_make_beat(lang, code, stage).html)
    chair = stage.seat_of(who_asks(code, stage))
    noted = request.args.get("noted", "")

    def make() -> str:
        shown = GuestScreen.of(stage, lang, given, vote)
        if hx.wants_fragment():
            return render("live/_screen.html", shown)
        return render(
            "live/follow.html",
            shown,
            code=code,
            stage=stage,
            chair=chair,
            noted=noted if noted in NOTED else "",
        )

    typed = (request.view_args or {}).get("code")  # which stands in the page's links to other languages
    if vote or noted or hx.wants_fragment() or given != NO_INPUT or typed != code:
        return answer_fresh(aside(make))
    # Whoever comes to the table finds it made: those who only look keep nobody out.
    also = (str(stage.version), chair, stage.point, stage.cited)
    return answer_fresh(_make_once(make, lang, code, stage, "page", code, *also, line=code))


def _vote_of(code: str, stage: Stage, who: str) -> str:
    """The answer that a guest has given to what is asked."""
    return tables().floor(code).vote(stage.round, who) if who and stage.round else ""


@dataclass(frozen=True)
class GuestScreen:
    """What the templates of a guest are given."""

    game: str
    texts: Texts
    screen: Screen
    jumps: bool
    """Whether another position is shown than before."""
    view: ScreenView
    scene: Scene | None
    headlines: tuple[str, ...]
    begun: bool
    cited: Entry | None
    left: bool
    open: bool
    poll: Poll | None
    tried: Choice | None
    """The move that the guest has just made."""
    mine: "Mine | None"
    chosen: list[str]
    learned: list[str]

    @property
    def picture(self) -> tuple[str, dict[str, Any]] | None:
        return shelf().picture(self.game, self.scene) if self.scene else None

    @classmethod
    def of(cls, stage: Stage, lang: str, given: Input, vote: str) -> "GuestScreen":
        """`given` is what the guest has picked on the board, and `vote` the answer that was given already;
        without both it is the same for all guests of a language."""
        course = tables().course(stage)
        screen, texts = course.lessons.screens[stage.beat.screen], course.texts[lang]
        poll = Poll.of(course, stage.beat, lang) if stage.asks else None
        view = show(course, screen, lang, stage.beat.given)
        scene, tried = view.scene, None
        # What the presenter has tried may have led elsewhere; answers are moves from where it began.
        if isinstance(view, Task) and stage.open and scene and poll and not view.attempt.played:
            tried = poll.choice(given.moves[-1]) if given.moves else None
            # Relative addresses: they are the same at every table.
            scene = replace(scene, picks=given.picks, link=Here("").link(course.book.game, view))
        if scene and stage.point:
            scene = replace(scene, pointed=stage.point)
        if scene and poll:
            answer = tried or next(iter(poll.choices_in(vote)), None)
            scene = replace(scene, ghosts=(*scene.ghosts, *_ghosts(course, stage, answer)))
        return cls(
            game=stage.game,
            texts=texts,
            screen=screen,
            jumps=beats.is_jump(course, stage.plan, screen.id),
            view=view,
            scene=scene,
            headlines=beats.headlines(view, texts),
            begun=bool(stage.number),
            cited=texts.entries.get(stage.cited),
            left=stage.left,
            open=stage.open,
            poll=poll,
            tried=tried,
            mine=Mine.of(stage, lang, vote),
            chosen=vote.split(JOIN) if vote else [],
            learned=beats.list_learned(course, lang, stage.plan),
        )


def _ghosts(course: Course, stage: Stage, answer: Choice | None) -> tuple[Ghost, ...]:
    """The move that a guest would make, on the guest's own board; once the answer is shown, also whether it
    was right."""
    if answer is None or not answer.places:
        return ()
    verdict: Literal["", "right", "wrong"] = "" if stage.open else "right" if answer.right else "wrong"
    return (Ghost(course.book.game.parse_move(answer.value), answer.places, verdict),)


@dataclass(frozen=True)
class Mine:
    """What a guest has answered, and what there is to say of it."""

    chosen: tuple[Choice, ...]
    right: bool
    open: bool

    @classmethod
    def of(cls, stage: Stage, lang: str, vote: str) -> "Mine | None":
        """None if nothing was answered, or if this version does not know the answer."""
        if not (vote and stage.asks):
            return None
        poll = _poll(stage, lang)
        chosen = poll.choices_in(vote)
        return cls(chosen, poll.is_right(vote), stage.open) if chosen else None


# What a guest does


@bp.post("/<lang:lang>/t/<code>")
def act(lang: str, code: str) -> AnyResponse:
    code, stage = stage_of(code)
    who, new_token = join_table(code, stage)
    limit.take_act(code, who)
    try:
        noted = _take_note(lang, code, stage, who)
    except Enough:
        noted = "enough"
    if not hx.wants_fragment():
        there = Here(url_for("live.follow", code=code), noted=noted)
        return with_token(redirect(there(), 303), code, new_token)
    stage = tables().stage(code)
    if noted in (LATE, "enough"):  # what it was meant for may be gone from the page
        answer = answer_fresh(render_template("live/_noted.html", noted=noted))
        answer.headers["HX-Retarget"], answer.headers["HX-Reswap"] = "#noted", "innerHTML"
    else:
        answer = answer_fresh(_tell(lang, code, stage, noted, _vote_of(code, stage, who)))
    return with_token(answer, code, new_token)


def _tell(lang: str, code: str, stage: Stage, noted: str, vote: str) -> str:
    """The part of the page that tells a guest what came of it; the same for all who did the same."""
    if not hx.wants_screen():

        def note() -> str:
            return render_template("live/_noted.html", noted=noted, mine=Mine.of(stage, lang, vote))

        return _make_once(note, lang, code, stage, "noted", noted, vote)

    # A move on the board, which stays to be seen there.
    tried = _poll(stage, lang).choice(_read_vote()) if stage.asks else None
    moves = (tried.value,) if tried else ()

    def render_screen() -> str:
        return render("live/_screen.html", GuestScreen.of(stage, lang, Input(moves=moves), vote))

    return _make_once(render_screen, lang, code, stage, "tried", *moves, vote, stage.point, stage.cited)


def _poll(stage: Stage, lang: str) -> Poll:
    return Poll.of(tables().course(stage), stage.beat, lang)


def _read_vote() -> str:
    """The vote of a form, no longer than a vote can be."""
    return JOIN.join(request.form.getlist("vote"))[:LONGEST_VOTE_CHARS]


def _take_note(lang: str, code: str, stage: Stage, who: str) -> str:
    """Takes note of what a guest does; what there is to say to that: see NOTED."""
    form = request.form
    signal = form.get("signal")
    if "vote" in form:
        return "" if _count_vote(code, stage, who, lang) else LATE
    if signal in SIGNALS:
        tables().signal(code, who, signal)
        return signal
    if "name" in form:
        limit.take("name", code, who)
        tables().name(code, who, form["name"])
        return "named"
    return "empty" if "round" in form else ""


def _count_vote(code: str, stage: Stage, who: str, lang: str) -> bool:
    """Counts the vote of a form; False if it makes no sense at what is shown now. Whoever says again what
    counts already has lost our answer, and may have lost sight of the table since."""
    round = address.number(request.form.get("round", ""))
    counted = tables().floor(code).vote(round, who)
    if counted and {*counted.split(JOIN)} == {*_read_vote().split(JOIN)}:
        return True
    vote = _poll(stage, lang).normalize(_read_vote()) if stage.asks else ""
    if not vote:
        return False
    try:
        tables().vote(code, who, round, vote)
    except TooLate:
        return False
    return True


# What arrives by itself


@bp.get("/<lang:lang>/t/<code>/events")
def events(lang: str, code: str) -> AnyResponse:
    """Every beat, in the guest's language. Whoever listens is at the table."""
    code, stage = stage_of(code, removed=True)
    if request.method == "HEAD":
        return answer_fresh("")
    who, new_token = join_table(code, stage)
    seen = address.number(request.headers.get("Last-Event-ID") or request.args.get("after", ""))
    answer = stream_news(who, lambda news: _beats(lang, code, who, seen, news), code, "stage")
    return with_token(answer, code, new_token)


def _beats(lang: str, code: str, who: str, seen: int, news: News) -> Iterator[Message]:
    until = time.monotonic() + LONGEST_STREAM_SECONDS
    down = False
    while time.monotonic() < until and not news.over:
        news.clear()
        try:
            stage, floor = tables().recall(code) if news.seen else tables().look(code)
            if down:
                yield event("up", 1)
            down = False
            if stage.removed and stage.ended:
                raise NoTable(code)
            if stage.version != seen:  # or lower, if the store has lost its end
                vote = floor.vote(stage.round, who)
                yield _fault() if stage.removed else _beat(lang, code, stage, who, vote)
                seen = stage.version
        except NoTable:
            yield event("gone", 1)
            return
        except Newer:  # who comes back may meet a newer server
            yield event("down", 1)
            return
        except Unavailable:
            if not down:
                yield event("down", 1)
            down = True
        yield from until_news(news)


def _fault() -> Message:
    """What is wrong with what the table shows. It may go on with something else."""
    return event("fault", render_template("live/_fault.html", fault=Removed.__name__).strip())


def _beat(lang: str, code: str, stage: Stage, who: str, vote: str) -> Message:
    """One event of two lines: what is this guest's own, and what all guests of a language share."""
    own = {
        "version": stage.version,
        "round": stage.round,
        "number": stage.number,
        "chair": stage.seat_of(who),
        "ended": stage.ended,
        "chosen": vote.split(JOIN) if vote else [],
        "mine": _render_mine(lang, code, stage, vote) if vote else "",
        "ghost": _render_ghost(lang, code, stage, vote) if vote else "",
    }
    head = f"event: beat\nid: {stage.version}\ndata: {msgspec.json.encode(own).decode()}\n"
    return _packed(head) + _make_beat(lang, code, stage).message


_packed = lru_cache(BEATS_KEPT)(Message.of)
"""For a guest's own part, which is the same for many: most have not voted, or voted alike."""


@dataclass(frozen=True)
class MadeBeat:
    """A beat in one language."""

    html: str
    message: Message


def _make_beat(lang: str, code: str, stage: Stage) -> MadeBeat:
    def make() -> MadeBeat:
        html = render("live/_screen.html", GuestScreen.of(stage, lang, NO_INPUT, ""))
        return MadeBeat(html, Message.of(f"data: {msgspec.json.encode(html).decode()}\n\n"))

    return _make_once(make, lang, code, stage, "beat", stage.point, stage.cited, line=code)


def _render_mine(lang: str, code: str, stage: Stage, vote: str) -> str:
    """What there is to say of an answer, to all who gave it."""

    def make() -> str:
        mine = Mine.of(stage, lang, vote)
        return render_template("live/_mine.html", mine=mine) if mine else ""

    return _make_once(make, lang, code, stage, "vote", vote, line=code)


def _render_ghost(lang: str, code: str, stage: Stage, vote: str) -> str:
    """The move that a guest has answered with, to be laid over the board that all share."""

    def make() -> str:
        course = tables().course(stage)
        scene = show(course, course.lessons.screens[stage.beat.screen], lang, stage.beat.given).scene
        chosen = _poll(stage, lang).choices_in(vote) if stage.asks else ()
        if scene is None or not chosen:
            return ""
        scene = replace(scene, ghosts=_ghosts(course, stage, chosen[0]))
        return render_template("draw/_ghosts.html", ghosts=ghosts(shelf().drawings[stage.game], scene))

    return _make_once(make, lang, code, stage, "ghost", vote, line=code)


def _make_once(make: Callable[[], T], lang: str, code: str, stage: Stage, *more: str, line: str = "") -> T:
    """Makes what is the same at this beat of all tables, or finds it made. What a whole table waits for is in
    the `line` of that table: whoever asks for it first may have a long one of their own."""
    kept: Kept = current_app.extensions["shown"]
    screen = stage.beat.screen
    of_plan = stage.plan if screen == END else beats.is_jump(tables().course(stage), stage.plan, screen)
    key = (
        stage.game,
        stage.lang,
        lang,
        stage.beat,
        bool(stage.number),
        stage.open,
        stage.left,
        of_plan,
        *more,
    )
    # Nobody is counted: it is made for all who follow.
    work: Callable[[Callable[[], T], str], T] = current_app.extensions["aside"]
    return kept.get(key, lambda: work(make, line), code)


@bp.get("/<lang:lang>/t/<code>/behind")
def behind(lang: str, code: str) -> AnyResponse:
    """For a guest who has wandered off: how far the table has gone on since. Presenters are never behind."""
    code, stage = stage_of(code)
    if stage.ended:
        abort(404)
    presents = stage.seat_of(who_asks(code, stage))
    count = 0 if presents else max(0, stage.number - address.number(request.args.get("seen", "")))
    return answer_fresh(render_template("live/_behind.html", code=code, count=count))
