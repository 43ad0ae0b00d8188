"""rulebook.db: the compiled reference, for look-ups by id and by words. What is in it, and how it is built.

Built whole by sqlite-utils, replaced in one step, read-only in use (see `opening`). The site shows texts from
memory and asks the database only where an index helps.
"""

import hashlib
import json
import os
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from tutor.book.load import Library
from tutor.book.scenario import values_of
from tutor.book.texts import Entry, Texts
from tutor.search.index import add_index, index_version

KEY = ("game", "lang", "id")
SUM = 60
"""Where in a file SQLite keeps four bytes for whoever uses it: ours are a sum over all the others."""


def fingerprint(library: Library, more: Sequence[dict[str, Any]] = ()) -> str:
    """Changes whenever a row does, be it by the content or by the program that says it."""
    return _fingerprint(_rows(library, more))


def _fingerprint(rows: dict[str, list[dict[str, Any]]]) -> str:
    return hashlib.sha256(json.dumps([index_version(), rows]).encode()).hexdigest()[:16]


def build(library: Library, target: Path, more: Sequence[dict[str, Any]] = ()) -> None:
    """Writes the database beside its place and moves it there whole, so that no reader sees half of it.

    `more` are rows beside those of the library: see `row`.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f"{target.name}.", suffix=".part")
    os.close(handle)
    made = Path(name)
    rows = _rows(library, more)
    try:
        db = Database(made)
        for table_name, of_table in rows.items():
            table: Any = db[table_name]
            table.insert_all(of_table, pk=("game", "lang", "kind", "id") if "kind" in of_table[0] else KEY)
        db["entries"].create_index(["id"])  # type: ignore[union-attr]  # a table, not a view
        db["entries"].create_index(["number"], unique=True)  # type: ignore[union-attr]
        add_index(db.conn, library, rows["entries"])
        meta: Any = db["meta"]
        meta.insert({"key": "fingerprint", "value": _fingerprint(rows)}, pk="key")
        db.close()
        with made.open("r+b") as file:
            whole = file.read()
            file.seek(SUM)
            file.write(_sum(whole))
        made.chmod(0o644)  # nothing in it is secret, and whoever serves it may not be who has built it
        made.replace(target)
    finally:
        made.unlink(missing_ok=True)


def _sum(whole: bytes) -> bytes:
    return zlib.crc32(whole[SUM + 4 :], zlib.crc32(whole[:SUM])).to_bytes(4, "big")


def is_sound(path: Path) -> bool:
    """Whether a built database is there, as it was built: not one byte differs."""
    try:
        whole = path.read_bytes()
    except OSError:
        return False
    return len(whole) > SUM and whole[SUM : SUM + 4] == _sum(whole)


def _rows(library: Library, more: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """All rows by table. Their keys are the columns, so the fingerprint covers the schema too."""
    all_texts = [(game, texts) for game, by_lang in library.texts.items() for texts in by_lang.values()]
    return {
        "sections": [row for game, texts in all_texts for row in _sections(game, texts)],
        "entries": [{"number": number} | row for number, row in enumerate([*rows_of(library), *more], 1)],
    }


def rows_of(library: Library) -> list[dict[str, Any]]:
    """All that can be looked up: the entries of the rulebooks, and the terms."""
    entries = [
        row
        for game in library.games
        for texts in library.texts[game].values()
        for row in _entries(library, game, texts)
    ]
    return [*entries, *_terms(library)]


def _sections(game: str, texts: Texts) -> Iterator[dict[str, Any]]:
    for position, part in enumerate(texts.parts):
        where = {"game": game, "lang": texts.lang, "id": part.id, "position": position}
        yield where | {"title": part.title}


def _entries(library: Library, game: str, texts: Texts) -> Iterator[dict[str, Any]]:
    for entry in texts.entries.values():
        example = entry.kind == "example"
        yield {
            "game": game,
            "lang": texts.lang,
            "kind": entry.kind,
            "id": entry.id,
            "section": entry.section,
            "title": entry.title,
            "asked": _phrases_for(library, game, texts, entry),
            "text": "\n".join(_lines(library, game, texts.lang, entry.id)) if example else entry.plain,
            "basis": entry.basis,
            "editions": entry.editions,
            "proof": entry.proof,
        }


def _phrases_for(library: Library, game: str, texts: Texts, entry: Entry) -> str:
    """What else is typed for an entry; a note is asked for by its printing, and by its rule."""
    if entry.kind == "edition":
        return " ".join((texts.name_printings(entry), *(title for _, title in entry.related)))
    return library.games[game].asked.get(entry.id, {}).get(texts.lang, "")


def _lines(library: Library, game: str, lang: str, name: str) -> Iterator[str]:
    """What an example tells, with the values of its scenario."""
    book, run = library.games[game], library.runs[game][name]
    players = run.scenario.file.players
    words = book.words[lang].with_cast(players)
    for step, sentence in (book.rulebooks[lang].blocks[name].lines or {}).items():
        if not step.endswith("?"):  # that is said of other values
            yield sentence.text(words, values_of(run.steps[step.removesuffix("!")], len(players)))


def row(game: str, lang: str, kind: str, name: str, title: str, text: str, asked: str = "") -> dict[str, Any]:
    """One thing that can be looked up and is no entry of a rulebook."""
    about = {"game": game, "lang": lang, "kind": kind, "id": name, "section": ""}
    return about | {"title": title, "asked": asked, "text": text, "basis": "", "editions": "", "proof": ""}


def _terms(library: Library) -> Iterator[dict[str, Any]]:
    for name, term in library.terms.items():
        for lang, word in term.words.items():
            yield row(term.games[0], lang, "term", name, word.word, ", ".join(word.also))
