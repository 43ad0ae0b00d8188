"""The rulebook as a page, and its examples, which can be stepped through in place."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from flask import Blueprint, abort, render_template
from markupsafe import Markup

from tutor.book.texts import Entry
from tutor.lookup.editions import boxes
from tutor.lookup.examples import example
from tutor.lookup.rulings import questions
from tutor.web.http import hx
from tutor.web.http.cache import keep_page, keep_page_by
from tutor.web.http.cookies import read_box
from tutor.web.http.linker import Linker
from tutor.web.http.shelf import shelf

bp = Blueprint("rules", __name__)


@bp.get("/<lang:lang>/<game>/rules")
def page(lang: str, game: str) -> Any:
    return _rules(lang=lang, game=game, box=read_box(shelf().course(game)))


@keep_page_by(vary="Cookie")
def _rules(lang: str, game: str, box: str) -> str:
    """`box` is the printed edition that this reader plays with, if it is known."""
    course = shelf().course(game)
    texts = course.texts[lang]
    shown = [example(course, lang, entry.id) for entry in texts.entries.values() if entry.kind == "example"]
    return render_template(
        "site/rules/page.html",
        game=game,
        texts=texts,
        box=box,
        boxes=boxes(course),
        examples={one.id: (one, shelf().picture(game, replace(one.scene, compact=True))) for one in shown},
        linked=_make_linker(game, lang),
    )


def _make_linker(game: str, lang: str) -> Callable[[Entry], list[Markup]]:
    """The paragraphs of an entry with links to the glossary; not to the term that a rule explains itself."""
    link = Linker(shelf().library.terms, game, lang)

    def paragraphs(entry: Entry) -> list[Markup]:
        done = link.terms_known(entry.id)
        return [link(paragraph, done) for paragraph in entry.paragraphs]

    return paragraphs


@bp.get("/<lang:lang>/<game>/examples/<name>/", defaults={"step": ""})
@bp.get("/<lang:lang>/<game>/examples/<name>/<step>")
@keep_page
def one_example(lang: str, game: str, name: str, step: str) -> str:
    course = shelf().course(game)
    if name not in course.runs or (step and step not in course.runs[name].steps):
        abort(404)
    shown = example(course, lang, name, step)
    fragment = hx.wants_fragment()
    return render_template(
        "site/rules/_example.html" if fragment else "site/rules/example.html",
        game=game,
        title=course.texts[lang].title,
        example=shown,
        picture=shelf().picture(game, shown.scene),
        touching=questions(course, lang, (), name, shown.step),
        alone=not fragment,
    )
