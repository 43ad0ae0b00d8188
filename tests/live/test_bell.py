"""The bell of live tables: whoever waits is woken, and one looks for all of them."""

from typing import Any, cast

import pytest

from tutor.live.bell import Bell
from tutor.live.log import Log, NoTable, Unavailable

SOON = 0.001


class Looking:
    def __init__(self) -> None:
        self.codes: list[str] = []
        self.error: Exception | None = None

    def __call__(self, code: str) -> Any:
        self.codes.append(code)
        if self.error:
            raise self.error


@pytest.fixture
def look() -> Looking:
    return Looking()


@pytest.fixture
def bell(look: Looking) -> Bell:
    return Bell(cast(Log, None), look)


def test_one_looks_for_all_who_wait(bell: Bell, look: Looking) -> None:
    with bell.waiting("a", "stage") as one, bell.waiting("a", "stage") as other:
        assert not one.seen
        bell.ring("a", "stage", 2)
        assert look.codes == ["a"]
        assert [(news.wait(SOON), news.seen) for news in (one, other)] == [(True, True)] * 2


def test_nobody_looks_where_nobody_waits(bell: Bell, look: Looking) -> None:
    with bell.waiting("a", "stage") as news:
        bell.ring("a", "floor", 2)
        bell.ring("b", "stage", 2)
        assert not news.wait(SOON)
    bell.ring("a", "stage", 3)
    assert look.codes == []


def test_after_a_while_without_news_everybody_looks_again(bell: Bell) -> None:
    with bell.waiting("a", "stage") as news:
        bell.ring("a", "stage", 2)
        news.clear()
        assert news.seen
        assert not news.wait(SOON)
        assert not news.seen


@pytest.mark.parametrize("error", [NoTable("a"), Unavailable("gone")])
def test_everybody_looks_where_looking_failed(bell: Bell, look: Looking, error: Exception) -> None:
    look.error = error
    with bell.waiting("a", "stage") as news:
        bell.ring("a", "stage", 2)
        assert news.wait(SOON)
        assert not news.seen


def test_everybody_looks_when_the_store_is_gone_or_back(bell: Bell) -> None:
    with bell.waiting("a", "stage") as news:
        for down in (True, False):
            bell.ring("a", "stage", 2)
            bell._turn(down)
            assert bell.down == down
            assert news.wait(SOON)
            assert not news.seen
