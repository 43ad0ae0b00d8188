"""rulebook.db: built whole, rebuilt exactly when a row changes, asked by id."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from tutor.book import texts
from tutor.book.load import Library, load
from tutor.book.words import LANGUAGES
from tutor.paths import CONTENT
from tutor.store.rulebook import build, fingerprint, open_store


def test_a_second_start_finds_the_database_built(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "rulebook.db"
    open_store(library, path)
    made = path.stat().st_mtime_ns, path.stat().st_ino
    open_store(library, path)
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == made


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b"not a database"),
        lambda path: path.write_bytes(b""),
        lambda path: sqlite3.connect(path).executescript("drop table meta"),
        lambda path: sqlite3.connect(path).executescript("update meta set value = 'old'"),
    ],
)
def test_a_file_that_is_not_ours_is_built_anew(library: Library, tmp_path: Path, damage: object) -> None:
    path = tmp_path / "rulebook.db"
    build(library, path)
    damage(path)  # type: ignore[operator]
    assert open_store(library, path).fingerprint == fingerprint(library)
    assert open_store(library, path).game_of("border.first.open") == "border"


def test_a_program_that_says_something_else_builds_anew(
    library: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The content is the same, the code is not: the rows differ, and so does the fingerprint."""
    path = tmp_path / "rulebook.db"
    before = open_store(library, path).fingerprint
    monkeypatch.setattr(texts.Texts, "_edition", lambda self, name: f"<{name}>")
    other = load(CONTENT)
    assert fingerprint(other) != before
    assert open_store(other, path).fingerprint != before
    editions = sqlite3.connect(path).execute("select editions from entries where editions != ''").fetchall()
    assert editions
    assert all(row[0].startswith("<") for row in editions)


def test_a_new_column_builds_anew(library: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from tutor.store import rulebook

    path = tmp_path / "rulebook.db"
    before = open_store(library, path).fingerprint
    plain = rulebook._entries
    monkeypatch.setattr(rulebook, "_entries", lambda *about: ({**row, "mood": ""} for row in plain(*about)))
    assert open_store(library, path).fingerprint != before


def test_every_entry_stands_there_once_per_language_as_plain_text(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "rulebook.db"
    build(library, path)
    rows = (
        sqlite3.connect(path)
        .execute("select game, lang, id, kind, text from entries where kind != 'term'")
        .fetchall()
    )
    wanted = {
        (game, lang, entry)
        for game, book in library.games.items()
        for lang in LANGUAGES
        for entry in book.rulebooks[lang].blocks
        if entry not in book.facts.rules or not book.facts.rules[entry].technical
    }
    assert {row[:3] for row in rows} == wanted
    assert len(rows) == len(wanted)
    for *_, text in rows:
        assert text
        assert "{" not in text
        assert "**" not in text


def test_an_id_is_found_by_an_index(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "rulebook.db"
    build(library, path)
    plan = sqlite3.connect(path).execute(
        "explain query plan select game from entries where id = ? and kind != 'example'", ("x",)
    )
    assert "USING INDEX" in plan.fetchone()[3]


def test_a_reader_of_the_old_file_is_not_disturbed(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "rulebook.db"
    store = open_store(library, path)
    build(replace(library), path)
    assert store.game_of("border.first.open") == "border"
    assert not list(tmp_path.glob("*.db-*")), "no journal is left behind"
    assert [p.name for p in tmp_path.iterdir()] == ["rulebook.db"]
