"""The edition lens: every note, what changes in play, and the box on the reader's table."""

import gzip
import os
import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from playwright.sync_api import expect

from tests.books import having
from tests.conftest import CHROMIUM, Open
from tests.pages import PageClient, check
from tests.web.site.test_fit import MEASURE, PHONE, faults
from tutor.book.words import LANGUAGES
from tutor.lessons.course import Course
from tutor.lessons.input import NO_INPUT
from tutor.lessons.screen_views import show
from tutor.lookup.editions import boxes, changes, notes, notes_on

each_language = pytest.mark.parametrize("lang", LANGUAGES)
WITH_NOTES = ["border", "blockers"]
MOST_BYTES = 60_000
ORIGIN = {"Origin": "http://localhost"}

Courses = dict[str, Course]


@pytest.fixture
def reader(app: Flask) -> FlaskClient:
    """A browser that keeps its cookies."""
    return app.test_client()


def note(text: str, name: str) -> str:
    """The aside of a note: from its beginning to its end."""
    aside = next(one for one in re.findall(r"<aside.*?</aside>", text, re.DOTALL) if f'id="{name}"' in one)
    return str(aside)


def said(html: str) -> str:
    """What HTML says, whatever links are in it."""
    return re.sub("<[^>]*>", "", html)


@each_language
@pytest.mark.parametrize("game", having("editions"))
def test_every_note_is_on_the_page_with_its_printings_and_rule(
    client: PageClient, all_courses: Courses, lang: str, game: str
) -> None:
    course = all_courses[game]
    address = f"/{lang}/{game}/editions"
    page, text = client.page(address), client.get(address).text
    assert len(gzip.compress(text.encode())) < MOST_BYTES
    assert {name for name in page.ids if ".edition." in name} == course.book.facts.editions.keys()
    for name, facts in course.book.facts.editions.items():
        entry = course.texts[lang].entries[name]
        aside = note(text, name)
        # What is quoted says its language.
        plain = re.sub(r'<span lang="\w\w">([^<]*)</span>', r"\1", aside)
        for paragraph in entry.paragraphs:
            assert paragraph in plain
        for printing in facts.editions:
            assert course.texts[lang].printing(printing) in aside
        assert f"/{lang}/{game}/rules#{facts.rule}" in page.links
        assert "<details" not in aside


def test_the_printings_are_those_of_the_boxes(all_courses: Courses) -> None:
    assert set(boxes(all_courses["border"])) == {"it", "pl", "es"}
    assert set(boxes(all_courses["blockers"])) == {"it", "en", "brettspielwelt", "uptown"}
    assert boxes(all_courses["confini"]) == ()
    assert len(notes(all_courses["border"], "pl")) == 15


def test_what_another_edition_changes_is_computed(all_courses: Courses) -> None:
    found = {change.scenario: change for change in changes(all_courses["blockers"])}
    one = found["two-scorings"]
    assert one.endings["blockers"].scores == {"p1": 6, "p2": 5, "p3": 6, "p4": 4}
    assert one.endings["uptown"].scores == {"p1": 4, "p2": 2, "p3": 4, "p4": 3}
    assert (one.endings["blockers"].winners, one.endings["uptown"].winners) == (("p4",), ("p2",))
    assert one.endings["uptown"].decided == "blockers.uptown.fewest"
    # Under its own edition a scenario ends as its script says, whichever edition that is.
    for change in found.values():
        step = all_courses["blockers"].runs[change.scenario].steps[change.step]
        own = change.endings[str(step.facts["edition"])]
        assert own.winners == step.facts["winners"]
        assert all(step.facts[f"score.{player}"] == score for player, score in own.scores.items())
    assert "first-tile" not in found  # nothing captured, nothing changed
    assert not any(change.other_verdict for change in found.values())
    winners = [change.scenario for change in found.values() if change.other_winner]
    assert winners == list(found)[: len(winners)]
    assert changes(all_courses["border"]) == ()


def test_the_page_shows_the_changes(client: PageClient, all_courses: Courses) -> None:
    page = client.page("/it/blockers/editions")
    for change in changes(all_courses["blockers"]):
        assert f"/it/blockers/examples/{change.scenario}/{change.step}" in page.links
    assert 'id="changes"' not in client.get("/it/border/editions").text


@each_language
@pytest.mark.parametrize("game", WITH_NOTES)
@pytest.mark.patient
def test_the_notes_of_the_box_on_the_table_are_open_and_no_note_is_lost(
    app: Flask, all_courses: Courses, lang: str, game: str
) -> None:
    course = all_courses[game]
    for address in (f"/{lang}/{game}/rules", f"/{lang}/{game}/editions"):
        for box in ("", *boxes(course)):
            reader = app.test_client()
            if box:
                reader.set_cookie(f"box-{game}", box)
            text = reader.get(address).text
            check(address, text)
            for name, facts in course.book.facts.editions.items():
                aside = note(text, name)
                assert said(course.texts[lang].entries[name].paragraphs[0]) in said(aside)
                mine = box in facts.editions
                assert ("<details" in aside) == bool(box and not mine)
                assert ("box-badge" in aside) == mine


def test_a_reader_says_once_which_box_is_on_the_table(reader: FlaskClient) -> None:
    form = {"box": "pl", "back": "rules.page"}
    answer = reader.post("/it/border/editions", data=form, headers=ORIGIN)
    assert answer.status_code == 303
    assert answer.headers["Location"] == "/it/border/rules"
    assert "box-badge" in reader.get("/it/border/rules").text
    assert "box-badge" in reader.get("/es/border/rules").text  # in another language too
    assert "box-badge" not in reader.get("/it/blockers/rules").text  # another game, another box
    assert "Cookie" in reader.get("/it/border/rules").headers["Vary"]
    answer = reader.post("/it/border/editions", data={"box": ""}, headers=ORIGIN)
    assert answer.headers["Location"] == "/it/border/editions"
    assert "box-badge" not in reader.get("/it/border/rules").text


@pytest.mark.parametrize(
    "form",
    [{"box": "de"}, {"box": "uptown"}, {"box": "it", "back": "//evil.example"}, {"back": "pages.home"}],
)
def test_no_other_box_and_no_other_way_back(reader: FlaskClient, form: dict[str, str]) -> None:
    answer = reader.post("/pl/border/editions", data=form, headers=ORIGIN)
    assert answer.status_code == 400
    check("/pl/border/editions", answer.text)
    assert "Set-Cookie" not in answer.headers


def test_a_strange_cookie_changes_nothing(app: Flask, reader: FlaskClient) -> None:
    plain = reader.get("/en/border/rules").text
    kept = len(app.extensions["pages"])
    reader.set_cookie("box-border", "<x>")
    assert reader.get("/en/border/rules").text == plain
    assert len(app.extensions["pages"]) == kept


@each_language
def test_a_screen_shows_the_note_of_the_box_on_a_rule_it_introduces(
    app: Flask, all_courses: Courses, lang: str
) -> None:
    course = all_courses["border"]
    reader = app.test_client()
    reader.set_cookie("box-border", "pl")
    shown = 0
    for screen in course.lessons.screens.values():
        address = f"/{lang}/border/learn/{screen.id}"
        text = reader.get(address).text
        by_now = [rule.id for rule in show(course, screen, lang, NO_INPUT).rules if screen.rules]
        wanted = notes_on(course, by_now, "pl")
        for name in wanted:
            assert course.texts[lang].entries[name].paragraphs[0] in text
        assert text.count("box-badge") == len(wanted)
        if wanted:
            check(address, text)
            assert "box-badge" not in app.test_client().get(address).text
        shown += len(wanted)
    assert shown > 5


def test_a_note_does_not_answer_a_question_that_is_still_open(reader: FlaskClient) -> None:
    reader.set_cookie("box-border", "pl")
    assert "box-badge" not in reader.get("/en/border/learn/part").text
    assert "box-badge" in reader.get("/en/border/learn/part?said=y").text


def test_a_screen_without_a_note_is_kept_once_for_all_boxes(app: Flask, reader: FlaskClient) -> None:
    address = "/en/border/learn/grey"
    reader.get(address)
    kept = len(app.extensions["pages"])
    for box in ("it", "pl", "es"):
        reader.set_cookie("box-border", box)
        assert "box-badge" not in reader.get(address).text
    assert len(app.extensions["pages"]) == kept


in_browser = pytest.mark.skipif(
    not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium"
)


@pytest.mark.browser
@in_browser
@pytest.mark.parametrize("script", [True, False])
def test_the_box_is_chosen_with_one_touch(open_page: Open, script: bool) -> None:
    page = open_page(java_script_enabled=script)
    page.goto("/it/border/rules")
    question = page.locator(".box-choice")
    question.locator("summary").click()
    question.get_by_role("button", name="Edizione polacca").click()
    expect(page).to_have_url(re.compile(r"/it/border/rules$"))
    expect(question.locator("summary")).to_have_text("La tua edizione: Edizione polacca")
    expect(page.locator("[id='border.edition.well']")).to_be_visible()
    folded = page.locator("[id='border.edition.dice']")
    expect(folded).to_be_hidden()
    page.goto("/it/border/editions")
    page.goto("/it/border/rules#border.edition.dice")
    expect(folded).to_be_visible()  # whoever is sent to a note reads it


@pytest.mark.browser
@in_browser
def test_screens_with_a_note_fit_and_have_no_fault(open_page: Open, all_courses: Courses) -> None:
    """The note stands below the task, which stays in sight on a phone."""
    page = open_page(viewport=PHONE, reduced_motion="reduce")
    page.goto("/pl/border/editions")
    page.get_by_role("button", name="Wydanie polskie").click()
    course = all_courses["border"]
    screens = [
        screen
        for screen in course.lessons.screens.values()
        if notes_on(course, screen.rules, "pl") and not screen.act_first
    ]
    for screen in screens:
        page.goto(f"/pl/border/learn/{screen.id}")
        expect(page.locator(".box-badge").first).to_be_attached()
    assert not page.evaluate(MEASURE, [[f"/pl/border/learn/{screen.id}" for screen in screens], True])
    for screen in {screen.kind: screen for screen in screens}.values():
        page.goto(f"/pl/border/learn/{screen.id}")
        assert not faults(page, "color-contrast", "target-size", "scrollable-region-focusable")
