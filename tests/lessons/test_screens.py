"""How a lesson answers: moves and misses, help, scripted players, predictions, questions and recaps."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests import nim
from tests.books import FULL
from tutor.book.load import Library
from tutor.book.model import StepFile
from tutor.book.scenario import PlayedStep
from tutor.book.words import LANGUAGES
from tutor.games import GAMES
from tutor.lessons.course import Course, courses
from tutor.lessons.input import NO_INPUT, Input, Replies
from tutor.lessons.lesson import Screen
from tutor.lessons.practice import Attempt, attempt, find_due_move
from tutor.lessons.quiz import Subject, make_quizzes
from tutor.lessons.scene import tone_of
from tutor.lessons.screen_views import (
    NUDGE,
    PLACES,
    SOLUTION,
    NoQuestions,
    Prediction,
    Question,
    ScreenView,
    Task,
    Watching,
    show,
)
from tutor.rules.base import Game, Move

each_game = pytest.mark.parametrize("name", GAMES)


def screens(course: Course, *kinds: str) -> Iterator[tuple[Screen, PlayedStep]]:
    for screen in course.lessons.screens.values():
        if screen.kind in kinds:
            yield screen, course.runs[screen.scenario].steps[screen.step]


def doing(course: Course, screen: Screen, **given: Any) -> Task:
    view = show(course, screen, "pl", Input(**given))
    assert isinstance(view, Task)
    return view


# Tasks


def played_on(game: Game, step: PlayedStep, moves: tuple[str, ...]) -> Attempt:
    """The moves, and what dice and scripted players do before the learner is asked again."""
    dice = random.Random(1)
    tried = attempt(game, step, moves)
    for _ in range(20):
        following = find_due_move(game, step, tried, dice)
        if following is None:
            return tried
        tried = attempt(game, step, (*tried.played, following))
    pytest.fail(f"no end after {moves}")


def own_moves(game: Game, step: PlayedStep, tried: Attempt) -> list[str]:
    return [game.format_move(move) for move in game.moves(tried.state) if move.seat == step.seat]


@each_game
def test_every_legal_move_at_every_task_is_answered(all_courses: dict[str, Course], name: str) -> None:
    """It wins, or leads on to a move that does, or is called allowed but not what was asked for."""
    course = all_courses[name]
    game = course.book.game
    for screen, step in screens(course, "do"):
        todo: list[tuple[tuple[str, ...], int]]
        todo = [((text,), 1) for text in own_moves(game, step, attempt(game, step, ()))]
        while todo:
            moves, depth = todo.pop()
            tried = played_on(game, step, moves)
            view = doing(course, screen, moves=tried.played)
            if view.won:
                assert not view.open
            elif view.attempt.off:
                assert view.open
                assert view.helped
                assert view.deeds
            else:
                assert step.seat in game.turn(tried.state), (screen.id, moves)
                further = own_moves(game, step, tried)
                answers = [attempt(game, step, (*tried.played, text)) for text in further]
                assert any(not answer.off for answer in answers), (screen.id, moves)
                if depth < 2:
                    todo += [((*tried.played, text), depth + 1) for text in further]


@each_game
def test_a_move_that_was_not_asked_for_is_taken_back_with_all_that_followed_it(
    all_courses: dict[str, Course], name: str
) -> None:
    course = all_courses[name]
    game = course.book.game
    found = 0
    for screen, step in screens(course, "do"):
        for text in own_moves(game, step, attempt(game, step, ())):
            tried = played_on(game, step, (text,))
            if tried.off:
                found += 1
                assert tried.taken_back == (), screen.id
    assert found


def test_what_the_solution_does_at_once_may_be_done_in_parts(all_courses: dict[str, Course]) -> None:
    course = all_courses["border"]
    screen = course.lessons.screens["villa"]
    for parts in (("p1 cross A6", "p1 cross A7 A8"), ("p1 cross A7 A8", "p1 cross A6")):
        first = doing(course, screen, moves=parts[:1])
        assert (first.attempt.off, first.open, first.helped) == (False, True, False)
        assert doing(course, screen, moves=parts).won


def nim_frame(*play: str, **goal: Any) -> PlayedStep:
    game = nim.book().game
    start = game.setup({})
    return PlayedStep(StepFile("task", play=play, goal=goal), 1, start, start)


def test_scripted_players_act_by_themselves() -> None:
    game = nim.book().game
    step = nim_frame("p1 take 1 3", "p2 take 2 4", "p1 take 3 4", left=1)
    tried = played_on(game, step, ("p1 take 1 3",))
    assert tried.played == ("p1 take 1 3", "p2 take 2 4")
    assert (tried.met, tried.off) == (False, False)
    assert attempt(game, step, (*tried.played, "p1 take 3 4")).met


def test_the_script_is_played_to_its_end_but_not_after_a_refusal_or_before_a_move() -> None:
    game = nim.book().game
    step = nim_frame("p1 take 1 3", "p2 take 2 4", left=9)
    for moves, played in ((("p1 take 1 3",), step.file.play), (("p1 take 1 4",), ()), ((), ())):
        assert played_on(game, step, moves).played == played


def test_a_scripted_player_whose_move_became_impossible_waits() -> None:
    game = nim.book().game
    step = nim_frame("p1 take 1 3", "p2 take 2 4", "p1 take 3 5", left=0)
    tried = played_on(game, step, ("p1 take 2 1",))
    assert tried.played == ("p1 take 2 1",)
    assert tried.off


@each_game
def test_the_dice_and_draws_of_the_script_come_first(all_courses: dict[str, Course], name: str) -> None:
    course = all_courses[name]
    game = course.book.game
    for screen, step in screens(course, "do"):
        moves: tuple[str, ...] = ()
        for text in step.file.play:
            if game.parse_move(text).seat == step.seat:
                moves = played_on(game, step, (*moves, text)).played
        assert moves == step.file.play[: len(moves)], screen.id


@each_game
def test_a_refused_selection_stays_picked(all_courses: dict[str, Course], name: str) -> None:
    course = all_courses[name]
    game = course.book.game
    found = 0
    for screen, step in screens(course, "do"):
        for move in game.thinkable(step.before, step.seat)[:80]:
            if game.judge(step.before, move).ok:
                continue
            view = doing(course, screen, moves=(game.format_move(move),))
            assert view.refused
            assert view.scene
            assert view.scene.tone == tone_of(game.judge(step.before, move))
            assert view.scene.picks == move.what
            assert view.scene.state == game.view(step.before, step.seat)
            other = doing(course, screen, moves=(game.format_move(move),), picks=("other",))
            assert other.scene
            assert other.scene.picks == ("other",)
            found += 1
    assert found


@each_game
def test_help_names_the_rule_then_the_places_then_the_solution(
    all_courses: dict[str, Course], name: str
) -> None:
    course = all_courses[name]
    for screen, step in screens(course, "do"):
        if screen.alone:
            continue
        for level in range(5):
            view = doing(course, screen, help=level)
            assert view.scene
            assert view.help == min(level, SOLUTION)
            assert view.helped == (level >= NUDGE)
            assert view.hint
            assert view.hint.id in {*step.file.shows, *step.cited}
            assert (view.scene.tone == "hint") == (level >= PLACES)
            assert view.scene.marks == (step.marks if level >= PLACES else ())
            assert view.scene.hint == (solution_moves(course, step)[0] if level >= PLACES else None)
            assert view.solution == (step.file.play if level >= SOLUTION else ())
            assert len(view.solved) == (len(solution_moves(course, step)) if level >= SOLUTION else 0)


def solution_moves(course: Course, step: PlayedStep) -> list[Move]:
    moves = map(course.book.game.parse_move, step.file.play)
    return [move for move in moves if move.seat == step.seat]


@each_game
def test_help_goes_on_with_what_is_left_of_the_solution(all_courses: dict[str, Course], name: str) -> None:
    course = all_courses[name]
    parts = 0
    for screen, step in screens(course, "do"):
        first, *rest = solution_moves(course, step)
        if not rest or screen.alone:
            continue
        view = doing(course, screen, help=PLACES, moves=(course.book.game.format_move(first),))
        assert view.scene
        assert view.scene.hint == rest[0]
        assert set(view.scene.marks) == set(step.marks) - set(view.attempt.marks)
        parts += 1
    assert parts or name not in FULL or name == "blockers"


@each_game
def test_help_ends_when_the_task_is_done(all_courses: dict[str, Course], name: str) -> None:
    course = all_courses[name]
    for screen, step in screens(course, "do"):
        view = doing(course, screen, help=SOLUTION, moves=step.file.play)
        assert (view.help, view.solution) == (0, ())


@each_game
def test_a_screen_that_is_played_alone_has_no_help(all_courses: dict[str, Course], name: str) -> None:
    course = all_courses[name]
    alone = [screen for screen, _ in screens(course, "do") if screen.alone]
    assert alone or name not in FULL
    for screen in alone:
        for level in range(1, 5):
            view = doing(course, screen, help=level)
            assert view.scene
            assert (view.alone, view.help, view.solution, view.scene.marks) == (True, 0, (), ())


# Watching


@each_game
def test_a_change_is_watched_from_the_position_before_it(all_courses: dict[str, Course], name: str) -> None:
    course = all_courses[name]
    game = course.book.game
    for screen, step in screens(course, "watch"):
        before, after = (show(course, screen, "es", Input(replies=Replies(said))) for said in ("", "y" * 9))
        assert isinstance(before, Watching)
        assert isinstance(after, Watching)
        assert before.scene
        assert after.scene
        assert (before.open, before.deeds, before.announced) == (True, (), "")
        assert before.scene.state == game.view(step.before, step.seat)
        assert before.scene.marks == ()
        assert (after.open, bool(after.announced)) == (False, bool(after.task))
        assert after.scene.state == game.view(step.after, step.seat)
        assert len(after.deeds) == len(step.deeds)


# Yes or no


@each_game
def test_a_prediction_shows_its_verdict_only_when_it_was_made(
    all_courses: dict[str, Course], name: str
) -> None:
    course = all_courses[name]
    game = course.book.game
    for screen, step in screens(course, "predict"):
        asked = show(course, screen, "en", NO_INPUT)
        assert isinstance(asked, Prediction)
        assert asked.open
        assert asked.deed
        assert (asked.whys, asked.announced, asked.right, asked.refused) == ((), "", False, False)
        assert asked.scene
        assert (asked.scene.tone, asked.scene.tried) == ("asked", ())
        allowed = step.verdict is None  # the one move of a step that is played
        for said, right in (("y", allowed), ("n", not allowed)):
            view = show(course, screen, "en", Input(replies=Replies(said)))
            assert isinstance(view, Prediction)
            assert (view.open, view.right, view.allowed, view.helped) == (False, right, allowed, not right)
            rules = [why.rule for why in view.whys]
            judged = step.verdict or game.judge(step.before, game.parse_move(step.file.play[0]))
            decided = [reason.rule for reason in judged.reasons]
            introduced_first = sorted(decided, key=lambda rule: rule not in screen.rules)
            assert rules == (introduced_first if allowed else decided)
            assert view.announced


def test_some_predicted_moves_are_allowed_and_some_are_not(all_courses: dict[str, Course]) -> None:
    for name in FULL:
        predicted = screens(all_courses[name], "predict")
        assert {step.verdict is None for _, step in predicted} == {True, False}


# Questions


@each_game
def test_a_question_hides_what_it_asks_for_until_it_is_checked(
    all_courses: dict[str, Course], name: str
) -> None:
    course = all_courses[name]
    for screen, _ in screens(course, "ask", "choose"):
        for given in (
            NO_INPUT,
            Input(choices=frozenset("0")),
            Input(checked=True),
            Input(replies=Replies("y"), help=3),
        ):
            view = question(course, screen, given)
            assert (view.open, view.checked, view.explained, view.helped) == (True, False, "", False)
            assert view.scene
            assert view.scene.quiet
        right = frozenset(answer.value for answer in view.answers if answer.right)
        checked = question(course, screen, Input(choices=right, checked=True))
        assert (checked.open, checked.right, checked.helped) == (False, True, False)
        assert checked.explained
        assert checked.scene
        lesson = course.lessons.lesson_of(screen)
        later = lesson.screens[lesson.index[screen.id] + 1 :]
        # It stays so while another question on the same scenario is to come.
        assert checked.scene.quiet == any(
            one.kind == "ask" and one.scenario == screen.scenario for one in later
        )


@each_game
def test_a_wrong_or_half_right_answer_is_not_right(all_courses: dict[str, Course], name: str) -> None:
    course = all_courses[name]
    for screen, _ in screens(course, "ask", "choose"):
        answers = question(course, screen, NO_INPUT).answers
        right = {answer.value for answer in answers if answer.right}
        wrong = {answer.value for answer in answers} - right
        assert right
        assert wrong
        for chosen in ({*right, *wrong}, wrong, set(list(right)[1:]) | set(list(wrong)[:1]), {"nothing"}):
            view = question(course, screen, Input(choices=frozenset(chosen), checked=True))
            assert (view.checked, view.right, view.helped) == (True, False, True)


def question(course: Course, screen: Screen, given: Input) -> Question:
    view = show(course, screen, "it", given)
    assert isinstance(view, Question)
    return view


# Recaps


def recaps(course: Course) -> list[Screen]:
    return [screen for screen in course.lessons.screens.values() if screen.recap]


@each_game
def test_the_questions_of_a_recap_are_the_same_for_every_reader(
    all_courses: dict[str, Course], library: Library, name: str
) -> None:
    again = courses(library)[name]
    for screen in recaps(all_courses[name]):
        assert screen.quizzes == again.lessons.screens[screen.id].quizzes


@each_game
def test_a_recap_asks_about_recent_rules_and_cites_known_ones_only(
    all_courses: dict[str, Course], name: str
) -> None:
    for screen in recaps(all_courses[name]):
        assert screen.recap
        assert len(screen.quizzes) == screen.recap.count
        for quiz in screen.quizzes:
            rules = {reason.rule for reason in quiz.verdict.reasons}
            assert rules & screen.recap.subject.recent
            assert rules <= screen.known


@each_game
def test_a_recap_tells_the_one_cause_of_a_refusal(all_courses: dict[str, Course], name: str) -> None:
    """A move with several faults is not asked for: whichever of them was told, the others would be denied."""
    game = all_courses[name].book.game
    for screen in recaps(all_courses[name]):
        assert screen.recap
        for quiz in screen.quizzes:
            if quiz.verdict.ok:
                continue
            assert quiz.verdict.reasons[0].rule in screen.recap.subject.recent
            moves = [move for move in game.moves(quiz.state) if move.seat == quiz.seat]
            due = {move.act for move in moves}
            assert not quiz.move.what or quiz.move.act in due, (screen.id, quiz.move)


@each_game
def test_a_recap_mixes_yes_and_no_and_asks_nothing_twice(all_courses: dict[str, Course], name: str) -> None:
    course = all_courses[name]
    game = course.book.game
    for screen in recaps(course):
        assert {quiz.verdict.ok for quiz in screen.quizzes} == {True, False}
        assert len({(quiz.state, quiz.move) for quiz in screen.quizzes}) == len(screen.quizzes)
        for quiz in screen.quizzes:
            assert game.judge(quiz.state, quiz.move).ok == quiz.verdict.ok


@each_game
def test_a_recap_goes_from_question_to_question(all_courses: dict[str, Course], name: str) -> None:
    course = all_courses[name]
    for screen in recaps(course):
        said = ""
        for number, quiz in enumerate(screen.quizzes, 1):
            view = predicted(show(course, screen, "es", Input(replies=Replies(said))))
            assert (view.number, view.count, view.open) == (number, len(screen.quizzes), True)
            assert (view.whys, view.announced, view.scene and view.scene.tone) == ((), "", "asked")
            for answer in "yn":
                view = predicted(show(course, screen, "es", Input(replies=Replies(said + answer))))
                assert (view.number, view.open) == (number, False)
                assert view.right == ((answer == "y") == quiz.verdict.ok)
                assert view.allowed == quiz.verdict.ok
                assert view.whys
                assert view.scene
                # An allowed move is seen played.
                assert (view.scene.state == quiz.state) == (not quiz.verdict.ok)
                assert view.scene.tone == ("changed" if quiz.verdict.ok else tone_of(quiz.verdict))
            said += "y-"


def predicted(view: ScreenView) -> Prediction:
    assert isinstance(view, Prediction)
    return view


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_people_of_a_recap_have_names(all_courses: dict[str, Course], lang: str) -> None:
    for course in all_courses.values():
        words = course.book.words[lang]
        for screen in recaps(course):
            view = predicted(show(course, screen, lang, NO_INPUT))
            assert words.word("p1") not in view.deed


TAKING = frozenset({"take"})


def test_a_recap_asks_only_about_deeds_that_were_met() -> None:
    game = nim.book().game
    rules = frozenset(game.rules)
    assert make_quizzes(game, {}, Subject(rules, rules, frozenset(), frozenset()), 3, "a") == ()


def test_an_allowed_move_may_need_a_detail_that_is_not_cited() -> None:
    game = nim.book().game
    core = frozenset({"nim.heap"})
    details = frozenset({"nim.turn", "nim.count"})
    quizzes = make_quizzes(game, {}, Subject(core, core, details, frozenset(game.deeds)), 4, "seed")
    assert [quiz.verdict.ok for quiz in quizzes] == [False, True, False, True]
    assert {reason.rule for quiz in quizzes for reason in quiz.verdict.reasons} == core
    without = make_quizzes(game, {}, Subject(core, core, frozenset(), frozenset(game.deeds)), 4, "seed")
    assert {quiz.verdict.ok for quiz in without} == {False}


def test_other_seeds_ask_other_questions() -> None:
    game = nim.book().game
    rules = frozenset(game.rules)
    subject = Subject(rules, rules, frozenset(), frozenset(game.deeds))
    assert make_quizzes(game, {}, subject, 3, "a") != make_quizzes(game, {}, subject, 3, "b")


def test_a_recap_without_questions_says_so(all_courses: dict[str, Course]) -> None:
    course = all_courses["border"]
    with pytest.raises(NoQuestions):
        show(course, Screen("none", "recap", "basics"), "en", NO_INPUT)


def test_no_question_is_asked_twice_however_many_there_are() -> None:
    game = nim.book().game
    rules = frozenset(game.rules)
    quizzes = make_quizzes(game, {}, Subject(rules, rules, frozenset(), frozenset(game.deeds)), 60, "a")
    assert len({(quiz.state, quiz.move) for quiz in quizzes}) == len(quizzes) > 20
