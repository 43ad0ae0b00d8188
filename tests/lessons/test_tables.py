"""What a table shows a learner: the same people in the same colours, what exists by now, true counts."""

from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from flask import Flask

from tests.pages import PageClient
from tutor.book.load import Library
from tutor.games.confini.engine.state import State
from tutor.games.tables import drawing_of, pieces_of
from tutor.lessons.course import Course
from tutor.lessons.input import Input
from tutor.lessons.scene import Scene
from tutor.lessons.screen_views import show
from tutor.lookup.uses import _find_mentions

Courses = dict[str, Course]


def table_of(course: Course, screen: str, lang: str = "en", **given: Any) -> dict[str, Any]:
    scene = show(course, course.lessons.screens[screen], lang, Input(**given)).scene
    assert scene
    return drawing_of(course.book.game).table(replace(scene, link=lambda option: "#"))


# Confini


def test_a_character_has_one_colour_and_one_place_whoever_sits_where(all_courses: Courses) -> None:
    course = all_courses["confini"]
    drawing = drawing_of(course.book.game)
    colours: dict[str, set[int]] = {}
    for name, run in course.runs.items():
        for step, played in run.steps.items():
            state: State = played.before
            scene = course.tell(name, step, "en").scene(state)
            table = drawing.table(scene)
            players = table["players"]
            assert [one["colour"] for one in players] == sorted({one["colour"] for one in players}), step
            for one in players:
                if character := state.characters[one["seat"] - 1]:
                    colours.setdefault(character, set()).add(one["colour"])
            seats = {one["seat"]: one["colour"] for one in players}
            assert all(pawn["colour"] == seats[pawn["seat"]] for pawn in table["pawns"])
            assert table["own"]["seat"] == scene.seat
    assert sorted(colours.values(), key=min) == [{1}, {2}, {3}, {4}]


def test_a_limit_that_its_reader_knows_lies_face_down_all_the_same(all_courses: Courses) -> None:
    course = all_courses["confini"]
    limits = {one["number"]: one for one in table_of(course, "lantern")["limits"]}
    assert all("face down" in one["label"] for one in limits.values())
    assert not limits[1]["value"]
    assert "Vasco knows it" in limits[4]["label"]


@pytest.mark.parametrize(
    ("lang", "value"),
    [
        ("en", "The Smoke’s value"),
        ("it", "Valore del Fumo"),
        ("pl", "Wartość Dymu"),
        ("es", "Valor del Humo"),
    ],
)
def test_the_smoke_has_a_value_of_its_own_name(lang: str, value: str, all_courses: Courses) -> None:
    course = all_courses["confini"]
    told = course.tell("smoke-challenge", "win", lang)
    fight = drawing_of(course.book.game).table(told.scene(told.step.before))["fight"]
    assert fight["value"].startswith(value)


def test_whoever_may_discard_a_card_reads_what_the_buttons_do(all_courses: Courses) -> None:
    course = all_courses["confini"]
    drawing = drawing_of(course.book.game)
    found = set()
    for name, run in course.runs.items():
        for step, played in run.steps.items():
            if played.facts["choice"] not in ("choice-offer", "choice-charm"):
                continue
            seat = course.book.game.turn(played.after)[0]
            told = course.tell(name, step, "en")
            scene = replace(told.scene(played.after), seat=seat, link=lambda option: "#")
            found.add(tuple(sorted(one.label for one in drawing.table(scene)["buttons"])))
    assert found == {("Discard the card", "Keep the card")}


def test_an_ability_goes_on_in_small_letters_after_its_colon(all_courses: Courses) -> None:
    course = all_courses["confini"]
    for lang in course.texts:
        for one in pieces_of(course, lang):
            if one.kind == "character":
                (side,) = one.values["sides"]
                assert side["text"].partition(": ")[2][0].islower(), side["text"]
        ability = table_of(course, "draw", lang)["own"]["ability"]
        assert ability["text"][0].islower()


def test_a_game_that_nobody_has_won_is_called_a_draw(client: PageClient, library: Library) -> None:
    game = library.games["confini"].game
    states = [step.after for run in library.runs["confini"].values() for step in run.steps.values()]
    drawn = next(one for one in states if (end := game.outcome(one)) and end.reason == "confini.end.draw")
    for lang, said in (("en", "A draw: "), ("it", "Parità: "), ("pl", "Remis: "), ("es", "Empate: ")):
        query = {"at": f"1.{game.format_position(drawn)}"}
        page = unescape(
            client.client.get(f"/{lang}/confini/referee", query_string=query, follow_redirects=True).text
        )
        assert said in page
        assert "Victory" not in page


# Blockers!


def test_groups_and_captures_are_counted_once_they_exist(all_courses: Courses) -> None:
    course = all_courses["blockers"]
    for screen, groups, captures in (
        ("number", False, False),
        ("join", True, False),
        ("capture", True, True),
    ):
        table = table_of(course, screen)
        own = table["players"][0]
        assert bool(own["racks"][0]["groups"]) == groups, screen
        assert ("groups" in [one.id for one in table["buttons"]]) == groups
        assert bool(own["pile_label"]) == captures, screen


def test_a_player_has_one_colour_in_positions_and_recaps(all_courses: Courses) -> None:
    course = all_courses["blockers"]
    for lesson in course.lessons.all:
        colours: dict[str, set[str]] = {}
        for screen in lesson.screens:
            states = [quiz.state for quiz in screen.quizzes] if screen.recap else []
            names = lesson.players
            if screen.scenario:
                run = course.runs[screen.scenario]
                names, states = run.scenario.file.players, [run.steps[screen.step].before]
            for state in states:
                for seat in range(1, state.table.players + 1):
                    colours.setdefault(names[seat - 1], set()).add(state.table.colours[seat - 1])
        assert all(len(of) == 1 for of in colours.values()), (lesson.id, colours)


def test_the_end_of_a_first_lesson_has_no_supplies(all_courses: Courses) -> None:
    course = all_courses["blockers"]
    for screen in course.lessons.first.screens:
        if screen.scenario:
            facts = course.runs[screen.scenario].steps[screen.step].facts
            if facts["phase"] == "over":
                assert {facts[name] for name in facts if name.startswith("supply.")} == {0}, screen.id


def test_a_captured_joker_is_told_as_one(library: Library) -> None:
    book = library.games["blockers"]
    start = library.runs["blockers"]["last-round"].steps["last-draw"].after
    deed = book.game.tell(start, book.game.parse_move("p1 red 7 D7"))
    said = {"it": "il jolly blu", "pl": "jokera", "es": "el comodín azul", "en": "the blue joker"}
    for lang, words in said.items():
        assert words in book.words[lang].with_cast(("sarah", "emma", "linus")).say_deed(deed)


def test_a_tile_with_a_name_of_one_character_is_not_searched_for(all_courses: Courses) -> None:
    course = all_courses["blockers"]
    listed = [one for one in pieces_of(course, "en") if len(one.id) == 1 or one.id[-2:-1] == "-"]
    named = _find_mentions(course, listed)
    assert not [rule for rules in named.values() for rule in rules if rule.startswith("blockers.")]


# The Border


def test_leftover_dice_are_those_that_are_left_to_the_reader(all_courses: Courses) -> None:
    course = all_courses["border"]
    assert table_of(course, "leftovers")["rolls"] == "Dice still available: 2"
    assert table_of(course, "leftovers", moves=("p2 cross B1",))["rolls"] == "Die still available: 1"


def test_a_refusal_does_not_deny_dice_that_are_in_sight(all_courses: Courses) -> None:
    course = all_courses["border"]
    told = course.tell("sarah-grey", "same-dice", "en")
    (why,) = told.whys(told.step.verdict)
    assert "to use" in why.html


def test_places_that_do_not_fit_a_window_are_shown_on_the_whole_board(all_courses: Courses) -> None:
    course = all_courses["border"]
    assert table_of(course, "leftovers")["look"] == ""
    assert table_of(course, "villa")["look"]


# Screens


def test_a_story_that_goes_on_does_not_announce_another_position(all_courses: Courses) -> None:
    course = all_courses["blockers"]
    assert not course.lessons.screens["count"].jumps


def test_another_situation_on_the_same_board_is_called_so(app: Flask, client: PageClient) -> None:
    assert "Same board, different situation" in client.client.get("/en/confini/learn/slots").text
    assert "Another position" in client.client.get("/en/confini/learn/value").text


def test_whoever_was_told_the_solution_is_not_praised_for_it(
    client: PageClient, all_courses: Courses
) -> None:
    screen = all_courses["border"].lessons.screens["grey"]
    play = all_courses["border"].runs[screen.scenario].steps[screen.step].file.play
    for level, said in (("0", "Well done!"), ("3", "That is the solution.")):
        query = {"moves": ";".join(play), "help": level}
        assert said in client.client.get("/en/border/learn/grey", query_string=query).text


def test_the_end_of_a_lesson_claims_nothing_that_it_does_not_know(client: PageClient) -> None:
    page = client.client.get("/en/blockers/learn/end").text
    assert "The end of the lesson" in page
    assert "You know" not in page


def test_whoever_is_not_learning_knows_all_rules(all_courses: Courses) -> None:
    words = all_courses["blockers"].book.words["en"]
    scene = Scene(state=None, words=words, seat=1)
    assert scene.knows("blockers.group.edges")
    assert not replace(scene, known=frozenset({"blockers.place.row"})).knows("blockers.group.edges")
