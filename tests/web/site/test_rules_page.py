"""The rules page: a rule keeps its place from one language to another, and gives away its address."""

import re
import time

import pytest
from playwright.sync_api import Page, Route, expect

from tests.conftest import CHROMIUM, Open
from tests.pages import PageClient
from tutor.book.load import Library
from tutor.book.words import LANGUAGES

in_a_browser = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here")
RULE = "border.second.beside"


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.patient
def test_every_rule_leads_to_itself_in_the_other_languages(
    library: Library, client: PageClient, lang: str
) -> None:
    """Without script as well."""
    for game, texts in library.texts.items():
        links = set(client.page(f"/{lang}/{game}/rules").links)
        rules = [entry.id for entry in texts[lang].entries.values() if entry.kind == "rule"]
        others = [other for other in LANGUAGES if other != lang]
        assert links >= {f"/{other}/{game}/rules#{rule}" for rule in rules for other in others}


@in_a_browser
@pytest.mark.parametrize("script", [True, False])
def test_the_rule_of_the_address_shows_its_pairs(open_page: Open, script: bool) -> None:
    page = open_page(java_script_enabled=script, viewport={"width": 360, "height": 640})
    page.goto(f"/en/border/rules#{RULE}")
    shown = page.locator(".pairs:visible a")
    expect(shown).to_have_count(len(LANGUAGES) - 1)
    shown.and_(page.locator("[lang=pl]")).click()
    expect(page).to_have_url(re.compile(f"/pl/border/rules#{RULE}$"))
    expect(page.locator(f"[id='{RULE}']")).to_be_in_viewport()


def read_at(page: Page, rule: str) -> str:
    """Reads at a rule, or just after it; which one the contents mark."""
    page.evaluate("id => document.getElementById(id).scrollIntoView()", rule)
    current = page.locator(".toc a[aria-current]")
    expect(current).to_have_attribute("href", re.compile(rf"#{rule.rpartition('.')[0]}\."))
    return current.get_attribute("href") or ""


@in_a_browser
def test_a_change_of_language_stays_at_the_rule(open_page: Open) -> None:
    page = open_page(viewport={"width": 1280, "height": 720})
    page.goto(f"/en/border/rules#{RULE}")
    page.locator("#lang-it").click()
    expect(page).to_have_url(re.compile(f"/it/border/rules#{RULE}$"))
    # Whoever has read on takes along what is being read.
    reading = read_at(page, "border.score.first")
    page.locator(".toc-langs [lang=es]").click()
    expect(page).to_have_url(re.compile(f"/es/border/rules{re.escape(reading)}$"))


@in_a_browser
def test_on_a_phone_the_languages_are_in_the_contents(open_page: Open) -> None:
    page = open_page(viewport={"width": 360, "height": 640}, has_touch=True)
    page.goto("/pl/confini/rules")
    read_at(page, "confini.smoke.value")
    page.get_by_role("button", name="Spis treści").tap()
    expect(page.locator(".toc-langs")).to_be_visible()
    reading = page.locator(".toc a[aria-current]").get_attribute("href") or ""
    page.locator(".toc-langs [lang=it]").tap()
    expect(page).to_have_url(re.compile(f"/it/confini/rules{re.escape(reading)}$"))


@in_a_browser
def test_the_sign_of_a_rule_copies_its_address_and_says_so(open_page: Open) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.clock.install()
    page.goto("/en/border/rules")
    sign = page.locator(f"[id='{RULE}'] .permalink")
    box = sign.bounding_box()
    assert box
    assert min(box["width"], box["height"]) >= 39.5
    sign.click()
    expect(page.locator("#say")).to_have_text("Link copied.")
    expect(sign).to_have_text("Link copied.")
    assert page.evaluate("navigator.clipboard.readText()").endswith(f"/r/{RULE}")
    page.clock.fast_forward(4000)
    expect(sign).to_have_text("#")


@in_a_browser
@pytest.mark.parametrize("late", ["terms.js", "filter.js", "htmx.min.js"])
def test_an_example_of_the_address_opens_whatever_comes_late(open_page: Open, late: str) -> None:
    def wait(route: Route) -> None:
        time.sleep(1)
        route.continue_()

    page = open_page()
    page.route(f"**/{late}*", wait)
    page.goto("/en/border/rules#example-sarah-grey")
    expect(page.locator("#example-sarah-grey figure.example")).to_be_visible()


@in_a_browser
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.slow
def test_neither_the_header_nor_a_button_of_the_home_page_wraps(open_page: Open, lang: str) -> None:
    """At any width: the buttons stand in one line or under each other, and their words in one."""
    page = open_page()
    lines = """() => [...document.querySelectorAll(".card .actions .button, .top .trail")].filter((one) => {
      const range = new Range();
      range.selectNodeContents(one.querySelector("a") ?? one); // its words, not the box around them
      return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1;
    }).map((one) => one.textContent)"""
    for path in (f"/{lang}/", f"/{lang}/blockers/rules"):
        page.goto(path)
        for width in (320, 360, 390, 544, 600, 768, 820, 960, 1024, 1280):
            page.set_viewport_size({"width": width, "height": 700})
            assert page.evaluate(lines) == [], (path, width)
            assert page.evaluate("document.querySelector('.top').offsetHeight") < 70, (path, width)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, width)
