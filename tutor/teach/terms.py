"""What a term means in each of its games: as terms.toml says, or else the beginning of its rule."""

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
    """Plain text: a sentence, or two."""
    paragraph: str
    """Where there is room for more."""


def meanings(library: Library, name: str, lang: str) -> Iterator[Meaning]:
    """What a term means, game by game."""
    term = library.terms[name]
    forms = pattern(term.words[lang].begins)
    for game, rule in term.rules.items():
        entry = library.texts[game][lang].entries[rule]
        if game in term.means:
            own = term.means[game][lang]
            yield Meaning(game, entry, own, own)
            continue
        paragraph = entry.plain.partition("\n")[0]
        first, *rest = sentences(paragraph)
        # “There are no wild faces” says nothing without the sentence before it.
        named = rest[:1] if rest and not forms.search(first) and forms.search(rest[0]) else []
        yield Meaning(game, entry, " ".join([first, *named]), paragraph)
