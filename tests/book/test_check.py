"""`tutor check` finds each kind of fault, with its file and line. Each test breaks a copy of a small game."""

import dataclasses
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po, write_po
from flask import request

from tests import nim
from tests.conftest import replace
from tutor.book.check import check, check_rules
from tutor.book.load import load
from tutor.book.model import RuleFacts, RulesFile, RulingFacts
from tutor.book.summary import summary
from tutor.book.words import LANGUAGES
from tutor.cli import main
from tutor.games import GAMES
from tutor.games.tables import phrases
from tutor.lessons import proof as lessons
from tutor.paths import CONTENT, TRANSLATIONS
from tutor.rules.base import Game, Value
from tutor.rules.options import Whole
from tutor.web import create_app, proof

NEXT = 'msgid "Next"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the content of Nim and the catalogs, all of it right."""
    nim.content(tmp_path / "content")
    shutil.copytree(TRANSLATIONS, tmp_path / "translations")
    return tmp_path


def found_in(folder: Path) -> list[str]:
    """What the check says of a folder, as `file:line: problem`, without the name of the content folder."""
    found = check(folder / "content", folder / "translations", games=nim.GAMES)
    return [f"{p.file.relative_to(folder)}:{p.line}: {p.text}".removeprefix("content/") for p in found]


def test_what_is_asked_belongs_to_an_entry_and_is_there_in_every_language(folder: Path) -> None:
    asked = folder / "content" / "nim" / "asked.toml"
    every = "".join(f'{lang} = "heap"\n' for lang in LANGUAGES)
    asked.write_text(f'["nim.last"]\n{every}')
    assert found_in(folder) == []
    asked.write_text(f'["nim.first"]\n{every}["nim.last"]\nit = "heap"\npl = " "\nen = "heap"\nde = "heap"\n')
    assert found_in(folder) == [
        "nim/asked.toml:1: there is no rule or ruling nim.first to be found",
        "nim/asked.toml:6: nim.last: nothing is asked in es",
        "nim/asked.toml:6: nim.last: nothing is asked in pl",
        "nim/asked.toml:10: nim.last: there is no language de",
    ]


@pytest.mark.patient
def test_the_small_game_has_no_problem_and_all_its_pages_can_be_made(folder: Path) -> None:
    assert found_in(folder) == []
    assert list(lessons.prove(load(folder / "content", nim.GAMES))) == []
    assert proof.prove(folder / "content", nim.GAMES) == []


FAULTS: dict[str, tuple[str, str, str, str]] = {
    "a rule that one language lacks": (
        "nim/rulebook.pl.md",
        "::: rule nim.last\n",
        "::: rule nim.lost\n",
        "nim/rulebook.pl.md:36: rule nim.last is missing",
    ),
    "a rule that rules.toml lacks": (
        "nim/rulebook.pl.md",
        "::: rule nim.last\n",
        "::: rule nim.lost\n",
        "nim/rulebook.pl.md:38: rule nim.lost is not in rules.toml",
    ),
    "sections with other names": (
        "nim/rulebook.es.md",
        "{#end}",
        "{#finish}",
        "nim/rulebook.es.md:36: here is section finish, but rulebook.it.md has section end",
    ),
    "two sections of one name": (
        "nim/rulebook.es.md",
        "{#end}",
        "{#taking}",
        "nim/rulebook.es.md:36: there is another section taking",
    ),
    "an example line that no step has": (
        "nim/rulebook.it.md",
        "- many:",
        "- more:",
        "nim/rulebook.it.md:32: turns: there is no step more",
    ),
    "a task without its result": (
        "nim/rulebook.en.md",
        "- all!: {p1} has taken all of it, and {left match} {left?is|are} left.\n",
        "",
        "nim/rulebook.en.md:29: turns/all is a task: it needs a line all! too",
    ),
    "a why that is missing": (
        "nim/rulebook.en.md",
        "why: There is nothing",
        "because: There is nothing",
        "nim/rulebook.en.md:15: rule nim.heap can refuse a move but has no why",
    ),
    "a why that is never said": (
        "nim/rulebook.en.md",
        "wins the game.\n",
        "wins the game.\nwhy: So it is.\n",
        "nim/rulebook.en.md:41: rule nim.last refuses nothing but has a why",
    ),
    "a value that nobody fills": (
        "nim/rulebook.en.md",
        "in heap {heap}",
        "in the {castle}",
        "nim/rulebook.en.md:18: rule nim.heap: nobody fills castle",
    ),
    "a why with other values than in another language": (
        "nim/rulebook.en.md",
        "in heap {heap}",
        "there",
        "nim/rulebook.en.md:18: why of nim.heap: heap is not used both here and in rulebook.it.md",
    ),
    "a placeholder that cannot be read": (
        "nim/rulebook.en.md",
        "{p1} wants",
        "{p1 and so on and on} wants",
        "nim/rulebook.en.md:33: cannot read the placeholder {p1 and so on and on}",
    ),
    "a placeholder of a words file that cannot be read": (
        "nim/words.en.toml",
        "{heap}.",
        "{heap of many many}.",
        "nim/words.en.toml:5: deeds.take: cannot read the placeholder {heap of many many}",
    ),
    "a placeholder in a lead that nobody fills": (
        "nim/rulebook.en.md",
        "for two with",
        "for {seats} with",
        "nim/rulebook.en.md:3: lead: cannot say seats",
    ),
    "a placeholder in the lead of a section that nobody fills": (
        "nim/rulebook.en.md",
        "{left match} on the table",
        "{rest match} on the table",
        "nim/rulebook.en.md:7: taking: cannot say rest",
    ),
    "a placeholder in a title": (
        "nim/rulebook.en.md",
        "### One heap",
        "### {n} heaps",
        "nim/rulebook.en.md:16: a title is shown as it is: it cannot have placeholders",
    ),
    "no title": ("nim/rulebook.en.md", "# Nim\n", "\n", "nim/rulebook.en.md:1: no title (# ...)"),
    "no lead": (
        "nim/rulebook.en.md",
        "Nim is an old game for two with a few heaps of matches.\n",
        "",
        "nim/rulebook.en.md:1: no lead: say in a sentence or two what the game is, below the title",
    ),
    "a noun that has no such form": (
        "nim/words.pl.toml",
        '"acc.many"',
        '"acc.manny"',
        "nim/words.pl.toml:5: deeds.take: cannot say match/acc.many",
    ),
    "a block that is not closed": (
        "nim/rulebook.it.md",
        "perda.\n:::\n",
        "perda.\n",
        "nim/rulebook.it.md:43: rule nim.misere is not closed",
    ),
    "an unknown kind of block": (
        "nim/rulebook.it.md",
        "::: example ends",
        "::: rumour ends",
        "nim/rulebook.it.md:48: unknown block rumour: there are rule, example, ruling, edition",
    ),
    "a rule without a title": (
        "nim/rulebook.it.md",
        "### A turno\n",
        "",
        "nim/rulebook.it.md:9: rule nim.turn has no title",
    ),
    "a rule without a text": (
        "nim/rulebook.it.md",
        "Chi prende l’ultimo fiammifero vince la partita.\n",
        "",
        "nim/rulebook.it.md:38: rule nim.last has no text",
    ),
    "a scenario whose verdict differs": (
        "nim/scenarios/turns.toml",
        'rule = "nim.heap"',
        'rule = "nim.count"',
        "nim/scenarios/turns.toml:10: empty: p2 take 1 1 is refused by nim.heap, not by nim.count",
    ),
    "a scenario move that is illegal": (
        "nim/scenarios/turns.toml",
        'play = ["p1 take 1 3"]',
        'play = ["p1 take 1 4"]',
        "nim/scenarios/turns.toml:4: all: p1 take 1 4 is refused by nim.count",
    ),
    "a scenario move that means nothing": (
        "nim/scenarios/turns.toml",
        'play = ["p1 take 1 3"]',
        'play = ["p1 flies"]',
        "nim/scenarios/turns.toml:4: all: move {'value': 'p1 flies'}",
    ),
    "a fact that is not so": (
        "nim/scenarios/turns.toml",
        "left = 9",
        "left = 8",
        "nim/scenarios/turns.toml:4: all: left is 9, not 8",
    ),
    "a misspelt fact that would be 0": (
        "nim/scenarios/ends.toml",
        "left = 0",
        "lest = 0",
        "nim/scenarios/ends.toml:5: last: no position of this scenario has a fact lest",
    ),
    "a misspelt goal that would be 0": (
        "nim/scenarios/turns.toml",
        '"heap.1" = 0',
        '"heap.one" = 0',
        "nim/scenarios/turns.toml:4: all: no position of this scenario has a fact heap.one",
    ),
    "a goal that is not a number": (
        "nim/scenarios/turns.toml",
        '"heap.1" = 0',
        '"heap.1" = ">=many"',
        "nim/scenarios/turns.toml:4: all: a goal is a value, or >= and a whole number",
    ),
    "a seat that is not there": (
        "nim/scenarios/turns.toml",
        'play = ["p1 take 1 3"]',
        'play = ["p1 take 1 3"]\nseat = 3',
        "nim/scenarios/turns.toml:4: all: there is no seat 3",
    ),
    "two steps of one id": (
        "nim/scenarios/turns.toml",
        'id = "many"',
        'id = "empty"',
        "nim/scenarios/turns.toml:10: empty: needs an id of its own (a-z, 0-9, hyphens; not `start`)",
    ),
    "a start that is impossible": (
        "nim/scenarios/ends.toml",
        "heaps=0,0,1",
        "heaps=0,0,9",
        "nim/scenarios/ends.toml:2: start: position.heaps {'value': 'heaps=0,0,9'}",
    ),
    "a set-up that is impossible": (
        "nim/scenarios/turns.toml",
        "players = ",
        "setup = { hats = 1 }\nplayers = ",
        "nim/scenarios/turns.toml:1: setup: option {'option': 'hats'}",
    ),
    "an unknown key in a scenario": (
        "nim/scenarios/turns.toml",
        "players = ",
        "hats = 1\nplayers = ",
        "nim/scenarios/turns.toml:1: unknown key hats",
    ),
    "an unknown key in a step": (
        "nim/scenarios/turns.toml",
        'refuse = "p2 take 2 5"',
        'refuses = "p2 take 2 5"',
        "nim/scenarios/turns.toml:16: unknown key step.2.refuses",
    ),
    "a value of the wrong kind": (
        "nim/rules.toml",
        "detail = true",
        'detail = "yes"',
        "nim/rules.toml:6: rules.nim.misere.detail: Expected `bool`, got `str`",
    ),
    "a field that is missing": (
        "nim/game.toml",
        "age = 6\n",
        "",
        "nim/game.toml:1: age is missing",
    ),
    "TOML that cannot be read": (
        "nim/rules.toml",
        '"nim.last" = {',
        '"nim.last" = ',
        "nim/rules.toml:5: is not TOML: Invalid value (at line 5, column 15)",
    ),
    "a rule that no step shows": (
        "nim/scenarios/ends.toml",
        'shows = ["nim.misere"]\n',
        "",
        "nim/rules.toml:6: no scenario step shows nim.misere",
    ),
    "a rule that no step is refused by": (
        "nim/scenarios/turns.toml",
        'refuse = "p2 take 2 5"\nrule = "nim.count"',
        'play = ["p2 take 2 4"]',
        "nim/rules.toml:4: no scenario step is refused by nim.count",
    ),
    "an option that no scenario uses": (
        "nim/scenarios/ends.toml",
        'start = "misere active=p1 heaps=0,0,1"\n',
        'after = "start"\n',
        "nim/scenarios:1: no scenario is played with another value of the option misere",
    ),
    "other numbers of players than the engine's": (
        "nim/game.toml",
        "players = [2, 2]",
        "players = [2, 4]",
        "nim/game.toml:1: players: the engine is for 2 to 2 players",
    ),
    "a statement that no rule covers": (
        "nim/game.toml",
        "minutes = 5",
        "minutes = 5\nstatements = 1",
        "nim/game.toml:4: no rule covers statement 1",
    ),
    "a phrase of ours that is not there": (
        "nim/game.toml",
        "minutes = 5",
        'minutes = 5\nours = ["ours-heaps"]',
        "nim/game.toml:4: ours: there is no phrase ours-heaps",
    ),
    "a data file that the engine refuses": (
        "nim/heaps.txt",
        "3 4 5",
        "3 4 many",
        "nim/heaps.txt:1: the engine: heaps {'heaps': ('3', '4', 'many')}",
    ),
    "a data file that nobody listed": (
        "nim/game.toml",
        'data = ["heaps.txt"]',
        "data = []",
        "nim/game.toml:4: the engine cannot read its data files: KeyError: 'heaps.txt'",
    ),
    "a data file that is not there": (
        "nim/game.toml",
        'data = ["heaps.txt"]',
        'data = ["heaps.txt", "cards.toml"]',
        "nim/cards.toml:1: there is no such file",
    ),
    "a Cyrillic letter": (
        "nim/rulebook.pl.md",
        "stos",
        "st\u043es",
        "nim/rulebook.pl.md:3: letters of a foreign script: \u043e",
    ),
    "a player without a name": (
        "words.es.toml",
        "tim = ",
        "tom = ",
        "words.es.toml:37: players.tim is missing: turns.toml needs it",
    ),
    "a nameless player without a word": (
        "words.pl.toml",
        "player = { nom",
        "players = { nom",
        "words.pl.toml:37: players.player is missing: every page needs it",
    ),
    "a deed that nobody wrote": (
        "nim/words.es.toml",
        "take =",
        "takes =",
        "nim/words.es.toml:4: deeds.take: is missing",
    ),
    "a deed that never happens": (
        "nim/words.es.toml",
        "take =",
        "takes =",
        "nim/words.es.toml:5: deeds.takes: the engine never says this",
    ),
    "an error that nobody wrote": (
        "words.es.toml",
        "option = ",
        "options = ",
        "nim/words.es.toml:7: errors.option: is missing",
    ),
    "an error with a value that nobody fills": (
        "nim/words.it.toml",
        "«{value}»",
        "«{position}»",
        "nim/words.it.toml:8: errors.position.heaps: nobody fills position",
    ),
    "a phrase that one language lacks": (
        "words.es.toml",
        "score =",
        "scores =",
        "nim/words.es.toml:10: phrases.score: is missing: en has it",
    ),
    "a word that one language lacks": (
        "nim/words.pl.toml",
        "[deeds]",
        '[ids]\nheap = "stos"\n\n[deeds]',
        "nim/words.en.toml:1: ids.heap: is missing: pl has it",
    ),
    "a sentence that was not translated": (
        "nim/rulebook.es.md",
        "Se juega por turnos, y siempre hay que coger algo.",
        "You take turns, and you must take something.",
        (
            "nim/rulebook.es.md:11: not translated into es, the same in en:"
            " You take turns, and you must take something."
        ),
    ),
    "a string that is not translated": (
        "translations/es/LC_MESSAGES/messages.po",
        NEXT + 'msgstr "Siguiente"',
        NEXT + 'msgstr ""',
        "not translated: Next",
    ),
    "a string that lost its placeholder": (
        "translations/it/LC_MESSAGES/messages.po",
        'msgstr "Regola: %(title)s"',
        'msgstr "Regola: %(titolo)s"',
        "other placeholders: Rule: %(title)s",
    ),
    "a string that one catalog lacks": (
        "translations/pl/LC_MESSAGES/messages.po",
        NEXT,
        'msgid "Nextt"\n',
        "translations/pl/LC_MESSAGES/messages.po:1: not there: Next",
    ),
    "a string that no template has": (
        "translations/pl/LC_MESSAGES/messages.po",
        NEXT,
        'msgid "Nextt"\n',
        "no template says: Nextt",
    ),
    "a catalog that cannot be read": (
        "translations/pl/LC_MESSAGES/messages.po",
        NEXT,
        "nonsense\n" + NEXT,
        "is not a catalog",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.patient
def test_a_fault_is_found_and_located(fault: str, folder: Path) -> None:
    name, old, new, message = FAULTS[fault]
    replace(folder / name if name.startswith("translations") else folder / "content" / name, old, new)
    found = found_in(folder)
    if not name.startswith("translations"):
        assert message in found
    else:
        # The lines of a catalog change with every string, so only the file and the words are compared.
        assert any(line.startswith(f"{name}:") and message in line for line in found), found


def test_a_key_of_a_catalog_is_located(folder: Path) -> None:
    path = folder / "translations" / "es" / "LC_MESSAGES" / "messages.po"
    line = path.read_text("utf-8").splitlines().index(NEXT.strip()) + 1
    replace(path, NEXT + 'msgstr "Siguiente"', NEXT + 'msgstr ""')
    assert f"translations/es/LC_MESSAGES/messages.po:{line}: not translated: Next" in found_in(folder)


def kinds_of_file(folder: Path) -> list[Path]:
    """Every file of the folder, of those that each language has only one."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".mo"]
    others = [lang for lang in LANGUAGES if lang != "pl"]
    return [path for path in files if not any(f".{o}." in path.name or o in path.parts for o in others)]


def remove(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def garble(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:20] + b"\n\xff\xfe" + path.read_bytes()[20:])


def turn_into_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("damage", [remove, empty, garble, turn_into_a_folder])
@pytest.mark.patient
def test_a_file_that_is_lost_or_damaged_is_named(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, damage: Callable[[Path], None]
) -> None:
    for path in kinds_of_file(folder):
        copy = Path(shutil.copytree(folder, tmp_path_factory.mktemp("damaged") / "copy"))
        broken = copy / path.relative_to(folder)
        damage(broken)
        if broken.parent.name == "scenarios" and damage is remove:
            continue  # nobody knows that it was there, unless a rulebook tells it
        if broken.name == "terms.toml" and damage is empty:
            continue  # a game may do without
        name = str(path.relative_to(folder)).removeprefix("content/")
        assert any(line.startswith(f"{name}:") for line in found_in(copy)), path
        shutil.rmtree(copy)


def test_all_missing_files_of_a_game_are_listed_at_once(folder: Path) -> None:
    shutil.rmtree(folder / "content" / "nim")
    assert found_in(folder) == [
        "nim/game.toml:1: there is no such file",
        "nim/lesson.toml:1: there is no such file",
        *(f"nim/rulebook.{lang}.md:1: there is no such file" for lang in sorted(LANGUAGES)),
        "nim/rules.toml:1: there is no such file",
        "nim/scenarios:1: there is no scenario here (*.toml)",
        *(f"nim/words.{lang}.toml:1: there is no such file" for lang in sorted(LANGUAGES)),
    ]


def test_a_broken_file_does_not_hide_the_faults_of_the_others(folder: Path) -> None:
    (folder / "content" / "nim" / "rulebook.it.md").unlink()
    replace(folder / "content" / "nim" / "rulebook.pl.md", "::: rule nim.last\n", "::: rule nim.lost\n")
    replace(folder / "content" / "nim" / "scenarios" / "turns.toml", "left = 9", "left = 8")
    found = found_in(folder)
    assert "nim/rulebook.it.md:1: there is no such file" in found
    assert "nim/rulebook.pl.md:38: rule nim.lost is not in rules.toml" in found
    assert "nim/scenarios/turns.toml:4: all: left is 9, not 8" in found


def test_every_fault_of_a_toml_file_is_listed(folder: Path) -> None:
    path = folder / "content" / "nim" / "rules.toml"
    path.write_text(path.read_text("utf-8").replace('basis = "printed"', 'basis = "heard"'), "utf-8")
    found = [line for line in found_in(folder) if "rules.toml" in line]
    assert len(found) == 5
    assert {line.split(":")[1] for line in found} == {"2", "3", "4", "5", "6"}


def test_a_file_that_nobody_reads_is_named(folder: Path) -> None:
    (folder / "content" / "nim" / "rulebook.de.md").write_text("# Nim", "utf-8")
    (folder / "content" / "whist").mkdir()
    assert found_in(folder) == [
        "nim/rulebook.de.md:1: nobody reads this: no language of ours, and not in game.toml's data",
        "whist:1: no game of this name is in GAMES: nim",
    ]


@pytest.mark.parametrize("name", ["nim/rulebook.{}.md", "nim/words.{}.toml", "words.{}.toml"])
def test_a_file_that_was_copied_and_not_translated_is_named(folder: Path, name: str) -> None:
    copy = folder / "content" / name.format("es")
    shutil.copy(folder / "content" / name.format("en"), copy)
    found = [line for line in found_in(folder) if "not translated" in line]
    assert found
    assert all(line.startswith(f"{name.format('es')}:") for line in found)


COPIES = {
    "the words of a term": (
        "terms.toml",
        'es = { word = "cerilla", begins = ["cerilla"], also = ["fósforo"] }',
        'es = { word = "match", begins = ["match ", "matches "], also = ["stick"] }',
        "terms.toml:16: not translated into es, the same in en: match: match, stick",
    ),
    "a long meaning of a term": (
        "terms.toml",
        'es = "Palillo de un montón."\nen = "A stick of a heap."',
        'es = "A little stick that lies in a heap."\nen = "A little stick that lies in a heap."',
        "terms.toml:22: not translated into es, the same in en: A little stick that lies in a heap.",
    ),
    "what is typed": (
        "nim/asked.toml",
        "es = 'quién gana, el último'",
        "es = 'who wins, the last'",
        "nim/asked.toml:4: not translated into es, the same in en: nim.last: who wins, the last",
    ),
    "a long phrase of what is typed": (
        "nim/asked.toml",
        "quién gana",
        "who gets to take the last one",
        "nim/asked.toml:4: not translated into es, the same in en: who gets to take the last one",
    ),
}


@pytest.mark.parametrize("copy", COPIES)
def test_a_copy_in_a_file_of_all_languages_is_named(folder: Path, copy: str) -> None:
    name, old, new, problem = COPIES[copy]
    phrase = "who gets to take the last one" if copy.startswith("a long phrase") else "who wins"
    (folder / "content" / "nim" / "asked.toml").write_text(
        f"""["nim.last"]
it = 'chi vince, ultimo fiammifero'
pl = 'kto wygrywa, ostatnia zapałka'
es = 'quién gana, el último'
en = '{phrase}, the last'
"""
    )
    assert found_in(folder) == []
    replace(folder / "content" / name, old, new)
    assert problem in found_in(folder)


def test_the_summary_counts_what_is_to_be_done_in_each_file(folder: Path) -> None:
    content = folder / "content"
    (content / "nim" / "rulebook.it.md").unlink()
    shutil.copy(content / "words.en.toml", content / "words.es.toml")
    replace(content / "terms.toml", "pl = {", "# pl = {")
    replace(content / "nim" / "words.pl.toml", "lesson-basics", "lesson-first")
    found = check(content, folder / "translations", games=nim.GAMES)
    (copied,) = [problem for problem in found if problem.count > 1]
    assert list(summary(found)) == [
        f"{content}/nim/rulebook.it.md: there is no such file",
        f"{content}/nim/words.en.toml: 1 missing",
        f"{content}/nim/words.es.toml: 1 missing",
        f"{content}/nim/words.pl.toml: 2 missing",
        f"{content}/terms.toml: 1 missing",
        f"{content}/words.es.toml: {copied.count} the same as in another language",
        "",
    ]
    assert list(summary(found[:1])) == []


def test_a_catalog_that_repeats_the_templates_is_not_translated(folder: Path) -> None:
    path = folder / "translations" / "it" / "LC_MESSAGES" / "messages.po"
    with path.open("rb") as file:
        catalog = read_po(file, locale="it")
    for message in catalog:
        if message.id and not message.pluralizable:
            message.string = message.id
    with path.open("wb") as file:
        write_po(file, catalog)
    (found,) = [line for line in found_in(folder) if "the same in en" in line]
    assert "texts are not translated" in found


def test_the_engine_of_another_game_is_not_taken(folder: Path) -> None:
    (folder / "content" / "nim").rename(folder / "content" / "whist")
    empty(folder / "content" / "terms.toml")
    found = check(folder / "content", folder / "translations", games={"whist": nim.Nim})
    assert [p.text for p in found] == ["the engine in GAMES has the id nim, not whist"]


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("board-3.txt", "#", "G", "the engine: white-spaces"),
        ("board-2.txt", "G", "x", "the engine: unknown-hex"),
        ("areas.toml", "high", "height", "the engine: shape"),
    ],
)
def test_the_one_data_file_that_is_wrong_is_named(
    tmp_path: Path, name: str, old: str, new: str, message: str
) -> None:
    shutil.copytree(CONTENT / "border", tmp_path / "border")
    for path in CONTENT.glob("*.toml"):
        shutil.copy(path, tmp_path)
    empty(tmp_path / "terms.toml")  # it has terms of the other games
    replace(tmp_path / "border" / name, old, new)
    (problem,) = load(tmp_path, {"border": GAMES["border"]}).problems
    assert problem.file == tmp_path / "border" / name
    assert problem.text.startswith(message)


class Silent(nim.Nim):
    """An engine that tells other programs nothing."""

    def describe(self) -> dict[str, Any]:
        return {}

    def facts(self, state: Any) -> dict[str, Value]:
        return {name: value for name, value in super().facts(state).items() if name != "winners"}


class Wrong(nim.Nim):
    def describe(self) -> dict[str, Any]:
        return {"notation": {"moves": ["p1 take  2 3", "p1 flies"], "position": {"example": "take"}}}


@pytest.mark.parametrize(
    ("engine", "messages"),
    [
        (
            Silent,
            [
                "describe() of the engine needs notation: moves, position with example",
                "facts() of the engine must always have winners, () at first",
            ],
        ),
        (
            Wrong,
            [
                "describe() shows p1 flies, which the engine takes for move {'value': 'p1 flies'}",
                "describe() shows p1 take  2 3, which the engine takes for p1 take 2 3",
                "describe() shows take, which the engine takes for position.missing {'name': 'active'}",
            ],
        ),
    ],
)
def test_what_an_engine_must_tell_is_asked_for(
    folder: Path, engine: type[nim.Nim], messages: list[str]
) -> None:
    found = check(folder / "content", folder / "translations", games={"nim": engine})
    assert [p.text for p in found if p.file.name == "game.toml"] == messages


# The pages


def test_a_page_that_fails_is_a_problem_with_its_address_and_cause(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: object, scene: object) -> None:
        raise KeyError("heap")

    monkeypatch.setattr("tutor.draw.plain.PlainDrawing.table", fail)
    (problem,) = proof.prove(folder / "content", nim.GAMES)
    assert (problem.file, problem.line) == (Path(__file__), fail.__code__.co_firstlineno + 1)
    assert re.match(r"/.* \(and \d+ more pages\): KeyError: 'heap' \(test_check.py:\d+\)", problem.text)


def test_one_language_is_tried_alone(folder: Path) -> None:
    app = create_app(folder / "rulebook.db", folder / "content", nim.GAMES)
    tried: set[str] = set()
    app.before_request(lambda: tried.add(request.path.split("/")[1]))
    assert list(proof.walk(app, ["nim"], ["pl"])) == []
    assert "pl" in tried
    assert not tried & {"it", "es", "en"}


@pytest.mark.patient
def test_every_screen_and_example_is_tried_in_every_language(folder: Path) -> None:
    app = create_app(folder / "rulebook.db", folder / "content", nim.GAMES)
    tried: list[str] = []
    queries: list[str] = []
    app.before_request(lambda: tried.append(request.path))
    app.before_request(lambda: queries.append(request.query_string.decode()))
    assert list(proof.walk(app, ["nim"])) == []
    for lang in LANGUAGES:
        assert {f"/{lang}/", f"/{lang}/nim/", f"/{lang}/nim/rules"} <= set(tried)
        for step in ("all", "empty", "many", "again"):
            assert f"/{lang}/nim/examples/turns/{step}" in tried
        for screen in ("goal", "take", "next-turn", "questions", "end", "other-way", "misere-end"):
            assert f"/{lang}/nim/learn/{screen}" in tried
    assert {"said=y", "said=n"} <= set(queries)


def test_a_game_for_just_two_says_so(folder: Path) -> None:
    client = create_app(folder / "rulebook.db", folder / "content", nim.GAMES).test_client()
    for lang, said in {
        "en": "2 players",
        "pl": "dla 2 graczy",
        "it": "2 giocatori",
        "es": "2 jugadores",
    }.items():
        assert f"<span>{said}</span>" in client.get(f"/{lang}/nim/").text


def test_a_phrase_that_the_drawing_needs_is_asked_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutor.draw.plain.PlainDrawing.phrases", ("score", "table"))
    library = load(folder / "content", nim.GAMES)
    found = [f"{p.file.name}:{p.line}: {p.text}" for p in phrases(library)]
    assert sorted(found) == [
        f"words.{lang}.toml:10: phrases.table is missing: the drawing says it" for lang in sorted(LANGUAGES)
    ]


def test_a_label_that_an_option_needs_is_asked_for(folder: Path) -> None:
    replace(folder / "content" / "nim" / "words.pl.toml", "option-misere", "option-reverse")
    (problem,) = phrases(load(folder / "content", nim.GAMES))
    assert problem.file.name == "words.pl.toml"
    assert problem.text == "phrases.option-misere is missing: the referee’s form says it"


# The engine


def of(engine: type[Game], folder: Path) -> list[tuple[str, str]]:
    """What the check says of Nim with another engine, with the names of files."""
    found = check(folder / "content", folder / "translations", games={"nim": engine})
    return [(p.file.name, p.text) for p in found]


def test_an_engine_without_a_method_is_told_which(folder: Path) -> None:
    class Unfinished(Game):
        id = "nim"

    engines: dict[str, Any] = {"nim": Unfinished}
    (problem, *_) = [p for p in load(folder / "content", engines).problems if "lacks" in p.text]
    assert problem.file == Path(__file__)
    assert "class Unfinished" in Path(__file__).read_text().splitlines()[problem.line - 1]
    assert "Unfinished lacks: begin, facts, format_move" in problem.text


def test_an_engine_that_fails_is_told_the_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise KeyError("move")

    monkeypatch.setattr("tests.nim.engine.tidy_move", fail)
    found = of(nim.Nim, folder)
    assert ("engine.py", "the engine fails: KeyError: 'move'") in found
    [in_scenario] = [text for name, text in found if name == "turns.toml"]
    assert re.fullmatch(r"the engine fails in this scenario: KeyError: 'move' \(engine.py:\d+\)", in_scenario)


def test_a_rule_that_is_cited_but_not_declared_is_a_problem(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nim.Nim, "rules", {k: v for k, v in nim.Nim.rules.items() if k != "nim.heap"})
    said = "the engine cites nim.heap, which its rules do not declare"
    assert ("engine.py", said) in of(nim.Nim, folder)


def test_a_typed_number_that_an_option_can_change_is_a_problem(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {**nim.Nim.options, "match": Whole(1, 5, 3)}
    monkeypatch.setattr(nim.Nim, "options", options)
    book = folder / "content" / "nim" / "rulebook.en.md"
    replace(book, "Take at least one match, or more", "Take at most three matches")
    said = "“three matches”: another match can be agreed on, so write {match}"
    assert [pair for pair in of(nim.Nim, folder) if "agreed on" in pair[1]] == [(book.name, said)]
    monkeypatch.setattr(nim.Nim, "options", options | {"match": Whole(3, 3, 3)})
    assert not [pair for pair in of(nim.Nim, folder) if "agreed on" in pair[1]]


def test_a_site_that_does_not_start_is_a_problem(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError("no shelf")

    monkeypatch.setattr(proof, "create_app", fail)
    (problem,) = proof.prove(folder / "content", nim.GAMES)
    assert problem.text.startswith("the site does not start: RuntimeError: no shelf")


# The command


@pytest.mark.slow
def test_the_command_lists_problems_as_json_and_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = Path(shutil.copytree(CONTENT, tmp_path / "content"))
    (content / "border" / "game.toml").unlink()
    assert main(["check", "--json", "--content", str(content)]) == 1
    assert json.loads(capsys.readouterr().out) == [
        {"file": str(content / "border" / "game.toml"), "line": 1, "problem": "there is no such file"}
    ]
    assert main(["check", "--content", str(content)]) == 1
    assert capsys.readouterr().err == "1 problem; no page was tried: mend these first\n"


@pytest.mark.patient
def test_the_quick_command_leaves_the_pages_out(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof, "prove", lambda *args: pytest.fail("the pages were tried"))
    assert main(["check", "--quick"]) == 0
    assert capsys.readouterr().err == "no problems\n"


def test_one_game_and_one_language_are_checked_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = Path(shutil.copytree(CONTENT, tmp_path / "content"))
    (content / "border" / "game.toml").unlink()
    assert main(["check", "--quick", "--game", "nim", "--content", str(content)]) == 0
    for lang in ("it", "pl"):
        (content / "nim" / f"words.{lang}.toml").unlink()
    assert main(["check", "--quick", "--game", "nim", "--lang", "es", "--content", str(content)]) == 0
    assert main(["check", "--quick", "--game", "nim", "--lang", "pl", "--content", str(content)]) == 1
    told = capsys.readouterr()
    assert "words.pl.toml:1: there is no such file" in told.out
    assert "words.it.toml" not in told.out


@pytest.mark.patient
def test_a_gap_in_a_file_of_all_languages_is_told_to_its_own_language_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = Path(shutil.copytree(CONTENT, tmp_path / "content"))
    terms = content / "terms.toml"
    text = terms.read_text("utf-8")
    terms.write_text(re.sub(r"(?m)^pl = .*\n", "", text, count=1), "utf-8")
    check = ["check", "--quick", "--content", str(content)]
    assert main([*check, "--lang", "pl"]) == 1
    assert "there is no word in pl" in capsys.readouterr().out
    assert main([*check, "--lang", "it"]) == 0


# Sentences with cases


GUARDS: dict[str, tuple[str, str, str, str]] = {
    "a guard that cannot be read": (
        "nim/rulebook.en.md",
        "why: There is nothing",
        "why heap is 2: Nothing.\nwhy: There is nothing",
        "nim/rulebook.en.md:18: cannot read the guard heap is 2",
    ),
    "a guard with a value that nobody fills": (
        "nim/rulebook.en.md",
        "why: There is nothing",
        "why matches<2: Nothing.\nwhy: There is nothing",
        "nim/rulebook.en.md:18: rule nim.heap: nobody fills matches in the guard matches<2",
    ),
    "a guard with an id that the value never is": (
        "nim/rulebook.en.md",
        "why: There is nothing",
        "why heap=attic: Nothing.\nwhy: There is nothing",
        "nim/rulebook.en.md:18: rule nim.heap: nobody fills attic in the guard heap=attic",
    ),
    "no why without a guard": (
        "nim/rulebook.en.md",
        "why: There is nothing",
        "why heap=1: There is nothing",
        "nim/rulebook.en.md:18: nim.heap: the last why has no guard",
    ),
    "a why after the one without a guard": (
        "nim/rulebook.en.md",
        "in heap {heap}.",
        "in heap {heap}.\nwhy heap=1: Nothing.",
        "nim/rulebook.en.md:19: nim.heap: the why without a guard is the last one",
    ),
    "a case that cannot be said": (
        "nim/rulebook.en.md",
        "why: There is nothing",
        "why heap=1: {heap stone}.\nwhy: There is nothing",
        "nim/rulebook.en.md:18: nim.heap: cannot say stone",
    ),
    "a deed only under a guard": (
        "nim/words.en.toml",
        'take = "',
        '"take count=1" = "',
        "nim/words.en.toml:5: deeds.take count=1: there is no take without a guard",
    ),
    "a deed under a guard with a value that nobody fills": (
        "nim/words.en.toml",
        'take = "',
        '"take size=1" = "So."\ntake = "',
        "nim/words.en.toml:6: deeds.take: nobody fills size",
    ),
}


@pytest.mark.parametrize("name", GUARDS)
def test_it_finds_faults_of_guards(folder: Path, name: str) -> None:
    file, old, new, problem = GUARDS[name]
    replace(folder / "content" / file, old, new)
    assert problem in found_in(folder)


# Technical rules, and what rulings rest on


def test_a_technical_rule_has_no_basis_title_or_text(folder: Path) -> None:
    rules = folder / "content" / "nim" / "rules.toml"
    replace(rules, '"nim.heap" = { ', '"nim.heap" = { technical = true, ')
    found = found_in(folder)
    assert [text for text in found if "nim.heap: is technical and has no basis" in text]
    for part in ("title", "text"):
        expected = f"nim/rulebook.en.md:15: rule nim.heap is technical: nobody sees its {part}"
        assert expected in found


def test_no_answer_is_called_printed_whose_rule_is_ours() -> None:
    rulings = {"nim.ruling.again": RulingFacts("nim.turn", "turns/again", basis="printed")}
    facts = RulesFile({"nim.turn": RuleFacts("ours")}, rulings)
    found = [problem.text for problem in check_rules(dataclasses.replace(nim.book(), facts=facts), {})]
    assert "nim.ruling.again: printed, although its rule is ours" in found


# What a reader stumbles over

STUMBLES: dict[str, tuple[str, str, str, str]] = {
    "a code": (
        "nim/rulebook.en.md",
        "{p2} wants more",
        "p2 wants more",
        "turns/many says the code p2",
    ),
    "a fraction": (
        "nim/rulebook.it.md",
        "{p2} vorrebbe prendere più",
        "1/2: {p2} vorrebbe prendere più",
        "has a fraction like 1/2: write ½, or a division another way",
    ),
    "e before the sound e": (
        "nim/rulebook.it.md",
        "{p2} vorrebbe prendere più",
        "Anna e Emma. {p2} vorrebbe prendere più",
        "says e, not ed, before the sound e",
    ),
    "a capital after a colon": (
        "nim/rulebook.it.md",
        "{p2} vorrebbe prendere più",
        "Ecco: Qui {p2} vorrebbe prendere più",
        "goes on with a capital after a colon: Qui",
    ),
    "no things counted": (
        "nim/rulebook.en.md",
        "and {left match} {left?is|are} left.",
        "and {heap.1 match} are left.",
        "turns/all! counts 0 matches",
    ),
}


@pytest.mark.parametrize("name", STUMBLES)
def test_it_finds_what_a_reader_stumbles_over(folder: Path, name: str) -> None:
    file, old, new, problem = STUMBLES[name]
    replace(folder / "content" / file, old, new)
    assert [text for text in found_in(folder) if problem in text]
