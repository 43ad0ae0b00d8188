"""The glossary: how its terms are found in texts, and that each fault of terms.toml is found (in Nim)."""

from pathlib import Path

import pytest

from tests import nim
from tests.books import FULL, LIBRARY
from tests.conftest import replace
from tutor.book.check import check
from tutor.book.glossary import pattern
from tutor.book.stems import fold
from tutor.book.words import LANGUAGES
from tutor.paths import TRANSLATIONS


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return nim.content(tmp_path / "content")


def found_in(content: Path) -> list[str]:
    problems = check(content, TRANSLATIONS, games=nim.GAMES)
    return [f"{p.file.name}:{p.line}: {p.text}" for p in problems if " counts 0 " not in p.text]


# How a term is found in a text


@pytest.mark.parametrize(
    ("begins", "text", "found"),
    [
        (("segment",), "Segments: whole segments", ["Segments", "segments"]),
        (("red ",), "Red reduces red, tired.", ["Red", "red"]),
        (("Limit",), "A limit is no Limit; Limits", ["Limit", "Limits"]),
        (("high value",), "high\u00a0values", ["high\u00a0values"]),
        (("Cambio ", "Cambio de turno"), "Cambio de turno, Cambio", ["Cambio de turno", "Cambio"]),
        (("¡Corte!",), "«¡Corte!»", ["¡Corte!"]),
        (("łuk",), "Łuk i łuki, pałuk", ["Łuk", "łuki"]),
        ((), "anything", []),
    ],
)
def test_a_term_is_found_by_the_beginnings_of_its_forms(
    begins: tuple[str, ...], text: str, found: list[str]
) -> None:
    assert pattern(begins).findall(text) == found


def test_words_are_compared_as_they_are_typed() -> None:
    assert fold("Łańcuch, ŻÓŁTY") == "lancuch, zolty"
    assert fold("así, parità") == "asi, parita"


# What is proved of terms.toml


FAULTS: dict[str, tuple[str, str, str]] = {
    "a text without the word": (
        'rules = { nim = "nim.heap" }',
        'rules = { nim = "nim.heap" }\nnot_in = ["nim.last"]',
        "terms.toml:3: heap: no form of it stands in nim.last",
    ),
    "a rule that is not there": (
        "nim.heap",
        "nim.heaps",
        "terms.toml:2: heap: there is no rule nim.heaps in nim",
    ),
    "a game that is not there": ("{ nim =", "{ whist =", "terms.toml:2: heap: there is no game whist"),
    "no game at all": ('{ nim = "nim.heap" }', "{}", "terms.toml:2: heap: belongs to no game"),
    "a language that is missing": ("pl = {", "de = {", "terms.toml:4: heap: there is no word in pl"),
    "a language that nobody reads": ("pl = {", "de = {", "terms.toml:6: heap: there is no language de"),
    "a word that is empty": ('"stos", begins', '"", begins', "terms.toml:6: heap: a word in pl is empty"),
    "a beginning that is empty": ('"stos"]', '" "]', "terms.toml:6: heap: a word in pl is empty"),
    "a synonym that is empty": ('"kupka"', '"kupka", ""', "terms.toml:6: heap: a word in pl is empty"),
    "a printed word that is empty": ('"mucchietto"', '""', "terms.toml:5: heap: a word in it is empty"),
    "a printed word of another game": (
        '{ nim = "mucchietto" }',
        '{ whist = "mucchietto" }',
        "terms.toml:5: heap: a box of whist has a word in it, but it is no term of that game",
    ),
    "a meaning in another game": (
        "[match.means.nim]",
        "[match.means.whist]",
        "terms.toml:19: match: it has a meaning in whist, but it is no term of that game",
    ),
    "a meaning that a language lacks": (
        'es = "Palillo de un montón."',
        "",
        "terms.toml:19: match: its meaning in nim is not told in es",
    ),
    "a meaning that is no sentence": (
        "Patyczek ze stosu.",
        "Patyczek ze stosu",
        "terms.toml:19: match: its meaning in nim is not a whole sentence",
    ),
    "a key that nobody reads": ("also = [", "slang = [", "terms.toml:5: unknown key heap.words.it.slang"),
    "a key of a term that nobody reads": (
        "[heap.words]",
        "[heap.word]",
        "terms.toml:4: unknown key heap.word",
    ),
    "a word that is there twice": (
        '["kupka"]',
        '["kupka", "Stoś"]',
        "terms.toml:6: heap: “Stoś” is there twice in pl",
    ),
    "a word of two terms": (
        '"fósforo"',
        '"Monton"',
        "terms.toml:16: match: “Monton” is a word of heap too in es",
    ),
    "a printed word of another term": (
        '"mucchietto"',
        '"Zolfanello"',
        "terms.toml:5: heap: the printed “Zolfanello” is a word of match in it",
    ),
    "a form of two terms": (
        '["cerilla"]',
        '["cerilla", "montón "]',
        "terms.toml:16: match: “montón” is a form of heap too in es",
    ),
    "a beginning that no text has": (
        '"zapałek"]',
        '"zapałkarz"]',
        "terms.toml:15: match: no text in pl has a word that begins with “zapałkarz”",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.patient
def test_a_fault_of_the_glossary_is_found_and_located(fault: str, content: Path) -> None:
    old, new, message = FAULTS[fault]
    replace(content / "terms.toml", old, new)
    assert message in found_in(content)


def test_a_term_of_a_technical_rule_is_a_problem(content: Path) -> None:
    """Nobody could read its explanation."""
    rules = content / "nim" / "rules.toml"
    replace(rules, '"nim.heap" = {', '"nim.heap" = { technical = true,')
    assert "terms.toml:2: heap: nim.heap is technical: it is shown nowhere" in found_in(content)


def test_a_rulebook_that_cannot_be_read_makes_no_beginning_dead(content: Path) -> None:
    (content / "nim" / "rulebook.pl.md").unlink()
    assert [line for line in found_in(content) if line.startswith("terms.toml")] == []


def test_the_glossary_of_nim_has_no_fault(content: Path) -> None:
    assert found_in(content) == []


def test_the_same_word_may_mean_another_term_in_another_game() -> None:
    """Italian has one word for The Border's round and a turn of the others."""
    terms = LIBRARY.terms
    assert terms["round"].words["it"].word == terms["turn"].words["it"].word
    assert not {*terms["round"].games} & {*terms["turn"].games}


# Our own glossary


def test_every_game_has_a_full_glossary() -> None:
    for game in FULL:
        own = [term for term in LIBRARY.terms.values() if game in term.games]
        assert len(own) >= 40, game
        assert any(term.taught for term in own), game


def test_printed_words_are_of_languages_in_which_there_is_an_edition() -> None:
    boxes = {
        (game, lang)
        for term in LIBRARY.terms.values()
        for lang, word in term.words.items()
        for game in word.box
        if game in FULL
    }
    assert boxes == {
        *(("border", lang) for lang in ("it", "pl", "es")),
        ("blockers", "it"),
        ("confini", "it"),
    }


@pytest.mark.parametrize(
    ("lang", "typed", "term"),
    [
        ("it", "tabellone", "board"),
        ("it", "barrare", "cross-off"),
        ("pl", "plansza", "board"),
        ("pl", "skreślić", "cross-off"),
        ("pl", "kostka", "die"),
        ("es", "tablero", "board"),
        ("es", "adyacente", "next-to"),
        ("en", "wildcard", "joker"),
        ("en", "tie-break", "tie"),
        ("en", "who goes first", "first-player"),
    ],
)
def test_what_players_type_means_one_term_of_each_game(lang: str, typed: str, term: str) -> None:
    for game in LIBRARY.terms[term].games:
        meant = [
            name
            for name, entry in LIBRARY.terms.items()
            if game in entry.games
            and (word := entry.words[lang])
            and fold(typed) in map(fold, (word.word, *word.also, *word.asked))
        ]
        assert meant == [term]


def test_every_term_is_there_in_every_language() -> None:
    for name, term in LIBRARY.terms.items():
        assert set(term.words) == set(LANGUAGES), name
