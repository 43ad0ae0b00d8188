"""The lessons: one address a screen. What a learner has done stands in the address, nowhere else."""

from dataclasses import replace
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from tutor.lessons import beats
from tutor.lessons.course import Course
from tutor.lessons.lesson import AGAIN, END, QUESTIONS, Lessons, Screen
from tutor.lessons.practice import due
from tutor.lessons.steps import Task, find_missed, show
from tutor.lookup.editions import notes_on
from tutor.lookup.rulings import questions
from tutor.web.http import hx, i18n
from tutor.web.http.cache import keep_page_by
from tutor.web.http.cookies import read_box, with_choices
from tutor.web.http.screens import Here, dice, put_back, read_asked
from tutor.web.http.shelf import shelf

bp = Blueprint("learn", __name__)


@bp.get("/<lang:lang>/<game>/learn/")
def start(lang: str, game: str) -> Any:
    first = shelf().course(game).lessons.first.screens[0]
    return redirect(url_for("learn.step", game=game, step=first.id))


@bp.get("/<lang:lang>/<game>/learn/<step>")
def step(lang: str, game: str, step: str) -> Any:
    course = shelf().course(game)
    lessons = course.lessons
    if step not in lessons.screens and step != AGAIN:
        return _redirect_old(course, game, step)
    helped = _places_helped(lessons, game, step)
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
    return with_choices(answer, **kept)


def _places_helped(lessons: Lessons, game: str, step: str) -> tuple[str, ...]:
    """Where the reader needed help: tasks, and questions that were missed. In the order of the lessons, and
    nothing else: a cookie may say anything."""
    before = request.cookies.get(f"helped-{game}", "").split(".")
    now = step if "help" in request.args else ""
    screen, asked = lessons.screens.get(step), read_asked()
    if screen and screen.recap:
        now = find_missed(screen, asked.replies)
    elif screen and screen.kind in QUESTIONS and (asked.said or asked.checked):
        now = step if show(shelf().course(game), screen, i18n.current(), asked).helped else ""
    return tuple(name for name in lessons.helpable if name in before or name == now)


def _box(course: Course, step: str) -> str:
    """The printed edition on this reader's table, if it differs in a rule that the screen introduces."""
    box = read_box(course)
    return box if step != AGAIN and notes_on(course, course.lessons.screens[step].rules, box) else ""


def _redirect_old(course: Course, game: str, step: str) -> Response:
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


@keep_page_by(vary="Cookie")
def _page(lang: str, game: str, step: str, helped: tuple[str, ...], box: str) -> Any:
    """`helped` is where the reader needed help; the end of a lesson names it, and what was missed comes back
    before it. `box` is the printed edition whose notes are shown."""
    course = shelf().course(game)
    screen = course.lessons.first.again(helped) if step == AGAIN else course.lessons.screens[step]
    assert screen
    lesson = course.lessons.of(screen)
    asked = read_asked()
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
        helped=[(name, beats.title(course, lang, name)) for name in helped if name in lesson.index],
        replies=asked.replies,
        here=here,
        restored=put_back(game, view),
        picture=shelf().picture(game, scene) if scene else None,
        texts=course.texts[lang],
        touching=questions(course, lang, screen.rules, screen.scenario, screen.frame),
        course=course,
        # Of the rules that are shown by now: a note must not answer a question before it is asked.
        notes=[
            course.texts[lang].entries[name]
            for name in notes_on(course, [rule.id for rule in view.rules], box)
        ],
        words=course.book.words[lang],
    )


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
