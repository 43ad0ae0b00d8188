"""The referee for other programs: replays moves, lists legal ones, judges one, and says why.

One JSON object in, one out. Whatever comes in, an answer comes out: mistakes are answers too.
"""

import json
import logging
from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from tutor.book.load import Library
from tutor.book.model import GameBook
from tutor.book.texts import Texts
from tutor.book.words import LANGUAGES, TEMPLATE_LANGUAGE, Words
from tutor.rules.base import CHANCE, Game, Move, State, Value, Verdict
from tutor.rules.errors import RulesError, quote_input

log = logging.getLogger(__name__)

MOST_MOVES_A_REQUEST = 5000
MOST_MOVES_LISTED = 1000
"""Legal moves in one answer."""


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What to judge. `start` is a position text or the options of a new game; `moves` are replayed first."""

    game: str
    start: str | dict[str, Any] = {}
    moves: list[str] = []
    try_: str | None = msgspec.field(default=None, name="try")
    list_: bool = msgspec.field(default=False, name="list")
    lang: str = ""


class Why(msgspec.Struct, frozen=True):
    """One rule that decided: the places, the values, and the sentence in the language asked for."""

    rule: str
    at: list[str]
    args: dict[str, bool | int | str | list[str]]
    text: str
    url: str


class Judged(msgspec.Struct, frozen=True):
    ok: bool
    reasons: list[Why]


class Fault(msgspec.Struct, frozen=True):
    """Why there is no answer. `verdict` is there when a move to replay was refused."""

    code: str
    message: str
    verdict: Judged | UnsetType = UNSET


class Chance(msgspec.Struct, frozen=True):
    """What dice or a draw may do now: the act, in how many ways it may come out, and one of them."""

    act: str
    count: int
    example: str


class Answer(msgspec.Struct, frozen=True):
    """The position after the moves, who may act, what is known of it, and what was asked for; or an error.

    `legal` lists what players may do, `count` says how much that is in all; what chance may do is one entry
    of `chance` for each act, not a list of all outcomes."""

    position: str | UnsetType = UNSET
    turn: list[str] | UnsetType = UNSET
    facts: dict[str, bool | int | str | list[str]] | UnsetType = UNSET
    legal: list[str] | UnsetType = UNSET
    count: int | UnsetType = UNSET
    chance: list[Chance] | UnsetType = UNSET
    verdict: Judged | UnsetType = UNSET
    error: Fault | UnsetType = UNSET


def answer_line(library: Library, line: str | bytes) -> bytes:
    """The answer to one line of JSON, as one line of JSON."""
    try:
        request = read(line)
    except Unreadable as error:
        return msgspec.json.encode(fault(library, error, error.lang or TEMPLATE_LANGUAGE))
    return msgspec.json.encode(answer(library, request))


class Unreadable(RulesError):
    """A text that is not a request. `lang` is the language that it asks for, if so much can be read."""

    lang = ""


def read(text: str | bytes) -> Request:
    """A request out of JSON. Raises Unreadable if it is none."""
    lang = ""
    try:
        said = msgspec.json.decode(text)
        lang = said["lang"] if isinstance(said, dict) and said.get("lang") in LANGUAGES else ""
        # Of two values for one name a reader of JSON silently takes one, and other readers the other. What
        # numbers mean is left to the reader above.
        json.loads(text, object_pairs_hook=_each_once, parse_int=str, parse_float=str)
        return msgspec.convert(said, Request)
    except msgspec.ValidationError as error:
        found = Unreadable("request", value=str(error))
    except Unreadable as error:
        found = error
    except (msgspec.DecodeError, ValueError, RecursionError):
        found = Unreadable("json")
    found.lang = lang
    raise found


def _each_once(pairs: list[tuple[str, Any]]) -> None:
    """Refuses an object of JSON that has a name twice."""
    names = set()
    for name, _ in pairs:
        if name in names:
            raise Unreadable("request.again", name=quote_input(name))
        names.add(name)


def fault(library: Library, error: RulesError, lang: str) -> Answer:
    """The answer to a request that names no game, or cannot be read at all."""
    return _fault(next(iter(library.games.values())).words[lang], error.code, error.values)


def answer(library: Library, request: Request, usual: str = TEMPLATE_LANGUAGE) -> Answer:
    """The answer in the language of the request, or the usual one if it names none."""
    lang = request.lang or usual
    if lang not in LANGUAGES:
        return fault(library, RulesError("request", value=quote_input(f"lang: {lang}")), usual)
    if request.game not in library.games:
        return fault(library, RulesError("game", value=quote_input(request.game)), lang)
    book = library.games[request.game]
    words = book.words[lang]
    if len(request.moves) > MOST_MOVES_A_REQUEST:
        return _fault(words, "too-long", {"most": MOST_MOVES_A_REQUEST})
    try:
        return _judge(book, library.texts[book.id][lang], request)
    except RulesError as error:
        return _fault(words, error.code, error.values)
    except Exception:
        # Whatever it is, the caller gets an answer and the author a trace.
        log.exception("unexpected error in %s", request.game)
        return _fault(words, "internal", {})


def _judge(book: GameBook, texts: Texts, request: Request) -> Answer:
    game, words = book.game, book.words[texts.lang]
    start = request.start
    state = game.parse_position(start) if isinstance(start, str) else game.setup(start)
    for text in request.moves:
        move = game.parse_move(text)
        verdict = game.judge(state, move)
        if not verdict.ok:
            return _fault(words, "illegal", {"move": text}, _explain(texts, words, verdict, book.id))
        state = game.play(state, move)
    verdict_asked: Judged | UnsetType = UNSET
    if request.try_ is not None:
        judged = game.judge(state, game.parse_move(request.try_))
        verdict_asked = _explain(texts, words, judged, book.id)
    legal, chance = _list_moves(game, state) if request.list_ else (None, None)
    return Answer(
        position=game.format_position(state),
        turn=["chance" if seat == CHANCE else f"p{seat}" for seat in game.turn(state)],
        facts=_plain(game.facts(state)),
        legal=UNSET if legal is None else [game.format_move(move) for move in legal[:MOST_MOVES_LISTED]],
        count=UNSET if legal is None else len(legal),
        chance=UNSET if chance is None else chance,
        verdict=verdict_asked,
    )


def _list_moves(game: Game, state: State) -> tuple[list[Move], list[Chance]]:
    """The legal moves of players, and what chance may do."""
    moves = list(game.moves(state))
    counts = Counter(move.act for move in moves if move.seat == CHANCE)
    first: dict[str, str] = {}
    for move in moves:
        if move.seat == CHANCE and move.act not in first:
            first[move.act] = game.format_move(move)
    # An act goes by the word with which its moves are written.
    chance = [Chance(first[act].split()[0], count, first[act]) for act, count in counts.items()]
    return [move for move in moves if move.seat != CHANCE], chance


def _explain(texts: Texts, words: Words, verdict: Verdict, game: str) -> Judged:
    reasons = [
        Why(
            why.rule,
            list(why.at),
            _plain(why.args),
            why.text,
            "" if why.technical else f"/{words.lang}/{game}/rules#{why.rule}",
        )
        for why in texts.explain(verdict, words)
    ]
    return Judged(verdict.ok, reasons)


def _fault(
    words: Words, code: str, values: Mapping[str, Value], verdict: Judged | UnsetType = UNSET
) -> Answer:
    return Answer(error=Fault(code, words.errors[code].text(words, values), verdict))


def _plain(values: Mapping[str, Value]) -> dict[str, bool | int | str | list[str]]:
    """Values as JSON knows them: what was typed is a string like any other there."""
    plain: dict[str, bool | int | str | list[str]] = {}
    for name, value in values.items():
        if isinstance(value, tuple):
            plain[name] = list(map(str, value))
        else:
            plain[name] = str(value) if isinstance(value, str) else value
    return plain


def describe(book: GameBook) -> dict[str, Any]:
    """Everything another program needs to play this game with the referee."""
    return {
        "game": book.id,
        "languages": list(LANGUAGES),
        "rules": {
            name: {
                "basis": facts.basis,
                "refuses": list(rule.refuses or ()) if (rule := book.game.rules.get(name)) else [],
            }
            for name, facts in book.facts.rules.items()
        },
        **book.game.describe(),
        "schema": {"request": msgspec.json.schema(Request), "answer": msgspec.json.schema(Answer)},
    }
