"""What a reader stumbles over in a sentence that was put together: found in the finished text."""

import re
from collections.abc import Iterator

from tutor.book.particulars import particular_to
from tutor.book.words import Words

_CODE = re.compile(r"[A-Za-z0-9#_-]+")
_SPACE = re.compile(r"[A-Z]\d+")
"""A place on a board is named like this on the board itself."""
_COUNT = re.compile(r"(?<![\w+−×÷=:½.,–-])(?<![+−×÷=:] )\d+(?![\w½]| [+−×÷=:])")


def find_faults(text: str, words: Words) -> Iterator[str]:
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
    own = particular_to(words.lang)
    for stumble in own.stumbles:
        if re.search(stumble.find, text):
            yield stumble.says
    if not own.capital_after_colon:
        for word in re.findall(r":\s(\w+)", text):
            if word[0].isupper() and not _SPACE.fullmatch(word) and word not in words.names:
                yield f"goes on with a capital after a colon: {word}"


def miscounts(text: str, words: Words) -> Iterator[str]:
    """Counts up to ten that are figures in running text: before a noun, or beside a number in words."""
    spelled = {
        form
        for count, forms in words.numerals.items()
        for form in ([forms] if isinstance(forms, str) else forms.values())
        if count != "1"
    }
    things, measures = (
        "|".join(
            re.escape(form)
            for noun in words.nouns.values()
            if noun.figures == kind
            for form in noun.forms.values()
        )
        for kind in (False, True)
    )
    names = "|".join(re.escape(word) for file in words.files for word in file.numbered)
    # What is quoted is as it was printed.
    text = text.replace("\u00a0", " ")
    for opens, closes in particular_to(words.lang).quotes:
        text = re.sub(rf"{re.escape(opens)}[^{re.escape(closes)}]*{re.escape(closes)}", "", text)
    text = re.sub(rf"(?i)\b(?:{names})(?:[\s,(]*\b(?:\d+|\w{{1,3}})\b)+", "", text) if names else text
    for sentence in re.split(r"(?<=[.!?])\s", text):
        counts = [found for found in _COUNT.finditer(sentence) if int(found[0]) <= 10]
        if len(counts) < len(_COUNT.findall(sentence)) or re.search(rf"\b(?:{measures})\b", sentence):
            continue
        for found in counts:
            if things and re.match(rf" (?:{things})\b", sentence[found.end() :]):
                yield f"counts {found[0]} in figures"
            elif spelled & set(re.findall(r"\w+", sentence.lower())):
                yield f"has {found[0]} in figures beside a number in words"


def _is_id(code: str, words: Words) -> bool:
    """Whether that is what the program calls something that has another name for readers."""
    return code in words.ids and bool(re.search("[A-Z0-9_-]", code)) and words.word(code) != code
