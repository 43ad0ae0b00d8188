"""A match in a browser: by touch, by keyboard, without script; bots act by themselves."""

import os
import re
import socket
import time
from urllib.parse import urlencode, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize, expect

from tests.conftest import CHROMIUM, Open
from tests.web.phone import FAULTS

PHONE: ViewportSize = {"width": 390, "height": 844}
LOW: ViewportSize = {"width": 360, "height": 640}
LAPTOP: ViewportSize = {"width": 1280, "height": 720}

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium"
    ),
]


def begin(page: Page, game: str, lang: str, **chosen: str) -> None:
    page.goto(f"/{lang}/{game}/play")
    for name, value in chosen.items():
        page.locator(f"#{name}").select_option(value)
    page.locator("#begin").click()
    expect(page.locator("#screen")).to_be_visible()


def wait_for_turn(page: Page) -> None:
    """Bots act by themselves, with or without somebody who skips ahead."""
    expect(page.locator("#hint, #again, #take")).to_be_visible(timeout=60_000)


def test_a_whole_game_by_touch_on_a_phone(open_page: Open) -> None:
    page = open_page(viewport=PHONE, has_touch=True)
    begin(page, "nim", "it")
    for _ in range(30):
        wait_for_turn(page)
        if page.locator("#again").count():
            break
        page.locator("#list").tap()
        page.locator(".legal li a").first.tap()
        page.locator("#play").tap()
        expect(page.locator("#play")).to_have_count(0)
    expect(page.locator("h1")).to_contain_text("Vittoria")


def test_a_whole_game_by_keyboard(open_page: Open) -> None:
    page = open_page(viewport=LAPTOP)
    begin(page, "nim", "pl")
    for _ in range(30):
        wait_for_turn(page)
        if page.locator("#again").count():
            break
        page.locator("#hint").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#play")).to_be_visible()
        page.locator("#play").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#play")).to_have_count(0)
    expect(page.locator("#again")).to_be_visible()


def test_without_script_all_is_links_and_forms(open_page: Open) -> None:
    page = open_page(viewport=PHONE, java_script_enabled=False)
    begin(page, "nim", "es")
    for _ in range(60):
        if page.locator("#again").count():
            break
        if page.locator("#go").count():
            page.locator("#go").click()
            continue
        page.locator("#list").click()
        page.locator(".legal li a").last.click()
        page.locator("#play").click()
    expect(page.locator("#again")).to_be_visible()


def test_a_second_touch_on_the_same_place_makes_the_move(open_page: Open) -> None:
    page = open_page(viewport=PHONE)
    begin(page, "blockers", "en")
    wait_for_turn(page)
    page.locator(".mine a.tile").first.click()
    expect(page.locator(".mine .picked")).to_have_count(1)
    page.locator("#hint").click()
    expect(page.locator(".help.hint")).to_be_visible()
    page.locator("#play").click()
    expect(page.locator(".happened li").first).to_be_visible()
    wait_for_turn(page)
    page.locator("#list").click()
    page.locator(".legal li a").first.click()
    expect(page.locator(".verdict-yes")).to_be_visible()
    move = page.locator("#form-play [name=move]").input_value()
    cell = move.split()[-1]
    version = page.locator("#form-play [name=version]").input_value()
    page.locator(f"#screen svg [id$='{cell}']").first.click()
    expect(page.locator(f"#screen [name=version][value='{version}']")).to_have_count(0)


@pytest.mark.parametrize("game", ["border", "blockers", "confini"])
def test_axe_finds_nothing_and_nothing_is_cut(open_page: Open, game: str) -> None:
    page = open_page(viewport=LAPTOP, reduced_motion="reduce")
    begin(page, game, "pl")
    wait_for_turn(page)
    found = []
    for show in ("", "?show=legal", "?show=hint", "?show=log"):
        page.goto(page.url.partition("?")[0] + show)
        results = Axe().run(page, options={"resultTypes": ["violations"]})
        found += [
            f"{show} {rule['id']} {rule['nodes'][0]['html'][:90]}" for rule in results.response["violations"]
        ]
        page.set_viewport_size(LOW)
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > LOW["width"]:
            found.append(f"{show} is {wide} wide")
        page.set_viewport_size(PHONE)
        found += [f"{show} {fault}" for fault in page.evaluate(FAULTS)]
        page.set_viewport_size(LAPTOP)
    assert not found, "\n".join(found)


def test_two_tabs_of_one_match_do_not_move_twice(open_page: Open) -> None:
    page = open_page(viewport=LAPTOP)
    begin(page, "nim", "en")
    wait_for_turn(page)
    other = page.context.new_page()
    other.goto(page.url)
    for tab in (page, other):
        tab.locator("#hint").click()
        expect(tab.locator("#play")).to_be_visible()
    page.locator("#play").click()
    expect(page.locator("#play")).to_have_count(0)
    other.locator("#play").click()
    expect(other.locator(".noted, #again, #go")).not_to_have_count(0)
    assert re.search(r"/play/\w{16}", other.url)


def test_a_form_that_comes_in_pieces_is_waited_for(open_page: Open, site: str) -> None:
    """A move is made aside, where nobody can wait for the rest of a form."""
    page = open_page(viewport=LAPTOP)
    begin(page, "nim", "en")
    wait_for_turn(page)
    page.locator("#hint").click()
    expect(page.locator("#play")).to_be_visible()
    fields = page.locator("#form-play input").evaluate_all("(all) => all.map((one) => [one.name, one.value])")
    body = urlencode([(name, value) for name, value in fields]).encode()
    cookie = "; ".join(f"{one['name']}={one['value']}" for one in page.context.cookies())
    parts = urlsplit(page.url)
    head = (
        f"POST {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nOrigin: {site}\r\nCookie: {cookie}\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=20) as line:
        line.sendall(head.encode() + body[:5])
        time.sleep(0.3)
        line.sendall(body[5:])
        assert line.recv(200).startswith(b"HTTP/1.1 303")
