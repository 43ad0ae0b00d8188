"""How much one address may ask of the API: a bucket of requests that fills up again as time passes."""

import math
import time
from collections import OrderedDict
from ipaddress import IPv6Address, ip_address
from threading import Lock

from flask import Flask, request
from werkzeug.exceptions import TooManyRequests

from tutor.web import address

BURST = 20
"""So many seconds' worth may be asked for at once."""
MOST_KNOWN = 10_000
"""Addresses; whoever was away longest has a full bucket by then."""
NETWORK = 56
"""The bits of an IPv6 address that one household shares."""


class Buckets:
    """One for each address. Each worker has its own, so several of them let through that much more."""

    def __init__(self) -> None:
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def wait(self, who: str, rate: float, now: float, *, most: float = 0, take: bool = True) -> float:
        """Takes one request, or only looks; or says for how many seconds there is none. So many as `most` may
        be asked for at once."""
        most = most or max(rate * BURST, 1)
        with self._lock:
            left, before = self._left.pop(who, (most, now))
            left = min(most, left + (now - before) * rate)
            self._left[who] = (left - 1 if take and left >= 1 else left, now)
            if len(self._left) > MOST_KNOWN:
                self._left.popitem(last=False)
        return 0 if left >= 1 else (1 - left) / rate


def network(remote: str) -> str:
    """Who asks: a whole network of IPv6, for its members change their addresses at will."""
    try:
        found = ip_address(remote)
    except ValueError:
        return remote  # a socket has no address
    if isinstance(found, IPv6Address) and not found.ipv4_mapped:
        return str(int(found) >> 128 - NETWORK)
    return str(getattr(found, "ipv4_mapped", None) or found)


def init(app: Flask) -> None:
    app.extensions["buckets"] = Buckets()

    @app.before_request
    def not_too_many() -> None:
        rate = app.config["API_RATE"]
        if not rate or not address.for_programs() or request.method == "OPTIONS":
            return
        if wait := app.extensions["buckets"].wait(network(request.remote_addr or ""), rate, time.monotonic()):
            raise TooManyRequests(retry_after=math.ceil(wait))
