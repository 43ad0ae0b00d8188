"""An address of every kind of page that the site has, for every game, found in its routes and lessons."""

from collections.abc import Iterator
from itertools import islice
from urllib.parse import urlencode

from tests.books import COURSES
from tutor.games.tables import list_offers, setup_of
from tutor.lessons.course import Course
from tutor.lessons.lesson import Screen
from tutor.lessons.practice import attempt
from tutor.lookup.rulings import slugs
from tutor.referee.packed import pack
from tutor.rules.base import CHANCE

PICKED = ["/{lang}/border/learn/grey?pick=G1+G2", "/{lang}/blockers/learn/capture?pick=5+groups"]
"""What can be picked before a move is made is known to the drawings alone."""


def kinds_of_page() -> list[str]:
    """With `{lang}` in the place of the language."""
    pages = ["/{lang}/", *PICKED]
    for name, course in COURSES.items():
        pages += referees(name, course)
        pages += [f"{name}/{page}" for page in ("", "rules", "compare", *list_offers(course))]
        pages += [f"{name}/rulings/{asked}" for asked in [*slugs(course)][:1]]
        told = [block.id for section in course.book.outline for block in section.blocks if block.lines]
        pages += [f"{name}/examples/{scenario}/" for scenario in told[:1]]
        pages += screens(name, course)
    return [page if page.startswith("/") else f"/{{lang}}/{page}" for page in pages]


def referees(name: str, course: Course) -> Iterator[str]:
    """The referee's pages: the ways to a table, moves that are allowed and not, and, if the game has any, the
    setting up, and what is left to chance after a move."""
    game = course.book.game
    steps = [step for run in course.runs.values() for step in run.steps.values()]
    refused = next(
        step for step in steps if step.file.refuse and step.kind == "refuse" and game.moves(step.before)
    )
    at = pack(game.format_position(refused.before))
    legal = next(move for move in game.moves(refused.before) if move.seat)
    yield f"{name}/referee"
    queries = [{"try": refused.file.refuse}, {"try": game.format_move(legal)}, {"list": "1"}]
    if setup_of(game).rows_known:
        queries.append({"edit": "1"})
    for query in queries:
        yield f"{name}/referee?{urlencode({'at': at} | query)}"
    left_to_chance = (
        {"at": pack(game.format_position(step.before)), "moves": game.format_move(move)}
        for step in steps
        for move in game.moves(step.before)
        if move.seat and CHANCE in game.turn(game.play(step.before, move))
    )
    yield from (f"{name}/referee?{urlencode(query)}" for query in islice(left_to_chance, 1))


def screens(name: str, course: Course) -> Iterator[str]:
    """The first screen of each kind with all that a learner can do there."""
    first = {screen.kind: screen for screen in reversed(course.lessons.screens.values())}
    for screen in first.values():
        address = f"{name}/learn/{screen.id}"
        yield address
        for query in _asked(course, screen):
            yield f"{address}?{urlencode(query)}"


def _asked(course: Course, screen: Screen) -> Iterator[dict[str, str]]:
    """What an address can say beside the screen: moves made, refused or not asked for, help, an answer."""
    if screen.kind == "do":
        game, step = course.book.game, course.runs[screen.scenario].steps[screen.step]
        yield {"moves": ";".join(step.file.play)}
        yield {"help": "3"}
        thought = game.thinkable(step.before, step.seat)
        wrong = [move for move in thought if not game.judge(step.before, move).ok]
        legal = [game.format_move(move) for move in game.moves(step.before) if move.seat == step.seat]
        off = [text for text in legal if attempt(game, step, (text,)).off]
        yield from ({"moves": text} for text in [*map(game.format_move, wrong[:1]), *off[-1:]])
    elif screen.kind in ("predict", "recap", "watch"):
        yield {"said": "n" if screen.kind == "recap" else "y"}
    elif screen.kind in ("choose", "ask"):
        yield {"check": "1", "choice": "0"}
