"""The Border's engine by properties: whole random games, an independent recount, and odd positions."""

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import positions
from tutor.paths import CONTENT
from tutor.rules.base import Move
from tutor.rules.border import Border
from tutor.rules.border.board import COLOURS
from tutor.rules.border.state import SECOND, State
from tutor.rules.errors import InvalidData, InvalidOption, InvalidPosition

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

GAMES_PER_TABLE = 667  # three tables: 2,000 games


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
    for state, _ in positions(GAME, {"players": players}, seed):
        if before is not None:
            grown = zip(before.crosses, state.crosses, strict=True)
            assert all(old & ~new == 0 for old, new in grown)
            if before.phase != state.phase and SECOND in (before.phase, state.phase):
                watcher.action += 1
        watcher.see(state)
        assert GAME.scores(state) == tuple(watcher.points)
        assert tuple(h | low for h, low in zip(state.high, state.low, strict=True)) == recount(state)
        before = state
    assert before is not None
    assert max(areas.bit_count() for areas in recount(before)) >= 6


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("part", range(3))
def test_random_games_end_and_score_as_an_independent_recount(players: int, part: int) -> None:
    """Crosses only grow, scores follow the crosses, and somebody has six areas at the end."""
    for seed in range(part, GAMES_PER_TABLE, 3):
        whole_game(players, seed)


def second_actions() -> Iterator[State]:
    for seed in range(6):
        for state, _ in positions(GAME, {"players": 4}, seed):
            if state.phase == SECOND and state.done.bit_count() == 1:
                yield state


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_the_order_of_the_inactive_players_changes_nothing(seed: int) -> None:
    """Each plays the same crosses, in every order of players: the same position comes out."""
    states = STATES
    state = states[seed % len(states)]
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


STATES = list(second_actions())


# Odd input


@pytest.mark.parametrize(
    "options",
    [
        {"players": 1},
        {"players": 5},
        {"players": "4"},
        {"players": 2, "boards": [1, 1]},
        {"players": 2, "boards": [1, 7]},
        {"players": 2, "boards": [1]},
        {"players": 2, "boards": "12"},
        {"players": 2, "first": 3},
        {"players": 2, "first": "p1"},
        {"colour": "grey"},
    ],
)
def test_a_set_up_that_is_not_offered_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption) as caught:
        GAME.setup(options)
    assert set(caught.value.values) == set(GAME.errors()[caught.value.code])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("later active=p1 p1=1 p2=2", "position.phase"),
        ("roll active=p3 p1=1 p2=2", "position.active"),
        ("roll p1=1 p2=2", "position.active"),
        ("roll active=p1 p1=1", "position.player"),
        ("roll active=p1 p1=1 p3=2", "position.player"),
        ("roll active=p1 p1=1 p2=1", "position.board"),
        ("roll active=p1 p1=9 p2=1", "position.board"),
        ("roll active=p1 p1=1:Z9 p2=2", "position.space"),
        ("roll active=p1 p1=1:A2,A2 p2=2", "position.space"),
        ("roll active=p1 p1=1:A1 p2=2", "position.space"),
        ("roll active=p1 p1=1::villa+ p2=2", "position.circled"),
        ("roll active=p1 p1=1::villa p2=2", "position"),
        ("first active=p1 rolls=1 dice=GGGG p1=1 p2=2", "position.dice"),
        ("first active=p1 rolls=4 dice=GGGGG p1=1 p2=2", "position.dice"),
        ("first active=p1 rolls=1 dice=GGGG? p1=1 p2=2", "position.dice"),
        ("first active=p1 dice=GGGGG p1=1 p2=2", "position.dice"),
        ("faces active=p1 rolls=3 dice=GGGG? p1=1 p2=2", "position.dice"),
        ("roll active=p1 p1=1:::12 p2=2", "position.spent"),
        ("second active=p1 rolls=1 dice=GGGGG p1=1:::12 p2=2:::1", "position.spent"),
        ("second active=p1 rolls=1 dice=GGGGG p1=1 p2=2::::done", "position.done"),
        ("over active=p1 p1=1 p2=2", "position.end"),
        ("roll active=p1 p1=1 p2=2 fresh=villa", "position.nobody-first"),
        ("roll active=p1 active=p2 p1=1 p2=2", "position"),
        ("roll active=p1 p1=1 p2=2 colour=grey", "position"),
    ],
)
def test_an_impossible_position_is_refused_with_its_fault(text: str, code: str) -> None:
    with pytest.raises(InvalidPosition) as caught:
        GAME.parse_position(text)
    assert caught.value.code == code
    assert set(caught.value.values) == set(GAME.errors()[code])


def test_an_area_circled_low_needs_somebody_who_has_it_high() -> None:
    ring = ",".join(GAME.geometry.spaces(GAME.geometry.rings[0]))
    with pytest.raises(InvalidPosition) as caught:
        GAME.parse_position(f"roll active=p1 p1=1:{ring}:well- p2=2")
    assert caught.value.code == "position.nobody-first"


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_a_move_or_said_to_be_none(text: str) -> None:
    try:
        move = GAME.parse_move(text)
    except ValueError:
        return
    assert GAME.parse_move(GAME.format_move(move)) == move
    for state in STATES[:5]:
        assert GAME.judge(state, move).reasons
