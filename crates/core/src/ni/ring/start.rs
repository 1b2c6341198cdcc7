//! The start of the interface of a node.

use super::completions::CompletionWriter;
use super::context::DeviceContext;
use super::descriptor::RingLayout;
use super::device::{QUEUE_BYTES, QueuePair, RingRegisters};
use super::driver::RingDriver;
use super::driver_queue::{DriverQueue, Steering};
use super::fetch::FetchedRing;
use super::moderation::Moderation;
use super::parameters::{COMPLETION_BYTES, CompletionLocation, RingParameters, wire_length};
use super::receive::{ReceiveQueue, Receiver};
use super::receive_driver::ReceiveDriver;
use super::send::SendQueue;
use super::send_driver::SendDriver;
use super::visibility::PendingWrites;
use crate::engine::{Journey, Pool, Signal};
use crate::host::{Address, InterruptVector, Processor, Window};
use crate::ni::build_context::BuildContext;
use crate::ni::dma_stages;
use crate::ni::port_config::Stages;
use std::cell::Cell;
use std::rc::Rc;

/// Starts the interface of a node.
pub(super) fn start(parameters: &RingParameters, build: &BuildContext<'_>) -> RingDriver {
    let (sim, name, host) = (build.sim, build.name(), build.host);
    let context = device_context(parameters, build);
    let frame_slots = Rc::new(Pool::new(sim, format!("a payload read of {name}"), parameters.engine_reads));
    let pending_writes = PendingWrites::start(&context);
    let start_queue = |queue: u64| start_device_queue(&context, queue, &frame_slots, &pending_writes);
    let (pairs, layouts): (Vec<QueuePair>, Vec<[RingLayout; 2]>) = (0..parameters.queues).map(start_queue).unzip();
    let device_queues: Rc<[QueuePair]> = pairs.into();
    let registers = RingRegisters { queues: device_queues.clone() };
    let window = host.attach(Rc::new(registers), QUEUE_BYTES * parameters.queues);
    let endpoints = build.addresses.endpoint_count(build.node()) as usize;
    let steering = Steering::new(endpoints, host.cores().len(), parameters.queues as usize);
    let receive_queues = device_queues.iter().map(|pair| pair.receive.clone()).collect();
    let receiver = Receiver::start(
        &context,
        receive_queues,
        steering.queue_of_endpoint.clone(),
        &pending_writes,
        record_drops(build),
    );
    let queues: Rc<[DriverQueue]> =
        device_queues.iter().zip(layouts).enumerate().map(|queue| driver_queue(&context, window, queue)).collect();
    let (posting_queues, cpu) = (queues.clone(), host.cpu());
    sim.spawn_server(format!("{name} posts receive buffers"), async move {
        let _lease = cpu.acquire("post receive buffers").await;
        for queue in posting_queues.iter() {
            queue.receive.post_all(&cpu).await;
        }
        cpu.sync().await;
    });
    RingDriver::new(&context, (device_queues, receiver), (queues, steering), build.addresses, build.costs)
}

fn device_context(parameters: &RingParameters, build: &BuildContext<'_>) -> Rc<DeviceContext> {
    let (sim, name) = (build.sim, build.name());
    let dma = build.host.dma_port().self_advancing(sim, name);
    let stages = Stages { pool: "send queue", records_zero_pool_time: false, fabric: dma_stages::WIRE.pattern };
    Rc::new(DeviceContext {
        sim: sim.clone(),
        name: name.to_owned(),
        host: build.host.downgrade(),
        parameters: parameters.clone(),
        port: build.port(wire_length(parameters.frame.len()), stages),
        orders_writes: dma.orders_writes(),
        dma,
        frame_arrived: Signal::new(sim, format!("a frame for {name}")),
        queue_changed: Signal::new(sim, format!("a frame for {name}, or a free descriptor")),
        notification_count: Cell::default(),
        send_notification_count: Cell::default(),
        write_back_count: Cell::default(),
    })
}

/// Returns a function that records a dropped frame, whose message is lost.
fn record_drops(build: &BuildContext<'_>) -> impl Fn(&'static str, &Journey) + 'static {
    let (tally, sim, node) = (build.tally.clone(), build.sim.clone(), build.name().to_owned());
    move |reason, journey| {
        tally.count_dropped_packet(reason);
        tally.record_loss(journey);
        sim.record_loss(|| {
            let subject = journey.id().map_or("a frame".to_owned(), |message| format!("message {message}"));
            format!("{subject}, dropped by {node} at {}: {reason}", sim.now())
        });
    }
}

/// Creates the driver's side of a queue, given the queue's index, its device side, and the layouts of its completions.
fn driver_queue(
    context: &Rc<DeviceContext>,
    window: Window,
    (index, (pair, [send_completions, receive_completions])): (usize, (&QueuePair, [RingLayout; 2])),
) -> DriverQueue {
    let parameters = &context.parameters;
    let registers = Window(window.at(index as u64 * QUEUE_BYTES));
    let host = context.host.get();
    let allocate_buffer = |_: u64| host.allocate(parameters.buffers.len());
    let [send_buffers, receive_buffers] =
        [0, 1].map(|_| (0..parameters.entries).map(allocate_buffer).collect::<Vec<Address>>());
    DriverQueue {
        send: SendDriver::new(
            context,
            &pair.send,
            registers,
            send_completions,
            send_buffers.into_iter().rev().collect(),
        ),
        receive: ReceiveDriver::new(context, &pair.receive, (registers, index), receive_completions, receive_buffers),
        registers,
    }
}

/// Starts the device's side of a queue. Returns it, with the layouts of the completions of both rings.
fn start_device_queue(
    context: &Rc<DeviceContext>,
    queue: u64,
    frame_slots: &Rc<Pool>,
    pending_writes: &Rc<PendingWrites>,
) -> (QueuePair, [RingLayout; 2]) {
    let (parameters, sim, host) = (&context.parameters, &context.sim, context.host.get());
    let name = match parameters.queues {
        1 => context.name.clone(),
        _ => format!("{} queue {queue}", context.name),
    };
    let allocate_ring = |bytes: u64| {
        let base = host.allocate((parameters.entries * bytes) as usize);
        RingLayout { base, entries: parameters.entries, entry_bytes: bytes }
    };
    let has_own_ring = parameters.completion == CompletionLocation::Queue;
    let rings = [0, 1].map(|_| allocate_ring(parameters.descriptor.get()));
    let layouts = if has_own_ring { [0, 1].map(|_| allocate_ring(COMPLETION_BYTES)) } else { rings };
    let vector = InterruptVector(queue as u16);
    let moderation = parameters.kernel().map(|kernel| Moderation::start((sim, &host), &name, vector, kernel));
    let batches = [
        ("send ring", (parameters.send.fetch_batch, parameters.send.fetches)),
        ("receive ring", (parameters.receive.fetch_batch, parameters.receive.fetches)),
    ];
    let [(send_name, send_batch), (receive_name, receive_batch)] = batches;
    let send_descriptors = FetchedRing::start(sim, &format!("{name} {send_name}"), &context.dma, rings[0], send_batch);
    let receive_descriptors =
        FetchedRing::start(sim, &format!("{name} {receive_name}"), &context.dma, rings[1], receive_batch);
    let write_back_batches = [parameters.send.write_back_batch, parameters.receive.write_back_batch];
    let [send_writer, receive_writer] =
        [0, 1].map(|side| CompletionWriter::new(layouts[side], has_own_ring, write_back_batches[side].max(1)));
    let send = SendQueue::start(
        context,
        &name,
        (send_descriptors, send_writer),
        frame_slots,
        moderation.clone(),
        pending_writes,
    );
    let receive = ReceiveQueue::new(receive_descriptors, receive_writer, moderation.clone());
    (QueuePair { send, receive, moderation }, layouts)
}
