"""The log of live tables in Redis, for many machines: a stream per channel, whose ids are the versions.

A Redis Cluster will not do: the streams of a table share a slot with each other, but not with the bell.
Events last as long as Redis keeps them; without persistence, all tables end when it does. Silence is told by
the clock of its machine: one that is set forward by a day ends all tables.
"""

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

from gevent.monkey import get_original
from redis import BlockingConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.client import Pipeline
from redis.connection import parse_url
from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    WatchError,
)
from redis.retry import Retry

from tutor.live.log.base import (
    CHANNELS,
    LATEST_VERSION,
    SCHEMA,
    Body,
    Channel,
    Down,
    Event,
    Full,
    Newer,
    News,
    NoTable,
    Ring,
    Stale,
    Taken,
    Unavailable,
    dump,
    keep_listening,
    load,
    refuse_newer,
)
from tutor.search.trouble import Trouble

NativeLocal = get_original("_thread", "_local")
"""Threads have one each, greenlets share their thread's, also where gevent has patched `threading.local`."""

ANSWER_SECONDS = 2.0
"""Seconds to wait for an answer, for a connection, and for one of the connections to be free."""
BLOCK_MILLISECONDS = 500
"""Milliseconds for which Redis keeps a listener waiting if there is no news."""
MOST_CONNECTIONS = 64
"""At most, for a thread: of a thousand who vote at once most wait for their turn. A busy loop takes up each
connection once a round, so too few of them make those wait who could be served."""

Entry = tuple[str, dict[str, str]]
"""Of a stream: its id and its fields."""


class Names(NamedTuple):
    """The names in Redis of what belongs together: live tables, or played games."""

    space: str

    @property
    def form(self) -> str:
        """The key of the schema version. 0.5.1 did not write one, and kept tables in the same form."""
        return f"{self.space}:schema"

    @property
    def bell(self) -> str:
        return f"{self.space}:bell"

    @property
    def tables(self) -> str:
        """The codes of all, by the time (milliseconds) at which each will have been silent for too long."""
        return f"{self.space}:tables"

    def key(self, code: str, channel: Channel) -> str:
        return f"{self.space}:{{{code}}}:{channel}"


MOST_RINGS = 10_000
ROWS_AT_ONCE = 500
"""Tables to look at before others get their turn."""
RINGS_AT_ONCE = 5_000
"""Rings to fetch at once. Who gets that many may have missed some that are no longer kept; half the length is
safe, as the bell is only ever cut to its length."""

# In one step, so that nobody writes between the check and the event, and no event is without its ring. The
# event is written first: when there is no room for it, nothing is written. As nothing is ever taken out of a
# stream, its length is its last version.
APPEND = """
local channel, stage, floor, bell, tables, form = unpack(KEYS)
local code, name, body, new, after, silence, length, schema = unpack(ARGV)
local kept = tonumber(redis.call('GET', form) or 0) or 0
if kept > tonumber(schema) then return {'newer', kept} end
if redis.call('EXISTS', stage) == tonumber(new) then return {'no', 0} end
local last = redis.call('XLEN', channel)
if after ~= '' and tonumber(after) ~= last then return {'stale', last} end
local version = last + 1
redis.call('XADD', channel, '0-' .. version, 'body', body)
if new == '1' then
  redis.call('DEL', floor)
  redis.call('SETNX', form, schema)
end
local time = redis.call('TIME')
local ends = time[1] * 1000 + math.floor(time[2] / 1000) + silence
redis.call('PEXPIREAT', stage, ends)
redis.call('PEXPIREAT', floor, ends)
redis.call('ZADD', tables, ends, code)
redis.call('XADD', bell, 'MAXLEN', '~', length, '*', 'code', code, 'channel', name, 'version', version)
return {'ok', version}
"""


class RedisLog:
    """See `Log`. Redis forgets silent tables by itself; only their codes are left to be cleaned."""

    def __init__(self, address: str, silence: float, space: str = "tutor") -> None:
        self.place = _without_secrets(address)
        self._names = Names(space)
        self._options: dict[str, Any] = parse_url(address)  # type: ignore[no-untyped-call]
        self._silence = round(silence * 1000)
        self._closed = False
        self._of_thread = NativeLocal()
        self._trouble = Trouble(f"live tables in {self.place}")

    def create(self, code: str, body: Body) -> None:
        if self._write(code, "stage", body, new=True, after=None)[0] == "no":
            raise Taken(code)

    def put(self, code: str, stage: Sequence[Body], floor: Sequence[Body], replace: bool) -> None:
        events = {"stage": [*map(dump, stage)], "floor": [*map(dump, floor)]}
        with self._answering(wrote=True), self._redis.pipeline() as commands:
            while True:
                commands.watch(self._names.key(code, "stage"))  # type: ignore[no-untyped-call]
                if not replace and commands.exists(self._names.key(code, "stage")):
                    raise Taken(code)
                ends = self._now() + self._silence
                commands.multi()
                for channel in CHANNELS:
                    _add_all(commands, self._names, code, channel, events[channel], ends)
                commands.zadd(self._names.tables, {code: ends})
                commands.setnx(self._names.form, SCHEMA)
                try:
                    commands.execute()
                    return
                except WatchError:  # somebody else has just made it, or added to it
                    continue

    def append(self, code: str, channel: Channel, body: Body, after: int | None = None) -> int:
        outcome, version = self._write(code, channel, body, new=False, after=after)
        if outcome == "no":
            raise NoTable(code)
        if outcome == "stale":
            raise Stale(code, channel, version)
        return version

    def _write(
        self, code: str, channel: Channel, body: Body, new: bool, after: int | None
    ) -> tuple[str, int]:
        names = self._names
        keys = [names.key(code, one) for one in (channel, *CHANNELS)]
        keys += [names.bell, names.tables, names.form]
        expected = "" if after is None else str(after)
        values = (code, channel, dump(body), int(new), expected, self._silence, MOST_RINGS, SCHEMA)
        with self._answering(wrote=True):
            outcome, version = self._redis.register_script(APPEND)(keys, values)
            if outcome == "newer":  # it was upgraded while this connection was open
                refuse_newer(version)
        return outcome, version

    def read(self, code: str, channel: Channel, after: int = 0, most: int | None = None) -> list[Event]:
        first = min(max(after, 0), LATEST_VERSION) + 1
        with self._answering(), _together(self._redis) as commands:
            commands.xrange(self._names.key(code, channel), min=f"0-{first}", count=most)
            # Afterwards: of what is deleted in between nothing is told.
            commands.exists(self._names.key(code, "stage"))
            entries, there = commands.execute()
        if not there:
            raise NoTable(code)
        return [load(_version(name), entry["body"]) for name, entry in entries]

    def delete(self, code: str) -> None:
        with self._answering(wrote=True), _together(self._redis) as commands:
            commands.delete(*(self._names.key(code, channel) for channel in CHANNELS))
            commands.zrem(self._names.tables, code)
            commands.execute()

    def codes(self) -> list[str]:
        with self._answering():
            return sorted(cast(list[str], self._redis.zrangebyscore(self._names.tables, self._now(), "+inf")))

    def count(self) -> int:
        with self._answering():
            return int(self._redis.zcount(self._names.tables, self._now(), "+inf"))

    def clean(self) -> int:
        with self._answering(wrote=True):
            return int(self._redis.zremrangebyscore(self._names.tables, "-inf", f"({self._now()}"))

    def schema(self) -> int:
        with self._answering():
            return int(cast(str | None, self._redis.get(self._names.form)) or 0)

    def listen(self, ring: Ring, down: Down) -> None:
        keep_listening(self._follow, ring, down, lambda: self._closed)

    def close(self) -> None:
        self._closed = True
        self._redis.close()  # other threads' go with the threads

    @property
    def _redis(self) -> Redis:
        """This thread's client: to gevent a socket belongs to the thread that opened it."""
        client: Redis | None = getattr(self._of_thread, "client", None)
        if client is None:
            client = self._of_thread.client = _client(self._options, self._names, ANSWER_SECONDS)
        return client

    def _now(self) -> int:
        """By the clock of Redis, as all machines that use it."""
        seconds, micro = self._redis.time()
        return int(seconds) * 1000 + int(micro) // 1000

    def _follow(self) -> Generator[News]:
        with closing(
            _client(self._options, self._names, BLOCK_MILLISECONDS / 1000 + ANSWER_SECONDS)
        ) as listener:
            while not self._closed:
                # In this order: what is appended in between is told twice.
                with self._answering():
                    seen = _newest(listener, self._names)
                    codes = cast(list[str], listener.zrange(self._names.tables, 0, -1))
                yield []
                for start in range(0, len(codes), ROWS_AT_ONCE):
                    with self._answering():
                        some = _last_versions(listener, self._names, codes[start : start + ROWS_AT_ONCE])
                    yield some
                    time.sleep(0)  # others first
                behind = False
                while not behind and not self._closed:
                    with self._answering():
                        rings = _rings(listener, self._names, seen)
                    behind = len(rings) == RINGS_AT_ONCE
                    seen = rings[-1][0] if rings else seen
                    yield _news(rings)

    @contextmanager
    def _answering(self, *, wrote: bool = False) -> Iterator[None]:
        """Says in the words of the log what is wrong with Redis, and tells it in the log."""
        if self._closed:
            raise Unavailable("the log is closed")
        try:
            try:
                yield
            except RedisError as error:
                raise _fault(error) from error
            except UnicodeDecodeError as error:
                raise Unavailable(f"something that is not text lies among the tables: {error}") from error
        except Unavailable as error:
            if not self._closed:
                self._trouble.begins(type(error).__name__, str(error))
            raise
        self._trouble.ends(but=() if wrote else (Full.__name__,))


def _fault(error: RedisError) -> Unavailable:
    told = str(error)
    if isinstance(error, OutOfMemoryError):
        return Full(f"{told}: nothing new is kept until Redis has more memory (maxmemory)")
    if isinstance(error, ReadOnlyError):
        return Full(f"{told}: nothing new is kept here; name the Redis that this one follows")
    if "MISCONF" in told or "NOREPLICAS" in told:  # these have no class of their own
        return Full(f"{told}: nothing new is kept until Redis can save again")
    if isinstance(error, AuthenticationError | AuthorizationError):
        return Unavailable(f"{told}: see the user and the password in TUTOR_LIVE")
    return Unavailable(f"{told}: see whether Redis runs, and whether TUTOR_LIVE names it")


def _without_secrets(address: str) -> str:
    """For logs and people."""
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()


def _client(options: dict[str, Any], names: Names, patience: float) -> Redis:
    """What the address says about connections counts, but for what this module relies on.

    A command is never sent twice: nobody knows what became of the first.
    """
    usual = {
        "max_connections": MOST_CONNECTIONS,
        "timeout": ANSWER_SECONDS,
        "socket_connect_timeout": ANSWER_SECONDS,
    }
    needed = {
        "socket_timeout": patience,
        "decode_responses": True,
        "protocol": 2,
        "redis_connect_func": partial(_greet, names),
    }
    options = usual | options | needed | {"retry": Retry(NoBackoff(), 0)}
    return Redis.from_pool(BlockingConnectionPool(**options))  # type: ignore[no-untyped-call]


def _greet(names: Names, connection: Any) -> None:
    """A new connection: which form its tables have is looked at now, and not with each command."""
    connection.on_connect()
    connection.send_command("GET", names.form)
    found = connection.read_response() or "0"
    try:
        refuse_newer(int(found) if found.isdigit() else LATEST_VERSION)
    except Newer:
        connection.disconnect()
        raise


def _together(redis: Redis) -> Pipeline:
    """For commands sent at once. A transaction would be refused when there is no room, even to read."""
    return redis.pipeline(transaction=False)


def _version(name: str) -> int:
    return int(name.partition("-")[2])


def _newest(redis: Redis, names: Names) -> str:
    """The id of the last ring."""
    rings = cast(list[Entry], redis.xrevrange(names.bell, count=1))
    return rings[0][0] if rings else "0-0"


def _rings(redis: Redis, names: Names, seen: str) -> list[Entry]:
    """Those after the one that was seen last; if there are none, those of the near future."""
    streams = cast(
        list[tuple[str, list[Entry]]],
        redis.xread({names.bell: seen}, count=RINGS_AT_ONCE, block=BLOCK_MILLISECONDS),
    )
    return streams[0][1] if streams else []


def _news(rings: list[Entry]) -> News:
    last = {(ring["code"], ring["channel"]): int(ring["version"]) for _, ring in rings}
    return [(code, cast(Channel, channel), version) for (code, channel), version in last.items()]


def _last_versions(redis: Redis, names: Names, codes: Sequence[str]) -> News:
    """Of each channel of these tables."""
    places = [(code, channel) for code in codes for channel in CHANNELS]
    with _together(redis) as commands:
        for place in places:
            commands.xlen(names.key(*place))
        lengths = commands.execute()
    return [(*place, length) for place, length in zip(places, lengths, strict=True) if length]


def _add_all(
    commands: Pipeline, names: Names, code: str, channel: Channel, texts: Sequence[str], ends: int
) -> None:
    """A whole channel in place of what was there."""
    key = names.key(code, channel)
    commands.delete(key)
    for version, text in enumerate(texts, 1):
        commands.xadd(key, {"body": text}, id=f"0-{version}")
    if texts:
        commands.pexpireat(key, ends)
        ring: dict[Any, Any] = {"code": code, "channel": channel, "version": len(texts)}
        commands.xadd(names.bell, ring, maxlen=MOST_RINGS)
