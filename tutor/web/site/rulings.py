"""The questions of a game: an index of all, and a page for each with its answer and its proof."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request

from tutor.book.texts import Entry
from tutor.lookup.examples import Example, Judged, example
from tutor.lookup.rulings import names_rule, proof, questions, short_answer, slugs, subjects
from tutor.referee.packed import pack
from tutor.web.http import hx
from tutor.web.http.cache import aside, keep_page
from tutor.web.http.linker import Linker
from tutor.web.http.links import ruling_address
from tutor.web.http.render import render
from tutor.web.http.shelf import shelf
from tutor.web.site.table import Table, judge_table, lead_on_by_chance

bp = Blueprint("rulings", __name__)


bp.add_app_template_global(ruling_address)
bp.add_app_template_filter(short_answer)


@bp.get("/<lang:lang>/<game>/rulings")
@keep_page
def page(lang: str, game: str) -> str:
    course = shelf().course(game, "rulings")
    return render_template(
        "site/rulings/page.html",
        game=game,
        texts=course.texts[lang],
        subjects=list(subjects(course, lang)),
    )


@dataclass(frozen=True)
class Proved:
    """A ruling beside the table on which its proof lies."""

    example: Example
    steps: list[tuple[Judged, str]]
    """The moves of the proof, each with the address at which the table asks about it."""
    ruling: Entry
    proved: Entry | None
    """The rule of the ruling, if the last step of the proof names it."""


@bp.get("/<lang:lang>/<game>/rulings/<name>")
def one(lang: str, game: str, name: str) -> Any:
    if name not in slugs(shelf().course(game)):
        abort(404)
    if "chance" in request.args:
        return redirect(aside(lambda: lead_on_by_chance(_proof(lang, game, name))))
    return _one(lang=lang, game=game, name=name)


@keep_page
def _one(lang: str, game: str, name: str) -> str:
    here = _proof(lang, game, name)
    table = judge_table(here)
    course, texts = here.course, here.course.texts[lang]
    ruling = texts.entries[slugs(course)[name]]
    facts = course.book.facts.rulings[ruling.id]
    scenario, names = proof(course, ruling.id)
    examples = [example(course, lang, scenario, name) for name in names]
    moves = [move for one in examples for move in one.moves]
    proved = texts.entries[facts.rule] if names_rule(here.proof[-1], facts.rule) else None
    told = Proved(examples[-1], _steps(here, moves), ruling, proved)
    if hx.wants_fragment():
        return render("site/rulings/fragment.html", table, told, fragment=True)
    refused = [why.rule for move in moves if not move.ok for why in move.whys if not why.technical]
    cited = [texts.entries[rule] for rule in dict.fromkeys((facts.rule, *refused))]
    link = Linker(shelf().library.terms, game, lang)
    done = link.terms_known(ruling.id)
    short, more = short_answer(ruling)
    return render(
        "site/rulings/one.html",
        table,
        told,
        short=short,
        answered=link(short, done),
        reasons=[link(paragraph, done) for paragraph in (more, *ruling.paragraphs[1:]) if paragraph],
        cited=cited,
        subject=texts.part_of[texts.entries[facts.rule].section],
        others=[other for other in questions(course, lang, [facts.rule]) if other[0] != ruling.id],
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
