//! The kernel's part of the driver: interrupts, the softirq, and the socket's queue.
//!
//! An interrupt schedules the softirq of its queue. The softirq reclaims sent frames, and takes received frames from
//! the ring. After `budget` received frames it lets other code run; when the ring is empty it unmasks interrupts. A
//! received frame waits in the queue of its socket until the program reads it. Where the host has priorities, handlers
//! preempt the softirq, and the softirq preempts programs.

use super::context::{DeviceContext, RingSide};
use super::device::UNMASK;
use super::driver_queue::DriverQueue;
use super::parameters::KernelDriverParameters;
use super::receive_driver::ReceivedFrame;
use super::stage;
use crate::engine::{LocalFuture, Mailbox, Signal, Time};
use crate::host::{AnyProcessor, CoreId, ExecPriority, Interrupt, InterruptVector, Processor};
use std::cell::Cell;
use std::rc::Rc;

/// The kernel of a node.
pub struct RingKernel {
    context: Rc<DeviceContext>,
    pub parameters: KernelDriverParameters,
    queues: Rc<[DriverQueue]>,
    softirqs: Vec<Softirq>,
    /// The queue of the sockets of all endpoints.
    pub inbox: Mailbox<ReceivedFrame>,
}

/// The softirq of a queue.
struct Softirq {
    is_scheduled: Cell<bool>,
    interrupt_arrived: Signal,
}

/// Returns the cycles of `cpu` that take `time`.
pub fn cycles_of(cpu: &AnyProcessor, time: Time) -> u64 {
    cpu.clock().cycle_at(time)
}

impl RingKernel {
    /// Starts the kernel's part: a handler and a softirq for each queue, on its core.
    pub fn start(
        context: &Rc<DeviceContext>,
        queues: &Rc<[DriverQueue]>,
        parameters: &KernelDriverParameters,
    ) -> Rc<RingKernel> {
        let (sim, name) = (&context.sim, &context.name);
        let softirq = |queue: usize| Softirq {
            is_scheduled: Cell::new(false),
            interrupt_arrived: Signal::new(sim, format!("{name}: an interrupt of queue {queue}")),
        };
        let kernel = Rc::new(RingKernel {
            context: context.clone(),
            parameters: parameters.clone(),
            queues: queues.clone(),
            softirqs: (0..queues.len()).map(softirq).collect(),
            inbox: Mailbox::new(sim, format!("a frame for {name}")),
        });
        let host = context.host.get();
        for queue in 0..queues.len() {
            let core = CoreId((queue % host.cores().len()) as u16);
            let [handler, softirq] = [kernel.clone(), kernel.clone()];
            let [interrupt_cpu, softirq_cpu] =
                [ExecPriority::Interrupt, ExecPriority::BottomHalf].map(|priority| host.core(core).at(priority));
            let on_interrupt = move |_: Interrupt| -> LocalFuture<'static> {
                let (kernel, cpu) = (handler.clone(), interrupt_cpu.clone());
                Box::pin(async move { kernel.handle_interrupt(&cpu, queue).await })
            };
            host.interrupts().connect(InterruptVector(queue as u16), core, Box::new(on_interrupt));
            let task = format!("{name} softirq {queue}");
            sim.spawn_server(task, async move { softirq.run_softirq(&softirq_cpu, queue).await });
        }
        kernel
    }

    async fn handle_interrupt(&self, cpu: &AnyProcessor, queue: usize) {
        let _lease = cpu.acquire("interrupt").await;
        cpu.work(cycles_of(cpu, self.parameters.interrupt));
        cpu.sync().await;
        self.softirqs[queue].is_scheduled.set(true);
        self.softirqs[queue].interrupt_arrived.notify();
    }

    /// Runs the softirq of a queue whenever it is scheduled.
    async fn run_softirq(&self, cpu: &AnyProcessor, queue: usize) {
        let softirq = &self.softirqs[queue];
        loop {
            while !softirq.is_scheduled.get() {
                softirq.interrupt_arrived.wait().await;
            }
            softirq.is_scheduled.set(false);
            let lease = cpu.acquire("softirq").await;
            self.reclaim(cpu, queue).await;
            let is_empty = self.receive(cpu, queue).await;
            cpu.sync().await;
            match is_empty {
                true if self.parameters.masks_interrupts => self.unmask(cpu, queue).await,
                true => {}
                // Other code runs before the softirq continues.
                false => softirq.is_scheduled.set(true),
            }
            cpu.sync().await;
            drop(lease);
        }
    }

    /// Reclaims sent frames, and wakes programs that wait for entries.
    async fn reclaim(&self, cpu: &AnyProcessor, queue: usize) {
        let send = &self.queues[queue].send;
        if !self.context.parameters.send.reads_head {
            send.reclaim(cpu).await;
            cpu.sync().await;
        }
        self.context.notify(RingSide::Send);
    }

    /// Takes received frames from the ring, up to the budget. Returns whether the ring is empty.
    async fn receive(&self, cpu: &AnyProcessor, queue: usize) -> bool {
        let receive = &self.queues[queue].receive;
        for _ in 0..self.parameters.budget {
            let Some(frame) = receive.poll(cpu, 1).await else { return true };
            frame.journey.close(stage::INTERRUPT, cpu.now());
            let start = cpu.now();
            cpu.work(cycles_of(cpu, self.parameters.packet));
            cpu.sync().await;
            frame.journey.add_service(start, cpu.now());
            frame.journey.close(stage::SOFTIRQ, cpu.now());
            self.inbox.send(frame);
            self.context.notify(RingSide::Receive);
        }
        false
    }

    /// Unmasks the interrupts of a queue for completions that have not been handled.
    async fn unmask(&self, cpu: &AnyProcessor, queue: usize) {
        let DriverQueue { send, receive, registers } = &self.queues[queue];
        let handled_counts =
            (receive.found_completions.get() & 0xFFFF_FFFF) | (send.reclaimed_frames.get() & 0xFFFF_FFFF) << 32;
        cpu.write(registers.at(UNMASK), 8, handled_counts).await;
    }
}
