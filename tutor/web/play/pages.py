"""Playing a match: beginning one, its page, what a person does there.

A touch on the board is a link, which shows what the move would do; the move is made by a form. The address
says what is looked at, the log what has happened:

    try     the move that is asked about; pick    what is touched on the way to one
    seat    who sits in front of the screen, where several people share it
    show    `legal` lists what may be done, `hint` names a good move, `odds` what the dice may bring,
            `log` tells all moves
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, abort, redirect, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from tutor.book.texts import Entry, Texts
from tutor.book.words import Words
from tutor.lessons.course import Course
from tutor.lessons.scene import Link, Option, Scene, Tone, tone_of
from tutor.live.log import Stale
from tutor.live.matches import CannotTakeBack, NotSeated, id_of, seats_of
from tutor.play.bots import EASY, SOUND
from tutor.play.match import Match
from tutor.play.telling import Cards, Hint, Line, Mistake, Odds, Teller
from tutor.referee.asking import Answer, Referee, Standing
from tutor.referee.packed import pack
from tutor.rules.base import CHANCE, IllegalMove, Move
from tutor.rules.errors import InvalidOption
from tutor.rules.options import PLAYERS, Whole
from tutor.web.http import address, hx, limit
from tutor.web.http.address import quote_part
from tutor.web.http.cache import answer_fresh, aside
from tutor.web.http.cookies import place_cookie, with_choices
from tutor.web.http.options import Field, list_fields, read_form
from tutor.web.http.played import Continued, Played, find_continued, matches, token_of, with_match
from tutor.web.http.qr import draw_qr
from tutor.web.http.render import render
from tutor.web.http.shelf import shelf

bp = Blueprint("play", __name__)

LEVELS = (EASY, SOUND)
MOST_SEATS = 9
"""Beyond what any game has; the game says how many it takes."""
CARDS = "cards"
"""The cookie of whoever wants no rules beside the board."""


# Beginning


@dataclass(frozen=True)
class StartPage:
    game: str
    texts: Texts
    words: Words
    most: int
    """Seats."""
    fields: list[Field]
    played: list[Continued]


@bp.get("/<lang:lang>/<game>/play")
def start(lang: str, game: str) -> Response:
    course = shelf().course(game)
    fields = [one for one in list_fields(course, course.book.words[lang]) if one.name != PLAYERS]
    played = [one for one in find_continued() if one.game == game]
    page = StartPage(game, course.texts[lang], course.book.words[lang], _players(course).most, fields, played)
    return answer_fresh(render("play/start.html", page))


def _players(course: Course) -> Whole:
    option = course.book.game.options[PLAYERS]
    assert isinstance(option, Whole)
    return option


@bp.post("/<lang:lang>/<game>/play")
def begin(lang: str, game: str) -> Response:
    """A new match: by default one person and one easy bot."""
    course = shelf().course(game)
    limit.take("match")
    limit.take("match-near", limit.region(request.remote_addr or ""))
    form = request.form
    people, bots = (address.number(form.get(name, "1")) for name in ("people", "bots"))
    level = form.get("level", EASY)
    seats = seats_of(min(people, MOST_SEATS), min(bots, MOST_SEATS), level if level in LEVELS else EASY)
    options = read_form(course.book.game, form) | {PLAYERS: len(seats)}
    if not people:
        raise InvalidOption("option.number", option=PLAYERS, value="0", least=1, most=_players(course).most)
    name, token = matches().begin(game, options, seats, practice="practice" in form)
    answer = redirect(url_for("play.match", game=game, name=name), 303)
    return with_match(answer, first=Played(game, name, token))


# The match


class Place:
    """Addresses of one match."""

    def __init__(self, game: str, name: str, seat: int) -> None:
        self.bare = url_for("play.match", game=game, name=name)
        self._seat = {"seat": str(seat)} if seat else {}

    def __call__(self, **values: str) -> str:
        said = {key: value for key, value in (values | self._seat).items() if value}
        return f"{self.bare}?{urlencode(said)}" if said else self.bare

    def link(self, match: Match) -> Link:
        here = self()
        joined = "&" if "?" in here else "?"

        def to(option: Option) -> str:
            if option.move:
                return f"{here}{joined}try={quote_part(match.game.format_move(option.move))}"
            return f"{here}{joined}pick={quote_part(' '.join(option.picks))}" if option.picks else here

        return to


@dataclass(frozen=True, kw_only=True)
class MatchPage:
    """What the templates of a match are given."""

    game: str
    name: str
    match: Match
    here: Place
    seat: int
    """Who looks; CHANCE for somebody who has no seat."""
    owner: bool
    curtain: str
    """Who has to take the screen before anything is shown; empty if nobody has to."""
    words: Words
    texts: Texts
    scene: Scene
    standing: Standing
    happened: Sequence[Line]
    cards: Cards
    cards_on: bool
    answer: Answer | None
    tried: str
    legal: "list[tuple[Entry | None, list[tuple[Move, str]]]] | None"
    hint: Hint | None
    odds: Sequence[Odds] | None
    has_odds: bool
    log: Sequence[Line] | None
    back: str
    """Why nothing can be taken back; empty if it can."""
    noted: str
    """What became of what was asked for: `late`, `refused`, or why nothing was taken back."""
    mistake: Mistake | None
    never_met: Sequence[Entry]
    retry: str

    @property
    def mine(self) -> bool:
        """Whether the one who looks is to act."""
        return self.owner and not self.curtain and self.seat == self.match.to_act and not self.match.over

    @property
    def picture(self) -> tuple[str, dict[str, Any]]:
        return shelf().picture(self.game, self.scene)

    @property
    def names(self) -> list[tuple[str, str]]:
        """Of the seats, each with the bot that plays it."""
        return [(self.words.word(f"p{n}"), bot) for n, bot in enumerate(self.match.begun.seats, 1)]

    @property
    def round(self) -> int:
        found = self.match.game.facts(self.match.state).get("round", 0)
        return found if isinstance(found, int) else 0


@bp.route("/<lang:lang>/<game>/play/<name>", methods=["GET", "POST"])
def match(lang: str, game: str, name: str) -> Response:
    course = shelf().course(game)
    if not id_of(name):
        abort(404)
    if key := request.args.get("key", ""):  # another device of the same person
        answer = redirect(url_for("play.match", game=game, name=name), 303)
        found = matches().look(name)
        return (
            with_match(answer, first=Played(game, name, key[:80])) if matches().owns(found, key) else answer
        )
    noted, form = "", request.form  # read here: what is done aside cannot wait for the rest of a form
    if request.method == "POST":
        limit.take("move", name)
        noted = aside(lambda: _do(name, form))
        if not hx.wants_fragment():
            seat = request.form.get("seat", "")
            values = {key: value for key, value in (("seat", seat), ("noted", noted)) if value}
            where = url_for("play.match", game=game, name=name)
            return _with_switch(redirect(f"{where}?{urlencode(values)}" if values else where, 303))
    answer = answer_fresh(aside(lambda: _show(course, lang, name, noted)))
    if request.method == "POST":
        answer.headers["HX-Push-Url"] = Place(game, name, address.number(request.form.get("seat", "")))()
    return _with_switch(answer)


def _with_switch(answer: Response) -> Response:
    wanted = request.form.get(CARDS, "")
    return with_choices(answer, **{CARDS: wanted}) if wanted in ("on", "off") else answer


def _do(name: str, form: MultiDict[str, str]) -> str:
    """Does what a form says; what came of it, if that has to be told."""
    token = token_of(name)
    after = address.number(form.get("version", ""))
    try:
        match form.get("do", ""):
            case "move":
                game = matches().look(name).game
                matches().play(name, token, game.parse_move(form.get("move", "")[:200]), after)
            case "go":
                matches().go_on(name, token, after, all_at_once="all" in form)
            case "back":
                matches().take_back(name, token, address.number(form.get("seat", "")) or 1, after)
            case "cards":
                pass
            case _:
                abort(400)
    except Stale:
        return "late"
    except NotSeated:
        return "guest"
    except IllegalMove:
        return "refused"
    except CannotTakeBack as error:
        return error.why
    return ""


def _show(course: Course, lang: str, name: str, noted: str) -> str:
    page = make_page(course, lang, name, noted or request.args.get("noted", ""))
    if hx.wants_fragment():
        return render("play/fragment.html", page, fragment=True)
    return render("play/page.html", page)


def make_page(course: Course, lang: str, name: str, noted: str) -> MatchPage:
    match = matches().look(name)
    if match.begun.game != course.book.id:
        abort(404)
    owner = matches().owns(match, token_of(name))
    seat, curtain = _find_seat(match, owner)
    teller = Teller(course, match, lang, seat)
    words, texts, brain = teller.words, teller.texts, matches().brain(match)
    here = Place(course.book.id, name, seat if len(match.people) > 1 else 0)
    view = match.state if match.over else match.game.view(match.state, seat)
    referee = Referee(match.game, texts, words)
    mine = owner and not curtain and seat == match.to_act and not match.over
    scene = Scene(state=view, words=words, seat=seat or 1)
    since = teller.since
    marks = tuple(place for turn in since for place in match.game.tell(turn.before, turn.move).at)
    scene = replace(scene, marks=marks)
    shown = request.args.get("show", "") if request.method == "GET" else ""
    tried = request.args.get("try", "")[:200] if request.method == "GET" and mine else ""
    answer, hint = None, None
    if mine:
        picks = tuple(request.args.get("pick", "").split())[:30] if request.method == "GET" else ()
        scene = replace(scene, link=here.link(match), picks=picks, disputes=True)
        if tried:
            answer = referee.ask(view, match.game.parse_move(tried))
            tone: Tone = "hint" if answer.verdict.ok else tone_of(answer.verdict)
            picked = answer.told.move.what
            refused = () if answer.verdict.ok else answer.tried
            scene = replace(scene, marks=answer.marks, tone=tone, tried=refused, picks=picked)
        elif picks or shown:
            scene = replace(scene, marks=())
        if shown == "hint":
            hint = teller.hint(brain)
            if hint:
                at = match.game.tell(view, hint.move).at
                scene = replace(scene, hint=hint.move, marks=at, tone="hint")
    mistake = teller.find_mistake(brain) if match.over and seat else None
    version = since[0].version if since else 0
    return MatchPage(
        game=course.book.id,
        name=name,
        match=match,
        here=here,
        seat=seat,
        owner=owner,
        curtain=curtain,
        words=words,
        texts=texts,
        scene=scene,
        standing=referee.standing(view),
        happened=teller.tell(since),
        cards=teller.find_cards(_known(course), version),
        cards_on=request.form.get(CARDS, request.cookies.get(CARDS)) != "off",
        answer=answer,
        tried=tried,
        legal=teller.group_legal() if mine and shown == "legal" else None,
        hint=hint,
        odds=teller.list_odds(brain) if mine and shown == "odds" else None,
        has_odds=mine and bool(brain.wish_phrases) and bool(teller.list_odds(brain)),
        log=teller.tell(match.turns)[::-1] if shown == "log" else None,
        back=match.find_way_back(seat)[1] if owner and seat in match.people and not match.over else "nothing",
        noted=noted if noted in NOTED else "",
        mistake=mistake,
        never_met=teller.never_met() if match.over else [],
        retry=_referee(course, mistake) if mistake else "",
    )


NOTED = ("late", "guest", "refused", "nothing", "chance", "reveal")


def _find_seat(match: Match, owner: bool) -> tuple[int, str]:
    """Who looks, and who has to take the screen first. What several people share is shown to nobody until one
    of them says that it is theirs, and to no seat while a bot acts."""
    if not owner:
        return CHANCE, ""
    if len(match.people) == 1:
        return match.people[0], ""
    if match.over or match.goes_on or not match.hides:
        return (match.to_act if match.to_act in match.people else CHANCE), ""
    said = request.form.get("seat", request.args.get("seat", ""))
    if said == str(match.to_act):
        return match.to_act, ""
    return CHANCE, f"p{match.to_act}"


def _known(course: Course) -> frozenset[str]:
    """The rules that the lesson has shown this reader."""
    place = request.cookies.get(place_cookie(course.book.id), "")
    screen = course.lessons.screens.get(place)
    return screen.known if screen else frozenset()


def _referee(course: Course, mistake: Mistake) -> str:
    at = pack(course.book.game.format_position(mistake.before))
    return f"{url_for('referee.page', game=course.book.id)}?at={quote_part(at)}"


@bp.get("/<lang:lang>/<game>/play/<name>/moves.txt")
def export(lang: str, game: str, name: str) -> Response:
    """A match that is over, as a line that `tutor referee` replays; before, it would tell what is hidden."""
    found = matches().look(name) if id_of(name) else abort(404)
    if found.begun.game != game or not found.over:
        abort(404)
    moves = [found.game.format_move(turn.move) for turn in found.turns]
    line = json.dumps({"game": game, "start": found.begun.options, "moves": moves, "lang": lang})
    return Response(line + "\n", mimetype="text/plain", headers={"Cache-Control": "no-store"})


@bp.get("/<lang:lang>/<game>/play/<name>/device")
def device(lang: str, game: str, name: str) -> Response:
    """How to go on with another device: an address that is worth the seat, for its owner's eyes."""
    course = shelf().course(game)
    found = matches().look(name) if id_of(name) else abort(404)
    token = token_of(name)
    if found.begun.game != game or not matches().owns(found, token):
        abort(404)
    link = f"{address.site()}{url_for('play.match', game=game, name=name)}?key={quote_part(token)}"
    picture = draw_qr(link)
    return answer_fresh(render("play/device.html", DevicePage(game, name, course.texts[lang], link, picture)))


@dataclass(frozen=True)
class DevicePage:
    game: str
    name: str
    texts: Texts
    link: str
    picture: str
