"""A crawler that does not behave: all routes, links and forms it finds, with nonsense in every part.

It begins with the routes of the app and learns the rest from the pages. The seed is fixed; TUTOR_SOAK=50 asks
for fifty times as many requests.
"""

import gzip
import json
import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import quote, unquote, unquote_to_bytes, urlencode

import pytest
from flask import Flask
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException
from werkzeug.test import create_environ, run_wsgi_app

from tutor.book.words import LANGUAGES
from tutor.games import GAMES
from tutor.web.http.address import API, ATTEMPT
from tutor.web.http.security import HEADERS

pytestmark = pytest.mark.patient

REQUESTS = 2000 * int(os.environ.get("TUTOR_SOAK", "1"))
MARK = "<zq'\">"
"""Typed everywhere; nowhere may it come back as it is."""

NAMES = [
    "endpoint", "_method", "_scheme", "_external", "_anchor", "values", "self", "lang", "game", "name",
    "step", "entry", "filename", "v", "x", "fbclid", "", MARK, "é", "\0", "path", *ATTEMPT,
]  # fmt: skip
ODD = [
    "", " ", "\0", "é", "ß²", "🎲", "\u202e", "x" * 300, "x" * 2500, MARK, f"p1 {MARK}", "../../etc/passwd",
    "%", "{game}", "{{7*7}}", "${7*7}", "-1", "0", "1", "99", "1e9", "None", "true", "full", "p1 done",
    "p1 done;" * 80, "p9 cross A1", "a\r\nX-Evil: 1", ";;;", "+", "'", '"', "\\", "//evil.example",
    "A1 B2 C3", "٣",
]  # fmt: skip
BYTES = ["%ff%fe", "%00", "%ED%A0%80", "%zz", "%", "%C0%AF", "%2e%2e%2f", "+", "&", "=", "%0d%0aX-Evil:%201"]
"""Written into addresses as they are."""
VALUES = {
    "HTTP_HOST": ["localhost", "..", "a..b", ".", "", "a" * 64, "u@h", "evil.host", MARK, "[::1]:80", "h:0"],
    "HTTP_IF_NONE_MATCH": ["*", '"x"', 'W/"x"', '"', "W/", ",,,", MARK, '"a","b", *'],
    "HTTP_ACCEPT_ENCODING": ["gzip", "gzip;q=0", "*;q=0", "br", "", "gzip;q=x", ";;;", MARK, "gzip, *;q=0"],
    "HTTP_ACCEPT_LANGUAGE": ["pl", "xx", "*", "it;q=0", "pl;q=x,", MARK, "es-MX, es;q=0.9"],
    "HTTP_HX_REQUEST": ["true", "false", MARK],
    "HTTP_HX_BOOSTED": ["true", "x"],
    "HTTP_HX_TARGET": ["screen", MARK],
    "HTTP_HX_CURRENT_URL": [MARK, "http://[", "//"],
    "HTTP_COOKIE": [
        "lang=pl", f"lang={MARK}; step-border={MARK}", "step-border=|", "lang", ";;=;", "=", "lang=\xff",
        "step-border=grey", f"helped-border=grey.{MARK}.end.grey.first-recap",
        f'lang="\\"{MARK}"', "a=" + "x" * 4000,
    ],
    "HTTP_RANGE": ["bytes=0-1", "bytes=-1", "bytes=5-1", "x"],
    "HTTP_IF_MODIFIED_SINCE": ["x", "Thu, 01 Jan 1970 00:00:00 GMT"],
    "CONTENT_LENGTH": ["", "0", "-1", "x", "5", "99999999999"],
    "CONTENT_TYPE": ["application/json", "multipart/form-data", MARK],
    "HTTP_X_FORWARDED_FOR": ["10.0.0.1", MARK, "a" * 200],
    "HTTP_X_FORWARDED_PROTO": ["https"],
    "HTTP_X_REQUEST_ID": [MARK, "a\r\nX-Evil: 1", "evil.host"],
    "HTTP_X_FORWARDED_HOST": ["evil.host"],
    "HTTP_TRANSFER_ENCODING": ["chunked", "x"],
    "HTTP_UPGRADE": ["websocket"],
}  # fmt: skip
METHODS = ["GET"] * 30 + ["HEAD", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH", "TRACE", "QUERY", "X"]
EACH_KIND = 60
"""How many pages of each kind and game are read before the nonsense begins."""
FRAGMENTS = (
    "<figure", "<article", '<section id="screen"', '<div class="found">', '<div class="found-answers">',
    '<div class="term-text">', "<title>",
)  # fmt: skip
"""How an example, a screen or what was found begins when htmx asks for it alone."""
TYPES = {"svg": "image/svg+xml", "css": "text/css", "js": "text/javascript", "txt": "text/plain"}


@dataclass
class Crawler:
    """What has been learnt so far: addresses, values of routes, and queries that links and forms make."""

    app: Flask
    chosen: random.Random
    paths: list[str] = field(default_factory=lambda: ["/"])
    queries: list[str] = field(default_factory=lambda: ["", "said=y"])
    values: dict[str, list[str]] = field(default_factory=lambda: {"lang": list(LANGUAGES)})
    visited: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)

    def routes(self) -> list[str]:
        """All but those of live tables and of matches, which need one."""
        rules = [rule.rule for rule in self.app.url_map.iter_rules()]
        return [rule for rule in rules if "/t/<code>" not in rule and "/play/<name>" not in rule]

    def path(self) -> str:
        """An address: one of those found, or a route filled with values that were found, or with nonsense."""
        if self.chosen.random() < 0.5:
            return self.chosen.choice(self.paths)
        route = self.chosen.choice(self.routes())

        def filled(match: re.Match[str]) -> str:
            values = self.values.get(match[1], [])
            if values and self.chosen.random() < 0.9:
                return quote(self.chosen.choice(values))
            return self.nonsense()

        return re.sub(r"<(?:\w+:)?(\w+)>", filled, route)

    def nonsense(self) -> str:
        odd = self.chosen.choice([*ODD, *BYTES])
        return odd if odd in BYTES else quote(odd, safe="")

    def query(self) -> str:
        parts = [self.chosen.choice(self.queries)]
        for _ in range(self.chosen.choice([0, 0, 1, 1, 2, 5])):
            parts.append(f"{quote(self.chosen.choice(NAMES))}={self.nonsense()}")
        self.chosen.shuffle(parts)
        return "&".join(filter(None, parts))

    def headers(self) -> dict[str, str]:
        names = self.chosen.sample(list(VALUES), self.chosen.choice([0, 0, 1, 2, 4]))
        return {name: self.chosen.choice(VALUES[name]) for name in names}

    def learn(self, path: str, text: str) -> None:
        """Links, and what a form of the page would send."""
        for link in re.findall(r'(?:href|src)="(/[^"#]*)', text):
            target, _, query = unescape(link).partition("?")
            self._add(self.queries, query)
            if self._add(self.paths, target):
                self._take_values(target)
        fields = re.findall(r'name="(\w+)" value="([^"]*)"', text)
        if "<form" in text and fields:
            self._add(self.paths, path)
            sent = self.chosen.sample(fields, self.chosen.randint(1, len(fields)))
            self._add(self.queries, urlencode([(name, unescape(value)) for name, value in sent]))

    def _add(self, found: list[str], one: str) -> bool:
        if one in self.known:
            return False
        self.known.add(one)
        found.append(one)
        return True

    def _take_values(self, path: str) -> None:
        try:
            _, values = self.app.url_map.bind("localhost").match(path)
        except HTTPException:
            return
        for name, value in values.items():
            pool = self.values.setdefault(name, [])
            if value not in pool:
                pool.append(value)


def send(
    app: Flask, method: str, path: str, query: str, headers: dict[str, str]
) -> tuple[int, Headers, bytes]:
    """Past all that a well-meaning client would put right."""
    environ = create_environ("/")
    environ |= {
        "REQUEST_METHOD": method,
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query.encode().decode("latin-1"),
        **headers,
    }
    body, status, answered = run_wsgi_app(app, environ, buffered=True)
    return int(status.split()[0]), answered, b"".join(body)


def faults(
    method: str, path: str, sent: dict[str, str], status: int, headers: Headers, body: bytes
) -> Iterator[str]:
    """What is wrong with an answer."""
    if status >= 500:
        yield "a fault of ours"
    for name in HEADERS:
        if len(headers.getlist(name)) != 1:
            yield f"{len(headers.getlist(name))} times {name}"
    if headers.get("Content-Encoding") == "gzip":
        body = gzip.decompress(body) if body else b""
    text = body.decode(errors="replace" if headers.get("Content-Type") == "image/png" else "strict")
    # Where a page is, and where its picture is, is told by the host that was asked: in this answer only.
    others = [value for name, value in headers if name != "Link"]
    said = re.sub(r'<meta property="og:image"[^>]*>', "", text)
    if "<zq" in text + str(headers) or "X-Evil" in headers or "evil.host" in said + str(others):
        yield "what was typed came back"
    if not re.match(r"/(?![/\\])", headers.get("Location", "/")):
        yield f"leads away: {headers['Location']}"
    if method == "HEAD" and body:
        yield "a body for HEAD"
    if not body:
        return
    if path.startswith(API):
        if headers.get("Content-Type") != "application/json" or not isinstance(json.loads(text), dict):
            yield f"{headers.get('Content-Type')} for a program"
        return
    kind = "text/html"
    if status == 200 and re.match(
        r"/(static|picture)/|/robots|/healthz$|/readyz$|/referee/[^/]+/position\.png$", path
    ):
        kind = TYPES.get(path.rpartition(".")[2], "")
    if kind and headers.get("Content-Type") != f"{kind}; charset=utf-8":
        yield f"{headers.get('Content-Type')} instead of {kind}"
    first = path.split("/")[1]
    whole = kind == "text/html" and not 300 <= status < 400 and not text.startswith(FRAGMENTS)
    if whole and first in LANGUAGES and f'<html lang="{first}">' not in text:
        yield f"not in {first}"
    if text.startswith(FRAGMENTS) and sent.get("HTTP_HX_REQUEST") != "true":
        yield "a fragment for a page"
    if status == 405 and not {"GET", "POST"} & set(headers.get("Allow", "").split(", ")):
        yield "405 without Allow"


@pytest.fixture(scope="module")
def crawler(app: Flask) -> Crawler:
    """Having met every kind of page once, so that a short run tries them all."""
    found = Crawler(app, random.Random(2026))
    todo = ["/"]
    kinds: Counter[tuple[str, str]] = Counter()
    while todo:
        path = todo.pop(0)
        adapter = app.url_map.bind("localhost")
        endpoint, values = adapter.match(path)
        kind = endpoint, values.get("game", "")
        kinds[kind] += 1
        if kinds[kind] > EACH_KIND:
            continue
        status, headers, body = send(app, "GET", path, "", {})
        if status in (301, 302, 308):
            todo.insert(0, headers["Location"].partition("?")[0].partition("#")[0])
        elif body.startswith(b"<"):
            before = len(found.paths)
            found.learn(path, body.decode())
            todo += found.paths[before:]
    return found


@pytest.mark.slow
def test_no_request_breaks_the_site(app: Flask, crawler: Crawler) -> None:
    chosen = crawler.chosen
    for game in GAMES:  # a match of each, to be asked with nonsense as well
        begun = app.test_client().post(f"/en/{game}/play", headers={"Origin": "http://localhost"})
        crawler.paths += [begun.headers["Location"] + more for more in ("", "/device", "/moves.txt")]
    for number in range(REQUESTS):
        method, path = chosen.choice(METHODS), crawler.path()
        if path.startswith(API) and chosen.random() < 0.2:
            method = "POST"
        query, sent = crawler.query(), crawler.headers()
        if not path.isascii() or chosen.random() < 0.02:
            path = quote(path, safe="/%")
        status, headers, body = send(app, method, path, query, sent)
        wrong = list(faults(method, path, sent, status, headers, body))
        assert not wrong, f"{number}: {method} {path}?{query} {sent}: {status} {wrong}"
        # The API refuses parameters that it does not know, which most of these are.
        if method in ("GET", "POST") and (status < 400 or (path.startswith(API) and status == 400)):
            try:
                rule, _ = app.url_map.bind("localhost").match(unquote(path), method, return_rule=True)
                crawler.visited.add(rule.rule)
            except HTTPException:
                pass  # a redirect of the router
            if body.startswith(b"<") and number % 4 == 0:
                crawler.learn(path, body.decode())
    assert set(crawler.routes()) <= crawler.visited


@pytest.mark.slow
def test_the_crawler_finds_links_forms_and_values_by_itself(crawler: Crawler) -> None:
    assert len(crawler.paths) > 100
    assert {"game", "step", "name", "entry", "filename"} <= crawler.values.keys()
    assert any("choice=" in query for query in crawler.queries)
    assert any("moves=" in query for query in crawler.queries)
