"""The lessons: one address a screen. What a learner has done stands in the address, nowhere else."""

from dataclasses import replace
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from tutor.lessons import beats
from tutor.lessons.course import Course
from tutor.lessons.lesson import AGAIN, END, QUESTIONS, Lessons, Screen
from tutor.lessons.practice import find_due_move
from tutor.lessons.screen_views import Task, find_missed, show
from tutor.lookup.editions import notes_on
from tutor.lookup.rulings import questions
from tutor.web.http import hx, i18n
from tutor.web.http.cache import keep_page_by
from tutor.web.http.cookies import place_cookie, read_box, with_choices
from tutor.web.http.screens import Here, dice, put_back, read_input
from tutor.web.http.shelf import shelf

bp = Blueprint("learn", __name__)


@bp.get("/<lang:lang>/<game>/learn/")
def start(lang: str, game: str) -> Any:
    first = shelf().course(game).lessons.first.screens[0]
    return redirect(url_for("learn.screen", game=game, name=first.id))


@bp.get("/<lang:lang>/<game>/learn/<name>")
def screen(lang: str, game: str, name: str) -> Any:
    course = shelf().course(game)
    lessons = course.lessons
    if name not in lessons.screens and name != AGAIN:
        return _redirect_old(course, game, name)
    helped = _places_helped(lessons, game, name)
    if name == AGAIN and not lessons.first.repeat(helped):
        return redirect(url_for("learn.screen", game=game, name=END))
    at_the_end = name != AGAIN and lessons.screens[name].kind == END
    if at_the_end:  # what was missed has come back by now
        helped = tuple(one for one in helped if one in lessons.screens)
    answer = _page(
        lang=lang,
        game=game,
        name=name,
        helped=helped if at_the_end or name == AGAIN else (),
        box=_box(course, name),
    )
    if answer.status_code == 302:
        return answer
    kept = {} if name == AGAIN else {place_cookie(game): name}
    cookie = f"helped-{game}"
    if helped or cookie in request.cookies:
        kept[cookie] = ".".join(helped)
    return with_choices(answer, **kept)


def _places_helped(lessons: Lessons, game: str, name: str) -> tuple[str, ...]:
    """Where the reader needed help: tasks, and questions that were missed. In the order of the lessons, and
    nothing else: a cookie may say anything."""
    before = request.cookies.get(f"helped-{game}", "").split(".")
    now = name if "help" in request.args else ""
    screen, given = lessons.screens.get(name), read_input()
    if screen and screen.recap:
        now = find_missed(screen, given.replies)
    elif screen and screen.kind in QUESTIONS and (given.replies.text or given.checked):
        now = name if show(shelf().course(game), screen, i18n.current(), given).helped else ""
    return tuple(one for one in lessons.helpable if one in before or one == now)


def _box(course: Course, name: str) -> str:
    """The printed edition on this reader's table, if it differs in a rule that the screen introduces."""
    box = read_box(course)
    return box if name != AGAIN and notes_on(course, course.lessons.screens[name].rules, box) else ""


def _redirect_old(course: Course, game: str, old: str) -> Response:
    """Where a step of the first edition's lessons has gone: to a screen, an example or a rule."""
    scenario, _, step = old.rpartition(".")
    for screen in course.lessons.screens.values():
        if (step and (screen.scenario, screen.step) == (scenario, step)) or f"{game}.{old}" in screen.rules:
            return redirect(url_for("learn.screen", game=game, name=screen.id), 301)
    if scenario in course.runs and step in course.runs[scenario].steps:
        return redirect(url_for("rules.one_example", game=game, name=scenario, step=step), 301)
    if f"{game}.{old}" in course.book.facts.rules:
        return redirect(url_for("rules.page", game=game, _anchor=f"{game}.{old}"), 301)
    if step != "recap":
        abort(404)
    return redirect(url_for("learn.start", game=game), 301)


@keep_page_by(vary="Cookie")
def _page(lang: str, game: str, name: str, helped: tuple[str, ...], box: str) -> Any:
    """`helped` is where the reader needed help; the end of a lesson names it, and what was missed comes back
    before it. `box` is the printed edition whose notes are shown."""
    course = shelf().course(game)
    screen = course.lessons.first.repeat(helped) if name == AGAIN else course.lessons.screens[name]
    assert screen
    lesson, texts = course.lessons.lesson_of(screen), course.texts[lang]
    given = read_input()
    here = Here(url_for("learn.screen", game=game, name=name))
    view = show(course, screen, lang, given)
    scene = view.scene
    if isinstance(view, Task):
        rules = course.book.game
        follows = find_due_move(rules, course.runs[screen.scenario].steps[screen.step], view.attempt, dice)
        if follows:  # dice fall once, and then stand in the address, as do the moves of the others
            return redirect(here(moves=(*view.attempt.played, follows), help=view.help))
        if view.open and scene and not view.attempt.off:  # first that move is taken back
            scene = replace(scene, link=here.link(rules, view))
    fragment = hx.wants_fragment()
    return render_template(
        "site/learn/fragment.html" if fragment else "site/learn/screen.html",
        **({"fragment": True} if fragment else {}),
        game=game,
        screen=screen,
        same_board=screen.jumps and _same_board(course, screen, lang),
        lesson=lesson,
        number=lesson.index.get(name, len(lesson.screens) - 2) + 1,
        back=lesson.screen_before(screen),
        next=lesson.screen_after(screen),
        view=view,
        helped=[(name, beats.title(course, lang, name)) for name in helped if name in lesson.index],
        replies=given.replies,
        here=here,
        restored=put_back(game, view),
        picture=shelf().picture(game, scene) if scene else None,
        texts=texts,
        touching=questions(course, lang, screen.rules, screen.scenario, screen.step),
        course=course,
        # Of the rules that are shown by now: a note must not answer a question before it is asked.
        notes=[
            course.texts[lang].entries[note]
            for note in notes_on(course, [rule.id for rule in view.rules], box)
        ],
        words=course.book.words[lang],
    )


SAID = ("title", "description", "over")
"""What is said of a board, beside what is drawn."""


def _same_board(course: Course, screen: Screen, lang: str) -> bool:
    """Whether the board looks as on the last screen that showed one, though the story jumps: other things
    have changed."""
    lesson = course.lessons.lesson_of(screen)
    earlier = [one for one in lesson.screens[: lesson.index[screen.id]] if one.scenario]
    boards = []
    for one in (earlier[-1], screen):
        told = course.tell(one.scenario, one.step, lang)
        state = told.step.before if one is screen else told.step.after
        _, table = shelf().picture(course.book.id, told.scene(state, compact=True))
        boards.append({name: value for name, value in table.items() if name not in SAID})
    return boards[0] == boards[1]
