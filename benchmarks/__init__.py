"""Measures engines and pages. Only ratios within one run mean anything, so each thing is measured beside
something known: the engines beside python-chess, pages beside a bare Flask page on the same server.
"""

from benchmarks.engines import engines
from benchmarks.live import live
from benchmarks.newcomer import newcomer
from benchmarks.pages import pages
from benchmarks.search import search
from benchmarks.server import serving
from benchmarks.stores import NoRedis
from tutor.book.load import Library

__all__ = ["NoRedis", "bench", "live", "search"]


def bench(library: Library, seconds: float) -> dict[str, float]:
    """All measurements by name; `seconds` is the time for each thing that is measured."""
    results: dict[str, float] = {}
    for name, book in library.games.items():
        results |= engines(name, book.game, seconds)
    with serving() as site:
        results |= pages(site, next(iter(library.games)), seconds)
        results |= newcomer(site, list(library.games), seconds)
    return results
