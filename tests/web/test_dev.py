"""`tutor dev`: what is saved is seen, what is broken is told, and nobody else is served."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.client import HTTPException
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Browser, expect
from werkzeug.test import Client

from tests import ROOT
from tests.conftest import free_port
from tests.servers import Visitor
from tutor.cli import main
from tutor.paths import CONTENT
from tutor.web.dev import HOST, stamp
from tutor.web.dev.page import Author, Problem, Told, problems_of_page

pytestmark = [pytest.mark.patient, pytest.mark.slow]

PATIENCE = 240
"""Seconds, for a busy machine. On one with nothing else to do, a change is seen in less than two."""


class Workshop:
    """A copy of everything that an author may change, and a server of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("tutor", "templates", "translations", "content"):
            shutil.copytree(ROOT / name, folder / name)
        shutil.copy(ROOT / "hatch_build.py", folder)
        self.port = free_port()
        self.visitor = Visitor(f"http://{HOST}:{self.port}")
        command = [sys.executable, "-m", "tutor", "dev", "--port", str(self.port)]
        env = os.environ | {"PYTHONPATH": str(folder)}
        self.process = subprocess.Popen(command, cwd=folder, env=env)

    def change(self, file: str, old: str, new: str) -> Callable[[], None]:
        """Saves a file with something else in it; what is returned undoes that."""
        path = self.folder / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

        def undo() -> None:
            path.write_text(text)

        return undo

    def sees(self, path: str, wanted: Callable[..., object], **headers: str) -> tuple[int, str]:
        """The page as soon as it is as wanted."""
        end = time.monotonic() + PATIENCE
        seen = 0, ""
        while time.monotonic() < end:
            assert self.process.poll() is None, "the server has ended"
            try:
                seen = self.visitor.ask(path, None, **headers)
            except (OSError, HTTPException):  # just being started anew
                seen = 0, ""
            if wanted(*seen):
                return seen
            time.sleep(0.1)
        raise AssertionError(f"{path} is not as wanted, but {seen[0]}: {seen[1][:2000]}")


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    made = Workshop(tmp_path_factory.mktemp("workshop"))
    try:
        made.sees("/en/border/", lambda status, page: status == 200)
        yield made
    finally:
        made.process.terminate()
        assert made.process.wait(10) == 0
    with socket.create_server((HOST, made.port)):  # no child has stayed to hold it
        pass


CHANGES = {
    "content": ("content/border/rulebook.en.md", "# The Border", "# Frontier", "/en/border/", "Frontier"),
    "template": ("templates/base.html", 'class="skip"', 'class="skip it"', "/en/", 'class="skip it"'),
    "translation": ("translations/it/LC_MESSAGES/messages.po", "Vai al", "Salta al", "/it/", "Salta al"),
    "python": ("tutor/web/health.py", 'SLOW = "ok"', 'SLOW = "fine"', "/healthz", "fine"),
}  # fmt: skip


def test_what_is_saved_is_seen(workshop: Workshop) -> None:
    for _, _, _, path, shown in CHANGES.values():
        assert shown not in workshop.visitor.ask(path)[1]
    undo = [workshop.change(file, old, new) for file, old, new, _, _ in CHANGES.values()]
    for _, _, _, path, shown in CHANGES.values():
        workshop.sees(path, lambda status, page, shown=shown: status == 200 and shown in page)
    for one in undo:
        one()
    for _, _, _, path, shown in CHANGES.values():
        workshop.sees(path, lambda status, page, shown=shown: status == 200 and shown not in page)


BROKEN = {
    "content": ("content/border/rules.toml", "[rules", "[rules!", r"border/rules\.toml:\d+: is not TOML"),
    "translation": ("translations/pl/LC_MESSAGES/messages.po", 'msgid "Skip', 'msgidd "Skip', "misformatted"),
    "python": ("tutor/web/health.py", "def alive", "def (alive", "SyntaxError"),
    "template": ("templates/base.html", "<body", "{% if %}<body", "TemplateSyntaxError"),
}  # fmt: skip


def test_what_is_broken_is_told_until_it_is_mended(workshop: Workshop) -> None:
    for file, old, new, told in BROKEN.values():
        mend = workshop.change(file, old, new)
        workshop.sees("/en/border/", lambda status, page, told=told: status == 500 and re.search(told, page))
        mend()
    workshop.sees("/en/border/", lambda status, page: status == 200)


def test_an_open_page_loads_itself_again(workshop: Workshop, browser: Browser) -> None:
    with browser.new_page() as page:
        refused: list[str] = []
        page.on("console", lambda said: refused.append(said.text) if "Security Policy" in said.text else None)
        page.goto(f"{workshop.visitor.url}/en/border/")
        mend = workshop.change("content/border/rulebook.en.md", "# The Border", "# Frontier")
        expect(page.locator("h1")).to_have_text("Frontier", timeout=1000 * PATIENCE)
        mend()
        expect(page.locator("h1")).to_have_text("The Border", timeout=1000 * PATIENCE)
    assert not refused


@pytest.mark.slow
def test_the_problems_of_a_game_are_on_its_pages(workshop: Workshop) -> None:
    mend = workshop.change("content/blockers/game.toml", "players = [2,", "players = [3,")
    told = "content/blockers/game.toml:"
    workshop.sees("/en/blockers/rules", lambda status, page: told in page)
    assert "dev-problems" not in workshop.visitor.ask("/en/border/")[1]
    assert told in workshop.visitor.ask("/en/")[1]
    mend()
    workshop.sees("/en/blockers/rules", lambda status, page: status == 200 and told not in page)


def _has_status(wanted: int, status: int, page: str) -> bool:
    return status == wanted


def test_only_this_machine_is_served(workshop: Workshop, capsys: pytest.CaptureFixture[str]) -> None:
    """There is no option for another host, and no page for a browser that was led here by another name."""
    with pytest.raises(SystemExit):
        main(["dev", "--host", "0.0.0.0"])
    assert "--host" in capsys.readouterr().err
    for host, status in (("example.org", 400), (f"localhost:{workshop.port}", 200)):
        workshop.sees("/en/", partial(_has_status, status), Host=host)


def test_a_search_waits_for_its_index(workshop: Workshop) -> None:
    status, page = workshop.visitor.ask("/api/v1/search?q=dice&lang=en")
    assert status == 200
    assert '"border.' in page


def test_a_taken_port_is_told(workshop: Workshop) -> None:
    with pytest.raises(SystemExit, match=f"port {workshop.port}: Address already in use"):
        main(["dev", "--port", str(workshop.port)])


@pytest.mark.slow
def test_no_child_outlives_a_parent_that_is_killed(tmp_path: Path) -> None:
    made = Workshop(tmp_path)
    made.sees("/healthz", lambda status, page: status == 200)
    made.process.kill()
    made.process.wait(10)
    end = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_server((HOST, made.port)).close()
            break
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.1)


IN_BORDER = Problem(str(CONTENT / "border" / "lesson.toml"), 3, "screen grey is <odd>")
IN_RULES = Problem(str(CONTENT / "border" / "rules.toml"), 1, "nothing covers this")
IN_ALL = Problem(str(CONTENT / "words.en.toml"), 2, "no noun")
IN_BLOCKERS = Problem(str(CONTENT / "blockers" / "asked.toml"), 2, "grey again")


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("/en/border/learn/grey", [IN_BORDER, IN_RULES, IN_ALL]),
        ("/en/border/rules", [IN_RULES, IN_BORDER, IN_ALL]),
        ("/en/confini/", [IN_ALL]),
        ("/", [IN_RULES, IN_BORDER, IN_ALL, IN_BLOCKERS]),
    ],
)
def test_a_page_tells_what_concerns_it(path: str, wanted: list[Problem]) -> None:
    assert problems_of_page(path, [IN_RULES, IN_BORDER, IN_ALL, IN_BLOCKERS]) == wanted


def author(tmp_path: Path, began: int = 1) -> tuple[Client, Told]:
    told = Told(tmp_path / "problems.json", began)
    site = Flask(__name__)
    site.config["PROPAGATE_EXCEPTIONS"] = True
    site.add_url_rule(
        "/page", view_func=lambda: ('<html><body class="a"><p>', {"ETag": '"x"'}), endpoint="page"
    )
    site.add_url_rule("/part", view_func=lambda: "<p>part", endpoint="part")
    site.add_url_rule("/text", view_func=lambda: ("<body>", {"Content-Type": "text/plain"}), endpoint="text")
    site.add_url_rule("/bad", view_func=lambda: str(1 // 0), endpoint="bad")
    return Client(Author(site, "", told)), told


def test_a_page_carries_its_problems(tmp_path: Path) -> None:
    client, told = author(tmp_path)
    assert "dev-problems" not in client.get("/page").text
    told.tell([IN_BORDER])
    page = client.get("/page")
    assert re.match(
        r'<html><body class="a"><link.*<details class="dev-problems" open>.*</details><p>$', page.text
    )
    assert "<summary>1 problem</summary>" in page.text
    assert "lesson.toml:3:</b> screen grey is &lt;odd&gt;" in page.text
    assert "ETag" not in page.headers  # a browser would take the page with other problems for the same
    assert client.get("/part").text == "<p>part"
    assert client.get("/text").text == "<body>"
    older, _ = author(tmp_path, began=2)
    assert "1 problem before the last change" in older.get("/page").text


def test_a_page_that_fails_shows_where(tmp_path: Path) -> None:
    client, _ = author(tmp_path)
    page = client.get("/bad")
    assert page.status_code == 500
    assert "ZeroDivisionError" in page.text


def test_a_page_is_loaded_again_when_it_would_look_different(tmp_path: Path) -> None:
    """That is: at a change, and when a check finds problems or finds them gone; not for nothing found."""
    first = Told(tmp_path / "problems.json", 1)
    seen = [first.token()]
    first.tell([])
    assert first.token() == seen[-1]
    first.tell([IN_BORDER])
    seen.append(first.token())
    second = Told(first.file, 2)
    seen.append(second.token())
    second.tell([IN_BORDER])
    seen.append(second.token())
    second.tell([])
    seen.append(second.token())
    assert len(set(seen)) == len(seen)


def test_news_are_told_at_once(tmp_path: Path) -> None:
    client, told = author(tmp_path)
    assert client.get("/-dev/news?seen=0").text == told.token()
    for file in ("dev.js", "dev.css"):
        assert client.get(f"/-dev/{file}").status_code == 200


def test_files_that_nobody_writes_are_no_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutor.web.dev.WATCHED", (tmp_path,))
    before = stamp()
    for name in ("__pycache__/a.pyc", "vendor/htmx.js", ".a.toml.swp", "a.toml~", "it.mo"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
        assert stamp() == before, name
    (tmp_path / "a.toml").write_text("")
    assert stamp() != before
