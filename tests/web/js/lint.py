"""A linter for our scripts, `python -m tests.web.js.lint`: small, since nothing is to be downloaded for it.

V8 says whether it can read them. What it only finds out when a line is run is looked for in their tokens:
names that nobody has declared, or that nobody uses. There is one scope a file, so a name that is declared
anywhere counts as declared everywhere; it takes a second one to hide a mistake.
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests import ROOT
from tests.web.js import NODE, SCRIPTS

LONGEST = 110
KEYWORDS = {
    "async", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete",
    "do", "else", "extends", "false", "finally", "for", "function", "get", "if", "in", "instanceof", "let",
    "new", "null", "of", "return", "set", "static", "super", "switch", "this", "throw", "true", "try",
    "typeof", "undefined", "var", "void", "while", "yield",
}  # fmt: skip
GLOBALS = {
    "AbortSignal", "Array", "Boolean", "BroadcastChannel", "CSS", "DOMParser", "Date", "Error", "EventSource",
    "FormData", "HTMLElement", "Highlight", "Infinity", "Intl", "JSON", "KeyboardEvent", "Map", "Math",
    "MouseEvent", "NodeFilter", "Number", "Object", "Promise", "Range", "Set", "String", "URL",
    "URLSearchParams", "addEventListener", "clearInterval", "clearTimeout", "decodeURIComponent", "document",
    "encodeURIComponent", "fetch", "globalThis", "history", "htmx", "innerHeight", "innerWidth", "location",
    "matchMedia", "navigator", "pending", "requestAnimationFrame", "require", "scrollTo", "scrollY",
    "sessionStorage", "setInterval", "setTimeout", "window",
}  # fmt: skip
BANNED = {"var", "debugger", "alert", "eval", "console", "==", "!="}
TOKEN = re.compile(
    r"(?P<skip>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<text>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|(?P<name>\#?[A-Za-z_$][\w$]*)|(?P<number>\d[\w.]*|\.\d\w*)"
    r"|(?P<sign>=>|\?\.(?!\d)|\.\.\.|[=!]==?|[-+*/%&|^<>?]{1,3}=?|[^\s\w])",
    re.DOTALL,
)
REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*")
CLOSED = {"(": ")", "[": "]", "{": "}"}


class Token(NamedTuple):
    kind: str
    text: str
    line: int


def tokens(source: str, line: int = 1) -> Iterator[Token]:
    """What a script consists of, without comments. Of a template only what is filled in is told."""
    at, last = 0, Token("sign", "(", 0)
    while at < len(source):
        begins_value = (last.kind == "sign" and last.text not in ")]}") or last.text in ("return", "typeof")
        if source[at] == "`":
            end = _template_end(source, at)
            for inside, where in _filled(source, at + 1, end - 1):
                yield from tokens(inside, line + source.count("\n", at, where))
            found, kind = source[at:end], "text"
        elif begins_value and (match := REGEX.match(source, at)) and source[at + 1] not in "/*":
            found, kind = match[0], "text"
        else:
            match = TOKEN.match(source, at)
            assert match, source[at : at + 40]
            found, kind = match[0], match.lastgroup or ""
        if kind != "skip":
            last = Token(kind, found, line)
            yield last
        line += found.count("\n")
        at += len(found)


def _template_end(source: str, at: int) -> int:
    """Behind the template that begins there."""
    at += 1
    while source[at] != "`":
        if source.startswith("${", at):
            at = _hole_end(source, at)
        else:
            at += 2 if source[at] == "\\" else 1
    return at + 1


def _hole_end(source: str, at: int) -> int:
    depth, at = 1, at + 2
    while depth:
        if source[at] == "`":
            at = _template_end(source, at)
            continue
        depth += {"{": 1, "}": -1}.get(source[at], 0)
        at += 1
    return at


def _filled(source: str, at: int, end: int) -> Iterator[tuple[str, int]]:
    while at < end:
        if source.startswith("${", at):
            after = _hole_end(source, at)
            yield source[at + 2 : after - 1], at
            at = after
        else:
            at += 2 if source[at] == "\\" else 1


def names(found: list[Token]) -> tuple[dict[str, int], Counter[str], set[str]]:
    """Every name with its first line, how often it stands there, and which ones are declared."""
    lines: dict[str, int] = {}
    count: Counter[str] = Counter()
    declared: set[str] = set()
    closing = _pairs(found)
    opening = {end: start for start, end in closing.items()}
    for i, one in enumerate(found):
        before = found[i - 1].text if i else ""
        after = found[i + 1].text if i + 1 < len(found) else ""
        if one.text == "=>" and found[i - 1].text == ")":
            declared |= _inside(found, opening[i - 1], i - 1)
        if one.kind != "name" or one.text in KEYWORDS or one.text.startswith("#") or before in (".", "?."):
            continue
        if after == ":" and before in "{,":
            continue  # the key of an object
        if after == "(" and found[min(closing[i + 1] + 1, len(found) - 1)].text == "{" and before != "new":
            declared |= _inside(found, i + 1, closing[i + 1])
            if before != "function":
                continue  # a method
        if after == "=>" or before in ("const", "let", "var", "class", "function", "async"):
            declared.add(one.text)
        lines.setdefault(one.text, one.line)
        count[one.text] += 1
    for i, one in enumerate(found[:-1]):
        starts = one.text in ("const", "let") or (one.text == "catch" and found[i + 1].text == "(")
        if starts and i + 1 in closing:
            declared |= _inside(found, i + 1, closing[i + 1])
        if one.text == "let":  # let a, b;
            rest = found[i + 1 : next(j for j in range(i, len(found)) if found[j].text in (";", "of", "="))]
            declared |= {other.text for other in rest if other.kind == "name"}
    return lines, count, declared


def _pairs(found: list[Token]) -> dict[int, int]:
    """Where what is opened is closed."""
    open_now: list[int] = []
    pairs: dict[int, int] = {}
    for i, one in enumerate(found):
        if one.kind == "sign" and one.text in CLOSED:
            open_now.append(i)
        elif one.kind == "sign" and one.text in CLOSED.values():
            pairs[open_now.pop()] = i
    return pairs


def _inside(found: list[Token], start: int, end: int) -> set[str]:
    """The names of a pattern."""
    inside = range(start + 1, end)
    return {found[i].text for i in inside if found[i].kind == "name" and found[i + 1].text != ":"}


def problems(source: str) -> Iterator[tuple[int, str]]:
    for number, text in enumerate(source.splitlines(), 1):
        if len(text) > LONGEST:
            yield number, f"{len(text)} characters, which is more than {LONGEST}"
        if text != text.rstrip() or "\t" in text:
            yield number, "a space at the end, or a tab"
    found = list(tokens(source))
    for one in found:
        if one.kind != "text" and one.text in BANNED:
            yield one.line, f"{one.text} is not used here"
    lines, count, declared = names(found)
    for name, line in lines.items():
        if name not in declared | GLOBALS:
            yield line, f"{name} is not declared"
        elif count[name] == 1 and name not in GLOBALS:
            yield line, f"{name} is not used"


def lint(path: Path) -> list[str]:
    read = subprocess.run([NODE, "--check", path], capture_output=True, text=True, check=False)
    if read.returncode:
        return [f"{path}: {read.stderr.strip()}"]
    where = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    return [f"{where}:{line}: {text}" for line, text in sorted(problems(path.read_text()))]


if __name__ == "__main__":
    told = [line for path in SCRIPTS for line in lint(path)]
    print("\n".join(told) if told else f"{len(SCRIPTS)} scripts: no problems")
    sys.exit(bool(told))
