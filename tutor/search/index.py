"""The index of all texts: FTS5 over folded stems, beside the texts as they are shown.

Each language has an index of its own. Beside the words of a text it holds the marks of the terms that the
text uses, so that a synonym, or a word of another language, finds it as well as the word itself.
"""

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

from tutor.book import senses as senses_module
from tutor.book import stems as stems_module
from tutor.book.glossary import pattern
from tutor.book.load import Library
from tutor.book.particulars import particular_to
from tutor.book.senses import senses
from tutor.book.stems import fold, stem, stems, words
from tutor.book.words import LANGUAGES

MOST_FOUND = 40
"""So many that have all the words are ranked; nobody reads on."""
MOST_PARTLY = 40
"""So many that have only some of them."""
COMMON = 1000
"""What more texts have than this tells them apart too little to look through them all: so many are ranked."""
WEIGHTS = "6.0, 9.0, 5.0, 1.5, 1.0, 0.0"
"""Of the columns, in their order: a title counts more than what stands below it."""

KEPT = 4096
"""So many texts are kept taken apart: all of three games in four languages."""
PHRASES = " , "
"""Stands between what players type in one way or another; FTS5 does not see it."""
MARKS = (" xq", " xs")
"""How the marks of terms and of plain meanings begin; they stand behind the stems."""


class Row(NamedTuple):
    number: int
    game: str
    kind: str
    id: str
    section: str
    title: str
    text: str


class Phrase(NamedTuple):
    """A title, or what players type for a text: its stems and marks, and how many of them are stems."""

    words: frozenset[str]
    stems: int

    @classmethod
    def of(cls, column: str) -> "Phrase":
        found = column.split()
        return cls(frozenset(found), len(found) - sum(map(column.count, MARKS)))


class Columns(NamedTuple):
    """The stems and marks in each column of the index."""

    title: frozenset[str]
    explains: frozenset[str]
    asked: frozenset[str]
    section: frozenset[str]
    text: frozenset[str]


class Candidate:
    """A text that may be what is looked for, taken apart; what is rarely needed only when it is."""

    def __init__(self, number: int, kind: str, name: str, *texts: str) -> None:
        *indexed, self._said = texts
        self._title, _, self._asked, _, text = indexed
        self.number, self.kind, self.id = number, kind, name
        self.columns = Columns(*(frozenset(column.split()) for column in indexed))
        self.length = text.count(" ") + 1
        """Of the text, in words."""

    @cached_property
    def title(self) -> Phrase:
        return Phrase.of(self._title)

    @cached_property
    def asked(self) -> tuple[Phrase, ...]:
        """What players type for it."""
        return tuple(map(Phrase.of, self._asked.split(PHRASES)))

    @cached_property
    def said(self) -> tuple[str, ...]:
        """The same, without accents but with all words as they are."""
        return tuple(self._said.split(PHRASES))


def plainly(text: str) -> str:
    """The words as they are typed, but for case, accents and what stands between them."""
    return " ".join(map(fold, words(text)))


def mark(term: str) -> str:
    """How a term stands in the index: as a word that no language has."""
    return "xq" + "".join(letter for letter in term if letter.isalnum())


def sense_mark(sense: str) -> str:
    """How a plain meaning stands in the index."""
    return "xs" + "".join(letter for letter in sense if letter.isalnum())


def scope(game: str) -> str:
    """How a game stands in the index."""
    return "xg" + "".join(letter for letter in game if letter.isalnum())


def is_sense(word: str) -> bool:
    """Whether it is the mark of a plain meaning."""
    return word.startswith("xs")


def index_version() -> str:
    """Changes with the code that makes the index, and with what it knows of the languages: an index of other
    words must be built anew."""
    files = (__file__, str(stems_module.__file__), str(senses_module.__file__))
    code = b"".join(Path(file).read_bytes() for file in files)
    own = msgspec.json.encode({lang: particular_to(lang) for lang in LANGUAGES})
    return hashlib.sha256(code + own + version("snowballstemmer").encode()).hexdigest()


def add_index(db: sqlite3.Connection, library: Library, rows: Iterable[Mapping[str, Any]]) -> None:
    """Writes an index per language over the rows of the table of entries."""
    db.execute("create table vocabulary (lang text, word text, stem text, count integer)")
    db.execute("create table frequency (lang text, word text, count integer)")
    for lang in LANGUAGES:
        db.execute(
            f"create virtual table words_{lang} using fts5(title, explains, asked, section, text, game,"
            " said unindexed, tokenize=\"unicode61 remove_diacritics 2\", prefix='2 3')"
        )
    spotters = {(lang, game): _Spotter(library, lang, game) for lang in LANGUAGES for game in library.games}
    heard = {(lang, game): _Hearer(library, lang, game) for lang in LANGUAGES for game in library.games}
    seen: dict[str, Counter[tuple[str, str]]] = {lang: Counter() for lang in LANGUAGES}
    often: dict[str, Counter[str]] = {lang: Counter() for lang in LANGUAGES}
    explained = _terms_by_rule(library)
    for row in rows:
        lang, game = row["lang"], row["game"]
        spot = spotters[lang, game]
        part = library.texts[game][lang].part_of.get(row["section"])
        said = (row["title"], part.title if part else "", row["text"])
        title, section, text = (
            " ".join([*stems(one, lang), *spot(one), *_senses(one, lang)]) for one in said
        )
        asked = PHRASES.join(
            " ".join([*stems(one, lang), *spot(one), *_senses(one, lang), *heard[lang, game](one)])
            for one in row["asked"].split(",")
        )
        explains = " ".join(map(mark, explained.get((game, row["kind"], row["id"]), ())))
        db.execute(
            f"insert into words_{lang} (rowid, title, explains, asked, section, text, game, said)"  # nosec B608
            " values (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(row["number"], title, explains, asked, section, text),
                " ".join(map(scope, _games(library, row))),
                PHRASES.join(map(plainly, row["asked"].split(","))),
            ),
        )
        spread = asked.replace(PHRASES, " ")
        often[lang].update(set(" ".join((title, explains, spread, section, text)).split()))
        used = {word.lower() for one in (*said, row["asked"]) for word in words(one)}
        seen[lang].update((word, stem(word, lang)) for word in used)
    for lang, counts in seen.items():
        known = [(lang, word, of_word, count) for (word, of_word), count in counts.items()]
        db.executemany("insert into vocabulary values (?, ?, ?, ?)", known)
        counted = [(lang, word, count) for word, count in often[lang].items()]
        db.executemany("insert into frequency values (?, ?, ?)", counted)
        db.execute(f"insert into words_{lang}(words_{lang}) values ('optimize')")  # nosec B608
    db.commit()


def _senses(text: str, lang: str) -> list[str]:
    return sorted({sense_mark(sense) for word in words(text) for sense in senses(word, lang)})


def _games(library: Library, row: Mapping[str, Any]) -> tuple[str, ...]:
    """A term may belong to several games; it stands there once."""
    return library.terms[row["id"]].games if row["kind"] == "term" else (row["game"],)


def _terms_by_rule(library: Library) -> Mapping[tuple[str, str, str], list[str]]:
    """The terms that a rule explains, by its game, kind and id; a term explains itself."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for name, term in library.terms.items():
        found.setdefault((term.games[0], "term", name), []).append(name)
        for game, rule in term.rules.items():
            found.setdefault((game, "rule", rule), []).append(name)
    return found


class _Spotter:
    """Finds the terms that a text of one game and language uses."""

    def __init__(self, library: Library, lang: str, game: str) -> None:
        self._patterns = [
            (mark(name), _cores(term.words[lang].begins), pattern(term.words[lang].begins))
            for name, term in library.terms.items()
            if game in term.rules and term.words[lang].begins
        ]

    def __call__(self, text: str) -> list[str]:
        plain = " ".join(text.split())
        return [
            found
            for found, cores, forms in self._patterns
            # To look for a string is far quicker than to match, and most terms are not there.
            if any(core in plain for core in cores) and forms.search(plain)
        ]


class _Hearer:
    """Finds the terms that players mean by their own words for them."""

    def __init__(self, library: Library, lang: str, game: str) -> None:
        self._lang = lang
        self._terms: dict[tuple[str, ...], set[str]] = {}
        for name, term in library.terms.items():
            if game in term.rules:
                word = term.words[lang]
                for said in (word.word, *word.also, *word.asked):
                    self._terms.setdefault(tuple(stems(said, lang)), set()).add(mark(name))
        self._longest = max(map(len, self._terms), default=0)

    def __call__(self, text: str) -> list[str]:
        found = stems(text, self._lang)
        spans = (
            tuple(found[begin:end])
            for begin in range(len(found))
            for end in range(begin + 1, min(len(found), begin + self._longest) + 1)
        )
        return sorted({name for span in spans for name in self._terms.get(span, ())})


def _cores(begins: Iterable[str]) -> tuple[str, ...]:
    """What stands in every text in which a pattern finds anything, whatever the case of its first letter."""
    return tuple(" ".join(begin.split())[1:] for begin in begins)


class Reader(Protocol):
    def execute(self, query: str, values: Sequence[Any] = ()) -> Iterable[Any]:
        """The rows that a query finds."""


class Index:
    """Asks a built database. Every query is put together from stems and marks: nothing typed reaches SQL."""

    def __init__(self, db: Reader) -> None:
        self._db = db
        self._kept: dict[int, Candidate] = {}

    def vocabulary(self, lang: str) -> Mapping[str, tuple[str, int]]:
        """Every word of the language's texts as it is folded: its stem, and in how many texts it stands."""
        found: dict[str, tuple[str, int]] = {}
        query = "select word, stem, count from vocabulary where lang = ? order by count"
        for word, of_word, count in self._db.execute(query, (lang,)):
            found[fold(word)] = (of_word, count)
        return found

    def frequencies(self, lang: str) -> Mapping[str, int]:
        """In how many texts each stem and each mark of a term stands."""
        query = "select word, count from frequency where lang = ?"
        return dict(self._db.execute(query, (lang,)))

    def texts(self, lang: str) -> int:
        """How many texts the language has."""
        [[count]] = self._db.execute("select count(*) from entries where lang = ?", (lang,))
        return int(count)

    def titles(self, lang: str) -> Mapping[str, list[tuple[int, str]]]:
        """The numbers of the rules and rulings, with their games, by their titles as they are typed."""
        found: dict[str, list[tuple[int, str]]] = {}
        query = "select number, game, title from entries where lang = ? and kind in ('rule', 'ruling')"
        for number, game, title in self._db.execute(query, (lang,)):
            found.setdefault(plainly(title), []).append((number, game))
        return found

    def pieces(self) -> dict[tuple[str, str], dict[str, str]]:
        """The names of cards, tiles, areas ... in all languages, by game and id."""
        found: dict[tuple[str, str], dict[str, str]] = {}
        query = "select game, id, lang, title from entries where kind = 'piece'"
        for game, name, lang, title in self._db.execute(query):
            found.setdefault((game, name), {})[lang] = title
        return found

    def with_all(
        self, lang: str, groups: Sequence[Sequence[str]], game: str, in_titles: bool
    ) -> list[Candidate]:
        """The texts that have a word of every group, or whose titles have, the likeliest first."""
        wanted = " AND ".join(map(_either, groups))
        return self._find(
            lang, f"{{title explains asked}}: ({wanted})" if in_titles else wanted, game, MOST_FOUND
        )

    def with_some(self, lang: str, groups: Sequence[Sequence[str]], game: str) -> list[Candidate]:
        """The texts that have a word of any group, the likeliest first."""
        return self._find(lang, " OR ".join(map(_either, groups)), game, MOST_PARTLY)

    def _find(self, lang: str, wanted: str, game: str, most: int) -> list[Candidate]:
        if game:
            wanted = f"({wanted}) AND game:{_quote(scope(game))}"
        query = (
            f"select * from (select rowid, bm25(words_{lang}, {WEIGHTS}) as likely"  # nosec B608
            f" from words_{lang} where words_{lang} match ? limit {COMMON}) order by likely limit ?"
        )
        return self._candidates(lang, [row[0] for row in self._db.execute(query, (wanted, most))])

    def _candidates(self, lang: str, numbers: Sequence[int]) -> list[Candidate]:
        """The texts of these numbers; those of late are kept, taken apart into their words."""
        kept = self._kept
        if len(kept) > KEPT:
            kept = self._kept = {}
        if missing := [number for number in numbers if number not in kept]:
            query = (
                "select t.number, t.kind, t.id, w.title, w.explains, w.asked, w.section, w.text, w.said"  # nosec B608
                f" from words_{lang} w join entries t on t.number = w.rowid"
                f" where w.rowid in ({', '.join('?' * len(missing))})"
            )
            for row in self._db.execute(query, missing):
                kept[row[0]] = Candidate(*row)
        return [kept[number] for number in numbers]

    def rows(self, numbers: Sequence[int]) -> list[Row]:
        """The texts of these numbers, in their order."""
        places = ", ".join("?" * len(numbers))
        query = f"select {', '.join(Row._fields)} from entries where number in ({places})"  # nosec B608
        found = {row[0]: Row(*row) for row in self._db.execute(query, tuple(numbers))}
        return [found[number] for number in numbers]

    def same(self, row: Row, lang: str) -> Row | None:
        """The same entry in another language."""
        query = (
            f"select {', '.join(Row._fields)} from entries"  # nosec B608
            " where game = ? and lang = ? and kind = ? and id = ?"
        )
        found = self._db.execute(query, (row.game, lang, row.kind, row.id))
        return next((Row(*one) for one in found), None)


def _either(group: Sequence[str]) -> str:
    return f"({' OR '.join(map(_quote, group))})"


def _quote(word: str) -> str:
    """A stem, or the beginning of one with a star after it, as FTS5 writes them."""
    if word.endswith("*"):
        return f'"{word[:-1]}" *'
    return f'"{word}"'
