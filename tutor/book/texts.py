"""A rulebook in one language with all values filled in, once.

Pages, lessons, the referee and the database take the words of a rule from here, so they cannot differ.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tutor.book.model import Block, GameBook, Kind
from tutor.book.words import LANGUAGES, Sentence, Words
from tutor.rules.base import Value, Verdict


@dataclass(frozen=True, slots=True)
class Entry:
    """A rule, example, ruling or edition note."""

    id: str
    kind: Kind
    section: str
    title: str
    paragraphs: tuple[str, ...]
    """HTML, without the <p> around each."""
    plain: str
    basis: str = ""
    editions: str = ""
    """The printed editions that a note speaks of."""
    proof: str = ""
    """scenario/step that proves a ruling."""
    related: tuple[tuple[str, str], ...] = ()
    """The rulings of a rule, the rule of a ruling or of a note on editions: id and title."""
    printings: tuple[str, ...] = ()
    """The ids of the editions that a note speaks of."""


@dataclass(frozen=True, slots=True)
class Part:
    """A section with its entries."""

    id: str
    title: str
    paragraphs: tuple[str, ...]
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Why:
    """One reason of a verdict: the sentence of a refusal, or the title of the rule that allows the move."""

    rule: str
    title: str
    at: tuple[str, ...]
    args: Mapping[str, Value]
    html: str
    text: str
    technical: bool = False
    """The rule is one of these pages, and there is nothing to read about it."""


class Texts:
    """The rulebook of one game in one language."""

    def __init__(self, book: GameBook, lang: str) -> None:
        self._book = book
        self._words = book.words[lang]
        self._values = book.game.facts(book.game.setup({}))
        self._rulebook = book.rulebooks[lang]
        self.lang = lang
        self.title = self._rulebook.title
        self.lead = self._html(self._rulebook.lead)
        self.summary = self._plain(self._rulebook.lead[:1])
        self.ours = tuple(self._words.phrase(key) for key in book.file.ours)
        """What in this game is this project's own invention."""
        self.parts = tuple(
            Part(
                section.id,
                section.title,
                self._html(section.lead),
                tuple(self._entry(block, section.id) for block in section.blocks if self._is_shown(block)),
            )
            for section in self._rulebook.sections
        )
        self.entries = {entry.id: entry for part in self.parts for entry in part.entries}
        self.part_of = {part.id: part for part in self.parts}

    def explain(self, verdict: Verdict, words: Words) -> tuple[Why, ...]:
        """Why a move is allowed or not; `words` may have example players in the seats."""
        return tuple(self._whys(verdict, words))

    def _whys(self, verdict: Verdict, words: Words) -> Iterator[Why]:
        for reason in verdict.reasons:
            block = self._rulebook.blocks[reason.rule]
            html = text = block.title
            if block.why and not verdict.ok:
                html, text = block.why.html(words, reason.args), block.why.text(words, reason.args)
            shown = self._is_shown(block)
            yield Why(reason.rule, block.title, reason.at, reason.args, html, text, technical=not shown)

    def _is_shown(self, block: Block) -> bool:
        return block.kind != "rule" or not self._book.facts.rules[block.id].technical

    def _entry(self, block: Block, section: str) -> Entry:
        facts = self._book.facts
        basis = proof = editions = ""
        related: list[str] = []
        printings: tuple[str, ...] = ()
        if block.kind == "rule":
            basis = facts.rules[block.id].basis
            related = [name for name, ruling in facts.rulings.items() if ruling.rule == block.id]
        elif block.kind == "ruling":
            basis, proof = facts.rulings[block.id].basis, facts.rulings[block.id].proof
            related = [facts.rulings[block.id].rule]
        elif block.kind == "edition":
            printings = facts.editions[block.id].editions
            editions = ", ".join(map(self._edition, printings))
            related = [facts.editions[block.id].rule]
        return Entry(
            block.id,
            block.kind,
            section,
            block.title,
            self._html(block.body),
            self._plain(block.body),
            basis,
            editions,
            proof,
            tuple((name, self._rulebook.blocks[name].title) for name in related),
            printings,
        )

    def printing(self, name: str) -> str:
        """A printed edition in full, as it stands alone."""
        return self._words.phrase(f"edition-{name}") if name in LANGUAGES else self._words.word(name)

    def name_printings(self, note: Entry) -> str:
        """The editions that a note speaks of, in full."""
        return "\u00a0· ".join(map(self.printing, note.printings))

    def _edition(self, name: str) -> str:
        """A printed edition by its language's code, which needs no agreement, or by its name."""
        return name.upper() if name in LANGUAGES else self._words.word(name)

    def _html(self, body: tuple[Sentence, ...]) -> tuple[str, ...]:
        return tuple(sentence.html(self._words, self._values) for sentence in body)

    def _plain(self, body: tuple[Sentence, ...]) -> str:
        return "\n".join(sentence.text(self._words, self._values) for sentence in body)
