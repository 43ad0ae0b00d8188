"""The lesson: one address a step. What a learner has done stands in the address, nowhere else."""

import random
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for

from tutor.book.check import values_of
from tutor.book.model import GameBook
from tutor.book.scenario import Frame, Run
from tutor.book.words import MissingWord, Words
from tutor.rules.base import CHANCE, Reason, Value, Verdict
from tutor.teach.lesson import Step
from tutor.teach.practice import Attempt, attempt, roll
from tutor.web.cache import remembered
from tutor.web.draw.scene import Option, Scene, Tone
from tutor.web.pages import remember
from tutor.web.shelf import shelf

bp = Blueprint("learn", __name__)

MOST_HELP = 4
_dice = random.SystemRandom()


@bp.get("/<lang:lang>/<game>/learn/")
def start(lang: str, game: str) -> Any:
    shelf().book(game)
    first = shelf().lessons[game].path(short=_short())[0]
    return redirect(url_for("learn.step", game=game, step=first.id, **_path()))


@bp.get("/<lang:lang>/<game>/learn/<step>")
def step(lang: str, game: str, step: str) -> Any:
    shelf().book(game)
    found = shelf().lessons[game].by_id.get(step)
    if found is None:
        abort(404)
    answer = _page(lang=lang, game=game, step=step)
    if answer.status_code == 302:
        return answer
    return remember(answer, lang=lang, **{f"step-{game}": f"{step}|{'short' if _short() else 'full'}"})


@remembered
def _page(lang: str, game: str, step: str) -> Any:
    book = shelf().book(game)
    lesson = shelf().lessons[game]
    found = lesson.by_id[step]
    words = book.words[lang]
    place = lesson.place(found, _short())
    values: dict[str, Any] = {
        "book": book,
        "game": game,
        "step": found,
        "place": place,
        "path": _path(),
        "rulebook": book.rulebooks[lang],
        "section": next(s for s in book.rulebooks[lang].sections if s.id == found.section),
    }
    if found.kind == "read":
        values |= _read(book, found, words)
    elif found.kind == "recap":
        values |= _recap(book, found, words, lesson.path(_short()))
    else:
        run = shelf().runs[game][found.scenario]
        frame = run.frames[found.frame]
        cast = words.with_cast(run.scenario.file.players)
        if found.kind == "do":
            tried = attempt(book.game, frame, _moves())
            due = roll(book.game, frame, tried, _dice)
            if due:
                return redirect(_here(found, moves=";".join((*tried.played, due))))
            values |= _do(book, found, run, frame, cast, tried)
        elif found.kind == "watch":
            values |= _watch(book, found, run, frame, cast)
        elif found.kind == "refuse":
            values |= _refuse(book, found, run, frame, cast)
        else:
            values |= _choose(book, found, run, frame, cast)
    return render_template("learn/step.html", **values)


# The address


def _short() -> bool:
    return request.args.get("path") != "full"


def _path() -> dict[str, Any]:
    return {} if _short() else {"path": "full"}


def _moves() -> list[str]:
    return [move for move in request.args.get("moves", "").split(";") if move.strip()]


def _picks() -> tuple[str, ...]:
    return tuple(dict.fromkeys(request.args.get("pick", "").split()))[:30]


def _help() -> int:
    asked = request.args.get("help", "0")
    return min(int(asked), MOST_HELP) if asked.isascii() and asked.isdecimal() else 0


def _here(step: Step, **args: str) -> str:
    game = (request.view_args or {})["game"]
    kept: dict[str, Any] = _path() | {name: value for name, value in args.items() if value}
    return url_for("learn.step", game=game, step=step.id, **kept)


# The kinds of step


def _picture(book: GameBook, scene: Scene) -> dict[str, Any]:
    drawing = shelf().drawings[book.id]
    return {"picture": (drawing.template, drawing.table(scene))}


def seat_of(book: GameBook, frame: Frame) -> int:
    """Whose board a frame is about: the one it names, or the first player who acts in it."""
    if frame.step.seat:
        return frame.step.seat
    for text in (*frame.step.play, frame.step.refuse, *frame.step.choose):
        seat = book.game.seat_of(book.game.parse_move(text)) if text else CHANCE
        if CHANCE < seat <= book.game.seats(frame.before):
            return seat
    return next((seat for seat in book.game.turn(frame.before) if seat != CHANCE), 1)


def _line(book: GameBook, run: Run, frame: Frame, cast: Words, suffix: str = "", **more: Value) -> str:
    block = book.rulebooks[cast.lang].blocks[run.scenario.id]
    sentence = (block.lines or {}).get(frame.step.id + suffix)
    if sentence is None:
        return ""
    values = values_of(frame, len(run.scenario.file.players))
    try:
        return sentence.html(cast, values | more)
    except MissingWord:
        return sentence.html(cast, values)


def still(book: GameBook, frame: Frame, cast: Words) -> Scene:
    """A frame as a picture: what changed is marked, or what a refused move wanted and lacked."""
    seat = seat_of(book, frame)
    if frame.kind == "refuse":
        return Scene(frame.before, cast, seat, frame.marks, "refused", frame.deeds[0].at)
    return Scene(frame.after, cast, seat, frame.marks)


def line_of(book: GameBook, run: Run, frame: Frame, cast: Words) -> str:
    """What an example's frame tells a reader of the rulebook: what happened rather than the task."""
    if run.scenario.id not in book.rulebooks[cast.lang].blocks:
        return ""
    return _line(book, run, frame, cast, "!") or _line(book, run, frame, cast)


def _read(book: GameBook, step: Step, words: Words) -> dict[str, Any]:
    block = book.rulebooks[words.lang].blocks[step.rule]
    values = book.game.facts(book.game.setup({}))
    shown: dict[str, Any] = {
        "title": block.title,
        "text": [sentence.html(words, values) for sentence in block.body],
        "basis": book.facts.rules[step.rule].basis,
    }
    if step.scenario:
        run = shelf().runs[book.id][step.scenario]
        frame = run.frames[step.frame]
        cast = words.with_cast(run.scenario.file.players)
        shown |= _picture(book, still(book, frame, cast))
    return shown


def _recap(book: GameBook, step: Step, words: Words, path: tuple[Step, ...]) -> dict[str, Any]:
    blocks = book.rulebooks[words.lang].blocks
    rules = [other.rule for other in path if other.section == step.section and other.rule]
    values = book.game.facts(book.game.setup({}))
    return {
        "rules": [
            {"id": rule, "title": blocks[rule].title, "html": blocks[rule].body[0].html(words, values)}
            for rule in rules
        ]
    }


def _watch(book: GameBook, step: Step, run: Run, frame: Frame, cast: Words) -> dict[str, Any]:
    return {
        "title": book.rulebooks[cast.lang].blocks[step.scenario].title,
        "text": [_line(book, run, frame, cast)],
        "deeds": [cast.say_deed(deed) for deed in frame.deeds],
        **_picture(book, still(book, frame, cast)),
    }


def _do(book: GameBook, step: Step, run: Run, frame: Frame, cast: Words, tried: Attempt) -> dict[str, Any]:
    seat = seat_of(book, frame)
    level = _help() if not tried.met else 0
    tone: Tone = "changed"
    marks = tried.marks
    if tried.refused:
        tone = "refused"
    elif level and not tried.played:
        solution = attempt(book.game, frame, frame.step.play)
        tone, marks = "hint", solution.marks
    played = ";".join(tried.played)

    def link(option: Option) -> str:
        if option.move:
            return _here(step, moves=";".join((*tried.played, option.move)))
        return _here(step, moves=played, pick=" ".join(option.picks))

    scene = Scene(tried.state, cast, seat, marks, tone, tried.wanted, _picks(), None if tried.met else link)
    return {
        "title": book.rulebooks[cast.lang].blocks[step.scenario].title,
        "text": [_line(book, run, frame, cast)],
        "deeds": [cast.say_deed(deed) for deed in tried.deeds],
        "whys": whys(book, cast, tried.verdict),
        "won": _line(book, run, frame, cast, "!", **(tried.facts or {})) if tried.met else "",
        "tried": tried,
        "again": _here(step) if tried.tried else "",
        "help": level,
        "ladder": _ladder(book, frame, cast, level, tried),
        "more_help": _here(step, moves=played, help=str(level + 1)) if level < MOST_HELP - 1 else "",
        "solution": _here(step, moves=";".join(frame.step.play))
        if tried.tried or level >= MOST_HELP - 1
        else "",
        **_picture(book, scene),
    }


def _ladder(book: GameBook, frame: Frame, words: Words, level: int, tried: Attempt) -> list[dict[str, str]]:
    """The rungs of help so far: point at the places, name the rule, show the rule."""
    rules = [*frame.step.shows, *sorted(frame.cited)]
    blocks = book.rulebooks[words.lang].blocks
    if not level or not rules:
        return []
    main = blocks[rules[0]]
    rungs = [{"kind": "places"}]
    if level >= 2:
        rungs.append({"kind": "rule", "id": main.id, "title": main.title})
    if level >= 3:
        values = book.game.facts(book.game.setup({}))
        rungs.append({"kind": "text", "html": main.body[0].html(words, values)})
    return rungs


def _refuse(book: GameBook, step: Step, run: Run, frame: Frame, cast: Words) -> dict[str, Any]:
    """The move stands in the scenario, so the address only says whether it was tried."""
    tried = bool(_moves())
    marks = frame.marks if tried else ()
    wanted = frame.deeds[0].at if tried else ()
    scene = Scene(frame.before, cast, seat_of(book, frame), marks, "refused", wanted)
    return {
        "title": book.rulebooks[cast.lang].blocks[step.scenario].title,
        "text": [_line(book, run, frame, cast)],
        "deeds": [cast.say_deed(deed) for deed in frame.deeds],
        "try_it": "" if tried else _here(step, moves=frame.step.refuse),
        "whys": whys(book, cast, frame.verdict) if tried else [],
        **_picture(book, scene),
    }


def _choose(book: GameBook, step: Step, run: Run, frame: Frame, cast: Words) -> dict[str, Any]:
    chosen = {c for c in request.args.getlist("choice") if c.isascii() and c.isdecimal()}
    answered = "check" in request.args
    choices = []
    for i, (text, verdict) in enumerate(frame.choices):
        deed = book.game.tell(frame.before, book.game.parse_move(text))
        picked = str(i) in chosen
        choices.append(
            {
                "value": str(i),
                "label": cast.say_deed(deed),
                "picked": picked,
                "legal": verdict.ok,
                "right": picked == verdict.ok,
                "whys": [] if verdict.ok else whys(book, cast, verdict),
            }
        )
    right = all(choice["right"] for choice in choices)
    scene = Scene(frame.before, cast, seat_of(book, frame), frame.step.at)
    return {
        "title": book.rulebooks[cast.lang].blocks[step.scenario].title,
        "text": [_line(book, run, frame, cast)],
        "choices": choices,
        "answered": answered,
        "right": right,
        "explained": _line(book, run, frame, cast, "!") if answered else "",
        "again": _here(step) if answered else "",
        **_picture(book, scene),
    }


def whys(book: GameBook, words: Words, verdict: Verdict | None) -> list[dict[str, str]]:
    """The sentences of a refusal, each with its rule."""
    return [_why(book, words, reason) for reason in verdict.reasons] if verdict and not verdict.ok else []


def _why(book: GameBook, words: Words, reason: Reason) -> dict[str, str]:
    block = book.rulebooks[words.lang].blocks[reason.rule]
    assert block.why
    return {"rule": block.id, "title": block.title, "html": block.why.html(words, reason.args)}
