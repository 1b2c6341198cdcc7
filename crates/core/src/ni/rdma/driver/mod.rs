//! The driver: messages of the messaging layer as sends with buffers of the driver, and the verbs of programs.
//!
//! A message that is no longer than `inline-max` with its header is composed in the request. A longer one is copied to
//! a registered buffer of the driver, as in the eager protocol of messaging libraries. The receiver's buffers are in
//! one shared receive queue; the processor copies the payload from the buffer and posts the buffer again. There is one
//! queue pair for each other node, which is connected at the first message.

mod messages;
pub mod send_queue;
pub mod verbs;

use super::completion_queue::CompletionQueue;
use super::device::RdmaDevice;
use super::device::doorbell::{BLUE_FLAME_BUFFERS, BLUE_FLAME_BYTES, BlueFlame, DOORBELL_BYTES, DoorbellRegister};
use super::device::queue_pair::QueuePair;
use super::parameters::Doorbell;
use super::receive_queue::ReceiveQueue;
use super::work_request::{BLOCK_BYTES, blocks_max};
use crate::engine::{EndpointMap, NodeId};
use crate::host::{Address, AnyProcessor, DeviceWindow};
use crate::ni::build_context::BuildContext;
use crate::ni::connections::ConnectionTable;
use crate::ni::driver::Costs;
use crate::ni::in_flight::InFlight;
use send_queue::{DeviceRegisters, SendQueue};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use verbs::ProgramQueues;

/// First number of the queue pairs for messages; the number of the other node is added to it.
const MESSAGE_PAIRS: u32 = 1 << 23;

/// The driver of a node.
pub struct RdmaDriver {
    pub(super) device: Rc<RdmaDevice>,
    costs: Costs,
    cpu: AnyProcessor,
    registers: DeviceRegisters,
    addresses: Rc<EndpointMap>,
    in_flight: Rc<InFlight>,
    connections: Rc<ConnectionTable>,
    program_queues: ProgramQueues,
    message_queues: Rc<MessageQueues>,
}

/// The queues for messages of the messaging layer.
pub struct MessageQueues {
    device: Rc<RdmaDevice>,
    completion_queue: Rc<CompletionQueue>,
    receive_queue: Rc<ReceiveQueue>,
    send_queues: RefCell<BTreeMap<u32, Rc<SendQueue>>>,
    /// Buffers that are free for messages to send.
    free_buffers: RefCell<Vec<Address>>,
    /// Buffer in each entry of the receive queue.
    receive_buffers: RefCell<Vec<Address>>,
    inline_sends: Cell<u64>,
    /// Number of sends whose completions the driver has taken.
    ended_sends: Cell<u64>,
    /// Value of `ended_sends` when the driver last had no capacity.
    ended_sends_when_full: Cell<u64>,
}

/// Creates the device's half and the driver's half of queue pair `number`.
fn new_send_queue(
    device: &RdmaDevice,
    number: u32,
    completion_queue: &Rc<CompletionQueue>,
    receive_queue: &Rc<ReceiveQueue>,
) -> SendQueue {
    let entries = device.parameters.send_entries;
    let blocks = (entries * blocks_max(device.parameters.inline_max)).next_power_of_two();
    let host = device.host.get();
    let ring = (host.allocate(blocks as usize * BLOCK_BYTES), blocks);
    let pair = QueuePair::new(number, ring, completion_queue, receive_queue);
    device.queue_pairs.borrow_mut().insert(number, pair.clone());
    SendQueue::new(&host, pair, entries)
}

impl MessageQueues {
    /// Returns the send queue to `node`, which is connected at the first message in either direction.
    fn send_queue_to(&self, node: NodeId) -> Rc<SendQueue> {
        let number = MESSAGE_PAIRS + node.0;
        if let Some(queue) = self.send_queues.borrow().get(&number) {
            return queue.clone();
        }
        let queue = Rc::new(new_send_queue(&self.device, number, &self.completion_queue, &self.receive_queue));
        self.send_queues.borrow_mut().insert(number, queue.clone());
        self.device.connect(&queue.pair, node, MESSAGE_PAIRS + self.device.node.0);
        queue
    }
}

impl RdmaDriver {
    /// Starts the driver of a node, over its device.
    pub fn start(context: &BuildContext<'_>, device: &Rc<RdmaDevice>) -> RdmaDriver {
        let (host, parameters) = (context.host, &device.parameters);
        let doorbell =
            host.map_device(Rc::new(DoorbellRegister(device.clone())), DeviceWindow::uncached(DOORBELL_BYTES));
        let blue_flame_buffers = BLUE_FLAME_BUFFERS * host.cores().len() as u64;
        let blue_flame = (parameters.doorbell != Doorbell::Fetch).then(|| {
            let window = DeviceWindow::write_combined(blue_flame_buffers * BLUE_FLAME_BYTES);
            host.map_device(Rc::new(BlueFlame::new(device, blue_flame_buffers)), window)
        });
        let entries = parameters.message_completions(context.addresses.nodes());
        let completion_queue = Rc::new(CompletionQueue::new(context.sim, host, entries, parameters.cqe.get()));
        let receive_queue = ReceiveQueue::new(context.sim, host, parameters.receive_entries, true);
        let allocate_buffers =
            |number: u32| (0..number).map(|_| host.allocate(parameters.mtu.len())).collect::<Vec<_>>();
        let receive_buffers = allocate_buffers(parameters.receive_entries);
        receive_queue.preload(&receive_buffers, parameters.mtu);
        let send_buffers = allocate_buffers(parameters.send_entries);
        for &buffer in send_buffers.iter().chain(&receive_buffers) {
            device.preload_translations(buffer, parameters.mtu.get());
        }
        let message_queues = Rc::new(MessageQueues {
            device: device.clone(),
            completion_queue,
            receive_queue,
            send_queues: RefCell::default(),
            free_buffers: RefCell::new(send_buffers),
            receive_buffers: RefCell::new(receive_buffers),
            inline_sends: Cell::new(0),
            ended_sends: Cell::new(0),
            ended_sends_when_full: Cell::new(0),
        });
        let (nodes, weak_queues) = (context.addresses.nodes() as u32, Rc::downgrade(&message_queues));
        let message_pair_factory = move |number: u32| {
            let node = number.checked_sub(MESSAGE_PAIRS).filter(|node| *node < nodes)?;
            Some(weak_queues.upgrade()?.send_queue_to(NodeId(node)).pair.clone())
        };
        assert!(device.message_pair_factory.set(Box::new(message_pair_factory)).is_ok(), "a device has one driver");
        RdmaDriver {
            device: device.clone(),
            costs: context.costs,
            cpu: host.cpu(),
            registers: DeviceRegisters {
                doorbell,
                blue_flame,
                inline_only: parameters.doorbell == Doorbell::BlueFlameInline,
                free_blue_flames: RefCell::new((0..blue_flame_buffers).collect()),
            },
            addresses: context.addresses.clone(),
            in_flight: context.in_flight.clone(),
            connections: context.connections.clone(),
            program_queues: ProgramQueues::default(),
            message_queues,
        }
    }

    fn new_send_queue(
        &self,
        number: u32,
        completion_queue: &Rc<CompletionQueue>,
        receive_queue: &Rc<ReceiveQueue>,
    ) -> SendQueue {
        new_send_queue(&self.device, number, completion_queue, receive_queue)
    }
}
