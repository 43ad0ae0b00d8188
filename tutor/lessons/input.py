"""Yes and no, as an address says them. In a recap each reply has a dash after it once its verdict was read:
`y-n` is a no to the second question. A screen that is watched counts how often one has gone on: `yyy`."""

from dataclasses import dataclass

YES, NO = "y", "n"
READ = "-"
LONGEST = 19
"""Letters; no recap has so many questions."""


@dataclass(frozen=True, slots=True)
class Replies:
    text: str = ""

    @classmethod
    def parse(cls, text: str) -> "Replies":
        """What anybody may have typed; nothing if it makes no sense."""
        return cls(text if len(text) <= LONGEST and set(text) <= {YES, NO, READ} else "")

    @property
    def before(self) -> str:
        """The replies whose verdicts were read."""
        return self.text[: self.text.rfind(READ) + 1]

    @property
    def latest(self) -> str:
        """The reply to the question that is shown; empty if there is none yet."""
        return self.text[len(self.before) :][:1]

    @property
    def number(self) -> int:
        """How many questions were answered and read before the one that is shown."""
        return self.text.count(READ)

    def answer(self, reply: str) -> "Replies":
        """The question that is shown with this reply to it, instead of any other."""
        return Replies(self.before + reply)

    def read(self, reply: str) -> "Replies":
        """The same once its verdict was read: the next question is shown."""
        return Replies(self.before + reply + READ)
