"""Rounds of all sides alternate, so that a busy machine slows them alike."""

import time
from collections.abc import Callable

ROUNDS = 10


def alternate(sides: dict[str, Callable[[int], int]], seconds: float) -> dict[str, float]:
    """Units per second of each side. A side is called with a number and says how many units it did."""
    units = dict.fromkeys(sides, 0)
    spent = dict.fromkeys(sides, 0.0)
    seed = 0
    for _ in range(ROUNDS):
        for name, work in sides.items():
            begin = time.perf_counter()
            while time.perf_counter() - begin < seconds / ROUNDS:
                units[name] += work(seed)
                seed += 1
            spent[name] += time.perf_counter() - begin
    return {name: units[name] / spent[name] for name in sides}
