"""Reproduction of studies."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from . import _narrows
from ._figure import Figure, rows_html


class Study:
    """A study's claims with their measured values, and its figures.

    Attributes:
        title: The title.
        claims: Each with `id`, `source`, `statement`, `expected`, `measured`, `unit`, `tolerance`, `role` and whether
            it `holds`: None if it was not evaluated. `fails` is the cause and the reason of an expected failure.
        figures: Its pictures by name.
    """

    def __init__(self, native: _narrows.StudyReport) -> None:
        self._native = native
        data = json.loads(native.json)
        self.title: str = data["title"]
        self.claims: list[dict[str, Any]] = data["claims"]
        self.figures = {name: Figure(title, svg) for name, title, svg in native.figures}

    @property
    def failed(self) -> list[dict[str, Any]]:
        """The claims that do not hold."""
        return [claim for claim in self.claims if claim["holds"] is False]

    @property
    def page(self) -> str:
        """The study as one HTML page; `save` writes it and its pictures into one folder."""
        return self._native.page

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes page, pictures, data and descriptions into a folder.

        Raises:
            OSError: The folder cannot be written.
        """
        self._native.write(folder)

    def __repr__(self) -> str:
        return f"Study({self.title!r}: {len(self.claims)} claims, {len(self.failed)} fail)"

    def _repr_html_(self) -> str:
        keys = ["id", "source", "expected", "measured", "holds"]
        rows = [["–" if one[key] is None else str(one[key]) for key in keys] for one in self.claims]
        return rows_html(["claim", *keys[1:]], rows)


def reproduce(
    target: str | os.PathLike[str],
    *,
    quick: bool = False,
    jobs: int | None = None,
    uncertainty: bool = False,
    seeds: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Study:
    """Reproduces a paper, one of its artifacts, or the user's study.

    Args:
        target: `trapeze`, `trapeze/table-1`, or the folder of a study.
        quick: Smaller inputs; claims that need larger ones are not evaluated.
        jobs: Number of parallel runs; by default the number of processors.
        uncertainty: Compute the uncertainty of each number.
        seeds: Number of seeds with which the claims are judged, to find verdicts that depend on the seed.
        progress: Called with the number of finished points.

    Raises:
        DescriptionError: There is no such study, or it is invalid.
    """
    return Study(_narrows.reproduce(os.fspath(target), quick, jobs, uncertainty, seeds, progress))
