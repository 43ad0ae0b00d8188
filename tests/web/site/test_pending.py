"""What is pending on a page: slow lines, failures, impatient fingers, scripts that come late or never."""

import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, ViewportSize, expect

from tests.conftest import CHROMIUM, PATIENCE

PHONE = {"width": 390, "height": 844}
LAPTOP: ViewportSize = {"width": 1280, "height": 720}
browsing = pytest.mark.skipif(
    not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium"
)


class Line:
    """The line between a page and its server: answers can be held, lost or replaced."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.held: list[Route] = []
        self.asked: list[str] = []
        self._how: Callable[[Route], None] = Route.continue_
        self._which = re.compile("$^")
        page.route("**/*", self._handle)

    def _handle(self, route: Route) -> None:
        url = route.request.url
        if self._which.search(url) and "/static/" not in url:
            self.asked.append(url)
            self._how(route)
        else:
            route.continue_()

    def hold(self, which: str = ".") -> None:
        self._which, self._how = re.compile(which), self.held.append

    def lose(self, which: str = ".") -> None:
        self._which, self._how = re.compile(which), Route.abort

    def answer(self, status: int, which: str = ".") -> None:
        self._which = re.compile(which)
        self._how = lambda route: route.fulfill(status=status, body="", content_type="text/html")

    def open(self) -> None:
        """All goes through from now on, what was held too."""
        self._which = re.compile("$^")
        held, self.held = self.held, []
        for route in held:
            route.continue_()

    def waits(self, count: int = 1) -> None:
        """Until so many are held."""
        for _ in range(PATIENCE // 20):
            if len(self.held) >= count:
                return
            self.page.wait_for_timeout(20)
        pytest.fail(f"{len(self.held)} are held, not {count}")


Shaky = Callable[..., tuple[Page, Line]]


@pytest.fixture
def shaky(browser: Browser, site: str) -> Iterator[Shaky]:
    """Makes pages on a line that the test holds; a script that fails is a fault even there."""
    faults: list[str] = []
    contexts = []

    def new_page(**options: Any) -> tuple[Page, Line]:
        context = browser.new_context(base_url=site, **{"viewport": LAPTOP, **options})
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        return page, Line(page)

    yield new_page
    for context in contexts:
        context.close()
    assert not faults


def trouble(page: Page) -> Locator:
    return page.locator("#trouble")


def picked(page: Page, *names: str) -> None:
    for name in names:
        expect(page.locator(f"#space-{name}.picked")).to_have_count(1)
    expect(page.locator("[data-board] .picked")).to_have_count(len(names))


def quick_click(page: Page, target: str) -> None:
    """A finger that waits for nothing."""
    page.locator(target).dispatch_event("click")


# Impatient fingers


@browsing
def test_what_is_touched_meanwhile_is_touched_on_the_new_board(shaky: Shaky) -> None:
    page, line = shaky()
    page.goto("/en/border/learn/villa")
    line.hold()
    for name in ("A6", "A7", "A8"):
        quick_click(page, f"#space-{name}")
    line.waits()
    assert len(line.held) == 1
    line.open()
    picked(page, "A6", "A7", "A8")


@browsing
def test_what_is_touched_while_the_line_is_cut_is_all_done_later(shaky: Shaky) -> None:
    page, _ = shaky()
    page.goto("/en/border/learn/villa")
    page.context.set_offline(True)
    for name in ("A6", "A7", "A8"):
        quick_click(page, f"#space-{name}")
        expect(trouble(page)).to_contain_text("offline")
    page.context.set_offline(False)
    picked(page, "A6", "A7", "A8")


@browsing
def test_a_plan_is_changed_as_fast_as_one_touches(shaky: Shaky) -> None:
    page, line = shaky()
    page.goto("/en/border/teach/")
    screens = page.locator("ol.plan > li")
    count = screens.count()
    links = [one.get_attribute("id") for one in page.locator("ol.plan > li a:last-child").all()[2:5]]
    line.hold()
    for one in links:
        quick_click(page, f"#{one}")
    line.waits()
    line.open()
    expect(screens).to_have_count(count - 3)


@browsing
def test_a_cell_that_is_touched_before_the_tile_is_picked_counts(shaky: Shaky) -> None:
    page, line = shaky()
    page.goto("/en/blockers/learn/number")
    place = page.locator(
        "#screen .focus-board [data-name*='C3'], #screen .focus-board [aria-label*='C3']"
    ).first
    box = place.bounding_box()
    assert box
    line.hold()
    quick_click(page, "#screen .rack a.tile >> nth=0")
    line.waits()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    line.open()
    expect(page).to_have_url(re.compile(r"moves=p1\+red\+3\+C3"))


@browsing
@pytest.mark.parametrize("status", [200, 502])
def test_what_a_stranger_answers_does_not_take_the_screens_place(shaky: Shaky, status: int) -> None:
    """A network that wants one to sign in, or a proxy whose server is away."""
    page, line = shaky()
    page.goto("/it/border/learn/villa")
    html = f"<html><h1>{status} somebody</h1><p>else</p></html>"
    line._which = re.compile("/learn/")
    line._how = lambda route: route.fulfill(status=status, body=html, content_type="text/html")
    page.locator("#next").click()
    expect(trouble(page)).to_contain_text("qui non è cambiato nulla")
    expect(page.locator("#screen")).to_have_attribute("data-screen", "villa")
    line.open()
    trouble(page).locator("button").click()
    expect(page.locator("#screen")).not_to_have_attribute("data-screen", "villa")


@browsing
def test_a_table_is_opened_once(shaky: Shaky) -> None:
    page, line = shaky()
    page.goto("/en/border/teach/")
    line.hold("/t/")
    page.evaluate("for (const _ of '123') document.querySelector('.open-table button').click()")
    page.wait_for_timeout(200)
    assert len(line.held) == 1
    line.open()
    expect(page).to_have_url(re.compile("/present"))


SET_UP = (
    "/en/confini/referee?at=1.place+active=p1+round=5+p1=andrea+p1.eco=1+p1.spago=2+p2=vasco+held=L1-PRE-B"
)


@browsing
@pytest.mark.parametrize("slow", [True, False], ids=["slow", "quick"])
def test_the_referee_judges_what_was_set_up_last(shaky: Shaky, slow: bool) -> None:
    """Two presses on "+", a choice in a menu, and at once "Ask the referee"."""
    page, line = shaky()
    page.goto(f"{SET_UP}&edit=1")
    if slow:
        line.hold()
    quick_click(page, "#tool-spago-3")
    quick_click(page, "#tool-spago-3")
    page.locator("#menu-held").select_option(index=3)
    quick_click(page, "#judge")
    if slow:
        line.waits()
    line.open()
    expect(page.locator("#screen")).to_have_attribute("data-screen", "referee-table")
    assert "spago=4" in page.url.replace("%3D", "=")
    assert "L1-PRE-B" not in page.url


@browsing
def test_whoever_skips_takes_no_pick_along(shaky: Shaky) -> None:
    page, line = shaky()
    page.goto("/en/border/learn/villa")
    line.hold("pick")
    for target in ("#space-A6", "#space-A7", "#next"):
        quick_click(page, target)
    expect(page.locator("#screen")).not_to_have_attribute("data-screen", "villa")
    line.open()
    page.wait_for_timeout(300)
    assert "pick" not in page.url
    expect(page.locator(".picked")).to_have_count(0)


@browsing
def test_back_while_an_answer_is_under_way(shaky: Shaky) -> None:
    """The address and what is shown agree."""
    page, line = shaky()
    page.goto("/en/border/learn/villa")
    for name in ("A6", "A7"):
        page.locator(f"#space-{name}").click()
        expect(page.locator(f"#space-{name}.picked")).to_be_visible()
    line.hold("A8")
    page.locator("#space-A8").click()
    line.waits()
    page.go_back()
    picked(page, "A6")
    line.open()
    page.wait_for_timeout(300)
    picked(page, "A6")
    assert page.url.endswith("pick=A6")


@browsing
@pytest.mark.parametrize("quick", [True, False], ids=["quick", "slow"])
def test_a_double_click_on_next_is_one(shaky: Shaky, quick: bool) -> None:
    page, line = shaky()
    page.goto("/en/border/learn/villa")
    following = page.locator("#next").get_attribute("href") or ""
    if not quick:
        line.hold()
    page.evaluate(
        """async (quick) => {
             const click = (detail) => document.querySelector("#next").dispatchEvent(
               new PointerEvent("click", { bubbles: true, cancelable: true, detail }));
             const first = document.querySelector("#screen");
             click(1);
             while (quick && first.isConnected) await new Promise(requestAnimationFrame);
             click(2);
           }""",
        quick,
    )
    line.open()
    expect(page.locator("#screen")).not_to_have_attribute("data-screen", "villa")
    page.wait_for_timeout(300)
    assert page.url.endswith(following)


@browsing
def test_a_clicker_that_is_pressed_in_vain_does_not_run_away(shaky: Shaky) -> None:
    page, line = shaky()
    page.goto("/en/border/teach/villa")
    beats = []
    for _ in range(2):
        beats.append(page.url)
        page.keyboard.press("ArrowRight")
        expect(page).not_to_have_url(beats[-1])
    page.goto(beats[0])
    line.hold("/teach/")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#waiting")).to_be_visible()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    line.open()
    expect(page).to_have_url(beats[1])
    page.wait_for_timeout(500)
    expect(page).to_have_url(beats[1])
    expect(page.locator("#waiting")).to_be_hidden()


# Slow lines and none


@browsing
def test_a_quick_answer_shows_no_sign_of_waiting(shaky: Shaky) -> None:
    page, _ = shaky()
    page.goto("/en/border/learn/villa")
    page.evaluate(
        """() => {
             window.shown = 0;
             const bar = document.querySelector("#waiting");
             new MutationObserver(() => { window.shown += !bar.hidden; }).observe(bar, { attributes: true });
           }"""
    )
    page.locator("#space-A6").click()
    picked(page, "A6")
    assert page.evaluate("window.shown") == 0


ACTS = {
    "lesson": ("/pl/border/learn/villa", "#space-A6", "#space-A6.picked"),
    "referee": ("/pl/blockers/referee?from=first-tiles/start", "#list", ".legal"),
    "presenter": ("/pl/border/teach/villa", "#next", "#screen:not([data-open])"),
    "stepper": ("/pl/border/rules#example-sarah-rolls", "#sarah-rolls-next", "text=2 /"),
}


@pytest.fixture(params=ACTS)
def acting(request: pytest.FixtureRequest, shaky: Shaky) -> tuple[Page, Line, str, str]:
    """A page, its line, something to press, and what then comes."""
    address, target, then = ACTS[request.param]
    page, line = shaky()
    if "first-tiles" in address:
        page.goto("/pl/blockers/referee")
        page.locator("#new").click()
        expect(page.locator("#list, #roll")).not_to_have_count(0)
        if page.locator("#list").count() == 0:
            page.locator("#roll").click()
    else:
        page.goto(address)
    page.locator(target).wait_for()
    return page, line, target, then


@browsing
@pytest.mark.parametrize("fault", ["lost", 500, 503])
@pytest.mark.slow
def test_what_fails_is_told_in_the_readers_language_and_done_again(
    acting: tuple[Page, Line, str, str], fault: str | int
) -> None:
    page, line, target, then = acting
    before = page.url
    if fault == "lost":
        line.lose()
    else:
        line.answer(int(fault))
    page.locator(target).click()
    expect(trouble(page)).to_contain_text("nic się tu nie zmieniło")
    assert page.url == before
    expect(page.locator("#waiting")).to_be_hidden()
    line.open()
    trouble(page).locator("button").click()
    expect(page.locator(then).first).to_be_visible()
    expect(trouble(page)).to_be_empty()
    expect(page.locator("body")).not_to_be_focused()


@browsing
def test_whoever_comes_back_from_offline_goes_on(acting: tuple[Page, Line, str, str]) -> None:
    page, _, target, then = acting
    page.context.set_offline(True)
    page.locator(target).click()
    expect(trouble(page)).to_contain_text("Nie masz połączenia")
    page.context.set_offline(False)
    expect(page.locator(then).first).to_be_visible()
    expect(trouble(page)).to_be_empty()


@browsing
@pytest.mark.slow
def test_a_long_wait_is_seen_and_told_and_ends(acting: tuple[Page, Line, str, str]) -> None:
    page, line, target, then = acting
    page.clock.install()
    page.evaluate("htmx.config.timeout = 3000")
    line.hold()
    page.locator(target).click()
    expect(page.locator("#waiting")).to_be_visible()
    page.clock.fast_forward(5000)
    expect(trouble(page)).to_contain_text("Nadal czekamy")
    expect(trouble(page)).to_contain_text("nie przyszła na czas")
    expect(page.locator("#waiting")).to_be_hidden()
    line.held.clear()
    line.open()
    trouble(page).locator("button").click()
    expect(page.locator(then).first).to_be_visible()


@browsing
def test_back_on_a_line_that_is_gone(shaky: Shaky) -> None:
    page, line = shaky()
    page.goto("/pl/border/learn/villa")
    page.locator("#space-A6").click()
    picked(page, "A6")
    line.lose("learn")
    page.evaluate("history.back()")
    expect(trouble(page)).to_contain_text("nic się tu nie zmieniło")
    line.open()
    trouble(page).locator("button").click()
    expect(page.locator(".picked")).to_have_count(0)


# Search


@browsing
@pytest.mark.parametrize("touch", [True, False], ids=["phone", "laptop"])
def test_the_search_button_works_whatever_the_line(shaky: Shaky, touch: bool) -> None:
    page, line = shaky(viewport=PHONE if touch else LAPTOP, has_touch=touch, is_mobile=touch)
    page.goto("/en/search?q=joker")
    line.lose()
    page.locator("#q").fill("villa")
    expect(trouble(page)).not_to_be_empty()
    expect(page.locator("#results[data-stale]")).to_have_count(1)
    line.open()
    page.locator("#search button").click()
    expect(page).to_have_url(re.compile("q=villa"))
    expect(page.locator("#results[data-stale]")).to_have_count(0)
    expect(page.locator("#results mark").first).to_have_text(re.compile("villa", re.IGNORECASE))


@browsing
def test_the_search_button_works_before_the_scripts(shaky: Shaky) -> None:
    page, _ = shaky()
    page.route("**/*.js*", lambda route: None)
    page.goto("/en/search", wait_until="commit")
    page.locator("#q").fill("villa")
    page.locator("#search button").click()
    page.wait_for_url("**/search?q=villa*", wait_until="commit")


@browsing
def test_a_fold_that_failed_loads_again(shaky: Shaky) -> None:
    page, line = shaky()
    page.goto("/en/border/rules")
    fold = page.locator("#example-sarah-rolls")
    line.lose("examples")
    fold.locator("summary").click()
    expect(trouble(page)).not_to_be_empty()
    line.open()
    fold.locator("summary").click()
    fold.locator("summary").click()
    expect(fold.locator(".stepper")).to_be_visible()
    asked = len(line.asked)
    fold.locator("summary").click()
    fold.locator("summary").click()
    page.wait_for_timeout(200)
    assert len(line.asked) == asked


# Scripts that come late, or never

PAGES = {
    "lesson": "/en/border/learn/villa",
    "referee": "/en/border/referee",
    "search": "/en/search?q=villa",
    "rules": "/en/border/rules#example-sarah-rolls",
    "presenter": "/en/border/teach/villa",
}


@browsing
@pytest.mark.parametrize("never", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["late", "never"])
@pytest.mark.parametrize("kind", PAGES)
def test_a_script_may_come_late_or_never(shaky: Shaky, kind: str, never: bool) -> None:
    """All of them late, or one of them never: nothing breaks (but for who needs it), and links lead on."""
    page, _ = shaky()
    page.goto(PAGES[kind])
    scripts = page.evaluate("[...document.scripts].map((one) => new URL(one.src).pathname)")
    for script in [one.removesuffix(".js") for one in scripts] if never else ["/static/"]:
        with_script(page.context.browser, page.url, script, never, lambda other: act(other, kind))


def with_script(
    browser: Browser | None, url: str, script: str, never: bool, then: Callable[[Page], None]
) -> None:
    """Opens a page of which a script, or each in that folder, comes after all else, or never."""
    assert browser
    context = browser.new_context(viewport=LAPTOP)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    matching = re.compile(rf"{re.escape(script)}.*\.js")
    page.route(matching, hold)
    page.goto(url, wait_until="commit")
    page.locator("h1").first.wait_for(state="attached")
    page.wait_for_timeout(200)
    for route in held:
        if never:
            route.abort()
        else:
            route.continue_()
    page.unroute(matching)
    page.wait_for_load_state("load")
    then(page)
    context.close()


def act(page: Page, kind: str) -> None:
    if kind == "lesson":
        page.locator("#space-A6").click()
        picked(page, "A6")
        page.locator("#next").click()
        expect(page.locator("#screen")).not_to_have_attribute("data-screen", "villa")
    elif kind == "referee":
        page.locator("#new").click()
        expect(page.locator("#screen")).to_have_attribute("data-screen", "referee-table")
    elif kind == "search":
        page.locator("#q").fill("joker")
        page.locator("#search button").click()
        # To the results; or to the first of them, if they were seen before the button was pressed.
        expect(page).to_have_url(re.compile("q=joker|glossary#joker"))
    elif kind == "rules":
        fold = page.locator("#example-sarah-rolls")
        if not fold.locator("details[open]").count():
            fold.locator("summary").click()
        expect(fold.locator("details a").first).to_be_visible()
    else:
        page.locator("#next").click()
        expect(page.locator("#screen")).not_to_have_attribute("data-open", "")
