"""The list of a game's pieces, each with its picture and an anchor of its own."""

from dataclasses import replace
from itertools import groupby

from flask import Blueprint, render_template

from tutor.games.tables import pieces_of
from tutor.lessons.scene import Scene
from tutor.web.http.cache import keep_page
from tutor.web.http.shelf import shelf

bp = Blueprint("pieces", __name__)


@bp.get("/<lang:lang>/<game>/pieces")
@keep_page
def page(lang: str, game: str) -> str:
    course = shelf().course(game, "pieces")
    words = course.book.words[lang]
    listed = pieces_of(course, lang)
    table = Scene(state=course.book.game.setup({}), words=words, seat=1, compact=True)
    return render_template(
        "site/pieces/page.html",
        game=game,
        texts=course.texts[lang],
        kinds=[
            (kind, words.phrase(f"pieces-{kind}"), tuple(of_kind))
            for kind, of_kind in groupby(listed, lambda piece: piece.kind)
        ],
        looks=shelf().drawings[game].piece,
        boards={
            piece.id: shelf().picture(game, replace(table, marks=piece.marks))
            for piece in listed
            if piece.marks
        },
    )
