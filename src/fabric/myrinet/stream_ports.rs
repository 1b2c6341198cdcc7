//! A node's ways into and out of a Myrinet: a path for each packet, and what comes off the link.

use super::path::Path;
use super::{Dropped, Myrinet, Piece};
use crate::engine::{Bytes, NodeId, Rate, Time};
use crate::fabric::packet::Packet;
use crate::fabric::port::{Inlet, Outlet};
use std::rc::Rc;

/// A node's way in.
pub struct MyrinetOutlet {
    fabric: Rc<Myrinet>,
    path: Option<Path>,
}

impl MyrinetOutlet {
    /// The way in of a node, which the label of each packet names.
    pub fn new(fabric: &Rc<Myrinet>) -> MyrinetOutlet {
        MyrinetOutlet { fabric: fabric.clone(), path: None }
    }

    /// The path; a packet that was dropped has none.
    fn path(&mut self) -> &mut Path {
        self.path.as_mut().expect("a packet's bytes leave on the path that was taken for it")
    }
}

impl Outlet for MyrinetOutlet {
    fn grain(&self) -> Bytes {
        self.fabric.parameters.flit
    }

    fn rate(&self) -> Rate {
        self.fabric.parameters.link_rate
    }

    async fn open(&mut self, packet: &Rc<Packet>) -> Result<(), Dropped> {
        self.path = Some(self.fabric.open(packet.clone()).await?);
        Ok(())
    }

    async fn room(&mut self, most: Bytes) -> Result<Bytes, Dropped> {
        let bytes = most.min(self.grain());
        let room = self.path().room(bytes).await;
        if room.is_err() {
            self.path = None;
        }
        room.map(|()| bytes)
    }

    async fn send(&mut self, bytes: Bytes, no_less: Time, last: bool) {
        let time = self.rate().time_for(bytes).max(no_less);
        self.path().send(bytes, time, last).await;
    }

    fn close(&mut self) {
        self.path().close();
        self.path = None;
    }
}

/// A node's way out.
pub struct MyrinetInlet {
    fabric: Rc<Myrinet>,
    node: NodeId,
}

impl MyrinetInlet {
    /// The way out at `node`.
    pub fn new(fabric: &Rc<Myrinet>, node: NodeId) -> MyrinetInlet {
        MyrinetInlet { fabric: fabric.clone(), node }
    }

    /// The fabric and the node.
    pub fn port(&self) -> (Rc<Myrinet>, NodeId) {
        (self.fabric.clone(), self.node)
    }
}

impl Inlet for MyrinetInlet {
    async fn next(&mut self, _most: Bytes) -> Piece {
        self.fabric.arrival(self.node).await
    }

    fn taken(&mut self, bytes: Bytes) {
        self.fabric.taken(self.node, bytes);
    }

    fn waits_outside(&self) -> bool {
        true
    }
}
