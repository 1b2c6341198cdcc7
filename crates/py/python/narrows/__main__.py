"""Runs the command line: `python -m narrows` is `narrows`."""

import sys

from ._command import main

sys.exit(main())
