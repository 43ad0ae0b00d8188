"""The words of card texts in Confini: what can be written, what it means, and when it may happen."""

from typing import Any

import pytest

from tests.books import LIBRARY
from tutor.games.confini.engine import Confini
from tutor.games.confini.engine.effects import Effect, read_effect, read_triggers
from tutor.paths import CONTENT
from tutor.rules.errors import InvalidData, InvalidPosition

GAME = LIBRARY.games["confini"].game
CARDS = (CONTENT / "confini" / "cards.toml").read_text("utf-8")

ALWAYS = {"static"}
FIGHT = {"play_combat", "on_reveal"}
MOMENTS = {
    "on_draw", "play_explore", "play_combat", "turn_start", "challenge_start", "on_reveal", "on_win",
    "on_loss",
}  # fmt: skip
OFFERED = {"turn_start", "challenge_start", "on_loss"}


@pytest.mark.parametrize(
    ("text", "moments"),
    [
        ("eco(self, +2)", MOMENTS),
        ("eco(placer, -9)", MOMENTS),
        ("draw(next, 1)", MOMENTS),
        ("discard(challenger, 2, random)", MOMENTS),
        ("discard(self, 2, choice)", MOMENTS),
        ("move_card(chosen, self, 1, choice)", MOMENTS),
        ("move_card(self, next, 1, random)", MOMENTS),
        ("move_equip(chosen, self, named)", MOMENTS),
        ("move_equip(self, discard, this)", MOMENTS),
        ("move_equip(self, next, choice)", MOMENTS),
        ("spago(self, -1)", MOMENTS),
        ("cut(chosen, self)", MOMENTS),
        ("end_turn()", MOMENTS),
        ("spago>=3: eco(self, +1)", MOMENTS),
        ("stat(eco_max, +1)", ALWAYS),
        ("stat(slots, +1)", ALWAYS),
        ("stat(hand_limit, -1)", ALWAYS),
        ("cancel()", {"play_combat"}),
        ("peek(own_arc, 1)", {"play_explore", "challenge_start"}),
        ("peek(any, 2)", {"play_explore", "challenge_start"}),
        ("peek(own_arc, all)", {"play_explore", "challenge_start"}),
        ("move_limit(any)", {"play_explore"}),
        ("no_cards()", {"on_reveal"}),
        ("will(+2)", FIGHT),
        ("challenge(-1)", FIGHT),
        ("ignore(arc_bonus)", FIGHT | {"on_win", "on_loss"} | ALWAYS),
        ("ignore(negative)", FIGHT | {"on_win", "on_loss"} | ALWAYS),
        ("ignore(cut)", ALWAYS),
        ("ignore(recovery)", ALWAYS),
        ("ignore(turn_change)", set()),
        ("may: ignore(turn_change)", ALWAYS),
        ("once_per_turn: may: ignore(turn_change)", ALWAYS),
        ("once_per_turn: ignore(turn_change)", set()),
        ("may: ignore(cut)", set()),
        ("once_per_turn: ignore(cut)", set()),
        ("equip>=2: ignore(cut)", set()),
        ("equip>=2: ignore(negative)", FIGHT | {"on_win", "on_loss"}),
        ("may: ignore(negative)", {"on_loss"}),
        ("may: eco(self, +1)", OFFERED),
        ("once_per_turn: eco(self, +1)", set()),
        ("may: move_limit(any)", {"play_explore"}),
        ("may: peek(own_arc, 1)", {"challenge_start"}),
        ("may: cancel()", set()),
    ],
)
def test_an_effect_happens_only_where_it_means_something(text: str, moments: set[str]) -> None:
    for moment in moments:
        assert read_triggers({moment: [text]}, "EV01") == {moment: (read_effect(text),)}
    for moment in (MOMENTS | ALWAYS) - moments:
        with pytest.raises(InvalidData) as caught:
            read_triggers({moment: [text]}, "EV01")
        assert caught.value.code == "effect-moment"
        assert caught.value.values == {"card": "EV01", "effect": text.replace(" ", "")}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("eco(self, +2)", ("eco(self,+2)", "eco", ("self", 2))),
        ("draw(next, 3)", ("draw(next,3)", "draw", ("next", 3))),
        ("end_turn()", ("end_turn()", "end_turn", ())),
        ("may: move_limit(any)", ("may:move_limit(any)", "move_limit", ("any",), "", 0, True)),
        ("once_per_turn: cancel()", ("once_per_turn:cancel()", "cancel", (), "", 0, False, True)),
        ("equip>=2: will(-1)", ("equip>=2:will(-1)", "will", (-1,), "equip", 2)),
        ("spago>=9: will(-1)", ("spago>=9:will(-1)", "will", (-1,), "spago", 9)),
        ("eco=max: will(+1)", ("eco=max:will(+1)", "will", (1,), "eco=max")),
        ("sole_leader: will(+1)", ("sole_leader:will(+1)", "will", (1,), "sole_leader")),
        ("someone_richer: will(+1)", ("someone_richer:will(+1)", "will", (1,), "someone_richer")),
    ],
)
def test_an_effect_is_read_into_its_parts(text: str, values: tuple[Any, ...]) -> None:
    assert read_effect(text) == Effect(*values)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("eco", "effect"),
        ("eco(self, +2", "effect"),
        ("Eco(self, +2)", "effect"),
        ("echo(self, +2)", "effect-name"),
        ("eco(self)", "effect-values"),
        ("eco(self, +2, +2)", "effect-values"),
        ("eco(nobody, +2)", "effect-values"),
        ("eco(self, 2)", "effect-values"),
        ("eco(self, +0)", "effect-values"),
        ("eco(self, +10)", "effect-values"),
        ("draw(self, +1)", "effect-values"),
        ("draw(self, n)", "effect-values"),
        ("draw(self, 0)", "effect-values"),
        ("peek(own_arc, n)", "effect-values"),
        ("peek(own_arc, +1)", "effect-values"),
        ("end_turn(self)", "effect-values"),
        ("richest: eco(self, +2)", "effect-condition"),
        ("equip: eco(self, +2)", "effect-condition"),
        ("equip>=0: eco(self, +2)", "effect-condition"),
        ("level>=2: eco(self, +2)", "effect-condition"),
    ],
)
def test_what_means_nothing_is_refused_with_the_text_and_why(text: str, code: str) -> None:
    with pytest.raises(InvalidData) as caught:
        read_effect(text)
    assert (caught.value.code, caught.value.values) == (code, {"effect": text})


def test_a_key_that_no_card_has_is_named() -> None:
    with pytest.raises(InvalidData) as caught:
        read_triggers({"copies": 1, "always": []}, "EV01", "copies")
    assert (caught.value.code, caught.value.values) == ("unknown-key", {"card": "EV01", "key": "always"})
    assert read_triggers({"copies": 1, "static": []}, "EV01", "copies") == {}


def test_the_description_names_all_conditions() -> None:
    told = GAME.describe()["effects"]["conditions"]
    assert told == ["equip", "spago", "eco=max", "sole_leader", "someone_richer"]


def game_with(old: str, new: str) -> Confini:
    assert old in CARDS
    board = (CONTENT / "confini" / "board.toml").read_text("utf-8")
    return Confini.from_files({"cards.toml": CARDS.replace(old, new, 1), "board.toml": board})


def test_the_first_card_of_the_list_is_drawn_like_any_other() -> None:
    game = game_with("[events.EV01]", '[events.EV00]\ncopies = 1\non_draw = ["eco(self, +1)"]\n[events.EV01]')
    assert game.box.cards[0].id == "EV00"
    state = game.parse_position("explore active=p1 round=2 p1=vasco p1.eco=2 p2=andrea draws=1")
    after = game.apply(state, game.parse_move("draw EV00"))
    assert (after.hand[0], after.discard, after.eco[0]) == (0, 1, 2)  # one is paid, one comes back


@pytest.mark.parametrize("phase", ["eco", "result"])
def test_what_a_limit_lets_ignore_may_be_ignored_from_then_on(phase: str) -> None:
    text = (
        f"{phase} active=p1 round=5 p1=vasco p1.kept=EV09#1 p2=andrea fight=L1-PRE-A@SE1 fight.placer=p2 "
        "fight.ignored=arc_bonus"
    )
    if phase == "result":
        text += " todo=charm/p1;negative/p1;award;file last=p1,L1-PRE-A,0,0,0,0,0,0"
    game = game_with('on_reveal = ["no_cards()"]', 'on_reveal = ["ignore(arc_bonus)"]')
    assert game.format_position(game.parse_position(text)) == text
    with pytest.raises(InvalidPosition):
        GAME.parse_position(text)


@pytest.mark.parametrize(("rope", "left"), [("cut", 1), ("negative", 3)])
def test_equipment_may_keep_off_what_a_limit_does_after_a_loss(rope: str, left: int) -> None:
    game = game_with('static = ["ignore(cut)"]', f'static = ["ignore({rope})"]')
    state = game.parse_position(
        "cards active=p1 round=9 p1=vasco p1.eco=3 p1.equip=EQ8 p2=andrea "
        "fight=L4-PRE-B#1@SE1 fight.placer=p2 fight.turn=p2"
    )
    for move in ("p2 pass", "p1 pass"):
        state = game.apply(state, game.parse_move(move))
    assert state.last is not None
    assert not state.last.won
    assert state.eco[0] == left
