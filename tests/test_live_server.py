"""Live tables on real servers: two on one Redis, behind nginx, guests who come and go, and faults."""

import gettext
import os
import random
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import RedisServer, free_port
from tests.servers import Follower, Presenter, Server, Visitor
from tutor.book.words import LANGUAGES
from tutor.paths import TRANSLATIONS

README = Path(__file__).parent.parent / "README.md"
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
    one, two = (Server(database, TUTOR_LIVE=redis.url, TUTOR_PROXY="1") for _ in range(2))
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
    versions = [2]
    for follower in followers:
        follower.sees(2)
    for _ in range(8):
        versions.append(presenter.move_on())
        told = time.monotonic()
        for follower in followers:
            follower.sees(versions[-1])
            assert follower.events[-1][3] - told < PROMPT
    in_order(followers, versions)
    assert len({follower.events[-1][2] for follower in followers}) == len(LANGUAGES), "each in its language"
    presenter.url = two.url  # the other machine knows the presenter, too
    assert presenter.move_on() == versions[-1] + 1


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
            assert status in (200, 302), path
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


# Behind nginx


def configuration(servers: tuple[Server, Server], port: int) -> str:
    """What the README shows, with the addresses of this test."""
    section = README.read_text("utf-8").partition("## Many machines")[2].partition("\n## ")[0]
    shown = "\n".join(re.findall(r"(?m)^    (.*)$", section))
    assert "upstream tutor" in shown
    for address, server in zip(re.findall(r"server (\S+:8000);", shown), servers, strict=True):
        shown = shown.replace(address, f"127.0.0.1:{server.port}")
    return shown.replace("listen 80;", f"listen 127.0.0.1:{port};")


@pytest.fixture
def nginx(servers: tuple[Server, Server], tmp_path: Path) -> Iterator[str]:
    if not NGINX:
        pytest.skip("no nginx: apt-get install nginx-light")
    port = free_port()
    places = "".join(
        f"{name}_temp_path {tmp_path};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file = tmp_path / "nginx.conf"
    file.write_text(
        f"daemon off; pid {tmp_path}/pid; error_log stderr; worker_processes 1;"
        f"events {{}} http {{ access_log off; {places} {configuration(servers, port)} }}"
    )
    process = subprocess.Popen([NGINX, "-p", str(tmp_path), "-e", "stderr", "-c", str(file)])
    address = f"http://127.0.0.1:{port}"
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


def test_two_servers_behind_nginx(nginx: str, follow: Callable[..., Follower]) -> None:
    presenter = Presenter(nginx)
    followers = [follow(nginx, presenter.code, lang) for lang in LANGUAGES]
    for follower in followers:
        follower.sees(2)
    versions = [2]
    for _ in range(6):
        versions.append(presenter.move_on())
        told = time.monotonic()
        for follower in followers:
            follower.sees(versions[-1])
            assert follower.events[-1][3] - told < PROMPT
    in_order(followers, versions)
    _, page = presenter.ask(presenter.screen)
    assert f"{nginx.partition('://')[2]}/t/" in page, "guests are sent to nginx, not to a machine behind it"


# One machine


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("server") / "rulebook.db")
    yield made
    made.kill()


FOLLOWERS, BEATS = 50, 40


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
    live.rename(aside)
    live.mkdir()
    yield
    live.rmdir()
    aside.rename(live)


@contextmanager
def read_only(live: Path) -> Iterator[None]:
    files = [*live.parent.glob(f"{live.name}*")]
    for file in files:
        file.chmod(0o444)
    yield
    for file in files:
        file.chmod(0o644)


@pytest.mark.parametrize("fault", [in_its_place, read_only])
def test_a_store_that_cannot_be_written(server: Server, fault: Callable[..., Any]) -> None:
    if fault is read_only and os.geteuid() == 0:
        pytest.skip("root may write everything")
    presenter = Presenter(server.url)
    with fault(server.database.with_name("live.db")):
        for path in ("/it/t/", presenter.screen):
            status, page = presenter.ask(path, {"game": "border", "do": "again", "version": "2"})
            assert status == 503
            assert "raggiungibili" in page or "salvare" in page
        assert presenter.ask("/it/border/learn/grey")[0] == 200
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
