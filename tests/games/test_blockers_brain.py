"""The brain of Blockers!: it finds what is clearly best, says why, and counts what it says it counts."""

import random
from itertools import pairwise
from typing import Any

import pytest

from tests.books import LIBRARY
from tests.conftest import positions
from tutor.games.blockers.engine import Blockers
from tutor.games.blockers.engine.board import (
    ALL_CELLS,
    ALL_FACES,
    CELLS,
    groups,
)
from tutor.games.blockers.engine.scoring import scores
from tutor.games.blockers.engine.state import OVER, PLACE, TURNS, due
from tutor.games.blockers.table.hints import PATTERNS
from tutor.games.blockers.table.outlook import (
    WEIGHTS,
    Weights,
    expect_groups,
    look_around,
    survey,
    turns_after,
)
from tutor.games.tables import brain_of
from tutor.play.arena import fight
from tutor.play.bots import Sight, look, play_soundly
from tutor.rules.base import CHANCE

pytestmark = pytest.mark.patient

GAME = LIBRARY.games["blockers"].game
assert isinstance(GAME, Blockers)
FACE = GAME.box.face
BRAIN = brain_of(GAME)


def sight_of(text: str) -> Sight:
    state = GAME.parse_position(text)
    return look(GAME, state, GAME.turn(state)[0])


def best(text: str) -> str:
    return GAME.format_move(play_soundly(BRAIN, sight_of(text), random.Random(1)))


def patterns(text: str, move: str) -> set[str]:
    """The patterns of a move, which must be legal."""
    sight, made = sight_of(text), GAME.parse_move(move)
    assert made in sight.moves
    return set(BRAIN.match_patterns(sight, made))


def mask_of(*names: str) -> int:
    return sum(CELLS[name] for name in names)


JOIN = (
    "place round=3 next=red p1=red p2=yellow p3=blue"
    " red=5,1,C,star,*:4@E4,6@E6 yellow=?????:A@A1,2@A2 blue=?????:I@I9,8@I8"
)
"""The 5 and the joker fit between the red groups."""
CAPTURE = (
    "place round=24 next=red p1=red p2=yellow p3=blue"
    " red=5,3,A,star,square:4@E4,6@E6 yellow=?????:circle@E5,2@A2 blue=?????:I@I9,8@I8"
)
"""A lone yellow tile lies between the red groups; the 3 goes beside one of them on an empty cell."""
BLOCK = (
    "place round=24 next=red p1=red p2=yellow p3=blue"
    " red=5,8,A,I,9:2@D2,clover@D3 yellow=?????:4@E4,6@E6 blue=?????:B@B8,star@C8"
)
"""Red can only open a group; yellow has one more turn."""
VERY_LAST = f"{BLOCK} first=p2"
"""Nobody has a turn after red."""
LAST = (
    "place round=24 next=red p1=red p2=yellow p3=blue"
    " red=1,9,A,F,square:4@E4,circle@E5 yellow=?????:B@B8,8@C8 blue=?????:I@I9,square@I8"
)
BEGIN = "place round=1 next=red p1=red p2=yellow p3=blue red=1,9,A,I,circle"


@pytest.mark.parametrize(
    ("text", "move"),
    [
        pytest.param(JOIN, "p1 red 5 E5", id="joins two groups, and keeps the joker"),
        pytest.param(CAPTURE, "p1 red 3 E3", id="leaves a capture that costs what it saves"),
        pytest.param(f"{CAPTURE} edition=uptown", "p1 red 5 E5", id="joins by a capture that is free"),
        pytest.param(LAST, "p1 red F F", id="extends a group in the last turn"),
        pytest.param(BLOCK, "p1 red 5 E5", id="blocks where its own points are the same"),
        pytest.param(BEGIN, "p1 red circle", id="begins in the middle"),
    ],
)
def test_it_finds_the_move_that_is_clearly_best(text: str, move: str) -> None:
    assert best(text).startswith(move)


# Reasons


NEAR = LAST.replace("round=24", "round=4").replace("red=1,9", "red=1,7")
"""Between the red group and the 7 there is one cell, and there are turns to fill it."""
FREE = CAPTURE.replace("p1=red", "p1=red:blue-4,blue-E")
"""Red has captured more of another colour."""


@pytest.mark.parametrize(
    ("pattern", "text", "move"),
    [
        ("join", JOIN, "p1 red 5 E5"),
        ("join", JOIN, "p1 red * E5"),
        ("join-by-capture", CAPTURE, "p1 red 5 E5"),
        ("block", BLOCK, "p1 red 5 E5"),
        ("prepare", NEAR, "p1 red 7 E7"),
        ("only-place", CAPTURE, "p1 red 3 E3"),
        ("free-capture", FREE, "p1 red 5 E5"),
        ("free-capture", f"{CAPTURE} edition=uptown", "p1 red 5 E5"),
        ("extend-by-capture", CAPTURE, "p1 red 5 E5"),
        ("extend", CAPTURE, "p1 red 3 E3"),
        ("begin", BEGIN, "p1 red circle E5"),
        ("unavoidable", BLOCK, "p1 red 5 D5"),
    ],
)
def test_a_pattern_is_matched_where_it_is_true(pattern: str, text: str, move: str) -> None:
    assert pattern in patterns(text, move)


@pytest.mark.parametrize(
    ("pattern", "text", "move"),
    [
        pytest.param("join", JOIN, "p1 red 5 D5", id="beside no group"),
        pytest.param("join", JOIN, "p1 red * E7", id="beside one group"),
        pytest.param("join", CAPTURE, "p1 red 5 E5", id="that is a capture"),
        pytest.param("join-by-capture", JOIN, "p1 red 5 E5", id="that is no capture"),
        pytest.param("block", BLOCK, "p1 red 5 D5", id="a cell beside one tile"),
        pytest.param("block", VERY_LAST, "p1 red 5 E5", id="nobody can still join there"),
        pytest.param("prepare", NEAR, "p1 red F F5", id="no second group"),
        pytest.param("prepare", NEAR.replace("round=4", "round=24"), "p1 red 7 E7", id="no turn left"),
        pytest.param("only-place", JOIN, "p1 red * E5", id="a joker fits everywhere"),
        pytest.param("only-place", LAST, "p1 red F F5", id="another cell would do"),
        pytest.param("free-capture", CAPTURE, "p1 red 5 E5", id="it adds a point"),
        pytest.param("extend", CAPTURE, "p1 red 3 A3", id="a new group"),
        pytest.param("begin", BEGIN, "p1 red A A1", id="a corner"),
        pytest.param("begin", BLOCK, "p1 red 5 E5", id="not the first tile"),
        pytest.param("unavoidable", CAPTURE, "p1 red 5 D5", id="another tile would extend"),
        pytest.param("unavoidable", BEGIN, "p1 red A A1", id="there is no group yet"),
    ],
)  # fmt: skip
def test_a_pattern_is_not_matched_where_it_is_false(pattern: str, text: str, move: str) -> None:
    assert pattern not in patterns(text, move)


@pytest.mark.parametrize("options", [{"players": 2}, {"players": 3, "edition": "uptown", "open_joker": True}])
def test_nearly_every_best_move_has_a_reason_that_is_true(options: dict[str, Any]) -> None:
    """What happens to groups, piles and points is counted anew."""
    dice = random.Random(3)
    state, chosen, silent = GAME.setup(options), 0, 0
    while turn := GAME.turn(state):
        if CHANCE in turn:
            state = GAME.play(state, GAME.chance(state, dice))
            continue
        sight = look(GAME, state, turn[0])
        move = play_soundly(BRAIN, sight, dice)
        matched = set(BRAIN.match_patterns(sight, move))
        assert matched <= set(BRAIN.patterns)
        after = GAME.play(state, move)
        c, seat = due(state), turn[0]
        grown = len(groups(after.masks[c])) - len(groups(state.masks[c]))
        captures = after.piles != state.piles
        points = [scores(one, one.table.edition)[seat - 1] for one in (state, after)]
        assert bool(matched & {"join", "join-by-capture"}) == (grown < 0)
        assert ("join-by-capture" in matched) == (grown < 0 and captures)
        assert not matched & {"extend", "extend-by-capture", "only-place"} or grown <= 0
        assert "free-capture" not in matched or (captures and points[1] <= points[0])
        assert "unavoidable" not in matched or grown == 1
        chosen += 1
        silent += not matched
        state = after
    assert silent <= 0.1 * chosen


def test_every_pattern_has_a_name_and_is_tried_on_no_pass() -> None:
    assert BRAIN.patterns == tuple(PATTERNS)
    sight = look(GAME, GAME.parse_position(JOIN), 1)
    assert BRAIN.match_patterns(sight, GAME.parse_move("p1 pass")) == ()


# What is counted


def test_a_beginner_counts_how_far_behind_the_best_of_the_others_is() -> None:
    state = GAME.parse_position(FREE)
    assert scores(state, "blockers") == (4, 2, 1)
    assert [BRAIN.count(state, seat) for seat in (1, 2, 3)] == [-3, -1, 1]


def test_turns_left_are_those_that_each_colour_really_takes() -> None:
    for options in ({"players": 2}, {"players": 3, "first": 3}, {"players": 5}):
        game = [state for state, _ in positions(GAME, options, 2) if state.phase == PLACE]
        for number, state in enumerate(game):
            later = [due(one) for one in game[number + 1 :]]
            assert turns_after(state) == [later.count(c) for c in range(len(state.masks))]


def test_groups_and_the_cells_beside_them_are_those_of_a_slow_count() -> None:
    dice = random.Random(4)
    for _ in range(50):
        mask = mask_of(*dice.sample(list(CELLS), dice.randint(0, 30)))
        found = groups(mask)
        count, one, two = look_around(mask)
        assert count == len(found)
        for bit in CELLS.values():
            near = bit << 1 | bit >> 1 | bit << 10 | bit >> 10
            sides = sum(bool(group & near) for group in found if not group & bit)
            if not bit & mask:
                assert (bool(one & bit), bool(two & bit)) == (sides > 0, sides > 1)


def test_a_survey_counts_joins_and_faces_by_hand() -> None:
    """Two tiles with a cell between, and a third two cells away from them."""
    mask, free = mask_of("E4", "E6", "E9"), ALL_CELLS & ~mask_of("E4", "E6", "E9", "D4")
    left = sum(1 << FACE[tile] for tile in ("5", "4", "E", "A", "7", "8", "*"))
    found = Weights(*survey(mask, free, mask_of("D4"), left, 24))
    assert (found.group, found.join, found.two_tiles, found.three_tiles) == (3, 1, 1, 0)
    assert (found.wide, found.narrow, found.single) == (1, 0, 4)
    assert (found.near, found.far, found.by_capture, found.nowhere) == (0, 0, 0, 1)
    assert (found.always, found.joker) == (1, 1)


def test_faces_that_need_not_be_placed_are_the_worst() -> None:
    mask = mask_of("E4")
    left = sum(1 << FACE[tile] for tile in ("4", "E", "A", "9", "I"))
    found = Weights(*survey(mask, ALL_CELLS & ~mask, 0, left, 2))
    assert (found.narrow, found.nowhere) == (2, 0)


def test_without_a_turn_left_the_outlook_is_the_groups_that_lie_there() -> None:
    for state, _ in positions(GAME, {"players": 4}, 5):
        if state.phase == OVER:
            for mask in state.masks:
                assert expect_groups(mask, 0, 0, ALL_FACES, 0) == len(groups(mask))


def test_a_face_counts_the_more_the_harder_it_is_to_place() -> None:
    assert [until for until, _ in WEIGHTS][-1] == TURNS
    for _, weights in WEIGHTS:
        row = [weights.wide, weights.narrow, weights.single, weights.near, weights.far]
        row += [weights.by_capture, weights.nowhere]
        assert all(easy < hard for easy, hard in pairwise(row))


def test_the_last_placement_is_rated_by_the_points_it_leads_to() -> None:
    """Nobody moves after it, so what it is worth is exact, but for captures that only break ties."""
    sight = sight_of(VERY_LAST)
    for move, worth in zip(sight.moves, BRAIN.rate(sight, sight.moves, random.Random(1)), strict=True):
        points = scores(GAME.play(GAME.parse_position(VERY_LAST), move), "blockers")
        assert worth == pytest.approx(0.8 * (points[1] + points[2]) / 2 - points[0], abs=0.06)


def test_it_wins_every_game_against_random_play() -> None:
    assert fight(GAME, BRAIN, ("sound", "random"), 20, 31).wins["sound"] == 20


@pytest.mark.parametrize("players", [3, 4, 5])
def test_it_plays_with_more_players(players: int) -> None:
    bots = ("sound", *["random"] * (players - 1))
    assert fight(GAME, BRAIN, bots, players, 32, {"open_joker": True}).wins["sound"] == players
