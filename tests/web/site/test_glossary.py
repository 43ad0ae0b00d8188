"""A term explains itself: in the glossary, among the results of a search, and where it stands in a text."""

import os
import re
from html import unescape

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.conftest import CHROMIUM, Open
from tests.pages import PageClient
from tutor.book.load import Library
from tutor.book.words import LANGUAGES
from tutor.lookup.terms import meanings

PHONE = {"width": 390, "height": 844}


def said(html: str) -> str:
    return unescape(re.sub("<[^>]*>", "", html))


def test_a_term_means_what_is_said_of_it_or_the_first_sentence_of_its_rule(library: Library) -> None:
    die, own = [*meanings(library, "die", "en")], library.terms["die"].means
    assert [(one.game, one.text, one.paragraph) for one in die] == [
        (game, own[game]["en"], own[game]["en"]) for game in ("border", "confini")
    ]
    [white] = meanings(library, "white-space", "en")
    assert white.rule.plain.startswith(white.paragraph)
    assert white.paragraph.startswith(white.text)
    assert len(white.paragraph) > len(white.text)


def test_what_is_said_of_a_term_has_hard_spaces(library: Library) -> None:
    [capture] = meanings(library, "capture", "pl")
    assert "i\u00a0zatrzymujesz" in capture.text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_glossary_says_what_every_term_means_in_each_of_its_games(
    library: Library, client: PageClient, lang: str
) -> None:
    text = client.get(f"/{lang}/glossary").text
    for name, term in library.terms.items():
        shown = said(text.partition(f'<div id="{name}"')[2].partition("</dd>")[0])
        found = list(meanings(library, name, lang))
        assert [one.game for one in found] == list(term.games)
        assert all(one.text in shown for one in found), name


def test_a_card_is_about_the_game_in_which_the_word_was_read(library: Library, client: PageClient) -> None:
    assert 'data-card="/en/glossary/die?game=confini"' in client.get("/en/confini/rules").text
    border, confini = meanings(library, "die", "en")
    for query, here, elsewhere in (
        ("?game=confini", confini, border),
        ("?game=border", border, confini),
        ("?game=chess", border, confini),
        ("", border, confini),
    ):
        answer = client.client.get(f"/en/glossary/die{query}", headers={"HX-Request": "true"})
        assert here.text in said(answer.text)
        assert elsewhere.text not in said(answer.text)
        assert 'href="/en/glossary#die"' in answer.text


in_browser = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium"
    ),
]


class TestUnderAFinger:
    pytestmark = in_browser

    @pytest.fixture
    def phone(self, open_page: Open) -> Page:
        page = open_page(viewport=PHONE, has_touch=True, is_mobile=True)
        page.goto("/es/confini/rules")
        page.locator("a.term").first.tap()
        return page

    def test_a_touch_shows_the_card_and_does_not_leave_the_page(self, phone: Page) -> None:
        sheet = phone.get_by_role("dialog")
        expect(sheet).to_be_in_viewport()
        expect(sheet).to_be_focused()
        expect(phone).to_have_url(re.compile("/es/confini/rules$"))
        expect(phone.locator(".term-card")).to_have_count(0)
        sheet.get_by_role("link").tap()
        expect(phone).to_have_url(re.compile("/es/glossary#"))

    def test_axe_finds_nothing_wrong_with_the_sheet(self, phone: Page) -> None:
        expect(phone.get_by_role("dialog")).to_be_visible()
        found = Axe().run(phone, context="[role=dialog]", options={"resultTypes": ["violations"]})
        assert [rule["id"] for rule in found.response["violations"]] == []

    def test_it_is_closed_by_escape_or_by_a_touch_elsewhere(self, phone: Page) -> None:
        sheet = phone.get_by_role("dialog")
        expect(sheet).to_be_visible()
        phone.keyboard.press("Escape")
        expect(sheet).to_have_count(0)
        expect(phone.locator("a.term").first).to_be_focused()
        phone.locator("a.term").first.tap()
        expect(sheet).to_be_visible()
        phone.locator("h1").tap()
        expect(sheet).to_have_count(0)

    def test_a_pointer_shows_it_beside_the_word(self, open_page: Open) -> None:
        page = open_page(viewport={"width": 1280, "height": 720})
        page.goto("/es/confini/rules")
        page.locator("a.term").first.hover()
        expect(page.get_by_role("tooltip")).to_be_visible()
        expect(page.locator(".term-more")).to_be_hidden()
        page.locator("a.term").first.click()
        expect(page).to_have_url(re.compile("/es/glossary#"))

    def test_without_script_it_is_a_link(self, open_page: Open) -> None:
        page = open_page(viewport=PHONE, has_touch=True, is_mobile=True, java_script_enabled=False)
        page.goto("/es/confini/rules")
        page.locator("a.term").first.tap()
        expect(page).to_have_url(re.compile("/es/glossary#"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_word_of_another_meaning_is_not_linked(client: PageClient, lang: str) -> None:
    """To challenge the Smoke is no phase of a turn; first place is no placing."""
    confini = client.get(f"/{lang}/confini/rules").text
    for term, rule in (
        ("challenge", "confini.smoke.declare"),
        ("challenge", "confini.smoke.level"),
        ("challenge", "confini.goal.smoke"),
        ("roll", "confini.smoke.declare"),
        ("declare", "confini.smoke.value"),
        ("turn", "confini.challenge.face-down"),
    ):
        assert f'glossary#{term}"' not in rule_of(confini, rule), (term, rule)
    assert 'glossary#place"' not in rule_of(client.get(f"/{lang}/blockers/rules").text, "blockers.end.tie")
    assert 'glossary#challenge"' not in client.get(f"/{lang}/confini/rulings/when-to-challenge").text


def rule_of(page: str, rule: str) -> str:
    assert f'id="{rule}"' in page
    return page.partition(f'id="{rule}"')[2].partition('class="rule"')[0].partition("<details")[0]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_part_of_a_longer_term_is_not_linked_by_itself(
    library: Library, client: PageClient, lang: str
) -> None:
    """Where a Turn Change is linked already, or explained, the next one is still no turn."""
    link = re.compile(r'[^ >]* ?<a class="term" href="[^"]*#(?:turn|challenge)"[^>]*>[^<]*</a>[^.<]*')
    text = client.get(f"/{lang}/confini/rules").text
    whole = [library.terms[name].words[lang].word for name in ("turn-change", "challenge-value")]
    for found in link.findall(text):
        assert not any(word in said(found) for word in whole if " " in word), found
