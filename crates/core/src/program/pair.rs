//! A pair: a stream of single packets from one node to another, as fast as interface and protocol let
//! it; all other nodes are silent.
//!
//! What Equations 1 to 4 of Callahan and Goldstein (1995) are about: the cycles between packets in the
//! steady state, when the receiver's processor has dealt with them. The first quarter is not counted.
//! With `bulk` each packet asks for a dialog, and the last one ends it. Packets must arrive whole, and
//! each once.
//!
//! Leaves out: messages of many packets, several pairs, and whether packets arrive in order.

use super::{RunningWorkload, parallel};
use crate::engine::{Metric, Outcome};
use crate::messaging::World;
use crate::messaging::active::{Active, ActiveMessage};
use crate::part::{ParameterError, Part, PartInfo};
use crate::program::{Objective, WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use std::cell::RefCell;
use std::rc::Rc;

/// The parameters of a pair.
#[derive(Clone, PartialEq, Debug, Parameters)]
pub struct Pair {
    /// Number of the sending node, or where nodes have several, endpoint.
    #[param(default = 0)]
    pub from: u64,
    /// Number of the receiving one.
    #[param(default = 1)]
    pub to: u64,
    /// How many packets are sent.
    #[param(min = 8, max = 1_000_000, default = 200)]
    pub packets: u64,
    /// Whether packets ask for a bulk dialog.
    #[param(default = false)]
    pub bulk: bool,
}

struct Measured {
    parameters: Pair,
    /// The cycle at which the receiver was done with each packet.
    received: RefCell<Vec<u64>>,
    /// Which packets it has.
    has: RefCell<Vec<bool>>,
}

impl Pair {
    async fn run(self, end: Rc<Active>, measured: Rc<Measured>) {
        if u64::from(end.id().0) == self.from {
            for number in 0..self.packets {
                let mut packet =
                    ActiveMessage::new(parallel::id(self.to as usize), 0, &self.data(number, end.words_max()));
                packet.bulk = self.bulk;
                packet.last = self.bulk && number + 1 == self.packets;
                end.send(packet).await;
            }
        } else if u64::from(end.id().0) == self.to {
            end.wait_until(|| measured.received.borrow().len() as u64 == self.packets).await;
        }
    }

    /// The words of a packet: its number, and what must come with it.
    fn data(&self, number: u64, words: usize) -> Vec<u32> {
        let word = |at| parallel::word(self.from as usize, self.to as usize, number as u32, at);
        std::iter::once(number as u32).chain((1..words).map(word)).collect()
    }
}

impl Part for Pair {
    const INFO: PartInfo =
        PartInfo::new("pair", "Single packets from one node to another, as fast as they go").small_input("packets = 8");
}

impl WorkloadSpec for Pair {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds::default()
    }

    fn check_endpoints(&self, nodes: usize) -> Vec<ParameterError> {
        let mut wrong = Vec::new();
        for (key, node) in [("from", self.from), ("to", self.to)] {
            if node >= nodes as u64 {
                wrong.push((key, format!("there is no node {node} among {nodes}")));
            }
        }
        if self.from == self.to {
            wrong.push(("to", "a node does not send to itself".to_owned()));
        }
        wrong.into_iter().map(ParameterError::from).collect()
    }

    fn objective(&self) -> Option<Objective> {
        Objective::minimize("pair.cycles_per_packet")
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let has = RefCell::new(vec![false; self.packets as usize]);
        let measured = Rc::new(Measured { parameters: self.clone(), received: RefCell::default(), has });
        parallel::start(world, |end| {
            // An end that held itself would never be gone.
            let (taking, own) = (measured.clone(), Rc::downgrade(&end));
            end.on_message(move |received| {
                let own = own.upgrade().expect("an end lives while it takes messages");
                taking.take(&own, received.words);
            });
            self.clone().run(end, measured.clone())
        });
        measured
    }
}

impl Measured {
    /// Takes a packet; panics if a model moved wrong bytes, or the same ones twice.
    fn take(&self, end: &Active, words: &[u32]) {
        assert!(u64::from(words[0]) < self.parameters.packets, "a packet arrived that was not sent");
        assert!(words == self.parameters.data(words[0].into(), words.len()), "a packet arrived with wrong bytes");
        let had = std::mem::replace(&mut self.has.borrow_mut()[words[0] as usize], true);
        assert!(!had, "a packet arrived twice");
        self.received.borrow_mut().push(end.cycle());
    }
}

impl RunningWorkload for Measured {
    fn metrics(&self, world: &World, _: &Outcome) -> Vec<Metric> {
        let received = self.received.borrow();
        let mut own = Vec::new();
        let steady = &received[received.len() / 4..];
        if let [first, .., last] = steady {
            let each = (last - first) as f64 / (steady.len() - 1) as f64;
            own.push(Metric::new("pair.cycles_per_packet", each, "cycles"));
        }
        parallel::metrics(world, own)
    }
}
