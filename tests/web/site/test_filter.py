"""The box that filters a long page: it counts, marks, and leaves room for what was found."""

import os
import re

import pytest
from playwright.sync_api import Page, expect

from tests.books import having
from tests.conftest import CHROMIUM, Open
from tutor.games import GAMES

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium"
    ),
]
KEYBOARD_BEGINS = 420
"""Pixels from the top of a phone: below, its keyboard may lie over the page."""
FILTERED = {
    "/es/confini/rules": ("CORDEL", "[data-item]"),
    "/pl/border/rules": ("biale", "[data-item]"),
    "/es/glossary": ("azár", ".glossary > div"),
    "/pl/confini/compare": ("sznurek", ".pair[id]"),
    "/it/blockers/pieces": ("jolly", ".piece"),
    "/en/confini/rulings": ("twine", ".question"),
    "/es/confini/referee": ("humo", ".examples > details"),
}
MARKED = """() => [...CSS.highlights.get("found") ?? []].map(String)"""


def plain(text: str) -> str:
    return text.lower().translate(str.maketrans("áéíóúąęłżźćńś", "aeiouaelzzcns"))


@pytest.fixture
def phone(open_page: Open) -> Page:
    return open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)


@pytest.mark.parametrize("path", FILTERED)
@pytest.mark.slow
def test_what_is_found_is_counted_and_marked_above_the_keyboard(phone: Page, path: str) -> None:
    typed, items = FILTERED[path]
    phone.goto(path)
    phone.evaluate("scrollTo(0, 4000)")
    phone.locator("#filter").fill(typed)
    left = phone.locator(f"{items}:visible")
    expect(phone.locator(".filter output")).to_have_text(re.compile(rf"^{left.count()}\s\S+$"))
    assert 0 < left.count() < phone.locator(items).count()
    box = left.first.bounding_box()
    assert box
    assert 0 < box["y"] < KEYBOARD_BEGINS
    marked = phone.evaluate(MARKED)
    assert marked
    assert {plain(text) for text in marked} == {plain(typed)}
    phone.locator("#filter").fill("")
    expect(phone.locator(".filter output")).to_be_empty()
    expect(left).to_have_count(phone.locator(items).count())
    expect(phone.locator(".part[hidden], .toc [hidden]")).to_have_count(0)
    assert phone.evaluate(MARKED) == []


@pytest.mark.parametrize(
    ("typed", "said"), [("zzz", "0 wyników"), ("biale", "3 wyniki"), ("pisak", "1 wynik")]
)
def test_the_count_is_said_as_the_language_counts(phone: Page, typed: str, said: str) -> None:
    phone.goto("/pl/border/rules")
    phone.locator("#filter").fill(typed)
    expect(phone.locator(".filter output")).to_have_text(re.compile(said.replace(" ", r"\s")))


@pytest.mark.parametrize(
    ("game", "page"),
    [*((game, "pieces") for game in having("pieces")), *((game, "compare") for game in GAMES)],
)
def test_on_a_phone_the_title_comes_before_the_contents(phone: Page, game: str, page: str) -> None:
    phone.goto(f"/pl/{game}/{page}")
    title = phone.locator("h1").bounding_box()
    assert title
    assert title["y"] < 150
    expect(phone.locator("#contents")).to_be_hidden()
    phone.locator("[popovertarget=contents]").tap()
    expect(phone.locator("#contents a").first).to_be_visible()


def test_the_box_of_the_referee_is_there_again_after_a_table(phone: Page) -> None:
    phone.goto("/es/confini/referee")
    for row in phone.locator(".examples summary").all()[:5]:
        box = row.bounding_box()
        assert box
        assert box["height"] >= 44
    phone.locator("#filter").fill("humo")
    phone.locator("#filter").press("Enter")
    expect(phone).to_have_url(re.compile("/es/confini/referee$"))
    expect(phone.locator(".new-table")).to_be_hidden()
    phone.locator(".examples summary:visible").first.tap()
    phone.locator(".from a:visible").first.tap()
    phone.locator("#other").tap()
    expect(phone.locator(".new-table")).to_be_visible()
    phone.locator("#filter").fill("humo")
    expect(phone.locator(".filter output")).not_to_be_empty()
