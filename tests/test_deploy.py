"""The files of deploy/ say what the program understands, and docs/operating.md says what it does."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests import ROOT
from tests.web.test_upgrade import Upgraded, wait
from tutor.cli import _parser

CONTAINERFILE = ROOT / "deploy" / "Containerfile"
UNIT = ROOT / "deploy" / "tutor.service"
OPERATING = ROOT / "docs" / "operating.md"
SETTING = re.compile(r"TUTOR_[A-Z_]*[A-Z]")


def settings() -> set[str]:
    """All that the program asks its environment for."""
    sources = (path.read_text("utf-8") for path in (ROOT / "tutor").rglob("*.py"))
    return {name for text in sources for name in re.findall(r'[("](TUTOR_[A-Z_]+)"', text)}


def instructions(stage: int | None = None) -> list[tuple[str, str]]:
    """The instructions of the Containerfile, of all stages or of one."""
    lines = re.sub(r"(?m)^#.*\n", "", CONTAINERFILE.read_text("utf-8")).replace("\\\n", " ").splitlines()
    found = [(word, rest) for line in lines if line for word, _, rest in [line.partition(" ")]]
    starts = [number for number, (word, _) in enumerate(found) if word == "FROM"] + [len(found)]
    return found if stage is None else found[starts[stage] : starts[stage + 1]]


def of(word: str, stage: int | None = None) -> list[str]:
    return [rest for name, rest in instructions(stage) if name == word]


def command(rest: str) -> list[str]:
    """A command in the form that needs no shell."""
    found: list[str] = json.loads(rest[rest.index("[") :])
    return found


# The image


def test_the_image_knows_its_instructions() -> None:
    known = {
        "FROM", "ENV", "WORKDIR", "COPY", "RUN", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK",
        "CMD",
    }  # fmt: skip
    assert {word for word, _ in instructions()} == known
    assert all(re.match(r"docker\.io/library/python:3\.1[1-9]-slim", image) for image in of("FROM"))
    assert len(of("FROM")) == 2


def test_everything_that_is_copied_is_there() -> None:
    for rest in of("COPY", 0):
        *sources, target = rest.split()
        for source in sources:
            assert (ROOT / source).exists(), source
            assert target in ("./", source), "what is a folder stays one"
    assert of("COPY", 1) == ["--from=build /opt/tutor /opt/tutor"]


def test_everything_is_installed_by_hash() -> None:
    installs = [run for rest in of("RUN") for run in rest.split("&&") if "pip install" in run]
    assert all("--no-deps" in run for run in installs)
    assert ["--require-hashes" in run for run in installs] == [True, True, False]
    assert "/wheel/" in installs[2], "ours has just been made"


def test_the_image_runs_as_a_user_of_its_own_and_writes_in_one_folder() -> None:
    [user] = of("USER", 1)
    assert int(user) > 0
    [volume] = of("VOLUME", 1)
    environment = dict(pair.split("=", 1) for rest in of("ENV", 1) for pair in rest.split())
    assert Path(environment["TUTOR_LIVE"]).parent == Path(volume)
    assert f"install -d -o tutor -m 700 {volume}" in " ".join(of("RUN", 1))
    assert f"--uid {user} " in " ".join(of("RUN", 1))
    assert environment["TUTOR_DB"] in " ".join(of("ENV", 0)), "it is built where it is looked for"
    assert {name for name in environment if name.startswith("TUTOR_")} <= settings()


def test_the_image_calls_commands_that_there_are() -> None:
    [serve], [health] = of("CMD", 1), of("HEALTHCHECK", 1)
    for rest in (serve, health):
        name, *args = command(rest)
        assert name == "tutor"
        assert _parser().parse_args(args).run
    port = str(_parser().parse_args(command(serve)[1:]).port)
    assert of("EXPOSE", 1) == [port]
    assert f":{port}" in _parser().parse_args(command(health)[1:]).url
    assert of("STOPSIGNAL") == ["SIGTERM"]
    assert any("/opt/tutor/bin/tutor build" in rest for rest in of("RUN", 0))


# The unit


def fields(name: str) -> list[str]:
    return re.findall(rf"(?m)^{name}=(.*)$", UNIT.read_text("utf-8"))


def test_the_unit_calls_a_command_that_there_is() -> None:
    [start] = fields("ExecStart")
    name, *args = shlex.split(start)
    assert name == "/opt/tutor/bin/tutor"
    assert _parser().parse_args(args).pid == "%t/tutor/pid"
    given = {pair.partition("=")[0] for rest in fields("Environment") for pair in rest.split()}
    assert given <= settings()
    assert fields("RuntimeDirectory") == fields("StateDirectory") == fields("CacheDirectory") == ["tutor"]


def analyze(tmp_path: Path, *args: str) -> str:
    if not (tool := shutil.which("systemd-analyze")):
        pytest.skip("no systemd-analyze: apt-get install systemd")
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text("utf-8").replace("/opt/tutor/bin/tutor", shutil.which("true") or ""))
    done = subprocess.run([tool, *args, str(copy)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stderr


def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    assert analyze(tmp_path, "verify") == ""


def test_the_unit_leaves_little_open(tmp_path: Path) -> None:
    """By systemd's own count, from 0 to 100."""
    analyze(tmp_path, "security", "--offline=true", "--threshold=20")


@pytest.mark.slow
def test_a_reload_of_the_unit_upgrades_the_server(tmp_path: Path) -> None:
    (tmp_path / "tutor").mkdir()
    server = Upgraded(tmp_path / "tutor")
    old = server.pid()
    try:
        (tmp_path / "tutor" / "pid.2").write_text("1\n")  # left behind by a machine that has lost its power
        [reload] = fields("ExecReload")
        reload = reload.replace("%t", str(tmp_path)).replace("$$", "$")
        done = subprocess.run(shlex.split(reload), env=os.environ | {"MAINPID": str(old)}, timeout=120)
        assert done.returncode == 0
        wait(lambda: server.pid() not in (0, old))
    finally:
        os.killpg(server.process.pid, signal.SIGKILL)


# The documents


def test_every_setting_is_documented() -> None:
    shown = set(re.findall(r"(?m)^\| `(TUTOR_\w+)` \|", OPERATING.read_text("utf-8")))
    assert shown == settings()
    for file in (ROOT / "README.md", ROOT / "SECURITY.md", CONTAINERFILE, UNIT, OPERATING):
        assert set(SETTING.findall(file.read_text("utf-8"))) <= settings(), file


def test_every_metric_is_documented() -> None:
    source = (ROOT / "tutor" / "web" / "measures.py").read_text("utf-8")
    made = re.findall(r'(Counter|Gauge|Histogram)\(\s*"(tutor_\w+)"', source)
    names = {f"{name}_total" if kind == "Counter" else name for kind, name in made}
    table = re.findall(r"(?m)^\| (`tutor_.*?) \|", OPERATING.read_text("utf-8"))
    assert {name.strip("`") for row in table for name in row.split(", ")} == names


DOCUMENTS = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    *(f"docs/{file.name}" for file in ROOT.glob("docs/*.md")),
]


@pytest.mark.parametrize("file", sorted(DOCUMENTS))
def test_every_link_of_a_document_leads_somewhere(file: str) -> None:
    path = ROOT / file
    text = path.read_text("utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        target, _, anchor = link.partition("#")
        if "://" in target:
            continue
        assert not target or (path.parent / target).exists(), link
        there = (path.parent / target).read_text("utf-8") if target and anchor else text
        headings = re.findall(r"(?m)^#+ (.*)$", there)
        assert not anchor or anchor in [heading.lower().replace(" ", "-") for heading in headings], link


def test_the_first_page_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").split()) <= 600
