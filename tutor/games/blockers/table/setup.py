"""Sets up Blockers!: a tile is picked, then the cell, rack or pile where it goes. Racks fill up alone."""

from typing import ClassVar

from tutor.book.words import Words
from tutor.games.blockers.engine import Blockers
from tutor.games.blockers.engine.board import CELLS, FACES, JOKER, JOKER_BIT
from tutor.games.blockers.engine.notation import tile_id
from tutor.games.blockers.engine.state import (
    DRAW,
    EDITIONS,
    OVER,
    PLACE,
    RACK,
    TURNS,
    State,
    due,
    order,
    seat_of,
)
from tutor.referee.setup import Row, Setup, Tool, choose

PHASES = (PLACE, DRAW, OVER)
"""The dealing before them is done by chance."""


class BlockersSetup(Setup):
    rows_known: ClassVar[tuple[str, ...]] = (
        "colour", "tile", "where", "phase", "next", "round", "first", "edition", "joker", "clear",
    )  # fmt: skip

    def __init__(self, game: Blockers) -> None:
        super().__init__(game)
        self.box = game.box

    # Changes

    def do_put(self, state: State, colour: str, tile: str, cell: str) -> State:
        c, face, bit = state.table.colours.index(colour), self.box.face[tile], CELLS[cell]
        state = self._without(self._lift(state, cell), c, face)
        tiles = bytearray(state.tiles)
        tiles[bit.bit_length() - 1] = 1 + c * FACES + face
        return self._settle(
            state._replace(
                tiles=bytes(tiles),
                masks=_replace_at(state.masks, c, state.masks[c] | bit),
                played=_replace_at(state.played, c, state.played[c] | 1 << face),
            )
        )

    def do_take(self, state: State, cell: str) -> State:
        return self._settle(self._lift(state, cell))

    def do_rack(self, state: State, colour: str, tile: str) -> State:
        """Onto the rack, or off it."""
        c, bit = state.table.colours.index(colour), 1 << self.box.face[tile]
        on_rack = state.racks[c] & bit
        state = self._without(state, c, self.box.face[tile])
        return self._settle(
            state._replace(racks=_replace_at(state.racks, c, state.racks[c] | bit & ~on_rack))
        )

    def do_pile(self, state: State, player: str, colour: str, tile: str) -> State:
        """Among the captured tiles of a player, or out of them."""
        seat, c, face = self.seat(state, player), state.table.colours.index(colour), self.box.face[tile]
        if seat_of(state, c) == seat:
            raise LookupError(colour)
        bit = 1 << c * FACES + face
        there = state.piles[seat - 1] & bit
        state = self._without(state, c, face)
        if there:
            return self._settle(state)
        return self._settle(
            state._replace(
                piles=_replace_at(state.piles, seat - 1, state.piles[seat - 1] | bit),
                played=_replace_at(state.played, c, state.played[c] | 1 << face),
            )
        )

    def do_phase(self, state: State, phase: str) -> State:
        if phase not in PHASES:
            raise LookupError(phase)
        state = state._replace(first=state.first or 1)
        colour, before = due(state), _before(state)
        state = state._replace(phase=phase)
        if phase == OVER:
            return self._settle(state._replace(turns=TURNS * len(state.table.colours)))
        return self._settle(self._due(state, colour, before))

    def do_next(self, state: State, colour: str) -> State:
        if state.phase not in (PLACE, DRAW):
            state = self.do_phase(state, PLACE)
        return self._settle(self._due(state, state.table.colours.index(colour), _before(state)))

    def do_round(self, state: State, number: str) -> State:
        """Exactly this round, even if fewer tiles fit in it than lie there."""
        if state.phase not in (PLACE, DRAW) or not 1 <= int(number) <= TURNS:
            raise LookupError(number)
        return self._fill_racks(self._due(state, due(state), int(number) - 1))

    def do_first(self, state: State, player: str) -> State:
        if state.phase not in PHASES:
            state = self.do_phase(state, PLACE)
        colour, before = due(state), _before(state)
        state = state._replace(first=self.seat(state, player))
        return self._settle(state if state.phase == OVER else self._due(state, colour, before))

    def do_edition(self, state: State, edition: str) -> State:
        if edition not in EDITIONS:
            raise LookupError(edition)
        return state._replace(table=state.table._replace(edition=edition))

    def do_joker(self, state: State) -> State:
        """Open beside the racks, or among the tiles."""
        racks = tuple(rack & ~JOKER_BIT for rack in state.racks)
        table = state.table._replace(open_joker=not state.table.open_joker)
        return self._settle(state._replace(table=table, racks=racks))

    def do_clear(self, state: State) -> State:
        """No tile lies anywhere; what stands on the racks is not known."""
        options = self.game.agreed(state) | {"first": 1}
        return self.do_phase(self.game.setup(options), PLACE)

    # What follows from a change

    def _due(self, state: State, colour: int, before: int) -> State:
        """This many rounds are over, and this colour is next."""
        line = order(state.table.players, len(state.table.colours), state.first)
        turns = before * len(line) + line.index(colour) + (state.phase == DRAW)
        return state._replace(turns=turns)

    def _lift(self, state: State, cell: str) -> State:
        here = state.tiles[CELLS[cell].bit_length() - 1]
        return self._without(state, *divmod(here - 1, FACES)) if here else state

    def _without(self, state: State, c: int, face: int) -> State:
        """The position without a tile, wherever it is."""
        tiles, masks = bytearray(state.tiles), list(state.masks)
        for bit in CELLS.values():
            if tiles[bit.bit_length() - 1] == 1 + c * FACES + face:
                tiles[bit.bit_length() - 1] = 0
                masks[c] &= ~bit
        return state._replace(
            tiles=bytes(tiles),
            masks=tuple(masks),
            played=_replace_at(state.played, c, state.played[c] & ~(1 << face)),
            racks=_replace_at(state.racks, c, state.racks[c] & ~(1 << face)),
            piles=tuple(pile & ~(1 << c * FACES + face) for pile in state.piles),
        )

    def _settle(self, state: State) -> State:
        """As late as the tiles that were placed need it, and with full racks."""
        if state.phase not in PHASES:
            state = self.do_phase(state, PLACE)
        colours = len(state.table.colours)
        line = order(state.table.players, colours, state.first)
        while state.phase != OVER and _before(state) < TURNS - 1:
            had = {c: (state.turns + colours - 1 - i) // colours for i, c in enumerate(line)}
            if all(state.played[c].bit_count() <= had[c] for c in line):
                break
            state = state._replace(turns=state.turns + colours)
        return self._fill_racks(state)

    def _fill_racks(self, state: State) -> State:
        """Racks have as many hidden tiles as they lack, while the supply lasts."""
        drawing = due(state) if state.phase == DRAW else None
        hidden = []
        for c, played in enumerate(state.played):
            open_joker = state.table.open_joker
            left = FACES - open_joker - (played & ~(JOKER_BIT if open_joker else 0)).bit_count()
            need = min(RACK, left) - (c == drawing)
            hidden.append(max(0, need - state.racks[c].bit_count()))
        return state._replace(hidden=tuple(hidden))

    # Tools

    def picked(self, state: State, picks: tuple[str, ...]) -> tuple[str, str]:
        """The colour and the tile that are picked; the first colour if none is, and no tile."""
        colours = state.table.colours
        colour = next((pick for pick in picks if pick in colours), colours[0])
        return colour, next((pick for pick in picks if pick in self.box.face), "")

    def rows(self, state: State, seat: int, picks: tuple[str, ...], words: Words) -> list[Row]:
        colour, tile = self.picked(state, picks)
        kept = (tile,) if tile else ()
        table = state.table
        c = table.colours.index(colour)
        lying = state.played[c] | state.racks[c]
        found = [
            Row(
                "colour",
                tuple(Tool(words.word(one), picks=(one, *kept), on=one == colour) for one in table.colours),
            ),
            Row(
                "tile",
                tuple(
                    Tool(
                        _short(name, words),
                        picks=(colour,) if name == tile else (colour, name),
                        on=name == tile,
                        used=bool(lying >> face & 1),
                    )
                    for face, name in enumerate(self.box.faces)
                ),
            ),
            Row("where", tuple(self._places(state, c, tile, words)) if tile else ()),
            Row("phase", choose("phase", PHASES, state.phase, lambda one: words.phrase(f"phase-{one}"))),
        ]
        if state.phase in (PLACE, DRAW):
            number = _before(state) + 1
            around = [n for n in (number - 1, number, number + 1) if 1 <= n <= TURNS]
            found += [
                Row("next", choose("next", table.colours, table.colours[due(state)], words.word)),
                Row("round", choose("round", around, number, str)),
            ]
        found += [
            Row("first", choose("first", self.players(state), f"p{state.first}", words.word)),
            Row("edition", choose("edition", EDITIONS, table.edition, words.word)),
            Row("joker", (Tool(words.phrase("do-open-joker"), "joker", on=table.open_joker),)),
            Row("clear", (Tool(words.phrase("do-wipe"), "clear"),)),
        ]
        return [row for row in found if row.tools]

    def _places(self, state: State, c: int, tile: str, words: Words) -> list[Tool]:
        """Where a picked tile can go beside the board."""
        colour, face = state.table.colours[c], self.box.face[tile]
        on_rack = bool(state.racks[c] >> face & 1)
        found = [Tool(words.phrase("to-rack"), f"rack {colour} {tile}", on=on_rack)]
        for seat in range(1, state.table.players + 1):
            if seat_of(state, c) != seat:
                there = bool(state.piles[seat - 1] >> c * FACES + face & 1)
                label = words.phrase("to-pile", player=f"p{seat}")
                found.append(Tool(label, f"pile p{seat} {colour} {tile}", on=there))
        return found

    # Chance

    def name(self, act: str, value: str, words: Words) -> str:
        return super().name(act, tile_id(value), words)


def _before(state: State) -> int:
    """The rounds before this one; after the game, before its last."""
    return min((state.turns - (state.phase == DRAW)) // len(state.table.colours), TURNS - 1)


def _short(tile: str, words: Words) -> str:
    return words.word(tile_id(tile)) if len(tile) > 1 or tile == JOKER else tile


def _replace_at(values: tuple[int, ...], i: int, value: int) -> tuple[int, ...]:
    return (*values[:i], value, *values[i + 1 :])
