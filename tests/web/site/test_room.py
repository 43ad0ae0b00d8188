"""Words and rings have room: nothing that is read or focused is cut off."""

import os

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import CHROMIUM, Open
from tutor.book.words import LANGUAGES

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium"
    ),
]
each_language = pytest.mark.parametrize("lang", LANGUAGES)
RING = 5
"""Pixels of a focus ring with its distance."""
CUT = """() => [...document.querySelectorAll(".new-table select")].filter((select) => {
  const width = select.offsetWidth;
  select.style.flex = "none";
  select.style.width = "max-content";
  return width + 1 < select.offsetWidth; // a pixel is what rounding makes of nothing
}).map((select) => select.name)"""
SPARE = """() => {
  const box = document.querySelector("#find");
  const style = getComputedStyle(box);
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  return box.clientWidth - 2 * parseFloat(style.paddingLeft) - pen.measureText(box.placeholder).width;
}"""
CLEAR = 16
"""Pixels that a browser keeps for the button that empties a box."""
GAPS = """() => [...document.querySelectorAll(".scores thead tr")].flatMap((row) => {
  const words = [...row.querySelectorAll("th")].map((head) => {
    const range = new Range();
    range.selectNodeContents(head);
    return range.getBoundingClientRect();
  });
  return words.slice(1).map((word, i) => word.left - words[i].right);
})"""


@pytest.fixture
def laptop(open_page: Open) -> Page:
    return open_page(viewport={"width": 1280, "height": 720})


@each_language
def test_a_choice_can_be_read(laptop: Page, lang: str) -> None:
    laptop.goto(f"/{lang}/confini/referee")
    assert laptop.evaluate(CUT) == []


@each_language
def test_the_box_says_what_it_is_for(laptop: Page, lang: str) -> None:
    laptop.goto(f"/{lang}/")
    assert laptop.evaluate(SPARE) >= CLEAR


@each_language
def test_names_above_scores_stand_apart(open_page: Open, lang: str) -> None:
    phone = open_page(viewport={"width": 390, "height": 844})
    phone.goto(f"/{lang}/blockers/editions")
    assert min(phone.evaluate(GAPS)) >= 10
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_ring_of_the_contents_is_whole(laptop: Page) -> None:
    laptop.goto("/es/confini/rules")
    contents, link = (laptop.locator(one).first.bounding_box() for one in ("#contents", "#contents ol ol a"))
    assert contents
    assert link
    assert link["x"] + link["width"] + RING <= contents["x"] + contents["width"]


def test_the_card_that_a_link_leads_to_stands_out(laptop: Page) -> None:
    laptop.goto("/es/confini/pieces")
    card = laptop.locator(".piece:has(.game-card)").nth(3)
    laptop.goto(f"/es/confini/pieces#{card.get_attribute('id')}")
    expect(card).to_have_css("outline-style", "solid")
