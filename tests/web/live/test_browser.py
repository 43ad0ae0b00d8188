"""Live tables in a browser: a presenter in Italian, guests in Polish and Spanish, and what can go wrong."""

import os
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import pytest
from axe_playwright_python.sync_playwright import Axe
from flask import Flask
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.conftest import CHROMIUM, Open
from tests.servers import Server
from tests.web.phone import FAULTS
from tutor.games import GAMES
from tutor.lessons import beats
from tutor.lessons.beats import Beat
from tutor.lessons.course import Course
from tutor.live.log import Log, open_log
from tutor.live.log.base import CHANNELS
from tutor.live.poll import JOIN, Poll
from tutor.live.tables import guest as guest_of
from tutor.web.live.tables import tables as site_tables

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium"
    ),
]

_houses = count(1)


def screen() -> dict[str, Any]:
    """A presenter's screen, each in a house of its own: one address may not open many tables."""
    headers = {"X-Forwarded-For": f"10.0.0.{next(_houses)}"}
    return {"viewport": {"width": 1280, "height": 720}, "extra_http_headers": headers}


PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}}
KINDS = "white.too-late.segments.grey.first-recap"
"""A plan with a question of every kind: predict, ask, choose, do, recap."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The server of these tests, which believes that they come from many addresses."""
    server = Server(tmp_path_factory.mktemp("site") / "rulebook.db", TUTOR_PROXY="1")
    yield server.url
    server.kill()


def open_table(page: Page, plan: str = "", game: str = "border", lang: str = "it") -> str:
    """Opens a table as presenters do, from the plan, and begins."""
    page.goto(f"/{lang}/{game}/teach/?plan={plan}")
    page.locator(".open-table button").click()
    expect(page.locator("#code")).to_be_visible()
    page.locator("#begin").click()
    expect(page.locator("#screen")).to_have_attribute("data-number", "1")
    expect(page.locator("#code")).to_be_hidden()
    return code_of(page)


def code_of(page: Page) -> str:
    found = re.search(r"/t/([^/?]+)", page.url)
    assert found
    return found[1]


def join(open_page: Open, code: str, locale: str, **options: object) -> Page:
    """A guest's phone, by the address that is given away."""
    page = open_page(locale=locale, **{**PHONE, **options})
    page.goto(f"/t/{code}")
    expect(page).to_have_url(re.compile(f"/{locale[:2]}/t/{code}$"))
    page.evaluate("window.same = true")
    return page


def press(page: Page, key: str = "ArrowRight") -> None:
    """A key that changes what the table shows."""
    before = version(page)
    page.keyboard.press(key)
    expect(page.locator("#screen")).not_to_have_attribute("data-version", before)


def version(page: Page) -> str:
    return str(page.locator("#screen").get_attribute("data-version"))


def at(*pages: Page, step: str, open: bool) -> None:
    """All of them show this beat."""
    for page in pages:
        expect(
            page.locator(f"#screen[data-screen='{step}']{'[data-open]' if open else ':not([data-open])'}")
        ).to_be_visible()


def said(page: Page) -> Locator:
    """What a guest is told of the own answer."""
    return page.locator("#mine")


def votes(page: Page) -> list[str]:
    return page.locator(".votes .vote-count").all_inner_texts()


def answered(page: Page, count: int) -> None:
    expect(page.locator("#floor")).to_contain_text(f"{count} rispost")


# The lesson


def test_a_table_follows_and_votes_in_its_own_languages(open_page: Open) -> None:
    page = open_page(**screen())
    code = open_table(page, KINDS)
    marek, lucia = join(open_page, code, "pl-PL"), join(open_page, code, "es-ES")
    page.evaluate("window.same = true")
    expect(page.locator("#floor")).to_contain_text("2 partecipanti")

    # Predict: one is right, one is not; they talk, and vote again.
    at(page, marek, lucia, step="white", open=True)
    expect(marek.locator("h1")).to_have_text("Obszary i pola graniczne")
    expect(lucia.locator("html")).to_have_attribute("lang", "es")
    marek.locator("#choice-n").click()
    lucia.locator("#choice-y").click()
    expect(said(marek)).to_contain_text("Niedozwolone")
    expect(lucia.locator("#choice-y")).to_have_attribute("aria-pressed", "true")
    answered(page, 2)
    expect(page.locator(".votes")).to_have_count(0)
    page.keyboard.press("v")
    expect(page.locator(".votes li")).to_have_count(2)
    assert votes(page) == ["1", "1"]
    expect(page.locator(".votes :is(.right, .wrong)")).to_have_count(0)
    press(page, "r")
    expect(lucia.locator("#choice-y")).to_have_attribute("aria-pressed", "false")
    expect(said(lucia)).to_be_empty()
    answered(page, 0)
    for guest in (marek, lucia):
        guest.locator("#choice-n").click()
    answered(page, 2)
    page.keyboard.press("v")
    expect(page.locator(".vote-count").last).to_have_text("2 (1)")
    marek.locator("#choice-y").click()
    expect(page.locator(".vote-count").last).to_have_text("1 (1)")
    press(page)
    at(page, marek, lucia, step="white", open=False)
    expect(said(lucia).locator(".verdict-word.yes")).to_be_visible()
    expect(said(marek).locator(".verdict-word.no")).to_be_visible()
    expect(page.locator(".votes .right .vote-count")).to_have_text("1 (1)")

    # Ask. How the table voted before sways nobody.
    press(page)
    expect(page.locator("#votes")).to_have_attribute("aria-pressed", "false")
    at(page, marek, lucia, step="too-late", open=True)
    expect(said(marek)).to_be_empty()
    marek.locator("#choice-2").click()
    lucia.locator(".answer:not(#choice-2)").first.click()
    answered(page, 2)
    press(page)
    expect(said(marek).locator(".verdict-word.yes")).to_be_visible()
    expect(said(lucia).locator(".verdict-word.no")).to_be_visible()

    # Choose: all that is right, and nothing else. The engine says why what was chosen is wrong.
    press(page)
    at(page, marek, lucia, step="segments", open=True)
    for guest, chosen in ((marek, (0, 2)), (lucia, (0, 1))):
        for choice in chosen:
            guest.locator(f"#choice-{choice}").check()
        guest.locator("#screen .actions button").click()
        expect(said(guest)).not_to_be_empty()
    answered(page, 2)
    press(page)
    expect(said(marek).locator(".verdict-word.yes")).to_be_visible()
    expect(said(lucia)).to_contain_text("J7")
    assert votes(page) == ["2", "1", "1", "0"]
    expect(page.locator(".votes .wrong .vote-why")).to_have_count(1)

    # Do: by touching the board. The presenter sees where.
    press(page)
    at(page, marek, lucia, step="grey", open=True)
    for space in ("G1", "G2", "H1"):
        marek.locator(f"#space-{space}").click()
        expect(marek.locator(f"#space-{space}")).to_have_class(re.compile("picked"))
    marek.locator(".tray .buttons a, #cross").first.click()
    expect(said(marek)).to_contain_text("H1")
    lucia.locator("#space-A1").click()
    expect(said(lucia)).to_contain_text("A1")
    answered(page, 2)
    page.keyboard.press("v")
    expect(page.locator(".heat")).to_have_count(4)
    press(page)
    expect(said(marek).locator(".verdict-word.yes")).to_be_visible()
    expect(said(lucia).locator(".verdict-word.no")).to_be_visible()
    expect(page.locator(".votes .wrong .vote-why")).to_have_count(1)

    # Recap: each of its questions is voted on by itself.
    press(page)
    at(page, marek, lucia, step="first-recap", open=True)
    marek.locator("#choice-n").click()
    answered(page, 1)
    press(page)
    expect(said(marek).locator(".verdict-word.yes")).to_be_visible()
    press(page)
    at(page, marek, lucia, step="first-recap", open=True)
    expect(marek.locator("#choice-n")).to_have_attribute("aria-pressed", "false")
    marek.locator("#choice-n").click()
    answered(page, 1)
    press(page)
    expect(said(marek).locator(".verdict-word.no")).to_be_visible()
    press(page)
    at(page, marek, lucia, step="end", open=False)
    # Going back loses no vote.
    for _ in range(2):
        press(page, "ArrowLeft")
    expect(marek.locator("#choice-n")).to_have_attribute("aria-pressed", "true")
    assert all(one.evaluate("window.same") for one in (page, marek, lucia)), "nobody had to load a page"


def test_a_presenter_points_blanks_and_speaks_two_languages(open_page: Open) -> None:
    page = open_page(**screen())
    code = open_table(page, "grey.white")
    guest = join(open_page, code, "pl-PL")
    page.keyboard.press("p")
    expect(page.locator("#pointer")).to_have_attribute("aria-pressed", "true")
    before = version(page)
    page.locator("#spot-H1").click()
    expect(page.locator("#screen")).not_to_have_attribute("data-version", before)
    for one in (page, guest):
        expect(one.locator(".pointed[data-place=H1]")).to_be_visible()
    page.locator("#spot-K14").click()
    expect(guest.locator(".pointed[data-place=K14]")).to_be_visible()
    # A pointer does not disturb a guest who is choosing.
    guest.locator("#space-G1").click()
    expect(guest.locator("#space-G1")).to_have_class(re.compile("picked"))
    page.locator("#spot-A6").click()
    expect(page.locator(".pointed[data-place=A6]")).to_be_visible()
    expect(guest.locator("#live")).to_be_attached()
    expect(guest.locator("#space-G1")).to_have_class(re.compile("picked"))
    page.keyboard.press("p")
    expect(page.locator("#pointer")).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("l")
    expect(page.locator(".second")).to_be_visible()
    press(page)
    expect(page.locator(".second")).to_be_visible()
    expect(page.locator(".pointed")).to_have_count(0)
    page.keyboard.press("b")
    expect(page.locator("#curtain")).to_be_visible()
    page.keyboard.press("b")
    expect(page.locator("#curtain")).to_be_hidden()
    page.keyboard.press("t")
    expect(page.locator("#code .code-large")).to_have_text(f"{code[:4]} {code[4:]}")
    expect(page.locator("#code img")).to_have_js_property("complete", value=True)
    assert page.locator("#code img").evaluate("(image) => image.naturalWidth") > 0
    page.keyboard.press("t")
    expect(page.locator("#code")).to_be_hidden()
    at(page, guest, step="grey", open=False)


def test_a_guest_wanders_off_and_comes_back(open_page: Open) -> None:
    page = open_page(**screen())
    code = open_table(page)
    guest = join(open_page, code, "es-ES")
    guest.locator(".dock a").click()
    expect(guest).to_have_url(re.compile("/es/border/rules"))
    expect(guest.locator(".back-bar a")).to_be_visible()
    expect(guest.locator(".back-bar span")).to_have_count(0)
    for _ in range(3):
        press(page)
    guest.goto("/pl/border/rules")  # in another language, and further off
    expect(guest.locator(".back-bar")).to_contain_text("3")
    guest.locator(".back-bar a").click()
    expect(guest).to_have_url(re.compile(f"/pl/t/{code}$"))
    at(guest, step="white", open=False)
    press(page)
    at(guest, step="roll", open=True)
    guest.goto("/pl/border/rules")
    guest.locator("[data-leave]").click()
    expect(guest.locator(".back-bar")).to_have_count(0)


NASTY = "<script>alert(1)</script>\u202e\u05d0\u05d1 \U0001f3b2 & 'Ł'"


def test_guests_speak_silently(open_page: Open) -> None:
    page = open_page(**screen())
    code = open_table(page, lang="en")
    guests = [join(open_page, code, "pl-PL"), join(open_page, code, "es-ES")]
    with page.context.expect_page() as opened:
        page.keyboard.press("n")
    notes = opened.value
    expect(notes.locator(".people-count")).to_contain_text("2 guests")
    for guest in guests:
        guest.locator(".dock [value=fast]").click()
        expect(guest.locator("#noted")).to_be_visible()
    expect(notes.locator(".alarm")).to_contain_text("too fast for 2 people")
    guest = guests[0]
    guest.locator(".more-open").click()
    guest.locator("#name").fill(NASTY)
    guest.locator(".name-form button").click()
    expect(guest.locator("#more")).to_be_hidden()
    # The sheet is opened before the question is taken, and stays open.
    held: list[Route] = []
    guest.route("**/t/*", lambda route: held.append(route))
    with guest.expect_request("**/t/*"):
        guest.locator(".dock [value=question]").click()
    guest.locator(".more-open").click()
    with guest.expect_response("**/t/*"):
        held[0].continue_()
    guest.unroute("**/t/*")
    guest.locator("#more [value=chair]").hover()
    guest.keyboard.press("Escape")
    expect(guest.locator("#more")).to_be_hidden()
    expect(notes.locator(".wishes li")).to_contain_text("has a question")
    told = notes.locator(".wishes li").inner_text()
    assert "Guest" not in told
    assert not set(told) & set("<>\u202e\U0001f3b2")
    assert notes.locator("script:not([src])").count() == 0
    expect(page.locator("#floor")).to_contain_text("1 message")
    ask_for_the_chair(guests[1])
    expect(page.locator("#floor")).to_contain_text("2 messages")
    notes.locator(".people [value=hear]").click()
    expect(notes.locator(".wishes")).to_have_count(0)
    expect(page.locator("#floor")).not_to_contain_text("message")


IN_SIGHT = """() => {
  const [task] = [...document.querySelectorAll("#screen .coach-text > .say")].slice(-1);
  const parts = [task, document.querySelector("#screen .stage"), document.querySelector("#screen .dock")];
  const [box, stage, dock] = parts.map((one) => one.getBoundingClientRect());
  return { task: box.top >= 0 && box.bottom <= dock.top, whole: stage.bottom <= dock.top + 12 };
}"""


def see(guest: Page, *parts: str) -> None:
    """These come into sight when the beat has settled."""
    guest.wait_for_function(
        f"(parts) => {{ const now = ({IN_SIGHT})(); return parts.every((one) => now[one]); }}", arg=parts
    )


@pytest.mark.slow
def test_a_low_phone_begins_with_the_task_and_what_it_needs_or_says_that_it_goes_on(open_page: Open) -> None:
    page = open_page(**screen())
    code = open_table(page, "symbol.last-turn.score", "blockers")
    guest = join(open_page, code, "pl-PL", viewport={"width": 360, "height": 640})
    for step in ("symbol", "last-turn"):
        at(guest, step=step, open=True)
        see(guest, "task", "whole")
        expect(guest.locator("#screen[data-below]")).to_have_count(0)
        if step == "symbol":
            # The rule lies above, which is said, too.
            expect(guest.locator("#screen h1")).not_to_be_in_viewport()
            guest.locator("#to-top").click()
            expect(guest.locator("#screen h1")).to_be_in_viewport()
            expect(guest.locator("#to-top")).to_be_hidden()
            press(page)
            press(page)
    # A rule that is shown is read with the task, and can be folded; then the rest is in sight again.
    page.keyboard.press("/")
    page.locator("#q").fill("jolly")
    page.locator("[data-cite]").first.click()
    page.keyboard.press("Escape")
    expect(guest.locator(".cited p").first).to_be_in_viewport()
    see(guest, "task")
    expect(guest.locator("#screen[data-below]")).to_have_count(1)
    guest.locator(".cited summary").click()
    expect(guest.locator("#screen[data-below]")).to_have_count(0)
    see(guest, "task", "whole")
    page.keyboard.press("p")
    page.locator("#spot-A1").click()
    expect(guest.locator(".pointed")).to_be_visible()
    expect(guest.locator(".cited")).not_to_have_attribute("open", "")
    for _ in range(2):
        press(page)
    # Buttons stay in sight, so that a question begins with its rule.
    at(guest, step="score", open=True)
    see(guest, "task")
    expect(guest.locator("#screen h1")).to_be_in_viewport()
    expect(guest.locator("#screen[data-below]")).to_have_count(1)
    arrow = "getComputedStyle(document.querySelector('.dock'), '::after').content"
    assert "↓" in guest.evaluate(arrow)
    guest.evaluate("scrollTo(0, 9999)")
    expect(guest.locator("#screen[data-below]")).to_have_count(0)


# The chair


def ask_for_the_chair(guest: Page) -> None:
    guest.locator(".more-open").click()
    guest.locator("#more [value=chair]").click()
    expect(guest.locator("#noted")).to_be_visible()


def deaf(page: Page) -> None:
    """This page does not hear what others do."""
    page.route("**/rings", lambda route: None)


@pytest.mark.slow
def test_the_chair_is_handed_over(open_page: Open) -> None:
    page = open_page(**screen())
    code = open_table(page)
    guest = join(open_page, code, "pl-PL")
    old = page.context.new_page()
    deaf(old)
    old.goto(page.url)
    ask_for_the_chair(guest)
    notes = page.context.new_page()
    notes.goto(f"/it/t/{code}/notes")
    notes.locator(".wishes summary").click()
    notes.locator(".wishes [value=pass]").click()
    # The old screens become guests, and are told so; the guest has the chair.
    for one in (page, notes):
        expect(one).to_have_url(re.compile(rf"/it/t/{code}\?noted=left$"))
    expect(guest.locator("#chair")).to_be_visible()
    old.keyboard.press("ArrowRight")  # it does not know yet
    expect(old).to_have_url(re.compile(rf"/it/t/{code}\?noted=left$"))
    guest.locator("#chair a").last.click()
    expect(guest).to_have_url(re.compile("/present$"))
    at(guest, page, step="villa", open=True)
    press(guest)
    at(guest, page, old, step="villa", open=False)
    expect(page.locator("#chair")).to_be_hidden()


def test_a_phone_is_a_remote_control(open_page: Open) -> None:
    page = open_page(**screen())
    code = open_table(page)
    phone = join(open_page, code, "pl-PL")
    ask_for_the_chair(phone)
    notes = page.context.new_page()
    notes.goto(f"/it/t/{code}/notes")
    notes.locator(".wishes [value=share]").click()
    expect(notes.locator(".wishes")).to_have_count(0)
    phone.locator("#chair a").first.click()
    expect(phone).to_have_url(re.compile("/pl/t/.*/notes$"))
    phone.locator("[data-drive=next]").click()
    at(page, step="villa", open=False)
    expect(notes.locator("[data-drive=next]")).to_contain_text("→")
    phone.locator("[data-drive=next]").click()
    at(page, step="white", open=True)
    for one in (phone, notes):
        expect(one.locator("#notes-of")).to_have_attribute("data-screen", "white")
    phone.keyboard.press("ArrowRight")  # one with keys, perhaps
    at(page, step="white", open=False)
    expect(notes.locator("#notes-of")).to_have_attribute("data-version", version(page))
    notes.keyboard.press("ArrowRight")
    at(page, step="roll", open=True)
    notes.wait_for_timeout(300)
    at(page, step="roll", open=True)
    press(page)
    at(page, step="roll", open=False)


def test_two_screens_move_on_by_one_beat(open_page: Open) -> None:
    page = open_page(**screen())
    code = open_table(page)
    guest = join(open_page, code, "es-ES")
    slower = page.context.new_page()
    deaf(slower)
    slower.goto(page.url)
    at(slower, step="villa", open=True)
    press(page)
    press(slower)
    expect(slower.locator(".link-state.over[role=status]").first).to_be_visible()
    at(page, slower, guest, step="villa", open=False)
    press(slower)
    expect(slower.locator("#screen .link-state.over")).to_have_count(0)
    at(page, slower, guest, step="white", open=True)


# Keys alone, and no script


def test_all_can_be_done_by_keyboard(open_page: Open) -> None:
    page = open_page(**screen())
    page.goto("/it/border/teach/?plan=white.grey")
    tab_to(page, ".open-table button")
    page.keyboard.press("Enter")
    expect(page.locator("#code")).to_be_visible()
    guest = join(open_page, code_of(page), "pl-PL")
    expect(guest.locator(".stage")).to_have_count(0)
    page.keyboard.press("PageDown")  # a clicker has no other keys
    at(page, guest, step="white", open=True)
    tab_to(guest, "#choice-n")
    guest.keyboard.press("Enter")
    expect(said(guest)).not_to_be_empty()
    expect(guest.locator("#choice-n")).to_be_focused()
    answered(page, 1)
    for _ in range(2):
        press(page)
    at(page, guest, step="grey", open=True)
    tab_to(guest, "[data-board] a")
    guest.keyboard.press("ArrowRight")
    guest.keyboard.press("Enter")
    expect(guest.locator("#screen .picked, #mine .noted").first).to_be_visible()
    tab_to(guest, ".more-open")
    guest.keyboard.press("Enter")
    expect(guest.locator("#more")).to_be_visible()
    guest.keyboard.press("Escape")
    page.keyboard.press("p")
    expect(page.locator("#pointer[aria-pressed=true]")).to_be_visible()
    tab_to(page, "[data-board] a")
    page.keyboard.press("Enter")
    expect(page.locator(".pointed")).to_be_visible()
    tab_to(page, "#next")
    page.keyboard.press("Enter")
    at(page, guest, step="grey", open=False)


def tab_to(page: Page, where: str) -> None:
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("(where) => document.activeElement.matches(where)", where):
            return
    raise AssertionError(f"{where} cannot be reached by Tab")


def test_it_all_works_without_script(open_page: Open) -> None:
    page = open_page(java_script_enabled=False, **screen())
    code = open_table(page, "white.segments.grey")
    guest = open_page(java_script_enabled=False, locale="pl-PL", **PHONE)
    guest.goto(f"/t/{code}")
    guest.locator("#choice-n").click()
    expect(said(guest)).to_contain_text("Niedozwolone")
    page.reload()
    answered(page, 1)

    def move_on() -> None:
        page.locator("#next").click()
        page.locator("#command [value=show]").click()
        expect(page.locator("#command [value=show]")).to_have_count(0)

    def look_again() -> None:
        guest.get_by_role("link", name="Odśwież").click()

    move_on()
    look_again()
    at(guest, step="white", open=False)
    expect(said(guest).locator(".verdict-word.yes")).to_be_visible()
    move_on()
    look_again()
    at(guest, step="segments", open=True)
    for choice in (0, 2):
        guest.locator(f"#choice-{choice}").check()
    guest.locator("#screen .actions button").click()
    expect(said(guest).locator(".noted")).to_be_visible()
    move_on()
    assert votes(page) == ["1", "0", "1", "0"]
    look_again()
    expect(said(guest).locator(".verdict-word.yes")).to_be_visible()
    move_on()
    look_again()
    guest.locator("#space-A1").click()
    guest.locator(".answering button").click()
    expect(said(guest)).to_contain_text("A1")
    guest.locator(".dock [value=question]").click()
    at(guest, step="grey", open=True)
    page.goto(f"/it/t/{code}/notes")
    expect(page.locator(".wishes li")).to_have_count(1)
    page.locator("[data-drive=next]").click()


# What fits


@dataclass
class Walk:
    """All beats of a game with many votes, as the presenter and a guest see them: name and fragment."""

    app: Flask
    game: str
    screen: list[tuple[str, str]] = field(default_factory=list)
    phone: list[tuple[str, str]] = field(default_factory=list)
    code: str = ""

    def take(self, lang: str) -> "Walk":
        with self.app.test_request_context():
            tables = site_tables()
        course = tables.courses[self.game]
        plan = beats.plan_of(course, ())
        self.code, chair = tables.open(self.game, plan, Beat(plan[0]))
        who = guest_of(tables.stage(self.code), chair)
        guests = [tables.join(self.code) for _ in range(6)]
        for beat in beats.beats(course, plan):
            stage = tables.show(self.code, who, beat, tables.stage(self.code).version)
            name = (
                f"{beat.screen} {beat.given.replies.text or beat.given.moves or sorted(beat.given.choices)}"
            )
            if stage.open:
                self.phone.append((name, self._part(lang, "", guests[0][1])))
                votes = _wide_votes(course, stage.beat, lang)
                if stage.asks and course.lessons.screens[beat.screen].kind == "do":
                    tried = self._part(lang, f"?moves={quote_plus(votes[0])}", guests[0][1])
                    self.phone.append((f"{name}, {votes[0]}", tried))
                for (one, _), vote in zip(guests, votes, strict=False):
                    tables.vote(self.code, one, stage.round, vote)
            self.phone.append((name, self._part(lang, "", guests[0][1])))
            path = f"/present?votes={stage.round}"
            self.screen.append((name, self._part(lang, path, chair)))
            tables.cite(self.code, who, plain_rule(course), stage.version)
            self.screen.append((f"{name}, twice, with a rule", self._part(lang, f"{path}&also=es", chair)))
        return self

    def _part(self, lang: str, path: str, token: str) -> str:
        client = self.app.test_client()
        client.set_cookie(f"table-{self.code}", token)
        asks = {"HX-Request": "true", "HX-Boosted": "true", "HX-Target": "screen"}
        return client.get(f"/{lang}/t/{self.code}{path}", headers=asks).text


def plain_rule(course: Course) -> str:
    """The rule with the longest title of those that can be shown on all phones."""
    entries = course.texts["pl"].entries
    return max((id for id, one in entries.items() if one.paragraphs), key=lambda id: len(entries[id].title))


def _wide_votes(course: Course, beat: Beat, lang: str) -> list[str]:
    """Those answers about which there is most to say."""
    poll = Poll.of(course, beat, lang)
    if poll.on_board:
        step = course.runs[poll.screen.scenario].steps[poll.screen.step]
        game = course.book.game
        moves = [game.format_move(move) for move in game.thinkable(step.before, step.seat)[:60]]
        choices = [found for move in moves if (found := poll.choice(move)) and not found.right]
    else:
        choices = [*poll.offered]
    choices.sort(key=lambda one: -len(one.label) - sum(len(why.html) for why in one.whys))
    values = [one.value for one in choices[:5]]
    return [JOIN.join(sorted(values)) if poll.several else values[0], *values]


SCROLLS = """([name, html]) => {
  const made = new DOMParser().parseFromString(html, "text/html");
  document.querySelector("#screen").replaceWith(made.querySelector("#screen"));
  const found = [];
  for (const part of ["html", ".saying", ".stage", ".cue", ".table-bar"]) {
    const element = document.querySelector(part);
    if (!element) continue;
    const down = element.scrollHeight - element.clientHeight;
    const aside = element.scrollWidth - element.clientWidth;
    if (down > 2 || aside > 2) found.push(`${name}: ${part} scrolls by ${down}, ${aside}`);
  }
  for (const part of [".saying", ".votes", ".vote-why"]) {
    const element = document.querySelector(part);
    const size = element ? parseFloat(getComputedStyle(element).fontSize) / innerHeight : 1;
    if (size < 0.0205) found.push(`${name}: ${part} is too small, ${size}`);
  }
  return found;
}"""
OVERFLOWS = """([name, html]) => {
  const made = new DOMParser().parseFromString(html, "text/html");
  document.querySelector("#screen").replaceWith(made.querySelector("#screen"));
  const found = [];
  const { scrollWidth, scrollHeight } = document.documentElement;
  if (scrollWidth > innerWidth) found.push(`${name}: ${scrollWidth} wide`);
  if (scrollHeight > innerHeight) found.push(`${name}: ${scrollHeight} high`);
  const coach = document.querySelector(".coach-text");
  if (coach.scrollWidth > coach.clientWidth) found.push(`${name}: the text is ${coach.scrollWidth} wide`);
  const told = coach.matches(":has(.say, .attempt, .learned), .screen-watch[data-open] *");
  if (!told) found.push(`${name}: nothing is said`);
  const read = "#screen :is(.say:not(:has(~ .say)), .answer, .dock .button)";
  for (const one of document.querySelectorAll(read)) {
    const box = one.getBoundingClientRect();
    const seen = box.width && box.left >= 0 && box.right <= innerWidth;
    if (!seen) found.push(`${name}: ${one.className} is not seen`);
  }
  const stage = document.querySelector(".stage");
  const board = stage?.querySelector("svg.board");
  if (stage?.clientHeight < 200) found.push(`${name}: the stage has ${stage.clientHeight}`);
  if (board?.clientHeight < 90) found.push(`${name}: the board has ${board.clientHeight}`);
  return found;
}"""
PLAYABLE = f"""([name, html]) => {{
  const made = new DOMParser().parseFromString(html, "text/html");
  document.querySelector("#screen").replaceWith(made.querySelector("#screen"));
  return ({FAULTS})().map((fault) => `${{name}}: ${{fault}}`);
}}"""


@pytest.fixture(scope="module", params=GAMES)
def walk(request: pytest.FixtureRequest, app: Flask) -> Walk:
    return Walk(app, request.param).take("pl")


def measured(page: Page, how: str, shown: list[tuple[str, str]]) -> list[str]:
    return [fault for one in page.evaluate(f"(all) => all.map({how})", shown) for fault in one]


@pytest.mark.slow
def test_nothing_scrolls_on_the_shared_screen_of_a_table(open_page: Open, walk: Walk) -> None:
    page = open_page(**screen())
    open_table(page, game=walk.game, lang="pl")
    assert measured(page, SCROLLS, walk.screen) == []
    page.set_viewport_size({"width": 1920, "height": 1080})
    assert measured(page, SCROLLS, walk.screen[::3]) == []


@pytest.mark.slow
def test_every_beat_fits_a_phone(open_page: Open, walk: Walk) -> None:
    page = open_page(**screen())
    guest_page = join(open_page, open_table(page, game=walk.game), "pl-PL")
    assert measured(guest_page, OVERFLOWS, walk.phone) == []
    if walk.game == "confini":
        assert measured(guest_page, PLAYABLE, walk.phone) == []


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.slow
def test_everybody_can_read_it(open_page: Open, colours: str) -> None:
    page = open_page(color_scheme=colours, **screen())
    code = open_table(page, "segments.grey")
    phone = join(open_page, code, "pl-PL", color_scheme=colours)

    def readable(one: Page, path: str = "") -> None:
        if path:
            one.goto(path)
        found = Axe().run(one)
        assert found.violations_count == 0, found.generate_report()

    readable(phone)
    phone.locator("#choice-1").check()
    phone.locator("#screen .actions button").click()
    expect(said(phone)).not_to_be_empty()
    readable(phone)
    answered(page, 1)
    page.keyboard.press("v")
    expect(page.locator(".votes")).to_be_visible()
    readable(page)
    phone.locator(".dock [value=question]").click()
    ask_for_the_chair(phone)
    press(page)
    expect(said(phone).locator(".verdict-word")).to_be_visible()
    for one in (page, phone):
        readable(one)
    press(page)
    page.keyboard.press("p")
    page.locator("#spot-H1").click()
    expect(phone.locator(".pointed")).to_be_visible()
    for one in (page, phone):
        readable(one)
    page.keyboard.press("t")
    readable(page)
    readable(page, f"/it/t/{code}/notes")
    readable(phone, "/pl/t/")


# A server that dies


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path / "rulebook.db")
    yield made
    made.kill()


@pytest.mark.slow
def test_a_killed_server_loses_nothing(browser: Browser, server: Server) -> None:
    def new_page(locale: str) -> Page:
        context = browser.new_context(base_url=server.url, locale=locale, **PHONE)
        return context.new_page()

    page, guest_page = new_page("it-IT"), new_page("pl-PL")
    code = open_table(page, "white.grey")
    guest_page.goto(f"/t/{code}")
    for one in (page, guest_page):
        one.evaluate("window.same = true")
    guest_page.locator("#choice-n").click()
    answered(page, 1)
    server.kill()
    expect(guest_page.locator("#trouble")).not_to_be_empty()
    expect(page.locator("#trouble")).not_to_be_empty()
    page.keyboard.press("ArrowRight")
    server.start()
    expect(guest_page.locator("#trouble")).to_be_empty()
    # What the presenter pressed meanwhile is done once the line is there.
    answered(page, 1)
    expect(said(guest_page).locator(".verdict-word.yes")).to_be_visible()
    press(page)
    at(page, guest_page, step="grey", open=True)
    assert all(one.evaluate("window.same") for one in (page, guest_page))
    for one in (page, guest_page):
        one.context.close()


# A store that loses its end, or that another version has written to


@pytest.fixture
def log(server: Server) -> Iterator[Log]:
    with closing(open_log(str(server.database.with_name("live.db")))) as opened:
        yield opened


def at_table(browser: Browser, server: Server, plan: str) -> tuple[Page, Page, Page, str]:
    """A presenter's screen and notes and a guest's phone, which are never loaded anew; and the code."""
    there = browser.new_context(base_url=server.url, locale="it-IT", viewport={"width": 1280, "height": 720})
    page, notes = there.new_page(), there.new_page()
    phone = browser.new_context(base_url=server.url, locale="pl-PL", **PHONE).new_page()
    code = open_table(page, plan)
    notes.goto(f"/it/t/{code}/notes")
    phone.goto(f"/t/{code}")
    for one in (page, notes, phone):
        one.evaluate("window.same = true")
    return page, notes, phone, code


@pytest.mark.slow
def test_a_store_that_has_lost_its_end_takes_all_pages_back(
    browser: Browser, server: Server, log: Log
) -> None:
    page, notes, phone, code = at_table(browser, server, "white.grey.villa")
    phone.locator("#choice-n").click()
    answered(page, 1)
    for _ in range(3):
        press(page)
    at(page, phone, step="grey", open=False)
    expect(notes.locator("#notes-of")).to_have_attribute("data-version", "5")
    stage, floor = ([event.body for event in log.read(code, name)] for name in CHANNELS)
    log.put(code, stage[:2], floor[:1], replace=True)
    at(page, phone, step="white", open=True)
    expect(notes.locator("#notes-of")).to_have_attribute("data-version", "2")
    answered(page, 0)
    expect(phone.locator("#choice-n")).to_have_attribute("aria-pressed", "false")
    phone.locator("#choice-y").click()
    answered(page, 1)
    press(page)
    at(page, phone, step="white", open=False)
    expect(notes.locator("#notes-of")).to_have_attribute("data-version", "3")
    assert all(one.evaluate("window.same") for one in (page, notes, phone))
    for one in (page, phone):
        one.context.close()


@pytest.mark.slow
def test_what_this_version_has_not_is_told_and_left_by_a_button(
    browser: Browser, server: Server, log: Log
) -> None:
    page, _, phone, code = at_table(browser, server, "white.grey")
    log.append(code, "stage", {"kind": "shown", "place": {"screen": "gone"}})
    expect(phone.locator("#trouble")).to_contain_text("której nie ma w tej wersji serwisu")
    button = page.locator("button[value=show]")
    expect(button).to_be_visible()
    button.click()
    at(page, phone, step="white", open=True)
    expect(phone.locator("#trouble")).to_be_empty()
    assert phone.evaluate("window.same")
    press(page)
    at(page, phone, step="white", open=False)
    for one in (page, phone):
        one.context.close()
