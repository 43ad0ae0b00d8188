"""Remembers finished pages. A page is a function of its address, so the address is the key."""

import gzip
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from hashlib import blake2b
from typing import ParamSpec

from flask import Response, current_app, request
from werkzeug.wrappers import Response as AnyResponse

from tutor.web import hx
from tutor.web.security import HEADERS

MOST_PAGES = 1000
WORTH_KEEPING = (b"", b"path=full")
"""Queries of pages that many readers ask for; the endless addresses of own moves are not kept."""

P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Remembered:
    """A page as it goes out: plain and packed, each with all its headers."""

    plain: bytes
    packed: bytes
    etag: str
    headers: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, page: str) -> "Remembered":
        plain = page.encode()
        etag = f'"{blake2b(plain, digest_size=12).hexdigest()}"'
        headers = (
            ("Content-Type", "text/html; charset=utf-8"),
            ("Cache-Control", "no-cache"),
            ("ETag", etag),
            ("Vary", "Accept-Encoding, HX-Request"),
            *HEADERS.items(),
        )
        return cls(plain, gzip.compress(plain, 6, mtime=0), etag, headers)

    def answer(self) -> Response:
        if request.headers.get("If-None-Match") == self.etag:
            return Response(status=304, headers=list(self.headers))
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            return Response(self.packed, headers=[*self.headers, ("Content-Encoding", "gzip")])
        return Response(self.plain, headers=list(self.headers))


def remembered(view: Callable[P, str | AnyResponse]) -> Callable[P, AnyResponse]:
    """A view that makes a page out of its address alone."""

    @wraps(view)
    def answer(*args: P.args, **kwargs: P.kwargs) -> AnyResponse:
        pages: OrderedDict[object, Remembered] = current_app.extensions.setdefault("pages", OrderedDict())
        key = (request.full_path, hx.wants_fragment(), request.host)
        found = pages.get(key)
        if found is None:
            made = view(*args, **kwargs)
            if not isinstance(made, str):
                return made  # a redirect
            found = Remembered.of(made)
            if request.query_string in WORTH_KEEPING:
                pages[key] = found
                if len(pages) > MOST_PAGES:
                    pages.popitem(last=False)
        return found.answer()

    return answer
