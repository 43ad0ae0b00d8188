"""Addresses as pictures that phones can read."""

from functools import lru_cache

import segno

CODES_KEPT = 512


@lru_cache(CODES_KEPT)
def draw_qr(text: str) -> str:
    """An SVG."""
    made = segno.make(text, error="m")
    svg = made.svg_inline(border=2, dark="#000", light="#fff", omitsize=True, svgclass="", lineclass="")
    return svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
