//! A half of a fifo or queue: a sending or a receiving driver, and the context in which it is built.
//!
//! The two halves are combined in [`queue_driver`](super::queue_driver).

use super::parameters::InterfaceParameters;
use crate::engine::sim::WaitReasonId;
use crate::engine::{Journey, Sim};
use crate::host::{AnyCoherentPort, AnyProcessor, Host};
use crate::ni::build_context::BuildContext;
use crate::ni::driver::{SendRequest, Wake};
use crate::ni::parcel::{Header, ProcessorStage};
use crate::ni::port::Port;
use crate::ni::word_copy::PayloadSink;
use std::rc::Rc;

/// A sending half of a driver.
pub trait SendHalf {
    /// Returns whether a packet may be sent now.
    async fn can_send(&self, cpu: &AnyProcessor) -> bool;
    /// Sends a packet, after `can_send` has returned true.
    async fn send(
        &self,
        cpu: &AnyProcessor,
        header: Header,
        packet: &SendRequest<'_>,
        processor_stage: Option<ProcessorStage>,
    );
}

/// A packet that a poll found.
pub struct RxHit {
    /// Header of the packet.
    pub header: Header,
    /// Record of the packet's latency.
    pub journey: Journey,
    /// Record of the processor's part of the latency, if the packet has a ledger.
    pub processor_stage: Option<ProcessorStage>,
}

/// A receiving half of a driver.
pub trait ReceiveHalf {
    /// Polls once for a packet.
    async fn poll(&self, cpu: &AnyProcessor) -> Option<RxHit>;
    /// Moves the packet that the last poll found to `sink`, and frees its slot.
    async fn take(&self, cpu: &AnyProcessor, header: Header, sink: &mut PayloadSink<'_>);
    /// Ends a round of the polling loop in which no packet was found. The result has the meaning of the result of
    /// [`Driver::idle`](crate::ni::Driver::idle).
    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool;
    /// Charges the processor's cycles of a round without a packet, without waiting as `idle` does.
    fn charge_poll(&self, cpu: &AnyProcessor);
    /// Returns the wait reason of a program that polls on this processor, or `None` if `idle` registers its own.
    fn poll_wait_reason(&self, cpu: &AnyProcessor) -> Option<WaitReasonId>;
}

/// The context in which a half is built.
pub struct HalfContext<'a> {
    /// The context in which the interface is built.
    pub context: &'a BuildContext<'a>,
    /// Port to the network.
    pub port: &'a Rc<Port>,
    /// Parameters of the interface.
    pub parameters: &'a InterfaceParameters,
}

impl HalfContext<'_> {
    /// Returns the simulation.
    pub fn sim(&self) -> &Sim {
        self.context.sim
    }

    /// Returns the node's name.
    pub fn name(&self) -> &str {
        self.context.name()
    }

    /// Returns the host.
    pub fn host(&self) -> &Host {
        self.context.host
    }

    /// Returns the interface's port on the coherent interconnect.
    ///
    /// # Panics
    ///
    /// Panics if the host has no coherent interconnect; the check of a machine excludes that.
    pub fn coherent_port(&self) -> AnyCoherentPort {
        self.host().coherent().expect("a checked interface that needs a coherent bus finds one")
    }

    /// Returns the cycles of a round of polling.
    pub fn poll_cycles(&self) -> u64 {
        self.context.costs.poll
    }
}
