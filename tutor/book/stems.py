"""Words as search sees them: without case, accents and endings."""

import re
import unicodedata
from functools import lru_cache

import snowballstemmer

ALGORITHMS = {"it": "italian", "pl": "polish", "es": "spanish", "en": "english"}
"""Snowball's name of each language."""

WORD = re.compile(r"[^\W_]+")
KEPT = 1 << 12
"""Words of which the answer is kept. Anybody may type any word, so there is no room for all of them."""
_stemmers = {lang: snowballstemmer.stemmer(name) for lang, name in ALGORITHMS.items()}


@lru_cache(KEPT)
def fold(text: str) -> str:
    """The text in small letters without accents, so that what is typed without them is found."""
    # The stroke of ł is no accent that could be taken apart.
    plain = unicodedata.normalize("NFKD", text.lower().replace("ł", "l"))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def words(text: str) -> list[str]:
    """The words and numbers of a text, as they are written."""
    return WORD.findall(unicodedata.normalize("NFC", text))


@lru_cache(KEPT)
def stem(word: str, lang: str) -> str:
    """The folded stem: dadi and dado, kościami and kość have the same."""
    return fold(_stemmers[lang].stemWord(word.lower()))


def stems(text: str, lang: str) -> list[str]:
    return [stem(word, lang) for word in words(text)]
