"""Words of a question that say nothing about what is looked for, and numbers, which are typed as digits."""

from collections.abc import Mapping, Sequence

from tutor.book.particulars import particular_to
from tutor.book.stems import fold, stem
from tutor.book.words import LANGUAGES


def _folded(listed: str) -> frozenset[str]:
    return frozenset(map(fold, listed.split()))


FILLERS: Mapping[str, frozenset[str]] = {lang: _folded(particular_to(lang).fillers) for lang in LANGUAGES}
"""Each language's, without accents."""
ANY_FILLER = frozenset[str]().union(*FILLERS.values())
"""People mix languages."""
ORDINARY = frozenset[str]().union(*(_folded(particular_to(lang).ordinary) for lang in LANGUAGES))
"""Words that every language has and our texts lack: nobody means the nearest that they have."""
WORTH: Mapping[str, frozenset[str]] = {lang: _folded(particular_to(lang).worth) for lang in LANGUAGES}
"""Words that ask what something is worth."""


def as_meant(typed: Sequence[str], lang: str) -> list[str]:
    """With verbs that look like something else said plainly: "if I die" is not about dice."""
    verbs = particular_to(lang).verbs
    before = ("", *map(fold, typed))
    meant = [(word, last, verbs.get(fold(word))) for word, last in zip(typed, before, strict=False)]
    return [verb.plain if verb and last in verb.after.split() else word for word, last, verb in meant]


NUMBERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    lang: {
        str(number): tuple(stem(word, lang) for word in said.split())
        for number, said in enumerate(particular_to(lang).numbers)
    }
    for lang in LANGUAGES
}
"""The stems of the words for a digit."""
DIGITS: Mapping[str, Mapping[str, str]] = {
    lang: {said: digit for digit, of_digit in numbers.items() for said in of_digit}
    for lang, numbers in NUMBERS.items()
}
"""The digit for the stem of a word."""
