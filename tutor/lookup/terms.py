"""What a term means in each of its games: as terms.toml says, or else the beginning of its rule."""

from collections.abc import Iterator
from dataclasses import dataclass

from tutor.book.load import Library
from tutor.book.texts import Entry
from tutor.book.words import typeset
from tutor.lookup.rulings import sentences


@dataclass(frozen=True)
class Meaning:
    """What a term means in one game."""

    game: str
    rule: Entry
    text: str
    """Plain text: a sentence, or two."""
    paragraph: str
    """Where there is room for more."""


def meanings(library: Library, name: str, lang: str) -> Iterator[Meaning]:
    """What a term means, game by game."""
    term = library.terms[name]
    for game, rule in term.rules.items():
        entry = library.texts[game][lang].entries[rule]
        if game in term.means:
            own = typeset(term.means[game][lang], lang)
            yield Meaning(game, entry, own, own)
            continue
        paragraph = entry.plain.partition("\n")[0]
        yield Meaning(game, entry, sentences(paragraph)[0], paragraph)
