"""Pictures, and numbers and tables for reading."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from pathlib import Path

from . import _narrows


class Figure:
    """A picture: shown by notebooks, saved as SVG.

    Attributes:
        title: Its heading.
        svg: The whole SVG document.
    """

    def __init__(self, title: str, svg: str) -> None:
        self.title = title
        self.svg = svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture.

        Args:
            path: A file that ends in `.svg`, `.pdf` or `.png`.

        Raises:
            ValueError: The path ends otherwise.
            OSError: The file cannot be written.
        """
        _narrows.write_picture(self.svg, Path(path))

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Figure({self.title!r})"


def number(value: float | None) -> str:
    """A number for reading: three decimals, or three digits where it is small."""
    if value is None:
        return "–"
    return f"{value:.3f}".rstrip("0").rstrip(".") if abs(value) >= 0.01 or value == 0 else f"{value:.3g}"


def rows_html(heads: list[str], rows: list[list[str]]) -> str:
    """A table of texts as HTML."""
    head = "".join(f"<th>{html.escape(one)}</th>" for one in heads)
    cells = ["".join(f"<td>{html.escape(one)}</td>" for one in row) for row in rows]
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def axes(log: str | Sequence[str]) -> tuple[bool, bool]:
    """Whether the axes x and y are logarithmic."""
    names = [log] if isinstance(log, str) else list(log)
    if unknown := [axis for axis in names if axis not in ("x", "y")]:
        raise ValueError(f"log is `x`, `y` or both, not `{unknown[0]}`")
    return "x" in names, "y" in names
