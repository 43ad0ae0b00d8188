"""The Border's engine by properties: whole random games, an independent recount, and odd texts."""

import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.books import LIBRARY
from tests.conftest import positions
from tests.games.hand_border import Table
from tutor.games.border.engine import Border
from tutor.games.border.engine.board import COLOURS
from tutor.games.border.engine.state import FIRST, OVER, SECOND, State
from tutor.paths import CONTENT
from tutor.referee import programs
from tutor.rules.base import CHANCE, Move
from tutor.rules.errors import InvalidData, InvalidMove, InvalidOption, InvalidPosition, Typed

SOAK = int(os.environ.get("TUTOR_SOAK", "1"))
"""How many times as many random games are played."""

FILES = {
    path.name: path.read_text("utf-8")
    for path in (CONTENT / "border").iterdir()
    if path.name.startswith("board-") or path.name == "areas.toml"
}
GAME = Border.from_files(FILES)


# The boards


def test_the_boards_are_as_the_rulebook_tells() -> None:
    geometry = GAME.geometry
    assert len(geometry.names) == 86
    assert len(geometry.areas) == 9
    assert geometry.spaces(geometry.white) == ("A1", "K14")
    for board in GAME.boards:
        assert len(board.segments) == 24
        for colour in COLOURS:
            sizes = sorted(s.bit_count() for s in board.segments if s & board.by_colour[colour])
            assert sizes == [2, 3, 4, 5]


def test_a_larger_ring_has_a_higher_value() -> None:
    rings = [ring.bit_count() for ring in GAME.geometry.rings]
    assert rings == sorted(set(rings))
    values = [area.high for area in GAME.geometry.areas]
    assert values == sorted(values)


def test_the_printed_values_hold() -> None:
    values = {area.id: (area.high, area.low) for area in GAME.geometry.areas}
    assert values["villa"][0] == 9
    assert values["well"] == (4, 2)
    assert all(low == high // 2 for high, low in values.values())


def test_every_space_borders_an_area_and_most_border_two() -> None:
    counts = [sum(ring >> i & 1 for ring in GAME.geometry.rings) for i in range(86)]
    assert min(counts) == 1
    assert sum(count >= 2 for count in counts) > 43


def test_the_villa_lies_at_the_top() -> None:
    villa = next(i for i, area in enumerate(GAME.geometry.areas) if area.id == "villa")
    assert any(name.startswith("A") for name in GAME.geometry.spaces(GAME.geometry.rings[villa]))


def test_the_examples_of_the_rulebook_fit_the_boards() -> None:
    geometry = GAME.geometry
    beside_white = [i for i in range(86) if geometry.neighbours[i] & geometry.white]
    colours = {b.number: {COLOURS[b.colours[i]] for i in beside_white} for b in GAME.boards}
    assert {"yellow", "blue"} <= colours[3]
    assert {"yellow", "blue"} <= colours[4]
    assert "blue" in colours[1]
    assert "yellow" not in colours[1]
    tim = GAME.boards[0]
    blues = [i for i in beside_white if tim.colours[i] == "B"]
    assert not any(geometry.neighbours[i] & tim.by_colour["Y"] for i in blues)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("# N N Y", "# N N N", "segments"),
        ("# N N Y", "# ? N Y", "unknown-hex"),
        ("# N N Y", "N N N Y", "white-spaces"),
        ("# N N Y", "#  N N Y", "row"),
        ("t t t t", "t t N t", "space-count"),
        ("R t t t t O", "t t t t t O", "open-area"),
    ],
)
def test_a_broken_map_is_refused_with_its_fault(old: str, new: str, code: str) -> None:
    assert old in FILES["board-2.txt"]
    broken = FILES["board-2.txt"].replace(old, new, 1)
    with pytest.raises(InvalidData) as caught:
        Border.from_files({"areas.toml": FILES["areas.toml"], "board-1.txt": broken})
    assert caught.value.code == code


def test_boards_of_different_geometry_are_refused() -> None:
    moved = FILES["board-2.txt"].replace("w w", "g g")
    with pytest.raises(InvalidData):
        Border.from_files(FILES | {"board-2.txt": moved})


# Whole games

GAMES_PER_TABLE = 34 * SOAK


def recount(state: State) -> tuple[int, ...]:
    """Completed areas from the crosses alone, without the engine's bookkeeping."""
    return tuple(
        sum(1 << i for i, ring in enumerate(GAME.geometry.rings) if not ring & ~crosses)
        for crosses in state.crosses
    )


class Watcher:
    """Scores a game by itself: who completed what in which action, from the crosses alone."""

    def __init__(self, players: int) -> None:
        self.before = [0] * players
        self.first_in: dict[int, int] = {}
        self.points = [0] * players
        self.action = 0

    def see(self, state: State) -> None:
        for seat, areas in enumerate(recount(state)):
            for i, area in enumerate(GAME.geometry.areas):
                if areas >> i & 1 and not self.before[seat] >> i & 1:
                    first = self.first_in.setdefault(i, self.action)
                    self.points[seat] += area.high if first == self.action else area.low
            self.before[seat] = areas


def whole_game(players: int, seed: int) -> None:
    watcher = Watcher(players)
    before: State | None = None
    for number, (state, _) in enumerate(positions(GAME, {"players": players}, seed)):
        if before is not None:
            grown = zip(before.crosses, state.crosses, strict=True)
            assert all(old & ~new == 0 for old, new in grown)
            if before.phase != state.phase and SECOND in (before.phase, state.phase):
                watcher.action += 1
        watcher.see(state)
        assert GAME.scores(state) == tuple(watcher.points)
        assert tuple(h | low for h, low in zip(state.high, state.low, strict=True)) == recount(state)
        if (number + seed) % 7 == 0:
            assert GAME.parse_position(GAME.format_position(state)) == state
        before = state
    assert before is not None
    assert max(areas.bit_count() for areas in recount(before)) >= 6


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.patient
def test_random_games_end_and_score_as_an_independent_recount(players: int) -> None:
    """Crosses only grow, scores follow the crosses, positions can be read, somebody has six at the end."""
    for seed in range(GAMES_PER_TABLE):
        whole_game(players, seed)


def second_actions() -> Iterator[State]:
    for seed in range(6):
        for state, _ in positions(GAME, {"players": 4}, seed):
            if state.phase == SECOND and state.done.bit_count() == 1:
                yield state


STATES = list(second_actions())


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_the_order_of_the_inactive_players_changes_nothing(seed: int) -> None:
    """Each plays the same crosses, in every order of players: the same position comes out."""
    state = STATES[seed % len(STATES)]
    plans: dict[int, list[Move]] = {}
    for seat in GAME.turn(state):
        plan: list[Move] = []
        local = state
        while True:
            own = [m for m in GAME.moves(local) if m.seat == seat and m.act == "cross"]
            if not own or len(plan) == 4:
                break
            plan.append(own[(seed * 7 + len(plan) * 13) % len(own)])
            local = GAME.apply(local, plan[-1])
        plans[seat] = [*plan, Move(seat, "done")]
    results = set()
    for order in permutations(plans):
        after = state
        for seat in order:
            for move in plans[seat]:
                after = GAME.apply(after, move)
        results.add(after)
    assert len(results) == 1


# Moves

ROLLED = "first active=p1 rolls=1 dice=GGGYB p1=1 p2=2"
LINUS = (
    "first active=p1 rolls=2 dice=YYRYY"
    " p1=4:A10,B11,C8,C9,C10,D8,H1,I1,J1,K1,K2,K3,K4,K5,K9,K10,K11,K12,K13 p2=1"
)


@pytest.mark.parametrize(
    ("dice", "absent"),
    [
        ("12", ["12"]),
        ("23", ["23"]),
        ("123", ["123"]),
        ("3 0 12", ["0", "12"]),
        ("2 2", ["2"]),
        ("01", ["01"]),
    ],
)
def test_it_refuses_to_reroll_a_die_that_is_not_there(dice: str, absent: list[str]) -> None:
    verdict = GAME.judge(GAME.parse_position(ROLLED), GAME.parse_move(f"p1 reroll {dice}"))
    assert not verdict.ok
    assert verdict.reasons[0].rule == "border.roll.there"
    assert verdict.reasons[0].args["dice"] == tuple(absent)


@pytest.mark.parametrize(
    ("spaces", "rule"),
    [
        ("A4", "border.first.open"),  # one yellow die, and the segment would stay open
        ("A4 A5", "border.cross.die"),  # it would be complete, but takes two
        ("A2", "border.cross.die"),  # no green die at all
        ("A4 A2", "border.cross.die"),
    ],
)
def test_a_segment_left_open_is_the_reason_unless_there_is_no_die(spaces: str, rule: str) -> None:
    state = GAME.parse_position("first active=p1 rolls=3 dice=GGYBR p1=2 p2=3")
    verdict = GAME.judge(state, GAME.parse_move(f"p1 cross {spaces}"))
    assert [reason.rule for reason in verdict.reasons] == [rule]


@pytest.mark.parametrize(
    ("position", "move", "need", "have"),
    [
        (ROLLED, "p1 cross E12 E13 E14", 3, 1),
        ("second active=p1 rolls=1 dice=GGGYB p1=1 p2=3", "p2 cross B1 C1", 2, 1),
        ("second active=p1 rolls=1 dice=GGGYB p1=1 p2=3:B1::4", "p2 cross C1", 2, 1),
        ("second active=p1 rolls=1 dice=GGGYB p1=1 p2=3:B1::4", "p2 cross C1 I12 H12", 4, 1),
    ],
)
def test_a_refusal_for_want_of_dice_counts_all_that_were_asked_for(
    position: str, move: str, need: int, have: int
) -> None:
    verdict = GAME.judge(GAME.parse_position(position), GAME.parse_move(move))
    assert verdict.reasons[0].rule == "border.cross.die"
    assert (verdict.reasons[0].args["need"], verdict.reasons[0].args["have"]) == (need, have)


ALL_USED = "second active=p1 rolls=1 dice=GGGGG p1=1:B1,C1,D1,E1,F1::12345"


@pytest.mark.parametrize(
    ("position", "move", "rule", "at"),
    [
        # It is not the time for it, whoever is named and whatever was thrown.
        (ROLLED, "first p9", "setup.first-player", ()),
        ("start p1=1 p2=2", "first p9", "setup.players", ()),
        ("start p1=1 p2=2", "p9 roll", "setup.players", ()),
        ("start p1=1 p2=2", "p1 cross Z9", "setup.first-player", ()),
        ("roll active=p1 p1=1 p2=2", "dice GGGGG", "roll.all-five", ()),
        ("roll active=p1 p1=1 p2=2", "p1 cross Z9", "roll.all-five", ()),
        ("faces active=p1 dice=????? p1=1 p2=2", "p2 cross Z9", "roll.final", ()),
        (ROLLED, "dice GGGGG", "roll.keep", ()),
        # It is not the player's turn, whatever the dice or spaces.
        (ROLLED, "p2 cross Z9", "first.active", ()),
        (ROLLED, "p2 reroll 7", "roll.active", ()),
        ("second active=p1 rolls=1 dice=GGGYB p1=1 p2=3", "p1 cross A1", "second.inactive", ()),
        ("second active=p1 rolls=1 dice=GGGYB p1=1 p2=3::::done p3=2", "p2 cross A1", "second.done", ()),
        # Too many rolls, whichever dice.
        ("first active=p1 rolls=3 dice=GGGYB p1=1 p2=2", "p1 reroll 7", "roll.three", ()),
        ("first active=p1 rolls=2 dice=GGGYB p1=1:I1,J1::12 p2=2", "p1 reroll 7", "roll.stop", ()),
        # Too many spaces, wherever they lie: one for each player, or more than there are dice.
        (f"{ALL_USED} p2=4:A2,A3,A4/A5::1", "p2 cross Z9", "second.one-of-five", ("Z9",)),
        (f"{ALL_USED} p2=4:A2,A3,A4/A5::1", "p2 cross A1", "second.one-of-five", ("A1",)),
        (f"{ALL_USED} p2=4:A2,A3,A4", "p2 cross K8 A1 A5", "second.one-of-five", ("A1", "A5")),
        (f"{ALL_USED} p2=4:A2,A3,A4", "p2 cross A5 A5", "cross.once", ("A5",)),
        (f"{ALL_USED} p2=4:A2,A3,A4", "p2 cross K8", "cross.die", ("K8",)),
        ("second active=p1 rolls=1 dice=GGGYB p1=1 p2=3", "p2 cross K4 G1 H1", "second.unused", ("G1", "H1")),
        ("second active=p1 rolls=1 dice=GGGYB p1=1 p2=3", "p2 cross H12 B1", "cross.die", ("B1",)),
        ("second active=p1 rolls=1 dice=YYGYB p1=1 p2=3", "p2 cross H12 B1", "second.beside", ("H12",)),
    ],
)
def test_of_several_causes_the_most_telling_is_the_reason(
    position: str, move: str, rule: str, at: tuple[str, ...]
) -> None:
    (reason,) = GAME.judge(GAME.draft(position), GAME.parse_move(move)).reasons
    assert (reason.rule, reason.at) == (f"border.{rule}", at)


CHAIN = "second active=p1 rolls=1 dice=YBYRY p1=1 p2=3:I14,J15"


@pytest.mark.parametrize(
    ("move", "order"),
    [
        ("p2 cross H12 I12 I13", ("I13", "I12", "H12")),
        ("p2 cross I13 H12 I12", ("I13", "I12", "H12")),
        ("p2 cross H12 I12", ()),
        ("p2 cross H12 I13", ()),
        ("p2 cross H12", ()),
    ],
)
def test_a_chain_in_the_wrong_order_is_refused_with_one_that_works(move: str, order: tuple[str, ...]) -> None:
    state = GAME.parse_position(CHAIN)
    (reason,) = GAME.judge(state, GAME.parse_move(move)).reasons
    assert reason.rule == "border.second.beside"
    assert (reason.args["works"], reason.args["order"]) == (bool(order), order)
    assert not order or GAME.judge(state, Move(2, "cross", order)).ok


@pytest.mark.parametrize(
    ("position", "move", "chained"),
    [
        (CHAIN, "p2 cross I13", False),
        (CHAIN, "p2 cross I13 I12", True),
        (CHAIN.replace("J15", "J15/I13::2"), "p2 cross I12", True),
        # Said to be earlier, or not said to be recent.
        (CHAIN.replace("J15", "J15,I13"), "p2 cross I12", False),
        (CHAIN.replace("J15", "J15,I13::2"), "p2 cross I12", False),
        # A7 is of the colour of the die used, but it lies there from earlier rounds.
        ("second active=p1 rolls=1 dice=BOOOO p1=2 p2=1:A7,A8/K13::1", "p2 cross A6", False),
    ],
)
def test_a_cross_beside_one_made_a_moment_ago_is_allowed_by_the_rule_of_chains(
    position: str, move: str, chained: bool
) -> None:
    verdict = GAME.judge(GAME.draft(position), GAME.parse_move(move))
    assert verdict.ok
    assert (verdict.reasons[0].rule == "border.second.chain") == chained


@pytest.mark.parametrize("players", [2, 4])
def test_a_chain_is_the_reason_exactly_where_all_crosses_beside_are_of_this_action(players: int) -> None:
    """Crosses are watched as they are made; positions go through their texts, as between two pages."""
    geometry, reasons = GAME.geometry, Counter[bool]()
    for seed in range(12):
        before: State | None = None
        for state, move in positions(GAME, {"players": players}, seed):
            if state.phase != SECOND:
                before = None
            elif before is None:
                before = state
            if before is None or move is None or move.act != "cross":
                continue
            (name,) = move.what
            near = geometry.neighbours[geometry.index[name]]
            chained = not near & before.crosses[move.seat - 1]
            verdict = GAME.judge(GAME.parse_position(GAME.format_position(state)), move)
            assert (verdict.reasons[0].rule == "border.second.chain") == chained
            reasons[chained] += 1
    assert min(reasons[True], reasons[False]) > 50


@pytest.mark.parametrize(
    ("position", "move", "rules"),
    [
        (LINUS, "p1 cross K6", ["partial", "complete"]),
        (LINUS, "p1 cross K6 K8", ["partial", "several", "complete"]),
        (ROLLED, "p1 cross I1 J1", ["anywhere", "complete"]),
    ],
)
def test_a_segment_is_allowed_first_of_all_by_what_players_may_doubt(
    position: str, move: str, rules: list[str]
) -> None:
    verdict = GAME.judge(GAME.parse_position(position), GAME.parse_move(move))
    assert [reason.rule for reason in verdict.reasons] == [f"border.first.{rule}" for rule in rules]


GREYS = "dice=GGGGG p1=1:B1,C1,D1,E1,F1::12345"


@pytest.mark.parametrize(
    ("position", "move", "rule"),
    [
        (ROLLED, "p1 done", "border.first.free"),
        (f"first active=p1 rolls=1 {GREYS} p2=2", "p1 done", "border.second.one-of-five"),
        ("second active=p1 rolls=1 dice=YYGYB p1=1 p2=3:/B1,C1::12", "p2 done", "border.second.pass"),
        ("second active=p1 rolls=1 dice=GGGGN p1=2 p2=3", "p2 done", "border.second.pass"),
        (
            "second active=p1 rolls=1 dice=GGYBY p1=1:I1,J1::12 p2=3:/B1,C1,J15::345",
            "p2 done",
            "border.round.next",
        ),
        (f"second active=p1 rolls=1 {GREYS} p2=4", "p2 done", "border.second.pass"),
        (f"second active=p1 rolls=1 {GREYS} p2=4:A2,A3,A4/A5::1 p3=3", "p2 done", "border.round.next"),
    ],
)
def test_only_who_has_dice_left_is_allowed_to_stop_by_the_rule_of_fewer_dice(
    position: str, move: str, rule: str
) -> None:
    verdict = GAME.judge(GAME.draft(position), GAME.parse_move(move))
    assert verdict.ok
    assert [reason.rule for reason in verdict.reasons] == [rule]


def test_a_space_that_does_not_exist_is_named_once() -> None:
    verdict = GAME.judge(GAME.parse_position(ROLLED), GAME.parse_move("p1 cross B2 B2"))
    assert verdict.reasons[0].args["spaces"] == ("B2",)


@pytest.mark.parametrize(
    ("position", "move", "listed"),
    [
        ("roll active=p1 p1=1 p2=2", "p1 reroll 5 4 3 2 1", ["p1 roll"]),
        (ROLLED, "p1 roll", ["p1 reroll 1 2 3 4 5"]),
        (ROLLED, "p1 reroll 5 2", ["p1 reroll 2 5"]),
        (LINUS, "p1 cross k6", ["p1 cross K6"]),
        (LINUS, "p1 cross A13 K6 A11 K8 A12", ["p1 cross A11 A12 A13", "p1 cross K6", "p1 cross K8"]),
        (
            "second active=p1 rolls=1 dice=YBYRY p1=1 p2=3:I14,J15",
            "p2 cross I13 I12 H12",
            ["p2 cross I13", "p2 cross I12", "p2 cross H12"],
        ),
    ],
)
def test_a_move_that_says_several_things_at_once_is_taken_apart(
    position: str, move: str, listed: list[str]
) -> None:
    state = after = GAME.parse_position(position)
    parsed = GAME.parse_move(move)
    assert GAME.judge(state, parsed).ok
    parts = GAME.canonical(state, parsed)
    assert [GAME.format_move(part) for part in parts] == listed
    for part in parts:
        assert part in GAME.moves(after)
        after = GAME.play(after, part)
    assert after == GAME.play(state, parsed)


def any_moves(state: State, chosen: random.Random) -> Iterator[Move]:
    """What comes to mind, and moves of all kinds at random, for each seat and one that is not there."""
    geometry = GAME.geometry
    yield Move(CHANCE, "first", (chosen.choice("129"),))
    yield Move(CHANCE, "faces", tuple(chosen.choices("GYBRON", k=chosen.randint(1, 5))))
    yield Move(len(state.boards) + 1, chosen.choice(("roll", "done")))
    for seat in range(1, len(state.boards) + 1):
        yield from chosen.sample(thought := list(GAME.thinkable(state, seat)), min(3, len(thought)))
        if seat not in GAME.turn(state):
            continue
        yield Move(seat, "reroll", tuple(chosen.choices("1234567", k=chosen.randrange(6))))
        segments, crosses = GAME.boards[state.boards[seat - 1] - 1].segments_of, state.crosses[seat - 1]
        dice = [die for die in state.dice if die in COLOURS] or ["G"]
        rest = [mask & ~crosses for die in dice for mask in segments[die] if mask & ~crosses]
        one, other = (geometry.spaces(mask) for mask in chosen.choices(rest or [1], k=2))
        near = geometry.spaces(geometry.beside(crosses) & ~crosses)
        for spaces in (one, one + other, near, near + one, (*geometry.names, "Z9")):
            some = chosen.sample(spaces, min(len(spaces), 5))
            yield Move(seat, "cross", tuple(some[: chosen.randint(1, 5)]) or ("Z9", "Z9"))
        yield Move(seat, "cross", tuple(dict.fromkeys(one + other)))


def twisted(state: State, chosen: random.Random) -> State:
    """The same with dice of few colours, of which the active player has used some, or all, or none."""
    others = [spent for seat, spent in enumerate(state.spent, 1) if seat != state.active]
    if state.phase not in (FIRST, SECOND) or any(others):
        return state
    dice = "".join(chosen.choices(chosen.sample("GYBRON", 2), k=5))
    used = chosen.choice((0, 1, 7, 31))
    return state._replace(
        dice=dice, spent=tuple(used * (n == state.active) for n in range(1, 1 + len(state.boards)))
    )


@pytest.mark.patient
def test_every_verdict_tells_what_a_judge_by_hand_tells() -> None:
    """Of a refusal the rules, places and values, of a legal move the first rule."""
    chosen = random.Random(1)
    refused, allowed = Counter[str](), Counter[str]()
    for players in (2, 3, 4) * SOAK:
        before: State | None = None
        for number, (state, _) in enumerate(positions(GAME, {"players": players}, chosen.randrange(10**6))):
            if state.phase != SECOND:
                before = None
            elif before is None:
                before = state
            if state.phase not in (FIRST, SECOND, OVER) and number % 9:
                continue
            earlier = (before or state).crosses
            watched = {f"p{seat}": set(GAME.geometry.spaces(mask)) for seat, mask in enumerate(earlier, 1)}
            for variant in (state, twisted(state, chosen)):
                text = GAME.format_position(variant)
                table = Table(text, watched)
                for move in any_moves(variant, chosen):
                    verdict, (ok, whys) = GAME.judge(variant, move), table.told(move)
                    found = [(one.rule, one.at, one.args) for one in verdict.reasons]
                    assert (verdict.ok, found[: 1 if ok else None]) == (ok, whys), (text, move)
                    (allowed if verdict.ok else refused).update(rule for rule, _, _ in whys)
    assert refused.keys() == {name for name, rule in GAME.rules.items() if rule.refuses is not None}
    assert min(refused.values()) > 20
    assert len(allowed) == 14
    assert min(allowed[f"border.{rule}"] for rule in ("second.chain", "first.several", "round.next")) > 20


def test_the_end_is_decided_as_by_hand() -> None:
    """Most points, then the highest number, then nobody alone: with circles at random, so that many tie."""
    chosen, reasons = random.Random(1), Counter[str]()
    areas = [area.id for area in GAME.geometry.areas]
    for _ in range(300):
        circles = [
            ",".join(f"{area}{chosen.choice('+-')}" for area in chosen.sample(areas, chosen.randint(1, 3)))
            for _ in range(chosen.randint(2, 4))
        ]
        text = "over active=p1 " + " ".join(f"p{n}={n}::{row}" for n, row in enumerate(circles, 1))
        outcome = GAME.outcome(GAME.draft(text))
        assert outcome is not None
        table = Table(text, {})
        assert tuple(f"p{seat}" for seat in outcome.winners) == table.winners()
        points = [sum(row) for row in table.circled.values()]
        assert outcome.scores == tuple(points)
        alone, by_number = points.count(max(points)) == 1, len(table.winners()) == 1
        assert outcome.reason == f"border.end.{'most' if alone else 'tie' if by_number else 'shared'}"
        reasons[outcome.reason] += 1
    assert len(reasons) == 3


def test_a_few_moves_that_come_to_mind_break_most_rules() -> None:
    broken = set()
    states = [state for seed in range(2) for state, _ in positions(GAME, {"players": 3}, seed)]
    all_five = "second active=p1 rolls=1 dice=GGGGG p1=1:B1,C1,D1,E1,F1::12345 p2=4:A2,A3,A4::1 p3=3"
    for state in [GAME.parse_position(all_five), *states]:
        for seat in (1, 2, 3):
            thought = GAME.thinkable(state, seat)
            assert len(thought) <= 60
            for move in thought:
                assert GAME.parse_move(GAME.format_move(move)) == move
                verdict = GAME.judge(state, move)
                broken |= set() if verdict.ok else {reason.rule for reason in verdict.reasons}
    breakable = {name for name, rule in GAME.rules.items() if rule.refuses is not None}
    assert breakable - broken == {"border.setup.spaces", "border.setup.players", "border.roll.keep"}


NOTATION = ("p1", "p2", "p9", "first", "roll", "reroll", "dice", "cross", "done", "GGYBO", "1", "A1", "B1")


@settings(max_examples=300)
@given(st.text(max_size=80) | st.lists(st.sampled_from(NOTATION), max_size=4).map(" ".join))
@example("p1 cross A1 B1")
@pytest.mark.patient
def test_any_text_is_read_as_a_move_or_refused(text: str) -> None:
    try:
        move = GAME.parse_move(text)
    except InvalidMove:
        return
    assert GAME.parse_move(GAME.format_move(move)) == move
    for state in STATES[:5]:
        assert GAME.judge(state, move).reasons


@pytest.mark.parametrize("text", ["p1", "p1 cross", "p1 cross \u01311", "p1 done 2", "p10 done"])
def test_what_was_typed_as_a_move_is_quoted_as_it_is(text: str) -> None:
    with pytest.raises(InvalidMove) as caught:
        GAME.parse_move(text)
    value = caught.value.values["value"]
    assert isinstance(value, Typed)
    assert value == text


def test_a_move_that_is_too_long_is_told_its_length() -> None:
    with pytest.raises(InvalidMove) as caught:
        GAME.parse_move("p1 cross" + " A2" * 200)
    assert (caught.value.code, caught.value.values) == ("move.long", {"length": 608, "most": 400})


# What a drawing asks for


def test_a_score_row_shows_points_and_what_is_gone() -> None:
    for state in STATES[::5]:
        for seat in range(1, 5):
            row = GAME.score_row(state, seat)
            assert sum(entry.points for entry in row) == GAME.scores(state)[seat - 1]
            for i, entry in enumerate(row):
                assert entry.area == GAME.geometry.areas[i]
                assert bool(entry.points) == (entry.missing == 0)
                assert entry.points in (0, entry.area.low, entry.area.high)
                assert entry.high == (entry.points == entry.area.high)
                assert entry.gone == (state.taken >> i & 1 and not entry.high)


def test_dice_may_be_rerolled_exactly_when_a_reroll_is_listed() -> None:
    for state, _ in positions(GAME, {"players": 2}, 1):
        rerolls = [move for move in GAME.moves(state) if move.act == "reroll"]
        assert GAME.may_reroll(state) == bool(rerolls)


def test_the_description_tells_other_forms_of_moves_and_where_areas_lie() -> None:
    told = GAME.describe()
    for move in told["notation"]["also"]:
        assert GAME.parse_move(move)
    places = [
        (place["row"], place["half_column"])
        for area in told["areas"].values()
        for place in area["hexes"].values()
    ]
    places += [(space["row"], space["half_column"]) for space in told["spaces"].values()]
    assert len(places) == len(set(places)) == len(FILES["board-1.txt"].split())
    assert told["areas"]["well"]["hexes"].keys() == {"D9", "D10", "E8", "E9"}


# Odd options


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "options",
    [
        {"players": 2, "boards": [1, 1]},
        {"players": 2, "boards": [1, 7]},
        {"players": 2, "boards": [1, True]},
        {"players": 2, "boards": [1]},
        {"players": 2, "boards": "12"},
        {"players": 2, "first": 3},
        {"players": 2, "first": True},
        {"players": 2, "first": "p1"},
        {"players": nested(993)},
        {"boards": nested(5000)},
    ],
)
def test_a_set_up_that_is_not_offered_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption) as caught:
        GAME.setup(options)
    assert set(caught.value.values) == set(GAME.errors()[caught.value.code])


def test_the_referee_answers_options_however_deep_they_are_nested() -> None:
    """Where JSON itself can just be read, saying the value must not fail either."""
    for depth in range(800, 1000):
        line = '{"game": "border", "start": {"players": ' + "[" * depth + "]" * depth + "}}"
        answer = json.loads(programs.answer_line(LIBRARY, line))
        assert answer["error"]["code"] in ("option.number", "json")


# Odd positions

WELL = "C8,C9,C10,D8,D11,E7,E10,F8,F9,F10"


@pytest.mark.parametrize(
    ("text", "code", "value"),
    [
        ("later active=p1 p1=1 p2=2", "position.phase", "later"),
        ("roll p1=1 p2=2", "position.missing", "active"),
        ("roll active=p3 p1=1 p2=2", "position.active", "active=p3"),
        ("roll active=p1 p1=1", "position.missing", "p2"),
        ("roll active=p1 p1=1 p3=2", "position.seats", "p3=2"),
        ("roll active=p1 active=p2 p1=1 p2=2", "position.again", "active"),
        ("roll active=p1 p1=1 p2=2 colour=grey", "position", "colour=grey"),
        ("start active=p1 p1=1 p2=2", "position.not-now", "active=p1"),
        ("roll active=p1 rolls=1 p1=1 p2=2", "position.not-now", "rolls=1"),
        ("over active=p1 dice=GGGGG p1=1 p2=2", "position.not-now", "dice=GGGGG"),
        (f"roll active=p1 fresh=well p1=1:{WELL}:well+ p2=2", "position.not-now", "fresh=well"),
        ("first active=p1 rolls=4 dice=GGGGG p1=1 p2=2", "position.rolls", "rolls=4"),
        ("first active=p1 rolls=0 dice=GGGGG p1=1 p2=2", "position.rolls", "rolls=0"),
        ("faces active=p1 rolls=3 dice=GGGG? p1=1 p2=2", "position.rolls", "rolls=3"),
        ("first active=p1 dice=GGGGG p1=1 p2=2", "position.missing", "rolls"),
        ("first active=p1 rolls=1 p1=1 p2=2", "position.missing", "dice"),
        ("first active=p1 rolls=1 dice=GGGG p1=1 p2=2", "position.dice", "dice=GGGG"),
        ("first active=p1 rolls=1 dice=GGGG? p1=1 p2=2", "position.dice", "dice=GGGG?"),
        ("faces active=p1 rolls=1 dice=GGGGG p1=1 p2=2", "position.dice", "dice=GGGGG"),
        ("faces active=p1 dice=GGGG? p1=1 p2=2", "position.dice", "dice=GGGG?"),
        ("roll active=p1 p1=9 p2=1", "position.board", "p1"),
        ("roll active=p1 p1=1 p2=1 p3=2", "position.board", "p2"),
        ("roll active=p1 p1=1:Z9 p2=2", "position.space", "Z9"),
        ("roll active=p1 p1=1:A2,A2 p2=2", "position.space", "A2"),
        ("roll active=p1 p1=1:A1 p2=2", "position.space", "A1"),
        ("roll active=p1 p1=1:a2 p2=2", "position.space", "a2"),
        ("roll active=p1 p1=1:A2,,B1 p2=2", "position.comma", "p1=1:A2,,B1"),
        ("roll active=p1 p1=1:A2, p2=2", "position.comma", "p1=1:A2,"),
        ("roll active=p1 p1=1::+ p2=2", "position.area", "+"),
        ("roll active=p1 p1=1::villa p2=2", "position.area", "villa"),
        ("roll active=p1 p1=1::vill+ p2=2", "position.area", "vill+"),
        (f"roll active=p1 p1=1:{WELL}:well+,well- p2=2", "position.area", "well-"),
        ("first active=p1 rolls=1 dice=GGGGG p1=1:::11 p2=2", "position.used", "11"),
        ("first active=p1 rolls=1 dice=GGGGG p1=1:::6 p2=2", "position.used", "6"),
        ("roll active=p1 p1=1::::DONE p2=2", "position.player", "DONE"),
        ("roll active=p1 p1=1:::::: p2=2", "position.player", "p1=1::::::"),
        ("second active=p1 rolls=1 dice=GGGYB p1=1 p2=3:B1/::4", "position.player", "p2=3:B1/::4"),
        ("second active=p1 rolls=1 dice=GGGYB p1=1 p2=3:B1/B1::4", "position.space", "B1"),
        ("second active=p1 rolls=1 dice=GGGYB p1=1 p2=3:/B1/C1::4", "position.space", "B1/C1"),
        ("second active=p1 rolls=1 dice=GGGGG fresh=vill p1=1 p2=2", "position", "vill"),
        ("second active=p1 rolls=1 dice=GGGGG fresh=well, p1=1 p2=2", "position.comma", "fresh=well,"),
    ],
)
def test_a_position_that_cannot_be_read_is_refused_with_what_was_typed(
    text: str, code: str, value: str
) -> None:
    with pytest.raises(InvalidPosition) as caught:
        GAME.parse_position(text)
    assert caught.value.code == code
    assert set(caught.value.values) == set(GAME.errors()[code])
    assert value in caught.value.values.values()


BORDERS = ",".join(name for name in GAME.geometry.names if name not in ("A1", "K14"))
FULL = BORDERS + ":" + ",".join(f"{area.id}+" for area in GAME.geometry.areas)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("start p1=1:A2 p2=2", "position.begun"),
        ("start p1=1 p2=2:::12", "position.spent"),
        ("start p1=1 p2=2::::done", "position.done"),
        ("roll active=p1 p1=1::villa+ p2=2", "position.circled"),
        (f"roll active=p1 p1=1:{WELL} p2=2", "position.circled"),
        (f"roll active=p1 p1=1:{WELL}:well- p2=2", "position.nobody-first"),
        (f"roll active=p1 p1=1:{WELL}:well+ p2=3:{WELL}:well+", "position.all-first"),
        # Fresh areas belong to those who act now.
        (f"second active=p1 rolls=1 dice=OOGYB fresh=well p1=1:{WELL}:well+:12 p2=3", "position.fresh"),
        (f"first active=p1 rolls=1 dice=OOGYB fresh=well p1=1 p2=3:{WELL}:well+", "position.fresh"),
        (
            f"second active=p1 rolls=1 dice=GRBYB fresh=well p1=2 p2=3:{WELL}:well+:1 p3=1:{WELL}:well-",
            "position.fresh",
        ),
        ("second active=p1 rolls=1 dice=GGGYB fresh=well p1=1 p2=3", "position.fresh"),
        # Dice are used by those who act, and only such as are left.
        ("roll active=p1 p1=1:I1,J1::12 p2=2", "position.spent"),
        ("first active=p1 rolls=1 dice=NNGGG p1=1 p2=2:A2,A3::12", "position.spent"),
        ("second active=p1 rolls=1 dice=GGYNN p1=1:I1,J1::12 p2=2:A2::1", "position.spent"),
        (
            "second active=p1 rolls=1 dice=GGGGG p1=1:B1,C1,D1,E1,F1::12345 p2=3:D4,E2,E3::12",
            "position.spent",
        ),
        ("roll active=p1 p1=1 p2=2::::done", "position.done"),
        ("second active=p1 rolls=1 dice=GGGGG p1=1::::done p2=2", "position.done"),
        ("second active=p1 rolls=1 dice=GGGGG p1=1 p2=2::::done", "position.all-done"),
        ("over active=p1 p1=1 p2=2", "position.end"),
        (f"roll active=p1 p1=1:{FULL} p2=2", "position.end"),
        (f"first active=p1 rolls=1 dice=GGGYB p1=1:{FULL} p2=2", "position.end"),
        (f"first active=p1 rolls=1 dice=GGGYB p1=1:{BORDERS[:2]} p2=2:{FULL}", "position.end"),
        (f"second active=p1 rolls=1 dice=GGGYB p1=1:{FULL} p2=2", "position.end"),
        ("roll active=p1 p1=1:K1 p2=2", "position.stray"),
        ("roll active=p1 p1=1:B1,C1,E1 p2=2", "position.stray"),
        # Dice used, and nothing crossed with them: no space at all, another colour, no whole segment,
        # the rest of one that cannot have been begun.
        ("first active=p1 rolls=1 dice=GGGYB p1=1:::12 p2=2", "position.action"),
        ("second active=p1 rolls=1 dice=GGGYB p1=1 p2=2:::4", "position.action"),
        ("first active=p1 rolls=1 dice=GGYYB p1=1:I1,J1::34 p2=2", "position.action"),
        ("first active=p1 rolls=1 dice=GGYYB p1=1:B1::1 p2=2", "position.action"),
        ("first active=p1 rolls=1 dice=GGYYB p1=1:I1,J1::1 p2=2", "position.action"),
        ("second active=p1 rolls=1 dice=RGGGG p1=1 p2=3:C9,C10::1", "position.action"),
        # Crosses of this action without a die for them, by who has none to make in it, and beside nothing.
        ("roll active=p1 p1=1:/A2 p2=2", "position.action"),
        ("first active=p1 rolls=1 dice=GGYYB p1=1:/I1,J1::12 p2=2", "position.action"),
        ("second active=p1 rolls=1 dice=GGYYB p1=1:/I1,J1::12 p2=2", "position.action"),
        ("second active=p1 rolls=1 dice=GGGYB p1=1 p2=3:/B1", "position.action"),
        ("second active=p1 rolls=1 dice=GGGYB p1=1 p2=3:/B1::5", "position.action"),
        ("second active=p1 rolls=1 dice=YYGYB p1=1 p2=3:/B1,C1::1", "position.action"),
        ("second active=p1 rolls=1 dice=YYGYB p1=1 p2=3:C1/B1::1", "position.action"),
        # A fresh area that no die of this action has touched, and one that is not said to be fresh.
        (f"first active=p1 rolls=1 dice=GGYYB fresh=well p1=1:{WELL},I1,J1:well+:12 p2=2", "position.action"),
        (f"second active=p1 rolls=1 dice=GGGYB fresh=well p1=1 p2=3:{WELL}:well+", "position.action"),
        (f"first active=p1 rolls=1 dice=OOYYB p1=1:B11,{WELL}:well+:12 p2=2", "position.action"),
        # Nine areas, and six of them before this action.
        (f"second active=p1 rolls=1 dice=GGGYB p1=2 p2=1:{FULL}:1", "position.action"),
    ],
)
def test_a_position_that_no_game_can_reach_is_refused_with_its_fault(text: str, code: str) -> None:
    with pytest.raises(InvalidPosition) as caught:
        GAME.parse_position(text)
    assert caught.value.code == code
    assert set(caught.value.values) == set(GAME.errors()[code])


@pytest.mark.parametrize(
    "text",
    [
        "first active=p1 rolls=1 dice=GGGGG p1=1:B1,C1,D1,E1,F1::12345 p2=2",
        "first active=p1 rolls=1 dice=GGGGG p1=1:B1,C1,D1,E1,F1::5 p2=2",
        f"first active=p1 rolls=1 dice=OOYYB fresh=well p1=1:B11,{WELL}:well+:12 p2=2",
        f"second active=p1 rolls=1 dice=OOYYB p1=1:B11,{WELL}:well+:12 p2=3",
        f"second active=p1 rolls=1 dice=OOBYB p1=1:B11,{WELL}:well+:12 p2=3:{WELL}:well-:3",
        f"second active=p1 rolls=1 dice=BOBYB fresh=well p1=2 p2=1:B11,{WELL}:well+:2 p3=3:{WELL}:well+:1",
        f"roll active=p3 p1=1:{WELL}:well+ p2=3:{WELL}:well+ p3=2",
        f"over active=p1 p1=1:{FULL} p2=2",
        # Which crosses are of this action: unsaid, said of one, said of both.
        "second active=p1 rolls=1 dice=YYGYB p1=1 p2=3:B1,C1::12",
        "second active=p1 rolls=1 dice=YYGYB p1=1 p2=3:B1/C1::12",
        "second active=p1 rolls=1 dice=YYGYB p1=1 p2=3:/B1,C1::12",
    ],
)
def test_a_position_that_a_game_can_reach_is_read(text: str) -> None:
    assert GAME.format_position(GAME.parse_position(text)) == text


def test_dice_of_the_action_under_way_are_proven_by_the_crosses() -> None:
    """In positions of real games other dice are said to have been used; what is read could be true."""
    refused = read = 0
    for seed in range(3):
        for state, _ in positions(GAME, {"players": 3}, seed):
            if state.phase not in (FIRST, SECOND) or not state.spent[state.active - 1]:
                continue
            other = state._replace(dice=state.dice.translate(str.maketrans("GYBRON", "YBRONG")))
            try:
                again = GAME.parse_position(GAME.format_position(other))
            except InvalidPosition:
                refused += 1
                continue
            read += 1
            assert again == other
            board = GAME.boards[state.boards[state.active - 1] - 1]
            used = [die for i, die in enumerate(other.dice) if other.spent[state.active - 1] >> i & 1]
            crosses = state.crosses[state.active - 1]
            for letter in used:
                whole = [segment for segment in board.segments_of[letter] if not segment & ~crosses]
                assert sum(segment.bit_count() for segment in whole) >= used.count(letter)
    assert refused > 50
    assert read


def test_the_advice_for_several_segments_can_be_followed_with_the_dice_there_are() -> None:
    """Dice for one segment are not promised to another."""
    start = GAME.parse_position("first active=p1 rolls=3 dice=GGGYB p1=2 p2=3 p3=4 p4=1")

    def advice(*spaces: str) -> list[tuple[object, object]]:
        verdict = GAME.judge(start, GAME.parse_move("p1 cross " + " ".join(spaces)))
        return [(reason.args["need"], reason.args["have"]) for reason in verdict.reasons]

    assert advice("G1") == [(3, 3)]
    assert advice("D11", "D12", "G1") == [(3, 1)], "two of the three dice are taken"
    assert advice("D11", "G1") == [(2, 3), (3, 1)], "the first segment takes what it needs"


def test_who_has_circled_nothing_is_counted_with_nothing() -> None:
    over = GAME.parse_position(f"over active=p1 p1=1:{FULL} p2=2")
    best = max(area.high for area in GAME.geometry.areas)
    score = sum(area.high for area in GAME.geometry.areas)
    assert [effect.deed.args for effect in GAME.effects(over, over)] == [
        {"player": "p1", "score": score, "best": best},
        {"player": "p2", "score": 0, "best": 0},
    ]


def test_one_winner_of_a_tie_is_alone_even_if_the_others_tie_behind() -> None:
    """Three have the same points; one of them in a single area, the others in the same two."""
    areas = GAME.geometry.areas
    one, two, three = next(
        (i, j, k)
        for i, j, k in permutations(range(len(areas)), 3)
        if areas[i].high == areas[j].low + areas[k].low
    )
    pair = 1 << two | 1 << three
    over = GAME.parse_position(f"over active=p1 p1=1:{FULL} p2=2 p3=3")
    outcome = GAME.outcome(over._replace(high=(1 << one, 0, 0), low=(0, pair, pair)))
    assert outcome is not None
    assert outcome.scores == (areas[one].high,) * 3
    assert (outcome.ranks, outcome.reason) == ((1, 2, 2), "border.end.tie")
