"""The command `narrows`, which `pip install` puts next to Python."""

from __future__ import annotations

import signal
import sys

from . import _narrows

# Starts the command in another process, as `narrows explore` does for each answer. Modules of the working directory,
# which may contain descriptions by others, are not imported.
_RESTART_SCRIPT = "import sys; sys.path = [path for path in sys.path if path]; from narrows._command import main; sys.exit(main())"


def own_command() -> list[str]:
    """Returns the command line that starts the command in another process."""
    return [sys.executable, "-c", _RESTART_SCRIPT]


def main() -> int:
    """Runs the command line with the arguments of the process, and returns its exit code."""
    # Python handles Ctrl-C only between Python instructions, and none are executed while the command runs. The command
    # therefore handles Ctrl-C, or the system ends the process. An ignored Ctrl-C stays ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _narrows.run_command(["narrows", *sys.argv[1:]], own_command())
