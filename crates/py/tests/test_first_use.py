"""Checks that a first figure takes less than a minute from a wheel, and that the pages of the docs run as shown."""

import os
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

TEN_LINES = """
import narrows

sizes = [8, 16, 24, 32, 48, 64, 96, 128, 192, 256]
table = narrows.sweep(
    narrows.Machine("memory-bus"),
    vary={"ni": ["cni32qm", "udma"], "workload.ping-pong.payload": [f"{size} B" for size in sizes]},
)
figure = table.plot("payload", "message.latency_one_way", by="ni", log="x", title="Latency one way")
figure.save("latency.svg")
print(len(table), set(table["outcome"]))
"""
#: Longest acceptable time of a first use after the wheel is built, in seconds.
FIRST_USE_SECONDS_MAX = 60


def test_ten_lines_give_a_figure_in_a_minute(tmp_path, capsys):
    wheel = os.environ.get("NARROWS_WHEEL")
    if not wheel:
        pytest.skip("NARROWS_WHEEL names no wheel to install")
    start = time.monotonic()
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", wheel], check=True)
    (tmp_path / "script.py").write_text(TEN_LINES)
    output = subprocess.run([python, "script.py"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    seconds = time.monotonic() - start
    assert output == "20 {'done'}\n" and (tmp_path / "latency.svg").read_text().startswith("<svg")
    with capsys.disabled():
        print(f"\nenvironment, wheel, sweep and figure: {seconds:.1f} s")
    assert seconds < FIRST_USE_SECONDS_MAX


def outputs(notebook):
    """Returns the output of a notebook's cells, without the parts that depend on a library's version.

    A kernel divides what a cell prints at any line, so the pieces are joined."""
    shown = []
    for cell in notebook.cells:
        printed = ""
        for output in cell.get("outputs", []):
            assert output.output_type != "error", output
            if output.output_type == "stream":
                printed += output["text"]
            else:
                shown.append(output["data"].get("text/plain"))
        shown.append(printed)
    return shown


@pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "docs").glob("*.ipynb")))
def test_notebooks_show_what_running_them_gives(name, tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    stored = nbformat.read(ROOT / "docs" / f"{name}.ipynb", as_version=4)
    executed = nbformat.read(ROOT / "docs" / f"{name}.ipynb", as_version=4)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    nbclient.NotebookClient(executed, timeout=300, resources={"metadata": {"path": tmp_path}}).execute(env=environment)
    assert outputs(executed) == outputs(stored), f"run docs/{name}.ipynb again, and look at what changed"
