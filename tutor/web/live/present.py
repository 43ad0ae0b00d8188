"""Presenting: the lesson as beats on a shared screen, what to say in a second window, and answers to what
people ask in between. The plan, the place in it and all that was played stand in the address."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, abort, redirect, render_template, request, url_for

from tutor.book.words import LANGUAGES
from tutor.lessons import beats
from tutor.lessons.beats import Beat
from tutor.lessons.course import Course
from tutor.lessons.lesson import END
from tutor.lessons.steps import Asked, Prediction, Question, Task, View, show
from tutor.lookup.rulings import questions
from tutor.web.http import hx
from tutor.web.http.cache import remembered, remembered_by
from tutor.web.http.shelf import shelf
from tutor.web.site.learn import Here, asked_for, dice, restored

bp = Blueprint("teach", __name__)

ANSWERS = 4
"""So many answers to a question fit a screen."""


@dataclass(frozen=True)
class Row:
    """A screen in the list of a plan, and the addresses of the plan with it moved, left out or added."""

    id: str
    title: str
    kind: str
    lesson: str
    earlier: str = ""
    later: str = ""
    without: str = ""
    added: str = ""


@bp.get("/<lang:lang>/<game>/teach/")
@remembered
def plan(lang: str, game: str) -> str:
    """What is going to be presented: screens can be left out, added and moved."""
    course = shelf().course(game)
    chosen = _plan(course)

    def to(*wished: str) -> str:
        return _address("teach.plan", game, _said(course, wished), _also(lang)) if wished else ""

    def row(name: str) -> Row:
        screen = course.lessons.screens[name]
        view = show(course, screen, lang, Asked())
        if name not in chosen:
            return Row(name, view.title, screen.kind, screen.lesson, added=to(*chosen, name))
        i = chosen.index(name)
        before, after = chosen[:i], chosen[i + 1 :]
        return Row(
            name,
            view.title,
            screen.kind,
            screen.lesson,
            earlier=to(*before[:-1], name, before[-1], *after) if before else "",
            later=to(*before, after[0], name, *after[1:]) if after else "",
            without=to(*before, *after),
        )

    return render_template(
        "live/teach/plan.html",
        game=game,
        said=_said(course, chosen),
        texts=course.texts[lang],
        words=course.book.words[lang],
        brief=to(*beats.brief(course.lessons.first)),
        lessons=[(lesson.id, to(*beats.of_lesson(lesson))) for lesson in course.lessons.all],
        rows=[row(name) for name in chosen],
        left=[
            row(screen.id)
            for screen in course.lessons.screens.values()
            if screen.kind != END and screen.id not in chosen
        ],
        minutes=round(sum(beats.minutes(course, lang, name) for name in chosen)),
        first=_address("teach.step", game, _said(course, chosen), _also(lang), step=chosen[0]),
    )


@bp.get("/<lang:lang>/<game>/teach/<step>")
@remembered
def step(lang: str, game: str, step: str) -> Any:
    """The shared screen."""
    return _rendered("step", lang, game, step)


@bp.get("/<lang:lang>/<game>/teach/<step>/notes")
@remembered
def notes(lang: str, game: str, step: str) -> Any:
    """For the presenter's eyes: what to say, what comes next, what people ask here."""
    return _rendered("notes", lang, game, step)


def _rendered(name: str, lang: str, game: str, step: str) -> Any:
    course = shelf().course(game)
    screen = course.lessons.screens.get(step)
    if screen is None or (screen.kind == END and step != END):
        abort(404)
    chosen, asked = _plan(course), asked_for()
    said, also = _said(course, chosen), _also(lang)

    def way(screen: str, also: str) -> Here:
        return Here(url_for("teach.step", game=game, step=screen), plan=said, also=also)

    done = beats.settled(course, screen, asked, dice)
    if done != asked:  # dice fall once, and then stand in the address
        return redirect(way(step, also)(moves=done.moves))
    return render_template(
        f"live/teach/_{name}.html" if hx.wants_fragment() else f"live/teach/{name}.html",
        **presented(course, lang, chosen, Beat(step, asked), also, way),
        notes_address=_again(game, step, said, also, asked, "teach.notes"),
        plan_address=_address("teach.plan", game, said, also),
        ask_address=_address("teach.answers", game, said, also=also),
    )


def presented(
    course: Course, lang: str, plan: tuple[str, ...], beat: Beat, also: str, way: Callable[[str, str], Here]
) -> dict[str, Any]:
    """What the templates of the shared screen and of the notes are given. `way` makes the addresses of a
    screen with a second language."""
    screen, asked = course.lessons.screens[beat.screen], beat.asked
    here = way(screen.id, also)
    view = show(course, screen, lang, asked)
    scene = view.scene
    if isinstance(view, Task) and view.open and scene and not view.attempt.off:  # first that is taken back
        scene = replace(scene, link=here.link(course.book.game, view))
    second = show(course, screen, also, asked) if also else None
    headlines = beats.headlines(view, course.texts[lang])
    second_lines = beats.headlines(second, course.texts[also]) if second else ()
    letters = _letters(view, [view.title, *headlines, *([second.title] if second else []), *second_lines])
    before, after = beats.around(course, plan, screen.id, asked, unanswered=view.open)
    place = plan.index(screen.id) if screen.id in plan else 0
    rest = plan[place:] if screen.id != END else ()

    def to(beat: Beat | None, also: str = also) -> str:
        if beat is None:
            return ""
        done = beat.asked
        return way(beat.screen, also)(moves=done.moves, said=done.said, choices=sorted(done.choices))

    return {
        "game": course.book.id,
        "course": course,
        "texts": course.texts[lang],
        "words": course.book.words[lang],
        "screen": screen,
        "jumps": beats.jumps(course, plan, screen.id),
        "view": view,
        "scene": scene,
        "here": here,
        "restored": restored(course.book.id, view),
        "said_before": asked.said[: asked.said.rfind("-") + 1],
        "picture": shelf().picture(course.book.id, scene) if scene else None,
        "headlines": headlines,
        "size": size(letters),
        "letters": letters,
        "also": also,
        "second": second,
        "second_lines": second_lines,
        "notes": beats.notes(view, course.texts[lang]),
        "learned": [
            course.texts[lang].entries[rule].title
            for name in plan
            for rule in course.lessons.screens[name].rules
        ],
        "number": place + 1 if screen.id != END else len(plan),
        "count": len(plan),
        "minutes": round(sum(beats.minutes(course, lang, name) for name in rest)),
        "back": to(before),
        "next": to(after),
        "coming": _coming(course, lang, screen.id, after),
        "sections": [
            (show(course, course.lessons.screens[name], lang, Asked()).title, to(Beat(name)))
            for name in beats.sections(course, plan)[:9]
        ],
        "bare": here(),
        "seconds": [(code, to(beat, "" if code == also else code)) for code in LANGUAGES if code != lang],
        "touching": questions(course, lang, screen.rules, screen.scenario, screen.frame),
        "answer": beats.answer(course, screen, lang) if view.open else (),
    }


def size(letters: int) -> int:
    """How large so many letters can be, 1 to 5: they share a screen with the board, and may not scroll."""
    return 1 + sum(letters < most for most in (500, 360, 215, 130))


def _letters(view: View, lines: list[str]) -> int:
    """How much there is to read beside the board."""
    if isinstance(view, Question):
        lines = [*lines, *(answer.label for answer in view.answers)]
    if isinstance(view, Prediction):
        lines = [*lines, view.deed, view.deed]  # with a verdict of its own beside it
    return sum(len(beats.plain(line)) for line in lines)


def _coming(course: Course, lang: str, step: str, after: Beat | None) -> tuple[str, str]:
    """For the presenter: whether the answer, the end or another screen comes next, and that one's title."""
    if after is None or after.screen == END:
        return "end", ""
    if after.screen == step:
        return "answer", ""
    return "screen", show(course, course.lessons.screens[after.screen], lang, after.asked).title


# Questions in between


@bp.get("/<lang:lang>/<game>/teach/answers")
@remembered_by(what="search")
def answers(lang: str, game: str) -> str:
    """The texts that answer a question, at once and large: nobody at a table wants a list of links."""
    course = shelf().course(game)
    query = request.args.get("q", "").strip()
    found = shelf().search.find(query, lang, game, typing=hx.wants_fragment()) if query else None
    entries = course.texts[lang].entries
    told = [entries[hit.id] for hit in found.hits if hit.id in entries] if found else []
    hits = [entry for entry in told if entry.paragraphs][:ANSWERS]  # an example is a story, not an answer
    chosen = _plan(course)
    said, also, back = _said(course, chosen), _also(lang), request.args.get("back", "")
    if back not in course.lessons.screens:
        back = chosen[0]
    return render_template(
        "live/teach/_answers.html" if hx.wants_fragment() else "live/teach/answers.html",
        game=game,
        texts=course.texts[lang],
        query=query,
        found=found,
        answers=hits,
        lesson=_again(game, back, said, also, Asked()),
        kept={"plan": said, "also": also, "back": back},
        ask_address=url_for("teach.answers", game=game),
    )


# Addresses


def _plan(course: Course) -> tuple[str, ...]:
    return beats.plan_of(course, request.args.get("plan", "").split("."))


def _said(course: Course, plan: Sequence[str]) -> str:
    """The plan as an address says it; the usual one needs no words."""
    return "" if tuple(plan) == beats.plan_of(course, ()) else ".".join(plan)


def _also(lang: str) -> str:
    also = request.args.get("also", "")
    return also if also in LANGUAGES and also != lang else ""


def _address(endpoint: str, game: str, plan: str, also: str = "", **values: Any) -> str:
    address = url_for(endpoint, game=game, **values)
    kept = {name: value for name, value in (("plan", plan), ("also", also)) if value}
    return f"{address}?{urlencode(kept)}" if kept else address


def _again(game: str, step: str, plan: str, also: str, asked: Asked, endpoint: str = "teach.step") -> str:
    """The same beat with another second language, or as notes."""
    here = Here(url_for(endpoint, game=game, step=step), plan=plan, also=also)
    return here(moves=asked.moves, said=asked.said, choices=sorted(asked.choices))
