"""A question put to a table: what can be answered, what was, and what the engine says of every answer."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from tutor.book.texts import Why
from tutor.lessons.beats import Beat
from tutor.lessons.course import Course
from tutor.lessons.input import NO, YES, Input, Replies
from tutor.lessons.lesson import Screen
from tutor.lessons.practice import attempt
from tutor.lessons.screen_views import Prediction, Question, ScreenView, show
from tutor.rules.errors import RulesError

MOST_VOTES_TOLD_APART = 50
"""Different answers that are told apart. More are nonsense, and each would have to be judged."""
LONGEST_VOTE_CHARS = 200
"""No sensible vote is longer."""
JOIN = "."
"""Between the answers of somebody who has chosen several."""


@dataclass(frozen=True)
class Choice:
    """One answer. The words for yes and no belong to the interface, so these have no label."""

    value: str
    label: str
    right: bool
    whys: tuple[Why, ...] = ()
    """Why it is refused, if it is a move."""
    off: bool = False
    """Whether it is a move that is allowed but does not reach the goal."""
    places: tuple[str, ...] = ()
    """Where on the board it is made."""
    before: int = 0
    """How often it was given in the vote before."""
    count: int = 0
    share: int = 0
    """Of those who answered, in per cent."""


@dataclass(frozen=True)
class Tally:
    choices: tuple[Choice, ...] = ()
    answered: int = 0
    moves: bool = False
    """Whether the choices are moves, those that most want first; else all that is offered, in its order."""
    heat: Mapping[str, int] = field(default_factory=dict)
    """How many of the moves that were voted for are made at each place."""


@dataclass(frozen=True)
class Poll:
    course: Course
    screen_id: str
    before: Replies
    """In a recap: the answers to the questions before this one."""
    lang: str

    @classmethod
    def of(cls, course: Course, beat: Beat, lang: str) -> "Poll":
        """The question of a beat, whether it is asked or answered there."""
        screen = course.lessons.screens[beat.screen]
        return cls(course, screen.id, beat.given.replies.before if screen.recap else Replies(), lang)

    @property
    def screen(self) -> Screen:
        return self.course.lessons.screens[self.screen_id]

    @property
    def on_board(self) -> bool:
        """Whether the answer is a move."""
        return self.screen.kind == "do"

    @property
    def several(self) -> bool:
        """Whether more than one answer can be chosen."""
        view = self._view()
        return isinstance(view, Question) and not view.single

    @property
    def offered(self) -> tuple[Choice, ...]:
        """The answers to choose from; none where the answer is a move."""
        return _offer(self)

    def choice(self, value: str) -> Choice | None:
        """An answer by its value: one of those offered, or any move. None if it makes no sense here."""
        if self.on_board:
            return _move(self, value)
        return next((one for one in self.offered if one.value == value), None)

    def choices_in(self, vote: str) -> tuple[Choice, ...]:
        """All that one guest has chosen, in the order in which it is offered."""
        if self.on_board:
            return tuple(filter(None, [_move(self, vote)]))
        return tuple(one for one in self.offered if one.value in vote.split(JOIN))

    def normalize(self, vote: str) -> str:
        """A vote in the one form in which it is counted; empty if it is not a vote."""
        if self.on_board:
            move = _move(self, vote)
            return move.value if move else ""
        chosen = vote.split(JOIN)
        if any(self.choice(value) is None for value in chosen) or (len(chosen) > 1 and not self.several):
            return ""
        return JOIN.join(one.value for one in self.offered if one.value in chosen)

    def is_right(self, vote: str) -> bool:
        """Whether all that was chosen is right, and all that is right was chosen."""
        chosen = self.choices_in(vote)
        if self.on_board:
            return bool(chosen) and chosen[0].right
        return chosen == tuple(one for one in self.offered if one.right)

    def tally(self, votes: Counter[str], former: Counter[str] | None = None) -> Tally:
        """How the table has voted, and how in the vote before."""
        answered, split, before = votes.total(), self._split(votes), self._split(former or Counter())
        values = [value for value, _ in split.most_common()] if self.on_board else None
        choices = self.offered if values is None else tuple(filter(None, map(self.choice, values)))
        counted = tuple(
            replace(
                one,
                before=before[one.value],
                count=split[one.value],
                share=round(100 * split[one.value] / max(1, answered)),
            )
            for one in choices
        )
        heat: Counter[str] = Counter()
        for one in counted if self.on_board else ():
            heat.update(dict.fromkeys(one.places, one.count))
        return Tally(counted, answered, self.on_board, heat)

    def _split(self, votes: Counter[str]) -> Counter[str]:
        """How often each answer was given; a guest who chose several counts for each."""
        split: Counter[str] = Counter()
        for vote, count in votes.most_common(MOST_VOTES_TOLD_APART):
            for one in self.choices_in(vote):
                split[one.value] += count
        return split

    def _view(self, reply: str = "") -> ScreenView:
        return show(self.course, self.screen, self.lang, Input(replies=self.before.answer(reply)))


@lru_cache(512)
def _offer(poll: Poll) -> tuple[Choice, ...]:
    view = poll._view()
    if isinstance(view, Question):
        return tuple(Choice(one.value, one.label, one.right, one.whys or ()) for one in view.answers)
    if isinstance(view, Prediction):
        answer = poll._view(YES)
        assert isinstance(answer, Prediction)
        return (
            Choice(YES, "", answer.allowed, () if answer.allowed else answer.whys),
            Choice(NO, "", not answer.allowed),
        )
    return ()


def _move(poll: Poll, text: str) -> Choice | None:
    """A move that somebody would make; None if it cannot be one of the learner's here."""
    # Anybody may type anything: what is too long is not even looked for among what is known.
    return _parse_move(poll, text) if len(text) <= LONGEST_VOTE_CHARS else None


@lru_cache(1024)
def _parse_move(poll: Poll, text: str) -> Choice | None:
    told = poll.course.tell(poll.screen.scenario, poll.screen.step, poll.lang)
    game, step = poll.course.book.game, told.step
    try:
        move = game.parse_move(text)
        tried = attempt(game, step, (text,))
        deed = game.tell(step.before, move)
        label = told.words.say_deed(deed)
    except (RulesError, LookupError):
        return None
    if move.seat != step.seat:
        return None
    whys = told.whys(tried.verdict)
    return Choice(game.format_move(move), label, not tried.missed, whys, tried.off, deed.at)
