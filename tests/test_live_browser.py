"""Live tables in a browser: a presenter in Italian, guests in Polish and Spanish, each on a screen of their own."""

import os
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.conftest import CHROMIUM, Open
from tutor.rules import GAMES

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium"
    ),
]

SCREEN = {"viewport": {"width": 1280, "height": 720}}
PHONE = {"viewport": {"width": 390, "height": 844}}
KINDS = "white.too-late.segments.grey.first-recap"
"""A plan with a question of every kind: predict, ask, choose, do, recap."""


def open_table(page: Page, plan: str = "", game: str = "border", lang: str = "it") -> str:
    """Opens a table as presenters do, from the plan, and puts the sheet with the code away."""
    page.goto(f"/{lang}/{game}/teach/?plan={plan}")
    page.locator(".open-table button").click()
    if page.evaluate("Boolean(document.querySelector('#code')?.showModal)"):
        expect(page.locator("#code")).to_be_visible()
        page.locator("#code button").click()
    return code_of(page)


def code_of(page: Page) -> str:
    found = re.search(r"/t/([^/?]+)", page.url)
    assert found
    return found[1]


def join(open_page: Open, code: str, locale: str, **options: object) -> Page:
    """A guest's phone, by the address that is given away."""
    page = open_page(locale=locale, **{**PHONE, **options})
    page.goto(f"/t/{code}")
    expect(page).to_have_url(re.compile(f"/{locale[:2]}/t/{code}$"))
    page.evaluate("window.same = true")
    return page


def press(page: Page, key: str = "ArrowRight") -> None:
    """A key that changes what the table shows."""
    before = version(page)
    page.keyboard.press(key)
    expect(page.locator("#step")).not_to_have_attribute("data-version", before)


def version(page: Page) -> str:
    return str(page.locator("#step").get_attribute("data-version"))


def at(*pages: Page, step: str, open: bool) -> None:
    """All of them show this beat."""
    for page in pages:
        expect(page.locator(f"#step[data-step='{step}']{'[data-open]' if open else ':not([data-open])'}")).to_be_visible()


def said(page: Page) -> Locator:
    """What a guest is told of the own answer."""
    return page.locator("#mine")


def votes(page: Page) -> list[str]:
    return page.locator(".votes .vote-count").all_inner_texts()


def answered(page: Page, count: int) -> None:
    expect(page.locator("#floor")).to_contain_text(f"{count} rispost")


# The lesson


def test_a_table_follows_and_votes_in_its_own_languages(open_page: Open) -> None:
    page = open_page(**SCREEN)
    code = open_table(page, KINDS)
    marek, lucia = join(open_page, code, "pl-PL"), join(open_page, code, "es-ES")
    page.evaluate("window.same = true")
    expect(page.locator("#floor")).to_contain_text("2 partecipanti")

    # Predict: one is right, one is not; they talk, and vote again.
    at(page, marek, lucia, step="white", open=True)
    expect(marek.locator("h1")).to_have_text("Obszary i pola graniczne")
    expect(lucia.locator("html")).to_have_attribute("lang", "es")
    marek.locator("#choice-n").click()
    lucia.locator("#choice-y").click()
    expect(said(marek)).to_contain_text("Niedozwolone")
    expect(lucia.locator("#choice-y")).to_have_attribute("aria-pressed", "true")
    answered(page, 2)
    expect(page.locator(".votes")).to_have_count(0)
    page.keyboard.press("v")
    expect(page.locator(".votes li")).to_have_count(2)
    assert votes(page) == ["1", "1"]
    expect(page.locator(".votes :is(.right, .wrong)")).to_have_count(0)
    press(page, "r")
    expect(lucia.locator("#choice-y")).to_have_attribute("aria-pressed", "false")
    expect(said(lucia)).to_be_empty()
    answered(page, 0)
    for guest in (marek, lucia):
        guest.locator("#choice-n").click()
    answered(page, 2)
    expect(page.locator(".vote-count").last).to_have_text("2")
    marek.locator("#choice-y").click()
    expect(page.locator(".vote-count").last).to_have_text("1")
    press(page)
    at(page, marek, lucia, step="white", open=False)
    expect(said(lucia).locator(".verdict-word.yes")).to_be_visible()
    expect(said(marek).locator(".verdict-word.no")).to_be_visible()
    expect(page.locator(".votes .right .vote-count")).to_have_text("1")
    page.keyboard.press("v")
    expect(page.locator("#votes")).to_have_attribute("aria-pressed", "false")

    # Ask
    press(page)
    at(page, marek, lucia, step="too-late", open=True)
    expect(said(marek)).to_be_empty()
    marek.locator("#choice-2").click()
    lucia.locator(".answer:not(#choice-2)").first.click()
    answered(page, 2)
    press(page)
    expect(said(marek).locator(".verdict-word.yes")).to_be_visible()
    expect(said(lucia).locator(".verdict-word.no")).to_be_visible()

    # Choose: all that is right, and nothing else. The engine says why what was chosen is wrong.
    press(page)
    at(page, marek, lucia, step="segments", open=True)
    for guest, chosen in ((marek, (0, 2)), (lucia, (0, 1))):
        for choice in chosen:
            guest.locator(f"#choice-{choice}").check()
        guest.locator("#step .actions button").click()
        expect(said(guest)).not_to_be_empty()
    answered(page, 2)
    press(page)
    expect(said(marek).locator(".verdict-word.yes")).to_be_visible()
    expect(said(lucia)).to_contain_text("J7")
    assert votes(page) == ["2", "1", "1", "0"]
    expect(page.locator(".votes .wrong .vote-why")).to_have_count(1)

    # Do: by touching the board. The presenter sees where.
    press(page)
    at(page, marek, lucia, step="grey", open=True)
    for space in ("G1", "G2", "H1"):
        marek.locator(f"#space-{space}").click()
        expect(marek.locator(f"#space-{space}")).to_have_class(re.compile("picked"))
    marek.locator(".tray .buttons a, #cross").first.click()
    expect(marek.locator(".answering")).to_be_visible()
    marek.locator(".answering button").click()
    expect(said(marek)).to_contain_text("H1")
    lucia.locator("#space-A1").click()
    lucia.locator(".answering button").click()
    expect(said(lucia)).to_contain_text("A1")
    answered(page, 2)
    page.keyboard.press("v")
    expect(page.locator(".heat")).to_have_count(4)
    press(page)
    expect(said(marek).locator(".verdict-word.yes")).to_be_visible()
    expect(said(lucia).locator(".verdict-word.no")).to_be_visible()
    expect(page.locator(".votes .wrong .vote-why")).to_have_count(1)

    # Recap: each of its questions is voted on by itself.
    press(page)
    at(page, marek, lucia, step="first-recap", open=True)
    marek.locator("#choice-n").click()
    answered(page, 1)
    press(page)
    expect(said(marek).locator(".verdict-word.yes")).to_be_visible()
    press(page)
    at(page, marek, lucia, step="first-recap", open=True)
    expect(marek.locator("#choice-n")).to_have_attribute("aria-pressed", "false")
    marek.locator("#choice-n").click()
    answered(page, 1)
    press(page)
    expect(said(marek).locator(".verdict-word.no")).to_be_visible()
    press(page)
    at(page, marek, lucia, step="end", open=False)
    # Going back loses no vote.
    for _ in range(2):
        press(page, "ArrowLeft")
    expect(marek.locator("#choice-n")).to_have_attribute("aria-pressed", "true")
    assert all(one.evaluate("window.same") for one in (page, marek, lucia)), "nobody had to load a page"
