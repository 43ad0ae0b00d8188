"""What is proved of a storyline: each fault of a lesson is found, with its screen and line (in Nim)."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import nim
from tests.conftest import replace
from tutor.book.check import check
from tutor.book.load import load
from tutor.book.model import LessonFile
from tutor.book.source import Problem
from tutor.book.words import LANGUAGES
from tutor.lessons import proof
from tutor.lessons.course import Course
from tutor.lessons.lesson import Lesson
from tutor.paths import TRANSLATIONS
from tutor.rules.base import Move, State

Check = Callable[[Course, Lesson, LessonFile], proof.Found]
LESSON = "nim/lesson.toml"


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return nim.content(tmp_path / "content")


def said(content: Path, problems: list[Problem]) -> list[str]:
    return [f"{p.file.relative_to(content)}:{p.line}: {p.text}" for p in problems]


# What a storyline names


NAMED: dict[str, tuple[str, str, str, str]] = {
    "an id that is used twice": (
        LESSON,
        'id = "next-turn"',
        'id = "take"',
        f"{LESSON}:16: take: the id is used twice",
    ),
    "an id that another lesson uses": (
        LESSON,
        'id = "other-way"',
        'id = "goal"',
        f"{LESSON}:29: goal: the id is used twice",
    ),
    "a step that is not there": (
        LESSON,
        "turns/all",
        "turns/none",
        f"{LESSON}:11: take: there is no step turns/none",
    ),
    "a scenario that is not there": (
        LESSON,
        "turns/all",
        "turn/all",
        f"{LESSON}:11: take: there is no step turn/all",
    ),
    "a question after a fact that is not there": (
        LESSON,
        'show = "ends/misere"',
        'show = "ends/misere"\nask = "points.p1"',
        f"{LESSON}:29: other-way: there is no fact points.p1 to ask for",
    ),
    "a question that has no words": (
        LESSON,
        'show = "ends/misere"',
        'show = "ends/misere"\nask = "winners"',
        f"{LESSON}:29: other-way: phrases.ask-winners is missing in words.pl.toml",
    ),
    "a screen that shows nothing": (
        LESSON,
        "recap = 3",
        "alone = true",
        f"{LESSON}:21: questions: has nothing to read",
    ),
    "a screen that is read but has no text": (
        LESSON,
        "recap = 3",
        'show = "turns/all"\nread = true',
        f"{LESSON}:21: questions: has nothing to read",
    ),
    "a rule that is not there": (
        LESSON,
        'rules = ["nim.turn"]',
        'rules = ["nim.turns"]',
        f"{LESSON}:16: next-turn: there is no rule nim.turns",
    ),
    "a rule that is introduced twice": (
        LESSON,
        'rules = ["nim.turn"]',
        'rules = ["nim.turn", "nim.heap"]',
        f"{LESSON}:16: next-turn: nim.heap was introduced before",
    ),
    "too many rules at once": (
        LESSON,
        'rules = ["nim.heap", "nim.count"]',
        'rules = ["nim.heap", "nim.count", "nim.turn"]',
        f"{LESSON}:11: take: introduces 3 rules; 2 at most",
    ),
    "a lesson without a name in one language": (
        "nim/words.pl.toml",
        "lesson-misere",
        "lesson-other",
        "nim/words.pl.toml:10: phrases.lesson-misere is missing",
    ),
    "a player whom nobody knows": (
        LESSON,
        'players = ["anna", "tim"]',
        'players = ["anna", "tom"]',
        f"{LESSON}:1: basics: nobody is called tom in pl",
    ),
}


@pytest.mark.parametrize("fault", NAMED)
@pytest.mark.patient
def test_what_a_storyline_names_must_be_there(fault: str, content: Path) -> None:
    name, old, new, message = NAMED[fault]
    replace(content / name, old, new)
    assert message in said(content, check(content, TRANSLATIONS, games=nim.GAMES))


# What a lesson must do


def proved(content: Path) -> list[str]:
    """What is wrong with the lessons of content that has no other problem."""
    library = load(content, nim.GAMES)
    problems = check(content, TRANSLATIONS, games=nim.GAMES)
    assert [problem for problem in problems if " counts 0 " not in problem.text] == []
    return said(content, list(proof.prove(library)))


LONG = " ".join(["Weź"] * 56)

LESSONS: dict[str, tuple[Check, str, str, str, str]] = {
    "too many screens": (
        proof.check_size,
        LESSON,
        "most = 5",
        "most = 3",
        f"{LESSON}:1: basics: has 4 screens; 3 at most",
    ),
    "too little to do": (
        proof.check_size,
        LESSON,
        'show = "turns/again"',
        'show = "turns/again"\nread = true',
        f"{LESSON}:1: basics: the learner acts on 2 of 4 screens only",
    ),
    "too much to read in one language": (
        proof.check_words,
        "nim/rulebook.pl.md",
        "Weź jedną zapałkę",
        f"{LONG} jedną zapałkę",
        f"{LESSON}:11: take: 76 words in pl before the learner acts; 60 at most",
    ),
    "a core rule that is not introduced": (
        proof.check_core,
        LESSON,
        'rules = ["nim.last"]',
        "rules = []",
        f"{LESSON}:1: basics: the core rule nim.last is not introduced",
    ),
    "a core rule that is only read": (
        proof.check_core,
        LESSON,
        'show = "ends/last"\n',
        "",
        f"{LESSON}:1: basics: the core rule nim.last is not practised",
    ),
    "a refusal by a rule that comes later": (
        proof.check_order,
        LESSON,
        'rules = ["nim.heap", "nim.count"]',
        'rules = ["nim.heap"]',
        f"{LESSON}:11: take: a move is refused by nim.count, which is not introduced yet",
    ),
    "a solution that was seen before": (
        proof.check_spoilers,
        LESSON,
        'show = "ends/last"',
        'show = "turns/many"',
        f"{LESSON}:11: take: its solution was seen on goal",
    ),
    "a recap without enough to ask": (
        proof.check_recaps,
        LESSON,
        'rules = ["nim.last"]\n',
        'rules = ["nim.last"]\n[[lesson.screen]]\nid = "early"\nrecap = 1\n',
        f"{LESSON}:10: early: only 0 questions were found for 1",
    ),
    "the title of the screen before": (
        proof.check_titles,
        LESSON,
        'rules = ["nim.turn"]',
        'rules = ["nim.turn"]\ntitle = "nim.heap"',
        f"{LESSON}:16: next-turn: has the title of take in it: Un solo mucchio",
    ),
    "two recaps in a row": (
        proof.check_recaps,
        LESSON,
        "recap = 3",
        'recap = 2\n[[lesson.screen]]\nid = "more"\nrecap = 2',
        f"{LESSON}:24: more: two recaps in a row",
    ),
}


@pytest.mark.parametrize("fault", LESSONS)
@pytest.mark.patient
def test_a_lesson_that_cannot_be_followed_is_a_problem(
    fault: str, content: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is found by one of the checks, and by no other."""
    test, name, old, new, message = LESSONS[fault]
    if fault == "a refusal by a rule that comes later":
        replace(content / LESSON, 'rules = ["nim.turn"]', 'rules = ["nim.turn", "nim.count"]')
    replace(content / name, old, new)
    assert message in proved(content)
    monkeypatch.setattr(proof, "CHECKS", [one for one in proof.CHECKS if one is not test])
    assert message not in proved(content)


def test_no_check_is_without_a_fault_here() -> None:
    # The last one has tests of its own, below.
    assert {test for test, *_ in LESSONS.values()} | {proof.check_answers} == set(proof.CHECKS)


def test_a_task_after_which_nobody_goes_on_is_a_problem(content: Path) -> None:
    """Tim's first answer needs what Anna should have left, and his second one would still reach the goal."""
    solution = '"p1 take 1 2", "p2 take 1 1", "p1 take 2 4", "p2 take 3 5"'
    turns = content / "nim" / "scenarios" / "turns.toml"
    replace(turns, 'play = ["p1 take 1 3"]', f"play = [{solution}]")
    replace(turns, 'goal = { "heap.1" = 0 }\nfacts = { left = 9, active = "p2" }', 'goal = { "heap.3" = 0 }')
    replace(turns, 'id = "empty"\n', 'id = "empty"\nstart = "take active=p2 heaps=0,4,5"\n')
    assert proved(content) == [f"{LESSON}:11: take: after p1 take 1 3 nobody goes on"]


def test_a_move_that_other_players_answer_is_not_a_problem(content: Path) -> None:
    turns = content / "nim" / "scenarios" / "turns.toml"
    replace(turns, 'play = ["p1 take 1 3"]', 'play = ["p1 take 1 3", "p2 take 2 4", "p1 take 3 4"]')
    replace(turns, "facts = { left = 9", "facts = { left = 1")
    replace(turns, 'goal = { "heap.1" = 0 }', "goal = { left = 1 }")
    replace(turns, 'id = "empty"\n', 'id = "empty"\nstart = "take active=p2 heaps=0,4,5"\n')
    assert proved(content) == []


TERM = """[last-match]
rules = { nim = "nim.turn" }
taught = true

[last-match.words]
it = { word = "turno", begins = ["turno"] }
pl = { word = "pierwszy stos", begins = ["pierwszy stos"] }
es = { word = "turno", begins = ["turno"] }
en = { word = "turn", begins = ["turn"] }
"""


def test_a_term_that_is_used_too_early_is_a_problem(content: Path) -> None:
    (content / "terms.toml").write_text(TERM, "utf-8")
    assert proved(content) == [f"{LESSON}:11: take: says “pierwszy stos” in pl too early: nim.turn"]


def test_a_term_of_a_rule_that_is_known_by_then_is_not_a_problem(content: Path) -> None:
    (content / "terms.toml").write_text(TERM.replace("nim.turn", "nim.heap"), "utf-8")
    assert proved(content) == []


def test_a_term_that_is_not_taught_may_be_used_at_any_time(content: Path) -> None:
    (content / "terms.toml").write_text(TERM.replace("taught = true", "taught = false"), "utf-8")
    assert proved(content) == []


def test_an_author_sees_each_screen_with_its_words_and_faults(content: Path) -> None:
    replace(content / LESSON, "most = 5", "most = 3")
    replace(content / LESSON, 'rules = ["nim.heap", "nim.count"]', 'rules = ["nim.heap"]')
    replace(content / LESSON, 'rules = ["nim.turn"]', 'rules = ["nim.turn", "nim.count"]')
    rows = list(proof.storyline(load(content, nim.GAMES), "nim", "en"))
    assert [row["screen"] for row in rows] == ["goal", "take", "next-turn", "questions", "other-way"]
    assert [row["number"] for row in rows] == [1, 2, 3, 4, 1]
    assert rows[0]["problems"] == ["has 4 screens; 3 at most"]
    assert rows[1]["problems"] == ["a move is refused by nim.count, which is not introduced yet"]
    assert rows[1]["rules"] == ["nim.heap"]
    assert set(rows[1]["words"]) == set(LANGUAGES)
    assert all(0 < count <= 60 for count in rows[1]["words"].values())


class Narrow(nim.Nim):
    """Nobody thinks of a move that is refused."""

    def thinkable(self, state: State, seat: int) -> list[Move]:
        return [move for move in self.moves(state) if move.seat == seat]


def test_a_recap_whose_questions_have_one_answer_is_a_problem(content: Path) -> None:
    library = load(content, {"nim": Narrow})
    assert said(content, list(proof.prove(library))) == [
        f"{LESSON}:21: questions: all questions have the same answer"
    ]
