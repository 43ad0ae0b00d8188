"""A visit to the small game in a language, by a program of its own, which tells what it saw in JSON."""

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from tests.nim.engine import Nim
from tutor.book.check import check
from tutor.book.load import load
from tutor.lessons import proof as lessons
from tutor.paths import CONTENT, TRANSLATIONS
from tutor.web import create_app, proof

GAMES = {"nim": Nim}


def problems() -> list[str]:
    return [f"{p.file.name}:{p.line}: {p.text}" for p in check(CONTENT, TRANSLATIONS, games=GAMES)]


def pages() -> list[str]:
    """What is wrong with the lessons and with any page."""
    return [str(p) for p in (*lessons.prove(load(CONTENT, GAMES)), *proof.prove(CONTENT, GAMES))]


def _found(client: FlaskClient, lang: str, query: str) -> list[str]:
    answer = json.loads(client.get(f"/api/v1/search?q={query}&lang={lang}").text)
    return [one["id"] for one in answer["results"]]


def look(lang: str, other: str, *queries: str) -> dict[str, Any]:
    """The site as a reader, a searcher, a program and a table of two languages see it."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(Path(folder) / "rulebook.db", CONTENT, GAMES)
        app.config.update(TESTING=True, API_RATE=0, LIMITS=0)
        here, there = app.test_client(), app.test_client()
        origin = {"Origin": "http://localhost"}
        opened = here.post(f"/{lang}/t/", data={"game": "nim"}, headers=origin)
        code = re.findall(r"/t/(\w+)/present", opened.headers["Location"])[0]
        present = f"/{lang}/t/{code}/present"
        here.post(present, data={"do": "show", "version": "1"}, headers=origin)
        judged = {"game": "nim", "try": "p1 take 1 9"}
        return {
            "home": here.get(f"/{lang}/").text,
            "menu": there.get(f"/{other}/").text,
            "wished": app.test_client().get("/", headers={"Accept-Language": lang}).headers["Location"],
            "rules": here.get(f"/{lang}/nim/rules").text,
            "glossary": here.get(f"/{lang}/glossary").text,
            "found": {asked: [_found(here, asked, query) for query in queries] for asked in (lang, other)},
            "results": here.get(f"/{lang}/search?q={queries[0]}").text,
            "judged": here.post(f"/api/v1/judge?lang={lang}", json=judged).json,
            "presented": here.get(present).text,
            "followed": {one: there.get(f"/{one}/t/{code}").text for one in (lang, other)},
        }


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    told: dict[str, Any] = {"problems": problems, "pages": pages, "look": look}
    json.dump(told[what](*rest), sys.stdout)
