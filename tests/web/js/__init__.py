"""The scripts without a browser: their linter and the tests of their rules."""

from pathlib import Path

import playwright

from tests import ROOT

# The one that drives the browsers: it is always there, and everywhere the same.
NODE = Path(playwright.__file__).parent / "driver" / "node"
SCRIPTS = [*sorted((ROOT / "tutor/web").rglob("*.js")), *sorted(Path(__file__).parent.glob("*.js"))]
SCRIPTS = [path for path in SCRIPTS if "vendor" not in path.parts]
