"""The brain of Confini: clear best moves, true reasons, exact odds of the Smoke, and games that end by it."""

import random
from collections import Counter

import pytest

from tests.books import LIBRARY
from tutor.games.confini.engine import Confini
from tutor.games.confini.engine.cards import LIMIT, bits
from tutor.games.confini.engine.state import State
from tutor.games.confini.table.odds import boosts, copies_held, count_of, smoke_odds
from tutor.games.confini.table.windows import goes_well
from tutor.games.tables import brain_of
from tutor.play.arena import fight
from tutor.play.bots import BOTS, Sight, look
from tutor.rules.base import CHANCE, Move

pytestmark = pytest.mark.patient

GAME = LIBRARY.games["confini"].game
assert isinstance(GAME, Confini)
BOX = GAME.box
BRAIN = brain_of(GAME)

READY = "start active=p1 round=18 p1=andrea p1.level=4 p1.spago=5 p2=vasco p2.level=3"
"""Andrea may challenge the Smoke."""
STRONG = f"{READY} p1.eco=4 p1.equip=EQ5#1,EQ6#1 p2.eco=0"
WEAK = f"{READY} p1.eco=0 p1.equip=EQ1#1 p2.eco=4"
AT_HOME = "start active=p1 round=9 p1=andrea p1.eco=3 p2=vasco limits=1:NW1:p1:L1-PRE-B"
OUTFIT = "equip active=p1 round=9 p1=andrea p1.level=2 p1.eco=2 p1.spago=1 p2=vasco p2.level=4 p2.spago=5"
RICH = "advance active=p1 round=9 p1=andrea p1.eco=1 p1.spago=2 p2=vasco"
PLACING = "place active=p1 round=9 p1=ottilia p1.level=2 p1.eco=3 p2=vasco p2.level=2 p2.eco={eco}"
TO_SPEND = "challenge active=p1 round=9 p1=ottilia p1.level=2 p1.eco={eco} p2=vasco limits=1:SW2:p1:{limit}"
WINDOW = """challenge active=p1 round=6 p1=ottilia p1.level=2 p1.eco=4 p1.hand=EV02#1,EV06#1
p2=vasco p2.hand=EV03#1,EV05#1 limits=1:SW2:p2:L2-PRE-B"""

LANTERN = """challenge active=p1 looks=1 round=9 p1=ottilia p1.equip=EQ2#1 p2=vasco
limits=1:SW1:p2:L1-PRE-B,2:SW1:p1:L1-PRE-A"""


def reach(text: str, *moves: str) -> State:
    state: State = GAME.parse_position(text)
    for move in moves:
        state = GAME.apply(state, GAME.parse_move(move))
    return state


def sight_of(text: str, *moves: str) -> Sight:
    state = reach(text, *moves)
    return look(GAME, state, GAME.turn(state)[0])


# Clear best moves


@pytest.mark.parametrize(
    ("position", "moves", "best"),
    [
        pytest.param(STRONG, (), "p1 smoke", id="the Smoke cannot be lost"),
        pytest.param(WEAK, (), "p1 explore 0", id="the Smoke cannot be won"),
        pytest.param(f"{OUTFIT} p1.hand=CUT#1", (), "p1 play CUT#1 p2", id="a rival has enough Spago"),
        pytest.param(
            f"{OUTFIT} p1.hand=EQ5#1 p1.equip=EQ1#1,EQ2#1",
            (),
            "p1 equip EQ5#1 for EQ1#1",
            id="the least useful Equipment gives way",
        ),
        pytest.param(RICH, (), "p1 advance", id="the Eco is low and the way is paid"),
        pytest.param(
            PLACING.format(eco=0) + " held=L2-SUP-A", (), "p1 place SE2", id="a Limit too strong for a rival"
        ),
        pytest.param(
            PLACING.format(eco=4) + " p2.equip=EQ5#1 held=L2-PRE-B",
            (),
            "p1 place SW2",
            id="a Limit to beat oneself",
        ),
        pytest.param(
            TO_SPEND.format(eco=4, limit="L2-PRE-B"), ("p1 fight 1",), "p1 spend 2", id="just enough Eco"
        ),
        pytest.param(
            TO_SPEND.format(eco=2, limit="L4-CUP-A#1"), ("p1 fight 1",), "p1 spend 0", id="never enough Eco"
        ),
        pytest.param(
            WINDOW, ("p1 fight 1", "p1 spend 2"), "p2 play EV03#1", id="the placer's card turns the fight"
        ),
        pytest.param(
            WINDOW,
            ("p1 fight 1", "p1 spend 2", "p2 play EV03#1"),
            "p1 play EV02#1",
            id="the challenger's card turns it back",
        ),
    ],
)
def test_it_finds_the_one_clear_move(position: str, moves: tuple[str, ...], best: str) -> None:
    sight = sight_of(position, *moves)
    assert GAME.format_move(BOTS["sound"](BRAIN, sight, random.Random(1))) == best


# Reasons


@pytest.mark.parametrize(
    ("pattern", "position", "moves", "true", "false"),
    [
        ("likely-win", STRONG, (), "p1 smoke", "p1 explore 0"),
        ("next-level", RICH, (), "p1 advance", "p1 stay"),
        ("turns-fight", WINDOW, ("p1 fight 1", "p1 spend 3"), "p2 play EV03#1", "p2 play EV05#1"),
        ("robs", f"{OUTFIT} p1.hand=CUT#1,EV01#1", (), "p1 play CUT#1 p2", "p1 play EV01#1"),
        ("more-eco", f"{OUTFIT} p1.hand=CUT#1,EV01#1", (), "p1 play EV01#1", "p1 play CUT#1 p2"),
        (
            "better-outfit",
            f"{OUTFIT} p1.hand=EQ1#1 p1.equip=EQ5#1",
            (),
            "p1 equip EQ1#1",
            "p1 equip EQ1#1 for EQ5#1",
        ),
        (
            "enough-will",
            TO_SPEND.format(eco=4, limit="L2-PRE-B"),
            ("p1 fight 1",),
            "p1 spend 2",
            "p1 spend 1",
        ),
        ("too-strong", PLACING.format(eco=0) + " held=L2-SUP-A", (), "p1 place SE2", "p1 place SW2"),
        ("own-prey", PLACING.format(eco=3) + " held=L2-PRE-B", (), "p1 place SW2", "p1 place SW1"),
        ("out-of-reach", PLACING.format(eco=3) + " held=L2-PRE-B", (), "p1 place NW1", "p1 place SE3"),
        ("spare-eco", AT_HOME, (), "p1 explore 2", "p1 explore 3"),
        ("no-risk", AT_HOME, (), "p1 explore 0", "p1 explore 1"),
        (
            "keeps-eco",
            TO_SPEND.format(eco=2, limit="L4-CUP-A#1"),
            ("p1 fight 1",),
            "p1 spend 0",
            "p1 spend 1",
        ),
        (
            "spares",
            "start active=p1 round=9 p1=vasco p1.eco=3 p2=andrea",
            ("p1 explore 2", "draw CT#1"),
            "p1 use vasco",
            "p1 pass",
        ),
        (
            "nothing-better",
            WINDOW.replace("EV03#1,", ""),
            ("p1 fight 1", "p1 spend 4"),
            "p2 pass",
            "p2 play EV05#1",
        ),
        (
            "finds-out",
            LANTERN,
            (),
            "p1 look 1",
            "p1 look 2",
        ),
        (
            "least-useful",
            "hand active=p1 round=9 p1=andrea p1.hand=EV08#1,CUT#1,EV02#1,EV07#1 p2=vasco",
            (),
            "p1 discard EV08#1",
            "p1 discard CUT#1",
        ),
    ],
)
def test_a_reason_is_given_where_it_is_true_and_only_there(
    pattern: str, position: str, moves: tuple[str, ...], true: str, false: str
) -> None:
    sight = sight_of(position, *moves)
    good, bad = (GAME.parse_move(text) for text in (true, false))
    assert {good, bad} <= set(sight.moves)
    assert pattern in BRAIN.match_patterns(sight, good)
    assert pattern not in BRAIN.match_patterns(sight, bad)


def test_the_smoke_is_likely_beaten_only_above_even_odds() -> None:
    sight = sight_of(WEAK)
    assert "likely-win" not in BRAIN.match_patterns(sight, Move(1, "smoke"))


def test_nearly_every_best_move_of_real_games_has_a_reason() -> None:
    found: Counter[bool] = Counter()
    for players in (2, 4):
        dice, state = random.Random(players), GAME.setup({"players": players})
        while turn := GAME.turn(state):
            if CHANCE in turn:
                state = GAME.play(state, GAME.chance(state, dice))
                continue
            sight = look(GAME, state, turn[0])
            move = BOTS["sound"](BRAIN, sight, dice)
            if len(sight.moves) > 1:
                found[bool(BRAIN.match_patterns(sight, move))] += 1
            state = GAME.play(state, move)
    assert found[True] > 0.93 * found.total() > 100


# Odds


def test_one_card_for_the_smoke_is_counted_card_by_card() -> None:
    """With one rival of empty hand the odds are the share of cards that leave Andrea's Will enough."""
    state = reach(f"{READY} p1.eco=4 p2.eco=2")
    cards = [BOX.cards[i] for pile in state.piles for i in bits(pile)]
    added = [(card.kind == LIMIT) + (card.flaw == "envy") for card in cards]
    for will in range(3, 6):
        enough = sum(1 + 2 + more <= will for more in added) / len(added)
        assert smoke_odds(BOX, GAME.view(state, 1), 1, eco=will) == pytest.approx(enough)


def test_the_odds_of_the_smoke_are_those_of_played_challenges() -> None:
    state = reach(
        "start active=p1 round=18 p1=andrea p1.level=4 p1.eco=4 p1.spago=5 p1.hand=EV02#1 p1.equip=EQ5#1"
        " p2=vasco p2.eco=2 p2.hand=EV06#1,EV06#2,EV06#3 p3=ottilia p3.eco=1 p3.hand=EV07#1,EV07#2"
        " limits=1:NE1:p2:L4-INV-A#1,2:NE1:p3:L4-INV-B#1"
    )
    dice, games = random.Random(8), 1500
    won = sum(challenge(GAME.redeal(state, 1, dice), dice) for _ in range(games))
    odds = smoke_odds(BOX, GAME.view(state, 1), 1)
    assert 0.3 < odds < 0.95
    assert won / games == pytest.approx(odds, abs=0.04)


def challenge(state: State, dice: random.Random) -> bool:
    """Whether the Smoke is beaten when everybody plays whatever helps."""
    state = GAME.play(state, Move(1, "smoke"))
    while turn := GAME.turn(state):
        seat = turn[0]
        if seat == CHANCE:
            state = GAME.play(state, GAME.chance(state, dice))
            continue
        if state.last:
            break
        wanted = ("EV02",) if seat == 1 else ("EV03", "EV05")
        moves = [
            move
            for design in wanted
            for move in GAME.moves(state)
            if move.act == "play" and BOX.cards[BOX.index[move.what[0]]].design == design
        ]
        if seat == 1 and goes_well(BOX, state, 1):
            moves = []
        state = GAME.play(state, moves[0] if moves else Move(seat, "pass"))
    return bool(state.last and state.last.won)


def test_cards_in_hidden_hands_are_as_likely_as_in_dealt_ones() -> None:
    state = reach(f"{READY} p2.hand=EV06#1,EV06#2,EV06#3")
    view, dice = GAME.view(state, 1), random.Random(3)
    deals = [GAME.redeal(state, 1, dice).hand[1] for _ in range(3000)]
    fogs = copies_held(BOX, view, 2, "EV03")
    assert sum(fogs) == pytest.approx(1)
    assert sum(boosts(BOX, view, (2,)).values()) == pytest.approx(1)
    for many, chance in enumerate(fogs[:3]):
        dealt = sum(count_of(BOX, hand, "EV03") == many for hand in deals)
        assert dealt / len(deals) == pytest.approx(chance, abs=0.03)


# Games


def test_the_sound_bot_beats_the_random_one() -> None:
    match = fight(GAME, BRAIN, ("sound", "random"), 20, 4)
    assert match.wins["sound"] == 20


@pytest.mark.parametrize("players", [2, 3, 4])
def test_sound_bots_end_their_games_themselves_and_not_by_the_guard(players: int) -> None:
    for seed in range(2):
        match = fight(GAME, BRAIN, ("sound",) * players, 1, seed)
        assert set(match.ended) <= {"confini.smoke.win", "confini.end.last"}
