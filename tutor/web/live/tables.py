"""What the pages of live tables share: the tables of this server, and who asks."""

from collections.abc import Callable, Iterator
from contextlib import suppress

from flask import Flask, abort, current_app, g, request
from werkzeug.wrappers import Response

from tutor.live.bell import Bell, News
from tutor.live.log import Channel, NoTable, Unavailable, open_log
from tutor.live.stage import Stage
from tutor.live.tables import Removed, Tables, code_of, guest
from tutor.web.http import limit
from tutor.web.http.shelf import shelf
from tutor.web.live.stream import Message, Streams, stream

TOKEN_SECONDS = 30 * 24 * 3600
"""Seconds: longer than any table, which ends a day after its last beat, however long it goes on."""
MOST_COOKIES = 10
"""Tables that a browser is at. Without an end, its cookies would become longer than any server reads."""
MOST_COOKIES_READ = 2 * MOST_COOKIES
"""Anybody may send more of them than a browser keeps."""


def init(app: Flask) -> None:
    app.extensions["streams"] = Streams()


def tables() -> Tables:
    """The tables of this server."""
    return _open()[0]


def bell() -> Bell:
    return _open()[1]


def _open() -> tuple[Tables, Bell]:
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


def stage_of(typed: str, *, removed: bool = False) -> tuple[str, Stage]:
    """The code and stage of the table at an address. Whoever has a token of the table is let in at once, and
    is who asks from now on. A right code always lets in; strangers' wrong ones are counted.

    Raises Removed if this version lacks what the table shows, unless `removed` says that the caller copes."""
    code, stage = _let_in(typed)
    if stage.removed and not removed:
        raise Removed(code, stage, who_asks(code, stage))
    return code, stage


def _let_in(typed: str) -> tuple[str, Stage]:
    code = code_of(typed)
    if code and token(code):
        with suppress(NoTable):
            stage = _stage(code)
            if who := who_asks(code, stage):
                g.asker = f"{code} {who}"
                return code, stage
    limit.take("knock")
    limit.take("knock-near", limit.region(request.remote_addr or ""))
    try:
        return code, _stage(code)
    except NoTable:
        limit.take("wrong")
        raise


def _stage(code: str) -> Stage:
    if not code:
        raise NoTable(code)
    return tables().stage(code)


def token(code: str) -> str:
    return request.cookies.get(_cookie(code), "")[:100]


def join_table(code: str, stage: Stage) -> tuple[str, str]:
    """The id and token of the visitor, who is a guest from now on."""
    if not tables().is_at(code, token(code)):
        limit.take("join")
        limit.take("seats", code, limit.network_of_request())
        limit.take("seats-near", code, limit.region(request.remote_addr or ""))
    return tables().join(code, token(code))


def who_asks(code: str, stage: Stage) -> str:
    """The guest who asks; empty if nobody of this table does."""
    return guest(stage, token(code))


def with_token(answer: Response, code: str, given: str) -> Response:
    if token(code) != given:
        for old in _find_surplus():
            answer.delete_cookie(_cookie(old))
        answer.set_cookie(
            _cookie(code),
            given,
            max_age=TOKEN_SECONDS,
            samesite="Lax",
            httponly=True,
            secure=request.is_secure,
        )
    return answer


def _find_surplus() -> list[str]:
    """The tables whose tokens make room for one more: the oldest, those of a presenter last."""
    known = codes_of_cookies()
    if len(known) < MOST_COOKIES:
        return []
    older, newer = known[:-MOST_COOKIES_READ], known[-MOST_COOKIES_READ:]
    return [*older, *sorted(newer, key=_presents)][: -MOST_COOKIES + 1]


def _presents(code: str) -> bool:
    """Whether the table has nobody to go on with it if this browser forgets its token."""
    try:
        stage = tables().stage(code)
    except NoTable:
        return False
    except Unavailable:
        return True
    return not stage.ended and who_asks(code, stage) in stage.chair


def _cookie(code: str) -> str:
    return f"table-{code}"


def codes_of_cookies() -> list[str]:
    """The codes of the tables for which this browser has a token, the oldest first as browsers send them."""
    found = [
        code_of(name.removeprefix(_cookie(""))) for name in request.cookies if name.startswith(_cookie(""))
    ]
    return [code for code in found if code]


def refuse_embedding() -> None:
    """What a foreign page can make a browser ask for without being seen is not for tables: pictures, say, of
    which each would try a code, or join. A link that somebody follows is fine, but not to a stream."""
    headers = request.headers
    site, goes_to = headers.get("Sec-Fetch-Site"), headers.get("Sec-Fetch-Dest")
    if site in ("cross-site", "same-site") and (goes_to != "document" or request.path.endswith("/events")):
        abort(403)


def stream_news(
    who: str, messages: Callable[[News], Iterator[Message]], code: str, *channels: Channel
) -> Response:
    """A stream of a table for a guest; HEAD only asks whether there is one."""
    streams: Streams = current_app.extensions["streams"]
    near = limit.region(request.remote_addr or "")  # one may rent many networks beside each other
    streams.ask(near)

    def parts() -> Iterator[Message]:
        with bell().waiting(code, *channels) as news, streams.open(f"{code} {who}", near, news):
            yield from messages(news)

    return stream(parts())
