//! The static description of a workload: its requirements, endpoints and flows. The code that checks and builds a
//! machine uses it, and so does not depend on a particular workload.

use super::RunningWorkload;
use crate::engine::Bytes;
use crate::messaging::World;
use crate::part::{ParameterError, PartSpec};
use std::rc::Rc;
use std::sync::Arc;

/// The requirements of a workload on a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct WorkloadNeeds {
    /// Smallest number of nodes.
    pub nodes: usize,
    /// Whether the workload drives a routed fabric without hosts and interfaces.
    pub fabric_only: bool,
    /// Whether nodes share memory.
    pub shared_memory: bool,
    /// Whether the interface must have a host DMA engine that can be driven alone.
    pub host_dma: bool,
    /// The key that requires a host DMA engine with a queue of transfers, if it is set.
    pub queued_host_dma: Option<&'static str>,
    /// The key that requires a host with a last-level cache, if it is set.
    pub warmed_cache: Option<&'static str>,
    /// Whether the workload sends or receives messages through the interface.
    pub messages: bool,
    /// The verbs that the workload uses; `None` if it uses none.
    pub verbs: Option<VerbsNeeds>,
    /// The key that requires a host on which memory accesses take time, if it is set.
    pub timed_memory: Option<&'static str>,
    /// Largest number of 32-bit words in an active message of the workload; 0 if it sends none.
    pub packet_words: usize,
    /// Length in flits of the longest packet, if the workload itself injects packets; 0 otherwise.
    pub packet_flits: u16,
}

/// The verbs that a workload uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct VerbsNeeds {
    /// Largest number of bytes that a request moves, with the key that states it.
    pub request: (&'static str, Bytes),
    /// Whether the workload posts sends and receives.
    pub sends: bool,
    /// Largest number of queue pairs that a node connects, with the key that states it.
    pub queue_pairs: (&'static str, u32),
}

impl VerbsNeeds {
    /// Returns the needs of a workload with one queue pair on each node, whose requests move at most `bytes` bytes.
    /// `key` is the key that states this size.
    pub const fn new(key: &'static str, bytes: Bytes) -> VerbsNeeds {
        VerbsNeeds { request: (key, bytes), sends: false, queue_pairs: (key, 1) }
    }

    /// Declares that the workload posts sends and receives.
    #[must_use]
    pub const fn with_sends(mut self) -> VerbsNeeds {
        self.sends = true;
        self
    }

    /// Declares that a node connects at most `number` queue pairs, as `key` states.
    #[must_use]
    pub const fn with_queue_pairs(mut self, key: &'static str, number: u32) -> VerbsNeeds {
        self.queue_pairs = (key, number);
        self
    }
}

impl Default for WorkloadNeeds {
    fn default() -> WorkloadNeeds {
        WorkloadNeeds {
            nodes: 2,
            fabric_only: false,
            shared_memory: false,
            host_dma: false,
            queued_host_dma: None,
            warmed_cache: None,
            messages: true,
            verbs: None,
            timed_memory: None,
            packet_words: 0,
            packet_flits: 0,
        }
    }
}

impl WorkloadNeeds {
    /// Returns the needs of a workload of active messages and transfers, whose packets carry two words: a 64-bit
    /// number, or the offset of a fragment of a transfer and one word of its data.
    pub fn active_messages() -> WorkloadNeeds {
        WorkloadNeeds { packet_words: 2, ..WorkloadNeeds::default() }
    }

    /// Returns the needs of a workload that drives a routed fabric without hosts and interfaces, in packets of up to
    /// `packet_flits` flits.
    pub fn fabric_only(packet_flits: u16) -> WorkloadNeeds {
        WorkloadNeeds { nodes: 0, fabric_only: true, messages: false, packet_flits, ..WorkloadNeeds::default() }
    }
}

/// An endpoint that a workload sends from or to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FlowEndpoint<'a> {
    /// The endpoint of this name.
    Named(&'a str),
    /// The first endpoint of the node with this number.
    OfNode(usize),
}

impl<'a> FlowEndpoint<'a> {
    /// Returns the endpoint called `name`; without a name, the first endpoint of node `default`.
    pub fn named_or(name: Option<&'a str>, default: usize) -> FlowEndpoint<'a> {
        name.map_or(FlowEndpoint::OfNode(default), FlowEndpoint::Named)
    }
}

/// Messages from one endpoint to another, as known from the parameters of a workload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PlannedFlow<'a> {
    /// Sender.
    pub from: FlowEndpoint<'a>,
    /// Receiver.
    pub to: FlowEndpoint<'a>,
    /// Largest number of messages in flight at once.
    pub in_flight: u64,
    /// Payload of each message.
    pub payload: Bytes,
    /// Number and size of the buffers that the sender allocates.
    pub send_buffers: (u64, Bytes),
}

impl<'a> PlannedFlow<'a> {
    /// Returns a flow of messages of `payload` bytes, one in flight at a time, each sent from the same buffer.
    pub const fn new(from: FlowEndpoint<'a>, to: FlowEndpoint<'a>, payload: Bytes) -> PlannedFlow<'a> {
        PlannedFlow { from, to, in_flight: 1, payload, send_buffers: (1, payload) }
    }
}

/// The metric that a workload is run to measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Objective {
    /// Name of the metric.
    pub metric: &'static str,
    /// Whether a larger value is better.
    pub more_is_better: bool,
    /// Name of the rate by which a saturated run is judged, if `metric` is not a rate.
    pub when_saturated: Option<&'static str>,
}

impl Objective {
    /// Returns the objective that minimizes `metric`, such as a latency or a number of cycles.
    pub const fn minimize(metric: &'static str) -> Option<Objective> {
        Some(Objective { metric, more_is_better: false, when_saturated: None })
    }

    /// Returns the objective that maximizes `metric`, such as a bandwidth.
    pub const fn maximize(metric: &'static str) -> Option<Objective> {
        Some(Objective { metric, more_is_better: true, when_saturated: None })
    }

    /// Sets the metric by which a saturated run is judged, which is its accepted load.
    #[must_use]
    pub const fn when_saturated(mut self, metric: &'static str) -> Objective {
        self.when_saturated = Some(metric);
        self
    }
}

/// A workload as it is described. All keys are relative to the workload's own table.
pub trait WorkloadSpec: PartSpec {
    /// Returns the requirements on a machine.
    fn needs(&self) -> WorkloadNeeds;

    /// Returns the errors of the parameters for a machine with `endpoints` endpoints.
    fn check_endpoints(&self, _endpoints: usize) -> Vec<ParameterError> {
        Vec::new()
    }

    /// Returns the errors of the parameters for a fabric of `nodes` nodes, each of which injects at most
    /// `injection_max` flits per cycle.
    fn check_routers(&self, _nodes: u32, _injection_max: f64) -> Vec<ParameterError> {
        Vec::new()
    }

    /// Computes the defaults that depend on `message_max`, the largest message of the machine. Returns the workload
    /// with these defaults, or `None` if no default depends on it.
    fn resolved(&self, _message_max: Bytes) -> Option<Arc<dyn WorkloadSpec>> {
        None
    }

    /// Replaces endpoint patterns by matching endpoints of the machine, whose names `names` returns. Returns the
    /// resulting workload, or `None` if it has no patterns.
    fn with_endpoints(&self, _names: &dyn Fn() -> Vec<String>) -> Option<Arc<dyn WorkloadSpec>> {
        None
    }

    /// Returns the endpoints that the workload names, each with the key that names it.
    fn endpoint_names(&self) -> Vec<(String, &str)> {
        Vec::new()
    }

    /// Returns the pairs of sender and receiver, each with the key that states it. `defaults` are the sender and
    /// receiver of a pair that the description does not name.
    fn endpoint_pairs<'a>(&'a self, _defaults: [Option<&'a str>; 2]) -> Vec<(String, (&'a str, &'a str))> {
        Vec::new()
    }

    /// Returns the largest payload that is sent over the network, with the key that states it.
    fn payload_max(&self) -> Option<(&'static str, Bytes)> {
        None
    }

    /// Returns the largest buffer in a node's memory, with the key that states it.
    fn buffer_max(&self) -> Option<(&'static str, Bytes)> {
        self.payload_max()
    }

    /// Returns the planned flows, for the check of main memory.
    fn flows(&self) -> Vec<PlannedFlow<'_>> {
        Vec::new()
    }

    /// Returns the buffers that are not for messages, each with the endpoint whose node holds it.
    fn local_buffers(&self) -> Vec<(FlowEndpoint<'_>, Bytes)> {
        Vec::new()
    }

    /// Returns the metric that the workload is run for; by default it is the first that a run reports.
    fn objective(&self) -> Option<Objective> {
        None
    }

    /// Starts the workload's programs at time 0.
    fn start(&self, world: &World) -> Rc<dyn RunningWorkload>;
}
