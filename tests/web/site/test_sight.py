"""On a small phone all that a screen is about is in sight: what a task needs, and what is marked."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.conftest import Open
from tutor.games import GAMES
from tutor.games.tables import drawing_of
from tutor.lessons.course import Course
from tutor.lessons.input import NO_INPUT, Input
from tutor.lessons.lesson import Screen
from tutor.lessons.proof import near_misses
from tutor.lessons.screen_views import PLACES, show

SMALL, USUAL = (360, 640), (390, 844)
# Which of the points, in the units of the board in focus, cannot be seen.
HIDDEN = """points => {
    const board = document.querySelector(".stage .focus-board .board");
    // Where there is no room for a stage the page scrolls; a board is never moved in its window to be seen.
    if (innerHeight < 800) scrollTo(0, board.parentElement.getBoundingClientRect().top - 8);
    const box = (one) => document.querySelector(one).getBoundingClientRect();
    const boxes = [".stage", ".stage .focus-board"].map(box);
    const place = board.getScreenCTM();
    return points.filter(([name, x, y]) => {
        const at = new DOMPoint(x, y).matrixTransform(place);
        const inside = (box) => at.x > box.left && at.x < box.right && at.y > box.top && at.y < box.bottom;
        return !boxes.every(inside) || at.x < 0 || at.x > innerWidth || at.y < 0 || at.y > innerHeight;
    }).map(([name]) => name);
}"""


def states(course: Course, screen: Screen) -> list[Input]:
    """The screen as it opens; a task also with its places marked, and after a refused move."""
    if screen.kind != "do":
        return [NO_INPUT]
    game, step = course.book.game, course.runs[screen.scenario].steps[screen.step]
    near = (move for move in near_misses(course, step) if not game.judge(step.before, move).ok)
    refused = [Input(moves=(game.format_move(move),)) for move in [*near][:1]]
    return [NO_INPUT, *([] if screen.alone else [Input(help=PLACES)]), *refused]


def address(given: Input) -> str:
    said = {"help": str(given.help or ""), "moves": ";".join(given.moves)}
    return urlencode({name: value for name, value in said.items() if value})


@pytest.mark.parametrize("size", [SMALL, USUAL])
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.slow
def test_what_a_screen_is_about_is_in_sight(
    game: str, size: tuple[int, int], all_courses: dict[str, Course], open_page: Open
) -> None:
    course = all_courses[game]
    drawing = drawing_of(course.book.game)
    page = open_page(viewport={"width": size[0], "height": size[1]})
    lost = []
    for screen in course.lessons.screens.values():
        if screen.kind == "end":
            continue
        for given in states(course, screen):
            scene = show(course, screen, "es", given).scene
            if scene is None:
                continue
            about = {*scene.marks, *scene.tried, *scene.look}
            points = [(spot.name, spot.x, spot.y) for spot in drawing.spots(scene) if spot.name in about]
            if not points:
                continue
            page.goto(f"/es/{game}/learn/{screen.id}?{address(given)}")
            hidden = page.evaluate(HIDDEN, points)
            if hidden:
                lost.append((screen.id, address(given), hidden))
    assert not lost


def test_what_a_refusal_marks_comes_into_sight(open_page: Open) -> None:
    page = open_page(viewport={"width": USUAL[0], "height": USUAL[1]})
    page.goto("/en/border/learn/grey?pick=G1+G2")
    page.evaluate("document.querySelector('.focus-board').scrollTo(1000, 0)")
    page.locator("#do-cross").click()
    expect(page.locator(".marks.refused polygon").first).to_be_visible()
    inside = """() => {
        const view = document.querySelector(".focus-board").getBoundingClientRect();
        const marks = [...document.querySelectorAll(".focus-board .marks.refused polygon")];
        return marks.every((one) => one.getBoundingClientRect().right <= view.right
            && one.getBoundingClientRect().left >= view.left);
    }"""
    page.wait_for_function(inside)


# Every space, with every key that moves inside a board: where it comes to, if that is not seen as a whole.
HALF_SEEN = """() => {
    const frame = document.querySelector(".stage .focus-board");
    const found = [];
    for (const space of frame.querySelectorAll("[data-board] a[href]")) {
        for (const key of ["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "Home", "End"]) {
            space.focus();
            space.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
            const [one, view] = [document.activeElement, frame].map((one) => one.getBoundingClientRect());
            const [left, right] = [Math.max(view.left - 1, 0), Math.min(view.right + 1, innerWidth)];
            const [top, bottom] = [Math.max(view.top - 1, 0), Math.min(view.bottom + 1, innerHeight)];
            const out = one.left < left || one.right > right || one.top < top || one.bottom > bottom;
            if (out) found.push(`${space.id} ${key} ${document.activeElement.id}`);
        }
    }
    return found;
}"""


@pytest.mark.parametrize("size", [(390, 844), (320, 640)])
@pytest.mark.parametrize(
    "address", ["border/learn/villa", "border/referee?edit=1", "blockers/learn/number?pick=3"]
)
@pytest.mark.slow
def test_a_space_with_the_focus_is_seen_as_a_whole(
    address: str, size: tuple[int, int], open_page: Open
) -> None:
    page = open_page(viewport={"width": size[0], "height": size[1]})
    page.goto(f"/en/{address}")
    if page.locator(".whole input").is_visible():
        page.locator(".whole input").set_checked(False)
    page.keyboard.press("Tab")  # a key: what has the focus now is to be seen
    assert page.evaluate(HALF_SEEN) == []


# How much white lies over the names of spaces, which are part of the picture, in each state of a space.
VEILS = """() => [...document.querySelectorAll(".focus-board :is(.space use, .marks polygon)")].map((one) => {
    const [, alpha] = getComputedStyle(one).fill.match(/, ([\\d.]+)\\)$/) ?? [];
    return getComputedStyle(one).fill === "none" ? 0 : Number(alpha ?? 1);
})"""


def test_the_name_of_a_space_can_be_read_in_every_state(open_page: Open) -> None:
    """With the focus, under the pointer, picked and marked."""
    page = open_page(viewport={"width": 1280, "height": 720})
    page.goto("/en/border/learn/grey?pick=G1+G2")
    page.locator("#do-cross").click()
    expect(page.locator(".marks.refused polygon").first).to_be_attached()
    page.locator("#space-H4").hover()
    page.locator("#space-G3").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#screen :focus-visible")).to_be_attached()
    assert {*page.evaluate(VEILS)} == {0}


CHOSEN = """() => [...document.querySelectorAll(":is(.chip, .langs a)")].map((one) => {
    const { backgroundColor, color } = getComputedStyle(one);
    return [one.hasAttribute("aria-current"), backgroundColor, color];
})"""


@pytest.mark.parametrize("address", ["blockers/referee?edit=1", "border/rulings/several-colours"])
def test_what_is_chosen_is_seen_in_forced_colours(address: str, open_page: Open) -> None:
    page = open_page(forced_colors="active", viewport={"width": USUAL[0], "height": USUAL[1]})
    page.goto(f"/en/{address}")
    found = page.evaluate(CHOSEN)
    chosen, others = ({(back, ink) for on, back, ink in found if on is kind} for kind in (True, False))
    assert len(chosen) == 1, "a seat, a piece and the language: all in the colours of what is selected"
    assert not {back for back, _ in chosen} & {back for back, _ in others}
    assert not {ink for _, ink in chosen} & {ink for _, ink in others}
