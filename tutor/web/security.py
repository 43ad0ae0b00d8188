"""What every answer carries and what no request may be: headers, sizes."""

from flask import Flask, Response, abort, request

LONGEST_ADDRESS = 2000

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


def init(app: Flask) -> None:
    @app.before_request
    def refuse_oversized() -> None:
        if len(request.full_path) > LONGEST_ADDRESS:
            abort(414)

    @app.after_request
    def add_headers(response: Response) -> Response:
        if "X-Content-Type-Options" not in response.headers:  # a remembered page has them already
            policy = response.headers.get("Content-Security-Policy")
            response.headers.update(HEADERS | ({"Content-Security-Policy": policy} if policy else {}))
        return response
