//! Tables and charts of the paper, from results; published numbers are drawn where it gives any.

use super::super::claims::Stated;
use super::super::experiment::Results;
use super::super::run::RunResult;
use super::axes::{self, HOSTS, POLICIES, SIZES, SYSTEMS};
use super::{flow, shapes};
use crate::engine::Time;
use crate::report::{
    Artifact, Axis, BarChart, Column, LineChart, MeanLedger, PacketFlow, Series, Style, Table, ledger, steps,
};

/// The artifact `id`, drawn; a figure of several parts gives several.
pub fn artifact(id: &str, results: &Results, claims: &[Stated]) -> Vec<Artifact> {
    match id {
        "table-1" => vec![table_1(results, claims)],
        "ledger" => vec![ledgers(results)],
        "figure-1" => vec![figure_1(results)],
        "figure-3" => vec![packet_flow(results, "figure-3", FIGURE_3)],
        "figure-4" => vec![packet_flow(results, "figure-4", FIGURE_4)],
        "figure-5" => vec![figure_5(results)],
        "figure-6" => SYSTEMS.iter().map(|(key, name)| figure_6(results, key, name)).collect(),
        "figure-7" => vec![figure_7(results)],
        "trunk" => vec![trunk(results)],
        "minpulse" => vec![minpulse(results)],
        "page-fetch" => vec![page_fetch(results)],
        other => panic!("the study draws no artifact {other}"),
    }
}

fn made(id: &str, title: &str, caption: &str, svg: String, table: Table) -> Artifact {
    Artifact { id: id.into(), title: title.into(), caption: caption.into(), svg: Some(svg), table: Some(table) }
}

fn table_1(results: &Results, claims: &[Stated]) -> Artifact {
    let columns = ["system", "payload", "policy"].map(Column::new).into_iter();
    let numbers = [
        Column::unit("latency", "us").decimals(1),
        Column::unit("latency in the paper", "us").decimals(0),
        Column::unit("bandwidth", "MB/s").decimals(1),
        Column::unit("bandwidth in the paper", "MB/s").decimals(0),
    ];
    let mut table = Table::new(columns.chain(numbers).collect());
    for (key, name) in SYSTEMS {
        for payload in ["4K", "8K"] {
            for (policy, policy_name) in &POLICIES[..2] {
                let published = |what: &str| {
                    let id = format!("T1-{key}-{payload}-{policy}-{what}");
                    claims.iter().find(|claim| claim.id == id).and_then(Stated::expected)
                };
                table.push(vec![
                    name.into(),
                    payload.into(),
                    (*policy_name).into(),
                    axes::latency(results, key, payload, policy).into(),
                    published("latency").into(),
                    axes::bandwidth(results, key, payload, policy).into(),
                    published("bandwidth").into(),
                ]);
            }
        }
    }
    let caption = "One-way latency and bandwidth of 4K and 8K payloads under two delivery policies. Eight entries (8K store-and-forward) were calibrated on; the rest is predicted.";
    Artifact { id: "table-1".into(), title: "Table 1".into(), caption: caption.into(), svg: None, table: Some(table) }
}

fn ledgers(results: &Results) -> Artifact {
    let mut cases = Vec::new();
    for (key, name) in SYSTEMS {
        for (policy, _) in &POLICIES[..2] {
            let point = format!("latency/{key}/8K/{policy}");
            let short = if *policy == "store-and-forward" { "store/forward" } else { "cut-through" };
            cases.extend(results.get(&point).map(|run| (format!("{name}, {short}"), MeanLedger::of(&run.ledgers))));
        }
    }
    let mut columns = vec![Column::new("case"), Column::new("stage")];
    columns.extend(["waiting", "service"].map(|name| Column::unit(name, "us").decimals(2)));
    let mut table = Table::new(columns);
    for (case, ledger) in &cases {
        for stage in &ledger.stages {
            table.push(vec![
                case.as_str().into(),
                stage.name.as_str().into(),
                stage.waiting_us.into(),
                stage.service_us.into(),
            ]);
        }
    }
    let caption = "Where the latency of an 8K message goes, following its last byte: a stage begins when the one before it ends, so the stages sum exactly to the latency, and cut-through shows as short netTx and hostRcv stages.";
    let chart = ledger::comparison("Latency of an 8K payload, by stage", &cases);
    made("ledger", "Where the time goes", caption, chart.svg(), table)
}

/// A table with a column of sizes and one of rates for each series.
fn rates_table(first: Column, series: &[Series]) -> Table {
    let columns = series.iter().map(|series| Column::unit(&series.name, "MB/s").decimals(1));
    let mut table = Table::new(std::iter::once(first).chain(columns).collect());
    let points = series.iter().map(|series| series.points.len()).max().unwrap_or(0);
    for row in 0..points {
        let x = series.iter().find_map(|series| series.points.get(row)).map(|point| point.0 as u64);
        let cells = series.iter().map(|series| series.points.get(row).map(|point| point.1).into());
        table.push(std::iter::once(x.into()).chain(cells).collect());
    }
    table
}

/// Values over sizes; sizes without a value are left out.
fn over_sizes(value: impl Fn(u64) -> Option<f64>) -> Vec<(f64, f64)> {
    SIZES.iter().filter_map(|&size| Some((size as f64, value(size)?))).collect()
}

fn figure_1(results: &Results) -> Artifact {
    let mut series = Vec::new();
    for (key, name) in HOSTS {
        for (direction, word, style) in [("read", "sending", Style::Line), ("write", "receiving", Style::Dashed)] {
            let points = over_sizes(|size| axes::dma(results, key, direction, size));
            series.push(Series::line(format!("{name}, {word}"), points).style(style));
        }
    }
    let table = rates_table(Column::unit("transfer", "B"), &series);
    let chart = LineChart {
        title: "DMA bandwidth of four platforms".into(),
        x: Axis::new("transfer [B]").log2().bytes(),
        y: Axis::new("bandwidth [MB/s]").range(0.0, 140.0),
        series,
    };
    let caption = "PCI bandwidth of DMA transfers by size: sending reads host memory, receiving writes it. The paper's curves are pictures without numbers; Miata's sending side is chosen, not calibrated.";
    made("figure-1", "Figure 1", caption, chart.svg(), table)
}

/// What a packet-flow figure shows: title, caption, and the end of its window.
type Shown = (&'static str, &'static str, Time);

const FIGURE_3: Shown = (
    "Eager cut-through, 8K payloads every 130 us (P6/Natoma)",
    "Transfers on the four DMA engines; a packet keeps its shade in all bands. Each packet clears the network before the next; netTx and netRcv begin with the 128-byte control message, and transfers to a sink grow towards the end of a packet.",
    Time::from_us(700),
);
const FIGURE_4: Shown = (
    "Adaptive cut-through, a stream of 8K payloads (P6/Natoma)",
    "The start of a stream. The first hostTx competes with the processor, which fills the send ring; then transfers to the sinks grow until the receiver takes large ones.",
    Time::from_us(900),
);

/// The four bands of a traced run between two nodes.
fn bands(run: &RunResult, title: &str, end: Time) -> PacketFlow {
    let bands = flow::BANDS.map(|(engine, sends)| (engine, if sends { "sender" } else { "receiver" }, engine));
    let mut graph = PacketFlow::of(title, &run.timeline, &bands);
    graph.transfers.retain(|transfer| transfer.start < end);
    graph.window = (Time::ZERO, end);
    graph
}

fn packet_flow(results: &Results, id: &str, (title, caption, end): Shown) -> Artifact {
    let graph = bands(&results[id], title, end);
    let columns = ["engine", "packet"].map(Column::new).into_iter();
    let numbers =
        [Column::unit("size", "B"), Column::unit("start", "us").decimals(3), Column::unit("end", "us").decimals(3)];
    let mut table = Table::new(columns.chain(numbers).collect());
    for transfer in &graph.transfers {
        let (band, bytes) = (graph.bands[transfer.band].as_str(), transfer.bytes);
        let (start, end) = (transfer.start.as_us(), transfer.end.as_us());
        table.push(vec![band.into(), transfer.packet.into(), bytes.into(), start.into(), end.into()]);
    }
    let name = if id == "figure-3" { "Figure 3" } else { "Figure 4" };
    made(id, name, caption, graph.svg(), table)
}

fn figure_5(results: &Results) -> Artifact {
    let end = Time::from_us(1600);
    let graph = bands(&results["figure-4"], "", end);
    let chart = steps::steps(&graph, "Effective bandwidth of each engine", 512);
    let mut table = Table::new(vec![
        Column::new("engine"),
        Column::unit("time", "us").decimals(1),
        Column::unit("bandwidth", "MB/s").decimals(1),
    ]);
    for series in &chart.series {
        for (time, rate) in &series.points {
            table.push(vec![series.name.as_str().into(), (*time).into(), (*rate).into()]);
        }
    }
    let caption = "Bandwidth of each transfer, idle time before it included (control messages count with the payload behind them), for the stream of Figure 4: the sender's PCI comes up first, then the network, then the receiver's PCI.";
    made("figure-5", "Figure 5", caption, chart.svg(), table)
}

fn figure_6(results: &Results, key: &str, name: &str) -> Artifact {
    let mut series: Vec<Series> = POLICIES
        .iter()
        .map(|(policy, policy_name)| {
            Series::line(*policy_name, over_sizes(|size| axes::stream(results, key, policy, size)))
        })
        .collect();
    let (sender, receiver) = if key == "alcor-to-miata" { ("alcor", "miata") } else { (key, key) };
    for (host, direction, word) in [(sender, "read", "sending PCI"), (receiver, "write", "receiving PCI")] {
        let points = over_sizes(|size| axes::dma(results, host, direction, size));
        series.push(Series::line(word, points).style(Style::Dashed));
    }
    let table = rates_table(Column::unit("payload", "B"), &series);
    let chart = LineChart {
        title: format!("Streams by delivery policy: {name}"),
        x: Axis::new("payload [B]").log2().bytes(),
        y: Axis::new("bandwidth [MB/s]").range(0.0, 140.0),
        series,
    };
    let caption = "Bandwidth of a continuous stream under each policy, over the PCI profiles of Figure 1. Adaptive cut-through follows store-and-forward and the slower PCI channel.";
    made(&format!("figure-6-{key}"), &format!("Figure 6: {name}"), caption, chart.svg(), table)
}

fn figure_7(results: &Results) -> Artifact {
    let cases = [("copy-alone", 0), ("both", 0), ("dma-alone", 1), ("both", 1)];
    let names = ["copy alone", "copy with DMA", "DMA alone", "DMA with copy"];
    let value = |host: &str, (case, which): (&str, usize)| {
        axes::competing(results, host, case).map_or(f64::NAN, |(copy, dma)| [copy, dma][which])
    };
    let series: Vec<(&str, Vec<f64>)> = names
        .iter()
        .zip(cases)
        .map(|(name, case)| (*name, HOSTS.iter().map(|(host, _)| value(host, case)).collect()))
        .collect();
    let mut columns = vec![Column::new("host")];
    columns.extend(names.map(|name| Column::unit(name, "MB/s").decimals(1)));
    let mut table = Table::new(columns);
    for (index, (_, name)) in HOSTS.iter().enumerate() {
        let cells = series.iter().map(|(_, values)| values[index].into());
        table.push(std::iter::once((*name).into()).chain(cells).collect());
    }
    let chart = BarChart::grouped(
        "Block copy and send DMA, alone and together",
        "bandwidth [MB/s]",
        &HOSTS.map(|(_, name)| name),
        &series,
    );
    let caption = "Memory bandwidth that the processor's block copy and the interface's DMA reads get. The paper's bars are pictures; it says that Natoma slows the DMA by almost 70 %, that CIA starves the processor, and that 440LX and Pyxis nearly carry both.";
    made("figure-7", "Figure 7", caption, chart.svg(), table)
}

fn trunk(results: &Results) -> Artifact {
    let mut table = Table::new(vec![
        Column::new("policy"),
        Column::unit("trunk held per packet, slow sender alone", "us").decimals(1),
        Column::unit("slow sender alone", "MB/s").decimals(1),
        Column::unit("fast sender alone", "MB/s").decimals(1),
        Column::unit("slow beside fast", "MB/s").decimals(1),
        Column::unit("fast beside slow", "MB/s").decimals(1),
    ]);
    let mut bars: Vec<(&str, Vec<f64>)> =
        ["slow alone", "fast alone", "slow beside fast", "fast beside slow"].map(|name| (name, Vec::new())).into();
    for (policy, name) in POLICIES {
        let metric = |senders: &str, name: &str| axes::metric(results, &format!("trunk/{policy}/{senders}"), name);
        let rates = [
            metric("slow-alone", "message.bandwidth"),
            metric("fast-alone", "message.bandwidth"),
            metric("both", "flow.a.c.bandwidth"),
            metric("both", "flow.b.d.bandwidth"),
        ];
        for ((_, bar), rate) in bars.iter_mut().zip(rates) {
            bar.push(rate.unwrap_or(f64::NAN));
        }
        let hold = shapes::trunk_hold(results, policy);
        table.push([vec![name.into(), hold.into()], rates.map(Into::into).into()].concat());
    }
    let chart =
        BarChart::grouped("Two senders share a trunk", "bandwidth [MB/s]", &POLICIES.map(|(_, name)| name), &bars);
    let caption = "A P6/Natoma (slow) and a Pentium II (fast) send 8K payloads to different receivers over one 160 MB/s trunk. Under cut-through a packet holds the trunk for as long as its sender's PCI takes; a stalled sender accumulates bytes and leaves cut-through.";
    made("trunk", "Trunk bandwidth (§3.5)", caption, chart.svg(), table)
}

fn minpulse(results: &Results) -> Artifact {
    let latency =
        |key: &str, minpulse| axes::metric(results, &format!("minpulse/{key}/{minpulse}"), "message.latency_one_way");
    let series: Vec<Series> =
        SYSTEMS.iter().map(|(key, name)| Series::line(*name, over_sizes(|size| latency(key, size)))).collect();
    let columns = SYSTEMS.map(|(_, name)| Column::unit(name, "us").decimals(1));
    let mut table = Table::new(std::iter::once(Column::unit("minpulse", "B")).chain(columns).collect());
    for size in &SIZES[..7] {
        let cells = SYSTEMS.iter().map(|(key, _)| latency(key, *size).into());
        table.push(std::iter::once((*size).into()).chain(cells).collect());
    }
    let chart = LineChart {
        title: "Latency of an 8K payload by minpulse".into(),
        x: Axis::new("minpulse [B]").log2().bytes(),
        y: Axis::new("one-way latency [µs]").range(0.0, 300.0),
        series,
    };
    let caption = "The cut-through threshold against latency. With eager transfers the smallest threshold is best; at 8 KiB a packet is stored and forwarded.";
    made("minpulse", "The threshold (§3.1)", caption, chart.svg(), table)
}

fn page_fetch(results: &Results) -> Artifact {
    let latency = |key: &str, payload: &str, policy: &str| {
        axes::metric(results, &format!("page-fetch/{key}/{payload}/{policy}"), "fetch.latency")
    };
    let cases: Vec<(&str, &str, String)> = ["4K", "8K"]
        .into_iter()
        .flat_map(|payload| POLICIES.map(|(policy, name)| (payload, policy, format!("{payload}, {name}"))))
        .collect();
    let mut table = Table::new(
        std::iter::once(Column::new("system"))
            .chain(cases.iter().map(|(_, _, name)| Column::unit(name, "us").decimals(1)))
            .collect(),
    );
    for (key, name) in SYSTEMS {
        let cells = cases.iter().map(|(payload, policy, _)| latency(key, payload, policy).into());
        table.push(std::iter::once(name.into()).chain(cells).collect());
    }
    let series: Vec<(&str, Vec<f64>)> = cases
        .iter()
        .map(|(payload, policy, name)| {
            let values = SYSTEMS.iter().map(|(key, _)| latency(key, payload, policy).unwrap_or(f64::NAN));
            (name.as_str(), values.collect())
        })
        .collect();
    let chart = BarChart::grouped(
        "A page fault served by another node's memory",
        "fault [µs]",
        &SYSTEMS.map(|(_, name)| name),
        &series,
    );
    let caption = "From a fault to its page in the frame: a control message asks, a page with a tag answers, steered by the incoming payload table. The paper gives no numbers for it; Alcor to Miata faults on Alcor.";
    made("page-fetch", "Page fetch", caption, chart.svg(), table)
}
