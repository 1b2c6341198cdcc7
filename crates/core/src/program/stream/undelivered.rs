//! Saturation judged by deliveries: the number of messages that have been offered and not delivered, wherever they wait.
//!
//! A message of an open loop may wait in its program, in the descriptor ring of an interface, on the wire or at the
//! receiver. Only the first of these is the backlog of the program. So the messages between offer and delivery are
//! counted at the end of each window, too: in a saturated run, this number only grows, whichever stage limits the run.

use super::send::{GROWING_WINDOWS, MESSAGES_MIN, SenderCounts, WINDOWS};
use crate::engine::transient::TransientTest;
use crate::engine::{EndpointId, Time};
use crate::messaging::World;
use crate::program::arrivals::Arrivals;
use crate::program::backlog::Backlog;
use std::cell::RefCell;
use std::rc::Rc;

/// Least growth that counts: this number of messages, and this fraction of the messages that were offered meanwhile
/// (chosen). With a constant interval between arrivals, chance explains no growth, but the number in flight varies.
const GROWTH_MIN: (u64, f64) = (8, 0.01);
/// Growth that counts if latencies rise as well, in standard deviations of the number of arrivals (chosen).
const DEVIATIONS_WITH_LATENCY: f64 = 2.0;

/// The flows of an open loop.
pub(super) struct OpenFlows<'a> {
    /// Sender and receiver of each flow.
    pub flows: &'a [(EndpointId, EndpointId)],
    /// The pairs of endpoints that have flows, each once.
    pub pairs: &'a [(EndpointId, EndpointId)],
    /// Counts of each flow's sender.
    pub senders: &'a [Rc<RefCell<SenderCounts>>],
    pub arrivals: &'a Arrivals,
    /// Measured messages of each flow, and those of the warm-up before them.
    pub messages: u64,
    pub warm_up: u64,
}

/// Describes the first pair of endpoints whose undelivered messages only grow in number.
pub(super) fn growth(measured: &OpenFlows<'_>, world: &World) -> Option<String> {
    if measured.messages < MESSAGES_MIN {
        return None;
    }
    let latency_rises = match world.tally.flow_series().transient_in(1.0) {
        TransientTest::Transient(shift) => shift.mean_after > shift.mean_before,
        _ => false,
    };
    measured.pairs.iter().find_map(|&pair| {
        let undelivered = of_pair(measured, world, pair)?;
        let (growth, undelivered_at_end) = undelivered.growth();
        let least = f64::max(GROWTH_MIN.0 as f64, GROWTH_MIN.1 * undelivered.offered() as f64);
        let deviations = latency_rises.then_some(DEVIATIONS_WITH_LATENCY);
        let is_saturated = growth as f64 >= least
            && (undelivered.is_growing() || deviations.is_some_and(|least| undelivered.grows_by(least)));
        is_saturated.then(|| {
            format!(
                "the number of undelivered messages of {} -> {} grew in each of the last {GROWING_WINDOWS} of {WINDOWS} \
                 windows of {} messages, by {growth} messages to {undelivered_at_end}",
                world.endpoint(pair.0).name(),
                world.endpoint(pair.1).name(),
                undelivered.window(),
            )
        })
    })
}

/// Returns the number of undelivered messages of a pair of endpoints at the end of each window of its first flow; `None`
/// if no flow has started.
fn of_pair(measured: &OpenFlows<'_>, world: &World, pair: (EndpointId, EndpointId)) -> Option<Backlog> {
    let senders = measured.flows.iter().zip(measured.senders).enumerate().filter(|(_, (flow, _))| **flow == pair);
    let flows: Vec<(usize, Time)> =
        senders.filter_map(|(flow, (_, counts))| Some((flow, counts.borrow().open()?.start?))).collect();
    let total = measured.warm_up + measured.messages;
    let arrivals = |(flow, start): (usize, Time)| {
        let schedule = measured.arrivals.schedule(world.seed, flow).take(total as usize);
        schedule.map(move |arrival| start.saturating_add(arrival))
    };
    let mut others: Vec<_> = flows.iter().skip(1).map(|flow| (0, arrivals(*flow).peekable())).collect();
    let deliveries = world.tally.flow(pair.0, pair.1);
    let mut undelivered = Backlog::new(measured.messages / WINDOWS, GROWING_WINDOWS, measured.arrivals.dispersion());
    for (arrival, arrived) in arrivals(*flows.first()?).zip(1..) {
        let number = u64::saturating_sub(arrived, measured.warm_up);
        if number == 0 || !undelivered.is_due(number) {
            continue;
        }
        let mut offered = arrived;
        for (count, rest) in &mut others {
            while rest.next_if(|other| *other <= arrival).is_some() {
                *count += 1;
            }
            offered += *count;
        }
        undelivered.sample(number, offered.saturating_sub(deliveries.delivered_until(arrival)), offered);
    }
    Some(undelivered)
}
