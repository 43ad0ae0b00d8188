"""Proof that the site runs: every page that can be reached is rendered once, in every language.

It knows the site as a visitor does, by addresses and links, and nothing of how its pages are made.
"""

import re
import tempfile
import traceback
from collections.abc import Collection, Iterable, Iterator, Mapping
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from flask import Flask
from flask.testing import FlaskClient

from tutor.book.source import Problem
from tutor.book.words import LANGUAGES
from tutor.games import GAMES
from tutor.paths import CONTENT
from tutor.rules.base import Game
from tutor.web import create_app
from tutor.web.http.errors import raise_bugs

QUERIES_FOLLOWED = ("said", "with")
"""What of a link's query is followed: answers of yes and no and a second language, but not moves and picks,
which have no end."""

_LINK = re.compile(r'\b(?:href|src|action)="([^"]+)"')


def prove(
    content: Path = CONTENT,
    games: Mapping[str, type[Game]] = GAMES,
    langs: Collection[str] = LANGUAGES,
) -> list[Problem]:
    """What is wrong with the site over a content folder that passed `check`."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            app = create_app(Path(folder) / "rulebook.db", content, games)
        except Exception as error:
            return [Problem(content, 1, f"the site does not start: {_cause(error)}")]
        app.config.update(HOSTS=[], API_RATE=0, LIMITS=0)  # any host will do
        raise_bugs(app)
        return list(_gather(content, games, walk(app, list(games), langs)))


def _gather(
    content: Path, games: Mapping[str, type[Game]], found: Iterable[tuple[str, str | Exception]]
) -> Iterator[Problem]:
    """What many pages fail of is told once, with the first of them, where it happens."""
    causes: dict[str, list[str]] = {}
    places: dict[str, tuple[Path, int]] = {}
    for address, fault in found:
        cause = fault if isinstance(fault, str) else _cause(fault)
        causes.setdefault(cause, []).append(address)
        if not isinstance(fault, str):
            places.setdefault(cause, _place(fault))
    for cause, (first, *others) in causes.items():
        file, line = places.get(cause, (_folder(content, first, games), 1))
        more = f" (and {len(others)} more pages)" if others else ""
        yield Problem(file, line, f"{first}{more}: {cause}")


def walk(
    app: Flask, games: list[str], langs: Collection[str] = LANGUAGES
) -> Iterator[tuple[str, str | Exception]]:
    """Fetches the pages of all games and follows their links; yields address and cause of what fails.
    Addresses with a query come first, so that the whole lesson is one way through all its steps."""
    client = app.test_client()
    others = tuple(f"/{lang}/" for lang in LANGUAGES if lang not in langs)
    plain, with_query = list(seeds(app, games)), list[str]()
    seen: set[str] = set()
    while plain or with_query:
        address = (with_query or plain).pop()
        if address in seen or address.startswith(others):
            continue
        seen.add(address)
        try:
            found = _fetch(client, address)
        except Exception as error:
            yield address, error
            continue
        if isinstance(found, int):
            yield address, f"answers {found}"
            continue
        for link in found:
            (with_query if urlsplit(link).query else plain).append(link)
    for home in (f"/{lang}/" for lang in langs):
        if home not in seen:
            yield home, "no page leads here"


def seeds(app: Flask, games: list[str]) -> Iterator[str]:
    """The addresses that need no more than a language and a game."""
    adapter = app.url_map.bind("localhost")
    for rule in app.url_map.iter_rules():
        if "GET" in (rule.methods or ()) and rule.arguments <= {"lang", "game"}:
            for lang in LANGUAGES if "lang" in rule.arguments else ("",):
                for game in games if "game" in rule.arguments else ("",):
                    values = {"lang": lang, "game": game}
                    yield adapter.build(rule.endpoint, {name: values[name] for name in rule.arguments})


def _fetch(client: FlaskClient, address: str) -> list[str] | int:
    """The links of a page, or the status of one that is not there."""
    here = urlsplit(address).path
    with client.get(address) as answer:
        if 300 <= answer.status_code < 400:
            # A step that rolls its dice leads to itself with the dice in the address: that is the page.
            target = urljoin(address, answer.headers["Location"])
            return _fetch(client, target) if urlsplit(target).path == here else [_follow(here, target)]
        if answer.status_code != 200:
            return answer.status_code
        found = _LINK.findall(answer.get_data(as_text=True)) if answer.mimetype == "text/html" else []
    return [link for text in set(found) if (link := _follow(here, unescape(text)))]


def _follow(here: str, link: str) -> str:
    """A link of this site as it is followed; nothing for one that leads elsewhere."""
    parts = urlsplit(urljoin(here, link))
    if parts.scheme or parts.netloc:
        return ""
    query = [(name, value) for name, value in parse_qsl(parts.query) if name in QUERIES_FOLLOWED]
    return f"{parts.path}?{urlencode(query)}" if query else parts.path


def _folder(content: Path, address: str, games: Mapping[str, type[Game]]) -> Path:
    """Where to look for the cause: the game's folder, if the address names one."""
    named = [part for part in urlsplit(address).path.split("/") if part in games]
    return content / named[0] if named else content


def _cause(error: Exception) -> str:
    file, line = _place(error)
    return f"{type(error).__name__}: {error} ({file.name}:{line})"


def _place(error: Exception) -> tuple[Path, int]:
    """The file and line of an error; in a template, too."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return Path(last.filename), last.lineno or 1
