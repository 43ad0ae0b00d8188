"""Confini: what the contract does not prove. Its cards, conservation over random games, what a seat may see,
faults of positions, values of fights, and the chain that fills the piles.
"""

import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from tests import ROOT
from tests.games.golden import ASKED
from tutor.book.load import Library
from tutor.games.confini import engine as confini
from tutor.games.confini.engine import Confini
from tutor.games.confini.engine.board import GEARS
from tutor.games.confini.engine.cards import CENTRE, NO_CARD, bits
from tutor.games.confini.engine.effects import SHAPES
from tutor.games.confini.engine.faces import shown_cards
from tutor.games.confini.engine.scoring import needed, score
from tutor.games.confini.engine.state import SMOKE, Fight, State, card_sets, clockwise, single_cards
from tutor.games.confini.engine.table import Table
from tutor.rules.base import CHANCE, Deed, Move
from tutor.rules.errors import InvalidData, InvalidMove, InvalidPosition, Typed

CONTENT = ROOT / "content" / "confini"
FILES = {name: (CONTENT / name).read_text(encoding="utf-8") for name in ("cards.toml", "board.toml")}
GAME = Confini.from_files(FILES)
BOX = GAME.box
ALL = (1 << len(BOX.cards)) - 1
BITS = [1 << i for i in range(200)]
SOAK = int(os.environ.get("TUTOR_SOAK", "1"))
"""Multiplies the random games."""


def play(rng: random.Random, options: dict[str, object], game: Confini = GAME) -> Iterator[State]:
    """A game of uniformly random moves, position by position."""
    state = game.setup(options)
    while True:
        yield state
        moves = game.moves(state)
        if not moves:
            return
        state = game.play(state, moves[int(rng.random() * len(moves))])


def sampled(seed: int, games: int, share: float) -> Iterator[tuple[random.Random, State]]:
    """Some positions of some random games, with 2, 3 and 4 players in turn."""
    rng = random.Random(seed)
    for i in range(games):
        for state in play(rng, {"players": 2 + i % 3}):
            if rng.random() < share or (state.queue and rng.random() < 4 * share):
                yield rng, state


def assert_conserved(state: State, everything: int = ALL, spago: int = BOX.numbers.spago) -> None:
    """Every card lies in exactly one place, no Spago is lost, and every pawn stands where it can."""
    sets, single = card_sets(state), single_cards(state)
    # As many cards as bits in the sum: it had no carry, so no card is there twice.
    count = sum(map(int.bit_count, sets)) + len(single)
    cards = sum(sets) + sum(map(BITS.__getitem__, single)) == everything and count == everything.bit_count()
    tokens = state.supply >= 0 and state.supply + sum(state.spago) == spago and min(state.eco) >= 0
    pawns = min(state.level) >= 0 and max(state.level) <= CENTRE
    if not (cards and tokens and pawns):
        pytest.fail(f"{cards=} {tokens=} {pawns=}: {state}")


# The data


def test_the_box_holds_what_the_rulebook_counts() -> None:
    kinds = [card.kind for card in BOX.cards]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        "event": 30, "equipment": 21, "cut": 10, "change": 25, "limit": 60,
    }  # fmt: skip
    assert [home.bit_count() for home in BOX.homes] == [70, 14, 15, 16, 31]
    assert len({card.id for card in BOX.cards}) == len(BOX.cards)
    limits = [card for card in BOX.cards if card.kind == "limit"]
    assert all(card.value == card.home for card in limits)
    assert [sum(card.value == n for card in limits) for n in (1, 2, 3, 4)] == [12, 12, 12, 24]


def test_every_quadrant_and_level_has_each_flaw_once() -> None:
    flaws = {character.flaw for character in BOX.characters.values()}
    assert len(flaws) == 4
    assert BOX.flaw_of["NE1"] == BOX.characters["van-ross"].flaw == "prejudice"
    for name, row in BOX.quadrants.items():
        assert set(row) == flaws, name


def test_the_vocabulary_has_sixteen_primitives_and_the_cards_use_them_all() -> None:
    used = {effect.name for card in BOX.cards for effects in card.effects.values() for effect in effects}
    used |= {e.name for one in BOX.characters.values() for effects in one.effects.values() for e in effects}
    assert len(SHAPES) == 16
    assert used == set(SHAPES)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("eco(self, +2)", "eco(nobody, +2)"),
        ("eco(self, +2)", "eco(self, 2)"),
        ("eco(self, +2)", "eco(self)"),
        ("eco(self, +2)", "echo(self, +2)"),
        ("eco(self, +2)", "richest: eco(self, +2)"),
        ("eco(self, +2)", "cancel()"),
        ('static = ["ignore(cut)"]', 'static = ["cut(chosen, self)"]'),
        ('static = ["ignore(cut)"]', 'always = ["ignore(cut)"]'),
        ('on_draw = ["eco(self, -1)"]', ""),
        ('on_win = ["move_card(placer, self, 1, random)"]', 'on_loss = ["may: eco(self, +1)"]'),
        ('flaw = "envy"\nability', 'flaw = "pride"\nability'),
        ("eco(self, +2)", "once_per_turn: eco(self, +2)"),
        ("eco(self, +2)", "ignore(negative)"),
        ("may: ignore(negative)", "may: ignore(cut)"),
        ("once_per_turn: may: ignore(turn_change)", "ignore(turn_change)"),
        ('static = ["ignore(cut)"]', 'static = ["may: ignore(cut)"]'),
        ('static = ["ignore(cut)"]', 'static = ["once_per_turn: ignore(cut)"]'),
        ('static = ["ignore(cut)"]', 'static = ["equip>=2: ignore(cut)"]'),
    ],
)
def test_it_notices_a_fault_in_the_card_list(old: str, new: str) -> None:
    assert old in FILES["cards.toml"]
    with pytest.raises(InvalidData):
        Confini.from_files(FILES | {"cards.toml": FILES["cards.toml"].replace(old, new)})


STRANGE_CARDS = """
[events.EV90]
copies = 2
play_combat = ["draw(self, 2)", "discard(self, 1, choice)", "will(+1)"]
[events.EV91]
copies = 2
play_combat = ["move_card(challenger, placer, 1, choice)", "ignore(arc_bonus)", "end_turn()"]
[events.EV92]
copies = 2
play_explore = ["draw(chosen, 1)", "discard(chosen, 1, random)", "draw(self, 1)", "eco(next, -1)"]
[events.EV93]
copies = 2
on_draw = ["move_equip(self, next, choice)", "draw(self, 1)", "spago(self, +1)"]
[events.EV94]
copies = 2
kept = true
on_loss = ["may: ignore(negative)", "eco(self, +1)"]
[events.EV95]
copies = 2
play_combat = ["move_equip(chosen, self, choice)", "cancel()"]
play_explore = ["end_turn()"]
[equipment.EQ90]
copies = 3
bonus = 1
turn_start = ["draw(self, 1)"]
on_win = ["spago(self, +1)", "discard(placer, 1, random)"]
on_loss = ["draw(self, 1)", "may: eco(self, +1)"]
challenge_start = ["may: draw(self, 1)"]
static = ["stat(hand_limit, +1)", "stat(slots, +1)"]
"""


@pytest.mark.patient
def test_a_changed_card_list_needs_no_code() -> None:
    game = Confini.from_files(FILES | {"cards.toml": STRANGE_CARDS + FILES["cards.toml"]})
    everything = (1 << len(game.box.cards)) - 1
    rng = random.Random(9)
    asked = set()
    for i in range(18 * SOAK):
        for state in play(rng, {"players": 2 + i % 3, "guard": 40}, game):
            assert_conserved(state, everything)
            asked |= {task.kind for task in state.queue[:1]}
            if rng.random() < 0.05:
                seen = game.view(state, rng.randrange(len(state.level) + 1))
                assert game.parse_position(game.format_position(state)) == state
                assert game.parse_position(game.format_position(seen)) == seen
    assert {"draw", "take", "give", "drop", "charm", "steady", "offer"} <= asked


def test_what_stops_a_turn_change_does_so_every_time_unless_it_says_once() -> None:
    text = FILES["cards.toml"].replace("once_per_turn: may:", "may:")
    start = "explore active=p1 draws=3 p1=vasco p2=andrea"
    for game, again in ((GAME, False), (Confini.from_files(FILES | {"cards.toml": text}), True)):
        state = game.parse_position(start)
        for move in ("draw CT#1", "p1 use vasco", "draw CT#2"):
            state = game.apply(state, game.parse_move(move))
        assert bool(state.queue) == again


def test_what_equipment_gives_is_not_remembered_for_ever() -> None:
    rng = random.Random(2)
    game = Confini.from_files(FILES)
    for _ in range(2 * GEARS):
        game.box.gear("andrea", sum(1 << i for i in rng.sample([*bits(BOX.equipment)], 5)))
    assert game.box.gear.cache_info().currsize == GEARS


# Random games


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games_lose_nothing(players: int) -> None:
    rng = random.Random(1000 * players)
    for _ in range(15 * SOAK):
        for state in play(rng, {"players": players}):
            assert_conserved(state)
        assert state.round <= BOX.numbers.guard


def test_games_without_the_guard_end_too() -> None:
    rng = random.Random(7)
    for i in range(6 * SOAK):
        *_, state = play(rng, {"players": 2 + i % 3, "guard": 0})
        outcome = GAME.outcome(state)
        assert outcome
        assert outcome.reason in ("confini.smoke.win", "confini.end.last")


BY_CHANCE_ALONE = {
    "confini.setup.explorer",
    "confini.pile.draw",
    "confini.pile.refill",
    "confini.cards.random",
    "confini.smoke.reveal",
    "confini.deck.there",
}
"""Rules on the cards that may turn up: no player breaks them."""


def test_what_comes_to_mind_breaks_every_rule_that_a_player_can_break(library: Library) -> None:
    """In positions of the scenarios, which know the rare ones, and of random games."""
    steps = [step for run in library.runs["confini"].values() for step in run.steps.values()]
    states = {step.before for step in steps} | {state for _, state in sampled(5, 3, 0.05)}
    refused: set[str] = set()
    for state in states:
        for seat in range(1, len(state.level) + 1):
            ideas = GAME.thinkable(state, seat)
            assert len(ideas) <= max(60, len(GAME.moves(state)))
            for move in ideas:
                verdict = GAME.judge(state, move)
                refused |= set() if verdict.ok else {reason.rule for reason in verdict.reasons}
    breakable = {name for name, rule in GAME.rules.items() if rule.refuses is not None}
    assert refused == breakable - BY_CHANCE_ALONE


# Texts


@pytest.mark.parametrize(
    "text",
    [
        "", "p1", "p1 jump", "p0 pass", "p1 explore", "p1 explore x", "p1 explore -1", "p1 explore 1 2",
        "dice 7 1", "dice 1", "draw", "draw EV01", "draw EV01#9", "p1 play", "p1 play EV06#1 vasco",
        "p1 equip EQ5#1 EQ1#1", "p1 place", "p1 place 12", "p1 move 3", "p1 fight one", "p1 use",
        "p1 smoke now", "draw L1-CUP-A#1", "p1 discard ?", "reveal ?", "p1 drop ?", "p1 use ev99",
        "p1 explore 01", "p1 fight 1 1:", "p1 fight 1 1:L9", "p1 fight 1 0:L1-CUP-A", "p1 fight 1 x:L1-CUP-A",
        "1:L1-CUP-A",
    ],
)  # fmt: skip
def test_it_says_that_a_text_is_no_move(text: str) -> None:
    with pytest.raises(InvalidMove) as caught:
        GAME.parse_move(text)
    assert set(caught.value.values) == set(GAME.errors()[caught.value.code])


def test_ids_may_be_typed_in_small_letters() -> None:
    assert GAME.parse_move("p1 use ev09#1") == Move(1, "use", ("EV09#1",))
    assert GAME.parse_move("p1 play ev07#1 p2 eq5#1") == Move(1, "play", ("EV07#1", "p2", "EQ5#1"))
    assert GAME.parse_move("p1 place se2") == Move(1, "place", ("SE2",))


WINDOW = "cards p1=vasco p2=andrea fight=L1-PRE-B@SE1 fight.placer=p2"
LAST = "start round=9 p1=andrea p2=vasco p3=ottilia p3.level=0 last"
MANY = ",".join([card.id for card in BOX.cards if card.in_hand][:49])
IDOL = (
    "start active=p1 round=4 p1=vasco p1.hand=EV02#1 p1.equip=EQ9 p1.kept=EV09#1 p2=andrea "
    "todo=offer/p1/EQ9/=may:move_equip(self,discard,this);recover/p1"
)
DEBT = "explore active=p1 p1=vasco p1.hand=EV02#1 p1.equip=EQ1#1 p2=andrea todo=give/p1/>p2;close/EV12"


QUESTIONS = ASKED["confini"].read_text("utf-8").splitlines()
FAULTY = [line for line, answer in pairwise(QUESTIONS) if answer.startswith("    ! ")]


@pytest.mark.parametrize("text", ["", "start " + "p1=vasco " * 2000, *FAULTY])
def test_the_fault_of_a_position_has_the_values_of_its_sentence(text: str) -> None:
    """Which fault it is, is said in the golden file."""
    with pytest.raises(InvalidPosition) as caught:
        GAME.parse_position(text)
    assert set(caught.value.values) == set(GAME.errors()[caught.value.code])
    assert "" not in caught.value.values.values()


@pytest.mark.parametrize(
    "text",
    [
        f"{LAST}=p2,L1-PRE-B,6,5,8,0,0,8",
        f"{LAST}=p2,L1-PRE-C,0,1,-1,0,0,0",
        f"{LAST}=p2,L1-SUP-B,1,0,0,1,1,1",
        f"{LAST.replace('p2=vasco', 'p2=vasco p2.level=4')}=p2,L1-PRE-B,1,0,0,1,0,0",
        f"{LAST}=p3,smoke,0,0,0,1,0,1,2,2",
        "over round=9 p1=andrea p1.level=5 p2=vasco last=p1,smoke,4,0,0,0,0,1,2,1",
        "over round=9 p1=andrea p1.level=0 p2=vasco last=p1,smoke,3,0,0,0,0,1,2,1",
        "start p1=andrea p1.level=4 p1.spago=5 p2=vasco",
        "start round=10 p1=andrea p1.level=4 p1.spago=20 p2=vasco",
        "start p1=andrea p2=vasco p2.hand=?15",
    ],
)
def test_what_can_have_been_is_no_fault(text: str) -> None:
    assert GAME.format_position(GAME.parse_position(text))


def test_what_no_game_can_reach_can_still_be_read_and_mended() -> None:
    for fault in ("last=p2,L1-PRE-B,99,99,99,1,1,99", f"p1.hand={MANY}", "p1.spago=20"):
        text = f"start active=p1 p1=andrea p2=vasco {fault}"
        with pytest.raises(InvalidPosition):
            GAME.parse_position(text)
        assert fault.partition("=")[0] in GAME.format_position(GAME.draft(text))


def test_a_fault_quotes_what_was_typed_and_does_not_translate_it() -> None:
    for text, quoted in (
        ("equip p1=andrea p2", "p2"),
        ("equip =andrea p2=vasco", "=andrea"),
        ("start p1=andrea p2=smoke", "p2=smoke"),
        ("start p1=andrea p2=vasco p1.hand=hand", "hand"),
        ("challenge looks=5 p1=andrea p2=vasco limits=NW1:p2:L1-CUP-A", "looks=5"),
        ("over round=3 p1=andrea p2=vasco", "round=3"),
    ):
        with pytest.raises(InvalidPosition) as caught:
            GAME.parse_position(text)
        value = caught.value.values["value"]
        assert isinstance(value, Typed)
        assert value == quoted


def test_what_is_typed_in_a_move_is_echoed_in_its_refusal() -> None:
    pick = GAME.parse_position("pick p1=? p2=?")
    (reason,) = GAME.judge(pick, GAME.parse_move("p1 pick smoke")).reasons
    assert isinstance(reason.args["character"], Typed)


@pytest.mark.parametrize(("place", "called"), [("XX9", "off-board"), ("NE9", "off-board"), ("SW5", "centre")])
def test_a_place_that_is_no_arc_has_a_name_of_its_own(place: str, called: str) -> None:
    state = GAME.parse_position("place p1=andrea p2=vasco held=L1-CUP-A")
    (reason,) = GAME.judge(state, GAME.parse_move(f"p1 place {place}")).reasons
    assert reason.args["arc"] == called


def test_what_a_position_leaves_out_is_at_its_start() -> None:
    fresh = GAME.setup({"players": 2, "characters": ["vasco", "andrea"], "first": 1})
    assert GAME.parse_position("start p1=vasco p2=andrea") == fresh
    state = GAME.parse_position("start p1=vasco p2=andrea p1.hand=EV02,EV02,EV02#1 deck=EV03 pile2=none")
    assert [BOX.cards[i].id for i in bits(state.hand[0])] == ["EV02#1", "EV02#2", "EV02#3"]
    assert [BOX.cards[i].id for i in bits(state.deck)] == ["EV03#1"]
    assert (state.discard.bit_count(), state.piles[1], state.filed[1].bit_count()) == (66, 0, 15)


def test_whoever_picks_while_a_choice_is_due_is_told_of_the_choice() -> None:
    state = GAME.parse_position(DEBT)
    assert GAME.judge(state, GAME.parse_move("p2 pick vasco")).reasons[0].rule == "confini.turn.choice"
    state = GAME.parse_position("start p1=andrea p2=vasco")
    assert GAME.judge(state, GAME.parse_move("p1 pick vasco")).reasons[0].rule == "confini.turn.phases"


ANSWERED = f"{WINDOW} fight.turn=p1 fight.stack=p1:EV02#1,p2:EV03#1"


@pytest.mark.parametrize(
    ("position", "move", "card", "own"),
    [
        (IDOL, "p1 use andrea", "quick-hands", 0),
        (IDOL, "p1 use EV09#2", "EV09", 0),
        (DEBT, "p1 give EQ1#1", "EQ1", 1),
        (DEBT, "p1 give EQ1#2", "EQ1", 0),
        ("equip p1=vasco p1.equip=EQ1#1 p2=andrea", "p1 equip EQ1#1", "EQ1", 1),
        ("equip p1=vasco p1.kept=EV09#1 p2=andrea", "p1 play EV09#1", "EV09", 1),
        ("equip p1=vasco p2=andrea p2.kept=EV09#1", "p1 play EV09#1", "EV09", 0),
        (ANSWERED, "p1 play EV02#1", "EV02", 1),
        (ANSWERED, "p1 play EV03#1", "EV03", 0),
    ],
)
def test_a_card_of_one_s_own_that_is_not_in_hand_is_not_called_another_s(
    position: str, move: str, card: str, own: int
) -> None:
    (reason,) = GAME.judge(GAME.parse_position(position), GAME.parse_move(move)).reasons
    assert (reason.rule, reason.args) == ("confini.cards.hand", {"card": card, "own": own})


@pytest.mark.parametrize("what", ["vasco", "EV09#1", "EV02#1"])
def test_whoever_uses_something_of_their_own_is_told_what_is_asked_for(what: str) -> None:
    (reason,) = GAME.judge(GAME.parse_position(IDOL), Move(1, "use", (what,))).reasons
    assert (reason.rule, reason.args["choice"]) == ("confini.turn.choice", "choice-offer")


CHARMED = (
    "result active=p1 p1=vasco p1.kept=EV09#2 p2=andrea fight=L1-PRE-B@SE1 fight.placer=p2 fight.value=2 "
    "todo=charm/p1;negative/p1;award;file last=p1,L1-PRE-B,0,0,0,0,0,2"
)


@pytest.mark.parametrize(
    ("position", "said"),
    [
        (IDOL, Deed("keep", (), {"player": "p1", "card": "EQ9"})),
        (CHARMED, Deed("keep", (), {"player": "p1", "card": "EV09"})),
        (f"{WINDOW} fight.turn=p2", Deed("pass", (), {"player": "p1"})),
    ],
)
def test_whoever_discards_no_idol_and_no_charm_is_said_to_keep_it(position: str, said: Deed) -> None:
    state = GAME.parse_position(position)
    assert GAME.tell(state, Move(1, "pass")) == said
    assert GAME.tell(state, Move(2, "pass")) == Deed("pass", (), {"player": "p2"})


def test_nobody_is_told_in_a_fight_that_there_is_no_limit_to_fight(library: Library) -> None:
    """The Limit that is being fought has left the arc."""
    asked = 0
    for run in library.runs["confini"].values():
        for step in run.steps.values():
            state: State = step.after
            if not state.fight or state.active not in GAME.turn(state):
                continue
            for act in ("fight", "look"):
                verdict = GAME.judge(state, Move(state.active, act, ("1",)))
                assert not verdict.ok
                assert verdict.reasons[0].rule != "confini.challenge.skip"
                asked += 1
    assert asked > 20


FULL = (
    "active=p1 round=9 p1=andrea p1.spago=2 p1.hand=EV01#1,EV02#1,CUT#1,EQ1#1 p2=vasco p2.hand=EV03#1"
    " p3=ottilia limits=NW1:p2:L1-CUP-A,SE1:p1:L1-CUP-B"
)
"""Cards for the Exploration, for fights, for both, and Equipment; Limit 1 lies here, Limit 2 elsewhere."""
NOW = {
    "start": f"start {FULL}",
    "equip": f"equip {FULL}",
    "challenge": f"challenge {FULL}",
    "eco": f"eco {FULL} fight=L1-PRE-B@NW1 fight.placer=p2",
    "cards": f"cards {FULL} fight=L1-PRE-B@NW1 fight.placer=p2 fight.turn=p1",
    "place": f"place {FULL} held=L1-PRE-A",
    "advance": f"advance {FULL}",
    "hand": f"hand {FULL}",
}
TOLD = {
    "start": {
        "cards.window": ("play EV01#1", "play EV02#1", "play CUT#1 p2", "play EQ1#1"),
        "turn.phases": ("done", "look 1", "fight 1", "fight 2", "fight 3", "spend 1", "pass", "place NW2",
                        "advance", "stay", "discard EV01#1"),
    },
    "equip": {
        "turn.phases": ("explore 1", "look 1", "fight 1", "spend 1", "pass", "place NW2", "advance", "stay"),
        "challenge.arc": ("fight 2",),
        "challenge.look": ("look 2",),
        "challenge.there": ("fight 3",),
    },
    "challenge": {
        "turn.phases": ("explore 1", "done"),
        "cards.window": ("play EV01#1", "play EV02#1", "play CUT#1 p2"),
        "challenge.must": ("spend 1", "pass", "place NW2", "advance", "stay", "discard EV01#1"),
    },
    "eco": {
        "turn.phases": ("explore 1", "done", "look 1", "fight 1", "fight 3"),
        "cards.window": ("play EV01#1", "play EQ1#1"),
        "fight.declare": ("play EV02#1", "play CUT#1 p2", "pass", "place NW2", "advance", "stay"),
    },
    "cards": {
        "turn.phases": ("explore 1", "done", "look 1", "fight 1", "spend 1", "place NW2", "advance", "stay"),
        "cards.window": ("play EV01#1", "play EQ1#1"),
    },
    "place": {
        "turn.phases": ("explore 1", "done", "look 1", "spend 1"),
        "cards.window": ("play EV01#1", "play EV02#1", "play CUT#1 p2"),
        "place.must": ("pass", "advance", "stay", "discard EV01#1"),
        "challenge.one": ("fight 1", "fight 2", "fight 3"),
    },
    "advance": {"turn.phases": ("explore 1", "place NW2", "discard EV01#1"), "challenge.one": ("fight 1",)},
    "hand": {
        "hand.limit": ("explore 1", "pass", "stay"),
        "turn.phases": ("done", "fight 1", "fight 2", "spend 1", "place NW2", "advance"),
    },
}  # fmt: skip
ALWAYS = {"explore.three": "explore 4", "smoke.level": "smoke", "equip.kind": "equip EV01#1"}


@pytest.mark.parametrize("phase", NOW)
def test_of_several_causes_the_telling_one_is_told(phase: str) -> None:
    """What can never be comes first, then that it is not the time. "First ..." is only said of a duty that
    the move would leave out: nothing done first brings an earlier phase back."""
    state = GAME.parse_position(NOW[phase])
    expected = {move: rule for rule, moves in TOLD[phase].items() for move in moves}
    expected |= {move: rule for rule, move in ALWAYS.items()}
    expected |= {"equip EQ1#1": "equip.when"} if phase != "equip" else {}
    expected |= dict.fromkeys(("use andrea", "give EV01#1", "drop EQ1#1", "move 1 NW2"), "turn.phases")
    told = {move: GAME.judge(state, GAME.parse_move(f"p1 {move}")) for move in expected}
    assert {move: verdict.reasons[0].rule for move, verdict in told.items()} == {
        move: f"confini.{rule}" for move, rule in expected.items()
    }
    assert not any(verdict.ok for verdict in told.values())


@pytest.mark.parametrize(
    ("position", "move", "rule"),
    [
        # Nobody else is at the table in somebody's turn, but for the fight.
        (NOW["eco"], "p2 play EV03#1", "fight.declare"),
        (NOW["eco"], "p3 play EV03#1", "fight.who"),
        (NOW["eco"].replace("EV03#1", "EV01#2"), "p2 play EV01#2", "cards.window"),
        (NOW["eco"], "p2 play EV03#2", "cards.hand"),
        (NOW["eco"], "p2 pass", "fight.declare"),
        (NOW["eco"], "p2 spend 1", "turn.active"),
        (NOW["cards"], "p2 explore 1", "turn.active"),
        (NOW["cards"], "p3 equip EQ1#1", "turn.active"),
        # Too little Twine is told where advancing comes next.
        (NOW["place"].replace("p1.spago=2", "p1.spago=1"), "p1 advance", "advance.cost"),
        (NOW["equip"].replace("p1.spago=2", "p1.spago=1"), "p1 advance", "turn.phases"),
        (NOW["equip"].replace("p1=", "p1.level=4 p1="), "p1 advance", "advance.centre"),
        # No Limit here: told where a fight comes next.
        ("equip p1=andrea p2=vasco", "p1 fight 1", "challenge.skip"),
        ("start p1=andrea p2=vasco", "p1 fight 1", "turn.phases"),
        # Nothing is on the stack, so "just play it" would not help.
        (f"{WINDOW} fight.turn=p1 p1.hand=EV04#1", "p1 play EV04#1 p2", "fight.cancel"),
        (f"{WINDOW} fight.turn=p1 p1.hand=EV02#1", "p1 play EV02#1 p2", "cards.target"),
        ("equip p1=andrea p1.hand=CUT#1 p2=vasco p3=ottilia p3.level=0", "p1 play CUT#1 p3", "smoke.out"),
        ("equip p1=andrea p1.hand=CUT#1 p2=vasco", "p1 play CUT#1 p3", "cards.target"),
    ],
)
def test_a_cause_that_would_mislead_is_not_told_first(position: str, move: str, rule: str) -> None:
    assert (
        GAME.judge(GAME.parse_position(position), GAME.parse_move(move)).reasons[0].rule == f"confini.{rule}"
    )


def test_in_the_centre_nobody_is_told_from_which_level_the_smoke_is_challenged() -> None:
    state = GAME.parse_position(
        "cards round=9 p1=andrea p1.level=5 p2=vasco fight=smoke fight.turn=p1 fight.eco-sum=3"
        " fight.revealed=L1-CUP-A"
    )
    for act in ("smoke", "advance"):
        assert GAME.judge(state, Move(1, act)).reasons[0].rule == "confini.turn.phases"


@pytest.mark.parametrize(
    ("position", "rule"),
    [
        # A Turn Change has spared the fight, or the pawn has just arrived.
        ("hand {} p1.hand=EV02#1.2.3.4 limits=NW1:p2:L1-PRE-B", "turn.phases"),
        # Whether the only Limit here was placed just now cannot be seen; of two, one lay here before.
        ("advance {} p1.spago=2 limits=NW1:p1:L1-PRE-B", "turn.phases"),
        ("advance {} p1.spago=2 limits=NW1:p2:L1-PRE-B", "challenge.one"),
        ("advance {} p1.spago=2 limits=NW1:p1:L1-PRE-B,NW1:p1:L1-PRE-A", "challenge.one"),
        ("place {} held=L1-PRE-A limits=NW1:p1:L1-PRE-B", "challenge.one"),
        ("place {} held=L1-PRE-A limits=NW2:p1:L1-PRE-B", "turn.phases"),
    ],
)
def test_a_fight_is_called_over_only_where_one_took_place(position: str, rule: str) -> None:
    state = GAME.parse_position(position.format("active=p1 round=2 p1=andrea p2=vasco"))
    assert GAME.judge(state, GAME.parse_move("p1 fight 1")).reasons[0].rule == f"confini.{rule}"


def test_copies_are_written_together_and_the_shorter_of_deck_and_discards() -> None:
    text = "start p1=vasco p1.hand=EV02#1.3,EV04#1 p2=andrea deck=EV03#4,CT#9 pile2=none"
    state = GAME.parse_position(text)
    assert GAME.format_position(state) == text.replace("start ", "start active=p1 ")
    assert [BOX.cards[i].id for i in bits(state.hand[0])] == ["EV02#1", "EV02#3", "EV04#1"]


def test_a_limit_without_a_number_has_the_next_one() -> None:
    text = "start p1=vasco p2=andrea limits=NE1:p1:L1-CUP-A,4:SE1:p2:L1-CUP-B,SE1:p2:L1-CUP-C:1"
    assert [limit.handle for limit in GAME.parse_position(text).limits] == [1, 4, 5]


def test_every_error_that_can_be_raised_is_declared() -> None:
    folder = Path(confini.__file__).parent
    sources = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    raised = re.findall(r'(?:Invalid(?:Move|Position)|refuse)\(\s*"((?:move|position)[a-z.-]*)"', sources)
    assert set(GAME.faults) <= set(raised) <= set(GAME.errors())


# What a seat may see


def dealt_again(state: State, seat: int, rng: random.Random) -> State:
    """The same position with other cards wherever this seat cannot see the faces."""
    others = [other for other in range(1, len(state.level) + 1) if other != seat]
    hidden = [*bits(state.deck)] + [i for other in others for i in bits(state.hand[other - 1])]
    fit = [i for i in hidden if BOX.cards[i].in_hand]
    rng.shuffle(fit)
    hands = list(state.hand)
    for other in others:
        count = hands[other - 1].bit_count()
        hands[other - 1] = sum(1 << i for i in fit[:count])
        del fit[:count]
    deck = sum(1 << i for i in hidden) & ~sum(hands[other - 1] for other in others)
    piles, limits, held = list(state.piles), list(state.limits), state.held
    for home in range(1, len(piles) + 1):
        unseen = [
            n for n, one in enumerate(limits) if not one.seen >> seat & 1 and BOX.cards[one.card].home == home
        ]
        holds = held != NO_CARD and seat != state.active and BOX.cards[held].home == home
        cards = [limits[n].card for n in unseen] + [i for i in bits(piles[home - 1]) if BOX.limits >> i & 1]
        cards += [held] if holds else []
        piles[home - 1] |= sum(1 << i for i in cards if not piles[home - 1] >> i & 1)
        rng.shuffle(cards)
        for n in unseen:
            limits[n] = replace(limits[n], card=cards.pop())
            piles[home - 1] &= ~(1 << limits[n].card)
        if holds:
            held = cards.pop()
            piles[home - 1] &= ~(1 << held)
    table = Table.of(BOX, state)
    table.hand, table.deck, table.held = tuple(hands), deck, held
    table.piles, table.limits = tuple(piles), tuple(limits)
    return table.freeze()


@pytest.mark.patient
def test_positions_that_differ_only_in_what_a_seat_cannot_see_look_the_same() -> None:
    differed = 0
    for rng, state in sampled(31, 9 * SOAK, 0.12):
        seat = rng.randint(1, len(state.level))
        other = dealt_again(state, seat, rng)
        assert_conserved(other)
        differed += other != state
        assert GAME.view(other, seat) == GAME.view(state, seat)
        assert GAME.format_position(GAME.view(other, seat)) == GAME.format_position(GAME.view(state, seat))
        assert GAME.facts(GAME.view(other, seat)) == GAME.facts(GAME.view(state, seat))
    assert differed > 300


def test_a_view_hides_hands_decks_and_foreign_limits_and_shows_the_own() -> None:
    text = (
        "place active=p2 p1=vasco p1.hand=EV02#1 p2=andrea p2.hand=EV03#1,CUT#1 held=L1-PRE-B "
        "limits=1:NE1:p1:L1-CUP-A,2:NE1:p2:L1-CUP-B,3:NE1:p2:L1-CUP-C:1"
    )
    seen = GAME.view(GAME.parse_position(text), 1)
    assert GAME.format_position(seen) == (
        "place active=p2 p1=vasco p1.hand=EV02#1 p2=andrea p2.hand=?2 "
        "limits=NE1:p1:L1-CUP-A,NE1:p2:L1-?,NE1:p2:L1-CUP-C:1 "
        "deck=?67 pile1=?10 pile2=?15 pile3=?16 pile4=?31 held=?"
    )


def test_draws_that_a_seat_cannot_see_look_the_same_to_it() -> None:
    """A hidden card leaves no trace in the view, whichever it was."""
    hidden = 0
    for rng, state in sampled(33, 9 * SOAK, 0.1):
        if CHANCE not in GAME.turn(state) or state.phase == "roll":
            continue
        seat = rng.randint(0, len(state.level))
        unseen = [move for move in GAME.moves(state) if "?" in GAME.seen_by(state, move, seat).what]
        views = {GAME.view(GAME.apply(state, move), seat) for move in rng.sample(unseen, min(5, len(unseen)))}
        assert len(views) <= 1
        hidden += len(unseen) > 1
        for move in unseen[:1]:
            told = GAME.seen_by(state, move, seat)
            assert GAME.parse_move(GAME.format_move(told)) == told
            assert not GAME.judge(state, told).ok
            deed = GAME.tell(state, told)
            assert "card" not in deed.args
            assert set(deed.args) == set(GAME.deeds[deed.kind])
    assert hidden > 50


def named(state: State, move: Move, seat: int) -> int:
    """The cards that a seat sees in a position and is told of by the move that is made there."""
    words = {word.rpartition(":")[2] for word in GAME.seen_by(state, move, seat).what}
    return shown_cards(GAME.view(state, seat)) | sum(
        1 << BOX.index[word] for word in words & BOX.index.keys()
    )


def test_a_spectator_sees_nothing_that_is_hidden_from_a_player() -> None:
    """In positions and in the moves that are made there: at most what every seat sees."""
    hidden: Counter[str] = Counter()
    rng = random.Random(36)
    for i in range(3 * SOAK):
        state = GAME.setup({"players": 2 + i % 3})
        while moves := GAME.moves(state):
            move = rng.choice(moves)
            if rng.random() < (0.5 if move.seat == CHANCE else 0.05):
                spectator = named(state, move, CHANCE)
                players = [named(state, move, seat) for seat in range(1, len(state.level) + 1)]
                assert not any(spectator & ~seen for seen in players), (GAME.format_position(state), move)
                hidden[f"{move.act} {state.phase}"] += any(seen & ~spectator for seen in players)
            state = GAME.play(state, move)
    assert all(hidden[kind] for kind in ("draw explore", "draw pile", "take equip", "take result"))


@pytest.mark.patient
def test_a_game_can_be_followed_in_a_view() -> None:
    """Whoever sees the moves one after the other always knows what a fresh view shows."""
    rng = random.Random(34)
    for i in range(3 * SOAK):
        state = GAME.setup({"players": 2 + i % 3})
        followed = [GAME.view(state, seat) for seat in range(len(state.level) + 1)]
        while GAME.turn(state):
            move = GAME.chance(state, rng) if CHANCE in GAME.turn(state) else rng.choice(GAME.moves(state))
            after = GAME.play(state, move)
            seat = rng.randrange(len(followed))
            for other, seen in enumerate(followed):
                shown = GAME.seen_by(state, move, other)
                followed[other] = GAME.apply(seen, shown)
                if other == seat:
                    assert GAME.view(followed[other], other) == GAME.view(after, other)
                    assert GAME.parse_move(GAME.format_move(shown)) == shown
            state = after


def moved(state: State, *texts: str) -> State:
    for text in texts:
        state = GAME.apply(state, GAME.parse_move(text))
    return state


HIDDEN_LIMIT = (
    "challenge active=p1 round=2 p1=andrea p2=vasco limits=1:NW1:p2:? "
    "deck=?70 pile1=?13 pile2=?15 pile3=?16 pile4=?31"
)


def test_a_hidden_limit_is_turned_up_by_chance_and_never_taken_for_the_smoke() -> None:
    state = moved(GAME.parse_position(HIDDEN_LIMIT), "p1 fight 1")
    assert GAME.turn(state) == (CHANCE,)
    assert GAME.facts(state)["phase"] == "challenge"
    assert {move.act for move in GAME.moves(state)} == {"reveal"}
    assert len(GAME.moves(state)) == 12
    assert GAME.judge(state, GAME.parse_move("p1 spend 0")).reasons[0].rule == "confini.deck.due"
    assert not GAME.judge(state, GAME.parse_move("reveal L2-CUP-A")).ok
    assert not GAME.judge(state, GAME.parse_move("reveal CT1#1")).ok
    state = moved(state, "reveal L1-PRE-B")
    assert (GAME.facts(state)["enemy"], GAME.facts(state)["phase"]) == ("PRE-B", "eco")
    state = moved(state, "p1 spend 0", "p2 pass", "p1 pass")
    assert GAME.facts(state)["won"] is False
    assert GAME.facts(state)["spago.p2"] == 1


def test_a_move_may_name_the_face_that_it_turns_up() -> None:
    seen = GAME.parse_position(HIDDEN_LIMIT)
    assert moved(seen, "p1 fight 1 1:L1-PRE-B") == moved(seen, "p1 fight 1", "reveal L1-PRE-B")
    for wrong in ("1:L2-PRE-B", "1:CT1#1", "2:L1-PRE-B", "p2:EV02#1", "p9:EV02#1"):
        verdict = GAME.judge(seen, GAME.parse_move(f"p1 fight 1 {wrong}"))
        assert verdict.reasons[0].rule == "confini.deck.there"
    whole = GAME.parse_position("challenge round=2 p1=andrea p2=vasco limits=NW1:p2:L1-PRE-B")
    assert moved(whole, "p1 fight 1 1:L1-PRE-B") == moved(whole, "p1 fight 1")
    assert not GAME.judge(whole, GAME.parse_move("p1 fight 1 1:L1-PRE-A")).ok
    assert GAME.format_move(GAME.seen_by(whole, Move(1, "fight", ("1",)), 1)) == "p1 fight 1 1:L1-PRE-B"
    assert GAME.format_move(GAME.seen_by(whole, Move(1, "fight", ("1",)), 2)) == "p1 fight 1"


EXPLORING = "explore active=p1 round=2 draws=1 p1=andrea p2=vasco p2.hand=EV02#1"
LEVEL_TWO = "pile active=p1 round=9 p1=andrea p1.level=2 p2=vasco"


@pytest.mark.parametrize(
    ("position", "move", "rule", "values"),
    [
        (EXPLORING, "draw CT1#1", "setup.explorer", {"card": "CT", "home": 1}),
        (EXPLORING, "draw EV02#1", "setup.explorer", {"card": "EV02", "home": 0}),
        (LEVEL_TWO, "draw CT1#1", "pile.draw", {"card": "CT", "pile": 2, "home": 1}),
        (LEVEL_TWO, "draw CT#1", "pile.draw", {"card": "CT", "pile": 2, "home": 0}),
        (f"{LEVEL_TWO} discard2=CT2#1", "draw CT2#1", "pile.draw", {"card": "CT", "pile": 2, "home": 2}),
        (LEVEL_TWO, "take CT1#1", "deck.due", {}),
        (LEVEL_TWO.replace("pile", "start"), "draw CT2#1", "turn.phases", {"phase": "start"}),
        (LEVEL_TWO.replace("pile", "start"), "reveal CT2#1", "turn.phases", {"phase": "start"}),
    ],
)
def test_a_card_that_cannot_turn_up_is_refused_by_where_cards_come_from(
    position: str, move: str, rule: str, values: dict[str, object]
) -> None:
    (reason,) = GAME.judge(GAME.draft(position), GAME.parse_move(move)).reasons
    assert (reason.rule, reason.args) == (f"confini.{rule}", values)


def test_a_pile_that_stands_in_for_an_empty_one_is_allowed_by_the_rule_that_says_so(
    library: Library,
) -> None:
    state = library.runs["confini"]["refill-next"].steps["not-pile-one"].after
    verdict = GAME.judge(state, GAME.parse_move("draw L2-CUP-A"))
    assert [reason.rule for reason in verdict.reasons] == ["confini.pile.refill", "confini.pile.draw"]


@pytest.mark.parametrize(
    ("scenario", "step", "rule"),
    [
        ("own-limit", "right", "confini.fight.own"),
        ("own-limit", "challenger", "confini.fight.own"),
        ("own-limit", "across", "confini.fight.own"),
        ("ownerless", "lost", "confini.fight.who"),
        ("the-stack", "fog", "confini.fight.order"),
        ("smoke-challenge", "win", "confini.smoke.order"),
    ],
)
def test_playing_and_passing_are_allowed_by_the_rule_of_the_kind_of_fight(
    library: Library, scenario: str, step: str, rule: str
) -> None:
    played = library.runs["confini"][scenario].steps[step]
    state = played.before
    for text in played.file.play:
        move = GAME.parse_move(text)
        assert GAME.judge(state, move).reasons[0].rule == rule
        state = GAME.play(state, move)


def test_what_a_drawn_card_does_is_cited_before_what_it_cost() -> None:
    bought = GAME.judge(GAME.parse_position(EXPLORING), GAME.parse_move("draw CT#1"))
    assert [reason.rule for reason in bought.reasons] == ["confini.explore.change", "confini.explore.pay"]
    piled = GAME.judge(GAME.parse_position(LEVEL_TWO), GAME.parse_move("draw CT2#1"))
    assert [reason.rule for reason in piled.reasons] == ["confini.pile.change", "confini.pile.draw"]


@pytest.mark.parametrize(
    ("limits", "move", "elsewhere", "here"),
    [
        (" limits=1:SE1:p2:L1-PRE-B", "p1 look 1", True, 0),
        (" limits=1:SE1:p2:L1-PRE-B,2:NE1:p2:L1-PRE-A", "p1 look 1", True, 1),
        ("", "p1 look 1", False, 0),
    ],
)
def test_looking_at_a_limit_elsewhere_is_refused_by_the_rule_on_looking(
    limits: str, move: str, elsewhere: bool, here: int
) -> None:
    state = GAME.draft(f"challenge active=p1 round=3 p1=van-ross p2=vasco{limits}")
    (reason,) = GAME.judge(state, GAME.parse_move(move)).reasons
    assert reason.rule == "confini.challenge.look"
    assert (reason.args["elsewhere"], reason.args["here"]) == (elsewhere, here)
    assert ("SE1" in reason.at) == elsewhere


def test_limits_that_are_looked_at_are_named_to_the_one_who_looks() -> None:
    state = GAME.parse_position(
        "equip p1=van-ross p2=vasco limits=NE1:p2:L1-CUP-A,SE1:p2:L1-CUP-B,NE1:p1:L1-CUP-C"
    )
    done = GAME.parse_move("p1 done")
    assert GAME.format_move(GAME.seen_by(state, done, 1)) == "p1 done 1:L1-CUP-A"
    assert GAME.seen_by(state, done, 2) == done


def test_an_empty_pile_is_filled_in_a_view() -> None:
    """Limits of its value whose faces are hidden: one on a dead arc comes back, one on a live arc stays."""
    known = [card.id for card in BOX.cards if card.home == 2 and card.id not in ("L2-CUP-A", "L2-CUP-B")]
    state = GAME.parse_position(
        "equip active=p1 round=2 p1=andrea p1.level=2 p2=vasco "
        f"limits=NW1:p2:L2-?,NW4:p2:L2-?,NE1:p2:L1-? discard2={','.join(known)}"
    )
    assert state.piles[1] == 0
    after = moved(state, "p1 done")
    assert [limit.handle for limit in after.limits] == [2, 3]
    assert (after.piles[1].bit_count(), after.filed[1]) == (14, 0)
    assert "L2-INV-A" not in GAME.format_position(after)


def test_who_is_eliminated_leaves_hidden_cards_to_the_discards_of_a_view() -> None:
    state = GAME.parse_position(
        "cards active=p1 round=9 p1=andrea p1.level=5 p1.eco=0 p1.hand=?2 p2=vasco p3=ottilia "
        "limits=1:NW2:p2:? deck=?68 pile1=?12 pile2=?14 pile3=?16 pile4=?31 "
        "fight=smoke fight.turn=p1 fight.eco-sum=6 fight.revealed=L1-CUP-A,L2-CUP-B"
    )
    after = moved(state, "p1 pass", "p2 pass", "p3 pass")
    assert after.level[0] == 0
    assert "discard=?2" in GAME.format_position(after)
    assert "discard1=L1-CUP-A,?1" in GAME.format_position(after)
    told = moved(state, "p1 pass", "p2 pass", "p3 pass 1:L1-PRE-B p1:EV02#1 p1:CUT#1")
    assert "discard=EV02#1,CUT#1" in GAME.format_position(told)
    assert "discard1=L1-CUP-A,L1-PRE-B" in GAME.format_position(told)


def test_a_card_may_come_out_of_a_hidden_hand_if_it_can_be_there() -> None:
    state = GAME.parse_position(f"{WINDOW} fight.turn=p2 p2.hand=?1 p1.hand=EV03#1 discard=EV02#2")
    assert GAME.judge(state, GAME.parse_move("p2 play EV02#1")).ok
    for elsewhere in ("EV03#1", "EV02#2"):
        refused = GAME.judge(state, GAME.parse_move(f"p2 play {elsewhere}"))
        assert refused.reasons[0].rule == "confini.cards.hand"
    after = moved(state, "p2 play EV02#1")
    assert after.hand[1] == 0


def test_a_hidden_card_is_not_drawn_where_all_are_seen_or_none_can_be_hidden() -> None:
    whole = GAME.parse_position("explore draws=1 p1=andrea p2=vasco")
    assert not GAME.judge(whole, GAME.parse_move("draw ?")).ok
    text = "pile p1=andrea p2=vasco limits=NE1:p1:L1-?,NE1:p1:L1-?{} pile1=?{}"
    many = text.format(",NE1:p1:L1-?" * 10, 2)  # twelve Limits are out: two Turn Changes are left
    state = GAME.parse_position(many)
    assert [GAME.format_move(move) for move in GAME.moves(state)] == ["draw CT1#1", "draw CT1#2"]
    assert not GAME.judge(state, GAME.parse_move("draw ?")).ok
    assert GAME.judge(GAME.parse_position(text.format("", 12)), GAME.parse_move("draw ?")).ok


def test_every_deal_is_as_likely_as_any_other() -> None:
    """Two hidden Limits out of two piles, one hidden card in a hand."""
    state = GAME.parse_position("start p1=andrea p2=vasco p2.hand=?1 limits=NE1:p2:L1-?,NE2:p2:L2-?")
    rng = random.Random(35)
    seen: dict[str, dict[int, int]] = {"first": {}, "second": {}, "hand": {}}
    times = 4000
    for _ in range(times):
        dealt = GAME.redeal(state, 1, rng)
        assert_conserved(dealt)
        for where, card in (
            ("first", dealt.limits[0].card),
            ("second", dealt.limits[1].card),
            ("hand", dealt.hand[1].bit_length() - 1),
        ):
            seen[where][card] = seen[where].get(card, 0) + 1
    for where, possible in (
        ("first", BOX.homes[1] & BOX.limits),
        ("second", BOX.homes[2] & BOX.limits),
        ("hand", BOX.in_hand),
    ):
        assert set(seen[where]) == set(bits(possible))
        expected = times / possible.bit_count()
        assert all(0.5 * expected < count < 1.6 * expected for count in seen[where].values())


# Values


@pytest.mark.parametrize(
    ("players", "flasks", "ceiling"), [(2, 0, 7), (3, 0, 9), (4, 0, 11), (2, 2, 9), (3, 2, 10)]
)
def test_the_smoke_has_a_ceiling(players: int, flasks: int, ceiling: int) -> None:
    """P25: all rivals full of Eco, every revealed card a Limit, one with the challenger's Flaw."""
    rivals = players - 1
    eco_sum = 4 * rivals + flasks
    revealed = tuple(BOX.index[name] for name in ("L1-INV-A", "L1-INV-B", "L1-INV-C")[:rivals])
    state = GAME.setup(
        {"players": players, "characters": ["andrea", "vasco", "ottilia", "van-ross"][:players], "first": 1}
    )
    result = score(BOX, state, Fight(SMOKE, eco_sum=eco_sum, revealed=revealed))
    assert needed(result, "exact") == ceiling
    assert needed(result, "down") <= ceiling


def test_the_share_of_eco_is_exact() -> None:
    state = GAME.setup({"players": 4, "characters": ["andrea", "vasco", "ottilia", "van-ross"], "first": 1})
    for eco_sum in range(15):
        result = score(BOX, state, Fight(SMOKE, eco_sum=eco_sum))
        least = next(will for will in range(20) if 3 * will >= 3 * 3 + eco_sum)
        assert needed(result, "exact") == least
        assert needed(result, "down") == 3 + eco_sum // 3


# The chain that fills empty piles (Q35)


def test_a_pile_always_gives_a_card_while_limits_lie_off_the_pawns_arcs() -> None:
    """All piles empty, all Limits on an arc that is alive but without a pawn: they are collected."""
    limits = [card.id for card in BOX.cards if card.kind == "limit"]
    listed = ",".join(f"{n}:SE4:p1:{name}" for n, name in enumerate(limits, 1))
    text = f"equip p1=van-ross p2=vasco pile1=none pile2=none pile3=none pile4=none limits={listed}"
    state = GAME.apply(GAME.parse_position(text), GAME.parse_move("p1 done"))
    assert state.phase == "pile"
    assert state.limits == ()
    assert state.piles[0] == BOX.homes[1]


def test_without_any_limit_to_give_the_turn_goes_on() -> None:
    """All sixty Limits lie on arcs with pawns: no card is drawn."""
    limits = [card.id for card in BOX.cards if card.kind == "limit"]
    listed = ",".join(f"{n}:SE1:p1:{name}" for n, name in enumerate(limits, 1))
    text = (
        f"equip p1=van-ross p1.spago=2 p2=vasco pile1=none pile2=none pile3=none pile4=none limits={listed}"
    )
    state = GAME.apply(GAME.parse_position(text), GAME.parse_move("p1 done"))
    assert state.phase == "advance"


def test_handles_do_not_tell_faces() -> None:
    """The public number of a Limit is the lowest free one, whatever the card is."""
    for _, state in sampled(40, 6, 0.05):
        if state.phase == "place":
            numbers = {one.handle for one in GAME.apply(state, GAME.moves(state)[0]).limits}
            new = numbers - {one.handle for one in state.limits}
            assert new == {min(set(range(1, 62)) - {one.handle for one in state.limits})}


def test_turns_go_clockwise_past_the_eliminated() -> None:
    state = GAME.parse_position("equip active=p1 p1=vasco p2=andrea p2.level=0 p3=ottilia p4=van-ross")
    assert clockwise(state, 1) == (3, 4)
    assert clockwise(state, 4) == (1, 3)


# The content


def test_scenario_players_have_the_seats_of_their_characters(library: Library) -> None:
    for name, one in library.runs["confini"].items():
        last = list(one.steps.values())[-1].after
        players = one.scenario.file.players
        assert not any(players) or last.characters == players, name


def test_the_description_is_plain_data() -> None:
    told = msgspec.json.decode(msgspec.json.encode(GAME.describe()))
    assert len(told["cards"]) == len(BOX.cards)


@pytest.mark.parametrize("todo", ["close", "close/p2", "close/p1/>p2", "steady/p2"])
def test_a_card_that_is_to_be_put_away_must_be_named(todo: str) -> None:
    with pytest.raises(InvalidPosition) as caught:
        GAME.parse_position(f"explore p1=ottilia p2=andrea todo={todo}")
    assert caught.value.code == "position.todo"


def test_a_card_out_of_a_hidden_hand_is_a_guess() -> None:
    """The referee says so: whether it is there, nobody can see."""
    seen = GAME.parse_position(
        "cards active=p1 round=6 p1=ottilia p2=vasco p2.hand=EV03#1 p3=andrea"
        " fight=L2-PRE-B@SW1 fight.placer=p2 fight.eco=2 fight.turn=p2"
    )
    hidden = GAME.view(seen, 1)
    move = GAME.parse_move("p2 play EV03#1")
    assert GAME.judge(seen, move).ok
    assert not GAME.guessed(seen, move)
    assert GAME.judge(hidden, move).ok
    assert GAME.guessed(hidden, move)
    assert not GAME.guessed(hidden, GAME.parse_move("p2 pass"))


# What comes of a move


def test_every_shuffle_refill_and_fight_is_told_once_and_nothing_else() -> None:
    told = Counter[str]()
    for seed in range(6 * SOAK):
        rng = random.Random(seed)
        for before, after in pairwise(play(rng, {"players": 2 + seed % 3})):
            effects = [(effect.deed.kind, effect.rule) for effect in GAME.effects(before, after)]
            kinds = [kind for kind, _ in effects]
            told.update(kinds)
            assert ("shuffle" in kinds) == (after.deck & ~before.deck != 0)
            assert ("refill" in kinds or "refill-smoke" in kinds) == any(
                new & ~old for old, new in zip(before.piles, after.piles, strict=True)
            )
            fights = [kind.removeprefix("smoke-") for kind in kinds if kind.endswith(("won", "lost"))]
            assert fights == (
                ["won" if after.last.won else "lost"] if after.last and after.last is not before.last else []
            )
            assert len(set(effects)) == len(effects)
            # Whoever sees less is told the same.
            seat = rng.randrange(len(after.level) + 1)
            seen = GAME.effects(GAME.view(before, seat), GAME.view(after, seat))
            assert [(effect.deed.kind, effect.rule) for effect in seen] == effects
    assert told.keys() == {
        "won", "lost", "smoke-won", "smoke-lost", "shuffle", "refill", "next-pile", "collect",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "move", "told"),
    [
        (
            "start active=p1 p1=andrea p2=vasco deck=none",
            "p1 explore 1",
            [("shuffle", {}, "confini.deck.shuffle")],
        ),
        (
            "equip active=p1 p1=andrea p2=vasco pile1=none",
            "p1 done",
            [("refill", {"pile": 1}, "confini.pile.refill")],
        ),
        (
            "equip active=p1 p1=andrea p2=vasco pile1=none limits=1:SW1:p1:L1-CUP-A,2:NE1:p2:L1-PRE-A",
            "p1 done",
            [
                ("collect", {"count": 2}, "confini.pile.refill"),
                ("refill", {"pile": 1}, "confini.pile.refill"),
            ],
        ),
        (
            (
                "start active=p1 p1=andrea p1.level=4 p1.spago=5 p2=vasco"
                " pile1=none pile2=none pile3=none pile4=none"
            ),
            "p1 smoke",
            [("refill-smoke", {}, "confini.smoke.reveal")],
        ),
        (
            (
                "cards active=p1 p1=andrea p1.level=4 p1.equip=EQ1 p2=vasco"
                " fight=L4-PRE-B@NW4 fight.placer=p2 fight.eco=3 fight.turn=p1"
            ),
            "p1 pass",
            [("won", {"player": "p1", "will": 4, "value": 4}, "confini.fight.won")],
        ),
        (
            "cards active=p1 p1=andrea p1.level=4 p2=vasco fight=L4-PRE-B@NW4 fight.placer=p2 fight.turn=p1",
            "p1 pass",
            [("lost", {"player": "p1", "will": 0, "value": 4}, "confini.fight.lost")],
        ),
    ],
)
def test_what_comes_of_a_move_is_told_with_its_rule(
    text: str, move: str, told: list[tuple[str, dict[str, object], str]]
) -> None:
    state = GAME.parse_position(text)
    after = GAME.apply(state, GAME.parse_move(move))
    effects = [(one.deed.kind, one.deed.args, one.rule) for one in GAME.effects(state, after)]
    assert effects == told
    assert not GAME.effects(after, after)


@pytest.mark.parametrize(
    ("position", "ranks", "rule"),
    [
        ("over round=60 active=p3 p1=andrea p1.spago=1 p2=vasco p3=ottilia", (1, 2, 2), "guard"),
        ("over round=60 active=p3 p1=andrea p2=vasco p3=ottilia", (1, 1, 1), "draw"),
        ("over round=60 active=p3 p1=andrea p2=vasco p3=ottilia p3.eco=2", (1, 1, 3), "draw"),
        ("over round=60 active=p3 p1=andrea p2=vasco p2.equip=EQ1#1 p3=ottilia", (2, 1, 2), "guard"),
        ("over round=60 active=p3 p1=andrea p2=vasco p3=ottilia p3.level=2", (2, 2, 1), "guard"),
        ("over round=9 active=p2 p1=andrea p2=vasco p2.level=0", (1, 2), "last"),
    ],
)
def test_the_living_are_ranked_by_level_twine_eco_and_bonus(
    position: str, ranks: tuple[int, ...], rule: str
) -> None:
    outcome = GAME.outcome(GAME.parse_position(position))
    assert outcome is not None
    assert (outcome.ranks, outcome.reason) == (ranks, f"confini.end.{rule}")
