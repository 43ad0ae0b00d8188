"""Whom to tell of a weakness: /.well-known/security.txt, as RFC 9116 wants it. Without TUTOR_SECURITY there
is nobody to tell, and no such address.
"""

import re
from datetime import UTC, datetime, timedelta

from flask import Flask, Response

from tutor.book.words import LANGUAGES

PATH = "/.well-known/security.txt"
VALID = timedelta(days=364)
"""From the start of the server. The RFC wants less than a year, so that no contact outlives its site."""
_CONTACT = re.compile(r"(?:https://|mailto:|tel:)[\x21-\x7e]+")


def contacts(text: str) -> list[str]:
    """The addresses, in order of preference. Raises ValueError for anything else."""
    found = [name.strip() for name in text.split(",") if name.strip()]
    for one in found:
        if not _CONTACT.fullmatch(one):
            raise ValueError(
                "TUTOR_SECURITY names addresses that begin with https://, mailto: or tel:,"
                f" with commas between them; {one!r} is none"
            )
    return found


def init(app: Flask) -> None:
    found = app.config["SECURITY"]
    if not found:
        return
    expires = (datetime.now(UTC) + VALID).strftime("%Y-%m-%dT%H:%M:%SZ")
    site = app.config["URL"]
    lines = [
        *(f"Contact: {one}" for one in found),
        f"Expires: {expires}",
        f"Preferred-Languages: {', '.join(LANGUAGES)}",
        *([f"Canonical: {site}{PATH}"] if site.startswith("https://") else []),
    ]
    text = "\n".join([*lines, ""])
    app.add_url_rule(PATH, "security", lambda: Response(text, mimetype="text/plain"))
