"""`tutor check` finds each kind of fault, with its file and line. Each test breaks a copy of the content."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tutor.book.check import check
from tutor.cli import main
from tutor.paths import CONTENT, TRANSLATIONS


def test_the_content_has_no_problem() -> None:
    assert check(CONTENT, TRANSLATIONS) == []


@pytest.fixture
def broken(tmp_path: Path) -> Callable[[str, str, str], list[str]]:
    """Replaces a text in one content file and returns what the check says, as `file:line: problem`."""

    def replace(name: str, old: str, new: str) -> list[str]:
        content = tmp_path / "content"
        shutil.copytree(CONTENT, content)
        translations = tmp_path / "translations"
        shutil.copytree(TRANSLATIONS, translations)
        path = tmp_path / name
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")
        found = check(content, translations)
        return [f"{p.file.relative_to(tmp_path)}:{p.line}: {p.text}" for p in found]

    return replace


FAULTS = {
    "a rule is missing in one language": (
        "content/border/rulebook.pl.md",
        "::: rule border.first.open\n",
        "::: rule border.first.opened\n",
        "rule border.first.open is missing",
    ),
    "sections in another order": (
        "content/border/rulebook.es.md",
        "{#scoring}",
        "{#points}",
        "section points stands where",
    ),
    "an example line that no step has": (
        "content/border/rulebook.it.md",
        "- third:",
        "- thirdly:",
        "there is no step thirdly",
    ),
    "a task without its result": (
        "content/border/rulebook.en.md",
        "- villa!:",
        "- almost!:",
        "needs a line villa!",
    ),
    "a why that is missing": (
        "content/border/rulebook.en.md",
        "\nwhy: ",
        "\nbecause: ",
        "can refuse a move but has no why",
    ),
    "a value that nobody fills": (
        "content/border/rulebook.en.md",
        "why: There {spaces?is no space|are no spaces} {spaces}",
        "why: There is no {castles}",
        "nobody fills castles",
    ),
    "a placeholder that cannot be read": (
        "content/border/rulebook.en.md",
        "{p1}",
        "{p1 and so on and on}",
        "cannot read the placeholder",
    ),
    "a noun that has no such form": (
        "content/border/words.pl.toml",
        '"acc.many" = "kości"',
        '"acc.manny" = "kości"',
        "cannot say",
    ),
    "a block that is not closed": (
        "content/border/rulebook.it.md",
        "\n:::\n\n::: rule border.score.complete",
        "\n\n::: rule border.score.complete",
        "is not closed",
    ),
    "an unknown kind of block": (
        "content/border/rulebook.it.md",
        "::: ruling ",
        "::: rumour ",
        "unknown block rumour",
    ),
    "a rule without a title": (
        "content/border/rulebook.it.md",
        "::: rule border.score.complete\n###",
        "::: rule border.score.complete\n",
        "has no title",
    ),
    "a scenario whose verdict differs": (
        "content/border/scenarios/sarah-grey.toml",
        'rule = "border.first.open"',
        'rule = "border.first.extend"',
        "is refused by border.first.open, not by border.first.extend",
    ),
    "a scenario move that is illegal": (
        "content/border/scenarios/sarah-grey.toml",
        'play = ["p1 cross G1 G2 H1"]',
        'play = ["p1 cross G1 G2"]',
        "is refused by border.first.open",
    ),
    "a fact that is not so": (
        "content/border/scenarios/linus-33.toml",
        '"score.p3" = 33',
        '"score.p3" = 34',
        "score.p3 is 33, not 34",
    ),
    "a start that is impossible": (
        "content/border/scenarios/tim-villa.toml",
        "dice=BOBNR",
        "dice=BOBN",
        "start: position.dice",
    ),
    "an unknown key in a scenario": (
        "content/border/scenarios/tim-villa.toml",
        "short = ",
        "shorts = ",
        "unknown field `shorts`",
    ),
    "TOML that cannot be read": (
        "content/border/rules.toml",
        "[rules",
        "[[rules",
        "rules.toml:",
    ),
    "a ruling whose proof is not there": (
        "content/border/rules.toml",
        'proof = "',
        'proof = "no-such-scenario/',
        "there is no step no-such-scenario",
    ),
    "a statement that no rule covers": (
        "content/border/game.toml",
        "statements = 80",
        "statements = 81",
        "no rule covers statement 81",
    ),
    "a map that breaks the rules of maps": (
        "content/border/board-3.txt",
        "#",
        "G",
        "white-spaces",
    ),
    "a Cyrillic letter": (
        "content/border/rulebook.pl.md",
        "plansz",
        "plans\u0437",
        "letters of a foreign script: \u0437",
    ),
    "a string that is not translated": (
        "translations/es/LC_MESSAGES/messages.po",
        'msgstr "Siguiente"',
        'msgstr ""',
        "not translated: Next",
    ),
    "a string that lost its placeholder": (
        "translations/it/LC_MESSAGES/messages.po",
        'msgstr "Regola: %(title)s"',
        'msgstr "Regola: %(titolo)s"',
        "placeholders",
    ),
    "a string that one catalog lacks": (
        "translations/pl/LC_MESSAGES/messages.po",
        'msgid "Next"',
        'msgid "Nextt"',
        "not there: Next",
    ),
    "a phrase that one language lacks": (
        "content/border/words.es.toml",
        "do-roll =",
        "do-rolls =",
        "phrases.do-roll",
    ),
    "a word that one language lacks": (
        "content/border/words.pl.toml",
        "\nfox =",
        "\nfoxx =",
        "ids.fox does not stand in all languages",
    ),
    "a deed that nobody wrote": (
        "content/border/words.es.toml",
        "done-first =",
        "done-firstly =",
        "deeds.done-first is missing",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_and_located(fault: str, broken: Callable[[str, str, str], list[str]]) -> None:
    name, old, new, message = FAULTS[fault]
    found = broken(name, old, new)
    assert any(message in line for line in found), found
    assert all(":" in line for line in found)


def test_a_rule_that_no_step_shows_is_found(tmp_path: Path) -> None:
    content = Path(shutil.copytree(CONTENT, tmp_path / "content"))
    for path in (content / "border" / "scenarios").glob("*.toml"):
        path.write_text(path.read_text("utf-8").replace("border.roll.again", "border.roll.keep"), "utf-8")
    found = [p.text for p in check(content, TRANSLATIONS)]
    assert "no scenario step shows border.roll.again" in found


def test_a_problem_carries_the_line_of_its_block(broken: Callable[[str, str, str], list[str]]) -> None:
    found = broken("content/border/rulebook.en.md", "::: rule border.roll.three", "::: rule border.roll.tree")
    path = CONTENT / "border" / "rulebook.en.md"
    line = path.read_text("utf-8").splitlines().index("::: rule border.roll.three") + 1
    assert f"content/border/rulebook.en.md:{line}: rule border.roll.tree is not in rules.toml" in found


def test_the_command_lists_problems_as_json_and_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = Path(shutil.copytree(CONTENT, tmp_path / "content"))
    (content / "border" / "game.toml").unlink()
    assert main(["check", "--json", "--content", str(content)]) == 1
    problems = json.loads(capsys.readouterr().out)
    assert problems[0]["file"].endswith("game.toml")
    assert problems[0]["line"] == 1
    assert main(["check"]) == 0
