//! A file of arrivals, as comma-separated values: the first line has the names of columns, and each further line a
//! message.
//!
//! The scheduled time is in the column `scheduled_ns`, `_us`, `_ms` or `_s`. The column `flow` has the number of the
//! flow, from 0; without it, every flow has the same times. The times of a flow must not decrease. Lines that begin
//! with `#` are comments.

use crate::engine::Time;
use crate::text::{Parameters, Table, quantity};
use csv::{ReaderBuilder, StringRecord, Trim};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Arrivals that a file states.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct ArrivalTrace {
    /// CSV file of scheduled arrivals, with the columns scheduled_us[,flow].
    pub file: PathBuf,
    /// The scheduled times of each flow.
    #[param(with(read = |t| load(t, &file), write = |_, _| ()))]
    times: Arc<Schedules>,
}

/// The scheduled times of a file.
#[derive(PartialEq, Debug, Default)]
struct Schedules {
    /// The times of every flow, if the file has no column `flow`; otherwise empty.
    common_times: Vec<Time>,
    /// The times of single flows, by the number of the flow.
    times_by_flow: BTreeMap<usize, Vec<Time>>,
}

impl ArrivalTrace {
    /// Returns the scheduled times of flow number `flow`, which are empty if the file has none.
    pub fn times_of_flow(&self, flow: usize) -> &[Time] {
        self.times.times_by_flow.get(&flow).unwrap_or(&self.times.common_times)
    }
}

const COLUMNS_HELP: &str = "the first line names the columns: scheduled_ns, scheduled_us, scheduled_ms or scheduled_s \
                            and, if flows differ, flow";

fn load(t: &mut Table<'_>, file: &Path) -> Arc<Schedules> {
    if t.describing() || !t.has("file") {
        return Arc::default();
    }
    let file_text = std::fs::read_to_string(file).map_err(|error| format!("`{}`: {error}", file.display()));
    let schedules = file_text.and_then(|text| parse(&text)).unwrap_or_else(|message| {
        let help = if message.contains("earlier than") { "sort the lines by time" } else { COLUMNS_HELP };
        t.report_invalid("file", format!("the file of arrivals has an error: {message}"), help);
        Schedules::default()
    });
    Arc::new(schedules)
}

/// Reads the text of a file of arrivals; an error states the line.
fn parse(text: &str) -> Result<Schedules, String> {
    let mut reader = ReaderBuilder::new().comment(Some(b'#')).trim(Trim::All).from_reader(text.as_bytes());
    let columns = reader.headers().map_err(|error| error.to_string())?.clone();
    let time_column = columns.iter().position(|name| name.starts_with("scheduled_"));
    let time_column =
        time_column.ok_or_else(|| format!("there is no column `scheduled_us` among `{}`", joined(&columns)))?;
    let unit = columns[time_column].trim_start_matches("scheduled_").to_owned();
    let flow_column = columns.iter().position(|name| name == "flow");
    let mut schedules = Schedules::default();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let line = record.position().map_or(0, csv::Position::line);
        schedules
            .add(&record, (time_column, &unit), flow_column)
            .map_err(|message| format!("line {line}: {message}"))?;
    }
    Ok(schedules)
}

fn joined(names: &StringRecord) -> String {
    names.iter().collect::<Vec<_>>().join(",")
}

impl Schedules {
    fn add(
        &mut self,
        record: &StringRecord,
        (time_column, unit): (usize, &str),
        flow_column: Option<usize>,
    ) -> Result<(), String> {
        let text = format!("{} {unit}", &record[time_column]);
        let scheduled_time: Time = quantity::parse(&text).map_err(|error| format!("`{text}`: {}", error.label))?;
        let times = match flow_column {
            None => &mut self.common_times,
            Some(column) => {
                let flow_text = &record[column];
                let flow =
                    flow_text.parse().map_err(|_| format!("`{flow_text}` is not the number of a flow (from 0)"))?;
                self.times_by_flow.entry(flow).or_default()
            }
        };
        if let Some(last) = times.last().filter(|last| **last > scheduled_time) {
            return Err(format!("{scheduled_time} is earlier than the preceding arrival, {last}"));
        }
        times.push(scheduled_time);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_are_read_in_the_unit_of_their_column() {
        let schedules = parse("# measured\nscheduled_us\n0\n1.5\n1.5\n").expect("the file is valid");
        assert_eq!(schedules.common_times, [0, 1_500_000, 1_500_000].map(Time::from_ps));
        let schedules = parse("flow, scheduled_ns\n1, 3\n0, 2\n1, 4\n").expect("the file is valid");
        assert_eq!(schedules.times_by_flow[&1], [3_000, 4_000].map(Time::from_ps));
    }

    #[test]
    fn an_error_names_its_line() {
        let error = |text| parse(text).expect_err("the file is invalid");
        assert_eq!(error("scheduled_us\n2\n1\n"), "line 3: 1 us is earlier than the preceding arrival, 2 us");
        assert_eq!(error("time\n2\n"), "there is no column `scheduled_us` among `time`");
        assert!(error("scheduled_us\n-1\n").starts_with("line 2: `-1 us`"), "{}", error("scheduled_us\n-1\n"));
        assert_eq!(error("scheduled_us,flow\n1,x\n"), "line 2: `x` is not the number of a flow (from 0)");
    }

    proptest! {
        #[test]
        fn parse_does_not_panic_on_any_text(text in "\\PC*", table in "[0-9,.\n#e-]*") {
            let _ = parse(&text);
            let _ = parse(&format!("scheduled_us,flow\n{table}"));
        }
    }
}
