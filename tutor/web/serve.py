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


def settings(host: str, port: int, workers: int) -> dict[str, Any]:
    return {
        "bind": f"{host}:{port}",
        "workers": workers,
        "worker_class": "gevent",
        "limit_request_line": 8190,  # above our own limit, so that the reader gets our page, not the server's
        "control_socket_disable": True,
        "loglevel": "warning",
    }


def serve(database: Path, host: str, port: int, workers: int) -> None:
    print(f"http://{host}:{port}", flush=True)
    Server(database, settings(host, port, workers)).run()
