"""Live tables under load: how long a beat takes from the presenter's key to every follower, by streams and
by plain polling in the same run. Followers, presenters and the server share the machine.
"""

import gc
import random
import resource
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import gevent

from benchmarks.guests import Follower, Poller, Table, Talk
from benchmarks.server import Site, serving
from benchmarks.stores import kept_in
from tutor.book.load import Library
from tutor.book.words import LANGUAGES
from tutor.lessons.beats import Beat, beats, plan_of
from tutor.lessons.course import Course, courses
from tutor.live.log import open_log
from tutor.live.poll import Poll
from tutor.live.stage import question
from tutor.live.tables import Tables
from tutor.web.serve import Server, allow_files

PAUSE = 1.5
"""Seconds between two beats of a table that is alone."""
PRESSES = 20
"""Beats a second at most: of 200 tables each then goes on every ten seconds, as fast as people read."""
LOST = 10.0
"""Seconds after which a beat that has not arrived is lost."""
VOTING = 2.0
"""Seconds within which all followers vote."""
POLLING = 2.0
"""Seconds between two looks of a follower who polls."""

Results = dict[str, float | str]
Looks = dict[tuple[str, bytes], list[int]]


@dataclass(frozen=True)
class Script:
    """What is shown at each table: the second beat is a question, the third its answer."""

    game: str
    first: Beat
    """What a new table shows by itself."""
    beats: tuple[Beat, ...]
    answers: tuple[str, ...]
    """What can be voted for."""

    @classmethod
    def of(cls, course: Course, count: int) -> "Script":
        every = beats(course, plan_of(course, ()))
        asked = next(i for i, beat in enumerate(every) if _answers(course, beat))
        shown = tuple(every[(asked - 1 + i) % len(every)] for i in range(count))
        return cls(course.book.id, every[0], shown, _answers(course, every[asked]))


def _answers(course: Course, beat: Beat) -> tuple[str, ...]:
    _, is_open = question(course, beat)
    return tuple(one.value for one in Poll.of(course, beat, "en").offered) if is_open else ()


def usual_beats(tables: int) -> int:
    """So many at each table that a run takes about half a minute."""
    return max(4, 20 // tables)


def live(library: Library, followers: int, tables: int, store: str, count: int = 0) -> Results:
    """`followers` in all, at so many tables, to each of which `count` beats are shown."""
    every = courses(library)
    script = Script.of(every[next(iter(every))], count or usual_beats(tables))
    allow_files(2 * followers + 100)  # streams, and votes at the same time
    with kept_in(store) as where, serving(Server, LIVE=where, LIMITS=0) as site, _without_pauses():
        run = Run(site, script, followers, tables, Tables(open_log(where), every))
        return {
            "followers": followers,
            "tables": tables,
            "store": store,
            "beats": tables * len(script.beats),
            "pause_s": run.pause,
            **run.streams(),
            **{f"polling_{name}": value for name, value in run.polling().items()},
        }


@dataclass(frozen=True)
class Run:
    site: Site
    script: Script
    followers: int
    tables: int
    known: Tables
    """What the store knows: the tally, as any other server would tell it."""

    @property
    def pause(self) -> float:
        return max(PAUSE, self.tables / PRESSES)

    def streams(self) -> Results:
        before = _memory(self.site)
        tables = self._open()
        guests = [Follower(table, lang) for table, lang in self._places(tables)]
        begin = time.perf_counter()
        _together(guest.join for guest in guests)
        joined = time.perf_counter() - begin
        connections = _connections(self.site)
        votes = Votes(self.known, self.script.answers)

        def ask(table: Table) -> None:
            votes.gather([guest for guest in guests if guest.table is table])

        rate = self._present(tables, ask)
        _until(lambda: not any(guest.behind() for guest in guests), LOST)
        memory = _memory(self.site)
        for guest in guests:
            guest.leave()
            guest.read()
        waited = [seconds for guest in guests for seconds in guest.waited() if seconds <= LOST]
        return {
            "beats_per_second": rate,
            "lost": self.followers * len(self.script.beats) - len(waited),
            "doubled": sum(guest.doubled() for guest in guests),
            **_times(waited),
            "presses_refused": sum(table.refused for table in tables),
            "joined_s": joined,
            "joins_refused": sum(guest.refused for guest in guests),
            "connections": sum(connections),
            "connections_of_fullest_worker": max(connections),
            "memory_mb": max(memory),
            "memory_idle_mb": max(before),
            "memory_per_stream_kb": 1000 * (sum(memory) - sum(before)) / self.followers,
            **votes.results(),
        }

    def polling(self) -> Results:
        looks = self._looks()
        tables = self._open()
        guests = [Poller(table, lang) for table, lang in self._places(tables)]
        chosen = random.Random(2)  # nosec B311
        polls = [gevent.spawn(guest.poll, chosen.uniform(0, POLLING), POLLING) for guest in guests]
        gevent.sleep(2 * POLLING)
        begin = time.perf_counter()
        rate = self._present(tables)
        gevent.sleep(2 * POLLING)
        seconds = time.perf_counter() - begin
        gevent.killall(polls)
        for poll in polls:
            poll.get()  # raises what went wrong
        waited = [seconds for guest in guests for seconds in _seen(guest, looks)]
        requests = sum(at > begin for guest in guests for at, _ in guest.looks)
        return {
            "beats_per_second": rate,
            "lost": self.followers * len(self.script.beats) - len(waited),
            **_times(waited),
            "presses_refused": sum(table.refused for table in tables),
            "refused": sum(guest.refused for guest in guests),
            "requests": requests,
            "requests_per_second": requests / seconds,
        }

    def _looks(self) -> Looks:
        """By language and fragment: the numbers of the beats that look so, none for that of a new table."""
        table, connection = Table.open(self.site.port, self.script.game), Talk(self.site.port)
        found: Looks = {(lang, Poller(table, lang).look(connection)): [] for lang in LANGUAGES}
        for number, beat in enumerate(self.script.beats):
            table.show(beat)
            for lang in LANGUAGES:
                found.setdefault((lang, Poller(table, lang).look(connection)), []).append(number)
        connection.close()
        return found

    def _open(self) -> list[Table]:
        return [Table.open(self.site.port, self.script.game) for _ in range(self.tables)]

    def _places(self, tables: list[Table]) -> Iterator[tuple[Table, str]]:
        """A table and a language for each follower."""
        langs = list(LANGUAGES)
        for i in range(self.followers):
            yield tables[i % self.tables], langs[i // self.tables % len(langs)]

    def _present(self, tables: list[Table], ask: Callable[[Table], None] = lambda table: None) -> float:
        """All presenters at once, each at moments of their own; the beats a second."""

        def present(table: Table, chosen: random.Random) -> None:
            if self.tables > 1:
                gevent.sleep(chosen.uniform(0, self.pause))
            for number, beat in enumerate(self.script.beats):
                pause = self.pause * (chosen.uniform(0.5, 1.5) if self.tables > 1 else 1)
                table.show(beat)
                gevent.sleep(max(0.0, table.pressed[-1] + pause - time.perf_counter()))
                if number == 1:
                    ask(table)

        begin = time.perf_counter()
        _together(partial(present, table, random.Random(i)) for i, table in enumerate(tables))  # nosec B311
        seconds = time.perf_counter() - begin
        for table in tables:
            if self.known.stage(table.code).version != table.version:
                raise RuntimeError(f"a beat of {table.code} was not shown")
        return len(tables) * len(self.script.beats) / seconds


class Votes:
    """All followers of a table vote at about the same time; what the store has of that is counted."""

    def __init__(self, known: Tables, answers: Sequence[str]) -> None:
        self.known = known
        self.answers = answers
        self.times: list[float] = []
        self.accepted: list[tuple[Follower, int, str]] = []
        self.refused = 0

    def gather(self, guests: Sequence[Follower]) -> None:
        """At a question."""
        _until(lambda: not any(guest.behind() for guest in guests), LOST)
        _together(partial(self._vote, guest) for guest in guests)

    def _vote(self, guest: Follower) -> None:
        chosen = random.Random(guest.who)  # nosec B311
        gevent.sleep(chosen.uniform(0, VOTING))
        round, value = guest.arrived[-1].own["round"], chosen.choice(self.answers)
        accepted, seconds = guest.vote(round, value)
        if accepted:
            self.times.append(seconds)
            self.accepted.append((guest, round, value))
        else:
            self.refused += 1

    def results(self) -> Results:
        floors = {code: self.known.floor(code) for code in {guest.table.code for guest, *_ in self.accepted}}
        counted = [floors[guest.table.code].vote(round, guest.who) for guest, round, _ in self.accepted]
        lost = sum(found != sent for found, (*_, sent) in zip(counted, self.accepted, strict=True))
        return {
            "votes": len(self.accepted),
            "votes_refused": self.refused,
            "votes_lost": lost,
            **{f"votes_{name}": value for name, value in _times(self.times).items()},
        }


def _times(seconds: Iterable[float]) -> dict[str, float]:
    found = sorted(1000 * one for one in seconds) or [0.0]
    last = len(found) - 1
    return {"p50_ms": found[last // 2], "p99_ms": found[round(0.99 * last)], "worst_ms": found[-1]}


def _seen(guest: Poller, looks: Looks) -> Iterable[float]:
    """Seconds from the presenter's key to the first look at a beat, for each that was seen."""
    found: dict[int, float] = {}
    for at, body in guest.looks:
        if (guest.lang, body) not in looks:
            raise RuntimeError(f"/{guest.lang}/t/{guest.table.code} has shown what is none of its beats")
        # Of those that look alike the last one that was shown by then.
        waited = [(number, at - guest.table.pressed[number]) for number in looks[guest.lang, body]]
        shown = [(number, seconds) for number, seconds in waited if seconds >= 0]
        if shown:
            found.setdefault(*shown[-1])
    return found.values()


def _together(works: Iterable[Callable[[], None]]) -> None:
    """Does all of this at once; raises the first error."""
    gevent.joinall([gevent.spawn(work) for work in works], raise_error=True)


def _until(done: Callable[[], bool], most: float) -> None:
    until = time.perf_counter() + most
    while not done() and time.perf_counter() < until:
        gevent.sleep(0.1)


@contextmanager
def _without_pauses() -> Iterator[None]:
    """Python does not look for garbage among all that is loaded while times are taken."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


# Of the server's workers, by the files of Linux


def _workers(site: Site) -> list[Path]:
    children = Path(f"/proc/{site.process}/task/{site.process}/children").read_text()
    return [Path("/proc") / child for child in children.split()]


def _memory(site: Site) -> list[float]:
    """MB of each worker; what the workers share counts for each."""
    pages = [int((worker / "statm").read_text().split()[1]) for worker in _workers(site)]
    return [count * resource.getpagesize() / 1e6 for count in pages]


def _connections(site: Site) -> list[int]:
    """The sockets of each worker: streams, and one or a few more."""
    return [
        sum(str(file.readlink()).startswith("socket:") for file in (worker / "fd").iterdir())
        for worker in _workers(site)
    ]
