"""What goes over the wire: addresses, hosts, caches, packing, fixed files, and the server under load."""

import gc
import gzip
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse, create_environ, run_wsgi_app

from tests.conftest import seeded
from tests.pages import Outline, PageClient
from tutor.book.words import LANGUAGES
from tutor.paths import STATIC
from tutor.web import create_app
from tutor.web.http import errors, request_id
from tutor.web.http.address import ATTEMPT
from tutor.web.http.address import site as own_address
from tutor.web.http.cache import OVERHEAD_BYTES, Body, Pages, takes_gzip
from tutor.web.http.files import SHEETS, Files
from tutor.web.http.security import HEADERS
from tutor.web.serve import prepare

STEP = "/it/border/learn/grey"
RULES = "/it/border/rules"


def carries_all_headers(answer: TestResponse) -> bool:
    return all(len(answer.headers.getlist(name)) == 1 for name in HEADERS)


@pytest.fixture
def made(app: Flask, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Grows by one whenever a page has to be made, and starts with no page kept."""
    found: list[object] = []

    def noted(work: Callable[[], object]) -> object:
        found.append(work)
        return work()

    monkeypatch.setitem(app.extensions, "aside", noted)
    monkeypatch.setitem(app.extensions, "pages", Pages())
    monkeypatch.setitem(app.extensions, "tried", Pages())
    return found


@pytest.fixture
def configured(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Flask]:
    """Makes a site under other settings."""

    def make(**settings: str) -> Flask:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        return create_app(seeded(tmp_path_factory.mktemp("configured") / "rulebook.db"))

    return make


# Addresses


@pytest.mark.parametrize(
    "query",
    ["endpoint=x", "_method=POST", "_scheme=x&_external=", "_external=1", "_anchor=x", "values=x", "self=x"],
)
@pytest.mark.parametrize("path", ["/it/", "/it/border/", RULES, STEP, "/it/none/", "/none"])
def test_reserved_names_in_a_query_mean_nothing(
    client: PageClient, made: list[object], path: str, query: str
) -> None:
    answer = client.client.get(f"{path}?{query}")
    plain = client.client.get(path)
    assert (answer.status_code, answer.data) == (plain.status_code, plain.data)
    assert plain.status_code == (404 if "none" in path else 200)


def test_a_query_never_overrides_the_route_in_the_language_links(
    client: PageClient, made: list[object]
) -> None:
    links = client.page(f"{RULES}?game=blockers&lang=es&step=x").links
    assert "/pl/border/rules" in links
    assert not [link for link in links if "blockers" in link]


def test_the_language_switch_keeps_repeated_values_and_drops_unknown_ones(client: PageClient) -> None:
    page = client.page("/it/border/learn/segments?choice=0&fbclid=a&choice=2&check=1")
    assert "/pl/border/learn/segments?choice=0&choice=2&check=1" in page.links


def test_an_error_page_that_fails_becomes_a_plain_one(
    app: Flask, monkeypatch: pytest.MonkeyPatch, made: list[object]
) -> None:
    def broken(*_: object, **__: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(errors, "render_template", broken)
    for path, status in (("/it/none/", 404), (f"{STEP}?moves=nonsense", 400)):
        answer = app.test_client().get(path)
        assert answer.status_code == status
        assert str(status) in answer.text
        assert carries_all_headers(answer)


def test_robots_may_read_the_pages_but_not_try_the_moves(client: PageClient) -> None:
    answer = client.client.get("/robots.txt")
    assert answer.mimetype == "text/plain"
    for name in ATTEMPT:
        assert f"Disallow: /*?*{name}=" in answer.text.splitlines()
    assert "Disallow: /\n" not in answer.text


# Hosts


@pytest.mark.parametrize(
    "host",
    ["..", "a..b", ".", "a" * 64, "a" * 64 + ".example.org", "", "user@localhost", "a b", "[::1"],
)
def test_a_malformed_host_gets_a_page_that_says_so(app: Flask, host: str) -> None:
    answer = app.test_client().get("/pl/", headers={"Host": host})
    assert answer.status_code == 400
    assert '<html lang="pl">' in answer.text
    assert carries_all_headers(answer)


@pytest.mark.parametrize(
    "host",
    ["localhost:8000", "127.0.0.1", "[::1]:8000", "rules.example.org", "Example.ORG.", "rules_tutor_1:8000"],
)
def test_any_well_formed_host_is_served_unless_hosts_are_named(app: Flask, host: str) -> None:
    assert app.test_client().get("/pl/", headers={"Host": host}).status_code == 200


def test_a_host_that_only_looks_like_a_name_is_refused(app: Flask) -> None:
    environ = create_environ("/pl/") | {"HTTP_HOST": "xn--a"}
    _, status, _ = run_wsgi_app(app, environ, buffered=True)
    assert status.startswith("400 ")


def test_an_address_of_ours_is_one_whatever_the_host(app: Flask) -> None:
    """Of a name with an underscore too; and a scheme is http or https, whatever a proxy says."""
    for host in ("rules_tutor_1:8000", "rules.example"):
        with app.test_request_context("/", headers={"Host": host}):
            assert own_address() == f"http://{host}"
    with app.test_request_context(
        "/", headers={"Host": "a.b"}, environ_overrides={"wsgi.url_scheme": "javascript"}
    ):
        assert own_address() == "http://a.b"


@pytest.mark.patient
def test_only_named_hosts_are_served(configured: Callable[..., Flask]) -> None:
    client = configured(TUTOR_HOSTS="example.org, .example.net").test_client()
    status = {
        host: client.get("/pl/", headers={"Host": host}).status_code
        for host in ("example.org", "example.org:8000", "a.example.net", "example.com", "aexample.org", "")
    }
    assert status == {
        "example.org": 200, "example.org:8000": 200, "a.example.net": 200, "example.com": 400,
        "aexample.org": 400, "": 400,
    }  # fmt: skip


def test_neither_host_nor_scheme_is_seen_in_a_page_or_grows_the_cache(app: Flask, made: list[object]) -> None:
    client = app.test_client()
    bodies = {
        client.get(RULES, headers={"Host": host}, base_url=base).data
        for host in ("localhost", "evil.example", "other.example:81")
        for base in ("http://localhost", "https://localhost")
    }
    assert len(bodies) == len(made) == len(app.extensions["pages"]) == 1
    assert b"evil.example" not in bodies.pop()


@pytest.mark.patient
def test_links_to_the_page_itself_are_absolute_only_if_the_address_is_known(
    client: PageClient, configured: Callable[..., Flask]
) -> None:
    pattern = r'rel="(?:canonical|alternate)"[^>]* href="([^"]*)"'
    expected = [RULES, *(f"/{lang}/border/rules" for lang in LANGUAGES)]
    assert not re.findall(pattern, client.get(f"{RULES}?x=1").text), "a header says it"
    known = configured(TUTOR_URL="https://rules.example.org/").test_client().get(RULES).text
    assert re.findall(pattern, known) == [f"https://rules.example.org{path}" for path in expected]


def test_search_engines_are_told_whole_addresses_by_the_host_that_they_asked(
    app: Flask, configured: Callable[..., Flask]
) -> None:
    """In a header: what is kept of a page is the same for all."""
    client = app.test_client()
    for host, base in (("tutor.example:8080", "http://localhost"), ("rules.example", "https://localhost")):
        answer = client.get(f"{RULES}?x=1", headers={"Host": host}, base_url=base)
        site = f"{base.partition(':')[0]}://{host}"
        assert re.findall(r"<([^>]*)>", answer.headers["Link"]) == [
            f"{site}{path}" for path in (RULES, *(f"/{lang}/border/rules" for lang in LANGUAGES))
        ]
        assert answer.headers["Link"].startswith(f'<{site}{RULES}>; rel="canonical", ')
        assert host not in answer.text
    assert "Link" not in client.get(RULES, headers={"Host": 'a">.example'}).headers
    assert "Link" not in client.get(STEP, headers={"HX-Request": "true"}).headers
    known = configured(TUTOR_URL="https://rules.example.org/").test_client()
    assert "Link" not in known.get(RULES, headers={"Host": "evil.example"}).headers


def test_made_up_hosts_push_out_no_page_that_many_ask_for(app: Flask) -> None:
    client = app.test_client()
    before = len(app.extensions["pages"])
    for number in range(3):
        page = client.get("/en/border/referee", headers={"Host": f"h{number}.example"}).text
        assert f'og:image" content="http://h{number}.example/referee/' in page
    assert len(app.extensions["pages"]) == before


def test_a_link_to_itself_leaves_out_what_the_reader_tried(client: PageClient) -> None:
    links = client.get(f"{STEP}?help=2&pick=G1").headers["Link"]
    assert links.startswith(f'<http://localhost{STEP}>; rel="canonical"')


@pytest.mark.parametrize(
    ("path", "status", "there"),
    [
        ("/it", 308, "/it/"),
        ("/it?x=1", 308, "/it/?x=1"),
        ("/it//border", 308, "/it/border/"),
        ("/it/border/learn", 308, "/it/border/learn/"),
        ("/", 302, "/en/"),
        ("/r/border.first.open", 302, "/en/border/rules#border.first.open"),
    ],
)
def test_redirects_stay_on_the_site(app: Flask, path: str, status: int, there: str) -> None:
    answer = app.test_client().get(path, headers={"Host": "evil.example"})
    assert (answer.status_code, answer.location) == (status, there)
    assert "evil" not in answer.text
    assert carries_all_headers(answer)


# Kept pages


def test_unknown_parameters_share_the_kept_page(app: Flask, made: list[object]) -> None:
    client = app.test_client()
    for path in ("/it/", "/it/border/", RULES, STEP, "/it/border/examples/tim-villa/"):
        before = len(made)
        tags = {client.get(path + query).headers["ETag"] for query in ("", "?fbclid=a", "?x=1&y=2", "?")}
        assert len(tags) == 1
        assert len(made) - before == 1, path


def forget(client: FlaskClient) -> None:
    """What a reader has done: pages that follow it are not kept."""
    for name in ("step-border", "helped-border"):
        client.delete_cookie(name)


def test_a_second_pass_over_all_pages_of_a_game_makes_none(app: Flask, made: list[object]) -> None:
    client = app.test_client()
    screens = app.extensions["shelf"].courses["border"].lessons.screens
    paths = ["/it/", "/it/border/", RULES, *(f"/it/border/learn/{screen}" for screen in screens)]
    paths += [f"/it/border/learn/{screen}?said={said}" for screen in screens for said in "yn"]
    for path in paths:
        client.get(path)
        forget(client)
    done = len(made)
    for path in paths:
        client.get(path)
        forget(client)
    assert len(made) == done


def test_own_moves_are_kept_apart(app: Flask, made: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    tried = Pages(20_000)
    monkeypatch.setitem(app.extensions, "tried", tried)
    client = app.test_client()
    client.get(STEP)
    kept = len(app.extensions["pages"])
    picks = [f"{STEP}?pick={row}{number}" for row in "FGH" for number in range(1, 8)]
    for address in picks:
        client.get(address)
    done = len(made)
    client.get(picks[-1])
    client.get(STEP)
    assert len(made) == done, "what was tried last, and what many ask for, is still there"
    client.get(picks[0])
    assert len(made) == done + 1, "the tries push out each other"
    assert len(app.extensions["pages"]) == kept
    assert tried.bytes <= 20_000


def test_each_reader_resumes_at_their_own_step_and_nonsense_makes_no_page(
    app: Flask, made: list[object]
) -> None:
    client = app.test_client()

    def resumed(cookie: str) -> list[str]:
        client.set_cookie("step-border", cookie)
        links = Outline(client.get("/it/border/").text).links
        return [link for link in ("/it/border/learn/grey", "/it/border/learn/segments") if link in links]

    assert resumed("segments") == ["/it/border/learn/segments"]
    assert resumed("grey") == ["/it/border/learn/grey"]
    assert resumed("none") == []
    done = len(made)
    for cookie in ("", "|", "<script>", "none", "sarah-grey.three|full", "segments" * 9):
        assert resumed(cookie) == []
    assert resumed("segments") == ["/it/border/learn/segments"]
    assert len(made) == done
    assert "Cookie" in client.get("/it/border/").headers["Vary"]


def test_the_pages_asked_for_last_are_kept_up_to_a_number_of_bytes() -> None:
    body = Body.of(os.urandom(1000), [])
    room = 3 * (len(body.data) + len(repr("a")) + OVERHEAD_BYTES)
    pages = Pages(room)
    for key in "abc":
        pages.put(key, body)
    assert pages.get("a") is body
    pages.put("d", body)
    assert pages.get("b") is None  # the one that nobody had asked for
    assert all(pages.get(key) for key in "acd")
    pages.put("e", Body.of(os.urandom(10_000), []))  # more than there is room for
    assert pages.get("e") is None
    assert all(pages.get(key) for key in "acd"), "it pushes out nothing"
    assert pages.bytes <= room
    pages.put("f", body)
    assert pages.get("f") is body


def test_a_long_address_is_part_of_what_a_page_costs() -> None:
    body, pages = Body.of(b"x", []), Pages(100_000)
    for number in range(100):
        pages.put(("q", f"{number}" + "x" * 2000), body)
    assert len(pages) * 2000 < pages.bytes <= 100_000


def test_an_error_page_is_the_same_wherever_it_was_first_met(app: Flask) -> None:
    """It is kept for all: of the page on which it was made nothing may stay in it."""
    pages = set()
    for first in ("/en/search?game=none", "/en/none/"):
        app.extensions["pages"].__init__()
        app.test_client().get(first)
        pages.add(app.test_client().get("/en/none/").text)
    assert len(pages) == 1
    assert 'class="find"' in pages.pop()


def test_error_pages_are_kept_and_packed(app: Flask, made: list[object]) -> None:
    client = app.test_client()
    for name in range(50):
        answer = client.get(f"/it/none-{name}/", headers={"Accept-Encoding": "gzip"})
        assert answer.status_code == 404
    assert answer.headers["Content-Encoding"] == "gzip"
    assert b'lang="it"' in gzip.decompress(answer.data)
    assert len(app.extensions["pages"]) == 1


# HTTP


@pytest.mark.parametrize(
    "path", ["/it/", "/it/border/", RULES, STEP, f"{STEP}?pick=G1", "/picture/border/glyphs.svg"]
)
@pytest.mark.parametrize("encoding", ["gzip", ""])
def test_what_the_reader_has_is_not_sent_again(app: Flask, path: str, encoding: str) -> None:
    client = app.test_client()
    first = client.get(path, headers={"Accept-Encoding": encoding})
    tag = first.headers["ETag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}', f'W/"x",W/{tag} , "y"', "*"):
        answer = client.get(path, headers={"Accept-Encoding": encoding, "If-None-Match": known})
        assert (answer.status_code, answer.data) == (304, b""), known
        assert "Content-Type" not in answer.headers
        for name in ("ETag", "Vary", "Cache-Control"):
            assert answer.headers[name] == first.headers[name]
        assert carries_all_headers(answer)
    for unknown in ('"other"', "", "W/", '"', f"{tag[:-1]}x"):
        answer = client.get(path, headers={"Accept-Encoding": encoding, "If-None-Match": unknown})
        assert answer.status_code == 200, unknown


def test_each_encoding_has_an_etag_of_its_own(app: Flask) -> None:
    client = app.test_client()
    packed = client.get(RULES, headers={"Accept-Encoding": "gzip"})
    plain = client.get(RULES)
    assert packed.headers["ETag"] != plain.headers["ETag"]
    assert gzip.decompress(packed.data) == plain.data
    known = packed.headers["ETag"]
    assert client.get(RULES, headers={"If-None-Match": known}).status_code == 200


@pytest.mark.parametrize(
    ("accepted", "takes"),
    [
        ("gzip", True), ("gzip, deflate, br, zstd", True), ("*", True), ("br;q=1.0, gzip;q=0.1", True),
        ("GZIP", True), ("", False), ("identity", False), ("gzip;q=0", False), ("gzip;q=0, *", False),
        ("gzip; q=0.000", False), ("*;q=0", False), ("notgzip", False), ("br", False), ("gzip;q=x", False),
    ],
)  # fmt: skip
def test_only_who_takes_gzip_gets_it(app: Flask, accepted: str, takes: bool) -> None:
    if accepted != "gzip;q=x":  # nonsense: either is right
        assert takes_gzip(accepted) == takes
    for path in (
        "/it/",
        RULES,
        f"{STEP}?pick=G1",
        "/static/style.css",
        "/picture/border/glyphs.svg",
        "/it/none/",
    ):
        answer = app.test_client().get(path, headers={"Accept-Encoding": accepted})
        assert "Accept-Encoding" in answer.headers["Vary"]
        packed = answer.headers.get("Content-Encoding") == "gzip"
        assert packed == takes_gzip(accepted)
        assert (gzip.decompress(answer.data) if packed else answer.data)[:1] in (
            b"<",
            b":",
            b"/",
            b"@",
            b"*",
            b".",
        )


@pytest.mark.parametrize("path", ["/it/", RULES, STEP, f"{STEP}?pick=G1", "/it/none/", "/static/style.css"])
def test_head_is_get_without_the_body(app: Flask, path: str) -> None:
    client = app.test_client()
    client.get(path)
    whole, head = client.get(path), client.head(path)
    assert head.data == b""
    assert whole.data
    assert head.headers.pop(request_id.HEADER) != whole.headers.pop(request_id.HEADER)
    assert (head.status_code, list(head.headers)) == (whole.status_code, list(whole.headers))


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize("path", [RULES, STEP, "/it/", "/static/style.css", "/robots.txt"])
def test_a_refused_method_is_told_which_ones_there_are(app: Flask, path: str, method: str) -> None:
    answer = app.test_client().open(path, method=method, data="x")
    assert answer.status_code == 405
    assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}
    assert carries_all_headers(answer)


def test_a_page_says_which_headers_it_follows(app: Flask) -> None:
    client = app.test_client()
    example = "/it/border/examples/tim-villa/villa"
    whole = client.get(example)
    for headers, same in (
        ({"HX-Request": "true"}, False),
        ({"HX-Request": "true", "HX-Boosted": "true"}, True),
        ({"HX-Request": "true", "HX-History-Restore-Request": "true"}, True),
    ):
        answer = client.get(example, headers=headers)
        assert (answer.data == whole.data) == same
        assert set(headers) <= set(answer.headers["Vary"].split(", "))


@pytest.mark.patient
def test_forwarded_headers_count_only_behind_a_proxy(app: Flask, configured: Callable[..., Flask]) -> None:
    claim = {"X-Forwarded-Proto": "https"}
    answer = app.test_client().get("/it/", headers=claim)
    assert "Strict-Transport-Security" not in answer.headers
    assert "Secure" not in answer.headers["Set-Cookie"]
    behind = configured(TUTOR_PROXY="1")
    answer = behind.test_client().get("/it/", headers=claim)
    assert "max-age=31536000" in answer.headers["Strict-Transport-Security"]
    assert "Secure" in answer.headers["Set-Cookie"]
    assert "Strict-Transport-Security" not in behind.test_client().get("/it/").headers


# Fixed files


def test_every_fixed_file_of_a_page_may_be_kept_for_a_year(client: PageClient) -> None:
    found: set[str] = set()
    for path in ("/it/", STEP, "/it/blockers/rules", "/it/confini/rules", RULES):
        found |= set(re.findall(r'(?:href|src)="(/(?:static|picture)/[^"#]*)', client.get(path).text))
    assert len(found) >= 10
    for address in found:
        answer = client.client.get(address, headers={"Accept-Encoding": "gzip"})
        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable", address
        assert answer.headers["Content-Encoding"] == "gzip", address
        assert carries_all_headers(answer)


@pytest.mark.parametrize(
    "path",
    [
        "/static/style.css", "/static/style.0123456789abcdef.css", "/picture/border/glyphs.svg",
        "/picture/border/glyphs.svg?v=0123456789abcdef", "/picture/border/glyphs.svg?v=",
    ],
)  # fmt: skip
def test_a_file_under_no_hash_or_an_old_one_is_sent_but_not_kept(client: PageClient, path: str) -> None:
    answer = client.client.get(path)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "public, no-cache"
    assert answer.headers["ETag"]


@pytest.mark.parametrize(
    "path",
    [
        "/static/", "/static/none.css", "/static/../pages.py", "/static/%2e%2e/pages.py", "/static/vendor",
        "/static/.0123456789abcdef.css", "/picture/border/none.svg", "/picture/none/board.svg",
        "/picture/border/..%2fboard-1.svg",
    ],
)  # fmt: skip
def test_there_are_no_other_files(client: PageClient, path: str) -> None:
    assert client.client.get(path).status_code == 404


def test_a_picture_is_drawn_once(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = app.extensions["shelf"].drawings["blockers"]
    draw, drawn = drawing.picture, []

    def noted(name: str) -> Any:
        drawn.append(name)
        return draw(name)

    monkeypatch.setattr(drawing, "picture", noted)
    monkeypatch.setitem(app.extensions, "pictures", {})
    monkeypatch.setitem(app.extensions, "pages", Pages())
    client = app.test_client()
    for path in ("/it/", "/it/blockers/", "/it/blockers/rules", "/picture/blockers/board.svg"):
        client.get(path)
        client.get(path, headers={"Accept-Encoding": "gzip"})
    assert sorted(drawn) == ["board", "pieces"]


def test_a_picture_that_changes_gets_another_address(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = app.extensions["shelf"].drawings["blockers"]
    draw = drawing.picture

    def address() -> set[str]:
        monkeypatch.setitem(app.extensions, "pictures", {})
        monkeypatch.setitem(app.extensions, "pages", Pages())
        return set(
            re.findall(r"/picture/blockers/board\.svg\?v=\w+", app.test_client().get("/it/blockers/").text)
        )

    before = address()
    assert address() == before
    monkeypatch.setattr(drawing, "picture", lambda name: draw(name).replace("</svg>", "<g/></svg>"))
    assert len(before) == len(address()) == 1
    assert address() != before


def test_the_style_sheet_brings_those_of_the_games(app: Flask, tmp_path: Path) -> None:
    sent = app.test_client().get("/static/style.css").data
    assert SHEETS
    assert all(sheet.read_bytes() in sent for sheet in (STATIC / "style.css", *SHEETS))
    own, more = tmp_path / "style.css", tmp_path / "more" / "style.css"
    more.parent.mkdir()
    own.write_text("a{}")
    more.write_text("b{}")
    files = Files(tmp_path, {"style.css": (more,)})
    old = files.add_hash("style.css")
    more.write_text("c{}")
    os.utime(more, ns=(1, 1))
    assert files.add_hash("style.css") != old
    with app.test_request_context("/"):
        assert files.answer("style.css").data == b"a{}c{}"


def test_an_edited_file_is_sent_under_a_new_name_at_once(app: Flask, tmp_path: Path) -> None:
    file = tmp_path / "style.css"
    file.write_text("a{}" * 100)
    files = Files(tmp_path)
    old = files.add_hash("style.css")
    assert re.fullmatch(r"style\.[0-9a-f]{16}\.css", old)
    file.write_text("b{}" * 100)
    os.utime(file, ns=(1, 1))
    new = files.add_hash("style.css")
    assert new != old
    with app.test_request_context("/"):
        assert "immutable" in files.answer(new).headers["Cache-Control"]
        stale = files.answer(old)
        assert stale.data == file.read_bytes()
        assert "immutable" not in stale.headers["Cache-Control"]


def test_a_file_is_packed_only_if_that_is_shorter(app: Flask, tmp_path: Path) -> None:
    (tmp_path / "noise.bin").write_bytes(os.urandom(500))
    body = Files(tmp_path).body("noise.bin")
    assert body
    assert not body.packed
    with app.test_request_context("/", headers={"Accept-Encoding": "gzip"}):
        assert "Content-Encoding" not in body.answer().headers


# The server


@pytest.mark.patient
@pytest.mark.slow
def test_the_first_visitor_finds_pictures_and_common_pages_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUTOR_HOSTS", "example.org")
    monkeypatch.delenv("TUTOR_WARM")
    site = prepare(tmp_path / "rulebook.db")
    gc.unfreeze()
    drawings = site.extensions["shelf"].drawings
    assert site.extensions["pictures"].keys() == {
        (game, name) for game in drawings for name in drawings[game].pictures
    }
    asked = sum("rulings" in offers for offers in site.extensions["shelf"].offers.values())
    assert len(site.extensions["pages"]) == len(LANGUAGES) * (1 + 3 * len(drawings) + asked)
    status = {
        host: site.test_client().get("/en/", headers={"Host": host}).status_code
        for host in ("example.org", "localhost")
    }
    assert status == {"example.org": 200, "localhost": 400}


SERVE = """
import sys
from pathlib import Path
import tests
from tutor.web import serve
serve.STALLED_SECONDS = 1
path = Path(sys.argv[1])
serve.serve(serve.prepare(path), path, "127.0.0.1", int(sys.argv[2]), 1)
"""


@contextmanager
def serving(database: Path) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """One worker, and readers who stall are dropped soon."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-c", SERVE, str(database), str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            for _ in range(300):
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    time.sleep(0.1)
            yield port, server
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with serving(seeded(tmp_path_factory.mktemp("serving") / "rulebook.db")) as (found, _):
        yield found


def request(path: str, method: str = "GET", **headers: object) -> bytes:
    lines = [
        f"{name.replace('_', '-')}: {value}" for name, value in ({"Host": "localhost"} | headers).items()
    ]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "\r\n"]).encode()


def ask(port: int, what: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.sendall(what)
    return connection


def first_line(connection: socket.socket) -> str:
    return connection.recv(4096).decode("latin-1").partition("\r\n")[0]


@pytest.mark.patient
@pytest.mark.slow
def test_a_newcomer_is_served_before_those_who_wait_for_pages_to_be_made(port: int) -> None:
    """Hundreds of others have asked for pages that nobody keeps; the newcomer's page is kept."""
    first_line(ask(port, request(STEP)))
    uncommon = [
        request(STEP.replace("it", lang, 1) + f"?pick={row}{column}")
        for lang in LANGUAGES
        for row in "ABCDEFGH"
        for column in range(1, 10)
    ]
    others = [ask(port, what) for what in uncommon]
    assert " 200 " in first_line(ask(port, request(STEP)))
    answered, _, _ = select.select(others, [], [], 0)
    assert len(answered) < len(others), "the newcomer was the last to be served"
    assert all(" 200 " in first_line(other) for other in others)


def test_one_connection_that_never_pauses_does_not_keep_others_out(port: int) -> None:
    """It sends hundreds of requests at once, and the newcomer is served before they are all answered."""
    first_line(ask(port, request(STEP)))

    def served_in_between() -> bool:
        greedy = ask(port, request(STEP, Accept_Encoding="gzip") * 500)
        assert " 200 " in first_line(ask(port, request(STEP)))
        greedy.setblocking(False)
        seen = 0
        try:
            while data := greedy.recv(1 << 20):
                seen += data.count(b"HTTP/1.1 200")
        except BlockingIOError:
            pass
        return seen < 500

    # A server that is kept busy is never in time; one that is not may be overtaken by a slow test.
    assert any(served_in_between() for _ in range(5))


def test_no_connection_is_served_for_ever(port: int) -> None:
    connection = ask(port, request("/robots.txt") * 1001)
    found = b""
    while data := connection.recv(1 << 20):
        found += data
    assert found.count(b"HTTP/1.1 200") == 1000
    assert found.count(b"Connection: close") == 1


@pytest.mark.patient
def test_a_reader_who_never_reads_is_dropped(port: int) -> None:
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", port))
        connection.settimeout(60)
        with pytest.raises(ConnectionError):  # noqa: PT012 -- it takes many before the server cannot send
            while True:
                connection.sendall(request(RULES))


@pytest.mark.parametrize("more", [{"Content_Length": 100_000_000}, {"Transfer_Encoding": "chunked"}])
def test_a_long_body_that_nobody_wants_is_not_read(port: int, more: dict[str, object]) -> None:
    connection = ask(port, request(RULES, "POST", **more))
    answer = connection.recv(65536).decode("latin-1")
    assert " 405 " in answer.partition("\r\n")[0]
    assert "Connection: close" in answer
    sent = 0
    with pytest.raises(ConnectionError):  # noqa: PT012
        while sent < 100_000_000:
            connection.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
            sent += 65536
    assert sent < 20_000_000


def test_a_fault_in_a_page_made_aside_is_answered_as_ever(port: int) -> None:
    assert " 400 " in first_line(ask(port, request(f"{STEP}?moves=nonsense")))
    assert " 302 " in first_line(ask(port, request("/en/border/learn/roll?moves=p1+roll")))


def test_a_forwarded_scheme_is_not_believed(port: int) -> None:
    answer = ask(port, request("/it/", X_Forwarded_Proto="https")).recv(4096)
    assert b" 200 " in answer
    assert b"Strict-Transport-Security" not in answer


@pytest.mark.patient
def test_the_server_ends_quietly_when_interrupted(tmp_path: Path) -> None:
    with serving(seeded(tmp_path / "rulebook.db")) as (port, server):
        assert " 200 " in first_line(ask(port, request("/it/")))
        server.send_signal(signal.SIGINT)
        output, errors_printed = server.communicate(timeout=60)
    assert (server.returncode, errors_printed) == (0, "")
    assert output == f"http://127.0.0.1:{port}\n"


def test_a_long_wish_for_languages_costs_nothing(app: Flask) -> None:
    """Only its beginning is read."""
    client = app.test_client()
    wish = "pl;q=0.9, " + "a," * 4000
    assert client.get("/", headers={"Accept-Language": wish}).location == "/pl/"
    assert client.get("/", headers={"Accept-Language": "a," * 4000 + "pl"}).location == "/en/"


def test_a_host_that_is_too_long_or_not_ascii_is_refused_unread(app: Flask) -> None:
    client = app.test_client()
    for host in ("ä" * 2000, "a" * 300, "a." * 140):
        assert client.get("/en/", headers={"Host": host}).status_code == 400


@pytest.mark.patient
def test_a_cookie_of_helps_is_read_once_and_makes_no_kept_page(app: Flask) -> None:
    client = app.test_client()
    kept = len(app.extensions["pages"])
    client.set_cookie("helped-border", ".".join(["grey", "roll", "nonsense"] * 300))
    page = client.get("/en/border/learn/end")
    assert page.text.count('/learn/grey"') == 1
    assert len(app.extensions["pages"]) == kept
    cookie = page.headers.get("Set-Cookie", "")
    assert len(cookie) < 400
