"""The built package is complete: installed outside the checkout, with the locked dependencies, it works."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import time
import tomllib
import urllib.error
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import ROOT
from tests.test_deploy import of
from tutor.book.words import LANGUAGES

pytestmark = pytest.mark.slow

DATA = ("templates", "translations", "content")
NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "*.mo", "vendor", "*.db*", "build", "dist")
PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet")


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command away from the checkout; a failure shows all that it printed."""
    done = subprocess.run(
        command, cwd=cwd, env=environment(cwd), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}"
    return done.stdout


def environment(home: Path) -> dict[str, str]:
    """The environment without what could point back to the checkout or to a person's own data."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TUTOR_"))}
    return kept | {"XDG_DATA_HOME": str(home), "XDG_STATE_HOME": str(home)}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout as a clone has it: without generated files, and safe to build in."""
    copy = tmp_path_factory.mktemp("source") / "rules-tutor"
    shutil.copytree(ROOT, copy, ignore=NOT_COPIED)
    shutil.copy(ROOT / ".gitignore", copy)  # hatchling reads it
    return copy


@pytest.fixture(scope="module")
def sdist(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sdist")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", out, cwd=source)
    return next(out.glob("*.tar.gz"))


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(source, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of an empty environment with the run-time lock and the wheel in it."""
    home = tmp_path_factory.mktemp("installed")
    venv.create(home / "venv", with_pip=True)
    python = home / "venv" / "bin" / "python"
    install = (python, *PIP, "install", "--no-deps")
    run(*install, "--require-hashes", "-r", ROOT / "requirements.lock", cwd=home)
    run(*install, wheel, cwd=home)
    return python.parent


@pytest.fixture(scope="module")
def site(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of `tutor serve`, started from the installed wheel."""
    home = tmp_path_factory.mktemp("serve")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = home / "log"
    with log.open("w") as output:
        server = subprocess.Popen(
            [installed / "tutor", "serve", "--host", "127.0.0.1", "--port", str(port)],
            cwd=home, env=environment(home), stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            address = f"http://127.0.0.1:{port}"
            wait_until_it_answers(address, server, log)
            yield address
        finally:
            server.terminate()
            try:
                server.wait(timeout=15)
            except subprocess.TimeoutExpired:
                server.kill()


def build_wheel(source: Path, out: Path) -> Path:
    # Without isolation: the build requirements are in this environment, from the lock.
    command = (sys.executable, *PIP, "wheel", "--no-build-isolation", "--no-deps", "-w", out, source)
    run(*command, cwd=out)
    return next(out.glob("*.whl"))


def wait_until_it_answers(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end and server.poll() is None:
        try:
            fetch(address + "/en/")
        except urllib.error.HTTPError:
            return  # it answers; the tests judge what
        except OSError:
            time.sleep(0.2)
        else:
            return
    pytest.fail(f"tutor serve did not answer:\n{log.read_text()}")


def fetch(address: str) -> tuple[int, bytes]:
    with urllib.request.urlopen(address, timeout=30) as answer:
        return answer.status, answer.read()


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_carries_all_data_and_all_that_is_generated(wheel: Path, source: Path) -> None:
    vendored = ("htmx.min.js", "SourceSansPro-Bold.otf", "SourceSansPro-LICENSE.txt")
    expected = {f"tutor/web/static/vendor/{name}" for name in vendored}
    for folder in DATA:
        for path in (source / folder).rglob("*"):
            if path.is_file():
                expected.add(f"tutor/_data/{path.relative_to(source).as_posix()}")
                if path.suffix == ".po":
                    expected.add(f"tutor/_data/{path.relative_to(source).with_suffix('.mo').as_posix()}")
    assert expected - names_in(wheel) == set()


def test_the_wheel_carries_the_program_its_licence_and_nothing_else(wheel: Path) -> None:
    names = names_in(wheel)
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"tutor"}
    assert {Path(name).name for name in names if "/licenses/" in name} == {"LICENSE", "NOTICE"}


def test_the_sdist_holds_only_source_and_gives_the_same_wheel(
    sdist: Path, wheel: Path, tmp_path: Path
) -> None:
    with tarfile.open(sdist) as archive:
        made = [name for name in archive.getnames() if name.endswith((".mo", ".min.js", ".otf", ".db"))]
    assert made == []
    assert names_in(build_wheel(sdist, tmp_path)) == names_in(wheel)


def test_the_installed_program_needs_nothing_from_the_build(installed: Path) -> None:
    listed = run(installed / "python", "-m", "pip", "list", "--format=freeze", cwd=installed)
    names = {line.partition("==")[0].lower() for line in listed.splitlines()}
    assert "rules-tutor" in names
    assert names & {"django", "django-htmx", "font-source-sans-pro", "hatchling", "chess", "pytest"} == set()


def test_no_dependency_of_the_installed_program_is_missing(installed: Path) -> None:
    run(installed / "python", *PIP, "check", cwd=installed)


def test_it_checks_its_content_away_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    run(installed / "tutor", "check", "--quick", cwd=tmp_path)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_it_serves_the_start_page(site: str, lang: str) -> None:
    status, page = fetch(f"{site}/{lang}/")
    assert status == 200
    assert re.search(rf'<html[^>]*\blang="{lang}"'.encode(), page)


def test_it_serves_htmx(site: str) -> None:
    status, script = fetch(f"{site}/static/vendor/htmx.min.js")
    assert status == 200
    assert script.startswith(b"var htmx=")


def test_it_serves_the_styles_of_the_games(site: str) -> None:
    _, sheet = fetch(f"{site}/static/style.css")
    assert all(own.read_bytes() in sheet for own in ROOT.glob("tutor/games/*/table/style.css"))


def test_an_image_is_built_of_what_its_containerfile_copies(
    source: Path, wheel: Path, tmp_path: Path
) -> None:
    """And of nothing else of the checkout."""
    copied = tmp_path / "copied"
    copied.mkdir()
    for rest in of("COPY", 0):
        for name in rest.split()[:-1]:
            copy = shutil.copytree if (source / name).is_dir() else shutil.copy
            copy(source / name, copied / name)
    assert names_in(build_wheel(copied, tmp_path)) == names_in(wheel)


READ_ONLY = """
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount -o remount,bind,ro /
if touch /var/tmp/written 2>/dev/null; then echo 'not read-only' >&2; exit 2; fi
exec "$2" serve --port "$3"
"""


def test_it_serves_where_nothing_but_one_folder_can_be_written(installed: Path, tmp_path: Path) -> None:
    """As in a container with a read-only root, whose /dev/shm is memory."""
    if os.geteuid():
        pytest.skip("only root can make a read-only view of the machine")
    rulebook, volume = tmp_path / "share" / "rulebook.db", tmp_path / "volume"
    volume.mkdir()
    built = environment(tmp_path) | {"TUTOR_DB": str(rulebook)}
    subprocess.run([installed / "tutor", "build"], cwd=tmp_path, env=built, check=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    settings = {"TUTOR_DB": str(rulebook), "TUTOR_LIVE": f"{volume}/live.db", "TMPDIR": "/dev/shm"}
    home = {"HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"}
    log = volume / "log"
    with log.open("w") as output:
        server = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", READ_ONLY, "sh", volume, installed / "tutor", port],
            env=environment(tmp_path) | settings | home, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            address = f"http://127.0.0.1:{port}"
            wait_until_it_answers(address, server, log)
            assert fetch(f"{address}/readyz") == (200, b"live ok\nrulebook ok\n")
            assert fetch(f"{address}/pl/border/learn/grey?pick=G1")[0] == 200
            run(installed / "tutor", "health", f"{address}/readyz", cwd=tmp_path)
        finally:
            server.terminate()
            server.wait(timeout=30)
    assert log.read_text() == f"{address}\n"
    assert (volume / "live.db").exists()


def test_the_build_requirements_are_the_locked_ones() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["build-system"]["requires"] == project["dependency-groups"]["build"]


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-build.lock"])
def test_the_locks_agree(lock: str) -> None:
    everything = pinned("requirements-dev.lock")
    assert pinned(lock).items() <= everything.items()


def test_the_run_time_lock_names_every_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {re.split(r"[\[<>=!~ ;]", requirement)[0] for requirement in project["dependencies"]}
    assert named - pinned("requirements.lock").keys() == set()


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-build.lock", "requirements-dev.lock"])
def test_a_lock_holds_hashes_and_no_address(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert "--hash=sha256:" in text
    assert "://" not in text


def test_the_notice_names_every_run_time_dependency() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8").lower().replace("zope.", "zope-")
    assert [name for name in pinned("requirements.lock") if f"    {name} " not in notice] == []


def pinned(lock: str) -> dict[str, str]:
    """Name and version of each package in a lock; its platform markers are left out."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", text, re.MULTILINE))
