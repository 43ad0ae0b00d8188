"""A board as a picture file, for programs that show a preview of a link and can draw neither SVG nor styles.

It is the drawing of the page; what the page takes from other files (pictures, pieces, styles) is put in. To
draw it takes longer than to make any page, so another program does that.
"""

import json
import logging
import re
import subprocess  # nosec B404  # our own program, with nothing in its command line that anybody typed
import sys
from base64 import b64encode
from functools import cache
from pathlib import Path

from flask import current_app
from werkzeug.exceptions import ServiceUnavailable

from tutor.draw.drawing import Drawing
from tutor.paths import STATIC
from tutor.web.http.files import SHEETS

log = logging.getLogger(__name__)

WIDTH, HEIGHT, MARGIN = 1200, 630, 24
"""What previews have room for."""
BACKGROUND = "#dfe5dd"
FONT, FAMILY = STATIC / "vendor" / "SourceSansPro-Bold.otf", "Source Sans Pro"
"""Carried along: a server may have no font at all, and then numbers and letters would be missing."""
HEADERS = (("Content-Type", "image/png"), ("Cross-Origin-Resource-Policy", "cross-origin"))
FOR_A_DAY = ("Cache-Control", "public, max-age=86400")
PROGRAM = Path(__file__).with_name("png.py")
MOST_PICTURES_AT_ONCE = 2
"""Pictures that a worker has drawn at the same time. Programs that preview links come back."""
PICTURE_TIMEOUT_SECONDS = 10
"""Seconds that a picture may take."""

_SVG = re.compile(r"<svg\b|</svg>")
_IMAGE = re.compile(r'<image href="[^"]*/(?P<name>[\w-]+)\.svg[^"]*"')
_USE = re.compile(r'<use href="[^"]*/(?P<name>[\w-]+)\.svg[^"#]*#')
_RULE = re.compile(r"^([^\s@/{][^{\n]*)\{([^}\n]*(?<![\w-])(?:fill|stroke|color: #)[^}\n]*)\}", re.MULTILINE)
_LINK = re.compile(r"</?a\b[^>]*>")
_FILTER = re.compile(r"filter: [^;}]*;?")
"""A shadow around each cross takes ten times as long as all the rest."""
_VALUE = re.compile(r"(--[\w-]+): ([^;]+);")


def picture(drawing: Drawing, html: str) -> str:
    """The board of a table, which a template has drawn, as an SVG that needs nothing else but styles."""
    board = _IMAGE.sub(lambda found: f'<image href="{_embed(drawing, found["name"])}"', _board(html))
    pieces = {found["name"] for found in _USE.finditer(board)}
    defs = _with_fonts("".join(_inside(drawing.picture(name)) for name in pieces))
    box = f'x="{MARGIN}" y="{MARGIN}" width="{WIDTH - 2 * MARGIN}" height="{HEIGHT - 2 * MARGIN}"'
    board = _USE.sub('<use href="#', board).replace("<svg", f"<svg {box}", 1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{BACKGROUND}"/>{defs}{board}</svg>'
    )


def png(svg: str) -> bytes:
    """The picture in dots. Raises ServiceUnavailable while others are drawn, or if it takes too long."""
    wanted = {
        "svg_string": svg,
        "style_sheet": _styles(),
        "font_files": [str(FONT)],
        "font_family": FAMILY,
        "skip_system_fonts": True,
    }
    drawn: list[str] = current_app.extensions["previews"]
    if len(drawn) >= MOST_PICTURES_AT_ONCE:
        raise ServiceUnavailable(retry_after=1)
    drawn.append(svg)
    try:
        command = [sys.executable, "-P", str(PROGRAM)]  # not with the folder of the site before the library
        run = subprocess.run(  # nosec B603
            command,
            input=json.dumps(wanted).encode(),
            capture_output=True,
            timeout=PICTURE_TIMEOUT_SECONDS,
            check=True,
        )
    except (subprocess.SubprocessError, OSError) as error:
        log.warning("no preview was drawn: %s", type(error).__name__)
        raise ServiceUnavailable(retry_after=PICTURE_TIMEOUT_SECONDS) from None
    finally:
        drawn.remove(svg)
    return run.stdout


def _board(html: str) -> str:
    """The first board of a page, with all that is inside it; our own sign if the game has no drawing."""
    start, depth = html.find('<svg class="board'), 0
    if start < 0:
        return (STATIC / "icon.svg").read_text()
    for tag in _SVG.finditer(html, start):
        depth += 1 if tag[0] == "<svg" else -1
        if not depth:
            return _LINK.sub("", html[start : tag.end()])
    raise ValueError("the board has no end")


def _embed(drawing: Drawing, name: str) -> str:
    """A fixed picture inside an address, so that its styles stay its own."""
    picture = _with_fonts(drawing.picture(name))
    return f"data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}"


def _with_fonts(text: str) -> str:
    return re.sub(r"system-ui, ?sans-serif", FAMILY, text)


def _inside(picture: str) -> str:
    return picture[picture.index(">") + 1 : picture.rindex("</svg>")]


@cache
def _styles() -> str:
    """The games' own rules for what is drawn on their boards, by day."""
    values = dict(_VALUE.findall((STATIC / "style.css").read_text().partition("}")[0]))
    sheets = "".join(sheet.read_text() for sheet in SHEETS)
    found = ((selector, _FILTER.sub("", style)) for selector, style in _RULE.findall(sheets))
    rules = "\n".join(f"{selector}{{{style}}}" for selector, style in found)
    return re.sub(r"var\((--[\w-]+)\)", lambda found: values[found[1]], _with_fonts(rules))
