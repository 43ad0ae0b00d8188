"""Measures engines and pages. Only ratios within one run mean anything, so each thing is measured beside
something known: the engine beside python-chess, pages beside a bare Flask page on the same server.

Rounds of both sides alternate, so that a busy machine slows both alike.
"""

import multiprocessing
import random
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flask import Flask
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from tutor.book.load import Library
from tutor.rules.base import CHANCE, Game
from tutor.web import create_app
from tutor.web.serve import Server, settings

ROUNDS = 5


def bench(library: Library, seconds: float) -> dict[str, float]:
    results: dict[str, float] = {}
    for name, book in library.games.items():
        results |= engines(name, book.game, seconds)
    results |= pages(next(iter(library.games)), seconds)
    return results


def engines(name: str, game: Game, seconds: float) -> dict[str, float]:
    """Whole random games, legal lists included, beside plies of python-chess.

    Only decisions count: neither chance nor a move that is the only one. Their time counts all the same.
    """
    ours, theirs = f"{name}: decisions per second", f"{name}: plies of python-chess in the same run"
    sides: dict[str, Callable[[int], int]] = {ours: lambda seed: random_game(game, seed)}
    if chess_game := _chess():
        sides[theirs] = chess_game
    rates = _alternate(sides, seconds)
    if theirs in rates:
        rates[f"{name}: ratio to python-chess"] = rates[ours] / rates[theirs]
    return rates


def random_game(game: Game, seed: int) -> int:
    """Plays a game at random and counts its decisions."""
    chosen = random.Random(seed)  # nosec B311
    state = game.setup({})
    decisions = 0
    while seats := game.turn(state):
        if CHANCE in seats:
            state = game.play(state, game.chance(state, chosen))
            continue
        moves = game.moves(state)
        decisions += len(moves) > 1
        state = game.play(state, moves[int(chosen.random() * len(moves))])
    return decisions


def _chess() -> Callable[[int], int] | None:
    """Random legal play of python-chess, where it is installed: to the last legal move, or 300 plies."""
    try:
        import chess
    except ImportError:
        return None

    def game(seed: int) -> int:
        chosen = random.Random(seed)  # nosec B311
        board = chess.Board()
        moves = list(board.legal_moves)
        while moves and board.ply() < 300:
            board.push(moves[int(chosen.random() * len(moves))])
            moves = list(board.legal_moves)
        return board.ply()

    return game


def _alternate(sides: dict[str, Callable[[int], int]], seconds: float) -> dict[str, float]:
    """Units per second of each side, in alternating rounds."""
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


# Pages


class Both(Server):
    """The site, and beside it a bare Flask page under /bare, on one server."""

    def load(self) -> Any:
        bare = Flask("bare")

        @bare.get("/")
        def page() -> str:
            return "<!doctype html><title>bare</title><p>bare"

        return DispatcherMiddleware(create_app(self.database), {"/bare": bare})


def pages(game: str, seconds: float) -> dict[str, float]:
    """Pages per second: a lesson's step to do, and the rules page, each as a ratio to the bare page."""
    with tempfile.TemporaryDirectory() as folder, _server(Path(folder) / "rulebook.db") as port:
        paths = {
            "bare page per second": "/bare/",
            "lesson step per second": _step(Path(folder) / "rulebook.db", game),
            "rules page per second": f"/pl/{game}/rules",
        }
        sides = {name: _fetcher(port, path) for name, path in paths.items()}
        for fetch in sides.values():
            fetch(0)
        rates = _alternate(sides, seconds)
    bare = rates["bare page per second"]
    return rates | {
        "lesson step: ratio to bare": rates["lesson step per second"] / bare,
        "rules page: ratio to bare": rates["rules page per second"] / bare,
    }


def _step(database: Path, game: str) -> str:
    lesson = create_app(database).extensions["shelf"].courses[game].lesson
    return f"/pl/{game}/learn/{next(step.id for step in lesson.short if step.kind == 'do')}"


@contextmanager
def _server(database: Path) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    options = settings("127.0.0.1", port, 1)
    process = multiprocessing.get_context("spawn").Process(target=_run, args=(database, options))
    process.start()
    try:
        _wait(port)
        yield port
    finally:
        process.terminate()
        process.join()


def _run(database: Path, options: dict[str, Any]) -> None:
    Both(database, options).run()


def _wait(port: int) -> None:
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(port)


def _fetcher(port: int, path: str) -> Callable[[int], int]:
    """Fetches a page over one kept connection, as bare bytes, so that the client costs little."""
    # A reader in the middle of a lesson, as a browser asks.
    game, _, step = path.partition("/learn/")
    cookies = f"lang=pl; step-{game.split('/')[-1]}={step}|short"
    headers = f"Host: 127.0.0.1:{port}\r\nAccept-Encoding: gzip\r\nCookie: {cookies}\r\n"
    request = f"GET {path} HTTP/1.1\r\n{headers}\r\n".encode()
    connection = socket.create_connection(("127.0.0.1", port))

    def fetch(seed: int) -> int:
        connection.sendall(request)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += connection.recv(65536)
        head, _, body = answer.partition(b"\r\n\r\n")
        if b" 200 " not in head.split(b"\r\n")[0]:
            raise RuntimeError(head.decode())
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        left = length - len(body)
        while left > 0:
            left -= len(connection.recv(min(left, 1 << 20)))
        return 1

    return fetch
