"""Serves the site with gunicorn: everything is loaded once and shared by workers, each a gevent loop.

The loop answers what is kept and holds the streams; pages that have to be made leave it for a thread, one
at a time and in the order asked for, so that nobody waits behind a page that somebody else wants.
"""

import gc
import logging
import os
import resource
import socket
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.http.errors import NoMoreData, ParseException
from gunicorn.systemd import sd_notify

from tutor.book.words import LANGUAGES
from tutor.web import create_app, metrics
from tutor.web.http import errors, request_id
from tutor.web.http.log import Logger, Wanted
from tutor.web.worker import MOST_CONNECTIONS, Aside, Worker, hurry, rest

LONGEST_BODY_BYTES = 64 * 1024
MOST_REQUESTS_A_CONNECTION = 1000
"""Then the client reconnects, perhaps to a worker that has less to do."""
SEND_BUFFER_BYTES = 128 * 1024
"""Bytes that may wait for a reader who takes nothing; a thousand of them must not fill the memory."""
STALLED_SECONDS = 30
"""Seconds for which an answer may wait for a reader who takes none of it."""
SWITCH_SECONDS = 0.001
"""Seconds for which the page-making thread may hold Python while the loop has something to do."""


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
        store = shelf.store.in_this_process()
        search = replace(shelf.search, index=store.index)
        self.site.extensions["shelf"] = replace(shelf, store=store, search=search)
        self.site.extensions["aside"] = Aside()
        sys.setswitchinterval(SWITCH_SECONDS)
        logging.getLogger("gunicorn.error").addFilter(worth_logging)
        return self.site


def worth_logging(record: logging.LogRecord) -> bool:
    """All but readers who stalled."""
    return not (record.exc_info and isinstance(record.exc_info[1], TimeoutError))


def take_turns(worker: Worker, request: Any) -> None:
    """Before each request: no connection is served for ever, no long body read to its end, and whoever only
    reads comes first."""
    if request.method not in ("GET", "HEAD") or request.unreader.buf.tell():
        worker.stand_in_line(request)
    hurry(request)
    length = next((value for name, value in request.headers if name == "CONTENT-LENGTH"), "0")
    chunked = any(name == "TRANSFER-ENCODING" for name, _ in request.headers)
    if chunked or int(length) > LONGEST_BODY_BYTES or request.req_number >= MOST_REQUESTS_A_CONNECTION:
        request.force_close()


def prepare_arbiter(arbiter: Any) -> None:
    """Workers inherit how many connections they may have, and connections that readers who take nothing are
    dropped. After an upgrade it is this process that systemd has to watch."""
    sd_notify(f"MAINPID={arbiter.pid}", arbiter.log)
    allow_files(2 * MOST_CONNECTIONS)
    for listener in arbiter.LISTENERS:
        listener.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        if hasattr(socket, "TCP_USER_TIMEOUT") and listener.sock.family != socket.AF_UNIX:
            listener.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALLED_SECONDS * 1000)


def allow_files(count: int) -> None:
    """Raises the limit on open files as far as the machine allows: each connection takes one, and the usual
    1024 are too few."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if most == resource.RLIM_INFINITY else min(count, most)
    if now != resource.RLIM_INFINITY and now < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def place(host: str, port: int) -> str:
    """What is listened at; a host may be an IPv6 address, or `unix:FILE`, which has no port."""
    if host.startswith("unix:"):
        return host
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def settings(host: str, port: int, workers: int, pid: str | None = None) -> dict[str, Any]:
    """What gunicorn is told; `pid` is a file for the number of its process. Raises ValueError for a setting
    that makes no sense."""
    if pid and not os.access(Path(pid).absolute().parent, os.W_OK):
        raise ValueError(f"--pid: nothing can be written in {Path(pid).absolute().parent}")
    where = metrics.place(os.environ.get("TUTOR_METRICS", ""))
    measured = metrics.Exporter(where).hooks() if where else {}
    return measured | {
        "bind": place(host, port),
        "workers": workers,
        "pidfile": pid,
        "worker_class": Worker,
        "limit_request_fields": 40,
        "limit_request_field_size": 4094,
        "worker_connections": MOST_CONNECTIONS,
        "limit_request_line": 8190,  # above our own limit, so that the reader gets our page, not the server's
        # X-Forwarded headers are the site's business, see TUTOR_PROXY; gunicorn would believe Unix sockets.
        "forwarded_allow_ips": "",
        "secure_scheme_headers": {},
        "forwarder_headers": "",
        "graceful_timeout": 3,  # more than a page needs; streams never end, and their readers come back
        "control_socket_disable": True,
        "loglevel": "warning",
        "logger_class": Logger,
        "accesslog": "-" if Wanted.parse(os.environ.get("TUTOR_LOG", "")).requests else None,
        "pre_request": take_turns,
        "post_request": lambda worker, request, environ, response: rest(request),
        "when_ready": prepare_arbiter,
        "worker_exit": lambda arbiter, worker: gc.unfreeze(),  # or objects outlive what their end needs
    }


def prepare(database: Path) -> Flask:
    """The site, warmed up unless TUTOR_WARM is 0."""
    site = create_app(database)
    for broken in (ParseException, NoMoreData):  # a malformed body
        site.register_error_handler(broken, lambda error: errors.page(400))
    if os.environ.get("TUTOR_WARM", "1") != "0":
        warm(site)
    # What is alive now lives as long as the program: not to be looked at again, nor copied for that.
    gc.collect()
    gc.freeze()
    return site


def warm(site: Flask) -> None:
    """Makes all that the first visitor would have to wait for: templates, pictures, common pages."""
    # This visitor has no name, and may ask for as much as there is.
    usual = {name: site.config[name] for name in ("HOSTS", "LIMITS")}
    site.config.update(HOSTS=[], LIMITS=0)
    client = site.test_client()
    for name in site.jinja_env.list_templates(["html"]):
        site.jinja_env.get_template(name)
    for game, drawing in site.extensions["shelf"].drawings.items():
        for name in drawing.pictures:
            client.get(f"/picture/{game}/{name}.svg")
        for lang in LANGUAGES:
            for path in ("", f"{game}/", f"{game}/rules", f"{game}/rulings", f"{game}/learn/"):
                client.get(f"/{lang}/{path}", follow_redirects=True)
    site.config.update(usual)
    request_id.forget()


def serve(site: Flask, database: Path, host: str, port: int, workers: int, pid: str | None = None) -> None:
    if not Wanted.parse(os.environ.get("TUTOR_LOG", "")).json:  # of which every line is a record
        print(host if host.startswith("unix:") else f"http://{place(host, port)}", flush=True)
    Server(site, database, settings(host, port, workers, pid)).run()
