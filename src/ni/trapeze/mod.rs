//! Trapeze: short control messages by programmed I/O, payloads by DMA (Yocum et al. 1997).
//!
//! ```text
//!  program ─ driver ─PIO─▶ send ring ─┐            ┌─▶ receive ring ─PIO─▶ driver ─ program
//!                                  firmware ▶ link ▶ firmware
//!  host memory ──DMA──▶ packet buffer ┘            └─ packet buffer ──DMA──▶ host memory
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `parameters.rs` | every named number |
//! | `layout.rs` | the endpoint in interface memory: rings, incoming payload table, buffers |
//! | `policy.rs` | when a transfer to a sink may start, and how much it takes |
//! | `firmware/` | the device half, one file per direction |
//! | `driver.rs`, `control.rs` | the driver half: sending, receiving, `reserve` and `scan` |
//!
//! An active message is a control message without a payload, its words in the program's bytes.
//!
//! Without a protocol control messages land in the receive ring, and the link holds back what finds no
//! room. Under one the firmware asks it ([`firmware`]): what the protocol keeps stays in packet
//! buffers, and a ring entry is given to a packet when its turn has come.
//!
//! It leaves out protection between processes; without a protocol, a dropped packet is lost.

pub mod control;
pub mod driver;
pub mod firmware;
pub mod layout;
pub mod parameters;
pub mod policy;

pub use control::{ControlReader, Writer};
pub use driver::TrapezeDriver;
pub use firmware::Admission;
pub use parameters::{FirmwareCosts, Notification, TrapezeParameters};
pub use policy::Policy;

use super::{EndsMax, Reach, Room, Site};
use crate::engine::{Bytes, Journey, MessageTally};
use crate::ni::lanai::{Lanai, LanaiParameters, Sram};
use crate::protocol::ProtocolSpec;
use layout::{CONTROL, Layout, NODES_MAX, PLACES_MAX};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The stages of a message with a payload, in order; one without skips those of DMA.
pub mod stage {
    /// From the call to the store that completes the send ring entry.
    pub const HOST_SEND: &str = "host send";
    /// Until the firmware has started the payload's DMA.
    pub const SEND_QUEUE: &str = "send queue";
    /// Until the protocol lets it go, where all of it lies there before.
    pub const ADMISSION: &str = "send: admission";
    /// Until the payload's last byte is in interface memory.
    pub const HOST_TX: &str = "hostTx";
    /// Until the last byte has left on the link.
    pub const NET_TX: &str = "netTx";
    /// Until the last byte is in the receiving interface's memory.
    pub const NETWORK: &str = "network";
    /// Until the last byte is in host memory.
    pub const HOST_RCV: &str = "hostRcv";
    /// Until the receiving program has the message.
    pub const HOST_RECEIVE: &str = "host receive";
}

/// What travels beside the bytes: the messages that the rings' entries stand for.
/// Instruments only; no part decides by them.
pub struct Instruments {
    /// Messages in the send ring, oldest first.
    pub sending: RefCell<VecDeque<Journey>>,
    /// The message of each receive ring entry.
    pub received: RefCell<Vec<Journey>>,
    /// What became of the run's messages.
    pub tally: Rc<MessageTally>,
}

/// Builds chip, firmware and driver of a node.
pub fn start(site: &Site<'_>, chip: LanaiParameters, parameters: &TrapezeParameters) -> Rc<TrapezeDriver> {
    let layout = Layout::under(parameters, site.protocol.spec(), site.addresses.count(site.node()));
    let sram = Sram::new(site.sim, site.name(), chip.sram);
    let window = site.host.attach(sram.clone(), chip.sram.size.get());
    let chip = Lanai::start(site.sim, chip, sram, site.host, site.fabric);
    let received = RefCell::new(vec![Journey::NONE; parameters.ring_entries as usize]);
    let instruments = Rc::new(Instruments { sending: RefCell::default(), received, tally: site.tally.clone() });
    let admission = Rc::new(Admission::new(site.node(), site.protocol));
    let driver = TrapezeDriver::start(site, (window, &chip), parameters, layout, (&instruments, &admission));
    firmware::start(site, &chip, parameters, layout, &driver, instruments, &admission);
    driver
}

/// What it takes of main memory: the receive ring's buffers.
pub fn room(parameters: &TrapezeParameters) -> Room {
    let buffers = (parameters.ring_entries, parameters.payload_max.get());
    Room { own: [buffers, (0, 0)], packet: None, queued: 0 }
}

/// What it can carry.
pub fn reach(parameters: &TrapezeParameters) -> Reach {
    Reach {
        packet: CONTROL + parameters.payload_max,
        message: parameters.payload_max,
        nodes: NODES_MAX,
        ends: EndsMax::OfNode(PLACES_MAX),
        has_host_dma: true,
    }
}

/// The memory that a protocol needs here, if it is bounded, and what there is, where `ends` endpoints share
/// it.
pub fn room_for(
    chip: &LanaiParameters,
    parameters: &TrapezeParameters,
    (protocol, ends): (&dyn ProtocolSpec, u32),
) -> (Option<Bytes>, Bytes) {
    (Layout::under(parameters, protocol, ends).size(), chip.sram.size)
}

/// The most host memory that the receive ring's buffers may take; the interface has 32-bit addresses.
const HOST_BUFFERS_MAX: Bytes = Bytes(1 << 30);

/// Why parameters do not fit together, in words, with the key at fault; empty if they do.
pub fn check(parameters: &TrapezeParameters, chip: &LanaiParameters) -> Vec<(&'static str, String)> {
    let mut problems = Vec::new();
    if let Some(minpulse) = parameters.policy.minpulse().filter(|&minpulse| minpulse > parameters.payload_max) {
        let told = format!("minpulse of {minpulse} is larger than the largest payload, {}", parameters.payload_max);
        problems.push(("policy", told));
    }
    let needs = Layout::new(parameters, 1).size().unwrap_or(Bytes(u64::MAX));
    if needs > chip.sram.size {
        let told = format!(
            "rings and {} buffers of {} in each direction need {}, but the interface's memory has {}",
            parameters.policy.buffers(),
            parameters.payload_max,
            needs,
            chip.sram.size
        );
        problems.push(("payload-max", told));
    }
    let attached = Bytes(parameters.ring_entries * parameters.payload_max.get());
    if attached > HOST_BUFFERS_MAX {
        let told = format!(
            "a buffer of {} for each of {} ring entries is {attached} of host memory; at most {HOST_BUFFERS_MAX}",
            parameters.payload_max, parameters.ring_entries
        );
        problems.push(("ring-entries", told));
    }
    problems
}
