"""What goes out is packed and labelled once. Finished pages are kept: a page is a function of its address."""

import gzip
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, wraps
from hashlib import blake2b
from operator import itemgetter
from threading import Lock
from typing import ParamSpec, TypeVar

import msgspec
from cachetools import LRUCache
from flask import Flask, Response, current_app, request
from werkzeug.http import parse_accept_header
from werkzeug.wrappers import Response as AnyResponse

from tutor.book.words import LANGUAGES
from tutor.web.http import address, hx, limit, meter
from tutor.web.http.security import HEADERS

PAGES_BYTES = 32 * 1024 * 1024
LONGEST_ACCEPTED_CHARS = 200
OVERHEAD_BYTES = 2048
"""About what a kept page costs beside its bytes and what stands in its address."""
WORTH_KEEPING = ("", "said=y", "said=n", *(f"with={lang}" for lang in LANGUAGES))
"""Queries of pages that many readers ask for."""
TRIED_BYTES = 8 * 1024 * 1024
"""For answers to own moves, and as much for previews. A class clicks on the same few places, but such
addresses have no end, so they are kept apart: they push out each other, never a page that many ask for."""

P = ParamSpec("P")
T = TypeVar("T")
Header = tuple[str, str]


def takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header allows gzip; `gzip;q=0` does not. No browser's header is long."""
    return len(accepted) <= LONGEST_ACCEPTED_CHARS and _takes_gzip(accepted)


@lru_cache(maxsize=256)
def _takes_gzip(accepted: str) -> bool:
    return bool(parse_accept_header(accepted).quality("gzip") > 0)


@dataclass(frozen=True, slots=True)
class Body:
    """Bytes with all their headers, held packed if that is shorter; each encoding has an ETag of its own."""

    data: bytes
    packed: bool
    hash: str
    headers: tuple[Header, ...]

    @classmethod
    def of(cls, plain: bytes, headers: Iterable[Header], level: int = 9) -> "Body":
        digest = blake2b(plain, digest_size=8).hexdigest()
        data = gzip.compress(plain, level, mtime=0)
        packed = len(data) < len(plain)
        carried = HEADERS | {"Vary": "Accept-Encoding"} | dict(headers)
        return cls(data if packed else plain, packed, digest, tuple(carried.items()))

    def answer(self, *more: Header, status: int = 200) -> Response:
        """The answer to this request: packed or not, or 304 if the reader has it already."""
        headers = [*self.headers, *more]
        if not self.packed:
            data, tag = self.data, self.hash
        elif takes_gzip(request.headers.get("Accept-Encoding", "")):
            data, tag = self.data, f"{self.hash}-gzip"
            headers.append(("Content-Encoding", "gzip"))
        else:  # rare, so that the plain form need not be held
            data, tag = gzip.decompress(self.data), self.hash
        if status != 200:
            return Response(data, status, headers)
        answer = Response(data, headers=[*headers, ("ETag", f'"{tag}"')])
        if "If-None-Match" in request.headers:
            answer.make_conditional(request)
        return answer


def page(html: str, *, vary: str = "", level: int = 6) -> Body:
    """The body of a page. Browsers ask each time whether it has changed."""
    also = f", {vary}" if vary else ""
    return Body.of(
        html.encode(),
        (
            ("Content-Type", "text/html; charset=utf-8"),
            ("Cache-Control", "no-cache"),
            ("Vary", f"Accept-Encoding, {hx.VARY}{also}"),
        ),
        level,
    )


def answer_fresh(html: str) -> Response:
    """An answer that is never cached."""
    headers = (("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"))
    return Body.of(html.encode(), headers, level=1).answer()


def json(made: object, lang: str) -> Body:
    """The body of an answer to a program, in which no browser could ever find a tag."""
    return Body.of(
        msgspec.json.encode(made).replace(b"<", b"\\u003c"),
        (
            ("Content-Type", "application/json"),
            ("Content-Language", lang),
            ("Vary", "Accept-Encoding, Accept-Language"),
        ),
        level=1,
    )


class Pages:
    """The pages that were asked for last, up to a number of bytes."""

    def __init__(self, most_bytes: int = PAGES_BYTES) -> None:
        self._kept: LRUCache[object, tuple[int, Body]] = LRUCache(most_bytes, getsizeof=itemgetter(0))
        self._lock = Lock()

    @property
    def bytes(self) -> float:
        return self._kept.currsize

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: object) -> Body | None:
        with self._lock:
            found = self._kept.get(key)
        return found[1] if found else None

    def put(self, key: object, body: Body) -> None:
        """About what it takes to keep a page is counted: anything may stand in its address."""
        room = len(body.data) + len(repr(key)) + OVERHEAD_BYTES
        with self._lock, suppress(ValueError):  # one page alone is too large
            self._kept.setdefault(key, (room, body))


def init(app: Flask) -> None:
    app.extensions["pages"] = Pages()
    app.extensions["tried"] = Pages(TRIED_BYTES)
    app.extensions["drawn"] = Pages(TRIED_BYTES)
    app.extensions["previews"] = []
    app.extensions["aside"] = lambda work, line="": work()


def aside(work: Callable[[], T], what: str = "page") -> T:
    """Does slow work where it holds nobody up, and counts it against the visitor: see `limit`."""
    limit.take(what)
    made: T = current_app.extensions["aside"](work)
    return made


def pages_for(tried: bool = False) -> Pages:
    found: Pages = current_app.extensions["tried" if tried else "pages"]
    return found


def keep_page(view: Callable[P, str | AnyResponse]) -> Callable[P, AnyResponse]:
    """A view that makes a page out of its arguments and the known part of the query alone."""
    return keep_page_by()(view)


def keep_page_by(
    vary: str = "", what: str = "page"
) -> Callable[[Callable[P, str | AnyResponse]], Callable[P, AnyResponse]]:
    """`keep_page`, for a page that also follows other headers (what it takes from them is an argument), or
    that is counted as something else."""

    def decorate(view: Callable[P, str | AnyResponse]) -> Callable[P, AnyResponse]:
        @wraps(view)
        def answer(*args: P.args, **kwargs: P.kwargs) -> AnyResponse:
            query = address.query()
            key = (view, args, tuple(kwargs.items()), query, hx.wants_fragment())
            # What a cookie says has no end either, nor has the name of a host that somebody makes up.
            named = kwargs.get("site", "") != current_app.config["URL"] and "site" in kwargs
            tried = query not in WORTH_KEEPING or bool(kwargs.get("helped") or kwargs.get("playing")) or named
            pages = pages_for(tried)
            found = pages.get(key)
            meter.current.page(kept=found is not None)
            if found is None:

                def make() -> Body | AnyResponse:
                    # Others may have asked for the same page while this one waited for its turn.
                    done = pages.get(key)
                    if done is not None:
                        return done
                    made = view(*args, **kwargs)
                    if not isinstance(made, str):
                        return made  # a redirect
                    body = page(made, vary=vary, level=1 if tried else 6)
                    pages.put(key, body)
                    return body

                made = aside(make, what)
                if not isinstance(made, Body):
                    return made
                found = made
            links = "" if hx.wants_fragment() else address.whole_links()
            return found.answer(*([("Link", links)] if links else []))

        return answer

    return decorate
