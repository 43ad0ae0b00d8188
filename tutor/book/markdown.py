"""Reads a rulebook: Markdown with ids on its headings and a few fenced blocks.

    ## Title {#id}
    ::: rule border.first.open
    ### Title
    One or two sentences.
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

from tutor.book.model import Block, Kind, Rulebook, Section
from tutor.book.source import Problem
from tutor.book.words import MissingWord, Sentence

KINDS = ("rule", "example", "ruling", "edition")
_SECTION = re.compile(r"## (.+?) \{#([a-z0-9-]+)\}")
_FENCE = re.compile(r"::: ([a-z]+) ([a-z0-9.-]+)")
_STEP = re.compile(r"- ([a-z0-9-]+!?): (.+)")


class Reader:
    """Reads one file from top to bottom and keeps the problems it meets."""

    def __init__(self, path: Path, source: str) -> None:
        self.path = path
        self.lines = source.splitlines()
        self.problems: list[Problem] = []

    def problem(self, line: int, text: str) -> None:
        self.problems.append(Problem(self.path, line, text))

    def title(self, line: int, text: str) -> str:
        if "{" in text:
            self.problem(line, "a title is shown as it is: it cannot have placeholders")
        return text.strip()

    def sentences(self, lines: list[tuple[int, str]]) -> tuple[Sentence, ...]:
        """One sentence object a paragraph."""
        found: list[Sentence | None] = []
        for empty, paragraph in groupby(lines, lambda line: not line[1].strip()):
            if not empty:
                (first, start), *rest = paragraph
                text = " ".join([start.strip(), *(more.strip() for _, more in rest)])
                found.append(self.sentence(first, text))
        return tuple(sentence for sentence in found if sentence)

    def sentence(self, line: int, text: str) -> Sentence | None:
        try:
            return Sentence(text, line)
        except MissingWord as error:
            self.problem(line, f"cannot read the placeholder {{{error}}}")
            return None

    def opened(
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
        why = None
        steps: dict[str, Sentence] = {}
        rest = []
        for number, text in lines:
            step = _STEP.fullmatch(text)
            if text.startswith("### "):
                title = self.title(number, text[4:])
            elif text.startswith("why: "):
                why = self.sentence(number, text[5:].strip())
            elif kind == "example" and step:
                sentence = self.sentence(number, step[2])
                if step[1] in steps:
                    self.problem(number, f"{name} tells step {step[1]} twice")
                if sentence:
                    steps[step[1]] = sentence
            else:
                rest.append((number, text))
        if not title and kind != "edition":
            self.problem(line, f"{kind} {name} has no title")
        body = self.sentences(rest)
        if not body and kind != "example":
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
    reader = Reader(path, source)
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
            fence, inside = reader.opened(number, opening[1], opening[2], drafts, seen), []
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
