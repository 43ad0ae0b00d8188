"""Whose word counts about where a request comes from: a named proxy's, and nobody else's."""

from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask, request
from werkzeug.test import TestResponse

from tests.servers import Server
from tutor.cli import main
from tutor.web.http.proxy import Proxies

CLAIMS = {"X-Forwarded-For": "192.0.2.7", "X-Forwarded-Proto": "https", "X-Request-ID": "claimed-by-header"}


@pytest.fixture
def behind(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Flask]:
    """The site behind other proxies, with a page that says what it knows of a request."""

    def seen() -> str:
        return f"{request.scheme} {request.remote_addr} {request.host}"

    def make(proxies: str) -> Flask:
        monkeypatch.setattr(app.wsgi_app, "proxies", Proxies.parse(proxies))
        monkeypatch.setitem(app.view_functions, "pages.robots", seen)
        return app

    return make


def asked(site: Flask, remote: str, **more: str) -> TestResponse:
    headers = CLAIMS | {name.replace("_", "-"): value for name, value in more.items()}
    return site.test_client().get("/robots.txt", headers=headers, environ_base={"REMOTE_ADDR": remote})


@pytest.mark.parametrize(
    ("proxies", "remote", "believed"),
    [
        ("", "127.0.0.1", False),
        ("0", "127.0.0.1", False),
        ("1", "127.0.0.1", True),
        ("1", "127.8.9.1", True),
        ("1", "::1", True),
        ("1", "", True),  # a Unix socket
        ("1", "::ffff:127.0.0.1", True),
        ("1", "10.0.0.9", False),
        ("10.0.0.9", "10.0.0.9", True),
        ("10.0.0.9", "::ffff:10.0.0.9", True),
        ("10.0.0.9", "10.0.0.10", False),
        ("10.0.0.9", "127.0.0.1", False),
        ("10.0.0.9", "", False),
        ("10.0.0.9, 10.0.1.0/24", "10.0.1.200", True),
        ("10.0.0.9,10.0.1.0/24", "10.0.2.1", False),
        ("2001:db8::/64", "2001:db8::7", True),
        ("2001:db8::/64", "2001:db8:1::7", False),
        ("1,10.0.0.9", "127.0.0.1", True),
        ("10.0.0.9", "nonsense", False),
    ],
)
def test_only_a_named_proxy_is_believed(
    behind: Callable[[str], Flask], proxies: str, remote: str, believed: bool
) -> None:
    answer = asked(behind(proxies), remote)
    assert answer.text == ("https 192.0.2.7 localhost" if believed else f"http {remote} localhost")
    assert ("Strict-Transport-Security" in answer.headers) == believed


@pytest.mark.parametrize("wrong", ["yes", "10.0.0.9.1", "10.0.1.7/24", "10.0.0.9;1", "nginx", "2", "1.5"])
def test_nonsense_is_told_at_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("TUTOR_PROXY", wrong)
    with pytest.raises(SystemExit, match=r"^TUTOR_PROXY names the addresses"):
        main(["serve"])


def test_a_proxy_speaks_of_one_address_only(behind: Callable[[str], Flask]) -> None:
    """What stood there before came from the visitor."""
    forged = asked(behind("10.0.0.9"), "10.0.0.9", X_Forwarded_For="127.0.0.1, 192.0.2.7")
    assert forged.text == "https 192.0.2.7 localhost"


@pytest.mark.parametrize("remote", ["10.0.0.9", "192.0.2.1"])
def test_nobody_says_under_which_name_or_path_the_site_was_found(
    behind: Callable[[str], Flask], remote: str
) -> None:
    answer = asked(
        behind("10.0.0.9"),
        remote,
        X_Forwarded_Host="evil.example",
        X_Forwarded_Port="81",
        X_Forwarded_Prefix="/evil",
        Forwarded="for=192.0.2.9;host=evil.example;proto=https",
    )
    assert answer.status_code == 200
    assert answer.text.endswith(" localhost")


def test_the_limits_count_who_the_proxy_names_and_nobody_can_name_another(
    behind: Callable[[str], Flask], monkeypatch: pytest.MonkeyPatch
) -> None:
    site = behind("10.0.0.9")
    monkeypatch.setitem(site.config, "API_RATE", 0.05)

    def ask(remote: str, claimed: str) -> int:
        headers = {"X-Forwarded-For": claimed}
        answer = site.test_client().get("/api/v1/", headers=headers, environ_base={"REMOTE_ADDR": remote})
        return answer.status_code

    assert [ask("192.0.2.1", f"198.51.100.{number}") for number in range(3)] == [200, 429, 429]
    assert [ask("10.0.0.9", f"198.51.100.{number}") for number in range(3)] == [200, 200, 200]


# The server


def answer_of(server: Server, *headers: str) -> str:
    with server.connect() as connection:
        lines = ["GET /it/ HTTP/1.1", "Host: localhost", "Connection: close", *headers]
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        found = b""
        while data := connection.recv(1 << 16):
            found += data
    return found.decode("latin-1")


@pytest.mark.parametrize("proxies", ["", "1"])
@pytest.mark.patient
def test_a_server_at_a_unix_socket(tmp_path: Path, proxies: str) -> None:
    server = Server(tmp_path / "rulebook.db", host=f"unix:{tmp_path}/site", TUTOR_PROXY=proxies)
    try:
        assert answer_of(server).startswith("HTTP/1.1 200 ")
        answer = answer_of(server, "X-Forwarded-Proto: https", "X-Forwarded-For: 192.0.2.7")
        assert answer.startswith("HTTP/1.1 200 ")
        assert ("Strict-Transport-Security" in answer) == (proxies == "1")
        # gunicorn would let whoever comes by a socket say where the site is mounted.
        assert answer_of(server, "SCRIPT_NAME: /it").startswith("HTTP/1.1 200 ")
    finally:
        server.end(within=10)
