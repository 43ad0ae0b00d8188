"""Who is believed. A proxy says by headers from whom a request came, how, and which one it is; from anybody
else such headers are taken out before anything reads them.

The Host is not among them: a proxy passes on the one that it was asked for, see TUTOR_HOSTS.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING

from werkzeug.middleware.proxy_fix import ProxyFix

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

HERE = "1"
"""A proxy on this machine."""
LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
SOCKET = ""
"""The peer address of a connection by a Unix socket."""
CLAIMS = (
    "HTTP_FORWARDED", "HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_HOST", "HTTP_X_FORWARDED_PORT",
    "HTTP_X_FORWARDED_PREFIX", "HTTP_X_FORWARDED_PROTO", "HTTP_X_REQUEST_ID",
)  # fmt: skip
PEERS_KEPT = 1024
"""Addresses for which it is remembered whether they are a proxy."""


@dataclass(frozen=True)
class Proxies:
    """The networks whose word counts."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    sockets: bool = False

    @classmethod
    def parse(cls, text: str) -> "Proxies":
        """By addresses and networks with commas between them. Raises ValueError for what is neither."""
        names = [name.strip() for name in text.split(",") if name.strip() not in ("", "0")]
        others = [_network(name) for name in names if name != HERE]
        here = HERE in names
        return cls((*others, *(LOOPBACK if here else ())), sockets=here)

    def __contains__(self, remote: object) -> bool:
        return _is_believed(self, str(remote))


def _network(name: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(name)
    except ValueError as wrong:
        raise ValueError(
            "TUTOR_PROXY names the addresses or networks of proxies, with commas between them,"
            f" or is 1 for one on this machine; {wrong}"
        ) from None


@lru_cache(PEERS_KEPT)
def _is_believed(proxies: Proxies, remote: str) -> bool:
    if remote == SOCKET:
        return proxies.sockets
    try:
        found = ip_address(remote)
    except ValueError:
        return False
    if isinstance(found, IPv6Address) and found.ipv4_mapped:
        found = found.ipv4_mapped
    return any(found in network for network in proxies.networks)


class Behind:
    """The site behind these proxies, or before everybody else."""

    def __init__(self, site: "WSGIApplication", proxies: Proxies) -> None:
        self.site = site
        self.proxies = proxies
        self._believing = ProxyFix(site)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if environ.get("REMOTE_ADDR", SOCKET) in self.proxies:
            return self._believing(environ, start_response)
        for name in CLAIMS:
            environ.pop(name, None)
        return self.site(environ, start_response)
