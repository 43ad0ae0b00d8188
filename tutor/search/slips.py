"""Tells a slip of the hand or the ear from another word that only looks like it."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rapidfuzz.distance import Levenshtein

from tutor.book.particulars import Particulars, particular_to
from tutor.book.words import LANGUAGES

LONG = 6
"""Letters of a word that hardly is another one by chance, whichever of them is wrong but the first."""


def _touching(keyboard: Sequence[str]) -> Iterator[tuple[str, str]]:
    for row in keyboard:
        yield from pairwise(row)
    for row, below in pairwise(keyboard):
        yield from (*zip(row, below, strict=False), *zip(row[1:], below, strict=False))


def _alike(own: Particulars) -> Iterator[frozenset[str]]:
    yield from map(frozenset, (*_touching(own.keyboard), *own.sounds.split()))


ALIKE = frozenset(pair for lang in LANGUAGES for pair in _alike(particular_to(lang)))
"""Letters of which one is typed for the other: their keys touch, or they sound the same."""


def is_slip(typed: str, meant: str) -> bool:
    """Whether one word may have been typed for the other.

    Nobody gets the beginning wrong by chance, nor a letter of a short word that is far from the right one.
    """
    for slip in Levenshtein.editops(typed, meant):
        at = slip.src_pos
        if at and len(typed) >= LONG:
            continue
        if slip.tag == "replace":
            if {typed[at], meant[slip.dest_pos]} not in ALIKE:
                return False
        elif at == 0 and len(typed) < LONG:
            return False
    return True
