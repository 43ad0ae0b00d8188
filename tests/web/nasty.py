"""Requests that nobody means well with, each different from all before: they are there for what they cost."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from tests.books import LIBRARY
from tests.conftest import positions
from tutor.book.words import LANGUAGES
from tutor.referee.packed import pack
from tutor.rules.base import CHANCE, Game

LETTERS = "abcdefghijklmnopqrstuvwxyzàèìòùąęłńóśźżáéíñ0123456789🎲ß²漢"


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    form: str | None = None

    @property
    def bytes(self) -> bytes:
        """For a connection that is kept; `{port}` in it is for whoever sends it."""
        method, body = ("GET", b"") if self.form is None else ("POST", self.form.encode())
        lines = [
            f"{method} {self.path} HTTP/1.1",
            *(f"{name}: {value}" for name, value in self.headers.items()),
        ]
        if self.form is not None:
            lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def requests(seed: int, code: str = "") -> Iterator[Request]:
    """Without end. `code` is a table at which votes and names are tried, too."""
    chosen, games = random.Random(seed), LIBRARY.games
    walks = {name: _walk(book.game, chosen) for name, book in games.items()}
    makers = [
        _search,
        _search,
        _step,
        _referee,
        _referee,
        _judge,
        _nowhere,
        _ruling,
        *([_table] * 2 if code else []),
    ]
    while True:
        game = chosen.choice(list(games))
        lang = chosen.choice(LANGUAGES)
        yield chosen.choice(makers)(chosen, lang, game, walks[game], code)


def _walk(game: Game, chosen: random.Random) -> Iterator[tuple[str, str]]:
    """Positions of random games without end, as text, each with a move that somebody may try there."""
    while True:
        seed = chosen.randrange(1 << 30)
        for state, _ in positions(game, {}, seed):
            seats = [seat for seat in game.turn(state) if seat != CHANCE]
            if seats and chosen.random() < 0.2:
                tried = chosen.choice(list(game.thinkable(state, seats[0])) or list(game.moves(state)))
                yield game.format_position(state), game.format_move(tried)


def _typed(chosen: random.Random, most: int) -> str:
    return "".join(chosen.choices(LETTERS, k=chosen.randint(1, most)))


def _search(
    chosen: random.Random, lang: str, game: str, walk: Iterator[tuple[str, str]], code: str
) -> Request:
    words = " ".join(_typed(chosen, 14) for _ in range(chosen.randint(1, 14)))
    return Request(
        f"/{lang}/search?{urlencode({'q': words, 'game': chosen.choice(['', game])})}",
        {"HX-Request": "true"} if chosen.random() < 0.5 else {},
    )


def _step(chosen: random.Random, lang: str, game: str, walk: Iterator[tuple[str, str]], code: str) -> Request:
    query = {"moves": f"{next(walk)[1]};{_typed(chosen, 400)}", "pick": _typed(chosen, 300)}
    step = chosen.choice(["grey", "villa", "turn", "limit", "draw", "place", _typed(chosen, 30)])
    return Request(f"/{lang}/{game}/learn/{quote(step)}?{urlencode(query)[:1500]}", _headers(chosen))


def _referee(
    chosen: random.Random, lang: str, game: str, walk: Iterator[tuple[str, str]], code: str
) -> Request:
    at, move = next(walk)
    query = (
        {"at": pack(at), "try": move, "list": "1"} if chosen.random() < 0.7 else {"at": pack(at), "edit": "1"}
    )
    return Request(f"/{lang}/{game}/referee?{urlencode(query)}", _headers(chosen))


def _judge(
    chosen: random.Random, lang: str, game: str, walk: Iterator[tuple[str, str]], code: str
) -> Request:
    at, move = next(walk)
    sent = {"game": game, "start": at, "try": move if chosen.random() < 0.7 else _typed(chosen, 5000)}
    return Request(f"/api/v1/judge?lang={lang}", {"Content-Type": "application/json"}, json.dumps(sent))


def _nowhere(
    chosen: random.Random, lang: str, game: str, walk: Iterator[tuple[str, str]], code: str
) -> Request:
    path = chosen.choice(["/{0}/{1}/rulings/{2}", "/{0}/glossary/{2}", "/r/{2}", "/t/{2}", "/{0}/{1}/{2}"])
    return Request(path.format(lang, game, quote(_typed(chosen, 300))), _headers(chosen))


def _ruling(
    chosen: random.Random, lang: str, game: str, walk: Iterator[tuple[str, str]], code: str
) -> Request:
    plan = ".".join(_typed(chosen, 20) for _ in range(20))
    return Request(f"/{lang}/{game}/teach/?{urlencode({'plan': plan})[:1500]}", _headers(chosen))


def _table(
    chosen: random.Random, lang: str, game: str, walk: Iterator[tuple[str, str]], code: str
) -> Request:
    form = chosen.choice(
        [{"vote": f"p1 cross {_typed(chosen, 20_000)}", "round": "2"}, {"name": _typed(chosen, 2000)}]
    )
    target = chosen.choice([{}, {"HX-Request": "true"}, {"HX-Request": "true", "HX-Target": "screen"}])
    own = {"Content-Type": "application/x-www-form-urlencoded"}
    return Request(f"/{lang}/t/{code}", own | target, urlencode(form))


def _headers(chosen: random.Random) -> dict[str, str]:
    known = {
        "Accept-Language": f"{quote(_typed(chosen, 5))};q=0.{chosen.randrange(9)}",
        "Accept-Encoding": chosen.choice(["gzip", f"x{chosen.randrange(10**6)}", "gzip;q=0"]),
        "Cookie": f"lang={quote(_typed(chosen, 40))}; helped-border={quote(_typed(chosen, 90))}",
        "If-None-Match": f'"{chosen.randrange(10**9)}"',
    }
    return {name: known[name] for name in chosen.sample(list(known), chosen.randint(0, 3))}
