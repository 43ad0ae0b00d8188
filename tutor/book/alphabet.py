"""The order of words in a list, by the alphabet of each language."""

from tutor.book.particulars import particular_to
from tutor.book.stems import fold, words


def sort_key(text: str, lang: str) -> list[list[tuple[str, int]]]:
    """A key to sort by: ł comes after l, and what is not a letter (¡, ¿, a hyphen) is ignored."""
    own = particular_to(lang).letters
    return [[(fold(letter), own.find(letter) + 1) for letter in word.lower()] for word in words(text)]
