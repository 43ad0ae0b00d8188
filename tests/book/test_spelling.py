"""Every word of the content and interface is spelled right in its language, by hunspell."""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po

from tutor.book.words import LANGUAGE_TABLE, LANGUAGES
from tutor.paths import CONTENT, TRANSLATIONS

GRAMMAR = ("adjective", "gender")
OWN = Path(__file__).parent / "spelling"

pytestmark = pytest.mark.skipif(
    not shutil.which("hunspell") and not os.environ.get("CI"),
    reason=f"no hunspell: apt-get install hunspell {' '.join(o.package for o in LANGUAGE_TABLE.values())}",
)


def texts(lang: str) -> str:
    """All that a reader of one language can read. Words of other languages are in quotes: left out."""
    found: list[str] = []
    for path in sorted(CONTENT.rglob(f"rulebook.{lang}.md")):
        for line in path.read_text("utf-8").splitlines():
            if not line.startswith(":::"):
                found.append(re.sub(r"^why( [^:]+)?: |^- [a-z0-9!?-]+: |\{#.*?\}", "", line))
    for path in sorted(CONTENT.rglob(f"words.{lang}.toml")):
        found += strings(tomllib.loads(path.read_text("utf-8")))
    for path in sorted(CONTENT.rglob("asked.toml")):
        found += [typed[lang] for typed in tomllib.loads(path.read_text("utf-8")).values()]
    for term in tomllib.loads((CONTENT / "terms.toml").read_text("utf-8")).values():
        own = term["words"][lang]
        found += [own["word"], *own.get("also", ()), *own.get("box", {}).values()]
        found += [means[lang] for means in term.get("means", {}).values()]
    catalog = TRANSLATIONS / lang / "LC_MESSAGES" / "messages.po"
    if catalog.exists():
        with catalog.open("rb") as file:
            for message in read_po(file):
                said = message.string if message.id else ""
                found += said if isinstance(said, tuple | list) else [said or ""]
    text = "\n".join(found)
    text = re.sub(r"\{[^{}?]*\?([^{}]*)\}", lambda m: m[1].replace("|", " "), text)
    text = re.sub(r"\{[^{}]*\}|%\(\w+\)s", " ", text)
    text = re.sub(r"[«„“][^«„“»”]*[»”]", " ", text).replace("**", "")
    # hunspell takes an elided article (dell’area) for a word of its own
    return re.sub(r"\b\w{1,5}’", "", text) if lang == "it" else text.replace("’", "'")


def strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for key, each in value.items() if key not in GRAMMAR for text in strings(each)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.patient
def test_every_word_is_spelled_right(lang: str) -> None:
    personal = OWN / f"{lang}.txt"
    done = subprocess.run(
        ["hunspell", "-l", "-i", "utf-8", "-d", LANGUAGE_TABLE[lang].dictionary],
        input=texts(lang),
        capture_output=True,
        text=True,
        check=True,
    )
    own = set(personal.read_text("utf-8").split())
    unknown = sorted({word.strip("'") for word in done.stdout.split()} - own)
    assert not unknown, f"misspelled, or to be added to {personal.name}: {unknown}"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_own_words_are_needed_and_sorted(lang: str) -> None:
    own = (OWN / f"{lang}.txt").read_text("utf-8").split()
    assert own == sorted(set(own))
    text = texts(lang)
    assert [word for word in own if word not in text] == []
