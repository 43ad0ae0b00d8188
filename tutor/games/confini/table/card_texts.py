"""Card texts of Confini, put together from the effects on the cards: a changed card list needs no new text.

Each primitive has a phrase by its words (`effect-eco-challenger-lose`), each moment and condition another.
"""

import re
from collections.abc import Mapping

from tutor.book.words import Words
from tutor.games.confini.engine.effects import Effect

SIGNED = ("eco", "stat", "will", "challenge", "spago")
"""The primitives whose number is a gain or a loss."""


def key(effect: Effect) -> str:
    parts = ["effect", effect.name]
    for value in effect.args:
        if isinstance(value, str):
            parts.append(value)
        elif effect.name in SIGNED:
            parts.append("gain" if value > 0 else "lose")
    return "-".join([*parts, *(["may"] if effect.may else [])])


def text_of(words: Words, effects: Mapping[str, tuple[Effect, ...]]) -> str:
    """The whole text of a card: every moment with what happens then; moments that do the same are one."""
    moments: dict[tuple[Effect, ...], list[str]] = {}
    for moment, happening in effects.items():
        if happening and f"when-{moment}" in words.phrases:
            moments.setdefault(happening, []).append(moment)
    return " ".join(
        words.phrase(f"when-{'-'.join(same)}", text=" ".join(_say(words, effect) for effect in happening))
        for happening, same in moments.items()
    )


def in_sentence(words: Words, text: str) -> str:
    """The text as it goes on after a colon."""
    first = re.match(r"\w{3,}", text)  # no article is a name, though a name may begin with one
    return text if first and first[0] in words.names else text[:1].lower() + text[1:]


def _say(words: Words, effect: Effect) -> str:
    count = next((abs(value) for value in effect.args if isinstance(value, int)), 0)
    text = words.phrases[key(effect)].text(words, {"count": count})
    if not effect.condition:
        return text
    condition = words.phrases[f"if-{effect.condition.replace('=', '-')}"]
    return condition.text(words, {"count": effect.least, "text": text})
