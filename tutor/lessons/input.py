"""What somebody has done on a screen. An address carries it, so it is plain text and in no language."""

from dataclasses import dataclass

YES, NO = "y", "n"
READ = "-"
LONGEST_REPLIES_CHARS = 19
"""Room for more questions than any recap has."""


@dataclass(frozen=True, slots=True)
class Replies:
    """Yes and no, as an address says them. In a recap each reply has a dash after it once its verdict was
    read: `y-n` is a no to the second question. A screen that is watched counts how often one has gone on:
    `yyy`."""

    text: str = ""

    @classmethod
    def parse(cls, text: str) -> "Replies":
        """Reads what anybody may have typed; empty if it makes no sense."""
        return cls(text if len(text) <= LONGEST_REPLIES_CHARS and set(text) <= {YES, NO, READ} else "")

    @property
    def before(self) -> "Replies":
        """The replies whose verdicts were read: all but the one to the question that is shown."""
        return Replies(self.text[: self.text.rfind(READ) + 1])

    @property
    def latest(self) -> str:
        """The reply to the question that is shown; empty if there is none yet."""
        return self.text[len(self.before.text) :][:1]

    @property
    def number(self) -> int:
        """How many questions were answered and read before the one that is shown."""
        return self.text.count(READ)

    @property
    def beats_watched(self) -> int:
        """How often one has gone on, on a screen that is watched."""
        return len(self.text)

    def answer(self, reply: str) -> "Replies":
        """The question that is shown with this reply to it, instead of any other."""
        return Replies(self.before.text + reply)

    def read(self, reply: str) -> "Replies":
        """The same once its verdict was read: the next question is shown."""
        return Replies(self.before.text + reply + READ)

    def go_on(self) -> "Replies":
        """A screen that is watched, one beat further."""
        return Replies(YES * (self.beats_watched + 1))


@dataclass(frozen=True)
class Input:
    """Moves made, parts of a move picked, how much help was taken, answers chosen and checked, yes and no."""

    moves: tuple[str, ...] = ()
    picks: tuple[str, ...] = ()
    help: int = 0
    choices: frozenset[str] = frozenset()
    checked: bool = False
    replies: Replies = Replies()


NO_INPUT = Input()
