"""The questions of a game: an index of all, and a page for each with its answer and its proof."""

from typing import Any

from flask import Blueprint, abort, current_app, render_template, url_for

from tutor.teach.examples import example
from tutor.teach.rulings import questions, short_answer, slug, slugs, subjects
from tutor.web import i18n
from tutor.web.cache import remembered
from tutor.web.cookies import with_choices
from tutor.web.glossary import Linker
from tutor.web.shelf import shelf

bp = Blueprint("rulings", __name__)


@bp.app_template_global()
def ruling_address(game: str, ruling: str, lang: str | None = None) -> str:
    """The page of a ruling, by its whole id."""
    return url_for("rulings.one", lang=lang or i18n.current(), game=game, name=slug(game, ruling))


@bp.app_template_global()
def referee_address(game: str, step: str) -> str:
    """The referee's table with the position of a step (scenario/step); nothing where there is no referee."""
    if "referee.page" not in current_app.view_functions:
        return ""
    return f"{url_for('referee.page', game=game)}?from={step}"


bp.add_app_template_filter(short_answer)


@bp.get("/<lang:lang>/<game>/rulings")
def page(lang: str, game: str) -> Any:
    shelf().course(game)
    return with_choices(_page(lang=lang, game=game), lang=lang)


@remembered
def _page(lang: str, game: str) -> str:
    course = shelf().course(game)
    return render_template(
        "rulings/page.html",
        game=game,
        texts=course.texts[lang],
        subjects=list(subjects(course, lang)),
    )


@bp.get("/<lang:lang>/<game>/rulings/<name>")
def one(lang: str, game: str, name: str) -> Any:
    if name not in slugs(shelf().course(game)):
        abort(404)
    return with_choices(_one(lang=lang, game=game, name=name), lang=lang)


@remembered
def _one(lang: str, game: str, name: str) -> str:
    course = shelf().course(game)
    texts = course.texts[lang]
    ruling = texts.entries[slugs(course)[name]]
    facts = course.book.facts.rulings[ruling.id]
    scenario, _, step = facts.proof.partition("/")
    proof = example(course, lang, scenario, step)
    refused = [why.rule for move in proof.moves if not move.ok for why in move.whys if not why.technical]
    cited = [texts.entries[rule] for rule in dict.fromkeys((facts.rule, *refused))]
    link, done = Linker(shelf().library.terms, game, lang), set[str]()
    short, more = short_answer(ruling)
    return render_template(
        "rulings/one.html",
        game=game,
        texts=texts,
        ruling=ruling,
        short=short,
        answer=link(short, done),
        reasons=[link(paragraph, done) for paragraph in (more, *ruling.paragraphs[1:]) if paragraph],
        cited=cited,
        subject=texts.part_of[texts.entries[facts.rule].section],
        others=[other for other in questions(course, lang, [facts.rule]) if other[0] != ruling.id],
        example=proof,
        picture=shelf().picture(game, proof.scene),
    )
