"""What a server writes: every request by a name, in one line that no visitor can break or forge."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from tests.conftest import free_port, seeded
from tests.pages import check
from tests.servers import Follower, Presenter
from tests.web.live.test_server import translated
from tutor.book.words import LANGUAGES
from tutor.cli import main
from tutor.web.http import request_id
from tutor.web.http.address import LONGEST_SHOWN_CHARS, mask_path
from tutor.web.http.log import Wanted, who

pytestmark = [pytest.mark.patient, pytest.mark.slow]

FAULTY = """
import sys
from pathlib import Path
from flask import Response
import tests
from tutor.web import serve

def broken(entry):
    raise KeyError("CDFH2345")  # as a code of a table

def forging(entry):
    raise ValueError("first\\n2026-01-01T00:00:00.000Z - error forged\\x1b[2J\\ud800")

def halting(entry):
    def parts():
        yield b"begun"
        raise RuntimeError("in the middle")
    return Response(parts())

database = Path(sys.argv[1])
site = serve.prepare(database)
faults = {"broken": broken, "forging": forging, "halting": halting}
site.view_functions["pages.permalink"] = lambda entry: faults[entry](entry)
serve.serve(site, database, "127.0.0.1", int(sys.argv[2]), 1)
"""


@dataclass
class Written:
    """A server some of whose pages fail, and what it writes."""

    port: int
    folder: Path
    process: int

    def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[int, str, dict[str, str]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, headers=sent)
        answer = connection.getresponse()
        try:
            text = answer.read().decode()
        except http.client.IncompleteRead:
            text = ""
        connection.close()
        return answer.status, text, dict(answer.headers)

    def lines(self, stream: str, part: str) -> list[str]:
        """The lines with this in them, as soon as there is one."""
        for _ in range(200):
            found = [line for line in (self.folder / stream).read_text().splitlines() if part in line]
            if found:
                return found
            time.sleep(0.05)
        raise AssertionError((self.folder / stream).read_text())

    def records(self, stream: str, part: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines(stream, part)]


def serving(folder: Path, **settings: str) -> Iterator[Written]:
    port = free_port()
    command = [sys.executable, "-c", FAULTY, str(seeded(folder / "rulebook.db")), str(port)]
    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        server = subprocess.Popen(command, env=os.environ | settings, stdout=out, stderr=err)
        made = Written(port, folder, server.pid)
        for _ in range(600):
            assert server.poll() is None, (folder / "err").read_text()
            try:
                made.ask("/robots.txt")
                break
            except OSError:
                time.sleep(0.1)
        yield made
        server.terminate()
        server.wait(20)


@pytest.fixture(scope="module")
def json_log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    yield from serving(tmp_path_factory.mktemp("json"), TUTOR_LOG="json", TUTOR_PROXY="1")


@pytest.fixture(scope="module")
def plain_log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    yield from serving(tmp_path_factory.mktemp("plain"), TUTOR_LOG="plain,health")


@pytest.fixture(scope="module")
def usual_log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    yield from serving(tmp_path_factory.mktemp("usual"))


# Requests


def test_a_request_is_a_line_of_json(json_log: Written) -> None:
    status, text, headers = json_log.ask("/it/border/rules?q=secret", X_Forwarded_For="192.0.2.7")
    [said] = json_log.records("out", headers["X-Request-ID"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", said.pop("time"))
    assert 0 <= said.pop("ms") < 60_000
    assert said.pop("bytes") == len(text.encode())
    pseudonym = said.pop("who")
    assert re.fullmatch(r"[0-9a-f]{8}", pseudonym)
    assert said == {
        "id": headers["X-Request-ID"],
        "method": "GET",
        "path": "/it/border/rules",
        "status": status,
    }
    for remote, same in (("192.0.2.7", True), ("192.0.2.8", False)):
        _, _, headers = json_log.ask("/it/", X_Forwarded_For=remote)
        [said] = json_log.records("out", headers["X-Request-ID"])
        assert (said["who"] == pseudonym) == same
    written = (json_log.folder / "out").read_text()
    assert "192.0.2" not in written
    assert "secret" not in written


def test_a_request_is_a_plain_line(plain_log: Written) -> None:
    _, text, headers = plain_log.ask("/en/none%20such/%0a2026%20forged%20%C5%82/")
    [line] = plain_log.lines("out", headers["X-Request-ID"])
    words = line.split(" ")
    assert len(words) == 8
    assert words[1:3] == [headers["X-Request-ID"], "GET"]
    assert words[3:6] == ["/en/none%20such/%0A2026%20forged%20%C5%82/", "404", str(len(text.encode()))]


def test_every_line_of_requests_is_whole(json_log: Written) -> None:
    for path in ("/%0a", "/%0d%0a{}", "/%00", "/%ff", "/%22,%22", "/%e2%80%a8", "/%1b[2J", "/" + "x" * 3000):
        json_log.ask(path)
    last = json_log.ask("/robots.txt")[2]["X-Request-ID"]
    json_log.lines("out", last)
    for line in (json_log.folder / "out").read_text().splitlines():
        assert json.loads(line)["path"].isascii()
        assert len(line) < 3 * LONGEST_SHOWN_CHARS + 300


def test_the_code_of_a_table_is_not_written(json_log: Written) -> None:
    presenter = Presenter(f"http://127.0.0.1:{json_log.port}")
    code = presenter.code
    for path in (f"/t/{code}", f"/en/t/{code.lower()}/", f"/T/{code}", f"/en/{code}", f"/t/{code}/code.svg"):
        json_log.ask(path)
    json_log.ask(f"/en/t/?code={code}")
    last = json_log.ask("/robots.txt")[2]["X-Request-ID"]
    json_log.lines("out", last)
    written = (json_log.folder / "out").read_text().upper()
    assert code not in written
    assert '"/IT/T/*/PRESENT"' in written


def test_health_is_asked_for_in_silence_unless_it_is_wanted(json_log: Written, plain_log: Written) -> None:
    for written in (json_log, plain_log):
        for path in ("/healthz", "/readyz"):
            written.ask(path)
        last = written.ask("/robots.txt")[2]["X-Request-ID"]
        written.lines("out", last)
    assert "healthz" not in (json_log.folder / "out").read_text()
    assert len(plain_log.lines("out", " /readyz 200 ")) == 1


def test_requests_are_not_written_unless_that_is_asked_for(usual_log: Written) -> None:
    usual_log.ask("/it/")
    assert (usual_log.folder / "out").read_text() == f"http://127.0.0.1:{usual_log.port}\n"


@pytest.mark.parametrize("wrong", ["yes", "json,plain", "health", "plain health", "1"])
def test_another_form_is_an_error_at_the_start(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("TUTOR_LOG", wrong)
    with pytest.raises(SystemExit, match=r"^TUTOR_LOG is plain or json"):
        main(["serve"])
    assert Wanted.parse("json, health") == (True, True, True)


# Faults


def test_a_fault_is_told_under_the_name_of_its_request(json_log: Written) -> None:
    status, page, headers = json_log.ask("/r/broken", X_Request_ID="from-the-proxy.1")
    assert status == 500
    assert headers["X-Request-ID"] == "from-the-proxy.1"
    assert "<code>from-the-proxy.1</code>" in page
    [fault] = json_log.records("err", "from-the-proxy.1")
    assert fault["level"] == "error"
    assert fault["from"] == "tutor.web.http.errors"
    assert fault["message"] == "unhandled KeyError at /r/broken"
    assert fault["trace"].startswith("Traceback (most recent call last):")
    assert fault["trace"].endswith("KeyError: '*'"), "what may be the code of a table is left out"
    [line] = json_log.records("out", "from-the-proxy.1")
    assert line["status"] == 500


def test_what_belongs_to_no_request_has_no_name(json_log: Written) -> None:
    """A stream that is still open when a worker is told to end is waited for, and that is told."""
    presenter = Presenter(f"http://127.0.0.1:{json_log.port}")
    follower = Follower(f"http://127.0.0.1:{json_log.port}", presenter.code)
    follower.sees(2)
    os.kill(json_log.process, signal.SIGHUP)
    [said] = json_log.records("err", "graceful timeout")
    follower.leave()
    assert said["id"] is None


def test_a_stream_that_fails_is_told_of_as_well(json_log: Written) -> None:
    _, _, headers = json_log.ask("/r/halting")
    [fault] = json_log.records("err", headers["X-Request-ID"])
    assert fault["trace"].endswith("RuntimeError: in the middle")


def test_a_fault_in_plain_is_a_line_and_an_indented_trace(usual_log: Written) -> None:
    _, _, headers = usual_log.ask("/r/forging")
    [line] = usual_log.lines("err", headers["X-Request-ID"])
    assert line.endswith(" error tutor.web.http.errors unhandled ValueError at /r/forging")
    written = (usual_log.folder / "err").read_text().splitlines()
    assert [one for one in written if not one.startswith(" ")] == [line]
    assert r"    2026-01-01T00:00:00.000Z - error forged\x1b[2J\ud800" in written


# Names


@pytest.mark.parametrize(
    "claimed", ["", "x" * 65, "a b", "ł", "<script>", "a\tb", "a;b", "../..", "a,b", "{}", "%0a", "\x85"]
)
def test_a_name_that_is_none_is_replaced(app: Flask, monkeypatch: pytest.MonkeyPatch, claimed: str) -> None:
    monkeypatch.setattr(app.wsgi_app, "proxies", ["127.0.0.1"])
    environ = {"HTTP_X_REQUEST_ID": claimed}
    found = app.test_client().get("/robots.txt", environ_base=environ).headers["X-Request-ID"]
    assert re.fullmatch(r"[0-9a-f]{16}", found)


@pytest.mark.parametrize("claimed", ["7", "0f" * 16, "1-5759e988-bd862e3fe1be46a994272793", "x" * 64])
def test_a_name_counts_only_if_a_proxy_gives_it(
    app: Flask, monkeypatch: pytest.MonkeyPatch, claimed: str
) -> None:
    def found() -> str:
        return app.test_client().get("/it/none", headers={"X-Request-ID": claimed}).headers["X-Request-ID"]

    assert found() != claimed
    monkeypatch.setattr(app.wsgi_app, "proxies", ["127.0.0.1"])
    assert found() == claimed


def test_each_request_has_a_name_of_its_own(app: Flask) -> None:
    client = app.test_client()
    assert len({client.get("/it/").headers[request_id.HEADER] for _ in range(20)}) == 20


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_of_our_fault_gives_its_number_in_the_readers_language(
    app: Flask, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    def broken(**_: str) -> str:
        raise ZeroDivisionError

    monkeypatch.setitem(app.view_functions, "pages.home", broken)
    said = translated(
        "If it keeps happening, tell whoever runs this site, and give them this error number:", lang
    )
    for _ in range(2):
        answer = app.test_client().get(f"/{lang}/")
        assert answer.status_code == 500
        check(f"/{lang}/", answer.text)
        text = answer.text.replace("&nbsp;", " ").replace("\N{NO-BREAK SPACE}", " ")
        assert f"{said} <code>{answer.headers['X-Request-ID']}</code>" in text


# What may be written


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("/it/border/rules", "/it/border/rules"),
        ("/it/t/CDFH2345", "/it/t/*"),
        ("/it/t/cdfh-2345/present", "/it/t/*/present"),
        ("/it/t/mistyped", "/it/t/*"),
        ("//t//CDFH2345", "//t//*"),
        ("/CDFH2345", "/*"),
        ("/it/t/", "/it/t/"),
        ("/t", "/t"),
        ("/a b\n\u2028", "/a%20b%0A%E2%80%A8"),
        ("/\ud800", "/%3F"),
        ("", ""),
    ],
)
def test_a_path_as_it_may_be_written(path: str, written: str) -> None:
    assert mask_path(path) == written


def test_who_asks_is_the_same_number_for_the_same_network() -> None:
    assert who("2001:db8::1") == who("2001:db8::2") != who("2001:db8:1::1")
    assert who("") != who("192.0.2.1")
