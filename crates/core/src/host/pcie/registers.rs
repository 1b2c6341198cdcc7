//! The processor's accesses to the registers and memory of devices at the end of the link.
//!
//! The module models an uncached store as a posted write: the processor continues at once, and the next uncached store
//! begins at least `processor.uncached-write` later. A store to a write-combined window goes to a buffer of a block; a
//! buffer that leaves occupies the path to the link for `processor.combining-flush`, and the processor waits only if
//! `processor.combining-buffers` buffers are leaving. Packets leave in the order of the accesses. An uncached load is a
//! round trip with the fixed time of a device's read (`root-complex`). The completion of a load does not pass writes
//! that the device posted earlier. A fence waits until the buffers have left.
//!
//! If the device is behind a link between sockets (UPI), it is an agent of another socket, and accesses cross that link
//! instead of the PCIe link and the root complex.
//!
//! The device serves the accesses in the order of their arrival, each for its access time. The module leaves out
//! credits of the device, and a second access of the processor while a load is outstanding.

use super::coherent_link::{CoherentLinkTiming, MESSAGE_BYTES};
use super::link::PacketBurst;
use super::parameters::ProcessorParameters;
use super::root_complex::{PostedPacket, RootComplex};
use super::server::Server;
use crate::engine::{Bytes, LocalFuture, Mailbox, Signal, Sim, Time};
use crate::host::block::{Address, BLOCK_BYTES};
use crate::host::device::{AsyncDevice, Device, Window};
use crate::host::memory_bus::device_path::DevicePath;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::iter::once;
use std::rc::Rc;

/// First address of the windows that are assigned to devices.
const WINDOWS_BASE: Address = 1 << 41;

/// A device at the end of the link.
#[derive(Clone)]
pub(super) enum Target {
    ImmediateDevice(Rc<dyn Device>),
    Async(Rc<dyn AsyncDevice>),
}

/// An access that arrives at the device.
struct DeviceAccess {
    device: Target,
    /// Offset in the window of the device.
    offset: u64,
    kind: AccessKind,
}

enum AccessKind {
    Write(Vec<u8>),
    Read(Rc<RegisterRead>),
}

/// A load of the processor.
struct RegisterRead {
    data: RefCell<Vec<u8>>,
    is_done: Cell<bool>,
}

/// The windows of the devices at the end of the link.
pub(super) struct DeviceWindows {
    sim: Sim,
    complex: Rc<RootComplex>,
    parameters: ProcessorParameters,
    windows: RefCell<Vec<(Address, u64, Target)>>,
    next_window: Cell<Address>,
    accesses: Rc<Mailbox<DeviceAccess>>,
    /// Notified when a load is complete.
    read_completed: Rc<Signal>,
    /// Earliest start of the next uncached store.
    next_store_start: Cell<Time>,
    /// Instants at which the write-combining buffers that are leaving have left.
    flush_ends: RefCell<VecDeque<Time>>,
    /// Instant at which the last leaving buffer has left.
    last_flush_end: Cell<Time>,
    /// The link between sockets that accesses take instead of the PCIe link, and its direction to the device.
    socket_link: Option<(CoherentLinkTiming, Server)>,
}

impl DeviceWindows {
    /// Creates the path of the host `name` to its devices.
    pub fn start(
        sim: &Sim,
        name: &str,
        complex: &Rc<RootComplex>,
        parameters: ProcessorParameters,
    ) -> Rc<DeviceWindows> {
        let windows = Rc::new(DeviceWindows {
            sim: sim.clone(),
            complex: complex.clone(),
            parameters,
            windows: RefCell::default(),
            next_window: Cell::new(WINDOWS_BASE),
            accesses: Rc::new(Mailbox::new(sim, format!("an access to the interface of {name}"))),
            read_completed: Rc::new(Signal::new(sim, format!("{name}: the completion of a register's read"))),
            next_store_start: Cell::default(),
            flush_ends: RefCell::default(),
            last_flush_end: Cell::default(),
            socket_link: complex.socket_link().map(|timing| (timing, Server::default())),
        });
        let server = windows.clone();
        sim.spawn_server(format!("{name} device registers"), async move { server.serve().await });
        windows
    }

    /// Maps a device, and returns its window.
    pub fn attach(&self, device: Target, bytes: u64) -> Window {
        let window = self.next_window.get();
        self.next_window.set((window + bytes).next_multiple_of(BLOCK_BYTES as u64));
        self.windows.borrow_mut().push((window, bytes, device));
        Window(window)
    }

    /// Returns the device at `address`, and the offset in its window.
    fn target(&self, address: Address) -> (Target, u64) {
        let windows = self.windows.borrow();
        let found = windows.iter().find(|(first, bytes, _)| (*first..first + bytes).contains(&address));
        let (first, _, device) = found.unwrap_or_else(|| panic!("no device is mapped at {address:#x}"));
        (device.clone(), address - first)
    }

    /// Serves the accesses that arrive at the devices.
    async fn serve(&self) {
        loop {
            let DeviceAccess { device, offset, kind } = self.accesses.receive().await;
            if let Target::ImmediateDevice(device) = &device {
                self.sim.delay(device.time(offset)).await;
            }
            match kind {
                AccessKind::Write(bytes) => match device {
                    Target::ImmediateDevice(device) => device.write(offset, &bytes),
                    Target::Async(device) => device.write(offset, &bytes).await,
                },
                AccessKind::Read(read) => {
                    let mut data = read.data.take();
                    match device {
                        Target::ImmediateDevice(device) => device.read(offset, &mut data),
                        Target::Async(device) => device.read(offset, &mut data).await,
                    }
                    let bytes = Bytes(data.len() as u64);
                    read.data.replace(data);
                    let read_completed = self.read_completed.clone();
                    if self.socket_link.is_some() {
                        read.is_done.set(true);
                        read_completed.notify();
                        continue;
                    }
                    let on_arrival = move || {
                        read.is_done.set(true);
                        read_completed.notify();
                    };
                    self.complex.post(once(PostedPacket::Completion(bytes, Box::new(on_arrival))));
                }
            }
        }
    }

    /// Sends an access, which leaves the processor at `departure`, to its device.
    fn send(&self, departure: Time, address: Address, kind: AccessKind) {
        let (device, offset) = self.target(address);
        if let Some((timing, down)) = &self.socket_link {
            let bytes = if let AccessKind::Write(bytes) = &kind { bytes.len() } else { 0 };
            let (_, sent_at) = down.reserve(departure, timing.rate.time_for(Bytes(bytes as u64 + MESSAGE_BYTES)));
            self.accesses.send_at(sent_at + timing.one_way_time(), DeviceAccess { device, offset, kind });
            return;
        }
        let link = &self.complex.link;
        let burst = match &kind {
            AccessKind::Write(bytes) => PacketBurst::single(link.write_header, Bytes(bytes.len() as u64)),
            AccessKind::Read(_) => PacketBurst::single(link.read_header, Bytes::ZERO),
        };
        let accesses = self.accesses.clone();
        // The fixed part of a load contains the device's logic.
        let logic_delay = if matches!(kind, AccessKind::Write(_)) { self.complex.device_time() } else { Time::ZERO };
        let access = DeviceAccess { device, offset, kind };
        self.complex.send_down(
            departure,
            burst,
            Box::new(move |arrival| accesses.send_at(arrival + logic_delay, access)),
        );
    }

    async fn load(&self, address: Address, into: &mut [u8]) {
        let (request_delay, completion_delay) = match &self.socket_link {
            Some((timing, _)) => (Time::ZERO, timing.one_way_time()),
            None => {
                let request_delay = self.complex.register_time() / 2;
                (request_delay, self.complex.register_time() - request_delay)
            }
        };
        let start = self.sim.now().max(self.last_flush_end.get()).max(self.next_store_start.get()) + request_delay;
        let read = Rc::new(RegisterRead { data: RefCell::new(vec![0; into.len()]), is_done: Cell::new(false) });
        self.send(start, address, AccessKind::Read(read.clone()));
        while !read.is_done.get() {
            self.read_completed.wait().await;
        }
        self.sim.delay(completion_delay).await;
        into.copy_from_slice(&read.data.borrow());
    }

    /// Posts an uncached store.
    async fn store(&self, address: Address, bytes: &[u8]) {
        let start = self.sim.now().max(self.next_store_start.get()).max(self.last_flush_end.get());
        self.next_store_start.set(start + self.parameters.uncached_write);
        self.sim.until(start).await;
        self.send(start, address, AccessKind::Write(bytes.to_vec()));
    }

    /// Sends a write-combining buffer to its device. Waits for a free buffer first if all are being flushed.
    async fn flush(&self, address: Address, bytes: &[u8]) {
        loop {
            let first_flush_end = {
                let mut flush_ends = self.flush_ends.borrow_mut();
                while flush_ends.pop_front_if(|flush_end| *flush_end <= self.sim.now()).is_some() {}
                if flush_ends.len() < self.parameters.combining_buffers {
                    break;
                }
                flush_ends[0]
            };
            self.sim.until(first_flush_end).await;
        }
        let start = self.sim.now().max(self.last_flush_end.get()).max(self.next_store_start.get());
        let end = start + self.parameters.combining_flush;
        self.last_flush_end.set(end);
        self.flush_ends.borrow_mut().push_back(end);
        self.send(end, address, AccessKind::Write(bytes.to_vec()));
    }
}

impl DevicePath for DeviceWindows {
    fn covers(&self, address: Address) -> bool {
        address >= WINDOWS_BASE
    }

    fn read<'a>(&'a self, address: Address, into: &'a mut [u8]) -> LocalFuture<'a> {
        Box::pin(self.load(address, into))
    }

    fn write<'a>(&'a self, address: Address, bytes: &'a [u8], is_combined: bool) -> LocalFuture<'a> {
        match is_combined {
            true => Box::pin(self.flush(address, bytes)),
            false => Box::pin(self.store(address, bytes)),
        }
    }

    fn fence(&self) -> LocalFuture<'_> {
        Box::pin(async {
            self.sim.until(self.last_flush_end.get()).await;
            self.sim.delay(self.parameters.fence).await;
        })
    }
}
