"""A position as one reader sees it, ready to be drawn, and what a drawing offers to click."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from tutor.book.words import Words
from tutor.rules.base import Move, State, Verdict

Tone = Literal["changed", "refused", "hint", "asked"]


def tone_of(verdict: Verdict) -> Tone:
    """How the places of a refusal are marked: as wrong, but for those where one may act instead."""
    return "hint" if verdict.instead else "refused"


@dataclass(frozen=True, slots=True)
class Option:
    """Something to click: a move to try, or the parts picked so far on the way to one."""

    move: Move | None = None
    picks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ghost:
    """A move that somebody might make: where it would go, and whether it is right once that is revealed."""

    move: Move
    at: tuple[str, ...]
    verdict: Literal["", "right", "wrong"] = ""


Link = Callable[[Option], str]
"""The address behind an option."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A position as one reader sees it. Without `link` nothing can be clicked."""

    state: State
    words: Words
    seat: int
    marks: tuple[str, ...] = ()
    tone: Tone = "changed"
    tried: tuple[str, ...] = ()
    """Where a refused move wanted to act."""
    look: tuple[str, ...] = ()
    """Where nothing is marked: the places that a window too small for the whole board shows first."""
    hint: Move | None = None
    """A move that is shown to be a good one: what it is made with is marked as well."""
    picks: tuple[str, ...] = ()
    link: Link | None = None
    disputes: bool = False
    """Whether disputed moves can be touched even when they are not allowed, to be told why not."""
    edit: Callable[[str], str] | None = None
    """The address behind a change (see `setup`), where a position is set up rather than played."""
    known: frozenset[str] | None = None
    """The rules that a learner has met by now: what is counted by others is not shown yet."""
    quiet: bool = False
    """Leaves out the counts and scores that a question may ask for."""
    asked: str = ""
    """The fact that a question asks for now."""
    told: str = ""
    """The fact that a question has asked for, and that is to be seen now."""
    ghosts: tuple[Ghost, ...] = ()
    compact: bool = False
    """Only the board itself: no dice, no score row, no other players."""
    pointed: str = ""
    """The place on the board in focus that everybody is asked to look at."""
    heat: Mapping[str, int] = field(default_factory=dict)
    """How many votes act at each place of the board in focus."""
    point: Callable[[str], str] | None = None
    """The address behind pointing at a place. While it is set the places are links to it, and no move is
    offered."""

    def knows(self, *rules: str) -> bool:
        """Whether the reader has met one of the rules; a reader who is not in a lesson knows them all."""
        return self.known is None or not self.known.isdisjoint(rules)

    def hints_at(self, move: Move | None) -> bool:
        return move is not None and move == self.hint
