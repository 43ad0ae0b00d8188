"""A game needs no more than its rules: what else it lacks, the site does not speak of. A drawing needs no
rule of its own in the style sheet."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import ChoiceLoader, FileSystemLoader
from playwright.sync_api import Browser
from werkzeug.serving import make_server

from tests import nim
from tests.conftest import CHROMIUM, PATIENCE
from tests.nim.drawing import NimDrawing
from tests.pages import PageClient, unfilled
from tutor.book.words import LANGUAGES
from tutor.games import tables
from tutor.web import create_app

LACKED = ("rulings", "pieces", "editions")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_page_leads_to_what_a_game_has_not(client: PageClient, lang: str) -> None:
    for page in ("", "rules", "compare", "referee", "learn/take", "teach/take"):
        links = client.page(f"/{lang}/nim/{page}").links
        assert not [link for link in links if f"/{lang}/nim/" in link and link.endswith(LACKED)], page


@pytest.mark.parametrize("subject", LACKED)
def test_who_asks_for_it_gets_to_the_game(client: PageClient, subject: str) -> None:
    assert client.get(f"/it/nim/{subject}", 302).location == "/it/nim/"
    assert client.get(f"/it/chess/{subject}", 404)


def test_a_game_has_its_own_subjects_only(client: PageClient) -> None:
    assert "/it/confini/editions" not in client.page("/it/confini/").links
    assert {f"/it/confini/{one}" for one in ("rulings", "pieces")} <= set(client.page("/it/confini/").links)
    assert {f"/it/border/{one}" for one in LACKED} <= set(client.page("/it/border/").links)


def test_a_position_without_a_set_up_cannot_be_changed_by_hand(client: PageClient) -> None:
    at = "1.take active=p1 heaps=3,4,5"
    assert 'id="edit"' not in client.get("/en/nim/referee", query_string={"at": at}).text
    assert 'id="set-up"' not in client.get("/en/nim/referee").text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_facts_have_names_of_the_language_and_none_is_a_word_of_python(client: PageClient, lang: str) -> None:
    html = client.get(f"/{lang}/nim/learn/take").text
    facts = html[html.index('class="plain-facts"') : html.index("</dl>")]
    assert not [word for word in ("heap.", "active", "False", "winners", "()") if word in facts]


@pytest.mark.parametrize(
    ("text", "english", "found"),
    [
        ("None is ever captured. None of them is.", True, 0),
        ("It takes None matches.", True, 1),
        ("None", True, 1),
        ("None is left", False, 1),
    ],
)
def test_what_nobody_has_filled_in_is_told_from_a_word(text: str, english: bool, found: int) -> None:
    assert len(unfilled(text, english)) == found


# In a browser


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site with Nim alone, which has a drawing there."""
    folder = tmp_path_factory.mktemp("drawn")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "_table", lambda engine: tables.Table(drawing=NimDrawing))
        app = create_app(folder / "rulebook.db", nim.content(folder / "content"), nim.GAMES)
        own = FileSystemLoader(Path(nim.__file__).parent / "templates")
        app.jinja_loader = ChoiceLoader([app.jinja_loader, own])  # type: ignore[list-item]
        app.config.update(LIMITS=0)
        server = make_server("127.0.0.1", 0, app, threaded=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.port}"
        server.shutdown()
        thread.join()


FITS = """() => {
  const wrong = [];
  const table = document.querySelector(".stage .table").getBoundingClientRect();
  const board = document.querySelector(".stage .board").getBoundingClientRect();
  if (board.width < 200 || board.height < 100) wrong.push(`the board is ${board.width} x ${board.height}`);
  for (const one of document.querySelectorAll(".stage .table *:not(svg *, .sr)")) {
    const { left, right } = one.getBoundingClientRect();
    const off = left < table.left - 1 || right > table.right + 1;
    if (off) wrong.push(`${one.outerHTML.slice(0, 60)} is cut off`);
  }
  const parts = [...document.querySelectorAll(".stage .table > *")].map((one) => one.getBoundingClientRect());
  parts.sort((one, other) => one.top - other.top);
  const over = parts.slice(1).some((one, i) => one.top < parts[i].bottom - 1);
  if (over) wrong.push("parts lie over each other");
  if (document.documentElement.scrollWidth > innerWidth) wrong.push("the page is too wide");
  return wrong;
}"""
WITH_BROWSER = pytest.mark.skipif(not CHROMIUM and not os.environ.get("CI"), reason="no chromium")


@WITH_BROWSER
@pytest.mark.parametrize("size", [(390, 844), (390, 664), (1280, 720)])
def test_a_drawing_without_a_rule_of_its_own_has_its_place_on_every_stage(
    browser: Browser, drawn: str, size: tuple[int, int]
) -> None:
    page = browser.new_page(base_url=drawn, viewport={"width": size[0], "height": size[1]})
    page.set_default_timeout(PATIENCE)
    wrong = []
    pages = ("learn/goal", "learn/take", "learn/take?pick=2", "learn/next-turn", "referee?from=turns/many")
    for address in (*pages, "teach/take", "examples/turns/"):
        page.goto(f"/es/nim/{address}")
        wrong += [f"{address}: {fault}" for fault in page.evaluate(FITS)]
    page.close()
    assert not wrong
