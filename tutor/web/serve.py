"""Serves the site with gunicorn: everything is loaded once and shared by workers, each a gevent loop.

The loop answers what is kept and holds the streams; pages that have to be made leave it for a thread, one
at a time and in the order asked for, so that nobody waits behind a page that somebody else wants.
"""

import gc
import logging
import resource
import socket
import sys
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import gevent
from flask import Flask
from gevent.threadpool import ThreadPool
from gunicorn.app.base import BaseApplication
from gunicorn.http.errors import ChunkMissingTerminator, InvalidChunkSize, NoMoreData

from tutor.book.words import LANGUAGES
from tutor.store.rulebook import Store
from tutor.web import create_app, errors

LONGEST_BODY = 64 * 1024
CONNECTIONS = 2000
"""Of a worker: more than the streams and readers that one machine can have."""
MOST_REQUESTS = 1000
"""So many on one connection; then it may come back, perhaps to a worker that has less to do."""
SLOWEST = 10
"""Seconds for which the rest of a form is waited for."""
SEND_BUFFER = 128 * 1024
"""Bytes that may wait for a reader who takes nothing; a thousand of them must not fill the memory."""
STALLED = 30
"""Seconds for which an answer may wait for a reader who takes none of it."""
SWITCH = 0.001
"""Seconds for which the page-making thread may hold Python while the loop has something to do."""

T = TypeVar("T")


@dataclass(frozen=True)
class Failed:
    """What a piece of work raised, on its way to whoever asked for it."""

    error: Exception


class Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    def __init__(self, site: Flask, database: Path, options: dict[str, Any]) -> None:
        self.site = site
        self.database = database
        self.options = options
        super().__init__()

    def load_config(self) -> None:
        for name, value in self.options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """What each worker serves; called in the worker."""
        # SQLite's connections do not survive a fork.
        shelf = self.site.extensions["shelf"]
        store = Store(self.database)
        search = replace(shelf.search, index=store.index)
        self.site.extensions["shelf"] = replace(shelf, store=store, search=search)
        self.site.extensions["aside"] = aside()
        sys.setswitchinterval(SWITCH)
        logging.getLogger("gunicorn.error").addFilter(worth_logging)
        return self.site


def aside() -> Callable[[Callable[[], T]], T]:
    """Runs work in a thread of its own while the loop goes on; the caller waits."""
    pool = ThreadPool(1)

    def outcome(work: Callable[[], T]) -> T | Failed:
        try:
            return work()
        except Exception as error:  # gevent would print it
            return Failed(error)

    def run(work: Callable[[], T]) -> T:
        made: T | Failed = pool.apply(copy_context().run, (outcome, work))
        if isinstance(made, Failed):
            raise made.error
        return made

    return run


def worth_logging(record: logging.LogRecord) -> bool:
    """All but readers who stalled."""
    return not (record.exc_info and isinstance(record.exc_info[1], TimeoutError))


def take_turns(worker: Any, request: Any) -> None:
    """Before each request: others first; no connection is served for ever, no long body read to its end."""
    gevent.sleep(0)
    if hasattr(request.unreader, "sock"):
        request.unreader.sock.settimeout(SLOWEST)
    length = next((value for name, value in request.headers if name == "CONTENT-LENGTH"), "0")
    chunked = any(name == "TRANSFER-ENCODING" for name, _ in request.headers)
    if chunked or int(length) > LONGEST_BODY or request.req_number >= MOST_REQUESTS:
        request.force_close()


def ready(arbiter: Any) -> None:
    """Workers inherit how many connections they may have, and connections that readers who take nothing are
    dropped."""
    allow_files(2 * CONNECTIONS)
    for listener in arbiter.LISTENERS:
        listener.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            listener.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALLED * 1000)


def allow_files(count: int) -> None:
    """So many may be open, or as many as the machine allows. Each connection is one, and usual are 1024."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if most == resource.RLIM_INFINITY else min(count, most)
    if now != resource.RLIM_INFINITY and now < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def settings(host: str, port: int, workers: int) -> dict[str, Any]:
    return {
        "bind": f"{host}:{port}",
        "workers": workers,
        "worker_class": "gevent",
        "limit_request_fields": 40,
        "limit_request_field_size": 4094,
        "worker_connections": CONNECTIONS,
        "limit_request_line": 8190,  # above our own limit, so that the reader gets our page, not the server's
        "forwarded_allow_ips": "",  # X-Forwarded headers are the site's business, see TUTOR_PROXY
        "graceful_timeout": 3,  # more than a page needs; streams never end, and their readers come back
        "control_socket_disable": True,
        "loglevel": "warning",
        "pre_request": take_turns,
        "when_ready": ready,
        "worker_exit": lambda arbiter, worker: gc.unfreeze(),  # or objects outlive what their end needs
    }


def prepared(database: Path) -> Flask:
    """The site, with all that the first visitor would have to wait for: templates, pictures, common pages."""
    site = create_app(database)
    for broken in (InvalidChunkSize, ChunkMissingTerminator, NoMoreData):
        site.register_error_handler(broken, lambda error: errors.page(400))
    hosts, site.config["HOSTS"] = site.config["HOSTS"], []  # for now, any: this visitor has no name
    client = site.test_client()
    for name in site.jinja_env.list_templates(["html"]):
        site.jinja_env.get_template(name)
    for game, drawing in site.extensions["shelf"].drawings.items():
        for name in drawing.pictures:
            client.get(f"/picture/{game}/{name}.svg")
        for lang in LANGUAGES:
            for path in ("", f"{game}/", f"{game}/rules", f"{game}/rulings", f"{game}/learn/"):
                client.get(f"/{lang}/{path}", follow_redirects=True)
    site.config["HOSTS"] = hosts
    # What is alive now lives as long as the program: not to be looked at again, nor copied for that.
    gc.collect()
    gc.freeze()
    return site


def serve(site: Flask, database: Path, host: str, port: int, workers: int) -> None:
    print(f"http://{host}:{port}", flush=True)
    Server(site, database, settings(host, port, workers)).run()
