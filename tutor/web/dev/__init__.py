"""The server for authors, `tutor dev`: what is saved is served a moment later, whatever it is.

One process has imported everything once, and watches the files. At each change it ends its children and forks
new ones, which import our own modules afresh: one serves the site, one checks the content. The socket stays
open meanwhile, so that a reader waits for the new site instead of being refused.

It listens on this machine only and shows tracebacks: it is not meant for others.
"""

import gc
import importlib
import logging
import os
import signal
import socket
import subprocess  # nosec B404
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from threading import Thread
from typing import Any

from tutor.paths import CONTENT, STATIC, TEMPLATES, TRANSLATIONS
from tutor.web.dev import page

HOST = "127.0.0.1"
POLL_SECONDS = 0.2
"""Seconds between two looks at the files."""
WATCHED = (CONTENT, TEMPLATES, TRANSLATIONS, STATIC.parent.parent)
MADE = ("__pycache__", "vendor")
"""Folders that no author writes."""


def serve(port: int) -> None:
    """Serves until it is told to end. Raises OSError if the port is taken."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    fork = get_context("fork").Process
    with socket.create_server((HOST, port)) as listener, tempfile.TemporaryDirectory() as folder:
        print(f"http://{HOST}:{port}", flush=True)
        while True:
            seen, began = stamp(), time.time_ns()
            children = [
                fork(target=work, args=(listener, Path(folder), began)) for work in (_serve_site, _check)
            ]
            try:
                for child in children:
                    child.start()
                while stamp() == seen:
                    time.sleep(POLL_SECONDS)
            finally:
                for child in children:
                    child.terminate()
                    child.join()


def stamp() -> frozenset[tuple[str, int]]:
    """All files that an author may have changed, and when that was."""
    return frozenset(_changes())


def _changes() -> Iterator[tuple[str, int]]:
    for top in WATCHED:
        for folder, folders, names in os.walk(top):
            folders[:] = [name for name in folders if name not in MADE]
            for name in names:
                if name.startswith(".") or name.endswith(("~", ".mo")):
                    continue  # an editor's, or made by us
                path = os.path.join(folder, name)  # noqa: PTH118  # a Path for each would take ten times as long
                try:
                    yield path, os.stat(path).st_mtime_ns  # noqa: PTH116
                except FileNotFoundError:
                    continue  # just removed


def _serve_site(listener: socket.socket, folder: Path, began: int) -> None:
    """The serving child. What keeps the site from being made is shown instead of it."""
    from werkzeug.serving import make_server

    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # the terminal is for the problems
    site, failed = None, ""
    gc.disable()  # nothing is garbage while all is loaded, and looking for it takes a quarter of the time
    try:
        _compile_translations()
        site = _import_anew("tutor.web.dev.site").make(folder / "rulebook.db")
    except ValueError as problems:  # of the content, or of a setting
        failed = str(problems)
    except Exception:
        failed = traceback.format_exc()
    gc.freeze()
    gc.enable()
    told = page.Told(folder / "problems.json", began)
    port = listener.getsockname()[1]
    make_server(
        HOST, port, page.Author(site, failed, told), threaded=True, fd=listener.fileno()
    ).serve_forever()


def _end_with_parent(parent: int) -> None:
    """A child whose parent was killed would hold the port for ever."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _check(listener: socket.socket, folder: Path, began: int) -> None:
    """The checking child: tells the terminal and the pages what `tutor check` would, but for the pages, which
    their author sees."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    listener.close()
    os.nice(10)
    try:
        problems = _import_anew("tutor.web.dev.site").problems()
    except Exception as error:
        problems = [page.Problem("", 1, f"the check itself failed: {type(error).__name__}: {error}")]
    for one in problems:
        print(one.place, one.text, flush=True)
    print(f"{time.strftime('%X')} problems: {len(problems)}", flush=True)
    page.Told(folder / "problems.json", began).tell(problems)


def _import_anew(name: str) -> Any:
    """A module of ours as it is in its file now, and so are all that it imports."""
    for known in [known for known in sys.modules if known.partition(".")[0] == "tutor"]:
        del sys.modules[known]
    return importlib.import_module(name)


def _compile_translations() -> None:
    """Raises ValueError for a catalog with mistakes."""
    maker = TRANSLATIONS.parent / "hatch_build.py"
    catalogs = TRANSLATIONS.glob("*/LC_MESSAGES/*.po")
    if maker.exists() and any(_is_older(po.with_suffix(".mo"), po) for po in catalogs):
        done = subprocess.run([sys.executable, maker], capture_output=True, text=True)  # nosec B603
        if done.returncode:
            raise ValueError(done.stderr)


def _is_older(made: Path, source: Path) -> bool:
    return not made.exists() or made.stat().st_mtime_ns < source.stat().st_mtime_ns
