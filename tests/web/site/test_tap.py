"""Nothing on a table is silent: a touch says what lies there or what to do first; a tile can be dragged."""

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import Open

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def page(open_page: Open) -> Page:
    return open_page(viewport=PHONE, has_touch=True)


def told(page: Page, words: str) -> None:
    """It is seen, inside the window, and heard."""
    note = page.locator(".told")
    expect(note).to_contain_text(words)
    expect(page.locator("#say")).to_contain_text(words)
    box = note.bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    assert box["y"] >= 0


def test_a_pawn_an_arc_and_the_smoke_say_what_they_are_and_what_to_do(page: Page) -> None:
    page.goto("/en/confini/learn/draw")
    page.locator(".pawn").first.click()
    told(page, "pawn. Choose how many cards to draw.")
    page.locator(".still").nth(3).dispatch_event("click", {"clientX": 200, "clientY": 500})
    told(page, "level 4")
    page.mouse.click(*middle(page, ".still >> nth=16"))
    told(page, "The Smoke")
    page.locator("#count-1").click()
    expect(page.locator(".told")).to_have_count(0)


def middle(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_board_before_a_tile_says_that_a_tile_comes_first(page: Page) -> None:
    page.goto("/en/blockers/learn/number")
    page.mouse.click(*middle(page, "svg.board"))
    told(page, "Choose a tile from the rack.")


def test_after_a_move_that_was_not_asked_for_the_board_says_to_take_it_back(page: Page) -> None:
    page.goto("/en/blockers/learn/number?moves=p1+red+F+F1")
    expect(page.locator("#take-back")).to_be_visible()
    page.mouse.click(*middle(page, "svg.board"))
    told(page, "Take the move back first.")


def test_a_question_says_where_its_answers_are(page: Page) -> None:
    page.goto("/en/confini/learn/limit")
    page.mouse.click(*middle(page, ".pawn >> nth=0"))
    told(page, "Use the buttons to answer.")


def test_a_tile_is_dragged_to_its_cell(page: Page) -> None:
    page.goto("/en/blockers/learn/number")
    cells = page.locator("rect.still")
    box = cells.nth(2).bounding_box()  # A3
    assert box
    x, y = middle(page, "#tile-red-3")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 40, steps=4)
    expect(page.locator("#tile-red-3.picked")).to_be_visible()
    page.mouse.move(box["x"] + 9, box["y"] + 9, steps=4)
    page.mouse.up()
    expect(page.locator(".verdict-yes")).to_be_visible()


def test_a_tile_that_is_let_go_beside_the_board_stays_picked_and_says_how_to_go_on(page: Page) -> None:
    page.goto("/en/blockers/learn/number")
    x, y = middle(page, "#tile-red-3")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=4)
    page.mouse.up()
    told(page, "Now choose a cell")
    expect(page.locator("#tile-red-3.picked")).to_be_visible()


@pytest.mark.parametrize("screen", ["cut", "lantern"])
def test_the_text_of_an_equipment_is_read_whole_on_a_phone(page: Page, screen: str) -> None:
    page.goto(f"/es/confini/learn/{screen}")
    page.locator(".worn-card").first.focus()
    box = page.evaluate(
        """() => {
            const style = getComputedStyle(document.activeElement, "::after");
            const dock = document.querySelector(".dock").getBoundingClientRect();
            return {
                position: style.position, left: parseFloat(style.left), width: parseFloat(style.width),
                below: innerHeight - parseFloat(style.bottom) <= dock.top, inner: innerWidth,
            };
        }"""
    )
    # Only what is fixed is not cut off by the boxes around it.
    assert box["position"] == "fixed"
    assert box["left"] >= 0
    assert box["left"] + box["width"] <= box["inner"]
    assert box["below"]
