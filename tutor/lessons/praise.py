"""Whether what a task says is true however it ends: every accepted ending is played, and its sentence read.

Names and numbers that the engine fills in are true by themselves, so only what an author typed is read.
"""

import random
import re
from collections.abc import Collection, Iterator

from tutor.book.load import Library
from tutor.book.model import GameBook
from tutor.book.scenario import PlayedStep, Run, values_of
from tutor.book.source import Problem
from tutor.book.stems import stems
from tutor.book.stems import words as split
from tutor.book.words import Sentence, Words
from tutor.lessons.practice import Attempt, attempt, find_due_move
from tutor.rules.base import Deed, Game

Thing = tuple[str, str]
"""What something is to a deed (a card, the old one, a place) and its name."""
PRAISE = "!"
THROWS_TRIED = 3
"""How many random throws are tried where a scenario scripts none."""
_FIELD = re.compile(r"\{[^}]*\}")
_PLACE = re.compile(r"[A-Z]\d+")


def check_praise(library: Library) -> Iterator[Problem]:
    """Every sentence of every task that is not true of all that the task accepts."""
    for name, book in library.games.items():
        for run in library.runs[name].values():
            for step in run.steps.values():
                if step.kind == "do":
                    yield from find_untrue(book, run, step)


def endings(game: Game, step: PlayedStep) -> tuple[list[Attempt], set[Deed]]:
    """All ways to reach a task's goal that differ in what they lead to, and all that can be done on the way.

    What is said at once (several spaces) is the same as its parts, one after the other.
    """
    found: dict[tuple[object, ...], Attempt] = {}
    deeds: list[Deed] = []
    todo: list[tuple[str, ...]] = [()]
    seen: set[object] = set()
    while todo:
        for tried in _settle(game, step, todo.pop()):
            if tried.met:
                found.setdefault((tried.state, *sorted(map(str, tried.deeds))), tried)
            if tried.met or tried.off or tried.state in seen:
                continue
            seen.add(tried.state)
            for move in game.moves(tried.state):
                if move.seat == step.seat:
                    deeds.append(game.tell(tried.state, move))
                    todo.append((*tried.played, game.format_move(move)))
    return list(found.values()), set(deeds)


def _settle(game: Game, step: PlayedStep, moves: tuple[str, ...]) -> list[Attempt]:
    """What came of the moves once chance and the others have acted, in all the ways that are looked at."""
    tried = attempt(game, step, moves)
    throws = [find_due_move(game, step, tried, random.Random(seed)) for seed in range(THROWS_TRIED)]  # nosec B311
    follows = {throw for throw in throws if throw}
    if not follows:
        return [tried]
    return [one for throw in sorted(follows) for one in _settle(game, step, (*tried.played, throw))]


def find_untrue(book: GameBook, run: Run, step: PlayedStep) -> Iterator[Problem]:
    ends, deeds = endings(book.game, step)
    things = {thing for deed in deeds for thing in _things(deed)}
    named_in: dict[str, set[str]] = {}
    for lang, rulebook in book.rulebooks.items():
        block = rulebook.blocks.get(run.scenario.id)
        words = book.words[lang]
        for suffix in ("", PRAISE):
            sentence = ((block.lines or {}) if block else {}).get(step.file.id + suffix)
            if sentence is None:
                continue
            typed = _FIELD.sub(" ", sentence.source)
            named = {thing for thing in things if _names(typed, thing[1], words)}
            faults = {fault for end in ends for fault in _find_differences(end, named)}
            if suffix == PRAISE:
                faults |= set(_find_unfilled(sentence, ends, run, step))
                faults |= set(_typed_numbers(typed, words)) if len(ends) > 1 else set()
            else:
                named_in[lang] = {name for _, name in named}
            for fault in sorted(faults):
                text = f"{run.scenario.id}/{step.file.id}{suffix}: {fault}"
                yield Problem(rulebook.path, sentence.line, text)
    everywhere = set().union(*named_in.values())
    for lang, named_here in named_in.items():
        for name in sorted(everywhere - named_here):
            text = f"{step.file.id}: the task names {name} in other languages, not in {lang}"
            yield Problem(run.scenario.path, run.scenario.line(step.file.id), text)


def _find_differences(end: Attempt, named: Collection[Thing]) -> Iterator[str]:
    """Where an ending differs from what a text says: another card, or another place."""
    done = {thing for deed in end.deeds for thing in _things(deed)}
    for role in sorted({role for role, _ in named}):
        said = {name for of, name in named if of == role}
        here = {name for of, name in done if of == role}
        if here and not here & said:
            yield f"says {', '.join(sorted(said))}, but {'; '.join(end.played)} will do as well"


def _find_unfilled(
    sentence: Sentence, ends: Collection[Attempt], run: Run, step: PlayedStep
) -> Iterator[str]:
    """Values that an ending does not have: those of the scenario would be told instead."""
    always = values_of(step, len(run.scenario.file.players)).keys() - step.facts.keys()
    for name in sorted(sentence.names - always):
        if any(name not in end.facts for end in ends):
            yield f"there is no {name} after every ending"


def _things(deed: Deed) -> set[Thing]:
    """What a deed is done with, and where: ids and numbers, each in its role."""
    found = {("at", place) for place in deed.at}
    for role, value in deed.args.items():
        found |= {(role, name) for name in (value if isinstance(value, tuple) else (str(value),))}
    return {(role, name) for role, name in found if not re.fullmatch(r"p[1-9]|[A-Z]?", name)}


def _names(text: str, name: str, words: Words) -> bool:
    """Whether a text names a thing, in whatever case. A card may go by the first word of its name."""
    if name.isdecimal() or _PLACE.fullmatch(name):
        return name in split(text)
    if name not in words.ids:
        return False
    parts = stems(words.word(name), words.lang)
    if words.word(name)[0].islower() and len(parts) > 1:
        return False  # described rather than named, and there are many ways to do that
    return parts[0] in stems(text, words.lang)


def _typed_numbers(text: str, words: Words) -> Iterator[str]:
    """The numbers from two on that an author typed."""
    spelled = {
        form
        for count, forms in words.numerals.items()
        for form in ([forms] if isinstance(forms, str) else forms.values())
        if count != "1"
    }
    for word in split(text):
        if word.isdecimal() or word.lower() in spelled:
            yield f"says {word}, but the task can end in several ways: let the engine count"
