"""The site in a real browser, as a reader uses it: by keyboard, by click, on a phone, without script."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from tests.kinds import kinds_of_page
from tutor.book.words import LANGUAGES

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
]
PHONE = {"width": 390, "height": 844}
LAPTOP = {"width": 1280, "height": 720}

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(
        not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium"
    ),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The real server, as `tutor serve` starts it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    database: Path = tmp_path_factory.mktemp("site") / "rulebook.db"
    command = [
        sys.executable,
        "-c",
        "import sys; from tutor.cli import main; sys.exit(main())",
        "serve",
        "--workers",
        "1",
    ]
    server = subprocess.Popen([*command, "--port", str(port)], env=os.environ | {"TUTOR_DB": str(database)})
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(200):
            try:
                urllib.request.urlopen(f"{address}/it/", timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        server.terminate()
        server.wait(10)


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as found:
        yield found


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    opened = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
    yield opened
    opened.close()


def open_page(browser: Browser, site: str, **options: object) -> tuple[BrowserContext, Page, list[str]]:
    """A page that notes every console error, failed request and request to another host."""
    context = browser.new_context(base_url=site, **options)  # type: ignore[arg-type]
    page = context.new_page()
    faults: list[str] = []
    page.on(
        "console",
        lambda message: faults.append(message.text) if message.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith(site) else faults.append(request.url))
    page.on(
        "response",
        lambda answer: faults.append(f"{answer.status} {answer.url}") if answer.status >= 400 else None,
    )
    return context, page, faults


@pytest.fixture(params=[LAPTOP, PHONE], ids=["laptop", "phone"])
def page(request: pytest.FixtureRequest, browser: Browser, site: str) -> Iterator[Page]:
    context, opened, faults = open_page(browser, site, viewport=request.param)
    yield opened
    context.close()
    assert not faults


@pytest.mark.parametrize(("lang", "names"), [("it", ("Sarah", "Tim")), ("pl", ("Sara", "Tomek"))])
def test_the_short_lesson_by_click(page: Page, lang: str, names: tuple[str, str]) -> None:
    """From the home page to the last step, doing what is asked on the way."""
    page.goto(f"/{lang}/")
    page.locator(".card .button.main").first.click()
    page.wait_for_url("**/learn/**", wait_until="commit")
    did = 0
    texts = []
    for _ in range(80):
        # The address changes before the page does: wait until both speak of the same step.
        here = step_of(page.url)
        expect(page.locator("#step")).to_have_attribute("data-step", here)
        texts.append(page.locator("#step").inner_text())
        if "step-do" in (page.locator("#step").get_attribute("class") or ""):
            solve(page)
            expect(page.locator(".verdict-yes")).to_be_visible()
            did += 1
        following = page.locator("#next")
        if following.get_attribute("rel") != "next":
            break
        following.click()
        page.wait_for_url(lambda url, here=here: step_of(url) != here, wait_until="commit")
    else:
        pytest.fail("the lesson has no end")
    assert did >= 6
    assert all(any(name in text for text in texts) for name in names)
    following.click()
    page.wait_for_url("**/rules", wait_until="commit")


def step_of(url: str) -> str:
    return url.partition("/learn/")[2].partition("?")[0]


def solve(page: Page) -> None:
    """Does a task by clicking on the board and dice, as the hints and then the solution show."""
    here = step_of(page.url)
    clicks = {
        "tim-villa.villa": ["#space-A6", "#space-A7", "#space-A8", "#do-1"],
        "sarah-rolls.throw": ["#do-1"],
        "sarah-rolls.keep": ["#die-1", "#die-2", "#die-4", "#die-5", "#do-1"],
        "sarah-grey.three": ["#space-G1", "#space-G2", "#space-H1", "#do-1"],
    }
    if here in clicks:
        *picks, last = clicks[here]
        for target in picks:
            page.locator(target).click(position={"x": 8, "y": 12})
            expect(page.locator(f"{target}.picked")).to_be_visible()
        page.locator(last).click()
        return
    for level in range(1, 4):
        page.locator("#help").click()
        page.wait_for_url(f"**help={level}*", wait_until="commit")
        expect(page.locator(".help p")).to_have_count(level)
    page.locator("#solution").click()


def test_the_lesson_by_keyboard_alone(page: Page) -> None:
    """Arrow keys turn the steps; Tab and Enter reach spaces, dice and buttons; focus is seen and kept."""
    page.goto("/es/border/learn/sarah-rolls.throw")
    focus(page, "#do-1")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict-yes")).to_be_visible()
    expect(page.locator("#say")).not_to_be_empty()
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/sarah-rolls.keep", wait_until="commit")
    for die in ("1", "2", "4", "5"):
        focus(page, f"#die-{die}")
        page.keyboard.press("Enter")
        expect(page.locator(f"#die-{die}.picked")).to_be_visible()
        expect(page.locator(f"#die-{die}")).to_be_focused()
    focus(page, "#do-1")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict-yes")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**/sarah-rolls.throw", wait_until="commit")
    page.goto("/es/border/learn/after-sarah.emma")
    focus(page, "#space-B1")
    assert page.locator("#space-B1").get_attribute("aria-label")
    page.keyboard.press("Enter")
    expect(page.locator(".deeds")).to_be_visible()


def focus(page: Page, selector: str) -> None:
    """Tabs to an element, and sees that it shows the focus."""
    for _ in range(140):
        if page.evaluate("s => document.activeElement === document.querySelector(s)", selector):
            break
        page.keyboard.press("Tab")
    else:
        pytest.fail(f"{selector} cannot be reached by Tab")
    shown = page.evaluate(
        """s => {
             const found = document.querySelector(s);
             const shape = found.querySelector(':scope > polygon, :scope > rect, :scope > path');
             const style = getComputedStyle(shape ?? found);
             return style.outlineStyle !== 'none' || parseFloat(style.strokeWidth) >= 3;
           }""",
        selector,
    )
    assert shown, f"{selector} shows no focus"


def test_a_wrong_move_is_explained_in_place(page: Page) -> None:
    page.goto("/pl/border/learn/sarah-grey.three")
    page.locator("#space-G1").click()
    expect(page.locator("#space-G1.picked")).to_be_visible()
    page.locator("#do-1").click()
    expect(page.locator(".verdict-no")).to_be_visible()
    expect(page.locator(".marks.refused polygon")).to_have_count(2)
    expect(page.locator("#say")).to_contain_text("G2")
    page.go_back()
    page.go_back()
    expect(page.locator(".verdict-no")).to_have_count(0)


def test_the_language_switch_keeps_the_position(page: Page) -> None:
    page.goto("/it/border/learn/sarah-grey.three")
    page.locator("#space-G1").click()
    expect(page.locator("#space-G1.picked")).to_be_visible()
    page.locator("#lang-pl").click()
    page.wait_for_url("**/pl/**", wait_until="commit")
    expect(page.locator("#space-G1.picked")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "pl")


def test_a_tile_is_placed_by_keyboard(page: Page) -> None:
    page.goto("/pl/blockers/learn/first-tile.number")
    focus(page, "#tile-red-3")
    page.keyboard.press("Enter")
    expect(page.locator("#tile-red-3.picked")).to_be_visible()
    focus(page, "#cell-C3")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict-yes")).to_be_visible()


def test_a_capture_that_splits_shows_the_parts(page: Page) -> None:
    page.goto("/es/blockers/learn/sarah-captures.join")
    page.locator("#tile-red-5").click()
    expect(page.locator("#tile-red-5.picked")).to_be_visible()
    page.locator("#cell-F5").click()
    expect(page.locator(".verdict-no")).to_be_visible()
    expect(page.locator(".marks .part-number")).to_have_text(["1", "2"])
    page.locator("#again").click()
    expect(page.locator(".verdict-no")).to_have_count(0)
    page.locator("#do-2").click()
    expect(page.locator(".group").first).to_be_visible()


def test_a_fight_and_a_limit_by_keyboard(page: Page) -> None:
    """Andrea spends three Echo (the first button is none); then a Limit is placed on an arc."""
    page.goto("/it/confini/learn/andrea-fight.three")
    focus(page, "#do-4")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict-yes")).to_be_visible()
    expect(page.locator(".sum").last).to_contain_text("= 4")
    page.goto("/it/confini/learn/first-turn.place")
    focus(page, "#arc-SE1")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict-yes")).to_be_visible()


def test_a_question_is_answered_in_place(page: Page) -> None:
    page.goto("/es/border/learn/sarah-grey.which")
    for choice in ("0", "2", "4"):
        page.locator(f"#choice-{choice}").check()
    page.locator("#check").click()
    expect(page.locator(".verdict-yes")).to_be_visible()
    expect(page.locator("#say")).not_to_be_empty()
    page.goto("/pl/blockers/learn/count-groups.sarah")
    page.locator(".choice input").last.check()
    page.locator("#check").click()
    expect(page.locator(".verdict-no")).to_be_visible()
    page.locator("#again").click()
    expect(page.locator("#check")).to_be_visible()


def test_an_example_is_stepped_in_place(page: Page) -> None:
    page.goto("/en/border/rules#example-sarah-rolls")
    page.locator("#sarah-rolls-next").click()
    expect(page.locator("#example-sarah-rolls .stepper")).to_contain_text("2 /")
    page.locator("#sarah-rolls-next").click()
    expect(page.locator("#example-sarah-rolls .stepper")).to_contain_text("3 /")
    assert page.url.endswith("/rules#example-sarah-rolls")


@pytest.mark.parametrize("lang", ["es", "en"])
def test_the_lesson_without_script(browser: Browser, site: str, lang: str) -> None:
    context, page, faults = open_page(browser, site, viewport=PHONE, java_script_enabled=False)
    page.goto(f"/{lang}/border/learn/")
    kinds = set()
    for _ in range(80):
        kind = (page.locator("#step").get_attribute("class") or "").split("step-")[-1]
        kinds.add(kind)
        if kind == "do":
            page.goto(page.url + "?help=3")
            page.locator("#solution").click()
            expect(page.locator(".verdict-yes")).to_have_count(1)
        elif kind == "refuse":
            page.locator("#try").click()
            expect(page.locator(".verdict-no")).to_have_count(1)
        elif kind == "choose":
            page.locator("#choice-0").check()
            page.locator("#check").click()
            expect(page.locator(".verdict")).to_have_count(1)
        following = page.locator("#next")
        if following.get_attribute("rel") != "next":
            break
        following.click()
    assert kinds == {"read", "watch", "do", "refuse", "choose", "recap"}
    context.close()
    assert not faults


KINDS_OF_PAGE = kinds_of_page()


@pytest.mark.parametrize("path", KINDS_OF_PAGE)
def test_axe_finds_nothing(page: Page, path: str) -> None:
    page.goto(path.format(lang="pl"))
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_nothing_scrolls_sideways_on_a_phone(browser: Browser, site: str, lang: str) -> None:
    context, page, faults = open_page(browser, site, viewport=PHONE)
    for path in KINDS_OF_PAGE:
        page.goto(path.format(lang=lang))
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= PHONE["width"], f"{path} is {wide} wide"
    context.close()
    assert not faults


def test_an_error_page_in_the_browser(browser: Browser, site: str) -> None:
    context, page, _ = open_page(browser, site)
    for path, status in (("/it/nowhere/", 404), ("/it/" + "x" * 3000, 414)):
        answer = page.goto(path)
        assert answer
        assert answer.status == status
        assert Axe().run(page).violations_count == 0
    context.close()
