"""The commands of `tutor`; `tutor --help` lists them."""

import argparse
import http.client
import json
import logging
import os
import random
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from rapidfuzz import process

from tutor import __version__, new
from tutor.book.check import language_of
from tutor.book.load import Library, load
from tutor.book.summary import summary
from tutor.book.words import LANGUAGES, TEMPLATE_LANGUAGE
from tutor.games import GAMES
from tutor.games.tables import brain_of, check_all, rows_of
from tutor.lessons import proof as lessons
from tutor.lessons.course import courses
from tutor.live import log as live
from tutor.live.floor import Floor
from tutor.live.log.backup import BadBackup, backup, restore
from tutor.lookup.records import ids
from tutor.paths import CONTENT, TRANSLATIONS
from tutor.play.arena import fight
from tutor.play.bots import BOTS
from tutor.play.cover import cover
from tutor.referee import programs
from tutor.rules.base import CHANCE
from tutor.rules.errors import RulesError, quote_input
from tutor.search.opening import NoPlace, place_of
from tutor.search.rulebook import build, fingerprint

ROOT = Path(__file__).resolve().parent.parent
"""The checkout, if this is one."""
HEALTH_TIMEOUT_SECONDS = 5
"""Seconds for which `tutor health` waits for a server."""


def database() -> Path:
    """Where rulebook.db is kept unless TUTOR_DB says otherwise: beside the reader's other caches. To the name
    its fingerprint is added, so that two versions of the program do not share one."""
    named = os.environ.get("TUTOR_DB")
    if named:
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "rules-tutor" / "rulebook.db"


def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    try:
        status: int = args.run(args)
        sys.stdout.flush()  # what is short is written only now
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
    serve.add_argument("--host", default="127.0.0.1", help="an address, or unix:FILE for a socket there")
    serve.add_argument("--port", type=_port, default=8000)
    serve.add_argument("--workers", type=_workers, default=2)
    serve.add_argument("--pid", metavar="FILE", help="where the number of the process is written")
    serve.set_defaults(run=_serve)

    dev = commands.add_parser("dev", help="serve the site to its author: what is saved is seen at once")
    dev.add_argument("--port", type=_port, default=8000)
    dev.set_defaults(run=_dev)

    health = commands.add_parser("health", help="ask a server how it is; exit status 1 unless it is well")
    health.add_argument("url", nargs="?", default="http://127.0.0.1:8000", help="default: %(default)s")
    health.set_defaults(run=_health)

    checker = commands.add_parser(
        "check", help="check that the content is right and the site runs; exit status 1 on any problem"
    )
    checker.add_argument("--game", choices=GAMES, help="one game only")
    checker.add_argument("--lang", choices=LANGUAGES, help="what is in this language, or in none, only")
    checker.add_argument("--json", action="store_true", help="one JSON list of problems")
    checker.add_argument("--quick", action="store_true", help="content only: do not try the pages")
    checker.add_argument("--content", type=Path, default=CONTENT)
    checker.add_argument("--translations", type=Path, default=TRANSLATIONS)
    checker.set_defaults(run=_check)

    writer = commands.add_parser("new", help="write something to begin with into a checkout")
    kinds = writer.add_subparsers(required=True, metavar="what")
    newcomer = kinds.add_parser(
        "game", help="a small game, complete and registered, to be changed into yours"
    )
    newcomer.add_argument("id", help="a word of small letters, as its addresses have it")
    newcomer.set_defaults(run=_new_game)

    builder = commands.add_parser("build", help="build rulebook.db")
    builder.add_argument("database", type=Path, nargs="?", help="default: where `serve` keeps it")
    builder.set_defaults(run=_build)

    tables = commands.add_parser("live", help="look after the live tables, also while they are served")
    whats = tables.add_subparsers(required=True, metavar="what")
    saver = whats.add_parser(
        "backup", help="write all tables and played games into a file that only you can read"
    )
    saver.add_argument("file", type=Path)
    saver.set_defaults(run=_backup)
    restorer = whats.add_parser("restore", help="put what a backup holds back; exit status 1 if some exist")
    restorer.add_argument("file", type=Path)
    restorer.add_argument("--replace", action="store_true", help="replace tables that exist")
    restorer.set_defaults(run=_restore)
    state = whats.add_parser("status", help="print where tables are kept, in which form, and how many")
    state.set_defaults(run=_status)

    story = commands.add_parser("lesson", help="print the storyline of a game as its author wants to see it")
    story.add_argument("game", choices=GAMES)
    story.add_argument("--lang", choices=LANGUAGES, default=TEMPLATE_LANGUAGE, help="language of the titles")
    story.add_argument("--json", action="store_true")
    story.set_defaults(run=_lesson)

    search = commands.add_parser(
        "search", help="search rules, rulings and terms; exit status 1 if nothing has the words"
    )
    search.add_argument("query", help="what a player would type, in any language")
    search.add_argument("--lang", choices=LANGUAGES, default=TEMPLATE_LANGUAGE, help="language of the answer")
    search.add_argument("--game", choices=GAMES, default="", help="default: all games")
    search.add_argument("--json", action="store_true", help="the answer of the API")
    search.set_defaults(run=_search)

    rule = commands.add_parser("rule", help="print a rule, ruling or edition note by its id")
    rule.add_argument("id", help="such as border.first.open; exit status 1 if there is no such id")
    rule.add_argument("--lang", choices=LANGUAGES, default=TEMPLATE_LANGUAGE)
    rule.add_argument("--json", action="store_true", help="the answer of the API")
    rule.set_defaults(run=_rule)

    judge = commands.add_parser("referee", help="judge moves: one JSON object a line in, one out")
    judge.add_argument("--describe", metavar="GAME", choices=GAMES, help="print what a program needs to know")
    judge.set_defaults(run=_referee)

    play = commands.add_parser("play", help="watch a random game")
    play.add_argument("game", choices=GAMES)
    play.add_argument("--players", type=int, default=None, help="default: the usual number")
    play.add_argument("--seed", type=int, default=None)
    play.add_argument("--lang", choices=LANGUAGES, default=TEMPLATE_LANGUAGE)
    play.set_defaults(run=_play)

    arena = commands.add_parser("arena", help="let bots play games against each other")
    arena.add_argument("game", choices=GAMES)
    arena.add_argument(
        "--bots", type=_bots, default="sound,greedy", help="one a seat, with commas: " + ", ".join(BOTS)
    )
    arena.add_argument("--games", type=_games, default=100)
    arena.add_argument("--seed", type=int, default=1)
    arena.add_argument("--json", action="store_true")
    arena.set_defaults(run=_arena)

    coverage = commands.add_parser("cover", help="count how often each rule comes up in games between bots")
    coverage.add_argument("game", choices=GAMES)
    coverage.add_argument("--games", type=_games, default=200)
    coverage.add_argument("--seed", type=int, default=1)
    coverage.add_argument("--json", action="store_true")
    coverage.set_defaults(run=_cover)
    return parser


def _bots(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    unknown = [name for name in names if name not in BOTS]
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no bot {unknown[0]!r}; there are {', '.join(BOTS)}")
    return names


def _games(text: str) -> int:
    return _whole_number(text, 1, 100_000)


def _port(text: str) -> int:
    return _whole_number(text, 1, 65_535)


def _workers(text: str) -> int:
    return _whole_number(text, 1, 1000)


def _whole_number(text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdecimal() and least <= int(text) <= most):
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from {least} to {most}")
    return int(text)


def _library() -> Library:
    library = load(CONTENT)
    if library.problems:
        raise SystemExit("\n".join(map(str, library.problems)))
    return library


def _serve(args: argparse.Namespace) -> int:
    from tutor.web.serve import prepare, serve, settings

    try:
        settings(args.host, args.port, args.workers, args.pid)  # first: what is wrong there is told at once
        site = prepare(database())  # once, here: the workers are forked from this process
    except (ValueError, NoPlace) as problems:
        raise SystemExit(str(problems)) from None
    serve(site, database(), args.host, args.port, args.workers, args.pid)
    return 0


def _dev(args: argparse.Namespace) -> int:
    from tutor.web import dev

    try:
        dev.serve(args.port)
    except OSError as error:
        raise SystemExit(f"port {args.port}: {error.strerror}") from None
    return 0


def _health(args: argparse.Namespace) -> int:
    """Nothing of the site is loaded for that, and no proxy of the surroundings is asked."""
    try:
        status, told = _ask(args.url)
    except (OSError, ValueError, http.client.HTTPException) as error:
        status, told = 0, str(error)
    if status == 200:
        print(told)
        return 0
    print(f"{args.url}: {told}", file=sys.stderr)
    return 1


def _ask(address: str) -> tuple[int, str]:
    """The status of a server, and what it says of itself in a line."""
    kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
    url = urlsplit(address)
    if url.scheme not in kinds or not url.netloc:
        raise ValueError("an address begins with http:// or https:// and a name")
    connection = kinds[url.scheme](url.netloc, timeout=HEALTH_TIMEOUT_SECONDS)
    connection.request("GET", url.path.rstrip("/") or "/healthz")
    answer = connection.getresponse()
    if answer.headers.get_content_type() != "text/plain":
        return answer.status, f"{answer.status} {answer.reason}"
    return answer.status, ", ".join(answer.read(1000).decode("ascii", "replace").split("\n")).rstrip(", ")


def _check(args: argparse.Namespace) -> int:
    games = {args.game: GAMES[args.game]} if args.game else GAMES
    langs = (args.lang,) if args.lang else LANGUAGES
    problems = check_all(args.content, args.translations, games)
    tried = not problems and not args.quick
    if tried:
        from tutor.web.proof import prove

        problems = prove(args.content, games, langs)
    problems = [problem for problem in problems if language_of(problem) in (None, *langs)]
    if args.json:
        rows = [{"file": str(p.file), "line": p.line, "problem": p.text} for p in problems]
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        for line in summary(problems):
            print(line)
        for problem in problems:
            print(problem)
        for note in [] if problems else new.list_left(ROOT, args.content, games):
            if language_of(note) in langs:
                print(f"note: {note}")
        many = "1 problem" if len(problems) == 1 else f"{len(problems) or 'no'} problems"
        untried = "; no page was tried: mend these first" if problems and not (args.quick or tried) else ""
        print(many + untried, file=sys.stderr)
    return 1 if problems else 0


def _new_game(args: argparse.Namespace) -> int:
    try:
        written = new.write(ROOT, args.id, GAMES)
    except new.NotNow as reason:
        raise SystemExit(str(reason)) from None
    for path in written:
        print(path.relative_to(ROOT))
    print(f"Change it into yours; `tutor check --game {args.id}` tells what is left.", file=sys.stderr)
    return 0


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
    library = _library()
    more = rows_of(courses(library))
    path = args.database or place_of(database(), fingerprint(library, more))
    try:
        build(library, path, more)
    except (OSError, sqlite3.Error) as error:
        raise SystemExit(f"{path} cannot be written: {error}") from None
    print(path)
    return 0


@contextmanager
def _live_tables(new: bool = False) -> Iterator[live.Log]:
    """The store of live tables; what is wrong with it, or with a backup, ends the program with one line."""
    logged = logging.getLogger("tutor.search.trouble")
    logged.disabled = True  # it is told here
    where = live.place_of(database())
    try:
        log = live.open_log(where)
        if "://" not in where and not new and not Path(where).exists():
            raise SystemExit(f"there are no live tables in {log.place}")
        with closing(log):
            yield log
    except live.Unavailable as error:
        raise SystemExit(f"live tables in {log.place}: {error}") from None
    except live.Taken as error:
        raise SystemExit(f"nothing is put back without --replace: {error}") from None
    except (BadBackup, OSError, ValueError) as error:
        raise SystemExit(str(error)) from None
    finally:
        logged.disabled = False


def _open_matches() -> live.Log:
    return live.open_matches(live.place_of(database()))


def _backup(args: argparse.Namespace) -> int:
    with _live_tables() as log, closing(_open_matches()) as games:
        count = backup(log, games, args.file)
    print(f"{args.file}: tables and games saved: {count}")
    return 0


def _restore(args: argparse.Namespace) -> int:
    with _live_tables(new=True) as log, closing(_open_matches()) as games:
        count = restore(log, games, args.file, args.replace)
    print(f"{log.place}: tables and games put back: {count}")
    return 0


def _status(args: argparse.Namespace) -> int:
    with _live_tables() as log:
        codes, form, guests = log.codes(), log.schema(), 0
        for code in codes:
            floor = Floor()
            with suppress(live.NoTable):
                floor.add(log.read(code, "floor"))
            guests += len(floor.guests)
    print(f"store   {log.place}\nform    {form}\ntables  {len(codes)}\nguests  {guests}")
    return 0


def _search(args: argparse.Namespace) -> int:
    from tutor.web.api import operations

    with _asking(args.lang) as library:
        found = operations.search(operations.Parameters(args.lang, game=args.game, q=args.query))
    if args.json:
        print(msgspec.json.encode(found).decode())
    if found.near or not found.results:
        print(_explain(library, args.lang, "nothing", args.query), file=sys.stderr)
    for one in () if args.json else found.results:
        print(f"{one.title}\n    {one.id} ({one.kind}, {one.game}) {one.url}\n    {one.snippet}")
    return 0 if found.results and not found.near else 1


def _rule(args: argparse.Namespace) -> int:
    from tutor.web.api import operations

    with _asking(args.lang) as library:
        known = ids(library)
        if args.id not in known:
            near = [name for name, *_ in process.extract(args.id, known, limit=3, score_cutoff=60)]
            print("\n  ".join([_explain(library, args.lang, "id", args.id), *near]), file=sys.stderr)
            return 1
        found = operations.find(args.id, args.lang, "rule", "ruling", "edition")
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
    except (ValueError, NoPlace) as problems:
        raise SystemExit(str(problems)) from None
    with site.test_request_context():
        g.lang = lang
        yield site.extensions["shelf"].library


def _explain(library: Library, lang: str, code: str, value: str) -> str:
    """An error about what was typed, in the words that all games share."""
    error = programs.fault(library, RulesError(code, value=quote_input(value)), lang).error
    assert error
    return error.message


def _referee(args: argparse.Namespace) -> int:
    library = _library()
    if args.describe:
        json.dump(programs.describe(library.games[args.describe]), sys.stdout, ensure_ascii=False, indent=2)
        print()
        return 0
    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        if line.strip():
            out.write(programs.answer_line(library, line) + b"\n")
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


def _arena(args: argparse.Namespace) -> int:
    book = _library().games[args.game]
    try:
        found = fight(book.game, brain_of(book.game), args.bots, args.games, args.seed).report()
    except RulesError as error:
        words = book.words[TEMPLATE_LANGUAGE]
        print(words.errors[error.code].text(words, error.values), file=sys.stderr)
        return 2
    if args.json:
        print(json.dumps(found))
        return 0
    for name, won in found["wins"].items():
        least, most = found["interval"][name]
        share = f"{found['share'][name]:.1%} ({least:.1%} to {most:.1%})"
        print(f"{name:<12} {won:>8.1f} of {found['games']}  {share}")
    for rule, count in found["ended"].items():
        print(f"ended by {rule}: {count}")
    print(f"{found['moves']} moves; 99 of 100 choices within {found['p99_ms']} ms")
    return 0


def _cover(args: argparse.Namespace) -> int:
    library = _library()
    book = library.games[args.game]
    rules = {rule: fact for rule, fact in book.facts.rules.items() if not fact.technical}
    found = cover(book.game, brain_of(book.game), args.games, args.seed).report(rules)
    short = courses(library)[args.game].lessons.first.rules
    met = [rule for rule in short if rule not in found["never"]]
    found["lesson"] = {"rules": len(short), "met": len(met)}
    found["shown"] = {rule: _scenario_of(library, args.game, rule) for rule in found["never"]}
    if args.json:
        print(json.dumps(found, indent=2))
        return 0
    print(f"{'rule':<36} allowed refused decided  games of {found['games']}")
    for rule, row in found["rules"].items():
        print(f"{rule:<36} {row['allowed']:>7} {row['refused']:>7} {row['decided']:>7} {row['games']:>6}")
    print(f"of the {len(short)} rules of the first lesson, {len(met)} came up")
    for rule, scenario in found["shown"].items():
        print(f"never: {rule}, shown by {scenario or 'no scenario'}")
    return 0


def _scenario_of(library: Library, game: str, rule: str) -> str:
    """Where a rule is shown: scenario and step."""
    for name, run in library.runs[game].items():
        for step, played in run.steps.items():
            if rule in (*played.file.shows, *played.cited, *(reason.rule for reason in played.reasons)):
                return f"{name}/{step}"
    return ""
