"""A long list of problems at a glance: what is to be done in which file, and how much of it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tutor.book.source import Problem, Todo

SAID: dict[Todo, str] = {"add": "missing", "translate": "the same as in another language", "mend": "wrong"}
"""How the problems of a file are summed up, in this order."""


def summary(problems: Sequence[Problem]) -> Iterator[str]:
    """Lines to be read before the list: the files that are missing, then what is to be done in the others."""
    if len(problems) < 2:
        return
    for problem in problems:
        if problem.todo == "write":
            yield f"{problem.file}: there is no such file"
    counts: dict[Path, Counter[Todo]] = {}
    for problem in problems:
        if problem.todo != "write":
            counts.setdefault(problem.file, Counter())[problem.todo] += problem.count
    for file, count in counts.items():
        yield f"{file}: " + ", ".join(f"{count[todo]} {said}" for todo, said in SAID.items() if count[todo])
    yield ""
