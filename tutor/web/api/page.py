"""The page about the API, and its OpenAPI document. Both show examples that are made out of the content."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from flask import Blueprint, Response, g, render_template, request, url_for

from tutor.book.words import TEMPLATE_LANGUAGE
from tutor.lookup import records
from tutor.referee import programs
from tutor.web.api import openapi
from tutor.web.api.operations import BASE, FOR_A_WHILE, OPERATIONS, Operation, Parameters, parameters
from tutor.web.http import cache, i18n
from tutor.web.http.cache import keep_page
from tutor.web.http.shelf import shelf

bp = Blueprint("api_page", __name__)

KINDS = ("rule", "ruling", "edition")
MOST_KEYS = 13
MOST_ITEMS = 3
"""An answer with longer parts is shown with the beginning of each."""


@dataclass(frozen=True)
class Example:
    """A request that the page shows with its answer, and that the tests send."""

    of: Operation
    url: str
    answer: Any
    parts: Mapping[str, str]
    """Of the path."""
    sent: str = ""
    """The body as JSON."""

    @property
    def shown(self) -> str:
        """The answer as the page shows it."""
        return msgspec.json.format(msgspec.json.encode(shorten(msgspec.to_builtins(self.answer)))).decode()


def shorten(value: Any) -> Any:
    """The value with three members of every long part."""
    if isinstance(value, dict):
        most = len(value) if len(value) <= MOST_KEYS else MOST_ITEMS
        more = {"…": "…"} if most < len(value) else {}
        return {key: shorten(one) for key, one in list(value.items())[:most]} | more
    if isinstance(value, list | tuple):
        return [*map(shorten, value[:MOST_ITEMS]), *(["…"] if len(value) > MOST_ITEMS else [])]
    return value


def examples(lang: str) -> list[Example]:
    """One of every operation, out of the content: a rule that refuses a move, and that move to be judged."""
    course = next(iter(shelf().courses.values()))
    name, rules_of = course.book.id, course.book.game
    steps = (step for run in course.runs.values() for step in run.steps.values())
    refused = next(step for step in steps if step.kind == "refuse")
    first = {kind: [one.id for _, one in records.entries([course], kind, lang)][:1] for kind in KINDS}
    first["rule"] = [refused.reasons[0].rule]
    a_term = next(iter(shelf().library.terms.items()), None)
    start = rules_of.format_position(refused.before)
    position = programs.Request(name, start, lang=lang)
    judged = programs.Request(name, start, try_=refused.file.refuse, lang=lang)
    one = {"lang": lang, "game": name, "limit": 1}
    return [
        _example("search", one | {"q": a_term[1].words[lang].word if a_term else ""}),
        _example("judge", {}, judged),
        _example("moves", {}, position),
        *(_example(kind, {"lang": lang}, entry=id_) for kind, ids in first.items() for id_ in ids),
        *(_example(f"{kind}s", one) for kind in KINDS),
        *([_example("term", {"lang": lang}, term=a_term[0])] if a_term else []),
        _example("terms", one),
        _example("pieces", one),
        _example("games", {"lang": lang}),
        _example("game", {}, game=name),
        _example("index", {}),
    ]


def _example(
    name: str, query: Mapping[str, Any], sent: programs.Request | None = None, **parts: str
) -> Example:
    of = OPERATIONS[name]
    params = Parameters(**{"lang": i18n.current(), **query})
    values: dict[str, Any] = {**parts, **query}
    answer = of.run(params, *([sent] if sent else []), **parts)
    body = msgspec.json.encode(sent).decode() if sent else ""
    return Example(of, url_for(f"api.{name}", **values), answer, parts, body)


@bp.get("/<lang:lang>/api")
@keep_page
def page(lang: str) -> str:
    found = {one.of.name: one for one in examples(lang)}
    return render_template("api/page.html", examples=found, games=list(shelf().courses))


@bp.get(f"{BASE}/openapi.json")
def document() -> Response:
    """The API in the words of OpenAPI 3.1."""
    g.lang = TEMPLATE_LANGUAGE
    named = {one.of.name: one.parts for one in examples(g.lang)}
    made = openapi.document(OPERATIONS.values(), parameters(), named, f"{request.root_path}{BASE}")
    return cache.json(made, TEMPLATE_LANGUAGE).answer(FOR_A_WHILE)
