"""Live tables on real servers: two on one Redis, behind nginx, guests who come and go, and faults."""

import gettext
import http.client
import os
import random
import re
import shutil
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from html import unescape
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from redis import Redis

from tests import ROOT
from tests.conftest import RedisServer, free_port
from tests.live.test_store import wait_for
from tests.servers import Follower, Presenter, Server, Visitor
from tutor.book.words import LANGUAGES
from tutor.live.log import SCHEMA, open_log
from tutor.live.log.base import CHANNELS
from tutor.live.log.file import alone_in
from tutor.paths import TRANSLATIONS
from tutor.web.live.stream import MOST_STREAMS_OF_NETWORK

pytestmark = [pytest.mark.patient, pytest.mark.slow]

DEPLOYED = ROOT / "deploy" / "nginx.conf"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
PROMPT = 2.0
"""Seconds within which a beat is there, on a machine that has much else to do."""


def translated(text: str, lang: str) -> str:
    return gettext.translation("messages", TRANSLATIONS, [lang], fallback=True).gettext(text)


def in_order(followers: list[Follower], versions: list[int]) -> None:
    """Each has seen each beat once."""
    for follower in followers:
        seen = follower.versions
        assert seen[seen.index(versions[0]) :] == versions


# Many machines


@pytest.fixture(scope="module")
def redis(redis_server: Callable[..., RedisServer]) -> RedisServer:
    """One that keeps what it was told."""
    return redis_server("--save", "", "--appendonly", "yes", "--appendfsync", "always")


@pytest.fixture(scope="module")
def servers(redis: RedisServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Server]]:
    folder = tmp_path_factory.mktemp("servers")
    database = folder / "rulebook.db"
    settings: dict[str, Any] = {"TUTOR_LIVE": redis.url, "TUTOR_PROXY": "1", "TUTOR_API_RATE": "0.05"}
    one, two = (Server(database, **settings) for _ in range(2))
    yield one, two
    for server in (one, two):
        server.kill()


@pytest.fixture
def follow() -> Iterator[Callable[..., Follower]]:
    there: list[Follower] = []

    def join(*args: str) -> Follower:
        there.append(Follower(*args))
        return there[-1]

    yield join
    for follower in there:
        follower.leave()


def test_two_servers_share_a_table(servers: tuple[Server, Server], follow: Callable[..., Follower]) -> None:
    one, two = servers
    presenter = Presenter(one.url)
    followers = [follow(two.url, presenter.code, lang) for lang in LANGUAGES]
    versions, waited = [2], list[float]()
    for follower in followers:
        follower.sees(2)
    for _ in range(8):
        versions.append(presenter.move_on())
        told = time.monotonic()
        for follower in followers:
            follower.sees(versions[-1])
            waited.append(follower.events[-1][3] - told)
    assert median(waited) < PROMPT
    in_order(followers, versions)
    assert len({follower.events[-1][2] for follower in followers}) == len(LANGUAGES), "each in its language"
    presenter.url = two.url  # the other machine knows the presenter, too
    assert presenter.move_on() == versions[-1] + 1


@pytest.mark.slow
def test_a_redis_that_is_killed_and_started_again(
    redis: RedisServer, servers: tuple[Server, Server], follow: Callable[..., Follower]
) -> None:
    one, two = servers
    presenter = Presenter(one.url)
    followers = [follow(server.url, presenter.code) for server in servers]
    for follower in followers:
        follower.sees(2)
    redis.process.kill()
    redis.process.wait(10)
    for follower in followers:
        follower.wait(lambda follower=follower: "down" in follower.names())  # type: ignore[misc]
    visitor = Visitor(two.url)
    for lang in LANGUAGES:
        said = translated(
            "Live tables can’t be reached right now. Lessons, rules and the referee still work;"
            " please try again in a moment.",
            lang,
        )
        for path in (f"/{lang}/t/{presenter.code}", f"/{lang}/t/{presenter.code}/events"):
            status, page = visitor.ask(path)
            assert status == 503
            assert said in unescape(page).replace("\N{NO-BREAK SPACE}", " ")
        for path in ("learn/grey", "rules", "teach/grey", "referee"):
            status, _ = visitor.ask(f"/{lang}/border/{path}")
            assert status == 200, path
    for path, form in (("/it/t/", {"game": "border"}), (presenter.screen, {"do": "again", "version": "2"})):
        status, page = presenter.ask(path, form)
        assert status == 503
        assert "raggiungibili" in page
    redis.start()
    for follower in followers:
        follower.wait(lambda follower=follower: "up" in follower.names())  # type: ignore[misc]
    version = presenter.move_on()
    for follower in followers:
        follower.sees(version)
        assert follower.connections == 1, "nobody had to come back"
        assert follower.names() == ["beat", "down", "up", "beat"]


@pytest.mark.slow
def test_a_redis_that_has_lost_what_it_was_told_last(
    redis_server: Callable[..., RedisServer], tmp_path: Path, follow: Callable[..., Follower]
) -> None:
    """It comes back with what it had saved before."""
    redis = redis_server("--save", "", "--dbfilename", "before.rdb")
    server = Server(tmp_path / "rulebook.db", TUTOR_LIVE=redis.url)
    try:
        presenter = Presenter(server.url)
        follower = follow(server.url, presenter.code)
        assert presenter.move_on() == 3
        follower.sees(3)
        with Redis.from_url(redis.url) as client:
            client.save()
        for version in (4, 5):
            assert presenter.move_on() == version
            follower.sees(version)
        redis.process.kill()
        redis.process.wait(10)
        redis.start()
        follower.wait(lambda: follower.versions[-1] == 3)
        assert presenter.move_on() == 4
        follower.wait(lambda: follower.versions[-1] == 4)
        assert follower.connections == 1
    finally:
        server.kill()


# Behind nginx


def configuration(servers: tuple[Server, Server], folder: Path, port: int) -> str:
    """What is to be deployed, with the addresses of this test and a certificate of its own."""
    shown = re.sub(r"(?m)^ *listen \[::\].*\n", "", DEPLOYED.read_text("utf-8"))
    for address, server in zip(re.findall(r"server (\S+:8000)\b", shown), servers, strict=True):
        shown = shown.replace(address, f"127.0.0.1:{server.port}")
    subject = ("-subj", "/CN=rules.example.org", "-keyout", folder / "privkey.pem")
    kind = ("req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")
    subprocess.run(
        ["openssl", *kind, *subject, "-out", folder / "fullchain.pem"], check=True, capture_output=True
    )
    shown = shown.replace("/etc/letsencrypt/live/rules.example.org", str(folder))
    shown = shown.replace("listen 80;", f"listen 127.0.0.1:{free_port()};")
    return shown.replace("listen 443 ", f"listen 127.0.0.1:{port} ")


@pytest.fixture(scope="module")
def nginx(servers: tuple[Server, Server], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if not NGINX or not shutil.which("openssl"):
        pytest.skip("no nginx, or no openssl: apt-get install nginx-light openssl")
    tmp_path = tmp_path_factory.mktemp("nginx")
    port = free_port()
    places = "".join(
        f"{name}_temp_path {tmp_path};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file = tmp_path / "nginx.conf"
    file.write_text(
        f"daemon off; pid {tmp_path}/pid; error_log stderr; worker_processes 1;"
        f"events {{}} http {{ access_log off; {places} {configuration(servers, tmp_path, port)} }}"
    )
    command = [NGINX, "-p", str(tmp_path), "-e", "stderr", "-c", str(file)]
    checked = subprocess.run([*command, "-t", "-q"], capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")
    process = subprocess.Popen(command)
    address = f"https://127.0.0.1:{port}"
    try:
        for _ in range(100):
            assert process.poll() is None
            try:
                Visitor(address).ask("/robots.txt")
                break
            except OSError:
                time.sleep(0.05)
        yield address
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.slow
def test_two_servers_behind_nginx(nginx: str, follow: Callable[..., Follower]) -> None:
    presenter = Presenter(nginx)
    followers = [follow(nginx, presenter.code, lang) for lang in LANGUAGES]
    for follower in followers:
        follower.sees(2)
    versions, waited = [2], list[float]()
    for _ in range(6):
        versions.append(presenter.move_on())
        told = time.monotonic()
        for follower in followers:
            follower.sees(versions[-1])
            waited.append(follower.events[-1][3] - told)
    assert median(waited) < PROMPT
    in_order(followers, versions)
    _, page = presenter.ask(presenter.screen)
    assert f"{nginx.partition('://')[2]}/t/" in page, "guests are sent to nginx, not to a machine behind it"


@pytest.mark.slow
def test_nginx_says_who_asks_and_believes_nobody(nginx: str) -> None:
    visitor = Visitor(nginx)
    connection = visitor.connect(20)
    connection.request("GET", "/it/", headers={"X-Request-ID": "claimed", "X-Forwarded-Proto": "http"})
    answer = connection.getresponse()
    assert answer.status == 200
    assert re.fullmatch(r"[0-9a-f]{32}", answer.headers["X-Request-ID"])
    assert "max-age=" in answer.headers["Strict-Transport-Security"]
    assert "Secure" in answer.headers["Set-Cookie"]
    connection.close()
    claims = ({"X-Forwarded-For": f"198.51.100.{number}"} for number in range(10))
    found = [visitor.ask("/api/v1/", None, **claim)[0] for claim in claims]
    assert found.count(429) >= 6, "whoever asks is one, whatever is claimed"


def test_no_visitor_takes_a_machine_from_the_others(nginx: str) -> None:
    """By what makes it hang up: nginx leaves a machine out that has failed, unless it is told not to."""
    loud, others = Visitor(nginx), Visitor(nginx)
    for _ in range(8):
        with suppress(OSError, http.client.HTTPException):
            loud.ask("/nosuch", {"game": "x" * 102_000})
        assert others.ask("/it/")[0] == 200
    upstreams = re.findall(r"server [\d.]+:\d+[^;]*;", DEPLOYED.read_text("utf-8"))
    assert ["max_fails=0" in one for one in upstreams] == [True, True]


@pytest.mark.slow
def test_nginx_lets_a_school_in(nginx: str) -> None:
    """A thousand phones behind one address, ten requests each within 15 seconds; and all may listen."""
    text = DEPLOYED.read_text("utf-8")
    rate, burst, connections = (
        int(re.findall(pattern, text)[0])
        for pattern in (r"rate=(\d+)r/s", r"burst=(\d+) nodelay", r"limit_conn tutor_connections (\d+);")
    )
    assert burst + 15 * rate >= 10_000
    assert connections >= MOST_STREAMS_OF_NETWORK + 500
    statuses: list[int] = []

    def phone() -> None:
        visitor = Visitor(nginx)
        statuses.extend(visitor.ask("/static/icon.svg")[0] for _ in range(20))

    phones = [threading.Thread(target=phone) for _ in range(20)]
    for one in phones:
        one.start()
    for one in phones:
        one.join()
    assert set(statuses) == {200}
    assert len(statuses) == 400


@pytest.mark.slow
def test_nginx_speaks_http_2_and_keeps_health_inside(nginx: str) -> None:
    if not (curl := shutil.which("curl")):
        pytest.skip("no curl: apt-get install curl")
    said = "%{http_version} %{http_code} "
    paths = [f"{nginx}{path}" for path in ("/it/", "/healthz", "/readyz")]
    done = subprocess.run(
        [curl, "-sk", "--http2", "-o", "/dev/null", "-o", "/dev/null", "-o", "/dev/null", "-w", said, *paths],
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["2", "200", "2", "404", "2", "404"]


# One machine


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("server") / "rulebook.db")
    yield made
    made.kill()


FOLLOWERS, BEATS = 50, 40


@pytest.mark.slow
def test_guests_who_come_and_go_see_the_last_beat_and_none_twice(
    server: Server, follow: Callable[..., Follower]
) -> None:
    presenter = Presenter(server.url)
    langs = [*LANGUAGES]
    followers = [follow(server.url, presenter.code, langs[i % len(langs)]) for i in range(FOLLOWERS)]
    for follower in followers:
        follower.sees(2)
    over = threading.Event()

    def disturb() -> None:
        chosen = random.Random(1)
        while not over.wait(0.02):
            chosen.choice(followers).drop()

    disturbing = threading.Thread(target=disturb)
    disturbing.start()
    version = 0
    for _ in range(BEATS):
        version = presenter.move_on()
    over.set()
    disturbing.join()
    for follower in followers:
        follower.sees(version)
        assert follower.versions == sorted(set(follower.versions))
        assert follower.versions[-1] == version
    assert sum(follower.connections for follower in followers) > FOLLOWERS + 20, "they did come and go"
    _, notes = presenter.ask(presenter.screen.replace("present", "notes"))
    assert re.findall(r"(\d+) partecipanti", notes) == [str(FOLLOWERS)], (
        "whoever comes back is the same guest"
    )


@contextmanager
def in_its_place(live: Path) -> Iterator[None]:
    """A folder where the file was: nobody can write there, not even root."""
    aside = live.with_name("aside.db")
    with alone_in(live.parent):  # or the server makes a new file between the two
        live.rename(aside)
        live.mkdir()
    yield
    with alone_in(live.parent):
        live.rmdir()
        aside.rename(live)


@contextmanager
def read_only(live: Path) -> Iterator[None]:
    for file in live.parent.glob(f"{live.name}*"):
        file.chmod(0o444)
    yield
    # The file itself first: SQLite gives its rights to what it makes beside it.
    for file in sorted(live.parent.glob(f"{live.name}*")):
        with suppress(FileNotFoundError):  # a journal that has been closed
            file.chmod(0o644)


@pytest.mark.parametrize(("fault", "said"), [(in_its_place, "raggiungibili"), (read_only, "salvare")])
def test_a_store_that_cannot_be_written(server: Server, fault: Callable[..., Any], said: str) -> None:
    if fault is read_only and os.geteuid() == 0:
        pytest.skip("root may write everything")
    presenter, form = Presenter(server.url), {"game": "border", "do": "again", "version": "2"}
    with fault(server.database.with_name("live.db")):
        for path in ("/it/t/", presenter.screen):
            status, page = presenter.ask(path, form)
            assert status == 503
            assert said in page
        assert presenter.ask("/it/border/learn/grey")[0] == 200
    wait_for(lambda: presenter.ask(presenter.screen, form)[0] == 303)  # older connections are closed first
    presenter.move_on()


def test_a_stream_goes_on_over_what_this_version_has_not(
    server: Server, follow: Callable[..., Follower]
) -> None:
    presenter = Presenter(server.url)
    code = presenter.code
    follower = follow(server.url, code)
    follower.sees(2)
    with closing(open_log(str(server.database.with_name("live.db")))) as log:
        log.append(code, "stage", {"kind": "shown", "place": {"screen": "gone"}})
        follower.wait(lambda: "fault" in follower.names())
        assert follower.events[-1][2].startswith('"Przy tym stole')
        log.append(code, "stage", {"kind": "shown", "place": {"screen": "grey"}})
        follower.sees(4)
        assert follower.connections == 1
        # What only a newer version can show: who comes back may meet one.
        log.append(code, "stage", {"kind": "film", "must": True})
        follower.wait(lambda: "down" in follower.names())
        log.append(code, "stage", {"kind": "shown", "place": {"screen": "white"}})
        follower.sees(6)
        assert follower.connections > 1
    assert presenter.move_on() == 7


def test_a_stream_goes_on_at_a_table_that_has_lost_its_end(
    server: Server, follow: Callable[..., Follower]
) -> None:
    presenter = Presenter(server.url)
    code = presenter.code
    follower = follow(server.url, code)
    for version in (3, 4, 5):
        assert presenter.move_on() == version
        follower.sees(version)
    with closing(open_log(str(server.database.with_name("live.db")))) as log:
        stage, floor = ([event.body for event in log.read(code, name)] for name in CHANNELS)
        log.put(code, stage[:3], floor, replace=True)
        follower.wait(lambda: follower.versions[-1] == 3)
        assert presenter.move_on() == 4
        follower.wait(lambda: follower.versions[-1] == 4)
    assert follower.connections == 1


def test_a_damaged_store_is_mended_while_it_is_served(server: Server) -> None:
    presenter = Presenter(server.url)
    live = server.database.with_name("live.db")
    with closing(sqlite3.connect(live)) as db:
        db.execute("pragma wal_checkpoint(truncate)")
    with live.open("r+b") as file:
        file.seek(100)
        file.write(os.urandom(live.stat().st_size - 100))
    visitor = Visitor(server.url)
    statuses = set()

    def mended() -> bool:
        status, page = visitor.ask(f"/it/t/{presenter.code}")
        statuses.add(status)
        assert status == 404 or "raggiungibili" in page
        return status == 404

    until = time.monotonic() + 60
    while not mended() and time.monotonic() < until:
        assert visitor.ask("/it/border/learn/grey")[0] == 200
        time.sleep(0.1)
    assert statuses == {404, 503}
    assert [*live.parent.glob("live.db.broken-*")]
    Presenter(server.url).move_on()


def test_a_store_of_a_newer_version_is_told_in_all_languages(server: Server) -> None:
    presenter = Presenter(server.url)
    live = server.database.with_name("live.db")
    said = (
        "The live tables belong to a newer version of this site than the one you have reached."
        " Lessons, rules and the referee still work; please try again in a moment."
    )
    visitor = Visitor(server.url)
    with closing(sqlite3.connect(live)) as db:
        db.execute(f"pragma user_version = {SCHEMA + 1}")
        for lang in LANGUAGES:
            status, page = visitor.ask(f"/{lang}/t/{presenter.code}")
            assert status == 503
            assert translated(said, lang) in unescape(page).replace("\N{NO-BREAK SPACE}", " ")
            assert visitor.ask(f"/{lang}/border/learn/grey")[0] == 200
        db.execute(f"pragma user_version = {SCHEMA}")
    presenter.move_on()


def test_a_server_ends_although_streams_are_open(server: Server, follow: Callable[..., Follower]) -> None:
    presenter = Presenter(server.url)
    followers = [follow(server.url, presenter.code) for _ in range(5)]
    for follower in followers:
        follower.sees(2)
    server.end(within=7)
    server.start()
    version = presenter.move_on()
    for follower in followers:
        follower.sees(version)
        assert follower.versions == [2, version]
