"""Rulings: the questions of a table, each with its short answer, its rule and an example that proves it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tutor.book.particulars import particular_to
from tutor.book.scenario import PlayedStep, line_of_play
from tutor.book.texts import Entry
from tutor.book.words import LANGUAGES
from tutor.lessons.course import Course

_CLOSING = "".join(re.escape(mark) for lang in LANGUAGES for _, mark in particular_to(lang).quotes)
_SENTENCE = re.compile(rf"[.!?][{_CLOSING})]*(?= (\S))")
"""The end of a sentence, with the letter that follows: a small one goes on with the same sentence."""
_TAG = re.compile(r"<(/?)\w+[^>]*>")


@dataclass(frozen=True)
class Subject:
    """A section of the rulebook with the questions about its rules: each rule with its rulings."""

    id: str
    title: str
    rules: tuple[tuple[Entry, tuple[Entry, ...]], ...]


def slugs(course: Course) -> Mapping[str, str]:
    """The rulings by what their addresses call them."""
    return {slug(course.book.id, name): name for name in course.book.facts.rulings}


def slug(game: str, ruling: str) -> str:
    return ruling.removeprefix(f"{game}.ruling.")


def subjects(course: Course, lang: str) -> Iterator[Subject]:
    """All rulings in the order of the rules that they are about."""
    texts = course.texts[lang]
    for part in texts.parts:
        rules = [
            (entry, tuple(texts.entries[name] for name, _ in entry.related))
            for entry in part.entries
            if entry.kind == "rule" and entry.related
        ]
        if rules:
            yield Subject(part.id, part.title, tuple(rules))


def short_answer(entry: Entry) -> tuple[str, str]:
    """The first sentence of an answer, and the rest of that paragraph (HTML)."""
    first, *rest = sentences(entry.paragraphs[0])
    return first, " ".join(rest)


def sentences(paragraph: str) -> list[str]:
    """A paragraph of HTML in its sentences; what is marked is not torn apart."""
    found, begin = [], 0
    for end in _SENTENCE.finditer(paragraph):
        tags = _TAG.findall(paragraph[begin : end.end()])
        if tags.count("") == tags.count("/") and not end[1].islower():
            found.append(paragraph[begin : end.end()])
            begin = end.end() + 1
    return [*found, paragraph[begin:]]


def proof(course: Course, ruling: str) -> tuple[str, tuple[str, ...]]:
    """The scenario that proves an answer, and its steps that are shown: what was played, and the last."""
    facts = course.book.facts.rulings[ruling]
    scenario, _, step = facts.proof.partition("/")
    return scenario, line_of_play(course.runs[scenario], facts.since or step, step)


def names_rule(step: PlayedStep, rule: str) -> bool:
    """Whether a step shows a rule that its verdicts do not cite, since no move could break it."""
    return rule in step.file.shows and rule not in {*step.cited, *(reason.rule for reason in step.reasons)}


def questions(
    course: Course, lang: str, rules: Iterable[str], scenario: str = "", step: str = ""
) -> tuple[tuple[str, str], ...]:
    """The rulings (id and question) about these rules, and about what a step shows or proves."""
    wanted = set(rules)
    if scenario:
        played = course.runs[scenario].steps[step]
        wanted |= {*played.file.shows, *(reason.rule for reason in played.reasons)}
    return tuple(
        (name, course.texts[lang].entries[name].title)
        for name, facts in course.book.facts.rulings.items()
        if facts.rule in wanted or facts.proof == f"{scenario}/{step}"
    )
