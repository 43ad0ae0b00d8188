"""What an address says beside its path: each page knows a few parameters, and all others are ignored."""

from functools import lru_cache
from urllib.parse import quote_plus, urlencode, urlsplit

from flask import current_app, g, request, url_for

from tutor.teach import packed

ATTEMPT = ("help", "pick", "said", "moves", "choice", "check")
"""What a reader has tried on a screen: such addresses have no end, so crawlers are asked to keep out."""
REFEREE = ("at", "see", "seat", "list", "edit", "do", "moves", "pick", "try", "ruling")
"""A position, who looks at it, what is done there, and the question that it came from."""
TRIED = (*ATTEMPT, *(name for name in REFEREE if name not in (*ATTEMPT, "at", "try")))
"""What crawlers are asked to keep out of. A position, with a move asked about, is what people share in chats,
and their programs may look at it."""
PLAN = ("plan", "also")
"""Which screens are presented, and the second language on the screen."""
LOCAL = ("also", "votes", "pointing")
"""What a presenter's own screen shows beside the beat: a second language, the votes, places to point at."""
API = "/api/"
"""Below this, answers are JSON, and so are errors."""
KNOWN = {
    "compare.page": ("with",),
    "glossary.one": ("game",),
    "learn.step": ATTEMPT,
    "referee.page": REFEREE,
    "rulings.one": tuple(name for name in REFEREE if name not in ("edit", "do", "ruling")),
    "referee.shared": ("at", "try"),
    "referee.picture": ("at",),
    "pages.picture": ("v",),
    "search.page": ("q", "game"),
    "teach.plan": PLAN,
    "teach.step": (*PLAN, *ATTEMPT),
    "teach.notes": (*PLAN, *ATTEMPT),
    "teach.answers": (*PLAN, "q", "back"),
    "live.join": ("code",),
    "chair.present": LOCAL,
    "chair.notes": LOCAL,
}
"""The parameters of each endpoint, in the order in which our own links give them."""

quoted = lru_cache(4096)(quote_plus)
"""The moves and picks of boards: some ninety for a page, nearly always the same ones."""


def query() -> str:
    """The part of the query that the page knows, always in the same order."""
    if "query" not in g:
        g.query = _query()
    known: str = g.query
    return known


def _query() -> str:
    names = KNOWN.get(request.endpoint or "", ())
    if not names or not request.query_string:
        return ""
    return urlencode(
        [(name, value) for name in names for value in request.args.getlist(name)], safe=packed.SAFE
    )


def site() -> str:
    """Where this reader has found us, or the address that the site says it has."""
    known: str = current_app.config["URL"]
    return known or request.host_url.rstrip("/")


def only_here() -> bool:
    """Whether no other machine can find us at that address."""
    name = urlsplit(site()).hostname or ""
    return name in ("localhost", "::1") or name.startswith("127.")


def number(text: str) -> int:
    """A whole number that an address or form says; 0 for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def for_programs() -> bool:
    """Whether the request is one to the API."""
    return request.path.startswith(API)


def same_page(lang: str, bare: bool = False) -> str:
    """The address of this page in another language: same step, same moves (none if `bare`)."""
    if not request.endpoint or "lang" not in (request.view_args or {}):
        return url_for("pages.home", lang=lang)
    path = url_for(request.endpoint, **{**(request.view_args or {}), "lang": lang})
    known = "" if bare else query()
    return f"{path}?{known}" if known else path


def home_page(lang: str, bare: bool = False) -> str:
    """The language links of a page that has no address of its own."""
    return url_for("pages.home", lang=lang)
