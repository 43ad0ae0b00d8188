"""Every page in every language, through the client that checks each page; and what goes wrong, goes well."""

import random
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from flask import Flask

from tests.books import FULL
from tests.pages import Outline, PageClient, check
from tutor.book.scenario import PlayedStep
from tutor.book.words import LANGUAGES
from tutor.games import GAMES
from tutor.lessons.course import Course
from tutor.lessons.input import NO_INPUT
from tutor.lessons.lesson import Screen
from tutor.lessons.screen_views import Answer, Question, show
from tutor.web.http.cache import Pages
from tutor.web.http.shelf import Shelf

GAME_NAMES = list(GAMES)
each_language = pytest.mark.parametrize("lang", LANGUAGES)
each_game = pytest.mark.parametrize("game", GAME_NAMES)


def shelf_of(app: Flask) -> Shelf:
    found: Shelf = app.extensions["shelf"]
    return found


@pytest.mark.parametrize(
    "fault",
    [
        ("</main>", ""), ("</main>", "</main></main>"), ("<h1>", "<h1><h1>"), ("<p>", "<p><div></div>"),
        ("<p>", "<p><a href='/'>x<a href='/'>x</a></a>"), ("<p>", "<p>a & b"), ("<p>", "<p>&nosuch"),
        ("</h1>", "</h1><h4>x</h4>"), ('id="main"', 'id="lang-it"'), ("<p>", "<p>{count}"),
        ("<p>", "<p>None "), ("<p>", "<p><img src='/'>"), ("<p>", "<p><a href='/'></a>"),
        ("<p>", "<p onclick='x'>"),
        ('lang="it"', 'lang="pl"'), ("<p>", "<p class='a' class='b'>"), ("<!doctype html>", ""),
    ],
)  # fmt: skip
@pytest.mark.patient
def test_the_check_of_pages_notices_a_fault_in_a_page_that_was_fine(
    client: PageClient, fault: tuple[str, str]
) -> None:
    text = client.get("/it/").text
    check("/it/", text)
    with pytest.raises(AssertionError):
        check("/it/", text.replace(*fault, 1))


@each_language
@pytest.mark.patient
def test_home_and_game_pages(client: PageClient, lang: str) -> None:
    home = client.page(f"/{lang}/")
    for game in GAME_NAMES:
        assert f"/{lang}/{game}/" in home.links
        assert f"/{lang}/{game}/rules" in client.page(f"/{lang}/{game}/").links


@each_language
@each_game
@pytest.mark.patient
def test_every_screen_of_every_lesson(app: Flask, client: PageClient, lang: str, game: str) -> None:
    for lesson in shelf_of(app).courses[game].lessons.all:
        for number, screen in enumerate(lesson.screens, 1):
            text = client.get(f"/{lang}/{game}/learn/{screen.id}").text
            assert f'<progress value="{number}" max="{len(lesson.screens)}"' in text
            assert f'data-screen="{screen.id}" data-kind="{screen.kind}"' in text
            assert ('class="stage"' in text) == (
                screen.kind != "end" and bool(screen.scenario or screen.recap)
            )


@each_language
@each_game
@pytest.mark.patient
@pytest.mark.slow
def test_every_screen_answers_right_and_wrong(app: Flask, client: PageClient, lang: str, game: str) -> None:
    course = shelf_of(app).courses[game]
    for screen in course.lessons.screens.values():
        address = f"/{lang}/{game}/learn/{screen.id}"

        def verdict(address: str = address, **query: Any) -> str:
            found = re.findall(r'class="verdict (verdict-\w+)"', client.get(address, query_string=query).text)
            assert len(found) <= 1
            return "".join(found)

        assert verdict() == ""
        if screen.kind == "recap":
            for i, quiz in enumerate(screen.quizzes):
                right, wrong = "yn" if quiz.verdict.ok else "ny"
                assert verdict(said="y-" * i + right) == "verdict-yes"
                assert verdict(said="y-" * i + wrong) == "verdict-no"
        if not screen.scenario or screen.kind == "read":
            continue
        step = course.runs[screen.scenario].steps[screen.step]
        if screen.kind == "watch":
            assert 'id="go"' in client.get(address).text
            pages = [client.get(f"{address}?said={'y' * beats}").text for beats in range(1, 10)]
            told = [len(re.findall("<li>", page.partition('class="deeds"')[2])) for page in pages]
            assert told == sorted(told)
            assert 'id="go"' not in pages[-1]
        elif screen.kind == "do":
            assert verdict(moves=";".join(step.file.play)) == "verdict-yes"
            for level in range(1, 5):
                text = client.get(f"{address}?help={level}").text
                assert ('class="help"' in text) != screen.alone
        elif screen.kind == "predict":
            right, wrong = "yn" if step.verdict is None else "ny"
            assert verdict(said=right) == "verdict-yes"
            assert verdict(said=wrong) == "verdict-no"
        else:
            chosen = [answer.value for answer in answers(course, screen, lang) if answer.right]
            assert verdict(check="1", choice=chosen) == "verdict-yes"
            assert verdict(check="1", choice="99") == "verdict-no"
            assert verdict(check="1") == ""  # an empty Check gives nothing away


def answers(course: Course, screen: Screen, lang: str) -> tuple[Answer, ...]:
    view = show(course, screen, lang, NO_INPUT)
    assert isinstance(view, Question)
    return view.answers


@each_game
@pytest.mark.patient
def test_a_checked_answer_shows_what_was_right_and_an_open_question_does_not(
    app: Flask, client: PageClient, game: str
) -> None:
    course = shelf_of(app).courses[game]
    for screen in course.lessons.screens.values():
        if screen.kind not in ("ask", "choose"):
            continue
        address = f"/en/{game}/learn/{screen.id}"
        for query in ("", "?check=1", "?choice=0", "?choice="):
            text = client.get(address + query).text
            assert not re.search(r'(choice|answer) (right|wrong)"|choice-verdict|id="again"', text)
            assert not re.search(r"(<button|<fieldset)[^>]* disabled", text)
        wrong = next(answer.value for answer in answers(course, screen, "en") if not answer.right)
        text = client.get(f"{address}?check=1&choice={wrong}").text
        assert re.search(r'(choice|answer) wrong"', text)
        right = [answer.value for answer in answers(course, screen, "en") if answer.right]
        chosen = "&".join(f"choice={value}" for value in right)
        solved = client.get(f"{address}?check=1&{chosen}").text
        assert len(re.findall(r'(choice|answer) right"', solved)) == len(right)
        assert not re.search(r'(choice|answer) wrong"', solved)
        assert 'id="again"' in text
        assert re.search(r"(<button|<fieldset)[^>]* disabled", text)


COUNTS = {
    "circled": r"\bScore: \d+|(Well|Fox): complete",
    "groups": r"\d+\sgroups?\b",
    "most": r"\d+\spoints?\b",
    "score": r"\bScore: \d+|\d+\spoints?\b(?! circled)",
    "value": r"Challenge Value: \d",
    "will": r"\bWill: \d",
    "winners": r"\bScore: \d+|\d+\sgroups?\b|\d+\sareas? complete",
}
"""What a page must not say, not even to those who do not see it, while this is asked for."""


@each_game
def test_a_question_does_not_say_the_counts_that_it_asks_for(
    app: Flask, client: PageClient, game: str
) -> None:
    course = shelf_of(app).courses[game]
    asked = [screen for screen in course.lessons.screens.values() if screen.kind == "ask"]
    assert asked or game not in FULL
    for screen in asked:
        fact = screen.ask or course.runs[screen.scenario].steps[screen.step].file.ask
        page = client.get(f"/en/{game}/learn/{screen.id}").text
        stage = page[page.index('<div class="stage"') : page.index('<nav class="dock"')]
        said = unescape(re.sub(r'<[^>]*?(?:aria-label="([^"]*)")?[^>]*>', r" \1 ", stage))
        name = fact.partition(".")[0]
        assert name in COUNTS or game not in FULL
        assert not re.findall(COUNTS.get(name, r"$^"), said), screen.id


def tasks(course: Course) -> list[tuple[Screen, PlayedStep]]:
    """The screens on which a learner moves, with their steps."""
    screens = [screen for screen in course.lessons.screens.values() if screen.kind == "do"]
    return [(screen, course.runs[screen.scenario].steps[screen.step]) for screen in screens]


@each_language
@each_game
@pytest.mark.patient
def test_a_refused_move_keeps_its_pieces_picked_and_brings_more_help(
    app: Flask, client: PageClient, lang: str, game: str
) -> None:
    """Each miss raises the help of whatever is clicked next; the pieces of the refused move stay chosen."""
    course = shelf_of(app).courses[game]
    rules = course.book.game
    kept = 0
    for screen, step in tasks(course):
        thought = rules.thinkable(step.before, step.seat)
        wrong = [move for move in thought if not rules.judge(step.before, move).ok]
        for move in wrong[:: max(1, len(wrong) // 3)]:
            query = {"moves": rules.format_move(move), "help": "1"}
            page = client.page(f"/{lang}/{game}/learn/{screen.id}", query_string=query)
            here = [link for link in page.links if f"/learn/{screen.id}?" in link]
            levels = {level[1] for link in here if (level := re.search(r"[?&]help=(\d)", link))}
            assert "1" in levels or screen.alone, (screen.id, query)
            assert "2" in levels or screen.alone, (screen.id, query)
            kept += ' picked"' in client.get(f"/{lang}/{game}/learn/{screen.id}", query_string=query).text
    assert kept or game not in FULL  # where nothing is picked, nothing stays so


@each_game
def test_a_legal_move_that_was_not_asked_for_is_answered_and_taken_back(
    app: Flask, client: PageClient, game: str
) -> None:
    course = shelf_of(app).courses[game]
    rules = course.book.game
    found = 0
    for screen, step in tasks(course):
        moves = [move for move in rules.moves(step.before) if move.seat == step.seat]
        for move in moves[:: max(1, len(moves) // 4)]:
            where, query = f"/it/{game}/learn/{screen.id}", {"moves": rules.format_move(move)}
            answer = client.client.get(where, query_string=query, follow_redirects=True)
            if "verdict-but" not in answer.text:
                continue
            found += 1
            # What the board offers would be made in a position that is not shown.
            _, _, stage = answer.text.partition('<div class="stage">')
            assert f"/learn/{screen.id}?" not in stage.partition("<nav")[0], screen.id
            (back,) = re.findall(r'id="take-back"[^>]* href="([^"]*)"', answer.text)
            taken_back = client.client.get(unescape(back))
            assert taken_back.status_code == 200
            assert 'class="verdict' not in taken_back.text
            assert 'class="deeds"' not in taken_back.text
            assert ('class="help"' in taken_back.text) != screen.alone
    assert found


@each_language
@each_game
@pytest.mark.patient
def test_the_rulebook_and_every_example(app: Flask, client: PageClient, lang: str, game: str) -> None:
    page = client.page(f"/{lang}/{game}/rules")
    shelf = shelf_of(app)
    blocks = shelf.library.games[game].rulebooks[lang].blocks.values()
    technical = {name for name, facts in shelf.library.games[game].facts.rules.items() if facts.technical}
    wanted = {f"example-{b.id}" if b.kind == "example" else b.id for b in blocks}
    assert wanted & set(page.ids) == wanted - technical
    for name, run in shelf.courses[game].runs.items():
        for step in run.steps:
            client.get(f"/{lang}/{game}/examples/{name}/{step}")
        client.get(f"/{lang}/{game}/examples/{name}/")


@each_language
@each_game
@pytest.mark.patient
def test_links_lead_somewhere(app: Flask, client: PageClient, lang: str, game: str) -> None:
    """From the pages of a game every link inside the site answers, and every anchor is there."""
    pages = [f"/{lang}/", f"/{lang}/{game}/", f"/{lang}/{game}/rules"]
    for lesson in shelf_of(app).courses[game].lessons.all:
        pages += [
            f"/{lang}/{game}/learn/{screen.id}" for screen in (*lesson.screens[::6], lesson.screens[-1])
        ]
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
                assert client.client.get(target, follow_redirects=True).status_code == 200, target


def test_the_root_follows_the_browser_then_the_remembered_choice(client: PageClient) -> None:
    answer = client.get("/", 302, headers={"Accept-Language": "fr, pl;q=0.8, en;q=0.5"})
    assert answer.location == "/pl/"
    client.get("/es/")
    assert client.get("/", 302, headers={"Accept-Language": "pl"}).location == "/es/"


@each_game
def test_a_permalink_leads_to_the_readers_language(app: Flask, client: PageClient, game: str) -> None:
    blocks = shelf_of(app).library.games[game].rulebooks["en"].blocks
    for entry in [name for name, block in blocks.items() if block.kind in ("rule", "edition")]:
        answer = client.get(f"/r/{entry}", 302, headers={"Accept-Language": "it"})
        assert answer.location == f"/it/{game}/rules#{entry}"
    client.get("/r/no.such.rule", 404)


def test_the_language_switch_keeps_screen_and_moves(client: PageClient) -> None:
    page = client.page("/it/border/learn/grey?help=2&pick=G1+G2")
    assert "/pl/border/learn/grey?help=2&pick=G1+G2" in page.links


def test_the_lesson_resumes_where_the_reader_left(client: PageClient) -> None:
    assert "segments" not in client.get("/it/border/").text
    client.get("/it/border/learn/segments")
    assert "/it/border/learn/segments" in client.page("/it/border/").links
    client.client.set_cookie("step-border", "no-such-screen")
    client.get("/it/border/")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sarah-grey.three", "/pl/border/learn/grey"),
        ("sarah-grey.three?path=full&moves=p1+done", "/pl/border/learn/grey"),
        ("setup.white", "/pl/border/learn/white"),
        ("first.several", "/pl/border/learn/several"),
        ("sarah-grey.two", "/pl/border/examples/sarah-grey/two"),
        ("first.anywhere", "/pl/border/rules#border.first.anywhere"),
        ("board.recap", "/pl/border/learn/"),
    ],
)
def test_a_step_of_the_first_edition_has_moved_for_good(client: PageClient, old: str, new: str) -> None:
    answer = client.get(f"/pl/border/learn/{old}", 301)
    assert answer.location == new
    assert client.client.get(new.partition("#")[0], follow_redirects=True).status_code == 200


@pytest.mark.parametrize("old", ["nobody.knows", "sarah-grey.none", "three", "sarah-grey", "."])
def test_a_step_that_never_was_is_not_found(client: PageClient, old: str) -> None:
    client.get(f"/pl/border/learn/{old}", 404)


def test_any_move_that_meets_the_goal_counts(client: PageClient) -> None:
    """Any grey segment of three solves Sarah's task; that of two is allowed, but not what was asked for."""
    for moves, verdict in (("G1 G2 H1", "yes"), ("J7 K7 K8", "no"), ("D5 E5 E6", "no"), ("D11 D12", "but")):
        page = client.get("/en/border/learn/grey", query_string={"moves": f"p1 cross {moves}"})
        assert re.findall(r"verdict-(yes|no|but)", page.text) == [verdict], moves


def test_rolling_records_the_dice_in_the_address(client: PageClient) -> None:
    answer = client.get("/en/border/learn/roll", 302, query_string={"moves": "p1 roll"})
    assert "dice" in answer.location
    assert "verdict-yes" in client.get(answer.location).text


def test_dice_that_no_scenario_scripts_are_really_rolled(client: PageClient) -> None:
    query = {"moves": "p1 reroll 1"}
    faces = {client.get("/en/border/learn/reroll", 302, query_string=query).location for _ in range(60)}
    assert len(faces) > 3


def test_a_wrong_move_names_its_rule_and_marks_the_places(client: PageClient) -> None:
    page = client.get("/en/border/learn/grey", query_string={"moves": "p1 cross G1 G2"})
    assert "/en/border/rules#border.first.open" in Outline(page.text).links
    assert 'class="marks refused"><polygon' in page.text
    assert 'class="tried"' in page.text


def test_the_solution_is_offered_as_the_last_help(client: PageClient) -> None:
    address = "/en/border/learn/grey"
    for query, offered in (("", False), ("?help=2", False), ("?help=3", True), ("?help=9", True)):
        assert ('id="solution"' in client.get(address + query).text) == offered
    alone = client.get("/en/border/learn/last-area?help=3").text
    assert not re.search('id="(solution|help)"', alone)


def test_the_end_names_the_tasks_that_needed_help(client: PageClient) -> None:
    assert "/it/border/learn/grey" not in client.page("/it/border/learn/end").links
    for screen in ("grey", "villa", "grey", "first-recap", "tie", "end"):
        client.get(f"/it/border/learn/{screen}?help=1")
    tasks = ["/it/border/learn/villa", "/it/border/learn/grey", "/it/border/learn/reroll"]
    assert [link for link in client.page("/it/border/learn/end").links if link in tasks] == tasks[:2]
    client.client.set_cookie("helped-border", "grey.none.<b>.grey.end.first-recap")
    assert client.page("/it/border/learn/end").links.count("/it/border/learn/grey") == 1


@each_game
def test_help_always_points_at_something_to_touch(app: Flask, client: PageClient, game: str) -> None:
    for screen in shelf_of(app).courses[game].lessons.screens.values():
        if screen.kind == "do" and not screen.alone:
            text = client.get(f"/en/{game}/learn/{screen.id}?help=2").text
            assert re.search(r' hinted"|class="marks hint">\s*<|class="arc-mark hint"', text), screen.id


@each_game
def test_what_was_missed_comes_back_once_before_the_end(app: Flask, client: PageClient, game: str) -> None:
    course = shelf_of(app).courses[game]
    lesson = course.lessons.first
    recaps = [screen for screen in lesson.screens if screen.recap]
    learn = f"/en/{game}/learn"
    last = client.page(f"{learn}/{lesson.screens[-2].id}")
    assert f"{learn}/again" in last.links

    def answer(screen: Screen, right: bool) -> None:
        said = ""
        for quiz in screen.quizzes:
            said += "y" if quiz.verdict.ok == right else "n"
            client.get(f"{learn}/{screen.id}?said={said}")
            said += "-"

    def deed() -> str:
        text = client.get(f"{learn}/again").text
        found = re.search(r'class="attempt">([^<]*)', text)
        assert found
        return found[1]

    for screen in recaps:
        answer(screen, right=True)
    nothing = client.client.get(f"{learn}/again")
    assert (nothing.status_code, nothing.headers["Location"]) == (302, f"{learn}/end")
    answer(recaps[0], right=False)
    first = client.get(f"{learn}/again")
    missed = len(recaps[0].quizzes)
    assert f"Question 1 of {missed}" in first.text
    asked = re.findall(r'class="attempt">([^<]*)', client.get(f"{learn}/{recaps[0].id}").text)[0]
    assert deed() == asked
    answered = client.page(f"{learn}/again?said={'-'.join(missed * 'y')}")
    assert f"{learn}/end" in answered.links
    client.get(f"{learn}/end")
    assert client.client.get(f"{learn}/again").status_code == 302


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
        ("/it/border/learn/grey?moves=nonsense", 400),
        ("/it/border/learn/grey?moves=p1+cross+%F0%9F%8E%B2", 400),
        ("/it/border/learn/grey?moves=" + ";".join(["p1+done"] * 90), 400),
        ("/it/border/learn/grey?moves=%ff%fe", 400),
        ("/it/border/learn/grey?moves=" + "x" * 2500, 414),
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


@each_language
def test_an_address_with_moves_that_mean_nothing_says_what_is_wrong(client: PageClient, lang: str) -> None:
    step = f"/{lang}/border/learn/grey"
    assert "nonsense" in client.get(f"{step}?moves=nonsense", 400).text
    assert "60" in client.get(step, 400, query_string={"moves": ";".join(["p1 done"] * 61)}).text


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
        "said=",
        "said=yyyy",
        "said=x",
        "said=" + "y-" * 9,
        "said=" + "y" * 900,
        "choice=9&check=1",
        "moves=p1+done",
        "moves=p1+done;p2+cross+B1",
    ],
)
@pytest.mark.patient
def test_odd_queries_are_answered_not_broken(client: PageClient, query: str) -> None:
    for screen in ("grey", "segments", "fourth-roll", "shared", "tie", "first-recap", "end"):
        answer = client.get(f"/pl/border/learn/{screen}?{query}")
        assert "<script>" not in answer.text


@each_game
@pytest.mark.slow
def test_moves_from_anywhere_are_answered_anywhere(app: Flask, game: str) -> None:
    """Moves of all scenarios, tried in the tasks of others: legal or refused, but never a fault of ours."""
    shelf = shelf_of(app)
    chosen = random.Random(7)
    moves = [
        text
        for run in shelf.courses[game].runs.values()
        for played in run.steps.values()
        for text in (*played.file.play, *filter(None, [played.file.refuse]), *played.file.choose)
    ]
    tasks = [screen for screen in shelf.courses[game].lessons.screens.values() if screen.kind == "do"]
    client = app.test_client()
    for _ in range(150):
        step = chosen.choice(tasks)
        lang = chosen.choice(LANGUAGES)
        tried = ";".join(chosen.sample(moves, chosen.randint(1, 3)))
        picks = " ".join(chosen.choice(moves).split()[1:])
        query = {"moves": tried, "pick": picks, "help": chosen.choice("01239")}
        answer = client.get(f"/{lang}/{game}/learn/{step.id}", query_string=query)
        assert answer.status_code in (200, 302), (step.id, query)


def test_every_answer_carries_the_security_headers(client: PageClient) -> None:
    for path in ("/it/", "/it/border/rules", "/it/none/", "/picture/border/board-1.svg", "/static/style.css"):
        headers = client.client.get(path).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_htmx_gets_a_fragment_of_an_example(client: PageClient) -> None:
    answer = client.get("/it/border/examples/tim-villa/villa", headers={"HX-Request": "true"})
    assert "<html" not in answer.text
    assert 'class="example"' in answer.text
    assert "HX-Request" in answer.headers["Vary"]


def test_a_fault_of_ours_shows_no_stack_trace(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("tutor.web.site.pages._card", broken)
    monkeypatch.setitem(app.extensions, "pages", Pages())
    monkeypatch.setitem(app.config, "PROPAGATE_EXCEPTIONS", False)
    answer = app.test_client().get("/pl/")
    assert answer.status_code == 500
    assert "ZeroDivision" not in answer.text
    assert '<html lang="pl">' in answer.text


def test_an_address_below_a_table_does_not_change_the_page_of_every_other(client: PageClient) -> None:
    for path in ("/es/t/a/b/c", "/es/no-such-page/"):
        assert "No existe esa mesa" not in client.get(path, 404).text
    assert "No existe esa mesa" in client.get("/es/t/QQQQ1111", 404).text
