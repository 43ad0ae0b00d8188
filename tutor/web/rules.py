"""The rulebook as a page, and its examples, which can be stepped through in place."""

from typing import Any

from flask import Blueprint, abort, render_template

from tutor.book.model import GameBook
from tutor.book.scenario import Run
from tutor.book.words import Words
from tutor.web import hx
from tutor.web.cache import remembered
from tutor.web.pages import remember
from tutor.web.shelf import shelf
from tutor.web.steps import Shown, picture

bp = Blueprint("rules", __name__)


@bp.get("/<lang:lang>/<game>/rules")
def page(lang: str, game: str) -> Any:
    shelf().book(game)
    return remember(_rules(lang=lang, game=game), lang=lang)


@remembered
def _rules(lang: str, game: str) -> str:
    book = shelf().book(game)
    parts = shelf().store.rulebook(game, lang)
    shown = {
        entry.id: example(book, book.words[lang], entry.id, "")
        for part in parts
        for entry in part.entries
        if entry.kind == "example"
    }
    ours = [book.words[lang].phrase(key) for key in book.file.ours]
    return render_template(
        "rules/page.html",
        game=game,
        rulebook=book.rulebooks[lang],
        parts=parts,
        examples=shown,
        ours=ours,
        related=_related(book, lang),
    )


def _related(book: GameBook, lang: str) -> dict[str, list[tuple[str, str]]]:
    """Rulings beside their rules, and the rule beside each ruling: id and title."""
    blocks = book.rulebooks[lang].blocks
    found: dict[str, list[tuple[str, str]]] = {}
    for ruling, facts in book.facts.rulings.items():
        found.setdefault(facts.rule, []).append((ruling, blocks[ruling].title))
        found[ruling] = [(facts.rule, blocks[facts.rule].title)]
    return found


@bp.get("/<lang:lang>/<game>/examples/<name>/", defaults={"step": ""})
@bp.get("/<lang:lang>/<game>/examples/<name>/<step>")
def one_example(lang: str, game: str, name: str, step: str) -> Any:
    shelf().book(game)
    runs = shelf().runs[game]
    if name not in runs or (step and step not in runs[name].frames):
        abort(404)
    return remember(_example(lang=lang, game=game, name=name, step=step), lang=lang)


@remembered
def _example(lang: str, game: str, name: str, step: str) -> str:
    book = shelf().book(game)
    values = {"game": game, "rulebook": book.rulebooks[lang]}
    shown = example(book, book.words[lang], name, step)
    template = "rules/_example.html" if hx.wants_fragment() else "rules/example.html"
    return render_template(template, **values, example=shown)


def example(book: GameBook, words: Words, name: str, step: str) -> dict[str, Any]:
    """One frame of an example for the page, with the frames before and after it."""
    run = shelf().runs[book.id][name]
    block = book.rulebooks[words.lang].blocks.get(name)
    steps = _steps(run, block.lines if block else None)
    step = step or steps[0]
    shown = Shown(book, run, run.frames[step], words.with_cast(run.scenario.file.players))
    i = steps.index(step) if step in steps else -1
    return {
        "id": name,
        "title": shown.title,
        "number": i + 1,
        "count": len(steps),
        "back": steps[i - 1] if i > 0 else "",
        "next": steps[i + 1] if 0 <= i < len(steps) - 1 else "",
        "html": shown.story(),
        "deeds": shown.deeds,
        "whys": shown.whys(shown.frame.verdict),
        **picture(book, shown.still()),
    }


def _steps(run: Run, lines: Any) -> list[str]:
    told = [line for line in lines or () if not line.endswith("!")]
    return told or list(run.frames)
