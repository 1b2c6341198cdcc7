"""Sweeps: in threads of this process, or on any executor.

An executor is any object with `submit(function, *arguments)` that gives a future as `concurrent.futures` has it. A
point is one task. What a worker gave is taken, and kept where there is an `out`, as soon as it comes: a worker that
dies takes with it only what it was running, and that is handed out again.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from os import PathLike, fspath
from typing import Any, Protocol

from . import _narrows
from ._machine import Machine
from ._settings import dimensions
from ._table import Table

#: How often a point is handed out before it is given up.
TRIES = 3
#: How many tasks are handed out at once: enough for any cluster's workers, few enough for its memory.
AHEAD = 4096


class Executor(Protocol):
    """What tasks are handed to."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]: ...


class WorkerError(RuntimeError):
    """Points could not be run, since their workers died or their executor takes no more.

    Attributes:
        table: The points that were finished.
        missing: The settings of those that were not.
    """

    def __init__(self, message: str, table: Table, missing: list[list[str]]) -> None:
        super().__init__(message)
        self.table = table
        self.missing = missing


def sweep(
    machine: Machine,
    vary: Mapping[Any, Any],
    *,
    metrics: Sequence[str] = (),
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
        vary: By key a list of values, or a range as text (`"64 B..8 KiB*2"`); by a tuple of keys a list of rows,
            whose values go together. `ni`, `host`, `protocol` and `fabric` vary over shipped parts by name. The
            last varies fastest.
        metrics: Only these; by default all.
        seeds: Runs each point with so many seeds, from `run.seed` on: the row has the mean of each metric, and under
            `…_ci95…` half the width of its 95 % interval.
        stop_at_saturation: Along the last of what varies, leave out what lies behind the first value that is
            saturated with every seed. On an executor each line then goes one value at a time.
        out: Where the table is written (`.csv`, `.jsonl` or `.parquet`). Each finished point is kept in the folder
            `out.points`, as `narrows sweep --out` does, and not run again.
        jobs: Runs at once in this process; by default as many as there are processors.
        executor: Where points are run instead: an object with `submit`, or a function that makes one. Of the
            latter, one whose workers died is replaced by a new one.
        progress: Called with how many points are done.

    Returns:
        A row for each point, in order.

    Raises:
        DescriptionError: A point, a key or a metric is not sound: all that is wrong, and at which points.
        WorkerError: Points could not be run on the executor; it holds those that were.
        OSError: `out` cannot be written.
    """
    asked = _asked(machine, vary, metrics, seeds, stop_at_saturation, out)
    if executor is None:
        table = Table(*_narrows.here(machine._description, asked, jobs, progress))
    else:
        table = _Elsewhere(machine, _narrows.plan(machine._description, asked), progress).run(executor)
    if asked["out"] is not None:
        table.write(asked["out"])
    return table


def find(
    machine: Machine,
    what: str,
    over: tuple[str, str],
    *,
    vary: Mapping[Any, Any] | None = None,
    against: Machine | None = None,
    out: str | PathLike[str] | None = None,
    jobs: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Table:
    """Finds where a metric passes a value, or that of another machine, by bisection: it is taken to pass once.

    Args:
        machine: The machine.
        what: `"message.bandwidth >= 60 MB/s"`, the value in any unit of its kind; with `against` the metric alone.
        over: The key and its ends, such as `("workload.stream.payload", "64 B..8 KiB")`; with a step, as
            `"64 B..8 KiB*2"`, only those values are looked at.
        vary: As of `sweep`: there is a search for each point.
        against: The machine whose metric is compared.
        out: Where the table is written. Finished runs are kept beside it, and not run again.
        jobs: Runs at once; by default as many as there are processors.
        progress: Called with how many runs are done.

    Returns:
        A row for each point: `holds` says where (`"from"`, `"up to"`, `"everywhere"`, `"nowhere"`; with `against`
        `"less from"` and so on), the key's column the last value at which it does, and those of `beside_…` the next.

    Raises:
        DescriptionError: A point, the key, the metric or its value is not sound.
        OSError: `out` cannot be written.
    """
    asked = _asked(machine, vary or {}, (), None, False, out)
    other = None if against is None else (against._description, list(against._sets))
    question = (what, "=".join(over), other)
    table = Table(*_narrows.find(machine._description, asked, *question, jobs, progress), 0)
    if asked["out"] is not None:
        table.write(asked["out"])
    return table


def _asked(
    machine: Machine,
    vary: Mapping[Any, Any],
    metrics: str | Sequence[str],
    seeds: int | None,
    stop_at_saturation: bool,
    out: str | PathLike[str] | None,
) -> dict[str, Any]:
    """A sweep as what is compiled takes it."""
    return {
        "sets": list(machine._sets),
        "vary": dimensions(vary),
        "metrics": _list(metrics),
        "seeds": seeds,
        "stop_at_saturation": stop_at_saturation,
        "out": None if out is None else fspath(out),
    }


def _list(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


class _Elsewhere:
    """A sweep whose points are run by others."""

    def __init__(
        self, machine: Machine, plan: _narrows.Planned, progress: Callable[[int], object] | None
    ) -> None:
        self.machine, self.plan, self.progress = machine, plan, progress
        self.kept = self.done = 0
        self.waiting: list[int] = []
        self.tries: dict[int, int] = {}

    def run(self, given: Executor | Callable[[], Executor]) -> Table:
        makes = given if isinstance(given, type) or not hasattr(given, "submit") else None
        executor: Executor | None = None
        try:
            while self.waiting or self._goes_on():
                if executor is None:
                    executor = given if makes is None else makes()
                broken = self._round(executor)
                if self.waiting:
                    if makes is None or self._is_given_up():
                        raise WorkerError(self._told(broken), self._table(), self._missing()) from broken
                    _shut_down(executor)
                    executor = None
        finally:
            if makes is not None and executor is not None:
                _shut_down(executor)
        return self._table()

    def _goes_on(self) -> bool:
        """Whether there are points to be run, which then wait; those that were kept are taken."""
        while found := self.plan.open():
            self.waiting = [point for point in reversed(found) if not self.plan.kept(point)]
            self.kept += len(found) - len(self.waiting)
            self.done += len(found) - len(self.waiting)
            if self.waiting:
                return True
        return False

    def _round(self, executor: Executor) -> BaseException | None:
        """Hands out what is waiting until all of it is done, or the executor takes no more; and why."""
        ready: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        running: dict[Future[Any], int] = {}
        broken: BaseException | None = None
        why: BaseException | None = None
        lost: list[int] = []
        try:
            while running or (self.waiting and broken is None):
                while self.waiting and broken is None and len(running) < AHEAD:
                    point = self.waiting.pop()
                    try:
                        future = self._submit(executor, point)
                    except RuntimeError as error:  # What it says who takes no more, BrokenExecutor among them.
                        broken = error
                        self.waiting.append(point)
                        break
                    running[future] = point
                    future.add_done_callback(ready.put)
                if running:
                    future = ready.get()
                    failed = self._take(future, running.pop(future), lost)
                    why = failed or why
                    broken = broken or (failed if _is_broken(failed) else None)
                if not running and lost and broken is None:
                    # Its workers are well again, or others: what was lost is handed out once more.
                    if self._is_given_up():
                        broken = why
                    else:
                        self.waiting, lost = lost[::-1], []
        finally:
            for future in running:
                future.cancel()
            self.waiting += lost[::-1] + list(running.values())[::-1]
        return broken

    def _submit(self, executor: Executor, point: int) -> Future[Any]:
        settings = self.plan.settings(point)
        return executor.submit(_narrows.run_point, self.machine._description, list(self.machine._sets), settings)

    def _take(self, future: Future[Any], point: int, lost: list[int]) -> BaseException | None:
        """Takes a point, or counts it as lost; what is wrong with the point itself is raised."""
        try:
            record = future.result()
        except _narrows.DescriptionError:
            raise
        except (Exception, CancelledError) as error:
            self.tries[point] = self.tries.get(point, 0) + 1
            lost.append(point)
            return error
        self.plan.take(point, record)
        self.done += 1
        if self.progress is not None:
            self.progress(self.done)
        return None

    def _is_given_up(self) -> bool:
        return any(tries >= TRIES for tries in self.tries.values())

    def _table(self) -> Table:
        return Table(self.plan.table(), self.done - self.kept, self.kept)

    def _missing(self) -> list[list[str]]:
        return [self.plan.settings(point) for point in self.waiting]

    def _told(self, broken: BaseException | None) -> str:
        return (
            f"{len(self.waiting)} of {self.done + len(self.waiting)} points could not be run: {broken!r}. The others are in "
            "this exception's `table`, and with `out` on disk: the same call goes on from there. Give a function that "
            "makes an executor, and one that broke is replaced."
        )


def _is_broken(error: BaseException | None) -> bool:
    """Whether the executor itself is broken, and not one task's worker."""
    return isinstance(error, (BrokenExecutor, CancelledError))


def _shut_down(executor: Any) -> None:
    """Ends an executor that was made here."""
    shutdown = getattr(executor, "shutdown", None)
    if shutdown is not None:
        shutdown(wait=True)
