"""By ear and by keyboard: acts are announced, the focus is neither lost nor taken, and titles follow."""

import os
import re

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import CHROMIUM, Open
from tests.web.live.test_browser import at, join, open_table, press, screen
from tests.web.live.test_browser import site as site

LAPTOP = {"width": 1280, "height": 720}

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium"
    ),
]

LISTEN = """() => {
  window.heard = [];
  const told = (box) => () => box.textContent.trim() && window.heard.push(box.textContent.trim());
  for (const box of document.querySelectorAll("#say, #trouble, [role=status]")) {
    new MutationObserver(told(box)).observe(box, { childList: true, characterData: true, subtree: true });
  }
}"""


def listen(page: Page) -> None:
    page.evaluate(LISTEN)


def hears(page: Page, text: str, never: str = "nothing of the kind", once: bool = False) -> None:
    page.wait_for_function("text => window.heard.some((one) => one.includes(text))", arg=text)
    heard = page.evaluate("window.heard")
    assert never not in heard
    assert not once or len(heard) == 1, heard
    page.evaluate("window.heard = []")
    assert page.evaluate("document.activeElement !== document.body"), "the focus is lost"


def what_is_heard(page: Page) -> str:
    """All that an act has told, which is told at once."""
    page.wait_for_function("() => window.heard.length")
    (told,) = page.evaluate("window.heard.splice(0)")
    return str(told)


@pytest.fixture
def laptop(open_page: Open) -> Page:
    return open_page(viewport=LAPTOP)


def test_every_act_of_a_lesson_is_heard(laptop: Page) -> None:
    page = laptop
    page.goto("/en/blockers/learn/number")
    listen(page)
    for act, text in (
        ("#tile-red-F", "Chosen:"),
        ("#cell-F1", "Allowed, but not what was asked."),
        ("#take-back", "Taken back: Sarah places the red F on F1. Sarah draws a red tile. Now: F1: clover,"),
        ("#do-pass", "Not allowed. No passing"),
        ("#do-pass", "Not allowed. No passing"),
        ("#take-back", "Taken back."),
        ("#tile-red-3", "Chosen:"),
        ("#tile-red-3", "Nothing is chosen."),
    ):
        page.locator(act).click()
        hears(page, text, once=True)


def test_help_leaves_what_is_picked_and_says_what_is_marked(laptop: Page) -> None:
    page = laptop
    page.goto("/en/blockers/learn/number?pick=9")
    listen(page)
    for text in ("Remember this rule", "Look at what is marked. Marked: E3, Red 3."):
        page.locator("#help").press("Enter")
        hears(page, text)
        expect(page.locator("#tile-red-9")).to_have_class(re.compile("picked"))
    expect(page.locator("#cell-E3")).to_have_accessible_name("E3: clover, empty, marked")
    expect(page.locator("#tile-red-3")).to_have_accessible_name("Red 3 (hint)")


CLEARED = {
    "it": "Nessuna scelta.",
    "pl": "Nic nie jest wybrane.",
    "es": "No hay nada elegido.",
    "en": "Nothing is chosen.",
}


@pytest.mark.parametrize("lang", CLEARED)
@pytest.mark.slow
def test_a_choice_that_is_cleared_is_all_that_is_told(laptop: Page, lang: str) -> None:
    """A refusal has hidden some help and brings more: what was heard is not told again, what is new comes
    with the next act."""
    page = laptop
    page.goto(f"/{lang}/border/learn/grey")
    listen(page)
    for act in ("#help", "#help", "#space-A5", "#do-cross"):
        page.locator(act).press("Enter")
        what_is_heard(page)
    page.locator("#unpick").press("Enter")
    assert what_is_heard(page) == CLEARED[lang]
    expect(page.locator("#space-A5")).to_be_focused()
    marked, solution = (" ".join(line.split()) for line in page.locator(".help p").all_inner_texts()[-2:])
    page.keyboard.press("Enter")
    told = what_is_heard(page)
    assert solution in told
    assert marked.split(".")[0] not in told


TAKE_BACK = {"it": "Annulla la mossa", "pl": "Cofnij ruch", "es": "Deshacer la jugada", "en": "Take it back"}
REFUSED = [
    ("border", "grey", ("#space-A5", "#do-cross")),
    ("blockers", "number", ("#tile-red-3", "#cell-D4")),
    ("blockers", "number", ("#do-pass",)),
]


@pytest.mark.parametrize(("game", "screen", "acts"), REFUSED)
def test_the_way_back_from_a_refusal_is_heard(
    laptop: Page, game: str, screen: str, acts: tuple[str, ...]
) -> None:
    page = laptop
    page.goto(f"/en/{game}/learn/{screen}")
    listen(page)
    for act in acts:
        page.locator(act).press("Enter")
        told = what_is_heard(page)
    assert told.endswith("Take it back.")
    page.get_by_role("link", name="Take it back", exact=True).press("Enter")
    hears(page, "Taken back.", once=True)
    expect(page.locator(".verdict, .picked")).to_have_count(0)


@pytest.mark.parametrize("viewport", [LAPTOP, {"width": 390, "height": 844}, {"width": 360, "height": 640}])
@pytest.mark.slow
def test_the_way_back_from_a_refusal_is_seen(open_page: Open, viewport: dict[str, int]) -> None:
    page = open_page(viewport=viewport)
    for lang, name in TAKE_BACK.items():
        for address in ("border/learn/grey?moves=p1+cross+A5", "blockers/learn/number?moves=p1+red+3+D4"):
            page.goto(f"/{lang}/{address}")
            expect(page.get_by_role("link", name=name, exact=True)).to_be_in_viewport(ratio=1)


def test_the_groups_are_heard(laptop: Page) -> None:
    page = laptop
    page.goto("/en/blockers/learn/join")
    listen(page)
    page.locator("#groups").press("Enter")
    hears(page, "Red, group 1: D4 and D5. Red, group 2: F5.")
    page.locator("#groups").press("Enter")
    hears(page, "The groups are hidden.")


def test_every_act_of_a_set_up_is_heard(laptop: Page) -> None:
    page = laptop
    page.goto("/en/blockers/referee?at=1.start+p1=red%2Bblue+p2=green%2Byellow&edit=1")
    listen(page)
    for act, text in (
        ("#tool-colour-3", "blue"),
        ("#tool-tile-11", "B"),
        ("#cell-B4", "B4"),
        ("#tool-phase-2", "Drawing a tile"),
        ("#tool-tile-12", "C"),
    ):
        page.locator(act).click()
        hears(page, text, never="Taken back.")


def test_the_presenter_hears_of_messages(open_page: Open) -> None:
    page = open_page(viewport=LAPTOP)
    code = open_table(page, "number.column", game="blockers")
    guest = join(open_page, code, "en-GB")
    listen(page)
    guest.locator("[name=signal][value=question]").first.click()
    page.wait_for_function("() => window.heard.some((one) => one.includes('1 m'))")


def test_questions_say_right_or_wrong(laptop: Page) -> None:
    page = laptop
    page.goto("/en/border/learn/white")
    listen(page)
    page.locator("#say-yes").click()
    hears(page, "Wrong: this is not allowed.")
    page.goto("/en/blockers/learn/groups")
    listen(page)
    page.locator(".answer").last.click()
    hears(page, "Not quite. Wrong: 6. Right, but not chosen: 3.", once=True)


def test_questions_are_asked_on_arrival_and_say_which_ticks_are_wrong(laptop: Page) -> None:
    page = laptop
    page.goto("/en/blockers/learn/symbol")
    listen(page)
    page.locator("#next").press("Enter")
    hears(page, "Which are allowed? Which of these moves may Sarah make?")
    page.locator("#check").press("Enter")
    hears(page, "Choose an answer first.")
    for n in (0, 1):
        page.locator(f"#choice-{n}").press("Space")
    page.locator("#check").press("Enter")
    wrong, missing = (
        "Wrong: Sarah places the red 3 on C9.",
        "Right, but not chosen: Sarah places the red joker",
    )
    hears(page, f"Not quite. {wrong} {missing}")
    page.locator("#next").press("Enter")
    hears(page, "New positions. Is this allowed? Emma places the yellow 4 on A3.")
    page.goto("/en/blockers/learn/number")
    listen(page)
    page.locator("#next").press("Enter")
    hears(page, "Is this allowed? · Another position. Sarah would like to place the 3 on C4.")


def test_the_next_question_has_the_focus_and_the_title_follows(laptop: Page) -> None:
    page = laptop
    page.goto("/en/border/learn/first-recap")
    page.locator("#say-no").click()
    expect(page.locator(".verdict")).to_be_visible()
    page.locator("#next").click()
    expect(page.locator("h1")).to_be_focused()
    expect(page.locator("#say-no")).to_be_visible()
    expect(page).to_have_title("Question 2 of 2 · The Border · Rules tutor")
    # A title that would have given the answer away comes with the answer.
    page.goto("/en/confini/learn/slots")
    page.locator("#say-no").click()
    expect(page.locator(".verdict")).to_be_visible()
    for _ in range(2):
        expect(page).to_have_title("Two slots · Confini · Rules tutor")
        page.reload()
    page.goto("/en/border/learn/villa")
    page.locator("#next").click()
    expect(page.locator("#screen")).not_to_have_attribute("data-screen", "villa")
    expect(page.locator("h1")).to_be_focused()
    title = page.locator("h1").inner_text()
    expect(page).to_have_title(f"{title} · The Border · Rules tutor")


def test_a_key_for_the_board_does_not_skip_the_task(laptop: Page) -> None:
    page = laptop
    page.goto("/en/border/learn/villa")
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    expect(page.locator("#screen")).to_have_attribute("data-screen", "villa")


def test_a_row_of_pieces_is_gone_through_by_arrows(laptop: Page) -> None:
    """In the order that is read, from the first to the last, whatever line they stand in."""
    page = laptop
    for address, first in (
        ("/en/blockers/learn/number", ".mine .rack a"),
        ("/en/confini/learn/enough", ".echo-stepper a"),
    ):
        page.goto(address)
        row = page.locator(first)
        row.first.focus()
        for n in range(1, row.count()):
            page.keyboard.press("ArrowRight" if n % 2 else "ArrowDown")
            expect(row.nth(n)).to_be_focused()
        page.keyboard.press("Home")
        expect(row.first).to_be_focused()
        page.keyboard.press("End")
        expect(row.last).to_be_focused()
        page.keyboard.press("ArrowLeft")
        expect(row.nth(row.count() - 2)).to_be_focused()


GROUPS = """() => [...document.querySelectorAll("#screen :is([data-board], [data-row])")].flatMap((group) => {
  const all = [...group.querySelectorAll("a[href]")];
  if (all.length < 2) return [];
  const go = (from, key) => {
    from.focus();
    from.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    return document.activeElement;
  };
  const stops = all.filter((one) => one.tabIndex === 0);
  const reached = new Set(stops);
  for (const one of reached) {
    for (const key of ["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"]) reached.add(go(one, key));
  }
  return [{
    role: group.getAttribute("role"),
    stops: stops.length,
    missed: all.filter((one) => !reached.has(one)).length,
    ends: go(all[1], "Home") === all[0] && go(all[0], "End") === all.at(-1),
    told: document.getElementById(group.getAttribute("aria-describedby"))?.textContent,
  }];
})"""


@pytest.mark.parametrize(
    ("address", "groups"),
    [
        ("border/learn/villa", ["group"]),
        ("blockers/learn/number?pick=3", ["group", "toolbar"]),
        ("blockers/referee?edit=1", ["toolbar"]),
        ("confini/learn/enough", ["toolbar"]),
        ("confini/learn/place", ["group"]),
        ("blockers/rulings/joker-exempt", ["toolbar"]),
    ],
)
@pytest.mark.slow
def test_a_group_is_one_stop_and_says_that_arrows_move_in_it(
    laptop: Page, address: str, groups: list[str]
) -> None:
    laptop.goto(f"/en/{address}")
    found = laptop.evaluate(GROUPS)
    assert {*groups} <= {group.pop("role") for group in found}
    told = {"stops": 1, "missed": 0, "ends": True, "told": "Use the arrow keys to move around inside."}
    assert all(group == told for group in found), found


def test_keys_that_are_letters_can_be_turned_off(laptop: Page) -> None:
    page = laptop
    page.goto("/en/border/teach/villa")
    page.locator("#keys-open").click()
    page.locator("#letters").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    expect(page.locator("#curtain")).to_be_hidden()
    page.reload()
    page.keyboard.press("b")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#screen")).not_to_have_attribute("data-open", "")
    expect(page.locator("#curtain")).to_be_hidden()


def test_a_term_is_described_and_opened_by_keyboard(laptop: Page) -> None:
    page = laptop
    page.goto("/en/border/rules")
    listen(page)
    term, card = page.locator("a.term[data-card]").first, page.locator(".term-card")
    term.focus()
    expect(card).to_be_visible()
    meaning = card.locator(".term-means").inner_text()
    hears(page, meaning)
    expect(term).to_have_accessible_description(meaning)
    page.keyboard.press("Enter")
    sheet = page.locator(".more-sheet[role=dialog]")
    expect(sheet).to_be_focused()
    expect(sheet).to_have_accessible_description(meaning)
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(term).to_be_focused()
    assert page.evaluate("window.heard") == [], "what was just read is read again"


def test_escape_closes_what_lies_over_the_page_and_nothing_else(laptop: Page) -> None:
    page = laptop
    page.goto("/en/blockers/rulings/joker-exempt")
    term, card = page.locator("a.term[data-card]").first, page.locator(".term-card")
    term.focus()
    expect(card).to_be_visible()
    address = page.url
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator(".more-sheet")).to_be_focused()
    page.keyboard.press("Escape")
    expect(term).to_be_focused()
    page.wait_for_timeout(200)
    assert page.url == address, "the proof is left"
    expect(page.locator("#leave")).to_be_visible()


def test_another_seat_is_told_with_the_verdict_that_stays(laptop: Page) -> None:
    page = laptop
    page.goto("/en/blockers/rulings/joker-exempt")
    listen(page)
    for act, text in (
        ("#seat-2", "Seat: Emma. The verdict still stands: Not allowed. Sarah places"),
        ("#leave", "No move is being judged now."),
        ("#seat-1", "Seat: Sarah. There is no verdict yet."),
        ("#list", "legal moves."),
    ):
        page.locator(act).press("Enter")
        hears(page, text, once=True)


def test_a_table_is_heard_and_no_focus_is_taken(open_page: Open) -> None:
    host = open_page(**screen())
    code = open_table(host, "white.grey", lang="en")
    guest = join(open_page, code, "en-GB")
    for page in (host, guest):
        listen(page)
    guest.locator("#choice-y").click()
    hears(guest, "Your answer is in: Allowed. You can change it")
    fast = guest.locator(".dock [value=fast]")
    fast.focus()
    host.keyboard.press("v")
    hears(host, "The votes are shown.")
    press(host)
    hears(guest, "Not this time.")
    hears(host, "Not allowed")
    expect(fast).to_be_focused()
    fast.blur()
    press(host)
    at(host, guest, step="grey", open=True)
    expect(guest).to_have_title(
        f"{guest.locator('#screen h1').inner_text()} · The Border · {code} · Rules tutor"
    )
    assert guest.evaluate("document.activeElement === document.body"), "who reads elsewhere is called away"
    press(host, "ArrowLeft")
    guest.locator(".more-open").click()
    guest.locator("#name").fill("Ann")
    press(host)
    at(host, guest, step="grey", open=True)
    title = guest.locator("#screen h1").inner_text()
    guest.wait_for_function("text => window.heard.some((one) => one.includes(text))", arg=title)
    expect(guest.locator("#name")).to_be_focused()
    guest.keyboard.press("Escape")
    host.keyboard.press("p")
    host.locator("#spot-H1").click()
    guest.wait_for_function("() => window.heard.some((one) => one.includes('Look here'))")
    guest.locator(".dock [value=question]").click()
    guest.wait_for_function("() => window.heard.some((one) => one.includes('question'))")


def test_a_plan_is_changed_by_ear(laptop: Page) -> None:
    """The focus stays with the screen that is moved; where one goes, it goes to the next."""
    page = laptop
    page.goto("/en/border/teach/")
    listen(page)

    def act(name: str, text: str, focus: str) -> None:
        page.locator(name).focus()
        page.keyboard.press("Enter")
        hears(page, text)
        expect(page.locator(focus)).to_be_focused()

    act("#later-villa", "Now 2 of 21: Who wins?", "#later-villa")
    act("#earlier-villa", "Now 1 of 21: Who wins?", "#later-villa")
    act("#without-villa", "Left out: Who wins? 20 screens", "#without-white")
    expect(page.locator("#first")).to_have_attribute("href", re.compile("/white"))
    page.locator("#left-out summary").click()
    act("#without-tie", "Left out:", "#without-two-rings")
    act("#add-villa", "Added: Who wins? 20 screens", "#add-tie")
    expect(page.locator("#left-out")).to_have_attribute("open", "")
    act("#plan-brief", "13 screens", "#plan-brief")


def test_a_plan_is_changed_without_script(open_page: Open) -> None:
    page = open_page(java_script_enabled=False)
    page.goto("/en/border/teach/")
    page.locator("#without-villa").click()
    expect(page.locator(".plan-size")).to_contain_text("20 screens")
    page.locator("#left-out summary").click()
    page.locator("#add-villa").click()
    expect(page.locator("ol.plan li").last).to_contain_text("Who wins?")


def test_a_proof_is_tried_by_ear(laptop: Page) -> None:
    """What is gone after an act leaves the focus to what can be done next, or to the heading."""
    page = laptop
    page.goto("/en/blockers/rulings/joker-exempt")
    listen(page)
    for act, text, focus in (
        (".nearest a", "Allowed.", "#play"),
        ("#play", "Sarah places the red joker", "#roll"),
        ("#undo", "Taken back: Sarah places the red joker", "#proof"),
        (".mine .rack a", "Chosen: Red", ".mine .rack a.picked"),
        ("#unpick", "Nothing is chosen.", ".mine .rack a[tabindex='0']"),
    ):
        page.locator(act).first.focus()
        page.keyboard.press("Enter")
        hears(page, text)
        expect(page.locator(focus)).to_be_focused()
