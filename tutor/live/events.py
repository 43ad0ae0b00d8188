"""What happens at a table, as its log keeps it: on the stage by the presenter, on the floor by the guests.

Other versions of the program may write to the same log. Fields and events that this version does not know
are ignored; an event that cannot be ignored, because it decides what is shown, says so in a field `must`.
"""

import secrets
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from tutor.lessons.beats import Beat
from tutor.lessons.input import Input, Replies

Signal = Literal["fast", "question", "chair"]
"""What a guest can say silently: too fast, a question, I would like to present."""
SIGNALS: tuple[Signal, ...] = ("fast", "question", "chair")


class StoredBeat(msgspec.Struct, frozen=True, omit_defaults=True):
    """A beat as the log keeps it."""

    screen: str
    moves: tuple[str, ...] = ()
    said: str = ""
    choices: tuple[str, ...] = ()

    @classmethod
    def of(cls, beat: Beat) -> "StoredBeat":
        given = beat.given
        return cls(beat.screen, given.moves, given.replies.text, tuple(sorted(given.choices)))

    def restore(self) -> Beat:
        choices = frozenset(self.choices)
        given = Input(moves=self.moves, replies=Replies(self.said), choices=choices, checked=bool(choices))
        return Beat(self.screen, given)


class _Event(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag=str.lower):
    pass


# On the stage


class Opened(_Event, frozen=True):
    """The first event of a table."""

    game: str
    plan: tuple[str, ...]
    key: str
    """It signs the tokens of this table."""
    chair: tuple[str, ...]
    """Who may present."""
    beat: StoredBeat = msgspec.field(name="place")
    """What will be shown first, once the table begins."""
    lang: str = ""
    """The language of whoever opened the table: the players in the examples have names of that language."""


class Shown(_Event, frozen=True):
    beat: StoredBeat = msgspec.field(name="place")
    asks: str = ""
    """The question that is asked or answered here, if the table can vote on it."""
    open: bool = False
    """Whether it is still unanswered."""


class Again(_Event, frozen=True):
    """The table votes once more on the question that is shown."""


class Pointed(_Event, frozen=True):
    """Everybody looks at a place of the board; an empty one ends that."""

    place: str = ""


class Cited(_Event, frozen=True):
    """Everybody reads a rule or ruling, because somebody asked; an empty one ends that."""

    entry: str


class Seated(_Event, frozen=True):
    """Others may present from now on."""

    chair: tuple[str, ...]


class Left(_Event, frozen=True):
    """The owner has left the table; it goes on with the next event."""


class Ended(_Event, frozen=True):
    pass


# On the floor


class Joined(_Event, frozen=True):
    who: str


class Named(_Event, frozen=True):
    who: str
    name: str


class Voted(_Event, frozen=True):
    who: str
    round: int
    """The version of the stage at which the vote began."""
    value: str


class Signalled(_Event, frozen=True):
    who: str
    what: Signal
    beat: int
    """The beat at which it was said."""


class Heard(_Event, frozen=True):
    """The presenter has noted all questions up to this version of the floor."""

    version: int


class Granted(_Event, frozen=True):
    """A guest who wished to present now does; the wish is fulfilled."""

    who: str


OnStage = Opened | Shown | Again | Pointed | Cited | Seated | Left | Ended
OnFloor = Joined | Named | Voted | Signalled | Heard | Granted


@dataclass(frozen=True)
class Unknown:
    """What another version has written and this one cannot read."""

    must: bool
    """Whether what is shown cannot be known without it."""


def encode(event: OnStage | OnFloor) -> dict[str, Any]:
    """The event as the log keeps it. No two are equal, so that a log that lost its end and grew again can be
    told apart from one that only grew."""
    return {**msgspec.to_builtins(event), "once": secrets.token_hex(3)}


def read_stage_event(body: dict[str, Any]) -> OnStage | Unknown:
    try:
        found: OnStage = msgspec.convert(body, OnStage)
        return found
    except msgspec.ValidationError:
        return Unknown(bool(body.get("must")) or body.get("kind") in ("opened", "shown"))


def read_floor_event(body: dict[str, Any]) -> OnFloor | None:
    """None for an event that this version does not know; the floor makes sense without it."""
    try:
        found: OnFloor = msgspec.convert(body, OnFloor)
        return found
    except msgspec.ValidationError:
        return None
