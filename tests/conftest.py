"""What all tests share: the library, the site, and a client that checks every page it fetches."""

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
