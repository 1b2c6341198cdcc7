//! What drivers of interfaces do that need no bus: hand a composed packet over, and account for polls that were
//! skipped.

use super::driver::Compose;
use super::port::Port;
use crate::engine::{Bytes, Time};
use crate::fabric::Packet;
use crate::host::{AnyProcessor, CpuLease, Processor};
use crate::protocol::{Offer, Slot};
use std::rc::Rc;

/// Gives a packet that was composed into `body` on, of which `bytes` leave: the stage of its sending ends. Another
/// program's work may lie ahead on the processor's clock: the packet goes now.
pub fn hand_over(
    port: &Port,
    (cpu, turn): (&AnyProcessor, &CpuLease),
    packet: &Compose<'_>,
    slot: Slot,
    (body, bytes): (Rc<Packet>, Bytes),
) {
    let (journey, now) = (&packet.journey, cpu.sim().now());
    journey.served(Time::ZERO, now);
    journey.close("send", now);
    turn.did("send", journey.id(), bytes.len());
    let Compose { to, class, marks, .. } = *packet;
    port.offer(slot, Offer { to: port.addresses().node(to), class, marks, bytes, body });
}

/// The processor has polled since `begin`, every `poll` cycles: it sees what changed with the poll after it.
pub async fn end_poll(cpu: &AnyProcessor, begin: Time, poll: u64) {
    let clock = cpu.clock();
    let waited = clock.cycle_at(cpu.now()) - clock.cycle_before(begin);
    cpu.work(waited.next_multiple_of(poll) - waited);
    cpu.sync().await;
}
