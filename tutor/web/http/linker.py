"""The links from the texts to the glossary."""

import re
from collections.abc import Mapping

from flask import url_for
from markupsafe import Markup

from tutor.book.glossary import pattern
from tutor.book.model import Term

_TAG = re.compile(r"(<[^>]+>)")


class Linker:
    """Turns the terms of a text into links to the glossary: each term once, the longest word first."""

    def __init__(self, terms: Mapping[str, Term], game: str, lang: str) -> None:
        self._own = {
            name: pattern(term.words[lang].begins) for name, term in terms.items() if game in term.games
        }
        self._terms, self._game, self._lang = terms, game, lang

    def terms_known(self, entry: str) -> set[str]:
        """The terms that need no link in a text: what it explains itself, and words of another meaning."""
        return {
            name
            for name in self._own
            if self._terms[name].rules[self._game] == entry or entry in self._terms[name].not_in
        }

    def __call__(self, html: str, done: set[str]) -> Markup:
        """The paragraph with its links; `done` are terms that need no link, and grows."""
        parts = _TAG.split(html)  # text and tags in turn
        inside = 0
        for i, part in enumerate(parts):
            if i % 2:
                inside += part.startswith("<a") - part.startswith("</a")
            elif part and not inside:
                parts[i] = self._link(part, done)
        return Markup("".join(parts))  # nosec B704  # the rulebook's own HTML

    def _link(self, text: str, done: set[str]) -> str:
        found = [
            (match.start(), -match.end(), name)
            for name, forms in self._own.items()
            for match in forms.finditer(text)
        ]
        pieces, at, past = [], 0, 0
        for start, end, name in sorted(found):
            if start < past:
                continue  # a part of a longer term, linked here or not: a Turn Change is no turn
            past = -end
            if name in done:
                continue
            done.add(name)
            href = url_for("glossary.page", lang=self._lang, _anchor=name)
            about = url_for("glossary.one", lang=self._lang, term=name, game=self._game)
            pieces += [
                text[at:start],
                f'<a class="term" href="{href}" data-card="{about}">{text[start:-end]}</a>',
            ]
            at = -end
        return "".join([*pieces, text[at:]])
