"""The working copy of a position while one move changes it, with the changes that all moves are made of."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

from tutor.games.confini.engine.board import Box
from tutor.games.confini.engine.cards import EXPLORER, put_in, take_out
from tutor.games.confini.engine.state import Position, State, Task, gear

NOBODY = 0
"""As a receiver of a card: the discards."""


class Table(Position):
    """A position that can be changed. It never leaves the engine: `freeze` makes the next position of it."""

    __slots__ = ("box",)  # beside the fields, which `freeze` takes over as they are
    box: Box

    @staticmethod
    def of(box: Box, position: Position) -> "Table":
        table = Table.__new__(Table)
        table.box = box
        table.__dict__ = position.__dict__.copy()
        return table

    def having(self, **changes: Any) -> Self:
        self.__dict__.update(changes)
        return self

    def freeze(self) -> State:
        """The position that the table has become. The table gives its fields away and is used no more."""
        self.__class__ = State  # type: ignore[assignment]
        return self  # type: ignore[return-value]

    # What is still to happen

    def ask_first(self, *tasks: Task) -> None:
        """These come before whatever waits already."""
        self.queue = (*tasks, *self.queue)

    def ask_last(self, *tasks: Task) -> None:
        self.queue = (*self.queue, *tasks)

    def finish_task(self) -> Task:
        """The first task, which is done with."""
        task = self.queue[0]
        self.queue = self.queue[1:]
        return task

    # Tokens

    def gain_eco(self, seat: int, change: int) -> None:
        """Gains over the maximum are lost, losses stop at none."""
        had = self.eco[seat - 1]
        has = max(0, min(gear(self.box, self, seat).eco_max, had + change))
        if has != had:
            self.eco = replace_at(self.eco, seat, has)

    def gain_spago(self, seat: int, change: int) -> None:
        """From the supply as far as there is any, or back to it as far as the player has any."""
        has = self.spago[seat - 1]
        moved = min(change, self.supply) if change > 0 else -min(-change, has)
        self.spago = replace_at(self.spago, seat, has + moved)
        self.supply -= moved

    # Cards

    def discard_card(self, card: int, home: int = EXPLORER) -> None:
        """To the discards of the deck or pile that it belongs to; `home` says it of a card nobody knows."""
        if card >= 0:
            home = self.box.cards[card].home
        if home:
            self.filed = replace_at(self.filed, home, put_in(self.filed[home - 1], card))
        else:
            self.discard = put_in(self.discard, card)

    def play_from_hand(self, card: int, seat: int) -> None:
        self.hand = replace_at(self.hand, seat, take_out(self.hand[seat - 1], card))

    def to_hand(self, card: int, seat: int) -> None:
        self.hand = replace_at(self.hand, seat, put_in(self.hand[seat - 1], card))

    def pass_card(self, card: int, seat: int, to: int) -> None:
        """From one hand to another, or to the discards."""
        self.play_from_hand(card, seat)
        self._hand_over(card, to)

    def take_off(self, card: int, seat: int, to: int) -> None:
        """An active Equipment goes to a hand or to the discards; what it allowed is gone with it."""
        self.equip = replace_at(self.equip, seat, self.equip[seat - 1] & ~(1 << card))
        self._hand_over(card, to)
        self.gain_eco(seat, 0)

    def _hand_over(self, card: int, to: int) -> None:
        if to == NOBODY:
            self.discard_card(card)
        else:
            self.to_hand(card, to)

    # Limits

    def show(self, seat: int, handles: Iterable[int]) -> None:
        """A player looks at face-down Limits and knows them from now on."""
        wanted, bit = set(handles), 1 << seat
        self.limits = tuple(
            replace(limit, seen=limit.seen | bit) if limit.handle in wanted else limit
            for limit in self.limits
        )

    def collect(self, handles: Iterable[int]) -> None:
        """Limits leave the board for the discards of their piles."""
        gone = set(handles)
        for limit in self.limits:
            if limit.handle in gone:
                self.discard_card(limit.card, limit.pile)
        self.limits = tuple(limit for limit in self.limits if limit.handle not in gone)


def replace_at(values: tuple[Any, ...], seat: int, value: Any) -> tuple[Any, ...]:
    """The values with a new one for that seat, or for that pile."""
    changed = list(values)
    changed[seat - 1] = value
    return tuple(changed)
