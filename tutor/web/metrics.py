"""Numbers for Prometheus, at an address of their own: TUTOR_METRICS=127.0.0.1:9100.

Each worker writes its numbers into files of a folder that is this server's own. A thread of the master adds
them up for whoever asks, so that they go on when a worker ends. In an upgrade the new master waits until the
old one has left the address.
"""

import logging
import os
import shutil
import socket
import tempfile
import threading
import time
from socketserver import ThreadingTCPServer
from typing import Any

log = logging.getLogger(__name__)

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""prometheus-client reads it when it is imported."""
RETRY_SECONDS = 1
"""Between two attempts to bind the address."""

Place = tuple[str, int]


def place(text: str) -> Place | None:
    """Where the numbers are served; None if nobody wants them. Raises ValueError for a malformed address."""
    host, _, port = text.strip().rpartition(":")
    if not text.strip():
        return None
    if not host or not port.isascii() or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise ValueError(f"TUTOR_METRICS is an address and a port, such as 127.0.0.1:9100, not {text!r}")
    return host.removeprefix("[").removesuffix("]"), int(port)


class Exporter:
    """What the master has to do with it, by gunicorn's hooks."""

    def __init__(self, where: Place) -> None:
        self.where = where
        self._server: ThreadingTCPServer | None = None
        self._folder = ""

    def hooks(self) -> dict[str, Any]:
        return {
            "on_starting": self.start,
            "post_fork": self.leave,
            "post_worker_init": self.watch,
            "child_exit": self.forget,
            "on_exit": self.end,
        }

    def start(self, arbiter: Any) -> None:
        """In the master, before there are workers."""
        self._folder = os.environ[FOLDER] = tempfile.mkdtemp(prefix="tutor-metrics-")
        # All that is imported at all is imported here: nothing else may be half done when a worker is forked.
        from tutor.web import measures

        handler = measures.handler(self._folder)
        args = (handler, bool(arbiter.master_pid))
        threading.Thread(target=self._listen, args=args, daemon=True).start()

    def _listen(self, handler: Any, upgrading: bool) -> None:
        while self._server is None:
            try:
                self._server = Listening(self.where, handler)
            except OSError as error:
                if not upgrading:
                    log.warning("nothing can be asked at TUTOR_METRICS=%s:%s yet: %s", *self.where, error)
                upgrading = True  # said once
                time.sleep(RETRY_SECONDS)
        self._server.serve_forever()

    def leave(self, arbiter: Any, worker: Any) -> None:
        """In a worker: the address is the master's."""
        if self._server:
            self._server.socket.close()

    def watch(self, worker: Any) -> None:
        """In a worker that has loaded the site."""
        from tutor.web import measures

        measures.watch(worker.app.site)

    def forget(self, arbiter: Any, worker: Any) -> None:
        """In the master, when a worker has ended."""
        from tutor.web import measures

        measures.forget(self._folder, worker.pid)

    def end(self, arbiter: Any) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


class Listening(ThreadingTCPServer):
    """Whoever asks slowly keeps nobody waiting. Not http.server's, which looks up names before it listens."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, where: Place, handler: Any) -> None:
        self.address_family = socket.AF_INET6 if ":" in where[0] else socket.AF_INET
        super().__init__(where, handler)

    def handle_error(self, request: object, client_address: object) -> None:
        log.exception("the numbers for Prometheus could not be told")
