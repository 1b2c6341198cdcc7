"""The explorer: a page in which a machine is changed and run again, served by a process of the wheel's command."""

from __future__ import annotations

import atexit
import base64
import html
import subprocess
import sys
import urllib.parse
import zlib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from ._command import own_command
from ._figure import is_notebook
from ._narrows import Description, DescriptionError

#: Seconds for which the server may take to end before it is killed.
_STOP_TIMEOUT_S = 5.0


class _Server:
    """A server of the explorer page. It ends with this interpreter, when its standard input is closed."""

    def __init__(self, folder: Path) -> None:
        command = [*own_command(), "explore", "--no-browser", "--embedded"]
        self.folder = folder
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            self.stop()
            raise OSError("the server of the explorer did not start: run `narrows explore` to see why")
        atexit.register(self.stop)

    def is_running(self) -> bool:
        return self.process.poll() is None

    def stop(self) -> None:
        """Ends the server."""
        atexit.unregister(self.stop)
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            self.process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


#: The server of this interpreter; empty until it is first needed.
_running_servers: list[_Server] = []


def _server() -> _Server:
    """Returns the server of the working directory, below which it reads files. It is started when it is first needed."""
    folder = Path.cwd()
    while _running_servers:
        if _running_servers[0].is_running() and _running_servers[0].folder == folder:
            return _running_servers[0]
        _running_servers.pop().stop()
    _running_servers.append(_Server(folder))
    return _running_servers[0]


def _machine_item(description: Description) -> str:
    """Returns the first item of a link: the name of an example or of a file below the working directory, or the text."""
    path = Path(description.name)
    if path.parent == Path("examples"):
        try:
            if Description.find(path.stem).text == description.text and not Path(path.stem).exists():
                return _encoded(path.stem)
        except DescriptionError:
            pass
    if path.suffix == ".toml" and path.is_file():
        relative_path = path.resolve().relative_to(Path.cwd().resolve()) if _is_inside(path) else None
        if relative_path is not None:
            return _encoded(relative_path.as_posix())
    compressor = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    compressed = compressor.compress(description.text.encode()) + compressor.flush()
    return "~text=" + base64.urlsafe_b64encode(compressed).decode().rstrip("=")


def _is_inside(path: Path) -> bool:
    return path.resolve().is_relative_to(Path.cwd().resolve())


def _encoded(text: str) -> str:
    return urllib.parse.quote(text, safe="/.")


def link(description: Description, sets: Sequence[str], metric: str | None, curve: str | None) -> str:
    """Returns the fragment of a link that opens this machine."""
    items = [_machine_item(description)]
    for setting in sets:
        key, _, value = setting.partition("=")
        items.append(f"{_encoded(key)}={_encoded(value)}")
    items += [f"~{name}={_encoded(value)}" for name, value in (("metric", metric), ("curve", curve)) if value is not None]
    return "&".join(items)


class _Frame:
    """The page in the frame of a notebook, with its address below it."""

    def __init__(self, address: str, height: int) -> None:
        self.address, self.height = address, height

    def __repr__(self) -> str:
        return self.address

    def _repr_html_(self) -> str:
        address = html.escape(self.address, quote=True)
        return (
            f'<iframe src="{address}" title="Narrows explorer" width="100%" height="{self.height}" '
            'style="border: 1px solid #ccc" allow="clipboard-write"></iframe>'
            f'<p><a href="{address}" target="_blank" rel="noopener">Open the explorer in a tab of its own</a>. '
            "It is served by the computer on which this notebook runs.</p>"
        )


def show(fragment: str, height: int) -> None:
    """Shows the page with this fragment: in a notebook below the cell, otherwise by its address."""
    address = f"{_server().address}#{fragment}"
    if is_notebook():
        import_module("IPython.display").display(_Frame(address, height))
    else:
        print(address)
        sys.stdout.flush()
