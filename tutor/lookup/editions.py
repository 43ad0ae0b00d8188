"""Printed editions that differ: the notes on each, and the scenarios that come out otherwise with another.

Where an engine has an option `edition`, every scenario is played with each of its values and compared.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from tutor.book.scenario import PlayedStep
from tutor.book.texts import Entry
from tutor.lessons.course import Course
from tutor.rules.base import Game, State, Value

OPTION = "edition"


def boxes(course: Course) -> tuple[str, ...]:
    """The printings that notes speak of, in the order of the content; one of them may be on the table."""
    return tuple(
        dict.fromkeys(name for note in course.book.facts.editions.values() for name in note.editions)
    )


def notes(course: Course, lang: str) -> tuple[Entry, ...]:
    """All notes on editions, in the order of the rulebook."""
    return tuple(entry for entry in course.texts[lang].entries.values() if entry.kind == "edition")


def notes_on(course: Course, rules: Collection[str], box: str) -> tuple[str, ...]:
    """The notes on one box that are about some rules."""
    facts = course.book.facts.editions
    return tuple(name for name, note in facts.items() if note.rule in rules and box in note.editions)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a step comes out with one edition."""

    verdicts: tuple[tuple[bool, str], ...]
    """For each move that is tried: whether it is allowed, and the rule that decides."""
    scores: Mapping[str, Value]
    """By player: p1, p2 ..."""
    winners: tuple[str, ...]
    decided: str
    """The rule that decides who wins; "" while the game goes on."""


@dataclass(frozen=True, slots=True)
class Change:
    """A step of a scenario that comes out differently with each edition."""

    scenario: str
    step: str
    endings: Mapping[str, Ending]

    @property
    def over(self) -> bool:
        return any(ending.decided for ending in self.endings.values())

    @property
    def other_winner(self) -> bool:
        return len({ending.winners for ending in self.endings.values()}) > 1

    @property
    def other_verdict(self) -> bool:
        return len({ending.verdicts for ending in self.endings.values()}) > 1


def changes(course: Course) -> tuple[Change, ...]:
    """For each scenario with a difference its last such step; first those with another verdict or winner,
    then the other finished games."""
    game = course.book.game
    if OPTION not in game.options:
        return ()
    players = game.options["players"].usual(0)
    option = game.options[OPTION]
    editions = (option.usual(players), *option.others(players))
    found: dict[str, Change] = {}
    for scenario, run in course.runs.items():
        for step, played in run.steps.items():
            endings = {edition: _ending(game, played, edition) for edition in editions}
            if any(ending != endings[editions[0]] for ending in endings.values()):
                found[scenario] = Change(scenario, step, endings)
    return tuple(
        sorted(found.values(), key=lambda one: (not one.other_verdict, not one.other_winner, not one.over))
    )


def _ending(game: Game, step: PlayedStep, edition: str) -> Ending:
    state = _with_edition(game, step.before, edition)
    verdicts = []
    for text in (*step.file.play, step.file.refuse, *step.file.choose):
        if not text:
            continue
        move = game.parse_move(text)
        verdict = game.judge(state, move)
        verdicts.append((verdict.ok, verdict.reasons[0].rule))
        if step.file.play:
            if not verdict.ok:
                break
            state = game.play(state, move)
    ended = game.outcome(state)
    return Ending(
        tuple(verdicts),
        dict(_scores(game.facts(state))),
        tuple(f"p{seat}" for seat in ended.winners) if ended else (),
        ended.reason if ended else "",
    )


def _scores(facts: Mapping[str, Value]) -> Iterator[tuple[str, Value]]:
    for name, value in facts.items():
        fact, _, player = name.partition(".")
        if fact == "score" and "." not in player:
            yield player, value


def _with_edition(game: Game, state: State, edition: str) -> State:
    """The position under another edition; the text of a position carries its options."""
    if game.agreed(state)[OPTION] == edition:
        return state
    words = [word for word in game.format_position(state).split() if not word.startswith(f"{OPTION}=")]
    return game.parse_position(" ".join([*words, f"{OPTION}={edition}"]))
