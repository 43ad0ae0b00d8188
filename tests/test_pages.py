"""Every page in every language, through the client that checks each page; and what goes wrong, goes well."""

import random
import re
from collections.abc import Iterator

import pytest
from flask import Flask

from tests.pages import Outline, PageClient
from tutor.book.words import LANGUAGES
from tutor.rules import GAMES
from tutor.web.shelf import Shelf

GAME_NAMES = list(GAMES)
each_language = pytest.mark.parametrize("lang", LANGUAGES)
each_game = pytest.mark.parametrize("game", GAME_NAMES)


def shelf_of(app: Flask) -> Shelf:
    found: Shelf = app.extensions["shelf"]
    return found


def test_every_route_is_visited_by_a_test_here(app: Flask) -> None:
    """A new route fails here until a test below takes it up."""
    assert {rule.endpoint for rule in app.url_map.iter_rules()} == {
        "static",
        "pages.root",
        "pages.home",
        "pages.game",
        "pages.picture",
        "pages.permalink",
        "learn.start",
        "learn.step",
        "rules.page",
        "rules.one_example",
    }


@each_language
def test_home_and_game_pages(client: PageClient, lang: str) -> None:
    home = client.page(f"/{lang}/")
    for game in GAME_NAMES:
        assert f"/{lang}/{game}/" in home.links
        page = client.get(f"/{lang}/{game}/")
        assert page.text.count('rel="alternate"') == len(LANGUAGES)


@each_language
@each_game
def test_every_step_of_the_lesson(app: Flask, client: PageClient, lang: str, game: str) -> None:
    for step in shelf_of(app).courses[game].lesson.steps:
        page = client.get(f"/{lang}/{game}/learn/{step.id}?path=full")
        assert "progress" in page.text


@each_language
@each_game
def test_every_step_to_do_is_met_by_its_solution_and_explains_a_wrong_move(
    app: Flask, client: PageClient, lang: str, game: str
) -> None:
    shelf = shelf_of(app)
    for step in shelf.courses[game].lesson.steps:
        if step.kind not in ("do", "refuse", "choose", "ask"):
            continue
        frame = shelf.courses[game].runs[step.scenario].frames[step.frame]
        address = f"/{lang}/{game}/learn/{step.id}"
        if step.kind == "do":
            won = client.get(address, query_string={"moves": ";".join(frame.step.play)})
            assert "verdict-yes" in won.text, step.id
            for level in range(1, 5):
                assert 'class="help"' in client.get(f"{address}?help={level}").text
        elif step.kind == "refuse":
            assert "verdict-no" not in client.get(address).text
            assert "verdict-no" in client.get(address, query_string={"moves": frame.step.refuse}).text
        elif step.kind == "ask":
            right = list(frame.answer) if isinstance(frame.answer, tuple) else [str(frame.answer)]
            assert "verdict-yes" in client.get(address, query_string={"check": "1", "choice": right}).text
            assert "verdict-no" in client.get(address, query_string={"check": "1", "choice": "99"}).text
        else:
            right = [str(i) for i, (_, verdict) in enumerate(frame.choices) if verdict.ok]
            assert "verdict-yes" in client.get(address, query_string={"check": "1", "choice": right}).text
            assert "verdict-no" in client.get(address, query_string={"check": "1"}).text


@each_language
@each_game
def test_the_rulebook_and_every_example(app: Flask, client: PageClient, lang: str, game: str) -> None:
    page = client.page(f"/{lang}/{game}/rules")
    shelf = shelf_of(app)
    blocks = shelf.library.games[game].rulebooks[lang].blocks.values()
    assert {f"example-{b.id}" if b.kind == "example" else b.id for b in blocks} <= set(page.ids)
    for name, run in shelf.courses[game].runs.items():
        for step in run.frames:
            client.get(f"/{lang}/{game}/examples/{name}/{step}")
        client.get(f"/{lang}/{game}/examples/{name}/")


@each_language
@each_game
def test_links_lead_somewhere(app: Flask, client: PageClient, lang: str, game: str) -> None:
    """From the pages of a game every link inside the site answers, and every anchor is there."""
    pages = [f"/{lang}/", f"/{lang}/{game}/", f"/{lang}/{game}/rules"]
    lesson = shelf_of(app).courses[game].lesson.steps
    pages += [f"/{lang}/{game}/learn/{step.id}" for step in lesson[::9]]
    anchors = set(client.page(f"/{lang}/{game}/rules").ids)
    seen: set[str] = set()
    for path in pages:
        for link in client.page(path).links:
            target, _, anchor = link.partition("#")
            if anchor and (target or path).endswith("/rules"):
                assert anchor in anchors, link
            target = re.sub(r"\?.*", "", target)
            if target and target not in seen:
                seen.add(target)
                assert client.client.get(target).status_code in (200, 302), target


def test_the_root_follows_the_browser_then_the_remembered_choice(client: PageClient) -> None:
    answer = client.get("/", 302, headers={"Accept-Language": "fr, pl;q=0.8, en;q=0.5"})
    assert answer.location == "/pl/"
    client.get("/es/")
    assert client.get("/", 302, headers={"Accept-Language": "pl"}).location == "/es/"


@each_game
def test_a_permalink_leads_to_the_readers_language(app: Flask, client: PageClient, game: str) -> None:
    blocks = shelf_of(app).library.games[game].rulebooks["en"].blocks
    for entry in [name for name, block in blocks.items() if block.kind != "example"]:
        answer = client.get(f"/r/{entry}", 302, headers={"Accept-Language": "it"})
        assert answer.location == f"/it/{game}/rules#{entry}"
    client.get("/r/no.such.rule", 404)


def test_the_language_switch_keeps_step_moves_and_path(client: PageClient) -> None:
    page = client.page("/it/border/learn/sarah-grey.three?path=full&pick=G1+G2")
    assert "/pl/border/learn/sarah-grey.three?path=full&pick=G1+G2" in page.links


def test_the_lesson_resumes_where_the_reader_left(client: PageClient) -> None:
    assert "sarah-grey.which" not in client.get("/it/border/").text
    client.get("/it/border/learn/sarah-grey.which?path=full")
    assert "/it/border/learn/sarah-grey.which?path=full" in client.page("/it/border/").links
    client.client.set_cookie("step-border", "no-such-step|full")
    client.get("/it/border/")


def test_any_move_that_meets_the_goal_counts(client: PageClient) -> None:
    """Sarah's task is solved by the grey segment of two as well, and the text tells what is left then."""
    page = client.get("/en/border/learn/sarah-grey.three", query_string={"moves": "p1 cross D11 D12"})
    assert "verdict-yes" in page.text
    assert "1 grey die" in page.text.replace("\u00a0", " ")


def test_rolling_records_the_dice_in_the_address(client: PageClient) -> None:
    answer = client.get("/en/border/learn/sarah-rolls.throw", 302, query_string={"moves": "p1 roll"})
    assert "dice" in answer.location
    assert "verdict-yes" in client.get(answer.location).text


def test_dice_that_no_scenario_scripts_are_really_rolled(client: PageClient) -> None:
    query = {"moves": "p1 reroll 1"}
    faces = {
        client.get("/en/border/learn/sarah-rolls.keep", 302, query_string=query).location for _ in range(60)
    }
    assert len(faces) > 3


def test_a_wrong_move_names_its_rule_and_marks_the_places(client: PageClient) -> None:
    page = client.get("/en/border/learn/sarah-grey.three", query_string={"moves": "p1 cross G1 G2"})
    assert "/en/border/rules#border.first.open" in Outline(page.text).links
    assert 'class="marks refused"><polygon' in page.text
    assert 'class="tried"' in page.text


def test_the_solution_is_offered_only_after_an_attempt(client: PageClient) -> None:
    address = "/en/border/learn/sarah-grey.three"
    assert 'id="solution"' not in client.get(address).text
    assert 'id="solution"' in client.get(address, query_string={"moves": "p1 cross G1"}).text


def bad_addresses() -> Iterator[tuple[str, int]]:
    yield from [
        ("/xx/", 404),
        ("/it", 308),
        ("/it/chess/", 404),
        ("/it/chess/rules", 404),
        ("/it/chess/learn/", 404),
        ("/it/border/learn/no-such-step", 404),
        ("/it/border/learn/%00", 404),
        ("/it/border/examples/no-such/", 404),
        ("/it/border/examples/tim-villa/no-such", 404),
        ("/picture/border/board-9.svg", 404),
        ("/picture/chess/board-1.svg", 404),
        ("/it/border/learn/sarah-grey.three?moves=nonsense", 400),
        ("/it/border/learn/sarah-grey.three?moves=p1+cross+%F0%9F%8E%B2", 400),
        ("/it/border/learn/sarah-grey.three?moves=" + ";".join(["p1+done"] * 90), 400),
        ("/it/border/learn/sarah-grey.three?moves=%ff%fe", 400),
        ("/it/border/learn/sarah-grey.three?moves=" + "x" * 2500, 414),
        ("/it/" + "x" * 2500, 414),
    ]


@pytest.mark.parametrize(("path", "status"), list(bad_addresses()))
@each_language
def test_a_bad_address_gets_a_clear_page_in_the_readers_language(
    client: PageClient, path: str, status: int, lang: str
) -> None:
    path = path.replace("/it", f"/{lang}", 1)
    answer = client.get(path, status)
    if status >= 400 and path.startswith(f"/{lang}/"):
        assert f'<html lang="{lang}">' in answer.text
        assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    "query",
    [
        "moves=",
        "moves=;;;",
        "moves=p9+done",
        "moves=p2+cross+A2",
        "moves=p1+cross+Z9",
        "pick=Z9+%3Cscript%3E",
        "pick=" + "+".join(["G1"] * 100),
        "pick=9+8+7",
        "help=99",
        "help=-1",
        "help=x",
        "help=²",
        "path=other",
        "choice=9&check=1",
        "moves=p1+done",
        "moves=p1+done;p2+cross+B1",
    ],
)
def test_odd_queries_are_answered_not_broken(client: PageClient, query: str) -> None:
    for step in (
        "sarah-grey.three",
        "sarah-grey.which",
        "sarah-grey.not-yellow",
        "setup.white",
        "board.recap",
    ):
        answer = client.get(f"/pl/border/learn/{step}?{query}")
        assert "<script>" not in answer.text


@each_game
def test_moves_from_anywhere_are_answered_anywhere(app: Flask, game: str) -> None:
    """Moves of all scenarios, tried in the tasks of others: legal or refused, but never a fault of ours."""
    shelf = shelf_of(app)
    chosen = random.Random(7)
    moves = [
        text
        for run in shelf.courses[game].runs.values()
        for frame in run.frames.values()
        for text in (*frame.step.play, *filter(None, [frame.step.refuse]), *frame.step.choose)
    ]
    tasks = [step for step in shelf.courses[game].lesson.steps if step.kind == "do"]
    client = app.test_client()
    for _ in range(150):
        step = chosen.choice(tasks)
        lang = chosen.choice(LANGUAGES)
        tried = ";".join(chosen.sample(moves, chosen.randint(1, 3)))
        picks = " ".join(chosen.choice(moves).split()[1:])
        query = {"moves": tried, "pick": picks, "help": chosen.choice("01239")}
        answer = client.get(f"/{lang}/{game}/learn/{step.id}", query_string=query)
        assert answer.status_code in (200, 302), (step.id, query)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_can_be_written(client: PageClient, method: str) -> None:
    assert client.client.open("/it/border/rules", method=method).status_code == 405


def test_every_answer_carries_the_security_headers(client: PageClient) -> None:
    for path in ("/it/", "/it/border/rules", "/it/none/", "/picture/border/board-1.svg", "/static/style.css"):
        headers = client.client.get(path).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_pages_are_revalidated_and_pictures_kept(client: PageClient) -> None:
    page = client.get("/it/border/rules")
    again = client.client.get("/it/border/rules", headers={"If-None-Match": page.headers["ETag"]})
    assert again.status_code == 304
    picture = re.search(r"/picture/border/board-1.svg\?v=[0-9a-f]+", page.text)
    assert picture
    assert "max-age=31536000" in client.client.get(picture[0]).headers["Cache-Control"]


def test_htmx_gets_a_fragment_of_an_example(client: PageClient) -> None:
    answer = client.get("/it/border/examples/tim-villa/villa", headers={"HX-Request": "true"})
    assert "<html" not in answer.text
    assert 'class="example"' in answer.text
    assert "HX-Request" in answer.headers["Vary"]


def test_a_fault_of_ours_shows_no_stack_trace(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("tutor.web.pages._card", broken)
    monkeypatch.setitem(app.config, "PROPAGATE_EXCEPTIONS", False)
    answer = app.test_client().get("/pl/")
    assert answer.status_code == 500
    assert "ZeroDivision" not in answer.text
    assert '<html lang="pl">' in answer.text
