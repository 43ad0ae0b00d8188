"""A fifth language for the small game, added as docs/adding.md says: a line in LANGUAGE_TABLE and its files.

All of it is made in a folder of its own, beside a copy of the program. The language is Esperanto by its code
(nobody plays in it here, and the CLDR knows it) and English with other vowels by its words.
"""

import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from tests import ROOT, nim
from tutor.paths import TEMPLATES, TRANSLATIONS

CODE = "eo"
LINE = f'        Language("{CODE}", "{CODE}", "hunspell-{CODE}"),\n'
FROM = "en"
VOWELS = str.maketrans("aeiouAEIOU", "eiouaEIOUA")
KEPT = re.compile(r"\{[^{}]*\}|%\(\w+\)s|</?\w[^>]*>|&\w+;|\bNim\b")
"""What is the same in every language: placeholders, tags, names."""
LEADS = re.compile(r"(:::.*|#+ (?=\S)|why[^:]*: |- [\w!?-]+: |\s*)")
"""What begins a line of a rulebook and is no text."""


def translated(text: str) -> str:
    parts = KEPT.split(text)
    kept = [*KEPT.findall(text), ""]
    return "".join(part.translate(VOWELS) + same for part, same in zip(parts, kept, strict=True))


def rulebook(text: str) -> str:
    lines = (LEADS.match(line) for line in text.splitlines(keepends=True))
    return "".join(lead[0] + translated(lead.string[lead.end() :]) for lead in lines if lead)


def quoted(text: str) -> str:
    """With all its strings translated, but for keys and what is chosen from a few."""
    kept_or_said = r'((?:adjective|gender) = "[^"]*"|"[^"]*" =)|"([^"]*)"'
    return re.sub(kept_or_said, lambda m: m[1] or f'"{translated(m[2])}"', text)


def words(text: str) -> str:
    """Players keep their names."""
    parts = re.split(r"(?ms)(^\[players\]$.*?(?=^\[))", text)
    return "".join(part if part.startswith("[players]") else quoted(part) for part in parts)


def terms(text: str) -> str:
    """With a line for the new language behind each of the old one."""
    return re.sub(rf"(?m)^{FROM}( = .*\n)", lambda m: m[0] + CODE + quoted(m[1]), text)


def catalog(folder: Path) -> None:
    """The interface, by the strings of the templates."""
    other = read_po(io.BytesIO((TRANSLATIONS / "it" / "LC_MESSAGES" / "messages.po").read_bytes()))
    made = Catalog(locale=CODE)
    for message in other:
        if message.id:
            ids = message.id
            made.add(ids, translated(ids) if isinstance(ids, str) else tuple(map(translated, ids)))
    folder.mkdir(parents=True)
    for name, write in (("messages.po", write_po), ("messages.mo", write_mo)):
        with (folder / name).open("wb") as file:
            write(file, made)


def add_files(folder: Path) -> None:
    """The files of the language, and its lines in the glossary."""
    content = folder / "content"
    for path, change in (
        (content / f"words.{FROM}.toml", words),
        (content / "nim" / f"words.{FROM}.toml", words),
        (content / "nim" / f"rulebook.{FROM}.md", rulebook),
    ):
        path.with_name(path.name.replace(FROM, CODE)).write_text(change(path.read_text("utf-8")), "utf-8")
    glossary = content / "terms.toml"
    glossary.write_text(terms(glossary.read_text("utf-8")), "utf-8")
    catalog(folder / "translations" / CODE / "LC_MESSAGES")


def house(folder: Path) -> Path:
    """A copy of the program over the small game, with the line of a fifth language but none of its files."""
    shutil.copytree(ROOT / "tutor", folder / "tutor", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "tests" / "nim", folder / "tests" / "nim")
    shutil.copy(ROOT / "tests" / "visit.py", folder / "tests")
    # Its content is its own, and no other game's.
    own = "from pathlib import Path\n\nROOT = Path(__file__).resolve().parent.parent\n"
    (folder / "tests" / "__init__.py").write_text(own, "utf-8")
    (folder / "templates").symlink_to(TEMPLATES)
    shutil.copytree(TRANSLATIONS, folder / "translations")
    nim.content(folder / "content")
    for path in (ROOT / "content").glob("language.*.toml"):
        shutil.copy(path, folder / "content")
    table = folder / "tutor" / "book" / "words.py"
    text = table.read_text("utf-8")
    lines = re.findall(r"        Language\(.*\n", text)
    table.write_text(text.replace(lines[-1], lines[-1] + LINE), "utf-8")
    return folder


def visit(folder: Path, *command: str) -> Any:
    """What `tests/visit.py` tells of a house."""
    surroundings = os.environ | {"PYTHONPATH": str(folder), "TUTOR_WARM": "0"}
    command = (sys.executable, "-m", "tests.visit", *command)
    done = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
