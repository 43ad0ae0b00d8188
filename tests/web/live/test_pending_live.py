"""What is pending at a live table: votes that fail, streams that break, blocked cookies, missing scripts."""

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tests.conftest import CHROMIUM, PATIENCE
from tests.web.live.test_browser import PHONE, open_table, press, screen
from tests.web.live.test_browser import site as site
from tutor.paths import STATIC
from tutor.web.live.stream import HEARTBEAT_SECONDS, LOOK_AGAIN_SECONDS

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(
        not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium"
    ),
]


class House:
    """A presenter and guests, each in a context of their own; a script that fails is a fault."""

    def __init__(self, browser: Browser, site: str) -> None:
        self.browser, self.site = browser, site
        self.faults: list[str] = []
        self.contexts: list[BrowserContext] = []

    def page(self, **options: Any) -> Page:
        context = self.browser.new_context(base_url=self.site, **options)
        context.set_default_timeout(PATIENCE)
        self.contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        return page

    def table(self, plan: str) -> tuple[Page, str]:
        host = self.page(**screen())
        return host, open_table(host, plan)

    def guest(self, code: str) -> Page:
        page = self.page(**PHONE)
        page.goto(f"/pl/t/{code}")
        return page


@pytest.fixture
def house(browser: Browser, site: str) -> Iterator[House]:
    made = House(browser, site)
    yield made
    for context in made.contexts:
        context.close()
    assert not made.faults


def answers(page: Page, count: int) -> None:
    expect(page.locator("#floor")).to_contain_text(f"{count} rispost")


def lost(route: Route) -> None:
    if route.request.method == "POST":
        route.abort()
    else:
        route.continue_()


def test_a_vote_that_failed_says_so_and_is_sent_again(house: House) -> None:
    host, code = house.table("white.grey")
    guest = house.guest(code)
    guest.route(f"**/t/{code}", lost)
    guest.locator("#choice-n").click()
    expect(guest.locator("#trouble")).to_contain_text("nie wiadomo jeszcze")
    expect(guest.locator("#choice-n")).to_have_attribute("aria-pressed", "false")
    guest.unroute(f"**/t/{code}")
    guest.locator("#trouble button").click()
    expect(guest.locator("#choice-n")).to_have_attribute("aria-pressed", "true")
    expect(guest.locator("#trouble")).to_be_empty()
    answers(host, 1)


def test_a_vote_that_is_late_ticks_no_other_question(house: House) -> None:
    host, code = house.table("white.villages")
    guest = house.guest(code)
    held: list[Route] = []

    def hold(route: Route) -> None:
        if route.request.method == "POST":
            held.append(route)
        else:
            route.continue_()

    guest.route(f"**/t/{code}", hold)
    guest.locator("#choice-n").click()
    press(host)
    press(host)
    expect(guest.locator("#screen")).not_to_have_attribute("data-screen", "white")
    for route in held:
        route.continue_()
    expect(guest.locator("#noted")).to_be_visible()
    expect(guest.locator(".answer[aria-pressed=true]")).to_have_count(0)


def test_a_failed_vote_is_not_kept_for_the_next_question(house: House) -> None:
    host, code = house.table("white.villages")
    guest = house.guest(code)
    guest.route(f"**/t/{code}", lost)
    guest.locator("#choice-n").click()
    expect(guest.locator("#trouble button")).to_be_visible()
    press(host)
    press(host)
    expect(guest.locator("#screen")).not_to_have_attribute("data-screen", "white")
    expect(guest.locator("#trouble")).to_be_empty()


def unanswered(route: Route) -> None:
    """What is sent arrives, and its answer does not."""
    if route.request.method == "POST":
        route.fetch()
        route.abort()
    else:
        route.continue_()


def test_a_vote_whose_answer_was_lost_is_shown_at_the_next_contact(house: House) -> None:
    host, code = house.table("white.villages")
    guest = house.guest(code)
    guest.route(f"**/t/{code}", unanswered)
    guest.locator("#choice-n").click()
    answers(host, 1)
    expect(guest.locator("#trouble button")).to_be_visible()
    guest.unroute(f"**/t/{code}")
    host.keyboard.press("p")  # nothing new but for what the presenter does
    host.locator("#spot-H1").click()
    expect(guest.locator("#choice-n")).to_have_attribute("aria-pressed", "true")
    expect(guest.locator("#trouble")).to_be_empty()
    answers(host, 1)


def test_a_vote_that_counts_did_not_come_too_late(house: House) -> None:
    host, code = house.table("white.villages")
    guests = [house.guest(code) for _ in range(2)]
    for guest, line in zip(guests, (unanswered, lost), strict=True):
        guest.route(f"**/t/{code}", line)
        guest.locator("#choice-n").click()
        expect(guest.locator("#trouble button")).to_be_visible()
        guest.unroute(f"**/t/{code}")
    counted, late = guests
    with counted.expect_response(lambda answer: answer.request.method == "POST"):
        press(host)
    expect(late.locator("#noted")).to_contain_text("Za późno")
    expect(counted.locator("#mine .verdict-word.yes")).to_be_visible()
    expect(counted.locator("#noted")).to_be_empty()


def test_a_vote_that_never_arrived_is_told_so_when_the_line_is_back(house: House) -> None:
    host, code = house.table("white.villages")
    guest = house.guest(code)
    guest.route(f"**/t/{code}", lost)
    guest.locator("#choice-n").click()
    expect(guest.locator("#trouble button")).to_be_visible()
    press(host)
    expect(guest.locator("#screen[data-screen=white]:not([data-open])")).to_be_visible()
    expect(guest.locator("#noted")).to_be_empty()
    guest.unroute(f"**/t/{code}")
    expect(guest.locator("#noted")).to_contain_text("Za późno")


def test_a_line_that_is_dead_is_told_within_fifteen_seconds(house: House) -> None:
    _, code = house.table("white.grey")
    guest = house.page(**PHONE)
    guest.clock.install()
    guest.goto(f"/pl/t/{code}")
    expect(guest.locator("#screen")).to_be_visible()
    for address in ("**/events*", f"**/t/{code}"):
        guest.route(address, lambda route: None)
    guest.clock.run_for(9_000)
    expect(guest.locator("#trouble")).to_be_empty()
    guest.clock.run_for(6_000)
    expect(guest.locator("#trouble")).to_contain_text("Utracono połączenie")
    for address in ("**/events*", f"**/t/{code}"):
        guest.unroute(address)
    guest.clock.run_for(15_000)
    expect(guest.locator("#trouble")).to_be_empty()


def test_whoever_hears_nothing_has_missed_two_signs_of_life() -> None:
    script = (STATIC / "live.js").read_text("utf-8")
    silent, soon = (int(re.findall(rf"const {name} = (\d+);", script)[0]) for name in ("SILENT", "SOON"))
    assert silent > 2 * HEARTBEAT_SECONDS * 1000
    assert silent + soon <= 15_000
    assert LOOK_AGAIN_SECONDS % HEARTBEAT_SECONDS == 0


def refused(house: House, status: int) -> tuple[Page, list[str]]:
    """A guest whose stream is answered so, and the methods of what was asked for."""
    _, code = house.table("white.grey")
    guest = house.page(**PHONE)
    asked: list[str] = []

    def refuse(route: Route) -> None:
        asked.append(route.request.method)
        route.fulfill(status=status, body="")

    guest.route("**/events*", refuse)
    guest.goto(f"/pl/t/{code}")
    return guest, asked


@pytest.mark.slow
def test_a_stream_that_is_refused_makes_no_storm(house: House) -> None:
    guest, asked = refused(house, 502)
    expect(guest.locator("#trouble")).to_contain_text("Utracono połączenie")
    guest.wait_for_timeout(10_000)
    assert len(asked) <= 9, asked
    guest.unroute("**/events*")
    expect(guest.locator("#trouble")).to_be_empty()


@pytest.mark.slow
def test_a_table_that_is_gone_is_not_asked_for_again(house: House) -> None:
    guest, asked = refused(house, 404)
    expect(guest.locator("#trouble")).to_contain_text("zamknięt")
    known = len(asked)
    guest.wait_for_timeout(5000)
    assert len(asked) == known <= 2


BLOCKED = """
  const refuse = { get() { throw new DOMException("denied", "SecurityError"); } };
  Object.defineProperty(window, "sessionStorage", refuse);
  Object.defineProperty(Document.prototype, "cookie", { get: () => "", set: () => {} });
"""


def test_whoever_blocks_cookies_is_told_that_they_are_needed(house: House) -> None:
    host, code = house.table("white.grey")
    guest = house.page(**PHONE)
    guest.add_init_script(BLOCKED)
    guest.goto(f"/pl/t/{code}")
    expect(guest.locator("#trouble")).to_contain_text("cookie")
    press(host)
    expect(guest.locator("#screen[data-screen=white]:not([data-open])")).to_be_visible()
    for address in ("/pl/border/learn/villa", "/pl/border/teach/villa", "/pl/search"):
        guest.goto(address)


@pytest.mark.parametrize("script", ["htmx.min", "live", "pending"])
def test_a_table_without_one_of_its_scripts(house: House, script: str) -> None:
    """A guest looks again by a link and answers by a form; the presenter's arrow still leads on."""
    host, code = house.table("white.grey")
    guest = house.page(**PHONE)
    guest.route(re.compile(rf"/{script}\.\w+\.js"), lambda route: route.abort())
    guest.goto(f"/pl/t/{code}")
    expect(guest.locator("#refresh a")).to_be_visible()
    guest.locator("#choice-n").click()
    answers(host, 1)
    press(host)
    guest.locator("#refresh a").click()
    expect(guest.locator("#screen[data-screen=white]:not([data-open])")).to_be_visible()


def test_an_arriving_vote_does_not_cancel_next(house: House) -> None:
    host, code = house.table("white.grey")
    guest = house.guest(code)
    held: list[Route] = []

    def hold(route: Route) -> None:
        if route.request.method == "POST":
            held.append(route)
        else:
            route.continue_()

    host.locator("#votes").click()
    expect(host.locator("#screen[data-votes]")).to_be_visible()
    host.route("**/present*", hold)
    host.keyboard.press("ArrowRight")
    guest.locator("#choice-n").click()
    expect(guest.locator("#choice-n")).to_have_attribute("aria-pressed", "true")
    host.wait_for_timeout(1500)
    assert held
    for route in held:
        route.continue_()
    expect(host.locator("#screen[data-screen=white]:not([data-open])")).to_be_visible()
