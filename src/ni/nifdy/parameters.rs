//! The parameters of NIFDY and of the plain interface, as descriptions give them.

use crate::engine::Bytes;
use crate::protocol::nifdy::{AcknowledgeAt, BulkAcknowledge, Parameters, Retransmission};
use crate::text::Table;

/// An interface that sends whole packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InterfaceParameters {
    /// With the protocol or without.
    pub kind: Kind,
    /// Cycles to make, and to take, an acknowledgement: 2 (§2.4.3).
    pub processing: u64,
    /// Length of every packet with its header: 32 bytes, or 24 for real programs (§3).
    pub packet: Bytes,
    /// Length of an acknowledgement: 4 bytes, a flit (chosen: source, kind and dialog number).
    pub acknowledgement: Bytes,
    /// Whether acknowledgements take the other logical network than the packets they are for.
    pub acknowledges_on_other: bool,
}

/// With the protocol or without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// With it.
    Nifdy(Parameters),
    /// Buffers only.
    Plain {
        /// Packets that wait to enter the fabric.
        outgoing: u16,
        /// Packets that wait for the processor.
        arrivals: u16,
    },
}

/// The most of anything that is counted here.
const MOST: u64 = 4096;

impl InterfaceParameters {
    /// The kinds, as descriptions call them.
    pub const NAMES: [&str; 2] = ["nifdy", "plain"];

    /// Reads those of the kind called `name`.
    pub fn read(t: &mut Table<'_>, name: &str) -> InterfaceParameters {
        let packet =
            t.bytes("packet", "Length of every packet with its header, in whole words").min("12 B").max("36 B");
        let packet = packet.or("32 B");
        if packet.get() % 4 != 0 {
            t.wrong("packet", format!("{packet} is not a whole number of words"), "a word is 4 B");
        }
        match name {
            "nifdy" => InterfaceParameters {
                kind: Kind::Nifdy(protocol(t)),
                processing: t
                    .count("processing", "Cycles to make, and to take, an acknowledgement")
                    .max(1_000_000)
                    .or(2),
                packet,
                acknowledgement: t
                    .bytes("acknowledgement", "Length of an acknowledgement")
                    .min("1 B")
                    .max("32 B")
                    .or("4 B"),
                acknowledges_on_other: t
                    .choice(
                        "acknowledgement-network",
                        "The logical network of acknowledgements: that of the packets they are for, or the other",
                        &[("same", false), ("other", true)],
                    )
                    .or("other"),
            },
            _ => InterfaceParameters {
                kind: Kind::Plain {
                    outgoing: t.count("outgoing", "Packets that wait to enter the fabric").range(1, MOST).or(1) as u16,
                    arrivals: t.count("arrivals", "Packets that wait for the processor").range(1, MOST).or(1) as u16,
                },
                processing: 0,
                packet,
                acknowledgement: Bytes::ZERO,
                acknowledges_on_other: false,
            },
        }
    }

    /// The name of its table.
    pub fn key(&self) -> &'static str {
        if self.orders() { "nifdy" } else { "plain" }
    }

    /// Places for packets that wait for the processor.
    pub fn places(&self) -> u32 {
        match &self.kind {
            Kind::Nifdy(parameters) => parameters.arrivals.into(),
            Kind::Plain { arrivals, .. } => (*arrivals).into(),
        }
    }

    /// Whether packets are sent again.
    pub fn has_timers(&self) -> bool {
        matches!(self.kind, Kind::Nifdy(Parameters { retransmission: Some(_), .. }))
    }

    /// Whether packets of a pair come out in the order in which they went in, whatever the fabric.
    pub fn orders(&self) -> bool {
        matches!(self.kind, Kind::Nifdy(_))
    }
}

/// The protocol's own, with the reasons of those that are refused.
fn protocol(t: &mut Table<'_>) -> Parameters {
    let at = [("acceptance", AcknowledgeAt::Acceptance), ("insertion", AcknowledgeAt::Insertion)];
    let bulk = [("half-window", BulkAcknowledge::HalfWindow), ("each", BulkAcknowledge::EachPacket)];
    let mut count = |key, doc, default| t.count(key, doc).max(MOST).or(default) as u16;
    let [outstanding, pool, dialogs, window, arrivals] = [
        count("outstanding", "O: entries of the outstanding-packet table", 8),
        count("pool", "B: packets in the outgoing pool", 8),
        count("dialogs", "D: bulk dialogs that a receiver holds at once", 1),
        count("window", "W: packets of a dialog that may be unacknowledged", 4),
        count("arrivals", "Packets that wait for the processor", 2),
    ];
    let parameters = Parameters {
        outstanding,
        pool,
        dialogs,
        window,
        arrivals,
        acknowledge: t.choice("acknowledge", "When a scalar packet is acknowledged", &at).or("acceptance"),
        bulk_acknowledge: t
            .choice("bulk-acknowledge", "How many bulk packets an acknowledgement is for", &bulk)
            .or("half-window"),
        carried: t.flag("carried-acknowledgements", "Whether an answer carries the acknowledgement").or(false),
        retransmission: t.optional_table("retransmission", "For fabrics that lose packets", |t| Retransmission {
            timeout: t.time("timeout", "After which an unacknowledged packet is sent again").required(),
        }),
    };
    for (key, message) in parameters.check() {
        t.wrong(key, message, "");
    }
    if dialogs > 0 && window > 2 && window % 2 == 0 && !window.is_power_of_two() {
        let message = "the bits of a sequence number count to a power of two, and it has as many values as the window";
        t.wrong(
            "window",
            message,
            format!("such as {} or {}", window.next_power_of_two() / 2, window.next_power_of_two()),
        );
    }
    parameters
}
