"""Sentences with placeholders, filled by the grammar of each language.

    {name}                  a value: a number, a word by its id, or a list of words
    {name/gen}              that word in one of its forms
    {n space}               a counted noun: one space, 12 spaces; Polish jedno pole, dwa pola, 12 pól
    {n (space)}             the number alone, where the noun is understood: Italian uno, tre
    {n space colour}        ... with an adjective that agrees with it
    {n space colour/acc}    ... in a case
    {dice die}              several ids, counted: three grey dice and one blue
    {n?is|are}              a choice by the plural categories of the language

In running text numbers up to ten are words, as `numerals` has them. Figures are for labels (phrases), for
what is wrong with something typed (errors) and for nouns that are measures (points).

Where one wording does not fit all values, others are said instead under a guard; see `guard`.
The tables of words are content (words.<lang>.toml); the plural rules come from the CLDR through Babel.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from html import escape
from typing import Any, Literal, NamedTuple

import msgspec
from babel import Locale
from babel.lists import format_list
from markdown_it import MarkdownIt

from tutor.book.guard import Guard
from tutor.book.particulars import Change, particular_to
from tutor.rules.base import Deed, Value
from tutor.rules.errors import Typed


@dataclass(frozen=True)
class Language:
    """All that the program must know of a language; the rest is its files, see `particulars`."""

    code: str
    dictionary: str
    """hunspell's name of its spelling dictionary."""
    package: str
    """Debian's package of that dictionary."""

    @property
    def name(self) -> str:
        """What its speakers call it."""
        name: str = Locale(self.code).get_display_name(self.code) or self.code
        return name[0].upper() + name[1:]

    @cached_property
    def locale(self) -> Locale:
        return Locale.parse(particular_to(self.code).locale or self.code)

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
        Language("en", "en_GB", "hunspell-en-gb"),
    )
}
"""Every language of the site. A new one is a line here and its files."""
LANGUAGES = tuple(LANGUAGE_TABLE)
TEMPLATE_LANGUAGE = "en"
"""The language of the strings in the templates, which needs no catalog, and of whoever asks for none."""

COMMON_ERRORS: dict[str, tuple[str, ...]] = {
    "json": (),
    "request": ("value",),
    "request.again": ("name",),
    "game": ("value",),
    "id": ("value",),
    "nothing": ("value",),
    "illegal": ("move",),
    "too-long": ("most",),
    "link.damaged": (),
    "link.version": ("value",),
    "internal": (),
}
"""Faults of a request that no game can tell, with the values of their sentences."""

PRONOUNS = ("self", "own")
"""Forms of a player that have no name in them."""
PHRASES_KEPT = 1 << 13
"""Of all games, languages and casts together."""
CASTS_KEPT = 64
COUNTS_KEPT = 256

_FIELD = re.compile(r"\{([^{}]*)\}")
_EMPHASIS = re.compile(r"\*\*?([^*]+)\*\*?")
_SENTENCE_BEGINS = re.compile(r"(^|[.!?…] )$")
_MARKDOWN = MarkdownIt("commonmark", {"html": False})


class Noun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A countable noun: its forms by plural category, or by case and category (`acc.few`)."""

    forms: dict[str, str]
    gender: str = ""
    a: str = ""
    """The numeral one before it, where its sound asks for another than usual: Italian uno spazio, un’area."""
    figures: bool = False
    """A measure: its number is never a word."""
    zero: bool = False
    """It is natural to count 0 of it."""


class WordsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One words.<lang>.toml."""

    adjective: Literal["before", "after", ""] = ""
    capitals: tuple[str, ...] = ()
    """Names that have no word here and are written with a capital wherever they are."""
    numbered: tuple[str, ...] = ()
    """Words after which a figure is a name or a value, not a count: level 3, Player 2."""
    numerals: dict[str, str | dict[str, str]] = {}
    """The numbers that are written as words: one form, or by gender and case (`f`, `acc.f`, `gen`), and
    `alone.m` where the form without a noun is another."""
    nouns: dict[str, Noun] = {}
    ids: dict[str, str | dict[str, str]] = {}
    players: dict[str, str | dict[str, str]] = {}
    foreign: dict[str, dict[str, str]] = {}
    """Names that players have in other languages, where they inflect in this one."""
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
    alone: bool = False
    """The noun is not said."""

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
        alone = noun.startswith("(") and noun.endswith(")")
        return cls(name, noun[1:-1] if alone else noun, adjective, form, alone=alone)


class Sentence:
    """A text of the content, ready to be filled as plain text or as HTML."""

    def __init__(
        self, source: str, line: int = 1, cases: tuple["Case", ...] = (), figures: bool = False
    ) -> None:
        self.source = source
        self.line = line
        """Where it is written, for messages to its author."""
        self.cases = cases
        """What is said instead, by the first guard that holds."""
        self.figures = figures
        """Its numbers are never words."""
        self._plain = _split(_EMPHASIS.sub(r"\1", source))
        self._html = _split(_MARKDOWN.renderInline(source))

    @cached_property
    def names(self) -> frozenset[str]:
        """The values that the sentence and its cases need."""
        fields = [part for part in self._plain if isinstance(part, Field)]
        names = {name for field in fields for name in (field.name, field.adjective) if name}
        return frozenset(names.union(*(case.sentence.names for case in self.cases)))

    @property
    def wordings(self) -> tuple["Sentence", ...]:
        """All that may be said, each on its own: without cases, and each case."""
        return (
            Sentence(self.source, self.line, figures=self.figures),
            *(case.sentence for case in self.cases),
        )

    def text(self, words: "Words", values: Mapping[str, Value]) -> str:
        return self._say(self._fitting(values)._plain, words, values, str)

    def html(self, words: "Words", values: Mapping[str, Value]) -> str:
        return self._say(self._fitting(values)._html, words, values, escape)

    def _say(
        self,
        parts: tuple[str | Field, ...],
        words: "Words",
        values: Mapping[str, Value],
        written: Callable[[str], str],
    ) -> str:
        said = ""
        for part in parts:
            if isinstance(part, str):
                said += part
                continue
            word = words.say(part, values, self.figures)
            if part.noun and _SENTENCE_BEGINS.search(said):
                word = word[:1].upper() + word[1:]
            said += written(word)
        return said

    def _fitting(self, values: Mapping[str, Value]) -> "Sentence":
        return next((case.sentence for case in self.cases if case.guard.holds(values)), self)


class Case(NamedTuple):
    """What is said instead where its guard holds."""

    guard: Guard
    sentence: Sentence


def table(texts: Mapping[str, str], lang: str, figures: bool = False) -> dict[str, Sentence]:
    """The sentences of a table by key: those with a guard (`spend count=0`) are cases of the plain one."""
    cases: dict[str, tuple[Case, ...]] = {}
    for key, text in texts.items():
        name, guarded, guard = key.partition(" ")
        if guarded:
            case = Case(Guard.parse(guard), Sentence(typeset(text, lang), figures=figures))
            cases[name] = (*cases.get(name, ()), case)
    return {
        key: Sentence(typeset(text, lang), cases=cases.get(key, ()), figures=figures)
        for key, text in texts.items()
        if " " not in key
    }


def typeset(text: str, lang: str) -> str:
    """The text with hard spaces where the language's printers want them."""
    return _changed(text, particular_to(lang).typeset)


def _changed(text: str, changes: Iterable[Change]) -> str:
    for change in changes:
        text = change(text)
    return text


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
        self.numerals: dict[str, str | dict[str, str]] = {}
        self.nouns: dict[str, Noun] = {}
        self.ids: dict[str, str | dict[str, str]] = {}
        self.players: dict[str, str | dict[str, str]] = {}
        self.foreign: dict[str, dict[str, str]] = {}
        self.deeds: dict[str, Sentence] = {}
        self.errors: dict[str, Sentence] = {}
        self.phrases: dict[str, Sentence] = {}
        for file in files:
            self.numerals |= file.numerals
            self.nouns |= file.nouns
            self.ids |= {key: _typeset_forms(forms, lang) for key, forms in file.ids.items()}
            for name, forms in file.players.items():
                self.players[name] = _more(self.players.get(name), forms)
            self.foreign |= file.foreign
            self.deeds |= table(file.deeds, lang)
            self.errors |= table(file.errors, lang, figures=True)
            self.phrases |= table(file.phrases, lang, figures=True)
        self.cast = dict(cast or {})
        # There are few casts.
        self.with_cast = lru_cache(CASTS_KEPT)(self._with_cast)
        self.category = lru_cache(COUNTS_KEPT)(self._category)

    @cached_property
    def names(self) -> frozenset[str]:
        """The words that have a capital inside a sentence too."""
        tables = [*self.ids.values(), *self.players.values(), *(noun.forms for noun in self.nouns.values())]
        forms = [form for table in tables for form in ([table] if isinstance(table, str) else table.values())]
        written = {word for form in forms for word in re.findall(r"\w+", form) if word[0].isupper()}
        return frozenset(written.union(*(file.capitals for file in self.files)))

    def _with_cast(self, players: tuple[str, ...]) -> "Words":
        """The same words with example players in the seats: p1 is the first of them; one without a name has
        the number of the seat."""
        other: Words = Words.__new__(Words)
        other.__dict__.update(self.__dict__)
        other.cast = {f"p{seat}": player for seat, player in enumerate(players, 1) if player}
        return other

    def with_names_of(self, other: "Words") -> "Words":
        """The same words with the players' names of another language. A name that does not inflect here takes
        the place of our own in all its forms."""
        named: Words = Words.__new__(Words)
        named.__dict__.update(self.__dict__)
        named.players = {
            key: self._rename(key, forms, _form(other.players[key], "", key))
            for key, forms in self.players.items()
        }
        named.with_cast = lru_cache(CASTS_KEPT)(named._with_cast)
        return named

    def _rename(self, key: str, forms: str | dict[str, str], name: str) -> str | dict[str, str]:
        own = _form(forms, "", key)
        if name == own or "{n}" in own:
            return forms
        if name in self.foreign:
            return self.foreign[name]
        held = {"": forms} if isinstance(forms, str) else forms
        if any(own not in text for form, text in held.items() if form not in PRONOUNS):
            raise MissingWord(f"foreign.{name}")
        return {form: text.replace(own, name) for form, text in held.items()}

    def phrase(self, key: str, **values: Value) -> str:
        return _phrase(self, key, **values)

    def say_deed(self, deed: Deed) -> str:
        return self.deeds[deed.kind].text(self, deed.args)

    def say(self, field: Field, values: Mapping[str, Value], figures: bool = False) -> str:
        if field.name not in values:
            raise MissingWord(field.name)
        value = values[field.name]
        if field.choices:
            return self._choose(field, value)
        if field.noun:
            if isinstance(value, tuple):
                return self.list_of(self._count_each(value, field.noun, field.form, figures))
            if not isinstance(value, int):
                raise MissingWord(f"{field.name} {field.noun}")
            adjective = str(values[field.adjective]) if field.adjective else ""
            return self._count_noun(value, field.noun, adjective, field.form, figures, field.alone)
        if isinstance(value, tuple):
            return self.list_of(self.word(each, field.form) for each in dict.fromkeys(value))
        # A minus sign, not a hyphen.
        return str(value).replace("-", "−") if isinstance(value, int) else self.word(value, field.form)

    def list_of(self, words: Any) -> str:
        said = format_list(list(words), "standard", self.locale)
        return _changed(said, particular_to(self.lang).lists)

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

    def _count_each(self, kinds: tuple[str, ...], noun: str, case: str, figures: bool) -> list[str]:
        """Each kind with its number; the noun is said once, with the first."""
        counts = Counter(kinds).most_common()
        return [
            self._count_noun(count, noun, kind, case, figures, alone=place > 0)
            for place, (kind, count) in enumerate(counts)
        ]

    def _count_noun(
        self, count: int, noun: str, adjective: str, case: str, figures: bool, alone: bool = False
    ) -> str:
        if noun not in self.nouns:
            raise MissingWord(noun)
        entry = self.nouns[noun]
        category = self.category(count)
        number = "" if figures or entry.figures else self._numeral(count, entry, case, alone)
        thing = "" if alone else _first(entry.forms, noun, *_paths(case, "", category))
        quality = self._quality(adjective, entry.gender, category, case) if adjective else ""
        pair = (quality, thing) if self.adjective == "before" else (thing, quality)
        counted = " ".join(filter(None, pair))
        if not counted:
            return number or str(count)
        return f"{count}\u00a0{counted}" if not number else f"{number} {counted}".replace("’ ", "’")

    def _numeral(self, count: int, noun: Noun, case: str, alone: bool) -> str:
        """The number as a word that agrees with its noun, or nothing if it is written in figures."""
        forms = self.numerals.get(str(count), "")
        if isinstance(forms, str):
            return forms
        if count == 1 and noun.a and not alone:
            return noun.a
        prefix = f"{case}." if case else ""
        paths = [f"{prefix}{noun.gender}", *([case] if case else []), *([] if case else ["any"])]
        return _first(forms, str(count), *([f"alone.{noun.gender}"] if alone else []), *paths)

    def _quality(self, adjective: str, gender: str, category: str, case: str) -> str:
        """An adjective that agrees with its noun."""
        forms = self.ids.get(adjective)
        if forms is None:
            raise MissingWord(adjective)
        return forms if isinstance(forms, str) else _first(forms, adjective, *_paths(case, gender, category))


def _typeset_forms(forms: str | dict[str, str], lang: str) -> str | dict[str, str]:
    if isinstance(forms, str):
        return typeset(forms, lang)
    return {form: typeset(text, lang) for form, text in forms.items()}


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


@lru_cache(PHRASES_KEPT)
def _phrase(words: Words, key: str, **values: Value) -> str:
    """Boards say the same few phrases over and over."""
    return words.phrases[key].text(words, values)
