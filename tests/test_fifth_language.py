"""A language is one line and its files: a fifth is added to the small game, and nothing else is touched."""

import ast
from pathlib import Path

import pytest

from tests import ROOT
from tests.fifth import CODE, LINE, add_files, house, translated, visit
from tutor.book.words import LANGUAGES

pytestmark = pytest.mark.patient

OTHER = "it"
ALLOWED: dict[str, tuple[str, ...]] = {
    "tutor/book/words.py": (
        "Language(",  # the registration
        "TEMPLATE_LANGUAGE = ",  # the strings in the templates are in some language
    ),
}
"""Where the program may name a language: lines that begin so."""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A house with a fifth language, of which nothing particular is told."""
    folder = house(tmp_path_factory.mktemp("house"))
    add_files(folder)
    return folder


def test_after_its_line_check_names_its_files(tmp_path: Path) -> None:
    folder = house(tmp_path)
    assert LINE in (folder / "tutor" / "book" / "words.py").read_text("utf-8")
    assert visit(folder, "problems") == [
        "rulebook.eo.md:1: there is no such file",
        "words.eo.toml:1: there is no such file",
        "terms.toml:4: heap: there is no word in eo",
        "terms.toml:13: match: there is no word in eo",
        "terms.toml:19: match: its meaning in nim is not told in eo",
        "words.eo.toml:1: there is no such file",
        "messages.po:1: there is no such file",
    ]


def test_with_its_files_nothing_is_missing_and_every_page_can_be_made(bare: Path) -> None:
    assert visit(bare, "problems") == []
    assert visit(bare, "pages") == []


def test_it_is_read_searched_judged_and_presented(bare: Path) -> None:
    title, why = translated("The last match"), translated("You cannot take nine matches")
    seen = visit(bare, "look", CODE, OTHER, translated("last match"), translated("heap"), translated("pile"))
    assert f'<html lang="{CODE}">' in seen["home"]
    assert translated("Rules tutor") in seen["home"]
    assert "Esperanto" in seen["menu"]
    assert seen["wished"] == f"/{CODE}/"
    assert title in seen["rules"]
    assert title in seen["results"].replace("<mark>", "").replace("</mark>", "")
    assert seen["judged"]["verdict"]["reasons"][0]["text"].startswith(why)
    for asked in (CODE, OTHER):
        last, heap, pile = seen["found"][asked]
        assert last[0] == "nim.last"
        assert {"heap", "nim.heap"} <= set(heap) & set(pile)
    assert f'<html lang="{CODE}">' in seen["presented"]
    assert f'<html lang="{CODE}">' in seen["followed"][CODE]
    assert f'<html lang="{OTHER}">' in seen["followed"][OTHER]


PARTICULARS = """\
stemmer = "esperanto"
fold = { "ø" = "o" }
typeset = [{ find = "(?<=Teki) ", put = "\\u00a0" }]
senses = { must = "mast. ublogid." }
"""


def test_what_is_particular_to_it_is_a_file_that_it_can_do_without(bare: Path) -> None:
    asked = (translated("obliged"), translated("stick").replace("o", "ø"))
    before = visit(bare, "look", CODE, OTHER, *asked)
    file = bare / "content" / f"language.{CODE}.toml"
    file.write_text(PARTICULARS, "utf-8")
    try:
        assert visit(bare, "problems") == []
        after = visit(bare, "look", CODE, OTHER, *asked)
    finally:
        file.unlink()
    begins, typeset = translated("Take at least"), translated("Take\u00a0at least")
    assert begins in before["rules"]
    assert typeset in after["rules"]
    obliged, stick = before["found"][CODE]
    assert "nim.turn" not in obliged
    assert "match" not in stick
    obliged, stick = after["found"][CODE]
    assert "nim.turn" in obliged
    assert "match" in stick


def named(text: str) -> list[str]:
    """The lines of a module with a string that is nothing but names of languages."""
    lines = text.splitlines()
    return [
        lines[node.lineno - 1].strip()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if node.value.strip() and set(node.value.split()) <= set(LANGUAGES)
    ]


@pytest.mark.parametrize("path", sorted((ROOT / "tutor").rglob("*.py")), ids=lambda path: path.stem)
def test_no_module_names_a_language(path: Path) -> None:
    allowed = ALLOWED.get(path.relative_to(ROOT).as_posix(), ())
    odd = [line for line in named(path.read_text("utf-8")) if not line.startswith(allowed)]
    assert not odd, "what is particular to a language belongs in content/language.<lang>.toml"


def test_a_table_of_languages_would_be_noticed() -> None:
    assert named('STEMS = {"it": "italian"}') == ['STEMS = {"it": "italian"}']
    assert named('for lang in "es en".split(): pass') == ['for lang in "es en".split(): pass']
    assert named('"""A docstring of it."""\nx = "a pl"') == []
