"""The glossary: every term in all languages, with its rules; and the links to it from the texts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, abort, render_template

from tutor.book.model import Term
from tutor.book.stems import fold
from tutor.web import hx
from tutor.web.cache import remembered
from tutor.web.cookies import with_choices
from tutor.web.shelf import shelf

bp = Blueprint("glossary", __name__)


@dataclass(frozen=True)
class Use:
    """A rule that explains a term or uses it."""

    game: str
    rule: str
    title: str


@dataclass(frozen=True)
class Shown:
    """A term as the page shows it."""

    id: str
    term: Term
    word: str
    games: tuple[str, ...]
    explained: tuple[Use, ...]
    used: tuple[Use, ...]


@bp.get("/<lang:lang>/glossary")
def page(lang: str) -> object:
    return with_choices(_page(lang=lang), lang=lang)


@remembered
def _page(lang: str) -> str:
    terms = sorted(_terms(lang).values(), key=lambda one: fold(one.word))
    titles = {name: course.texts[lang].title for name, course in shelf().courses.items()}
    return render_template("glossary/page.html", terms=terms, titles=titles)


@bp.get("/<lang:lang>/glossary/<term>")
def one(lang: str, term: str) -> object:
    if term not in shelf().library.terms:
        abort(404)
    return with_choices(_one(lang=lang, term=term), lang=lang)


@remembered
def _one(lang: str, term: str) -> str:
    shown = _terms(lang)[term]
    titles = {name: course.texts[lang].title for name, course in shelf().courses.items()}
    name = "glossary/_card.html" if hx.wants_fragment() else "glossary/one.html"
    return render_template(name, one=shown, titles=titles)


def _terms(lang: str) -> Mapping[str, Shown]:
    library = shelf().library
    return {name: _shown(name, term, lang) for name, term in library.terms.items()}


def _shown(name: str, term: Term, lang: str) -> Shown:
    explained, used = [], []
    find = finder(term, lang)
    for game in term.games:
        for entry in shelf().courses[game].texts[lang].entries.values():
            if entry.kind == "rule":
                use = Use(game, entry.id, entry.title)
                if term.rules.get(game) == entry.id:
                    explained.append(use)
                elif find.search(entry.plain):
                    used.append(use)
    return Shown(name, term, term.words[lang].word, tuple(term.games), tuple(explained), tuple(used))


def finder(term: Term, lang: str) -> re.Pattern[str]:
    """Finds the forms of a term in a text."""
    begins = sorted(term.words[lang].begins, key=len, reverse=True)
    spaced = (r"\s+".join(map(re.escape, begin.split())) for begin in begins)
    return re.compile(rf"\b(?:{'|'.join(spaced)})\w*", re.IGNORECASE)
