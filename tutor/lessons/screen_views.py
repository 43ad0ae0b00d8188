"""What a screen of a lesson shows, by its kind, in one language. No addresses and no templates here."""

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from zlib import crc32

from tutor.book.scenario import PlayedStep
from tutor.book.texts import Entry, Why
from tutor.lessons.course import Course, ToldStep
from tutor.lessons.input import YES, Input, Replies
from tutor.lessons.lesson import Kind, Screen
from tutor.lessons.practice import Attempt, attempt
from tutor.lessons.scene import Ghost, Scene, Tone, tone_of
from tutor.rules.base import CHANCE, Move, Value, Verdict

NUDGE, PLACES, SOLUTION = 1, 2, 3
"""What a learner is helped with after the first, second and third miss, or on demand."""
ANSWERS_OFFERED = 5
LEAST_BEATS = 3
VIEWS_KEPT = 128
"""Few, as anybody can ask for screens with arbitrary moves on them."""


class NoQuestions(LookupError):
    """A recap for which the engine has found nothing to ask."""


@dataclass(frozen=True, kw_only=True)
class ScreenView:
    """What every screen shows."""

    kind: Kind
    title: str
    rules: tuple[Entry, ...] = ()
    """The rules introduced here."""
    task: str = ""
    """HTML: what happens here, or what is asked."""
    scene: Scene | None = None
    open: bool = False
    """Whether something is left to do here."""
    announced: str = ""
    """HTML of what is announced when the page changes."""
    refused: bool = False
    helped: bool = False
    """Whether the learner needed help, or missed."""


@dataclass(frozen=True, kw_only=True)
class Watching(ScreenView):
    deeds: tuple[str, ...]
    beat: int
    """How much of what happens was shown so far; nothing at 0."""


@dataclass(frozen=True, kw_only=True)
class Task(ScreenView):
    """Something to do on the board."""

    attempt: Attempt
    deeds: tuple[str, ...]
    whys: tuple[Why, ...]
    won: str
    but: str
    """What the learner's move has led to instead of the goal, if the rulebook has words for it."""
    help: int
    alone: bool
    hint: Entry | None
    """The rule that helps."""
    told: bool
    """Whether the learner was told the solution before."""
    solution: tuple[str, ...]
    """The moves of the solution, once they may be shown."""
    solved: tuple[str, ...]
    """What the learner does in them, in words."""


@dataclass(frozen=True, kw_only=True)
class Prediction(ScreenView):
    """A move: will the referee allow it? `answer` is empty until the learner has said yes or no."""

    deed: str
    answer: str
    right: bool = False
    allowed: bool = False
    whys: tuple[Why, ...] = ()
    number: int = 1
    count: int = 1
    """The place among the questions of a recap."""


@dataclass(frozen=True)
class Answer:
    """One answer to a question; the engine has computed whether it is right."""

    value: str
    label: str
    right: bool
    whys: tuple[Why, ...] | None = None
    """Why a move is refused, empty if it is allowed; None where the answer is not a move."""


@dataclass(frozen=True, kw_only=True)
class Question(ScreenView):
    deeds: tuple[str, ...] = ()
    """What happens before the question."""
    answers: tuple[Answer, ...]
    chosen: frozenset[str]
    single: bool
    checked: bool
    empty: bool
    """Whether Check was pressed with nothing chosen."""
    right: bool
    explained: str


@dataclass(frozen=True, kw_only=True)
class End(ScreenView):
    """What was learned, and how to set up a first game."""

    setup: tuple[Entry, ...]


def show(course: Course, screen: Screen, lang: str, given: Input) -> ScreenView:
    """What the screen shows. The latest are kept: several parts of a live table need the same one."""
    if course.lessons.screens.get(screen.id) is screen:
        return _show_kept(course, screen.id, lang, given)
    return _show(course, screen, lang, given)  # made for one reader


@lru_cache(VIEWS_KEPT)
def _show_kept(course: Course, screen: str, lang: str, given: Input) -> ScreenView:
    return _show(course, course.lessons.screens[screen], lang, given)


def _show(course: Course, screen: Screen, lang: str, given: Input) -> ScreenView:
    """Counts are left out while a question on this scenario is still to come."""
    view = _view(course, screen, lang, given)
    if view.scene and screen.known:
        view = replace(view, scene=replace(view.scene, known=screen.known))
    if screen.title:
        view = replace(view, title=course.texts[lang].entries[screen.title].title)
    lesson = course.lessons.lesson_of(screen)
    later = lesson.screens[lesson.index[screen.id] + 1 :] if screen.id in lesson.index else ()
    asks = [one for one in later if one.kind == "ask" and not one.ask]
    if view.scene and any(one.scenario == screen.scenario for one in asks):
        return replace(view, scene=replace(view.scene, quiet=True))
    return view


def _view(course: Course, screen: Screen, lang: str, given: Input) -> ScreenView:
    rules = tuple(course.texts[lang].entries[rule] for rule in screen.rules)
    if screen.kind == "end":
        return _end(course, screen, lang)
    if screen.kind == "recap":
        return _recap(course, screen, lang, given)
    if not screen.scenario:
        return ScreenView(kind="read", title=rules[0].title, rules=rules)
    told = course.tell(screen.scenario, screen.step, lang)
    if screen.act_first and not _is_answered(given):
        rules = ()
    match screen.kind:
        case "read":
            return ScreenView(
                kind="read", title=rules[0].title, rules=rules, scene=told.scene(told.step.before)
            )
        case "do":
            return _do(told, rules, screen, given)
        case "predict":
            return _predict(told, rules, given)
        case "choose":
            return _choose(told, rules, given)
        case "ask":
            return _ask(told, rules, screen, given)
    return _watch(told, rules, given)


def _is_answered(given: Input) -> bool:
    return bool(given.replies.text or (given.checked and given.choices))


def _end(course: Course, screen: Screen, lang: str) -> End:
    lesson = course.lessons.lesson_of(screen)
    entries = course.texts[lang].entries
    start = f"{course.book.id}.setup."
    setup = [entry for name, entry in entries.items() if name.startswith(start) and entry.kind == "rule"]
    return End(
        kind="end",
        title="",
        rules=tuple(entries[rule] for rule in lesson.rules),
        setup=tuple(setup) if lesson is course.lessons.first else (),
    )


def _title(told: ToldStep, rules: tuple[Entry, ...]) -> str:
    return rules[0].title if rules else told.title


def _watch(told: ToldStep, rules: tuple[Entry, ...], given: Input) -> Watching:
    """First the position before, then what happens in it; in several beats if a lot happens."""
    beats = _beats(told)
    beat = min(given.replies.beats_watched, len(beats))
    view = Watching(
        kind="watch",
        title=_title(told, rules),
        rules=rules,
        task=told.line(),
        scene=told.still(),
        announced=told.line(),
        deeds=told.deeds,
        beat=beat,
    )
    if beat == len(beats):
        return view
    played = beats[beat - 1] if beat else 0
    game, state = told.course.book.game, told.step.before
    for text in told.step.file.play[:played]:
        state = game.play(state, game.parse_move(text))
    begun = beats[beat - 2] if beat > 1 else 0
    marks = tuple(place for deed in told.step.deeds[begun:played] for place in deed.at)
    return replace(
        view,
        task="",
        scene=told.scene(state, marks=marks, quiet=True),
        open=True,
        announced=" ".join(told.deeds[begun:played]),
        deeds=told.deeds[:played],
    )


def _beats(told: ToldStep) -> tuple[int, ...]:
    """After how many moves each beat ends. Dice and cards belong to the move before them, and so do players
    who do the same as the one before; what is over soon is one beat."""
    moves = [*map(told.course.book.game.parse_move, told.step.file.play)]
    joined = [
        after.seat == CHANCE or (after.act == before.act and not after.what)
        for before, after in pairwise(moves)
    ]
    ends = (*(i for i, one in enumerate(joined, 1) if not one), len(moves))
    return ends if len(ends) >= LEAST_BEATS else ends[-1:]


# Tasks


def _do(told: ToldStep, rules: tuple[Entry, ...], screen: Screen, given: Input) -> Task:
    tried = attempt(told.course.book.game, told.step, given.moves)
    level = 0 if tried.met or screen.alone else min(given.help, SOLUTION)
    hint = _next_move(told, tried) if level >= PLACES else None
    tone, marks = _emphasize(told.step, tried, hint is not None)
    whys = told.whys(tried.verdict)
    won = told.line("!", tried.facts) if tried.met else ""
    picks = given.picks or tried.still_picked
    return Task(
        kind="do",
        title=_title(told, rules),
        rules=rules,
        task=told.line(),
        scene=told.scene(
            tried.state,
            marks=marks,
            tone=tone,
            tried=tried.wanted,
            look=told.step.marks,
            picks=picks,
            hint=hint,
        ),
        open=not tried.met,
        announced=won or " ".join(why.html for why in whys),
        refused=bool(whys),
        helped=bool(given.help or tried.missed),
        attempt=tried,
        deeds=tuple(told.words.say_deed(deed) for deed in tried.deeds),
        whys=whys,
        won=won,
        but=told.line("?", tried.facts) if tried.off else "",
        help=level,
        alone=screen.alone,
        hint=_find_helpful_rule(told, screen),
        told=given.help >= SOLUTION and not screen.alone,
        solution=told.step.file.play if level == SOLUTION else (),
        solved=tuple(deed for _, deed in _solution(told)) if level == SOLUTION else (),
    )


def _emphasize(step: PlayedStep, tried: Attempt, hinted: bool) -> tuple[Tone, tuple[str, ...]]:
    """What the picture points at: the refusal, the places of the solution, or what was just done."""
    if tried.refused and tried.verdict:
        return tone_of(tried.verdict), tried.marks
    if hinted and not tried.off:
        return "hint", tuple(place for place in step.marks if place not in tried.marks)
    return "changed", tried.marks


def _next_move(told: ToldStep, tried: Attempt) -> Move | None:
    """The learner's next move of the solution."""
    done = list(map(told.course.book.game.parse_move, tried.played))
    return next((move for move, _ in _solution(told) if move not in done), None)


def _solution(told: ToldStep) -> list[tuple[Move, str]]:
    """What the learner has to do, as moves and in words."""
    moves = map(told.course.book.game.parse_move, told.step.file.play)
    both = zip(moves, told.deeds, strict=True)
    return [(move, deed) for move, deed in both if move.seat == told.step.seat]


def _find_helpful_rule(told: ToldStep, screen: Screen) -> Entry | None:
    """The rule that helps most: one that is introduced here, if it matters."""
    rules = [*told.step.file.shows, *sorted(told.step.cited)]
    rules.sort(key=lambda rule: rule not in screen.rules)
    return next((told.texts.entries[rule] for rule in rules if rule in told.texts.entries), None)


# Yes or no


def _predict(told: ToldStep, rules: tuple[Entry, ...], given: Input) -> Prediction:
    """A move of the scenario: one that the rules refuse, or one that they allow."""
    game, step = told.course.book.game, told.step
    answer = given.replies.latest
    verdict = step.verdict or game.judge(step.before, game.parse_move(step.file.play[0]))
    if verdict.ok:  # the rule that is introduced here first: only that one is read out
        reasons = sorted(verdict.reasons, key=lambda reason: all(reason.rule != rule.id for rule in rules))
        verdict = replace(verdict, reasons=tuple(reasons))
    refused = step.verdict is not None
    return _prediction(
        Prediction(
            kind="predict",
            title=_title(told, rules),
            rules=rules,
            task=told.line() if refused or answer else "",
            scene=told.still() if answer else _propose(told),
            deed=told.deeds[0],
            answer=answer,
        ),
        verdict,
        told.texts.explain(verdict, told.words),
    )


def _propose(told: ToldStep) -> Scene:
    """The position with the move that is asked about, not yet made."""
    step = told.step
    text = step.file.refuse or step.file.play[0]
    ghost = Ghost(told.course.book.game.parse_move(text), step.deeds[0].at)
    return told.scene(step.before, marks=ghost.at, tone="asked", ghosts=(ghost,))


def _recap(course: Course, screen: Screen, lang: str, given: Input) -> Prediction:
    """One question after the other."""
    if not screen.quizzes:
        raise NoQuestions(screen.id)
    number, answer = _current_question(screen, given.replies)
    quiz = screen.quizzes[number]
    words = course.book.words[lang].with_cast(course.lessons.lesson_of(screen).players)
    deed = course.book.game.tell(quiz.state, quiz.move)
    ghost = Ghost(quiz.move, deed.at)
    scene = Scene(state=quiz.state, words=words, seat=quiz.seat, marks=deed.at, tone="asked", ghosts=(ghost,))
    if answer and quiz.verdict.ok:
        played = course.book.game.play(quiz.state, quiz.move)
        scene = replace(scene, state=played, tone="changed", ghosts=())
    elif answer:
        tone = tone_of(quiz.verdict)
        scene = replace(scene, marks=quiz.verdict.at, tone=tone, tried=deed.at)
    return _prediction(
        Prediction(
            kind="recap",
            title="",
            scene=scene,
            deed=words.say_deed(deed),
            answer=answer,
            number=number + 1,
            count=len(screen.quizzes),
        ),
        quiz.verdict,
        course.texts[lang].explain(quiz.verdict, words),
    )


def find_missed(screen: Screen, replies: Replies) -> str:
    """The question of a recap that was just answered wrongly; empty if none was."""
    number, answer = _current_question(screen, replies)
    right = not answer or (answer == YES) == screen.quizzes[number].verdict.ok
    return "" if right else f"{screen.id}~{number}"


def _current_question(screen: Screen, replies: Replies) -> tuple[int, str]:
    """The question that is shown, from 0, and its answer so far."""
    return min(replies.number, len(screen.quizzes) - 1), replies.latest


def _prediction(question: Prediction, verdict: Verdict, whys: tuple[Why, ...]) -> Prediction:
    """The question, and once it is answered the verdict with it."""
    if not question.answer:
        return replace(question, open=True)
    right = (question.answer == YES) == verdict.ok
    return replace(
        question,
        right=right,
        helped=not right,
        allowed=verdict.ok,
        refused=not verdict.ok,
        whys=whys,
        announced=" ".join(why.html for why in whys),
    )


# Questions


def _choose(told: ToldStep, rules: tuple[Entry, ...], given: Input) -> Question:
    """Moves to tell apart. Where each would be made is marked, and which was right once they are told apart;
    moves that share a place are told apart in words only."""
    game, before = told.course.book.game, told.step.before
    moves = [(game.parse_move(text), verdict.ok) for text, verdict in told.step.choices]
    ghosts = tuple(Ghost(move, game.tell(before, move).at, "right" if ok else "wrong") for move, ok in moves)
    places = tuple(place for ghost in ghosts for place in ghost.at)
    view = _question(told, rules, given, _moves_to_choose(told), single=False)
    if view.scene is None or view.scene.marks:
        return view
    if not view.checked:
        ghosts = tuple(replace(ghost, verdict="") for ghost in ghosts)
    if len(set(places)) < len(places):
        ghosts = ()
    return replace(view, scene=replace(view.scene, marks=places, tone="asked", look=places, ghosts=ghosts))


def _moves_to_choose(told: ToldStep) -> tuple[Answer, ...]:
    game, before = told.course.book.game, told.step.before
    return tuple(
        Answer(
            str(i),
            told.words.say_deed(game.tell(before, game.parse_move(text))),
            verdict.ok,
            told.whys(verdict),
        )
        for i, (text, verdict) in enumerate(told.step.choices)
    )


def _ask(told: ToldStep, rules: tuple[Entry, ...], screen: Screen, given: Input) -> Question:
    """A fact of the step: the step asks for it, or else the screen does before the step is told."""
    fact = screen.ask or told.step.file.ask
    answer = told.step.facts.get(fact, 0)
    single = not isinstance(answer, tuple) or len(answer) == 1
    view = _question(told, rules, given, _answers(told, answer), single)
    if not screen.ask:
        return replace(view, scene=replace(view.scene, told=fact)) if view.scene and view.checked else view
    family, *of = fact.split(".")
    named = dict(zip(("player", "what"), of, strict=False))
    return replace(
        view,
        deeds=told.deeds,
        task=told.words.phrase(f"ask-{family}", **named),
        explained=told.line() if view.checked else "",
        scene=told.scene(
            told.step.after,
            marks=told.step.marks,
            quiet=not view.checked,
            asked="" if view.checked else fact,
            told=fact if view.checked else "",
        ),
    )


def _answers(told: ToldStep, answer: Value) -> tuple[Answer, ...]:
    """A number among its neighbours, or the players of the table."""
    if isinstance(answer, int):
        # The right number is not always the same one of the five, but the same for every reader.
        below = crc32(told.step.file.id.encode()) % ANSWERS_OFFERED
        least = max(0, answer - below)
        return tuple(Answer(str(n), str(n), n == answer) for n in range(least, least + ANSWERS_OFFERED))
    right = answer if isinstance(answer, tuple) else (answer,)
    seats = range(1, told.course.book.game.seats(told.step.after) + 1)
    return tuple(Answer(f"p{n}", told.words.word(f"p{n}"), f"p{n}" in right) for n in seats)


def _question(
    told: ToldStep, rules: tuple[Entry, ...], given: Input, answers: tuple[Answer, ...], single: bool
) -> Question:
    checked = given.checked and bool(given.choices)
    right = all(answer.right == (answer.value in given.choices) for answer in answers)
    return Question(
        kind="choose" if told.step.choices else "ask",
        title=_title(told, rules),
        rules=rules,
        task=told.line(),
        scene=told.scene(told.step.after, marks=told.step.file.at, picks=given.picks, quiet=not checked),
        open=not checked,
        helped=checked and not right,
        answers=answers,
        chosen=given.choices,
        single=single,
        checked=checked,
        empty=given.checked and not checked,
        right=right,
        explained=told.line("!") if checked else "",
    )
