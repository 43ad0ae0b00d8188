"""A table at which moves are judged: what its address says, its position, and the answer to the move touched.

    at      the position that the table began with (see `packed`); moves    what was played since
    try     the move that is asked about; pick    what is touched on the way to one
    see     `own` hides what the seat must not see; seat    whose view it is, and who acts
    list    all legal moves are listed; edit    the position is set up; do    one change to it
    ruling  the question whose proof lies on the table; cast    the scenario whose players sit at it

The referee's page has one, and so has the page of every ruling.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from flask import request, url_for

from tutor.book.scenario import PlayedStep
from tutor.book.texts import Texts
from tutor.book.words import Words
from tutor.games.tables import setup_of
from tutor.lessons.course import Course
from tutor.lessons.scene import Link, Option, Scene, Tone, tone_of
from tutor.lookup.rulings import proof, slugs
from tutor.referee.asking import Answer, Change, Played, Referee, Standing, Told
from tutor.referee.packed import escape, pack, unpack
from tutor.rules.base import CHANCE, Move, State
from tutor.web.http import address
from tutor.web.http.shelf import shelf

MOST_MOVES_KEPT = 30
LONGEST_TABLE_ADDRESS_CHARS = 1300
"""Beyond either, the position so far becomes the one that the table begins with."""
OWN = "own"
CHOSEN = "choose"

_dice = random.SystemRandom()


@dataclass(frozen=True, kw_only=True)
class TablePage:
    """What every template of a table is given."""

    view: str
    here: "Table"
    scene: Scene

    @property
    def game(self) -> str:
        return self.here.game

    @property
    def seats(self) -> range:
        return range(1, self.here.course.book.game.seats(self.scene.state) + 1)

    @property
    def picture(self) -> tuple[str, dict[str, Any]]:
        return shelf().picture(self.game, self.scene)

    @property
    def texts(self) -> Texts:
        return self.here.course.texts[self.here.lang]

    @property
    def words(self) -> Words:
        return self.scene.words


@dataclass(frozen=True, kw_only=True)
class JudgedPage(TablePage):
    """The position after the moves, and the answer to the one that is asked about."""

    view: str = "table"
    answer: Answer | None
    played: Played
    undone: tuple[str, list[str]]
    """The last move in words, and what lies again where it acts, once it is taken back."""
    happened: Sequence[Change]
    standing: Standing
    legal: Sequence[Told] | None
    refused: Sequence[Told]
    chances: list[list[tuple[str, str]]] | None
    """What chance can do: the values of each part, with their words."""
    chance_act: str
    can_edit: bool
    hidden: bool
    """Whether somebody may not see everything."""
    shared: str


def judge_table(here: "Table") -> JudgedPage:
    game, played = here.course.book.game, here.played
    referee = here.referee(played.state)
    asked = played.refused or (game.parse_move(here.tried) if here.tried else None)
    answer = referee.ask(played.state, asked) if asked else None
    state, turn = played.state, game.turn(played.state)
    seat = here.seat or (
        asked.seat if asked and 0 < asked.seat <= game.seats(state) else actor(here.course, state)
    )
    seat = min(seat, game.seats(state))
    scene = Scene(
        state=game.view(state, seat) if here.see == OWN else state,
        words=referee.words,
        seat=seat,
        picks=asked.what if asked else here.picks,
        link=here.link(played, seat),
        disputes=True,
    )
    # What a player has touched is on that player's board.
    if answer and asked and asked.seat not in (seat, CHANCE):
        scene = replace(scene, picks=())
    elif answer:
        tone: Tone = "hint" if answer.verdict.ok else tone_of(answer.verdict)
        scene = replace(scene, marks=answer.marks, tone=tone, tried=() if answer.verdict.ok else answer.tried)
    chances, act = None, ""
    if CHANCE in turn:
        made = setup_of(game)
        act, parts = made.chances(state)
        chances = [[(value, made.name(act, value, referee.words)) for value in values] for values in parts]
    return JudgedPage(
        here=here,
        scene=scene,
        answer=answer,
        played=played,
        undone=_tell_undone(here, referee) if played.last and not (answer or here.list) else ("", []),
        happened=[] if answer else [*referee.tell_chance(played, seat if here.see == OWN else 0)],
        standing=referee.standing(state),
        legal=referee.legal(state) if here.list else None,
        refused=referee.list_refused(state, seat) if here.list else [],
        chances=chances,
        chance_act=act,
        can_edit=bool(setup_of(game).rows_known),
        hidden=any(game.view(state, one) != state for one in range(1, game.seats(state) + 1)),
        shared=here.share_address(state, answer),
    )


def _tell_undone(here: "Table", referee: Referee) -> tuple[str, list[str]]:
    """The last move in words, and what lies again where it acts, once it is taken back."""
    assert here.played.last
    game, (state, move) = referee.game, here.played.last
    seat = actor(here.course, state)
    if here.see == OWN:
        state, move = game.view(state, seat), game.seen_by(state, move, seat)
    deed = game.tell(state, move)
    scene = Scene(state=state, words=referee.words, seat=seat)
    return referee.words.say_deed(deed), shelf().list_lying(here.game, scene, deed.at)


def lead_on_by_chance(here: "Table") -> str:
    """Where dice that fall or a card that is drawn lead to: by themselves, or as the reader says."""
    played, game = here.played, here.course.book.game
    if CHANCE not in game.turn(played.state) or played.refused:
        return here(moves=played.moves)
    if request.args["chance"] != CHOSEN:
        return here(moves=(*played.moves, *here.throw(played.state)))
    act = setup_of(game).chances(played.state).act
    move = Move(CHANCE, act, tuple(request.args.getlist("part"))[:10])
    return here(moves=(*played.moves, game.format_move(move)))


def actor(course: Course, state: State) -> int:
    """Whose view is shown when nobody says: a player who is to act, or else the first."""
    try:
        turn = course.book.game.turn(state)
    except (ArithmeticError, LookupError):
        turn = ()  # of a draft that makes no sense yet
    return next((seat for seat in turn if seat != CHANCE), 1)


class Table:
    """What the address of a table says, and addresses of the same table that say something else."""

    def __init__(self, lang: str, game: str, where: str = "") -> None:
        args = request.args
        self.lang, self.game = lang, game
        self.course = shelf().course(game)
        self.address = where or url_for("referee.page", lang=lang, game=game)
        self.at = args.get("at", "")
        self.moves = tuple(move for move in args.get("moves", "").split(";") if move.strip())
        self.tried = args.get("try", "").strip()
        self.picks = tuple(dict.fromkeys(args.get("pick", "").split()))[:30]
        self.see = OWN if args.get("see") == OWN else ""
        seat = args.get("seat", "")
        self.seat = int(seat) if seat in tuple("123456789") else 0
        self.list, self.edit = "list" in args, "edit" in args
        self.do = args.get("do", "").strip()
        ruling = args.get("ruling", "")
        self.ruling = ruling if ruling in slugs(self.course) else ""
        cast = args.get("cast", "")
        self.cast = cast if cast in self.course.runs else ""

    @property
    def site(self) -> str:
        """Where programs that preview a link find its picture: they follow whole addresses only."""
        return address.site()

    @property
    def question(self) -> str:
        """The title of the ruling whose proof lies here."""
        return self.course.texts[self.lang].entries[slugs(self.course)[self.ruling]].title

    @property
    def proof(self) -> tuple[PlayedStep, ...]:
        """The steps that prove the ruling."""
        scenario, steps = proof(self.course, slugs(self.course)[self.ruling])
        return tuple(self.course.runs[scenario].steps[step] for step in steps)

    @property
    def proof_moves(self) -> tuple[str, ...]:
        return tuple(move for step in self.proof for move in step.moves)

    @property
    def scenario(self) -> str:
        """The one whose players sit here, if any."""
        return self.cast or (proof(self.course, slugs(self.course)[self.ruling])[0] if self.ruling else "")

    def words(self, state: State) -> Words:
        """Players are called as in the proof or example that lies here, or as the position says."""
        told = self.scenario
        players = self.course.runs[told].scenario.file.players if told else ()
        return self.course.words_at(self.lang, state, players)

    def referee(self, state: State) -> Referee:
        return Referee(self.course.book.game, self.course.texts[self.lang], self.words(state))

    def throw(self, state: State) -> list[str]:
        """What chance does until a player is to act."""
        return self.referee(state).by_chance(state, _dice)

    @cached_property
    def played(self) -> Played:
        """The moves of the address, played. What would make it too long becomes the beginning."""
        game = self.course.book.game
        start = game.parse_position(unpack(self.at))
        played = self.referee(start).replay(start, self.moves)
        self.at = pack(game.format_position(start))
        if len(played.moves) > MOST_MOVES_KEPT or len(self(moves=played.moves)) > LONGEST_TABLE_ADDRESS_CHARS:
            self.at = pack(game.format_position(played.state))
            return replace(played, moves=())
        return played

    def move_to(self, at: str) -> "Table":
        self.at = at
        return self

    def __call__(self, **values: Any) -> str:
        """An address of this table; without a seat it is the view of whoever acts."""
        moves = values.pop("moves", ())
        said = dict(self.kept)
        said |= values | ({"moves": ";".join(moves)} if moves else {})
        pairs = [(name, str(said[name])) for name in (*address.REFEREE, "chance") if said.get(name)]
        return f"{self.address}?{'&'.join(f'{name}={escape(value)}' for name, value in pairs)}"

    @property
    def kept_ruling(self) -> str:
        """The ruling, where the path does not name it."""
        return "" if self.address.endswith(f"/rulings/{self.ruling}") else self.ruling

    @property
    def kept(self) -> list[tuple[str, str]]:
        """What a form of this table has to say again, beside its moves."""
        said = {"at": self.at, "see": self.see, "ruling": self.kept_ruling, "cast": self.cast}
        return [(name, value) for name, value in said.items() if value]

    def table(self, state: State, moves: Sequence[str] = (), tried: str = "", edit: bool = False) -> str:
        """Another position, with moves that were made there and one that is asked about."""
        self.at = pack(self.course.book.game.format_position(state))
        return self(moves=moves, edit="1" if edit else "", **{"try": tried})

    def referee_address(self, moves: Sequence[str]) -> str:
        """The same table on the referee's own page."""
        other = Table(self.lang, self.game).move_to(self.at)
        other.ruling = self.ruling
        return other(moves=tuple(moves), **{"try": self.tried})

    def share_address(self, state: State, answer: Answer | None) -> str:
        """The address to give away: the position as it is now and the move that is asked about, in no
        language."""
        at = pack(self.course.book.game.format_position(state))
        asked = f"&try={escape(self.text_of(answer))}" if answer else ""
        cast = f"&cast={self.scenario}" if self.scenario else ""
        return f"{url_for('referee.shared', game=self.game)}?at={escape(at)}{asked}{cast}"

    def link(self, played: Played, seat: int) -> Link:
        """A board needs some ninety addresses that differ in their end only."""
        here = self(moves=played.moves, seat=seat)
        game = self.course.book.game

        def where(option: Option) -> str:
            if option.move:
                return f"{here}&try={escape(game.format_move(option.move))}"
            return f"{here}&pick={escape(' '.join(option.picks))}" if option.picks else here

        return where

    def text_of(self, answer: Answer) -> str:
        return self.course.book.game.format_move(answer.told.move)

    def edit_address(self, state: State, seat: int) -> str:
        """The address where the position that is on the table now is changed."""
        at = pack(self.course.book.game.format_position(state))
        return self(at=at, edit="1", seat=seat)

    def change(self, do: str = "", picks: tuple[str, ...] = (), seat: int = 0) -> str:
        """The address of a change to the position that is set up."""
        return self(edit="1", do=do, pick=" ".join(picks), seat=seat or self.seat or "")
