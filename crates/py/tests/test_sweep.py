"""Checks that sweeps are tables that other libraries read, with and without an executor."""

import concurrent.futures
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import narrows

KEY = "workload.ping-pong.payload"
SMALL_MACHINE = narrows.Machine("memory-bus").set("workload.ping-pong.messages", 20).set("workload.ping-pong.warm-up", 5)
VARY = {"ni": ["cni32qm", "ni2w"], KEY: "16 B..128 B*2"}


@pytest.fixture(scope="module")
def table():
    return narrows.sweep(SMALL_MACHINE, VARY)


def rows(table):
    return [table[name] for name in table.columns]


def test_a_table_has_a_row_for_each_point(table):
    assert len(table) == 8 and table["ni"] == ["cni32qm"] * 4 + ["ni2w"] * 4
    assert table["workload_ping_pong_payload_B"] == [16, 32, 64, 128] * 2
    assert table.units["message_latency_one_way_s"] == "s" and set(table["outcome"]) == {"done"}
    with pytest.raises(KeyError):
        table["nothing"]
    assert "message_latency_one_way_s" in repr(table) and "<table>" in table._repr_html_()


def test_values_of_python_are_those_of_the_command_line(table):
    listed = narrows.sweep(SMALL_MACHINE, {"ni": ("cni32qm", "ni2w"), KEY: ["16 B", "32 B", "64 B", "128 B"]})
    assert rows(listed) == rows(table)
    together = narrows.sweep(SMALL_MACHINE, {("ni", KEY): [("cni32qm", "16 B"), ("ni2w", "32 B")]})
    assert together["hash"] == [table["hash"][0], table["hash"][5]]
    assert narrows.sweep(SMALL_MACHINE, {"run.seed": range(1, 4)})["run_seed"] == [1, 2, 3]
    assert rows(narrows.sweep(SMALL_MACHINE, ["ni=cni32qm,ni2w", f"{KEY}=16 B,32 B..128 B*2"])) == rows(table)
    assert rows(narrows.sweep(SMALL_MACHINE, {"ni": "cni32qm,ni2w", KEY: ["16 B", "32 B..128 B*2"]})) == rows(table)
    assert narrows.sweep(SMALL_MACHINE, f"{KEY}=16 B,32 B")["hash"] == table["hash"][:2]


def test_pyarrow_pandas_and_polars_read_a_table(table):
    pyarrow, pandas, polars = map(pytest.importorskip, ("pyarrow", "pandas", "polars"))
    arrow = pyarrow.table(table)
    assert arrow.schema.field("message_latency_one_way_s").metadata[b"unit"] == b"s"
    assert pyarrow.schema(table) == arrow.schema
    assert arrow["message_latency_one_way_s"].to_pylist() == table["message_latency_one_way_s"]
    frame = pandas.DataFrame.from_arrow(table)
    by_pandas = frame.groupby("ni")["message_latency_one_way_s"].mean()
    by_polars = polars.DataFrame(table).group_by("ni").agg(polars.col("message_latency_one_way_s").mean())
    for ni, mean in by_polars.iter_rows():
        assert by_pandas[ni] == pytest.approx(mean, rel=1e-12)
    assert by_pandas["cni32qm"] != by_pandas["ni2w"]


def test_tables_and_results_convert(table):
    pyarrow, pandas, polars = map(pytest.importorskip, ("pyarrow", "pandas", "polars"))
    assert list(table)[0]["ni"] == "cni32qm" and len(list(table)) == len(table)
    by_rows, frame = pandas.DataFrame(table), table.to_pandas()
    assert list(by_rows.columns) == list(frame.columns) == table.columns
    column = "message_latency_one_way_s"
    assert list(by_rows[column]) == list(frame[column]) == table[column] and frame.attrs["units"][column] == "s"
    assert table.to_polars()[column].to_list() == table[column] == table.to_arrow()[column].to_pylist()
    result = SMALL_MACHINE.run(messages=True)
    assert isinstance(result.to_polars(), polars.DataFrame) and isinstance(result.to_arrow(), pyarrow.Table)
    metrics = result.to_pandas().set_index("metric")
    assert metrics.loc["message.latency_one_way", "value"] == result.metrics["message.latency_one_way"].value
    assert metrics.loc["message.latency_one_way", "unit"] == "us"
    stages = result.to_pandas("stages")
    assert (stages["waiting_s"] + stages["service_s"]).sum() == pytest.approx(result.ledger["total_us"] / 1e6)
    assert set(result.tables) == {"metrics", "stages", "resources", "messages"}
    assert len(result.to_arrow("messages")) == len(result.messages)
    with pytest.raises(KeyError, match="run\\(messages=True\\) keeps the messages"):
        SMALL_MACHINE.run().to_pandas("messages")
    unmeasured = SMALL_MACHINE.set("run.time-limit", "10 us").run(allow_unfinished=True)
    assert unmeasured.to_pandas().set_index("metric")["value"].isna()["message.latency_one_way"]


def test_missing_library_is_named(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match="`to_polars` needs polars, which is not installed: pip install polars"):
        table.to_polars()


def test_figure_is_shown_where_it_can_be(table, monkeypatch, capsys):
    figure = table.plot("payload", "message.latency_one_way", by="ni")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "TERM_PROGRAM"):
        monkeypatch.delenv(name, raising=False)
    figure.show()
    path = Path(capsys.readouterr().out.strip())
    assert path.read_text() == figure.svg
    shutil.rmtree(path.parent)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-kitty")
    figure.show()
    drawn = capsys.readouterr().out
    assert drawn.startswith("\x1b_Ga=T,f=100,m=1;iVBOR") and "\x1b_Gm=0;" in drawn
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("TERM_PROGRAM", "iTerm.app")
    figure.show()
    assert capsys.readouterr().out.startswith("\x1b]1337;File=inline=1;size=")


def test_no_column_is_copied(table):
    pyarrow = pytest.importorskip("pyarrow")
    addresses = [pyarrow.table(table)["message_latency_one_way_s"].chunk(0).buffers()[1].address for _ in range(2)]
    assert addresses[0] == addresses[1], "both arrays share the memory of the table"


def test_files_are_those_of_the_command_line(table, tmp_path):
    pandas = pytest.importorskip("pandas")
    parquet = pytest.importorskip("pyarrow.parquet")
    for ending in ("csv", "jsonl", "parquet"):
        table.write(tmp_path / f"t.{ending}")
        assert rows(narrows.Table.read(tmp_path / f"t.{ending}")) == rows(table)
    frame = pandas.read_parquet(tmp_path / "t.parquet")
    assert frame.groupby("ni")["workload_ping_pong_payload_B"].sum().to_dict() == {"cni32qm": 240, "ni2w": 240}
    units = json.loads(parquet.read_schema(tmp_path / "t.parquet").metadata[b"units"])
    assert units["workload_ping_pong_payload_B"] == "B" and "ni" not in units
    with pytest.raises(narrows.DescriptionError, match=".parquet"):
        table.write(tmp_path / "t.xlsx")


def test_the_program_finds_the_points_that_python_kept(table, tmp_path):
    program = os.environ.get("NARROWS")
    if not program:
        pytest.skip("NARROWS names no program to compare with")
    sets = [word for one in SMALL_MACHINE.settings for word in ("--set", one)]
    vary = ["--vary", "ni=cni32qm,ni2w", "--vary", f"{KEY}=16 B..128 B*2"]
    ours, theirs = tmp_path / "t.parquet", tmp_path / "u.parquet"
    narrows.sweep(SMALL_MACHINE, VARY, out=ours)
    shutil.copytree(f"{ours}.points", f"{theirs}.points")
    command = [program, "sweep", "memory-bus", *sets, *vary, "--out", str(theirs)]
    errors = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    assert "0 run, 8 stored before" in errors and ours.read_bytes() == theirs.read_bytes()


def test_stored_points_are_not_run_again(table, tmp_path):
    out = tmp_path / "t.csv"
    first = narrows.sweep(SMALL_MACHINE, {**VARY, KEY: "16 B,64 B"}, out=out)
    reported = []
    second = narrows.sweep(SMALL_MACHINE, VARY, out=out, progress=reported.append)
    assert (first.run, first.kept, second.run, second.kept) == (4, 0, 4, 4)
    assert rows(second) == rows(table) and reported[-1] == 8 and out.is_file()


def test_errors_are_reported_before_the_first_run():
    with pytest.raises(narrows.DescriptionError, match="At every point(.*\n)*.*did you mean `cni32qm`"):
        narrows.sweep(SMALL_MACHINE.set("ni", "cni32q"), {KEY: "16 B,32 B"})
    with pytest.raises(narrows.DescriptionError, match="At the point .*furlong"):
        narrows.sweep(SMALL_MACHINE, {KEY: ["16 B", "1 furlong"]})
    with pytest.raises(narrows.DescriptionError, match="did you mean `message.latency_one_way`"):
        narrows.sweep(SMALL_MACHINE, VARY, metrics="message.latency_one_wa")
    with pytest.raises(narrows.DescriptionError, match="varied twice"):
        narrows.sweep(SMALL_MACHINE, {KEY: "16 B", (KEY, "ni"): [("32 B", "udma")]})


def test_exception_in_progress_stops_a_sweep():
    class StopSweep(Exception):
        pass

    def stop(_):
        raise StopSweep

    with pytest.raises(StopSweep):
        narrows.sweep(SMALL_MACHINE, {"run.seed": range(1, 2000)}, progress=stop)


LOADS = "workload.offered.load"
MESH = narrows.Machine("offered-load").set("fabric.mesh.shape", [4, 4]).set("workload.offered.cycles", 3000)


def test_seeds_give_means_and_intervals():
    vary = {LOADS: "0.05,0.1"}
    seeded = narrows.sweep(MESH, vary, seeds=3, metrics="offered.latency")
    mean, half = (name for name in seeded.columns if name.startswith("offered_latency"))
    assert len(seeded) == 2 and seeded["seeds"] == [3, 3] and "ci95" in half
    single = narrows.sweep(MESH, {**vary, "run.seed": [1, 2, 3]})[mean]
    assert seeded[mean] == pytest.approx([sum(single[at : at + 3]) / 3 for at in (0, 3)], rel=1e-9)
    assert all(width > 0 for width in seeded[half])
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        executor_table = narrows.sweep(MESH, vary, seeds=3, metrics="offered.latency", executor=executor)
    assert rows(executor_table) == rows(seeded)
    with pytest.raises(narrows.DescriptionError, match="`seeds` is from 2"):
        narrows.sweep(MESH, vary, seeds=1)
    with pytest.raises(narrows.DescriptionError, match="run.seed"):
        narrows.sweep(MESH, {"run.seed": [1, 2]}, seeds=2)


def test_line_stops_at_saturation_with_and_without_an_executor():
    vary = {"fabric.router.virtual-channels": [1, 4], LOADS: "0.1,0.2..1+0.1"}
    full_table = narrows.sweep(MESH, vary)
    outcomes, half = full_table["outcome"], len(full_table) // 2
    saturated_rows = [outcomes.index("saturated"), outcomes.index("saturated", half)]
    assert 0 < saturated_rows[0] < half - 1 and half < saturated_rows[1] < 2 * half - 1
    expected_hashes = [
        hash for at, hash in enumerate(full_table["hash"]) if at <= saturated_rows[0] or half <= at <= saturated_rows[1]
    ]
    stopped = narrows.sweep(MESH, vary, stop_at_saturation=True)
    assert stopped["hash"] == expected_hashes
    submitted_arguments = []

    class CountingExecutor(concurrent.futures.ThreadPoolExecutor):
        def submit(self, function, /, *arguments):
            submitted_arguments.append(arguments)
            return super().submit(function, *arguments)

    with CountingExecutor(2) as executor:
        executor_table = narrows.sweep(MESH, vary, stop_at_saturation=True, executor=executor)
    assert rows(executor_table) == rows(stopped) and len(submitted_arguments) == len(expected_hashes)


STREAM = ("workload.stream.payload", "64 B..8 KiB")


def test_search_equals_that_of_the_program(tmp_path):
    machine = narrows.Machine("stream")
    found = narrows.find(machine, "message.bandwidth >= 60 MB/s", STREAM)
    assert found["holds"] == ["from"] and found.run > 4
    assert found["message_bandwidth_B_per_s"][0] >= 60e6 > found["other_end_message_bandwidth_B_per_s"][0]
    kept = narrows.find(machine, "message.bandwidth >= 60 MB/s", STREAM, out=tmp_path / "f.csv")
    assert rows(kept) == rows(narrows.Table.read(tmp_path / "f.csv"))
    with pytest.raises(narrows.DescriptionError, match="did you mean `message.bandwidth`"):
        narrows.find(machine, "message.bandwith >= 60 MB/s", STREAM)
    with pytest.raises(narrows.DescriptionError, match="At the point .*furlong"):
        narrows.find(machine, "message.bandwidth >= 60 MB/s", STREAM, vary={"run.time-limit": ["1 s", "1 furlong"]})
    program = os.environ.get("NARROWS")
    if program:
        search_options = ["--find", "message.bandwidth >= 60 MB/s", "--over", "=".join(STREAM)]
        command = [program, "sweep", "stream", *search_options, "--out", str(tmp_path / "p.csv")]
        subprocess.run(command, check=True, capture_output=True)
        assert (tmp_path / "p.csv").read_bytes() == (tmp_path / "f.csv").read_bytes()


def test_crossing_of_two_machines_is_found():
    over = (KEY, "8 B..2 KiB*4")
    one, other = SMALL_MACHINE.set("ni", "ni2w"), SMALL_MACHINE.set("ni", "udma")
    found = narrows.find(one, "message.latency_one_way", over, against=other)
    latencies = [narrows.sweep(machine, {KEY: over[1]})["message_latency_one_way_s"] for machine in (one, other)]
    less = [mine < theirs for mine, theirs in zip(*latencies)]
    crossing = less.index(False)
    assert crossing > 0 and found["holds"] == ["less up to"]
    assert found["message_latency_one_way_s"] == [latencies[0][crossing - 1]]
    assert found["other_end_message_latency_one_way_of_other_s"] == [latencies[1][crossing]]


def test_a_picture_is_drawn(table, tmp_path):
    figure = table.plot("payload", "message.latency_one_way", by="ni", log="x", title="Latency")
    figure.save(tmp_path / "f.svg")
    assert figure._repr_svg_().startswith("<svg") and "Latency" in figure.svg
    with pytest.raises(narrows.DescriptionError, match="paylod"):
        table.plot("paylod", "message.latency_one_way")


def test_threads_of_an_executor_give_the_same(table):
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        assert rows(narrows.sweep(SMALL_MACHINE, VARY, executor=executor)) == rows(table)


def test_processes_give_the_same(table, tmp_path):
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=spawn()) as executor:
        parallel_table = narrows.sweep(SMALL_MACHINE, VARY, executor=executor, out=tmp_path / "t.parquet")
    assert rows(parallel_table) == rows(table) and (parallel_table.run, parallel_table.kept) == (8, 0)
    assert narrows.sweep(SMALL_MACHINE, VARY, out=tmp_path / "t.parquet").kept == 8


def spawn():
    import multiprocessing

    return multiprocessing.get_context("spawn")


class WorkerKillingExecutor(concurrent.futures.ProcessPoolExecutor):
    """An executor of which the first instance kills its worker with the third task; later instances work."""

    instances = 0

    def __init__(self):
        super().__init__(1, mp_context=spawn())
        WorkerKillingExecutor.instances += 1
        self.tasks = 0

    def submit(self, function, /, *arguments):
        self.tasks += 1
        if WorkerKillingExecutor.instances == 1 and self.tasks == 3:
            return super().submit(os._exit, 9)
        return super().submit(function, *arguments)


def test_a_dead_worker_loses_no_finished_point(table, tmp_path):
    WorkerKillingExecutor.instances = 0
    out = tmp_path / "t.csv"
    with WorkerKillingExecutor() as executor, pytest.raises(narrows.WorkerError) as error:
        narrows.sweep(SMALL_MACHINE, VARY, executor=executor, out=out)
    finished = len(error.value.table)
    assert finished == 2 and len(error.value.missing) == 6
    again = narrows.sweep(SMALL_MACHINE, VARY, out=out)
    assert again.kept == finished and rows(again) == rows(table)


def test_a_broken_executor_is_replaced(table):
    WorkerKillingExecutor.instances = 0
    parallel_table = narrows.sweep(SMALL_MACHINE, VARY, executor=WorkerKillingExecutor)
    assert WorkerKillingExecutor.instances == 2 and rows(parallel_table) == rows(table)


def test_error_of_a_worker_is_raised():
    class WrongPointExecutor(concurrent.futures.ThreadPoolExecutor):
        def submit(self, function, /, *arguments):
            return super().submit(function, *arguments[:-1], ["run.seed=99"])

    with WrongPointExecutor(1) as executor, pytest.raises(narrows.DescriptionError, match="another point"):
        narrows.sweep(SMALL_MACHINE, VARY, executor=executor)


def test_dask_gives_the_same_and_survives_the_death_of_a_worker(table):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            executor = client.get_executor()
            assert rows(narrows.sweep(SMALL_MACHINE, VARY, executor=executor)) == rows(table)
            finished_counts = []

            def kill_one(done):
                if not finished_counts:
                    os.kill(next(iter(cluster.workers.values())).pid, 9)
                finished_counts.append(done)

            assert rows(narrows.sweep(SMALL_MACHINE, VARY, executor=executor, progress=kill_one)) == rows(table)
            assert finished_counts


MPI = """
from mpi4py.futures import MPIPoolExecutor
import narrows
if __name__ == "__main__":
    import sys
    machine = narrows.Machine("memory-bus").set("workload.ping-pong.messages", 20).set("workload.ping-pong.warm-up", 5)
    vary = {"ni": ["cni32qm", "ni2w"], "workload.ping-pong.payload": "16 B..128 B*2"}
    with MPIPoolExecutor() as executor:
        narrows.sweep(machine, vary, executor=executor).write(sys.argv[1])
"""


def test_mpi_gives_the_same(table, tmp_path):
    mpirun = shutil.which("mpirun")
    if not mpirun:
        pytest.skip("no mpirun: apt-get install openmpi-bin libopenmpi-dev")
    # To import it here would make this process one of MPI's, which may not start others.
    if importlib.util.find_spec("mpi4py") is None:
        pytest.skip("no mpi4py")
    script, out = tmp_path / "s.py", tmp_path / "t.csv"
    script.write_text(MPI)
    command = [mpirun, "--allow-run-as-root", "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures"]
    subprocess.run([*command, str(script), str(out)], check=True, timeout=120)
    assert rows(narrows.Table.read(out)) == rows(table)


def test_latency_over_load_and_distributions_are_drawn():
    machine = narrows.Machine("open-loop").set("workload.stream.messages", 200)
    vary = {"ni": ["cni32qm", "udma"], "workload.stream.arrivals.poisson.interval": "8 us..2 us*log3"}
    table = narrows.sweep(machine, vary)
    figure = table.latency_load()
    assert "cni32qm p50" in figure.svg and "udma p90" in figure.svg and figure.title == "Latency over offered load"
    messages = machine.run(messages=True).messages
    assert "share of samples above" in messages.cdf("latency", log="y").svg
    with pytest.raises(narrows.DescriptionError, match="offered and accepted load"):
        messages.latency_load()
    with pytest.raises(narrows.DescriptionError, match="holds text"):
        messages.cdf("source")
