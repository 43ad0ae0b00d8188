"""The matches of a site: who may move at them, and what was done. No HTTP here.

A match is a log like that of a live table, folded by the engine: to resume it, to look on, to go on with
another device or after a restart is the same thing.
"""

import secrets
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

import msgspec
from cachetools import LRUCache
from itsdangerous import BadSignature, Signer

from tutor.lessons.course import Course
from tutor.live.log import Log, NoTable, Stale, Taken
from tutor.live.tables import CODE_LETTERS
from tutor.play.bots import Brain
from tutor.play.match import PERSON, Begun, Made, Match, MatchEvent, TakenBack, Unreadable
from tutor.rules.base import CHANCE, Game, IllegalMove, Move
from tutor.rules.errors import RulesError

ID_LENGTH = 16
"""Letters: nobody finds a match by guessing."""
MOST_MATCHES = 20_000
MOST_EVENTS = 4_000
"""Of one match; the longest games take half as many moves."""
MATCHES_KEPT = 256
"""That a server remembers; others are folded again from the log."""
MOVES_AT_ONCE = 40
"""Made without a person by one request, if it asks for all that happens before a person acts."""


class TooManyMatches(Exception):
    """This site has as many matches as it can hold."""


class NotSeated(Exception):
    """Only whoever has the seat may do this."""


class TooLong(Exception):
    """More was done in this match than a game can need."""


class CannotTakeBack(Exception):
    """`why` says what has happened since."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Matches:
    def __init__(self, log: Log, courses: Mapping[str, Course], brain_of: Callable[[Game], Brain]) -> None:
        self.log = log
        self.courses = courses
        self._brain_of = brain_of
        self._kept: LRUCache[str, Match] = LRUCache(MATCHES_KEPT)
        self._lock = Lock()  # moves are made aside, in threads of their own

    def brain(self, match: Match) -> Brain:
        return self._brain_of(match.game)

    # Looking

    def look(self, name: str) -> Match:
        """A match as it is now. Raises NoTable, Unavailable, and Unreadable if this version cannot tell."""
        with self._lock:
            match = self._kept.get(name)
        events = self.log.read(name, "stage", match.version if match else 0)
        for event in events:
            try:
                found = msgspec.convert(event.body, MatchEvent)
                match = match.after(found, event.version) if match else self._begin(name, found)
            except (msgspec.ValidationError, RulesError, ValueError, LookupError) as error:
                raise Unreadable(name) from error
        if match is None:
            raise NoTable(name)
        self._keep(name, match)
        return match

    def _keep(self, name: str, match: Match | None) -> None:
        with self._lock:
            if match is None:
                self._kept.pop(name, None)
            else:
                self._kept[name] = match

    def _begin(self, name: str, event: MatchEvent) -> Match:
        if not isinstance(event, Begun) or event.game not in self.courses:
            raise Unreadable(name)
        return Match.begin(self.courses[event.game].book.game, event)

    def owns(self, match: Match, token: str) -> bool:
        """Whether a token is that of whoever has the seats of the people."""
        try:
            return Signer(match.begun.key).unsign(token).decode() == match.begun.owner
        except (BadSignature, UnicodeDecodeError):
            return False

    # Beginning

    def begin(
        self, game: str, options: Mapping[str, Any], bots: tuple[str, ...], *, practice: bool
    ) -> tuple[str, str]:
        """The id of a new match and the token of its owner. `bots` has for each seat PERSON or a bot's name.
        Raises InvalidOption for what the game does not offer."""
        self.courses[game].book.game.setup(options)
        self.log.clean()
        if self.log.count() >= MOST_MATCHES:
            raise TooManyMatches
        key, owner, seed = secrets.token_urlsafe(24), secrets.token_urlsafe(9), secrets.token_hex(8)
        begun = Begun(game, dict(options), bots, key, owner, seed, practice)
        while True:
            name = "".join(secrets.choice(CODE_LETTERS) for _ in range(ID_LENGTH))
            try:
                self.log.create(name, msgspec.to_builtins(begun))
                break
            except Taken:
                continue
        self._let_chance_act(name, self.look(name))
        return name, Signer(key).sign(owner).decode()

    # Playing. `after` is the version of the match that was seen: what comes too late does nothing and raises
    # Stale.

    def play(self, name: str, token: str, move: Move, after: int) -> Match:
        """A person's move, and what chance makes of it at once. Raises IllegalMove, NotSeated."""
        match = self._require(name, token, after)
        if move.seat not in match.people:
            raise NotSeated
        verdict = match.game.judge(match.state, move)
        if not verdict.ok:
            raise IllegalMove(verdict)
        return self._let_chance_act(name, self._add(name, match, match.grade(self.brain(match), move)))

    def go_on(self, name: str, token: str, after: int, *, all_at_once: bool = False) -> Match:
        """The move of a bot, and what chance makes of it; or all moves until a person is to act."""
        match = self._require(name, token, after)
        for _ in range(MOVES_AT_ONCE if all_at_once else 1):
            if not match.goes_on:
                break
            match = self._add(name, match, match.act(self.brain(match)))
            match = self._let_chance_act(name, match)
        return match

    def take_back(self, name: str, token: str, seat: int, after: int) -> Match:
        match = self._require(name, token, after)
        if seat not in match.people:
            raise NotSeated
        kept, why = match.find_way_back(seat)
        if why:
            raise CannotTakeBack(why)
        return self._add(name, match, TakenBack(kept))

    def _let_chance_act(self, name: str, match: Match) -> Match:
        while not match.over and match.to_act == CHANCE:
            match = self._add(name, match, match.act(self.brain(match)))
        return match

    def _require(self, name: str, token: str, after: int) -> Match:
        match = self.look(name)
        if not self.owns(match, token):
            raise NotSeated
        if match.version != after:
            raise Stale(name, "stage", match.version)
        if match.version >= MOST_EVENTS:
            raise TooLong
        return match

    def _add(self, name: str, match: Match, event: Made | TakenBack) -> Match:
        try:
            version = self.log.append(name, "stage", msgspec.to_builtins(event), match.version)
        except Stale:
            self._keep(name, None)  # a log that was restored may have lost its end
            raise
        match = match.after(event, version)
        self._keep(name, match)
        return match


def id_of(text: str) -> str:
    """The id of a match as an address has it; empty if it cannot be one."""
    return text if len(text) == ID_LENGTH and set(text) <= set(CODE_LETTERS) else ""


def seats_of(people: int, bots: int, level: str) -> tuple[str, ...]:
    """People first, then bots of a level."""
    return (*[PERSON] * people, *[level] * bots)
