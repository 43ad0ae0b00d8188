"""Quotations in a text that is in another language: a voice that reads them aloud needs to know which."""

import re
from collections.abc import Sequence

from tutor.book.particulars import particular_to
from tutor.book.stems import words
from tutor.book.words import LANGUAGES
from tutor.search.query import Reader

_MARKS = {tuple(map(re.escape, pair)) for lang in LANGUAGES for pair in particular_to(lang).quotes}
_QUOTED = re.compile("|".join(f"(?<={a})[^{a}{b}]+(?={b})" for a, b in sorted(_MARKS)) or "(?!)")
_TAG = re.compile(r"<[^>]*>")


def mark_quotations(html: str, lang: str, likely: Sequence[str], reader: Reader) -> str:
    """The text with every quotation of another language marked; of two that know it, the likelier."""
    order = [*(one for one in likely if one in LANGUAGES), lang, *LANGUAGES]

    def mark(found: re.Match[str]) -> str:
        said = words(_TAG.sub("", found[0]))
        known = {one: sum(reader.familiar(word, one) for word in said) for one in order}
        best = max(known, key=lambda one: known[one])
        if best == lang or not known[best]:
            return found[0]
        return f'<span lang="{best}">{found[0]}</span>'

    return _QUOTED.sub(mark, html)
