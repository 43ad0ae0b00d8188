"""Blockers! told to another program: options, cells, tiles and notation, as plain data."""

from typing import Any

from tutor.games.blockers.engine.board import CELLS, FITS, JOKER, Box, beside, cells
from tutor.games.blockers.engine.state import FACES_LEFT, PHASES, RACK, TURNS


def describe(box: Box) -> dict[str, Any]:
    return {
        "colours": list(box.colours),
        "rack": RACK,
        "turns_per_colour": TURNS,
        "unplayed": FACES_LEFT,
        "tiles": {tile: cells(FITS[face]) for tile, face in box.face.items() if tile != JOKER},
        "joker": JOKER,
        "cells": {
            name: {
                "row": name[0],
                "column": int(name[1]),
                "symbol": box.symbol(name),
                "neighbours": [other for other, its_bit in CELLS.items() if beside(bit) & its_bit],
            }
            for name, bit in CELLS.items()
        },
        "notation": {
            "moves": {
                "p1 red 5 E5": "seat 1 places the red 5 on E5",
                "p1 red E E5": "... the red letter E",
                "p1 red circle E5": "... the red circle",
                "p1 red * E5": "... the red joker",
                "p1 pass": "seat 1 passes; only when nothing can be placed, as far as its rack is seen",
                "draw red 5": "chance: red draws its 5",
                "draw red 5 E moon": "... several, while the racks are filled; listed one by one",
                "draw red ?": "... a tile that we cannot see; not listed",
                "first p2": "chance: seat 2 begins",
            },
            "position": {
                "example": "place round=3 next=red p1=red p2=yellow:red-5 p3=blue"
                " red=1,3,C,star,*:4@E4 yellow=?????:E@E5 blue=?????:A@A1",
                "phases": list(PHASES),
                "next": "the colour that places or, in the phase draw, draws",
                "round": "1 to 24; left out, the first in which so many tiles can lie there",
                "player": "colour, or two with + between in their order, and after : the captured tiles",
                "colour": "rack, hidden if left out, and after : the tiles on the board, each with its cell",
                "tile": "1 to 9, A to I, a symbol, * the joker, ? hidden",
            },
        },
    }
