"""rulebook.db: built whole, a file for each fingerprint, checked and mended, asked by id."""

import json
import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from flask import Flask

from tests.live.test_store import nobody, wait_for
from tests.pages import check
from tests.servers import Server, Visitor
from tests.web.live.test_server import translated
from tutor.book import texts
from tutor.book.load import Library, load
from tutor.book.words import LANGUAGES
from tutor.cli import main
from tutor.paths import CONTENT
from tutor.search import opening, trouble
from tutor.search.opening import WEEK, NoPlace, Rebuilding, Store, open_store, place_of
from tutor.search.rulebook import build, fingerprint, is_sound
from tutor.web import create_app

REPAIR = (
    "The search index is being repaired. Please try again in a moment;"
    " lessons, rules and the referee still work."
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rulebook.db"


@pytest.fixture(scope="module")
def made(library: Library, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What is in a built file: building takes seconds."""
    path = tmp_path_factory.mktemp("made") / "rulebook.db"
    build(library, path)
    return path.read_bytes()


@pytest.fixture
def place(library: Library, path: Path, made: bytes) -> Path:
    """A built file where `open_store` looks for it."""
    found = place_of(path, fingerprint(library))
    found.write_bytes(made)
    return found


@pytest.mark.patient
def test_a_second_start_finds_the_database_built(library: Library, path: Path, place: Path) -> None:
    before = place.stat().st_ino, place.read_bytes()
    store = open_store(library, path)
    assert (place.stat().st_ino, place.read_bytes()) == before
    assert place.name == f"rulebook-{store.fingerprint}.db"
    assert [each.name for each in path.parent.iterdir()] == [place.name]


def flip(at: float) -> Callable[[Path], object]:
    """Turns one bit, so far into the file."""

    def damage(path: Path) -> None:
        whole = bytearray(path.read_bytes())
        whole[int(at * len(whole))] ^= 4
        path.write_bytes(whole)

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b"not a database"),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-4096]),
        lambda path: sqlite3.connect(path).executescript("drop table meta"),
        lambda path: sqlite3.connect(path).executescript("update meta set value = 'old'"),
        flip(0),
        flip(0.3),
        flip(0.9),
    ],
)
def test_a_file_that_is_not_as_it_was_built_is_built_anew(
    library: Library,
    path: Path,
    place: Path,
    made: bytes,
    monkeypatch: pytest.MonkeyPatch,
    damage: Callable[[Path], object],
) -> None:
    damage(place)
    monkeypatch.setattr(opening, "build", lambda library, target, more: target.write_bytes(made))
    store = open_store(library, path)
    assert place.read_bytes() == made
    assert store.game_of("border.first.open") == "border"


@pytest.mark.patient
def test_two_versions_have_a_file_each(
    library: Library, monkeypatch: pytest.MonkeyPatch, path: Path, place: Path
) -> None:
    """The content is the same, the code is not: the rows differ, and so does the fingerprint."""
    before = open_store(library, path)
    monkeypatch.setattr(texts.Texts, "_edition", lambda self, name: f"<{name}>")
    other = load(CONTENT)
    assert fingerprint(other) != before.fingerprint
    after = open_store(other, path)
    assert len([*path.parent.iterdir()]) == 2
    query = "select editions from entries where editions != ''"
    assert all(editions.startswith("<") for [editions] in after.execute(query))
    assert not any(editions.startswith("<") for [editions] in before.execute(query))


def test_a_new_column_is_another_fingerprint(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    from tutor.search import rulebook

    before = fingerprint(library)
    plain = rulebook._entries
    monkeypatch.setattr(rulebook, "_entries", lambda *about: ({**row, "mood": ""} for row in plain(*about)))
    assert fingerprint(library) != before


def test_files_that_nobody_opened_for_a_week_are_removed(library: Library, path: Path, place: Path) -> None:
    now = time.time()
    ages = {
        "rulebook-0123456789abcdef.db": WEEK + 60,
        "rulebook-fedcba9876543210.db": WEEK - 60,
        "rulebook-0123456789abcdef.db.x_1.part": WEEK + 60,
        "rulebook.db": 9 * WEEK,
        "rulebook-of-mine.db": 9 * WEEK,
        "live.db": 9 * WEEK,
        place.name: 9 * WEEK,
    }
    for name, age in ages.items():
        (path.parent / name).touch()
        os.utime(path.parent / name, (now, now - age))
    open_store(library, path)
    gone = {"rulebook-0123456789abcdef.db", "rulebook-0123456789abcdef.db.x_1.part"}
    assert {each.name for each in path.parent.iterdir()} == set(ages) - gone
    assert place.stat().st_mtime > now - 60, "it was opened now"


def test_every_entry_stands_there_once_per_language_as_plain_text(library: Library, place: Path) -> None:
    rows = (
        sqlite3.connect(place)
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


def test_an_id_is_found_by_an_index(place: Path) -> None:
    plan = sqlite3.connect(place).execute(
        "explain query plan select game from entries where id = ? and kind != 'example'", ("x",)
    )
    assert "USING INDEX" in plan.fetchone()[3]


@pytest.mark.patient
def test_a_reader_of_the_old_file_is_not_disturbed(library: Library, path: Path, place: Path) -> None:
    store = open_store(library, path)
    build(replace(library), place)
    assert store.game_of("border.first.open") == "border"
    assert [each.name for each in path.parent.iterdir()] == [place.name], "no journal is left behind"
    assert stat.S_IMODE(place.stat().st_mode) == 0o644


# Damage while it is read


def ruin(place: Path, made: bytes) -> None:
    """In its place, as a failing disk would: whoever reads the file reads this."""
    with place.open("r+b") as file:
        file.seek(100)
        file.write(os.urandom(len(made) - 100))


def test_a_mistake_of_ours_is_no_damage(library: Library, path: Path, place: Path) -> None:
    store = open_store(library, path)
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        store.execute("select mood from entries")
    assert store.game_of("border.first.open") == "border"


@pytest.mark.patient
def test_damage_is_mended_and_noticed_by_all_who_read(
    library: Library,
    path: Path,
    place: Path,
    made: bytes,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(trouble, "CALM", 0.0)
    first = open_store(library, path)
    other = first.in_this_process()
    ruin(place, made)
    for _ in range(3):
        with pytest.raises(Rebuilding):
            first.game_of("border.first.open")
    wait_for(lambda: is_sound(place), 60)
    wait_for(lambda: not first._mending, 60)
    built = place.stat().st_ino
    for store in (first, other):
        assert store.game_of("border.first.open") == "border"
    assert place.stat().st_ino == built, "it was built once"
    begin, end = [record.getMessage() for record in caplog.records if str(place) in record.getMessage()]
    assert "is being built anew" in begin
    assert end == f"the rulebook in {place}: all is well again"


def test_a_worker_that_starts_when_the_file_is_gone_builds_it(
    library: Library, path: Path, place: Path, made: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(library, path)
    place.unlink()
    assert store.game_of("border.first.open") == "border", "who has it open goes on"
    monkeypatch.setattr(opening, "build", lambda library, target, more: target.write_bytes(made))
    assert store.in_this_process().game_of("border.first.open") == "border"
    assert place.read_bytes() == made


def test_a_worker_without_any_place_serves_all_the_same(
    library: Library, path: Path, place: Path, made: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(library, path)
    place.unlink()

    def full(library: Library, target: Path, more: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(opening, "build", full)
    worker = store.in_this_process()
    for _ in range(2):
        with pytest.raises(Rebuilding):
            worker.game_of("border.first.open")
    wait_for(lambda: not worker._mending)
    place.write_bytes(made)
    assert worker.game_of("border.first.open") == "border"


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    """A site whose index is damaged, and is not mended for now."""
    site = create_app(tmp_path_factory.mktemp("broken") / "rulebook.db")
    store: Store = site.extensions["shelf"].store
    ruin(store.path, store.path.read_bytes())
    store._mend = lambda: None  # type: ignore[method-assign]
    return site


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.patient
@pytest.mark.slow
def test_pages_that_need_it_say_that_it_is_being_repaired(broken: Flask, lang: str) -> None:
    client = broken.test_client()
    headers = {"Accept-Language": lang}
    for path in (f"/{lang}/search?q=die", f"/{lang}/border/teach/answers?q=die", "/r/border.first.open"):
        answer = client.get(path, headers=headers)
        assert answer.status_code == 503, path
        assert answer.headers["Retry-After"] == "10"
        check(f"/{lang}/", answer.text)
        assert translated(REPAIR, lang) in answer.text.replace("&nbsp;", " ").replace("\u00a0", " ")
    told = client.get(f"/api/v1/search?q=die&lang={lang}")
    error = json.loads(told.text)["error"]
    assert (told.status_code, error["code"]) == (503, "unavailable")
    assert error["message"].replace("\u00a0", " ") == translated(REPAIR, lang)
    for path in ("border/rules", "border/learn/grey", "border/referee", "glossary"):
        assert client.get(f"/{lang}/{path}").status_code == 200


@pytest.mark.patient
@pytest.mark.slow
def test_a_server_mends_its_index_without_a_restart(tmp_path: Path) -> None:
    server = Server(tmp_path / "rulebook.db")
    try:
        [place] = tmp_path.glob("rulebook-*.db")
        visitor, words = Visitor(server.url), count()
        assert visitor.ask("/en/search?q=die")[0] == 200
        ruin(place, place.read_bytes())

        def answered() -> int:
            return visitor.ask(f"/en/search?q=die+{next(words)}")[0]

        assert answered() == 503
        assert visitor.ask("/en/border/learn/grey")[0] == 200, "all else goes on meanwhile"
        wait_for(lambda: is_sound(place), 120)
        assert answered() == 200
        assert visitor.ask("/r/border.first.open")[0] == 302
    finally:
        server.kill()


# Places that cannot be written


def test_a_folder_that_cannot_be_written_is_no_obstacle(
    library: Library, made: bytes, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def put(library: Library, target: Path, more: object) -> None:
        target.write_bytes(made)

    monkeypatch.setattr(opening, "build", put)
    with nobody() as folder:
        folder.chmod(0o555)
        store = open_store(library, folder / "rulebook.db")
        folder.chmod(0o755)
    assert store.game_of("border.first.open") == "border"
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700
    [line] = [record.getMessage() for record in caplog.records if str(folder) in record.getMessage()]
    assert str(store.path.parent) in line
    opening._remove(store.path.parent, 0)
    assert store.path.exists(), "a worker that ends leaves it to the others"
    opening._remove(store.path.parent, os.getpid())
    assert not store.path.parent.exists()


def test_a_folder_that_cannot_be_written_will_do_if_the_file_is_there(library: Library, made: bytes) -> None:
    with nobody() as folder:
        place = place_of(folder / "rulebook.db", fingerprint(library))
        place.write_bytes(made)
        folder.chmod(0o555)
        assert open_store(library, folder / "rulebook.db").path == place
        folder.chmod(0o755)


def test_no_place_at_all_is_an_error_with_both_reasons(
    library: Library, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.parent.joinpath("file").touch()
    monkeypatch.setattr(tempfile, "tempdir", "/nonexistent")
    with pytest.raises(NoPlace, match=r"cannot be written: .*temporary folder: .*/nonexistent"):
        open_store(library, path.parent / "file" / "rulebook.db")


@pytest.mark.patient
def test_a_server_without_any_place_ends_with_one_line(path: Path) -> None:
    path.parent.joinpath("file").touch()
    nowhere = "import sys, tempfile; tempfile.tempdir = '/nonexistent'"
    code = f"{nowhere}; from tests.serve import main; sys.exit(main())"
    settings = {"TUTOR_DB": str(path.parent / "file" / "rulebook.db")}
    done = subprocess.run(
        [sys.executable, "-c", code, "serve", "--port", "1"],
        env=os.environ | settings, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    [line] = done.stderr.splitlines()
    assert "cannot be written" in line


@pytest.mark.patient
def test_build_says_where_it_has_built_and_what_kept_it_from_it(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TUTOR_DB", str(path))
    assert main(["build"]) == 0
    [built] = path.parent.iterdir()
    assert capsys.readouterr().out == f"{built}\n"
    with closing(sqlite3.connect(built)) as db:
        [mark] = db.execute("select value from meta where key = 'fingerprint'").fetchone()
    assert built == place_of(path, mark)
    with pytest.raises(SystemExit, match="cannot be written"):
        main(["build", str(built / "below.db")])
