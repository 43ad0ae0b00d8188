"""Search finds what players mean, in any of the languages, and nothing that is typed breaks it."""

import random
import re
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import expect

from tests.books import FULL
from tests.conftest import SOAK, Open
from tests.pages import PageClient
from tutor.book.load import Library
from tutor.book.stems import fold, words
from tutor.book.words import LANGUAGES
from tutor.games.tables import list_pieces, rows_of
from tutor.lessons.course import Course, courses
from tutor.lookup.uses import spellings
from tutor.search.opening import open_store
from tutor.search.ranking import Found, Search

HERE = Path(__file__).parent
QUERIES: dict[str, dict[str, list[str]]] = tomllib.loads((HERE / "queries.toml").read_text("utf-8"))
QUESTIONS: dict[str, dict[str, dict[str, list[str]]]] = tomllib.loads(
    (HERE / "questions.toml").read_text("utf-8")
)
FIRST = 3
RIGHT = 0.9


@pytest.fixture(scope="module")
def search(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Search:
    path = tmp_path_factory.mktemp("search") / "rulebook.db"
    return Search(library, open_store(library, path, rows_of(courses(library))).index)


def ids(found: Found, most: int = FIRST) -> list[str]:
    return [hit.id for hit in found.hits[:most]]


def misses(search: Search, queries: dict[str, dict[str, list[str]]], game: str) -> Iterator[str]:
    """The queries whose right answers are not among the first, by the reader's language."""
    entries = (texts[lang].entries for texts in search.library.texts.values() for lang in LANGUAGES)
    known = {
        *chain.from_iterable(entries),
        *search.library.terms,
        *(name for _, name in search.index.pieces()),
    }
    for lang in LANGUAGES:
        for query, right in queries[lang].items():
            assert known.issuperset(right), f"{query}: {set(right) - known}"
            found = ids(search.find(query, lang, game))
            if not set(found) & set(right):
                yield f"{game} {lang} {query}: {found}"


@pytest.mark.patient
def test_players_find_the_rule_they_ask_for(search: Search) -> None:
    assert min(map(len, QUERIES.values())) >= 20
    missed = list(misses(search, QUERIES, ""))
    count = sum(map(len, QUERIES.values()))
    assert len(missed) <= (1 - RIGHT) * count, "\n".join(missed)


@pytest.mark.parametrize("game", QUESTIONS)
@pytest.mark.patient
def test_a_table_finds_the_rule_of_its_game(search: Search, game: str) -> None:
    missed = list(misses(search, QUESTIONS[game], game))
    count = sum(map(len, QUESTIONS[game].values()))
    assert len(missed) <= (1 - RIGHT) * count, "\n".join(missed)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.patient
@pytest.mark.slow
def test_every_rule_and_question_is_first_by_its_title(search: Search, library: Library, lang: str) -> None:
    """In its game, typed in whatever case and without its marks, whole."""
    missed = [
        f"{entry.title}: {ids(found)}"
        for game, by_lang in library.texts.items()
        for entry in by_lang[lang].entries.values()
        if entry.kind in ("rule", "ruling")
        for typed in (entry.title, " ".join(words(entry.title.upper())))
        for found in [search.find(typed, lang, game)]
        if ids(found, 1) != [entry.id] or found.instead
    ]
    assert not missed, missed


def test_a_title_of_one_game_is_first_from_no_game_too(search: Search) -> None:
    assert search.find("When to challenge the Smoke", "en").hits[0].id == "confini.smoke.declare"


def test_forms_accents_and_capitals_do_not_matter(search: Search) -> None:
    for lang, one, other in (
        ("pl", "kościami", "KOSC"),
        ("pl", "żetonów", "zetonow"),
        ("it", "dadi grigi", "dado grigio"),
        ("es", "comodines", "comodín"),
        ("en", "Rerolling", "reroll"),
    ):
        assert set(ids(search.find(one, lang), 10)) & set(ids(search.find(other, lang), 10)), (one, other)


def test_a_typo_is_mended_and_told(search: Search) -> None:
    found = search.find("captuer a tiel", "en")
    assert found.instead == "capture a tile"
    assert found.hits[0].game == "blockers"
    assert not search.find("capture a tile", "en").instead


@pytest.mark.parametrize(
    ("lang", "query", "instead", "right"),
    [
        ("en", "what does lightfingers do", "what does light fingers do", "EV06"),
        ("pl", "dwieakcje", "dwie akcje", "border.round.two-actions"),
        ("es", "crucesimpresas", "cruces impresas", "border.setup.white"),
    ],
)
def test_words_run_together_are_taken_apart(
    search: Search, lang: str, query: str, instead: str, right: str
) -> None:
    found = search.find(query, lang)
    assert found.instead == instead
    assert right in ids(found)


def test_a_right_word_is_not_mended_to_one_of_another_language(search: Search) -> None:
    for query, lang in (
        ("czy opłaca się bić", "pl"),
        ("oplaca sie zbijac plytki", "pl"),
        ("jak zginę co z moimi kartami", "pl"),
    ):
        assert not search.find(query, lang).instead, query


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.slow
def test_no_word_of_any_text_is_mended(search: Search, lang: str) -> None:
    """A word that stands in a text of any language is right, and so are those that any speaker types."""
    written = [word for other in LANGUAGES for word in search.reader.vocabulary(other)]
    if SOAK == 1:  # each word on the pages of one language, and of all under `make soak`
        written = written[[*LANGUAGES].index(lang) :: len(LANGUAGES)]
    mended = [word for word in written if search.find(word, lang).instead]
    assert not mended, mended


@pytest.mark.parametrize(
    ("lang", "query"),
    [
        ("en", "what is the best card"),
        ("en", "is that fair or cheating"),
        ("it", "qual è la carta migliore"),
        ("es", "cuál es la peor carta"),
        ("pl", "czy to jest dozwolony ruch"),
        ("en", "he loads the dice"),
        ("en", "roads and heads"),
        ("en", "black hole on the map"),
        ("it", "il gatto ha preso il latte"),
        ("it", "la mamma è stanca"),
        ("es", "mi perro come queso"),
        ("es", "hace calor en la playa"),
        ("pl", "mój pies lubi morze"),
        ("pl", "brat wiedział"),
    ],
)
def test_good_words_that_no_text_has_are_left_alone(search: Search, lang: str, query: str) -> None:
    assert not search.find(query, lang).instead


@pytest.mark.parametrize(
    ("lang", "query", "instead"),
    [
        ("en", "captire", "capture"),  # keys that touch
        ("en", "tils", "tiles"),
        ("en", "baord", "board"),
        ("it", "kattura", "cattura"),
        ("es", "enpieza", "empieza"),
        ("pl", "zmaina", "zmiana"),
    ],
)
def test_a_slip_of_the_hand_or_the_ear_is_mended(search: Search, lang: str, query: str, instead: str) -> None:
    assert fold(search.find(query, lang).instead) == fold(instead)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.patient
def test_no_form_of_a_word_is_mended(search: Search, library: Library, lang: str) -> None:
    """Of those in the tables of words, which the texts may not have."""
    tables = [book.words[lang] for book in library.games.values()]
    forms = {
        word
        for table in tables
        for entry in (*table.ids.values(), *(noun.forms for noun in table.nouns.values()))
        for said in ([entry] if isinstance(entry, str) else entry.values())
        for word in words(said)
    }
    mended = [word for word in sorted(forms) if search.find(word, lang).instead]
    assert not mended, mended


def test_a_word_of_another_language_is_told_with_ours(search: Search) -> None:
    found = search.find("dado rosso", "pl")
    assert [(concept.typed, concept.lang, concept.terms) for concept in found.foreign] == [
        ("dado", "it", ("die",)),
        ("rosso", "it", ("red",)),
    ]
    assert not search.find("czerwona kość", "pl").foreign


def test_a_game_narrows_the_search(search: Search, library: Library) -> None:
    for game in library.games:
        found = search.find("player", "en", game)
        assert found.hits or game not in FULL
        assert all(
            game in library.terms[hit.id].games if hit.kind == "term" else hit.game == game
            for hit in found.hits
        )


def test_what_was_found_is_marked_in_its_context(search: Search) -> None:
    for query, lang, word in (
        ("capture", "en", "captur"),
        ("dado rosso", "pl", "czerwon"),
        ("tessere", "it", "tesser"),
    ):
        hits = search.find(query, lang).hits
        lit = [text.lower() for hit in hits for text, found in (*hit.marked, *hit.snippet) if found]
        assert any(text.startswith(word) for text in lit), query
        for hit in hits:
            assert "".join(text for text, _ in hit.marked) == hit.title
            assert len("".join(text for text, _ in hit.snippet)) < 200


def test_cards_and_areas_are_found_by_name(search: Search) -> None:
    for query, lang, game in (
        ("leeches", "en", "confini"),
        ("lanterna a olio", "it", "confini"),
        ("willa", "pl", "border"),
    ):
        assert (game, "piece") in [(hit.game, hit.kind) for hit in search.find(query, lang).hits[:FIRST]], (
            query
        )


def test_a_card_is_found_by_its_name_in_another_language(search: Search) -> None:
    for query, lang, piece in (
        ("sip of water ile echa daje", "pl", "EV01"),
        ("sanguisughe che succede", "es", "EV10"),
        ("barca a vela ile punktow", "pl", "boat"),
    ):
        assert search.find(query, lang).hits[0].id == piece, query


def test_a_piece_may_be_called_by_a_word_that_mostly_says_nothing(search: Search) -> None:
    for query, lang, piece in (
        ("well", "en", "well"),
        ("what is the well worth", "en", "well"),
        ("how many points well", "en", "well"),
        ("castello", "it", "castle"),
        ("quanto vale il castello", "it", "castle"),
    ):
        assert search.find(query, lang, "border").hits[0].id == piece, query
    assert "well" not in ids(search.find("well who wins then", "en", "border"))


WORTH = {
    "en": (
        "How many points is {} worth?",
        "what does {} score",
        "value of {}",
        "how many points do i get for {}",
    ),
    "it": ("Quanti punti vale {}?", "quanto vale {}", "valore {}", "quanti punti prendo per {}"),
    "es": ("¿Cuántos puntos vale {}?", "¿qué valor tiene {}?", "puntos {}", "cuantos puntos me dan por {}"),
    "pl": ("Ile punktów daje {}?", "ile jest wart {}", "wartość {}", "ile punktów dostanę za {}"),
}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.patient
def test_who_asks_what_a_piece_is_worth_finds_that_piece(
    search: Search, all_courses: dict[str, Course], lang: str
) -> None:
    """In whatever form its name is typed, also from the page of no game."""
    course = all_courses["border"]
    missed = [
        f"{query}: {ids(found)}"
        for piece in list_pieces(course, lang)
        if piece.kind == "area"
        for name in sorted(spellings(piece, course.book.words[lang]))
        for query in (asked.format(name) for asked in WORTH[lang])
        for game in ("", "border")
        for found in [search.find(query, lang, game)]
        if ids(found, 1) != [piece.id]
    ]
    assert not missed, missed


def test_with_what_and_what_is_captured_are_two_questions(search: Search) -> None:
    safe, exempt = "blockers.ruling.joker-safe", "blockers.ruling.joker-exempt"
    for query, lang, first in (
        ("czy mozna zbic dzokera", "pl", safe),
        ("czy moge zbic jokerem", "pl", exempt),
        ("si puo catturare il jolly", "it", safe),
        ("posso catturare con il jolly", "it", exempt),
        ("se puede capturar el comodin", "es", safe),
        ("puedo capturar con el comodin", "es", exempt),
        ("can i capture a joker", "en", safe),
        ("can i capture with the joker", "en", exempt),
    ):
        assert search.find(query, lang, "blockers").hits[0].id == first, query


def test_who_dies_does_not_ask_about_dice(search: Search) -> None:
    found = search.find("if i die what happens to my cards", "en", "confini")
    assert not any("die" in concept.terms for concept in found.concepts)
    kept = search.find("may i keep the die", "en")
    assert any("die" in concept.terms for concept in kept.concepts)


def test_an_edition_is_found_by_its_name(search: Search) -> None:
    for query, lang in (("edicion polaca desempate", "es"), ("polish edition tie break", "en")):
        assert "border.edition.tie" in ids(search.find(query, lang, "border")), query


NONSENSE = (
    "xyzzyq", "qqqq zzzz", "asdfgh", "qwertyuiop", "blorptang", "fnord", "zxcvbnm", "hjkl", "wibblewobble",
    "grzmotopyrd", "szczwrt", "plugh", "florbix", "jjjjj", "kwyjibo", "snorfle", "vvvvvv", "trwqpl", "abcxyz",
    "lkjhgf", "mnbvcx", "poiuyt", "rewq", "gnarfle", "zorkmid", "quuxbaz", "frobnicate", "xkcd", "ooooo",
    "wqwqwq", "zażółćgęś", "ñandúxx", "blablabla", "tralalala", "hmmmmpf", "nrtd", "yxcv", "dfkjgh sldkfj",
    "kubernetes", "bitcoin",
)  # fmt: skip
SHORT = 24
"""Letters of a title that somebody might type in one go."""


@pytest.mark.parametrize("lang", LANGUAGES)
def test_nothing_is_offered_for_what_means_nothing(search: Search, lang: str) -> None:
    for query in NONSENSE:
        found = search.find(query, lang)
        assert found.near
        assert [hit.title for hit in found.hits] == [], query


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_near_miss_is_offered_the_nearest_titles(search: Search, lang: str) -> None:
    """Titles run together, with two letters the wrong way round: no word of theirs is one of ours."""
    right = asked = 0
    for texts in search.library.texts.values():
        for entry in texts[lang].entries.values():
            typed = "".join(re.findall(r"\w+", entry.title))
            if entry.kind == "rule" and " " in entry.title and len(entry.title) <= SHORT:
                found = search.find(typed[:2] + typed[3] + typed[2] + typed[4:], lang)
                asked += found.near
                right += found.near and entry.title in [hit.title for hit in found.hits]
    assert asked >= 40
    assert right >= 0.98 * asked


@pytest.mark.parametrize("lang", LANGUAGES)
def test_who_finds_nothing_is_shown_where_to_look(library: Library, client: PageClient, lang: str) -> None:
    page = client.page(f"/{lang}/search?q=xyzzyq")
    assert f"/{lang}/glossary" in page.links
    offered = [link for link in page.links if "/rulings/" in link]
    assert len(offered) == len({link.split("/")[2] for link in offered}) == 3, "one of each game"
    for game, texts in library.texts.items():
        assert {f"/{lang}/{game}/rules#{part.id}" for part in texts[lang].parts} <= set(page.links)
    narrowed = client.page(f"/{lang}/search?q=xyzzyq&game=border").links
    assert sum(link.startswith(f"/{lang}/border/rulings/") for link in narrowed) == 3
    assert not any("/confini/" in link for link in narrowed)


def nasty(chosen: random.Random) -> str:
    pieces = [
        '"', "'", "*", "(", ")", "AND", "OR", "NOT", "NEAR(", ":", "^", "-", "title:", "\x00", "\\", "%", "_",
        ";", "{", "}", "<b>", "&amp;", "🎲", "´", "ı", "İ", "ß", "ﬁ", "\u202e", "\ufeff", "e\u0301", "\u200e",
        " ", "\n", "\t", "dado", "kość", "tile", "xqdie", "xgborder", "rank", "1", "9" * 50, "ł" * 30,
        "\ud7ff", "中文", "--", "/*",
    ]  # fmt: skip
    text = "".join(chosen.choice(pieces) + chosen.choice(["", " "]) for _ in range(chosen.randrange(1, 12)))
    return text * 1000 if chosen.random() < 0.01 else text


@pytest.mark.slow
def test_no_query_breaks_it(search: Search) -> None:
    chosen = random.Random(5)
    for _ in range(5000):
        query = nasty(chosen)
        search.find(
            query, chosen.choice(LANGUAGES), chosen.choice(["", "border"]), typing=chosen.random() < 0.5
        )


# The page


def links(client: PageClient, address: str) -> Iterator[str]:
    yield from client.page(address).links


def test_results_without_script_and_while_typing(client: PageClient) -> None:
    page = client.get("/en/search?q=who+goes+first%3F")
    assert "/en/border/rules#border.setup.first-player" in page.text
    assert "<mark>" in page.text
    part = client.client.get("/en/search?q=who+goes+fir", headers={"HX-Request": "true"}).text
    assert part.lstrip().startswith("<title>Search: who goes fir · ")
    assert '<div class="found">' in part
    assert "border.setup.first-player" in part


def test_what_is_typed_is_shown_as_typed(client: PageClient) -> None:
    page = client.get("/it/search", query_string={"q": '<b>"x"</b>'})
    assert "<b>" not in page.text.partition("<main")[2]
    assert "&lt;b&gt;" in page.text


def test_few_words_of_another_language_are_explained_and_the_rarest_first(client: PageClient) -> None:
    text = client.get(
        "/pl/search",
        query_string={"q": "does a player with a card and twine draw on the arc", "game": "confini"},
    ).text
    told = re.findall(r'<p class="small"><q lang="en">(.+?)</q>', text)
    assert len(told) == 2
    assert not {"player", "card"} & set(told)


def test_a_game_that_is_not_there_is_not_found(client: PageClient) -> None:
    client.get("/it/search?q=x&game=chess", 404)


def test_every_page_has_the_box_and_narrows_it_to_its_game(app: Flask, client: PageClient) -> None:
    for path, game in (
        ("/pl/", ""),
        ("/pl/border/", "border"),
        ("/pl/confini/learn/draw", "confini"),
        ("/pl/glossary", ""),
    ):
        text = client.get(path).text
        assert 'id="find"' in text
        assert ('name="game" value="' in text.partition("<main")[0]) == bool(game), path


def test_the_glossary_has_every_term_with_all_its_words(library: Library, client: PageClient) -> None:
    for lang in LANGUAGES:
        page = client.page(f"/{lang}/glossary")
        assert library.terms.keys() <= set(page.ids)
    card = client.client.get("/pl/glossary/die", headers={"HX-Request": "true"}).text
    for word in library.terms["die"].words.values():
        assert word.word in card
    client.get("/pl/glossary/nothing", 404)


def test_rule_texts_link_their_terms_once_and_never_to_themselves(
    library: Library, client: PageClient
) -> None:
    text = client.get("/en/blockers/rules").text
    rule = text.partition('id="blockers.group.edges"')[2].partition('class="rule"')[0]
    assert "#group" not in rule, "this rule explains groups"
    assert text.count('href="/en/glossary#group"') > 3


def test_what_is_only_typed_is_not_shown(library: Library, client: PageClient) -> None:
    term = library.terms["complete"].words["es"]
    assert "cierr*" in term.asked
    assert "cierr*" not in client.get("/es/glossary").text


# How people type


@pytest.mark.parametrize(
    ("query", "lang", "game", "right"),
    [
        # all of it in another language, or a word
        ("eqiupment during fight", "pl", "confini", "confini.ruling.equipping"),
        ("czy moge polozyc limite u innego gracza", "pl", "confini", "confini.ruling.where-to-place"),
        # forms of verbs, slang, digits
        ("dos jugadores cierran la misma zona a la vez", "es", "border", "border.ruling.together-high"),
        ("6th area done but other guy has more pts", "en", "", "border.ruling.six-wins"),
        ("in 2 posso catturare il mio altro colore", "it", "", "blockers.ruling.two-own"),
        ("spago in piu lo perdo quando salgo di livello", "it", "confini", "confini.ruling.all-but-one"),
        # the name of the game
        ("czy moge zbic swoj kafelek w blockers", "pl", "", "blockers.ruling.own-tile"),
    ],
)
def test_people_do_not_type_like_rulebooks(
    search: Search, query: str, lang: str, game: str, right: str
) -> None:
    assert right in ids(search.find(query, lang, game))


def test_the_word_of_a_term_finds_the_term_first_and_a_question_an_answer(
    search: Search, library: Library
) -> None:
    for term in library.terms.values():
        for lang, word in term.words.items():
            if len(word.word.split()) == 1:
                assert search.find(word.word, lang).hits[0].kind == "term", word.word
    for query, lang in (("czy moge pasowac", "pl"), ("nessuno puo piu mettere crocette", "it")):
        assert "term" not in [hit.kind for hit in search.find(query, lang).hits[:FIRST]]


def test_the_answer_to_a_question_is_shown_from_its_first_word(search: Search, library: Library) -> None:
    found = search.find("cambio turno dalla pila fumo posso avanzare lo stesso", "it")
    hit = next(hit for hit in found.hits if hit.id == "confini.ruling.change-from-pile")
    shown = "".join(text for text, _ in hit.snippet)
    assert shown.startswith("No.")
    assert library.texts["confini"]["it"].entries[hit.id].plain.startswith("No.")


def test_a_term_is_found_with_what_it_means_in_its_games(search: Search, library: Library) -> None:
    border, confini = (library.terms["die"].means[game]["en"] for game in ("border", "confini"))

    def shown(game: str) -> str:
        hit = next(hit for hit in search.find("die", "en", game).hits if hit.id == "die")
        return "".join(text for text, _ in hit.snippet)

    assert shown("confini") == confini
    assert shown("") == f"The Border: {border} Confini: {confini}"


def test_results_name_their_game_unless_one_is_chosen(client: PageClient) -> None:
    for address, named in (
        ("/en/search?q=may+i+pass", True),
        ("/en/search?q=may+i+pass&game=blockers", False),
    ):
        results = client.get(address).text.partition('class="results"')[2]
        assert ("Blockers!" in results.partition("<span")[2].partition("</span>")[0]) == named


def test_the_game_of_the_page_comes_first_and_others_after_it_by_name(client: PageClient) -> None:
    """The box of a game's page says which; a question that means another game is answered too."""
    text = client.get("/en/search?q=hand+limit&game=border").text
    assert "In other games" in text
    own, _, others = text.partition("In other games")
    assert "/en/confini/rulings/hand-limit-when" in others or "#confini.hand.limit" in others
    assert "/en/confini/" not in own.partition("<main")[2]
    assert "Confini" in others.partition("<span")[2].partition("</span>")[0]
    whole = client.get("/en/search?q=tie+break&game=blockers").text
    assert whole.index("/en/blockers/rules#blockers.end.tie") < whole.index("/en/border/rules#border.end.tie")
    assert "In other games" not in client.get("/en/search?q=hand+limit").text
    assert "In other games" not in client.get("/en/search?q=xyzzyq&game=border").text


# Enter


def test_enter_opens_the_first_result_that_is_seen(search: Search, client: PageClient) -> None:
    """Without script, too: the first Enter shows the results, the second opens one."""
    asked = "/en/search?q=who+goes+first&game=border"
    text = client.get(asked).text
    assert '<input type="hidden" name="first" value="who goes first" form="search">' in text
    assert "autofocus" not in text, "a finger needs no focus"
    answer = client.client.get(f"{asked}&first=who+goes+first")
    assert answer.status_code == 302
    first = search.find("who goes first", "en", "border").hits[0]
    assert answer.headers["Location"].endswith(f"/en/border/rules#{first.id}")


def test_enter_shows_the_results_of_another_query_first(client: PageClient) -> None:
    assert "results" in client.get("/en/search?q=may+i+pass&first=who+goes+first").text
    assert "<h1" in client.get("/en/search?q=&first=").text
    assert 'name="first"' not in client.get("/en/search?q=qqqq+zzzz").text, "these only come nearest"
    part = client.client.get("/en/search?q=may+i+pass", headers={"HX-Request": "true"}).text
    assert 'name="first" value="may i pass"' in part


def test_enter_from_any_box_leads_to_the_first_result(open_page: Open) -> None:
    page = open_page()
    page.goto("/en/border/")
    page.fill("#find", "who goes first")
    page.press("#find", "Enter")
    expect(page.locator(".results a").first).to_be_focused()
    first = page.locator(".results a").first.get_attribute("href") or ""
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(re.escape(first) + "$"))


def test_a_finger_leaves_the_focus_alone(open_page: Open) -> None:
    phone = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone.goto("/en/search")
    expect(phone.locator("#q")).to_be_focused()
    phone.fill("#q", "who goes first")
    phone.get_by_role("button", name="Search").tap()
    expect(phone.locator(".results a").first).to_be_visible()
    phone.press("#q", "Enter")  # puts the keyboard away
    expect(phone.locator("#q")).not_to_be_focused()
    expect(phone).to_have_url(re.compile("/en/search"))
    expect(phone.locator(".results a").first).to_be_visible()
    phone.reload()  # the page as it is opened, whatever has the focus in the one before
    expect(phone.locator(":focus")).to_have_count(0)


def test_the_search_page_has_one_box(client: PageClient) -> None:
    text = client.get("/en/search?q=die").text
    assert text.count('type="search"') == 1


def test_the_results_lead_back_to_the_game_from_which_one_came(client: PageClient) -> None:
    trail = re.compile(r'class="trail"[^>]*><a href="/it/border/">')
    assert trail.search(client.get("/it/search?q=dado&game=border").text)
    assert not trail.search(client.get("/it/search?q=dado").text)


@pytest.mark.parametrize("script", [True, False])
def test_enter_in_the_box_of_the_search_page(open_page: Open, script: bool) -> None:
    page = open_page(java_script_enabled=script)
    page.goto("/en/search")
    page.locator("#q").press_sequentially("may i pass")
    if not script:
        page.press("#q", "Enter")
    # In the page, the form that Enter sends knows which query has been answered.
    expect(page.locator('[name="first"]')).to_have_value("may i pass")
    first = page.locator(".results a").first.get_attribute("href") or ""
    assert "first=" not in page.url, "the address of results shows results"
    if script:
        page.get_by_role("button", name="Search").click()
        expect(page.locator(".results a").first).to_be_visible()
    page.press("#q", "Enter")
    expect(page).to_have_url(re.compile(re.escape(first) + "$"))
