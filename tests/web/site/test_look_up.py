"""Small ways to what is looked up: pieces by their ids, pages not there, previews, options, contents."""

import os
import re
from html import unescape

import pytest
from flask import Flask
from playwright.sync_api import expect

from tests.books import having
from tests.conftest import CHROMIUM, Open
from tests.pages import PageClient
from tutor.book.words import LANGUAGES
from tutor.games import GAMES
from tutor.games.tables import list_pieces
from tutor.lessons.course import Course
from tutor.lookup.examples import steps_of
from tutor.referee.packed import unpack
from tutor.rules.options import Several

each_language = pytest.mark.parametrize("lang", LANGUAGES)
each_game = pytest.mark.parametrize("game", list(GAMES))


def test_every_piece_has_an_address_for_good(client: PageClient, all_courses: dict[str, Course]) -> None:
    seen: dict[str, str] = {}
    for game in having("pieces"):
        anchors = set(client.page(f"/es/{game}/pieces").ids)
        for piece in list_pieces(all_courses[game], "es"):
            assert seen.setdefault(piece.id, game) == game, "one address cannot lead to two games"
            answer = client.get(f"/r/{piece.id}", 302, headers={"Accept-Language": "es"})
            assert answer.location == f"/es/{game}/pieces#{piece.id}"
            assert piece.id in anchors
    client.get("/r/EV99", 404)


@each_language
def test_a_page_that_is_not_there_leads_to_the_games_and_the_search(client: PageClient, lang: str) -> None:
    for path in (f"/{lang}/nothing/", f"/{lang}/border/rulings/nothing"):
        page = client.page(path, 404)
        assert {f"/{lang}/{game}/" for game in GAMES} <= set(page.links)
        assert "q" in page.inputs
        assert page.lang == lang
    assert "q" not in client.page(f"/{lang}/border/learn/grey?moves=x", 400).inputs


def test_a_preview_is_found_at_the_host_that_was_asked(
    app: Flask, client: PageClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shown(path: str) -> str:
        html = client.get(path, headers={"Host": "rules.example"}).text
        return unescape(re.findall(r'og:image" content="([^"]*)"', html)[0])

    table = "/en/border/referee?at=1.roll+active=p1+p1=1+p2=2"
    assert shown(table).startswith("http://rules.example/referee/border/position.png?at=")
    assert shown("/en/border/referee").startswith("http://rules.example/referee/")
    before = len(app.extensions["pages"])
    for number in range(5):
        client.get("/en/border/referee", headers={"Host": f"h{number}.example"})
    assert len(app.extensions["pages"]) == before, "whoever invents hosts pushes out no page of others"
    monkeypatch.setitem(app.config, "URL", "https://known.example")
    assert shown(table).startswith("https://known.example/referee/")
    monkeypatch.setitem(app.config, "HOSTS", ["known.example"])
    client.get(table, 400, headers={"Host": "rules.example"})


@each_game
def test_two_languages_tell_the_examples_too(
    client: PageClient, all_courses: dict[str, Course], game: str
) -> None:
    course = all_courses[game]
    html = client.get(f"/it/{game}/compare?with=pl").text
    for entry in course.texts["it"].entries.values():
        for step in steps_of(course, entry.id) if entry.kind == "example" else ():
            for lang in ("it", "pl"):
                assert course.tell(entry.id, step, lang).story() in html, (entry.id, step, lang)


@each_language
@each_game
def test_a_new_table_asks_for_every_option(
    client: PageClient, all_courses: dict[str, Course], game: str, lang: str
) -> None:
    page = client.get(f"/{lang}/{game}/referee").text
    for name, option in all_courses[game].book.game.options.items():
        assert (f'name="{name}"' in page) != isinstance(option, Several), name
        label = re.search(f'<label for="option-{name}">([^<]*)<', page)
        assert isinstance(option, Several) or (label and label[1] != name)


def test_options_are_those_of_the_table(client: PageClient) -> None:
    path = "/en/confini/referee?edit=1&players=3&first=2&guard=7&rounding=down"
    where = client.get(path, 302).location
    at = unescape(re.findall("at=([^&]*)", where)[0]).replace("+", " ")
    assert "guard=7" in unpack(at)
    client.get("/en/confini/referee?new=1&guard=x", 400)


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium")
def test_the_contents_mark_what_is_read(open_page: Open) -> None:
    page = open_page(viewport={"width": 1280, "height": 720})
    page.goto("/en/border/rules#border.end.tie")
    marked = page.locator(".toc a[aria-current]")
    expect(marked).to_have_count(1)
    expect(marked).to_have_attribute("href", re.compile("#(border.end|end)"))
    expect(marked).to_be_in_viewport()
    page.evaluate("window.scrollTo(0, 0)")
    page.evaluate("document.getElementById('border.setup.dice').scrollIntoView()")
    expect(marked).to_have_attribute("href", "#border.setup.dice")
