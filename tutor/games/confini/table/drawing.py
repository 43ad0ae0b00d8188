"""Draws Confini: the board of arcs with pawns and Limits, the fight with its sums, and the players.

What can be clicked are moves: those that may come to the player's mind, and the arcs of the board where a
Limit can go.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from tutor.draw.drawing import Button, Spot
from tutor.games.confini.engine import Confini
from tutor.games.confini.engine.board import CENTRE_OF_BOARD
from tutor.games.confini.engine.cards import CENTRE, HIDDEN, LEVELS, LIMIT, NO_CARD, UNKNOWN, Card, bits
from tutor.games.confini.engine.scoring import needed, score, value_text, write_fraction
from tutor.games.confini.engine.state import (
    CHALLENGE,
    CHARM,
    EQUIP,
    HAND,
    OFFER,
    PHASES,
    PICK,
    PLACE,
    ROLL,
    SHIFT,
    SMOKE,
    START,
    Fight,
    Limit,
    Score,
    State,
    gear,
    is_decided,
    own_arc,
)
from tutor.games.confini.table.art import (
    FLAWS,
    HUB_PATH,
    PAWN_AT,
    SIZE,
    along,
    arc_path,
    board_picture,
    clear,
    pieces_picture,
    reaches,
    size,
    spread,
)
from tutor.games.confini.table.card_texts import in_sentence, text_of
from tutor.lessons.scene import Option, Scene
from tutor.rules.base import Move

KNOWN = (1 << HIDDEN) - 1
"""The bits of cards whose face is known."""


COUNTED = ("explore", "spend")
ON_LIMITS = ("fight", "look")
ON_ARCS = ("place", "move")
WITH_CARDS = ("play", "equip", "give", "discard")
TOUCHED = (*COUNTED, *ON_LIMITS, *ON_ARCS, *WITH_CARDS)
"""Moves that are made by touching a number, a Limit, an arc, a card of the hand; the others are buttons."""
HINTED = (*COUNTED, *ON_LIMITS, *ON_ARCS, "card", "button")
"""What is to be touched, as a hint names it."""
ONWARD = ("advance", "smoke")
DISPUTED = {START: ONWARD, EQUIP: ONWARD, CHALLENGE: ("pass",), PLACE: ("pass", *ONWARD), HAND: ONWARD}
"""Buttons of whoever's turn it is where disputes are settled: what players want then, allowed or not."""


class Offers(NamedTuple):
    """What the player in focus may touch."""

    cards: dict[str, list[Move]]
    limits: dict[str, Move]
    arcs: dict[str, Move]
    counts: list[Move]
    rest: list[Move]


NOTHING = Offers({}, {}, {}, [], [])
ON_ARC, ON_LIMIT, ON_PAWN = 17, 17, 14
"""The radii of circles on an arc, around a Limit and around a pawn."""


class ConfiniDrawing:
    template: ClassVar[str] = "games/confini/_table.html"
    piece: ClassVar[str] = "games/confini/_piece.html"
    ghost: ClassVar[str] = "games/confini/_ghost.html"
    pictures: ClassVar[tuple[str, ...]] = ("board", "pieces")
    phrases: ClassVar[tuple[str, ...]] = (
        "aim-equip", "aim-play", "aim-play-at", "aim-plunder", "aim-replace",
        "arc", "arc-ahead", "arc-behind", "arc-marked", "arc-pawn", "board", "bonus", "decks",
        "do-discard-it", "do-keep-it", "eco", "fight-lost", "fight-smoke", "fight-won", "hand", "level",
        "limit-down", "limit-known", "limit-marked", "limit-seen", "limit-value", "needed", "out",
        "part-arc", "part-base", "part-bonus", "part-eco", "part-effects", "part-flaw", "part-limits",
        "part-rivals", "part-share", "pawn", "phase-choice", "spago", "stack", "stack-card", "summary",
        "value", "value-smoke", "will", *(f"phase-{phase}" for phase in PHASES),
        *(f"hint-{act}" for act in HINTED),
    )  # fmt: skip

    def __init__(self, game: Confini) -> None:
        self.game = game
        self.box = game.box
        self.limit_names = {card.id.partition("#")[0] for card in game.box.cards if card.kind == LIMIT}

    def table(self, scene: Scene) -> dict[str, Any]:
        state: State = scene.state
        offers = self._offers(scene)
        values: dict[str, Any] = {
            "size": SIZE,
            "title": scene.words.phrase("board"),
            "arcs": self._arcs(scene, offers),
            "clickable": bool(offers.arcs or offers.limits or (scene.edit and (state.limits or scene.picks))),
            "pawns": self._pawns(scene),
            "limits": self._limits(scene, offers),
            "tone": scene.tone,
            "marked": [
                scene.words.word(place) for place in (*self.box.arcs, CENTRE_OF_BOARD) if place in scene.marks
            ],
            "still": [] if scene.compact else self._still(scene),
            "description": self._description(scene),
        }
        if scene.compact:
            return values
        # The same order on every screen, whoever sits where.
        order = sorted(range(1, len(state.level) + 1), key=lambda seat: self._colour(state, seat))
        values |= {
            "own": self._player(scene, scene.seat),
            "phase": self._phase(scene),
            "hint": "" if offers == NOTHING else self._hint(scene, offers),
            "fight": self._fight(scene),
            "held": self._draw_held(scene),
            "players": [self._player(scene, seat) for seat in order],
            "decks": self._decks(scene),
            "flaws": [{"id": flaw, "name": scene.words.word(flaw)} for flaw in FLAWS],
            "hand": self._hand(scene, offers),
            "hand_label": scene.words.phrase("hand", count=state.hand[scene.seat - 1].bit_count()),
            "stepper": self._stepper(scene, offers),
            "counted": offers.counts[0].act if offers.counts else "",
            "buttons": self._buttons(scene, offers),
        }
        values["marked"] += [one["label"] for one in values["stepper"] if one["hint"]]
        values["marked"] += [one.label for one in values["buttons"] if one.hint]
        values["marked"] += [one["name"] for one in values["hand"] if one["hint"]]
        return values

    def picture(self, name: str) -> str:
        return board_picture(self.box) if name == "board" else pieces_picture()

    # The board

    def spots(self, scene: Scene) -> Sequence[Spot]:
        """The arcs and the centre, where the engine says that moves act; the Limits and pawns on them can be
        pointed at too."""
        count = Counter(limit.arc for limit in scene.state.limits)
        found = []
        for arc in self.box.arcs:
            x, y = clear(arc, count[arc])
            found.append(Spot(arc, x, y, ON_ARC, self._arc_label(scene, arc), arc_path(arc)))
        centre = scene.words.word(CENTRE_OF_BOARD)
        label = centre[:1].upper() + centre[1:]
        found.append(Spot(CENTRE_OF_BOARD, SIZE / 2, SIZE / 2, ON_ARC, label, HUB_PATH))
        for one in self._limits(scene, NOTHING):
            x, y = one["x"], one["y"]
            w, h = 24 * one["size"], 34 * one["size"]
            card = f"M{x - w / 2:.1f} {y - h / 2:.1f}h{w:.1f}v{h:.1f}h{-w:.1f}Z"
            found.append(Spot(f"limit-{one['number']}", x, y, ON_LIMIT, one["label"], card))
        for one in self._pawns(scene):
            found.append(Spot(f"pawn-{one['seat']}", one["x"], one["y"], ON_PAWN, one["label"]))
        return found

    def _still(self, scene: Scene) -> list[tuple[str, str]]:
        """What lies there and is not played on: outlines with their names, for whoever touches them."""
        smoke = scene.words.word(SMOKE)
        return [
            *((arc_path(arc), self._arc_label(scene, arc).partition(";")[0]) for arc in self.box.arcs),
            (HUB_PATH, smoke[:1].upper() + smoke[1:]),
        ]

    def _arcs(self, scene: Scene, offers: "Offers") -> list[dict[str, Any]]:
        """The arcs that are marked or can be clicked."""
        moves = offers.arcs
        limit = next((pick for pick in scene.picks if pick in self.limit_names), "") if scene.edit else ""
        found = []
        for arc in self.box.arcs:
            mark = arc in scene.marks or arc in scene.tried
            if not mark and arc not in moves and not limit:
                continue
            label = self._arc_label(scene, arc)
            href = scene.link(Option(moves[arc])) if scene.link and arc in moves else ""
            if scene.edit and limit:
                href = scene.edit(f"lay {limit} {arc} p{scene.seat}")
            found.append({"id": arc, "path": arc_path(arc), "label": label, "href": href, "mark": mark})
        return found

    def _arc_label(self, scene: Scene, arc: str) -> str:
        """What an arc is and who stands on it; or else how far it is from the pawn of its quadrant, for those
        who do not see that."""
        words, level = scene.words, int(arc[-1])
        count = sum(limit.arc == arc for limit in scene.state.limits)
        said = [words.phrase("arc", arc=arc, flaw=self.box.flaw_of[arc], level=level, count=count)]
        far = ""
        for seat, stands in enumerate(scene.state.level, 1):
            own = own_arc(self.box, scene.state, seat)
            if own == arc:
                said.append(words.phrase("arc-pawn", player=f"p{seat}"))
            elif own[:-1] == arc[:-1]:
                key = "arc-ahead" if level > stands else "arc-behind"
                far = f"; {words.phrase(key, player=f'p{seat}', count=abs(level - stands))}"
        if arc in scene.marks:
            said.append(words.phrase("arc-marked"))
        return ", ".join(said) + far

    def _arc_moves(self, scene: Scene) -> dict[str, Move]:
        """What a click on each arc does: place the Limit in hand, or move the one that was looked at."""
        state: State = scene.state
        if state.queue and state.queue[0].kind == SHIFT and state.queue[0].seat == scene.seat:
            handle = str(state.queue[0].handles[0])
            return {arc: Move(scene.seat, "move", (handle, arc)) for arc in self.box.arcs}
        if not state.queue and state.phase == PLACE and scene.seat == state.active:
            return {arc: Move(scene.seat, "place", (arc,)) for arc in self.box.arcs}
        return {}

    def _pawns(self, scene: Scene) -> list[dict[str, Any]]:
        state: State = scene.state
        found = []
        for seat, level in enumerate(state.level, 1):
            arc = own_arc(self.box, state, seat)
            if not arc and level != CENTRE:
                continue
            x, y = along(arc, PAWN_AT) if arc else (SIZE / 2, SIZE / 2)
            label = scene.words.phrase("pawn", player=f"p{seat}")
            found.append(
                {
                    "x": x,
                    "y": y,
                    "seat": seat,
                    "colour": self._colour(state, seat),
                    "initial": self._initial(scene, seat),
                    "label": label,
                    "active": seat == state.active,
                }
            )
        return found

    def _colour(self, state: State, seat: int) -> int:
        """Of a pawn, and of all that is its player's: that of the character, or of the seat until there is
        one. Two never share it."""
        characters = list(self.box.characters)
        chosen = [*map(characters.index, filter(None, state.characters))]
        if state.characters[seat - 1]:
            return characters.index(state.characters[seat - 1]) + 1
        free = [i for i in range(len(characters)) if i not in chosen]
        waiting = [other for other, one in enumerate(state.characters, 1) if not one]
        return free[waiting.index(seat)] + 1

    def _initial(self, scene: Scene, seat: int) -> str:
        """On a pawn, and on the Limits that its player placed: the character's first letter, or initials
        where two have the same; else the seat."""
        character = scene.state.characters[seat - 1]
        if not character:
            return str(seat)
        name = scene.words.word(character)
        shared = sum(scene.words.word(other)[0] == name[0] for other in self.box.characters) > 1
        return "".join(word[0] for word in name.split()) if shared else name[0]

    def _limits(self, scene: Scene, offers: "Offers") -> list[dict[str, Any]]:
        """Cards on the arcs: face down with their public number, or known to the player in focus."""
        found = []
        by_arc: dict[str, list[Limit]] = {}
        for limit in scene.state.limits:
            by_arc.setdefault(limit.arc, []).append(limit)
        for arc, limits in by_arc.items():
            count = len(limits)
            marked = f" {scene.words.phrase('limit-marked')}" if arc in scene.marks else ""
            for limit, (x, y), reach in zip(limits, spread(arc, count), reaches(arc, count), strict=True):
                card = self.box.cards[limit.card] if limit.card != UNKNOWN else None
                move = offers.limits.get(str(limit.handle))
                href = scene.link(Option(move)) if scene.link and move else ""
                if scene.edit:
                    href = scene.edit(f"lift {limit.handle}")
                found.append(
                    {
                        "x": x,
                        "y": y,
                        "number": limit.handle,
                        "placer": self._colour(scene.state, limit.placer) if limit.placer else 0,
                        "initial": self._initial(scene, limit.placer) if limit.placer else "–",
                        "value": card.value if card else "",
                        "flaw": card.flaw if card else "",
                        "label": self._limit_label(scene, limit, card) + marked,
                        "href": href,
                        "reach": reach,
                        "size": size(arc, count),
                    }
                )
        return found

    def _limit_label(self, scene: Scene, limit: Limit, card: Card | None) -> str:
        placer = f"p{limit.placer}" if limit.placer else "nobody"
        if card is None:
            return scene.words.phrase("limit-down", limit=limit.handle, arc=limit.arc, placer=placer)
        values: dict[str, Any] = {
            "limit": limit.handle,
            "arc": limit.arc,
            "placer": placer,
            "card": card.design,
        }
        if limit.seen >> scene.seat & 1:
            return scene.words.phrase("limit-seen", player=f"p{scene.seat}", **values)
        return scene.words.phrase("limit-known", **values)

    # The fight

    def _fight(self, scene: Scene) -> dict[str, Any] | None:
        """The enemy, both sums written out, and the stack in the order in which it will resolve."""
        state: State = scene.state
        fight = state.fight
        result = score(self.box, state, fight) if fight and not is_decided(state) else state.last
        if result is None:
            return None
        words = scene.words
        enemy = None if result.card == UNKNOWN else self.box.cards[result.card]
        need = needed(result, state.rounding)
        stack = reversed(fight.stack) if fight else ()
        return {
            "enemy": self._card(scene, enemy) if enemy else None,
            "title": words.phrase("fight-smoke") if enemy is None else "",
            "will": words.phrase("will", sum=self._sum(scene, self._will_parts(result), result.will)),
            "value": ""
            if scene.quiet
            else words.phrase(
                "value" if enemy else "value-smoke",
                sum=self._sum(scene, self._value_parts(result), value_text(result)),
            ),
            "needed": words.phrase("needed", count=need) if result.eco_sum % max(result.rivals, 1) else "",
            "over": fight is None,
            "won": result.will >= need,
            "verdict": words.phrase("fight-won" if result.will >= need else "fight-lost"),
            "stack": [
                words.phrase("stack-card", card=self.box.cards[play.card].design, player=f"p{play.seat}")
                for play in stack
                if play.card != UNKNOWN
            ],
            "stack_title": words.phrase("stack"),
            "revealed": self._list_revealed(scene, fight),
        }

    def _list_revealed(self, scene: Scene, fight: Fight | None) -> list[str]:
        if fight is None:
            return []
        return [scene.words.word(self.box.cards[card].design) for card in fight.revealed if card != UNKNOWN]

    def _will_parts(self, result: Score) -> list[tuple[str, int | str]]:
        return [("eco", result.eco), ("bonus", result.bonus), ("effects", result.will_effects)]

    def _value_parts(self, result: Score) -> list[tuple[str, int | str]]:
        if result.card != UNKNOWN:
            parts = [("base", result.base), ("arc", result.arc), ("flaw", result.flaw)]
        else:
            parts = [("rivals", result.base), ("limits", result.limits), ("flaw", result.flaw)]
        found: list[tuple[str, int | str]] = [*parts, ("effects", result.effects)]
        if result.eco_sum:
            found.insert(1, ("share", write_fraction(result.eco_sum, result.rivals)))
        return found

    def _sum(self, scene: Scene, parts: list[tuple[str, int | str]], total: object) -> str:
        """4 + 1 arc + 1 flaw = 6; only 4 if nothing is added. The first part may be nothing too."""
        said = [
            scene.words.phrase(f"part-{name}", count=part)
            for i, (name, part) in enumerate(parts)
            if part or not i
        ]
        told = " + ".join(said).replace("+ −", "− ")
        return f"{told} = {total}" if len(said) > 1 else told

    # Players

    def _player(self, scene: Scene, seat: int) -> dict[str, Any]:
        state: State = scene.state
        words = scene.words
        i = seat - 1
        character = state.characters[i]
        worn = gear(self.box, state, seat)
        hand = state.hand[i]
        return {
            "seat": seat,
            "colour": self._colour(state, seat),
            "name": words.word(f"p{seat}"),
            "initial": self._initial(scene, seat),
            "flaw": self.box.characters[character].flaw if character else "",
            "flaw_name": words.word(self.box.characters[character].flaw) if character else "",
            "ability": self._ability(scene, character),
            "active": seat == state.active,
            "out": words.phrase("out") if not state.level[i] else "",
            "level": words.phrase("level", level=state.level[i]) if 0 < state.level[i] < CENTRE else "",
            "eco": state.eco[i],
            "eco_label": words.phrase("eco", count=state.eco[i], most=worn.eco_max),
            "eco_free": max(worn.eco_max - state.eco[i], 0),
            "spago": words.phrase("spago", count=state.spago[i]),
            "hand": words.phrase("hand", count=hand.bit_count()),
            "worn": [self._card(scene, self.box.cards[c]) for c in bits(state.equip[i] | state.kept[i])],
        }

    def _card(self, scene: Scene, card: Card) -> dict[str, Any]:
        """A card as it lies on the table: name, text, and in its corner a Limit's value or a bonus."""
        words = scene.words
        corner = ""
        if card.kind == LIMIT:
            corner = str(card.value)
        elif card.bonus:
            corner = f"+{card.bonus}"
        return {
            "name": words.word(card.design),
            "corner": corner,
            "text": text_of(words, card.effects),
            "flaw": card.flaw,
            "kind": card.kind,
            "href": "",
        }

    def _ability(self, scene: Scene, character: str) -> dict[str, str] | None:
        if not character:
            return None
        ability = self.box.characters[character]
        return {
            "name": scene.words.word(ability.ability),
            "text": in_sentence(scene.words, text_of(scene.words, ability.effects)),
        }

    def _draw_held(self, scene: Scene) -> dict[str, Any] | None:
        held = scene.state.held
        if held in (NO_CARD, UNKNOWN):
            return None
        return self._card(scene, self.box.cards[held])

    def _decks(self, scene: Scene) -> str:
        state: State = scene.state
        piles = " / ".join(str(pile.bit_count()) for pile in state.piles)
        return scene.words.phrase(
            "decks", deck=state.deck.bit_count(), piles=piles, supply=state.supply, round=state.round
        )

    def _phase(self, scene: Scene) -> str:
        state: State = scene.state
        if state.queue and f"choice-{state.queue[0].kind}" in scene.words.ids:
            return scene.words.phrase("phase-choice", choice=f"choice-{state.queue[0].kind}")
        return scene.words.phrase(f"phase-{state.phase}")

    def _hint(self, scene: Scene, offers: "Offers") -> str:
        """What is to be done now, for whoever touches something else."""
        acts = {move.act for move in (*offers.counts, *offers.limits.values(), *offers.arcs.values())}
        keys = [f"hint-{act}" for act in (*COUNTED, *ON_LIMITS, *ON_ARCS) if act in acts]
        if not keys:
            keys = ["hint-card"] if offers.cards else ["hint-button"]
        return scene.words.phrase(keys[0])

    # Moves: cards, Limits, arcs and counts are touched where they lie; the rest are buttons.

    def _offers(self, scene: Scene) -> "Offers":
        """What can be touched now: what comes to mind, of the kinds of moves that are due; and what players
        argue about, where that is asked for."""
        game, state = self.game, scene.state
        legal = [move for move in game.moves(state) if move.seat == scene.seat] if scene.link else []
        acts = {move.act for move in legal}
        arcs = self._arc_moves(scene) if legal else {}
        found = Offers({}, {}, arcs, [], [move for move in legal if move.act not in TOUCHED])
        disputes = bool(scene.link) and scene.disputes
        for move in [*legal, *(game.thinkable(state, scene.seat) if legal or disputes else ())]:
            if move.act not in acts and not (disputes and self._is_disputed(state, move)):
                continue
            if move in arcs.values():
                continue
            if move.act in COUNTED and move not in found.counts:
                found.counts.append(move)
            elif move.act in ON_LIMITS:
                found.limits.setdefault(move.what[0], move)
            elif move.act in WITH_CARDS:
                aims = found.cards.setdefault(move.what[0], [])
                # A card that can be used is offered with what it can be used for; another is only tried.
                if not aims or (
                    move not in aims and (move in legal or self._belongs_with(move, aims[0], disputes))
                ):
                    aims.append(move)
            elif move.act not in acts:
                found.rest.append(move)
        return found

    def _is_disputed(self, state: State, move: Move) -> bool:
        """Whether players argue about a move that is not due: with a card in hand, or a step of a turn."""
        if state.phase in (ROLL, PICK):
            return False
        if move.act in WITH_CARDS:
            return bool(state.hand[move.seat - 1] >> self.box.index[move.what[0]] & 1)
        if state.queue or move.seat != state.active or move.act not in DISPUTED.get(state.phase, ()):
            return False
        # Once the turn is under way only the next step on is thought of: to the centre from the last level.
        other = ONWARD[state.level[move.seat - 1] < LEVELS]
        return state.phase == START or move.act != other

    def _belongs_with(self, move: Move, first: Move, disputes: bool) -> bool:
        """Whether a refused move is offered beside the first that a card is good for."""
        if move.act != first.act:
            return False
        return self._takes_target(move) or (disputes and move.act == "equip" and len(move.what) == 1)

    def _takes_target(self, move: Move) -> bool:
        """Whether a card takes a target at all, so that a wrong one may be tried."""
        if move.act != "play" or len(move.what) < 2:
            return False
        card = self.box.index.get(move.what[0])
        named = {"opponent", "equipment"}
        return card is not None and any(named & set(aims[card]) for aims in self.box.aims.values())

    def _stepper(self, scene: Scene, offers: "Offers") -> list[dict[str, Any]]:
        if not scene.link:
            return []
        return [
            {
                "count": move.what[0],
                "label": self._tell(scene, move),
                "href": scene.link(Option(move)),
                "hint": scene.hints_at(move),
            }
            for move in sorted(offers.counts, key=lambda move: int(move.what[0]))
        ]

    def _buttons(self, scene: Scene, offers: "Offers") -> list[Button]:
        """What is not done by touching a piece, and the targets of a card that is picked."""
        if not scene.link:
            return []
        picked = self._find_picked(scene, offers)
        if picked:
            return [
                *(
                    Button.of(scene, f"do-{i}", self._aim(scene, move), Option(move), "main")
                    for i, move in enumerate(offers.cards[picked], 1)
                ),
                Button.of(scene, "unpick", scene.words.phrase("do-clear"), Option(), "quiet"),
            ]
        return [
            Button.of(scene, f"do-{'-'.join((move.act, *move.what))}", self._short(scene, move), Option(move))
            for move in offers.rest
        ]

    def _find_picked(self, scene: Scene, offers: "Offers") -> str:
        return next((pick for pick in scene.picks if len(offers.cards.get(pick, [])) > 1), "")

    def _aim(self, scene: Scene, move: Move) -> str:
        """What can be done with the card that is picked, in few words: the card lies beside them."""
        deed = self.game.tell(scene.state, move)
        key = f"aim-{deed.kind}"
        return scene.words.phrase(key, **deed.args) if key in scene.words.phrases else self._tell(scene, move)

    def _tell(self, scene: Scene, move: Move) -> str:
        return scene.words.say_deed(self.game.tell(scene.state, move))

    def _short(self, scene: Scene, move: Move) -> str:
        """A move without words of its own has a short name, and so have a character and a card that may be
        discarded for what it does."""
        queue = scene.state.queue
        if queue and queue[0].kind in (OFFER, CHARM) and move.act in ("use", "pass"):
            return scene.words.phrase("do-discard-it" if move.act == "use" else "do-keep-it")
        if move.act == "pick":
            return scene.words.word(move.what[0])
        if not move.what and f"do-{move.act}" in scene.words.phrases:
            return scene.words.phrase(f"do-{move.act}")
        return self._tell(scene, move)

    def _hand(self, scene: Scene, offers: "Offers") -> list[dict[str, Any]]:
        """The cards of the player in focus. One with several targets is picked first, then aimed."""
        state: State = scene.state
        i = scene.seat - 1
        picked = self._find_picked(scene, offers)
        found = []
        for number in bits(state.hand[i] & KNOWN):
            card = self.box.cards[number]
            moves = offers.cards.get(card.id, [])
            href = ""
            if scene.link and len(moves) == 1:
                href = scene.link(Option(moves[0]))
            elif scene.link and moves:
                href = scene.link(Option(picks=() if card.id == picked else (card.id,)))
            found.append(
                self._card(scene, card)
                | {
                    "id": card.id.replace("#", "-"),
                    "href": href,
                    "picked": card.id == picked,
                    "hint": scene.hint in moves,
                }
            )
        return found

    def _description(self, scene: Scene) -> str:
        """The position in words, for those who do not see the picture."""
        state: State = scene.state
        parts = []
        for seat, level in enumerate(state.level, 1):
            arc = own_arc(self.box, state, seat)
            if arc:
                parts.append(
                    scene.words.phrase(
                        "summary",
                        player=f"p{seat}",
                        arc=arc,
                        eco=state.eco[seat - 1],
                        spago=state.spago[seat - 1],
                        hand=state.hand[seat - 1].bit_count(),
                        level=level,
                    )
                )
        parts += [
            self._limit_label(scene, limit, self.box.cards[limit.card] if limit.card != UNKNOWN else None)
            for limit in state.limits
        ]
        return " ".join(parts)
