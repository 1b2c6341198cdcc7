//! The device half of Trapeze: one loop that starts every idle engine for which there is work.
//!
//! "It continuously monitors status of the message rings and pending DMA activity, and initiates new transfers
//! according to its policies" (Yocum et al. 1997, §2.1). Each pass over the loop, and each action in it, takes
//! processor cycles. After a pass without work, the firmware sleeps until the state may have changed. Idle polling
//! therefore causes no events, and costs one pass after the wake-up.

mod admission;
mod receive;
mod receive_with_protocol;
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
use send::{OutgoingMessage, SendSide};
use std::rc::Rc;

/// The state that both directions share.
struct Context {
    chip: Rc<Lanai>,
    parameters: TrapezeParameters,
    layout: Layout,
    instruments: Rc<Instruments>,
    host: Host,
    admission: Rc<Admission>,
    in_flight: Rc<InFlight>,
    wait_reasons: WaitReasons,
}

/// The wait reasons of the firmware, which a deadlock report names.
struct WaitReasons {
    work: WaitReasonId,
    receive_buffer: WaitReasonId,
    receive_entry: WaitReasonId,
    transmit: WaitReasonId,
    acknowledgement: WaitReasonId,
}

/// The firmware of one interface.
struct Firmware {
    context: Context,
    send: SendSide,
    receive: ReceiveSide,
    /// The direction that used the host engine last. The other direction has priority.
    last_host_dma: Option<Direction>,
}

/// Starts the firmware of a node and returns its task. `receive_buffers` are the host buffers that are attached to the
/// entries of the receive ring.
pub(super) fn start(
    build: &BuildContext<'_>,
    (chip, parameters): (&Rc<Lanai>, &TrapezeParameters),
    layout: Layout,
    receive_buffers: &[Address],
    (instruments, admission): (Rc<Instruments>, &Rc<Admission>),
) -> TaskId {
    let (sim, name) = (build.sim, build.name());
    let wait_reasons = WaitReasons {
        work: sim.register_wait_reason(format!("work for {name}")),
        receive_buffer: sim.register_wait_reason(format!("a free packet buffer of {name}")),
        receive_entry: sim.register_wait_reason(format!("a receive ring entry of {name}")),
        transmit: sim.register_wait_reason(format!("netTx of {name}")),
        acknowledgement: sim.register_wait_reason(format!("the acknowledgement of a packet that {name} sent")),
    };
    let context = Context {
        chip: chip.clone(),
        parameters: parameters.clone(),
        layout,
        instruments,
        host: build.host.clone(),
        admission: admission.clone(),
        in_flight: build.in_flight.clone(),
        wait_reasons,
    };
    let WaitReasons { receive_buffer: buffer_reason, transmit: transmit_reason, .. } = context.wait_reasons;
    let firmware = Firmware {
        send: SendSide::new(&context),
        receive: ReceiveSide::new(&context, receive_buffers),
        context,
        last_host_dma: None,
    };
    let task = sim.spawn_server(format!("{name} firmware"), firmware.run());
    sim.set_holder(buffer_reason, task);
    sim.set_holder(transmit_reason, chip.transmit.task());
    chip.receive.set_poster(task);
    task
}

impl Firmware {
    async fn run(mut self) {
        loop {
            self.context.chip.work(self.context.parameters.firmware.poll).await;
            self.poll_timers().await;
            if !self.run_pass().await {
                self.sleep().await;
            }
        }
    }

    /// Handles the protocol's expired timers. Packets that the protocol then sends are sent in the same pass.
    async fn poll_timers(&self) {
        let Context { admission, chip, .. } = &self.context;
        if admission.next_timer() <= chip.sim.now() {
            self.context.charge_protocol(&Journey::NONE).await;
            admission.on_time(chip.sim.now());
        }
    }

    /// Makes one pass, and returns whether it did any work. Transfers out of packet buffers are started before
    /// transfers into them, because they free buffers.
    async fn run_pass(&mut self) -> bool {
        let context = &self.context;
        let mut has_worked =
            self.send.handle_completions(context).await | self.receive.handle_completions(context).await;
        has_worked |= self.send.transmit(context).await;
        // The one engine towards the host serves both directions in turn.
        if self.last_host_dma == Some(Direction::Read) || !self.send.can_fetch(context) {
            has_worked |= self.deliver().await;
        }
        has_worked |= self.receive.keep_net_rcv_posted(&self.context).await;
        has_worked |= self.receive.admit(&self.context).await;
        // A hostRcv transfer that ended within this pass is counted before a hostTx transfer takes the engine;
        // afterwards the ends of the two could not be distinguished.
        if self.receive.completion_pending(&self.context) {
            return true;
        }
        if self.send.fetch(&self.context).await {
            self.last_host_dma = Some(Direction::Read);
            return true;
        }
        has_worked | self.deliver().await
    }

    async fn deliver(&mut self) -> bool {
        let delivered = self.receive.deliver(&self.context).await;
        if delivered {
            self.last_host_dma = Some(Direction::Write);
        }
        delivered
    }

    /// Sleeps until an engine stops, a watched transfer has moved enough bytes, the host writes, or a timer of the
    /// protocol expires. The firmware cannot have missed such an event, since no simulated time has passed since the
    /// beginning of the last pass.
    async fn sleep(&self) {
        let landing_time = self.send.watch(&self.context).min(self.receive.watch(&self.context));
        let wake = landing_time.min(self.context.admission.next_timer());
        let reason = self.receive.blocking_reason(&self.context).or(self.send.blocking_reason(&self.context));
        self.context.chip.firmware_wakeup.wait_for(reason.unwrap_or(self.context.wait_reasons.work), wake).await;
    }
}

/// Returns how many of the `landed_bytes`, which are in the packet buffer, a transfer may take: whole words, or all
/// bytes at the end of the payload.
fn whole_words(landed_bytes: Bytes, total: Bytes) -> Bytes {
    if landed_bytes < total { Bytes(landed_bytes.get() / 4 * 4) } else { total }
}

impl Context {
    /// Spends `cycles` of the interface's processor on a message and records them in its journey.
    async fn work_for(&self, journey: &Journey, cycles: u64) {
        let start = self.chip.sim.now();
        self.chip.work(cycles).await;
        journey.add_service(start, self.chip.sim.now());
    }

    /// Charges the protocol's work for an event of a message, if there is a protocol.
    async fn charge_protocol(&self, journey: &Journey) {
        if self.admission.has_protocol() {
            self.work_for(journey, self.parameters.firmware.protocol).await;
        }
    }

    /// Records the loss of a dropped message, unless the protocol retransmits it. A control frame has no message.
    fn record_loss(&self, message: Option<&OutgoingMessage>) {
        let Some(message) = message.filter(|_| !self.admission.retransmits()) else { return };
        self.instruments.tally.record_loss(message.journey());
        self.in_flight.remove(message.destination());
    }

    /// Charges the log entry of a completed transfer, if the firmware logs. An entry holds the completion time (Yocum
    /// et al. 1997, §3.2), so it is written at the end.
    async fn charge_log_entry(&self) {
        if self.parameters.logging {
            self.chip.work(self.parameters.firmware.log).await;
        }
    }
}
