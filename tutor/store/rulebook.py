"""rulebook.db: the compiled reference. Built whole by sqlite-utils, replaced in one step, read-only in use.

Every rule, example, ruling and edition note stands here once per language with its finished HTML, so that a
page only puts rows together, and an id finds its place in any language.
"""

import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from tutor import __version__
from tutor.book.load import Library
from tutor.book.model import Block, GameBook, Rulebook
from tutor.book.words import LANGUAGES, Sentence, Words
from tutor.rules.base import Value


@dataclass(frozen=True, slots=True)
class Entry:
    """One block of a rulebook in one language, as a page shows it."""

    id: str
    kind: str
    section: str
    title: str
    html: str
    basis: str
    editions: str
    proof: str


@dataclass(frozen=True, slots=True)
class Part:
    """A section with its entries."""

    id: str
    title: str
    html: str
    entries: tuple[Entry, ...]


def fingerprint(content: Path) -> str:
    """Changes whenever the content or the program does."""
    digest = hashlib.sha256(__version__.encode())
    for path in sorted(content.rglob("*")):
        if path.is_file():
            digest.update(str(path.relative_to(content)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def build(library: Library, target: Path) -> None:
    """Writes the database beside its place and moves it there whole, so that no reader sees half of it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, suffix=".db")
    os.close(handle)
    made = Path(name)
    try:
        db = Database(made)
        table: Any = db["sections"]
        table.insert_all(_sections(library), pk=("game", "lang", "id"))
        table = db["entries"]
        table.insert_all(_entries(library), pk=("game", "lang", "id"))
        table.create_index(["game", "lang", "position"])
        table = db["meta"]
        table.insert({"key": "fingerprint", "value": fingerprint(library.path)}, pk="key")
        db.close()
        made.replace(target)
    finally:
        made.unlink(missing_ok=True)


def _sections(library: Library) -> Iterator[dict[str, Any]]:
    for book, rulebook, words, values in _books(library):
        for position, section in enumerate(rulebook.sections):
            yield {
                "game": book.id,
                "lang": rulebook.lang,
                "id": section.id,
                "position": position,
                "title": section.title,
                "html": _html(section.lead, words, values),
            }


def _entries(library: Library) -> Iterator[dict[str, Any]]:
    for book, rulebook, words, values in _books(library):
        for position, block in enumerate(rulebook.blocks.values()):
            yield {
                "game": book.id,
                "lang": rulebook.lang,
                "id": block.id,
                "kind": block.kind,
                "section": rulebook.section_of[block.id].id,
                "position": position,
                "title": block.title,
                "html": _html(block.body, words, values),
            } | _facts(book, block, words)


def _facts(book: GameBook, block: Block, words: Words) -> dict[str, str]:
    facts = {"basis": "", "editions": "", "proof": ""}
    if block.kind == "rule":
        facts["basis"] = book.facts.rules[block.id].basis
    elif block.kind == "ruling":
        facts |= {"basis": "ours", "proof": book.facts.rulings[block.id].proof}
    elif block.kind == "edition":
        facts["editions"] = ", ".join(
            _edition(name, words) for name in book.facts.editions[block.id].editions
        )
    return facts


def _edition(name: str, words: Words) -> str:
    """A printed edition by its language's code, which needs no agreement in any language, or by its name."""
    return name.upper() if name in LANGUAGES else words.word(name)


def _books(library: Library) -> Iterator[tuple[GameBook, Rulebook, Words, dict[str, Value]]]:
    for book in library.games.values():
        values = book.game.facts(book.game.setup({}))
        for lang, rulebook in book.rulebooks.items():
            yield book, rulebook, book.words[lang], values


def _html(body: tuple[Sentence, ...], words: Words, values: dict[str, Value]) -> str:
    return "".join(f"<p>{sentence.html(words, values)}</p>" for sentence in body)


class Store:
    """Reads a built rulebook.db."""

    def __init__(self, path: Path) -> None:
        # Every query is a short read of an immutable file, so one connection serves all threads.
        self._db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True, check_same_thread=False)

    @property
    def fingerprint(self) -> str:
        row = self._db.execute("select value from meta where key = 'fingerprint'").fetchone()
        return str(row[0])

    def game_of(self, entry: str) -> str | None:
        """The game of a rule, ruling or edition note. Examples have names that several games may use."""
        query = "select game from entries where id = ? and kind != 'example' limit 1"
        row = self._db.execute(query, (entry,)).fetchone()
        return str(row[0]) if row else None

    def rulebook(self, game: str, lang: str) -> tuple[Part, ...]:
        """All sections of a rulebook in order, with their entries."""
        rows = self._db.execute(
            "select id, kind, section, title, html, basis, editions, proof from entries"
            " where game = ? and lang = ? order by position",
            (game, lang),
        )
        by_section: dict[str, list[Entry]] = {}
        for row in rows:
            entry = Entry(*row)
            by_section.setdefault(entry.section, []).append(entry)
        sections = self._db.execute(
            "select id, title, html from sections where game = ? and lang = ? order by position", (game, lang)
        )
        return tuple(
            Part(name, title, html, tuple(by_section.get(name, ()))) for name, title, html in sections
        )


def open_store(library: Library, path: Path) -> Store:
    """The store of a library, built first if the file is not there or speaks of other content."""
    try:
        store = Store(path)
        if store.fingerprint == fingerprint(library.path):
            return store
    except (sqlite3.Error, TypeError):
        pass  # not there, or not ours: built anew
    build(library, path)
    return Store(path)
