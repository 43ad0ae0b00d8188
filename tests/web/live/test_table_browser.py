"""At a table, in a browser: commands, pointers, answers on the board, phones of all sizes."""

import os
import re

import pytest
from flask import Flask
from playwright.sync_api import expect

from tests.conftest import CHROMIUM, Open
from tests.web.live.test_browser import (
    Walk,
    answered,
    ask_for_the_chair,
    at,
    code_of,
    join,
    measured,
    open_table,
    press,
    said,
    screen,
    site,
)
from tutor.book.words import LANGUAGES
from tutor.games import GAMES

__all__ = ["site"]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(
        not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium"
    ),
]

LOW = {"viewport": {"width": 360, "height": 640}}
TILE = ".rack a.tile"


# Commands


def test_the_presenter_goes_on_after_picking_a_tile(open_page: Open) -> None:
    page = open_page(**screen())
    code = open_table(page, "number.symbol", game="blockers")
    guest = join(open_page, code, "pl-PL")
    step, clean = page.locator("#screen").get_attribute("data-screen"), page.url
    page.locator(TILE).first.click()
    expect(page.locator(".tile.picked")).to_be_visible()
    press(page)
    at(page, guest, step=str(step), open=False)
    press(page)
    expect(page.locator(f"#screen:not([data-screen={step}])")).to_be_visible()
    expect(page).to_have_url(clean)


def test_an_address_that_names_a_beat_does_not_hold_the_presenter(open_page: Open) -> None:
    """As after a press of Next before the script had arrived, or in a new tab."""
    page = open_page(**screen())
    code = open_table(page, "white.too-late.grey")
    guest = join(open_page, code, "pl-PL")
    clean = page.url
    page.goto(f"{clean}?screen=white&said=n")
    expect(page.locator("#command [value=show]")).to_be_visible()
    press(page)
    at(page, guest, step="too-late", open=True)
    expect(page).to_have_url(clean)
    for step, is_open in (("too-late", False), ("grey", True)):
        press(page)
        at(page, guest, step=step, open=is_open)
    # Nor does it when somebody else moves the table on.
    page.goto(f"{clean}?screen=white")
    other = page.context.new_page()
    other.goto(clean)
    press(other)
    at(page, guest, step="grey", open=False)
    expect(page.locator("#command [value=show]")).to_have_count(0)
    expect(page).to_have_url(clean)


# The chair


PHONES = {"it-IT": (360, 640), "pl-PL": (360, 640), "es-ES": (390, 844), "en-GB": (1280, 720)}
PILOT = {"it-IT": "Telecomando", "pl-PL": "Pilot", "es-ES": "Mando a distancia", "en-GB": "Remote control"}


def test_whoever_is_given_the_remote_control_sees_it_at_once_and_the_board_stays(open_page: Open) -> None:
    page = open_page(**screen())
    code = open_table(page)
    guests, places = {}, {}
    where = "document.querySelector('.focus-board').getBoundingClientRect().toJSON()"
    for locale, (width, height) in PHONES.items():
        guest = guests[locale] = join(open_page, code, locale, viewport={"width": width, "height": height})
        ask_for_the_chair(guest)
        expect(guest.locator("#noted")).to_be_hidden()
        places[locale] = guest.evaluate(where)
    notes = page.context.new_page()
    notes.goto(f"/it/t/{code}/notes")
    for left in range(len(guests), 0, -1):
        expect(notes.locator(".wishes [value=share]")).to_have_count(left)
        notes.locator(".wishes [value=share]").first.click()
    for locale, guest in guests.items():
        for way in guest.locator("#chair a").all():
            expect(way).to_be_in_viewport(ratio=1)
        expect(guest.locator("#chair a").first).to_have_text(PILOT[locale])
        expect(guest.locator("#say")).to_contain_text(PILOT[locale])
        assert guest.evaluate(where) == places[locale]
        # It can be put away, stays so, and is found again among what else there is to do.
        guest.locator("#chair-close").click()
    press(page)
    for guest in guests.values():
        at(guest, step="villa", open=False)
        expect(guest.locator("#chair")).to_be_hidden()
    guest = guests["pl-PL"]
    guest.locator(".more-open").click()
    guest.locator("#chair-ways").get_by_text("Pilot").click()
    expect(guest).to_have_url(re.compile("/pl/t/.*/notes$"))


# Before it begins


def test_a_text_before_the_first_beat_has_all_the_room_of_a_phone(open_page: Open) -> None:
    """No shadow says that it goes on below where it does not."""
    shadow = "getComputedStyle(document.querySelector('.coach-text'), '::after').opacity"
    for game in GAMES:
        page = open_page(**screen())
        page.goto(f"/it/{game}/teach/")
        page.locator(".open-table button").click()
        expect(page.locator("#code")).to_be_visible()
        for lang in LANGUAGES:
            guest = join(open_page, code_of(page), f"{lang}-{lang.upper()}")
            expect(guest.locator("#screen .say").last).to_be_in_viewport(ratio=1)
            expect(guest.locator("#screen[data-below]")).to_have_count(0)
            assert guest.evaluate(shadow) == "0", (game, lang)


# What the presenter pushes


def test_pointers_and_answers_reach_whoever_is_choosing_or_has_answered(open_page: Open) -> None:
    page = open_page(**screen())
    code = open_table(page, "number.column", game="blockers")
    choosing, done = join(open_page, code, "pl-PL"), join(open_page, code, "es-ES")
    for guest in (choosing, done):
        guest.locator(TILE).first.click()
        expect(guest.locator(".tile.picked")).to_be_visible()
    done.locator("#cell-C3").click()
    expect(said(done)).to_contain_text("C3")
    page.keyboard.press("p")
    page.locator("#spot-D4").click()
    for guest in (choosing, done):
        expect(guest.locator(".pointed[data-place=D4]")).to_be_visible()
    page.locator("#spot-D5").click()
    for guest in (choosing, done):
        expect(guest.locator(".pointed")).to_have_attribute("data-place", "D5")
    page.keyboard.press("/")
    page.locator("#q").fill("joker")
    page.locator("[data-cite]").first.click()
    for guest in (choosing, done):
        expect(guest.locator(".cited h2")).to_be_visible()
    expect(choosing.locator(".tile.picked")).to_be_visible()
    expect(said(done)).to_contain_text("C3")
    # It can be taken back, and is gone with the next beat.
    page.keyboard.press("Escape")
    page.locator("#uncite").click()
    for guest in (choosing, done):
        expect(guest.locator(".cited")).to_have_count(0)
    expect(page.locator("#uncite")).to_have_count(0)
    expect(choosing.locator(".tile.picked")).to_be_visible()
    choosing.locator("#cell-D3").click()
    expect(said(choosing)).to_contain_text("D3")


# Answers on the board


def test_an_answer_lies_on_the_board_and_is_marked_when_it_is_told(open_page: Open) -> None:
    page = open_page(**screen())
    code = open_table(page, "number.joker.groups", game="blockers")
    right, wrong = join(open_page, code, "pl-PL"), join(open_page, code, "es-ES")
    for guest, cell in ((right, "C3"), (wrong, "C4")):
        guest.locator(TILE).first.click()
        guest.locator(f"#cell-{cell}").click()
        expect(guest.locator(".ghost use")).to_have_count(2)
        expect(guest.locator(".verdict-sign")).to_have_count(0)
    press(page)
    for guest, how in ((right, "right"), (wrong, "wrong")):
        expect(guest.locator(f".ghost.{how} .verdict-sign")).to_be_visible()
    wrong.reload()
    expect(wrong.locator(".ghost.wrong .verdict-sign")).to_be_visible()
    # Moves to choose from lie there, and are marked on all screens.
    press(page)
    for one in (page, right):
        expect(one.locator(".ghost").first).to_be_visible()
        expect(one.locator(".verdict-sign")).to_have_count(0)
    press(page)
    for one in (page, right):
        expect(one.locator(".ghost.right .verdict-sign").first).to_be_visible()
        expect(one.locator(".ghost.wrong .verdict-sign").first).to_be_visible()
    # What was counted is outlined.
    press(page)
    expect(right.locator(".board .group")).to_have_count(0)
    press(page)
    for one in (page, right):
        expect(one.locator(".board .group").first).to_be_visible()


def test_a_wrong_move_of_the_presenter_gives_nothing_away(open_page: Open) -> None:
    page = open_page(**screen())
    code = open_table(page, "number.column", game="blockers")
    guest = join(open_page, code, "pl-PL")
    guest.locator(TILE).first.click()
    guest.locator("#cell-C3").click()
    answered(page, 1)
    page.locator(TILE).first.click()
    page.locator("#cell-C4").click()
    for one in (page, guest):
        expect(one.locator(".verdict-word.no")).to_be_visible()
    expect(guest.locator(".coach .noted").first).to_have_text("Osoba prowadząca sprawdza jakiś ruch.")
    expect(page.locator(".votes")).to_have_count(0)
    expect(guest.locator(".verdict-sign")).to_have_count(0)
    expect(said(guest)).to_contain_text("C3")
    # The vote goes on.
    guest.locator(TILE).first.click()
    guest.locator("#cell-D3").click()
    expect(said(guest)).to_contain_text("D3")
    press(page)
    expect(page.locator(".votes .right")).to_have_count(1)
    expect(guest.locator(".ghost.right .verdict-sign")).to_be_visible()


# Phones

IN_SIGHT = """([name, html]) => {
  const made = new DOMParser().parseFromString(html, "text/html");
  document.querySelector("#screen").replaceWith(made.querySelector("#screen"));
  const open = document.querySelector("#screen[data-touch]");
  const buttons = ".answers button, .choices + .actions button, .answering button";
  const wanted = `#screen :is(${buttons}, .stage a[href])`;
  const first = document.querySelector(wanted);
  const edge = document.querySelector(".dock").getBoundingClientRect().top;
  const found = [];
  if (open && !first) found.push(`${name}: nothing to answer with`);
  const board = document.querySelector(".focus-board .board")?.getBoundingClientRect();
  const top = first?.matches(".board *") ? board.top + 60 : first?.getBoundingClientRect().top + 24;
  if (open && top > edge) found.push(`${name}: ${first.id} is out of sight`);
  if (board && Math.min(board.width, board.height) < 195) found.push(`${name}: the board has ${board.width}`);
  return found;
}"""


@pytest.fixture(scope="module", params=GAMES)
def walk(request: pytest.FixtureRequest, app: Flask) -> Walk:
    return Walk(app, request.param).take("pl")


def test_what_one_answers_with_is_in_sight_on_a_low_phone(open_page: Open, walk: Walk) -> None:
    page = open_page(**screen())
    guest = join(open_page, open_table(page, game=walk.game), "pl-PL", **LOW)
    assert measured(guest, IN_SIGHT, walk.phone) == []


def test_every_beat_begins_at_its_top_and_a_touch_of_the_board_is_answered(open_page: Open) -> None:
    page = open_page(**screen())
    guest = join(open_page, open_table(page, "column.number", game="blockers"), "en-GB", **LOW)
    guest.evaluate("scrollTo(0, 9999)")
    guest.locator(".square-board").click(position={"x": 100, "y": 100})
    expect(guest.locator("#noted")).to_have_text("Use the buttons by the question to answer.")
    press(page)
    at(guest, step="column", open=False)
    guest.wait_for_function("scrollY === 0")
    press(page)
    at(guest, step="number", open=True)
    expect(guest.locator(".task")).to_have_text("Choose a tile from the rack.")
    guest.locator(".square-board").click(position={"x": 100, "y": 100})
    expect(guest.locator("#noted")).to_have_text("Choose a tile from the rack.")
    guest.locator(TILE).first.click()
    expect(guest.locator("#noted")).to_be_hidden()
    expect(guest.locator(".task")).to_have_text("Answer on the board: tap what you would do.")
    guest.goto(f"{guest.url}?pick=9")
    press(page)
    expect(guest.locator("#screen")).not_to_have_attribute("data-open", "")
    assert guest.evaluate("location.search") == "", "a reload would pick it again"
