"""The Border told to another program: boards, values and notation, as plain data."""

from typing import Any

from tutor.games.border.engine.board import COLOURS, WHITE, Board, Box, Geometry
from tutor.games.border.engine.state import PHASES

MOVES = {
    "p1 roll": "seat 1 throws all five dice",
    "p1 reroll 2 5": "seat 1 throws the second and the fifth die again",
    "dice GGGYB": "chance: the faces of the thrown dice, in their order",
    "p1 cross C3 C4 C5": "seat 1 crosses spaces on the own board",
    "p1 done": "seat 1 ends its action",
    "first p2": "chance: seat 2 is the first active player",
}

ALSO = {
    "p1 cross K6 A11 A12 A13 K8": (
        "in the first action a cross must complete every segment that it touches; one that completes several"
        " is the same as a cross for each of them"
    ),
    "p1 cross B1 C1": (
        "in the second action several spaces are judged one after the other in the order given, so that a"
        " later one may lie beside an earlier one; the same as a cross for each of them"
    ),
    "p1 reroll 1 2 3 4 5": "in the phase roll the same as p1 roll",
    "p1 roll": "in the phase first the same as p1 reroll 1 2 3 4 5",
    "p1 reroll 5 2": "dice, and spaces in the first action, may be named in any order",
    "p1 cross c3": "names of spaces may be written with small letters",
}
"""Accepted forms that the list of legal moves leaves out."""

POSITION = {
    "example": "first active=p1 rolls=3 dice=GGGYB p1=2 p2=1 p3=3 p4=4:A2",
    "phases": list(PHASES),
    "active": "the active seat; in every phase but start",
    "rolls": "how many rolls have been made: 1 to 3 in first and second, 0 to 2 in faces",
    "dice": "the five faces in faces, first and second; ? is a die in the air, in faces only",
    "player": "board:crosses:circled areas, + high or - low:places of used dice:done",
    "crosses": (
        "those that the player has made in this second action come last, after a slash: A2,A3/B1; without the"
        " slash nothing is said about it"
    ),
    "fresh": "areas completed in the action under way: all who complete them in it get the high value",
    "refused": "positions that no game can reach, as far as the position itself tells",
}


def describe(box: Box) -> dict[str, Any]:
    geometry = box.geometry
    return {
        "colours": COLOURS,
        "areas": {
            area.id: {
                "high": area.high,
                "low": area.low,
                "ring": geometry.spaces(ring),
                "hexes": {
                    name: {"row": row, "half_column": half}
                    for name, (row, half) in zip(names, hexes, strict=True)
                },
            }
            for area, ring, names, hexes in zip(
                geometry.areas, geometry.rings, geometry.hex_names, geometry.hexes, strict=True
            )
        },
        "spaces": {name: _space(geometry, i) for i, name in enumerate(geometry.names)},
        "boards": {str(board.number): _board(geometry, board) for board in box.boards},
        "notation": {"moves": MOVES, "also": ALSO, "position": POSITION},
    }


def _space(geometry: Geometry, i: int) -> dict[str, Any]:
    return {
        "row": geometry.at[i][0],
        "half_column": geometry.at[i][1],
        "white": bool(geometry.white >> i & 1),
        "neighbours": geometry.spaces(geometry.neighbours[i]),
        "areas": [geometry.areas[area].id for area in geometry.areas_at[i]],
    }


def _board(geometry: Geometry, board: Board) -> dict[str, Any]:
    return {
        "colours": {
            name: COLOURS[letter]
            for name, letter in zip(geometry.names, board.colours, strict=True)
            if letter != WHITE
        },
        "segments": [
            {"colour": COLOURS[letter], "spaces": geometry.spaces(segment)}
            for letter, segments in board.segments_of.items()
            for segment in segments
        ],
    }
