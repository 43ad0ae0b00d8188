"""`tutor live`: tables and played games are saved and put back, from any store to any other, also while
they are served."""

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from redis import Redis

from tests.conftest import RedisServer
from tests.live.test_store import NASTY, bodies, nobody
from tests.servers import Follower, Presenter, Server
from tutor.cli import main
from tutor.live.log import Log, open_log, open_matches
from tutor.live.log.base import SCHEMA
from tutor.live.matches import ID_LENGTH
from tutor.live.tables import CODE_LETTERS

pytestmark = pytest.mark.patient

Use = Callable[..., Log]


@pytest.fixture
def use(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Use]:
    """Makes an empty store the one that commands work on."""
    opened: list[Log] = []

    def store(kind: str, name: str = "one") -> Log:
        where = str(tmp_path / name / "live.db")
        if kind == "redis":
            where = f"{request.getfixturevalue('redis_url')}/{10 + len(opened)}"
            with Redis.from_url(where) as client:
                client.flushdb()
        monkeypatch.setenv("TUTOR_LIVE", where)
        opened.append(open_log(where))
        return opened[-1]

    yield store
    for log in opened:
        log.close()


def fill(log: Log) -> None:
    for number, body in enumerate(NASTY):
        log.put(f"t{number}", [{"kind": "opened", "n": number}, body], [body] * number, replace=False)
    log.append("t0", "floor", {"kind": "joined", "who": "ania"})
    log.append("t1", "floor", {"kind": "joined", "who": "ola"})


def told(log: Log) -> str:
    return repr({code: (bodies(log, code, "stage"), bodies(log, code, "floor")) for code in log.codes()})


@pytest.mark.parametrize("source", ["sqlite", "redis"])
@pytest.mark.parametrize("target", ["sqlite", "redis"])
def test_all_tables_go_from_any_store_to_any_other(
    use: Use, tmp_path: Path, capsys: pytest.CaptureFixture[str], source: str, target: str
) -> None:
    file = tmp_path / "saved"
    first = use(source)
    fill(first)
    game = CODE_LETTERS[0] * ID_LENGTH
    with closing(open_matches(os.environ["TUTOR_LIVE"])) as games:
        games.put(game, [{"kind": "begun"}, {"kind": "made"}], [], replace=True)
    assert main(["live", "backup", str(file)]) == 0
    assert capsys.readouterr().out == f"{file}: tables and games saved: {len(NASTY) + 1}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text().splitlines()[0])["schema"] == SCHEMA
    second = use(target, "two")
    assert main(["live", "restore", str(file)]) == 0
    assert capsys.readouterr().out == f"{second.place}: tables and games put back: {len(NASTY) + 1}\n"
    assert told(second) == told(first)
    with closing(open_matches(os.environ["TUTOR_LIVE"])) as games:
        assert bodies(games, game, "stage") == [{"kind": "begun"}, {"kind": "made"}]
    assert second.append("t0", "stage", {}, after=2) == 3
    assert main(["live", "status"]) == 0
    status = dict(line.split() for line in capsys.readouterr().out.splitlines())
    expected = {"store": second.place, "form": SCHEMA, "tables": len(NASTY), "guests": 2}
    assert status == {name: str(value) for name, value in expected.items()}
    assert [each.name for each in tmp_path.iterdir() if "saved" in each.name] == ["saved"]


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_tables_that_exist_are_replaced_only_if_that_is_wanted(use: Use, tmp_path: Path, kind: str) -> None:
    file = tmp_path / "saved"
    log = use(kind)
    fill(log)
    assert main(["live", "backup", str(file)]) == 0
    before = told(log)
    log.append("t1", "stage", {"later": True})
    log.delete("t2")
    log.create("other", {})
    changed = told(log)
    with pytest.raises(SystemExit, match=r"--replace: .* 4 \(t0, t1, t3, t4\)"):
        main(["live", "restore", str(file)])
    assert told(log) == changed, "nothing is put back in part"
    assert main(["live", "restore", str(file), "--replace"]) == 0
    assert bodies(log, "other", "stage") == [{}]
    log.delete("other")
    assert told(log) == before


def signed(text: str) -> str:
    """A backup whose sum is right, whatever else is wrong with it."""
    *lines, last = text.splitlines(keepends=True)
    summed = json.loads(last) | {"sum": hashlib.sha256("".join(lines).encode()).hexdigest()}
    return "".join(lines) + json.dumps(summed)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda text: "", "is not a backup"),
        (lambda text: "hello\n", "is not a backup"),
        (lambda text: "\0" * 5000, "is not a backup"),
        (lambda text: text.replace(f'"schema":{SCHEMA}', f'"schema":{SCHEMA + 1}'), "newer version"),
        (lambda text: text.replace(f'"schema":{SCHEMA}', '"schema":null'), "newer version"),
        (lambda text: text[: len(text) // 2], "damaged, or not whole"),
        (lambda text: "\n".join(text.splitlines()[:-1]), "damaged, or not whole"),
        (lambda text: text.replace("opened", "closed"), "damaged, or not whole"),
        (lambda text: text.replace('"floor":[', '"flo":['), "damaged, or not whole"),
        (lambda text: text.replace("\n", "\n\n"), "damaged, or not whole"),
        (lambda text: signed(text.replace('"floor":[', '"floor":[{"x":NaN},', 1)), "damaged, or not whole"),
        (lambda text: signed(text.replace('"code":"', '"code":"\\u001b[2J', 1)), "damaged, or not whole"),
    ],
)
def test_a_file_that_is_not_whole_is_refused(
    use: Use, tmp_path: Path, spoil: Callable[[str], str], said: str
) -> None:
    file = tmp_path / "saved"
    fill(use("sqlite"))
    assert main(["live", "backup", str(file)]) == 0
    file.write_text(spoil(file.read_text()))
    log = use("sqlite", "two")
    with pytest.raises(SystemExit, match=said):
        main(["live", "restore", str(file)])
    assert log.codes() == []


@pytest.mark.parametrize("command", ["backup", "restore", "status"])
def test_a_store_that_does_not_answer_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    file = tmp_path / "saved"
    monkeypatch.setenv("TUTOR_LIVE", str(tmp_path / "full.db"))
    with closing(open_log(str(tmp_path / "full.db"))) as log:
        log.create("a", {})
    assert main(["live", "backup", str(file)]) == 0
    args = ["live", command, *([str(file)] if command != "status" else [])]
    for where, said in (
        ("redis://:secret-word@127.0.0.1:1", "127.0.0.1:1: .* see whether Redis runs"),
        ("redis://127.0.0.1:many", "Port"),
        ("reddis://127.0.0.1", "live tables are kept in a file, or at redis://"),
        (str(tmp_path), "see what is at that place"),
    ):
        monkeypatch.setenv("TUTOR_LIVE", where)
        with pytest.raises(SystemExit, match=said) as ended:
            main(args)
        assert "secret-word" not in str(ended.value)
        assert "\n" not in str(ended.value)


def test_what_is_not_there_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUTOR_LIVE", str(tmp_path / "live.db"))
    for args in (["backup", str(tmp_path / "saved")], ["status"]):
        with pytest.raises(SystemExit, match="there are no live tables in"):
            main(["live", *args])
    with pytest.raises(SystemExit, match="No such file"):
        main(["live", "restore", str(tmp_path / "saved")])
    assert not (tmp_path / "saved").exists()


def test_a_folder_that_cannot_be_written_is_told(use: Use) -> None:
    log = use("sqlite")
    log.create("a", {})
    with nobody() as folder:
        folder.chmod(0o555)
        with pytest.raises(SystemExit):
            main(["live", "backup", str(folder / "saved")])
        folder.chmod(0o755)


def test_an_old_backup_stays_until_the_new_one_is_whole(
    use: Use, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "saved"
    log = use("sqlite")
    log.create("a", {})
    assert main(["live", "backup", str(file)]) == 0
    before = file.read_text()
    monkeypatch.setattr(
        "os.fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    with pytest.raises(SystemExit, match="No space left"):
        main(["live", "backup", str(file)])
    assert file.read_text() == before
    assert [each.name for each in tmp_path.iterdir() if "saved" in each.name] == ["saved"]


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
@pytest.mark.slow
def test_tables_are_saved_and_put_back_while_they_are_served(
    redis_server: Callable[..., RedisServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    where = redis_server("--save", "").url if kind == "redis" else str(tmp_path / "live.db")
    monkeypatch.setenv("TUTOR_LIVE", where)
    file = tmp_path / "saved"
    server = Server(tmp_path / "rulebook.db", TUTOR_LIVE=where)
    try:
        presenter = Presenter(server.url)
        follower = Follower(server.url, presenter.code)
        assert presenter.move_on() == 3
        follower.sees(3)
        assert main(["live", "backup", str(file)]) == 0
        for version in (4, 5):
            assert presenter.move_on() == version
            follower.sees(version)
        with pytest.raises(SystemExit, match="--replace"):
            main(["live", "restore", str(file)])
        assert main(["live", "restore", str(file), "--replace"]) == 0
        follower.wait(lambda: follower.versions[-1] == 3)
        assert presenter.move_on() == 4
        follower.wait(lambda: follower.versions[-1] == 4)
        assert follower.connections == 1
        follower.leave()
    finally:
        server.kill()
