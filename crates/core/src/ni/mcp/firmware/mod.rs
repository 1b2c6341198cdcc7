//! The device half: the control program's threads ([`threads`](super::threads)) on the chip's engines.
//!
//! The threads decide; here their deeds are done, and they are told what the engines show. A pass over
//! the dispatcher, each state that a thread passes, and each engine that is started take cycles of the
//! interface's one processor. In a pass that finds nothing the model sleeps until something can have
//! changed, which costs no events and one pass.
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
use super::parameters::{McpParameters, PipeliningParameters, Users};
use super::threads::{Act, Config, Mcp, Pipelining, ThreadState, Watch};
use crate::engine::sim::WaitReasonId;
use crate::engine::{Bytes, Journey, MessageTally, Time};
use crate::host::Host;
use crate::ni::build_context::BuildContext;
use crate::ni::in_flight::InFlight;
use crate::ni::lanai::{Lanai, Landing};
use receive::ReceiveSide;
use send::SendSide;
use std::rc::Rc;

/// Causes of an interrupt.
pub mod cause {
    /// Messages have gone.
    pub const SENT: u32 = 1;
    /// Packets are in the host's memory.
    pub const RECEIVED: u32 = 2;
}

/// What both directions work with.
struct Context {
    chip: Rc<Lanai>,
    host: Host,
    parameters: McpParameters,
    layout: Layout,
    instruments: Rc<Instruments>,
    pending: Rc<InFlight>,
    tally: Rc<MessageTally>,
    /// Where the buffers to receive into lie.
    places: ReceiveBuffers,
}

/// The firmware of one interface.
struct Firmware {
    context: Context,
    mcp: Mcp,
    send: SendSide,
    receive: ReceiveSide,
    work: WaitReasonId,
}

/// Starts the firmware of a node.
pub(super) fn start(
    build: &BuildContext<'_>,
    chip: &Rc<Lanai>,
    parameters: &McpParameters,
    places: ReceiveBuffers,
    instruments: &Rc<Instruments>,
) {
    let name = build.name();
    let context = Context {
        chip: chip.clone(),
        host: build.host.clone(),
        parameters: parameters.clone(),
        layout: Layout::new(parameters),
        instruments: instruments.clone(),
        pending: build.pending.clone(),
        tally: build.tally.clone(),
        places,
    };
    let firmware = Firmware {
        mcp: Mcp::new(config(parameters)),
        send: SendSide::default(),
        receive: ReceiveSide::default(),
        work: build.sim.point(format!("work for {name}")),
        context,
    };
    let task = build.sim.spawn_server(format!("{name} firmware"), firmware.run());
    chip.receive.set_poster(task);
}

/// What the threads are built with.
pub fn config(parameters: &McpParameters) -> Config {
    let pipelining = match parameters.pipelining {
        PipeliningParameters::Serial => Pipelining::Serial,
        PipeliningParameters::Coarse => Pipelining::Coarse,
        PipeliningParameters::Fine(threshold) => Pipelining::Fine { threshold: threshold.get() as u32 },
    };
    let buffers = parameters.packet_buffers as u8;
    let segment = match parameters.users {
        Users::Library(_) => Some((parameters.mtu.get() - parameters.prefix()) as u32),
        Users::Kernel(_) => None,
    };
    Config { pipelining, send_buffers: buffers, receive_buffers: buffers, segment }
}

impl Firmware {
    async fn run(mut self) {
        loop {
            self.context.chip.work(self.context.parameters.firmware.poll).await;
            if !self.pass().await {
                self.sleep().await;
            }
        }
    }

    /// One pass; true if anything was done.
    async fn pass(&mut self) -> bool {
        let mut worked = self.send.look(&self.context, &mut self.mcp);
        worked |= self.receive.look(&self.context, &mut self.mcp);
        worked |= self.notice_host().await;
        while let Some(step) = self.mcp.step() {
            worked = true;
            self.context.chip.work(self.context.parameters.firmware.state * step.states.len() as u64).await;
            if step.states.contains(&ThreadState::SendDone) {
                self.send.has_gone(&self.context);
            }
            for act in step.acts {
                self.act(act).await;
            }
        }
        worked
    }

    async fn act(&mut self, act: Act) {
        let (context, mcp) = (&self.context, &mut self.mcp);
        match act {
            Act::StartHostRead { id, buffer, from, units } => self.send.fetch(context, id, buffer, (from, units)).await,
            Act::StartSend { buffer, from, units, last, .. } => {
                if !self.send.transmit(context, buffer, (from, units), last).await {
                    mcp.send_done();
                }
            }
            Act::SendComplete { .. } => self.send.complete(context).await,
            Act::StartReceive { buffer, .. } => self.receive.post(context, buffer).await,
            Act::StartHostWrite { buffer, from, units, .. } => {
                if !self.receive.deliver(context, buffer, (from, units)).await {
                    mcp.host_done();
                }
            }
            Act::Received { units, .. } => self.receive.tell(context, units).await,
        }
    }

    /// Takes note of the end of a transfer of the host engine; starts the next piece of a list.
    async fn notice_host(&mut self) -> bool {
        let (context, mcp) = (&self.context, &mut self.mcp);
        if !context.chip.host_dma.is_idle() {
            return false;
        }
        let ended = match (self.send.is_reading(), self.receive.is_writing()) {
            (true, _) => self.send.fetched(context, mcp).await,
            (_, true) => self.receive.delivered(context).await,
            (false, false) => return false,
        };
        if ended {
            mcp.host_done();
        }
        true
    }

    /// Sleeps until an engine stops, a watched count is reached, or the host writes. Nothing of these can
    /// have been missed: since the pass began no time has passed without work.
    async fn sleep(&self) {
        let Watch { fetched, received } = self.mcp.watch();
        let landed = |landing: Option<&Rc<Landing>>, count: Option<u32>| {
            let (landing, count) = (landing?, count?);
            landing.watch(Bytes(u64::from(count)))
        };
        // RDMA asks for more of a packet only when that has its place, for which its headers are enough.
        let received = self.receive.awaits_headers(self.context.chip.sim.now()).or(received);
        let instants = [landed(self.send.landing(), fetched), landed(self.receive.landing(), received)];
        let wake = instants.into_iter().flatten().min().unwrap_or(Time::MAX);
        self.context.chip.attention.wait_for(self.work, wake).await;
    }
}

impl Context {
    /// Takes what the host has filled, by the state word at `at`; false if it has not.
    fn takes(&self, at: u64) -> bool {
        let sram = &self.chip.sram;
        let is_filled = sram.load_word(at) == state::FILLED;
        if is_filled {
            sram.store_word(at, state::FREE);
        }
        is_filled
    }

    /// Works on a packet for `cycles`.
    async fn work_for(&self, journey: &Journey, cycles: u64) {
        let start = self.chip.sim.now();
        self.chip.work(cycles).await;
        journey.served(start, self.chip.sim.now());
    }
}
