"""The lessons: one address a screen. What a learner has done stands in the address, nowhere else."""

import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from tutor.lessons.course import Course
from tutor.lessons.lesson import AGAIN, END, QUESTIONS, Lessons, Screen
from tutor.lessons.practice import due
from tutor.lessons.scene import Link, Option
from tutor.lessons.steps import Asked, Task, View, missed, show
from tutor.lookup.editions import noted
from tutor.lookup.rulings import questions
from tutor.rules.base import Game
from tutor.web.http import address, hx, i18n
from tutor.web.http.cache import remembered_by
from tutor.web.http.cookies import with_choices
from tutor.web.http.security import LONGEST_ADDRESS
from tutor.web.http.shelf import shelf
from tutor.web.site.editions import chosen

bp = Blueprint("learn", __name__)

dice = random.SystemRandom()
MOST_CHOICES = 40
"""No question has more answers."""


@bp.get("/<lang:lang>/<game>/learn/")
def start(lang: str, game: str) -> Any:
    first = shelf().course(game).lessons.first.screens[0]
    return redirect(url_for("learn.step", game=game, step=first.id))


@bp.get("/<lang:lang>/<game>/learn/<step>")
def step(lang: str, game: str, step: str) -> Any:
    course = shelf().course(game)
    lessons = course.lessons
    if step not in lessons.screens and step != AGAIN:
        return _moved(course, game, step)
    helped = _helped(lessons, game, step)
    if step == AGAIN and not lessons.first.again(helped):
        return redirect(url_for("learn.step", game=game, step=END))
    at_the_end = step != AGAIN and lessons.screens[step].kind == END
    if at_the_end:  # what was missed has come back by now
        helped = tuple(name for name in helped if name in lessons.screens)
    answer = _page(
        lang=lang,
        game=game,
        step=step,
        helped=helped if at_the_end or step == AGAIN else (),
        box=_box(course, step),
    )
    if answer.status_code == 302:
        return answer
    kept = {} if step == AGAIN else {f"step-{game}": step}
    name = f"helped-{game}"
    if helped or name in request.cookies:
        kept[name] = ".".join(helped)
    return with_choices(answer, lang=lang, **kept)


def _helped(lessons: Lessons, game: str, step: str) -> tuple[str, ...]:
    """Where the reader needed help: tasks, and questions that were missed. In the order of the lessons, and
    nothing else: a cookie may say anything."""
    before = request.cookies.get(f"helped-{game}", "").split(".")
    now = step if "help" in request.args else ""
    screen, asked = lessons.screens.get(step), asked_for()
    if screen and screen.recap:
        now = missed(screen, asked.said)
    elif screen and screen.kind in QUESTIONS and (asked.said or asked.checked):
        now = step if show(shelf().course(game), screen, i18n.current(), asked).helped else ""
    return tuple(name for name in lessons.helpable if name in before or name == now)


def _box(course: Course, step: str) -> str:
    """The printed edition on this reader's table, if it differs in a rule that the screen introduces."""
    box = chosen(course)
    return box if step != AGAIN and noted(course, course.lessons.screens[step].rules, box) else ""


def _moved(course: Course, game: str, step: str) -> Response:
    """Where a step of the first edition's lessons has gone: to a screen, an example or a rule."""
    scenario, _, frame = step.rpartition(".")
    for screen in course.lessons.screens.values():
        if (
            frame and (screen.scenario, screen.frame) == (scenario, frame)
        ) or f"{game}.{step}" in screen.rules:
            return redirect(url_for("learn.step", game=game, step=screen.id), 301)
    if scenario in course.runs and frame in course.runs[scenario].frames:
        return redirect(url_for("rules.one_example", game=game, name=scenario, step=frame), 301)
    if f"{game}.{step}" in course.book.facts.rules:
        return redirect(url_for("rules.page", game=game, _anchor=f"{game}.{step}"), 301)
    if frame != "recap":
        abort(404)
    return redirect(url_for("learn.start", game=game), 301)


@remembered_by(vary="Cookie")
def _page(lang: str, game: str, step: str, helped: tuple[str, ...], box: str) -> Any:
    """`helped` is where the reader needed help; the end of a lesson names it, and what was missed comes back
    before it. `box` is the printed edition whose notes are shown."""
    course = shelf().course(game)
    screen = course.lessons.first.again(helped) if step == AGAIN else course.lessons.screens[step]
    assert screen
    lesson = course.lessons.of(screen)
    asked = asked_for()
    here = Here(url_for("learn.step", game=game, step=step))
    view = show(course, screen, lang, asked)
    scene = view.scene
    if isinstance(view, Task):
        rules = course.book.game
        follows = due(rules, course.runs[screen.scenario].frames[screen.frame], view.attempt, dice)
        if follows:  # dice fall once, and then stand in the address, as do the moves of the others
            return redirect(here(moves=(*view.attempt.played, follows), help=view.help))
        if view.open and scene and not view.attempt.off:  # first that move is taken back
            scene = replace(scene, link=here.link(rules, view))
    fragment = hx.wants_fragment()
    return render_template(
        "site/learn/fragment.html" if fragment else "site/learn/step.html",
        **({"fragment": True} if fragment else {}),
        game=game,
        screen=screen,
        same_board=screen.jumps and _same_board(course, screen, lang),
        lesson=lesson,
        number=lesson.index.get(step, len(lesson.screens) - 2) + 1,
        back=lesson.before(screen),
        next=lesson.after(screen),
        view=view,
        helped=[
            (name, show(course, course.lessons.screens[name], lang, Asked()).title)
            for name in helped
            if name in lesson.index
        ],
        said_before=asked.said[: asked.said.rfind("-") + 1],
        here=here,
        restored=restored(game, view),
        picture=shelf().picture(game, scene) if scene else None,
        texts=course.texts[lang],
        touching=questions(course, lang, screen.rules, screen.scenario, screen.frame),
        course=course,
        # Of the rules that are shown by now: a note must not answer a question before it is asked.
        notes=[
            course.texts[lang].entries[name] for name in noted(course, [rule.id for rule in view.rules], box)
        ],
        words=course.book.words[lang],
    )


def restored(game: str, view: View) -> list[str]:
    """What lies again where the learner's last move acts, once it is taken back."""
    if not isinstance(view, Task) or not view.attempt.off or not view.scene:
        return []
    tried = view.attempt
    places = [place for deed in tried.deeds[len(tried.taken_back) :] for place in deed.at]
    scene = replace(view.scene, state=tried.restored, marks=())
    return shelf().lying(game, scene, places)


SAID = ("title", "description", "over")
"""What is said of a board, beside what is drawn."""


def _same_board(course: Course, screen: Screen, lang: str) -> bool:
    """Whether the board looks as on the last screen that showed one, though the story jumps: other things
    have changed."""
    lesson = course.lessons.of(screen)
    earlier = [one for one in lesson.screens[: lesson.index[screen.id]] if one.scenario]
    boards = []
    for one in (earlier[-1], screen):
        told = course.tell(one.scenario, one.frame, lang)
        state = told.frame.before if one is screen else told.frame.after
        _, table = shelf().picture(course.book.id, told.scene(state, compact=True))
        boards.append({name: value for name, value in table.items() if name not in SAID})
    return boards[0] == boards[1]


class Here:
    """Addresses of the same screen with other moves, picks, help or answers."""

    def __init__(self, address: str, **kept: str) -> None:
        """`kept` is what else the address says, whatever is done on the screen."""
        self.address = address
        self.kept = {name: value for name, value in kept.items() if value}

    def __call__(
        self,
        moves: tuple[str, ...] = (),
        pick: str = "",
        help: int = 0,
        said: str = "",
        choices: Iterable[str] = (),
    ) -> str:
        values = {"help": str(help or ""), "pick": pick, "said": said, "moves": ";".join(moves)}
        kept = [*self.kept.items(), *((name, value) for name, value in values.items() if value)]
        if choices:
            kept += [*(("choice", value) for value in choices), ("check", "1")]
        return f"{self.address}?{urlencode(kept)}" if kept else self.address or "?"

    def link(self, game: Game, view: Task) -> Link:
        """A board needs some ninety addresses that differ in their end only. Each miss brings more help."""
        played = view.attempt.played
        here = self(moves=played, help=view.help + view.attempt.missed)
        joined = "&" if "?" in here else "?"
        # Moves come last in our addresses, so that one more is added at the end.
        next_move = f"{here}%3B" if played else f"{here}{joined}moves="
        next_pick = f"{here}{joined}pick="

        def to(option: Option) -> str:
            if option.move:
                return next_move + address.quoted(game.format_move(option.move))
            return next_pick + address.quoted(" ".join(option.picks)) if option.picks else here

        return to


def asked_for(values: MultiDict[str, str] | None = None) -> Asked:
    """What the address, or a form, says beside the screen; what makes no sense there is left out, and so is
    what no address would have room for."""
    values = request.args if values is None else values
    said = values.get("said", "")
    moves, picks = values.get("moves", "")[:LONGEST_ADDRESS], values.get("pick", "")[:LONGEST_ADDRESS]
    return Asked(
        moves=tuple(move for move in moves.split(";") if move.strip()),
        picks=tuple(dict.fromkeys(picks.split()))[:30],
        help=min(address.number(values.get("help", "0")), 99),
        choices=frozenset(choice for choice in values.getlist("choice")[:MOST_CHOICES] if len(choice) < 200),
        checked="check" in values,
        said=said if len(said) < 20 and set(said) <= set("yn-") else "",
    )
