"""The lesson: one address a step. What a learner has done stands in the address, nowhere else."""

import random
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for

from tutor.teach.practice import attempt, roll
from tutor.web.cache import remembered
from tutor.web.pages import remember
from tutor.web.shelf import shelf
from tutor.web.steps import Asked, values_of_step

bp = Blueprint("learn", __name__)

_dice = random.SystemRandom()


@bp.get("/<lang:lang>/<game>/learn/")
def start(lang: str, game: str) -> Any:
    shelf().book(game)
    asked = _asked()
    first = shelf().lessons[game].path(asked.short)[0]
    return redirect(url_for("learn.step", game=game, step=first.id, **asked.path))


@bp.get("/<lang:lang>/<game>/learn/<step>")
def step(lang: str, game: str, step: str) -> Any:
    shelf().book(game)
    if step not in shelf().lessons[game].by_id:
        abort(404)
    answer = _page(lang=lang, game=game, step=step)
    if answer.status_code == 302:
        return answer
    kept = f"{step}|{'short' if _asked().short else 'full'}"
    return remember(answer, lang=lang, **{f"step-{game}": kept})


@remembered
def _page(lang: str, game: str, step: str) -> Any:
    book = shelf().book(game)
    lesson = shelf().lessons[game]
    found = lesson.by_id[step]
    asked = _asked()
    if found.kind == "do":
        frame = shelf().runs[game][found.scenario].frames[found.frame]
        tried = attempt(book.game, frame, asked.moves)
        due = roll(book.game, frame, tried, _dice)
        if due:  # the dice fall once, and then stand in the address
            return redirect(asked.url(game, step, moves=";".join((*tried.played, due))))
    rulebook = book.rulebooks[lang]
    return render_template(
        "learn/step.html",
        game=game,
        step=found,
        place=lesson.place(found, asked.short),
        path=asked.path,
        rulebook=rulebook,
        section=next(section for section in rulebook.sections if section.id == found.section),
        **values_of_step(book, found, book.words[lang], asked),
    )


def _asked() -> Asked:
    """What the address says beside the step; what makes no sense there is left out."""
    level = request.args.get("help", "0")
    return Asked(
        short=request.args.get("path") != "full",
        moves=tuple(move for move in request.args.get("moves", "").split(";") if move.strip()),
        picks=tuple(dict.fromkeys(request.args.get("pick", "").split()))[:30],
        help=int(level) if level.isascii() and level.isdecimal() and len(level) < 3 else 0,
        choices=frozenset(request.args.getlist("choice")),
        checked="check" in request.args,
    )
