"""Sentences inflect as each language asks: numbers, cases, genders, lists."""

import pytest

from tests.books import LIBRARY
from tutor.book.words import LANGUAGE_TABLE, MissingWord, Sentence, Words, WordsFile
from tutor.rules.base import Value

WORDS = LIBRARY.games["border"].words


def say(lang: str, text: str, **values: Value) -> str:
    return Sentence(text).text(WORDS[lang], values).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1, "jedno pole"),
        (2, "dwa pola"),
        (4, "cztery pola"),
        (5, "pięć pól"),
        (12, "12 pól"),
        (21, "21 pól"),
        (22, "22 pola"),
    ],
)
def test_polish_nouns_follow_their_number(count: int, said: str) -> None:
    assert say("pl", "to {n space}", n=count) == f"to {said}"


@pytest.mark.parametrize(
    ("count", "said"),
    [(1, "jedną szarą kość"), (2, "dwie szare kości"), (5, "pięć szarych kości"), (22, "22 szare kości")],
)
def test_polish_adjectives_agree_in_gender_number_and_case(count: int, said: str) -> None:
    assert say("pl", "to {n die c/acc}", n=count, c="grey") == f"to {said}"


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("it", "tre dadi grigi, uno giallo e uno blu"),
        ("es", "tres dados grises, uno amarillo y uno azul"),
        ("en", "three grey dice, one yellow and one blue"),
        ("pl", "trzy szare kości, jedna żółta i jedna niebieska"),
    ],
)
def test_dice_are_counted_by_colour(lang: str, said: str) -> None:
    assert say(lang, "– {dice die}", dice=("grey", "grey", "grey", "yellow", "blue")) == f"– {said}"


def test_a_negative_number_has_a_minus_sign() -> None:
    assert say("en", "{n}", n=-1) == "−1"


def test_spanish_says_e_before_the_sound_i() -> None:
    assert say("es", "{cells}", cells=("H1", "I2")) == "H1 e I2"
    assert say("es", "{cells}", cells=("H1", "J2")) == "H1 y J2"


def test_a_choice_follows_the_plural_rules() -> None:
    assert [say("pl", "{n?a|b|c}", n=n) for n in (1, 3, 5)] == ["a", "b", "c"]
    assert [say("it", "{n?manca|mancano}", n=n) for n in (1, 3)] == ["manca", "mancano"]


def test_a_missing_form_is_never_replaced_by_another() -> None:
    with pytest.raises(MissingWord):
        say("pl", "{n space/vocative}", n=1)
    with pytest.raises(MissingWord):
        say("pl", "{n?a|b}", n=1)
    with pytest.raises(MissingWord):
        say("en", "{nobody}")


def test_html_is_escaped_and_markdown_is_not() -> None:
    html = Sentence("**no** {value}").html(WORDS["en"], {"value": "<script>"})
    assert html == "<strong>no</strong> &lt;script&gt;"


def test_a_language_knows_its_name_and_its_plural_forms() -> None:
    assert LANGUAGE_TABLE["es"].name == "Español"
    assert LANGUAGE_TABLE["en"].name == "English"
    assert LANGUAGE_TABLE["pl"].categories == ("one", "few", "many")
    assert LANGUAGE_TABLE["it"].categories == ("one", "other")


def test_a_game_adds_forms_to_the_players_of_all_games() -> None:
    shared = WordsFile(players={"player": {"nom": "Gracz {n}", "gen": "Gracza {n}"}})
    words = Words("pl", shared, WordsFile(players={"player": {"owned": "właściciel: Gracz {n}"}}))
    assert words.word("p2") == "Gracz 2"
    assert words.word("p2", "owned") == "właściciel: Gracz 2"
    assert words.word("p2", "gen") == "Gracza 2"


def test_a_player_without_a_name_is_a_missing_word() -> None:
    with pytest.raises(MissingWord, match=r"players\.zoe"):
        WORDS["en"].with_cast(("zoe",)).word("p1")


def test_italian_says_ed_before_the_sound_e() -> None:
    assert say("it", "{cells}", cells=("E4", "E6")) == "E4 ed E6"
    assert say("it", "{cells}", cells=("E4", "F6")) == "E4 e F6"
    assert WORDS["it"].with_cast(("sarah", "emma")).list_of(["Sarah", "Emma"]) == "Sarah ed Emma"


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("it", "un dado grigio, uno verde e uno arancione"),
        ("es", "un dado gris, uno verde y uno naranja"),
        ("en", "one grey die, one green and one orange"),
        ("pl", "jedna szara kość, jedna zielona i jedna pomarańczowa"),
    ],
)
def test_one_die_of_each_colour_does_not_repeat_the_noun(lang: str, said: str) -> None:
    assert say(lang, "– {dice die}", dice=("grey", "green", "orange")) == f"– {said}"


def test_one_of_each_is_said_in_its_case() -> None:
    assert say("pl", "– {dice die/acc}", dice=("grey", "blue")) == "– jedną szarą kość i jedną niebieską"
    assert (
        say("pl", "– {dice die/gen}", dice=("grey", "blue")) == "– jednej szarej kości i jednej niebieskiej"
    )
    assert say("en", "{dice die}", dice=("grey",)) == "One grey die"


@pytest.mark.parametrize(
    ("count", "nom", "gen", "ins"),
    [
        (1, "jedna kość", "jednej kości", "jedną kością"),
        (2, "dwie kości", "dwóch kości", "dwiema kośćmi"),
        (5, "pięć kości", "pięciu kości", "pięcioma kośćmi"),
        (12, "12 kości", "12 kości", "12 kośćmi"),
        (22, "22 kości", "22 kości", "22 kośćmi"),
    ],
)
def test_polish_numerals_are_in_the_case_of_their_noun(count: int, nom: str, gen: str, ins: str) -> None:
    assert [say("pl", "– " + text, n=count)[2:] for text in ("{n die}", "{n die/gen}", "{n die/ins}")] == [
        nom,
        gen,
        ins,
    ]


def test_polish_counts_people_with_collective_numerals() -> None:
    assert [say("pl", "– {n player}", n=n)[2:] for n in (1, 2, 5)] == [
        "jeden gracz",
        "dwoje graczy",
        "pięcioro graczy",
    ]


@pytest.mark.parametrize(
    ("lang", "text", "said"),
    [
        ("it", "{n space}", "uno spazio"),
        ("it", "{n area}", "un’area"),
        ("it", "{n die}", "un dado"),
        ("it", "{n (die)}", "uno"),
        ("es", "{n die}", "un dado"),
        ("es", "{n (die)}", "uno"),
        ("es", "{n (area)}", "una"),
        ("en", "{n die}", "one die"),
    ],
)
def test_one_follows_the_sound_and_the_gender_of_its_noun(lang: str, text: str, said: str) -> None:
    assert say(lang, text + "!", n=1) == said[0].upper() + said[1:] + "!"
    assert say(lang, "x " + text, n=1) == "x " + said


def test_labels_and_measures_have_figures() -> None:
    words = WORDS["en"]
    assert Sentence("{n die}", figures=True).text(words, {"n": 2}).replace("\u00a0", " ") == "2 dice"
    assert say("en", "{n point}", n=2) == "2 points"
    assert words.phrases["do-reroll"].text(words, {"count": 2}).replace("\u00a0", " ") == "Roll 2 dice again"
    assert words.deeds["roll-some"].text(words, {"count": 2, "player": "p1"}) == "Player 1 rolls two dice."


def test_a_number_that_begins_a_sentence_has_a_capital() -> None:
    assert say("en", "Stop. {n die}, no: {n die}.", n=2) == "Stop. Two dice, no: two dice."
