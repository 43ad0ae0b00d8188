"""The board and the tiles of Blockers!: 81 cells, 28 faces, and the groups that tiles form.

A cell is named by row letter and column number: A1 is top left, I9 bottom right. Sets of cells are bit
masks with ten bits a row; the tenth is never a cell, so a set can be shifted to all four sides at once and
nothing runs from the end of one row into the next.

The faces stand in one order: the numbers 1 to 9, the letters A to I, the nine symbols, the joker.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tutor.rules.errors import InvalidData

ROWS = "ABCDEFGHI"
COLUMNS = "123456789"
STRIDE = 10
JOKER = "*"
FACES = 28
ALL_FACES = (1 << FACES) - 1
JOKER_FACE = FACES - 1
JOKER_BIT = 1 << JOKER_FACE
MOST_COLOURS = 5

CELLS = {row + column: 1 << r * STRIDE + c for r, row in enumerate(ROWS) for c, column in enumerate(COLUMNS)}
"""The bit of each cell, row by row."""
NAMES = {bit: name for name, bit in CELLS.items()}
ALL_CELLS = sum(NAMES)
BOARD_SIZE = ALL_CELLS.bit_length()


@dataclass(frozen=True)
class Box:
    """What the box holds: the colours of the tiles and the symbols of the areas, row by row."""

    colours: tuple[str, ...]
    symbols: tuple[str, ...]

    @cached_property
    def faces(self) -> tuple[str, ...]:
        return (*COLUMNS, *ROWS, *self.symbols, JOKER)

    @cached_property
    def face(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.faces)}

    def tiles(self, faces: int) -> tuple[str, ...]:
        """The names of a set of faces."""
        return tuple(name for i, name in enumerate(self.faces) if faces >> i & 1)

    def symbol(self, cell: str) -> str:
        return self.symbols[area_of(cell)]


def area_of(cell: str) -> int:
    """The area of a cell, counted row by row from 0."""
    return ROWS.index(cell[0]) // 3 * 3 + COLUMNS.index(cell[1]) // 3


FITS: tuple[int, ...] = (
    *(sum(bit for cell, bit in CELLS.items() if cell[1] == column) for column in COLUMNS),
    *(sum(bit for cell, bit in CELLS.items() if cell[0] == row) for row in ROWS),
    *(sum(bit for cell, bit in CELLS.items() if area_of(cell) == area) for area in range(9)),
    ALL_CELLS,
)
"""The cells where each face may lie."""


def read_box(text: str) -> Box:
    table = tomllib.loads(text)
    colours = tuple(table["colours"])
    rows = table["symbols"]
    symbols = tuple(symbol for row in rows for symbol in row)
    if len(colours) != MOST_COLOURS or len(set(colours)) != MOST_COLOURS:
        raise InvalidData("colours", count=len(set(colours)))
    if [len(row) for row in rows] != [3, 3, 3] or len(set(symbols)) != 9:
        raise InvalidData("symbols", count=len(set(symbols)))
    for word in (*colours, *symbols):
        # A word of two letters or a number could be taken for a cell, a player or another face.
        if not (word.isascii() and word.isalpha() and word.islower() and len(word) > 2):
            raise InvalidData("word", word=word)
    return Box(colours, symbols)


def bits(mask: int) -> Iterator[int]:
    """The single bits of a mask, lowest first."""
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit


def cells(mask: int) -> tuple[str, ...]:
    """The names of a set of cells, row by row."""
    return tuple(NAMES[bit] for bit in bits(mask))


def _faces(lowest: int, count: int) -> tuple[tuple[int, ...], ...]:
    """For every set of some faces that follow each other, as bits from 0 on, the faces in it."""
    return tuple(tuple(lowest + i for i in range(count) if chosen >> i & 1) for chosen in range(1 << count))


_NUMBERS, _LETTERS, _SYMBOLS = _faces(0, 9), _faces(9, 9), _faces(18, 10)


def faces_in(mask: int) -> tuple[int, ...]:
    """The faces in a set of them. From tables, since every listing of moves needs it."""
    return _NUMBERS[mask & 511] + _LETTERS[mask >> 9 & 511] + _SYMBOLS[mask >> 18]


def groups(mask: int) -> list[int]:
    """The groups that the tiles of one colour form: joined by edges, not by corners."""
    found = []
    while mask:
        group = mask & -mask
        while True:
            wider = (group | group << 1 | group >> 1 | group << STRIDE | group >> STRIDE) & mask
            if wider == group:
                break
            group = wider
        found.append(group)
        mask ^= group
    return found


def beside(mask: int) -> int:
    """The cells that share an edge with one of a set. Bits off the board may be among them."""
    return mask << 1 | mask >> 1 | mask << STRIDE | mask >> STRIDE


def splits(mask: int, bit: int) -> bool:
    """Whether the group of the tile on `bit` falls apart without it.

    Only the tiles beside it are asked for: they are flooded from one of them until all are reached.
    """
    near = (bit << 1 | bit >> 1 | bit << STRIDE | bit >> STRIDE) & mask
    if not near & (near - 1):
        return False
    rest = mask ^ bit
    reached = near & -near
    while True:
        wider = (reached | reached << 1 | reached >> 1 | reached << STRIDE | reached >> STRIDE) & rest
        if not near & ~wider:
            return False
        if wider == reached:
            return True
        reached = wider


@lru_cache(maxsize=1 << 12)
def cuts(mask: int) -> int:
    """The tiles of one colour that may not be captured: each holds its group together.

    All tiles are looked at together: only where the tiles beside one do not touch each other around it can a
    group fall apart, and only there is it flooded. Between two captures a colour is asked for by several
    players, so the answer is kept.
    """
    north, east, south, west = mask << STRIDE, mask >> 1, mask >> STRIDE, mask << 1
    # Going round a tile, each stretch of tiles beside it ends once; two ends are two stretches.
    ends_north = north & ~(east & mask << STRIDE - 1)
    ends_east = east & ~(south & mask >> STRIDE + 1)
    ends_south = south & ~(west & mask >> STRIDE - 1)
    ends_west = west & ~(north & mask << STRIDE + 1)
    upper, lower = ends_north | ends_east, ends_south | ends_west
    several = (ends_north & ends_east | ends_south & ends_west | upper & lower) & mask
    found = 0
    while several:
        bit = several & -several
        several ^= bit
        if splits(mask, bit):
            found |= bit
    return found


def parts(mask: int, bit: int) -> list[int]:
    """The groups that are left of a tile's group without it."""
    near = beside(bit) & mask
    return [group for group in groups(mask ^ bit) if group & near]
