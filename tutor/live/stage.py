"""What a table shows: folded out of the events on its stage, as far as this version can show it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from tutor.book.words import TEMPLATE_LANGUAGE
from tutor.lessons.beats import Beat, plan_of
from tutor.lessons.course import Course
from tutor.lessons.lesson import ACTS, END
from tutor.lessons.practice import attempt
from tutor.lessons.screen_views import show
from tutor.live.events import (
    Again,
    Cited,
    Ended,
    Left,
    Opened,
    Pointed,
    Seated,
    Shown,
    Unknown,
    read_stage_event,
)
from tutor.live.log import Event


@dataclass(frozen=True)
class Stage:
    game: str
    plan: tuple[str, ...]
    key: str
    chair: tuple[str, ...]
    """Who may present; the owner of the table comes first."""
    beat: Beat
    version: int = 1
    number: int = 0
    """How many beats were shown so far; none before the table begins."""
    asks: str = ""
    open: bool = False
    rounds: Mapping[str, int] = field(default_factory=dict)
    """When the vote on each question began. Coming back to a question does not lose its votes."""
    former: Mapping[str, int] = field(default_factory=dict)
    """The vote before, on questions on which the table has voted again."""
    point: str = ""
    cited: str = ""
    lang: str = ""
    opener: str = ""
    """Who opened the table, whoever owns it now."""
    left: bool = False
    """Whether nobody is presenting right now."""
    ended: bool = False
    unknown: bool = False
    """Whether another version has shown something that this one cannot read."""
    removed: bool = False
    """Whether this version lacks what is shown: the game, the screen or the moves on it."""
    onward: str = ""
    """The screen to go on with where what is shown was removed."""

    @property
    def owner(self) -> str:
        return self.chair[0]

    def seat_of(self, who: str) -> Literal["", "owner", "remote"]:
        """In which role somebody may present; empty for a guest."""
        if who not in self.chair:
            return ""
        return "owner" if who == self.owner else "remote"

    @property
    def round(self) -> int:
        """The vote on the question that is shown; 0 if there is none."""
        return self.rounds.get(self.asks, 0)


def fold(stage: Stage | None, events: Sequence[Event]) -> Stage | None:
    """The stage after more events; the first event of a table makes it. None if that one cannot be read."""
    for event in events:
        match read_stage_event(event.body):
            case Opened() as opened:
                beat = opened.beat.restore()
                chair, lang = opened.chair, opened.lang
                stage = Stage(
                    opened.game, opened.plan, opened.key, chair, beat, lang=lang, opener=(*chair, "")[0]
                )
            case happened if stage is not None:
                stage = replace(_apply(stage, happened, event.version), version=event.version)
    return stage


def _apply(stage: Stage, happened: object, version: int) -> Stage:
    stage = replace(stage, left=isinstance(happened, Left))
    match happened:
        case Shown():
            rounds = stage.rounds
            if happened.asks and happened.asks not in rounds:
                rounds = {**rounds, happened.asks: version}
            return replace(
                stage,
                beat=happened.beat.restore(),
                number=stage.number + 1,
                asks=happened.asks,
                open=happened.open,
                rounds=rounds,
                point="",
                cited="",
                unknown=False,
            )
        case Unknown(must=True):
            return replace(stage, unknown=True)
        case Again() if stage.asks:
            former = {**stage.former, stage.asks: stage.round}
            return replace(stage, rounds={**stage.rounds, stage.asks: version}, former=former)
        case Pointed():
            return replace(stage, point=happened.place)
        case Cited():
            return replace(stage, cited=happened.entry)
        case Seated():
            return replace(stage, chair=happened.chair)
        case Ended():
            return replace(stage, ended=True, open=False)
    return stage


def question(course: Course, beat: Beat) -> tuple[str, bool]:
    """What a table can vote on at a beat, and whether it is unanswered; empty if there is nothing."""
    screen, given = course.lessons.screens[beat.screen], beat.given
    if screen.kind not in ACTS:
        return "", False
    if screen.recap:
        number = min(given.replies.number, len(screen.quizzes) - 1)
        return f"{screen.id}~{number}", not given.replies.latest
    if screen.kind == "do":  # a move that misses is a demonstration: the question stays open
        step = course.runs[screen.scenario].steps[screen.step]
        return screen.id, not attempt(course.book.game, step, given.moves).met
    return screen.id, not (given.replies.text or given.choices)


def fit(stage: Stage, course: Course | None) -> Stage:
    """The stage of a table that another version may have opened, without anything that this version lacks."""
    if course is None:
        return replace(stage, removed=True)
    plan = plan_of(course, stage.plan)
    if not can_show(course, stage.beat):
        place = stage.plan.index(stage.beat.screen) if stage.beat.screen in stage.plan else 0
        onward = next((name for name in stage.plan[place:] if name in plan), plan[0])
        return replace(stage, plan=plan, removed=True, onward=onward)
    same = bool(stage.asks) and question(course, stage.beat)[0] == stage.asks
    return replace(stage, plan=plan, asks=stage.asks if same else "", open=stage.open and same)


@lru_cache(512)
def can_show(course: Course, beat: Beat) -> bool:
    """Whether the screen is there, and whether what was done on it still means something."""
    screen = course.lessons.screens.get(beat.screen)
    if screen is None or (screen.kind == END and screen.id != END):
        return False
    try:
        show(course, screen, TEMPLATE_LANGUAGE, beat.given)
    except Exception:  # moves of another version: they may fail in any way
        return False
    return True
