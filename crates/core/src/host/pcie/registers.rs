//! The processor's accesses to the registers and memory of devices at the end of the link.
//!
//! The module models an uncached store as a posted write: the processor continues at once, and the next uncached store
//! begins at least `processor.uncached-write` later. A store to a write-combined window goes to a buffer of a block; a
//! buffer that leaves occupies the path to the link for `processor.combining-flush`, and the processor waits only if
//! `processor.combining-buffers` buffers are leaving. Packets leave in the order of the accesses. An uncached load is a
//! round trip with the fixed time of a device's read (`root-complex`); its completion passes no write that the device
//! posted before it. A fence waits until the buffers have left.
//!
//! Behind a link between sockets (UPI) the device is an agent of another socket: accesses cross that link, without a
//! root complex.
//!
//! The device serves the accesses in the order of their arrival, each for its access time. The module leaves out
//! credits of the device, and a second access of the processor while a load is outstanding.

use super::coherent_link::{LinkTimes, MESSAGE_BYTES};
use super::link::PacketBurst;
use super::parameters::ProcessorParameters;
use super::root_complex::{Posted, RootComplex};
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
    at: u64,
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
    /// Notified when a load is done.
    answered: Rc<Signal>,
    /// Earliest start of the next uncached store.
    next_store: Cell<Time>,
    /// Instants at which the write-combining buffers that are leaving have left.
    leaving: RefCell<VecDeque<Time>>,
    /// Instant at which the last leaving buffer has left.
    left_at: Cell<Time>,
    /// The link between sockets that accesses take instead of the PCIe link, and its direction to the device.
    socket_link: Option<(LinkTimes, Server)>,
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
            answered: Rc::new(Signal::new(sim, format!("{name}: the completion of a register's read"))),
            next_store: Cell::default(),
            leaving: RefCell::default(),
            left_at: Cell::default(),
            socket_link: complex.socket_link().map(|times| (times, Server::default())),
        });
        let serve = windows.clone();
        sim.spawn_server(format!("{name} device registers"), async move { serve.serve().await });
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
            let DeviceAccess { device, at, kind } = self.accesses.receive().await;
            if let Target::ImmediateDevice(device) = &device {
                self.sim.delay(device.time(at)).await;
            }
            match kind {
                AccessKind::Write(bytes) => match device {
                    Target::ImmediateDevice(device) => device.write(at, &bytes),
                    Target::Async(device) => device.write(at, &bytes).await,
                },
                AccessKind::Read(read) => {
                    let mut data = read.data.take();
                    match device {
                        Target::ImmediateDevice(device) => device.read(at, &mut data),
                        Target::Async(device) => device.read(at, &mut data).await,
                    }
                    let bytes = Bytes(data.len() as u64);
                    read.data.replace(data);
                    let answered = self.answered.clone();
                    if self.socket_link.is_some() {
                        read.is_done.set(true);
                        answered.notify();
                        continue;
                    }
                    let on_arrival = move || {
                        read.is_done.set(true);
                        answered.notify();
                    };
                    self.complex.post(once(Posted::Completion(bytes, Box::new(on_arrival))));
                }
            }
        }
    }

    /// Sends an access to its device, which leaves the processor at `at`.
    fn send(&self, at: Time, address: Address, kind: AccessKind) {
        let (device, offset) = self.target(address);
        if let Some((times, down)) = &self.socket_link {
            let bytes = if let AccessKind::Write(bytes) = &kind { bytes.len() } else { 0 };
            let (_, sent) = down.reserve(at, times.rate.time_for(Bytes(bytes as u64 + MESSAGE_BYTES)));
            self.accesses.send_at(sent + times.one_way_time(), DeviceAccess { device, at: offset, kind });
            return;
        }
        let link = &self.complex.link;
        let burst = match &kind {
            AccessKind::Write(bytes) => PacketBurst::one(link.write_header, Bytes(bytes.len() as u64)),
            AccessKind::Read(_) => PacketBurst::one(link.read_header, Bytes::ZERO),
        };
        let accesses = self.accesses.clone();
        // The fixed part of a load contains the device's logic.
        let logic = if matches!(kind, AccessKind::Write(_)) { self.complex.device_time() } else { Time::ZERO };
        let access = DeviceAccess { device, at: offset, kind };
        self.complex.send_down(at, burst, Box::new(move |arrival| accesses.send_at(arrival + logic, access)));
    }

    async fn load(&self, address: Address, into: &mut [u8]) {
        let (there, back) = match &self.socket_link {
            Some((times, _)) => (Time::ZERO, times.one_way_time()),
            None => {
                let there = self.complex.register_time() / 2;
                (there, self.complex.register_time() - there)
            }
        };
        let start = self.sim.now().max(self.left_at.get()).max(self.next_store.get()) + there;
        let read = Rc::new(RegisterRead { data: RefCell::new(vec![0; into.len()]), is_done: Cell::new(false) });
        self.send(start, address, AccessKind::Read(read.clone()));
        while !read.is_done.get() {
            self.answered.wait().await;
        }
        self.sim.delay(back).await;
        into.copy_from_slice(&read.data.borrow());
    }

    /// Posts an uncached store.
    async fn store(&self, address: Address, bytes: &[u8]) {
        let start = self.sim.now().max(self.next_store.get()).max(self.left_at.get());
        self.next_store.set(start + self.parameters.uncached_write);
        self.sim.until(start).await;
        self.send(start, address, AccessKind::Write(bytes.to_vec()));
    }

    /// Lets a write-combining buffer leave.
    async fn flush(&self, address: Address, bytes: &[u8]) {
        loop {
            let first = {
                let mut leaving = self.leaving.borrow_mut();
                while leaving.pop_front_if(|left_at| *left_at <= self.sim.now()).is_some() {}
                if leaving.len() < self.parameters.combining_buffers {
                    break;
                }
                leaving[0]
            };
            self.sim.until(first).await;
        }
        let start = self.sim.now().max(self.left_at.get()).max(self.next_store.get());
        let end = start + self.parameters.combining_flush;
        self.left_at.set(end);
        self.leaving.borrow_mut().push_back(end);
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

    fn write<'a>(&'a self, address: Address, bytes: &'a [u8], combined: bool) -> LocalFuture<'a> {
        match combined {
            true => Box::pin(self.flush(address, bytes)),
            false => Box::pin(self.store(address, bytes)),
        }
    }

    fn fence(&self) -> LocalFuture<'_> {
        Box::pin(async {
            self.sim.until(self.left_at.get()).await;
            self.sim.delay(self.parameters.fence).await;
        })
    }
}
