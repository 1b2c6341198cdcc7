//! Parameters of a NIFDY unit: O, B, D, W and the arrivals FIFO (Callahan and Goldstein 1995, §2.1), the times of
//! acknowledgements, and the extensions of §6 of that paper. The defaults are those of its fat tree (Table 3).
//!
//! All units of a machine have the same parameters, so a sender's window equals its receiver's.

use crate::engine::Time;
use crate::protocol::limits::QUEUE_MAX;
use crate::text::{ParameterChoice, Parameters};

/// Parameters of one unit (Callahan and Goldstein 1995, §2.1: "NIFDY will have to be tuned for each network. This is
/// done by adjusting four parameters").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Parameters)]
#[param(each(max = QUEUE_MAX), check = parameter_errors, meaning = Capacity, resource = "admission unit")]
pub struct UnitParameters {
    /// O: entries of the outstanding-packet table.
    #[param(default = 8)]
    pub outstanding: u16,
    /// B: packets in the outgoing pool.
    #[param(default = 8)]
    pub pool: u16,
    /// D: bulk dialogs that a receiver holds at once.
    ///
    /// With 0, the unit has no bulk mode.
    #[param(default = 1)]
    pub dialogs: u16,
    /// W: packets of a dialog that may be unacknowledged.
    ///
    /// The sender has a window of W packets, and the receiver W reorder buffers for each dialog.
    #[param(default = 4)]
    pub window: u16,
    /// Capacity of the arrivals FIFO, in packets that wait for the processor.
    ///
    /// The paper chooses "at most two packets" (Callahan and Goldstein 1995, §3).
    #[param(key = "receive-buffers", was = "arrivals", default = 2, resource = "arrivals queue")]
    pub arrivals: u16,
    /// Event at which a scalar packet is acknowledged.
    #[param(default = "acceptance")]
    pub acknowledge: AcknowledgeAt,
    /// Number of bulk packets that one acknowledgement covers.
    #[param(default = "half-window")]
    pub bulk_acknowledge: BulkAcknowledge,
    /// Whether a reply carries the acknowledgement of the packet that it answers.
    ///
    /// Callahan and Goldstein (1995) describe this extension in §6.1.
    #[param(key = "piggybacked-acknowledgements", was = "carried-acknowledgements", default = false)]
    pub piggybacked: bool,
    /// Retransmission, for fabrics that lose packets.
    ///
    /// Callahan and Goldstein (1995) describe this extension in §6.2. A fabric that loses no packets needs none.
    #[param(table)]
    pub retransmission: Option<Retransmission>,
}

/// Returns the errors in the parameters of a unit: the key, the reason, and a hint at valid values.
fn parameter_errors(unit: &UnitParameters) -> Vec<(&'static str, String, String)> {
    let UnitParameters { dialogs, window, .. } = *unit;
    let mut errors: Vec<_> = unit.check().into_iter().map(|(key, reason)| (key, reason, String::new())).collect();
    if dialogs > 0 && window > 2 && window.is_multiple_of(2) && !window.is_power_of_two() {
        let message = format!("an even window must be a power of two, and {window} is not");
        let (smaller_power, larger_power) = (window.next_power_of_two() / 2, window.next_power_of_two());
        let help = format!(
            "the nearest are {smaller_power} and {larger_power}; an odd window needs bulk-acknowledge = \"each\""
        );
        errors.push(("window", message, help));
    }
    errors
}

/// Time at which a scalar packet is acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, ParameterChoice)]
pub enum AcknowledgeAt {
    /// The packet is acknowledged when the processor accepts it (Callahan and Goldstein 1995, §2.1.1).
    Acceptance,
    /// The packet is acknowledged when it is inserted into the arrivals FIFO (footnote 2: "surprisingly less
    /// effective").
    Insertion,
}

/// Number of bulk packets that one acknowledgement covers (Callahan and Goldstein 1995, §2.4.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, ParameterChoice)]
pub enum BulkAcknowledge {
    /// An acknowledgement covers half a window: "only one ack is sent for every W/2 packets".
    HalfWindow,
    /// An acknowledgement covers one packet: "in which every packet is acknowledged".
    #[param(key = "each")]
    EachPacket,
}

/// Time-out after which an unacknowledged packet is retransmitted (Callahan and Goldstein 1995, §6.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Parameters)]
pub struct Retransmission {
    /// Time after which an unacknowledged packet is retransmitted.
    ///
    /// The time-out is counted from the packet's last transmission.
    #[param(meaning = Timeout)]
    pub timeout: Time,
}

/// Bytes of a node number (Callahan and Goldstein 1995, §2.3: "16 bits are enough").
pub(super) const NODE_BYTES: usize = 2;
/// Bytes of a rank, a dialog number, a sequence number, or the few state bits of an entry.
pub(super) const SMALL_BYTES: usize = 1;
/// Bytes of a timer (chosen: 32 bits of cycles).
pub(super) const TIMER_BYTES: usize = 4;

impl Default for UnitParameters {
    /// Returns the paper's parameters for its fat tree (Table 3), without extensions.
    fn default() -> UnitParameters {
        UnitParameters {
            outstanding: 8,
            pool: 8,
            dialogs: 1,
            window: 4,
            arrivals: 2,
            acknowledge: AcknowledgeAt::Acceptance,
            bulk_acknowledge: BulkAcknowledge::HalfWindow,
            piggybacked: false,
            retransmission: None,
        }
    }
}

impl UnitParameters {
    /// Returns the errors in the parameters, each as the parameter's key and the reason.
    pub fn check(&self) -> Vec<(&'static str, String)> {
        let mut errors = Vec::new();
        let mut add_error_if = |is_invalid: bool, key, reason: &str| {
            if is_invalid {
                errors.push((key, reason.to_owned()));
            }
        };
        add_error_if(
            self.outstanding == 0,
            "outstanding",
            "must be at least 1: without an entry in the table of outstanding packets no packet is sent",
        );
        add_error_if(self.pool == 0, "pool", "must be at least 1: without a send buffer no packet is sent");
        add_error_if(
            self.arrivals == 0,
            "receive-buffers",
            "must be at least 1: without a receive buffer no packet arrives",
        );
        let acknowledges_halves = self.has_bulk() && self.bulk_acknowledge == BulkAcknowledge::HalfWindow;
        let empty_window_reason = match acknowledges_halves {
            true => {
                "must be at least 2, since one acknowledgement covers half a window (at least 1 with bulk-acknowledge = \"each\")"
            }
            false => "must be at least 1: a dialog sends packets within its window",
        };
        add_error_if(self.has_bulk() && self.window == 0, "window", empty_window_reason);
        let (smaller_power, larger_power) =
            (self.window.next_power_of_two() / 2, self.window.next_power_of_two().max(2));
        let valid_windows =
            if smaller_power >= 2 { format!("{smaller_power} or {larger_power}") } else { larger_power.to_string() };
        let odd_window_reason = format!(
            "{} is odd, and one acknowledgement covers half a window: choose {valid_windows}, or \
             bulk-acknowledge = \"each\"",
            self.window
        );
        add_error_if(acknowledges_halves && self.window % 2 == 1, "window", &odd_window_reason);
        let timeout = self.retransmission.map(|retransmission| retransmission.timeout);
        add_error_if(timeout == Some(Time::ZERO), "retransmission.timeout", "must be more than 0");
        errors
    }

    /// Returns whether there is a bulk mode.
    pub const fn has_bulk(&self) -> bool {
        self.dialogs > 0
    }

    /// Returns the number of bulk packets that one acknowledgement covers.
    pub(super) fn group(&self) -> u32 {
        match self.bulk_acknowledge {
            BulkAcknowledge::HalfWindow => u32::from(self.window / 2).max(1),
            BulkAcknowledge::EachPacket => 1,
        }
    }

    /// Returns the bytes of state in the unit (Callahan and Goldstein 1995, §2.3) for packets of `packet_bytes`. The
    /// state consists of DW + B buffers, the arrivals FIFO, both associative memories, the dialogs' registers, and with
    /// retransmission a buffer and a timer for each outstanding packet. The result does not depend on the number of
    /// nodes. Retransmission also needs two bits for each other node (see `retransmit`), which are not counted here.
    /// The queue of acknowledgements, of a few bytes each, is not counted either.
    pub fn state_bytes(&self, packet_bytes: usize) -> usize {
        let [outstanding, pool, dialogs, window, arrivals] =
            [self.outstanding, self.pool, self.dialogs, self.window, self.arrivals].map(usize::from);
        let reorder = dialogs * (window * (packet_bytes + SMALL_BYTES) + NODE_BYTES + 2 * SMALL_BYTES);
        let sending = if dialogs > 0 { NODE_BYTES + 4 * SMALL_BYTES } else { 0 };
        let copies = match self.retransmission {
            Some(_) if dialogs > 0 => outstanding + window,
            Some(_) => outstanding,
            None => 0,
        };
        pool * (packet_bytes + NODE_BYTES + SMALL_BYTES)
            + outstanding * NODE_BYTES
            + arrivals * packet_bytes
            + reorder
            + sending
            + copies * (packet_bytes + TIMER_BYTES)
    }
}
