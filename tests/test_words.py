"""Sentences inflect as each language asks: numbers, cases, genders, lists."""

import pytest

from tutor.book.load import load
from tutor.book.words import LANGUAGE_TABLE, MissingWord, Sentence, Words, WordsFile
from tutor.paths import CONTENT

WORDS = load(CONTENT).games["border"].words


def say(lang: str, text: str, **values: object) -> str:
    return Sentence(text).text(WORDS[lang], values).replace("\u00a0", " ")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1, "1 pole"),
        (2, "2 pola"),
        (4, "4 pola"),
        (5, "5 pól"),
        (12, "12 pól"),
        (21, "21 pól"),
        (22, "22 pola"),
    ],
)
def test_polish_nouns_follow_their_number(count: int, said: str) -> None:
    assert say("pl", "{n space}", n=count) == said


@pytest.mark.parametrize(
    ("count", "said"),
    [(1, "1 szarą kość"), (2, "2 szare kości"), (5, "5 szarych kości"), (22, "22 szare kości")],
)
def test_polish_adjectives_agree_in_gender_number_and_case(count: int, said: str) -> None:
    assert say("pl", "{n die c/acc}", n=count, c="grey") == said


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("it", "3 dadi grigi, 1 dado giallo e 1 dado blu"),
        ("es", "3 dados grises, 1 dado amarillo y 1 dado azul"),
        ("en", "3 grey dice, 1 yellow die and 1 blue die"),
        ("pl", "3 szare kości, 1 żółta kość i 1 niebieska kość"),
    ],
)
def test_dice_are_counted_by_colour(lang: str, said: str) -> None:
    assert say(lang, "{dice die}", dice=("grey", "grey", "grey", "yellow", "blue")) == said


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
        ("en", "one grey, one green and one orange die"),
        ("pl", "jedna szara, jedna zielona i jedna pomarańczowa kość"),
    ],
)
def test_one_die_of_each_colour_does_not_repeat_the_noun(lang: str, said: str) -> None:
    assert say(lang, "{dice die}", dice=("grey", "green", "orange")) == said


def test_one_of_each_is_said_in_its_case() -> None:
    assert say("pl", "{dice die/acc}", dice=("grey", "blue")) == "jedną szarą i jedną niebieską kość"
    assert say("pl", "{dice die/gen}", dice=("grey", "blue")) == "1 szarej kości i 1 niebieskiej kości"
    assert say("en", "{dice die}", dice=("grey",)) == "1 grey die"
