"""The commands: tutor serve | check | build | lesson | search | rule | referee | play | bench."""

import argparse
import json
import os
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from rapidfuzz import process

from tutor import __version__
from tutor.book.check import check
from tutor.book.load import Library, load
from tutor.book.words import LANGUAGES
from tutor.paths import CONTENT, TRANSLATIONS
from tutor.rules import GAMES
from tutor.rules.base import CHANCE
from tutor.rules.errors import RulesError, typed
from tutor.store.rulebook import build
from tutor.teach import proof as lessons
from tutor.teach import referee
from tutor.teach.course import courses
from tutor.teach.lookup import ids
from tutor.teach.pieces import rows_of


def database() -> Path:
    """Where rulebook.db is kept unless TUTOR_DB says otherwise: beside the reader's other caches."""
    named = os.environ.get("TUTOR_DB")
    if named:
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "rules-tutor" / "rulebook.db"


def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    try:
        status: int = args.run(args)
    except BrokenPipeError:
        # The reader of our output went away (`| head`): not an error, but Python would complain on exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tutor", description="The rules tutor.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="command")

    serve = commands.add_parser("serve", help="serve the site")
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=int, default=8000)
    serve.add_argument("--workers", type=int, default=2)
    serve.set_defaults(run=_serve)

    checker = commands.add_parser(
        "check", help="check that the content is right and the site runs; exit status 1 on any problem"
    )
    checker.add_argument("--json", action="store_true", help="one JSON list of problems")
    checker.add_argument("--quick", action="store_true", help="content only: do not try the pages")
    checker.add_argument("--content", type=Path, default=CONTENT)
    checker.add_argument("--translations", type=Path, default=TRANSLATIONS)
    checker.set_defaults(run=_check)

    builder = commands.add_parser("build", help="build rulebook.db")
    builder.add_argument("database", type=Path, nargs="?", help="default: where `serve` keeps it")
    builder.set_defaults(run=_build)

    story = commands.add_parser("lesson", help="print the storyline of a game as its author wants to see it")
    story.add_argument("game", choices=GAMES)
    story.add_argument("--lang", choices=LANGUAGES, default="en", help="language of the titles")
    story.add_argument("--json", action="store_true")
    story.set_defaults(run=_lesson)

    search = commands.add_parser(
        "search", help="search rules, rulings and terms; exit status 1 if nothing has the words"
    )
    search.add_argument("query", help="what a player would type, in any language")
    search.add_argument("--lang", choices=LANGUAGES, default="en", help="language of the answer")
    search.add_argument("--game", choices=GAMES, default="", help="default: all games")
    search.add_argument("--json", action="store_true", help="the answer of the API")
    search.set_defaults(run=_search)

    rule = commands.add_parser("rule", help="print a rule, ruling or edition note by its id")
    rule.add_argument("id", help="such as border.first.open; exit status 1 if there is no such id")
    rule.add_argument("--lang", choices=LANGUAGES, default="en")
    rule.add_argument("--json", action="store_true", help="the answer of the API")
    rule.set_defaults(run=_rule)

    judge = commands.add_parser("referee", help="judge moves: one JSON object a line in, one out")
    judge.add_argument("--describe", metavar="GAME", choices=GAMES, help="print what a program needs to know")
    judge.set_defaults(run=_referee)

    play = commands.add_parser("play", help="watch a random game")
    play.add_argument("game", choices=GAMES)
    play.add_argument("--players", type=int, default=None, help="default: the usual number")
    play.add_argument("--seed", type=int, default=None)
    play.add_argument("--lang", choices=LANGUAGES, default="en")
    play.set_defaults(run=_play)

    bench = commands.add_parser("bench", help="measure engines and pages, as ratios within one run")
    bench.add_argument("what", nargs="?", choices=("all", "search", "live"), default="all")
    bench.add_argument("--seconds", type=float, default=3.0, help="per measurement")
    bench.add_argument("--games", type=int, default=1000, help="so many made-up games for `bench search`")
    bench.add_argument("--followers", type=int, default=1000, help="of all live tables, for `bench live`")
    bench.add_argument("--tables", type=int, default=1, help="live tables, for `bench live`")
    bench.add_argument(
        "--beats", type=int, default=0, help="at each table, for `bench live`; default: up to 20"
    )
    bench.add_argument("--store", choices=("sqlite", "redis"), default="sqlite", help="of `bench live`")
    bench.add_argument("--json", action="store_true")
    bench.set_defaults(run=_bench)
    return parser


def _library() -> Library:
    library = load(CONTENT)
    if library.problems:
        raise SystemExit("\n".join(map(str, library.problems)))
    return library


def _serve(args: argparse.Namespace) -> int:
    from tutor.web.serve import prepared, serve

    try:
        site = prepared(database())  # once, here: the workers are forked from this process
    except ValueError as problems:
        raise SystemExit(str(problems)) from None
    serve(site, database(), args.host, args.port, args.workers)
    return 0


def _check(args: argparse.Namespace) -> int:
    problems = check(args.content, args.translations)
    if not problems:
        problems = list(lessons.prove(load(args.content)))
    if not problems and not args.quick:
        from tutor.web.proof import prove

        problems = prove(args.content)
    if args.json:
        rows = [{"file": str(p.file), "line": p.line, "problem": p.text} for p in problems]
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        for problem in problems:
            print(problem)
        many = "1 problem" if len(problems) == 1 else f"{len(problems) or 'no'} problems"
        print(many, file=sys.stderr)
    return 1 if problems else 0


def _lesson(args: argparse.Namespace) -> int:
    library = _library()
    rows = list(lessons.storyline(library, args.game, args.lang))
    if args.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return 0
    for row in rows:
        words = " ".join(f"{lang}:{count}" for lang, count in row["words"].items())
        rules = ", ".join(row["rules"])
        print(f"{row['lesson']:<13}{row['number']:>3} {row['kind']:<8}{row['screen']:<18}{words:<25} {rules}")
        if row["title"]:
            print(f"{'':<25}{row['title']}")
        for problem in row["problems"]:
            print(f"{'':<25}! {problem}")
    return 0


def _build(args: argparse.Namespace) -> int:
    path = args.database or database()
    library = _library()
    build(library, path, rows_of(courses(library)))
    print(path)
    return 0


def _search(args: argparse.Namespace) -> int:
    from tutor.web import api

    with _asking(args.lang) as library:
        found = api.search(api.Asked(args.lang, game=args.game, q=args.query))
    if args.json:
        print(msgspec.json.encode(found).decode())
    if found.near or not found.results:
        print(_said(library, args.lang, "nothing", args.query), file=sys.stderr)
    for one in () if args.json else found.results:
        print(f"{one.title}\n    {one.id} ({one.kind}, {one.game}) {one.url}\n    {one.snippet}")
    return 0 if found.results and not found.near else 1


def _rule(args: argparse.Namespace) -> int:
    from tutor.web import api

    with _asking(args.lang) as library:
        known = ids(library)
        if args.id not in known:
            near = [name for name, *_ in process.extract(args.id, known, limit=3, score_cutoff=60)]
            print("\n  ".join([_said(library, args.lang, "id", args.id), *near]), file=sys.stderr)
            return 1
        found = api.found(args.id, args.lang, "rule", "ruling", "edition")
    if args.json:
        print(msgspec.json.encode(found).decode())
        return 0
    about = ", ".join(filter(None, (found.kind, found.game, found.section, found.basis, *found.editions)))
    print(f"{found.title}\n{found.id} ({about})\n{found.url}\n\n{found.text}")
    if found.why:
        print(f"\n✗ {found.why}")
    for links in filter(None, (found.related, found.shown)):
        print()
        for one in links:
            print(f"{one.kind:<8} {one.title}\n         {one.url}")
    return 0


@contextmanager
def _asking(lang: str) -> Iterator[Library]:
    """The site with somebody who reads this language, so that a command answers as the API does."""
    from flask import g

    from tutor.web import create_app

    try:
        site = create_app(database())
    except ValueError as problems:
        raise SystemExit(str(problems)) from None
    with site.test_request_context():
        g.lang = lang
        yield site.extensions["shelf"].library


def _said(library: Library, lang: str, code: str, value: str) -> str:
    """An error about what was typed, in the words that all games share."""
    error = referee.fault(library, RulesError(code, value=typed(value)), lang).error
    assert error
    return error.message


def _referee(args: argparse.Namespace) -> int:
    library = _library()
    if args.describe:
        json.dump(referee.describe(library.games[args.describe]), sys.stdout, ensure_ascii=False, indent=2)
        print()
        return 0
    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        if line.strip():
            out.write(referee.answer_line(library, line) + b"\n")
            out.flush()
    return 0


def _play(args: argparse.Namespace) -> int:
    book = _library().games[args.game]
    game, words = book.game, book.words[args.lang]
    seed = random.randrange(2**32) if args.seed is None else args.seed  # nosec B311
    chosen = random.Random(seed)  # nosec B311
    try:
        state = game.setup({} if args.players is None else {"players": args.players})
    except RulesError as error:
        print(words.errors[error.code].text(words, error.values), file=sys.stderr)
        return 2
    print(f"# {book.rulebooks[args.lang].title}, --players {game.seats(state)} --seed {seed}")
    while game.turn(state):
        move = game.chance(state, chosen) if CHANCE in game.turn(state) else chosen.choice(game.moves(state))
        print(f"{game.format_move(move):<24} {words.say_deed(game.tell(state, move))}")
        state = game.play(state, move)
    outcome = game.outcome(state)
    assert outcome
    print(game.format_position(state))
    for seat, score in enumerate(outcome.scores, 1):
        won = " *" if seat in outcome.winners else ""
        print(f"{words.word(f'p{seat}')}: {score}{won}")
    print(f"{book.rulebooks[args.lang].blocks[outcome.reason].title} ({outcome.reason})")
    return 0


def _bench(args: argparse.Namespace) -> int:
    from tutor.bench import NoRedis, bench, live, search

    library = _library()
    results: Mapping[str, float | str]
    if args.what == "search":
        results = search(library, args.games)
    elif args.what == "live":
        try:
            results = live(library, args.followers, args.tables, args.store, args.beats)
        except NoRedis as missing:
            raise SystemExit(str(missing)) from None
    else:
        results = bench(library, args.seconds)
    if args.json:
        print(json.dumps(results, indent=2))
    else:
        for name, value in results.items():
            print(f"{name:<48} {value:>12}" if isinstance(value, str) else f"{name:<48} {value:>12,.2f}")
    return 0
