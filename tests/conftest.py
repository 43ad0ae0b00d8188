"""What all tests share: the library, the site, a client that checks every page, a browser, a Redis."""

import fcntl
import os
import random
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import settings
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from redis import Redis, RedisError

from tests import SHARED
from tests.books import COURSES, LIBRARY
from tests.pages import PageClient
from tutor.book.load import Library
from tutor.book.words import LANGUAGES
from tutor.games import GAMES
from tutor.games.tables import rows_of
from tutor.lessons.course import Course
from tutor.rules.base import CHANCE, Game
from tutor.search.opening import open_store
from tutor.web import create_app

LONGEST = (
    "test_fit.py", "test_browser.py", "test_pages.py", "test_referee_page.py",
    "test_pending.py", "test_present.py", "test_content.py", "test_wheel.py", "test_pending_live.py",
    "test_upgrade.py", "test_metrics.py", "test_search.py", "test_odd_sizes.py", "test_check.py",
)  # fmt: skip

os.environ.setdefault("TUTOR_WARM", "0")  # many servers are started, each for a few pages
SOAK = int(os.environ.get("TUTOR_SOAK", "1"))
"""How many times as much random tests do under `make soak`."""

# The same examples in every run, however slow the machine; `make soak` looks for others.
settings.register_profile("usual", deadline=None, derandomize=True)
settings.register_profile("soak", deadline=None)
settings.load_profile("usual" if SOAK == 1 else "soak")


def _is_one_of_many(item: pytest.Item) -> bool:
    """Whether others stand for a test of a game in a language: each game is tried in one, and each language
    with one."""
    params = getattr(getattr(item, "callspec", None), "params", {}).values()
    texts = [one for one in params if isinstance(one, str)]
    games, langs = [one for one in texts if one in GAMES], [one for one in texts if one in LANGUAGES]
    if len(games) != 1 or len(langs) != 1:
        return False
    return list(GAMES).index(games[0]) % len(LANGUAGES) != LANGUAGES.index(langs[0])


@pytest.hookimpl(tryfirst=True)  # before `-m` leaves tests out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever opens a browser is marked so. What runs over all games and all languages is left to
    `make test-all`, but for one game a language. The files that take longest begin first, so that no worker
    is left with one of them in the end."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
        if _is_one_of_many(item):
            item.add_marker("slow")
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))


@pytest.fixture(scope="session")
def library() -> Library:
    assert not LIBRARY.problems
    return LIBRARY


@pytest.fixture(scope="session")
def all_courses(library: Library) -> dict[str, Course]:
    return COURSES


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(SHARED, ignore_errors=True)


def seeded(database: Path) -> Path:
    """The same path, beside which the compiled rulebook is now: built once for the whole run, and copied."""
    with (SHARED / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        built = next(SHARED.glob("*.db"), None)
        if not built:
            built = open_store(LIBRARY, SHARED / "rulebook.db", rows_of(COURSES)).path
    place = database.with_name(built.name)
    if not place.exists():
        shutil.copy(built, place)
    return database


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    made = create_app(seeded(tmp_path_factory.mktemp("db") / "rulebook.db"))
    # Tests ask as often as they like, but for those of the limits.
    made.config.update(API_RATE=0, LIMITS=0)
    return made


@pytest.fixture
def client(app: Flask) -> PageClient:
    return PageClient(app)


# The same engine without the windows around it comes first: a page costs it half as much.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
ARGS = [
    "--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking",
    "--disable-component-update",
]  # fmt: skip
PATIENCE = 15_000
"""Milliseconds; a busy machine is slow, and what is right does not wait for it."""
expect.set_options(timeout=PATIENCE)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the real server, as `tutor serve` starts it, but without limits: a browser of the tests
    asks for more than any reader does."""
    port = free_port()
    database = seeded(tmp_path_factory.mktemp("site") / "rulebook.db")
    command = [sys.executable, "-m", "tests.serve", "serve", "--workers", "1", "--port", str(port)]
    chosen = {"TUTOR_DB": str(database), "TUTOR_LIMITS": "0"}
    server = subprocess.Popen(command, env=os.environ | chosen)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{address}/robots.txt", timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        server.terminate()
        server.wait(10)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield opened
        opened.close()


Open = Callable[..., Page]
# What htmx writes when it gives up a request for a newer one. (One that failed writes a third line.)
GIVEN_UP = ("htmx:afterRequest", "htmx:sendAbort")


@pytest.fixture
def open_page(browser: Browser, site: str) -> Iterator[Open]:
    """Makes pages, and fails in the end if one had a console error, a failed request, or asked elsewhere."""
    faults: list[str] = []
    contexts = []

    def heard(said: ConsoleMessage) -> None:
        if said.type in ("error", "warning") and not said.text.startswith(GIVEN_UP):
            faults.append(said.text)

    def new_page(**options: Any) -> Page:
        context = browser.new_context(base_url=site, **options)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("console", heard)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith(site) else faults.append(asked.url))
        page.on(
            "response", lambda got: faults.append(f"{got.status} {got.url}") if got.status >= 400 else None
        )
        return page

    yield new_page
    for context in contexts:
        context.close()
    assert not faults


REDIS = shutil.which("redis-server")


class RedisServer:
    """A Redis of the tests' own, which can be stopped and started again on the same port."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.command = [REDIS or "redis-server", "--bind", "127.0.0.1", "--dir", str(folder), *options]
        self.port = free_port()
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [*self.command, "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        with Redis(port=self.port) as client:
            for _ in range(300):
                assert self.process.poll() is None, "redis-server ended at once; is its port taken?"
                try:
                    # Another Redis may have come first to that port.
                    if client.info("server")["process_id"] == self.process.pid:
                        return
                except RedisError:
                    time.sleep(0.02)
        raise TimeoutError("redis-server does not answer")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., RedisServer]]:
    """Starts Redis servers, with the options given, and ends them with the tests."""
    if not REDIS and not os.environ.get("CI"):
        pytest.skip("no redis-server: apt-get install redis-server")
    started: list[RedisServer] = []

    def start(*options: str) -> RedisServer:
        started.append(RedisServer(tmp_path_factory.mktemp("redis"), *options))
        return started[-1]

    yield start
    for server in started:
        server.process.kill()
        server.process.wait(10)


@pytest.fixture(scope="session")
def redis_url(redis_server: Callable[..., RedisServer]) -> str:
    """The address of a Redis that keeps nothing. A file of tests takes a database of its own: `/1`, `/2`."""
    return redis_server("--save", "", "--appendonly", "no").url


def positions(game: Game, options: dict[str, Any], seed: int) -> Iterator[tuple[Any, Any]]:
    """A whole random game: every position with the move made in it; the last one with None."""
    chosen = random.Random(seed)
    state = game.setup(options)
    while game.turn(state):
        move = game.chance(state, chosen) if CHANCE in game.turn(state) else chosen.choice(game.moves(state))
        yield state, move
        state = game.play(state, move)
    yield state, None


def some(game: Game, options: dict[str, Any], seed: int, most: int) -> list[tuple[Any, Any]]:
    """At most this many positions of a random game, the last one among them; more under soak. They are drawn:
    every so many moves it would be chance's turn again."""
    *all_of_it, last = positions(game, options, seed)
    drawn = random.Random(seed).sample(range(len(all_of_it)), min(most * SOAK - 1, len(all_of_it)))
    return [*(all_of_it[i] for i in sorted(drawn)), last]


def replace(path: Path, old: str, new: str) -> None:
    """Changes a file in one place."""
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def damaged(text: str, others: list[str], chosen: random.Random) -> str:
    """A position with one part dropped, doubled, taken from another position, cut, or changed by a letter."""
    parts = text.split()
    i = chosen.randrange(len(parts))
    match chosen.randrange(6):
        case 0:
            del parts[i]
        case 1:
            parts.insert(i, parts[i])
        case 2:
            parts[i] = chosen.choice(chosen.choice(others).split())
        case 3:
            parts[i] = parts[i][: chosen.randrange(len(parts[i]))]
        case 4:
            at = chosen.randrange(len(parts[i]) + 1)
            parts[i] = parts[i][:at] + chosen.choice("0129pABGx=:,+-?@#é") + parts[i][at:]
        case _:
            at = chosen.randrange(len(parts[i]))
            parts[i] = parts[i][:at] + chosen.choice("0129pABGx=:,+-?@#é") + parts[i][at + 1 :]
    return " ".join(parts)
