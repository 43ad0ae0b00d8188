"""The questions of a game: an index of all, and a page for each with its answer and its proof."""

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for

from tutor.lookup.examples import Judged, example
from tutor.lookup.rulings import names_rule, proof, questions, short_answer, slug, slugs, subjects
from tutor.referee.packed import pack
from tutor.web.http import hx, i18n
from tutor.web.http.cache import aside, remembered
from tutor.web.http.cookies import with_choices
from tutor.web.http.shelf import shelf
from tutor.web.site.glossary import Linker
from tutor.web.site.table import Table, by_chance, judged

bp = Blueprint("rulings", __name__)


@bp.app_template_global()
def ruling_address(game: str, ruling: str, lang: str | None = None) -> str:
    """The page of a ruling, by its whole id."""
    return url_for("rulings.one", lang=lang or i18n.current(), game=game, name=slug(game, ruling))


bp.add_app_template_filter(short_answer)


@bp.get("/<lang:lang>/<game>/rulings")
def page(lang: str, game: str) -> Any:
    shelf().course(game, "rulings")
    return with_choices(_page(lang=lang, game=game), lang=lang)


@remembered
def _page(lang: str, game: str) -> str:
    course = shelf().course(game)
    return render_template(
        "site/rulings/page.html",
        game=game,
        texts=course.texts[lang],
        subjects=list(subjects(course, lang)),
    )


@bp.get("/<lang:lang>/<game>/rulings/<name>")
def one(lang: str, game: str, name: str) -> Any:
    if name not in slugs(shelf().course(game)):
        abort(404)
    if "chance" in request.args:
        return redirect(aside(lambda: by_chance(_proof(lang, game, name))))
    return with_choices(_one(lang=lang, game=game, name=name), lang=lang)


@remembered
def _one(lang: str, game: str, name: str) -> str:
    here = _proof(lang, game, name)
    table = judged(here)
    course, texts = here.course, here.course.texts[lang]
    ruling = texts.entries[slugs(course)[name]]
    facts = course.book.facts.rulings[ruling.id]
    scenario, names = proof(course, ruling.id)
    examples = [example(course, lang, scenario, name) for name in names]
    moves = [move for one in examples for move in one.moves]
    shown = here.shown(table["scene"]) | table
    shown |= {"example": examples[-1], "steps": _steps(here, moves), "ruling": ruling}
    shown |= {"proved": texts.entries[facts.rule] if names_rule(here.proof[-1], facts.rule) else None}
    if hx.wants_fragment():
        return render_template("site/rulings/fragment.html", fragment=True, **shown)
    refused = [why.rule for move in moves if not move.ok for why in move.whys if not why.technical]
    cited = [texts.entries[rule] for rule in dict.fromkeys((facts.rule, *refused))]
    link = Linker(shelf().library.terms, game, lang)
    done = link.known(ruling.id)
    short, more = short_answer(ruling)
    return render_template(
        "site/rulings/one.html",
        short=short,
        answered=link(short, done),
        reasons=[link(paragraph, done) for paragraph in (more, *ruling.paragraphs[1:]) if paragraph],
        cited=cited,
        subject=texts.part_of[texts.entries[facts.rule].section],
        others=[other for other in questions(course, lang, [facts.rule]) if other[0] != ruling.id],
        **shown,
    )


def _proof(lang: str, game: str, name: str) -> Table:
    """The table of a ruling. Until its reader touches something, the last move of the proof is judged."""
    here = Table(lang, game, ruling_address(game, name, lang))
    here.ruling = name
    if not here.at:
        here.at = pack(here.course.book.game.format_position(here.proof[0].before))
        here.moves, here.tried = here.proof_moves[:-1], "".join(here.proof_moves[-1:])
    return here


def _steps(here: Table, judged: Sequence[Judged]) -> list[tuple[Judged, str]]:
    """The moves of the proof, each with the address at which the table asks about it."""
    start, moves = pack(here.course.book.game.format_position(here.proof[0].before)), here.proof_moves
    tables = [here(at=start, moves=moves[:i], **{"try": move}) for i, move in enumerate(moves)]
    return list(zip(judged, tables, strict=True))
