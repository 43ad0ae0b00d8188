"""The names that guests give themselves: letters of any script, and no tricks."""

import re
import unicodedata

LONGEST_NAME_LETTERS = 24
"""Letters, each with its accents and vowel signs."""
MOST_MARKS = 3
"""On one letter; no language needs more."""
_PLAIN = re.compile(r"[\w .,'’!?+&()-]")
_UNSEEN = frozenset(
    chr(code)
    for first, last in (
        (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
        (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F),
        (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
    )
    for code in range(first, last + 1)
)  # fmt: skip
"""What Unicode says is not drawn; some of it counts as letters."""


def plain_name(text: str) -> str:
    """A name that fits a list; empty if nothing of it could be seen."""
    letters: list[str] = []
    for one in unicodedata.normalize("NFC", " ".join(text[: 8 * LONGEST_NAME_LETTERS].split())):
        if one in _UNSEEN:
            continue
        if unicodedata.category(one).startswith("M"):
            if letters and letters[-1] != " " and len(letters[-1]) <= MOST_MARKS:
                letters[-1] += one
        elif _PLAIN.fullmatch(one) and (one != " " or (letters and letters[-1] != " ")):
            letters.append(one)
    name = "".join(letters[:LONGEST_NAME_LETTERS]).strip()
    return name if any(one.isalnum() for one in name) else ""
