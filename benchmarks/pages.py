"""Pages per second, each beside a bare Flask page: pages that are kept, pages to be made, and a picture."""

from collections.abc import Callable

from benchmarks.alternate import alternate
from benchmarks.server import Connection, Site

BARE = "bare page"
FIRST = "rules page, first time"
CLICK = "HX-Request: true\r\nHX-Boosted: true\r\nHX-Target: screen\r\n"
"""What htmx says when a place on a board is touched: the answer is a fragment."""


def pages(site: Site, game: str, seconds: float) -> dict[str, float]:
    screen, attempt = site.task(game)
    rules = f"/pl/{game}/rules"
    # A reader in the middle of a lesson, as a browser asks.
    cookies = f"Cookie: lang=pl; step-{game}={screen.rpartition('/')[2]}\r\n"
    example = _example(site.text(rules))
    sides = {
        BARE: _fetcher(site, "/bare/", cookies),
        "lesson screen, kept": _fetcher(site, screen, cookies),
        "rules page, kept": _fetcher(site, rules, cookies),
        "example fragment, kept": _fetcher(site, example, cookies + "HX-Request: true\r\n"),
        "home, kept": _fetcher(site, "/pl/", cookies),
        "game page, kept": _fetcher(site, f"/pl/{game}/", cookies),
        "picture": _fetcher(site, site.picture(game), cookies),
        "lesson screen with own moves, kept": _fetcher(site, attempt, cookies + CLICK),
        "lesson screen with own moves": _fetcher(site, f"/fresh{attempt}", cookies + CLICK),
        FIRST: _fetcher(site, f"/fresh{rules}", cookies),
    }
    rates = alternate(sides, seconds)
    results = {f"{name}: per second": rate for name, rate in rates.items()}
    results |= {f"{name}: ratio to bare": rate / rates[BARE] for name, rate in rates.items() if name != BARE}
    return results | {f"{FIRST}: ms": 1000 / rates[FIRST]}


def _example(page: str) -> str:
    return page.partition('data-hx-get="')[2].partition('"')[0]


def _fetcher(site: Site, path: str, headers: str) -> Callable[[int], int]:
    """Fetches a page over one kept connection; made and kept before it is measured."""
    connection = Connection(site.port)

    def fetch(seed: int) -> int:
        head, _ = connection.get(path, headers)
        if b" 200 " not in head.partition(b"\r\n")[0]:
            raise RuntimeError(head.decode())
        return 1

    fetch(0)
    return fetch
