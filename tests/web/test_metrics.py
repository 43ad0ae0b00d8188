"""Numbers for Prometheus: what a server tells, that no visitor names any of it, and who has the address."""

import http.client
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from prometheus_client.parser import text_string_to_metric_families

from tests.conftest import free_port
from tests.servers import Follower, Presenter, Server, Visitor
from tutor.cli import main
from tutor.web.http.limit import LIMITS
from tutor.web.measures import SLOWEST_READER_SECONDS
from tutor.web.metrics import place

pytestmark = [pytest.mark.patient, pytest.mark.slow]

Labels = tuple[tuple[str, str], ...]


class Measured(Server):
    """A server with numbers."""

    def __init__(self, database: Path, **settings: Any) -> None:
        self.numbers = free_port()
        settings |= {"TMPDIR": str(database.parent), "TUTOR_METRICS": f"127.0.0.1:{self.numbers}"}
        super().__init__(database, **settings)

    def told(self) -> dict[tuple[str, Labels], float]:
        connection = http.client.HTTPConnection("127.0.0.1", self.numbers, timeout=20)
        connection.request("GET", "/metrics")
        answer = connection.getresponse()
        assert answer.status == 200
        assert answer.headers.get_content_type() == "text/plain"
        text = answer.read().decode()
        connection.close()
        return {
            (sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    def number(self, name: str, **labels: str) -> float:
        return self.told().get((name, tuple(sorted(labels.items()))), 0)

    def wait(self, come: Callable[[], bool], within: float = 20) -> None:
        until = time.monotonic() + within
        while not connects(self.numbers) or not come():
            assert time.monotonic() < until, self.told()
            time.sleep(0.1)

    def workers(self) -> set[int]:
        found = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True).stdout
        return set(map(int, found.split()))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Measured]:
    made = Measured(tmp_path_factory.mktemp("metrics") / "rulebook.db", TUTOR_API_RATE="0.05")
    made.wait(lambda: made.number("tutor_store_up", store="live") == 1)
    yield made
    made.kill()


def test_requests_are_counted_by_endpoint_and_kind_of_status(server: Measured) -> None:
    visitor = Visitor(server.url)
    before = server.told()
    for path in ("/it/border/rules", "/it/border/rules", "/it/none/", "/pl/border/learn/grey?pick=G1"):
        visitor.ask(path)
    kept, made = (
        server.number("tutor_pages_total", how=how) - before.get(("tutor_pages_total", (("how", how),)), 0)
        for how in ("kept", "made")
    )
    assert (kept, made) == (1, 2)
    assert server.number("tutor_requests_total", endpoint="rules.page", status="2xx") == 2
    assert server.number("tutor_requests_total", endpoint="pages.game", status="4xx") == 1
    assert server.number("tutor_request_seconds_count", endpoint="rules.page") == 2
    assert server.number("tutor_page_wait_seconds_count") >= 1


def test_refusals_are_counted_by_limit(server: Measured) -> None:
    visitor = Visitor(server.url)
    assert [visitor.ask("/api/v1/")[0] for _ in range(3)] == [200, 429, 429]
    assert server.number("tutor_refusals_total", what="api") == 2


def test_streams_tables_and_guests(server: Measured) -> None:
    presenter = Presenter(server.url)
    followers = [Follower(server.url, presenter.code) for _ in range(3)]
    for follower in followers:
        follower.sees(2)
    server.wait(lambda: server.number("tutor_streams") == server.number("tutor_guests") == 3)
    for follower in followers:
        follower.leave()
    server.wait(lambda: server.number("tutor_requests_total", endpoint="live.events", status="2xx") == 3, 40)
    server.wait(lambda: server.number("tutor_streams") == 0)
    assert server.number("tutor_request_seconds_count", endpoint="live.events") == 0
    server.wait(lambda: server.number("tutor_tables") == 1, 40)


def test_a_store_that_fails_is_counted(server: Measured) -> None:
    presenter = Presenter(server.url)
    live, aside = (server.database.with_name(name) for name in ("live.db", "aside.db"))
    live.rename(aside)
    live.mkdir()
    try:
        assert presenter.ask(presenter.screen)[0] == 503
        assert server.number("tutor_store_faults_total", store="live") == 1
        server.wait(lambda: server.number("tutor_store_up", store="live") == 0, 40)
    finally:
        live.rmdir()
        aside.rename(live)
    server.wait(lambda: server.number("tutor_store_up", store="live") == 1, 40)


def test_no_label_is_of_a_visitors_choice(server: Measured, app: Flask) -> None:
    for path in ("/it/chosen/", "/chosen", "/it/t/chosen", "/%0achosen", "/it/border/learn/chosen?chosen=1"):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        connection.request("CHOSEN", path, headers={"Host": "chosen.example", "X-Request-ID": "chosen"})
        connection.getresponse().read()
        connection.close()
        Visitor(server.url).ask(path, Host="chosen.example", Accept="chosen/chosen")
    known = {
        "endpoint": {"none", *app.view_functions},
        "status": {"2xx", "3xx", "4xx", "5xx"},
        "what": {"api", "streams", *LIMITS},
        "how": {"kept", "made"},
        "store": {"live", "rulebook"},
        "pid": {str(one) for one in server.workers()},
    }
    for name, labels in server.told():
        for label, value in labels:
            assert label == "le" or value in known[label], (name, label, value)


def test_a_worker_that_ends_leaves_its_counts_and_takes_its_present_along(server: Measured) -> None:
    Visitor(server.url).ask("/it/border/rules")
    requests = server.number("tutor_requests_total", endpoint="rules.page", status="2xx")
    [worker] = server.workers()
    server.wait(lambda: server.number("tutor_memory_bytes", pid=str(worker)) > 10_000_000)
    os.kill(worker, signal.SIGKILL)
    server.wait(lambda: bool(server.workers() - {worker}))
    [new] = server.workers()
    server.wait(lambda: server.number("tutor_memory_bytes", pid=str(new)) > 0)
    assert server.number("tutor_memory_bytes", pid=str(worker)) == 0
    assert server.number("tutor_requests_total", endpoint="rules.page", status="2xx") == requests
    Visitor(server.url).ask("/it/border/rules")
    assert server.number("tutor_requests_total", endpoint="rules.page", status="2xx") == requests + 1


def test_workers_do_not_hold_the_address(server: Measured) -> None:
    [old] = server.workers()
    os.kill(old, signal.SIGTERM)  # the next one is made while the master listens
    server.wait(lambda: bool(server.workers()) and old not in server.workers())
    held = {
        process: [str(file.readlink()) for file in Path(f"/proc/{process}/fd").iterdir() if file.exists()]
        for process in (server.process.pid, *server.workers())
    }
    table = Path("/proc/net/tcp").read_text().splitlines()
    listening = [line.split()[9] for line in table if f":{server.numbers:04X} 00000000:0000 0A" in line]
    assert len(listening) == 1
    assert [process for process, files in held.items() if f"socket:[{listening[0]}]" in files] == [
        server.process.pid
    ]


def test_one_who_asks_and_says_nothing_does_not_stop_the_others(server: Measured) -> None:
    with socket.create_connection(("127.0.0.1", server.numbers)):
        server.wait(lambda: server.number("tutor_store_up", store="live") == 1)
        with socket.create_connection(("127.0.0.1", server.numbers), 1) as dripping:
            dripping.sendall(b"GET")
            began = time.monotonic()
            server.told()
            assert time.monotonic() - began < SLOWEST_READER_SECONDS, "nobody waits for who is slow"


def test_an_address_that_is_taken_is_told_and_waited_for(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        made = Measured.__new__(Measured)
        made.numbers = taken.getsockname()[1]
        Server.__init__(made, tmp_path / "rulebook.db", TUTOR_METRICS=f"127.0.0.1:{made.numbers}")
        assert Visitor(made.url).ask("/healthz")[0] == 200
        time.sleep(2)
    try:
        made.wait(lambda: made.number("tutor_store_up", store="live") == 1)
    finally:
        made.end(within=20)
    said = capfd.readouterr().err
    assert said.count("TUTOR_METRICS") == 1
    assert re.search(rf" - warning tutor\.web\.metrics .*127\.0\.0\.1:{made.numbers} yet: .*in use", said)


def connects(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def test_the_folder_is_private_and_goes_with_the_server(tmp_path: Path) -> None:
    made = Measured(tmp_path / "rulebook.db")
    made.wait(lambda: made.number("tutor_store_up", store="live") == 1)
    [folder] = tmp_path.glob("tutor-metrics-*")
    assert folder.stat().st_mode & 0o777 == 0o700
    made.end(within=20)
    assert not folder.exists()


def test_nothing_is_measured_unless_that_is_asked_for(tmp_path: Path) -> None:
    made = Server(tmp_path / "rulebook.db", TMPDIR=str(tmp_path))
    try:
        assert Visitor(made.url).ask("/metrics")[0] == 404
        maps = Path(f"/proc/{made.process.pid}/maps").read_text()
        assert "tutor-metrics" not in maps
        assert not [*tmp_path.glob("tutor-metrics-*")]
    finally:
        made.end(within=20)


@pytest.mark.parametrize(
    "wrong", ["yes", "9100", ":9100", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:99999", "a:0"]
)
def test_a_malformed_address_is_an_error_at_the_start(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("TUTOR_METRICS", wrong)
    with pytest.raises(SystemExit, match=r"^TUTOR_METRICS is an address and a port"):
        main(["serve"])


def test_an_address() -> None:
    assert place("") is place(" ") is None
    assert place("127.0.0.1:9100") == ("127.0.0.1", 9100)
    assert place("[::1]:9100") == ("::1", 9100)
