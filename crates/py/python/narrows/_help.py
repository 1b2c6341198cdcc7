"""The meaning of names."""

from __future__ import annotations

from . import _narrows

_FIRST_STEPS = """\
narrows.Machine("ping-pong").run()      one run: latency by stage, busiest resources
narrows.sweep(machine, {KEY: VALUES})   many runs as one table
machine.whatif()                        what limits a machine
narrows.help("payload")                 the meaning of a key, metric, stage or term
help(narrows)                           the module"""


def help(name: str | None = None) -> None:
    """Prints the meaning of a name, as `narrows explain` does.

    Args:
        name: A key, metric, stage, resource, outcome, exit code or term, such as `payload`, `hosts.NAME.pcie.link.lanes`
            or `message.latency_one_way_p99`; by default first steps are printed.

    Raises:
        DescriptionError: Nothing has this name; the text has the name that was probably meant.
    """
    print(_FIRST_STEPS if name is None else _narrows.explain(name).rstrip("\n"))
