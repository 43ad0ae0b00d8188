"""A client that checks every page it fetches: valid HTML, one h1, the right language, no text unfilled."""

import re
from collections import Counter
from html.parser import HTMLParser as Walker
from itertools import pairwise
from typing import Any

from flask import Flask
from tinyhtml5.parser import HTMLParser
from werkzeug.test import TestResponse

from tutor.book.words import LANGUAGES

VOID = {"meta", "link", "img", "input", "br"}
_seen: set[str] = set()
"""Every tag seen so far in a page without parse errors: the tags around it, its own, names of attributes."""

BAD_REFERENCE = re.compile(r"&(?!(?:#\d+|#x[0-9a-f]+|[a-zA-Z]+);)")
UNFILLED = re.compile(r"\{[a-z.]+\}|%\(|\bNone\b|Undefined|\?\?\?")
IN_ENGLISH = re.compile(r"(?:^|(?<=[.!?] ))None(?= [a-z])")
"""A sentence may begin with it there; what nobody has filled in is the same in the other languages."""

LOOSE = re.compile(r".{9}(?<!&nbsp;)(?<!\u00a0)·")
"""A separator that may come to stand at the beginning of a line."""


class Outline(Walker):
    """What of a page the checks look at."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: list[str] = []
        self.headings: list[str] = []
        self.lang = ""
        self.unlabelled: list[str] = []
        self.unclosed: list[str] = []
        self.labels: set[str] = set()
        self.inputs: list[str] = []
        self.inline: list[str] = []
        self.links: list[str] = []
        self.text: list[str] = []
        self._open: list[tuple[str, dict[str, str | None], int]] = []
        self.places: set[str] = set()
        self._path = [""]
        self.feed(html)
        self.close()
        self.unclosed += [tag for tag, _, _ in self._open]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        got = dict(attrs)
        if got.get("id"):
            self.ids.append(str(got["id"]))
        if tag == "html":
            self.lang = str(got.get("lang"))
        if tag[0] == "h" and tag[1:] in "123456":
            self.headings.append(tag)
        if tag == "img" and "alt" not in got:
            self.unlabelled.append(f"img {got}")
        if tag == "label":
            self.labels.add(str(got.get("for")))
        if tag == "input" and got.get("type") != "hidden":
            self.inputs.append(str(got.get("id")))
        if (
            "style" in got
            or any(name.startswith("on") for name in got)
            or (tag == "script" and "src" not in got)
        ):
            self.inline.append(f"{tag} {got}")
        if tag == "style":
            self.inline.append(tag)
        if tag == "a" and got.get("href"):
            self.links.append(str(got["href"]))
        path = f"{self._path[-1]}/{tag}"
        self.places.add(path + " ".join([name for name, _ in attrs]))
        if tag not in VOID:
            self._open.append((tag, got, len(self.text)))
            self._path.append(path)

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.text.append(data.strip())
            self.places.add(f"{self._path[-1]}/text")

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1][0] != tag:
            self.unclosed.append(f"{self._open[-1:]} before /{tag}")
            return
        _, got, before = self._open.pop()
        if tag == "svg" and got.get("role") and not got.get("aria-label"):
            self.unlabelled.append(f"svg {got}")
        if tag in ("a", "button") and not got.get("aria-label") and len(self.text) == before:
            self.unlabelled.append(f"{tag} {got}")
        self._path.pop()


class PageClient:
    """Flask's test client with a conscience."""

    def __init__(self, app: Flask) -> None:
        self.client = app.test_client()

    def get(self, path: str, status: int = 200, **kwargs: Any) -> TestResponse:
        return self._get(path, status, **kwargs)[0]

    def page(self, path: str, status: int = 200, **kwargs: Any) -> Outline:
        outline = self._get(path, status, **kwargs)[1]
        assert outline, f"{path} is not a page"
        return outline

    def _get(self, path: str, status: int, **kwargs: Any) -> tuple[TestResponse, Outline | None]:
        response = self.client.get(path, **kwargs)
        assert response.status_code == status, f"{path}: {response.status_code}"
        fragment = kwargs.get("headers", {}).get("HX-Request")
        if response.mimetype != "text/html" or 300 <= status < 400 or fragment:
            return response, None
        return response, check(path, response.text)


def check(path: str, html: str) -> Outline:
    """Fails with the page's faults."""
    page = Outline(html)
    english = page.lang == "en" or "/compare" in path
    faults: dict[str, object] = {
        "no doctype": not html.startswith("<!doctype html>"),
        "not closed": page.unclosed[:3],
        "& that stands for nothing": BAD_REFERENCE.findall(html),
        "parse errors": parse_errors(page, html)[:3],
        "ids twice": [name for name, count in Counter(page.ids).items() if count > 1],
        "without a label": page.unlabelled[:3],
        "inputs without a label": set(page.inputs) - page.labels,
        "inline script or style": page.inline[:3],
        "loose separators": LOOSE.findall(html.partition("<body")[2])[:3],
        "unfilled text": [one for text in page.text for one in unfilled(text, english)],
    }
    found = {what: fault for what, fault in faults.items() if fault}
    assert not found, f"{path}: {found}"
    lang = path.split("/")[1]
    if lang in LANGUAGES:
        assert page.lang == lang, f"{path} says lang={page.lang}"
    assert page.headings.count("h1") == 1, f"{path}: {page.headings.count('h1')} h1"
    levels = [int(heading[1]) for heading in page.headings]
    assert all(b - a <= 1 for a, b in pairwise(levels)), f"{path}: headings {levels}"
    return page


def unfilled(text: str, english: bool) -> list[str]:
    """What nobody has filled in; where there may be English, it is told from a word."""
    return UNFILLED.findall(IN_ENGLISH.sub("", text) if english else text)


def parse_errors(page: Outline, html: str) -> list[Any]:
    """What a browser's parser would have to mend. Whether a tag is right depends on the tags around it, so a
    page in which every tag is closed, and stood in the same place in a faultless page before, is not parsed.
    References (&amp;) lie in texts and values; `check` looks for them in every page.
    """
    if page.places <= _seen:
        return []
    parser = HTMLParser()
    parser.parse(html)
    errors = [error for error in parser.errors if error[1] != "invalid-character-in-attribute-name"]
    if not errors:
        _seen.update(page.places)
    return errors
