"""Where things are read: the pages of rulings, and of whatever a search has found."""

from flask import redirect, url_for
from werkzeug.wrappers import Response

from tutor.lookup.rulings import slug
from tutor.search.ranking import Hit
from tutor.web.http import i18n


def ruling_address(game: str, ruling: str, lang: str | None = None) -> str:
    """The page of a ruling, by its whole id."""
    return url_for("rulings.one", lang=lang or i18n.current(), game=game, name=slug(game, ruling))


def hit_address(hit: Hit) -> str:
    """Where what was found is read."""
    if hit.kind == "term":
        return url_for("glossary.page", _anchor=hit.id)
    if hit.kind == "piece":
        return url_for("pieces.page", game=hit.game, _anchor=hit.id)
    if hit.kind == "example":
        return url_for("rules.one_example", game=hit.game, name=hit.id)
    if hit.kind == "ruling":
        return ruling_address(hit.game, hit.id)
    return url_for("rules.page", game=hit.game, _anchor=hit.id)


def redirect_by_language(where: str) -> Response:
    """To a page whose address names the language that this reader prefers."""
    answer = redirect(where)
    answer.vary.update(("Accept-Language", "Cookie"))
    return answer
