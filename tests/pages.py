"""A client that checks every page it fetches: valid HTML, one h1, the right language, no text unfilled."""

import re
from html.parser import HTMLParser as Walker
from itertools import pairwise
from typing import Any

from flask import Flask
from tinyhtml5.parser import HTMLParser
from werkzeug.test import TestResponse

from tutor.book.words import LANGUAGES

VOID = {"meta", "link", "img", "input", "br", "image", "path", "polygon", "use"}


class Outline(Walker):
    """What of a page the checks look at."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: list[str] = []
        self.headings: list[str] = []
        self.lang = ""
        self.unlabelled: list[str] = []
        self.labels: set[str] = set()
        self.inputs: list[str] = []
        self.inline: list[str] = []
        self.links: list[str] = []
        self.text: list[str] = []
        self._open: list[tuple[str, dict[str, str | None], int]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        got = dict(attrs)
        if got.get("id"):
            self.ids.append(str(got["id"]))
        if tag == "html":
            self.lang = str(got.get("lang"))
        if re.fullmatch("h[1-6]", tag):
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
        if tag not in VOID:
            self._open.append((tag, got, len(self.text)))

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.text.append(data.strip())

    def handle_endtag(self, tag: str) -> None:
        while self._open:
            opened, got, before = self._open.pop()
            if opened == "svg" and got.get("role") and not got.get("aria-label"):
                self.unlabelled.append(f"svg {got}")
            if opened in ("a", "button") and not got.get("aria-label") and len(self.text) == before:
                self.unlabelled.append(f"{opened} {got}")
            if opened == tag:
                return


class PageClient:
    """Flask's test client with a conscience."""

    def __init__(self, app: Flask) -> None:
        self.client = app.test_client()

    def get(self, path: str, status: int = 200, **kwargs: Any) -> TestResponse:
        response = self.client.get(path, **kwargs)
        assert response.status_code == status, f"{path}: {response.status_code}"
        if (
            response.mimetype == "text/html"
            and not 300 <= status < 400
            and not kwargs.get("headers", {}).get("HX-Request")
        ):
            check(path, response.text)
        return response

    def page(self, path: str, status: int = 200) -> Outline:
        return Outline(self.get(path, status).text)


def check(path: str, html: str) -> None:
    """Fails with the page's faults."""
    parser = HTMLParser()
    parser.parse(html)
    errors = [error for error in parser.errors if error[1] != "invalid-character-in-attribute-name"]
    assert not errors, f"{path}: {errors[:3]}"
    page = Outline(html)
    lang = path.split("/")[1]
    if lang in LANGUAGES:
        assert page.lang == lang, f"{path} says lang={page.lang}"
    assert page.headings.count("h1") == 1, f"{path}: {page.headings.count('h1')} h1"
    levels = [int(heading[1]) for heading in page.headings]
    assert all(b - a <= 1 for a, b in pairwise(levels)), f"{path}: headings {levels}"
    double = {name for name in page.ids if page.ids.count(name) > 1}
    assert not double, f"{path}: ids twice: {double}"
    assert not page.unlabelled, f"{path}: without a label: {page.unlabelled[:3]}"
    assert set(page.inputs) <= page.labels, (
        f"{path}: inputs without a label: {set(page.inputs) - page.labels}"
    )
    assert not page.inline, f"{path}: inline script or style: {page.inline[:3]}"
    text = " ".join(page.text)
    assert not re.search(r"\{[a-z.]+\}|%\(|\bNone\b(?! of)|Undefined|\?\?\?", text), f"{path}: unfilled text"
