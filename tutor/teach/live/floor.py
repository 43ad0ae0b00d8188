"""What the guests of a table say: folded out of the events on its floor."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tutor.store.live import Event
from tutor.teach.live.events import Heard, Joined, Named, OnFloor, Signalled, Voted, on_floor
from tutor.teach.live.stage import Stage


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


@dataclass(frozen=True)
class Said:
    """What guests have said by now, for a page that is made while they go on talking."""

    version: int
    guests: tuple[tuple[int, str], ...]
    """Numbers and names, without those who present."""
    votes: Counter[str]
    former: Counter[str]
    """The vote before, if the table votes again."""
    too_fast: int
    wishes: tuple[Wish, ...]


@dataclass
class Floor:
    """Grows with the log. It is read and changed in one thread only; others get what it counts."""

    version: int = 0
    guests: dict[str, Guest] = field(default_factory=dict)
    votes: dict[int, dict[str, str]] = field(default_factory=dict)
    """Round, guest, what was chosen last."""
    said: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    """Guest and signal: the version at which it was said last, and the beat."""
    heard: int = 0

    def add(self, events: Sequence[Event]) -> None:
        """Takes each event once, whoever has read it."""
        for event in events:
            if event.version == self.version + 1:
                self._take(on_floor(event.body), event.version)
                self.version = event.version

    def _take(self, happened: OnFloor, version: int) -> None:
        match happened:
            case Joined():
                self.guests.setdefault(happened.who, Guest(len(self.guests) + 1))
            case Named() if happened.who in self.guests:
                self.guests[happened.who].name = happened.name
            case Voted():
                self.votes.setdefault(happened.round, {})[happened.who] = happened.value
            case Signalled():
                self.said[happened.who, happened.what] = version, happened.beat
            case Heard():
                self.heard = max(self.heard, happened.version)

    def counts(self, round: int) -> Counter[str]:
        return Counter(self.votes.get(round, {}).values())

    def vote(self, round: int, who: str) -> str:
        return self.votes.get(round, {}).get(who, "")

    def too_fast(self, beat: int) -> int:
        """How many find this beat, or the one before it, too fast: they say so a little late."""
        return sum(what == "fast" and at >= beat - 1 for (_, what), (_, at) in self.said.items())

    def wishes(self) -> list[Wish]:
        """Questions and offers to present, the oldest first."""
        found = [
            (version, who, what)
            for (who, what), (version, _) in self.said.items()
            if what != "fast" and version > self.heard and who in self.guests
        ]
        return [
            Wish(who, self.guests[who].number, self.guests[who].name, what) for _, who, what in sorted(found)
        ]

    def said_at(self, stage: Stage) -> Said:
        chair = stage.chair
        return Said(
            self.version,
            tuple((one.number, one.name) for who, one in self.guests.items() if who not in chair),
            self.counts(stage.round),
            self.counts(stage.former.get(stage.asks, 0)),
            self.too_fast(stage.number),
            tuple(wish for wish in self.wishes() if wish.what != "chair" or wish.who not in chair),
        )
