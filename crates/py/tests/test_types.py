"""Checks the types of the module as mypy and pyright do in their strict modes, where they are installed."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]

#: A script of a user, whose types follow from those of the module.
SCRIPT = """
import narrows

machine = narrows.Machine("ping-pong").set("workload.ping-pong.payload", "1 KiB")
result = machine.run(messages=True)
latency: narrows.Metric = result.metrics["message.latency_one_way"]
frame = result.to_pandas("stages")
table: narrows.Table = narrows.sweep(machine, ["run.seed=1..3+1"], metrics="message.latency_one_way")
rows: list[dict[str, object]] = list(table)
figure: narrows.Figure = table.plot("seed", "message.latency_one_way")
figure.show()
narrows.help("payload")
print(latency.value, latency.unit, len(rows), frame)
"""


def program(name: str) -> str:
    """Returns the path of a program that is installed with this Python or on the system."""
    found = shutil.which(str(Path(sys.executable).parent / name)) or shutil.which(name)
    if not found:
        pytest.skip(f"{name} is not installed: pip install {name}")
    return found


def check(*command: str, cwd: Path) -> None:
    completed = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert completed.returncode == 0, completed.stdout + completed.stderr


def test_the_module_passes_mypy_strict():
    check(program("mypy"), cwd=PROJECT)


def test_the_module_passes_pyright_strict():
    check(program("pyright"), "--project", str(PROJECT), "--pythonpath", sys.executable, cwd=PROJECT)


def test_a_users_script_passes_mypy_strict(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    check(program("mypy"), "--strict", "--python-executable", sys.executable, "script.py", cwd=tmp_path)


def test_a_users_script_passes_pyright_strict(tmp_path):
    (tmp_path / "script.py").write_text("# pyright: strict\n" + SCRIPT)
    check(program("pyright"), "--pythonpath", sys.executable, "script.py", cwd=tmp_path)
