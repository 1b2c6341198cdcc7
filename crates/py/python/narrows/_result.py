"""The result of a run."""

from __future__ import annotations

import html
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ._distribution import Distribution
from ._figure import Figure, number, rows_html
from ._narrows import RunOutput
from ._table import Table

if TYPE_CHECKING:
    import pandas
    import polars


class Metric(NamedTuple):
    """A measured value and its unit.

    Attributes:
        value: The number; None where nothing was measured.
        unit: Its unit, such as `us` or `MB/s`; empty for counts.
    """

    value: float | None
    unit: str


class Result:
    """The result of a run, as `narrows run --format json` prints it.

    Attributes:
        outcome: `done`, `saturated`, `deadlock`, `livelock`, `time-limit` or `loss`.
        reason: The reason for which the run did not complete; None if it did.
        is_complete: Whether the run completed, so that its measurements hold.
        metrics: Each metric by its name, with its unit. If the run did not complete, only counts have values.
        distributions: The distribution of each latency, by the name of the metric of its mean.
        warm_up: The test for an initial transient among the measured values: `key` and `value` of the warm-up, the
            `metric` that is tested, `initial_transient` (None with too few values) and, where one is detected, its
            `finding` in words. None for workloads that measure no steady state.
        ledger: The latency of messages by stage: `messages`, `total_us` and `stages`, each with `waiting_us`,
            `service_us` and its `share` of the latency. Empty if the run did not complete.
        resources: The busy time of each resource: `busy_us`, `active_us` and the `share` of the run.
        candidate: The candidate for the bottleneck; None if no resource was active or the run did not complete.
        stuck: The chain of waits, if the run ended in a deadlock, livelock or at a limit; else None.
        simulated_us: The simulated time of the end of the run, in microseconds.
        machine: Every value of the description that was run.
        seed: The seed of every random stream.
        version: The version of Narrows.
        hash: The hash of the result; results with equal hashes are equal.
        record: The whole result as plain data.
    """

    def __init__(self, output: RunOutput) -> None:
        self._text = output.record
        self._chart = output.chart
        self._messages = output.messages
        self.record: dict[str, Any] = json.loads(self._text)
        self.outcome: str = self.record["outcome"]
        self.reason: str | None = self.record.get("reason")
        self.is_complete: bool = self.outcome in ("done", "saturated")
        self.metrics = {
            name: Metric(metric["value"], metric["unit"]) for name, metric in self.record["metrics"].items()
        }
        distribution_records = self.record.get("distributions", {})
        self.distributions = {name: Distribution.read(name, record) for name, record in distribution_records.items()}
        self.warm_up: dict[str, Any] | None = self.record.get("warm_up")
        self.ledger: dict[str, Any] = self.record["ledger"]
        self.resources: list[dict[str, Any]] = self.record["resources"]
        self.candidate: dict[str, Any] | None = self.record.get("candidate", self.record.get("binds"))
        self.stuck: dict[str, Any] | None = self.record.get("stuck")
        self.simulated_us: float = self.record["simulated_us"]
        self.machine: dict[str, Any] = self.record["machine"]
        self.seed: int = self.record["seed"]
        self.version: str = self.record["version"]
        self.hash: str = self.record["hash"]

    @property
    def verdict(self) -> str:
        """The outcome, and if the run did not complete the reason."""
        return self.outcome if self.reason is None else f"{self.outcome}: {self.reason}"

    @property
    def figures(self) -> dict[str, Figure]:
        """The pictures of the result by name: `ledger`, if any message has one."""
        return {} if self._chart is None else {"ledger": Figure("Where a message's time goes", self._chart)}

    @property
    def tables(self) -> dict[str, Table]:
        """The result as tables.

        `metrics` has a row for each metric, `stages` one for each stage of the mean latency, `resources` one for each
        resource, and `messages` one for each message if the messages were kept. The values of `metrics` are in the
        unit of their row; other tables have base units.
        """
        metrics = list(self.metrics.items())
        stages = self.ledger.get("stages", [])
        tables = {
            "metrics": Table.of_columns(
                [
                    ("metric", "", [name for name, _ in metrics]),
                    ("value", "", [metric.value for _, metric in metrics]),
                    ("unit", "", [metric.unit for _, metric in metrics]),
                ]
            ),
            "stages": Table.of_columns(
                [
                    ("stage", "", [one["stage"] for one in stages]),
                    ("waiting", "s", [one["waiting_us"] / 1e6 for one in stages]),
                    ("service", "s", [one["service_us"] / 1e6 for one in stages]),
                    ("share", "", [one["share"] for one in stages]),
                ]
            ),
            "resources": Table.of_columns(
                [
                    ("resource", "", [one["resource"] for one in self.resources]),
                    ("busy", "s", [one["busy_us"] / 1e6 for one in self.resources]),
                    ("active", "s", [one["active_us"] / 1e6 for one in self.resources]),
                    ("share", "", [one["share"] for one in self.resources]),
                ]
            ),
        }
        if self._messages is not None:
            tables["messages"] = self.messages
        return tables

    def _table(self, name: str) -> Table:
        tables = self.tables
        if name not in tables:
            known = ", ".join(f"`{one}`" for one in tables)
            hint = "; run(messages=True) keeps the messages" if name == "messages" else ""
            raise KeyError(f"the result has no table `{name}`: it has {known}{hint}")
        return tables[name]

    def to_pandas(self, table: str = "metrics") -> pandas.DataFrame:
        """Returns one of the `tables` as a data frame of pandas.

        Raises:
            KeyError: There is no such table.
            ImportError: pandas is not installed.
        """
        return self._table(table).to_pandas()

    def to_polars(self, table: str = "metrics") -> polars.DataFrame:
        """Returns one of the `tables` as a data frame of polars.

        Raises:
            KeyError: There is no such table.
            ImportError: polars is not installed.
        """
        return self._table(table).to_polars()

    def to_arrow(self, table: str = "metrics") -> Any:
        """Returns one of the `tables` as a `pyarrow.Table`.

        Raises:
            KeyError: There is no such table.
            ImportError: pyarrow is not installed.
        """
        return self._table(table).to_arrow()

    @property
    def messages(self) -> Table:
        """A row for each delivered message, in seconds and bytes, with its stages.

        Raises:
            ValueError: The messages were not kept: `run(messages=True)` keeps them.
        """
        if self._messages is None:
            raise ValueError("messages were not kept: run(messages=True) keeps them")
        return Table(self._messages)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the result as JSON, which `narrows run`, `narrows compare` and `Machine(path)` read.

        Args:
            path: A file that ends in `.json`.

        Raises:
            ValueError: The path ends otherwise.
            OSError: The file cannot be written.
        """
        path = Path(path)
        if path.suffix != ".json":
            raise ValueError(f"`{path}`: results are saved as `.json`")
        path.write_text(self._text, encoding="utf-8")

    def __repr__(self) -> str:
        metrics = ", ".join(f"{name}={number(one.value)} {one.unit}".rstrip() for name, one in self.metrics.items())
        return f"Result({self.verdict}: {metrics})"

    def _repr_html_(self) -> str:
        metrics = [[name, number(one.value), one.unit] for name, one in self.metrics.items()]
        stages = [
            [one["stage"], number(one["waiting_us"]), number(one["service_us"]), f"{one['share']:.1%}"]
            for one in self.ledger["stages"]
        ]
        parts = [
            f"<p>{html.escape(self.verdict)} after {number(self.simulated_us)} µs simulated; seed {self.seed}, "
            f"version {html.escape(self.version)}, hash {self.hash[:12]}</p>",
            rows_html(["metric", "value", "unit"], metrics),
        ]
        if self.warm_up and "finding" in self.warm_up:
            parts.append(f"<p>{html.escape(self.warm_up['finding'])}</p>")
        if stages:
            parts.append(rows_html(["stage", "waiting [µs]", "service [µs]", "share"], stages))
        return "".join(parts)


class UnfinishedRun(RuntimeError):
    """A run ended in a deadlock or livelock, at a limit, or with messages lost: it measured nothing.

    Attributes:
        result: The result, with the counts so far and the chain of waits.
    """

    def __init__(self, result: Result) -> None:
        super().__init__(result.verdict)
        self.result = result

    def __reduce__(self) -> tuple[type[UnfinishedRun], tuple[Result]]:
        return type(self), (self.result,)
