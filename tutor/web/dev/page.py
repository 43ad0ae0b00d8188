"""What `tutor dev` adds to the pages: the problems that concern them, and a script that loads them again."""

import json
import re
import time
import traceback
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from werkzeug.wrappers import Response

from tutor.paths import CONTENT
from tutor.web.http.security import HEADERS

OWN = "/-dev/"
"""Addresses that are ours: no language and no page begins so."""
FILES = {name: Path(__file__).with_name(name) for name in ("dev.css", "dev.js")}
LONGEST_WAIT_SECONDS = 25.0
"""Seconds after which a page that waits for news is told that there are none."""


class Problem(NamedTuple):
    file: str
    line: int
    text: str

    @property
    def place(self) -> str:
        """The file as one would type it, and the line."""
        path = Path(self.file)
        here = Path.cwd()
        return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{self.line}:"


class Told(NamedTuple):
    """What the last check has found. It may be older than the site, of which `began` is the time."""

    file: Path
    began: int

    def tell(self, problems: Sequence[Problem]) -> None:
        part = self.file.with_suffix(".part")
        part.write_text(json.dumps([self.began, problems]))
        part.replace(self.file)

    def problems(self) -> tuple[list[Problem], bool]:
        """Those of the last check, and whether that was a check of what is served now."""
        try:
            began, found = json.loads(self.file.read_text())
        except FileNotFoundError:
            return [], False
        return [Problem(*one) for one in found], began == self.began

    def token(self) -> str:
        """Another one whenever a page would look different."""
        found, fresh = self.problems()
        return f"{self.began}-{fresh}" if found else str(self.began)


def problems_of_page(path: str, problems: Iterable[Problem]) -> list[Problem]:
    """The problems of a page: of its game and of no game, first those that name what its address names; all
    problems for a page of no game."""
    games = [part for part in path.split("/") if (CONTENT / part).is_dir() and part]
    named = re.compile("|".join(rf"\b{re.escape(part)}\b" for part in path.split("/")[3:] if part) or "$^")
    mine = [one for one in problems if not games or _game_of(one) in ("", *games)]
    return sorted(mine, key=lambda one: not named.search(f"{Path(one.file).stem} {one.text}"))


def _game_of(problem: Problem) -> str:
    """The game in whose folder it is, or nothing."""
    file = Path(problem.file)
    first = file.relative_to(CONTENT).parts[:1] if file.is_relative_to(CONTENT) else ()
    return first[0] if first and (CONTENT / first[0]).is_dir() else ""


class Author:
    """The site as its author sees it; without one, why there is none."""

    def __init__(self, site: WSGIApplication | None, failed: str, told: Told) -> None:
        self.site = site
        self.failed = failed
        self.told = told

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return self.answer(environ)(environ, start_response)

    def answer(self, environ: WSGIEnvironment) -> Response:
        path = environ["PATH_INFO"]
        if path.startswith(OWN):
            return self._own(path.removeprefix(OWN), environ.get("QUERY_STRING", ""))
        if self.site is None:
            return self._failure("The site cannot be made", self.failed, path)
        for header in ("HTTP_ACCEPT_ENCODING", "HTTP_IF_NONE_MATCH"):  # pages are changed below
            environ.pop(header, None)
        try:
            answer = Response.from_app(self.site, environ)
        except Exception:
            return self._failure("This page cannot be made", traceback.format_exc(), path)
        if answer.mimetype == "text/html":
            page = answer.get_data(as_text=True)
            answer.set_data(
                re.sub(r"<body[^>]*>", lambda found: found[0] + self._banner(path), page, count=1)
            )
            answer.headers.remove("ETag")
        return answer

    def _own(self, name: str, query: str) -> Response:
        if name in FILES:
            kind = "text/css" if name.endswith("css") else "text/javascript"
            return Response(FILES[name].read_bytes(), mimetype=kind, headers=HEADERS)
        seen, end = parse_qs(query).get("seen", [""])[0], time.monotonic() + LONGEST_WAIT_SECONDS
        while self.told.token() == seen and time.monotonic() < end:
            time.sleep(0.1)
        return Response(
            self.told.token(), mimetype="text/plain", headers=HEADERS | {"Cache-Control": "no-store"}
        )

    def _failure(self, title: str, cause: str, path: str) -> Response:
        html = (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
            f"<body>{self._banner(path)}"
            f'<main class="dev-failure"><h1>{title}</h1><pre>{escape(cause)}</pre></main>'
        )
        return Response(html, 500, mimetype="text/html", headers=HEADERS | {"Cache-Control": "no-store"})

    def _banner(self, path: str) -> str:
        found, fresh = self.told.problems()
        mine = problems_of_page(path, found)
        script = (
            f'<link rel="stylesheet" href="{OWN}dev.css">'
            f'<script src="{OWN}dev.js" data-seen="{self.told.token()}" defer></script>'
        )
        if not mine:
            return script
        count = f"{len(mine)} problem{'s' * (len(mine) != 1)}"
        state = "" if fresh else " before the last change; checking again …"
        rows = "".join(f"<li><b>{escape(one.place)}</b> {escape(one.text)}</li>" for one in mine)
        summary = f"<summary>{count}{state}</summary>"
        return f'{script}<details class="dev-problems" open>{summary}<ul>{rows}</ul></details>'
