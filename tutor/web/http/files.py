"""Fixed files: those of `static` and the games' pictures. An address carries the hash of what it brings,
so that browsers may keep it for a year; an address with another hash, or none, is asked for again soon.
"""

import mimetypes
import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from flask import Flask, Response, abort, current_app

from tutor.paths import GAMES, STATIC
from tutor.web.http.cache import Body
from tutor.web.http.cookies import YEAR_SECONDS
from tutor.web.http.shelf import shelf

FOR_GOOD = ("Cache-Control", f"public, max-age={YEAR_SECONDS}, immutable")
FOR_NOW = ("Cache-Control", "public, no-cache")
HASHED = re.compile(r"(.+)\.([0-9a-f]{16})(\.\w+)")
"""`style.0123456789abcdef.css`"""
SHEETS = tuple(sorted(GAMES.glob("*/table/style.css")))
"""What of the style sheet is of one game, in the game's room."""


class Files:
    """The files of a folder, each packed when it is first asked for and again when it has changed. Some go on
    in other files, and are sent as one."""

    def __init__(self, folder: Path, more: Mapping[str, tuple[Path, ...]] | None = None) -> None:
        # Only these names are answered, so no address can lead out of the folder.
        found = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
        self.paths = {name: (path, *(more or {}).get(name, ())) for name, path in found.items()}
        self._made: dict[str, tuple[list[int], Body]] = {}

    def body(self, name: str) -> Body | None:
        paths = self.paths.get(name, ())
        if not paths or not all(path.exists() for path in paths):
            return None
        changed = [path.stat().st_mtime_ns for path in paths]
        if name not in self._made or self._made[name][0] != changed:
            mimetype = mimetypes.guess_type(name)[0] or "application/octet-stream"
            text = mimetype.startswith("text/") or mimetype.endswith(("javascript", "xml"))
            kind = f"{mimetype}; charset=utf-8" if text else mimetype
            body = Body.of(b"".join(path.read_bytes() for path in paths), [("Content-Type", kind)])
            self._made[name] = changed, body
        return self._made[name][1]

    def add_hash(self, name: str) -> str:
        """The name that goes into an address: `style.css` becomes `style.0123456789abcdef.css`."""
        body = self.body(name)
        stem, dot, suffix = name.rpartition(".")
        return f"{stem}.{body.hash}{dot}{suffix}" if body and dot else name

    def answer(self, filename: str) -> Response:
        match = HASHED.fullmatch(filename)
        name, asked = (match[1] + match[3], match[2]) if match else (filename, "")
        body = self.body(name)
        if body is None:
            abort(404)
        return body.answer(FOR_GOOD if asked == body.hash else FOR_NOW)


def picture(game: str, name: str) -> Body | None:
    """A fixed picture of a game, drawn once; None if there is none of that name."""
    drawing = shelf().drawings.get(game)
    if drawing is None or name not in drawing.pictures:
        return None
    drawn: dict[tuple[str, str], Body] = current_app.extensions["pictures"]
    if (game, name) not in drawn:
        svg = drawing.picture(name)
        style = svg.partition("<style>")[2].partition("</style>")[0]
        digest = b64encode(sha256(style.encode()).digest()).decode()
        drawn[game, name] = Body.of(
            svg.encode(),
            [
                ("Content-Type", "image/svg+xml; charset=utf-8"),
                ("Content-Security-Policy", f"default-src 'none'; style-src 'sha256-{digest}'"),
            ],
        )
    return drawn[game, name]


def init(app: Flask) -> None:
    files = Files(STATIC, {"style.css": SHEETS})
    app.extensions["pictures"] = {}
    app.add_url_rule("/static/<path:filename>", "static", files.answer)

    @app.url_defaults
    def give_hash(endpoint: str, values: dict[str, str]) -> None:
        """Templates name a file or a picture; its hash is added here."""
        if endpoint == "static":
            values["filename"] = files.add_hash(values["filename"])
        elif endpoint == "pages.picture":
            body = picture(values["game"], values["name"])
            values["v"] = body.hash if body else ""
