"""A text file of the content: read, taken apart as TOML, and searched for the line of a key.

Whatever an author did to a file, reading it ends in problems with their lines, never in an exception.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin

import msgspec

T = TypeVar("T")

_PART = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_NAME = rf"({_PART}(?:\s*\.\s*{_PART})*)"
_HEADER = re.compile(rf"\s*\[\[?\s*{_NAME}\s*\]\]?")
_KEY = re.compile(rf"\s*{_NAME}\s*=")

Keys = tuple[str | int, ...]
Todo = Literal["write", "add", "translate", "mend"]
"""What is to be done about a problem: write a file, add a text, translate one, mend something."""


@dataclass(frozen=True)
class Problem:
    """Something wrong in the content, with the place where its author can mend it."""

    file: Path
    line: int
    text: str
    todo: Todo = "mend"
    count: int = 1
    """How often it is there, if only the first place is told."""
    lang: str = ""
    """The one language it is about, where the file holds several and does not tell."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


@dataclass(frozen=True)
class Source:
    """A file and its text."""

    path: Path
    text: str

    def problem(self, text: str, *keys: str | int, todo: Todo = "mend", lang: str = "") -> Problem:
        """A problem at the line of a TOML key, named from the outermost table inwards."""
        return Problem(self.path, self.line(*keys), text, todo, lang=lang)

    def line(self, *keys: str | int) -> int:
        """The line of a key, or of the innermost table around it that the file has; the first line if none.

        A number counts the tables of an array: ("step", 2) is the third [[step]].
        """
        for length in range(len(keys), 0, -1):
            if keys[:length] in self._lines:
                return self._lines[keys[:length]]
        return 1

    @cached_property
    def _lines(self) -> dict[Keys, int]:
        found: dict[Keys, int] = {}
        table: Keys = ()
        for number, text in enumerate(self.text.splitlines(), 1):
            header, key = _HEADER.match(text), _KEY.match(text)
            if header:
                table = _keys(header[1])
                if text.lstrip().startswith("[["):
                    table = (*table, sum(known[:-1] == table for known in found))
                    found.setdefault(table[:-1], number)
                found.setdefault(table, number)
            elif key:
                found.setdefault((*table, *_keys(key[1])), number)
        return found


def _keys(name: str) -> Keys:
    return tuple(part.strip("\"'") for part in re.findall(_PART, name))


def read(path: Path) -> Source | Problem:
    """The text of a file, or why there is none."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return Problem(path, 1, "there is no such file", "write")
    except OSError as error:
        return Problem(path, 1, f"cannot be read: {error.strerror}")
    try:
        return Source(path, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        return Problem(path, data.count(b"\n", 0, error.start) + 1, "is not UTF-8")


def toml(source: Source) -> dict[str, Any] | Problem:
    try:
        return tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        told = re.search(r"at line (\d+)", str(error))
        line = int(told[1]) if told else len(source.text.splitlines()) or 1
        return Problem(source.path, line, f"is not TOML: {error}")


def model(source: Source, data: dict[str, Any], kind: type[T]) -> T | list[Problem]:
    """The data as a content model, or all that does not fit it."""
    problems = [source.problem(text, *keys) for keys, text in _faults(data, kind)]
    return problems or msgspec.convert(data, kind)


def _faults(data: Any, kind: Any, at: Keys = ()) -> Iterator[tuple[Keys, str]]:
    """Every value that does not fit; msgspec alone would stop at the first and not name its key."""
    name = ".".join(map(str, at))
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and isinstance(data, dict):
        fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
        for key in data.keys() - fields.keys():
            yield (*at, key), f"unknown key {'.'.join([*map(str, at), key])}"
        for key, field in fields.items():
            if key in data:
                yield from _faults(data[key], field.type, (*at, key))
            elif field.required:
                yield at, f"{name}: {key} is missing" if name else f"{key} is missing"
    elif get_origin(kind) is dict and isinstance(data, dict):
        for key, value in data.items():
            yield from _faults(value, get_args(kind)[1], (*at, key))
    elif get_origin(kind) is tuple and get_args(kind)[1:] == (...,) and isinstance(data, list):
        for i, value in enumerate(data):
            yield from _faults(value, get_args(kind)[0], (*at, i))
    else:
        try:
            msgspec.convert(data, kind)
        except msgspec.ValidationError as error:
            yield at, f"{name}: {error}"
