"""Tells a slip of the hand or the ear from another word that only looks like it."""

from itertools import chain, pairwise

from rapidfuzz.distance import Levenshtein

LONG = 6
"""Letters of a word that hardly is another one by chance, whichever of them is wrong but the first."""
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_BESIDE = chain.from_iterable(map(pairwise, _KEYS))
_ABOVE = (
    pair
    for row, below in pairwise(_KEYS)
    for above in (row, row[1:])
    for pair in zip(above, below, strict=False)
)
_SOUND = "ck cq kq ks kx cs cx cz sx sz xz bv bp dt fv gj hj ij iy jy mn uw vw"
ALIKE = frozenset(map(frozenset, (*_BESIDE, *_ABOVE, *_SOUND.split())))
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
