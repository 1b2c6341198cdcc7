"""Narrows: where the time of every message goes between a program and the wire.

Describe a machine, run it, and ask:

    >>> import narrows
    >>> result = narrows.Machine("ping-pong").run()
    >>> result.metrics["message.latency_one_way"]
    Metric(value=..., unit='us')

| name | purpose |
|---|---|
| `Machine` | hosts, interface, protocol, fabric and workload, which can be run, analysed and fitted |
| `sweep` | many runs as one table, in threads or on any executor |
| `find` | the value of a key at which a metric passes a bound, or another machine's metric |
| `Distribution`, `cdf` | percentiles and histograms of latencies, merged over seeds, and their chart |
| `Table` | tidy data that pandas, polars and pyarrow read without copying |
| `reproduce` | a study from the literature, or the user's own |
| `help` | the meaning of a key, metric, stage or term, as `narrows explain` prints it |
| `UnfinishedRun` | a run that ended in a deadlock or livelock, at a limit, or with messages lost, with its result |
| `DescriptionError` | bad input: what is wrong, where, and what was probably meant |
| `NarrowsWarning` | category of the warnings of `narrows run`, such as a host that no node uses |
"""

from ._distribution import Distribution, cdf
from ._figure import Figure
from ._help import help
from ._machine import Fit, Machine, Whatif
from ._narrows import VERSION as __version__
from ._narrows import DescriptionError, NarrowsWarning
from ._result import Metric, Result, UnfinishedRun
from ._study import Study, reproduce
from ._sweep import WorkerError, find, sweep
from ._table import Table

__all__ = [
    "DescriptionError",
    "Distribution",
    "Figure",
    "Fit",
    "Machine",
    "Metric",
    "NarrowsWarning",
    "Result",
    "Study",
    "Table",
    "UnfinishedRun",
    "Whatif",
    "WorkerError",
    "__version__",
    "cdf",
    "find",
    "help",
    "reproduce",
    "sweep",
]
