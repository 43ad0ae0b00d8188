"""Serves the site with gunicorn and gevent workers."""

from pathlib import Path
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication

from tutor.web import create_app


class Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    def __init__(self, database: Path, options: dict[str, Any]) -> None:
        self.database = database
        self.options = options
        super().__init__()

    def load_config(self) -> None:
        for name, value in self.options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        return create_app(self.database)


def serve(database: Path, host: str, port: int, workers: int) -> None:
    options = {
        "bind": f"{host}:{port}",
        "workers": workers,
        "worker_class": "gevent",
        "limit_request_line": 8190,  # above our own limit, so that the reader gets our page, not the server's
        "control_socket_disable": True,
        "accesslog": None,
        "loglevel": "warning",
    }
    print(f"http://{host}:{port}", flush=True)
    Server(database, options).run()
