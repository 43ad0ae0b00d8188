"""The glossary: how a term is found in a text, and what is proved of terms.toml.

Its entries are read by `load`; who explains or looks up words uses them there (`library.terms`).
"""

import re
from collections.abc import Iterator, Mapping, Set
from functools import lru_cache
from typing import Any

import msgspec

from tutor.book.model import GameBook, Rulebook, Term, TermWord
from tutor.book.source import Problem, Source
from tutor.book.stems import fold
from tutor.book.words import LANGUAGES, Sentence

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


@lru_cache(1024)
def pattern(begins: tuple[str, ...]) -> re.Pattern[str]:
    """Finds the words that begin so, the longest beginning first; nothing if there are none.

    A beginning that ends in a blank is a whole word ("red " is not in "reduce"). One with a capital is only
    found with it (the Limit is a card, a limit is not), any other also at the start of a sentence.
    """
    longest_first = sorted(filter(str.strip, begins), key=len, reverse=True)
    return re.compile("|".join(map(_beginning, longest_first)) or "(?!)")


def _beginning(text: str) -> str:
    words = text.split()
    first, rest = words[0][0], " ".join(words)[1:]
    # Texts have hard spaces too.
    rest = r"\s".join(map(re.escape, rest.split(" ")))
    end = r"(?!\w)" if text.endswith(" ") else r"\w*"
    return rf"(?<!\w)[{re.escape(first)}{re.escape(first.upper())}]{rest}{end}"


Fault = tuple[str, *tuple[str, ...]]
"""What is wrong with a term, and the keys inside it."""


def check_missing(name: str, term: Term, source: Source) -> Iterator[Problem]:
    """What is told of a term in one language and not in another."""
    for lang in LANGUAGES:
        if lang not in term.words:
            text = f"{name}: there is no word in {lang}"
            yield source.problem(text, name, "words", todo="add", lang=lang)
        for game, means in term.means.items():
            if lang not in means:
                text = f"{name}: its meaning in {game} is not told in {lang}"
                yield source.problem(text, name, "means", game, todo="add", lang=lang)


def find_faults(term: Term, games: tuple[str, ...], books: Mapping[str, GameBook]) -> Iterator[Fault]:
    """What a reader of the glossary would stumble over: what a term names is there."""
    if not term.rules:
        yield "belongs to no game", "rules"
    for game, rule in term.rules.items():
        if game not in games:
            yield f"there is no game {game}", "rules"
        elif game in books and rule not in books[game].facts.rules:
            yield f"there is no rule {rule} in {game}", "rules"
        elif game in books and books[game].facts.rules[rule].technical:
            yield f"{rule} is technical: it is shown nowhere", "rules"
    for game, means in term.means.items():
        if game not in term.rules:
            yield f"it has a meaning in {game}, but it is no term of that game", "means", game
        for lang in means.keys() - set(LANGUAGES):
            yield f"there is no language {lang}", "means", game, lang
        if not all(text.endswith(".") for text in means.values()):
            yield f"its meaning in {game} is not a whole sentence", "means", game
    for lang, word in term.words.items():
        if lang not in LANGUAGES:
            yield f"there is no language {lang}", "words", lang
        if not all(text.strip() for text in (word.word, *word.begins, *word.also, *word.box.values())):
            yield f"a word in {lang} is empty", "words", lang
        for game in word.box.keys() - term.rules.keys():
            yield f"a box of {game} has a word in {lang}, but it is no term of that game", "words", lang


def check(
    terms: Mapping[str, Term], books: Mapping[str, GameBook], source: Source, shared: Set[str] = frozenset()
) -> Iterator[Problem]:
    """In each game a word means one term and a form in a text is of one term; no beginning is for nothing.
    Terms that are `shared` belong to games, too, that are not here."""
    for lang in LANGUAGES:
        texts = {game: _gather_texts(book, lang) for game, book in books.items() if lang in book.rulebooks}
        words = {name: term.words[lang] for name, term in terms.items() if lang in term.words}
        for game, text in texts.items():
            own = {name: word for name, word in words.items() if game in terms[name].rules}
            for name, wrong in (*_find_homonyms(own, game), *_find_ambiguous(own, text)):
                yield source.problem(f"{name}: {wrong} in {lang}", name, "words", lang)
        for name, word in words.items():
            if name in shared or terms[name].rules.keys() - texts.keys():
                continue  # a game that is not here, or could not be read, may have it
            for begin in word.begins:
                if not any(pattern((begin,)).search(texts[game]) for game in terms[name].games):
                    wrong = f"{name}: no text in {lang} has a word that begins with “{begin}”"
                    yield source.problem(wrong, name, "words", lang)
    for name, term in terms.items():
        if name not in shared and not term.rules.keys() - books.keys():
            for entry in term.not_in:
                if not any(_is_used(term, books[game], entry) for game in term.games):
                    yield source.problem(f"{name}: no form of it stands in {entry}", name, "not_in")


def _is_used(term: Term, book: GameBook, entry: str) -> bool:
    """Whether an entry has a form of a term, in any language."""
    for lang, rulebook in book.rulebooks.items():
        block = rulebook.blocks.get(entry)
        said = " ".join(sentence.source for sentence in block.body) if block else ""
        if lang in term.words and pattern(term.words[lang].begins).search(said.replace("*", "")):
            return True
    return False


def _find_homonyms(words: Mapping[str, TermWord], game: str) -> Iterator[tuple[str, str]]:
    """Words of a game that one who asks for them could mean two terms by."""
    owners: dict[str, str] = {}
    for name, word in words.items():
        own: set[str] = set()
        for text in (word.word, *word.also):
            key = fold(text)
            if key in own:
                yield name, f"“{text}” is there twice"
            elif owners.setdefault(key, name) != name:
                yield name, f"“{text}” is a word of {owners[key]} too"
            own.add(key)
    for name, word in words.items():
        # The printed word may be our own or a synonym, but not another term's.
        printed = word.box.get(game, "")
        if owners.get(fold(printed), name) != name:
            yield name, f"the printed “{printed}” is a word of {owners[fold(printed)]}"


def _find_ambiguous(words: Mapping[str, TermWord], text: str) -> Iterator[tuple[str, str]]:
    """Forms in a text that could be linked to two terms."""
    owners: dict[str, str] = {}
    for name, word in words.items():
        for form in sorted(set(pattern(word.begins).findall(text))):
            if owners.setdefault(form, name) != name:
                yield name, f"“{form}” is a form of {owners[form]} too"


def _gather_texts(book: GameBook, lang: str) -> str:
    """All that our texts on a game say in one language, without the values that the engine fills in."""
    texts = [*_read_texts(book.rulebooks[lang]), *_strings(msgspec.to_builtins(book.words[lang].files[-1]))]
    return _PLACEHOLDER.sub(" ", "\n".join(texts)).replace("*", "")


def _read_texts(rulebook: Rulebook) -> Iterator[str]:
    yield rulebook.title
    sentences: list[Sentence] = [*rulebook.lead]
    for section in rulebook.sections:
        yield section.title
        sentences += section.lead
        for block in section.blocks:
            yield block.title
            sentences += (*block.body, *(block.why.wordings if block.why else ()))
            sentences += (block.lines or {}).values()
    for sentence in sentences:
        yield sentence.source


def _strings(value: Any) -> Iterator[str]:
    """Every text inside a table of words."""
    if isinstance(value, dict):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, str):
        yield value
