"""The lists of pieces: all of the box, each once, with what is printed and where it matters."""

import gzip
import tomllib
from collections import Counter

import pytest
from flask import Flask

from tests.books import having
from tests.pages import PageClient
from tutor.book.words import LANGUAGES
from tutor.games.blockers.engine.board import CELLS
from tutor.games.border.engine.board import COLOURS
from tutor.games.tables import pieces_of
from tutor.lessons.course import Course
from tutor.lookup.piece import Piece
from tutor.paths import CONTENT
from tutor.web.http.cache import Pages

each_language = pytest.mark.parametrize("lang", LANGUAGES)
each_game = pytest.mark.parametrize("game", having("pieces"))
MOST_BYTES = 60_000

Courses = dict[str, Course]


def listed(courses: Courses, game: str, lang: str = "en") -> dict[str, Piece]:
    found = pieces_of(courses[game], lang)
    by_id = {piece.id: piece for piece in found}
    assert len(by_id) == len(found)
    return by_id


def test_every_design_of_the_card_list_is_there_with_its_copies(all_courses: Courses) -> None:
    """Counted from the data file itself, not from what the engine made of it."""
    table = tomllib.loads((CONTENT / "confini" / "cards.toml").read_text("utf-8"))
    copies = {
        name: row["copies"] for kind in ("events", "equipment", "cut") for name, row in table[kind].items()
    }
    copies |= dict.fromkeys(table["limits"]["designs"], sum(table["limits"]["copies"]))
    copies |= dict.fromkeys(table["characters"], 1)
    copies["CT"] = table["changes"]["explorer"] + sum(table["changes"]["piles"])
    found = listed(all_courses, "confini")
    assert {piece.id: piece.count for piece in found.values()} == copies


def test_the_cards_add_up_to_the_printed_numbers_and_to_the_decks(all_courses: Courses) -> None:
    found = listed(all_courses, "confini").values()
    counts: Counter[str] = Counter()
    for piece in found:
        counts[piece.kind] += piece.count
    assert counts == {"character": 4, "event": 30, "equipment": 21, "cut": 10, "limit": 60, "change": 25}
    facts = all_courses["confini"].book.game.facts(all_courses["confini"].book.game.setup({}))
    explorer = sum(counts[kind] for kind in ("event", "equipment", "cut")) + 9
    assert explorer == facts["deck"] == 70
    piles = [facts[f"pile.{n}"] for n in range(1, 5)]
    assert counts["limit"] + 16 == sum(pile for pile in piles if isinstance(pile, int))


def test_a_limit_has_a_card_for_each_group_of_levels_with_the_same_text(all_courses: Courses) -> None:
    sides = {
        name: [side["corner"] for side in piece.values["sides"]]
        for name, piece in listed(all_courses, "confini").items()
        if piece.kind == "limit"
    }
    assert sides["CUP-A"] == ["1", "2", "3–4"]
    assert sides["PRE-A"] == ["1", "2–4"]
    assert sides["PRE-B"] == ["1–2", "3–4"]


@each_language
@pytest.mark.patient
def test_cards_say_what_they_do_in_every_language(all_courses: Courses, lang: str) -> None:
    for piece in listed(all_courses, "confini", lang).values():
        assert bool(piece.text) == (piece.kind != "change"), piece.id
    machete = listed(all_courses, "confini", lang)["EQ1"]
    assert "+1" in machete.text


def test_the_areas_have_the_rings_and_neighbours_that_the_maps_draw(all_courses: Courses) -> None:
    """Recounted from the text maps, hex by hex."""
    found = listed(all_courses, "border", "en")
    areas = tomllib.loads((CONTENT / "border" / "areas.toml").read_text("utf-8"))
    for number in range(1, 5):
        rows = (CONTENT / "border" / f"board-{number}.txt").read_text("utf-8").splitlines()
        grid = {(r, x): c for r, row in enumerate(rows) for x, c in enumerate(row) if c != " "}

        def ring(letter: str, grid: dict[tuple[int, int], str] = grid) -> dict[tuple[int, int], str]:
            steps = ((0, -2), (0, 2), (-1, -1), (-1, 1), (1, -1), (1, 1))
            own = [spot for spot, c in grid.items() if c == letter]
            around = {(r + dr, x + dx) for r, x in own for dr, dx in steps}
            return {spot: grid[spot] for spot in around if not grid[spot].islower()}

        rings = {name: ring(row["letter"]) for name, row in areas.items()}
        for name, spaces in rings.items():
            piece = found[name]
            assert len(piece.marks) == len(spaces)
            assert f"{len(spaces)}\u00a0spaces" in piece.text
            counts = Counter(spaces.values())
            assert piece.values["boards"][number - 1][1] == [counts[letter] for letter in COLOURS]
            words = all_courses["border"].book.words["en"]
            beside = piece.text.partition("Next to it:")[2]
            for other, its in rings.items():
                assert (words.word(other, "def") in beside) == (other != name and bool(its.keys() & spaces))
    assert [found[name].values["high"] for name in areas] == [row["high"] for row in areas.values()]


def test_each_colour_has_its_share_of_the_spaces(all_courses: Courses) -> None:
    found = listed(all_courses, "border")
    colours = [piece for piece in found.values() if piece.kind == "colour"]
    assert len(colours) == 6
    assert {len(piece.marks) for piece in colours} == {14}
    assert all("14 of the 84" in piece.text and "2, 3, 4 and 5" in piece.text for piece in colours)


def test_the_tiles_are_28_in_each_of_five_colours_and_show_where_they_fit(all_courses: Courses) -> None:
    found = listed(all_courses, "blockers")
    assert sum(piece.count for piece in found.values()) == 140
    assert {len(piece.values["colours"]) for piece in found.values()} == {5}
    kinds = Counter(piece.kind for piece in found.values())
    assert kinds == {"number": 9, "letter": 9, "symbol": 9, "joker": 1}
    assert set(found["tile-3"].marks) == {cell for cell in CELLS if cell[1] == "3"}
    assert set(found["tile-C"].marks) == {cell for cell in CELLS if cell[0] == "C"}
    assert set(found["tile-circle"].marks) == {row + column for row in "DEF" for column in "456"}
    assert "81" in found["tile-joker"].text


def test_rules_and_rulings_are_found_in_the_content(all_courses: Courses) -> None:
    found = listed(all_courses, "confini")

    def rules(name: str) -> list[str]:
        return [rule for rule, _ in found[name].rules]

    assert "confini.fight.charm" in rules("EV09")
    assert "confini.ruling.charm" in [ruling for ruling, _ in found["EV09"].rulings]
    asked = {name for name, piece in found.items() if "confini.ruling.steady-course" in dict(piece.rulings)}
    assert asked == {"vasco", "CT"}  # the rule on Abilities names others, the ruling does not
    assert "confini.cut.rope" in rules("EQ8")  # named in the texts, used in no scenario
    assert "confini.explore.reveal" in rules("EV10")  # cited by the engine, named in no text
    assert "confini.explore.pay" not in rules("EV10")  # cited for cards of all kinds
    assert "confini.fight.charm" not in rules("EV10")
    tiles = listed(all_courses, "blockers")
    assert [rule for rule, _ in tiles["tile-3"].rules] == ["blockers.place.column"]
    assert "blockers.place.area" in [rule for rule, _ in tiles["tile-heart"].rules]  # as all symbols


@each_game
@pytest.mark.patient
def test_what_touches_a_piece_is_the_same_in_every_language(all_courses: Courses, game: str) -> None:
    def ids(lang: str) -> list[tuple[str, ...]]:
        return [
            (piece.id, *(name for name, _ in (*piece.rules, *piece.rulings, *piece.examples)))
            for piece in pieces_of(all_courses[game], lang)
        ]

    assert len({tuple(ids(lang)) for lang in LANGUAGES}) == 1
    assert sum(len(one) > 1 for one in ids("en")) > len(ids("en")) / 2


@each_language
@each_game
def test_the_page_has_every_piece_with_its_anchor(
    client: PageClient, all_courses: Courses, lang: str, game: str
) -> None:
    address = f"/{lang}/{game}/pieces"
    page = client.page(address)
    text = " ".join(page.text)
    for piece in pieces_of(all_courses[game], lang):
        assert piece.id in page.ids
        assert piece.name in text
    for part in (f"/{lang}/{game}/", f"/{lang}/{game}/rules"):
        assert address in client.page(part).links
    assert len(gzip.compress(client.get(address).data)) < MOST_BYTES


@each_game
def test_links_of_the_page_lead_to_what_they_name(
    client: PageClient, all_courses: Courses, game: str
) -> None:
    page = client.page(f"/en/{game}/pieces")
    there = set(client.page(f"/en/{game}/rules").ids)
    anchors = {link.partition("#")[2] for link in page.links if "/rules#" in link}
    assert anchors
    assert anchors <= there
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)


def test_our_own_data_are_labelled(client: PageClient) -> None:
    text = client.get("/en/confini/pieces").text
    assert text.count("Our own data") == 5  # all kinds of cards but the Turn Changes
    assert 'id="ours"' in text
    assert "Our own data" not in client.get("/en/blockers/pieces").text


def test_the_page_is_remembered(app: Flask, client: PageClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(app.extensions, "pages", Pages())
    for address in ("/es/confini/pieces", "/es/confini/pieces?x=1"):
        client.get(address)
        assert len(app.extensions["pages"]) == 1
    client.get("/es/nowhere/pieces", 404)
