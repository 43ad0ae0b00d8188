"""Boards can be touched and buttons reached between a phone and a laptop, turned, and in large letters."""

import os
from collections.abc import Iterator, Sequence

import pytest
from playwright.sync_api import Browser, Page

from tests.books import COURSES
from tests.conftest import ARGS, CHROMIUM, PATIENCE, Open
from tests.web.kinds import referees
from tests.web.live.test_browser import code_of, screen
from tests.web.live.test_browser import site as site
from tutor.games import GAMES
from tutor.lessons.course import Course

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(
        not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium"
    ),
]

SIZES = [(834, 1194), (1194, 834), (844, 390), (1024, 600), (1280, 720), (390, 844), (360, 640)]
LARGE = "--blink-settings=defaultFontSize=24"

# A board may be larger than its window, which is moved, or be shown as a whole, with larger spaces a touch
# away; a text may be scrolled to. What is a word in a sentence, or lies in a label that is large enough,
# needs no size of its own; a link that is all there is in its line does.
FAULTS = """() => {
  const wrong = [];
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 1) wrong.push(`the page is ${wide} too wide`);
  const trail = document.querySelector(".trail");
  if (trail?.scrollWidth > trail?.clientWidth + 1) wrong.push(`${trail.textContent.trim()} is cut off`);
  for (const one of document.querySelectorAll("a[href], button, summary, select, input:not([type=hidden])")) {
    if (!one.checkVisibility() || one.matches(".skip, .board:not(.focus-board *) *")) continue;
    const name = one.id || one.className || one.textContent.trim().slice(0, 30);
    const frame = one.closest(".focus-board");
    const stays = one.closest("#screen, .top, .back-bar");
    const all = one.closest("label") ?? one;
    if (stays && !frame) all.scrollIntoView({ block: "nearest", inline: "nearest" });
    const { left, top, right, bottom, width, height } = all.getBoundingClientRect();
    const least = frame ? (document.querySelector(".whole :checked") ? 22 : 32) : 24;
    const line = one.closest("p, li, dt, dd, td, th, h1, h2, h3, nav, div, body").textContent.trim();
    const inText = one.localName === "a" && !frame && getComputedStyle(one).display === "inline"
      && line !== one.textContent.trim();
    if (!inText && Math.min(width, height) < least - 0.5 && !one.matches(".choice input"))
      wrong.push(`${name} is ${Math.round(width)} x ${Math.round(height)}`);
    if (stays && !frame && (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1))
      wrong.push(`${name} cannot be reached`);
  }
  scrollTo(0, 0);
  return wrong.slice(0, 4);
}"""


@pytest.fixture(scope="module", params=[16, 24], ids=["usual", "large"])
def sized(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Browser]:
    """A browser whose letters are so large; a style would not do, as the sizes of a sheet ask the browser."""
    if request.param == 16:
        yield browser
        return
    large = browser.browser_type.launch(executable_path=CHROMIUM, args=[*ARGS, LARGE])
    yield large
    large.close()


def measured(page: Page, addresses: list[str], sizes: Sequence[tuple[int, int]] = SIZES) -> list[str]:
    wrong = []
    for address in addresses:
        page.goto(address)
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            wrong += [f"{width}x{height} {address[:60]}: {fault}" for fault in page.evaluate(FAULTS)]
    return wrong


FIRST = {
    name: next(screen.id for screen in course.lessons.screens.values() if screen.kind == "do")
    for name, course in COURSES.items()
} | {"border": "grey", "blockers": "number", "confini": "place"}
DO = {name: [f"learn/{screen}"] for name, screen in FIRST.items()} | {
    "border": ["learn/villa", "learn/grey?pick=G1+G2", "learn/segments", "learn/reroll"],
    "blockers": ["learn/number?pick=3", "learn/groups", "learn/capture?pick=5+groups"],
    "confini": ["learn/place", "learn/enough"],
}


@pytest.mark.parametrize("game", GAMES)
def test_all_can_be_touched(sized: Browser, site: str, all_courses: dict[str, Course], game: str) -> None:
    page = sized.new_page(base_url=site)
    page.set_default_timeout(PATIENCE)
    addresses = [f"/pl/{game}/{one}" for one in DO[game]]
    addresses += [f"/pl/{one}" for one in referees(game, all_courses[game])]
    wrong = measured(page, addresses)
    page.close()
    assert not wrong, "\n".join(wrong)


READ = ["", "border/", "border/rules", "border/rulings", "border/rulings/numbers", "border/editions"]
READ += ["border/pieces", "blockers/compare", "border/teach/", "glossary", "search?q=joker", "t/"]


def test_what_is_read_can_be_touched(sized: Browser, site: str) -> None:
    """In the language with the longest name of the site."""
    page = sized.new_page(base_url=site)
    page.set_default_timeout(PATIENCE)
    sizes = [(360, 640), (600, 960), (834, 1194), (1280, 720)]
    wrong = measured(page, [f"/pl/{one}" for one in READ], sizes)
    page.close()
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("game", GAMES)
def test_a_guest_can_touch_all(sized: Browser, site: str, game: str) -> None:
    """At the table, and in the lesson with the way back to the table."""
    host = sized.new_page(base_url=site, **screen())
    host.goto(f"/it/{game}/teach/?plan={FIRST[game]}")
    host.locator(".open-table button").click()
    host.locator("#begin").click()
    host.locator("#screen[data-number='1']").wait_for()
    guest = sized.new_page(base_url=site)
    guest.set_default_timeout(PATIENCE)
    wrong = measured(guest, [f"/pl/t/{code_of(host)}"])
    guest.goto(f"/pl/{game}/learn/{FIRST[game]}")
    guest.locator(".back-bar a").wait_for()
    for width, height in SIZES:
        guest.set_viewport_size({"width": width, "height": height})
        wrong += [f"{width}x{height} with the way back: {fault}" for fault in guest.evaluate(FAULTS)]
        hidden = guest.evaluate(
            """() => ["#next", "#back", ".back-bar a"].filter((name) => {
                 const one = document.querySelector(name);
                 one.scrollIntoView({ block: "nearest" });
                 const { left, top, width, height } = one.getBoundingClientRect();
                 return !one.contains(document.elementFromPoint(left + width / 2, top + height / 2));
               })"""
        )
        wrong += [f"{width}x{height} {name} is covered" for name in hidden]
    guest.close()
    host.close()
    assert not wrong, "\n".join(wrong)


SPACES = """() => [...document.querySelectorAll(".focus-board [data-board] a")].map((one) => {
  const { width, height } = one.getBoundingClientRect();
  return Math.min(width, height);
})"""


@pytest.mark.parametrize(
    "address",
    ["learn/villa", "learn/grey", "referee?edit=1", "rulings/numbers", "rulings/several-colours"],
)
def test_spaces_that_are_to_be_touched_are_large_on_a_phone(open_page: Open, address: str) -> None:
    """At once, but in the referee, which begins with the whole board."""
    page = open_page()
    page.goto(f"/en/border/{address}")
    for width, height in ((390, 844), (320, 640)):
        page.set_viewport_size({"width": width, "height": height})
        if "referee" in address:
            page.locator(".whole input").set_checked(False)
        spaces = page.evaluate(SPACES)
        assert len(spaces) == 86
        assert min(spaces) >= 32
