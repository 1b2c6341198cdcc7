//! Saturation judged by deliveries: the number of messages that have been offered and not delivered, wherever they
//! wait.
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
    /// Measured messages of each flow.
    pub messages: u64,
    /// Messages of each flow before the measured ones.
    pub warm_up: u64,
}

/// Describes the first pair of endpoints whose undelivered messages only grow in number.
pub(super) fn describe_growth(open_flows: &OpenFlows<'_>, world: &World) -> Option<String> {
    if open_flows.messages < MESSAGES_MIN {
        return None;
    }
    let latency_rises = match world.tally.flow_series().transient_in(1.0) {
        TransientTest::Transient(shift) => shift.mean_after > shift.mean_before,
        _ => false,
    };
    open_flows.pairs.iter().find_map(|&pair| {
        let undelivered = undelivered_backlog(open_flows, world, pair)?;
        let (growth, undelivered_at_end) = undelivered.growth_and_size();
        let growth_min = f64::max(GROWTH_MIN.0 as f64, GROWTH_MIN.1 * undelivered.offered_count() as f64);
        let deviations = latency_rises.then_some(DEVIATIONS_WITH_LATENCY);
        let is_saturated = growth as f64 >= growth_min
            && (undelivered.is_growing() || deviations.is_some_and(|deviations| undelivered.grows_by(deviations)));
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

/// Returns the number of undelivered messages of a pair of endpoints at the end of each window of its first flow.
/// Returns `None` if no flow has started.
fn undelivered_backlog(open_flows: &OpenFlows<'_>, world: &World, pair: (EndpointId, EndpointId)) -> Option<Backlog> {
    let pair_senders =
        open_flows.flows.iter().zip(open_flows.senders).enumerate().filter(|(_, (flow, _))| **flow == pair);
    let flows: Vec<(usize, Time)> =
        pair_senders.filter_map(|(flow, (_, counts))| Some((flow, counts.borrow().open()?.start?))).collect();
    let total_messages = open_flows.warm_up + open_flows.messages;
    let scheduled_arrivals = |(flow, start): (usize, Time)| {
        let schedule = open_flows.arrivals.schedule(world.seed, flow).take(total_messages as usize);
        schedule.map(move |arrival| start.saturating_add(arrival))
    };
    let mut other_flows: Vec<_> = flows.iter().skip(1).map(|flow| (0, scheduled_arrivals(*flow).peekable())).collect();
    let deliveries = world.tally.flow(pair.0, pair.1);
    let mut undelivered =
        Backlog::new(open_flows.messages / WINDOWS, GROWING_WINDOWS, open_flows.arrivals.dispersion());
    for (arrival, arrival_count) in scheduled_arrivals(*flows.first()?).zip(1..) {
        let number = u64::saturating_sub(arrival_count, open_flows.warm_up);
        if number == 0 || !undelivered.is_due(number) {
            continue;
        }
        let mut offered_count = arrival_count;
        for (count, remaining_arrivals) in &mut other_flows {
            while remaining_arrivals.next_if(|other| *other <= arrival).is_some() {
                *count += 1;
            }
            offered_count += *count;
        }
        undelivered.sample(number, offered_count.saturating_sub(deliveries.delivered_until(arrival)), offered_count);
    }
    Some(undelivered)
}
