"""Blockers! by properties: whole random games, independent recounts, hidden racks, and odd texts."""

import itertools
import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests import conftest
from tests.books import LIBRARY
from tests.games.hand_blockers import Account
from tutor.games.blockers.engine import Blockers
from tutor.games.blockers.engine.board import CELLS, FITS, cells, cuts, faces_in, groups, parts, splits
from tutor.games.blockers.engine.state import OVER, PLACE, State, due, supply, unseen
from tutor.paths import CONTENT
from tutor.rules.base import CHANCE, Move
from tutor.rules.errors import InvalidData, InvalidMove, InvalidPosition, RulesError

BOARD = (CONTENT / "blockers" / "board.toml").read_text("utf-8")
BOOK = LIBRARY.games["blockers"]
GAME = Blockers.from_files({"board.toml": BOARD})
TABLES: list[dict[str, Any]] = [
    {"players": players, "open_joker": joker} for players in (2, 3, 4, 5) for joker in (False, True)
]
EACH = 12 * int(os.environ.get("TUTOR_SOAK", "1"))
"""Random games of each kind: about a hundred in all."""

tables = st.sampled_from(TABLES)
seeds = st.integers(0, 10**6)


positions = partial(conftest.positions, GAME)
"""Whole random games of Blockers!."""


def some_position(options: dict[str, Any], seed: int, place: int) -> State:
    """One position of a random game in which a player is to place."""
    chosen = [state for state, _ in positions(options, seed) if state.phase == PLACE]
    found: State = chosen[place % len(chosen)]
    return found


def check_conservation(state: State, passes: int) -> None:
    """Every tile of a colour is in one place; the tiles on the board and in the piles are the placements."""
    lying = [tile - 1 for tile in state.tiles if tile]
    taken = [tile for pile in state.piles for tile in bit_numbers(pile)]
    assert len(lying) + len(taken) == state.turns - passes
    racks = [28 * c + face for c, rack in enumerate(state.racks) for face in bit_numbers(rack)]
    assert len({*lying, *taken, *racks}) == len(lying) + len(taken) + len(racks)
    for c in range(len(state.table.colours)):
        own = [tile % 28 for tile in lying if tile // 28 == c]
        lost = [tile % 28 for tile in taken if tile // 28 == c]
        assert state.masks[c].bit_count() == len(own)
        assert state.played[c] == sum(1 << face for face in own + lost)
        aside = state.table.open_joker and 27 not in own + lost
        left = supply(state, c)
        assert left >= 0
        assert len(own) + len(lost) + state.racks[c].bit_count() + aside + left == 28


def bit_numbers(mask: int) -> list[int]:
    return [i for i, digit in enumerate(f"{mask:b}"[::-1]) if digit == "1"]


# Whole games


@pytest.mark.parametrize(
    "options", TABLES, ids=lambda o: f"{o['players']}-{'open' if o['open_joker'] else 'closed'}"
)
def test_random_games_keep_every_tile_and_end_after_24_turns_of_each_colour(options: dict[str, Any]) -> None:
    for seed in range(EACH):
        passes = 0
        turns: dict[str, int] = {}
        for state, move in positions(options, seed):
            check_conservation(state, passes)
            if move is None:
                break
            if move.seat != CHANCE:
                colour = state.table.colours[due(state)]
                turns[colour] = turns.get(colour, 0) + 1
                passes += move.act == "pass"
        assert set(turns.values()) == {24}
        assert len(turns) == len(state.table.colours)
        check_end(state)


def check_end(state: State) -> None:
    account = Account(GAME.format_position(state))
    scores = {p: account.groups_of(p) + account.most(p) for p in account.piles}
    totals = {p: len(pile) for p, pile in account.piles.items()}
    best = min((scores[p], totals[p]) for p in scores)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.scores == tuple(scores.values())
    assert outcome.winners == tuple(int(p[1]) for p in scores if (scores[p], totals[p]) == best)
    ties = sum(score == best[0] for score in scores.values())
    shared = len(outcome.winners) > 1
    name = "shared" if shared else "tie" if ties > 1 else "lowest"
    assert outcome.reason == f"blockers.end.{name}"
    for colour, rack in account.racks.items():
        aside = state.table.open_joker and "*" not in account.placed(colour)
        drawn = len(rack) + aside + len(account.placed(colour))
        assert GAME.facts(state)[f"supply.{colour}"] == 28 - drawn
        if len(account.placed(colour)) == 24:
            assert len(rack) + aside == 4


@given(tables, seeds)
@example(TABLES[2], 32)  # shared
@example(TABLES[2], 0)  # a tie
@settings(max_examples=15)
def test_uptown_counts_groups_and_breaks_ties_by_captures(options: dict[str, Any], seed: int) -> None:
    *_, (last, _) = positions(options | {"edition": "uptown"}, seed)
    account = Account(GAME.format_position(last))
    ranks = {p: (account.groups_of(p), len(pile)) for p, pile in account.piles.items()}
    outcome = GAME.outcome(last)
    assert outcome is not None
    assert outcome.scores == tuple(count for count, _ in ranks.values())
    assert outcome.winners == tuple(int(p[1]) for p in ranks if ranks[p] == min(ranks.values()))
    shared, fewest = len(outcome.winners) > 1, min(outcome.scores)
    tied = outcome.scores.count(fewest) > 1
    name = "end.shared" if shared else "uptown.tie" if tied else "uptown.fewest"
    assert outcome.reason == f"blockers.{name}"


@given(tables, seeds, st.integers(0, 200))
@settings(max_examples=60)
def test_the_facts_agree_with_an_account_by_sets(options: dict[str, Any], seed: int, place: int) -> None:
    state = some_position(options, seed, place)
    account = Account(GAME.format_position(state))
    facts = GAME.facts(state)
    for colour in account.owners:
        assert facts[f"groups.{colour}"] == len(account.groups(colour))
        assert facts[f"placed.{colour}"] == len(account.placed(colour))
    for player, pile in account.piles.items():
        assert facts[f"groups.{player}"] == account.groups_of(player)
        assert facts[f"captured.{player}"] == len(pile)
        assert facts[f"most.{player}"] == account.most(player)
        assert facts[f"score.{player}"] == account.groups_of(player) + account.most(player)
    assert facts["legal"] == sum(move.act == "place" for move in GAME.moves(state))


# Moves judged anew, by the words of the rulebook


@given(tables, seeds, st.integers(0, 200))
@settings(max_examples=40)
def test_every_placement_is_judged_as_by_hand(options: dict[str, Any], seed: int, place: int) -> None:
    state = some_position(options, seed, place)
    colour = state.table.colours[due(state)]
    (seat,) = GAME.turn(state)
    rng = random.Random(seed)
    rack = [*GAME.box.tiles(state.racks[due(state)]), "*"]
    account = Account(GAME.format_position(state))
    legal = set()
    for tile in [*rack, rng.choice(GAME.box.faces)]:
        for cell in CELLS:
            move = Move(seat, "place", (colour, tile, cell))
            verdict = GAME.judge(state, move)
            reason = verdict.reasons[0]
            assert (verdict.ok, reason.rule, set(reason.at), reason.args) == account.told(move)
            if verdict.ok:
                legal.add(move)
    assert {move for move in GAME.moves(state) if move.act == "place"} == legal


def any_moves(state: State, chosen: random.Random) -> Iterator[Move]:
    """What comes to mind, and moves of all kinds at random, for each seat and one that is not there."""
    box, colours = GAME.box, state.table.colours
    yield Move(CHANCE, "first", (chosen.choice("129"),))
    for colour in (colours[due(state)], chosen.choice(box.colours)):
        yield Move(CHANCE, "draw", (colour, *chosen.choices(box.faces, k=chosen.choice((1, 1, 1, 2, 5, 6)))))
    for seat in range(1, state.table.players + 2):
        yield Move(seat, chosen.choice(("pass", "place")), (chosen.choice(box.colours), "*", "K1"))
    for seat in range(1, state.table.players + 1):
        yield from chosen.sample(thought := list(GAME.thinkable(state, seat)), min(3, len(thought)))
    taken = [cell for cell, bit in CELLS.items() if state.tiles[bit.bit_length() - 1]]
    for seat in GAME.turn(state) * 6 if state.phase == PLACE else ():
        face = chosen.choice(faces_in(state.racks[due(state)] | chosen.choice((0, 1 << 27))) or (27,))
        fitting = [cell for cell in taken if FITS[face] & CELLS[cell]]
        cell = chosen.choice([chosen.choice([*CELLS, "K1"]), *fitting])
        yield Move(seat, "place", (colours[due(state)], box.faces[face], cell))


def test_every_verdict_tells_what_a_judge_by_hand_tells() -> None:
    """Of a refusal the rule, the places and the values, of a legal move the first rule."""
    chosen = random.Random(1)
    refused, allowed = Counter[str](), Counter[str]()
    for options in (*TABLES, {"players": 3, "edition": "uptown"}):
        for number, (state, _) in enumerate(positions(options, chosen.randrange(10**6))):
            if number % (3 if state.phase == PLACE else 11) and state.phase != OVER:
                continue
            text = GAME.format_position(state)
            account = Account(text)
            for move in any_moves(state, chosen):
                verdict = GAME.judge(state, move)
                reason = verdict.reasons[0]
                found = verdict.ok, reason.rule, set(reason.at), reason.args
                assert found == account.told(move), (text, move)
                (allowed if verdict.ok else refused)[reason.rule] += 1
    assert refused.keys() == {name for name, rule in GAME.rules.items() if rule.refuses is not None}
    assert len(allowed) == 11, "all but a forced pass, which no random game has"


@given(st.sets(st.sampled_from(sorted(CELLS)), min_size=1), st.randoms(use_true_random=False))
@settings(max_examples=300)
def test_a_tile_splits_exactly_when_its_group_has_several_parts(names: set[str], rng: random.Random) -> None:
    mask = sum(CELLS[name] for name in names)
    bit = CELLS[rng.choice(sorted(names))]
    left = parts(mask, bit)
    assert splits(mask, bit) == (len(left) > 1)
    assert splits(mask, bit) == (len(groups(mask ^ bit)) > len(groups(mask)))
    assert bool(cuts(mask) & bit) == splits(mask, bit)
    assert sum(groups(mask)) == mask
    own = next(group for group in groups(mask) if group & bit)
    assert sum(left) == own ^ bit


def test_a_refused_split_names_the_parts() -> None:
    state = GAME.parse_position(
        "place next=red p1=red p2=yellow p3=blue red=5,E,circle,*,1 yellow=:4@E4,5@E5,6@E6,7@F7,F@F6"
    )
    (reason,) = GAME.judge(state, GAME.parse_move("p1 red 5 E5")).reasons
    assert reason.rule == "blockers.capture.split"
    assert reason.at == ("E5", "E4", "E6", "F6", "F7")
    assert reason.args["parts"] == 2
    assert reason.args["pieces"] == ("E4", "E6")
    assert (reason.args["size"], reason.args["colour"], reason.args["cell"]) == (5, "yellow", "E5")


JOKERS = (
    "place next=red p1=red p2=yellow p3=blue red=5,9,D,moon,*:2@G2,G@G3 yellow=:6@B6,7@B7,B@B8,*@E5 "
    "blue=:diamond@D9,8@F8"
)


@pytest.mark.parametrize(
    ("move", "rules"),
    [
        ("p1 red 5 E5", ["capture.joker", "capture.lone", "capture.opponent", "place.column"]),
        ("p1 red D D9", ["capture.lone", "capture.opponent", "place.row"]),
        ("p1 red * B8", ["capture.joker", "capture.split", "capture.opponent", "place.joker"]),
        ("p1 red 9 A9", ["place.column", "place.empty"]),
    ],
)
def test_a_capture_is_allowed_first_of_all_by_the_rules_of_captures(move: str, rules: list[str]) -> None:
    verdict = GAME.judge(GAME.draft(JOKERS), GAME.parse_move(move))
    assert verdict.ok
    assert [reason.rule for reason in verdict.reasons] == [f"blockers.{rule}" for rule in rules]


def test_each_cell_takes_three_faces_and_the_joker() -> None:
    for bit in CELLS.values():
        assert sum(bool(mask & bit) for mask in FITS) == 4
    assert [mask.bit_count() for mask in FITS] == [9] * 27 + [81]
    fitting = [tile for tile, face in GAME.box.face.items() if FITS[face] & CELLS["E5"]]
    assert fitting == ["5", "E", "circle", "*"]


THREE = "p1=red p2=yellow p3=blue"
TWO = "p1=red+blue p2=yellow+green"
RACKED = f"{THREE} red=1,E,moon,*,5 yellow=1,2,3,4,5 blue=1,2,3,4,5"


@pytest.mark.parametrize(
    ("position", "move", "rule"),
    [
        # It is not the time for it, whoever is named.
        (f"place next=red {RACKED}", "first p9", "setup.first-player"),
        (f"start {THREE}", "first p9", "setup.players"),
        (f"start {THREE}", "p9 pass", "setup.players"),
        (f"start {THREE}", "p2 green 9 Z9", "setup.first-player"),
        (f"deal {THREE}", "p2 green 9 Z9", "setup.rack"),
        (f"draw next=red {THREE} red=1,E,moon,*:5@E5", "p2 green 9 Z9", "turn.draw"),
        (f"draw next=red {THREE} red=1,E,moon,*:5@E5", "p1 green 9 Z9", "turn.one"),
        # It is not the player's turn, or not the colour's.
        (f"place next=red {RACKED}", "p2 green 9 Z9", "turn.order"),
        (f"place next=red {RACKED}", "p2 pass", "turn.order"),
        (f"place next=red {RACKED}", "p1 green 9 Z9", "setup.colours"),
        (f"place next=red {TWO}", "p1 blue 9 Z9", "two.alternate"),
        # Too many tiles, whichever they are.
        (f"deal {THREE}", "draw red 1 1 1 1 1 1", "setup.rack"),
        (f"draw next=red {THREE} red=1,E,moon,*:5@E5", "draw red 5 5", "turn.draw"),
        # Then the tile, the cell, whether they fit, and what lies there.
        (f"place next=red {RACKED}", "p1 red 9 Z9", "turn.rack"),
        (f"place next=red {RACKED}", "p1 red 5 Z9", "setup.cells"),
        (f"place next=red {RACKED}:A@A4", "p1 red 5 A4", "place.column"),
    ],
)
def test_of_several_causes_the_most_telling_is_the_reason(position: str, move: str, rule: str) -> None:
    (reason,) = GAME.judge(GAME.draft(position), GAME.parse_move(move)).reasons
    assert reason.rule == f"blockers.{rule}"


@pytest.mark.parametrize(
    ("phase", "rack", "move", "when"),
    [
        ("draw next=red", "1,E,moon,*:5@E5", "p2 pass", "first"),
        ("draw next=red", "1,E,moon,*:5@E5", "draw red 9 8", "one"),
        ("draw next=red", "1,E,moon,*:5@E5", "draw yellow 9", "other"),
        ("place next=red", "1,E,moon,*,2:5@E5", "draw red 9", "early"),
        ("place next=red", "1,E,moon,*,2:5@E5", "draw yellow 9", "early"),
    ],
)
def test_who_draws_at_the_wrong_time_is_told_when(phase: str, rack: str, move: str, when: str) -> None:
    (reason,) = GAME.judge(GAME.draft(f"{phase} {THREE} red={rack}"), GAME.parse_move(move)).reasons
    assert reason.rule == "blockers.turn.draw"
    assert (reason.args["when"], reason.args["colour"]) == (when, "red")


def test_nobody_is_told_to_draw_later_from_an_empty_supply() -> None:
    for state, _ in positions({"players": 3}, 1):
        if state.phase == PLACE:
            (reason,) = GAME.judge(state, GAME.parse_move("draw red ?")).reasons
            left = GAME.facts(state)[f"supply.{state.table.colours[due(state)]}"]
            assert reason.args["when"] == ("early" if left else "empty")
    assert not left


# Passes

LOCKED = (
    "place round=16 next=red p1=red p2=yellow p3=blue "
    "red=1,2,triangle,clover,moon:A@A7,8@A8,B@B8,star@B9,C@C3,*@E2,E@E3,6@E6,diamond@E7,F@F7,3@G3,heart@G6,"
    "G@G7,H@H7,square@I7 "
    "yellow=?????:A@A1,2@A2,3@A3,cross@A4,B@B1,C@C1,D@D1,E@E1,clover@F1,G@G1,H@H1,1@I1,moon@I2,I@I3,heart@I4 "
    "blue=?????:triangle@B2,B@B3,cross@B4,2@C2,C@C7,D@D2,*@D3,4@D4,F@F2,clover@F3,circle@F4,G@G2,H@H2,3@H3,"
    "heart@H4"
)

RED = "red=1,2,triangle,clover,moon:"
"""The rack of LOCKED."""


MOON_TAKEN = LOCKED.replace("p2=yellow", "p2=yellow:red-moon").replace(",square@I7", "")
"""One of the tiles that fit nowhere is gone, so that four others cannot fill a hidden rack."""


def opened(position: str) -> str:
    """LOCKED with one capture open: the triangle on B3, which no longer holds the blue tiles together."""
    return position.replace("cross@B4,2@C2", "2@C2,6@C6")


@pytest.mark.parametrize(
    ("position", "ways", "example"),
    [
        # Nothing is hidden: the supply does not count.
        ("place next=red p1=red p2=yellow p3=green red=1,E,moon,*,5", 117, ("1", "A1")),
        ("place next=red joker=open p1=red p2=yellow p3=green red=1,E,moon,2,5", 126, ("1", "A1")),
        (opened(LOCKED), 1, ()),
        # Hidden tiles may be any of those unseen, but none of them is there for sure.
        (opened(LOCKED).replace(RED, "red=1,2,triangle,moon,?:"), 58, ("triangle", "B3")),
        (LOCKED.replace(RED, "red=4,????:"), 57, ("4", "A4")),
        (MOON_TAKEN.replace(RED, "red=1,????:"), 66, ()),
    ],
)
def test_a_refused_pass_counts_the_placements_there_are_and_names_none_that_may_not_be(
    position: str, ways: int, example: tuple[str, ...]
) -> None:
    state = GAME.parse_position(position)
    (reason,) = GAME.judge(state, Move(1, "pass")).reasons
    assert reason.rule == "blockers.turn.must-place"
    assert reason.args["ways"] == GAME.facts(state)["legal"] == len(GAME.moves(state)) == ways
    assert (reason.args["tile"], reason.args["cell"]) == (example or ("", ""))
    assert reason.args["example"] == bool(example)
    assert reason.at == example[1:]


@pytest.mark.parametrize("lang", BOOK.words)
def test_the_sentence_of_a_refused_pass_names_the_only_placement_in_no_language(lang: str) -> None:
    sentence, words = BOOK.rulebooks[lang].blocks["blockers.turn.must-place"].why, BOOK.words[lang]
    assert sentence is not None
    for position, named in (
        (LOCKED.replace(RED, "red=4,2,triangle,clover,moon:"), True),
        (opened(LOCKED), False),
    ):
        (reason,) = GAME.judge(GAME.parse_position(position), Move(1, "pass")).reasons
        assert bool(re.search(r"\b[A-I][1-9]\b", sentence.text(words, reason.args))) == named


def test_a_forced_pass_uses_the_turn_and_draws_nothing() -> None:
    """The rack fits the columns 1 to 3 only, and each tile there is an own one or holds a group together."""
    state = GAME.parse_position(LOCKED)
    assert GAME.moves(state) == [Move(1, "pass")]
    after = GAME.apply(state, Move(1, "pass"))
    assert after == state._replace(turns=state.turns + 1)
    assert GAME.facts(after)["supply.red"] == GAME.facts(state)["supply.red"] == 8


def test_a_game_with_a_forced_pass_still_ends_after_24_turns_of_each_colour() -> None:
    state = GAME.parse_position(LOCKED)
    rng = random.Random(1)
    passes = 0
    while GAME.turn(state):
        move = rng.choice(GAME.moves(state))
        passes += move.act == "pass"
        state = GAME.apply(state, move)
    facts = GAME.facts(state)
    assert passes
    assert state.turns == 72
    assert [facts[f"left.{colour}"] for colour in state.table.colours] == [0, 0, 0]
    assert facts["rack.red"] == min(5, 28 - int(str(facts["placed.red"])))


# Text


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("p1  red joker e5 ", "p1 red * E5"),
        ("p2 red e e5", "p2 red E E5"),
        ("draw red 5 e joker ?", "draw red 5 E * ?"),
        ("draw red 1 2 3 4 5 6", "draw red 1 2 3 4 5 6"),
        ("p1 red moon J12", "p1 red moon J12"),
    ],
)
def test_a_move_may_be_written_in_other_ways(text: str, same: str) -> None:
    assert GAME.format_move(GAME.parse_move(text)) == same


@pytest.mark.parametrize(
    ("text", "code", "shown"),
    [
        (" ", "move.missing", ""),
        ("p1", "move", "p1"),
        ("p1  red", "move", "p1  red"),
        ("p0 red 5 E5", "move", "p0 red 5 E5"),
        ("p1 red 5", "move", "p1 red 5"),
        ("p1 red 5 5E", "move", "p1 red 5 5E"),
        ("p1 pass E5", "move", "p1 pass E5"),
        ("first p0", "move", "first p0"),
        ("draw red", "move", "draw red"),
        ("p1 red 5 E5 " + "x" * 300, "move.long", "312"),
        ("p1 pink 5 E5", "move.colour", "pink"),
        ("p1 RED 5 E5", "move.colour", "RED"),
        ("draw pink 5", "move.colour", "pink"),
        ("p1 red 0 E5", "move.tile", "0"),
        ("p1 red J E5", "move.tile", "J"),
        ("p1 red ? E5", "move.tile", "?"),
        ("p1 red sun E5", "move.tile", "sun"),
        ("p1 red red E5", "move.tile", "red"),
        ("p1 red Joker E5", "move.tile", "Joker"),
        ("p1 red ⅷ E5", "move.tile", "ⅷ"),
        ("p1 red ı I5", "move.tile", "ı"),
    ],
)
def test_a_text_that_is_no_move_is_quoted_as_it_was_typed(text: str, code: str, shown: str) -> None:
    with pytest.raises(InvalidMove) as caught:
        GAME.parse_move(text)
    check_error(caught.value, code, shown)


def check_error(error: RulesError, code: str, shown: str) -> None:
    """The fault is named, and its sentence shows the text in every language."""
    assert error.code == code
    check_values(error)
    for lang, words in BOOK.words.items():
        sentence = words.errors[code].text(words, error.values)
        quoted = {"en": "“{}”", "pl": "„{}”"}.get(lang, "«{}»").format(shown)
        quotes = error.values.keys() & {"value", "name"} and error.values.get("part", "text") == "text"
        assert quoted in sentence if quotes else shown in sentence
        assert not {"“”", "„”", "«»"} & {sentence[i : i + 2] for i in range(len(sentence))}


def check_values(error: RulesError) -> None:
    assert set(error.values) == set(GAME.errors()[error.code])


# Positions set up by hand


def test_a_position_may_leave_out_racks_and_round() -> None:
    state = GAME.parse_position(f"place next=red {THREE} yellow=:5@E5,6@E6")
    assert state.hidden == (5, 5, 5)
    assert GAME.facts(state)["round"] == 3
    assert GAME.facts(state)["left.red"] == 22


def test_racks_may_be_filled_in_any_order() -> None:
    state = GAME.parse_position(f"deal {THREE} yellow=1,? blue=?????")
    assert state.hidden == (0, 1, 5)
    assert {move.what[0] for move in GAME.moves(state)} == {"red", "yellow"}
    for text in ("draw yellow ? 7 9", "draw red 1 2 3", "draw red ? ?"):
        state = GAME.apply(state, GAME.parse_move(text))
    assert state.phase == PLACE


@pytest.mark.parametrize(
    ("text", "code", "shown"),
    [
        # What every position needs
        ("", "position.missing", "start/deal/place/draw/over"),
        ("over", "position.missing", "p1"),
        ("nonsense", "position.phase", "nonsense"),
        ("x" * 9999, "position.long", "9999"),
        (f"place {THREE}", "position.missing", "next"),
        (f"place next=red {THREE} extra", "position", "extra"),
        (f"place next=red {THREE} =5", "position", "=5"),
        (f"place next=red {THREE} pink=1", "position", "pink=1"),
        (f"place next=red {THREE} edition=", "position", "edition="),
        (f"place next=red {THREE} edition=amigo", "position", "edition=amigo"),
        (f"place next=red {THREE} joker=shut", "position", "joker=shut"),
        (f"place next=red next=red {THREE}", "position.again", "next"),
        # Players and colours
        ("place next=red p1=red p2=yellow p3=", "position", "p3="),
        ("place next=red p1=red", "position.missing", "p2"),
        ("place next=red p2=red p3=yellow p4=green", "position.seats", "p2=red"),
        ("place next=red p1=red p2=yellow p4=green", "position.seats", "p4=green"),
        (f"place next=red {THREE} p01=green", "position.seats", "p01=green"),
        (f"place next=red {THREE} p4=green p5=violet p6=red", "position.seats", "p6=red"),
        (f"place next=red first=p4 {THREE}", "position.seats", "first=p4"),
        ("place next=red p1=red p2=yellow", "position.player", "p1=red"),
        ("place next=red p1=red+blue p2=yellow+", "position.player", "p2=yellow+"),
        ("place next=red p1=red+blue p2=yellow+green p3=violet", "position.player", "p1=red+blue"),
        ("place next=red p1=red p2=pink p3=blue", "position.colour", "pink"),
        ("place next=red p1=red p2=red p3=blue", "position.again", "red"),
        # Whose turn it is, and when
        (f"place next=green {THREE}", "position.next", "green"),
        (f"draw next=red {THREE} red=????", "position.drawing", ""),
        ("draw next=red p1=red p2=yellow:red-5 p3=blue yellow=:E@E5", "position.drawing", ""),
        (f"draw next=red joker=open {THREE} red=:*@E5", "position.drawing", ""),
        (f"place round=25 next=red {THREE}", "position.round", "25"),
        (f"place round=0 next=red {THREE}", "position.round", "0"),
        (f"place round=01 next=red {THREE}", "position.round", "01"),
        (f"over next=red {THREE}", "position.ended", "next=red"),
        (f"over round=3 {THREE}", "position.ended", "round=3"),
        (f"start first=p1 {THREE}", "position.begun", "first=p1"),
        (f"start {THREE} red=1", "position.begun", ""),
        (f"deal next=red {THREE}", "position.begun", "next=red"),
        (f"deal {THREE} red=:5@E5", "position.begun", ""),
        ("deal p1=red:blue-5 p2=yellow p3=blue", "position.begun", ""),
        (f"deal {THREE} red=????? yellow=????? blue=?????", "position.dealt", ""),
        # Tiles on the board and on racks
        (f"place next=red {THREE} red=:", "position", "red=:"),
        (f"place next=red {THREE} red=1,2,3,4,5:", "position", "red=1,2,3,4,5:"),
        (f"place next=red {THREE} red=1,,2,3,4,5", "position", "1,,2,3,4,5"),
        (f"place next=red {THREE} red=:5", "position", "5"),
        (f"place next=red {THREE} red=:5@", "position", "5@"),
        (f"place next=red {THREE} red=:@E5", "position", "@E5"),
        (f"place next=red {THREE} red=:J@E5", "position.tile", "J"),
        (f"place next=red {THREE} red=e,?,?,?,?", "position.tile", "e"),
        (f"place next=red {THREE} red=:5@E10", "position.cell", "E10"),
        (f"place next=red {THREE} red=:5@e5", "position.cell", "e5"),
        (f"place next=red {THREE} red=:5@E5 yellow=:E@E5", "position.taken", "E5"),
        (f"place next=red {THREE} red=:5@E4", "position.fit", "E4"),
        (f"place next=red {THREE} red=:moon@A1", "position.fit", "A1"),
        (f"place next=red {THREE} red=:5@E5,5@D5", "position.twice", "5"),
        (f"place next=red {THREE} red=5,1,2,3,4:5@E5", "position.twice", "5"),
        (f"place next=red {THREE} red=1,2,3,3,4", "position.twice", "3"),
        (f"place next=red joker=open {THREE} red=*,1,2,3,4", "position.joker", ""),
        (f"place next=red {THREE} red=1,2,3,4", "position.rack", "4"),
        (f"place next=red {THREE} red=??????", "position.rack", "6"),
        (f"place next=red {THREE} red={'?' * 27}:5@E5,6@E6", "position.rack", "27"),
        (f"deal {THREE} yellow=??????", "position.rack", "6"),
        # Captured tiles and turns
        ("place next=red p1=red: p2=yellow p3=blue", "position", "p1=red:"),
        ("place next=red p1=red:yellow p2=yellow p3=blue", "position", "yellow"),
        ("place next=red p1=red:-5 p2=yellow p3=blue", "position", "-5"),
        ("place next=red p1=red:green-5 p2=yellow p3=blue", "position.colour", "green"),
        ("place next=red p1=red:yellow-J p2=yellow p3=blue", "position.tile", "J"),
        ("place next=red p1=red p2=yellow:red-5 p3=blue red=:5@E5 yellow=:1@A1", "position.twice", "5"),
        ("place next=red p1=red:red-5 p2=yellow p3=blue", "position.own", ""),
        (f"place next=red {TWO.replace('red+blue', 'red+blue:blue-5')}", "position.own", ""),
        ("place round=9 next=red p1=red:yellow-5 p2=yellow p3=blue", "position.pile", "1"),
        ("place next=red p1=red:yellow-5 p2=yellow:red-5 p3=blue", "position.under", "5"),
        ("place next=red p1=red:yellow-5 p2=yellow p3=blue red=:E@E6", "position.under", "5"),
        (f"place round=1 next=red {THREE} red=:5@E5", "position.turns", "1"),
        (f"place round=2 next=red {THREE} red=:5@E5,6@E6", "position.turns", "2"),
    ],
)
def test_an_impossible_position_is_refused_with_its_fault(text: str, code: str, shown: str) -> None:
    with pytest.raises(InvalidPosition) as caught:
        GAME.parse_position(text)
    check_error(caught.value, code, shown)


def test_25_tiles_of_a_colour_cannot_have_been_placed() -> None:
    tiles = [f"{row}@{row}1" for row in "ABCDEFGHI"] + [f"{n}@A{n}" for n in range(2, 10)]
    tiles += ["triangle@B2", "cross@B4", "star@B7", "clover@D2", "circle@D4", "diamond@D7", "moon@G2", "*@I9"]
    with pytest.raises(InvalidPosition) as caught:
        GAME.parse_position(f"over {THREE} red=:" + ",".join(tiles))
    assert caught.value.values == {"colour": "red", "placed": 25, "turns": 24}


@given(st.text(max_size=60))
@settings(max_examples=200)
@pytest.mark.patient
def test_any_text_is_a_position_or_a_named_fault(text: str) -> None:
    for prefix in ("", f"place next=red {THREE} ", f"place next=red {THREE} red=:"):
        try:
            state = GAME.parse_position(prefix + text)
        except InvalidPosition as error:
            check_values(error)
        else:
            assert GAME.parse_position(GAME.format_position(state)) == state


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('"violet"', '"red"', "colours"),
        (', "violet"', "", "colours"),
        ('"moon"', '"star"', "symbols"),
        (', "star"', "", "symbols"),
        ('"moon"', '"E"', "word"),
        ('"red"', '"p1"', "word"),
    ],
)
def test_broken_data_is_refused_with_its_fault(old: str, new: str, code: str) -> None:
    assert old in BOARD
    with pytest.raises(InvalidData) as caught:
        Blockers.from_files({"board.toml": BOARD.replace(old, new)})
    assert caught.value.code == code


# Hidden racks


@given(tables, seeds)
@settings(max_examples=8)
@pytest.mark.patient
def test_a_view_played_on_is_the_view_of_what_really_came(options: dict[str, Any], seed: int) -> None:
    """For every seat and for a spectator, at every move of a game, also when the position is read anew."""
    for (state, move), (after, _) in itertools.pairwise(positions(options, seed)):
        for seat in range(state.table.players + 1):
            seen = GAME.parse_position(GAME.format_position(GAME.view(state, seat)))
            shown = GAME.seen_by(state, move, seat)
            assert GAME.judge(seen, shown).ok
            assert GAME.play(seen, shown) == GAME.view(after, seat)


def test_a_forced_pass_can_be_replayed_in_every_view() -> None:
    state = GAME.parse_position(LOCKED)
    after = GAME.play(state, Move(1, "pass"))
    for seat in range(4):
        assert GAME.apply(GAME.view(state, seat), Move(1, "pass")) == GAME.view(after, seat)


def deals(state: State) -> list[State]:
    """Every way to turn the hidden tiles of the colour that is due into seen ones."""
    colour = due(state)
    return [
        state._replace(
            racks=_with(state.racks, colour, state.racks[colour] | sum(1 << face for face in faces)),
            hidden=_with(state.hidden, colour, 0),
        )
        for faces in itertools.combinations(faces_in(unseen(state, colour)), state.hidden[colour])
    ]


def _with(row: tuple[int, ...], i: int, value: int) -> tuple[int, ...]:
    return (*row[:i], value, *row[i + 1 :])


@pytest.mark.parametrize(
    "rack", ["?????", "1,????", "1,2,triangle,??", "4,????", "5,7,9,D,?", "moon,clover,1,2,?"]
)
def test_what_is_legal_with_a_hidden_rack_is_what_is_legal_with_some_rack(rack: str) -> None:
    state = GAME.parse_position(LOCKED.replace("red=1,2,triangle,clover,moon:", f"red={rack}:"))
    check_deals(state)
    # One of the tiles that fit nowhere is gone, so that four others cannot fill a hidden rack.
    check_deals(state._replace(played=_with(state.played, 0, state.played[0] | 1 << GAME.box.face["moon"])))


@given(tables, seeds, st.integers(-30, -1))
@settings(max_examples=20)
def test_late_in_a_game_a_hidden_rack_may_be_any_of_the_racks(
    options: dict[str, Any], seed: int, place: int
) -> None:
    state = some_position(options, seed, place)
    seen = GAME.view(state, CHANCE)
    if unseen(seen, due(seen)).bit_count() < 12:
        check_deals(seen)


def check_deals(state: State) -> None:
    """A move is listed, and judged legal, exactly when it is legal with one of the racks that may be."""
    possible = {move for deal in deals(state) for move in GAME.moves(deal)}
    assert set(GAME.moves(state)) == possible
    assert GAME.judge(state, Move(GAME.turn(state)[0], "pass")).ok == any(m.act == "pass" for m in possible)


def test_only_the_owner_sees_a_drawn_tile() -> None:
    state = GAME.parse_position(f"deal {TWO}")
    move = GAME.parse_move("draw blue 5 E")
    for seat, seen in ((0, "draw blue ? ?"), (1, "draw blue 5 E"), (2, "draw blue ? ?")):
        assert GAME.format_move(GAME.seen_by(state, move, seat)) == seen
    assert not any(GAME.view(GAME.play(state, move), CHANCE).racks)


def test_a_redeal_gives_every_unseen_tile_the_same_chance() -> None:
    """5 of 23 unseen tiles are on the hidden rack, so each is there in about 22 % of the deals."""
    state = GAME.parse_position(f"place next=red {THREE} yellow=?????:5@E5,6@E6,7@E7,8@E8,9@E9")
    dice = random.Random(1)
    dealt = [GAME.redeal(state, 1, dice).racks[1] for _ in range(2000)]
    for face in faces_in(unseen(state, 1)):
        assert 350 < sum(rack >> face & 1 for rack in dealt) < 520


def test_a_hidden_tile_may_be_any_tile_that_nobody_has_seen() -> None:
    state = GAME.parse_position(f"place next=red {THREE} red=1,????:9@A9")
    for tile, ok in (("1", True), ("5", True), ("9", False)):
        assert GAME.judge(state, Move(1, "place", ("red", tile, f"E{tile}"))).ok == ok
    after = GAME.apply(state, GAME.parse_move("p1 red 5 E5"))
    assert (after.racks[0].bit_count(), after.hidden[0]) == (1, 3)
    drawn = GAME.apply(after, GAME.parse_move("draw red ?"))
    assert (drawn.racks[0].bit_count(), drawn.hidden[0]) == (1, 4)
    assert not GAME.judge(after, GAME.parse_move("draw red 5")).ok


def test_deeds_do_not_name_the_drawn_tile() -> None:
    state = GAME.setup({"players": 3, "first": 1})
    told = GAME.tell(state, GAME.parse_move("draw red 5 E moon"))
    assert told.args == {"player": "p1", "colour": "red", "count": 3}


# What comes to mind


@given(tables, seeds, st.integers(0, 200))
@settings(max_examples=30)
def test_what_comes_to_mind_breaks_many_rules_and_tells_nothing_hidden(
    options: dict[str, Any], seed: int, place: int
) -> None:
    state = some_position(options, seed, place)
    (seat,) = GAME.turn(state)
    thought = GAME.thinkable(state, seat)
    assert thought == GAME.thinkable(GAME.view(state, seat), seat)
    assert len(thought) - len(GAME.moves(state)) < 40
    broken = {GAME.judge(state, move).reasons[0].rule for move in thought if move not in GAME.moves(state)}
    assert len(broken) >= 4


# The order of play


@pytest.mark.parametrize(
    ("players", "first", "line"),
    [
        (2, 1, "red yellow blue green"),
        (2, 2, "yellow red green blue"),
        (4, 1, "red yellow blue green"),
        (4, 3, "blue green red yellow"),
    ],
)
def test_the_colours_take_turns_in_order(players: int, first: int, line: str) -> None:
    options = {"players": players, "first": first, "colours": ["red", "yellow", "blue", "green"]}
    seen = [str(GAME.facts(state)["colour"]) for state, _ in positions(options, 7) if state.phase == PLACE]
    assert seen == line.split() * 24


def test_colours_of_the_box_name_every_cell_of_the_board() -> None:
    told = GAME.describe()
    assert len(told["cells"]) == 81
    assert told["cells"]["E5"]["neighbours"] == ["D5", "E4", "E6", "F5"]
    assert told["cells"]["A9"]["neighbours"] == ["A8", "B9"]
    assert told["tiles"]["moon"] == cells(FITS[GAME.box.face["moon"]])


def test_nothing_may_be_done_after_the_end() -> None:
    *_, (last, _) = positions({"players": 3}, 1)
    assert last.phase == OVER
    for text in ("p1 red 5 E5", "p1 pass", "draw red 5", "first p1"):
        assert GAME.judge(last, GAME.parse_move(text)).reasons[0].rule == "blockers.end.over"


HIDDEN_RACK = (
    "place round=2 next=red p1=red p2=yellow p3=blue "
    "red=1,2,3,4,?:5@A5 yellow=6,7,8,9,A:*@C4 blue=6,7,8,9,A:*@C5"
)

DRAWING = "draw round=1 next=red p1=red p2=yellow p3=blue red=1,2,3,?:5@A5 yellow=6,7,8,9,A blue=6,7,8,9,A"


@pytest.mark.parametrize(
    ("position", "move", "guess"),
    [
        (HIDDEN_RACK, "p1 red E E1", True),
        (HIDDEN_RACK, "p1 pass", True),
        (HIDDEN_RACK, "p1 red 1 E1", False),
        (HIDDEN_RACK, "p1 red 2 E2", False),
        (HIDDEN_RACK, "p1 red E F1", False),
        (HIDDEN_RACK, "p1 red 5 E5", False),
        (HIDDEN_RACK, "p2 yellow 6 E6", False),
        (HIDDEN_RACK, "p2 pass", False),
        (HIDDEN_RACK.replace("?", "9"), "p1 pass", False),
        (DRAWING, "p1 pass", False),
    ],
)
def test_what_hangs_on_a_hidden_tile_is_a_guess(position: str, move: str, guess: bool) -> None:
    assert GAME.guessed(GAME.parse_position(position), GAME.parse_move(move)) is guess


def test_one_winner_of_a_tie_is_alone_even_if_the_others_tie_behind() -> None:
    *_, (last, _) = positions({"players": 3, "edition": "uptown"}, 0)
    outcome = GAME.outcome(last._replace(masks=(CELLS["A1"], CELLS["C1"], CELLS["E1"]), piles=(0, 1, 2)))
    assert outcome is not None
    assert outcome.scores == (1, 1, 1)
    assert (outcome.ranks, outcome.reason) == ((1, 2, 2), "blockers.uptown.tie")
