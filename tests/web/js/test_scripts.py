"""The scripts: their linter finds nothing, and would; their rules hold without a page."""

import subprocess
from pathlib import Path

import pytest

from tests.web.js import NODE, SCRIPTS
from tests.web.js.lint import lint, problems

pytestmark = pytest.mark.patient

TESTS = sorted(Path(__file__).parent.glob("*.test.js"))


def test_the_rules_of_the_scripts() -> None:
    done = subprocess.run([NODE, "--test", *TESTS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_the_linter_finds_nothing(script: Path) -> None:
    assert not lint(script)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("const a = 1;\nb(a);", "b is not declared"),
        ("const a = `${b}`; a;", "b is not declared"),
        ("const a = 1;", "a is not used"),
        ("const f = (one, two) => one; f();", "two is not used"),
        ("const { a, b: c } = window; a();", "c is not used"),
        ("var a = 1; a();", "var is not used here"),
        ("const a = 1; if (a == 2) a();", "== is not used here"),
        ("const a = 1; \na();", "a space at the end, or a tab"),
        (f"// {'x' * 110}", "113 characters, which is more than 110"),
    ],
)
def test_the_linter_finds_what_is_wrong(source: str, told: str) -> None:
    assert [text for _, text in problems(source)] == [told]


@pytest.mark.parametrize(
    "source",
    [
        "// nobody\n/* knows */ const a = /[/`]nobody/g; a.knows({ these: 1, names: 'at all' });",
        "let a, b; [a, b] = [`${`${b}`} nobody`, 1];",
        "class A { #own = 1; get it() { return this.#own; } act(one) { return one; } }\nnew A();",
        "try { fetch(1 / 2); } catch (error) { location.assign(error ? error : 1 / 2); }",
        "const f = async ({ a, b = 1 }, [, c], ...d) => a + b + c + d; f();",
    ],
)
def test_the_linter_leaves_in_peace_what_is_right(source: str) -> None:
    assert not list(problems(source))


def test_the_linter_tells_what_cannot_be_read(tmp_path: Path) -> None:
    broken = tmp_path / "broken.js"
    broken.write_text("const a = ;")
    [told] = lint(broken)
    assert "SyntaxError" in told
