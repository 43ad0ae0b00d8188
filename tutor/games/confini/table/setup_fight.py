"""Sets up a fight of Confini: against a Limit or the Smoke, with the Echo declared, the cards on the stack
and whose answer it is.

What follows from the rest of the table is never set: the arc, what the Limit does as it is turned up, the
Echo of the rivals. How a fight ends is played.
"""

from typing import ClassVar

from tutor.book.words import Words
from tutor.games.confini.engine.cards import CENTRE, LEVELS, LIMIT, Card, bits
from tutor.games.confini.engine.fights import put_on_stack, reveals_more
from tutor.games.confini.engine.history import can_have_ended
from tutor.games.confini.engine.state import (
    CARDS,
    CHALLENGE,
    ECO,
    RESULT,
    REVEAL,
    SMOKE,
    START,
    Fight,
    Limit,
    Play,
    Position,
    State,
    clockwise,
    combatants,
    has_had_a_card,
    is_view,
    limits_on,
    own_arc,
)
from tutor.games.confini.engine.table import Table, replace_at
from tutor.games.confini.engine.tasks import holds
from tutor.games.confini.engine.verdicts import target_fault
from tutor.games.confini.table.setup_cards import STEP, CardSetup, base, counter
from tutor.referee.setup import Row, Tool, choose

NONE = "none"
IN_FIGHTS = (ECO, CARDS)
"""The phases of a fight with a Limit in which somebody has a choice to begin with."""


class FightSetup(CardSetup):
    fight_rows: ClassVar[tuple[str, ...]] = (
        "fight", "placer", "declare", "answer", "stack", "add-stack", "revealed", "add-revealed",
    )  # fmt: skip

    def do(self, state: State, change: str) -> State:
        return self._settle(self._forgotten(super().do(state, change)))

    # Changes

    def do_fight(self, state: State, against: str) -> State:
        """Against another Limit a fight goes on as it is."""
        if against == NONE:
            return self._unfought(state)
        if against == SMOKE:
            return self._smoke(state)
        other = state.fight if state.phase in IN_FIGHTS and state.fight and not state.fight.smoke else None
        table = Table.of(self.box, state) if other else self._clear(state, ECO)
        arc = own_arc(self.box, table, table.active)
        lying = next((limit for limit in limits_on(table, arc) if self._name_of(limit.card) == against), None)
        if lying:
            table.limits = tuple(limit for limit in table.limits if limit != lying)
            card, placer = lying.card, lying.placer
        else:
            card = self._copy(state, against, self.box.limits)
            self._take(table, card)
            placer = other.placer if other else clockwise(table, table.active)[0]
        table.fight = (other or Fight(LIMIT, arc=arc))._replace(card=card, placer=placer)
        return self._gather(table)

    def _smoke(self, state: State) -> State:
        """The challenger has paid and stands in the centre."""
        table = self._clear(state, REVEAL)
        table.gain_spago(table.active, -table.spago[table.active - 1])
        table.fight = Fight(SMOKE)
        return self._gather(table)

    def _unfought(self, state: State) -> State:
        """As before the fight: the Limit lies on its arc, the cards are back in the hands."""
        fight = state.fight
        if fight is None:
            return state
        back = self._take_back(Table.of(self.box, state))
        if fight.smoke:
            return self._gather(self._clear(back.freeze(), START))
        table = self._clear(back.freeze(), CHALLENGE)
        handle = max((limit.handle for limit in table.limits), default=0) + 1
        home = self.box.cards[fight.card].home
        limit = Limit(handle, fight.arc, fight.placer, fight.card, 1 << fight.placer, home)
        return self._gather(table.having(limits=(*table.limits, limit)))

    def do_placer(self, state: State, player: str) -> State:
        fight = self._of_limit(state)
        return (
            Table.of(self.box, state).having(fight=fight._replace(placer=self.seat(state, player))).freeze()
        )

    def do_declare(self, state: State, step: str) -> State:
        fight = self._of_limit(state)
        eco = max(0, fight.eco + STEP[step])
        return Table.of(self.box, state).having(fight=fight._replace(eco=eco)).freeze()

    def do_answer(self, state: State, player: str) -> State:
        fight, seat = self._playing(state), self.seat(state, player)
        if seat not in self._may_play(state, fight):
            raise LookupError(player)
        return Table.of(self.box, state).having(fight=fight.asking(seat)).freeze()

    def do_stack(self, state: State, player: str, name: str, target: str = "") -> State:
        """A card is played, out of the hand or as if it had been there."""
        fight, seat = self._playing(state), self.seat(state, player)
        if (name, target) not in [(base(card), at) for card, at in self._playable(state, seat)]:
            raise LookupError(name)
        table = Table.of(self.box, state)
        hand = [card for card in bits(state.hand[seat - 1]) if self._name_of(card) == name]
        card = hand[0] if hand else self._copy(state, name, self.box.playable["play_combat"])
        if not hand:
            self._take(table, card).to_hand(card, seat)
        put_on_stack(table, fight, Play(seat, card, self.seat(state, target) if target else 0))
        return table.freeze()

    def do_unstack(self, state: State) -> State:
        """The last card goes back to the hand."""
        fight = self._playing(state)
        *below, top = fight.stack
        table = Table.of(self.box, state)
        table.to_hand(top.card, top.seat)
        return table.having(fight=fight._replace(stack=tuple(below), turn=top.seat)).freeze()

    def do_reveal(self, state: State, name: str) -> State:
        fight = state.fight
        if fight is None or state.phase != REVEAL:
            raise LookupError(name)
        card = self._copy(state, name, sum(self.box.homes[1:]))
        table = self._take(Table.of(self.box, state), card)
        return table.having(fight=fight._replace(revealed=(*fight.revealed, card))).freeze()

    def do_hide(self, state: State, name: str) -> State:
        fight, card = state.fight, self.box.index[name]
        if fight is None or card not in fight.revealed:
            raise LookupError(name)
        table = self._take_back(Table.of(self.box, state))
        left = tuple(other for other in fight.revealed if other != card)
        return self._gather(table.having(fight=fight._replace(revealed=left, stack=(), turn=0)))

    # What follows from a change

    def _forgotten(self, state: State) -> State:
        """Without the last fight if it cannot have ended as it is told, with the players as they are now."""
        if state.last is None or state.phase == RESULT or can_have_ended(self.box, state, state.last):
            return state
        return Table.of(self.box, state).having(last=None).freeze()

    def _settle(self, state: State) -> State:
        """The fight as the rest of the table makes it. One that has come to its end is left as it was."""
        fight = state.fight
        if fight is None or state.phase not in (ECO, CARDS, REVEAL):
            return state
        table = Table.of(self.box, state)
        if not state.level[state.active - 1] or not clockwise(state, state.active):
            return self._gather(self._clear(state, START))
        if fight.smoke:
            self._settle_smoke(table, fight)
        else:
            self._settle_limit(table, fight)
        return self._gather(table)

    def _settle_smoke(self, t: Table, fight: Fight) -> None:
        rivals = clockwise(t, t.active)
        at_centre = (min(level, LEVELS) for level in t.level)
        t.level = replace_at(tuple(at_centre), t.active, CENTRE)
        eco_sum = sum(t.eco[seat - 1] for seat in rivals)
        fight = fight._replace(eco_sum=eco_sum, revealed=fight.revealed[: len(rivals)])
        t.phase = REVEAL if reveals_more(t, fight) else CARDS
        t.fight = self._ask_next(t, fight)

    def _settle_limit(self, t: Table, fight: Fight) -> None:
        t.level = tuple(min(level, LEVELS) for level in t.level)
        fight = fight._replace(arc=own_arc(self.box, t, t.active), will=0, value=0, silent=False)
        for effect in self.box.cards[fight.card].effects.get("on_reveal", ()):
            if holds(self.box, t, effect, t.active):
                match effect.name:
                    case "will":
                        fight = fight._replace(will=fight.will + effect.number(0))
                    case "challenge":
                        fight = fight._replace(value=fight.value + effect.number(0))
                    case "no_cards":
                        fight = fight._replace(silent=True)
        t.fight = fight
        if t.phase == ECO or fight.silent:
            self._take_back(t)
            t.phase, t.fight = ECO, fight._replace(eco=0, stack=(), turn=0)
        else:
            eco = min(fight.eco, t.eco[t.active - 1])
            t.fight = self._ask_next(t, fight._replace(eco=eco))

    def _ask_next(self, t: Table, fight: Fight) -> Fight:
        """The same fight with somebody to play a card, while cards are played."""
        if t.phase != CARDS:
            return fight.asking(0)
        may = self._may_play(t, fight)
        return fight if fight.turn in may else fight.asking(may[0])

    def _take_back(self, t: Table) -> Table:
        """The cards on the stack are back in the hands."""
        fight = t.fight
        if fight and fight.stack:
            for play in fight.stack:
                t.to_hand(play.card, play.seat)
            t.fight = fight._replace(stack=())
        return t

    def _may_play(self, at: Position, fight: Fight) -> list[int]:
        return [seat for seat in combatants(at, fight) if not has_had_a_card(at, fight, seat)]

    def _playable(self, state: State, seat: int) -> list[tuple[Card, str]]:
        """The cards that a player could put on the stack now, each with whom it is aimed at."""
        fight = self._playing(state)
        if seat not in self._may_play(state, fight):
            return []
        cards = self._designs((self._free(state) | state.hand[seat - 1]) & self.box.playable["play_combat"])
        aims = ["", *(f"p{other}" for other in clockwise(state, seat))]
        return [
            (card, at)
            for card in cards
            for at in aims
            if not target_fault(
                self.box, state, seat, self.box.index[card.id], "play_combat", (at,) if at else ()
            )
        ]

    def _of_limit(self, state: State) -> Fight:
        if state.fight is None or state.fight.smoke:
            raise LookupError
        return state.fight

    def _playing(self, state: State) -> Fight:
        if state.fight is None or state.phase != CARDS:
            raise LookupError
        return state.fight

    def _name_of(self, card: int) -> str:
        return base(self.box.cards[card]) if card >= 0 else ""

    # Tools

    def fight_phases(self, state: State) -> tuple[str, ...]:
        """The phases of the fight under way that can be chosen; for the Smoke they follow from the cards."""
        fight = state.fight
        if fight is None or fight.smoke or state.phase not in IN_FIGHTS:
            return ()
        return (ECO,) if fight.silent else IN_FIGHTS

    def fight_tools(self, state: State, seat: int, words: Words) -> list[Row]:
        fight = state.fight
        found = [Row("fight", tuple(self._enemies(state, words)), menu=True)]
        if fight is None or state.phase not in (ECO, CARDS, REVEAL):
            return found
        if not fight.smoke:
            placers = choose("placer", self.players(state), f"p{fight.placer}", words.word)
            found.append(Row("placer", placers))
        if state.phase == CARDS:
            may_answer = [f"p{seat}" for seat in self._may_play(state, fight)]
            found += [
                Row("declare", () if fight.smoke else counter("declare", fight.eco)),
                Row("answer", choose("answer", may_answer, f"p{fight.turn}", words.word)),
                Row("stack", tuple(self._list_stack(fight, words))),
                Row("add-stack", tuple(self._stacking(state, seat, words)), menu=True),
            ]
        if fight.smoke:
            found += [
                Row("revealed", tuple(self._list_revealed(fight, words))),
                Row("add-revealed", tuple(self._showing(state, words)), menu=True),
            ]
        return found

    def _enemies(self, state: State, words: Words) -> list[Tool]:
        """Whom to fight: nobody, the Smoke, a Limit that lies there, any other."""
        if not state.active or not state.level[state.active - 1] or not clockwise(state, state.active):
            return []
        fight = state.fight
        tools = [Tool(words.phrase("do-no-fight"), f"fight {NONE}", on=fight is None)]
        if not is_view(state):
            tools.append(Tool(words.phrase("fight-smoke"), f"fight {SMOKE}", on=bool(fight and fight.smoke)))
        if fight and not fight.smoke:
            tools.append(Tool(self._card_name(self.box.cards[fight.card], words), on=True))
        here = limits_on(state, own_arc(self.box, state, state.active))
        lying = sum(1 << limit.card for limit in here if limit.card >= 0)
        cards = {base(card): card for card in self._designs(self._free(state) & self.box.limits | lying)}
        tools += [Tool(self._card_name(card, words), f"fight {name}") for name, card in cards.items()]
        return tools

    def _list_stack(self, fight: Fight, words: Words) -> list[Tool]:
        """In the order in which they resolve; only the card on top can be taken back."""
        labels = [
            words.phrase("stack-card", card=self.box.cards[play.card].design, player=f"p{play.seat}")
            for play in reversed(fight.stack)
        ]
        return [Tool(label, "" if i else "unstack", on=True) for i, label in enumerate(labels)]

    def _stacking(self, state: State, seat: int, words: Words) -> list[Tool]:
        return [
            Tool(
                words.word(card.design) + (f" → {words.word(at)}" if at else ""),
                f"stack p{seat} {base(card)} {at}".rstrip(),
            )
            for card, at in self._playable(state, seat)
        ]

    def _list_revealed(self, fight: Fight, words: Words) -> list[Tool]:
        cards = (self.box.cards[card] for card in fight.revealed)
        return [Tool(self._card_name(card, words), f"hide {card.id}", on=True) for card in cards]

    def _showing(self, state: State, words: Words) -> list[Tool]:
        if state.phase != REVEAL:
            return []
        cards = self._designs(self._free(state) & sum(self.box.homes[1:]))
        return [Tool(self._card_name(card, words), f"reveal {base(card)}") for card in cards]
