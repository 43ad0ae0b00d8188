"""The site: an app factory, one blueprint per subject, language in the address."""

from collections.abc import Mapping
from pathlib import Path

from flask import Flask, g, request
from jinja2 import StrictUndefined
from werkzeug.routing import BaseConverter

from tutor.book.words import LANGUAGES
from tutor.paths import CONTENT, STATIC, TEMPLATES
from tutor.rules import GAMES
from tutor.rules.base import Game
from tutor.web import errors, hx, i18n, learn, pages, rules, security
from tutor.web.shelf import Shelf


class LangConverter(BaseConverter):
    regex = "|".join(LANGUAGES)


def create_app(
    database: Path,
    content: Path = CONTENT,
    games: Mapping[str, type[Game]] = GAMES,
) -> Flask:
    """The site over a content folder; `database` is where its rulebook.db is kept or built."""
    app = Flask("tutor", template_folder=str(TEMPLATES), static_folder=str(STATIC))
    app.config.update(
        MAX_CONTENT_LENGTH=64 * 1024,
        SEND_FILE_MAX_AGE_DEFAULT=3600,
    )
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    app.url_map.converters["lang"] = LangConverter
    app.extensions["shelf"] = Shelf.load(content, database, games)
    for part in (security, hx, i18n, errors):
        part.init(app)
    for blueprint in (pages.bp, learn.bp, rules.bp):
        app.register_blueprint(blueprint)

    @app.url_value_preprocessor
    def take_language(endpoint: str | None, values: dict[str, str] | None) -> None:
        if values and "lang" in values:
            g.lang = values["lang"]

    @app.url_defaults
    def give_language(endpoint: str, values: dict[str, str]) -> None:
        if "lang" not in values and app.url_map.is_endpoint_expecting(endpoint, "lang"):
            values["lang"] = i18n.current()

    @app.context_processor
    def for_all_pages() -> dict[str, object]:
        return {
            "lang": i18n.current(),
            "languages": i18n.NAMES,
            "same_page": pages.same_page,
            "canonical": request.base_url,
            "version": app.extensions["shelf"].version,
        }

    return app
