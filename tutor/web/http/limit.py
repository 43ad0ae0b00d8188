"""How often somebody may ask for what costs something. `limits` counts for all workers of a server or, where
live tables are kept in a Redis, of all servers.

Who asks is known before anything is counted: a guest of a table is counted by the guest, anybody else by the
network. So a school behind one address can join and vote, and a flood from one address refuses no other.
"""

import logging
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address, ip_network
from typing import NamedTuple

from flask import Flask, current_app, g, request
from limits import RateLimitItem, RateLimitItemPerSecond
from limits.storage import Storage
from limits.strategies import FixedWindowRateLimiter
from werkzeug.exceptions import TooManyRequests

from tutor.web.http import address, meter
from tutor.web.http.counts import SharedCounts, open_counts

log = logging.getLogger(__name__)

HOUR, DAY = 3600, 86_400
_WITH_PORT = re.compile(r"(\[.+\]|[^:]+):\d+")
"""Some proxies name the port, which is another for each connection."""
NETWORK_BITS = 56
"""The bits of an IPv6 address that one household shares."""
REDIS_PAUSE_SECONDS = 10
"""After a Redis has failed to answer, it is left alone for this long."""
API_WINDOW_SECONDS = 20
"""Seconds over which the requests of a program are counted: that many seconds' worth may come at once."""


class Limit(NamedTuple):
    """At most this many within this many seconds, for each visitor."""

    most: int
    seconds: int


LIMITS: Mapping[str, tuple[Limit, ...]] = {
    # Of a network, or of a guest who asks for the pages of a table:
    "page": (Limit(600, 10),),  # made anew; what is kept costs nothing
    "search": (Limit(300, 10),),
    "preview": (Limit(20, 60),),
    # Of a network:
    "open": (Limit(10, 60), Limit(60, DAY)),  # tables
    "open-near": (Limit(100, HOUR),),  # tables of all networks of a region, of which one may rent many
    "knock": (Limit(1000, 10),),  # looks for a table by somebody who is not at it, whether it is there or not
    "knock-near": (Limit(3000, 10),),  # the same of all networks of a region
    "wrong": (Limit(20, 60),),  # codes of no table; more of them are answered so, and right ones still let in
    "match": (Limit(20, 60), Limit(200, DAY)),  # played games that are begun
    "match-near": (Limit(300, HOUR),),
    "join": (Limit(1000, 10),),
    "seats": (Limit(1500, 60), Limit(6000, HOUR)),  # guests at one table
    "seats-near": (Limit(3000, 60),),  # the same of all networks of a region
    "acts": (Limit(4000, 10),),  # what its guests do beyond "calm", all together
    # Of a guest, or of a presenter:
    "guest": (Limit(40, 20),),
    "calm": (Limit(6, 10),),  # what a guest may do however loud the neighbours are
    "name": (Limit(6, 60),),
    "chair": (Limit(100, 10),),
    # Of a played game:
    "move": (Limit(60, 10),),
}
"""What is counted. The numbers let in a thousand phones behind one address within a few seconds."""


@dataclass
class Counts:
    """Where counts are kept: with all other machines if there is a Redis, else with the other workers."""

    here: Storage = field(default_factory=SharedCounts)
    _there: Storage | None = None
    _rests: float = 0.0
    """When a Redis that did not answer may be asked again."""

    def wait(self, live: str, item: RateLimitItem, *who: str) -> float:
        """Counts one; or says for how many seconds there may be none. `live` is where tables are kept."""
        if "://" in live and time.monotonic() >= self._rests:
            # Made when somebody first asks: no connection survives a fork.
            self._there = self._there or open_counts(live)
            try:
                return _wait(self._there, item, *who)
            except self._there.base_exceptions as error:
                self._rests = time.monotonic() + REDIS_PAUSE_SECONDS
                log.warning("limits are counted by this server alone for now: %s", error)
        return _wait(self.here, item, *who)


def _wait(storage: Storage, item: RateLimitItem, *who: str) -> float:
    limiter = FixedWindowRateLimiter(storage)
    if limiter.hit(item, *who):
        return 0.0
    return max(1.0, limiter.get_window_stats(item, *who).reset_time - time.time())


def init(app: Flask) -> None:
    app.extensions["counts"] = Counts()

    @app.before_request
    def not_too_many() -> None:
        rate = app.config["API_RATE"]
        if rate and address.is_for_programs() and request.method != "OPTIONS":
            _refuse(
                "api",
                _count(
                    "api",
                    network_of_request(),
                    Limit(max(1, round(rate * API_WINDOW_SECONDS)), API_WINDOW_SECONDS),
                ),
            )


def take(what: str, *who: str) -> None:
    """Counts one of these for the visitor, or for whoever is named; raises TooManyRequests if that is too
    much."""
    _refuse(what, _wait_for(what, *who))


def take_act(code: str, guest: str) -> None:
    """Counts what a guest does. The guest comes first: one of them cannot use up what all of a network have.
    Nor can many: whoever does little is let through."""
    take("guest", code, guest)
    if _wait_for("calm", code, guest):
        take("acts", network_of_request())


def _refuse(what: str, wait: float) -> None:
    if wait:
        meter.current.count_refusal(what)
        raise TooManyRequests(retry_after=math.ceil(wait))


def _wait_for(what: str, *who: str) -> float:
    """Counts one, or says for how many seconds there may be none."""
    scale = current_app.config["LIMITS"]
    scaled = (limit._replace(most=max(1, round(limit.most * scale))) for limit in LIMITS[what] if scale)
    waits = (_count(what, " ".join(who) or asker(), limit) for limit in scaled)
    return next(filter(None, waits), 0.0)


def _count(what: str, who: str, limit: Limit) -> float:
    counts: Counts = current_app.extensions["counts"]
    item = RateLimitItemPerSecond(limit.most, limit.seconds, "tutor")
    return counts.wait(current_app.config["LIVE"], item, what, who)


def asker() -> str:
    """Who is counted: a guest of a table whose token was found right, or else the network."""
    found: str = g.get("asker", "")
    return found or network_of_request()


def network_of_request() -> str:
    """The network that this request comes from."""
    return network(request.remote_addr or "")


def network(remote: str) -> str:
    """A whole network of IPv6, for its members change their addresses at will."""
    return _cut(remote, 32, NETWORK_BITS)


def region(remote: str) -> str:
    """All that one may rent beside each other."""
    return _cut(remote, 24, 48)


def _cut(remote: str, of_ipv4: int, of_ipv6: int) -> str:
    """The first bits of an address."""
    named = _WITH_PORT.fullmatch(remote)
    try:
        found = ip_address((named[1] if named else remote).strip("[]"))
    except ValueError:
        return remote  # a socket has no address
    if isinstance(found, IPv6Address) and found.ipv4_mapped:
        found = found.ipv4_mapped
    bits = of_ipv6 if isinstance(found, IPv6Address) else of_ipv4
    return str(ip_network((found, bits), strict=False).network_address)
