//! The window of the device: a doorbell register of 8 bytes, and BlueFlame buffers, to which whole requests are
//! written.
//!
//! The doorbell's value is the first 8 bytes of the control segment of the last request: they name the queue pair, the
//! index of the request and its length, so the device knows how far the queue is filled.

use crate::engine::{Sim, Time};
use crate::host::Device;
use crate::ni::rdma::device::RdmaDevice;
use crate::ni::rdma::work_request::{BLOCK_BYTES, WorkEntry};
use std::cell::RefCell;
use std::rc::Rc;

/// Bytes of the doorbell's window.
pub const DOORBELL_BYTES: u64 = 8;
/// Bytes of a BlueFlame buffer, which holds the longest request.
pub const BLUE_FLAME_BYTES: u64 = 1024;
/// Number of BlueFlame buffers of a core, which are used in turn.
pub const BLUE_FLAME_BUFFERS: u64 = 2;

/// A doorbell that has arrived.
pub struct DoorbellWrite {
    /// Number of the queue pair.
    pub queue_pair: u32,
    /// Index behind the last block that the processor has filled.
    pub producer: u16,
    /// The request, if it came with the doorbell.
    pub request: Option<Vec<u8>>,
    /// Time of arrival.
    pub arrival_time: Time,
}

/// Returns the doorbell that the first 8 bytes of a control segment announce.
fn decode_doorbell(control: &[u8], request: Option<Vec<u8>>, arrival_time: Time) -> DoorbellWrite {
    let index = u16::from_be_bytes([control[1], control[2]]);
    let queue_pair = u32::from_be_bytes([0, control[4], control[5], control[6]]);
    DoorbellWrite { queue_pair, producer: index.wrapping_add(WorkEntry::blocks(control)), request, arrival_time }
}

/// The doorbell register.
pub struct DoorbellRegister(pub Rc<RdmaDevice>);

impl Device for DoorbellRegister {
    fn time(&self, _at: u64) -> Time {
        Time::ZERO
    }

    fn read(&self, _at: u64, into: &mut [u8]) {
        into.fill(0);
    }

    fn write(&self, _at: u64, bytes: &[u8]) {
        self.0.doorbells.send(decode_doorbell(bytes, None, self.0.sim.now()));
    }
}

/// The BlueFlame buffers. Blocks of a request arrive in order.
pub struct BlueFlame {
    device: Rc<RdmaDevice>,
    sim: Sim,
    /// Bytes in each buffer.
    partial_requests: RefCell<Vec<Vec<u8>>>,
}

impl BlueFlame {
    /// Creates `buffers` buffers of `device`.
    pub fn new(device: &Rc<RdmaDevice>, buffers: u64) -> BlueFlame {
        let partial_requests = RefCell::new(vec![Vec::new(); buffers as usize]);
        BlueFlame { device: device.clone(), sim: device.sim.clone(), partial_requests }
    }
}

impl Device for BlueFlame {
    fn time(&self, _at: u64) -> Time {
        Time::ZERO
    }

    fn read(&self, _at: u64, into: &mut [u8]) {
        into.fill(0);
    }

    fn write(&self, at: u64, bytes: &[u8]) {
        let mut partial_requests = self.partial_requests.borrow_mut();
        let request = &mut partial_requests[(at / BLUE_FLAME_BYTES) as usize];
        request.extend_from_slice(bytes);
        if request.len() == usize::from(WorkEntry::blocks(request)) * BLOCK_BYTES {
            let request = std::mem::take(request);
            let control: [u8; 8] = request[..8].try_into().expect("a request has a control segment");
            let doorbell = decode_doorbell(&control, Some(request), self.sim.now());
            self.device.doorbells.send(doorbell);
        }
    }
}
