"""Sentences that the program puts together read as a native player would say them."""

import re

import pytest
from flask import Flask

from tutor.book.guard import Guard
from tutor.book.load import Library
from tutor.book.reading import find_faults, miscounts
from tutor.book.words import LANGUAGES, Words, WordsFile, typeset
from tutor.games import GAMES
from tutor.games.confini.engine import Confini
from tutor.games.confini.engine.scoring import write_fraction
from tutor.games.confini.table.card_texts import text_of
from tutor.referee.programs import Judged, Request, answer
from tutor.rules.base import Deed, Move, Reason, Value, Verdict


def refusal(library: Library, lang: str, rule: str, **args: Value) -> str:
    """What a reader is told when this rule refuses a move."""
    game = rule.partition(".")[0]
    verdict = Verdict(False, (Reason(rule, (), args),))
    (why,) = library.texts[game][lang].explain(verdict, library.games[game].words[lang])
    return why.text.replace("\u00a0", " ")


def deed(library: Library, game: str, lang: str, kind: str, **args: Value) -> str:
    return library.games[game].words[lang].say_deed(Deed(kind, (), args)).replace("\u00a0", " ")


# Guards


@pytest.mark.parametrize(
    ("guard", "values", "holds"),
    [
        ("have>=need", {"have": 3, "need": 3}, True),
        ("have>=need", {"have": 2, "need": 3}, False),
        ("have<2", {"have": 1}, True),
        ("count=0", {"count": 0}, True),
        ("count=0", {"count": 10}, False),
        ("placer=nobody", {"placer": "nobody"}, True),
        ("placer=nobody", {"placer": "p2"}, False),
        ("count=0", {}, False),
        ("own=1&tile=joker", {"own": True, "tile": "joker"}, True),
        ("own=1&tile=joker", {"own": False, "tile": "joker"}, False),
        ("own=1&tile=joker", {"own": True, "tile": "3"}, False),
    ],
)
def test_a_guard_compares_a_value(guard: str, values: dict[str, Value], holds: bool) -> None:
    assert Guard.parse(guard).holds(values) == holds


def test_a_sentence_of_a_table_gives_way_to_the_first_case_that_fits() -> None:
    file = WordsFile(
        deeds={"take count=0": "Nothing.", "take count<3": "A little.", "take": "Much: {count}."}
    )
    words = Words("en", file)
    said = [words.say_deed(Deed("take", (), {"count": count})) for count in (0, 2, 5)]
    assert said == ["Nothing.", "A little.", "Much: 5."]


ENOUGH: dict[str, Value] = {"colour": "grey", "size": 3, "missing": ("G2", "H1"), "need": 3, "have": 3}


@pytest.mark.parametrize(
    ("lang", "enough", "short"),
    [
        ("en", "There are enough dice: cross off G2 and H1", "three grey dice, and there are only two"),
        ("it", "i dadi bastano: barra anche G2 e H1", "tre dadi grigi, ma ce ne sono solo due"),
        ("es", "Hay dados suficientes: o se tachan también G2 y H1", "tres dados grises y solo hay dos"),
        ("pl", "Kości jest dość: wykreśl także pola G2 i H1", "trzech szarych kości, a są tylko dwie"),
    ],
)
@pytest.mark.parametrize("rule", ["border.first.open", "border.first.extend"])
def test_an_unfinished_segment_is_answered_with_what_would_be_right(
    library: Library, rule: str, lang: str, enough: str, short: str
) -> None:
    assert enough in refusal(library, lang, rule, **ENOUGH)
    said = refusal(library, lang, rule, **(ENOUGH | {"have": 2}))
    assert short in said
    assert "G2" not in said


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_space_named_twice_and_one_already_crossed_are_two_mistakes(library: Library, lang: str) -> None:
    steps, words = library.runs["border"]["sarah-grey"].steps, library.games["border"].words[lang]
    said = []
    for step, space in (("twice", "G2"), ("same-space-twice", "G1")):
        verdict = steps[step].verdict
        assert verdict is not None
        (why,) = library.texts["border"][lang].explain(verdict, words)
        assert space in why.text
        said.append(why.text.replace(space, "…"))
    assert said[0] != said[1]


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "after a blue tile you draw a blue one, not a red one"),
        ("it", "dopo una tessera blu se ne pesca una blu, non una rossa"),
        ("es", "después de una loseta azul se roba otra azul, no una roja"),
        ("pl", "kto położył niebieską płytkę, dobiera niebieską, a nie czerwoną"),
    ],
)
def test_a_draw_from_the_wrong_supply_is_told_with_both_colours(
    library: Library, lang: str, said: str
) -> None:
    verdict = library.runs["blockers"]["two-players"].steps["from-red"].verdict
    assert verdict is not None
    (why,) = library.texts["blockers"][lang].explain(verdict, library.games["blockers"].words[lang])
    assert said in why.text.replace("\u00a0", " ")


@pytest.mark.parametrize("when", ["first", "early", "one", "other"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_wrong_draw_has_its_own_answer(library: Library, lang: str, when: str) -> None:
    others = {"first", "early", "one", "other"} - {when}
    said = refusal(library, lang, "blockers.turn.draw", when=when, colour="red", drawn="blue")
    assert said not in {
        refusal(library, lang, "blockers.turn.draw", when=other, colour="red", drawn="blue")
        for other in others
    }


NOTHING: list[tuple[str, dict[str, Value]]] = [
    ("border.cross.die", {"colour": "blue", "need": 1, "have": 0}),
    ("border.first.open", ENOUGH | {"have": 0}),
    ("border.first.extend", ENOUGH | {"have": 0}),
    ("confini.advance.cost", {"need": 2, "have": 0}),
    ("confini.smoke.spago", {"need": 4, "have": 0}),
    ("confini.explore.eco", {"count": 2, "eco": 0}),
    ("confini.fight.eco", {"count": 2, "eco": 0}),
    ("confini.cut.last", {"player": "p1", "spago": 0}),
]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("rule", "args"), NOTHING)
def test_where_there_is_nothing_no_refusal_says_0(
    library: Library, lang: str, rule: str, args: dict[str, Value]
) -> None:
    assert "0" not in refusal(library, lang, rule, **args)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_deed_counts_0_things(library: Library, lang: str) -> None:
    for game, kind in (("border", "roll-some"), ("border", "reroll"), ("confini", "spend")):
        assert "0" not in deed(library, game, lang, kind, player="p1", count=0)


def told(library: Library, game: str, lang: str, position: str, move: str) -> str:
    """What a move would do, and why it is refused if it is."""
    engine, words = library.games[game].game, library.games[game].words[lang]
    state, tried = engine.draft(position), engine.parse_move(move)
    verdict = engine.judge(state, tried)
    whys = [] if verdict.ok else library.texts[game][lang].explain(verdict, words)
    said = [words.say_deed(engine.tell(state, tried)), *(why.text for why in whys)]
    return " ".join(said).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        (
            "en",
            "crosses off I12 and I13, in that order. Not in this order: the yellow space I12 is not next to",
        ),
        ("it", "barra, in quest’ordine, I12 e I13. Non in quest’ordine: lo spazio giallo I12 non è ancora"),
        ("pl", "wykreśla kolejno pola I12 i I13. Nie w tej kolejności: obok żółtego pola I12 nie ma jeszcze"),
        ("es", "tacha, por este orden, los espacios I12 e I13. En este orden no: el espacio amarillo I12"),
    ],
)
def test_the_order_of_crosses_is_told_where_it_decides(library: Library, lang: str, said: str) -> None:
    second = "second active=p1 rolls=1 dice=YBYRY p1=1 p2=3:I14,J15"
    refused = told(library, "border", lang, second, "p2 cross I12 I13")
    assert said in refused
    assert re.search(r"(order|bene:|kolejności|orden) I13 \w I12|I13 and I12 it", refused)
    first = "first active=p1 rolls=1 dice=GGGYB p1=1 p2=2"
    unordered = told(library, "border", lang, first, "p1 cross I12 I13")
    assert not re.search("order|ordine|kolejn|orden", unordered)


@pytest.mark.parametrize(
    ("lang", "number", "joker"),
    [
        ("en", "the red 4 on her own blue tile on E4.", "the red joker on her own blue tile on E4."),
        ("it", "il 4 rosso in E4, su una propria tessera blu.", "rosso in E4, su una propria tessera blu."),
        ("pl", "z cyfrą 4 na własnej niebieskiej płytce na polu E4.", "jokera na własnej niebieskiej płytce"),
        ("es", "el 4 rojo en E4, encima de una loseta azul propia.", "rojo en E4, encima de una loseta azul"),
    ],
)
def test_placing_on_an_own_tile_is_no_capture(library: Library, lang: str, number: str, joker: str) -> None:
    words = library.games["blockers"].words[lang].with_cast(("sarah", "emma"))
    engine = library.games["blockers"].game
    state = library.runs["blockers"]["two-players"].steps["own-blue"].before
    deed = engine.tell(state, engine.parse_move("p1 red * E6"))
    assert deed.args["own"]
    assert not engine.tell(state, engine.parse_move("p1 red * A1")).args["own"]
    for tile, face, said in (("4", "number", number), ("joker", "joker", joker)):
        args = {**deed.args, "cell": "E4", "tile": tile, "face": face}
        assert said in words.say_deed(Deed("capture", (), args)).replace("\u00a0", " ")


def test_polish_names_numbers_and_letters_alike_in_deeds_and_refusals(library: Library) -> None:
    words = library.games["blockers"].words["pl"]
    args: dict[str, Value] = {"player": "p1", "colour": "red", "cell": "C3", "taken": "blue"}
    for kind, own in (("place", False), ("capture", False), ("capture", True)):
        for tile, face, said in (("3", "number", "z cyfrą 3"), ("C", "letter", "z literą C")):
            deed = Deed(kind, (), args | {"tile": tile, "face": face, "own": own})
            assert said in words.say_deed(deed).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("lang", "one", "some"),
    [
        ("en", "rolls one blue die again.", "rolls two grey dice and one yellow again."),
        ("it", "rilancia un dado blu.", "rilancia due dadi grigi e uno giallo."),
        ("pl", "przerzuca jedną niebieską kość.", "przerzuca dwie szare kości i jedną żółtą."),
        ("es", "vuelve a tirar un dado azul.", "vuelve a tirar dos dados grises y uno amarillo."),
    ],
)
def test_dice_that_are_rolled_again_are_told_by_their_colours(
    library: Library, lang: str, one: str, some: str
) -> None:
    rolled = "first active=p1 rolls=1 dice=GGGYB p1=1 p2=2"
    assert told(library, "border", lang, rolled, "p1 reroll 5").endswith(one)
    assert told(library, "border", lang, rolled, "p1 reroll 1 4 2").endswith(some)


@pytest.mark.parametrize(
    ("lang", "cut", "plunder"),
    [
        ("en", "plays a Cut! card against himself.", "plays Plunder against himself to take the Carbine."),
        ("it", "contro di sé.", "contro di sé per prendere in mano la Carabina."),
        ("pl", "„Cięcie!” przeciwko sobie.", "przeciwko sobie, żeby zabrać kartę „Karabin”."),
        ("es", "contra sí mismo.", "contra sí mismo para quitarse la Carabina."),
    ],
)
def test_a_card_against_oneself_is_told_so(library: Library, lang: str, cut: str, plunder: str) -> None:
    words = library.games["confini"].words[lang].with_cast(("andrea", "vasco"))
    args: dict[str, Value] = {"player": "p1", "target": "p1"}
    assert words.say_deed(Deed("play-at", (), args | {"card": "CUT"})).endswith(cut)
    said = words.say_deed(Deed("plunder", (), args | {"card": "EV07", "equipment": "EQ5"}))
    assert said.endswith(plunder)
    other = words.say_deed(Deed("play-at", (), args | {"card": "CUT", "target": "p2"}))
    assert "Vasco" in other


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_centre_and_those_who_are_out_have_no_level(library: Library, lang: str) -> None:
    words = library.games["confini"].words[lang]
    for before, after in ((5, 0), (4, 0), (4, 5)):
        said = words.phrase("change-level", player="p1", before=before, after=after)
        assert not re.search(r"\d", said.replace(words.word("p1"), ""))
    for level in (0, 5):
        said = words.say_deed(Deed("advance", (), {"player": "p2", "level": level}))
        assert str(level) not in said
    engine = library.games["confini"].game
    state = engine.parse_position("start active=p1 round=9 p1=andrea p1.level=4 p1.spago=5 p2=vasco")
    assert engine.tell(state, Move(1, "advance")).args["level"] == 5
    assert engine.tell(engine.play(state, Move(1, "smoke")), Move(1, "advance")).args["level"] == 5


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_copy_that_belongs_elsewhere_is_no_word_on_all_copies(library: Library, lang: str) -> None:
    said = refusal(library, lang, "confini.pile.refill", card="CT", pile=2, home=1)
    assert re.search(r"\b2\b.*\b1\b", said)
    assert "1" not in refusal(library, lang, "confini.pile.draw", card="CT", pile=2, home=2)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_limit_whose_placer_is_out_names_only_the_challenger(library: Library, lang: str) -> None:
    said = refusal(library, lang, "confini.fight.who", challenger="p1", placer="nobody")
    assert said.count("(") == 1


# Numbers


MIXED = [
    ("en", "That takes 2 dice.", "counts 2 in figures"),
    ("en", "That takes two grey dice, and there is only 1.", "has 1 in figures beside a number in words"),
    ("it", "Servono 3 dadi.", "counts 3 in figures"),
    ("es", "Hacen falta dos dados y solo hay 1.", "has 1 in figures beside a number in words"),
    ("pl", "Potrzeba 5 kości.", "counts 5 in figures"),
]
PURE = [
    ("en", "That takes two grey dice. Player 1 has 12 dice and 3 points."),
    ("it", "Il Giocatore 2 lancia tre dadi: «5 dadi dello stesso colore»."),
    ("pl", "Gracz 3 przerzuca dwie kości."),
]


@pytest.mark.parametrize(("lang", "text", "fault"), MIXED)
def test_figures_among_words_are_found(library: Library, lang: str, text: str, fault: str) -> None:
    words = library.games["border"].words[lang]
    assert fault in list(miscounts(text, words))


@pytest.mark.parametrize(("lang", "text"), PURE)
def test_names_measures_quotes_and_large_numbers_may_be_figures(
    library: Library, lang: str, text: str
) -> None:
    assert list(miscounts(text, library.games["border"].words[lang])) == []


# Typography


def test_polish_one_letter_words_do_not_end_a_line() -> None:
    assert (
        typeset("W grze i o niej: a {player} z nim", "pl")
        == "W\u00a0grze i\u00a0o\u00a0niej: a\u00a0{player} z\u00a0nim"
    )
    assert typeset("I o me", "it") == "I o me"


def test_all_polish_texts_have_hard_spaces_after_one_letter_words(library: Library) -> None:
    for book in library.games.values():
        texts = library.texts[book.id]["pl"]
        words = book.words["pl"]
        said = [entry.plain + entry.title for entry in texts.entries.values()]
        said += [sentence.source for sentence in (*words.deeds.values(), *words.phrases.values())]
        assert not [text for text in said if typeset(text, "pl") != text]


def test_a_polish_list_keeps_its_last_word_with_and(library: Library) -> None:
    words = library.games["border"].words["pl"]
    assert words.list_of(["A1", "B2", "C3"]) == "A1, B2 i\u00a0C3"


@pytest.mark.parametrize(
    ("number", "by", "said"),
    [(7, 2, "3½"), (22, 3, "7⅓"), (17, 3, "5⅔"), (1, 3, "⅓"), (6, 3, "2"), (4, 1, "4")],
)
def test_fractions_are_written_as_players_write_them(number: int, by: int, said: str) -> None:
    assert write_fraction(number, by) == said


# What is shown, and as what

TECHNICAL = (
    "border.roll.there",
    "border.second.done",
    "confini.challenge.there",
    "confini.deck.due",
    "confini.deck.there",
)


@pytest.mark.parametrize("rule", TECHNICAL)
def test_a_rule_of_these_pages_refuses_but_is_no_rule_of_the_game(library: Library, rule: str) -> None:
    game = rule.partition(".")[0]
    for lang, texts in library.texts[game].items():
        assert rule not in texts.entries
        assert rule not in [entry.id for part in texts.parts for entry in part.entries]
        args: dict[str, Value] = {"dice": ("7",), "player": "p1", "limit": 3, "card": "EQ1"}
        verdict = Verdict(False, (Reason(rule, (), args),))
        (why,) = texts.explain(verdict, library.games[game].words[lang])
        assert why.technical
        assert why.text


def test_the_referee_has_no_address_for_a_rule_of_these_pages(library: Library) -> None:
    moves = ["first p1", "p1 roll", "dice GGYBO"]
    told = answer(library, Request("border", moves=moves, try_="p1 reroll 7", lang="pl"))
    assert isinstance(told.verdict, Judged)
    (why,) = told.verdict.reasons
    assert (why.rule, why.url) == ("border.roll.there", "")


def test_the_permalink_of_a_rule_of_these_pages_leads_to_the_rulebook(app: Flask) -> None:
    answer = app.test_client().get("/r/border.roll.there", headers={"Accept-Language": "pl"})
    assert answer.status_code == 302
    assert answer.location.startswith("/pl/border/rules")


def test_only_our_own_rulings_are_called_ours(library: Library) -> None:
    texts = library.texts["border"]["en"].entries
    assert texts["border.ruling.numbers"].basis == "printed"
    assert texts["border.ruling.order"].basis == "derived"
    assert texts["border.ruling.nobody"].basis == "ours"


def test_a_refusal_cites_the_rule_that_is_really_broken(library: Library) -> None:
    border, confini = library.runs["border"], library.runs["confini"]
    assert border["linus-one-die"].steps["wrong-colour"].reasons[0].rule == "border.cross.die"
    assert confini["first-turn"].steps["fight-nothing"].reasons[0].rule == "confini.challenge.skip"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_all_nine_values_are_told_in_words(library: Library, lang: str) -> None:
    said = library.texts["border"][lang].entries["border.score.values"].plain.replace("\u00a0", " ")
    pairs = set(re.findall(r"(\d+) (?:or|o|albo) (\d+)", said))
    assert pairs == {(str(high), str(high // 2)) for high in range(4, 13)}


# Confini


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_card_says_the_same_effect_only_once(library: Library, lang: str) -> None:
    book = library.games["confini"]
    assert isinstance(book.game, Confini)
    cut = next(card for card in book.game.box.cards if card.design == "CUT")
    said = text_of(book.words[lang], cut.effects)
    assert len(re.findall(r"[.!?]", said)) == 1


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("code", ["NE5", "NE9", "XX1"])
def test_a_place_that_is_no_arc_is_told_without_its_code(library: Library, lang: str, code: str) -> None:
    game, words = library.games["confini"].game, library.games["confini"].words[lang]
    state = library.runs["confini"]["placing"].start
    move = game.parse_move(f"p1 place {code}") if code != "XX1" else Move(1, "place", (code,))
    assert code not in words.say_deed(game.tell(state, move))
    whys = library.texts["confini"][lang].explain(game.judge(state, move), words)
    assert code not in whys[0].text


def test_players_have_no_character_s_name_before_they_choose(library: Library) -> None:
    run = library.runs["confini"]["new-game"]
    words = library.games["confini"].words["en"].with_cast(run.scenario.file.players)
    (pick,) = run.steps["picks"].deeds
    assert words.say_deed(pick).startswith("Player 3 chooses Van Ross")


# Everything that comes to mind


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.patient
def test_what_players_may_try_is_told_and_answered_in_natural_words(library: Library, game: str) -> None:
    book = library.games[game]
    deeds: dict[str, Deed] = {}
    reasons: dict[str, Reason] = {}
    for run in library.runs[game].values():
        for step in run.steps.values():
            for move in book.game.thinkable(step.before, step.seat):
                deed = book.game.tell(step.before, move)
                deeds[f"{deed.kind} {deed.args}"] = deed
                verdict = book.game.judge(step.before, move)
                if not verdict.ok:
                    reasons |= {f"{reason.rule} {reason.args}": reason for reason in verdict.reasons}
    for lang, words in book.words.items():
        said = [words.say_deed(deed) for deed in deeds.values()]
        for reason in reasons.values():
            said += [why.text for why in library.texts[game][lang].explain(Verdict(False, (reason,)), words)]
        found = [
            (text, fault) for text in said for fault in (*find_faults(text, words), *miscounts(text, words))
        ]
        assert found == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_card_texts_read_naturally(library: Library, lang: str) -> None:
    book = library.games["confini"]
    assert isinstance(book.game, Confini)
    written = [card.effects for card in book.game.box.cards]
    written += [character.effects for character in book.game.box.characters.values()]
    words = book.words[lang]
    for effects in written:
        said = text_of(words, effects)
        assert [(said, fault) for fault in find_faults(said, words)] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_board_without_crosses_is_described_without_a_row_of_zeros(library: Library, lang: str) -> None:
    words = library.games["border"].words[lang]
    for crosses in (0, 4):
        said = words.phrase("summary", player="p1", crosses=crosses, areas=0, score=0)
        assert "0" not in said
    arc = library.games["confini"].words[lang].phrase("arc", arc="NE1", level=1, flaw="greed", count=0)
    assert "0\u00a0" not in arc
