"""The options of a new game, as a form asks for them and as it answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tutor.book.words import Words
from tutor.lessons.course import Course, name_seats
from tutor.rules.base import Game
from tutor.rules.options import Flag, OneOf, Seat, Several, Whole

MOST_CHOICES = 20
"""Numbers to choose from; what has more is typed."""


@dataclass(frozen=True)
class Field:
    """An option of a new game, as a form asks for it."""

    name: str
    label: str
    choices: tuple[tuple[str, str], ...] = ()
    """Value and word of each choice; none for yes or no."""
    usual: str = ""
    """The choice that is made already, if it is not the first."""
    number: Whole | None = None
    """What is too much to choose from is typed."""


def list_fields(course: Course, words: Words) -> list[Field]:
    def phrase_or(key: str, otherwise: str) -> str:
        return words.phrase(key) if key in words.phrases else otherwise

    found = []
    for name, option in course.book.game.options.items():
        label = phrase_or(f"option-{name}", name)
        if isinstance(option, Flag):
            found.append(Field(name, label))
        elif isinstance(option, OneOf):
            choices = [(one, phrase_or(f"option-{name}-{one}", words.word(one))) for one in option.choices]
            found.append(Field(name, label, tuple(choices)))
        elif isinstance(option, Whole) and option.most - option.least < MOST_CHOICES:
            numbers = tuple((str(n), str(n)) for n in range(option.least, option.most + 1))
            found.append(Field(name, label, numbers, usual=str(option.default)))
        elif isinstance(option, Whole):
            found.append(Field(name, label, number=option))
        elif isinstance(option, Seat):
            people = name_seats(words, option.most)
            seats = [(str(seat), people.word(f"p{seat}")) for seat in range(1, option.most + 1)]
            found.append(Field(name, label, (("0", phrase_or("option-chance", "?")), *seats)))
        else:
            assert isinstance(option, Several)  # boards, colours and characters are changed on the table
    return found


def read_form(game: Game, form: Mapping[str, str]) -> dict[str, Any]:
    """The options that a form says; what is wrong with them is left to the game."""
    options: dict[str, Any] = {}
    for name, option in game.options.items():
        given = form.get(name, "")
        if isinstance(option, Flag):
            options[name] = bool(given)
        elif given and isinstance(option, Whole | Seat):
            options[name] = int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else given
        elif given and isinstance(option, OneOf):
            options[name] = given
    return options
