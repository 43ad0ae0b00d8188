"""What is told of a match in one language, as one seat may know it: what happened, the rules that came up,
and in the end what decided. No addresses and no templates here."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from babel.numbers import format_percent

from tutor.book.texts import Entry, Texts
from tutor.book.words import Words
from tutor.lessons.course import Course
from tutor.play.bots import Brain, look
from tutor.play.match import Match, Turn, rate_all
from tutor.rules.base import CHANCE, Move, State

MOST_WISHES = 12
"""Shown, the likeliest first."""
OPEN_CARDS = 2
"""Rules that are told in full when they first matter; more at once go by their titles."""


@dataclass(frozen=True)
class Line:
    """A move as it is told, and the rule that allowed it."""

    text: str
    rule: Entry | None
    seat: int
    count: int = 1
    """How often it happened, one after the other."""


@dataclass(frozen=True)
class Cards:
    """The rules that decide something for the first time: in full, or by their titles."""

    full: tuple[Entry, ...]
    brief: tuple[Entry, ...]
    met: int
    all: int


@dataclass(frozen=True)
class Hint:
    """A good move, and one true reason for it."""

    move: Move
    text: str
    why: str


@dataclass(frozen=True)
class Odds:
    """Something to hope for, and how likely it is."""

    text: str
    percent: str
    exact: Fraction


@dataclass(frozen=True)
class Mistake:
    """What a person let pass most often, told as it should have been seen, and where it cost most."""

    text: str
    count: int
    before: State
    best: str


def _percent(share: Fraction, lang: str) -> str:
    """To a whole number, but never 0 or 100 for what may or may not be."""
    if share == 1:
        return format_percent(1, locale=lang)
    tenths = min(max(round(share * 1000), 1), 999) / 1000
    return format_percent(tenths, "#,##0.#%" if tenths < 0.1 or tenths > 0.99 else None, locale=lang)


class Teller:
    """Tells one match to one seat in one language; CHANCE is somebody who only looks on."""

    def __init__(self, course: Course, match: Match, lang: str, seat: int) -> None:
        self.course = course
        self.match = match
        self.seat = seat
        self.texts: Texts = course.texts[lang]
        self.words: Words = course.words_at(lang, match.state)

    def tell(self, turns: Sequence[Turn]) -> list[Line]:
        """Moves in their order. Of what is hidden from the seat, only that it happened."""
        found: list[Line] = []
        for line in map(self._line, turns):
            if found and found[-1].text == line.text:
                found[-1] = replace(line, count=found[-1].count + 1)
            else:
                found.append(line)
        return found

    def _line(self, turn: Turn) -> Line:
        game = self.match.game
        if self.match.over:  # nothing is hidden any more
            deed = game.tell(turn.before, turn.move)
        else:
            seen = game.seen_by(turn.before, turn.move, self.seat)
            deed = game.tell(game.view(turn.before, self.seat), seen)
        rule = next((self.texts.entries[one] for one in turn.rules if one in self.texts.entries), None)
        return Line(self.words.say_deed(deed), rule, turn.move.seat)

    @property
    def since(self) -> tuple[Turn, ...]:
        """What has happened since the seat last made a move, that move included. How tiles are dealt before
        anybody acts is not worth telling."""
        acted = [i for i, turn in enumerate(self.match.turns) if turn.move.seat != CHANCE]
        own = [i for i in acted if self.match.turns[i].move.seat == self.seat]
        return self.match.turns[own[-1] :] if own else self.match.turns[acted[0] :] if acted else ()

    def find_cards(self, known: frozenset[str], version: int) -> Cards:
        """The rules that first decided something after a version. What the reader has `known` from a lesson
        goes by its title."""
        entries = self.texts.entries
        news = [
            entries[rule] for rule, since in self.match.met.items() if since >= version and rule in entries
        ]
        fresh = [entry for entry in news if entry.id not in known]
        full = tuple(fresh[:OPEN_CARDS])
        brief = tuple(entry for entry in news if entry not in full)
        every = [rule for rule in self.match.game.rules if rule in entries]
        return Cards(full, brief, sum(rule in self.match.met for rule in every), len(every))

    def never_met(self) -> list[Entry]:
        """The rules of this game that did not come up."""
        entries = self.texts.entries
        return [
            entries[rule] for rule in self.match.game.rules if rule in entries and rule not in self.match.met
        ]

    def list_odds(self, brain: Brain) -> list[Odds]:
        """What the seat can hope for, with its exact chance."""
        sight = look(self.match.game, self.match.state, self.seat)
        return [
            Odds(self.words.phrase(one.phrase, **one.args), _percent(one.odds, self.words.lang), one.odds)
            for one in brain.list_wishes(sight)[:MOST_WISHES]
            if one.odds
        ]

    def hint(self, brain: Brain) -> Hint | None:
        """What a good player would do; None where there is nothing to choose."""
        sight = look(self.match.game, self.match.state, self.seat)
        if not sight.moves:
            return None
        best, _ = rate_all(brain, sight, self.match.dice_for_hints)
        return Hint(best, self._say(sight.state, best), self._say_pattern(brain.match_patterns(sight, best)))

    def _say(self, state: State, move: Move) -> str:
        return self.words.say_deed(self.match.game.tell(state, move))

    def _say_pattern(self, patterns: Sequence[str]) -> str:
        return self.words.phrase(f"hint-{patterns[0]}") if patterns else ""

    def find_mistake(self, brain: Brain) -> Mistake | None:
        """The one that recurred, or else the one that cost most."""
        lost = [turn for turn in self.match.turns if turn.move.seat == self.seat and turn.missed]
        if not lost:
            return None
        counts = Counter(turn.missed for turn in lost)
        cost = {name: sum(turn.lost for turn in lost if turn.missed == name) for name in counts}
        name = max(counts, key=lambda one: (counts[one], cost[one]))
        worst = max((turn for turn in lost if turn.missed == name), key=lambda turn: turn.lost)
        sight = look(self.match.game, worst.before, self.seat)
        best, _ = rate_all(brain, sight, self.match.dice_for_hints)
        return Mistake(
            self.words.phrase(f"hint-{name}"), counts[name], worst.before, self._say(worst.before, best)
        )

    def group_legal(self) -> list[tuple[Entry | None, list[tuple[Move, str]]]]:
        """What the seat may do, by the rule that allows it. Moves that are told alike are one."""
        game, view = self.match.game, self.match.game.view(self.match.state, self.seat)
        found: dict[str, dict[str, Move]] = {}
        for move in look(game, self.match.state, self.seat).moves:
            rules = [one.rule for one in game.judge(self.match.state, move).reasons]
            rule = next((one for one in rules if one in self.texts.entries), "")
            found.setdefault(rule, {}).setdefault(self._say(view, move), move)
        return [
            (self.texts.entries.get(rule), [(move, text) for text, move in moves.items()])
            for rule, moves in found.items()
        ]

    def export(self) -> Iterator[str]:
        """The whole match as a line that `tutor referee` replays."""
        yield from (self.match.game.format_move(turn.move) for turn in self.match.turns)

    @property
    def name(self) -> str:
        """Of the seat."""
        return self.words.word(f"p{self.seat}") if self.seat != CHANCE else ""
