"""What all tests share: the library, the site, and a client that checks every page it fetches."""

import os
import random
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask

from tests.pages import PageClient
from tutor.book.load import Library, load
from tutor.paths import CONTENT
from tutor.rules.base import CHANCE, Game
from tutor.web import create_app


@pytest.fixture(scope="session")
def library() -> Library:
    found = load(CONTENT)
    assert not found.problems
    return found


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    return create_app(tmp_path_factory.mktemp("db") / "rulebook.db")


@pytest.fixture
def client(app: Flask) -> PageClient:
    return PageClient(app)


def positions(game: Game, options: dict[str, Any], seed: int) -> Iterator[tuple[Any, Any]]:
    """A whole random game: every position with the move made in it; the last one with None."""
    chosen = random.Random(seed)
    state = game.setup(options)
    while game.turn(state):
        move = game.chance(state, chosen) if CHANCE in game.turn(state) else chosen.choice(game.moves(state))
        yield state, move
        state = game.play(state, move)
    yield state, None


SOAK = int(os.environ.get("TUTOR_SOAK", "1"))
"""How many times as much random tests do under `make soak`."""


def some(game: Game, options: dict[str, Any], seed: int, most: int) -> list[tuple[Any, Any]]:
    """So many positions at most of a random game, evenly spread, the last one among them; more under soak."""
    all_of_it = list(positions(game, options, seed))
    step = max(1, len(all_of_it) // (most * SOAK))
    return all_of_it[::-step][::-1]


def damaged(text: str, others: list[str], chosen: random.Random) -> str:
    """A position with one part dropped, doubled, taken from another position, cut, or changed by a letter."""
    parts = text.split()
    i = chosen.randrange(len(parts))
    match chosen.randrange(6):
        case 0:
            del parts[i]
        case 1:
            parts.insert(i, parts[i])
        case 2:
            parts[i] = chosen.choice(chosen.choice(others).split())
        case 3:
            parts[i] = parts[i][: chosen.randrange(len(parts[i]))]
        case 4:
            at = chosen.randrange(len(parts[i]) + 1)
            parts[i] = parts[i][:at] + chosen.choice("0129pABGx=:,+-?@#é") + parts[i][at:]
        case _:
            at = chosen.randrange(len(parts[i]))
            parts[i] = parts[i][:at] + chosen.choice("0129pABGx=:,+-?@#é") + parts[i][at + 1 :]
    return " ".join(parts)
