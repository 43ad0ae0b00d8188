"""The stage as a reader meets it: large enough to touch on a phone, in motion where it explains."""

import os
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.conftest import CHROMIUM, Open

PHONE = {"width": 390, "height": 844}
LOW = {"width": 360, "height": 640}
LAPTOP = {"width": 1280, "height": 720}

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium"
    ),
]

MOVING = """() => document.getAnimations().map((one) =>
  [one.effect.target.getAttribute("class"), one.effect.getTiming().duration])"""


def inside(page: Page, what: str) -> bool:
    """Whether something can be seen in the window of the board."""
    return bool(
        page.evaluate(
            """(what) => {
              const [one, frame] = [what, ".focus-board"].map((name) =>
                document.querySelector(name).getBoundingClientRect());
              return one.left >= frame.left - 1 && one.right <= frame.right + 1
                && one.top >= frame.top - 1 && one.bottom <= frame.bottom + 1;
            }""",
            what,
        )
    )


def box(page: Page, what: str) -> dict[str, Any]:
    found = page.locator(what).bounding_box()
    assert found
    return dict(found)


def test_a_phone_begins_where_the_act_is(open_page: Open) -> None:
    page = open_page(viewport=PHONE)
    page.goto("/it/border/learn/grey")
    assert box(page, "#space-G1")["width"] >= 32
    assert all(inside(page, f"#space-{name}") for name in ("G1", "G2", "H1"))
    assert not inside(page, "#space-J15")


@pytest.mark.parametrize("script", [True, False])
def test_the_whole_board_is_one_tap_away(open_page: Open, script: bool) -> None:
    page = open_page(viewport=PHONE, java_script_enabled=script)
    page.goto("/pl/border/learn/grey")
    page.locator(".whole").click()
    board, frame = box(page, ".focus-board .board"), box(page, ".focus-board")
    assert board["width"] <= frame["width"] + 1
    assert board["height"] <= frame["height"] + 1


def test_the_referee_shows_the_whole_board_until_one_looks_closer(open_page: Open) -> None:
    page = open_page(viewport=PHONE)
    page.goto("/en/border/referee?at=1.first+active=p1+rolls=3+dice=GGGYB+p1=2+p2=3")
    assert inside(page, ".focus-board .board")
    page.locator("#space-J15").click()
    page.locator("#space-J15.picked").wait_for()
    page.locator(".tray .buttons a").first.click()
    page.locator(".verdict").wait_for()
    assert inside(page, ".focus-board .board")
    page.locator(".whole").click()
    assert not inside(page, ".focus-board .board")
    assert box(page, "#space-A2")["width"] >= 32
    assert inside(page, "#space-J15")
    page.locator("#edit").click()
    page.locator(".tools").wait_for()
    assert not inside(page, ".focus-board .board")


def test_a_board_stays_where_the_reader_has_moved_it(open_page: Open) -> None:
    """And the first pick moves neither the board nor what is beside it."""
    page = open_page(viewport=PHONE)
    page.goto("/pl/border/learn/grey")
    page.locator(".focus-board").evaluate("(frame) => frame.scrollTo(9, 0)")
    before = box(page, ".focus-board .board")
    with page.expect_response("**pick=*"):
        page.locator("#space-G1").click()
    page.locator("#space-G1.picked").wait_for()
    page.wait_for_function("() => document.querySelector('.focus-board').scrollLeft === 9")
    assert box(page, ".focus-board .board") == before
    page.locator(".whole").click()
    page.locator("#space-G2").click()
    page.locator("#space-G2.picked").wait_for()
    page.wait_for_function("() => document.querySelector('.whole input').checked")


# Not the frame: a drawing lies somewhere in the middle of it.
DRAWN = """() => {
  const { a, e, f } = document.querySelector(".focus-board .board").getScreenCTM();
  return [e, f + scrollY, 100 * a].map(Math.round);
}"""
PLACE = """(what) => {
  const { left, top, width } = document.querySelector(what).getBoundingClientRect();
  return [left, top + scrollY, width].map(Math.round);
}"""


def act(page: Page, what: str) -> None:
    """Presses something of the referee, and waits for the answer."""
    page.evaluate(
        """() => {
          window.settled = false;
          document.addEventListener("htmx:afterSettle", () => { window.settled = true; }, { once: true });
        }"""
    )
    page.locator(what).first.click()
    page.wait_for_function("() => window.settled")


RED = "1.place+next=red+p1=red+p2=green+p3=blue+p4=yellow+red=5,F,cross,star,moon"
on_phones = pytest.mark.parametrize("viewport", [PHONE, LOW], ids=["phone", "low"])


@on_phones
@pytest.mark.parametrize(
    ("table", "acts"),
    [
        (
            "border/referee?at=1.first+active=p1+rolls=3+dice=GGGYB+p1=2+p2=3&edit=1",
            ["#judge", "#space-A2", "#space-A3", "#unpick", ".tray .buttons a", "#leave", "#list"],
        ),
        (
            f"blockers/referee?at={RED}&edit=1",
            ["#judge", "#tile-red-F", "#cell-F5", "#play", "#list"],
        ),
    ],
)
@pytest.mark.slow
def test_the_board_of_the_referee_keeps_its_place_and_size(
    open_page: Open, viewport: Any, table: str, acts: list[str]
) -> None:
    """From the set-up on, whatever is picked, offered and said."""
    page = open_page(viewport=viewport)
    page.goto(f"/it/{table}")
    place = page.evaluate(DRAWN)
    for one in acts:
        act(page, one)
        assert page.evaluate(DRAWN) == place, one


@on_phones
def test_tools_are_not_pushed_away_while_one_sets_up(open_page: Open, viewport: Any) -> None:
    """Neither by what players get, nor by what is wrong with the position."""
    page = open_page(viewport=viewport)
    page.goto("/es/confini/referee?edit=1")
    place = page.evaluate(PLACE, ".tools")
    act(page, "#tool-turn-3")
    assert page.locator(".racks .flaw").count() == 4
    assert page.evaluate(PLACE, ".tools") == place
    page.goto("/es/border/referee?at=1.first+active=p1+rolls=3+dice=GGGYB+p1=2+p2=3&edit=1")
    place = page.evaluate(PLACE, ".tools")
    act(page, "#space-A5")
    act(page, "#judge")
    assert page.locator(".verdict-no").is_visible()
    assert page.evaluate(PLACE, ".tools") == place


@pytest.mark.parametrize("path", [f"referee?at={RED}", "learn/letter?pick=F"])
def test_cells_are_large_enough_on_a_low_phone(open_page: Open, path: str) -> None:
    page = open_page(viewport=LOW)
    page.goto(f"/pl/blockers/{path}")
    assert box(page, ".focus-board .board")["width"] > 340
    if "pick" not in path:
        act(page, "#tile-red-F")
    assert box(page, "#cell-F5")["width"] >= 32
    assert box(page, "#cell-F5")["height"] >= 32


def test_a_low_phone_scrolls_as_a_whole(open_page: Open) -> None:
    """What is said is not cut, the buttons stay at hand, and an answer does not throw the page about."""
    page = open_page(viewport=LOW)
    page.goto("/es/confini/referee?at=1.start+active=p1+p1=van-ross+p1.level=4+p1.spago=5+p2=vasco&edit=1")
    page.locator("#tool-turn-2").scroll_into_view_if_needed()
    scrolled = page.evaluate("scrollY")
    act(page, "#tool-turn-2")
    assert scrolled
    assert page.evaluate("scrollY") == scrolled
    act(page, "#judge")
    assert page.evaluate("scrollY") == 0
    act(page, "#list")
    act(page, ".legal ul + h2 + ul a")
    verdict, dock = box(page, ".verdict"), box(page, ".dock")
    assert round(dock["y"] + dock["height"]) == LOW["height"]
    assert verdict["y"] >= 0
    assert verdict["y"] + verdict["height"] <= dock["y"]
    for part in (".stage", ".coach-text"):
        assert page.locator(part).evaluate("(part) => part.scrollHeight <= part.clientHeight + 1")


def test_a_limit_can_be_touched_beside_a_pawn(open_page: Open) -> None:
    page = open_page(viewport=LOW)
    page.goto(
        "/it/confini/referee?edit=1&at=1.start+active=p1+p1=van-ross+p1.level=4+p2=vasco"
        "+limits=NE1:p1:L1-SUP-A,NE4:p1:L1-SUP-B,SE1:p1:L1-SUP-C,SE1:p1:L1-INV-A"
    )
    for number in (1, 2):
        limit = box(page, f"#limit-{number} > path")
        assert min(limit["width"], limit["height"]) >= 36
    free = """(pawn) => {
      const { left, top, width, height } = pawn.getBoundingClientRect();
      return [[.05, .5], [.5, .05], [.95, .5], [.5, .95], [.5, .5]].every(([x, y]) =>
        !document.elementFromPoint(left + x * width, top + y * height).closest("a"));
    }"""
    assert all(page.locator(".pawn circle").nth(one).evaluate(free) for one in (0, 1))


@pytest.mark.parametrize("viewport", [PHONE, LAPTOP])
def test_a_rule_that_is_read_after_the_act_is_read(open_page: Open, viewport: dict[str, int]) -> None:
    page = open_page(viewport=viewport)
    page.goto("/es/border/learn/part?said=y")
    assert page.locator(".say").is_visible()


@pytest.mark.parametrize("screen", ["place", "fog", "hand", "wrong-moment"])
def test_cards_can_be_read_in_full_on_a_phone_with_what_their_signs_mean(
    open_page: Open, screen: str
) -> None:
    page = open_page(viewport=PHONE)
    page.goto(f"/it/confini/learn/{screen}")
    texts = page.locator(".rail .card-text").all()
    assert texts
    assert all(text.evaluate("(text) => text.scrollHeight <= text.clientHeight + 1") for text in texts)
    assert page.locator(".legend").is_visible()


EDGE = "(part) => getComputedStyle(part, '::after').opacity"


def test_what_goes_on_below_its_edge_shows_it_on_a_phone(open_page: Open) -> None:
    page = open_page(viewport=PHONE)
    page.goto("/pl/confini/learn/fingers?help=3")
    stage = page.locator(".stage")
    assert stage.evaluate("(stage) => stage.scrollHeight > stage.clientHeight")
    assert stage.evaluate(EDGE) == "1"
    page.mouse.move(200, 700)
    page.mouse.wheel(0, 900)
    page.wait_for_function(f"() => ({EDGE})(document.querySelector('.stage')) === '0'")
    page.goto("/pl/confini/learn/place")
    for part in (".stage", ".coach-text"):
        assert page.locator(part).evaluate(EDGE) == "0"


def test_a_text_takes_only_the_height_that_it_needs_on_a_phone(open_page: Open) -> None:
    page = open_page(viewport=PHONE)
    for path in ("/es/confini/learn/resolved", "/pl/confini/referee?from=new-game/third-roll"):
        page.goto(path)
        bottoms = [part.bounding_box() for part in page.locator(".coach, .coach-text > :visible").all()]
        coach, *texts = [part["y"] + part["height"] for part in bottoms if part]
        empty = coach - max(texts)
        assert empty < 24, path


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_tile_flies_from_the_rack_and_moves_nothing_else(open_page: Open, motion: str) -> None:
    page = open_page(viewport=LAPTOP, reduced_motion=motion)
    page.goto("/en/blockers/learn/letter?pick=F")
    tile = page.locator(".mine .tile.picked")
    assert tile.count() == 1
    board = box(page, ".focus-board .board")
    page.evaluate(
        f"() => document.addEventListener('htmx:afterSettle', () => {{ window.moving = ({MOVING})(); }})"
    )
    page.locator("#cell-F5").click()
    page.wait_for_function("() => window.moving")
    moving = page.evaluate("window.moving")
    flown = [time for name, time in moving if name == "fresh"]
    assert bool(flown) == (motion == "no-preference")
    assert all(time < 400 for time in flown)
    assert box(page, ".focus-board .board") == board


WATCH_PIECES = """() => {
  window.moving = [];
  document.addEventListener("htmx:afterSettle", () =>
    window.moving.push(...document.getAnimations().map((one) => one.effect.target.dataset.piece)));
}"""


@pytest.mark.parametrize(
    ("screen", "piece"),
    [
        ("border/learn/roll", "die-"),
        ("confini/learn/pile", "card-"),
        ("confini/learn/value", "fight"),
        ("confini/learn/advance", "pawn-"),
    ],
)
def test_a_drawing_says_which_of_its_pieces_move(open_page: Open, screen: str, piece: str) -> None:
    """Dice tumble, cards are turned, pawns walk: the script knows none of them."""
    page = open_page(viewport=LAPTOP, reduced_motion="no-preference")
    page.goto(f"/en/{screen}")
    page.evaluate(WATCH_PIECES)
    page.locator(".stage :is(.buttons a, a.game-card, .token, [data-board] a), #go").first.click()
    page.wait_for_function("(piece) => window.moving.some((one) => one?.startsWith(piece))", arg=piece)


def test_much_that_happens_is_shown_in_beats(open_page: Open) -> None:
    page = open_page(viewport=LAPTOP)
    page.goto("/pl/confini/learn/recover")
    told: list[int] = []
    while page.locator("#go").count():
        page.locator("#go").click()
        page.wait_for_function(
            "(before) => document.querySelectorAll('.deeds li').length > before", arg=sum(told[-1:])
        )
        told.append(page.locator(".deeds li").count())
    assert told == [1, 2, 5]
    assert page.locator(".task").is_visible()
