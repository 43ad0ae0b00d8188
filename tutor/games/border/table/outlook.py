"""What comes of the moves of one action: every use of the dice, and what the others make of those left."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from tutor.games.border.engine.board import COLOURS, Box
from tutor.games.border.engine.odds import HANDS, PLACE, in_order, look_ahead
from tutor.games.border.engine.state import ALL_DICE, NUMBERS, State, closed, left
from tutor.games.border.table.prospects import Prospect, Shape, Standing
from tutor.rules.base import Move

VICTORY = 20.0
"""Points that a victory counts beside those that one is ahead, and a defeat less: nobody ends a game that is
lost, and nobody waits with one that is won."""
FOLLOWED = 5
"""Of the spaces that could be crossed next in the second action, how many are followed further."""


class Outlook:
    """The worth of moves for a seat, whatever the dice show: how far it will be ahead, in points."""

    def __init__(self, box: Box, shapes: Sequence[Shape], state: State, seat: int) -> None:
        self._box, self._state, self._seat = box, state, seat
        self._board = box.boards[state.boards[seat - 1] - 1]
        seats = range(1, len(state.boards) + 1)
        shape = {each: shapes[state.boards[each - 1] - 1] for each in seats}
        areas = range(len(box.geometry.areas))
        hard = {each: [shape[each].hardness(i, state.crosses[each - 1]) for i in areas] for each in seats}

        def prospect(one: int) -> Prospect:
            nearest = [min(hard[each][i] for each in seats if each != one) for i in areas]
            return Prospect(box, shape[one], state, one, nearest)

        self._own = prospect(seat)
        self._rivals = [Rival(box, state, each, prospect(each)) for each in seats if each != seat]
        self._own.denied = [max(rival.prospect.bonus(i) for rival in self._rivals) for i in areas]
        self._completions: dict[str, list[tuple[int, str]]] = {}
        self._answers: dict[str, Standing] = {}

    def _lead(self, crosses: int, rival: Standing) -> float:
        """How far the seat is ahead of its strongest rival, or will be; once the game ends, only points and
        victory count."""
        own = self._own.standing(crosses)
        if not own.ends and not rival.ends:
            return own.worth - rival.worth
        ahead = own.points - rival.points
        return ahead + VICTORY * ((ahead > 0) - (ahead < 0))

    # First action

    def rate_first(self, dice: str, used: int, rolls: int, moves: Sequence[Move]) -> list[float]:
        """The worth of moves of the active player, with dice that lie and so many rolls left."""
        uses = list(self._uses(in_order(dice), in_order(left(dice, used))))
        kept = look_ahead(self._worths, rolls) if rolls else []
        worths = []
        for move in moves:
            if move.act == "reroll":
                lying = "".join(
                    die for number, die in zip(NUMBERS, dice, strict=True) if number not in move.what
                )
                worths.append(kept[PLACE[in_order(lying)]])
            elif move.act == "done":
                worths.append(uses[0][1])
            else:
                wanted = self._box.geometry.mask(move.what)
                worths.append(max(worth for spaces, worth in uses if spaces & wanted))
        return worths

    @cached_property
    def _worths(self) -> list[float]:
        """What each hand is worth when it is not rolled again."""
        return [max(worth for _, worth in self._uses(hand, hand)) for hand in HANDS]

    def _uses(self, hand: str, at_hand: str) -> Iterator[tuple[int, float]]:
        """Every set of segments that dice complete, none first, with the worth of stopping then."""
        found = [(self._own.crosses, "")]
        for letter in COLOURS:
            if count := at_hand.count(letter):
                found = [
                    (crosses | spaces, others + unused)
                    for crosses, others in found
                    for spaces, unused in self._complete(letter * count)
                ]
        for crosses, unused in found:
            yield crosses ^ self._own.crosses, self._lead(crosses, self._answer(hand, unused))

    def _complete(self, dice: str) -> list[tuple[int, str]]:
        """What dice of one colour can complete, nothing first: spaces, and the dice that stay unused."""
        found = self._completions.get(dice)
        if found is None:
            found = [(0, dice)]
            for segment in self._board.segments_of[dice[0]]:
                if rest := segment & ~self._own.crosses:
                    count = rest.bit_count()
                    found += [
                        (spaces | rest, unused[count:]) for spaces, unused in found if len(unused) >= count
                    ]
            self._completions[dice] = found
        return found

    def _answer(self, hand: str, unused: str) -> Standing:
        """How the strongest rival stands after the second action with these dice."""
        # A digit is no colour: one die of all the colours of the hand.
        offered = unused or "1" + "".join([letter for letter in COLOURS if letter in hand])
        answer = self._answers.get(offered)
        if answer is None:
            standings = [rival.answer(offered) for rival in self._rivals]
            answer = self._answers[offered] = _strongest(standings)
        return answer

    # Second action

    def rate_second(self, moves: Sequence[Move]) -> list[float]:
        """The worth of moves of an inactive player, each with the best that can follow."""
        state, geometry = self._state, self._box.geometry
        dice = left(state.dice, closed(state, self._seat))
        single = state.spent[state.active - 1] == ALL_DICE
        rival = _strongest([each.prospect.standing(each.prospect.crosses) for each in self._rivals])
        known: dict[int, float] = {}
        worths = []
        for move in moves:
            crosses = self._own.crosses | geometry.mask(move.what)
            if move.act == "done":
                worths.append(self._lead(crosses, rival))
                continue
            colour = self._board.colours[geometry.index[move.what[0]]]
            rest = "" if single else dice.replace(colour, "", 1)
            worths.append(self._follow(crosses, rest, rival, known))
        return worths

    def _follow(self, crosses: int, dice: str, rival: Standing, known: dict[int, float]) -> float:
        """The most that can be reached by crossing more spaces, or none; `known` by what is crossed."""
        worth = known.get(crosses)
        if worth is None:
            worth = self._lead(crosses, rival)
            near = self._box.geometry.beside(crosses) & ~crosses
            ways = []
            for letter in dict.fromkeys(dice):
                for space in bits(self._board.by_colour[letter] & near):
                    further = crosses | space
                    ways.append((self._lead(further, rival), further, dice.replace(letter, "", 1)))
            ways.sort(reverse=True)
            for _, further, rest in ways[:FOLLOWED]:
                worth = max(worth, self._follow(further, rest, rival, known))
            known[crosses] = worth
        return worth


class Rival:
    """What another seat makes of the dice that are left to it."""

    def __init__(self, box: Box, state: State, seat: int, prospect: Prospect) -> None:
        self.prospect = prospect
        self._geometry = box.geometry
        self._by_colour = box.boards[state.boards[seat - 1] - 1].by_colour
        self._known = {"": self._look(prospect.crosses)}

    def _look(self, crosses: int) -> tuple[int, int]:
        """Crosses, and the open spaces beside them."""
        return crosses, self._geometry.beside(crosses) & ~crosses

    def answer(self, dice: str) -> Standing:
        """How the seat stands after it has used dice; those after a digit are a choice of one."""
        if dice[0] != "1":
            return self.prospect.standing(self._cross(dice)[0])
        best = max((self._cross(die)[0] for die in dice[1:]), key=self.prospect.worth)
        return self.prospect.standing(best)

    def _cross(self, dice: str) -> tuple[int, int]:
        """A good way to cross spaces with dice: the best one that adds a space to a good way with fewer."""
        found = self._known.get(dice)
        if found is None:
            most, best = -1.0, 0
            for letter in dict.fromkeys(dice):
                crosses, near = self._cross(dice.replace(letter, "", 1))
                for space in [*bits(self._by_colour[letter] & near), 0]:
                    worth = self.prospect.worth(crosses | space)
                    if worth > most:
                        most, best = worth, crosses | space
            found = self._known[dice] = self._look(best)
        return found


def _strongest(standings: Sequence[Standing]) -> Standing:
    """The most that any of them has; the game ends if it ends with one."""
    if len(standings) == 1:
        return standings[0]
    return Standing(
        max(one.worth for one in standings),
        max(one.points for one in standings),
        any(one.ends for one in standings),
    )


def bits(mask: int) -> Iterator[int]:
    """The spaces of a set, each as a set."""
    while mask:
        space = mask & -mask
        yield space
        mask ^= space
