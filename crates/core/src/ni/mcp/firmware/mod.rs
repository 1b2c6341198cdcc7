//! The device half: the control program's threads ([`threads`](super::threads)) on the chip's engines.
//!
//! The threads decide; this module executes their commands and reports the engines' state to them. A pass over the
//! dispatcher, each state that a thread enters, and each start of an engine take cycles of the interface's one
//! processor. After a pass without work, the firmware sleeps until the state may have changed. Idle polling therefore
//! causes no events, and costs one pass after the wake-up.
//!
//! | file | holds |
//! |---|---|
//! | `send.rs` | from a send slot to the link |
//! | `receive.rs` | from the link to a buffer of the host |

mod receive;
mod send;

use super::buffers::ReceiveBuffers;
use super::instruments::Instruments;
use super::layout::{Layout, state};
use super::parameters::{McpParameters, PipeliningParameters, Software};
use super::threads::{Command, Config, Mcp, Pipelining, ThreadState, Watch};
use crate::engine::sim::WaitReasonId;
use crate::engine::{Bytes, Journey, MessageTally, Time};
use crate::host::Host;
use crate::ni::build_context::BuildContext;
use crate::ni::in_flight::InFlight;
use crate::ni::lanai::{Lanai, TransferProgress};
use receive::ReceiveSide;
use send::SendSide;
use std::rc::Rc;

/// Causes of an interrupt.
pub mod cause {
    /// Messages have been sent.
    pub const SENT: u32 = 1;
    /// Packets are in the host's memory.
    pub const RECEIVED: u32 = 2;
}

/// The state that both directions share.
struct Context {
    chip: Rc<Lanai>,
    host: Host,
    parameters: McpParameters,
    layout: Layout,
    instruments: Rc<Instruments>,
    in_flight: Rc<InFlight>,
    tally: Rc<MessageTally>,
    /// Addresses of the host's receive buffers.
    buffers: ReceiveBuffers,
}

/// The firmware of one interface.
struct Firmware {
    context: Context,
    mcp: Mcp,
    send: SendSide,
    receive: ReceiveSide,
    work_wait_reason: WaitReasonId,
}

/// Starts the firmware of a node.
pub(super) fn start(
    build: &BuildContext<'_>,
    chip: &Rc<Lanai>,
    parameters: &McpParameters,
    buffers: ReceiveBuffers,
    instruments: &Rc<Instruments>,
) {
    let name = build.name();
    let context = Context {
        chip: chip.clone(),
        host: build.host.clone(),
        parameters: parameters.clone(),
        layout: Layout::new(parameters),
        instruments: instruments.clone(),
        in_flight: build.in_flight.clone(),
        tally: build.tally.clone(),
        buffers,
    };
    let firmware = Firmware {
        mcp: Mcp::new(config(parameters)),
        send: SendSide::default(),
        receive: ReceiveSide::default(),
        work_wait_reason: build.sim.register_wait_reason(format!("work for {name}")),
        context,
    };
    let task = build.sim.spawn_server(format!("{name} firmware"), firmware.run());
    chip.receive.set_poster(task);
}

/// Returns the configuration of the threads for `parameters`.
pub fn config(parameters: &McpParameters) -> Config {
    let pipelining = match parameters.pipelining {
        PipeliningParameters::Serial => Pipelining::Serial,
        PipeliningParameters::Coarse => Pipelining::Coarse,
        PipeliningParameters::Fine(threshold) => Pipelining::Fine { threshold: threshold.get() as u32 },
    };
    let buffers = parameters.packet_buffers as u8;
    let segment = match parameters.software {
        Software::Library(_) => Some((parameters.mtu.get() - parameters.prefix_bytes()) as u32),
        Software::Kernel(_) => None,
    };
    Config { pipelining, send_buffers: buffers, receive_buffers: buffers, segment }
}

impl Firmware {
    async fn run(mut self) {
        loop {
            self.context.chip.work(self.context.parameters.firmware.poll).await;
            if !self.run_pass().await {
                self.sleep().await;
            }
        }
    }

    /// Makes one pass over the engines, the queues and the threads; returns whether it did any work.
    async fn run_pass(&mut self) -> bool {
        let mut has_worked = self.send.poll(&self.context, &mut self.mcp);
        has_worked |= self.receive.poll(&self.context, &mut self.mcp);
        has_worked |= self.poll_host_engine().await;
        while let Some(step) = self.mcp.step() {
            has_worked = true;
            self.context.chip.work(self.context.parameters.firmware.state * step.states.len() as u64).await;
            if step.states.contains(&ThreadState::SendDone) {
                self.send.packet_sent(&self.context);
            }
            for command in step.commands {
                self.execute(command).await;
            }
        }
        has_worked
    }

    async fn execute(&mut self, command: Command) {
        let (context, mcp) = (&self.context, &mut self.mcp);
        match command {
            Command::StartHostRead { id, buffer, from, units } => {
                self.send.fetch(context, id, buffer, (from, units)).await
            }
            Command::StartSend { buffer, from, units, last, .. } => {
                if !self.send.transmit(context, buffer, (from, units), last).await {
                    mcp.report_send_done();
                }
            }
            Command::SendComplete { .. } => self.send.complete(context).await,
            Command::StartReceive { buffer, .. } => self.receive.post(context, buffer).await,
            Command::StartHostWrite { buffer, from, units, .. } => {
                if !self.receive.deliver(context, buffer, (from, units)).await {
                    mcp.report_host_done();
                }
            }
            Command::Received { units, .. } => self.receive.notify_host(context, units).await,
        }
    }

    /// Handles the end of a host DMA transfer: starts the transfer of the next piece, or reports the completion to the
    /// threads. Returns whether a transfer had ended.
    async fn poll_host_engine(&mut self) -> bool {
        let (context, mcp) = (&self.context, &mut self.mcp);
        if !context.chip.host_dma.is_idle() {
            return false;
        }
        let has_ended = match (self.send.is_reading(), self.receive.is_writing()) {
            (true, _) => self.send.read_done(context, mcp).await,
            (_, true) => self.receive.write_done(context).await,
            (false, false) => return false,
        };
        if has_ended {
            mcp.report_host_done();
        }
        true
    }

    /// Sleeps until an engine stops, a watched count is reached, or the host writes. The firmware cannot have missed
    /// such an event, since no simulated time has passed since the beginning of the last pass.
    async fn sleep(&self) {
        let Watch { fetched, received } = self.mcp.watch();
        let landing_time = |progress: Option<&Rc<TransferProgress>>, count: Option<u32>| {
            let (progress, count) = (progress?, count?);
            progress.watch(Bytes(u64::from(count)))
        };
        // The thread RDMA waits for more bytes of a packet only once the packet has its receive buffer, which its
        // headers determine.
        let received = self.receive.headers_missing(self.context.chip.sim.now()).or(received);
        let landing_times =
            [landing_time(self.send.progress(), fetched), landing_time(self.receive.progress(), received)];
        let wake = landing_times.into_iter().flatten().min().unwrap_or(Time::MAX);
        self.context.chip.firmware_wakeup.wait_for(self.work_wait_reason, wake).await;
    }
}

impl Context {
    /// Takes the entry whose state word is at `at` if the host has filled it; returns whether it has.
    fn take_filled_slot(&self, at: u64) -> bool {
        let sram = &self.chip.sram;
        let is_filled = sram.load_word(at) == state::FILLED;
        if is_filled {
            sram.store_word(at, state::FREE);
        }
        is_filled
    }

    /// Spends `cycles` of the interface's processor on a packet and records them in its journey.
    async fn work_for(&self, journey: &Journey, cycles: u64) {
        let start = self.chip.sim.now();
        self.chip.work(cycles).await;
        journey.add_service(start, self.chip.sim.now());
    }
}
