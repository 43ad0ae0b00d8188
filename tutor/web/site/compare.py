"""Two languages of a rulebook side by side, rule by rule."""

from typing import Any

from flask import Blueprint, abort, render_template, request, url_for

from tutor.book.texts import Entry
from tutor.book.words import LANGUAGES
from tutor.lookup.examples import steps_of
from tutor.web.http.cache import keep_page
from tutor.web.http.shelf import shelf

bp = Blueprint("compare", __name__)


@bp.get("/<lang:lang>/<game>/compare")
def page(lang: str, game: str) -> Any:
    shelf().course(game)
    beside = request.args.get("with", lang)
    if beside not in LANGUAGES:
        abort(404)
    if beside == lang:
        beside = next(other for other in LANGUAGES if other != lang)
    return _page(lang=lang, game=game, beside=beside)


@keep_page
def _page(lang: str, game: str, beside: str) -> str:
    course = shelf().course(game)
    texts, other = course.texts[lang], course.texts[beside]

    def same_page(code: str, bare: bool = False) -> str:
        """Whoever switches to the language on the right gets the two columns the other way round."""
        address = url_for("compare.page", lang=code, game=game)
        return address if bare else f"{address}?with={lang if code == beside else beside}"

    def tell(entry: Entry) -> list[list[tuple[str, str]]]:
        """What happens at each step of an example, in both languages."""
        if entry.kind != "example":
            return []
        steps = [
            [(code, course.tell(entry.id, step, code).story()) for code in (lang, beside)]
            for step in steps_of(course, entry.id)
        ]
        return [lines for lines in steps if any(line for _, line in lines)]

    return render_template(
        "site/compare/page.html",
        game=game,
        texts=texts,
        other=other,
        # Sections and entries are the same in every language, in the same order, as `check` proves.
        parts=[
            (part, twin, tuple(zip(part.entries, twin.entries, strict=True)))
            for part, twin in zip(texts.parts, other.parts, strict=True)
        ],
        told=tell,
        same_page=same_page,
    )
