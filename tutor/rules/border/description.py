"""The Border told to another program: options, boards, values and notation, as plain data."""

from typing import Any

from tutor.rules.border.board import COLOURS, WHITE, Board, Geometry


def describe(geometry: Geometry, boards: tuple[Board, ...]) -> dict[str, Any]:
    return {
        "colours": COLOURS,
        "areas": {
            area.id: {"high": area.high, "low": area.low, "ring": geometry.spaces(ring)}
            for area, ring in zip(geometry.areas, geometry.rings, strict=True)
        },
        "spaces": {
            name: {
                "row": geometry.at[i][0],
                "half_column": geometry.at[i][1],
                "white": bool(geometry.white >> i & 1),
                "neighbours": geometry.spaces(geometry.neighbours[i]),
                "areas": [
                    area.id
                    for area, ring in zip(geometry.areas, geometry.rings, strict=True)
                    if ring >> i & 1
                ],
            }
            for i, name in enumerate(geometry.names)
        },
        "boards": {str(board.number): _board(geometry, board) for board in boards},
        "notation": {
            "moves": {
                "p1 roll": "seat 1 throws all five dice",
                "p1 reroll 2 5": "seat 1 throws the second and the fifth die again",
                "dice GGGYB": "chance: the faces of the thrown dice, in their order",
                "p1 cross C3 C4 C5": "seat 1 crosses spaces on the own board",
                "p1 done": "seat 1 ends its action",
                "first p2": "chance: seat 2 is the first active player",
            },
            "position": {
                "example": "first active=p1 rolls=3 dice=GGGYB p1=2 p2=1 p3=3 p4=4:A2",
                "phases": ["start", "roll", "faces", "first", "second", "over"],
                "player": "board:crosses:circled areas, + high or - low:places of used dice:done",
                "fresh": "areas completed in the action under way",
            },
        },
    }


def _board(geometry: Geometry, board: Board) -> dict[str, Any]:
    return {
        "colours": {
            name: COLOURS[letter]
            for name, letter in zip(geometry.names, board.colours, strict=True)
            if letter != WHITE
        },
        "segments": [
            {"colour": COLOURS[board.colours[mask.bit_length() - 1]], "spaces": geometry.spaces(mask)}
            for mask in board.segments
        ],
    }
