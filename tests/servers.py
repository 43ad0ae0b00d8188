"""Servers of the tests' own, as `tutor serve` starts them, to be ended in any way and started again."""

import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from tests.conftest import SERVE, free_port


class Server:
    def __init__(self, database: Path, port: int = 0, **settings: str) -> None:
        self.database = database
        self.port = port or free_port()
        self.settings = {"TUTOR_DB": str(database), **settings}
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-c", SERVE, "serve", "--workers", "1", "--port", str(self.port)]
        # A group of its own: a kill has to reach the workers too.
        self.process = subprocess.Popen(command, env=os.environ | self.settings, start_new_session=True)
        for _ in range(600):
            assert self.process.poll() is None, "the server ended at once"
            try:
                urllib.request.urlopen(f"{self.url}/robots.txt", timeout=5).close()
                return
            except OSError:
                time.sleep(0.1)
        raise TimeoutError("the server does not answer")

    def kill(self) -> None:
        """As when the machine fails."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, 9)
            self.process.wait(10)

    def end(self, within: float) -> None:
        """As it is told to; raises TimeoutExpired if that takes too long."""
        self.process.terminate()
        self.process.wait(within)
