"""Distributions of latencies: percentiles, merging over seeds, and charts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _narrows
from ._figure import Figure, axes, number, rows_html
from ._table import Table


class Distribution:
    """The distribution of a quantity over the samples of a run, or of several.

    It is a histogram whose buckets are at most 1/128 of their values wide, so that a percentile is at most 0.8 % above
    the exact one; the least and the greatest sample are exact.

    Attributes:
        name: The name of the quantity, which is that of the metric of its mean.
        unit: The unit of all values: `us` or `cycles`.
        samples: The number of samples.
        min: The least sample.
        max: The greatest sample.
    """

    def __init__(self, native: _narrows.Distribution) -> None:
        self._native = native
        self.name: str = native.name
        self.unit: str = native.unit
        self.samples: int = native.samples
        self.min: float | None = native.min
        self.max: float | None = native.max

    @classmethod
    def read(cls, name: str, record: Mapping[str, Any]) -> Distribution:
        """Reads a distribution from plain data.

        Args:
            name: The name of the quantity.
            record: The value of `record`, or of an entry of `distributions` in the JSON of a result.

        Raises:
            ValueError: The data are not those of a distribution.
        """
        return cls(_narrows.Distribution.of_json(name, json.dumps(record)))

    @classmethod
    def merge(cls, distributions: Iterable[Distribution]) -> Distribution:
        """Returns the distribution of the samples of all, such as those of runs with different seeds.

        Args:
            distributions: At least one, all of one quantity.

        Raises:
            ValueError: There is no distribution, or they are of different quantities.
        """
        return cls(_narrows.Distribution.merged([distribution._native for distribution in distributions]))

    def percentile(self, percent: float) -> float | None:
        """Returns the smallest sample such that at least `percent` per cent of the samples are not above it.

        Args:
            percent: A number from 0 to 100, which is taken to three decimals.

        Returns:
            The percentile, or None if fewer than 10 samples are expected beyond it: p99.9 needs 10 000.

        Raises:
            ValueError: The number is not from 0 to 100.
        """
        return self._native.percentile(percent)

    @property
    def buckets(self) -> Table:
        """The buckets that have samples: `from` and `up_to` in seconds or cycles, and the `count` of samples."""
        return Table(self._native.buckets)

    @property
    def record(self) -> dict[str, Any]:
        """The distribution as plain data, as the JSON of a result has it."""
        record: dict[str, Any] = json.loads(self._native.json)
        return record

    def plot(self, log: str | Sequence[str] = (), title: str | None = None) -> Figure:
        """Draws the fraction of samples up to each value.

        Args:
            log: `x` for a logarithmic axis of values; `y` for the share above each value, logarithmically: the tail.
            title: The heading.
        """
        return cdf({"": self}, log, title)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Distribution) and self._native == other._native

    def __reduce__(self) -> tuple[Any, ...]:
        return Distribution.read, (self.name, self.record)

    def __repr__(self) -> str:
        percentile_texts = [f"p{percent:g}={number(value)}" for percent, value in self._native.percentiles if value is not None]
        values = ", ".join([f"min={number(self.min)}", *percentile_texts, f"max={number(self.max)}"])
        return f"Distribution({self.name}: {self.samples} samples, {values} {self.unit})"

    def _repr_html_(self) -> str:
        percentiles = [(f"p{percent:g}", value) for percent, value in self._native.percentiles]
        rows = [("samples", str(self.samples)), ("min", number(self.min))]
        rows += [(name, number(value)) for name, value in percentiles] + [("max", number(self.max))]
        return rows_html([self.name, self.unit], [list(row) for row in rows])


def cdf(
    distributions: Mapping[str, Distribution], log: str | Sequence[str] = (), title: str | None = None
) -> Figure:
    """Draws cumulative distributions, a line for each.

    Args:
        distributions: Each distribution, by the name of its line.
        log: `x` for a logarithmic axis of values; `y` for the share above each value, logarithmically: the tail.
        title: The heading; by default the quantity and the number of samples.

    Raises:
        DescriptionError: There is no distribution, or they have different units.
    """
    named = [(name, distribution._native) for name, distribution in distributions.items()]
    quantity = next((distribution.name for distribution in distributions.values()), "")
    return Figure(title or f"Distribution of {quantity}", _narrows.cdf(named, axes(log), title))
