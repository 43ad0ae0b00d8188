"""Rulings have pages with a live proof, and rules pages are light, folded and filtered in place."""

import gzip
import os
import re
from dataclasses import replace
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from tests.books import FULL, having
from tests.conftest import CHROMIUM, Open
from tests.pages import PageClient
from tutor.book.words import LANGUAGES
from tutor.lessons.course import Course
from tutor.lookup.examples import example
from tutor.lookup.rulings import proof, questions, short_answer, slug, slugs, subjects
from tutor.rules.base import Reason, Verdict
from tutor.search.ranking import Hit
from tutor.web.http.cache import Pages
from tutor.web.http.links import hit_address

HEAVIEST = 60_000
"""Bytes of a page as they are sent."""
each_language = pytest.mark.parametrize("lang", LANGUAGES)
each_game = pytest.mark.parametrize("game", having("rulings"))


# Answers


@each_language
@each_game
def test_the_short_answer_and_the_rest_are_the_whole_answer(
    all_courses: dict[str, Course], game: str, lang: str
) -> None:
    course = all_courses[game]
    for name in course.book.facts.rulings:
        entry = course.texts[lang].entries[name]
        short, rest = short_answer(entry)
        assert f"{short} {rest}".strip() == entry.paragraphs[0]
        assert len(short) <= 220, (name, short)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("No. Never.", "No."),
        (
            "Nie, a nadpłaty też nikt nie zwraca. Żetony oddaje się zawsze.",
            "Nie, a nadpłaty też nikt nie zwraca.",
        ),
        ("In Blockers! the tiles count. Always.", "In Blockers! the tiles count."),
        ("<em>Yes. Always</em> so. Really.", "<em>Yes. Always</em> so."),
        ("«Sì.» Sempre.", "«Sì.»"),
        ("Yes", "Yes"),
    ],
)
def test_a_short_answer_is_one_sentence(all_courses: dict[str, Course], text: str, short: str) -> None:
    entry = next(iter(all_courses["border"].texts["en"].entries.values()))
    assert short_answer(replace(entry, paragraphs=(text,)))[0] == short


@each_language
@each_game
def test_every_ruling_stands_once_under_the_section_of_its_rule(
    all_courses: dict[str, Course], game: str, lang: str
) -> None:
    course = all_courses[game]
    found = {}
    for subject in subjects(course, lang):
        for rule, rulings in subject.rules:
            assert rule.section == subject.id
            for ruling in rulings:
                assert ruling.id not in found
                found[ruling.id] = rule.id
    assert found == {name: facts.rule for name, facts in course.book.facts.rulings.items()}


# Pages


@each_language
@each_game
@pytest.mark.patient
def test_every_ruling_has_its_page_with_the_verdict_that_its_scenario_expects(
    all_courses: dict[str, Course], client: PageClient, game: str, lang: str
) -> None:
    course = all_courses[game]
    texts = course.texts[lang]
    for name, facts in course.book.facts.rulings.items():
        page = client.get(f"/{lang}/{game}/rulings/{slug(game, name)}").text
        assert len(gzip.compress(page.encode(), 6)) <= HEAVIEST
        said = unescape(page)
        assert texts.entries[name].title in said
        assert texts.entries[facts.rule].title in said
        assert said.index('class="answered"') < said.index('class="judged"')
        scenario, steps = proof(course, name)
        played_steps = [course.runs[scenario].steps[step] for step in steps]
        step, played = steps[-1], played_steps[-1]
        marks = re.findall(r'<li class="judged-(yes|so|no)">', page)
        verdicts = [mark.replace("so", "yes") for mark in marks]
        expected = ["yes" for one in played_steps for _ in one.file.play]
        assert verdicts == expected + ["no" for _ in [played.file.refuse] if _], name
        allowed = re.findall(r'<a class="small" href="[^"#]*#([^"]*)"', page)
        cited = {rule for one in played_steps for rule in one.cited}
        assert set(allowed) == {rule for rule in cited if rule in texts.entries}, name
        refused = re.findall(r'class="verdict verdict-no">.*?href="[^"#]*#([^"]*)"', page, re.DOTALL)
        if not played.file.refuse or played.file.rule in texts.entries:  # a technical rule is shown nowhere
            assert refused == ([played.file.rule] if played.file.refuse else [])
        assert course.tell(scenario, step, lang).story() in page


@each_game
@pytest.mark.patient
def test_every_proof_names_the_rule_of_its_ruling(
    all_courses: dict[str, Course], client: PageClient, game: str
) -> None:
    """A verdict cites it, an effect does, or the step says that it shows what no move could break."""
    missed = []
    for name, facts in all_courses[game].book.facts.rulings.items():
        page = client.get(f"/en/{game}/rulings/{slug(game, name)}").text
        proved = page[page.index('class="proof"') : page.index('class="stage"')]
        if f'#{facts.rule}"' not in proved:
            missed.append(f"{name}: {facts.rule}")
    assert not missed


@pytest.mark.parametrize(
    ("ruling", "said"),
    [
        ("confini.ruling.must-fight", ("one Limit on this arc: it has to be fought",)),
        ("confini.ruling.two-levels", ("Andrea advances to level 2", "three Twine, and there is only one")),
        ("confini.ruling.change-from-pile", ("Turn Change", "It’s Vasco’s turn now")),
        ("confini.ruling.declared-draws", ("three cards", "has to be drawn")),
        ("blockers.ruling.take-back", ("red 5 on E5", "yellow E on E5", "Captured in turn")),
    ],
)
def test_a_proof_shows_what_was_done_before_if_that_is_the_reason(
    client: PageClient, ruling: str, said: tuple[str, ...]
) -> None:
    game, _, name = ruling.partition(".ruling.")
    page = unescape(client.get(f"/en/{game}/rulings/{name}").text)
    proved = page[page.index('class="judged"') : page.index('class="stage"')]
    for words in said:
        assert words in proved, (words, proved)


@pytest.mark.parametrize(
    "ruling",
    [
        "border.ruling.five-each",
        "confini.ruling.cost",
        "confini.ruling.levels",
        "confini.ruling.no-limit",
        "confini.ruling.ownerless",
    ],
)
def test_a_verdict_names_the_rule_where_a_move_can_keep_or_break_it(
    all_courses: dict[str, Course], ruling: str
) -> None:
    course = all_courses[ruling.partition(".")[0]]
    rule, (scenario, steps) = course.book.facts.rulings[ruling].rule, proof(course, ruling)
    step = course.runs[scenario].steps[steps[-1]]
    assert rule in {*step.cited, *(reason.rule for reason in step.reasons)}


@each_language
def test_how_a_value_is_worked_out_is_shown_as_a_sum(client: PageClient, lang: str) -> None:
    page = client.get(f"/{lang}/confini/rulings/formula").text
    assert re.search(r"3 [^<=]* \+ 2 [^<=]* = 5\b", unescape(page).replace("\xa0", " "))


def test_what_chance_does_is_told_and_not_allowed(client: PageClient) -> None:
    """Nobody asks whether dice may fall as they do."""
    page = client.get("/it/border/rulings/nobody").text
    said = page[page.index('class="verdict') : page.index('class="next"')]
    assert "verdict-head" not in said
    [spoken] = re.findall(r'id="say".*?</p>', page, re.DOTALL)
    assert "Si può." not in spoken


@each_game
def test_who_may_not_is_shown_the_move_that_is_refused(all_courses: dict[str, Course], game: str) -> None:
    """A “no” to “may I?” is proved by the refusal, with its reason, and not by what is allowed instead."""
    course = all_courses[game]
    found = 0
    for name, facts in course.book.facts.rulings.items():
        entry = course.texts["en"].entries[name]
        if not re.search(r"\b(may|can) (I|the)\b", entry.title, re.IGNORECASE) or not entry.plain.startswith(
            "No"
        ):
            continue
        scenario, _, step = facts.proof.partition("/")
        for lang in LANGUAGES:
            shown = example(course, lang, scenario, step).moves
            assert not shown[-1].ok, (name, [move.deed for move in shown])
            assert shown[-1].whys[0].text, name
        found += 1
    assert found or game not in FULL or game == "border"  # nobody asks there for what is forbidden


@each_language
@each_game
def test_the_index_leads_to_every_ruling_and_the_game_to_the_index(
    all_courses: dict[str, Course], client: PageClient, game: str, lang: str
) -> None:
    index = f"/{lang}/{game}/rulings"
    assert index in client.page(f"/{lang}/{game}/").links
    assert index in client.page(f"/{lang}/{game}/rules").links
    page = client.page(index)
    assert {link for link in page.links if link.startswith(f"{index}/")} == {
        f"{index}/{name}" for name in slugs(all_courses[game])
    }
    rules = {facts.rule for facts in all_courses[game].book.facts.rulings.values()}
    assert rules <= set(page.ids)


def test_the_verdict_is_not_stored_but_asked_of_the_engine(
    app: Flask, client: PageClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = app.extensions["shelf"].courses["border"].book.game
    verdict = Verdict(False, (Reason("border.first.active", (), {"active": "p1"}),))
    monkeypatch.setitem(app.extensions, "pages", Pages())
    monkeypatch.setattr(type(game), "judge", lambda *_: verdict)
    page = client.get("/en/border/rulings/must-use").text
    monkeypatch.setitem(app.extensions, "pages", Pages())
    assert "judged-no" in page
    assert "judged-yes" not in page


# The proof is a table


@each_game
@pytest.mark.patient
@pytest.mark.slow
def test_every_move_of_a_proof_can_be_asked_about_and_leads_to_the_referee_and_back(
    all_courses: dict[str, Course], client: PageClient, game: str
) -> None:
    course = all_courses[game]
    for name in course.book.facts.rulings:
        where = f"/es/{game}/rulings/{slug(game, name)}"
        page = client.page(where)
        scenario, steps = proof(course, name)
        moves = [move for step in steps for move in course.runs[scenario].steps[step].moves]
        asked = [link for link in page.links if link.startswith(f"{where}?") and "try=" in link]
        for i, address in enumerate(asked[: len(moves)]):
            said = parse_qs(urlsplit(address).query)
            assert (said.get("moves", [""])[0], said["try"][0]) == (";".join(moves[:i]), moves[i])
        [table] = [link for link in page.links if link.startswith(f"/es/{game}/referee?")]
        assert where in client.page(table).links, name


def test_a_touched_move_is_judged_without_script_and_survives_a_change_of_language(
    client: PageClient,
) -> None:
    where = "/en/border/rulings/must-use"
    page = client.page(where)
    other = next(link for link in page.links if link.startswith(f"{where}?") and "pick=" in link)
    touched = client.page(other)
    assert any(link.startswith("/pl/border/rulings/must-use?") and "pick=" in link for link in touched.links)
    assert where in touched.links  # back to the proof


def test_htmx_gets_the_proof_alone(client: PageClient) -> None:
    headers = {"HX-Request": "true", "HX-Boosted": "true", "HX-Target": "screen"}
    part = client.get("/it/confini/rulings/must-fight", headers=headers).text
    assert part.lstrip().startswith('<section id="screen"')
    assert 'class="answered"' not in part
    assert 'hx-swap-oob="innerHTML"' in part


def test_the_question_stays_beside_the_referees_table(client: PageClient) -> None:
    """Through moves, other seats, changes of the position and forms."""
    question = "/en/confini/rulings/eco-drops"
    [table] = [link for link in client.page(question).links if link.startswith("/en/confini/referee?")]
    seen, todo = set[str](), [table]
    while todo and len(seen) < 12:
        address = todo.pop(0)
        if address in seen:
            continue
        seen.add(address)
        page = client.page(address)
        assert question in page.links, address
        todo += [link for link in page.links if link.startswith("/en/confini/referee?at=")]
    assert any("edit=1" in address for address in seen | set(todo))
    forms = client.get(next(address for address in [*seen, *todo] if "edit=1" in address)).text
    assert forms.count('name="ruling" value="eco-drops"') == forms.count('<form method="get"') > 0
    assert question not in client.page(table.replace("ruling=eco-drops", "ruling=nothing")).links


def test_the_dice_of_a_proof_can_be_thrown_there(client: PageClient) -> None:
    where = "/en/border/rulings/nobody"
    start = next(link for link in client.page(where).links if link.startswith(f"{where}?") and "try=" in link)
    at = parse_qs(urlsplit(start).query)["at"][0]
    rolled = client.get(where, 302, query_string={"at": at, "moves": "p4 roll", "chance": "roll"}).location
    assert rolled.startswith(f"{where}?")
    assert "dice" in rolled
    client.page(rolled)


@pytest.mark.parametrize("name", ["none", "border.ruling.tie", "tie/", "border.first.open", "%00"])
def test_there_are_no_other_rulings(client: PageClient, name: str) -> None:
    client.get(f"/pl/border/rulings/{name}", 404)
    client.get("/pl/chess/rulings", 404)
    client.get("/pl/chess/rulings/tie", 404)


@each_game
def test_what_leads_to_a_ruling_leads_to_its_page(
    app: Flask, client: PageClient, all_courses: dict[str, Course], game: str
) -> None:
    for name in all_courses[game].book.facts.rulings:
        answer = client.get(f"/r/{name}", 302, headers={"Accept-Language": "es"})
        assert answer.location == f"/es/{game}/rulings/{slug(game, name)}"
        with app.test_request_context("/en/"):
            hit = Hit(game, "ruling", name, "", "", (), ())
            assert hit_address(hit) == f"/en/{game}/rulings/{slug(game, name)}"


def test_rulings_that_touch_a_rule_a_screen_or_an_example_are_named_there(
    client: PageClient, all_courses: dict[str, Course]
) -> None:
    ruling = "/en/border/rulings/first-beside"  # of the rule that the screen introduces; the step proves it
    assert ruling in client.page("/en/border/examples/sarah-grey/three").links
    task = "/en/border/learn/grey"
    assert ruling not in client.page(task).links  # nothing to read before one has acted
    assert ruling in client.page(f"{task}?moves=p1+cross+G1+G2+H1").links
    rules = client.get("/en/border/rules").text
    own = rules[rules.index('id="border.first.anywhere"') :].partition("</details>")[0]
    assert "1 ruling on this" in own
    assert ruling in own
    course = all_courses["border"]
    assert ("border.ruling.tie", course.texts["en"].entries["border.ruling.tie"].title) in questions(
        course, "en", ["border.end.tie"]
    )
    assert questions(course, "en", []) == ()


@each_game
def test_a_step_that_only_proves_something_can_be_stepped_from_too(
    all_courses: dict[str, Course], game: str
) -> None:
    course = all_courses[game]
    for scenario, run in course.runs.items():
        for step in run.steps:
            shown = example(course, "en", scenario, step)
            assert shown.step == step
            assert 1 <= shown.number <= shown.count
            assert (shown.back == "") == (shown.number == 1)


# The rules page


@each_language
@each_game
def test_the_rules_page_is_light_and_names_every_rule_and_question(
    all_courses: dict[str, Course], client: PageClient, game: str, lang: str
) -> None:
    for path in ("rules", "rulings"):
        answer = client.client.get(f"/{lang}/{game}/{path}", headers={"Accept-Encoding": "gzip"})
        assert answer.headers["Content-Encoding"] == "gzip"
        assert len(answer.data) <= HEAVIEST
    page = client.get(f"/{lang}/{game}/rules").text
    contents = page[page.index('<nav id="contents"') : page.index("</nav>", page.index('<nav id="contents"'))]
    entries = all_courses[game].texts[lang].entries.values()
    links = re.findall(r'href="([^"]*)"', contents)
    assert {f"#{entry.id}" for entry in entries if entry.kind == "rule"} <= set(links)
    assert [link for link in links if "/rulings/" in link] == [
        f"/{lang}/{game}/rulings/{slug(game, entry.id)}" for entry in entries if entry.kind == "ruling"
    ]
    # Examples are folded, and their pictures are small ones.
    assert page.count('class="fold"') == sum(entry.kind == "example" for entry in entries)
    assert not re.search(r"<details[^>]* open|class=\"score-row|class=\"rail\"|<figure", page)


# In a browser

in_browser = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not CHROMIUM and not os.environ.get("CI"), reason="no chromium: apt-get install chromium"
    ),
]
SIZES = {"laptop": {"width": 1280, "height": 720}, "phone": {"width": 390, "height": 844}}


@pytest.fixture(params=SIZES)
def either(request: pytest.FixtureRequest, open_page: Open) -> Page:
    return open_page(viewport=SIZES[request.param])


class TestInABrowser:
    pytestmark = in_browser

    def test_what_does_not_match_is_hidden(self, either: Page) -> None:
        page = either
        page.goto("/pl/border/rules")
        box = page.locator("#filter")
        box.fill("KRZYZYK biale")  # no accents, and capital letters
        shown = page.locator("[data-item]:visible")
        expect(page.locator('[id="border.end.tie"]')).to_be_hidden()
        expect(page.locator("#end")).to_be_hidden()
        expect(page.locator('[id="border.setup.white"]')).to_be_visible()
        assert shown.count() < 12
        box.fill("zzz")
        expect(shown).to_have_count(0)
        expect(page.locator("[data-nothing] > *")).to_be_visible()
        box.fill("")
        expect(page.locator("[data-nothing] > *")).to_be_hidden()
        expect(page.locator("[data-item][hidden], .toc [hidden]")).to_have_count(0)

    def test_the_contents_follow_the_filter(self, open_page: Open) -> None:
        page = open_page(viewport=SIZES["laptop"])
        page.goto("/en/border/rules")
        page.locator("#filter").fill("tie")
        expect(page.locator('.toc a[href="#border.end.tie"]')).to_be_visible()
        expect(page.locator('.toc a[data-entry="border.ruling.tie"]')).to_be_visible()
        expect(page.locator('.toc a[href="#border.setup.dice"]')).to_be_hidden()

    def test_questions_are_filtered_too(self, either: Page) -> None:
        either.goto("/en/confini/rulings")
        either.locator("#filter").fill("twine hand")
        expect(either.locator(".question:visible")).to_have_count(
            either.locator(".question", has_text=re.compile("twine", re.I))
            .filter(has_text=re.compile("hand", re.I))
            .count()
        )
        expect(either.locator(".question:visible").first).to_be_visible()

    def test_an_example_opens_in_place(self, either: Page) -> None:
        page = either
        page.goto("/en/border/rules")
        fold = page.locator("#example-sarah-rolls")
        expect(fold.locator(".fold-picture .board")).to_be_visible()
        expect(fold.locator(".example")).to_have_count(0)
        fold.locator("summary").click()
        expect(fold.locator(".example .stage .board").first).to_be_visible()
        expect(fold.locator(".fold-picture")).to_be_hidden()
        page.goto("/en/border/rules#example-sarah-grey")
        expect(page.locator("#example-sarah-grey .example")).to_be_visible()

    def test_an_old_anchor_of_a_ruling_leads_to_its_page(self, open_page: Open) -> None:
        page = open_page()
        page.goto("/it/border/rules#border.ruling.tie")
        page.wait_for_url("**/it/border/rulings/tie")

    def test_the_contents_open_over_the_page_of_a_phone(self, open_page: Open) -> None:
        page = open_page(viewport=SIZES["phone"])
        page.goto("/en/blockers/rules")
        contents = page.locator("#contents")
        expect(contents).to_be_hidden()
        page.get_by_role("button", name="Contents").click()
        expect(contents).to_be_visible()
        contents.locator('a[href="#blockers.end.turns"]').click()
        expect(contents).to_be_hidden()
        rule = page.locator('[id="blockers.end.turns"]')
        expect(rule).to_be_in_viewport()
        # It is not hidden behind the bar, which stays.
        bar = page.locator(".side").bounding_box()
        box = rule.bounding_box()
        assert bar
        assert box
        assert bar["y"] <= 0
        assert box["y"] >= bar["y"] + bar["height"]

    def test_all_of_it_is_there_without_script(self, open_page: Open) -> None:
        page = open_page(java_script_enabled=False, viewport=SIZES["laptop"])
        page.goto("/es/border/rules")
        expect(page.locator("#filter")).to_be_hidden()
        expect(page.locator("#contents")).to_be_visible()
        fold = page.locator("#example-sarah-rolls")
        fold.locator("summary").click()
        expect(fold.locator(".board")).to_be_visible()
        fold.locator("details a").click()
        expect(page.locator("figure.example")).to_be_visible()
        page.goto("/es/border/rulings/tie")
        expect(page.locator(".stage .board").first).to_be_visible()

    def test_a_proof_is_varied_in_place(self, either: Page) -> None:
        page = either
        page.goto("/en/blockers/rulings/own-tile")
        proof = page.locator("#screen")
        expect(proof.locator(".verdict-no")).to_be_visible()
        proof.locator(".nearest a").first.click()
        expect(proof.locator(".verdict-yes")).to_be_visible()
        expect(page.locator("#say")).to_contain_text("Allowed.")
        expect(page.locator(".answered")).to_have_text("No, never.")
        page.reload()  # the address is the table
        expect(proof.locator(".verdict-yes")).to_be_visible()
        page.go_back()
        expect(proof.locator(".verdict-no")).to_be_visible()
        proof.locator(".nearest a").first.click()
        expect(proof.locator(".verdict-yes")).to_be_visible()
        proof.locator("#reset").click()
        expect(proof.locator(".verdict-no")).to_be_visible()
        proof.locator("#referee").click()
        page.wait_for_url("**/en/blockers/referee?*")
        page.locator("#leave").click()
        expect(page.locator(".verdict")).to_have_count(0)
        page.locator("#question").click()
        page.wait_for_url("**/en/blockers/rulings/own-tile")

    @each_game
    def test_question_and_answer_are_on_the_first_screen(self, open_page: Open, game: str) -> None:
        page = open_page(viewport=SIZES["phone"])
        page.goto(f"/pl/{game}/rulings")
        addresses = page.locator(".question a").evaluate_all("all => all.map((one) => one.href)")
        for address in addresses[::9]:
            page.goto(address)
            expect(page.locator(".answered")).to_be_in_viewport(ratio=1)
