"""How long a newcomer waits for a kept page while ten others ask, without pause, for pages to be made."""

import multiprocessing
import statistics
import threading
import time
from multiprocessing.synchronize import Event

from benchmarks.server import Connection, Site

BUSY = 10
VISITS = 50


def newcomer(site: Site, games: list[str], seconds: float) -> dict[str, float]:
    """Milliseconds from connecting to the last byte: median and worst, on an idle server and a busy one."""
    tasks = [site.task(game) for game in games]
    page = tasks[0][0]
    for _ in range(VISITS):  # every worker has the page before it is measured
        _visit(site.port, page)
    pause = seconds / VISITS
    results = _times("newcomer, idle server", site.port, page, pause)
    spawn = multiprocessing.get_context("spawn")
    stop = spawn.Event()
    busy = spawn.Process(target=_ask_on, args=(site.port, [attempt for _, attempt in tasks], stop))
    busy.start()
    try:
        time.sleep(1)
        results |= _times("newcomer, ten others busy", site.port, page, pause)
    finally:
        stop.set()
        busy.join()
    return results


def _times(name: str, port: int, page: str, pause: float) -> dict[str, float]:
    found = []
    for _ in range(VISITS):
        found.append(_visit(port, page))
        time.sleep(pause)
    return {f"{name}: median ms": statistics.median(found), f"{name}: worst ms": max(found)}


def _visit(port: int, page: str) -> float:
    begin = time.perf_counter()
    connection = Connection(port)
    connection.get(page)
    spent = time.perf_counter() - begin
    connection.close()
    return 1000 * spent


def _ask_on(port: int, paths: list[str], stop: Event) -> None:
    """In a process of its own, so that the newcomer is measured and not the client."""

    def ask(number: int) -> None:
        connection = Connection(port)
        while not stop.is_set():
            number += 1
            connection.get(paths[number % len(paths)])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(BUSY)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
