"""The API and the commands that print its answers: typed, in the asked language, and never a page."""

import json
import random
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import schemathesis
from flask import Flask, g
from flask.testing import FlaskClient
from schemathesis import engine
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events

from tests import nim
from tests.books import FULL
from tests.conftest import SOAK
from tests.pages import PageClient
from tutor.book.load import Library
from tutor.book.words import LANGUAGES
from tutor.cli import main
from tutor.games import GAMES
from tutor.games.tables import pieces_of
from tutor.lessons.course import Course
from tutor.lookup.records import ids
from tutor.referee import programs
from tutor.web import create_app
from tutor.web.api import operations
from tutor.web.api import page as api_page
from tutor.web.http.address import API
from tutor.web.http.security import HEADERS

SARAH = "first active=p1 rolls=3 dice=GGGYB p1=2 p2=3 p3=4 p4=1"
each_language = pytest.mark.parametrize("lang", LANGUAGES)
KINDS = {"rules": "rule", "rulings": "ruling", "editions": "edition"}


@pytest.fixture
def http(app: Flask) -> FlaskClient:
    return app.test_client()


def got(http: FlaskClient, path: str, status: int = 200, **kwargs: Any) -> Any:
    answer = http.get(operations.BASE + path, **kwargs)
    assert answer.status_code == status, answer.text
    assert answer.content_type == "application/json"
    return answer.json


def posted(http: FlaskClient, path: str, body: Any, status: int = 200, **kwargs: Any) -> Any:
    data = body if isinstance(body, bytes) else json.dumps(body)
    answer = http.post(operations.BASE + path, data=data, **kwargs)
    assert answer.status_code == status, answer.text
    assert answer.content_type == "application/json"
    return answer.json


# Answers


@each_language
@pytest.mark.patient
def test_search_answers_as_the_site_does_with_addresses_that_exist(
    http: FlaskClient, client: PageClient, lang: str
) -> None:
    told = got(http, f"/search?q=dado+rosso&lang={lang}&game=border")
    assert {"id", "kind", "game", "title", "url", "snippet"} == set(told["results"][0])
    assert len(told["results"]) >= 5
    assert len(got(http, f"/search?q=dado+rosso&lang={lang}&limit=3")["results"]) == 3
    for one in told["results"]:
        assert one["url"].startswith(f"/{lang}/")
        parts = urlsplit(one["url"])
        page = client.page(parts.path)
        assert not parts.fragment or parts.fragment in page.ids


def test_search_says_what_it_made_of_a_query(http: FlaskClient) -> None:
    assert got(http, "/search?q=segmrnt&lang=pl")["instead"]
    assert got(http, "/search?q=whogoesfirst&lang=en")["near"] is True
    assert got(http, "/search?q=zzzzqqq&lang=en") == {"results": [], "instead": "", "near": False}
    assert got(http, "/search?q=&lang=&game=") == {"results": [], "instead": "", "near": False}


@each_language
@pytest.mark.parametrize("path", KINDS)
def test_lists_hold_every_entry_once_page_by_page(
    http: FlaskClient, library: Library, lang: str, path: str
) -> None:
    texts = [by_lang[lang] for by_lang in library.texts.values()]
    wanted = [one.id for text in texts for one in text.entries.values() if one.kind == KINDS[path]]
    found: list[Any] = []
    while True:
        told = got(http, f"/{path}?lang={lang}&limit=40&offset={len(found)}")
        assert told["total"] == len(wanted)
        found += told["results"]
        if not told["results"]:
            break
        assert len(told["results"]) <= 40
    assert [one["id"] for one in found] == wanted
    assert all(one["title"] and one["text"] and one["section"] for one in found)
    for one in random.Random(1).sample(found, 5):
        assert got(http, f"/{path}/{one['id']}?lang={lang}") == one


def test_a_rule_says_why_what_touches_it_and_where_it_is_shown(
    http: FlaskClient, client: PageClient, library: Library
) -> None:
    for name, book in library.games.items():
        for rule in got(http, f"/rules?game={name}&limit=100")["results"]:
            declared = book.game.rules.get(rule["id"])
            if declared and declared.refuses is not None:
                assert rule["why"], rule["id"]
            assert rule["shown"], rule["id"]
    rule = got(http, "/rules/border.first.open?lang=it")
    for link in rule["shown"]:
        client.page(link["url"])
    note = got(http, "/editions/border.edition.dice?lang=it")
    (related,) = note["related"]
    assert note["id"] in [one["id"] for one in got(http, f"/rules/{related['id']}")["related"]]
    assert {one["game"] for one in got(http, "/rules?game=confini")["results"]} == {"confini"}


def test_terms_have_all_languages_and_games_tell_a_program_how_to_play(
    http: FlaskClient, library: Library
) -> None:
    assert got(http, "/terms?limit=1")["total"] == len(library.terms)
    term = got(http, "/terms/player")
    assert set(term["words"]) == set(LANGUAGES)
    assert {"word", "also", "means", "box"} == set(term["words"]["pl"])
    assert term["words"]["pl"]["means"].keys() == set(FULL)
    assert [game["id"] for game in got(http, "/games?lang=es")["results"]] == list(GAMES)
    for name, book in library.games.items():
        told = json.loads(json.dumps(programs.describe(book)))
        assert got(http, f"/games/{name}") == told


@pytest.mark.patient
def test_pieces_are_those_of_the_list_with_all_that_touches_them(
    http: FlaskClient, client: PageClient, all_courses: dict[str, Course]
) -> None:
    for name, course in all_courses.items():
        listed = pieces_of(course, "pl")
        told = got(http, f"/pieces?game={name}&lang=pl&limit=100")
        assert told["total"] == len(listed)
        assert [(one["id"], one["count"]) for one in told["results"]] == [
            (one.id, one.count) for one in listed[:100]
        ]
        page = client.page(f"/pl/{name}/{'pieces' if listed else ''}")
        for one, piece in zip(told["results"], listed, strict=False):
            assert one["url"].startswith(f"/pl/{name}/pieces#")
            assert one["id"] in page.ids
            related = [link["id"] for link in one["related"]]
            assert related == [id_ for id_, _ in (*piece.rules, *piece.rulings)]


@each_language
def test_judge_answers_as_the_referee_does(http: FlaskClient, library: Library, lang: str) -> None:
    for body in (
        {"game": "border", "start": SARAH, "try": "p1 cross G1 G2", "lang": lang},
        {"game": "border", "start": SARAH, "list": True, "lang": lang},
        {"game": "confini", "list": True, "lang": lang},
    ):
        line = json.dumps(body)
        assert posted(http, "/judge", body) == json.loads(programs.answer_line(library, line))
    listed = posted(http, "/moves", {"game": "border", "start": SARAH, "lang": lang})
    assert sorted(listed["legal"]) == ["p1 cross D11 D12", "p1 cross G1 G2 H1", "p1 done"]
    assert set(listed) == {"position", "turn", "facts", "legal", "count", "chance"}


def test_the_body_the_address_and_the_header_say_the_language_in_this_order(http: FlaskClient) -> None:
    body = {"game": "border", "start": SARAH, "try": "p1 cross G1 G2"}
    polish = {"Accept-Language": "pl"}

    def url(path: str, body: Any) -> str:
        return str(posted(http, path, body, headers=polish)["verdict"]["reasons"][0]["url"])

    assert url("/judge", body).startswith("/pl/")
    assert url("/judge?lang=es", body).startswith("/es/")
    assert url("/judge?lang=es", body | {"lang": "it"}).startswith("/it/")
    http.set_cookie("lang", "it")  # a reader's choice is none of a program's
    assert got(http, "/rules?limit=1", headers=polish)["results"][0]["lang"] == "pl"


# Errors


@each_language
def test_every_error_is_json_with_a_code_and_a_message_in_the_language(http: FlaskClient, lang: str) -> None:
    seen = set()
    for path, status, code in (
        (f"/rules?limit=0&lang={lang}", 400, "option.number"),
        (f"/rules?offset=x&lang={lang}", 400, "option.number"),
        (f"/rules?limit=%D9%A3&lang={lang}", 400, "option.number"),
        (f"/rules?game=chess&lang={lang}", 400, "option.one"),
        (f"/rules?hats=1&lang={lang}", 400, "option"),
        (f"/rules?lang={lang}&lang=it", 400, "request"),
        (f"/rules/nope?lang={lang}", 404, "id"),
        (f"/rulings/border.first.open?lang={lang}", 404, "id"),
        (f"/terms/nope?lang={lang}", 404, "id"),
        (f"/games/chess?lang={lang}", 404, "game"),
        (f"/nope?lang={lang}", 404, "not-found"),
        (f"//rules?lang={lang}", 404, "not-found"),
        (f"/judge?lang={lang}", 405, "method"),
        (f"/rules?lang={lang}&q={'x' * 2000}", 414, "too-long"),
    ):
        error = got(http, path, status)["error"]
        assert set(error) == {"code", "message"}
        assert error["code"] == code, path
        seen.add(error["message"])
    for body, status, code in (
        (b"nope", 400, "json"),
        (b"", 400, "json"),
        ({}, 400, "request"),
        (b'{"game": "border", "game": "border"}', 400, "request.again"),
        (b'{"game": "border", "start": {"players": 2, "players": 3}}', 400, "request.again"),
        ({"game": "chess"}, 422, "game"),
        ({"game": "border", "start": "nope"}, 422, "position.phase"),
        ({"game": "border", "moves": ["p1 fly"]}, 422, "move"),
        ({"game": "border", "moves": ["p1 done"] * 5001}, 422, "too-long"),
        ({"game": "border", "lang": "xx"}, 422, "request"),
        (b"x" * 70_000, 413, "too-long"),
    ):
        error = posted(http, f"/judge?lang={lang}", body, status)["error"]
        assert error["code"] == code
        seen.add(error["message"])
        assert status == 413 or posted(http, f"/moves?lang={lang}", body, status)["error"] == error
    assert len(seen) > 15
    others = {got(http, f"/nope?lang={other}", 404)["error"]["message"] for other in LANGUAGES}
    assert len(others) == len(LANGUAGES)


@each_language
def test_a_body_that_cannot_be_read_is_answered_in_its_own_language_like_any_other(
    http: FlaskClient, library: Library, lang: str
) -> None:
    """As where it can be read: the body comes before the address."""
    for body, code in (
        (b'{"game": "border", "game": "border", "lang": "%s"}', "request.again"),
        (b'{"lang": "%s"}', "request"),
    ):
        answer = http.post(f"{operations.BASE}/judge?lang=en", data=body % lang.encode())
        assert answer.headers["Content-Language"] == lang
        line = json.loads(programs.answer_line(library, body % lang.encode()))
        assert (answer.status_code, answer.json) == (400, line)
        assert line["error"]["code"] == code


def test_a_bug_is_json_too(app: Flask, http: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("tutor.web.api.operations.records.entries", broken)
    assert got(http, "/rules", 500)["error"]["code"] == "internal"
    monkeypatch.setattr("tutor.web.http.errors._json", broken)
    assert got(http, "/rules", 500)["error"]["code"] == "internal"


def test_what_was_typed_never_comes_back_as_a_tag(http: FlaskClient) -> None:
    answer = http.get(f"{operations.BASE}/rules/<b>x")
    assert "<" not in answer.text
    assert "<b>x" in json.loads(answer.text)["error"]["message"]


# Headers


def test_answers_can_be_kept_and_asked_for_by_their_tag(http: FlaskClient) -> None:
    answer = http.get(f"{operations.BASE}/rules?limit=1", headers={"Accept-Encoding": "gzip"})
    assert "max-age=" in answer.headers["Cache-Control"]
    assert {"Accept-Encoding", "Accept-Language"} <= set(answer.vary)
    again = http.get(
        f"{operations.BASE}/rules?limit=1",
        headers={"Accept-Encoding": "gzip", "If-None-Match": answer.headers["ETag"]},
    )
    assert again.status_code == 304
    assert not again.data
    other = http.get(
        f"{operations.BASE}/rules?limit=1&lang=pl", headers={"If-None-Match": answer.headers["ETag"]}
    )
    assert other.status_code == 200
    assert other.headers["Content-Language"] == "pl"
    judged = http.post(f"{operations.BASE}/judge", data=json.dumps({"game": "border"}))
    assert judged.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/rules", "/nope", "/rules?limit=0", "/openapi.json"])
def test_every_page_may_ask_and_no_answer_lacks_a_header_or_sets_a_cookie(
    http: FlaskClient, path: str
) -> None:
    answer = http.get(operations.BASE + path, headers={"Origin": "https://example.org"})
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answer.headers
    assert "Set-Cookie" not in answer.headers
    assert all(len(answer.headers.getlist(name)) == 1 for name in HEADERS)


def test_a_browser_is_told_that_it_may_post_json(http: FlaskClient) -> None:
    asked = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST"}
    answer = http.options(f"{operations.BASE}/judge", headers=asked)
    assert answer.status_code == 200
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]
    assert "Content-Type" in answer.headers["Access-Control-Allow-Headers"]


def test_pages_are_not_open_to_other_sites(http: FlaskClient) -> None:
    assert "Access-Control-Allow-Origin" not in http.get("/en/api").headers


# The page about it


@each_language
def test_the_page_shows_an_example_of_every_operation_that_answers_so(
    app: Flask, http: FlaskClient, client: PageClient, lang: str
) -> None:
    page = client.page(f"/{lang}/api")
    with app.test_request_context():
        g.lang = lang
        found = api_page.examples(lang)
    assert {one.of.name for one in found} == set(operations.OPERATIONS)
    for one in found:
        assert one.of.name in page.ids
        assert one.shown in page.text
        header = {"Accept-Language": lang}
        if one.sent:
            assert one.sent in page.text
            answer = http.post(one.url, data=one.sent, headers=header)
        else:
            assert one.url in page.links
            answer = http.get(one.url, headers=header)
        assert answer.status_code == 200
        assert api_page.shorten(answer.json) == json.loads(one.shown)
    judged = next(one for one in found if one.of.name == "judge")
    assert judged.answer.verdict.ok is False


@each_language
def test_every_page_leads_to_it(client: PageClient, lang: str) -> None:
    assert f"/{lang}/api" in client.page(f"/{lang}/").links


def test_it_is_there_for_other_games_too(tmp_path: Path) -> None:
    nim.content(tmp_path / "content")
    site = create_app(tmp_path / "rulebook.db", tmp_path / "content", nim.GAMES)
    assert "/api/v1/games/nim" in PageClient(site).page("/en/api").links


# OpenAPI


def test_the_document_names_every_operation_and_type(http: FlaskClient, app: Flask) -> None:
    told = got(http, "/openapi.json")
    assert told["openapi"] == "3.1.0"
    listed = {f"{API}v1{path}" for path in told["paths"]}
    routes = {
        rule.rule.replace("<", "{").replace(">", "}")
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith(API)
    }
    assert routes - listed == {f"{API}v1/openapi.json"}
    named = set(told["components"]["schemas"])
    used = {ref.rpartition("/")[2] for ref in _refs(told)}
    assert used <= named
    assert {"Results", "Answer", "Request", "EntryFound", "TermFound", "Failed"} <= named
    assert told["paths"]["/search"]["get"]["parameters"][2]["schema"]["enum"] == ["", *GAMES]


def _refs(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [ref for each in value.values() for ref in _refs(each)]
    return [ref for each in value for ref in _refs(each)] if isinstance(value, list) else []


@pytest.mark.slow
def test_schemathesis_finds_nothing(app: Flask) -> None:
    """All its checks. A request in the right form may still name a position that is none: 422."""
    settings = {
        "seed": 1,
        "continue-on-failure": True,
        "headers": {"Accept-Encoding": "identity"},  # it does not unpack what a WSGI app answers
        "generation": {"max-examples": 8 * SOAK, "deterministic": True, "database": "none"},
        "phases": {"stateful": {"enabled": False}},
        "checks": {"positive_data_acceptance": {"expected-statuses": ["2xx", "404", "422"]}},
    }
    config = SchemathesisConfig.from_dict(settings)
    document = schemathesis.openapi.from_wsgi(f"{operations.BASE}/openapi.json", app=app, config=config)
    faults, sent, answered = [], 0, set()
    for event in engine.from_schema(document).execute():
        assert not isinstance(event, events.NonFatalError | events.FatalError), event
        if isinstance(event, events.ScenarioFinished):
            sent += len(event.recorder.cases)
            said = event.recorder.interactions.values()
            answered |= {
                event.recorder.label for one in said if one.response and one.response.status_code == 200
            }
            for checks in event.recorder.checks.values():
                faults += [check.failure_info for check in checks if check.failure_info]
    assert not faults, faults[0].code_sample
    assert sent > 500
    assert len(answered) == len(operations.OPERATIONS)


# The commands


@pytest.fixture
def made(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Saves the commands the second in which they make the site."""
    monkeypatch.setattr("tutor.web.create_app", lambda database: app)


@pytest.mark.usefixtures("made")
def test_search_prints_what_the_api_answers(http: FlaskClient, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "dado rosso", "--lang", "pl", "--game", "border", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == got(http, "/search?q=dado+rosso&lang=pl&game=border")
    assert main(["search", "dado rosso", "--lang", "pl", "--game", "border"]) == 0
    plain = capsys.readouterr().out
    for one in told["results"]:
        assert one["title"] in plain
        assert one["url"] in plain
    for query, comes_near in (("chivnice", True), ("zzzzqqq", False)):
        assert main(["search", query, "--lang", "it"]) == 1
        said = capsys.readouterr()
        assert f"«{query}»" in said.err
        assert bool(said.out) == comes_near
    assert main(["search", "", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["results"] == []


@pytest.mark.usefixtures("made")
def test_rule_prints_a_rule_a_ruling_or_a_note(http: FlaskClient, capsys: pytest.CaptureFixture[str]) -> None:
    for path, name in (
        ("rules", "border.first.open"),
        ("rulings", "border.ruling.several-colours"),
        ("editions", "border.edition.dice"),
    ):
        assert main(["rule", name, "--lang", "it", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told == got(http, f"/{path}/{name}?lang=it")
        assert main(["rule", name, "--lang", "it"]) == 0
        plain = capsys.readouterr().out
        links = [*told["related"], *told["shown"]]
        for text in (told["title"], told["text"], told["why"], told["url"], *(one["url"] for one in links)):
            assert text in plain


@pytest.mark.patient
def test_rule_names_the_nearest_ids(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TUTOR_DB", str(tmp_path / "rulebook.db"))
    assert main(["rule", "border.first.opn", "--lang", "pl"]) == 1
    said = capsys.readouterr()
    assert not said.out
    assert "„border.first.opn”" in said.err
    assert "\n  border.first.open\n" in said.err
    assert len(ids(library)) == len(set(ids(library)))


@pytest.mark.parametrize(
    "args", [["search"], ["search", "x", "--game", "chess"], ["rule", "x", "--lang", "xx"]]
)
def test_a_command_called_wrong_says_how(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(args)
    assert stopped.value.code == 2
    assert "usage: tutor" in capsys.readouterr().err
