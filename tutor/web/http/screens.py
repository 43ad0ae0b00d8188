"""Screens of a lesson in addresses: what was done on one, and the addresses that lead on from it."""

import random
from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import urlencode

from flask import request
from werkzeug.datastructures import MultiDict

from tutor.lessons.input import NO_INPUT, Input, Replies
from tutor.lessons.scene import Link, Option
from tutor.lessons.screen_views import ScreenView, Task
from tutor.rules.base import Game
from tutor.web.http import address
from tutor.web.http.security import LONGEST_ADDRESS_CHARS
from tutor.web.http.shelf import shelf

dice = random.SystemRandom()
MOST_CHOICES = 40
"""No question has more answers."""
MOST_PICKS = 30


class Here:
    """Addresses of the same screen with other moves, picks, help or answers."""

    def __init__(self, address: str, **kept: str) -> None:
        """`kept` is what else the address says, whatever is done on the screen."""
        self.address = address
        self.kept = {name: value for name, value in kept.items() if value}

    def __call__(
        self,
        moves: tuple[str, ...] = (),
        pick: str = "",
        help: int = 0,
        replies: Replies = NO_INPUT.replies,
        choices: Iterable[str] = (),
    ) -> str:
        values = {"help": str(help or ""), "pick": pick, "said": replies.text, "moves": ";".join(moves)}
        kept = [*self.kept.items(), *((name, value) for name, value in values.items() if value)]
        if choices:
            kept += [*(("choice", value) for value in choices), ("check", "1")]
        return f"{self.address}?{urlencode(kept)}" if kept else self.address or "?"

    def link(self, game: Game, view: Task) -> Link:
        """A board needs some ninety addresses that differ in their end only. Each miss brings more help."""
        played = view.attempt.played
        here = self(moves=played, help=view.help + view.attempt.missed)
        joined = "&" if "?" in here else "?"
        # Moves come last in our addresses, so that one more is added at the end.
        next_move = f"{here}%3B" if played else f"{here}{joined}moves="
        next_pick = f"{here}{joined}pick="

        def to(option: Option) -> str:
            if option.move:
                return next_move + address.quote_part(game.format_move(option.move))
            return next_pick + address.quote_part(" ".join(option.picks)) if option.picks else here

        return to


def read_input(values: MultiDict[str, str] | None = None) -> Input:
    """What the address, or a form, says beside the screen; what makes no sense there is left out, and so is
    what no address would have room for."""
    values = request.args if values is None else values
    moves, picks = (
        values.get("moves", "")[:LONGEST_ADDRESS_CHARS],
        values.get("pick", "")[:LONGEST_ADDRESS_CHARS],
    )
    return Input(
        moves=tuple(move for move in moves.split(";") if move.strip()),
        picks=tuple(dict.fromkeys(picks.split()))[:MOST_PICKS],
        help=min(address.number(values.get("help", "0")), 99),
        choices=frozenset(choice for choice in values.getlist("choice")[:MOST_CHOICES] if len(choice) < 200),
        checked="check" in values,
        replies=Replies.parse(values.get("said", "")),
    )


def put_back(game: str, view: ScreenView) -> list[str]:
    """What lies again where the learner's last move acts, once it is taken back."""
    if not isinstance(view, Task) or not view.attempt.off or not view.scene:
        return []
    tried = view.attempt
    places = [place for deed in tried.deeds[len(tried.taken_back) :] for place in deed.at]
    scene = replace(view.scene, state=tried.restored, marks=())
    return shelf().list_lying(game, scene, places)
