//! The device half: one loop that keeps every engine busy for which there is work.
//!
//! "It continuously monitors status of the message rings and pending DMA activity, and initiates
//! new transfers according to its policies" (Yocum et al. 1997, §2.1). Each pass over the loop, and
//! each thing done in it, takes processor cycles; in a pass without work the model sleeps until
//! something can have changed, which costs no events and one pass.

mod admission;
mod admitted;
mod receive;
mod send;

pub use admission::Admission;

use super::instruments::Instruments;
use super::layout::Layout;
use super::parameters::TrapezeParameters;
use crate::engine::sim::{TaskId, WaitReasonId};
use crate::engine::{Bytes, Journey};
use crate::host::{Address, Direction, Host};
use crate::ni::build_context::BuildContext;
use crate::ni::in_flight::InFlight;
use crate::ni::lanai::Lanai;
use receive::ReceiveSide;
use send::{Outgoing, SendSide};
use std::rc::Rc;

/// What both directions work with.
struct Context {
    chip: Rc<Lanai>,
    parameters: TrapezeParameters,
    layout: Layout,
    instruments: Rc<Instruments>,
    host: Host,
    admission: Rc<Admission>,
    pending: Rc<InFlight>,
    waits: Waits,
}

/// What the firmware can be found waiting for when a run is stuck.
struct Waits {
    work: WaitReasonId,
    receive_buffer: WaitReasonId,
    receive_entry: WaitReasonId,
    transmit: WaitReasonId,
    answer: WaitReasonId,
}

/// The firmware of one interface.
struct Firmware {
    context: Context,
    send: SendSide,
    receive: ReceiveSide,
    /// Who used the host engine last; the other direction comes first.
    host_dma_last: Option<Direction>,
}

/// Starts the firmware of a node, whose receive ring has these buffers in host memory; returns its task.
pub(super) fn start(
    build: &BuildContext<'_>,
    (chip, parameters): (&Rc<Lanai>, &TrapezeParameters),
    layout: Layout,
    receive_buffers: &[Address],
    (instruments, admission): (Rc<Instruments>, &Rc<Admission>),
) -> TaskId {
    let (sim, name) = (build.sim, build.name());
    let waits = Waits {
        work: sim.point(format!("work for {name}")),
        receive_buffer: sim.point(format!("a free packet buffer of {name}")),
        receive_entry: sim.point(format!("a receive ring entry of {name}")),
        transmit: sim.point(format!("netTx of {name}")),
        answer: sim.point(format!("an answer to what {name} sent")),
    };
    let context = Context {
        chip: chip.clone(),
        parameters: parameters.clone(),
        layout,
        instruments,
        host: build.host.clone(),
        admission: admission.clone(),
        pending: build.pending.clone(),
        waits,
    };
    let holders =
        [context.waits.work, context.waits.receive_buffer, context.waits.receive_entry, context.waits.transmit];
    let firmware = Firmware {
        send: SendSide::new(&context),
        receive: ReceiveSide::new(&context, receive_buffers),
        context,
        host_dma_last: None,
    };
    let task = sim.spawn_server(format!("{name} firmware"), firmware.run());
    sim.set_holder(holders[1], task);
    sim.set_holder(holders[3], chip.transmit.task());
    chip.receive.set_poster(task);
    task
}

impl Firmware {
    async fn run(mut self) {
        loop {
            self.context.chip.work(self.context.parameters.firmware.poll).await;
            self.look_at_timers().await;
            if !self.pass().await {
                self.sleep().await;
            }
        }
    }

    /// Has the protocol's timers go off that are due; what they let go goes in the same pass.
    async fn look_at_timers(&self) {
        let Context { admission, chip, .. } = &self.context;
        if admission.next_timer() <= chip.sim.now() {
            self.context.speak(&Journey::NONE).await;
            admission.on_time(chip.sim.now());
        }
    }

    /// One pass; true if anything was done. Transfers to sinks come before those from sources,
    /// because they free buffers.
    async fn pass(&mut self) -> bool {
        let context = &self.context;
        let mut worked = self.send.notice(context).await | self.receive.notice(context).await;
        worked |= self.send.transmit(context).await;
        // The one engine towards the host serves both directions in turn.
        if self.host_dma_last == Some(Direction::Read) || !self.send.can_fetch(context) {
            worked |= self.deliver().await;
        }
        worked |= self.receive.take(&self.context).await;
        worked |= self.receive.admit(&self.context).await;
        // A hostRcv that ended within this pass is counted before a hostTx takes the engine: after,
        // its end could not be told from that of the next.
        if self.receive.has_ended_unnoticed(&self.context) {
            return true;
        }
        if self.send.fetch(&self.context).await {
            self.host_dma_last = Some(Direction::Read);
            return true;
        }
        worked | self.deliver().await
    }

    async fn deliver(&mut self) -> bool {
        let delivered = self.receive.deliver(&self.context).await;
        if delivered {
            self.host_dma_last = Some(Direction::Write);
        }
        delivered
    }

    /// Sleeps until an engine stops, a watched count is reached, or the host writes. Nothing of
    /// these can have been missed: since the pass began no time has passed without work.
    async fn sleep(&self) {
        let landed = self.send.watch(&self.context).min(self.receive.watch(&self.context));
        let wake = landed.min(self.context.admission.next_timer());
        let reason = self.receive.lacks(&self.context).or(self.send.lacks(&self.context));
        self.context.chip.attention.wait_for(reason.unwrap_or(self.context.waits.work), wake).await;
    }
}

/// What may be taken of `landed` bytes: whole words, or all.
fn whole_words(landed: Bytes, total: Bytes) -> Bytes {
    if landed < total { Bytes(landed.get() / 4 * 4) } else { total }
}

impl Context {
    /// Works on a message for `cycles`.
    async fn work_for(&self, journey: &Journey, cycles: u64) {
        let start = self.chip.sim.now();
        self.chip.work(cycles).await;
        journey.served(start, self.chip.sim.now());
    }

    /// Does the protocol's part of an event of a message, where there is a protocol.
    async fn speak(&self, journey: &Journey) {
        if self.admission.runs() {
            self.work_for(journey, self.parameters.firmware.protocol).await;
        }
    }

    /// A message was dropped on its way, if it was one; unless it is sent again, it is lost.
    fn lose(&self, message: Option<&Outgoing>) {
        let Some(message) = message.filter(|_| !self.admission.resends()) else { return };
        self.instruments.tally.lose(message.journey());
        self.pending.remove(message.destination());
    }

    /// Writes the log entry of a transfer whose end was noticed, if the firmware logs. An entry
    /// holds the completion time (Yocum et al. 1997, §3.2), so it is written then.
    async fn log(&self) {
        if self.parameters.logging {
            self.chip.work(self.parameters.firmware.log).await;
        }
    }
}
