"""The meter of a worker, for Prometheus. It is imported only where TUTOR_METRICS asks for it, and only after
the folder for its files is known: prometheus-client decides then how it keeps numbers.
"""

import logging
import time
from collections.abc import Callable
from pathlib import Path
from resource import getpagesize
from typing import TypeVar

import gevent
from flask import Flask
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, MetricsHandler
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from tutor.live.log import Unavailable
from tutor.web.http import meter
from tutor.web.live.stream import Streams
from tutor.web.live.tables import tables

log = logging.getLogger(__name__)

NOWHERE = "none"
"""The endpoint of an address at which there is nothing."""
STREAMS = ("live.events", "chair.rings")
"""They last for as long as somebody listens, which says nothing about the server."""
PULSE_SECONDS = 1.0
"""Seconds between two looks at the worker itself."""
STORE_PULSE_SECONDS = 15.0
"""Seconds between two looks at the store of live tables."""
BUCKETS_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
SLOWEST_READER_SECONDS = 5
"""How long one reader of the numbers may keep the others waiting."""
MEMORY = Path("/proc/self/statm")

T = TypeVar("T")


class Measures(meter.Meter):
    on = True

    def __init__(self) -> None:
        self._requests = Counter("tutor_requests", "Requests answered.", ("endpoint", "status"))
        self._seconds = Histogram(
            "tutor_request_seconds",
            "Time to answer, but for streams.",
            ("endpoint",),
            buckets=BUCKETS_SECONDS,
        )
        self._refusals = Counter("tutor_refusals", "Requests refused by a limit.", ("what",))
        self._pages = Counter("tutor_pages", "Pages found kept, and pages made.", ("how",))
        self._wait = Histogram(
            "tutor_page_wait_seconds", "Wait until a page began to be made.", buckets=BUCKETS_SECONDS
        )
        self._faults = Counter("tutor_store_faults", "Requests that failed by a store.", ("store",))
        self._lag = Histogram(
            "tutor_loop_lag_seconds", "How late a worker's loop was.", buckets=BUCKETS_SECONDS
        )
        self._streams = Gauge("tutor_streams", "Open streams.", multiprocess_mode="livesum")
        self._guests = Gauge("tutor_guests", "Guests with an open stream.", multiprocess_mode="livesum")
        self._tables = Gauge("tutor_tables", "Live tables in the store.", multiprocess_mode="livemostrecent")
        self._up = Gauge("tutor_store_up", "Whether it answers.", ("store",), multiprocess_mode="livemin")
        self._memory = Gauge("tutor_memory_bytes", "Of each worker.", multiprocess_mode="liveall")

    def count_answer(self, endpoint: str, status: int, seconds: float) -> None:
        self._requests.labels(endpoint or NOWHERE, f"{status // 100}xx").inc()
        if endpoint not in STREAMS:
            self._seconds.labels(endpoint or NOWHERE).observe(seconds)

    def count_refusal(self, what: str) -> None:
        self._refusals.labels(what).inc()

    def page(self, kept: bool) -> None:
        self._pages.labels("kept" if kept else "made").inc()

    def count_wait(self, seconds: float) -> None:
        self._wait.observe(seconds)

    def count_failure(self, store: str) -> None:
        self._faults.labels(store).inc()

    def feel(self, streams: Streams) -> None:
        """Looks at this worker, again and again."""
        while True:
            begun = time.monotonic()
            gevent.sleep(PULSE_SECONDS)
            self._lag.observe(max(0.0, time.monotonic() - begun - PULSE_SECONDS))
            self._streams.set(streams.count)
            self._guests.set(streams.guests)
            if MEMORY.exists():
                self._memory.set(int(MEMORY.read_text().split()[1]) * getpagesize())

    def look(self, site: Flask) -> None:
        """Looks at the store, again and again."""
        while True:
            try:
                with site.app_context():
                    self._tables.set(tables().log.count())
                self._up.labels("live").set(1)
            except Unavailable:
                self._up.labels("live").set(0)
            except Exception:  # if this loop ended, the store would be reported healthy for ever
                self._up.labels("live").set(0)
                log.exception("the store of live tables could not be looked at")
            gevent.sleep(STORE_PULSE_SECONDS)


def handler(folder: str) -> type[MetricsHandler]:
    """What the master answers with: the numbers of all workers, those that have ended among them."""
    all_workers = CollectorRegistry()
    MultiProcessCollector(all_workers, path=folder)  # type: ignore[no-untyped-call]

    class Answering(MetricsHandler):
        registry = all_workers
        timeout = SLOWEST_READER_SECONDS

    return Answering


def forget(folder: str, process: int) -> None:
    """What a worker that has ended would still say of the present."""
    mark_process_dead(process, folder)  # type: ignore[no-untyped-call]


def watch(site: Flask) -> None:
    """Called in a worker: from now on it is measured."""
    measures = meter.current = Measures()
    site.extensions["aside"] = time_aside(site.extensions["aside"], measures)
    gevent.spawn(measures.feel, site.extensions["streams"])
    gevent.spawn(measures.look, site)


def time_aside(aside: Callable[..., T], measures: Measures) -> Callable[..., T]:
    """What takes long, done as before, with the time until it began."""

    def run(work: Callable[[], T], line: str = "") -> T:
        asked = time.monotonic()

        def begin() -> T:
            measures.count_wait(time.monotonic() - asked)
            return work()

        return aside(begin, line)

    return run
