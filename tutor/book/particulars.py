"""What is particular to a language beside its words: content/language.<lang>.toml.

All of it may be left out, and so may the file: then texts are printed, and search finds, a little less well.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
import snowballstemmer
from babel import Locale, UnknownLocaleError

from tutor.book import source
from tutor.book.source import Keys, Problem
from tutor.paths import CONTENT

QWERTY = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
LATIN = "LATIN"
QUOTES = (("“", "”"), ("«", "»"), ("„", "”"))
"""Those that most languages use."""

Mark = Annotated[str, msgspec.Meta(min_length=1)]


class Change(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands instead of something, as `re.sub` takes it."""

    find: str
    put: str

    def __call__(self, text: str) -> str:
        return re.sub(self.find, self.put, text)


class Stumble(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What no native author would write, and what check says of it."""

    find: str
    says: str


class Verb(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A word that is also a form of a verb: after which words, and how to say it plainly."""

    after: str
    plain: str


class Particulars(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language.<lang>.toml. A text of several words has them with blanks between."""

    # How it is written
    locale: str = ""
    """The locale whose habits we follow, if the language alone would mean another."""
    script: str = LATIN
    """What the names of its letters begin with in Unicode."""
    letters: str = ""
    """Those with a place of their own in its alphabet, each after the plain one, in order."""
    fold: dict[str, str] = {}
    """Small letters that have no accent to be taken off, and what is typed for them."""
    quotes: tuple[tuple[Mark, Mark], ...] = QUOTES
    """The marks around a quotation."""
    capital_after_colon: bool = False
    """Whether a sentence may begin after a colon."""
    typeset: tuple[Change, ...] = ()
    """Where its printers want hard spaces, in every text."""
    lists: tuple[Change, ...] = ()
    """What the CLDR's patterns of lists do not know."""
    stumbles: tuple[Stumble, ...] = ()

    # How it is searched
    stemmer: str = ""
    """Snowball's name of the language; without one, a word is found as it is typed."""
    keyboard: tuple[str, ...] = QWERTY
    """The rows of its keys, each row shifted by half a key."""
    sounds: str = ""
    """Pairs of letters that sound the same."""
    fillers: str = ""
    """Words of a question that say nothing about what is looked for."""
    ordinary: str = ""
    """Words that every language has and our texts lack: nobody means the nearest that they have."""
    worth: str = ""
    """Words that ask what something is worth."""
    numbers: tuple[str, ...] = ()
    """The words for 0, 1, 2 ..."""
    verbs: dict[str, Verb] = {}
    senses: dict[str, str] = {}
    """Plain words by what they mean; see `tutor.book.senses`."""


def read(path: Path) -> tuple[Particulars, list[Problem]]:
    """A language's file, and what is wrong with it: then it is as good as none."""
    if not path.exists():
        return Particulars(), []
    text = source.read(path)
    if isinstance(text, Problem):
        return Particulars(), [text]
    data = source.toml(text)
    if isinstance(data, Problem):
        return Particulars(), [data]
    found = source.model(text, data, Particulars)
    if isinstance(found, list):
        return Particulars(), found
    problems = [text.problem(f"{'.'.join(map(str, keys))}: {fault}", *keys) for keys, fault in _faults(found)]
    return Particulars() if problems else found, problems


def _faults(own: Particulars) -> Iterator[tuple[Keys, str]]:
    if own.locale:
        try:
            Locale.parse(own.locale)
        except (UnknownLocaleError, ValueError) as error:
            yield ("locale",), str(error)
    if own.stemmer and own.stemmer not in (known := snowballstemmer.algorithms()):
        yield ("stemmer",), f"Snowball knows no {own.stemmer}, but {', '.join(known)}"
    for pair in own.sounds.split():
        if len(pair) != 2:
            yield ("sounds",), f"{pair} is not a pair of letters"
    for letter in own.fold:
        if len(letter) != 1 or letter != letter.lower():
            yield ("fold", letter), "is not a small letter"
    changes = [("typeset", own.typeset), ("lists", own.lists)]
    patterns: list[tuple[str, int, str, str]] = [
        *((name, i, one.find, one.put) for name, some in changes for i, one in enumerate(some)),
        *(("stumbles", i, one.find, "") for i, one in enumerate(own.stumbles)),
    ]
    for name, i, find, put in patterns:
        try:
            re.compile(f"{find}|").sub(put, "")  # it finds nothing at all: the groups in `put` are looked for
        except (re.error, IndexError) as error:
            yield (name, i, "find"), f"is not a regular expression: {error}"


def check(content: Path, langs: Sequence[str]) -> Iterator[Problem]:
    """What is wrong with the files of all languages in a folder. A meaning that only one of them has joins
    nothing: its name is misspelt, or the others lack it."""
    files = [content / f"language.{lang}.toml" for lang in langs]
    of_file = {path: read(path) for path in files}
    known = Counter(sense for own, _ in of_file.values() for sense in own.senses)
    for path, (own, problems) in of_file.items():
        yield from problems
        text = source.read(path)
        for sense in own.senses:
            if known[sense] == 1 and not isinstance(text, Problem):
                yield text.problem(f"senses.{sense}: no other language has this", "senses", sense)


@cache
def particular_to(lang: str) -> Particulars:
    """What our own content says of a language. What is wrong with it is told by `check`."""
    return read(CONTENT / f"language.{lang}.toml")[0]
