//! The handle by which a protocol refers to a packet of a port or a firmware.

use std::any::Any;
use std::rc::Rc;

/// A shared packet of any type: a port's packet, or a firmware's buffer. A protocol clones and drops the handle, and
/// never looks inside.
#[derive(Clone)]
pub struct PacketHandle(Rc<dyn Any>);

impl PacketHandle {
    /// Returns a handle to `packet`.
    pub fn new<T: 'static>(packet: Rc<T>) -> PacketHandle {
        PacketHandle(packet)
    }

    /// Returns the packet, if the handle was made of a `T`.
    pub fn get<T: 'static>(&self) -> Option<Rc<T>> {
        self.0.clone().downcast().ok()
    }

    /// Returns the packet.
    ///
    /// # Panics
    ///
    /// Panics if the handle was made of anything but a `T`, because the code that makes a handle also unwraps it.
    pub fn expect<T: 'static>(&self) -> Rc<T> {
        self.get().expect("a handle is unwrapped by the code that made it")
    }

    /// Returns a reference to the packet, if the handle was made of a `T`.
    pub fn peek<T: 'static>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}
