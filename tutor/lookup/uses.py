"""Where pieces matter, found in the content: texts that name them and scenarios in which they are used."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from tutor.book.model import Block
from tutor.book.scenario import PlayedStep
from tutor.book.words import Words
from tutor.lessons.course import Course
from tutor.lookup.piece import Piece
from tutor.rules.base import Value

LANGUAGES_THAT_NAME = 2
"""A text speaks of a piece if its name is found in this many languages: one alone may have it by chance,
as English has its `well`, and another may inflect it."""
KINDS_OF_A_GENERAL_RULE = 3
"""A rule that is cited for this many kinds of pieces says nothing about one of them."""
MOST_EXAMPLES = 4


def with_uses(course: Course, lang: str, listed: Sequence[Piece]) -> tuple[Piece, ...]:
    """The pieces of a game with what touches them: nobody types that, it is found."""
    uses = Uses(course, listed)
    entries = course.texts[lang].entries

    def with_titles(ids: list[str]) -> tuple[tuple[str, str], ...]:
        return tuple((name, entries[name].title) for name in ids)

    return tuple(
        replace(
            piece,
            rules=with_titles(uses.rules(piece)),
            rulings=with_titles(uses.rulings(piece)),
            examples=tuple(
                (f"{scenario}/{step}", course.tell(scenario, step, lang).title)
                for scenario, step in uses.examples(piece)
            ),
        )
        for piece in listed
    )


class Uses:
    """What touches each of the pieces of a game; the same in every language."""

    def __init__(self, course: Course, listed: Sequence[Piece]) -> None:
        self._course = course
        owner = {word: piece for piece in listed for word in piece.words}
        self._named = _find_mentions(course, listed)
        self._named_by_kind: defaultdict[str, set[str]] = defaultdict(set)
        for piece in listed:
            self._named_by_kind[piece.kind] |= self._named[piece.id]
        self._steps: defaultdict[str, dict[str, str]] = defaultdict(dict)
        cited: defaultdict[str, set[str]] = defaultdict(set)
        for scenario, run in course.runs.items():
            for step, played in run.steps.items():
                for word, rules in _find_pieces(course, played, owner.keys()).items():
                    self._steps[owner[word].id].setdefault(scenario, step)
                    cited[owner[word].id] |= rules
        self._cited = _telling(listed, cited)

    def rules(self, piece: Piece) -> list[str]:
        """In the order of the rulebook: those that name it, and those that the engine cites for its use."""
        found = self._named[piece.id] | self._cited[piece.id]
        return [block.id for block in self._blocks("rule") if block.id in found]

    def rulings(self, piece: Piece) -> list[str]:
        """Those that name it; and where their rule does, those that name no other piece of its kind."""
        named = self._named[piece.id]
        others = self._named_by_kind[piece.kind] - named
        rulings = self._course.book.facts.rulings
        return [
            block.id
            for block in self._blocks("ruling")
            if block.id in named or (rulings[block.id].rule in named and block.id not in others)
        ]

    def examples(self, piece: Piece) -> list[tuple[str, str]]:
        """The first step of each scenario that uses it; first come those that name it, and told ones."""
        first = self._steps[piece.id]
        named = self._named[piece.id]
        told = {block.id for block in self._blocks("example")}
        order = sorted(first, key=lambda name: (name not in named, name not in told))
        return [(name, first[name]) for name in order[:MOST_EXAMPLES]]

    def _blocks(self, kind: str) -> Iterator[Block]:
        """Blocks of a kind that are shown."""
        rules = self._course.book.facts.rules
        for section in self._course.book.outline:
            for block in section.blocks:
                if block.kind == kind and not (kind == "rule" and rules[block.id].technical):
                    yield block


def spellings(piece: Piece, words: Words) -> set[str]:
    """The names of a piece in all their forms; a number or letter has none that could be searched for."""
    entries = [words.ids[word] for word in piece.words if word in words.ids]
    names = {name for forms in entries for name in ([forms] if isinstance(forms, str) else forms.values())}
    return {name for name in names if len(name) > 1}


def _find_mentions(course: Course, listed: Sequence[Piece]) -> dict[str, set[str]]:
    """The blocks of the rulebook that speak of each piece."""
    texts = {
        lang: {block.id: _text(block) for block in rulebook.blocks.values()}
        for lang, rulebook in course.book.rulebooks.items()
    }
    found: dict[str, set[str]] = {}
    for piece in listed:
        languages: Counter[str] = Counter()
        for lang, blocks in texts.items():
            names = spellings(piece, course.book.words[lang])
            if names:
                pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)")
                languages.update(block for block, text in blocks.items() if pattern.search(text))
        found[piece.id] = {block for block, count in languages.items() if count >= LANGUAGES_THAT_NAME}
    return found


def _telling(listed: Sequence[Piece], cited: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The rules that say something of each piece: not those for pieces of all kinds, and for all pieces of a
    kind those that are cited for at least half of its used ones."""
    kinds = {piece.id: piece.kind for piece in listed}
    used = Counter(kinds[name] for name, rules in cited.items() if rules)
    uses = Counter((kinds[name], rule) for name, rules in cited.items() for rule in rules)
    spread = Counter(rule for _, rule in uses)
    return {
        name: {
            rule
            for (of_kind, rule), count in uses.items()
            if spread[rule] < KINDS_OF_A_GENERAL_RULE
            and of_kind == kind
            and (rule in cited.get(name, ()) or 2 * count >= used[kind])
        }
        for name, kind in kinds.items()
    }


def _text(block: Block) -> str:
    sentences = [*block.body, *(block.lines or {}).values()]
    return " ".join([block.title, *(sentence.source for sentence in sentences)])


def _find_pieces(course: Course, step: PlayedStep, words: Set[str]) -> dict[str, set[str]]:
    """The pieces of a step: those that its moves name, with the rules that allowed these moves, those whose
    facts it changes, and those that a fact is about (whom one fights)."""
    game = course.book.game
    found: defaultdict[str, set[str]] = defaultdict(set)
    state = step.before
    for text in step.file.play:
        move = game.parse_move(text)
        cited = {reason.rule for reason in game.judge(state, move).reasons}
        for word in words & set(_ids(game.tell(state, move).args)):
            found[word] |= cited
        state = game.play(state, move)
    before = game.facts(step.before)
    changed = {
        part for name, value in step.facts.items() if value != before.get(name) for part in name.split(".")
    }
    about = {value for value in step.facts.values() if isinstance(value, str)}
    for word in words & (changed | about):
        found[word] |= set()
    return found


def _ids(args: Mapping[str, Value]) -> Iterator[str]:
    for value in args.values():
        if isinstance(value, tuple):
            yield from value
        elif isinstance(value, str):
            yield value
