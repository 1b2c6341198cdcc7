//! How a driver waits for a packet in a fifo: it reads the status again and again.
//!
//! Where the host can tell what such reads come to, those that show nothing are passed at once
//! ([`CoherentProcessor::pass_polls`](crate::host::CoherentProcessor::pass_polls)).

use super::device::ReceiveFifo;
use crate::host::{Address, AnyProcessor, PolledRegister, Processor};
use crate::ni::driver::Wake;
use std::cell::Cell;
use std::rc::Rc;

/// The polls of a fifo's status.
pub struct StatusPolls {
    fifo: Rc<ReceiveFifo>,
    /// The status on the bus, and its width; nothing where it is a register of the processor.
    on_bus: Option<(Address, usize)>,
    access_cycles: u64,
    round_cycles: u64,
    /// Whether a read has ended that showed a packet, and nobody has taken that up.
    sees: Cell<bool>,
}

impl StatusPolls {
    /// Of a status that is read on the bus, or in so many cycles without.
    pub fn new(
        fifo: &Rc<ReceiveFifo>,
        on_bus: Option<(Address, usize)>,
        access_cycles: u64,
        round_cycles: u64,
    ) -> StatusPolls {
        StatusPolls { fifo: fifo.clone(), on_bus, access_cycles, round_cycles, sees: Cell::new(false) }
    }

    /// Cycles of a round beside the read.
    pub fn charge_poll(&self, cpu: &AnyProcessor) {
        cpu.work(self.round_cycles);
    }

    /// Ends a round in which no packet was there; true if a read has just ended that showed one.
    pub async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool {
        match cpu.snooping() {
            None => self.charge_poll(cpu),
            Some(processor) => {
                let register = PolledRegister {
                    on_bus: self.on_bus,
                    access_cycles: self.access_cycles,
                    round_cycles: self.round_cycles,
                    event: &self.fifo.visible,
                    shows: &|| self.fifo.shows(),
                };
                self.sees.set(processor.pass_polls(&register, wake.next).await);
            }
        }
        self.sees.get()
    }

    /// Takes that up, if it is so.
    pub fn takes_up(&self, cpu: &AnyProcessor) -> bool {
        // Another task may have taken the packet.
        if let (true, Some(_), Some(processor)) = (self.sees.take(), self.fifo.shows(), cpu.snooping()) {
            processor.resume_read(self.on_bus.is_some());
            return true;
        }
        false
    }
}
