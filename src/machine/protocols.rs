//! The protocols of a description: what is read of each, and what is refused.

use crate::engine::Bytes;
use crate::protocol::nifdy::{self, AcknowledgeAt, BulkAcknowledge, Retransmission};
use crate::protocol::return_to_sender::{self, Buffers, Retry};
use crate::protocol::{ProtocolParameters, plain, window};
use crate::text::Table;

/// The protocols, by their names in descriptions.
pub(super) const PROTOCOLS: [(&str, &str); 4] = [
    ("none", "Queues, and whatever the fabric makes of them"),
    ("return-to-sender", "What finds no room is sent back, and sent again"),
    ("nifdy", "Admission control and in-order delivery"),
    ("window", "A sliding window for each destination, acknowledgements and time-outs"),
];

/// The most of anything that is counted here.
const MOST: u64 = 4096;

/// Packets that wait each way where nothing is said (chosen: as many as return-to-sender has buffers).
const QUEUED: u64 = 8;

/// Reads the protocol; without one there are queues alone.
pub(super) fn read(t: &mut Table<'_>) -> ProtocolParameters {
    let doc = "What the interfaces agree on: admission, order, reliability";
    t.one_of_or("protocol", doc, &PROTOCOLS, "none", |name, t| match name {
        "return-to-sender" => ProtocolParameters::ReturnToSender(return_to_sender(t)),
        "nifdy" => ProtocolParameters::Nifdy(nifdy(t)),
        "window" => ProtocolParameters::Window(window(t)),
        _ => ProtocolParameters::Plain(none(t)),
    })
}

/// Tells of protocols that are written as if they were interfaces.
pub(super) fn are_no_interfaces(t: &Table<'_>) {
    for (name, protocol) in
        [("nifdy", "nifdy"), ("plain", "none"), ("return-to-sender", "return-to-sender"), ("window", "window")]
    {
        let what = format!("a protocol is no interface: it is [protocol.{protocol}] over one");
        let help = format!("write [protocol.{protocol}] over [ni.queues], or over another interface");
        t.none_of("ni", name, &what, &help);
    }
}

fn none(t: &mut Table<'_>) -> plain::PlainParameters {
    plain::PlainParameters {
        outgoing: t.count("outgoing", "Packets that wait to enter the fabric").range(1, MOST).or(QUEUED) as u16,
        arrivals: t.count("arrivals", "Packets that wait for their reader").range(1, MOST).or(QUEUED) as u16,
    }
}

fn return_to_sender(t: &mut Table<'_>) -> return_to_sender::ReturnToSenderParameters {
    let infinite = t.flag("infinite-buffers", "Whether there is no end of flow-control buffers").or(false);
    let count = t.count("flow-control-buffers", "Outgoing, and as many incoming, message buffers").range(1, 65_536);
    let buffers = Buffers::finite(count.or(8) as u32).unwrap_or(Buffers::Infinite);
    let retry = t.time("retry-delay", "How long a returned message waits before it is sent again").or("200 ns");
    let buffers = if infinite { Buffers::Infinite } else { buffers };
    return_to_sender::ReturnToSenderParameters {
        flow: return_to_sender::FlowControlParameters::symmetric(buffers, Retry::constant(retry)),
        acknowledgement: acknowledgement(t, "8 B"),
    }
}

fn acknowledgement(t: &mut Table<'_>, default: &'static str) -> Bytes {
    t.bytes("acknowledgement", "Length of an acknowledgement").min("1 B").max("32 B").or(default)
}

/// NIFDY, with the reasons of what is refused.
fn nifdy(t: &mut Table<'_>) -> nifdy::NifdyParameters {
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
    let unit = nifdy::UnitParameters {
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
    for (key, message) in unit.check() {
        t.wrong(key, message, "");
    }
    if dialogs > 0 && window > 2 && window % 2 == 0 && !window.is_power_of_two() {
        let message = "the bits of a sequence number count to a power of two, and it has as many values as the window";
        let help = format!("such as {} or {}", window.next_power_of_two() / 2, window.next_power_of_two());
        t.wrong("window", message, help);
    }
    let doc = "Cycles to make, and to take, an acknowledgement";
    nifdy::NifdyParameters {
        unit,
        processing: t.count("processing", doc).max(1_000_000).or(2),
        acknowledgement: acknowledgement(t, "4 B"),
        acknowledges_on_other: t
            .choice(
                "acknowledgement-network",
                "The logical network of acknowledgements: that of the packets they are for, or the other",
                &[("same", false), ("other", true)],
            )
            .or("other"),
    }
}

/// The sliding window, with the reasons of what is refused. What is left out is as small as will do on
/// any fabric, and selective: what comes early is kept.
fn window(t: &mut Table<'_>) -> window::WindowParameters {
    let mut count = |key, doc, least, default| t.count(key, doc).range(least, MOST).or(default) as u32;
    let buffers = count("buffers", "Packets of all destinations that wait, or are not acknowledged", 1, 16);
    let window = count("window", "Packets to a destination that may be unacknowledged", 1, 8);
    let reorder = "Packets of each sender kept until their turn or a place; 0: only the next is taken";
    let reorder = count("reorder-buffers", reorder, 0, u64::from(window));
    let arrivals = count("arrivals", "Packets of all senders that wait for their reader", 1, 16);
    let acknowledge_every = count("acknowledge-every", "Packets that an acknowledgement is for", 1, 1);
    let delay = "Longest that fewer than those wait for their acknowledgement";
    let link = window::LinkParameters {
        buffers,
        window,
        reorder,
        arrivals,
        acknowledge_every,
        acknowledge_delay: t.time("acknowledge-delay", delay).or("10 us"),
        timeout: t.time("timeout", "After which an unacknowledged packet is sent again").min("1 ns").or("100 us"),
        timeout_max: t
            .time("timeout-max", "Up to where the time-out doubles, while nothing is acknowledged")
            .or("1600 us"),
        sequence_bits: t.count("sequence-bits", "Bits of a sequence number").range(1, 32).or(32) as u32,
        order: window::Order::Kept,
    };
    for (key, message) in link.check() {
        let (key, help) = window_help(key, &link);
        t.wrong(key, message, help);
    }
    window::WindowParameters { link, acknowledgement: acknowledgement(t, "8 B") }
}

/// The key under which a parameter of the window stands, and what would be right.
fn window_help(parameter: &'static str, link: &window::LinkParameters) -> (&'static str, String) {
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
