"""The votes of a table as bars on the shared screen, beside the board and without scrolling."""

from dataclasses import replace

from tutor.lessons import beats
from tutor.live.poll import Choice, Tally
from tutor.web.live.shared import SharedScreen

ROOM_LETTERS = 560
"""What fits beside the board in the smallest size, bars included."""
BAR_LETTERS, LINE_LETTERS = 20, 50
"""The room that a bar with its number takes, and that a sentence takes."""
MOST_BARS, LEAST_BARS = 5, 2


def chart_votes(shown: SharedScreen, tally: Tally, is_open: bool) -> tuple[SharedScreen, tuple[Choice, ...]]:
    """The votes beside the board, and the screen with room for them: if need be without its second
    language."""
    # What is offered to choose from was counted with the question.
    letters = shown.letters - (0 if tally.moves else sum(len(one.label) for one in tally.choices))
    chart = _chart(tally, is_open, ROOM_LETTERS - letters)
    if shown.second and letters + sum(map(_room, chart)) > ROOM_LETTERS:
        letters -= sum(len(beats.strip_tags(line)) for line in (shown.second.title, *shown.second_lines))
        shown = replace(shown, second=None)
        chart = _chart(tally, is_open, ROOM_LETTERS - letters)
    return replace(shown, letters=letters + sum(map(_room, chart))), chart


def _chart(tally: Tally, is_open: bool, room: int) -> tuple[Choice, ...]:
    """The answers for the shared screen. It shows no reasons before the reveal; where there is no room for
    all of them, those that fewest need are left to the notes."""
    bare = is_open or not tally.choices[0].label  # why a yes was wrong is what the verdict says
    chart = [
        replace(
            one, whys=() if bare or one.right or not one.count else one.whys[:1], off=one.off and not bare
        )
        for one in tally.choices[:MOST_BARS]
    ]
    while sum(map(_room, chart)) > room and any(one.whys for one in chart):
        i = min((i for i, one in enumerate(chart) if one.whys), key=lambda i: (chart[i].count, -i))
        chart[i] = replace(chart[i], whys=())
    while sum(map(_room, chart)) > room and len(chart) > LEAST_BARS and tally.moves:
        chart.pop()
    return tuple(chart)


def _room(choice: Choice) -> int:
    whys = sum(len(beats.strip_tags(why.html)) for why in choice.whys) or LINE_LETTERS * (
        choice.off and choice.count > 0
    )
    return BAR_LETTERS + len(choice.label) + whys
