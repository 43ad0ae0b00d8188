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
"""That a table knows at a time. Of more, those are forgotten who have been silent longest: whoever of them
comes back with a token joins again."""
MANY_WISHES = 5
"""Of one guest; the others come first."""
ROUNDS_KEPT = 12
"""Of which it is known who gave which vote; of those before, only the counts: a long evening has room."""


@dataclass
class Guest:
    number: int
    """In the order of joining: what guests without a name are called by."""
    name: str = ""


@dataclass(frozen=True)
class Wish:
    """Something that a guest has said and nobody has taken note of."""

    who: str
    number: int
    name: str
    what: str


@dataclass(frozen=True, order=True)
class Person:
    """Somebody at the table, for whoever presents."""

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
    """Who presents beside whoever owns the table."""
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
    """Whether all was read that there was, and not only a part."""
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
        """Takes each event once, whoever has read it."""
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
        """Questions and offers to present, of those first who came first: nobody hides the others' by coming
        again and again. Whoever asks all the time comes last."""
        found = [
            (self.wished[who] > MANY_WISHES, self.guests[who].number, who, what)
            for (who, what), (version, _) in self.signals.items()
            if what != "fast" and version > self.heard and who in self.guests
        ]
        return [Wish(who, number, self.guests[who].name, what) for _, number, who, what in sorted(found)]

    def _name_of(self, who: str) -> tuple[int, str]:
        """Number and name. A remote control that was silent for long may be forgotten, and drives still."""
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
