"""A position as one value of an address: the engine's own notation, or the same packed where that is shorter.

It begins with a version, so that a link that somebody keeps can be told from one that was cut or mistyped.
"""

import re
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from urllib.parse import quote_plus

from tutor.rules.errors import InvalidPosition, Typed

PLAIN, PACKED = "1.", "1z"
"""How a text of this version begins, as it is and packed."""
SAFE = "=:,@/;"
"""What may stand in a query as it is. The rest is escaped: chat programs end a link before `?` or `*`."""
LONGEST_PACKED_CHARS = 1600
"""So that moves and choices still have room beside it in an address."""
LONGEST_TEXT_CHARS = 8000
"""No engine writes longer ones; what unpacks to more is not a position."""

_VERSION = re.compile(r"([0-9]{1,3})[.z]")


def pack(text: str) -> str:
    """The shorter form of a position's text. Raises InvalidPosition for one that no address can hold."""
    plain = PLAIN + text
    packed = PACKED + urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")
    found = min(plain, packed, key=lambda form: len(escape(form)))
    if len(escape(found)) > LONGEST_PACKED_CHARS:
        raise InvalidPosition("position.long", length=len(escape(found)), most=LONGEST_PACKED_CHARS)
    return found


def unpack(value: str) -> str:
    """The text of a position. Raises InvalidPosition for what was damaged or made by another version."""
    version = _VERSION.match(value)
    if version is None:
        raise InvalidPosition("link.damaged")
    if version[1] != PLAIN[0]:
        raise InvalidPosition("link.version", value=Typed(version[1]))
    if value.startswith(PLAIN):
        return value.removeprefix(PLAIN)
    try:
        data = urlsafe_b64decode(value.removeprefix(PACKED) + "===")
        reader = zlib.decompressobj()
        text = reader.decompress(data, LONGEST_TEXT_CHARS).decode()
    except (ValueError, zlib.error):
        raise InvalidPosition("link.damaged") from None
    if not reader.eof or reader.unused_data:
        raise InvalidPosition("link.damaged")
    return text


def escape(value: str) -> str:
    """The value as it stands in an address, which ends in a letter or digit."""
    found = quote_plus(value, safe=SAFE)
    return found if found[-1:].isalnum() else found[:-1] + "".join(f"%{ord(end):02X}" for end in found[-1:])
