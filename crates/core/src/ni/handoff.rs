//! Functions that the drivers of interfaces without a bus share: giving a composed packet to a port, and charging polls
//! that the simulation skipped.

use super::driver::SendRequest;
use super::port::Port;
use crate::engine::{Bytes, FlowKey, Time};
use crate::fabric::Packet;
use crate::host::{AnyProcessor, CpuLease, Processor};
use crate::protocol::{Offer, Slot};
use std::rc::Rc;

/// Gives the composed packet `body`, with length `bytes` on the wire, to `port`, and ends the stage `send` of its
/// ledger. The packet is sent at the simulation's current time, even if the processor's local time is ahead because of
/// another program's work.
pub fn hand_over(
    port: &Port,
    (cpu, lease): (&AnyProcessor, &CpuLease),
    packet: &SendRequest<'_>,
    slot: Slot,
    (body, bytes): (Rc<Packet>, Bytes),
) {
    let (journey, now) = (&packet.journey, cpu.sim().now());
    journey.add_service(Time::ZERO, now);
    journey.close("send", now);
    lease.record_span("send", journey.id(), bytes.len());
    let SendRequest { to, class, marks, .. } = *packet;
    port.offer(slot, Offer { to: port.addresses().node(to), flow: FlowKey(0), class, marks, bytes, body });
}

/// Charges the polls that the processor made since `wait_start`, one every `poll_cycles` cycles. The last charged poll
/// is the first one at or after the current time: it finds the change.
pub async fn end_poll(cpu: &AnyProcessor, wait_start: Time, poll_cycles: u64) {
    let clock = cpu.clock();
    let elapsed_cycles = clock.cycle_at(cpu.now()) - clock.cycle_before(wait_start);
    cpu.work(elapsed_cycles.next_multiple_of(poll_cycles) - elapsed_cycles);
    cpu.sync().await;
}
