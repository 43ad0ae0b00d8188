"""Reads a rulebook: Markdown with ids on its headings and a few fenced blocks.

    ## Title {#id}
    ::: rule border.first.open
    ### Title
    One or two sentences.
    why: the sentence shown when the rule refuses a move, with {placeholders}
    :::

Blocks are rule, example (its lines are `- step: sentence`), ruling and edition. Anything else is a problem.
"""

import re
from pathlib import Path
from typing import cast

from tutor.book.model import Block, Kind, Problem, Rulebook, Section
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

    def sentences(self, lines: list[tuple[int, str]]) -> tuple[Sentence, ...]:
        """One sentence object a paragraph."""
        paragraphs: list[list[str]] = [[]]
        for _, text in lines:
            if text.strip():
                paragraphs[-1].append(text.strip())
            elif paragraphs[-1]:
                paragraphs.append([])
        found = []
        for words in filter(None, paragraphs):
            sentence = self.sentence(lines[0][0], " ".join(words))
            if sentence:
                found.append(sentence)
        return tuple(found)

    def sentence(self, line: int, text: str) -> Sentence | None:
        try:
            return Sentence(text)
        except MissingWord as error:
            self.problem(line, f"cannot read the placeholder {{{error}}}")
            return None

    def block(self, kind: str, name: str, line: int, lines: list[tuple[int, str]]) -> Block:
        title = ""
        why = None
        steps: dict[str, Sentence] = {}
        rest = []
        for number, text in lines:
            step = _STEP.fullmatch(text)
            if text.startswith("### "):
                title = text[4:].strip()
            elif text.startswith("why: "):
                why = self.sentence(number, text[5:].strip())
            elif kind == "example" and step:
                sentence = self.sentence(number, step[2])
                if step[1] in steps:
                    self.problem(number, f"step {step[1]} stands twice")
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


def read(path: Path, lang: str, source: str) -> tuple[Rulebook, list[Problem]]:
    """The rulebook of a file, with the problems of its form."""
    reader = Reader(path, source)
    title = ""
    lead: list[tuple[int, str]] = []
    sections: list[tuple[str, str, int, list[tuple[int, str]], list[Block]]] = []
    fence: tuple[str, str, int] | None = None
    inside: list[tuple[int, str]] = []
    seen: set[str] = set()
    for number, text in enumerate(reader.lines, 1):
        heading, opening = _SECTION.fullmatch(text), _FENCE.fullmatch(text)
        if fence:
            if text.strip() == ":::":
                sections[-1][4].append(reader.block(*fence, inside))
                fence = None
            elif opening or heading:
                reader.problem(number, f"{fence[0]} {fence[1]} is not closed")
                fence = None
            else:
                inside.append((number, text))
        elif opening:
            kind, name = opening.groups()
            if kind not in KINDS:
                reader.problem(number, f"unknown block {kind}")
            elif not sections:
                reader.problem(number, f"{kind} {name} stands before the first section")
            else:
                fence, inside = (kind, name, number), []
            if name in seen:
                reader.problem(number, f"{name} stands twice")
            seen.add(name)
        elif heading:
            sections.append((heading[2], heading[1], number, [], []))
        elif text.startswith("# "):
            title = text[2:].strip()
        elif text.startswith((":::", "#")):
            reader.problem(number, f"cannot read: {text.strip()}")
        else:
            (sections[-1][3] if sections else lead).append((number, text))
    if fence:
        reader.problem(len(reader.lines), f"{fence[0]} {fence[1]} is not closed")
    if not title:
        reader.problem(1, "no title")
    made = tuple(
        Section(name, heading_text, reader.sentences(text) if text else (), tuple(blocks), line)
        for name, heading_text, line, text, blocks in sections
    )
    return Rulebook(lang, title, reader.sentences(lead) if lead else (), made, path), reader.problems
