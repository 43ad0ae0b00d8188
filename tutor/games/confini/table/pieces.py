"""The cards of Confini: characters, the designs of the Explorer deck, Turn Changes and Limits."""

from collections import Counter
from collections.abc import Iterator

from tutor.book.words import Words
from tutor.games.confini.engine import Confini
from tutor.games.confini.engine.cards import CHANGE, LIMIT, Card
from tutor.games.confini.table.card_texts import in_sentence, text_of
from tutor.lookup.piece import Piece

Side = dict[str, str]
"""A card as it is drawn: name, text, kind, what is in its corner, the sign of its Flaw; nothing to click."""


def pieces(game: Confini, words: Words) -> Iterator[Piece]:
    yield from _characters(game, words)
    designs: dict[str, list[Card]] = {}
    for card in game.box.cards:
        designs.setdefault(card.design, []).append(card)
    # The box has Turn Changes before Limits; players meet them the other way round.
    for design, cards in sorted(designs.items(), key=lambda item: item[1][0].kind == CHANGE):
        yield _design(design, cards, words)


def _characters(game: Confini, words: Words) -> Iterator[Piece]:
    for one in game.box.characters.values():
        arc = next(arc for arc in game.box.arcs if arc.startswith(one.quadrant))
        text = text_of(words, one.effects)
        ability = words.word(one.ability)
        side = {
            "name": words.word(one.id),
            "kind": "character",
            "corner": words.word(one.flaw),
            "flaw": one.flaw,
            "text": f"{ability}: {in_sentence(words, text)}",
            "href": "",
        }
        yield Piece(
            id=one.id,
            words=(one.id, one.ability),
            kind="character",
            name=words.word(one.id),
            text=words.phrase("piece-character", flaw=one.flaw, ability=one.ability, text=text, arc=arc),
            count=1,
            ours=True,
            values={"sides": [side], "notes": [words.phrase("piece-start", arc=arc)]},
        )


def _design(design: str, cards: list[Card], words: Words) -> Piece:
    name = words.word(design)
    sides = _sides(cards, words)
    kind = cards[0].kind
    homes = Counter(card.home for card in cards)
    notes = [
        words.phrase("home-pile", pile=home, count=count) if home else words.phrase("home-deck", count=count)
        for home, count in sorted(homes.items())
    ]
    return Piece(
        id=design,
        words=(design,),
        kind=kind,
        name=name,
        text=" ".join(_tell_side(side, cards[0], words) for side in sides).strip(),
        count=len(cards),
        ours=kind != CHANGE,
        values={"sides": sides, "notes": notes if kind in (LIMIT, CHANGE) else []},
    )


def _sides(cards: list[Card], words: Words) -> list[Side]:
    """The card as it looks; a Limit once for all levels at which it says the same."""
    levels: dict[str, list[str]] = {}
    for card in cards:
        own = levels.setdefault(text_of(words, card.effects), [])
        if str(card.value) not in own:
            own.append(str(card.value))
    first = cards[0]
    return [
        {
            "name": words.word(first.design),
            "kind": first.kind,
            "corner": _span(values) if first.kind == LIMIT else f"+{first.bonus}" if first.bonus else "",
            "flaw": first.flaw,
            "text": text,
            "href": "",
        }
        for text, values in levels.items()
    ]


def _span(levels: list[str]) -> str:
    return levels[0] if len(levels) == 1 else f"{levels[0]}–{levels[-1]}"


def _tell_side(side: Side, card: Card, words: Words) -> str:
    """A side in words: what its corner shows is said as well."""
    parts = [side["text"]]
    if card.kind == LIMIT:
        parts.insert(0, words.phrase("piece-limit", levels=side["corner"], flaw=card.flaw))
    elif card.bonus:
        parts.insert(0, words.phrase("piece-bonus", count=card.bonus))
    return " ".join(filter(None, parts))
