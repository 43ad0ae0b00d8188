"""Confini: properties of the engine over random games, views, texts, and every scenario of the content."""

import random
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from tutor.web.steps import Shown

from tutor.book.load import Library
from tutor.book.model import GameFile, RulesFile, Scenario, ScenarioFile
from tutor.book.scenario import Run, run
from tutor.rules import confini
from tutor.rules.base import CHANCE, IllegalMove, Move
from tutor.rules.confini import Confini
from tutor.rules.confini.cards import CENTRE, bits
from tutor.rules.confini.combat import needed, score
from tutor.rules.confini.effects import SHAPES
from tutor.rules.confini.state import NO_CARD, Fight, Limit, State, clockwise, loose, masks
from tutor.rules.errors import InvalidData, InvalidMove, InvalidOption, InvalidPosition
from tutor.teach.lesson import make

CONTENT = Path(__file__).resolve().parent.parent / "content" / "confini"
FILES = {name: (CONTENT / name).read_text(encoding="utf-8") for name in ("cards.toml", "board.toml")}
GAME = Confini.from_files(FILES)
BOX = GAME.box
ALL = (1 << len(BOX.cards)) - 1
BITS = [1 << i for i in range(200)]
BLOCKS, BLOCK = 4, 250


def play(rng: random.Random, options: dict[str, object], game: Confini = GAME) -> Iterator[State]:
    """A game of uniformly random moves, position by position."""
    state = game.setup(options)
    while True:
        yield state
        moves = game.moves(state)
        if not moves:
            return
        state = game.apply(state, moves[int(rng.random() * len(moves))])


def sampled(seed: int, games: int, share: float) -> Iterator[tuple[random.Random, State]]:
    """Some positions of some random games, with 2, 3 and 4 players in turn."""
    rng = random.Random(seed)
    for i in range(games):
        for state in play(rng, {"players": 2 + i % 3}):
            if rng.random() < share or (state.queue and rng.random() < 4 * share):
                yield rng, state


def assert_conserved(state: State, everything: int = ALL, spago: int = BOX.numbers.spago) -> None:
    """Every card lies in exactly one place, no Spago is lost, and every pawn stands where it can."""
    sets, single = masks(state), loose(state)
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


def test_a_changed_card_list_needs_no_code() -> None:
    game = Confini.from_files(FILES | {"cards.toml": STRANGE_CARDS + FILES["cards.toml"]})
    everything = (1 << len(game.box.cards)) - 1
    rng = random.Random(9)
    asked = set()
    for i in range(40):
        for state in play(rng, {"players": 2 + i % 3, "guard": 40}, game):
            assert_conserved(state, everything)
            asked |= {task.kind for task in state.queue[:1]}
            if rng.random() < 0.02:
                assert game.parse_position(game.format_position(state)) == state
    assert {"draw", "take", "give", "drop", "charm", "steady", "offer"} <= asked


# Random games


@pytest.mark.parametrize("block", range(BLOCKS))
@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games_end_and_lose_nothing(players: int, block: int) -> None:
    rng = random.Random(1000 * players + block)
    for _ in range(BLOCK):
        state = None
        for state in play(rng, {"players": players}):
            assert_conserved(state)
        assert state is not None
        assert GAME.turn(state) == ()
        outcome = GAME.outcome(state)
        assert outcome is not None
        assert outcome.winners
        assert outcome.reason in GAME.rules
        assert state.round <= BOX.numbers.guard


def test_games_without_the_guard_end_too() -> None:
    rng = random.Random(7)
    for i in range(12):
        *_, state = play(rng, {"players": 2 + i % 3, "guard": 0})
        outcome = GAME.outcome(state)
        assert outcome
        assert outcome.reason in ("confini.smoke.win", "confini.end.last")


def test_a_history_replays_exactly() -> None:
    rng = random.Random(11)
    state, history = GAME.setup({"players": 4, "guard": 12}), []
    while GAME.moves(state):
        move = rng.choice(GAME.moves(state))
        history.append(GAME.format_move(move))
        state = GAME.apply(state, move)
    again = GAME.setup({"players": 4, "guard": 12})
    for text in history:
        again = GAME.apply(again, GAME.parse_move(text))
    assert again == state
    assert hash(again) == hash(state)


def some_moves(seed: int) -> dict[str, list[Move]]:
    """Moves of every kind, as they come up in random games."""
    found: dict[str, list[Move]] = {}
    for rng, state in sampled(seed, 6, 0.3):
        if state.phase != "roll":
            for move in rng.sample(list(GAME.moves(state)), min(4, len(GAME.moves(state)))):
                found.setdefault(move.act, []).append(move)
    return found


def test_the_listed_moves_are_exactly_the_legal_ones() -> None:
    known = some_moves(3)
    assert len(known) >= 18
    for rng, state in sampled(4, 12, 0.15):
        legal = set(GAME.moves(state))
        assert bool(legal) == bool(GAME.turn(state))
        for moves in known.values():
            move = rng.choice(moves)
            if move.seat != CHANCE:
                move = replace(move, seat=rng.choice((move.seat, state.active or 1)))
            verdict = GAME.judge(state, move)
            assert verdict.ok == (move in legal), (move, GAME.format_position(state))
            for reason in verdict.reasons:
                declared = GAME.rules[reason.rule]
                assert verdict.ok or set(reason.args) == set(declared.refuses or ())
            deed = GAME.tell(state, move)
            assert set(deed.args) == set(GAME.deeds[deed.kind])


def test_a_refused_move_changes_nothing_and_raises() -> None:
    known = some_moves(5)
    refused = 0
    for rng, state in sampled(6, 6, 0.1):
        before = GAME.format_position(state)
        for moves in known.values():
            move = rng.choice(moves)
            verdict = GAME.judge(state, move)
            if not verdict.ok:
                refused += 1
                with pytest.raises(IllegalMove) as caught:
                    GAME.apply(state, move)
                assert caught.value.verdict == verdict
        assert GAME.format_position(state) == before
    assert refused > 1000


def test_only_those_whose_turn_it_is_have_moves() -> None:
    for _, state in sampled(8, 9, 0.2):
        assert {move.seat for move in GAME.moves(state)} == set(GAME.turn(state))


# Texts


def test_moves_and_positions_survive_as_text() -> None:
    for rng, state in sampled(12, 15, 0.15):
        assert GAME.parse_position(GAME.format_position(state)) == state
        for move in rng.sample(list(GAME.moves(state)), min(3, len(GAME.moves(state)))):
            assert GAME.parse_move(GAME.format_move(move)) == move
            assert GAME.parse_move(f"  {GAME.format_move(move)} ") == move


def test_views_survive_as_text_and_can_be_described() -> None:
    for rng, state in sampled(13, 6, 0.1):
        seat = rng.randint(1, len(state.level))
        seen = GAME.view(state, seat)
        assert GAME.parse_position(GAME.format_position(seen)) == seen
        assert GAME.facts(seen)["deck"] == GAME.facts(state)["deck"]


@pytest.mark.parametrize(
    "text",
    [
        "", "p1", "p1 jump", "p0 pass", "p1 explore", "p1 explore x", "p1 explore -1", "p1 explore 1 2",
        "dice 7 1", "dice 1", "draw", "draw EV01", "draw EV01#9", "p1 play", "p1 play EV06#1 vasco",
        "p1 equip EQ5#1 EQ1#1", "p1 place", "p1 place 12", "p1 move 3", "p1 fight one", "p1 use",
        "p1 smoke now", "draw L1-CUP-A#1", "x" * 999,
    ],
)  # fmt: skip
def test_it_says_that_a_text_is_no_move(text: str) -> None:
    with pytest.raises(InvalidMove) as caught:
        GAME.parse_move(text)
    assert set(caught.value.values) == set(GAME.errors()[caught.value.code])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "position.phase"),
        ("sleep p1=vasco p2=andrea", "position.phase"),
        ("start p1=vasco", "position.player"),
        ("start p1=vasco p2=vasco", "position.player"),
        ("start p1=vasco p2=batman", "position.player"),
        ("start p1=vasco p3=andrea", "position.player"),
        ("start p1=vasco p2=?", "position.player"),
        ("start p1=vasco p2=andrea p2.level=0 p2.spago=1", "position.player"),
        ("start p1=vasco p2=andrea p9=ottilia", "position.player"),
        ("start active=p3 p1=vasco p2=andrea", "position.active"),
        ("start p1=vasco p1.level=0 p2=andrea p3=ottilia", "position.active"),
        ("start p1=vasco p2=andrea shoes=2", "position"),
        ("start p1=vasco p2=andrea round", "position"),
        ("start p1=vasco p2=andrea round=1 round=2", "position"),
        ("start p1=vasco p2=andrea rounding=up", "position"),
        ("start p1=vasco p2=andrea p1.eco=many", "position.number"),
        ("start p1=vasco p2=andrea p1.eco=5", "position.eco"),
        ("start p1=vasco p2=andrea p1.spago=21 p2.spago=20", "position.spago"),
        ("start p1=vasco p2=andrea p1.level=5", "position.misfit"),
        ("start p1=vasco p2=andrea p1.hand=EV99", "position.card"),
        ("start p1=vasco p2=andrea p1.hand=EV02#1 p2.hand=EV02#1", "position.twice"),
        ("start p1=vasco p2=andrea p1.hand=EV04,EV04,EV04", "position.twice"),
        ("start p1=vasco p2=andrea p1.hand=CT#1", "position.place"),
        ("start p1=vasco p2=andrea p1.hand=EV09#1", "position.place"),
        ("start p1=vasco p2=andrea p1.hand=L1-CUP-A", "position.place"),
        ("start p1=vasco p2=andrea p1.equip=EV02#1", "position.place"),
        ("start p1=vasco p2=andrea discard=L1-CUP-A", "position.place"),
        ("start p1=vasco p2=andrea discard1=L2-CUP-A", "position.place"),
        ("start p1=vasco p2=andrea p1.hand=?2", "position.count"),
        ("start p1=vasco p2=andrea limits=1:NE9:p1:L1-CUP-A", "position.arc"),
        ("start p1=vasco p2=andrea limits=1:NE1:p1", "position.limit"),
        ("start p1=vasco p2=andrea limits=1:NE1:p1:L1-CUP-A,1:NE1:p1:L1-CUP-B", "position.limit"),
        ("start p1=vasco p2=andrea limits=1:NE1:p1:CT1#1", "position.place"),
        ("start p1=vasco p2=andrea draws=2", "position.misfit"),
        ("explore p1=vasco p2=andrea", "position.misfit"),
        ("explore p1=vasco p2=andrea draws=4", "position.misfit"),
        ("challenge p1=vasco p2=andrea", "position.misfit"),
        ("place p1=vasco p2=andrea", "position.misfit"),
        ("advance p1=vasco p2=andrea", "position.misfit"),
        ("hand p1=vasco p2=andrea", "position.misfit"),
        ("eco p1=vasco p2=andrea", "position.misfit"),
        ("start p1=vasco p2=andrea round=61", "position.misfit"),
        ("start p1=vasco p2=andrea p2.level=0", "position.misfit"),
        ("cards p1=vasco p2=andrea fight=L1-PRE-B@SE1 fight.placer=p2", "position.fight"),
        ("cards p1=vasco p2=andrea fight=L1-PRE-B@SE2 fight.placer=p2 fight.turn=p2", "position.fight"),
        ("eco p1=vasco p2=andrea fight=L1-PRE-B@SE1", "position.active"),
        ("cards p1=vasco p1.level=5 p2=andrea fight=smoke fight.rivals=2 fight.turn=p1", "position.fight"),
        ("result p1=vasco p2=andrea fight=L1-PRE-B@SE1 fight.placer=p2", "position.misfit"),
        ("equip p1=vasco p2=andrea todo=give/p1", "position.todo"),
        ("equip p1=vasco p2=andrea todo=dance/p1", "position.todo"),
        ("equip p1=vasco p2=andrea todo=close/EV01#1", "position.todo"),
        ("equip p1=vasco p2=andrea todo=do/p1/=eco(self)", "position.todo"),
        ("pick p1=vasco p2=andrea", "position.misfit"),
        ("pick active=p1 first=p2 p1=? p2=?", "position.misfit"),
        ("roll p1=? p2=? rolling=p1", "position.misfit"),
        ("start " + "p1=vasco " * 2000, "position"),
    ],
)  # fmt: skip
def test_it_names_the_fault_of_a_position(text: str, code: str) -> None:
    with pytest.raises(InvalidPosition) as caught:
        GAME.parse_position(text)
    assert caught.value.code == code
    assert set(caught.value.values) == set(GAME.errors()[code])


def test_what_a_position_leaves_out_is_at_its_start() -> None:
    fresh = GAME.setup({"players": 2, "characters": ["vasco", "andrea"], "first": 1})
    assert GAME.parse_position("start p1=vasco p2=andrea") == fresh
    state = GAME.parse_position("start p1=vasco p2=andrea p1.hand=EV02,EV02,EV02#1 deck=EV03 pile2=none")
    assert [BOX.cards[i].id for i in bits(state.hand[0])] == ["EV02#1", "EV02#2", "EV02#3"]
    assert [BOX.cards[i].id for i in bits(state.deck)] == ["EV03#1"]
    assert (state.discard.bit_count(), state.piles[1], state.filed[1].bit_count()) == (66, 0, 15)


def test_broken_positions_are_refused_or_can_be_played() -> None:
    """Whatever is done to the text, there is a clear error or a position from which a game goes on."""
    rng = random.Random(21)
    texts = [GAME.format_position(state) for _, state in sampled(20, 9, 0.05)]
    pool = [word for text in texts for word in text.split()[1:]]
    played = 0
    for _ in range(1500):
        words = rng.choice(texts).split()
        i = rng.randrange(1, len(words))
        key, _, value = words[i].partition("=")
        other_key, _, other_value = rng.choice(pool).partition("=")
        words[i] = rng.choice(
            ("", f"{key}={other_value}", f"{other_key}={value}", f"{words[i]} {other_key}={value}")
        )
        try:
            state = GAME.parse_position(" ".join(words))
        except InvalidPosition:
            continue
        played += 1
        for _ in range(25):
            GAME.facts(state)
            moves = GAME.moves(state)
            assert bool(moves) == (state.phase != "over")
            if not moves:
                break
            state = GAME.apply(state, rng.choice(moves))
            assert_conserved(state)
    assert played > 100


@pytest.mark.parametrize(
    "options",
    [
        {"players": 1}, {"players": 5}, {"players": "2"}, {"players": True}, {"cards": 3},
        {"players": 2, "characters": ["vasco"]}, {"players": 2, "characters": ["vasco", "vasco"]},
        {"players": 2, "characters": ["vasco", "batman"]}, {"players": 2, "characters": ["vasco", ""]},
        {"players": 2, "first": 3}, {"rounding": "up"}, {"guard": -1}, {"guard": "long"},
    ],
)  # fmt: skip
def test_it_refuses_a_set_up_that_the_game_does_not_offer(options: dict[str, object]) -> None:
    with pytest.raises(InvalidOption) as caught:
        GAME.setup(options)
    assert set(caught.value.values) == set(GAME.errors()[caught.value.code])


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
    return state._replace(hand=tuple(hands), deck=deck, piles=tuple(piles), limits=tuple(limits), held=held)


def test_positions_that_differ_only_in_what_a_seat_cannot_see_look_the_same() -> None:
    differed = 0
    for rng, state in sampled(31, 30, 0.12):
        seat = rng.randint(1, len(state.level))
        other = dealt_again(state, seat, rng)
        assert_conserved(other)
        differed += other != state
        assert GAME.view(other, seat) == GAME.view(state, seat)
        assert GAME.format_position(GAME.view(other, seat)) == GAME.format_position(GAME.view(state, seat))
        assert GAME.facts(GAME.view(other, seat)) == GAME.facts(GAME.view(state, seat))
    assert differed > 1000


def test_a_view_is_enough_to_know_ones_own_moves() -> None:
    for _, state in sampled(32, 12, 0.2):
        for seat in range(1, len(state.level) + 1):
            own = [move for move in GAME.moves(state) if move.seat == seat]
            seen = GAME.view(state, seat)
            assert [move for move in GAME.moves(seen) if move.seat == seat] == own
            assert GAME.view(seen, seat) == seen


def test_a_view_hides_hands_decks_and_foreign_limits_and_shows_the_own() -> None:
    text = (
        "place active=p2 p1=vasco p1.hand=EV02#1 p2=andrea p2.hand=EV03#1,CUT#1 held=L1-PRE-B "
        "limits=1:NE1:p1:L1-CUP-A,2:NE1:p2:L1-CUP-B,3:NE1:p2:L1-CUP-C:1"
    )
    seen = GAME.view(GAME.parse_position(text), 1)
    assert GAME.format_position(seen) == (
        "place active=p2 p1=vasco p1.hand=EV02#1 p2=andrea p2.hand=?2 "
        "limits=1:NE1:p1:L1-CUP-A,2:NE1:p2:?,3:NE1:p2:L1-CUP-C:1 "
        "deck=?67 pile1=?10 pile2=?15 pile3=?16 pile4=?31 held=?"
    )


def test_draws_that_a_seat_cannot_see_look_the_same_to_it() -> None:
    """A hidden card leaves no trace in the view, whichever it was."""
    hidden = 0
    for rng, state in sampled(33, 15, 0.1):
        if CHANCE not in GAME.turn(state) or state.phase == "roll":
            continue
        seat = rng.randint(1, len(state.level))
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
    assert hidden > 100


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
    result = score(BOX, state, Fight(-1, rivals=rivals, eco_sum=eco_sum, revealed=revealed))
    assert needed(result, "exact") == ceiling
    assert needed(result, "down") <= ceiling


def test_the_share_of_eco_is_exact() -> None:
    state = GAME.setup({"players": 4, "characters": ["andrea", "vasco", "ottilia", "van-ross"], "first": 1})
    for eco_sum in range(15):
        result = score(BOX, state, Fight(-1, rivals=3, eco_sum=eco_sum))
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
    assert Limit(1, "NE1", 1, 0, 2) != Limit(2, "NE1", 1, 0, 2)


def test_turns_go_clockwise_past_the_eliminated() -> None:
    state = GAME.parse_position("equip active=p1 p1=vasco p2=andrea p2.level=0 p3=ottilia p4=van-ross")
    assert clockwise(state, 1) == [3, 4]
    assert clockwise(state, 4) == [1, 3]


# The content


def scenario(path: Path) -> Scenario:
    source = path.read_text(encoding="utf-8")
    return Scenario(path.stem, msgspec.convert(tomllib.loads(source), ScenarioFile), path, source)


SCENARIOS = {path.stem: scenario(path) for path in sorted((CONTENT / "scenarios").glob("*.toml"))}
RULES = msgspec.convert(tomllib.loads((CONTENT / "rules.toml").read_text(encoding="utf-8")), RulesFile)
FACTS = msgspec.convert(tomllib.loads((CONTENT / "game.toml").read_text(encoding="utf-8")), GameFile)


def runs() -> dict[str, Run]:
    return {name: run(GAME, one)[0] for name, one in SCENARIOS.items()}


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_runs_as_it_says(name: str) -> None:
    _, problems = run(GAME, SCENARIOS[name])
    assert [str(problem) for problem in problems] == []
    assert set(SCENARIOS[name].file.short) <= {step.id for step in SCENARIOS[name].file.step}
    for player in SCENARIOS[name].file.players:
        assert player in BOX.characters


def test_scenario_players_have_the_seats_of_their_characters() -> None:
    for name, one in runs().items():
        last = list(one.frames.values())[-1].after
        assert last.characters == one.scenario.file.players, name


def test_every_rule_is_shown_and_broken() -> None:
    legal: set[str] = set()
    refused: set[str] = set()
    for one in runs().values():
        for frame in one.frames.values():
            legal |= frame.cited | set(frame.step.shows)
            if frame.kind == "refuse":
                refused |= {reason.rule for reason in frame.reasons}
    breakable = {name for name, rule in GAME.rules.items() if rule.refuses is not None}
    assert breakable - refused == set()
    assert set(RULES.rules) - legal - refused == set()
    assert (legal | refused) - set(RULES.rules) == set()


def test_every_statement_is_covered_and_every_link_resolves() -> None:
    assert set(GAME.rules) <= set(RULES.rules)
    covered = {number for facts in RULES.rules.values() for number in facts.covers}
    assert covered == set(range(1, FACTS.statements + 1))
    steps = {f"{name}/{step}" for name, one in runs().items() for step in one.frames}
    for name, rule in RULES.rules.items():
        assert not rule.picture or rule.picture in steps, name
    for name, ruling in RULES.rulings.items():
        assert ruling.proof in steps, name
        assert ruling.rule in RULES.rules, name
    assert RULES.editions == {}


def test_every_error_that_can_be_raised_is_declared() -> None:
    folder = Path(confini.__file__).parent
    sources = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    raised = re.findall(r'Invalid(?:Move|Position|Option)\(\s*"([a-z.-]+)"', sources)
    assert set(raised) == set(GAME.errors())


def test_the_description_is_plain_data() -> None:
    told = msgspec.json.decode(msgspec.json.encode(GAME.describe()))
    assert len(told["cards"]) == len(BOX.cards)
    for text in told["notation"]["moves"]:
        GAME.parse_move(text)
    GAME.parse_position(told["notation"]["position"]["example"])


def test_no_card_that_the_learner_must_not_see_stands_in_an_address(library: Library) -> None:
    """Chance moves are recorded in the address of a task; in every lesson the cards are the learner's own."""
    book = library.games["confini"]
    runs = library.runs["confini"]
    checked = 0
    for step in make(book, runs).steps:
        if step.kind != "do":
            continue
        frame = runs[step.scenario].frames[step.frame]
        seat = Shown(book, runs[step.scenario], frame, book.words["en"]).seat
        state = frame.before
        for text in frame.step.play:
            move = book.game.parse_move(text)
            if move.seat == CHANCE:
                assert GAME.seen_by(state, move, seat) == move, step.id
                checked += 1
            state = book.game.apply(state, move)
    assert checked
