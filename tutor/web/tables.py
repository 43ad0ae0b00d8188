"""What the pages of live tables share: the tables of this server, who asks, and how often they may."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TypeVar

from flask import Flask, abort, current_app, request
from werkzeug.exceptions import TooManyRequests
from werkzeug.wrappers import Response

from tutor.store.live import Channel, NoTable, open_log
from tutor.teach.live.bell import Bell, News
from tutor.teach.live.stage import Stage
from tutor.teach.live.tables import Tables, code_of, guest
from tutor.web import cache
from tutor.web.limit import Buckets, network
from tutor.web.shelf import shelf
from tutor.web.stream import Message, Streams, streamed

T = TypeVar("T")
DAY = 24 * 3600
RATES = {"open": 0.05, "wrong": 0.5, "all-wrong": 50, "join": 5, "guest": 2, "chair": 10}
"""How often a second: tables opened and wrong codes tried from one address, wrong codes in all, guests who
join from one address (a whole class may share it), what one guest may do, and all presenters of a table."""
AT_ONCE = {"open": 10, "wrong": 10, "all-wrong": 1000, "join": 100, "guest": 40, "chair": 100}
MOST_COOKIES = 10
"""Tables that a browser is at. Without an end, its cookies would become longer than any server reads."""


def init(app: Flask) -> None:
    app.extensions["table-buckets"] = Buckets()
    app.extensions["streams"] = Streams()


def tables() -> Tables:
    """The tables of this server."""
    return _opened()[0]


def bell() -> Bell:
    return _opened()[1]


def _opened() -> tuple[Tables, Bell]:
    """Made when somebody first asks: no connection survives a fork. Nor would a lock do: one that was made
    before the fork holds back the whole loop, and so whoever has it."""
    found: tuple[Tables, Bell] | None = current_app.extensions.get("live")
    if found is None:
        log = open_log(current_app.config["LIVE"])
        tables = Tables(log, shelf().courses)
        made = tables, Bell(log, tables.look)
        found = current_app.extensions.setdefault("live", made)
        if found is made:
            made[1].start()
    return found


def not_too_often(what: str, who: str = "", *, take: bool = True) -> None:
    """Counts one of these for whoever asks; raises TooManyRequests if that is too much."""
    rate = RATES[what] * current_app.config["TABLE_RATE"]
    if not rate:
        return
    buckets: Buckets = current_app.extensions["table-buckets"]
    if wait := buckets.wait(f"{what} {who}", rate, time.monotonic(), most=AT_ONCE[what], take=take):
        raise TooManyRequests(retry_after=math.ceil(wait))


def stage_of(typed: str) -> tuple[str, Stage]:
    """The code and stage of the table at an address. Codes cannot be tried out: strangers' wrong ones are
    counted. Whoever has a token of the table is let in, whatever others at the same address have tried."""
    code = code_of(typed)
    if code and token(code):
        with suppress(NoTable):
            stage = _stage(code)
            if who_asks(code, stage):
                return code, stage
    guesses = (("wrong", network(request.remote_addr or "")), ("all-wrong", ""))
    for what, who in guesses:
        not_too_often(what, who, take=False)
    try:
        return code, _stage(code)
    except NoTable:
        for what, who in guesses:
            not_too_often(what, who)
        raise


def _stage(code: str) -> Stage:
    if not code:
        raise NoTable(code)
    stage = tables().stage(code)
    course = shelf().courses.get(stage.game)
    if course is None or stage.beat.screen not in course.lessons.screens:
        raise NoTable(code)  # opened before this game, or this screen, was taken out
    return stage


def token(code: str) -> str:
    return request.cookies.get(_cookie(code), "")[:100]


def joined(code: str, stage: Stage) -> tuple[str, str]:
    """The id and token of whoever asks, who is a guest from now on."""
    if not who_asks(code, stage):
        not_too_often("join", network(request.remote_addr or ""))
    return tables().join(code, token(code))


def who_asks(code: str, stage: Stage) -> str:
    """The guest who asks; empty if nobody of this table does."""
    return guest(stage, token(code))


def with_token(answer: Response, code: str, given: str) -> Response:
    if token(code) != given:
        for old in codes_of_cookies()[: -MOST_COOKIES + 1]:  # browsers send the oldest first
            answer.delete_cookie(_cookie(old))
        answer.set_cookie(
            _cookie(code), given, max_age=DAY, samesite="Lax", httponly=True, secure=request.is_secure
        )
    return answer


def _cookie(code: str) -> str:
    return f"table-{code}"


def codes_of_cookies() -> list[str]:
    """The codes of the tables for which this browser has a token."""
    found = [
        code_of(name.removeprefix(_cookie(""))) for name in request.cookies if name.startswith(_cookie(""))
    ]
    return [code for code in found if code]


def refuse_embedding() -> None:
    """What a foreign page can make a browser ask for without being seen is not for tables: pictures, say, of
    which each would try a code, or join. A link that somebody follows is fine."""
    headers = request.headers
    if headers.get("Sec-Fetch-Site") == "cross-site" and headers.get("Sec-Fetch-Dest") != "document":
        abort(403)


def following(
    who: str, messages: Callable[[News], Iterator[Message]], code: str, *channels: Channel
) -> Response:
    """A stream of a table for a guest; HEAD only asks whether there is one."""
    streams: Streams = current_app.extensions["streams"]
    near = network(request.remote_addr or "")
    streams.ask(near)

    def parts() -> Iterator[Message]:
        with bell().waiting(code, *channels) as news, streams.open(f"{code} {who}", near, news):
            yield from messages(news)

    return streamed(parts())


def fresh(html: str) -> Response:
    """A page that is true only now."""
    headers = (("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"))
    return cache.Body.of(html.encode(), headers, level=1).answer()


def aside(work: Callable[[], T]) -> T:
    """Does what takes long where it holds up no stream."""
    made: T = current_app.extensions["aside"](work)
    return made
