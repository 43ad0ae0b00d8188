"""The glossary: every term in all languages, with its rules; and the links to it from the texts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, abort, render_template, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from tutor.book.alphabet import alphabetical
from tutor.book.glossary import pattern
from tutor.book.model import Term
from tutor.book.texts import Entry
from tutor.lookup.terms import Meaning, meanings
from tutor.web.http import hx
from tutor.web.http.cache import remembered
from tutor.web.http.cookies import with_choices
from tutor.web.http.shelf import shelf

bp = Blueprint("glossary", __name__)

_TAG = re.compile(r"(<[^>]+>)")


@dataclass(frozen=True)
class Shown:
    """A term as the page shows it."""

    id: str
    term: Term
    word: str
    games: tuple[str, ...]
    explained: tuple[Meaning, ...]
    used: tuple[tuple[str, Entry], ...]
    """The other rules that have the word, with their games."""


@bp.get("/<lang:lang>/glossary")
def page(lang: str) -> Response:
    return with_choices(_page(lang=lang), lang=lang)


@remembered
def _page(lang: str) -> str:
    terms = sorted(_terms(lang).values(), key=lambda one: alphabetical(one.word, lang))
    titles = {name: course.texts[lang].title for name, course in shelf().courses.items()}
    return render_template("site/glossary/page.html", terms=terms, titles=titles)


@bp.get("/<lang:lang>/glossary/<term>")
def one(lang: str, term: str) -> Response:
    if term not in shelf().library.terms:
        abort(404)
    return with_choices(_one(lang=lang, term=term), lang=lang)


@remembered
def _one(lang: str, term: str) -> str:
    shown = _shown(term, shelf().library.terms[term], lang)
    titles = {name: course.texts[lang].title for name, course in shelf().courses.items()}
    if not hx.wants_fragment():
        return render_template("site/glossary/one.html", one=shown, titles=titles)
    # A card is about the game in whose texts the word was read.
    here = [meaning for meaning in shown.explained if meaning.game == request.args.get("game")]
    return render_template("site/glossary/_card.html", one=shown, meaning=(here or shown.explained)[0])


def _terms(lang: str) -> Mapping[str, Shown]:
    library = shelf().library
    return {name: _shown(name, term, lang) for name, term in library.terms.items()}


def _shown(name: str, term: Term, lang: str) -> Shown:
    forms = pattern(term.words[lang].begins)
    used = [
        (game, entry)
        for game in term.games
        for entry in shelf().courses[game].texts[lang].entries.values()
        if entry.kind == "rule"
        and entry.id not in (term.rules[game], *term.not_in)
        and forms.search(entry.plain)
    ]
    explained = meanings(shelf().library, name, lang)
    return Shown(name, term, term.words[lang].word, term.games, tuple(explained), tuple(used))


class Linker:
    """Turns the terms of a text into links to the glossary: each term once, the longest word first."""

    def __init__(self, terms: Mapping[str, Term], game: str, lang: str) -> None:
        self._own = {
            name: pattern(term.words[lang].begins) for name, term in terms.items() if game in term.games
        }
        self._terms, self._game, self._lang = terms, game, lang

    def known(self, entry: str) -> set[str]:
        """The terms that need no link in a text: what it explains itself, and words of another meaning."""
        return {
            name
            for name in self._own
            if self._terms[name].rules[self._game] == entry or entry in self._terms[name].not_in
        }

    def __call__(self, html: str, done: set[str]) -> Markup:
        """The paragraph with its links; `done` are terms that need no link, and grows."""
        parts = _TAG.split(html)  # text and tags in turn
        inside = 0
        for i, part in enumerate(parts):
            if i % 2:
                inside += part.startswith("<a") - part.startswith("</a")
            elif part and not inside:
                parts[i] = self._linked(part, done)
        return Markup("".join(parts))  # nosec B704  # the rulebook's own HTML

    def _linked(self, text: str, done: set[str]) -> str:
        found = [
            (match.start(), -match.end(), name)
            for name, forms in self._own.items()
            for match in forms.finditer(text)
        ]
        pieces, at, past = [], 0, 0
        for start, end, name in sorted(found):
            if start < past:
                continue  # a part of a longer term, linked here or not: a Turn Change is no turn
            past = -end
            if name in done:
                continue
            done.add(name)
            href = url_for("glossary.page", lang=self._lang, _anchor=name)
            about = url_for("glossary.one", lang=self._lang, term=name, game=self._game)
            pieces += [
                text[at:start],
                f'<a class="term" href="{href}" data-card="{about}">{text[start:-end]}</a>',
            ]
            at = -end
        return "".join([*pieces, text[at:]])
