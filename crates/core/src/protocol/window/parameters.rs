//! Parameters: buffers, windows, time-outs, numbers, and what is known of the fabric.
//!
//! All links of a machine have the same: a sender's window and numbers are its receiver's.

use super::space::Space;
use crate::engine::Time;
use crate::protocol::limits::QUEUE_MAX;
use crate::text::Parameters;

/// Of one link.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Parameters)]
#[param(each(min = 1, max = QUEUE_MAX), check = refused, meaning = Capacity, resource = "window")]
pub struct LinkParameters {
    /// Packets of all destinations that wait, or are not acknowledged.
    ///
    /// Send buffers, for all destinations together.
    #[param(default = 16)]
    pub buffers: u32,
    /// Packets to a destination that may be unacknowledged.
    ///
    /// W.
    #[param(default = 8)]
    pub window: u32,
    /// Packets of each sender kept until their turn or a place; 0: only the next is taken.
    ///
    /// As many as the window: nothing is refused.
    #[param(key = "reorder-buffers", min = 0, default = window)]
    pub reorder: u32,
    /// Packets of all senders that wait for their reader.
    ///
    /// Or are being read.
    #[param(key = "receive-buffers", was = "arrivals", default = 16, resource = "arrivals queue")]
    pub arrivals: u32,
    /// Packets that an acknowledgement is for.
    #[param(default = 1, meaning = Policy)]
    pub acknowledge_every: u32,
    /// Longest that fewer than those wait for their acknowledgement.
    ///
    /// Not looked at where each packet is acknowledged.
    #[param(default = "10 us", meaning = Policy)]
    pub acknowledge_delay: Time,
    /// After which an unacknowledged packet is sent again.
    ///
    /// From when it left.
    #[param(min = "1 ns", default = "100 us", meaning = Timeout)]
    pub timeout: Time,
    /// Up to where the time-out doubles, while nothing is acknowledged.
    #[param(default = "1600 us", meaning = Timeout)]
    pub timeout_max: Time,
    /// Bits of a sequence number.
    #[param(max = 32, default = 32, resource = "sequence number")]
    pub sequence_bits: u32,
    /// What the fabric does to the order of frames.
    #[param(skip = Order::Kept)]
    pub order: Order,
}

/// Returns what is wrong with the parameters of a link: the key, why, and what would be right.
fn refused(link: &LinkParameters) -> Vec<(&'static str, String, String)> {
    let with_hint = |(parameter, message)| {
        let (key, help) = hint(parameter, link);
        (key, message, help)
    };
    link.check().into_iter().map(with_hint).collect()
}

/// Returns the key of a parameter of the window, and what would be right.
fn hint(parameter: &'static str, link: &LinkParameters) -> (&'static str, String) {
    match parameter {
        "window" => {
            let bits = (2 * link.window).next_power_of_two().ilog2();
            ("window", format!("make it smaller, or sequence-bits at least {bits}"))
        }
        "reorder" => ("reorder-buffers", format!("at most the window, {}", link.window)),
        "timeout_max" => ("timeout-max", format!("at least the time-out, {}", link.timeout)),
        "acknowledge_every" => ("acknowledge-every", format!("at most the window, {}", link.window)),
        "acknowledge_delay" => ("acknowledge-delay", format!("less than the time-out, {}", link.timeout)),
        other => (other, String::new()),
    }
}

/// What is known of a fabric that may lose and duplicate frames.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// Frames from one node to another arrive in the order in which they left, copies too.
    Kept,
    /// They arrive in any order, and a copy may live for ever.
    Any {
        /// Most packets that one node sends to another in a run; asserted.
        packets: u64,
    },
    /// They arrive in any order, and die.
    Lifetime {
        /// A frame, and each copy that the fabric makes of it, arrives within this after it left, or
        /// never.
        lifetime: Time,
        /// New packets from one node to another leave at least so far apart; asserted. Their least
        /// time on the wire serves.
        spacing: Time,
    },
}

/// Bytes that name a node.
const NODE_BYTES: usize = 4;
/// Bytes of a timer or a time-out (chosen: 32 bits of cycles).
const TIMER_BYTES: usize = 4;

impl Default for LinkParameters {
    /// Returns the defaults of a description, for a fabric that may deliver in any order.
    fn default() -> LinkParameters {
        LinkParameters { order: Order::Any { packets: 1 << 31 }, ..LinkParameters::defaults() }
    }
}

impl LinkParameters {
    /// All that is wrong: the key, and why.
    pub fn check(&self) -> Vec<(&'static str, String)> {
        let mut wrong = Vec::new();
        let mut refuse = |is_wrong: bool, key, why: &str| {
            if is_wrong {
                wrong.push((key, why.to_owned()));
            }
        };
        refuse(self.buffers == 0, "buffers", "without a buffer nothing is ever sent");
        refuse(self.window == 0, "window", "without a window nothing is ever sent");
        refuse(self.arrivals == 0, "receive-buffers", "without a place nothing ever arrives");
        refuse(self.reorder > self.window, "reorder", "more buffers than the window are never used");
        refuse(self.timeout == Time::ZERO, "timeout", "a packet takes longer than no time");
        refuse(self.timeout_max < self.timeout, "timeout_max", "the longest time-out is shorter than the first");
        self.check_acknowledge(&mut refuse);
        match self.sequence_bits {
            1..=32 => self.check_numbers(&mut wrong),
            _ => refuse(true, "sequence_bits", "a sequence number has 1 to 32 bits"),
        }
        wrong
    }

    fn check_acknowledge(&self, refuse: &mut impl FnMut(bool, &'static str, &str)) {
        let (every, delay) = (self.acknowledge_every, self.acknowledge_delay);
        refuse(every == 0, "acknowledge_every", "an acknowledgement is for at least one packet");
        let is_late = every > self.window.max(1);
        refuse(is_late, "acknowledge_every", "no more than a window come before an acknowledgement");
        let is_late = every > 1 && delay >= self.timeout;
        refuse(is_late, "acknowledge_delay", "the sender's time-out is over before the acknowledgement leaves");
    }

    /// Whether numbers tell packets apart: see the head of this module's parent.
    fn check_numbers(&self, wrong: &mut Vec<(&'static str, String)>) {
        let (numbers, window) = (Space::new(self.sequence_bits).count(), u64::from(self.window));
        if window > numbers / 2 {
            let most = numbers / 2;
            let why = format!(
                "a window of {window} with {numbers} sequence numbers: at most half of them, {most}, tell copies apart"
            );
            wrong.push(("window", why));
            return;
        }
        match self.order {
            Order::Kept => {}
            Order::Any { packets } if packets <= numbers - window => {}
            Order::Any { .. } => {
                let most = numbers - window;
                let why = format!("{numbers} sequence numbers tell at most {most} packets of a pair apart for ever");
                wrong.push(("packets", why));
            }
            Order::Lifetime { lifetime, spacing } => {
                let reused = u128::from(numbers - 2 * window) * u128::from(spacing.ps());
                if u128::from(lifetime.ps()) >= reused {
                    let free = numbers - 2 * window;
                    let why = format!("a number comes again within {free} times {spacing}, and may meet its copy");
                    wrong.push(("lifetime", why));
                }
            }
        }
    }

    /// Bytes of state of a link for packets of `packet_bytes` that has sent to `destinations` and
    /// received from `sources`: buffers and places with the node of each, and for each peer its
    /// reorder buffers, its numbers and its timer. No number of nodes is in it.
    pub fn state_bytes(&self, packet_bytes: usize, destinations: usize, sources: usize) -> usize {
        let [buffers, arrivals, reorder] = [self.buffers, self.arrivals, self.reorder].map(|count| count as usize);
        let number_bytes = self.sequence_bits.div_ceil(8) as usize;
        let destination = NODE_BYTES + 3 * number_bytes + 2 * TIMER_BYTES;
        let delayed = if self.acknowledge_every > 1 { TIMER_BYTES } else { 0 };
        let source = NODE_BYTES + 2 * number_bytes + delayed + reorder * packet_bytes + reorder.div_ceil(8);
        (buffers + arrivals) * (packet_bytes + NODE_BYTES) + destinations * destination + sources * source
    }
}
