"""`tutor` as the tests start it, with the small game beside the real ones: `python -m tests.serve serve`. A
module, so that a server which replaces itself can be started again in the same way."""

import sys

import tests  # noqa: F401  # it brings the small game
from tutor.cli import main

if __name__ == "__main__":
    sys.exit(main())
