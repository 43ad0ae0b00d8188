"""Breaks the engines on purpose, one small change at a time, and counts what their tests notice.

    python -m tests.mutants border              # or `make mutants`, for all games

The tests of a game are collected once. For each mutant a fork of that process takes over the changed code
and runs them, scenarios first, until one fails. Where a game has more than MOST mutants, a fixed choice of
them is tried. `equivalent.toml` names those that no test can notice, each with the reason.
"""

import ast
import copy
import hashlib
import importlib
import json
import os
import resource
import signal
import sys
import time
import tomllib
import types
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from _pytest.runner import runtestprotocol

from tests import ROOT

MODULES = {
    "border": ("verdicts", "scoring"),
    "blockers": ("verdicts", "scoring"),
    "confini": ("verdicts", "answers", "checks", "scoring", "tasks", "fights", "effects"),
}
TESTS = ("tests/book/test_scenarios.py", "tests/games", "tests/rules")
FIRST = ("test_scenarios", "test_golden", "every_verdict")
"""What finds most, in this order; then comes what has found most in little time."""
MOST = int(os.environ.get("MUTANTS", "400"))
SECONDS = 6
"""Of computing. Who needs more in one test has lost itself; who needs more in all of them is alive."""
MEMORY = 2 << 30
GOAL = 0.95
EQUIVALENT = Path(__file__).parent / "equivalent.toml"

OPERATORS: dict[type[ast.AST], Any] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
REMOVED = ast.Expr | ast.AugAssign | ast.Raise | ast.Continue | ast.Break | ast.If
ASKED = ast.Name | ast.Attribute | ast.Call | ast.NamedExpr
"""Conditions that are turned round; others have an operator of their own to be changed."""
SKIPPED = ast.Assert | ast.Import | ast.ImportFrom


class Mutant(NamedTuple):
    id: str
    """Module, function, what was there and what is there now; it does not change with the lines around it."""
    line: int
    module: str
    in_function: bool
    change: Callable[[], ast.Module]
    """Changes the tree of the module, for good."""


def changes(node: Any, rules: list[str]) -> Iterator[ast.AST]:
    """What may stand in the place of a node."""
    new = copy.copy(node)
    match node:
        case ast.Compare():
            for i, op in enumerate(node.ops):
                ops = [*node.ops[:i], OPERATORS[type(op)](), *node.ops[i + 1 :]]
                yield ast.Compare(node.left, ops, node.comparators)
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign():
            new.op = OPERATORS[type(node.op)]()
            yield new
        case ast.UnaryOp():
            yield node.operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=str(value)):  # another rule is harder to notice than none
            yield ast.Constant(rules[rules.index(value) - 1] if value in rules else value + "x")
        case ast.Return(value=ast.expr()) if text_of(node) != "return None":
            yield ast.Return(ast.Constant(None))
        case ast.If() | ast.IfExp() if isinstance(node.test, ASKED):
            new.test = ast.UnaryOp(ast.Not(), node.test)
            yield new
    if isinstance(node, REMOVED) and not getattr(node, "orelse", None):
        yield ast.Pass()


def places(
    node: ast.AST, around: tuple[str, ...] = ()
) -> Iterator[tuple[Any, list[Any] | ast.AST, Any, str]]:
    """Every node that may be changed: what holds it, where in that, and the functions around it."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        around = (*around, node.name)
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases"):
            continue
        many = isinstance(value, list)
        for key, child in enumerate(value) if many else [(name, value)]:
            said = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            said |= isinstance(child, ast.keyword) and child.arg == "strict"  # that only asserts something
            if isinstance(child, ast.AST) and not said and not isinstance(child, SKIPPED):
                yield child, value if many else node, key, ".".join(around)
                yield from places(child, around)


def text_of(node: ast.AST) -> str:
    text = " ".join(ast.unparse(ast.fix_missing_locations(node)).split())
    return text if len(text) <= 90 else text[:89] + "…"


def mutants(game: str, module: str) -> Iterator[Mutant]:
    name = f"tutor.games.{game}.engine.{module}"
    tree = ast.parse(ROOT.joinpath(*name.split(".")).with_suffix(".py").read_text("utf-8"))
    strings = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    rules = list(dict.fromkeys(s for s in strings if isinstance(s, str) and s.startswith(f"{game}.")))
    seen: Counter[str] = Counter()
    for node, holder, key, around in places(tree):
        for new in changes(node, rules):

            def change(holder: Any = holder, key: Any = key, new: ast.AST = new) -> ast.Module:
                holder.__setitem__(key, new) if isinstance(holder, list) else setattr(holder, key, new)
                return ast.fix_missing_locations(tree)

            about = f"{module}.{around}: {text_of(node)} -> {text_of(new)}"
            seen[about] += 1
            again = f" #{seen[about]}" if seen[about] > 1 else ""
            yield Mutant(about + again, node.lineno, name, bool(around), change)


def take_over(mutant: Mutant) -> None:
    """The functions that everybody has imported get the changed code; a changed table is put in its place."""
    old = importlib.import_module(mutant.module)
    new: dict[str, Any] = {"__name__": mutant.module}
    exec(compile(mutant.change(), mutant.module, "exec"), new)
    for name, value in new.items():
        was = getattr(old, name, None)
        own = getattr(value, "__module__", None) == mutant.module
        if own and isinstance(value, type | types.FunctionType):
            for mine, its in [
                (was, value),
                *((vars(was).get(key), part) for key, part in vars(value).items()),
            ]:
                if isinstance(mine, types.FunctionType) and isinstance(its, types.FunctionType):
                    mine.__code__, mine.__defaults__ = its.__code__, its.__defaults__
        elif not mutant.in_function and value != was:
            for module in [one for key, one in sys.modules.items() if key.startswith("tutor.games.")]:
                if getattr(module, name, None) is was:
                    setattr(module, name, value)


class Runner:
    """A plugin of pytest that runs the collected tests once for each mutant."""

    def __init__(self, game: str, only: str) -> None:
        everything = [mutant for module in MODULES[game] for mutant in mutants(game, module)]
        known = tomllib.loads(EQUIVALENT.read_text("utf-8"))[game]
        self.unknown = sorted(known.keys() - {mutant.id for mutant in everything})
        wanted = [mutant.id for mutant in everything if only in mutant.id]
        chosen = set(sorted(wanted, key=lambda name: hashlib.sha256(name.encode()).digest())[:MOST])
        self.game, self.total, self.equivalent = game, len(wanted), len(chosen & known.keys())
        self.mutants = [mutant for mutant in everything if mutant.id in chosen - known.keys()]
        self.alive: list[Mutant] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = session.items
        print(f"{self.game}: {len(items)} tests, {self.total} mutants, {len(self.mutants)} tried")
        needs = json.loads(answer_of(lambda: json.dumps(durations(items))))
        kills: Counter[str] = Counter()

        def rank(item: pytest.Item) -> tuple[int, float]:
            place = next((i for i, name in enumerate(FIRST) if name in item.nodeid), len(FIRST))
            return place, -(0.1 + kills[item.name]) / (0.001 + needs[item.name])

        for mutant in self.mutants:
            order, began = sorted(items, key=rank), time.monotonic()
            by = answer_of(partial(first_failure, order, mutant))
            kills[by] += 1
            lasted = f"{time.monotonic() - began:5.1f}s line {mutant.line}"
            print("killed" if by else "ALIVE ", lasted, mutant.id, by and f"[{by}]", flush=True)
            if not by:
                self.alive.append(mutant)
        return True


def answer_of(work: Callable[[], str]) -> str:
    """What a process of its own answers, or that it got lost."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            for stream in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            os.write(writer, work().encode())
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader) as answer:
        said = answer.read()
    return "lost" if os.waitpid(child, 0)[1] else said


def durations(items: list[pytest.Item]) -> dict[str, float]:
    """How long each test takes; they all pass as long as nothing is broken."""
    found = {}
    for item, following in zip(items, [*items[1:], None], strict=True):
        began = time.process_time()
        assert passes(item, following), item
        found[item.name] = time.process_time() - began
    return found


def first_failure(items: list[pytest.Item], mutant: Mutant) -> str:
    """The test that notices the mutant; empty if none does."""
    try:
        take_over(mutant)
    except Exception as error:
        return f"import: {type(error).__name__}"
    began = time.process_time()
    for item, following in zip(items, [*items[1:], None], strict=True):
        if time.process_time() - began > SECONDS:
            break
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)  # its signal ends the process
        if not passes(item, following):
            return item.name
    return ""


def passes(item: pytest.Item, following: pytest.Item | None) -> bool:
    return not any(report.failed for report in runtestprotocol(item, nextitem=following, log=False))


def main(words: list[str]) -> int:
    """Names of games, and then, if anything, a part of the ids of the mutants to try."""
    games = [word for word in words if word in MODULES] or list(MODULES)
    only = words[-1] if words and words[-1] not in MODULES else ""
    short = False
    for game in games:
        runner = Runner(game, only)
        pytest.main(["-q", "-s", "-p", "no:cacheprovider", "-k", game, *TESTS], [runner])
        tried, alive = len(runner.mutants), len(runner.alive)
        print(f"{game}: {tried - alive} of {tried} killed, and {runner.equivalent} that nothing can notice")
        print(*(f"  alive: line {mutant.line} {mutant.id}\n" for mutant in runner.alive), sep="", end="")
        print(*(f"  {EQUIVALENT.name} names what is not there: {name}\n" for name in runner.unknown), sep="")
        short |= tried - alive < GOAL * tried or bool(runner.unknown)
    return int(short)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
