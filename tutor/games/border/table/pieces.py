"""The pieces of The Border: its areas with their rings, the colours of dice and spaces, and the boards."""

from collections.abc import Iterator

from tutor.book.words import Words
from tutor.games.border.engine import Border
from tutor.games.border.engine.board import COLOURS, SPACES
from tutor.games.border.engine.state import DICE
from tutor.lookup.piece import Piece, capital


def pieces(game: Border, words: Words) -> Iterator[Piece]:
    yield from _areas(game, words)
    yield from _colours(game, words)
    coloured = SPACES - game.geometry.white.bit_count()
    for board in game.boards:
        yield Piece(
            id=f"board-{board.number}",
            words=(f"board-{board.number}",),
            kind="board",
            name=words.phrase("piece-board", number=board.number),
            text=words.phrase("piece-board-text", count=SPACES, coloured=coloured, white=SPACES - coloured),
            count=1,
            ours=True,
        )


def _areas(game: Border, words: Words) -> Iterator[Piece]:
    geometry = game.geometry
    for area, ring in zip(geometry.areas, geometry.rings, strict=True):
        neighbours = tuple(
            other.id
            for other, its_ring in zip(geometry.areas, geometry.rings, strict=True)
            if other is not area and its_ring & ring
        )
        spaces = [
            [(ring & board.by_colour[letter]).bit_count() for letter in COLOURS] for board in game.boards
        ]
        yield Piece(
            id=area.id,
            words=(area.id,),
            kind="area",
            name=capital(words.word(area.id)),
            # All boards have the same spaces, so a ring has one size; its colours differ.
            text=words.phrase(
                "piece-area", high=area.high, low=area.low, count=ring.bit_count(), areas=neighbours
            ),
            ours=True,
            marks=geometry.spaces(ring),
            values={
                "high": area.high,
                "low": area.low,
                "colours": [(name, capital(words.word(name))) for name in COLOURS.values()],
                "boards": [
                    (words.phrase("piece-board", number=board.number), counts)
                    for board, counts in zip(game.boards, spaces, strict=True)
                ],
            },
        )


def _colours(game: Border, words: Words) -> Iterator[Piece]:
    board = game.boards[0]
    # Reading the boards has proven that every colour has the same segments on each.
    coloured = sum(mask.bit_count() for mask in board.by_colour.values())
    for letter, name in COLOURS.items():
        sizes = sorted(segment.bit_count() for segment in board.segments_of[letter])
        yield Piece(
            id=name,
            words=(name,),
            kind="colour",
            name=capital(words.word(name)),
            text=words.phrase(
                "piece-colour",
                dice=DICE,
                count=board.by_colour[letter].bit_count(),
                all=coloured,
                sizes=tuple(map(str, sizes)),
            ),
            marks=game.geometry.spaces(board.by_colour[letter]),
        )
