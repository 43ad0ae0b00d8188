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
from werkzeug.routing import BaseConverter, MapAdapter, RequestRedirect

from tutor.book.words import LANGUAGES
from tutor.games import GAMES
from tutor.live.log import open_log, place_of
from tutor.paths import CONTENT, TEMPLATES
from tutor.referee import packed
from tutor.rules.base import Game
from tutor.search.opening import open_store
from tutor.web import health
from tutor.web.api import page as api_page
from tutor.web.api import routes as api_routes
from tutor.web.http import (
    address,
    cache,
    contact,
    cookies,
    errors,
    files,
    hx,
    i18n,
    limit,
    proxy,
    request_id,
    security,
)
from tutor.web.http.shelf import OpenStore, Shelf
from tutor.web.live import chair, guests, present, tables
from tutor.web.play import pages as play
from tutor.web.site import (
    compare,
    editions,
    glossary,
    learn,
    pages,
    pieces,
    referee,
    rules,
    rulings,
    search,
)

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
        if isinstance(error, RequestRedirect) and address.is_for_programs():
            raise NotFound  # programs write addresses as they are
        if isinstance(error, RequestRedirect):
            parts = urlsplit(error.new_url)
            error.new_url = parts._replace(scheme="", netloc="").geturl()
        super().raise_routing_exception(request)


def number(name: str, usual: str) -> float:
    """A setting that is a number, 0 or more. Raises ValueError for anything else."""
    text = os.environ.get(name, "") or usual
    try:
        found = float(text)
    except ValueError:
        found = -1
    if not 0 <= found < 1e6:
        raise ValueError(f"{name} is a number from 0 on, not {text!r}")
    return found


def create_app(
    database: Path,
    content: Path = CONTENT,
    games: Mapping[str, type[Game]] = GAMES,
    open_store: OpenStore = open_store,
) -> Flask:
    """The site over a content folder; `database` is where its rulebook.db is kept or built.

    TUTOR_HOSTS names the hosts it answers to, with commas between them (any, if it is not set).
    TUTOR_URL is its public address, which search engines like to see in a page's links to itself.
    TUTOR_API_RATE is how often one address may ask the API, in requests a second; 0 is as often as it likes.
    TUTOR_LIVE is where live tables are kept: a file, or redis://... for many machines; by default live.db
    beside the database. TUTOR_LIMITS scales how often people may ask for what costs: 2 is twice as often as
    usual, 0 is as often as they like.
    TUTOR_SECURITY is whom to tell of a weakness, see `contact`.
    TUTOR_PROXY names the proxies whose headers are believed; 1 is one on this machine. See `proxy`.
    """
    app = Site("tutor", template_folder=str(TEMPLATES), static_folder=None)
    app.config.update(
        MAX_CONTENT_LENGTH=64 * 1024,
        HOSTS=[name.strip() for name in os.environ.get("TUTOR_HOSTS", "").split(",") if name.strip()],
        URL=os.environ.get("TUTOR_URL", "").rstrip("/"),
        API_RATE=number("TUTOR_API_RATE", "10"),
        SECURITY=contact.contacts(os.environ.get("TUTOR_SECURITY", "")),
        LIVE=place_of(database),
        LIMITS=number("TUTOR_LIMITS", "1"),
    )
    open_log(app.config["LIVE"]).close()  # raises ValueError for an address that is none
    app.extensions["proxies"] = proxies = proxy.Proxies.parse(os.environ.get("TUTOR_PROXY", ""))
    app.wsgi_app = proxy.Behind(app.wsgi_app, proxies)  # type: ignore[method-assign]
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    app.jinja_env.filters["escaped"] = packed.escape
    app.url_map.converters["lang"] = LangConverter
    app.extensions["shelf"] = Shelf.load(content, database, games, open_store)
    for part in (
        request_id,
        security,
        hx,
        i18n,
        cookies,
        cache,
        files,
        errors,
        limit,
        tables,
        guests,
        api_routes,
        contact,
    ):
        part.init(app)
    look_up = (search, glossary, rules, rulings, referee, pieces, editions, compare)
    for subject in (pages, learn, play, present, guests, chair, *look_up, api_routes, api_page, health):
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
