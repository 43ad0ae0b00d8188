"""How good moves of Confini are: the brain of its bots."""

import random
from collections.abc import Sequence
from typing import ClassVar

from tutor.games.confini.engine import Confini
from tutor.games.confini.engine.state import CARDS, Fight, State, clockwise, gear, limits_on, living, own_arc
from tutor.games.confini.table.mind import Mind
from tutor.games.confini.table.windows import margin
from tutor.games.confini.table.worth import GAME, way_made
from tutor.play.bots import Brain, Sight
from tutor.rules.base import Move

CARD, BONUS, LIMIT = 0.27, 0.5, 0.5
"""What a beginner counts for a card in hand, a point of bonus, a Limit that can be beaten, in Spago."""
ECO = (0.0, 0.35, 0.65, 0.9, 1.1, 1.25, 1.4)
"""The same for Eco, by its amount."""


class ConfiniBrain(Brain):
    patterns: ClassVar[tuple[str, ...]] = ()
    mistake: ClassVar[float] = 0.6
    easy_share: ClassVar[float] = 0.3

    game: Confini

    def count(self, state: State, seat: int) -> float:
        """Way made, Eco, bonus and cards, less the best rival's; in a fight, whether it is won as it stands."""
        ended = self.game.outcome(state)
        if ended:
            return GAME if seat in ended.winners else -GAME
        others = [self._count(state, other) for other in living(state) if other != seat]
        return self._count(state, seat) - max(others, default=0.0)

    def _count(self, state: State, seat: int) -> float:
        box = self.game.box
        bonus, eco = gear(box, state, seat).bonus, state.eco[seat - 1]
        cards = state.hand[seat - 1].bit_count()
        counted = way_made(box, state, seat) + state.level[seat - 1] / 2 + BONUS * bonus
        if seat == state.active:
            cards, eco = cards + state.draws, max(0, eco - state.draws)
            if state.fight:
                spent = state.fight.eco if state.phase == CARDS else 0
                return counted + CARD * cards + ECO[eco - spent] + self._count_fight(state, state.fight, eco)
        here = limits_on(state, own_arc(box, state, seat))
        return counted + CARD * cards + ECO[eco] + LIMIT * any(limit.pile <= eco + bonus for limit in here)

    def _count_fight(self, state: State, fight: Fight, eco: int) -> float:
        """Whether it is won as it stands; before Eco is declared, whether it can be."""
        if fight.smoke:
            hidden = len(clockwise(state, state.active)) - len(fight.revealed)
            return GAME if margin(self.game.box, state, fight) >= hidden else -GAME
        if state.phase == "eco":
            fight = fight._replace(eco=eco)
        return float(margin(self.game.box, state, fight) >= 0)

    def rate(self, sight: Sight, moves: Sequence[Move], dice: random.Random) -> list[float]:
        mind = Mind(self.game.box, sight.state, sight.seat)
        return [mind.rate(move) for move in moves]
