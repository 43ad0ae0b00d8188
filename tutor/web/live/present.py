"""Presenting: the lesson as beats on a shared screen, what to say in a second window, and answers to what
people ask in between. The plan, the place in it and all that was played stand in the address."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, abort, redirect, render_template, request, url_for

from tutor.book.words import LANGUAGES
from tutor.lessons import beats
from tutor.lessons.beats import Beat
from tutor.lessons.course import Course
from tutor.lessons.input import NO_INPUT, Input
from tutor.lessons.lesson import END
from tutor.web.http import hx
from tutor.web.http.cache import keep_page, keep_page_by
from tutor.web.http.render import render
from tutor.web.http.screens import Here, dice, read_input
from tutor.web.http.shelf import shelf
from tutor.web.live.shared import SharedScreen

bp = Blueprint("teach", __name__)

MOST_ANSWERS = 4
"""As many as fit a screen."""


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
@keep_page
def plan(lang: str, game: str) -> str:
    """What is going to be presented: screens can be left out, added and moved."""
    course = shelf().course(game)
    chosen = _plan(course)

    def to(*wished: str) -> str:
        return _address("teach.plan", game, _write_plan(course, wished), _read_also(lang)) if wished else ""

    def row(name: str) -> Row:
        screen, title = course.lessons.screens[name], beats.title(course, lang, name)
        if name not in chosen:
            return Row(name, title, screen.kind, screen.lesson, added=to(*chosen, name))
        i = chosen.index(name)
        before, after = chosen[:i], chosen[i + 1 :]
        return Row(
            name,
            title,
            screen.kind,
            screen.lesson,
            earlier=to(*before[:-1], name, before[-1], *after) if before else "",
            later=to(*before, after[0], name, *after[1:]) if after else "",
            without=to(*before, *after),
        )

    return render_template(
        "live/teach/plan.html",
        game=game,
        plan=_write_plan(course, chosen),
        texts=course.texts[lang],
        words=course.book.words[lang],
        brief=to(*beats.essential_screens(course.lessons.first)),
        lessons=[(lesson.id, to(*beats.screens_of(lesson))) for lesson in course.lessons.all],
        rows=[row(name) for name in chosen],
        left=[
            row(screen.id)
            for screen in course.lessons.screens.values()
            if screen.kind != END and screen.id not in chosen
        ],
        minutes=round(sum(beats.minutes(course, lang, name) for name in chosen)),
        first=_address("teach.screen", game, _write_plan(course, chosen), _read_also(lang), name=chosen[0]),
    )


@bp.get("/<lang:lang>/<game>/teach/<name>")
@keep_page
def screen(lang: str, game: str, name: str) -> Any:
    """The shared screen."""
    return _render("screen", lang, game, name)


@bp.get("/<lang:lang>/<game>/teach/<name>/notes")
@keep_page
def notes(lang: str, game: str, name: str) -> Any:
    """For the presenter's eyes: what to say, what comes next, what people ask here."""
    return _render("notes", lang, game, name)


def _render(part: str, lang: str, game: str, name: str) -> Any:
    course = shelf().course(game)
    screen = course.lessons.screens.get(name)
    if screen is None or (screen.kind == END and name != END):
        abort(404)
    chosen, given = _plan(course), read_input()
    plan_text, also = _write_plan(course, chosen), _read_also(lang)

    def way(screen: str, also: str) -> Here:
        return Here(url_for("teach.screen", game=game, name=screen), plan=plan_text, also=also)

    done = beats.settle(course, screen, given, dice)
    if done != given:  # dice fall once, and then stand in the address
        return redirect(way(name, also)(moves=done.moves))
    return render(
        f"live/teach/_{part}.html" if hx.wants_fragment() else f"live/teach/{part}.html",
        SharedScreen.of(course, lang, chosen, Beat(name, given), also, way),
        notes_address=_address_of_beat(game, name, plan_text, also, given, "teach.notes"),
        plan_address=_address("teach.plan", game, plan_text, also),
        ask_address=_address("teach.answers", game, plan_text, also=also),
    )


# Questions in between


@bp.get("/<lang:lang>/<game>/teach/answers")
@keep_page_by(what="search")
def answers(lang: str, game: str) -> str:
    """The texts that answer a question, at once and large: nobody at a table wants a list of links."""
    course = shelf().course(game)
    query = request.args.get("q", "").strip()
    found = shelf().search.find(query, lang, game, typing=hx.wants_fragment()) if query else None
    entries = course.texts[lang].entries
    told = [entries[hit.id] for hit in found.hits if hit.id in entries] if found else []
    hits = [entry for entry in told if entry.paragraphs][
        :MOST_ANSWERS
    ]  # an example is a story, not an answer
    chosen = _plan(course)
    plan_text, also, back = (
        _write_plan(course, chosen),
        _read_also(lang),
        request.args.get("back", ""),
    )
    if back not in course.lessons.screens:
        back = chosen[0]
    return render_template(
        "live/teach/_answers.html" if hx.wants_fragment() else "live/teach/answers.html",
        game=game,
        texts=course.texts[lang],
        query=query,
        found=found,
        answers=hits,
        lesson=_address_of_beat(game, back, plan_text, also, NO_INPUT),
        kept={"plan": plan_text, "also": also, "back": back},
        ask_address=url_for("teach.answers", game=game),
    )


# Addresses


def _plan(course: Course) -> tuple[str, ...]:
    return beats.plan_of(course, request.args.get("plan", "").split("."))


def _write_plan(course: Course, plan: Sequence[str]) -> str:
    """The plan as an address writes it; empty for the default one."""
    return "" if tuple(plan) == beats.plan_of(course, ()) else ".".join(plan)


def _read_also(lang: str) -> str:
    also = request.args.get("also", "")
    return also if also in LANGUAGES and also != lang else ""


def _address(endpoint: str, game: str, plan: str, also: str = "", **values: Any) -> str:
    address = url_for(endpoint, game=game, **values)
    kept = {name: value for name, value in (("plan", plan), ("also", also)) if value}
    return f"{address}?{urlencode(kept)}" if kept else address


def _address_of_beat(
    game: str, name: str, plan: str, also: str, given: Input, endpoint: str = "teach.screen"
) -> str:
    """The same beat with another second language, or as notes."""
    here = Here(url_for(endpoint, game=game, name=name), plan=plan, also=also)
    return here(moves=given.moves, replies=given.replies, choices=sorted(given.choices))
