"""What a step of a lesson shows, by its kind, in one language. No addresses and no templates here."""

from dataclasses import dataclass
from zlib import crc32

from tutor.book.scenario import Frame
from tutor.book.texts import Entry, Why
from tutor.teach.course import Course, Telling
from tutor.teach.lesson import Kind, Step
from tutor.teach.practice import Attempt, attempt
from tutor.teach.scene import Scene, Tone

MOST_HELP = 3
"""Point at the places, name the rule, show the rule; the solution comes after that, or after an attempt."""
ANSWERS_OFFERED = 5


@dataclass(frozen=True)
class Asked:
    """What a learner has done at a step."""

    short: bool = True
    moves: tuple[str, ...] = ()
    picks: tuple[str, ...] = ()
    help: int = 0
    choices: frozenset[str] = frozenset()
    checked: bool = False


@dataclass(frozen=True, kw_only=True)
class View:
    """What every step shows."""

    kind: Kind
    title: str
    text: tuple[str, ...] = ()
    """HTML paragraphs."""
    scene: Scene | None = None
    open: bool = False
    """Whether something is left to do here."""
    said: str = ""
    """HTML of what is announced when the page changes."""
    refused: bool = False


@dataclass(frozen=True, kw_only=True)
class Reading(View):
    rule: Entry


@dataclass(frozen=True, kw_only=True)
class Recap(View):
    rules: tuple[Entry, ...]


@dataclass(frozen=True, kw_only=True)
class Watching(View):
    deeds: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Refusal(View):
    """A move that a learner is invited to try; `whys` are there once it was."""

    deed: str
    move: str
    whys: tuple[Why, ...]


@dataclass(frozen=True, kw_only=True)
class Task(View):
    """Something to do on the board."""

    attempt: Attempt
    deeds: tuple[str, ...]
    whys: tuple[Why, ...]
    won: str
    help: int
    rule: Entry | None
    """The rule that helps."""
    solution: tuple[str, ...]
    """The moves of the solution, once they may be shown."""


@dataclass(frozen=True)
class Answer:
    """One answer to a question; whether it is right was computed by the engine."""

    value: str
    label: str
    right: bool
    whys: tuple[Why, ...] | None = None
    """Why a move is refused, empty if it is allowed; None where the answer is not a move."""


@dataclass(frozen=True, kw_only=True)
class Question(View):
    answers: tuple[Answer, ...]
    chosen: frozenset[str]
    single: bool
    checked: bool
    right: bool
    explained: str


def show(course: Course, step: Step, lang: str, asked: Asked) -> View:
    if step.kind == "read":
        return _read(course, step, lang)
    if step.kind == "recap":
        return _recap(course, step, lang, asked.short)
    told = course.tell(step.scenario, step.frame, lang)
    if step.kind == "do":
        return _do(told, asked)
    if step.kind == "refuse":
        return _refuse(told, asked)
    if step.kind == "choose":
        return _question(told, asked, _moves_to_choose(told), single=False)
    if step.kind == "ask":
        return _question(told, asked, _answers(told), single=isinstance(told.frame.answer, int))
    return Watching(kind="watch", title=told.title, text=(told.line(),), scene=told.still(), deeds=told.deeds)


def _read(course: Course, step: Step, lang: str) -> Reading:
    rule = course.texts[lang].entries[step.rule]
    scene = course.tell(step.scenario, step.frame, lang).still() if step.scenario else None
    return Reading(kind="read", title=rule.title, text=rule.paragraphs, scene=scene, rule=rule)


def _recap(course: Course, step: Step, lang: str, short: bool) -> Recap:
    texts = course.texts[lang]
    rules = tuple(
        texts.entries[other.rule]
        for other in course.lesson.path(short)
        if other.section == step.section and other.rule
    )
    return Recap(kind="recap", title=texts.part_of[step.section].title, rules=rules)


# Tasks


def _do(told: Telling, asked: Asked) -> Task:
    tried = attempt(told.course.book.game, told.frame, asked.moves)
    level = 0 if tried.met else min(asked.help, MOST_HELP)
    tone, marks = _emphasis(told.frame, tried, level)
    whys = told.whys(tried.verdict)
    won = told.line("!", tried.facts) if tried.met else ""
    return Task(
        kind="do",
        title=told.title,
        text=(told.line(),),
        scene=told.scene(tried.state, marks=marks, tone=tone, tried=tried.wanted, picks=asked.picks),
        open=not tried.met,
        said=won or " ".join(why.html for why in whys),
        refused=bool(whys),
        attempt=tried,
        deeds=tuple(told.words.say_deed(deed) for deed in tried.deeds),
        whys=whys,
        won=won,
        help=level,
        rule=_helpful(told),
        solution=told.frame.step.play if not tried.met and (tried.tried or level == MOST_HELP) else (),
    )


def _emphasis(frame: Frame, tried: Attempt, level: int) -> tuple[Tone, tuple[str, ...]]:
    """What the picture points at: the refusal, the places of the solution, or what was just done."""
    if tried.refused:
        return "refused", tried.marks
    if level and not tried.played:
        return "hint", frame.marks
    return "changed", tried.marks


def _helpful(told: Telling) -> Entry | None:
    rules = [*told.frame.step.shows, *sorted(told.frame.cited)]
    return told.texts.entries[rules[0]] if rules else None


def _refuse(told: Telling, asked: Asked) -> Refusal:
    """The move stands in the scenario, so the address only says whether it was tried."""
    whys = told.whys(told.frame.verdict) if asked.moves else ()
    return Refusal(
        kind="refuse",
        title=told.title,
        text=(told.line(),),
        scene=told.still() if whys else told.scene(told.frame.before),
        open=not whys,
        said=" ".join(why.html for why in whys),
        refused=bool(whys),
        deed=told.deeds[0],
        move=told.frame.step.refuse,
        whys=whys,
    )


# Questions


def _moves_to_choose(told: Telling) -> tuple[Answer, ...]:
    game, before = told.course.book.game, told.frame.before
    return tuple(
        Answer(
            str(i),
            told.words.say_deed(game.tell(before, game.parse_move(text))),
            verdict.ok,
            told.whys(verdict),
        )
        for i, (text, verdict) in enumerate(told.frame.choices)
    )


def _answers(told: Telling) -> tuple[Answer, ...]:
    """A number among its neighbours, or the players of the table."""
    answer = told.frame.answer
    if isinstance(answer, int):
        # The right number is not always the same one of the five, but the same for every reader.
        below = crc32(told.frame.step.id.encode()) % ANSWERS_OFFERED
        least = max(0, answer - below)
        return tuple(Answer(str(n), str(n), n == answer) for n in range(least, least + ANSWERS_OFFERED))
    right = answer if isinstance(answer, tuple) else (answer,)
    seats = range(1, told.course.book.game.seats(told.frame.after) + 1)
    return tuple(Answer(f"p{n}", told.words.word(f"p{n}"), f"p{n}" in right) for n in seats)


def _question(told: Telling, asked: Asked, answers: tuple[Answer, ...], single: bool) -> Question:
    return Question(
        kind=told.frame.kind,
        title=told.title,
        text=(told.line(),),
        scene=told.scene(told.frame.after, marks=told.frame.step.at, picks=asked.picks),
        open=not asked.checked,
        answers=answers,
        chosen=asked.choices,
        single=single,
        checked=asked.checked,
        right=all(answer.right == (answer.value in asked.choices) for answer in answers),
        explained=told.line("!") if asked.checked else "",
    )
