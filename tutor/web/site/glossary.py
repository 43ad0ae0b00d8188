"""The glossary: every term in all languages, with its rules."""

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, abort, render_template, request

from tutor.book.alphabet import sort_key
from tutor.book.glossary import pattern
from tutor.book.model import Term
from tutor.book.texts import Entry
from tutor.lookup.terms import Meaning, meanings
from tutor.web.http import hx
from tutor.web.http.cache import keep_page
from tutor.web.http.shelf import shelf

bp = Blueprint("glossary", __name__)


@dataclass(frozen=True)
class TermPage:
    """A term as the page shows it."""

    id: str
    term: Term
    word: str
    games: tuple[str, ...]
    explained: tuple[Meaning, ...]
    used: tuple[tuple[str, Entry], ...]
    """The other rules that have the word, with their games."""


@bp.get("/<lang:lang>/glossary")
@keep_page
def page(lang: str) -> str:
    terms = sorted(_terms(lang).values(), key=lambda one: sort_key(one.word, lang))
    titles = {name: course.texts[lang].title for name, course in shelf().courses.items()}
    return render_template("site/glossary/page.html", terms=terms, titles=titles)


@bp.get("/<lang:lang>/glossary/<term>")
@keep_page
def one(lang: str, term: str) -> str:
    if term not in shelf().library.terms:
        abort(404)
    shown = _show(term, shelf().library.terms[term], lang)
    titles = {name: course.texts[lang].title for name, course in shelf().courses.items()}
    if not hx.wants_fragment():
        return render_template("site/glossary/one.html", one=shown, titles=titles)
    # A card is about the game in whose texts the word was read.
    here = [meaning for meaning in shown.explained if meaning.game == request.args.get("game")]
    return render_template("site/glossary/_card.html", one=shown, meaning=(here or shown.explained)[0])


def _terms(lang: str) -> Mapping[str, TermPage]:
    library = shelf().library
    return {name: _show(name, term, lang) for name, term in library.terms.items()}


def _show(name: str, term: Term, lang: str) -> TermPage:
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
    return TermPage(name, term, term.words[lang].word, term.games, tuple(explained), tuple(used))
