"""The tables of a site: who may do what at them, and what was done. No HTTP here."""

import base64
import hashlib
import hmac
import re
import secrets
import unicodedata
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tutor.store.live import Log, Taken
from tutor.teach.beats import Beat
from tutor.teach.course import Course
from tutor.teach.live.events import (
    Again,
    Cited,
    Ended,
    Heard,
    Joined,
    Named,
    OnFloor,
    OnStage,
    Opened,
    Place,
    Pointed,
    Seated,
    Shown,
    Signal,
    Signalled,
    Voted,
    written,
)
from tutor.teach.live.floor import Floor
from tutor.teach.live.stage import Stage, folded, question

LETTERS = "CDFHJKLMNPQRTVWX23456789"
"""Of a code: none that looks like another, and no vowels, so that no code is a word."""
LENGTH = 8
"""24 ** 8 codes: at 50 guesses a second, one of 1,000 tables is met after about a month."""
MOST_TABLES = 10_000
MOST_GUESTS = 2_000
MOST_KEPT = 512
"""Tables that a server remembers; others are read again from the log."""
MOST_CHAIRS = 8
MOST_EVENTS = {"stage": 5_000, "floor": 60_000}
"""Of a table: more than a long evening with a thousand guests needs."""
LONGEST_NAME = 24
LONGEST_VOTE = 200
_NOT_PLAIN = re.compile(r"[^\w .,'’!?+&()-]+")


class TooManyTables(Exception):
    """This site has as many tables as it can hold."""


class Crowded(Exception):
    """This table has as many guests as it can hold."""


class NotPresenting(Exception):
    """Only whoever sits in the chair may do this."""


class TooLate(Exception):
    """The vote is over, or another one has begun."""


@dataclass
class _Kept:
    stage: Stage
    floor: Floor = field(default_factory=Floor)


class Tables:
    def __init__(self, log: Log, courses: Mapping[str, Course]) -> None:
        self.log = log
        self.courses = courses
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    # Looking

    def stage(self, code: str) -> Stage:
        """What the table shows now. Raises NoTable, or Unavailable."""
        kept = self._kept.get(code)
        before = kept.stage if kept else None
        events = self.log.read(code, "stage", before.version if before else 0)
        stage = folded(before, events)
        if kept is None:
            kept = self._kept.setdefault(code, _Kept(stage))
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(code)
        if stage.version > kept.stage.version:  # somebody else may have read on meanwhile
            kept.stage = stage
        return stage

    def look(self, code: str) -> tuple[Stage, Floor]:
        """The stage, and all that was said before."""
        return self.stage(code), self.floor(code)

    def remembered(self, code: str) -> tuple[Stage, Floor]:
        """What this server saw when it last looked."""
        kept = self._kept.get(code)
        return (kept.stage, kept.floor) if kept else self.look(code)

    def floor(self, code: str) -> Floor:
        """What the guests have said by now."""
        if code not in self._kept:
            self.stage(code)
        floor = self._kept[code].floor
        floor.add(self.log.read(code, "floor", floor.version))
        return floor

    def course(self, stage: Stage) -> Course:
        return self.courses[stage.game]

    # Opening and joining

    def open(self, game: str, plan: Sequence[str], beat: Beat) -> tuple[str, str]:
        """The code of a new table, which begins with that beat, and the token of whoever presents."""
        self.log.clean()
        if self.log.count() >= MOST_TABLES:
            raise TooManyTables
        key, who = secrets.token_urlsafe(24), _id()
        opened = Opened(game, tuple(plan), key, (who,), Place.of(beat))
        while True:
            code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
            try:
                self.log.create(code, written(opened))
                break
            except Taken:
                continue
        return code, _signed(key, who)

    def join(self, code: str, shown: str = "") -> tuple[str, str]:
        """A guest's id and token: those that are shown, if they are of this table, or else new ones."""
        stage, floor = self.remembered(code)
        who = guest(stage, shown)
        if who not in floor.guests:
            stage, floor = self.look(code)
        if who and (who in floor.guests or who in stage.chair):
            return who, shown
        if len(floor.guests) >= MOST_GUESTS:
            raise Crowded
        who = who or _id()
        self._say(code, Joined(who))
        return who, _signed(stage.key, who)

    # What the presenter does. `after` is the version of the stage that the presenter has seen: a command that
    # comes too late does nothing and raises Stale.

    def show(self, code: str, who: str, beat: Beat, after: int) -> Stage:
        asks, is_open = question(self.course(self._presented(code, who)), beat)
        return self._do(code, Shown(Place.of(beat), asks, is_open), after)

    def vote_again(self, code: str, who: str, after: int) -> Stage:
        self._presented(code, who)
        return self._do(code, Again(), after)

    def point(self, code: str, who: str, place: str, after: int) -> Stage:
        self._presented(code, who)
        return self._do(code, Pointed(place), after)

    def cite(self, code: str, who: str, entry: str, after: int) -> Stage:
        """Everybody reads a rule or ruling."""
        stage = self._presented(code, who)
        found = [texts.entries.get(entry) for texts in self.course(stage).texts.values()]
        return self._do(code, Cited(entry), after) if all(one and one.paragraphs for one in found) else stage

    def hand_over(self, code: str, who: str, to: str, after: int, *, share: bool = False) -> Stage:
        """Another guest takes the chair; or, if it is shared, drives as well: a phone as remote control."""
        stage = self._presented(code, who)
        if to not in self.floor(code).guests:
            return stage
        chair = tuple(dict.fromkeys((*stage.chair, to)))[-MOST_CHAIRS:] if share else (to,)
        return self._do(code, Seated(chair), after)

    def hear(self, code: str, who: str) -> None:
        """All questions up to now have been taken note of."""
        self._presented(code, who)
        self._say(code, Heard(self.floor(code).version))

    def end(self, code: str, who: str) -> Stage:
        self._presented(code, who)
        return self._do(code, Ended(), None)

    def _presented(self, code: str, who: str) -> Stage:
        stage = self.stage(code)
        if not who or who not in stage.chair or stage.ended:
            raise NotPresenting
        return stage

    # What guests do

    def vote(self, code: str, who: str, round: int, value: str) -> None:
        stage = self.stage(code)
        if not stage.open or round != stage.round:
            raise TooLate
        if self.floor(code).vote(round, who) != value:
            self._say(code, Voted(who, round, value))

    def signal(self, code: str, who: str, what: Signal) -> None:
        stage, floor = self.stage(code), self.floor(code)
        number = stage.number
        if stage.ended:
            return
        version, beat = floor.said.get((who, what), (0, -1))
        if beat < number or (what != "fast" and version <= floor.heard):  # once is enough
            self._say(code, Signalled(who, what, number))

    def name(self, code: str, who: str, name: str) -> None:
        floor = self.floor(code)
        said = plain_name(name)
        if who in floor.guests and floor.guests[who].name != said and not self.stage(code).ended:
            self._say(code, Named(who, said))

    def _do(self, code: str, event: OnStage, after: int | None) -> Stage:
        if self.stage(code).version >= MOST_EVENTS["stage"]:
            raise Crowded
        self.log.append(code, "stage", written(event), after)
        return self.stage(code)

    def _say(self, code: str, event: OnFloor) -> None:
        if self.floor(code).version >= MOST_EVENTS["floor"]:
            raise Crowded
        self.log.append(code, "floor", written(event))


def guest(stage: Stage, token: str) -> str:
    """The guest whose token this is; empty if it is not one of this table's."""
    who, _, _ = token.partition(".")
    return who if who and hmac.compare_digest(_signed(stage.key, who).encode(), token.encode()) else ""


def code_of(text: str) -> str:
    """A code as it may be typed; empty if it cannot be one."""
    found = re.sub(r"[\s\-–.]", "", text[:40]).upper()
    return found if len(found) == LENGTH and set(found) <= set(LETTERS) else ""


def plain_name(text: str) -> str:
    """A name that fits a list: letters of any script, and no tricks."""
    text = unicodedata.normalize("NFC", text[: 4 * LONGEST_NAME])
    return " ".join(_NOT_PLAIN.sub("", " ".join(text.split())).split())[:LONGEST_NAME].strip()


def _id() -> str:
    return secrets.token_urlsafe(9)


def _signed(key: str, who: str) -> str:
    digest = hmac.digest(key.encode(), who.encode(), hashlib.sha256)
    return f"{who}.{base64.urlsafe_b64encode(digest[:18]).decode()}"
