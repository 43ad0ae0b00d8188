"""The site in a real browser, as a reader uses it: by click, by keyboard, on a phone, without script."""

import os

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.conftest import CHROMIUM, Open
from tutor.lessons.course import Course

PHONE = {"width": 390, "height": 844}
LAPTOP = {"width": 1280, "height": 720}

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium"
    ),
]


@pytest.fixture(params=[LAPTOP, PHONE], ids=["laptop", "phone"])
def either(request: pytest.FixtureRequest, open_page: Open) -> Page:
    """A page on a laptop, then on a phone."""
    return open_page(viewport=request.param)


@pytest.fixture
def laptop(open_page: Open) -> Page:
    return open_page(viewport=LAPTOP)


# A lesson from the first screen to the last


CLICKS = {
    "villa": ["#space-A6", "#space-A7", "#space-A8", "#do-cross"],
    "roll": ["#do-roll"],
    "reroll": ["#die-1", "#die-2", "#die-4", "#die-5", "#do-reroll"],
    "grey": ["#space-G1", "#space-G2", "#space-H1", "#do-cross"],
    "leftovers": ["#space-B1", "#space-J15"],
    "last-area": ["#space-A8", "#space-A9", "#do-cross"],
}
"""How some tasks of The Border are done by hand; for the others the help goes on to the solution."""


def whole_lesson(page: Page) -> list[str]:
    """Does what every screen asks for, from here to the end; the kinds of the screens."""
    kinds = []
    step = page.locator("#screen")
    for _ in range(40):
        here = step.get_attribute("data-screen") or ""
        kind = step.get_attribute("data-kind") or ""
        kinds.append(kind)
        act(page, kind, here)
        if kind == "end":
            return kinds
        page.locator("#next").click()
        expect(step).not_to_have_attribute("data-screen", here)
    pytest.fail("the lesson has no end")


def act(page: Page, kind: str, here: str) -> None:
    if kind == "do":
        solve(page, here)
        expect(page.locator(".verdict-yes")).to_have_count(1)
    elif kind == "watch":
        page.locator("#go").click()
        expect(page.locator("#go")).to_have_count(0)
    elif kind in ("predict", "recap"):
        while True:
            page.locator("#say-no").click()
            expect(page.locator(".verdict")).to_have_count(1)
            if page.locator("#next[rel=next]").count():
                break
            page.locator("#next").click()
            expect(page.locator(".verdict")).to_have_count(0)
    elif page.locator(".answers").count():
        page.locator(".answer").first.click()
        expect(page.locator(".verdict")).to_have_count(1)
    elif kind in ("choose", "ask"):
        page.locator(".choice input").first.check()
        page.locator("#check").click()
        expect(page.locator(".verdict")).to_have_count(1)


def solve(page: Page, here: str) -> None:
    if here in CLICKS:
        *picks, last = CLICKS[here]
        for target in picks:
            page.locator(target).click()
            expect(page.locator(f"{target}.picked, .deeds")).to_have_count(1)
        page.locator(last).click()
        return
    for level in range(1, 4):
        page.locator("#help").click()
        expect(page.locator(".help p")).to_have_count(level)
    page.locator("#solution").click()


ALL_KINDS = {"watch", "do", "predict", "choose", "ask", "recap", "end"}


@pytest.mark.parametrize(
    ("lang", "size", "names"),
    [
        ("pl", LAPTOP, ("Sara", "Tomek")),
        pytest.param("it", PHONE, ("Sarah", "Tim"), marks=pytest.mark.slow),
    ],
)
def test_the_first_lesson_by_click(
    open_page: Open, lang: str, size: dict[str, int], names: tuple[str, ...]
) -> None:
    """From the home page to the rulebook, without one more load of the page on the way."""
    page = open_page(viewport=size)
    page.goto(f"/{lang}/")
    page.locator(".card .button.main").first.click()
    expect(page.locator("#screen")).to_have_attribute("data-screen", "villa")
    mark(page)
    assert set(whole_lesson(page)) == ALL_KINDS
    assert marked(page)
    assert page.url.endswith(f"/{lang}/border/learn/end")
    page.locator("#next").click()
    page.wait_for_url("**/rules", wait_until="commit")


@pytest.mark.slow
def test_the_first_lesson_without_script(open_page: Open) -> None:
    page = open_page(viewport=PHONE, java_script_enabled=False)
    page.goto("/es/border/learn/")
    assert set(whole_lesson(page)) == ALL_KINDS


# Clicks


def mark(page: Page) -> None:
    """Leaves a mark that is gone when the document is loaded anew."""
    page.evaluate("window.marked = true")


def marked(page: Page) -> bool:
    return bool(page.evaluate("window.marked === true"))


def test_a_click_on_the_board_changes_the_screen_in_place(either: Page) -> None:
    """The focus stays on the space that was clicked, Back takes a click back, success leads to Next."""
    page = either
    page.goto("/pl/border/learn/grey")
    mark(page)
    clicked: list[Locator] = []
    for name in ("G1", "G2", "H1"):
        clicked.append(page.locator(f"#space-{name}"))
        clicked[-1].click()
        expect(page.locator(f"#space-{name}.picked")).to_be_visible()
        expect(clicked[-1]).to_be_focused()
    page.go_back()
    expect(page.locator(".picked")).to_have_count(2)
    page.go_forward()
    expect(page.locator(".picked")).to_have_count(3)
    page.locator("#do-cross").click()
    expect(page.locator(".verdict-yes")).to_be_visible()
    expect(page.locator("#next")).to_be_focused()
    expect(page.locator("#say")).not_to_be_empty()
    page.go_back()
    expect(page.locator(".verdict-yes")).to_have_count(0)
    expect(page.locator(".picked")).to_have_count(3)


def press(page: Page, target: str) -> None:
    """A click on a shape where it is hit: the middle of the box around an arc is not on the arc."""
    page.locator(target).scroll_into_view_if_needed()
    x, y = page.evaluate(
        """target => {
             const found = document.querySelector(target);
             const box = found.getBoundingClientRect();
             for (const [u, v] of [[0.5, 0.5], [0.7, 0.7], [0.85, 0.85], [0.3, 0.3], [0.15, 0.15]]) {
               const [x, y] = [box.x + u * box.width, box.y + v * box.height];
               if (found.contains(document.elementFromPoint(x, y))) return [x, y];
             }
           }""",
        target,
    )
    page.mouse.click(x, y)


def test_a_click_does_not_load_the_page_again(laptop: Page) -> None:
    page = laptop
    for address, clicks in (
        ("/pl/border/learn/leftovers", ["#space-B1"]),
        ("/pl/blockers/learn/number", ["#tile-red-3", "#cell-C3"]),
        ("/pl/confini/learn/place", ["#arc-SE1"]),
    ):
        page.goto(address)
        mark(page)
        for target in clicks:
            press(page, target)
            expect(page.locator(".picked, .deeds, .verdict")).to_have_count(1)
        assert marked(page), address
        assert "?" in page.url


def test_a_refused_move_is_explained_in_place_and_stays_picked(either: Page) -> None:
    page = either
    page.goto("/pl/border/learn/grey")
    mark(page)
    page.locator("#space-G1").click()
    expect(page.locator("#space-G1.picked")).to_be_visible()
    page.locator("#do-cross").click()
    expect(page.locator(".verdict-no")).to_be_visible()
    expect(page.locator(".marks.refused polygon")).to_have_count(2)
    expect(page.locator("#space-G1.picked")).to_be_visible()
    expect(page.locator("#say")).to_contain_text("G2")
    assert marked(page)
    for name in ("G2", "H1"):
        page.locator(f"#space-{name}").click()
        expect(page.locator(f"#space-{name}.picked")).to_be_visible()
    page.locator("#do-cross").click()
    expect(page.locator(".verdict-yes")).to_be_visible()


def test_a_move_that_was_not_asked_for_is_answered_and_taken_back(either: Page) -> None:
    page = either
    page.goto("/es/blockers/learn/number")
    page.locator("#tile-red-F").click()
    expect(page.locator("#tile-red-F.picked")).to_be_visible()
    page.locator("#cell-F1").click()
    expect(page.locator(".verdict-but")).to_be_visible()
    page.locator("#take-back").click()
    expect(page.locator(".verdict-but")).to_have_count(0)
    expect(page.locator(".help")).to_be_visible()
    expect(page.locator("#tile-red-F")).to_be_visible()


def test_a_verdict_is_seen_and_announced(either: Page, all_courses: dict[str, Course]) -> None:
    page = either
    screens = all_courses["border"].lessons.screens.values()
    guessed = next(screen.id for screen in screens if screen.kind == "predict")
    for address, *clicks in (
        ("/pl/border/learn/segments", ".choice input >> nth=0", "#check"),
        ("/pl/blockers/learn/groups", ".answer >> nth=-1"),
    ):
        page.goto(address)
        for target in clicks:
            page.locator(target).click()
        expect(page.locator(".verdict")).to_be_in_viewport(ratio=0.3)
        expect(page.locator("#say")).not_to_be_empty()
    page.locator("#again").click()
    expect(page.locator(".answer:enabled").first).to_be_visible()
    page.goto(f"/pl/border/learn/{guessed}")
    page.locator("#say-yes").click()
    expect(page.locator(".verdict")).to_be_in_viewport(ratio=0.3)
    expect(page.locator("#say")).not_to_be_empty()


def test_an_empty_check_reveals_nothing(laptop: Page) -> None:
    page = laptop
    page.goto("/it/border/learn/segments")
    with page.expect_response(lambda answer: "check=1" in answer.url):
        page.locator("#check").click()
    expect(page.locator("#check")).to_be_visible()
    expect(page.locator(".verdict, .choice.right, .choice.wrong")).to_have_count(0)


def test_a_capture_that_splits_shows_the_parts(laptop: Page) -> None:
    page = laptop
    page.goto("/es/blockers/learn/capture")
    page.locator("#tile-red-5").click()
    expect(page.locator("#tile-red-5.picked")).to_be_visible()
    page.locator("#cell-F5").click()
    expect(page.locator(".verdict-no")).to_be_visible()
    expect(page.locator(".marks .part-number")).to_have_text(["1", "2"])
    page.locator("#take-back").click()
    expect(page.locator(".verdict-no")).to_have_count(0)
    page.locator("#groups").click()
    expect(page.locator(".group").first).to_be_visible()


def test_the_language_switch_keeps_the_position(either: Page) -> None:
    page = either
    page.goto("/it/border/learn/grey")
    page.locator("#space-G1").click()
    expect(page.locator("#space-G1.picked")).to_be_visible()
    page.locator("#lang-pl").click()
    expect(page.locator("html")).to_have_attribute("lang", "pl")
    expect(page.locator("#space-G1.picked")).to_be_visible()


def test_an_example_is_stepped_in_place(either: Page) -> None:
    page = either
    page.goto("/en/border/rules#example-sarah-rolls")
    for number in (2, 3):
        page.locator("#sarah-rolls-next").click()
        expect(page.locator("#example-sarah-rolls .stepper")).to_contain_text(f"{number} /")
    assert page.url.endswith("/rules#example-sarah-rolls")


# The keyboard


def focused(page: Page) -> str:
    """Where the focus is: the id, or the kind of element."""
    return str(page.evaluate("document.activeElement.id || document.activeElement.localName"))


def tab_to(page: Page, target: str, most: int = 40) -> int:
    """Tabs until an element has the focus, and sees that it shows; how many times that was."""
    count = 0
    while not page.evaluate("s => !!document.activeElement?.matches(s)", target):
        page.keyboard.press("Tab")
        count += 1
        assert count <= most, f"{target} cannot be reached by {most} Tabs"
    shown = page.evaluate(
        """() => {
             const found = document.activeElement;
             const shapes = found.querySelectorAll(':scope > :is(polygon, rect, path, use)');
             return [found, ...shapes].map(one => getComputedStyle(one)).some(
               style => style.outlineStyle !== 'none' || parseFloat(style.strokeWidth) >= 3);
           }"""
    )
    assert shown, f"{target} shows no focus"
    return count


BOARDS = [
    ("/es/border/learn/grey", "#space-A1, #space-A2"),
    ("/es/blockers/learn/number?pick=3", "#cell-A1"),
    ("/es/confini/learn/place", "[id^=arc-]"),
]


@pytest.mark.parametrize(("address", "first"), BOARDS)
def test_a_board_is_one_tab_stop_with_next_near(laptop: Page, address: str, first: str) -> None:
    page = laptop
    page.goto(address)
    board = page.locator("[data-board]")
    expect(board.locator("a[tabindex='0']")).to_have_count(1)
    assert board.locator("a").count() > 10
    tab_to(page, "[data-board] a")
    assert page.evaluate("s => document.activeElement.matches(s)", first)
    seen = {focused(page)}
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
        seen.add(focused(page))
        assert page.evaluate("!!document.activeElement.closest('[data-board]')")
    assert len(seen) > 3
    expect(board.locator("a[tabindex='0']")).to_have_count(1)
    assert page.url.endswith(address), "arrows on a board do not leave the screen"
    page.keyboard.press("Tab")
    assert not page.evaluate("!!document.activeElement.closest('[data-board]')")
    assert 1 + tab_to(page, "#next") <= 6


REACHED = """() => {
  const [first, ...others] = document.querySelectorAll("[data-board] a[href]");
  const [seen, todo] = [new Set([first]), [first]];
  while (todo.length) {
    const from = todo.pop();
    for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]) {
      from.focus();
      from.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      const there = document.activeElement;
      if (!seen.has(there)) seen.add(there), todo.push(there);
    }
  }
  return others.filter((space) => !seen.has(space)).map((space) => space.id);
}"""


@pytest.mark.parametrize(("address", "first"), BOARDS)
def test_arrows_reach_every_space_of_a_board(laptop: Page, address: str, first: str) -> None:
    laptop.goto(address)
    assert laptop.evaluate(REACHED) == []


UNDONE = """() => {
  const opposite = { Up: "Down", Down: "Up", Left: "Right", Right: "Left" };
  const press = (arrow) => {
    const key = `Arrow${arrow}`;
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    return document.activeElement;
  };
  const wrong = [];
  for (const space of document.querySelectorAll("[data-board] a[href]")) {
    for (const [key, back] of Object.entries(opposite)) {
      space.focus();
      const [there, on] = [press(key), press(key)];
      if (on !== there && press(back) !== there) wrong.push(`${there.id} ${key} ${on.id}`);
      if (there !== space && press(back) !== space) wrong.push(`${space.id} ${key} ${there.id}`);
    }
  }
  return wrong;
}"""


@pytest.mark.parametrize(("address", "first"), BOARDS)
@pytest.mark.slow
def test_the_opposite_arrow_leads_back(laptop: Page, address: str, first: str) -> None:
    laptop.goto(address)
    expect(laptop.locator("[data-board] a[tabindex='0']")).to_have_count(1)
    assert laptop.evaluate(UNDONE) == []


def test_a_board_is_entered_where_it_was_left(laptop: Page) -> None:
    """After every act, whether it was allowed or not, and whatever brought it about."""
    page = laptop
    page.goto("/pl/border/learn/grey")
    page.locator("#space-K9").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#space-K8")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#space-K8.picked")).to_be_visible()
    page.locator("#do-cross").press("Enter")
    expect(page.locator(".verdict-no")).to_be_visible()
    board = page.locator("[data-board] a[tabindex='0']")
    expect(board).to_have_id("space-K8")
    page.locator("#take-back").press("Enter")
    expect(page.locator(".verdict")).to_have_count(0)
    expect(board).to_have_id("space-K8")
    # The way back is known, too.
    page.locator("#space-K8").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#space-K9")).to_be_focused()


def test_a_task_by_keyboard_alone(laptop: Page) -> None:
    """Enter picks and plays, Escape takes the choice back, the focus stays, and success leads to Next."""
    page = laptop
    page.goto("/es/border/learn/grey")
    tab_to(page, "[data-board] a")
    page.locator("#space-G1").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#space-G1.picked")).to_be_visible()
    expect(page.locator("#space-G1")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".picked")).to_have_count(0)
    expect(page.locator("#space-G1")).to_be_focused()
    for name in ("G1", "G2", "H1"):
        arrow_to(page, f"space-{name}")
        page.keyboard.press("Enter")
        expect(page.locator(f"#space-{name}.picked")).to_be_visible()
        expect(page.locator(f"#space-{name}")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    tab_back(page, "#do-cross")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict-yes")).to_be_visible()
    expect(page.locator("#next")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#screen")).not_to_have_attribute("data-screen", "grey")


def arrow_to(page: Page, target: str) -> None:
    """Arrows from the space that has the focus to another one, as the eye sees the way."""
    for _ in range(20):
        if focused(page) == target:
            return
        dx, dy = page.evaluate(
            """id => {
                 const ends = [document.activeElement, document.getElementById(id)];
                 const [a, b] = ends.map(one => one.getBoundingClientRect());
                 return [b.x - a.x, b.y - a.y];
               }""",
            target,
        )
        if abs(dx) > abs(dy):
            page.keyboard.press("ArrowRight" if dx > 0 else "ArrowLeft")
        else:
            page.keyboard.press("ArrowDown" if dy > 0 else "ArrowUp")
    pytest.fail(f"{target} cannot be reached by arrows from {focused(page)}")


def tab_back(page: Page, target: str) -> None:
    for _ in range(12):
        if page.evaluate("s => document.activeElement.matches(s)", target):
            return
        page.keyboard.press("Shift+Tab")
    pytest.fail(f"{target} is not before the board")


def test_dice_by_keyboard_and_arrows_that_turn_the_screens(laptop: Page) -> None:
    page = laptop
    page.goto("/es/border/learn/roll")
    tab_to(page, "#do-roll")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict-yes")).to_be_visible()
    expect(page.locator("#say")).not_to_be_empty()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#screen")).to_have_attribute("data-screen", "reroll")
    for die in ("1", "2", "4", "5"):
        tab_to(page, f"#die-{die}")
        page.keyboard.press("Enter")
        expect(page.locator(f"#die-{die}.picked")).to_be_visible()
        expect(page.locator(f"#die-{die}")).to_be_focused()
    tab_to(page, "#do-reroll")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict-yes")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#screen")).to_have_attribute("data-screen", "roll")


def test_a_tile_and_an_arc_by_keyboard(laptop: Page) -> None:
    page = laptop
    page.goto("/pl/blockers/learn/number")
    tab_to(page, ".rack a")
    arrow_to(page, "tile-red-3")
    page.keyboard.press("Enter")
    expect(page.locator("#tile-red-3.picked")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".picked")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator("#tile-red-3.picked")).to_be_visible()
    page.locator("#cell-C3").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".verdict-yes")).to_be_visible()
    page.goto("/it/confini/learn/enough")
    tab_to(page, ".echo-stepper a")
    arrow_to(page, "count-3")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict-yes")).to_be_visible()
    page.goto("/it/confini/learn/place")
    tab_to(page, "[data-board] a")
    page.locator("#arc-SE1").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".verdict-yes")).to_be_visible()


def test_a_question_mark_opens_the_help_on_keys(laptop: Page) -> None:
    page = laptop
    page.goto("/it/border/learn/grey")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#screen")).to_have_attribute("data-screen", "grey")
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
