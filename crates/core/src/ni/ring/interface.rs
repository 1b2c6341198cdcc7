//! The specification of the interface, and its start.

use super::completions::CompletionWriter;
use super::descriptor::RingLayout;
use super::device::{DeviceContext, QUEUE_BYTES, QueuePair, RingRegisters};
use super::driver::{DriverQueue, RingDriver, Steering};
use super::fetch::FetchedRing;
use super::frame::{ENDPOINTS_MAX, FRAME_HEADER, NODES_MAX};
use super::moderation::Moderation;
use super::parameters::{COMPLETION, CompletionPlace, RingParameters, wire_length};
use super::receive::{ReceiveQueue, Receiver};
use super::receive_driver::ReceiveDriver;
use super::send::SendQueue;
use super::send_driver::SendDriver;
use super::stage;
use super::visibility::PendingWrites;
use crate::engine::{Bytes, Journey, Pool, Signal};
use crate::host::{Address, HostCapabilities, InterruptVector, Processor, Window};
use crate::ni::any::AnyDriver;
use crate::ni::build_context::BuildContext;
use crate::ni::interface::{EndpointLimit, InterfaceLimits, InterfaceSpec};
use crate::ni::memory_footprint::{MemoryFootprint, PacketFootprint};
use crate::ni::port_config::Stages;
use crate::part::{ParameterError, Part, PartInfo};
use std::cell::Cell;
use std::rc::Rc;

impl Part for RingParameters {
    const INFO: PartInfo = PartInfo::new("ring", "An Ethernet interface with descriptor rings, polled or behind a kernel");

    fn check(&self) -> Vec<ParameterError> {
        self.errors()
    }
}

/// Log2 of the largest number of fragments of a message.
const FRAGMENT_BITS: u32 = 24;

impl InterfaceSpec for RingParameters {
    fn needs(&self) -> HostCapabilities {
        use HostCapabilities as Has;
        let needs = Has::of([Has::REGISTERS, Has::DMA]);
        match self.kernel() {
            Some(_) => needs.with(Has::INTERRUPTS, self.queues),
            None => needs,
        }
    }

    fn needs_at_least(&self) -> HostCapabilities {
        HostCapabilities::of([HostCapabilities::REGISTERS, HostCapabilities::DMA])
    }

    fn limits(&self) -> InterfaceLimits {
        let payload = self.payload_max();
        let message = Bytes((payload as u64) << FRAGMENT_BITS);
        InterfaceLimits::new(wire_length(self.frame.len()), message, NODES_MAX, EndpointLimit::PerNode(ENDPOINTS_MAX))
            .with_words(payload / 4)
    }

    /// Returns the main memory of the rings and of the buffers of both directions.
    fn memory_footprint(&self) -> MemoryFootprint {
        let rings = match self.completion {
            CompletionPlace::WriteBack => 2 * self.descriptor.get(),
            CompletionPlace::Queue => 2 * (self.descriptor.get() + COMPLETION),
        };
        let entries = self.queues * self.entries;
        let payload = (self.frame.get() - FRAME_HEADER as u64).max(1);
        let packet = Some(PacketFootprint::new(payload, payload));
        MemoryFootprint { own: [(entries, rings), (2 * entries, self.buffers.get())], packet, queued: entries }
    }

    fn packet_key(&self) -> &'static str {
        "frame"
    }

    fn start(&self, context: &BuildContext<'_>) -> AnyDriver {
        Box::new(start(self, context)).into()
    }
}

/// Starts the interface of a node.
fn start(parameters: &RingParameters, build: &BuildContext<'_>) -> RingDriver {
    let (sim, name, host) = (build.sim, build.name(), build.host);
    let dma = host.dma_port().port();
    let stages = Stages { pool: "send queue", always: false, fabric: stage::WIRE };
    let context = Rc::new(DeviceContext {
        sim: sim.clone(),
        name: name.to_owned(),
        host: host.clone(),
        parameters: parameters.clone(),
        port: build.port(wire_length(parameters.frame.len()), stages),
        orders_writes: dma.orders_writes(),
        dma,
        arrived: Signal::new(sim, format!("a frame for {name}")),
        changed: Signal::new(sim, format!("a frame for {name}, or a free descriptor")),
        changes: Cell::default(),
        send_changes: Cell::default(),
        write_backs: Cell::default(),
    });
    let slots = Rc::new(Pool::new(sim, format!("a payload read of {name}"), parameters.engine_reads));
    let writes = PendingWrites::start(&context);
    let start_queue = |queue: u64| start_device_queue(&context, queue, &slots, &writes);
    let (pairs, places): (Vec<QueuePair>, Vec<[RingLayout; 2]>) = (0..parameters.queues).map(start_queue).unzip();
    let device: Rc<[QueuePair]> = pairs.into();
    let registers = RingRegisters { queues: device.clone() };
    let window = host.attach(Rc::new(registers), QUEUE_BYTES * parameters.queues);
    let steering = Steering::new(
        build.addresses.count(build.node()) as usize,
        host.cores().len(),
        parameters.queues as usize,
    );
    let (tally, lost) = (build.tally.clone(), sim.clone());
    let node = name.to_owned();
    let drop_frame = move |reason: &'static str, journey: &Journey| {
        tally.drop_packet(reason);
        tally.record_loss(journey);
        lost.record_loss(|| {
            let what = journey.id().map_or("a frame".to_owned(), |message| format!("message {message}"));
            format!("{what}, dropped by {node} at {}: {reason}", lost.now())
        });
    };
    let receiver = Receiver::start(&context, &device, steering.of_endpoint.clone(), &writes, drop_frame);
    let buffers = |_: u64| host.allocate(parameters.buffers.len());
    let driver_queue = |(index, (pair, [sent, received])): (usize, (&QueuePair, [RingLayout; 2]))| {
        let registers = Window(window.at(index as u64 * QUEUE_BYTES));
        let [send, receive] = [0, 1].map(|_| (0..parameters.entries).map(buffers).collect::<Vec<Address>>());
        DriverQueue {
            send: SendDriver::new(&context, &pair.send, registers, sent, send.into_iter().rev().collect()),
            receive: ReceiveDriver::new(&context, &pair.receive, (registers, index), received, receive),
            registers,
        }
    };
    let queues: Rc<[DriverQueue]> = device.iter().zip(places).enumerate().map(driver_queue).collect();
    let (posting, cpu) = (queues.clone(), host.cpu());
    sim.spawn_server(format!("{name} posts receive buffers"), async move {
        let _lease = cpu.acquire("post receive buffers").await;
        for queue in posting.iter() {
            queue.receive.post_all(&cpu).await;
        }
        cpu.sync().await;
    });
    RingDriver::new(&context, (device, receiver), (queues, steering), build.addresses, build.costs)
}

/// Starts the device's side of a queue. Returns it, with the places of the completions of both rings.
fn start_device_queue(
    context: &Rc<DeviceContext>,
    queue: u64,
    slots: &Rc<Pool>,
    writes: &Rc<PendingWrites>,
) -> (QueuePair, [RingLayout; 2]) {
    let (parameters, sim, host) = (&context.parameters, &context.sim, &context.host);
    let name = match parameters.queues {
        1 => context.name.clone(),
        _ => format!("{} queue {queue}", context.name),
    };
    let ring = |bytes: u64| {
        let base = host.allocate((parameters.entries * bytes) as usize);
        RingLayout { base, entries: parameters.entries, bytes }
    };
    let is_queue = parameters.completion == CompletionPlace::Queue;
    let rings = [0, 1].map(|_| ring(parameters.descriptor.get()));
    let places = if is_queue { [0, 1].map(|_| ring(COMPLETION)) } else { rings };
    let vector = InterruptVector(queue as u16);
    let moderation = parameters.kernel().map(|kernel| Moderation::start((sim, host), &name, vector, kernel));
    let batches = [
        ("send ring", (parameters.send.fetch_batch, parameters.send.fetches)),
        ("receive ring", (parameters.receive.fetch_batch, parameters.receive.fetches)),
    ];
    let [(sent, send_batch), (received, receive_batch)] = batches;
    let send = FetchedRing::start(sim, &format!("{name} {sent}"), &context.dma, rings[0], send_batch);
    let receive = FetchedRing::start(sim, &format!("{name} {received}"), &context.dma, rings[1], receive_batch);
    let completions = [parameters.send.write_back_batch, parameters.receive.write_back_batch];
    let [sent, received] = [0, 1].map(|side| CompletionWriter::new(places[side], is_queue, completions[side].max(1)));
    let send = SendQueue::start(context, &name, (send, sent), slots, moderation.clone(), writes);
    let receive = ReceiveQueue::new(receive, received, moderation.clone());
    (QueuePair { send, receive, moderation }, places)
}
