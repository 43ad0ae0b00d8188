"""Understands what players type: word by word, in any language or several at once, with typos.

A word is known by its stem, a term by any of its synonyms in any language; a word that nobody knows becomes
the nearest one that somebody does. What is found with it is the matter of `search`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA

from tutor.book.load import Library
from tutor.book.model import TermWord
from tutor.book.senses import senses
from tutor.book.stems import fold, stem, words
from tutor.book.words import LANGUAGES
from tutor.search.fillers import ANY_FILLER, DIGITS, FILLERS, NUMBERS, ORDINARY, WORTH, as_meant
from tutor.search.index import Index, mark, plainly, sense_mark
from tutor.search.slips import is_slip

MOST_LETTERS = 200
MOST_WORDS = 16
"""More of a query is not read."""
LONGEST_TERM = 6
"""Words of a synonym, at most."""
OFTEN = 3
"""A word in so many texts is not just quoted there from another language."""
SHORTEST_TYPO = 4
SHORTEST_PART = 3
"""Letters of a word that may have been run together with another."""
LIKELY = 0.76
"""How alike (1: the same) a word must be to be what was meant."""
SURE = 0.86
"""No other language could have a word that is much more alike, and one of another must be as alike."""
BEGINNING = 0.1
"""What a common beginning adds: a form of a word differs at its end."""
OF_SEVERAL = 0.6
"""The weight of a term of several words, and of each of them: together they count as more than one word."""
LOOSE = 0.15
"""The weight of such a term if its words stand in another order, or with others between them."""
GUESSED = 0.7
FILLER = 0.4
"""The weight of a word that says little."""
SWAPPED = 0.1
"""What it adds if only the order of the letters is wrong."""
Key = tuple[str, ...]


@dataclass(frozen=True)
class Concept:
    """A word of the query, or several that make one term."""

    typed: str
    wanted: tuple[str, ...]
    """Stems and marks of terms: a text with any of them has it."""
    terms: tuple[str, ...] = ()
    lang: str = ""
    """The language of a word that is not the reader's."""
    weight: float = 1.0
    """How sure it is that the word was meant, and says anything."""


class Span(NamedTuple):
    """Where a query has a term of several words."""

    begin: int
    end: int
    terms: tuple[str, ...]
    lang: str
    weight: float


@dataclass(frozen=True)
class Query:
    asked: str
    """The language in which the question is understood, mostly the reader's."""
    concepts: tuple[Concept, ...]
    instead: str
    """The query as it was understood, if a word was mended."""
    game: str
    """The game that it names."""
    one_word: bool
    said: str
    """All its words, without accents."""
    valued: tuple[Concept, ...] = ()
    """What it asks the worth of: all that it says beside; nothing if it asks something else."""


@dataclass(frozen=True, eq=False)
class Reader:
    """Reads queries; knows all words of all texts and terms."""

    library: Library
    index: Index
    _vocabularies: dict[str, Mapping[str, tuple[str, int]]] = field(default_factory=dict)
    _spellings: dict[tuple[str, int], dict[str, str]] = field(default_factory=dict)

    def understood(self, query: str, lang: str, typing: bool = False, chosen: str = "") -> Query:
        """While one types, the last word may be a part. `chosen` is the game that the reader asks about."""
        typed = words(query[:MOST_LETTERS])[:MOST_WORDS]
        asked = self._detect_language(typed, lang)
        game = next((fold(word) for word in typed if self._is_game(word, asked)), "")
        if len(typed) > 1:
            typed = [word for word in typed if fold(word) != game]
        typed = self._rename(as_meant(typed, asked), asked)
        others = self._languages_of(typed, asked)
        mended = [
            self._mend(word, asked, others, typing and i == len(typed) - 1) for i, word in enumerate(typed)
        ]
        guessed = {word for old, new in zip(typed, mended, strict=True) if [old] != new for word in new}
        read = list(chain.from_iterable(mended))
        names = self._names(asked, chosen or game)
        concepts = tuple(self._concepts(read, asked, lang, typing, guessed, names))
        return Query(
            asked,
            concepts,
            " ".join(read) if guessed else "",
            game,
            len(typed) == 1,
            plainly(" ".join(read)),
            _find_valued(concepts, read, asked),
        )

    def vocabulary(self, lang: str) -> Mapping[str, tuple[str, int]]:
        if lang not in self._vocabularies:
            self._vocabularies[lang] = self.index.vocabulary(lang)
        return self._vocabularies[lang]

    @cached_property
    def _stems(self) -> Mapping[str, frozenset[str]]:
        return {lang: frozenset(one for one, _ in self.vocabulary(lang).values()) for lang in LANGUAGES}

    @cached_property
    def _aliases(self) -> Mapping[str, Mapping[Key, tuple[str, ...]]]:
        """The terms behind every word and synonym of every language, by folded stems.

        Of several words the fillers and the order do not matter.
        """
        found: dict[str, dict[Key, tuple[str, ...]]] = {lang: {} for lang in LANGUAGES}
        each = [
            (name, lang, one) for name, term in self.library.terms.items() for lang, one in term.words.items()
        ]
        names = [(name, lang, one.word) for name, lang, one in each]
        # Who says the very word of a term means this one before any other.
        for name, lang, said in (
            *names,
            *((name, lang, said) for name, lang, one in each for said in _phrases(one)),
        ):
            keyed = _Keyed.of(words(said), lang)
            end = len(keyed.stems)
            for key in (*keyed.exact(0, end), *keyed.loose(0, end)):
                found[lang][key] = tuple(dict.fromkeys((*found[lang].get(key, ()), name)))
        return found

    @cached_property
    def _named(self) -> Mapping[str, Mapping[str, str]]:
        """The words of all synonyms, folded, as they are written."""
        return {
            lang: {
                fold(word): word
                for term in self.library.terms.values()
                for said in _phrases(term.words[lang])
                for word in words(said)
            }
            for lang in LANGUAGES
        }

    # Languages

    def _detect_language(self, typed: Sequence[str], lang: str) -> str:
        """The language that knows most of the words; the reader's own unless another is clearly meant."""
        known = {
            other: sum(
                0.5 if len(word) < SHORTEST_TYPO else 1.0 for word in typed if self._knows(word, other)
            )
            for other in LANGUAGES
        }
        best = max(LANGUAGES, key=lambda other: (known[other], other == lang))
        return best if known[best] >= 1.3 * known[lang] + 0.5 else lang

    def _knows(self, word: str, lang: str) -> bool:
        plain = fold(word)
        if plain.isdigit():
            return False
        of_texts = self.vocabulary(lang).get(plain, ("", 0))[1]
        return (
            of_texts >= OFTEN
            or plain in FILLERS[lang]
            or plain in self._named[lang]
            or (stem(word, lang),) in self._aliases[lang]
        )

    def familiar(self, word: str, lang: str) -> float:
        """How sure it is that a word is one of a language: 1 for a common one, 0 for one that it lacks."""
        return 1.0 if self._knows(word, lang) else 0.3 if self._is_written(word, lang) else 0.0

    def _is_written(self, word: str, lang: str) -> bool:
        """Whether a language has a word, if only once: it is no typo."""
        return fold(word) in self.vocabulary(lang) or self._knows(word, lang)

    def _is_game(self, word: str, lang: str) -> bool:
        """Whether a word names a game; in the language in which "confini" are borders, it does not."""
        keys = {(fold(word),), (stem(word, lang),)}
        return fold(word) in self.library.games and keys.isdisjoint(self._aliases[lang])

    def _rename(self, typed: list[str], lang: str) -> list[str]:
        """With the names of cards and other pieces in this language, if they were typed in another."""
        for begin in range(len(typed)):
            for end in range(min(len(typed), begin + LONGEST_TERM), begin, -1):
                said = typed[begin:end]
                name = self._pieces[lang].get(tuple(map(fold, said)))
                if name and (len(said) > 1 or not self._knows(said[0], lang)):
                    return [*typed[:begin], *name, *self._rename(typed[end:], lang)]
        return typed

    @cached_property
    def _pieces(self) -> Mapping[str, Mapping[Key, list[str]]]:
        """For each language, the words of a piece's name by its names in the others; not those of terms."""
        found: dict[str, dict[Key, list[str]]] = {lang: {} for lang in LANGUAGES}
        for names in self.index.pieces().values():
            for other, said in names.items():
                key = tuple(map(fold, words(said)))
                if key and key not in self._aliases[other]:
                    for lang in names.keys() - {other}:
                        found[lang][key] = words(names[lang])
        return found

    @lru_cache(maxsize=64)  # noqa: B019  # there is one reader per site
    def _names(self, lang: str, game: str) -> frozenset[str]:
        """What pieces of a game, or of any, are called in one word, without accents."""
        called = (
            words(names[lang]) for (of_game, _), names in self.index.pieces().items() if game in ("", of_game)
        )
        return frozenset(fold(name[0]) for name in called if len(name) == 1)

    # Typos

    @cached_property
    def _tabled(self) -> frozenset[str]:
        """Every form of every word of the tables, without accents: texts may use it, if none does yet."""
        tables = chain.from_iterable(book.words.values() for book in self.library.games.values())
        entries = (
            entry
            for table in tables
            for entry in (*table.ids.values(), *(noun.forms for noun in table.nouns.values()))
        )
        said = chain.from_iterable([one] if isinstance(one, str) else one.values() for one in entries)
        return frozenset(fold(word) for text in said for word in words(text))

    def _languages_of(self, typed: Sequence[str], lang: str) -> tuple[str, ...]:
        """The languages of which a word may be a typo: only the question’s own where it knows most words."""
        known = [self._knows(word, lang) for word in typed if len(word) >= SHORTEST_TYPO]
        return (lang,) if known.count(True) > known.count(False) else LANGUAGES

    def _mend(self, word: str, lang: str, others: Sequence[str], begun: bool) -> list[str]:
        """The word or, if nobody knows it, the two that were run together in it, or the nearest one."""
        plain = fold(word)
        if len(plain) < SHORTEST_TYPO or any(letter.isdigit() for letter in plain):
            return [word]
        if plain in ANY_FILLER or plain in ORDINARY or stem(word, lang) in self._stems[lang]:
            return [word]
        if plain in self._tabled or self._terms_of_form(word, lang):
            return [word]
        if any(self._is_written(word, other) for other in LANGUAGES):
            return [word]
        if begun and any(other.startswith(plain) for other in self.vocabulary(lang)):
            return [word]
        return self._apart(plain, lang) or [self._nearest(plain, lang, others) or word]

    def _apart(self, plain: str, lang: str) -> list[str]:
        """Two known words that were run together; those that are used most. Two fillers say nothing."""
        known = self.vocabulary(lang)
        pairs = ((plain[:i], plain[i:]) for i in range(SHORTEST_PART, len(plain) - SHORTEST_PART + 1))
        found = [pair for pair in pairs if known.keys() >= set(pair) and not FILLERS[lang] >= set(pair)]
        return list(max(found, key=lambda pair: min(known[word][1] for word in pair), default=()))

    def _nearest(self, plain: str, lang: str, others: Sequence[str]) -> str:
        best, how = "", 0.0
        for other in sorted(others, key=lambda one: one != lang):
            spelt, score = self._most_alike(plain, other)
            if other == lang or score > max(how + 0.05, SURE):
                best, how = spelt, score
            if how >= SURE:
                break
        return best

    @lru_cache(maxsize=1 << 10)  # noqa: B019  # there is one reader per site
    def _most_alike(self, plain: str, lang: str) -> tuple[str, float]:
        found: list[tuple[float, int, str]] = []
        known = self.vocabulary(lang)
        for length in range(len(plain) - 2, len(plain) + 3):
            spelt = self._spelt(lang, length)
            for word, alike, _ in process.extract(
                plain,
                spelt.keys(),
                scorer=OSA.normalized_similarity,
                score_cutoff=LIKELY - BEGINNING,
                limit=4,
            ):
                same = next(
                    (i for i, (a, b) in enumerate(zip(plain, word, strict=False)) if a != b), len(word)
                )
                swapped = SWAPPED if sorted(word) == sorted(plain) else 0.0
                score = alike + swapped + BEGINNING * min(1.0, same / len(plain))
                if score >= LIKELY and (swapped or is_slip(plain, word)):
                    found.append((score, known.get(word, ("", 0))[1], spelt[word]))
        score, _, best = max(found, default=(0.0, 0, ""))
        return best, score

    def _spelt(self, lang: str, length: int) -> Mapping[str, str]:
        """All words of so many letters, folded, as they are written."""
        if not self._spellings:
            for code in LANGUAGES:
                every = {word: word for word in (*self.vocabulary(code), *FILLERS[code])}
                for plain, word in (every | dict(self._named[code])).items():
                    self._spellings.setdefault((code, len(plain)), {})[plain] = word
        return self._spellings.get((lang, length), {})

    # Concepts

    def _concepts(
        self,
        typed: Sequence[str],
        asked: str,
        lang: str,
        typing: bool,
        guessed: set[str],
        names: frozenset[str],
    ) -> Iterator[Concept]:
        """The terms of several words, and all words that say something; if none does, those that do not.

        A word that says nothing may be the name of a piece: hardly where it begins a sentence (well, ...).
        """
        spans = self._spans(typed, asked)
        found = [
            Concept(
                " ".join(typed[one.begin : one.end]),
                tuple(map(mark, one.terms)),
                one.terms,
                _foreign(one.lang, lang),
                one.weight,
            )
            for one in spans
        ]
        named = {i for one in spans if one.weight == OF_SEVERAL for i in range(one.begin, one.end)}
        silent: list[Concept] = []
        for i, word in enumerate(typed):
            concept = self._concept(word, asked, lang, typing and i == len(typed) - 1)
            filler = self._is_filler(word, asked)
            if filler and fold(word) in names:
                found.append(replace(concept, weight=FILLER if i == 0 and len(typed) > 1 else 1.0))
                continue
            weight = FILLER if filler else GUESSED if word in guessed else 1.0
            concept = replace(concept, weight=weight * (OF_SEVERAL if i in named else 1.0))
            if not filler:
                found.append(concept)
            elif means := tuple(map(sense_mark, senses(word, asked))):
                found.append(replace(concept, wanted=means, terms=(), lang=""))
            else:
                silent.append(concept)
        yield from found or silent

    def _spans(self, typed: Sequence[str], lang: str) -> list[Span]:
        """Where the query has terms of several words; those said exactly first, then the longest."""
        places = [
            (begin, begin + length)
            for length in range(min(LONGEST_TERM, len(typed)), 1, -1)
            for begin in range(len(typed) - length + 1)
        ]
        keyed = [_Keyed.of(typed, other) for other in sorted(LANGUAGES, key=lambda one: one != lang)]
        found: list[Span] = []
        for keys, weight in ((_Keyed.exact, OF_SEVERAL), (_Keyed.loose, LOOSE)):
            for begin, end in places:
                if any(begin < one.end and one.begin < end for one in found):
                    continue
                terms, language = self._term(keyed, begin, end, keys)
                if terms:
                    found.append(Span(begin, end, terms, language, weight))
        return found

    def _is_filler(self, word: str, lang: str) -> bool:
        plain = fold(word)
        if plain in FILLERS[lang]:
            return True
        return plain in ANY_FILLER and (plain,) not in self._aliases[lang]

    def _term(
        self, keyed: Sequence["_Keyed"], begin: int, end: int, keys: Callable[["_Keyed", int, int], list[Key]]
    ) -> tuple[tuple[str, ...], str]:
        """The terms of these words, with their language; nothing if they are no term."""
        for one in keyed:
            aliases = self._aliases[one.lang]
            for key in keys(one, begin, end):
                if key in aliases:
                    return aliases[key], one.lang
        return (), ""

    def _concept(self, word: str, asked: str, lang: str, begun: bool) -> Concept:
        keyed = [_Keyed.of([word], other) for other in sorted(LANGUAGES, key=lambda one: one != asked)]
        terms, language = self._term(keyed, 0, 1, _Keyed.exact)
        if not terms:
            terms, language = self._terms_of_form(word, asked), asked
        plain, known = fold(word), self.vocabulary(asked)
        if language != asked and known.get(plain, ("", 0))[1] >= OFTEN:
            terms, language = (), asked  # it is a word of the reader's after all
        wanted: list[str] = []
        if language == asked:
            if plain in known:
                wanted.append(known[plain][0])
            wanted += [stem(word, asked), stem(plain, asked), *NUMBERS[asked].get(plain, ())]
            if begun and len(plain) > 1:
                wanted.append(f"{plain}*")
        wanted += map(mark, terms)
        wanted += (sense_mark(sense) for sense in senses(word, language))
        return Concept(
            word, tuple(dict.fromkeys(filter(None, wanted))), terms, _foreign(language, lang, terms)
        )

    def _terms_of_form(self, word: str, lang: str) -> tuple[str, ...]:
        """The terms of which our texts could use a word in this form."""
        plain = fold(word)
        known = self._beginnings[lang]
        if whole := known.get(f"{plain} "):
            return whole
        longest = (known[plain[:n]] for n in range(len(plain), 2, -1) if plain[:n] in known)
        return next(longest, ())

    @cached_property
    def _beginnings(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """The terms whose forms begin so, for single words."""
        found: dict[str, dict[str, tuple[str, ...]]] = {lang: {} for lang in LANGUAGES}
        for name, term in self.library.terms.items():
            for lang, word in term.words.items():
                typed = (one.removesuffix("*") for one in word.asked if one.endswith("*"))
                for begin in {fold(one) for one in (*word.begins, *typed) if len(one.split()) == 1}:
                    found[lang][begin] = (*found[lang].get(begin, ()), name)
        return found


def _phrases(word: TermWord) -> Iterator[str]:
    """All that may be typed for a term, in whole words."""
    yield from (word.word, *word.also, *word.box.values())
    yield from (one for one in word.asked if not one.endswith("*"))


def _find_valued(concepts: Sequence[Concept], read: Sequence[str], lang: str) -> tuple[Concept, ...]:
    """What a question asks the worth of, if it asks that: how many points the well is, or what one gets."""
    if WORTH[lang].isdisjoint(map(fold, read)):
        return ()
    return tuple(
        concept
        for concept in concepts
        if concept.weight > FILLER
        and WORTH[lang].isdisjoint(map(fold, words(concept.typed)))
        and "get" not in senses(concept.typed, lang)
    )


def _foreign(language: str, lang: str, terms: Sequence[str] = ("",)) -> str:
    return language if terms and language != lang else ""


class _Keyed(NamedTuple):
    """Words as the parts of keys, in one language."""

    lang: str
    stems: Key
    folded: Key
    fillers: tuple[bool, ...]

    @classmethod
    def of(cls, typed: Sequence[str], lang: str) -> "_Keyed":
        # Two players are 2 players.
        stemmed = (stem(word, lang) for word in typed)
        counted = tuple(DIGITS[lang].get(one, one) for one in stemmed)
        folded = tuple(map(fold, typed))
        return cls(lang, counted, folded, tuple(word in FILLERS[lang] for word in folded))

    def exact(self, begin: int, end: int) -> list[Key]:
        """By their stems, or just without accents."""
        return [self.stems[begin:end], self.folded[begin:end]]

    def loose(self, begin: int, end: int) -> list[Key]:
        """Without fillers and order; nothing if only one of the words says anything."""
        telling = sorted(self.stems[i] for i in range(begin, end) if not self.fillers[i])
        return [("", *telling)] if len(telling) > 1 else []
