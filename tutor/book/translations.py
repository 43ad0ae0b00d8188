"""Checks of what only concerns translators: scripts, the catalogs of the interface, and copied sentences."""

import io
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.pofile import PoFileError, read_po

from tutor.book import source
from tutor.book.load import Library
from tutor.book.model import GameBook
from tutor.book.particulars import LATIN, particular_to
from tutor.book.source import Problem
from tutor.book.words import LANGUAGE_TABLE, LANGUAGES, TEMPLATE_LANGUAGE

MOST_SHARED_WORDS = 5
"""Two languages may have so short a sentence in common by chance."""
MOST_COPIES_LISTED = 3
"""Copied texts of a file that are listed; of further ones only the number is told."""

TEMPLATES_KEPT = 500
"""Templates whose strings are remembered."""


def check_scripts(content: Path) -> Iterator[Problem]:
    """No letter of a foreign script: look-alike Cyrillic letters cannot be searched for. Latin letters are in
    every text, and a file of all languages has all their scripts."""
    own = {lang: particular_to(lang).script for lang in LANGUAGES}
    for path in sorted(content.rglob("*")):
        if path.suffix not in (".md", ".toml", ".txt") or not path.is_file():
            continue
        lang = path.stem.rpartition(".")[2]
        known = (LATIN, own[lang]) if lang in own else (LATIN, *own.values())
        for number, line in enumerate(path.read_text("utf-8", "ignore").splitlines(), 1):
            odd = {c for c in line if c.isalpha() and not unicodedata.name(c, "").startswith(known)}
            if odd:
                yield Problem(path, number, f"letters of a foreign script: {' '.join(sorted(odd))}")


def check_catalogs(translations: Path, templates: Path) -> Iterator[Problem]:
    """Every string of the templates is translated, with the same placeholders and all plural forms."""
    files = [(path, path.stat().st_mtime_ns) for path in templates.rglob("*.html")]
    wanted = frozenset[str]().union(*(_read_strings(*file) for file in files))
    for lang in LANGUAGES:
        if lang == TEMPLATE_LANGUAGE:
            continue
        path = _path(translations, lang)
        catalog = _catalog(path, lang)
        if isinstance(catalog, Problem):
            yield catalog
            continue
        messages = [message for message in catalog if message.id]
        known = {_key(message.id) for message in messages}
        for key in sorted(wanted - known):
            yield Problem(path, 1, f"not there: {key}", "add")
        for message in messages:
            line = message.lineno or 1
            strings = _strings(message)
            forms = len(LANGUAGE_TABLE[lang].categories) if message.pluralizable else 1
            if _key(message.id) not in wanted:
                yield Problem(path, line, f"no template says: {_key(message.id)}")
            if message.fuzzy or not all(strings):
                yield Problem(path, line, f"not translated: {_key(message.id)}", "add")
                continue
            if len(strings) != forms:
                text = f"has {len(strings)} forms, of which {lang} has {forms}: {_key(message.id)}"
                yield Problem(path, line, text, "add")
            for error in message.check(catalog):
                yield Problem(path, line, str(error))
            if re.search(r"%\((\w+)\)", str(message.id)) and _fields(message.id) != _fields(strings):
                yield Problem(path, line, f"other placeholders: {_key(message.id)}")


@lru_cache(TEMPLATES_KEPT)
def _read_strings(template: Path, changed: int) -> frozenset[str]:
    """The strings of a template, read once as long as it does not change."""
    return frozenset(_key(message) for _, message, _, _ in extract_from_file("jinja2", template))


def _path(translations: Path, lang: str) -> Path:
    return translations / lang / "LC_MESSAGES" / "messages.po"


def _catalog(path: Path, lang: str) -> Catalog | Problem:
    text = source.read(path)
    if isinstance(text, Problem):
        return text
    try:
        return _parse(text.text, lang)
    except PoFileError as error:
        return Problem(path, error.lineno or 1, f"is not a catalog: {error}")
    except (ValueError, LookupError) as error:
        return Problem(path, 1, f"is not a catalog: {error}")


@lru_cache(2 * len(LANGUAGES))
def _parse(text: str, lang: str) -> Catalog:
    return read_po(io.BytesIO(text.encode()), locale=lang, abort_invalid=True)


def _strings(message: Message) -> tuple[str, ...]:
    return tuple(message.string) if isinstance(message.string, tuple | list) else (str(message.string),)


def _key(message: str | tuple[str, ...] | list[str]) -> str:
    """A string by its singular."""
    return message if isinstance(message, str) else str(message[0])


def _fields(text: object) -> set[str]:
    return set(re.findall(r"%\((\w+)\)", str(text)))


class Written(NamedTuple):
    """Where a text of one language is written."""

    text: str
    path: Path
    line: int
    entry: str = ""
    """Of what it is all that is told in that language, if all languages have it in one file."""

    def parts(self) -> Iterator[str]:
        """What is not the same in two languages: a long sentence or phrase, or an entry of several words."""
        if self.entry and re.search(r"\w\W+\w", self.text):
            yield f"{self.entry}: {self.text}"
        yield from filter(_long, re.split(r",\s+" if self.entry else r"(?<=[.!?…])\s+", self.text))


def check_copies(library: Library, translations: Path) -> Iterator[Problem]:
    """No sentence of some length is the same in two languages: it was copied, not translated."""
    books = list(library.games.values())
    # The templates' language comes first, so that a catalog with the same strings is the copy.
    order = sorted(LANGUAGES, key=lambda lang: lang != TEMPLATE_LANGUAGE)
    texts = {lang: [*_catalog_texts(translations, lang)] for lang in order}
    for book in books:
        for lang in book.rulebooks:
            texts[lang] += texts_of(book, lang)
    for book in books[:1]:
        for lang in book.rulebooks:
            texts[lang] += _words_texts(book, lang, own=False)
    for lang in order:
        texts[lang] += [*_terms_texts(library, lang), *_asked_texts(books, lang)]
    seen: dict[str, str] = {}
    for lang, written in texts.items():
        copied: dict[Path, list[tuple[int, str]]] = {}
        for one in written:
            known = [(seen.setdefault(part, lang), part) for part in one.parts()]
            same = [f"the same in {other}: {part}" for other, part in known if other != lang]
            # An entry is one thing to translate, whatever of it is the same.
            counted = same[:1] if one.entry else same
            copied.setdefault(one.path, []).extend((one.line, text) for text in counted)
        for path, found in copied.items():
            if len(found) > MOST_COPIES_LISTED:
                line, text = min(found, key=lambda one: one[0])
                many = f"{len(found)} texts are not translated into {lang}, the first is {text}"
                yield Problem(path, line, many, "translate", len(found), lang)
            else:
                for line, text in found:
                    yield Problem(path, line, f"not translated into {lang}, {text}", "translate", lang=lang)


def _long(sentence: str) -> bool:
    bare = re.sub(r"\{[^{}]*\}|%\(\w+\)s", " ", sentence)
    return len(re.findall(r"[^\W\d_]+", bare)) > MOST_SHARED_WORDS


def texts_of(book: GameBook, lang: str) -> Iterator[Written]:
    """All that is written about one game in one language."""
    yield from _rulebook_texts(book, lang)
    yield from _words_texts(book, lang, own=True)


def _rulebook_texts(book: GameBook, lang: str) -> Iterator[Written]:
    rulebook = book.rulebooks[lang]
    sentences = list(rulebook.lead)
    for section in rulebook.sections:
        sentences += section.lead
        for block in section.blocks:
            sentences += [
                *block.body,
                *(block.why.wordings if block.why else ()),
                *(block.lines or {}).values(),
            ]
            yield Written(block.title, rulebook.path, block.line)
    for sentence in sentences:
        yield Written(sentence.source, rulebook.path, sentence.line)


def _words_texts(book: GameBook, lang: str, own: bool) -> Iterator[Written]:
    file = book.words[lang].files[own]
    written = book.sources[f"words.{lang}.toml" if own else f"shared/words.{lang}.toml"]
    for table in ("deeds", "errors", "phrases"):
        for key, text in getattr(file, table).items():
            yield Written(text, written.path, written.line(table, key))


def _asked_texts(books: Iterable[GameBook], lang: str) -> Iterator[Written]:
    for book in books:
        for name, asked in book.asked.items():
            written = book.sources["asked.toml"]
            yield Written(asked.get(lang, ""), written.path, written.line(name, lang), name)


def _terms_texts(library: Library, lang: str) -> Iterator[Written]:
    written = source.read(library.path / "terms.toml")
    if isinstance(written, Problem):
        return
    for name, term in library.terms.items():
        if word := term.words.get(lang):
            said = ", ".join((word.word, *word.also, *word.asked))
            yield Written(said, written.path, written.line(name, "words", lang), name)
        for game, means in term.means.items():
            yield Written(means.get(lang, ""), written.path, written.line(name, "means", game, lang))


def _catalog_texts(translations: Path, lang: str) -> Iterator[Written]:
    """The strings of the interface. Those of the templates' own language are the ids in every catalog."""
    for source_of in LANGUAGES if lang == TEMPLATE_LANGUAGE else (lang,):
        path = _path(translations, source_of)
        catalog = _catalog(path, source_of)
        if not isinstance(catalog, Problem):
            for message in catalog:
                texts = (message.id,) if isinstance(message.id, str) else message.id
                if not message.id:
                    continue  # the header
                for text in texts if lang == TEMPLATE_LANGUAGE else _strings(message):
                    yield Written(text, path, message.lineno or 1)
