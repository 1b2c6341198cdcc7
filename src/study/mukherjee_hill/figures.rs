//! Tables and charts of the paper, from results; published numbers are drawn where it gives any.

use super::super::claims::Stated;
use super::super::experiment::Results;
use super::axes::{self, INTERFACES, Interface, ROUND_TRIP_SIZES, SIZES, STREAM_SIZES, TABLE};
use super::{message, shapes};
use crate::report::{Artifact, Axis, Bar, BarChart, Column, Group, LineChart, Series, Style, Table};

/// The artifact `id`, drawn; a figure of several parts gives several.
pub fn artifact(id: &str, results: &Results, claims: &[Stated]) -> Vec<Artifact> {
    match id {
        "table-5" => vec![table_5(&LATENCY, results, claims), table_5(&BANDWIDTH, results, claims)],
        "latency" => vec![curves(&LATENCY, results, claims)],
        "bandwidth" => vec![curves(&BANDWIDTH, results, claims)],
        "break-even" => CROSSINGS.map(|crossing| break_even(results, &crossing)).into(),
        "ledger" => vec![message::ledgers(results)],
        "transactions" => message::transactions(results),
        "memory-time" => sensitivity(&MEMORY_TIME, results),
        "bus-width" => sensitivity(&BUS_WIDTH, results),
        "flow-control-buffers" => sensitivity(&BUFFERS, results),
        other => panic!("the study draws no artifact {other}"),
    }
}

/// An artifact of these parts.
pub fn made(id: &str, title: &str, caption: &str, svg: Option<String>, table: Table) -> Artifact {
    Artifact { id: id.into(), title: title.into(), caption: caption.into(), svg, table: Some(table) }
}

/// What is measured of an interface over sizes.
struct Quantity {
    /// In ids of claims and artifacts.
    key: &'static str,
    name: &'static str,
    unit: &'static str,
    decimals: usize,
    sizes: &'static [u64],
    of: fn(&Results, &str, u64) -> Option<f64>,
    varied: fn(&Results, &str, &str, &str, u64) -> Option<f64>,
}

const LATENCY: Quantity = Quantity {
    key: "latency",
    name: "round-trip latency",
    unit: "us",
    decimals: 2,
    sizes: &ROUND_TRIP_SIZES,
    of: axes::latency,
    varied: axes::varied_latency,
};

const BANDWIDTH: Quantity = Quantity {
    key: "bandwidth",
    name: "bandwidth",
    unit: "MB/s",
    decimals: 1,
    sizes: &STREAM_SIZES,
    of: axes::bandwidth,
    varied: axes::varied_bandwidth,
};

impl Quantity {
    fn axis(&self) -> Axis {
        let unit = if self.unit == "us" { "µs" } else { self.unit };
        Axis::new(format!("{} [{unit}]", self.name))
    }
}

fn table_5(quantity: &Quantity, results: &Results, claims: &[Stated]) -> Artifact {
    let measured = |size| Column::unit(format!("{size} B"), quantity.unit).decimals(quantity.decimals);
    let paper = |size| {
        Column::unit(format!("{size} B in the paper"), quantity.unit).decimals(if quantity.unit == "us" {
            2
        } else {
            0
        })
    };
    let columns = quantity.sizes.iter().flat_map(|size| [measured(size), paper(size)]);
    let mut table = Table::new(std::iter::once(Column::new("interface")).chain(columns).collect());
    let mut groups = Vec::new();
    for (key, name) in INTERFACES {
        let value = |size: &u64| (quantity.of)(results, key, *size);
        let published = |size: &u64| axes::published(claims, key, quantity.key, *size);
        let cells = quantity.sizes.iter().flat_map(|size| [value(size).into(), published(size).into()]);
        table.push(std::iter::once(name.into()).chain(cells).collect());
        let bar = |size: &u64| Bar {
            parts: vec![value(size).unwrap_or(f64::NAN)],
            published: published(size),
            ..Bar::default()
        };
        groups.push(Group { name: name.into(), bars: quantity.sizes.iter().map(bar).collect() });
    }
    let title = format!("Table 5: {}", quantity.name);
    let chart = BarChart {
        title: title.clone(),
        y: quantity.axis(),
        legend: quantity.sizes.iter().map(|size| format!("{size} B")).collect(),
        stacked: false,
        groups,
    };
    let id = if quantity.key == "latency" { "table-5" } else { "table-5-bandwidth" };
    let caption = "Process to process, messaging layer included, by payload; 8 flow-control buffers. Constants were settled on the entries of 8 B; the rest is predicted. The paper's table has no round trips of the throttled interface, and not the single-cycle one.";
    made(id, &title, caption, Some(chart.svg()), table)
}

fn columns_of(series: &[Series], quantity: &Quantity) -> Vec<Column> {
    let column = |series: &Series| Column::unit(&series.name, quantity.unit).decimals(quantity.decimals);
    std::iter::once(Column::unit("payload", "B")).chain(series.iter().map(column)).collect()
}

/// Values over sizes; sizes without a value are left out.
fn over(sizes: impl Iterator<Item = u64>, value: impl Fn(u64) -> Option<f64>) -> Vec<(f64, f64)> {
    sizes.filter_map(|size| Some((size as f64, value(size)?))).collect()
}

fn curves(quantity: &Quantity, results: &Results, claims: &[Stated]) -> Artifact {
    let line = |(number, (key, name)): (usize, &Interface)| {
        let line = Series::line(*name, over(SIZES.into_iter(), |size| (quantity.of)(results, key, size)));
        if number < TABLE { line } else { line.style(Style::Dashed) }
    };
    let mut series: Vec<Series> = INTERFACES.iter().enumerate().map(line).collect();
    let mut table = Table::new(columns_of(&series, quantity));
    for size in SIZES {
        let values = INTERFACES.iter().map(|(key, _)| (quantity.of)(results, key, size).into());
        table.push(std::iter::once(size.into()).chain(values).collect());
    }
    for (number, (key, _)) in INTERFACES[..TABLE].iter().enumerate() {
        let sizes = quantity.sizes.iter().copied();
        let points = over(sizes, |size| axes::published(claims, key, quantity.key, size));
        series.extend((!points.is_empty()).then(|| Series::published("Table 5 of the paper", points, number)));
    }
    let title = format!("{} by payload", capital(quantity.name));
    let y = if quantity.key == "latency" { quantity.axis().log10() } else { quantity.axis() };
    let chart = LineChart { title: title.clone(), x: Axis::new("payload [B]").log2().bytes(), y, series };
    let caption = "All interfaces over all sizes. One network message holds 248 B beside its header: a payload of 256 B goes as two, which shows as a step. Hollow marks are the paper's Table 5.";
    made(quantity.key, &title, caption, Some(chart.svg()), table)
}

fn capital(text: &str) -> String {
    let (first, rest) = text.split_at(1);
    first.to_uppercase() + rest
}

/// Two interfaces whose round trips cross, and the payload at which the paper says so.
struct Crossing {
    id: &'static str,
    small: &'static str,
    large: &'static str,
    caption: &'static str,
}

const CROSSINGS: [Crossing; 2] = [
    Crossing {
        id: "break-even-udma",
        small: "ni2w",
        large: "udma",
        caption: "Where initiating a DMA pays. The paper says from 96 B; straight lines between the entries of its Table 5 (hollow marks) cross at 84 B.",
    },
    Crossing {
        id: "break-even-ap3000",
        small: "startjr",
        large: "ap3000",
        caption: "Where the block buffer's cost is made good. The paper says from 64 B; straight lines between the entries of its Table 5 (hollow marks) cross at 93 B.",
    },
];

fn break_even(results: &Results, crossing: &Crossing) -> Artifact {
    let pair = [crossing.small, crossing.large];
    let line =
        |key: &str| Series::line(shapes::name(key), over(axes::steps(), |size| axes::stepped(results, key, size)));
    let series: Vec<Series> = pair.into_iter().map(line).collect();
    let mut table = Table::new(columns_of(&series, &LATENCY));
    for size in axes::steps() {
        let values = pair.into_iter().map(|key| axes::stepped(results, key, size).into());
        table.push(std::iter::once(size.into()).chain(values).collect());
    }
    let names = pair.map(shapes::name);
    let title = format!("Break-even: {} and {}", names[0], names[1]);
    let chart = LineChart { title: title.clone(), x: Axis::new("payload [B]"), y: LATENCY.axis(), series };
    let found = shapes::crossings(results, crossing.small, crossing.large).unwrap_or_default();
    let found: Vec<String> = found.iter().map(|crossing| format!("{crossing:.0} B")).collect();
    let found = if found.is_empty() { "nowhere".to_owned() } else { format!("at {}", found.join(", ")) };
    let caption = format!("{} Here they are equal {found}.", crossing.caption);
    made(crossing.id, &title, &caption, Some(chart.svg()), table)
}

/// A parameter whose values are compared.
struct Parameter {
    key: &'static str,
    experiments: &'static str,
    name: &'static str,
    values: &'static [&'static str],
    unit: &'static str,
    caption: &'static str,
}

const MEMORY_TIME: Parameter = Parameter {
    key: "memory-time",
    experiments: "memory-time",
    name: "access time of the interface's memory",
    values: &["30", "60", "120"],
    unit: " ns",
    caption: "Table 5 has 60 ns, and 120 ns for CNI512Q.",
};

const BUS_WIDTH: Parameter = Parameter {
    key: "bus-width",
    experiments: "bus-width",
    name: "width of the memory bus",
    values: &["16", "32", "64"],
    unit: " B",
    caption: "Table 5 has 32 B, so that a block of 64 B takes two bus cycles.",
};

const BUFFERS: Parameter = Parameter {
    key: "flow-control-buffers",
    experiments: "buffers",
    name: "flow-control buffers",
    values: &["1", "2", "8", "32"],
    unit: "",
    caption: "Table 5 has 8 in each direction.",
};

/// Payloads of the sensitivities, in bytes.
const SENSITIVITY_SIZES: [u64; 2] = [64, 256];

fn sensitivity(parameter: &Parameter, results: &Results) -> Vec<Artifact> {
    let of = |quantity| SENSITIVITY_SIZES.map(|size| varied(parameter, quantity, size, results));
    [of(&LATENCY), of(&BANDWIDTH)].concat()
}

fn varied(parameter: &Parameter, quantity: &Quantity, size: u64, results: &Results) -> Artifact {
    let interfaces = &INTERFACES[..TABLE];
    let value = |key: &str, value: &str| (quantity.varied)(results, parameter.experiments, key, value, size);
    let names: Vec<String> = parameter.values.iter().map(|value| format!("{value}{}", parameter.unit)).collect();
    let columns = names.iter().map(|name| Column::unit(name, quantity.unit).decimals(quantity.decimals));
    let mut table = Table::new(std::iter::once(Column::new("interface")).chain(columns).collect());
    for (key, name) in interfaces {
        let cells = parameter.values.iter().map(|at| value(key, at).into());
        table.push(std::iter::once((*name).into()).chain(cells).collect());
    }
    let bars = |at: &str| interfaces.iter().map(|(key, _)| value(key, at).unwrap_or(f64::NAN)).collect();
    let series: Vec<(&str, Vec<f64>)> =
        names.iter().zip(parameter.values).map(|(name, at)| (name.as_str(), bars(at))).collect();
    let title = format!("{} of {size} B by {}", capital(quantity.name), parameter.name);
    let categories: Vec<&str> = interfaces.iter().map(|(_, name)| *name).collect();
    let chart = BarChart::grouped(&title, &quantity.axis().title, &categories, &series);
    let caption = format!("{} The paper does not vary it in its microbenchmarks.", parameter.caption);
    made(&format!("{}-{}-{size}", parameter.key, quantity.key), &title, &caption, Some(chart.svg()), table)
}
