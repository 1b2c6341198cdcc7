//! Table 3's latencies and Equations 1 to 4, in cycles. Leaves out congestion, as the paper does here.

/// T_lat(d) = `hop`·d + `constant`: of the header, and with store-and-forward of the tail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Latency {
    /// Cycles a hop.
    pub hop: u64,
    /// Cycles at the ends.
    pub constant: u64,
}

/// T_ackproc: NIFDY's processing takes 2 cycles at each end (§2.4.3).
pub const ACKNOWLEDGEMENT: u64 = 4;
/// T_link: a packet of 32 B on a link of a byte a cycle.
pub const LINK: u64 = 32;

impl Latency {
    /// T_lat(d).
    pub fn at(self, distance: u64) -> u64 {
        self.hop * distance + self.constant
    }

    /// As the paper writes it.
    pub fn text(self) -> String {
        format!("{}d + {}", self.hop, self.constant)
    }

    /// Equation 2: T_roundtrip(d).
    pub fn round_trip(self, distance: u64) -> u64 {
        2 * self.at(distance) + ACKNOWLEDGEMENT
    }
}

/// Equation 1: cycles between packets without NIFDY.
pub fn unhindered(send: u64, receive: u64) -> u64 {
    send.max(receive).max(LINK)
}

/// §2.4.1: cycles between scalar packets.
pub fn scalar(round_trip: f64, limit: f64) -> f64 {
    round_trip.max(limit)
}

/// Cycles between packets of a dialog of window `window`. With one acknowledgement for every W/2
/// packets, a window takes a round trip that begins with the last packet of its first half,
/// T_roundtrip + (W/2 - 1)·limit: no longer than W·limit exactly where Equation 3 holds. With one
/// each, Equation 4.
pub fn bulk(round_trip: f64, limit: f64, window: u64, each: bool) -> f64 {
    let window = window as f64;
    let before = if each { 0.0 } else { (window / 2.0 - 1.0) * limit };
    limit.max((round_trip + before) / window)
}

/// Equation 3: the least window for full bandwidth, one acknowledgement for half of it.
pub fn window(round_trip: f64, receive: f64) -> f64 {
    2.0 * (round_trip / receive - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESH: Latency = Latency { hop: 4, constant: 14 };

    #[test]
    fn the_paper_s_own_examples() {
        assert_eq!((MESH.round_trip(14), MESH.round_trip(6)), (144, 80));
        assert_eq!(Latency { hop: 5, constant: 2 }.round_trip(6), 68);
        assert!((window(144.0, 60.0) - 2.8).abs() < 1e-9);
        assert_eq!([(40, 60), (80, 60), (10, 10)].map(|(send, receive)| unhindered(send, receive)), [60, 80, 32]);
    }

    #[test]
    fn windows_as_large_as_the_equations_ask_hide_the_round_trip() {
        assert_eq!(bulk(144.0, 60.0, 2, false), 72.0);
        assert_eq!(bulk(144.0, 60.0, 4, false), 60.0);
        assert_eq!(bulk(144.0, 32.0, 4, false), 44.0);
        assert_eq!(bulk(144.0, 32.0, 4, true), 36.0);
        assert_eq!(bulk(144.0, 32.0, 8, true), 32.0);
    }
}
