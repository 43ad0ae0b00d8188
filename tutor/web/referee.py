"""The referee: a position in the address, moves that are touched, and the answer to each.

    at      the position that the table began with (see `packed`); moves    what was played since
    try     the move that is asked about; pick    what is touched on the way to one
    see     `own` hides what the seat must not see; seat    whose view it is, and who acts
    list    all legal moves are listed; edit    the position is set up; do    one change to it

Other names lead on at once: `from` an example, `new` table with its options, `chance` rolled or chosen.
"""

import random
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from flask import Blueprint, abort, current_app, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from tutor.rules.base import CHANCE, Move, State
from tutor.rules.errors import InvalidPosition
from tutor.rules.options import Flag, OneOf, Seat, Several, Whole
from tutor.teach.asking import Answer, Played, Referee
from tutor.teach.course import Course
from tutor.teach.examples import frames_of
from tutor.teach.packed import escaped, pack, unpack
from tutor.teach.scene import Link, Option, Scene, Tone
from tutor.teach.setup import setup_of
from tutor.web import address, hx, i18n, preview
from tutor.web.cache import Body, kept, remembered
from tutor.web.cookies import with_choices
from tutor.web.pages import in_the_readers_language
from tutor.web.shelf import shelf

bp = Blueprint("referee", __name__)

MOST_PLAYED = 30
LONGEST_BEFORE = 1300
"""Beyond either, the position so far becomes the one that the table begins with."""
OWN = "own"
ROLLED, CHOSEN = "roll", "choose"

_dice = random.SystemRandom()


@bp.get("/referee/<game>")
def shared(game: str) -> Response:
    """A position in no language: it opens in the reader's."""
    shelf().course(game)
    query = address.query()
    where = url_for("referee.page", lang=i18n.preferred(), game=game)
    return in_the_readers_language(f"{where}?{query}" if query else where)


@bp.get("/referee/<game>/position.png")
def picture(game: str) -> Response:
    """A position as a picture, for the preview of a link. It is drawn by day and without language."""
    course = shelf().course(game)
    at = request.args.get("at", "")
    state = course.book.game.draft(unpack(at)) if at else course.book.game.setup({})
    key = ("position.png", game, course.book.game.format_position(state))

    def make() -> Body:
        scene = Scene(state=state, words=course.book.words["en"], seat=_actor(course, state), compact=True)
        template, table = shelf().picture(game, scene)
        html = render_template(template, table=table)
        return Body.of(preview.png(shelf().drawings[game], html), preview.HEADERS)

    found = kept().get(key) or current_app.extensions["aside"](make)
    kept().put(key, found)
    answer: Response = found.answer(preview.FOR_A_DAY)
    return answer


@bp.get("/<lang:lang>/<game>/referee")
def page(lang: str, game: str) -> Any:
    course = shelf().course(game)
    leads_on = {"from": _from_example, "new": _new_table, "chance": _by_chance}
    # Without a position there is nothing to change yet: a new table is set up.
    asked = "new" if "edit" in request.args and "at" not in request.args else ""
    for name, leads in leads_on.items():
        if name in request.args or name == asked:
            return redirect(leads(course, _Here(lang, game)))
    return with_choices(_page(lang=lang, game=game), lang=lang)


@remembered
def _page(lang: str, game: str) -> Any:
    course = shelf().course(game)
    here = _Here(lang, game)
    if not here.at:
        return _start(course, here)
    try:
        if here.edit:
            return _edited(course, here)
        return _judged(course, here)
    except InvalidPosition as fault:
        # What can be read but not played is mended where it is.
        state = course.book.game.draft(unpack(here.at))
        return _edited(course, here, state, fault)


# Where a table comes from


def _from_example(course: Course, here: "_Here") -> str:
    """The position before a step of a scenario, with the first move of the step."""
    scenario, _, step = request.args["from"].partition("/")
    run = course.runs.get(scenario)
    if run is None or (step and step not in run.frames):
        abort(404)
    frame = run.frames[step or frames_of(course, scenario)[0]]
    return here.table(frame.before, tried=frame.step.refuse or next(iter(frame.step.play), ""))


def _new_table(course: Course, here: "_Here") -> str:
    """A new game by the options of the form, as far as chance can bring it; or empty, to be set up."""
    game = course.book.game
    options: dict[str, Any] = {}
    for name, option in game.options.items():
        given = request.args.get(name, "")
        if isinstance(option, Flag):
            options[name] = bool(given)
        elif given and isinstance(option, Whole | Seat):
            options[name] = int(given) if given.isascii() and given.isdecimal() else given
        elif given and isinstance(option, OneOf):
            options[name] = given
    state = game.setup(options)
    if here.edit:
        return here.table(state, edit=True)
    for text in here.referee.by_chance(state, _dice):
        state = game.play(state, game.parse_move(text))
    return here.table(state)


def _by_chance(course: Course, here: "_Here") -> str:
    """Dice that fall, a card that is drawn: by themselves, or as the reader says."""
    played = here.played
    if CHANCE not in course.book.game.turn(played.state) or played.refused:
        return here(moves=played.moves)
    if request.args["chance"] != CHOSEN:
        return here(moves=(*played.moves, *here.referee.by_chance(played.state, _dice)))
    act = setup_of(course.book.game).chances(played.state).act
    move = Move(CHANCE, act, tuple(request.args.getlist("part"))[:10])
    return here(moves=(*played.moves, course.book.game.format_move(move)))


def _start(course: Course, here: "_Here") -> str:
    """The ways to a table."""
    game, words = course.book.game, here.referee.words
    texts = course.texts[here.lang]
    examples = [
        (
            entry.title,
            [(step, _line(course, here.lang, entry.id, step)) for step in frames_of(course, entry.id)],
            entry.id,
        )
        for entry in texts.entries.values()
        if entry.kind == "example"
    ]
    scene = Scene(state=game.setup({}), words=words, seat=1)
    can_edit = bool(setup_of(game).rows_known)
    return here.rendered("start", scene, examples=examples, fields=_fields(course, here), can_edit=can_edit)


def _line(course: Course, lang: str, scenario: str, step: str) -> str:
    told = course.tell(scenario, step, lang)
    return told.story() or " ".join(told.deeds)


@dataclass(frozen=True)
class _Field:
    """An option of a new table, as a form asks for it."""

    name: str
    label: str
    choices: tuple[tuple[str, str], ...] = ()
    """Value and word of each choice, the usual one first; none for yes or no."""


def _fields(course: Course, here: "_Here") -> list[_Field]:
    words = here.referee.words

    def said(key: str, otherwise: str) -> str:
        return words.phrase(key) if key in words.phrases else otherwise

    found = []
    for name, option in course.book.game.options.items():
        label = said(f"option-{name}", name)
        if isinstance(option, Flag):
            found.append(_Field(name, label))
        elif isinstance(option, OneOf):
            choices = [(one, said(f"option-{name}-{one}", words.word(one))) for one in option.choices]
            found.append(_Field(name, label, tuple(choices)))
        elif isinstance(option, Whole) and option.most - option.least < 20:
            numbers = sorted(range(option.least, option.most + 1), key=lambda n: n != option.default)
            found.append(_Field(name, label, tuple((str(n), str(n)) for n in numbers)))
        else:
            assert isinstance(option, Whole | Seat | Several)  # chance decides who begins; the rest is usual
    return found


# The table


def _judged(course: Course, here: "_Here") -> str:
    """The position after the moves, and the answer to the one that is asked about."""
    game, referee, played = course.book.game, here.referee, here.played
    asked = played.refused or (game.parse_move(here.tried) if here.tried else None)
    answer = referee.ask(played.state, asked) if asked else None
    state, turn = played.state, game.turn(played.state)
    seat = here.seat or (
        asked.seat if asked and 0 < asked.seat <= game.seats(state) else _actor(course, state)
    )
    seat = min(seat, game.seats(state))
    scene = Scene(
        state=game.view(state, seat) if here.see == OWN else state,
        words=referee.words,
        seat=seat,
        picks=asked.what if asked else here.picks,
        link=here.link(played, seat),
    )
    if answer:
        tone: Tone = "hint" if answer.verdict.ok else "refused"
        scene = replace(scene, marks=answer.marks, tone=tone, tried=() if answer.verdict.ok else answer.tried)
    chances = None
    if CHANCE in turn:
        made = setup_of(game)
        act, parts = made.chances(state)
        chances = [[(value, made.name(act, value, referee.words)) for value in values] for values in parts]
    return here.rendered(
        "table",
        scene,
        answer=answer,
        played=played,
        standing=referee.standing(state),
        legal=referee.legal(state) if here.list else None,
        chances=chances,
        can_edit=bool(setup_of(game).rows_known),
        shared=here.shared(state),
    )


def _edited(
    course: Course, here: "_Here", state: State | None = None, fault: InvalidPosition | None = None
) -> str:
    """The position while it is set up; `fault` says why it cannot be played as it is."""
    game, words = course.book.game, here.referee.words
    made = setup_of(game)
    if not made.rows_known:
        raise fault or InvalidPosition("link.damaged")
    if state is None:
        state = game.draft(unpack(here.at))
        if here.do:
            state = made.do(state, here.do)
    text = game.format_position(state)
    here = here.now(pack(text))
    seat = min(here.seat or _actor(course, state), game.seats(state))
    picks = made.still(state, here.picks)
    scene = Scene(state=state, words=words, seat=seat, picks=picks, edit=lambda do: here.change(do, picks))
    message = words.errors[fault.code].text(words, fault.values) if fault else ""
    return here.rendered(
        "edit", scene, rows=made.rows(state, seat, picks, words), fault=message, picks=picks, shared=""
    )


def _actor(course: Course, state: State) -> int:
    """Whose view is shown when nobody says: a player who is to act, or else the first."""
    try:
        turn = course.book.game.turn(state)
    except (ArithmeticError, LookupError):
        turn = ()  # of a draft that makes no sense yet
    return next((seat for seat in turn if seat != CHANCE), 1)


class _Here:
    """What the address of a table says, and addresses of the same table that say something else."""

    def __init__(self, lang: str, game: str) -> None:
        args = request.args
        self.lang, self.game = lang, game
        self.course = shelf().course(game)
        self.address = url_for("referee.page", lang=lang, game=game)
        self.at = args.get("at", "")
        self.moves = tuple(move for move in args.get("moves", "").split(";") if move.strip())
        self.tried = args.get("try", "").strip()
        self.picks = tuple(dict.fromkeys(args.get("pick", "").split()))[:30]
        self.see = OWN if args.get("see") == OWN else ""
        seat = args.get("seat", "")
        self.seat = int(seat) if seat in tuple("123456789") else 0
        self.list, self.edit = "list" in args, "edit" in args
        self.do = args.get("do", "").strip()

    @cached_property
    def referee(self) -> Referee:
        book = self.course.book
        return Referee(book.game, self.course.texts[self.lang], book.words[self.lang])

    @cached_property
    def played(self) -> Played:
        """The moves of the address, played. What would make it too long becomes the beginning."""
        game = self.course.book.game
        start = game.parse_position(unpack(self.at))
        played = self.referee.replay(start, self.moves)
        self.at = pack(game.format_position(start))
        if len(played.moves) > MOST_PLAYED or len(self(moves=played.moves)) > LONGEST_BEFORE:
            self.at = pack(game.format_position(played.state))
            return replace(played, moves=())
        return played

    def now(self, at: str) -> "_Here":
        self.at = at
        return self

    def __call__(self, **values: Any) -> str:
        """An address of this table; without a seat it is the view of whoever acts."""
        moves = values.pop("moves", ())
        said = {"at": self.at, "see": self.see} | values | ({"moves": ";".join(moves)} if moves else {})
        pairs = [(name, str(said[name])) for name in (*address.REFEREE, "chance") if said.get(name)]
        return f"{self.address}?{'&'.join(f'{name}={escaped(value)}' for name, value in pairs)}"

    def table(self, state: State, tried: str = "", edit: bool = False) -> str:
        """Another position."""
        self.at = pack(self.course.book.game.format_position(state))
        return self(edit="1" if edit else "") + (f"&try={escaped(tried)}" if tried else "")

    def shared(self, state: State) -> str:
        """The address to give away: the position as it is now, in no language."""
        at = pack(self.course.book.game.format_position(state))
        return f"{url_for('referee.shared', game=self.game)}?at={escaped(at)}"

    def link(self, played: Played, seat: int) -> Link:
        """A board needs some ninety addresses that differ in their end only."""
        here = self(moves=played.moves, seat=seat)
        game = self.course.book.game

        def where(option: Option) -> str:
            if option.move:
                return f"{here}&try={escaped(game.format_move(option.move))}"
            return f"{here}&pick={escaped(' '.join(option.picks))}" if option.picks else here

        return where

    def text_of(self, answer: Answer) -> str:
        return self.course.book.game.format_move(answer.told.move)

    def editing(self, state: State, seat: int) -> str:
        """The address where the position that is on the table now is changed."""
        at = pack(self.course.book.game.format_position(state))
        return self(at=at, edit="1", seat=seat)

    def change(self, do: str = "", picks: tuple[str, ...] = (), seat: int = 0) -> str:
        """The address of a change to the position that is set up."""
        return self(edit="1", do=do, pick=" ".join(picks), seat=seat or self.seat or "")

    def rendered(self, view: str, scene: Scene, **values: Any) -> str:
        fragment = hx.wants_fragment()
        game = self.course.book.game
        return render_template(
            "referee/fragment.html" if fragment else "referee/page.html",
            **({"fragment": True} if fragment else {}),
            view=view,
            game=self.game,
            here=self,
            scene=scene,
            seats=range(1, game.seats(scene.state) + 1),
            picture=shelf().picture(self.game, scene),
            texts=self.course.texts[self.lang],
            words=self.referee.words,
            **values,
        )
