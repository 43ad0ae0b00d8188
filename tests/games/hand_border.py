"""The Border judged by hand: from the printed maps and the text of a position, in plain sets and names.

Nothing here calls the engine. What is refused is told with the places and the values of the sentence, what is
allowed with the first rule that is cited for it.
"""

import re
import tomllib
from collections import Counter
from itertools import permutations
from typing import Any

from tutor.paths import CONTENT
from tutor.rules.base import Move

COLOURS = {"G": "grey", "Y": "yellow", "B": "blue", "R": "red", "O": "orange", "N": "green"}


class Sheet:
    """One board as printed: hexes by name, what lies beside what, and the segments."""

    def __init__(self, text: str) -> None:
        places: dict[tuple[int, int], str] = {}
        colours: dict[str, str] = {}
        for r, line in enumerate(text.splitlines()):
            hexes = [(x, letter) for x, letter in enumerate(line) if letter != " "]
            for number, (x, letter) in enumerate(hexes, 1):
                if not letter.islower():
                    places[r, x] = f"{'ABCDEFGHIJK'[r]}{number}"
                    colours[places[r, x]] = letter
        sides = ((0, 2), (0, -2), (1, 1), (1, -1), (-1, 1), (-1, -1))
        self.colours = colours
        """The spaces in reading order."""
        self.beside = {
            name: {places[r + dr, x + dx] for dr, dx in sides if (r + dr, x + dx) in places}
            for (r, x), name in places.items()
        }
        self.white = {name for name, letter in colours.items() if letter == "#"}

    def in_order(self, spaces: set[str]) -> tuple[str, ...]:
        return tuple(name for name in self.colours if name in spaces)

    def segment(self, space: str) -> set[str]:
        found, new = set[str](), {space}
        while new:
            found |= new
            near = set[str]().union(*(self.beside[name] for name in new)) - found
            new = {name for name in near if self.colours[name] == self.colours[space]}
        return found


SHEETS = {number: Sheet((CONTENT / "border" / f"board-{number}.txt").read_text("utf-8")) for number in "1234"}
AREAS = tomllib.loads((CONTENT / "border" / "areas.toml").read_text("utf-8"))
Why = tuple[str, tuple[str, ...], dict[str, Any]]
Told = tuple[bool, list[Why]]
"""Whether the move is legal, and the rules that decide with their places and values; of a legal move the
first one."""


class Table:
    """A position as its text tells it; what lay there before the second action has been watched."""

    def __init__(self, text: str, before: dict[str, set[str]]) -> None:
        self.phase, *rest = text.split()
        fields = dict(part.split("=", 1) for part in rest)
        self.active, self.rolls = fields.pop("active", ""), int(fields.pop("rolls", "0"))
        self.dice, _ = fields.pop("dice", ""), fields.pop("fresh", "")
        self.before = before
        self.sheets, self.crosses, self.used, self.done = {}, {}, {}, set()
        self.circled: dict[str, list[int]] = {}
        for player, parts in fields.items():
            board, crosses, areas, used, done = (*parts.split(":"), "", "", "", "")[:5]
            self.sheets[player] = SHEETS[board]
            self.crosses[player] = set(re.findall("[A-K][0-9]+", crosses)) | SHEETS[board].white
            self.used[player] = set(used)
            self.done |= {player} if done else set()
            self.circled[player] = [
                AREAS[area[:-1]]["high" if area[-1] == "+" else "low"] for area in areas.split(",") if area
            ]

    def winners(self) -> tuple[str, ...]:
        result = {player: (sum(row), max(row, default=0)) for player, row in self.circled.items()}
        return tuple(player for player in result if result[player] == max(result.values()))

    def left(self, player: str) -> list[str]:
        """The dice that a player may still use."""
        gone = self.used[self.active] | self.used[player]
        if self.phase == "second" and len(self.used[self.active]) == 5:
            gone = set("12345") if self.used[player] else set()
        return [die for number, die in zip("12345", self.dice, strict=True) if number not in gone]

    # One question after the other; None is no objection

    def told(self, move: Move) -> Told:
        """When, who, how many, and only then what and where."""
        player = f"p{move.what[0] if move.act == 'first' else move.seat}"
        if self.phase == "over":
            return no("end.over", winners=self.winners())
        if move.act == "first" and self.phase != "start":
            return no("setup.first-player")
        if player not in self.sheets and move.act != "faces":
            return no("setup.players", player=player, players=len(self.sheets))
        if move.act == "first":
            return yes("setup.first-player")
        if self.phase == "start":
            return no("setup.first-player")
        if move.act == "faces":
            return self.faces(len(move.what))
        if self.phase == "faces":
            return no("roll.final")
        if move.act in ("roll", "reroll"):
            return self.roll(player, move.what if move.act == "reroll" else tuple("12345"))
        return self.wait(player) or (
            self.stop(player) if move.act == "done" else self.cross(player, move.what)
        )

    def faces(self, count: int) -> Told:
        thrown = self.dice.count("?")
        if self.phase == "roll":
            return no("roll.all-five")
        return yes("roll.keep") if count == thrown else no("roll.keep" if count > thrown else "roll.final")

    def roll(self, player: str, dice: tuple[str, ...]) -> Told:
        if player != self.active:
            return no("roll.active", active=self.active)
        if self.phase == "second":
            return no("second.inactive", active=self.active)
        if self.phase == "roll" and set("12345") - set(dice):
            return no("roll.all-five")
        if self.rolls == 3:
            return no("roll.three")
        if self.used[player]:
            return no("roll.stop")
        if not dice:
            return no("roll.some")
        odd = tuple(die for i, die in enumerate(dice) if die not in "12345" or die in dice[:i])
        if odd:
            return no("roll.there", dice=odd)
        return yes("roll.all-five" if self.phase == "roll" else "roll.three")

    def wait(self, player: str) -> Told | None:
        if self.phase == "second":
            if player == self.active:
                return no("second.inactive", active=player)
            return no("second.done", player=player) if player in self.done else None
        if player != self.active:
            return no("first.active", active=self.active)
        return no("roll.all-five") if self.phase == "roll" else None

    def stop(self, player: str) -> Told:
        fewer, none = (
            ("second.pass", "round.next") if self.phase == "second" else ("first.free", "second.one-of-five")
        )
        return yes(fewer if self.left(player) else none)

    def cross(self, player: str, spaces: tuple[str, ...]) -> Told:
        sheet, crosses = self.sheets[player], self.crosses[player]
        once = tuple(dict.fromkeys(spaces))
        if self.phase == "second" and len(self.used[self.active]) == 5:
            too_many = once if self.used[player] else once[1:]
            if too_many:
                return no("second.one-of-five", *too_many)
        nowhere = tuple(name for name in once if name not in sheet.colours)
        if nowhere:
            return no("setup.spaces", *nowhere, spaces=nowhere)
        for i, name in enumerate(spaces):
            if name in sheet.white:
                return no("setup.white", name, spaces=(name,))
            if name in crosses or name in spaces[:i]:
                return no("cross.once", name, spaces=(name,), crossed=name in crosses)
        wanted: dict[str, list[str]] = {}
        for name in spaces:
            wanted.setdefault(sheet.colours[name], []).append(name)
        return (self.second if self.phase == "second" else self.first)(player, spaces, wanted)

    def first(self, player: str, spaces: tuple[str, ...], wanted: dict[str, list[str]]) -> Told:
        sheet, crosses, dice = self.sheets[player], self.crosses[player], self.left(player)
        segments = {sheet.in_order(sheet.segment(name)) for name in spaces}
        stay_open = [each for each in segments if set(each) - crosses - set(spaces)]
        for letter, names in wanted.items():
            if letter not in dice:
                return no("cross.die", *names, colour=COLOURS[letter], need=len(names), have=0)
        if stay_open:
            return self.unfinished(player, segments, stay_open, set(spaces))
        for count in range(1, 6):
            for letter, names in wanted.items():
                if dice.count(letter) == count < len(names):
                    return no("cross.die", *names, colour=COLOURS[letter], need=len(names), have=count)
        if any(set(each) & crosses for each in segments):
            return yes("first.partial")
        if self.used[player] or len(segments) > 1:
            return yes("first.several")
        touches = any(sheet.beside[name] & crosses for name in spaces)
        return yes("first.complete" if touches else "first.anywhere")

    def unfinished(
        self, player: str, segments: set[tuple[str, ...]], stay_open: list[tuple[str, ...]], wanted: set[str]
    ) -> Told:
        """Each with the dice that are left for it by those that are finished, or can be before it."""
        sheet, crosses, dice = self.sheets[player], self.crosses[player], Counter(self.left(player))
        for each in segments - set(stay_open):
            dice[sheet.colours[each[0]]] -= len(set(each) & wanted)
        told: list[Why] = []
        for each in sorted(stay_open, key=lambda each: list(sheet.colours).index(each[-1])):
            letter, missing = sheet.colours[each[0]], sheet.in_order(set(each) - crosses - wanted)
            need, have = len(set(each) - crosses), max(0, dice[letter])
            dice[letter] -= need if have >= need else 0
            values = {
                "colour": COLOURS[letter],
                "size": len(each),
                "missing": missing,
                "need": need,
                "have": have,
            }
            told.append((f"border.first.{'extend' if set(each) & crosses else 'open'}", missing, values))
        return False, told

    def second(self, player: str, spaces: tuple[str, ...], wanted: dict[str, list[str]]) -> Told:
        sheet, crosses = self.sheets[player], set(self.crosses[player])
        by_active, mine = (
            self.used[self.active],
            Counter(self.dice[int(die) - 1] for die in self.used[player]),
        )
        table = [die for number, die in zip("12345", self.dice, strict=True) if number not in by_active]
        for letter, names in wanted.items():
            if letter not in (table or self.dice):
                if not table:
                    return no("cross.die", *names, colour=COLOURS[letter], need=1, have=0)
                left = tuple(COLOURS[die] for die in sorted(table))
                return no("second.unused", *names, colour=COLOURS[letter], left=left)
        for letter, names in wanted.items():
            need, have = mine[letter] + len(names), (table or self.dice).count(letter)
            if need > have:
                beyond = names[have - mine[letter] :]
                return no("cross.die", *beyond, colour=COLOURS[letter], need=need, have=have)
        chain = False
        for name in spaces:
            if not sheet.beside[name] & crosses:
                orders = (order for order in permutations(spaces) if self.grows(player, order))
                order = next(orders, ())
                values = {"space": name, "colour": COLOURS[sheet.colours[name]]}
                return no("second.beside", name, **values, works=bool(order), order=order)
            chain |= not sheet.beside[name] & self.before[player]
            crosses.add(name)
        return yes("second.chain" if chain else "second.beside")

    def grows(self, player: str, spaces: tuple[str, ...]) -> bool:
        beside, crosses = self.sheets[player].beside, self.crosses[player]
        return all(beside[name] & (crosses | set(spaces[:i])) for i, name in enumerate(spaces))


def no(rule: str, *at: str, **values: Any) -> Told:
    return False, [(f"border.{rule}", at, values)]


def yes(rule: str) -> Told:
    return True, [(f"border.{rule}", (), {})]
