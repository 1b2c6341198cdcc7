//! Parameters of a link: buffers, windows, time-outs, sequence numbers, and the fabric's delivery order.
//!
//! All links of a machine have the same parameters, so a sender and its receiver agree on window and sequence space.
//! The defaults are chosen.

use super::space::SequenceSpace;
use crate::engine::Time;
use crate::protocol::limits::QUEUE_MAX;
use crate::text::Parameters;

/// Parameters of one link.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Parameters)]
#[param(each(min = 1, max = QUEUE_MAX), check = parameter_errors, meaning = Capacity, resource = "window")]
pub struct LinkParameters {
    /// Number of send buffers for unsent and unacknowledged packets.
    ///
    /// All destinations share them.
    #[param(default = 16)]
    pub buffers: u32,
    /// Largest number of unacknowledged packets to a destination.
    ///
    /// The head of the parent module calls it W.
    #[param(default = 8)]
    pub window: u32,
    /// Number of reorder buffers for each sender; with 0, only packets in sequence are accepted.
    ///
    /// If the number equals the window, no packet is dropped for lack of a buffer.
    #[param(key = "reorder-buffers", min = 0, default = window)]
    pub reorder: u32,
    /// Number of slots for packets that wait for their reader.
    ///
    /// All senders share them; a packet that is being read also occupies a slot.
    #[param(key = "receive-buffers", was = "arrivals", default = 16, resource = "arrivals queue")]
    pub arrivals: u32,
    /// Number of packets that one acknowledgement covers.
    #[param(default = 1, meaning = Policy)]
    pub acknowledge_every: u32,
    /// Largest delay of an acknowledgement that waits for more packets.
    ///
    /// The delay has no effect if each packet is acknowledged.
    #[param(default = "10 us", meaning = Policy)]
    pub acknowledge_delay: Time,
    /// Time after which an unacknowledged packet is retransmitted.
    ///
    /// The time-out is counted from the packet's last transmission.
    #[param(min = "1 ns", default = "100 us", meaning = Timeout)]
    pub timeout: Time,
    /// Largest time-out; the time-out doubles up to this value while no packet is acknowledged.
    #[param(default = "1600 us", meaning = Timeout)]
    pub timeout_max: Time,
    /// Bits of a sequence number.
    #[param(max = 32, default = 32, resource = "sequence number")]
    pub sequence_bits: u32,
    /// Delivery order of the fabric.
    #[param(skip = FabricOrder::Kept)]
    pub order: FabricOrder,
}

/// Returns the errors in the parameters of a link: the key, the reason, and a hint at valid values.
fn parameter_errors(link: &LinkParameters) -> Vec<(&'static str, String, String)> {
    let with_hint = |(parameter, message)| {
        let (key, help) = hint(parameter, link);
        (key, message, help)
    };
    link.check().into_iter().map(with_hint).collect()
}

/// Returns the key of a parameter, and a hint at valid values.
fn hint(parameter: &'static str, link: &LinkParameters) -> (&'static str, String) {
    match parameter {
        "window" => {
            let bits = (2 * link.window).next_power_of_two().ilog2();
            ("window", format!("make the window smaller, or sequence-bits at least {bits}"))
        }
        "reorder" => ("reorder-buffers", format!("at most the window, {}", link.window)),
        "timeout_max" => ("timeout-max", format!("at least the time-out, {}", link.timeout)),
        "acknowledge_every" => ("acknowledge-every", format!("at most the window, {}", link.window)),
        "acknowledge_delay" => ("acknowledge-delay", format!("less than the time-out, {}", link.timeout)),
        other => (other, String::new()),
    }
}

/// Delivery order of a fabric that may lose and duplicate frames.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FabricOrder {
    /// Frames from one node to another arrive in the order in which they left; copies keep the order too.
    Kept,
    /// Frames arrive in any order, and a copy may arrive arbitrarily late.
    Any {
        /// Largest number of packets that one node sends to another in a run, which is asserted.
        packets: u64,
    },
    /// Frames arrive in any order, but within a lifetime.
    Lifetime {
        /// Longest time from the transmission of a frame to its arrival, and to the arrival of its copies.
        lifetime: Time,
        /// Smallest time between the transmissions of new packets from one node to another, which is asserted. A
        /// packet's shortest time on the wire is a valid value.
        spacing: Time,
    },
}

/// Bytes of a node number.
const NODE_BYTES: usize = 4;
/// Bytes of a timer or a time-out (chosen: 32 bits of cycles).
const TIMER_BYTES: usize = 4;

impl Default for LinkParameters {
    /// Returns the defaults of a description, for a fabric that may deliver in any order.
    fn default() -> LinkParameters {
        LinkParameters { order: FabricOrder::Any { packets: 1 << 31 }, ..LinkParameters::defaults() }
    }
}

impl LinkParameters {
    /// Returns all errors in the parameters: the key, and the reason.
    pub fn check(&self) -> Vec<(&'static str, String)> {
        let mut errors = Vec::new();
        let mut add_error_if = |is_invalid: bool, key, reason: &str| {
            if is_invalid {
                errors.push((key, reason.to_owned()));
            }
        };
        add_error_if(self.buffers == 0, "buffers", "must be at least 1: without a buffer no packet is sent");
        add_error_if(self.window == 0, "window", "must be at least 1: without a window no packet is sent");
        add_error_if(
            self.arrivals == 0,
            "receive-buffers",
            "must be at least 1: without a receive buffer no packet arrives",
        );
        add_error_if(self.reorder > self.window, "reorder", "exceeds the window: further buffers are never used");
        add_error_if(self.timeout == Time::ZERO, "timeout", "must be more than 0");
        add_error_if(self.timeout_max < self.timeout, "timeout_max", "the longest time-out is shorter than the first");
        self.check_acknowledge(&mut add_error_if);
        match self.sequence_bits {
            1..=32 => self.check_numbers(&mut errors),
            _ => add_error_if(true, "sequence_bits", "a sequence number has 1 to 32 bits"),
        }
        errors
    }

    fn check_acknowledge(&self, add_error_if: &mut impl FnMut(bool, &'static str, &str)) {
        let (packets, delay) = (self.acknowledge_every, self.acknowledge_delay);
        add_error_if(packets == 0, "acknowledge_every", "must be at least 1: an acknowledgement covers a packet");
        let exceeds_window = packets > self.window.max(1);
        add_error_if(
            exceeds_window,
            "acknowledge_every",
            "exceeds the window, which is the most that an acknowledgement covers",
        );
        let exceeds_timeout = packets > 1 && delay >= self.timeout;
        add_error_if(
            exceeds_timeout,
            "acknowledge_delay",
            "exceeds the time-out: the sender would retransmit before it is acknowledged",
        );
    }

    /// Checks that sequence numbers distinguish packets, as the head of the parent module explains.
    fn check_numbers(&self, errors: &mut Vec<(&'static str, String)>) {
        let (sequence_count, window) = (SequenceSpace::new(self.sequence_bits).count(), u64::from(self.window));
        if window > sequence_count / 2 {
            let limit = sequence_count / 2;
            let reason = format!(
                "a window of {window} exceeds {limit}, half of the {sequence_count} sequence numbers: \
                 duplicates would be ambiguous"
            );
            errors.push(("window", reason));
            return;
        }
        match self.order {
            FabricOrder::Kept => {}
            FabricOrder::Any { packets } if packets <= sequence_count - window => {}
            FabricOrder::Any { .. } => {
                let limit = sequence_count - window;
                let reason = format!(
                    "{sequence_count} sequence numbers are too few: the run may send more than {limit} packets from \
                     one node to another, and no number may be used twice"
                );
                errors.push(("packets", reason));
            }
            FabricOrder::Lifetime { lifetime, spacing } => {
                let reuse_time = u128::from(sequence_count - 2 * window) * u128::from(spacing.ps());
                if u128::from(lifetime.ps()) >= reuse_time {
                    let packets_before_reuse = sequence_count - 2 * window;
                    let reason = format!(
                        "a number is reused within {packets_before_reuse} times {spacing}, and may be mistaken for a \
                         duplicate"
                    );
                    errors.push(("lifetime", reason));
                }
            }
        }
    }

    /// Returns the bytes of state of a link for packets of `packet_bytes` that has sent to `destinations` and received
    /// from `sources`: these are buffers and slots with the node of each, and for each peer its reorder buffers,
    /// sequence numbers and timers. The result does not depend on the number of nodes.
    pub fn state_bytes(&self, packet_bytes: usize, destinations: usize, sources: usize) -> usize {
        let [buffers, arrivals, reorder] = [self.buffers, self.arrivals, self.reorder].map(|count| count as usize);
        let number_bytes = self.sequence_bits.div_ceil(8) as usize;
        let destination_bytes = NODE_BYTES + 3 * number_bytes + 2 * TIMER_BYTES;
        let delay_timer_bytes = if self.acknowledge_every > 1 { TIMER_BYTES } else { 0 };
        let source_bytes =
            NODE_BYTES + 2 * number_bytes + delay_timer_bytes + reorder * packet_bytes + reorder.div_ceil(8);
        (buffers + arrivals) * (packet_bytes + NODE_BYTES) + destinations * destination_bytes + sources * source_bytes
    }
}
