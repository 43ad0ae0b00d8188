"""Whom to tell of a weakness, as RFC 9116 wants it."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask import Flask

from tests.conftest import seeded
from tutor.cli import main
from tutor.web import create_app

PATH = "/.well-known/security.txt"


@pytest.fixture(scope="module")
def rulebook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seeded(tmp_path_factory.mktemp("contact") / "rulebook.db")


@pytest.fixture
def configured(rulebook: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Flask]:
    def make(**settings: str) -> Flask:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        return create_app(rulebook)

    return make


def test_without_a_contact_there_is_no_such_address(app: Flask) -> None:
    assert app.test_client().get(PATH).status_code == 404


@pytest.mark.patient
def test_it_says_whom_to_tell_and_until_when(configured: Callable[..., Flask]) -> None:
    contacts = "https://example.org/report, mailto:security@example.org"
    site = configured(TUTOR_SECURITY=contacts, TUTOR_URL="https://rules.example.org/")
    answer = site.test_client().get(PATH)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    fields = [line.split(": ", 1) for line in answer.text.splitlines()]
    assert [name for name, _ in fields] == [
        "Contact",
        "Contact",
        "Expires",
        "Preferred-Languages",
        "Canonical",
    ]
    told = dict(fields[1:])
    assert fields[0][1] == "https://example.org/report"
    assert told["Contact"] == "mailto:security@example.org"
    assert told["Preferred-Languages"] == "it, pl, es, en"
    assert told["Canonical"] == f"https://rules.example.org{PATH}"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", told["Expires"])
    left = datetime.fromisoformat(told["Expires"]) - datetime.now(UTC)
    assert timedelta(days=300) < left < timedelta(days=365)
    assert answer.text.endswith("\n")


@pytest.mark.patient
def test_the_site_is_named_only_if_its_address_is_known(configured: Callable[..., Flask]) -> None:
    assert "Canonical" not in configured(TUTOR_SECURITY="tel:+1-201-555-0123").test_client().get(PATH).text


@pytest.mark.parametrize(
    "wrong",
    ["security@example.org", "http://example.org", "mailto:a\nCanonical: x", "https://", "mailto:ł@x"],
)
def test_a_malformed_address_is_an_error_at_the_start(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("TUTOR_SECURITY", wrong)
    with pytest.raises(SystemExit, match=r"^TUTOR_SECURITY names addresses"):
        main(["serve"])
