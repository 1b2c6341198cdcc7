//! One message of each interface: where its time goes, and what it does on the buses.

use super::super::experiment::Results;
use super::axes::{self, INTERFACES};
use super::figures::made;
use crate::report::{Artifact, BarChart, Column, MeanLedger, Table};

/// Where a stage of a journey is spent, from the bottom of the bars.
const PLACES: [&str; 5] = ["processor", "bus", "interface", "wire", "other"];

/// The place, by number, of the stage `name`: stages are told as `send: bus`, `wire`, `receive: poll`.
fn place(name: &str) -> usize {
    match name.rsplit(": ").next().unwrap_or(name) {
        "processor" | "poll" | "earlier fragments" => 0,
        "bus" => 1,
        "interface" => 2,
        "wire" => 3,
        _ => 4,
    }
}

/// A ledger's time in each place, in µs.
pub fn by_place(ledger: &MeanLedger) -> [f64; PLACES.len()] {
    let mut times = [0.0; PLACES.len()];
    for stage in &ledger.stages {
        times[place(&stage.name)] += stage.total_us();
    }
    times
}

/// The journey of a 64-byte message through each interface.
pub fn ledgers(results: &Results) -> Artifact {
    let ledger = |key: &str| results.get(&format!("latency/{key}/64")).map(|run| MeanLedger::of(&run.ledgers));
    let cases = INTERFACES.iter().filter_map(|(key, name)| Some((*name, ledger(key)?)));
    let cases: Vec<(&str, MeanLedger)> = cases.collect();
    let mut columns = vec![Column::new("interface"), Column::new("stage"), Column::new("place")];
    columns.extend(["waiting", "service"].map(|name| Column::unit(name, "us").decimals(3)));
    let mut table = Table::new(columns);
    for (case, ledger) in &cases {
        for stage in &ledger.stages {
            table.push(vec![
                (*case).into(),
                stage.name.as_str().into(),
                PLACES[place(&stage.name)].into(),
                stage.waiting_us.into(),
                stage.service_us.into(),
            ]);
        }
    }
    let bars: Vec<(&str, [f64; 5])> = cases.iter().map(|(case, ledger)| (*case, by_place(ledger))).collect();
    let places = if bars.iter().any(|(_, times)| times[4] > 0.0) { 5 } else { 4 };
    let chart = BarChart::stacked(
        "A 64-byte message, one way",
        "mean time [µs]",
        &PLACES[..places],
        bars.into_iter().map(|(case, times)| (case.to_owned(), times[..places].to_vec())),
    );
    let caption = "Where the time of a 64-byte message goes, from the call to send until it is in the user's buffer. Processor: instructions, and the wait until a poll sees the message; bus: accesses that left the processor, waiting for the bus included; interface: its logic and its own transfers; wire: the network. The paper gives no such numbers.";
    made("ledger", "Where the time goes", caption, Some(chart.svg()), table)
}

/// Kinds of bus transaction, as metrics name them, and in words.
const KINDS: [(&str, &str); 8] = [
    ("read-word", "uncached read"),
    ("write-word", "uncached write"),
    ("read-block", "block read"),
    ("write-block", "block write"),
    ("read", "read"),
    ("read-exclusive", "read exclusive"),
    ("invalidate", "invalidate"),
    ("write-back", "write-back"),
];

/// What a 64-byte message costs on the sender's and on the receiver's bus.
pub fn transactions(results: &Results) -> Vec<Artifact> {
    ["sender", "receiver"].map(|node| on_bus(results, node)).into()
}

fn on_bus(results: &Results, node: &str) -> Artifact {
    let counts = |key: &str| KINDS.map(|(kind, _)| axes::transactions(results, key, node, kind));
    let heads = KINDS.map(|(_, name)| Column::new(name).decimals(2));
    let mut table = Table::new(std::iter::once(Column::new("interface")).chain(heads).collect());
    let mut bars = Vec::new();
    for (key, name) in INTERFACES {
        let counts = counts(key);
        table.push(std::iter::once(name.into()).chain(counts.map(Into::into)).collect());
        bars.push((name.to_owned(), counts.map(|count| count.unwrap_or(f64::NAN)).to_vec()));
    }
    let title = format!("Bus transactions of a 64-byte message, {node}");
    let chart = BarChart::stacked(&title, "transactions per message", &KINDS.map(|(_, name)| name), bars);
    let caption = "Transactions on the node's memory bus for each message of a stream, by kind. Polls of a side that waits for the other count too. The paper gives no such numbers for its microbenchmarks.";
    made(&format!("transactions-{node}"), &title, caption, Some(chart.svg()), table)
}
