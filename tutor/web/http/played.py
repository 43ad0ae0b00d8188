"""The matches of this server, and which of them this browser plays."""

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from flask import current_app, request
from werkzeug.wrappers import Response

from tutor.games.tables import brain_of
from tutor.live.log import NoTable, Unavailable, open_matches
from tutor.live.matches import Matches, id_of
from tutor.play.match import Unreadable
from tutor.web.http.shelf import shelf

COOKIE = "playing"
COOKIE_SECONDS = 30 * 24 * 3600
"""As long as a match is kept that nobody goes on with."""
MOST_PLAYED = 6
"""Matches that a browser remembers; the oldest makes room."""
LONGEST_TOKEN_CHARS = 80


class Played(NamedTuple):
    """A match that this browser has the seats of."""

    game: str
    name: str
    token: str


def matches() -> Matches:
    """Made when somebody first asks: no connection survives a fork."""
    found: Matches | None = current_app.extensions.get("matches")
    if found is None:
        made = Matches(open_matches(current_app.config["LIVE"]), shelf().courses, brain_of)
        found = current_app.extensions.setdefault("matches", made)
    return found


def list_played() -> Iterator[Played]:
    """The matches of this browser, the latest first. A cookie may say anything."""
    for text in request.cookies.get(COOKIE, "").split("~")[:MOST_PLAYED]:
        game, _, rest = text.partition(":")
        name, _, token = rest.partition(":")
        if game in shelf().courses and id_of(name) and len(token) <= LONGEST_TOKEN_CHARS:
            yield Played(game, name, token)


class Continued(NamedTuple):
    """A match that can be gone on with."""

    game: str
    name: str
    round: int
    """0 where a game has no rounds."""


def find_continued() -> Iterator[Continued]:
    """The matches of this browser that are not over. What cannot be read now is not offered."""
    for played in list_played():
        with suppress(NoTable, Unavailable, Unreadable):
            match = matches().look(played.name)
            if not match.over and matches().owns(match, played.token):
                round_now = match.game.facts(match.state).get("round", 0)
                yield Continued(played.game, played.name, round_now if isinstance(round_now, int) else 0)


def token_of(name: str) -> str:
    return next((one.token for one in list_played() if one.name == name), "")


def with_match(answer: Response, *, first: Played | None = None, without: str = "") -> Response:
    """The answer with a match that this browser plays from now on, or without one that it has left."""
    others = [one for one in list_played() if one.name != without and (not first or one.name != first.name)]
    kept = [*([first] if first else []), *others][:MOST_PLAYED]
    text = "~".join(f"{one.game}:{one.name}:{one.token}" for one in kept)
    if text != request.cookies.get(COOKIE, ""):
        answer.set_cookie(
            COOKIE, text, max_age=COOKIE_SECONDS, samesite="Lax", httponly=True, secure=request.is_secure
        )
    return answer
