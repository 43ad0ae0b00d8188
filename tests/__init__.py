"""The tests, in the folders of the rooms they test.

Wherever they run, a small game lies beside the real ones, which has next to nothing but rules: Nim. What is
true of every game is tried with it, too. A server of the tests imports this first and has it as well."""

import os
import shutil
import tempfile
from pathlib import Path

from tutor import games, paths

ROOT = Path(__file__).resolve().parent.parent
"""The checkout."""

if "TUTOR_TESTS" not in os.environ:  # the workers of xdist inherit it, and every server
    os.environ["TUTOR_TESTS"] = tempfile.mkdtemp(prefix="tutor-tests-")
SHARED = Path(os.environ["TUTOR_TESTS"])
"""A folder of this run and all its workers."""


def _with_nim(folder: Path) -> Path:
    """The content of all games and Nim's. It appears as a whole, so that workers may make it at once."""
    if not folder.exists():
        made = Path(tempfile.mkdtemp(dir=SHARED)) / "content"
        shutil.copytree(ROOT / "content", made)
        shutil.copytree(nim.FOLDER / "nim", made / "nim")
        with (made / "terms.toml").open("a", encoding="utf-8") as terms:
            terms.write("\n" + (nim.FOLDER / "terms.toml").read_text("utf-8"))
        try:
            made.rename(folder)
        except OSError:  # another worker was faster
            shutil.rmtree(made)
    return folder


from tests import nim  # noqa: E402  # it reads nothing before the folder is known

paths.CONTENT = _with_nim(SHARED / "content")
games.GAMES["nim"] = nim.Nim
