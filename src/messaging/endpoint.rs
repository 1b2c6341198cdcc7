//! An endpoint: the driver of the node's interface, by kind.

use super::{active, polled};
use crate::engine::{Bytes, Message, NodeId, Sim, Tally, Time};
use crate::host::io_bus::{Address, IoBusHost};
use crate::ni::trapeze::{Received, Send, TrapezeNode, Writer};
use std::rc::Rc;

/// A node's interface, as programs use it.
#[derive(Clone)]
pub enum Endpoint {
    /// Trapeze on a LANai.
    Trapeze(Rc<TrapezeNode>),
    /// An interface on the memory bus, polled.
    Polled(Rc<polled::Endpoint>),
    /// Active messages; programs of this kind use that end itself.
    Active(Rc<active::Endpoint>),
}

/// Why a program of messages with payloads in memory does not meet active messages.
const CHECKED: &str = "a checked description gives active messages to programs that use them";

/// A message to send.
pub struct Outgoing<'a> {
    /// The receiving node.
    pub destination: NodeId,
    /// Which payload it carries, if the receiver steers by it; 0 for none, at most 255.
    pub tag: u16,
    /// Where the payload lies in host memory.
    pub address: Address,
    /// Its length.
    pub payload: Bytes,
    /// A few bytes beside the payload. An interface without control messages sends them as the
    /// payload of a message that has no other.
    pub words: &'a [u8],
}

/// A message received; to be given back with [`Endpoint::release`].
pub struct Incoming {
    /// The node it came from.
    pub source: NodeId,
    /// Its tag.
    pub tag: u16,
    /// Where its payload lies in host memory.
    pub address: Address,
    /// The payload's length.
    pub payload: Bytes,
    /// The bytes beside the payload, in whole words.
    pub words: Vec<u8>,
    received: Kept,
}

/// What the interface's driver gets back.
enum Kept {
    Trapeze(Received),
    Polled(polled::Received),
}

impl Endpoint {
    /// The node's own time: a processor that runs ahead of the simulation has a later one.
    pub fn now(&self, sim: &Sim) -> Time {
        match self {
            Endpoint::Trapeze(_) | Endpoint::Active(_) => sim.now(),
            Endpoint::Polled(end) => end.processor().time(),
        }
    }

    /// The host, if the interface sits on its I/O bus.
    pub fn io_bus_host(&self) -> Option<&Rc<IoBusHost>> {
        match self {
            Endpoint::Trapeze(node) => Some(&node.host),
            Endpoint::Polled(_) | Endpoint::Active(_) => None,
        }
    }

    /// The node's end of active messages, if it has one.
    pub fn active(&self) -> Option<&Rc<active::Endpoint>> {
        match self {
            Endpoint::Active(end) => Some(end),
            _ => None,
        }
    }

    /// Whether a tag steers a payload to the address it is mapped to.
    pub fn steers(&self) -> bool {
        matches!(self, Endpoint::Trapeze(_))
    }

    /// A buffer in host memory.
    pub fn allocate(&self, length: Bytes) -> Address {
        match self {
            Endpoint::Trapeze(node) => node.host.memory.allocate(length, 4096),
            Endpoint::Polled(end) => end.node().allocate(length.len().next_multiple_of(8)),
            Endpoint::Active(_) => unreachable!("{CHECKED}"),
        }
    }

    /// Writes a buffer before anything is measured: into memory, or through the processor's cache
    /// where the interface meets data there.
    pub async fn write(&self, address: Address, bytes: &[u8]) {
        match self {
            Endpoint::Trapeze(node) => node.host.memory.write(address, bytes),
            Endpoint::Polled(end) => {
                for (index, part) in bytes.chunks(8).enumerate() {
                    let mut word = [0; 8];
                    word[..part.len()].copy_from_slice(part);
                    end.processor().store(address + 8 * index as u64, 8, u64::from_le_bytes(word)).await;
                }
                end.processor().fence().await;
            }
            Endpoint::Active(_) => unreachable!("{CHECKED}"),
        }
    }

    /// Sends a message; returns when its buffer may be used again or the interface has been told.
    pub async fn send(&self, source: NodeId, tally: &Tally, outgoing: Outgoing<'_>) {
        match self {
            Endpoint::Trapeze(node) => {
                let message = tally.message(source, outgoing.destination, outgoing.payload);
                let mut control = Writer::default();
                let room = control.reserve(outgoing.words.len()).expect("a program's words fit a control message");
                room.copy_from_slice(outgoing.words);
                node.driver
                    .send(Send { message, tag: outgoing.tag, address: outgoing.address, control: &control })
                    .await;
            }
            Endpoint::Polled(end) => {
                tally.count_sent();
                let (mut address, mut length) = (outgoing.address, outgoing.payload.len());
                if !outgoing.words.is_empty() {
                    assert_eq!(length, 0, "words travel in place of a payload");
                    length = outgoing.words.len();
                    address = end.node().allocate(length.next_multiple_of(8));
                    self.write(address, outgoing.words).await;
                }
                end.send(outgoing.destination as u16, outgoing.tag as u8, address, length).await;
            }
            Endpoint::Active(_) => unreachable!("{CHECKED}"),
        }
    }

    /// Waits for the next message to node `own`.
    pub async fn receive(&self, own: NodeId, tally: &Tally) -> Incoming {
        match self {
            Endpoint::Trapeze(node) => {
                let mut received = node.driver.receive().await;
                Incoming {
                    source: received.source,
                    tag: received.tag,
                    address: received.address,
                    payload: received.length,
                    words: received.control.rest().to_vec(),
                    received: Kept::Trapeze(received),
                }
            }
            Endpoint::Polled(end) => {
                let mut received = end.receive().await;
                let (source, payload) = (NodeId::from(received.source), Bytes(received.bytes.len() as u64));
                let ledger = received.ledger.take().expect("messages of a machine carry ledgers");
                tally.deliver_at(&Message::arrived(source, own, payload, *ledger), end.processor().time());
                Incoming {
                    source,
                    tag: received.handler.into(),
                    address: received.buffer,
                    payload,
                    words: received.bytes.clone(),
                    received: Kept::Polled(received),
                }
            }
            Endpoint::Active(_) => unreachable!("{CHECKED}"),
        }
    }

    /// Shows a received payload to `look`.
    pub fn with_payload<T>(&self, incoming: &Incoming, look: impl FnOnce(&[u8]) -> T) -> T {
        match (self, &incoming.received) {
            (Endpoint::Trapeze(node), _) => node.host.memory.with(incoming.address, incoming.payload, look),
            (_, Kept::Polled(received)) => look(&received.bytes),
            (_, Kept::Trapeze(_)) => unreachable!("a message is shown where it was received"),
        }
    }

    /// Gives a message's buffer back.
    pub async fn release(&self, incoming: Incoming) {
        match (self, incoming.received) {
            (Endpoint::Trapeze(node), Kept::Trapeze(received)) => node.driver.release(received).await,
            (Endpoint::Polled(end), Kept::Polled(received)) => end.free(received),
            _ => unreachable!("a message is given back where it was received"),
        }
    }

    /// Has payloads with `tag` delivered to `address`, where the interface steers by tags.
    pub async fn map_tag(&self, tag: u16, address: Address) {
        match self {
            Endpoint::Trapeze(node) => node.driver.map_tag(tag, address).await,
            Endpoint::Polled(_) | Endpoint::Active(_) => {}
        }
    }
}
