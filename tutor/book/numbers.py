"""Numbers that are typed in a text although a table may agree on another: the engine should say them."""

import re
from collections.abc import Iterator, Mapping

from tutor.book.model import GameBook
from tutor.book.scenario import Run
from tutor.book.source import Problem
from tutor.book.translations import texts_of
from tutor.book.words import Words, fields
from tutor.rules.options import PLAYERS, Whole

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


def check_typed(book: GameBook, runs: Mapping[str, Run]) -> Iterator[Problem]:
    """No text has the usual number of an option before what that counts, or beside its value."""
    for name, option in book.game.options.items():
        if name == PLAYERS or not isinstance(option, Whole) or option.least == option.most:
            continue
        for lang, words in book.words.items():
            texts = list(texts_of(book, lang))
            counted = {f.noun for one in texts for f in fields(one.text) if f.name == name and f.noun}
            counted |= {name.removesuffix("s")} & words.nouns.keys()
            for one in texts:
                bare = _PLACEHOLDER.sub("", one.text)
                found = _counted(words, option.default, counted, bare)
                if any(f.name == name for f in fields(one.text)):
                    found = found or re.search(rf"\b{option.default}\b", bare)
                if found:
                    told = f"“{found[0]}”: another {name} can be agreed on, so write {{{name}}}"
                    yield Problem(one.path, one.line, told)


def _counted(words: Words, number: int, nouns: set[str], text: str) -> re.Match[str] | None:
    forms = {form for noun in nouns for form in words.nouns[noun].forms.values()}
    told = words.numerals.get(str(number), ())
    numerals = {str(number), *([told] if isinstance(told, str) else dict(told).values())}
    if not forms:
        return None
    either = "|".join(map(re.escape, sorted(numerals))), "|".join(map(re.escape, sorted(forms)))
    return re.search(rf"(?<!\w)(?:{either[0]})\s(?:\w+\s)?(?:{either[1]})(?!\w)", text, re.IGNORECASE)
