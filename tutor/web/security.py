"""What every answer carries and what no request may be: headers, hosts, sizes."""

from functools import lru_cache
from urllib.parse import urlsplit

from flask import Flask, Response, abort, request
from werkzeug.sansio.utils import host_is_trusted

from tutor.web import address

LONGEST_ADDRESS = 2000
LONGEST_HOST = 260
"""A name of 253 letters and a port."""
HSTS = "max-age=31536000"

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
        " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@lru_cache(maxsize=256)
def known_host(host: str, hosts: tuple[str, ...]) -> bool:
    """Whether a Host header can be the name of a site, and of this one if `hosts` says which there are."""
    if len(host) > LONGEST_HOST or not host.isascii():
        return False
    try:
        host.partition(":")[0].encode("idna")  # finds empty and overlong labels
    except UnicodeError:
        return False
    return host_is_trusted(host, hosts)


def _host(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def init(app: Flask) -> None:
    @app.before_request
    def refuse_strange_hosts() -> None:
        hosts = tuple(app.config["HOSTS"])
        host = request.environ.get("HTTP_HOST")
        # HTTP/1.0 has no Host; where the hosts are known, it has to name one all the same.
        if (host is not None or hosts) and not known_host(host or "", hosts):
            abort(400)

    @app.before_request
    def refuse_oversized() -> None:
        if len(request.full_path) > LONGEST_ADDRESS:
            abort(414)

    @app.before_request
    def refuse_foreign_writes() -> None:
        """A form of another site must not act here in the name of our reader. Programs carry no cookies."""
        if (
            request.method in ("GET", "HEAD", "OPTIONS")
            or request.routing_exception
            or address.for_programs()
        ):
            return
        came_from = request.headers.get("Sec-Fetch-Site")
        origin = request.headers.get("Origin")
        own = origin is not None and _host(origin) == request.host
        if not (own or (origin is None and came_from == "same-origin")):
            abort(403)

    @app.after_request
    def add_headers(response: Response) -> Response:
        if "X-Content-Type-Options" not in response.headers:  # what is kept has them already
            response.headers.update(HEADERS)
        if request.is_secure:
            response.headers["Strict-Transport-Security"] = HSTS
        return response
