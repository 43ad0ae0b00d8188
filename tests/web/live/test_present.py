"""Presenting: beats there and back, own moves in between, plans, notes, questions, keys, and what fits."""

import os
import re
from html import unescape

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.conftest import CHROMIUM, Open
from tests.pages import PageClient
from tutor.book.words import LANGUAGES
from tutor.games import GAMES
from tutor.lessons import beats
from tutor.lessons.course import Course
from tutor.lessons.input import NO_INPUT, Input
from tutor.lessons.screen_views import show

BORDER = "/en/border/teach"

browser_test = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium"
    ),
]


def link(page: str, name: str) -> str:
    """The address behind a link of this id, or nothing."""
    found = re.search(rf'id="{name}"[^>]* href="([^"]+)"', page)
    return unescape(found[1]) if found else ""


def walk(client: PageClient, address: str, way: str = "next") -> list[str]:
    """All beats from here on."""
    found = []
    while address:
        assert address not in found
        found.append(address)
        address = link(client.get(address, follow_redirects=True).text, way)
    return found


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.patient
def test_the_beats_of_a_lesson_lead_from_its_start_to_its_end_and_back(
    client: PageClient, all_courses: dict[str, Course], game: str, lang: str
) -> None:
    first = link(client.get(f"/{lang}/{game}/teach/").text, "first")
    there = walk(client, first)
    course = all_courses[game]
    assert len(there) == len(beats.beats(course, beats.plan_of(course, ())))
    assert there[-1].endswith("/teach/end")
    assert walk(client, there[-1], "back") == there[::-1]


@pytest.mark.parametrize("game", GAMES)
def test_every_question_is_open_at_its_first_beat_and_answered_rightly_at_its_last(
    all_courses: dict[str, Course], game: str
) -> None:
    course = all_courses[game]
    plan = tuple(name for lesson in course.lessons.all for name in beats.screens_of(lesson))
    by_screen: dict[str, list[Input]] = {}
    for beat in beats.beats(course, plan):
        by_screen.setdefault(beat.screen, []).append(beat.given)
    for name, given in by_screen.items():
        screen = course.lessons.screens[name]
        if screen.kind in ("read", "end"):
            continue
        assert show(course, screen, "pl", given[0]).open
        answered = show(course, screen, "pl", given[-1])
        assert (answered.open, answered.helped) == (False, False), name
        assert beats.headlines(answered, course.texts["pl"]), name


def test_what_the_presenter_plays_is_judged_and_the_way_goes_on(client: PageClient) -> None:
    page = client.get(f"{BORDER}/grey?moves=p1+cross+G1").text
    assert "Not allowed." in page
    assert "H1" in re.sub(r'(?s)<div class="stage">.*', "", page), "why, and what would be right"
    assert link(page, "back").endswith("/teach/grey")
    answer = link(page, "next")
    assert "verdict-word yes" in client.get(answer).text
    assert "/teach/first-recap" in link(client.get(answer).text, "next")


def test_a_move_that_was_not_asked_for_is_taken_back_before_another_is_made(client: PageClient) -> None:
    """What the board would offer meanwhile belongs to the position before."""
    page = client.get("/en/confini/teach/draw?moves=p1+explore+0").text
    assert "Allowed, but not what was asked." in page
    assert "moves=" not in page.partition('class="stage"')[2].partition("<nav")[0]
    assert link(page, "take-back").endswith("/teach/draw")


def test_dice_that_the_presenter_throws_fall_once(client: PageClient) -> None:
    thrown = client.client.get(f"{BORDER}/roll?moves=p1+roll")
    assert thrown.status_code == 302
    assert "%3Bdice+" in thrown.headers["Location"]


def test_a_presentation_ends_with_ways_on(client: PageClient) -> None:
    end = client.get("/pl/confini/teach/end").text
    for page in ("rules", "referee"):
        assert f'class="button" href="/pl/confini/{page}"' in end


def test_a_plan_is_changed_link_by_link_and_kept_on_the_way(client: PageClient) -> None:
    usual = client.get(f"{BORDER}/").text
    without = unescape(re.findall(r'href="([^"]+)" aria-label="Leave out"', usual)[0])
    assert "plan=white." in without
    page = client.get(without).text
    later = unescape(re.findall(r'href="([^"]+)" aria-label="Later"', page)[0])
    assert "plan=roll.white." in later
    added = unescape(re.findall(r'href="([^"]+)" aria-label="Add"', client.get(later).text)[0])
    assert added.endswith("tie.villa")
    first = link(client.get(added).text, "first")
    assert first.startswith(f"{BORDER}/roll?plan=roll.white.")
    steps = [re.findall(r"/teach/([\w-]+)", address)[0] for address in walk(client, first)]
    assert list(dict.fromkeys(steps))[:2] == ["roll", "white"]
    assert steps[-3:] == ["villa", "villa", "end"]


@pytest.mark.parametrize("plan", ["nowhere", "..", "villa.villa.villa", "end", "%00", "ż" * 200])
def test_a_plan_may_say_anything(client: PageClient, plan: str) -> None:
    assert link(client.get(f"{BORDER}/?plan={plan}").text, "first").startswith(f"{BORDER}/villa")


@pytest.mark.parametrize("step", ["none", "again", "uptown"])
def test_there_are_no_other_beats(client: PageClient, step: str) -> None:
    assert client.client.get(f"/it/border/teach/{step}").status_code == 404
    assert client.client.get(f"/it/border/teach/{step}/notes").status_code == 404


def test_a_second_language_stands_under_the_first_and_stays(client: PageClient) -> None:
    page = client.get(f"{BORDER}/grey").text
    for code in ("it", "pl", "es"):
        there = re.search(rf'data-second="{code}" href="([^"]+)"', page)
        assert there
        shown = client.get(unescape(there[1])).text
        assert re.findall(r'class="second" lang="(\w+)"', shown) == [code]
        back = re.search(rf'data-second="{code}" href="([^"]+)"', shown)
        assert back
        assert 'class="second"' not in client.get(unescape(back[1])).text
    page = client.get(link(client.get(f"{BORDER}/grey?also=pl").text, "next")).text
    assert 'class="second" lang="pl"' in page
    assert 'class="second"' not in client.get(f"{BORDER}/grey?also=en").text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_notes_say_more_than_the_shared_screen(
    client: PageClient, all_courses: dict[str, Course], lang: str
) -> None:
    course = all_courses["border"]
    ruling = next(
        entry for entry in course.texts[lang].entries.values() if entry.id == "border.ruling.five-each"
    )
    step = next(s.id for s in course.lessons.first.screens if "border.second.one-of-five" in s.rules)
    notes = client.get(f"/{lang}/border/teach/{step}/notes").text
    assert ruling.title in unescape(notes)
    assert ruling.title not in unescape(client.get(f"/{lang}/border/teach/{step}").text)


@pytest.mark.parametrize("game", GAMES)
def test_notes_know_the_answer_before_it_is_shown(
    client: PageClient, all_courses: dict[str, Course], game: str
) -> None:
    course = all_courses[game]
    for screen in course.lessons.first.screens:
        if screen.kind in ("do", "ask", "choose"):
            told = beats.answer(course, screen, "en")
            assert told
            notes = client.get(f"/en/{game}/teach/{screen.id}/notes").text
            assert [text for text in told if text not in notes] == [], screen.id


def test_somebody_asks_and_the_text_is_there_at_once(client: PageClient) -> None:
    page = client.get("/pl/border/teach/answers?q=kto+zaczyna&back=grey").text
    assert "/pl/border/teach/grey" in page
    assert page.count('class="answer-text"') > 0
    assert "Nothing matches these words." not in client.get("/en/border/teach/answers?q=who+starts").text
    assert "Nothing matches these words." in client.get("/en/border/teach/answers?q=xyzzyqq").text
    assert "/pl/border/teach/villa" in client.get("/pl/border/teach/answers?back=nowhere").text
    planned = client.get("/pl/border/teach/answers?plan=grey.tie&also=it&back=tie").text
    assert "/pl/border/teach/tie?plan=grey.tie&amp;also=it" in planned
    assert 'name="plan" value="grey.tie"' in planned


# In a browser

MEASURE = """async (addresses) => {
  const found = [];
  for (const address of addresses) {
    const answer = await fetch(address, { headers: { "HX-Request": "true" } });
    const made = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.querySelector("#screen").replaceWith(made.querySelector("#screen"));
    for (const name of ["html", ".saying", ".stage", ".cue"]) {
      const element = document.querySelector(name);
      if (!element) continue;
      const down = element.scrollHeight - element.clientHeight;
      const aside = element.scrollWidth - element.clientWidth;
      if (down > 2 || aside > 2) found.push(`${address}: ${name} scrolls by ${down}, ${aside}`);
    }
    const size = parseFloat(getComputedStyle(document.querySelector(".saying")).fontSize);
    if (size / innerHeight < 0.0215) found.push(`${address}: words of ${size}px`);
  }
  return found;
}"""


class TestBrowser:
    pytestmark = browser_test

    @pytest.mark.parametrize("game", GAMES)
    @pytest.mark.slow
    def test_nothing_scrolls_on_a_shared_screen(self, open_page: Open, client: PageClient, game: str) -> None:
        for lang, also, (width, height) in (
            ("it", "", (1280, 720)), ("pl", "es", (1280, 720)),
            ("es", "it", (1920, 1080)), ("en", "pl", (1280, 600)),
        ):  # fmt: skip
            first = link(client.get(f"/{lang}/{game}/teach/").text, "first")
            all_beats = walk(client, f"{first}?also={also}" if also else first)
            page = open_page(viewport={"width": width, "height": height})
            page.goto(all_beats[0])
            assert page.evaluate(MEASURE, all_beats) == []

    def test_a_lesson_is_driven_by_keys_alone(self, open_page: Open) -> None:
        page = open_page(viewport={"width": 1280, "height": 720})
        page.goto(f"{BORDER}/villa")
        for key in ("ArrowRight", " ", "PageDown"):  # faster than the answers
            page.keyboard.press(key)
        expect(page.locator("#screen")).to_have_attribute("data-screen", "white")
        expect(page.locator("#screen")).not_to_have_attribute("data-open", "")
        for key in ("PageUp", "ArrowLeft"):
            page.keyboard.press(key)
        expect(page.locator("#screen")).to_have_attribute("data-screen", "villa")
        page.keyboard.press("3")
        expect(page.locator("#screen")).to_have_attribute("data-screen", "well")
        page.keyboard.press("l")
        expect(page.locator(".second")).to_have_attribute("lang", "it")
        page.locator("[data-second=pl]").click()
        expect(page.locator(".second")).to_have_attribute("lang", "pl")
        page.keyboard.press("l")
        expect(page.locator(".second")).to_have_count(0)
        page.keyboard.press("l")
        expect(page.locator(".second")).to_have_attribute("lang", "pl")
        page.keyboard.press("b")
        expect(page.locator("#curtain")).to_be_visible()
        page.keyboard.press("ArrowRight")
        expect(page.locator("#curtain")).to_be_hidden()
        expect(page.locator("#screen")).to_have_attribute("data-open", "")
        page.keyboard.press("/")
        page.keyboard.type("tie")
        expect(page.locator("#answers .answer-text").first).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#ask")).to_be_hidden()
        expect(page.locator("#screen")).to_have_attribute("data-screen", "well")
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()

    def test_notes_follow_the_shared_screen_and_drive_it(self, open_page: Open) -> None:
        page = open_page(viewport={"width": 1280, "height": 720})
        page.goto(f"{BORDER}/villa")
        with page.context.expect_page() as opened:
            page.keyboard.press("n")
        notes = opened.value
        expect(notes.locator("#notes-of")).to_have_attribute("data-screen", "villa")
        page.keyboard.press("2")
        expect(notes.locator("#notes-of")).to_have_attribute("data-screen", "leftovers")
        notes.keyboard.press("b")
        expect(page.locator("#curtain")).to_be_visible()
        notes.keyboard.press("b")
        expect(page.locator("#curtain")).to_be_hidden()
        notes.locator("[data-drive=next]").click()
        expect(page.locator("#screen")).not_to_have_attribute("data-open", "")
        expect(notes.locator("[data-clock]")).not_to_have_text("")

    def test_a_move_on_the_board_is_played_without_a_reload(self, open_page: Open) -> None:
        page = open_page(viewport={"width": 1280, "height": 720})
        page.goto(f"{BORDER}/grey")
        page.evaluate("window.same = true")
        page.locator("#space-A1").click()
        expect(page.locator(".verdict-word.no")).to_be_visible()
        page.keyboard.press("ArrowRight")
        expect(page.locator(".verdict-word.yes")).to_be_visible()
        assert page.evaluate("window.same")

    @pytest.mark.parametrize(
        "path", ["teach/", "teach/grey?also=pl", "teach/grey/notes", "teach/answers?q=tie"]
    )
    def test_everybody_can_read_it(self, open_page: Open, path: str) -> None:
        page = open_page(viewport={"width": 1280, "height": 720})
        page.goto(f"/it/border/{path}")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


# The core of a rule

LONGEST_CORE = 265
"""Letters that can be read beside a board, from afar."""


def numbers(course: Course, lang: str, text: str) -> set[int]:
    """The numbers from three on in a text, as figures or in words; one and two hide in too many words."""
    words = {
        form: int(number)
        for number, forms in course.book.words[lang].numerals.items()
        for form in ([forms] if isinstance(forms, str) else forms.values())
    }
    found = [int(figure) for figure in re.findall(r"(?<![\w+])\d+", text)]
    found += [words[word] for word in re.findall(r"\w+", text.lower()) if word in words]
    return {number for number in found if number > 2}


@pytest.mark.parametrize("name", GAMES)
def test_the_first_paragraph_of_a_rule_says_the_same_in_all_languages(
    all_courses: dict[str, Course], name: str
) -> None:
    """Whether it does is for readers to say; numbers, and lengths that differ much, give away what is not."""
    course = all_courses[name]
    wrong = []
    for rule in {rule for screen in course.lessons.screens.values() for rule in screen.rules}:
        cores = {
            lang: unescape(beats.strip_tags(texts.entries[rule].paragraphs[0]))
            for lang, texts in course.texts.items()
        }
        told = {lang: numbers(course, lang, core) for lang, core in cores.items()}
        if any(one != told["en"] for one in told.values()):
            wrong.append(f"{rule}: {told}")
        lengths = sorted(map(len, cores.values()))
        if lengths[-1] > LONGEST_CORE or (lengths[-1] > 100 and lengths[-1] > 2 * lengths[0]):
            wrong.append(f"{rule}: {lengths}")
    assert wrong == []


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_shared_screen_says_all_of_it(all_courses: dict[str, Course], name: str, lang: str) -> None:
    course = all_courses[name]
    for screen in course.lessons.first.screens:
        view = show(course, screen, lang, NO_INPUT)
        if view.open and view.rules:
            said = beats.headlines(view, course.texts[lang])
            assert {rule.paragraphs[0] for rule in view.rules} <= set(said)
