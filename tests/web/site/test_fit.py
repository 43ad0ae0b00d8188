"""Every screen of every lesson fits its window, on a laptop and on a phone, and every page can be read."""

import os
from html.parser import HTMLParser
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from flask import Flask
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.conftest import CHROMIUM, Open
from tests.pages import VOID
from tests.web.kinds import kinds_of_page, referees
from tests.web.phone import FAULTS
from tutor.book.words import LANGUAGES
from tutor.games import GAMES
from tutor.lessons.course import Course

PHONE: ViewportSize = {"width": 390, "height": 844}
LOW: ViewportSize = {"width": 360, "height": 640}
NARROW: ViewportSize = {"width": 320, "height": 568}
LAPTOP: ViewportSize = {"width": 1280, "height": 720}
SIZES = ((1280, 720), (1280, 600), (390, 844))

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium"
    ),
]

AFTER = {
    "do": "help=3",
    "choose": "choice=0&check=1",
    "ask": "choice=0&check=1",
    "watch": "said=yyyyyyyyy",
    "end": "",
} | dict.fromkeys(("predict", "recap", "read"), "said=y")

SCREEN = """async (address) => {
  window.kept ??= {};
  const ask = async () => (await fetch(address, { headers: { "HX-Request": "true" } })).text();
  window.kept[address] ??= await ask();
  return new DOMParser().parseFromString(window.kept[address], "text/html").querySelector("#screen");
}"""
"""A screen, asked for once. A click on Next swaps #screen in the same way: a lesson needs one page."""

LONGEST = f"""(groups) => {{
  const screen = {SCREEN};
  const length = async (address) => {{
    return (await screen(address)).querySelector(".coach-text").textContent.replace(/\\s+/g, " ").length;
  }};
  return Promise.all(groups.map(async (group) => {{
    const lengths = await Promise.all(group.map(length));
    return group[lengths.indexOf(Math.max(...lengths))];
  }}));
}}"""
"""Of each address in all languages the one that says most."""

MEASURE = """async ([addresses, width, height]) => {
  const found = [];
  const phone = width < 500;
  for (const address of addresses) {
    document.querySelector("#screen").replaceWith(await (SCREEN)(address));
    const wrong = [];
    const over = (name, element) => {
      const down = element.scrollHeight - element.clientHeight;
      const aside = element.scrollWidth - element.clientWidth;
      if (down > 1) wrong.push(`${name} scrolls by ${down}`);
      if (aside > 1) wrong.push(`${name} scrolls sideways by ${aside}`);
    };
    over("the document", document.documentElement);
    const stage = document.querySelector(".stage");
    // A phone's table of Confini may scroll, see below.
    if (stage && !(phone && stage.querySelector(".confini-table"))) over(".stage", stage);
    const rail = document.querySelector(".stage .rail");
    if (rail) over(".rail", rail);
    const frame = document.querySelector(".stage .focus-board");
    const board = frame?.querySelector(".board")?.getBoundingClientRect();
    if (board?.height && board.height < 100) wrong.push(`the board is ${Math.round(board.height)} high`);
    const lesson = address.includes("/learn/");
    if (lesson && height >= 720 && !phone) over("the coach", document.querySelector(".coach-text"));
    const inside = (element, box, slack = 1) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      return left >= box.left - slack && top >= box.top - slack
        && right <= box.right + slack && bottom <= box.bottom + slack;
    };
    const page = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    for (const link of document.querySelectorAll(".stage a[href], .dock a")) {
      // A board that is moved in its window may reach beyond it, and has large spaces therefore.
      const whole = document.querySelector(".whole :checked");
      const moved = phone && !whole && frame?.contains(link) && getComputedStyle(frame).overflowX === "auto";
      const { width } = link.getBoundingClientRect();
      if (moved && width < 32) wrong.push(`#${link.id} is ${width.toFixed(1)} wide`);
      // What scrolls in its table can be reached, if it is not too wide.
      const table = link.closest(".stage .table");
      const scrolls = table && getComputedStyle(table).overflowY === "auto";
      const box = scrolls ? { ...page, top: -Infinity, bottom: Infinity } : page;
      if (!moved && !inside(link, box)) wrong.push(`#${link.id} lies outside`);
    }
    for (const name of document.querySelectorAll(".space-name")) {
      const size = parseFloat(getComputedStyle(name).fontSize) * name.getScreenCTM().a;
      if (size < 9) wrong.push(`${name.textContent} is ${size.toFixed(1)} high`);
    }
    // The last line of a text has some empty pixels below it.
    const [task, coach] = [".task", ".coach-text"].map((name) => document.querySelector(name));
    if (phone && task && !inside(task, coach.getBoundingClientRect(), 4)) wrong.push("the task is not seen");
    if (wrong.length) found.push(`${address}: ${wrong.slice(0, 4).join(", ")}`);
  }
  return found;
}""".replace("SCREEN", SCREEN)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.slow
def test_every_screen_fits(open_page: Open, all_courses: dict[str, Course], game: str) -> None:
    """Nothing scrolls, no link lies outside the window, and on a phone the task is seen; nor does anything
    after an answer, or with all the help there is."""
    page = open_page()
    page.goto(f"/pl/{game}/learn/")
    screens = all_courses[game].lessons.screens.values()
    states = [screen.id for screen in screens]
    states += [f"{screen.id}?{AFTER[screen.kind]}" for screen in screens]
    addresses = [[f"/{lang}/{game}/learn/{state}" for lang in LANGUAGES] for state in states]
    longest = page.evaluate(LONGEST, addresses)
    wrong = []
    for turn, (width, height) in enumerate(SIZES):  # the longest texts, and another language in turn
        page.set_viewport_size({"width": width, "height": height})
        others = [group[(i + turn) % len(group)] for i, group in enumerate(addresses)]
        wrong += measured(page, [*dict.fromkeys(longest + others)], width, height)
    assert not wrong, "\n".join(wrong)


def measured(page: Page, addresses: list[str], width: int, height: int) -> list[str]:
    found = page.evaluate(MEASURE, [addresses, width, height])
    return [f"{width}x{height} {fault}" for fault in found]


@pytest.mark.parametrize("game", GAMES)
def test_every_table_of_the_referee_fits(open_page: Open, all_courses: dict[str, Course], game: str) -> None:
    page = open_page()
    page.goto(f"/it/{game}/referee")
    addresses = [f"/it/{address}" for address in referees(game, all_courses[game])]
    wrong = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        wrong += measured(page, addresses, width, height)
    assert not wrong, "\n".join(wrong)


ON_A_PHONE = f"""async (addresses) => {{
  const faults = {FAULTS};
  const found = [];
  for (const address of addresses) {{
    document.querySelector("#screen").replaceWith(await ({SCREEN})(address));
    found.push(...faults().map((fault) => `${{address}}: ${{fault}}`));
  }}
  return found;
}}"""


def each_language(addresses: list[str]) -> list[str]:
    return [f"/{LANGUAGES[i % len(LANGUAGES)]}/{address}" for i, address in enumerate(addresses)]


TOO_SMALL = """() => {
  const pressed = `.seats a, .chip, .dock a, .whole, .stage .button, .legal a, .nearest a, .coach .button,
    .coach select, .coach input:not([type=checkbox], [type=hidden]), .new-table label`;
  const wrong = [];
  for (const one of document.querySelectorAll(`#screen :is(${pressed})`)) {
    if (!one.checkVisibility() || one.closest(".sr")) continue;
    const { height, right } = one.getBoundingClientRect();
    if (height < 40) wrong.push(`${one.id || one.className} is ${height} high`);
    if (one.matches(".dock a") && (one.scrollWidth > one.clientWidth || right > innerWidth))
      wrong.push(`${one.id} is cut`);
  }
  return wrong;
}"""


@pytest.mark.parametrize("size", [PHONE, LOW, NARROW], ids=["phone", "low", "narrow"])
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.slow
def test_what_is_pressed_in_the_referee_has_room_for_a_thumb(
    open_page: Open, all_courses: dict[str, Course], game: str, size: Any
) -> None:
    page = open_page(viewport=size)
    page.goto(f"/it/{game}/referee")
    addresses = [f"/{lang}/{one}" for one in referees(game, all_courses[game]) for lang in LANGUAGES]
    wrong = page.evaluate(ON_A_PHONE.replace(FAULTS, TOO_SMALL), addresses)
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_every_example_of_confini_can_be_played_on_a_phone(
    open_page: Open, all_courses: dict[str, Course]
) -> None:
    """In the referee: its fights, full hands and tables of four have more to show than any lesson."""
    page = open_page(viewport=PHONE)
    page.goto("/es/confini/referee")
    runs = all_courses["confini"].runs.items()
    tables = [f"confini/referee?from={name}/{step}" for name, run in runs for step in run.steps]
    wrong = page.evaluate(ON_A_PHONE, each_language(tables))
    assert not wrong, "\n".join(wrong)


def test_every_screen_of_confini_can_be_played_on_a_phone(
    open_page: Open, all_courses: dict[str, Course]
) -> None:
    page = open_page(viewport=PHONE)
    page.goto("/es/confini/learn/")
    screens = all_courses["confini"].lessons.screens.values()
    states = [
        f"confini/learn/{screen.id}{more}" for screen in screens for more in ("", f"?{AFTER[screen.kind]}")
    ]
    wrong = page.evaluate(ON_A_PHONE, each_language(states))
    assert not wrong, "\n".join(wrong)


PAGES = kinds_of_page()
LONG = tuple(f"/{game}/{page}" for game in GAMES for page in ("rules", "compare") if game != "border")
"""They take axe many seconds each and differ in their texts only, so those of one game will do."""


class Kinds(HTMLParser):
    """Every kind of element in a page: its tag, its classes and attributes, and what it stands in."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.all: set[str] = set()
        self.size = len(html)
        self._open = [""]
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = ".".join([tag, *sorted((dict(attrs).get("class") or "").split())])
        self.all.add(f"{self._open[-1]} > {named} {sorted(name for name, _ in attrs)}")
        if tag not in VOID:
            self._open.append(named)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()


@pytest.fixture(scope="module")
def axed(app: Flask) -> list[str]:
    """Short pages rather than long ones, and no more than it takes to see an element of every kind."""
    client = app.test_client()
    pages = [path for path in PAGES if not path.endswith(LONG)]
    kinds = {path: Kinds(client.get(path.format(lang="pl"), follow_redirects=True).text) for path in pages}
    left, chosen = set[str]().union(*(one.all for one in kinds.values())), list[str]()
    while left:
        chosen.append(max(kinds, key=lambda path: len(kinds[path].all & left) / (30_000 + kinds[path].size)))
        left -= kinds[chosen[-1]].all
    return chosen


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_axe_finds_nothing(open_page: Open, axed: list[str], part: int) -> None:
    """All of axe on a laptop in light colours; the contrast again on a phone in dark ones."""
    page, found = open_page(reduced_motion="reduce"), list[str]()
    for path in axed[part::4]:
        page.set_viewport_size(LAPTOP)
        page.emulate_media(color_scheme="light")
        page.goto(path.format(lang="pl"))
        found += [f"{path} {fault}" for fault in faults(page)]
        page.set_viewport_size(PHONE)
        page.emulate_media(color_scheme="dark")
        found += [f"{path} dark {fault}" for fault in faults(page, "color-contrast", "target-size")]
    assert not found, "\n".join(found)


def faults(page: Page, *only: str) -> list[str]:
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if only:
        options["runOnly"] = {"type": "rule", "values": list(only)}
    results = Axe().run(page, options=options)
    return [
        f"{rule['id']}: {node['target']} {node['html'][:120]}"
        for rule in results.response["violations"]
        for node in rule["nodes"][:3]
    ]


@pytest.mark.parametrize("lang", ["pl", "es"])  # their words are the longest
@pytest.mark.slow
def test_nothing_scrolls_sideways_on_a_phone(open_page: Open, lang: str) -> None:
    """The pages beside the lessons, whose screens are measured above."""
    page, found = open_page(viewport=PHONE), list[str]()
    for path in [path for path in PAGES if "/learn/" not in path]:
        page.goto(path.format(lang=lang), wait_until="domcontentloaded")
        for size in (PHONE, LOW, NARROW):
            page.set_viewport_size(size)
            wide = page.evaluate("document.documentElement.scrollWidth")
            if wide > size["width"]:
                found.append(f"{path} is {wide} wide on {size['width']}")
    assert not found, "\n".join(found)


def test_an_answer_that_is_an_error_is_read(browser: Browser, site: str) -> None:
    """Also where answers come in place."""
    page = browser.new_page(base_url=site)
    page.goto("/pl/blockers/referee")
    page.locator("#option-players").evaluate("(menu) => { menu.options[0].value = 77 }")
    page.locator("#option-players").select_option("77")
    page.locator("#new").click()
    expect(page.locator("main")).to_contain_text("77")
    expect(page.locator("#screen")).to_have_count(0)
    page.go_back()
    expect(page.locator("#screen")).to_be_visible()
    page.close()


def test_error_pages_have_no_fault(browser: Browser, site: str) -> None:
    page = browser.new_page(base_url=site)
    for path, status in (("/it/nowhere/", 404), ("/it/" + "x" * 3000, 414)):
        answer = page.goto(path)
        assert answer
        assert answer.status == status
        assert not faults(page)
    page.close()
