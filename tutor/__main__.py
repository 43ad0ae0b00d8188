"""`python -m tutor` is `tutor`."""

import sys

from tutor.cli import main

sys.exit(main())
