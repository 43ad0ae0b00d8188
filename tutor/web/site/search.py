"""The search page: results while one types, or after Enter without script."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

from flask import Blueprint, abort, redirect, render_template, request
from werkzeug.wrappers import Response

from tutor.book.model import Term
from tutor.book.stems import fold
from tutor.book.texts import Entry, Texts
from tutor.search.ranking import Found, Hit
from tutor.web.http import hx
from tutor.web.http.cache import aside, keep_page_by
from tutor.web.http.links import hit_address
from tutor.web.http.shelf import shelf

bp = Blueprint("search", __name__)

MOST_BEST = 3
"""Results shown first, before the others are grouped by kind."""
MOST_FOREIGN_WORDS = 2
"""More would push the results off the first screenful."""
MOST_ELSEWHERE = 3
"""Results of other games, shown after those of the chosen one."""
MOST_EXAMPLES = 3
"""Questions shown as examples when nothing was found."""


@dataclass(frozen=True)
class Result:
    """A hit with its address."""

    hit: Hit
    url: str
    games: str
    """The titles of its games; nothing if the reader has chosen one."""


@bp.get("/<lang:lang>/search")
def page(lang: str) -> Response:
    game = request.args.get("game", "")
    if game and game not in shelf().courses:
        abort(404)
    query = request.args.get("q", "").strip()
    if query and request.args.get("first", "").strip() == query:  # Enter where its results are seen already
        found = aside(lambda: shelf().search.find(query, lang, game, most=1), "search")
        if found.hits and not found.near:
            return redirect(hit_address(found.hits[0]))
    return _page(lang=lang)


@keep_page_by(what="search")
def _page(lang: str) -> str:
    query, game = request.args.get("q", "").strip(), request.args.get("game", "")
    fragment = hx.wants_fragment()
    found = shelf().search.find(query, lang, game, typing=fragment)
    return render_template(
        "site/search/fragment.html" if fragment else "site/search/page.html",
        query=query,
        chosen=game,
        found=found,
        groups=_group(found, lang, game),
        elsewhere=_find_elsewhere(query, lang, game, fragment) if game else [],
        foreign=_find_foreign(found, lang),
        games={name: course.texts[lang].title for name, course in shelf().courses.items()},
        offered=_suggest(lang, game) if query and not found.hits else None,
    )


def _group(found: Found, lang: str, game: str) -> Mapping[str, list[Result]]:
    """The best results whatever they are, then the others by kind; the kind with the best result first."""
    results = [Result(hit, hit_address(hit), "" if game else _games(hit, lang)) for hit in found.hits]
    mixed = len({hit.kind for hit in found.hits[:MOST_BEST]}) > 1
    groups: dict[str, list[Result]] = {"best": results[:MOST_BEST]} if mixed else {}
    for result in results[MOST_BEST if mixed else 0 :]:
        groups.setdefault(result.hit.kind, []).append(result)
    return groups


def _find_elsewhere(query: str, lang: str, game: str, typing: bool) -> list[Result]:
    """What other games say, for readers who ask on one game's page and mean another."""
    found = shelf().search.find(query, lang, typing=typing)
    others = [hit for hit in found.hits if game not in _games_of(hit)] if not found.near else []
    return [Result(hit, hit_address(hit), _games(hit, lang)) for hit in others[:MOST_ELSEWHERE]]


def _suggest(lang: str, game: str) -> tuple[dict[str, Texts], list[tuple[str, Entry]]]:
    """Where else to look: the rulebooks, and a few questions that are answered, of every game in turn."""
    books = {name: course.texts[lang] for name, course in shelf().courses.items() if game in ("", name)}
    asked = [
        [(name, entry) for entry in texts.entries.values() if entry.kind == "ruling"]
        for name, texts in books.items()
        if "ruling" in {entry.kind for entry in texts.entries.values()}
    ]
    return books, list(chain.from_iterable(zip(*asked, strict=False)))[:MOST_EXAMPLES]


def _games(hit: Hit, lang: str) -> str:
    return ", ".join(shelf().courses[game].texts[lang].title for game in _games_of(hit))


def _games_of(hit: Hit) -> tuple[str, ...]:
    """A term may belong to several games."""
    return shelf().library.terms[hit.id].games if hit.kind == "term" else (hit.game,)


def _find_foreign(found: Found, lang: str) -> list[tuple[str, str, str, str]]:
    """Words of other languages: as typed, their language, our word, and the word on the boxes there.

    The rarest terms come first: most know what a player or a card is. Nobody needs to be told a word that is
    ours too, nor anything twice.
    """
    named = [(concept, name) for concept in found.foreign for name in concept.terms[:1]]
    notes: dict[str, tuple[str, str, str, str]] = {}
    for concept, name in sorted(named, key=lambda one: shelf().search.often(one[1], lang)):
        term = shelf().library.terms[name]
        ours = term.words[lang].word
        if fold(concept.typed) != fold(ours):
            notes.setdefault(ours, (concept.typed, concept.lang, ours, _printed_word(term, concept.lang)))
    return list(notes.values())[:MOST_FOREIGN_WORDS]


def _printed_word(term: Term, lang: str) -> str:
    """What the boxes of a language call a term."""
    return ", ".join(dict.fromkeys(term.words[lang].box.values()))
