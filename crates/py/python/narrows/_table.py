"""Tidy data."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import _narrows
from ._figure import Figure, axes, number, rows_html

if TYPE_CHECKING:
    import pandas
    import polars


def _list(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _library(name: str, function: str) -> Any:
    """Imports a library that only one function needs."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"`{function}` needs {name}, which is not installed: pip install {name}", name=name) from error


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return number(value) if isinstance(value, float) else str(value)


class Table:
    """Rows of observations, columns of variables: numbers in base units, the unit at the end of the name.

    `to_pandas`, `to_polars` and `to_arrow` convert the table. Any library that supports the Arrow PyCapsule interface
    reads it without copying: `pyarrow.table(table)`, `polars.DataFrame(table)`. In Arrow's schema, the metadata of a
    column also contains its unit, under `unit`. `pandas.DataFrame(table)` reads the table row by row, as does any
    reader of an iterable of dictionaries.

    Attributes:
        run: Number of points that were run.
        kept: Number of points whose stored results were used.
    """

    def __init__(self, native: _narrows.Table, run: int = 0, kept: int = 0) -> None:
        self._native = native
        self.run = run
        self.kept = kept

    @classmethod
    def of_columns(cls, columns: Sequence[tuple[str, str, Sequence[Any]]]) -> Table:
        """Makes a table.

        Args:
            columns: The name, the unit (empty if there is none) and the values of each column. The values are numbers
                or texts, or None. The name in the table ends with the unit.

        Raises:
            TypeError: A column mixes numbers and texts.
            ValueError: The columns have different lengths.
        """
        return cls(_narrows.Table.of_columns([(name, unit, list(values)) for name, unit, values in columns]))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Table:
        """Reads the output of `narrows sweep --out`, of `narrows run --messages` or of `write`.

        Args:
            path: A file that ends in `.csv`, `.jsonl` or `.parquet`, or the `.json` of a sweep.

        Raises:
            DescriptionError: The file contains no table.
            OSError: The file cannot be read.
        """
        return cls(_narrows.Table.read(path))

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return self._native.columns

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column; empty where it has none."""
        return dict(self._native.units)

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, column: str) -> list[Any]:
        return self._native.column(column)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Iterates over the rows, each as a dictionary by column."""
        names = self.columns
        for values in zip(*(self[name] for name in names)):
            yield dict(zip(names, values))

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a data frame of pandas. The units of the columns are in its `attrs["units"]`.

        Raises:
            ImportError: pandas is not installed.
        """
        frame: pandas.DataFrame = _library("pandas", "to_pandas").DataFrame({name: self[name] for name in self.columns})
        frame.attrs["units"] = self.units
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Returns a data frame of polars, which shares the memory of this table.

        Raises:
            ImportError: polars is not installed.
        """
        frame: polars.DataFrame = _library("polars", "to_polars").DataFrame(self)
        return frame

    def to_arrow(self) -> Any:
        """Returns a `pyarrow.Table`, which shares the memory of this table. Each field has its unit in its metadata.

        Raises:
            ImportError: pyarrow is not installed.
        """
        return _library("pyarrow", "to_arrow").table(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the table as the command line does.

        Args:
            path: A file that ends in `.csv`, `.jsonl` or `.parquet`.

        Raises:
            DescriptionError: The path ends otherwise.
            OSError: The file cannot be written.
        """
        self._native.write(path)

    def plot(
        self,
        x: str,
        y: str | Sequence[str],
        by: str | Sequence[str] = (),
        log: str | Sequence[str] = (),
        title: str | None = None,
    ) -> Figure:
        """Draws columns: lines over numbers, bars over words.

        Args:
            x: Column of the x axis, by its name, by its key or metric, or by the end of its key or metric.
            y: Column of the y axis, or several of one unit.
            by: Columns that have a line for each value.
            log: `x`, `y` or both: logarithmic axes.
            title: The heading.

        Raises:
            DescriptionError: There is no such column, or several rows have one point.
        """
        svg, _ = self._native.plot(x, _list(y), _list(by), axes(log), title)
        return Figure(title or f"{', '.join(_list(y))} over {x}", svg)

    def cdf(
        self,
        column: str,
        by: str | Sequence[str] = (),
        log: str | Sequence[str] = (),
        title: str | None = None,
    ) -> Figure:
        """Draws the fraction of rows up to each value of a column.

        Args:
            column: A column of numbers, as of `plot`.
            by: Columns that have a line for each value.
            log: `x` for a logarithmic axis of values; `y` for the share above each value, logarithmically: the tail.
            title: The heading.

        Raises:
            DescriptionError: There is no such column, or it holds text.
        """
        return Figure(title or f"Distribution of {column}", self._native.cdf(column, _list(by), axes(log), title))

    def latency_load(
        self, by: str | Sequence[str] = (), log: str | Sequence[str] = (), title: str | None = None
    ) -> Figure:
        """Draws the median and the 99th percentile of the latency over the offered load, of a sweep of open loops.

        Saturated points are left out, and the load that they accepted is marked. The axis of latencies is logarithmic.

        Args:
            by: Columns that have a line for each value; by default all varied ones but the last.
            log: `x` for a logarithmic axis of loads.
            title: The heading.

        Raises:
            DescriptionError: The sweep is not of open loops, or all of its points are saturated.
        """
        svg = self._native.latency_load(_list(by), axes(log)[0], title)
        return Figure(title or "Latency over offered load", svg)

    def __repr__(self) -> str:
        return f"Table({len(self)} rows, {len(self.columns)} columns: {', '.join(self.columns)})"

    def _repr_html_(self) -> str:
        shown_columns = self.columns[:16]
        cell_columns = [[_cell(value) for value in self[name][:20]] for name in shown_columns]
        size_line = f"<p>{len(self)} rows, {len(self.columns)} columns</p>"
        return rows_html(shown_columns, [list(row) for row in zip(*cell_columns)]) + size_line
