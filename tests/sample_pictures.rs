//! Draws one picture of each kind from invented data, for inspection by eye: `cargo test --test all sample_pictures::
//! -- --ignored` writes the pictures to the folder `narrows-gallery` in the system's temporary folder.

use narrows::engine::Time;
use narrows::report::*;

// The invented data of the unit tests.
#[path = "../crates/study/src/report/claim/samples.rs"]
mod claims;
#[path = "../crates/study/src/report/packet_flow/samples.rs"]
mod flows;

fn latency() -> LineChart {
    let sizes = || (6..=13).map(|i| f64::from(1 << i));
    let curve = |base: f64, rate: f64| sizes().map(|x| (x, base + x / rate)).collect::<Vec<_>>();
    let mut series = vec![
        Series::line("store and forward", curve(42.0, 47.0)),
        Series::line("eager cut-through", curve(33.0, 99.0)),
        Series::line("adaptive cut-through, 128 B minpulse", curve(33.5, 96.0)),
        Series::line("shared memory on the I/O bus", curve(20.0, 61.0)).style(Style::Dashed),
        Series::line("no DMA at all", curve(12.0, 38.0)),
        Series::line("ideal wire", curve(8.0, 130.0)).style(Style::Dashed),
    ];
    series.push(Series::published("published", vec![(4096.0, 122.0), (8192.0, 215.0)], 0));
    series.push(Series::published("published", vec![(4096.0, 73.0), (8192.0, 116.0)], 1));
    let title = "One-way latency of payloads under NIC DMA policies, P6/Natoma";
    LineChart {
        title: title.into(),
        x: Axis::new("payload [B]").log2().bytes(),
        y: Axis::new("one-way latency [µs]"),
        series,
        notes: Vec::new(),
    }
}

fn saturation() -> LineChart {
    let curve = |saturation_load: f64| {
        (1..60)
            .map(|i| f64::from(i) * 0.01)
            .filter(|x| *x < saturation_load)
            .map(|x| (x, 20.0 / (1.0 - x / saturation_load)))
            .collect()
    };
    LineChart {
        title: "Latency against offered traffic".into(),
        x: Axis::new("offered traffic [fraction of capacity]").range(0.0, 0.6),
        y: Axis::new("latency [cycles]").log10(),
        series: vec![Series::line("dimension order", curve(0.38)), Series::line("adaptive", curve(0.55))],
        notes: vec![
            Note { position: 0.38, is_vertical: true, text: "saturated".into() },
            Note { position: 100.0, is_vertical: false, text: "a bound".into() },
        ],
    }
}

fn bars() -> BarChart {
    let categories = ["spsolve", "gauss", "em3d", "moldyn", "appbt"];
    let series: Vec<(&str, Vec<f64>)> = ["NI2w", "CNI4", "CNI16Q", "CNI512Q", "CNI16Qm"]
        .into_iter()
        .enumerate()
        .map(|(i, name)| (name, (0..5).map(|k| 1.0 + 0.2 * i as f64 + 0.13 * ((k * i) % 4) as f64).collect()))
        .collect();
    let mut chart = BarChart::grouped("Speedup over NI2w on the memory bus", "speedup", &categories, &series);
    for (group_index, group) in chart.groups.iter_mut().enumerate() {
        group.bars[4].published = Some(1.7 + 0.1 * group_index as f64);
    }
    chart
}

fn grouped_stacks() -> BarChart {
    let bar = |name: &str, k: f64| Bar { name: name.into(), parts: vec![3.0 * k, 2.0, 1.5 / k, 0.7], published: None };
    let group = |name: &str, k| Group {
        name: name.into(),
        bars: vec![bar("polling", k), bar("interrupt", k * 1.3), bar("shared memory", k * 0.8)],
    };
    BarChart {
        title: "Execution time".into(),
        y: Axis::new("time [10⁶ cycles]"),
        legend: ["compute", "wait for memory", "messages", "synchronisation"].map(str::to_owned).to_vec(),
        is_stacked: true,
        groups: vec![group("EM3D", 1.0), group("UNSTRUC", 1.5), group("ICCG", 0.8), group("MOLDYN", 1.2)],
    }
}

fn many_bars() -> BarChart {
    let names =
        ["round trip at 16 bytes", "round-trip", "uncached", "multiprogrammed scientific workload", "write-through"];
    let names: Vec<String> = (0..20).map(|i| format!("{} {i}", names[i % 5])).collect();
    let categories: Vec<&str> = names.iter().map(String::as_str).collect();
    let series =
        [("one", (0..20).map(f64::from).collect()), ("two", (0..20).map(|i| 3e5 / f64::from(i + 1)).collect())];
    BarChart::grouped(
        "Many bars with long names, under a heading that is itself rather longer than the picture is wide",
        "time [µs]",
        &categories,
        &series,
    )
}

fn many_lines() -> LineChart {
    let name = |i| format!("interface {i} with a rather long description of what it does");
    let line = |i: i32| Series::line(name(i), (0..8).map(|k| (f64::from(1 << k), f64::from(i * k * 12_345))).collect());
    LineChart {
        title: "Many lines".into(),
        x: Axis::new("nodes").log2(),
        y: Axis::new("messages"),
        series: (1..11).map(line).collect(),
        notes: Vec::new(),
    }
}

fn heat_map() -> HeatMap {
    // The data show a pile of packets that moves from receiver to receiver, grows, and dissipates.
    let pile = |row: f64, t: f64, start_row: f64, speed: f64, growth: f64| {
        let distance =
            (row - start_row - speed * t).rem_euclid(32.0).min(32.0 - (row - start_row - speed * t).rem_euclid(32.0));
        (growth * t - 1.5 * distance).max(0.0)
    };
    let pending_without = |row: f64, t: f64| {
        (1.0 + (row * 7.3 + t * 31.0).sin()) * 1.5
            + pile(row, t, 5.0, 9.0, 11.0)
            + pile(row, t, 19.0, 6.0, 9.0)
            + pile(row, t, 27.0, 12.0, 7.0)
    };
    let pending_with = |row: f64, t: f64| {
        (1.0 + (row * 5.1 + t * 23.0).sin()) * 0.8 + pile(row, (t * 3.0).rem_euclid(1.0), 12.0, 4.0, 9.0)
    };
    let panel = |name: &str, end_cycles: f64, value: &dyn Fn(f64, f64) -> f64| Panel {
        name: name.into(),
        rows: (0..32).map(|row| (0..150).map(|t| value(f64::from(row), f64::from(t) / 60.0)).collect()).collect(),
        end: end_cycles,
    };
    HeatMap {
        title: "Pending packets per receiver, cyclic shift on a 32-node CM-5 tree".into(),
        x: Axis::new("time [10³ cycles]"),
        y: "receiver".into(),
        shades: "pending packets".into(),
        shade_max: 20.0,
        panels: vec![panel("without NIFDY", 212.0, &pending_without), panel("with NIFDY", 134.0, &pending_with)],
    }
}

fn stage(name: &str, waiting_us: f64, service_us: f64) -> ledger::MeanStage {
    ledger::MeanStage { name: name.into(), waiting_us, service_us }
}

fn mean_ledger(k: f64) -> MeanLedger {
    let stages = vec![
        stage("send call", 0.1, 2.1),
        stage("host to interface", 4.2 * k, 66.0),
        stage("network transmit", 8.0, 21.0 * k),
        stage("switch", 0.0, 0.5),
        stage("interface to host", 12.0 * k, 17.0),
        stage("receive poll", 1.0, 0.8),
    ];
    MeanLedger { messages: 1000, stages }
}

/// Returns an artifact with its picture.
fn artifact(id: &str, title: &str, svg: String, table: Option<ReportTable>) -> Artifact {
    Artifact {
        id: id.into(), title: title.into(), svg: Some(svg), table, explorer: None,
        caption: "The caption states what to look for: the crossover between the two policies, and how far the marks lie from the lines.".into(),
    }
}

/// Returns one artifact of each picture.
fn artifacts(flow: &PacketFlow, table: ReportTable) -> Vec<Artifact> {
    vec![
        Artifact {
            svg: None,
            ..artifact("table-1", "Table 1: latency under DMA policies", String::new(), Some(table.clone()))
        },
        artifact("figure-3", "Latency", latency().svg(), Some(table)),
        artifact("figure-4", "Figure 4: packet flow", flow.svg(), None),
        artifact(
            "figure-5",
            "Figure 5: effective bandwidth",
            steps::steps(flow, "Effective bandwidth of each engine", 256).svg(),
            None,
        ),
        artifact("saturation", "Saturation", saturation().svg(), None),
        artifact("congestion", "Congestion", heat_map().svg(), None),
        artifact("speedup", "Speedup", bars().svg(), None),
        artifact("breakdown", "Breakdown", grouped_stacks().svg(), None),
        artifact(
            "ledger",
            "Mean ledger",
            mean_ledger(1.0).chart("Where the time goes").svg(),
            Some(mean_ledger(1.0).table()),
        ),
        artifact(
            "comparison",
            "Comparison",
            ledger::comparison(
                "Two cases",
                &[
                    ("eager cut-through".into(), mean_ledger(1.0)),
                    ("store and forward".into(), mean_ledger(2.0)),
                    ("adaptive".into(), mean_ledger(0.5)),
                ],
            )
            .svg(),
            None,
        ),
    ]
}

fn report() -> PaperReport {
    let mut claim_list: Vec<Claim> = (0..8)
        .map(|i| {
            claims::number(&format!("R{}.{i}", i / 3 + 1), 116.0 + f64::from(i) * 9.0, 118.0 + f64::from(i) * 9.9, 0.05)
        })
        .collect();
    claim_list.push(claims::number("R4", 100.0, 131.0, 0.1));
    claim_list.push(claims::shape("R5", Some(true)));
    claim_list.push(claims::shape("R6", Some(false)));
    claim_list.push(claims::shape("R7", None));
    claim_list[2].note = Some("The text says 73 µs, the table 70 µs; the table is taken.".into());
    let flow = flows::stream(9);
    let mut table = ReportTable::new(vec![
        Column::new("system"),
        Column::unit("payload", "B"),
        Column::unit("latency", "µs").decimals(1),
    ]);
    table.push(vec!["P6/Natoma".into(), 4096u64.into(), 73.13.into()]);
    table.push(vec!["Alcor to Miata".into(), 8192u64.into(), 124.7.into()]);
    let mut report = PaperReport::default();
    report.paper = "trapeze".into();
    report.title = "Balancing DMA Latency and Bandwidth in a High-Speed Network Adapter".into();
    report.reference =
        "Yocum, Anderson, Chase, Gadde, Gallatin, Lebeck. Duke University, CS-1997-20, November 1997.".into();
    report.summary = "Cut-through delivery inside the adapter nearly halves the latency of an 8 KiB payload but costs bandwidth; adaptive cut-through degrades to store-and-forward under load and so has both.".into();
    report.claims = claim_list;
    report.artifacts = artifacts(&flow, table);
    report.provenance =
        Provenance { command: "narrows reproduce trapeze".into(), version: "0".into(), ..Provenance::default() };
    report
}

#[test]
#[ignore = "draws pictures to be looked at"]
fn pictures_of_every_kind_are_written() {
    let folder = std::env::temp_dir().join("narrows-gallery");
    report().write(&folder).unwrap();
    let mut zoom = flows::stream(3);
    zoom.window = (Time::ZERO, Time::from_us(200));
    let mut long_stream = flows::stream(40);
    long_stream.title = "A long stream".into();
    std::fs::write(folder.join("zoom.svg"), zoom.svg()).unwrap();
    std::fs::write(folder.join("crowd.svg"), long_stream.svg()).unwrap();
    std::fs::write(folder.join("many-bars.svg"), many_bars().svg()).unwrap();
    std::fs::write(folder.join("many-lines.svg"), many_lines().svg()).unwrap();
    println!("{}", report().text());
}
