"""Machines: descriptions that are checked, run, analysed and fitted."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from . import _explorer
from ._figure import number, rows_html
from ._narrows import Description
from ._result import Result, UnfinishedRun
from ._settings import dimensions, setting


class Whatif(dict[str, Any]):
    """The bottleneck, by experiment, as plain data, as `narrows whatif --format json` prints it.

    `bottleneck`, each of `resources` and each of `pairs` have `resources`, the `changes`, the `ratio` (how many times
    better the metric is) and the `elasticity`. Each of `gains` is of a single parameter: its `key`, its value `before`
    and with the change, and the `ratio`. `dead` lists parameters without effect, `refused` those that could not be
    tried or compared, and `saturates` states up to which value the bottleneck gains and what is the bottleneck `then`.
    """

    def _repr_html_(self) -> str:
        gains = [one for one in self["gains"] if one["ratio"] >= 1.01]
        rows = [[one["key"], one["before"], one["value"], f"{one['ratio']:.3f}"] for one in gains]
        bottleneck = self["bottleneck"]
        names = " with ".join(bottleneck["resources"]) if bottleneck else "none"
        head = f"<p>{self['metric']} is {number(self['value'])} {self['unit']}; bottleneck: {names}</p>"
        return head + rows_html(["what would gain", "from", "to", "times better"], rows)


class Fit:
    """Constants that were fitted.

    Attributes:
        constants: Each with `key`, `before`, `after`, `prior`, `std_dev` (one standard deviation of its
            logarithm before and after) and whether it is `determined` by the measurements.
        residuals: Each number fitted on: `expected`, `before`, `after`, `unit`, and the relative `error`. `missing`
            is the reason why there is no number, such as `deadlock`.
        converged: Whether the solver converged.
        reached: Whether the error of every number is at most its `tolerance`. A fit for which this is false failed.
        failed: The parts of the curves that are not reached, each from its `first` number to its `last`, with the
            smallest and the largest of its `errors`.
        correlation: The correlation of each two constants, in the order of `constants`.
        undetermined: Combinations of constants that the numbers do not determine: with these `changes`, no number
            changes by more than `effect`.
        incomplete: The numbers whose runs did not complete with some values of the constants, each with the `reason`.
        machine: The machine with the fitted values.
    """

    def __init__(self, data: dict[str, Any], machine: Machine) -> None:
        self.constants: list[dict[str, Any]] = data["constants"]
        self.residuals: list[dict[str, Any]] = data["residuals"]
        self.converged: bool = data["converged"]
        self.reached: bool = data["reached"]
        self.failed: list[dict[str, Any]] = data["failed"]
        self.correlation: list[list[float]] = data["correlation"]
        self.undetermined: list[dict[str, Any]] = data["undetermined"]
        self.incomplete: list[dict[str, Any]] = data["incomplete"]
        self.machine = machine
        for constant in self.constants:
            if "*" not in constant["key"]:
                self.machine = self.machine.set(constant["key"], constant["after"])

    def __repr__(self) -> str:
        constants = ", ".join(f"{one['key']}: {one['before']} → {one['after']}" for one in self.constants)
        return f"Fit({constants})" if self.reached else f"Fit({constants}; failed)"

    def _repr_html_(self) -> str:
        rows = [
            [one["key"], one["before"], one["after"], f"±{one['prior']:.1%}", f"±{one['std_dev']:.1%}"]
            for one in self.constants
        ]
        table = rows_html(["constant", "before", "after", "prior", "std dev"], rows)
        parts = "".join(f"<li>{part['first']} to {part['last']}</li>" for part in self.failed)
        return table + (f"<p>The fit failed; not reached are:</p><ul>{parts}</ul>" if parts else "")


class Machine:
    """Hosts, interface, protocol, fabric and a workload. A machine is immutable: `set` returns another.

    Args:
        source: The name of a shipped example, a TOML file, or a result as JSON.
        parts: Shipped parts to start from, such as `["hosts/p6-natoma", "ni/trapeze"]`; instead of a source.
        text: A description as TOML; instead of a source.
        folder: The folder that paths in the text are relative to; by default the working directory.

    Raises:
        DescriptionError: There is no such file or example. Its contents are read when they are first needed.
        ValueError: None, or more than one, of source, parts and text is given.
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | None = None,
        *,
        parts: Sequence[str] | None = None,
        text: str | None = None,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        if sum(one is not None for one in (source, parts, text)) != 1:
            raise ValueError("give one of: a source (an example or a file), parts, or text")
        self._sets: tuple[str, ...] = ()
        if source is not None:
            self._description = Description.find(os.fspath(source))
            return
        if text is None:
            text = "parts = " + json.dumps(list(parts or ()), ensure_ascii=False) + "\n"
        self._description = Description.of_text("machine", text, os.fspath(folder or Path.cwd()))

    def set(self, key: str, value: Any) -> Machine:
        """Returns another machine that differs in one value; later settings override earlier ones.

        Args:
            key: As `narrows show` prints it, or `ni`, `host`, `protocol` or `fabric` for a shipped part by name.
            value: A number without unit, true or false, a list, or text: a quantity with its unit (`"64 B"`,
                `"33 MHz"`), a word, or any other TOML value.

        Raises:
            TypeError: The value has a type that no description holds. `check` reports whether the value is valid.
        """
        machine = Machine.__new__(Machine)
        machine._description = self._description
        machine._sets = (*self._sets, setting(key, value))
        return machine

    @property
    def settings(self) -> tuple[str, ...]:
        """The settings, each as after `--set`."""
        return self._sets

    @property
    def text(self) -> str:
        """The description, without the settings."""
        return self._description.text

    def check(self) -> str | None:
        """Checks the description without running it.

        Returns:
            A note on the machine, or None.

        Raises:
            DescriptionError: All errors of the description, with positions and hints.
        """
        return self._description.check(list(self._sets))

    def show(self) -> dict[str, Any]:
        """Every value, defaults and parts included, as plain data.

        Raises:
            DescriptionError: The description is not valid.
        """
        shown: dict[str, Any] = json.loads(self._description.show(list(self._sets)))
        return shown

    def run(self, *, seed: int | None = None, messages: bool = False, allow_unfinished: bool = False) -> Result:
        """Runs the machine once.

        Args:
            seed: The seed of every random stream; by default the description's.
            messages: Keep every message, for `Result.messages`.
            allow_unfinished: Return the result of a run that did not complete, too: `outcome` and `reason` say how it
                ended.

        Returns:
            The result.

        Raises:
            DescriptionError: The description is not valid.
            UnfinishedRun: The run ended in a deadlock or livelock, at a limit, or with messages lost. The result is in
                the exception.
        """
        machine = self if seed is None else self.set("run.seed", seed)
        result = Result(self._description.run(list(machine._sets), messages))
        if not result.is_complete and not allow_unfinished:
            raise UnfinishedRun(result)
        return result

    def whatif(self, metric: str | None = None, *, by: float = 2.0, jobs: int | None = None) -> Whatif:
        """Finds the bottleneck by experiment: speeds up resources, pairs of them and single parameters.

        Args:
            metric: By default the objective of the workload; for a saturated run its accepted load.
            by: The factor by which resources and parameters are made faster and slower, more than 1.
            jobs: Number of parallel runs; by default the number of processors.

        Raises:
            DescriptionError: The description is not valid, there is no such metric, or the run cannot be compared: it
                was cut off, ended in a deadlock, or is saturated and the metric is a latency.
        """
        return Whatif(json.loads(self._description.whatif(list(self._sets), metric, by, jobs)))

    def uncertainty(self, *, jobs: int | None = None) -> dict[str, dict[str, Any]]:
        """Returns the uncertainty of each metric, which follows from the sources of the constants.

        Args:
            jobs: Number of parallel runs; by default the number of processors.

        Returns:
            By metric: `value`, `unit`, `std_dev` (one standard deviation, as a fraction of the value) and
            `elasticities`, the constants that cause it, the largest contribution first; and `untried`, the constants
            whose contribution is missing, since the changed machine cannot be compared, each with the reason.

        Raises:
            DescriptionError: The description is not valid, or its run does not complete.
        """
        record = json.loads(self._description.uncertainty(list(self._sets), jobs))
        untried = record.get("uncertainty_untried", {})
        return {
            name: {**record["metrics"][name], **metric_uncertainty, "untried": untried}
            for name, metric_uncertainty in record["uncertainty"].items()
        }

    def fit(
        self,
        measured: Any,
        *,
        constants: Sequence[str] = (),
        prior: float | None = None,
        noise: float = 0.03,
        tolerance: float | None = None,
        state: str | os.PathLike[str] | None = None,
        jobs: int | None = None,
    ) -> Fit:
        """Fits constants on measured curves: a latency one way as of a ping-pong, or a bandwidth as of a stream.

        Args:
            measured: A file (CSV with units, or the output of perftest's or OSU's benchmarks), a mapping or table of
                columns such as `{"size [B]": [64, 128], "latency [us]": [5.1, 5.3]}`, or a list of these.
            constants: Their keys, `*` for the name of any part; by default all whose comments say that they are
                derived, calibrated or chosen.
            prior: Standard deviation of each constant about its value, as a fraction; by default 0.25, or the one
                in its comment.
            noise: Standard deviation of the measured numbers, as a fraction.
            tolerance: The largest error of a number in a successful fit, as a fraction; by default three times `noise`.
            state: A file that keeps the result of each run, from which an interrupted fit resumes.
            jobs: Number of parallel runs; by default the number of processors.

        Raises:
            DescriptionError: The description, a curve or a constant is not valid.
            OSError: A file cannot be read.
        """
        curve_sources = cast("Sequence[Any]", measured if isinstance(measured, (list, tuple)) else [measured])
        curves = [_curve(one) for one in curve_sources]
        keys = [constants] if isinstance(constants, str) else list(constants)
        data = self._description.fit(list(self._sets), curves, keys, prior, noise, tolerance, state, jobs)
        return Fit(json.loads(data), self)

    def explore(
        self,
        *,
        vary: tuple[str, str | Sequence[Any]] | None = None,
        metric: str | None = None,
        height: int = 900,
    ) -> None:
        """Opens the explorer, a page in which the machine is changed with sliders and lists, and run after each change.

        In a notebook the page is shown below the cell; elsewhere its address is printed. A server on the loopback
        address of this computer answers its questions. It reads files below the working directory, and ends with
        Python.

        Args:
            vary: The key of the curve and its values, a list or a range as text, such as
                `("workload.ping-pong.payload", "8 B..4 KiB*2")`.
            metric: The metric of the curve; by default the first.
            height: The height in a notebook, in pixels.

        Raises:
            DescriptionError: The description is not valid.
            OSError: The server does not start.
        """
        self.check()
        curve = None if vary is None else dimensions(dict([vary]))[0]
        _explorer.show(_explorer.link(self._description, self._sets, metric, curve), height)

    def __repr__(self) -> str:
        return f"Machine({', '.join([self._description.name, *self._sets])})"


def _curve(measured: Any) -> tuple[str, str]:
    """Returns the name and the text of a curve."""
    if isinstance(measured, (str, os.PathLike)):
        path = Path(cast("str | os.PathLike[str]", measured))
        return str(path), path.read_text(encoding="utf-8")
    if isinstance(measured, Mapping):
        columns = cast("Mapping[str, Any]", measured)
    else:
        columns = {name: measured[name] for name in measured.columns}
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values()))]
    return "measured", "\n".join(lines) + "\n"
