"""What a table shows: folded out of the events on its stage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tutor.store.live import Event
from tutor.teach.beats import Beat
from tutor.teach.course import Course
from tutor.teach.lesson import ACTS
from tutor.teach.live.events import Again, Cited, Ended, Opened, Pointed, Seated, Shown, on_stage


@dataclass(frozen=True)
class Stage:
    game: str
    plan: tuple[str, ...]
    key: str
    chair: tuple[str, ...]
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
    ended: bool = False

    @property
    def round(self) -> int:
        """The vote on the question that is shown; 0 if there is none."""
        return self.rounds.get(self.asks, 0)


def folded(stage: Stage | None, events: Sequence[Event]) -> Stage:
    """The stage after more events; the first event of a table makes it."""
    for event in events:
        match on_stage(event.body):
            case Opened() as opened:
                stage = Stage(opened.game, opened.plan, opened.key, opened.chair, opened.place.beat)
            case happened if stage is not None:
                stage = replace(_after(stage, happened, event.version), version=event.version)
    assert stage
    return stage


def _after(stage: Stage, happened: object, version: int) -> Stage:
    match happened:
        case Shown():
            rounds = stage.rounds
            if happened.asks and happened.asks not in rounds:
                rounds = {**rounds, happened.asks: version}
            return replace(
                stage,
                beat=happened.place.beat,
                number=stage.number + 1,
                asks=happened.asks,
                open=happened.open,
                rounds=rounds,
                point="",
                cited="",
            )
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
    screen, asked = course.lessons.screens[beat.screen], beat.asked
    if screen.kind not in ACTS:
        return "", False
    if screen.recap:
        number = min(asked.said.count("-"), len(screen.quizzes) - 1)
        return f"{screen.id}~{number}", not asked.said.rpartition("-")[2]
    return screen.id, not (asked.moves or asked.said or asked.choices)
