"""Checks that the command line of the wheel is that of the program: output, exit codes, Ctrl-C, and the meaning of names."""

import importlib.metadata
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

import narrows
from narrows import _command

#: How the wheel is called: by its module, and by the script that pip puts next to Python.
SCRIPT = Path(sys.executable).parent / "narrows"
MODULE = [sys.executable, "-m", "narrows"]

#: Commands whose output is compared with that of the program, with their exit codes.
COMMANDS = [
    ([], 0),
    (["--version"], 0),
    (["--help"], 0),
    (["run", "--help"], 0),
    (["run", "ping-pong"], 0),
    (["run", "ping-pong", "--format", "json"], 0),
    (["run", "ping-pong", "--set", "run.time-limit=10 us"], 3),
    (["run", "ping-pon"], 2),
    (["rum"], 2),
    (["check", "ping-pong", "--set", "workload.ping-pong.paylod=1"], 2),
    (["explain", "payload"], 0),
    (["list", "hosts"], 0),
    (["completions", "bash"], 0),
]


def program_path():
    program = os.environ.get("NARROWS")
    if not program:
        pytest.skip("NARROWS names no program to compare with")
    return program


def without_time(output):
    """Returns the lines of an output without the wall-clock time of a run."""
    return [line for line in output.splitlines() if b" events in " not in line and b'"wall_s"' not in line]


def run(command, **options):
    return subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, **options)


@pytest.mark.parametrize(("arguments", "code"), COMMANDS, ids=lambda one: " ".join(one) if isinstance(one, list) else "")
def test_the_command_of_the_wheel_is_the_program(arguments, code, tmp_path):
    wheel_run, program_run = run([*MODULE, *arguments], cwd=tmp_path), run([program_path(), *arguments], cwd=tmp_path)
    assert (wheel_run.returncode, program_run.returncode) == (code, code)
    assert without_time(wheel_run.stdout) == without_time(program_run.stdout)
    assert without_time(wheel_run.stderr) == without_time(program_run.stderr)


def test_pip_installs_the_command():
    scripts = importlib.metadata.entry_points(group="console_scripts", name="narrows")
    if not SCRIPT.is_file():
        pytest.skip("the module is not installed from a wheel")
    assert {one.value for one in scripts} == {"narrows._command:main"}
    assert run([SCRIPT, "--version"]).stdout.decode().split() == ["narrows", narrows.__version__]


def test_files_and_pipes_are_those_of_the_program(tmp_path):
    vary = ["--vary", "workload.ping-pong.payload=16 B,64 B"]
    for command, name in [(MODULE, "ours.csv"), ([program_path()], "theirs.csv")]:
        assert run([*command, "sweep", "ping-pong", *vary, "--out", name], cwd=tmp_path).returncode == 0
    assert (tmp_path / "ours.csv").read_bytes() == (tmp_path / "theirs.csv").read_bytes()
    closed = subprocess.run(["bash", "-c", f"{' '.join(MODULE)} explain | head -n 1; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True)
    assert closed.stdout.splitlines()[-1] == "0" and closed.stderr == "", "a closed pipe is no error"


def run_and_interrupt(command, folder, is_ready):
    """Starts a command, sends it SIGINT when `is_ready(seconds)`, and returns its exit code and standard error."""
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not is_ready(time.monotonic() - start) and time.monotonic() < start + 60 and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=60)[1]
    return process.returncode, errors


def test_interrupted_sweep_keeps_its_points(tmp_path):
    sweep = ["sweep", "ping-pong", "--vary", "run.seed=1..5000+1", "--out", "t.csv"]
    points = tmp_path / "t.csv.points"
    for command in (MODULE, [program_path()]):
        shutil.rmtree(points, ignore_errors=True)
        code, errors = run_and_interrupt([*command, *sweep], tmp_path, lambda _: points.is_dir() and any(points.iterdir()))
        assert code == 130 and "the same command resumes from there" in errors, errors


def test_interrupted_run_ends(tmp_path):
    endless = ["run", "ping-pong", "--set", "workload.ping-pong.messages=10000000"]
    runs = [
        run_and_interrupt([*command, *endless], tmp_path, lambda seconds: seconds > 2)
        for command in (MODULE, [program_path()])
    ]
    codes = [code for code, _ in runs]
    assert codes[0] == codes[1] and codes[0] in (130, -signal.SIGINT)


def test_explore_answers_by_the_command_of_the_wheel(tmp_path):
    # A module of the folder is not taken for the package.
    (tmp_path / "narrows.py").write_text("raise SystemExit('a module of a stranger')")
    command = [sys.executable, "-c", _command._RESTART_SCRIPT, "explore", "--no-browser"]
    server = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address, token = server.stdout.readline().strip().split("/?token=")
        question = urllib.request.Request(f"{address}/ask", b'{"ask": "about"}', {"x-narrows-token": token})
        with urllib.request.urlopen(question, timeout=60) as answer:
            assert json.load(answer)["version"] == narrows.__version__
    finally:
        server.kill()
        server.communicate()


def test_help_prints_what_explain_prints(capsys):
    narrows.help("message.latency_one_way_p99")
    shown = capsys.readouterr().out
    assert "metric" in shown
    assert shown == run([program_path(), "explain", "message.latency_one_way_p99"]).stdout.decode()
    narrows.help()
    assert "narrows.help(" in capsys.readouterr().out
    with pytest.raises(narrows.DescriptionError, match="did you mean `payload`"):
        narrows.help("paylod")


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        (["check", "ping-pon"], lambda: narrows.Machine("ping-pon")),
        (
            ["check", "ping-pong", "--set", "workload.ping-pong.paylod=64 B"],
            lambda: narrows.Machine("ping-pong").set("workload.ping-pong.paylod", "64 B").check(),
        ),
        (["explain", "paylod"], lambda: narrows.help("paylod")),
        (
            ["sweep", "ping-pong", "--vary", "workload.ping-pong.payload=64 B,1 furlong"],
            lambda: narrows.sweep(narrows.Machine("ping-pong"), "workload.ping-pong.payload=64 B,1 furlong"),
        ),
        (
            ["whatif", "ping-pong", "--metric", "message.latency_one_wy"],
            lambda: narrows.Machine("ping-pong").whatif("message.latency_one_wy"),
        ),
        (["reproduce", "trapez"], lambda: narrows.reproduce("trapez")),
    ],
    ids=lambda one: one[0] if isinstance(one, list) else "",
)
def test_exceptions_have_the_text_of_the_command_line(arguments, call, tmp_path):
    errors = run([program_path(), *arguments], cwd=tmp_path).stderr.decode()
    with pytest.raises(narrows.DescriptionError) as error:
        call()
    # The program also reports where it found the description.
    example_notice = "Using the shipped example `ping-pong`.\n"
    assert str(error.value).strip() == errors.replace(example_notice, "").strip()
