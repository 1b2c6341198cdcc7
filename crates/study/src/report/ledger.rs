//! The mean ledger of many messages: their latency by stage, as a table and as a bar chart.
//!
//! Means are over all messages, including those that do not pass a stage. The total is the sum of the means, exact
//! except for rounding. Distributions are not shown.

use super::chart::BarChart;
use super::number::signed_percent;
use super::table::{Column, ReportTable};
use narrows_core::engine::ledger_sums::find_or_insert;
use narrows_core::engine::{LedgerSums, Stage, Time};

/// The mean times of one stage.
#[derive(Clone, PartialEq, Debug)]
pub struct MeanStage {
    /// The name of the stage.
    pub name: String,
    /// The time in microseconds in which no resource worked for the message.
    pub waiting_us: f64,
    /// The time in microseconds in which a resource worked for the message.
    pub service_us: f64,
}

impl MeanStage {
    /// Returns the waiting and service time together, in microseconds.
    pub fn total_us(&self) -> f64 {
        self.waiting_us + self.service_us
    }
}

/// The mean of many ledgers, with stages in the order in which messages pass them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MeanLedger {
    /// The number of messages.
    pub messages: u64,
    /// The mean times of the stages.
    pub stages: Vec<MeanStage>,
}

impl MeanLedger {
    /// Returns the mean of ledgers from their sums.
    pub fn new(sums: &LedgerSums) -> MeanLedger {
        let mean = |sum: Time| sum.as_us() / sums.messages() as f64;
        let stage = |stage: &Stage| MeanStage {
            name: stage.name.to_owned(),
            waiting_us: mean(stage.waiting),
            service_us: mean(stage.service),
        };
        MeanLedger { messages: sums.messages(), stages: sums.stages().iter().map(stage).collect() }
    }

    /// Returns the mean latency, in microseconds.
    pub fn total_us(&self) -> f64 {
        self.stages.iter().map(MeanStage::total_us).sum()
    }

    /// Returns a table of stage, waiting, service, total and share, with a last row for the sums.
    pub fn table(&self) -> ReportTable {
        let us_column = |name| Column::unit(name, "µs").decimals(3);
        let headings = vec![
            Column::new("stage"),
            us_column("waiting"),
            us_column("service"),
            us_column("total"),
            Column::new("share"),
        ];
        let mut table = ReportTable::new(headings);
        let sum = MeanStage {
            name: "total".to_owned(),
            waiting_us: self.stages.iter().map(|stage| stage.waiting_us).sum(),
            service_us: self.stages.iter().map(|stage| stage.service_us).sum(),
        };
        for stage in self.stages.iter().chain([&sum]) {
            let share = if self.total_us() > 0.0 { stage.total_us() / self.total_us() } else { 0.0 };
            table.push(vec![
                stage.name.as_str().into(),
                stage.waiting_us.into(),
                stage.service_us.into(),
                stage.total_us().into(),
                format!("{:>7}", signed_percent(share).trim_start_matches('+')).into(),
            ]);
        }
        table
    }

    /// Returns the table as text, after a line with the number of messages.
    pub fn text(&self) -> String {
        format!("Mean over {} messages\n{}", self.messages, self.table().text())
    }

    /// Returns a chart with a bar for each stage, in which service is below waiting.
    pub fn chart(&self, title: &str) -> BarChart {
        let stages = self.stages.iter().map(|stage| (stage.name.clone(), vec![stage.service_us, stage.waiting_us]));
        BarChart::stacked(title, "mean time [µs]", &["service", "waiting"], stages)
    }
}

/// Returns a chart that compares cases. Each case has a bar, which is stacked from the total times of the stages.
pub fn comparison(title: &str, cases: &[(String, MeanLedger)]) -> BarChart {
    let mut names: Vec<&str> = Vec::new();
    for (_, ledger) in cases {
        let mut next_index = 0;
        for stage in &ledger.stages {
            find_or_insert(&mut names, &mut next_index, |name| *name == stage.name, || &stage.name);
        }
    }
    let stage_time_us = |ledger: &MeanLedger, name: &str| {
        ledger.stages.iter().find(|stage| stage.name == name).map_or(0.0, MeanStage::total_us)
    };
    let bars = cases
        .iter()
        .map(|(case, ledger)| (case.clone(), names.iter().map(|name| stage_time_us(ledger, name)).collect()));
    BarChart::stacked(title, "mean time [µs]", &names, bars)
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_core::engine::Ledger;

    fn ledger(bus_ns: u64) -> Ledger {
        let mut ledger = Ledger::new(Time::ZERO);
        ledger.add_service(Time::from_ns(20), Time::from_ns(bus_ns));
        ledger.close("bus", Time::from_ns(bus_ns));
        ledger.close("wire", Time::from_ns(bus_ns + 100));
        ledger
    }

    #[test]
    fn means_add_up_to_the_mean_latency() {
        let ledgers = [ledger(100), ledger(200)];
        let mean = MeanLedger::new(&ledgers.iter().collect());
        assert!((mean.total_us() - 0.25).abs() < 1e-12);
        let expected = "\
Mean over 2 messages
stage  waiting [µs]  service [µs]  total [µs]  share
─────  ────────────  ────────────  ──────────  ───────
bus           0.020         0.130       0.150   60.0 %
wire          0.100         0.000       0.100   40.0 %
total         0.120         0.130       0.250    100 %
";
        assert_eq!(mean.text(), expected);
    }

    #[test]
    fn stages_are_merged_in_the_order_in_which_messages_pass_them() {
        let ledger_with_stages = |stages: &[&'static str]| {
            let mut ledger = Ledger::new(Time::ZERO);
            stages.iter().for_each(|stage| ledger.close(stage, Time::ZERO));
            ledger
        };
        let ledgers = [
            ledger_with_stages(&["send", "fabric", "receive"]),
            ledger_with_stages(&["send", "admission", "fabric", "retry", "fabric", "receive", "waiting"]),
            ledger_with_stages(&["early", "send", "receive", "late"]),
        ];
        let names = |ledger: &MeanLedger| ledger.stages.iter().map(|stage| stage.name.clone()).collect::<Vec<_>>();
        let stages = names(&MeanLedger::new(&ledgers.iter().collect()));
        assert_eq!(stages, ["early", "send", "admission", "fabric", "retry", "receive", "late", "waiting"]);
        let cases = ledgers.map(|ledger| (String::new(), MeanLedger::new(&[&ledger].into_iter().collect())));
        assert_eq!(comparison("t", &cases).legend, stages);
    }

    #[test]
    fn ledger_without_messages_is_an_empty_table() {
        assert!(MeanLedger::new(&LedgerSums::default()).text().contains("0 messages"));
        assert_eq!(comparison("t", &[("a".into(), MeanLedger::new(&LedgerSums::default()))]).groups.len(), 1);
    }
}
