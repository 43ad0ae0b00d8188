"""What is particular to a language: its file is checked like all content, and does what it says."""

from pathlib import Path

import pytest

from tests import nim
from tutor.book import particulars, translations
from tutor.book.load import load
from tutor.book.particulars import Change, Particulars, particular_to
from tutor.book.words import LANGUAGES
from tutor.paths import CONTENT
from tutor.search.index import index_version


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return nim.content(tmp_path / "content")


def test_a_language_can_do_without(content: Path) -> None:
    assert not list(content.glob("language.*.toml"))
    assert load(content, nim.GAMES).problems == ()
    assert particulars.read(content / "language.it.toml") == (Particulars(), [])
    assert particular_to("eo") == Particulars()


FAULTS = {
    'stemer = "italian"': "unknown key stemer",
    'stemmer = "vulgar"': "stemmer: Snowball knows no vulgar",
    'locale = "xx_YY"': "locale: ",
    'sounds = "ck cqk"': "sounds: cqk is not a pair of letters",
    'fold = { "Ø" = "o" }': "fold.Ø: is not a small letter",
    'quotes = [["", "»"]]': "quotes.0: Expected `str` of length >= 1",
    'numbers = "zero"': "numbers: Expected `array`, got `str`",
    'verbs.die = { after = "i" }': "verbs.die: plain is missing",
    'lists = [{ find = " e (", put = " ed " }]': "lists.0.find: is not a regular expression",
    'typeset = [{ find = " e", put = "\\\\1" }]': "typeset.0.find: is not a regular expression",
    'stumbles = [{ find = "[", says = "no" }]': "stumbles.0.find: is not a regular expression",
    'senses.mast = "deve."': "senses.mast: no other language has this",
    "stemmer = ": "is not TOML: ",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_and_located(content: Path, fault: str) -> None:
    (content / "language.it.toml").write_text(f"# Italian\n\n{fault}\n", "utf-8")
    (content / "language.es.toml").write_text('senses.must = "debe."\n', "utf-8")
    (content / "language.en.toml").write_text('senses.must = "must."\n', "utf-8")
    [problem] = load(content, nim.GAMES).problems
    assert (problem.file.name, problem.line) == ("language.it.toml", 3)
    assert problem.text.startswith(FAULTS[fault])


def test_the_file_of_a_language_that_is_not_there_is_named(content: Path) -> None:
    (content / "language.eo.toml").write_text("")
    [problem] = load(content, nim.GAMES).problems
    assert problem.text == "nobody reads this: no language of ours"


def test_our_own_files_are_right_and_all_are_read() -> None:
    assert list(particulars.check(CONTENT, LANGUAGES)) == []
    assert all(particular_to(lang) != Particulars() for lang in LANGUAGES)


def test_a_change_is_made_wherever_it_fits() -> None:
    assert Change(" ([!?])", "\u00a0\\1")("Quoi ? Non !") == "Quoi\u00a0? Non\u00a0!"


def test_a_language_has_its_own_script_and_no_other(content: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = {"pl": Particulars(script="CYRILLIC")}
    monkeypatch.setattr(translations, "particular_to", lambda lang: scripts.get(lang, Particulars()))
    for name in ("rulebook.pl.md", "rulebook.es.md", "asked.toml"):
        (content / "nim" / name).write_text("Ход Nim" if name != "asked.toml" else "Ход λ", "utf-8")
    found = [f"{problem.file.name}: {problem.text}" for problem in translations.check_scripts(content)]
    foreign = "letters of a foreign script:"
    assert found == [f"asked.toml: {foreign} λ", f"rulebook.es.md: {foreign} Х д о"]


def test_an_index_of_other_words_is_built_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    before = index_version()
    monkeypatch.setattr("tutor.search.index.particular_to", lambda lang: Particulars())
    assert index_version() != before
