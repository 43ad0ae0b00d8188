"""Build hook: makes the files that are not committed and carries the data folders into the wheel.

htmx and the font of preview pictures are copied out of installed distributions, the translations are
compiled. Nothing is downloaded here. `python hatch_build.py` makes the same files in a checkout, without
installing anew.
"""

from __future__ import annotations

import hashlib
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VENDOR = Path("tutor/web/static/vendor")
# name in our package: (distribution, path in it, sha256)
VENDORED = {
    "SourceSansPro-Bold.otf": (
        "font-source-sans-pro",
        "font_source_sans_pro/files/SourceSansPro-Bold.otf",
        "9b8bd174f97413334e317be808d14d0ff8f6efed79a69299d84384c7e10e9312",
    ),
    "SourceSansPro-LICENSE.txt": (
        "font-source-sans-pro",
        "font_source_sans_pro/files/LICENSE.txt",
        "653aaf9819e33cf1e2b3523c5d4d6c3dae925d770cb4563030f96655321ca2e9",
    ),
    # Last: make takes it for the sign that all went well.
    "htmx.min.js": (
        "django-htmx",
        "django_htmx/static/django_htmx/htmx-2.min.js",
        "71ea67185bfa8c98c39d31717c6fce5d852370fcdfd129db4543774d3145c0de",
    ),
}
# Top-level folders that the wheel carries as tutor/_data/<name>; tutor/paths.py finds them again.
DATA = ("templates", "translations", "content")


class BuildError(Exception):
    """A generated file would be wrong or missing; the message names it."""


class CustomBuildHook(BuildHookInterface[Any]):
    """Called by hatchling for every wheel, plain or editable."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        generate(root)
        build_data["artifacts"] += [f"/{VENDOR.as_posix()}/{name}" for name in VENDORED]
        if version == "editable":
            return  # the checkout itself is on the path, with its data folders at the top level
        for name in DATA:
            if (root / name).is_dir():
                build_data["force_include"][str(root / name)] = f"tutor/_data/{name}"


def generate(root: Path) -> None:
    """Write the copied files and the compiled translations into the tree at `root`."""
    compile_translations(root / "translations")
    copy_vendored(root / VENDOR)


def copy_vendored(vendor: Path) -> None:
    vendor.mkdir(parents=True, exist_ok=True)
    for name, (package, source, sha256) in VENDORED.items():
        # The distribution's own record of files is asked: importing django_htmx would import Django.
        found_in = distribution(package)
        data = Path(str(found_in.locate_file(source))).read_bytes()
        found = hashlib.sha256(data).hexdigest()
        if found != sha256:
            raise BuildError(f"{source} of {package} {found_in.version}: sha256 {found}, not {sha256}")
        (vendor / name).write_bytes(data)


def compile_translations(translations: Path) -> None:
    """Compile every catalog; report the mistakes of all of them before failing."""
    problems: list[str] = []
    for po in sorted(translations.glob("*/LC_MESSAGES/*.po")):
        with po.open("rb") as file:
            catalog = read_po(file, locale=po.parent.parent.name, abort_invalid=True)
        where = po.relative_to(translations.parent)
        mistakes = [
            f"{where}:{message.lineno}: {message.id!r}: {error}"
            for message, errors in catalog.check()
            for error in errors
        ]
        problems += mistakes
        if mistakes:
            continue
        with po.with_suffix(".mo").open("wb") as file:
            write_mo(file, catalog)
    if problems:
        raise BuildError("translations with mistakes:\n" + "\n".join(problems))


if __name__ == "__main__":
    generate(Path(__file__).parent)
