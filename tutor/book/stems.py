"""Words as search sees them: without case, accents and endings."""

import re
import unicodedata
from functools import lru_cache

import snowballstemmer

from tutor.book.particulars import particular_to
from tutor.book.words import LANGUAGES

WORD = re.compile(r"[^\W_]+")
STEMS_KEPT = 1 << 12
"""Words of which the answer is kept. Anybody may type any word, so there is no room for all of them."""
_stemmers = {
    lang: snowballstemmer.stemmer(name) for lang in LANGUAGES if (name := particular_to(lang).stemmer)
}
# People mix languages: each letter is folded in all of them.
_FOLDED = str.maketrans({a: b for lang in LANGUAGES for a, b in particular_to(lang).fold.items()})


@lru_cache(STEMS_KEPT)
def fold(text: str) -> str:
    """The text in small letters without accents, so that what is typed without them is found."""
    plain = unicodedata.normalize("NFKD", text.lower().translate(_FOLDED))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def words(text: str) -> list[str]:
    """The words and numbers of a text, as they are written."""
    return WORD.findall(unicodedata.normalize("NFC", text))


@lru_cache(STEMS_KEPT)
def stem(word: str, lang: str) -> str:
    """The folded stem: dadi and dado, kościami and kość have the same."""
    small = word.lower()
    return fold(_stemmers[lang].stemWord(small) if lang in _stemmers else small)


def stems(text: str, lang: str) -> list[str]:
    return [stem(word, lang) for word in words(text)]
