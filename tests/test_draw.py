"""The pictures: well-formed, colours written once, and never a colour alone."""

import re
from itertools import combinations
from xml.etree import ElementTree

import pytest
from flask import Flask

from tutor.book.load import load
from tutor.paths import CONTENT, STATIC
from tutor.web.draw import drawing_of
from tutor.web.draw.palette import GLYPHS, INKS

PICTURES = [
    f"/picture/{name}/{picture}.svg"
    for name, book in load(CONTENT).games.items()
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
    sheet = (STATIC / "style.css").read_text("utf-8")
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


def contrast(one: str, other: str) -> float:
    """As WCAG counts it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
