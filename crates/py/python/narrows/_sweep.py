"""Sweeps: in threads of this process, or on any executor.

An executor is any object with `submit(function, *arguments)` that returns a future like those of `concurrent.futures`.
A point is one task. A worker's result is accepted, and stored if `out` is given, as soon as it arrives. When a worker
dies, only the point that it was running is lost, and that point is submitted again.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from os import PathLike, fspath
from typing import Any, Protocol, cast

from . import _narrows
from ._machine import Machine
from ._settings import Varied, dimensions
from ._table import Table

#: Largest number of times that a point is submitted.
SUBMISSIONS_MAX = 3
#: Largest number of tasks that are submitted at once: enough for any cluster's workers, few enough for its memory.
PENDING_TASKS_MAX = 4096


class Executor(Protocol):
    """An object to which tasks are submitted."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]: ...


class WorkerError(RuntimeError):
    """Points could not be run, since their workers died or their executor accepts no more.

    Attributes:
        table: The finished points.
        missing: The settings of the points that were not run.
    """

    def __init__(self, message: str, table: Table, missing: list[list[str]]) -> None:
        super().__init__(message)
        self.table = table
        self.missing = missing


def sweep(
    machine: Machine,
    vary: Varied,
    *,
    metrics: str | Sequence[str] = (),
    seeds: int | None = None,
    stop_at_saturation: bool = False,
    out: str | PathLike[str] | None = None,
    jobs: int | None = None,
    executor: Executor | Callable[[], Executor] | None = None,
    progress: Callable[[int], object] | None = None,
) -> Table:
    """Runs a machine with every combination of varied values; all points are checked before the first is run.

    Args:
        machine: The machine.
        vary: By key a list of values, each of which may be a range (`"64 B..8 KiB*2"`), or such values as one text, as
            after `--vary`: `"16 B,64 B..8 KiB*2"`; by a tuple of keys a list of rows, whose values go together. Or
            whole options as on the command line: `["ni=udma,ni2w", "workload.stream.payload=64 B,1 KiB"]`. `ni`,
            `host`, `protocol` and `fabric` vary over shipped parts by name. The last varies fastest.
        metrics: Metrics of the table; by default all.
        seeds: Number of seeds with which each point is run, from `run.seed` on. The row has the mean of each metric,
            and under `…_ci95…` half the width of its 95 % interval.
        stop_at_saturation: Stop along the last key at the first value that is saturated with every seed. On an
            executor each line is then run one value at a time.
        out: File of the table (`.csv`, `.jsonl` or `.parquet`). Each finished point is stored in the folder
            `out.points`, as by `narrows sweep --out`, and not run again.
        jobs: Number of parallel runs in this process; by default the number of processors.
        executor: Runs the points instead: an object with `submit`, or a function that creates one. An executor of such
            a function whose workers died is replaced by a new one.
        progress: Called with the number of finished points.

    Returns:
        A row for each point, in order.

    Raises:
        DescriptionError: A point, a key or a metric is not valid. The text has all errors and their points.
        WorkerError: Points could not be run on the executor. The exception has the table of the finished points.
        OSError: `out` cannot be written.
    """
    request = _request(machine, vary, metrics, seeds, stop_at_saturation, out)
    if executor is None:
        table = Table(*_narrows.run_in_threads(machine._description, request, jobs, progress))
    else:
        table = _ExecutorSweep(machine, _narrows.plan(machine._description, request), progress).run(executor)
    if request["out"] is not None:
        table.write(request["out"])
    return table


def find(
    machine: Machine,
    what: str,
    over: tuple[str, str],
    *,
    vary: Varied | None = None,
    against: Machine | None = None,
    out: str | PathLike[str] | None = None,
    jobs: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Table:
    """Finds the value of a key at which a metric passes a bound, or the metric of another machine, by bisection.

    Bisection assumes that the metric passes once.

    Args:
        machine: The machine.
        what: `"message.bandwidth >= 60 MB/s"`, the value in any unit of its kind; with `against` the metric alone.
        over: The key and its ends, such as `("workload.stream.payload", "64 B..8 KiB")`; with a step, as
            `"64 B..8 KiB*2"`, only those values are tried.
        vary: As for `sweep`: there is a search for each point.
        against: The machine whose metric is compared.
        out: File of the table. Finished runs are stored next to it, and not run again.
        jobs: Number of parallel runs; by default the number of processors.
        progress: Called with the number of finished runs.

    Returns:
        A row for each point: `holds` states where the condition holds (`"from"`, `"up to"`, `"everywhere"`,
        `"nowhere"`; with `against` `"less from"` and so on). The key's column has the last value at which the condition
        holds, and the columns `other_end_…` have the next value.

    Raises:
        DescriptionError: A point, the key, the metric or its value is not valid.
        OSError: `out` cannot be written.
    """
    request = _request(machine, vary or {}, (), None, False, out)
    other = None if against is None else (against._description, list(against._sets))
    search_arguments = (what, "=".join(over), other)
    table = Table(*_narrows.find(machine._description, request, *search_arguments, jobs, progress), 0)
    if request["out"] is not None:
        table.write(request["out"])
    return table


def _request(
    machine: Machine,
    vary: Varied,
    metrics: str | Sequence[str],
    seeds: int | None,
    stop_at_saturation: bool,
    out: str | PathLike[str] | None,
) -> dict[str, Any]:
    """Returns the arguments of a sweep for the compiled module."""
    return {
        "sets": list(machine._sets),
        "vary": dimensions(vary),
        "metrics": _list(metrics),
        "seeds": seeds,
        "stop_at_saturation": stop_at_saturation,
        "out": None if out is None else fspath(out),
    }


def _list(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


class _ExecutorSweep:
    """A sweep whose points are run by an executor."""

    def __init__(
        self, machine: Machine, plan: _narrows.PlannedSweep, progress: Callable[[int], object] | None
    ) -> None:
        self.machine, self.plan, self.progress = machine, plan, progress
        self.stored_count = self.done_count = 0
        self.waiting: list[int] = []
        self.failure_counts: dict[int, int] = {}

    def run(self, executor_or_factory: Executor | Callable[[], Executor]) -> Table:
        create_executor: Callable[[], Executor] | None = None
        executor: Executor | None = None
        if isinstance(executor_or_factory, type) or not hasattr(executor_or_factory, "submit"):
            create_executor = cast("Callable[[], Executor]", executor_or_factory)
        else:
            executor = cast(Executor, executor_or_factory)
        try:
            while self.waiting or self._collect_waiting():
                if executor is None:
                    assert create_executor is not None, "only an executor that the sweep created is replaced"
                    executor = create_executor()
                executor_error = self._run_waiting(executor)
                if self.waiting:
                    if create_executor is None or self._has_too_many_failures():
                        message = self._error_message(executor_error)
                        raise WorkerError(message, self._table(), self._missing_settings()) from executor_error
                    _shut_down(executor)
                    executor = None
        finally:
            if create_executor is not None and executor is not None:
                _shut_down(executor)
        return self._table()

    def _collect_waiting(self) -> bool:
        """Loads stored points, lists the others in `waiting`, and returns whether there are any."""
        while new_points := self.plan.next_points():
            self.waiting = [point for point in reversed(new_points) if not self.plan.load_stored(point)]
            self.stored_count += len(new_points) - len(self.waiting)
            self.done_count += len(new_points) - len(self.waiting)
            if self.waiting:
                return True
        return False

    def _run_waiting(self, executor: Executor) -> BaseException | None:
        """Submits the waiting points until all are done or the executor accepts no more; returns its error."""
        finished_futures: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        running: dict[Future[Any], int] = {}
        executor_error: BaseException | None = None
        last_error: BaseException | None = None
        lost_points: list[int] = []
        try:
            while running or (self.waiting and executor_error is None):
                while self.waiting and executor_error is None and len(running) < PENDING_TASKS_MAX:
                    point = self.waiting.pop()
                    try:
                        future = self._submit(executor, point)
                    except RuntimeError as error:  # Raised by an executor that accepts no more, as BrokenExecutor.
                        executor_error = error
                        self.waiting.append(point)
                        break
                    running[future] = point
                    future.add_done_callback(finished_futures.put)
                if running:
                    future = finished_futures.get()
                    task_error = self._accept(future, running.pop(future), lost_points)
                    last_error = task_error or last_error
                    executor_error = executor_error or (task_error if _is_broken(task_error) else None)
                if not running and lost_points and executor_error is None:
                    # The executor has replaced its workers: lost points are submitted once more.
                    if self._has_too_many_failures():
                        executor_error = last_error
                    else:
                        self.waiting, lost_points = lost_points[::-1], []
        finally:
            for future in running:
                future.cancel()
            self.waiting += lost_points[::-1] + list(running.values())[::-1]
        return executor_error

    def _submit(self, executor: Executor, point: int) -> Future[Any]:
        settings = self.plan.settings(point)
        return executor.submit(_narrows.run_point, self.machine._description, list(self.machine._sets), settings)

    def _accept(self, future: Future[Any], point: int, lost_points: list[int]) -> BaseException | None:
        """Accepts the result of a point, or adds the point to `lost_points`. Raises the error of an invalid point."""
        try:
            record = future.result()
        except _narrows.DescriptionError:
            raise
        except (Exception, CancelledError) as error:
            self.failure_counts[point] = self.failure_counts.get(point, 0) + 1
            lost_points.append(point)
            return error
        self.plan.accept_result(point, record)
        self.done_count += 1
        if self.progress is not None:
            self.progress(self.done_count)
        return None

    def _has_too_many_failures(self) -> bool:
        return any(count >= SUBMISSIONS_MAX for count in self.failure_counts.values())

    def _table(self) -> Table:
        return Table(self.plan.table(), self.done_count - self.stored_count, self.stored_count)

    def _missing_settings(self) -> list[list[str]]:
        return [self.plan.settings(point) for point in self.waiting]

    def _error_message(self, executor_error: BaseException | None) -> str:
        return (
            f"{len(self.waiting)} of {self.done_count + len(self.waiting)} points could not be run: {executor_error!r}. "
            "The others are in this exception's `table`, and with `out` on disk: the same call goes on from there. Give a function that "
            "makes an executor, and one that broke is replaced."
        )


def _is_broken(error: BaseException | None) -> bool:
    """Returns whether the executor itself is broken, and not one task's worker."""
    return isinstance(error, (BrokenExecutor, CancelledError))


def _shut_down(executor: Any) -> None:
    """Ends an executor that the sweep created."""
    shutdown = getattr(executor, "shutdown", None)
    if shutdown is not None:
        shutdown(wait=True)
