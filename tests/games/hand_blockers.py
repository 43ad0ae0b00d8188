"""Blockers! judged by hand: from the text of a position, in plain sets and names.

Nothing here calls the engine. What is refused is told with the places and the values of the sentence, what is
allowed with the first rule that is cited for it.
"""

from typing import Any

from tutor.rules.base import Move

CELLS = [row + column for row in "ABCDEFGHI" for column in "123456789"]
SYMBOLS = ["triangle", "cross", "star", "clover", "circle", "diamond", "moon", "heart", "square"]

Told = tuple[bool, str, set[str], dict[str, Any]]
"""Whether the move is legal, the first rule that decides, the places and the values."""


def beside(cell: str) -> set[str]:
    row, column = ord(cell[0]), int(cell[1])
    near = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return {f"{chr(r)}{c}" for r, c in near} & set(CELLS)


def symbol(cell: str) -> str:
    return SYMBOLS[(ord(cell[0]) - 65) // 3 * 3 + (int(cell[1]) - 1) // 3]


def kind(tile: str) -> str:
    """How a tile finds its place."""
    if tile == "*":
        return "joker"
    return "area" if tile in SYMBOLS else "column" if tile.isdigit() else "row"


def fits(tile: str, cell: str) -> bool:
    return tile in ("*", cell[0], cell[1], symbol(cell))


def called(tile: str) -> str:
    return "joker" if tile == "*" else tile


class Account:
    """A position recounted without the engine's masks: from its text, with sets and names only."""

    def __init__(self, text: str) -> None:
        phase, *rest = text.split()
        fields = dict(part.split("=", 1) for part in rest)
        self.phase = phase
        self.next = fields.get("next", "")
        self.open_joker = fields.get("joker") == "open"
        self.uptown = fields.get("edition") == "uptown"
        self.owners: dict[str, str] = {}
        self.piles: dict[str, list[tuple[str, str]]] = {}
        self.racks: dict[str, list[str]] = {}
        self.board: dict[str, tuple[str, str]] = {}
        for player in ("p1", "p2", "p3", "p4", "p5"):
            if player in fields:
                own, _, pile = fields[player].partition(":")
                for colour in own.split("+"):
                    self.owners[colour] = player
                captured = (tile.partition("-") for tile in pile.split(",") if tile)
                self.piles[player] = [(colour, tile) for colour, _, tile in captured]
        for colour in self.owners:
            rack, _, board = fields.get(colour, "").partition(":")
            self.racks[colour] = [tile for tile in rack.split(",") if tile]
            for item in filter(None, board.split(",")):
                tile, cell = item.split("@")
                self.board[cell] = (colour, tile)

    # Counting

    def groups(self, colour: str) -> list[set[str]]:
        left = {cell for cell, (its, _) in self.board.items() if its == colour}
        found = []
        while left:
            group, new = set[str](), {left.pop()}
            while new:
                group |= new
                new = {near for cell in new for near in beside(cell) if near in left}
                left -= new
            found.append(group)
        return found

    def groups_of(self, player: str) -> int:
        return sum(len(self.groups(colour)) for colour, owner in self.owners.items() if owner == player)

    def most(self, player: str) -> int:
        taken = [colour for colour, _ in self.piles[player]]
        return max((taken.count(colour) for colour in taken), default=0)

    def winners(self) -> tuple[str, ...]:
        points = {
            p: (self.groups_of(p) + (0 if self.uptown else self.most(p)), len(self.piles[p]))
            for p in self.piles
        }
        return tuple(player for player in points if points[player] == min(points.values()))

    def placed(self, colour: str) -> list[str]:
        on_board = [tile for its, tile in self.board.values() if its == colour]
        return on_board + [tile for pile in self.piles.values() for its, tile in pile if its == colour]

    def hand(self, colour: str) -> list[str]:
        """What may be placed: the rack, and an open joker until it is played."""
        aside = self.open_joker and "*" not in self.placed(colour)
        return self.racks[colour] + ["*"] * aside

    def supply(self, colour: str) -> int:
        return 28 - len(self.placed(colour)) - len(self.hand(colour))

    # Judging: when, who, how many, and only then what and where

    def told(self, move: Move) -> Told:
        player = f"p{move.what[0] if move.act == 'first' else move.seat}"
        if self.phase == "over":
            return no("end.over", winners=self.winners())
        if move.act == "first" and self.phase != "start":
            return no("setup.first-player")
        if move.act != "draw" and player not in self.piles:
            return no("setup.players", player=player, players=len(self.piles))
        if move.act == "first":
            return yes("setup.first-player")
        if self.phase == "start":
            return no("setup.first-player")
        if move.act == "draw":
            return self.draw(*move.what)
        if self.phase == "deal":
            return no("setup.rack")
        on = self.owners[self.next]
        if self.phase == "draw":
            if move.act == "place" and player == on:
                return no("turn.one", player=player)
            return no("turn.draw", when="first", colour=self.next, drawn=self.next)
        if player != on:
            return no("turn.order", player=on)
        return self.passing() if move.act == "pass" else self.place(player, *move.what)

    def draw(self, colour: str, *tiles: str) -> Told:
        if self.phase == "deal":
            if colour not in self.owners or len(self.racks[colour]) + len(tiles) > 5:
                return no("setup.rack")
        else:
            when = "one" if len(tiles) > 1 else ""
            when = when if colour == self.next else "other"
            if self.phase == "place":
                when = "early" if self.supply(self.next) else "empty"
            if when:
                return no("turn.draw", when=when, colour=self.next, drawn=colour)
        seen = self.placed(colour) + self.racks[colour] + ["*"] * self.open_joker
        for i, tile in enumerate(tiles):
            if tile in seen or tile in tiles[:i]:
                return no("setup.faces", tile=called(tile), colour=colour)
        return yes("setup.rack" if self.phase == "deal" else "turn.draw")

    def passing(self) -> Told:
        ways = [
            (tile, cell)
            for tile in self.hand(self.next)
            for cell in CELLS
            if self.place(self.owners[self.next], self.next, tile, cell)[0]
        ]
        if not ways:
            return yes("turn.forced-pass")
        if len(ways) == 1:
            return no("turn.must-place", tile="", cell="", ways=1, example=False)
        order = [*"123456789ABCDEFGHI", *SYMBOLS, "*"]
        tile, cell = min(ways, key=lambda way: (order.index(way[0]), way[1]))
        return no("turn.must-place", cell, tile=called(tile), cell=cell, ways=len(ways), example=True)

    def place(self, player: str, colour: str, tile: str, cell: str) -> Told:
        own = tuple(each for each, owner in self.owners.items() if owner == player)
        if colour not in own:
            return no("setup.colours", player=player, colour=colour, own=own)
        if colour != self.next:
            return no("two.alternate", player=player, colour=colour, due=self.next)
        if tile not in self.hand(colour):
            at = [where for where, there in self.board.items() if there == (colour, tile)]
            if tile == "*" and self.open_joker:
                return no("joker.once", *at, colour=colour)
            return no("turn.rack", *at, tile=called(tile), colour=colour)
        if cell not in CELLS:
            return no("setup.cells", cell, cell=cell)
        if not fits(tile, cell):
            its = {"column": int(cell[1]), "row": cell[0], "area": symbol(cell)}[kind(tile)]
            name = "symbol" if kind(tile) == "area" else kind(tile)
            return no(f"place.{kind(tile)}", cell, tile=tile, cell=cell, **{name: its})
        if cell in self.board:
            return self.capture(player, colour, tile, cell)
        is_open = tile == "*" and self.open_joker
        return yes("joker.any-turn" if is_open else f"place.{kind(tile)}")

    def capture(self, player: str, colour: str, tile: str, cell: str) -> Told:
        victim, under = self.board[cell]
        if self.owners[victim] == player:
            return no("capture.own" if victim == colour else "two.own", cell, cell=cell, colour=victim)
        (group,) = [group for group in self.groups(victim) if cell in group]
        taken = self.board.pop(cell)
        rest = [part for part in self.groups(victim) if part <= group]
        self.board[cell] = taken
        if len(rest) > 1:
            # The parts in the order of their first cells, each by its first cell beside the tile.
            pieces = tuple(min(part & beside(cell)) for part in sorted(rest, key=min))
            values = {"colour": victim, "size": len(group), "parts": len(rest), "pieces": pieces}
            return no("capture.split", *group, cell=cell, **values)
        if "*" in (tile, under):
            return yes("capture.joker")
        return yes("capture.split" if rest else "capture.lone")


def no(rule: str, *at: str, **values: Any) -> Told:
    return False, f"blockers.{rule}", set(at), values


def yes(rule: str) -> Told:
    return True, f"blockers.{rule}", set(), {}
