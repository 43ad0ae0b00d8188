"""What things are called: verdicts, dice, keys, errors, notes on editions, and the order of words."""

import re
from itertools import product

import pytest

from tests.pages import PageClient
from tutor.book.alphabet import sort_key
from tutor.book.words import LANGUAGES
from tutor.games import GAMES
from tutor.games.border.engine import Border
from tutor.games.tables import setup_of
from tutor.lessons.course import Course
from tutor.lessons.lesson import END
from tutor.lookup.examples import example
from tutor.referee.packed import escape, pack
from tutor.rules.base import CHANCE


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        (
            "pl",
            [
                "akcja",
                "antal",
                "ąkcja",
                "cel",
                "ćwiartka",
                "lot",
                "łuk",
                "miejsce",
                "zysk",
                "źródło",
                "żeton",
            ],
        ),
        ("es", ["¡Corte!", "nudo", "ñandú", "¿Qué?", "robar"]),
        ("it", ["età", "evento", "pila", "più", "più tardi"]),
        ("en", ["at random", "at-table", "atlas", "Turn Change"]),
    ],
)
def test_words_stand_in_the_order_of_their_alphabet(lang: str, words: list[str]) -> None:
    assert sorted(words, key=lambda word: sort_key(word, lang)) == words


@pytest.mark.patient
def test_the_glossary_is_in_the_order_of_the_alphabet(client: PageClient) -> None:
    for lang in LANGUAGES:
        words = re.findall(r"<dt><a [^>]*>([^<]*)</a>", client.get(f"/{lang}/glossary").text)
        assert words == sorted(words, key=lambda word: sort_key(word, lang))


def test_only_what_somebody_may_ask_about_is_called_allowed(all_courses: dict[str, Course]) -> None:
    for game, course in all_courses.items():
        for name, run in course.runs.items():
            for step, played in run.steps.items():
                moves = [course.book.game.parse_move(text) for text in (*played.moves, *played.file.choose)]
                for move, judged in zip(moves, example(course, "en", name, step).moves, strict=True):
                    assert judged.chosen == (move.seat != CHANCE and move.act != "done"), (game, name, step)


def test_what_chance_does_has_no_verdict(client: PageClient) -> None:
    page = client.get("/en/confini/rulings/who-recovers").text
    judged = re.findall(r'<li class="judged-(yes|so|no)">(.)', page)
    assert [kind for kind, _ in judged] == ["so", "so"]
    assert "Allowed:" not in page


@pytest.mark.parametrize(
    ("game", "act", "label"),
    [
        ("border", "faces", "Die 1"),
        ("blockers", "draw", "Tile 1"),
        ("confini", "draw", "Card 1"),
        ("confini", "dice", "Die 1"),
    ],
)
def test_what_falls_or_is_drawn_is_called_by_its_name(
    client: PageClient, all_courses: dict[str, Course], game: str, act: str, label: str
) -> None:
    course = all_courses[game]
    engine = course.book.game
    runs = [run for run in course.runs.values() if "?" not in run.scenario.file.start]
    steps = (step for run in runs for step in run.steps.values())
    state = next(
        state
        for step in steps
        for state in (step.before, step.after)
        if CHANCE in engine.turn(state) and setup_of(engine).chances(state).act == act
    )
    at = escape(pack(engine.format_position(state)))
    page = client.get(f"/en/{game}/referee?at={at}").text
    assert f'for="part-1">{label}</label>' in page


@pytest.mark.parametrize(
    ("lang", "enter"), [("it", "Invio"), ("pl", "Enter"), ("es", "Intro"), ("en", "Enter")]
)
def test_keys_are_called_as_on_the_keyboards_of_a_language(client: PageClient, lang: str, enter: str) -> None:
    assert f"<kbd>{enter}</kbd>" in client.get(f"/{lang}/border/referee").text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_title_of_an_error_says_what_is_wrong(client: PageClient, lang: str) -> None:
    page = client.get(f"/{lang}/border/rulings/nothing", 404).text
    title, heading = (
        re.search(r"<title>(.*?) · ", page, re.DOTALL),
        re.search(r"<h1>(.*?)</h1>", page, re.DOTALL),
    )
    assert title
    assert heading
    assert title[1] == heading[1].strip()
    assert "404" not in title[1]


def test_a_note_on_several_editions_is_called_so(client: PageClient) -> None:
    page = client.get("/pl/border/rules").text
    for label in re.findall(r'<p class="badge">(Uwaga[^<]*)', page):
        assert ("o\u00a0wydaniach" in label) == ("," in label), label


def test_quotations_of_other_languages_say_which(client: PageClient) -> None:
    """By ear a Polish word is otherwise read as an English one."""
    for page in ("editions", "rules"):
        text = re.sub("</?a[^>]*>", "", client.get(f"/en/border/{page}").text)
        for lang, said in (
            ("pl", "jedynie pola … obok białych pól"),
            ("pl", "już"),
            ("it", "già"),
            ("es", "ya"),
            ("it", "non deve essere collegato"),
            ("es", "dados de colores idénticos"),
        ):
            assert f'“<span lang="{lang}">{said}</span>”' in text.replace("\u00a0", " "), said
        for said in ("only", "before this action", "already", "need not be connected"):
            assert f"“{said}”" in text.replace("\u00a0", " "), said


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_number_to_choose_is_called_by_what_is_seen(client: PageClient, lang: str) -> None:
    """Whoever speaks to the computer says what stands there."""
    for step in ("draw", "enough"):
        page = client.get(f"/{lang}/confini/learn/{step}").text
        choices = re.findall(r'<a id="count-\d+"[^>]* aria-label="([^"]*)"[^>]*>([^<]*)</a>', page)
        assert choices
        assert all(name.startswith(f"{seen} – ") for name, seen in choices), choices


@pytest.mark.parametrize(
    ("step", "marked"),
    [
        ("place", "the lower-right arc of level 1"),
        ("draw", "Van Ross will draw one card"),
        ("equip", "Machete"),
    ],
)
def test_what_is_marked_is_named(client: PageClient, step: str, marked: str) -> None:
    """Arcs, numbers and cards."""
    assert f"Marked: {marked}" in client.get(f"/en/confini/learn/{step}?help=2").text


def test_a_board_that_is_only_looked_at_tells_what_lies_beside_its_crosses(
    client: PageClient, all_courses: dict[str, Course]
) -> None:
    page = client.get("/en/border/learn/choice").text
    told = re.search(r"Open spaces next to a cross: ([^.]*)\.", page)
    assert told
    course = all_courses["border"]
    screen = course.lessons.screens["choice"]
    step = course.runs[screen.scenario].steps[screen.step]
    assert isinstance(course.book.game, Border)
    geometry, crosses = course.book.game.geometry, step.after.crosses[step.seat - 1]
    beside = set(geometry.spaces(geometry.beside(crosses) & ~crosses))
    assert set(re.findall(r"\b[A-K]\d+\b", told[1])) == beside
    assert "Open spaces next to a cross" not in client.get("/en/border/learn/villa").text


@pytest.mark.parametrize("step", ["white", "segments"])
def test_a_board_that_is_only_looked_at_tells_its_colours(
    client: PageClient, all_courses: dict[str, Course], step: str
) -> None:
    """Every space but the white ones, by segment; where spaces can be touched each has its own label."""
    game = all_courses["border"].book.game
    assert isinstance(game, Border)
    geometry = game.geometry
    page = client.get(f"/en/border/learn/{step}").text
    told = re.search(r'<ul class="sr" aria-label="The colours of the board[^"]*">(.*?)</ul>', page)
    assert told
    colours = dict(re.findall(r"<li>(\w+): ([^<]*)</li>", told[1]))
    assert [*colours] == ["Grey", "Yellow", "Blue", "Red", "Orange", "Green"]
    assert all(line.count("; ") == 3 for line in colours.values()), "four segments of each colour"
    named = [name for line in colours.values() for name in re.split("[,;] ", line)]
    white = geometry.spaces(geometry.white)
    assert sorted(named) == sorted(name for name in geometry.names if name not in white)
    assert "The colours of the board" not in client.get("/en/border/learn/villa").text


@pytest.mark.parametrize(
    ("lang", "space", "cell", "arc"),
    [
        ("en", "marked", "marked", "arc marked"),
        ("it", "in evidenza", "in evidenza", "arco in evidenza"),
        ("pl", "zaznaczone", "zaznaczone", "zaznaczony łuk"),
        ("es", "marcado", "marcada", "arco marcado"),
    ],
)
def test_a_marked_space_says_so(client: PageClient, lang: str, space: str, cell: str, arc: str) -> None:
    """And no other does."""
    for address, word, marked in (
        ("border/learn/villa?help=2", space, ["space-A6", "space-A7", "space-A8"]),
        ("blockers/learn/number?help=2&pick=3", cell, ["cell-E3"]),
        ("confini/learn/place?help=2", arc, ["arc-SE1"]),
    ):
        page = client.get(f"/{lang}/{address}").text
        labels = dict(re.findall(r'id="((?:space|cell|arc)-\w+)"[^>]* aria-label="([^";]*)', page))
        assert [name for name, label in labels.items() if label.endswith(f", {word}")] == marked


def test_a_piece_that_a_hint_names_says_so(client: PageClient) -> None:
    """And the hint names it: dice, tiles, numbers, cards and buttons."""
    for address, name, hint in (
        ("border/learn/reroll?help=2", "Die 1: ", r'id="die-1"[^>]* aria-label="[^"]* \(hint\)"'),
        (
            "border/learn/roll?help=2",
            "Roll all five dice",
            r'id="do-roll"[^>]*>[^<]*<span class="sr"> \(hint\)',
        ),
        ("blockers/learn/number?help=2", "Red 3", r'id="tile-red-3"[^>]* aria-label="Red 3 \(hint\)"'),
        ("confini/learn/draw?help=2", "Van Ross will draw one card", r'id="count-1"[^>]* \(hint\)"'),
        ("confini/learn/equip?help=2", "Machete", r'class="game-card [^"]*hinted"[^§]*?\(hint\)</span></a>'),
    ):
        page = client.get(f"/en/{address}").text
        assert re.search(f"Marked: [^<]*{name}", page), address
        assert re.search(hint, page), address


def test_an_arc_says_who_stands_on_it_or_how_far_from_its_pawn_it_is(client: PageClient) -> None:
    page = client.get("/en/confini/learn/place").text
    labels = dict(re.findall(r'id="arc-(\w+)"[^>]* aria-label="([^"]*)"', page))
    assert labels["NE1"] == "Upper right, level 1: Prejudice, no Limit, Van Ross’s pawn"
    assert labels["NE3"] == "Upper right, level 3: Greed, no Limit; 2\u00a0levels ahead of Van Ross’s pawn"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_limits_on_an_arc_are_in_the_short_form_of_its_name(client: PageClient, lang: str) -> None:
    """The part before a semicolon is what the caption says."""
    page = client.get(f"/{lang}/confini/learn/place").text
    short = re.findall(r'id="arc-\w+"[^>]* aria-label="([^";]*)', page)
    assert len(short) == 16
    assert all(re.search("Limi|Lími|Ogranicz", label) for label in short)


def test_only_what_can_be_pressed_is_a_toolbar(client: PageClient) -> None:
    for address in (
        "learn/number",
        "learn/number?moves=p1+red+F+F1",
        "referee?new=1",
        "rulings/joker-exempt",
    ):
        page = client.get(f"/en/blockers/{address}", follow_redirects=True).text
        racks = re.findall(r'<div class="rack" role="(\w+)"[^>]*>(.*?)</div>', page, re.DOTALL)
        assert racks
        assert all((role == "toolbar") == ("<a " in rack) for role, rack in racks)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.patient
@pytest.mark.slow
def test_a_tab_is_called_as_its_screen_is_headed(
    client: PageClient, all_courses: dict[str, Course], game: str
) -> None:
    """The script names it so when another screen takes this one's place; a reload changes nothing."""
    for screen in all_courses[game].lessons.screens.values():
        parts = ("learn", "teach") if screen.kind != END or screen.id == END else ("learn",)
        for part, said in product(parts, ("", "?said=y")):
            page = client.get(f"/en/{game}/{part}/{screen.id}{said}").text
            title, heading = (
                re.search(r"<title>(.*?) · ", page),
                re.search(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL),
            )
            assert title
            assert heading
            assert title[1] == heading[1].strip(), (part, screen.id, said)


def test_the_tab_of_a_search_is_called_alike_while_one_types(client: PageClient) -> None:
    typed, page = (
        client.get("/pl/search?q=joker", headers=headers).text for headers in ({"HX-Request": "true"}, {})
    )
    named = re.compile("<title>(.*?)</title>")
    assert named.findall(typed) == named.findall(page) == ["Wyniki dla: joker · Przewodnik po zasadach"]


def test_help_does_not_send_a_reader_to_what_a_refusal_marks(client: PageClient) -> None:
    """The places of a refusal are those that are wrong."""
    where, look = "/en/border/learn/villa?help=2", "Look at what is marked."
    assert look in client.get(where).text
    refused = client.get(f"{where}&moves=p1+cross+A5").text
    assert "already" in refused
    assert look not in refused
