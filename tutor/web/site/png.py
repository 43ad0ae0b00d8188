"""Draws one picture and ends: a program of its own, so that no page waits for it. See `preview`.

It imports nothing of the site, which would take longer than the drawing.
"""

import json
import os
import sys
from contextlib import suppress

import resvg_py

NICENESS = 15
"""Whoever reads a page comes first."""


def main() -> None:
    with suppress(OSError):  # a service may be forbidden to say so
        os.nice(NICENESS)
    wanted = json.load(sys.stdin)
    sys.stdout.buffer.write(bytes(resvg_py.svg_to_bytes(**wanted)))


if __name__ == "__main__":
    main()
