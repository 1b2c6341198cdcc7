//! The results of a sweep with several seeds a point, as a table and as JSON; of one point, of `run --seeds`.

use crate::report::dataset::{ColumnValues, Dataset};
use crate::report::{Cell, Column, ReportTable};
use crate::study::record::{VERSION, digest};
use crate::study::seeds::{self, Replicated};
use crate::study::sweep::SweepPoint;
use crate::study::tidy::{self, MetricName};
use serde_json::{Map, Value as Json, json};

/// A point, and what its runs come to.
pub struct Row<'a> {
    values: Vec<&'a (String, String)>,
    runs: &'a [SweepPoint],
    outcome: String,
    metrics: Vec<Replicated>,
}

/// The points of rows whose last key is the seed, each with `seeds` runs: of the metrics named.
pub fn points<'a>(rows: &'a [SweepPoint], seeds: usize, metrics: &[MetricName]) -> Vec<Row<'a>> {
    let row = |runs: &'a [SweepPoint]| {
        let records: Vec<_> = runs.iter().map(|run| &*run.record).collect();
        let mut all = seeds::metrics(&records);
        all.retain(|metric| metrics.iter().any(|(name, _)| *name == metric.name));
        let values = runs[0].values.iter().filter(|(key, _)| key != seeds::KEY).collect();
        Row { values, runs, outcome: seeds::outcomes(&records), metrics: all }
    };
    rows.chunks(seeds).map(row).collect()
}

fn find<'a>(row: &'a Row<'_>, name: &str) -> Option<&'a Replicated> {
    row.metrics.iter().find(|metric| metric.name == name)
}

/// A row for each point: its values, how its runs ended, the mean of each metric and its interval. Numbers
/// that never differ have no interval to be told.
pub fn table(rows: &[Row<'_>], metrics: &[MetricName]) -> ReportTable {
    let differs = |name: &str| {
        rows.iter().filter_map(|row| find(row, name)).any(|metric| metric.half_width.is_some_and(|half| half > 0.0))
    };
    let keys = rows.first().into_iter().flat_map(|row| &row.values).map(|(key, _)| Column::new(key.as_str()));
    let mut heads: Vec<Column> = keys.chain([Column::new("outcome")]).collect();
    let shown: Vec<(&MetricName, bool)> = metrics.iter().map(|named| (named, differs(&named.0))).collect();
    for ((name, unit), with_interval) in &shown {
        heads.push(Column::unit(name.as_str(), unit.as_str()));
        heads.extend(with_interval.then(|| Column::unit(format!("± {name}"), unit.as_str())));
    }
    let mut table = ReportTable::new(heads);
    for row in rows {
        let mut cells: Vec<Cell> = row.values.iter().map(|(_, value)| value.as_str().into()).collect();
        cells.push(row.outcome.as_str().into());
        for ((name, _), with_interval) in &shown {
            let metric = find(row, name);
            cells.push(metric.map(|metric| metric.mean).into());
            cells.extend(with_interval.then(|| Cell::from(metric.and_then(|metric| metric.half_width))));
        }
        table.push(cells);
    }
    table
}

/// The same as data; under `ci95` half the width of each interval.
pub fn dataset(rows: &[Row<'_>], metrics: &[MetricName]) -> Dataset {
    let mut data = Dataset::default();
    let values: Vec<Vec<(String, String)>> =
        rows.iter().map(|row| row.values.iter().map(|pair| (*pair).clone()).collect()).collect();
    tidy::of_values(&mut data, &values.iter().map(Vec::as_slice).collect::<Vec<_>>());
    data.push("outcome", "", ColumnValues::Texts(rows.iter().map(|row| Some(row.outcome.clone())).collect()));
    for (name, unit) in metrics {
        let of = |of: fn(&Replicated) -> Option<f64>| rows.iter().map(|row| of(find(row, name)?)).collect();
        tidy::push_number(&mut data, name, unit, of(|metric| Some(metric.mean)));
        tidy::push_number(&mut data, &format!("{name}_ci95"), unit, of(|metric| metric.half_width));
    }
    data.push("seeds", "", ColumnValues::Counts(rows.iter().map(|row| Some(row.runs.len() as u64)).collect()));
    data
}

/// The same for programs; `hashes` are those of the runs' own results.
pub fn json(rows: &[Row<'_>]) -> String {
    let mut whole = Map::new();
    whole.insert("points".into(), rows.iter().map(point).collect());
    whole.insert("version".into(), VERSION.into());
    let hash = digest(&whole);
    whole.insert("hash".into(), hash.into());
    format!("{:#}\n", Json::Object(whole))
}

fn point(row: &Row<'_>) -> Json {
    let values: Map<String, Json> = row.values.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
    let of = |key: &str| row.runs.iter().map(|run| run.record.get(key).clone()).collect::<Vec<Json>>();
    json!({
        "values": values,
        "outcome": row.outcome,
        "metrics": seeds::json(&row.metrics),
        "seeds": of("seed"),
        "hashes": of("hash"),
    })
}
