//! The sliding window as a part of a machine: keys, defaults and guarantees. What is left out is as small as will do on
//! any fabric, and selective: a packet that arrives early is kept.

use super::adapter::PACKETS_MAX;
use super::{LinkParameters, Order, WindowAdapter, WindowParameters};
use crate::engine::{Bytes, NodeId};
use crate::part::{Part, PartInfo};
use crate::protocol::spec::{QUEUE_MAX, acknowledgement};
use crate::protocol::{Guarantees, PacketHandle, Protocol, ProtocolEnvironment, ProtocolSpec};
use crate::text::{Parameters, Table};

impl Parameters for LinkParameters {
    fn read(t: &mut Table<'_>) -> LinkParameters {
        let mut count = |key, doc, least, default| t.count(key, doc).range(least, QUEUE_MAX).or(default) as u32;
        let buffers = count("buffers", "Packets of all destinations that wait, or are not acknowledged", 1, 16);
        let window = count("window", "Packets to a destination that may be unacknowledged", 1, 8);
        let reorder = "Packets of each sender kept until their turn or a place; 0: only the next is taken";
        let reorder = count("reorder-buffers", reorder, 0, u64::from(window));
        let arrivals = count("arrivals", "Packets of all senders that wait for their reader", 1, 16);
        let acknowledge_every = count("acknowledge-every", "Packets that an acknowledgement is for", 1, 1);
        let delay = "Longest that fewer than those wait for their acknowledgement";
        let link = LinkParameters {
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
            order: Order::Kept,
        };
        for (key, message) in link.check() {
            let (key, help) = hint(key, &link);
            t.wrong(key, message, help);
        }
        link
    }
}

impl Parameters for WindowParameters {
    fn read(t: &mut Table<'_>) -> WindowParameters {
        WindowParameters { link: LinkParameters::read(t), acknowledgement: acknowledgement(t, "8 B") }
    }
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

impl Part for WindowParameters {
    const INFO: PartInfo =
        PartInfo::new("window", "A sliding window for each destination, acknowledgements and time-outs");
}

impl WindowParameters {
    /// Returns the parameters as they hold in `environment`.
    fn in_environment(mut self, environment: &ProtocolEnvironment) -> WindowParameters {
        self.link.order = if environment.keeps_order { Order::Kept } else { Order::Any { packets: PACKETS_MAX } };
        if !environment.has_reorder_buffers {
            self.link.reorder = 0;
        }
        self
    }
}

impl ProtocolSpec for WindowParameters {
    fn guarantees(&self, _: &ProtocolEnvironment) -> Guarantees {
        Guarantees {
            in_order: true,
            survives_loss: true,
            needs_order: false,
            reorders: false,
            slots: None,
            pools: true,
            has_timers: true,
        }
    }

    fn sequence_space_error(&self, environment: &ProtocolEnvironment) -> Option<(&'static str, String)> {
        let error = self.in_environment(environment).link.check().into_iter().next();
        error.map(|(_, reason)| ("sequence-bits", reason))
    }

    fn buffer_requirements(&self) -> Option<[u64; 2]> {
        Some([self.link.buffers.into(), self.link.arrivals.into()])
    }

    fn control_frame(&self) -> Bytes {
        self.acknowledgement
    }

    fn start(&self, node: NodeId, environment: &ProtocolEnvironment) -> Box<dyn Protocol<PacketHandle>> {
        Box::new(WindowAdapter::new(node, environment.classes, self.in_environment(environment)))
    }
}
