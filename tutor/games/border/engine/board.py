"""The boards of The Border: text hex maps read into spaces, areas and segments.

A map has one line a row and one character a hex: a small letter is a part of an area, a capital a border
space of that colour, `#` a white space. A hex is as wide as two characters, so the text shows how the rows
interlock. Hexes are named by row letter and place in the row: the first of the second row is B1. Sets of
spaces are bit masks.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tutor.rules.errors import InvalidData, reading

COLOURS = {"G": "grey", "Y": "yellow", "B": "blue", "R": "red", "O": "orange", "N": "green"}
WHITE = "#"
SPACES = 86
BYTES = (SPACES + 7) // 8
"""What a set of spaces takes."""
SEGMENT_SIZES = (2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Area:
    """One of the nine areas, with its two values."""

    id: str
    letter: str
    high: int
    low: int


@dataclass(frozen=True)
class Geometry:
    """What all boards share: where spaces and areas lie."""

    areas: tuple[Area, ...]
    names: tuple[str, ...]
    at: tuple[tuple[int, int], ...]
    """Row and half-column of each space."""
    neighbours: tuple[int, ...]
    rings: tuple[int, ...]
    """The border spaces of each area."""
    white: int
    hexes: tuple[tuple[tuple[int, int], ...], ...]
    """Row and half-column of each area's hexes."""
    hex_names: tuple[tuple[str, ...], ...]

    @cached_property
    def index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def areas_at(self) -> tuple[tuple[int, ...], ...]:
        """The areas that each space borders."""
        return tuple(
            tuple(area for area, ring in enumerate(self.rings) if ring >> i & 1) for i in range(SPACES)
        )

    @cached_property
    def _beside(self) -> tuple[tuple[int, ...], ...]:
        """For each eight spaces, the neighbours of every set of them."""
        tables = []
        for start in range(0, SPACES, 8):
            table = [0]
            for neighbours in self.neighbours[start : start + 8]:
                table += [mask | neighbours for mask in table]
            tables.append(tuple(table))
        return tuple(tables)

    def beside(self, mask: int) -> int:
        """The neighbours of all spaces of a set. By table: listing moves asks for it all the time."""
        found = 0
        for table, byte in zip(self._beside, mask.to_bytes(BYTES, "little"), strict=True):
            found |= table[byte]
        return found

    def spread(self, start: int, within: int) -> int:
        """The spaces of `within` that can be reached from `start` without leaving it."""
        reached = start & within
        while wider := self.beside(reached) & within & ~reached:
            reached |= wider
        return reached

    def completed(self, crosses: int) -> int:
        """The areas whose rings are crossed, as bits."""
        return sum(1 << area for area, ring in enumerate(self.rings) if not ring & ~crosses)

    def spaces(self, mask: int) -> tuple[str, ...]:
        return tuple(self.names[i] for i in indices(mask))

    def mask(self, names: tuple[str, ...]) -> int:
        mask = 0
        for name in names:
            mask |= 1 << self.index[name]
        return mask


def indices(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set, the lowest first."""
    while mask:
        bit = mask & -mask
        yield bit.bit_length() - 1
        mask ^= bit


def parts(mask: int) -> Iterator[int]:
    """Every set of some of the spaces, the whole set first."""
    part = mask
    while part:
        yield part
        part = part - 1 & mask


@dataclass(frozen=True)
class Board:
    """One colouring of the geometry."""

    number: int
    colours: str
    """The colour letter of each space."""
    segments: tuple[int, ...]
    segment_of: tuple[int, ...]
    """The segment (a mask) that each space belongs to; 0 for a white space."""
    by_colour: Mapping[str, int]
    segments_of: Mapping[str, tuple[int, ...]]
    """The four segments of each colour."""


@dataclass(frozen=True)
class Box:
    """What is in the box, as far as the rules need it: the shape that all boards share, and the boards."""

    geometry: Geometry
    boards: tuple[Board, ...]


def read_box(files: Mapping[str, str]) -> Box:
    """The box out of its data files: `areas.toml` and the maps `board-1.txt`, `board-2.txt` ..."""
    with reading("areas.toml"):
        areas = read_areas(files["areas.toml"])
    maps = sorted(name for name in files if name.startswith("board-"))
    geometries: list[Geometry] = []
    boards: list[Board] = []
    for number, name in enumerate(maps, 1):
        with reading(name):
            grid = _grid(files[name])
            geometries.append(_geometry(grid, areas))
            if geometries[-1] != geometries[0]:
                raise InvalidData("other-geometry", board=number)
            boards.append(_board(number, grid, geometries[0]))
    if not boards:
        raise InvalidData("boards", count=0)
    return Box(geometries[0], tuple(boards))


def read_areas(text: str) -> tuple[Area, ...]:
    table = tomllib.loads(text)
    areas = tuple(Area(name, row["letter"], row["high"], row["low"]) for name, row in table.items())
    if len(areas) != 9:
        raise InvalidData("areas", count=len(areas))
    for area in areas:
        if area.low >= area.high:
            raise InvalidData("area-values", area=area.id)
    return areas


Grid = dict[tuple[int, int], str]


def _grid(text: str) -> Grid:
    rows = [line for line in text.splitlines() if line.strip()]
    grid = {(r, x): cell for r, row in enumerate(rows) for x, cell in enumerate(row) if cell != " "}
    for r, x in grid:
        if (x + r) % 2 != sum(next(iter(grid))) % 2:
            raise InvalidData("row", line=r + 1)
    return grid


def _neighbours_of(row: int, x: int) -> tuple[tuple[int, int], ...]:
    return (row, x - 2), (row, x + 2), (row - 1, x - 1), (row - 1, x + 1), (row + 1, x - 1), (row + 1, x + 1)


def _geometry(grid: Grid, areas: tuple[Area, ...]) -> Geometry:
    letters = [area.letter for area in areas]
    for cell in grid.values():
        if cell not in COLOURS and cell != WHITE and cell not in letters:
            raise InvalidData("unknown-hex", hex=cell)
    at = tuple(place for place, cell in grid.items() if not cell.islower())
    index = {place: i for i, place in enumerate(at)}
    neighbours = tuple(
        sum(1 << index[place] for place in _neighbours_of(*spot) if place in index) for spot in at
    )
    names = _names(grid)
    hexes = tuple(tuple(place for place, cell in grid.items() if cell == letter) for letter in letters)
    rings = []
    for area, its_hexes in zip(areas, hexes, strict=True):
        beside = {place for spot in its_hexes for place in _neighbours_of(*spot)}
        foreign = {grid.get(place, "edge") for place in beside - set(its_hexes) if place not in index}
        if not its_hexes or foreign:
            raise InvalidData("open-area", area=area.id)
        rings.append(sum(1 << index[place] for place in beside if place in index))
    if len(at) != SPACES:
        raise InvalidData("space-count", count=len(at))
    ringed = 0
    for ring in rings:
        ringed |= ring
    if ringed != (1 << SPACES) - 1:
        raise InvalidData("stray-space", space=names[at[(~ringed & (1 << SPACES) - 1).bit_length() - 1]])
    white = sum(1 << index[place] for place in at if grid[place] == WHITE)
    if white.bit_count() != 2:
        raise InvalidData("white-spaces", count=white.bit_count())
    return Geometry(
        areas=areas,
        names=tuple(names[place] for place in at),
        at=at,
        neighbours=neighbours,
        rings=tuple(rings),
        white=white,
        hexes=hexes,
        hex_names=tuple(tuple(names[place] for place in its_hexes) for its_hexes in hexes),
    )


def _names(grid: Grid) -> dict[tuple[int, int], str]:
    places: dict[int, int] = {}
    names = {}
    for row, x in grid:
        places[row] = places.get(row, 0) + 1
        names[row, x] = f"{chr(ord('A') + row)}{places[row]}"
    return names


def _board(number: int, grid: Grid, geometry: Geometry) -> Board:
    colours = "".join(grid[place] for place in geometry.at)
    by_colour = {
        letter: sum(1 << i for i, colour in enumerate(colours) if colour == letter) for letter in COLOURS
    }
    segment_of = [0] * len(colours)
    for spaces in by_colour.values():
        for i in indices(spaces):
            segment_of[i] = geometry.spread(1 << i, spaces)
    segments = tuple(dict.fromkeys(segment for segment in segment_of if segment))
    segments_of = {
        letter: tuple(segment for segment in segments if segment & spaces)
        for letter, spaces in by_colour.items()
    }
    for letter, name in COLOURS.items():
        sizes = tuple(sorted(segment.bit_count() for segment in segments_of[letter]))
        if sizes != SEGMENT_SIZES:
            raise InvalidData("segments", board=number, colour=name, sizes=tuple(map(str, sizes)))
    return Board(number, colours, segments, tuple(segment_of), by_colour, segments_of)
