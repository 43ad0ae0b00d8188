"""What an address says beside its path: each page knows a few parameters, and all others are ignored."""

import re
from functools import lru_cache
from urllib.parse import quote, quote_plus, urlencode, urlsplit

from flask import current_app, g, request, url_for

from tutor.book.words import LANGUAGES
from tutor.live.tables import code_of
from tutor.referee import packed

ATTEMPT = ("help", "pick", "said", "moves", "choice", "check")
"""What a reader has tried on a screen: such addresses have no end, so crawlers are asked to keep out."""
REFEREE = ("at", "see", "seat", "list", "edit", "do", "moves", "pick", "try", "ruling", "cast")
"""A position, who looks at it, what is done there, and the question or example that it came from."""
TRIED = (*ATTEMPT, *(name for name in REFEREE if name not in (*ATTEMPT, "at", "try", "cast")))
"""What crawlers are asked to keep out of. A position, with a move asked about, is what people share in chats,
and their programs may look at it."""
PLAN = ("plan", "also")
"""Which screens are presented, and the second language on the screen."""
LOCAL = ("also", "votes", "pointing")
"""What a presenter's own screen shows beside the beat: a second language, the votes, places to point at."""
_HOST = re.compile(r"[\w.-]+(:\d+)?|\[[\da-f:.]+\](:\d+)?", re.ASCII | re.IGNORECASE)
API = "/api/"
"""Below this, answers are JSON, and so are errors."""
HEALTH = ("/healthz", "/readyz")
"""For programs that monitor the server, under any host name."""
LONGEST_SHOWN_CHARS = 300
PARAMETERS = {
    "compare.page": ("with",),
    "glossary.one": ("game",),
    "learn.screen": ATTEMPT,
    "referee.page": REFEREE,
    "rulings.one": tuple(name for name in REFEREE if name not in ("edit", "do", "ruling", "cast")),
    "referee.shared": ("at", "try", "cast"),
    "referee.picture": ("at",),
    "pages.picture": ("v",),
    "search.page": ("q", "game"),
    "teach.plan": PLAN,
    "teach.screen": (*PLAN, *ATTEMPT),
    "teach.notes": (*PLAN, *ATTEMPT),
    "teach.answers": (*PLAN, "q", "back"),
    "live.join": ("code",),
    "play.match": ("seat", "show", "pick", "try"),
    "chair.present": LOCAL,
    "chair.notes": LOCAL,
}
"""The parameters of each endpoint, in the order in which our own links give them."""

_quoted = lru_cache(4096)(quote_plus)
"""The moves and picks of boards: some ninety for a page, nearly always the same ones."""
LONGEST_KEPT_CHARS = 80
"""Longer texts were typed, or are too rare to be worth keeping."""


def quote_part(text: str) -> str:
    return _quoted(text) if len(text) <= LONGEST_KEPT_CHARS else quote_plus(text)


def query() -> str:
    """The part of the query that the page knows, always in the same order."""
    if "query" not in g:
        g.query = _query()
    known: str = g.query
    return known


def _query() -> str:
    names = PARAMETERS.get(request.endpoint or "", ())
    if not names or not request.query_string:
        return ""
    return urlencode(
        [(name, value) for name in names for value in request.args.getlist(name)], safe=packed.SAFE
    )


def site() -> str:
    """Where this reader has found us, or the address that the site says it has."""
    known: str = current_app.config["URL"]
    return known or requested_site()


def requested_site() -> str:
    """The scheme and host by which we were asked; `security` has seen to it that the host is one."""
    scheme = "https" if request.is_secure else "http"
    return f"{scheme}://{request.environ.get('HTTP_HOST') or request.host}{request.root_path}"


def is_only_here() -> bool:
    """Whether this address works on this machine only."""
    name = urlsplit(site()).hostname or ""
    return name in ("localhost", "::1") or name.startswith("127.")


def number(text: str) -> int:
    """A whole number that an address or form says; 0 for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def is_for_programs() -> bool:
    """Whether the request is one to the API."""
    return request.path.startswith(API)


def mask_path(path: str) -> str:
    """A path as it may be written down: in one word, and without the codes of live tables, which let in."""
    parts = path.split("/")
    masked = (
        "*" if one and (before in ("t", "T") or code_of(one)) else one
        for before, one in zip(["", *parts], parts, strict=False)
    )
    return quote("/".join(masked)[:LONGEST_SHOWN_CHARS], safe="/*:@!$&'()+,;=", errors="replace")


def same_page(lang: str, bare: bool = False) -> str:
    """The address of this page in another language: same screen, same moves (none if `bare`)."""
    if not request.endpoint or "lang" not in (request.view_args or {}):
        return url_for("pages.home", lang=lang)
    path = url_for(request.endpoint, **{**(request.view_args or {}), "lang": lang})
    known = "" if bare else query()
    return f"{path}?{known}" if known else path


def whole_links() -> str:
    """A header with the whole address of this page and of the same in every language, for search engines.

    The page itself names a host only if the site knows its own: it is kept for whoever asks, by any name.
    """
    own_lang = (request.view_args or {}).get("lang", "")
    if current_app.config["URL"] or not own_lang or not _HOST.fullmatch(request.host):
        return ""
    here = requested_site()
    own = f'<{here}{same_page(own_lang, bare=True)}>; rel="canonical"'
    each = (f'<{here}{same_page(lang, bare=True)}>; rel="alternate"; hreflang="{lang}"' for lang in LANGUAGES)
    return ", ".join((own, *each))


def home_page(lang: str, bare: bool = False) -> str:
    """The language links of a page that has no address of its own."""
    return url_for("pages.home", lang=lang)
