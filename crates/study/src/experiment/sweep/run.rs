//! The points of a checked sweep, run: all of them, a share of them, or each line of them until it is saturated.
//!
//! What is kept is not run again; which points are run never depends on who was first.

use super::{Checked, SweepEvent, SweepPoint};
use crate::experiment::ResultRow;
use crate::experiment::points::{Kept, Points};
use crate::experiment::record::Record;
use crate::experiment::threads::one_by_one;
use crate::experiment::vary::Dimension;
use narrows_core::engine::Recorder;
use narrows_core::machine::Machine;
use narrows_core::text::Read;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::Arc;

/// One of so many shares of a sweep, each for a machine of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// Which, from 1 on.
    pub number: usize,
    /// Of how many.
    pub of: usize,
}

impl Share {
    fn has(&self, place: usize) -> bool {
        place % self.of == self.number - 1
    }
}

/// Stops of a sweep that end where a place is saturated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stops {
    /// How many places a line has.
    pub places: usize,
    /// How many runs a place has: one a seed.
    pub runs: usize,
}

/// How a sweep goes.
#[derive(Clone, Copy)]
pub struct Going<'a> {
    /// Where finished points are kept.
    pub points: Option<&'a Points>,
    /// Which of them are this one's.
    pub share: Option<Share>,
    /// Where it stops at saturation.
    pub lines: Option<Stops>,
    /// Is told what happens.
    pub tell: &'a (dyn Fn(SweepEvent) + Sync),
}

/// A place at which every run is saturated.
pub(super) fn is_saturated(runs: &[SweepPoint]) -> bool {
    runs.iter().all(|run| *run.result.outcome == *"saturated")
}

impl Stops {
    /// Along the last of what varies, but for so many seeds, which vary behind it.
    pub fn of(dimensions: &[Dimension], seeds: Option<u64>) -> Option<Stops> {
        let last = dimensions.iter().rev().nth(usize::from(seeds.is_some()))?;
        Some(Stops { places: last.len(), runs: seeds.unwrap_or(1) as usize })
    }

    /// The points of a line up to the first place that is saturated, of those there are.
    pub fn cut(&self, line: Vec<SweepPoint>) -> Vec<SweepPoint> {
        let end = line.chunks(self.runs).position(is_saturated).map_or(line.len(), |place| (place + 1) * self.runs);
        line.into_iter().take(end).collect()
    }

    /// How many points a line has.
    pub fn points(&self) -> usize {
        self.places * self.runs
    }
}

impl Checked<'_> {
    /// How many points there are, and how many of them are the only ones like them.
    pub fn points(&self) -> (usize, usize) {
        (self.inputs.len(), self.distinct.len())
    }

    /// The hash of each point's inputs.
    pub fn inputs(&self) -> &[String] {
        &self.inputs
    }

    /// How many points are to be run or found.
    pub fn to_do(&self, going: &Going<'_>) -> usize {
        match (going.share, going.lines) {
            (None, None) => self.distinct.len(),
            (Some(share), None) => (0..self.distinct.len()).filter(|place| share.has(*place)).count(),
            (share, Some(lines)) => self.lines(share, lines).len() * lines.points(),
        }
    }

    /// Runs every point that is not kept, and keeps it.
    pub fn run(&self, going: &Going<'_>) -> io::Result<Vec<SweepPoint>> {
        match going.lines {
            Some(lines) => self.run_lines(going, lines),
            None => self.run_all(going),
        }
    }

    fn run_all(&self, going: &Going<'_>) -> io::Result<Vec<SweepPoint>> {
        let own = |place: &usize| going.share.is_none_or(|share| share.has(*place));
        let places: Vec<usize> = (0..self.distinct.len()).filter(own).collect();
        let one = |place: &usize| {
            let point = self.distinct[*place];
            Ok((self.inputs[point].as_str(), self.result(point, going)?))
        };
        let results: HashMap<&str, Arc<ResultRow>> =
            one_by_one(places.par_iter()).map(one).collect::<io::Result<_>>()?;
        let point = |point: usize| {
            let result = results.get(self.inputs[point].as_str())?.clone();
            Some(SweepPoint { values: self.sweep.values(point), result })
        };
        Ok((0..self.inputs.len()).into_par_iter().filter_map(point).collect())
    }

    /// The lines that are this one's.
    fn lines(&self, share: Option<Share>, lines: Stops) -> Vec<usize> {
        let all = 0..self.inputs.len() / lines.points().max(1);
        all.filter(|line| share.is_none_or(|share| share.has(*line))).collect()
    }

    /// Goes along all lines at once, some places of each at a time: as many as keep all threads at work. What is run
    /// beyond the first saturated place is left out.
    fn run_lines(&self, going: &Going<'_>, lines: Stops) -> io::Result<Vec<SweepPoint>> {
        let mut done: BTreeMap<usize, Vec<SweepPoint>> =
            self.lines(going.share, lines).into_iter().map(|line| (line, Vec::new())).collect();
        loop {
            let is_open =
                |points: &[SweepPoint]| points.len() < lines.points() && !points.chunks(lines.runs).any(is_saturated);
            let open = done.values().filter(|points| is_open(points)).count();
            if open == 0 {
                break;
            }
            let ahead = rayon::current_num_threads().div_ceil(open) * lines.runs;
            let next = |(line, points): (&usize, &Vec<SweepPoint>)| {
                let (from, to) = (points.len(), (points.len() + ahead).min(lines.points()));
                let from = if is_open(points) { from } else { to };
                (from..to).map(|at| line * lines.points() + at).collect::<Vec<_>>()
            };
            let next: Vec<usize> = done.iter().flat_map(next).collect();
            let one = |&point: &usize| {
                Ok((point, SweepPoint { values: self.sweep.values(point), result: self.result(point, going)? }))
            };
            for (point, row) in one_by_one(next.par_iter()).map(one).collect::<io::Result<Vec<_>>>()? {
                done.get_mut(&(point / lines.points())).expect("a line that is run").push(row);
            }
        }
        Ok(done.into_values().flat_map(|points| lines.cut(points)).collect())
    }

    fn result(&self, point: usize, going: &Going<'_>) -> io::Result<Arc<ResultRow>> {
        let changed = || io::Error::other("the description changed while the sweep was running");
        let read = || self.sweep.read(point).map_err(|_| changed());
        found_or_run(&self.inputs[point], going.points, going.tell, read)?.ok_or_else(changed)
    }
}

/// The result that is kept, or else that of a run, which is kept then; nothing where what is read is not what was asked.
pub fn found_or_run(
    inputs: &str,
    points: Option<&Points>,
    tell: &(dyn Fn(SweepEvent) + Sync),
    read: impl FnOnce() -> io::Result<Read<Machine>>,
) -> io::Result<Option<Arc<ResultRow>>> {
    match points.map_or(Kept::Absent, |points| points.find(inputs)) {
        Kept::Whole(record) => {
            tell(SweepEvent::Finished { kept: true });
            return Ok(Some(Arc::new(ResultRow::of(&record))));
        }
        Kept::Corrupt(path, why) => tell(SweepEvent::Corrupt(path, why)),
        Kept::Absent => {}
    }
    let read = read()?;
    let record = Record::of(&read, &crate::experiment::run(&read.value, Recorder::off()));
    if record.inputs() != inputs {
        return Ok(None);
    }
    if let Some(points) = points {
        points.keep(inputs, &record)?;
    }
    tell(SweepEvent::Finished { kept: false });
    Ok(Some(Arc::new(ResultRow::of(&record))))
}
