"""Pictures, and numbers and tables for reading."""

from __future__ import annotations

import base64
import html
import os
import sys
import tempfile
import webbrowser
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from . import _narrows


def is_notebook() -> bool:
    """Returns whether this is the kernel of a notebook."""
    python = sys.modules.get("IPython")
    shell = None if python is None else python.get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def _kitty(png: bytes) -> str:
    """Returns the escape sequences of kitty's graphics protocol, which takes pictures in chunks of 4096 characters."""
    text = base64.b64encode(png).decode()
    chunks = [text[start : start + 4096] for start in range(0, len(text), 4096)]
    head = "a=T,f=100,"
    parts: list[str] = []
    for index, chunk in enumerate(chunks):
        more = int(index + 1 < len(chunks))
        parts.append(f"\x1b_G{head if index == 0 else ''}m={more};{chunk}\x1b\\")
    return "".join(parts)


def _iterm(png: bytes) -> str:
    """Returns the escape sequence of iTerm2's protocol for a picture in the text."""
    return f"\x1b]1337;File=inline=1;size={len(png)}:{base64.b64encode(png).decode()}\a"


def _terminal_encoder() -> Callable[[bytes], str] | None:
    """Returns the function that encodes a picture for the terminal; None if standard output cannot draw pictures."""
    program, term = os.environ.get("TERM_PROGRAM", ""), os.environ.get("TERM", "")
    if not sys.stdout.isatty():
        return None
    if term == "xterm-kitty" or program == "ghostty":
        return _kitty
    return _iterm if program in ("iTerm.app", "WezTerm") else None


def _has_screen() -> bool:
    """Returns whether a browser with windows can be started."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


class Figure:
    """A picture, which notebooks and terminals show, and which is saved as SVG, PDF or PNG.

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

    def show(self) -> None:
        """Shows the picture: below the cell of a notebook, in a terminal that draws pictures (those with the protocol
        of kitty or of iTerm2), or else in the web browser. Where there is no browser, the path of the picture is
        printed.
        """
        if is_notebook():
            import_module("IPython.display").display(self)
            return
        encode = _terminal_encoder()
        if encode is not None:
            sys.stdout.write(encode(self._png()) + "\n")
            sys.stdout.flush()
            return
        folder = Path(tempfile.mkdtemp(prefix="narrows-"))
        path = folder / "figure.svg"
        self.save(path)
        if not (_has_screen() and webbrowser.open(path.as_uri())):
            print(path)

    def _png(self) -> bytes:
        """Returns the picture as PNG."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "figure.png"
            self.save(path)
            return path.read_bytes()

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Figure({self.title!r})"


def number(value: float | None) -> str:
    """Formats a number: three decimals, or three digits if it is small."""
    if value is None:
        return "–"
    return f"{value:.3f}".rstrip("0").rstrip(".") if abs(value) >= 0.01 or value == 0 else f"{value:.3g}"


def rows_html(headings: list[str], rows: list[list[str]]) -> str:
    """Returns a table of texts as HTML."""
    head = "".join(f"<th>{html.escape(heading)}</th>" for heading in headings)
    cells = ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows]
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def axes(log: str | Sequence[str]) -> tuple[bool, bool]:
    """Returns whether the axes x and y are logarithmic."""
    names = [log] if isinstance(log, str) else list(log)
    if unknown := [axis for axis in names if axis not in ("x", "y")]:
        raise ValueError(f"log is `x`, `y` or both, not `{unknown[0]}`")
    return "x" in names, "y" in names
