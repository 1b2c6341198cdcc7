//! An endpoint: the driver of the node's interface, by kind.

use crate::engine::{Bytes, NodeId, Tally, Tracked};
use crate::host::io_bus::{Address, IoBusHost};
use crate::ni::trapeze::{Received, Send, TrapezeNode, Writer};
use std::rc::Rc;

/// A node's interface, as programs use it.
#[derive(Clone)]
pub enum Endpoint {
    /// Trapeze on a LANai.
    Trapeze(Rc<TrapezeNode>),
}

/// A message to send.
pub struct Outgoing<'a> {
    /// The receiving node.
    pub destination: NodeId,
    /// Which payload it carries, if the receiver steers by it; 0 for none.
    pub tag: u16,
    /// Where the payload lies in host memory.
    pub address: Address,
    /// Its length.
    pub payload: Bytes,
    /// A few bytes beside the payload.
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
    /// The message, as it was followed.
    pub message: Tracked,
    received: Received,
}

impl Endpoint {
    /// The host under the endpoint.
    pub fn host(&self) -> &Rc<IoBusHost> {
        match self {
            Endpoint::Trapeze(node) => &node.host,
        }
    }

    /// The most a message may carry.
    pub fn payload_max(&self) -> Bytes {
        match self {
            Endpoint::Trapeze(node) => node.driver.parameters().payload_max,
        }
    }

    /// Sends a message; returns when the interface has been told.
    pub async fn send(&self, source: NodeId, tally: &Tally, outgoing: Outgoing<'_>) -> Tracked {
        let message = tally.message(source, outgoing.destination, outgoing.payload);
        match self {
            Endpoint::Trapeze(node) => {
                let mut control = Writer::default();
                let room = control.reserve(outgoing.words.len()).expect("a program's words fit a control message");
                room.copy_from_slice(outgoing.words);
                let (tag, address) = (outgoing.tag, outgoing.address);
                node.driver.send(Send { message: message.clone(), tag, address, control: &control }).await;
            }
        }
        message
    }

    /// Waits for the next message.
    pub async fn receive(&self) -> Incoming {
        match self {
            Endpoint::Trapeze(node) => {
                let mut received = node.driver.receive().await;
                let words = received.control.rest().to_vec();
                Incoming {
                    source: received.source,
                    tag: received.tag,
                    address: received.address,
                    payload: received.length,
                    words,
                    message: received.message.clone(),
                    received,
                }
            }
        }
    }

    /// Gives a message's buffer back.
    pub async fn release(&self, incoming: Incoming) {
        match self {
            Endpoint::Trapeze(node) => node.driver.release(incoming.received).await,
        }
    }

    /// Has payloads with `tag` delivered to `address`.
    pub async fn map_tag(&self, tag: u16, address: Address) {
        match self {
            Endpoint::Trapeze(node) => node.driver.map_tag(tag, address).await,
        }
    }
}
