"""Sets up Confini: pawns, Echo, Twine, cards in hands, Equipment, Limits on arcs, and the phase."""

from typing import ClassVar

from tutor.book.words import Words
from tutor.games.confini.engine.cards import LEVELS, bits
from tutor.games.confini.engine.state import (
    ADVANCE,
    CHALLENGE,
    EQUIP,
    EXPLORE,
    HAND,
    OVER,
    PICK,
    PILE,
    PLACE,
    ROLL,
    START,
    Limit,
    State,
    is_view,
)
from tutor.games.confini.engine.state import PHASES as ALL_PHASES
from tutor.games.confini.engine.table import Table, replace_at
from tutor.games.confini.table.setup_cards import STEP, base, counter
from tutor.games.confini.table.setup_fight import FightSetup
from tutor.referee.setup import Chances, Row, Tool, choose

PHASES = (START, EXPLORE, EQUIP, CHALLENGE, PILE, PLACE, ADVANCE, HAND, OVER)
"""Those outside fights."""
PLACES = ("hand", "equip", "kept")
"""Where a player has cards."""
HOMES = ("deck", *(f"pile{level}" for level in range(1, LEVELS + 1)))
"""Where cards are drawn from."""


class ConfiniSetup(FightSetup):
    rows_known: ClassVar[tuple[str, ...]] = (
        "phase", "turn", "round", "draws", "held", *FightSetup.fight_rows,
        "limit", "character", "level", "eco", "spago", *PLACES, *(f"add-{place}" for place in PLACES), "left",
    )  # fmt: skip

    # Changes

    def do_phase(self, state: State, phase: str) -> State:
        """A choice under way is over, and a fight that does not have the phase; what it needs is there."""
        if phase in self.fight_phases(state):
            return Table.of(self.box, state).having(phase=phase).freeze()
        if phase not in PHASES:
            raise LookupError(phase)
        state = self._gather(self._clear(state, phase).having(draws=1 if phase == EXPLORE else 0))
        if phase == PLACE and not is_view(state):
            level = min(max(state.level[state.active - 1], 1), LEVELS)
            limit = next(bits(state.piles[level - 1] & self.box.limits), None)
            return state if limit is None else self.do_hold(state, base(self.box.cards[limit]))
        return state

    def do_turn(self, state: State, player: str) -> State:
        seat = self.seat(state, player)
        return self._table(state).having(active=seat).freeze()

    def do_round(self, state: State, step: str) -> State:
        return self._table(state).having(round=min(max(state.round + STEP[step], 1), 99)).freeze()

    def do_draws(self, state: State, count: str) -> State:
        if int(count) not in self._draw_counts(state):
            raise LookupError(count)
        return Table.of(self.box, state).having(draws=int(count)).freeze()

    def do_hold(self, state: State, name: str) -> State:
        if state.phase != PLACE:
            raise LookupError(name)
        if state.held >= 0 and base(self.box.cards[state.held]) == name:
            return state
        card = self._copy(state, name, self.box.limits)
        return self._gather(self._take(Table.of(self.box, state), card).having(held=card))

    def do_lay(self, state: State, name: str, arc: str, player: str) -> State:
        card, seat = self._copy(state, name, self.box.limits), self.seat(state, player)
        handle = max((limit.handle for limit in state.limits), default=0) + 1
        if arc not in self.box.flaw_of or handle > self.box.limits.bit_count():
            raise LookupError(arc)
        limit = Limit(handle, arc, seat, card, 1 << seat, self.box.cards[card].home)
        table = self._take(self._table(state), card)
        return table.having(limits=(*state.limits, limit)).freeze()

    def do_lift(self, state: State, handle: str) -> State:
        if handle not in [str(limit.handle) for limit in state.limits]:
            raise LookupError(handle)
        left = tuple(limit for limit in state.limits if str(limit.handle) != handle)
        return self._gather(self._table(state).having(limits=left))

    def do_character(self, state: State, player: str, name: str) -> State:
        """Another character; who had it gets this one."""
        seat = self.seat(state, player)
        if name not in self.box.characters:
            raise LookupError(name)
        table = self._table(state)
        own = table.characters[seat - 1]
        names = tuple(own if other == name else other for other in table.characters)
        return table.having(characters=replace_at(names, seat, name)).freeze()

    def do_level(self, state: State, player: str, level: str) -> State:
        """Whoever is eliminated has nothing left."""
        seat = self.seat(state, player)
        if not 0 <= int(level) <= LEVELS:
            raise LookupError(level)
        table = self._table(state)
        table.level = replace_at(table.level, seat, int(level))
        if not int(level):
            table.gain_spago(seat, -table.spago[seat - 1])
            table.eco = replace_at(table.eco, seat, 0)
            for place in PLACES:
                setattr(table, place, replace_at(getattr(table, place), seat, 0))
        return self._gather(table)

    def do_eco(self, state: State, player: str, step: str) -> State:
        table = self._table(state)
        table.gain_eco(self.seat(state, player), STEP[step])
        return table.freeze()

    def do_spago(self, state: State, player: str, step: str) -> State:
        table = self._table(state)
        table.gain_spago(self.seat(state, player), STEP[step])
        return table.freeze()

    def do_give(self, state: State, player: str, place: str, name: str) -> State:
        """A copy of a card, out of the deck or the discards."""
        seat, card = self.seat(state, player), self._copy(state, name, self._most_at(place))
        table = self._take(self._table(state), card)
        cards = getattr(table, place)
        setattr(table, place, replace_at(cards, seat, cards[seat - 1] | 1 << card))
        return table.freeze()

    def do_drop(self, state: State, player: str, place: str, name: str) -> State:
        """Back into the deck."""
        seat, card = self.seat(state, player), self.box.index[name]
        if place not in PLACES or not getattr(state, place)[seat - 1] >> card & 1:
            raise LookupError(name)
        table = self._table(state)
        cards = getattr(table, place)
        setattr(table, place, replace_at(cards, seat, cards[seat - 1] & ~(1 << card)))
        return self._gather(table)

    def do_empty(self, state: State, home: str) -> State:
        """A deck or pile is used up: its cards lie among its discards. If it is, they go back."""
        if is_view(state):
            raise LookupError(home)
        table, i = self._table(state), HOMES.index(home)
        stacks, used = [table.deck, *table.piles], [table.discard, *table.filed]
        cards = stacks[i] | used[i]
        stacks[i], used[i] = (0, cards) if stacks[i] else (cards, 0)
        table.deck, table.piles = stacks[0], tuple(stacks[1:])
        table.discard, table.filed = used[0], tuple(used[1:])
        return table.freeze()

    # What follows from a change

    def _table(self, state: State) -> Table:
        """The table on which a change is made: the game has begun."""
        begun = self.do_phase(state, START) if state.phase in (ROLL, PICK) else state
        return Table.of(self.box, begun)

    def _most_at(self, place: str) -> int:
        return {"hand": self.box.in_hand, "equip": self.box.equipment, "kept": self.box.kept}[place]

    # Tools

    def rows(self, state: State, seat: int, picks: tuple[str, ...], words: Words) -> list[Row]:
        player, i = f"p{seat}", seat - 1
        found = [
            Row("phase", tuple(self._phase_tools(state, words)), menu=True),
            Row("turn", choose("turn", self.players(state), f"p{state.active}", words.word)),
            Row("round", counter("round", state.round)),
            Row("draws", choose("draws", self._draw_counts(state), state.draws, str)),
            Row("held", tuple(self._tools_for_held(state, words)), menu=True),
            *self.fight_tools(state, seat, words),
            Row("limit", tuple(self._limit_tools(state, picks, words)), menu=True),
            Row(
                "character",
                choose(f"character {player}", self.box.characters, state.characters[i], words.word),
            ),
            Row("level", choose(f"level {player}", range(LEVELS + 1), state.level[i], str)),
            Row("eco", counter(f"eco {player}", state.eco[i])),
            Row("spago", counter(f"spago {player}", state.spago[i])),
        ]
        for place in PLACES:
            cards = [self.box.cards[card] for card in bits(getattr(state, place)[i])]
            taken = tuple(
                Tool(words.word(card.design), f"drop {player} {place} {card.id}", on=True) for card in cards
            )
            found.append(Row(place, taken))
            found.append(Row(f"add-{place}", tuple(self._adding(state, player, place, words)), menu=True))
        found.append(Row("left", tuple(self._left_tools(state, words))))
        return [row for row in found if row.tools]

    def still(self, state: State, picks: tuple[str, ...]) -> tuple[str, ...]:
        free = {base(card) for card in self._designs(self._free(state) & self.box.limits)}
        return tuple(pick for pick in picks if pick in free)

    def _phase_tools(self, state: State, words: Words) -> list[Tool]:
        """In the order of a turn. A phase that is only reached by playing can be left, but not chosen."""
        offered = (*PHASES, *self.fight_phases(state))
        found = [
            Tool(words.phrase(f"phase-{p}"), f"phase {p}", on=p == state.phase)
            for p in ALL_PHASES
            if p in offered
        ]
        return (
            found if state.phase in offered else [Tool(words.phrase(f"phase-{state.phase}"), on=True), *found]
        )

    def _draw_counts(self, state: State) -> range:
        return range(1, self.box.numbers.draws + 1 if state.phase == EXPLORE else 1)

    def _limit_tools(self, state: State, picks: tuple[str, ...], words: Words) -> list[Tool]:
        cards = self._designs(self._free(state) & self.box.limits)
        return [
            Tool(self._card_name(card, words), picks=(base(card),), on=base(card) in picks) for card in cards
        ]

    def _tools_for_held(self, state: State, words: Words) -> list[Tool]:
        if state.phase != PLACE:
            return []
        now = self.box.cards[state.held] if state.held >= 0 else None
        cards = self._designs(self._free(state) & self.box.limits)
        tools = [Tool(self._card_name(card, words), f"hold {base(card)}") for card in cards]
        return [Tool(self._card_name(now, words), on=True), *tools] if now else tools

    def _adding(self, state: State, player: str, place: str, words: Words) -> list[Tool]:
        cards = self._designs(self._free(state) & self._most_at(place))
        return [Tool(words.word(card.design), f"give {player} {place} {base(card)}") for card in cards]

    def _left_tools(self, state: State, words: Words) -> list[Tool]:
        counts = () if is_view(state) else (stack.bit_count() for stack in (state.deck, *state.piles))
        return [
            Tool(
                words.phrase(f"home-{home.rstrip('1234')}", pile=i, count=count),
                f"empty {home}",
                on=not count,
            )
            for i, (home, count) in enumerate(zip(HOMES, counts, strict=False))
        ]

    # Chance

    def chances(self, state: State) -> Chances:
        """Of several copies of a card one is enough."""
        act, parts = super().chances(state)
        if act == "dice":
            return Chances(act, parts)
        by_kind = {base(self.box.cards[self.box.index[one]]): one for one in reversed(parts[0])}
        return Chances(act, (tuple(reversed(by_kind.values())),))

    def name(self, act: str, value: str, words: Words) -> str:
        if value not in self.box.index:
            return super().name(act, value, words)
        return self._card_name(self.box.cards[self.box.index[value]], words)
