"""Finds rules, rulings, examples, notes, terms and pieces by what players type, as `query` understands it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple

from rapidfuzz import fuzz, process

from tutor.book.glossary import pattern
from tutor.book.load import Library
from tutor.book.stems import WORD, fold, stem
from tutor.book.texts import Entry
from tutor.book.words import LANGUAGES
from tutor.lookup.terms import meanings
from tutor.search.index import COMMON, Candidate, Index, Phrase, Row, is_sense, mark, plainly
from tutor.search.query import FILLER, Concept, Query, Reader

MOST_SHOWN = 20
NEAREST = 5
"""So many titles are offered where nothing has the words."""
LIKE_ENOUGH = 72
"""How much of what was typed they share. Words run together reach 75 and more; what means nothing reaches up
to 68 by chance, and so do words without their vowels (“lsttrn”), which are lost with it."""
SNIPPET = 160
"""Letters of a text that are shown around what was found."""
KINDS = {"ruling": 1.25, "rule": 1.1, "piece": 0.95, "example": 0.65, "term": 0.6, "edition": 0.6}
"""Who asks a question wants an answer, and hardly a list of synonyms."""
ITSELF = 2.5
"""Who types a single word that is a term may want to know what it means."""
TITLE, EXPLAINS, ASKED, SECTION = 2.2, 3.0, 2.0, 0.6
"""What a word counts where it stands: a title says what the text is about, as do the terms it explains and
what else is typed for it."""
REPEATED = 0.2
"""What it counts in each further place."""
FITTING = 0.8
"""What a title adds that has hardly any other words, or a phrase that players type."""
JUST_SO = 0.4
"""What such a phrase adds that is typed word for word, if nothing else is: with what one does something, and
to what, is in the small words."""
SYNONYM, SENSE = 0.85, 0.65
"""How well another word for it does: a synonym of a term, or a plain word of about the same meaning."""
WORST = 0.3
"""What is so much worse than the best is no answer."""
ENOUGH = 20
"""With fewer texts that have all of a question, those that have some of it are looked at too."""
RAREST = 2
"""Of a long question, so many concepts are looked for, the rarest; the others are left to the weighing."""
MANY = 0.1
"""A plain meaning that more of the texts have than this finds too many, if another word will do."""


@dataclass(frozen=True)
class Hit:
    game: str
    kind: str
    id: str
    title: str
    section: str
    snippet: tuple[tuple[str, bool], ...]
    """The text around what was found, in pieces; True for what was looked for."""
    marked: tuple[tuple[str, bool], ...]
    """The title likewise."""


@dataclass(frozen=True)
class Found:
    query: str
    hits: tuple[Hit, ...] = ()
    instead: str = ""
    """The query as it was understood, if a word was mended."""
    concepts: tuple[Concept, ...] = ()
    near: bool = False
    """Nothing has the words; these are the titles that come near, if any do."""

    @property
    def foreign(self) -> tuple[Concept, ...]:
        return tuple(concept for concept in self.concepts if concept.lang)


@dataclass(frozen=True, eq=False)
class Search:
    library: Library
    index: Index
    _counts: dict[str, tuple[Mapping[str, int], int]] = field(default_factory=dict)

    @cached_property
    def reader(self) -> Reader:
        return Reader(self.library, self.index)

    def find(
        self, query: str, lang: str, game: str = "", most: int = MOST_SHOWN, typing: bool = False
    ) -> Found:
        """What the query finds in the reader's language. While one types, the last word may be a part."""
        read = self.reader.understood(query, lang, typing, game)
        if not read.concepts:
            return Found(query)
        ranked = self._rank(read, game or read.game)
        titled = self._match_titles(query, read, game)
        rows = self.index.rows(list(dict.fromkeys((*titled, *ranked)))[:most])
        if read.asked != lang:
            rows = [same for row in rows if (same := self.index.same(row, lang))]
        near = not rows
        if near:
            rows = self._nearest(query, lang, game)[:most]
        lit = _Lit(read.concepts, self.library, lang)
        hits = tuple(self._hit(row, lit, lang, game) for row in rows)
        return Found(query, hits, read.instead, read.concepts, near)

    def often(self, term: str, lang: str) -> int:
        """How many texts of a language have a term."""
        return self._counted(lang)[0].get(mark(term), 0)

    # The texts

    def _match_titles(self, query: str, read: Query, game: str) -> list[int]:
        """The texts whose titles were typed word for word.

        A single word may be a term, too, and who has chosen no game may want that.
        """
        if read.one_word and not game:
            return []
        wanted = game or read.game
        titled = self._whole_titles(read.asked).get(plainly(query), ())
        return [number for number, of_game in titled if wanted in ("", of_game)]

    @lru_cache(maxsize=len(LANGUAGES))  # noqa: B019  # there is one search per site
    def _whole_titles(self, lang: str) -> Mapping[str, Sequence[tuple[int, str]]]:
        return self.index.titles(lang)

    def _rank(self, read: Query, game: str) -> list[int]:
        """The numbers of the texts that have most of what is asked for, best first."""
        found = self._candidates(read, game)
        weights = {concept: self._weights(concept, read.asked) for concept in read.concepts}
        weigher = _Weigher(weights, read)
        scores = {one: weigher(one) for one in found}
        least = WORST * max(scores.values(), default=0.0)
        valued = {one for one in found if weigher.is_valued(one)}
        ranked = sorted(found, key=lambda one: (one not in valued, -scores[one]))
        return [one.number for one in ranked if scores[one] > least or one in valued]

    def _candidates(self, read: Query, game: str) -> list[Candidate]:
        """The texts that have all that is rare in it and, if they are few, those that have some."""
        telling = [concept for concept in read.concepts if concept.weight > FILLER] or read.concepts
        looked = (self._search_words(concept, read.asked) for concept in telling)
        groups = sorted(group for group in looked if group[0])
        if not groups:
            return []
        every = [words for _, words in groups]
        found = self.index.with_all(read.asked, every[:RAREST], game, in_titles=groups[0][0] > COMMON)
        if len(found) >= ENOUGH or len(groups) == 1:
            return found
        # What stands nearly everywhere is left to the weighing.
        sums = accumulate(count for count, _ in groups)
        rare = [words for words, so_far in zip(every, sums, strict=True) if so_far <= COMMON]
        some = self.index.with_some(read.asked, rare or every[:1], game)
        return list({one.number: one for one in (*found, *some)}.values())

    def _search_words(self, concept: Concept, lang: str) -> tuple[int, tuple[str, ...]]:
        """The words by which the texts of a concept are found, and in how many they stand, about."""
        counts, texts = self._counted(lang)
        begun = any(word.endswith("*") for word in concept.wanted)
        known = [word for word in concept.wanted if word in counts or word.endswith("*")]
        telling = [word for word in known if not is_sense(word) or counts.get(word, 0) <= texts * MANY]
        wanted = tuple(telling or known)
        return sum(counts.get(word, 0) for word in wanted) + begun, wanted

    def _weights(self, concept: Concept, lang: str) -> "Weights":
        """What few texts have says most about what is looked for; a plain meaning counts by itself."""
        counts, texts = self._counted(lang)

        def weight(words: Iterable[str]) -> float:
            often = max((counts.get(word, 0) for word in words), default=0)
            rare = math.log(1 + texts / (1 + often)) if often else 0.0
            return math.pow(rare, 1.2) * concept.weight

        itself = weight(word for word in concept.wanted if not is_sense(word))
        meaning = weight(filter(is_sense, concept.wanted))
        return Weights(itself or meaning or concept.weight, meaning)

    def _counted(self, lang: str) -> tuple[Mapping[str, int], int]:
        if lang not in self._counts:
            self._counts[lang] = self.index.frequencies(lang), self.index.texts(lang)
        return self._counts[lang]

    def _nearest(self, query: str, lang: str, game: str) -> list[Row]:
        """The entries whose titles are most like what was typed, if any are."""
        titles = self._titles(lang, game)
        alike = process.extract(
            fold(query), titles.keys(), scorer=fuzz.WRatio, limit=NEAREST, score_cutoff=LIKE_ENOUGH
        )
        rows = []
        for title, _, _ in alike:
            name, entry = titles[title]
            rows.append(Row(0, name, entry.kind, entry.id, entry.section, entry.title, entry.plain))
        return rows

    @lru_cache(maxsize=64)  # noqa: B019  # there is one search per site
    def _titles(self, lang: str, game: str) -> Mapping[str, tuple[str, Entry]]:
        """The entries of a game, or of any, with their games, by their folded titles."""
        return {
            fold(entry.title): (name, entry)
            for name, by_lang in self.library.texts.items()
            if game in ("", name)
            for entry in by_lang[lang].entries.values()
            if entry.kind in ("rule", "ruling")
        }

    def _hit(self, row: Row, lit: "_Lit", lang: str, game: str) -> Hit:
        part = self.library.texts[row.game][lang].part_of.get(row.section)
        section = part.title if part else ""
        title = row.title or section  # a note has none of its own
        if row.kind == "term":
            snippet = lit.mark(self._meaning(row.id, lang, game))
        else:
            # An answer begins with its yes or no.
            snippet = lit.snippet(row.text, from_start=row.kind == "ruling")
        return Hit(row.game, row.kind, row.id, title, section, snippet, lit.mark(title))

    def _meaning(self, term: str, lang: str, game: str) -> str:
        """What a term means in a game, or in each of its games if they say it differently."""
        found = [one for one in meanings(self.library, term, lang) if game in ("", one.game)]
        if len({one.text for one in found}) == 1:
            return found[0].text
        return " ".join(f"{self.library.texts[one.game][lang].title}: {one.text}" for one in found)


class Weights(NamedTuple):
    """What a concept counts in a text that has it."""

    itself: float
    """Its words or terms."""
    meaning: float
    """Only a word of about the same meaning."""


class _Weigher:
    """How well a text answers: what it has of the question, and where; the title says what it is about."""

    def __init__(self, weights: Mapping[Concept, Weights], read: Query) -> None:
        self.said = f" {read.said} "
        self.weights = [weight.itself for weight in weights.values()]
        self.total = sum(self.weights)
        self.named = read.concepts[0].terms[:1] if read.one_word else ()
        """The term of which only the name was typed."""
        self.valued = {i for i, concept in enumerate(weights) if concept in read.valued}
        self.means: dict[str, list[tuple[int, float]]] = {}
        """By stem or mark: which concepts a text with it has, and how well."""
        self.begun: dict[str, tuple[int, float]] = {}
        """The same by the beginning of a stem."""
        for i, (concept, weight) in enumerate(weights.items()):
            terms = set(map(mark, concept.terms))
            only_terms = terms.issuperset(concept.wanted)
            for word in concept.wanted:
                how = SENSE * min(1.0, weight.meaning / weight.itself) if is_sense(word) else 1.0
                if word in terms:
                    how = 1.0 if only_terms else SYNONYM
                if word.endswith("*"):
                    self.begun[word[:-1]] = (i, SYNONYM)
                else:
                    self.means.setdefault(word, []).append((i, how))
        self.wanted = frozenset(self.means)

    def __call__(self, one: Candidate) -> float:
        score = covered = of_title = 0.0
        counted = self._counted(one)
        for i in sorted(counted):  # sums of fractions depend on their order
            weight, in_title, best = self.weights[i], counted[i][0], max(counted[i])
            score += weight * ((1 - REPEATED) * best + REPEATED * sum(counted[i]))
            covered += weight * min(1.0, best)
            of_title += weight * min(1.0, in_title)
        # A title that says little else is about just this, and so is such a phrase.
        fitting = of_title * self._fits(one.title) if of_title else 0.0
        just_so = 0.0
        if asked := self._find_words(one.columns.asked):
            phrases = [phrase for phrase in one.asked if not asked.isdisjoint(phrase.words)]
            fitting = max(fitting, *(self._share_covered(phrase) * self._fits(phrase) for phrase in phrases))
            just_so = max(map(self._just_so, one.said))
        score = (score + FITTING * fitting) * (1 + JUST_SO * just_so)
        return score * (0.3 + 0.7 * covered / self.total) * self._kind(one)

    def _counted(self, one: Candidate) -> dict[int, list[float]]:
        """What each concept that a text has counts in each of its columns."""
        # A long text has many words by chance.
        values = (TITLE, EXPLAINS, ASKED, SECTION, 0.2 + 72 / (60 + one.length))
        counted: dict[int, list[float]] = {}
        for at, words in enumerate(one.columns):
            for word in self._find_words(words):
                for i, how in self._meant(word):
                    found = counted.setdefault(i, [0.0] * len(values))
                    if how * values[at] > found[at]:
                        found[at] = how * values[at]
        return counted

    def _find_words(self, words: frozenset[str]) -> frozenset[str]:
        """What is wanted of these words."""
        found = self.wanted & words
        if self.begun:
            found |= {word for word in words if word.startswith(tuple(self.begun))}
        return found

    def _share_covered(self, phrase: Phrase) -> float:
        """How much of what was typed a phrase is."""
        best: dict[int, float] = {}
        for word in self._find_words(phrase.words):
            for i, how in self._meant(word):
                best[i] = max(best.get(i, 0.0), how)
        return sum(self.weights[i] * best[i] for i in sorted(best))

    def _just_so(self, phrase: str) -> float:
        """How much of what was typed is just this phrase; one word is none."""
        if " " not in phrase or f" {phrase} " not in self.said:
            return 0.0
        return (phrase.count(" ") + 1) / (self.said.count(" ") - 1)

    def _fits(self, phrase: Phrase) -> float:
        """Whether it has about as many words as were typed."""
        return min(1.0, len(self.weights) / max(1, phrase.stems))

    def _meant(self, word: str) -> Sequence[tuple[int, float]]:
        meant = self.means.get(word, [])
        if self.begun:
            return [*meant, *(one for begin, one in self.begun.items() if word.startswith(begin))]
        return meant

    def _kind(self, one: Candidate) -> float:
        return ITSELF if one.kind == "term" and one.id in self.named else KINDS[one.kind]

    def is_valued(self, one: Candidate) -> bool:
        """Whether it is the piece of which one wants to know only what it is worth."""
        if one.kind != "piece" or 2 * len(self.valued) <= one.title.stems:
            return False
        called = self._find_words(one.columns.title | one.columns.asked)
        return self.valued <= {i for word in called for i, _ in self._meant(word)}


class _Lit:
    """Marks in a text what was looked for."""

    def __init__(self, concepts: Sequence[Concept], library: Library, lang: str) -> None:
        self.lang = lang
        wanted = {word for concept in concepts for word in concept.wanted}
        self.stems = {word for word in wanted if not word.endswith("*")}
        self.begins = tuple(word[:-1] for word in wanted if word.endswith("*"))
        terms = {name for concept in concepts for name in concept.terms}
        # One for each term: these are kept, and there is no end to what may be asked for together.
        self.forms = [pattern(library.terms[name].words[lang].begins) for name in sorted(terms)]

    def _is_lit(self, word: str) -> bool:
        if stem(word, self.lang) in self.stems:
            return True
        return bool(self.begins) and fold(word).startswith(self.begins)

    def mark(self, text: str) -> tuple[tuple[str, bool], ...]:
        parts: list[tuple[str, bool]] = []
        named = [found.span() for forms in self.forms for found in forms.finditer(text)]
        at = 0
        for found in WORD.finditer(text):
            begin, end = found.span()
            if self._is_lit(found[0]) or (named and any(first <= begin < last for first, last in named)):
                if begin > at:
                    parts.append((text[at:begin], False))
                parts.append((text[begin:end], True))
                at = end
        if at < len(text):
            parts.append((text[at:], False))
        return tuple(parts)

    def _first(self, text: str) -> int:
        """Where the first thing stands that was looked for."""
        word = next((found.start() for found in WORD.finditer(text) if self._is_lit(found[0])), len(text))
        forms = [form.start() for one in self.forms if (form := one.search(text))]
        first = min([word, *forms])
        return first if first < len(text) else 0

    def snippet(self, text: str, from_start: bool = False) -> tuple[tuple[str, bool], ...]:
        """Some words around the first that was looked for."""
        line = " ".join(text.split())
        if len(line) <= SNIPPET:
            return self.mark(line)
        begin = 0 if from_start else max(0, min(self._first(line) - SNIPPET // 3, len(line) - SNIPPET))
        begin = line.rfind(" ", 0, begin) + 1 if begin else 0
        end = begin + SNIPPET
        end = len(line) if end >= len(line) else line.rfind(" ", begin, end)
        cut = self.mark(line[begin:end])
        return ((("…", False),) if begin else ()) + cut + ((("…", False),) if end < len(line) else ())
