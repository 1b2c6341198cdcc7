//! The polling of a driver for a packet in a fifo: it reads the status register repeatedly.
//!
//! If the host can compute the effect of these reads, all reads that show no packet are skipped in one step
//! ([`CoherentProcessor::skip_polls`](crate::host::CoherentProcessor::skip_polls)).

use super::device::ReceiveFifo;
use crate::host::{Address, AnyProcessor, PolledRegister, Processor};
use crate::ni::driver::Wake;
use std::cell::Cell;
use std::rc::Rc;

/// The polls of a fifo's status register.
pub struct StatusPolls {
    fifo: Rc<ReceiveFifo>,
    /// Bus address and width of the status; `None` if it is a register of the processor.
    bus_location: Option<(Address, usize)>,
    access_cycles: u64,
    round_cycles: u64,
    /// Whether a skipped read has shown a packet, so that the next poll continues with that packet.
    has_shown_packet: Cell<bool>,
}

impl StatusPolls {
    /// Creates the polls of a status that is read on the bus, or, if it has no bus location, in `access_cycles`.
    pub fn new(
        fifo: &Rc<ReceiveFifo>,
        bus_location: Option<(Address, usize)>,
        access_cycles: u64,
        round_cycles: u64,
    ) -> StatusPolls {
        StatusPolls {
            fifo: fifo.clone(),
            bus_location,
            access_cycles,
            round_cycles,
            has_shown_packet: Cell::new(false),
        }
    }

    /// Charges the cycles of a polling round in addition to the read.
    pub fn charge_poll(&self, cpu: &AnyProcessor) {
        cpu.work(self.round_cycles);
    }

    /// Ends a polling round that found no packet, and skips the following rounds that would find none. Returns whether
    /// the read after the skipped rounds has shown a packet.
    pub async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool {
        match cpu.snooping() {
            None => self.charge_poll(cpu),
            Some(processor) => {
                let register = PolledRegister {
                    bus_location: self.bus_location,
                    access_cycles: self.access_cycles,
                    round_cycles: self.round_cycles,
                    event: &self.fifo.packet_visible,
                    event_time: &|| self.fifo.ready_event_time(),
                };
                self.has_shown_packet.set(processor.skip_polls(&register, wake.next).await);
            }
        }
        self.has_shown_packet.get()
    }

    /// Continues with the packet that a skipped read showed. Returns whether there is such a packet.
    pub fn resumes(&self, cpu: &AnyProcessor) -> bool {
        // Another task may have taken the packet.
        if let (true, Some(_), Some(processor)) =
            (self.has_shown_packet.take(), self.fifo.ready_event_time(), cpu.snooping())
        {
            processor.resume_read(self.bus_location.is_some());
            return true;
        }
        false
    }
}
