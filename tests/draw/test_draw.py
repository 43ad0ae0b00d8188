"""The pictures: well-formed, colours written once, never a colour alone; and what lies over the boards."""

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import pytest
from flask import Flask, g, render_template
from playwright.sync_api import Browser

from tests import nim
from tests.books import FULL, LIBRARY, having
from tests.conftest import CHROMIUM
from tests.pages import Outline
from tutor.book.words import LANGUAGES
from tutor.draw.drawing import RING_WIDTH
from tutor.draw.over import draw_over
from tutor.draw.palette import GLYPHS, INKS
from tutor.games import GAMES
from tutor.games.blockers.table import art as blockers_art
from tutor.games.border.engine import Border
from tutor.games.tables import drawing_of
from tutor.lessons.course import Course
from tutor.lessons.input import NO_INPUT
from tutor.lessons.scene import Option, Scene
from tutor.lessons.screen_views import show
from tutor.paths import STATIC
from tutor.web.http.files import SHEETS
from tutor.web.http.shelf import Shelf

PICTURES = [
    f"/picture/{name}/{picture}.svg"
    for name, book in LIBRARY.games.items()
    for picture in drawing_of(book.game).pictures
]


@pytest.mark.parametrize("path", PICTURES)
def test_a_picture_is_well_formed_and_needs_nothing_else(app: Flask, path: str) -> None:
    answer = app.test_client().get(path)
    assert answer.mimetype == "image/svg+xml"
    root = ElementTree.fromstring(answer.text)
    assert not [
        element for element in root.iter() if element.tag.endswith(("script", "image", "foreignObject"))
    ]


def test_the_style_sheet_uses_the_colours_of_the_palette() -> None:
    sheet = "".join(sheet.read_text("utf-8") for sheet in SHEETS)
    rules = dict(re.findall(r"^\.(\w+) \{ background: (#\w+; color: #\w+); \}", sheet, re.MULTILINE))
    assert rules == {
        name: f"{fill}; color: {ink}"
        for name, (fill, ink) in INKS.items()
        if name in GLYPHS and name in rules
    }
    assert {"grey", "yellow", "blue", "red", "orange", "green"} <= rules.keys()


def test_every_colour_has_a_glyph_of_its_own_that_can_be_read_on_it() -> None:
    assert len(set(GLYPHS.values())) == len(GLYPHS) == len(INKS) - 1
    for fill, ink in INKS.values():
        assert contrast(fill, ink) >= 4.5, (fill, ink)


def test_no_two_colours_have_the_same_fill() -> None:
    assert all(a != b for a, b in combinations([fill for fill, _ in INKS.values()], 2))


def scenes(course: Course, lang: str = "en") -> Iterator[Scene]:
    """Every position of the scenarios, as its onlooker sees it, with what happens there marked."""
    for name, run in course.runs.items():
        for step in run.steps:
            told = course.tell(name, step, lang)
            deeds, verdicts = told.step.deeds, [told.step.verdict, *(one for _, one in told.step.choices)]
            named = [place for deed in deeds for place in deed.at]
            named += [place for one in verdicts if one for reason in one.reasons for place in reason.at]
            for state in (told.step.before, told.step.after):
                yield told.scene(state, marks=tuple(named))


def drawn(app: Flask, game: str, scene: Scene) -> str:
    """The table of a scene as HTML."""
    shelf: Shelf = app.extensions["shelf"]
    with app.test_request_context("/"):
        g.lang = scene.words.lang
        template, table = shelf.picture(game, scene)
        return render_template(template, table=table)


def board(app: Flask, game: str, scene: Scene) -> str:
    """The board in focus alone."""
    return drawn(app, game, scene).partition('<div class="focus-board"')[2].partition("</svg>\n")[0]


def busy(course: Course) -> Scene:
    """A position with many places."""
    drawing = drawing_of(course.book.game)
    return max(scenes(course), key=lambda scene: len(drawing.spots(scene)))


@pytest.mark.parametrize("game", having("drawing"))
def test_every_spot_and_the_ring_around_it_lie_on_the_board(
    app: Flask, all_courses: dict[str, Course], game: str
) -> None:
    drawing = drawing_of(all_courses[game].book.game)
    box = re.search(r'viewBox="0 0 (\d+) (\d+)"', board(app, game, busy(all_courses[game])))
    assert box
    width, height = map(int, box.groups())
    for scene in scenes(all_courses[game]):
        spots = drawing.spots(scene)
        assert len({spot.name for spot in spots}) == len(spots)
        for spot in spots:
            beyond = spot.r + RING_WIDTH
            assert beyond <= spot.x <= width - beyond, spot
            assert beyond <= spot.y <= height - beyond, spot
            assert spot.label


@pytest.mark.parametrize("game", having("drawing"))
def test_every_place_that_can_be_marked_has_a_spot(all_courses: dict[str, Course], game: str) -> None:
    drawing = drawing_of(all_courses[game].book.game)
    seen: set[str] = set()
    for scene in scenes(all_courses[game]):
        spots = {spot.name for spot in drawing.spots(scene)}
        plain = replace(scene, marks=(), compact=True)
        for place in set(scene.marks) - seen:
            if drawing.table(replace(plain, marks=(place,))) != drawing.table(plain):
                assert place in spots
                seen.add(place)
    assert len(seen) > (10 if game in FULL else 0)


INSIDE = """() => [...document.querySelectorAll("[data-spot]")].filter((spot) => {
  const shape = document.getElementById(`spot-${spot.dataset.spot}`).firstElementChild;
  return !shape.isPointInFill({ x: spot.dataset.x, y: spot.dataset.y });
}).map((spot) => spot.dataset.spot)"""
WITH_BROWSER = pytest.mark.skipif(not CHROMIUM and not os.environ.get("CI"), reason="no chromium")


@pytest.mark.browser
@WITH_BROWSER
@pytest.mark.parametrize("game", having("drawing"))
def test_a_spot_lies_on_what_is_touched_for_it(
    app: Flask, all_courses: dict[str, Course], browser: Browser, game: str
) -> None:
    scene = replace(busy(all_courses[game]), point=lambda place: f"/{place}")
    spots = drawing_of(all_courses[game].book.game).spots(scene)
    page = browser.new_page()
    dots = "".join(f'<i data-spot="{one.name}" data-x="{one.x}" data-y="{one.y}"></i>' for one in spots)
    page.set_content(drawn(app, game, scene) + dots)
    assert page.locator("[data-spot]").count() == page.locator("[data-board] a").count() == len(spots)
    assert page.evaluate(INSIDE) == []
    page.close()


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("game", having("drawing"))
def test_votes_have_their_number_and_the_pointer_its_words(
    app: Flask, all_courses: dict[str, Course], game: str, lang: str
) -> None:
    scene = next(scenes(all_courses[game], lang))
    few, many, most = drawing_of(all_courses[game].book.game).spots(scene)[:3]
    heat = {few.name: 1, many.name: 5, most.name: 122, "off-board": 7, "gone": 3}
    html = board(app, game, replace(scene, heat=heat, pointed=many.name))
    discs = re.findall(
        r'class="heat tint-(\d)" role="img" aria-label="([^"]+)".*? r="(.+?)".*>(\d+)</text>', html
    )
    tints, labels, radii, numbers = zip(*discs, strict=True)
    assert numbers == ("1", "5", "122")
    assert tints == ("1", "1", "4")
    assert sorted(map(float, radii)) == list(map(float, radii)), "more votes, a larger disc"
    said = {
        "en": "vote votes votes",
        "it": "voto voti voti",
        "es": "voto votos votos",
        "pl": "głos głosów głosy",
    }
    for label, spot, count, noun in zip(labels, (few, many, most), numbers, said[lang].split(), strict=True):
        assert label == f"{escape(spot.label)} – {count} {noun}"
    assert html.count('class="pointed"') == 1
    assert f'data-place="{many.name}" role="img" aria-label="{escape(many.label)}"' in html
    assert 'role="group"' in html, "what is said inside a picture is not heard"
    assert "data-board" not in html
    look = {"en": "Look here – ", "it": "Guarda qui – ", "es": "Mira aquí – ", "pl": "Spójrz tutaj – "}
    words = (
        drawn(app, game, replace(scene, pointed=many.name))
        .partition('<p class="sr">')[2]
        .partition("</p>")[0]
    )
    assert words.endswith(look[lang] + escape(many.label))


@pytest.mark.parametrize("game", having("drawing"))
def test_while_somebody_points_every_place_is_a_labelled_link_and_nothing_is_a_move(
    app: Flask, all_courses: dict[str, Course], game: str
) -> None:
    def link(option: Option) -> str:
        return "/move"

    drawing = drawing_of(all_courses[game].book.game)
    for scene in list(scenes(all_courses[game]))[::20]:
        spots = drawing.spots(scene)
        pointing = replace(scene, link=link, point=lambda place: f"/at?a=1&b={place}", pointed=spots[1].name)
        html = drawn(app, game, pointing)
        found = re.findall(
            r'<a id="spot-(\S+)" class="space( picked)?" href="([^"]+)" aria-label="([^"]+)">', html
        )
        expected = [
            (one.name, " picked" * (one == spots[1]), f"/at?a=1&amp;b={one.name}", escape(one.label))
            for one in spots
        ]
        assert found == expected
        assert html.count("href=") == html.count("<use href=") + html.count("<image href=") + len(spots)
        assert html.count(" data-board ") == board(app, game, pointing).count(" data-board ") == 1
        assert len(Outline(html).ids) == len(set(Outline(html).ids))


@pytest.mark.parametrize("game", GAMES)
def test_nothing_lies_over_a_board_that_nobody_points_at(
    app: Flask, all_courses: dict[str, Course], game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawing = drawing_of(all_courses[game].book.game)
    scene = next(scenes(all_courses[game]))
    # Not even a place that is not on this board changes it.
    bare = drawn(app, game, scene)
    assert drawn(app, game, replace(scene, pointed="Q99", heat={"Q99": 4})) == bare
    assert not re.search(r"spot-|pointed|heat|tint-", bare)
    monkeypatch.setattr(type(drawing), "spots", None)
    assert draw_over(drawing, scene) is None


def test_a_phone_begins_at_the_place_that_is_pointed_at(app: Flask, all_courses: dict[str, Course]) -> None:
    drawing: Any = drawing_of(all_courses["border"].book.game)
    scene = replace(next(scenes(all_courses["border"])), marks=("A4",), pointed="K8")
    spot = next(one for one in drawing.spots(scene) if one.name == "K8")
    look = f"{spot.x / drawing.width:.2f} {spot.y / drawing.height:.2f}"
    assert f'data-look="{look}"' in drawn(app, "border", scene)


@pytest.mark.browser
@WITH_BROWSER
def test_the_window_of_a_phone_follows_the_pointer_but_not_what_it_shows_already(
    app: Flask, all_courses: dict[str, Course], browser: Browser
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})

    def table(place: str) -> str:
        scene = replace(next(scenes(all_courses["border"])), pointed=place)
        stage = f'<div class="stage">{drawn(app, "border", scene)}</div>'
        return f'<article id="screen" class="screen screen-do" data-screen="1">{stage}</article>'

    def point(place: str) -> int:
        """Shows another place to look at, as htmx would; tells how far the window has moved to the right."""
        page.evaluate("([html]) => { document.querySelector('#screen').outerHTML = html; }", [table(place)])
        page.evaluate("document.dispatchEvent(new Event('htmx:afterSettle'))")
        return int(page.evaluate("document.querySelector('.focus-board').scrollLeft"))

    page.set_content(f'<body class="lesson border"><main><h1>1</h1>{table("A1")}</main>')
    page.add_style_tag(content="".join(one.read_text("utf-8") for one in (STATIC / "style.css", *SHEETS)))
    for name in ("pending.js", "stage.js"):
        page.add_script_tag(content=(STATIC / name).read_text("utf-8"))
    assert point("A1") == 0
    far = point("J15")
    assert far > 50
    assert point("J15") == point("I14") == far
    assert point("A1") == 0
    page.close()


def test_a_tile_that_would_capture_lies_smaller_on_the_one_it_takes(
    app: Flask, all_courses: dict[str, Course]
) -> None:
    """Two tiles that shine through each other are none."""
    course = all_courses["blockers"]
    scene = show(course, course.lessons.screens["lone"], "en", NO_INPUT).scene
    assert scene
    assert "ghost-over" in board(app, "blockers", scene)
    (ghost,) = scene.ghosts
    free = replace(scene, ghosts=(replace(ghost, at=("A1",)),))
    assert "ghost-over" not in board(app, "blockers", free)
    for one in (scene, free):
        assert board(app, "blockers", one).count("ghost-bed") == 1


@pytest.mark.parametrize(
    ("game", "rule", "marked"),
    [
        ("blockers", "turn.must-place", "hint"),
        ("confini", "challenge.must", "hint"),
        ("blockers", "capture.split", "refused"),
        ("border", "first.open", "refused"),
    ],
)
def test_red_is_what_is_refused_and_not_where_one_may_act_instead(
    app: Flask, all_courses: dict[str, Course], game: str, rule: str, marked: str
) -> None:
    course, count = all_courses[game], 0
    for name, run in course.runs.items():
        for step, played in run.steps.items():
            if played.kind != "refuse" or not played.marks or played.reasons[0].rule != f"{game}.{rule}":
                continue
            html = drawn(app, game, course.tell(name, step, "en").still())
            tones = set(re.findall(r'class="(?:marks|arc-mark) (hint|refused)"', html))
            assert tones == {marked}, (name, step)
            count += 1
    assert count


def test_a_game_without_a_drawing_has_no_spots() -> None:
    book = nim.book()
    scene = Scene(state=book.game.setup({}), words=book.words["en"], seat=1, pointed="1", heat={"1": 2})
    assert draw_over(drawing_of(book.game), replace(scene, point=str)) is None


def test_the_ring_and_the_numbers_of_votes_can_be_read_on_every_colour() -> None:
    sheet = (STATIC / "style.css").read_text("utf-8")
    ring, halo = re.findall(r"^\.pointed.*stroke: (#\w+);", sheet, re.MULTILINE)
    assert halo == "#fff", "it is seen on dark pieces too"
    assert all(contrast(ring, fill) >= 3 for fill, _ in INKS.values())
    assert contrast(ring, "#ffffff") >= 4.5
    tints = re.findall(r"^\.tint-\d circle \{ fill: (#\w+)", sheet, re.MULTILINE)
    dark = re.search(r"^\.heat text .*fill: (#\w+)", sheet, re.MULTILINE)
    assert dark
    inks = [dark[1], dark[1], "#ffffff", "#ffffff"]
    assert all(contrast(tint, ink) >= 4.5 for tint, ink in zip(tints, inks, strict=True))
    assert [luminance(tint) for tint in tints] == sorted(map(luminance, tints), reverse=True)


def test_the_symbols_of_blockers_are_seen_on_both_tints() -> None:
    assert all(contrast(blockers_art.SYMBOL, tint) >= 3 for tint in blockers_art.TINTS)


def test_a_space_of_the_border_says_where_it_lies(app: Flask, all_courses: dict[str, Course]) -> None:
    """The areas around which it lies, its neighbours; an area names its spaces that are still open."""
    course = all_courses["border"]
    scene = replace(next(scenes(course)), link=lambda option: "?")
    html = drawn(app, "border", scene)
    assert isinstance(course.book.game, Border)
    geometry = course.book.game.geometry
    for i, name in enumerate(geometry.names):
        label = re.search(rf'id="space-{name}"[^>]*aria-label="([^"]*)"', html)
        assert label
        beside = label[1].rpartition(": ")[2].split(", ")
        assert beside == list(geometry.spaces(geometry.neighbours[i]))
        assert all(scene.words.word(geometry.areas[area].id) in label[1] for area in geometry.areas_at[i])


def contrast(one: str, other: str) -> float:
    """As WCAG counts it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
