"""What a reader stumbles over in a sentence that was put together: found in the finished text."""

import re
from collections.abc import Iterator

from tutor.book.words import Words

_CODE = re.compile(r"[A-Za-z0-9#_-]+")
_SPACE = re.compile(r"[A-Z]\d+")
"""A place on a board is named like this on the board itself."""


def faults(text: str, words: Words) -> Iterator[str]:
    """Everything about the text that no native author would write."""
    for code in _CODE.findall(text):
        if re.fullmatch(r"p[1-9]", code) or "#" in code or _is_id(code, words):
            yield f"says the code {code}"
    zeroes = re.findall(r"(?<![\d,.])0\u00a0(\w+)", text)
    natural = {form for noun in words.nouns.values() if noun.zero for form in noun.forms.values()}
    for thing in zeroes:
        if thing not in natural:
            yield f"counts 0 {thing}"
    if re.search(r"\d/\d", text):
        yield "has a fraction like 1/2: write ½, or a division another way"
    if words.lang == "it" and re.search(r"\be [EeÈèÉé]\w", text):
        yield "says e, not ed, before the sound e"
    if words.lang != "en":
        for word in re.findall(r":\s(\w+)", text):
            if word[0].isupper() and not _SPACE.fullmatch(word) and word not in words.names:
                yield f"goes on with a capital after a colon: {word}"


def _is_id(code: str, words: Words) -> bool:
    """Whether that is what the program calls something that has another name for readers."""
    return code in words.ids and bool(re.search("[A-Z0-9_-]", code)) and words.word(code) != code
