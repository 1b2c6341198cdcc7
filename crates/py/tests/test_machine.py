"""Checks that machines are described, checked, run and analysed as on the command line."""

import pickle
import threading
import time

import pytest

import narrows

PING_PONG = """
parts = ["hosts/p6-natoma", "ni/trapeze", "fabrics/myrinet"]

[nodes.left]
host = "p6-natoma"

[nodes.right]
host = "p6-natoma"

[workload.ping-pong]
messages = 10
payload = "64 B"
"""


def test_result_has_metrics_with_units_and_the_ledger():
    result = narrows.Machine("ping-pong").run()
    latency = result.metrics["message.latency_one_way"]
    assert result.outcome == "done" and latency.unit == "us" and latency.value > 0
    stages = sum(one["waiting_us"] + one["service_us"] for one in result.ledger["stages"])
    assert stages == pytest.approx(result.ledger["total_us"], rel=1e-9)
    assert any(one["busy_us"] > 0 for one in result.resources)
    assert "message.latency_one_way" in result._repr_html_() and "message.latency_one_way" in repr(result)
    assert result.figures["ledger"].svg.startswith("<svg")


def test_equal_descriptions_give_equal_results(tmp_path):
    file = tmp_path / "machine.toml"
    file.write_text(PING_PONG)
    parts = narrows.Machine(parts=["hosts/p6-natoma", "ni/trapeze", "fabrics/myrinet"])
    for key, value in [
        ("nodes.left.host", "p6-natoma"),
        ("nodes.right.host", "p6-natoma"),
        ("workload.ping-pong.messages", 10),
        ("workload.ping-pong.payload", "64 B"),
    ]:
        parts = parts.set(key, value)
    hashes = {one.run().hash for one in (narrows.Machine(file), narrows.Machine(text=PING_PONG), parts)}
    assert len(hashes) == 1


def test_a_result_is_a_machine_again(tmp_path):
    result = narrows.Machine("ping-pong").set("workload.ping-pong.payload", "1 KiB").run()
    result.save(tmp_path / "result.json")
    assert narrows.Machine(tmp_path / "result.json").run().hash == result.hash


def test_setting_gives_another_machine():
    machine = narrows.Machine("ping-pong")
    other = machine.set("run.seed", 7).set("workload.ping-pong.messages", 5)
    assert machine.settings == () and machine.show()["run"]["seed"] != 7
    assert other.show()["run"]["seed"] == 7 and machine.run(seed=7).seed == 7
    with pytest.raises(TypeError):
        machine.set("run.seed", object())


def test_errors_state_position_allowed_values_and_a_suggestion():
    machine = narrows.Machine(text=PING_PONG.replace("payload", "paylod").replace("messages = 10", 'messages = "x"'))
    with pytest.raises(narrows.DescriptionError) as error:
        machine.check()
    text = str(error.value)
    assert all(words in text for words in ["machine:", "payload", "paylod", "messages"])
    with pytest.raises(narrows.DescriptionError, match="did you mean the shipped example `ping-pong`"):
        narrows.Machine("ping-pon")
    with pytest.raises(narrows.DescriptionError, match="message.latency_one_way"):
        narrows.Machine("ping-pong").whatif("message.latency_one_wy")
    with pytest.raises(ValueError, match="give one of"):
        narrows.Machine()
    assert narrows.Machine("ping-pong").check() is None


def test_whatif_finds_the_bottleneck():
    small = narrows.Machine("ping-pong").set("workload.ping-pong.messages", 5).set("workload.ping-pong.warm-up", 1)
    analysis = small.whatif(by=2)
    best = analysis["gains"][0]
    assert best["ratio"] > 1.0 and analysis["metric"] == "message.latency_one_way"
    changed = small.set(best["key"], best["value"]).run().metrics[analysis["metric"]].value
    assert small.run().metrics[analysis["metric"]].value / changed == pytest.approx(best["ratio"], rel=0.01)
    assert "what would gain" in analysis._repr_html_()


def test_uncertainty_is_of_the_metrics():
    small = narrows.Machine("ping-pong").set("workload.ping-pong.messages", 5)
    latency = small.uncertainty()["message.latency_one_way"]
    assert 0 < latency["std_dev"] < 1 and latency["unit"] == "us" and latency["elasticities"]


def test_fit_finds_the_true_constants(tmp_path):
    base = narrows.Machine("memory-bus").set("workload.ping-pong.messages", 20)
    key = "messaging.send"
    start = base.show()["messaging"]["send"]
    truth = base.set(key, 2 * start)
    sizes = [16, 64, 192]
    table = narrows.sweep(truth, {"workload.ping-pong.payload": [f"{size} B" for size in sizes]})
    latency = [seconds * 1e6 for seconds in table["message_latency_one_way_s"]]
    fit = base.fit({"size [B]": sizes, "latency [us]": latency}, constants=[key], prior=0.5, noise=0.01)
    (one,) = fit.constants
    assert fit.converged and one["determined"]
    assert fit.reached and not fit.failed and fit.correlation == [[1.0]] and not fit.undetermined
    assert all(abs(residual["error"]) < 0.03 for residual in fit.residuals)
    assert abs(fit.machine.show()["messaging"]["send"] / (2 * start) - 1) < 0.1, "the fit doubles the starting value"
    with pytest.raises(narrows.DescriptionError):
        base.fit({"size [B]": sizes, "latency": latency})
    state = tmp_path / "fit.state"
    unreachable_curve = {"size [B]": sizes, "latency [us]": [9 * one for one in latency[:1]] + latency[1:]}
    fit = base.fit(unreachable_curve, constants=[key], tolerance=0.02, state=state)
    assert not fit.reached and fit.failed[0]["errors"][0] < 0 and state.exists()
    with pytest.raises(narrows.DescriptionError, match="state of another fit"):
        base.fit(unreachable_curve, constants=[key], noise=0.05, state=state)


def test_messages_are_rows():
    machine = narrows.Machine("ping-pong")
    table = machine.run(messages=True).messages
    assert len(table) > 10 and table.units["latency_s"] == "s" and min(table["latency_s"]) > 0
    with pytest.raises(ValueError, match="messages=True"):
        machine.run().messages


def test_deadlocked_run_reports_the_chain_of_waits():
    machine = narrows.Machine("ping-pong").set("run.time-limit", "10 us")
    with pytest.raises(narrows.UnfinishedRun, match="time-limit: the run reached `run.time-limit`") as error:
        machine.run()
    result = error.value.result
    assert result.outcome == "time-limit" and result.stuck["chain"] and result.reason in str(error.value)
    assert result.metrics["message.latency_one_way"].value is None
    assert machine.run(allow_unfinished=True).hash == result.hash


def test_run_with_lost_messages_is_unfinished():
    never_polling = narrows.Machine("stream").set("workload.stream.never-poll", True)
    with pytest.raises(narrows.UnfinishedRun, match="736 of 800 messages were lost") as error:
        never_polling.run()
    metrics = error.value.result.metrics
    assert metrics["messages.dropped"].value == 736 and metrics["message.bandwidth"].value is None
    rows = narrows.sweep(never_polling, {"run.seed": [1]})
    assert rows["outcome"] == ["loss"] and "736 of 800" in rows["reason"][0]


def test_other_threads_run_during_a_simulation():
    machine = narrows.Machine("stream").set("workload.stream.messages", 5000)
    running = threading.Thread(target=machine.run)
    running.start()
    ticks = 0
    while running.is_alive():
        time.sleep(0.001)
        ticks += 1
    assert ticks > 5


def test_a_paper_is_reproduced(tmp_path):
    study = narrows.reproduce("trapeze/table-1", quick=True)
    assert study.claims and any(claim["holds"] is not None for claim in study.claims)
    study.save(tmp_path)
    assert (tmp_path / "report.html").is_file()
    with pytest.raises(narrows.DescriptionError, match="trapeze"):
        narrows.reproduce("trapez")


def test_distributions_are_merged_over_seeds():
    machine = narrows.Machine("open-loop").set("workload.stream.messages", 600)
    name = "message.latency_one_way"
    runs = [machine.run(seed=seed) for seed in (1, 2)]
    one, other = (run.distributions[name] for run in runs)
    # The last message of the warm-up is a sample. p99 needs 1000 samples.
    assert (one.samples, one.unit, one.percentile(99)) == (601, "us", None)
    both = narrows.Distribution.merge([one, other])
    assert both.samples == 1202 and both.min == min(one.min, other.min) and both.max == max(one.max, other.max)
    assert one.percentile(50) == pytest.approx(runs[0].metrics[f"{name}_p50"].value, rel=1 / 128)
    assert both.percentile(50) <= both.percentile(90) <= both.percentile(99) <= both.max
    buckets = both.buckets
    assert sum(buckets["count"]) == 1202 and buckets.units["up_to_s"] == "s"
    assert all(low <= high for low, high in zip(buckets["from_s"], buckets["up_to_s"]))
    assert narrows.Distribution.read(name, both.record) == both and pickle.loads(pickle.dumps(both)) == both
    assert "1202 samples" in repr(both) and "p99" in both._repr_html_()
    assert both.plot(log="y").svg.startswith("<svg") and "one" in narrows.cdf({"one": one, "both": both}).svg
    with pytest.raises(ValueError, match="from 0 to 100"):
        both.percentile(101)
    with pytest.raises(ValueError, match="no distribution to merge"):
        narrows.Distribution.merge([])
    with pytest.raises(ValueError, match="not the sum"):
        narrows.Distribution.read(name, {**both.record, "samples": 1})


def test_notices_of_the_command_line_are_warnings():
    replaced = narrows.Machine("ring-ping-pong").set("ni.rdma.mtu", "4 KiB")
    with pytest.warns(narrows.NarrowsWarning, match="replaces the interface `ring`"):
        replaced.check()
    few_tags = narrows.Machine("pcie-gen4").set("hosts.gen4.pcie.link.tags", 1)
    with pytest.warns(narrows.NarrowsWarning, match="tags"):
        few_tags.run()
    with pytest.warns(narrows.NarrowsWarning, match=r"1 tags of[^$]*\n  At every point \(the first is run.seed=1\)"):
        narrows.sweep(few_tags, {"run.seed": [1, 2]})
