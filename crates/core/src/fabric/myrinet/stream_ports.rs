//! The streams of a node at a Myrinet: a path for each packet that the node sends, and the pieces that arrive at the
//! node.

use super::Myrinet;
use super::path::Path;
use crate::engine::sim::TaskId;
use crate::engine::{Bytes, NodeId, Rate, Time};
use crate::fabric::packet::Packet;
use crate::fabric::port::{PacketDropped, Piece, StreamRx, StreamTx};
use std::rc::Rc;

/// The transmit side of a node's stream.
pub struct MyrinetTx {
    fabric: Rc<Myrinet>,
    path: Option<Path>,
}

impl MyrinetTx {
    /// Creates the transmit side of any node. The node is not a parameter, because the label of each packet names its
    /// source.
    pub fn new(fabric: &Rc<Myrinet>) -> MyrinetTx {
        MyrinetTx { fabric: fabric.clone(), path: None }
    }

    /// Returns the path of the open packet.
    ///
    /// # Panics
    ///
    /// Panics if no packet is open; a packet that was dropped is closed.
    fn path(&mut self) -> &mut Path {
        self.path.as_mut().expect("no packet is open")
    }
}

impl StreamTx for MyrinetTx {
    fn flow_unit(&self) -> Bytes {
        self.fabric.parameters.flit
    }

    fn rate(&self) -> Rate {
        self.fabric.parameters.link_rate
    }

    async fn open(&mut self, packet: &Rc<Packet>) -> Result<(), PacketDropped> {
        self.path = Some(self.fabric.open(packet.clone()).await?);
        Ok(())
    }

    async fn reserve(&mut self, bytes_max: Bytes) -> Result<Bytes, PacketDropped> {
        let bytes = bytes_max.min(self.flow_unit());
        let reservation = self.path().reserve(bytes).await;
        if reservation.is_err() {
            self.path = None;
        }
        reservation.map(|()| bytes)
    }

    async fn send(&mut self, bytes: Bytes, min_duration: Time, last: bool) {
        let time = self.rate().time_for(bytes).max(min_duration);
        self.path().send(bytes, time, last).await;
    }

    fn close(&mut self) {
        self.path().close();
        self.path = None;
    }
}

/// The receive side of a node's stream.
pub struct MyrinetRx {
    fabric: Rc<Myrinet>,
    node: NodeId,
}

impl MyrinetRx {
    /// Returns the receive side of `node`.
    pub fn new(fabric: &Rc<Myrinet>, node: NodeId) -> MyrinetRx {
        MyrinetRx { fabric: fabric.clone(), node }
    }
}

impl StreamRx for MyrinetRx {
    async fn next(&mut self, _bytes_max: Bytes) -> Piece {
        self.fabric.arrival(self.node).await
    }

    fn return_credit(&mut self, bytes: Bytes) {
        self.fabric.return_credit(self.node, bytes);
    }

    fn blocks_channel(&self) -> bool {
        true
    }

    fn set_receiver(&mut self, task: TaskId) {
        self.fabric.set_receiver(self.node, task);
    }
}
