"""The site: an app factory, one blueprint per subject, language in the address."""

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

from flask import Flask, Request, g, request
from flask.templating import Environment
from jinja2 import StrictUndefined
from werkzeug.exceptions import NotFound
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import BaseConverter, MapAdapter, RequestRedirect

from tutor.book.words import LANGUAGES
from tutor.paths import CONTENT, TEMPLATES
from tutor.rules import GAMES
from tutor.rules.base import Game
from tutor.store.live import open_log
from tutor.teach import packed
from tutor.web import (
    address,
    api,
    api_page,
    cache,
    chair,
    compare,
    editions,
    errors,
    files,
    glossary,
    hx,
    i18n,
    learn,
    limit,
    live,
    pages,
    pieces,
    referee,
    reference,
    rulings,
    search,
    security,
    tables,
    teach,
)
from tutor.web.shelf import Shelf

ADDRESSES_KEPT = 4096


class LangConverter(BaseConverter):
    regex = "|".join(LANGUAGES)


class Templates(Environment):
    """Our tables are dictionaries: `cell.high` need not look for an attribute first."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


class Site(Flask):
    """A Flask app for which no address depends on the Host header that a request happens to carry."""

    jinja_environment = Templates

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._address = lru_cache(ADDRESSES_KEPT)(self._make_address)

    def url_for(self, /, endpoint: str, **values: Any) -> str:
        """A page asks for a dozen addresses, nearly always the same ones. With language and hash given, an
        address is a function of its parts."""
        self.inject_url_defaults(endpoint, values)
        return self._address(request.root_path, endpoint, tuple(values.items()))

    def _make_address(self, root: str, endpoint: str, values: tuple[tuple[str, Any], ...]) -> str:
        return super().url_for(endpoint, **dict(values))

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        if request is None:
            return super().create_url_adapter(None)
        return self.url_map.bind(
            "localhost",  # never seen: all our addresses are relative
            script_name=request.root_path,
            path_info=request.path,
            default_method=request.method,
            query_args=request.query_string.decode("latin-1"),
        )

    def raise_routing_exception(self, request: Request) -> NoReturn:
        error = request.routing_exception
        if isinstance(error, RequestRedirect) and address.for_programs():
            raise NotFound  # programs write addresses as they are
        if isinstance(error, RequestRedirect):
            parts = urlsplit(error.new_url)
            error.new_url = parts._replace(scheme="", netloc="").geturl()
        super().raise_routing_exception(request)


def rate(text: str) -> float:
    """A number of requests a second. Raises ValueError for what is none."""
    found = float(text)
    if not 0 <= found < 1e6:
        raise ValueError(f"TUTOR_API_RATE is a number from 0 on, not {text!r}")
    return found


def create_app(database: Path, content: Path = CONTENT, games: Mapping[str, type[Game]] = GAMES) -> Flask:
    """The site over a content folder; `database` is where its rulebook.db is kept or built.

    TUTOR_HOSTS names the hosts it answers to, with commas between them (any, if it is not set).
    TUTOR_URL is its public address, which search engines like to see in a page's links to itself.
    TUTOR_API_RATE is how often one address may ask the API, in requests a second; 0 is as often as it likes.
    TUTOR_LIVE is where live tables are kept: a file, or redis://... for many machines; by default live.db
    beside the database. TABLE_RATE scales how often people may do things at them; 0 is as often as they like.
    TUTOR_PROXY=1 believes the X-Forwarded headers of the one proxy before it.
    """
    app = Site("tutor", template_folder=str(TEMPLATES), static_folder=None)
    app.config.update(
        MAX_CONTENT_LENGTH=64 * 1024,
        HOSTS=[name.strip() for name in os.environ.get("TUTOR_HOSTS", "").split(",") if name.strip()],
        URL=os.environ.get("TUTOR_URL", "").rstrip("/"),
        API_RATE=rate(os.environ.get("TUTOR_API_RATE", "10")),
        LIVE=os.environ.get("TUTOR_LIVE", "") or str(database.with_name("live.db")),
        TABLE_RATE=1.0,
    )
    open_log(app.config["LIVE"]).close()  # raises ValueError for an address that is none
    if os.environ.get("TUTOR_PROXY") == "1":
        app.wsgi_app = ProxyFix(app.wsgi_app)  # type: ignore[method-assign]
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    app.jinja_env.filters["escaped"] = packed.escaped
    app.url_map.converters["lang"] = LangConverter
    app.extensions["shelf"] = Shelf.load(content, database, games)
    for part in (security, hx, i18n, cache, files, errors, limit, tables, live, api):
        part.init(app)
    look_up = (search, glossary, reference, rulings, referee, pieces, editions, compare)
    for subject in (pages, learn, teach, live, chair, *look_up, api, api_page):
        app.register_blueprint(subject.bp)

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
            "same_page": address.same_page,
            "site": app.config["URL"],
        }

    return app
