"""Blockers!: the game, for 2 to 5 players, with the open joker as a variant.

After the Italian text of the Amigo edition; where it is silent, the rulings in content/blockers say what is
played. Every tile that is drawn is a recorded chance move, so the order of a supply is never decided ahead.
The scoring of Uptown, the first edition of the game, is an option.
"""

import random
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

from tutor.games.blockers.engine import facts, moves, notation, position, scoring, turns, verdicts, views
from tutor.games.blockers.engine.board import BOARD_SIZE, CELLS, Box, read_box
from tutor.games.blockers.engine.declarations import DEEDS, FAULTS, RULES
from tutor.games.blockers.engine.description import describe
from tutor.games.blockers.engine.notation import tile_id
from tutor.games.blockers.engine.state import DEAL, EDITIONS, START, State, Table
from tutor.rules.base import Deed, Effect, Game, Move, Outcome, Rule, Value, Verdict
from tutor.rules.options import Flag, OneOf, Option, Seat, Several, Whole


class Blockers(Game):
    """Blockers! with the tiles of one box."""

    id: ClassVar[str] = "blockers"
    rules: ClassVar[Mapping[str, Rule]] = RULES
    deeds: ClassVar[Mapping[str, tuple[str, ...]]] = DEEDS
    faults: ClassVar[Mapping[str, tuple[str, ...]]] = FAULTS

    def __init__(self, box: Box) -> None:
        self.box = box
        self._moves = moves.Moves(box)

    @classmethod
    def from_files(cls, files: Mapping[str, str]) -> Self:
        return cls(read_box(files["board.toml"]))

    @property
    def vocabulary(self) -> Mapping[str, Sequence[Value]]:
        colours = self.box.colours
        return {
            "player": ("p1", "p2"),
            "winners": (("p1",), ("p1", "p2")),
            "colour": colours,
            "own": (colours[:1], colours[:2]),
            "due": colours,
            "drawn": colours,
            "when": ("first", "early", "empty", "one", "other"),
            "taken": colours,
            "tile": tuple(map(tile_id, self.box.faces)),
            "face": facts.FACE_KINDS,
            "part": ("placed", "racks"),
            "symbol": tuple(self.box.symbol(cell) for cell in CELLS),
            "cell": ("E5",),
            "row": ("E",),
            "pieces": (("E4", "E6+F6"),),
            "cells": (("E4",), ("E4", "E5")),
            "pile": (("violet", "violet", "red"),),
            "colours": (("red", "violet"),),
            "edition": EDITIONS,
        }

    # Set-up and turn

    @cached_property
    def options(self) -> Mapping[str, Option]:
        most = len(self.box.colours)
        return {
            "players": Whole(2, most, 4),
            "colours": Several(
                self.box.colours,
                "the colour of each seat, all different; with two players four, in the order"
                " of play when seat 1 begins: first colours of seats 1 and 2, then their second ones",
                need=colours_of,
            ),
            "first": Seat(most, "the seat that begins; 0, the default, leaves it to chance"),
            "open_joker": Flag(False, "the variant in which each joker lies open beside its rack"),
            "edition": OneOf(EDITIONS, "whose scoring is used; uptown counts groups only"),
        }

    def begin(self, **options: Any) -> State:
        players, colours, first = options["players"], options["colours"], options["first"]
        none = (0,) * len(colours)
        table = Table(players, colours, options["open_joker"], options["edition"])
        phase = DEAL if first else START
        return State(table, phase, first, 0, bytes(BOARD_SIZE), none, none, none, none, (0,) * players)

    def agreed(self, state: State) -> dict[str, Any]:
        return state.table._asdict() | {"colours": list(state.table.colours)}

    def seats(self, state: State) -> int:
        return state.table.players

    def turn(self, state: State) -> tuple[int, ...]:
        return moves.turn(state)

    # Moves

    def moves(self, state: State) -> Sequence[Move]:
        return self._moves.legal(state)

    def judge(self, state: State, move: Move) -> Verdict:
        return verdicts.judge(self.box, state, move)

    def play(self, state: State, move: Move) -> State:
        return turns.play(self.box, state, move)

    def canonical(self, state: State, move: Move) -> Sequence[Move]:
        """Several tiles may be dealt at once; they are listed one by one."""
        if move.act != "draw":
            return (move,)
        colour, *tiles = move.what
        return [move._replace(what=(colour, tile)) for tile in tiles]

    def chance(self, state: State, dice: random.Random) -> Move:
        return self._moves.chance(state, dice)

    def thinkable(self, state: State, seat: int) -> Sequence[Move]:
        return self._moves.thinkable(state, seat)

    # What a seat sees

    def view(self, state: State, seat: int) -> State:
        return views.view(state, seat)

    def seen_by(self, state: State, move: Move, seat: int) -> Move:
        return views.seen_by(state, move, seat)

    def redeal(self, state: State, seat: int, dice: random.Random) -> State:
        return views.redeal(state, seat, dice)

    # Telling

    def outcome(self, state: State) -> Outcome | None:
        return scoring.outcome(state, state.table.edition)

    def facts(self, state: State) -> dict[str, Value]:
        return facts.facts(state)

    def effects(self, before: State, after: State) -> Sequence[Effect]:
        return tuple(scoring.effects(after))

    def tell(self, state: State, move: Move) -> Deed:
        return facts.tell(state, move)

    def guessed(self, state: State, move: Move) -> bool:
        return verdicts.guessed(self.box, state, move)

    # Text

    def parse_move(self, text: str) -> Move:
        return notation.parse_move(self.box, text)

    def format_move(self, move: Move) -> str:
        return notation.format_move(move)

    def parse_position(self, text: str) -> State:
        return position.parse_position(self.box, text)

    def draft(self, text: str) -> State:
        return position.draft(self.box, text)

    def format_position(self, state: State) -> str:
        return notation.format_position(self.box, state)

    def describe(self) -> dict[str, Any]:
        return super().describe() | describe(self.box)


def colours_of(players: int) -> int:
    """Two players have two colours each."""
    return 4 if players == 2 else players
