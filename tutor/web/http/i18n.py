"""The reader's language (of the address, the remembered choice, the browser) and its interface strings."""

from gettext import NullTranslations
from typing import Any

from babel.support import Translations
from flask import Flask, g, request
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from tutor.book.words import LANGUAGE_TABLE, LANGUAGES, TEMPLATE_LANGUAGE, typeset
from tutor.paths import TRANSLATIONS

NAMES = {language.code: language.name for language in LANGUAGE_TABLE.values()}
COOKIE = "lang"
LONGEST_HEADER_CHARS = 200


def preferred_language() -> str:
    """The language of a reader whose address names none: the remembered choice, then the browser's."""
    remembered = request.cookies.get(COOKIE, "")
    if remembered in LANGUAGES:
        return remembered
    return language_of_header()


def language_of_header() -> str:
    """The language that the browser, or a program, asks for by its header."""
    # A browser names a few languages; whoever sends more must not keep us busy with them.
    wanted = parse_accept_header(
        request.headers.get("Accept-Language", "")[:LONGEST_HEADER_CHARS], LanguageAccept
    )
    return wanted.best_match(LANGUAGES) or TEMPLATE_LANGUAGE


def language_for_programs() -> str:
    """The language of an answer to a program: what it says in its address, then in its header."""
    lang = request.args.get("lang", "")
    return lang if lang in LANGUAGES else language_of_header()


def init(app: Flask) -> None:
    catalogs: dict[str, NullTranslations] = {
        lang: Translations.load(str(TRANSLATIONS), [lang], "messages")
        for lang in LANGUAGES
        if lang != TEMPLATE_LANGUAGE
    }
    catalogs[TEMPLATE_LANGUAGE] = NullTranslations()
    for lang, catalog in catalogs.items():
        strings: dict[Any, str] = getattr(catalog, "_catalog", {})
        strings.update({key: typeset(text, lang) for key, text in strings.items() if key})

    def gettext(text: str) -> str:
        return catalogs[current()].gettext(text)

    def ngettext(one: str, many: str, count: int) -> str:
        return catalogs[current()].ngettext(one, many, count)

    app.jinja_env.add_extension("jinja2.ext.i18n")
    env: Any = app.jinja_env
    env.install_gettext_callables(gettext, ngettext, newstyle=True)


def current() -> str:
    """The language of the page being made."""
    lang: str = g.get("lang", "")
    return lang or preferred_language()
