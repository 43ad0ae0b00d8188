"""What the referee answers at a table: whether a move is allowed and why, what is like it, what comes of it.

For readers; `referee` answers programs. No addresses and no templates here.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from tutor.book.texts import Entry, Texts, Why
from tutor.book.words import Words
from tutor.lessons.practice import MOST_MOVES_ON_A_SCREEN, TooLong
from tutor.rules.base import CHANCE, Game, Move, State, Verdict

MOST_ALTERNATIVES = 3
CHANGE = "change-"
"""The phrase `change-score` tells how the facts `score.p1`, `score.p2` ... change; a game has some."""


ACTING = "to-act-"
"""The phrase `to-act-2` says who of two players is to act, where each has several colours."""
DRAW = ".draw"
"""How the id of a rule ends by which a game has no winner: those who lead are equal."""


@dataclass(frozen=True)
class Standing:
    """Where a game stands: what is going on, who is to act, and the points."""

    phase: str
    players: tuple[str, ...]
    chance: bool
    scores: tuple[tuple[str, int], ...]
    winners: str
    drawn: bool
    """Whether those who lead are equal, and nobody has won."""
    decided: Entry | None
    """The rule that has decided who wins."""
    counted: tuple[str, ...]
    """How the points of a game that is over are counted."""


@dataclass(frozen=True)
class Told:
    """A move and its sentence."""

    move: Move
    text: str


@dataclass(frozen=True)
class Change:
    """What comes of a move, and the rule by which it does."""

    text: str
    rule: Entry | None = None


@dataclass(frozen=True)
class Answer:
    """The answer to one move."""

    told: Told
    verdict: Verdict
    whys: tuple[Why, ...]
    tried: tuple[str, ...]
    """Where the move wanted to act."""
    guessed: bool = False
    """Whether it depends on what lies face down."""
    nearest: tuple[Told, ...] = ()
    after: Standing | None = None
    changes: tuple[Change, ...] = ()

    @property
    def marks(self) -> tuple[str, ...]:
        """The places that the verdict names, or where a legal move acts."""
        return self.tried if self.verdict.ok else self.verdict.at


@dataclass(frozen=True)
class Played:
    """What came of the moves of an address: those that are legal, and the first that is not."""

    state: State
    moves: tuple[str, ...]
    refused: Move | None = None
    by_chance: tuple[tuple[State, Move], ...] = ()
    """What chance did since a player last moved, each time with the position before."""
    last: tuple[State, Move] | None = None
    """The last move, with the position before."""


class Referee:
    """The referee of one game in one language."""

    def __init__(self, game: Game, texts: Texts, words: Words) -> None:
        self.game = game
        self.texts = texts
        self.words = words

    def replay(self, start: State, moves: Sequence[str]) -> Played:
        if len(moves) > MOST_MOVES_ON_A_SCREEN:
            raise TooLong(len(moves))
        state, played = start, list[str]()
        by_chance: tuple[tuple[State, Move], ...] = ()
        last = None
        for text in moves:
            move = self.game.parse_move(text)
            if not self.game.judge(state, move).ok:
                return Played(state, tuple(played), move, by_chance, last)
            last = (state, move)
            by_chance = (*by_chance, (state, move)) if move.seat == CHANCE else ()
            state = self.game.play(state, move)
            played.append(self.game.format_move(move))
        return Played(state, tuple(played), by_chance=by_chance, last=last)

    def tell_chance(self, played: Played, seat: int = 0) -> Iterator[Change]:
        """What chance did last, by which rule, and what came of it; told to a seat, only what it sees."""
        for state, move in played.by_chance:
            whys = self.texts.explain(self.game.judge(state, move), self.words)
            rules = [self.texts.entries[why.rule] for why in whys if not why.technical]
            if seat:
                told = self._tell(self.game.view(state, seat), self.game.seen_by(state, move, seat))
            else:
                told = self._tell(state, move)
            yield Change(told.text, rules[0] if rules else None)
            yield from self._changes(state, self.game.play(state, move))

    def ask(self, state: State, move: Move) -> Answer:
        verdict = self.game.judge(state, move)
        told = self._tell(state, move)
        tried = self.game.tell(state, move).at
        whys = self.texts.explain(verdict, self.words)
        guessed = self.game.guessed(state, move)
        if not verdict.ok:
            return Answer(told, verdict, whys, tried, guessed, self._nearest(state, move))
        after = self.game.play(state, move)
        changes = tuple(self._changes(state, after))
        return Answer(told, verdict, whys, tried, guessed, after=self.standing(after), changes=changes)

    def standing(self, state: State) -> Standing:
        facts, words, turn = self.game.facts(state), self.words, self.game.turn(state)
        phase = f"phase-{facts.get('phase', '')}"
        seats = range(1, self.game.seats(state) + 1)
        scores = [(words.word(f"p{seat}"), facts.get(f"score.p{seat}")) for seat in seats]
        winners, ended = facts["winners"], self.game.outcome(state)
        return Standing(
            words.phrase(phase) if phase in words.phrases else "",
            tuple(self._acting(state, f"p{seat}") for seat in turn if seat != CHANCE),
            CHANCE in turn,
            tuple((name, score) for name, score in scores if isinstance(score, int)),
            words.list_of(map(words.word, winners)) if isinstance(winners, tuple) else "",
            bool(ended and ended.reason.endswith(DRAW)),
            self.texts.entries[ended.reason] if ended else None,
            tuple(words.say_deed(effect.deed) for effect in self.game.effects(state, state)),
        )

    def _acting(self, state: State, player: str) -> str:
        """A player who is to act; with so many players it may be told with what, as `to-act-2` does."""
        phrase, facts = f"{ACTING}{self.game.seats(state)}", self.game.facts(state)
        if phrase not in self.words.phrases or not facts.get("colour"):
            return self.words.word(player)
        return self.words.phrase(phrase, player=player, colour=facts["colour"])

    def legal(self, state: State) -> list[Told]:
        """What players may do. Copies of a card are one thing."""
        return self._different(state, (move for move in self.game.moves(state) if move.seat != CHANCE))

    def list_refused(self, state: State, seat: int) -> list[Told]:
        """What a player may want to ask about that is not allowed now."""
        thought = self.game.thinkable(state, seat)
        return self._different(state, (move for move in thought if not self.game.judge(state, move).ok))

    def _different(self, state: State, moves: Iterable[Move]) -> list[Told]:
        """The moves, but the first only of those that are told alike."""
        found: dict[str, Told] = {}
        for move in moves:
            told = self._tell(state, move)
            found.setdefault(told.text, told)
        return list(found.values())

    def by_chance(self, state: State, dice: Random) -> list[str]:
        """What chance does until a player is to act."""
        found: list[str] = []
        while self.game.turn(state) == (CHANCE,) and len(found) < MOST_MOVES_ON_A_SCREEN:
            move = self.game.chance(state, dice)
            state = self.game.play(state, move)
            found.append(self.game.format_move(move))
        return found

    def _tell(self, state: State, move: Move) -> Told:
        return Told(move, self.words.say_deed(self.game.tell(state, move)))

    def _nearest(self, state: State, move: Move) -> tuple[Told, ...]:
        """The legal moves that differ least from a refused one; of the same kind if there are any."""
        if move.seat == CHANCE:
            return ()
        own = [other for other in self.game.moves(state) if other.seat == move.seat]
        alike = [other for other in own if other.act == move.act] or own
        nearest = sorted(alike, key=lambda other: difference(move, other))
        # Some may be told alike: dice of one colour, copies of a card.
        return tuple(self._different(state, nearest[: 4 * MOST_ALTERNATIVES])[:MOST_ALTERNATIVES])

    def _changes(self, before: State, after: State) -> Iterator[Change]:
        """What a move brings about, and what it changes of what the game has a phrase for."""
        for effect in self.game.effects(before, after):
            yield Change(
                self.words.say_deed(effect.deed), self.texts.entries[effect.rule] if effect.rule else None
            )
        was = self.game.facts(before)
        changed = []
        for fact, value in self.game.facts(after).items():
            name, _, whose = fact.rpartition(".")
            old = was.get(fact, 0)
            if CHANGE + name in self.words.phrases and value != old:
                changed.append((name, whose, old, value))
        seats = {f"p{seat}" for seat in range(1, self.game.seats(after) + 1)}
        by_player = {(name, old, value) for name, whose, old, value in changed if whose in seats}
        for name, whose, old, value in changed:
            # What changes for a player's only colour is told of the player.
            if whose in seats or (name, old, value) not in by_player:
                yield Change(self.words.phrase(CHANGE + name, player=whose, before=old, after=value))


def difference(one: Move, other: Move) -> tuple[int, int]:
    """How many parts of two moves differ, and how far apart their names are: E6 is nearer to E5 than A1."""
    mine, theirs = Counter(one.what), Counter(other.what)
    left, right = sorted((mine - theirs).elements()), sorted((theirs - mine).elements())
    pairs = zip("".join(left), "".join(right), strict=False)
    return len(left) + len(right), sum(abs(ord(a) - ord(b)) for a, b in pairs)
