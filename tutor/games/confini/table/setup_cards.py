"""Where the cards of Confini lie while a position is set up: each is somewhere, and none is there twice."""

from tutor.book.words import Words
from tutor.games.confini.engine import Confini
from tutor.games.confini.engine.cards import EXPLORER, LEVELS, LIMIT, NO_CARD, Card, bits
from tutor.games.confini.engine.faces import shown_cards
from tutor.games.confini.engine.state import OVER, PICK, ROLL, State, is_view
from tutor.games.confini.engine.table import Table
from tutor.referee.setup import Setup, Tool

MORE, LESS = "+", "-"
STEP = {MORE: 1, LESS: -1}


class CardSetup(Setup):
    """Takes cards out of decks and piles and puts them back."""

    def __init__(self, game: Confini) -> None:
        super().__init__(game)
        self.box = game.box

    def _clear(self, state: State, phase: str) -> Table:
        """The table of a game that has begun, in a phase, without a fight or a choice under way.

        What was part of them lies nowhere now; `_gather` puts it back.
        """
        table = Table.of(self.box, state).having(
            phase=phase, fight=None, queue=(), held=NO_CARD, looks=0, ending=False, steadied=False, rolling=()
        )
        if state.phase in (ROLL, PICK):
            left = [name for name in self.box.characters if name not in state.characters]
            table.characters = tuple(name or left.pop(0) for name in state.characters)
        if phase != OVER:  # nobody is in the centre but for the Smoke
            table.level = tuple(min(level, LEVELS) for level in state.level)
        return table.having(active=state.active or 1, first=state.first or 1, draws=0)

    def _free(self, state: State) -> int:
        """The cards of decks and discards; in a view nobody knows which they are."""
        if is_view(state):
            return 0
        return state.deck | state.discard | sum(state.piles) | sum(state.filed)

    def _copy(self, state: State, name: str, allowed: int) -> int:
        """The first copy of a card that is free."""
        cards = (card for card in bits(self._free(state) & allowed) if base(self.box.cards[card]) == name)
        card = next(cards, None)
        if card is None:
            raise LookupError(name)
        return card

    def _take(self, table: Table, card: int) -> Table:
        """The table without a card in its deck, pile or discards."""
        bit = 1 << card
        table.deck, table.discard = table.deck & ~bit, table.discard & ~bit
        table.piles = tuple(pile & ~bit for pile in table.piles)
        table.filed = tuple(filed & ~bit for filed in table.filed)
        return table

    def _gather(self, table: Table) -> State:
        """Cards that lie nowhere go back into their deck or pile."""
        if not is_view(table):
            lost = [home & ~shown_cards(table) for home in self.box.homes]
            table.deck |= lost[EXPLORER]
            table.piles = tuple(pile | more for pile, more in zip(table.piles, lost[1:], strict=True))
        return table.freeze()

    def _designs(self, cards: int) -> list[Card]:
        """One card of each kind."""
        return list({base(self.box.cards[i]): self.box.cards[i] for i in bits(cards)}.values())

    def _card_name(self, card: Card, words: Words) -> str:
        """Of a Limit with all that a fight is counted by: its value and its Flaw."""
        name = words.word(card.design)
        return f"{name} {card.value} ({words.word(card.flaw)})" if card.kind == LIMIT else name


def base(card: Card) -> str:
    """The name of a card without the number of its copy."""
    return card.id.partition("#")[0]


def counter(change: str, count: int) -> tuple[Tool, ...]:
    return Tool("−", f"{change} {LESS}"), Tool(str(count), on=True), Tool("+", f"{change} {MORE}")
