"""What is measured while the site runs. Nobody takes note of it unless TUTOR_METRICS asks for that: then a
worker puts another meter here, see `metrics`.
"""


class Meter:
    """Takes note of nothing. What is passed are names of ours, never anything that a visitor has sent."""

    on = False

    def count_answer(self, endpoint: str, status: int, seconds: float) -> None:
        """A request; a stream is one that takes as long as somebody listens."""

    def count_refusal(self, what: str) -> None:
        """Somebody has asked for too much of this."""

    def page(self, kept: bool) -> None:
        """A page was found among those that are kept, or is to be made."""

    def count_wait(self, seconds: float) -> None:
        """How long somebody waited until work on a page began."""

    def count_failure(self, store: str) -> None:
        """A store has not done what a visitor wanted."""


current = Meter()
