"""How good moves of Confini are: the brain of its bots."""

import random
from collections.abc import Sequence
from typing import ClassVar

from tutor.games.confini.engine import Confini
from tutor.games.confini.engine.state import ECO as DECLARE
from tutor.games.confini.engine.state import Fight, State, clockwise, gear, limits_on, living, own_arc
from tutor.games.confini.table.hints import PATTERNS
from tutor.games.confini.table.mind import Mind
from tutor.games.confini.table.windows import margin
from tutor.games.confini.table.worth import GAME, eco_worth, way_made
from tutor.play.bots import Brain, Sight
from tutor.rules.base import Move

CARD, BONUS, TRAP = 0.27, 0.5, 0.5
"""What a beginner counts for a card in hand, a point of bonus, and Limits on the own arc that all are too
strong, in Spago."""
PREY = (0.0, 0.5, 0.8, 1.0)
"""The same for Limits on the own arc that can be beaten, by their number."""


class ConfiniBrain(Brain):
    patterns: ClassVar[tuple[str, ...]] = tuple(PATTERNS)
    mistake: ClassVar[float] = 0.6
    easy_share: ClassVar[float] = 0.1
    easy_slips: ClassVar[float] = 0.25

    game: Confini

    def count(self, state: State, seat: int) -> float:
        """Way made, Eco, bonus and cards, less the best rival's; in a fight, how it would end now."""
        ended = self.game.outcome(state)
        if ended:
            return GAME if seat in ended.winners else -GAME
        others = [self._count(state, other) for other in living(state) if other != seat]
        return self._count(state, seat) - max(others, default=0.0)

    def _count(self, state: State, seat: int) -> float:
        box, fight = self.game.box, state.fight
        bonus, eco = gear(box, state, seat).bonus, state.eco[seat - 1]
        cards = state.hand[seat - 1].bit_count()
        counted = way_made(box, state, seat) + state.level[seat - 1] / 2 + BONUS * bonus
        if seat == state.active:
            eco -= fight.eco if fight else min(eco, state.draws)
            cards += state.draws
        if fight:
            counted += self._count_fight(state, fight, seat)
        else:
            here = limits_on(state, own_arc(box, state, seat))
            prey = sum(limit.pile <= eco + bonus for limit in here)
            counted += PREY[min(prey, len(PREY) - 1)] if prey else -TRAP * bool(here)
        return counted + CARD * cards + eco_worth(max(0, eco))

    def _count_fight(self, state: State, fight: Fight, seat: int) -> float:
        """What the fight pays as it stands; before Eco is declared, with all of it."""
        if state.phase == DECLARE:
            fight = fight._replace(eco=state.eco[state.active - 1])
        over = margin(self.game.box, state, fight)
        if fight.smoke:
            over -= len(clockwise(state, state.active)) - len(fight.revealed)
        if seat == state.active:
            return (GAME if over >= 0 else -GAME) if fight.smoke else float(over >= 0)
        return float(over < 0 and seat == fight.placer)

    def rate(self, sight: Sight, moves: Sequence[Move], dice: random.Random) -> list[float]:
        mind = Mind(self.game.box, sight.state, sight.seat)
        return [mind.rate(move) for move in moves]

    def match_patterns(self, sight: Sight, move: Move) -> tuple[str, ...]:
        mind = Mind(self.game.box, sight.state, sight.seat, sight.moves)
        return tuple(name for name, holds in PATTERNS.items() if holds(mind, move))
