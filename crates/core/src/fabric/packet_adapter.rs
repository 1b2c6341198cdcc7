//! Packet ports over streams: for each class one task sends packets and another assembles them.
//!
//! The module models an interface that is notified of a packet when all of it has arrived. A packet that needs a
//! receive slot waits for one before its first byte or after its last byte ([`StreamRx::blocks_channel`]), and the
//! packets of its class behind it wait as well. A packet that the fabric drops is reported to its sender.
//!
//! The module does not model the memory of packets that wait to be sent, which belongs to the sender.

use super::hub::DeliveryHub;
use super::packet::Packet;
use super::port::{FabricEvent, Listener, PacketDropped, PacketPort, Piece, StreamRx, StreamTx};
use crate::engine::{Bytes, Class, Mailbox, NodeId, Rate, Signal, Sim, Time};
use std::cell::Cell;
use std::rc::Rc;

/// The packet port of a node whose fabric has only streams.
pub struct PacketOverStream {
    sim: Sim,
    node: NodeId,
    classes: Vec<ClassPort>,
    hub: Rc<DeliveryHub>,
}

/// One class of a node.
struct ClassPort {
    /// Packets to send. On an uncontended stream, this mailbox passes each packet to the sender task only when the last
    /// byte has left.
    outgoing_packets: Mailbox<Rc<Packet>>,
    /// Rate at which packets leave on an uncontended stream; `None` on any other stream.
    uncontended_rate: Cell<Option<Rate>>,
    slots: Slots,
}

impl PacketOverStream {
    /// Starts the tasks of `node`, which is called `name`, over its `streams`, one pair for each class; `hub` has the
    /// listeners of all nodes.
    pub fn start<Tx: StreamTx + 'static, Rx: StreamRx + 'static>(
        sim: &Sim,
        node: NodeId,
        name: &str,
        streams: Vec<(Tx, Rx)>,
        hub: &Rc<DeliveryHub>,
    ) -> Rc<PacketOverStream> {
        let new_class_port = |_| ClassPort {
            outgoing_packets: Mailbox::new(sim, format!("{name}: a packet to send")),
            uncontended_rate: Cell::new(None),
            slots: Slots::new(sim, name),
        };
        let classes = (0..streams.len()).map(new_class_port).collect();
        let port = Rc::new(PacketOverStream { sim: sim.clone(), node, classes, hub: hub.clone() });
        for (class, (mut tx, mut rx)) in streams.into_iter().enumerate() {
            let rate = tx.rate();
            port.classes[class].uncontended_rate.set(tx.uncontended().map(|_| rate));
            sim.spawn_server(format!("{name} sender"), port.clone().send_all(class, tx));
            rx.set_packet_mode();
            sim.spawn_server(format!("{name} receiver"), port.clone().receive_all(class, rx));
        }
        port
    }

    async fn send_all(self: Rc<Self>, class: usize, mut tx: impl StreamTx) {
        loop {
            let packet = self.classes[class].outgoing_packets.receive().await;
            if let Some(uncontended) = tx.uncontended() {
                uncontended.complete(&packet);
            } else if send(&mut tx, &packet).await.is_err() {
                self.hub.report_drop(packet);
            }
            self.hub.notify(self.node, FabricEvent::TxReady(Class(class as u8)));
        }
    }

    async fn receive_all(self: Rc<Self>, class: usize, mut rx: impl StreamRx) {
        let (slots, blocks_channel) = (&self.classes[class].slots, rx.blocks_channel());
        // Whether the packet that is arriving has taken a slot.
        let mut has_slot = false;
        loop {
            match rx.next(Bytes(u64::MAX)).await {
                Piece::Bytes { packet, bytes, time, first, last } => {
                    let needs_slot = packet.label().needs_slot;
                    if first && needs_slot && blocks_channel {
                        has_slot = slots.acquire().await;
                    }
                    if time > Time::ZERO || blocks_channel {
                        self.sim.delay(time).await;
                    }
                    rx.return_credit(bytes);
                    if last {
                        if needs_slot && !blocks_channel {
                            slots.acquire().await;
                        }
                        has_slot = false;
                        self.hub.deliver(packet);
                    }
                }
                Piece::Dropped(_) => {
                    if std::mem::take(&mut has_slot) {
                        slots.add();
                    }
                }
            }
        }
    }
}

/// Sends all of a packet.
async fn send(tx: &mut impl StreamTx, packet: &Rc<Packet>) -> Result<(), PacketDropped> {
    tx.open(packet).await?;
    let mut remaining = packet.label().length;
    while !remaining.is_empty() {
        let bytes = tx.reserve(remaining).await?;
        remaining -= bytes;
        tx.send(bytes, Time::ZERO, remaining.is_empty()).await;
    }
    tx.close();
    Ok(())
}

impl PacketPort for PacketOverStream {
    fn attach(&self, listener: Listener) {
        self.hub.attach(self.node, listener);
    }

    fn send(&self, packet: Rc<Packet>) {
        self.hub.count(|counts| counts.injected += 1);
        let label = packet.label();
        let class = &self.classes[label.class.index()];
        let time_on_link = class.uncontended_rate.get().map_or(Time::ZERO, |rate| rate.time_for(label.length));
        class.outgoing_packets.send_at(self.sim.now() + time_on_link, packet);
    }

    fn set_slots(&self, class: Class, slots: u32) {
        self.classes[class.index()].slots.free_slots.set(slots);
    }

    fn add_slot(&self, class: Class) {
        self.classes[class.index()].slots.add();
    }
}

/// The receive slots of a node for packets of a class. Their number is unlimited until it is set.
struct Slots {
    free_slots: Cell<u32>,
    release_signal: Signal,
}

impl Slots {
    fn new(sim: &Sim, name: &str) -> Slots {
        Slots { free_slots: Cell::new(u32::MAX), release_signal: Signal::new(sim, format!("a receive slot of {name}")) }
    }

    fn add(&self) {
        if self.free_slots.get() < u32::MAX {
            self.free_slots.set(self.free_slots.get() + 1);
        }
        self.release_signal.notify();
    }

    /// Waits for a free slot and takes it. Returns whether a slot was taken: `false` if their number is unlimited.
    async fn acquire(&self) -> bool {
        while self.free_slots.get() == 0 {
            self.release_signal.wait().await;
        }
        let is_limited = self.free_slots.get() < u32::MAX;
        if is_limited {
            self.free_slots.set(self.free_slots.get() - 1);
        }
        is_limited
    }
}
