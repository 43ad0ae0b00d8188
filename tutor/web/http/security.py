"""What every answer carries and what no request may be: headers, hosts, sizes."""

from functools import lru_cache
from urllib.parse import urlsplit

from flask import Flask, Response, abort, request
from werkzeug.sansio.utils import host_is_trusted

from tutor.web.http import address

LONGEST_ADDRESS_CHARS = 2000
LONGEST_HOST_CHARS = 260
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
def is_known_host(host: str, hosts: tuple[str, ...]) -> bool:
    """Whether a Host header can be the name of a site, and of this one if `hosts` says which there are."""
    if len(host) > LONGEST_HOST_CHARS or not host.isascii():
        return False
    host = host.replace("_", "-")  # names of containers have them, and browsers ask for them
    try:
        # Finds empty and overlong labels, and what only looks like a name in another script.
        host.partition(":")[0].encode("idna").decode("idna")
    except UnicodeError:
        return False
    return host_is_trusted(host, [name.replace("_", "-") for name in hosts])


def own_origin(origin: str | None, came_from: str | None) -> bool:
    """Whether a form was sent by a page of this site. A browser that says where it comes from is believed: it
    knows by which scheme the page was read. What has no such header must have our scheme and host."""
    try:
        parts = urlsplit(origin or "")
    except ValueError:
        return False
    same_host = origin is None or parts.netloc == request.host
    if came_from is not None:
        return came_from == "same-origin" and same_host
    return origin is not None and same_host and parts.scheme == request.scheme


def init(app: Flask) -> None:
    @app.before_request
    def refuse_strange_hosts() -> None:
        if request.path in address.HEALTH:
            return  # who watches over a server knows it by its address
        hosts = tuple(app.config["HOSTS"])
        host = request.environ.get("HTTP_HOST")
        # Only HTTP/1.0 has no Host; where the hosts are known, it has to name one all the same.
        needed = hosts or request.environ["SERVER_PROTOCOL"] != "HTTP/1.0"
        if (host is not None or needed) and not is_known_host(host or "", hosts):
            abort(400)

    @app.before_request
    def refuse_oversized() -> None:
        if len(request.full_path) > LONGEST_ADDRESS_CHARS:
            abort(414)

    @app.before_request
    def refuse_foreign_writes() -> None:
        """A form of another site must not act here in the name of our reader. Programs carry no cookies."""
        if (
            request.method in ("GET", "HEAD", "OPTIONS")
            or request.routing_exception
            or address.is_for_programs()
        ):
            return
        if not own_origin(request.headers.get("Origin"), request.headers.get("Sec-Fetch-Site")):
            abort(403)

    @app.after_request
    def add_headers(response: Response) -> Response:
        if "X-Content-Type-Options" not in response.headers:  # what is kept has them already
            response.headers.update(HEADERS)
        if request.is_secure:
            response.headers["Strict-Transport-Security"] = HSTS
        return response
