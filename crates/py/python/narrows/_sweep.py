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
    asked = (machine._description, list(machine._sets), dimensions(vary), _list(metrics))
    where = None if out is None else fspath(out)
    if executor is None:
        table = Table(*_narrows.here(*asked, where, jobs, progress))
    else:
        table = _Elsewhere(machine, _narrows.plan(*asked, where), asked[3], progress).run(executor)
    if where is not None:
        table.write(where)
    return table


def _list(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


class _Elsewhere:
    """A sweep whose points are run by others."""

    def __init__(
        self, machine: Machine, plan: _narrows.Planned, metrics: list[str], progress: Callable[[int], object] | None
    ) -> None:
        self.machine, self.plan, self.metrics, self.progress = machine, plan, metrics, progress
        # A point for each of the inputs: points that are alike are run once.
        self.points = {inputs: point for point, inputs in reversed(list(enumerate(plan.inputs)))}
        before = [inputs for inputs in self.points if plan.kept(inputs)]
        self.kept = len(before)
        self.done = self.kept
        self.waiting = [inputs for inputs in reversed(self.points) if inputs not in set(before)]
        self.tries: dict[str, int] = {}

    def run(self, given: Executor | Callable[[], Executor]) -> Table:
        makes = given if isinstance(given, type) or not hasattr(given, "submit") else None
        while self.waiting:
            executor = given if makes is None else makes()
            try:
                broken = self._round(executor)
            finally:
                if makes is not None:
                    _shut_down(executor)
            if self.waiting and (makes is None or self._is_given_up()):
                raise WorkerError(self._told(broken), self._table(), self._missing()) from broken
        return self._table()

    def _round(self, executor: Executor) -> BaseException | None:
        """Hands out what is waiting until all of it is done, or the executor takes no more; and why."""
        ready: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        running: dict[Future[Any], str] = {}
        broken: BaseException | None = None
        why: BaseException | None = None
        lost: list[str] = []
        try:
            while running or (self.waiting and broken is None):
                while self.waiting and broken is None and len(running) < AHEAD:
                    inputs = self.waiting.pop()
                    try:
                        future = self._submit(executor, inputs)
                    except RuntimeError as error:  # What it says who takes no more, BrokenExecutor among them.
                        broken = error
                        self.waiting.append(inputs)
                        break
                    running[future] = inputs
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

    def _submit(self, executor: Executor, inputs: str) -> Future[Any]:
        settings = self.plan.settings(self.points[inputs])
        return executor.submit(_narrows.run_point, self.machine._description, list(self.machine._sets), settings)

    def _take(self, future: Future[Any], inputs: str, lost: list[str]) -> BaseException | None:
        """Takes a point, or counts it as lost; what is wrong with the point itself is raised."""
        try:
            record = future.result()
        except _narrows.DescriptionError:
            raise
        except (Exception, CancelledError) as error:
            self.tries[inputs] = self.tries.get(inputs, 0) + 1
            lost.append(inputs)
            return error
        self.plan.take(inputs, record)
        self.done += 1
        if self.progress is not None:
            self.progress(self.done)
        return None

    def _is_given_up(self) -> bool:
        return any(tries >= TRIES for tries in self.tries.values())

    def _table(self) -> Table:
        return Table(self.plan.table(self.metrics), self.done - self.kept, self.kept)

    def _missing(self) -> list[list[str]]:
        return [self.plan.settings(self.points[inputs]) for inputs in self.waiting]

    def _told(self, broken: BaseException | None) -> str:
        return (
            f"{len(self.waiting)} of {len(self.points)} points could not be run: {broken!r}. The others are in this "
            "exception's `table`, and with `out` on disk: the same call goes on from there. Give a function that "
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
