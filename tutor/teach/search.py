"""Finds rules, rulings, examples, notes, terms and pieces by what players type.

A query is understood word by word: a word of the reader's language by its stem, a term by any of its synonyms
in any language; a word that nobody knows becomes the nearest one that somebody does.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rapidfuzz import fuzz, process
from rapidfuzz.distance import DamerauLevenshtein

from tutor.book.glossary import pattern
from tutor.book.load import Library
from tutor.book.stems import WORD, fold, stem, stems, words
from tutor.book.words import LANGUAGES
from tutor.store.search import MOST_FOUND, Index, Row, mark

MOST_LETTERS = 200
MOST_WORDS = 12
"""More of a query is not read."""
LONGEST_TERM = 5
"""Words of a synonym, at most."""
ENOUGH = 5
"""With fewer results, texts that lack one of the words are looked for too."""
MOST_SHOWN = 20
SNIPPET = 160
"""Letters of a text that are shown around what was found."""
OFTEN = 3
"""A word in so many texts is not just quoted there from another language."""
SHORTEST_TYPO = 4
LIKELY = 0.62
"""How alike (1: the same) a word must be to be what was meant."""
KINDS = {"ruling": 1.3, "rule": 1.25, "piece": 1.1, "term": 0.9, "example": 0.7, "edition": 0.7}
"""What is wanted most often comes first; the best results of a query are seldom far apart."""

STOP = {
    "it": "a ad agli ai al alla alle allo c che chi ci come con cosa d da dal dalla dei del della delle"
    " deve devo di dove e ed fa fare forza gli ha ho i il in io l la le lo ma mi ne nel nella non o"
    " per più posso può quale quali quando quanta quante quanti quanto quest se sempre si sono spesso"
    " su sul sulla tante tanti un una uno va volte è",
    "pl": "a albo ale by być co czy czym często dla do gdy gdzie go i ich ile jak jaka jaki jakie jest"
    " jeśli już kiedy kto która które który ma mam mi mieć mnie mogę może można musi muszę na nie o od"
    " po przez przy razy się są ta tak te to trzeba tu tyle u w we wolno z za zawsze ze że",
    "es": "a al como con cuando cuanta cuanto cuál cuáles cuántas cuántos de debo del dónde e el ella en es"
    " esta este está hace hacer hay ir la las le lo los me mi no o para pero por puede puedo que quién"
    " qué se si siempre sin son su sus tanto te tengo un una uno veces y ya",
    "en": "a an and any are as at be but by can could do does for from has have how i if in is it its many"
    " may me much must my not of often on one or s should so t that the their them there they this to"
    " want was we what when where which who will with would you your",
}
"""Words that say nothing about what is looked for."""
_STOP = {lang: frozenset(map(fold, listed.split())) for lang, listed in STOP.items()}


@dataclass(frozen=True)
class Concept:
    """A word of the query, or several that make one term."""

    typed: str
    wanted: tuple[str, ...]
    """Stems and marks of terms: a text with any of them has it."""
    terms: tuple[str, ...] = ()
    lang: str = ""
    """The language of a word that is not the reader's."""


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
    """Nothing has the words; these are the titles that come nearest."""

    @property
    def foreign(self) -> tuple[Concept, ...]:
        return tuple(concept for concept in self.concepts if concept.lang)


@dataclass(frozen=True)
class Search:
    library: Library
    index: Index
    _vocabularies: dict[str, Mapping[str, tuple[str, int]]] = field(default_factory=dict)
    _known_stems: dict[str, frozenset[str]] = field(default_factory=dict)

    def find(
        self, query: str, lang: str, game: str = "", most: int = MOST_SHOWN, typing: bool = False
    ) -> Found:
        """What the query finds in the reader's language. While one types, the last word may be a part."""
        typed = words(query[:MOST_LETTERS])[:MOST_WORDS]
        if not typed:
            return Found(query)
        mended = [self._mended(word, lang, typing and word is typed[-1]) for word in typed]
        concepts = tuple(self._understood(mended, lang, typing))
        guessed = {new for old, new in zip(typed, mended, strict=True) if old != new}
        rows = self._rows(concepts, lang, game, guessed)
        near = not rows
        if near:
            rows = self._nearest(" ".join(typed), lang, game)
        lit = _Lit(concepts, self.library, lang)
        hits = tuple(self._hit(row, lit, lang) for row in rows[:most])
        instead = " ".join(mended) if mended != typed else ""
        return Found(query, hits, instead, concepts, near)

    def vocabulary(self, lang: str) -> Mapping[str, tuple[str, int]]:
        if lang not in self._vocabularies:
            self._vocabularies[lang] = self.index.vocabulary(lang)
        return self._vocabularies[lang]

    def _stems(self, lang: str) -> frozenset[str]:
        if lang not in self._known_stems:
            self._known_stems[lang] = frozenset(of_word for of_word, _ in self.vocabulary(lang).values())
        return self._known_stems[lang]

    # The query

    @cached_property
    def _aliases(self) -> dict[str, dict[tuple[str, ...], tuple[str, ...]]]:
        """The terms behind every word and synonym of every language, by folded stems."""
        found: dict[str, dict[tuple[str, ...], tuple[str, ...]]] = {lang: {} for lang in LANGUAGES}
        for name, term in self.library.terms.items():
            for lang, word in term.words.items():
                for said in {word.word, *word.box.values(), *word.also}:
                    for key in {tuple(stems(said, lang)), tuple(map(fold, words(said)))}:
                        found[lang][key] = tuple(dict.fromkeys((*found[lang].get(key, ()), name)))
        return found

    def _mended(self, word: str, lang: str, begun: bool) -> str:
        """The word, or the nearest one that is known, if nobody knows it."""
        plain = fold(word)
        known = self.vocabulary(lang)
        if len(plain) < SHORTEST_TYPO or plain in known or stem(word, lang) in self._stems(lang):
            return word
        if self._known(word, lang):
            return word
        if begun and any(other.startswith(plain) for other in known):
            return word
        score = DamerauLevenshtein.normalized_similarity
        best = process.extract(plain, known.keys(), scorer=score, score_cutoff=LIKELY, limit=5)
        if not best:
            return word
        return max(best, key=lambda one: (one[1], known[one[0]][1]))[0]

    def _known(self, word: str, lang: str) -> bool:
        forms = {(stem(word, other), other) for other in LANGUAGES} | {
            (fold(word), other) for other in LANGUAGES
        }
        return any((form,) in self._aliases[other] for form, other in forms) or word.lower() in _STOP[lang]

    def _understood(self, typed: Sequence[str], lang: str, typing: bool) -> Iterator[Concept]:
        """The concepts of a query, the longest terms first; words that say nothing are left out."""
        found: list[Concept] = []
        silent: list[Concept] = []
        i = 0
        while i < len(typed):
            longest = min(LONGEST_TERM, len(typed) - i)
            span = next((n for n in range(longest, 1, -1) if self._term(typed[i : i + n], lang)[0]), 1)
            part = typed[i : i + span]
            i += span
            concept = self._concept(part, lang, begun=typing and i == len(typed))
            (silent if span == 1 and fold(part[0]) in _STOP[lang] else found).append(concept)
        yield from found or silent

    def _term(self, part: Sequence[str], lang: str) -> tuple[tuple[str, ...], str]:
        """The terms of these words, with their language; nothing if they are no term."""
        for other in sorted(LANGUAGES, key=lambda one: one != lang):
            for key in (tuple(stem(word, other) for word in part), tuple(map(fold, part))):
                if key in self._aliases[other]:
                    return self._aliases[other][key], other
        return (), ""

    def _concept(self, part: Sequence[str], lang: str, begun: bool) -> Concept:
        terms, language = self._term(part, lang)
        wanted: list[str] = []
        word, plain = part[0], fold(part[0])
        known = self.vocabulary(lang)
        if language != lang and known.get(plain, ("", 0))[1] >= OFTEN:
            terms = ()  # it is a word of the reader's after all
        foreign = language if terms and language != lang else ""
        if len(part) == 1 and not foreign:
            if plain in known:
                wanted.append(known[plain][0])
            wanted += [stem(word, lang), stem(plain, lang)]
            if begun and len(plain) > 1:
                wanted.append(f"{plain}*")
        wanted += map(mark, terms)
        return Concept(" ".join(part), tuple(dict.fromkeys(filter(None, wanted))), terms, foreign)

    # The texts

    def _rows(self, concepts: Sequence[Concept], lang: str, game: str, guessed: set[str]) -> list[Row]:
        """The texts with all concepts, best first; then, if they are few, those that lack the one that says
        least: a guess, then any word that is no term, the commonest first."""
        left = sorted(
            concepts, key=lambda one: (one.typed in guessed, not one.terms, self._common(one, lang))
        )
        found: dict[int, Row] = {}
        while left and len(found) < ENOUGH:
            ranked = self.index.find(lang, [concept.wanted for concept in left], game, MOST_FOUND)
            ranked.sort(key=lambda one: one[1] * KINDS.get(one[0].kind, 1.0))
            for row, _ in ranked:
                found.setdefault(row.number, row)
            left.pop()
        return list(found.values())

    def _common(self, concept: Concept, lang: str) -> int:
        """In how many texts the concept stands, about."""
        known = self.vocabulary(lang)
        return sum(known[word][1] for word in map(fold, concept.typed.split()) if word in known)

    def _nearest(self, query: str, lang: str, game: str) -> list[Row]:
        """The entries whose titles are most like what was typed."""
        titles = {
            (name, entry.id): entry.title
            for name, by_lang in self.library.texts.items()
            if not game or name == game
            for entry in by_lang[lang].entries.values()
            if entry.kind in ("rule", "ruling")
        }
        best = process.extract(fold(query), titles, scorer=fuzz.WRatio, processor=fold, limit=ENOUGH)
        rows = []
        for _, _, (name, entry_id) in best:
            texts = self.library.texts[name][lang]
            entry = texts.entries[entry_id]
            rows.append(Row(0, name, entry.kind, entry.id, entry.section, entry.title, entry.plain))
        return rows

    def _hit(self, row: Row, lit: "_Lit", lang: str) -> Hit:
        part = self.library.texts[row.game][lang].part_of.get(row.section)
        section = part.title if part else ""
        title = row.title or section  # a note has none of its own
        return Hit(row.game, row.kind, row.id, title, section, lit.snippet(row.text), lit.marked(title))


class _Lit:
    """Marks in a text what was looked for."""

    def __init__(self, concepts: Sequence[Concept], library: Library, lang: str) -> None:
        self.lang = lang
        wanted = {word for concept in concepts for word in concept.wanted}
        self.stems = {word for word in wanted if not word.endswith("*")}
        self.begins = tuple(word[:-1] for word in wanted if word.endswith("*"))
        terms = {name for concept in concepts for name in concept.terms}
        self.forms = pattern(
            tuple(b for name in sorted(terms) for b in library.terms[name].words[lang].begins)
        )

    def _is_lit(self, word: str) -> bool:
        if stem(word, self.lang) in self.stems:
            return True
        return bool(self.begins) and fold(word).startswith(self.begins)

    def marked(self, text: str) -> tuple[tuple[str, bool], ...]:
        parts: list[tuple[str, bool]] = []
        named = [found.span() for found in self.forms.finditer(text)]
        at = 0
        for piece, is_word in _pieces(text):
            lit = is_word and (self._is_lit(piece) or any(begin <= at < end for begin, end in named))
            at += len(piece)
            if parts and parts[-1][1] == lit:
                parts[-1] = (parts[-1][0] + piece, lit)
            else:
                parts.append((piece, lit))
        return tuple(parts)

    def _first(self, text: str) -> int:
        """Where the first thing stands that was looked for."""
        word = next((found.start() for found in WORD.finditer(text) if self._is_lit(found[0])), len(text))
        form = self.forms.search(text)
        first = min(word, form.start()) if form else word
        return first if first < len(text) else 0

    def snippet(self, text: str) -> tuple[tuple[str, bool], ...]:
        """Some words around the first that was looked for."""
        line = " ".join(text.split())
        if len(line) <= SNIPPET:
            return self.marked(line)
        begin = max(0, min(self._first(line) - SNIPPET // 3, len(line) - SNIPPET))
        begin = line.rfind(" ", 0, begin) + 1 if begin else 0
        end = begin + SNIPPET
        end = len(line) if end >= len(line) else line.rfind(" ", begin, end)
        cut = self.marked(line[begin:end])
        return ((("…", False),) if begin else ()) + cut + ((("…", False),) if end < len(line) else ())


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Words and what is between them."""
    at = 0
    for found in WORD.finditer(text):
        if found.start() > at:
            yield text[at : found.start()], False
        yield found[0], True
        at = found.end()
    if at < len(text):
        yield text[at:], False
