"""The search page: results while one types, or after Enter without script."""

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from tutor.book.model import Term
from tutor.teach.search import Found, Hit
from tutor.web import hx
from tutor.web.cache import remembered
from tutor.web.cookies import with_choices
from tutor.web.rulings import ruling_address
from tutor.web.shelf import shelf

bp = Blueprint("search", __name__)


@dataclass(frozen=True)
class Result:
    """A hit with its address."""

    hit: Hit
    url: str
    game: str
    """The title of its game."""


def address_of(hit: Hit) -> str:
    """Where what was found is read."""
    if hit.kind == "term":
        return url_for("glossary.page", _anchor=hit.id)
    if hit.kind == "piece":
        return url_for("pieces.page", game=hit.game, _anchor=hit.id)
    if hit.kind == "example":
        return url_for("rules.one_example", game=hit.game, name=hit.id)
    if hit.kind == "ruling":
        return ruling_address(hit.game, hit.id)
    return url_for("rules.page", game=hit.game, _anchor=hit.id)


@bp.get("/<lang:lang>/search")
def page(lang: str) -> Response:
    game = request.args.get("game", "")
    if game and game not in shelf().courses:
        abort(404)
    if "first" in request.args:  # Enter in the box of the page that shows the results
        found = shelf().search.find(request.args.get("q", ""), lang, game, most=1)
        if found.hits and not found.near:
            return redirect(address_of(found.hits[0]))
    return with_choices(_page(lang=lang), lang=lang)


@remembered
def _page(lang: str) -> str:
    query, game = request.args.get("q", "").strip(), request.args.get("game", "")
    fragment = hx.wants_fragment()
    found = shelf().search.find(query, lang, game, typing=fragment)
    return render_template(
        "search/_results.html" if fragment else "search/page.html",
        query=query,
        chosen=game,
        found=found,
        groups=_grouped(found, lang),
        foreign=_foreign(found, lang),
        games={name: course.texts[lang].title for name, course in shelf().courses.items()},
    )


def _grouped(found: Found, lang: str) -> Mapping[str, list[Result]]:
    """The results by kind; the kind with the best result first."""
    groups: dict[str, list[Result]] = {}
    for hit in found.hits:
        title = shelf().courses[hit.game].texts[lang].title
        groups.setdefault(hit.kind, []).append(Result(hit, address_of(hit), title))
    return groups


def _foreign(found: Found, lang: str) -> list[tuple[str, str, str, str]]:
    """Words of other languages: as typed, their language, our word, and the word on the boxes there."""
    terms = shelf().library.terms
    return [
        (concept.typed, concept.lang, terms[name].words[lang].word, _printed(terms[name], concept.lang))
        for concept in found.foreign
        for name in concept.terms[:1]
    ]


def _printed(term: Term, lang: str) -> str:
    """What the boxes of a language call a term."""
    return ", ".join(dict.fromkeys(term.words[lang].box.values()))
