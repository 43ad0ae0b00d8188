"""What a term means: the beginning of the rule that explains it, in each of its games."""

from collections.abc import Iterator
from dataclasses import dataclass

from tutor.book.glossary import pattern
from tutor.book.load import Library
from tutor.book.texts import Entry
from tutor.teach.rulings import sentences


@dataclass(frozen=True)
class Meaning:
    """What a term means in one game."""

    game: str
    rule: Entry
    text: str
    """Plain text: a sentence, or two where only the second names the term."""

    @property
    def paragraph(self) -> str:
        return self.rule.plain.partition("\n")[0]


def meanings(library: Library, name: str, lang: str) -> Iterator[Meaning]:
    """What a term means, game by game."""
    term = library.terms[name]
    forms = pattern(term.words[lang].begins)
    for game, rule in term.rules.items():
        entry = library.texts[game][lang].entries[rule]
        first, *rest = sentences(entry.plain.partition("\n")[0])
        # “They are your rivals” says nothing without the sentence before it.
        named = rest[:1] if rest and not forms.search(first) and forms.search(rest[0]) else []
        yield Meaning(game, entry, " ".join([first, *named]))
