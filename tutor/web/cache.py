"""Remembers finished pages. A page is a function of its address, so the address is the key."""

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from hashlib import blake2b
from typing import ParamSpec

from flask import Response, current_app, request
from werkzeug.wrappers import Response as AnyResponse

from tutor.web import hx

MOST_PAGES = 1000
MAX_QUERY = 20  # whole paths are remembered; the endless addresses of a learner's own moves are not

P = ParamSpec("P")


def remembered(view: Callable[P, str | AnyResponse]) -> Callable[P, AnyResponse]:
    """A view that makes a page out of its address alone."""

    @wraps(view)
    def answer(*args: P.args, **kwargs: P.kwargs) -> AnyResponse:
        pages: OrderedDict[object, tuple[bytes, str]] = current_app.extensions.setdefault(
            "pages", OrderedDict()
        )
        key = (request.full_path, hx.wants_fragment(), request.host_url)
        found = pages.get(key)
        if found is None:
            made = view(*args, **kwargs)
            if not isinstance(made, str):
                return made  # a redirect
            body = made.encode()
            found = body, blake2b(body, digest_size=12).hexdigest()
            if len(request.query_string) <= MAX_QUERY:
                pages[key] = found
                if len(pages) > MOST_PAGES:
                    pages.popitem(last=False)
        body, etag = found
        response = Response(body, mimetype="text/html")
        response.set_etag(etag)
        response.cache_control.no_cache = True
        return response.make_conditional(request)

    return answer
