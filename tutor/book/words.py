"""Sentences with placeholders, filled by the grammar of each language.

    {name}                  a value: a number, a word by its id, or a list of words
    {name/gen}              that word in one of its forms
    {n space}               a counted noun: 1 space, 3 spaces; Polish 1 pole, 2 pola, 5 pól
    {n space colour}        ... with an adjective that agrees with it
    {n space colour/acc}    ... in a case
    {dice die}              several ids, counted: 3 grey dice and 1 blue die
    {n?is|are}              a choice by the plural categories of the language

The tables of words are content (words.<lang>.toml); the plural rules come from the CLDR through Babel.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from html import escape
from typing import Any, Literal

import msgspec
from babel import Locale
from babel.lists import format_list
from markdown_it import MarkdownIt

from tutor.rules.base import Deed, Value
from tutor.rules.errors import Typed


@dataclass(frozen=True)
class Language:
    """All that the program must know of a language; the rest is its files."""

    code: str
    dictionary: str
    """hunspell's name of its spelling dictionary."""
    package: str
    """Debian's package of that dictionary."""
    region: str = ""
    """The locale whose habits we follow, if the language alone would mean another."""

    @property
    def name(self) -> str:
        """What its speakers call it."""
        name: str = Locale(self.code).get_display_name(self.code) or self.code
        return name[0].upper() + name[1:]

    @cached_property
    def locale(self) -> Locale:
        return Locale.parse(self.region or self.code)

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The plural categories that whole numbers of a table game have, in the order of the CLDR."""
        found = {self.locale.plural_form(count) for count in range(1000)}
        return tuple(one for one in ("zero", "one", "two", "few", "many", "other") if one in found)


LANGUAGE_TABLE = {
    language.code: language
    for language in (
        Language("it", "it_IT", "hunspell-it"),
        Language("pl", "pl_PL", "hunspell-pl"),
        Language("es", "es_ES", "hunspell-es"),
        # British: no comma before the last of a list.
        Language("en", "en_GB", "hunspell-en-gb", region="en_GB"),
    )
}
"""Every language of the site. A new one is a line here and its files."""
LANGUAGES = tuple(LANGUAGE_TABLE)
TEMPLATE_LANGUAGE = "en"
"""The language of the strings in the templates, which needs no catalog."""

COMMON_ERRORS: dict[str, tuple[str, ...]] = {
    "json": (),
    "request": ("value",),
    "game": ("value",),
    "illegal": ("move",),
    "too-long": ("most",),
    "internal": (),
}
"""Faults of a request that no game can tell, with the values of their sentences."""

PHRASES_KEPT = 4096
CASTS_KEPT = 64
COUNTS_KEPT = 256

_FIELD = re.compile(r"\{([^{}]*)\}")
_EMPHASIS = re.compile(r"\*\*?([^*]+)\*\*?")
_MARKDOWN = MarkdownIt("commonmark", {"html": False})


class Noun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A countable noun: its forms by plural category, or by case and category (`acc.few`)."""

    forms: dict[str, str]
    gender: str = ""


class WordsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One words.<lang>.toml."""

    adjective: Literal["before", "after", ""] = ""
    nouns: dict[str, Noun] = {}
    ids: dict[str, str | dict[str, str]] = {}
    players: dict[str, str | dict[str, str]] = {}
    deeds: dict[str, str] = {}
    errors: dict[str, str] = {}
    phrases: dict[str, str] = {}


class MissingWord(LookupError):
    """A word, form or value that a sentence asks for and nobody gave."""


@dataclass(frozen=True)
class Field:
    """One placeholder, taken apart."""

    name: str
    noun: str = ""
    adjective: str = ""
    form: str = ""
    choices: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Field":
        name, asks, choices = text.partition("?")
        if asks:
            return cls(name, choices=tuple(choices.split("|")))
        words, _, form = text.partition("/")
        parts = words.split(" ")
        if not 1 <= len(parts) <= 3 or not all(parts):
            raise MissingWord(text)
        name, noun, adjective = parts + [""] * (3 - len(parts))
        return cls(name, noun, adjective, form)


class Sentence:
    """A text of the content, ready to be filled as plain text or as HTML."""

    def __init__(self, source: str, line: int = 1) -> None:
        self.source = source
        self.line = line
        """Where it is written, for messages to its author."""
        self._plain = _split(_EMPHASIS.sub(r"\1", source))
        self._html = _split(_MARKDOWN.renderInline(source))

    @cached_property
    def names(self) -> frozenset[str]:
        """The values that the sentence needs."""
        fields = [part for part in self._plain if isinstance(part, Field)]
        return frozenset(f.name for f in fields) | frozenset(f.adjective for f in fields if f.adjective)

    def text(self, words: "Words", values: Mapping[str, Value]) -> str:
        return "".join(part if isinstance(part, str) else words.say(part, values) for part in self._plain)

    def html(self, words: "Words", values: Mapping[str, Value]) -> str:
        return "".join(
            part if isinstance(part, str) else escape(words.say(part, values)) for part in self._html
        )


def fields(text: str) -> list[Field]:
    """The placeholders of a text. Raises MissingWord for one that cannot be read."""
    return [Field.parse(piece) for piece in _FIELD.findall(text)]


def _split(text: str) -> tuple[str | Field, ...]:
    pieces = _FIELD.split(text)
    return tuple(Field.parse(piece) if i % 2 else piece for i, piece in enumerate(pieces) if piece)


class Words:
    """The words of one language for one game, and the grammar that joins them."""

    def __init__(self, lang: str, *files: WordsFile, cast: Mapping[str, str] | None = None) -> None:
        self.lang = lang
        self.locale = LANGUAGE_TABLE[lang].locale
        self.files = files
        self.adjective = next((f.adjective for f in files if f.adjective), "before")
        self.nouns: dict[str, Noun] = {}
        self.ids: dict[str, str | dict[str, str]] = {}
        self.players: dict[str, str | dict[str, str]] = {}
        self.deeds: dict[str, Sentence] = {}
        self.errors: dict[str, Sentence] = {}
        self.phrases: dict[str, Sentence] = {}
        for file in files:
            self.nouns |= file.nouns
            self.ids |= file.ids
            for name, forms in file.players.items():
                self.players[name] = _more(self.players.get(name), forms)
            self.deeds |= {key: Sentence(text) for key, text in file.deeds.items()}
            self.errors |= {key: Sentence(text) for key, text in file.errors.items()}
            self.phrases |= {key: Sentence(text) for key, text in file.phrases.items()}
        self.cast = dict(cast or {})
        # Boards say the same few phrases over and over, and there are few casts.
        self.phrase = lru_cache(PHRASES_KEPT)(self._phrase)
        self.with_cast = lru_cache(CASTS_KEPT)(self._with_cast)
        self.category = lru_cache(COUNTS_KEPT)(self._category)

    def _with_cast(self, players: tuple[str, ...]) -> "Words":
        """The same words with example players in the seats: p1 is the first of them."""
        other: Words = Words.__new__(Words)
        other.__dict__.update(self.__dict__)
        other.cast = {f"p{seat}": player for seat, player in enumerate(players, 1)}
        other.phrase = lru_cache(PHRASES_KEPT)(other._phrase)
        return other

    def _phrase(self, key: str, **values: Value) -> str:
        return self.phrases[key].text(self, values)

    def say_deed(self, deed: Deed) -> str:
        return self.deeds[deed.kind].text(self, deed.args)

    def say(self, field: Field, values: Mapping[str, Value]) -> str:
        if field.name not in values:
            raise MissingWord(field.name)
        value = values[field.name]
        if field.choices:
            return self._choose(field, value)
        if field.noun:
            if isinstance(value, tuple):
                return self.list_of(
                    self._counted(count, field.noun, each, field.form)
                    for each, count in Counter(value).most_common()
                )
            if not isinstance(value, int):
                raise MissingWord(f"{field.name} {field.noun}")
            adjective = str(values[field.adjective]) if field.adjective else ""
            return self._counted(value, field.noun, adjective, field.form)
        if isinstance(value, tuple):
            return self.list_of(self.word(each, field.form) for each in dict.fromkeys(value))
        # A minus sign, not a hyphen.
        return str(value).replace("-", "−") if isinstance(value, int) else self.word(value, field.form)

    def list_of(self, words: Any) -> str:
        said = format_list(list(words), "standard", self.locale)
        # Spanish says e, not y, before the sound i: J1 e I2. The CLDR's pattern does not know it.
        return re.sub(r" y (?=[IiÍí]|[Hh][iIíÍ](?!e))", " e ", said) if self.lang == "es" else said

    def word(self, key: str, form: str = "") -> str:
        """A word by its id; other texts (a space) and what somebody typed are said as they are."""
        if isinstance(key, Typed):
            return key
        if re.fullmatch(r"p[1-9]", key):
            return self._player(key, form)
        entry = self.ids.get(key)
        return key if entry is None else _form(entry, form, key)

    def _player(self, key: str, form: str) -> str:
        name = self.cast.get(key, "player")
        if name not in self.players:
            raise MissingWord(f"players.{name}")
        return _form(self.players[name], form, name).replace("{n}", key[1:])

    def _category(self, count: int) -> str:
        return str(self.locale.plural_form(count))

    def _choose(self, field: Field, value: Value) -> str:
        categories = LANGUAGE_TABLE[self.lang].categories
        count = len(value) if isinstance(value, tuple) else value
        if not isinstance(count, int) or len(field.choices) != len(categories):
            raise MissingWord(f"{field.name}?{'|'.join(field.choices)}")
        category = self.category(count)
        return field.choices[categories.index(category) if category in categories else -1]

    def _counted(self, count: int, noun: str, adjective: str, case: str) -> str:
        if noun not in self.nouns:
            raise MissingWord(noun)
        entry = self.nouns[noun]
        category = self.category(count)
        thing = _first(entry.forms, noun, *_paths(case, "", category))
        if not adjective:
            return f"{count}\u00a0{thing}"
        forms = self.ids.get(adjective)
        if forms is None:
            raise MissingWord(adjective)
        quality = (
            forms
            if isinstance(forms, str)
            else _first(forms, adjective, *_paths(case, entry.gender, category))
        )
        pair = (quality, thing) if self.adjective == "before" else (thing, quality)
        return f"{count}\u00a0{' '.join(pair)}"


def _more(known: str | dict[str, str] | None, forms: str | dict[str, str]) -> str | dict[str, str]:
    """A word with the forms that a game adds to those which all games share."""
    return {**known, **forms} if isinstance(known, dict) and isinstance(forms, dict) else forms


def _paths(case: str, gender: str, category: str) -> Iterator[str]:
    """Where a form may be found, the most special first: `acc.f.few`, `acc.few`, `f.few`, `few`, `any`.

    A case that is asked for is never replaced by the plain form.
    """
    prefix = f"{case}." if case else ""
    if gender:
        yield f"{prefix}{gender}.{category}"
    yield f"{prefix}{category}"
    if category == "other" or category == "many":
        yield f"{prefix}{gender}.other" if gender else f"{prefix}other"
    yield "any"


def _first(forms: Mapping[str, str], key: str, *paths: str) -> str:
    for path in paths:
        if path in forms:
            return forms[path]
    raise MissingWord(f"{key}/{paths[0]}")


def _form(entry: str | Mapping[str, str], form: str, key: str) -> str:
    if isinstance(entry, str):
        if form:
            raise MissingWord(f"{key}/{form}")
        return entry
    if not form:
        return next(iter(entry.values()))
    if form not in entry:
        raise MissingWord(f"{key}/{form}")
    return entry[form]
