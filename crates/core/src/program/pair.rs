//! A pair: a stream of single packets from one node to another, as fast as interface and protocol allow. All other
//! nodes are silent.
//!
//! The program measures the cycles between packets in the steady state, counted when the receiver's processor has
//! handled them. Equations 1 to 4 of Callahan and Goldstein (1995) predict these cycles. With `bulk` each packet
//! requests a bulk dialog, and the last one ends it. The program checks that each packet arrives once and with the
//! right bytes. The module leaves out messages of several packets, several pairs, and the order of arrival.

use super::{RunningWorkload, parallel};
use crate::engine::flow_series::FlowSeries;
use crate::engine::transient::TransientTest;
use crate::engine::{Metric, Outcome, Time};
use crate::messaging::World;
use crate::messaging::active::{ActiveEndpoint, ActiveMessage};
use crate::part::{ParameterError, Part, PartInfo, ResultName};
use crate::program::{Objective, WARM_UP, WarmUpCheck, WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use std::cell::RefCell;
use std::rc::Rc;

/// The parameters of a pair.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct Pair {
    /// Number of the sending node, or of the endpoint if nodes have several.
    #[param(default = 0)]
    pub from: u64,
    /// Number of the receiving node, or of the endpoint if nodes have several.
    #[param(default = 1)]
    pub to: u64,
    /// Number of packets that are measured.
    #[param(min = 8, max = 1_000_000, default = 200, meaning = Repetitions)]
    pub packets: u64,
    /// Number of packets before anything is measured.
    #[param(max = 1_000_000, default = WARM_UP)]
    pub warm_up: u64,
    /// Whether packets request a bulk dialog.
    #[param(default = false)]
    pub bulk: bool,
}

struct Measurements {
    parameters: Pair,
    /// Cycle at which the receiver finished each packet.
    received_cycles: RefCell<Vec<u64>>,
    /// Whether packet `i` has arrived.
    has_arrived: RefCell<Vec<bool>>,
}

impl Pair {
    /// Returns the number of packets sent.
    fn total_packets(&self) -> u64 {
        self.warm_up + self.packets
    }

    async fn run(self, endpoint: Rc<ActiveEndpoint>, measurements: Rc<Measurements>) {
        if u64::from(endpoint.id().0) == self.from {
            for number in 0..self.total_packets() {
                let mut packet = ActiveMessage::new(
                    parallel::endpoint_id(self.to as usize),
                    0,
                    &self.packet_words(number, endpoint.words_max()),
                );
                packet.is_bulk = self.bulk;
                packet.is_last = self.bulk && number + 1 == self.total_packets();
                endpoint.send(packet).await;
            }
        } else if u64::from(endpoint.id().0) == self.to {
            endpoint.wait_until(|| measurements.received_cycles.borrow().len() as u64 == self.total_packets()).await;
        }
    }

    /// Returns the words of a packet: its number, then words that depend on it.
    fn packet_words(&self, number: u64, words: usize) -> Vec<u32> {
        let word = |word_index| parallel::payload_word(self.from as usize, self.to as usize, number as u32, word_index);
        std::iter::once(number as u32).chain((1..words).map(word)).collect()
    }
}

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[ResultName::metric(
    "pair.cycles_per_packet",
    "cycles",
    "Time between packets at the receiving program, the mean after the warm-up",
)];

impl Part for Pair {
    const INFO: PartInfo = PartInfo::new("pair", "Single packets from one node to another, as fast as possible")
        .results(RESULTS)
        .small_input("packets = 8\nwarm-up = 0");
}

impl WorkloadSpec for Pair {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds { packet_words: 1, ..WorkloadNeeds::default() }
    }

    fn check_endpoints(&self, nodes: usize) -> Vec<ParameterError> {
        let mut errors = Vec::new();
        for (key, node) in [("from", self.from), ("to", self.to)] {
            if node >= nodes as u64 {
                errors.push((key, format!("there is no node {node} among {nodes}")));
            }
        }
        if self.from == self.to {
            errors.push(("to", "must differ from `from`: a node cannot send to itself".to_owned()));
        }
        errors.into_iter().map(ParameterError::from).collect()
    }

    fn objective(&self) -> Option<Objective> {
        Objective::minimize("pair.cycles_per_packet")
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let has_arrived = RefCell::new(vec![false; self.total_packets() as usize]);
        let measurements =
            Rc::new(Measurements { parameters: self.clone(), received_cycles: RefCell::default(), has_arrived });
        parallel::start(world, |endpoint| {
            // A handler that owned its endpoint would keep the endpoint alive for ever.
            let (handler_measurements, weak_endpoint) = (measurements.clone(), Rc::downgrade(&endpoint));
            endpoint.on_message(move |received| {
                let own_endpoint = weak_endpoint.upgrade().expect("an endpoint lives while it handles messages");
                handler_measurements.record_packet(&own_endpoint, received.words);
            });
            self.clone().run(endpoint, measurements.clone())
        });
        measurements
    }
}

impl Measurements {
    /// Records a packet. Panics if a model changed its bytes or delivered it twice.
    fn record_packet(&self, endpoint: &ActiveEndpoint, words: &[u32]) {
        assert!(u64::from(words[0]) < self.parameters.total_packets(), "a packet arrived that was not sent");
        assert!(
            words == self.parameters.packet_words(words[0].into(), words.len()),
            "a packet arrived with wrong bytes"
        );
        let is_duplicate = std::mem::replace(&mut self.has_arrived.borrow_mut()[words[0] as usize], true);
        assert!(!is_duplicate, "a packet arrived twice");
        self.received_cycles.borrow_mut().push(endpoint.cycle());
    }

    /// Returns the cycles of measured packets, given those of all packets.
    fn measured_cycles<'a>(&self, all_cycles: &'a [u64]) -> &'a [u64] {
        all_cycles.get(self.parameters.warm_up as usize..).unwrap_or_default()
    }

    /// Tests the cycles between two measured packets for an initial transient.
    fn transient_test(&self) -> TransientTest {
        let (all_cycles, mut series) = (self.received_cycles.borrow(), FlowSeries::default());
        series.add_flow();
        for (number, pair) in (0..).zip(self.measured_cycles(&all_cycles).windows(2)) {
            series.add(number, Time::from_ps(pair[1] - pair[0]), Time::from_ps(pair[1]));
        }
        // A picosecond of the series stands for a cycle.
        series.transient_in(1.0)
    }
}

impl RunningWorkload for Measurements {
    fn metrics(&self, world: &World, _: &Outcome) -> Vec<Metric> {
        let all_cycles = self.received_cycles.borrow();
        let mut pair_metrics = Vec::new();
        let steady_cycles = self.measured_cycles(&all_cycles);
        if let [first, .., last] = steady_cycles {
            let mean_interval = (last - first) as f64 / (steady_cycles.len() - 1) as f64;
            pair_metrics.push(Metric::cost("pair.cycles_per_packet", mean_interval, "cycles"));
        }
        parallel::metrics(world, pair_metrics)
    }

    fn warm_up_check(&self, _: &World) -> Option<WarmUpCheck> {
        Some(WarmUpCheck {
            key: "workload.pair.warm-up",
            value: self.parameters.warm_up,
            items: "packets",
            metric: "pair.cycles_per_packet",
            unit: "cycles",
            test: self.transient_test(),
            load: None,
        })
    }
}
