"""Confini: every first reason of a verdict is true, and so are its values.

Both are worked out again by simple definitions of the printed rules and our rulings, along random games, for
what players have in mind: nothing here asks the engine but for the position and the names of its cards.
"""

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.games.test_confini import GAME
from tutor.games.confini.engine.cards import bits
from tutor.games.confini.engine.state import State
from tutor.rules.base import Move, Reason

CARDS = GAME.box.cards
SOAK = int(os.environ.get("TUTOR_SOAK", "1"))
QUADRANTS = {"van-ross": "NE", "vasco": "SE", "ottilia": "SW", "andrea": "NW"}
ABILITIES = {
    "van-ross": "wary-eye", "vasco": "steady-course", "ottilia": "deep-pockets", "andrea": "quick-hands",
}  # fmt: skip
DESIGNS = {card.id: card.design for card in CARDS} | ABILITIES
EXPLORING = {"EV01", "EV06", "EV07", "EV08", "CUT"}
FIGHTING = {"EV02", "EV03", "EV04", "EV05", "CUT"}
TARGETS = {"EV06": 1, "EV07": 2, "CUT": 1}
"""How many words name the target of a card."""
DRAWING = ("explore", "pile", "reveal")
ACTS = {
    "start": ("explore", "smoke"),
    "equip": ("play", "equip", "done"),
    "challenge": ("look", "fight"),
    "eco": ("spend",),
    "cards": ("play", "pass"),
    "place": ("place",),
    "advance": ("advance", "stay"),
    "hand": ("discard",),
}
"""What is done in each phase of a turn, in the order of the turn."""


class Case(NamedTuple):
    """A move that somebody has in mind, and whether this turn has had its fight."""

    state: State
    move: Move
    fought: bool

    @property
    def i(self) -> int:
        return self.move.seat - 1

    @property
    def word(self) -> str:
        return self.move.what[0] if self.move.what else ""

    @property
    def card(self) -> str:
        return design(self.word)

    @property
    def arc(self) -> str:
        return f"{QUADRANTS[self.state.characters[self.i]]}{self.state.level[self.i]}"

    @property
    def here(self) -> list[int]:
        return [limit.handle for limit in self.state.limits if limit.arc == self.arc]

    @property
    def laid_out(self) -> bool:
        """Whether the card lies face up and is the player's."""
        stack = self.state.fight.stack if self.state.fight else ()
        played = {CARDS[play.card].id for play in stack if play.seat == self.move.seat}
        return self.word in played | ids(self.state.equip[self.i]) | ids(self.state.kept[self.i])

    def skips(self, *acts: str) -> bool:
        """Whether the move is one of a later phase, or refuses what has to be done in this one."""
        phases = list(ACTS)
        later = [act for phase in phases[phases.index(self.state.phase) + 1 :] for act in ACTS[phase]]
        return self.move.act in (*later, *acts)


def ids(cards: int) -> set[str]:
    return {CARDS[card].id for card in bits(cards)}


def design(name: str) -> str:
    return DESIGNS.get(name, name)


def seat_of(word: str) -> int:
    return int(word[1:]) - 1


# What each refusal says: its values if it is true, else None.

Values = dict[str, object] | None


def said(true: bool, **values: object) -> Values:
    return values if true else None


def choice(c: Case) -> Values:
    task = c.state.queue[0]
    return said(
        task.kind not in ("draw", "take", "uncover"), player=f"p{task.seat}", choice=f"choice-{task.kind}"
    )


def due(c: Case) -> Values:
    queue = c.state.queue
    return said(queue[0].kind in ("draw", "take", "uncover") if queue else c.state.phase in DRAWING)


def phases(c: Case) -> Values:
    now = c.move.seat == c.state.active and not c.state.queue and c.state.phase not in DRAWING
    return said(now and c.move.act not in ACTS[c.state.phase], phase=c.state.phase)


def hand(c: Case) -> Values:
    foreign = c.word not in ids(c.state.hand[c.i]) and c.word != c.state.characters[c.i]
    return said(foreign and not (c.move.act == "use" and c.laid_out), card=c.card, own=int(c.laid_out))


def window(c: Case) -> Values:
    card, phase = c.card, c.state.phase
    now = {"equip": EXPLORING, "cards": FIGHTING}.get(phase, set())
    if card.startswith("EQ"):
        name = "equip"
    else:
        name = "both" if card in EXPLORING & FIGHTING else "explore" if card in EXPLORING else "combat"
    early = phase == "eco" and card in FIGHTING  # it will be played in this very fight
    return said(card not in now and not early, card=card, window=f"window-{name}")


def target(c: Case) -> Values:
    state, card, given = c.state, c.card, c.move.what[1:]
    needed = TARGETS.get(card, 0)
    aimed = [seat_of(word) for word in given[:1]] if len(given) == needed else []
    if any(p < len(state.level) and not state.level[p] for p in aimed):
        return None  # what is told of those who are out is that they are
    fits = len(given) == needed and all(p < len(state.level) and p != c.i for p in aimed)
    if fits and card == "EV06":
        fits = state.hand[aimed[0]] != 0
    if fits and card == "EV07":
        fits = given[1] in ids(state.equip[aimed[0]])
    if fits and card == "EV08":
        fits = len(state.limits) > 0
    return said(not fits, card=card, aims=needed or int(card == "EV08"), given=len(given))


def cut(c: Case, rope: bool) -> Values:
    victim = c.move.what[1]
    spago, worn = c.state.spago[seat_of(victim)], ids(c.state.equip[seat_of(victim)])
    if rope:
        return said("EQ8" in worn and spago > 1, player=victim)
    return said(spago < 2, player=victim, spago=spago)


def slots(c: Case) -> Values:
    after = [design(name) for name in ids(c.state.equip[c.i])] + [c.card]
    count = 2 + after.count("EQ7")
    return said(len(after) > count and c.state.phase == "equip", slots=count)


def missing(c: Case) -> Values:
    """A number that can be chosen by nobody here: no such Limit, or in a choice not one of those offered."""
    handles = {limit.handle for limit in c.state.limits}
    if c.state.queue:
        task = c.state.queue[0]
        handles = set(task.handles) if task.kind == "shift" else handles - set(task.handles)
    return said(int(c.word) not in handles, limit=int(c.word))


def elsewhere(c: Case) -> Values:
    arcs = [limit.arc for limit in c.state.limits if limit.handle == int(c.word)]
    return said(bool(arcs) and arcs != [c.arc], limit=int(c.word), arc=c.arc)


def look(c: Case) -> Values:
    away, lanterns = elsewhere(c), [design(name) for name in ids(c.state.equip[c.i])].count("EQ2")
    true = bool(away) or not c.here or (c.state.phase == "challenge" and not c.state.looks)
    return said(true, limit=int(c.word), arc=c.arc, elsewhere=bool(away), here=len(c.here), had=lanterns)


def who(c: Case) -> Values:
    assert c.state.fight
    placer, active = c.state.fight.placer, c.state.active
    alive = c.state.level[placer - 1] > 0
    bystander = c.move.seat != active and placer != active and (c.move.seat != placer or not alive)
    return said(bystander, challenger=f"p{active}", placer=f"p{placer}" if alive else "nobody")


def declare(c: Case) -> Values:
    """Said to those who have a say in the fight, of what they can do after it."""
    later = c.skips("pass") and (c.move.act != "play" or c.card in FIGHTING)
    return said(c.state.phase == "eco" and later and who(c) is None)


def order(c: Case, smoke: bool) -> Values:
    fight = c.state.fight
    assert fight
    true = c.state.phase == "cards" and c.move.seat != fight.turn and (fight.kind == "smoke") == smoke
    return said(true, player=f"p{fight.turn}")


def one_card(c: Case) -> Values:
    fight = c.state.fight
    assert fight
    played = c.move.seat in [play.seat for play in fight.stack]
    return said(fight.kind == "smoke" and played and c.move.seat != c.state.active, player=f"p{c.move.seat}")


def board(c: Case) -> Values:
    """A Limit is not moved to where it lies; no other place that comes to mind is wrong."""
    lies = [limit.arc for limit in c.state.limits if str(limit.handle) == c.word]
    return said(c.move.act == "move" and lies == [c.move.what[1]], arc=c.move.what[-1])


def over_limit(c: Case) -> Values:
    limit = 4 if c.state.characters[c.i] == "ottilia" else 3
    count = len(ids(c.state.hand[c.i]))
    skips = c.move.act in ("pass", "stay", "explore")
    return said(c.state.phase == "hand" and count > limit and skips, limit=limit, over=count - limit)


def out(c: Case) -> Values:
    """The player, or else the one whom a card is aimed at."""
    gone = c.move.seat if not c.state.level[c.i] else seat_of(c.move.what[1]) + 1
    return said(not c.state.level[gone - 1], player=f"p{gone}")


def poor(c: Case) -> Values:
    level, spago = c.state.level[c.i], c.state.spago[c.i]
    return said(level < 4 and spago < level + 1, need=level + 1, have=spago)


TRUE: dict[str, Callable[[Case], Values]] = {
    "setup.roll": lambda c: said(c.state.phase == "roll"),
    "setup.pick": lambda c: said(c.state.phase == "pick", player=f"p{c.state.active}"),
    "setup.free": lambda c: said(c.word in c.state.characters, character=c.word, taken=1),
    "setup.board": board,
    "turn.active": lambda c: said(c.move.seat != c.state.active, active=f"p{c.state.active}"),
    "turn.phases": phases,
    "turn.choice": choice,
    "deck.due": due,
    "explore.three": lambda c: said(int(c.word) > 3, count=int(c.word), most=3),
    "explore.eco": lambda c: said(int(c.word) > c.state.eco[c.i], count=int(c.word), eco=c.state.eco[c.i]),
    "cards.hand": hand,
    "cards.window": window,
    "cards.target": target,
    "cut.last": lambda c: cut(c, rope=False),
    "cut.rope": lambda c: cut(c, rope=True),
    "equip.when": lambda c: said(c.state.phase != "equip"),
    "equip.kind": lambda c: said(not c.card.startswith("EQ"), card=c.card),
    "equip.slots": slots,
    "equip.replace": lambda c: said(
        c.move.what[-1] not in ids(c.state.equip[c.i]), card=design(c.move.what[-1])
    ),
    "challenge.must": lambda c: said(
        c.state.phase == "challenge" and c.skips("pass") and len(c.here) > 0, limits=len(c.here)
    ),
    "challenge.there": missing,
    "challenge.skip": lambda c: said(not c.here and c.move.act == "fight"),
    "challenge.arc": elsewhere,
    "challenge.one": lambda c: said(c.fought and c.state.fight is None),
    "challenge.look": look,
    "fight.declare": declare,
    "fight.eco": lambda c: said(int(c.word) > c.state.eco[c.i], count=int(c.word), eco=c.state.eco[c.i]),
    "fight.who": who,
    "fight.order": lambda c: order(c, smoke=False),
    "fight.cancel": lambda c: said(
        c.state.fight is not None and not c.state.fight.stack and c.card == "EV04", card="EV04"
    ),
    "fight.silence": lambda c: said(
        c.state.fight is not None and CARDS[c.state.fight.card].design == "PRE-A" and c.move.act == "play"
    ),
    "place.must": lambda c: said(c.state.phase == "place" and c.skips("pass")),
    "advance.cost": poor,
    "advance.centre": lambda c: said(c.state.level[c.i] == 4),
    "hand.limit": over_limit,
    "smoke.declare": lambda c: said(
        c.state.phase != "start" and c.state.level[c.i] == 4 and c.state.spago[c.i] >= 5
    ),
    "smoke.level": lambda c: said(c.state.level[c.i] in (1, 2, 3), level=c.state.level[c.i]),
    "smoke.spago": lambda c: said(c.state.spago[c.i] < 5, need=5, have=c.state.spago[c.i]),
    "smoke.order": lambda c: order(c, smoke=True),
    "smoke.one-card": one_card,
    "smoke.out": out,
}
"""All rules that a player can break while a game goes on."""


# What allows a move


def allowed_by(c: Case) -> str:
    """The rule that a legal move is to be allowed by, before all others."""
    state, act = c.state, c.move.act
    kind = state.queue[0].kind if state.queue else ""
    if act in ("draw", "pick", "dice", "take", "reveal"):
        return drawn_by(c) if act == "draw" else CHANCES[act]
    if act == "use" and kind != "offer":
        return "fight.charm" if kind == "charm" else "cards.ability"
    if act == "drop" and kind == "fit":
        return "equip.fit"
    if act == "move" or (act == "look" and kind):
        return "cards.event"
    if kind:
        return "turn.choice"
    if act in ("play", "pass"):
        if c.card == "CUT":
            return "cut.take"
        return fought_by(state) if state.phase == "cards" else "cards.event"
    return "equip.replace" if act == "equip" and len(c.move.what) > 1 else ALLOWED[act]


CHANCES = {"pick": "setup.pick", "dice": "setup.roll", "take": "cards.random", "reveal": "smoke.reveal"}
ALLOWED = {
    "explore": "explore.buy", "smoke": "smoke.declare", "equip": "equip.when", "done": "turn.phases",
    "look": "challenge.look", "fight": "challenge.must", "spend": "fight.declare",
    "place": "place.anywhere", "advance": "advance.may", "stay": "advance.may", "discard": "hand.limit",
}  # fmt: skip


def drawn_by(c: Case) -> str:
    card = next(card for card in CARDS if card.id == c.word)
    if card.home:
        if card.home != c.state.level[c.state.active - 1]:
            return "pile.refill"
        return "pile.change" if c.card == "CT" else "pile.draw"
    shown = {"CT": "change", "EV09": "keep", **{f"EV{n}": "reveal" for n in range(10, 15)}}
    return f"explore.{shown.get(c.card, 'hidden')}"


def fought_by(state: State) -> str:
    """The rule on who plays cards in this fight."""
    assert state.fight
    if state.fight.kind == "smoke":
        return "smoke.order"
    if state.fight.placer == state.active:
        return "fight.own"
    return "fight.order" if state.level[state.fight.placer - 1] else "fight.who"


# Along random games


def thoughts(rng: random.Random, players: int) -> Iterator[tuple[Case, Reason, bool]]:
    """What players have in mind now and then, also what is another's, with the verdict's first reason."""
    state, fought = GAME.setup({"players": players}), False
    while moves := GAME.moves(state):
        if rng.random() < how_often(state):
            ideas = {rng.choice(moves)}
            for seat in range(1, players + 1):
                share = 0.5 if seat in GAME.turn(state) else 0.1
                ideas |= {move for move in GAME.thinkable(state, seat) if rng.random() < share}
            ideas |= {move._replace(seat=state.active or 1) for move in ideas} | set(odd_ideas(state))
            ideas |= set(moves) if state.phase in DRAWING else set()
            for move in sorted(ideas):
                verdict = GAME.judge(state, move)
                yield Case(state, move, fought), verdict.reasons[0], verdict.ok
        move = rng.choice(moves)
        after = GAME.play(state, move)
        fought = (fought or move.act == "fight") and (after.active, after.round) == (
            state.active,
            state.round,
        )
        state = after


def odd_ideas(state: State) -> Iterator[Move]:
    """To play a card again that lies on the stack, and to aim at somebody who is out."""
    for play in state.fight.stack if state.fight else ():
        yield Move(play.seat, "play", (CARDS[play.card].id,))
    for i, level in enumerate(state.level):
        for card in [] if level else sorted(ids(state.hand[state.active - 1])):
            yield Move(state.active, "play", (card, f"p{i + 1}"))


def how_often(state: State) -> float:
    """What is rare is looked at more often."""
    if state.phase in ("roll", "pick", "hand") or (state.fight and state.fight.kind == "smoke"):
        return 1
    if state.queue:
        return 0.3
    return 0.02 if state.phase in DRAWING else 0.1


def test_the_first_reason_of_every_verdict_is_true_and_so_are_its_values() -> None:
    refused: Counter[str] = Counter()
    allowed: Counter[str] = Counter()
    rng = random.Random(41)
    for i in range(12 * SOAK):
        for case, reason, ok in thoughts(rng, 2 + i % 3):
            rule = reason.rule.removeprefix("confini.")
            true = rule == allowed_by(case) if ok else TRUE[rule](case) == reason.args
            assert true, (rule, reason.args, GAME.format_position(case.state), case.move)
            (allowed if ok else refused)[rule] += 1
    assert len(TRUE.keys() - refused.keys()) < 3, TRUE.keys() - refused.keys()
    assert len(allowed) > 25, allowed
