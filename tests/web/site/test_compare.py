"""Two languages side by side: aligned by id, each text in its own language."""

import gzip
import re
from html import unescape
from html.parser import HTMLParser
from itertools import permutations

import pytest
from flask import Flask

from tests.pages import PageClient
from tutor.book.words import LANGUAGES
from tutor.games import GAMES
from tutor.lessons.course import Course
from tutor.lookup.examples import steps_of
from tutor.web.http.cache import Pages
from tutor.web.http.i18n import NAMES

each_pair = pytest.mark.parametrize(("lang", "other"), list(permutations(LANGUAGES, 2)))
each_game = pytest.mark.parametrize("game", GAMES)
MOST_BYTES = 60_000


class Pairs(HTMLParser):
    """For each pair of the page: its id, and the words of its sides in turn, by the language they claim."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, list[tuple[str, str]]]] = []
        self._depth = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        got = dict(attrs)
        if tag != "div":
            return
        if "pair" in (got.get("class") or "").split():
            self.found.append((got.get("id") or "", []))
            self._depth = 1
        elif self._depth:
            self._depth += 1
            self.found[-1][1].append((got.get("lang") or "", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "div" and self._depth:
            self._depth -= 1

    def handle_data(self, data: str) -> None:
        if self._depth > 1:
            lang, text = self.found[-1][1][-1]
            self.found[-1][1][-1] = lang, text + data


def letters(html: str) -> str:
    """What an entry's HTML says, without spaces."""
    return "".join(unescape(re.sub("<[^>]*>", "", html)).split())


@each_pair
@each_game
@pytest.mark.patient
@pytest.mark.slow
def test_every_rule_stands_beside_itself(
    client: PageClient, all_courses: dict[str, Course], game: str, lang: str, other: str
) -> None:
    address = f"/{lang}/{game}/compare?with={other}"
    html = client.get(address).text
    assert len(gzip.compress(html.encode())) < MOST_BYTES
    # Two games' examples have the names of sections, so theirs begin with a word, as on the rules page.
    pairs = [(name.removeprefix("example-"), sides) for name, sides in Pairs(html).found if name]
    course = all_courses[game]
    assert [name for name, _ in pairs] == list(course.texts[lang].entries)
    for name, sides in pairs:
        kind = course.texts[lang].entries[name].kind
        steps = steps_of(course, name) if kind == "example" else ()
        told_at = [step for step in steps if course.tell(name, step, lang).story()]
        # An example is told step by step, each in both languages.
        assert [code for code, _ in sides] == [lang, other] * (1 + len(told_at))
        for code in (lang, other):
            entry = course.texts[code].entries[name]
            told = [course.tell(name, step, code).story() for step in told_at]
            said = [letters(" ".join([entry.title, *entry.paragraphs])), *map(letters, told)]
            shown = ["".join(text.split()) for one, text in sides if one == code]
            tag = f"{code.upper()}{NAMES[code]}"
            for text, wanted in zip(shown, said, strict=True):
                assert text.startswith(tag), f"{name} in {code}"
                assert text.endswith(wanted), f"{name} in {code}"


@each_pair
def test_switching_to_the_language_on_the_right_turns_the_page_round(
    client: PageClient, lang: str, other: str
) -> None:
    page = client.page(f"/{lang}/border/compare?with={other}")
    assert f"/{other}/border/compare?with={lang}" in page.links
    for third in set(LANGUAGES) - {lang, other}:
        assert f"/{third}/border/compare?with={other}" in page.links  # the reader's own language changes
        assert f"/{lang}/border/compare?with={third}" in page.links  # the one beside it does


@each_game
def test_contents_and_anchors(client: PageClient, all_courses: dict[str, Course], game: str) -> None:
    page = client.page(f"/pl/{game}/compare")
    for part in all_courses[game].texts["pl"].parts:
        assert f"#{part.id}" in page.links
        assert part.id in page.ids
    assert f"/pl/{game}/compare" in client.page(f"/pl/{game}/rules").links


@pytest.mark.parametrize("lang", LANGUAGES)
def test_without_another_language_one_is_chosen(client: PageClient, lang: str) -> None:
    for query in ("", f"?with={lang}"):
        _, sides = next(
            pair for pair in Pairs(client.get(f"/{lang}/border/compare{query}").text).found if pair[0]
        )
        first, second = (code for code, _ in sides[:2])
        assert first == lang != second


@pytest.mark.parametrize("other", ["de", "", "x" * 50, "<b>"])
def test_a_language_that_is_not_there_is_not_found(client: PageClient, other: str) -> None:
    client.get("/it/border/compare", 404, query_string={"with": other})


def test_the_page_is_remembered(app: Flask, client: PageClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(app.extensions, "pages", Pages())
    for address in ("/it/border/compare?with=es", "/it/border/compare?with=es&x=1"):
        client.get(address)
        assert len(app.extensions["pages"]) == 1
