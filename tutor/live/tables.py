"""The tables of a site: who may do what at them, and what was done. No HTTP here."""

import hashlib
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from cachetools import LRUCache
from itsdangerous import BadSignature, HMACAlgorithm, Signer

from tutor.lessons.beats import Beat, hide_answer
from tutor.lessons.course import Course
from tutor.live.events import (
    Again,
    Cited,
    Ended,
    Granted,
    Heard,
    Joined,
    Left,
    Named,
    OnFloor,
    OnStage,
    Opened,
    Pointed,
    Seated,
    Shown,
    Signal,
    Signalled,
    StoredBeat,
    Voted,
    encode,
)
from tutor.live.floor import Floor
from tutor.live.log import Channel, Event, Log, Newer, Stale, Taken
from tutor.live.log.base import dump, load
from tutor.live.names import plain_name
from tutor.live.stage import Stage, fit, fold, question

CODE_LETTERS = "CDFHJKLMNPQRTVWX23456789"
"""No two of them look alike, and there are no vowels, so that no code is a word."""
CODE_LENGTH = 8
"""24 ** 8 codes: at 50 guesses a second, one of 1,000 tables is met after about a month."""
LONGEST_TYPED_CHARS = 40
"""For a code with spaces or dashes between its letters."""
MOST_TABLES = 10_000
MOST_RETURNS = 100_000
"""Events beyond that, for guests who were forgotten and come back."""
MOST_FLOOR_EVENTS = 300_000
"""Events, after which nobody new may join: a server that has just started has to read them all."""
TABLES_KEPT = 512
"""Tables that a server remembers; others are read again from the log."""
EVENTS_AT_ONCE = 200
"""Events that are read and folded before others have their turn: that takes a few milliseconds."""
MOST_CHAIRS = 8
"""Who may present at the same time: the owner of the table, and remote controls."""
MOST_STAGE_EVENTS, OWNERS_STAGE_EVENTS = 5_000, 100
"""Events: more than a long evening needs, and some that only the owner has."""
SAID_AT_FIRST, SAID_A_BEAT, MOST_SAID = 10, 6, 400
"""What one guest may say: names, votes and signals before the table begins, at each beat, and in all. So the
floor has an end, and no guest can take it from the others."""


class TooManyTables(Exception):
    """This site has as many tables as it can hold."""


class Crowded(Exception):
    """This table has as many guests as it can hold."""


class NotPresenting(Exception):
    """Only whoever sits in the chair may do this."""


class Enough(Exception):
    """This guest has said as much as a guest may by now."""


class TooLate(Exception):
    """The vote is over, or another one has begun."""


class Removed(Exception):
    """A table shows something that this version of the program does not have, or no longer has."""

    def __init__(self, code: str, stage: Stage, who: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.stage = stage
        self.who = who
        """Who asks."""


class _Lost(Exception):
    """The log no longer has what was read from it: it has lost its end, and may have grown again since."""


@dataclass
class _Kept:
    """What a server remembers of a table."""

    last: Event | None = None
    """The event of the stage that was read last."""
    folded: Stage | None = None
    shown: Stage | None = None
    """The same, without anything that this version lacks."""
    floor: Floor = field(default_factory=Floor)


class Tables:
    def __init__(self, log: Log, courses: Mapping[str, Course]) -> None:
        self.log = log
        self.courses = courses
        self._kept: LRUCache[str, _Kept] = LRUCache(TABLES_KEPT)

    # Looking. While one waits for the log others run: they may read on, and forget what was kept.

    def stage(self, code: str) -> Stage:
        """What the table shows now. Raises NoTable, Unavailable, and Newer if this version cannot tell."""
        return self._read_stage(code)[1]

    def look(self, code: str) -> tuple[Stage, Floor]:
        """The stage, and all that was said before."""
        return self.stage(code), self.floor(code)

    def recall(self, code: str) -> tuple[Stage, Floor]:
        """What this server saw when it last looked."""
        kept = self._kept.get(code)
        return (kept.shown, kept.floor) if kept and kept.shown and kept.floor.whole else self.look(code)

    def floor(self, code: str) -> Floor:
        """What the guests have said by now."""
        kept = self._kept.get(code) or self._read_stage(code)[0]
        more = True
        while more:
            try:
                events, more = self._part(code, "floor", kept.floor.last)
                kept.floor.add(events)
            except _Lost:
                self._forget(code, kept)
                kept = self._kept.get(code) or self._read_stage(code)[0]
        kept.floor.whole = True
        return kept.floor

    def _read_stage(self, code: str) -> tuple[_Kept, Stage]:
        """What is remembered of the table, and its stage as it is now."""
        kept = self._kept.get(code) or _Kept()
        last, stage, more = kept.last, kept.folded, True
        while more:
            try:
                events, more = self._part(code, "stage", last)
            except _Lost:
                self._forget(code, kept)
                return self._read_stage(code)
            stage, last = fold(stage, events), [last, *events][-1]
        shown = kept.shown if last is kept.last and kept.shown else self._fit(code, stage)
        return self._remember(code, kept, last, stage, shown), shown

    def _fit(self, code: str, stage: Stage | None) -> Stage:
        """The stage, without anything that this version lacks."""
        if stage is None or stage.unknown:
            raise Newer(f"{code} was written by another version of this program")
        return fit(stage, self.courses.get(stage.game))

    def _remember(
        self, code: str, kept: _Kept, last: Event | None, stage: Stage | None, shown: Stage
    ) -> _Kept:
        found = self._kept.setdefault(code, kept)
        if found is kept and last and (kept.last is None or last.version > kept.last.version):
            kept.last, kept.folded, kept.shown = last, stage, shown
        return found

    def _forget(self, code: str, kept: _Kept) -> None:
        """Somebody else may have begun anew already."""
        if self._kept.get(code) is kept:
            del self._kept[code]

    def _part(self, code: str, channel: Channel, last: Event | None) -> tuple[list[Event], bool]:
        """Some of what came after the event that was read last, and whether there may be more. That event is
        read again: it may be gone."""
        events = self.log.read(code, channel, last.version - 1 if last else 0, EVENTS_AT_ONCE)
        if last and events[:1] != [last]:
            raise _Lost(code)
        more = len(events) == EVENTS_AT_ONCE
        if more:
            time.sleep(0)  # others first
        return events[1 if last else 0 :], more

    def course(self, stage: Stage) -> Course:
        """The course of a table, in which the players have one set of names in all languages."""
        return self.courses[stage.game].with_names_of(stage.lang)

    # Opening and joining

    def open(self, game: str, plan: Sequence[str], beat: Beat, lang: str = "") -> tuple[str, str]:
        """The code of a new table, which begins with that beat, and the token of whoever presents, in that
        language."""
        self.log.clean()
        if self.log.count() >= MOST_TABLES:
            raise TooManyTables
        key, who = secrets.token_urlsafe(24), _id()
        opened = Opened(game, tuple(plan), key, (who,), StoredBeat.of(beat), lang)
        while True:
            code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
            try:
                self.log.create(code, encode(opened))
                break
            except Taken:
                continue
        return code, _token(key, who)

    def is_at(self, code: str, shown: str) -> bool:
        """Whether a token is that of somebody at the table, who need not join."""
        for look in (self.recall, self.look):
            stage, floor = look(code)
            who = guest(stage, shown)
            if who and (who in floor.guests or who in stage.chair):
                return True
        return False

    def join(self, code: str, shown: str = "") -> tuple[str, str]:
        """A guest's id and token: those that are shown, if they are of this table, or else new ones."""
        if self.is_at(code, shown):
            return shown.partition(".")[0], shown
        stage, floor = self.look(code)
        who = guest(stage, shown) or _id()  # whoever was forgotten comes back as the same
        if floor.version >= MOST_FLOOR_EVENTS + (MOST_RETURNS if guest(stage, shown) else 0):
            raise Crowded
        self._say(code, Joined(who))
        return who, _token(stage.key, who)

    # What the presenter does. `after` is the version of the stage that the presenter has seen: a command that
    # comes too late does nothing and raises Stale.

    def show(self, code: str, who: str, beat: Beat, after: int) -> Stage:
        asks, is_open = question(self.course(self._require_presenter(code, who, after)), beat)
        return self._do(code, Shown(StoredBeat.of(beat), asks, is_open), after)

    def vote_again(self, code: str, who: str, after: int) -> Stage:
        """On the question that is shown; if its answer is, the question comes back first."""
        stage = self._require_presenter(code, who, after)
        if stage.asks and not stage.open:
            after = self.show(code, who, hide_answer(stage.beat), after).version
        return self._do(code, Again(), after)

    def point(self, code: str, who: str, place: str, after: int) -> Stage:
        self._require_presenter(code, who, after)
        return self._do(code, Pointed(place), after)

    def cite(self, code: str, who: str, entry: str, after: int) -> Stage:
        """Everybody reads a rule or ruling; an empty one ends that."""
        stage = self._require_presenter(code, who, after)
        if not entry:
            return self._do(code, Cited(entry), after) if stage.cited else stage
        found = [texts.entries.get(entry) for texts in self.course(stage).texts.values()]
        return self._do(code, Cited(entry), after) if all(one and one.paragraphs for one in found) else stage

    def hand_over(self, code: str, who: str, to: str, *, share: bool = False) -> Stage:
        """Another guest owns the table; or, if it is shared, drives as well: a phone as remote control. Only
        the owner may do this, or a remote control could put its owner out."""

        def with_guest(stage: Stage) -> tuple[str, ...]:
            if to not in self.floor(code).guests or (share and len(stage.chair) >= MOST_CHAIRS):
                return stage.chair
            return tuple(dict.fromkeys((*stage.chair, to))) if share else (to,)

        stage = self._seat(code, who, with_guest)
        if to in stage.chair and (to, "chair") in self.floor(code).signals:
            self._say(code, Granted(to))
        return stage

    def withdraw(self, code: str, who: str, remote: str) -> Stage:
        """A remote control stops presenting. Only the owner may do this, and cannot withdraw themselves."""
        return self._seat(
            code, who, lambda stage: tuple(one for one in stage.chair if one != remote or one == who)
        )

    def _seat(self, code: str, who: str, change: Callable[[Stage], tuple[str, ...]]) -> Stage:
        """What an owner does about the chair counts whatever was shown meanwhile, or a remote control could
        keep its owner from it."""
        while True:
            stage = self._require_owner(code, who)
            chair = change(stage)
            if chair == stage.chair:
                return stage
            with suppress(Stale):
                return self._do(code, Seated(chair), stage.version)

    def hear(self, code: str, who: str, seen: int) -> None:
        """The questions up to that version of the floor have been taken note of."""
        self._require_presenter(code, who)
        floor = self.floor(code)
        if floor.wishes() and floor.heard < seen <= floor.version:
            self._say(code, Heard(seen))

    def leave(self, code: str, who: str) -> Stage:
        """The guests wait, and are told so."""
        self._require_owner(code, who)
        return self._do(code, Left(), None)

    def end(self, code: str, who: str) -> Stage:
        self._require_owner(code, who)
        return self._do(code, Ended(), None)

    def _require_presenter(self, code: str, who: str, after: int | None = None) -> Stage:
        """The stage at which somebody may present. One that was just read is not read again: a command that
        names its version is done only if that is still the last one."""
        kept = self._kept.get(code)
        stage = kept.shown if kept and kept.shown and kept.shown.version == after else self.stage(code)
        if not who or who not in stage.chair or stage.ended:
            raise NotPresenting
        return stage

    def _require_owner(self, code: str, who: str) -> Stage:
        stage = self._require_presenter(code, who)
        if who != stage.owner:
            raise NotPresenting
        return stage

    # What guests do

    def vote(self, code: str, who: str, round: int, value: str) -> None:
        stage = self.stage(code)
        if not stage.open or round != stage.round:
            raise TooLate
        if self.floor(code).vote(round, who) != value:
            self._speak(code, stage, Voted(who, round, value))

    def signal(self, code: str, who: str, what: Signal) -> None:
        stage, floor = self.stage(code), self.floor(code)
        number = stage.number
        if stage.ended:
            return
        version, beat = floor.signals.get((who, what), (0, -1))
        if beat < number or (what != "fast" and version <= floor.heard):  # once is enough
            self._speak(code, stage, Signalled(who, what, number))

    def name(self, code: str, who: str, name: str) -> None:
        stage, floor = self.stage(code), self.floor(code)
        plain = plain_name(name)
        if who in floor.guests and floor.guests[who].name != plain and not stage.ended:
            self._speak(code, stage, Named(who, plain))

    def _do(self, code: str, event: OnStage, after: int | None) -> Stage:
        # Whoever owns the table can still take it back, and close it.
        most = MOST_STAGE_EVENTS + (OWNERS_STAGE_EVENTS if isinstance(event, Seated | Left) else 0)
        version = self.stage(code).version if after is None else after
        if version >= most and not isinstance(event, Ended):
            raise Crowded
        body = encode(event)
        added = load(self.log.append(code, "stage", body, after), dump(body))
        kept = self._kept.get(code)
        if kept is None or kept.last is None or kept.last.version != added.version - 1:
            return self.stage(code)
        stage = fold(kept.folded, [added])
        shown = self._fit(code, stage)
        self._remember(code, kept, added, stage, shown)
        return shown

    def _speak(self, code: str, stage: Stage, event: Named | Voted | Signalled) -> None:
        """What a guest says, if it is not too much."""
        spoken = self.floor(code).spoken[event.who]
        if spoken >= min(SAID_AT_FIRST + SAID_A_BEAT * stage.number, MOST_SAID):
            raise Enough
        self._say(code, event)

    def _say(self, code: str, event: OnFloor) -> None:
        self.log.append(code, "floor", encode(event))


def guest(stage: Stage, token: str) -> str:
    """The guest whose token this is; empty if it is not one of this table's."""
    try:
        return _signer(stage.key).unsign(token).decode()
    except BadSignature:
        return ""


def code_of(text: str) -> str:
    """A code as it may be typed; empty if it cannot be one."""
    found = re.sub(r"[\s\-–.]", "", text).upper() if len(text) <= LONGEST_TYPED_CHARS else ""
    return found if len(found) == CODE_LENGTH and set(found) <= set(CODE_LETTERS) else ""


def _id() -> str:
    return secrets.token_urlsafe(9)


class _Short(HMACAlgorithm):
    """The first 144 of 256 bits: a shorter cookie that is no easier to guess."""

    def get_signature(self, key: bytes, value: bytes) -> bytes:
        return super().get_signature(key, value)[:18]


def _signer(key: str) -> Signer:
    """Changing this puts everybody out of their chairs: tables outlive an upgrade."""
    return Signer(key, key_derivation="none", algorithm=_Short(hashlib.sha256))


def _token(key: str, who: str) -> str:
    """A guest's id with the signature of the table."""
    return _signer(key).sign(who).decode()
