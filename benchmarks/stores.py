"""The places in which live tables can be kept, for as long as something is measured."""

import shutil
import subprocess  # nosec B404
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from benchmarks.server import free_port

STORES = ("sqlite", "redis")


class NoRedis(Exception):
    """There is no redis-server on this machine."""


@contextmanager
def kept_in(store: str) -> Iterator[str]:
    """The address of a new store: a file, or a Redis of our own."""
    with tempfile.TemporaryDirectory() as folder:
        if store == "sqlite":
            yield str(Path(folder) / "live.db")
            return
        with _redis(folder) as port:
            yield f"redis://127.0.0.1:{port}"


@contextmanager
def _redis(folder: str) -> Iterator[int]:
    program = shutil.which("redis-server")
    if not program:
        raise NoRedis("--store redis needs redis-server; on Debian or Ubuntu: apt-get install redis-server")
    port = free_port()
    # It keeps nothing: what is measured is the way to it.
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # nosec B603
    try:
        _wait(port)
        yield port
    finally:
        run.terminate()
        run.wait()


def _wait(port: int) -> None:
    with Redis(port=port) as client:
        for _ in range(300):
            try:
                client.ping()
                return
            except RedisError:
                time.sleep(0.02)
    raise TimeoutError(port)
