//! Figures 2, 3, 6 to 9: bars by network and interface.

use super::super::axes::{self, INTERFACES, Interface, LIBRARIES, LOADS, NETWORKS, SHIFTS, delivered};
use super::super::shapes::real;
use super::made;
use crate::report::{Artifact, BarChart, Cell, Column, Table};
use crate::study::experiment::Results;

/// Bars in groups: what the groups are, what the bars of each are, and their heights.
struct Bars<'a> {
    id: &'a str,
    title: &'a str,
    caption: &'a str,
    /// The quantity, with its unit in brackets.
    axis: &'a str,
    unit: &'a str,
    groups: Vec<&'a str>,
    bars: Vec<&'a str>,
}

impl Bars<'_> {
    fn draw(&self, height: impl Fn(usize, usize) -> Option<f64>) -> Artifact {
        let heads = self.bars.iter().map(|bar| Column::unit(*bar, self.unit));
        let mut table = Table::new(std::iter::once(Column::new("")).chain(heads).collect());
        for (group, name) in self.groups.iter().enumerate() {
            let cells = (0..self.bars.len()).map(|bar| Cell::from(height(group, bar)));
            table.push(std::iter::once(Cell::from(*name)).chain(cells).collect());
        }
        let heights = |bar| (0..self.groups.len()).map(|group| height(group, bar).unwrap_or(f64::NAN)).collect();
        let series: Vec<(&str, Vec<f64>)> = self.bars.iter().enumerate().map(|(i, bar)| (*bar, heights(i))).collect();
        let chart = BarChart::grouped(self.title, self.axis, &self.groups, &series);
        made(self.id, self.title, self.caption, Some(chart.svg()), table)
    }
}

fn networks() -> Vec<&'static str> {
    NETWORKS.iter().map(|network| network.name).collect()
}

fn names(interfaces: &[Interface]) -> Vec<&'static str> {
    interfaces.iter().map(|(_, name)| *name).collect()
}

/// Figures 2 and 3.
pub fn synthetic(id: &str, load: &str, results: &Results) -> Artifact {
    let number = id.rsplit('-').next().unwrap_or_default();
    let bars = Bars {
        id,
        title: &format!("Figure {number}: packets delivered under {load} traffic"),
        caption: "Packets that processors accepted within the run (1 000 000 cycles; fewer under --quick), 64 nodes. Buffers only: as many as NIFDY has, half of them for arrivals. NIFDY: the parameters of Table 3. What in-order delivery saves beside is not in these.",
        axis: "packets delivered",
        unit: "",
        groups: networks(),
        bars: names(&INTERFACES),
    };
    bars.draw(|network, interface| delivered(results, load, INTERFACES[interface].0, NETWORKS[network].key))
}

/// Figure 6.
pub fn shift(results: &Results) -> Artifact {
    let bars = Bars {
        id: "figure-6",
        title: "Figure 6: throughput of a cyclic shift on a 32-node CM-5 network",
        caption: "Words of payload that arrive at a node, for each cycle. Barriers stand between phases. Without in-order delivery every packet says where its words belong.",
        axis: "throughput [words/cycle/node]",
        unit: "words/cycle/node",
        groups: names(&SHIFTS),
        bars: vec!["throughput"],
    };
    bars.draw(|case, _| real::throughput(results, SHIFTS[case].0))
}

/// Figures 7 and 8.
pub fn em3d(id: &str, load: &str, results: &Results) -> Artifact {
    let number = id.rsplit('-').next().unwrap_or_default();
    let less = if load == "light" { "less" } else { "more" };
    let bars = Bars {
        id,
        title: &format!("Figure {number}: EM3D with {less} communication"),
        caption: "Cycles for an iteration; fewer are better. On the 2-D mesh and the butterfly, which deliver in order by themselves, all runs use the library that relies on it, and NIFDY− has no run of its own.",
        axis: "cycles for an iteration",
        unit: "cycles",
        groups: networks(),
        bars: names(&LIBRARIES),
    };
    bars.draw(|network, library| axes::em3d(results, load, LIBRARIES[library].0, NETWORKS[network].key))
}

/// Radix sort's bars: interface, delay, name.
const RADIX: [(&str, &str, &str); 4] = [
    ("none", "without", "no NIFDY, without delay"),
    ("none", "with", "no NIFDY, with delay"),
    ("nifdy", "without", "NIFDY, without delay"),
    ("nifdy", "with", "NIFDY, with delay"),
];

/// Figure 9, and the phase that the paper does not show.
pub fn radix(results: &Results) -> Vec<Artifact> {
    let phase = |id, phase, title, caption| {
        let bars = Bars {
            id,
            title,
            caption,
            axis: "cycles",
            unit: "cycles",
            groups: networks(),
            bars: RADIX.iter().map(|(_, _, name)| *name).collect(),
        };
        bars.draw(|network, bar| axes::radix(results, RADIX[bar].0, NETWORKS[network].key, RADIX[bar].1, phase))
    };
    vec![
        phase(
            "figure-9",
            "scan",
            "Figure 9: one scan of radix sort",
            "Cycles for the scan of all buckets of an 8-bit radix over 64 processors. Delays stand between consecutive sends to the same destination.",
        ),
        phase(
            "figure-9-coalesce",
            "coalesce",
            "Coalesce of radix sort",
            "Cycles in which every key is sent to its destination, one packet each; the delays are of the scan and do not matter here.",
        ),
    ]
}

/// Adaptive routing on a mesh, with and without NIFDY.
pub fn adaptive(results: &Results) -> Artifact {
    const CASES: [(&str, &str, &str); 4] = [
        ("none", "dimension-order", "no NIFDY, dimension order"),
        ("none", "minimal-adaptive", "no NIFDY, adaptive"),
        ("nifdy", "dimension-order", "NIFDY, dimension order"),
        ("nifdy", "minimal-adaptive", "NIFDY, adaptive"),
    ];
    let bars = Bars {
        id: "extensions-adaptive",
        title: "§6.3: adaptive routing on an 8x8 mesh",
        caption: "Packets delivered in 200 000 cycles (fewer under --quick) on a mesh of two virtual channels with four flits each, routed by dimension order or minimally adaptive.",
        axis: "packets delivered",
        unit: "",
        groups: vec!["heavy traffic", "light traffic"],
        bars: CASES.iter().map(|(_, _, name)| *name).collect(),
    };
    bars.draw(|load, case| {
        let (interface, routing, _) = CASES[case];
        axes::metric(results, &format!("adaptive-{interface}/{routing}/{}", LOADS[load]), "packets.delivered")
    })
}
