"""Reads a rulebook: Markdown with ids on its headings and a few fenced blocks.

    ## Title {#id}
    ::: rule border.first.open
    ### Title
    One or two sentences.
    why have=0: what is shown instead where that is so (see `guard`); any number of these, then
    why: the sentence shown when the rule refuses a move, with {placeholders}
    :::

Blocks are rule, example (its lines are `- step: sentence`), ruling and edition. Below the title comes a lead
that says what the game is. Anything else is a problem.
"""

import re
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import cast

from tutor.book.guard import Guard
from tutor.book.model import Block, Kind, Rulebook, Section
from tutor.book.source import Problem
from tutor.book.words import Case, MissingWord, Sentence, typeset

KINDS = ("rule", "example", "ruling", "edition")
_SECTION = re.compile(r"## (.+?) \{#([a-z0-9-]+)\}")
_FENCE = re.compile(r"::: ([a-z]+) ([a-z0-9.-]+)")
_STEP = re.compile(r"- ([a-z0-9-]+[!?]?): (.+)")
_WHY = re.compile(r"why(?: ([^:]+))?: (.+)")


class Reader:
    """Reads one file from top to bottom and keeps the problems it meets."""

    def __init__(self, path: Path, lang: str, source: str) -> None:
        self.path = path
        self.lang = lang
        self.lines = source.splitlines()
        self.problems: list[Problem] = []

    def problem(self, line: int, text: str) -> None:
        self.problems.append(Problem(self.path, line, text))

    def title(self, line: int, text: str) -> str:
        if "{" in text:
            self.problem(line, "a title is shown as it is: it cannot have placeholders")
        return typeset(text.strip(), self.lang)

    def sentences(self, lines: list[tuple[int, str]]) -> tuple[Sentence, ...]:
        """One sentence object a paragraph."""
        found: list[Sentence | None] = []
        for empty, paragraph in groupby(lines, lambda line: not line[1].strip()):
            if not empty:
                (first, start), *rest = paragraph
                text = " ".join([start.strip(), *(more.strip() for _, more in rest)])
                found.append(self.sentence(first, text))
        return tuple(sentence for sentence in found if sentence)

    def sentence(self, line: int, text: str, cases: tuple[Case, ...] = ()) -> Sentence | None:
        try:
            return Sentence(typeset(text.strip(), self.lang), line, cases)
        except MissingWord as error:
            self.problem(line, f"cannot read the placeholder {{{error}}}")
            return None

    def case(self, line: int, guard: str, text: str) -> tuple[Case, ...]:
        """A sentence with its guard; none if it cannot be read."""
        sentence = self.sentence(line, text)
        try:
            return (Case(Guard.parse(guard), sentence),) if sentence else ()
        except ValueError:
            self.problem(line, f"cannot read the guard {guard}")
            return ()

    def read_opening(
        self, line: int, kind: str, name: str, sections: list["Draft"], seen: set[str]
    ) -> tuple[str, str, int]:
        """The opening line of a block, with all that may be wrong about it."""
        if kind not in KINDS:
            self.problem(line, f"unknown block {kind}: there are {', '.join(KINDS)}")
        if not sections:
            self.problem(line, f"{kind} {name} comes before the first section")
            sections.append(Draft("", "", line))
        if name in seen:
            self.problem(line, f"there is another block {name}")
        seen.add(name)
        return kind, name, line

    def block(self, kind: str, name: str, line: int, lines: list[tuple[int, str]]) -> Block:
        title = ""
        why: Sentence | None = None
        cases: tuple[Case, ...] = ()
        steps: dict[str, Sentence] = {}
        rest = []
        for number, text in lines:
            step, because = _STEP.fullmatch(text), _WHY.fullmatch(text)
            if text.startswith("### "):
                title = self.title(number, text[4:])
            elif because and why:
                self.problem(number, f"{name}: the why without a guard is the last one")
            elif because and because[1]:
                cases += self.case(number, because[1], because[2])
            elif because:
                why = self.sentence(number, because[2], cases)
            elif kind == "example" and step:
                sentence = self.sentence(number, step[2])
                if step[1] in steps:
                    self.problem(number, f"{name} tells step {step[1]} twice")
                if sentence:
                    steps[step[1]] = sentence
            else:
                rest.append((number, text))
        # What a rule needs depends on rules.toml: see `check`.
        if not title and kind not in ("edition", "rule"):
            self.problem(line, f"{kind} {name} has no title")
        if cases and not why:
            self.problem(cases[-1].sentence.line, f"{name}: the last why has no guard")
        body = self.sentences(rest)
        if not body and kind not in ("example", "rule"):
            self.problem(line, f"{kind} {name} has no text")
        return Block(cast(Kind, kind), name, title, body, line, why, steps if kind == "example" else None)


@dataclass
class Draft:
    """A section while it is read."""

    id: str
    title: str
    line: int
    lead: list[tuple[int, str]] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)


def read(path: Path, lang: str, source: str) -> tuple[Rulebook, list[Problem]]:
    """The rulebook of a file, with the problems of its form."""
    reader = Reader(path, lang, source)
    title, title_line = "", 1
    lead: list[tuple[int, str]] = []
    drafts: list[Draft] = []
    fence: tuple[str, str, int] | None = None
    inside: list[tuple[int, str]] = []
    seen: set[str] = set()
    for number, text in enumerate(reader.lines, 1):
        heading, opening = _SECTION.fullmatch(text), _FENCE.fullmatch(text)
        if fence and (opening or heading):
            reader.problem(fence[2], f"{fence[0]} {fence[1]} is not closed")
            fence = None
        if fence:
            if text.strip() == ":::":
                if fence[0] in KINDS:
                    drafts[-1].blocks.append(reader.block(*fence, inside))
                fence = None
            else:
                inside.append((number, text))
        elif opening:
            fence, inside = reader.read_opening(number, opening[1], opening[2], drafts, seen), []
        elif heading:
            if heading[2] in [draft.id for draft in drafts]:
                reader.problem(number, f"there is another section {heading[2]}")
            drafts.append(Draft(heading[2], reader.title(number, heading[1]), number))
        elif text.startswith("# "):
            title, title_line = reader.title(number, text[2:]), number
        elif text.startswith((":::", "#")):
            reader.problem(number, f"cannot read: {text.strip()}")
        else:
            (drafts[-1].lead if drafts else lead).append((number, text))
    if fence:
        reader.problem(fence[2], f"{fence[0]} {fence[1]} is not closed")
    if not title:
        reader.problem(1, "no title (# ...)")
    opening_words = reader.sentences(lead)
    if not opening_words:
        reader.problem(title_line, "no lead: say in a sentence or two what the game is, below the title")
    if not drafts:
        reader.problem(title_line, "no section (## ... {#id})")
    sections = tuple(
        Section(one.id, one.title, reader.sentences(one.lead), tuple(one.blocks), one.line) for one in drafts
    )
    return Rulebook(lang, title, opening_words, sections, path), reader.problems
