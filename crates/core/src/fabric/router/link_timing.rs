//! The cycles of single links, computed from the rates and latencies that a shape states for them.
//!
//! The network may have links that differ in the cycles for which a flit holds them, and in their delay; both are whole
//! numbers of the routers' cycles. The module does not model links that move more than one flit in a cycle, or routers
//! with different clocks. A rate or a latency that is not a whole number of cycles is an error.

use super::parameters::{CYCLES_PER_FLIT_MAX, RouterParameters};
use crate::engine::{Bytes, Rate, Time};
use crate::fabric::topology::{End, LinkAttributes, Wiring};

/// Largest number of cycles of a link in addition to moving a flit (chosen: 3 km at 1 GHz).
const WIRE_CYCLES_MAX: u128 = 1 << 14;
const PS_PER_S: u128 = 1_000_000_000_000;

/// The cycles of a link in one direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkTiming {
    /// Cycles for which a flit holds the link.
    pub cycles_per_flit: u32,
    /// Cycles of the link in addition to moving a flit; a credit takes the same additional cycles.
    pub wire_cycles: u32,
}

/// The cycles of all links of a wiring, if some links differ from the parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkTimings {
    /// For each router, the cycles of the links at its outputs.
    pub outputs: Vec<Vec<LinkTiming>>,
    /// For each node, the cycles of the link by which its packets enter.
    pub entries: Vec<LinkTiming>,
}

impl RouterParameters {
    /// Returns the cycles of a link. `wire_delay` applies if the description states no latency.
    ///
    /// # Errors
    ///
    /// Returns a message and a help line if the rate or the latency is not a whole number of cycles, or is out of
    /// range.
    pub fn link_timing(&self, attributes: LinkAttributes, wire_delay: u8) -> Result<LinkTiming, (String, String)> {
        let cycles_per_flit = attributes.rate.map_or(Ok(self.cycles_per_flit()), |rate| self.flit_cycles(rate))?;
        let wire_cycles = attributes.latency.map_or(Ok(wire_delay.into()), |latency| self.wire_cycles(latency))?;
        Ok(LinkTiming { cycles_per_flit, wire_cycles })
    }

    /// Returns the cycles of every link, or `None` if all links have the cycles of the parameters.
    ///
    /// # Panics
    ///
    /// Panics if a link has no [timing](RouterParameters::link_timing), which the fabric's check reports as an error.
    pub fn link_timings(&self, wiring: &Wiring) -> Option<LinkTimings> {
        if !wiring.has_attributes() {
            return None;
        }
        let timing = |attributes, wire_delay| self.link_timing(attributes, wire_delay).expect("links were checked");
        let outputs = |router: u32| {
            let timing =
                |(end, port): (&End, u8)| timing(wiring.output_attributes(router, port), self.wire_delay_of(end));
            wiring.outputs(router).iter().zip(0..).map(timing).collect()
        };
        let timings = LinkTimings {
            outputs: (0..wiring.routers()).map(outputs).collect(),
            entries: (0..wiring.nodes()).map(|node| timing(wiring.entry_attributes(node), 0)).collect(),
        };
        Some(timings).filter(|timings| !self.all_match_parameters(wiring, timings))
    }

    /// Returns the wire delay of a link that ends at `end` and for which the description states no latency.
    fn wire_delay_of(&self, end: &End) -> u8 {
        if matches!(end, End::Router { .. }) { self.wire_delay } else { 0 }
    }

    /// Returns whether all links have the cycles of the parameters.
    fn all_match_parameters(&self, wiring: &Wiring, timings: &LinkTimings) -> bool {
        let cycles_per_flit = self.cycles_per_flit();
        let default_timing = |end: &End| LinkTiming { cycles_per_flit, wire_cycles: self.wire_delay_of(end).into() };
        let routers = (0..wiring.routers()).zip(&timings.outputs);
        let mut outputs = routers.flat_map(|(router, outputs)| wiring.outputs(router).iter().zip(outputs));
        let entry = LinkTiming { cycles_per_flit, wire_cycles: 0 };
        outputs.all(|(end, timing)| *timing == default_timing(end))
            && timings.entries.iter().all(|timing| *timing == entry)
    }

    /// Returns the rate of a link on which a flit takes `cycles_per_flit`.
    pub fn rate_of(&self, cycles_per_flit: u32) -> Rate {
        let bits = u128::from(self.clock.0) * u128::from(self.flit_bits) / u128::from(cycles_per_flit);
        Rate::from_bits_per_s(u64::try_from(bits).unwrap_or(u64::MAX))
    }

    fn flit_cycles(&self, rate: Rate) -> Result<u32, (String, String)> {
        let flit = Bytes(u64::from(self.flit_bits / 8));
        let full_rate = u128::from(self.clock.0) * u128::from(self.flit_bits);
        let link_rate = u128::from(rate.bits_per_s());
        let cycles = (full_rate + link_rate / 2) / link_rate;
        let help = "choose fabric.router.flit and fabric.router.clock so that a flit takes whole cycles on every link";
        if cycles == 0 || link_rate > full_rate {
            let highest_rate = self.rate_of(1);
            let message =
                format!("{rate} is more than a flit of {flit} in each cycle of {}, {highest_rate}", self.clock);
            return Err((message, "make fabric.router.flit or fabric.router.clock larger".to_owned()));
        }
        if cycles > CYCLES_PER_FLIT_MAX.into() {
            let lowest_rate = self.rate_of(CYCLES_PER_FLIT_MAX);
            let message =
                format!("at {rate} a flit of {flit} takes more than {CYCLES_PER_FLIT_MAX} cycles of {}", self.clock);
            return Err((message, format!("the slowest link here has {lowest_rate}; {help}")));
        }
        // A rate is a whole number of bits per second, so one that does not divide the clock evenly was rounded.
        if full_rate.abs_diff(cycles * link_rate) >= cycles {
            let exact_cycles = full_rate as f64 / link_rate as f64;
            let nearest = [(full_rate / link_rate).max(1) as u32, (full_rate / link_rate) as u32 + 1]
                .map(|cycles| self.rate_of(cycles));
            let message = format!(
                "at {rate} a flit of {flit} takes {exact_cycles:.3} cycles of {}, not a whole number",
                self.clock
            );
            return Err((message, format!("the nearest rates are {} and {}; {help}", nearest[0], nearest[1])));
        }
        Ok(cycles as u32)
    }

    fn wire_cycles(&self, latency: Time) -> Result<u32, (String, String)> {
        let (link_latency, clock) = (u128::from(latency.ps()), u128::from(self.clock.0));
        let cycles = (link_latency * clock + PS_PER_S / 2) / PS_PER_S;
        if cycles > WIRE_CYCLES_MAX {
            let message = format!("a latency of {latency} is more than {WIRE_CYCLES_MAX} cycles of {}", self.clock);
            return Err((message, "make it shorter, or fabric.router.clock lower".to_owned()));
        }
        // A time is a whole number of picoseconds, so one that the clock does not divide evenly was rounded.
        if (link_latency * clock).abs_diff(cycles * PS_PER_S) >= clock {
            let exact_cycles = (link_latency * clock) as f64 / PS_PER_S as f64;
            let nearest = [link_latency * clock / PS_PER_S, link_latency * clock / PS_PER_S + 1]
                .map(|cycles| self.clock.cycles(cycles as u64));
            let message =
                format!("a latency of {latency} is {exact_cycles:.3} cycles of {}, not a whole number", self.clock);
            return Err((message, format!("the nearest latencies are {} and {}", nearest[0], nearest[1])));
        }
        Ok(cycles as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Hertz;
    use crate::text::Parameters;

    fn router(flit_bits: u32, clock: u64) -> RouterParameters {
        RouterParameters {
            flit_bits,
            link_bits: flit_bits,
            clock: Hertz(clock),
            wire_delay: 3,
            ..RouterParameters::defaults()
        }
    }

    fn link_of_gigabits(rate: u64) -> LinkAttributes {
        LinkAttributes { rate: Some(Rate::from_bits_per_s(rate * 1_000_000_000)), latency: None }
    }

    #[test]
    fn rates_and_latencies_are_whole_cycles() {
        let router = router(256, 1_000_000_000);
        let timing = |attributes| router.link_timing(attributes, router.wire_delay);
        assert_eq!(timing(link_of_gigabits(256)), Ok(LinkTiming { cycles_per_flit: 1, wire_cycles: 3 }));
        assert_eq!(timing(link_of_gigabits(64)), Ok(LinkTiming { cycles_per_flit: 4, wire_cycles: 3 }));
        let latency = |ps| LinkAttributes { rate: None, latency: Some(Time::from_ps(ps)) };
        assert_eq!(timing(latency(500_000)), Ok(LinkTiming { cycles_per_flit: 1, wire_cycles: 500 }));
        assert_eq!(timing(latency(0)), Ok(LinkTiming { cycles_per_flit: 1, wire_cycles: 0 }));
        let (message, help) = timing(link_of_gigabits(100)).unwrap_err();
        assert_eq!(message, "at 100 Gbit/s a flit of 32 B takes 2.560 cycles of 1 GHz, not a whole number");
        assert!(help.starts_with("the nearest rates are 128 Gbit/s and 85.333"), "{help}");
        assert!(timing(link_of_gigabits(257)).unwrap_err().0.contains("is more than a flit of 32 B in each cycle"));
        assert!(timing(link_of_gigabits(1)).unwrap_err().0.contains("takes more than 255 cycles"));
        let (message, help) = timing(latency(2_500)).unwrap_err();
        assert_eq!(message, "a latency of 2.5 ns is 2.500 cycles of 1 GHz, not a whole number");
        assert_eq!(help, "the nearest latencies are 2 ns and 3 ns");
        assert!(timing(latency(20_000_000)).unwrap_err().0.contains("is more than 16384 cycles"));
    }

    #[test]
    fn rates_and_latencies_rounded_to_their_units_are_accepted() {
        let router = router(32, 3_000_000_000);
        let third_of_ns = LinkAttributes { rate: None, latency: Some(Time::from_ps(333)) };
        assert_eq!(router.link_timing(third_of_ns, 0).unwrap().wire_cycles, 1);
        let seventh_of_rate = LinkAttributes { rate: Some(router.rate_of(7)), latency: None };
        assert_eq!(router.link_timing(seventh_of_rate, 0).unwrap().cycles_per_flit, 7);
    }
}
