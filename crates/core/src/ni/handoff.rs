//! What drivers of interfaces do that need no bus: they hand a composed packet to a port, and account for polls that
//! were skipped.

use super::driver::SendRequest;
use super::port::Port;
use crate::engine::{Bytes, FlowKey, Time};
use crate::fabric::Packet;
use crate::host::{AnyProcessor, CpuLease, Processor};
use crate::protocol::{Offer, Slot};
use std::rc::Rc;

/// Hands the composed packet `body`, of which `bytes` are sent, to `port`, and ends the stage `send` of its ledger.
/// Another program's work may lie ahead on the processor's clock; the packet goes at the simulation's present.
pub fn hand_over(
    port: &Port,
    (cpu, turn): (&AnyProcessor, &CpuLease),
    packet: &SendRequest<'_>,
    slot: Slot,
    (body, bytes): (Rc<Packet>, Bytes),
) {
    let (journey, now) = (&packet.journey, cpu.sim().now());
    journey.served(Time::ZERO, now);
    journey.close("send", now);
    turn.did("send", journey.id(), bytes.len());
    let SendRequest { to, class, marks, .. } = *packet;
    port.offer(slot, Offer { to: port.addresses().node(to), flow: FlowKey(0), class, marks, bytes, body });
}

/// Charges the polls that the processor made since `begin`, one every `poll` cycles: a change is seen by the next poll.
pub async fn end_poll(cpu: &AnyProcessor, begin: Time, poll: u64) {
    let clock = cpu.clock();
    let waited = clock.cycle_at(cpu.now()) - clock.cycle_before(begin);
    cpu.work(waited.next_multiple_of(poll) - waited);
    cpu.sync().await;
}
