"""Plain words that mean the same, in all languages: what a question says beside the terms of its game.

Who asks "must I?", "do I have to?" or "devo?" asks the same thing. Terms are in the glossary; these are not
explained to anybody. Each is given by beginnings; one that ends in a full stop is a whole word.
"""

from collections.abc import Mapping
from functools import lru_cache

from tutor.book.particulars import particular_to
from tutor.book.stems import STEMS_KEPT, fold
from tutor.book.words import LANGUAGES


def _by_beginning(listed: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for sense, begins in listed.items():
        for begin in fold(begins).split():
            found[begin] = (*found.get(begin, ()), sense)
    return found


_BEGINNINGS = {lang: _by_beginning(particular_to(lang).senses) for lang in LANGUAGES}


@lru_cache(STEMS_KEPT)
def senses(word: str, lang: str) -> tuple[str, ...]:
    """What a word means beside itself."""
    plain, known = fold(word), _BEGINNINGS[lang]
    begins = (plain[:length] for length in range(2, len(plain) + 1))
    return tuple(dict.fromkeys(s for begin in (*begins, f"{plain}.") for s in known.get(begin, ())))
