"""The tiles of Blockers!: each face is there once in every colour."""

from collections.abc import Iterator

from tutor.book.words import Words
from tutor.games.blockers.engine import Blockers
from tutor.games.blockers.engine.board import FITS, cells
from tutor.games.blockers.engine.notation import tile_id
from tutor.lookup.piece import Piece, capital

KINDS = ("number", "letter", "symbol", "joker")
"""The faces stand in this order, nine of each kind and one joker."""


def pieces(game: Blockers, words: Words) -> Iterator[Piece]:
    for face, tile in enumerate(game.box.faces):
        kind, name = KINDS[face // 9], tile_id(tile)
        there = cells(FITS[face])
        yield Piece(
            id=f"tile-{name}",
            words=(name,),
            kind=kind,
            name=capital(words.phrase(f"piece-{kind}", tile=name)),
            text=words.phrase(f"fits-{kind}", tile=name, count=len(there)),
            count=len(game.box.colours),
            marks=() if kind == "joker" else there,
            values={
                "face": name,
                "colours": [
                    (colour, words.phrase("tile", colour=colour, tile=name)) for colour in game.box.colours
                ],
            },
        )
