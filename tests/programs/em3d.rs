//! Tests of EM3D: its field equals that of a serial run, and its numbers of messages follow from the graph.

use super::*;

const LIGHT_GRAPH: &str = "em3d]\nn-nodes = 20\niterations = 3";
const HEAVY_GRAPH: &str = "em3d]\nn-nodes = 20\niterations = 3\nd-nodes = 20\nlocal-p = 3\ndist-span = 7";

#[test]
fn field_equals_that_of_a_serial_run() {
    for test_machine in [SYNTHETIC, UNORDERED, CM5] {
        test_machine.run(LIGHT_GRAPH);
        test_machine.run(HEAVY_GRAPH);
        test_machine.nodes(2).run("em3d]\nn-nodes = 3\nlocal-p = 0\ndist-span = 1");
        test_machine.run("em3d]\nn-nodes = 3\nlocal-p = 100");
    }
    assert_eq!(UNORDERED.run(HEAVY_GRAPH).metrics, UNORDERED.run(HEAVY_GRAPH).metrics, "runs are reproducible");
}

#[test]
fn number_of_messages_is_inverse_to_the_group_size() {
    for test_machine in [SYNTHETIC, UNORDERED, CM5] {
        let [group_1_messages, group_5_messages] = [1, 5].map(|group| {
            let result = test_machine.run(&format!("{HEAVY_GRAPH}\nsends = \"groups\"\ngroup = {group}"));
            metric(&result, "em3d.messages")
        });
        let updates = metric(&test_machine.run(&format!("{HEAVY_GRAPH}\nsends = \"updates\"")), "em3d.messages");
        assert_eq!(group_1_messages, updates);
        assert!(
            group_5_messages < 0.3 * group_1_messages && group_5_messages >= 0.2 * group_1_messages,
            "{group_5_messages} of {group_1_messages}"
        );
    }
}

#[test]
fn loads_from_shared_memory_give_the_same_field() {
    for test_machine in [SYNTHETIC, UNORDERED, CM5] {
        let [local, light] = ["local-p = 100\nn-nodes = 20", &LIGHT_GRAPH["em3d]\n".len()..]].map(|text| {
            let result = test_machine.run(&format!("em3d]\n{text}\nsends = \"loads\""));
            (metric(&result, "shared_memory.faults"), metric(&result, "em3d.packets"))
        });
        assert_eq!(local, (0.0, 0.0), "local values have no faults");
        assert!(
            light.0 > 1.0 && light.1 > 4.0 * light.0,
            "each fault has a request and an answer, and writes add more"
        );
    }
}

#[test]
fn more_arcs_between_processors_take_more_packets_and_cycles() {
    let (light, heavy) = (CM5.run(LIGHT_GRAPH), CM5.run(HEAVY_GRAPH));
    let [packets, cycles] =
        ["em3d.packets", "em3d.cycles_per_iteration"].map(|name| move |result| metric(result, name));
    assert!(packets(&heavy) > 2.0 * packets(&light));
    assert!(cycles(&heavy) > 1.5 * cycles(&light));
    // All processors need values of all others, so each sends a message to every other in both half steps.
    assert_eq!(metric(&heavy, "em3d.messages"), (3 * 2 * 8 * 7) as f64);
    assert_eq!(metric(&heavy, "packets.sent"), packets(&heavy), "barriers send no packets");
}

#[test]
fn updates_are_20_byte_messages_of_one_value() {
    for test_machine in [SYNTHETIC, UNORDERED, CM5] {
        let result = test_machine.run(&format!("{HEAVY_GRAPH}\nsends = \"updates\""));
        let messages_of_size = |bytes| metric(&result, &format!("messages.size.{bytes}"));
        assert_eq!(messages_of_size(20), metric(&result, "em3d.messages"));
        // In three iterations, each processor reports its counts to seven others, for both sides.
        assert_eq!(messages_of_size(12), (2 * 3 * 8 * 7) as f64);
        assert_eq!(messages_of_size(12) + messages_of_size(20), metric(&result, "packets.sent"));
    }
    // The number of values equals that of transfers, in which a value takes 8 bytes.
    let [transfers, updates] = ["transfers", "updates"].map(|exchange| {
        let result = SYNTHETIC.run(&format!("{LIGHT_GRAPH}\nsends = \"{exchange}\""));
        result.metrics.into_iter().filter(|metric| metric.name.starts_with("messages.size."))
    });
    let bytes = |metric: &narrows::engine::Metric| {
        metric.name["messages.size.".len()..].parse::<f64>().expect("the size is a number")
    };
    let values: f64 = transfers.map(|metric| (bytes(&metric) - 8.0) / 8.0 * metric.value).sum();
    let sent_updates: f64 = updates.filter(|metric| bytes(metric) == 20.0).map(|metric| metric.value).sum();
    assert_eq!(values, sent_updates);
}

#[test]
fn local_graphs_need_only_computation_and_barriers() {
    let result = SYNTHETIC.run("em3d]\nlocal-p = 100\nn-nodes = 10\nd-nodes = 4\narc-cycles = 5");
    assert_eq!(metric(&result, "em3d.cycles_per_iteration"), (2 * (10 * 4 * 5 + BARRIER)) as f64);
    assert_eq!(metric(&result, "em3d.packets"), 0.0);
}
