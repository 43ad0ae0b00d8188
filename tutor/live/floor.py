"""What the guests of a table say: folded out of the events on its floor."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tutor.live.events import (
    SIGNALS,
    Granted,
    Heard,
    Joined,
    Named,
    OnFloor,
    Signalled,
    Voted,
    read_floor_event,
)
from tutor.live.log import Event
from tutor.live.stage import Stage

MOST_GUESTS = 10_000
"""Guests that a table remembers. Beyond that, those who have been silent longest are forgotten; one who comes
back with a token joins again."""
MANY_WISHES = 5
"""A guest with more wishes than this is listed after the others."""
ROUNDS_KEPT = 12
"""Rounds for which each guest's vote is remembered; of earlier ones only the counts, to save memory."""


@dataclass
class Guest:
    number: int
    """In the order of joining; a guest without a name goes by this number."""
    name: str = ""


@dataclass(frozen=True)
class Wish:
    """Something that a guest has said and the presenter has not noted yet."""

    who: str
    number: int
    name: str
    what: str


@dataclass(frozen=True, order=True)
class Person:
    """Somebody at the table, as the presenter sees them."""

    number: int
    name: str
    who: str


@dataclass(frozen=True)
class Report:
    """What guests have said by now, for a page that is made while they go on talking."""

    version: int
    guests: tuple[Person, ...]
    """Without those who present."""
    remotes: tuple[Person, ...]
    """Those who present beside the owner of the table."""
    votes: Counter[str]
    former: Counter[str]
    """The vote before, if the table votes again."""
    too_fast: int
    wishes: tuple[Wish, ...]


@dataclass
class Floor:
    """Grows with the log. It is read and changed in one thread only; others get what it counts."""

    last: Event | None = None
    """The event that was taken last."""
    whole: bool = False
    """Whether everything in the log has been read, not only a part."""
    guests: dict[str, Guest] = field(default_factory=dict)
    """Whoever has spoken last comes last."""
    joined: int = 0
    votes: dict[int, dict[str, str]] = field(default_factory=dict)
    """Round, guest, what was chosen last."""
    tallies: dict[int, Counter[str]] = field(default_factory=dict)
    """What is left of rounds long ago."""
    signals: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    """Guest and signal: the version at which it was said last, and the beat."""
    heard: int = 0
    spoken: Counter[str] = field(default_factory=Counter)
    """How often each guest has said something."""
    wished: Counter[str] = field(default_factory=Counter)
    """How often each guest has had a question, or wanted to present."""

    @property
    def version(self) -> int:
        return self.last.version if self.last else 0

    def add(self, events: Sequence[Event]) -> None:
        """Applies each event once, even if several readers bring it."""
        for event in events:
            if event.version > self.version:
                self._take(read_floor_event(event.body), event.version)
                self.last = event

    def _take(self, happened: OnFloor | None, version: int) -> None:
        if isinstance(happened, Named | Voted | Signalled):
            self.spoken[happened.who] += 1
            if happened.who in self.guests:
                self.guests[happened.who] = self.guests.pop(happened.who)
        match happened:
            case Joined() if happened.who not in self.guests:
                self.joined += 1
                self.guests[happened.who] = Guest(self.joined)
                if len(self.guests) > MOST_GUESTS:
                    self._forget(next(iter(self.guests)))
            case Named() if happened.who in self.guests:
                self.guests[happened.who].name = happened.name
            case Voted():
                self.tallies.pop(happened.round, None)  # to come back to it after so long is to ask it anew
                self.votes.setdefault(happened.round, {})[happened.who] = happened.value
                if len(self.votes) > ROUNDS_KEPT:
                    old = min(one for one in self.votes if one != happened.round)
                    self.tallies[old] = Counter(self.votes.pop(old).values())
            case Signalled():
                self.signals[happened.who, happened.what] = version, happened.beat
                self.wished[happened.who] += happened.what != "fast"
            case Heard():
                self.heard = max(self.heard, happened.version)
            case Granted():
                self.signals.pop((happened.who, "chair"), None)

    def _forget(self, who: str) -> None:
        del self.guests[who]
        self.spoken.pop(who, None)
        self.wished.pop(who, None)
        for what in SIGNALS:
            self.signals.pop((who, what), None)

    def counts(self, round: int) -> Counter[str]:
        return self.tallies.get(round) or Counter(self.votes.get(round, {}).values())

    def vote(self, round: int, who: str) -> str:
        return self.votes.get(round, {}).get(who, "")

    def count_too_fast(self, beat: int) -> int:
        """How many find this beat, or the one before it, too fast: they say so a little late."""
        return sum(what == "fast" and at >= beat - 1 for (_, what), (_, at) in self.signals.items())

    def wishes(self) -> list[Wish]:
        """Questions and offers to present, in the order in which guests joined, so that nobody can push the
        others down by asking again and again; guests who ask all the time come last."""
        found = [
            (self.wished[who] > MANY_WISHES, self.guests[who].number, who, what)
            for (who, what), (version, _) in self.signals.items()
            if what != "fast" and version > self.heard and who in self.guests
        ]
        return [Wish(who, number, self.guests[who].name, what) for _, number, who, what in sorted(found)]

    def _name_of(self, who: str) -> tuple[int, str]:
        """Number and name. A remote control that was silent for long may be forgotten, and still presents."""
        found = self.guests.get(who, Guest(0))
        return found.number, found.name

    def report(self, stage: Stage) -> Report:
        chair = stage.chair
        people = sorted(Person(one.number, one.name, who) for who, one in self.guests.items())
        return Report(
            self.version,
            tuple(one for one in people if one.who not in chair),
            tuple(Person(*self._name_of(who), who) for who in chair[1:]),
            self.counts(stage.round),
            self.counts(stage.former.get(stage.asks, 0)),
            self.count_too_fast(stage.number),
            tuple(wish for wish in self.wishes() if wish.what != "chair" or wish.who not in chair),
        )
