"""The lesson: one address a step. What a learner has done stands in the address, nowhere else."""

import random
from dataclasses import replace
from typing import Any
from urllib.parse import quote_plus, urlencode

from flask import Blueprint, abort, redirect, render_template, request, url_for

from tutor.rules.base import Game
from tutor.teach.practice import roll
from tutor.teach.scene import Link, Option
from tutor.teach.steps import Asked, Task, show
from tutor.web.cache import remembered
from tutor.web.pages import remember
from tutor.web.shelf import shelf

bp = Blueprint("learn", __name__)

_dice = random.SystemRandom()


@bp.get("/<lang:lang>/<game>/learn/")
def start(lang: str, game: str) -> Any:
    asked = _asked()
    first = shelf().course(game).lesson.path(asked.short)[0]
    return redirect(url_for("learn.step", game=game, step=first.id, **_path(asked)))


@bp.get("/<lang:lang>/<game>/learn/<step>")
def step(lang: str, game: str, step: str) -> Any:
    if step not in shelf().course(game).lesson.by_id:
        abort(404)
    answer = _page(lang=lang, game=game, step=step)
    if answer.status_code == 302:
        return answer
    kept = f"{step}|{'short' if _asked().short else 'full'}"
    return remember(answer, lang=lang, **{f"step-{game}": kept})


@remembered
def _page(lang: str, game: str, step: str) -> Any:
    course = shelf().course(game)
    found = course.lesson.by_id[step]
    asked = _asked()
    here = _Here(game, step, asked)
    view = show(course, found, lang, asked)
    scene = view.scene
    if isinstance(view, Task):
        rules = course.book.game
        due = roll(rules, course.runs[found.scenario].frames[found.frame], view.attempt, _dice)
        if due:  # the dice fall once, and then stand in the address
            return redirect(here(moves=(*view.attempt.played, due)))
        if view.open and scene:
            scene = replace(scene, link=here.link(rules, view.attempt.played))
    return render_template(
        "learn/step.html",
        game=game,
        step=found,
        view=view,
        here=here,
        picture=shelf().picture(game, scene) if scene else None,
        place=course.lesson.place(found, asked.short),
        path=_path(asked),
        title=course.texts[lang].title,
        section=course.texts[lang].part_of[found.section],
    )


class _Here:
    """Addresses of the same step with other moves, picks or help."""

    def __init__(self, game: str, step: str, asked: Asked) -> None:
        self.address = url_for("learn.step", game=game, step=step)
        self.path = _path(asked)

    def __call__(self, moves: tuple[str, ...] = (), pick: str = "", help: int = 0) -> str:
        said = {"moves": ";".join(moves), "pick": pick, "help": str(help or "")}
        kept = self.path | {name: value for name, value in said.items() if value}
        return f"{self.address}?{urlencode(kept)}" if kept else self.address

    def link(self, game: Game, played: tuple[str, ...]) -> Link:
        """A board needs some ninety addresses that differ in their end only."""
        next_move = self((*played, ""), "") if played else self()
        next_move += "" if played else ("&moves=" if self.path else "?moves=")

        def address(option: Option) -> str:
            if option.move:
                return next_move + quote_plus(game.format_move(option.move))
            return self(played, " ".join(option.picks))

        return address


def _path(asked: Asked) -> dict[str, Any]:
    return {} if asked.short else {"path": "full"}


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
