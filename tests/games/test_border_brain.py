"""The Border's dice in exact numbers, and the brain that plays by them."""

import random
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import cast

import pytest

from tests.books import LIBRARY
from tutor.games.border.engine import Border
from tutor.games.border.engine.board import COLOURS
from tutor.games.border.engine.odds import HANDS, PLACE, SETS, chances, in_order, look_ahead, weigh_wish
from tutor.games.border.engine.state import State
from tutor.games.border.table.patterns import PATTERNS
from tutor.games.tables import brain_of
from tutor.play.arena import fight
from tutor.play.bots import BOTS, look
from tutor.rules.base import Move

pytestmark = pytest.mark.patient

GAME = cast(Border, LIBRARY.games["border"].game)
BRAIN = brain_of(GAME)
GEOMETRY = GAME.geometry
AREAS = {area.id: i for i, area in enumerate(GEOMETRY.areas)}


def spaces(names: str) -> int:
    return GEOMETRY.white | GEOMETRY.mask(tuple(names.split()))


NOTHING = spaces("")


def around(board: int, *areas: str, but: str = "") -> int:
    """All segments of the rings of some areas, without some spaces."""
    crosses = NOTHING
    for segment in GAME.boards[board - 1].segments:
        if any(segment & GEOMETRY.rings[AREAS[area]] for area in areas):
            crosses |= segment
    return crosses & ~spaces(but) | NOTHING


def position(
    dice: str, mine: int, other: int, rolls: int = 3, used: str = "", second: bool = False, later: str = ""
) -> State:
    """Player 1 has board 1, player 2 board 2. Player 1 is active in the first action; in the second action
    it is player 2, who has used some dice. Where both have an area, player 1 was first, or `later`."""
    both = GEOMETRY.completed(mine) & GEOMETRY.completed(other)
    players = []
    for seat, crosses in enumerate((mine, other), 1):
        circled = []
        for area, i in AREAS.items():
            if GEOMETRY.completed(crosses) >> i & 1:
                first = not both >> i & 1 or (area in later.split()) == (seat == 2)
                circled.append(area + ("+" if first else "-"))
        names = ",".join(GEOMETRY.spaces(crosses & ~NOTHING))
        spent = used if (seat == 2) == second else ""
        players.append(f"p{seat}={seat}:{names}:{','.join(circled)}:{spent}".rstrip(":"))
    phase = "second active=p2" if second else "first active=p1"
    return GAME.parse_position(f"{phase} rolls={rolls} dice={dice} {' '.join(players)}")


def best(state: State) -> Move:
    return BOTS["sound"](BRAIN, look(GAME, state, 1), random.Random(1))


def patterns(state: State, move: str) -> tuple[str, ...]:
    parsed = GAME.parse_move(move)
    sight = look(GAME, state, parsed.seat)
    assert parsed in sight.moves
    return BRAIN.match_patterns(sight, parsed)


# The dice


def test_simple_odds_are_as_counted_by_hand() -> None:
    assert weigh_wish("G", "", 3) == (1 - Fraction(5, 6) ** 15, "")
    assert weigh_wish("GG", "GYBRO", 1) == (1 - Fraction(5, 6) ** 4, "G")
    assert weigh_wish("NN", "GYBRO", 1) == (1 - Fraction(5, 6) ** 5 - 5 * Fraction(5**4, 6**5), "")
    assert weigh_wish("GGGGG", "", 3) == ((1 - Fraction(5, 6) ** 3) ** 5, "")
    assert weigh_wish("YR", "GYYRB", 2) == (Fraction(1), "YR")
    assert weigh_wish("YR", "GYYB", 0) == (Fraction(0), "")
    assert weigh_wish("YR", "GYR", 0) == (Fraction(1), "YR")


def test_a_die_that_fits_is_not_always_worth_keeping() -> None:
    """Four more of one colour are the difficult part, and five dice are better at it than four."""
    assert weigh_wish("GGGGY", "YBBBB", 2)[1] == ""
    assert weigh_wish("GGGGY", "YBBBB", 1)[1] == "Y"
    assert weigh_wish("OOOOR", "NNNRN", 2)[1] == ""


@pytest.mark.parametrize("wish", ["GG", "GGY", "GGGGY", "GYBR"])
def test_no_set_of_dice_does_better_than_the_one_that_is_kept(wish: str) -> None:
    """Every throw is counted, one by one."""
    wanted, chosen = Counter(wish), random.Random(wish)
    for hand in chosen.sample(HANDS, 8):
        odds = []
        for kept in {tuple(die for i, die in enumerate(hand) if keep >> i & 1) for keep in range(32)}:
            throws = [Counter(kept + fallen) for fallen in product(COLOURS, repeat=5 - len(kept))]
            odds.append(Fraction(sum(wanted <= throw for throw in throws), len(throws)))
        assert weigh_wish(wish, hand, 1)[0] == max(odds)


@pytest.mark.parametrize("wish", ["GGG", "GGYY", "YBR", "OOOON"])
def test_the_odds_are_those_of_dice_that_are_really_thrown(wish: str) -> None:
    dice, tried, came = random.Random(wish), 3000, 0
    for _ in range(tried):
        hand = dice.choices(tuple(COLOURS), k=5)
        for rolls in (2, 1):
            kept = list(weigh_wish(wish, "".join(hand), rolls)[1])
            hand = kept + dice.choices(tuple(COLOURS), k=5 - len(kept))
        came += Counter(wish) <= Counter(hand)
    odds = float(weigh_wish(wish, "", 3)[0])
    assert abs(came / tried - odds) < 4 * (odds * (1 - odds) / tried) ** 0.5


def test_what_dice_are_worth_is_an_average_over_the_throw() -> None:
    greys = [float(hand.count("G")) for hand in HANDS]
    once, twice = look_ahead(greys, 1), look_ahead(greys, 2)
    assert once[PLACE["GG"]] == pytest.approx(2 + 3 / 6)
    assert twice[PLACE[""]] == pytest.approx(5 * (1 - (5 / 6) ** 2))
    assert len(once) == len(SETS)
    assert once[PLACE[in_order("YGYGY")]] == 2


def test_chances_are_told_of_every_segment_and_of_areas_within_reach() -> None:
    state = position("YYGBR", around(1, "fox", but="E12 E13 E14"), NOTHING, rolls=1)
    told = chances(GAME.box, state)
    assert [chance.odds for chance in told] == sorted((chance.odds for chance in told), reverse=True)
    assert [chance.area for chance in told if chance.area] == ["fox"]
    (fox,) = (chance for chance in told if chance.area == "fox")
    assert (fox.spaces, fox.dice, fox.keep) == (("E12", "E13", "E14"), "YYY", ("1", "2"))
    assert fox.odds == 1 - Fraction(5, 6) ** 6
    open_segments = [each for each in GAME.boards[0].segments if each & ~state.crosses[0]]
    assert sum(not chance.area for chance in told) == len(open_segments)
    assert {chance.spaces for chance in told if not chance.area} == set(map(GEOMETRY.spaces, open_segments))


def test_an_area_takes_whole_segments_of_several_colours() -> None:
    state = position("YYGBR", around(1, "goat", but="G9 H9 K5 K6 K7"), NOTHING, rolls=3)
    goat = next(chance for chance in chances(GAME.box, state) if chance.area == "goat")
    assert (goat.dice, goat.odds, goat.keep) == ("YYBBB", Fraction(0), ())


def test_chances_know_the_dice_that_are_used_and_the_roll_to_come() -> None:
    mine = around(1, "fox", but="E13 E14") | spaces("G9 H9")
    told = chances(GAME.box, position("YGYYY", mine, NOTHING, used="13"))
    assert {chance.odds for chance in told} == {0, 1}
    assert {(chance.area, chance.spaces, chance.keep) for chance in told if chance.odds} == {
        ("", ("E13", "E14"), ("4", "5")),
        ("fox", ("E13", "E14"), ("4", "5")),
    }
    begun = GAME.setup({"players": 2, "first": 1})
    assert max(chance.odds for chance in chances(GAME.box, begun)) == weigh_wish("GG", "", 3)[0]
    assert chances(GAME.box, GAME.play(begun, GAME.parse_move("p1 roll"))) == ()


# Clear moves


def test_it_completes_an_area_when_the_dice_are_there() -> None:
    state = position("YYYGB", around(1, "fox", but="E12 E13 E14"), NOTHING)
    assert best(state) == GAME.parse_move("p1 cross E12 E13 E14")


def test_it_takes_a_high_value_rather_than_a_low_one() -> None:
    mine = around(1, "fox", "goat", but="E12 E13 E14 G9 H9")
    state = position("YYYGB", mine, around(2, "goat"))
    assert best(state) == GAME.parse_move("p1 cross E12 E13 E14")


def test_it_keeps_the_dice_that_an_area_needs() -> None:
    move = best(position("YYGBR", around(1, "fox", but="E12 E13 E14"), NOTHING, rolls=2))
    assert move.act == "reroll"
    assert not {"1", "2"} & set(move.what)


def test_it_uses_a_die_that_was_left_for_the_last_space_of_an_area() -> None:
    mine, other = around(1, "fox", but="E13"), spaces("G9 H9 I9 J10")
    state = position("NNNNY", mine, other, used="1234", second=True)
    assert best(state) == GAME.parse_move("p1 cross E13")


def test_it_completes_with_two_dice_what_one_cannot() -> None:
    state = position("NNYYB", around(1, "fox", but="E13 E14"), spaces("A2 A3"), used="12", second=True)
    after = GAME.play(state, best(state))
    assert GAME.circled(GAME.play(after, best(after)), 1) == {"fox": 5}


NEARLY_SIX = around(1, "well", "fox", "goat", "boat", "turbine", "villa", but="E12 E13 E14")
"""Four areas are complete, and the three spaces are the last ones of two more."""
RICHER = around(2, "castle", "lighthouse", "eagle", "turbine")


def test_it_ends_the_game_when_it_is_ahead() -> None:
    state = position("YYYGB", NEARLY_SIX, around(2, "castle"))
    assert best(state) == GAME.parse_move("p1 cross E12 E13 E14")


def test_it_does_not_end_the_game_when_that_loses() -> None:
    state = position("YYYGB", NEARLY_SIX, RICHER, later="goat turbine")
    mine, other = GAME.scores(GAME.play(state, GAME.parse_move("p1 cross E12 E13 E14")))
    assert mine < other
    assert best(state) == GAME.parse_move("p1 done")


def test_it_leaves_a_harmless_die_rather_than_a_choice_of_all_five() -> None:
    """Player 2 lacks one green space of the castle, and can have it as soon as all five dice are used."""
    mine = around(1, "goat", but="G9") | spaces("A9 A10 A11 A12")
    state = position("NNNNY", mine, around(2, "castle", but="H9"), used="1234")
    assert GAME.parse_move("p1 cross G9") in GAME.moves(state)
    assert best(state) == GAME.parse_move("p1 done")
    assert patterns(state, "p1 done") == ("harmless-dice",)


def test_it_knows_that_only_one_of_five_used_dice_can_be_chosen() -> None:
    """Player 2 lacks a green and a yellow space of the castle, so that one die is not enough."""
    mine = around(1, "goat", but="G9") | spaces("A9 A10 A11 A12")
    state = position("NNNNY", mine, around(2, "castle", but="H9 J15"), used="1234")
    assert best(state) == GAME.parse_move("p1 cross G9")


def test_worth_is_in_points_and_odds_decide_what_is_rolled_again() -> None:
    """One die in six brings the fox: that is what rolling one die again adds, and no more."""
    state = position("YYGGG", around(1, "fox", but="E12 E13 E14"), NOTHING, rolls=2)
    sight = look(GAME, state, 1)
    worth = dict(zip(sight.moves, BRAIN.rate(sight, sight.moves, random.Random(1)), strict=True))
    three, two = (worth[GAME.parse_move(f"p1 reroll {dice}")] for dice in ("3 4 5", "3 4"))
    assert three > two > worth[GAME.parse_move("p1 done")]


def test_dice_of_the_same_colours_are_worth_the_same_wherever_they_lie() -> None:
    sights = [look(GAME, position(dice, NOTHING, NOTHING, rolls=2), 1) for dice in ("GGYBR", "RBYGG")]
    kept = [
        BRAIN.rate(sight, [GAME.parse_move(f"p1 reroll {others}")], random.Random(1))
        for sight, others in zip(sights, ("3 4 5", "1 2 3"), strict=True)
    ]
    assert kept[0] == kept[1]


# What can be said for a move


@pytest.mark.parametrize(
    ("pattern", "state", "true", "false"),
    [
        (
            "ends-ahead",
            position("YYYGG", NEARLY_SIX, around(2, "castle")),
            ["p1 cross E12 E13 E14"],
            ["p1 cross I1 J1", "p1 done"],
        ),
        (
            "ends-ahead",
            position("YYYGB", NEARLY_SIX, RICHER, later="goat turbine"),
            [],
            ["p1 cross E12 E13 E14"],
        ),
        (
            "high-value",
            position("YYYGG", around(1, "fox", but="E12 E13 E14"), NOTHING),
            ["p1 cross E12 E13 E14"],
            ["p1 cross I1 J1"],
        ),
        (
            "high-value",
            position("YYYGG", around(1, "fox", but="E12 E13 E14"), around(2, "fox")),
            [],
            ["p1 cross E12 E13 E14"],
        ),
        (
            "low-value",
            position("YYYGG", around(1, "fox", but="E12 E13 E14"), around(2, "fox")),
            ["p1 cross E12 E13 E14"],
            ["p1 cross I1 J1"],
        ),
        (
            "near-area",
            position("NNYYG", around(1, "fox", but="E12 E13 E14"), spaces("A2 A3"), used="12", second=True),
            ["p1 cross E12", "p1 cross E14"],
            ["p1 cross B1"],
        ),
        (
            "two-areas",
            position("YYGGG", NOTHING, NOTHING),
            ["p1 cross G9 H9", "p1 cross B11 C9 C10"],
            ["p1 cross I1 J1"],
        ),
        (
            "two-areas",
            position("YYGGG", around(1, "goat", but="G9 H9"), NOTHING),
            ["p1 cross G9 H9"],
            ["p1 cross I1 J1"],
        ),
        ("fewer-dice", position("YYGGB", NOTHING, NOTHING), ["p1 cross G9 H9"], ["p1 done"]),
        (
            "fewer-dice",
            position("GGGYY", spaces("B11 C9 C10"), NOTHING, used="123"),
            [],
            ["p1 cross G9 H9"],
        ),
        (
            "die-less",
            position("NNOYG", NOTHING, spaces("A2 A3"), used="12", second=True),
            ["p1 cross A2", "p1 cross B1"],
            ["p1 done"],
        ),
        ("die-less", position("YYGGB", NOTHING, NOTHING), [], ["p1 cross G9 H9"]),
        (
            "sure-dice",
            position("YYGBR", NOTHING, NOTHING, rolls=1),
            ["p1 reroll 3 4 5", "p1 reroll 3"],
            ["p1 reroll 1 3", "p1 reroll 1 2 3 4 5"],
        ),
        (
            "fitting-dice",
            position("YYGGN", NOTHING, NOTHING, rolls=1),
            ["p1 reroll 3 4 5", "p1 reroll 5", "p1 reroll 2 4 5"],
            ["p1 reroll 1 2 3 4 5", "p1 reroll 4"],
        ),
        (
            "harmless-dice",
            position("GYRNO", NOTHING, spaces("A2 A3"), rolls=1),
            ["p1 reroll 2 3 5", "p1 reroll 2 3 4 5"],
            ["p1 reroll 3 4 5", "p1 reroll 1 2 4 5", "p1 reroll 1 2 3 4 5", "p1 done"],
        ),
        (
            "harmless-dice",
            position("NNNNG", spaces("A9 A10 A11 A12"), spaces("A2 A3"), used="1234"),
            ["p1 done"],
            [],
        ),
        (
            "harmless-dice",
            position("NNNNR", spaces("A9 A10 A11 A12"), spaces("A2 A3"), used="1234"),
            [],
            ["p1 done"],
        ),
    ],
)
def test_a_pattern_is_said_where_it_is_true_and_nowhere_else(
    pattern: str, state: State, true: list[str], false: list[str]
) -> None:
    for move in true:
        assert pattern in patterns(state, move), move
    for move in false:
        assert pattern not in patterns(state, move), move


def test_what_is_most_telling_comes_first() -> None:
    state = position("YYYGG", NEARLY_SIX, around(2, "castle"))
    said = patterns(state, "p1 cross E12 E13 E14")
    assert said[:2] == ("ends-ahead", "high-value")
    assert list(said) == sorted(said, key=PATTERNS.index)


# Matches


def test_a_beginner_counts_points_and_what_is_begun() -> None:
    begun = position("YYYGG", around(1, "fox", but="E12 E13 E14"), NOTHING)
    complete = GAME.play(begun, GAME.parse_move("p1 cross E12 E13 E14"))
    apart = GAME.play(begun, GAME.parse_move("p1 cross I1 J1"))
    assert BRAIN.count(complete, 1) > BRAIN.count(apart, 1) > BRAIN.count(begun, 2)
    assert BRAIN.count(complete, 1) == pytest.approx(-BRAIN.count(complete, 2))


def test_chance_players_do_not_win_against_it() -> None:
    assert fight(GAME, BRAIN, ("sound", "random"), 20, 3).wins == {"sound": 20, "random": 0}


@pytest.mark.parametrize("players", [3, 4])
def test_it_plays_at_larger_tables(players: int) -> None:
    match = fight(GAME, BRAIN, ("sound", *["greedy"] * (players - 1)), 1, 3)
    assert sum(match.wins.values()) == pytest.approx(1)
